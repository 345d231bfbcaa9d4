//! The entries in a document's front matter: verified citations with hashes of the cited content.

use peelback_code::syntax::Lines;
use peelback_code::{CodeAccess, SourceFile};

use super::locate;
use super::reference::format_line_range;

/// The number of hexadecimal digits in a stored content hash. The resulting 64 bits make it practically impossible that
/// two texts of a project have equal hashes by chance.
const HASH_DIGITS: usize = 16;

/// An entry in a document's front matter: a verified citation with hashes of the cited content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitationEntry {
    /// The path of the cited file, relative to the project's root.
    pub path: String,
    /// The cited lines; `None` if the citation is of a whole file.
    pub lines: Option<Lines>,
    /// The qualified name of the symbol that the document's text names for this citation, or else of the innermost
    /// symbol that the cited lines lie in; `None` if there is none.
    pub symbol: Option<String>,
    /// A short description of the cited lines; empty if the document's text contains no description.
    pub description: String,
    /// The hash of the cited lines; `None` if the citation is of a whole file.
    pub hash: Option<String>,
    /// The hash of the whole cited file's content.
    pub file_hash: String,
}

/// Computes the hash of a text. Line endings and a newline at the end of the text do not affect the hash.
pub(super) fn hash_text_ignoring_line_endings(text: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    for line in text.lines() {
        hasher.update(line.as_bytes());
        hasher.update(b"\n");
    }
    hasher.finalize().to_hex().chars().take(HASH_DIGITS).collect()
}

/// Whether a text whose lines all end with a newline alone has the hash `wanted`, as [`hash_text_ignoring_line_endings`]
/// computes it. It is hashed in one piece, which is many times faster than line by line.
pub(super) fn has_content_hash(text: &str, wanted: &str) -> bool {
    blake3::hash(text.as_bytes()).to_hex().get(..HASH_DIGITS) == Some(wanted)
}

/// Whether a text has the form of a hash that [`hash_text_ignoring_line_endings`] computes.
pub(super) fn is_content_hash(text: &str) -> bool {
    text.len() == HASH_DIGITS && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

impl CitationEntry {
    /// Creates the front matter entry for lines of a file, or for the whole file. The entry has no symbol and no
    /// description.
    pub(super) fn from_file_lines(file: &SourceFile, path: &str, lines: Option<Lines>) -> Self {
        Self {
            path: path.to_owned(),
            lines,
            symbol: None,
            description: String::new(),
            hash: lines.map(|lines| hash_text_ignoring_line_endings(file.text_of_lines(lines.first, lines.last))),
            file_hash: hash_text_ignoring_line_endings(&file.text),
        }
    }

    /// A copy of the entry with hashes of the file's current content. If the file cannot be read, the copy has the old
    /// hashes.
    pub(crate) fn with_current_hashes(&self, access: &CodeAccess) -> Self {
        match locate::read_cited_file(access, &self.path) {
            Some(file) => {
                let Self { symbol, description, .. } = self.clone();
                Self { symbol, description, ..Self::from_file_lines(&file, &self.path, self.lines) }
            }
            None => self.clone(),
        }
    }

    /// Whether the content of the whole cited file still has the stored hash.
    pub(crate) fn has_unchanged_file(&self, access: &CodeAccess) -> bool {
        locate::read_cited_file(access, &self.path)
            .is_some_and(|file| hash_text_ignoring_line_endings(&file.text) == self.file_hash)
    }

    /// The cited path and lines as text: `path:a-b`, or `path` for a whole file.
    pub fn format_location(&self) -> String {
        match self.lines {
            Some(lines) => format!("{}:{}", self.path, format_line_range(lines)),
            None => self.path.clone(),
        }
    }
}
