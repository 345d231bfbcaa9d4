//! Name binding of Kotlin's properties and local variables.

use tree_sitter::Node;

use super::classes::TypeOwner;
use super::functions::jvm_name;
use super::{Binder, Kind};
use crate::names::{BindingId, BindingKind, Expr, ExprId, FILE_SCOPE, NamesBuilder, ScopeId, ScopeKind};

impl<'t> Binder<'t> {
    /// Binds a property of a type or of a file, or a local variable.
    pub(super) fn bind_property(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        owner: Option<TypeOwner>,
        builder: &mut NamesBuilder<'_>,
    ) {
        let modifiers = self.bind_modifiers(node, scope, builder);
        let is_local = owner.is_none() && scope != FILE_SCOPE;
        let children = self.named_children(node);
        let getter = children.iter().copied().find(|child| self.kind(*child) == Kind::Getter);
        let getter_body = getter.and_then(|getter| self.child_of_kind(getter, Kind::FunctionBody));
        let delegate = children.iter().copied().find(|child| self.kind(*child) == Kind::PropertyDelegate);
        let is_computed = getter_body.is_some() || delegate.is_some();
        let kind = match (owner.is_some(), is_computed) {
            _ if is_local => BindingKind::Variable,
            (_, true) => BindingKind::Property,
            (true, false) => BindingKind::Field,
            (false, false) => BindingKind::Variable,
        };
        let is_variable = self.has_token(node, "var");
        // An initialiser sees the parameters of the constructor.
        let around = owner.map_or(scope, |owner| owner.initializers);
        let inside = builder.add_child_scope(around, ScopeKind::Function, node);
        self.bind_type_parameters(node, inside, builder);
        let declaration = children.iter().copied().find(|child| self.kind(*child) == Kind::VariableDeclaration);
        let Some(declaration) = declaration else {
            let value = self.initializer(node, &children, None, inside, builder);
            let destructured =
                children.iter().copied().find(|child| self.kind(*child) == Kind::MultiVariableDeclaration);
            if let Some(list) = destructured {
                let visible = if is_local { node.end_byte() } else { 0 };
                self.bind_destructured(list, (kind, scope), value, visible, builder);
            }
            return;
        };
        let receiver =
            children.iter().copied().take_while(|child| *child != declaration).find(|child| self.is_type(*child));
        if let Some(receiver) = receiver {
            let of = self.type_expr(receiver, inside, builder);
            let unknown = builder.unknown_expr();
            self.bind_this((inside, receiver), Some(of), unknown, builder);
        }
        let Some(name) = self.child_of_kind(declaration, Kind::Identifier) else { return };
        let property = self.bind_definition(scope, kind, name, builder);
        let binding = builder.binding_mut(property);
        binding.private = modifiers.is_private;
        binding.constant = !is_variable;
        if is_local {
            // The initialiser does not see the variable.
            binding.visible_from = super::to_u32(node.end_byte());
        } else {
            binding.body = Some(inside);
            builder.set_scope_owner(inside, property);
            self.add_accessors_for_java((property, node), is_variable, builder);
        }
        self.bind_annotations_of(declaration, scope, builder);
        let written = self.find_child(declaration, |binder, child| binder.is_type(child));
        let annotation = written.map(|written| self.type_expr(written, inside, builder));
        builder.binding_mut(property).annotation = annotation;
        let value = self.initializer(node, &children, annotation, inside, builder);
        let mut values = vec![value];
        if let Some(delegate) = delegate {
            values = vec![self.delegated_value(delegate, is_variable, inside, builder)];
        }
        for child in children {
            match self.kind(child) {
                Kind::Getter => {
                    if let Some(value) = self.bind_accessor(child, (property, inside), builder) {
                        values = vec![value];
                    }
                }
                Kind::Setter => {
                    self.bind_accessor(child, (property, inside), builder);
                }
                _ => {}
            }
        }
        self.copy_type_to_accessors(property, builder);
        values.retain(|value| *value != builder.unknown_expr());
        builder.binding_mut(property).values = builder.add_expr_list(&values);
    }

    fn bind_annotations_of(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.for_each_child(node, builder, |binder, child, builder| {
            if binder.kind(child) == Kind::Annotation {
                binder.bind_annotation(child, scope, builder);
            }
        });
    }

    /// The value behind the `=` of a declaration.
    fn initializer(
        &mut self,
        node: Node<'t>,
        children: &[Node<'t>],
        annotation: Option<ExprId>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let Some(equals) = self.find_child(node, |_, child| child.kind() == "=") else { return builder.unknown_expr() };
        match children.iter().find(|child| child.start_byte() >= equals.end_byte()) {
            Some(value) => self.value_for_type(*value, scope, annotation, builder),
            None => builder.unknown_expr(),
        }
    }

    /// What a delegate gives: the result of its `getValue`, else what it holds (`by lazy { … }`).
    fn delegated_value(
        &mut self,
        delegate: Node<'t>,
        is_variable: bool,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let Some(value) = self.first_named_child(delegate) else { return builder.unknown_expr() };
        let of = self.value(value, scope, builder);
        let unknown = builder.unknown_expr();
        self.operator_call(of, "provideDelegate", &[unknown, unknown], delegate, builder);
        if is_variable {
            self.operator_call(of, "setValue", &[unknown, unknown, unknown], delegate, builder);
        }
        let value = self.operator_call(of, "getValue", &[unknown, unknown], delegate, builder);
        let other = builder.add_expr(Expr::Element { of });
        builder.add_expr(Expr::Fallback { value, other })
    }

    /// Binds a getter or setter, and returns the value of a getter that is an expression.
    fn bind_accessor(
        &mut self,
        node: Node<'t>,
        (property, around): (BindingId, ScopeId),
        builder: &mut NamesBuilder<'_>,
    ) -> Option<ExprId> {
        self.bind_modifiers(node, around, builder);
        let body = self.child_of_kind(node, Kind::FunctionBody)?;
        let inside = builder.add_child_scope(around, ScopeKind::Function, node);
        let annotation = builder.binding_mut(property).annotation;
        let field = builder.intern_constructed_text("field");
        let field = builder.add_binding(inside, BindingKind::Variable, field, body.start_byte());
        builder.binding_mut(field).annotation = annotation;
        if self.kind(node) == Kind::Setter
            && let Some(name) = self.child_of_kind(node, Kind::Identifier)
        {
            let parameter = self.bind_definition(inside, BindingKind::Parameter, name, builder);
            builder.binding_mut(parameter).annotation = annotation;
        }
        if let Some(written) = self.find_child(node, |binder, child| binder.is_type(child)) {
            let of = self.type_expr(written, inside, builder);
            if self.kind(node) == Kind::Getter && annotation.is_none() {
                builder.binding_mut(property).annotation = Some(of);
            }
        }
        match self.child_of_kind(body, Kind::Block) {
            Some(block) => {
                self.bind_statements(block, inside, builder);
                None
            }
            None => {
                let value = self.first_named_child(body)?;
                Some(self.value_for_type(value, inside, annotation, builder))
            }
        }
    }

    /// Binds the names of `(a, b)`, each to a component of `value`.
    pub(super) fn bind_destructured(
        &mut self,
        list: Node<'t>,
        (kind, scope): (BindingKind, ScopeId),
        value: ExprId,
        visible_from: usize,
        builder: &mut NamesBuilder<'_>,
    ) {
        let mut index = 0_u32;
        self.for_each_child(list, builder, |binder, declaration, builder| {
            if binder.kind(declaration) != Kind::VariableDeclaration {
                return;
            }
            index += 1;
            let is_named = builder.text_of_node(declaration) != "_";
            let item = match is_named {
                true => binder.operator_call(value, &format!("component{index}"), &[], declaration, builder),
                false => builder.unknown_expr(),
            };
            binder.bind_variable_declaration(declaration, (kind, scope), item, visible_from, builder);
        });
    }

    /// Binds a variable of a loop, of a lambda or of a destructuring.
    pub(super) fn bind_variable_declaration(
        &mut self,
        declaration: Node<'t>,
        (kind, scope): (BindingKind, ScopeId),
        value: ExprId,
        visible_from: usize,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<BindingId> {
        self.bind_annotations_of(declaration, scope, builder);
        let name = self.child_of_kind(declaration, Kind::Identifier)?;
        if builder.text_of_node(name) == "_" {
            return None;
        }
        let local = self.bind_definition(scope, kind, name, builder);
        builder.binding_mut(local).visible_from = super::to_u32(visible_from);
        if let Some(written) = self.find_child(declaration, |binder, child| binder.is_type(child)) {
            let of = self.type_expr(written, scope, builder);
            builder.binding_mut(local).annotation = Some(of);
        }
        self.set_value(local, value, builder);
        Some(local)
    }

    /// Adds the functions by which Java reads and writes a property. They stand at the property's place.
    pub(super) fn add_accessors_for_java(
        &mut self,
        (property, node): (BindingId, Node<'t>),
        is_variable: bool,
        builder: &mut NamesBuilder<'_>,
    ) {
        let own = builder.binding_mut(property);
        let (scope, at, annotation, name, is_private) = (own.scope, own.at, own.annotation, own.name, own.private);
        if is_private {
            return;
        }
        let mut text = builder.text_of_node(node);
        // The annotations of the property and of its accessors stand close to its name.
        text = text.get(..text.floor_char_boundary(MAX_ANNOTATIONS_BYTES)).unwrap_or(text);
        let name = builder.names.name_text(name).to_owned();
        let before = self.annotation_before.take().map_or("", |before| builder.text_of_node(before));
        let given = |annotation: &str| jvm_name(before, annotation).or_else(|| jvm_name(text, annotation));
        let reader = given("@get:JvmName").map_or_else(|| getter_name(&name), str::to_owned);
        let writer = given("@set:JvmName").map_or_else(|| setter_name(&name), str::to_owned);
        let readers = [Some(reader), is_variable.then_some(writer)];
        for accessor in readers.into_iter().flatten().filter(|accessor| !accessor.is_empty()) {
            let accessor = builder.intern_constructed_text(&accessor);
            let made = builder.add_binding(scope, BindingKind::Function, accessor, at as usize);
            builder.binding_mut(made).annotation = annotation;
        }
    }

    fn copy_type_to_accessors(&mut self, property: BindingId, builder: &mut NamesBuilder<'_>) {
        let own = builder.binding_mut(property);
        let (at, scope, annotation) = (own.at, own.scope, own.annotation);
        for accessor in builder.names.bindings.iter_mut().skip(property as usize + 1).take(2) {
            if (accessor.at, accessor.scope, accessor.kind) == (at, scope, BindingKind::Function) {
                accessor.annotation = annotation;
            }
        }
    }
}

/// The limit on the bytes of a property in which annotations of its accessors are sought.
const MAX_ANNOTATIONS_BYTES: usize = 400;

/// The name of the function by which Java reads a property.
fn getter_name(property: &str) -> String {
    match is_named_as_question(property) {
        true => property.to_owned(),
        false => format!("get{}", with_capital(property)),
    }
}

/// The name of the function by which Java writes a property.
fn setter_name(property: &str) -> String {
    let rest = if is_named_as_question(property) { property.get(2..).unwrap_or("") } else { property };
    format!("set{}", with_capital(rest))
}

fn is_named_as_question(property: &str) -> bool {
    property.strip_prefix("is").is_some_and(|rest| rest.starts_with(|c: char| !c.is_lowercase()))
}

fn with_capital(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
