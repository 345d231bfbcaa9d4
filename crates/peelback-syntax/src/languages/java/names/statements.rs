//! Name binding of Java's statements.

use tree_sitter::Node;

use super::lambdas::ExpectedFunction;
use super::{Binder, Kind};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, ScopeId, ScopeKind};

impl<'t> Binder<'t> {
    /// Binds the statements that are the children of a node.
    pub(super) fn bind_statements(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
            binder.bind_statement(child, scope, builder)
        });
    }

    pub(super) fn bind_statement(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.expected_function = None;
        builder.run_with_depth_limit(node, |builder| match self.kind(node) {
            Kind::Block | Kind::ForStatement | Kind::TryStatement | Kind::TryWithResourcesStatement => {
                let inside = builder.add_child_scope(scope, ScopeKind::Block, node);
                self.bind_statements(node, inside, builder);
            }
            Kind::ConstructorBody | Kind::Error => self.bind_statements(node, scope, builder),
            Kind::LocalVariableDeclaration => self.bind_local_variables(node, scope, builder),
            Kind::EnhancedForStatement => self.bind_enhanced_for(node, scope, builder),
            Kind::CatchClause => self.bind_catch(node, scope, builder),
            Kind::Resource => self.bind_resource(node, scope, builder),
            Kind::ReturnStatement => self.bind_return(node, scope, builder),
            Kind::LabeledStatement => {
                // A label is local to its statement and gets no occurrence.
                self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
                    if binder.kind(child) != Kind::Identifier {
                        binder.bind_statement(child, scope, builder);
                    }
                });
            }
            Kind::BreakStatement | Kind::ContinueStatement => {}
            Kind::ExplicitConstructorInvocation => self.bind_explicit_constructor_call(node, scope, builder),
            Kind::ClassDeclaration
            | Kind::InterfaceDeclaration
            | Kind::EnumDeclaration
            | Kind::RecordDeclaration
            | Kind::AnnotationTypeDeclaration => self.bind_type_declaration(node, scope, builder),
            Kind::PackageDeclaration | Kind::ImportDeclaration | Kind::ModuleDeclaration => {
                self.bind_top_level_node(node, builder)
            }
            // Broken source may have a member in place of a statement.
            Kind::MethodDeclaration | Kind::FieldDeclaration | Kind::ConstructorDeclaration => {
                let inside = builder.add_child_scope(scope, ScopeKind::Function, node);
                self.bind_statements_of_misplaced_member(node, inside, builder);
            }
            Kind::FormalParameters => {
                self.bind_parameters(node, scope, builder);
            }
            Kind::SwitchExpression => {
                self.switch_value(node, scope, builder);
            }
            _ if is_statement_with_statements(node.kind()) => self.bind_statements(node, scope, builder),
            _ => {
                self.value(node, scope, builder);
            }
        });
    }

    fn bind_statements_of_misplaced_member(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let name = self.field(node, self.grammar.name);
        let written = self.field(node, self.grammar.r#type);
        self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
            if Some(child) == written {
                binder.type_expr(child, scope, builder);
            } else if Some(child) != name {
                binder.bind_statement(child, scope, builder);
            }
        });
    }

    fn bind_local_variables(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.bind_modifiers(node, scope, builder);
        let declared = self.declared_type(node, scope, builder);
        self.for_each_named_non_comment_child(node, builder, |binder, declarator, builder| {
            if binder.kind(declarator) != Kind::VariableDeclarator {
                return;
            }
            let Some(name) = binder.field(declarator, binder.grammar.name) else { return };
            let dimensions = binder.field(declarator, binder.grammar.dimensions);
            let annotation = declared.map(|declared| binder.array_type_expr(declared, dimensions, scope, builder));
            let local = (binder.kind(name) == Kind::Identifier).then(|| {
                let local = binder.bind_local_name(name, BindingKind::Variable, scope, name.end_byte(), builder);
                builder.binding_mut(local).annotation = annotation;
                local
            });
            if let Some(value) = binder.field(declarator, binder.grammar.value) {
                let value = binder.value_for_type(value, scope, annotation, builder);
                if let Some(local) = local {
                    binder.set_value(local, value, builder);
                }
            }
        });
    }

    /// The type that a declaration writes; `None` for `var`.
    fn declared_type(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> Option<ExprId> {
        let written = self.field(node, self.grammar.r#type)?;
        if builder.text_of_node(written) == "var" {
            return None;
        }
        Some(self.type_expr(written, scope, builder))
    }

    fn bind_enhanced_for(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let scope = builder.add_child_scope(scope, ScopeKind::Block, node);
        self.bind_modifiers(node, scope, builder);
        let declared = self.declared_type(node, scope, builder);
        let of = self.value_in_field(node, self.grammar.value, scope, builder);
        if let Some(name) = self.field(node, self.grammar.name).filter(|name| self.kind(*name) == Kind::Identifier) {
            let local = self.bind_local_name(name, BindingKind::Variable, scope, name.end_byte(), builder);
            let dimensions = self.field(node, self.grammar.dimensions);
            match declared {
                Some(declared) => {
                    let annotation = self.array_type_expr(declared, dimensions, scope, builder);
                    builder.binding_mut(local).annotation = Some(annotation);
                }
                None => {
                    let element = builder.add_expr(Expr::Element { of });
                    self.set_value(local, element, builder);
                }
            }
        }
        if let Some(body) = self.field(node, self.grammar.body) {
            self.bind_statement(body, scope, builder);
        }
    }

    fn bind_catch(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let scope = builder.add_child_scope(scope, ScopeKind::Block, node);
        if let Some(parameter) = self.child_of_kind(node, Kind::CatchFormalParameter) {
            self.bind_modifiers(parameter, scope, builder);
            let written = self.child_of_kind(parameter, Kind::CatchType);
            let annotation = written.map(|written| self.type_expr(written, scope, builder));
            let name = self.field(parameter, self.grammar.name).filter(|name| self.kind(*name) == Kind::Identifier);
            if let Some(name) = name {
                let local = self.bind_local_name(name, BindingKind::Variable, scope, name.end_byte(), builder);
                builder.binding_mut(local).annotation = annotation;
            }
        }
        if let Some(body) = self.field(node, self.grammar.body) {
            self.bind_statement(body, scope, builder);
        }
    }

    /// Binds the resource of a `try`: a variable that is declared there, or an expression.
    fn bind_resource(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let Some(name) = self.field(node, self.grammar.name) else {
            self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
                binder.value(child, scope, builder);
            });
            return;
        };
        self.bind_modifiers(node, scope, builder);
        let annotation = self.declared_type(node, scope, builder);
        let value = self.value_in_field(node, self.grammar.value, scope, builder);
        if self.kind(name) == Kind::Identifier {
            let local = self.bind_local_name(name, BindingKind::Variable, scope, name.end_byte(), builder);
            builder.binding_mut(local).annotation = annotation;
            self.set_value(local, value, builder);
        }
    }

    fn bind_return(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let Some(returned) = self.first_named_child(node) else { return };
        let declared = self.open_functions.last().and_then(|open| open.returned_type);
        self.expected_function = declared.map(ExpectedFunction::Type);
        let value = self.value(returned, scope, builder);
        if let Some(open) = self.open_functions.last_mut().filter(|open| open.returned_type.is_none()) {
            open.returned.push(value);
        }
    }

    /// Binds the names in a `switch`, and returns the value that it yields.
    pub(super) fn switch_value(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let tested = self.value_in_field(node, self.grammar.condition, scope, builder);
        let Some(body) = self.field(node, self.grammar.body) else { return builder.unknown_expr() };
        let inside = builder.add_child_scope(scope, ScopeKind::Block, body);
        let mut yielded = Vec::new();
        self.for_each_named_non_comment_child(body, builder, |binder, group, builder| {
            let is_rule = binder.kind(group) == Kind::SwitchRule;
            let scope = match is_rule {
                true => builder.add_child_scope(inside, ScopeKind::Block, group),
                // A variable of one group is visible in the next ones.
                false => inside,
            };
            binder.for_each_named_non_comment_child(group, builder, |binder, child, builder| {
                match binder.kind(child) {
                    Kind::SwitchLabel => binder.bind_switch_label(child, tested, scope, builder),
                    Kind::ExpressionStatement if is_rule => {
                        if let Some(value) = binder.first_named_child(child) {
                            yielded.push(binder.value(value, scope, builder));
                        }
                    }
                    _ => binder.bind_statement(child, scope, builder),
                }
            });
        });
        yielded.truncate(MAX_YIELDED);
        builder.expr_of_possible_values(yielded)
    }
}

/// The limit on the number of alternatives from which the type of a `switch` is taken.
const MAX_YIELDED: usize = 8;

/// Whether a statement of this kind has statements or expressions as its children, and no scope of its own.
fn is_statement_with_statements(kind: &str) -> bool {
    matches!(
        kind,
        "if_statement"
            | "while_statement"
            | "do_statement"
            | "synchronized_statement"
            | "finally_clause"
            | "resource_specification"
            | "expression_statement"
            | "throw_statement"
            | "assert_statement"
            | "yield_statement"
            | "parenthesized_expression"
            | "switch_block_statement_group"
            | "program"
    )
}
