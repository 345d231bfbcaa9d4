//! Definitions that are one with a search target because they are linked by name.

use std::collections::BTreeMap;

use super::scan::Scan;
use super::target::SearchTarget;
use crate::modules::FileId;
use crate::resolve::definition::Def;
use crate::resolve::resolver::Resolver;
use crate::semantics::Linking;

/// Adds to each target the definitions that are linked to it, and tells the resolver which names are linked.
pub(super) fn link_targets(resolver: &Resolver<'_>, targets: &mut [SearchTarget], scan: &Scan) {
    let files: Vec<FileId> = scan.files_with_hits().collect();
    let mut linked: BTreeMap<String, Vec<Def>> = BTreeMap::new();
    for target in targets {
        let semantics = target.semantics_or_default();
        let (Some(def), true) = (target.def, semantics.links_by_name()) else { continue };
        let mut linking = Linking {
            target: def,
            name: &target.name,
            is_member: target.is_member,
            files: &files,
            united_definitions: &mut target.definitions,
            linked_names: &mut linked,
        };
        semantics.link_target(resolver, &mut linking);
    }
    if !linked.is_empty() {
        resolver.add_linked_names(linked);
    }
}
