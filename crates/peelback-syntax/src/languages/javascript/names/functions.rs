//! Functions and methods.

use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::{Binder, Body, ExprContext, This};
use crate::names::{BindingId, BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId, ScopeKind, Span};

/// The parts of a function, as they stand in the tree.
#[derive(Default)]
pub(super) struct Parts<'t> {
    pub name: Option<Node<'t>>,
    type_parameters: Option<Node<'t>>,
    parameters: Option<Node<'t>>,
    /// The one parameter of `x => y`.
    parameter: Option<Node<'t>>,
    return_type: Option<Node<'t>>,
    body: Option<Node<'t>>,
    decorators: Vec<Node<'t>>,
    is_async: bool,
    is_generator: bool,
    pub is_static: bool,
    /// `get`, `set`.
    pub is_accessor: bool,
    pub is_private: bool,
}

/// What is known of a function's parameters besides what they declare.
#[derive(Clone, Copy, Default)]
pub(super) struct Given<'a> {
    /// The function that is expected in its place.
    expected: ExprId,
    /// What the parameters are given.
    values: &'a [ExprId],
}

impl Given<'_> {
    /// What parameter `index` gets.
    fn value(self, index: u32, builder: &mut NamesBuilder<'_>) -> ExprId {
        let given = self.values.get(index as usize).copied().unwrap_or(builder.unknown());
        if self.expected == builder.unknown() {
            return given;
        }
        let expected = builder.expr(Expr::Argument { of: self.expected, index });
        builder.either(vec![expected, given])
    }
}

impl<'t> Binder<'t> {
    pub(super) fn function_parts(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> Parts<'t> {
        let mut parts = Parts::default();
        self.each(node, builder, |this, child, field, builder| match (field, this.kind(child)) {
            (Field::Name, _) => parts.name = Some(child),
            (Field::TypeParameters, _) => parts.type_parameters = Some(child),
            (Field::Parameters, _) => parts.parameters = Some(child),
            (Field::Parameter, _) => parts.parameter = Some(child),
            // Constructors and function types call it so.
            (Field::ReturnType | Field::Type, _) => parts.return_type = Some(child),
            (Field::Body, _) => parts.body = Some(child),
            (_, Kind::Decorator) => parts.decorators.push(child),
            (_, Kind::AsyncToken) => parts.is_async = true,
            (_, Kind::StarToken) => parts.is_generator = true,
            (_, Kind::StaticToken) => parts.is_static = true,
            (_, Kind::StaticGetToken) => (parts.is_static, parts.is_accessor) = (true, true),
            (_, Kind::GetToken | Kind::SetToken) => parts.is_accessor = true,
            (_, Kind::Accessibility) => parts.is_private = builder.text(child) == "private",
            _ => {}
        });
        // `function*` says so in its kind as well, and in some grammars there alone.
        parts.is_generator |= node.kind().starts_with("generator_function");
        parts
    }

    pub(super) fn function_declaration(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let parts = self.function_parts(node, builder);
        let binding = match parts.name {
            Some(name) => self.bind(self.scope, BindingKind::Function, name, builder),
            None => {
                let unnamed = builder.intern_made("");
                builder.bind_name(self.scope, BindingKind::Function, unnamed, node.start_byte())
            }
        };
        let scope = self.open(ScopeKind::Function, node, builder);
        self.function(&parts, binding, scope, This::Constructed(binding), Given::default(), builder);
    }

    /// A function that is a value.
    pub(super) fn function_value(
        &mut self,
        node: Node<'t>,
        context: ExprContext,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let this = if self.kind(node) == Kind::Arrow { self.this } else { This::Unknown };
        self.function_expression(node, this, context.expected, &[], builder)
    }

    /// A function that is a value, with its `this`, the function that is expected in its place, and what its parameters
    /// are given.
    pub(super) fn function_expression(
        &mut self,
        node: Node<'t>,
        this: This,
        expected: ExprId,
        given: &[ExprId],
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let parts = self.function_parts(node, builder);
        let scope = self.open(ScopeKind::Function, node, builder);
        let binding = self.unbound(parts.name, scope, node, builder);
        self.function(&parts, binding, scope, this, Given { expected, values: given }, builder);
        builder.expr(Expr::Function { binding })
    }

    /// A function that only its own body can name: what describes it, and the name that the body sees.
    fn unbound(
        &mut self,
        name: Option<Node<'t>>,
        scope: ScopeId,
        node: Node<'t>,
        builder: &mut NamesBuilder<'_>,
    ) -> BindingId {
        let unnamed = builder.intern_made("");
        let binding = builder.bind_name(scope, BindingKind::Function, unnamed, node.start_byte());
        if let Some(name) = name {
            let own = self.bind(scope, BindingKind::Variable, name, builder);
            let function = builder.expr(Expr::Function { binding });
            Self::set_values(own, &[function], builder);
        }
        binding
    }

    /// Reads a function that `binding` describes and whose inside is `scope`.
    pub(super) fn function(
        &mut self,
        parts: &Parts<'t>,
        binding: BindingId,
        scope: ScopeId,
        this: This,
        given: Given<'_>,
        builder: &mut NamesBuilder<'_>,
    ) {
        builder.own(binding, scope);
        for decorator in &parts.decorators {
            self.value(*decorator, ExprContext::READ, builder);
        }
        let body = Body { generator: parts.is_generator, ..Body::default() };
        let outer = (self.scope, self.hoist, self.this, std::mem::replace(&mut self.body, body));
        (self.scope, self.hoist, self.this) = (scope, scope, this);
        if let Some(node) = parts.type_parameters {
            self.type_parameters(node, scope, builder);
        }
        let members = self.members.take();
        if let Some(node) = parts.parameters {
            self.parameters(node, scope, members, given, builder);
        }
        if let Some(node) = parts.parameter {
            let value = given.value(0, builder);
            self.bind_pattern(node, scope, BindingKind::Parameter, value, builder);
        }
        let declared = parts.return_type.map_or(builder.unknown(), |node| self.annotation(node, builder));
        if declared != builder.unknown() {
            builder.binding(binding).annotation = Some(declared);
            let instance = Self::instance(declared, builder);
            self.body.expected = if parts.is_async { Self::element(instance, builder) } else { instance };
        } else if given.expected != builder.unknown() {
            let returned = builder.expr(Expr::Call { callee: given.expected });
            self.body.expected = if parts.is_async { Self::element(returned, builder) } else { returned };
        }
        match parts.body {
            Some(body) if self.kind(body) == Kind::StatementBlock => {
                let narrowed = self.narrowed.len();
                self.children(body, builder);
                self.narrowed.truncate(narrowed);
            }
            Some(body) => {
                let value = self.value(body, ExprContext::expected(self.body.expected), builder);
                self.body.returns.push(value);
            }
            None => {}
        }
        let returns = std::mem::take(&mut self.body.returns);
        if parts.return_type.is_none() {
            Self::set_values(binding, &returns, builder);
            builder.binding(binding).wrapped = parts.is_async || parts.is_generator;
        }
        (self.scope, self.hoist, self.this, self.body) = outer;
    }

    /// `members`: the scope of the class, of whose constructor these are the parameters.
    pub(super) fn parameters(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        members: Option<ScopeId>,
        given: Given<'_>,
        builder: &mut NamesBuilder<'_>,
    ) {
        let mut index = 0;
        self.each(node, builder, |this, child, _, builder| {
            if !child.is_named() || this.is_comment(child) {
                return;
            }
            match this.kind(child) {
                Kind::Parameter => {
                    if this.parameter(child, scope, members, (index, given), builder) {
                        index += 1;
                    }
                }
                Kind::Decorator => {
                    this.value(child, ExprContext::READ, builder);
                }
                _ => {
                    let value = given.value(index, builder);
                    this.parameter_pattern(child, scope, value, None, builder);
                    index += 1;
                }
            }
        });
    }

    /// A parameter's pattern. One that takes its argument apart gets a binding that stands for the whole.
    fn parameter_pattern(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        value: ExprId,
        declared: Option<ExprId>,
        builder: &mut NamesBuilder<'_>,
    ) {
        let taken_apart = match self.kind(node) {
            Kind::ObjectPattern | Kind::ArrayPattern => true,
            Kind::AssignmentPattern => self
                .child(node, Field::Left, builder)
                .is_some_and(|left| matches!(self.kind(left), Kind::ObjectPattern | Kind::ArrayPattern)),
            _ => false,
        };
        if !taken_apart {
            return self.bind_pattern(node, scope, BindingKind::Parameter, value, builder);
        }
        let name = builder.intern_made("{}");
        let whole = builder.bind_name(scope, BindingKind::Parameter, name, node.start_byte());
        builder.binding(whole).annotation = declared;
        if declared.is_none() {
            Self::set_values(whole, &[value], builder);
        }
        let whole = builder.expr(Expr::Bound { binding: whole });
        self.bind_pattern(node, scope, BindingKind::Parameter, whole, builder);
    }

    /// A parameter of TypeScript, which has a node of its own. Gives whether an argument stands for it.
    fn parameter(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        members: Option<ScopeId>,
        (index, given): (u32, Given<'_>),
        builder: &mut NamesBuilder<'_>,
    ) -> bool {
        let (mut pattern, mut annotation, mut default) = (None, None, None);
        let (mut is_field, mut is_private) = (false, false);
        self.each(node, builder, |this, child, field, builder| match (field, this.kind(child)) {
            // The parts of tuple types have names where parameters have patterns.
            (Field::Pattern | Field::Name, _) => pattern = Some(child),
            (Field::Type, _) => annotation = Some(child),
            (Field::Value, _) => default = Some(child),
            (_, Kind::Accessibility) => (is_field, is_private) = (true, builder.text(child) == "private"),
            (_, Kind::Override | Kind::ReadonlyToken) => is_field = true,
            (_, Kind::Decorator) => {
                this.value(child, ExprContext::READ, builder);
            }
            _ => {}
        });
        let declared = annotation.map_or(builder.unknown(), |node| self.annotation(node, builder));
        let instance = Self::instance(declared, builder);
        let default =
            default.map_or(builder.unknown(), |node| self.value(node, ExprContext::expected(instance), builder));
        let Some(mut pattern) = pattern else { return true };
        let mut is_rest = false;
        if self.kind(pattern) == Kind::RestPattern
            && let Some(inner) = self.inner(pattern, builder)
        {
            (pattern, is_rest) = (inner, true);
        }
        match self.kind(pattern) {
            Kind::This => {
                self.this = This::Declared(instance);
                return false;
            }
            Kind::Identifier => {
                let binding = self.bind(scope, BindingKind::Parameter, pattern, builder);
                builder.binding(binding).wrapped = is_rest;
                if declared == builder.unknown() {
                    let value = if is_rest { builder.unknown() } else { given.value(index, builder) };
                    Self::set_values(binding, &[value, default], builder);
                } else {
                    builder.binding(binding).annotation = Some(declared);
                }
                if is_field && let Some(members) = members {
                    let field = self.bind(members, BindingKind::Field, pattern, builder);
                    builder.binding(field).annotation = (declared != builder.unknown()).then_some(declared);
                    builder.binding(field).private = is_private;
                    Self::set_values(field, &[default], builder);
                }
            }
            _ => {
                let declared = (declared != builder.unknown()).then_some(declared);
                let value = if declared.is_some() { builder.unknown() } else { given.value(index, builder) };
                self.parameter_pattern(pattern, scope, value, declared, builder);
            }
        }
        true
    }

    /// A method or accessor, bound among the members in `members`. `expected`: the function that is expected in its
    /// place.
    pub(super) fn method(
        &mut self,
        node: Node<'t>,
        members: ScopeId,
        is_object: bool,
        expected: ExprId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let mut parts = self.function_parts(node, builder);
        // A decorator of a class's member is looked up where the class stands.
        for decorator in std::mem::take(&mut parts.decorators) {
            self.value(decorator, ExprContext::READ, builder);
        }
        let name = parts.name.and_then(|name| self.member_name(name, builder));
        let kind = if parts.is_accessor { BindingKind::Property } else { BindingKind::Function };
        let scope = builder.scope(members, ScopeKind::Function, node);
        let binding = match name {
            Some(name) => {
                let binding = self.bind(members, kind, name, builder);
                builder.binding(binding).on_type = parts.is_static;
                builder.binding(binding).private = parts.is_private || builder.text(name).starts_with('#');
                binding
            }
            None => {
                let unnamed = builder.intern_made("");
                builder.bind_name(scope, kind, unnamed, node.start_byte())
            }
        };
        let this = match (is_object, parts.is_static) {
            (true, _) => This::Object(members),
            (false, true) => This::Type(members),
            (false, false) => This::Instance(members),
        };
        if !is_object && name.is_some_and(|name| builder.text(name) == "constructor") {
            self.members = Some(members);
        }
        self.function(&parts, binding, scope, this, Given { expected, values: &[] }, builder);
    }

    /// A method outside of a class: the parser lost its way.
    pub(super) fn stray_method(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let parts = self.function_parts(node, builder);
        if let Some(name) = parts.name.and_then(|name| self.member_name(name, builder)) {
            let unknown = builder.unknown();
            builder.use_member(unknown, name, Role::Member);
        }
        let scope = self.open(ScopeKind::Function, node, builder);
        let unnamed = builder.intern_made("");
        let binding = builder.bind_name(scope, BindingKind::Function, unnamed, node.start_byte());
        self.function(&parts, binding, scope, This::Unknown, Given::default(), builder);
    }

    /// A function's type, or a signature without a name.
    pub(super) fn function_type(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> BindingId {
        let parts = self.function_parts(node, builder);
        let scope = self.open(ScopeKind::Function, node, builder);
        let unnamed = builder.intern_made("");
        let binding = builder.bind_name(scope, BindingKind::Function, unnamed, node.start_byte());
        self.function(&parts, binding, scope, self.this, Given::default(), builder);
        builder.binding(binding).values = Span::default();
        binding
    }
}
