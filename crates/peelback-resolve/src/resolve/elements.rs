//! Evaluates the elements of containers and wrappers, and the items of tuples.

use crate::resolve::budget::EvaluationBudget;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{Value, Values};

impl Resolver<'_> {
    /// The values that iterating over `values` yields, or indexing, awaiting or unwrapping them.
    pub(crate) fn values_yielded_by_values(&self, values: Values, budget: &mut EvaluationBudget) -> Values {
        let sure = values.sure;
        let mut all = Values { partial: values.partial, ..Values::default() };
        for value in values.list {
            all.add(match value {
                Value::Container(held) => held.to_values(sure),
                Value::Tuple(items) => {
                    let mut inside = Values::default();
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
                        None => Values::single(Value::Instance(def, args), false),
                    })
                }
                Value::Parameter(def) => Values::single(Value::Parameter(def), false),
                Value::External => Values::external(),
                // A function that is indexed gets type arguments, and is still the same function.
                Value::Function(def) => Values::single(Value::Function(def), sure),
                Value::Type(..) | Value::Module(_) | Value::Object(..) => Values::default(),
            });
        }
        all.sure &= sure;
        all
    }

    /// The item at `index` of tuples and of multiple results; of a container, any of its elements, since their places
    /// are not known.
    pub(crate) fn item_of_values_at_index(&self, values: Values, index: u32, budget: &mut EvaluationBudget) -> Values {
        let sure = values.sure;
        let mut all = Values { partial: values.partial, ..Values::default() };
        for value in values.list {
            all.add(match value {
                Value::Tuple(items) => items.get(index as usize).cloned().unwrap_or_default(),
                // A container of unknown type may be a pair of a value and an error, or of a value and a key.
                Value::Container(held) => held.to_values(false),
                Value::External => Values::external(),
                Value::Instance(def, args) => {
                    let declared = self
                        .semantics_of_file_language_or_default(def.file)
                        .item_of_instance_at_index(self, def, &args, index, budget);
                    // Of several results that are not known one by one, only the first can be the instance.
                    let first = || match index {
                        0 => Values::single(Value::Instance(def, args), false),
                        _ => Values::default(),
                    };
                    declared.unwrap_or_else(first)
                }
                _ => Values::default(),
            });
        }
        all.sure &= sure;
        all
    }
}
