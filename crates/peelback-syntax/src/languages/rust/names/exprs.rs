//! Values of Rust expressions.

use tree_sitter::Node;

use super::kinds::{FIELDS, Kind, is_comment, kind_of_node};
use super::{Binder, saturating_u32};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId, ScopeKind};

impl Binder {
    /// Records the names in the expression `node`, and returns its value. If `node` is a name, its occurrence gets the
    /// role `role`.
    pub fn bind_names_and_get_value(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'_>,
        scope: ScopeId,
        role: Role,
    ) -> ExprId {
        match kind_of_node(node) {
            Kind::Identifier => match builder.text_of_node(node) {
                "Self" => builder.add_expr(Expr::ThisType { scope }),
                "_" => builder.unknown_expr(),
                _ => builder.record_name_use(node, scope, role),
            },
            Kind::SelfWord => builder.add_expr(Expr::This { scope }),
            Kind::TypeIdentifier | Kind::PrimitiveType => self.type_expr(builder, node, scope),
            Kind::FieldIdentifier | Kind::ShorthandField => {
                let base = builder.unknown_expr();
                builder.record_member_use(base, node, Role::Member)
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
            | Kind::Mutable => builder.unknown_expr(),
            _ => builder.run_with_depth_limit(node, |builder| {
                self.bind_compound_expression_and_get_value(builder, node, scope, role)
            }),
        }
    }

    fn bind_compound_expression_and_get_value(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'_>,
        scope: ScopeId,
        role: Role,
    ) -> ExprId {
        match kind_of_node(node) {
            Kind::Call => self.call_value(builder, node, scope),
            Kind::FieldAccess => {
                let base = self.expression_value_if_any(builder, FIELDS.value.child_of(node), scope, Role::Read);
                let role = if role == Role::Read { Role::Member } else { role };
                match FIELDS.field.child_of(node) {
                    Some(field) if kind_of_node(field) == Kind::Integer => {
                        self.tuple_field_access_value(builder, base, field)
                    }
                    Some(field) => builder.record_member_use(base, field, role),
                    None => base,
                }
            }
            Kind::ScopedIdentifier | Kind::GenericFunction | Kind::GenericPattern => {
                self.path_expr(builder, node, scope, role)
            }
            Kind::Reference => self.expression_value_if_any(builder, FIELDS.value.child_of(node), scope, role),
            Kind::Parenthesized | Kind::Unary => {
                self.expression_value_if_any(builder, first_named_non_comment_child(node), scope, Role::Read)
            }
            Kind::MethodAwait | Kind::Try => {
                let of = self.expression_value_if_any(builder, first_named_non_comment_child(node), scope, Role::Read);
                self.element_or_awaited_expr(builder, of)
            }
            Kind::Index => self.index_expression_value(builder, node, scope),
            Kind::Binary | Kind::Range => {
                self.child_values(builder, node, scope);
                builder.unknown_expr()
            }
            Kind::Assignment => {
                let value = self.expression_value_if_any(builder, FIELDS.right.child_of(node), scope, Role::Read);
                if let Some(left) = FIELDS.left.child_of(node) {
                    self.record_assignment_to_target(builder, left, value, scope);
                }
                builder.unknown_expr()
            }
            Kind::CompoundAssignment => {
                self.expression_value_if_any(builder, FIELDS.left.child_of(node), scope, Role::Write);
                self.expression_value_if_any(builder, FIELDS.right.child_of(node), scope, Role::Read);
                builder.unknown_expr()
            }
            Kind::Cast => {
                self.expression_value_if_any(builder, FIELDS.value.child_of(node), scope, Role::Read);
                let of = FIELDS
                    .of_type
                    .child_of(node)
                    .map_or(builder.unknown_expr(), |of| self.type_expr(builder, of, scope));
                self.instance_expr_of_type(builder, of)
            }
            Kind::Return => {
                let value =
                    self.expression_value_if_any(builder, first_named_non_comment_child(node), scope, Role::Read);
                if let Some(returned) = self.return_values.last_mut() {
                    returned.push(value);
                }
                builder.unknown_expr()
            }
            Kind::Tuple => {
                let parts = self.child_values(builder, node, scope);
                let parts = builder.add_expr_list(&parts);
                builder.add_expr(Expr::Tuple(parts))
            }
            Kind::Array => {
                let parts = self.child_values(builder, node, scope);
                let first = parts
                    .iter()
                    .copied()
                    .find(|part| *part != builder.unknown_expr())
                    .unwrap_or(builder.unknown_expr());
                self.container_instance_with_value(builder, None, first)
            }
            Kind::StructLiteral => self.struct_literal_value(builder, node, scope),
            Kind::MacroInvocation => self.macro_call_value(builder, node, scope, false),
            Kind::Closure => self.closure_value(builder, node, scope, &[]),
            _ => self.control_flow_or_other_node_value(builder, node, scope),
        }
    }

    /// The value of a block, branch or loop. Any other node is only read for the names in its children.
    fn control_flow_or_other_node_value(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'_>,
        scope: ScopeId,
    ) -> ExprId {
        match kind_of_node(node) {
            Kind::Block => {
                let inner = builder.add_child_scope(scope, ScopeKind::Block, node);
                self.bind_statements_and_get_value(builder, node, inner)
            }
            Kind::UnsafeBlock | Kind::ConstBlock | Kind::Else => {
                self.expression_value_if_any(builder, last_named_non_comment_child(node), scope, Role::Read)
            }
            Kind::AsyncBlock | Kind::TryBlock | Kind::GenBlock => {
                self.return_values.push(Vec::new());
                let value =
                    self.expression_value_if_any(builder, last_named_non_comment_child(node), scope, Role::Read);
                let mut values = self.return_values.pop().unwrap_or_default();
                values.push(value);
                let value = builder.expr_of_possible_values(values);
                // The value of a `try` block is wrapped in a result, and the value of an `async` block in a future.
                self.container_instance_with_value(builder, None, value)
            }
            Kind::If => {
                let inner = builder.add_child_scope(scope, ScopeKind::Block, node);
                self.expression_value_if_any(builder, FIELDS.condition.child_of(node), inner, Role::Read);
                let then = self.expression_value_if_any(builder, FIELDS.consequence.child_of(node), inner, Role::Read);
                let otherwise =
                    self.expression_value_if_any(builder, FIELDS.alternative.child_of(node), scope, Role::Read);
                self.either_branch_value(builder, vec![then, otherwise])
            }
            Kind::LetCondition => {
                let value = self.expression_value_if_any(builder, FIELDS.value.child_of(node), scope, Role::Read);
                if let Some(pattern) = FIELDS.pattern.child_of(node) {
                    let from = saturating_u32(node.end_byte());
                    self.bind_pattern(builder, pattern, scope, BindingKind::Variable, None, value, from);
                }
                builder.unknown_expr()
            }
            Kind::Match => self.match_expression_value(builder, node, scope),
            Kind::While => {
                let inner = builder.add_child_scope(scope, ScopeKind::Block, node);
                self.expression_value_if_any(builder, FIELDS.condition.child_of(node), inner, Role::Read);
                self.expression_value_if_any(builder, FIELDS.body.child_of(node), inner, Role::Read);
                builder.unknown_expr()
            }
            Kind::Loop => {
                self.expression_value_if_any(builder, FIELDS.body.child_of(node), scope, Role::Read);
                builder.unknown_expr()
            }
            Kind::For => {
                let over = self.expression_value_if_any(builder, FIELDS.value.child_of(node), scope, Role::Read);
                let inner = builder.add_child_scope(scope, ScopeKind::Block, node);
                let element = self.element_or_awaited_expr(builder, over);
                if let Some(pattern) = FIELDS.pattern.child_of(node) {
                    self.bind_pattern(builder, pattern, inner, BindingKind::Variable, None, element, 0);
                }
                self.expression_value_if_any(builder, FIELDS.body.child_of(node), inner, Role::Read);
                builder.unknown_expr()
            }
            Kind::Attribute | Kind::InnerAttribute => {
                self.record_attribute_names(builder, node, scope);
                builder.unknown_expr()
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
                self.bind_token_tree_in_own_scope(builder, node, scope);
                builder.unknown_expr()
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
            | Kind::Statement => self.bind_statement_and_get_value(builder, node, scope),
            Kind::Parameters | Kind::ClosureParameters => {
                self.bind_parameters(builder, node, scope);
                builder.unknown_expr()
            }
            Kind::Parameter => {
                self.bind_parameter(builder, node, scope, None);
                builder.unknown_expr()
            }
            _ => {
                self.child_values(builder, node, scope);
                builder.unknown_expr()
            }
        }
    }

    /// The values of all children of `node`, read as expressions.
    pub fn child_values(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) -> Vec<ExprId> {
        let mut cursor = node.walk();
        let mut values = Vec::new();
        for child in node.named_children(&mut cursor) {
            match kind_of_node(child) {
                Kind::LineComment | Kind::BlockComment => {}
                Kind::Attribute => self.record_attribute_names(builder, child, scope),
                _ => values.push(self.bind_names_and_get_value(builder, child, scope, Role::Read)),
            }
        }
        values
    }

    /// The value of an expression that may be missing; unknown if it is.
    pub fn expression_value_if_any(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Option<Node<'_>>,
        scope: ScopeId,
        role: Role,
    ) -> ExprId {
        node.map_or(builder.unknown_expr(), |node| self.bind_names_and_get_value(builder, node, scope, role))
    }

    pub fn element_or_awaited_expr(&mut self, builder: &mut NamesBuilder<'_>, of: ExprId) -> ExprId {
        if of == builder.unknown_expr() { of } else { builder.add_expr(Expr::Element { of }) }
    }

    pub fn instance_expr_of_type(&mut self, builder: &mut NamesBuilder<'_>, of: ExprId) -> ExprId {
        if of == builder.unknown_expr() { of } else { builder.add_expr(Expr::Instance { of }) }
    }

    /// The value of the tuple field `base.0`. The field's number gets no occurrence, because nobody searches for it.
    fn tuple_field_access_value(&mut self, builder: &mut NamesBuilder<'_>, base: ExprId, field: Node<'_>) -> ExprId {
        if base == builder.unknown_expr() {
            return base;
        }
        let (name, at) = (builder.name_id_of_node(field), saturating_u32(field.start_byte()));
        builder.add_expr(Expr::Member { base, name, at })
    }

    fn index_expression_value(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        let base = self.expression_value_if_any(builder, first_named_non_comment_child(node), scope, Role::Read);
        let Some(index) = last_named_non_comment_child(node) else { return base };
        self.bind_names_and_get_value(builder, index, scope, Role::Read);
        // Indexing a container with a range returns a container, not an element.
        if kind_of_node(index) == Kind::Range { base } else { self.element_or_awaited_expr(builder, base) }
    }

    fn record_assignment_to_target(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        left: Node<'_>,
        value: ExprId,
        scope: ScopeId,
    ) {
        match kind_of_node(left) {
            Kind::Identifier if builder.text_of_node(left) != "_" => {
                let name = builder.name_id_of_node(left);
                let declared = self.uninitialized.iter().rev().copied().find(|id| {
                    let binding = builder.names.bindings.get(*id as usize);
                    binding.is_some_and(|of| of.name == name && is_same_or_enclosing_scope(builder, of.scope, scope))
                });
                if let Some(id) = declared
                    && value != builder.unknown_expr()
                    && builder.binding_mut(id).values.len == 0
                {
                    let values = builder.add_expr_list(&[value]);
                    builder.binding_mut(id).values = values;
                }
                builder.record_name_use(left, scope, Role::Write);
            }
            Kind::Tuple | Kind::Array => {
                let mut cursor = left.walk();
                for child in left.named_children(&mut cursor).filter(|child| !is_comment(*child)) {
                    let unknown = builder.unknown_expr();
                    builder.run_with_depth_limit(child, |builder| {
                        self.record_assignment_to_target(builder, child, unknown, scope)
                    });
                }
            }
            Kind::Index | Kind::Unary => {
                self.bind_names_and_get_value(builder, left, scope, Role::Read);
            }
            _ => {
                self.bind_names_and_get_value(builder, left, scope, Role::Write);
            }
        }
    }

    fn either_branch_value(&mut self, builder: &mut NamesBuilder<'_>, mut values: Vec<ExprId>) -> ExprId {
        values.dedup();
        builder.expr_of_possible_values(values)
    }

    fn match_expression_value(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        let matched = self.expression_value_if_any(builder, FIELDS.value.child_of(node), scope, Role::Read);
        let Some(body) = FIELDS.body.child_of(node) else { return builder.unknown_expr() };
        let mut values = Vec::new();
        let mut cursor = body.walk();
        for arm in body.named_children(&mut cursor) {
            match kind_of_node(arm) {
                Kind::MatchArm => {
                    let inner = builder.add_child_scope(scope, ScopeKind::Block, arm);
                    if let Some(pattern) = FIELDS.pattern.child_of(arm) {
                        self.bind_match_pattern_and_guard(builder, pattern, inner, matched);
                    }
                    values.push(self.expression_value_if_any(builder, FIELDS.value.child_of(arm), inner, Role::Read));
                }
                Kind::LineComment | Kind::BlockComment => {}
                _ => {
                    self.bind_names_and_get_value(builder, arm, scope, Role::Read);
                }
            }
        }
        self.either_branch_value(builder, values)
    }

    fn bind_match_pattern_and_guard(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'_>,
        scope: ScopeId,
        matched: ExprId,
    ) {
        if let Some(pattern) = node.named_child(0) {
            self.bind_pattern(builder, pattern, scope, BindingKind::Variable, None, matched, 0);
        } else {
            // The wildcard `_` has no node.
        }
        self.expression_value_if_any(builder, FIELDS.condition.child_of(node), scope, Role::Read);
    }

    fn struct_literal_value(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        let of = FIELDS
            .name
            .child_of(node)
            .map_or(builder.unknown_expr(), |name| self.path_expr(builder, name, scope, Role::Call));
        let value = self.instance_expr_of_type(builder, of);
        let Some(body) = FIELDS.body.child_of(node) else { return value };
        let mut cursor = body.walk();
        for child in body.named_children(&mut cursor) {
            match kind_of_node(child) {
                Kind::FieldInitializer => {
                    if let Some(field) =
                        FIELDS.field.child_of(child).filter(|field| kind_of_node(*field) != Kind::Integer)
                    {
                        builder.record_member_use(value, field, Role::Write);
                    }
                    self.expression_value_if_any(builder, FIELDS.value.child_of(child), scope, Role::Read);
                }
                Kind::ShorthandInitializer => {
                    if let Some(field) = last_named_non_comment_child(child) {
                        builder.record_member_use(value, field, Role::Write);
                        self.bind_names_and_get_value(builder, field, scope, Role::Read);
                    }
                }
                Kind::BaseInitializer => {
                    self.expression_value_if_any(builder, first_named_non_comment_child(child), scope, Role::Read);
                }
                Kind::LineComment | Kind::BlockComment => {}
                _ => {
                    self.bind_names_and_get_value(builder, child, scope, Role::Read);
                }
            }
        }
        value
    }
}

/// Whether `outer` is `scope` itself or one of its enclosing scopes.
pub(super) fn is_same_or_enclosing_scope(builder: &NamesBuilder<'_>, outer: ScopeId, scope: ScopeId) -> bool {
    let mut at = Some(scope);
    while let Some(scope) = at {
        if scope == outer {
            return true;
        }
        at = builder.parent_scope(scope);
    }
    false
}

/// The first named child of a node that is not a comment.
pub(super) fn first_named_non_comment_child(node: Node<'_>) -> Option<Node<'_>> {
    let first = node.named_child(0)?;
    if !is_comment(first) {
        return Some(first);
    }
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| !is_comment(*child))
}

/// The last named child of a node that is not a comment.
pub(super) fn last_named_non_comment_child(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !is_comment(*child)).last()
}
