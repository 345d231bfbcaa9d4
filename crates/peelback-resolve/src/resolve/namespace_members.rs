//! Members of namespaces that are spread over files, and what directives with `using` bring into them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError, RwLock};

use peelback_syntax::names::{BindingKind, Expr, ExprId, ScopeId, USING_DIRECTIVE};

use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::namespaces::{SEPARATOR, VisibleFiles, join_path};
use crate::resolve::resolver::Resolver;

/// The limit on the number of namespaces that directives bring into one, at any depth.
const MAX_USED_NAMESPACES: usize = 1_000;

/// The limit on the number of namespaces in which a namespace is sought that only directives make visible.
const MAX_NAMESPACES_AROUND_USED_ONES: usize = 16;

/// Which files bind a name in a namespace, so that a look-up does not ask all visible files.
#[derive(Default)]
pub(crate) struct NamespaceNames(RwLock<NamespaceNamesInFiles>);

#[derive(Default)]
struct NamespaceNamesInFiles {
    /// The files that are in the index.
    files: BTreeSet<FileId>,
    /// For each name, the files that bind it in a namespace.
    by_name: HashMap<Box<str>, Vec<FileId>>,
    /// For each path of a namespace, the files that have a part of it.
    by_path: HashMap<Box<str>, Vec<FileId>>,
}

/// What a directive with `using` brings in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum UsedNames {
    /// The members of the namespace with this path.
    Namespace(Arc<str>),
    /// The constants of an enum.
    Type(Def),
}

/// The definitions that a search linked with a name, each with its path, by the last two names of the path.
pub(crate) type LinkedByOwner = Arc<BTreeMap<Box<str>, Vec<(Def, Box<str>)>>>;

/// The last two names of a path.
fn end_of_path(path: &str) -> &str {
    let mut names = path.rmatch_indices(SEPARATOR);
    names.nth(1).map_or(path, |(at, _)| path.get(at + SEPARATOR.len()..).unwrap_or(path))
}

impl Resolver<'_> {
    /// The member called `text` of the namespace that the expression `base` names; `None` if that names none.
    pub(crate) fn member_of_named_namespace(
        &self,
        file: FileId,
        base: ExprId,
        text: &str,
        budget: &mut EvaluationBudget,
    ) -> Option<Resolution> {
        let base_name = match self.expr_by_id(file, base) {
            Expr::Name { name, .. } | Expr::Member { name, .. } => name,
            _ => return None,
        };
        let named = self.resolve_expr_as_name(file, base, budget);
        let namespace = named.referents.iter().find_map(|referent| match referent {
            Referent::Def(def) => self.path_of_namespace(*def, budget),
            _ => None,
        });
        let is_unknown = named.referents.iter().all(|referent| *referent == Referent::External);
        if let Some(path) = &namespace {
            let found = self.member_of_namespace_path(file, path, text, budget);
            if !found.is_empty() {
                if self.is_only_forward_declared(file, &found) {
                    return Some(self.complete_forward_declarations(file, text, found, budget));
                }
                return Some(found);
            }
        } else if !is_unknown {
            return None;
        }
        // The file does not see the declaration by what it includes, but the search knows one.
        let end = match &namespace {
            Some(path) => join_path(path, text),
            None => join_path(self.name_text(file, base_name), text),
        };
        let linked = self.linked_definitions_with_end_of_path(file, text, &end, budget);
        if !linked.is_empty() {
            return Some(linked);
        }
        let semantics = self.semantics_of_file_language_or_default(file);
        match namespace {
            Some(path) if semantics.standard_library_namespace() == path.split(SEPARATOR).next() => {
                Some(Resolution::new_outside_project())
            }
            Some(_) => Some(Resolution::default()),
            None => None,
        }
    }

    /// The path of the namespace that a definition is, through aliases.
    pub(super) fn path_of_namespace(&self, def: Def, budget: &mut EvaluationBudget) -> Option<String> {
        let binding = self.binding_of_definition(def).filter(|binding| binding.kind == BindingKind::Module)?;
        if let Some(body) = binding.body {
            let namespaces = self.namespaces_of_file(def.file);
            return namespaces.path_of_scope(body).map(str::to_owned);
        }
        let meant = binding.annotation?;
        budget.run_nested_within_limits(|budget| {
            let named = self.resolve_expr_as_name(def.file, meant, budget);
            named.referents.into_iter().find_map(|referent| match referent {
                Referent::Def(next) if next != def => self.path_of_namespace(next, budget),
                _ => None,
            })
        })
    }

    /// The definitions that a search linked with the name `text` and whose path ends with `end`.
    fn linked_definitions_with_end_of_path(
        &self,
        file: FileId,
        text: &str,
        end: &str,
        budget: &mut EvaluationBudget,
    ) -> Resolution {
        let mut found = Resolution::default();
        let linked = self.definitions_linked_by_name(file, text);
        if linked.is_empty() {
            return found;
        }
        // A search may link more definitions later.
        let key = (linked.referents.len(), Box::from(text));
        let by_owner = match self.linked_by_owner.get(&key) {
            Some(known) => known,
            None => {
                let mut made: BTreeMap<Box<str>, Vec<(Def, Box<str>)>> = BTreeMap::new();
                for referent in linked.referents {
                    if let Referent::Def(def) = referent
                        && let Some(path) = self.qualified_path_of_definition(def, budget)
                    {
                        made.entry(end_of_path(&path).into()).or_default().push((def, path.into()));
                    }
                }
                let made: LinkedByOwner = Arc::new(made);
                if !budget.truncated {
                    self.linked_by_owner.insert(key, made.clone());
                }
                made
            }
        };
        for (def, path) in by_owner.get(end_of_path(end)).into_iter().flatten() {
            if path.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with(SEPARATOR)) {
                found.add(Resolution::new(vec![Referent::Def(*def)], false));
            }
        }
        found.sure = false;
        found
    }

    /// The member called `text` of the namespace with this path, as a file sees it. Results are memoized.
    pub(super) fn member_of_namespace_path(
        &self,
        file: FileId,
        path: &str,
        text: &str,
        budget: &mut EvaluationBudget,
    ) -> Resolution {
        if budget.resolves_using_directive {
            return self.declared_member_of_namespace_path(file, path, text, budget);
        }
        let key: (FileId, Box<str>) = (file, join_path(path, text).into());
        if let Some(known) = self.namespace_members.get(&key) {
            return known;
        }
        if budget.open_namespace_lookups.contains(&key) {
            budget.record_cycle();
            return Resolution::default();
        }
        budget.open_namespace_lookups.push(key.clone());
        let before = std::mem::replace(&mut budget.truncated, false);
        let found = budget.run_nested_within_limits(|budget| {
            let mut found = self.declared_member_of_namespace_path(file, path, text, budget);
            if found.is_empty() {
                for used in self.names_used_in_namespace(file, path, budget).iter() {
                    found.add(match used {
                        UsedNames::Namespace(path) => self.declared_member_of_namespace_path(file, path, text, budget),
                        UsedNames::Type(def) => self.type_member(*def, text, budget),
                    });
                }
                found.referents.retain(|referent| *referent != Referent::External);
            }
            found
        });
        budget.open_namespace_lookups.pop();
        // Inside of another look-up, one of its own steps may be missing here.
        if !budget.truncated && budget.open_namespace_lookups.is_empty() {
            self.namespace_members.insert(key, found.clone());
        }
        budget.truncated |= before;
        found
    }

    /// The member called `text` that a visible file declares in the namespace with this path.
    fn declared_member_of_namespace_path(
        &self,
        file: FileId,
        path: &str,
        text: &str,
        budget: &mut EvaluationBudget,
    ) -> Resolution {
        let mut found = Resolution::default();
        let mut has_namespace = false;
        let visible = self.indexed_visible_files(file);
        for visible in self.visible_files_with(&visible, file, |names| names.by_name.get(text)) {
            if self.call_end.must_stop_now() {
                budget.record_cut();
                break;
            }
            let namespaces = self.namespaces_of_file(visible);
            let Some(indexed) = self.names_index(visible) else { continue };
            for scope in namespaces.scopes_of_path(path) {
                for id in indexed.bindings_of_name_text_in_scope(scope, text) {
                    let def = Def { file: visible, binding: *id };
                    let binding = indexed.binding_or_placeholder(*id);
                    // All parts of a namespace are one, and many files have a part of it.
                    if binding.kind == BindingKind::Module {
                        if has_namespace {
                            continue;
                        }
                        has_namespace = true;
                    }
                    let canonical = self.representative_of_same_name_in_scope(def);
                    found.add(self.follow_using_declaration(canonical, budget));
                }
            }
        }
        if found.is_empty() {
            // A macro may open the namespace of this name.
            let inner = join_path(path, text);
            for visible in self.visible_files_with(&visible, file, |names| names.by_path.get(inner.as_str())) {
                let owner = self
                    .namespaces_of_file(visible)
                    .scopes_of_path(&inner)
                    .next()
                    .and_then(|scope| self.names_index(visible).and_then(|indexed| indexed.scope_owner(scope)));
                if let Some(binding) = owner {
                    return Resolution::new(vec![Referent::Def(Def { file: visible, binding })], true);
                }
            }
        }
        let is_definition = |referent: &Referent| matches!(referent, Referent::Def(def) if self.is_defined_type(*def));
        if found.referents.len() > 1 && found.referents.iter().any(is_definition) {
            found.referents.retain(|referent| match referent {
                Referent::Def(def) => self
                    .binding_of_definition(*def)
                    .is_none_or(|binding| binding.kind != BindingKind::Type || binding.body.is_some()),
                _ => true,
            });
        }
        found
    }

    /// The files that a file sees, with their names in the index.
    fn indexed_visible_files(&self, file: FileId) -> Arc<VisibleFiles> {
        let visible = self.files_visible_by_includes(file);
        if !visible.is_indexed.load(Ordering::Acquire) {
            for file in visible.in_order.iter() {
                self.index_names_in_namespaces(*file);
            }
            visible.is_indexed.store(true, Ordering::Release);
        }
        visible
    }

    fn index_names_in_namespaces(&self, file: FileId) {
        let names = &self.namespace_names.0;
        if names.read().unwrap_or_else(PoisonError::into_inner).files.contains(&file) {
            return;
        }
        let namespaces = self.namespaces_of_file(file);
        let mut texts: BTreeSet<&str> = BTreeSet::new();
        if let Some(indexed) = self.names_index(file) {
            let bound = indexed.names().bindings.iter();
            let in_namespaces = bound.filter(|binding| namespaces.path_of_scope(binding.scope).is_some());
            texts.extend(in_namespaces.map(|binding| indexed.names().name_text(binding.name)));
        }
        let mut names = names.write().unwrap_or_else(PoisonError::into_inner);
        if !names.files.insert(file) {
            return;
        }
        for text in texts {
            names.by_name.entry(text.into()).or_default().push(file);
        }
        for path in namespaces.paths() {
            let files = names.by_path.entry(path.into()).or_default();
            if files.last() != Some(&file) {
                files.push(file);
            }
        }
    }

    /// The visible files that the index lists, the file itself first.
    fn visible_files_with(
        &self,
        visible: &VisibleFiles,
        file: FileId,
        list: impl Fn(&NamespaceNamesInFiles) -> Option<&Vec<FileId>>,
    ) -> Vec<FileId> {
        let names = self.namespace_names.0.read().unwrap_or_else(PoisonError::into_inner);
        let listed = list(&names).map_or(&[][..], Vec::as_slice);
        let mut found: Vec<FileId> = listed.iter().copied().filter(|file| visible.contains(*file)).collect();
        found.sort_unstable_by_key(|found| (*found != file, *found));
        found
    }

    /// What the directives in a namespace bring into it, at any depth, as a file sees it. Results are memoized.
    fn names_used_in_namespace(&self, file: FileId, path: &str, budget: &mut EvaluationBudget) -> Arc<[UsedNames]> {
        let key: (FileId, Box<str>) = (file, path.into());
        if let Some(known) = self.used_names.get(&key) {
            return known;
        }
        let before = std::mem::replace(&mut budget.truncated, false);
        let visible = self.indexed_visible_files(file);
        let mut seen: BTreeSet<Arc<str>> = BTreeSet::from([Arc::from(path)]);
        let mut waiting: Vec<Arc<str>> = seen.iter().cloned().collect();
        let mut found: Vec<UsedNames> = Vec::new();
        let mut unresolved: Vec<(FileId, ExprId)> = Vec::new();
        while let Some(path) = waiting.pop() {
            if self.call_end.must_stop_now() || found.len() >= MAX_USED_NAMESPACES {
                budget.record_cut();
                break;
            }
            let mut directives = Vec::new();
            for visible in self.visible_files_with(&visible, file, |names| names.by_name.get(USING_DIRECTIVE)) {
                for scope in self.namespaces_of_file(visible).scopes_of_path(&path) {
                    self.add_using_directives(visible, scope, &mut directives);
                }
            }
            for directive in directives {
                match self.names_used_by_directive(directive, budget) {
                    Some(UsedNames::Namespace(path)) => {
                        if seen.insert(path.clone()) {
                            waiting.push(path.clone());
                            found.push(UsedNames::Namespace(path));
                        }
                    }
                    Some(used) => found.push(used),
                    None => unresolved.push(directive),
                }
            }
            if waiting.is_empty() {
                self.add_namespaces_inside_used_ones(&mut unresolved, &visible, &mut seen, &mut waiting);
                found.extend(waiting.iter().cloned().map(UsedNames::Namespace));
            }
        }
        let found: Arc<[UsedNames]> = found.into();
        if !budget.truncated {
            self.used_names.insert(key, found.clone());
        }
        budget.truncated |= before;
        found
    }

    /// Adds to `waiting` the namespaces that directives name which resolve only through others: `b` of `using namespace a;`
    /// and `using namespace b;`.
    fn add_namespaces_inside_used_ones(
        &self,
        unresolved: &mut Vec<(FileId, ExprId)>,
        visible: &VisibleFiles,
        seen: &mut BTreeSet<Arc<str>>,
        waiting: &mut Vec<Arc<str>>,
    ) {
        let outer: Vec<Arc<str>> = seen.iter().take(MAX_NAMESPACES_AROUND_USED_ONES).cloned().collect();
        for (file, meant) in unresolved.drain(..) {
            let Expr::Name { name, .. } = self.expr_by_id(file, meant) else { continue };
            let name = self.name_text(file, name);
            for outer in &outer {
                let path = join_path(outer, name);
                let is_known =
                    !self.visible_files_with(visible, file, |names| names.by_path.get(path.as_str())).is_empty();
                if is_known && seen.insert(path.as_str().into()) {
                    waiting.push(path.into());
                }
            }
        }
    }

    /// What a directive brings in, by declared names only: not by those that other directives bring in. Results are memoized.
    fn names_used_by_directive(
        &self,
        (file, meant): (FileId, ExprId),
        budget: &mut EvaluationBudget,
    ) -> Option<UsedNames> {
        if let Some(known) = self.using_directives.get(&(file, meant)) {
            return known;
        }
        let outer = std::mem::replace(&mut budget.resolves_using_directive, true);
        let before = std::mem::replace(&mut budget.truncated, false);
        let named = budget.run_nested_within_limits(|budget| self.resolve_expr_as_name(file, meant, budget));
        let used = named.referents.iter().find_map(|referent| match referent {
            Referent::Def(def) => Some(match self.path_of_namespace(*def, budget) {
                Some(path) => UsedNames::Namespace(path.into()),
                None => UsedNames::Type(*def),
            }),
            _ => None,
        });
        budget.resolves_using_directive = outer;
        if !budget.truncated {
            self.using_directives.insert((file, meant), used.clone());
        }
        budget.truncated |= before;
        used
    }

    pub(super) fn add_using_directives(&self, file: FileId, scope: ScopeId, directives: &mut Vec<(FileId, ExprId)>) {
        let Some(indexed) = self.names_index(file) else { return };
        for id in indexed.bindings_of_name_text_in_scope(scope, USING_DIRECTIVE) {
            directives.extend(indexed.binding_or_placeholder(*id).annotation.map(|meant| (file, meant)));
        }
    }

    /// The member called `text` of the namespace or enum that a directive in a function names.
    pub(super) fn member_through_using_directive(
        &self,
        file: FileId,
        directive: (FileId, ExprId),
        text: &str,
        budget: &mut EvaluationBudget,
    ) -> Resolution {
        let mut found = match self.names_used_by_directive(directive, budget) {
            Some(UsedNames::Namespace(path)) => self.member_of_namespace_path(file, &path, text, budget),
            Some(UsedNames::Type(def)) => budget.run_nested_within_limits(|budget| self.type_member(def, text, budget)),
            None => Resolution::default(),
        };
        found.referents.retain(|referent| *referent != Referent::External);
        found
    }

    /// What a definition is, or what it brings in if it is a declaration with `using`.
    pub(super) fn follow_using_declaration(&self, def: Def, budget: &mut EvaluationBudget) -> Resolution {
        let Some(binding) = self.binding_of_definition(def) else { return Resolution::default() };
        match binding.annotation {
            Some(meant) if binding.kind == BindingKind::Import => budget.run_nested_within_limits(|budget| {
                let found = self.resolve_expr_as_name(def.file, meant, budget);
                if found.referents == [Referent::Def(def)] { Resolution::default() } else { found }
            }),
            _ => Resolution::new(vec![Referent::Def(def)], true),
        }
    }

    /// A resolution with each declaration with `using` replaced by what it brings in.
    pub(crate) fn follow_using_declarations(&self, found: Resolution, budget: &mut EvaluationBudget) -> Resolution {
        let is_using = |referent: &Referent| match referent {
            Referent::Def(def) => self
                .binding_of_definition(*def)
                .is_some_and(|binding| binding.kind == BindingKind::Import && binding.import.is_none()),
            _ => false,
        };
        if !found.referents.iter().any(is_using) {
            return found;
        }
        let mut all = Resolution { missing: found.missing, ..Resolution::default() };
        for referent in found.referents {
            match referent {
                Referent::Def(def) => all.add(self.follow_using_declaration(def, budget)),
                other => all.add(Resolution::new(vec![other], found.sure)),
            }
        }
        all
    }
}
