//! Look-up of bare names where namespaces are spread over files.

use peelback_syntax::names::{BindingKind, ExprId, NameId, Role, ScopeId, ScopeKind};

use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::index::NamesIndex;
use crate::resolve::missing::Missing;
use crate::resolve::namespaces::{MAX_SCOPES, SEPARATOR};
use crate::resolve::resolver::Resolver;

impl Resolver<'_> {
    /// Resolves `name` as used at byte `at` of a scope, where namespaces are spread over files.
    pub(crate) fn look_up_name_in_spread_namespaces(
        &self,
        file: FileId,
        scope: ScopeId,
        name: NameId,
        at: u32,
        budget: &mut EvaluationBudget,
    ) -> Resolution {
        // Where a type or a namespace must stand, functions and variables of the name hide nothing.
        let role = self.role_of_identifier(file, name, at);
        if role == Some(Role::Type) {
            let found = self.look_up_name_in_scopes(file, scope, (name, at), (true, role), budget);
            if found.referents.iter().any(|referent| *referent != Referent::External) {
                return found;
            }
        }
        self.look_up_name_in_scopes(file, scope, (name, at), (false, role), budget)
    }

    /// The role of the name at a byte of a file; `None` if it is no occurrence.
    fn role_of_identifier(&self, file: FileId, name: NameId, at: u32) -> Option<Role> {
        let names = self.names_of_file(file)?;
        let start = names.occurrences.partition_point(|found| found.at < at);
        let here = names.occurrences.get(start..)?.iter().take_while(|found| found.at == at);
        here.filter(|found| found.name == name).map(|found| found.role).next()
    }

    /// Looks a name up from a scope outwards. With `types_only`, what is neither a type nor a module is passed over.
    fn look_up_name_in_scopes(
        &self,
        file: FileId,
        scope: ScopeId,
        (name, at): (NameId, u32),
        (types_only, role): (bool, Option<Role>),
        budget: &mut EvaluationBudget,
    ) -> Resolution {
        let Some(indexed) = self.names_index(file) else { return Resolution::default() };
        let text = indexed.names().name_text(name);
        if self.semantics_of_file_language_or_default(file).is_builtin_type_name(text) {
            return Resolution::new_outside_project();
        }
        let mut directives: Vec<(FileId, ExprId)> = Vec::new();
        let mut inherits_unknown = false;
        let mut announced = Resolution::default();
        let mut missing = Missing::Nothing;
        let mut next = Some(scope);
        while let Some(here) = next {
            next = indexed.parent_scope(here);
            let mut found = match indexed.scope_kind(here) {
                ScopeKind::Function | ScopeKind::Block | ScopeKind::MacroCall => {
                    if !budget.resolves_using_directive {
                        self.add_using_directives(file, here, &mut directives);
                    }
                    let bound = indexed.bindings_of_name_visible_at_byte(here, name, at);
                    let mut found = Resolution::default();
                    for id in bound {
                        found.add(self.follow_using_declaration(Def { file, binding: *id }, budget));
                    }
                    found
                }
                ScopeKind::Type => {
                    let found = self.look_up_name_in_type_scope(file, here, text, budget);
                    // The type around the code behind a macro has a base only if the macro's argument names one.
                    let is_written = |owner| indexed.binding_or_placeholder(owner).scope != here;
                    inherits_unknown |= found.missing.is_any() && indexed.scope_owner(here).is_none_or(is_written);
                    found
                }
                ScopeKind::Module | ScopeKind::File => {
                    let namespaces = self.namespaces_of_file(file);
                    let mut found = match namespaces.path_of_scope(here) {
                        Some(path) => self.member_of_namespace_path(file, path, text, budget),
                        None => Resolution { missing: Missing::Unknown, ..Resolution::default() },
                    };
                    for directive in std::mem::take(&mut directives) {
                        if found.is_empty() {
                            found = self.member_through_using_directive(file, directive, text, budget);
                        }
                    }
                    if inherits_unknown && role == Some(Role::Call) {
                        // A base that is not known may have a member of this name.
                        found.missing |= Missing::Unknown;
                    }
                    found
                }
            };
            if types_only {
                found.referents.retain(|referent| !self.is_value_or_function(referent));
            }
            missing |= found.missing;
            if found.referents.iter().all(|referent| *referent == Referent::External) {
                continue;
            }
            if self.is_only_forward_declared(file, &found) {
                announced.add(found);
                continue;
            }
            return found;
        }
        if !announced.is_empty() {
            return self.complete_forward_declarations(file, text, announced, budget);
        }
        // A header may use what those that include it have included before, and the arguments of a call may bring the names
        // of their own namespaces.
        let is_broken = !indexed.names().missed.is_empty();
        let mut linked = self.linked_definitions_meant_by_unbound_name(file, text, role, is_broken);
        linked.missing |= missing;
        if linked.is_empty()
            && self.semantics_of_file_language_or_default(file).standard_library_namespace() == Some(text)
        {
            return Resolution { missing, ..Resolution::new_outside_project() };
        }
        linked
    }

    /// The definitions, among those that a search linked with a name, that the name may mean where no visible file binds it.
    /// Results are memoized.
    fn linked_definitions_meant_by_unbound_name(
        &self,
        file: FileId,
        text: &str,
        role: Option<Role>,
        is_broken: bool,
    ) -> Resolution {
        let linked = self.definitions_linked_by_name(file, text);
        let mut meant = Resolution { missing: Missing::Unknown, ..Resolution::default() };
        if linked.is_empty() {
            return meant;
        }
        let is_call = role == Some(Role::Call);
        // What is around a name in a file with errors may have been misread.
        let may_be_misread = is_broken && matches!(role, Some(Role::Call | Role::Type));
        let key = (file, format!("{} {is_call} {may_be_misread} {text}", linked.referents.len()).into_boxed_str());
        if let Some(known) = self.linked_names_by_file.get(&key) {
            return known;
        }
        for referent in linked.referents {
            let Referent::Def(def) = referent else { continue };
            if !self.is_member_of_type(&referent)
                && (is_call && self.is_value_or_function(&referent)
                    || may_be_misread
                    || self.files_visible_by_includes(def.file).contains(file))
            {
                meant.add(Resolution::new(vec![referent], false));
            }
        }
        self.linked_names_by_file.insert(key, meant.clone());
        meant
    }

    /// Whether a referent is neither a type nor a module.
    fn is_value_or_function(&self, referent: &Referent) -> bool {
        let Referent::Def(def) = referent else { return false };
        self.binding_of_definition(*def).is_some_and(|binding| {
            matches!(
                binding.kind,
                BindingKind::Function
                    | BindingKind::Variable
                    | BindingKind::Field
                    | BindingKind::Parameter
                    | BindingKind::EnumMember
            )
        })
    }

    fn is_member_of_type(&self, referent: &Referent) -> bool {
        let Referent::Def(def) = referent else { return false };
        let Some(indexed) = self.names_index(def.file) else { return false };
        indexed.scope_kind(indexed.binding_or_placeholder(def.binding).scope) == ScopeKind::Type
    }

    /// The definition with a body that forward declarations announce, where the project is known to have one.
    pub(super) fn complete_forward_declarations(
        &self,
        file: FileId,
        text: &str,
        announced: Resolution,
        budget: &mut EvaluationBudget,
    ) -> Resolution {
        let paths: Vec<String> = announced
            .referents
            .iter()
            .filter_map(|referent| match referent {
                Referent::Def(def) => self.qualified_path_of_definition(*def, budget),
                _ => None,
            })
            .collect();
        // A search may link more definitions later.
        let linked = self.definitions_linked_by_name(file, text);
        let key = (file, format!("{} {}", linked.referents.len(), paths.join(" ")).into_boxed_str());
        if let Some(known) = self.completed_declarations.get(&key) {
            return if known.is_empty() { Resolution { sure: true, ..announced } } else { known };
        }
        let mut defined = Resolution::default();
        for visible in self.files_visible_by_includes(file).in_order.iter() {
            let Some(indexed) = self.names_index(*visible) else { continue };
            if !indexed.names().extensions.is_empty() {
                self.add_defined_types(*visible, indexed, text, &paths, &mut defined, budget);
            }
        }
        for referent in linked.referents {
            if let Referent::Def(def) = referent
                && self.is_defined_type(def)
                && self.qualified_path_of_definition(def, budget).is_some_and(|path| paths.contains(&path))
            {
                defined.add(Resolution::new(vec![Referent::Def(def)], true));
            }
        }
        if !budget.truncated {
            self.completed_declarations.insert(key, defined.clone());
        }
        if defined.is_empty() { Resolution { sure: true, ..announced } } else { defined }
    }

    /// Adds the types called `text` that a file defines outside of the types that they are members of.
    fn add_defined_types(
        &self,
        file: FileId,
        indexed: &NamesIndex,
        text: &str,
        paths: &[String],
        defined: &mut Resolution,
        budget: &mut EvaluationBudget,
    ) {
        let Some(name) = indexed.name_id_of_text(text) else { return };
        for id in indexed.bindings_of_name(name) {
            let def = Def { file, binding: *id };
            if indexed.extension_of_scope(indexed.binding_or_placeholder(*id).scope).is_some()
                && self.is_defined_type(def)
                && self.qualified_path_of_definition(def, budget).is_some_and(|path| paths.contains(&path))
            {
                defined.add(Resolution::new(vec![Referent::Def(def)], true));
            }
        }
    }

    pub(super) fn is_defined_type(&self, def: Def) -> bool {
        self.binding_of_definition(def)
            .is_some_and(|binding| binding.kind == BindingKind::Type && binding.body.is_some())
    }

    /// The members that a bare name means in the scope of a type's members, and the names around the type if it is
    /// declared elsewhere.
    fn look_up_name_in_type_scope(
        &self,
        file: FileId,
        scope: ScopeId,
        text: &str,
        budget: &mut EvaluationBudget,
    ) -> Resolution {
        let Some(indexed) = self.names_index(file) else { return Resolution::default() };
        let Some(def) = budget.run_nested_within_limits(|budget| self.this_type(file, scope, budget)) else {
            let bound = indexed.bindings_of_name_text_in_scope(scope, text);
            let defs = bound.iter().map(|id| Referent::Def(Def { file, binding: *id })).collect();
            return Resolution::new(defs, true);
        };
        let mut of = def;
        let mut found = Resolution::default();
        for _ in 0..MAX_SCOPES {
            let Some(binding) = self.binding_of_definition(of) else { break };
            if binding.kind == BindingKind::Module {
                if let Some(path) = self.path_of_namespace(of, budget) {
                    return self.member_of_namespace_path(file, &path, text, budget);
                }
                break;
            }
            // Inside of a type, its own name means the type and not its constructor.
            if self.name_text(of.file, binding.name) == text {
                return Resolution::new(vec![Referent::Def(of)], true);
            }
            // So does the name of a base.
            let bases = self.all_bases_of_type(of, budget);
            let is_named = |base: &&Def| {
                self.binding_of_definition(**base).is_some_and(|found| self.name_text(base.file, found.name) == text)
            };
            if let Some(base) = bases.iter().find(is_named) {
                return Resolution::new(vec![Referent::Def(*base)], true);
            }
            let member = budget.run_nested_within_limits(|budget| self.type_member(of, text, budget));
            found.missing |= member.missing;
            if member.referents.iter().any(|referent| *referent != Referent::External) {
                return member;
            }
            // The scopes around a type in the same file come next anyway.
            if indexed.scope_owner(scope).is_some() {
                break;
            }
            let Some(outer) = self.names_index(of.file) else { break };
            let mut around = Some(binding.scope);
            while let Some(at) = around.filter(|at| outer.scope_kind(*at) == ScopeKind::Block) {
                around = outer.parent_scope(at);
            }
            let Some(around) = around else { break };
            match outer.scope_kind(around) {
                ScopeKind::Type => {
                    let next = budget.run_nested_within_limits(|budget| self.this_type(of.file, around, budget));
                    match next {
                        Some(next) if next != of => of = next,
                        _ => break,
                    }
                }
                ScopeKind::Module => {
                    let namespaces = self.namespaces_of_file(of.file);
                    let Some(path) = namespaces.path_of_scope(around) else { break };
                    let mut path = path.to_owned();
                    while !path.is_empty() {
                        let found = self.member_of_namespace_path(file, &path, text, budget);
                        if !found.is_empty() {
                            return found;
                        }
                        path = path.rsplit_once(SEPARATOR).map_or(String::new(), |(outer, _)| outer.to_owned());
                    }
                    break;
                }
                _ => break,
            }
        }
        found
    }
}
