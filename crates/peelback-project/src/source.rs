//! One file's text, read once.

use std::io::Read;
use std::sync::OnceLock;
use std::time::SystemTime;

use peelback_syntax::{Facts, Limits, NotParsed, language};

use crate::error::CodeError;
use crate::project::{ProjectEntry, open_regular};
use crate::store::{ContentHash, Signature, now};

/// Files over this many bytes are not read whole.
const MAX_READ_BYTES: u64 = 256 * 1024 * 1024;

/// A NUL byte in so many first bytes makes a file binary: ripgrep and git look at their first buffer too.
pub const BINARY_PROBE_BYTES: usize = 8_000;

/// A file as it was when the call read it.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// The path from the root, with `/`.
    pub path: String,
    /// Its text: UTF-8 as it stands, UTF-16 converted, bytes that are neither as U+FFFD; without a byte order mark.
    pub text: String,
    /// Its size on disk.
    pub size_bytes: u64,
    /// When it was last modified, where the system tells.
    pub modified: Option<SystemTime>,
    /// What the text does not show of the bytes, in words; `None` for plain UTF-8.
    pub decoding: Option<String>,
    /// The file's signature, where it means this text from now on.
    pub settled: Option<Signature>,
    hash: OnceLock<ContentHash>,
}

impl SourceFile {
    /// Reads a regular file.
    ///
    /// # Errors
    /// [`CodeError::Binary`], [`CodeError::TooLarge`], [`CodeError::Io`].
    pub fn read(entry: &ProjectEntry) -> Result<Self, CodeError> {
        Self::read_stamped(entry).0
    }

    /// Reads a regular file; the signature, where there is one, means what was read from now on.
    pub fn read_stamped(entry: &ProjectEntry) -> (Result<Self, CodeError>, Option<Signature>) {
        let mut signature = None;
        (Self::read_as(entry, &mut signature), signature)
    }

    fn read_as(entry: &ProjectEntry, signature: &mut Option<Signature>) -> Result<Self, CodeError> {
        let io = |error: std::io::Error| CodeError::Io { path: entry.path.clone(), reason: error.to_string() };
        let moment = now();
        let (mut file, metadata) = open_regular(&entry.absolute).map_err(io)?;
        *signature = Signature::of(&metadata).filter(|signature| signature.is_settled(moment));
        let too_large =
            |size| CodeError::TooLarge { path: entry.path.clone(), size_bytes: size, limit: MAX_READ_BYTES };
        if metadata.len() > MAX_READ_BYTES {
            return Err(too_large(metadata.len()));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0) + 1);
        // The limit again while reading: the file may grow meanwhile.
        file.by_ref().take(MAX_READ_BYTES + 1).read_to_end(&mut bytes).map_err(io)?;
        let size_bytes = bytes.len() as u64;
        if size_bytes > MAX_READ_BYTES {
            return Err(too_large(size_bytes));
        }
        let (text, decoding) =
            decode(bytes).ok_or_else(|| CodeError::Binary { path: entry.path.clone(), size_bytes })?;
        Ok(Self {
            path: entry.path.clone(),
            text,
            size_bytes,
            modified: metadata.modified().ok(),
            decoding,
            settled: *signature,
            hash: OnceLock::new(),
        })
    }

    /// What its text is known by.
    pub fn hash(&self) -> ContentHash {
        *self.hash.get_or_init(|| ContentHash::of(&self.text))
    }

    /// The symbols, imports and exports of the text. Cannot fail: [`Facts::coverage`] says what was not understood.
    pub fn facts(&self, limits: &Limits) -> Facts {
        match language::of_file(self.name(), &self.text) {
            Some(language) => peelback_syntax::analyse(language, &self.text, limits),
            None => Facts::not_parsed(NotParsed::UnknownLanguage),
        }
    }

    /// The file's name without its folders.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// How many lines the text has: a last line without a newline counts.
    pub fn line_count(&self) -> u32 {
        line_count(&self.text)
    }

    /// The lines `first` to `last` (from 1, both ends included, clamped to the file) with their line ends.
    pub fn lines(&self, first: u32, last: u32) -> &str {
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

pub fn line_count(text: &str) -> u32 {
    let newlines = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    let last = usize::from(!text.is_empty() && !text.ends_with('\n'));
    u32::try_from(newlines + last).unwrap_or(u32::MAX)
}

/// Bytes to text; `None` for a binary file.
pub fn decode(bytes: Vec<u8>) -> Option<(String, Option<String>)> {
    if let Some((encoding, mark)) = encoding_rs::Encoding::for_bom(&bytes) {
        if encoding != encoding_rs::UTF_8 {
            let (text, _, broken) = encoding.decode(&bytes);
            let how = if broken { " with errors, shown as U+FFFD" } else { "" };
            return Some((text.into_owned(), Some(format!("decoded from {}{how}", encoding.name()))));
        }
        return decode_utf8(bytes.get(mark..).unwrap_or(&[]).to_vec());
    }
    decode_utf8(bytes)
}

fn decode_utf8(bytes: Vec<u8>) -> Option<(String, Option<String>)> {
    let probe = bytes.get(..bytes.len().min(BINARY_PROBE_BYTES)).unwrap_or(&[]);
    if memchr::memchr(0, probe).is_some() {
        return None;
    }
    match String::from_utf8(bytes) {
        Ok(text) => Some((text, None)),
        Err(error) => {
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            let count = text.matches('\u{FFFD}').count();
            Some((text, Some(format!("{count} byte sequences are not UTF-8 and show as U+FFFD"))))
        }
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
            decoding: None,
            settled: None,
            hash: OnceLock::new(),
        }
    }

    #[test]
    fn lines_count_from_one_and_include_both_ends() {
        let file = file("one\ntwo\nthree");
        assert_eq!(file.line_count(), 3);
        assert_eq!(file.lines(1, 1), "one\n");
        assert_eq!(file.lines(2, 3), "two\nthree");
        assert_eq!(file.lines(3, 99), "three");
        assert_eq!(file.lines(4, 99), "");
        assert_eq!(file.name(), "b.py");
    }

    #[test]
    fn utf16_and_broken_bytes_become_text() {
        let (text, how) = decode(b"\xFF\xFEa\0b\0".to_vec()).expect("text");
        assert_eq!((text.as_str(), how.as_deref()), ("ab", Some("decoded from UTF-16LE")));
        let (text, how) = decode(b"a\xFFb".to_vec()).expect("text");
        assert_eq!(text, "a\u{FFFD}b");
        assert!(how.is_some_and(|how| how.starts_with("1 byte")));
        assert!(decode(b"a\0b".to_vec()).is_none());
    }
}
