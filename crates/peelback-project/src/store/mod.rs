//! The facts store: caches the facts computed from file contents, so that each text is parsed only once.
//!
//! The key of a value contains the hash of the text that it was computed from, so a value can never be stale. Which
//! text a file contains is determined anew in every call: by reading the file, or by a reliable [`Signature`].

mod disk;
mod file;
mod file_names;
mod fingerprints;
mod memory;
mod module_interface;
#[cfg(test)]
mod tests;
mod wire;
mod words;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use peelback_syntax::{ANALYSIS, Coverage, Facts, Limits, Names, Tier, language};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::content_hash::ContentHash;
use crate::entry::ProjectEntry;
use crate::error::CodeError;
use crate::extensions::Extensions;
use crate::signature::Signature;
use crate::source::SourceFile;

pub use disk::CacheOptions;
use disk::Disk;
pub use disk::{CacheKey, Worth};
pub use file::{CacheStatus, clear_cache};
pub use file_names::{FileNames, NoNames, Part};
use file_names::{bytes_of, bytes_of_facts};
use fingerprints::Fingerprints;
pub use fingerprints::{Code, Content};
pub use memory::MemoryCache;
pub use module_interface::same_shape;
pub use words::{WordSet, stands_alone};

/// The memory limit for names in bytes, in addition to the names that the last call used.
const MEMORY_BYTES: usize = 256 << 20;

/// The memory limit for outlines in a long-lived process, in bytes.
const FACTS_BYTES: usize = 64 << 20;

/// The memory limit for word sets in a long-lived process, in bytes.
const WORDS_BYTES: usize = 64 << 20;

/// A cache of facts about file contents, shared by all calls of a process.
pub struct FactsStore {
    limits: Limits,
    memory: MemoryCache<(ContentHash, &'static str, Part), Arc<FileNames>>,
    facts: MemoryCache<(ContentHash, &'static str), Arc<Facts>>,
    words: MemoryCache<ContentHash, Arc<WordSet>>,
    disk: Option<Disk>,
    /// The bytes of complete names written to the disk cache so far. The amount is limited, because those of a large
    /// project would evict everything else.
    whole_bytes: AtomicU64,
    projects: Mutex<HashMap<PathBuf, Arc<Fingerprints>>>,
    /// Values that other crates attach for the lifetime of the store.
    extensions: Extensions,
    long_lived: bool,
    flushing: AtomicBool,
}

impl Default for FactsStore {
    /// Creates a store in memory only, which lives as long as the process.
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            memory: MemoryCache::new(MEMORY_BYTES),
            facts: MemoryCache::new(FACTS_BYTES),
            words: MemoryCache::new(WORDS_BYTES),
            disk: None,
            whole_bytes: AtomicU64::new(0),
            projects: Mutex::default(),
            extensions: Extensions::default(),
            long_lived: false,
            flushing: AtomicBool::new(false),
        }
    }
}

impl std::fmt::Debug for FactsStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FactsStore").field("disk", &self.disk).finish_non_exhaustive()
    }
}

impl FactsStore {
    /// Creates a store with a disk cache. `choose` returns the cache options on first use; `None` means no cache.
    pub fn with_cache(choose: impl FnOnce() -> Option<CacheOptions> + Send + 'static) -> Self {
        Self { disk: Some(Disk::new(choose)), ..Self::default() }
    }

    /// Marks the store as belonging to a process that answers many calls. Such a process computes dependency graphs in
    /// advance.
    #[must_use]
    pub fn long_lived(self) -> Self {
        Self { long_lived: true, ..self }
    }

    /// Whether the store belongs to a process that answers many calls.
    pub fn is_long_lived(&self) -> bool {
        self.long_lived
    }

    /// Values that other crates attach for the lifetime of the store.
    pub fn extensions(&self) -> &Extensions {
        &self.extensions
    }

    /// Writes the facts found since the last flush to the disk cache, at the end of a call. Facts that cannot be
    /// written at once are dropped.
    pub fn flush(&self) {
        if let Some(disk) = &self.disk {
            disk.flush();
        }
    }

    /// Runs [`FactsStore::flush`] on a separate thread.
    pub fn flush_soon(self: &Arc<Self>) {
        let Some(disk) = &self.disk else { return };
        if disk.has_pending() && !self.flushing.swap(true, Ordering::AcqRel) {
            let store = self.clone();
            let flush = move || {
                store.flush();
                store.flushing.store(false, Ordering::Release);
            };
            if std::thread::Builder::new().name("cache".to_owned()).spawn(flush).is_err() {
                self.flushing.store(false, Ordering::Release);
            }
        }
    }

    /// A message for the user about the disk cache, returned only once.
    pub fn take_notice(&self) -> Option<String> {
        self.disk.as_ref()?.take_notice()
    }

    /// The part of the store for the files below `root`.
    pub fn of(self: &Arc<Self>, root: &Path) -> ProjectFacts {
        let mut projects = self.projects.lock().unwrap_or_else(PoisonError::into_inner);
        let fingerprints = projects.entry(root.to_owned()).or_insert_with(|| {
            let folder = self.disk.as_ref().and_then(Disk::options).map(|options| options.folder.as_path());
            Arc::new(Fingerprints::new(root, folder.is_some_and(|folder| !CacheOptions::lies_below(folder, root))))
        });
        ProjectFacts { store: self.clone(), fingerprints: fingerprints.clone(), root: root.to_owned() }
    }

    /// The symbols, imports and exports of a text. A long-lived process parses each text once.
    pub fn facts(&self, file: &SourceFile) -> Arc<Facts> {
        let language = language::language_of_file(file.name(), &file.text).filter(|_| self.long_lived);
        let Some(language) = language else { return Arc::new(file.facts(&self.limits)) };
        let key = (file.hash(), language.name);
        if let Some(known) = self.facts.get(&key) {
            return known;
        }
        let made = Arc::new(file.facts(&self.limits));
        // A result cut short by a deadline is not cached, because another thread may have more time.
        if !matches!(made.coverage, Coverage::NotParsed(_)) {
            self.facts.put(key, made.clone(), bytes_of_facts(&made, file.text.len()));
        }
        made
    }

    /// The names of a content that was parsed before, from the memory or disk cache.
    fn load(&self, disk: Option<&Disk>, code: &Code, part: Part) -> Option<Arc<FileNames>> {
        let key = (code.hash, code.language.name, part);
        if let Some(known) = self.memory.get(&key) {
            return Some(known);
        }
        if part == Part::ModuleInterface
            && let Some(whole) = self.memory.get(&(code.hash, code.language.name, Part::Whole))
        {
            return Some(self.keep(code, part, module_interface::module_interface(&whole.names)));
        }
        let key = key_of(code, part);
        let names = wire::open(&key.0, &disk?.fact(key)?)?;
        Some(self.keep(code, part, names))
    }

    /// Parses a content and returns its names.
    fn make(&self, disk: Option<&Disk>, code: &Code, part: Part, file: &SourceFile) -> Result<Arc<FileNames>, NoNames> {
        let whole = peelback_syntax::bind_names(code.language, &file.text, &self.limits).map_err(NoNames::NotParsed)?;
        let module_interface =
            (part == Part::ModuleInterface || disk.is_some()).then(|| module_interface::module_interface(&whole));
        if let (Some(disk), Some(module_interface)) = (disk, &module_interface) {
            let key = key_of(code, Part::ModuleInterface);
            if let Some(bytes) = wire::seal(&key.0, module_interface) {
                disk.put_fact(key, Worth::Small, bytes);
            }
            let most = disk.options().map_or(0, |options| options.max_bytes) / 2;
            let key = key_of(code, Part::Whole);
            if self.whole_bytes.load(Ordering::Relaxed) < most
                && let Some(bytes) = wire::seal(&key.0, &whole)
            {
                self.whole_bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
                disk.put_fact(key, Worth::Large, bytes);
            }
        }
        Ok(match (part, module_interface) {
            (Part::ModuleInterface, Some(module_interface)) => self.keep(code, part, module_interface),
            _ => self.keep(code, Part::Whole, whole),
        })
    }

    fn keep(&self, code: &Code, part: Part, names: Names) -> Arc<FileNames> {
        let Code { language, hash, .. } = *code;
        let bytes = bytes_of(&names);
        let made = Arc::new(FileNames { language, names: Arc::new(names), bytes, extensions: Extensions::default() });
        self.memory.put((hash, language.name, part), made.clone(), bytes);
        made
    }
}

/// The facts store for one project.
#[derive(Clone)]
pub struct ProjectFacts {
    store: Arc<FactsStore>,
    fingerprints: Arc<Fingerprints>,
    root: PathBuf,
}

impl ProjectFacts {
    fn disk(&self) -> Option<&Disk> {
        self.store.disk.as_ref().filter(|_| self.fingerprints.is_cached())
    }

    /// The code in a file, and the file's text if it had to be read. `signature` is the file's current signature.
    pub fn content(
        &self,
        entry: &ProjectEntry,
        signature: Option<&Signature>,
    ) -> (Result<Code, NoNames>, Option<SourceFile>) {
        let named = language::language_of_file_name(entry.name());
        if named.is_some_and(|language| language.tier == Tier::Document) {
            return (Err(NoNames::NO_CODE), None);
        }
        if let Some(code) = signature.and_then(|signature| self.known_content(entry, signature)) {
            return (code, None);
        }
        if named.is_none() {
            let (is_script, settled) = entry.script_probe();
            if !is_script {
                if let Some(signature) = settled {
                    self.fingerprints.note(self.disk(), &entry.path, signature, Content::Other);
                }
                return (Err(NoNames::NO_CODE), None);
            }
        }
        match SourceFile::read_with_signature(entry) {
            (Ok(file), _) => (self.content_of(&file), Some(file)),
            (Err(error), settled) => {
                if let (CodeError::Binary { .. }, Some(signature)) = (&error, settled) {
                    self.fingerprints.note(self.disk(), &entry.path, signature, Content::Other);
                }
                (Err(NoNames::Unread(error)), None)
            }
        }
    }

    /// The code in a file with this signature, if known without reading the file.
    pub fn known_content(&self, entry: &ProjectEntry, signature: &Signature) -> Option<Result<Code, NoNames>> {
        match self.fingerprints.content(self.disk(), &entry.path, signature)? {
            Content::Code(code) => Some(Ok(code)),
            Content::Other => Some(Err(NoNames::NO_CODE)),
        }
    }

    /// The code in a text that was already read.
    pub fn content_of(&self, file: &SourceFile) -> Result<Code, NoNames> {
        let language = language::language_of_file(file.name(), &file.text);
        let code = language.filter(|language| language.tier != Tier::Document).map(|language| Code {
            language,
            hash: file.hash(),
            line_count: file.line_count(),
        });
        if let Some(signature) = file.settled {
            let content = code.map_or(Content::Other, Content::Code);
            self.fingerprints.note(self.disk(), &file.path, signature, content);
        }
        code.ok_or(NoNames::NO_CODE)
    }

    /// Whether a content is known to contain none of `needles` as a whole word.
    pub fn lacks<'a>(&self, code: &Code, mut needles: impl Iterator<Item = &'a str>) -> bool {
        self.store.words.get(&code.hash).is_some_and(|words| !needles.any(|needle| words.may_hold(needle)))
    }

    /// Records which words a text contains; does nothing in a process that answers a single call.
    pub fn note_words(&self, file: &SourceFile) {
        if self.store.long_lived
            && let Ok(code) = self.content_of(file)
            && self.store.words.get(&code.hash).is_none()
        {
            self.words_of(&code, file);
        }
    }

    /// The recorded words of a content.
    pub fn words(&self, code: &Code) -> Option<Arc<WordSet>> {
        self.store.words.get(&code.hash)
    }

    /// Records and returns the words of a text; `None` if the cache has no room for them.
    pub fn words_of(&self, code: &Code, file: &SourceFile) -> Option<Arc<WordSet>> {
        // Every search visits the files in one order. With eviction, a full cache would drop each set before its next
        // use, so a full cache accepts no more sets.
        self.store.words.has_room(file.text.len() / 8).then(|| {
            let words = Arc::new(WordSet::of(&file.text));
            let bytes = words.bytes();
            self.store.words.put(code.hash, words.clone(), bytes);
            words
        })
    }

    /// The value stored in the disk cache under `key`; `None` if there is no cache or the stored bytes are damaged.
    pub fn cached<T: DeserializeOwned>(&self, key: CacheKey) -> Option<T> {
        wire::open(&key.0, &self.disk()?.fact(key)?)
    }

    /// Stores a value in the disk cache, if there is one, at the next flush.
    pub fn cache<T: Serialize>(&self, key: CacheKey, worth: Worth, value: &T) {
        if let Some(disk) = self.disk()
            && let Some(bytes) = wire::seal(&key.0, value)
        {
            disk.put_fact(key, worth, bytes);
        }
    }

    /// The project's root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Whether the process answers many calls, so that keeping facts in memory is useful.
    pub fn is_long_lived(&self) -> bool {
        self.store.long_lived
    }

    /// Whether values outlive the call, in the memory of a long-lived process or on disk.
    pub fn is_kept(&self) -> bool {
        self.store.long_lived || self.disk().is_some()
    }

    /// Values that other crates attach for the lifetime of the store.
    pub fn extensions(&self) -> &Extensions {
        &self.store.extensions
    }

    /// The cache key of a value computed from a file in the state that `signature` identifies. `kind` names the type of
    /// value and its version.
    pub fn key_of_state(&self, kind: &[u8], entry: &ProjectEntry, signature: &Signature) -> Option<CacheKey> {
        let state = postcard::to_extend(signature, Vec::with_capacity(48)).ok()?;
        Some(CacheKey::of(&[kind, self.root.as_os_str().as_encoded_bytes(), entry.path.as_bytes(), &state]))
    }

    /// The names of a content, if they are in memory.
    pub fn in_memory(&self, code: &Code, part: Part) -> Option<Arc<FileNames>> {
        self.store.load(None, code, part)
    }

    /// The names of a content, if they are known without its text.
    pub fn load(&self, code: &Code, part: Part) -> Option<Arc<FileNames>> {
        self.store.load(self.disk(), code, part)
    }

    /// The names of a content, parsed if they are not known yet.
    pub fn names(&self, code: &Code, part: Part, file: &SourceFile) -> Result<Arc<FileNames>, NoNames> {
        match self.load(code, part) {
            Some(known) => Ok(known),
            None => self.store.make(self.disk(), code, part, file),
        }
    }

    /// Deletes the fingerprints of files that no longer exist; `there` lists all existing files.
    pub fn prune<'a>(&self, there: impl ExactSizeIterator<Item = &'a str>) {
        self.fingerprints.prune(self.disk(), there);
    }
}

/// The cache key of one part of a content's names.
fn key_of(code: &Code, part: Part) -> CacheKey {
    CacheKey::of(&[ANALYSIS.as_bytes(), &[part as u8], code.language.name.as_bytes(), &code.hash.0])
}
