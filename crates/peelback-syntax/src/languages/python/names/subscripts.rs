//! What `__getitem__` returns for slices, where its body tells them from other keys.

use tree_sitter::Node;

use super::{Binder, Field, Kind, Narrowing};
use crate::names::{BindingKind, Expr, ExprId, ITEM_METHOD, NameId, NamesBuilder, SLICE_METHOD, ScopeId, SubscriptKey};

/// Which keys the binder's position in a `__getitem__` is reached for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyBranch {
    /// Slices and other keys.
    Any,
    /// Slices alone.
    Slice,
    /// Any key but a slice.
    Item,
}

/// What a test of a key says about the code that runs if it holds, and about the code that runs if it does not.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct KeyTest {
    pub if_true: Option<KeyBranch>,
    pub if_false: Option<KeyBranch>,
}

/// The state of the binder inside a `__getitem__`.
pub(super) struct SubscriptBody {
    /// The parameter that takes the key.
    key: NameId,
    branch: KeyBranch,
    /// The values that the method returns for slices.
    slices: Vec<ExprId>,
    /// The values that it returns for other keys.
    items: Vec<ExprId>,
    /// Whether a test of the key tells slices from other keys.
    tells_slices: bool,
}

impl SubscriptBody {
    pub fn new(key: NameId) -> Self {
        Self { key, branch: KeyBranch::Any, slices: Vec::new(), items: Vec::new(), tells_slices: false }
    }
}

impl<'t> Binder<'t> {
    /// Which keys of the `__getitem__` around it the position is reached for.
    pub(super) fn key_branch(&self) -> KeyBranch {
        self.frame.subscript.as_ref().map_or(KeyBranch::Any, |subscript| subscript.branch)
    }

    pub(super) fn set_key_branch(&mut self, branch: KeyBranch) {
        if let Some(subscript) = &mut self.frame.subscript {
            subscript.branch = branch;
        }
    }

    /// What `condition`, whose narrowings were recorded from index `mark` on, says of the key of the `__getitem__` around it.
    pub(super) fn key_test_of_condition(
        &mut self,
        builder: &NamesBuilder<'_>,
        condition: Node<'t>,
        mark: usize,
    ) -> KeyTest {
        let mut test = self.key_test_of_narrowings(builder, mark);
        // Where one part of `a and b` holds, the other can be what does not.
        let (mut inner, mut is_negated) = (condition, false);
        loop {
            let next = match self.kind_of_node(inner) {
                Kind::ParenthesizedExpression => self.only_or_first_child(inner),
                Kind::NotOperator => {
                    is_negated = !is_negated;
                    self.only_or_first_child(inner)
                }
                Kind::BooleanOperator => {
                    match is_negated {
                        true => test.if_true = None,
                        false => test.if_false = None,
                    }
                    return test;
                }
                _ => return test,
            };
            let Some(next) = next else { return test };
            inner = next;
        }
    }

    fn key_test_of_narrowings(&mut self, builder: &NamesBuilder<'_>, mark: usize) -> KeyTest {
        let Some(subscript) = &mut self.frame.subscript else { return KeyTest::default() };
        let recorded = self.narrowings.get(mark..).unwrap_or(&[]);
        let [narrowing] = recorded else { return KeyTest::default() };
        if narrowing.name != subscript.key {
            return KeyTest::default();
        }
        let test = test_of_narrowing(builder, narrowing);
        subscript.tells_slices |= test.if_true.is_some() || test.if_false.is_some();
        test
    }

    /// Records a value that the function around it returns.
    pub(super) fn record_returned_value(&mut self, value: ExprId) {
        let branch = self.key_branch();
        if let Some(subscript) = &mut self.frame.subscript {
            if branch != KeyBranch::Item {
                subscript.slices.push(value);
            }
            if branch != KeyBranch::Slice {
                subscript.items.push(value);
            }
        }
        self.frame.returns.push(value);
    }

    /// Binds what a `__getitem__` of the class with the scope `members` returns for slices as a method of its own, and what it
    /// returns for other keys as another one.
    pub(super) fn bind_slice_and_item_methods(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        members: ScopeId,
        subscript: SubscriptBody,
        at: usize,
    ) {
        if !subscript.tells_slices {
            return;
        }
        for (name, values) in [(SLICE_METHOD, subscript.slices), (ITEM_METHOD, subscript.items)] {
            let name = builder.intern_constructed_text(name);
            let binding = builder.add_binding(members, BindingKind::Function, name, at);
            for value in values {
                self.add_known_binding_value(builder, binding, value);
            }
        }
    }

    /// What is known of an index that is written as `node` and has the value `value`.
    pub(super) fn subscript_key(&mut self, builder: &NamesBuilder<'_>, node: Node<'t>, value: ExprId) -> SubscriptKey {
        match self.kind_of_node(node) {
            Kind::Slice => SubscriptKey::Slice,
            Kind::Integer
            | Kind::Float
            | Kind::String
            | Kind::ConcatenatedString
            | Kind::True
            | Kind::False
            | Kind::None
            | Kind::Ellipsis
            | Kind::Tuple
            | Kind::List
            | Kind::ListComprehension
            | Kind::Lambda
            | Kind::NotOperator
            | Kind::BinaryOperator => SubscriptKey::Item,
            Kind::Call => {
                let [function] = self.first_children_in_fields(node, [Field::Function]);
                match function.map(|function| builder.text_of_node(function)) {
                    Some("slice") => SubscriptKey::Slice,
                    Some("int" | "str" | "len") => SubscriptKey::Item,
                    _ => SubscriptKey::Unknown(value),
                }
            }
            // `-1`
            _ if matches!(node.kind(), "unary_operator" | "comparison_operator") => SubscriptKey::Item,
            _ => SubscriptKey::Unknown(value),
        }
    }
}

fn test_of_narrowing(builder: &NamesBuilder<'_>, narrowing: &Narrowing) -> KeyTest {
    let is_slice = |types: ExprId| match builder.names.expr_by_id(types) {
        Expr::Name { name, .. } => builder.names.name_text(name) == "slice",
        _ => false,
    };
    let test = match builder.names.expr_by_id(narrowing.types) {
        _ if is_slice(narrowing.types) => KeyTest { if_true: Some(KeyBranch::Slice), if_false: Some(KeyBranch::Item) },
        Expr::Either(parts) if builder.names.expr_ids_in_list_range(parts).iter().any(|part| is_slice(*part)) => {
            KeyTest { if_true: None, if_false: Some(KeyBranch::Item) }
        }
        _ => KeyTest { if_true: Some(KeyBranch::Item), if_false: None },
    };
    match narrowing.is_negated {
        true => KeyTest { if_true: test.if_false, if_false: test.if_true },
        false => test,
    }
}
