//! Go: module paths and packages.

use peelback_syntax::names::{Link, Names};

use super::{Destination, FileId, Modules, World};

pub(super) struct GoModules {}

impl GoModules {
    pub fn new(_world: &dyn World) -> Self {
        Self {}
    }
}

impl Modules for GoModules {
    fn destination(&self, _world: &dyn World, _from: FileId, names: &Names, link: &Link) -> Destination {
        Destination::Unresolved(names.text(link.source).to_owned())
    }

    fn needles(&self, _world: &dyn World, _file: FileId) -> Vec<String> {
        Vec::new()
    }
}
