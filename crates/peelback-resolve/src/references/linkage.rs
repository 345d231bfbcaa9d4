//! Finds the definitions that are one with a search target because a linker connects them by name.

use std::collections::BTreeMap;

use super::scan::ReferenceWordScan;
use super::target::SearchTarget;
use crate::modules::FileId;
use crate::resolve::definition::Def;
use crate::resolve::resolver::Resolver;
use crate::semantics::Linking;

/// Adds to each search target the definitions that are linked to it by name, and tells the resolver which names are
/// linked to which definitions.
pub(super) fn add_linked_definitions_to_targets(
    resolver: &Resolver<'_>,
    targets: &mut [SearchTarget],
    scan: &ReferenceWordScan,
) {
    let files: Vec<FileId> = scan.files_with_hits().collect();
    let mut linked: BTreeMap<String, Vec<Def>> = BTreeMap::new();
    let mut visible_definitions = BTreeMap::new();
    for target in targets {
        let semantics = target.semantics_or_default();
        let (Some(def), true) = (target.def, semantics.resolves_unbound_names_by_linkage()) else { continue };
        let mut linking = Linking {
            target: def,
            name: &target.name,
            is_member: target.is_member,
            files: &files,
            united_definitions: &mut target.definitions,
            linked_names: &mut linked,
            visible_definitions: &mut visible_definitions,
        };
        semantics.collect_definitions_linked_to_target(resolver, &mut linking);
    }
    if !linked.is_empty() {
        resolver.add_linked_definitions_by_name(linked);
    }
}
