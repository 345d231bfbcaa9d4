//! Opening files that belong to no project, such as files of the user's settings and of git: they are known to be
//! regular, and have a limit.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Opens a regular file; symbolic links are followed. Never waits: a FIFO is opened without a writer and then refused.
///
/// # Errors
/// The error of the file system; an error for a file that is not regular.
pub fn open_regular_file_following_links(path: &Path) -> io::Result<(File, Metadata)> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY);
    }
    require_regular_file(options.open(path)?)
}

/// The bytes of a regular file of at most `limit` bytes; symbolic links are followed.
///
/// # Errors
/// The errors of [`open_regular_file_following_links`]; an error for a file that has more bytes.
pub fn read_regular_file_following_links(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let (file, metadata) = open_regular_file_following_links(path)?;
    read_unless_larger_than(file, &metadata, limit)
}

/// The text of a regular file of at most `limit` bytes; symbolic links are followed.
///
/// # Errors
/// The errors of [`read_regular_file_following_links`]; an error for a file that is not UTF-8.
pub fn read_text_file_following_links(path: &Path, limit: u64) -> io::Result<String> {
    let bytes = read_regular_file_following_links(path, limit)?;
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8"))
}

/// Opens a regular file to lock it; with `may_create`, a missing one is created.
///
/// # Errors
/// The errors of [`open_regular_file_following_links`].
#[cfg(any(feature = "cache", feature = "git"))]
pub(crate) fn open_regular_file_to_lock(path: &Path, may_create: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(may_create).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY);
    }
    require_regular_file(options.open(path)?).map(|(file, _)| file)
}

/// The bytes of an open file of at most `limit` bytes.
///
/// # Errors
/// The error of the file system; an error for a file that has more bytes.
pub fn read_unless_larger_than(file: File, metadata: &Metadata, limit: u64) -> io::Result<Vec<u8>> {
    let too_large = || io::Error::other(format!("it has more than {limit} bytes"));
    if metadata.len() > limit {
        return Err(too_large());
    }
    let bytes = read_up_to_limit(RegularFileReader::new(file, metadata), metadata.len(), limit)?;
    if bytes.len() as u64 > limit { Err(too_large()) } else { Ok(bytes) }
}

/// The bytes that `reader` gives, at most one more than `limit`, which applies again while reading, because a file may
/// grow meanwhile. As many as `expected` are read at once.
pub(crate) fn read_up_to_limit(mut reader: impl Read, expected: u64, limit: u64) -> io::Result<Vec<u8>> {
    let most = usize::try_from(limit).unwrap_or(usize::MAX).saturating_add(1);
    // With room for one byte more than there should be, the read that gives all is a short one.
    let mut bytes = vec![0; usize::try_from(expected).unwrap_or(usize::MAX).saturating_add(1).min(most)];
    let mut filled = 0;
    loop {
        if filled == bytes.len() {
            if filled >= most {
                return Ok(bytes);
            }
            bytes.resize(filled.saturating_mul(2).max(MIN_GROWTH_BYTES).min(most), 0);
        }
        match reader.read(bytes.get_mut(filled..).unwrap_or_default()) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

/// The number of bytes by which a buffer grows at least for a file that is longer than its metadata said.
const MIN_GROWTH_BYTES: usize = 8192;

/// Reads a regular file. Where a read gives less than asked for, and all bytes were read that the metadata counts, the
/// file has ended: the read that would give nothing is saved.
pub(crate) struct RegularFileReader {
    file: File,
    /// The size of the file when it was opened. It is 0 also for files that the system makes while they are read, which
    /// may give less than asked for before their end.
    size: u64,
    read_bytes: u64,
    has_ended: bool,
}

impl RegularFileReader {
    pub fn new(file: File, metadata: &Metadata) -> Self {
        Self { file, size: metadata.len(), read_bytes: 0, has_ended: false }
    }
}

impl Read for RegularFileReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.has_ended {
            return Ok(0);
        }
        let count = self.file.read(buffer)?;
        self.read_bytes += count as u64;
        self.has_ended = self.size > 0 && count < buffer.len() && self.read_bytes >= self.size;
        Ok(count)
    }
}

/// An open file with its metadata, if it is regular.
pub(crate) fn require_regular_file(file: File) -> io::Result<(File, Metadata)> {
    let metadata = file.metadata()?;
    if metadata.is_file() { Ok((file, metadata)) } else { Err(io::Error::other("it is not a regular file")) }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn reader_of(text: &[u8]) -> (tempfile::NamedTempFile, RegularFileReader) {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        file.write_all(text).expect("written");
        let (opened, metadata) = open_regular_file_following_links(file.path()).expect("a file");
        (file, RegularFileReader::new(opened, &metadata))
    }

    #[test]
    fn a_file_is_read_to_its_end_whatever_its_size_was_thought_to_be() {
        let text: Vec<u8> = (0..100_000_u32).map(|at| u8::try_from(at % 251).unwrap_or(0)).collect();
        for length in [0, 1, 4095, 4096, 4097, 100_000] {
            for expected in [0, 1, length, length + 1, 200_000] {
                let part = text.get(..length).expect("a part");
                let (_file, reader) = reader_of(part);
                assert_eq!(
                    read_up_to_limit(reader, expected as u64, 100_000).expect("read"),
                    part,
                    "{length} {expected}"
                );
            }
        }
        let (_file, reader) = reader_of(&text);
        assert_eq!(read_up_to_limit(reader, 10, 50).expect("read"), text.get(..51).expect("a part"));
    }

    #[test]
    fn what_is_written_after_the_file_was_opened_is_read() {
        let (mut file, mut reader) = reader_of(b"first");
        let mut buffer = [0; 5];
        assert_eq!(reader.read(&mut buffer).expect("read"), 5);
        file.write_all(b" second").expect("written");
        assert_eq!(read_up_to_limit(reader, 0, 100).expect("read"), b" second");
    }
}
