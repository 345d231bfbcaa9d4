//! Whether a file can define a name, told by its names before its outline is computed.

use peelback_project::FileNames;
use peelback_syntax::names::{BindingKind, Role, Target};

use crate::modules::Family;

/// Whether a file with these names may have a symbol of this name.
pub fn may_define(file: &FileNames, name: &str) -> bool {
    let names = &file.names;
    if names.basic || !names.missed.is_empty() {
        return true;
    }
    let is_javascript = Family::of(file.language.name) == Some(Family::JavaScript);
    // There a name in quotes can be that of a symbol.
    let Some(id) = names.id_of(name) else { return is_javascript };
    let defines = |kind: BindingKind| match kind {
        BindingKind::Import | BindingKind::TypeParameter | BindingKind::Label => false,
        // A constructor's parameter can be a member.
        BindingKind::Parameter => is_javascript,
        _ => true,
    };
    let given = |role: Role| matches!(role, Role::Definition | Role::Write | Role::Export);
    names.bindings.iter().any(|binding| binding.name == id && defines(binding.kind))
        || names
            .occurrences
            .iter()
            .any(|found| found.name == id && given(found.role) && !matches!(found.target, Target::Binding(_)))
}
