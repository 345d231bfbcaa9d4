//! What comes out of containers and wrappers: elements, items, what is awaited or followed.

use super::values::{Arguments, Value, Values};
use super::{Def, Referent, Resolver, Walk};
use crate::modules::Family;

/// Members that say what iterating, indexing or entering gives, in the order in which they are asked.
const ITERATORS: &[&str] = &["__iter__", "__aiter__", "__getitem__", "__await__", "__enter__", "__aenter__"];

/// Methods of the standard library's containers and wrappers that give what they are called on, or a part of it in a
/// wrapper.
const KEEPING: &[&str] = &[
    "as_deref",
    "as_mut_slice",
    "as_ref",
    "as_slice",
    "back",
    "back_mut",
    "by_ref",
    "chain",
    "choose",
    "clone",
    "cloned",
    "collect",
    "copied",
    "cycle",
    "dedup",
    "downgrade",
    "drain",
    "entry",
    "filter",
    "find",
    "first",
    "first_mut",
    "front",
    "front_mut",
    "fuse",
    "get",
    "get_mut",
    "get_or_init",
    "get_or_insert",
    "get_or_insert_with",
    "insert",
    "inspect",
    "into_boxed_slice",
    "into_iter",
    "into_sorted_vec",
    "into_values",
    "iter",
    "iter_mut",
    "join",
    "last",
    "last_mut",
    "load",
    "lock",
    "max",
    "max_by",
    "max_by_key",
    "min",
    "min_by",
    "min_by_key",
    "next",
    "next_back",
    "nth",
    "ok",
    "or",
    "or_else",
    "peek",
    "peek_mut",
    "peekable",
    "pop",
    "pop_back",
    "pop_front",
    "read",
    "recv",
    "reduce",
    "remove",
    "replace",
    "rev",
    "set",
    "skip",
    "skip_while",
    "split_off",
    "step_by",
    "swap",
    "swap_remove",
    "take",
    "take_while",
    "to_vec",
    "try_lock",
    "try_read",
    "try_recv",
    "try_write",
    "upgrade",
    "values",
    "values_mut",
    "write",
    "xor",
];

/// Associated types that say what iterating, awaiting or following gives.
const ASSOCIATED: &[&str] = &["Item", "Output", "Target"];

/// Whether a method of the standard library gives what it is called on, or a part of it in a wrapper.
pub(super) fn keeps(method: &str) -> bool {
    KEEPING.binary_search(&method).is_ok()
}

impl Resolver<'_> {
    /// What comes out of containers and wrappers.
    pub(super) fn elements(&self, values: Values, walk: &mut Walk) -> Values {
        let sure = values.sure;
        let mut all = Values { partial: values.partial, ..Values::default() };
        for value in values.list {
            all.add(match value {
                Value::Bag(held) => Values { list: held.to_vec(), sure, partial: false },
                Value::Tuple(items) => {
                    let mut inside = Values::default();
                    for item in items.iter() {
                        inside.add(item.clone());
                    }
                    inside.unsure()
                }
                Value::Instance(def, args) if self.family(def.file) == Some(Family::Rust) => {
                    self.associated(def, args, walk)
                }
                value @ (Value::Instance(..) | Value::Object(..)) if self.is_indexed(&value, walk) => {
                    self.indexed_as(&value, walk)
                }
                Value::Instance(def, args) => {
                    let given = ITERATORS.iter().find_map(|name| {
                        let found = self.type_member(def, name, walk);
                        let values = self.values_of(&found, walk);
                        let mut given = Values::default();
                        for value in &values.list {
                            if let Value::Function(def) = value {
                                given.add(self.returned(*def, walk));
                            }
                        }
                        (!given.list.is_empty()).then_some((*name, given))
                    });
                    let receiver = Values::one(Value::Instance(def, args.clone()), true);
                    let made_of = if given.is_none() { self.underlying(def, walk) } else { Values::default() };
                    match (given, &args) {
                        (None, _) if !made_of.list.is_empty() => {
                            let inside = walk.deeper(|walk| self.elements(made_of, walk));
                            self.substituted(inside, &receiver, walk)
                        }
                        (Some((name, given)), _) => {
                            let given = self.substituted(given, &receiver, walk);
                            if name == "__getitem__" || name == "__enter__" {
                                given
                            } else {
                                walk.deeper(|walk| self.elements(given, walk))
                            }
                        }
                        (None, Some(args)) => args.last().cloned().unwrap_or_default().unsure(),
                        (None, None) => Values::one(Value::Instance(def, args), false),
                    }
                }
                Value::Parameter(def) => Values::one(Value::Parameter(def), false),
                Value::External => Values::external(),
                // A function with type arguments.
                Value::Function(def) => Values::one(Value::Function(def), sure),
                Value::Type(..) | Value::Module(_) | Value::Object(..) => Values::default(),
            });
        }
        all.sure &= sure;
        all
    }

    /// What instances of a type are made of where it is defined by another type: a list, a function.
    pub(super) fn underlying(&self, def: Def, walk: &mut Walk) -> Values {
        if self.family(def.file) != Some(Family::Go) {
            return Values::default();
        }
        let mut all = Values::default();
        for (file, base) in self.bases(def, walk) {
            all.add(walk.deeper(|walk| self.instance(file, base, walk)));
        }
        all.list.retain(|value| *value != Value::External);
        all
    }

    /// What comes out of a value of Rust that is no container of the standard library: what it iterates over, what it
    /// gives when it is awaited.
    fn associated(&self, def: Def, args: Arguments, walk: &mut Walk) -> Values {
        for name in ASSOCIATED {
            let mut all = Values::default();
            let found = self.type_member(def, name, walk);
            for referent in &found.referents {
                if let Referent::Def(alias) = referent
                    && let Some(meant) = self.binding(*alias).and_then(|binding| binding.annotation)
                {
                    all.add(walk.deeper(|walk| self.instance(alias.file, meant, walk)));
                }
            }
            if !all.list.is_empty() {
                let receiver = Values::one(Value::Instance(def, args), true);
                return self.substituted(all, &receiver, walk);
            }
        }
        match args {
            Some(args) => args.last().cloned().unwrap_or_default().unsure(),
            None => Values::default(),
        }
    }

    pub(super) fn item(&self, values: Values, index: u32, walk: &mut Walk) -> Values {
        let sure = values.sure;
        let mut all = Values { partial: values.partial, ..Values::default() };
        for value in values.list {
            all.add(match value {
                Value::Tuple(items) => items.get(index as usize).cloned().unwrap_or_default(),
                // A pair of what is held: an error beside a value, a key beside a value.
                Value::Bag(held) => Values { list: held.to_vec(), ..Values::default() },
                Value::External => Values::external(),
                Value::Instance(def, args) if self.family(def.file) == Some(Family::Go) => {
                    let receiver = Values::one(Value::Instance(def, args), true);
                    let made_of = self.underlying(def, walk);
                    let inside = walk.deeper(|walk| self.item(made_of, index, walk));
                    self.substituted(inside, &receiver, walk)
                }
                // The first of several results that are not told apart is the only one that is known.
                Value::Instance(def, args) if index == 0 => Values::one(Value::Instance(def, args), false),
                _ => Values::default(),
            });
        }
        let _ = walk;
        all.sure &= sure;
        all
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_methods_are_in_order() {
        assert!(super::KEEPING.is_sorted());
    }
}
