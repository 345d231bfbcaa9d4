//! Resolves imports, and looks up the members of modules.

use std::sync::Arc;

use peelback_syntax::names::{BindingKind, Exported, FILE_SCOPE, ModuleImportId, NameId, Names};

use crate::modules::{Destination, FileId, Module};
use crate::resolve::budget::EvaluationBudget;
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
            _ => Resolution::new(vec![Referent::Def(def)], true),
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
        let path = self.semantics_of_file_language_or_default(file).resolve_import_path_of_names(
            self,
            file,
            (import, found.kind),
            budget,
        );
        let source =
            path.unwrap_or_else(|| match modules.import_destination(self.project_index(), file, names, found) {
                Destination::Module(module) => Resolution::new(vec![Referent::Module(module)], true),
                Destination::External(_) => Resolution::external(),
                Destination::Unresolved(_) => Resolution::default(),
            });
        let Some(name) = name else { return source };
        let text = names.name_text(name);
        let mut resolution = Resolution::default();
        for referent in &source.referents {
            let mut found = self.referent_member(referent, text, budget);
            found.sure &= source.sure;
            found.partial |= source.partial;
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
                resolution.partial |= values.partial;
                resolution
            }
            Referent::External => Resolution::external(),
        }
    }

    /// Whether a glob import of a module imports the name `text`.
    pub(crate) fn is_included_in_glob_import(&self, module: &Module, text: &str) -> bool {
        let Module::File(file) = module else { return true };
        self.names_of_file(*file).is_none_or(|names| {
            self.semantics_of_file_language_or_default(*file).is_included_in_glob_import(names, text)
        })
    }

    /// The member called `text` of a module. Re-exports are followed.
    pub(crate) fn module_member(&self, module: &Module, text: &str, budget: &mut EvaluationBudget) -> Resolution {
        let key = (module.clone(), Box::from(text));
        if let Some(known) = self.module_members.get(&key) {
            return known;
        }
        // `from . import a` inside a package first asks the package itself for `a`.
        if budget.open_lookups.contains(&key) {
            budget.note_cycle();
            return Resolution::default();
        }
        budget.open_lookups.push(key);
        let before = std::mem::replace(&mut budget.truncated, false);
        let found = budget.run_nested_within_limits(|budget| match module {
            Module::File(file) => self.member_of_file_module(*file, text, budget),
            Module::Scope(file, scope) => self.member_of_module_scope(*file, *scope, text, budget),
            Module::Folder(folder) => self.member_of_folder_module(module, folder, text),
        });
        if let Some(key) = budget.open_lookups.pop()
            && !budget.truncated
        {
            self.module_members.insert(key, found.clone());
        }
        budget.truncated |= before;
        found
    }

    fn member_of_file_module(&self, file: FileId, text: &str, budget: &mut EvaluationBudget) -> Resolution {
        let Some(names) = self.names_of_file(file) else { return Resolution::default() };
        let mut found = match &names.exports {
            Some(_) => self.explicitly_exported_member(file, text, budget),
            None => self.member_of_module_scope(file, FILE_SCOPE, text, budget),
        };
        if found.is_empty()
            && let Some(module) = self
                .module_resolver_of_file_language(file)
                .and_then(|modules| modules.submodule_defined_by_file(self.project_index(), &Module::File(file), text))
        {
            found = Resolution::new(vec![Referent::Module(module)], true);
        }
        if found.is_empty()
            && self.semantics_of_file_language_or_default(file).modules_contain_definitions_linked_by_name()
        {
            found = self.definitions_linked_by_name(file, text);
        }
        found
    }

    fn member_of_module_scope(
        &self,
        file: FileId,
        scope: u32,
        text: &str,
        budget: &mut EvaluationBudget,
    ) -> Resolution {
        let Some(indexed) = self.names_index(file) else { return Resolution::default() };
        let mut resolution = Resolution::default();
        let bound = indexed.bindings_of_name_text_in_scope(scope, text);
        // A textual import makes private names visible as well.
        let open = self.semantics_of_file_language_or_default(file).imports_are_textual();
        let first = bound.iter().filter(|id| open || !indexed.binding_or_placeholder(**id).private);
        for binding in first {
            resolution.add(self.resolve_definition_through_import(Def { file, binding: *binding }, budget));
        }
        if (resolution.is_empty() && bound.is_empty()) || self.is_only_forward_declared(file, &resolution) {
            for import in indexed.glob_imports_of_scope(scope) {
                let source = self.resolve_import(file, import, None, budget);
                for referent in &source.referents {
                    match referent {
                        Referent::Module(module) if self.is_included_in_glob_import(module, text) => {
                            resolution.add(self.module_member(module, text, budget));
                        }
                        Referent::Def(def) => resolution.add(self.type_member(*def, text, budget)),
                        _ => {}
                    }
                }
                if !resolution.is_empty() && !self.is_only_forward_declared(file, &resolution) {
                    break;
                }
            }
        }
        resolution
    }

    fn member_of_folder_module(&self, module: &Module, folder: &str, text: &str) -> Resolution {
        let files: Vec<FileId> = self.project_index().project_file_table().child_files(folder).collect();
        let mut resolution = Resolution::default();
        for file in &files {
            let semantics = self.semantics_of_file_language_or_default(*file);
            let in_package = |names: &Arc<Names>| semantics.is_part_of_folder_package(names);
            if semantics.packages_are_folders() && self.names_of_file(*file).is_some_and(in_package) {
                for def in self.top_level_bindings_of_name(*file, text) {
                    // An import binds a name in its own file only.
                    if self.binding_of_definition(def).is_some_and(|binding| binding.kind != BindingKind::Import) {
                        resolution.add(Resolution::new(vec![Referent::Def(def)], true));
                    }
                }
            }
        }
        if resolution.is_empty() {
            let below = self.project_index().project_file_table().files_below_folder(folder);
            let modules = below.into_iter().find_map(|file| self.module_resolver_of_file_language(file));
            if let Some(sub) =
                modules.and_then(|modules| modules.submodule_defined_by_file(self.project_index(), module, text))
            {
                resolution = Resolution::new(vec![Referent::Module(sub)], true);
            }
        }
        resolution
    }

    /// The member called `text` of a file with explicit exports (`export …`, `module.exports`).
    fn explicitly_exported_member(&self, file: FileId, text: &str, budget: &mut EvaluationBudget) -> Resolution {
        let Some(names) = self.names_of_file(file) else { return Resolution::default() };
        let exports = names.exports.as_deref().unwrap_or(&[]);
        let mut resolution = Resolution::default();
        for export in exports.iter().filter(|export| names.name_text(export.name) == text) {
            match export.what {
                Exported::Expr(expr) => {
                    let defined = self.resolve_expr_as_name(file, expr, budget);
                    let known = defined.referents.iter().any(|referent| *referent != Referent::External);
                    resolution.add(if known {
                        defined
                    } else {
                        Resolution::new(vec![Referent::Value(file, expr)], true)
                    });
                }
                Exported::From(import, name) => resolution.add(self.resolve_import(file, import, name, budget)),
                Exported::AllOf(_) | Exported::Module(_) => {}
            }
        }
        if resolution.is_empty() {
            for export in exports {
                match export.what {
                    Exported::AllOf(import) if text != "default" => {
                        let source = self.resolve_import(file, import, None, budget);
                        for referent in &source.referents {
                            if let Referent::Module(module) = referent {
                                resolution.add(self.module_member(module, text, budget));
                            }
                        }
                    }
                    Exported::Module(expr) if text == "default" => {
                        let defined = self.resolve_expr_as_name(file, expr, budget);
                        let known = defined.referents.iter().any(|referent| *referent != Referent::External);
                        resolution.add(if known {
                            defined
                        } else {
                            Resolution::new(vec![Referent::Value(file, expr)], true)
                        });
                    }
                    Exported::Module(expr) => {
                        resolution.add(self.resolve_member_by_name_text(file, expr, text, budget));
                    }
                    _ => {}
                }
            }
        }
        resolution
    }

    /// The expression that is the whole value of a module: the right side of `module.exports = …`.
    pub(crate) fn module_value_expr(&self, module: &Module) -> Option<(FileId, u32)> {
        let Module::File(file) = module else { return None };
        let exports = self.names_of_file(*file)?.exports.as_deref()?;
        exports.iter().rev().find_map(|export| match export.what {
            Exported::Module(expr) => Some((*file, expr)),
            _ => None,
        })
    }

    /// The definitions that a name without a visible binding is linked to, in all files of the project.
    /// [`Resolver::add_linked_definitions_by_name`] supplies them during a search for references.
    pub(crate) fn definitions_linked_by_name(&self, file: FileId, text: &str) -> Resolution {
        if !self.semantics_of_file_language_or_default(file).links_definitions_by_name() {
            return Resolution::default();
        }
        let known = self.linked_names.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let defs = known.get(text).map(|defs| defs.iter().map(|def| Referent::Def(*def)).collect());
        defs.map_or_else(Resolution::default, |defs| Resolution::new(defs, true))
    }
}
