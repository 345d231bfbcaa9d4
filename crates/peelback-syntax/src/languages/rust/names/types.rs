//! Types, generic parameters and bounds.

use tree_sitter::Node;

use super::kinds::{FIELDS, Kind, kind};
use super::{Binder, offset};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId, ScopeKind};

/// Traits that say how a value is copied, shown or shared: beside another bound they have nothing that is looked for.
const MARKERS: &[&str] = &[
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

/// Types of the standard library whose values are used as those that they point to.
pub(super) const POINTERS: &[&str] = &[
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
    /// The type that `node` means. Whatever else stands there is read as an expression.
    pub fn ty(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        match kind(node) {
            Kind::TypeIdentifier | Kind::Identifier => self.path(builder, node, scope, Role::Type),
            Kind::PrimitiveType | Kind::UnitType | Kind::NeverType | Kind::Metavariable | Kind::Lifetime => {
                builder.unknown()
            }
            _ => builder.deeper(node, |builder| self.ty_inside(builder, node, scope)),
        }
    }

    fn ty_inside(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        match kind(node) {
            Kind::ScopedType | Kind::ScopedIdentifier | Kind::GenericType | Kind::TurbofishType => {
                self.path(builder, node, scope, Role::Type)
            }
            Kind::ReferenceType | Kind::PointerType | Kind::HigherRanked => {
                FIELDS.of_type.of(node).map_or(builder.unknown(), |inner| self.ty(builder, inner, scope))
            }
            Kind::ArrayType => {
                let element =
                    FIELDS.element.of(node).map_or(builder.unknown(), |element| self.ty(builder, element, scope));
                if let Some(length) = FIELDS.length.of(node) {
                    self.expr(builder, length, scope, Role::Read);
                }
                self.container(builder, element)
            }
            Kind::TupleType => {
                let parts = self.types(builder, node, scope);
                let parts = builder.list(&parts);
                builder.expr(Expr::Tuple(parts))
            }
            Kind::AbstractType | Kind::DynamicType => {
                FIELDS.of_trait.of(node).map_or(builder.unknown(), |of| self.ty(builder, of, scope))
            }
            Kind::BoundedType | Kind::Bounds => self.bounds(builder, node, scope),
            Kind::BracketedType => self.bracketed(builder, node, scope),
            Kind::FunctionType => self.function_type(builder, node, scope),
            Kind::TypeBinding => FIELDS.of_type.of(node).map_or(builder.unknown(), |of| self.ty(builder, of, scope)),
            Kind::RemovedBound | Kind::UseBounds | Kind::Error => {
                self.types(builder, node, scope);
                builder.unknown()
            }
            Kind::TypeParameters | Kind::ForLifetimes => builder.unknown(),
            _ => self.expr(builder, node, scope, Role::Type),
        }
    }

    /// The types among the children of `node`.
    pub fn types(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) -> Vec<ExprId> {
        let mut cursor = node.walk();
        let mut types = Vec::new();
        for child in node.named_children(&mut cursor) {
            if !matches!(kind(child), Kind::LineComment | Kind::BlockComment | Kind::Lifetime | Kind::Attribute) {
                types.push(self.ty(builder, child, scope));
            }
        }
        types
    }

    /// A type that holds values of the type `element`, whatever it is called.
    pub fn container(&mut self, builder: &mut NamesBuilder<'_>, element: ExprId) -> ExprId {
        let args = builder.list(&[element]);
        builder.expr(Expr::Generic { base: None, args })
    }

    /// A value that holds `value`.
    pub fn holding(&mut self, builder: &mut NamesBuilder<'_>, base: Option<ExprId>, value: ExprId) -> ExprId {
        let of = if value == builder.unknown() { value } else { builder.expr(Expr::TypeOf { of: value }) };
        let args = builder.list(&[of]);
        let of = builder.expr(Expr::Generic { base, args });
        builder.expr(Expr::Instance { of })
    }

    /// `base` with the type arguments of `arguments`; `named` is the node of `base`.
    pub fn with_arguments(
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
            match kind(child) {
                Kind::TypeBinding => {
                    if let Some(name) = FIELDS.name.of(child) {
                        builder.use_member(base, name, Role::Type);
                    }
                    if let Some(of) = FIELDS.of_type.of(child) {
                        args.push(self.ty(builder, of, scope));
                    }
                }
                Kind::Lifetime | Kind::LineComment | Kind::BlockComment => {}
                Kind::Integer | Kind::Boolean | Kind::Char | Kind::Negative => {}
                Kind::Bounds => {
                    self.bounds(builder, child, scope);
                }
                Kind::Block => {
                    self.expr(builder, child, scope, Role::Read);
                }
                _ => args.push(self.ty(builder, child, scope)),
            }
        }
        let named = named.map_or("", |named| builder.text(FIELDS.name.of(named).unwrap_or(named)));
        args.truncate(kept_arguments(named));
        self.generic_of(builder, base, named, &args)
    }

    /// The type `base`, called `name`, with arguments.
    pub fn generic_of(&mut self, builder: &mut NamesBuilder<'_>, base: ExprId, name: &str, args: &[ExprId]) -> ExprId {
        match args {
            [] => base,
            // What points to a value is used as that value.
            [.., last] if POINTERS.contains(&name) => *last,
            args => {
                let args = builder.list(args);
                builder.expr(Expr::Generic { base: Some(base), args })
            }
        }
    }

    /// `<T as Trait>`: the trait, whose members the path goes on to; `<T>`: the type.
    pub fn bracketed(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        let Some(inner) = node.named_child(0) else { return builder.unknown() };
        if kind(inner) != Kind::QualifiedType {
            return self.ty(builder, inner, scope);
        }
        if let Some(of) = FIELDS.of_type.of(inner) {
            self.ty(builder, of, scope);
        }
        FIELDS.alias.of(inner).map_or(builder.unknown(), |alias| self.ty(builder, alias, scope))
    }

    /// `Fn(A) -> B`, `fn(A) -> B`: something that can be called.
    fn function_type(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        if let Some(of) = FIELDS.of_trait.of(node) {
            self.path(builder, of, scope, Role::Type);
        }
        let body = builder.scope(scope, ScopeKind::Function, node);
        let types = FIELDS.parameters.of(node).map_or_else(Vec::new, |node| self.parameters(builder, node, body).1);
        let types = builder.list(&types);
        let gives = FIELDS.return_type.of(node).map(|gives| self.ty(builder, gives, scope));
        let name = builder.intern("");
        let binding = builder.bind_name(body, BindingKind::Function, name, node.start_byte());
        let function = builder.binding(binding);
        function.annotation = gives;
        function.bases = types;
        builder.expr(Expr::Function { binding })
    }

    /// `A + B`: one of the types, all of whose members are there.
    pub fn bounds(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        let mut cursor = node.walk();
        let (mut strong, mut weak) = (Vec::new(), Vec::new());
        for child in node.named_children(&mut cursor) {
            if matches!(kind(child), Kind::Lifetime | Kind::LineComment | Kind::BlockComment) {
                continue;
            }
            let bound = self.ty(builder, child, scope);
            let named = if kind(child) == Kind::ScopedType { FIELDS.name.of(child) } else { Some(child) };
            if named.is_some_and(|named| MARKERS.contains(&builder.text(named))) {
                weak.push(bound);
            } else {
                strong.push(bound);
            }
        }
        builder.either(if strong.is_empty() { weak } else { strong })
    }

    /// Binds the generic parameters that `node` declares in `scope`.
    pub fn generics(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) {
        let Some(parameters) = FIELDS.type_parameters.of(node) else { return };
        let mut cursor = parameters.walk();
        for child in parameters.named_children(&mut cursor) {
            let Some(name) = FIELDS.name.of(child) else { continue };
            match kind(child) {
                Kind::TypeParameter => {
                    let binding = builder.bind(scope, BindingKind::TypeParameter, name);
                    if let Some(bounds) = FIELDS.bounds.of(child) {
                        let bounds = self.bounds(builder, bounds, scope);
                        builder.binding(binding).annotation = Some(bounds);
                    }
                    if let Some(default) = FIELDS.default_type.of(child) {
                        let default = self.ty(builder, default, scope);
                        builder.binding(binding).annotation.get_or_insert(default);
                    }
                }
                Kind::ConstParameter => {
                    let binding = builder.bind(scope, BindingKind::Parameter, name);
                    if let Some(of) = FIELDS.of_type.of(child) {
                        let of = self.ty(builder, of, scope);
                        builder.binding(binding).annotation = Some(of);
                    }
                    if let Some(value) = FIELDS.value.of(child) {
                        self.expr(builder, value, scope, Role::Read);
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds what the `where` clause of `node` says to the generic parameters bound in `scope` since `first`.
    pub fn wheres(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId, first: usize) {
        let mut cursor = node.walk();
        for clause in node.named_children(&mut cursor).filter(|child| kind(*child) == Kind::Where) {
            let mut cursor = clause.walk();
            for predicate in clause.named_children(&mut cursor) {
                let left = FIELDS.left.of(predicate);
                if let Some(left) = left {
                    self.ty(builder, left, scope);
                }
                let Some(bounds) = FIELDS.bounds.of(predicate) else { continue };
                let bounds = self.bounds(builder, bounds, scope);
                let Some(left) = left.filter(|left| kind(*left) == Kind::TypeIdentifier) else { continue };
                let name = builder.name(left);
                let declared = builder.names.bindings.iter().enumerate().skip(first).find(|(_, binding)| {
                    binding.kind == BindingKind::TypeParameter && binding.name == name && binding.scope == scope
                });
                let Some((id, declared)) = declared.map(|(id, binding)| (offset(id), binding.annotation)) else {
                    continue;
                };
                let both = builder.either(declared.into_iter().chain([bounds]).collect());
                builder.binding(id).annotation = Some(both);
            }
        }
    }

    /// Whether a type leaves something open (`Vec<_>`), so that a value tells more.
    pub fn is_open(&self, builder: &NamesBuilder<'_>, of: ExprId) -> bool {
        match builder.names.expr(of) {
            Expr::Unknown => true,
            Expr::Generic { args, .. } | Expr::Tuple(args) => {
                builder.names.list(args).iter().any(|arg| *arg == builder.unknown() || self.is_open(builder, *arg))
            }
            _ => false,
        }
    }
}

/// How many arguments of a type say what it holds. What a result holds is what it holds when all is well; the others
/// may be followed by how they hash.
pub(super) fn kept_arguments(name: &str) -> usize {
    match name {
        name if name.ends_with("Result") || name.ends_with("Set") => 1,
        name if name.ends_with("Map") => 2,
        _ => usize::MAX,
    }
}
