//! Decodes the bytes of a file as text.

/// The number of bytes at the start of a file that are checked for a NUL byte; a file that has one there is binary.
/// Ripgrep and git also check only their first buffer.
pub const BINARY_PROBE_BYTES: usize = 8_000;

pub fn count_lines(text: &str) -> u32 {
    let newlines = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    let last = usize::from(!text.is_empty() && !text.ends_with('\n'));
    u32::try_from(newlines + last).unwrap_or(u32::MAX)
}

/// Decodes the bytes of a file as text; `None` for a binary file. The second string is a note for the user if the bytes
/// are not plain UTF-8: the encoding, or the number of invalid byte sequences.
pub fn decode_text_unless_binary(bytes: Vec<u8>) -> Option<(String, Option<String>)> {
    if let Some((encoding, bom_length)) = encoding_rs::Encoding::for_bom(&bytes) {
        if encoding != encoding_rs::UTF_8 {
            let (text, _, broken) = encoding.decode(&bytes);
            let errors_note = if broken { " with errors, shown as U+FFFD" } else { "" };
            return Some((text.into_owned(), Some(format!("decoded from {}{errors_note}", encoding.name()))));
        }
        return decode_lossy_utf8_unless_binary(bytes.get(bom_length..).unwrap_or(&[]).to_vec());
    }
    decode_lossy_utf8_unless_binary(bytes)
}

fn decode_lossy_utf8_unless_binary(bytes: Vec<u8>) -> Option<(String, Option<String>)> {
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
    use super::decode_text_unless_binary;

    #[test]
    fn utf16_and_broken_bytes_become_text() {
        let (text, how) = decode_text_unless_binary(b"\xFF\xFEa\0b\0".to_vec()).expect("text");
        assert_eq!((text.as_str(), how.as_deref()), ("ab", Some("decoded from UTF-16LE")));
        let (text, how) = decode_text_unless_binary(b"a\xFFb".to_vec()).expect("text");
        assert_eq!(text, "a\u{FFFD}b");
        assert!(how.is_some_and(|how| how.starts_with("1 byte")));
        assert!(decode_text_unless_binary(b"a\0b".to_vec()).is_none());
    }
}
