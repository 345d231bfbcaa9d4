//! Finds the language and text hash of a file without reading it, by the file's signature where the signature is
//! reliable.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use peelback_syntax::{ANALYSIS, Language, language};
use serde::{Deserialize, Serialize};

use super::cache_key::CacheKey;
use super::disk::DiskCache;
use crate::content_hash::ContentHash;
use crate::signature::{FileSignature, SIGNATURE_RULE};

/// The language, hash and line count of a code file's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeIdentity {
    /// The language of the code.
    pub language: &'static Language,
    /// The hash of the text.
    pub hash: ContentHash,
    /// The number of lines of the text.
    pub line_count: u32,
}

/// What a file contains: code with its hash, or anything else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileContent {
    /// Text in a known language.
    Code(CodeIdentity),
    /// Any other content: binary, or in no known language.
    Other,
}

/// What the text of a file is known by, whether it is code or a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextIdentity {
    /// The language of the text; `None` for a text in no known language.
    pub language: Option<&'static Language>,
    /// The hash of the text.
    pub hash: ContentHash,
}

/// A fingerprint as the disk cache stores it: a file's signature, and what identifies the file's content.
#[derive(Serialize, Deserialize)]
struct StoredFingerprint {
    signature: FileSignature,
    /// The name of the language, the hash of the text, and the number of lines; `None` if the file contains no code.
    code: Option<(String, [u8; 16], u32)>,
}

/// The maximum number of deleted files, beyond the number of existing ones, whose fingerprints may stay in the cache.
const MAX_DELETED_FINGERPRINTS: usize = 1_000;

/// The fingerprints of a project's files: the signature of each file, with its language, text hash and line count.
pub(super) struct Fingerprints {
    /// Whether the disk cache may be used for the files below this root.
    cached: bool,
    root_id: i64,
    key_prefix: Vec<u8>,
    displayed_root: String,
    is_loaded: Mutex<bool>,
    entries_by_path: RwLock<HashMap<String, (FileSignature, FileContent)>>,
    /// What files held, by their paths, in a process of many calls; `None` for what is in no known language by its name and
    /// its first line.
    texts_by_path: RwLock<HashMap<String, (FileSignature, Option<TextIdentity>)>>,
}

fn ignore_poison<T>(result: Result<T, PoisonError<T>>) -> T {
    result.unwrap_or_else(PoisonError::into_inner)
}

impl Fingerprints {
    /// Creates the fingerprints of the files below `root`. `cached` says whether they may be stored on disk.
    pub fn new(root: &Path, cached: bool) -> Self {
        // The key contains the version of the analysis, because that version decides the language of a file, and the
        // rule by which signatures were believed.
        let bytes = [root.as_os_str().as_encoded_bytes(), ANALYSIS.as_bytes(), SIGNATURE_RULE].join(&0);
        Self {
            cached,
            root_id: CacheKey::of_parts(&[&bytes]).database_id(),
            key_prefix: bytes,
            displayed_root: root.to_string_lossy().into_owned(),
            is_loaded: Mutex::new(false),
            entries_by_path: RwLock::default(),
            texts_by_path: RwLock::default(),
        }
    }

    /// Whether the disk cache may be used for the files below this root.
    pub fn can_use_disk_cache(&self) -> bool {
        self.cached
    }

    fn key_of_path(&self, path: &str) -> Vec<u8> {
        [self.key_prefix.as_slice(), path.as_bytes()].join(&0)
    }

    /// Loads the fingerprints of the root from the disk cache, once.
    fn load_from_disk_once(&self, disk: &DiskCache) {
        let mut loaded: MutexGuard<'_, bool> = ignore_poison(self.is_loaded.lock());
        if *loaded || !self.cached {
            return;
        }
        *loaded = true;
        let rows = disk.load_fingerprints(self.root_id, |path| self.key_of_path(path));
        let mut known = ignore_poison(self.entries_by_path.write());
        known.reserve(rows.len());
        for (path, StoredFingerprint { signature, code }) in rows {
            let content = match code {
                None => FileContent::Other,
                Some((name, hash, line_count)) => match language::language_by_exact_name(&name) {
                    Some(language) => FileContent::Code(CodeIdentity { language, hash: ContentHash(hash), line_count }),
                    None => continue,
                },
            };
            known.entry(path).or_insert((signature, content));
        }
        disk.queue_root_usage_record(self.root_id, self.displayed_root.clone());
    }

    /// What the file at `path` contains, if this is known for the file's current `signature`.
    pub fn content_identity_by_signature(
        &self,
        disk: Option<&DiskCache>,
        path: &str,
        signature: &FileSignature,
    ) -> Option<FileContent> {
        if let Some(disk) = disk {
            self.load_from_disk_once(disk);
        }
        let known = ignore_poison(self.entries_by_path.read());
        known.get(path).filter(|(known, _)| known == signature).map(|(_, content)| *content)
    }

    /// Records what the file at `path` contains. `signature` must have been settled when the file was read: see
    /// [`FileSignature::can_detect_changes_after`].
    pub fn record_content_identity(
        &self,
        disk: Option<&DiskCache>,
        path: &str,
        signature: FileSignature,
        content: FileContent,
    ) {
        let previous = ignore_poison(self.entries_by_path.write()).insert(path.to_owned(), (signature, content));
        let Some(disk) = disk.filter(|_| self.cached && previous != Some((signature, content))) else { return };
        let code = match content {
            FileContent::Code(code) => Some((code.language.name.to_owned(), code.hash.0, code.line_count)),
            FileContent::Other => None,
        };
        disk.queue_fingerprint(
            self.root_id,
            path.to_owned(),
            &self.key_of_path(path),
            &StoredFingerprint { signature, code },
        );
    }

    fn text_by_signature(&self, path: &str, signature: &FileSignature) -> Option<Option<TextIdentity>> {
        let known = ignore_poison(self.texts_by_path.read());
        known.get(path).filter(|(known, _)| known == signature).map(|(_, text)| *text)
    }

    /// What the text of the file at `path` is known by, if that is known for the file's current `signature`.
    pub fn text_identity_by_signature(&self, path: &str, signature: &FileSignature) -> Option<TextIdentity> {
        self.text_by_signature(path, signature).flatten()
    }

    /// Whether the file at `path` is known to be in no language.
    pub fn is_file_in_no_language(&self, path: &str, signature: &FileSignature) -> bool {
        matches!(self.text_by_signature(path, signature), Some(None))
    }

    /// Records what the text of the file at `path` is known by. `signature` must have been settled when the file was read:
    /// see [`FileSignature::can_detect_changes_after`].
    pub fn record_text_identity(&self, path: &str, signature: FileSignature, text: Option<TextIdentity>) {
        let mut known = ignore_poison(self.texts_by_path.write());
        match known.get_mut(path) {
            Some(entry) => *entry = (signature, text),
            None => _ = known.insert(path.to_owned(), (signature, text)),
        }
    }

    /// Deletes the fingerprints of files that no longer exist once there are many of them; `paths` lists all existing
    /// files.
    pub fn prune_fingerprints_if_many_deleted<'a>(
        &self,
        disk: Option<&DiskCache>,
        paths: impl ExactSizeIterator<Item = &'a str>,
    ) {
        let known = ignore_poison(self.entries_by_path.read()).len();
        let known_texts = ignore_poison(self.texts_by_path.read()).len();
        if known.max(known_texts) <= paths.len() * 2 + MAX_DELETED_FINGERPRINTS {
            return;
        }
        let existing_paths: HashSet<&str> = paths.collect();
        ignore_poison(self.texts_by_path.write()).retain(|path, _| existing_paths.contains(path.as_str()));
        let mut deleted_paths = Vec::new();
        ignore_poison(self.entries_by_path.write()).retain(|path, _| {
            let still_exists = existing_paths.contains(path.as_str());
            if !still_exists {
                deleted_paths.push(path.clone());
            }
            still_exists
        });
        if let Some(disk) = disk.filter(|_| self.cached) {
            disk.queue_fingerprint_deletions(self.root_id, deleted_paths);
        }
    }
}
