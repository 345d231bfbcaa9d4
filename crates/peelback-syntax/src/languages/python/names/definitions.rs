//! Name binding for Python functions and classes with their decorators and parameters.

use tree_sitter::Node;

use super::subscripts::SubscriptBody;
use super::{AssignmentFlow, Binder, BodyFrame, BodyKind, Field, FixtureParameter, Kind, Receiver};
use crate::names::{BindingId, BindingKind, Expr, ExprId, NameId, NamesBuilder, Role, ScopeId, ScopeKind, Target};

/// What the decorators of a Python function say about the function.
#[derive(Default, Clone, Copy)]
struct DecoratorEffects {
    property: bool,
    /// Whether a decorator is `@name.setter` or similar: the function extends the property called `name`.
    accessor: bool,
    on_class: bool,
    without_receiver: bool,
    fixture: bool,
}

impl<'t> Binder<'t> {
    pub(super) fn bind_decorated_definition(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) {
        let children = self.push_named_non_comment_children(node);
        let (mut decorators, mut definition) = (Vec::new(), None);
        for child in self.child_stack.get(children.start..).unwrap_or(&[]) {
            match self.kind_of_node(child.node) {
                Kind::Decorator => decorators.push(child.node),
                _ => definition = Some(child.node),
            }
        }
        self.pop_children(children);
        for decorator in &decorators {
            if let Some(expression) = self.only_or_first_child(*decorator) {
                self.bind_names_and_get_value(builder, expression, Role::Decorator);
            }
        }
        match definition.map(|definition| (self.kind_of_node(definition), definition)) {
            Some((Kind::FunctionDefinition, definition)) => self.bind_function(builder, definition, &decorators),
            Some((Kind::ClassDefinition, definition)) => self.bind_class(builder, definition),
            Some((_, other)) => self.bind_statement_or_expression(builder, other),
            None => {}
        }
    }

    fn effects_of_decorators_and_name(
        &self,
        builder: &NamesBuilder<'_>,
        decorators: &[Node<'t>],
        name: &str,
    ) -> DecoratorEffects {
        let mut meaning = DecoratorEffects::default();
        for decorator in decorators {
            let text = builder.text_of_node(*decorator).trim_start_matches('@').trim();
            let path = text.split('(').next().unwrap_or("").trim_end();
            let (before, last) = path.rsplit_once('.').unwrap_or(("", path));
            match last {
                "staticmethod" => meaning.without_receiver = true,
                "classmethod" => meaning.on_class = true,
                "fixture" => meaning.fixture = true,
                "setter" | "deleter" | "getter" if before == name => meaning.accessor = true,
                _ if last.ends_with("property") => meaning.property = true,
                _ => {}
            }
        }
        match name {
            "__new__" | "__init_subclass__" | "__class_getitem__" => meaning.on_class = true,
            _ => {}
        }
        meaning
    }

    pub(super) fn bind_function(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>, decorators: &[Node<'t>]) {
        let [name, type_parameters, parameters, returned, body] = self.first_children_in_fields(
            node,
            [Field::Name, Field::TypeParameters, Field::Parameters, Field::ReturnType, Field::Body],
        );
        let Some(name) = name else { return self.bind_child_statements_without_flow_block(builder, node) };
        let text = builder.text_of_node(name);
        let is_method = matches!(self.frame.body_kind, BodyKind::Class { .. });
        let mut meaning = self.effects_of_decorators_and_name(builder, decorators, text);
        if !is_method {
            (meaning.on_class, meaning.without_receiver) = (false, true);
        }
        let kind = if is_method && (meaning.property || meaning.accessor) {
            BindingKind::Property
        } else {
            BindingKind::Function
        };
        let id = builder.name_id_of_node(name);
        let property = self
            .bound
            .get(&(self.binding_scope_of_name(id), id))
            .copied()
            .filter(|known| meaning.accessor && builder.binding_mut(*known).kind == BindingKind::Property);
        let binding = match property {
            Some(property) => {
                builder.record_occurrence(name, Role::Definition, Target::Binding(property));
                property
            }
            None => self.bind_definition_in_current_scope(builder, kind, name),
        };
        let scope = builder.add_child_scope(self.scope, ScopeKind::Function, node);
        if property.is_some() {
            builder.set_scope_owner(scope, binding);
        } else {
            builder.link_binding_and_body_scope(binding, scope);
            builder.binding_mut(binding).on_type = is_method && (meaning.on_class || meaning.without_receiver);
        }
        self.record_assignment_for_flow(builder, binding, node.end_byte(), false);

        let mut frame = BodyFrame::new(BodyKind::Function, scope);
        frame.receiver = self.frame.receiver;
        frame.flow = Some(AssignmentFlow::new(node.byte_range()));
        let mut annotations = self.scope;
        if let Some(type_parameters) = type_parameters {
            self.run_in_scope(scope, |binder| binder.bind_type_parameters(builder, type_parameters, scope));
            annotations = scope;
        }
        let takes_fixtures = !is_method || text.starts_with("test");
        let takes_fixtures = takes_fixtures && (meaning.fixture || text.starts_with("test"));
        let bound_parameters =
            parameters.map(|parameters| self.bind_parameters(builder, parameters, scope, annotations));
        let mut bound_parameters = bound_parameters.unwrap_or_default();
        let all: Vec<BindingId> = bound_parameters.iter().map(|(_, parameter)| *parameter).collect();
        let is_method_with_receiver = is_method && !meaning.without_receiver && !bound_parameters.is_empty();
        for (name, _) in &bound_parameters {
            frame.receiver = frame.receiver.filter(|receiver| receiver.name != *name);
        }
        if is_method_with_receiver {
            let (first, parameter) = bound_parameters.remove(0);
            frame.receiver = Some(Receiver { name: first, members: self.frame.binding_scope });
            let value = if meaning.on_class { Expr::ThisType { scope } } else { Expr::This { scope } };
            let value = builder.add_expr(value);
            if builder.binding_mut(parameter).annotation.is_none() {
                self.add_known_binding_value(builder, parameter, value);
            }
        }
        if is_method_with_receiver && text == "__getitem__" {
            frame.subscript = bound_parameters.first().map(|(key, _)| SubscriptBody::new(*key));
        }
        if takes_fixtures {
            for (name, parameter) in &bound_parameters {
                if builder.binding_mut(*parameter).annotation.is_none() {
                    self.fixture_parameters.push(FixtureParameter { name: *name, parameter: *parameter });
                }
            }
        }
        let returned =
            returned.map(|returned| self.run_in_scope(annotations, |binder| binder.type_expr(builder, returned)));

        let outer = std::mem::replace(&mut self.frame, frame);
        for parameter in all {
            self.record_assignment_for_flow(builder, parameter, node.start_byte(), false);
        }
        if let Some(body) = body {
            self.run_in_scope(scope, |binder| {
                builder.run_with_depth_limit(body, |builder| {
                    binder.bind_child_statements_without_flow_block(builder, body)
                })
            });
        }
        let frame = std::mem::replace(&mut self.frame, outer);
        if let Some(flow) = frame.flow {
            self.resolve_local_name_uses(builder, flow, scope);
        }
        if meaning.fixture && self.frame.body_kind == BodyKind::File {
            self.fixtures.push((id, frame.is_generator));
        }
        if property.is_some() {
            return;
        }
        let is_async = builder.source.get(node.byte_range()).is_some_and(|text| text.starts_with("async"));
        if let Some(subscript) = frame.subscript
            && !frame.is_generator
            && !is_async
        {
            self.bind_slice_and_item_methods(builder, self.frame.binding_scope, subscript, name.start_byte());
        }
        let annotation = returned.filter(|returned| *returned != builder.unknown_expr());
        let values = if frame.is_generator { frame.yields } else { frame.returns };
        for value in values {
            self.add_known_binding_value(builder, binding, value);
        }
        let function = builder.binding_mut(binding);
        function.annotation = annotation;
        function.wrapped = if frame.is_generator { annotation.is_none() } else { is_async };
    }

    fn resolve_local_name_uses(&mut self, builder: &mut NamesBuilder<'_>, flow: AssignmentFlow, home: ScopeId) {
        flow.replace_uses_by_reaching_bindings(builder, |builder, scope, name| {
            let mut at = Some(scope);
            while let Some(scope) = at {
                if self.bound.contains_key(&(scope, name)) {
                    return scope == home;
                }
                at = if scope == home { None } else { builder.parent_scope(scope) };
            }
            false
        });
    }

    /// Binds the type parameters `[T: Bound, *Ts]` of a function or class in `scope`.
    pub(super) fn bind_type_parameters(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>, scope: ScopeId) {
        self.for_each_named_non_comment_child(builder, node, |binder, builder, child| {
            let (mut at, mut bound) = (child.node, None);
            loop {
                match binder.kind_of_node(at) {
                    Kind::Identifier => {
                        let parameter = binder.bind_definition_in_scope(builder, scope, BindingKind::TypeParameter, at);
                        builder.binding_mut(parameter).annotation = bound.map(|bound| binder.type_expr(builder, bound));
                        return;
                    }
                    Kind::Type | Kind::SplatType => {}
                    Kind::ConstrainedType => {
                        let children = binder.push_named_non_comment_children(at);
                        bound = binder.child_at_index(children, 1).map(|child| child.node);
                        binder.pop_children(children);
                    }
                    // The grammar has no node for the default in `T = int`, so it is read as an ordinary expression.
                    _ => return binder.bind_statement_or_expression(builder, at),
                }
                match binder.only_or_first_child(at) {
                    Some(inner) => at = inner,
                    None => return,
                }
            }
        });
    }

    /// Binds the parameters of a function in `scope`, and returns their names and bindings in order.
    pub(super) fn bind_parameters(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'t>,
        scope: ScopeId,
        annotations: ScopeId,
    ) -> Vec<(NameId, BindingId)> {
        let mut bound_parameters = Vec::new();
        self.for_each_named_non_comment_child(builder, node, |binder, builder, child| {
            let (mut target, mut type_, mut value) = (child.node, None, None);
            match binder.kind_of_node(child.node) {
                Kind::DefaultParameter | Kind::TypedDefaultParameter | Kind::TypedParameter => {
                    let [name, annotation, default] =
                        binder.first_children_in_fields(child.node, [Field::Name, Field::Type, Field::Value]);
                    let Some(name) = name.or_else(|| binder.only_or_first_child(child.node)) else { return };
                    (target, type_, value) = (name, annotation, default);
                }
                _ => {}
            }
            let annotation =
                type_.map(|type_| binder.run_in_scope(annotations, |binder| binder.type_expr(builder, type_)));
            let annotation = annotation.filter(|annotation| *annotation != builder.unknown_expr());
            let is_none = value.is_some_and(|value| binder.kind_of_node(value) == Kind::None);
            let value = value
                .map_or(builder.unknown_expr(), |value| binder.bind_names_and_get_value(builder, value, Role::Read));
            binder.bind_parameter(
                builder,
                target,
                scope,
                annotation,
                if is_none { builder.unknown_expr() } else { value },
                &mut bound_parameters,
            );
        });
        bound_parameters
    }

    fn bind_parameter(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        target: Node<'t>,
        scope: ScopeId,
        annotation: Option<ExprId>,
        value: ExprId,
        bound_parameters: &mut Vec<(NameId, BindingId)>,
    ) {
        match self.kind_of_node(target) {
            Kind::Identifier => {
                let binding = self.bind_definition_in_scope(builder, scope, BindingKind::Parameter, target);
                builder.binding_mut(binding).annotation = annotation;
                self.add_known_binding_value(builder, binding, value);
                bound_parameters.push((builder.binding_mut(binding).name, binding));
            }
            // The parameter in `*args: T` is a container whose elements have the type `T`.
            Kind::ListSplatPattern | Kind::DictionarySplatPattern => {
                let annotation = annotation.map(|of| {
                    let args = builder.add_expr_list(&[of]);
                    builder.add_expr(Expr::Generic { base: None, args })
                });
                if let Some(inner) = self.only_or_first_child(target) {
                    builder.run_with_depth_limit(inner, |builder| {
                        self.bind_parameter(builder, inner, scope, annotation, builder.unknown_expr(), bound_parameters)
                    });
                }
            }
            Kind::TuplePattern => builder.run_with_depth_limit(target, |builder| {
                self.for_each_named_non_comment_child(builder, target, |binder, builder, child| {
                    binder.bind_parameter(builder, child.node, scope, None, builder.unknown_expr(), bound_parameters);
                });
            }),
            Kind::Other if !target.is_error() => {}
            _ => self.bind_statement_or_expression(builder, target),
        }
    }

    pub(super) fn bind_class(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) {
        let [name, type_parameters, superclasses, body] =
            self.first_children_in_fields(node, [Field::Name, Field::TypeParameters, Field::Superclasses, Field::Body]);
        let Some(name) = name else { return self.bind_child_statements_without_flow_block(builder, node) };
        let binding = self.bind_definition_in_current_scope(builder, BindingKind::Type, name);
        let mut around = self.scope;
        if let Some(type_parameters) = type_parameters {
            around = builder.add_child_scope(around, ScopeKind::Block, node);
            self.run_in_scope(around, |binder| binder.bind_type_parameters(builder, type_parameters, around));
        }
        let mut bases = Vec::new();
        let mut is_enum = false;
        let mut metaclass = None;
        if let Some(superclasses) = superclasses {
            self.run_in_scope(around, |binder| {
                binder.for_each_named_non_comment_child(builder, superclasses, |binder, builder, child| {
                    if binder.kind_of_node(child.node) == Kind::KeywordArgument {
                        metaclass = binder.metaclass_in_class_keyword_argument(builder, child.node).or(metaclass);
                        return;
                    }
                    let last = builder.text_of_node(child.node).rsplit('.').next().unwrap_or("");
                    is_enum |= last.ends_with("Enum") || matches!(last, "Flag" | "IntFlag");
                    let base = binder.type_expr(builder, child.node);
                    match builder.names.expr_by_id(base) {
                        Expr::Unknown => {}
                        // A call that makes a class of several.
                        Expr::Either(parts) if binder.kind_of_node(child.node) == Kind::Call => {
                            bases.extend_from_slice(builder.names.expr_ids_in_list_range(parts));
                        }
                        _ => bases.push(base),
                    }
                });
            });
        }
        let members = builder.add_child_scope(around, ScopeKind::Type, node);
        builder.link_binding_and_body_scope(binding, members);
        builder.binding_mut(binding).bases = builder.add_expr_list(&bases);
        // The class is an instance of its metaclass.
        builder.binding_mut(binding).annotation = metaclass;
        self.record_assignment_for_flow(builder, binding, node.end_byte(), false);
        if let Some(body) = body {
            let outer = std::mem::replace(&mut self.frame, BodyFrame::new(BodyKind::Class { is_enum }, members));
            self.frame.receiver = outer.receiver;
            self.run_in_scope(members, |binder| {
                builder.run_with_depth_limit(body, |builder| {
                    binder.bind_child_statements_without_flow_block(builder, body)
                })
            });
            let frame = std::mem::replace(&mut self.frame, outer);
            self.redirect_early_uses_to_enclosing_scope(builder, frame, around);
        }
    }

    /// Redirects names that a class body uses before it binds them to the enclosing scope: `date: date`, or a method
    /// called `set` below a `set[int]`. Annotations may name the classes and type aliases of the body before their
    /// definition.
    fn redirect_early_uses_to_enclosing_scope(
        &self,
        builder: &mut NamesBuilder<'_>,
        frame: BodyFrame,
        around: ScopeId,
    ) {
        let BodyFrame { uses, mut bound, binding_scope: home, .. } = frame;
        bound.sort_unstable();
        for used in uses {
            let Expr::Name { name, scope, at } = builder.names.expr_by_id(used) else { continue };
            let Some(known) = self.bound.get(&(home, name)).filter(|_| scope == home) else { continue };
            let first = bound.get(bound.partition_point(|(other, _)| *other < name));
            let before = first.is_some_and(|(other, from)| *other == name && *from <= at);
            let is_type = matches!(builder.binding_mut(*known).kind, BindingKind::Type | BindingKind::TypeAlias);
            if !before
                && !is_type
                && let Some(expr) = builder.names.exprs.get_mut(used as usize)
            {
                *expr = Expr::Name { name, scope: around, at };
            }
        }
    }

    /// Records the names in a keyword argument of a class header, and returns the metaclass if it is the argument
    /// `metaclass=M`.
    fn metaclass_in_class_keyword_argument(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'t>,
    ) -> Option<ExprId> {
        let [name, value] = self.first_children_in_fields(node, [Field::Name, Field::Value]);
        if let Some(name) = name {
            builder.record_occurrence(name, Role::Write, Target::Unknown);
        }
        let value = self.bind_names_and_get_value(builder, value?, Role::Read);
        (name.is_some_and(|name| builder.text_of_node(name) == "metaclass") && value != builder.unknown_expr())
            .then_some(value)
    }
}
