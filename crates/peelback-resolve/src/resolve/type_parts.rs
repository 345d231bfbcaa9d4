//! Types whose members are in several places: the parts of one type are one definition.

use std::sync::Arc;

use peelback_syntax::names::{BindingKind, ScopeKind};

use crate::resolve::definition::Def;
use crate::resolve::resolver::Resolver;

impl Resolver<'_> {
    /// The first part of a type that has several; any other definition itself.
    pub(crate) fn first_part_of_type(&self, def: Def) -> Def {
        self.parts_of_type(def).first().copied().unwrap_or(def)
    }

    /// The parts of a type, in the order of files, in a language whose types can have several; empty for any other definition.
    /// Results are memoized.
    pub(crate) fn parts_of_type(&self, def: Def) -> Arc<[Def]> {
        let semantics = self.semantics_of_file_language_or_default(def.file);
        let is_type = || self.binding_of_definition(def).is_some_and(|binding| binding.kind == BindingKind::Type);
        if !semantics.types_have_parts() || !is_type() {
            return Arc::default();
        }
        if let Some(known) = self.type_parts.get(&def) {
            return known;
        }
        let found: Arc<[Def]> = semantics.find_parts_of_type(self, def).into();
        for part in found.iter() {
            self.type_parts.insert(*part, found.clone());
        }
        self.type_parts.insert(def, found.clone());
        found
    }

    /// The parts of a type that has some, else the type alone.
    pub(crate) fn parts_or_type_itself(&self, def: Def) -> Arc<[Def]> {
        let parts = self.parts_of_type(def);
        if parts.is_empty() { Arc::from([def]) } else { parts }
    }

    /// What the body of one part of a type binds under a name.
    pub(crate) fn members_in_body_of_type(&self, part: Def, name: &str) -> Vec<Def> {
        let Some(indexed) = self.names_index(part.file) else { return Vec::new() };
        let Some(body) = indexed.binding_or_placeholder(part.binding).body else { return Vec::new() };
        let bound = indexed.bindings_of_name_text_in_scope(body, name).iter();
        bound.map(|binding| Def { file: part.file, binding: *binding }).collect()
    }

    /// The number of type parameters of a type, which are in a scope around its members.
    pub(crate) fn type_parameter_count_of_type(&self, def: Def) -> usize {
        let Some(indexed) = self.names_index(def.file) else { return 0 };
        let body = indexed.binding_or_placeholder(def.binding).body;
        let around = body.and_then(|body| indexed.parent_scope(body));
        let around = around.filter(|around| indexed.scope_kind(*around) == ScopeKind::Block);
        around.map_or(0, |around| indexed.type_parameters_of_scope(around).len())
    }
}
