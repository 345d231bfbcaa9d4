//! Opening a folder on this machine as the source of a question.

use std::path::Path;

use peelback_code::git::Repository;

use super::error::SourceError;
use super::opened::{OpenOptions, Opened, SourceKind};
use crate::document::repository_folder_name;

/// Opens the folder at `path`. A relative path starts from the working folder.
pub(super) fn open_project_folder(path: &Path, options: &OpenOptions) -> Result<Opened, SourceError> {
    let shown = path.display().to_string();
    let absolute = options.working_folder.join(path);
    let root = dunce::canonicalize(&absolute).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => SourceError::not_found_with_hint(&shown),
        _ => SourceError::Io { what: format!("cannot open {shown}"), reason: error.to_string() },
    })?;
    if !root.is_dir() {
        return Err(SourceError::not_found_with_hint(&format!("{shown} (a file that is not a context document)")));
    }
    let name = root.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    // The commit is unknown where the folder is in no Git repository, or where the repository cannot be read.
    let repository = Repository::discover(&root, None).ok().flatten();
    Ok(Opened {
        name: repository_folder_name(&name),
        source: root.display().to_string(),
        kind: SourceKind::Folder,
        commit: repository.and_then(|repository| repository.head_commit().ok().flatten()),
        within: None,
        from_document: None,
        is_near: true,
        guard: None,
        root,
    })
}
