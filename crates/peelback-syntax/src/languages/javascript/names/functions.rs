//! Functions and methods.

use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::{Binder, Body, This, Want};
use crate::names::{BindingId, BindingKind, Cx, Expr, ExprId, Role, ScopeId, ScopeKind, Span};

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
    fn value(self, index: u32, cx: &mut Cx<'_>) -> ExprId {
        let given = self.values.get(index as usize).copied().unwrap_or(cx.unknown());
        if self.expected == cx.unknown() {
            return given;
        }
        let expected = cx.expr(Expr::Argument { of: self.expected, index });
        cx.either(vec![expected, given])
    }
}

impl<'t> Binder<'t> {
    pub(super) fn function_parts(&mut self, node: Node<'t>, cx: &mut Cx<'_>) -> Parts<'t> {
        let mut parts = Parts::default();
        self.each(node, cx, |this, child, field, cx| match (field, this.kind(child)) {
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
            (_, Kind::Accessibility) => parts.is_private = cx.text(child) == "private",
            _ => {}
        });
        // `function*` says so in its kind as well, and in some grammars there alone.
        parts.is_generator |= node.kind().starts_with("generator_function");
        parts
    }

    pub(super) fn function_declaration(&mut self, node: Node<'t>, cx: &mut Cx<'_>) {
        let parts = self.function_parts(node, cx);
        let binding = match parts.name {
            Some(name) => self.bind(self.scope, BindingKind::Function, name, cx),
            None => {
                let unnamed = cx.intern_made("");
                cx.bind_name(self.scope, BindingKind::Function, unnamed, node.start_byte())
            }
        };
        let scope = self.open(ScopeKind::Function, node, cx);
        self.function(&parts, binding, scope, This::Constructed(binding), Given::default(), cx);
    }

    /// A function that is a value.
    pub(super) fn function_value(&mut self, node: Node<'t>, want: Want, cx: &mut Cx<'_>) -> ExprId {
        let this = if self.kind(node) == Kind::Arrow { self.this } else { This::Unknown };
        self.function_expression(node, this, want.expected, &[], cx)
    }

    /// A function that is a value, with its `this`, the function that is expected in its place, and what its parameters
    /// are given.
    pub(super) fn function_expression(
        &mut self,
        node: Node<'t>,
        this: This,
        expected: ExprId,
        given: &[ExprId],
        cx: &mut Cx<'_>,
    ) -> ExprId {
        let parts = self.function_parts(node, cx);
        let scope = self.open(ScopeKind::Function, node, cx);
        let binding = self.unbound(parts.name, scope, node, cx);
        self.function(&parts, binding, scope, this, Given { expected, values: given }, cx);
        cx.expr(Expr::Function { binding })
    }

    /// A function that only its own body can name: what describes it, and the name that the body sees.
    fn unbound(&mut self, name: Option<Node<'t>>, scope: ScopeId, node: Node<'t>, cx: &mut Cx<'_>) -> BindingId {
        let unnamed = cx.intern_made("");
        let binding = cx.bind_name(scope, BindingKind::Function, unnamed, node.start_byte());
        if let Some(name) = name {
            let own = self.bind(scope, BindingKind::Variable, name, cx);
            let function = cx.expr(Expr::Function { binding });
            Self::set_values(own, &[function], cx);
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
        cx: &mut Cx<'_>,
    ) {
        cx.own(binding, scope);
        for decorator in &parts.decorators {
            self.value(*decorator, Want::READ, cx);
        }
        let body = Body { generator: parts.is_generator, ..Body::default() };
        let outer = (self.scope, self.hoist, self.this, std::mem::replace(&mut self.body, body));
        (self.scope, self.hoist, self.this) = (scope, scope, this);
        if let Some(node) = parts.type_parameters {
            self.type_parameters(node, scope, cx);
        }
        let members = self.members.take();
        if let Some(node) = parts.parameters {
            self.parameters(node, scope, members, given, cx);
        }
        if let Some(node) = parts.parameter {
            let value = given.value(0, cx);
            self.bind_pattern(node, scope, BindingKind::Parameter, value, cx);
        }
        let declared = parts.return_type.map_or(cx.unknown(), |node| self.annotation(node, cx));
        if declared != cx.unknown() {
            cx.binding(binding).annotation = Some(declared);
            let instance = Self::instance(declared, cx);
            self.body.expected = if parts.is_async { Self::element(instance, cx) } else { instance };
        } else if given.expected != cx.unknown() {
            let returned = cx.expr(Expr::Call { callee: given.expected });
            self.body.expected = if parts.is_async { Self::element(returned, cx) } else { returned };
        }
        match parts.body {
            Some(body) if self.kind(body) == Kind::StatementBlock => {
                let narrowed = self.narrowed.len();
                self.children(body, cx);
                self.narrowed.truncate(narrowed);
            }
            Some(body) => {
                let value = self.value(body, Want::expected(self.body.expected), cx);
                self.body.returns.push(value);
            }
            None => {}
        }
        let returns = std::mem::take(&mut self.body.returns);
        if parts.return_type.is_none() {
            Self::set_values(binding, &returns, cx);
            cx.binding(binding).wrapped = parts.is_async || parts.is_generator;
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
        cx: &mut Cx<'_>,
    ) {
        let mut index = 0;
        self.each(node, cx, |this, child, _, cx| {
            if !child.is_named() || this.is_comment(child) {
                return;
            }
            match this.kind(child) {
                Kind::Parameter => {
                    if this.parameter(child, scope, members, (index, given), cx) {
                        index += 1;
                    }
                }
                Kind::Decorator => {
                    this.value(child, Want::READ, cx);
                }
                _ => {
                    let value = given.value(index, cx);
                    this.parameter_pattern(child, scope, value, None, cx);
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
        cx: &mut Cx<'_>,
    ) {
        let taken_apart = match self.kind(node) {
            Kind::ObjectPattern | Kind::ArrayPattern => true,
            Kind::AssignmentPattern => self
                .child(node, Field::Left, cx)
                .is_some_and(|left| matches!(self.kind(left), Kind::ObjectPattern | Kind::ArrayPattern)),
            _ => false,
        };
        if !taken_apart {
            return self.bind_pattern(node, scope, BindingKind::Parameter, value, cx);
        }
        let name = cx.intern_made("{}");
        let whole = cx.bind_name(scope, BindingKind::Parameter, name, node.start_byte());
        cx.binding(whole).annotation = declared;
        if declared.is_none() {
            Self::set_values(whole, &[value], cx);
        }
        let whole = cx.expr(Expr::Bound { binding: whole });
        self.bind_pattern(node, scope, BindingKind::Parameter, whole, cx);
    }

    /// A parameter of TypeScript, which has a node of its own. Gives whether an argument stands for it.
    fn parameter(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        members: Option<ScopeId>,
        (index, given): (u32, Given<'_>),
        cx: &mut Cx<'_>,
    ) -> bool {
        let (mut pattern, mut annotation, mut default) = (None, None, None);
        let (mut is_field, mut is_private) = (false, false);
        self.each(node, cx, |this, child, field, cx| match (field, this.kind(child)) {
            // The parts of tuple types have names where parameters have patterns.
            (Field::Pattern | Field::Name, _) => pattern = Some(child),
            (Field::Type, _) => annotation = Some(child),
            (Field::Value, _) => default = Some(child),
            (_, Kind::Accessibility) => (is_field, is_private) = (true, cx.text(child) == "private"),
            (_, Kind::Override | Kind::ReadonlyToken) => is_field = true,
            (_, Kind::Decorator) => {
                this.value(child, Want::READ, cx);
            }
            _ => {}
        });
        let declared = annotation.map_or(cx.unknown(), |node| self.annotation(node, cx));
        let instance = Self::instance(declared, cx);
        let default = default.map_or(cx.unknown(), |node| self.value(node, Want::expected(instance), cx));
        let Some(mut pattern) = pattern else { return true };
        let mut is_rest = false;
        if self.kind(pattern) == Kind::RestPattern
            && let Some(inner) = self.inner(pattern, cx)
        {
            (pattern, is_rest) = (inner, true);
        }
        match self.kind(pattern) {
            Kind::This => {
                self.this = This::Declared(instance);
                return false;
            }
            Kind::Identifier => {
                let binding = self.bind(scope, BindingKind::Parameter, pattern, cx);
                cx.binding(binding).wrapped = is_rest;
                if declared == cx.unknown() {
                    let value = if is_rest { cx.unknown() } else { given.value(index, cx) };
                    Self::set_values(binding, &[value, default], cx);
                } else {
                    cx.binding(binding).annotation = Some(declared);
                }
                if is_field && let Some(members) = members {
                    let field = self.bind(members, BindingKind::Field, pattern, cx);
                    cx.binding(field).annotation = (declared != cx.unknown()).then_some(declared);
                    cx.binding(field).private = is_private;
                    Self::set_values(field, &[default], cx);
                }
            }
            _ => {
                let declared = (declared != cx.unknown()).then_some(declared);
                let value = if declared.is_some() { cx.unknown() } else { given.value(index, cx) };
                self.parameter_pattern(pattern, scope, value, declared, cx);
            }
        }
        true
    }

    /// A method or accessor, bound among the members in `members`.
    pub(super) fn method(&mut self, node: Node<'t>, members: ScopeId, is_object: bool, cx: &mut Cx<'_>) {
        let mut parts = self.function_parts(node, cx);
        // A decorator of a class's member is looked up where the class stands.
        for decorator in std::mem::take(&mut parts.decorators) {
            self.value(decorator, Want::READ, cx);
        }
        let name = parts.name.and_then(|name| self.member_name(name, cx));
        let kind = if parts.is_accessor { BindingKind::Property } else { BindingKind::Function };
        let scope = cx.scope(members, ScopeKind::Function, node);
        let binding = match name {
            Some(name) => {
                let binding = self.bind(members, kind, name, cx);
                cx.binding(binding).on_type = parts.is_static;
                cx.binding(binding).private = parts.is_private || cx.text(name).starts_with('#');
                binding
            }
            None => {
                let unnamed = cx.intern_made("");
                cx.bind_name(scope, kind, unnamed, node.start_byte())
            }
        };
        let this = match (is_object, parts.is_static) {
            (true, _) => This::Object(members),
            (false, true) => This::Type(members),
            (false, false) => This::Instance(members),
        };
        if !is_object && name.is_some_and(|name| cx.text(name) == "constructor") {
            self.members = Some(members);
        }
        self.function(&parts, binding, scope, this, Given::default(), cx);
    }

    /// A method outside of a class: the parser lost its way.
    pub(super) fn stray_method(&mut self, node: Node<'t>, cx: &mut Cx<'_>) {
        let parts = self.function_parts(node, cx);
        if let Some(name) = parts.name.and_then(|name| self.member_name(name, cx)) {
            let unknown = cx.unknown();
            cx.use_member(unknown, name, Role::Member);
        }
        let scope = self.open(ScopeKind::Function, node, cx);
        let unnamed = cx.intern_made("");
        let binding = cx.bind_name(scope, BindingKind::Function, unnamed, node.start_byte());
        self.function(&parts, binding, scope, This::Unknown, Given::default(), cx);
    }

    /// A function's type, or a signature without a name.
    pub(super) fn function_type(&mut self, node: Node<'t>, cx: &mut Cx<'_>) -> BindingId {
        let parts = self.function_parts(node, cx);
        let scope = self.open(ScopeKind::Function, node, cx);
        let unnamed = cx.intern_made("");
        let binding = cx.bind_name(scope, BindingKind::Function, unnamed, node.start_byte());
        self.function(&parts, binding, scope, self.this, Given::default(), cx);
        cx.binding(binding).values = Span::default();
        binding
    }
}
