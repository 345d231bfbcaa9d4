//! `Snapshot`: a project's files and their names as one call sees them.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use peelback_syntax::{Language, Names, NotParsed, Tier, language};
use rayon::prelude::*;

use crate::attached_values::{AttachedValue, AttachedValues};
use crate::entry::ProjectEntry;
use crate::error::CodeError;
use crate::evidence::Skipped;
use crate::file_table::{FileId, FileTable, file_id_from_index};
use crate::project::Project;
use crate::signature::FileSignature;
use crate::source::SourceFile;
use crate::store::{CodeIdentity, FactsStore, NamesError, NamesInFile, NamesPart, ProjectFactsStore, WordSet};
use crate::thread_pool::start_thread_pool;
use crate::walk::WalkedFiles;

/// The memory size in bytes above which a long-lived process does not keep a snapshot after its call.
const MAX_KEPT_BYTES: usize = 128 << 20;

/// The names in a file, or why the file has none.
type NamesResult = Result<Arc<NamesInFile>, NamesError>;

/// The files of a project, and the names in them, as one call sees them. Each file is read at most once in a call, so
/// that all parts of an answer refer to the same text.
pub struct Snapshot {
    facts: ProjectFactsStore,
    state: Arc<SnapshotState>,
}

/// The data of a snapshot. A long-lived process reuses the data of the last snapshot if no file has changed since.
pub struct SnapshotState {
    files: FileTable,
    /// The language of each file, as its file name tells, in the order of `files`.
    languages_by_file_name: OnceLock<Vec<Option<&'static Language>>>,
    signatures: Vec<Option<FileSignature>>,
    skipped: Vec<Skipped>,
    has_extra_file: bool,
    contents: Vec<OnceLock<Result<CodeIdentity, NamesError>>>,
    whole_names: Vec<OnceLock<NamesResult>>,
    module_interfaces: Vec<OnceLock<NamesResult>>,
    /// The values that other crates attach to the snapshot.
    attached_values: AttachedValues,
}

impl SnapshotState {
    /// Creates the data of a snapshot from the result of a directory walk.
    fn new(project: &Project, found: WalkedFiles, has_extra: bool) -> Self {
        start_thread_pool();
        let count = found.entries.len();
        Self {
            files: FileTable::new(project, found.entries),
            languages_by_file_name: OnceLock::new(),
            signatures: found.signatures,
            skipped: found.skipped,
            has_extra_file: has_extra,
            contents: empty_once_locks(count),
            whole_names: empty_once_locks(count),
            module_interfaces: empty_once_locks(count),
            attached_values: AttachedValues::default(),
        }
    }

    /// Whether the snapshot's data is still valid: the new walk `now` found the same files with the same signatures,
    /// the contents taken from the files belong to those signatures, and the other files that were consulted are
    /// unchanged.
    fn is_still_valid(&self, now: &WalkedFiles, facts: &ProjectFactsStore) -> bool {
        let same_files = self.files.len() == now.entries.len()
            && self.signatures == now.signatures
            && self.files.entries().iter().zip(&now.entries).all(|(old, new)| old.path == new.path);
        same_files
            && self.skipped == now.skipped
            && self.signatures.iter().all(Option::is_some)
            && self.contents.par_iter().enumerate().all(|(file, taken)| {
                self.can_reuse_taken_content_and_names(file_id_from_index(file), taken.get(), facts)
            })
            && self.files.are_recorded_texts_unchanged(&mut self.files.consulted_texts(), |file| {
                self.signatures.get(file as usize).copied()?
            })
    }

    /// The language of a file, as its file name tells; `None` if the name does not tell.
    fn language_by_file_name(&self, file: FileId) -> Option<&'static Language> {
        let named = || self.files.entries().iter().map(|entry| language::language_of_file_name(entry.name())).collect();
        self.languages_by_file_name.get_or_init(named).get(file as usize).copied().flatten()
    }

    /// Whether the content that the snapshot took from a file belongs to the file's signature, and the file's names
    /// need no second attempt.
    fn can_reuse_taken_content_and_names(
        &self,
        file: FileId,
        taken: Option<&Result<CodeIdentity, NamesError>>,
        facts: &ProjectFactsStore,
    ) -> bool {
        let Some(taken) = taken else { return true };
        let is_document = || self.language_by_file_name(file).is_some_and(|language| language.tier == Tier::Document);
        let is_final_result = |made: Option<&OnceLock<NamesResult>>| match made.and_then(OnceLock::get) {
            // Files that hit the deadline or changed while being read must be tried again.
            Some(Err(reason)) => {
                matches!(reason, NamesError::NotParsed(NotParsed::UnknownLanguage | NotParsed::TooLarge))
            }
            Some(Ok(_)) | None => true,
        };
        let signature = self.signatures.get(file as usize).copied().flatten();
        // The content of a file that changed a short time ago is not known by its signature yet: the file is read again.
        // That costs less than to build all of the snapshot anew.
        let read_again =
            || taken.is_ok().then(|| facts.code_identity_and_newly_read_text(self.files.entry(file), None).0);
        let known = signature
            .and_then(|signature| facts.code_identity_by_signature(self.files.entry(file), &signature))
            .or_else(read_again);
        let is_same_content = match (taken, known) {
            (Ok(taken), Some(Ok(known))) => *taken == known,
            (Err(NamesError::NotParsed(_)), None) => is_document(),
            (Err(NamesError::NotParsed(_)), Some(Err(_))) => true,
            _ => false,
        };
        is_same_content
            && is_final_result(self.whole_names.get(file as usize))
            && is_final_result(self.module_interfaces.get(file as usize))
    }

    /// The memory size in bytes of the names and attached values in the snapshot's data, which no cache limit can drop.
    fn unevictable_memory_bytes(&self) -> usize {
        let names_results = self.whole_names.iter().chain(&self.module_interfaces).filter_map(OnceLock::get);
        let names: usize = names_results.filter_map(|made| made.as_ref().ok()).map(|names| names.memory_bytes()).sum();
        names + self.attached_values.memory_bytes_not_counted_elsewhere()
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        if self.facts.is_long_lived() && self.state.unevictable_memory_bytes() > MAX_KEPT_BYTES {
            forget_last_snapshot_state(&self.facts, &self.state);
        }
    }
}

impl Snapshot {
    /// Takes a snapshot of all files of the project that are not ignored.
    ///
    /// # Errors
    /// The errors of [`Project::files_in_scope`].
    pub fn of_project(project: &Project, store: &Arc<FactsStore>) -> Result<Self, CodeError> {
        Self::of_project_with_file(project, store, None)
    }

    /// Like [`Snapshot::of_project`], and includes one explicitly named file even if the directory walk skips it,
    /// together with the files near it that its imports can name.
    ///
    /// # Errors
    /// The errors of [`Project::files_in_scope`].
    pub fn of_project_with_file(
        project: &Project,
        store: &Arc<FactsStore>,
        named: Option<&ProjectEntry>,
    ) -> Result<Self, CodeError> {
        let mut found = project.files_with_signatures()?;
        let is_known =
            |named: &ProjectEntry| found.entries.binary_search_by(|entry| entry.path.cmp(&named.path)).is_ok();
        let extra = named.filter(|named| !is_known(named));
        if let Some(named) = extra {
            let signature = named.size_and_reliable_signature().and_then(|(_, signature)| signature);
            let beside = project.files_beside_skipped_file_with_signatures(named);
            let known = found.entries.into_iter().zip(found.signatures);
            let mut all: Vec<_> = known.chain([(named.clone(), signature)]).chain(beside).collect();
            all.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
            all.dedup_by(|(a, _), (b, _)| a.path == b.path);
            (found.entries, found.signatures) = all.into_iter().unzip();
        }
        let facts = store.store_for_project(project.root(), project.cancellation());
        let is_whole = project.cancellation().stop_cause().is_none();
        if is_whole {
            facts.prune_fingerprints_if_many_deleted(found.entries.iter().map(|entry| entry.path.as_str()));
        }
        let has_extra = extra.is_some();
        let state = if is_whole && !has_extra {
            let holds = |last: &SnapshotState, found: &_| last.is_still_valid(found, &facts);
            reuse_or_create_snapshot_state(&facts, found, holds, |found| SnapshotState::new(project, found, false))
        } else {
            Arc::new(SnapshotState::new(project, found, has_extra))
        };
        Ok(Self { facts, state })
    }

    /// The files and folders that the directory walk could not read, with the reasons.
    pub fn skipped_entries(&self) -> &[Skipped] {
        &self.state.skipped
    }

    /// Whether the snapshot includes a named file that the directory walk skipped.
    pub fn includes_requested_file_skipped_by_walk(&self) -> bool {
        self.state.has_extra_file
    }

    /// The table of the snapshot's files, by number and by path.
    pub fn file_table(&self) -> &FileTable {
        &self.state.files
    }

    /// The project's part of the store of facts about file contents, which all calls share.
    pub fn project_facts(&self) -> &ProjectFactsStore {
        &self.facts
    }

    /// The values that other crates attach to the snapshot. A long-lived process keeps the values as long as no file
    /// changes.
    pub fn attached_values(&self) -> &AttachedValues {
        &self.state.attached_values
    }

    /// The language of a file, as its file name tells; `None` if the name does not tell.
    pub fn language_by_file_name(&self, file: FileId) -> Option<&'static Language> {
        self.state.language_by_file_name(file)
    }

    /// The signature of a file, which shows whether the file changed; `None` if the system records too little metadata.
    pub fn file_signature(&self, file: FileId) -> Option<&FileSignature> {
        self.state.signatures.get(file as usize)?.as_ref()
    }

    /// The signature of a file, if it identifies the content that the snapshot took from the file.
    pub fn signature_of_taken_content(&self, file: FileId) -> Option<FileSignature> {
        let signature = self.file_signature(file)?;
        let known = self.facts.code_identity_by_signature(self.state.files.entry(file), signature)?;
        let taken = self.state.contents.get(file as usize)?.get()?;
        (known == *taken || (known.is_err() && taken.is_err())).then_some(*signature)
    }

    /// The language, text hash and line count of a code file; the error says why a file has none.
    pub fn code_file_identity(&self, file: FileId) -> Result<&CodeIdentity, &NamesError> {
        self.code_identity_and_newly_read_text(file).0
    }

    /// The names that occur in a file, with their scopes and bindings, and the language that they were analysed in.
    pub fn names_in_file(&self, file: FileId) -> Result<&Arc<NamesInFile>, &NamesError> {
        self.get_or_load_names(file, NamesPart::Whole, None)
    }

    /// The names that occur in a file; `None` where the file cannot be read or parsed.
    pub fn names_if_parsable(&self, file: FileId) -> Option<Arc<Names>> {
        self.names_in_file(file).ok().map(|names| names.names.clone())
    }

    /// The names of a file that other files can see, with the file's imports. The dependency graph needs nothing else.
    pub fn module_interface(&self, file: FileId) -> Result<&Arc<NamesInFile>, &NamesError> {
        self.get_or_load_names(file, NamesPart::ModuleInterface, None)
    }

    /// [`Snapshot::module_interface`] if it is known without reading the file.
    pub fn module_interface_without_reading(&self, file: FileId) -> Option<Result<&Arc<NamesInFile>, &NamesError>> {
        self.names_without_reading(file, self.state.module_interfaces.get(file as usize)?, |code| {
            self.facts.load_cached_names(code, NamesPart::ModuleInterface)
        })
    }

    /// [`Snapshot::names_in_file`] if this process already has them in memory.
    pub fn names_in_memory(&self, file: FileId) -> Option<Result<&Arc<NamesInFile>, &NamesError>> {
        self.names_without_reading(file, self.state.whole_names.get(file as usize)?, |code| {
            self.facts.names_in_memory(code, NamesPart::Whole)
        })
    }

    /// Whether the text of a file is known to contain none of `needles` as whole words.
    pub fn surely_contains_none_of_words<'a>(&self, file: FileId, needles: impl Iterator<Item = &'a str>) -> bool {
        let known = |taken: &OnceLock<_>| {
            let code = self.code_file_identity_without_reading(file, taken)?;
            let lacks = self.facts.surely_contains_none_of_words(&code, needles);
            (lacks && taken.get_or_init(|| Ok(code)).as_ref() == Ok(&code)).then_some(())
        };
        self.state.contents.get(file as usize).and_then(known).is_some()
    }

    /// The set of words in a file: the recorded one, or one collected from the file's text. `None` if the file cannot
    /// be read or has changed, or if the cache has no room.
    fn words_in_file(&self, file: FileId) -> Option<Arc<WordSet>> {
        let taken = self.state.contents.get(file as usize)?;
        if let Some(code) = self.code_file_identity_without_reading(file, taken)
            && let Some(words) = self.facts.recorded_words_of_code(&code)
        {
            return (taken.get_or_init(|| Ok(code)).as_ref() == Ok(&code)).then_some(words);
        }
        let text = self.read_current_file(file).ok()?;
        let code = self.facts.code_identity_of_text(&text).ok()?;
        let is_same = taken.get_or_init(|| Ok(code)).as_ref() == Ok(&code);
        if is_same { self.facts.record_and_return_words_in_text(&code, &text) } else { None }
    }

    /// The language of a file, as its file name or else its first line tells.
    pub fn language_of_file(&self, file: FileId) -> Option<&'static Language> {
        let named = self.language_by_file_name(file);
        named.or_else(|| self.code_file_identity(file).ok().map(|code| code.language))
    }

    /// Whether `word` can be one of the names of a file; `false` is certain, `true` is not.
    pub fn can_contain_name(&self, file: FileId, word: &str) -> bool {
        if let Some(Ok(names)) = self.names_in_memory(file) {
            return names.names.id_of_name(word).is_some();
        }
        self.words_in_file(file).is_none_or(|words| words.can_contain_word(word))
    }

    /// Whether the text of a file can contain `word`; `false` is certain, `true` is not.
    pub fn can_contain_word(&self, file: FileId, word: &str) -> bool {
        self.words_in_file(file).is_none_or(|words| words.can_contain_word(word))
    }

    /// Records which words a text contains, for [`Snapshot::surely_contains_none_of_words`] in later calls.
    pub fn record_words_in_long_process(&self, text: &SourceFile) {
        self.facts.record_words_in_long_process(text);
    }

    /// The language, text hash and line count of a code file, if they are known without reading the file.
    fn code_file_identity_without_reading(
        &self,
        file: FileId,
        taken: &OnceLock<Result<CodeIdentity, NamesError>>,
    ) -> Option<CodeIdentity> {
        match taken.get() {
            Some(taken) => taken.as_ref().ok().copied(),
            None => {
                self.facts.code_identity_by_signature(self.state.files.entry(file), self.file_signature(file)?)?.ok()
            }
        }
    }

    fn names_without_reading<'a>(
        &'a self,
        file: FileId,
        made: &'a OnceLock<NamesResult>,
        load: impl Fn(&CodeIdentity) -> Option<Arc<NamesInFile>>,
    ) -> Option<Result<&'a Arc<NamesInFile>, &'a NamesError>> {
        if let Some(made) = made.get() {
            return Some(made.as_ref());
        }
        let taken = self.state.contents.get(file as usize)?;
        let code = self.code_file_identity_without_reading(file, taken)?;
        let known = load(&code)?;
        if taken.get_or_init(|| Ok(code)).as_ref() != Ok(&code) {
            return None;
        }
        Some(made.get_or_init(|| Ok(known)).as_ref())
    }

    /// The text of a file. If the names were taken from another text, the file changed meanwhile: see
    /// [`Snapshot::names_in_file_given_text`].
    ///
    /// # Errors
    /// The errors of [`SourceFile::read`].
    pub fn read_current_file(&self, file: FileId) -> Result<SourceFile, CodeError> {
        SourceFile::read(self.state.files.entry(file))
    }

    /// [`Snapshot::names_in_file`] for a file that was already read as `text`.
    pub fn names_in_file_given_text(&self, file: FileId, text: &SourceFile) -> Result<&Arc<NamesInFile>, &NamesError> {
        self.get_or_load_names(file, NamesPart::Whole, Some(text))
    }

    /// [`Snapshot::module_interface`] for a file that was already read as `text`.
    pub fn module_interface_given_text(
        &self,
        file: FileId,
        text: &SourceFile,
    ) -> Result<&Arc<NamesInFile>, &NamesError> {
        self.get_or_load_names(file, NamesPart::ModuleInterface, Some(text))
    }

    /// Determines the language, text hash and line count of a code file, once for the snapshot. Also returns the text
    /// if the file had to be read.
    fn code_identity_and_newly_read_text(
        &self,
        file: FileId,
    ) -> (Result<&CodeIdentity, &NamesError>, Option<SourceFile>) {
        let Some(taken) = self.state.contents.get(file as usize) else { return (Err(&NamesError::Changed), None) };
        let mut read = None;
        let code = taken.get_or_init(|| {
            let (code, text) =
                self.facts.code_identity_and_newly_read_text(self.state.files.entry(file), self.file_signature(file));
            read = text;
            code
        });
        (code.as_ref(), read)
    }

    fn get_or_load_names(
        &self,
        file: FileId,
        part: NamesPart,
        given: Option<&SourceFile>,
    ) -> Result<&Arc<NamesInFile>, &NamesError> {
        let made = match part {
            NamesPart::Whole => self.state.whole_names.get(file as usize),
            NamesPart::ModuleInterface => self.state.module_interfaces.get(file as usize),
        };
        let made = made.ok_or(&NamesError::Changed)?;
        if let Some(text) = given {
            let taken = self.state.contents.get(file as usize).ok_or(&NamesError::Changed)?;
            let code = self.facts.code_identity_of_text(text);
            if *taken.get_or_init(|| code.clone()) != code {
                return Err(&NamesError::Changed);
            }
            return made.get_or_init(|| self.facts.load_or_parse_names(&code?, part, text)).as_ref();
        }
        made.get_or_init(|| self.load_or_parse_names(file, part)).as_ref()
    }

    fn load_or_parse_names(&self, file: FileId, part: NamesPart) -> NamesResult {
        let (code, read) = self.code_identity_and_newly_read_text(file);
        let code = code.map_err(NamesError::clone)?;
        if let Some(text) = read {
            return self.facts.load_or_parse_names(code, part, &text);
        }
        if let Some(known) = self.facts.load_cached_names(code, part) {
            return Ok(known);
        }
        let text = SourceFile::read(self.state.files.entry(file)).map_err(NamesError::Unread)?;
        if self.facts.code_identity_of_text(&text).as_ref() != Ok(code) {
            return Err(NamesError::Changed);
        }
        self.facts.load_or_parse_names(code, part, &text)
    }
}

/// The root and the data of the last snapshot in a long-lived process.
#[derive(Default)]
struct LastSnapshot(Mutex<Option<(PathBuf, Arc<SnapshotState>)>>);

impl AttachedValue for LastSnapshot {}

/// The data of the last call's snapshot if `holds` finds it valid for the new walk `found`; else new data from `make`,
/// which the next call can reuse.
fn reuse_or_create_snapshot_state<F: Send + 'static>(
    facts: &ProjectFactsStore,
    found: F,
    holds: impl FnOnce(&SnapshotState, &F) -> bool,
    make: impl FnOnce(F) -> SnapshotState,
) -> Arc<SnapshotState> {
    if !facts.is_long_lived() {
        return Arc::new(make(found));
    }
    let slot = facts.values_attached_to_store().get_or_init(LastSnapshot::default);
    let last = || slot.0.lock().unwrap_or_else(PoisonError::into_inner);
    let last_state = last().as_ref().filter(|(root, _)| root == facts.root()).map(|(_, state)| state.clone());
    if let Some(before) = last_state.filter(|before| holds(before, &found)) {
        // Thousands of paths are freed on another thread, so that the call need not wait.
        rayon::spawn(move || drop(found));
        return before;
    }
    let new_state = Arc::new(make(found));
    *last() = Some((facts.root().to_owned(), new_state.clone()));
    new_state
}

/// Forgets `state`, the data of a snapshot, if the next call would reuse it.
fn forget_last_snapshot_state(facts: &ProjectFactsStore, state: &Arc<SnapshotState>) {
    let slot = facts.values_attached_to_store().get_or_init(LastSnapshot::default);
    let mut last = slot.0.lock().unwrap_or_else(PoisonError::into_inner);
    last.take_if(|(_, last)| Arc::ptr_eq(last, state));
}

fn empty_once_locks<T>(count: usize) -> Vec<OnceLock<T>> {
    (0..count).map(|_| OnceLock::new()).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;

    use super::Snapshot;
    use crate::project::Project;
    use crate::store::{FactsStore, NamesError};

    #[test]
    fn a_snapshot_is_used_again_while_it_is_valid() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.py");
        fs::write(&path, "first = 1\n").expect("a file");
        fs::write(folder.path().join("b.md"), "# b\n").expect("a file");
        crate::signature::set_settling_time(std::time::Duration::from_secs(2));
        std::thread::sleep(std::time::Duration::from_millis(2_100));
        let project = Project::discover(Some(folder.path()), None).expect("a folder");
        let store = Arc::new(FactsStore::default().for_long_lived_process());
        let now = || Snapshot::of_project(&project, &store).expect("a walk");
        let same = |a: &Snapshot, b: &Snapshot| Arc::ptr_eq(&a.state, &b.state);
        let first = now();
        let a = first.file_table().id_of_path("a.py").expect("the file");
        assert!(first.names_in_file(a).is_ok());
        assert!(same(&first, &now()));
        // A change to content of equal size with the modification time set back.
        let before = fs::metadata(&path).and_then(|metadata| metadata.modified()).expect("a time");
        fs::write(&path, "other = 1\n").expect("a file");
        fs::File::options().write(true).open(&path).and_then(|file| file.set_modified(before)).expect("a time");
        let second = now();
        assert!(!same(&first, &second));
        assert!(second.names_in_file(a).is_ok_and(|names| names.names.id_of_name("other").is_some()));
        // A second change soon after such a recent one could leave the same times, so the file was read again.
        assert!(same(&second, &now()));
        fs::write(folder.path().join("c.py"), "").expect("a file");
        assert_eq!(now().file_table().len(), 3);
    }

    #[test]
    fn a_content_is_taken_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.py");
        fs::write(&path, "first = 1\n").expect("a file");
        fs::write(folder.path().join("b.bin"), "a\0b").expect("a file");
        let project = Project::discover(Some(folder.path()), None).expect("a folder");
        let store = Arc::new(FactsStore::default());
        let snapshot = Snapshot::of_project(&project, &store).expect("a walk");
        let a = snapshot.file_table().id_of_path("a.py").expect("the file");
        let before = snapshot.names_in_file(a).expect("its names");
        fs::write(&path, "other = 1\n").expect("a file");
        assert!(Arc::ptr_eq(before, snapshot.names_in_file(a).expect("its names")));
        let now = snapshot.read_current_file(a).expect("its text");
        assert_eq!(snapshot.names_in_file_given_text(a, &now).err(), Some(&NamesError::Changed));
        let later = Snapshot::of_project(&project, &store).expect("a walk");
        assert!(!Arc::ptr_eq(before, later.names_in_file(a).expect("its names")));
        let binary = later.file_table().id_of_path("b.bin").expect("the file");
        assert_eq!(later.names_in_file(binary).err().map(NamesError::describe_for_evidence), Some(None));
    }
}
