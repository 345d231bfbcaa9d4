//! Expressions.

use tree_sitter::Node;

use super::kinds::{FIELDS, Kind, is_comment, kind};
use super::{Binder, offset};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId, ScopeKind};

impl Binder {
    /// The value of `node`; if it is a name, it is used in the role `role`.
    pub fn expr(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId, role: Role) -> ExprId {
        match kind(node) {
            Kind::Identifier => match builder.text(node) {
                "Self" => builder.expr(Expr::ThisType { scope }),
                "_" => builder.unknown(),
                _ => builder.use_name(node, scope, role),
            },
            Kind::SelfWord => builder.expr(Expr::This { scope }),
            Kind::TypeIdentifier | Kind::PrimitiveType => self.ty(builder, node, scope),
            Kind::FieldIdentifier | Kind::ShorthandField => {
                let base = builder.unknown();
                builder.use_member(base, node, Role::Member)
            }
            Kind::Integer
            | Kind::Float
            | Kind::String
            | Kind::RawString
            | Kind::Char
            | Kind::Boolean
            | Kind::Negative
            | Kind::LineComment
            | Kind::BlockComment
            | Kind::Label
            | Kind::Lifetime
            | Kind::Metavariable
            | Kind::RemainingFields
            | Kind::Mutable => builder.unknown(),
            _ => builder.deeper(node, |builder| self.compound(builder, node, scope, role)),
        }
    }

    fn compound(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId, role: Role) -> ExprId {
        match kind(node) {
            Kind::Call => self.call(builder, node, scope),
            Kind::FieldAccess => {
                let base = self.field(builder, FIELDS.value.of(node), scope, Role::Read);
                let role = if role == Role::Read { Role::Member } else { role };
                match FIELDS.field.of(node) {
                    Some(field) if kind(field) == Kind::Integer => self.part(builder, base, field),
                    Some(field) => builder.use_member(base, field, role),
                    None => base,
                }
            }
            Kind::ScopedIdentifier | Kind::GenericFunction | Kind::GenericPattern => {
                self.path(builder, node, scope, role)
            }
            Kind::Reference => self.field(builder, FIELDS.value.of(node), scope, role),
            Kind::Parenthesized | Kind::Unary => self.field(builder, first_inside(node), scope, Role::Read),
            Kind::MethodAwait | Kind::Try => {
                let of = self.field(builder, first_inside(node), scope, Role::Read);
                self.element(builder, of)
            }
            Kind::Index => self.index(builder, node, scope),
            Kind::Binary | Kind::Range => {
                self.children(builder, node, scope);
                builder.unknown()
            }
            Kind::Assignment => {
                let value = self.field(builder, FIELDS.right.of(node), scope, Role::Read);
                if let Some(left) = FIELDS.left.of(node) {
                    self.assign(builder, left, value, scope);
                }
                builder.unknown()
            }
            Kind::CompoundAssignment => {
                self.field(builder, FIELDS.left.of(node), scope, Role::Write);
                self.field(builder, FIELDS.right.of(node), scope, Role::Read);
                builder.unknown()
            }
            Kind::Cast => {
                self.field(builder, FIELDS.value.of(node), scope, Role::Read);
                let of = FIELDS.of_type.of(node).map_or(builder.unknown(), |of| self.ty(builder, of, scope));
                self.instance(builder, of)
            }
            Kind::Return => {
                let value = self.field(builder, first_inside(node), scope, Role::Read);
                if let Some(returned) = self.returns.last_mut() {
                    returned.push(value);
                }
                builder.unknown()
            }
            Kind::Tuple => {
                let parts = self.children(builder, node, scope);
                let parts = builder.list(&parts);
                builder.expr(Expr::Tuple(parts))
            }
            Kind::Array => {
                let parts = self.children(builder, node, scope);
                let first = parts.iter().copied().find(|part| *part != builder.unknown()).unwrap_or(builder.unknown());
                self.holding(builder, None, first)
            }
            Kind::StructLiteral => self.struct_literal(builder, node, scope),
            Kind::MacroInvocation => self.macro_invocation(builder, node, scope, false),
            Kind::Closure => self.closure(builder, node, scope, &[]),
            _ => self.control(builder, node, scope),
        }
    }

    /// Blocks, branches and loops; of anything else, what stands inside.
    fn control(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        match kind(node) {
            Kind::Block => {
                let inner = builder.scope(scope, ScopeKind::Block, node);
                self.statements(builder, node, inner)
            }
            Kind::UnsafeBlock | Kind::ConstBlock | Kind::Else => {
                self.field(builder, last_inside(node), scope, Role::Read)
            }
            Kind::AsyncBlock | Kind::TryBlock | Kind::GenBlock => {
                self.returns.push(Vec::new());
                let value = self.field(builder, last_inside(node), scope, Role::Read);
                let mut values = self.returns.pop().unwrap_or_default();
                values.push(value);
                let value = builder.either(values);
                // What a `try` block ends with stands in a result, as what an `async` block gives stands in a future.
                self.holding(builder, None, value)
            }
            Kind::If => {
                let inner = builder.scope(scope, ScopeKind::Block, node);
                self.field(builder, FIELDS.condition.of(node), inner, Role::Read);
                let then = self.field(builder, FIELDS.consequence.of(node), inner, Role::Read);
                let otherwise = self.field(builder, FIELDS.alternative.of(node), scope, Role::Read);
                self.branches(builder, vec![then, otherwise])
            }
            Kind::LetCondition => {
                let value = self.field(builder, FIELDS.value.of(node), scope, Role::Read);
                if let Some(pattern) = FIELDS.pattern.of(node) {
                    let from = offset(node.end_byte());
                    self.bind_pattern(builder, pattern, scope, BindingKind::Variable, None, value, from);
                }
                builder.unknown()
            }
            Kind::Match => self.match_expression(builder, node, scope),
            Kind::While => {
                let inner = builder.scope(scope, ScopeKind::Block, node);
                self.field(builder, FIELDS.condition.of(node), inner, Role::Read);
                self.field(builder, FIELDS.body.of(node), inner, Role::Read);
                builder.unknown()
            }
            Kind::Loop => {
                self.field(builder, FIELDS.body.of(node), scope, Role::Read);
                builder.unknown()
            }
            Kind::For => {
                let over = self.field(builder, FIELDS.value.of(node), scope, Role::Read);
                let inner = builder.scope(scope, ScopeKind::Block, node);
                let element = self.element(builder, over);
                if let Some(pattern) = FIELDS.pattern.of(node) {
                    self.bind_pattern(builder, pattern, inner, BindingKind::Variable, None, element, 0);
                }
                self.field(builder, FIELDS.body.of(node), inner, Role::Read);
                builder.unknown()
            }
            Kind::Attribute | Kind::InnerAttribute => {
                self.attribute(builder, node, scope);
                builder.unknown()
            }
            Kind::ScopedType
            | Kind::GenericType
            | Kind::TurbofishType
            | Kind::ReferenceType
            | Kind::PointerType
            | Kind::ArrayType
            | Kind::TupleType
            | Kind::AbstractType
            | Kind::DynamicType
            | Kind::BoundedType
            | Kind::FunctionType
            | Kind::BracketedType
            | Kind::Bounds => self.ty(builder, node, scope),
            Kind::TokenTree | Kind::TokenRepetition => {
                self.token_tree(builder, node, scope);
                builder.unknown()
            }
            Kind::Let
            | Kind::Function
            | Kind::Signature
            | Kind::Struct
            | Kind::Union
            | Kind::Enum
            | Kind::Trait
            | Kind::Impl
            | Kind::TypeAlias
            | Kind::AssociatedType
            | Kind::Const
            | Kind::Static
            | Kind::ForeignMod
            | Kind::MacroDefinition
            | Kind::Mod
            | Kind::Use
            | Kind::ExternCrate
            | Kind::Statement => self.one_statement(builder, node, scope),
            Kind::Parameters | Kind::ClosureParameters => {
                self.parameters(builder, node, scope);
                builder.unknown()
            }
            Kind::Parameter => {
                self.parameter(builder, node, scope, None);
                builder.unknown()
            }
            _ => {
                self.children(builder, node, scope);
                builder.unknown()
            }
        }
    }

    /// The values of all that stands inside `node`.
    pub fn children(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) -> Vec<ExprId> {
        let mut cursor = node.walk();
        let mut values = Vec::new();
        for child in node.named_children(&mut cursor) {
            match kind(child) {
                Kind::LineComment | Kind::BlockComment => {}
                Kind::Attribute => self.attribute(builder, child, scope),
                _ => values.push(self.expr(builder, child, scope, Role::Read)),
            }
        }
        values
    }

    /// The value of a node that may be missing.
    pub fn field(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Option<Node<'_>>,
        scope: ScopeId,
        role: Role,
    ) -> ExprId {
        node.map_or(builder.unknown(), |node| self.expr(builder, node, scope, role))
    }

    pub fn element(&mut self, builder: &mut NamesBuilder<'_>, of: ExprId) -> ExprId {
        if of == builder.unknown() { of } else { builder.expr(Expr::Element { of }) }
    }

    pub fn instance(&mut self, builder: &mut NamesBuilder<'_>, of: ExprId) -> ExprId {
        if of == builder.unknown() { of } else { builder.expr(Expr::Instance { of }) }
    }

    /// `base.0`. The position of a field is no name that is looked for.
    fn part(&mut self, builder: &mut NamesBuilder<'_>, base: ExprId, field: Node<'_>) -> ExprId {
        if base == builder.unknown() {
            return base;
        }
        let (name, at) = (builder.name(field), offset(field.start_byte()));
        builder.expr(Expr::Member { base, name, at })
    }

    fn index(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        let base = self.field(builder, first_inside(node), scope, Role::Read);
        let Some(index) = last_inside(node) else { return base };
        self.expr(builder, index, scope, Role::Read);
        // A range of a container is a container.
        if kind(index) == Kind::Range { base } else { self.element(builder, base) }
    }

    fn assign(&mut self, builder: &mut NamesBuilder<'_>, left: Node<'_>, value: ExprId, scope: ScopeId) {
        match kind(left) {
            Kind::Identifier if builder.text(left) != "_" => {
                let name = builder.name(left);
                let declared = self.undecided.iter().rev().copied().find(|id| {
                    let binding = builder.names.bindings.get(*id as usize);
                    binding.is_some_and(|of| of.name == name && is_around(builder, of.scope, scope))
                });
                if let Some(id) = declared
                    && value != builder.unknown()
                    && builder.binding(id).values.len == 0
                {
                    let values = builder.list(&[value]);
                    builder.binding(id).values = values;
                }
                builder.use_name(left, scope, Role::Write);
            }
            Kind::Tuple | Kind::Array => {
                let mut cursor = left.walk();
                for child in left.named_children(&mut cursor).filter(|child| !is_comment(*child)) {
                    let unknown = builder.unknown();
                    builder.deeper(child, |builder| self.assign(builder, child, unknown, scope));
                }
            }
            Kind::Index | Kind::Unary => {
                self.expr(builder, left, scope, Role::Read);
            }
            _ => {
                self.expr(builder, left, scope, Role::Write);
            }
        }
    }

    fn branches(&mut self, builder: &mut NamesBuilder<'_>, mut values: Vec<ExprId>) -> ExprId {
        values.dedup();
        builder.either(values)
    }

    fn match_expression(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        let matched = self.field(builder, FIELDS.value.of(node), scope, Role::Read);
        let Some(body) = FIELDS.body.of(node) else { return builder.unknown() };
        let mut values = Vec::new();
        let mut cursor = body.walk();
        for arm in body.named_children(&mut cursor) {
            match kind(arm) {
                Kind::MatchArm => {
                    let inner = builder.scope(scope, ScopeKind::Block, arm);
                    if let Some(pattern) = FIELDS.pattern.of(arm) {
                        self.match_pattern(builder, pattern, inner, matched);
                    }
                    values.push(self.field(builder, FIELDS.value.of(arm), inner, Role::Read));
                }
                Kind::LineComment | Kind::BlockComment => {}
                _ => {
                    self.expr(builder, arm, scope, Role::Read);
                }
            }
        }
        self.branches(builder, values)
    }

    fn match_pattern(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId, matched: ExprId) {
        if let Some(pattern) = node.named_child(0) {
            self.bind_pattern(builder, pattern, scope, BindingKind::Variable, None, matched, 0);
        } else {
            // `_` has no node of its own.
        }
        self.field(builder, FIELDS.condition.of(node), scope, Role::Read);
    }

    fn struct_literal(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        let of = FIELDS.name.of(node).map_or(builder.unknown(), |name| self.path(builder, name, scope, Role::Call));
        let value = self.instance(builder, of);
        let Some(body) = FIELDS.body.of(node) else { return value };
        let mut cursor = body.walk();
        for child in body.named_children(&mut cursor) {
            match kind(child) {
                Kind::FieldInitializer => {
                    if let Some(field) = FIELDS.field.of(child).filter(|field| kind(*field) != Kind::Integer) {
                        builder.use_member(value, field, Role::Write);
                    }
                    self.field(builder, FIELDS.value.of(child), scope, Role::Read);
                }
                Kind::ShorthandInitializer => {
                    if let Some(field) = last_inside(child) {
                        builder.use_member(value, field, Role::Write);
                        self.expr(builder, field, scope, Role::Read);
                    }
                }
                Kind::BaseInitializer => {
                    self.field(builder, first_inside(child), scope, Role::Read);
                }
                Kind::LineComment | Kind::BlockComment => {}
                _ => {
                    self.expr(builder, child, scope, Role::Read);
                }
            }
        }
        value
    }
}

/// Whether `outer` is `scope` or one of the scopes around it.
pub(super) fn is_around(builder: &NamesBuilder<'_>, outer: ScopeId, scope: ScopeId) -> bool {
    let mut at = Some(scope);
    while let Some(scope) = at {
        if scope == outer {
            return true;
        }
        at = builder.parent_of(scope);
    }
    false
}

/// The first child that is not a comment.
pub(super) fn first_inside(node: Node<'_>) -> Option<Node<'_>> {
    let first = node.named_child(0)?;
    if !is_comment(first) {
        return Some(first);
    }
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| !is_comment(*child))
}

/// The last child that is not a comment.
pub(super) fn last_inside(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !is_comment(*child)).last()
}
