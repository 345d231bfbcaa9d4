//! Values of expressions.

use tree_sitter::Node;

use super::kinds::{FIELDS, Kind, is_comment, kind};
use super::{Binder, offset};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId, ScopeKind};

impl Binder {
    /// The value of the expression `node`. If `node` is a name, its occurrence gets the role `role`.
    pub fn expression_value(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'_>,
        scope: ScopeId,
        role: Role,
    ) -> ExprId {
        match kind(node) {
            Kind::Identifier => match builder.text(node) {
                "Self" => builder.expr(Expr::ThisType { scope }),
                "_" => builder.unknown(),
                _ => builder.use_name(node, scope, role),
            },
            Kind::SelfWord => builder.expr(Expr::This { scope }),
            Kind::TypeIdentifier | Kind::PrimitiveType => self.type_expr(builder, node, scope),
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
            _ => builder.deeper(node, |builder| self.compound_expression_value(builder, node, scope, role)),
        }
    }

    fn compound_expression_value(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'_>,
        scope: ScopeId,
        role: Role,
    ) -> ExprId {
        match kind(node) {
            Kind::Call => self.call_value(builder, node, scope),
            Kind::FieldAccess => {
                let base = self.optional_value(builder, FIELDS.value.child_of(node), scope, Role::Read);
                let role = if role == Role::Read { Role::Member } else { role };
                match FIELDS.field.child_of(node) {
                    Some(field) if kind(field) == Kind::Integer => self.positional_member(builder, base, field),
                    Some(field) => builder.use_member(base, field, role),
                    None => base,
                }
            }
            Kind::ScopedIdentifier | Kind::GenericFunction | Kind::GenericPattern => {
                self.path_expr(builder, node, scope, role)
            }
            Kind::Reference => self.optional_value(builder, FIELDS.value.child_of(node), scope, role),
            Kind::Parenthesized | Kind::Unary => {
                self.optional_value(builder, first_code_child(node), scope, Role::Read)
            }
            Kind::MethodAwait | Kind::Try => {
                let of = self.optional_value(builder, first_code_child(node), scope, Role::Read);
                self.element_of(builder, of)
            }
            Kind::Index => self.index_value(builder, node, scope),
            Kind::Binary | Kind::Range => {
                self.child_values(builder, node, scope);
                builder.unknown()
            }
            Kind::Assignment => {
                let value = self.optional_value(builder, FIELDS.right.child_of(node), scope, Role::Read);
                if let Some(left) = FIELDS.left.child_of(node) {
                    self.bind_assignment(builder, left, value, scope);
                }
                builder.unknown()
            }
            Kind::CompoundAssignment => {
                self.optional_value(builder, FIELDS.left.child_of(node), scope, Role::Write);
                self.optional_value(builder, FIELDS.right.child_of(node), scope, Role::Read);
                builder.unknown()
            }
            Kind::Cast => {
                self.optional_value(builder, FIELDS.value.child_of(node), scope, Role::Read);
                let of =
                    FIELDS.of_type.child_of(node).map_or(builder.unknown(), |of| self.type_expr(builder, of, scope));
                self.instance_of(builder, of)
            }
            Kind::Return => {
                let value = self.optional_value(builder, first_code_child(node), scope, Role::Read);
                if let Some(returned) = self.return_values.last_mut() {
                    returned.push(value);
                }
                builder.unknown()
            }
            Kind::Tuple => {
                let parts = self.child_values(builder, node, scope);
                let parts = builder.list(&parts);
                builder.expr(Expr::Tuple(parts))
            }
            Kind::Array => {
                let parts = self.child_values(builder, node, scope);
                let first = parts.iter().copied().find(|part| *part != builder.unknown()).unwrap_or(builder.unknown());
                self.container_of_value(builder, None, first)
            }
            Kind::StructLiteral => self.struct_literal_value(builder, node, scope),
            Kind::MacroInvocation => self.macro_call_value(builder, node, scope, false),
            Kind::Closure => self.closure_value(builder, node, scope, &[]),
            _ => self.control_flow_value(builder, node, scope),
        }
    }

    /// The value of a block, branch or loop. For any other node, reads its children.
    fn control_flow_value(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        match kind(node) {
            Kind::Block => {
                let inner = builder.scope(scope, ScopeKind::Block, node);
                self.bind_statements(builder, node, inner)
            }
            Kind::UnsafeBlock | Kind::ConstBlock | Kind::Else => {
                self.optional_value(builder, last_code_child(node), scope, Role::Read)
            }
            Kind::AsyncBlock | Kind::TryBlock | Kind::GenBlock => {
                self.return_values.push(Vec::new());
                let value = self.optional_value(builder, last_code_child(node), scope, Role::Read);
                let mut values = self.return_values.pop().unwrap_or_default();
                values.push(value);
                let value = builder.either(values);
                // The value of a `try` block is wrapped in a result, and the value of an `async` block in a future.
                self.container_of_value(builder, None, value)
            }
            Kind::If => {
                let inner = builder.scope(scope, ScopeKind::Block, node);
                self.optional_value(builder, FIELDS.condition.child_of(node), inner, Role::Read);
                let then = self.optional_value(builder, FIELDS.consequence.child_of(node), inner, Role::Read);
                let otherwise = self.optional_value(builder, FIELDS.alternative.child_of(node), scope, Role::Read);
                self.either_branch(builder, vec![then, otherwise])
            }
            Kind::LetCondition => {
                let value = self.optional_value(builder, FIELDS.value.child_of(node), scope, Role::Read);
                if let Some(pattern) = FIELDS.pattern.child_of(node) {
                    let from = offset(node.end_byte());
                    self.bind_pattern(builder, pattern, scope, BindingKind::Variable, None, value, from);
                }
                builder.unknown()
            }
            Kind::Match => self.match_value(builder, node, scope),
            Kind::While => {
                let inner = builder.scope(scope, ScopeKind::Block, node);
                self.optional_value(builder, FIELDS.condition.child_of(node), inner, Role::Read);
                self.optional_value(builder, FIELDS.body.child_of(node), inner, Role::Read);
                builder.unknown()
            }
            Kind::Loop => {
                self.optional_value(builder, FIELDS.body.child_of(node), scope, Role::Read);
                builder.unknown()
            }
            Kind::For => {
                let over = self.optional_value(builder, FIELDS.value.child_of(node), scope, Role::Read);
                let inner = builder.scope(scope, ScopeKind::Block, node);
                let element = self.element_of(builder, over);
                if let Some(pattern) = FIELDS.pattern.child_of(node) {
                    self.bind_pattern(builder, pattern, inner, BindingKind::Variable, None, element, 0);
                }
                self.optional_value(builder, FIELDS.body.child_of(node), inner, Role::Read);
                builder.unknown()
            }
            Kind::Attribute | Kind::InnerAttribute => {
                self.record_attribute(builder, node, scope);
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
            | Kind::Bounds => self.type_expr(builder, node, scope),
            Kind::TokenTree | Kind::TokenRepetition => {
                self.read_token_tree(builder, node, scope);
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
            | Kind::Statement => self.bind_single_statement(builder, node, scope),
            Kind::Parameters | Kind::ClosureParameters => {
                self.bind_parameters(builder, node, scope);
                builder.unknown()
            }
            Kind::Parameter => {
                self.bind_parameter(builder, node, scope, None);
                builder.unknown()
            }
            _ => {
                self.child_values(builder, node, scope);
                builder.unknown()
            }
        }
    }

    /// The values of all children of `node`.
    pub fn child_values(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) -> Vec<ExprId> {
        let mut cursor = node.walk();
        let mut values = Vec::new();
        for child in node.named_children(&mut cursor) {
            match kind(child) {
                Kind::LineComment | Kind::BlockComment => {}
                Kind::Attribute => self.record_attribute(builder, child, scope),
                _ => values.push(self.expression_value(builder, child, scope, Role::Read)),
            }
        }
        values
    }

    /// The value of an optional node; unknown if the node is missing.
    pub fn optional_value(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Option<Node<'_>>,
        scope: ScopeId,
        role: Role,
    ) -> ExprId {
        node.map_or(builder.unknown(), |node| self.expression_value(builder, node, scope, role))
    }

    pub fn element_of(&mut self, builder: &mut NamesBuilder<'_>, of: ExprId) -> ExprId {
        if of == builder.unknown() { of } else { builder.expr(Expr::Element { of }) }
    }

    pub fn instance_of(&mut self, builder: &mut NamesBuilder<'_>, of: ExprId) -> ExprId {
        if of == builder.unknown() { of } else { builder.expr(Expr::Instance { of }) }
    }

    /// The value of `base.0`. The position of a tuple field gets no occurrence, because nobody searches for it.
    fn positional_member(&mut self, builder: &mut NamesBuilder<'_>, base: ExprId, field: Node<'_>) -> ExprId {
        if base == builder.unknown() {
            return base;
        }
        let (name, at) = (builder.name(field), offset(field.start_byte()));
        builder.expr(Expr::Member { base, name, at })
    }

    fn index_value(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        let base = self.optional_value(builder, first_code_child(node), scope, Role::Read);
        let Some(index) = last_code_child(node) else { return base };
        self.expression_value(builder, index, scope, Role::Read);
        // Indexing a container with a range returns a container.
        if kind(index) == Kind::Range { base } else { self.element_of(builder, base) }
    }

    fn bind_assignment(&mut self, builder: &mut NamesBuilder<'_>, left: Node<'_>, value: ExprId, scope: ScopeId) {
        match kind(left) {
            Kind::Identifier if builder.text(left) != "_" => {
                let name = builder.name(left);
                let declared = self.uninitialized.iter().rev().copied().find(|id| {
                    let binding = builder.names.bindings.get(*id as usize);
                    binding.is_some_and(|of| of.name == name && is_enclosing_scope(builder, of.scope, scope))
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
                    builder.deeper(child, |builder| self.bind_assignment(builder, child, unknown, scope));
                }
            }
            Kind::Index | Kind::Unary => {
                self.expression_value(builder, left, scope, Role::Read);
            }
            _ => {
                self.expression_value(builder, left, scope, Role::Write);
            }
        }
    }

    fn either_branch(&mut self, builder: &mut NamesBuilder<'_>, mut values: Vec<ExprId>) -> ExprId {
        values.dedup();
        builder.either(values)
    }

    fn match_value(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        let matched = self.optional_value(builder, FIELDS.value.child_of(node), scope, Role::Read);
        let Some(body) = FIELDS.body.child_of(node) else { return builder.unknown() };
        let mut values = Vec::new();
        let mut cursor = body.walk();
        for arm in body.named_children(&mut cursor) {
            match kind(arm) {
                Kind::MatchArm => {
                    let inner = builder.scope(scope, ScopeKind::Block, arm);
                    if let Some(pattern) = FIELDS.pattern.child_of(arm) {
                        self.bind_match_pattern(builder, pattern, inner, matched);
                    }
                    values.push(self.optional_value(builder, FIELDS.value.child_of(arm), inner, Role::Read));
                }
                Kind::LineComment | Kind::BlockComment => {}
                _ => {
                    self.expression_value(builder, arm, scope, Role::Read);
                }
            }
        }
        self.either_branch(builder, values)
    }

    fn bind_match_pattern(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId, matched: ExprId) {
        if let Some(pattern) = node.named_child(0) {
            self.bind_pattern(builder, pattern, scope, BindingKind::Variable, None, matched, 0);
        } else {
            // The wildcard `_` has no node.
        }
        self.optional_value(builder, FIELDS.condition.child_of(node), scope, Role::Read);
    }

    fn struct_literal_value(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        let of = FIELDS
            .name
            .child_of(node)
            .map_or(builder.unknown(), |name| self.path_expr(builder, name, scope, Role::Call));
        let value = self.instance_of(builder, of);
        let Some(body) = FIELDS.body.child_of(node) else { return value };
        let mut cursor = body.walk();
        for child in body.named_children(&mut cursor) {
            match kind(child) {
                Kind::FieldInitializer => {
                    if let Some(field) = FIELDS.field.child_of(child).filter(|field| kind(*field) != Kind::Integer) {
                        builder.use_member(value, field, Role::Write);
                    }
                    self.optional_value(builder, FIELDS.value.child_of(child), scope, Role::Read);
                }
                Kind::ShorthandInitializer => {
                    if let Some(field) = last_code_child(child) {
                        builder.use_member(value, field, Role::Write);
                        self.expression_value(builder, field, scope, Role::Read);
                    }
                }
                Kind::BaseInitializer => {
                    self.optional_value(builder, first_code_child(child), scope, Role::Read);
                }
                Kind::LineComment | Kind::BlockComment => {}
                _ => {
                    self.expression_value(builder, child, scope, Role::Read);
                }
            }
        }
        value
    }
}

/// Whether `outer` is `scope` itself or one of its enclosing scopes.
pub(super) fn is_enclosing_scope(builder: &NamesBuilder<'_>, outer: ScopeId, scope: ScopeId) -> bool {
    let mut at = Some(scope);
    while let Some(scope) = at {
        if scope == outer {
            return true;
        }
        at = builder.parent_of(scope);
    }
    false
}

/// The first named child that is not a comment.
pub(super) fn first_code_child(node: Node<'_>) -> Option<Node<'_>> {
    let first = node.named_child(0)?;
    if !is_comment(first) {
        return Some(first);
    }
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| !is_comment(*child))
}

/// The last named child that is not a comment.
pub(super) fn last_code_child(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !is_comment(*child)).last()
}
