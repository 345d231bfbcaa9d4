//! Type expressions of Java: the types that declarations, casts and type arguments name.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{Expr, ExprId, NamesBuilder, RestrictedNameKind, Role, ScopeId};

/// The limit on the dimensions of an array type that are told apart.
const MAX_DIMENSIONS: usize = 8;

/// The primitive types.
const PRIMITIVES: &[&str] = &["boolean", "byte", "char", "double", "float", "int", "long", "short", "void"];

impl<'t> Binder<'t> {
    /// The expression for the type that the syntax node `node` denotes. Its names are looked up from `scope`.
    pub(super) fn type_expr(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        self.type_expr_in_role(node, scope, Role::Type, builder)
    }

    /// The expression for a type whose name is used in a role: a type is called where it is constructed.
    pub(super) fn type_expr_in_role(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        match self.kind(node) {
            Kind::TypeIdentifier | Kind::Identifier => {
                self.record_restricted_name_use(node, scope, (RestrictedNameKind::Type, role), builder)
            }
            Kind::IntegralType | Kind::FloatingPointType | Kind::BooleanType | Kind::VoidType => {
                let text = builder.text_of_node(node);
                match PRIMITIVES.iter().find(|name| **name == text) {
                    Some(name) => self.known_type(name, builder),
                    None => builder.unknown_expr(),
                }
            }
            _ => builder.run_with_depth_limit(node, |builder| self.compound_type_expr(node, scope, role, builder)),
        }
    }

    fn compound_type_expr(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        match self.kind(node) {
            Kind::GenericType => {
                let mut base = builder.unknown_expr();
                let mut args = Vec::new();
                self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
                    match binder.kind(child) {
                        Kind::TypeArguments => args = binder.type_arguments(child, scope, builder),
                        _ => base = binder.type_expr_in_role(child, scope, role, builder),
                    }
                });
                let args = builder.add_expr_list(&args);
                builder.add_expr(Expr::Generic { base: Some(base), args })
            }
            Kind::ScopedTypeIdentifier => {
                let mut base: Option<ExprId> = None;
                self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
                    match (binder.kind(child), base) {
                        (Kind::Annotation | Kind::MarkerAnnotation, _) => {
                            binder.bind_annotation_if_any(child, scope, builder)
                        }
                        (Kind::TypeIdentifier, Some(owner)) => {
                            base = Some(builder.record_member_use(owner, child, role))
                        }
                        _ => base = Some(binder.type_expr(child, scope, builder)),
                    }
                });
                base.unwrap_or(builder.unknown_expr())
            }
            Kind::ArrayType => {
                let element = match self.field(node, self.grammar.element) {
                    Some(element) => self.type_expr(element, scope, builder),
                    None => builder.unknown_expr(),
                };
                let dimensions = self.field(node, self.grammar.dimensions);
                self.array_type_expr(element, dimensions, scope, builder)
            }
            Kind::AnnotatedType => {
                let mut of = builder.unknown_expr();
                self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
                    match binder.kind(child) {
                        Kind::Annotation | Kind::MarkerAnnotation => {
                            binder.bind_annotation_if_any(child, scope, builder)
                        }
                        _ => of = binder.type_expr_in_role(child, scope, role, builder),
                    }
                });
                of
            }
            // `? extends T` is known to be a `T`. What takes a `? super T` is given a `T`.
            Kind::Wildcard => {
                let mut bound = builder.unknown_expr();
                self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
                    match binder.kind(child) {
                        Kind::Annotation | Kind::MarkerAnnotation => {
                            binder.bind_annotation_if_any(child, scope, builder)
                        }
                        Kind::Super => {}
                        _ => bound = binder.type_expr(child, scope, builder),
                    }
                });
                bound
            }
            // Several types of which a value has one (`catch`), or all (a bound).
            Kind::CatchType | Kind::TypeBound | Kind::TypeList => {
                let types = self.type_list(node, scope, builder);
                builder.expr_of_possible_values(types)
            }
            _ => {
                self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
                    binder.type_expr(child, scope, builder);
                });
                builder.unknown_expr()
            }
        }
    }

    /// The types that the children of a node denote.
    pub(super) fn type_list(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> Vec<ExprId> {
        let mut types = Vec::new();
        self.for_each_named_non_comment_child(node, builder, |binder, child, builder| match binder.kind(child) {
            Kind::TypeList => builder.run_with_depth_limit(child, |builder| {
                let inner = binder.type_list(child, scope, builder);
                types.extend(inner);
            }),
            Kind::Annotation | Kind::MarkerAnnotation => binder.bind_annotation_if_any(child, scope, builder),
            _ => types.push(binder.type_expr(child, scope, builder)),
        });
        types
    }

    /// The type arguments in angle brackets.
    pub(super) fn type_arguments(
        &mut self,
        list: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> Vec<ExprId> {
        let mut args = Vec::new();
        self.for_each_named_non_comment_child(list, builder, |binder, argument, builder| {
            args.push(binder.type_expr(argument, scope, builder))
        });
        args
    }

    /// The type of arrays of `element` with the dimensions that a node writes.
    pub(super) fn array_type_expr(
        &mut self,
        element: ExprId,
        dimensions: Option<Node<'t>>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let Some(dimensions) = dimensions else { return element };
        self.for_each_named_non_comment_child(dimensions, builder, |binder, child, builder| {
            binder.bind_annotation_if_any(child, scope, builder)
        });
        let count = builder.text_of_node(dimensions).bytes().filter(|byte| *byte == b'[').count();
        let mut of = element;
        for _ in 0..count.min(MAX_DIMENSIONS) {
            of = self.array_of(of, builder);
        }
        of
    }

    /// The type of arrays with elements of the type `element`.
    pub(super) fn array_of(&mut self, element: ExprId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let args = builder.add_expr_list(&[element]);
        builder.add_expr(Expr::Generic { base: None, args })
    }
}
