//! The facts store: caches the facts computed from file contents, so that each text is parsed only once.
//!
//! The key of a value contains the hash of the text that it was computed from, so a value can never be stale. Which
//! text a file contains is determined anew in every call: by reading the file, or by a reliable [`FileSignature`].

mod cache_key;
#[cfg(feature = "cache")]
mod disk;
#[cfg(not(feature = "cache"))]
#[path = "no_disk.rs"]
mod disk;
#[cfg(feature = "cache")]
mod file;
mod fingerprints;
mod module_interface;
mod names_cache;
mod names_in_file;
#[cfg(feature = "cache")]
mod stored_value;
#[cfg(all(test, feature = "cache"))]
mod tests;
mod vocabulary;
mod word_set;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use peelback_syntax::stack::THREAD_STACK_BYTES;
use peelback_syntax::{ANALYSIS, Facts, Limits, Names, NotParsed, ParseCoverage, StopSignal, Tier, language};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::attached_values::AttachedValues;
use crate::cancellation::CancellationToken;
use crate::content_hash::ContentHash;
use crate::entry::ProjectEntry;
use crate::error::CodeError;
use crate::signature::{FileSignature, SIGNATURE_RULE};
use crate::source::SourceFile;

pub use cache_key::{CacheKey, Worth};
#[cfg(feature = "cache")]
pub use disk::CacheOptions;
use disk::DiskCache;
#[cfg(feature = "cache")]
pub use file::{CacheStatus, clear_cache};
use fingerprints::Fingerprints;
pub use fingerprints::{CodeIdentity, FileContent, TextIdentity};
pub use module_interface::are_module_interfaces_equal_except_lines;
pub use names_cache::MemoryCache;
pub use names_in_file::{NamesError, NamesInFile, NamesPart};
use names_in_file::{facts_memory_bytes, names_memory_bytes};
pub use vocabulary::Vocabulary;
pub use word_set::{WordSet, is_whole_word};

/// The memory limit in bytes for the cached names of files, in addition to the names that the last call used.
const MAX_NAMES_BYTES: usize = 256 << 20;

/// The memory limit in bytes for cached outlines in a long-lived process.
const MAX_FACTS_BYTES: usize = 64 << 20;

/// The memory limit in bytes for the sets of words in files in a long-lived process.
const MAX_WORD_SET_BYTES: usize = 64 << 20;

/// The memory limit in bytes for the vocabularies of files in a long-lived process.
const MAX_VOCABULARY_BYTES: usize = 64 << 20;

/// A cache of facts about file contents, shared by all calls of a process.
pub struct FactsStore {
    limits: Limits,
    memory: MemoryCache<(ContentHash, &'static str, NamesPart), Arc<NamesInFile>>,
    facts: MemoryCache<(ContentHash, &'static str), Arc<Facts>>,
    words: MemoryCache<ContentHash, Arc<WordSet>>,
    vocabularies: MemoryCache<ContentHash, Arc<Vocabulary>>,
    disk: Option<DiskCache>,
    /// The number of bytes written to the disk cache so far for the complete names in files. The number is limited,
    /// because the names of a large project would evict everything else.
    written_whole_names_bytes: AtomicU64,
    projects: Mutex<HashMap<PathBuf, Arc<Fingerprints>>>,
    /// The values that other crates attach for the lifetime of the store.
    attached_values: AttachedValues,
    long_lived: bool,
    is_flushing: AtomicBool,
}

impl Default for FactsStore {
    /// Creates a store that keeps facts in memory only.
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            memory: MemoryCache::new(MAX_NAMES_BYTES),
            facts: MemoryCache::new(MAX_FACTS_BYTES),
            words: MemoryCache::new(MAX_WORD_SET_BYTES),
            vocabularies: MemoryCache::new(MAX_VOCABULARY_BYTES),
            disk: None,
            written_whole_names_bytes: AtomicU64::new(0),
            projects: Mutex::default(),
            attached_values: AttachedValues::default(),
            long_lived: false,
            is_flushing: AtomicBool::new(false),
        }
    }
}

impl std::fmt::Debug for FactsStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FactsStore").field("disk", &self.disk).finish_non_exhaustive()
    }
}

impl FactsStore {
    /// Creates a store with a disk cache, which needs the feature `cache`. `choose` returns the cache options on first
    /// use; `None` means no cache.
    #[cfg(feature = "cache")]
    pub fn with_disk_cache(choose: impl FnOnce() -> Option<CacheOptions> + Send + 'static) -> Self {
        Self { disk: Some(DiskCache::new(choose)), ..Self::default() }
    }

    /// Marks the store as belonging to a process that answers many calls. Such a process computes dependency graphs in
    /// advance.
    #[must_use]
    pub fn for_long_lived_process(self) -> Self {
        Self { long_lived: true, ..self }
    }

    /// Whether the store belongs to a process that answers many calls.
    pub fn is_long_lived(&self) -> bool {
        self.long_lived
    }

    /// The values that other crates attach for the lifetime of the store.
    pub fn attached_values(&self) -> &AttachedValues {
        &self.attached_values
    }

    /// Writes the facts found since the last flush to the disk cache; meant for the end of a call. Facts that cannot be
    /// written at once are dropped.
    pub fn flush_to_disk(&self) {
        if let Some(disk) = &self.disk {
            disk.flush();
        }
    }

    /// Runs [`FactsStore::flush_to_disk`] on a separate thread.
    pub fn flush_in_background(self: &Arc<Self>) {
        let Some(disk) = &self.disk else { return };
        if disk.has_pending_writes() && !self.is_flushing.swap(true, Ordering::AcqRel) {
            let store = self.clone();
            let flush = move || {
                store.flush_to_disk();
                store.is_flushing.store(false, Ordering::Release);
            };
            let thread = std::thread::Builder::new().name("cache".to_owned()).stack_size(THREAD_STACK_BYTES);
            if thread.spawn(flush).is_err() {
                self.is_flushing.store(false, Ordering::Release);
            }
        }
    }

    /// A message for the user about the disk cache, returned only once.
    pub fn take_cache_notice(&self) -> Option<String> {
        self.disk.as_ref()?.take_user_notice()
    }

    /// The part of the facts store for the files below `root`, for a call that ends with `cancellation`.
    pub fn store_for_project(self: &Arc<Self>, root: &Path, cancellation: &CancellationToken) -> ProjectFactsStore {
        let mut projects = self.projects.lock().unwrap_or_else(PoisonError::into_inner);
        let fingerprints = projects.entry(root.to_owned()).or_insert_with(|| {
            Arc::new(Fingerprints::new(
                root,
                self.disk.as_ref().is_some_and(|disk| disk.can_cache_facts_below_root(root)),
            ))
        });
        ProjectFactsStore {
            store: self.clone(),
            fingerprints: fingerprints.clone(),
            root: root.to_owned(),
            limits: self.parse_limits_of_call(cancellation),
        }
    }

    /// The limits on a parse for a call that ends with `cancellation`.
    fn parse_limits_of_call(&self, cancellation: &CancellationToken) -> Limits {
        let cancellation = cancellation.clone();
        Limits { stop: StopSignal::new(move || cancellation.stop_cause().is_some()), ..self.limits.clone() }
    }

    /// The symbols, imports and exports of a file's text, for a call that ends with `cancellation`. A long-lived process
    /// keeps them, so that it parses each text once.
    pub fn load_or_parse_facts(&self, file: &SourceFile, cancellation: &CancellationToken) -> Arc<Facts> {
        let limits = self.parse_limits_of_call(cancellation);
        let language =
            language::language_of_file_name_and_text(file.file_name(), &file.text).filter(|_| self.long_lived);
        let Some(language) = language else { return Arc::new(file.analyse_syntax(&limits)) };
        let key = (file.content_hash(), language.name);
        if let Some(known) = self.facts.get(&key) {
            return known;
        }
        let parsed_facts = Arc::new(file.analyse_syntax(&limits));
        // A result cut short by a deadline is not cached, because another thread may have more time.
        if !matches!(parsed_facts.coverage, ParseCoverage::NotParsed(_)) {
            self.facts.insert(key, parsed_facts.clone(), facts_memory_bytes(&parsed_facts));
        }
        parsed_facts
    }

    /// The names in a file content that was parsed before, from the memory or disk cache; `None` if neither has them.
    fn load_cached_names(
        &self,
        disk: Option<&DiskCache>,
        code: &CodeIdentity,
        part: NamesPart,
    ) -> Option<Arc<NamesInFile>> {
        let key = (code.hash, code.language.name, part);
        if let Some(known) = self.memory.get(&key) {
            return Some(known);
        }
        if part == NamesPart::ModuleInterface
            && let Some(whole) = self.memory.get(&(code.hash, code.language.name, NamesPart::Whole))
        {
            return Some(self.keep_names_in_memory(
                code,
                part,
                module_interface::extract_module_interface(&whole.names),
            ));
        }
        let names = disk?.load_value(names_cache_key(code, part))?;
        Some(self.keep_names_in_memory(code, part, names))
    }

    /// Parses the text of a file and returns the names in it, which are also stored in the caches.
    fn parse_and_cache_names(
        &self,
        disk: Option<&DiskCache>,
        code: &CodeIdentity,
        part: NamesPart,
        file: &SourceFile,
        limits: &Limits,
    ) -> Result<Arc<NamesInFile>, NamesError> {
        if file.is_broken_notebook {
            return Err(NamesError::NotParsed(NotParsed::BrokenNotebook));
        }
        let whole = peelback_syntax::bind_names(code.language, &file.text, limits).map_err(NamesError::NotParsed)?;
        let module_interface = (part == NamesPart::ModuleInterface || disk.is_some())
            .then(|| module_interface::extract_module_interface(&whole));
        if let (Some(disk), Some(module_interface)) = (disk, &module_interface) {
            disk.queue_value(names_cache_key(code, NamesPart::ModuleInterface), Worth::Small, module_interface);
            if self.written_whole_names_bytes.load(Ordering::Relaxed) < disk.max_bytes() / 2
                && let Some(bytes) = disk.queue_value(names_cache_key(code, NamesPart::Whole), Worth::Large, &whole)
            {
                self.written_whole_names_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
            }
        }
        Ok(match (part, module_interface) {
            (NamesPart::ModuleInterface, Some(module_interface)) => {
                self.keep_names_in_memory(code, part, module_interface)
            }
            _ => self.keep_names_in_memory(code, NamesPart::Whole, whole),
        })
    }

    fn keep_names_in_memory(&self, code: &CodeIdentity, part: NamesPart, names: Names) -> Arc<NamesInFile> {
        let CodeIdentity { language, hash, .. } = *code;
        let bytes = names_memory_bytes(&names);
        let kept_names =
            Arc::new(NamesInFile { language, names: Arc::new(names), bytes, extensions: AttachedValues::default() });
        self.memory.insert((hash, language.name, part), kept_names.clone(), bytes);
        kept_names
    }
}

/// The part of the facts store for one project.
#[derive(Clone)]
pub struct ProjectFactsStore {
    store: Arc<FactsStore>,
    fingerprints: Arc<Fingerprints>,
    root: PathBuf,
    /// The limits on a parse, with the end of the call.
    limits: Limits,
}

impl ProjectFactsStore {
    fn usable_disk_cache(&self) -> Option<&DiskCache> {
        self.store.disk.as_ref().filter(|_| self.fingerprints.can_use_disk_cache())
    }

    /// The language, text hash and line count of a code file, and the file's text if it had to be read. `signature` is
    /// the file's current signature.
    pub fn code_identity_and_newly_read_text(
        &self,
        entry: &ProjectEntry,
        signature: Option<&FileSignature>,
    ) -> (Result<CodeIdentity, NamesError>, Option<SourceFile>) {
        let named = language::language_of_file_name(entry.name());
        if named.is_some_and(|language| language.tier == Tier::Document) {
            return (Err(NamesError::NO_CODE), None);
        }
        if let Some(code) = signature.and_then(|signature| self.code_identity_by_signature(entry, signature)) {
            return (code, None);
        }
        if named.is_none() {
            let (is_script, settled) = entry.probe_shebang_and_settled_signature();
            if !is_script {
                if let Some(signature) = settled {
                    self.fingerprints.record_content_identity(
                        self.usable_disk_cache(),
                        &entry.path,
                        signature,
                        FileContent::Other,
                    );
                }
                return (Err(NamesError::NO_CODE), None);
            }
        }
        match SourceFile::read_with_change_detecting_signature(entry) {
            (Ok(file), _) => (self.code_identity_of_text(&file), Some(file)),
            (Err(error), settled) => {
                // Whether a notebook is binary is not recorded: one in an unknown language is recorded alike.
                if let (CodeError::Binary { .. }, Some(signature)) = (&error, settled)
                    && !language::is_notebook_name(entry.name())
                {
                    self.fingerprints.record_content_identity(
                        self.usable_disk_cache(),
                        &entry.path,
                        signature,
                        FileContent::Other,
                    );
                }
                (Err(NamesError::Unread(error)), None)
            }
        }
    }

    /// The language, text hash and line count of a file with the current `signature`, if they are known without reading
    /// the file.
    pub fn code_identity_by_signature(
        &self,
        entry: &ProjectEntry,
        signature: &FileSignature,
    ) -> Option<Result<CodeIdentity, NamesError>> {
        let named = language::language_of_file_name(entry.name());
        let named_code =
            named.is_some_and(|named| named.tier != Tier::Document) && !language::is_notebook_name(entry.name());
        match self.fingerprints.content_identity_by_signature(self.usable_disk_cache(), &entry.path, signature)? {
            FileContent::Code(code) => Some(Ok(code)),
            // The text of a file with the name of code is code, so this one has no text.
            FileContent::Other if named_code => {
                let error = CodeError::Binary { path: entry.path.clone(), size_bytes: signature.size };
                Some(Err(NamesError::Unread(error)))
            }
            FileContent::Other => Some(Err(NamesError::NO_CODE)),
        }
    }

    /// The language, text hash and line count of a code file, from its text, which the caller has read.
    pub fn code_identity_of_text(&self, file: &SourceFile) -> Result<CodeIdentity, NamesError> {
        let language = language::language_of_file_name_and_text(file.file_name(), &file.text);
        let code = language.filter(|language| language.tier != Tier::Document).map(|language| CodeIdentity {
            language,
            hash: file.content_hash(),
            line_count: file.line_count(),
        });
        if let Some(signature) = file.settled_signature {
            let content = code.map_or(FileContent::Other, FileContent::Code);
            self.fingerprints.record_content_identity(self.usable_disk_cache(), &file.path, signature, content);
        }
        code.ok_or(NamesError::NO_CODE)
    }

    /// Whether a file content is known to contain none of `needles` as a whole word.
    pub fn surely_contains_none_of_words<'a>(
        &self,
        code: &CodeIdentity,
        mut needles: impl Iterator<Item = &'a str>,
    ) -> bool {
        self.store.words.get(&code.hash).is_some_and(|words| !needles.any(|needle| words.can_contain_word(needle)))
    }

    /// Records which words a text contains; does nothing in a process that answers a single call.
    pub fn record_words_in_long_process(&self, file: &SourceFile) {
        if self.store.long_lived
            && let Ok(code) = self.code_identity_of_text(file)
            && self.store.words.get(&code.hash).is_none()
        {
            self.record_and_return_words_in_text(&code, file);
        }
    }

    /// The set of words recorded for a file content; `None` if no words are recorded.
    pub fn recorded_words_of_code(&self, code: &CodeIdentity) -> Option<Arc<WordSet>> {
        self.store.words.get(&code.hash)
    }

    /// Records and returns the set of words in a file's text; `None` if the cache has no room for them.
    pub fn record_and_return_words_in_text(&self, code: &CodeIdentity, file: &SourceFile) -> Option<Arc<WordSet>> {
        // Every search visits the files in one order. With eviction, a full cache would drop each set of words before
        // its next use, so a full cache accepts no more sets.
        self.store.words.has_room_for_bytes(file.text.len() / 8).then(|| {
            let words = Arc::new(WordSet::from_text(&file.text));
            let bytes = words.memory_bytes();
            self.store.words.insert(code.hash, words.clone(), bytes);
            words
        })
    }

    /// What the text of a file with the current `signature` is known by, without reading the file. Known only in a process
    /// of many calls.
    pub fn text_identity_by_signature(&self, path: &str, signature: &FileSignature) -> Option<TextIdentity> {
        self.fingerprints.text_identity_by_signature(path, signature)
    }

    /// Records what the text of a file is known by, and its vocabulary, for later calls; does nothing in a process that
    /// answers a single call.
    pub fn record_text_in_long_process(&self, file: &SourceFile) {
        // How the bytes became text is said in the evidence, for which the file is read.
        let signature = file.settled_signature.filter(|_| self.store.long_lived && file.decoding_note.is_none());
        let Some(signature) = signature else { return };
        let language = language::language_of_file_name_and_text(file.file_name(), &file.text);
        let identity = TextIdentity { language, hash: file.content_hash() };
        self.fingerprints.record_text_identity(&file.path, signature, Some(identity));
        let is_code = language.is_some_and(|language| language.tier != Tier::Document);
        if is_code && self.store.vocabularies.get(&identity.hash).is_none() {
            self.record_vocabulary(identity.hash, &file.text);
        }
    }

    /// Records that a file is in no known language.
    pub fn record_file_in_no_language(&self, entry: &ProjectEntry, signature: FileSignature) {
        if self.store.long_lived {
            self.fingerprints.record_text_identity(&entry.path, signature, None);
        }
    }

    /// Whether a file with the current `signature` is known to be in no known language.
    pub fn is_file_in_no_language(&self, path: &str, signature: &FileSignature) -> bool {
        self.fingerprints.is_file_in_no_language(path, signature)
    }

    fn record_vocabulary(&self, hash: ContentHash, text: &str) {
        // As with sets of words, a full cache accepts no more.
        if self.store.vocabularies.has_room_for_bytes(text.len() / 8) {
            let vocabulary = Arc::new(Vocabulary::from_text(text));
            let bytes = vocabulary.memory_bytes();
            self.store.vocabularies.insert(hash, vocabulary, bytes);
        }
    }

    /// The vocabulary of a text, if it is in memory.
    pub fn vocabulary_in_memory(&self, text: &TextIdentity) -> Option<Arc<Vocabulary>> {
        self.store.vocabularies.get(&text.hash)
    }

    /// The symbols, imports and exports of a text, if they are in memory.
    pub fn facts_in_memory(&self, text: &TextIdentity) -> Option<Arc<Facts>> {
        self.store.facts.get(&(text.hash, text.language?.name))
    }

    /// The value stored in the disk cache under `key`; `None` if there is no cache or the stored bytes are damaged.
    pub fn load_cached_value<T: DeserializeOwned>(&self, key: CacheKey) -> Option<T> {
        self.usable_disk_cache()?.load_value(key)
    }

    /// Stores a value in the disk cache, if there is one, at the next flush.
    pub fn queue_cached_value<T: Serialize>(&self, key: CacheKey, worth: Worth, value: &T) {
        if let Some(disk) = self.usable_disk_cache() {
            disk.queue_value(key, worth, value);
        }
    }

    /// The path of the project's root folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Whether the process answers many calls, so that keeping facts in memory is useful.
    pub fn is_long_lived(&self) -> bool {
        self.store.long_lived
    }

    /// Whether cached values outlive the call, in the memory of a long-lived process or on disk.
    pub fn can_keep_values_after_call(&self) -> bool {
        self.store.long_lived || self.usable_disk_cache().is_some()
    }

    /// The values that other crates attach for the lifetime of the store.
    pub fn values_attached_to_store(&self) -> &AttachedValues {
        &self.store.attached_values
    }

    /// The cache key of a value computed from the file `entry` in the state that `signature` identifies. `kind` names
    /// the type of the value and its version.
    pub fn cache_key_of_file_state(&self, kind: &[u8], entry: &ProjectEntry, signature: &FileSignature) -> CacheKey {
        let root = self.root.as_os_str().as_encoded_bytes();
        CacheKey::of_parts(&[kind, SIGNATURE_RULE, root, entry.path.as_bytes(), &signature.to_bytes()])
    }

    /// The cache key of a value computed from the file `entry` with this text, for a file whose state no signature
    /// identifies yet. `kind` names the type of the value and its version.
    pub fn cache_key_of_file_text(&self, kind: &[u8], entry: &ProjectEntry, text: ContentHash) -> CacheKey {
        CacheKey::of_parts(&[kind, b"text", entry.path.as_bytes(), &text.0])
    }

    /// The names in a file content, if they are in memory.
    pub fn names_in_memory(&self, code: &CodeIdentity, part: NamesPart) -> Option<Arc<NamesInFile>> {
        self.store.load_cached_names(None, code, part)
    }

    /// The names in a file content, if they are in the memory or disk cache.
    pub fn load_cached_names(&self, code: &CodeIdentity, part: NamesPart) -> Option<Arc<NamesInFile>> {
        self.store.load_cached_names(self.usable_disk_cache(), code, part)
    }

    /// The names in a file content, parsed if they are not in a cache yet.
    pub fn load_or_parse_names(
        &self,
        code: &CodeIdentity,
        part: NamesPart,
        file: &SourceFile,
    ) -> Result<Arc<NamesInFile>, NamesError> {
        match self.load_cached_names(code, part) {
            Some(known) => Ok(known),
            None => self.store.parse_and_cache_names(self.usable_disk_cache(), code, part, file, &self.limits),
        }
    }

    /// Deletes the fingerprints of files that no longer exist once there are many of them; `existing_paths` lists all
    /// existing files.
    pub fn prune_fingerprints_if_many_deleted<'a>(&self, existing_paths: impl ExactSizeIterator<Item = &'a str>) {
        self.fingerprints.prune_fingerprints_if_many_deleted(self.usable_disk_cache(), existing_paths);
    }
}

/// The cache key of the names in a file content: of all names, or of the module interface.
fn names_cache_key(code: &CodeIdentity, part: NamesPart) -> CacheKey {
    CacheKey::of_parts(&[ANALYSIS.as_bytes(), &[part as u8], code.language.name.as_bytes(), &code.hash.0])
}
