//! Paths as text: how answers write the name of any file, so that the text can be passed back and names that file alone.
//!
//! A name of a file is bytes. Nearly all names are UTF-8 without control characters, and their text is the name. In any
//! other name a byte that is not UTF-8 is written `\xFF`, and a character that a terminal would obey, a line end among
//! them, `\u{a}`. Where a name holds backslashes that would then be read as such an escape, each is written twice.

use std::borrow::Cow;
use std::fs;
use std::path::Path;

use crate::escape::is_control_or_invisible;
#[cfg(unix)]
use crate::escape::write_escaped_char;

/// A path, or a part of one, as text.
pub fn text_of_path(path: &Path) -> String {
    if let Some(text) = path.to_str()
        && is_path_same_as_its_text(text)
    {
        return text.to_owned();
    }
    escaped_text_of_path(path)
}

/// A file name that git or another program gives as bytes, as text.
#[cfg(feature = "git")]
pub(crate) fn text_of_name_bytes(name: &[u8]) -> String {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        text_of_path(Path::new(std::ffi::OsStr::from_bytes(name)))
    }
    #[cfg(not(unix))]
    String::from_utf8_lossy(name).into_owned()
}

/// Whether the text of a path is the path itself, as far as can be seen at once.
pub(crate) fn is_path_same_as_its_text(path: &str) -> bool {
    let is_plain = path.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'\\');
    is_plain || !path.contains(|c: char| c == '\\' || is_escaped_in_paths(c))
}

fn is_escaped_in_paths(c: char) -> bool {
    // Joiners and marks that text may need make names that look the same.
    is_control_or_invisible(c) || matches!(c, '\t' | '\u{ad}' | '\u{61c}' | '\u{200c}'..='\u{200f}')
}

#[cfg(unix)]
fn escaped_text_of_path(path: &Path) -> String {
    use std::os::unix::ffi::OsStrExt;
    // Name by name, so that the text of a folder begins the texts of all that it holds.
    let names = path.as_os_str().as_bytes().split(|byte| *byte == b'/').map(|name| {
        let text = escape_bytes(name, "\\");
        if unescape(&text) == name { text } else { escape_bytes(name, "\\\\") }
    });
    names.collect::<Vec<_>>().join("/")
}

/// On other systems a backslash parts folders, so that nothing can be escaped with it.
#[cfg(not(unix))]
fn escaped_text_of_path(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

#[cfg(unix)]
fn escape_bytes(bytes: &[u8], backslash: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(bytes.len() + 16);
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\\' => out.push_str(backslash),
                c if is_escaped_in_paths(c) => write_escaped_char(c, &mut out),
                c => out.push(c),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02X}");
        }
    }
    out
}

/// The bytes that a text with escapes stands for. A backslash that begins no escape stands for itself.
#[cfg(unix)]
fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once('\\') {
        bytes.extend_from_slice(before.as_bytes());
        rest = match read_escape(escape, &mut bytes) {
            Some(after) => after,
            None => {
                bytes.push(b'\\');
                escape
            }
        };
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

/// Adds the bytes that the escape at the beginning of a text stands for, and returns the text after it; `None` where
/// there is no escape. The backslash of the escape stands before the text.
#[cfg(unix)]
fn read_escape<'t>(text: &'t str, bytes: &mut Vec<u8>) -> Option<&'t str> {
    if let Some(after) = text.strip_prefix('\\') {
        bytes.push(b'\\');
        return Some(after);
    }
    if let Some(hex) = text.strip_prefix('x') {
        let digits = hex.get(..2).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        return hex.get(2..);
    }
    let (digits, after) = text.strip_prefix("u{")?.split_once('}')?;
    let is_hex = (1..=6).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let c = char::from_u32(u32::from_str_radix(digits, 16).ok().filter(|_| is_hex)?)?;
    bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    Some(after)
}

/// The path that a text stands for: see [`text_of_path`]. The text of an ordinary path is the path.
pub fn path_of_text(text: &str) -> Cow<'_, Path> {
    #[cfg(unix)]
    if text.contains('\\') {
        use std::os::unix::ffi::OsStringExt;
        let bytes = unescape(text);
        if bytes != text.as_bytes() {
            return Cow::Owned(std::ffi::OsString::from_vec(bytes).into());
        }
    }
    Cow::Borrowed(Path::new(text))
}

/// The path that a caller means by a text, starting from `folder`: the one that the text stands for, or, where that does
/// not exist, the text itself as a person may write it.
pub fn existing_path_of_text<'t>(folder: &Path, text: &'t str) -> Cow<'t, Path> {
    match path_of_text(text) {
        Cow::Owned(path) if fs::symlink_metadata(folder.join(&path)).is_ok() => Cow::Owned(path),
        _ => Cow::Borrowed(Path::new(text)),
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;

    use proptest::prelude::*;

    use super::{existing_path_of_text, path_of_text, text_of_path};

    fn text_of_bytes(bytes: &[u8]) -> String {
        text_of_path(Path::new(OsStr::from_bytes(bytes)))
    }

    #[test]
    fn ordinary_names_are_their_own_text() {
        for name in ["src/a b.rs", "größe/名前.py", "emoji 🦀.py", "back\\slash", "a\\b\\", "\\u{zz}", "\\xG1", "\\x1"]
        {
            assert_eq!(text_of_bytes(name.as_bytes()), name);
            assert_eq!(&*path_of_text(name), Path::new(name));
        }
    }

    #[test]
    fn other_names_are_escaped() {
        for (bytes, text) in [
            (&b"caf\xE9.py"[..], r"caf\xE9.py"),
            (b"new\nline\x1b[2J.py", r"new\u{a}line\u{1b}[2J.py"),
            ("a\u{202e}b\u{9b}\t".as_bytes(), r"a\u{202e}b\u{9b}\u{9}"),
            // A name that looks like an escape, and names that hold one beside backslashes.
            (br"caf\xE9.py", r"caf\\xE9.py"),
            (br"two\\slashes", r"two\\\\slashes"),
            (b"a\\b\xFF", r"a\b\xFF"),
            (b"a\\\xFF", r"a\\\xFF"),
            (b"\\u{a}\n", r"\\u{a}\u{a}"),
            (br"a\b/c\xFF", r"a\b/c\\xFF"),
        ] {
            assert_eq!(text_of_bytes(bytes), text);
            assert_eq!(path_of_text(text).as_os_str().as_bytes(), bytes, "{text}");
        }
    }

    #[test]
    fn a_text_means_the_file_that_it_is_shown_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let (escaped, plain) = (OsStr::from_bytes(b"a\xFF"), r"a\xFF");
        std::fs::write(folder.path().join(plain), "").expect("a file");
        assert_eq!(&*existing_path_of_text(folder.path(), plain), Path::new(plain));
        std::fs::write(folder.path().join(escaped), "").expect("a file");
        assert_eq!(&*existing_path_of_text(folder.path(), plain), Path::new(escaped));
        assert_eq!(&*existing_path_of_text(folder.path(), r"a\\xFF"), Path::new(plain));
    }

    proptest! {
        /// Property: the text of any name leads back to it, and shows as one line of visible characters.
        #[test]
        fn a_text_leads_back(bytes in proptest::collection::vec(
            prop_oneof![Just(b'\\'), Just(b'x'), Just(b'u'), Just(b'{'), Just(b'}'), Just(b'F'), Just(b'1'), any::<u8>()], 0..24
        )) {
            let text = text_of_bytes(&bytes);
            let path = path_of_text(&text);
            prop_assert_eq!(path.as_os_str().as_bytes(), &bytes[..]);
            prop_assert!(!text.contains(char::is_control));
        }
    }
}
