//! Name binding for JavaScript calls that define a property of an object: `Object.defineProperty(a, "b", { … })`.

use tree_sitter::Node;

use super::super::property_definers::{
    ArgumentPart, DEFINE_PROPERTY, DEFINE_PROPERTY_PATH, DescriptorPart, PropertyDefiner,
    does_function_only_return_path,
};
use super::calls::does_node_kind_pass_expected_value_to_parts;
use super::kinds::{Field, Kind};
use super::owners::MemberOwner;
use super::{AssignedField, Binder, ExprContext, This};
use crate::names::{BindingId, BindingKind, Expr, ExprId, FILE_SCOPE, NamesBuilder, Role, ScopeKind};

/// A function that a property calls when it is read or written.
#[derive(Clone, Copy)]
struct Accessor<'t> {
    node: Node<'t>,
    /// The value of the expression `node`.
    function: ExprId,
}

/// What a call says about the property that it defines. An unknown value has the id 0.
#[derive(Default)]
struct DefinedProperty<'t> {
    /// The object that gets the property.
    object: ExprId,
    /// The scope of the object's members, if this file defines the object.
    owner: Option<MemberOwner>,
    /// The node of the property's name, if it is written as a string.
    name: Option<Node<'t>>,
    value: ExprId,
    getter: Option<Accessor<'t>>,
    setter: Option<Accessor<'t>>,
}

impl<'t> Binder<'t> {
    /// How a call of `function` defines a property of one of its arguments, if it does.
    pub(super) fn property_definer_of_callee(
        &mut self,
        function: Node<'t>,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<PropertyDefiner> {
        let text = builder.text_of_node(function);
        let kind = self.kind_of_node(function);
        if !(kind == Kind::Identifier || (kind == Kind::Member && text == DEFINE_PROPERTY_PATH)) {
            return None;
        }
        let definer = self.property_definers.definer_called_by(text)?;
        if kind == Kind::Member {
            return self.is_member_of_known_global_object(function, builder).then_some(definer);
        }
        // The function is bound when the binder comes to its declaration, which may be below.
        let name = builder.name_id_of_node(function);
        let found = self.find_visible_binding_in_file(self.scope, name, builder);
        found.is_none_or(|binding| builder.binding_mut(binding).scope == FILE_SCOPE).then_some(definer)
    }

    /// Binds the names in a call that defines a property of one of its arguments, and the property as a member of that
    /// object. Returns the value of the call. `function` is called, with the type arguments `types`.
    pub(super) fn bind_property_definition_call(
        &mut self,
        (function, types): (Node<'t>, Option<Node<'t>>),
        arguments: Node<'t>,
        definer: PropertyDefiner,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let callee = self.bind_names_and_get_value(function, ExprContext::for_role(Role::Call), builder);
        if let Some(types) = types {
            self.type_argument_exprs(types, builder);
        }
        let mut defined = DefinedProperty::default();
        let (mut index, mut is_spread) = (0, false);
        self.for_each_named_or_unnamed_child(arguments, builder, |this, child, _, builder| {
            if !child.is_named() || this.is_comment(child) {
                return;
            }
            let kind = this.kind_of_node(child);
            is_spread |= kind == Kind::Spread;
            let takes_expected_value = !is_spread && does_node_kind_pass_expected_value_to_parts(kind);
            let expected = match u32::try_from(index) {
                Ok(index) if takes_expected_value && callee != builder.unknown_expr() => {
                    builder.add_expr(Expr::Argument { of: callee, index })
                }
                _ => builder.unknown_expr(),
            };
            let part = if is_spread { ArgumentPart::Other } else { definer.part_of_argument(index) };
            this.bind_argument_of_property_definition(child, part, expected, &mut defined, builder);
            index += 1;
        });
        self.bind_defined_property(&defined, builder);
        if definer == DEFINE_PROPERTY {
            defined.object
        } else if callee == builder.unknown_expr() {
            callee
        } else {
            builder.add_expr(Expr::Call { callee })
        }
    }

    /// Binds the names in an argument of a call that defines a property, and notes in `defined` what the argument says about
    /// the property. `expected` is the value that the called function declares for the argument.
    fn bind_argument_of_property_definition(
        &mut self,
        node: Node<'t>,
        part: ArgumentPart,
        expected: ExprId,
        defined: &mut DefinedProperty<'t>,
        builder: &mut NamesBuilder<'_>,
    ) {
        let this = defined.owner.map_or(This::Unknown, |owner| owner.this);
        match part {
            ArgumentPart::Object => {
                defined.object = self.bind_names_and_get_value(node, ExprContext::READ, builder);
                defined.owner = self.member_scope_if_defined_in_file(defined.object, builder);
            }
            ArgumentPart::Name => {
                defined.name = self.name_or_path_string_text_node(node, builder);
                self.bind_names_and_get_value(node, ExprContext::READ, builder);
            }
            ArgumentPart::Getter => {
                let function = self.value_of_property_part(node, this, expected, builder);
                defined.getter = Some(Accessor { node, function });
            }
            ArgumentPart::Value => defined.value = self.value_of_property_part(node, this, expected, builder),
            ArgumentPart::Descriptor if self.kind_of_node(node) == Kind::Object => {
                builder
                    .run_with_depth_limit(node, |builder| self.bind_property_descriptor(node, this, defined, builder));
            }
            ArgumentPart::Descriptor | ArgumentPart::Other => {
                self.bind_names_and_get_value(node, ExprContext::with_expected_value(expected), builder);
            }
        }
    }

    /// The value of an expression that is the value, getter or setter of a property. In a function that is written there,
    /// `this` is the object that gets the property.
    fn value_of_property_part(
        &mut self,
        node: Node<'t>,
        this: This,
        expected: ExprId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        match self.kind_of_node(node) {
            Kind::FunctionExpression => builder.run_with_depth_limit(node, |builder| {
                self.function_expression_value(node, this, expected, &[], builder)
            }),
            _ => self.bind_names_and_get_value(node, ExprContext::with_expected_value(expected), builder),
        }
    }

    /// Binds the members of the object literal that describes a property. The members that say what the property is are
    /// bound without values, because their values are those of the property.
    fn bind_property_descriptor(
        &mut self,
        node: Node<'t>,
        this: This,
        defined: &mut DefinedProperty<'t>,
        builder: &mut NamesBuilder<'_>,
    ) {
        let members = self.add_scope_inside_current(ScopeKind::Type, node, builder);
        let unknown = builder.unknown_expr();
        let mut spread = Vec::new();
        self.for_each_named_or_unnamed_child(node, builder, |binder, child, _, builder| {
            match binder.descriptor_part_of_member(child, builder) {
                Some((part, key)) => builder.run_with_depth_limit(child, |builder| {
                    binder.bind_name(members, BindingKind::Field, key, builder);
                    let (node, value) = binder.value_of_descriptor_member(child, this, builder);
                    match part {
                        DescriptorPart::Getter => defined.getter = Some(Accessor { node, function: value }),
                        DescriptorPart::Setter => defined.setter = Some(Accessor { node, function: value }),
                        DescriptorPart::Value => defined.value = value,
                    }
                }),
                None => binder.bind_object_literal_member(child, members, (this, unknown), &mut spread, builder),
            }
        });
    }

    /// What a member of a property's descriptor says about the property, and the node of the member's name.
    fn descriptor_part_of_member(
        &mut self,
        member: Node<'t>,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<(DescriptorPart, Node<'t>)> {
        let key = match self.kind_of_node(member) {
            Kind::Pair => self.first_child_in_field(member, Field::Key, builder)?,
            Kind::Method if !self.function_parts(member, builder).is_accessor => {
                self.first_child_in_field(member, Field::Name, builder)?
            }
            Kind::ShorthandProperty => member,
            _ => return None,
        };
        let key = match self.kind_of_node(key) {
            Kind::String => self.escape_free_string_text_node(key)?,
            Kind::PropertyIdentifier | Kind::ShorthandProperty => key,
            _ => return None,
        };
        DescriptorPart::from_key(builder.text_of_node(key)).map(|part| (part, key))
    }

    /// The node and the value of a member of a property's descriptor.
    fn value_of_descriptor_member(
        &mut self,
        member: Node<'t>,
        this: This,
        builder: &mut NamesBuilder<'_>,
    ) -> (Node<'t>, ExprId) {
        let unknown = builder.unknown_expr();
        match self.kind_of_node(member) {
            Kind::Method => (member, self.method_value(member, this, builder)),
            Kind::ShorthandProperty => (member, self.record_identifier_use_and_get_value(member, Role::Read, builder)),
            _ => match self.first_child_in_field(member, Field::Value, builder) {
                Some(value) => (value, self.value_of_property_part(value, this, unknown, builder)),
                None => (member, unknown),
            },
        }
    }

    /// Binds the property that a call defines as a member of its object.
    fn bind_defined_property(&mut self, defined: &DefinedProperty<'t>, builder: &mut NamesBuilder<'_>) {
        let Some(name) = defined.name.filter(|name| builder.text_of_node(*name) != "__esModule") else { return };
        let Some(owner) = defined.owner else {
            builder.record_member_use(defined.object, name, Role::Write);
            return;
        };
        if defined.getter.is_none() && defined.setter.is_none() {
            self.add_or_update_member_of_owner(owner, defined.object, name, defined.value, builder);
        } else {
            self.add_or_update_property_of_owner(owner, name, defined, builder);
        }
    }

    /// Adds a property with a getter or setter to a type or object that this file defines. Where the object has a member of
    /// this name, the result of the getter is another value of the member.
    fn add_or_update_property_of_owner(
        &mut self,
        owner: MemberOwner,
        name: Node<'t>,
        defined: &DefinedProperty<'t>,
        builder: &mut NamesBuilder<'_>,
    ) {
        let unknown = builder.unknown_expr();
        let result = match defined.getter {
            Some(Accessor { function, .. }) if function != unknown => builder.add_expr(Expr::Call { callee: function }),
            _ => unknown,
        };
        if self.is_bound_at_end_of_class(owner, defined.object, builder) {
            let field = AssignedField { scope: owner.scope, on_type: owner.on_type, name, value: result };
            self.assigned_fields.push(field);
            return;
        }
        let id = builder.name_id_of_node(name);
        let property = match self.bound_member_of_owner(owner, id, builder) {
            Some(known) => {
                builder.record_member_use(defined.object, name, Role::Write);
                let member = builder.binding_mut(known);
                let is_placeholder =
                    member.kind == BindingKind::Field && member.values.len == 0 && member.annotation.is_none();
                if !is_placeholder {
                    return self.record_assigned_value(known, result, builder);
                }
                // Compilers write `exports.a = void 0` before they define the property.
                member.kind = BindingKind::Property;
                known
            }
            None => self.bind_new_member_of_owner(owner, BindingKind::Property, name, builder),
        };
        let written_getter =
            defined.getter.and_then(|getter| Some((getter, function_of_expr(getter.function, builder)?)));
        match written_getter {
            Some((getter, function)) => Self::give_property_result_of_getter(property, getter, function, builder),
            None => Self::set_binding_values_except_unknown(property, &[result], builder),
        }
        // In a function, the code of the accessors belongs to that function, as in the outline.
        if builder.nearest_scope_of_kinds(self.scope, &[ScopeKind::Function]).is_none() {
            for accessor in [defined.getter, defined.setter].into_iter().flatten() {
                let function = function_of_expr(accessor.function, builder);
                if let Some(body) = function.and_then(|function| builder.binding_mut(function).body) {
                    builder.set_scope_owner(body, property);
                }
            }
        }
    }

    /// Gives a property the result of its getter, which is written in the call that defines the property, as of an accessor
    /// in a class. One that only returns a path of names has no body: it may re-export what the path means.
    fn give_property_result_of_getter(
        property: BindingId,
        getter: Accessor<'t>,
        function: BindingId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let only_returns_path = does_function_only_return_path(getter.node, builder.source);
        let function = builder.binding_mut(function);
        let (annotation, values, wrapped, body) =
            (function.annotation, function.values, function.wrapped, function.body);
        let property = builder.binding_mut(property);
        (property.annotation, property.values, property.wrapped) = (annotation, values, wrapped);
        property.body = body.filter(|_| !only_returns_path);
    }
}

/// The binding of the function that an expression is, if the function is written there.
fn function_of_expr(expr: ExprId, builder: &NamesBuilder<'_>) -> Option<BindingId> {
    match builder.names.expr_by_id(expr) {
        Expr::Function { binding } => Some(binding),
        _ => None,
    }
}
