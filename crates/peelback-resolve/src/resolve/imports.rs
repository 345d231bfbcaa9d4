//! Resolves imports.

use peelback_syntax::names::{BindingKind, Exported, ModuleImportId, NameId};

use crate::modules::{Destination, FileId, Module};
use crate::resolve::budget::{EvaluationBudget, MAX_VALUES};
use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::resolver::Resolver;

impl Resolver<'_> {
    /// Resolves a definition that is an import's local name to what it imports; any other definition resolves to
    /// itself.
    pub(crate) fn resolve_definition_through_import(&self, def: Def, budget: &mut EvaluationBudget) -> Resolution {
        let Some(binding) = self.binding_of_definition(def) else { return Resolution::default() };
        match binding.import {
            Some((import, name)) if binding.kind == BindingKind::Import => {
                budget.run_nested_within_limits(|budget| self.resolve_import(def.file, import, name, budget))
            }
            _ => Resolution::new(vec![Referent::Def(self.first_part_of_type(def))], true),
        }
    }

    /// Resolves an import: to the module or item that its source names, or to the member `name` of that.
    pub(crate) fn resolve_import(
        &self,
        file: FileId,
        import: ModuleImportId,
        name: Option<NameId>,
        budget: &mut EvaluationBudget,
    ) -> Resolution {
        let Some(names) = self.names_of_file(file) else { return Resolution::default() };
        let Some(found) = names.imports.get(import as usize) else { return Resolution::default() };
        let Some(modules) = self.module_resolver_of_file_language(file) else { return Resolution::default() };
        if let Some(module) = modules.find_ambient_module(self.project_index(), names.name_text(found.source)) {
            let given = match name {
                Some(name) => {
                    budget.run_nested_within_limits(|budget| self.module_member(&module, names.name_text(name), budget))
                }
                None => Resolution::new(vec![Referent::Module(module)], true),
            };
            if !given.is_empty() {
                return given;
            }
        }
        let path = self.semantics_of_file_language_or_default(file).resolve_import_by_path_segments(
            self,
            file,
            (import, found.kind),
            budget,
        );
        let source =
            path.unwrap_or_else(|| match modules.import_destination(self.project_index(), file, names, found) {
                Destination::Module(module) => Resolution::new(vec![Referent::Module(module)], true),
                Destination::External(_) => Resolution::new_outside_project(),
                Destination::Unresolved(_) => Resolution::default(),
            });
        let Some(name) = name else { return source };
        let text = names.name_text(name);
        let mut resolution = Resolution::default();
        for referent in &source.referents {
            let mut found = self.referent_member(referent, text, budget);
            found.sure &= source.sure;
            found.missing |= source.missing;
            resolution.add(found);
        }
        resolution
    }

    /// The member called `text` of a referent, which the first part of a path was resolved to.
    pub(crate) fn referent_member(&self, referent: &Referent, text: &str, budget: &mut EvaluationBudget) -> Resolution {
        match referent {
            Referent::Module(module) => {
                budget.run_nested_within_limits(|budget| self.module_member(module, text, budget))
            }
            Referent::Def(def) => budget.run_nested_within_limits(|budget| self.type_member(*def, text, budget)),
            Referent::Value(file, expr) => {
                let values = self.evaluate_expr(*file, *expr, budget);
                let mut resolution = Resolution::default();
                for value in &values.list {
                    resolution.add(self.value_member(value, text, budget));
                }
                resolution.sure &= values.sure;
                resolution.missing |= values.missing;
                resolution
            }
            Referent::External => Resolution::new_outside_project(),
        }
    }

    /// Whether a glob import of a module imports the name `text`.
    pub(crate) fn is_included_in_glob_import(&self, module: &Module, text: &str) -> bool {
        let Module::File(file) = module else { return true };
        self.names_of_file(*file).is_none_or(|names| {
            self.semantics_of_file_language_or_default(*file).is_included_in_glob_import(names, text)
        })
    }

    /// The expression that is the whole value of a module: the right side of `module.exports = …`.
    pub(crate) fn whole_module_export_expr(&self, module: &Module) -> Option<(FileId, u32)> {
        let Module::File(file) = module else { return None };
        let exports = self.names_of_file(*file)?.exports.as_deref()?;
        exports.iter().rev().find_map(|export| match export.what {
            Exported::Module(expr) => Some((*file, expr)),
            _ => None,
        })
    }

    /// The definitions that a referent names: itself, or what the value of a module names (`module.exports = Base`), through
    /// modules that re-export others as a whole; in the order in which they are declared.
    pub(crate) fn definitions_named_by_referent(&self, referent: Referent, budget: &mut EvaluationBudget) -> Vec<Def> {
        let (mut found, mut seen, mut next) = (Vec::new(), Vec::new(), vec![referent]);
        while let Some(referent) = next.pop() {
            match referent {
                Referent::Def(def) => found.push(def),
                Referent::Module(module) if seen.len() < MAX_VALUES && !seen.contains(&module) => {
                    if let Some((file, expr)) = self.whole_module_export_expr(&module) {
                        next.extend(self.resolve_expr_as_name(file, expr, budget).referents.into_iter().rev());
                    }
                    seen.push(module);
                }
                _ => {}
            }
        }
        found
    }

    /// The definitions that a name without a visible binding is linked to, in all files of the project.
    /// [`Resolver::add_linked_definitions_by_name`] supplies them during a search for references.
    pub(crate) fn definitions_linked_by_name(&self, file: FileId, text: &str) -> Resolution {
        if !self.semantics_of_file_language_or_default(file).resolves_unbound_names_by_linkage() {
            return Resolution::default();
        }
        let known = self.linked_names.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let defs = known.get(text).map(|defs| defs.iter().map(|def| Referent::Def(*def)).collect());
        defs.map_or_else(Resolution::default, |defs| Resolution::new(defs, true))
    }
}
