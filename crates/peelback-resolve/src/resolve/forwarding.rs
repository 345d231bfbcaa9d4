//! Definitions that only forward to another definition, such as the members of a CommonJS module's exports.

use std::collections::BTreeSet;

use peelback_syntax::names::BindingKind;

use crate::modules::{FileId, Module};
use crate::resolve::budget::MAX_VALUES;
use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::resolver::Resolver;
use crate::resolve::value::Value;

impl Resolver<'_> {
    /// The definition that `def` forwards to, at any depth, or its canonical definition: for `exports.f = f` and
    /// `module.exports = { f }` the function `f`.
    pub fn forwarded_or_canonical_definition(&self, def: Def) -> Def {
        let mut at = self.representative_of_same_name_in_scope(def);
        for _ in 0..MAX_VALUES {
            match self.next_forwarded_definition(at) {
                Some(next) => at = next,
                None => break,
            }
        }
        at
    }

    fn next_forwarded_definition(&self, def: Def) -> Option<Def> {
        if self.semantics_of_file_language_or_default(def.file).are_function_exprs_definitions() {
            let further = self.names_index(def.file)?.further_names_of_function_exprs();
            if let Ok(at) = further.binary_search_by_key(&def.binding, |(binding, _)| *binding) {
                let (_, binding) = further.get(at)?;
                return Some(self.representative_of_same_name_in_scope(Def { binding: *binding, ..def }));
            }
        }
        let forwarded = self.names_index(def.file)?.exported_members_forwarding_to_paths();
        let at = forwarded.binary_search_by_key(&def.binding, |(binding, _)| *binding).ok()?;
        let resolution = self.resolve_expr_as_name(def.file, forwarded.get(at)?.1, &mut self.new_budget());
        if !resolution.sure || resolution.missing.is_any() {
            return None;
        }
        let mut originals = resolution.referents.iter().map(|referent| match referent {
            Referent::Def(def) => Some(self.representative_of_same_name_in_scope(*def)),
            _ => None,
        });
        let original = originals.next()??;
        let is_lasting =
            self.binding_of_definition(original).is_some_and(|binding| binding.kind != BindingKind::Parameter);
        (is_lasting && original != def && originals.all(|other| other == Some(original))).then_some(original)
    }

    /// Whether the whole value of a module (`module.exports = f`) resolves to a referent that `test` accepts.
    pub fn does_exported_module_value_match(&self, file: FileId, test: impl Fn(&Referent) -> bool) -> bool {
        let mut seen = BTreeSet::from([file]);
        let mut next = vec![file];
        while let Some(file) = next.pop() {
            let Some((file, expr)) = self.whole_module_export_expr(&Module::File(file)) else { continue };
            for referent in self.resolve_expr_as_name(file, expr, &mut self.new_budget()).referents {
                match referent {
                    // The module re-exports another one as a whole: `module.exports = require('./lib/x')`.
                    Referent::Module(Module::File(other)) if seen.len() < MAX_VALUES && seen.insert(other) => {
                        next.push(other);
                    }
                    other if test(&other) => return true,
                    _ => {}
                }
            }
        }
        false
    }

    /// The functions and types that a resolved name can call, and whether no value on the way was inferred.
    pub fn callable_definitions_and_certainty(&self, resolution: &Resolution) -> (Vec<Def>, bool) {
        let values = self.evaluate_resolution(resolution, &mut self.new_budget());
        let defs = values.list.iter().filter_map(|value| match value {
            Value::Function(def) | Value::Type(def, _) => Some(self.representative_of_same_name_in_scope(*def)),
            _ => None,
        });
        (defs.collect(), values.sure)
    }

    /// The unnamed function that a definition holds: `exports.f = function () {}`.
    pub fn unnamed_function_held_by_definition(&self, def: Def) -> Option<Def> {
        let (held, _) = self.callable_definitions_and_certainty(&Resolution::new_certain_single(Referent::Def(def)));
        let [one] = held.as_slice() else { return None };
        let binding = self.binding_of_definition(*one).filter(|binding| binding.kind == BindingKind::Function)?;
        (*one != def && binding.body == Some(binding.scope)).then_some(*one)
    }
}
