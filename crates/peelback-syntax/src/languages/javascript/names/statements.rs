//! Statements.

use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::{Binder, ExprContext};
use crate::names::{BindingKind, NamesBuilder, ScopeKind};

impl<'t> Binder<'t> {
    /// Reads a node that has no value.
    pub(super) fn statement(&mut self, kind: Kind, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        match kind {
            Kind::StatementBlock | Kind::SwitchBody => {
                let scope = self.open(ScopeKind::Block, node, builder);
                let narrowed = self.narrowed.len();
                self.within(scope, |this| this.children(node, builder));
                self.narrowed.truncate(narrowed);
            }
            Kind::VarDeclaration | Kind::LexicalDeclaration => self.variables(kind, node, builder),
            Kind::FunctionDeclaration => self.function_declaration(node, builder),
            Kind::ClassDeclaration => self.class_declaration(node, builder),
            Kind::Interface => self.interface(node, builder),
            Kind::TypeAlias => self.type_alias(node, builder),
            Kind::Enum => self.enumeration(node, builder),
            Kind::Module => self.namespace(node, builder),
            Kind::Ambient => self.ambient(node, builder),
            Kind::ImportAlias => self.import_alias(node, builder),
            Kind::ImportStatement => self.import(node, builder),
            Kind::ExportStatement => self.export(node, builder),
            Kind::If => self.conditional(node, builder),
            Kind::For => {
                let scope = self.open(ScopeKind::Block, node, builder);
                self.within(scope, |this| this.children(node, builder));
            }
            Kind::ForIn => self.for_in(node, builder),
            Kind::Catch => self.catch(node, builder),
            Kind::Return => self.returned(node, builder),
            // Where the parser lost its way, types and members stand alone.
            Kind::TypeAnnotation | Kind::TypePredicate | Kind::TypeArguments | Kind::PredefinedType => {
                self.ty(node, builder);
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
                self.ty(node, builder);
            }
            Kind::ObjectPattern | Kind::ArrayPattern | Kind::RestPattern | Kind::AssignmentPattern => {
                let unknown = builder.unknown();
                self.assign_pattern(node, unknown, builder);
            }
            Kind::Method => self.stray_method(node, builder),
            Kind::ShorthandProperty | Kind::ShorthandPattern => {
                self.identifier(node, crate::names::Role::Read, builder);
            }
            Kind::PropertyIdentifier => {
                let unknown = builder.unknown();
                builder.use_member(unknown, node, crate::names::Role::Member);
            }
            _ => self.children(node, builder),
        }
    }

    /// `var`, `let`, `const`, `using`.
    fn variables(&mut self, kind: Kind, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let scope = if kind == Kind::VarDeclaration { self.hoist } else { self.scope };
        self.each(node, builder, |this, child, _, builder| {
            if this.kind(child) == Kind::Declarator {
                this.declarator(child, scope, builder);
            } else {
                this.value(child, ExprContext::READ, builder);
            }
        });
    }

    fn conditional(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let narrowed = self.narrowed.len();
        let (mut condition, mut leaves) = (None, false);
        self.each(node, builder, |this, child, field, builder| match field {
            Field::Condition => {
                condition = Some(child);
                this.value(child, ExprContext::READ, builder);
                this.narrow(child, builder);
            }
            Field::Consequence => {
                leaves = this.leaves(child);
                this.value(child, ExprContext::READ, builder);
                this.narrowed.truncate(narrowed);
            }
            _ => {
                this.value(child, ExprContext::READ, builder);
            }
        });
        // After `if (!(x instanceof Foo)) return;` what follows in the block knows what `x` is.
        if leaves
            && let Some(condition) = condition
            && let Some(denied) = self.denied(condition, builder)
        {
            self.narrow(denied, builder);
        }
    }

    /// Whether a statement ends the block that it stands in.
    fn leaves(&self, node: Node<'t>) -> bool {
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

    /// `x` of `(!(x))`.
    fn denied(&mut self, condition: Node<'t>, builder: &mut NamesBuilder<'_>) -> Option<Node<'t>> {
        let inside = match self.kind(condition) {
            Kind::Transparent => self.inner(condition, builder)?,
            _ => condition,
        };
        if self.kind(inside) != Kind::Unary {
            return None;
        }
        let (mut not, mut argument) = (false, None);
        self.each(inside, builder, |this, child, _, _| {
            not |= this.kind(child) == Kind::NotToken;
            if child.is_named() {
                argument = Some(child);
            }
        });
        argument.filter(|_| not)
    }

    fn for_in(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let scope = self.open(ScopeKind::Block, node, builder);
        let (mut declared, mut left, mut right, mut body, mut of) = (None, None, None, None, false);
        self.each(node, builder, |this, child, field, _| match field {
            Field::Kind => declared = Some(this.kind(child)),
            Field::Left => left = Some(child),
            Field::Right => right = Some(child),
            Field::Body => body = Some(child),
            Field::Operator => of = this.kind(child) == Kind::OfToken,
            _ => {}
        });
        let iterated = right.map_or(builder.unknown(), |right| self.value(right, ExprContext::READ, builder));
        let value = if of { Self::element(iterated, builder) } else { builder.unknown() };
        self.within(scope, |this| {
            if let Some(left) = left {
                match declared {
                    Some(Kind::VarToken) => this.bind_pattern(left, this.hoist, BindingKind::Variable, value, builder),
                    Some(_) => this.bind_pattern(left, scope, BindingKind::Variable, value, builder),
                    None => this.assign_pattern(left, value, builder),
                }
            }
            if let Some(body) = body {
                this.value(body, ExprContext::READ, builder);
            }
        });
    }

    fn catch(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let scope = self.open(ScopeKind::Block, node, builder);
        self.within(scope, |this| {
            this.each(node, builder, |this, child, field, builder| match field {
                Field::Parameter => {
                    let unknown = builder.unknown();
                    this.bind_pattern(child, scope, BindingKind::Variable, unknown, builder);
                }
                Field::Type => {
                    this.annotation(child, builder);
                }
                _ => {
                    this.value(child, ExprContext::READ, builder);
                }
            });
        });
    }

    fn returned(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let context = ExprContext::expected(self.body.expected);
        let mut value = builder.unknown();
        self.each(node, builder, |this, child, _, builder| {
            if child.is_named() && !this.is_comment(child) {
                value = this.value(child, context, builder);
            }
        });
        if !self.body.generator {
            self.body.returns.push(value);
        }
    }
}
