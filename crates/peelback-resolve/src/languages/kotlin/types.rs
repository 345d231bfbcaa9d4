//! What types of Kotlin have besides their own members: companions, objects that are their only values, nested types and
//! constructors.

use peelback_syntax::names::{BindingKind, ScopeKind};

use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{PossibleValues, Value};

/// The limit on the number of members of a type that are looked through for its companion.
const MAX_MEMBERS: usize = 2_000;

/// The companion of a type, whose members are also those of the type.
pub(super) fn companion_of_type(resolver: &Resolver<'_>, def: Def) -> PossibleValues {
    let Some(indexed) = resolver.names_index(def.file) else { return PossibleValues::default() };
    let binding = indexed.binding_or_placeholder(def.binding);
    let Some(body) = binding.body.filter(|_| binding.kind == BindingKind::Type) else {
        return PossibleValues::default();
    };
    let companion = indexed.bindings_of_scope(body).iter().copied().take(MAX_MEMBERS).find(|id| {
        let member = indexed.binding_or_placeholder(*id);
        member.kind == BindingKind::Type && member.wrapped
    });
    companion.map_or_else(PossibleValues::default, |binding| {
        PossibleValues::single(Value::Instance(Def { file: def.file, binding }, None), true)
    })
}

/// The types called `text` that are visible inside a type: those that it declares, its companion declares, or it inherits.
/// What the companion inherits is left out: its bases are looked up here.
pub(super) fn nested_type(
    resolver: &Resolver<'_>,
    owner: Def,
    text: &str,
    budget: &mut EvaluationBudget,
) -> Resolution {
    let mut own = declared_types(resolver, owner, text);
    if own.is_empty() {
        for companion in companion_of_type(resolver, owner).list {
            if let Value::Instance(companion, _) = companion {
                own.extend(declared_types(resolver, companion, text));
            }
        }
    }
    if !own.is_empty() {
        return Resolution::new(own, true);
    }
    let mut found = Resolution::default();
    for &(file, base) in resolver.bases_of_type(owner, budget).iter() {
        let bases = budget.run_nested_within_limits(|budget| resolver.resolve_expr_as_name(file, base, budget));
        for referent in bases.referents {
            if let Referent::Def(base) = referent {
                found.add(budget.run_nested_within_limits(|budget| resolver.type_member(base, text, budget)));
            }
        }
    }
    found
}

/// The types called `text` that a type declares inside of it.
fn declared_types(resolver: &Resolver<'_>, owner: Def, text: &str) -> Vec<Referent> {
    let Some(indexed) = resolver.names_index(owner.file) else { return Vec::new() };
    let Some(body) = indexed.binding_or_placeholder(owner.binding).body else { return Vec::new() };
    let is_type =
        |id: &&u32| matches!(indexed.binding_or_placeholder(**id).kind, BindingKind::Type | BindingKind::TypeAlias);
    let found = indexed.bindings_of_name_text_in_scope(body, text).iter().filter(is_type);
    found.map(|id| Referent::Def(Def { file: owner.file, binding: *id })).collect()
}

/// Whether a definition is a constructor, which has the name of its type and is called by it.
pub(super) fn is_constructor(resolver: &Resolver<'_>, def: Def) -> bool {
    let Some(indexed) = resolver.names_index(def.file) else { return false };
    let binding = indexed.binding_or_placeholder(def.binding);
    let owner = indexed.scope_owner(binding.scope).filter(|_| indexed.scope_kind(binding.scope) == ScopeKind::Type);
    binding.kind == BindingKind::Function
        && binding.on_type
        && owner.is_some_and(|owner| indexed.binding_or_placeholder(owner).name == binding.name)
}

/// Whether a type is the only value of itself.
pub(super) fn is_object(resolver: &Resolver<'_>, def: Def) -> bool {
    resolver.binding_of_definition(def).is_some_and(|binding| binding.kind == BindingKind::Type && binding.constant)
}

/// Values with each object that is named as a type in the place of it.
pub(super) fn with_objects_as_instances(resolver: &Resolver<'_>, mut values: PossibleValues) -> PossibleValues {
    for value in &mut values.list {
        if let Value::Type(def, arguments) = value
            && is_object(resolver, *def)
        {
            *value = Value::Instance(*def, arguments.clone());
        }
    }
    values
}
