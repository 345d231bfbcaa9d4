//! C#'s extension methods: static methods that are called as if they were members of their first parameter's type.

use super::fit::Fit;
use super::functions::fit_of_values;
use super::methods::is_extension_method;
use super::platform;
use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::missing::Missing;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{PossibleValues, Value};

/// The limit on the number of extension methods of one name that are compared with a receiver.
const MAX_METHODS: usize = 200;

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
    let files = modules.files_possibly_adding_member(name);
    let is_seen = |other: &FileId| modules.can_see_definitions_of_file(file, *other);
    // A reference between projects may not be understood: what is not seen comes last, but is not left out.
    let any_seen = files.iter().any(is_seen);
    for other in files {
        if any_seen && !is_seen(&other) {
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
    let was_cut = found.len() > MAX_METHODS;
    let mut is_certain = receiver.sure && !receiver.missing.is_any() && !may_be_own && any_seen && !was_cut;
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
    if fitting.is_empty() && was_cut {
        return Some(Resolution { missing: Missing::Unknown, ..Resolution::default() });
    }
    (!fitting.is_empty()).then_some(Resolution { sure: is_certain, missing: receiver.missing, referents: fitting })
}
