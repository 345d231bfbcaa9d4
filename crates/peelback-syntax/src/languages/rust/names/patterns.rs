//! Patterns: what they bind, and the names that they use.

use tree_sitter::Node;

use super::Binder;
use super::items::position;
use super::kinds::{FIELDS, Kind, is_comment, kind};
use super::paths::is_type_name;
use crate::names::{BindingId, BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId, Target};

/// What a pattern is held against.
#[derive(Clone, Copy)]
struct Against {
    scope: ScopeId,
    kind: BindingKind,
    /// The value.
    value: ExprId,
    /// Where what the pattern binds begins to hold.
    from: u32,
    /// The first binding that belongs to the whole pattern.
    first: usize,
}

impl Binder {
    /// Binds what `node` binds, where it is held against `value` or an instance of `declared`.
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
        if kind(node) == Kind::Identifier && !is_constant(builder.text(node)) {
            let binding = bind(builder, node, Against { scope, kind: kind_of, value, from, first: usize::MAX });
            if declared.is_some() {
                builder.binding(binding).annotation = declared;
            }
            return;
        }
        if let (Kind::MutPattern | Kind::RefPattern | Kind::ReferencePattern, Some(inner)) =
            (kind(node), super::exprs::last_inside(node))
        {
            return builder
                .deeper(node, |builder| self.bind_pattern(builder, inner, scope, kind_of, declared, value, from));
        }
        let value = match declared {
            Some(of) => self.instance(builder, of),
            None => value,
        };
        let first = builder.names.bindings.len();
        self.pattern(builder, node, Against { scope, kind: kind_of, value, from, first });
    }

    fn pattern(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, against: Against) {
        match kind(node) {
            Kind::Identifier => {
                let text = builder.text(node);
                if text == "_" {
                } else if is_constant(text) {
                    builder.use_name(node, against.scope, Role::Read);
                } else {
                    bind(builder, node, against);
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
            _ => builder.deeper(node, |builder| self.pattern_inside(builder, node, against)),
        }
    }

    fn pattern_inside(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, against: Against) {
        let scope = against.scope;
        match kind(node) {
            Kind::MutPattern | Kind::RefPattern | Kind::ReferencePattern => {
                if let Some(inner) = super::exprs::last_inside(node) {
                    self.pattern(builder, inner, against);
                }
            }
            Kind::OrPattern | Kind::CapturedPattern => {
                let mut cursor = node.walk();
                for child in node.named_children(&mut cursor) {
                    self.pattern(builder, child, against);
                }
            }
            Kind::TuplePattern => self.parts(builder, node, against),
            Kind::SlicePattern => {
                let element = self.element(builder, against.value);
                let mut cursor = node.walk();
                for child in node.named_children(&mut cursor) {
                    let rest = kind(child) == Kind::CapturedPattern;
                    self.pattern(builder, child, if rest { against } else { Against { value: element, ..against } });
                }
            }
            Kind::TupleStructPattern => self.tuple_struct(builder, node, against),
            Kind::StructPattern => self.struct_pattern(builder, node, against),
            Kind::ScopedIdentifier | Kind::GenericPattern => {
                self.path(builder, node, scope, Role::Read);
            }
            Kind::RangePattern | Kind::Error => {
                let mut cursor = node.walk();
                for child in node.named_children(&mut cursor).filter(|child| !is_comment(*child)) {
                    self.expr(builder, child, scope, Role::Read);
                }
            }
            _ => {
                self.expr(builder, node, scope, Role::Read);
            }
        }
    }

    /// `(a, b)`.
    fn parts(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, against: Against) {
        let mut cursor = node.walk();
        let mut index = Some(0);
        for child in node.children(&mut cursor) {
            match kind(child) {
                Kind::RemainingFields => index = None,
                Kind::Comma => index = index.map(|index| index + 1),
                _ if child.is_named() && !is_comment(child) => {
                    let value = match index {
                        Some(index) if against.value != builder.unknown() => {
                            builder.expr(Expr::Item { of: against.value, index })
                        }
                        _ => builder.unknown(),
                    };
                    self.pattern(builder, child, Against { value, ..against });
                }
                _ => {}
            }
        }
    }

    /// `Some(a)`, `Shape::Circle(a, b)`.
    fn tuple_struct(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, against: Against) {
        let Some(of) = FIELDS.of_type.of(node) else { return };
        let named = self.path(builder, of, against.scope, Role::Read);
        let inside = match builder.text(of).rsplit("::").next() {
            Some("Some" | "Ok") => Some(self.element(builder, against.value)),
            Some("Err") => Some(builder.unknown()),
            _ => None,
        };
        let whole = if inside.is_none() { self.instance(builder, named) } else { 0 };
        let mut cursor = node.walk();
        let (mut index, mut open) = (Some(0), false);
        for child in node.children(&mut cursor) {
            match kind(child) {
                Kind::OpenParen => open = true,
                _ if !open => {}
                Kind::RemainingFields => index = None,
                Kind::Comma => index = index.map(|index| index + 1),
                _ if child.is_named() && !is_comment(child) => {
                    let value = match (inside, index) {
                        (Some(inside), _) => inside,
                        (None, Some(index)) => {
                            let name = position(builder, index);
                            let at = super::offset(child.start_byte());
                            builder.expr(Expr::Member { base: whole, name, at })
                        }
                        (None, None) => builder.unknown(),
                    };
                    self.pattern(builder, child, Against { value, ..against });
                }
                _ => {}
            }
        }
    }

    /// `Point { x, y: top, .. }`.
    fn struct_pattern(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, against: Against) {
        let Some(of) = FIELDS.of_type.of(node) else { return };
        let named = self.path(builder, of, against.scope, Role::Type);
        let whole = self.instance(builder, named);
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor).filter(|child| kind(*child) == Kind::FieldPattern) {
            let Some(name) = FIELDS.name.of(child) else { continue };
            if kind(name) == Kind::Integer {
                continue;
            }
            let value = builder.use_member(whole, name, Role::Member);
            match FIELDS.pattern.of(child) {
                Some(pattern) => self.pattern(builder, pattern, Against { value, ..against }),
                None => {
                    bind(builder, name, Against { value, ..against });
                }
            }
        }
    }
}

/// Binds a name of a pattern; in `A(x) | B(x)` the second `x` is the first.
fn bind(builder: &mut NamesBuilder<'_>, node: Node<'_>, against: Against) -> BindingId {
    let name = builder.name(node);
    let known = builder.names.bindings.iter().enumerate().skip(against.first).find_map(|(id, binding)| {
        (binding.name == name && binding.scope == against.scope).then_some((super::offset(id), binding.values))
    });
    if let Some((id, values)) = known {
        let mut values = builder.names.list(values).to_vec();
        if against.value != builder.unknown() {
            values.push(against.value);
        }
        let values = builder.list(&values);
        builder.binding(id).values = values;
        builder.occur(node, Role::Definition, Target::Binding(id));
        return id;
    }
    let binding = builder.bind(against.scope, against.kind, node);
    let values =
        if against.value == builder.unknown() { crate::names::Span::default() } else { builder.list(&[against.value]) };
    let bound = builder.binding(binding);
    bound.values = values;
    bound.visible_from = against.from;
    binding
}

/// Whether a name in a pattern is held against a constant or a variant, as its case tells.
fn is_constant(name: &str) -> bool {
    is_type_name(name)
}
