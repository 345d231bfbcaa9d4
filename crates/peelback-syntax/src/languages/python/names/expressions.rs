//! Values of Python expressions, and the names that expressions use.

use tree_sitter::Node;

use super::flow::create_hidden_variable;
use super::{Binder, BodyKind, Field, Kind, Narrowing};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeKind, Target};

impl<'t> Binder<'t> {
    /// Records the names in an expression, and returns the expression's value. `role` is the role of its last name.
    pub(super) fn bind_names_and_get_value(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'t>,
        role: Role,
    ) -> ExprId {
        match self.kind_of_node(node) {
            Kind::Identifier => self.record_name_use(builder, node, role),
            Kind::Integer => self.builtin_type_instance(builder, "int"),
            Kind::Float => self.builtin_type_instance(builder, "float"),
            Kind::True | Kind::False => self.builtin_type_instance(builder, "bool"),
            Kind::None | Kind::Ellipsis => builder.unknown_expr(),
            Kind::String => self.string_literal_value(builder, node),
            _ => builder
                .run_with_depth_limit(node, |builder| self.bind_compound_expression_and_get_value(builder, node, role)),
        }
    }

    fn bind_compound_expression_and_get_value(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'t>,
        role: Role,
    ) -> ExprId {
        match self.kind_of_node(node) {
            Kind::Attribute => self.attribute_access_value(builder, node, role),
            Kind::Call => self.call_value(builder, node, role),
            Kind::Subscript => self.subscript_value(builder, node),
            Kind::ParenthesizedExpression => match self.only_or_first_child(node) {
                Some(inner) => self.bind_names_and_get_value(builder, inner, role),
                None => builder.unknown_expr(),
            },
            Kind::Await => {
                let of = self.only_or_first_child_value(builder, node);
                self.element_or_awaited_expr(builder, of)
            }
            Kind::ConcatenatedString => {
                self.for_each_named_non_comment_child(builder, node, |binder, builder, child| {
                    binder.string_literal_value(builder, child.node);
                });
                self.builtin_type_instance(builder, "str")
            }
            Kind::BooleanOperator => {
                let [left, operator, right] =
                    self.first_children_in_fields(node, [Field::Left, Field::Operator, Field::Right]);
                // The grammar's node for `a and b` or `a or b` does not name the operator. An operator text without
                // `or` is `and`.
                let _ = operator;
                let between =
                    left.zip(right).and_then(|(left, right)| builder.source.get(left.end_byte()..right.start_byte()));
                if between.is_some_and(|between| between.contains("or")) {
                    let left = left.map_or(builder.unknown_expr(), |left| {
                        self.bind_names_and_get_value(builder, left, Role::Read)
                    });
                    let right = right.map_or(builder.unknown_expr(), |right| {
                        self.bind_names_and_get_value(builder, right, Role::Read)
                    });
                    return builder.expr_of_possible_values(vec![left, right]);
                }
                let mark = self.narrowings.len();
                if let Some(left) = left {
                    self.record_condition_names_and_narrowings(builder, left);
                }
                self.apply_unnegated_narrowings_from_index(builder, mark, node.end_byte());
                let value = right
                    .map_or(builder.unknown_expr(), |right| self.bind_names_and_get_value(builder, right, Role::Read));
                self.narrowings.truncate(mark);
                value
            }
            Kind::BinaryOperator => self.binary_expression_value(builder, node),
            Kind::NotOperator => {
                self.only_or_first_child_value(builder, node);
                self.builtin_type_instance(builder, "bool")
            }
            Kind::ConditionalExpression => self.conditional_expression_value(builder, node),
            Kind::NamedExpression => {
                let [name, value] = self.first_children_in_fields(node, [Field::Name, Field::Value]);
                let value = value
                    .map_or(builder.unknown_expr(), |value| self.bind_names_and_get_value(builder, value, Role::Read));
                if let Some(name) = name {
                    self.bind_target_names_to_value_parts(builder, name, value, node.end_byte());
                }
                value
            }
            Kind::Lambda => self.lambda_value(builder, node),
            Kind::Tuple | Kind::ExpressionList | Kind::PatternList => {
                let parts = self.child_values(builder, node);
                let span = builder.add_expr_list(&parts);
                builder.add_expr(Expr::Tuple(span))
            }
            Kind::List | Kind::Set => {
                let parts = self.child_values(builder, node);
                let element = builder.expr_of_possible_values(parts);
                self.unnamed_container_instance(builder, &[element])
            }
            Kind::Dictionary => self.dictionary_literal_value(builder, node),
            Kind::ListComprehension
            | Kind::SetComprehension
            | Kind::GeneratorExpression
            | Kind::DictionaryComprehension => self.comprehension_value(builder, node),
            Kind::Yield => self.record_yielded_value(builder, node),
            Kind::ListSplat | Kind::DictionarySplat | Kind::ListSplatPattern => {
                let of = self.only_or_first_child_value(builder, node);
                self.element_or_awaited_expr(builder, of)
            }
            Kind::AsPattern => {
                let (value, alias) = self.as_pattern_value_and_target(node);
                let value = value
                    .map_or(builder.unknown_expr(), |value| self.bind_names_and_get_value(builder, value, Role::Read));
                if let Some(alias) = alias {
                    self.bind_target_names_to_value_parts(builder, alias, value, node.end_byte());
                }
                value
            }
            Kind::Type | Kind::GenericType | Kind::UnionType | Kind::MemberType => self.type_expr(builder, node),
            Kind::KeywordArgument => {
                let [name, value] = self.first_children_in_fields(node, [Field::Name, Field::Value]);
                if let Some(name) = name {
                    builder.record_occurrence(name, Role::Write, Target::Unknown);
                }
                value.map_or(builder.unknown_expr(), |value| self.bind_names_and_get_value(builder, value, Role::Read))
            }
            Kind::Assignment => self.bind_assignment(builder, node),
            Kind::Other | Kind::Slice | Kind::ArgumentList | Kind::Pair | Kind::DottedName => {
                self.for_each_named_non_comment_child(builder, node, |binder, builder, child| {
                    binder.bind_statement_or_expression(builder, child.node)
                });
                builder.unknown_expr()
            }
            Kind::IfClause | Kind::AsPatternTarget => {
                self.only_or_first_child_value(builder, node);
                builder.unknown_expr()
            }
            Kind::LineContinuation | Kind::Comment | Kind::StringContent | Kind::WildcardImport => {
                builder.unknown_expr()
            }
            // Broken source may have a statement in place of an expression.
            _ if is_statement_kind_without_value(self.kind_of_node(node)) => {
                self.bind_statement_or_expression(builder, node);
                builder.unknown_expr()
            }
            _ => {
                self.for_each_named_non_comment_child(builder, node, |binder, builder, child| {
                    binder.bind_statement_or_expression(builder, child.node)
                });
                builder.unknown_expr()
            }
        }
    }

    fn only_or_first_child_value(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> ExprId {
        match self.only_or_first_child(node) {
            Some(inner) => self.bind_names_and_get_value(builder, inner, Role::Read),
            None => builder.unknown_expr(),
        }
    }

    /// The values of all children of a node, read as expressions.
    fn child_values(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> Vec<ExprId> {
        let mut parts = Vec::new();
        self.for_each_named_non_comment_child(builder, node, |binder, builder, child| {
            parts.push(binder.bind_names_and_get_value(builder, child.node, Role::Read))
        });
        parts
    }

    pub(super) fn element_or_awaited_expr(&mut self, builder: &mut NamesBuilder<'_>, of: ExprId) -> ExprId {
        if of == builder.unknown_expr() { of } else { builder.add_expr(Expr::Element { of }) }
    }

    fn attribute_access_value(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>, role: Role) -> ExprId {
        let [object, attribute] = self.first_children_in_fields(node, [Field::Object, Field::Attribute]);
        let base =
            object.map_or(builder.unknown_expr(), |object| self.bind_names_and_get_value(builder, object, Role::Read));
        let Some(attribute) = attribute else { return builder.unknown_expr() };
        let role = if role == Role::Read { Role::Member } else { role };
        let member = builder.record_member_use(base, attribute, role);
        if builder.text_of_node(attribute) == "__class__" && base != builder.unknown_expr() {
            return builder.add_expr(Expr::TypeOf { of: base });
        }
        member
    }

    /// The value of a string literal. Also records the names in the code that it interpolates.
    fn string_literal_value(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> ExprId {
        // The prefix letters before the quote identify an f-string or t-string cheaply.
        let begins = builder.source.as_bytes().get(node.start_byte()..).unwrap_or(&[]);
        let letters = begins.iter().take_while(|byte| byte.is_ascii_alphabetic());
        let mut bytes = false;
        let mut code = self.kind_of_node(node) != Kind::String;
        for letter in letters {
            bytes |= letter.eq_ignore_ascii_case(&b'b');
            code |= letter.eq_ignore_ascii_case(&b'f') || letter.eq_ignore_ascii_case(&b't');
        }
        if code {
            builder.run_with_depth_limit(node, |builder| {
                self.for_each_named_non_comment_child(builder, node, |binder, builder, child| {
                    if binder.kind_of_node(child.node) == Kind::Other {
                        binder.bind_statement_or_expression(builder, child.node);
                    }
                });
            });
        }
        self.builtin_type_instance(builder, if bytes { "bytes" } else { "str" })
    }

    fn binary_expression_value(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> ExprId {
        // The grammar nests `a + b + c + …` to the left, one level for each operator, so a loop replaces the recursion.
        let mut rights = Vec::new();
        let mut at = node;
        loop {
            let [left, right] = self.first_children_in_fields(at, [Field::Left, Field::Right]);
            rights.extend(right);
            match left {
                Some(left) if self.kind_of_node(left) == Kind::BinaryOperator => at = left,
                Some(left) => {
                    let mut values = vec![self.bind_names_and_get_value(builder, left, Role::Read)];
                    while let Some(right) = rights.pop() {
                        values.push(self.bind_names_and_get_value(builder, right, Role::Read));
                    }
                    return self.union_or_sum_value(builder, node, values);
                }
                None => return builder.unknown_expr(),
            }
        }
    }

    /// The value of a chain of binary operators with the operands `values`: that of any operand for `A | B` and for
    /// sums, and unknown for other operators.
    fn union_or_sum_value(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>, values: Vec<ExprId>) -> ExprId {
        let mut cursor = node.walk();
        let operator = node.children_by_field_name("operator", &mut cursor).next().map(|operator| operator.kind());
        if matches!(operator, Some("|" | "+")) && values.len() <= 16 {
            builder.expr_of_possible_values(values)
        } else {
            builder.unknown_expr()
        }
    }

    fn conditional_expression_value(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> ExprId {
        let children = self.push_named_non_comment_children(node);
        let parts =
            [self.child_at_index(children, 0), self.child_at_index(children, 1), self.child_at_index(children, 2)];
        self.pop_children(children);
        let [Some(then), Some(condition), otherwise] = parts else { return builder.unknown_expr() };
        let mark = self.narrowings.len();
        self.record_condition_names_and_narrowings(builder, condition.node);
        // In `a if condition else b` the narrowing applies to `a`, which precedes the condition.
        for narrowing in self.narrowings.drain(mark.min(self.narrowings.len())..).collect::<Vec<_>>() {
            if !narrowing.is_negated {
                self.apply_narrowing_in_range(builder, &narrowing, then.node.start_byte(), then.node.end_byte());
            }
        }
        let then = self.bind_names_and_get_value(builder, then.node, Role::Read);
        let otherwise = otherwise
            .map_or(builder.unknown_expr(), |other| self.bind_names_and_get_value(builder, other.node, Role::Read));
        builder.expr_of_possible_values(vec![then, otherwise])
    }

    /// Records the names in a condition. Also records the narrower types that `isinstance` gives to names in
    /// [`Binder::narrowings`].
    pub(super) fn record_condition_names_and_narrowings(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) {
        match self.kind_of_node(node) {
            Kind::ParenthesizedExpression => {
                if let Some(inner) = self.only_or_first_child(node) {
                    builder.run_with_depth_limit(inner, |builder| {
                        self.record_condition_names_and_narrowings(builder, inner)
                    });
                }
            }
            Kind::BooleanOperator => {
                let [left, right] = self.first_children_in_fields(node, [Field::Left, Field::Right]);
                let between =
                    left.zip(right).and_then(|(left, right)| builder.source.get(left.end_byte()..right.start_byte()));
                let (Some(left), Some(right), Some(between)) = (left, right, between) else { return };
                if between.contains("or") {
                    self.bind_names_and_get_value(builder, node, Role::Read);
                    return;
                }
                builder.run_with_depth_limit(node, |builder| {
                    let mark = self.narrowings.len();
                    self.record_condition_names_and_narrowings(builder, left);
                    self.apply_unnegated_narrowings_from_index(builder, mark, node.end_byte());
                    self.record_condition_names_and_narrowings(builder, right);
                });
            }
            Kind::NotOperator => {
                if let Some(inner) = self.only_or_first_child(node) {
                    let mark = self.narrowings.len();
                    builder.run_with_depth_limit(inner, |builder| {
                        self.record_condition_names_and_narrowings(builder, inner)
                    });
                    for narrowing in self.narrowings.iter_mut().skip(mark) {
                        narrowing.is_negated = !narrowing.is_negated;
                    }
                }
            }
            Kind::Call => {
                let [function, arguments] = self.first_children_in_fields(node, [Field::Function, Field::Arguments]);
                match (function, arguments) {
                    (Some(function), Some(arguments)) if builder.text_of_node(function) == "isinstance" => {
                        self.record_isinstance_narrowing(builder, node, function, arguments);
                    }
                    _ => {
                        self.bind_names_and_get_value(builder, node, Role::Read);
                    }
                }
            }
            _ => {
                self.bind_names_and_get_value(builder, node, Role::Read);
            }
        }
    }

    fn record_isinstance_narrowing(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'t>,
        function: Node<'t>,
        arguments: Node<'t>,
    ) {
        self.bind_names_and_get_value(builder, function, Role::Call);
        let children = self.push_named_non_comment_children(arguments);
        let (value, types) = (self.child_at_index(children, 0), self.child_at_index(children, 1));
        self.pop_children(children);
        let Some(value) = value else { return };
        self.bind_names_and_get_value(builder, value.node, Role::Read);
        let Some(types) = types else { return };
        let types = self.type_in_except_or_isinstance(builder, types.node);
        if self.kind_of_node(value.node) == Kind::Identifier && types != builder.unknown_expr() {
            let name = builder.name_id_of_node(value.node);
            self.narrowings.push(Narrowing { name, types, from: node.end_byte(), is_negated: false });
        }
    }

    /// Applies the narrowings that were recorded from index `mark` on, up to byte offset `end`. Negated narrowings are
    /// skipped.
    fn apply_unnegated_narrowings_from_index(&mut self, builder: &mut NamesBuilder<'_>, mark: usize, end: usize) {
        for index in mark..self.narrowings.len() {
            let Some(narrowing) = self.narrowings.get(index) else { continue };
            if !narrowing.is_negated {
                let narrowing = Narrowing { ..*narrowing };
                self.apply_narrowing_until_offset(builder, &narrowing, end);
            }
        }
    }

    pub(super) fn apply_narrowing_until_offset(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        narrowing: &Narrowing,
        end: usize,
    ) {
        self.apply_narrowing_in_range(builder, narrowing, narrowing.from, end);
    }

    pub(super) fn apply_narrowing_in_range(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        narrowing: &Narrowing,
        from: usize,
        end: usize,
    ) {
        let is_local = self.bound.contains_key(&(self.frame.binding_scope, narrowing.name));
        if !is_local || end <= from {
            return;
        }
        if let Some(flow) = &mut self.frame.flow {
            let binding = create_hidden_variable(builder, narrowing.name, from);
            builder.binding_mut(binding).annotation = Some(narrowing.types);
            flow.add_narrowing(narrowing.name, from..end, binding);
        }
    }

    fn lambda_value(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> ExprId {
        let [parameters, body] = self.first_children_in_fields(node, [Field::Parameters, Field::Body]);
        let scope = builder.add_child_scope(self.scope, ScopeKind::Function, node);
        let name = builder.intern_source_text("lambda");
        let binding = builder.add_binding(scope, BindingKind::Function, name, node.start_byte());
        builder.link_binding_and_body_scope(binding, scope);
        if let Some(parameters) = parameters {
            let annotations = self.scope;
            self.bind_parameters(builder, parameters, scope, annotations);
        }
        if let Some(body) = body {
            let value = self.run_in_scope(scope, |binder| binder.bind_names_and_get_value(builder, body, Role::Read));
            self.add_known_binding_value(builder, binding, value);
        }
        builder.add_expr(Expr::Function { binding })
    }

    fn dictionary_literal_value(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> ExprId {
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        self.for_each_named_non_comment_child(builder, node, |binder, builder, child| {
            if binder.kind_of_node(child.node) != Kind::Pair {
                let value = binder.bind_names_and_get_value(builder, child.node, Role::Read);
                return values.push(value);
            }
            let pair = binder.push_named_non_comment_children(child.node);
            let (key, value) = (binder.child_at_index(pair, 0), binder.child_at_index(pair, 1));
            binder.pop_children(pair);
            keys.extend(key.map(|key| binder.bind_names_and_get_value(builder, key.node, Role::Read)));
            values.extend(value.map(|value| binder.bind_names_and_get_value(builder, value.node, Role::Read)));
        });
        keys.truncate(4);
        let (key, value) = (builder.expr_of_possible_values(keys), builder.expr_of_possible_values(values));
        self.unnamed_container_instance(builder, &[key, value])
    }

    fn comprehension_value(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> ExprId {
        let children = self.push_named_non_comment_children(node);
        let scope = builder.add_child_scope(self.scope, ScopeKind::Block, node);
        let outer = self.scope;
        let mut at = 0;
        let mut body = None;
        let mut first = true;
        while let Some(child) = self.child_at_index(children, at) {
            at += 1;
            match self.kind_of_node(child.node) {
                _ if child.field == Field::Body => body = Some(child.node),
                Kind::ForInClause => {
                    // Names in the first iterable of a comprehension are looked up from the enclosing scope.
                    let source = if std::mem::take(&mut first) { outer } else { scope };
                    self.bind_comprehension_for_clause(builder, child.node, source, scope);
                }
                _ => self.run_in_scope(scope, |binder| binder.bind_statement_or_expression(builder, child.node)),
            }
        }
        self.pop_children(children);
        let Some(body) = body else { return builder.unknown_expr() };
        if self.kind_of_node(body) == Kind::Pair {
            let pair = self.push_named_non_comment_children(body);
            let (key, value) = (self.child_at_index(pair, 0), self.child_at_index(pair, 1));
            self.pop_children(pair);
            let mut read = |part: Option<super::Child<'t>>, builder: &mut NamesBuilder<'_>| {
                part.map_or(0, |part| {
                    self.run_in_scope(scope, |binder| binder.bind_names_and_get_value(builder, part.node, Role::Read))
                })
            };
            let parts = [read(key, builder), read(value, builder)];
            return self.unnamed_container_instance(builder, &parts);
        }
        let value = self.run_in_scope(scope, |binder| binder.bind_names_and_get_value(builder, body, Role::Read));
        self.unnamed_container_instance(builder, &[value])
    }

    fn bind_comprehension_for_clause(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'t>,
        source: u32,
        scope: u32,
    ) {
        let children = self.push_named_non_comment_children(node);
        let mut at = 0;
        let mut value = builder.unknown_expr();
        let mut left = None;
        while let Some(child) = self.child_at_index(children, at) {
            at += 1;
            if child.field == Field::Left {
                left = Some(child.node);
            } else {
                value = self
                    .run_in_scope(source, |binder| binder.bind_names_and_get_value(builder, child.node, Role::Read));
            }
        }
        self.pop_children(children);
        let element = self.element_or_awaited_expr(builder, value);
        if let Some(left) = left {
            let home = std::mem::replace(&mut self.frame.binding_scope, scope);
            let around = std::mem::replace(&mut self.frame.body_kind, BodyKind::Function);
            let flow = self.frame.flow.take();
            self.run_in_scope(scope, |binder| {
                binder.bind_target_names_to_value_parts(builder, left, element, left.end_byte())
            });
            self.frame.flow = flow;
            self.frame.body_kind = around;
            self.frame.binding_scope = home;
        }
    }

    fn record_yielded_value(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> ExprId {
        self.frame.is_generator = true;
        let Some(inner) = self.only_or_first_child(node) else { return builder.unknown_expr() };
        let value = self.bind_names_and_get_value(builder, inner, Role::Read);
        let after = builder.source.get(node.start_byte() + 5..inner.start_byte()).unwrap_or("");
        let value = if after.contains("from") { self.element_or_awaited_expr(builder, value) } else { value };
        if value != builder.unknown_expr() {
            self.frame.yields.push(value);
        }
        builder.unknown_expr()
    }
}

fn is_statement_kind_without_value(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::ExpressionStatement
            | Kind::AugmentedAssignment
            | Kind::FunctionDefinition
            | Kind::ClassDefinition
            | Kind::DecoratedDefinition
            | Kind::ImportStatement
            | Kind::ImportFromStatement
            | Kind::FutureImportStatement
            | Kind::ReturnStatement
            | Kind::IfStatement
            | Kind::ForStatement
            | Kind::WhileStatement
            | Kind::WithStatement
            | Kind::TryStatement
            | Kind::ExceptClause
            | Kind::ElifClause
            | Kind::ElseClause
            | Kind::FinallyClause
            | Kind::MatchStatement
            | Kind::GlobalStatement
            | Kind::NonlocalStatement
            | Kind::DeleteStatement
            | Kind::AssertStatement
            | Kind::TypeAliasStatement
            | Kind::RaiseStatement
            | Kind::Block
    )
}
