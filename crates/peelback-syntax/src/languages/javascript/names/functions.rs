//! Name binding for JavaScript functions and methods: their parameters, return values and bodies.

use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::{Binder, ExprContext, FunctionState, This};
use crate::names::{BindingId, BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId, ScopeKind, Span};

/// The child nodes and modifiers of a JavaScript function, by their part in the function.
#[derive(Default)]
pub(super) struct FunctionParts<'t> {
    pub name: Option<Node<'t>>,
    type_parameters: Option<Node<'t>>,
    parameters: Option<Node<'t>>,
    /// The only parameter of an arrow function that has no parentheses (`x => y`).
    parameter: Option<Node<'t>>,
    return_type: Option<Node<'t>>,
    body: Option<Node<'t>>,
    decorators: Vec<Node<'t>>,
    is_async: bool,
    is_generator: bool,
    pub is_static: bool,
    /// Whether the function is a getter or setter.
    pub is_accessor: bool,
    pub is_private: bool,
}

/// What the context of a function says about the values of the function's parameters.
#[derive(Clone, Copy, Default)]
pub(super) struct ParameterValues<'a> {
    /// The function that the context expects, by a declared type; unknown if no type is declared.
    expected: ExprId,
    /// The arguments with which the context calls the function.
    values: &'a [ExprId],
}

impl ParameterValues<'_> {
    /// The value of the function parameter at position `index`, from 0.
    fn value_of_parameter(self, index: u32, builder: &mut NamesBuilder<'_>) -> ExprId {
        let given = self.values.get(index as usize).copied().unwrap_or(builder.unknown_expr());
        if self.expected == builder.unknown_expr() {
            return given;
        }
        let expected = builder.add_expr(Expr::Argument { of: self.expected, index });
        builder.expr_of_possible_values(vec![expected, given])
    }
}

impl<'t> Binder<'t> {
    pub(super) fn function_parts(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> FunctionParts<'t> {
        let mut parts = FunctionParts::default();
        self.for_each_named_or_unnamed_child(node, builder, |this, child, field, builder| {
            match (field, this.kind_of_node(child)) {
                (Field::Name, _) => parts.name = Some(child),
                (Field::TypeParameters, _) => parts.type_parameters = Some(child),
                (Field::Parameters, _) => parts.parameters = Some(child),
                (Field::Parameter, _) => parts.parameter = Some(child),
                // Constructors and function types have their return type in the grammar's field `type`.
                (Field::ReturnType | Field::Type, _) => parts.return_type = Some(child),
                (Field::Body, _) => parts.body = Some(child),
                (_, Kind::Decorator) => parts.decorators.push(child),
                (_, Kind::AsyncToken) => parts.is_async = true,
                (_, Kind::StarToken) => parts.is_generator = true,
                (_, Kind::StaticToken) => parts.is_static = true,
                (_, Kind::StaticGetToken) => (parts.is_static, parts.is_accessor) = (true, true),
                (_, Kind::GetToken | Kind::SetToken) => parts.is_accessor = true,
                (_, Kind::Accessibility) => parts.is_private = builder.text_of_node(child) == "private",
                _ => {}
            }
        });
        // Some grammars have no node for the star of `function*`: there only the node kind tells that it is a generator.
        parts.is_generator |= node.kind().starts_with("generator_function");
        parts
    }

    pub(super) fn bind_function_declaration(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let parts = self.function_parts(node, builder);
        let binding = match parts.name {
            Some(name) => self.bind_name(self.scope, BindingKind::Function, name, builder),
            None => {
                let unnamed = builder.intern_constructed_text("");
                builder.add_binding(self.scope, BindingKind::Function, unnamed, node.start_byte())
            }
        };
        let this = self.this_in_function_assigned_to_prototype(binding, builder);
        let this = this.unwrap_or(This::Constructed(binding));
        let scope = self.add_scope_inside_current(ScopeKind::Function, node, builder);
        self.bind_function_parts(&parts, binding, scope, this, ParameterValues::default(), builder);
    }

    /// The value of a function expression. Its context may declare the function that is expected there.
    pub(super) fn function_value_in_context(
        &mut self,
        node: Node<'t>,
        context: ExprContext,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let this = if self.kind_of_node(node) == Kind::Arrow { self.this } else { This::Unknown };
        self.function_expression_value(node, this, context.expected, &[], builder)
    }

    /// The value of a function expression. `this` is the value of `this` in the body, `expected` the function that the
    /// context declares, and `given` the values of the parameters.
    pub(super) fn function_expression_value(
        &mut self,
        node: Node<'t>,
        this: This,
        expected: ExprId,
        given: &[ExprId],
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let parts = self.function_parts(node, builder);
        let scope = self.add_scope_inside_current(ScopeKind::Function, node, builder);
        let binding = self.create_function_expression_binding(parts.name, scope, node, builder);
        self.bind_function_parts(&parts, binding, scope, this, ParameterValues { expected, values: given }, builder);
        builder.add_expr(Expr::Function { binding })
    }

    /// The value of a method of an object literal as a function without a name. `this` is the value of `this` in the body.
    pub(super) fn method_value(&mut self, node: Node<'t>, this: This, builder: &mut NamesBuilder<'_>) -> ExprId {
        let parts = self.function_parts(node, builder);
        let scope = self.add_scope_inside_current(ScopeKind::Function, node, builder);
        let binding = self.create_function_expression_binding(None, scope, node, builder);
        self.bind_function_parts(&parts, binding, scope, this, ParameterValues::default(), builder);
        builder.add_expr(Expr::Function { binding })
    }

    /// Creates the binding of a function expression. The function's own name, if it has one, is bound inside its body
    /// only.
    fn create_function_expression_binding(
        &mut self,
        name: Option<Node<'t>>,
        scope: ScopeId,
        node: Node<'t>,
        builder: &mut NamesBuilder<'_>,
    ) -> BindingId {
        let unnamed = builder.intern_constructed_text("");
        let binding = builder.add_binding(scope, BindingKind::Function, unnamed, node.start_byte());
        // A parameter of the same name hides the function's own name.
        if let Some(name) = name.filter(|name| !has_parameter_of_name(node, *name, builder)) {
            let own = self.bind_name(scope, BindingKind::Variable, name, builder);
            let function = builder.add_expr(Expr::Function { binding });
            Self::set_binding_values_except_unknown(own, &[function], builder);
        }
        binding
    }

    /// Binds the names in the parts of a function: type parameters, parameters, return type and body. `binding` is the
    /// function's binding, and `scope` its inner scope.
    pub(super) fn bind_function_parts(
        &mut self,
        parts: &FunctionParts<'t>,
        binding: BindingId,
        scope: ScopeId,
        this: This,
        given: ParameterValues<'_>,
        builder: &mut NamesBuilder<'_>,
    ) {
        builder.link_binding_and_body_scope(binding, scope);
        for decorator in &parts.decorators {
            self.bind_names_and_get_value(*decorator, ExprContext::READ, builder);
        }
        let body = FunctionState { is_generator: parts.is_generator, ..FunctionState::default() };
        let outer = (self.scope, self.hoist_scope, self.this, std::mem::replace(&mut self.body, body));
        (self.scope, self.hoist_scope, self.this) = (scope, scope, this);
        if let Some(node) = parts.type_parameters {
            self.bind_type_parameters(node, scope, builder);
        }
        let members = self.constructor_members.take();
        if let Some(node) = parts.parameters {
            self.bind_parameters(node, scope, members, given, builder);
        }
        if let Some(node) = parts.parameter {
            let value = given.value_of_parameter(0, builder);
            self.bind_pattern(node, scope, BindingKind::Parameter, value, builder);
        }
        let declared = parts.return_type.map_or(builder.unknown_expr(), |node| self.type_of_annotation(node, builder));
        if declared != builder.unknown_expr() {
            builder.binding_mut(binding).annotation = Some(declared);
            let instance = Self::instance_expr_of_type(declared, builder);
            self.body.expected =
                if parts.is_async { Self::element_or_awaited_expr(instance, builder) } else { instance };
        } else if given.expected != builder.unknown_expr() {
            let returned = builder.add_expr(Expr::Call { callee: given.expected });
            self.body.expected =
                if parts.is_async { Self::element_or_awaited_expr(returned, builder) } else { returned };
        }
        match parts.body {
            Some(body) if self.kind_of_node(body) == Kind::StatementBlock => {
                let mark = self.narrowings.len();
                self.bind_names_in_children(body, builder);
                self.narrowings.truncate(mark);
            }
            Some(body) => {
                let value =
                    self.bind_names_and_get_value(body, ExprContext::with_expected_value(self.body.expected), builder);
                self.body.returns.push(value);
            }
            None => {}
        }
        let returns = std::mem::take(&mut self.body.returns);
        if parts.return_type.is_none() {
            Self::set_binding_values_except_unknown(binding, &returns, builder);
            builder.binding_mut(binding).wrapped = parts.is_async || parts.is_generator;
        }
        (self.scope, self.hoist_scope, self.this, self.body) = outer;
    }

    /// Binds the parameters of a function. `members` is the member scope of the class if the function is a constructor.
    pub(super) fn bind_parameters(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        members: Option<ScopeId>,
        given: ParameterValues<'_>,
        builder: &mut NamesBuilder<'_>,
    ) {
        let mut index = 0;
        self.for_each_named_or_unnamed_child(node, builder, |this, child, _, builder| {
            if !child.is_named() || this.is_comment(child) {
                return;
            }
            match this.kind_of_node(child) {
                Kind::Parameter => {
                    if this.bind_typescript_parameter(child, scope, members, (index, given), builder) {
                        index += 1;
                    }
                }
                Kind::Decorator => {
                    this.bind_names_and_get_value(child, ExprContext::READ, builder);
                }
                _ => {
                    let value = given.value_of_parameter(index, builder);
                    this.bind_parameter_pattern(child, scope, value, None, builder);
                    index += 1;
                }
            }
        });
    }

    /// Binds the names in a parameter's pattern. A destructuring pattern also gets a binding called `{}` for the whole
    /// argument.
    fn bind_parameter_pattern(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        value: ExprId,
        declared: Option<ExprId>,
        builder: &mut NamesBuilder<'_>,
    ) {
        let taken_apart = match self.kind_of_node(node) {
            Kind::ObjectPattern | Kind::ArrayPattern => true,
            Kind::AssignmentPattern => self
                .first_child_in_field(node, Field::Left, builder)
                .is_some_and(|left| matches!(self.kind_of_node(left), Kind::ObjectPattern | Kind::ArrayPattern)),
            _ => false,
        };
        if !taken_apart {
            return self.bind_pattern(node, scope, BindingKind::Parameter, value, builder);
        }
        let name = builder.intern_constructed_text("{}");
        let whole = builder.add_binding(scope, BindingKind::Parameter, name, node.start_byte());
        builder.binding_mut(whole).annotation = declared;
        if declared.is_none() {
            Self::set_binding_values_except_unknown(whole, &[value], builder);
        }
        let whole = builder.add_expr(Expr::Bound { binding: whole });
        self.bind_pattern(node, scope, BindingKind::Parameter, whole, builder);
    }

    /// Binds a TypeScript parameter, which has a node of its own. Returns whether a call passes an argument for the
    /// parameter: not for a parameter called `this`.
    fn bind_typescript_parameter(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        members: Option<ScopeId>,
        (index, given): (u32, ParameterValues<'_>),
        builder: &mut NamesBuilder<'_>,
    ) -> bool {
        let (mut pattern, mut annotation, mut default) = (None, None, None);
        let (mut is_field, mut is_private) = (false, false);
        self.for_each_named_or_unnamed_child(node, builder, |this, child, field, builder| {
            match (field, this.kind_of_node(child)) {
                // Elements of tuple types have a name in place of a pattern.
                (Field::Pattern | Field::Name, _) => pattern = Some(child),
                (Field::Type, _) => annotation = Some(child),
                (Field::Value, _) => default = Some(child),
                (_, Kind::Accessibility) => (is_field, is_private) = (true, builder.text_of_node(child) == "private"),
                (_, Kind::Override | Kind::ReadonlyToken) => is_field = true,
                (_, Kind::Decorator) => {
                    this.bind_names_and_get_value(child, ExprContext::READ, builder);
                }
                _ => {}
            }
        });
        let declared = annotation.map_or(builder.unknown_expr(), |node| self.type_of_annotation(node, builder));
        let instance = Self::instance_expr_of_type(declared, builder);
        let default = default.map_or(builder.unknown_expr(), |node| {
            self.bind_names_and_get_value(node, ExprContext::with_expected_value(instance), builder)
        });
        let Some(mut pattern) = pattern else { return true };
        let mut is_rest = false;
        if self.kind_of_node(pattern) == Kind::RestPattern
            && let Some(inner) = self.first_named_non_comment_child(pattern, builder)
        {
            (pattern, is_rest) = (inner, true);
        }
        match self.kind_of_node(pattern) {
            Kind::This => {
                self.this = This::Declared(instance);
                return false;
            }
            Kind::Identifier => {
                let binding = self.bind_name(scope, BindingKind::Parameter, pattern, builder);
                builder.binding_mut(binding).wrapped = is_rest;
                if declared == builder.unknown_expr() {
                    let value = if is_rest { builder.unknown_expr() } else { given.value_of_parameter(index, builder) };
                    Self::set_binding_values_except_unknown(binding, &[value, default], builder);
                } else {
                    builder.binding_mut(binding).annotation = Some(declared);
                }
                if is_field && let Some(members) = members {
                    let field = self.bind_name(members, BindingKind::Field, pattern, builder);
                    builder.binding_mut(field).annotation = (declared != builder.unknown_expr()).then_some(declared);
                    builder.binding_mut(field).private = is_private;
                    Self::set_binding_values_except_unknown(field, &[default], builder);
                }
            }
            _ => {
                let declared = (declared != builder.unknown_expr()).then_some(declared);
                let value =
                    if declared.is_some() { builder.unknown_expr() } else { given.value_of_parameter(index, builder) };
                self.bind_parameter_pattern(pattern, scope, value, declared, builder);
            }
        }
        true
    }

    /// Binds a method or accessor in the scope `members` of its class or object. `object` is the value of `this` in a member
    /// of an object literal, and `None` in a class. `expected` is the function that the context declares.
    pub(super) fn bind_method_or_accessor(
        &mut self,
        node: Node<'t>,
        members: ScopeId,
        object: Option<This>,
        expected: ExprId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let mut parts = self.function_parts(node, builder);
        // The decorator of a class member is looked up from the scope of the class, not from that of the member.
        for decorator in std::mem::take(&mut parts.decorators) {
            self.bind_names_and_get_value(decorator, ExprContext::READ, builder);
        }
        let name = parts.name.and_then(|name| self.member_name_node(name, builder));
        let kind = if parts.is_accessor { BindingKind::Property } else { BindingKind::Function };
        let scope = builder.add_child_scope(members, ScopeKind::Function, node);
        let binding = match name {
            Some(name) => {
                let binding = self.bind_name(members, kind, name, builder);
                builder.binding_mut(binding).on_type = parts.is_static;
                builder.binding_mut(binding).private = parts.is_private || builder.text_of_node(name).starts_with('#');
                binding
            }
            None => {
                let unnamed = builder.intern_constructed_text("");
                builder.add_binding(scope, kind, unnamed, node.start_byte())
            }
        };
        let this = match (object, parts.is_static) {
            (Some(this), _) => this,
            (None, true) => This::Type(members),
            (None, false) => This::Instance(members),
        };
        if object.is_none() && name.is_some_and(|name| builder.text_of_node(name) == "constructor") {
            self.constructor_members = Some(members);
        }
        self.bind_function_parts(&parts, binding, scope, this, ParameterValues { expected, values: &[] }, builder);
    }

    /// Binds a method outside a class, which occurs only near a parse error.
    pub(super) fn bind_stray_method(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let parts = self.function_parts(node, builder);
        if let Some(name) = parts.name.and_then(|name| self.member_name_node(name, builder)) {
            let unknown = builder.unknown_expr();
            builder.record_member_use(unknown, name, Role::Member);
        }
        let scope = self.add_scope_inside_current(ScopeKind::Function, node, builder);
        let unnamed = builder.intern_constructed_text("");
        let binding = builder.add_binding(scope, BindingKind::Function, unnamed, node.start_byte());
        self.bind_function_parts(&parts, binding, scope, This::Unknown, ParameterValues::default(), builder);
    }

    /// Binds the names in a function type, or in a signature without a name, and returns the binding that describes the
    /// function.
    pub(super) fn bind_function_type_or_unnamed_signature(
        &mut self,
        node: Node<'t>,
        builder: &mut NamesBuilder<'_>,
    ) -> BindingId {
        let parts = self.function_parts(node, builder);
        let scope = self.add_scope_inside_current(ScopeKind::Function, node, builder);
        let unnamed = builder.intern_constructed_text("");
        let binding = builder.add_binding(scope, BindingKind::Function, unnamed, node.start_byte());
        self.bind_function_parts(&parts, binding, scope, self.this, ParameterValues::default(), builder);
        builder.binding_mut(binding).values = Span::default();
        binding
    }
}

/// Whether a function has a parameter with the name in the text of the node `name`.
fn has_parameter_of_name(function: Node<'_>, name: Node<'_>, builder: &NamesBuilder<'_>) -> bool {
    let Some(parameters) = function.child_by_field_name("parameters") else { return false };
    let mut cursor = parameters.walk();
    parameters.named_children(&mut cursor).any(|parameter| {
        let inner = parameter.child_by_field_name("left").or_else(|| parameter.child_by_field_name("pattern"));
        builder.text_of_node(inner.unwrap_or(parameter)) == builder.text_of_node(name)
    })
}
