//! `SourceFile`: one file's text, read once.

use std::sync::OnceLock;
use std::time::SystemTime;

use peelback_syntax::{Facts, Limits, NotParsed, language};

use crate::content_hash::ContentHash;
use crate::decode::{count_lines, decode_text_unless_binary};
use crate::entry::ProjectEntry;
use crate::error::CodeError;
use crate::notebook::{self, NotebookText};
use crate::regular_file::{RegularFileReader, read_up_to_limit};
use crate::signature::{FileSignature, current_unix_nanoseconds};

/// The size in bytes above which a file is not read.
const MAX_READ_BYTES: u64 = 256 * 1024 * 1024;

/// A file's text and metadata, as they were when a call read the file.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// The path from the project's root, with `/` as separator.
    pub path: String,
    /// The decoded text without a byte order mark: UTF-8 unchanged, UTF-16 converted, and other bytes replaced by
    /// U+FFFD. Of a Jupyter notebook: the code of its cells.
    pub text: String,
    /// The file's size on disk in bytes.
    pub size_bytes: u64,
    /// The time of the last modification, if the system records it.
    pub modified: Option<SystemTime>,
    /// A note for the user on how the file's bytes became text (the encoding, or the number of invalid byte sequences);
    /// `None` for plain UTF-8.
    pub decoding_note: Option<String>,
    /// The file's signature, if every later change of the file must change it: see
    /// [`FileSignature::can_detect_changes_after`].
    pub settled_signature: Option<FileSignature>,
    /// Whether the file is a notebook by its name, but its text is no JSON with cells.
    pub(crate) is_broken_notebook: bool,
    hash: OnceLock<ContentHash>,
}

/// The decoded text of a file.
struct DecodedFile {
    text: String,
    /// A note for the user on how the bytes became text.
    decoding: Option<String>,
    size_bytes: u64,
    modified: Option<SystemTime>,
}

impl DecodedFile {
    fn read(entry: &ProjectEntry, limit: u64, signature: &mut Option<FileSignature>) -> Result<Self, CodeError> {
        let io_error = |error: std::io::Error| CodeError::Io { path: entry.path.clone(), reason: error.to_string() };
        let moment = current_unix_nanoseconds();
        let (file, metadata) = entry.open().map_err(io_error)?;
        *signature =
            FileSignature::from_metadata(&metadata).filter(|signature| signature.can_detect_changes_after(moment));
        let too_large = |size| CodeError::TooLarge { path: entry.path.clone(), size_bytes: size, limit };
        if metadata.len() > limit {
            return Err(too_large(metadata.len()));
        }
        let reader = RegularFileReader::new(file, &metadata);
        let bytes = read_up_to_limit(reader, metadata.len(), limit).map_err(io_error)?;
        let size_bytes = bytes.len() as u64;
        if size_bytes > limit {
            return Err(too_large(size_bytes));
        }
        let (text, decoding) = decode_text_unless_binary(bytes)
            .ok_or_else(|| CodeError::Binary { path: entry.path.clone(), size_bytes })?;
        Ok(Self { text, decoding, size_bytes, modified: metadata.modified().ok() })
    }
}

impl SourceFile {
    /// Reads a regular file.
    ///
    /// # Errors
    /// [`CodeError::Binary`], [`CodeError::TooLarge`], [`CodeError::Io`].
    pub fn read(entry: &ProjectEntry) -> Result<Self, CodeError> {
        Self::read_with_change_detecting_signature(entry).0
    }

    /// Reads a regular file. Also returns the file's signature, if every later change of the file must change it: see
    /// [`FileSignature::can_detect_changes_after`].
    pub fn read_with_change_detecting_signature(
        entry: &ProjectEntry,
    ) -> (Result<Self, CodeError>, Option<FileSignature>) {
        let mut signature = None;
        (Self::read_and_set_settled_signature(entry, MAX_READ_BYTES, &mut signature), signature)
    }

    /// The decoded text of a regular file, of a notebook, too.
    ///
    /// # Errors
    /// The errors of [`SourceFile::read`].
    pub fn read_as_it_stands(entry: &ProjectEntry) -> Result<String, CodeError> {
        Ok(DecodedFile::read(entry, MAX_READ_BYTES, &mut None)?.text)
    }

    /// [`SourceFile::read`] for a file of at most `limit` bytes.
    ///
    /// # Errors
    /// The errors of [`SourceFile::read`].
    pub fn read_unless_larger_than(entry: &ProjectEntry, limit: u64) -> Result<Self, CodeError> {
        Self::read_and_set_settled_signature(entry, limit.min(MAX_READ_BYTES), &mut None)
    }

    fn read_and_set_settled_signature(
        entry: &ProjectEntry,
        limit: u64,
        signature: &mut Option<FileSignature>,
    ) -> Result<Self, CodeError> {
        let DecodedFile { text, decoding, size_bytes, modified } = DecodedFile::read(entry, limit, signature)?;
        let mut is_broken_notebook = false;
        let mut note = decoding;
        let text = match language::is_notebook_name(entry.name()).then(|| notebook::code_of_notebook(&text)) {
            Some(NotebookText::Code(code)) => {
                note = Some(note.map_or_else(|| code.note.to_owned(), |note| format!("{note}; {}", code.note)));
                code.text
            }
            Some(NotebookText::Broken) => {
                is_broken_notebook = !text.trim().is_empty();
                text
            }
            Some(NotebookText::InUnknownLanguage) | None => text,
        };
        Ok(Self {
            path: entry.path.clone(),
            text,
            size_bytes,
            modified,
            decoding_note: note,
            settled_signature: *signature,
            is_broken_notebook,
            hash: OnceLock::new(),
        })
    }

    /// The hash that identifies the file's text.
    pub fn content_hash(&self) -> ContentHash {
        *self.hash.get_or_init(|| ContentHash::of_text(&self.text))
    }

    /// The symbols, imports and exports that the syntax tree of the text shows. Cannot fail: [`Facts::coverage`] says
    /// which parts of the text were not understood.
    pub fn analyse_syntax(&self, limits: &Limits) -> Facts {
        match language::language_of_file_name_and_text(self.file_name(), &self.text) {
            _ if self.is_broken_notebook => Facts::new_unparsed(NotParsed::BrokenNotebook),
            Some(language) => peelback_syntax::analyse_source(language, &self.text, limits),
            None => Facts::new_unparsed(NotParsed::UnknownLanguage),
        }
    }

    /// Whether the file is a notebook by its name, but its text is no JSON with cells.
    pub fn is_broken_notebook(&self) -> bool {
        self.is_broken_notebook
    }

    /// The file's name without its folders.
    pub fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// The number of lines of the text. A last line without a newline counts.
    pub fn line_count(&self) -> u32 {
        count_lines(&self.text)
    }

    /// The lines `first` to `last` (from 1, both ends included, clamped to the file) with their line ends.
    pub fn text_of_lines(&self, first: u32, last: u32) -> &str {
        let mut start = if first <= 1 { Some(0) } else { None };
        let mut line = 1;
        for newline in memchr::memchr_iter(b'\n', self.text.as_bytes()) {
            if line >= last {
                let start = start.unwrap_or(self.text.len());
                return self.text.get(start..=newline).unwrap_or("");
            }
            line += 1;
            if line == first {
                start = Some(newline + 1);
            }
        }
        start.and_then(|start| self.text.get(start..)).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> SourceFile {
        SourceFile {
            path: "a/b.py".into(),
            text: text.into(),
            size_bytes: 0,
            modified: None,
            decoding_note: None,
            settled_signature: None,
            is_broken_notebook: false,
            hash: OnceLock::new(),
        }
    }

    #[test]
    fn lines_count_from_one_and_include_both_ends() {
        let file = file("one\ntwo\nthree");
        assert_eq!(file.line_count(), 3);
        assert_eq!(file.text_of_lines(1, 1), "one\n");
        assert_eq!(file.text_of_lines(2, 3), "two\nthree");
        assert_eq!(file.text_of_lines(3, 99), "three");
        assert_eq!(file.text_of_lines(4, 99), "");
        assert_eq!(file.file_name(), "b.py");
    }
}
