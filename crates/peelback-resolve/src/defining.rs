//! Decides whether a file can define a symbol of a given name, from the names in the file, before its outline is
//! computed.

use peelback_project::NamesInFile;
use peelback_syntax::names::{Role, Target};

use crate::languages;
use crate::semantics::NoSemantics;

/// Whether a file can define a symbol called `name`, judged by the names in the file. `false` is certain, `true` is
/// not.
pub fn may_file_define_symbol(file: &NamesInFile, name: &str) -> bool {
    let names = &file.names;
    if names.basic || !names.missed.is_empty() {
        return true;
    }
    let semantics = languages::semantics_of_language(file.language.name).unwrap_or(&NoSemantics);
    let Some(id) = names.id_of_name(name) else { return semantics.strings_can_name_symbols() };
    let given = |role: Role| matches!(role, Role::Definition | Role::Write | Role::Export);
    names
        .bindings
        .iter()
        .any(|binding| binding.name == id && semantics.can_binding_kind_be_outline_symbol(binding.kind))
        || names
            .occurrences
            .iter()
            .any(|found| found.name == id && given(found.role) && !matches!(found.target, Target::Binding(_)))
}
