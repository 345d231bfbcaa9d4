//! Look-up of constants: in the classes around a place, in those that the innermost derives from, and outside of classes.

use peelback_syntax::names::{BindingKind, ScopeId};

use super::{ancestors, parts};
use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::resolver::Resolver;

/// Whether a name is that of a constant.
pub(super) fn is_constant_name(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_uppercase)
}

/// Resolves a bare name that is no local variable: a constant, or a variable of the program.
pub(super) fn look_up_bare_name(
    resolver: &Resolver<'_>,
    file: FileId,
    scope: ScopeId,
    name: &str,
    budget: &mut EvaluationBudget,
) -> Resolution {
    if !is_constant_name(name) {
        let named = parts::members_named(resolver, name);
        let found = named.in_type("");
        let is_global = name.starts_with('$');
        let defs = found.iter().filter(|def| is_global || def.file == file);
        let mut resolution = Resolution::new(representatives(resolver, defs.copied()), true);
        resolution.sure &= resolution.referents.len() == 1;
        return resolution;
    }
    let named = parts::members_named(resolver, name);
    let around = parts::nesting(resolver, file, scope);
    for path in &around {
        let found = constants_in_type(resolver, named.in_type(path));
        if !found.is_empty() {
            return resolution_of_constants(resolver, file, found);
        }
    }
    if let Some(innermost) = around.first()
        && let Some(def) = type_with_path(resolver, innermost)
    {
        for ancestor in ancestors::ancestors(resolver, def, budget).list.iter().skip(1) {
            let Some(path) = parts::path_of_type(resolver, *ancestor) else { continue };
            let found = constants_in_type(resolver, named.in_type(&path));
            if !found.is_empty() {
                return resolution_of_constants(resolver, file, found);
            }
        }
    }
    let found = constants_in_type(resolver, named.in_type(""));
    if found.is_empty() { Resolution::new_outside_project() } else { resolution_of_constants(resolver, file, found) }
}

/// The constant called `name` of a class: its own, or one of those that it derives from.
pub(super) fn constant_of_type(
    resolver: &Resolver<'_>,
    file: FileId,
    def: Def,
    name: &str,
    budget: &mut EvaluationBudget,
) -> Resolution {
    let named = parts::members_named(resolver, name);
    let all = ancestors::ancestors(resolver, def, budget);
    for ancestor in &all.list {
        let Some(path) = parts::path_of_type(resolver, *ancestor) else { continue };
        let found = constants_in_type(resolver, named.in_type(&path));
        if !found.is_empty() {
            return resolution_of_constants(resolver, file, found);
        }
    }
    if all.has_unknown { Resolution::default() } else { Resolution::new_outside_project() }
}

/// The class with this path, if the project opens it.
pub(super) fn type_with_path(resolver: &Resolver<'_>, path: &str) -> Option<Def> {
    let (owner, name) = path.rsplit_once("::").unwrap_or(("", path));
    let named = parts::members_named(resolver, name);
    let is_type =
        |def: &&Def| resolver.binding_of_definition(**def).is_some_and(|binding| binding.kind == BindingKind::Type);
    named.in_type(owner).iter().find(is_type).copied()
}

fn constants_in_type(resolver: &Resolver<'_>, defs: &[Def]) -> Vec<Def> {
    let is_constant = |def: &&Def| {
        resolver
            .binding_of_definition(**def)
            .is_some_and(|binding| matches!(binding.kind, BindingKind::Type | BindingKind::Variable))
    };
    defs.iter().filter(is_constant).copied().collect()
}

/// The definitions of one constant. Of several that are not one class, those of the file itself are meant.
fn resolution_of_constants(resolver: &Resolver<'_>, file: FileId, found: Vec<Def>) -> Resolution {
    let mut referents = representatives(resolver, found.iter().copied());
    if referents.len() > 1 {
        let own = representatives(resolver, found.iter().copied().filter(|def| def.file == file));
        if !own.is_empty() {
            referents = own;
        }
    }
    let sure = referents.len() == 1;
    Resolution::new(referents, sure)
}

fn representatives(resolver: &Resolver<'_>, defs: impl Iterator<Item = Def>) -> Vec<Referent> {
    let mut found: Vec<Referent> = Vec::new();
    let mut has_type = false;
    for def in defs {
        // All classes of one name in one class are one.
        let is_type = resolver.binding_of_definition(def).is_some_and(|binding| binding.kind == BindingKind::Type);
        if is_type && has_type {
            continue;
        }
        has_type |= is_type;
        let referent = Referent::Def(resolver.representative_of_same_name_in_scope(def));
        if !found.contains(&referent) {
            found.push(referent);
        }
    }
    found
}

/// The path of a class that is opened nowhere in the project, but whose members the project adds to: `String`.
pub(super) fn members_added_to_core_type(resolver: &Resolver<'_>, type_name: &str, name: &str) -> Vec<Def> {
    let named = parts::members_named(resolver, name);
    let of = |path: &str| named.in_type(path).to_vec();
    let mut found = of(type_name);
    for general in ["Object", "Kernel", "BasicObject"] {
        found.extend(of(general));
    }
    found
}
