//! What a declaration is, before anything is resolved.

use peelback_syntax::names::{Binding, BindingKind};

/// The limit on the number of alternatives that are taken from one declaration, such as a union type, or from the
/// declarations of one name.
pub(crate) const MAX_DECLARED: usize = 64;

/// Whether a definition declares a type, a value or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeclarationSpace {
    Type,
    Value,
    Both,
}

impl DeclarationSpace {
    /// Whether a binding declares a type, a value or both.
    pub fn from_binding(binding: &Binding) -> Self {
        match binding.kind {
            _ if binding.type_only => Self::Type,
            BindingKind::Variable | BindingKind::Function | BindingKind::Parameter | BindingKind::Field => Self::Value,
            _ => Self::Both,
        }
    }
}
