//! Binds the names of C++ templates, their parameters, and concepts.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{BindingKind, NamesBuilder, ScopeId, ScopeKind};

impl<'t> Binder<'t> {
    /// Whether a scope is that of a template's parameters: a block outside of functions.
    pub(super) fn is_template_scope(&self, scope: ScopeId, builder: &NamesBuilder<'_>) -> bool {
        let mut at = scope;
        while builder.scope_kind(at) == ScopeKind::Block {
            match builder.parent_scope(at) {
                Some(parent) => at = parent,
                None => break,
            }
        }
        at != scope && builder.scope_kind(at) != ScopeKind::Function
    }

    /// Binds a template: its parameters in a scope around the declaration, whose name is bound outside of it.
    pub(super) fn bind_template(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.bind_template_in(node, scope, scope, builder);
    }

    fn bind_template_in(&mut self, node: Node<'t>, scope: ScopeId, around: ScopeId, builder: &mut NamesBuilder<'_>) {
        let inner = builder.add_child_scope(around, ScopeKind::Block, node);
        if let Some(parameters) = self.child_in_field(node, self.grammar.parameters) {
            self.bind_template_parameters(parameters, inner, builder);
        }
        let parameters = self.child_in_field(node, self.grammar.parameters);
        self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
            if Some(child) == parameters {
                return;
            }
            builder.run_with_depth_limit(child, |builder| match binder.grammar.kind_of_node(child) {
                Kind::FunctionDefinition => binder.bind_function(child, scope, inner, builder),
                Kind::Declaration | Kind::FieldDeclaration => binder.bind_declaration(child, scope, inner, builder),
                Kind::ClassSpecifier | Kind::StructSpecifier | Kind::UnionSpecifier => {
                    binder.bind_type_without_declarator(child, scope, inner, builder)
                }
                Kind::AliasDeclaration => binder.bind_alias(child, scope, inner, builder),
                Kind::ConceptDefinition => binder.bind_concept(child, scope, inner, builder),
                Kind::TemplateDeclaration => binder.bind_template_in(child, scope, inner, builder),
                _ => binder.bind_node(child, inner, builder),
            });
        });
    }

    /// Binds the parameters of a template.
    pub(super) fn bind_template_parameters(&mut self, list: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.for_each_named_non_comment_child(list, builder, |binder, parameter, builder| {
            builder.run_with_depth_limit(parameter, |builder| match binder.grammar.kind_of_node(parameter) {
                Kind::TypeParameterDeclaration
                | Kind::VariadicTypeParameterDeclaration
                | Kind::OptionalTypeParameterDeclaration => {
                    let name = binder.child_in_field(parameter, binder.grammar.name);
                    let name = name.or_else(|| binder.first_named_non_comment_child(parameter));
                    if let Some(name) = name.filter(|name| binder.grammar.kind_of_node(*name) == Kind::TypeIdentifier) {
                        builder.add_binding_with_definition(scope, BindingKind::TypeParameter, name);
                    }
                    if let Some(default) = binder.child_in_field(parameter, binder.grammar.default_type) {
                        binder.type_expr(default, scope, builder);
                    }
                }
                Kind::TemplateTemplateParameterDeclaration => {
                    binder.for_each_named_non_comment_child(parameter, builder, |binder, child, builder| {
                        if binder.grammar.kind_of_node(child) == Kind::TypeParameterDeclaration
                            && let Some(name) = binder.first_named_non_comment_child(child)
                        {
                            builder.add_binding_with_definition(scope, BindingKind::TypeParameter, name);
                        }
                    });
                }
                _ => binder.bind_parameter(parameter, Some(scope), scope, builder),
            });
        });
    }

    pub(super) fn bind_concept(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        inner: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let name = self.child_in_field(node, self.grammar.name);
        if let Some(name) = name {
            builder.add_binding_with_definition(scope, BindingKind::Type, name);
        }
        self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
            if Some(child) != name {
                binder.bind_node(child, inner, builder);
            }
        });
    }
}
