//! Name binding of Java's type declarations: classes, interfaces, enums, records and annotation types.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{BindingId, BindingKind, Expr, ExprId, NamesBuilder, ScopeId, ScopeKind};

impl<'t> Binder<'t> {
    /// Binds a type and its members. A local type is visible from its name on.
    pub(super) fn bind_type_declaration(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let modifiers = self.bind_modifiers(node, scope, builder);
        let Some(name) = self.field(node, self.grammar.name).filter(|name| self.kind(*name) == Kind::Identifier) else {
            return;
        };
        let is_local = matches!(builder.scope_kind(scope), ScopeKind::Function | ScopeKind::Block);
        let binding = match is_local {
            true => self.bind_local_name(name, BindingKind::Type, scope, name.start_byte(), builder),
            false => builder.add_binding_with_definition(scope, BindingKind::Type, name),
        };
        builder.binding_mut(binding).private = modifiers.is_private;
        builder.binding_mut(binding).on_type = scope != crate::names::FILE_SCOPE;
        let around = match self.field(node, self.grammar.type_parameters) {
            Some(parameters) => {
                let around = builder.add_child_scope(scope, ScopeKind::Block, node);
                self.bind_type_parameters(parameters, around, builder);
                around
            }
            None => scope,
        };
        let mut bases = Vec::new();
        self.for_each_named_non_comment_child(node, builder, |binder, child, builder| match binder.kind(child) {
            Kind::Superclass | Kind::SuperInterfaces | Kind::ExtendsInterfaces => {
                let types = binder.type_list(child, around, builder);
                bases.extend(types);
            }
            Kind::Permits => {
                binder.type_list(child, around, builder);
            }
            _ => {}
        });
        bases.retain(|base| *base != builder.unknown_expr());
        match self.kind(node) {
            Kind::EnumDeclaration => bases.push(self.platform_base("Enum", binding, builder)),
            Kind::RecordDeclaration => bases.push(self.platform_base("Record", binding, builder)),
            Kind::AnnotationTypeDeclaration => bases.push(self.platform_base("Annotation", binding, builder)),
            _ => {}
        }
        builder.binding_mut(binding).bases = builder.add_expr_list(&bases);
        let Some(body) = self.field(node, self.grammar.body) else { return };
        let members = builder.add_child_scope(around, ScopeKind::Type, body);
        builder.link_binding_and_body_scope(binding, members);
        let components = match self.kind(node) {
            Kind::RecordDeclaration => self.bind_record_components(node, members, builder),
            _ => Vec::new(),
        };
        let owner = TypeOwner { binding, is_interface: self.is_interface(node), components };
        self.bind_members(body, members, &owner, builder);
    }

    fn is_interface(&self, node: Node<'t>) -> bool {
        matches!(self.kind(node), Kind::InterfaceDeclaration | Kind::AnnotationTypeDeclaration)
    }

    /// The base that the platform gives to all types of a form: `Enum<E>`, `Record`.
    fn platform_base(&mut self, name: &'static str, of: BindingId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let base = self.known_type(name, builder);
        let own = builder.add_expr(Expr::Bound { binding: of });
        let args = builder.add_expr_list(&[own]);
        builder.add_expr(Expr::Generic { base: Some(base), args })
    }

    /// Binds the body of a class without a name, which derives from `base`, and returns the expression for the class.
    pub(super) fn bind_unnamed_class(
        &mut self,
        body: Node<'t>,
        base: ExprId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let members = builder.add_child_scope(scope, ScopeKind::Type, body);
        let binding = self.add_unnamed_binding(BindingKind::Type, (body, members), builder);
        if base != builder.unknown_expr() {
            builder.binding_mut(binding).bases = builder.add_expr_list(&[base]);
        }
        let owner = TypeOwner { binding, is_interface: false, components: Vec::new() };
        self.bind_members(body, members, &owner, builder);
        builder.add_expr(Expr::Bound { binding })
    }

    pub(super) fn bind_type_parameters(&mut self, list: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let mut bounds = Vec::new();
        self.for_each_named_non_comment_child(list, builder, |binder, parameter, builder| {
            let mut binding = None;
            binder.for_each_named_non_comment_child(parameter, builder, |binder, part, builder| {
                match binder.kind(part) {
                    Kind::TypeIdentifier | Kind::Identifier => {
                        binding = Some(builder.add_binding_with_definition(scope, BindingKind::TypeParameter, part));
                    }
                    Kind::TypeBound => bounds.extend(binding.map(|binding| (binding, part))),
                    _ => binder.bind_annotation_if_any(part, scope, builder),
                }
            });
        });
        // A bound can name any of the parameters.
        for (binding, bound) in bounds {
            let bound = self.type_expr(bound, scope, builder);
            builder.binding_mut(binding).annotation = Some(bound);
        }
    }
}

/// The type whose members are bound.
pub(super) struct TypeOwner {
    pub binding: BindingId,
    /// Whether members without modifiers are public, and fields static.
    pub is_interface: bool,
    /// The types of the components of a record.
    pub components: Vec<ExprId>,
}
