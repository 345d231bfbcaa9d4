//! Functions of C++: their parameters, bodies and results, and lambdas.

use tree_sitter::Node;

use super::declarators::DeclaredName;
use super::{Binder, Kind};
use crate::languages::c::is_c_keyword;
use crate::names::{BindingId, BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId, ScopeKind, Target};

impl<'t> Binder<'t> {
    /// Binds a function with a body. It is bound in `scope`, and its names are looked up from `inner`, which also has its
    /// template parameters.
    pub(super) fn bind_function(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        inner: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let head = self.read_specifiers(node, inner, builder);
        let declared = head.declarators.first().and_then(|(declarator, _)| {
            self.read_declared_name_and_type(*declarator, head.declared_type, inner, builder)
        });
        let Some(declared) = declared.filter(|declared| {
            // If the preprocessor hides a brace, `else if (x) {` parses as a function.
            !is_c_keyword(builder.text_of_node(declared.name))
        }) else {
            let inside = builder.add_child_scope(inner, ScopeKind::Function, node);
            self.bind_body(node, inside, builder);
            return;
        };
        if !head.has_type && builder.scope_kind(scope) != ScopeKind::Type && self.is_macro_call_with_body(&declared) {
            self.bind_body_of_macro_call(node, &declared, inner, builder);
            return;
        }
        let Some((home, last)) = self.open_qualified_name(declared.name, scope, inner, node, builder) else { return };
        let around = if home == scope { inner } else { home };
        let function_scope = builder.add_child_scope(around, ScopeKind::Function, node);
        let Some(bound) = self.bind_declared_name(last, BindingKind::Function, home, around, builder) else {
            self.bind_body(node, function_scope, builder);
            return;
        };
        builder.link_binding_and_body_scope(bound, function_scope);
        self.complete_function(bound, &declared, &head, scope, builder);
        if let Some(declarator) = declared.function {
            self.bind_function_head(bound, declarator, function_scope, around, builder);
        }
        let returned = self.collect_returned(|binder| binder.bind_body(node, function_scope, builder));
        if builder.names.bindings.get(bound as usize).is_some_and(|binding| binding.annotation.is_none()) {
            builder.binding_mut(bound).values = builder.add_expr_list(&returned);
        }
    }

    /// Sets what the specifiers of a declaration say of a function.
    pub(super) fn complete_function(
        &self,
        bound: BindingId,
        declared: &DeclaredName<'t>,
        head: &super::declarations::DeclarationHead<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let is_member = builder.scope_kind(scope) == ScopeKind::Type;
        let is_known = declared.declared_type != builder.unknown_expr();
        let binding = builder.binding_mut(bound);
        binding.private |= head.is_static && !is_member;
        binding.on_type = head.is_static && is_member;
        if is_known {
            binding.annotation = Some(declared.declared_type);
        }
    }

    /// Runs `inside` on the body of a function, and gives the expressions that the body returns.
    fn collect_returned(&mut self, inside: impl FnOnce(&mut Self)) -> Vec<ExprId> {
        self.returned.push(Vec::new());
        inside(self);
        self.returned.pop().unwrap_or_default()
    }

    /// Binds the parameters of a function in `function_scope`, and the type after its `->`.
    pub(super) fn bind_function_head(
        &mut self,
        bound: BindingId,
        declarator: Node<'t>,
        function_scope: ScopeId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let named = self.child_in_field(declarator, self.grammar.declarator);
        self.for_each_named_non_comment_child(declarator, builder, |binder, child, builder| {
            match binder.grammar.kind_of_node(child) {
                _ if Some(child) == named => {}
                Kind::ParameterList => {
                    binder.record_parameter_list(bound, child, builder);
                    binder.bind_parameters(child, function_scope, scope, builder);
                }
                Kind::TrailingReturnType => {
                    if let Some(written) = binder.first_named_non_comment_child(child) {
                        let result = binder.type_expr(written, function_scope, builder);
                        let is_known = result != builder.unknown_expr();
                        builder.binding_mut(bound).annotation = is_known.then_some(result);
                    }
                }
                Kind::TypeQualifier => {}
                Kind::Identifier => {
                    builder.record_name_use(child, scope, Role::Read);
                }
                _ => binder.bind_node(child, function_scope, builder),
            }
        });
    }

    /// Binds the parameters of a function in the function's scope. Their types are looked up from `scope`.
    pub(super) fn bind_parameters(
        &mut self,
        list: Node<'t>,
        function_scope: ScopeId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        self.for_each_named_non_comment_child(list, builder, |binder, parameter, builder| {
            binder.bind_parameter(parameter, Some(function_scope), scope, builder);
        });
    }

    /// Records the names in the types and default values of parameters, whose own names no body uses.
    pub(super) fn record_names_in_parameters(
        &mut self,
        list: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        self.for_each_named_non_comment_child(list, builder, |binder, parameter, builder| {
            binder.bind_parameter(parameter, None, scope, builder);
        });
    }

    pub(super) fn bind_parameter(
        &mut self,
        node: Node<'t>,
        function_scope: Option<ScopeId>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        builder.run_with_depth_limit(node, |builder| {
            if !matches!(
                self.grammar.kind_of_node(node),
                Kind::ParameterDeclaration | Kind::OptionalParameterDeclaration | Kind::VariadicParameterDeclaration
            ) {
                self.bind_node(node, function_scope.unwrap_or(scope), builder);
                return;
            }
            let mut declared_type = match self.child_in_field(node, self.grammar.r#type) {
                Some(written) => self.type_expr(written, scope, builder),
                None => builder.unknown_expr(),
            };
            if let Some(declarator) = self.child_in_field(node, self.grammar.declarator) {
                if self.is_declarator_node(declarator) {
                    let declared = self.read_declared_name_and_type(declarator, declared_type, scope, builder);
                    if let Some(declared) = declared {
                        declared_type = declared.declared_type;
                        if let Some(function) = declared.function {
                            if let Some(parameters) = self.child_in_field(function, self.grammar.parameters) {
                                self.record_names_in_parameters(parameters, scope, builder);
                            }
                            declared_type = self.function_type(function, declared_type, scope, builder);
                        }
                        if let Some(function_scope) = function_scope
                            && let Some(bound) = self.bind_declared_name(
                                declared.name,
                                BindingKind::Parameter,
                                function_scope,
                                scope,
                                builder,
                            )
                        {
                            let is_known = declared_type != builder.unknown_expr();
                            builder.binding_mut(bound).annotation = is_known.then_some(declared_type);
                        }
                    }
                } else {
                    self.abstract_type(declarator, declared_type, scope, builder);
                }
            }
            if let Some(value) = self.child_in_field(node, self.grammar.default_value) {
                self.bind_node(value, scope, builder);
            }
        });
    }

    /// Binds the initialisers and the body of a function.
    fn bind_body(&mut self, node: Node<'t>, function_scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
            match binder.grammar.kind_of_node(child) {
                Kind::FieldInitializerList => {
                    binder.for_each_named_non_comment_child(child, builder, |binder, entry, builder| {
                        binder.bind_field_initialiser(entry, function_scope, builder)
                    })
                }
                Kind::CompoundStatement => binder.bind_children(child, function_scope, builder),
                Kind::TryStatement => {
                    binder.for_each_named_non_comment_child(child, builder, |binder, part, builder| {
                        match binder.grammar.kind_of_node(part) {
                            Kind::FieldInitializerList => {
                                binder.for_each_named_non_comment_child(part, builder, |binder, entry, builder| {
                                    binder.bind_field_initialiser(entry, function_scope, builder)
                                })
                            }
                            _ => binder.bind_node(part, function_scope, builder),
                        }
                    })
                }
                _ => {}
            }
        });
    }

    /// Records the names in an initialiser of a constructor: `field_(value)`, or a base.
    fn bind_field_initialiser(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        if self.grammar.kind_of_node(node) != Kind::FieldInitializer {
            self.bind_node(node, scope, builder);
            return;
        }
        let members = builder.parent_scope(scope).unwrap_or(scope);
        let mut initialised = builder.unknown_expr();
        self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
            match binder.grammar.kind_of_node(child) {
                // A parameter can have the name of the field that it initialises.
                Kind::FieldIdentifier => initialised = builder.record_name_use(child, members, Role::Write),
                _ if binder.is_path_node(child) => {
                    initialised = binder.path_expr(child, None, members, Role::Call, builder);
                }
                Kind::ArgumentList | Kind::InitializerList => {
                    binder.bind_call_arguments(Some(child), initialised, scope, builder);
                }
                _ => binder.bind_node(child, scope, builder),
            }
        });
    }

    /// Whether a function without a type is rather a call of a macro that makes one: `TEST(Suite, Case) { … }`.
    fn is_macro_call_with_body(&self, declared: &DeclaredName<'t>) -> bool {
        self.grammar.kind_of_node(declared.name) == Kind::Identifier && declared.function.is_some()
    }

    /// Binds the code behind a call of a macro that makes a function. The first argument may name the class that the function
    /// becomes a member of.
    fn bind_body_of_macro_call(
        &mut self,
        node: Node<'t>,
        declared: &DeclaredName<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        builder.record_name_use(declared.name, scope, Role::Call);
        let mut fixtures = Vec::new();
        let mut is_first = true;
        if let Some(list) =
            declared.function.and_then(|function| self.child_in_field(function, self.grammar.parameters))
        {
            self.for_each_named_non_comment_child(list, builder, |binder, parameter, builder| {
                let written = match binder.grammar.kind_of_node(parameter) {
                    Kind::ParameterDeclaration => binder.child_in_field(parameter, binder.grammar.r#type),
                    _ => None,
                };
                match written {
                    Some(written) if is_first => fixtures.push(binder.type_expr(written, scope, builder)),
                    // The other arguments are mostly new names, but may be anything.
                    Some(written) => binder.record_name_without_meaning(written, builder),
                    None => binder.bind_node(parameter, scope, builder),
                }
                is_first = false;
            });
        }
        let members = builder.add_child_scope(scope, ScopeKind::Type, node);
        let name = builder.intern_constructed_text("macro call");
        let made = builder.add_binding(members, BindingKind::Type, name, node.start_byte());
        builder.link_binding_and_body_scope(made, members);
        builder.binding_mut(made).bases = builder.add_expr_list(fixtures.get(..1).unwrap_or(&[]));
        let function_scope = builder.add_child_scope(members, ScopeKind::Function, node);
        self.collect_returned(|binder| binder.bind_body(node, function_scope, builder));
    }

    /// Records the last name of a path, of which nothing says what it means.
    fn record_name_without_meaning(&self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let Some(name) = self.last_name_of_path(node) else { return };
        let id = builder.name_id_of_node(name);
        let line = crate::names::first_line_number_of_node(name);
        let unknown = Target::Expr(builder.unknown_expr());
        builder.record_occurrence_at_offset(id, name.start_byte(), line, Role::Read, unknown);
    }

    pub(super) fn bind_return(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        if let Some(value) = self.first_named_non_comment_child(node) {
            let value = self.bind_names_and_get_value(value, scope, Role::Read, builder);
            if value != builder.unknown_expr()
                && let Some(returned) = self.returned.last_mut()
            {
                returned.push(value);
            }
        }
    }

    /// The function that a lambda is.
    pub(super) fn lambda_value(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let function_scope = builder.add_child_scope(scope, ScopeKind::Function, node);
        if let Some(captures) = self.child_in_field(node, self.grammar.captures) {
            self.bind_captures(captures, scope, function_scope, builder);
        }
        if let Some(parameters) = self.child_in_field(node, self.grammar.template_parameters) {
            self.bind_template_parameters(parameters, function_scope, builder);
        }
        let name = builder.intern_constructed_text("lambda");
        let binding = builder.add_binding(function_scope, BindingKind::Function, name, node.start_byte());
        builder.link_binding_and_body_scope(binding, function_scope);
        if let Some(declarator) = self.child_in_field(node, self.grammar.declarator) {
            self.bind_function_head(binding, declarator, function_scope, function_scope, builder);
        }
        let body = self.child_in_field(node, self.grammar.body);
        let returned = self.collect_returned(|binder| {
            if let Some(body) = body {
                binder.bind_children(body, function_scope, builder);
            }
        });
        if builder.names.bindings.get(binding as usize).is_some_and(|binding| binding.annotation.is_none()) {
            builder.binding_mut(binding).values = builder.add_expr_list(&returned);
        }
        builder.add_expr(Expr::Function { binding })
    }

    fn bind_captures(
        &mut self,
        list: Node<'t>,
        scope: ScopeId,
        function_scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        self.for_each_named_non_comment_child(list, builder, |binder, capture, builder| {
            if binder.grammar.kind_of_node(capture) == Kind::LambdaCaptureInitializer {
                let value = match binder.child_in_field(capture, binder.grammar.right) {
                    Some(right) => binder.bind_names_and_get_value(right, scope, Role::Read, builder),
                    None => builder.unknown_expr(),
                };
                if let Some(name) = binder.child_in_field(capture, binder.grammar.left) {
                    let bound = builder.add_binding_with_definition(function_scope, BindingKind::Variable, name);
                    builder.binding_mut(bound).values = builder.add_expr_list(&[value]);
                }
            } else {
                binder.bind_node(capture, scope, builder);
            }
        });
    }
}
