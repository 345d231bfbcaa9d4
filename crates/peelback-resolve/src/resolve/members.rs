//! Looks up the members of types: their own, those of extensions, and those of bases.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use peelback_syntax::names::{Binding, BindingKind, Expr, ExprId, NameId, ScopeId, ScopeKind, Span};

use crate::modules::FileId;
use crate::resolve::budget::{EvaluationBudget, MAX_VALUES};
use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::index::{NamesIndex, type_expr_without_type_arguments};
use crate::resolve::missing::Missing;
use crate::resolve::resolver::{ExtensionId, Resolver};
use crate::resolve::value::{Arguments, PossibleValues, Value};

impl Resolver<'_> {
    /// Resolves the member access `base.name`, which is the expression `expr`.
    pub(crate) fn resolve_member_expr(
        &self,
        file: FileId,
        (expr, base): (ExprId, ExprId),
        name: NameId,
        budget: &mut EvaluationBudget,
    ) -> Resolution {
        let text = self.name_text(file, name);
        let semantics = self.semantics_of_file_language_or_default(file);
        semantics
            .resolve_member_of_expr(self, file, (Some(expr), base), text, budget)
            .unwrap_or_else(|| self.resolve_member_by_name_text(file, base, text, budget))
    }

    pub(crate) fn resolve_member_by_name_text(
        &self,
        file: FileId,
        base: ExprId,
        text: &str,
        budget: &mut EvaluationBudget,
    ) -> Resolution {
        budget.run_nested_within_limits(|budget| {
            let semantics = self.semantics_of_file_language_or_default(file);
            if let Some(found) = semantics.resolve_member_of_expr(self, file, (None, base), text, budget) {
                return found;
            }
            if self.semantics_of_file_language_or_default(file).namespaces_span_files()
                && let Some(found) = self.member_of_named_namespace(file, base, text, budget)
            {
                return found;
            }
            // Members can be added to a definition, so that it has more members than the object that is its value: the
            // definition is asked first.
            let named = matches!(self.expr_by_id(file, base), Expr::Name { .. } | Expr::Member { .. });
            let defined = if named { self.resolve_expr_as_name(file, base, budget) } else { Resolution::default() };
            let mut resolution = Resolution::default();
            if let Expr::Instance { of } | Expr::Matched { of, .. } = self.expr_by_id(file, base) {
                resolution = self.field_of_enum_variant(file, of, text, budget);
                if !resolution.is_empty() {
                    return resolution;
                }
            }
            for referent in &defined.referents {
                match referent {
                    Referent::Def(def) => {
                        let added = self.extension_member(*def, text, budget);
                        let mut added = self.keep_static_or_instance_members(added, true);
                        added.sure &= defined.sure;
                        added.missing |= defined.missing;
                        resolution.add(added);
                    }
                    Referent::Module(module) => {
                        let mut given = self.module_member(module, text, budget);
                        given.sure &= defined.sure;
                        given.missing |= defined.missing;
                        resolution.add(given);
                    }
                    Referent::Value(..) | Referent::External => {}
                }
            }
            if !resolution.is_empty() {
                return resolution;
            }
            let values = self.evaluate_expr(file, base, budget);
            resolution.missing |= values.missing;
            let builtin_only = self.semantics_of_file_language_or_default(file).containers_have_builtin_members_only();
            for value in &values.list {
                let mut found = match value {
                    // Containers such as lists have only the language's own members, whatever they hold.
                    Value::Container(_) | Value::Tuple(_) if builtin_only => Resolution::new_outside_project(),
                    Value::Container(held) if held.missing_elements() == Missing::Unknown => {
                        Resolution::new_outside_project()
                    }
                    _ => self.value_member(value, text, budget),
                };
                found.sure &= values.sure;
                found.missing |= values.missing;
                resolution.add(found);
            }
            if resolution.referents.iter().all(|referent| *referent == Referent::External)
                && (!defined.referents.contains(&Referent::External)
                    || matches!(self.expr_by_id(file, base), Expr::Member { .. })
                        && self.semantics_of_file_language_or_default(file).members_are_added_to_outside_members())
                && let Some(found) = self
                    .semantics_of_file_language_or_default(file)
                    .member_added_to_foreign_types(self, file, &values, text, budget)
            {
                return found;
            }
            // If one of several possible values has the member in the project, that member is meant, not those outside.
            if values.list.len() > 1 && resolution.referents.contains(&Referent::External) {
                let project = resolution.referents.iter().any(|referent| *referent != Referent::External);
                if project {
                    resolution.referents.retain(|referent| *referent != Referent::External);
                }
            }
            resolution
        })
    }

    /// The field called `text` of a variant of an enum.
    fn field_of_enum_variant(
        &self,
        file: FileId,
        variant: ExprId,
        text: &str,
        budget: &mut EvaluationBudget,
    ) -> Resolution {
        let defined = self.resolve_expr_as_name(file, variant, budget);
        let mut resolution = Resolution::default();
        for referent in &defined.referents {
            let Referent::Def(def) = referent else { continue };
            let Some(indexed) = self.names_index(def.file) else { continue };
            let binding = indexed.binding_or_placeholder(def.binding);
            if let (BindingKind::EnumMember, Some(body)) = (binding.kind, binding.body) {
                let bound = indexed.bindings_of_name_text_in_scope(body, text);
                let defs = bound.iter().map(|id| Referent::Def(Def { file: def.file, binding: *id })).collect();
                resolution.add(Resolution::new(defs, defined.sure));
            }
        }
        resolution
    }

    /// The member called `text` of a value.
    pub(crate) fn value_member(&self, value: &Value, text: &str, budget: &mut EvaluationBudget) -> Resolution {
        match value {
            Value::Instance(def, _) | Value::Type(def, _) => {
                let found = budget.run_nested_within_limits(|budget| self.type_member(*def, text, budget));
                let is_type = matches!(value, Value::Type(..));
                if is_type && found.referents.iter().all(|referent| *referent == Referent::External) {
                    let of_object = self
                        .semantics_of_file_language_or_default(def.file)
                        .member_of_type_object(self, *def, text, budget);
                    if !of_object.is_empty() {
                        return of_object;
                    }
                }
                let semantics = self.semantics_of_file_language_or_default(def.file);
                if found.is_empty() && semantics.types_declare_all_members() && self.are_all_bases_known(*def, budget) {
                    let possible = semantics.undeclared_member(self, *def, text, budget);
                    return possible.unwrap_or_else(Resolution::new_outside_project);
                }
                self.keep_static_or_instance_members(found, is_type)
            }
            Value::Object(file, scope) => {
                let Some(indexed) = self.names_index(*file) else { return Resolution::default() };
                let bound = indexed.bindings_of_name_text_in_scope(*scope, text);
                let defs = bound.iter().map(|id| Referent::Def(Def { file: *file, binding: *id })).collect();
                Resolution::new(defs, true)
            }
            Value::Module(module) => {
                let given = budget.run_nested_within_limits(|budget| self.module_member(module, text, budget));
                if !given.is_empty() {
                    return given;
                }
                Resolution::default()
            }
            Value::Function(def) => {
                let found = self.extension_member(self.name_of_constructor(*def), text, budget);
                self.keep_static_or_instance_members(found, true)
            }
            Value::Parameter(def) => {
                let bound = self.binding_of_definition(*def).and_then(|binding| binding.annotation);
                let Some(bound) = bound else { return Resolution::default() };
                let values =
                    budget.run_nested_within_limits(|budget| self.instances_of_type_expr(def.file, bound, budget));
                let mut resolution = Resolution::default();
                for value in &values.list {
                    // The bound may be a type parameter again, and even the same one.
                    resolution.add(budget.run_nested_within_limits(|budget| self.value_member(value, text, budget)));
                }
                resolution
            }
            Value::Container(values) => {
                let mut resolution = Resolution { missing: values.missing_elements(), ..Resolution::default() };
                for value in values.iter() {
                    let mut found = budget.run_nested_within_limits(|budget| self.value_member(value, text, budget));
                    found.referents.retain(|referent| *referent != Referent::External);
                    resolution.add(found);
                }
                resolution.sure = false;
                resolution
            }
            Value::Tuple(_) => Resolution::default(),
            Value::External | Value::Outside(..) => Resolution::new_outside_project(),
        }
    }

    /// The member called `text` of a type: its own, else an extension's, else that of its nearest base that has one.
    pub fn type_member(&self, def: Def, text: &str, budget: &mut EvaluationBudget) -> Resolution {
        let def = self.first_part_of_type(def);
        let key = (def, Box::from(text));
        if let Some(known) = self.type_members.get(&key) {
            return known;
        }
        let semantics = self.semantics_of_file_language_or_default(def.file);
        if semantics.overloads_are_separate_definitions() && !budget.looking_up_in_bases_first {
            budget.looking_up_in_bases_first = true;
            self.look_up_member_in_bases_first(def, text, budget);
            budget.looking_up_in_bases_first = false;
        }
        let before = std::mem::replace(&mut budget.truncated, false);
        let was_in_cycle = self.known_cycle_of_type(def).is_some();
        let mut found = budget.run_nested_within_limits(|budget| self.find_type_member_uncached(def, text, budget));
        if !was_in_cycle
            && (self.known_cycle_of_type(def).is_some()
                || budget.truncated && self.find_cycle_of_type(def, budget).is_some())
        {
            // From now on, the types of the cycle inherit nothing from one another, so that the result is whole.
            budget.truncated = false;
            found = budget.run_nested_within_limits(|budget| self.find_type_member_uncached(def, text, budget));
        }
        if !budget.truncated {
            self.type_members.insert(key, found.clone());
        }
        budget.truncated |= before;
        found
    }

    /// Looks the member called `text` up in all bases of a type, the farthest first, so that no look-up nests as deep as the
    /// hierarchy is: what is cut short at a depth is not memoized.
    fn look_up_member_in_bases_first(&self, def: Def, text: &str, budget: &mut EvaluationBudget) {
        let mut seen = HashSet::new();
        let mut next = vec![(def, false)];
        while let Some((at, are_bases_done)) = next.pop() {
            if are_bases_done {
                if at != def {
                    budget.evaluate_without_counting_steps(|budget| self.type_member(at, text, budget));
                }
                continue;
            }
            if !seen.insert(at) || self.type_members.get(&(at, Box::from(text))).is_some() {
                continue;
            }
            next.push((at, true));
            for &(file, base) in self.bases_of_type(at, budget).iter() {
                let found = budget.evaluate_without_counting_steps(|budget| {
                    budget.run_nested_within_limits(|budget| self.resolve_expr_as_name(file, base, budget))
                });
                next.extend(found.referents.into_iter().filter_map(|referent| match referent {
                    Referent::Def(base) => Some((base, false)),
                    _ => None,
                }));
            }
        }
    }

    fn find_type_member_uncached(&self, def: Def, text: &str, budget: &mut EvaluationBudget) -> Resolution {
        let Some(indexed) = self.names_index(def.file) else { return Resolution::default() };
        let binding = indexed.binding_or_placeholder(def.binding);
        match binding.kind {
            BindingKind::TypeAlias => {
                let Some(meant) = binding.annotation else { return Resolution::default() };
                let values = self.instances_of_type_expr(def.file, meant, budget);
                let mut resolution = Resolution { missing: values.missing, ..Resolution::default() };
                for value in &values.list {
                    resolution.add(self.value_member(value, text, budget));
                }
                return resolution;
            }
            BindingKind::TypeParameter => return self.value_member(&Value::Parameter(def), text, budget),
            BindingKind::Module => {
                let Some(body) = binding.body else { return Resolution::default() };
                return self.module_member(&crate::modules::Module::Scope(def.file, body), text, budget);
            }
            _ => {}
        }
        let mut own = self.own_or_extension_member(def, text, budget);
        let semantics = self.semantics_of_file_language_or_default(def.file);
        if semantics.namespaces_span_files() {
            own = self.follow_using_declarations(own, budget);
        }
        if semantics.overloads_are_separate_definitions() {
            self.add_members_of_bases_that_are_not_hidden(def, text, &mut own, budget);
        } else if own.is_empty() {
            own = self.inherited_member(def, text, budget);
        } else {
            self.add_possible_members_of_bases(def, None, text, &mut own, budget);
        }
        let nothing = own.referents.iter().all(|referent| *referent == Referent::External);
        if nothing {
            let target =
                self.semantics_of_file_language_or_default(def.file).deref_target_instances(self, def, text, budget);
            for value in &target.list {
                let found = budget.run_nested_within_limits(|budget| self.value_member(value, text, budget));
                if !found.is_empty() && *value != Value::External {
                    own = found;
                }
            }
        }
        own
    }

    /// Whether it is known of each base of a type what it is, at any depth. Results are memoized.
    pub(crate) fn are_all_bases_known(&self, def: Def, budget: &mut EvaluationBudget) -> bool {
        if let Some(known) = self.types_with_known_bases.get(&def) {
            return known;
        }
        let before = std::mem::replace(&mut budget.truncated, false);
        let found = self.find_whether_all_bases_are_known_uncached(def, budget);
        if !budget.truncated {
            self.types_with_known_bases.insert(def, found);
        }
        budget.truncated |= before;
        found
    }

    fn find_whether_all_bases_are_known_uncached(&self, def: Def, budget: &mut EvaluationBudget) -> bool {
        let mut seen = BTreeSet::from([def]);
        let mut next = vec![def];
        while let Some(def) = next.pop() {
            for &(file, base) in self.bases_of_type(def, budget).iter() {
                let found = self.resolve_expr_as_name(file, base, budget);
                if found.is_empty() || found.missing.is_any() || seen.len() >= MAX_LINEAGE {
                    return false;
                }
                for referent in found.referents {
                    if let Referent::Def(base) = referent
                        && seen.insert(base)
                    {
                        next.push(base);
                    }
                }
            }
        }
        true
    }

    /// Adds the members called `text` of the bases of a type, without those that a member of the type or of an earlier base
    /// hides. A base outside the project may have such a member, too.
    fn add_members_of_bases_that_are_not_hidden(
        &self,
        def: Def,
        text: &str,
        found: &mut Resolution,
        budget: &mut EvaluationBudget,
    ) {
        let semantics = self.semantics_of_file_language_or_default(def.file);
        let mut is_outside = false;
        for &(file, base) in self.bases_of_type(def, budget).iter() {
            let inherited = self.member_inherited_from_base(def, (file, base), text, budget);
            found.missing |= inherited.missing;
            for referent in inherited.referents {
                let Referent::Def(member) = referent else {
                    is_outside = true;
                    continue;
                };
                let binding = self.binding_of_definition(member);
                if binding.is_some_and(|binding| semantics.belongs_to_declaring_type_alone(binding)) {
                    continue;
                }
                // Each pair of functions is compared: the steps of so many would leave none for the evaluation.
                let is_hidden = budget.evaluate_without_counting_steps(|budget| {
                    found.referents.iter().any(|known| match known {
                        Referent::Def(known) => semantics.hides_inherited_member(self, *known, member, budget),
                        _ => false,
                    })
                });
                if !is_hidden {
                    found.add(Resolution::new(vec![Referent::Def(member)], true));
                }
            }
        }
        if is_outside && found.is_empty() {
            found.add(Resolution::new_outside_project());
        }
    }

    /// The member called `text` of a type itself or of its extensions, without its bases.
    pub(crate) fn own_or_extension_member(&self, def: Def, text: &str, budget: &mut EvaluationBudget) -> Resolution {
        let semantics = self.semantics_of_file_language_or_default(def.file);
        if let Some(own) = semantics.own_members_of_type(self, def, text) {
            return Resolution::new(own.into_iter().map(Referent::Def).collect(), true);
        }
        let parts = self.parts_of_type(def);
        if !parts.is_empty() {
            let found = parts.iter().flat_map(|part| self.members_in_body_of_type(*part, text));
            let firsts = found.map(|member| Referent::Def(self.first_part_of_type(member))).collect();
            return Resolution::new(firsts, true);
        }
        let Some(indexed) = self.names_index(def.file) else { return Resolution::default() };
        let mut own = Resolution::default();
        for part in indexed.bindings_with_body_of_definition(def.binding).binding_ids() {
            // Names that a function binds inside its body are no members of it.
            let body = indexed
                .binding_or_placeholder(*part)
                .body
                .filter(|body| indexed.scope_kind(*body) != ScopeKind::Function);
            if let Some(body) = body {
                let bound = indexed.bindings_of_name_text_in_scope(body, text);
                let defs = bound.iter().map(|id| Referent::Def(Def { file: def.file, binding: *id })).collect();
                own.add(Resolution::new(defs, true));
            }
        }
        if own.is_empty() || self.semantics_of_file_language_or_default(def.file).separates_fields_from_methods() {
            own.add(self.extension_member(def, text, budget));
        }
        own
    }

    /// Of several members of one name, keeps those of the type itself, or those of its instances; keeps all if nothing
    /// would be left.
    fn keep_static_or_instance_members(&self, mut found: Resolution, on_type: bool) -> Resolution {
        // An instance that seems to have a member of the type itself is likely something else.
        if let [Referent::Def(def)] = found.referents.as_slice() {
            found.sure &= on_type
                || !self.semantics_of_file_language_or_default(def.file).separates_static_from_instance_members()
                || self.binding_of_definition(*def).is_none_or(|binding| !binding.on_type);
        } else if found.referents.len() > 1 {
            let fits = |referent: &Referent| match referent {
                Referent::Def(def)
                    if self
                        .semantics_of_file_language_or_default(def.file)
                        .separates_static_from_instance_members() =>
                {
                    self.binding_of_definition(*def).is_none_or(|binding| binding.on_type == on_type)
                }
                _ => true,
            };
            if found.referents.iter().any(fits) {
                found.referents.retain(fits);
            } else {
                found.sure = false;
            }
        }
        found
    }

    /// Of several members of one name, keeps the functions if `called`, else the others; keeps all if nothing would be
    /// left.
    pub fn keep_functions_or_non_functions(&self, mut resolution: Resolution, called: bool) -> Resolution {
        if resolution.referents.len() > 1 {
            let fits = |referent: &Referent| {
                let kind = match referent {
                    Referent::Def(def) => self.binding_of_definition(*def).map(|binding| binding.kind),
                    _ => None,
                };
                (kind == Some(BindingKind::Function)) == called
            };
            if resolution.referents.iter().any(fits) {
                resolution.referents.retain(fits);
            }
        }
        resolution
    }

    /// The traits that the extension with the member `def` implements. A member of such a trait that has the name of
    /// `def` is implemented by `def`.
    pub fn traits_of_impl_containing_member(&self, def: Def, budget: &mut EvaluationBudget) -> Vec<Def> {
        let implements = self
            .names_index(def.file)
            .and_then(|index| index.extension_of_scope(index.binding_or_placeholder(def.binding).scope)?.implements);
        let Some(implements) = implements else { return Vec::new() };
        let resolution = self.resolve_expr_as_name(def.file, implements, budget);
        let mut traits = Vec::new();
        for referent in resolution.referents {
            if let Referent::Def(found) = referent {
                traits.push(
                    self.representative_of_same_name_in_scope(self.type_held_by_definition_or_itself(found, budget)),
                );
            }
        }
        traits
    }

    /// The member called `text` that a type inherits from its bases, or from the traits that it implements: that of the
    /// nearest that has it.
    pub(crate) fn inherited_member(&self, def: Def, text: &str, budget: &mut EvaluationBudget) -> Resolution {
        let mut external = false;
        let mut missing = Missing::Nothing;
        for &(file, base) in self.bases_of_type(def, budget).iter() {
            let mut found = self.member_inherited_from_base(def, (file, base), text, budget);
            missing |= found.missing;
            if found.referents.iter().any(|referent| *referent != Referent::External) {
                self.add_possible_members_of_bases(def, Some((file, base)), text, &mut found, budget);
                return found;
            }
            external |= !found.is_empty();
        }
        let mut found = if external { Resolution::new_outside_project() } else { Resolution::default() };
        found.missing = Missing::unknown_if(
            external
                && self
                    .semantics_of_file_language_or_default(def.file)
                    .is_inheritance_of_external_member_uncertain(text),
        );
        if self.semantics_of_file_language_or_default(def.file).namespaces_span_files() {
            found.missing |= missing;
        }
        found
    }

    /// Adds the members called `text` of the bases that a type only may have, without `known`: what has members copied to it may
    /// have those in place of its own and of inherited ones.
    fn add_possible_members_of_bases(
        &self,
        def: Def,
        known: Option<(FileId, ExprId)>,
        text: &str,
        found: &mut Resolution,
        budget: &mut EvaluationBudget,
    ) {
        for &(file, base) in self.bases_of_type(def, budget).iter() {
            if known == Some((file, base)) || !matches!(self.expr_by_id(file, base), Expr::Either(_)) {
                continue;
            }
            let mut possible = self.member_inherited_from_base(def, (file, base), text, budget);
            if possible.is_empty() {
                // An object, not a type.
                for value in budget.run_nested_within_limits(|budget| self.evaluate_expr(file, base, budget)).list {
                    possible.add(budget.run_nested_within_limits(|budget| self.value_member(&value, text, budget)));
                }
            }
            let is_defined = |referent: &Referent| *referent != Referent::External;
            if possible.referents.iter().any(is_defined) {
                found.add(possible);
                found.sure = false;
            }
        }
    }

    /// The members called `text` that a type inherits. Where members live in implementations of traits, each trait that has
    /// one gives it to the type; elsewhere the nearest base hides the others.
    pub(crate) fn inherited_members(&self, def: Def, text: &str, budget: &mut EvaluationBudget) -> Resolution {
        if !self.semantics_of_file_language_or_default(def.file).implementing_members_live_in_extensions() {
            return self.inherited_member(def, text, budget);
        }
        let mut all = Resolution::default();
        for &(file, base) in self.bases_of_type(def, budget).iter() {
            all.add(self.member_inherited_from_base(def, (file, base), text, budget));
        }
        all
    }

    /// The member called `text` that the type `def` inherits from one of its bases, an expression of a file.
    fn member_inherited_from_base(
        &self,
        def: Def,
        (file, base): (FileId, ExprId),
        text: &str,
        budget: &mut EvaluationBudget,
    ) -> Resolution {
        // Of several possible bases, which one is meant depends on the run.
        let is_certain = !matches!(self.expr_by_id(file, base), Expr::Either(_));
        let mut defined = self.resolve_expr_as_name(file, base, budget);
        if defined.is_empty() && self.semantics_of_file_language_or_default(file).bases_can_be_expressions() {
            // The base is an expression that makes a class: `extends mixin(Base)`.
            for value in budget.run_nested_within_limits(|budget| self.instances_of_type_expr(file, base, budget)).list
            {
                if let Value::Instance(made, _) = value {
                    defined.referents.push(Referent::Def(made));
                }
            }
        }
        let mut external = false;
        let mut missing = if defined.is_empty() { defined.missing } else { Missing::Nothing };
        for referent in defined.referents {
            external |= referent == Referent::External;
            for base in self.definitions_named_by_referent(referent, budget) {
                let base = self.type_held_by_definition_or_itself(base, budget);
                if base == def {
                    continue;
                }
                if self.are_known_to_derive_from_each_other(def, base) {
                    missing |= Missing::Unknown;
                    continue;
                }
                let mut found = budget.run_nested_within_limits(|budget| self.type_member(base, text, budget));
                if found.referents.iter().any(|referent| *referent != Referent::External) {
                    found.sure &= is_certain;
                    return found;
                }
                missing |= found.missing;
                external |= !found.is_empty();
            }
        }
        let found = if external { Resolution::new_outside_project() } else { Resolution::default() };
        Resolution { missing, ..found }
    }

    /// The type or constructor that a variable (`Base = make_base()`) or a field (`exports.Base = Base`) holds; any other
    /// definition itself.
    fn type_held_by_definition_or_itself(&self, def: Def, budget: &mut EvaluationBudget) -> Def {
        let kind = self.binding_of_definition(def).map(|binding| binding.kind);
        if !matches!(kind, Some(BindingKind::Variable | BindingKind::Field)) {
            return def;
        }
        let values = self.evaluate_definition(def, budget);
        let meant = values.list.iter().find_map(|value| match value {
            Value::Type(meant, _) => Some(*meant),
            Value::Function(function) => Some(self.name_of_constructor(*function)),
            _ => None,
        });
        meant.unwrap_or(def)
    }

    /// The definition to which the members of a function's instances are added: the function itself, or the variable or field
    /// that holds it (`Node` of `const Node = function () {}`).
    pub(crate) fn name_of_constructor(&self, function: Def) -> Def {
        let holder = self.names_index(function.file).and_then(|index| index.holder_of_function_expr(function.binding));
        holder
            .map_or(function, |binding| self.representative_of_same_name_in_scope(Def { file: function.file, binding }))
    }

    /// The types that a type extends or implements, as expressions of the files that declare it. Results are memoized.
    pub(crate) fn bases_of_type(&self, def: Def, budget: &mut EvaluationBudget) -> Arc<[(FileId, ExprId)]> {
        let Some(indexed) = self.names_index(def.file) else { return Arc::default() };
        let first =
            indexed.bindings_with_body_of_definition(def.binding).binding_ids().first().copied().unwrap_or(def.binding);
        let key = (Def { binding: first, ..def }, self.representative_of_same_name_in_scope(def));
        if let Some(known) = self.bases.get(&key) {
            return known;
        }
        let before = std::mem::replace(&mut budget.truncated, false);
        let found: Arc<[(FileId, ExprId)]> = self.find_bases_of_type_uncached(def, indexed, budget).into();
        if !budget.truncated {
            self.bases.insert(key, found.clone());
        }
        budget.truncated |= before;
        found
    }

    fn find_bases_of_type_uncached(
        &self,
        def: Def,
        indexed: &NamesIndex,
        budget: &mut EvaluationBudget,
    ) -> Vec<(FileId, ExprId)> {
        let mut bases = Vec::new();
        let parts = self.parts_of_type(def);
        if !parts.is_empty() {
            for part in parts.iter() {
                let Some(names) = self.names_of_file(part.file) else { continue };
                let span = names.bindings.get(part.binding as usize).map_or(Span::default(), |binding| binding.bases);
                bases.extend(names.expr_ids_in_list_range(span).iter().map(|base| (part.file, *base)));
            }
            return bases;
        }
        let functions =
            !self.semantics_of_file_language_or_default(def.file).function_binding_bases_hold_parameter_types();
        for part in indexed.bindings_with_body_of_definition(def.binding).binding_ids() {
            let binding = indexed.binding_or_placeholder(*part);
            let span = if functions || binding.kind != BindingKind::Function { binding.bases } else { Span::default() };
            bases.extend(indexed.names().expr_ids_in_list_range(span).iter().map(|base| (def.file, *base)));
        }
        for (file, extension) in self.extensions_of_definition(def, budget).iter() {
            let extension = self.names_of_file(*file).and_then(|names| names.extensions.get(*extension));
            if let Some(implements) = extension.and_then(|extension| extension.implements) {
                bases.push((*file, implements));
            }
        }
        bases
    }

    /// The member called `text` that extensions add to a type or object.
    pub(crate) fn extension_member(&self, def: Def, text: &str, budget: &mut EvaluationBudget) -> Resolution {
        let mut resolution = Resolution::default();
        for (file, extension) in self.extensions_of_definition(def, budget).iter() {
            let Some(indexed) = self.names_index(*file) else { continue };
            let Some(extension) = indexed.names().extensions.get(*extension) else { continue };
            let bound = indexed.bindings_of_name_text_in_scope(extension.scope, text);
            let defs: Vec<Referent> = bound.iter().map(|id| Referent::Def(Def { file: *file, binding: *id })).collect();
            // An inherent member hides a trait's member of the same name.
            if !defs.is_empty() && extension.implements.is_none() {
                return Resolution::new(defs, true);
            }
            resolution.add(Resolution::new(defs, true));
        }
        resolution
    }

    /// The extensions of the type that `def` defines, in all files that can extend it. Results are memoized.
    pub(crate) fn extensions_of_definition(&self, def: Def, budget: &mut EvaluationBudget) -> Arc<[ExtensionId]> {
        let canonical = self.representative_of_same_name_in_scope(def);
        if let Some(known) = self.definition_extensions.get(&canonical) {
            return known;
        }
        let before = std::mem::replace(&mut budget.truncated, false);
        let found: Arc<[ExtensionId]> = self.find_extensions_of_definition_uncached(canonical, budget).into();
        if !budget.truncated {
            self.definition_extensions.insert(canonical, found.clone());
        }
        budget.truncated |= before;
        found
    }

    fn find_extensions_of_definition_uncached(
        &self,
        canonical: Def,
        budget: &mut EvaluationBudget,
    ) -> Vec<ExtensionId> {
        let Some(indexed) = self.names_index(canonical.file) else { return Vec::new() };
        let name = indexed.names().name_text(indexed.binding_or_placeholder(canonical.binding).name);
        let mut found = Vec::new();
        for (file, extension) in self.extensions_of_type_name(canonical.file, name).iter() {
            let Some(names) = self.names_of_file(*file) else { continue };
            let Some(target) = names.extensions.get(*extension).map(|extension| extension.target) else { continue };
            let resolution = budget.evaluate_without_counting_steps(|budget| {
                budget.run_nested_within_limits(|budget| {
                    self.resolve_expr_as_name(*file, self.type_expr_without_type_arguments(*file, target), budget)
                })
            });
            let mut hits = |referent: Referent| {
                let named = self.definitions_named_by_referent(referent, budget);
                named.into_iter().any(|target| self.representative_of_same_name_in_scope(target) == canonical)
            };
            if resolution.referents.into_iter().any(&mut hits) {
                found.push((*file, *extension));
            }
        }
        found
    }

    /// A type expression without its type arguments.
    pub(crate) fn type_expr_without_type_arguments(&self, file: FileId, expr: ExprId) -> ExprId {
        self.names_of_file(file).map_or(expr, |names| type_expr_without_type_arguments(names, expr))
    }

    /// The extensions of types called `name`, in the files that can extend the types of `file`.
    fn extensions_of_type_name(&self, file: FileId, name: &str) -> Arc<[ExtensionId]> {
        let files = self.files_that_can_extend_types_of(file);
        let asked = (files.first().copied().unwrap_or(file), name.into());
        if let Some(known) = self.extensions.get(&asked) {
            return known;
        }
        let holders = files.iter().filter(|file| self.project_index().may_file_contain_name(**file, name));
        let extenders = holders.flat_map(|file| {
            let indexed = self.names_index(*file).into_iter();
            indexed.flat_map(|indexed| indexed.extensions_of_type_name_text(name)).map(|index| (*file, index))
        });
        let made: Arc<[ExtensionId]> = extenders.collect();
        self.extensions.insert(asked, made.clone());
        made
    }

    /// The files whose extensions can extend the types of `file`.
    pub(crate) fn files_that_can_extend_types_of(&self, file: FileId) -> Arc<[FileId]> {
        if let Some(known) = self.extending_files.get(&file) {
            return known;
        }
        let files = self
            .module_resolver_of_file_language(file)
            .map_or_else(Vec::new, |modules| modules.files_possibly_extending_types_of(self.project_index(), file));
        let files = if files.is_empty() { vec![file] } else { files };
        // All files that have the same list share one copy of it.
        let first = files.first().copied().unwrap_or(file);
        let made = self.extending_files.get(&first).unwrap_or_else(|| files.into());
        self.extending_files.insert(first, made.clone());
        self.extending_files.insert(file, made.clone());
        made
    }

    /// The type whose body or extension contains a scope.
    pub(crate) fn this_type(&self, file: FileId, scope: ScopeId, budget: &mut EvaluationBudget) -> Option<Def> {
        let indexed = self.names_index(file)?;
        let members = indexed.enclosing_type_scope(scope)?;
        if let Some(owner) = indexed.scope_owner(members) {
            return Some(self.first_part_of_type(Def { file, binding: owner }));
        }
        let extension = indexed.extension_of_scope(members)?;
        let resolution =
            self.resolve_expr_as_name(file, self.type_expr_without_type_arguments(file, extension.target), budget);
        resolution
            .referents
            .into_iter()
            .find_map(|referent| self.definitions_named_by_referent(referent, budget).into_iter().next())
    }

    /// The value of `this` or `self` in a scope: an instance of the type around it, else the object whose members'
    /// scope it is in.
    pub(crate) fn this_value(&self, file: FileId, scope: ScopeId, budget: &mut EvaluationBudget) -> PossibleValues {
        if let Some(own) =
            self.semantics_of_file_language_or_default(file).self_value_in_extension(self, file, scope, budget)
        {
            return own;
        }
        if let Some(def) = self.this_type(file, scope, budget) {
            return PossibleValues::single(Value::Instance(def, None), true);
        }
        let members = self.names_index(file).and_then(|indexed| indexed.enclosing_type_scope(scope));
        members
            .map_or_else(PossibleValues::default, |members| PossibleValues::single(Value::Object(file, members), true))
    }

    /// The type arguments that the type `own` has where `Self` is written in a scope.
    pub(crate) fn self_type_arguments(
        &self,
        file: FileId,
        scope: ScopeId,
        own: Def,
        budget: &mut EvaluationBudget,
    ) -> Arguments {
        let values =
            self.semantics_of_file_language_or_default(file).self_value_in_extension(self, file, scope, budget)?;
        values.list.into_iter().find_map(|value| match value {
            Value::Instance(def, arguments) if def == own => arguments,
            _ => None,
        })
    }

    /// Whether two members of one name belong to types of which one derives from the other.
    pub fn has_owner_types_related_by_inheritance(&self, one: Def, other: Def, budget: &mut EvaluationBudget) -> bool {
        let (Some(first), Some(second)) = (self.owner_type(one, budget), self.owner_type(other, budget)) else {
            return false;
        };
        self.is_derived_from(first, second, budget) || self.is_derived_from(second, first, budget)
    }

    /// A member together with the members of the same name in all types that its type extends or implements, at any
    /// depth. A function that is a member under several names has those of each name. Members that only forward to another
    /// definition are that definition.
    pub fn member_and_overridden_members(&self, member: Def, budget: &mut EvaluationBudget) -> Arc<BTreeSet<Def>> {
        let member = self.forwarded_or_canonical_definition(member);
        if let Some(known) = self.overridden_members.get(&member) {
            return known;
        }
        let before = std::mem::replace(&mut budget.truncated, false);
        let mut found = BTreeSet::from([member]);
        self.add_overridden_members(member, &mut found, budget);
        if let Some(index) = self.names_index(member.file) {
            for further in index.further_names_of_function_held_by(member.binding) {
                self.add_overridden_members(Def { binding: further, ..member }, &mut found, budget);
            }
        }
        let found = Arc::new(found);
        if !budget.truncated {
            self.overridden_members.insert(member, found.clone());
        }
        budget.truncated |= before;
        found
    }

    fn add_overridden_members(&self, member: Def, found: &mut BTreeSet<Def>, budget: &mut EvaluationBudget) {
        let (Some(binding), Some(holder)) = (self.binding_of_definition(member), self.owner_type(member, budget))
        else {
            return;
        };
        let text = self.name_text(member.file, binding.name);
        if !self.semantics_of_file_language_or_default(member.file).can_member_override(binding, text) {
            return;
        }
        let semantics = self.semantics_of_file_language_or_default(member.file);
        if semantics.implementing_members_live_in_extensions() {
            // A member of the type itself hides the members of its traits, and a trait's member overrides none.
            for of in self.traits_of_impl_containing_member(member, budget) {
                let own = self.own_or_extension_member(of, text, budget);
                found.extend(self.overridden_of_same_side(binding, own));
            }
            return;
        }
        let mut seen = BTreeSet::from([holder]);
        let mut next = vec![holder];
        while let Some(def) = next.pop() {
            for &(file, base) in self.bases_of_type(def, budget).iter() {
                for value in
                    budget.run_nested_within_limits(|budget| self.instances_of_type_expr(file, base, budget)).list
                {
                    let own = match value {
                        Value::Instance(base, _) | Value::Type(base, _) => {
                            let base = self.representative_of_same_name_in_scope(base);
                            if seen.len() >= MAX_LINEAGE || !seen.insert(base) {
                                continue;
                            }
                            next.push(base);
                            self.own_or_extension_member(base, text, budget)
                        }
                        Value::Object(..) => self.value_member(&value, text, budget),
                        _ => continue,
                    };
                    let overridden = self.overridden_of_same_side(binding, own).into_iter();
                    let semantics = self.semantics_of_file_language_or_default(member.file);
                    let overridden: Vec<Def> = overridden
                        .filter(|other| semantics.can_member_override_other(self, member, *other, budget))
                        .collect();
                    found.extend(overridden);
                }
            }
        }
    }

    /// The members to which a name resolves that are on the same side as `binding`, all on types or all on objects: only
    /// those can be overridden by it.
    fn overridden_of_same_side(&self, binding: &Binding, found: Resolution) -> Vec<Def> {
        let same_side =
            |def: &Def| self.binding_of_definition(*def).is_none_or(|other| other.on_type == binding.on_type);
        let members = found.referents.into_iter().filter_map(|referent| match referent {
            Referent::Def(def) => Some(self.representative_of_same_name_in_scope(def)),
            _ => None,
        });
        members.filter(same_side).map(|def| self.forwarded_or_canonical_definition(def)).collect()
    }

    /// The type that a definition is a member of.
    pub fn owner_type(&self, def: Def, budget: &mut EvaluationBudget) -> Option<Def> {
        let scope = self.binding_of_definition(def)?.scope;
        let indexed = self.names_index(def.file)?;
        (indexed.scope_kind(scope) == ScopeKind::Type)
            .then(|| self.this_type(def.file, scope, budget))
            .flatten()
            .map(|holder| self.representative_of_same_name_in_scope(holder))
    }

    /// Whether a type has `base` among its bases, at any depth up to [`MAX_BASES`].
    pub fn is_derived_from(&self, def: Def, base: Def, budget: &mut EvaluationBudget) -> bool {
        self.all_bases_of_type(def, budget).contains(&base)
    }

    /// The definitions that are bases of a type, at any depth up to [`MAX_BASES`]. Results are memoized.
    pub(crate) fn all_bases_of_type(&self, def: Def, budget: &mut EvaluationBudget) -> Arc<BTreeSet<Def>> {
        if let Some(known) = self.all_bases.get(&def) {
            return known;
        }
        let before = std::mem::replace(&mut budget.truncated, false);
        let mut all = BTreeSet::new();
        let mut level = vec![def];
        for _ in 0..=MAX_BASES {
            let mut next = Vec::new();
            for def in level {
                for &(file, expr) in self.bases_of_type(def, budget).iter() {
                    for referent in self.resolve_expr_as_name(file, expr, budget).referents {
                        for found in self.definitions_named_by_referent(referent, budget) {
                            let found = self.representative_of_same_name_in_scope(
                                self.type_held_by_definition_or_itself(found, budget),
                            );
                            if all.insert(found) {
                                next.push(found);
                            }
                        }
                    }
                }
            }
            level = next;
        }
        let all = Arc::new(all);
        if !budget.truncated {
            self.all_bases.insert(def, all.clone());
        }
        budget.truncated |= before;
        all
    }
}

/// The limit on the number of types that are searched for overridden members.
const MAX_LINEAGE: usize = 64;

/// The limit on the levels of base types that are followed.
const MAX_BASES: usize = MAX_VALUES * 2;
