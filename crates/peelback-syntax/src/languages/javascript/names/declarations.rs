//! Name binding for TypeScript declarations other than classes and functions: interfaces, aliases, enums, namespaces.

use tree_sitter::Node;

use super::functions::ParameterValues;
use super::kinds::{Field, Kind};
use super::{Binder, ExprContext, This};
use crate::names::{
    BindingId, BindingKind, Expr, ExprId, FILE_SCOPE, ModuleImportKind, NamesBuilder, Role, ScopeId, ScopeKind,
};

impl<'t> Binder<'t> {
    pub(super) fn bind_interface_declaration(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let outer = self.scope;
        let (mut binding, mut bases, mut body) = (None, Vec::new(), None);
        self.for_each_named_or_unnamed_child(node, builder, |this, child, field, builder| {
            match (field, this.kind_of_node(child)) {
                (Field::Name, _) => {
                    let id = this.bind_name(outer, BindingKind::Type, child, builder);
                    builder.binding_mut(id).type_only = true;
                    binding = Some(id);
                }
                (_, Kind::TypeParameters) => this.enter_type_parameter_scope(child, node, builder),
                (_, Kind::ExtendsTypeClause) => {
                    this.for_each_named_or_unnamed_child(child, builder, |this, child, _, builder| {
                        if child.is_named() {
                            bases.push(this.type_expr(child, builder));
                        }
                    })
                }
                (Field::Body, _) => body = Some(child),
                _ => {
                    this.bind_names_and_get_value(child, ExprContext::READ, builder);
                }
            }
        });
        if let Some(binding) = binding {
            Self::set_known_base_types(binding, &bases, builder);
        }
        if let Some(body) = body {
            let scope = self.add_scope_inside_current(ScopeKind::Type, body, builder);
            if let Some(binding) = binding {
                builder.link_binding_and_body_scope(binding, scope);
            }
            self.bind_interface_or_object_type_members(body, scope, builder);
        }
        self.scope = outer;
    }

    pub(super) fn bind_type_alias(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let outer = self.scope;
        let (mut binding, mut meant) = (None, None);
        self.for_each_named_or_unnamed_child(node, builder, |this, child, field, builder| {
            match (field, this.kind_of_node(child)) {
                (Field::Name, _) => {
                    let id = this.bind_name(outer, BindingKind::TypeAlias, child, builder);
                    builder.binding_mut(id).type_only = true;
                    binding = Some(id);
                }
                (_, Kind::TypeParameters) => this.enter_type_parameter_scope(child, node, builder),
                (Field::Value, _) => meant = Some(this.type_expr(child, builder)),
                _ => {
                    this.bind_names_and_get_value(child, ExprContext::READ, builder);
                }
            }
        });
        self.scope = outer;
        if let (Some(binding), Some(meant)) = (binding, meant)
            && meant != builder.unknown_expr()
        {
            builder.binding_mut(binding).annotation = Some(meant);
            if let Expr::Object { scope } = builder.names.expr_by_id(meant) {
                builder.link_binding_and_body_scope(binding, scope);
            }
        }
    }

    /// Binds the members of an interface or object type in the scope `members`.
    pub(super) fn bind_interface_or_object_type_members(
        &mut self,
        node: Node<'t>,
        members: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        self.for_each_named_or_unnamed_child(node, builder, |this, child, _, builder| match this.kind_of_node(child) {
            Kind::Method => builder.run_with_depth_limit(child, |builder| {
                this.bind_method_or_accessor(child, members, None, builder.unknown_expr(), builder)
            }),
            Kind::PropertySignature => {
                builder.run_with_depth_limit(child, |builder| this.bind_property_signature(child, members, builder))
            }
            Kind::CallSignature => this.bind_call_or_construct_signature(child, members, "()", builder),
            Kind::ConstructSignature => this.bind_call_or_construct_signature(child, members, "new", builder),
            Kind::IndexSignature => this.bind_index_or_mapped_signature(child, members, builder),
            _ => {
                this.bind_names_and_get_value(child, ExprContext::READ, builder);
            }
        });
    }

    fn bind_property_signature(&mut self, node: Node<'t>, members: ScopeId, builder: &mut NamesBuilder<'_>) {
        let (mut name, mut annotation) = (None, None);
        self.for_each_named_or_unnamed_child(node, builder, |_, child, field, _| match field {
            Field::Name => name = Some(child),
            Field::Type => annotation = Some(child),
            _ => {}
        });
        let name = name.and_then(|name| self.member_name_node(name, builder));
        let declared = self.run_with_this_value(This::Instance(members), |this| {
            annotation.map_or(builder.unknown_expr(), |node| this.type_of_annotation(node, builder))
        });
        if let Some(name) = name {
            let binding = self.bind_name(members, BindingKind::Field, name, builder);
            builder.binding_mut(binding).annotation = (declared != builder.unknown_expr()).then_some(declared);
        }
    }

    /// Binds a call or construct signature as a member with a name that no source can contain (`()`, `new`).
    fn bind_call_or_construct_signature(
        &mut self,
        node: Node<'t>,
        members: ScopeId,
        name: &str,
        builder: &mut NamesBuilder<'_>,
    ) {
        let name = builder.intern_constructed_text(name);
        let parts = self.function_parts(node, builder);
        let scope = builder.add_child_scope(members, ScopeKind::Function, node);
        let binding = builder.add_binding(members, BindingKind::Function, name, node.start_byte());
        self.bind_function_parts(&parts, binding, scope, This::Instance(members), ParameterValues::default(), builder);
    }

    /// Binds `[key: string]: T` or `[K in T]: U`. The declared element type becomes the member `[]`.
    pub(super) fn bind_index_or_mapped_signature(
        &mut self,
        node: Node<'t>,
        members: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let outer = self.scope;
        let scope = self.add_scope_inside_current(ScopeKind::Block, node, builder);
        self.scope = scope;
        let mut declared = builder.unknown_expr();
        self.for_each_named_or_unnamed_child(node, builder, |this, child, field, builder| {
            match (field, this.kind_of_node(child)) {
                (Field::Name, _) => {
                    this.bind_name(scope, BindingKind::Parameter, child, builder);
                }
                (_, Kind::MappedType) => this.bind_mapped_type_clause(child, scope, builder),
                (Field::Type, _) => declared = this.type_of_annotation(child, builder),
                _ if child.is_named() => {
                    this.type_expr(child, builder);
                }
                _ => {}
            }
        });
        self.scope = outer;
        if declared != builder.unknown_expr() {
            let name = builder.intern_constructed_text("[]");
            let binding = builder.add_binding(members, BindingKind::Field, name, node.start_byte());
            builder.binding_mut(binding).annotation = Some(declared);
        }
    }

    pub(super) fn bind_enum_declaration(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let (name, body) = (
            self.first_child_in_field(node, Field::Name, builder),
            self.first_child_in_field(node, Field::Body, builder),
        );
        let binding = name.map(|name| self.bind_name(self.scope, BindingKind::Type, name, builder));
        let Some(body) = body else { return };
        let members = self.add_scope_inside_current(ScopeKind::Type, body, builder);
        if let Some(binding) = binding {
            builder.link_binding_and_body_scope(binding, members);
        }
        self.for_each_named_or_unnamed_child(body, builder, |this, child, _, builder| {
            let (name, value) = match this.kind_of_node(child) {
                Kind::EnumAssignment => (
                    this.first_child_in_field(child, Field::Name, builder),
                    this.first_child_in_field(child, Field::Value, builder),
                ),
                _ => (Some(child), None),
            };
            if let Some(name) = name.and_then(|name| this.member_name_node(name, builder)) {
                let member = this.bind_name(members, BindingKind::EnumMember, name, builder);
                builder.binding_mut(member).on_type = true;
            }
            if let Some(value) = value {
                // The value of an enum member sees the other members by their bare names.
                this.run_in_scope(members, |this| this.bind_names_and_get_value(value, ExprContext::READ, builder));
            }
        });
    }

    /// Binds the names in `namespace A.B { … }` or `module "x" { … }`: the namespaces and the declarations inside.
    pub(super) fn bind_namespace_or_module(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let (name, body) = (
            self.first_child_in_field(node, Field::Name, builder),
            self.first_child_in_field(node, Field::Body, builder),
        );
        let Some(name) = name else { return self.bind_names_in_children(node, builder) };
        let (outer, hoist_scope) = (self.scope, self.hoist_scope);
        let mut names = Vec::new();
        match self.kind_of_node(name) {
            Kind::String => {
                // The import that is recorded for the module's name gets this scope, which contains the module's
                // declarations.
                self.scope = self.add_scope_inside_current(ScopeKind::Module, body.unwrap_or(node), builder);
                self.add_import_for_module_string(name, builder);
            }
            _ => self.collect_dotted_name_parts(name, &mut names, builder),
        }
        for name in names {
            let binding = self.bind_name(self.scope, BindingKind::Module, name, builder);
            let scope = self.add_scope_inside_current(ScopeKind::Module, body.unwrap_or(node), builder);
            builder.link_binding_and_body_scope(binding, scope);
            self.scope = scope;
        }
        self.hoist_scope = self.scope;
        if let Some(body) = body {
            self.bind_names_in_children(body, builder);
        }
        (self.scope, self.hoist_scope) = (outer, hoist_scope);
    }

    /// Collects the name nodes of the dotted name `A.B.C`, from left to right.
    fn collect_dotted_name_parts(&mut self, node: Node<'t>, names: &mut Vec<Node<'t>>, builder: &mut NamesBuilder<'_>) {
        match self.kind_of_node(node) {
            Kind::Identifier | Kind::PropertyIdentifier => names.push(node),
            _ => builder.run_with_depth_limit(node, |builder| {
                self.for_each_named_or_unnamed_child(node, builder, |this, child, _, builder| {
                    if child.is_named() {
                        this.collect_dotted_name_parts(child, names, builder);
                    }
                });
            }),
        }
    }

    /// Binds the declarations in `declare …`. Those in `declare global` are visible in this file like its own.
    pub(super) fn bind_ambient_declaration(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let mut global = false;
        self.for_each_named_or_unnamed_child(node, builder, |this, child, _, builder| match this.kind_of_node(child) {
            Kind::GlobalToken => global = true,
            Kind::StatementBlock if global => {
                let hoist_scope = std::mem::replace(&mut this.hoist_scope, FILE_SCOPE);
                this.run_in_scope(FILE_SCOPE, |this| this.bind_names_in_children(child, builder));
                this.hoist_scope = hoist_scope;
            }
            _ => {
                this.bind_names_and_get_value(child, ExprContext::READ, builder);
            }
        });
    }

    /// Binds `import A = B.C;`, which makes `A` an alias of `B.C`.
    pub(super) fn bind_import_equals_alias(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let mut binding: Option<BindingId> = None;
        let mut meant: ExprId = builder.unknown_expr();
        self.for_each_named_or_unnamed_child(node, builder, |this, child, _, builder| {
            if !child.is_named() || this.is_comment(child) {
            } else if binding.is_none() {
                binding = Some(this.bind_name(this.scope, BindingKind::TypeAlias, child, builder));
            } else {
                meant = this.bind_names_and_get_value(child, ExprContext::for_role(Role::Read), builder);
            }
        });
        if let Some(binding) = binding {
            builder.binding_mut(binding).annotation = (meant != builder.unknown_expr()).then_some(meant);
        }
    }

    /// Records an import for the module that a string names: `"x"` in `declare module "x" { … }`.
    pub(super) fn add_import_for_module_string(
        &mut self,
        string: Node<'t>,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<crate::names::ModuleImportId> {
        let text = self.escape_free_string_text_node(string)?;
        let source = builder.name_id_of_node(text);
        Some(builder.add_import(ModuleImportKind::Mention, source, self.scope, string))
    }
}
