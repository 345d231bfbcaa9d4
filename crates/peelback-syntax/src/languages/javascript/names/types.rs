//! Types, as TypeScript writes them.

use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::{Binder, ExprContext, This};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId, ScopeKind};

/// Types of the standard library that mean their first argument with other modifiers.
const TRANSPARENT: &[&str] =
    &["Partial", "Required", "Readonly", "Pick", "Omit", "NonNullable", "DeepPartial", "DeepReadonly", "ThisType"];

/// Types of the standard library whose first argument is what they hold, whatever follows.
const FIRST_HELD: &[&str] = &["Generator", "AsyncGenerator", "Iterator", "AsyncIterator"];

impl<'t> Binder<'t> {
    /// The type in `: T`, `extends T`, `= T`; unknown for `: x is T`.
    pub(super) fn annotation(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        self.ty(node, builder)
    }

    /// What a type means.
    pub(super) fn ty(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.kind(node) {
            Kind::Token | Kind::Leaf | Kind::PredefinedType | Kind::String => builder.unknown(),
            Kind::TypeIdentifier | Kind::Identifier => builder.use_name(node, self.scope, Role::Type),
            Kind::ThisType | Kind::This => match self.this {
                This::Instance(scope) | This::Type(scope) => builder.expr(Expr::ThisType { scope }),
                This::Unknown => builder.unknown(),
                _ => {
                    let of = self.this(builder);
                    Self::type_of(of, builder)
                }
            },
            kind => builder.deeper(node, |builder| self.compound_type(kind, node, builder)),
        }
    }

    fn compound_type(&mut self, kind: Kind, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        match kind {
            Kind::TypeAnnotation | Kind::WrappedType => {
                let mut of = builder.unknown();
                self.each(node, builder, |this, child, _, builder| {
                    if child.is_named() && !this.is_comment(child) {
                        of = this.ty(child, builder);
                    }
                });
                of
            }
            Kind::GenericType => self.generic_type(node, builder),
            Kind::NestedTypeIdentifier => {
                let (mut base, mut name) = (builder.unknown(), None);
                self.each(node, builder, |this, child, field, builder| match field {
                    Field::Module => base = this.value(child, ExprContext::READ, builder),
                    Field::Name => name = Some(child),
                    _ => {}
                });
                name.map_or(builder.unknown(), |name| builder.use_member(base, name, Role::Type))
            }
            Kind::UnionType | Kind::IntersectionType => self.either_type(node, builder),
            Kind::ObjectType => {
                let scope = self.open(ScopeKind::Type, node, builder);
                self.type_members(node, scope, builder);
                builder.expr(Expr::Object { scope })
            }
            Kind::ArrayType => {
                let element = self.only_type(node, builder);
                if element == builder.unknown() {
                    return element;
                }
                let args = builder.list(&[element]);
                builder.expr(Expr::Generic { base: None, args })
            }
            Kind::TupleType => {
                let mut parts = Vec::new();
                self.each(node, builder, |this, child, _, builder| {
                    if child.is_named() && !this.is_comment(child) {
                        parts.push(this.tuple_part(child, builder));
                    }
                });
                let span = builder.list(&parts);
                builder.expr(Expr::Tuple(span))
            }
            Kind::FunctionType | Kind::ConstructorType => {
                let binding = self.function_type(node, builder);
                builder.expr(Expr::Function { binding })
            }
            Kind::TypeQuery => {
                let mut of = builder.unknown();
                self.each(node, builder, |this, child, _, builder| {
                    if child.is_named() && !this.is_comment(child) {
                        of = this.value(child, ExprContext::READ, builder);
                    }
                });
                Self::type_of(of, builder)
            }
            Kind::KeyOf => {
                self.only_type(node, builder);
                builder.unknown()
            }
            Kind::LookupType => self.lookup_type(node, builder),
            Kind::ConditionalType => {
                // What `infer` names holds in this type alone.
                let scope = self.open(ScopeKind::Block, node, builder);
                let mut results = Vec::new();
                self.within(scope, |this| {
                    this.each(node, builder, |this, child, field, builder| {
                        if child.is_named() {
                            let of = this.ty(child, builder);
                            if matches!(field, Field::Consequence | Field::Alternative) {
                                results.push(of);
                            }
                        }
                    });
                });
                builder.either(results)
            }
            Kind::InferType => {
                let mut bound = None;
                self.each(node, builder, |this, child, _, builder| match (bound, this.kind(child)) {
                    (None, Kind::TypeIdentifier) => {
                        bound = Some(this.bind(this.scope, BindingKind::TypeParameter, child, builder));
                    }
                    _ if child.is_named() => {
                        this.ty(child, builder);
                    }
                    _ => {}
                });
                bound.map_or(builder.unknown(), |binding| builder.expr(Expr::Bound { binding }))
            }
            Kind::TypePredicate => {
                self.predicate(node, builder);
                builder.unknown()
            }
            Kind::TypeArguments => {
                let args = self.type_arguments(node, builder);
                args.first().copied().unwrap_or(builder.unknown())
            }
            // `import("x").T`, and whatever else is written like a value.
            Kind::Member | Kind::Call | Kind::Subscript => self.value(node, ExprContext::role(Role::Type), builder),
            Kind::FunctionExpression
            | Kind::Arrow
            | Kind::Object
            | Kind::StatementBlock
            | Kind::ExportStatement
            | Kind::Template => {
                self.value(node, ExprContext::READ, builder);
                builder.unknown()
            }
            _ => {
                self.each(node, builder, |this, child, _, builder| {
                    this.ty(child, builder);
                });
                builder.unknown()
            }
        }
    }

    fn only_type(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let mut of = builder.unknown();
        self.each(node, builder, |this, child, _, builder| {
            if child.is_named() && !this.is_comment(child) {
                of = this.ty(child, builder);
            }
        });
        of
    }

    /// Unions and intersections, without going deeper for each part: unions of thousands of strings occur.
    fn either_type(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let mut parts = Vec::new();
        let mut next = Some(node);
        while let Some(node) = next.take() {
            let mut rest = Vec::new();
            self.each(node, builder, |this, child, _, _| {
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
            let of = self.ty(part, builder);
            if !types.contains(&of) {
                types.push(of);
            }
        }
        builder.either(types)
    }

    fn tuple_part(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        if self.kind(node) != Kind::Parameter {
            return self.ty(node, builder);
        }
        // The names of parts bind nothing.
        self.child(node, Field::Type, builder)
            .map_or(builder.unknown(), |annotation| self.annotation(annotation, builder))
    }

    fn generic_type(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let (mut base, mut named, mut arguments) = (builder.unknown(), None, None);
        self.each(node, builder, |this, child, field, builder| match field {
            Field::Name => {
                named = Some(child);
                base = this.ty(child, builder);
            }
            Field::TypeArguments => arguments = Some(child),
            _ => {}
        });
        let args = arguments.map_or_else(Vec::new, |arguments| self.type_arguments(arguments, builder));
        let name = named.map_or("", |named| builder.text(named));
        let first = args.first().copied().unwrap_or(builder.unknown());
        if first != builder.unknown() {
            if TRANSPARENT.contains(&name) {
                return first;
            }
            if FIRST_HELD.contains(&name) {
                return Self::generic(base, &[first], builder);
            }
            match (name, builder.names.expr(first)) {
                ("ReturnType", Expr::TypeOf { of }) => {
                    let of = builder.expr(Expr::Call { callee: of });
                    return builder.expr(Expr::TypeOf { of });
                }
                ("InstanceType", Expr::TypeOf { of }) => return of,
                ("Awaited", _) => {
                    let of = Self::instance(first, builder);
                    let of = Self::element(of, builder);
                    return Self::type_of(of, builder);
                }
                _ => {}
            }
        }
        Self::generic(base, &args, builder)
    }

    /// A type with arguments.
    pub(super) fn generic(base: ExprId, args: &[ExprId], builder: &mut NamesBuilder<'_>) -> ExprId {
        if args.iter().all(|arg| *arg == builder.unknown()) {
            return base;
        }
        let args = builder.list(args);
        builder.expr(Expr::Generic { base: Some(base), args })
    }

    pub(super) fn type_arguments(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> Vec<ExprId> {
        let mut args = Vec::new();
        self.each(node, builder, |this, child, _, builder| {
            if child.is_named() && !this.is_comment(child) {
                args.push(this.ty(child, builder));
            }
        });
        args
    }

    /// `T["name"]`, `T[number]`.
    fn lookup_type(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let (mut object, mut index) = (None, None);
        self.each(node, builder, |this, child, _, builder| {
            if !child.is_named() || this.is_comment(child) {
            } else if object.is_none() {
                object = Some(this.ty(child, builder));
            } else {
                index = Some(child);
            }
        });
        let (Some(object), Some(index)) = (object, index) else { return builder.unknown() };
        let object = Self::instance(object, builder);
        let literal = index.named_child(0).filter(|_| index.kind() == "literal_type").unwrap_or(index);
        if let Some(name) = self.string_name(literal, builder) {
            let part = self.use_member(object, name, Role::Member, builder);
            return if object == builder.unknown() { object } else { Self::type_of(part, builder) };
        }
        self.ty(index, builder);
        let part = Self::element(object, builder);
        Self::type_of(part, builder)
    }

    /// `x is T`, `asserts x`.
    fn predicate(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        self.each(node, builder, |this, child, _, builder| match this.kind(child) {
            Kind::Identifier => {
                builder.use_name(child, this.scope, Role::Read);
            }
            Kind::TypePredicate => this.predicate(child, builder),
            _ if child.is_named() => {
                this.ty(child, builder);
            }
            _ => {}
        });
    }

    pub(super) fn type_parameters(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.each(node, builder, |this, child, _, builder| {
            if this.kind(child) != Kind::TypeParameter {
                return;
            }
            let mut binding = None;
            this.each(child, builder, |this, child, field, builder| match field {
                Field::Name => binding = Some(this.bind(scope, BindingKind::TypeParameter, child, builder)),
                Field::Constraint => {
                    let bound = this.annotation(child, builder);
                    if let Some(binding) = binding {
                        builder.binding(binding).annotation = (bound != builder.unknown()).then_some(bound);
                    }
                }
                _ if child.is_named() => {
                    this.ty(child, builder);
                }
                _ => {}
            });
        });
    }

    /// `K in T as U`.
    pub(super) fn mapped_type(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.each(node, builder, |this, child, field, builder| match field {
            Field::Name => {
                this.bind(scope, BindingKind::TypeParameter, child, builder);
            }
            _ if child.is_named() => {
                this.ty(child, builder);
            }
            _ => {}
        });
    }
}
