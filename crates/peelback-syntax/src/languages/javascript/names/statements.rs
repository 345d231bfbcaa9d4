//! Name binding for JavaScript statements.

use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::{Binder, ExprContext};
use crate::names::{BindingKind, NamesBuilder, ScopeKind};

impl<'t> Binder<'t> {
    /// Binds the names in a statement, or in any other node that has no value.
    pub(super) fn bind_node_without_value(&mut self, kind: Kind, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        match kind {
            Kind::StatementBlock | Kind::SwitchBody => {
                let scope = self.add_scope_inside_current(ScopeKind::Block, node, builder);
                let mark = self.narrowings.len();
                self.run_in_scope(scope, |this| this.bind_names_in_children(node, builder));
                self.narrowings.truncate(mark);
            }
            Kind::VarDeclaration | Kind::LexicalDeclaration => self.bind_variable_declaration(kind, node, builder),
            Kind::FunctionDeclaration => self.bind_function_declaration(node, builder),
            Kind::ClassDeclaration => self.bind_class_declaration(node, builder),
            Kind::Interface => self.bind_interface_declaration(node, builder),
            Kind::TypeAlias => self.bind_type_alias(node, builder),
            Kind::Enum => self.bind_enum_declaration(node, builder),
            Kind::Module => self.bind_namespace_or_module(node, builder),
            Kind::Ambient => self.bind_ambient_declaration(node, builder),
            Kind::ImportAlias => self.bind_import_equals_alias(node, builder),
            Kind::ImportStatement => self.bind_import_statement(node, builder),
            Kind::ExportStatement => self.bind_export_statement(node, builder),
            Kind::If => self.bind_if_statement(node, builder),
            Kind::For => {
                let scope = self.add_scope_inside_current(ScopeKind::Block, node, builder);
                self.run_in_scope(scope, |this| this.bind_names_in_children(node, builder));
            }
            Kind::ForIn => self.bind_for_in_or_of_statement(node, builder),
            Kind::Catch => self.bind_catch_clause(node, builder),
            Kind::Return => self.record_returned_value(node, builder),
            // Near a parse error, types and members may appear where a statement is expected.
            Kind::TypeAnnotation | Kind::TypePredicate | Kind::TypeArguments | Kind::PredefinedType => {
                self.type_expr(node, builder);
            }
            Kind::GenericType
            | Kind::ObjectType
            | Kind::ArrayType
            | Kind::TupleType
            | Kind::UnionType
            | Kind::IntersectionType
            | Kind::FunctionType
            | Kind::ConstructorType
            | Kind::TypeQuery
            | Kind::KeyOf
            | Kind::LookupType
            | Kind::ConditionalType
            | Kind::InferType
            | Kind::WrappedType
            | Kind::TemplateType
            | Kind::NestedTypeIdentifier
            | Kind::TypeIdentifier
            | Kind::MappedType => {
                self.type_expr(node, builder);
            }
            Kind::ObjectPattern | Kind::ArrayPattern | Kind::RestPattern | Kind::AssignmentPattern => {
                let unknown = builder.unknown_expr();
                self.record_assignment_to_pattern(node, unknown, builder);
            }
            Kind::Method => self.bind_stray_method(node, builder),
            Kind::ShorthandProperty | Kind::ShorthandPattern => {
                self.record_identifier_use_and_get_value(node, crate::names::Role::Read, builder);
            }
            Kind::PropertyIdentifier => {
                let unknown = builder.unknown_expr();
                builder.record_member_use(unknown, node, crate::names::Role::Member);
            }
            _ => self.bind_names_in_children(node, builder),
        }
    }

    /// Binds the names in a `var`, `let`, `const` or `using` declaration.
    fn bind_variable_declaration(&mut self, kind: Kind, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let scope = if kind == Kind::VarDeclaration { self.hoist_scope } else { self.scope };
        let is_constant = node.child(0).is_some_and(|word| word.kind() == "const");
        self.for_each_named_or_unnamed_child(node, builder, |this, child, _, builder| {
            if this.kind_of_node(child) == Kind::Declarator {
                let first = builder.names.bindings.len();
                this.bind_variable_declarator(child, scope, builder);
                if is_constant {
                    // The bindings of functions and objects in the value have other scopes.
                    let declared = builder.names.bindings.iter_mut().skip(first);
                    for binding in declared.filter(|binding| binding.scope == scope) {
                        binding.constant = binding.kind == BindingKind::Variable;
                    }
                }
            } else {
                this.bind_names_and_get_value(child, ExprContext::READ, builder);
            }
        });
    }

    fn bind_if_statement(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let mark = self.narrowings.len();
        let (mut condition, mut leaves) = (None, false);
        self.for_each_named_or_unnamed_child(node, builder, |this, child, field, builder| match field {
            Field::Condition => {
                condition = Some(child);
                this.bind_names_and_get_value(child, ExprContext::READ, builder);
                this.record_instanceof_narrowings(child, builder);
            }
            Field::Consequence => {
                leaves = this.is_or_ends_with_exit_statement(child);
                this.bind_names_and_get_value(child, ExprContext::READ, builder);
                this.narrowings.truncate(mark);
            }
            _ => {
                this.bind_names_and_get_value(child, ExprContext::READ, builder);
            }
        });
        // After `if (!(x instanceof Foo)) return;` the rest of the block narrows `x` to `Foo`.
        if leaves
            && let Some(condition) = condition
            && let Some(denied) = self.operand_of_negated_condition(condition, builder)
        {
            self.record_instanceof_narrowings(denied, builder);
        }
    }

    /// Whether a statement ends its enclosing block: `return`, `throw`, `continue` or `break`.
    fn is_or_ends_with_exit_statement(&self, node: Node<'t>) -> bool {
        match node.kind() {
            "return_statement" | "throw_statement" | "continue_statement" | "break_statement" => true,
            "statement_block" => {
                let last = u32::try_from(node.named_child_count()).unwrap_or(0).checked_sub(1);
                last.and_then(|last| node.named_child(last)).is_some_and(|last| {
                    matches!(
                        last.kind(),
                        "return_statement" | "throw_statement" | "continue_statement" | "break_statement"
                    )
                })
            }
            _ => false,
        }
    }

    /// The operand `x` of a negated condition such as `(!(x))`.
    fn operand_of_negated_condition(
        &mut self,
        condition: Node<'t>,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<Node<'t>> {
        let inside = match self.kind_of_node(condition) {
            Kind::Transparent => self.first_named_non_comment_child(condition, builder)?,
            _ => condition,
        };
        if self.kind_of_node(inside) != Kind::Unary {
            return None;
        }
        let (mut not, mut argument) = (false, None);
        self.for_each_named_or_unnamed_child(inside, builder, |this, child, _, _| {
            not |= this.kind_of_node(child) == Kind::NotToken;
            if child.is_named() {
                argument = Some(child);
            }
        });
        argument.filter(|_| not)
    }

    fn bind_for_in_or_of_statement(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let scope = self.add_scope_inside_current(ScopeKind::Block, node, builder);
        let (mut declared, mut left, mut right, mut body, mut of) = (None, None, None, None, false);
        self.for_each_named_or_unnamed_child(node, builder, |this, child, field, _| match field {
            Field::Kind => declared = Some(this.kind_of_node(child)),
            Field::Left => left = Some(child),
            Field::Right => right = Some(child),
            Field::Body => body = Some(child),
            Field::Operator => of = this.kind_of_node(child) == Kind::OfToken,
            _ => {}
        });
        let iterated = right
            .map_or(builder.unknown_expr(), |right| self.bind_names_and_get_value(right, ExprContext::READ, builder));
        let value = if of { Self::element_or_awaited_expr(iterated, builder) } else { builder.unknown_expr() };
        self.run_in_scope(scope, |this| {
            if let Some(left) = left {
                match declared {
                    Some(Kind::VarToken) => {
                        this.bind_pattern(left, this.hoist_scope, BindingKind::Variable, value, builder)
                    }
                    Some(_) => this.bind_pattern(left, scope, BindingKind::Variable, value, builder),
                    None => this.record_assignment_to_pattern(left, value, builder),
                }
            }
            if let Some(body) = body {
                this.bind_names_and_get_value(body, ExprContext::READ, builder);
            }
        });
    }

    fn bind_catch_clause(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let scope = self.add_scope_inside_current(ScopeKind::Block, node, builder);
        self.run_in_scope(scope, |this| {
            this.for_each_named_or_unnamed_child(node, builder, |this, child, field, builder| match field {
                Field::Parameter => {
                    let unknown = builder.unknown_expr();
                    this.bind_pattern(child, scope, BindingKind::Variable, unknown, builder);
                }
                Field::Type => {
                    this.type_of_annotation(child, builder);
                }
                _ => {
                    this.bind_names_and_get_value(child, ExprContext::READ, builder);
                }
            });
        });
    }

    fn record_returned_value(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let context = ExprContext::with_expected_value(self.body.expected);
        let mut value = builder.unknown_expr();
        self.for_each_named_or_unnamed_child(node, builder, |this, child, _, builder| {
            if child.is_named() && !this.is_comment(child) {
                value = this.bind_names_and_get_value(child, context, builder);
            }
        });
        if !self.body.is_generator {
            self.body.returns.push(value);
        }
    }
}
