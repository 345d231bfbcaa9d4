//! Name binding of the members of PHP's types: methods, properties, constants, cases and used traits.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId, Target};

/// The modifiers of a member.
#[derive(Default, Clone, Copy)]
pub(super) struct Modifiers {
    pub is_private: bool,
    pub is_static: bool,
}

impl<'t> Binder<'t> {
    pub(super) fn bind_member(
        &mut self,
        node: Node<'t>,
        doc: Option<Node<'t>>,
        members: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        match self.kind(node) {
            Kind::MethodDeclaration => self.bind_method(node, doc, members, builder),
            Kind::PropertyDeclaration => self.bind_properties(node, doc, members, builder),
            Kind::ConstDeclaration => self.bind_class_constants(node, doc, members, builder),
            Kind::EnumCase => self.bind_enum_case(node, members, builder),
            Kind::UseDeclaration => self.bind_rules_of_used_traits(node, members, builder),
            Kind::Error => self.for_each_child_with_doc(node, builder, |binder, child, doc, builder| {
                builder.run_with_depth_limit(child, |builder| binder.bind_member(child, doc, members, builder));
            }),
            _ => {}
        }
    }

    pub(super) fn modifiers(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> Modifiers {
        let mut found = Modifiers::default();
        self.for_each_named_non_comment_child(node, builder, |binder, child, builder| match binder.kind(child) {
            Kind::VisibilityModifier => {
                found.is_private |= builder.text_of_node(child).eq_ignore_ascii_case("private");
            }
            Kind::StaticModifier => found.is_static = true,
            _ => {}
        });
        // The types that use a trait have its private members, too.
        found.is_private &= !self.open_types.last().is_some_and(|open| open.is_trait);
        found
    }

    /// Binds the properties of one declaration.
    fn bind_properties(
        &mut self,
        node: Node<'t>,
        doc: Option<Node<'t>>,
        members: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        self.bind_attributes(node, members, builder);
        let modifiers = self.modifiers(node, builder);
        let declared = self.field(node, self.grammar.r#type).map(|written| self.type_expr(written, members, builder));
        let doc = self.read_doc(doc, members, None, builder);
        self.for_each_named_non_comment_child(node, builder, |binder, child, builder| match binder.kind(child) {
            Kind::PropertyElement => {
                let Some(variable) = binder.field(child, binder.grammar.name) else { return };
                let Some(name) = binder.child_of_kind(variable, Kind::Name) else { return };
                let said = doc.type_of_property(builder.text_of_node(variable));
                let annotation = binder.type_of_declaration_and_doc(declared, said, builder);
                let property = builder.add_binding_with_definition(members, BindingKind::Field, name);
                let bound = builder.binding_mut(property);
                bound.annotation = annotation;
                bound.private = modifiers.is_private;
                bound.on_type = modifiers.is_static;
                let name = bound.name;
                let value = binder.field(child, binder.grammar.default_value);
                let value = value.map(|value| binder.value(value, members, builder));
                let is_vague = annotation.is_none() || declared.is_some_and(|declared| declared.is_vague);
                if is_vague && !said.is_some_and(|said| said.is_informative) {
                    let null = binder.known_type("?scalar", builder);
                    let value = value.filter(
                        |value| !matches!(builder.names.expr_by_id(*value), Expr::Instance { of } if of == null),
                    );
                    if let Some(open) = binder.open_types.last_mut() {
                        open.untyped_properties.insert(name, (property, value.into_iter().collect()));
                    }
                }
            }
            Kind::PropertyHookList => binder.bind_property_hooks(child, members, builder),
            _ => {}
        });
    }

    pub(super) fn bind_property_hooks(&mut self, list: Node<'t>, members: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.for_each_named_non_comment_child(list, builder, |binder, hook, builder| {
            if binder.kind(hook) == Kind::PropertyHook {
                binder.bind_function_body_without_name(hook, members, builder);
            }
        });
    }

    fn bind_class_constants(
        &mut self,
        node: Node<'t>,
        doc: Option<Node<'t>>,
        members: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        self.bind_attributes(node, members, builder);
        let modifiers = self.modifiers(node, builder);
        if let Some(written) = self.field(node, self.grammar.r#type) {
            self.type_expr(written, members, builder);
        }
        self.read_doc(doc, members, None, builder);
        self.bind_const_elements(node, members, BindingKind::Field, modifiers, builder);
    }

    /// Binds each name of a declaration of constants.
    pub(super) fn bind_const_elements(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        kind: BindingKind,
        modifiers: Modifiers,
        builder: &mut NamesBuilder<'_>,
    ) {
        self.for_each_named_non_comment_child(node, builder, |binder, element, builder| {
            if binder.kind(element) != Kind::ConstElement {
                return;
            }
            let parts = binder.named_children(element, builder);
            let Some(name) = parts.first().copied().filter(|name| binder.kind(*name) == Kind::Name) else { return };
            let constant = builder.add_binding_with_definition(scope, kind, name);
            let bound = builder.binding_mut(constant);
            bound.constant = true;
            bound.on_type = kind == BindingKind::Field;
            bound.private = modifiers.is_private;
            let values = parts.iter().skip(1).map(|value| binder.value(*value, scope, builder)).collect();
            binder.set_values(constant, values, builder);
        });
    }

    fn bind_enum_case(&mut self, node: Node<'t>, members: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.bind_attributes(node, members, builder);
        let Some(name) = self.field(node, self.grammar.name) else { return };
        let case = builder.add_binding_with_definition(members, BindingKind::EnumMember, name);
        builder.binding_mut(case).on_type = true;
        if let Some(value) = self.field(node, self.grammar.value) {
            self.value(value, members, builder);
        }
    }

    /// Records the traits that a type uses, as its bases.
    pub(super) fn bind_used_traits(
        &mut self,
        node: Node<'t>,
        members: ScopeId,
        bases: &mut Vec<ExprId>,
        builder: &mut NamesBuilder<'_>,
    ) {
        self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
            if matches!(binder.kind(child), Kind::Name | Kind::QualifiedName | Kind::RelativeName) {
                bases.push(binder.class_expr(child, members, Role::Type, builder));
            }
        });
    }

    /// Binds the rules behind used traits: `{ A::m insteadof B; m as protected n; }`.
    fn bind_rules_of_used_traits(&mut self, node: Node<'t>, members: ScopeId, builder: &mut NamesBuilder<'_>) {
        let Some(list) = self.child_of_kind(node, Kind::UseList) else { return };
        self.for_each_named_non_comment_child(list, builder, |binder, rule, builder| {
            let parts = binder.named_children(rule, builder);
            let Some(first) = parts.first().copied() else { return };
            let method = match binder.kind(first) {
                Kind::ClassConstantAccessExpression => {
                    let path = binder.named_children(first, builder);
                    let [of, name] = path.as_slice() else { return };
                    let base = binder.class_expr(*of, members, Role::Type, builder);
                    builder.record_member_use(base, *name, Role::Read)
                }
                Kind::Name => {
                    let base = builder.add_expr(Expr::This { scope: members });
                    builder.record_member_use(base, first, Role::Read)
                }
                _ => return,
            };
            match binder.kind(rule) {
                Kind::UseInsteadOfClause => {
                    for other in parts.iter().skip(1) {
                        binder.class_expr(*other, members, Role::Type, builder);
                    }
                }
                Kind::UseAsClause => {
                    let alias = parts.iter().skip(1).rev().find(|part| binder.kind(**part) == Kind::Name);
                    if let Some(alias) = alias {
                        let name = builder.name_id_of_node(*alias);
                        let bound = builder.add_binding(members, BindingKind::Field, name, alias.start_byte());
                        builder.record_occurrence(*alias, Role::Definition, Target::Binding(bound));
                        binder.set_values(bound, vec![method], builder);
                    }
                }
                _ => {}
            }
        });
    }

    /// Records the attributes in front of a declaration.
    pub(super) fn bind_attributes(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let Some(list) = self.field(node, self.grammar.attributes) else { return };
        self.for_each_named_non_comment_child(list, builder, |binder, group, builder| {
            binder.for_each_named_non_comment_child(group, builder, |binder, attribute, builder| {
                if binder.kind(attribute) != Kind::Attribute {
                    return;
                }
                if let Some(name) = binder.first_named_child(attribute) {
                    binder.class_expr(name, scope, Role::Decorator, builder);
                }
                if let Some(arguments) = binder.field(attribute, binder.grammar.parameters) {
                    binder.bind_arguments(arguments, scope, builder);
                }
            });
        });
    }
}
