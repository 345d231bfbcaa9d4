//! Values inside other values, which are bounded: the elements of containers, the items of tuples, type arguments.
//!
//! Without a bound, a chain of definitions in which each holds the one before it (`b = [a]`, `c = [b]`, …) makes a value
//! that nests as deep as the chain is long, and one in which each holds the one before it twice makes a value whose size
//! doubles with each link. Comparing, searching and freeing a value would take that much stack and time.

use std::ops::Deref;
use std::sync::Arc;

/// The limit on the nesting of values inside one another.
const MAX_LEVELS: u32 = 32;

/// The limit on the number of values inside one value, at all levels together.
const MAX_COUNT: u32 = 4_096;

/// How large a value is, with all values inside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ValueSize {
    /// The number of levels of values inside the value.
    pub levels: u32,
    /// The number of values at all levels, the value itself included.
    pub count: u32,
}

/// What can stand inside a value.
pub(crate) trait InnerValue: Sized {
    fn levels_and_value_count(&self) -> ValueSize;

    /// What stands in the place of `count` inner values that are too large to keep: what is known of them is that nothing
    /// is known.
    fn unknown_placeholders(count: usize) -> Vec<Self>;
}

/// Values inside another value, which share their memory with its copies. Values that would nest too deep, or would be
/// too many, are replaced by unknown ones. An empty list of elements is a container of which nothing is known.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct InnerValues<T>(Arc<SizedList<T>>);

#[derive(Debug, PartialEq, Eq)]
struct SizedList<T> {
    size: ValueSize,
    /// Whether the values were too large and are replaced.
    is_cut: bool,
    list: Box<[T]>,
}

impl<T> InnerValues<T> {
    /// The size of the value that holds these values.
    pub fn size_of_enclosing_value(&self) -> ValueSize {
        self.0.size
    }

    /// Whether there were other values, which were too large to keep.
    pub fn was_replaced_by_unknown(&self) -> bool {
        self.0.is_cut
    }
}

impl<T> Clone for InnerValues<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Deref for InnerValues<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0.list
    }
}

impl<T: InnerValue> From<Vec<T>> for InnerValues<T> {
    fn from(list: Vec<T>) -> Self {
        let mut size = ValueSize { levels: 0, count: 1 };
        for value in &list {
            let inner = value.levels_and_value_count();
            size.levels = size.levels.max(inner.levels);
            size.count = size.count.saturating_add(inner.count);
        }
        size.levels += 1;
        let is_cut = size.levels > MAX_LEVELS || size.count > MAX_COUNT;
        let list = if is_cut {
            size = ValueSize { levels: 1, count: 1 };
            T::unknown_placeholders(list.len())
        } else {
            list
        };
        Self(Arc::new(SizedList { size, is_cut, list: list.into() }))
    }
}

impl<T: InnerValue> FromIterator<T> for InnerValues<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        values.into_iter().collect::<Vec<T>>().into()
    }
}

#[cfg(test)]
mod tests {
    use crate::resolve::value::{PossibleValues, Value};

    #[test]
    fn values_nest_only_to_a_limit() {
        let mut value = Value::External;
        for _ in 0..100_000 {
            value = Value::Container(vec![value].into());
        }
        assert!(!value.is_or_contains_type_parameter());
        assert_eq!(value, value.clone());
    }

    #[test]
    fn values_that_were_cut_are_said_to_be_missing() {
        let mut value = Value::External;
        let mut levels = 0;
        loop {
            value = Value::Container(vec![value].into());
            let Value::Container(held) = &value else { panic!("it is a container") };
            let values = held.to_values(true);
            assert_eq!(values.missing.is_any(), values.list.is_empty());
            if values.missing.is_any() {
                break;
            }
            levels += 1;
        }
        assert_eq!(levels, 32);
        let cut: PossibleValues = PossibleValues::single(Value::External, true);
        let mut all = cut.clone();
        let Value::Container(held) = &value else { panic!("it is a container") };
        all.add(held.to_values(true));
        assert!(all.missing.is_any() && !cut.missing.is_any());
    }

    #[test]
    fn values_that_hold_others_twice_do_not_grow_without_limit() {
        let mut value = Value::External;
        for _ in 0..1_000 {
            let once = PossibleValues::single(value.clone(), true);
            let twice = PossibleValues::single(Value::Container(vec![value].into()), true);
            value = Value::Tuple(vec![once, twice].into());
        }
        assert_eq!(value, value.clone());
        assert!(!value.is_or_contains_type_parameter());
    }
}
