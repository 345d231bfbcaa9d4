//! What functions of Kotlin and Java declare of their parameters, and the functions that Java has for properties.

use peelback_syntax::names::{BindingId, BindingKind, ExprId, Role, ScopeKind};

use crate::modules::FileId;
use crate::resolve::definition::Def;
use crate::resolve::resolver::Resolver;

/// The name under which the binder records a lambda behind the parentheses of a call.
const TRAILING: &str = "{}";

/// A parameter of a function.
pub(super) struct Parameter {
    pub name: String,
    pub has_default: bool,
    pub takes_rest: bool,
}

/// The parameters of a function; `None` for any other definition.
pub(super) fn parameters_of_function(resolver: &Resolver<'_>, def: Def) -> Option<Vec<Parameter>> {
    let (count, takes_rest) = resolver.parameter_count_of_function(def)?;
    let indexed = resolver.names_index(def.file)?;
    let binding = indexed.binding_or_placeholder(def.binding);
    let body = binding.body.filter(|body| indexed.scope_kind(*body) == ScopeKind::Function);
    let named = body.map_or_else(Vec::new, |body| indexed.parameters_of_scope(body));
    if named.len() == count {
        let parameter = |id: &BindingId| {
            let binding = indexed.binding_or_placeholder(*id);
            Parameter {
                name: indexed.names().name_text(binding.name).to_owned(),
                has_default: binding.values.len > 0,
                takes_rest: binding.wrapped,
            }
        };
        return Some(named.iter().map(parameter).collect());
    }
    let unnamed = (0..count).map(|at| Parameter {
        name: String::new(),
        has_default: false,
        takes_rest: takes_rest && at + 1 == count,
    });
    Some(unnamed.collect())
}

/// For each argument of a call, the index of the parameter that takes it; `None` if the function does not take them.
pub(super) fn parameters_taking_arguments(
    resolver: &Resolver<'_>,
    (file, callee): (FileId, ExprId),
    argument_count: usize,
    parameters: &[Parameter],
) -> Option<Vec<usize>> {
    let names = resolver.names_of_file(file)?;
    let given: Vec<(u32, &str)> =
        names.names_of_arguments(callee).map(|(index, name)| (index, names.name_text(name))).collect();
    let mut taking = Vec::with_capacity(argument_count);
    let mut taken = vec![false; parameters.len()];
    let mut next = 0;
    for index in 0..argument_count {
        let name = given.iter().find(|(at, _)| *at as usize == index).map(|(_, name)| *name);
        let at = match name {
            Some(TRAILING) => parameters.len().checked_sub(1)?,
            Some(name) => {
                let at = parameters.iter().position(|parameter| parameter.name == name)?;
                next = at + 1;
                at
            }
            None => {
                let at = next;
                if !parameters.get(at)?.takes_rest {
                    next += 1;
                }
                at
            }
        };
        let is_rest = parameters.get(at)?.takes_rest;
        if taken.get(at) == Some(&true) && !is_rest {
            return None;
        }
        *taken.get_mut(at)? = true;
        taking.push(at);
    }
    let is_missing = parameters
        .iter()
        .zip(&taken)
        .any(|(parameter, taken)| !taken && !parameter.has_default && !parameter.takes_rest);
    (!is_missing).then_some(taking)
}

/// Whether a function takes the arguments of a call by their number and names.
pub(super) fn takes_arguments(resolver: &Resolver<'_>, (file, callee): (FileId, ExprId), function: Def) -> bool {
    let Some(count) = resolver.names_of_file(file).and_then(|names| names.arguments_of_call(callee)).map(<[u32]>::len)
    else {
        return true;
    };
    parameters_of_function(resolver, function)
        .is_some_and(|parameters| parameters_taking_arguments(resolver, (file, callee), count, &parameters).is_some())
}

/// The expression for the type of the receiver of an extension; `None` for any other definition.
pub(super) fn receiver_type_of_extension(resolver: &Resolver<'_>, def: Def) -> Option<ExprId> {
    let indexed = resolver.names_index(def.file)?;
    let body = indexed.binding_or_placeholder(def.binding).body?;
    if indexed.scope_kind(body) != ScopeKind::Function {
        return None;
    }
    let this = *indexed.bindings_of_name_text_in_scope(body, "this").first()?;
    indexed.binding_or_placeholder(this).annotation
}

/// The property, or the function with another name for Java, that a function of the binder stands for.
pub(super) fn definition_behind_accessor(resolver: &Resolver<'_>, def: Def) -> Option<Def> {
    let indexed = resolver.names_index(def.file)?;
    let own = indexed.binding_or_placeholder(def.binding);
    if own.kind != BindingKind::Function || own.body.is_some() {
        return None;
    }
    (1..=2).find_map(|before| {
        let id = def.binding.checked_sub(before)?;
        let other = indexed.binding_or_placeholder(id);
        let is_property = matches!(other.kind, BindingKind::Field | BindingKind::Property | BindingKind::Variable);
        let is_behind = (other.at, other.scope) == (own.at, own.scope)
            && (is_property || other.kind == BindingKind::Function && other.body.is_some());
        is_behind.then_some(Def { file: def.file, binding: id })
    })
}

/// The names of the functions that Java has for a definition.
pub(super) fn names_of_accessors(resolver: &Resolver<'_>, def: Def) -> Vec<String> {
    let Some(indexed) = resolver.names_index(def.file) else { return Vec::new() };
    let after = (1..=2).map(|after| Def { file: def.file, binding: def.binding + after });
    after
        .filter(|accessor| definition_behind_accessor(resolver, *accessor) == Some(def))
        .map(|accessor| indexed.names().name_text(indexed.binding_or_placeholder(accessor.binding).name).to_owned())
        .collect()
}

/// Whether a use in a role can mean a definition, where a property and a function can have one name.
pub(super) fn does_definition_fit_role(resolver: &Resolver<'_>, def: Def, role: Role) -> bool {
    let Some(binding) = resolver.binding_of_definition(def) else { return true };
    let name = resolver.name_text(def.file, binding.name);
    match role {
        Role::Call => matches!(binding.kind, BindingKind::Function | BindingKind::Type | BindingKind::TypeAlias),
        // A property that Java has as two functions.
        Role::Write => binding.kind != BindingKind::Function || name.starts_with("set"),
        Role::Member => binding.kind != BindingKind::Function || !name.starts_with("set"),
        Role::Type => matches!(binding.kind, BindingKind::Type | BindingKind::TypeAlias | BindingKind::TypeParameter),
        _ => true,
    }
}
