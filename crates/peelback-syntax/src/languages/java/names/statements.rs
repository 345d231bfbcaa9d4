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
            Kind::IfStatement | Kind::WhileStatement | Kind::DoStatement => {
                self.bind_conditional_statement(node, scope, builder);
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

    /// Binds an `if`, `while` or `do`. Names that a pattern of the condition binds are in scope behind the statement only if
    /// what follows runs where the pattern matched: `if (!(o instanceof T t)) return;`.
    fn bind_conditional_statement(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let condition = self.field(node, self.grammar.condition);
        let is_followed_by_match = condition.is_some_and(|condition| self.binds_names_if_false(condition, builder))
            && match self.field(node, self.grammar.consequence) {
                Some(then) => self.field(node, self.grammar.alternative).is_none() && self.is_left_by_jump(then),
                None => true,
            };
        let inside = match is_followed_by_match {
            true => scope,
            false => builder.add_child_scope(scope, ScopeKind::Block, node),
        };
        self.bind_statements(node, inside, builder);
    }

    /// Whether a condition that is false binds names of patterns.
    fn binds_names_if_false(&self, condition: Node<'t>, builder: &NamesBuilder<'_>) -> bool {
        let mut next = vec![(condition, false)];
        while let Some((node, result)) = next.pop() {
            match self.kind(node) {
                Kind::InstanceofExpression if result => return true,
                Kind::ParenthesizedExpression => {
                    let inner = (0..u32::try_from(node.named_child_count()).unwrap_or(0).min(MAX_COMMENTS))
                        .filter_map(|at| node.named_child(at))
                        .find(|child| !self.is_comment(*child));
                    next.extend(inner.map(|inner| (inner, result)));
                }
                Kind::UnaryExpression => {
                    let is_not =
                        self.field(node, self.grammar.operator).is_some_and(|of| builder.text_of_node(of) == "!");
                    let operand = self.field(node, self.grammar.operand).filter(|_| is_not);
                    next.extend(operand.map(|operand| (operand, !result)));
                }
                Kind::BinaryExpression => {
                    let operator =
                        self.field(node, self.grammar.operator).map_or("", |operator| builder.text_of_node(operator));
                    if operator == if result { "&&" } else { "||" } {
                        let sides = [self.grammar.left, self.grammar.right];
                        next.extend(sides.iter().filter_map(|side| self.field(node, *side)).map(|side| (side, result)));
                    }
                }
                _ => {}
            }
        }
        false
    }

    /// Whether what follows a statement does not run behind it, as far as its last statement shows.
    fn is_left_by_jump(&self, mut node: Node<'t>) -> bool {
        loop {
            match self.kind(node) {
                Kind::ReturnStatement
                | Kind::ThrowStatement
                | Kind::BreakStatement
                | Kind::ContinueStatement
                | Kind::YieldStatement => return true,
                Kind::Block => {
                    let count = u32::try_from(node.named_child_count()).unwrap_or(0);
                    let last = (0..count)
                        .rev()
                        .take(MAX_COMMENTS as usize)
                        .filter_map(|at| node.named_child(at))
                        .find(|child| !self.is_comment(*child));
                    match last {
                        Some(last) => node = last,
                        None => return false,
                    }
                }
                _ => return false,
            }
        }
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
                // Names that a pattern in the value binds belong to the value alone.
                let around = match binder.kind(value) {
                    Kind::BinaryExpression
                    | Kind::InstanceofExpression
                    | Kind::ParenthesizedExpression
                    | Kind::TernaryExpression
                    | Kind::UnaryExpression => builder.add_child_scope(scope, ScopeKind::Block, value),
                    _ => scope,
                };
                let value = binder.value_for_type(value, around, annotation, builder);
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

/// The limit on the number of comments that are passed over to find a statement or an expression.
const MAX_COMMENTS: u32 = 8;

/// Whether a statement of this kind has statements or expressions as its children, and no scope of its own.
fn is_statement_with_statements(kind: &str) -> bool {
    matches!(
        kind,
        "synchronized_statement"
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
