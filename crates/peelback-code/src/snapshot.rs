//! A project as one call sees it.

use std::sync::{Arc, OnceLock};

use peelback_syntax::Names;

use crate::error::CodeError;
use crate::evidence::Skipped;
use crate::files::WalkOptions;
use crate::modules::{FileId, Files, World};
use crate::project::Project;
use crate::source::SourceFile;
use crate::store::{ContentHash, FactsStore, FileNames, NoNames};

/// The files of a project, and what their names mean, at the time of a call: the content of each file is taken once, so
/// that all parts of an answer speak of the same text.
pub(crate) struct Snapshot {
    files: Files,
    skipped: Vec<Skipped>,
    store: Arc<FactsStore>,
    taken: Vec<OnceLock<Result<Arc<FileNames>, NoNames>>>,
}

impl Snapshot {
    /// The project as it is now: every file that is not ignored.
    ///
    /// # Errors
    /// Those of [`Project::files`].
    pub fn of(project: &Project, store: Arc<FactsStore>) -> Result<Self, CodeError> {
        let mut set = project.files(None, &WalkOptions::default())?;
        let skipped = std::mem::take(&mut set.skipped);
        let taken = (0..set.places.len()).map(|_| OnceLock::new()).collect();
        Ok(Self { files: Files::new(project, set), skipped, store, taken })
    }

    /// What the walk could not look at.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// The names of a file, and what they were made from.
    pub fn file_names(&self, file: FileId) -> Result<&Arc<FileNames>, &NoNames> {
        let taken = self.taken.get(file as usize).ok_or(&NoNames::Changed)?;
        taken.get_or_init(|| self.store.names(self.files.place(file))).as_ref()
    }

    /// The text of a file. Where its names were taken from another text, it changed meanwhile: see
    /// [`Snapshot::names_of`].
    ///
    /// # Errors
    /// Those of [`SourceFile::read`].
    pub fn read(&self, file: FileId) -> Result<SourceFile, CodeError> {
        SourceFile::read(self.files.place(file))
    }

    /// [`Snapshot::file_names`] where the file was read already: `text` is what it held.
    pub fn names_of(&self, file: FileId, text: &SourceFile) -> Result<&Arc<FileNames>, &NoNames> {
        let taken = self.taken.get(file as usize).ok_or(&NoNames::Changed)?;
        let mut fresh = false;
        let names = taken.get_or_init(|| {
            fresh = true;
            self.store.names_of(text)
        });
        match names {
            Ok(names) if !fresh && names.hash != ContentHash::of(&text.text) => Err(&NoNames::Changed),
            names => names.as_ref(),
        }
    }
}

impl World for Snapshot {
    fn files(&self) -> &Files {
        &self.files
    }

    fn names(&self, file: FileId) -> Option<Arc<Names>> {
        self.file_names(file).ok().map(|names| names.names.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;

    use super::Snapshot;
    use crate::modules::World;
    use crate::project::Project;
    use crate::store::{FactsStore, NoNames};

    #[test]
    fn a_content_is_taken_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.py");
        fs::write(&path, "first = 1\n").expect("a file");
        fs::write(folder.path().join("b.bin"), "a\0b").expect("a file");
        let project = Project::discover(Some(folder.path()), None).expect("a folder");
        let store = Arc::new(FactsStore::default());
        let snapshot = Snapshot::of(&project, store.clone()).expect("a walk");
        let a = snapshot.files().id("a.py").expect("the file");
        let before = snapshot.names(a).expect("its names");
        fs::write(&path, "other = 1\n").expect("a file");
        assert!(Arc::ptr_eq(&before, &snapshot.names(a).expect("its names")));
        let now = snapshot.read(a).expect("its text");
        assert_eq!(snapshot.names_of(a, &now).err(), Some(&NoNames::Changed));
        let later = Snapshot::of(&project, store).expect("a walk");
        assert!(!Arc::ptr_eq(&before, &later.names(a).expect("its names")));
        let binary = later.files().id("b.bin").expect("the file");
        assert_eq!(later.file_names(binary).err().map(NoNames::gap), Some(None));
    }
}
