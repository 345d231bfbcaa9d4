//! Name binding of Kotlin's classes, interfaces and objects.

use tree_sitter::Node;

use super::modifiers::Modifiers;
use super::{Binder, Kind};
use crate::names::{BindingId, BindingKind, Expr, ExprId, FILE_SCOPE, NamesBuilder, Role, ScopeId, ScopeKind, Target};

/// The type whose members are bound.
#[derive(Clone, Copy)]
pub(super) struct TypeOwner {
    pub binding: BindingId,
    pub is_interface: bool,
    /// The scope in which initialisers see the parameters of the constructor; its parent has the members.
    pub initializers: ScopeId,
}

impl<'t> Binder<'t> {
    /// Binds a class, interface or object and its members. A local type is visible from its name on.
    pub(super) fn bind_type_declaration(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let modifiers = self.bind_modifiers(node, scope, builder);
        let is_companion = self.kind(node) == Kind::CompanionObject;
        let is_object = is_companion || self.kind(node) == Kind::ObjectDeclaration;
        let binding = match self.field(node, self.grammar.name) {
            Some(name) => self.bind_definition(scope, BindingKind::Type, name, builder),
            None if is_companion => {
                let keyword = self.find_child(node, |_, child| child.kind() == "object").unwrap_or(node);
                let name = builder.intern_constructed_text("Companion");
                builder.add_binding(scope, BindingKind::Type, name, keyword.start_byte())
            }
            None => return,
        };
        let is_local = matches!(builder.scope_kind(scope), ScopeKind::Function | ScopeKind::Block);
        let made = builder.binding_mut(binding);
        made.private = modifiers.is_private;
        made.on_type = scope != FILE_SCOPE && !modifiers.is_inner;
        made.constant = is_object;
        made.wrapped = is_companion;
        if is_local {
            made.visible_from = made.at;
        }
        let around = match self.child_of_kind(node, Kind::TypeParameters) {
            Some(_) => {
                let around = builder.add_child_scope(scope, ScopeKind::Block, node);
                self.bind_type_parameters(node, around, builder);
                around
            }
            None => scope,
        };
        let members = builder.add_child_scope(around, ScopeKind::Type, node);
        builder.link_binding_and_body_scope(binding, members);
        let initializers = builder.add_child_scope_for_bytes(members, ScopeKind::Block, 0..0);
        let is_interface = self.has_token(node, "interface");
        let owner = TypeOwner { binding, is_interface, initializers };
        if is_object && !is_companion {
            // Java reads the object from a field.
            let made = builder.binding_mut(binding).at as usize;
            let name = builder.intern_constructed_text("INSTANCE");
            let field = builder.add_binding(members, BindingKind::Field, name, made);
            let own = builder.add_expr(Expr::Bound { binding });
            let field = builder.binding_mut(field);
            field.annotation = Some(own);
            field.on_type = true;
        }
        // Bases can be needed by the members.
        let mut bases = Vec::new();
        if modifiers.is_enum {
            bases.push(self.platform_base("Enum", binding, builder));
        }
        if modifiers.is_annotation {
            bases.push(self.known_type("Annotation", builder));
        }
        let constructor = self.child_of_kind(node, Kind::PrimaryConstructor);
        let mut components = Vec::new();
        if let Some(constructor) = constructor {
            components = self.bind_primary_constructor(constructor, members, owner, builder);
        }
        if let Some(list) = self.child_of_kind(node, Kind::DelegationSpecifiers) {
            let found = self.supertypes(list, (around, initializers), builder);
            bases.extend(found);
        }
        bases.retain(|base| *base != builder.unknown_expr());
        builder.binding_mut(binding).bases = builder.add_expr_list(&bases);
        if modifiers.is_data && !is_object {
            self.add_members_of_data_class(owner, members, &components, builder);
        }
        self.push_label_of_binding(binding, members, builder);
        self.bind_type_body(node, members, owner, builder);
        self.labels.pop();
    }

    pub(super) fn push_label_of_binding(&mut self, binding: BindingId, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let name = builder.binding_mut(binding).name;
        self.labels.push((name, scope));
    }

    /// Binds the members in the body of a declaration, if it has one.
    fn bind_type_body(&mut self, node: Node<'t>, members: ScopeId, owner: TypeOwner, builder: &mut NamesBuilder<'_>) {
        let body =
            self.find_child(node, |binder, child| matches!(binder.kind(child), Kind::ClassBody | Kind::EnumClassBody));
        let Some(body) = body else { return };
        let expected = self.expected_function.take();
        let narrowed = std::mem::take(&mut self.narrowed);
        let returned = std::mem::take(&mut self.returned);
        self.for_each_child(body, builder, |binder, child, builder| {
            builder.run_with_depth_limit(child, |builder| binder.bind_member(child, members, owner, builder));
        });
        self.returned = returned;
        self.narrowed = narrowed;
        self.expected_function = expected;
    }

    fn bind_member(&mut self, node: Node<'t>, members: ScopeId, owner: TypeOwner, builder: &mut NamesBuilder<'_>) {
        match self.kind(node) {
            Kind::FunctionDeclaration => self.bind_function(node, members, Some(owner), builder),
            Kind::PropertyDeclaration => self.bind_property(node, members, Some(owner), builder),
            Kind::SecondaryConstructor => self.bind_secondary_constructor(node, members, owner, builder),
            Kind::EnumEntry => self.bind_enum_entry(node, members, owner, builder),
            Kind::AnonymousInitializer => {
                if let Some(block) = self.child_of_kind(node, Kind::Block) {
                    let inside = builder.add_child_scope(owner.initializers, ScopeKind::Block, block);
                    self.bind_statements(block, inside, builder);
                }
            }
            Kind::Error => self.for_each_child(node, builder, |binder, child, builder| {
                builder.run_with_depth_limit(child, |builder| binder.bind_member(child, members, owner, builder));
            }),
            _ => {
                self.bind_statement(node, members, builder);
            }
        }
    }

    /// The base that the platform gives to all types of a form: `Enum<E>`.
    fn platform_base(&mut self, name: &'static str, of: BindingId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let base = self.known_type(name, builder);
        let own = builder.add_expr(Expr::Bound { binding: of });
        let args = builder.add_expr_list(&[own]);
        builder.add_expr(Expr::Generic { base: Some(base), args })
    }

    /// The types behind the colon of a declaration. Arguments of constructors are looked up in the second scope.
    fn supertypes(
        &mut self,
        list: Node<'t>,
        (scope, initializers): (ScopeId, ScopeId),
        builder: &mut NamesBuilder<'_>,
    ) -> Vec<ExprId> {
        let mut found = Vec::new();
        self.for_each_child(list, builder, |binder, specifier, builder| {
            binder.for_each_child(specifier, builder, |binder, child, builder| match binder.kind(child) {
                Kind::ConstructorInvocation => {
                    // The arguments see the parameters of the constructor, and the type sees what is around the class.
                    let children = binder.named_children(child);
                    let mut of = builder.unknown_expr();
                    let mut callee = of;
                    for part in children {
                        if binder.kind(part) == Kind::ValueArguments {
                            binder.bind_arguments(Some(part), None, (callee, callee), initializers, builder);
                        } else {
                            of = binder.type_expr_in_role(part, scope, Role::Call, builder);
                            callee = binder.record_constructor_use(part, of, builder);
                        }
                    }
                    found.push(of);
                }
                Kind::ExplicitDelegation => {
                    binder.for_each_child(child, builder, |binder, part, builder| {
                        if binder.is_type(part) {
                            found.push(binder.type_expr(part, scope, builder));
                        } else {
                            binder.value(part, initializers, builder);
                        }
                    });
                }
                Kind::Annotation => binder.bind_annotation(child, scope, builder),
                _ if binder.is_type(child) => found.push(binder.type_expr(child, scope, builder)),
                _ => {}
            });
        });
        found
    }

    /// Binds the primary constructor, its parameters, and the properties that they are. Returns the types of the
    /// properties.
    fn bind_primary_constructor(
        &mut self,
        node: Node<'t>,
        members: ScopeId,
        owner: TypeOwner,
        builder: &mut NamesBuilder<'_>,
    ) -> Vec<ExprId> {
        let own = self.bind_modifiers(node, members, builder);
        let name = builder.binding_mut(owner.binding).name;
        let Some(list) = self.child_of_kind(node, Kind::ClassParameters) else { return Vec::new() };
        let constructor = builder.add_binding(members, BindingKind::Function, name, list.start_byte());
        let inside = builder.add_child_scope_for_bytes(members, ScopeKind::Function, 0..0);
        builder.link_binding_and_body_scope(constructor, inside);
        let made = builder.add_expr(Expr::Bound { binding: owner.binding });
        let binding = builder.binding_mut(constructor);
        binding.annotation = Some(made);
        binding.on_type = true;
        binding.private = own.is_private;
        let mut types = Vec::new();
        let mut components = Vec::new();
        self.for_each_child(list, builder, |binder, parameter, builder| {
            if binder.kind(parameter) != Kind::ClassParameter {
                return;
            }
            let Some(name) = binder.child_of_kind(parameter, Kind::Identifier) else { return };
            let modifiers = binder.bind_modifiers(parameter, owner.initializers, builder);
            let is_variable = binder.has_token(parameter, "var");
            let is_property = is_variable || binder.has_token(parameter, "val");
            let mut annotation = binder.type_of_parameter(parameter, owner.initializers, builder);
            if modifiers.is_vararg {
                annotation = binder.array_of(annotation, builder);
            }
            let equals = binder.find_child(parameter, |_, child| child.kind() == "=");
            let default = equals.and_then(|equals| {
                binder.find_child(parameter, |binder, child| {
                    child.is_named() && !binder.is_comment(child) && child.start_byte() >= equals.end_byte()
                })
            });
            let (text, at) = binder.name_and_place(name, builder);
            if is_property {
                let field = binder.bind_definition(members, BindingKind::Field, name, builder);
                let made = builder.binding_mut(field);
                made.annotation = Some(annotation);
                made.private = modifiers.is_private;
                made.constant = !is_variable;
                binder.add_accessors_for_java((field, parameter), is_variable, builder);
                components.push(annotation);
            } else {
                let local = binder.bind_definition(owner.initializers, BindingKind::Parameter, name, builder);
                builder.binding_mut(local).annotation = Some(annotation);
            }
            let declared = builder.add_binding(inside, BindingKind::Parameter, text, at);
            let made = builder.binding_mut(declared);
            made.annotation = Some(annotation);
            made.wrapped = modifiers.is_vararg;
            types.push(annotation);
            if let Some(default) = default {
                let scope = builder.add_child_scope(owner.initializers, ScopeKind::Block, default);
                let value = binder.value_for_type(default, scope, Some(annotation), builder);
                builder.binding_mut(declared).values = builder.add_expr_list(&[value]);
            }
        });
        builder.binding_mut(constructor).bases = builder.add_expr_list(&types);
        components
    }

    /// The type of arrays with elements of the type `element`.
    pub(super) fn array_of(&mut self, element: ExprId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let args = builder.add_expr_list(&[element]);
        builder.add_expr(Expr::Generic { base: None, args })
    }

    /// Adds `copy`, and the functions that a destructuring calls.
    fn add_members_of_data_class(
        &mut self,
        owner: TypeOwner,
        members: ScopeId,
        components: &[ExprId],
        builder: &mut NamesBuilder<'_>,
    ) {
        let at = builder.binding_mut(owner.binding).at as usize;
        let own = builder.add_expr(Expr::Bound { binding: owner.binding });
        let copied = builder.intern_constructed_text("copy");
        let copied = builder.add_binding(members, BindingKind::Function, copied, at);
        builder.binding_mut(copied).annotation = Some(own);
        for (index, component) in components.iter().enumerate() {
            let name = builder.intern_constructed_text(&format!("component{}", index + 1));
            let reader = builder.add_binding(members, BindingKind::Function, name, at);
            builder.binding_mut(reader).annotation = Some(*component);
        }
    }

    fn bind_secondary_constructor(
        &mut self,
        node: Node<'t>,
        members: ScopeId,
        owner: TypeOwner,
        builder: &mut NamesBuilder<'_>,
    ) {
        let modifiers = self.bind_modifiers(node, members, builder);
        let keyword = self.find_child(node, |_, child| child.kind() == "constructor").unwrap_or(node);
        let name = builder.binding_mut(owner.binding).name;
        let constructor = builder.add_binding(members, BindingKind::Function, name, keyword.start_byte());
        let inside = builder.add_child_scope(members, ScopeKind::Function, node);
        builder.link_binding_and_body_scope(constructor, inside);
        let made = builder.add_expr(Expr::Bound { binding: owner.binding });
        let binding = builder.binding_mut(constructor);
        binding.annotation = Some(made);
        binding.on_type = true;
        binding.private = modifiers.is_private;
        if let Some(list) = self.child_of_kind(node, Kind::FunctionValueParameters) {
            let types = self.bind_parameters(list, inside, builder);
            builder.binding_mut(constructor).bases = builder.add_expr_list(&types);
        }
        if let Some(call) = self.child_of_kind(node, Kind::ConstructorDelegationCall) {
            let is_super = self.has_token(call, "super");
            let callee = self.constructor_called_by_keyword(is_super, owner, builder);
            if let Some((callee, name)) = callee {
                let line = crate::names::first_line_number_of_node(call);
                builder.record_occurrence_at_offset(name, call.start_byte(), line, Role::Call, Target::Expr(callee));
            }
            let arguments = self.child_of_kind(call, Kind::ValueArguments);
            let callee = callee.map_or(builder.unknown_expr(), |(callee, _)| callee);
            self.bind_arguments(arguments, None, (callee, callee), inside, builder);
        }
        if let Some(block) = self.child_of_kind(node, Kind::Block) {
            self.bind_statements(block, inside, builder);
        }
    }

    /// The constructor that `this(…)` or `super(…)` calls, with the name that it has.
    fn constructor_called_by_keyword(
        &mut self,
        is_super: bool,
        owner: TypeOwner,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<(ExprId, u32)> {
        if !is_super {
            let of = builder.add_expr(Expr::Bound { binding: owner.binding });
            let binding = builder.binding_mut(owner.binding);
            let (name, at) = (binding.name, binding.at);
            return Some((builder.add_expr(Expr::Member { base: of, name, at }), name));
        }
        let bases = builder.binding_mut(owner.binding).bases;
        let base = *builder.names.expr_ids_in_list_range(bases).first()?;
        let named = super::types::without_type_arguments(base, builder);
        let (Expr::Name { name, at, .. } | Expr::Member { name, at, .. }) = builder.names.expr_by_id(named) else {
            return None;
        };
        Some((builder.add_expr(Expr::Member { base: named, name, at }), name))
    }

    /// Binds an entry of an enum. Its own body derives from the enum.
    fn bind_enum_entry(&mut self, node: Node<'t>, members: ScopeId, owner: TypeOwner, builder: &mut NamesBuilder<'_>) {
        self.bind_modifiers(node, members, builder);
        let Some(name) = self.child_of_kind(node, Kind::Identifier) else { return };
        let entry = self.bind_definition(members, BindingKind::EnumMember, name, builder);
        builder.binding_mut(entry).on_type = true;
        let of = builder.add_expr(Expr::Bound { binding: owner.binding });
        let scope = builder.add_child_scope(members, ScopeKind::Block, node);
        let made = builder.binding_mut(owner.binding);
        let (called, at) = (made.name, made.at);
        let callee = builder.add_expr(Expr::Member { base: of, name: called, at });
        let arguments = self.child_of_kind(node, Kind::ValueArguments);
        self.bind_arguments(arguments, None, (callee, callee), scope, builder);
        if self.child_of_kind(node, Kind::ClassBody).is_some() {
            self.bind_unnamed_class(node, &[of], scope, builder);
        }
    }

    /// Binds the body of a class without a name, and returns the expression for the class.
    pub(super) fn bind_unnamed_class(
        &mut self,
        node: Node<'t>,
        bases: &[ExprId],
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let members = builder.add_child_scope(scope, ScopeKind::Type, node);
        let binding = self.add_unnamed_binding(BindingKind::Type, (node, members), builder);
        builder.binding_mut(binding).bases = builder.add_expr_list(bases);
        let initializers = builder.add_child_scope_for_bytes(members, ScopeKind::Block, 0..0);
        let owner = TypeOwner { binding, is_interface: false, initializers };
        self.bind_type_body(node, members, owner, builder);
        builder.add_expr(Expr::Bound { binding })
    }

    /// The value of `object : A(), B { … }`.
    pub(super) fn object_literal_value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let bases = match self.child_of_kind(node, Kind::DelegationSpecifiers) {
            Some(list) => self.supertypes(list, (scope, scope), builder),
            None => Vec::new(),
        };
        let of = self.bind_unnamed_class(node, &bases, scope, builder);
        builder.add_expr(Expr::Instance { of })
    }

    pub(super) fn bind_type_alias(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let modifiers: Modifiers = self.bind_modifiers(node, scope, builder);
        let Some(name) = self.field(node, self.grammar.r#type) else { return };
        let alias = self.bind_definition(scope, BindingKind::TypeAlias, name, builder);
        builder.binding_mut(alias).private = modifiers.is_private;
        let inside = builder.add_child_scope(scope, ScopeKind::Block, node);
        builder.link_binding_and_body_scope(alias, inside);
        self.bind_type_parameters(node, inside, builder);
        let meant = self.find_child(node, |binder, child| binder.is_type(child) && Some(child) != Some(name));
        if let Some(meant) = meant {
            let meant = self.type_expr(meant, inside, builder);
            builder.binding_mut(alias).annotation = Some(meant);
        }
    }
}
