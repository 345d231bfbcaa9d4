//! Expressions for the types in TypeScript source.

use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::{Binder, ExprContext, This};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId, ScopeKind};

/// Names of TypeScript utility types that only change the modifiers or the set of members of their first type argument.
const MODIFIER_TYPES: &[&str] =
    &["Partial", "Required", "Readonly", "Pick", "Omit", "NonNullable", "DeepPartial", "DeepReadonly", "ThisType"];

/// Types of TypeScript's standard library whose elements have the type of their first type argument.
const ITERATOR_TYPES: &[&str] = &["Generator", "AsyncGenerator", "Iterator", "AsyncIterator"];

impl<'t> Binder<'t> {
    /// The expression for the type in `: T`, `extends T` or `= T`; unknown for the type predicate `: x is T`.
    pub(super) fn type_of_annotation(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        self.type_expr(node, builder)
    }

    /// The expression for the type that a TypeScript node denotes.
    pub(super) fn type_expr(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.kind_of_node(node) {
            Kind::Token | Kind::Leaf | Kind::PredefinedType | Kind::String => builder.unknown_expr(),
            Kind::TypeIdentifier | Kind::Identifier => builder.record_name_use(node, self.scope, Role::Type),
            Kind::ThisType | Kind::This => match self.this {
                This::Instance(scope) | This::Type(scope) => builder.add_expr(Expr::ThisType { scope }),
                This::Unknown => builder.unknown_expr(),
                _ => {
                    let of = self.this_value(builder);
                    Self::type_of_value(of, builder)
                }
            },
            kind => builder.run_with_depth_limit(node, |builder| self.compound_type_expr(kind, node, builder)),
        }
    }

    fn compound_type_expr(&mut self, kind: Kind, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        match kind {
            Kind::TypeAnnotation | Kind::WrappedType => {
                let mut of = builder.unknown_expr();
                self.for_each_named_or_unnamed_child(node, builder, |this, child, _, builder| {
                    if child.is_named() && !this.is_comment(child) {
                        of = this.type_expr(child, builder);
                    }
                });
                of
            }
            Kind::GenericType => self.generic_type_expr(node, builder),
            Kind::NestedTypeIdentifier => {
                let (mut base, mut name) = (builder.unknown_expr(), None);
                self.for_each_named_or_unnamed_child(node, builder, |this, child, field, builder| match field {
                    Field::Module => base = this.bind_names_and_get_value(child, ExprContext::READ, builder),
                    Field::Name => name = Some(child),
                    _ => {}
                });
                name.map_or(builder.unknown_expr(), |name| builder.record_member_use(base, name, Role::Type))
            }
            Kind::UnionType | Kind::IntersectionType => self.union_or_intersection_type_expr(node, builder),
            Kind::ObjectType => {
                let scope = self.add_scope_inside_current(ScopeKind::Type, node, builder);
                self.bind_interface_or_object_type_members(node, scope, builder);
                builder.add_expr(Expr::Object { scope })
            }
            Kind::ArrayType => {
                let element = self.type_of_last_named_child(node, builder);
                if element == builder.unknown_expr() {
                    return element;
                }
                let args = builder.add_expr_list(&[element]);
                builder.add_expr(Expr::Generic { base: None, args })
            }
            Kind::TupleType => {
                let mut parts = Vec::new();
                self.for_each_named_or_unnamed_child(node, builder, |this, child, _, builder| {
                    if child.is_named() && !this.is_comment(child) {
                        parts.push(this.tuple_element_type(child, builder));
                    }
                });
                let span = builder.add_expr_list(&parts);
                builder.add_expr(Expr::Tuple(span))
            }
            Kind::FunctionType | Kind::ConstructorType => {
                let binding = self.bind_function_type_or_unnamed_signature(node, builder);
                builder.add_expr(Expr::Function { binding })
            }
            Kind::TypeQuery => {
                let mut of = builder.unknown_expr();
                self.for_each_named_or_unnamed_child(node, builder, |this, child, _, builder| {
                    if child.is_named() && !this.is_comment(child) {
                        of = this.bind_names_and_get_value(child, ExprContext::READ, builder);
                    }
                });
                Self::type_of_value(of, builder)
            }
            Kind::KeyOf => {
                self.type_of_last_named_child(node, builder);
                builder.unknown_expr()
            }
            Kind::LookupType => self.indexed_access_type(node, builder),
            Kind::ConditionalType => {
                // A name that `infer` declares is visible only in its conditional type.
                let scope = self.add_scope_inside_current(ScopeKind::Block, node, builder);
                let mut results = Vec::new();
                self.run_in_scope(scope, |this| {
                    this.for_each_named_or_unnamed_child(node, builder, |this, child, field, builder| {
                        if child.is_named() {
                            let of = this.type_expr(child, builder);
                            if matches!(field, Field::Consequence | Field::Alternative) {
                                results.push(of);
                            }
                        }
                    });
                });
                builder.expr_of_possible_values(results)
            }
            Kind::InferType => {
                let mut bound = None;
                self.for_each_named_or_unnamed_child(node, builder, |this, child, _, builder| {
                    match (bound, this.kind_of_node(child)) {
                        (None, Kind::TypeIdentifier) => {
                            bound = Some(this.bind_name(this.scope, BindingKind::TypeParameter, child, builder));
                        }
                        _ if child.is_named() => {
                            this.type_expr(child, builder);
                        }
                        _ => {}
                    }
                });
                bound.map_or(builder.unknown_expr(), |binding| builder.add_expr(Expr::Bound { binding }))
            }
            Kind::TypePredicate => {
                self.bind_type_predicate(node, builder);
                builder.unknown_expr()
            }
            Kind::TypeArguments => {
                let args = self.type_argument_exprs(node, builder);
                args.first().copied().unwrap_or(builder.unknown_expr())
            }
            // Some types are written like values, such as `import("x").T`, so they are read as expressions.
            Kind::Member | Kind::Call | Kind::Subscript => {
                self.bind_names_and_get_value(node, ExprContext::for_role(Role::Type), builder)
            }
            Kind::FunctionExpression
            | Kind::Arrow
            | Kind::Object
            | Kind::StatementBlock
            | Kind::ExportStatement
            | Kind::Template => {
                self.bind_names_and_get_value(node, ExprContext::READ, builder);
                builder.unknown_expr()
            }
            _ => {
                self.for_each_named_or_unnamed_child(node, builder, |this, child, _, builder| {
                    this.type_expr(child, builder);
                });
                builder.unknown_expr()
            }
        }
    }

    fn type_of_last_named_child(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let mut of = builder.unknown_expr();
        self.for_each_named_or_unnamed_child(node, builder, |this, child, _, builder| {
            if child.is_named() && !this.is_comment(child) {
                of = this.type_expr(child, builder);
            }
        });
        of
    }

    /// The expression for a union or intersection type. The grammar nests its parts to the left; a loop reads them
    /// instead of recursion, because unions of thousands of strings occur.
    fn union_or_intersection_type_expr(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let mut parts = Vec::new();
        let mut next = Some(node);
        while let Some(node) = next.take() {
            let mut rest = Vec::new();
            self.for_each_named_or_unnamed_child(node, builder, |this, child, _, _| {
                if child.is_named() && !this.is_comment(child) {
                    rest.push(child);
                }
            });
            for (index, child) in rest.into_iter().enumerate() {
                if index == 0 && matches!(self.kind_of_node(child), Kind::UnionType | Kind::IntersectionType) {
                    next = Some(child);
                } else {
                    parts.push(child);
                }
            }
        }
        // The loop collected the parts from the outside in. Sorting restores source order.
        parts.sort_by_key(Node::start_byte);
        let mut types = Vec::new();
        for part in parts {
            let of = self.type_expr(part, builder);
            if !types.contains(&of) {
                types.push(of);
            }
        }
        builder.expr_of_possible_values(types)
    }

    fn tuple_element_type(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        if self.kind_of_node(node) != Kind::Parameter {
            return self.type_expr(node, builder);
        }
        // The name of a tuple element (`[name: T]`) is documentation and binds nothing.
        self.first_child_in_field(node, Field::Type, builder)
            .map_or(builder.unknown_expr(), |annotation| self.type_of_annotation(annotation, builder))
    }

    fn generic_type_expr(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let (mut base, mut named, mut arguments) = (builder.unknown_expr(), None, None);
        self.for_each_named_or_unnamed_child(node, builder, |this, child, field, builder| match field {
            Field::Name => {
                named = Some(child);
                base = this.type_expr(child, builder);
            }
            Field::TypeArguments => arguments = Some(child),
            _ => {}
        });
        let args = arguments.map_or_else(Vec::new, |arguments| self.type_argument_exprs(arguments, builder));
        let name = named.map_or("", |named| builder.text_of_node(named));
        let first = args.first().copied().unwrap_or(builder.unknown_expr());
        if first != builder.unknown_expr() {
            if MODIFIER_TYPES.contains(&name) {
                return first;
            }
            if ITERATOR_TYPES.contains(&name) {
                return Self::apply_type_arguments(base, &[first], builder);
            }
            match (name, builder.names.expr_by_id(first)) {
                ("ReturnType", Expr::TypeOf { of }) => {
                    let of = builder.add_expr(Expr::Call { callee: of });
                    return builder.add_expr(Expr::TypeOf { of });
                }
                ("InstanceType", Expr::TypeOf { of }) => return of,
                ("Awaited", _) => {
                    let of = Self::instance_expr_of_type(first, builder);
                    let of = Self::element_or_awaited_expr(of, builder);
                    return Self::type_of_value(of, builder);
                }
                _ => {}
            }
        }
        Self::apply_type_arguments(base, &args, builder)
    }

    /// The expression for the generic type `base` with the type arguments `args`.
    pub(super) fn apply_type_arguments(base: ExprId, args: &[ExprId], builder: &mut NamesBuilder<'_>) -> ExprId {
        if args.iter().all(|arg| *arg == builder.unknown_expr()) {
            return base;
        }
        let args = builder.add_expr_list(args);
        builder.add_expr(Expr::Generic { base: Some(base), args })
    }

    pub(super) fn type_argument_exprs(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> Vec<ExprId> {
        let mut args = Vec::new();
        self.for_each_named_or_unnamed_child(node, builder, |this, child, _, builder| {
            if child.is_named() && !this.is_comment(child) {
                args.push(this.type_expr(child, builder));
            }
        });
        args
    }

    /// The expression for the indexed access type `T["name"]` or `T[number]`.
    fn indexed_access_type(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let (mut object, mut index) = (None, None);
        self.for_each_named_or_unnamed_child(node, builder, |this, child, _, builder| {
            if !child.is_named() || this.is_comment(child) {
            } else if object.is_none() {
                object = Some(this.type_expr(child, builder));
            } else {
                index = Some(child);
            }
        });
        let (Some(object), Some(index)) = (object, index) else { return builder.unknown_expr() };
        let object = Self::instance_expr_of_type(object, builder);
        let literal = index.named_child(0).filter(|_| index.kind() == "literal_type").unwrap_or(index);
        if let Some(name) = self.name_or_path_string_text_node(literal, builder) {
            let part = self.record_member_use(object, name, Role::Member, builder);
            return if object == builder.unknown_expr() { object } else { Self::type_of_value(part, builder) };
        }
        self.type_expr(index, builder);
        let part = Self::element_or_awaited_expr(object, builder);
        Self::type_of_value(part, builder)
    }

    /// Binds the names in the type predicates `x is T` and `asserts x`.
    fn bind_type_predicate(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        self.for_each_named_or_unnamed_child(node, builder, |this, child, _, builder| match this.kind_of_node(child) {
            Kind::Identifier => {
                builder.record_name_use(child, this.scope, Role::Read);
            }
            Kind::TypePredicate => this.bind_type_predicate(child, builder),
            _ if child.is_named() => {
                this.type_expr(child, builder);
            }
            _ => {}
        });
    }

    pub(super) fn bind_type_parameters(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.for_each_named_or_unnamed_child(node, builder, |this, child, _, builder| {
            if this.kind_of_node(child) != Kind::TypeParameter {
                return;
            }
            let mut binding = None;
            this.for_each_named_or_unnamed_child(child, builder, |this, child, field, builder| match field {
                Field::Name => binding = Some(this.bind_name(scope, BindingKind::TypeParameter, child, builder)),
                Field::Constraint => {
                    let bound = this.type_of_annotation(child, builder);
                    if let Some(binding) = binding {
                        builder.binding_mut(binding).annotation = (bound != builder.unknown_expr()).then_some(bound);
                    }
                }
                _ if child.is_named() => {
                    this.type_expr(child, builder);
                }
                _ => {}
            });
        });
    }

    /// Binds the type parameter of the mapped type `K in T as U`.
    pub(super) fn bind_mapped_type_clause(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.for_each_named_or_unnamed_child(node, builder, |this, child, field, builder| match field {
            Field::Name => {
                this.bind_name(scope, BindingKind::TypeParameter, child, builder);
            }
            _ if child.is_named() => {
                this.type_expr(child, builder);
            }
            _ => {}
        });
    }
}
