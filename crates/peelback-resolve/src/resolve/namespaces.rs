//! Look-up of names in namespaces that are spread over the files which include one another.
//!
//! A file sees of a namespace what it and the files that it includes, at any depth, say of it. A namespace is known by its
//! path, such as `a::b`; that of the outermost one is empty. Parts of a file are assigned to paths once
//! ([`FileNamespaces`]), and a look-up asks the parts of all visible files.

use std::collections::BTreeSet;
use std::sync::Arc;

use peelback_syntax::names::{
    BindingKind, Expr, ExprId, FILE_SCOPE, ModuleImportKind, NameId, Role, ScopeId, ScopeKind, USING_DIRECTIVE,
};

use crate::modules::{Destination, FileId, Module};
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::index::NamesIndex;
use crate::resolve::missing::Missing;
use crate::resolve::resolver::Resolver;

/// What separates the names of a path.
const SEPARATOR: &str = "::";

/// The limit on the number of scopes around a definition that are followed to name it.
const MAX_SCOPES: usize = 256;

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
}

impl FileNamespaces {
    /// The scopes of the file that belong to a namespace.
    fn scopes_of_path(&self, path: &str) -> impl Iterator<Item = ScopeId> {
        let start = self.scopes_by_path.partition_point(|(known, _)| **known < *path);
        let rest = self.scopes_by_path.get(start..).unwrap_or(&[]).iter();
        rest.take_while(move |(known, _)| **known == *path).map(|(_, scope)| *scope)
    }

    fn path_of_scope(&self, scope: ScopeId) -> Option<&str> {
        let at = self.path_by_scope.binary_search_by_key(&scope, |(known, _)| *known).ok()?;
        self.path_by_scope.get(at).map(|(_, path)| &**path)
    }
}

fn join_path(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}{SEPARATOR}{name}") }
}

impl Resolver<'_> {
    /// A file and the files that it includes, at any depth, in the order in which they are met.
    pub(crate) fn files_visible_by_includes(&self, file: FileId) -> Arc<[FileId]> {
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
        let made: Arc<[FileId]> = order.into();
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
    fn namespaces_of_file(&self, file: FileId) -> Arc<FileNamespaces> {
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
            let own = if own.len() > MAX_PATH_BYTES { String::new() } else { own };
            made.path_by_scope.push((id, own.as_str().into()));
            made.scopes_by_path.push((own.into(), id));
        }
        made.scopes_by_path.sort_unstable();
        made
    }

    /// The names of the namespaces that a macro opens, as a visible file defines it.
    fn namespaces_opened_by_macro(&self, file: FileId, name: &str) -> Vec<String> {
        for visible in self.files_visible_by_includes(file).iter() {
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
        let mut announced = Resolution::default();
        let mut missing = Missing::Nothing;
        let mut next = Some(scope);
        while let Some(here) = next {
            next = indexed.parent_scope(here);
            let mut found = match indexed.scope_kind(here) {
                ScopeKind::Function | ScopeKind::Block | ScopeKind::MacroCall => {
                    self.add_using_directives(file, here, &mut directives);
                    let bound = indexed.bindings_of_name_visible_at_byte(here, name, at);
                    let mut found = Resolution::default();
                    for id in bound {
                        found.add(self.follow_using_declaration(Def { file, binding: *id }, budget));
                    }
                    found
                }
                ScopeKind::Type => self.look_up_name_in_type_scope(file, here, text, budget),
                ScopeKind::Module | ScopeKind::File => {
                    let namespaces = self.namespaces_of_file(file);
                    let path = namespaces.path_of_scope(here).unwrap_or("");
                    let mut found = self.member_of_namespace_path(file, path, text, budget);
                    for (of, meant) in std::mem::take(&mut directives) {
                        if found.is_empty() {
                            found = self.member_through_using_directive(file, (of, meant), text, budget);
                        }
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
        let mut linked = self.definitions_linked_by_name(file, text);
        linked.referents.retain(|referent| !self.is_member_of_type(referent));
        if linked.is_empty() {
            return Resolution { missing, ..Resolution::new_outside_project() };
        }
        linked.referents.retain(|referent| match referent {
            Referent::Def(def) => {
                role == Some(Role::Call) && self.is_value_or_function(referent)
                    // What is around a name in a file with errors may have been misread.
                    || matches!(role, Some(Role::Call | Role::Type)) && !indexed.names().missed.is_empty()
                    || self.files_visible_by_includes(def.file).contains(&file)
            }
            _ => false,
        });
        linked.sure = false;
        linked.missing = Missing::Unknown;
        linked
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
    fn complete_forward_declarations(
        &self,
        file: FileId,
        text: &str,
        mut announced: Resolution,
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
        let mut defined = Resolution::default();
        for visible in self.files_visible_by_includes(file).iter() {
            let Some(indexed) = self.names_index(*visible) else { continue };
            if !indexed.names().extensions.is_empty() {
                self.add_defined_types(*visible, indexed, text, &paths, &mut defined, budget);
            }
        }
        for referent in self.definitions_linked_by_name(file, text).referents {
            if let Referent::Def(def) = referent
                && self.is_defined_type(def)
                && self.qualified_path_of_definition(def, budget).is_some_and(|path| paths.contains(&path))
            {
                defined.add(Resolution::new(vec![Referent::Def(def)], true));
            }
        }
        if !defined.is_empty() {
            return defined;
        }
        announced.sure = true;
        announced
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

    fn is_defined_type(&self, def: Def) -> bool {
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
        let mut linked = self.definitions_linked_by_name(file, text);
        linked.referents.retain(|referent| match referent {
            Referent::Def(def) => self.qualified_path_of_definition(*def, budget).is_some_and(|path| {
                path.strip_suffix(end.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with(SEPARATOR))
            }),
            _ => false,
        });
        if !linked.is_empty() {
            linked.sure = false;
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
    fn path_of_namespace(&self, def: Def, budget: &mut EvaluationBudget) -> Option<String> {
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

    /// The member called `text` of the namespace with this path, as a file sees it. Results are memoized.
    fn member_of_namespace_path(
        &self,
        file: FileId,
        path: &str,
        text: &str,
        budget: &mut EvaluationBudget,
    ) -> Resolution {
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
        let found =
            budget.run_nested_within_limits(|budget| self.find_member_of_namespace_path(file, path, text, budget));
        budget.open_namespace_lookups.pop();
        // Inside of another look-up, one of its own steps may be missing here.
        if !budget.truncated && budget.open_namespace_lookups.is_empty() {
            self.namespace_members.insert(key, found.clone());
        }
        budget.truncated |= before;
        found
    }

    fn find_member_of_namespace_path(
        &self,
        file: FileId,
        path: &str,
        text: &str,
        budget: &mut EvaluationBudget,
    ) -> Resolution {
        let mut found = Resolution::default();
        let mut directives: Vec<(FileId, ExprId)> = Vec::new();
        let mut has_namespace = false;
        let visible = self.files_visible_by_includes(file);
        for visible in visible.iter() {
            if self.call_end.must_stop_now() {
                budget.record_cut();
                break;
            }
            let namespaces = self.namespaces_of_file(*visible);
            let Some(indexed) = self.names_index(*visible) else { continue };
            for scope in namespaces.scopes_of_path(path) {
                self.add_using_directives(*visible, scope, &mut directives);
                for id in indexed.bindings_of_name_text_in_scope(scope, text) {
                    let def = Def { file: *visible, binding: *id };
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
            for visible in visible.iter() {
                let owner = self
                    .namespaces_of_file(*visible)
                    .scopes_of_path(&inner)
                    .next()
                    .and_then(|scope| self.names_index(*visible).and_then(|indexed| indexed.scope_owner(scope)));
                if let Some(binding) = owner {
                    return Resolution::new(vec![Referent::Def(Def { file: *visible, binding })], true);
                }
            }
            for directive in directives {
                let through = self.member_through_using_directive(file, directive, text, budget);
                found.add(through);
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

    fn add_using_directives(&self, file: FileId, scope: ScopeId, directives: &mut Vec<(FileId, ExprId)>) {
        let Some(indexed) = self.names_index(file) else { return };
        for id in indexed.bindings_of_name_text_in_scope(scope, USING_DIRECTIVE) {
            directives.extend(indexed.binding_or_placeholder(*id).annotation.map(|meant| (file, meant)));
        }
    }

    /// The member called `text` of the namespace or enum that a directive names.
    fn member_through_using_directive(
        &self,
        file: FileId,
        (of, meant): (FileId, ExprId),
        text: &str,
        budget: &mut EvaluationBudget,
    ) -> Resolution {
        budget.run_nested_within_limits(|budget| {
            let named = self.resolve_expr_as_name(of, meant, budget);
            let mut found = Resolution::default();
            for referent in named.referents {
                let Referent::Def(def) = referent else { continue };
                match self.path_of_namespace(def, budget) {
                    Some(path) => found.add(self.member_of_namespace_path(file, &path, text, budget)),
                    None => found.add(self.type_member(def, text, budget)),
                }
            }
            found.referents.retain(|referent| *referent != Referent::External);
            found
        })
    }

    /// What a definition is, or what it brings in if it is a declaration with `using`.
    fn follow_using_declaration(&self, def: Def, budget: &mut EvaluationBudget) -> Resolution {
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
