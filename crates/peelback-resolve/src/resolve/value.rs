//! What the value of an expression can be.

use std::sync::Arc;

use peelback_syntax::names::ScopeId;

use super::budget::MAX_VALUES;
use super::definition::Def;
use super::inner_values::{InnerValue, InnerValues, ValueSize};
use crate::modules::{FileId, Module};
use crate::resolve::missing::Missing;

/// The arguments of a generic type, each with its possible values; `None` if none are written.
pub(crate) type Arguments = Option<InnerValues<PossibleValues>>;

/// One possible value of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// An instance of a type, with the type's arguments.
    Instance(Def, Arguments),
    /// A type itself, with its arguments.
    Type(Def, Arguments),
    /// A function or method itself, not its result.
    Function(Def),
    /// A module of the project.
    Module(Module),
    /// An object whose members are bound in a scope.
    Object(FileId, ScopeId),
    /// An instance of a type parameter, whose type is not known.
    Parameter(Def),
    /// A container or wrapper whose type is not of the project, with the values that it can hold; without any, nothing is
    /// known of its elements.
    Container(InnerValues<Value>),
    /// A tuple, with the possible values of each item.
    Tuple(InnerValues<PossibleValues>),
    /// An instance of a type outside the project whose name is known, with the type's arguments. Its members are outside
    /// the project.
    Outside(Arc<str>, Arguments),
    /// A value of something outside the project.
    External,
}

impl Value {
    /// Whether the value is an instance of a type parameter, or a container of one.
    pub fn is_or_contains_type_parameter(&self) -> bool {
        match self {
            Self::Parameter(_) => true,
            Self::Container(held) => held.iter().any(Self::is_or_contains_type_parameter),
            _ => false,
        }
    }
}

impl InnerValues<Value> {
    /// What a container holds, as the possible values of an expression. Where the elements were too large to keep, or
    /// nothing is known of them, it may have others.
    pub fn to_values(&self, sure: bool) -> PossibleValues {
        PossibleValues { list: self.to_vec(), sure, missing: self.missing_elements() }
    }

    /// Whether elements may be missing from the list.
    pub fn missing_elements(&self) -> Missing {
        match self.was_replaced_by_unknown() {
            true => Missing::LeftOut,
            false => Missing::unknown_if(self.is_empty()),
        }
    }
}

impl InnerValue for Value {
    fn levels_and_value_count(&self) -> ValueSize {
        match self {
            Self::Instance(_, Some(arguments)) | Self::Type(_, Some(arguments)) | Self::Outside(_, Some(arguments)) => {
                arguments.size_of_enclosing_value()
            }
            Self::Container(held) => held.size_of_enclosing_value(),
            Self::Tuple(items) => items.size_of_enclosing_value(),
            _ => ValueSize { levels: 0, count: 1 },
        }
    }

    fn unknown_placeholders(_count: usize) -> Vec<Self> {
        Vec::new()
    }
}

impl InnerValue for PossibleValues {
    fn levels_and_value_count(&self) -> ValueSize {
        self.list.iter().map(InnerValue::levels_and_value_count).fold(ValueSize::default(), |all, one| ValueSize {
            levels: all.levels.max(one.levels),
            count: all.count.saturating_add(one.count),
        })
    }

    fn unknown_placeholders(count: usize) -> Vec<Self> {
        vec![Self { missing: Missing::Unknown, ..Self::default() }; count]
    }
}

/// What is known of the index of a subscript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KnownKey {
    /// A range.
    Slice,
    /// Anything but a range.
    Item,
    /// Either of them.
    Either,
}

/// The possible values of an expression.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct PossibleValues {
    /// The possible values; empty if nothing is known.
    pub list: Vec<Value>,
    /// Whether every step to the values was a binding or a declaration, and none was inferred.
    pub sure: bool,
    /// Whether the expression may have other values too.
    pub missing: Missing,
}

impl PossibleValues {
    pub fn single(value: Value, sure: bool) -> Self {
        Self { list: vec![value], sure, missing: Missing::Nothing }
    }

    pub fn external() -> Self {
        Self::single(Value::External, true)
    }

    /// The same values, marked as inferred.
    pub fn marked_as_inferred(mut self) -> Self {
        self.sure = false;
        self
    }

    /// Adds the values that come from another source, up to [`MAX_VALUES`] in total.
    pub fn add(&mut self, other: Self) {
        self.add_with_limit(MAX_VALUES, other);
    }

    /// Adds the values that come from another source, up to `most` in total. The values of the first source are all
    /// taken.
    pub fn add_with_limit(&mut self, most: usize, other: Self) {
        self.missing |= other.missing;
        if other.list.is_empty() {
            return;
        }
        self.sure = if self.list.is_empty() { other.sure } else { self.sure && other.sure };
        let most = if self.list.is_empty() { most.max(other.list.len()) } else { most };
        for value in other.list {
            if self.list.contains(&value) {
                continue;
            }
            if self.list.len() >= most {
                self.missing = Missing::LeftOut;
                break;
            }
            self.list.push(value);
        }
    }

    /// A value of which nothing is known, as one whose declared type is that of all values.
    pub fn unknown() -> Self {
        Self { missing: Missing::Unknown, ..Self::default() }
    }

    /// A container from outside the project, of whose elements nothing is known.
    pub fn container_of_unknown_elements() -> Self {
        Self::single(Value::Container(Vec::new().into()), true)
    }

    /// A container that holds these values as its elements.
    pub fn into_container(self) -> Self {
        if self.list.is_empty() {
            return Self::default();
        }
        Self { list: vec![Value::Container(self.list.into())], sure: self.sure, missing: self.missing }
    }

    /// These values with every type replaced by an instance of it.
    pub fn into_instances(self) -> Self {
        let list = self.list.into_iter().map(|value| match value {
            Value::Type(def, arguments) => Value::Instance(def, arguments),
            value => value,
        });
        Self { list: list.collect(), ..self }
    }
}
