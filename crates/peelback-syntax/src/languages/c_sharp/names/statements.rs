//! Name binding of C#'s statements.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, ScopeId, ScopeKind};

impl<'t> Binder<'t> {
    /// Binds the statements that are the children of a node.
    pub(super) fn bind_statements(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let condition = match self.kind(node) {
            Kind::PreprocIf | Kind::PreprocElif => self.field(node, self.grammar.condition),
            _ => None,
        };
        self.for_each_child(node, builder, |binder, child, builder| {
            if Some(child) != condition {
                binder.bind_statement(child, scope, builder);
            }
        });
    }

    pub(super) fn bind_statement(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.expected_function = None;
        self.expected_type = None;
        builder.run_with_depth_limit(node, |builder| match self.kind(node) {
            Kind::Block | Kind::ForStatement | Kind::UsingStatement | Kind::FixedStatement | Kind::WhileStatement => {
                let inside = builder.add_child_scope(scope, ScopeKind::Block, node);
                self.bind_statements(node, inside, builder);
            }
            Kind::VariableDeclaration => self.bind_local_variables(node, scope, builder),
            Kind::ForeachStatement => self.bind_foreach(node, scope, builder),
            Kind::CatchClause => self.bind_catch(node, scope, builder),
            Kind::ReturnStatement => self.bind_return(node, scope, builder),
            Kind::SwitchStatement => self.bind_switch(node, scope, builder),
            Kind::LocalFunctionStatement => self.bind_local_function(node, scope, builder),
            Kind::LabeledStatement => {
                let label = self.first_child(node);
                self.for_each_child(node, builder, |binder, child, builder| {
                    if Some(child) != label {
                        binder.bind_statement(child, scope, builder);
                    }
                });
            }
            Kind::GotoStatement => {
                if self.has_token(node, "case") {
                    self.bind_values_in(node, scope, builder);
                }
            }
            Kind::BreakStatement | Kind::ContinueStatement | Kind::Modifier => {}
            Kind::AttributeList => self.bind_attributes_in(node, scope, builder),
            Kind::UsingDirective | Kind::NamespaceDeclaration => {
                let inside = builder.add_child_scope(scope, ScopeKind::Block, node);
                self.bind_declarations_of_namespace(node, inside, builder);
            }
            Kind::ParameterList => {
                self.bind_parameters(node, scope, builder);
            }
            _ if self.is_type_declaration(node) => self.bind_type_declaration(node, scope, builder),
            _ if self.is_member(node) => self.bind_member_outside_of_type(node, scope, builder),
            _ if self.is_statement_with_statements(node) => self.bind_statements(node, scope, builder),
            _ => {
                self.value(node, scope, builder);
            }
        });
    }

    /// Whether a statement has statements or expressions as its children, and no scope of its own. Names that a pattern in the
    /// condition of an `if` binds are in scope behind it.
    fn is_statement_with_statements(&self, node: Node<'t>) -> bool {
        matches!(
            node.kind(),
            "expression_statement"
                | "if_statement"
                | "do_statement"
                | "lock_statement"
                | "checked_statement"
                | "unsafe_statement"
                | "throw_statement"
                | "try_statement"
                | "finally_clause"
                | "catch_filter_clause"
                | "local_declaration_statement"
                | "yield_statement"
                | "global_statement"
                | "preproc_if"
                | "preproc_else"
                | "preproc_elif"
                | "declaration_list"
                | "compilation_unit"
        ) || self.kind(node) == Kind::Error
    }

    pub(super) fn bind_local_variables(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let declared = self.declared_type(node, scope, builder);
        self.for_each_child(node, builder, |binder, declarator, builder| {
            if binder.kind(declarator) != Kind::VariableDeclarator {
                return;
            }
            let name = binder.field(declarator, binder.grammar.name);
            let tuple = binder.child_of_kind(declarator, Kind::TuplePattern);
            let local = name.map(|name| {
                let local = binder.bind_local_name(name, BindingKind::Variable, scope, name.end_byte(), builder);
                builder.binding_mut(local).annotation = declared;
                local
            });
            let target = name.or(tuple);
            let value = binder.last_child(declarator, builder).filter(|value| Some(*value) != target);
            let value = match value {
                Some(value) => binder.value_for_type(value, scope, declared, builder),
                None => return,
            };
            if let Some(local) = local {
                binder.set_value(local, value, builder);
            } else if let Some(tuple) = tuple {
                binder.bind_tuple_pattern(tuple, value, scope, builder);
            }
        });
    }

    /// Binds the names of `(a, b)` to the items of a value.
    pub(super) fn bind_tuple_pattern(
        &mut self,
        node: Node<'t>,
        of: ExprId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let mut index = 0;
        self.for_each_child(node, builder, |binder, child, builder| {
            let item = builder.add_expr(Expr::Item { of, index });
            index += 1;
            match binder.kind(child) {
                Kind::Identifier => {
                    let local = binder.bind_local_name(child, BindingKind::Variable, scope, child.end_byte(), builder);
                    binder.set_value(local, item, builder);
                }
                Kind::TuplePattern | Kind::ParenthesizedVariableDesignation => builder
                    .run_with_depth_limit(child, |builder| binder.bind_tuple_pattern(child, item, scope, builder)),
                _ => {}
            }
        });
    }

    fn bind_foreach(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let scope = builder.add_child_scope(scope, ScopeKind::Block, node);
        let declared = self.declared_type(node, scope, builder);
        let of = self.value_in_field(node, self.grammar.right, scope, builder);
        let element = self.operator_value("foreach", &[of], builder);
        if let Some(left) = self.field(node, self.grammar.left) {
            match self.kind(left) {
                Kind::Identifier => {
                    let local = self.bind_local_name(left, BindingKind::Variable, scope, left.end_byte(), builder);
                    match declared {
                        Some(declared) => builder.binding_mut(local).annotation = Some(declared),
                        None => self.set_value(local, element, builder),
                    }
                }
                Kind::TuplePattern => self.bind_tuple_pattern(left, element, scope, builder),
                _ => self.bind_deconstruction(left, element, scope, builder),
            }
        }
        if let Some(body) = self.field(node, self.grammar.body) {
            self.bind_statement(body, scope, builder);
        }
    }

    fn bind_catch(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let scope = builder.add_child_scope(scope, ScopeKind::Block, node);
        self.for_each_child(node, builder, |binder, child, builder| {
            if binder.kind(child) != Kind::CatchDeclaration {
                binder.bind_statement(child, scope, builder);
                return;
            }
            let declared = binder.declared_type(child, scope, builder);
            if let Some(name) = binder.field(child, binder.grammar.name) {
                let local = binder.bind_local_name(name, BindingKind::Variable, scope, name.end_byte(), builder);
                builder.binding_mut(local).annotation = declared;
            }
        });
    }

    fn bind_return(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let returned = self.find_child(node, |binder, child| {
            child.is_named() || matches!(binder.kind(child), Kind::This | Kind::Base)
        });
        let Some(returned) = returned else { return };
        let declared = self.open_functions.last().and_then(|open| open.returned_type);
        let value = self.value_for_type(returned, scope, declared, builder);
        if let Some(open) = self.open_functions.last_mut().filter(|open| open.returned_type.is_none()) {
            open.returned.push(value);
        }
    }

    fn bind_switch(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let tested = self.value_in_field(node, self.grammar.value, scope, builder);
        let Some(body) = self.field(node, self.grammar.body) else { return };
        let inside = builder.add_child_scope(scope, ScopeKind::Block, body);
        self.for_each_child(body, builder, |binder, section, builder| {
            if binder.kind(section) != Kind::SwitchSection {
                binder.bind_statement(section, inside, builder);
                return;
            }
            let has_label = binder.has_token(section, "case");
            let mut is_first = true;
            binder.for_each_child(section, builder, |binder, child, builder| {
                if std::mem::take(&mut is_first) && has_label {
                    binder.bind_pattern(child, tested, inside, builder);
                } else if binder.kind(child) == Kind::WhenClause {
                    binder.bind_values_in(child, inside, builder);
                } else {
                    binder.bind_statement(child, inside, builder);
                }
            });
        });
    }
}
