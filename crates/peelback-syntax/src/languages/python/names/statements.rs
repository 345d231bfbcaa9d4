//! Name binding for Python statements: blocks, branches, loops, `with`, `try`, `del`, `global`.

use tree_sitter::Node;

use super::subscripts::KeyTest;
use super::{Binder, BodyKind, Field, Kind};
use crate::names::{BindingKind, Expr, ExprId, FILE_SCOPE, NamesBuilder, Role, ScopeKind};

impl<'t> Binder<'t> {
    /// Binds the statements below a node that is not a block of the flow analysis: the file, or a region with a syntax
    /// error.
    pub(super) fn bind_child_statements_without_flow_block(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) {
        builder.run_with_depth_limit(node, |builder| {
            self.for_each_named_non_comment_child(builder, node, |binder, builder, child| {
                binder.bind_statement_or_expression(builder, child.node)
            })
        });
    }

    /// Binds the statements of a block, and opens a block of the flow analysis for them.
    pub(super) fn bind_block(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) {
        self.run_in_flow_block(builder, node, |binder, builder| {
            binder.bind_child_statements_without_flow_block(builder, node)
        });
    }

    fn run_in_flow_block(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'t>,
        inside: impl FnOnce(&mut Self, &mut NamesBuilder<'_>),
    ) {
        let outer = self.frame.flow.as_mut().map(|flow| flow.open_block(node.byte_range()));
        let key_branch = self.key_branch();
        inside(self, builder);
        self.set_key_branch(key_branch);
        if let (Some(outer), Some(flow)) = (outer, &mut self.frame.flow) {
            let last = node.named_child_count().checked_sub(1).and_then(|last| u32::try_from(last).ok());
            let last = last.and_then(|last| node.named_child(last)).map(|last| self.tables.kind_of_node(last));
            flow.close_block(outer, matches!(last, Some(Kind::ReturnStatement | Kind::RaiseStatement)));
        }
    }

    /// Binds the names in a statement or an expression.
    pub(super) fn bind_statement_or_expression(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) {
        match self.kind_of_node(node) {
            Kind::ExpressionStatement => {
                self.for_each_named_non_comment_child(builder, node, |binder, builder, child| {
                    // A string as a whole statement is documentation; its text contains no names.
                    if !matches!(binder.kind_of_node(child.node), Kind::String | Kind::ConcatenatedString)
                        || may_contain_string_interpolation(child.node)
                    {
                        binder.bind_statement_or_expression(builder, child.node);
                    }
                })
            }
            Kind::Assignment => {
                builder.run_with_depth_limit(node, |builder| {
                    self.bind_assignment(builder, node);
                });
            }
            Kind::AugmentedAssignment => self.bind_augmented_assignment(builder, node),
            Kind::FunctionDefinition => self.bind_function(builder, node, &[]),
            Kind::ClassDefinition => self.bind_class(builder, node),
            Kind::DecoratedDefinition => self.bind_decorated_definition(builder, node),
            Kind::ImportStatement => self.bind_plain_import_statement(builder, node),
            Kind::ImportFromStatement => self.bind_from_import_statement(builder, node),
            Kind::FutureImportStatement | Kind::Comment => {}
            Kind::ReturnStatement => {
                if let Some(child) = self.only_or_first_child(node) {
                    let value = self.bind_names_and_get_value(builder, child, Role::Read);
                    if value != builder.unknown_expr() && self.kind_of_node(child) != Kind::None {
                        self.record_returned_value(value);
                    }
                }
            }
            Kind::IfStatement => self.bind_if_statement(builder, node),
            Kind::ForStatement => self.bind_for_statement(builder, node),
            Kind::WhileStatement => {
                self.record_loop_for_flow(node);
                self.for_each_named_non_comment_child(builder, node, |binder, builder, child| {
                    binder.bind_part_of_compound_statement(builder, child.node, child.field)
                });
            }
            Kind::WithStatement => {
                let is_async = builder.text_of_node(node).starts_with("async");
                self.for_each_named_non_comment_child(builder, node, |binder, builder, child| match child.field {
                    // The body of a `with` statement always runs, so it is no block of its own in the flow analysis.
                    Field::Body => binder.bind_child_statements_without_flow_block(builder, child.node),
                    _ => binder.for_each_named_non_comment_child(builder, child.node, |binder, builder, item| {
                        binder.bind_with_item(builder, item.node, is_async)
                    }),
                });
            }
            Kind::TryStatement => self.for_each_named_non_comment_child(builder, node, |binder, builder, child| {
                binder.bind_part_of_compound_statement(builder, child.node, child.field)
            }),
            Kind::ExceptClause => {
                self.run_in_flow_block(builder, node, |binder, builder| binder.bind_except_clause(builder, node))
            }
            Kind::ElifClause | Kind::ElseClause | Kind::FinallyClause => {
                self.for_each_named_non_comment_child(builder, node, |binder, builder, child| {
                    binder.bind_part_of_compound_statement(builder, child.node, child.field)
                });
            }
            Kind::MatchStatement => self.bind_match_statement(builder, node),
            Kind::GlobalStatement | Kind::NonlocalStatement => self.bind_global_or_nonlocal_statement(builder, node),
            Kind::DeleteStatement => self.for_each_named_non_comment_child(builder, node, |binder, builder, child| {
                binder.record_delete_target(builder, child.node)
            }),
            Kind::AssertStatement => self.bind_assert_statement(builder, node),
            Kind::TypeAliasStatement => self.bind_type_alias(builder, node),
            Kind::Block => self.bind_block(builder, node),
            Kind::RaiseStatement => self.bind_child_statements_without_flow_block(builder, node),
            _ if node.is_error() => self.bind_child_statements_without_flow_block(builder, node),
            _ => {
                self.bind_names_and_get_value(builder, node, Role::Read);
            }
        }
    }

    /// Binds the names in one part of a compound statement such as `if` or `while`: a condition, a block or another
    /// clause.
    fn bind_part_of_compound_statement(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>, field: Field) {
        match (field, self.kind_of_node(node)) {
            (Field::Condition, _) => {
                let mark = self.narrowings.len();
                self.record_condition_names_and_narrowings(builder, node);
                self.narrowings.truncate(mark);
            }
            (_, Kind::Block) => self.bind_block(builder, node),
            _ => self.bind_statement_or_expression(builder, node),
        }
    }

    pub(super) fn record_loop_for_flow(&mut self, node: Node<'t>) {
        if let Some(flow) = &mut self.frame.flow {
            flow.add_loop(node.byte_range());
        }
    }

    fn bind_if_statement(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) {
        builder.run_with_depth_limit(node, |builder| {
            let children = self.push_named_non_comment_children(node);
            let mut at = 0;
            let mut mark = self.narrowings.len();
            let outer = mark;
            let outer_type_checking = self.type_checking;
            let mut negative = Vec::new();
            let outer_branch = self.key_branch();
            let (mut key_test, mut branch_after) = (KeyTest::default(), outer_branch);
            while let Some(child) = self.child_at_index(children, at) {
                at += 1;
                match (child.field, self.kind_of_node(child.node)) {
                    (Field::Condition, _) => {
                        mark = self.narrowings.len();
                        self.record_condition_names_and_narrowings(builder, child.node);
                        key_test = self.key_test_of_condition(builder, child.node, mark);
                        let text = builder.text_of_node(child.node);
                        if text == "TYPE_CHECKING" || text.ends_with(".TYPE_CHECKING") {
                            self.type_checking = true;
                        }
                    }
                    (_, Kind::Block) => {
                        let recorded: Vec<_> = self.narrowings.drain(mark.min(self.narrowings.len())..).collect();
                        for narrowing in recorded {
                            if narrowing.is_negated {
                                negative.push(narrowing);
                            } else {
                                self.apply_narrowing_until_offset(builder, &narrowing, child.node.end_byte());
                            }
                        }
                        self.set_key_branch(key_test.if_true.unwrap_or(outer_branch));
                        self.bind_block(builder, child.node);
                        self.type_checking = outer_type_checking;
                        // After `if not isinstance(x, T): return`, `x` is an instance of `T`.
                        let leaves = child.node.named_child_count() > 0 && self.has_exit_statement_at_end(child.node);
                        self.set_key_branch(key_test.if_false.unwrap_or(outer_branch));
                        if leaves {
                            branch_after = self.key_branch();
                        }
                        for narrowing in negative.drain(..) {
                            if leaves && let Some(flow) = &self.frame.flow {
                                let end = flow.end_offset_of_current_block();
                                self.apply_narrowing_in_range(builder, &narrowing, child.node.end_byte(), end);
                            }
                        }
                    }
                    _ => self.bind_elif_or_else_clause(builder, child.node),
                }
            }
            self.set_key_branch(branch_after);
            self.pop_children(children);
            self.narrowings.truncate(outer);
        });
    }

    /// Binds the names in an `elif` or `else` clause.
    fn bind_elif_or_else_clause(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) {
        match self.kind_of_node(node) {
            Kind::ElifClause => self.bind_if_statement(builder, node),
            _ => self.bind_statement_or_expression(builder, node),
        }
    }

    /// Whether a block ends with a statement that leaves it: `return`, `raise`, `continue` or `break`.
    fn has_exit_statement_at_end(&self, block: Node<'_>) -> bool {
        let last = block.named_child_count().checked_sub(1).and_then(|last| u32::try_from(last).ok());
        let last = last.and_then(|last| block.named_child(last));
        last.is_some_and(|last| {
            matches!(self.kind_of_node(last), Kind::ReturnStatement | Kind::RaiseStatement)
                || matches!(last.kind(), "continue_statement" | "break_statement")
        })
    }

    fn bind_for_statement(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) {
        let [left, right, body] = self.first_children_in_fields(node, [Field::Left, Field::Right, Field::Body]);
        let iterated =
            right.map_or(builder.unknown_expr(), |right| self.bind_names_and_get_value(builder, right, Role::Read));
        let element = self.element_or_awaited_expr(builder, iterated);
        self.record_loop_for_flow(node);
        if let Some(body) = body {
            self.run_in_flow_block(builder, body, |binder, builder| {
                if let Some(left) = left {
                    binder.bind_target_names_to_value_parts(builder, left, element, left.end_byte());
                }
                binder.bind_child_statements_without_flow_block(builder, body);
            });
        } else if let Some(left) = left {
            self.bind_target_names_to_value_parts(builder, left, element, left.end_byte());
        }
        self.for_each_named_non_comment_child(builder, node, |binder, builder, child| {
            if !matches!(child.field, Field::Left | Field::Right | Field::Body) {
                binder.bind_statement_or_expression(builder, child.node);
            }
        });
    }

    /// Binds the names in one item of a `with` statement: `value as target`.
    fn bind_with_item(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>, is_async: bool) {
        if self.kind_of_node(node) != Kind::WithItem {
            return self.bind_statement_or_expression(builder, node);
        }
        let Some(value) = self.only_or_first_child(node) else { return };
        // The grammar reads `with (a as b, c as d)` as a tuple in some sources.
        let items = if self.kind_of_node(value) == Kind::Tuple {
            self.push_named_non_comment_children(value)
        } else {
            self.push_named_non_comment_children(node)
        };
        let mut at = 0;
        while let Some(item) = self.child_at_index(items, at) {
            at += 1;
            if self.kind_of_node(item.node) != Kind::AsPattern {
                self.bind_names_and_get_value(builder, item.node, Role::Read);
                continue;
            }
            let (value, alias) = self.as_pattern_value_and_target(item.node);
            let value =
                value.map_or(builder.unknown_expr(), |value| self.bind_names_and_get_value(builder, value, Role::Read));
            let Some(alias) = alias else { continue };
            let entered = self.value_entered_by_context_manager(builder, value, is_async);
            self.bind_target_names_to_value_parts(builder, alias, entered, alias.end_byte());
        }
        self.pop_children(items);
    }

    fn value_entered_by_context_manager(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        value: ExprId,
        is_async: bool,
    ) -> ExprId {
        if value == builder.unknown_expr() {
            return value;
        }
        let name = builder.intern_source_text(if is_async { "__aenter__" } else { "__enter__" });
        let callee = builder.add_expr(Expr::Member { base: value, name, at: 0 });
        builder.add_expr(Expr::Call { callee })
    }

    /// The nodes of the value and of the target in `value as target`.
    pub(super) fn as_pattern_value_and_target(&mut self, node: Node<'t>) -> (Option<Node<'t>>, Option<Node<'t>>) {
        let children = self.push_named_non_comment_children(node);
        let (mut value, mut alias) = (None, None);
        let mut at = 0;
        while let Some(child) = self.child_at_index(children, at) {
            at += 1;
            if child.field == Field::Alias || (value.is_some() && alias.is_none()) {
                alias = Some(child.node);
            } else if value.is_none() {
                value = Some(child.node);
            }
        }
        self.pop_children(children);
        (value, alias)
    }

    fn bind_except_clause(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) {
        let mut caught = builder.unknown_expr();
        self.for_each_named_non_comment_child(builder, node, |binder, builder, child| {
            match (child.field, binder.kind_of_node(child.node)) {
                (_, Kind::AsPattern) => {
                    let (value, alias) = binder.as_pattern_value_and_target(child.node);
                    let types = value
                        .map_or(builder.unknown_expr(), |value| binder.type_in_except_or_isinstance(builder, value));
                    if let Some(alias) = alias {
                        let value = binder.instance_expr_of_type(builder, types);
                        binder.bind_target_names_to_value_parts(builder, alias, value, alias.end_byte());
                    }
                }
                (Field::Alias, _) => {
                    let value = binder.instance_expr_of_type(builder, caught);
                    binder.bind_target_names_to_value_parts(builder, child.node, value, child.node.end_byte());
                }
                (_, Kind::Block) => binder.bind_child_statements_without_flow_block(builder, child.node),
                _ => caught = binder.type_in_except_or_isinstance(builder, child.node),
            }
        });
    }

    /// The type in the argument of `except` or `isinstance`: a class `A`, or a tuple of classes `(A, B)`.
    pub(super) fn type_in_except_or_isinstance(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> ExprId {
        match self.kind_of_node(node) {
            Kind::Tuple => builder.run_with_depth_limit(node, |builder| {
                let mut types = Vec::new();
                self.for_each_named_non_comment_child(builder, node, |binder, builder, child| {
                    types.push(binder.type_in_except_or_isinstance(builder, child.node))
                });
                builder.expr_of_possible_values(types)
            }),
            Kind::ParenthesizedExpression => match self.only_or_first_child(node) {
                Some(inner) => {
                    builder.run_with_depth_limit(inner, |builder| self.type_in_except_or_isinstance(builder, inner))
                }
                None => builder.unknown_expr(),
            },
            _ => self.bind_names_and_get_value(builder, node, Role::Read),
        }
    }

    pub(super) fn instance_expr_of_type(&mut self, builder: &mut NamesBuilder<'_>, of: ExprId) -> ExprId {
        if of == builder.unknown_expr() { of } else { builder.add_expr(Expr::Instance { of }) }
    }

    fn record_delete_target(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) {
        match self.kind_of_node(node) {
            Kind::ExpressionList | Kind::Tuple | Kind::List | Kind::ParenthesizedExpression => {
                builder.run_with_depth_limit(node, |builder| {
                    self.for_each_named_non_comment_child(builder, node, |binder, builder, child| {
                        binder.record_delete_target(builder, child.node)
                    })
                });
            }
            _ => {
                self.bind_names_and_get_value(builder, node, Role::Write);
            }
        }
    }

    fn bind_global_or_nonlocal_statement(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) {
        let is_global = self.kind_of_node(node) == Kind::GlobalStatement;
        self.for_each_named_non_comment_child(builder, node, |binder, builder, child| {
            let name = builder.name_id_of_node(child.node);
            let scope = if is_global { FILE_SCOPE } else { binder.nonlocal_scope_of_name(builder, name) };
            if binder.frame.body_kind == BodyKind::Function {
                binder.frame.redirected_names.push((name, scope));
            }
            binder.run_in_scope(scope, |binder| binder.record_name_use(builder, child.node, Role::Read));
        });
    }

    /// The scope of the nearest enclosing function that binds `name`: the scope that `nonlocal` refers to.
    fn nonlocal_scope_of_name(&self, builder: &NamesBuilder<'_>, name: crate::names::NameId) -> u32 {
        let mut at = builder.parent_scope(self.frame.binding_scope);
        let mut nearest = None;
        while let Some(scope) = at {
            if builder.scope_kind(scope) == ScopeKind::Function {
                nearest = nearest.or(Some(scope));
                if self.bound.contains_key(&(scope, name)) {
                    return scope;
                }
            }
            at = builder.parent_scope(scope);
        }
        nearest.unwrap_or(self.frame.binding_scope)
    }

    fn bind_assert_statement(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) {
        let mark = self.narrowings.len();
        let mut first = true;
        self.for_each_named_non_comment_child(builder, node, |binder, builder, child| {
            if std::mem::take(&mut first) {
                binder.record_condition_names_and_narrowings(builder, child.node);
            } else {
                binder.bind_names_and_get_value(builder, child.node, Role::Read);
            }
        });
        let recorded: Vec<_> = self.narrowings.drain(mark.min(self.narrowings.len())..).collect();
        for narrowing in recorded.iter().filter(|narrowing| !narrowing.is_negated) {
            if let Some(flow) = &self.frame.flow {
                let end = flow.end_offset_of_current_block();
                self.apply_narrowing_until_offset(builder, narrowing, end);
            }
        }
    }

    fn bind_type_alias(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) {
        let [left, right] = self.first_children_in_fields(node, [Field::Left, Field::Right]);
        let mut name = left;
        let mut parameters = None;
        // The grammar nests the name of `type A[T] = …` in a generic type, which is nested in a type.
        while let Some(inner) = name.filter(|name| self.kind_of_node(*name) != Kind::Identifier) {
            let children = self.push_named_non_comment_children(inner);
            name = self.child_at_index(children, 0).map(|child| child.node);
            if self.kind_of_node(inner) == Kind::GenericType {
                parameters = self.child_at_index(children, 1).map(|child| child.node);
            }
            self.pop_children(children);
        }
        let Some(name) = name else { return };
        let binding = self.bind_definition_in_current_scope(builder, BindingKind::TypeAlias, name);
        let scope = builder.add_child_scope(self.scope, ScopeKind::Block, node);
        let meant = self.run_in_scope(scope, |binder| {
            if let Some(parameters) = parameters {
                binder.bind_type_parameters(builder, parameters, scope);
            }
            right.map(|right| binder.type_expr(builder, right))
        });
        builder.binding_mut(binding).annotation = meant;
        self.record_assignment_for_flow(builder, binding, node.end_byte(), false);
    }
}

/// Whether a string literal contains interpolated code, as an f-string may.
fn may_contain_string_interpolation(node: Node<'_>) -> bool {
    // A string without interpolation has three parts: its opening quote, its text and its closing quote.
    node.named_child_count() > 3 || node.kind() == "concatenated_string"
}
