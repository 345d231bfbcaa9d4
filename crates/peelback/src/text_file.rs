//! Reading and writing of small text files of the user and of projects: reads never block, and writes are atomic.

use std::fs;
use std::io::{Error, Result, Write};
use std::path::{Path, PathBuf};

use peelback_code::{ProjectEntry, read_unless_larger_than};

pub(crate) use peelback_code::read_text_file_following_links as read_text_file;

/// Reads the text of a project's file of at most `limit` bytes. It is opened inside the project's root.
///
/// # Errors
/// Errors of the file system, and an error for a file that is not regular, too large or not UTF-8.
pub(crate) fn read_text_file_of_project(entry: &ProjectEntry, limit: u64) -> Result<String> {
    let (file, metadata) = entry.open()?;
    let bytes = read_unless_larger_than(file, &metadata, limit)?;
    String::from_utf8(bytes).map_err(|_| Error::other("it is not UTF-8"))
}

/// The file to which `path` resolves through symbolic links; `path` itself where no file exists yet.
///
/// # Errors
/// When a symbolic link points to a missing file, or, where `containing_folder` is given, to a file outside of that
/// folder.
pub(crate) fn resolve_path_of_file_to_write(path: &Path, containing_folder: Option<&Path>) -> Result<PathBuf> {
    let resolved = match fs::symlink_metadata(path) {
        Ok(_) => {
            dunce::canonicalize(path).map_err(|error| Error::other(format!("a broken symbolic link ({error})")))?
        }
        Err(_) => {
            // For a file that does not exist yet, the nearest existing folder determines where it will be created.
            let existing = path.ancestors().skip(1).find(|folder| fs::symlink_metadata(folder).is_ok());
            let existing = existing.unwrap_or(Path::new("."));
            let missing_part = path.strip_prefix(existing).unwrap_or(path);
            dunce::canonicalize(existing)?.join(missing_part)
        }
    };
    if let Some(below) = containing_folder
        && !resolved.starts_with(dunce::canonicalize(below)?)
    {
        return Err(Error::other(format!("a symbolic link leads out of {}", below.display())));
    }
    Ok(resolved)
}

/// Replaces the contents of `target`, which is not a symbolic link, with `text`. The write is atomic: a concurrent
/// reader sees the old text or the new text. Missing folders are created; permissions stay unchanged.
///
/// # Errors
/// Errors of the file system, and an error for a file that is read-only.
pub(crate) fn write_text_file_atomically(target: &Path, text: &str) -> Result<()> {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let old = fs::metadata(target).ok();
    if old.as_ref().is_some_and(|old| old.permissions().readonly()) {
        return Err(Error::other("the file is read-only"));
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".peelback-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The default permissions of a new file, which the process's umask restricts.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder)?;
    if let Some(old) = old {
        file.as_file().set_permissions(old.permissions())?;
    }
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(target).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::{read_text_file, resolve_path_of_file_to_write, write_text_file_atomically};

    #[test]
    fn permissions_and_links_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("real");
        fs::write(&path, "old").expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("a mode");
        let link = folder.path().join("link");
        symlink(&path, &link).expect("a link");
        write_text_file_atomically(&resolve_path_of_file_to_write(&link, None).expect("a target"), "new")
            .expect("written");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(read_text_file(&path, 10).expect("text"), "new");
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2, "nothing is left over");
    }

    #[test]
    fn links_do_not_lead_out() {
        let folder = tempfile::tempdir().expect("a folder");
        let elsewhere = tempfile::tempdir().expect("a folder");
        symlink(elsewhere.path(), folder.path().join(".cursor")).expect("a link");
        let path = folder.path().join(".cursor/mcp.json");
        assert!(resolve_path_of_file_to_write(&path, Some(folder.path())).is_err());
        assert!(resolve_path_of_file_to_write(&path, None).is_ok());
        symlink("/nowhere/at/all", folder.path().join("broken")).expect("a link");
        assert!(resolve_path_of_file_to_write(&folder.path().join("broken"), Some(folder.path())).is_err());
        assert!(resolve_path_of_file_to_write(&folder.path().join("a/b/new"), Some(folder.path())).is_ok());
    }

    #[test]
    fn what_is_no_regular_file_is_refused() {
        assert!(read_text_file(std::path::Path::new("/dev/zero"), 10).is_err());
        let folder = tempfile::tempdir().expect("a folder");
        let fifo = folder.path().join("fifo");
        nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).expect("a FIFO");
        assert!(read_text_file(&fifo, 10).is_err());
        fs::write(folder.path().join("long"), "12345678901").expect("a file");
        assert!(read_text_file(&folder.path().join("long"), 10).is_err());
    }
}
