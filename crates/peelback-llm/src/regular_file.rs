//! Reads files that settings name: each is known to be regular, has a limit, and is opened without waiting.

use std::fs::OpenOptions;
use std::io::{self, Read};
use std::path::Path;

/// The bytes of a regular file of at most `limit` bytes. Never waits: a FIFO is opened without a writer and then refused.
///
/// # Errors
/// The error of the file system; an error for a file that is not regular or has more bytes.
pub fn read_regular_file(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY);
    }
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let too_large = || io::Error::other(format!("it has more than {limit} bytes"));
    if metadata.len() > limit {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0) + 1);
    // The limit applies again while reading, because the file may grow meanwhile.
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(too_large()) } else { Ok(bytes) }
}

/// The text of a regular file of at most `limit` bytes.
///
/// # Errors
/// The errors of [`read_regular_file`]; an error for a file that is not UTF-8.
pub fn read_text_file(path: &Path, limit: u64) -> io::Result<String> {
    String::from_utf8(read_regular_file(path, limit)?).map_err(|_| io::Error::other("it is not UTF-8"))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::{read_regular_file, read_text_file};

    #[test]
    fn only_regular_files_within_the_limit_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("file");
        std::fs::write(&file, "text").expect("a file");
        assert_eq!(read_text_file(&file, 4).expect("text"), "text");
        assert!(read_text_file(&file, 3).is_err());
        assert!(read_regular_file(std::path::Path::new("/dev/zero"), 10).is_err());
        assert!(read_regular_file(folder.path(), 10).is_err());
    }
}
