//! Type expressions of C#: the types that declarations, casts and type arguments name.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{Expr, ExprId, NamesBuilder, Role, ScopeId};

/// The types that have keywords as their names.
const PREDEFINED: &[&str] = &[
    "bool", "byte", "char", "decimal", "double", "float", "int", "long", "nint", "nuint", "object", "sbyte", "short",
    "string", "uint", "ulong", "ushort", "void",
];

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
            Kind::Identifier => self.use_type_name(node, scope, role, builder),
            Kind::PredefinedType => {
                let text = builder.text_of_node(node);
                match PREDEFINED.iter().find(|name| **name == text) {
                    Some(name) => self.known_type(name, builder),
                    None => builder.unknown_expr(),
                }
            }
            Kind::ImplicitType => builder.unknown_expr(),
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
            Kind::GenericName => self.generic_name_expr(node, None, (scope, role), builder),
            Kind::QualifiedName => {
                let base = match self.field(node, self.grammar.qualifier) {
                    Some(qualifier) => self.type_expr(qualifier, scope, builder),
                    None => builder.unknown_expr(),
                };
                match self.field(node, self.grammar.name) {
                    Some(name) => self.named_member_expr(base, name, (scope, role), builder),
                    None => base,
                }
            }
            Kind::AliasQualifiedName => match self.field(node, self.grammar.name) {
                Some(name) => self.type_expr_in_role(name, crate::names::FILE_SCOPE, role, builder),
                None => builder.unknown_expr(),
            },
            Kind::ArrayType => {
                let element = match self.field(node, self.grammar.r#type) {
                    Some(element) => self.type_expr_in_role(element, scope, role, builder),
                    None => builder.unknown_expr(),
                };
                if let Some(rank) = self.field(node, self.grammar.rank) {
                    self.bind_values_in(rank, scope, builder);
                }
                self.array_of(element, builder)
            }
            // A value of `T?` has the members of `T`.
            Kind::NullableType | Kind::PointerType | Kind::RefType | Kind::ScopedType => {
                match self.field(node, self.grammar.r#type) {
                    Some(of) => self.type_expr_in_role(of, scope, role, builder),
                    None => builder.unknown_expr(),
                }
            }
            Kind::TupleType => {
                let mut items = Vec::new();
                self.for_each_child(node, builder, |binder, child, builder| {
                    if let Some(of) = binder.field(child, binder.grammar.r#type) {
                        items.push(binder.type_expr(of, scope, builder));
                    }
                });
                let items = builder.add_expr_list(&items);
                builder.add_expr(Expr::Tuple(items))
            }
            _ => {
                self.for_each_child(node, builder, |binder, child, builder| {
                    binder.type_expr(child, scope, builder);
                });
                builder.unknown_expr()
            }
        }
    }

    /// The expression for a name with type arguments: a bare name, or a member of `base`.
    pub(super) fn generic_name_expr(
        &mut self,
        node: Node<'t>,
        base: Option<ExprId>,
        (scope, role): (ScopeId, Role),
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let Some(name) = self.child_of_kind(node, Kind::Identifier) else { return builder.unknown_expr() };
        let named = match base {
            Some(base) => self.use_member(base, name, role, builder),
            None if role == Role::Type || role == Role::Decorator => self.use_type_name(name, scope, role, builder),
            None => self.use_name(name, scope, role, builder),
        };
        self.with_type_arguments(node, named, scope, builder)
    }

    /// The expression for `named` with the type arguments of a generic name.
    pub(super) fn with_type_arguments(
        &mut self,
        node: Node<'t>,
        named: ExprId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let Some(list) = self.child_of_kind(node, Kind::TypeArgumentList) else { return named };
        let args = self.type_arguments(list, scope, builder);
        // `typeof(List<>)` has one argument that is not written, and one more for each comma.
        let count = match args.len() {
            0 => builder.text_of_node(list).bytes().filter(|byte| *byte == b',').count() + 1,
            count => count,
        };
        builder.names.type_argument_counts.push((named, u32::try_from(count).unwrap_or(u32::MAX)));
        let args = builder.add_expr_list(&args);
        builder.add_expr(Expr::Generic { base: Some(named), args })
    }

    /// The expression for a member with a name that may have type arguments.
    pub(super) fn named_member_expr(
        &mut self,
        base: ExprId,
        name: Node<'t>,
        (scope, role): (ScopeId, Role),
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        match self.kind(name) {
            Kind::GenericName => self.generic_name_expr(name, Some(base), (scope, role), builder),
            _ => self.use_member(base, name, role, builder),
        }
    }

    /// The type arguments in angle brackets.
    pub(super) fn type_arguments(
        &mut self,
        list: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> Vec<ExprId> {
        let mut args = Vec::new();
        self.for_each_child(list, builder, |binder, argument, builder| {
            args.push(binder.type_expr(argument, scope, builder))
        });
        args
    }

    /// The type of arrays with elements of the type `element`.
    pub(super) fn array_of(&mut self, element: ExprId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let args = builder.add_expr_list(&[element]);
        builder.add_expr(Expr::Generic { base: None, args })
    }

    /// The declared type in a field of a node; `None` for `var`.
    pub(super) fn declared_type(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<ExprId> {
        let written = self.field(node, self.grammar.r#type)?;
        if self.is_implicit_type(written, builder) {
            return None;
        }
        Some(self.type_expr(written, scope, builder))
    }

    /// Whether a type is `var`, as the grammar or an error in its place reads it.
    pub(super) fn is_implicit_type(&self, node: Node<'t>, builder: &NamesBuilder<'_>) -> bool {
        self.kind(node) == Kind::ImplicitType || builder.text_of_node(node) == "var"
    }
}
