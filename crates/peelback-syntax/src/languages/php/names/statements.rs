//! Name binding of PHP's statements.

use tree_sitter::Node;

use super::members::Modifiers;
use super::{Binder, Kind};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId};

impl<'t> Binder<'t> {
    /// Binds the statements that are the children of a node.
    pub(super) fn bind_statements(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let mut doc = None;
        self.for_each_named_child(node, builder, |binder, child, builder| match binder.kind(child) {
            Kind::Comment => binder.read_comment_between_statements(child, &mut doc, builder),
            _ => binder.bind_statement_with_doc(child, doc.take(), scope, builder),
        });
    }

    pub(super) fn bind_statement(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.bind_statement_with_doc(node, None, scope, builder);
    }

    pub(super) fn bind_statement_with_doc(
        &mut self,
        node: Node<'t>,
        doc: Option<Node<'t>>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        builder.run_with_depth_limit(node, |builder| match self.kind(node) {
            Kind::CompoundStatement => self.bind_statements(node, scope, builder),
            Kind::ClassDeclaration | Kind::InterfaceDeclaration | Kind::TraitDeclaration | Kind::EnumDeclaration => {
                self.bind_type_declaration(node, doc, scope, builder);
            }
            Kind::FunctionDefinition => self.bind_function_definition(node, doc, builder),
            Kind::NamespaceUseDeclaration => self.bind_use_declaration(node, builder),
            Kind::ConstDeclaration => {
                let scope = self.namespace.scope;
                self.bind_const_elements(node, scope, BindingKind::Variable, Modifiers::default(), builder);
            }
            Kind::IfStatement => self.bind_if(node, scope, builder),
            Kind::WhileStatement | Kind::DoStatement | Kind::ForStatement => self.bind_loop(node, scope, builder),
            Kind::ForeachStatement => self.bind_foreach(node, scope, builder),
            Kind::SwitchStatement => self.bind_switch(node, scope, builder),
            Kind::TryStatement => self.bind_try(node, scope, builder),
            Kind::ReturnStatement => {
                let value = self.first_named_child(node).map(|value| self.value(value, scope, builder));
                if let (Some(value), Some(function)) = (value, self.functions.last_mut()) {
                    function.returned.push(value);
                }
            }
            Kind::GlobalDeclaration => self.bind_global_declaration(node, scope, builder),
            Kind::FunctionStaticDeclaration => {
                self.for_each_named_non_comment_child(node, builder, |binder, declaration, builder| {
                    if binder.kind(declaration) != Kind::StaticVariableDeclaration {
                        return;
                    }
                    let value = binder.field(declaration, binder.grammar.value);
                    let value = value.map_or(builder.unknown_expr(), |value| binder.value(value, scope, builder));
                    if let Some(name) = binder.field(declaration, binder.grammar.name) {
                        binder.assign_variable(name, value, scope, builder);
                        // The variable keeps what an earlier call assigned to it.
                        let name = builder.name_id_of_node(name);
                        binder.forget_current_value(name);
                    }
                });
            }
            Kind::NamedLabelStatement | Kind::GotoStatement => {}
            Kind::ExpressionStatement => self.bind_children(node, scope, builder),
            // Broken source may have a member in place of a statement.
            Kind::MethodDeclaration | Kind::PropertyDeclaration => {
                let members = builder.add_child_scope(scope, crate::names::ScopeKind::Type, node);
                self.bind_member(node, doc, members, builder);
            }
            Kind::FormalParameters | Kind::NamespaceDefinition => {}
            _ => self.bind_children(node, scope, builder),
        });
        self.pending_variables.clear();
    }

    /// Binds the children of a node, statements or expressions.
    pub(super) fn bind_children(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let mut doc = None;
        self.for_each_named_child(node, builder, |binder, child, builder| {
            if binder.is_comment(child) {
                binder.read_comment_between_statements(child, &mut doc, builder);
            } else if is_statement(child.kind()) || binder.kind(child) == Kind::Error {
                binder.bind_statement_with_doc(child, doc.take(), scope, builder);
            } else {
                binder.value(child, scope, builder);
            }
        });
    }

    fn bind_if(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let condition = self.field(node, self.grammar.condition);
        if let Some(condition) = condition {
            self.value(condition, scope, builder);
        }
        let body = self.field(node, self.grammar.body);
        let mut forgotten = Vec::new();
        let mut is_body_left = false;
        if let Some(body) = body {
            let start = self.begin_branch();
            if let Some(condition) = condition {
                self.apply_types_told_by_condition(condition, true, builder);
            }
            self.bind_statement(body, scope, builder);
            let assigned = self.end_branch(start);
            is_body_left = self.is_left_by_jump(body);
            if !is_body_left {
                forgotten.extend(assigned);
            }
        }
        let mut alternatives = Vec::new();
        let mut cursor = self.cursors.take_cursor(node);
        alternatives.extend(node.children_by_field_id(
            std::num::NonZeroU16::new(self.grammar.alternative).unwrap_or(std::num::NonZeroU16::MIN),
            &mut cursor,
        ));
        self.cursors.return_cursor(cursor);
        let has_alternative = !alternatives.is_empty();
        let around = self.begin_branch();
        if let (true, Some(condition)) = (has_alternative, condition) {
            self.apply_types_told_by_condition(condition, false, builder);
        }
        for alternative in alternatives {
            let tested = self.field(alternative, self.grammar.condition);
            if let Some(tested) = tested {
                self.value(tested, scope, builder);
            }
            let Some(body) = self.field(alternative, self.grammar.body) else { continue };
            let start = self.begin_branch();
            if let Some(tested) = tested {
                self.apply_types_told_by_condition(tested, true, builder);
            }
            self.bind_statement(body, scope, builder);
            let assigned = self.end_branch(start);
            if !self.is_left_by_jump(body) {
                forgotten.extend(assigned);
            }
        }
        forgotten.extend(self.end_branch(around));
        forgotten.sort_unstable();
        forgotten.dedup();
        self.forget_assigned(forgotten);
        if let (false, true, Some(condition)) = (has_alternative, is_body_left, condition) {
            self.apply_types_told_by_condition(condition, false, builder);
        }
    }

    fn bind_loop(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let start = self.begin_loop();
        let condition = self.field(node, self.grammar.condition);
        let is_while = self.kind(node) == Kind::WhileStatement;
        self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
            if is_statement(child.kind()) {
                binder.bind_statement(child, scope, builder);
            } else {
                binder.value(child, scope, builder);
            }
            if is_while && Some(child) == condition {
                binder.apply_types_told_by_condition(child, true, builder);
            }
        });
        let assigned = self.end_branch(start);
        self.forget_assigned(assigned);
    }

    fn bind_foreach(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let body = self.field(node, self.grammar.body);
        let parts = self.named_children(node, builder);
        let mut parts = parts.into_iter().filter(|part| Some(*part) != body);
        let pending = std::mem::take(&mut self.pending_variables);
        let of = parts.next().map_or(builder.unknown_expr(), |all| self.value(all, scope, builder));
        self.pending_variables = pending;
        let start = self.begin_loop();
        if let Some(target) = parts.next() {
            let element = match of == builder.unknown_expr() {
                true => of,
                false => builder.add_expr(Expr::Element { of }),
            };
            match self.kind(target) {
                Kind::Pair => {
                    let sides = self.named_children(target, builder);
                    if let Some(key) = sides.first() {
                        let value = builder.unknown_expr();
                        self.assign(*key, value, scope, builder);
                    }
                    if let Some(value) = sides.get(1) {
                        self.assign(*value, element, scope, builder);
                    }
                }
                _ => self.assign(target, element, scope, builder),
            }
        }
        if let Some(body) = body {
            self.bind_statement(body, scope, builder);
        }
        let assigned = self.end_branch(start);
        self.forget_assigned(assigned);
    }

    fn bind_switch(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        if let Some(condition) = self.field(node, self.grammar.condition) {
            self.value(condition, scope, builder);
        }
        let Some(body) = self.field(node, self.grammar.body) else { return };
        let mut forgotten = Vec::new();
        self.for_each_named_non_comment_child(body, builder, |binder, case, builder| {
            let start = binder.begin_branch();
            if let Some(value) = binder.field(case, binder.grammar.value) {
                binder.value(value, scope, builder);
                binder.apply_types_told_by_condition(value, true, builder);
            }
            let value = binder.field(case, binder.grammar.value);
            let mut doc = None;
            binder.for_each_named_child(case, builder, |binder, child, builder| match binder.kind(child) {
                Kind::Comment => binder.read_comment_between_statements(child, &mut doc, builder),
                _ if Some(child) == value => {}
                _ => binder.bind_statement_with_doc(child, doc.take(), scope, builder),
            });
            forgotten.extend(binder.end_branch(start));
        });
        forgotten.sort_unstable();
        forgotten.dedup();
        self.forget_assigned(forgotten);
    }

    fn bind_try(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let mut forgotten = Vec::new();
        self.for_each_named_non_comment_child(node, builder, |binder, part, builder| {
            let start = binder.begin_branch();
            if binder.kind(part) == Kind::CatchClause {
                let mut of: Vec<ExprId> = Vec::new();
                if let Some(list) = binder.field(part, binder.grammar.r#type) {
                    binder.for_each_named_non_comment_child(list, builder, |binder, written, builder| {
                        of.push(binder.type_expr(written, scope, builder).expr);
                    });
                }
                if let Some(name) = binder.field(part, binder.grammar.name) {
                    let of = builder.expr_of_possible_values(of);
                    let value = builder.add_expr(Expr::Instance { of });
                    binder.assign_variable(name, value, scope, builder);
                }
                if let Some(body) = binder.field(part, binder.grammar.body) {
                    binder.bind_statement(body, scope, builder);
                }
            } else if is_statement(part.kind()) {
                binder.bind_statement(part, scope, builder);
            } else {
                binder.bind_children(part, scope, builder);
            }
            forgotten.extend(binder.end_branch(start));
        });
        forgotten.sort_unstable();
        forgotten.dedup();
        self.forget_assigned(forgotten);
    }

    /// Binds what an assignment writes: variables, members, elements, or a list of them.
    pub(super) fn assign(&mut self, target: Node<'t>, value: ExprId, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        match self.kind(target) {
            Kind::VariableName => self.assign_variable(target, value, scope, builder),
            Kind::ByRef | Kind::ParenthesizedExpression => {
                if let Some(inner) = self.first_named_child(target) {
                    builder.run_with_depth_limit(inner, |builder| self.assign(inner, value, scope, builder));
                }
            }
            Kind::MemberAccessExpression | Kind::NullsafeMemberAccessExpression => {
                builder.run_with_depth_limit(target, |builder| {
                    let member = self.member_access_value(target, scope, Role::Write, builder);
                    self.note_assigned_property(member, value, builder);
                });
            }
            Kind::ScopedPropertyAccessExpression => {
                builder.run_with_depth_limit(target, |builder| {
                    let member = self.scoped_property_value(target, scope, Role::Write, builder);
                    self.note_assigned_property(member, value, builder);
                });
            }
            Kind::SubscriptExpression => {
                builder.run_with_depth_limit(target, |builder| self.assign_element(target, value, scope, builder));
            }
            Kind::ListLiteral | Kind::ArrayCreationExpression => {
                builder.run_with_depth_limit(target, |builder| self.assign_list(target, value, scope, builder));
            }
            _ => {
                self.value(target, scope, builder);
            }
        }
    }

    /// Binds `$a[] = …`, which adds an element to what the variable or property holds.
    fn assign_element(&mut self, target: Node<'t>, value: ExprId, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let parts = self.named_children(target, builder);
        for index in parts.iter().skip(1) {
            self.value(*index, scope, builder);
        }
        let Some(base) = parts.first().copied() else { return };
        let array = match value == builder.unknown_expr() {
            true => value,
            false => self.array_of_values(vec![value], builder),
        };
        match self.kind(base) {
            Kind::VariableName if builder.text_of_node(base) != "$this" => {
                let name = builder.name_id_of_node(base);
                let is_known = self.functions.last().is_some_and(|function| function.has_local(name));
                if is_known {
                    self.variable_value(base, scope, Role::Read, builder);
                    self.add_local_value(name, array);
                    self.forget_current_value(name);
                } else {
                    self.assign_variable(base, array, scope, builder);
                    self.forget_current_value(name);
                }
            }
            Kind::MemberAccessExpression => {
                let member = self.member_access_value(base, scope, Role::Member, builder);
                self.note_assigned_property(member, array, builder);
            }
            Kind::ScopedPropertyAccessExpression => {
                let member = self.scoped_property_value(base, scope, Role::Member, builder);
                self.note_assigned_property(member, array, builder);
            }
            Kind::SubscriptExpression => {
                builder.run_with_depth_limit(base, |builder| self.assign_element(base, array, scope, builder));
            }
            _ => {
                self.value(base, scope, builder);
            }
        }
    }

    /// Binds `[$a, $b] = …` and `list('k' => $a) = …`.
    fn assign_list(&mut self, target: Node<'t>, value: ExprId, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let is_known = value != builder.unknown_expr();
        let mut cursor = self.cursors.take_cursor(target);
        // Each part is the nodes between two commas.
        let mut parts: Vec<Vec<Node<'t>>> = vec![Vec::new()];
        if cursor.goto_first_child() {
            loop {
                let child = cursor.node();
                if child.kind() == "," {
                    parts.push(Vec::new());
                } else if child.is_named() && !self.is_comment(child) {
                    parts.last_mut().into_iter().for_each(|part| part.push(child));
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.cursors.return_cursor(cursor);
        for (index, part) in (0_u32..).zip(parts) {
            let mut nodes = part;
            if let [initializer] = nodes.as_slice()
                && self.kind(*initializer) == Kind::ArrayElementInitializer
            {
                nodes = self.named_children(*initializer, builder);
            }
            let item = match (nodes.len(), is_known) {
                (1, true) => builder.add_expr(Expr::Item { of: value, index }),
                (2.., true) => builder.add_expr(Expr::Element { of: value }),
                _ => builder.unknown_expr(),
            };
            if let [key, _] = nodes.as_slice() {
                self.value(*key, scope, builder);
            }
            if let Some(target) = nodes.last() {
                self.assign(*target, item, scope, builder);
            }
        }
    }

    /// Notes what is assigned to a property of the type around it that has no declared type.
    fn note_assigned_property(&mut self, member: ExprId, value: ExprId, builder: &NamesBuilder<'_>) {
        let Expr::Member { base, name, .. } = builder.names.expr_by_id(member) else { return };
        let is_own = match builder.names.expr_by_id(base) {
            Expr::This { .. } | Expr::ThisType { .. } => true,
            Expr::Bound { binding } => self.open_types.last().is_some_and(|open| open.binding == binding),
            _ => false,
        };
        if !is_own || value == builder.unknown_expr() {
            return;
        }
        if let Some((_, values)) = self.open_types.last_mut().and_then(|open| open.untyped_properties.get_mut(&name))
            && values.len() < MAX_ASSIGNED
        {
            values.push(value);
        }
    }
}

/// The limit on the number of values of one property.
const MAX_ASSIGNED: usize = 64;

/// Whether nodes of this kind are statements, or contain some.
pub(super) fn is_statement(kind: &str) -> bool {
    kind.ends_with("_statement")
        || kind.ends_with("_declaration")
        || kind.ends_with("_definition")
        || matches!(kind, "colon_block" | "else_clause" | "else_if_clause" | "finally_clause" | "switch_block")
}
