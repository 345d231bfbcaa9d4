//! Python: packages and modules.

use peelback_syntax::names::{Link, Names};

use super::{Destination, FileId, Modules, World};

pub(super) struct PythonModules {}

impl PythonModules {
    pub fn new(_world: &dyn World) -> Self {
        Self {}
    }
}

impl Modules for PythonModules {
    fn destination(&self, _world: &dyn World, _from: FileId, names: &Names, link: &Link) -> Destination {
        Destination::Unresolved(names.text(link.source).to_owned())
    }

    fn needles(&self, _world: &dyn World, _file: FileId) -> Vec<String> {
        Vec::new()
    }
}
