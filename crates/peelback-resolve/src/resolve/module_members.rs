//! Looks up the members of modules: the names that a module binds itself, and those to which its glob imports and its
//! re-exports of whole modules lead.
//!
//! The modules that glob imports lead to form a graph, often with cycles. A look-up visits each of its modules once and
//! needs no recursion for it, so that neither long chains nor cycles make it slow.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::BuildHasher as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use peelback_syntax::names::{Exported, ExprId, FILE_SCOPE, ModuleImportId, Names, ScopeId};

use crate::modules::{FileId, Module};
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::resolver::Resolver;

/// The number of glob imports of one scope from which on the names that they bind are indexed.
const INDEXED_GLOBS: usize = 8;

/// The limit on the number of names in the indexes of all scopes. Each takes 16 bytes.
const MAX_INDEXED_NAMES: usize = 2_000_000;

/// The imports that bind names of other modules unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum GlobsOf {
    /// The glob imports that bind names in a scope of a file.
    Scope(FileId, ScopeId),
    /// The exports of all names of other modules from a file, and its exports of a value as the whole module.
    Exports(FileId),
}

/// What one glob import or export without a name leads to.
enum GlobSource {
    Referents(Vec<Referent>),
    /// The value that is the whole module.
    Whole(ExprId),
}

/// Glob imports, each resolved, with an index of the names that they bind if they are many.
pub(super) struct GlobImports {
    /// What the imports lead to, in source order.
    sources: Vec<GlobSource>,
    /// Whether it is not known what some of the imports lead to, or it is outside the project.
    pub has_unknown_source: bool,
    /// For each name that a source certainly binds by itself, the hash of the name and the index of the source, in
    /// order; `None` if every source may bind every name.
    by_name: Option<Vec<(u64, u32)>>,
    /// The indexes of the sources whose names are not indexed.
    not_indexed: Vec<u32>,
}

impl GlobImports {
    /// The indexes of the sources that may bind a name, in source order.
    fn source_indexes_possibly_binding(&self, text: &str) -> Vec<u32> {
        let Some(by_name) = &self.by_name else { return self.all_source_indexes() };
        let hash = hash_of_name(text);
        let start = by_name.partition_point(|(of, _)| *of < hash);
        let rest = by_name.get(start..).unwrap_or(&[]).iter();
        let mut found = self.not_indexed.clone();
        found.extend(rest.take_while(|(of, _)| *of == hash).map(|(_, source)| *source));
        found.sort_unstable();
        found.dedup();
        found
    }

    fn all_source_indexes(&self) -> Vec<u32> {
        (0..u32::try_from(self.sources.len()).unwrap_or(u32::MAX)).collect()
    }
}

fn hash_of_name(text: &str) -> u64 {
    foldhash::fast::FixedState::default().hash_one(text)
}

/// A module in which a name is being looked up.
struct OpenModule {
    module: Module,
    found: Resolution,
    /// The glob imports that are followed, and the indexes of their sources that are left, the next one last.
    globs: Option<(GlobsOf, Arc<GlobImports>, Vec<u32>)>,
    /// The referents of the current source that are left, the next one last.
    referents: Vec<Referent>,
}

impl Resolver<'_> {
    /// The member called `text` of a module. Re-exports are followed.
    pub(crate) fn module_member(&self, module: &Module, text: &str, budget: &mut EvaluationBudget) -> Resolution {
        let key = (module.clone(), Box::from(text));
        if let Some(known) = self.module_members.get(&key) {
            return known;
        }
        // `from . import a` inside a package first asks the package itself for `a`.
        if budget.open_lookups.contains(&key) {
            budget.record_cycle();
            return Resolution::default();
        }
        let before = std::mem::replace(&mut budget.truncated, false);
        let open = budget.open_lookups.len();
        let found = budget.run_nested_within_limits(|budget| self.find_module_member_uncached(module, text, budget));
        budget.open_lookups.truncate(open);
        if !budget.truncated {
            self.module_members.insert(key, found.clone());
        }
        budget.truncated |= before;
        found
    }

    fn find_module_member_uncached(&self, module: &Module, text: &str, budget: &mut EvaluationBudget) -> Resolution {
        let outer = budget.open_lookups.len();
        // The modules that were visited; `None` for those that are open.
        let mut visited: HashMap<Module, Option<Resolution>> = HashMap::from([(module.clone(), None)]);
        let mut is_cyclic = false;
        let mut open = vec![self.start_lookup_in_module(module, text, budget)];
        while let Some(current) = open.last_mut() {
            match current.referents.pop() {
                Some(Referent::Module(next))
                    if self.can_glob_imports_provide_name(current.globs.as_ref(), &next, text) =>
                {
                    if let Some(known) = self.module_members.get(&(next.clone(), Box::from(text))) {
                        current.found.add(known);
                        continue;
                    }
                    match visited.entry(next) {
                        Entry::Occupied(known) => match known.get() {
                            Some(known) => current.found.add(known.clone()),
                            None => is_cyclic = true,
                        },
                        Entry::Vacant(new) => {
                            let key = (new.key().clone(), Box::from(text));
                            if budget.open_lookups.get_index_of(&key).is_some_and(|position| position < outer) {
                                budget.record_cycle();
                            } else if budget.count_step_within_limits() {
                                let next = new.key().clone();
                                new.insert(None);
                                open.push(self.start_lookup_in_module(&next, text, budget));
                            }
                        }
                    }
                    continue;
                }
                // A glob import of an enum: `use Enum::*`.
                Some(Referent::Def(def)) if matches!(current.globs, Some((GlobsOf::Scope(..), ..))) => {
                    current.found.add(self.type_member(def, text, budget));
                    continue;
                }
                Some(_) => continue,
                None => {}
            }
            if let Some((of, globs, left)) = &mut current.globs
                && (matches!(of, GlobsOf::Exports(_))
                    || current.found.is_empty()
                    || self.is_only_forward_declared(file_containing_globs(*of), &current.found))
                && let Some(source) = left.pop()
            {
                match globs.sources.get(source as usize) {
                    Some(GlobSource::Referents(referents)) => {
                        current.referents = referents.iter().rev().cloned().collect();
                    }
                    Some(GlobSource::Whole(expr)) => {
                        let found = self.member_of_whole_export(file_containing_globs(*of), *expr, text, budget);
                        current.found.add(found);
                    }
                    None => {}
                }
                continue;
            }
            let Some(done) = open.pop() else { break };
            budget.open_lookups.pop();
            let mut found = done.found;
            if found.is_empty()
                && let Module::File(file) = done.module
            {
                found = self.submodule_or_linked_definitions(file, text);
            }
            let Some(parent) = open.last_mut() else {
                if found.is_empty() && is_cyclic && !budget.truncated {
                    // Nothing that can be reached from here has the member.
                    for module in visited.into_keys() {
                        self.module_members.insert((module, Box::from(text)), Resolution::default());
                    }
                }
                return found;
            };
            if !is_cyclic && !budget.truncated {
                self.module_members.insert((done.module.clone(), Box::from(text)), found.clone());
            }
            parent.found.add(found.clone());
            visited.insert(done.module, Some(found));
        }
        Resolution::default()
    }

    /// A module with the members called `text` that it declares itself, and the glob imports that are to be followed if
    /// it declares none.
    fn start_lookup_in_module(&self, module: &Module, text: &str, budget: &mut EvaluationBudget) -> OpenModule {
        budget.open_lookups.insert((module.clone(), Box::from(text)));
        let mut opened =
            OpenModule { module: module.clone(), found: Resolution::default(), globs: None, referents: Vec::new() };
        let (file, scope) = match module {
            Module::File(file) => (*file, FILE_SCOPE),
            Module::Scope(file, scope) => (*file, *scope),
            Module::Folder(folder) => {
                opened.found = self.member_of_folder_module(module, folder, text);
                return opened;
            }
            Module::Package(package, first_file) => {
                opened.found = self.member_of_package(module, (package, *first_file), text);
                return opened;
            }
        };
        let Some(indexed) = self.names_index(file) else { return opened };
        let followed = if matches!(module, Module::File(_)) && indexed.names().exports.is_some() {
            opened.found = self.named_export(file, text, budget);
            opened.found.is_empty().then_some(GlobsOf::Exports(file))
        } else {
            let bound = indexed.bindings_of_name_text_in_scope(scope, text);
            // A textual import makes private names visible as well.
            let open = self.semantics_of_file_language_or_default(file).imports_insert_file_text();
            for binding in bound.iter().filter(|id| open || !indexed.binding_or_placeholder(**id).private) {
                opened.found.add(self.resolve_definition_through_import(Def { file, binding: *binding }, budget));
            }
            let follows = bound.is_empty() || self.is_only_forward_declared(file, &opened.found);
            follows.then_some(GlobsOf::Scope(file, scope))
        };
        if let Some(of) = followed {
            let globs = self.resolved_glob_imports(of, budget);
            let mut left = self.indexes_of_globs_binding_name(file, &globs, text);
            left.reverse();
            opened.globs = Some((of, globs, left));
        }
        opened
    }

    /// Whether glob imports of a module import the name `text`.
    fn can_glob_imports_provide_name(
        &self,
        globs: Option<&(GlobsOf, Arc<GlobImports>, Vec<u32>)>,
        module: &Module,
        text: &str,
    ) -> bool {
        match globs {
            // A default export is not among the names that `export *` takes.
            Some((GlobsOf::Exports(_), ..)) => text != "default",
            _ => self.is_included_in_glob_import(module, text),
        }
    }

    /// What each glob import that may bind the name `text` in a scope leads to, in source order, and whether it is not
    /// known what some other glob imports of the scope lead to.
    pub(crate) fn referents_of_globs_binding_name(
        &self,
        file: FileId,
        scope: ScopeId,
        text: &str,
        budget: &mut EvaluationBudget,
    ) -> (Vec<Vec<Referent>>, bool) {
        let globs = self.resolved_glob_imports(GlobsOf::Scope(file, scope), budget);
        let sources = self.indexes_of_globs_binding_name(file, &globs, text).into_iter();
        let referents = sources.filter_map(|source| match globs.sources.get(source as usize)? {
            GlobSource::Referents(referents) => Some(referents.clone()),
            GlobSource::Whole(_) => None,
        });
        (referents.collect(), globs.has_unknown_source)
    }

    fn indexes_of_globs_binding_name(&self, file: FileId, globs: &GlobImports, text: &str) -> Vec<u32> {
        let semantics = self.semantics_of_file_language_or_default(file);
        let is_relative = || {
            let modules = self.module_resolver_of_file_language(file);
            modules.is_some_and(|modules| modules.relative_module_keywords().contains(&text))
        };
        let is_linked = || {
            semantics.modules_contain_definitions_linked_by_name()
                && !self.definitions_linked_by_name(file, text).is_empty()
        };
        // Such names are members of modules that do not bind them.
        if globs.by_name.is_some() && (is_relative() || is_linked()) {
            return globs.all_source_indexes();
        }
        globs.source_indexes_possibly_binding(text)
    }

    /// The glob imports of a scope or file, resolved. Results are memoized.
    fn resolved_glob_imports(&self, of: GlobsOf, budget: &mut EvaluationBudget) -> Arc<GlobImports> {
        if let Some(known) = self.glob_imports.get(&of) {
            return known;
        }
        let before = std::mem::replace(&mut budget.truncated, false);
        let made = Arc::new(self.resolve_glob_imports_uncached(of, budget));
        if !budget.truncated {
            self.glob_imports.insert(of, made.clone());
        }
        budget.truncated |= before;
        made
    }

    fn resolve_glob_imports_uncached(&self, of: GlobsOf, budget: &mut EvaluationBudget) -> GlobImports {
        let file = file_containing_globs(of);
        let mut resolve = |import: ModuleImportId| {
            let found =
                budget.evaluate_without_counting_steps(|budget| self.resolve_import(file, import, None, budget));
            GlobSource::Referents(found.referents)
        };
        let indexed = self.names_index(file);
        let sources: Vec<GlobSource> = match (indexed, of) {
            (Some(indexed), GlobsOf::Scope(_, scope)) => indexed.glob_imports_of_scope(scope).map(resolve).collect(),
            (Some(indexed), GlobsOf::Exports(_)) => {
                let exports = indexed.star_and_whole_module_exports();
                exports
                    .filter_map(|export| match export.what {
                        Exported::AllOf(import) => Some(resolve(import)),
                        Exported::Module(expr) => Some(GlobSource::Whole(expr)),
                        _ => None,
                    })
                    .collect()
            }
            (None, _) => Vec::new(),
        };
        let is_unknown = |source: &GlobSource| match source {
            GlobSource::Referents(referents) => referents.is_empty() || referents.contains(&Referent::External),
            GlobSource::Whole(_) => false,
        };
        let mut made = GlobImports {
            has_unknown_source: sources.iter().any(is_unknown),
            sources,
            by_name: None,
            not_indexed: Vec::new(),
        };
        if made.sources.len() >= INDEXED_GLOBS {
            self.index_glob_names(&mut made);
        }
        made
    }

    /// Indexes the names that glob imports bind, as far as they are known in advance.
    fn index_glob_names(&self, globs: &mut GlobImports) {
        let mut by_name: Vec<(u64, u32)> = Vec::new();
        for (index, source) in (0..).zip(&globs.sources) {
            let names = match source {
                GlobSource::Referents(referents) => {
                    let inside = referents.iter().filter(|referent| **referent != Referent::External);
                    inside
                        .map(|referent| self.hashes_of_names_bound_by_module(referent))
                        .collect::<Option<Vec<Vec<u64>>>>()
                }
                GlobSource::Whole(_) => None,
            };
            match names {
                Some(names) => by_name.extend(names.into_iter().flatten().map(|name| (name, index))),
                None => globs.not_indexed.push(index),
            }
            if self.indexed_glob_names.load(Ordering::Relaxed).saturating_add(by_name.len()) > MAX_INDEXED_NAMES {
                globs.not_indexed.clear();
                return;
            }
        }
        self.indexed_glob_names.fetch_add(by_name.len(), Ordering::Relaxed);
        by_name.sort_unstable();
        by_name.dedup();
        globs.by_name = Some(by_name);
    }

    /// The hashes of all names that a module binds itself; `None` if it can have further members, or is no module.
    fn hashes_of_names_bound_by_module(&self, referent: &Referent) -> Option<Vec<u64>> {
        let Referent::Module(module) = referent else { return None };
        let (file, scope) = match module {
            Module::File(file) => (*file, FILE_SCOPE),
            Module::Scope(file, scope) => (*file, *scope),
            Module::Folder(_) | Module::Package(..) => return None,
        };
        let modules = self.module_resolver_of_file_language(file)?;
        let indexed = self.names_index(file)?;
        if modules.may_have_file_submodules(self.project_index(), module) {
            return None;
        }
        let names: &Names = indexed.names();
        match (module, &names.exports) {
            (Module::File(_), Some(exports)) => {
                let is_named = |what| !matches!(what, Exported::AllOf(_) | Exported::Module(_));
                let hash = |export: &peelback_syntax::names::Export| {
                    is_named(export.what).then(|| hash_of_name(names.name_text(export.name)))
                };
                exports.iter().map(hash).collect()
            }
            _ => {
                if indexed.glob_imports_of_scope(scope).next().is_some() {
                    return None;
                }
                let bound = indexed.bindings_of_scope(scope).iter();
                let name = |id: &u32| names.name_text(indexed.binding_or_placeholder(*id).name);
                Some(bound.map(|id| hash_of_name(name(id))).collect())
            }
        }
    }

    /// The submodule called `text` that files define in a module, else the definitions that the linker connects with
    /// the name.
    fn submodule_or_linked_definitions(&self, file: FileId, text: &str) -> Resolution {
        let modules = self.module_resolver_of_file_language(file);
        if let Some(module) =
            modules.and_then(|modules| modules.file_backed_submodule(self.project_index(), &Module::File(file), text))
        {
            return Resolution::new(vec![Referent::Module(module)], true);
        }
        if self.semantics_of_file_language_or_default(file).modules_contain_definitions_linked_by_name() {
            return self.definitions_linked_by_name(file, text);
        }
        Resolution::default()
    }

    fn member_of_folder_module(&self, module: &Module, folder: &str, text: &str) -> Resolution {
        let files: Vec<FileId> = self.project_index().project_file_table().child_files(folder).collect();
        let mut resolution = Resolution::default();
        for file in &files {
            let semantics = self.semantics_of_file_language_or_default(*file);
            let in_package = |names: &Arc<Names>| semantics.is_part_of_folder_package(names);
            if semantics.folder_files_share_package_scope() && self.names_of_file(*file).is_some_and(in_package) {
                for def in self.top_level_bindings_of_name(*file, text) {
                    // An import binds a name in its own file only.
                    if self
                        .binding_of_definition(def)
                        .is_some_and(|binding| binding.kind != peelback_syntax::names::BindingKind::Import)
                    {
                        resolution.add(Resolution::new(vec![Referent::Def(def)], true));
                    }
                }
            }
        }
        if resolution.is_empty() {
            let below = self.project_index().project_file_table().files_below_folder(folder);
            let modules = below.into_iter().find_map(|file| self.module_resolver_of_file_language(file));
            if let Some(sub) =
                modules.and_then(|modules| modules.file_backed_submodule(self.project_index(), module, text))
            {
                resolution = Resolution::new(vec![Referent::Module(sub)], true);
            }
        }
        resolution
    }

    /// The type called `text` of a package that is told by its name, else the package inside it.
    fn member_of_package(&self, module: &Module, (package, first_file): (&str, FileId), text: &str) -> Resolution {
        let Some(modules) = self.module_resolver_of_file_language(first_file) else { return Resolution::default() };
        let mut resolution = Resolution::default();
        for file in modules.files_of_package_possibly_defining(self.project_index(), package, text) {
            let Some(indexed) = self.names_index(file) else { continue };
            let scopes = modules.scopes_of_package_in_file(indexed.names(), package);
            let bound = scopes.iter().flat_map(|scope| indexed.bindings_of_name_text_in_scope(*scope, text));
            for def in bound.map(|binding| Def { file, binding: *binding }) {
                // An import binds a name in its own file only.
                let kind = self.binding_of_definition(def).map(|binding| binding.kind);
                if kind.is_some_and(|kind| kind != peelback_syntax::names::BindingKind::Import) {
                    resolution.add(Resolution::new(vec![Referent::Def(self.first_part_of_type(def))], true));
                }
            }
        }
        if resolution.is_empty()
            && let Some(inner) = modules.file_backed_submodule(self.project_index(), module, text)
        {
            resolution = Resolution::new(vec![Referent::Module(inner)], true);
        }
        resolution
    }

    /// The member that a file with explicit exports (`export …`, `module.exports`) exports under the name `text`.
    fn named_export(&self, file: FileId, text: &str, budget: &mut EvaluationBudget) -> Resolution {
        let Some(indexed) = self.names_index(file) else { return Resolution::default() };
        let mut resolution = Resolution::default();
        for export in indexed.exports_of_name_text(text) {
            match export.what {
                Exported::Expr(expr) => resolution.add(self.definition_or_value_of_export(file, expr, budget)),
                Exported::From(import, name) => resolution.add(self.resolve_import(file, import, name, budget)),
                Exported::AllOf(_) | Exported::Module(_) => {}
            }
        }
        resolution
    }

    /// The member called `text` of the value that is the whole module.
    fn member_of_whole_export(
        &self,
        file: FileId,
        expr: ExprId,
        text: &str,
        budget: &mut EvaluationBudget,
    ) -> Resolution {
        match text {
            "default" => self.definition_or_value_of_export(file, expr, budget),
            _ => self.resolve_member_by_name_text(file, expr, text, budget),
        }
    }

    /// The definition that an exported expression names, else the value of the expression.
    fn definition_or_value_of_export(&self, file: FileId, expr: ExprId, budget: &mut EvaluationBudget) -> Resolution {
        let defined = self.resolve_expr_as_name(file, expr, budget);
        let is_known = defined.referents.iter().any(|referent| *referent != Referent::External);
        if is_known { defined } else { Resolution::new(vec![Referent::Value(file, expr)], true) }
    }
}

fn file_containing_globs(of: GlobsOf) -> FileId {
    match of {
        GlobsOf::Scope(file, _) | GlobsOf::Exports(file) => file,
    }
}

/// The number of names in the indexes of glob imports.
pub(super) type IndexedNames = AtomicUsize;
