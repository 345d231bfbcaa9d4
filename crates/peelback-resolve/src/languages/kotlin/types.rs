//! What types of Kotlin have besides their own members: companions, and components of data classes.

use peelback_syntax::names::{BindingId, BindingKind};

use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::Def;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{Arguments, PossibleValues, Value};

/// The limit on the number of members of a type that are looked through for its companion and its components.
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

/// The component at `index` of an instance of a data class, or of a type with such functions.
pub(super) fn component_of_instance(
    resolver: &Resolver<'_>,
    (def, arguments): (Def, &Arguments),
    index: u32,
    budget: &mut EvaluationBudget,
) -> Option<PossibleValues> {
    let name = format!("component{}", u64::from(index) + 1);
    let indexed = resolver.names_index(def.file)?;
    let body = indexed.binding_or_placeholder(def.binding).body?;
    let component: BindingId = *indexed.bindings_of_name_text_in_scope(body, &name).first()?;
    let function = Def { file: def.file, binding: component };
    let values = super::calls::declared_or_returned_values(resolver, function, budget);
    let receiver = PossibleValues::single(Value::Instance(def, arguments.clone()), true);
    Some(resolver.substitute_receiver_type_arguments(values, &receiver, budget))
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
