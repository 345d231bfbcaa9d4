//! A checked citation, with hashes of the cited content.

use peelback_code::syntax::Lines;
use peelback_code::{CodeAccess, SourceFile};

use super::locate;
use super::reference::line_range;

/// Hexadecimal digits of a stored content hash: 64 bits, so that two texts of a project do not collide by chance.
const HASH_DIGITS: usize = 16;

/// A verified citation with hashes of the cited content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The path of the file from the root.
    pub path: String,
    /// The cited lines; `None` for a whole file.
    pub lines: Option<Lines>,
    /// The qualified name of the symbol that the text names.
    pub symbol: Option<String>,
    /// A short description of the place; empty where the text contains none.
    pub description: String,
    /// The hash of the cited lines; `None` for a whole file.
    pub hash: Option<String>,
    /// The hash of the whole file's content.
    pub file_hash: String,
}

/// The hash of a text, independent of its line endings and of a newline at its end.
pub(super) fn hash(text: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    for line in text.lines() {
        hasher.update(line.as_bytes());
        hasher.update(b"\n");
    }
    hasher.finalize().to_hex().chars().take(HASH_DIGITS).collect()
}

impl Entry {
    /// The entry for lines of a file, without symbol and description.
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

    /// The entry with hashes of the current content; unchanged where the file cannot be read.
    pub(crate) fn with_current_hashes(&self, access: &CodeAccess) -> Self {
        match locate::read(access, &self.path) {
            Some(file) => {
                let Self { symbol, description, .. } = self.clone();
                Self { symbol, description, ..Self::of(&file, &self.path, self.lines) }
            }
            None => self.clone(),
        }
    }

    /// Whether the whole cited file has the stored content.
    pub(crate) fn has_unchanged_file(&self, access: &CodeAccess) -> bool {
        locate::read(access, &self.path).is_some_and(|file| hash(&file.text) == self.file_hash)
    }

    /// The cited place as text: `path:a-b`, or `path` for a whole file.
    pub fn address(&self) -> String {
        match self.lines {
            Some(lines) => format!("{}:{}", self.path, line_range(lines)),
            None => self.path.clone(),
        }
    }
}
