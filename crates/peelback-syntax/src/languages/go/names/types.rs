//! Name binding of Go's type declarations and type expressions.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{BindingId, BindingKind, Expr, ExprId, FILE_SCOPE, NamesBuilder, Role, ScopeId, ScopeKind};

impl<'t> Binder<'t> {
    /// Binds the type that a spec (`T …` or `T = …`) declares after `type`.
    pub(super) fn bind_type_spec(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let Some(name) = self.child_in_field(node, self.grammar.name) else { return };
        let alias = self.grammar.kind_of_node(node) == Kind::TypeAlias;
        let kind = if alias { BindingKind::TypeAlias } else { BindingKind::Type };
        let binding = if scope == FILE_SCOPE {
            builder.add_binding_with_definition(scope, kind, name)
        } else {
            self.record_if_container_type(node, builder);
            // A local type is visible inside its own definition.
            self.bind_local_name(name, kind, scope, name.start_byte(), builder)
        };
        let enclosing_scope = match self.child_in_field(node, self.grammar.type_parameters) {
            Some(parameters) => {
                let enclosing_scope = builder.add_child_scope(scope, ScopeKind::Block, node);
                self.bind_type_parameters(parameters, enclosing_scope, builder);
                enclosing_scope
            }
            None => scope,
        };
        let Some(written) = self.child_in_field(node, self.grammar.r#type) else { return };
        match self.grammar.kind_of_node(written) {
            Kind::StructType | Kind::InterfaceType if !alias => {
                let members = builder.add_child_scope(enclosing_scope, ScopeKind::Type, written);
                builder.link_binding_and_body_scope(binding, members);
                let bases = self.bind_type_members(written, members, enclosing_scope, builder);
                builder.binding_mut(binding).bases = builder.add_expr_list(&bases);
            }
            _ => {
                let target_type = self.type_expr(written, enclosing_scope, builder);
                if alias {
                    builder.binding_mut(binding).annotation = Some(target_type);
                } else {
                    let members = builder.add_child_scope(enclosing_scope, ScopeKind::Type, written);
                    builder.link_binding_and_body_scope(binding, members);
                    // A type has the members of its underlying type: elements, call results and fields.
                    builder.binding_mut(binding).bases = builder.add_expr_list(&[target_type]);
                }
            }
        }
    }

    pub(super) fn bind_type_parameters(&mut self, list: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.for_each_named_non_comment_child(list, builder, |binder, declaration, builder| {
            let mut type_parameters: Vec<BindingId> = Vec::new();
            let mut bound = None;
            binder.for_each_named_non_comment_child(declaration, builder, |binder, part, builder| {
                match binder.grammar.kind_of_node(part) {
                    Kind::Identifier => type_parameters.push(builder.add_binding_with_definition(
                        scope,
                        BindingKind::TypeParameter,
                        part,
                    )),
                    _ => bound = Some(binder.type_expr(part, scope, builder)),
                }
            });
            for parameter in type_parameters {
                builder.binding_mut(parameter).annotation = bound;
            }
        });
    }

    /// Binds the members of a struct or an interface in the scope `members`, and returns the embedded types. Types are
    /// looked up from `lookup_scope`.
    fn bind_type_members(
        &mut self,
        node: Node<'t>,
        members: ScopeId,
        lookup_scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> Vec<ExprId> {
        let mut bases = Vec::new();
        self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
            builder.run_with_depth_limit(child, |builder| match binder.grammar.kind_of_node(child) {
                Kind::FieldDeclarationList | Kind::Error => {
                    let inner = binder.bind_type_members(child, members, lookup_scope, builder);
                    bases.extend(inner);
                }
                Kind::FieldDeclaration => {
                    binder.bind_field_declaration(child, members, lookup_scope, &mut bases, builder)
                }
                Kind::MethodElem => binder.bind_interface_method(child, members, lookup_scope, builder),
                Kind::TypeElem | Kind::TypeConstraint => {
                    let embedded = binder.type_expr(child, lookup_scope, builder);
                    bases.push(embedded);
                }
                _ => {
                    binder.bind_names_and_get_value(child, lookup_scope, Role::Read, builder);
                }
            });
        });
        bases.retain(|base| *base != builder.unknown_expr());
        bases
    }

    fn bind_field_declaration(
        &mut self,
        node: Node<'t>,
        members: ScopeId,
        lookup_scope: ScopeId,
        bases: &mut Vec<ExprId>,
        builder: &mut NamesBuilder<'_>,
    ) {
        let Some(written) = self.child_in_field(node, self.grammar.r#type) else { return };
        let declared = self.type_expr(written, lookup_scope, builder);
        let mut has_name = false;
        self.for_each_named_non_comment_child(node, builder, |binder, name, builder| {
            if binder.grammar.kind_of_node(name) == Kind::FieldIdentifier {
                has_name = true;
                if builder.text_of_node(name) != "_" {
                    let field = builder.add_binding_with_definition(members, BindingKind::Field, name);
                    builder.binding_mut(field).annotation = Some(declared);
                }
            }
        });
        if !has_name {
            if let Some(name) = self.embedded_field_name_node(written) {
                let field = builder.add_binding_with_definition(members, BindingKind::Field, name);
                builder.binding_mut(field).annotation = Some(declared);
            }
            bases.push(declared);
        }
    }

    fn bind_interface_method(
        &mut self,
        node: Node<'t>,
        members: ScopeId,
        lookup_scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let Some(name) = self.child_in_field(node, self.grammar.name) else { return };
        let method = builder.add_binding_with_definition(members, BindingKind::Function, name);
        let scope = builder.add_child_scope(lookup_scope, ScopeKind::Function, node);
        builder.link_binding_and_body_scope(method, scope);
        self.bind_signature(node, scope, method, builder);
    }

    /// The node that names an embedded field: the type's name without package and type arguments.
    fn embedded_field_name_node(&self, mut written: Node<'t>) -> Option<Node<'t>> {
        loop {
            written = match self.grammar.kind_of_node(written) {
                Kind::TypeIdentifier => return Some(written),
                Kind::QualifiedType => self.child_in_field(written, self.grammar.name)?,
                Kind::GenericType => self.child_in_field(written, self.grammar.r#type)?,
                Kind::PointerType | Kind::ParenthesizedType => self.first_named_non_comment_child(written)?,
                _ => return None,
            };
        }
    }

    /// The expression for the type that the syntax node `node` denotes. Its names are looked up from `scope`.
    pub(super) fn type_expr(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.grammar.kind_of_node(node) {
            Kind::TypeIdentifier | Kind::Identifier => {
                if builder.text_of_node(node) == "_" {
                    return builder.unknown_expr();
                }
                builder.record_name_use(node, scope, Role::Type)
            }
            Kind::QualifiedType => {
                let (package, name) =
                    (self.child_in_field(node, self.grammar.package), self.child_in_field(node, self.grammar.name));
                let (Some(package), Some(name)) = (package, name) else { return builder.unknown_expr() };
                let package = builder.record_name_use(package, scope, Role::Read);
                builder.record_member_use(package, name, Role::Type)
            }
            _ => builder.run_with_depth_limit(node, |builder| self.compound_type_expr(node, scope, builder)),
        }
    }

    /// The expression for a type that contains other types.
    fn compound_type_expr(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.grammar.kind_of_node(node) {
            Kind::PointerType | Kind::ParenthesizedType | Kind::NegatedType => {
                match self.first_named_non_comment_child(node) {
                    Some(inner) => self.type_expr(inner, scope, builder),
                    None => builder.unknown_expr(),
                }
            }
            Kind::GenericType => {
                let base = match self.child_in_field(node, self.grammar.r#type) {
                    Some(base) => self.type_expr(base, scope, builder),
                    None => builder.unknown_expr(),
                };
                let mut args = Vec::new();
                if let Some(list) = self.child_in_field(node, self.grammar.type_arguments) {
                    self.for_each_named_non_comment_child(list, builder, |binder, argument, builder| {
                        args.push(binder.type_expr(argument, scope, builder))
                    });
                }
                let args = builder.add_expr_list(&args);
                builder.add_expr(Expr::Generic { base: Some(base), args })
            }
            Kind::SliceType | Kind::ArrayType | Kind::ImplicitLengthArrayType => {
                if let Some(length) = self.child_in_field(node, self.grammar.length) {
                    self.bind_names_and_get_value(length, scope, Role::Read, builder);
                }
                let element = self.child_in_field(node, self.grammar.element);
                self.container_type_expr(&[element], scope, builder)
            }
            Kind::MapType => {
                let parts =
                    [self.child_in_field(node, self.grammar.key), self.child_in_field(node, self.grammar.value)];
                self.container_type_expr(&parts, scope, builder)
            }
            Kind::ChannelType => {
                let element = self.child_in_field(node, self.grammar.value);
                self.container_type_expr(&[element], scope, builder)
            }
            Kind::FunctionType => self.function_type_expr(node, scope, builder),
            Kind::StructType | Kind::InterfaceType => {
                let members = builder.add_child_scope(scope, ScopeKind::Type, node);
                let bases = self.bind_type_members(node, members, scope, builder);
                let object = builder.add_expr(Expr::Object { scope: members });
                if bases.is_empty() {
                    return object;
                }
                let mut parts = vec![object];
                parts.extend(bases);
                builder.expr_of_possible_values(parts)
            }
            // A type constraint: one type, or a union of several.
            Kind::TypeElem | Kind::TypeConstraint => {
                let mut parts = Vec::new();
                self.for_each_named_non_comment_child(node, builder, |binder, part, builder| {
                    parts.push(binder.type_expr(part, scope, builder))
                });
                builder.expr_of_possible_values(parts)
            }
            _ => self.bind_names_and_get_value(node, scope, Role::Type, builder),
        }
    }

    /// The expression for an unnamed container type (slice, array, map or channel) from the types of its keys and
    /// elements.
    fn container_type_expr(
        &mut self,
        parts: &[Option<Node<'t>>],
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let mut args = Vec::with_capacity(parts.len());
        for part in parts.iter().flatten() {
            args.push(self.type_expr(*part, scope, builder));
        }
        let args = builder.add_expr_list(&args);
        builder.add_expr(Expr::Generic { base: None, args })
    }

    /// The expression for the function type `func(…) …`.
    fn function_type_expr(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let function_scope = builder.add_child_scope(scope, ScopeKind::Function, node);
        let function = self.create_unnamed_function_binding(node, function_scope, builder);
        self.bind_signature(node, function_scope, function, builder);
        builder.add_expr(Expr::Function { binding: function })
    }

    /// Creates the binding of an unnamed function whose inner scope is `scope`.
    pub(super) fn create_unnamed_function_binding(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> BindingId {
        let name = builder.intern_constructed_text("func");
        let function = builder.add_binding(scope, BindingKind::Function, name, node.start_byte());
        builder.link_binding_and_body_scope(function, scope);
        function
    }
}
