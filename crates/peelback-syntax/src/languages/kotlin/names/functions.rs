//! Name binding of Kotlin's functions: signatures and bodies.

use tree_sitter::Node;

use super::classes::TypeOwner;
use super::modifiers::Modifiers;
use super::operators::is_name_of_operator;
use super::{Binder, Kind};
use crate::names::{BindingId, BindingKind, ExprId, NamesBuilder, ScopeId, ScopeKind};

impl<'t> Binder<'t> {
    pub(super) fn bind_function(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        owner: Option<TypeOwner>,
        builder: &mut NamesBuilder<'_>,
    ) {
        let modifiers = self.bind_modifiers(node, scope, builder);
        let Some(name) = self.field(node, self.grammar.name) else { return };
        let function = self.bind_definition(scope, BindingKind::Function, name, builder);
        let body = self.child_of_kind(node, Kind::FunctionBody);
        let inside = builder.add_child_scope(scope, ScopeKind::Function, node);
        builder.link_binding_and_body_scope(function, inside);
        let is_local = owner.is_none() && matches!(builder.scope_kind(scope), ScopeKind::Function | ScopeKind::Block);
        let binding = builder.binding_mut(function);
        binding.private = modifiers.is_private;
        // What a lambda implements.
        binding.constant = owner.is_some_and(|owner| owner.is_interface) && body.is_none();
        if is_local {
            binding.visible_from = binding.at;
        }
        // What overrides such a function need not say so.
        if modifiers.is_operator || modifiers.is_override && is_name_of_operator(builder.text_of_node(name)) {
            builder.names.operators.push(function);
        }
        self.add_alias_for_java((function, node), builder);
        self.bind_type_parameters(node, inside, builder);
        self.bind_signature(node, (function, inside), Some(name), builder);
        self.copy_signature_to_alias(function, builder);
        if let Some(body) = body {
            self.push_label_of_binding(function, inside, builder);
            self.bind_function_body(body, function, inside, builder);
            self.labels.pop();
        }
    }

    /// Binds the receiver, the parameters and the result of a function. A receiver stands before `name`.
    pub(super) fn bind_signature(
        &mut self,
        node: Node<'t>,
        (function, inside): (BindingId, ScopeId),
        name: Option<Node<'t>>,
        builder: &mut NamesBuilder<'_>,
    ) {
        let mut has_parameters = false;
        for child in self.named_children(node) {
            match self.kind(child) {
                Kind::FunctionValueParameters => {
                    has_parameters = true;
                    let types = self.bind_parameters(child, inside, builder);
                    builder.binding_mut(function).bases = builder.add_expr_list(&types);
                }
                _ if Some(child) == name || !self.is_type(child) => {}
                _ if has_parameters => {
                    let result = self.type_expr(child, inside, builder);
                    builder.binding_mut(function).annotation = Some(result);
                }
                _ => {
                    let receiver = self.type_expr(child, inside, builder);
                    let unknown = builder.unknown_expr();
                    self.bind_this((inside, child), Some(receiver), unknown, builder);
                }
            }
        }
    }

    /// Binds parameters, and returns their types. A parameter that has a default has it as its value.
    pub(super) fn bind_parameters(
        &mut self,
        list: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> Vec<ExprId> {
        let mut types = Vec::new();
        let mut last: Option<(BindingId, ExprId)> = None;
        let mut modifiers = Modifiers::default();
        self.for_each_child(list, builder, |binder, child, builder| match binder.kind(child) {
            Kind::ParameterModifiers => binder.read_modifiers(child, scope, &mut modifiers, builder),
            Kind::Parameter => {
                let mut annotation = binder.type_of_parameter(child, scope, builder);
                if std::mem::take(&mut modifiers).is_vararg {
                    annotation = binder.array_of(annotation, builder);
                    types.push(annotation);
                    if let Some(name) = binder.child_of_kind(child, Kind::Identifier) {
                        let binding = binder.bind_definition(scope, BindingKind::Parameter, name, builder);
                        builder.binding_mut(binding).annotation = Some(annotation);
                        builder.binding_mut(binding).wrapped = true;
                        last = Some((binding, annotation));
                    }
                    return;
                }
                types.push(annotation);
                if let Some(name) = binder.child_of_kind(child, Kind::Identifier) {
                    let binding = binder.bind_definition(scope, BindingKind::Parameter, name, builder);
                    builder.binding_mut(binding).annotation = Some(annotation);
                    last = Some((binding, annotation));
                }
            }
            _ => {
                let declared = last.map(|(_, annotation)| annotation);
                let value = binder.value_for_type(child, scope, declared, builder);
                if let Some((binding, _)) = last {
                    builder.binding_mut(binding).values = builder.add_expr_list(&[value]);
                }
            }
        });
        types
    }

    /// Binds the names in a function's body, and records what it returns if an expression says so.
    pub(super) fn bind_function_body(
        &mut self,
        body: Node<'t>,
        function: BindingId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let narrowed = std::mem::take(&mut self.narrowed);
        let returned = std::mem::take(&mut self.returned);
        match self.child_of_kind(body, Kind::Block) {
            Some(block) => self.bind_statements(block, scope, builder),
            None => {
                if let Some(value) = self.first_named_child(body) {
                    let declared = builder.binding_mut(function).annotation;
                    let value = self.value_for_type(value, scope, declared, builder);
                    builder.binding_mut(function).values = builder.add_expr_list(&[value]);
                }
            }
        }
        self.returned = returned;
        self.narrowed = narrowed;
    }

    /// Adds the name that Java has for a function by an annotation. It stands at the function's place.
    fn add_alias_for_java(&mut self, (function, node): (BindingId, Node<'t>), builder: &mut NamesBuilder<'_>) {
        let lists = [self.annotation_before.take(), self.child_of_kind(node, Kind::Modifiers)];
        let mut names = lists.into_iter().flatten().map(|list| jvm_name(builder.text_of_node(list), "@JvmName"));
        let Some(name) = names.find_map(|name| name) else { return };
        let name = builder.intern_constructed_text(name);
        let own = builder.binding_mut(function);
        let (scope, at) = (own.scope, own.at as usize);
        if own.name != name {
            builder.add_binding(scope, BindingKind::Function, name, at);
        }
    }

    fn copy_signature_to_alias(&mut self, function: BindingId, builder: &mut NamesBuilder<'_>) {
        let own = builder.binding_mut(function);
        let (at, scope, annotation, bases) = (own.at, own.scope, own.annotation, own.bases);
        if let Some(alias) = builder.names.bindings.get_mut(function as usize + 1)
            && (alias.at, alias.scope, alias.kind) == (at, scope, BindingKind::Function)
        {
            alias.annotation = annotation;
            alias.bases = bases;
        }
    }
}

/// The name in an annotation that gives a function another name for Java.
pub(super) fn jvm_name<'s>(modifiers: &'s str, annotation: &str) -> Option<&'s str> {
    let (_, rest) = modifiers.split_once(annotation)?;
    let rest = rest.trim_start().strip_prefix('(')?.trim_start();
    rest.strip_prefix('"')?.split('"').next()
}
