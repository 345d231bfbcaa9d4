//! Definitions that only forward to another definition, such as the members of a CommonJS module's exports.

use std::collections::BTreeSet;

use peelback_syntax::names::{Binding, BindingId, BindingKind, Expr, ExprId, ScopeKind};

use crate::modules::{FileId, Module};
use crate::resolve::budget::{EvaluationBudget, MAX_VALUES};
use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::missing::Missing;
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
        let index = self.names_index(def.file)?;
        if self.semantics_of_file_language_or_default(def.file).are_function_exprs_definitions()
            && let Some(binding) = index
                .first_name_of_function_with_further_name(def.binding)
                .or_else(|| index.holder_of_function_with_own_name(def.binding))
        {
            return Some(self.representative_of_same_name_in_scope(Def { binding, ..def }));
        }
        let semantics = self.semantics_of_file_language_or_default(def.file);
        if let Some(behind) = semantics.definition_behind_stand_in(self, def) {
            return Some(behind);
        }
        if let Some(accessor) = self.inherited_accessor_called_by_assignment(def) {
            return Some(accessor);
        }
        let path_of = |members: &[(BindingId, ExprId)]| {
            let at = members.binary_search_by_key(&def.binding, |(binding, _)| *binding).ok()?;
            members.get(at).map(|(_, path)| *path)
        };
        let exported = path_of(index.exported_members_forwarding_to_paths());
        let (path, is_function_wanted) = match exported {
            Some(path) => (path, false),
            None => match path_of(index.constants_holding_imported_members()) {
                Some(path)
                    if self.semantics_of_file_language_or_default(def.file).constants_can_stand_for_members() =>
                {
                    (path, !self.is_member_of_module(def.file, path))
                }
                _ => match path_of(index.members_assigned_by_name()) {
                    Some(path) => (path, true),
                    None if semantics.constants_can_stand_for_members() => return self.function_handed_out_as(def),
                    None => return None,
                },
            },
        };
        let resolution = self.resolve_expr_as_name(def.file, path, &mut self.new_budget());
        if !resolution.sure || resolution.missing.is_any() {
            return None;
        }
        let mut originals = resolution.referents.into_iter().map(|referent| {
            let named = self.definitions_named_by_referent(referent, &mut self.new_budget());
            match named.as_slice() {
                [def] => Some(self.representative_of_same_name_in_scope(*def)),
                _ => None,
            }
        });
        let original = originals.next()??;
        let is_lasting = self.binding_of_definition(original).is_some_and(|binding| match is_function_wanted {
            true => self.is_function_or_holds_one(original, binding),
            false => binding.kind != BindingKind::Parameter,
        });
        (is_lasting && original != def && originals.all(|other| other == Some(original))).then_some(original)
    }

    /// Whether a definition is the own name of a function expression that a variable or field holds: `g` of
    /// `exports.f = function g() {}`.
    pub fn is_own_name_of_held_function(&self, def: Def) -> bool {
        self.semantics_of_file_language_or_default(def.file).are_function_exprs_definitions()
            && self
                .names_index(def.file)
                .is_some_and(|index| index.holder_of_function_with_own_name(def.binding).is_some())
    }

    /// The inherited property with a getter or setter that an assignment in a function writes, if `def` is the field that the
    /// assignment would otherwise add to the heir: `this.state = 1`, where a base defines `set state`.
    pub fn inherited_accessor_called_by_assignment(&self, def: Def) -> Option<Def> {
        if !self.semantics_of_file_language_or_default(def.file).assignments_call_inherited_accessors() {
            return None;
        }
        let index = self.names_index(def.file)?;
        let binding = index.binding_or_placeholder(def.binding);
        let is_assigned = binding.kind == BindingKind::Field
            && !binding.private
            && index.scope_kind(binding.scope) == ScopeKind::Type
            && index.is_inside_function(binding.at);
        if !is_assigned {
            return None;
        }
        if let Some(known) = self.called_accessors.get(&def) {
            return known;
        }
        let mut budget = self.new_budget();
        let found = self.inherited_accessor_with_name_of_field(def, binding, &mut budget);
        self.count_evaluation_if_cut_short(&budget);
        if !budget.exhausted {
            self.called_accessors.insert(def, found);
        }
        found
    }

    /// The property with a getter or setter that the type of the field `def` inherits by the field's name.
    fn inherited_accessor_with_name_of_field(
        &self,
        def: Def,
        binding: &Binding,
        budget: &mut EvaluationBudget,
    ) -> Option<Def> {
        let owner = self.owner_type(def, budget).filter(|owner| !self.bases_of_type(*owner, budget).is_empty())?;
        let inherited = self.inherited_member(owner, self.name_text(def.file, binding.name), budget);
        match inherited.referents.as_slice() {
            [Referent::Def(found)] => {
                let known = self.binding_of_definition(*found)?;
                let is_accessor = known.kind == BindingKind::Property && known.on_type == binding.on_type;
                is_accessor.then(|| self.representative_of_same_name_in_scope(*found))
            }
            _ => None,
        }
    }

    /// Whether an expression is a member of a module itself, not of a value that the module exports.
    fn is_member_of_module(&self, file: FileId, expr: ExprId) -> bool {
        let Expr::Member { base, .. } = self.expr_by_id(file, expr) else { return false };
        let mut budget = self.new_budget();
        let of = self.resolve_expr_as_name(file, base, &mut budget);
        self.count_evaluation_if_cut_short(&budget);
        matches!(of.referents.as_slice(), [Referent::Module(_)])
    }

    /// Whether a definition is a function, or a variable or field whose only value is a function expression.
    pub(super) fn is_function_or_holds_one(&self, def: Def, binding: &Binding) -> bool {
        match binding.kind {
            BindingKind::Function => true,
            BindingKind::Variable | BindingKind::Field => self.names_of_file(def.file).is_some_and(|names| {
                matches!(names.expr_ids_in_list_range(binding.values), [value]
                    if matches!(names.expr_by_id(*value), Expr::Function { .. }))
            }),
            _ => false,
        }
    }

    /// What a getter of a module's exports stands for: what the path of names means that it returns, through further such
    /// getters. Compilers write such getters for re-exports. Something is missing where a getter does not tell what it
    /// returns, or the path is not understood for sure. `None` for any other definition.
    pub fn originals_of_exported_getter(&self, def: Def) -> Option<Resolution> {
        let def = self.representative_of_same_name_in_scope(def);
        let mut returned = vec![self.resolution_returned_by_exported_getter(def)?];
        let mut seen = BTreeSet::from([def]);
        let mut found = Resolution { sure: true, ..Resolution::default() };
        while let Some(resolution) = returned.pop() {
            found.missing |= resolution.missing;
            for referent in resolution.referents {
                let further = match &referent {
                    Referent::Def(def) => {
                        let def = self.representative_of_same_name_in_scope(*def);
                        self.resolution_returned_by_exported_getter(def).map(|further| (def, further))
                    }
                    _ => None,
                };
                match further {
                    Some((def, further)) if seen.len() < MAX_VALUES && seen.insert(def) => returned.push(further),
                    Some(_) => found.missing |= Missing::Unknown,
                    None => found.referents.push(referent),
                }
            }
        }
        Some(found)
    }

    /// What the path means that a getter of a module's exports returns.
    fn resolution_returned_by_exported_getter(&self, def: Def) -> Option<Resolution> {
        let getters = self.names_index(def.file)?.exported_getters();
        let at = getters.binary_search_by_key(&def.binding, |(getter, _)| *getter).ok()?;
        let (_, path) = getters.get(at)?;
        let resolution = path.map(|path| self.resolve_expr_as_name(def.file, path, &mut self.new_budget()));
        let known = resolution.filter(|resolution| resolution.sure && !resolution.missing.is_any());
        Some(known.unwrap_or(Resolution { missing: Missing::Unknown, ..Resolution::default() }))
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
