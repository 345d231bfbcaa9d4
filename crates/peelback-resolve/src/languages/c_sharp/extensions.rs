//! C#'s extension methods: static methods that are called as if they were members of their first parameter's type.

use peelback_syntax::names::BindingKind;

use super::functions::{Fit, fit_of_values};
use super::platform;
use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{PossibleValues, Value};

/// The limit on the number of extension methods of one name that are compared with a receiver.
const MAX_METHODS: usize = 200;

/// Whether a method is an extension method: the binder marks its first parameter.
pub(super) fn is_extension_method(resolver: &Resolver<'_>, def: Def) -> bool {
    let Some(indexed) = resolver.names_index(def.file) else { return false };
    let binding = indexed.binding_or_placeholder(def.binding);
    let Some(body) = binding.body.filter(|_| binding.kind == BindingKind::Function && binding.on_type) else {
        return false;
    };
    // It is the first parameter: one that a method has more of can be far behind.
    indexed.parameters_of_scope(body).first().is_some_and(|first| indexed.binding_or_placeholder(*first).constant)
}

/// The extension methods called `name` that a receiver can have.
pub(super) fn extension_methods_of_receiver(
    resolver: &Resolver<'_>,
    file: FileId,
    receiver: &PossibleValues,
    name: &str,
    budget: &mut EvaluationBudget,
) -> Option<Resolution> {
    if receiver.list.iter().any(|value| matches!(value, Value::Type(..) | Value::Module(_))) {
        return None;
    }
    let modules = resolver.module_resolver_of_file_language(file)?;
    let mut found = Vec::new();
    for other in modules.files_possibly_adding_member(name) {
        if !modules.can_see_definitions_of_file(file, other) {
            continue;
        }
        let Some(indexed) = resolver.names_index(other) else { continue };
        let Some(id) = indexed.name_id_of_text(name) else { continue };
        let methods = indexed.bindings_of_name(id).iter().map(|binding| Def { file: other, binding: *binding });
        found.extend(methods.filter(|def| is_extension_method(resolver, *def)));
        if found.len() >= MAX_METHODS {
            break;
        }
    }
    // A method of the type itself comes before one that is added to it, where it takes the arguments.
    let may_be_own = receiver.list.iter().any(|value| match value {
        Value::Outside(of, _) => platform::has_method(of, name),
        _ => false,
    });
    let mut is_certain = receiver.sure && !receiver.missing.is_any() && !may_be_own;
    let mut fitting = Vec::new();
    for def in found.into_iter().take(MAX_METHODS) {
        let Some(parameters) = resolver.declared_parameters(def, budget) else { continue };
        let Some(first) = parameters.types.first() else { continue };
        match fit_of_values(resolver, receiver, first, budget) {
            Fit::Not => {}
            fit => {
                is_certain &= fit != Fit::Unknown;
                fitting.push(Referent::Def(def));
            }
        }
    }
    (!fitting.is_empty()).then_some(Resolution { sure: is_certain, missing: receiver.missing, referents: fitting })
}
