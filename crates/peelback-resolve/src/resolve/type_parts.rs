//! Types whose members are in several places: the parts of one type are one definition.

use std::sync::Arc;

use peelback_syntax::names::{BindingKind, ScopeKind};

use crate::modules::FileId;
use crate::resolve::definition::Def;
use crate::resolve::resolver::Resolver;

/// The limit on the levels of types with parts that are inside each other.
const MAX_LEVELS: usize = 16;

/// The limit on the number of parts of one type.
const MAX_PARTS: usize = 200;

impl Resolver<'_> {
    /// The first part of a type that has several; any other definition itself.
    pub(crate) fn first_part_of_type(&self, def: Def) -> Def {
        self.parts_of_type(def).first().copied().unwrap_or(def)
    }

    /// The parts of a type that has several; empty for any other definition. Results are memoized.
    pub(crate) fn parts_of_type(&self, def: Def) -> Arc<[Def]> {
        self.parts_of_type_at_level(def, MAX_LEVELS)
    }

    fn parts_of_type_at_level(&self, def: Def, level: usize) -> Arc<[Def]> {
        let is_part =
            self.is_part_of_type(def) && self.semantics_of_file_language_or_default(def.file).types_have_parts();
        let Some(level) = level.checked_sub(1).filter(|_| is_part) else { return Arc::default() };
        if let Some(known) = self.type_parts.get(&def) {
            return known;
        }
        let mut found = self.find_parts_of_type_uncached(def, level);
        found.sort_unstable();
        found.dedup();
        found.truncate(MAX_PARTS);
        let found: Arc<[Def]> = found.into();
        for part in found.iter() {
            self.type_parts.insert(*part, found.clone());
        }
        found
    }

    fn is_part_of_type(&self, def: Def) -> bool {
        self.binding_of_definition(def).is_some_and(|binding| binding.kind == BindingKind::Type && binding.wrapped)
    }

    fn find_parts_of_type_uncached(&self, def: Def, level: usize) -> Vec<Def> {
        let Some(indexed) = self.names_index(def.file) else { return vec![def] };
        let binding = indexed.binding_or_placeholder(def.binding);
        let name = indexed.names().name_text(binding.name);
        let count = self.type_parameter_count_of_type(def);
        let mut found = vec![def];
        let mut add = |file: FileId, scope: u32| {
            let Some(other) = self.names_index(file) else { return };
            let bound = other.bindings_of_name_text_in_scope(scope, name).iter().map(|id| Def { file, binding: *id });
            found.extend(
                bound.filter(|of| self.is_part_of_type(*of) && self.type_parameter_count_of_type(*of) == count),
            );
        };
        if indexed.scope_kind(binding.scope) == ScopeKind::Type {
            if let Some(owner) = indexed.scope_owner(binding.scope) {
                for part in self.parts_of_type_at_level(Def { file: def.file, binding: owner }, level).iter() {
                    if let Some(body) = self.binding_of_definition(*part).and_then(|part| part.body) {
                        add(part.file, body);
                    }
                }
            }
        } else if let Some(modules) = self.module_resolver_of_file_language(def.file)
            && let Some(package) = modules.package_of_scope(indexed.names(), binding.scope)
        {
            for file in modules.files_of_package_possibly_defining(self.project_index(), &package, name) {
                if !modules.are_compiled_together(def.file, file) {
                    continue;
                }
                let Some(names) = self.names_of_file(file) else { continue };
                for scope in modules.scopes_of_package_in_file(names, &package) {
                    add(file, scope);
                }
            }
        }
        found
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
