//! `ProjectEntry`: a file or folder below a project's root, and how a file is opened.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::signature::{Signature, current_unix_nanoseconds};

/// An existing file or folder below a project's root, or the root itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectEntry {
    /// The resolved absolute path, without symbolic links.
    pub absolute: PathBuf,
    /// The path from the project's root, with `/` as separator; empty for the root itself.
    pub path: String,
    /// Whether the entry is a folder.
    pub is_folder: bool,
}

impl ProjectEntry {
    /// The file name without its folders.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Whether the file begins with `#!`.
    pub fn has_shebang(&self) -> bool {
        self.probe_shebang_and_settled_signature().0
    }

    /// Whether the file begins with `#!`, and the file's signature if every later change of the file must change it:
    /// see [`Signature::can_detect_changes_after`].
    pub fn probe_shebang_and_settled_signature(&self) -> (bool, Option<Signature>) {
        let moment = current_unix_nanoseconds();
        let Ok((mut file, metadata)) = open_regular_file(&self.absolute) else { return (false, None) };
        let settled =
            Signature::from_metadata(&metadata).filter(|signature| signature.can_detect_changes_after(moment));
        let mut first = [0; 2];
        match file.read_exact(&mut first) {
            Ok(()) => (&first == b"#!", settled),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => (false, settled),
            Err(_) => (false, None),
        }
    }

    /// The path as printed in answers: `.` for the root.
    pub fn display_path(&self) -> &str {
        if self.path.is_empty() { "." } else { &self.path }
    }
}

/// Opens a regular file. The file type is checked at the moment of opening, so that a file replaced by a FIFO or a link
/// meanwhile is refused.
pub fn open_regular_file(path: &Path) -> std::io::Result<(fs::File, fs::Metadata)> {
    let mut options = fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    }
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() { Ok((file, metadata)) } else { Err(std::io::Error::other("not a regular file any more")) }
}
