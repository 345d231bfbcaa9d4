//! Name binding of PHP's functions, methods and closures.

use tree_sitter::Node;

use super::docs::Doc;
use super::variables::OpenFunction;
use super::{Binder, Kind};
use crate::names::{BindingId, BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId, ScopeKind};

impl<'t> Binder<'t> {
    pub(super) fn bind_method(
        &mut self,
        node: Node<'t>,
        doc: Option<Node<'t>>,
        members: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let modifiers = self.modifiers(node, builder);
        let Some(name) = self.field(node, self.grammar.name) else { return };
        let method = builder.add_binding_with_definition(members, BindingKind::Function, name);
        let bound = builder.binding_mut(method);
        bound.private = modifiers.is_private;
        bound.on_type = modifiers.is_static;
        self.bind_function(node, doc, (method, members), builder);
    }

    /// Binds a function, which belongs to the namespace wherever its declaration stands.
    pub(super) fn bind_function_definition(
        &mut self,
        node: Node<'t>,
        doc: Option<Node<'t>>,
        builder: &mut NamesBuilder<'_>,
    ) {
        let Some(name) = self.field(node, self.grammar.name).filter(|name| self.kind(*name) == Kind::Name) else {
            return;
        };
        let function = builder.add_binding_with_definition(self.namespace.scope, BindingKind::Function, name);
        self.bind_function(node, doc, (function, self.namespace.scope), builder);
    }

    fn bind_function(
        &mut self,
        node: Node<'t>,
        doc: Option<Node<'t>>,
        (function, around): (BindingId, ScopeId),
        builder: &mut NamesBuilder<'_>,
    ) {
        let scope = builder.add_child_scope(around, ScopeKind::Function, node);
        builder.link_binding_and_body_scope(function, scope);
        self.bind_attributes(node, scope, builder);
        let template_count = self.templates.len();
        let doc = self.read_doc(doc, scope, None, builder);
        let index = self.open_function(scope, false);
        self.bind_signature_and_body(node, function, &doc, builder);
        self.close_function(index, builder);
        self.templates.truncate(template_count);
    }

    /// Binds the parameters, the result and the body of a function in the innermost open function.
    fn bind_signature_and_body(
        &mut self,
        node: Node<'t>,
        function: BindingId,
        doc: &Doc,
        builder: &mut NamesBuilder<'_>,
    ) {
        let Some(scope) = self.functions.last().map(|function| function.scope) else { return };
        if let Some(list) = self.field(node, self.grammar.parameters) {
            let given = std::mem::take(&mut self.expected_parameters);
            self.bind_parameters(list, scope, (doc, &given), builder);
        }
        self.expected_parameters.clear();
        let declared = self.field(node, self.grammar.return_type).map(|node| self.type_expr(node, scope, builder));
        let annotation = self.type_of_declaration_and_doc(declared, doc.result, builder);
        if let Some(body) = self.field(node, self.grammar.body) {
            match self.kind(body) {
                Kind::CompoundStatement => self.bind_statements(body, scope, builder),
                _ => {
                    let value = self.value(body, scope, builder);
                    if let Some(function) = self.functions.last_mut() {
                        function.returned.push(value);
                    }
                }
            }
        }
        let Some(open) = self.functions.last_mut() else { return };
        let (returned, yielded) = (std::mem::take(&mut open.returned), std::mem::take(&mut open.yielded));
        builder.binding_mut(function).annotation = annotation;
        if !yielded.is_empty() && annotation.is_none() {
            builder.binding_mut(function).wrapped = true;
            self.set_values(function, yielded, builder);
        } else {
            self.set_values(function, returned, builder);
        }
    }

    /// Binds the parameters of a function. `given` are the values of those without a type.
    fn bind_parameters(
        &mut self,
        list: Node<'t>,
        scope: ScopeId,
        (doc, given): (&Doc, &[ExprId]),
        builder: &mut NamesBuilder<'_>,
    ) {
        let mut index = 0;
        self.for_each_child_with_doc(list, builder, |binder, parameter, own_doc, builder| {
            let kind = binder.kind(parameter);
            if !matches!(kind, Kind::SimpleParameter | Kind::VariadicParameter | Kind::PropertyPromotionParameter) {
                return;
            }
            binder.bind_attributes(parameter, scope, builder);
            let declared =
                binder.field(parameter, binder.grammar.r#type).map(|written| binder.type_expr(written, scope, builder));
            let Some(mut variable) = binder.field(parameter, binder.grammar.name) else { return };
            if binder.kind(variable) == Kind::ByRef {
                let Some(inner) = binder.first_named_child(variable) else { return };
                variable = inner;
            }
            let own_doc = binder.read_doc(own_doc, scope, None, builder);
            let text = builder.text_of_node(variable);
            let said = own_doc.type_of_property(text).or_else(|| doc.type_of_parameter(text));
            let mut annotation = binder.type_of_declaration_and_doc(declared, said, builder);
            if kind == Kind::VariadicParameter
                && let Some(of) = annotation
            {
                let args = builder.add_expr_list(&[of]);
                annotation = Some(builder.add_expr(Expr::Generic { base: None, args }));
            }
            let local = builder.add_binding_with_definition(scope, BindingKind::Parameter, variable);
            builder.binding_mut(local).annotation = annotation;
            builder.binding_mut(local).wrapped = kind == Kind::VariadicParameter;
            let name = builder.binding_mut(local).name;
            binder.add_local(name, local);
            if let (None, Some(value)) = (annotation, given.get(index)) {
                binder.set_current_value(name, *value, true);
            }
            index += 1;
            if let Some(value) = binder.field(parameter, binder.grammar.default_value) {
                binder.value(value, scope, builder);
            }
            if kind == Kind::PropertyPromotionParameter {
                binder.bind_promoted_property(parameter, variable, annotation, scope, builder);
            }
        });
    }

    /// Binds the property that a parameter of a constructor declares.
    fn bind_promoted_property(
        &mut self,
        parameter: Node<'t>,
        variable: Node<'t>,
        annotation: Option<ExprId>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let Some(members) = builder.nearest_scope_of_kinds(scope, &[ScopeKind::Type]) else { return };
        let Some(name) = self.child_of_kind(variable, Kind::Name) else { return };
        let modifiers = self.modifiers(parameter, builder);
        let property = builder.add_binding_with_definition(members, BindingKind::Field, name);
        builder.binding_mut(property).annotation = annotation;
        builder.binding_mut(property).private = modifiers.is_private;
        if let Some(hooks) = self.child_of_kind(parameter, Kind::PropertyHookList) {
            self.bind_property_hooks(hooks, members, builder);
        }
    }

    /// Binds the body of a hook of a property.
    pub(super) fn bind_function_body_without_name(
        &mut self,
        node: Node<'t>,
        around: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        self.bind_attributes(node, around, builder);
        self.bind_closure(node, around, false, builder);
    }

    /// Binds a closure or an arrow function, and returns its value.
    pub(super) fn bind_closure(
        &mut self,
        node: Node<'t>,
        around: ScopeId,
        is_arrow: bool,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let scope = builder.add_child_scope(around, ScopeKind::Function, node);
        let name = builder.intern_constructed_text("{closure}");
        let function = builder.add_binding(scope, BindingKind::Function, name, node.start_byte());
        builder.link_binding_and_body_scope(function, scope);
        let given = std::mem::take(&mut self.expected_parameters);
        let mut captured = Vec::new();
        if let Some(clause) = self.child_of_kind(node, Kind::AnonymousFunctionUseClause) {
            self.for_each_named_non_comment_child(clause, builder, |binder, mut variable, builder| {
                if binder.kind(variable) == Kind::ByRef {
                    let Some(inner) = binder.first_named_child(variable) else { return };
                    variable = inner;
                }
                if binder.kind(variable) == Kind::VariableName {
                    let value = binder.variable_value(variable, around, Role::Read, builder);
                    captured.push((variable, value));
                }
            });
        }
        let index = self.open_function(scope, is_arrow);
        for (variable, value) in captured {
            let name = builder.name_id_of_node(variable);
            let local = builder.add_binding(scope, BindingKind::Variable, name, variable.start_byte());
            self.add_local(name, local);
            self.add_local_value(name, value);
        }
        self.expected_parameters = given;
        self.bind_attributes(node, scope, builder);
        self.bind_signature_and_body(node, function, &Doc::default(), builder);
        self.close_function(index, builder);
        builder.add_expr(Expr::Function { binding: function })
    }

    /// Opens a function, and returns the number of functions around it, which [`Binder::close_function`] takes.
    fn open_function(&mut self, scope: ScopeId, is_arrow: bool) -> usize {
        self.functions.push(OpenFunction::new(scope, is_arrow));
        self.functions.len() - 1
    }
}
