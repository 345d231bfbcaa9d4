//! Look-up of bare names in Kotlin: locals, the members of implicit receivers, then imports, the package, and imports of
//! everything.

use peelback_syntax::names::{
    BindingKind, ExprId, FILE_SCOPE, ModuleImportId, NameId, RestrictedNameKind, ScopeId, ScopeKind,
};

use super::{extensions, members, overloads, parameters, types};
use crate::modules::{FileId, Module};
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::missing::Missing;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{PossibleValues, Value};

/// The limit on the number of scopes and receivers around a name that are looked at.
const MAX_SCOPES: usize = 200;

/// The place and form of a bare name.
#[derive(Clone, Copy)]
pub(super) struct BareName<'a> {
    pub file: FileId,
    pub expr: ExprId,
    pub scope: ScopeId,
    pub name: NameId,
    pub text: &'a str,
    pub at: u32,
    pub is_call: bool,
    pub is_type: bool,
}

/// What a bare name refers to.
pub(super) fn resolve_bare_name(
    resolver: &Resolver<'_>,
    file: FileId,
    (expr, scope): (ExprId, ScopeId),
    (name, at): (NameId, u32),
    budget: &mut EvaluationBudget,
) -> Resolution {
    let Some(names) = resolver.names_of_file(file) else { return Resolution::default() };
    let wanted = BareName {
        file,
        expr,
        scope,
        name,
        text: names.name_text(name),
        at,
        is_call: names.arguments_of_call(expr).is_some(),
        is_type: names.restricted_kind_of_name(expr) == Some(RestrictedNameKind::Type),
    };
    let mut fallback = Resolution::default();
    let mut receivers: Vec<PossibleValues> = Vec::new();
    if let Some(found) = look_up_in_scopes(resolver, wanted, (&mut receivers, &mut fallback), budget) {
        return found;
    }
    let is_receiver_open = receivers.iter().any(|receiver| receiver.list.is_empty() && receiver.missing.is_any());
    for mut found in visible_from_outside_of_types(resolver, file, wanted.text, budget) {
        if found.is_empty() {
            if found.missing.is_any() {
                return found;
            }
            continue;
        }
        found.referents.retain(|referent| fits_place(resolver, wanted, referent));
        let (of_receivers, others) = extensions::split_extensions(resolver, found, !wanted.is_type);
        let own = extensions::extensions_fitting_receivers(resolver, of_receivers, &receivers, budget);
        let mut all = others;
        all.add(own);
        if wanted.is_call {
            all = keep_callable(resolver, wanted, all, &mut fallback, budget);
        }
        if !all.is_empty() {
            all.sure &= !is_receiver_open || wanted.is_type;
            return overloads::nearest_of_copies(resolver, file, all);
        }
    }
    if !fallback.is_empty() {
        fallback.sure = false;
        return fallback;
    }
    if let Some(modules) = resolver.module_resolver_of_file_language(file)
        && !wanted.is_call
        && let Some(module) =
            modules.module_of_unbound_first_segment(resolver.project_index(), file, scope, wanted.text)
    {
        return Resolution::new(vec![Referent::Module(module)], true);
    }
    if is_receiver_open && !wanted.is_type {
        return Resolution { missing: Missing::Unknown, ..Resolution::default() };
    }
    Resolution::new_outside_project()
}

/// Looks a name up in the scopes around it, up to that of the file, and collects the receivers of those.
fn look_up_in_scopes(
    resolver: &Resolver<'_>,
    wanted: BareName<'_>,
    (receivers, fallback): (&mut Vec<PossibleValues>, &mut Resolution),
    budget: &mut EvaluationBudget,
) -> Option<Resolution> {
    let file = wanted.file;
    let indexed = resolver.names_index(file)?;
    let mut next = Some(wanted.scope);
    for _ in 0..MAX_SCOPES {
        let here = next?;
        if here == FILE_SCOPE {
            return None;
        }
        next = indexed.parent_scope(here);
        let kind = indexed.scope_kind(here);
        if kind != ScopeKind::Type {
            let bound = indexed.bindings_of_name_visible_at_byte(here, wanted.name, wanted.at);
            let mut found = Resolution::default();
            for id in bound {
                let def = Def { file, binding: *id };
                if fits_place(resolver, wanted, &Referent::Def(def)) {
                    found.add(Resolution::new_certain_single(Referent::Def(def)));
                }
            }
            if wanted.is_call {
                found = keep_callable(resolver, wanted, found, fallback, budget);
            }
            // The parameter that a lambda has without saying so belongs to the nearest lambda that is given something.
            let is_empty_it = wanted.text == "it"
                && found.referents.iter().all(|referent| match referent {
                    Referent::Def(def) => {
                        let value =
                            budget.run_nested_within_limits(|budget| resolver.evaluate_definition(*def, budget));
                        value.list.is_empty() && !value.missing.is_any()
                    }
                    _ => false,
                });
            if !found.is_empty() && !is_empty_it {
                return Some(found);
            }
        }
        let receiver = match kind {
            ScopeKind::Type => indexed
                .scope_owner(here)
                .map(|owner| PossibleValues::single(Value::Instance(Def { file, binding: owner }, None), true)),
            _ => own_value_of_this_in_scope(resolver, file, here, budget),
        };
        let Some(receiver) = receiver else { continue };
        if wanted.is_type && kind != ScopeKind::Type {
            continue;
        }
        let mut found = match (wanted.is_type, indexed.scope_owner(here)) {
            (true, Some(owner)) => types::nested_type(resolver, Def { file, binding: owner }, wanted.text, budget),
            _ => {
                let mut found = Resolution::default();
                for value in &receiver.list {
                    found.add(members::members_of_value(resolver, value, wanted.text, budget));
                }
                found
            }
        };
        found.referents.retain(|referent| match referent {
            Referent::Def(def) => fits_place(resolver, wanted, referent) && !types::is_constructor(resolver, *def),
            _ => false,
        });
        let (of_receivers, mut own) = extensions::split_extensions(resolver, found, !wanted.is_type);
        if !of_receivers.is_empty() {
            receivers.push(receiver.clone());
            own.add(extensions::extensions_fitting_receivers(resolver, of_receivers, receivers, budget));
            receivers.pop();
        }
        if wanted.is_call {
            own = keep_callable(resolver, wanted, own, fallback, budget);
        }
        if !own.is_empty() {
            own.sure &= receiver.sure;
            return Some(own);
        }
        receivers.push(receiver);
    }
    None
}

/// Whether a definition can be meant where a name stands.
fn fits_place(resolver: &Resolver<'_>, wanted: BareName<'_>, referent: &Referent) -> bool {
    let Referent::Def(def) = referent else { return true };
    let Some(binding) = resolver.binding_of_definition(*def) else { return false };
    let is_type = matches!(binding.kind, BindingKind::Type | BindingKind::TypeAlias | BindingKind::TypeParameter);
    if wanted.is_type {
        return is_type;
    }
    if wanted.is_call {
        return binding.kind != BindingKind::TypeParameter;
    }
    true
}

/// Keeps the definitions that take the arguments of a call. If none does, they are kept for the case that nothing else is
/// found.
fn keep_callable(
    resolver: &Resolver<'_>,
    wanted: BareName<'_>,
    found: Resolution,
    fallback: &mut Resolution,
    budget: &mut EvaluationBudget,
) -> Resolution {
    if found.is_empty() {
        return found;
    }
    let mut callable = found.clone();
    callable.referents.retain(|referent| match referent {
        Referent::Def(def) => is_callable(resolver, wanted, *def, budget),
        _ => true,
    });
    if callable.is_empty() && fallback.is_empty() {
        *fallback = found;
    }
    callable
}

fn is_callable(resolver: &Resolver<'_>, wanted: BareName<'_>, def: Def, budget: &mut EvaluationBudget) -> bool {
    let Some(binding) = resolver.binding_of_definition(def) else { return false };
    match binding.kind {
        BindingKind::Function => parameters::takes_arguments(resolver, (wanted.file, wanted.expr), def),
        BindingKind::Type | BindingKind::TypeAlias => true,
        // A value that has a function.
        _ => {
            let value = budget.run_nested_within_limits(|budget| resolver.evaluate_definition(def, budget));
            value.list.is_empty()
                || value.list.iter().any(|value| !matches!(value, Value::Container(_) | Value::Outside(..)))
        }
    }
}

/// The definitions that a file sees under a name outside of types, one level after another: imported by name, of its own
/// package, imported with all others.
pub(super) fn visible_from_outside_of_types(
    resolver: &Resolver<'_>,
    file: FileId,
    text: &str,
    budget: &mut EvaluationBudget,
) -> Vec<Resolution> {
    let Some(indexed) = resolver.names_index(file) else { return Vec::new() };
    let mut levels = Vec::new();
    let mut imported = Resolution::default();
    let mut own = Resolution::default();
    let mut declared = Vec::new();
    let bound =
        indexed.name_id_of_text(text).map_or(&[][..], |name| indexed.bindings_of_name_in_scope(FILE_SCOPE, name));
    for id in bound {
        let def = Def { file, binding: *id };
        if indexed.binding_or_placeholder(*id).kind == BindingKind::Import {
            let found = resolver.resolve_definition_through_import(def, budget);
            if found.is_empty() {
                imported.missing |= Missing::Unknown;
            }
            imported.add(found);
        } else {
            declared.push(Referent::Def(def));
        }
    }
    // One list, so that not each of many overloads is compared with those before it.
    own.add(Resolution::new(declared, true));
    levels.push(imported);
    if let Some(modules) = resolver.module_resolver_of_file_language(file) {
        for module in modules.modules_visible_without_import(resolver.project_index(), file) {
            let mut found = members_of_package(resolver, &module, text, budget);
            found.referents.retain(|referent| is_visible(resolver, file, referent));
            own.add(found);
        }
    }
    levels.push(own);
    let mut of_globs = Resolution::default();
    let (sources, _) = resolver.referents_of_globs_binding_name(file, FILE_SCOPE, text, budget);
    for referent in sources.iter().flatten() {
        let mut found = match referent {
            Referent::Module(module) => members_of_package(resolver, module, text, budget),
            Referent::Def(def) => budget.run_nested_within_limits(|budget| resolver.type_member(*def, text, budget)),
            _ => continue,
        };
        found.referents.retain(|referent| is_visible(resolver, file, referent));
        of_globs.add(found);
    }
    levels.push(of_globs);
    levels
}

/// The definitions of a package under a name, without the packages inside it.
fn members_of_package(
    resolver: &Resolver<'_>,
    module: &Module,
    text: &str,
    budget: &mut EvaluationBudget,
) -> Resolution {
    let mut found = budget.run_nested_within_limits(|budget| resolver.module_member(module, text, budget));
    found.referents.retain(|referent| matches!(referent, Referent::Def(_)));
    found
}

fn is_visible(resolver: &Resolver<'_>, file: FileId, referent: &Referent) -> bool {
    let Referent::Def(def) = referent else { return false };
    def.file == file || resolver.binding_of_definition(*def).is_some_and(|binding| !binding.private)
}

/// What the path of an import leads to: definitions of a package, or members of types; `None` if nothing of the project.
pub(super) fn referents_of_import(
    resolver: &Resolver<'_>,
    file: FileId,
    import: ModuleImportId,
    budget: &mut EvaluationBudget,
) -> Option<Resolution> {
    let names = resolver.names_of_file(file)?;
    let import = names.imports.get(import as usize)?;
    let path = names.name_text(import.source);
    let modules = resolver.module_resolver_of_file_language(file)?;
    let package =
        |name: &str| modules.module_of_unbound_first_segment(resolver.project_index(), file, FILE_SCOPE, name);
    if import.glob
        && let Some(module) = package(path)
    {
        return Some(Resolution::new(vec![Referent::Module(module)], true));
    }
    let parts: Vec<&str> = path.split('.').collect();
    for count in (0..parts.len()).rev() {
        let (owner, rest) = parts.split_at(count);
        let (name, inner) = rest.split_first()?;
        if owner.is_empty() && parts.len() > 1 && !super::library::is_written_as_type(name) {
            break;
        }
        let Some(module) = package(&owner.join(".")) else { continue };
        let mut found = members_of_package(resolver, &module, name, budget);
        found.referents.retain(|referent| is_visible(resolver, file, referent));
        if found.is_empty() {
            continue;
        }
        for name in inner {
            let mut members = Resolution::default();
            for referent in &found.referents {
                if let Referent::Def(def) = referent {
                    let of_type = budget.run_nested_within_limits(|budget| resolver.type_member(*def, name, budget));
                    members.add(of_type);
                }
            }
            members.referents.retain(|referent| matches!(referent, Referent::Def(_)));
            found = members;
        }
        return Some(overloads::nearest_of_copies(resolver, file, found));
    }
    None
}

/// The value of `this` in a scope, if a scope around it other than that of a type gives it one of its own.
pub(super) fn own_value_of_this(
    resolver: &Resolver<'_>,
    file: FileId,
    scope: ScopeId,
    budget: &mut EvaluationBudget,
) -> Option<PossibleValues> {
    let indexed = resolver.names_index(file)?;
    let mut next = Some(scope);
    for _ in 0..MAX_SCOPES {
        let here = next?;
        if indexed.scope_kind(here) == ScopeKind::Type {
            // An instance has the parameters of its type as its arguments.
            return None;
        }
        if let Some(own) = own_value_of_this_in_scope(resolver, file, here, budget)
            && !own.list.is_empty()
        {
            return Some(own);
        }
        next = indexed.parent_scope(here);
    }
    None
}

/// The value that a scope itself gives to `this`; `None` if it gives none.
fn own_value_of_this_in_scope(
    resolver: &Resolver<'_>,
    file: FileId,
    scope: ScopeId,
    budget: &mut EvaluationBudget,
) -> Option<PossibleValues> {
    let indexed = resolver.names_index(file)?;
    let this = *indexed.bindings_of_name_text_in_scope(scope, "this").first()?;
    let value =
        budget.run_nested_within_limits(|budget| resolver.evaluate_definition(Def { file, binding: this }, budget));
    (!value.list.is_empty() || value.missing.is_any()).then_some(value)
}
