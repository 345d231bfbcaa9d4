//! Finds the content of a file without reading it, by the file's signature where the signature is reliable.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use peelback_syntax::{ANALYSIS, Language, language};
use serde::{Deserialize, Serialize};

use super::cache_key::CacheKey;
use super::disk::Disk;
use crate::content_hash::ContentHash;
use crate::signature::Signature;

/// The language, hash and line count of a code file's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    /// The language of the code.
    pub language: &'static Language,
    /// The hash of the text.
    pub hash: ContentHash,
    /// The number of lines of the text.
    pub line_count: u32,
}

/// The content of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Text in a known language.
    Code(Code),
    /// Any other content: binary, or in no known language.
    Other,
}

/// A fingerprint as the disk cache stores it.
#[derive(Serialize, Deserialize)]
struct StoredFingerprint {
    signature: Signature,
    /// The name of the language, the hash of the text, and the number of lines; `None` if the file contains no code.
    code: Option<(String, [u8; 16], u32)>,
}

/// The number of deleted files, beyond the number of existing ones, whose fingerprints may stay in the cache.
const VANISHED: usize = 1_000;

/// The fingerprints of a project's files.
pub(super) struct Fingerprints {
    /// Whether the disk cache may be used for this root.
    cached: bool,
    id: i64,
    root: Vec<u8>,
    shown: String,
    loaded: Mutex<bool>,
    known: RwLock<HashMap<String, (Signature, Content)>>,
}

fn unpoisoned<T>(result: Result<T, PoisonError<T>>) -> T {
    result.unwrap_or_else(PoisonError::into_inner)
}

impl Fingerprints {
    /// Creates the fingerprints of the files below `root`. `cached` says whether they may be stored on disk.
    pub fn new(root: &Path, cached: bool) -> Self {
        // The key contains the version of the analysis, because that version decides the language of a file.
        let bytes = [root.as_os_str().as_encoded_bytes(), ANALYSIS.as_bytes()].join(&0);
        Self {
            cached,
            id: CacheKey::of(&[&bytes]).id(),
            root: bytes,
            shown: root.to_string_lossy().into_owned(),
            loaded: Mutex::new(false),
            known: RwLock::default(),
        }
    }

    /// Whether the disk cache may be used for this root.
    pub fn is_cached(&self) -> bool {
        self.cached
    }

    fn key(&self, path: &str) -> Vec<u8> {
        [self.root.as_slice(), path.as_bytes()].join(&0)
    }

    /// Loads the fingerprints of the root from the disk cache, once.
    fn load(&self, disk: &Disk) {
        let mut loaded: MutexGuard<'_, bool> = unpoisoned(self.loaded.lock());
        if *loaded || !self.cached {
            return;
        }
        *loaded = true;
        let rows = disk.fingerprints(self.id, |path| self.key(path));
        let mut known = unpoisoned(self.known.write());
        known.reserve(rows.len());
        for (path, StoredFingerprint { signature, code }) in rows {
            let content = match code {
                None => Content::Other,
                Some((name, hash, line_count)) => match language::language_by_name(&name) {
                    Some(language) => Content::Code(Code { language, hash: ContentHash(hash), line_count }),
                    None => continue,
                },
            };
            known.entry(path).or_insert((signature, content));
        }
        disk.use_root(self.id, self.shown.clone());
    }

    /// The content of a file with this current signature, if known.
    pub fn content(&self, disk: Option<&Disk>, path: &str, signature: &Signature) -> Option<Content> {
        if let Some(disk) = disk {
            self.load(disk);
        }
        let known = unpoisoned(self.known.read());
        known.get(path).filter(|(known, _)| known == signature).map(|(_, content)| *content)
    }

    /// Records the content of a file. `signature` must have been settled when the file was read.
    pub fn note(&self, disk: Option<&Disk>, path: &str, signature: Signature, content: Content) {
        let before = unpoisoned(self.known.write()).insert(path.to_owned(), (signature, content));
        let Some(disk) = disk.filter(|_| self.cached && before != Some((signature, content))) else { return };
        let code = match content {
            Content::Code(code) => Some((code.language.name.to_owned(), code.hash.0, code.line_count)),
            Content::Other => None,
        };
        disk.put_fingerprint(self.id, path.to_owned(), &self.key(path), &StoredFingerprint { signature, code });
    }

    /// Deletes the fingerprints of files that no longer exist once there are many of them; `there` lists all existing
    /// files.
    pub fn prune<'a>(&self, disk: Option<&Disk>, there: impl ExactSizeIterator<Item = &'a str>) {
        let known = unpoisoned(self.known.read()).len();
        if known <= there.len() * 2 + VANISHED {
            return;
        }
        let there: HashSet<&str> = there.collect();
        let mut gone = Vec::new();
        unpoisoned(self.known.write()).retain(|path, _| {
            let stays = there.contains(path.as_str());
            if !stays {
                gone.push(path.clone());
            }
            stays
        });
        if let Some(disk) = disk.filter(|_| self.cached) {
            disk.forget_fingerprints(self.id, gone);
        }
    }
}
