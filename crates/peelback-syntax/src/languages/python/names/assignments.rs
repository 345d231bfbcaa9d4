//! What assignments bind: names, parts of tuples, fields of `self`.

use tree_sitter::Node;

use super::{Around, Binder, Field, Kind};
use crate::names::{BindingId, BindingKind, Expr, ExprId, FILE_SCOPE, NameId, NamesBuilder, Role, ScopeId, ScopeKind};

/// What an assignment says of its targets.
#[derive(Clone, Copy)]
struct Given {
    value: ExprId,
    annotation: Option<ExprId>,
    /// The value is `None`.
    nothing: bool,
    /// It names a type: `X: TypeAlias = …`, `T = TypeVar("T")`.
    kind: Option<BindingKind>,
    /// The byte after which it holds.
    end: usize,
}

impl<'t> Binder<'t> {
    /// `left: type = right`; gives the value.
    pub(super) fn assignment(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> ExprId {
        let [left, right, type_] = self.fields(node, [Field::Left, Field::Right, Field::Type]);
        let annotation = type_.map(|type_| self.annotation(builder, type_));
        let is_alias = type_.is_some_and(|type_| builder.text(type_).trim_end().ends_with("TypeAlias"));
        let mut given = Given {
            value: builder.unknown(),
            annotation: annotation.filter(|annotation| *annotation != builder.unknown()),
            nothing: false,
            kind: None,
            end: node.end_byte(),
        };
        if let Some(right) = right {
            if self.frame.home == FILE_SCOPE && left.is_some_and(|left| builder.text(left) == "__all__") {
                self.all_is(builder, right);
            }
            if is_alias {
                given.annotation = Some(self.annotation(builder, right));
                given.kind = Some(BindingKind::TypeAlias);
            } else if let Some(bound) = self.type_variable(builder, right) {
                given.annotation = bound;
                given.kind = Some(BindingKind::TypeParameter);
            } else {
                given.value = match self.kind(right) {
                    Kind::Assignment => builder.deeper(right, |builder| self.assignment(builder, right)),
                    Kind::AugmentedAssignment => {
                        self.augmented(builder, right);
                        builder.unknown()
                    }
                    _ => self.expression(builder, right, Role::Read),
                };
                given.nothing = self.kind(right) == Kind::None;
            }
        }
        if let Some(left) = left {
            self.give(builder, left, given, right.is_some());
        }
        given.value
    }

    /// The bound of `TypeVar("T", bound=…)`, where `node` is that.
    fn type_variable(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> Option<Option<ExprId>> {
        if self.kind(node) != Kind::Call || !builder.text(node).contains("TypeVar(") {
            return None;
        }
        let [function, arguments] = self.fields(node, [Field::Function, Field::Arguments]);
        let (function, arguments) = (function?, arguments?);
        if !matches!(builder.text(function).rsplit('.').next(), Some("TypeVar")) {
            return None;
        }
        let callee = self.expression(builder, function, Role::Call);
        let mut bounds = Vec::new();
        let mut first = true;
        self.each(builder, arguments, |binder, builder, child| {
            if binder.kind(child.node) == Kind::KeywordArgument {
                let [name, value] = binder.fields(child.node, [Field::Name, Field::Value]);
                let (Some(name), Some(value)) = (name, value) else { return };
                binder.keyword(builder, name, callee);
                if matches!(builder.text(name), "bound" | "default") {
                    bounds.push(binder.annotation(builder, value));
                } else {
                    binder.expression(builder, value, Role::Read);
                }
            } else if !std::mem::take(&mut first) {
                bounds.push(binder.annotation(builder, child.node));
            }
        });
        let bound = builder.either(bounds);
        Some((bound != builder.unknown()).then_some(bound))
    }

    pub(super) fn augmented(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) {
        let [left, right] = self.fields(node, [Field::Left, Field::Right]);
        let (Some(left), Some(right)) = (left, right) else { return self.body(builder, node) };
        if self.frame.home == FILE_SCOPE && builder.text(left) == "__all__" {
            self.all_is(builder, right);
        }
        self.expression(builder, right, Role::Read);
        self.expression(builder, left, Role::Write);
    }

    /// Binds what stands in `target` to a value, as of byte `end`.
    pub(super) fn target(&mut self, builder: &mut NamesBuilder<'_>, target: Node<'t>, value: ExprId, end: usize) {
        self.give(builder, target, Given { value, annotation: None, nothing: false, kind: None, end }, true);
    }

    fn give(&mut self, builder: &mut NamesBuilder<'_>, target: Node<'t>, given: Given, assigned: bool) {
        match self.kind(target) {
            Kind::Identifier => self.give_name(builder, target, given, assigned),
            Kind::Attribute => self.give_attribute(builder, target, given),
            Kind::PatternList
            | Kind::TuplePattern
            | Kind::ListPattern
            | Kind::Tuple
            | Kind::List
            | Kind::ExpressionList => {
                builder.deeper(target, |builder| {
                    let mut index = Some(0);
                    self.each(builder, target, |binder, builder, child| {
                        let starred = matches!(binder.kind(child.node), Kind::ListSplat | Kind::ListSplatPattern);
                        let value = match index {
                            _ if given.value == builder.unknown() => given.value,
                            _ if starred => {
                                let element = builder.expr(Expr::Element { of: given.value });
                                binder.container(builder, &[element])
                            }
                            Some(index) => builder.expr(Expr::Item { of: given.value, index }),
                            None => builder.expr(Expr::Element { of: given.value }),
                        };
                        index = index.filter(|_| !starred).map(|index| index + 1);
                        let given = Given { value, annotation: None, nothing: false, ..given };
                        binder.give(builder, child.node, given, true);
                    });
                });
            }
            Kind::ListSplat
            | Kind::ListSplatPattern
            | Kind::DictionarySplatPattern
            | Kind::AsPatternTarget
            | Kind::ParenthesizedExpression => {
                if let Some(inner) = self.only_child(target) {
                    builder.deeper(inner, |builder| self.give(builder, inner, given, assigned));
                }
            }
            _ => {
                self.expression(builder, target, Role::Read);
            }
        }
    }

    fn give_name(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>, given: Given, assigned: bool) {
        let name = builder.name(node);
        let scope = self.home_of(name);
        let kind = given.kind.unwrap_or_else(|| self.kind_of_variable(builder, name, scope, given, assigned));
        let known = self.bound.get(&(scope, name)).copied();
        let in_function = matches!(builder.kind_of(scope), ScopeKind::Function | ScopeKind::Block);
        let binding = match known {
            // One variable of a file or class has all its values; inside a function, each assignment is for itself.
            Some(known) if !in_function && (is_data(builder, known) || given.nothing) => {
                self.within(scope, |binder| binder.use_name(builder, node, Role::Write));
                known
            }
            Some(_) if in_function => {
                let binding = builder.bind_name(scope, kind, name, node.start_byte());
                builder.occur(node, Role::Write, crate::names::Target::Binding(binding));
                self.bound.insert((scope, name), binding);
                binding
            }
            _ => self.bind_in(builder, scope, kind, node),
        };
        self.describe(builder, binding, given);
        self.flows(builder, binding, given.end, given.nothing);
    }

    fn describe(&mut self, builder: &mut NamesBuilder<'_>, binding: BindingId, given: Given) {
        if is_data(builder, binding) {
            let slot = &mut builder.binding(binding).annotation;
            *slot = slot.or(given.annotation);
            self.assign(builder, binding, given.value);
        }
    }

    fn kind_of_variable(
        &self,
        builder: &NamesBuilder<'_>,
        name: NameId,
        scope: ScopeId,
        given: Given,
        assigned: bool,
    ) -> BindingKind {
        match self.frame.around {
            Around::Class { is_enum } if scope == self.frame.home => {
                let private = builder.names.text(name).starts_with('_');
                if is_enum && assigned && given.annotation.is_none() && !private {
                    BindingKind::EnumMember
                } else {
                    BindingKind::Field
                }
            }
            _ => BindingKind::Variable,
        }
    }

    /// `self.x = value` makes a field of the class.
    fn give_attribute(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>, given: Given) {
        let [object, attribute] = self.fields(node, [Field::Object, Field::Attribute]);
        let (Some(object), Some(attribute)) = (object, attribute) else { return self.body(builder, node) };
        let base = self.expression(builder, object, Role::Read);
        let receiver = self.frame.receiver.filter(|_| self.kind(object) == Kind::Identifier);
        let Some(receiver) = receiver.filter(|receiver| builder.name(object) == receiver.name) else {
            builder.use_member(base, attribute, Role::Write);
            return;
        };
        let name = builder.name(attribute);
        let binding = match self.bound.get(&(receiver.members, name)) {
            Some(known) => {
                let known = *known;
                builder.use_member(base, attribute, Role::Write);
                known
            }
            None => self.bind_in(builder, receiver.members, BindingKind::Field, attribute),
        };
        if builder.binding(binding).kind == BindingKind::Field {
            self.describe(builder, binding, given);
        }
    }
}

/// Whether a binding is a variable of some sort, with values.
fn is_data(builder: &mut NamesBuilder<'_>, binding: BindingId) -> bool {
    matches!(
        builder.binding(binding).kind,
        BindingKind::Variable
            | BindingKind::Field
            | BindingKind::EnumMember
            | BindingKind::TypeAlias
            | BindingKind::TypeParameter
    )
}
