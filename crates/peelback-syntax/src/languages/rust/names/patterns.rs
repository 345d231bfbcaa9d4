//! Name binding for Rust patterns: the variables that they bind and the names that they use.

use tree_sitter::Node;

use super::Binder;
use super::items::positional_field_name;
use super::kinds::{FIELDS, Kind, is_comment, kind_of_node};
use super::paths::looks_like_type_name;
use crate::names::{BindingId, BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId, Target};

/// The value that a pattern is matched against, and the properties of the bindings that the pattern creates.
#[derive(Clone, Copy)]
struct MatchContext {
    scope: ScopeId,
    kind: BindingKind,
    /// The value that is matched against the pattern.
    value: ExprId,
    /// The byte offset from which the pattern's bindings are visible.
    from: u32,
    /// The index of the first binding that the whole pattern created.
    first: usize,
}

impl Binder {
    /// Binds the names in the pattern `node`, which matches `value` or an instance of the type `declared`.
    #[expect(clippy::too_many_arguments, reason = "each of them is a fact of its own")]
    pub fn bind_pattern(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'_>,
        scope: ScopeId,
        kind_of: BindingKind,
        declared: Option<ExprId>,
        value: ExprId,
        from: u32,
    ) {
        if kind_of_node(node) == Kind::Identifier && !looks_like_constant_or_variant_name(builder.text_of_node(node)) {
            let binding =
                bind_pattern_name(builder, node, MatchContext { scope, kind: kind_of, value, from, first: usize::MAX });
            if declared.is_some() {
                builder.binding_mut(binding).annotation = declared;
            }
            return;
        }
        if let (Kind::MutPattern | Kind::RefPattern | Kind::ReferencePattern, Some(inner)) =
            (kind_of_node(node), super::exprs::last_named_non_comment_child(node))
        {
            return builder.run_with_depth_limit(node, |builder| {
                self.bind_pattern(builder, inner, scope, kind_of, declared, value, from)
            });
        }
        let value = match declared {
            Some(of) => self.instance_expr_of_type(builder, of),
            None => value,
        };
        let first = builder.names.bindings.len();
        self.bind_subpattern(builder, node, MatchContext { scope, kind: kind_of, value, from, first });
    }

    fn bind_subpattern(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, matched: MatchContext) {
        match kind_of_node(node) {
            Kind::Identifier => {
                let text = builder.text_of_node(node);
                if text == "_" {
                } else if looks_like_constant_or_variant_name(text) {
                    builder.record_name_use(node, matched.scope, Role::Read);
                } else {
                    bind_pattern_name(builder, node, matched);
                }
            }
            Kind::Integer
            | Kind::Float
            | Kind::String
            | Kind::RawString
            | Kind::Char
            | Kind::Boolean
            | Kind::Negative
            | Kind::RemainingFields
            | Kind::Mutable
            | Kind::LineComment
            | Kind::BlockComment => {}
            _ => builder.run_with_depth_limit(node, |builder| self.bind_compound_pattern(builder, node, matched)),
        }
    }

    fn bind_compound_pattern(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, matched: MatchContext) {
        let scope = matched.scope;
        match kind_of_node(node) {
            Kind::MutPattern | Kind::RefPattern | Kind::ReferencePattern => {
                if let Some(inner) = super::exprs::last_named_non_comment_child(node) {
                    self.bind_subpattern(builder, inner, matched);
                }
            }
            Kind::OrPattern | Kind::CapturedPattern => {
                let mut cursor = node.walk();
                for child in node.named_children(&mut cursor) {
                    self.bind_subpattern(builder, child, matched);
                }
            }
            Kind::TuplePattern => self.bind_tuple_pattern(builder, node, matched),
            Kind::SlicePattern => {
                let element = self.element_or_awaited_expr(builder, matched.value);
                let mut cursor = node.walk();
                for child in node.named_children(&mut cursor) {
                    let rest = kind_of_node(child) == Kind::CapturedPattern;
                    self.bind_subpattern(
                        builder,
                        child,
                        if rest { matched } else { MatchContext { value: element, ..matched } },
                    );
                }
            }
            Kind::TupleStructPattern => self.bind_tuple_struct_pattern(builder, node, matched),
            Kind::StructPattern => self.bind_struct_pattern(builder, node, matched),
            Kind::ScopedIdentifier | Kind::GenericPattern => {
                self.path_expr(builder, node, scope, Role::Read);
            }
            Kind::RangePattern | Kind::Error => {
                let mut cursor = node.walk();
                for child in node.named_children(&mut cursor).filter(|child| !is_comment(*child)) {
                    self.bind_names_and_get_value(builder, child, scope, Role::Read);
                }
            }
            _ => {
                self.bind_names_and_get_value(builder, node, scope, Role::Read);
            }
        }
    }

    /// The matched value as an instance of the type or variant that a pattern names.
    fn matched_instance_expr(&mut self, builder: &mut NamesBuilder<'_>, of: ExprId, matched: MatchContext) -> ExprId {
        if of == builder.unknown_expr() || matched.value == builder.unknown_expr() {
            return self.instance_expr_of_type(builder, of);
        }
        builder.add_expr(Expr::Matched { value: matched.value, of })
    }

    /// Binds the names in a tuple pattern `(a, b)` to the elements of the matched value.
    fn bind_tuple_pattern(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, matched: MatchContext) {
        let mut cursor = node.walk();
        let mut index = Some(0);
        for child in node.children(&mut cursor) {
            match kind_of_node(child) {
                Kind::RemainingFields => index = None,
                Kind::Comma => index = index.map(|index| index + 1),
                _ if child.is_named() && !is_comment(child) => {
                    let value = match index {
                        Some(index) if matched.value != builder.unknown_expr() => {
                            builder.add_expr(Expr::Item { of: matched.value, index })
                        }
                        _ => builder.unknown_expr(),
                    };
                    self.bind_subpattern(builder, child, MatchContext { value, ..matched });
                }
                _ => {}
            }
        }
    }

    /// Binds the names in a tuple-struct pattern to the fields of the matched value: `Some(a)`, `Shape::Circle(a, b)`.
    fn bind_tuple_struct_pattern(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, matched: MatchContext) {
        let Some(of) = FIELDS.of_type.child_of(node) else { return };
        let named = self.path_expr(builder, of, matched.scope, Role::Read);
        let inside = match builder.text_of_node(of).rsplit("::").next() {
            Some("Some" | "Ok") => Some(self.element_or_awaited_expr(builder, matched.value)),
            Some("Err") => Some(builder.unknown_expr()),
            _ => None,
        };
        let whole = if inside.is_none() { self.matched_instance_expr(builder, named, matched) } else { 0 };
        let mut cursor = node.walk();
        let (mut index, mut open) = (Some(0), false);
        for child in node.children(&mut cursor) {
            match kind_of_node(child) {
                Kind::OpenParen => open = true,
                _ if !open => {}
                Kind::RemainingFields => index = None,
                Kind::Comma => index = index.map(|index| index + 1),
                _ if child.is_named() && !is_comment(child) => {
                    let value = match (inside, index) {
                        (Some(inside), _) => inside,
                        (None, Some(index)) => {
                            let name = positional_field_name(builder, index);
                            let at = super::saturating_u32(child.start_byte());
                            builder.add_expr(Expr::Member { base: whole, name, at })
                        }
                        (None, None) => builder.unknown_expr(),
                    };
                    self.bind_subpattern(builder, child, MatchContext { value, ..matched });
                }
                _ => {}
            }
        }
    }

    /// Binds the names in a struct pattern to the fields of the matched value: `Point { x, y: top, .. }`.
    fn bind_struct_pattern(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, matched: MatchContext) {
        let Some(of) = FIELDS.of_type.child_of(node) else { return };
        let named = self.path_expr(builder, of, matched.scope, Role::Type);
        let whole = self.matched_instance_expr(builder, named, matched);
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor).filter(|child| kind_of_node(*child) == Kind::FieldPattern) {
            let Some(name) = FIELDS.name.child_of(child) else { continue };
            if kind_of_node(name) == Kind::Integer {
                continue;
            }
            let value = builder.record_member_use(whole, name, Role::Member);
            match FIELDS.pattern.child_of(child) {
                Some(pattern) => self.bind_subpattern(builder, pattern, MatchContext { value, ..matched }),
                None => {
                    bind_pattern_name(builder, name, MatchContext { value, ..matched });
                }
            }
        }
    }
}

/// Binds one name in a pattern. In `A(x) | B(x)` both occurrences of `x` belong to one binding.
fn bind_pattern_name(builder: &mut NamesBuilder<'_>, node: Node<'_>, matched: MatchContext) -> BindingId {
    let name = builder.name_id_of_node(node);
    let known = builder.names.bindings.iter().enumerate().skip(matched.first).find_map(|(id, binding)| {
        (binding.name == name && binding.scope == matched.scope).then_some((super::saturating_u32(id), binding.values))
    });
    if let Some((id, values)) = known {
        let mut values = builder.names.expr_ids_in_list_range(values).to_vec();
        if matched.value != builder.unknown_expr() {
            values.push(matched.value);
        }
        let values = builder.add_expr_list(&values);
        builder.binding_mut(id).values = values;
        builder.record_occurrence(node, Role::Definition, Target::Binding(id));
        return id;
    }
    let binding = builder.add_binding_with_definition(matched.scope, matched.kind, node);
    let values = if matched.value == builder.unknown_expr() {
        crate::names::Span::default()
    } else {
        builder.add_expr_list(&[matched.value])
    };
    let bound = builder.binding_mut(binding);
    bound.values = values;
    bound.visible_from = matched.from;
    binding
}

/// Whether a name in a pattern refers to a constant or a variant: its first letter is upper-case.
fn looks_like_constant_or_variant_name(name: &str) -> bool {
    looks_like_type_name(name)
}
