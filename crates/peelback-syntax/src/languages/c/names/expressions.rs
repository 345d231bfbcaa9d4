//! Expressions: what their names mean and what they give.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{Expr, ExprId, FILE_SCOPE, NamesBuilder, Role, ScopeId};

impl<'t> Binder<'t> {
    /// The value of `node`; `role` is what its name does there.
    pub(super) fn value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        match self.g.kind(node) {
            Kind::Identifier => {
                if node.is_missing() {
                    return builder.unknown();
                }
                builder.use_name(node, scope, role)
            }
            Kind::NumberLiteral | Kind::StringLiteral | Kind::CharLiteral | Kind::PrimitiveType | Kind::Comment => {
                builder.unknown()
            }
            Kind::FieldIdentifier => {
                let unknown = builder.unknown();
                builder.use_member(unknown, node, Role::Member)
            }
            Kind::TypeIdentifier | Kind::TypeDescriptor | Kind::SizedTypeSpecifier | Kind::MacroTypeSpecifier => {
                self.type_of(node, scope, builder)
            }
            _ => builder.deeper(node, |builder| self.made_value(node, scope, role, builder)),
        }
    }

    fn optional(&mut self, node: Option<Node<'t>>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        match node {
            Some(node) => self.value(node, scope, Role::Read, builder),
            None => builder.unknown(),
        }
    }

    /// The value of an expression that is made of others.
    fn made_value(&mut self, node: Node<'t>, scope: ScopeId, role: Role, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.g.kind(node) {
            Kind::FieldExpression => {
                let argument = self.field(node, self.g.argument);
                let base = self.optional(argument, scope, builder);
                match self.field(node, self.g.field) {
                    Some(name) => builder.use_member(base, name, if role == Role::Read { Role::Member } else { role }),
                    None => base,
                }
            }
            Kind::CallExpression => {
                let callee = match self.field(node, self.g.function) {
                    Some(function) => self.value(function, scope, Role::Call, builder),
                    None => builder.unknown(),
                };
                if let Some(arguments) = self.field(node, self.g.arguments) {
                    self.items(arguments, scope, builder);
                }
                builder.expr(Expr::Call { callee })
            }
            Kind::PointerExpression => {
                let argument = self.field(node, self.g.argument);
                self.optional(argument, scope, builder)
            }
            Kind::ParenthesizedExpression | Kind::ExtensionExpression => match self.first_child(node) {
                Some(inner) if self.g.kind(inner) != Kind::CompoundStatement => self.value(inner, scope, role, builder),
                _ => {
                    self.items(node, scope, builder);
                    builder.unknown()
                }
            },
            Kind::SubscriptExpression => {
                let argument = self.field(node, self.g.argument);
                let array = self.optional(argument, scope, builder);
                self.each(node, builder, |binder, child, builder| {
                    if Some(child) != argument {
                        binder.item(child, scope, builder);
                    }
                });
                array
            }
            Kind::CastExpression => {
                let of = match self.field(node, self.g.r#type) {
                    Some(written) => self.type_of(written, scope, builder),
                    None => builder.unknown(),
                };
                let value = self.field(node, self.g.value);
                let value = self.optional(value, scope, builder);
                if of == builder.unknown() { value } else { builder.expr(Expr::Instance { of }) }
            }
            Kind::CompoundLiteralExpression => {
                let of = match self.field(node, self.g.r#type) {
                    Some(written) => self.type_of(written, scope, builder),
                    None => builder.unknown(),
                };
                let made = if of == builder.unknown() { of } else { builder.expr(Expr::Instance { of }) };
                if let Some(value) = self.field(node, self.g.value) {
                    self.initialiser(value, made, true, scope, builder);
                }
                made
            }
            Kind::InitializerList => {
                let unknown = builder.unknown();
                self.initialiser(node, unknown, true, scope, builder);
                unknown
            }
            Kind::AssignmentExpression => {
                let target = match self.field(node, self.g.left) {
                    Some(left) => self.value(left, scope, Role::Write, builder),
                    None => builder.unknown(),
                };
                let right = self.field(node, self.g.right);
                self.optional(right, scope, builder);
                target
            }
            Kind::UpdateExpression => match self.field(node, self.g.argument) {
                Some(argument) => self.value(argument, scope, Role::Write, builder),
                None => builder.unknown(),
            },
            Kind::ConditionalExpression => {
                let condition = self.field(node, self.g.condition);
                self.optional(condition, scope, builder);
                let first = self.field(node, self.g.consequence);
                let first = self.optional(first, scope, builder);
                let second = self.field(node, self.g.alternative);
                let second = self.optional(second, scope, builder);
                if first == builder.unknown() { second } else { first }
            }
            Kind::BinaryExpression => {
                let left = self.field(node, self.g.left);
                let left = self.optional(left, scope, builder);
                let right = self.field(node, self.g.right);
                let right = self.optional(right, scope, builder);
                match self.field(node, self.g.operator).map_or("", |operator| builder.text(operator)) {
                    // A pointer and a distance.
                    "+" | "-" if left != builder.unknown() => left,
                    "+" => right,
                    _ => builder.unknown(),
                }
            }
            Kind::CommaExpression => {
                let left = self.field(node, self.g.left);
                self.optional(left, scope, builder);
                let right = self.field(node, self.g.right);
                self.optional(right, scope, builder)
            }
            Kind::OffsetofExpression => {
                let of = match self.field(node, self.g.r#type) {
                    Some(written) => self.type_of(written, scope, builder),
                    None => builder.unknown(),
                };
                if let Some(member) = self.field(node, self.g.member) {
                    let base = builder.expr(Expr::Instance { of });
                    builder.use_member(base, member, Role::Member);
                }
                builder.unknown()
            }
            Kind::GnuAsmInputOperand | Kind::GnuAsmOutputOperand => {
                let output = self.g.kind(node) == Kind::GnuAsmOutputOperand;
                if let Some(value) = self.field(node, self.g.value) {
                    self.value(value, scope, if output { Role::Write } else { Role::Read }, builder);
                }
                builder.unknown()
            }
            Kind::GnuAsmGotoList => builder.unknown(),
            Kind::PreprocIf | Kind::PreprocElif => {
                let condition = self.field(node, self.g.condition);
                self.each(node, builder, |binder, child, builder| {
                    binder.item(child, if Some(child) == condition { FILE_SCOPE } else { scope }, builder);
                });
                builder.unknown()
            }
            _ => {
                self.each(node, builder, |binder, child, builder| match binder.g.kind(child) {
                    Kind::PreprocDef | Kind::PreprocFunctionDef => binder.define(child, builder),
                    _ => binder.item(child, scope, builder),
                });
                builder.unknown()
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
        builder: &mut NamesBuilder<'_>,
    ) {
        if self.g.kind(node) != Kind::InitializerList {
            self.value(node, scope, Role::Read, builder);
            return;
        }
        self.each(node, builder, |binder, entry, builder| {
            builder.deeper(entry, |builder| match binder.g.kind(entry) {
                Kind::InitializerPair => binder.pair(entry, made, scope, builder),
                // Elements of an array; which member of a struct it is, only its order tells.
                Kind::InitializerList => {
                    let inner = if is_array { made } else { builder.unknown() };
                    binder.initialiser(entry, inner, false, scope, builder);
                }
                _ => binder.item(entry, scope, builder),
            });
        });
    }

    /// `.a.b[1] = value`.
    fn pair(&mut self, node: Node<'t>, made: ExprId, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let value = self.field(node, self.g.value);
        let mut target = made;
        self.each(node, builder, |binder, part, builder| {
            if Some(part) == value {
                return;
            }
            match binder.g.kind(part) {
                Kind::FieldDesignator => {
                    if let Some(name) = binder.first_child(part) {
                        target = builder.use_member(target, name, Role::Write);
                    }
                }
                Kind::FieldIdentifier => target = builder.use_member(target, part, Role::Write),
                _ => binder.items(part, scope, builder),
            }
        });
        if let Some(value) = value {
            self.initialiser(value, target, true, scope, builder);
        }
    }
}
