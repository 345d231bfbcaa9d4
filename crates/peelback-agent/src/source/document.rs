//! Opening the repository that a document's front matter names. The document may come from anyone, so this module
//! decides whether opening that repository is safe.

use std::path::{Path, PathBuf};

use peelback_code::git::Transport;
use peelback_code::read_text_file_following_links;

use super::error::SourceError;
use super::kind::Source;
use super::opened::{OpenOptions, Opened};
use super::{address, clone, folder};
use crate::document::{Document, DocumentError, MAX_DOCUMENT_BYTES};

/// Opens the repository that the document at the absolute path `path` names in its front matter.
pub(super) fn open_repository_of_document(path: &Path, options: &OpenOptions) -> Result<Opened, SourceError> {
    let shown = path.display().to_string();
    let named = read_source_repo_of_document(path, &shown)?;
    let refuse = |reason: &str| SourceError::NotOfDocument {
        document: shown.clone(),
        named: address::to_safe_message_text(&named),
        reason: reason.to_owned(),
    };
    let source = Source::parse(&named).map_err(|error| match error {
        SourceError::Refused { reason, .. } => refuse(&format!("which was refused ({reason})")),
        other => other,
    })?;
    let opened = match source {
        // The document's `source_repo` must be a repository, not another document.
        Source::ContextDocument(_) => {
            let reason = "its source_repo is a document, not a folder or a git URL".to_owned();
            return Err(SourceError::Document { path: shown, reason });
        }
        // Only `https` URLs are allowed from a document: an SSH URL would use the user's keys, and a `file://` URL
        // would read files of this machine.
        Source::Git(url) if url.transport != Transport::Https => {
            return Err(refuse("but only https URLs in documents are followed"));
        }
        Source::Git(url) => clone::clone_and_open_repository(&url, options)?,
        Source::Folder(place) => {
            // A network path is refused before any access, since the access alone would send the user's credentials to
            // another machine.
            if named.starts_with("//") || named.starts_with(r"\\") {
                return Err(refuse("which is on another machine"));
            }
            let root = dunce::canonicalize(options.working_folder.join(&place))
                .ok()
                .filter(|root| root.is_dir())
                .ok_or_else(|| refuse("but there is no such folder"))?;
            if is_root_or_contains_home(&root) {
                return Err(refuse("which is your home folder or contains it, not a repository"));
            }
            let is_near = contains_document_or_overlaps_working_folder(&root, path, &options.working_folder);
            Opened { is_near, ..folder::open_project_folder(&root, options)? }
        }
    };
    Ok(Opened { from_document: Some(path.to_owned()), ..opened })
}

/// Reads the value of `source_repo` from a document's front matter.
fn read_source_repo_of_document(path: &Path, shown: &str) -> Result<String, SourceError> {
    let text = read_text_file_following_links(path, MAX_DOCUMENT_BYTES).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => SourceError::not_found_with_hint(shown),
        _ => SourceError::Io { what: format!("cannot read {shown}"), reason: error.to_string() },
    })?;
    let wrong = |reason: String| SourceError::Document { path: shown.to_owned(), reason };
    let front = Document::parse_front_matter(&text).map_err(|error: DocumentError| wrong(error.to_string()))?;
    match front.source_repo.trim() {
        "" => Err(wrong("its front matter has no source_repo".to_owned())),
        named => Ok(named.to_owned()),
    }
}

/// Whether a folder is the root of a file system or the user's home folder, or contains the home folder.
fn is_root_or_contains_home(root: &Path) -> bool {
    let home = std::env::home_dir().and_then(|home| dunce::canonicalize(home).ok());
    root.parent().is_none() || home.is_some_and(|home| home.starts_with(root))
}

/// Whether the folder `root` contains the document or the working folder, or is inside the working folder.
fn contains_document_or_overlaps_working_folder(root: &Path, document: &Path, working_folder: &Path) -> bool {
    let real = |path: &Path| dunce::canonicalize(path).ok();
    let holds = |path: Option<&PathBuf>| path.is_some_and(|path| path.starts_with(root));
    let working_folder = real(working_folder);
    holds(real(document).as_ref())
        || holds(working_folder.as_ref())
        || working_folder.is_some_and(|working| root.starts_with(working))
}
