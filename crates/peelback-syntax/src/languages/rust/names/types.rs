//! Types, generic parameters and bounds.

use tree_sitter::Node;

use super::kinds::{FIELDS, Kind, kind};
use super::{Binder, offset};
use crate::names::{BindingKind, Cx, Expr, ExprId, Role, ScopeId, ScopeKind};

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
    pub fn ty(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        match kind(node) {
            Kind::TypeIdentifier | Kind::Identifier => self.path(cx, node, scope, Role::Type),
            Kind::PrimitiveType | Kind::UnitType | Kind::NeverType | Kind::Metavariable | Kind::Lifetime => {
                cx.unknown()
            }
            _ => cx.deeper(node, |cx| self.ty_inside(cx, node, scope)),
        }
    }

    fn ty_inside(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        match kind(node) {
            Kind::ScopedType | Kind::ScopedIdentifier | Kind::GenericType | Kind::TurbofishType => {
                self.path(cx, node, scope, Role::Type)
            }
            Kind::ReferenceType | Kind::PointerType | Kind::HigherRanked => {
                FIELDS.of_type.of(node).map_or(cx.unknown(), |inner| self.ty(cx, inner, scope))
            }
            Kind::ArrayType => {
                let element = FIELDS.element.of(node).map_or(cx.unknown(), |element| self.ty(cx, element, scope));
                if let Some(length) = FIELDS.length.of(node) {
                    self.expr(cx, length, scope, Role::Read);
                }
                self.container(cx, element)
            }
            Kind::TupleType => {
                let parts = self.types(cx, node, scope);
                let parts = cx.list(&parts);
                cx.expr(Expr::Tuple(parts))
            }
            Kind::AbstractType | Kind::DynamicType => {
                FIELDS.of_trait.of(node).map_or(cx.unknown(), |of| self.ty(cx, of, scope))
            }
            Kind::BoundedType | Kind::Bounds => self.bounds(cx, node, scope),
            Kind::BracketedType => self.bracketed(cx, node, scope),
            Kind::FunctionType => self.function_type(cx, node, scope),
            Kind::TypeBinding => FIELDS.of_type.of(node).map_or(cx.unknown(), |of| self.ty(cx, of, scope)),
            Kind::RemovedBound | Kind::UseBounds | Kind::Error => {
                self.types(cx, node, scope);
                cx.unknown()
            }
            Kind::TypeParameters | Kind::ForLifetimes => cx.unknown(),
            _ => self.expr(cx, node, scope, Role::Type),
        }
    }

    /// The types among the children of `node`.
    pub fn types(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId) -> Vec<ExprId> {
        let mut cursor = node.walk();
        let mut types = Vec::new();
        for child in node.named_children(&mut cursor) {
            if !matches!(kind(child), Kind::LineComment | Kind::BlockComment | Kind::Lifetime | Kind::Attribute) {
                types.push(self.ty(cx, child, scope));
            }
        }
        types
    }

    /// A type that holds values of the type `element`, whatever it is called.
    pub fn container(&mut self, cx: &mut Cx<'_>, element: ExprId) -> ExprId {
        let args = cx.list(&[element]);
        cx.expr(Expr::Generic { base: None, args })
    }

    /// A value that holds `value`.
    pub fn holding(&mut self, cx: &mut Cx<'_>, base: Option<ExprId>, value: ExprId) -> ExprId {
        let of = if value == cx.unknown() { value } else { cx.expr(Expr::TypeOf { of: value }) };
        let args = cx.list(&[of]);
        let of = cx.expr(Expr::Generic { base, args });
        cx.expr(Expr::Instance { of })
    }

    /// `base` with the type arguments of `arguments`; `named` is the node of `base`.
    pub fn with_arguments(
        &mut self,
        cx: &mut Cx<'_>,
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
                        cx.use_member(base, name, Role::Type);
                    }
                    if let Some(of) = FIELDS.of_type.of(child) {
                        args.push(self.ty(cx, of, scope));
                    }
                }
                Kind::Lifetime | Kind::LineComment | Kind::BlockComment => {}
                Kind::Integer | Kind::Boolean | Kind::Char | Kind::Negative => {}
                Kind::Bounds => {
                    self.bounds(cx, child, scope);
                }
                Kind::Block => {
                    self.expr(cx, child, scope, Role::Read);
                }
                _ => args.push(self.ty(cx, child, scope)),
            }
        }
        let named = named.map_or("", |named| cx.text(FIELDS.name.of(named).unwrap_or(named)));
        args.truncate(kept_arguments(named));
        self.generic_of(cx, base, named, &args)
    }

    /// The type `base`, called `name`, with arguments.
    pub fn generic_of(&mut self, cx: &mut Cx<'_>, base: ExprId, name: &str, args: &[ExprId]) -> ExprId {
        match args {
            [] => base,
            // What points to a value is used as that value.
            [.., last] if POINTERS.contains(&name) => *last,
            args => {
                let args = cx.list(args);
                cx.expr(Expr::Generic { base: Some(base), args })
            }
        }
    }

    /// `<T as Trait>`: the trait, whose members the path goes on to; `<T>`: the type.
    pub fn bracketed(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        let Some(inner) = node.named_child(0) else { return cx.unknown() };
        if kind(inner) != Kind::QualifiedType {
            return self.ty(cx, inner, scope);
        }
        if let Some(of) = FIELDS.of_type.of(inner) {
            self.ty(cx, of, scope);
        }
        FIELDS.alias.of(inner).map_or(cx.unknown(), |alias| self.ty(cx, alias, scope))
    }

    /// `Fn(A) -> B`, `fn(A) -> B`: something that can be called.
    fn function_type(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        if let Some(of) = FIELDS.of_trait.of(node) {
            self.path(cx, of, scope, Role::Type);
        }
        let body = cx.scope(scope, ScopeKind::Function, node);
        let types = FIELDS.parameters.of(node).map_or_else(Vec::new, |node| self.parameters(cx, node, body).1);
        let types = cx.list(&types);
        let gives = FIELDS.return_type.of(node).map(|gives| self.ty(cx, gives, scope));
        let name = cx.intern("");
        let binding = cx.bind_name(body, BindingKind::Function, name, node.start_byte());
        let function = cx.binding(binding);
        function.annotation = gives;
        function.bases = types;
        cx.expr(Expr::Function { binding })
    }

    /// `A + B`: one of the types, all of whose members are there.
    pub fn bounds(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        let mut cursor = node.walk();
        let (mut strong, mut weak) = (Vec::new(), Vec::new());
        for child in node.named_children(&mut cursor) {
            if matches!(kind(child), Kind::Lifetime | Kind::LineComment | Kind::BlockComment) {
                continue;
            }
            let bound = self.ty(cx, child, scope);
            let named = if kind(child) == Kind::ScopedType { FIELDS.name.of(child) } else { Some(child) };
            if named.is_some_and(|named| MARKERS.contains(&cx.text(named))) {
                weak.push(bound);
            } else {
                strong.push(bound);
            }
        }
        cx.either(if strong.is_empty() { weak } else { strong })
    }

    /// Binds the generic parameters that `node` declares in `scope`.
    pub fn generics(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId) {
        let Some(parameters) = FIELDS.type_parameters.of(node) else { return };
        let mut cursor = parameters.walk();
        for child in parameters.named_children(&mut cursor) {
            let Some(name) = FIELDS.name.of(child) else { continue };
            match kind(child) {
                Kind::TypeParameter => {
                    let binding = cx.bind(scope, BindingKind::TypeParameter, name);
                    if let Some(bounds) = FIELDS.bounds.of(child) {
                        let bounds = self.bounds(cx, bounds, scope);
                        cx.binding(binding).annotation = Some(bounds);
                    }
                    if let Some(default) = FIELDS.default_type.of(child) {
                        let default = self.ty(cx, default, scope);
                        cx.binding(binding).annotation.get_or_insert(default);
                    }
                }
                Kind::ConstParameter => {
                    let binding = cx.bind(scope, BindingKind::Parameter, name);
                    if let Some(of) = FIELDS.of_type.of(child) {
                        let of = self.ty(cx, of, scope);
                        cx.binding(binding).annotation = Some(of);
                    }
                    if let Some(value) = FIELDS.value.of(child) {
                        self.expr(cx, value, scope, Role::Read);
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds what the `where` clause of `node` says to the generic parameters bound in `scope` since `first`.
    pub fn wheres(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId, first: usize) {
        let mut cursor = node.walk();
        for clause in node.named_children(&mut cursor).filter(|child| kind(*child) == Kind::Where) {
            let mut cursor = clause.walk();
            for predicate in clause.named_children(&mut cursor) {
                let left = FIELDS.left.of(predicate);
                if let Some(left) = left {
                    self.ty(cx, left, scope);
                }
                let Some(bounds) = FIELDS.bounds.of(predicate) else { continue };
                let bounds = self.bounds(cx, bounds, scope);
                let Some(left) = left.filter(|left| kind(*left) == Kind::TypeIdentifier) else { continue };
                let name = cx.name(left);
                let declared = cx.names.bindings.iter().enumerate().skip(first).find(|(_, binding)| {
                    binding.kind == BindingKind::TypeParameter && binding.name == name && binding.scope == scope
                });
                let Some((id, declared)) = declared.map(|(id, binding)| (offset(id), binding.annotation)) else {
                    continue;
                };
                let both = cx.either(declared.into_iter().chain([bounds]).collect());
                cx.binding(id).annotation = Some(both);
            }
        }
    }

    /// Whether a type leaves something open (`Vec<_>`), so that a value tells more.
    pub fn is_open(&self, cx: &Cx<'_>, of: ExprId) -> bool {
        match cx.names.expr(of) {
            Expr::Unknown => true,
            Expr::Generic { args, .. } | Expr::Tuple(args) => {
                cx.names.list(args).iter().any(|arg| *arg == cx.unknown() || self.is_open(cx, *arg))
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
