//! A snapshot as the index that names are resolved in.

use std::sync::{Arc, OnceLock};

use peelback_project::{Extension, FileId, FileNames, Files, Snapshot};
use peelback_syntax::{Language, Names};

use crate::modules::{Families, ProjectIndex};
use crate::resolve::Indexed;

impl Extension for Families {}

/// The resolvers of imports, which a snapshot keeps for as long as it is valid.
pub(crate) trait ResolvingSnapshot {
    /// The resolvers of imports of each language.
    fn families(&self) -> &Families;
}

impl ResolvingSnapshot for Snapshot {
    fn families(&self) -> &Families {
        self.extensions().get_or_init(Families::default)
    }
}

/// One file's names ready for look-ups, kept with the names.
#[derive(Default)]
struct IndexSlot(OnceLock<Arc<Indexed>>);

impl Extension for IndexSlot {}

fn indexed(names: &FileNames) -> Arc<Indexed> {
    let slot = names.extensions.get_or_init(IndexSlot::default);
    slot.0.get_or_init(|| Arc::new(Indexed::new(names.names.clone()))).clone()
}

impl ProjectIndex for Snapshot {
    fn files(&self) -> &Files {
        self.files()
    }

    fn names(&self, file: FileId) -> Option<Arc<Names>> {
        self.names(file)
    }

    fn language(&self, file: FileId) -> Option<&'static Language> {
        self.language(file)
    }

    fn may_hold(&self, file: FileId, word: &str) -> bool {
        self.may_hold(file, word)
    }

    fn indexed(&self, file: FileId) -> Option<Arc<Indexed>> {
        self.file_names(file).ok().map(|names| indexed(names))
    }
}
