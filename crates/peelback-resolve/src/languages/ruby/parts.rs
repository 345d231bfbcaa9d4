//! Classes and modules that are opened in several files, and what their bodies define, by paths of names.
//!
//! A definition is found by its name: only files that may contain the name are read, whatever they open.

use std::sync::Arc;

use peelback_syntax::names::{BindingKind, Expr, ExprId, FILE_SCOPE, Names, ScopeId, ScopeKind};

use crate::modules::FileId;
use crate::resolve::definition::Def;
use crate::resolve::index::NamesIndex;
use crate::resolve::resolver::Resolver;
use crate::resolve::spread_types::MembersByPath;

/// The name of the module inside a module whose methods become those of the classes that include it, by convention.
pub(super) const CLASS_METHODS: &str = "ClassMethods";

/// The limit on the levels of nested classes that a path has.
const MAX_NESTED_TYPES: usize = 64;

/// The limit on the length, in bytes, of a path: those of deeply nested classes would grow with the square of the source.
const MAX_PATH_BYTES: usize = 1_000;

/// The definitions called `name` of all files. Results are memoized.
pub(super) fn members_named(resolver: &Resolver<'_>, name: &str) -> Arc<MembersByPath> {
    members(resolver, name, false)
}

/// The definitions of `name`. With `only_plain`, those in classes that are opened by a path (`class A::B`) are left out.
fn members(resolver: &Resolver<'_>, name: &str, only_plain: bool) -> Arc<MembersByPath> {
    let memo = if only_plain { &resolver.plain_members_by_path } else { &resolver.members_by_path };
    let key: Box<str> = name.into();
    if let Some(known) = memo.get(&key) {
        return known;
    }
    let mut found = MembersByPath::default();
    let count = u32::try_from(resolver.project_index().project_file_table().len()).unwrap_or(u32::MAX);
    for file in 0..count {
        if resolver.call_end.must_stop_now() {
            return Arc::new(found);
        }
        let is_ours =
            resolver.semantics_of_file_language(file).is_some_and(|semantics| semantics.name() == super::core::NAME);
        let may_define = |word: &str| resolver.project_index().may_text_contain_word(file, word);
        // Some code makes this module without its name.
        let may_make =
            || name == CLASS_METHODS && ["class_methods", "included", "extended"].into_iter().any(may_define);
        if !is_ours || !(may_define(name) || may_make()) {
            continue;
        }
        let Some(index) = resolver.names_index(file) else { continue };
        let Some(id) = index.name_id_of_text(name) else { continue };
        for binding in index.bindings_of_name(id) {
            let scope = index.binding_or_placeholder(*binding).scope;
            // Each part of a class counts, but a member once however often it is defined in one place.
            let is_type = index.binding_or_placeholder(*binding).kind == BindingKind::Type;
            if !is_type && index.first_binding_of_definition(*binding, || true) != *binding {
                continue;
            }
            let path = match index.scope_kind(scope) {
                ScopeKind::File => Some(Arc::from("")),
                ScopeKind::Type if only_plain => plain_path_of_type_scope(index, scope),
                ScopeKind::Type => path_of_type_scope(resolver, file, scope),
                _ => None,
            };
            match path {
                Some(path) if is_type => found.add_part_of_type(&path, Def { file, binding: *binding }),
                Some(path) => found.add(&path, Def { file, binding: *binding }),
                None => {}
            }
        }
    }
    let found = Arc::new(found);
    memo.insert(key, found.clone());
    found
}

/// The path of the class whose members a scope holds; `None` for a class without a name. Results are memoized.
pub(super) fn path_of_type_scope(resolver: &Resolver<'_>, file: FileId, scope: ScopeId) -> Option<Arc<str>> {
    if let Some(known) = resolver.paths_of_type_scopes.get(&(file, scope)) {
        return known;
    }
    let index = resolver.names_index(file)?;
    // From the scope outward, until one is known.
    let mut names: Vec<&str> = Vec::new();
    let mut at = scope;
    let mut begin: Option<Arc<str>> = None;
    for _ in 0..MAX_NESTED_TYPES {
        if let Some(known) = resolver.paths_of_type_scopes.get(&(file, at)) {
            begin = known;
            break;
        }
        if at == FILE_SCOPE {
            begin = Some(Arc::from(""));
            break;
        }
        if let Some(owner) = index.scope_owner(at) {
            let binding = index.binding_or_placeholder(owner);
            if binding.scope == at {
                break;
            }
            names.push(index.names().name_text(binding.name));
            at = binding.scope;
            // A class inside a block or method belongs to the class around it.
            while !matches!(index.scope_kind(at), ScopeKind::Type | ScopeKind::File) {
                at = index.parent_scope(at)?;
            }
        } else {
            begin = index.extension_of_scope(at).and_then(|extension| path_of_target(resolver, file, extension.target));
            break;
        }
    }
    let path = begin.map(|begin| names.iter().rev().fold(begin, |path, name| joined(&path, name)));
    let path = path.filter(|path| path.len() <= MAX_PATH_BYTES);
    resolver.paths_of_type_scopes.insert((file, scope), path.clone());
    path
}

/// The path of the class whose members a scope holds, if no class around it is opened by a path.
fn plain_path_of_type_scope(index: &NamesIndex, scope: ScopeId) -> Option<Arc<str>> {
    let mut names: Vec<&str> = Vec::new();
    let mut at = scope;
    for _ in 0..MAX_NESTED_TYPES {
        if at == FILE_SCOPE {
            let path = names.iter().rev().fold(Arc::from(""), |path, name| joined(&path, name));
            return Some(path).filter(|path| path.len() <= MAX_PATH_BYTES);
        }
        let binding = index.binding_or_placeholder(index.scope_owner(at)?);
        if binding.scope == at {
            return None;
        }
        names.push(index.names().name_text(binding.name));
        at = binding.scope;
        while !matches!(index.scope_kind(at), ScopeKind::Type | ScopeKind::File) {
            at = index.parent_scope(at)?;
        }
    }
    None
}

/// A path with one more name.
pub(super) fn joined(path: &str, name: &str) -> Arc<str> {
    match path {
        "" => name.into(),
        path => format!("{path}::{name}").into(),
    }
}

/// The path of the class that code adds members to by a path of constants.
fn path_of_target(resolver: &Resolver<'_>, file: FileId, target: ExprId) -> Option<Arc<str>> {
    let names = resolver.names_of_file(file)?;
    let (first, scope, rest) = parts_of_constant_path(names, target)?;
    let defining = members(resolver, first, true);
    let mut begin = None;
    for around in nesting(resolver, file, scope) {
        if !defining.in_type(&around).is_empty() {
            begin = Some(joined(&around, first));
            break;
        }
    }
    let begin = begin.unwrap_or_else(|| first.into());
    Some(rest.iter().rev().fold(begin, |path, name| joined(&path, name)))
}

/// The first name of a path of constants, the scope from which it is looked up, and the other names, the last one first.
fn parts_of_constant_path(names: &Names, path: ExprId) -> Option<(&str, ScopeId, Vec<&str>)> {
    let mut rest = Vec::new();
    let mut at = path;
    for _ in 0..MAX_NESTED_TYPES {
        match names.expr_by_id(at) {
            Expr::Name { name, scope, .. } => return Some((names.name_text(name), scope, rest)),
            Expr::Member { base, name, .. } => {
                rest.push(names.name_text(name));
                at = base;
            }
            _ => return None,
        }
    }
    None
}

/// The paths of the classes around a scope, the innermost first: where constants are looked up.
pub(super) fn nesting(resolver: &Resolver<'_>, file: FileId, scope: ScopeId) -> Vec<Arc<str>> {
    let mut found = Vec::new();
    let Some(index) = resolver.names_index(file) else { return found };
    let mut next = Some(scope);
    let mut left = MAX_NESTED_TYPES;
    while let Some(at) = next.filter(|_| left > 0) {
        // A class that is opened by a path is a member of a scope that no code is directly in.
        if index.scope_kind(at) == ScopeKind::Type {
            left -= 1;
            found.extend(path_of_type_scope(resolver, file, at));
        }
        next = index.parent_scope(at);
    }
    found
}

/// The path of a class; `None` if it has no name.
pub(super) fn path_of_type(resolver: &Resolver<'_>, def: Def) -> Option<Arc<str>> {
    let body = resolver.binding_of_definition(def)?.body?;
    path_of_type_scope(resolver, def.file, body)
}

/// All bindings that open one class or module, in the order of files; none if it has no path.
pub(super) fn parts_of_type(resolver: &Resolver<'_>, def: Def) -> Vec<Def> {
    let Some(binding) = resolver.binding_of_definition(def) else { return Vec::new() };
    let Some(path) = path_of_type(resolver, def) else { return Vec::new() };
    let owner = path.rsplit_once("::").map_or("", |(owner, _)| owner);
    let named = members_named(resolver, resolver.name_text(def.file, binding.name));
    named.parts_of_type_in_type(owner).to_vec()
}
