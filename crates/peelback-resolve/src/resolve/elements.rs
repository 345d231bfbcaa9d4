//! Evaluates the elements of containers and wrappers, and the items of tuples.

use peelback_syntax::names::SubscriptKey;

use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{KnownKey, PossibleValues, Value};

impl Resolver<'_> {
    /// The values that iterating over `values` yields, or indexing, awaiting or unwrapping them.
    pub(crate) fn values_yielded_by_values(
        &self,
        values: PossibleValues,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        let sure = values.sure;
        let mut all = PossibleValues { missing: values.missing, ..PossibleValues::default() };
        for value in values.list {
            all.add(match value {
                Value::Container(held) => held.to_values(sure),
                Value::Tuple(items) => {
                    let mut inside = PossibleValues::default();
                    for item in items.iter() {
                        inside.add(item.clone());
                    }
                    inside.marked_as_inferred()
                }
                value @ (Value::Instance(..) | Value::Object(..)) if self.has_index_signature(&value, budget) => {
                    self.index_signature_result(&value, budget)
                }
                Value::Instance(def, args) => {
                    let declared = self
                        .semantics_of_file_language_or_default(def.file)
                        .values_yielded_by_instance(self, def, &args, budget);
                    declared.unwrap_or_else(|| match &args {
                        Some(args) => args.last().cloned().unwrap_or_default().marked_as_inferred(),
                        None => PossibleValues::single(Value::Instance(def, args), false),
                    })
                }
                Value::Parameter(def) => PossibleValues::single(Value::Parameter(def), false),
                // The last type argument is the type of the elements.
                Value::Outside(_, Some(arguments)) => arguments.last().cloned().unwrap_or_default(),
                Value::External | Value::Outside(_, None) => PossibleValues::external(),
                // A function that is indexed gets type arguments, and is still the same function.
                Value::Function(def) => PossibleValues::single(Value::Function(def), sure),
                Value::Type(..) | Value::Module(_) | Value::Object(..) => PossibleValues::default(),
            });
        }
        all.sure &= sure;
        all
    }

    /// What is known of the index of a subscript in a file.
    pub(crate) fn known_key(&self, file: FileId, key: SubscriptKey, budget: &mut EvaluationBudget) -> KnownKey {
        match key {
            SubscriptKey::Slice => KnownKey::Slice,
            SubscriptKey::Item => KnownKey::Item,
            SubscriptKey::Unknown(key) => {
                let semantics = self.semantics_of_file_language_or_default(file);
                match semantics.is_declared_as_item_key(self, file, key, budget) {
                    true => KnownKey::Item,
                    false => KnownKey::Either,
                }
            }
        }
    }

    /// What indexing `values` gives: by a range a part of them, else one of their elements.
    pub(crate) fn values_of_subscript(
        &self,
        values: PossibleValues,
        key: KnownKey,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        let (sure, missing) = (values.sure, values.missing);
        let mut all = PossibleValues { missing, ..PossibleValues::default() };
        for value in values.list {
            all.add(match value {
                Value::Instance(def, arguments) => {
                    let semantics = self.semantics_of_file_language_or_default(def.file);
                    semantics.value_of_subscripted_instance(self, def, &arguments, key, budget)
                }
                // A part of a list is a list of the same elements. Most are indexed by a variable for one element.
                Value::Container(_) | Value::Tuple(_) if key == KnownKey::Slice => PossibleValues::single(value, sure),
                other => {
                    let one = PossibleValues { list: vec![other], sure, missing };
                    self.values_yielded_by_values(one, budget)
                }
            });
        }
        all.sure &= sure;
        all
    }

    /// The item at `index` of tuples and of multiple results; of a container, any of its elements, since their places
    /// are not known.
    pub(crate) fn item_of_values_at_index(
        &self,
        values: PossibleValues,
        index: u32,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        let sure = values.sure;
        let mut all = PossibleValues { missing: values.missing, ..PossibleValues::default() };
        for value in values.list {
            all.add(match value {
                Value::Tuple(items) => items.get(index as usize).cloned().unwrap_or_default(),
                // A container of unknown type may be a pair of a value and an error, or of a value and a key.
                Value::Container(held) => held.to_values(false),
                Value::External | Value::Outside(..) => PossibleValues::external(),
                Value::Instance(def, args) => {
                    let declared = self
                        .semantics_of_file_language_or_default(def.file)
                        .item_of_instance_at_index(self, def, &args, index, budget);
                    // Of several results that are not known one by one, only the first can be the instance.
                    let first = || match index {
                        0 => PossibleValues::single(Value::Instance(def, args), false),
                        _ => PossibleValues::default(),
                    };
                    declared.unwrap_or_else(first)
                }
                _ => PossibleValues::default(),
            });
        }
        all.sure &= sure;
        all
    }
}
