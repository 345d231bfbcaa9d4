//! Whether a file can define a name, told by its names before its outline is computed.

use peelback_project::FileNames;
use peelback_syntax::names::{Role, Target};

use crate::languages;
use crate::semantics::NoSemantics;

/// Whether a file with these names may have a symbol of this name.
pub fn may_define(file: &FileNames, name: &str) -> bool {
    let names = &file.names;
    if names.basic || !names.missed.is_empty() {
        return true;
    }
    let semantics = languages::semantics(file.language.name).unwrap_or(&NoSemantics);
    let Some(id) = names.id_of(name) else { return semantics.strings_can_name_symbols() };
    let given = |role: Role| matches!(role, Role::Definition | Role::Write | Role::Export);
    names.bindings.iter().any(|binding| binding.name == id && semantics.can_be_symbol(binding.kind))
        || names
            .occurrences
            .iter()
            .any(|found| found.name == id && given(found.role) && !matches!(found.target, Target::Binding(_)))
}
