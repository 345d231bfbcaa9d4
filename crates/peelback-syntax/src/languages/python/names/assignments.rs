//! What assignments bind: names, parts of tuples, fields of `self`.

use tree_sitter::Node;

use super::{Around, Binder, Field, Kind};
use crate::names::{BindingId, BindingKind, Cx, Expr, ExprId, FILE_SCOPE, NameId, Role, ScopeId, ScopeKind};

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
    pub(super) fn assignment(&mut self, cx: &mut Cx<'_>, node: Node<'t>) -> ExprId {
        let [left, right, type_] = self.fields(node, [Field::Left, Field::Right, Field::Type]);
        let annotation = type_.map(|type_| self.annotation(cx, type_));
        let is_alias = type_.is_some_and(|type_| cx.text(type_).trim_end().ends_with("TypeAlias"));
        let mut given = Given {
            value: cx.unknown(),
            annotation: annotation.filter(|annotation| *annotation != cx.unknown()),
            nothing: false,
            kind: None,
            end: node.end_byte(),
        };
        if let Some(right) = right {
            if self.frame.home == FILE_SCOPE && left.is_some_and(|left| cx.text(left) == "__all__") {
                self.all_is(cx, right);
            }
            if is_alias {
                given.annotation = Some(self.annotation(cx, right));
                given.kind = Some(BindingKind::TypeAlias);
            } else if let Some(bound) = self.type_variable(cx, right) {
                given.annotation = bound;
                given.kind = Some(BindingKind::TypeParameter);
            } else {
                given.value = match self.kind(right) {
                    Kind::Assignment => cx.deeper(right, |cx| self.assignment(cx, right)),
                    Kind::AugmentedAssignment => {
                        self.augmented(cx, right);
                        cx.unknown()
                    }
                    _ => self.expression(cx, right, Role::Read),
                };
                given.nothing = self.kind(right) == Kind::None;
            }
        }
        if let Some(left) = left {
            self.give(cx, left, given, right.is_some());
        }
        given.value
    }

    /// The bound of `TypeVar("T", bound=…)`, where `node` is that.
    fn type_variable(&mut self, cx: &mut Cx<'_>, node: Node<'t>) -> Option<Option<ExprId>> {
        if self.kind(node) != Kind::Call || !cx.text(node).contains("TypeVar(") {
            return None;
        }
        let [function, arguments] = self.fields(node, [Field::Function, Field::Arguments]);
        let (function, arguments) = (function?, arguments?);
        if !matches!(cx.text(function).rsplit('.').next(), Some("TypeVar")) {
            return None;
        }
        let callee = self.expression(cx, function, Role::Call);
        let mut bounds = Vec::new();
        let mut first = true;
        self.each(cx, arguments, |binder, cx, child| {
            if binder.kind(child.node) == Kind::KeywordArgument {
                let [name, value] = binder.fields(child.node, [Field::Name, Field::Value]);
                let (Some(name), Some(value)) = (name, value) else { return };
                binder.keyword(cx, name, callee);
                if matches!(cx.text(name), "bound" | "default") {
                    bounds.push(binder.annotation(cx, value));
                } else {
                    binder.expression(cx, value, Role::Read);
                }
            } else if !std::mem::take(&mut first) {
                bounds.push(binder.annotation(cx, child.node));
            }
        });
        let bound = cx.either(bounds);
        Some((bound != cx.unknown()).then_some(bound))
    }

    pub(super) fn augmented(&mut self, cx: &mut Cx<'_>, node: Node<'t>) {
        let [left, right] = self.fields(node, [Field::Left, Field::Right]);
        let (Some(left), Some(right)) = (left, right) else { return self.body(cx, node) };
        if self.frame.home == FILE_SCOPE && cx.text(left) == "__all__" {
            self.all_is(cx, right);
        }
        self.expression(cx, right, Role::Read);
        self.expression(cx, left, Role::Write);
    }

    /// Binds what stands in `target` to a value, as of byte `end`.
    pub(super) fn target(&mut self, cx: &mut Cx<'_>, target: Node<'t>, value: ExprId, end: usize) {
        self.give(cx, target, Given { value, annotation: None, nothing: false, kind: None, end }, true);
    }

    fn give(&mut self, cx: &mut Cx<'_>, target: Node<'t>, given: Given, assigned: bool) {
        match self.kind(target) {
            Kind::Identifier => self.give_name(cx, target, given, assigned),
            Kind::Attribute => self.give_attribute(cx, target, given),
            Kind::PatternList
            | Kind::TuplePattern
            | Kind::ListPattern
            | Kind::Tuple
            | Kind::List
            | Kind::ExpressionList => {
                cx.deeper(target, |cx| {
                    let mut index = Some(0);
                    self.each(cx, target, |binder, cx, child| {
                        let starred = matches!(binder.kind(child.node), Kind::ListSplat | Kind::ListSplatPattern);
                        let value = match index {
                            _ if given.value == cx.unknown() => given.value,
                            _ if starred => {
                                let element = cx.expr(Expr::Element { of: given.value });
                                binder.container(cx, &[element])
                            }
                            Some(index) => cx.expr(Expr::Item { of: given.value, index }),
                            None => cx.expr(Expr::Element { of: given.value }),
                        };
                        index = index.filter(|_| !starred).map(|index| index + 1);
                        let given = Given { value, annotation: None, nothing: false, ..given };
                        binder.give(cx, child.node, given, true);
                    });
                });
            }
            Kind::ListSplat
            | Kind::ListSplatPattern
            | Kind::DictionarySplatPattern
            | Kind::AsPatternTarget
            | Kind::ParenthesizedExpression => {
                if let Some(inner) = self.only_child(target) {
                    cx.deeper(inner, |cx| self.give(cx, inner, given, assigned));
                }
            }
            _ => {
                self.expression(cx, target, Role::Read);
            }
        }
    }

    fn give_name(&mut self, cx: &mut Cx<'_>, node: Node<'t>, given: Given, assigned: bool) {
        let name = cx.name(node);
        let scope = self.home_of(name);
        let kind = given.kind.unwrap_or_else(|| self.kind_of_variable(cx, name, scope, given, assigned));
        let known = self.bound.get(&(scope, name)).copied();
        let in_function = matches!(cx.kind_of(scope), ScopeKind::Function | ScopeKind::Block);
        let binding = match known {
            // One variable of a file or class has all its values; inside a function, each assignment is for itself.
            Some(known) if !in_function && (is_data(cx, known) || given.nothing) => {
                self.within(scope, |binder| binder.use_name(cx, node, Role::Write));
                known
            }
            Some(_) if in_function => {
                let binding = cx.bind_name(scope, kind, name, node.start_byte());
                cx.occur(node, Role::Write, crate::names::Target::Binding(binding));
                self.bound.insert((scope, name), binding);
                binding
            }
            _ => self.bind_in(cx, scope, kind, node),
        };
        self.describe(cx, binding, given);
        self.flows(cx, binding, given.end, given.nothing);
    }

    fn describe(&mut self, cx: &mut Cx<'_>, binding: BindingId, given: Given) {
        if is_data(cx, binding) {
            let slot = &mut cx.binding(binding).annotation;
            *slot = slot.or(given.annotation);
            self.assign(cx, binding, given.value);
        }
    }

    fn kind_of_variable(&self, cx: &Cx<'_>, name: NameId, scope: ScopeId, given: Given, assigned: bool) -> BindingKind {
        match self.frame.around {
            Around::Class { is_enum } if scope == self.frame.home => {
                let private = cx.names.text(name).starts_with('_');
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
    fn give_attribute(&mut self, cx: &mut Cx<'_>, node: Node<'t>, given: Given) {
        let [object, attribute] = self.fields(node, [Field::Object, Field::Attribute]);
        let (Some(object), Some(attribute)) = (object, attribute) else { return self.body(cx, node) };
        let base = self.expression(cx, object, Role::Read);
        let receiver = self.frame.receiver.filter(|_| self.kind(object) == Kind::Identifier);
        let Some(receiver) = receiver.filter(|receiver| cx.name(object) == receiver.name) else {
            cx.use_member(base, attribute, Role::Write);
            return;
        };
        let name = cx.name(attribute);
        let binding = match self.bound.get(&(receiver.members, name)) {
            Some(known) => {
                let known = *known;
                cx.use_member(base, attribute, Role::Write);
                known
            }
            None => self.bind_in(cx, receiver.members, BindingKind::Field, attribute),
        };
        if cx.binding(binding).kind == BindingKind::Field {
            self.describe(cx, binding, given);
        }
    }
}

/// Whether a binding is a variable of some sort, with values.
fn is_data(cx: &mut Cx<'_>, binding: BindingId) -> bool {
    matches!(
        cx.binding(binding).kind,
        BindingKind::Variable
            | BindingKind::Field
            | BindingKind::EnumMember
            | BindingKind::TypeAlias
            | BindingKind::TypeParameter
    )
}
