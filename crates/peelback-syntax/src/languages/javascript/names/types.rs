//! Types, as TypeScript writes them.

use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::{Binder, This, Want};
use crate::names::{BindingKind, Cx, Expr, ExprId, Role, ScopeId, ScopeKind};

/// Types of the standard library that mean their first argument with other modifiers.
const TRANSPARENT: &[&str] =
    &["Partial", "Required", "Readonly", "Pick", "Omit", "NonNullable", "DeepPartial", "DeepReadonly", "ThisType"];

/// Types of the standard library whose first argument is what they hold, whatever follows.
const FIRST_HELD: &[&str] = &["Generator", "AsyncGenerator", "Iterator", "AsyncIterator"];

impl<'t> Binder<'t> {
    /// The type in `: T`, `extends T`, `= T`; unknown for `: x is T`.
    pub(super) fn annotation(&mut self, node: Node<'t>, cx: &mut Cx<'_>) -> ExprId {
        self.ty(node, cx)
    }

    /// What a type means.
    pub(super) fn ty(&mut self, node: Node<'t>, cx: &mut Cx<'_>) -> ExprId {
        match self.kind(node) {
            Kind::Token | Kind::Leaf | Kind::PredefinedType | Kind::String => cx.unknown(),
            Kind::TypeIdentifier | Kind::Identifier => cx.use_name(node, self.scope, Role::Type),
            Kind::ThisType | Kind::This => match self.this {
                This::Instance(scope) | This::Type(scope) => cx.expr(Expr::ThisType { scope }),
                This::Unknown => cx.unknown(),
                _ => {
                    let of = self.this(cx);
                    Self::type_of(of, cx)
                }
            },
            kind => cx.deeper(node, |cx| self.compound_type(kind, node, cx)),
        }
    }

    fn compound_type(&mut self, kind: Kind, node: Node<'t>, cx: &mut Cx<'_>) -> ExprId {
        match kind {
            Kind::TypeAnnotation | Kind::WrappedType => {
                let mut of = cx.unknown();
                self.each(node, cx, |this, child, _, cx| {
                    if child.is_named() && !this.is_comment(child) {
                        of = this.ty(child, cx);
                    }
                });
                of
            }
            Kind::GenericType => self.generic_type(node, cx),
            Kind::NestedTypeIdentifier => {
                let (mut base, mut name) = (cx.unknown(), None);
                self.each(node, cx, |this, child, field, cx| match field {
                    Field::Module => base = this.value(child, Want::READ, cx),
                    Field::Name => name = Some(child),
                    _ => {}
                });
                name.map_or(cx.unknown(), |name| cx.use_member(base, name, Role::Type))
            }
            Kind::UnionType | Kind::IntersectionType => self.either_type(node, cx),
            Kind::ObjectType => {
                let scope = self.open(ScopeKind::Type, node, cx);
                self.type_members(node, scope, cx);
                cx.expr(Expr::Object { scope })
            }
            Kind::ArrayType => {
                let element = self.only_type(node, cx);
                if element == cx.unknown() {
                    return element;
                }
                let args = cx.list(&[element]);
                cx.expr(Expr::Generic { base: None, args })
            }
            Kind::TupleType => {
                let mut parts = Vec::new();
                self.each(node, cx, |this, child, _, cx| {
                    if child.is_named() && !this.is_comment(child) {
                        parts.push(this.tuple_part(child, cx));
                    }
                });
                let span = cx.list(&parts);
                cx.expr(Expr::Tuple(span))
            }
            Kind::FunctionType | Kind::ConstructorType => {
                let binding = self.function_type(node, cx);
                cx.expr(Expr::Function { binding })
            }
            Kind::TypeQuery => {
                let mut of = cx.unknown();
                self.each(node, cx, |this, child, _, cx| {
                    if child.is_named() && !this.is_comment(child) {
                        of = this.value(child, Want::READ, cx);
                    }
                });
                Self::type_of(of, cx)
            }
            Kind::KeyOf => {
                self.only_type(node, cx);
                cx.unknown()
            }
            Kind::LookupType => self.lookup_type(node, cx),
            Kind::ConditionalType => {
                // What `infer` names holds in this type alone.
                let scope = self.open(ScopeKind::Block, node, cx);
                let mut results = Vec::new();
                self.within(scope, |this| {
                    this.each(node, cx, |this, child, field, cx| {
                        if child.is_named() {
                            let of = this.ty(child, cx);
                            if matches!(field, Field::Consequence | Field::Alternative) {
                                results.push(of);
                            }
                        }
                    });
                });
                cx.either(results)
            }
            Kind::InferType => {
                let mut bound = None;
                self.each(node, cx, |this, child, _, cx| match (bound, this.kind(child)) {
                    (None, Kind::TypeIdentifier) => {
                        bound = Some(this.bind(this.scope, BindingKind::TypeParameter, child, cx));
                    }
                    _ if child.is_named() => {
                        this.ty(child, cx);
                    }
                    _ => {}
                });
                bound.map_or(cx.unknown(), |binding| cx.expr(Expr::Bound { binding }))
            }
            Kind::TypePredicate => {
                self.predicate(node, cx);
                cx.unknown()
            }
            Kind::TypeArguments => {
                let args = self.type_arguments(node, cx);
                args.first().copied().unwrap_or(cx.unknown())
            }
            // `import("x").T`, and whatever else is written like a value.
            Kind::Member | Kind::Call | Kind::Subscript => self.value(node, Want::role(Role::Type), cx),
            Kind::FunctionExpression
            | Kind::Arrow
            | Kind::Object
            | Kind::StatementBlock
            | Kind::ExportStatement
            | Kind::Template => {
                self.value(node, Want::READ, cx);
                cx.unknown()
            }
            _ => {
                self.each(node, cx, |this, child, _, cx| {
                    this.ty(child, cx);
                });
                cx.unknown()
            }
        }
    }

    fn only_type(&mut self, node: Node<'t>, cx: &mut Cx<'_>) -> ExprId {
        let mut of = cx.unknown();
        self.each(node, cx, |this, child, _, cx| {
            if child.is_named() && !this.is_comment(child) {
                of = this.ty(child, cx);
            }
        });
        of
    }

    /// Unions and intersections, without going deeper for each part: unions of thousands of strings occur.
    fn either_type(&mut self, node: Node<'t>, cx: &mut Cx<'_>) -> ExprId {
        let mut parts = Vec::new();
        let mut next = Some(node);
        while let Some(node) = next.take() {
            let mut rest = Vec::new();
            self.each(node, cx, |this, child, _, _| {
                if child.is_named() && !this.is_comment(child) {
                    rest.push(child);
                }
            });
            for (index, child) in rest.into_iter().enumerate() {
                if index == 0 && matches!(self.kind(child), Kind::UnionType | Kind::IntersectionType) {
                    next = Some(child);
                } else {
                    parts.push(child);
                }
            }
        }
        // The parts were met from the outside in; the text has them the other way about.
        parts.sort_by_key(Node::start_byte);
        let mut types = Vec::new();
        for part in parts {
            let of = self.ty(part, cx);
            if !types.contains(&of) {
                types.push(of);
            }
        }
        cx.either(types)
    }

    fn tuple_part(&mut self, node: Node<'t>, cx: &mut Cx<'_>) -> ExprId {
        if self.kind(node) != Kind::Parameter {
            return self.ty(node, cx);
        }
        // The names of parts bind nothing.
        self.child(node, Field::Type, cx).map_or(cx.unknown(), |annotation| self.annotation(annotation, cx))
    }

    fn generic_type(&mut self, node: Node<'t>, cx: &mut Cx<'_>) -> ExprId {
        let (mut base, mut named, mut arguments) = (cx.unknown(), None, None);
        self.each(node, cx, |this, child, field, cx| match field {
            Field::Name => {
                named = Some(child);
                base = this.ty(child, cx);
            }
            Field::TypeArguments => arguments = Some(child),
            _ => {}
        });
        let args = arguments.map_or_else(Vec::new, |arguments| self.type_arguments(arguments, cx));
        let name = named.map_or("", |named| cx.text(named));
        let first = args.first().copied().unwrap_or(cx.unknown());
        if first != cx.unknown() {
            if TRANSPARENT.contains(&name) {
                return first;
            }
            if FIRST_HELD.contains(&name) {
                return Self::generic(base, &[first], cx);
            }
            match (name, cx.names.expr(first)) {
                ("ReturnType", Expr::TypeOf { of }) => {
                    let of = cx.expr(Expr::Call { callee: of });
                    return cx.expr(Expr::TypeOf { of });
                }
                ("InstanceType", Expr::TypeOf { of }) => return of,
                ("Awaited", _) => {
                    let of = Self::instance(first, cx);
                    let of = Self::element(of, cx);
                    return Self::type_of(of, cx);
                }
                _ => {}
            }
        }
        Self::generic(base, &args, cx)
    }

    /// A type with arguments.
    pub(super) fn generic(base: ExprId, args: &[ExprId], cx: &mut Cx<'_>) -> ExprId {
        if args.iter().all(|arg| *arg == cx.unknown()) {
            return base;
        }
        let args = cx.list(args);
        cx.expr(Expr::Generic { base: Some(base), args })
    }

    pub(super) fn type_arguments(&mut self, node: Node<'t>, cx: &mut Cx<'_>) -> Vec<ExprId> {
        let mut args = Vec::new();
        self.each(node, cx, |this, child, _, cx| {
            if child.is_named() && !this.is_comment(child) {
                args.push(this.ty(child, cx));
            }
        });
        args
    }

    /// `T["name"]`, `T[number]`.
    fn lookup_type(&mut self, node: Node<'t>, cx: &mut Cx<'_>) -> ExprId {
        let (mut object, mut index) = (None, None);
        self.each(node, cx, |this, child, _, cx| {
            if !child.is_named() || this.is_comment(child) {
            } else if object.is_none() {
                object = Some(this.ty(child, cx));
            } else {
                index = Some(child);
            }
        });
        let (Some(object), Some(index)) = (object, index) else { return cx.unknown() };
        let object = Self::instance(object, cx);
        let literal = index.named_child(0).filter(|_| index.kind() == "literal_type").unwrap_or(index);
        if let Some(name) = self.string_name(literal, cx) {
            let part = self.use_member(object, name, Role::Member, cx);
            return if object == cx.unknown() { object } else { Self::type_of(part, cx) };
        }
        self.ty(index, cx);
        let part = Self::element(object, cx);
        Self::type_of(part, cx)
    }

    /// `x is T`, `asserts x`.
    fn predicate(&mut self, node: Node<'t>, cx: &mut Cx<'_>) {
        self.each(node, cx, |this, child, _, cx| match this.kind(child) {
            Kind::Identifier => {
                cx.use_name(child, this.scope, Role::Read);
            }
            Kind::TypePredicate => this.predicate(child, cx),
            _ if child.is_named() => {
                this.ty(child, cx);
            }
            _ => {}
        });
    }

    pub(super) fn type_parameters(&mut self, node: Node<'t>, scope: ScopeId, cx: &mut Cx<'_>) {
        self.each(node, cx, |this, child, _, cx| {
            if this.kind(child) != Kind::TypeParameter {
                return;
            }
            let mut binding = None;
            this.each(child, cx, |this, child, field, cx| match field {
                Field::Name => binding = Some(this.bind(scope, BindingKind::TypeParameter, child, cx)),
                Field::Constraint => {
                    let bound = this.annotation(child, cx);
                    if let Some(binding) = binding {
                        cx.binding(binding).annotation = (bound != cx.unknown()).then_some(bound);
                    }
                }
                _ if child.is_named() => {
                    this.ty(child, cx);
                }
                _ => {}
            });
        });
    }

    /// `K in T as U`.
    pub(super) fn mapped_type(&mut self, node: Node<'t>, scope: ScopeId, cx: &mut Cx<'_>) {
        self.each(node, cx, |this, child, field, cx| match field {
            Field::Name => {
                this.bind(scope, BindingKind::TypeParameter, child, cx);
            }
            _ if child.is_named() => {
                this.ty(child, cx);
            }
            _ => {}
        });
    }
}
