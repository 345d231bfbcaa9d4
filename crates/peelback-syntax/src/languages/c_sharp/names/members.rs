//! Name binding of the members of C#'s types.

use tree_sitter::Node;

use super::open_functions::OpenFunction;
use super::type_declarations::TypeOwner;
use super::{Binder, Kind, offset};
use crate::names::{
    BindingId, BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId, ScopeKind, Target, first_line_number_of_node,
};

impl<'t> Binder<'t> {
    pub(super) fn is_member(&self, node: Node<'t>) -> bool {
        matches!(
            self.kind(node),
            Kind::FieldDeclaration
                | Kind::EventFieldDeclaration
                | Kind::EventDeclaration
                | Kind::PropertyDeclaration
                | Kind::IndexerDeclaration
                | Kind::MethodDeclaration
                | Kind::ConstructorDeclaration
                | Kind::DestructorDeclaration
                | Kind::OperatorDeclaration
                | Kind::ConversionOperatorDeclaration
        )
    }

    /// Binds the members in the body of a type in the scope `members`.
    pub(super) fn bind_members(
        &mut self,
        body: Node<'t>,
        members: ScopeId,
        owner: TypeOwner,
        builder: &mut NamesBuilder<'_>,
    ) {
        let expected = (self.expected_function.take(), self.expected_type.take());
        let open = std::mem::take(&mut self.open_functions);
        let condition = self.field(body, self.grammar.condition);
        self.for_each_child(body, builder, |binder, child, builder| {
            if Some(child) != condition {
                builder.run_with_depth_limit(child, |builder| binder.bind_member(child, members, owner, builder));
            }
        });
        self.open_functions = open;
        (self.expected_function, self.expected_type) = expected;
    }

    fn bind_member(&mut self, node: Node<'t>, members: ScopeId, owner: TypeOwner, builder: &mut NamesBuilder<'_>) {
        match self.kind(node) {
            Kind::FieldDeclaration | Kind::EventFieldDeclaration => self.bind_fields(node, members, builder),
            Kind::PropertyDeclaration | Kind::EventDeclaration => self.bind_property(node, members, builder),
            Kind::IndexerDeclaration => self.bind_indexer(node, members, builder),
            Kind::MethodDeclaration => self.bind_method(node, members, owner, builder),
            Kind::ConstructorDeclaration => self.bind_constructor(node, members, owner, builder),
            Kind::DestructorDeclaration | Kind::OperatorDeclaration | Kind::ConversionOperatorDeclaration => {
                self.bind_operator(node, members, builder)
            }
            Kind::EnumMemberDeclaration => self.bind_enum_member(node, members, builder),
            Kind::PreprocIf | Kind::PreprocElse | Kind::PreprocElif | Kind::Error | Kind::DeclarationList => {
                self.bind_members(node, members, owner, builder)
            }
            _ if self.is_type_declaration(node) => self.bind_type_declaration(node, members, builder),
            _ => {
                // Broken source: its names are of no member.
                let inside = builder.add_child_scope(members, ScopeKind::Block, node);
                self.bind_statement(node, inside, builder);
            }
        }
    }

    /// Binds a member that broken source has outside of a type: its names are in a scope of their own.
    pub(super) fn bind_member_outside_of_type(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let members = builder.add_child_scope(scope, ScopeKind::Type, node);
        let binding = self.add_unnamed_binding(BindingKind::Type, "{}", (node, members), builder);
        self.bind_member(node, members, TypeOwner { binding, is_interface: false }, builder);
    }

    /// Binds the fields of one declaration, or the events of one without accessors.
    fn bind_fields(&mut self, node: Node<'t>, members: ScopeId, builder: &mut NamesBuilder<'_>) {
        let modifiers = self.bind_modifiers(node, members, builder);
        let Some(declaration) = self.child_of_kind(node, Kind::VariableDeclaration) else { return };
        let declared = self.declared_type(declaration, members, builder);
        self.for_each_child(declaration, builder, |binder, declarator, builder| {
            if binder.kind(declarator) != Kind::VariableDeclarator {
                return;
            }
            let Some(name) = binder.field(declarator, binder.grammar.name) else { return };
            let field = binder.bind_name(members, BindingKind::Field, name, builder);
            let binding = builder.binding_mut(field);
            binding.annotation = declared;
            binding.private = modifiers.is_private;
            binding.on_type = modifiers.is_static || modifiers.is_constant;
            let value = binder.last_child(declarator, builder).filter(|value| *value != name);
            if let Some(value) = value {
                // Names that a pattern in the value binds belong to the value alone.
                let scope = builder.add_child_scope(members, ScopeKind::Block, value);
                let value = binder.value_for_type(value, scope, declared, builder);
                binder.set_value(field, value, builder);
            }
        });
    }

    /// Binds a property, or an event with accessors.
    fn bind_property(&mut self, node: Node<'t>, members: ScopeId, builder: &mut NamesBuilder<'_>) {
        let modifiers = self.bind_modifiers(node, members, builder);
        let Some(name) = self.field(node, self.grammar.name) else { return };
        let property = self.bind_name(members, BindingKind::Property, name, builder);
        let is_explicit = self.bind_explicit_interface(node, members, builder);
        let declared = self.declared_type(node, members, builder);
        let binding = builder.binding_mut(property);
        binding.annotation = declared;
        binding.on_type = modifiers.is_static;
        binding.private = modifiers.is_private;
        binding.type_only = is_explicit;
        self.bind_accessors(node, (property, declared), members, builder);
    }

    /// Binds an indexer, which is a property that no source names.
    fn bind_indexer(&mut self, node: Node<'t>, members: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.bind_modifiers(node, members, builder);
        let around = builder.add_child_scope(members, ScopeKind::Block, node);
        if let Some(list) = self.field(node, self.grammar.parameters) {
            self.bind_parameters(list, around, builder);
        }
        let is_explicit = self.bind_explicit_interface(node, members, builder);
        let declared = self.declared_type(node, members, builder);
        let at =
            self.find_child(node, |_, child| child.kind() == "this").map_or(node.start_byte(), |of| of.start_byte());
        let name = builder.intern_constructed_text("this");
        let indexer = builder.add_binding(members, BindingKind::Property, name, at);
        let binding = builder.binding_mut(indexer);
        binding.annotation = declared;
        binding.type_only = is_explicit;
        self.bind_accessors(node, (indexer, declared), around, builder);
    }

    /// Binds the accessors of a property, or its value. In a setter, `value` is what is assigned.
    fn bind_accessors(
        &mut self,
        node: Node<'t>,
        (property, declared): (BindingId, Option<ExprId>),
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        if let Some(list) = self.field(node, self.grammar.accessors) {
            self.for_each_child(list, builder, |binder, accessor, builder| {
                binder.bind_modifiers(accessor, scope, builder);
                let Some(body) = binder.field(accessor, binder.grammar.body) else { return };
                let inside = binder.open_property_body(property, body, scope, builder);
                let is_getter =
                    binder.field(accessor, binder.grammar.name).is_some_and(|name| builder.text_of_node(name) == "get");
                if !is_getter {
                    let name = builder.intern_constructed_text("value");
                    let value = builder.add_binding(inside, BindingKind::Parameter, name, accessor.start_byte());
                    builder.binding_mut(value).annotation = declared;
                }
                binder.bind_property_body(body, inside, declared, builder);
            });
        }
        if let Some(value) = self.field(node, self.grammar.value) {
            let inside = self.open_property_body(property, value, scope, builder);
            self.bind_property_body(value, inside, declared, builder);
        }
    }

    fn open_property_body(
        &mut self,
        property: BindingId,
        body: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ScopeId {
        let inside = builder.add_child_scope(scope, ScopeKind::Function, body);
        match builder.binding_mut(property).body {
            Some(_) => builder.set_scope_owner(inside, property),
            None => builder.link_binding_and_body_scope(property, inside),
        }
        inside
    }

    fn bind_property_body(
        &mut self,
        body: Node<'t>,
        scope: ScopeId,
        declared: Option<ExprId>,
        builder: &mut NamesBuilder<'_>,
    ) {
        self.open_functions.push(OpenFunction { returned_type: declared, returned: Vec::new() });
        match self.kind(body) {
            Kind::Block => self.bind_statements(body, scope, builder),
            Kind::ArrowExpressionClause => {
                if let Some(value) = self.first_child(body) {
                    self.value_for_type(value, scope, declared, builder);
                }
            }
            _ => {
                self.value_for_type(body, scope, declared, builder);
            }
        }
        self.open_functions.pop();
    }

    /// Binds the name of the interface in front of a member's name: `void IFoo.Bar()`.
    fn bind_explicit_interface(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> bool {
        let Some(specifier) = self.child_of_kind(node, Kind::ExplicitInterfaceSpecifier) else { return false };
        self.for_each_child(specifier, builder, |binder, name, builder| {
            binder.type_expr(name, scope, builder);
        });
        true
    }

    fn bind_method(&mut self, node: Node<'t>, members: ScopeId, owner: TypeOwner, builder: &mut NamesBuilder<'_>) {
        let modifiers = self.bind_modifiers(node, members, builder);
        let Some(name) = self.field(node, self.grammar.name) else { return };
        let method = self.bind_name(members, BindingKind::Function, name, builder);
        let scope = builder.add_child_scope(members, ScopeKind::Function, node);
        builder.link_binding_and_body_scope(method, scope);
        let is_explicit = self.bind_explicit_interface(node, members, builder);
        let has_body = self.field(node, self.grammar.body).is_some();
        let binding = builder.binding_mut(method);
        binding.on_type = modifiers.is_static;
        binding.private = modifiers.is_private;
        binding.type_only = is_explicit;
        binding.constant = owner.is_interface && !has_body && !modifiers.is_static;
        builder.names.begins_program |= modifiers.is_static && builder.text_of_node(name) == "Main";
        self.bind_signature_and_body(node, method, scope, builder);
    }

    fn bind_constructor(&mut self, node: Node<'t>, members: ScopeId, owner: TypeOwner, builder: &mut NamesBuilder<'_>) {
        let modifiers = self.bind_modifiers(node, members, builder);
        let Some(name) = self.field(node, self.grammar.name) else { return };
        let constructor = self.bind_name(members, BindingKind::Function, name, builder);
        let scope = builder.add_child_scope(members, ScopeKind::Function, node);
        builder.link_binding_and_body_scope(constructor, scope);
        let made = builder.add_expr(Expr::Bound { binding: owner.binding });
        let binding = builder.binding_mut(constructor);
        binding.annotation = Some(made);
        binding.on_type = true;
        // The static one is called by no source.
        binding.constant = true;
        binding.type_only = modifiers.is_static;
        binding.private = modifiers.is_private;
        if let Some(list) = self.field(node, self.grammar.parameters) {
            let types = self.bind_parameters(list, scope, builder);
            builder.binding_mut(constructor).bases = builder.add_expr_list(&types);
        }
        if let Some(initializer) = self.child_of_kind(node, Kind::ConstructorInitializer) {
            self.bind_constructor_initializer(initializer, owner, scope, builder);
        }
        self.bind_function_body(self.field(node, self.grammar.body), constructor, scope, builder);
    }

    /// Binds `: this(…)` or `: base(…)`: a call of a constructor of the type, or of its base.
    fn bind_constructor_initializer(
        &mut self,
        node: Node<'t>,
        owner: TypeOwner,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let keyword = self.find_child(node, |_, child| matches!(child.kind(), "base" | "this"));
        let callee = match keyword {
            Some(keyword) if keyword.kind() == "this" => {
                let of = builder.add_expr(Expr::Bound { binding: owner.binding });
                let name = builder.binding_mut(owner.binding).name;
                let at = offset(keyword.start_byte());
                Some((builder.add_expr(Expr::Member { base: of, name, at }), name, keyword))
            }
            Some(keyword) => self.constructor_of_base(owner, builder).map(|(callee, name)| (callee, name, keyword)),
            None => None,
        };
        if let Some((callee, name, keyword)) = callee {
            let line = first_line_number_of_node(keyword);
            builder.record_occurrence_at_offset(name, keyword.start_byte(), line, Role::Call, Target::Expr(callee));
        }
        let arguments = self.child_of_kind(node, Kind::ArgumentList);
        let callee = callee.map_or(builder.unknown_expr(), |(callee, ..)| callee);
        self.bind_call_arguments(arguments, callee, scope, builder);
    }

    /// The constructor of the first base of a type, with its name.
    fn constructor_of_base(&mut self, owner: TypeOwner, builder: &mut NamesBuilder<'_>) -> Option<(ExprId, u32)> {
        let bases = builder.binding_mut(owner.binding).bases;
        let base = *builder.names.expr_ids_in_list_range(bases).first()?;
        let named = match builder.names.expr_by_id(base) {
            Expr::Generic { base: Some(base), .. } => base,
            _ => base,
        };
        let (Expr::Name { name, at, .. } | Expr::Member { name, at, .. }) = builder.names.expr_by_id(named) else {
            return None;
        };
        Some((builder.add_expr(Expr::Member { base: named, name, at }), name))
    }

    /// Binds an operator, a conversion or a destructor, which no source names.
    fn bind_operator(&mut self, node: Node<'t>, members: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.bind_modifiers(node, members, builder);
        let (name, at) = match self.kind(node) {
            Kind::DestructorDeclaration => ("~".to_owned(), self.field(node, self.grammar.name)),
            Kind::OperatorDeclaration => {
                let operator = self.field(node, self.grammar.operator);
                let text = operator.map_or("", |operator| builder.text_of_node(operator));
                (format!("operator {text}"), operator)
            }
            _ => ("operator".to_owned(), self.field(node, self.grammar.r#type)),
        };
        let name = builder.intern_constructed_text(&name);
        let operator = builder.add_binding(members, BindingKind::Function, name, at.unwrap_or(node).start_byte());
        builder.binding_mut(operator).on_type = true;
        let scope = builder.add_child_scope(members, ScopeKind::Function, node);
        builder.link_binding_and_body_scope(operator, scope);
        self.bind_signature_and_body(node, operator, scope, builder);
    }

    fn bind_enum_member(&mut self, node: Node<'t>, members: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.bind_attributes_in(node, members, builder);
        let Some(name) = self.field(node, self.grammar.name) else { return };
        let member = self.bind_name(members, BindingKind::EnumMember, name, builder);
        builder.binding_mut(member).on_type = true;
        if let Some(value) = self.field(node, self.grammar.value) {
            self.value(value, members, builder);
        }
    }
}
