//! Expressions for Rust types, generic parameters and trait bounds.

use tree_sitter::Node;

use super::kinds::{FIELDS, Kind, kind_of_node};
use super::{Binder, saturating_u32};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId, ScopeKind};

/// Names of traits whose methods are rarely looked up (copying, formatting, sharing). A bound on one of these traits is
/// ignored if there is another bound.
const MARKER_TRAITS: &[&str] = &[
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Display",
    "Eq",
    "Hash",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "RefUnwindSafe",
    "Send",
    "Sized",
    "Sync",
    "Unpin",
    "UnwindSafe",
];

/// Names of the standard library's smart pointers: a value of such a type is treated as the value that it points to.
pub(super) const SMART_POINTERS: &[&str] = &[
    "Arc",
    "Box",
    "Cow",
    "ManuallyDrop",
    "MutexGuard",
    "Pin",
    "Rc",
    "Ref",
    "RefMut",
    "RwLockReadGuard",
    "RwLockWriteGuard",
];

impl Binder {
    /// The expression for the type in `node`. A node that is not a type is read as an expression.
    pub fn type_expr(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        match kind_of_node(node) {
            Kind::TypeIdentifier | Kind::Identifier => self.path_expr(builder, node, scope, Role::Type),
            Kind::PrimitiveType | Kind::UnitType | Kind::NeverType | Kind::Metavariable | Kind::Lifetime => {
                builder.unknown_expr()
            }
            _ => builder.run_with_depth_limit(node, |builder| self.compound_type_expr(builder, node, scope)),
        }
    }

    fn compound_type_expr(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        match kind_of_node(node) {
            Kind::ScopedType | Kind::ScopedIdentifier | Kind::GenericType | Kind::TurbofishType => {
                self.path_expr(builder, node, scope, Role::Type)
            }
            Kind::ReferenceType | Kind::PointerType | Kind::HigherRanked => FIELDS
                .of_type
                .child_of(node)
                .map_or(builder.unknown_expr(), |inner| self.type_expr(builder, inner, scope)),
            Kind::ArrayType => {
                let element = FIELDS
                    .element
                    .child_of(node)
                    .map_or(builder.unknown_expr(), |element| self.type_expr(builder, element, scope));
                if let Some(length) = FIELDS.length.child_of(node) {
                    self.bind_names_and_get_value(builder, length, scope, Role::Read);
                }
                self.unnamed_container_type_expr(builder, element)
            }
            Kind::TupleType => {
                let parts = self.child_type_exprs(builder, node, scope);
                let parts = builder.add_expr_list(&parts);
                builder.add_expr(Expr::Tuple(parts))
            }
            Kind::AbstractType | Kind::DynamicType => {
                FIELDS.of_trait.child_of(node).map_or(builder.unknown_expr(), |of| self.type_expr(builder, of, scope))
            }
            Kind::BoundedType | Kind::Bounds => self.type_from_bounds(builder, node, scope),
            Kind::BracketedType => self.trait_or_type_of_qualified_path_prefix(builder, node, scope),
            Kind::FunctionType => self.function_type_expr(builder, node, scope),
            Kind::TypeBinding => {
                FIELDS.of_type.child_of(node).map_or(builder.unknown_expr(), |of| self.type_expr(builder, of, scope))
            }
            Kind::RemovedBound | Kind::UseBounds | Kind::Error => {
                self.child_type_exprs(builder, node, scope);
                builder.unknown_expr()
            }
            Kind::TypeParameters | Kind::ForLifetimes => builder.unknown_expr(),
            _ => self.bind_names_and_get_value(builder, node, scope, Role::Type),
        }
    }

    /// The expressions for the types among the children of `node`.
    pub fn child_type_exprs(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) -> Vec<ExprId> {
        let mut cursor = node.walk();
        let mut types = Vec::new();
        for child in node.named_children(&mut cursor) {
            if !matches!(kind_of_node(child), Kind::LineComment | Kind::BlockComment | Kind::Lifetime | Kind::Attribute)
            {
                types.push(self.type_expr(builder, child, scope));
            }
        }
        types
    }

    /// The expression for an unnamed container type whose elements have the type `element`.
    pub fn unnamed_container_type_expr(&mut self, builder: &mut NamesBuilder<'_>, element: ExprId) -> ExprId {
        let args = builder.add_expr_list(&[element]);
        builder.add_expr(Expr::Generic { base: None, args })
    }

    /// The expression for an instance of the container type `base` that contains `value`; without `base`, the container
    /// type has no name.
    pub fn container_instance_with_value(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        base: Option<ExprId>,
        value: ExprId,
    ) -> ExprId {
        let of = if value == builder.unknown_expr() { value } else { builder.add_expr(Expr::TypeOf { of: value }) };
        let args = builder.add_expr_list(&[of]);
        let of = builder.add_expr(Expr::Generic { base, args });
        builder.add_expr(Expr::Instance { of })
    }

    /// The expression for the type `base` with the type arguments in the node `arguments`. `named` is the node of
    /// `base`.
    pub fn type_with_arguments(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        base: ExprId,
        named: Option<Node<'_>>,
        arguments: Node<'_>,
        scope: ScopeId,
    ) -> ExprId {
        let mut args = Vec::new();
        let mut cursor = arguments.walk();
        for child in arguments.named_children(&mut cursor) {
            match kind_of_node(child) {
                Kind::TypeBinding => {
                    if let Some(name) = FIELDS.name.child_of(child) {
                        builder.record_member_use(base, name, Role::Type);
                    }
                    if let Some(of) = FIELDS.of_type.child_of(child) {
                        args.push(self.type_expr(builder, of, scope));
                    }
                }
                Kind::Lifetime | Kind::LineComment | Kind::BlockComment => {}
                Kind::Integer | Kind::Boolean | Kind::Char | Kind::Negative => {}
                Kind::Bounds => {
                    self.type_from_bounds(builder, child, scope);
                }
                Kind::Block => {
                    self.bind_names_and_get_value(builder, child, scope, Role::Read);
                }
                _ => args.push(self.type_expr(builder, child, scope)),
            }
        }
        let named = named.map_or("", |named| builder.text_of_node(FIELDS.name.child_of(named).unwrap_or(named)));
        args.truncate(count_element_type_arguments(named));
        self.generic_type_expr(builder, base, named, &args)
    }

    /// The expression for the type `base`, called `name`, with type arguments; `base` itself if there are none.
    pub fn generic_type_expr(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        base: ExprId,
        name: &str,
        args: &[ExprId],
    ) -> ExprId {
        match args {
            [] => base,
            // A smart pointer is treated as the value that it points to.
            [.., last] if SMART_POINTERS.contains(&name) => *last,
            args => {
                let args = builder.add_expr_list(args);
                builder.add_expr(Expr::Generic { base: Some(base), args })
            }
        }
    }

    /// The type before `::` in `<T as Trait>::name` or `<T>::name`: the trait in the first form, because the rest of
    /// the path names its member, and `T` in the second.
    pub fn trait_or_type_of_qualified_path_prefix(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'_>,
        scope: ScopeId,
    ) -> ExprId {
        let Some(inner) = node.named_child(0) else { return builder.unknown_expr() };
        if kind_of_node(inner) != Kind::QualifiedType {
            return self.type_expr(builder, inner, scope);
        }
        if let Some(of) = FIELDS.of_type.child_of(inner) {
            self.type_expr(builder, of, scope);
        }
        FIELDS.alias.child_of(inner).map_or(builder.unknown_expr(), |alias| self.type_expr(builder, alias, scope))
    }

    /// The expression for the callable type `Fn(A) -> B` or `fn(A) -> B`.
    fn function_type_expr(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        if let Some(of) = FIELDS.of_trait.child_of(node) {
            self.path_expr(builder, of, scope, Role::Type);
        }
        let body = builder.add_child_scope(scope, ScopeKind::Function, node);
        let types =
            FIELDS.parameters.child_of(node).map_or_else(Vec::new, |node| self.bind_parameters(builder, node, body).1);
        let types = builder.add_expr_list(&types);
        let return_type =
            FIELDS.return_type.child_of(node).map(|return_type| self.type_expr(builder, return_type, scope));
        let name = builder.intern_source_text("");
        let binding = builder.add_binding(body, BindingKind::Function, name, node.start_byte());
        let function = builder.binding_mut(binding);
        function.annotation = return_type;
        function.bases = types;
        builder.add_expr(Expr::Function { binding })
    }

    /// The expression for the bounds `A + B`: a value has the members of every bound. Marker traits count only if there
    /// is no other bound.
    pub fn type_from_bounds(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        let mut cursor = node.walk();
        let (mut strong, mut weak) = (Vec::new(), Vec::new());
        for child in node.named_children(&mut cursor) {
            if matches!(kind_of_node(child), Kind::Lifetime | Kind::LineComment | Kind::BlockComment) {
                continue;
            }
            let bound = self.type_expr(builder, child, scope);
            let named = if kind_of_node(child) == Kind::ScopedType { FIELDS.name.child_of(child) } else { Some(child) };
            if named.is_some_and(|named| MARKER_TRAITS.contains(&builder.text_of_node(named))) {
                weak.push(bound);
            } else {
                strong.push(bound);
            }
        }
        builder.expr_of_possible_values(if strong.is_empty() { weak } else { strong })
    }

    /// Binds the generic parameters of an item in `scope`. `node` is the item that declares them.
    pub fn bind_generic_parameters(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) {
        let Some(parameters) = FIELDS.type_parameters.child_of(node) else { return };
        let mut cursor = parameters.walk();
        for child in parameters.named_children(&mut cursor) {
            let Some(name) = FIELDS.name.child_of(child) else { continue };
            match kind_of_node(child) {
                Kind::TypeParameter => {
                    let binding = builder.add_binding_with_definition(scope, BindingKind::TypeParameter, name);
                    if let Some(bounds) = FIELDS.bounds.child_of(child) {
                        let bounds = self.type_from_bounds(builder, bounds, scope);
                        builder.binding_mut(binding).annotation = Some(bounds);
                    }
                    if let Some(default) = FIELDS.default_type.child_of(child) {
                        let default = self.type_expr(builder, default, scope);
                        builder.binding_mut(binding).annotation.get_or_insert(default);
                    }
                }
                Kind::ConstParameter => {
                    let binding = builder.add_binding_with_definition(scope, BindingKind::Parameter, name);
                    if let Some(of) = FIELDS.of_type.child_of(child) {
                        let of = self.type_expr(builder, of, scope);
                        builder.binding_mut(binding).annotation = Some(of);
                    }
                    if let Some(value) = FIELDS.value.child_of(child) {
                        self.bind_names_and_get_value(builder, value, scope, Role::Read);
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds the bounds in the `where` clause of the item `node` to its generic parameters, which are the bindings in
    /// `scope` from index `first` on.
    pub fn add_where_clause_bounds(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'_>,
        scope: ScopeId,
        first: usize,
    ) {
        let mut cursor = node.walk();
        for clause in node.named_children(&mut cursor).filter(|child| kind_of_node(*child) == Kind::Where) {
            let mut cursor = clause.walk();
            for predicate in clause.named_children(&mut cursor) {
                let left = FIELDS.left.child_of(predicate);
                if let Some(left) = left {
                    self.type_expr(builder, left, scope);
                }
                let Some(bounds) = FIELDS.bounds.child_of(predicate) else { continue };
                let bounds = self.type_from_bounds(builder, bounds, scope);
                let Some(left) = left.filter(|left| kind_of_node(*left) == Kind::TypeIdentifier) else { continue };
                let name = builder.name_id_of_node(left);
                let declared = builder.names.bindings.iter().enumerate().skip(first).find(|(_, binding)| {
                    binding.kind == BindingKind::TypeParameter && binding.name == name && binding.scope == scope
                });
                let Some((id, declared)) = declared.map(|(id, binding)| (saturating_u32(id), binding.annotation))
                else {
                    continue;
                };
                let both = builder.expr_of_possible_values(declared.into_iter().chain([bounds]).collect());
                builder.binding_mut(id).annotation = Some(both);
            }
        }
    }

    /// Whether a type has parts that are left to inference (`Vec<_>`), so that the value determines the type.
    pub fn has_inferred_type_part(&self, builder: &NamesBuilder<'_>, of: ExprId) -> bool {
        let mut waiting = vec![of];
        while let Some(of) = waiting.pop() {
            match builder.names.expr_by_id(of) {
                Expr::Unknown => return true,
                Expr::Generic { args, .. } | Expr::Tuple(args) => {
                    waiting.extend(builder.names.expr_ids_in_list_range(args));
                }
                _ => {}
            }
        }
        false
    }
}

/// The number of leading type arguments that describe the elements of the standard library's type `name`: one for a
/// result (its success value) and for a set, two for a map. Further arguments, such as the hasher, do not count.
pub(super) fn count_element_type_arguments(name: &str) -> usize {
    match name {
        name if name.ends_with("Result") || name.ends_with("Set") => 1,
        name if name.ends_with("Map") => 2,
        _ => usize::MAX,
    }
}
