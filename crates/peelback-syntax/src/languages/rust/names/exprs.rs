//! Expressions.

use tree_sitter::Node;

use super::kinds::{FIELDS, Kind, is_comment, kind};
use super::{Binder, offset};
use crate::names::{BindingKind, Cx, Expr, ExprId, Role, ScopeId, ScopeKind};

impl Binder {
    /// The value of `node`; if it is a name, it is used in the role `role`.
    pub fn expr(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId, role: Role) -> ExprId {
        match kind(node) {
            Kind::Identifier => match cx.text(node) {
                "Self" => cx.expr(Expr::ThisType { scope }),
                "_" => cx.unknown(),
                _ => cx.use_name(node, scope, role),
            },
            Kind::SelfWord => cx.expr(Expr::This { scope }),
            Kind::TypeIdentifier | Kind::PrimitiveType => self.ty(cx, node, scope),
            Kind::FieldIdentifier | Kind::ShorthandField => {
                let base = cx.unknown();
                cx.use_member(base, node, Role::Member)
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
            | Kind::Mutable => cx.unknown(),
            _ => cx.deeper(node, |cx| self.compound(cx, node, scope, role)),
        }
    }

    fn compound(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId, role: Role) -> ExprId {
        match kind(node) {
            Kind::Call => self.call(cx, node, scope),
            Kind::FieldAccess => {
                let base = self.field(cx, FIELDS.value.of(node), scope, Role::Read);
                let role = if role == Role::Read { Role::Member } else { role };
                match FIELDS.field.of(node) {
                    Some(field) if kind(field) == Kind::Integer => self.part(cx, base, field),
                    Some(field) => cx.use_member(base, field, role),
                    None => base,
                }
            }
            Kind::ScopedIdentifier | Kind::GenericFunction | Kind::GenericPattern => self.path(cx, node, scope, role),
            Kind::Reference => self.field(cx, FIELDS.value.of(node), scope, role),
            Kind::Parenthesized | Kind::Unary => self.field(cx, first_inside(node), scope, Role::Read),
            Kind::MethodAwait | Kind::Try => {
                let of = self.field(cx, first_inside(node), scope, Role::Read);
                self.element(cx, of)
            }
            Kind::Index => self.index(cx, node, scope),
            Kind::Binary | Kind::Range => {
                self.children(cx, node, scope);
                cx.unknown()
            }
            Kind::Assignment => {
                let value = self.field(cx, FIELDS.right.of(node), scope, Role::Read);
                if let Some(left) = FIELDS.left.of(node) {
                    self.assign(cx, left, value, scope);
                }
                cx.unknown()
            }
            Kind::CompoundAssignment => {
                self.field(cx, FIELDS.left.of(node), scope, Role::Write);
                self.field(cx, FIELDS.right.of(node), scope, Role::Read);
                cx.unknown()
            }
            Kind::Cast => {
                self.field(cx, FIELDS.value.of(node), scope, Role::Read);
                let of = FIELDS.of_type.of(node).map_or(cx.unknown(), |of| self.ty(cx, of, scope));
                self.instance(cx, of)
            }
            Kind::Return => {
                let value = self.field(cx, first_inside(node), scope, Role::Read);
                if let Some(returned) = self.returns.last_mut() {
                    returned.push(value);
                }
                cx.unknown()
            }
            Kind::Tuple => {
                let parts = self.children(cx, node, scope);
                let parts = cx.list(&parts);
                cx.expr(Expr::Tuple(parts))
            }
            Kind::Array => {
                let parts = self.children(cx, node, scope);
                let first = parts.iter().copied().find(|part| *part != cx.unknown()).unwrap_or(cx.unknown());
                self.holding(cx, None, first)
            }
            Kind::StructLiteral => self.struct_literal(cx, node, scope),
            Kind::MacroInvocation => self.macro_invocation(cx, node, scope, false),
            Kind::Closure => self.closure(cx, node, scope, &[]),
            _ => self.control(cx, node, scope),
        }
    }

    /// Blocks, branches and loops; of anything else, what stands inside.
    fn control(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        match kind(node) {
            Kind::Block => {
                let inner = cx.scope(scope, ScopeKind::Block, node);
                self.statements(cx, node, inner)
            }
            Kind::UnsafeBlock | Kind::ConstBlock | Kind::Else => self.field(cx, last_inside(node), scope, Role::Read),
            Kind::AsyncBlock | Kind::TryBlock | Kind::GenBlock => {
                self.returns.push(Vec::new());
                let value = self.field(cx, last_inside(node), scope, Role::Read);
                let mut values = self.returns.pop().unwrap_or_default();
                values.push(value);
                let value = cx.either(values);
                // What a `try` block ends with stands in a result, as what an `async` block gives stands in a future.
                self.holding(cx, None, value)
            }
            Kind::If => {
                let inner = cx.scope(scope, ScopeKind::Block, node);
                self.field(cx, FIELDS.condition.of(node), inner, Role::Read);
                let then = self.field(cx, FIELDS.consequence.of(node), inner, Role::Read);
                let otherwise = self.field(cx, FIELDS.alternative.of(node), scope, Role::Read);
                self.branches(cx, vec![then, otherwise])
            }
            Kind::LetCondition => {
                let value = self.field(cx, FIELDS.value.of(node), scope, Role::Read);
                if let Some(pattern) = FIELDS.pattern.of(node) {
                    let from = offset(node.end_byte());
                    self.bind_pattern(cx, pattern, scope, BindingKind::Variable, None, value, from);
                }
                cx.unknown()
            }
            Kind::Match => self.match_expression(cx, node, scope),
            Kind::While => {
                let inner = cx.scope(scope, ScopeKind::Block, node);
                self.field(cx, FIELDS.condition.of(node), inner, Role::Read);
                self.field(cx, FIELDS.body.of(node), inner, Role::Read);
                cx.unknown()
            }
            Kind::Loop => {
                self.field(cx, FIELDS.body.of(node), scope, Role::Read);
                cx.unknown()
            }
            Kind::For => {
                let over = self.field(cx, FIELDS.value.of(node), scope, Role::Read);
                let inner = cx.scope(scope, ScopeKind::Block, node);
                let element = self.element(cx, over);
                if let Some(pattern) = FIELDS.pattern.of(node) {
                    self.bind_pattern(cx, pattern, inner, BindingKind::Variable, None, element, 0);
                }
                self.field(cx, FIELDS.body.of(node), inner, Role::Read);
                cx.unknown()
            }
            Kind::Attribute | Kind::InnerAttribute => {
                self.attribute(cx, node, scope);
                cx.unknown()
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
            | Kind::Bounds => self.ty(cx, node, scope),
            Kind::TokenTree | Kind::TokenRepetition => {
                self.token_tree(cx, node, scope);
                cx.unknown()
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
            | Kind::Statement => self.one_statement(cx, node, scope),
            Kind::Parameters | Kind::ClosureParameters => {
                self.parameters(cx, node, scope);
                cx.unknown()
            }
            Kind::Parameter => {
                self.parameter(cx, node, scope, None);
                cx.unknown()
            }
            _ => {
                self.children(cx, node, scope);
                cx.unknown()
            }
        }
    }

    /// The values of all that stands inside `node`.
    pub fn children(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId) -> Vec<ExprId> {
        let mut cursor = node.walk();
        let mut values = Vec::new();
        for child in node.named_children(&mut cursor) {
            match kind(child) {
                Kind::LineComment | Kind::BlockComment => {}
                Kind::Attribute => self.attribute(cx, child, scope),
                _ => values.push(self.expr(cx, child, scope, Role::Read)),
            }
        }
        values
    }

    /// The value of a node that may be missing.
    pub fn field(&mut self, cx: &mut Cx<'_>, node: Option<Node<'_>>, scope: ScopeId, role: Role) -> ExprId {
        node.map_or(cx.unknown(), |node| self.expr(cx, node, scope, role))
    }

    pub fn element(&mut self, cx: &mut Cx<'_>, of: ExprId) -> ExprId {
        if of == cx.unknown() { of } else { cx.expr(Expr::Element { of }) }
    }

    pub fn instance(&mut self, cx: &mut Cx<'_>, of: ExprId) -> ExprId {
        if of == cx.unknown() { of } else { cx.expr(Expr::Instance { of }) }
    }

    /// `base.0`. The position of a field is no name that is looked for.
    fn part(&mut self, cx: &mut Cx<'_>, base: ExprId, field: Node<'_>) -> ExprId {
        if base == cx.unknown() {
            return base;
        }
        let (name, at) = (cx.name(field), offset(field.start_byte()));
        cx.expr(Expr::Member { base, name, at })
    }

    fn index(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        let base = self.field(cx, first_inside(node), scope, Role::Read);
        let Some(index) = last_inside(node) else { return base };
        self.expr(cx, index, scope, Role::Read);
        // A range of a container is a container.
        if kind(index) == Kind::Range { base } else { self.element(cx, base) }
    }

    fn assign(&mut self, cx: &mut Cx<'_>, left: Node<'_>, value: ExprId, scope: ScopeId) {
        match kind(left) {
            Kind::Identifier if cx.text(left) != "_" => {
                let name = cx.name(left);
                let declared = self.undecided.iter().rev().copied().find(|id| {
                    let binding = &cx.names.bindings[*id as usize];
                    binding.name == name && is_around(cx, binding.scope, scope)
                });
                if let Some(id) = declared
                    && value != cx.unknown()
                    && cx.names.bindings[id as usize].values.len == 0
                {
                    let values = cx.list(&[value]);
                    cx.binding(id).values = values;
                }
                cx.use_name(left, scope, Role::Write);
            }
            Kind::Tuple | Kind::Array => {
                let mut cursor = left.walk();
                for child in left.named_children(&mut cursor).filter(|child| !is_comment(*child)) {
                    let unknown = cx.unknown();
                    cx.deeper(child, |cx| self.assign(cx, child, unknown, scope));
                }
            }
            Kind::Index | Kind::Unary => {
                self.expr(cx, left, scope, Role::Read);
            }
            _ => {
                self.expr(cx, left, scope, Role::Write);
            }
        }
    }

    fn branches(&mut self, cx: &mut Cx<'_>, mut values: Vec<ExprId>) -> ExprId {
        values.dedup();
        cx.either(values)
    }

    fn match_expression(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        let matched = self.field(cx, FIELDS.value.of(node), scope, Role::Read);
        let Some(body) = FIELDS.body.of(node) else { return cx.unknown() };
        let mut values = Vec::new();
        let mut cursor = body.walk();
        for arm in body.named_children(&mut cursor) {
            match kind(arm) {
                Kind::MatchArm => {
                    let inner = cx.scope(scope, ScopeKind::Block, arm);
                    if let Some(pattern) = FIELDS.pattern.of(arm) {
                        self.match_pattern(cx, pattern, inner, matched);
                    }
                    values.push(self.field(cx, FIELDS.value.of(arm), inner, Role::Read));
                }
                Kind::LineComment | Kind::BlockComment => {}
                _ => {
                    self.expr(cx, arm, scope, Role::Read);
                }
            }
        }
        self.branches(cx, values)
    }

    fn match_pattern(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId, matched: ExprId) {
        if let Some(pattern) = node.named_child(0) {
            self.bind_pattern(cx, pattern, scope, BindingKind::Variable, None, matched, 0);
        } else {
            // `_` has no node of its own.
        }
        self.field(cx, FIELDS.condition.of(node), scope, Role::Read);
    }

    fn struct_literal(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        let of = FIELDS.name.of(node).map_or(cx.unknown(), |name| self.path(cx, name, scope, Role::Call));
        let value = self.instance(cx, of);
        let Some(body) = FIELDS.body.of(node) else { return value };
        let mut cursor = body.walk();
        for child in body.named_children(&mut cursor) {
            match kind(child) {
                Kind::FieldInitializer => {
                    if let Some(field) = FIELDS.field.of(child).filter(|field| kind(*field) != Kind::Integer) {
                        cx.use_member(value, field, Role::Write);
                    }
                    self.field(cx, FIELDS.value.of(child), scope, Role::Read);
                }
                Kind::ShorthandInitializer => {
                    if let Some(field) = last_inside(child) {
                        cx.use_member(value, field, Role::Write);
                        self.expr(cx, field, scope, Role::Read);
                    }
                }
                Kind::BaseInitializer => {
                    self.field(cx, first_inside(child), scope, Role::Read);
                }
                Kind::LineComment | Kind::BlockComment => {}
                _ => {
                    self.expr(cx, child, scope, Role::Read);
                }
            }
        }
        value
    }
}

/// Whether `outer` is `scope` or one of the scopes around it.
fn is_around(cx: &Cx<'_>, outer: ScopeId, scope: ScopeId) -> bool {
    let mut at = Some(scope);
    while let Some(scope) = at {
        if scope == outer {
            return true;
        }
        at = cx.parent_of(scope);
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
