//! What one occurrence of a searched name means: a search target, another definition, or what is not known.

use peelback_syntax::names::{BindingKind, Names, Occurrence, Target};

use super::classifier::{ReferenceClassifier, binding_kind_of_definition};
use super::reference::Confidence;
use crate::modules::FileId;
use crate::resolve::definition::{Def, Referent, Resolution};

/// What an occurrence of a searched name means.
pub(super) enum Meaning {
    /// The search target of this index, and how surely.
    Target(usize, Confidence),
    /// Another function or type, for sure.
    OtherDefinition,
    /// The definition of the target, something that may hold the target, or nothing that is known.
    NotKnown,
}

impl From<Option<(usize, Confidence)>> for Meaning {
    fn from(found: Option<(usize, Confidence)>) -> Self {
        found.map_or(Self::NotKnown, |(target, confidence)| Self::Target(target, confidence))
    }
}

impl ReferenceClassifier<'_> {
    /// What an occurrence means.
    pub(super) fn classify_occurrence(&self, file: FileId, names: &Names, occurrence: &Occurrence) -> Meaning {
        if let Target::Binding(binding) = occurrence.target {
            let kind = names.bindings.get(binding as usize).map(|binding| binding.kind);
            if kind != Some(BindingKind::Import) {
                return self.target_declared_by_definition(Def { file, binding }).into();
            }
        }
        let resolution = self.search.resolver.resolve_occurrence(file, occurrence);
        match self.target_of_resolved_occurrence(file, names, occurrence, &resolution) {
            None if self.is_function_or_type_for_sure(&resolution) => Meaning::OtherDefinition,
            target => target.into(),
        }
    }

    /// Whether a resolution leads for sure to functions and types alone, none of which can hold another definition.
    fn is_function_or_type_for_sure(&self, resolution: &Resolution) -> bool {
        let is_function_or_type = |referent: &Referent| {
            let Referent::Def(def) = referent else { return false };
            let kind = binding_kind_of_definition(self.search, *def);
            matches!(kind, Some(BindingKind::Function | BindingKind::Type))
        };
        let is_sure = resolution.sure && !resolution.missing.is_any() && !resolution.is_empty();
        is_sure && resolution.referents.iter().all(is_function_or_type)
    }

    /// The index of the target to which a definition refers by declaring it again or overriding it, and how surely; `None` for
    /// the definition of the target, and for that of something else.
    fn target_declared_by_definition(&self, def: Def) -> Option<(usize, Confidence)> {
        let canonical = self.search.resolver.representative_of_same_name_in_scope(def);
        let original = self.search.resolver.forwarded_or_canonical_definition(def);
        if let Some(target) = self.by_def.get(&original).copied() {
            // The definition of the target is no reference to it, but a further declaration is. A definition
            // that forwards to the target stands next to a reference already.
            let is_own = self.targets.get(target).is_some_and(|target| target.outlined_def == Some(def))
                || self.is_definition_of_overload(def);
            let declares = if original == canonical {
                !is_own
            } else {
                // The assignment writes the inherited property.
                self.search.resolver.inherited_accessor_called_by_assignment(canonical).is_some()
            };
            return declares.then_some((target, Confidence::Resolved));
        }
        // A function expression's own name stands behind that of the member that holds it.
        if self.search.resolver.is_own_name_of_held_function(canonical) {
            return None;
        }
        let target = self.index_of_target_related_by_override(canonical)?;
        // The definition of an overriding member is a reference to the target if types name what they override.
        // Where a type does not name its interfaces, it is none.
        let semantics = self.targets.get(target)?.semantics_or_default();
        let declares = semantics.overriding_definition_is_reference();
        declares.then_some((target, Confidence::Resolved))
    }
}
