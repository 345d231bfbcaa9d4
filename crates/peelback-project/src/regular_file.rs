//! Opening files that belong to no project, such as files of the user's settings and of git: they are known to be
//! regular, and have a limit.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
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
    read_at_most(file, &metadata, limit)
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
pub fn read_at_most(file: File, metadata: &Metadata, limit: u64) -> io::Result<Vec<u8>> {
    let too_large = || io::Error::other(format!("it has more than {limit} bytes"));
    if metadata.len() > limit {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0) + 1);
    // The limit applies again while reading, because the file may grow meanwhile.
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(too_large()) } else { Ok(bytes) }
}

/// An open file with its metadata, if it is regular.
pub(crate) fn require_regular_file(file: File) -> io::Result<(File, Metadata)> {
    let metadata = file.metadata()?;
    if metadata.is_file() { Ok((file, metadata)) } else { Err(io::Error::other("it is not a regular file")) }
}
