//! Members that code uses of a type which neither the type nor its bases declare: those of the types that derive from it,
//! those of the types that use a trait, and those that special methods answer for.

use peelback_syntax::names::ScopeKind;

use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::resolver::Resolver;

/// The limit on the number of files that are searched for members of derived types.
const MAX_FILES: usize = 400;

/// Special methods that answer for members that a class does not declare.
const METHODS_FOR_UNDECLARED_MEMBERS: &[&str] = &["__call", "__callStatic", "__get"];

/// What the member called `name` may be that a type does not declare; `None` if it is none of the project.
pub(super) fn undeclared_member(
    resolver: &Resolver<'_>,
    def: Def,
    name: &str,
    budget: &mut EvaluationBudget,
) -> Option<Resolution> {
    let of_heirs = members_of_heirs(resolver, def, name, budget);
    if !of_heirs.is_empty() {
        return Some(of_heirs);
    }
    // The types that use a trait may inherit the member.
    let is_open = resolver.binding_of_definition(def).is_some_and(|binding| binding.wrapped)
        || has_method_for_undeclared_members(resolver, def, budget);
    is_open.then(Resolution::default)
}

/// The members called `name` of the types that derive from a type. An object of the type may be one of theirs.
fn members_of_heirs(resolver: &Resolver<'_>, def: Def, name: &str, budget: &mut EvaluationBudget) -> Resolution {
    let key = (def, Box::from(name));
    if let Some(known) = resolver.members_of_heirs.get(&key) {
        return known;
    }
    let before = std::mem::replace(&mut budget.truncated, false);
    let mut found = Resolution::default();
    let index = resolver.project_index();
    let count = FileId::try_from(index.project_file_table().len()).unwrap_or(FileId::MAX);
    let holders = (0..count).filter(|file| index.may_file_contain_name(*file, name));
    let own = resolver.semantics_of_file_language(def.file);
    for file in holders.filter(|file| resolver.semantics_of_file_language(*file) == own).take(MAX_FILES) {
        let Some(names) = resolver.names_index(file) else { continue };
        let Some(id) = names.name_id_of_text(name) else { continue };
        for binding in names.bindings_of_name(id) {
            let scope = names.binding_or_placeholder(*binding).scope;
            let owner = names.scope_owner(scope).filter(|_| names.scope_kind(scope) == ScopeKind::Type);
            let Some(owner) = owner else { continue };
            let is_heir = budget
                .run_nested_within_limits(|budget| resolver.is_derived_from(Def { file, binding: owner }, def, budget));
            if is_heir {
                found.add(Resolution::new(vec![Referent::Def(Def { file, binding: *binding })], false));
            }
        }
    }
    if !budget.truncated {
        resolver.members_of_heirs.insert(key, found.clone());
    }
    budget.truncated |= before;
    found
}

/// Whether a type has a special method that answers for members that nothing declares.
fn has_method_for_undeclared_members(resolver: &Resolver<'_>, def: Def, budget: &mut EvaluationBudget) -> bool {
    METHODS_FOR_UNDECLARED_MEMBERS.iter().any(|name| {
        let found = resolver.type_member(def, name, budget);
        found.referents.iter().any(|referent| *referent != Referent::External)
    })
}
