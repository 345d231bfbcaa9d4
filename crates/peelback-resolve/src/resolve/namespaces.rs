//! Look-up of names in namespaces that are spread over the files which include one another.
//!
//! A file sees of a namespace what it and the files that it includes, at any depth, say of it. A namespace is known by its
//! path, such as `a::b`; that of the outermost one is empty. Parts of a file are assigned to paths once
//! ([`FileNamespaces`]), and a look-up asks the parts of all visible files ([`VisibleFiles`]).

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use peelback_syntax::names::{BindingKind, Expr, FILE_SCOPE, ModuleImportKind, ScopeId, ScopeKind};

use crate::modules::{Destination, FileId, Module};
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::Def;
use crate::resolve::resolver::Resolver;

/// What separates the names of a path.
pub(super) const SEPARATOR: &str = "::";

/// The limit on the number of scopes around a definition that are followed to name it.
pub(super) const MAX_SCOPES: usize = 256;

/// The limit on the number of scopes of a file that are assigned to namespaces. Each path is a text of its own.
const MAX_NAMESPACE_SCOPES: usize = 20_000;

/// The limit on the length of a namespace's path, in bytes.
const MAX_PATH_BYTES: usize = 1_000;

/// The namespaces to which the scopes of one file belong.
#[derive(Debug, Default)]
pub(crate) struct FileNamespaces {
    /// Each path with a scope of it, in the order of paths. An inline namespace has two paths.
    scopes_by_path: Vec<(Box<str>, ScopeId)>,
    /// The path of each scope of a namespace, in the order of scopes.
    path_by_scope: Vec<(ScopeId, Box<str>)>,
    /// The scopes of namespaces whose paths are too long.
    too_long: BTreeSet<ScopeId>,
}

/// A file and the files that it includes, at any depth.
#[derive(Debug)]
pub(crate) struct VisibleFiles {
    /// The files in the order in which they are met.
    pub in_order: Box<[FileId]>,
    /// The same files in the order of their numbers.
    sorted: Box<[FileId]>,
    /// Whether the index of names in namespaces has all of these files.
    pub(super) is_indexed: AtomicBool,
}

impl VisibleFiles {
    fn new(in_order: Vec<FileId>) -> Self {
        let mut sorted = in_order.clone();
        sorted.sort_unstable();
        Self { in_order: in_order.into(), sorted: sorted.into(), is_indexed: AtomicBool::new(false) }
    }

    pub fn contains(&self, file: FileId) -> bool {
        self.sorted.binary_search(&file).is_ok()
    }
}

impl FileNamespaces {
    /// Each path with a scope of it, in the order of paths.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.scopes_by_path.iter().map(|(path, _)| &**path)
    }

    /// The scopes of the file that belong to a namespace.
    pub(super) fn scopes_of_path(&self, path: &str) -> impl Iterator<Item = ScopeId> {
        let start = self.scopes_by_path.partition_point(|(known, _)| **known < *path);
        let rest = self.scopes_by_path.get(start..).unwrap_or(&[]).iter();
        rest.take_while(move |(known, _)| **known == *path).map(|(_, scope)| *scope)
    }

    pub(super) fn path_of_scope(&self, scope: ScopeId) -> Option<&str> {
        let at = self.path_by_scope.binary_search_by_key(&scope, |(known, _)| *known).ok()?;
        self.path_by_scope.get(at).map(|(_, path)| &**path)
    }
}

pub(super) fn join_path(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}{SEPARATOR}{name}") }
}

impl Resolver<'_> {
    /// A file and the files that it includes, at any depth. Results are memoized.
    pub(crate) fn files_visible_by_includes(&self, file: FileId) -> Arc<VisibleFiles> {
        if let Some(known) = self.visible_files.get(&file) {
            return known;
        }
        let mut seen = BTreeSet::from([file]);
        let mut order = vec![file];
        let mut next = 0;
        let mut is_whole = true;
        while let Some(file) = order.get(next).copied() {
            next += 1;
            if self.call_end.must_stop_now() {
                is_whole = false;
                break;
            }
            for included in self.files_included_by(file).iter() {
                if seen.insert(*included) {
                    order.push(*included);
                }
            }
        }
        let made = Arc::new(VisibleFiles::new(order));
        if is_whole {
            self.visible_files.insert(file, made.clone());
        }
        made
    }

    /// The files that a file includes itself.
    fn files_included_by(&self, file: FileId) -> Arc<[FileId]> {
        if let Some(known) = self.included_files.get(&file) {
            return known;
        }
        let mut found: Vec<FileId> = Vec::new();
        if let (Some(names), Some(modules)) = (self.names_of_file(file), self.module_resolver_of_file_language(file)) {
            for import in names.imports.iter().filter(|import| import.kind == ModuleImportKind::Include) {
                if let Destination::Module(Module::File(next)) =
                    modules.import_destination(self.project_index(), file, names, import)
                    && !found.contains(&next)
                {
                    found.push(next);
                }
            }
        }
        let made: Arc<[FileId]> = found.into();
        self.included_files.insert(file, made.clone());
        made
    }

    /// The namespaces of the scopes of a file.
    pub(super) fn namespaces_of_file(&self, file: FileId) -> Arc<FileNamespaces> {
        if let Some(known) = self.file_namespaces.get(&file) {
            return known;
        }
        let made = Arc::new(self.find_namespaces_of_file(file));
        self.file_namespaces.insert(file, made.clone());
        made
    }

    fn find_namespaces_of_file(&self, file: FileId) -> FileNamespaces {
        let mut made = FileNamespaces::default();
        let Some(indexed) = self.names_index(file) else { return made };
        made.path_by_scope.push((FILE_SCOPE, Box::default()));
        made.scopes_by_path.push((Box::default(), FILE_SCOPE));
        for (id, scope) in (0..).zip(&indexed.names().scopes) {
            if scope.kind != ScopeKind::Module || made.path_by_scope.len() >= MAX_NAMESPACE_SCOPES {
                continue;
            }
            let mut around = scope.parent;
            // A scope comes after those around it.
            let outer = loop {
                match around {
                    Some(at) if made.too_long.contains(&at) => {
                        made.too_long.insert(id);
                        break String::new();
                    }
                    Some(at) => match made.path_of_scope(at) {
                        Some(path) => break path.to_owned(),
                        None => around = indexed.parent_scope(at),
                    },
                    None => break String::new(),
                }
            };
            let owner = scope.owner.map(|owner| indexed.binding_or_placeholder(owner));
            let own: String = match owner {
                None => outer,
                Some(binding) => match binding.annotation.map(|meant| indexed.names().expr_by_id(meant)) {
                    Some(Expr::Name { name, .. }) => self
                        .namespaces_opened_by_macro(file, indexed.names().name_text(name))
                        .iter()
                        .fold(outer, |path, name| join_path(&path, name)),
                    _ => {
                        let path = join_path(&outer, indexed.names().name_text(binding.name));
                        if binding.wrapped {
                            made.scopes_by_path.push((path.into(), id));
                            outer
                        } else {
                            path
                        }
                    }
                },
            };
            // Without a path, nothing is known of the names inside.
            if own.len() > MAX_PATH_BYTES || made.too_long.contains(&id) {
                made.too_long.insert(id);
                continue;
            }
            made.path_by_scope.push((id, own.as_str().into()));
            made.scopes_by_path.push((own.into(), id));
        }
        made.scopes_by_path.sort_unstable();
        made
    }

    /// The names of the namespaces that a macro opens, as a visible file defines it.
    fn namespaces_opened_by_macro(&self, file: FileId, name: &str) -> Vec<String> {
        for visible in self.files_visible_by_includes(file).in_order.iter() {
            let Some(indexed) = self.names_index(*visible) else { continue };
            for id in indexed.bindings_of_name_text_in_scope(FILE_SCOPE, name) {
                let binding = indexed.binding_or_placeholder(*id);
                let opened = indexed.names().expr_ids_in_list_range(binding.bases);
                if binding.kind == BindingKind::Macro && !opened.is_empty() {
                    let names = opened.iter().filter_map(|expr| match indexed.names().expr_by_id(*expr) {
                        Expr::Name { name, .. } => Some(indexed.names().name_text(name).to_owned()),
                        _ => None,
                    });
                    return names.collect();
                }
            }
        }
        Vec::new()
    }

    /// The names of the scopes around a definition and its own, joined to a path; `None` if it is local to a function.
    pub(crate) fn qualified_path_of_definition(&self, def: Def, budget: &mut EvaluationBudget) -> Option<String> {
        let mut parts: Vec<String> = Vec::new();
        let mut file = def.file;
        let binding = self.binding_of_definition(def)?;
        parts.push(self.name_text(file, binding.name).to_owned());
        let mut scope = binding.scope;
        for _ in 0..MAX_SCOPES {
            let indexed = self.names_index(file)?;
            match indexed.scope_kind(scope) {
                ScopeKind::File | ScopeKind::Module => {
                    let namespaces = self.namespaces_of_file(file);
                    let mut path = namespaces.path_of_scope(scope)?.to_owned();
                    for part in parts.iter().rev() {
                        path = join_path(&path, part);
                    }
                    return Some(path);
                }
                ScopeKind::Type => match indexed.scope_owner(scope) {
                    Some(owner) => {
                        let owner = indexed.binding_or_placeholder(owner);
                        // The members of an unnamed type have no path.
                        if owner.scope == scope {
                            return None;
                        }
                        parts.push(indexed.names().name_text(owner.name).to_owned());
                        scope = owner.scope;
                    }
                    None => {
                        let owner = budget.run_nested_within_limits(|budget| self.this_type(file, scope, budget))?;
                        let binding = self.binding_of_definition(owner)?;
                        parts.push(self.name_text(owner.file, binding.name).to_owned());
                        (file, scope) = (owner.file, binding.scope);
                    }
                },
                ScopeKind::Block => scope = indexed.parent_scope(scope)?,
                ScopeKind::Function | ScopeKind::MacroCall => return None,
            }
        }
        None
    }
}
