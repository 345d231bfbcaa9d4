//! The classes and modules in which a method is looked up, in the order in which Ruby asks them.

use std::collections::HashSet;
use std::sync::Arc;

use peelback_syntax::names::{Expr, ExprId};

use super::parts;
use crate::modules::FileId;
use crate::resolve::budget::{EvaluationBudget, OpenAncestors};
use crate::resolve::definition::{Def, Referent};
use crate::resolve::resolver::Resolver;
use crate::resolve::spread_types::Ancestors;

/// The limit on the number of classes and modules that one class derives from.
const MAX_ANCESTORS: usize = 200;

/// The classes and modules that a class derives from. Results are memoized.
///
/// The names of what a class derives from are looked up in what is known so far of what it derives from: its whole list takes
/// no part, so that the look-ups do not nest.
pub(super) fn ancestors(resolver: &Resolver<'_>, def: Def, budget: &mut EvaluationBudget) -> Arc<Ancestors> {
    let def = resolver.representative_of_same_name_in_scope(def);
    if let Some(known) = resolver.ancestors_of_types.get(&def) {
        return known;
    }
    // The last one is the innermost: what began there depends on nothing around it.
    if let Some(index) = budget.open_ancestors.iter().rposition(|open| open.def == def) {
        budget.lowest_used_open_ancestors = budget.lowest_used_open_ancestors.min(index);
        let list = budget.open_ancestors.get(index).map_or_else(|| vec![def], |open| open.so_far.clone());
        return Arc::new(Ancestors { list, ..Ancestors::default() });
    }
    let before = std::mem::replace(&mut budget.truncated, false);
    let used_before = std::mem::replace(&mut budget.lowest_used_open_ancestors, usize::MAX);
    let index = budget.open_ancestors.len();
    budget.open_ancestors.push(OpenAncestors { def, so_far: vec![def] });
    let mut found = find_ancestors(resolver, def, budget);
    if let Some(open) = budget.open_ancestors.get_mut(index) {
        open.so_far.clone_from(&found.list);
    }
    (found.extending, found.is_extending_whole) = extending_modules(resolver, def, budget);
    let found = Arc::new(found);
    budget.open_ancestors.truncate(index);
    // A result that used the unfinished list of a type around it depends on where the look-up began.
    let is_independent = budget.lowest_used_open_ancestors >= index;
    if !budget.truncated && is_independent {
        resolver.ancestors_of_types.insert(def, found.clone());
    }
    let used = if is_independent { usize::MAX } else { budget.lowest_used_open_ancestors };
    budget.lowest_used_open_ancestors = used_before.min(used);
    budget.truncated |= before;
    found
}

fn find_ancestors(resolver: &Resolver<'_>, def: Def, budget: &mut EvaluationBudget) -> Ancestors {
    let mut found = Ancestors::default();
    let mut seen = HashSet::new();
    let mut next = vec![def];
    while let Some(def) = next.pop() {
        if !seen.insert(def) {
            continue;
        }
        if found.list.len() >= MAX_ANCESTORS {
            found.has_unknown = true;
            break;
        }
        found.list.push(def);
        let is_core = parts::path_of_type(resolver, def).is_some_and(|path| super::core::is_core_type(&path));
        found.has_outside |= is_core;
        let open = budget.open_ancestors.len();
        budget.open_ancestors.push(OpenAncestors { def, so_far: vec![def] });
        let mut bases = Vec::new();
        for &(file, base) in resolver.bases_of_type(def, budget).iter() {
            let types = types_named(resolver, (file, base), budget);
            found.has_outside |= types.has_outside;
            found.has_unknown |= types.is_unknown;
            if let Some(open) = budget.open_ancestors.get_mut(open) {
                open.so_far.extend(types.types.iter().copied());
            }
            bases.extend(types.types);
        }
        budget.open_ancestors.truncate(open);
        next.extend(bases.into_iter().rev());
    }
    found
}

/// The classes that an expression names.
#[derive(Default)]
struct NamedTypes {
    types: Vec<Def>,
    has_outside: bool,
    is_unknown: bool,
}

fn types_named(resolver: &Resolver<'_>, (file, expr): (FileId, ExprId), budget: &mut EvaluationBudget) -> NamedTypes {
    let mut found = NamedTypes::default();
    let resolution = budget.evaluate_without_counting_steps(|budget| {
        budget.run_nested_within_limits(|budget| resolver.resolve_expr_as_name(file, expr, budget))
    });
    found.is_unknown = resolution.referents.is_empty();
    for referent in resolution.referents {
        match referent {
            Referent::Def(def) => match type_held_by(resolver, def, budget) {
                Some(held) => found.types.push(held),
                None => found.is_unknown = true,
            },
            Referent::External => found.has_outside = true,
            _ => found.is_unknown = true,
        }
    }
    found
}

/// The class that a definition is, or that a constant holds.
pub(super) fn type_held_by(resolver: &Resolver<'_>, def: Def, budget: &mut EvaluationBudget) -> Option<Def> {
    use crate::resolve::value::Value;
    use peelback_syntax::names::BindingKind;
    let kind = resolver.binding_of_definition(def)?.kind;
    if kind == BindingKind::Type {
        return Some(resolver.representative_of_same_name_in_scope(def));
    }
    let values = budget.run_nested_within_limits(|budget| resolver.evaluate_definition(def, budget));
    values.list.into_iter().find_map(|value| match value {
        Value::Type(def, _) => Some(resolver.representative_of_same_name_in_scope(def)),
        _ => None,
    })
}

/// Whether a binding is a module, and no class.
pub(super) fn is_module(resolver: &Resolver<'_>, def: Def) -> bool {
    resolver.binding_of_definition(def).is_some_and(|binding| binding.wrapped)
}

/// The modules that extend a class itself.
fn extending_modules(resolver: &Resolver<'_>, def: Def, budget: &mut EvaluationBudget) -> (Vec<Def>, bool) {
    let mut found = Vec::new();
    let mut is_whole = true;
    for part in resolver.parts_or_type_itself(def).iter().copied() {
        let Some(names) = resolver.names_of_file(part.file) else { continue };
        let Some(annotation) = names.bindings.get(part.binding as usize).and_then(|binding| binding.annotation) else {
            continue;
        };
        let Expr::Either(list) = names.expr_by_id(annotation) else { continue };
        for base in names.expr_ids_in_list_range(list) {
            let types = types_named(resolver, (part.file, *base), budget);
            is_whole &= !types.has_outside && !types.is_unknown;
            for module in types.types {
                if !found.contains(&module) && found.len() < MAX_ANCESTORS {
                    found.push(module);
                }
            }
        }
    }
    (found, is_whole)
}
