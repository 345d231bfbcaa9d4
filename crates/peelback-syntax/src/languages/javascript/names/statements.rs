//! Statements.

use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::{Binder, Want};
use crate::names::{BindingKind, Cx, ScopeKind};

impl<'t> Binder<'t> {
    /// Reads a node that has no value.
    pub(super) fn statement(&mut self, kind: Kind, node: Node<'t>, cx: &mut Cx<'_>) {
        match kind {
            Kind::StatementBlock | Kind::SwitchBody => {
                let scope = self.open(ScopeKind::Block, node, cx);
                let narrowed = self.narrowed.len();
                self.within(scope, |this| this.children(node, cx));
                self.narrowed.truncate(narrowed);
            }
            Kind::VarDeclaration | Kind::LexicalDeclaration => self.variables(kind, node, cx),
            Kind::FunctionDeclaration => self.function_declaration(node, cx),
            Kind::ClassDeclaration => self.class_declaration(node, cx),
            Kind::Interface => self.interface(node, cx),
            Kind::TypeAlias => self.type_alias(node, cx),
            Kind::Enum => self.enumeration(node, cx),
            Kind::Module => self.namespace(node, cx),
            Kind::Ambient => self.ambient(node, cx),
            Kind::ImportAlias => self.import_alias(node, cx),
            Kind::ImportStatement => self.import(node, cx),
            Kind::ExportStatement => self.export(node, cx),
            Kind::If => self.conditional(node, cx),
            Kind::For => {
                let scope = self.open(ScopeKind::Block, node, cx);
                self.within(scope, |this| this.children(node, cx));
            }
            Kind::ForIn => self.for_in(node, cx),
            Kind::Catch => self.catch(node, cx),
            Kind::Return => self.returned(node, cx),
            // Where the parser lost its way, types and members stand alone.
            Kind::TypeAnnotation | Kind::TypePredicate | Kind::TypeArguments | Kind::PredefinedType => {
                self.ty(node, cx);
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
                self.ty(node, cx);
            }
            Kind::ObjectPattern | Kind::ArrayPattern | Kind::RestPattern | Kind::AssignmentPattern => {
                let unknown = cx.unknown();
                self.assign_pattern(node, unknown, cx);
            }
            Kind::Method => self.stray_method(node, cx),
            Kind::ShorthandProperty | Kind::ShorthandPattern => {
                self.identifier(node, crate::names::Role::Read, cx);
            }
            Kind::PropertyIdentifier => {
                let unknown = cx.unknown();
                cx.use_member(unknown, node, crate::names::Role::Member);
            }
            _ => self.children(node, cx),
        }
    }

    /// `var`, `let`, `const`, `using`.
    fn variables(&mut self, kind: Kind, node: Node<'t>, cx: &mut Cx<'_>) {
        let scope = if kind == Kind::VarDeclaration { self.hoist } else { self.scope };
        self.each(node, cx, |this, child, _, cx| {
            if this.kind(child) == Kind::Declarator {
                this.declarator(child, scope, cx);
            } else {
                this.value(child, Want::READ, cx);
            }
        });
    }

    fn conditional(&mut self, node: Node<'t>, cx: &mut Cx<'_>) {
        let narrowed = self.narrowed.len();
        let (mut condition, mut leaves) = (None, false);
        self.each(node, cx, |this, child, field, cx| match field {
            Field::Condition => {
                condition = Some(child);
                this.value(child, Want::READ, cx);
                this.narrow(child, cx);
            }
            Field::Consequence => {
                leaves = this.leaves(child);
                this.value(child, Want::READ, cx);
                this.narrowed.truncate(narrowed);
            }
            _ => {
                this.value(child, Want::READ, cx);
            }
        });
        // After `if (!(x instanceof Foo)) return;` what follows in the block knows what `x` is.
        if leaves
            && let Some(condition) = condition
            && let Some(denied) = self.denied(condition, cx)
        {
            self.narrow(denied, cx);
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
    fn denied(&mut self, condition: Node<'t>, cx: &mut Cx<'_>) -> Option<Node<'t>> {
        let inside = match self.kind(condition) {
            Kind::Transparent => self.inner(condition, cx)?,
            _ => condition,
        };
        if self.kind(inside) != Kind::Unary {
            return None;
        }
        let (mut not, mut argument) = (false, None);
        self.each(inside, cx, |this, child, _, _| {
            not |= this.kind(child) == Kind::NotToken;
            if child.is_named() {
                argument = Some(child);
            }
        });
        argument.filter(|_| not)
    }

    fn for_in(&mut self, node: Node<'t>, cx: &mut Cx<'_>) {
        let scope = self.open(ScopeKind::Block, node, cx);
        let (mut declared, mut left, mut right, mut body, mut of) = (None, None, None, None, false);
        self.each(node, cx, |this, child, field, _| match field {
            Field::Kind => declared = Some(this.kind(child)),
            Field::Left => left = Some(child),
            Field::Right => right = Some(child),
            Field::Body => body = Some(child),
            Field::Operator => of = this.kind(child) == Kind::OfToken,
            _ => {}
        });
        let iterated = right.map_or(cx.unknown(), |right| self.value(right, Want::READ, cx));
        let value = if of { Self::element(iterated, cx) } else { cx.unknown() };
        self.within(scope, |this| {
            if let Some(left) = left {
                match declared {
                    Some(Kind::VarToken) => this.bind_pattern(left, this.hoist, BindingKind::Variable, value, cx),
                    Some(_) => this.bind_pattern(left, scope, BindingKind::Variable, value, cx),
                    None => this.assign_pattern(left, value, cx),
                }
            }
            if let Some(body) = body {
                this.value(body, Want::READ, cx);
            }
        });
    }

    fn catch(&mut self, node: Node<'t>, cx: &mut Cx<'_>) {
        let scope = self.open(ScopeKind::Block, node, cx);
        self.within(scope, |this| {
            this.each(node, cx, |this, child, field, cx| match field {
                Field::Parameter => {
                    let unknown = cx.unknown();
                    this.bind_pattern(child, scope, BindingKind::Variable, unknown, cx);
                }
                Field::Type => {
                    this.annotation(child, cx);
                }
                _ => {
                    this.value(child, Want::READ, cx);
                }
            });
        });
    }

    fn returned(&mut self, node: Node<'t>, cx: &mut Cx<'_>) {
        let want = Want::expected(self.body.expected);
        let mut value = cx.unknown();
        self.each(node, cx, |this, child, _, cx| {
            if child.is_named() && !this.is_comment(child) {
                value = this.value(child, want, cx);
            }
        });
        if !self.body.generator {
            self.body.returns.push(value);
        }
    }
}
