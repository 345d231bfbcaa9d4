//! Name binding for the targets of Python assignments: names, elements of tuples, attributes of `self`.

use tree_sitter::Node;

use super::{Binder, BodyKind, Field, Kind, Receiver};
use crate::names::{BindingId, BindingKind, Expr, ExprId, FILE_SCOPE, NameId, NamesBuilder, Role, ScopeId, ScopeKind};

/// The value and the annotation that an assignment gives to its targets.
#[derive(Clone, Copy)]
struct AssignedValue {
    value: ExprId,
    annotation: Option<ExprId>,
    /// Whether the assigned value is `None`.
    is_none: bool,
    /// The kind of the target's binding, if the assignment defines a type: `X: TypeAlias = …`, `T = TypeVar("T")`.
    kind: Option<BindingKind>,
    /// The byte offset from which the bound name has the assigned value.
    end: usize,
}

impl<'t> Binder<'t> {
    /// Binds the names in `left: type = right`, and returns the value of `right`.
    pub(super) fn bind_assignment(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> ExprId {
        let [left, right, type_] = self.first_children_in_fields(node, [Field::Left, Field::Right, Field::Type]);
        let annotation = type_.map(|type_| self.type_expr(builder, type_));
        let is_alias = type_.is_some_and(|type_| builder.text_of_node(type_).trim_end().ends_with("TypeAlias"));
        let mut given = AssignedValue {
            value: builder.unknown_expr(),
            annotation: annotation.filter(|annotation| *annotation != builder.unknown_expr()),
            is_none: false,
            kind: None,
            end: node.end_byte(),
        };
        if let Some(right) = right {
            if self.frame.binding_scope == FILE_SCOPE
                && left.is_some_and(|left| builder.text_of_node(left) == "__all__")
            {
                self.add_dunder_all_names(builder, right);
            }
            if is_alias {
                given.annotation = Some(self.type_expr(builder, right));
                given.kind = Some(BindingKind::TypeAlias);
            } else if let Some(bound) = self.type_bound_of_typevar_call(builder, right) {
                given.annotation = bound;
                given.kind = Some(BindingKind::TypeParameter);
            } else {
                given.value = match self.kind_of_node(right) {
                    Kind::Assignment => {
                        builder.run_with_depth_limit(right, |builder| self.bind_assignment(builder, right))
                    }
                    Kind::AugmentedAssignment => {
                        self.bind_augmented_assignment(builder, right);
                        builder.unknown_expr()
                    }
                    _ => self.bind_names_and_get_value(builder, right, Role::Read),
                };
                given.is_none = self.kind_of_node(right) == Kind::None;
            }
        }
        if let Some(left) = left {
            self.bind_assigned_target(builder, left, given, right.is_some());
            if self.kind_of_node(left) == Kind::Identifier
                && right.is_some_and(|right| self.is_call_of_dunder_new(builder, right))
            {
                self.frame.made_object = Some(builder.name_id_of_node(left));
            }
        }
        given.value
    }

    /// Whether a node is a call of `__new__`, or of a variable with this method: `super_new(…)` is what metaclasses call it.
    fn is_call_of_dunder_new(&self, builder: &NamesBuilder<'_>, node: Node<'t>) -> bool {
        let function = match self.kind_of_node(node) {
            Kind::Call => node.child_by_field_name("function"),
            _ => None,
        };
        let callee = function.map_or("", |function| builder.text_of_node(function));
        callee.ends_with(".__new__") || callee == "super_new"
    }

    /// The bound of `TypeVar("T", bound=…)`. The outer `None` means that `node` is not a `TypeVar` call.
    fn type_bound_of_typevar_call(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> Option<Option<ExprId>> {
        if self.kind_of_node(node) != Kind::Call || !builder.text_of_node(node).contains("TypeVar(") {
            return None;
        }
        let [function, arguments] = self.first_children_in_fields(node, [Field::Function, Field::Arguments]);
        let (function, arguments) = (function?, arguments?);
        if !matches!(builder.text_of_node(function).rsplit('.').next(), Some("TypeVar")) {
            return None;
        }
        let callee = self.bind_names_and_get_value(builder, function, Role::Call);
        let mut bounds = Vec::new();
        let mut first = true;
        self.for_each_named_non_comment_child(builder, arguments, |binder, builder, child| {
            if binder.kind_of_node(child.node) == Kind::KeywordArgument {
                let [name, value] = binder.first_children_in_fields(child.node, [Field::Name, Field::Value]);
                let (Some(name), Some(value)) = (name, value) else { return };
                binder.record_keyword_argument_name(builder, name, callee);
                if matches!(builder.text_of_node(name), "bound" | "default") {
                    bounds.push(binder.type_expr(builder, value));
                } else {
                    binder.bind_names_and_get_value(builder, value, Role::Read);
                }
            } else if !std::mem::take(&mut first) {
                bounds.push(binder.type_expr(builder, child.node));
            }
        });
        let bound = builder.expr_of_possible_values(bounds);
        Some((bound != builder.unknown_expr()).then_some(bound))
    }

    pub(super) fn bind_augmented_assignment(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) {
        let [left, right] = self.first_children_in_fields(node, [Field::Left, Field::Right]);
        let (Some(left), Some(right)) = (left, right) else {
            return self.bind_child_statements_without_flow_block(builder, node);
        };
        if self.frame.binding_scope == FILE_SCOPE && builder.text_of_node(left) == "__all__" {
            self.add_dunder_all_names(builder, right);
        }
        self.bind_names_and_get_value(builder, right, Role::Read);
        self.bind_names_and_get_value(builder, left, Role::Write);
    }

    /// Binds the names in `target` to the parts of `value`. The bindings are visible from byte offset `end` on.
    pub(super) fn bind_target_names_to_value_parts(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        target: Node<'t>,
        value: ExprId,
        end: usize,
    ) {
        self.bind_assigned_target(
            builder,
            target,
            AssignedValue { value, annotation: None, is_none: false, kind: None, end },
            true,
        );
    }

    fn bind_assigned_target(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        target: Node<'t>,
        given: AssignedValue,
        assigned: bool,
    ) {
        match self.kind_of_node(target) {
            Kind::Identifier => self.bind_assigned_name(builder, target, given, assigned),
            Kind::Attribute => self.bind_or_record_assigned_attribute(builder, target, given),
            Kind::PatternList
            | Kind::TuplePattern
            | Kind::ListPattern
            | Kind::Tuple
            | Kind::List
            | Kind::ExpressionList => {
                builder.run_with_depth_limit(target, |builder| {
                    let mut index = Some(0);
                    self.for_each_named_non_comment_child(builder, target, |binder, builder, child| {
                        let starred =
                            matches!(binder.kind_of_node(child.node), Kind::ListSplat | Kind::ListSplatPattern);
                        let value = match index {
                            _ if given.value == builder.unknown_expr() => given.value,
                            _ if starred => {
                                let element = builder.add_expr(Expr::Element { of: given.value });
                                binder.unnamed_container_instance(builder, &[element])
                            }
                            Some(index) => builder.add_expr(Expr::Item { of: given.value, index }),
                            None => builder.add_expr(Expr::Element { of: given.value }),
                        };
                        index = index.filter(|_| !starred).map(|index| index + 1);
                        let given = AssignedValue { value, annotation: None, is_none: false, ..given };
                        binder.bind_assigned_target(builder, child.node, given, true);
                    });
                });
            }
            Kind::ListSplat
            | Kind::ListSplatPattern
            | Kind::DictionarySplatPattern
            | Kind::AsPatternTarget
            | Kind::ParenthesizedExpression => {
                if let Some(inner) = self.only_or_first_child(target) {
                    builder.run_with_depth_limit(inner, |builder| {
                        self.bind_assigned_target(builder, inner, given, assigned)
                    });
                }
            }
            _ => {
                self.bind_names_and_get_value(builder, target, Role::Read);
            }
        }
    }

    fn bind_assigned_name(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'t>,
        given: AssignedValue,
        assigned: bool,
    ) {
        let name = builder.name_id_of_node(node);
        let scope = self.binding_scope_of_name(name);
        let kind =
            given.kind.unwrap_or_else(|| self.binding_kind_of_assigned_name(builder, name, scope, given, assigned));
        let known = self.bound.get(&(scope, name)).copied();
        let in_function = matches!(builder.scope_kind(scope), ScopeKind::Function | ScopeKind::Block);
        let binding = match known {
            // A variable of a file or class is one binding with several values. In a function, each assignment is a
            // binding of its own.
            Some(known) if !in_function && (does_binding_get_assigned_values(builder, known) || given.is_none) => {
                self.run_in_scope(scope, |binder| binder.record_name_use(builder, node, Role::Write));
                known
            }
            Some(_) if in_function => {
                let binding = builder.add_binding(scope, kind, name, node.start_byte());
                builder.record_occurrence(node, Role::Write, crate::names::Target::Binding(binding));
                self.bound.insert((scope, name), binding);
                binding
            }
            _ => self.bind_definition_in_scope(builder, scope, kind, node),
        };
        self.add_value_and_annotation_to_binding(builder, binding, given);
        self.record_assignment_for_flow(builder, binding, given.end, given.is_none);
    }

    fn add_value_and_annotation_to_binding(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        binding: BindingId,
        given: AssignedValue,
    ) {
        if does_binding_get_assigned_values(builder, binding) {
            let slot = &mut builder.binding_mut(binding).annotation;
            *slot = slot.or(given.annotation);
            self.add_known_binding_value(builder, binding, given.value);
        }
    }

    fn binding_kind_of_assigned_name(
        &self,
        builder: &NamesBuilder<'_>,
        name: NameId,
        scope: ScopeId,
        given: AssignedValue,
        assigned: bool,
    ) -> BindingKind {
        match self.frame.body_kind {
            BodyKind::Class { is_enum } if scope == self.frame.binding_scope => {
                let private = builder.names.name_text(name).starts_with('_');
                if is_enum && assigned && given.annotation.is_none() && !private {
                    BindingKind::EnumMember
                } else {
                    BindingKind::Field
                }
            }
            _ => BindingKind::Variable,
        }
    }

    /// Binds the assigned attribute in `self.x = value` as a field of the class.
    fn bind_or_record_assigned_attribute(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'t>,
        given: AssignedValue,
    ) {
        let [object, attribute] = self.first_children_in_fields(node, [Field::Object, Field::Attribute]);
        let (Some(object), Some(attribute)) = (object, attribute) else {
            return self.bind_child_statements_without_flow_block(builder, node);
        };
        let base = self.bind_names_and_get_value(builder, object, Role::Read);
        let receiver = self.frame.receiver.filter(|_| self.kind_of_node(object) == Kind::Identifier);
        let made = self.frame.made_object;
        let names_object = |name: NameId, receiver: Receiver| name == receiver.name || made == Some(name);
        let Some(receiver) = receiver.filter(|receiver| names_object(builder.name_id_of_node(object), *receiver))
        else {
            builder.record_member_use(base, attribute, Role::Write);
            return;
        };
        let name = builder.name_id_of_node(attribute);
        let binding = match self.bound.get(&(receiver.members, name)) {
            Some(known) => {
                let known = *known;
                builder.record_member_use(base, attribute, Role::Write);
                known
            }
            None => self.bind_definition_in_scope(builder, receiver.members, BindingKind::Field, attribute),
        };
        if builder.binding_mut(binding).kind == BindingKind::Field {
            self.add_value_and_annotation_to_binding(builder, binding, given);
        }
    }
}

/// Whether a binding is of a kind that gets its values from assignments: a variable, a field, an enum member, a type
/// alias or a type parameter.
fn does_binding_get_assigned_values(builder: &mut NamesBuilder<'_>, binding: BindingId) -> bool {
    matches!(
        builder.binding_mut(binding).kind,
        BindingKind::Variable
            | BindingKind::Field
            | BindingKind::EnumMember
            | BindingKind::TypeAlias
            | BindingKind::TypeParameter
    )
}
