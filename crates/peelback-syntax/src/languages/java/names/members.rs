//! Name binding of the members of Java's types.

use tree_sitter::Node;

use super::type_declarations::TypeOwner;
use super::{Binder, Kind};
use crate::names::{BindingId, BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId, ScopeKind, Target};

impl<'t> Binder<'t> {
    /// Binds the members in the body of a type in the scope `members`.
    pub(super) fn bind_members(
        &mut self,
        body: Node<'t>,
        members: ScopeId,
        owner: &TypeOwner,
        builder: &mut NamesBuilder<'_>,
    ) {
        let expected = self.expected_function.take();
        let open = std::mem::take(&mut self.open_functions);
        self.for_each_named_non_comment_child(body, builder, |binder, child, builder| {
            builder.run_with_depth_limit(child, |builder| binder.bind_member(child, members, owner, builder));
        });
        self.open_functions = open;
        self.expected_function = expected;
    }

    fn bind_member(&mut self, node: Node<'t>, members: ScopeId, owner: &TypeOwner, builder: &mut NamesBuilder<'_>) {
        match self.kind(node) {
            Kind::FieldDeclaration | Kind::ConstantDeclaration => self.bind_fields(node, members, owner, builder),
            Kind::MethodDeclaration => self.bind_method(node, members, owner, builder),
            Kind::ConstructorDeclaration | Kind::CompactConstructorDeclaration => {
                self.bind_constructor(node, members, owner, builder)
            }
            Kind::AnnotationTypeElementDeclaration => self.bind_annotation_element(node, members, builder),
            Kind::EnumConstant => self.bind_enum_constant(node, members, owner, builder),
            Kind::EnumBodyDeclarations | Kind::Error => {
                self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
                    builder.run_with_depth_limit(child, |builder| binder.bind_member(child, members, owner, builder));
                });
            }
            Kind::StaticInitializer => {
                if let Some(block) = self.child_of_kind(node, Kind::Block) {
                    self.bind_statement(block, members, builder);
                }
            }
            _ => self.bind_statement(node, members, builder),
        }
    }

    /// Binds the fields of one declaration: `int a, b[] = {};`.
    fn bind_fields(&mut self, node: Node<'t>, members: ScopeId, owner: &TypeOwner, builder: &mut NamesBuilder<'_>) {
        let modifiers = self.bind_modifiers(node, members, builder);
        let Some(written) = self.field(node, self.grammar.r#type) else { return };
        let declared = self.type_expr(written, members, builder);
        self.for_each_named_non_comment_child(node, builder, |binder, declarator, builder| {
            if binder.kind(declarator) != Kind::VariableDeclarator {
                return;
            }
            let Some(name) = binder.field(declarator, binder.grammar.name) else { return };
            let field = builder.add_binding_with_definition(members, BindingKind::Field, name);
            let dimensions = binder.field(declarator, binder.grammar.dimensions);
            let annotation = binder.array_type_expr(declared, dimensions, members, builder);
            let binding = builder.binding_mut(field);
            binding.annotation = Some(annotation);
            binding.private = modifiers.is_private;
            binding.on_type = modifiers.is_static || owner.is_interface;
            binding.constant = modifiers.is_final || owner.is_interface;
            if let Some(value) = binder.field(declarator, binder.grammar.value) {
                // Names that a pattern in the value binds belong to the value alone.
                let scope = builder.add_child_scope(members, ScopeKind::Block, value);
                let value = binder.value_for_type(value, scope, Some(annotation), builder);
                binder.set_value(field, value, builder);
            }
        });
    }

    /// Binds the constant of an enum. The arguments call a constructor of the enum.
    fn bind_enum_constant(
        &mut self,
        node: Node<'t>,
        members: ScopeId,
        owner: &TypeOwner,
        builder: &mut NamesBuilder<'_>,
    ) {
        self.bind_modifiers(node, members, builder);
        let Some(name) = self.field(node, self.grammar.name) else { return };
        let constant = builder.add_binding_with_definition(members, BindingKind::EnumMember, name);
        builder.binding_mut(constant).on_type = true;
        let of = builder.add_expr(Expr::Bound { binding: owner.binding });
        let scope = builder.add_child_scope(members, ScopeKind::Block, node);
        let callee = self.constructor_expr(of, owner.binding, builder);
        let line = crate::names::first_line_number_of_node(name);
        let called = builder.binding_mut(owner.binding).name;
        builder.record_occurrence_at_offset(called, name.start_byte(), line, Role::Call, Target::Expr(callee));
        let arguments = self.field(node, self.grammar.arguments);
        self.bind_call_arguments(arguments, callee, scope, builder);
        if let Some(body) = self.field(node, self.grammar.body) {
            self.bind_unnamed_class(body, of, scope, builder);
        }
    }

    /// The expression for the constructor of the type with the binding `owner`, which the source does not name.
    fn constructor_expr(&mut self, of: ExprId, owner: BindingId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let binding = builder.binding_mut(owner);
        let (name, at) = (binding.name, binding.at);
        builder.add_expr(Expr::Member { base: of, name, at })
    }

    /// Binds the components of a record: each is a field and, unless the record declares it, a method that reads the
    /// field. Returns their types.
    pub(super) fn bind_record_components(
        &mut self,
        node: Node<'t>,
        members: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> Vec<ExprId> {
        let Some(list) = self.field(node, self.grammar.parameters) else { return Vec::new() };
        let declared_methods = self.names_of_methods_without_parameters(node, builder);
        let mut types = Vec::new();
        self.for_each_named_non_comment_child(list, builder, |binder, parameter, builder| {
            let Some((name, annotation, _)) = binder.parameter_name_and_type(parameter, members, builder) else {
                return;
            };
            types.push(annotation);
            let field = builder.add_binding_with_definition(members, BindingKind::Field, name);
            let binding = builder.binding_mut(field);
            binding.annotation = Some(annotation);
            binding.constant = true;
            let text = builder.name_id_of_node(name);
            if !declared_methods.contains(&text) {
                let reader = builder.add_binding(members, BindingKind::Function, text, name.start_byte());
                builder.binding_mut(reader).annotation = Some(annotation);
            }
        });
        types
    }

    /// The names of the methods without parameters that a record declares itself.
    fn names_of_methods_without_parameters(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> Vec<u32> {
        let Some(body) = self.field(node, self.grammar.body) else { return Vec::new() };
        let mut found = Vec::new();
        self.for_each_named_non_comment_child(body, builder, |binder, child, builder| {
            if binder.kind(child) == Kind::MethodDeclaration
                && let Some(name) = binder.field(child, binder.grammar.name)
                && let Some(list) = binder.field(child, binder.grammar.parameters)
                && binder.first_named_child(list).is_none()
            {
                found.push(builder.name_id_of_node(name));
            }
        });
        found
    }

    fn bind_annotation_element(&mut self, node: Node<'t>, members: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.bind_modifiers(node, members, builder);
        let Some(name) = self.field(node, self.grammar.name) else { return };
        let element = builder.add_binding_with_definition(members, BindingKind::Function, name);
        if let Some(written) = self.field(node, self.grammar.r#type) {
            let declared = self.type_expr(written, members, builder);
            let dimensions = self.field(node, self.grammar.dimensions);
            let annotation = self.array_type_expr(declared, dimensions, members, builder);
            builder.binding_mut(element).annotation = Some(annotation);
        }
        if let Some(value) = self.field(node, self.grammar.value) {
            let scope = builder.add_child_scope(members, ScopeKind::Block, value);
            self.bind_element_value(value, scope, builder);
        }
    }

    /// Binds `this(…)` or `super(…)`: a call of a constructor of the type, or of its base.
    pub(super) fn bind_explicit_constructor_call(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        if let Some(object) = self.field(node, self.grammar.object) {
            self.value(object, scope, builder);
        }
        if let Some(list) = self.field(node, self.grammar.type_arguments) {
            self.type_arguments(list, scope, builder);
        }
        let called = self.field(node, self.grammar.constructor);
        let is_super = called.is_some_and(|called| self.kind(called) == Kind::Super);
        let callee = self.constructor_called_by_keyword(is_super, scope, builder);
        if let (Some((callee, name)), Some(called)) = (callee, called) {
            let line = crate::names::first_line_number_of_node(called);
            builder.record_occurrence_at_offset(name, called.start_byte(), line, Role::Call, Target::Expr(callee));
        }
        let arguments = self.field(node, self.grammar.arguments);
        let callee = callee.map_or(builder.unknown_expr(), |(callee, _)| callee);
        self.bind_call_arguments(arguments, callee, scope, builder);
    }

    /// The constructor that `this(…)` or `super(…)` calls in a scope, with the name that it has.
    fn constructor_called_by_keyword(
        &mut self,
        is_super: bool,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<(ExprId, u32)> {
        let members = builder.nearest_scope_of_kinds(scope, &[ScopeKind::Type])?;
        let owner = builder.names.scopes.get(members as usize)?.owner?;
        if !is_super {
            let of = builder.add_expr(Expr::Bound { binding: owner });
            let name = builder.binding_mut(owner).name;
            return Some((self.constructor_expr(of, owner, builder), name));
        }
        let bases = builder.binding_mut(owner).bases;
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
}
