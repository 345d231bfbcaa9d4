//! Unites the definitions that are expected in one source set and are actual in others.

use crate::modules::FileId;
use crate::resolve::definition::Def;
use crate::resolve::resolver::Resolver;
use crate::semantics::Linking;
use peelback_syntax::names::BindingKind;

/// The limit on the levels of types around a definition.
const MAX_LEVELS: usize = 16;

/// Adds the definitions of the path of the search target that are in other source sets of the same module.
pub(super) fn unite_expected_and_actual_definitions(resolver: &Resolver<'_>, linking: &mut Linking<'_>) {
    let target = linking.target;
    let Some(path) = path_of_definition(resolver, target) else { return };
    let Some(kind) = kind_of(resolver, target) else { return };
    let count = resolver.parameter_count_of_function(target);
    for file in linking.files {
        if *file == target.file || !are_in_other_source_sets(resolver, target.file, *file) {
            continue;
        }
        let Some(index) = resolver.names_index(*file) else { continue };
        let Some(name) = index.name_id_of_text(linking.name) else { continue };
        for id in index.bindings_of_name(name) {
            let def = Def { file: *file, binding: *id };
            let is_one = kind_of(resolver, def) == Some(kind)
                && resolver.parameter_count_of_function(def) == count
                && has_same_types(resolver, target, def)
                && path_of_definition(resolver, def).as_ref() == Some(&path);
            if is_one {
                linking.united_definitions.insert(resolver.representative_of_same_name_in_scope(def));
            }
        }
    }
}

/// Whether the receivers and parameters of two functions have the same types, as far as they are known.
pub(super) fn has_same_types(resolver: &Resolver<'_>, one: Def, other: Def) -> bool {
    let mut budget = resolver.new_budget();
    let receiver = |def: Def| {
        super::parameters::receiver_type_of_extension(resolver, def)
            .map(|of| resolver.last_name_of_path(def.file, of).to_owned())
    };
    if receiver(one) != receiver(other) {
        return false;
    }
    let (Some(first), Some(second)) =
        (resolver.declared_parameters(one, &mut budget), resolver.declared_parameters(other, &mut budget))
    else {
        return true;
    };
    let name = |values: &crate::resolve::value::PossibleValues| super::fits::name_of_type(resolver, values);
    first.types.iter().zip(&second.types).all(|(one, other)| match (name(one), name(other)) {
        (Some(one), Some(other)) => one == other,
        _ => true,
    })
}

/// What kind of definition can be one with another.
fn kind_of(resolver: &Resolver<'_>, def: Def) -> Option<u8> {
    match resolver.binding_of_definition(def)?.kind {
        BindingKind::Type | BindingKind::TypeAlias => Some(0),
        BindingKind::Function => Some(1),
        BindingKind::Field | BindingKind::Property | BindingKind::Variable => Some(2),
        _ => None,
    }
}

/// The names of the package, of the types around a definition, and of the definition; `None` if it is local.
fn path_of_definition(resolver: &Resolver<'_>, def: Def) -> Option<Vec<String>> {
    let indexed = resolver.names_index(def.file)?;
    let names = indexed.names();
    let mut path = Vec::new();
    let mut at = def.binding;
    for _ in 0..MAX_LEVELS {
        let binding = indexed.binding_or_placeholder(at);
        path.push(names.name_text(binding.name).to_owned());
        let mut scope = Some(binding.scope);
        // The type parameters of a type are around its members.
        while let Some(here) = scope
            && indexed.scope_kind(here) == peelback_syntax::names::ScopeKind::Block
        {
            scope = indexed.parent_scope(here);
        }
        let scope = scope?;
        match indexed.scope_kind(scope) {
            peelback_syntax::names::ScopeKind::File => {
                path.push(names.package.map_or("", |package| names.name_text(package)).to_owned());
                return Some(path);
            }
            peelback_syntax::names::ScopeKind::Type => at = indexed.scope_owner(scope)?,
            _ => return None,
        }
    }
    None
}

/// Whether two files are in different source sets of one module: `src/commonMain` and `src/jvmMain`.
pub(super) fn are_in_other_source_sets(resolver: &Resolver<'_>, one: FileId, other: FileId) -> bool {
    let table = resolver.project_index().project_file_table();
    let split = |file: FileId| {
        let path = table.path_of_file(file);
        let (module, rest) = match path.strip_prefix("src/") {
            Some(rest) => ("", rest),
            None => path.split_once("/src/")?,
        };
        Some((module.to_owned(), rest.split('/').next()?.to_owned()))
    };
    match (split(one), split(other)) {
        (Some((module, set)), Some((other_module, other_set))) => module == other_module && set != other_set,
        _ => false,
    }
}
