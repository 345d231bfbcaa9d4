//! A project as one call sees it.

use std::sync::{Arc, OnceLock};

use peelback_syntax::{Language, Names};

use crate::error::CodeError;
use crate::evidence::Skipped;
use crate::modules::{FileId, Files, World};
use crate::project::{Place, Project};
use crate::resolve::Indexed;
use crate::source::SourceFile;
use crate::store::{Code, FactsStore, FileNames, NoNames, Part, ProjectFacts, Signature, is_reliable};

/// What was made of a file.
type Made = Result<Arc<FileNames>, NoNames>;

/// The files of a project, and what their names mean, at the time of a call: the content of each file is taken once, so
/// that all parts of an answer speak of the same text.
pub(crate) struct Snapshot {
    files: Files,
    signatures: Vec<Option<Signature>>,
    skipped: Vec<Skipped>,
    has_extra: bool,
    facts: ProjectFacts,
    taken: Vec<OnceLock<Result<Code, NoNames>>>,
    wholes: Vec<OnceLock<Made>>,
    surfaces: Vec<OnceLock<Made>>,
}

impl Snapshot {
    /// The project as it is now: every file that is not ignored.
    ///
    /// # Errors
    /// Those of [`Project::files`].
    pub fn of(project: &Project, store: &Arc<FactsStore>) -> Result<Self, CodeError> {
        Self::with(project, store, None)
    }

    /// [`Snapshot::of`], and a file that somebody named: it counts even where the walk passes it over, with what lies
    /// beside it and can be named by its imports.
    ///
    /// # Errors
    /// Those of [`Project::files`].
    pub fn with(project: &Project, store: &Arc<FactsStore>, named: Option<&Place>) -> Result<Self, CodeError> {
        let mut found = project.stamped_files()?;
        let is_known = |named: &Place| found.places.binary_search_by(|place| place.path.cmp(&named.path)).is_ok();
        let extra = named.filter(|named| !is_known(named));
        if let Some(named) = extra {
            let metadata = std::fs::symlink_metadata(&named.absolute).ok();
            let signature = metadata.and_then(|metadata| Signature::of(&metadata));
            let signature = signature.filter(|_| is_reliable(&named.absolute));
            let beside = project.stamped_beside(named);
            let known = found.places.into_iter().zip(found.signatures);
            let mut all: Vec<_> = known.chain([(named.clone(), signature)]).chain(beside).collect();
            all.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
            all.dedup_by(|(a, _), (b, _)| a.path == b.path);
            (found.places, found.signatures) = all.into_iter().unzip();
        }
        let facts = store.of(project.root());
        if project.work().stopped().is_none() {
            facts.prune(found.places.iter().map(|place| place.path.as_str()));
        }
        let count = found.places.len();
        Ok(Self {
            files: Files::new(project, found.places),
            signatures: found.signatures,
            skipped: found.skipped,
            has_extra: extra.is_some(),
            facts,
            taken: empty(count),
            wholes: empty(count),
            surfaces: empty(count),
        })
    }

    /// What the walk could not look at.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// Whether a file is there that the walk passed over.
    pub fn has_extra(&self) -> bool {
        self.has_extra
    }

    /// What tells whether a file changed.
    pub fn signature(&self, file: FileId) -> Option<&Signature> {
        self.signatures.get(file as usize)?.as_ref()
    }

    /// The file's signature, where it means the content that was taken from now on.
    pub fn settled(&self, file: FileId) -> Option<Signature> {
        let signature = self.signature(file)?;
        let known = self.facts.stamped(self.files.place(file), signature)?;
        let taken = self.taken.get(file as usize)?.get()?;
        (known == *taken || (known.is_err() && taken.is_err())).then_some(*signature)
    }

    /// The code that a file holds.
    pub fn code(&self, file: FileId) -> Result<&Code, &NoNames> {
        self.take(file).0
    }

    /// The names of a file, and what they were made from.
    pub fn file_names(&self, file: FileId) -> Result<&Arc<FileNames>, &NoNames> {
        self.made(file, Part::Whole, None)
    }

    /// What other files can see of a file's names: all that the graph of dependencies needs.
    pub fn surface(&self, file: FileId) -> Result<&Arc<FileNames>, &NoNames> {
        self.made(file, Part::Surface, None)
    }

    /// [`Snapshot::surface`] where it is known without the file's text.
    pub fn known_surface(&self, file: FileId) -> Option<Result<&Arc<FileNames>, &NoNames>> {
        self.known(file, self.surfaces.get(file as usize)?, |code| self.facts.load(code, Part::Surface))
    }

    /// [`Snapshot::file_names`] where this process knows them from before.
    pub fn remembered(&self, file: FileId) -> Option<Result<&Arc<FileNames>, &NoNames>> {
        self.known(file, self.wholes.get(file as usize)?, |code| self.facts.in_memory(code, Part::Whole))
    }

    /// Whether the text of a file is known to hold none of `needles`, as whole words.
    pub fn lacks<'a>(&self, file: FileId, needles: impl Iterator<Item = &'a str>) -> bool {
        let known = |taken: &OnceLock<_>| {
            let code = self.code_unread(file, taken)?;
            let lacks = self.facts.lacks(&code, needles);
            (lacks && taken.get_or_init(|| Ok(code)).as_ref() == Ok(&code)).then_some(())
        };
        self.taken.get(file as usize).and_then(known).is_some()
    }

    /// Remembers which words a text holds, for [`Snapshot::lacks`] of later calls.
    pub fn note_words(&self, text: &SourceFile) {
        self.facts.note_words(text);
    }

    /// The content of a file where it is known without reading.
    fn code_unread(&self, file: FileId, taken: &OnceLock<Result<Code, NoNames>>) -> Option<Code> {
        match taken.get() {
            Some(taken) => taken.as_ref().ok().copied(),
            None => self.facts.stamped(self.files.place(file), self.signature(file)?)?.ok(),
        }
    }

    fn known<'a>(
        &'a self,
        file: FileId,
        made: &'a OnceLock<Made>,
        load: impl Fn(&Code) -> Option<Arc<FileNames>>,
    ) -> Option<Result<&'a Arc<FileNames>, &'a NoNames>> {
        if let Some(made) = made.get() {
            return Some(made.as_ref());
        }
        let taken = self.taken.get(file as usize)?;
        let code = self.code_unread(file, taken)?;
        let known = load(&code)?;
        if taken.get_or_init(|| Ok(code)).as_ref() != Ok(&code) {
            return None;
        }
        Some(made.get_or_init(|| Ok(known)).as_ref())
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
        self.made(file, Part::Whole, Some(text))
    }

    /// [`Snapshot::surface`] where the file was read already.
    pub fn surface_of(&self, file: FileId, text: &SourceFile) -> Result<&Arc<FileNames>, &NoNames> {
        self.made(file, Part::Surface, Some(text))
    }

    /// Takes the content of a file, once; the text where it was read for that.
    fn take(&self, file: FileId) -> (Result<&Code, &NoNames>, Option<SourceFile>) {
        let Some(taken) = self.taken.get(file as usize) else { return (Err(&NoNames::Changed), None) };
        let mut read = None;
        let code = taken.get_or_init(|| {
            let (code, text) = self.facts.content(self.files.place(file), self.signature(file));
            read = text;
            code
        });
        (code.as_ref(), read)
    }

    fn made(&self, file: FileId, part: Part, given: Option<&SourceFile>) -> Result<&Arc<FileNames>, &NoNames> {
        let made = match part {
            Part::Whole => self.wholes.get(file as usize),
            Part::Surface => self.surfaces.get(file as usize),
        };
        let made = made.ok_or(&NoNames::Changed)?;
        if let Some(text) = given {
            let taken = self.taken.get(file as usize).ok_or(&NoNames::Changed)?;
            let code = self.facts.content_of(text);
            if *taken.get_or_init(|| code.clone()) != code {
                return Err(&NoNames::Changed);
            }
            return made.get_or_init(|| self.facts.names(&code?, part, text)).as_ref();
        }
        made.get_or_init(|| self.make(file, part)).as_ref()
    }

    fn make(&self, file: FileId, part: Part) -> Made {
        let (code, read) = self.take(file);
        let code = code.map_err(NoNames::clone)?;
        if let Some(text) = read {
            return self.facts.names(code, part, &text);
        }
        if let Some(known) = self.facts.load(code, part) {
            return Ok(known);
        }
        let text = SourceFile::read(self.files.place(file)).map_err(NoNames::Unread)?;
        if self.facts.content_of(&text).as_ref() != Ok(code) {
            return Err(NoNames::Changed);
        }
        self.facts.names(code, part, &text)
    }
}

fn empty<T>(count: usize) -> Vec<OnceLock<T>> {
    (0..count).map(|_| OnceLock::new()).collect()
}

impl World for Snapshot {
    fn files(&self) -> &Files {
        &self.files
    }

    fn names(&self, file: FileId) -> Option<Arc<Names>> {
        self.file_names(file).ok().map(|names| names.names.clone())
    }

    fn language(&self, file: FileId) -> Option<&'static Language> {
        let named = peelback_syntax::language::of_name(self.files.place(file).name());
        named.or_else(|| self.code(file).ok().map(|code| code.language))
    }

    fn indexed(&self, file: FileId) -> Option<Arc<Indexed>> {
        self.file_names(file).ok().map(|names| names.indexed())
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
        let snapshot = Snapshot::of(&project, &store).expect("a walk");
        let a = snapshot.files().id("a.py").expect("the file");
        let before = snapshot.names(a).expect("its names");
        fs::write(&path, "other = 1\n").expect("a file");
        assert!(Arc::ptr_eq(&before, &snapshot.names(a).expect("its names")));
        let now = snapshot.read(a).expect("its text");
        assert_eq!(snapshot.names_of(a, &now).err(), Some(&NoNames::Changed));
        let later = Snapshot::of(&project, &store).expect("a walk");
        assert!(!Arc::ptr_eq(&before, &later.names(a).expect("its names")));
        let binary = later.files().id("b.bin").expect("the file");
        assert_eq!(later.file_names(binary).err().map(NoNames::gap), Some(None));
    }
}
