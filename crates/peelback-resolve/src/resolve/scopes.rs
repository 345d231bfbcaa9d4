//! Look-up of bare names, from the innermost scope outwards.

use peelback_syntax::names::{BindingKind, FILE_SCOPE, NameId, ScopeId, ScopeKind};

use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::resolver::Resolver;

impl Resolver<'_> {
    /// Resolves `name` as used at byte `at` of a scope. Imports are followed; a name that nothing in the project binds
    /// is external.
    pub(crate) fn look_up_name(
        &self,
        file: FileId,
        scope: ScopeId,
        name: NameId,
        at: u32,
        budget: &mut EvaluationBudget,
    ) -> Resolution {
        if self.semantics_of_file_language_or_default(file).namespaces_span_files() {
            return self.look_up_name_in_spread_namespaces(file, scope, name, at, budget);
        }
        let Some(indexed) = self.names_index(file) else { return Resolution::default() };
        let text = indexed.names().name_text(name);
        let mut unknown_glob = false;
        let mut announced = Resolution::default();
        let mut next = Some(scope);
        while let Some(here) = next {
            if here == scope || indexed.scope_kind(here) != ScopeKind::Type {
                let found = indexed.bindings_of_name_visible_at_byte(here, name, at);
                if !found.is_empty() {
                    let mut resolution = Resolution::default();
                    for binding in found {
                        resolution.add(self.resolve_definition_through_import(Def { file, binding: *binding }, budget));
                    }
                    if !self.is_only_forward_declared(file, &resolution) {
                        return resolution;
                    }
                    announced = resolution;
                }
                if indexed.glob_imports_of_scope(here).next().is_none() {
                    next = self.enclosing_scope_visible_from(file, here);
                    continue;
                }
                let (sources, has_unknown) = self.referents_of_globs_binding_name(file, here, text, budget);
                unknown_glob |= has_unknown;
                for source in sources {
                    let found = self.look_up_name_in_glob_source(&source, text, budget);
                    if self.is_only_forward_declared(file, &found) {
                        announced.add(found);
                    } else if !found.is_empty() {
                        announced.add(found);
                        return announced;
                    }
                }
            }
            next = self.enclosing_scope_visible_from(file, here);
        }
        if !announced.is_empty() {
            announced.add(self.definitions_linked_by_name(file, text));
            return announced;
        }
        let Some(modules) = self.module_resolver_of_file_language(file) else { return Resolution::default() };
        for module in modules.modules_visible_without_import(self.project_index(), file) {
            let found = self.module_member(&module, text, budget);
            if !found.is_empty() {
                return found;
            }
        }
        if let Some(module) = modules.module_of_unbound_first_segment(self.project_index(), file, scope, text) {
            return Resolution::new(vec![Referent::Module(module)], true);
        }
        let imported = self.definitions_linked_by_name(file, text);
        if !imported.is_empty() || unknown_glob {
            return imported;
        }
        Resolution::new_outside_project()
    }

    /// The enclosing scope whose names code in a scope sees, too.
    pub(crate) fn enclosing_scope_visible_from(&self, file: FileId, scope: ScopeId) -> Option<ScopeId> {
        let indexed = self.names_index(file)?;
        let closed = indexed.scope_kind(scope) == ScopeKind::Module
            && !self.semantics_of_file_language_or_default(file).modules_see_enclosing_scopes();
        if closed { None } else { indexed.parent_scope(scope) }
    }

    /// Whether a file, or a file that it includes, defines a macro of this name.
    pub fn is_name_of_visible_macro(&self, file: FileId, name: NameId) -> bool {
        let resolution = self.look_up_name(file, FILE_SCOPE, name, u32::MAX, &mut self.new_budget());
        resolution.referents.iter().any(|referent| match referent {
            Referent::Def(def) => {
                self.binding_of_definition(*def).is_some_and(|binding| binding.kind == BindingKind::Macro)
            }
            _ => false,
        })
    }

    /// Whether a resolution consists of forward declarations only (`struct node;`), whose definitions may be elsewhere.
    pub(crate) fn is_only_forward_declared(&self, file: FileId, resolution: &Resolution) -> bool {
        let announces = |referent: &Referent| match referent {
            Referent::Def(def) => self
                .binding_of_definition(*def)
                .is_some_and(|binding| binding.kind == BindingKind::Type && binding.body.is_none()),
            _ => false,
        };
        !resolution.is_empty()
            && self.semantics_of_file_language_or_default(file).has_forward_declarations()
            && resolution.referents.iter().all(announces)
    }

    /// The definitions that a glob import binds under the name `text`, by what its source leads to.
    fn look_up_name_in_glob_source(
        &self,
        source: &[Referent],
        text: &str,
        budget: &mut EvaluationBudget,
    ) -> Resolution {
        let mut found = Resolution::default();
        for referent in source {
            match referent {
                Referent::Module(module) if self.is_included_in_glob_import(module, text) => {
                    found.add(budget.run_nested_within_limits(|budget| self.module_member(module, text, budget)));
                }
                // A glob import of an enum: `use Enum::*`.
                Referent::Def(def) => found.add(self.type_member(*def, text, budget)),
                _ => {}
            }
        }
        found
    }

    /// The bindings of a name in a file's outermost scope.
    pub(crate) fn top_level_bindings_of_name(&self, file: FileId, text: &str) -> Vec<Def> {
        let Some(indexed) = self.names_index(file) else { return Vec::new() };
        indexed
            .bindings_of_name_text_in_scope(FILE_SCOPE, text)
            .iter()
            .map(|binding| Def { file, binding: *binding })
            .collect()
    }
}
