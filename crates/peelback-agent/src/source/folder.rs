//! A folder on this machine, and the commit that its repository is at.

use std::fs;
use std::path::{Path, PathBuf};

use super::{OpenOptions, Opened, SourceError, SourceKind};
use crate::document::folder_name;

pub(super) fn open(path: &Path, options: &OpenOptions) -> Result<Opened, SourceError> {
    let shown = path.display().to_string();
    let absolute = options.working_folder.join(path);
    let root = dunce::canonicalize(&absolute).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => SourceError::not_found(&shown),
        _ => SourceError::Io { what: format!("cannot open {shown}"), reason: error.to_string() },
    })?;
    if !root.is_dir() {
        return Err(SourceError::not_found(&format!("{shown} (a file that is no context document)")));
    }
    let name = root.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    Ok(Opened {
        name: folder_name(&name),
        source: root.display().to_string(),
        kind: SourceKind::Folder,
        commit: commit_of(&root),
        within: None,
        from_document: None,
        is_near: true,
        guard: None,
        root,
    })
}

/// The commit that `HEAD` of the folder's repository means; read from its files, so that nothing that the repository
/// configures can run.
fn commit_of(root: &Path) -> Option<String> {
    let dot_git = root.ancestors().map(|folder| folder.join(".git")).find(|path| path.exists())?;
    let git = if dot_git.is_dir() {
        dot_git
    } else {
        // A worktree or a submodule: the file says where its folder is.
        let named = small(&dot_git)?.strip_prefix("gitdir:")?.trim().to_owned();
        dot_git.parent()?.join(named)
    };
    let head = small(&git.join("HEAD"))?;
    let Some(name) = head.trim().strip_prefix("ref:").map(str::trim) else { return commit(head.trim()) };
    if !name.starts_with("refs/") || name.contains("..") {
        return None;
    }
    let shared = small(&git.join("commondir")).map(|shared| git.join(shared.trim()));
    let folders: Vec<PathBuf> = std::iter::once(git).chain(shared).collect();
    folders.iter().find_map(|folder| commit(small(&folder.join(name))?.trim())).or_else(|| {
        folders.iter().find_map(|folder| {
            let packed = fs::read_to_string(folder.join("packed-refs")).ok()?;
            let line =
                packed.lines().find(|line| line.strip_suffix(name).is_some_and(|before| before.ends_with(' ')))?;
            commit(line.split(' ').next()?)
        })
    })
}

fn commit(text: &str) -> Option<String> {
    super::address::is_commit(text).then(|| text.to_owned())
}

/// The text of a file that is known to be small.
fn small(path: &Path) -> Option<String> {
    let metadata = fs::metadata(path).ok()?;
    (metadata.is_file() && metadata.len() < 4096).then(|| fs::read_to_string(path).ok())?
}
