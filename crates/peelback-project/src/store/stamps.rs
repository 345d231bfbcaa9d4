//! Which content a file holds, told without reading it: by its signature, where that cannot lie.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use peelback_syntax::{ANALYSIS, Language, language};
use serde::{Deserialize, Serialize};

use super::disk::{CacheKey, Disk};
use super::hash::ContentHash;
use super::signature::Signature;
use super::wire;

/// The code that a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    /// Its language.
    pub language: &'static Language,
    /// The hash of the text.
    pub hash: ContentHash,
    /// The lines of the text.
    pub line_count: u32,
}

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Text in a known language.
    Code(Code),
    /// Anything else: binary, or in no known language.
    Other,
}

/// A stamp as the cache holds it.
#[derive(Serialize, Deserialize)]
struct Wire {
    signature: Signature,
    /// The language by its name, with the hash and the number of lines.
    code: Option<(String, [u8; 16], u32)>,
}

/// Paths that vanished may stay in the cache until they are so many more than those that are there.
const VANISHED: usize = 1_000;

/// The stamps of a project's files.
pub(super) struct Stamps {
    /// Whether the cache may be used for this root.
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

impl Stamps {
    /// The stamps of the files below `root`; `cached` where they may be kept on disk.
    pub fn new(root: &Path, cached: bool) -> Self {
        // Which language a file is in is told by this version of the analysis.
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

    /// Whether the cache may be used for this root.
    pub fn is_cached(&self) -> bool {
        self.cached
    }

    fn key(&self, path: &str) -> Vec<u8> {
        [self.root.as_slice(), path.as_bytes()].join(&0)
    }

    /// Takes in what the cache knows of the root, once.
    fn load(&self, disk: &Disk) {
        let mut loaded: MutexGuard<'_, bool> = unpoisoned(self.loaded.lock());
        if *loaded || !self.cached {
            return;
        }
        *loaded = true;
        let rows = disk.stamps(self.id);
        let mut known = unpoisoned(self.known.write());
        known.reserve(rows.len());
        for (path, bytes) in rows {
            let Some(Wire { signature, code }) = wire::open(&self.key(&path), &bytes) else { continue };
            let content = match code {
                None => Content::Other,
                Some((name, hash, line_count)) => match language::by_name(&name) {
                    Some(language) => Content::Code(Code { language, hash: ContentHash(hash), line_count }),
                    None => continue,
                },
            };
            known.entry(path).or_insert((signature, content));
        }
        disk.use_root(self.id, self.shown.clone());
    }

    /// The content of a file that has this signature now.
    pub fn content(&self, disk: Option<&Disk>, path: &str, signature: &Signature) -> Option<Content> {
        if let Some(disk) = disk {
            self.load(disk);
        }
        let known = unpoisoned(self.known.read());
        known.get(path).filter(|(known, _)| known == signature).map(|(_, content)| *content)
    }

    /// Notes what a file holds; `signature` was settled when it was read.
    pub fn note(&self, disk: Option<&Disk>, path: &str, signature: Signature, content: Content) {
        let before = unpoisoned(self.known.write()).insert(path.to_owned(), (signature, content));
        let Some(disk) = disk.filter(|_| self.cached && before != Some((signature, content))) else { return };
        let code = match content {
            Content::Code(code) => Some((code.language.name.to_owned(), code.hash.0, code.line_count)),
            Content::Other => None,
        };
        if let Some(bytes) = wire::seal(&self.key(path), &Wire { signature, code }) {
            disk.put_stamp(self.id, path.to_owned(), bytes);
        }
    }

    /// Forgets files that are not there any more, where they have become many; `there` are all that are.
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
            disk.forget_stamps(self.id, gone);
        }
    }
}
