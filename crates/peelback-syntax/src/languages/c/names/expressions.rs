//! Expressions: what their names mean and what they give.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{Cx, Expr, ExprId, FILE_SCOPE, Role, ScopeId};

impl<'t> Binder<'t> {
    /// The value of `node`; `role` is what its name does there.
    pub(super) fn value(&mut self, node: Node<'t>, scope: ScopeId, role: Role, cx: &mut Cx<'_>) -> ExprId {
        match self.g.kind(node) {
            Kind::Identifier => {
                if node.is_missing() {
                    return cx.unknown();
                }
                cx.use_name(node, scope, role)
            }
            Kind::NumberLiteral | Kind::StringLiteral | Kind::CharLiteral | Kind::PrimitiveType | Kind::Comment => {
                cx.unknown()
            }
            Kind::FieldIdentifier => {
                let unknown = cx.unknown();
                cx.use_member(unknown, node, Role::Member)
            }
            Kind::TypeIdentifier | Kind::TypeDescriptor | Kind::SizedTypeSpecifier | Kind::MacroTypeSpecifier => {
                self.type_of(node, scope, cx)
            }
            _ => cx.deeper(node, |cx| self.made_value(node, scope, role, cx)),
        }
    }

    fn optional(&mut self, node: Option<Node<'t>>, scope: ScopeId, cx: &mut Cx<'_>) -> ExprId {
        match node {
            Some(node) => self.value(node, scope, Role::Read, cx),
            None => cx.unknown(),
        }
    }

    /// The value of an expression that is made of others.
    fn made_value(&mut self, node: Node<'t>, scope: ScopeId, role: Role, cx: &mut Cx<'_>) -> ExprId {
        match self.g.kind(node) {
            Kind::FieldExpression => {
                let argument = self.field(node, self.g.argument);
                let base = self.optional(argument, scope, cx);
                match self.field(node, self.g.field) {
                    Some(name) => cx.use_member(base, name, if role == Role::Read { Role::Member } else { role }),
                    None => base,
                }
            }
            Kind::CallExpression => {
                let callee = match self.field(node, self.g.function) {
                    Some(function) => self.value(function, scope, Role::Call, cx),
                    None => cx.unknown(),
                };
                if let Some(arguments) = self.field(node, self.g.arguments) {
                    self.items(arguments, scope, cx);
                }
                cx.expr(Expr::Call { callee })
            }
            Kind::PointerExpression => {
                let argument = self.field(node, self.g.argument);
                self.optional(argument, scope, cx)
            }
            Kind::ParenthesizedExpression | Kind::ExtensionExpression => match self.first_child(node) {
                Some(inner) if self.g.kind(inner) != Kind::CompoundStatement => self.value(inner, scope, role, cx),
                _ => {
                    self.items(node, scope, cx);
                    cx.unknown()
                }
            },
            Kind::SubscriptExpression => {
                let argument = self.field(node, self.g.argument);
                let array = self.optional(argument, scope, cx);
                self.each(node, cx, |binder, child, cx| {
                    if Some(child) != argument {
                        binder.item(child, scope, cx);
                    }
                });
                array
            }
            Kind::CastExpression => {
                let of = match self.field(node, self.g.r#type) {
                    Some(written) => self.type_of(written, scope, cx),
                    None => cx.unknown(),
                };
                let value = self.field(node, self.g.value);
                let value = self.optional(value, scope, cx);
                if of == cx.unknown() { value } else { cx.expr(Expr::Instance { of }) }
            }
            Kind::CompoundLiteralExpression => {
                let of = match self.field(node, self.g.r#type) {
                    Some(written) => self.type_of(written, scope, cx),
                    None => cx.unknown(),
                };
                let made = if of == cx.unknown() { of } else { cx.expr(Expr::Instance { of }) };
                if let Some(value) = self.field(node, self.g.value) {
                    self.initialiser(value, made, true, scope, cx);
                }
                made
            }
            Kind::InitializerList => {
                let unknown = cx.unknown();
                self.initialiser(node, unknown, true, scope, cx);
                unknown
            }
            Kind::AssignmentExpression => {
                let target = match self.field(node, self.g.left) {
                    Some(left) => self.value(left, scope, Role::Write, cx),
                    None => cx.unknown(),
                };
                let right = self.field(node, self.g.right);
                self.optional(right, scope, cx);
                target
            }
            Kind::UpdateExpression => match self.field(node, self.g.argument) {
                Some(argument) => self.value(argument, scope, Role::Write, cx),
                None => cx.unknown(),
            },
            Kind::ConditionalExpression => {
                let condition = self.field(node, self.g.condition);
                self.optional(condition, scope, cx);
                let first = self.field(node, self.g.consequence);
                let first = self.optional(first, scope, cx);
                let second = self.field(node, self.g.alternative);
                let second = self.optional(second, scope, cx);
                if first == cx.unknown() { second } else { first }
            }
            Kind::BinaryExpression => {
                let left = self.field(node, self.g.left);
                let left = self.optional(left, scope, cx);
                let right = self.field(node, self.g.right);
                let right = self.optional(right, scope, cx);
                match self.field(node, self.g.operator).map_or("", |operator| cx.text(operator)) {
                    // A pointer and a distance.
                    "+" | "-" if left != cx.unknown() => left,
                    "+" => right,
                    _ => cx.unknown(),
                }
            }
            Kind::CommaExpression => {
                let left = self.field(node, self.g.left);
                self.optional(left, scope, cx);
                let right = self.field(node, self.g.right);
                self.optional(right, scope, cx)
            }
            Kind::OffsetofExpression => {
                let of = match self.field(node, self.g.r#type) {
                    Some(written) => self.type_of(written, scope, cx),
                    None => cx.unknown(),
                };
                if let Some(member) = self.field(node, self.g.member) {
                    let base = cx.expr(Expr::Instance { of });
                    cx.use_member(base, member, Role::Member);
                }
                cx.unknown()
            }
            Kind::GnuAsmInputOperand | Kind::GnuAsmOutputOperand => {
                let output = self.g.kind(node) == Kind::GnuAsmOutputOperand;
                if let Some(value) = self.field(node, self.g.value) {
                    self.value(value, scope, if output { Role::Write } else { Role::Read }, cx);
                }
                cx.unknown()
            }
            Kind::GnuAsmGotoList => cx.unknown(),
            Kind::PreprocIf | Kind::PreprocElif => {
                let condition = self.field(node, self.g.condition);
                self.each(node, cx, |binder, child, cx| {
                    binder.item(child, if Some(child) == condition { FILE_SCOPE } else { scope }, cx);
                });
                cx.unknown()
            }
            _ => {
                self.each(node, cx, |binder, child, cx| match binder.g.kind(child) {
                    Kind::PreprocDef | Kind::PreprocFunctionDef => binder.define(child, cx),
                    _ => binder.item(child, scope, cx),
                });
                cx.unknown()
            }
        }
    }

    /// What is assigned to something that is declared, of which `made` is the value.
    pub(super) fn initialiser(
        &mut self,
        node: Node<'t>,
        made: ExprId,
        is_array: bool,
        scope: ScopeId,
        cx: &mut Cx<'_>,
    ) {
        if self.g.kind(node) != Kind::InitializerList {
            self.value(node, scope, Role::Read, cx);
            return;
        }
        self.each(node, cx, |binder, entry, cx| {
            cx.deeper(entry, |cx| match binder.g.kind(entry) {
                Kind::InitializerPair => binder.pair(entry, made, scope, cx),
                // Elements of an array; which member of a struct it is, only its order tells.
                Kind::InitializerList => {
                    let inner = if is_array { made } else { cx.unknown() };
                    binder.initialiser(entry, inner, false, scope, cx);
                }
                _ => binder.item(entry, scope, cx),
            });
        });
    }

    /// `.a.b[1] = value`.
    fn pair(&mut self, node: Node<'t>, made: ExprId, scope: ScopeId, cx: &mut Cx<'_>) {
        let value = self.field(node, self.g.value);
        let mut target = made;
        self.each(node, cx, |binder, part, cx| {
            if Some(part) == value {
                return;
            }
            match binder.g.kind(part) {
                Kind::FieldDesignator => {
                    if let Some(name) = binder.first_child(part) {
                        target = cx.use_member(target, name, Role::Write);
                    }
                }
                Kind::FieldIdentifier => target = cx.use_member(target, part, Role::Write),
                _ => binder.items(part, scope, cx),
            }
        });
        if let Some(value) = value {
            self.initialiser(value, target, true, scope, cx);
        }
    }
}
