//! A checked citation, with hashes of the cited content.

use peelback_code::syntax::Lines;
use peelback_code::{CodeAccess, SourceFile};

use super::locate;
use super::reference::line_range;

/// Hexadecimal digits of a content's hash that are kept: 64 bits, so that no two texts of a project agree by chance.
const HASH_DIGITS: usize = 16;

/// A citation that holds, with what the cited lines were.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The file, from the root.
    pub path: String,
    /// The lines; `None` for a file as a whole.
    pub lines: Option<Lines>,
    /// The symbol that the text names there, qualified.
    pub symbol: Option<String>,
    /// What is there, in a few words; empty where the text does not say.
    pub description: String,
    /// The hash of the cited lines' content; `None` for a file as a whole.
    pub hash: Option<String>,
    /// The hash of the whole file's content.
    pub file_hash: String,
}

/// The hash of a text, the same whatever its line ends, and whether or not the last line has one.
pub(super) fn hash(text: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    for line in text.lines() {
        hasher.update(line.as_bytes());
        hasher.update(b"\n");
    }
    hasher.finalize().to_hex().chars().take(HASH_DIGITS).collect()
}

impl Entry {
    /// The entry of lines of a file that was read.
    pub(super) fn of(file: &SourceFile, path: &str, lines: Option<Lines>) -> Self {
        Self {
            path: path.to_owned(),
            lines,
            symbol: None,
            description: String::new(),
            hash: lines.map(|lines| hash(file.lines(lines.first, lines.last))),
            file_hash: hash(&file.text),
        }
    }

    /// The entry with the hashes of what stands there now; as it is where the file cannot be read.
    pub(crate) fn as_now(&self, access: &CodeAccess) -> Self {
        match locate::read(access, &self.path) {
            Some(file) => {
                let Self { symbol, description, .. } = self.clone();
                Self { symbol, description, ..Self::of(&file, &self.path, self.lines) }
            }
            None => self.clone(),
        }
    }

    /// Whether its whole file is as it was.
    pub(crate) fn has_its_file(&self, access: &CodeAccess) -> bool {
        locate::read(access, &self.path).is_some_and(|file| hash(&file.text) == self.file_hash)
    }

    /// `path:a-b`.
    pub fn address(&self) -> String {
        match self.lines {
            Some(lines) => format!("{}:{}", self.path, line_range(lines)),
            None => self.path.clone(),
        }
    }
}
