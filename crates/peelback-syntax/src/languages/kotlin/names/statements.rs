//! Name binding of Kotlin's statements, and of the expressions that contain statements.

use tree_sitter::Node;

use super::expected::ExpectedFunction;
use super::{Binder, Kind};
use crate::names::{BindingKind, ExprId, NamesBuilder, ScopeId, ScopeKind};

/// The limit on the number of alternatives from which the value of `when` is taken.
const MAX_ALTERNATIVES: usize = 12;

impl<'t> Binder<'t> {
    /// Binds the statements that are the children of a node. What a test tells holds up to the end of the block.
    pub(super) fn bind_statements(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.value_of_block(node, scope, builder);
    }

    /// Binds the statements of a block, and returns the value of the last one.
    fn value_of_block(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let narrowed = self.narrowed.len();
        let mut last = builder.unknown_expr();
        self.for_each_child(node, builder, |binder, child, builder| {
            last = binder.bind_statement(child, scope, builder);
            binder.narrow_after_statement(child, builder);
        });
        self.narrowed.truncate(narrowed);
        last
    }

    /// Binds a statement, and returns its value if it is an expression.
    pub(super) fn bind_statement(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        self.expected_function = None;
        match self.kind(node) {
            Kind::Block => builder.run_with_depth_limit(node, |builder| {
                let inside = builder.add_child_scope(scope, ScopeKind::Block, node);
                self.value_of_block(node, inside, builder)
            }),
            Kind::Assignment => builder.run_with_depth_limit(node, |builder| {
                self.bind_assignment(node, scope, builder);
                builder.unknown_expr()
            }),
            Kind::PropertyDeclaration => builder.run_with_depth_limit(node, |builder| {
                self.bind_property(node, scope, None, builder);
                builder.unknown_expr()
            }),
            Kind::FunctionDeclaration => builder.run_with_depth_limit(node, |builder| {
                self.bind_function(node, scope, None, builder);
                builder.unknown_expr()
            }),
            Kind::ClassDeclaration | Kind::ObjectDeclaration | Kind::CompanionObject => {
                builder.run_with_depth_limit(node, |builder| {
                    self.bind_type_declaration(node, scope, builder);
                    builder.unknown_expr()
                })
            }
            Kind::TypeAlias => builder.run_with_depth_limit(node, |builder| {
                self.bind_type_alias(node, scope, builder);
                builder.unknown_expr()
            }),
            Kind::ForStatement => builder.run_with_depth_limit(node, |builder| {
                self.bind_for(node, scope, builder);
                builder.unknown_expr()
            }),
            Kind::WhileStatement | Kind::DoWhileStatement => builder.run_with_depth_limit(node, |builder| {
                self.bind_while(node, scope, builder);
                builder.unknown_expr()
            }),
            Kind::Annotation => {
                self.bind_annotation(node, scope, builder);
                builder.unknown_expr()
            }
            Kind::PackageHeader | Kind::Import | Kind::Label => builder.unknown_expr(),
            Kind::Error => builder.run_with_depth_limit(node, |builder| {
                self.for_each_child(node, builder, |binder, child, builder| {
                    binder.bind_statement(child, scope, builder);
                });
                builder.unknown_expr()
            }),
            _ => self.value(node, scope, builder),
        }
    }

    fn bind_for(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let inside = builder.add_child_scope(scope, ScopeKind::Block, node);
        let children = self.all_children(node);
        let sign = children.iter().position(|child| child.kind() == "in").unwrap_or(0);
        let (before, after) = children.split_at(sign);
        let mut element = builder.unknown_expr();
        let mut body = after.iter().copied().filter(Node::is_named);
        if let Some(iterated) = body.next() {
            let of = self.value(iterated, inside, builder);
            let sign = children.get(sign).copied().unwrap_or(iterated);
            element = self.iterated_element(of, sign, builder);
        }
        for child in before {
            match self.kind(*child) {
                Kind::VariableDeclaration => {
                    let place = (BindingKind::Variable, inside);
                    self.bind_variable_declaration(*child, place, element, child.end_byte(), builder);
                }
                Kind::MultiVariableDeclaration => {
                    self.bind_destructured(*child, (BindingKind::Variable, inside), element, child.end_byte(), builder);
                }
                Kind::Annotation => self.bind_annotation(*child, inside, builder),
                _ => {}
            }
        }
        for statement in body {
            self.bind_statement(statement, inside, builder);
        }
    }

    fn bind_while(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let inside = builder.add_child_scope(scope, ScopeKind::Block, node);
        let condition = self.field(node, self.grammar.condition);
        let narrowed = self.narrowed.len();
        let is_tested_first = self.kind(node) == Kind::WhileStatement;
        for child in self.named_children(node) {
            if Some(child) == condition {
                self.value(child, inside, builder);
                if is_tested_first {
                    self.narrow_by_condition(child, true, builder);
                }
            } else {
                self.bind_statement(child, inside, builder);
            }
        }
        self.narrowed.truncate(narrowed);
    }

    /// The value of `if (…) a else b`.
    pub(super) fn if_value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        expected: Option<ExpectedFunction>,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let condition = self.field(node, self.grammar.condition);
        if let Some(condition) = condition {
            self.value(condition, scope, builder);
        }
        let narrowed = self.narrowed.len();
        let mut values = Vec::new();
        let mut is_else = false;
        for child in self.all_children(node) {
            if child.kind() == "else" {
                is_else = true;
            }
            if !child.is_named() || Some(child) == condition {
                continue;
            }
            if let Some(condition) = condition {
                self.narrow_by_condition(condition, !is_else, builder);
            }
            values.push(self.branch_value(child, scope, expected, builder));
            self.narrowed.truncate(narrowed);
        }
        if !is_else {
            return builder.unknown_expr();
        }
        builder.expr_of_possible_values(values)
    }

    /// The value of a branch, which has a scope of its own.
    fn branch_value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        expected: Option<ExpectedFunction>,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        match self.kind(node) {
            Kind::Block | Kind::Assignment | Kind::PropertyDeclaration | Kind::ForStatement | Kind::WhileStatement => {
                self.bind_statement(node, scope, builder)
            }
            _ => {
                self.expected_function = expected;
                self.value(node, scope, builder)
            }
        }
    }

    /// The value of `when`.
    pub(super) fn when_value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        expected: Option<ExpectedFunction>,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let inside = builder.add_child_scope(scope, ScopeKind::Block, node);
        let mut path = None;
        let mut subject = builder.unknown_expr();
        let mut values = Vec::new();
        self.for_each_child(node, builder, |binder, child, builder| match binder.kind(child) {
            Kind::WhenSubject => (path, subject) = binder.bind_when_subject(child, inside, builder),
            Kind::WhenEntry => {
                let mark = binder.narrowed.len();
                let entry = builder.add_child_scope(inside, ScopeKind::Block, child);
                let mut types = Vec::new();
                let parts = binder.all_children(child);
                let arrow = parts.iter().position(|part| part.kind() == "->").unwrap_or(parts.len());
                let mut condition_count = 0;
                for part in parts.iter().take(arrow).filter(|part| part.is_named()) {
                    condition_count += 1;
                    match binder.kind(*part) {
                        Kind::TypeTest => {
                            let is_negated = binder.has_token(*part, "!is");
                            if let Some(written) = binder.find_child(*part, |binder, child| binder.is_type(child)) {
                                let of = binder.type_expr(written, entry, builder);
                                if !is_negated {
                                    types.push(of);
                                }
                            }
                        }
                        Kind::RangeTest => {
                            let of = binder.first_named_child(*part);
                            if let Some(of) = of {
                                let of = binder.value(of, entry, builder);
                                let sign = binder.sign_of(*part, &["in", "!in"]);
                                binder.operator_call(of, "contains", &[subject], sign, builder);
                            }
                        }
                        _ => {
                            binder.value(*part, entry, builder);
                            if condition_count == 1 && path.is_none() {
                                binder.narrow_by_condition(*part, true, builder);
                            }
                        }
                    }
                }
                if let (Some(path), true) = (&path, !types.is_empty() && types.len() == condition_count) {
                    let of = builder.expr_of_possible_values(types);
                    binder.narrowed.push((path.clone(), of));
                }
                for part in parts.iter().skip(arrow + 1).filter(|part| part.is_named()) {
                    values.push(binder.branch_value(*part, entry, expected, builder));
                }
                binder.narrowed.truncate(mark);
            }
            _ => {
                binder.value(child, inside, builder);
            }
        });
        values.truncate(MAX_ALTERNATIVES);
        builder.expr_of_possible_values(values)
    }

    /// Binds what `when` compares, and returns the path of names that it is, and its value.
    fn bind_when_subject(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> (Option<String>, ExprId) {
        let children = self.named_children(node);
        let declared = children.iter().copied().find(|child| self.kind(*child) == Kind::VariableDeclaration);
        let Some(subject) = children.last().copied().filter(|last| Some(*last) != declared) else {
            return (None, builder.unknown_expr());
        };
        let value = self.value(subject, scope, builder);
        let path = match declared {
            Some(declared) => {
                let place = (BindingKind::Variable, scope);
                self.bind_variable_declaration(declared, place, value, node.end_byte(), builder);
                let name = self.child_of_kind(declared, Kind::Identifier);
                name.map(|name| builder.text_of_node(name).to_owned())
            }
            None => self.path_of_names(subject, builder),
        };
        (path, value)
    }

    /// The value of `try`.
    pub(super) fn try_value(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let mut values = Vec::new();
        self.for_each_child(node, builder, |binder, child, builder| match binder.kind(child) {
            Kind::CatchBlock => {
                let inside = builder.add_child_scope(scope, ScopeKind::Block, child);
                let parts = binder.named_children(child);
                let name = parts.iter().copied().find(|part| binder.kind(*part) == Kind::Identifier);
                let written = parts.iter().copied().find(|part| binder.is_type(*part));
                let annotation = written.map(|written| binder.type_expr(written, inside, builder));
                if let Some(name) = name {
                    let local = binder.bind_definition(inside, BindingKind::Variable, name, builder);
                    builder.binding_mut(local).annotation = annotation;
                }
                for part in parts {
                    match binder.kind(part) {
                        Kind::Block => values.push(binder.bind_statement(part, inside, builder)),
                        Kind::Annotation => binder.bind_annotation(part, inside, builder),
                        _ => {}
                    }
                }
            }
            Kind::FinallyBlock => {
                if let Some(block) = binder.child_of_kind(child, Kind::Block) {
                    binder.bind_statement(block, scope, builder);
                }
            }
            _ => values.push(binder.bind_statement(child, scope, builder)),
        });
        values.truncate(MAX_ALTERNATIVES);
        builder.expr_of_possible_values(values)
    }
}
