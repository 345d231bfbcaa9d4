//! The facts store: what is known of contents, so that a text is parsed once.
//!
//! A value stands under the hash of the text that it was made from, so that it can never be stale. Which text a file
//! holds is another question, and asked anew in every call: by reading the file, or by a [`Signature`] that cannot lie.

mod disk;
mod file;
mod hash;
mod memory;
mod module_interface;
mod signature;
mod stamps;
#[cfg(test)]
mod tests;
mod wire;
mod words;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use peelback_syntax::names::{Binding, Condition, Exported, Expr, Extension, ModuleImport, Occurrence, Scope};
use peelback_syntax::{ANALYSIS, Coverage, Facts, Fold, Language, Limits, Names, NotParsed, Symbol, Tier, language};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::coverage::coverage_gap;
use crate::error::CodeError;
use crate::extensions::Extensions;
use crate::project::ProjectEntry;
use crate::source::SourceFile;

pub use disk::CacheOptions;
use disk::Disk;
pub use disk::{CacheKey, Worth};
pub use file::{CacheStatus, clear_cache};
pub use hash::ContentHash;
pub use memory::MemoryCache;
pub use module_interface::same_shape;
pub use signature::{Signature, States, is_reliable, now};
use stamps::Stamps;
pub use stamps::{Code, Content};
pub use words::{WordSet, stands_alone};

/// Bytes of names that a process holds, beside those that its last call looked at.
const MEMORY_BYTES: usize = 256 << 20;

/// Bytes of outlines that a process of many calls holds.
const FACTS_BYTES: usize = 64 << 20;

/// Bytes of word sets that a process of many calls holds.
const WORDS_BYTES: usize = 64 << 20;

/// The names of one content, read as one language.
#[derive(Debug)]
pub struct FileNames {
    /// The language.
    pub language: &'static Language,
    /// What its names mean; of a surface, what other files can see of that.
    pub names: Arc<Names>,
    /// See [`FileNames::bytes`].
    bytes: usize,
    /// What other crates compute from the names.
    pub extensions: Extensions,
}

impl FileNames {
    /// The memory that it takes, in bytes, about; what makes look-ups quick adds a few in a hundred.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

/// How much of a file's names is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// Everything.
    Whole,
    /// Links, exports, modules and what is bound in them.
    Surface,
}

/// Why a file has no names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoNames {
    /// It could not be read.
    Unread(CodeError),
    /// It was not parsed; [`NotParsed::UnknownLanguage`] is said of documents too.
    NotParsed(NotParsed),
    /// It changed while the call ran.
    Changed,
}

impl NoNames {
    /// It holds no code.
    const NO_CODE: Self = Self::NotParsed(NotParsed::UnknownLanguage);

    /// The gap that the file leaves in an answer about code; `None` where it holds no code.
    pub fn gap(&self) -> Option<String> {
        match self {
            Self::Unread(CodeError::Binary { .. }) | Self::NotParsed(NotParsed::UnknownLanguage) => None,
            Self::Unread(error) => Some(error.to_string()),
            Self::NotParsed(reason) => coverage_gap(&peelback_syntax::Coverage::NotParsed(*reason)),
            Self::Changed => Some("it changed while it was looked at".to_owned()),
        }
    }
}

/// What is known of contents. One is shared by all calls of a process.
pub struct FactsStore {
    limits: Limits,
    memory: MemoryCache<(ContentHash, &'static str, Part), Arc<FileNames>>,
    facts: MemoryCache<(ContentHash, &'static str), Arc<Facts>>,
    words: MemoryCache<ContentHash, Arc<WordSet>>,
    disk: Option<Disk>,
    /// Bytes of whole names that were given to the cache: a large project's would push everything else out.
    whole_bytes: AtomicU64,
    projects: Mutex<HashMap<PathBuf, Arc<Stamps>>>,
    /// What other crates keep for as long as the store lives.
    extensions: Extensions,
    long_lived: bool,
    flushing: AtomicBool,
}

impl Default for FactsStore {
    /// A store that ends with the process.
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
    /// A store with a cache on disk, whose options are asked for when it is wanted first; `None`: no cache.
    pub fn with_cache(choose: impl FnOnce() -> Option<CacheOptions> + Send + 'static) -> Self {
        Self { disk: Some(Disk::new(choose)), ..Self::default() }
    }

    /// The same for a process that answers many calls: it makes graphs before they are asked for.
    #[must_use]
    pub fn long_lived(self) -> Self {
        Self { long_lived: true, ..self }
    }

    pub fn is_long_lived(&self) -> bool {
        self.long_lived
    }

    /// What other crates keep for as long as the store lives.
    pub fn extensions(&self) -> &Extensions {
        &self.extensions
    }

    /// Writes to the cache what was found out since the last time. Done at the end of a call; what cannot be written
    /// at once is not written.
    pub fn flush(&self) {
        if let Some(disk) = &self.disk {
            disk.flush();
        }
    }

    /// [`FactsStore::flush`] in a thread of its own.
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

    /// What happened to the cache that the user should know, once.
    pub fn take_notice(&self) -> Option<String> {
        self.disk.as_ref()?.take_notice()
    }

    /// The store for the files below `root`.
    pub fn of(self: &Arc<Self>, root: &Path) -> ProjectFacts {
        let mut projects = self.projects.lock().unwrap_or_else(PoisonError::into_inner);
        let stamps = projects.entry(root.to_owned()).or_insert_with(|| {
            let folder = self.disk.as_ref().and_then(Disk::options).map(|options| options.folder.as_path());
            Arc::new(Stamps::new(root, folder.is_some_and(|folder| !CacheOptions::lies_below(folder, root))))
        });
        ProjectFacts { store: self.clone(), stamps: stamps.clone(), root: root.to_owned() }
    }

    /// The symbols, imports and exports of a text; in a process of many calls, parsed once for each text.
    pub fn facts(&self, file: &SourceFile) -> Arc<Facts> {
        let language = language::of_file(file.name(), &file.text).filter(|_| self.long_lived);
        let Some(language) = language else { return Arc::new(file.facts(&self.limits)) };
        let key = (file.hash(), language.name);
        if let Some(known) = self.facts.get(&key) {
            return known;
        }
        let made = Arc::new(file.facts(&self.limits));
        // What one thread had no time for, another may have.
        if !matches!(made.coverage, Coverage::NotParsed(_)) {
            self.facts.put(key, made.clone(), bytes_of_facts(&made, file.text.len()));
        }
        made
    }

    /// The names of a content that was parsed before.
    fn load(&self, disk: Option<&Disk>, code: &Code, part: Part) -> Option<Arc<FileNames>> {
        let key = (code.hash, code.language.name, part);
        if let Some(known) = self.memory.get(&key) {
            return Some(known);
        }
        if part == Part::Surface
            && let Some(whole) = self.memory.get(&(code.hash, code.language.name, Part::Whole))
        {
            return Some(self.keep(code, part, module_interface::module_interface(&whole.names)));
        }
        let key = key_of(code, part);
        let names = wire::open(&key.0, &disk?.fact(key)?)?;
        Some(self.keep(code, part, names))
    }

    /// The names of a content that is parsed for it.
    fn make(&self, disk: Option<&Disk>, code: &Code, part: Part, file: &SourceFile) -> Result<Arc<FileNames>, NoNames> {
        let whole = peelback_syntax::names(code.language, &file.text, &self.limits).map_err(NoNames::NotParsed)?;
        let surface = (part == Part::Surface || disk.is_some()).then(|| module_interface::module_interface(&whole));
        if let (Some(disk), Some(surface)) = (disk, &surface) {
            let key = key_of(code, Part::Surface);
            if let Some(bytes) = wire::seal(&key.0, surface) {
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
        Ok(match (part, surface) {
            (Part::Surface, Some(surface)) => self.keep(code, part, surface),
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

/// The store for one project.
#[derive(Clone)]
pub struct ProjectFacts {
    store: Arc<FactsStore>,
    stamps: Arc<Stamps>,
    root: PathBuf,
}

impl ProjectFacts {
    fn disk(&self) -> Option<&Disk> {
        self.store.disk.as_ref().filter(|_| self.stamps.is_cached())
    }

    /// The code that a file holds, and its text where it had to be read for that; `signature` is the one that it has
    /// now.
    pub fn content(
        &self,
        entry: &ProjectEntry,
        signature: Option<&Signature>,
    ) -> (Result<Code, NoNames>, Option<SourceFile>) {
        let named = language::of_name(entry.name());
        if named.is_some_and(|language| language.tier == Tier::Document) {
            return (Err(NoNames::NO_CODE), None);
        }
        if let Some(code) = signature.and_then(|signature| self.stamped(entry, signature)) {
            return (code, None);
        }
        if named.is_none() {
            let (is_script, settled) = entry.script_probe();
            if !is_script {
                if let Some(signature) = settled {
                    self.stamps.note(self.disk(), &entry.path, signature, Content::Other);
                }
                return (Err(NoNames::NO_CODE), None);
            }
        }
        match SourceFile::read_stamped(entry) {
            (Ok(file), _) => (self.content_of(&file), Some(file)),
            (Err(error), settled) => {
                if let (CodeError::Binary { .. }, Some(signature)) = (&error, settled) {
                    self.stamps.note(self.disk(), &entry.path, signature, Content::Other);
                }
                (Err(NoNames::Unread(error)), None)
            }
        }
    }

    /// The code that a file of this signature holds, where it is known without reading it.
    pub fn stamped(&self, entry: &ProjectEntry, signature: &Signature) -> Option<Result<Code, NoNames>> {
        match self.stamps.content(self.disk(), &entry.path, signature)? {
            Content::Code(code) => Some(Ok(code)),
            Content::Other => Some(Err(NoNames::NO_CODE)),
        }
    }

    /// The code of a text that was read.
    pub fn content_of(&self, file: &SourceFile) -> Result<Code, NoNames> {
        let language = language::of_file(file.name(), &file.text);
        let code = language.filter(|language| language.tier != Tier::Document).map(|language| Code {
            language,
            hash: file.hash(),
            line_count: file.line_count(),
        });
        if let Some(signature) = file.settled {
            let content = code.map_or(Content::Other, Content::Code);
            self.stamps.note(self.disk(), &file.path, signature, content);
        }
        code.ok_or(NoNames::NO_CODE)
    }

    /// Whether a content is known to hold none of `needles`, none of which is part of a longer word there.
    pub fn lacks<'a>(&self, code: &Code, mut needles: impl Iterator<Item = &'a str>) -> bool {
        self.store.words.get(&code.hash).is_some_and(|words| !needles.any(|needle| words.may_hold(needle)))
    }

    /// Takes in which words a text holds, in a process of many calls.
    pub fn note_words(&self, file: &SourceFile) {
        if self.store.long_lived
            && let Ok(code) = self.content_of(file)
            && self.store.words.get(&code.hash).is_none()
        {
            self.words_of(&code, file);
        }
    }

    /// The words of a content, where they were taken in.
    pub fn words(&self, code: &Code) -> Option<Arc<WordSet>> {
        self.store.words.get(&code.hash)
    }

    /// Takes in the words of a text; `None` where there is no room for them.
    pub fn words_of(&self, code: &Code, file: &SourceFile) -> Option<Arc<WordSet>> {
        // Every search comes by in the same order: what pushed others out would be pushed out before it is asked.
        self.store.words.has_room(file.text.len() / 8).then(|| {
            let words = Arc::new(WordSet::of(&file.text));
            let bytes = words.bytes();
            self.store.words.put(code.hash, words.clone(), bytes);
            words
        })
    }

    /// The value that the cache on disk has under `key`; `None` without a cache, and for bytes that were damaged.
    pub fn cached<T: DeserializeOwned>(&self, key: CacheKey) -> Option<T> {
        wire::open(&key.0, &self.disk()?.fact(key)?)
    }

    /// Writes a value to the cache on disk, where there is one, with the next flush.
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

    /// Whether the process answers many calls, so that what one call knows is worth keeping for the next.
    pub fn is_long_lived(&self) -> bool {
        self.store.long_lived
    }

    /// Whether values outlive the call: in the memory of a process of many calls, or on disk.
    pub fn is_kept(&self) -> bool {
        self.store.long_lived || self.disk().is_some()
    }

    /// What other crates keep for as long as the store lives.
    pub fn extensions(&self) -> &Extensions {
        &self.store.extensions
    }

    /// The key of what is known of a file in the state that `signature` means; `kind` names the sort of value and its
    /// version.
    pub fn key_of_state(&self, kind: &[u8], entry: &ProjectEntry, signature: &Signature) -> Option<CacheKey> {
        let state = postcard::to_extend(signature, Vec::with_capacity(48)).ok()?;
        Some(CacheKey::of(&[kind, self.root.as_os_str().as_encoded_bytes(), entry.path.as_bytes(), &state]))
    }

    /// What this process made of a content before.
    pub fn in_memory(&self, code: &Code, part: Part) -> Option<Arc<FileNames>> {
        self.store.load(None, code, part)
    }

    /// What is known of a content without its text.
    pub fn load(&self, code: &Code, part: Part) -> Option<Arc<FileNames>> {
        self.store.load(self.disk(), code, part)
    }

    /// The names of a content, parsed where they are not known.
    pub fn names(&self, code: &Code, part: Part, file: &SourceFile) -> Result<Arc<FileNames>, NoNames> {
        match self.load(code, part) {
            Some(known) => Ok(known),
            None => self.store.make(self.disk(), code, part, file),
        }
    }

    /// Forgets files that are not there any more; `there` are all that are.
    pub fn prune<'a>(&self, there: impl ExactSizeIterator<Item = &'a str>) {
        self.stamps.prune(self.disk(), there);
    }
}

/// The key of a part of what is known of a content.
fn key_of(code: &Code, part: Part) -> CacheKey {
    CacheKey::of(&[ANALYSIS.as_bytes(), &[part as u8], code.language.name.as_bytes(), &code.hash.0])
}

/// The memory that the facts of a text of so many bytes take, about: signatures and names are parts of the text.
fn bytes_of_facts(facts: &Facts, text: usize) -> usize {
    /// The texts of a symbol, as allocations.
    const TEXTS: usize = 96;
    let symbols = peelback_syntax::walk_symbols(&facts.symbols).count();
    /// A name or source in an import or export, as an allocation.
    const NAME: usize = size_of::<String>() + 16;
    let imports: usize = facts.imports.iter().map(|import| size_of_val(import) + import.names.len() * NAME).sum();
    let exports: usize = facts.exports.iter().map(|export| size_of_val(export) + NAME).sum();
    text + symbols * (size_of::<Symbol>() + TEXTS) + facts.folds.len() * size_of::<Fold>() + imports + exports
}

/// The memory that names take, about.
fn bytes_of(names: &Names) -> usize {
    /// What an allocation costs beside its bytes.
    const ALLOCATION: usize = 16;
    let strings: usize = names.strings.iter().map(|text| text.len() + ALLOCATION + size_of::<Box<str>>()).sum();
    let imports: usize =
        names.imports.iter().map(|import| size_of::<ModuleImport>() + import.names.len() * 4 + ALLOCATION).sum();
    strings
        + imports
        + names.scopes.len() * size_of::<Scope>()
        + names.bindings.len() * size_of::<Binding>()
        + names.exprs.len() * size_of::<Expr>()
        + names.lists.len() * 4
        + names.occurrences.len() * size_of::<Occurrence>()
        + names.exports.as_ref().map_or(0, Vec::len) * (size_of::<Exported>() + 8)
        + names.extensions.len() * size_of::<Extension>()
        + names.missed.len() * size_of::<(u32, u32)>()
        + names.conditions.len() * size_of::<Condition>()
        + size_of::<FileNames>()
}
