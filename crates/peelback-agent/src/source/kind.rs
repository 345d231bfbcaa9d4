//! The kinds of sources, told apart by their text alone.

use std::path::PathBuf;

use super::address::{self, GitUrl};
use super::error::SourceError;

/// What a call names as its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A folder on this machine.
    Folder(PathBuf),
    /// A document whose front matter names the repository.
    ContextDocument(PathBuf),
    /// A repository to be cloned.
    Git(GitUrl),
}

impl Source {
    /// Reads what a call names: a git URL where it is one (`https://…`, `ssh://…`, `git@host:path`, `file://…`, the web
    /// address of a branch or folder, each with `#branch-or-commit` behind it), a document where it ends in `.md`, else
    /// a folder. Looks at no file and runs nothing.
    ///
    /// # Errors
    /// [`SourceError::Refused`].
    pub fn parse(text: &str) -> Result<Self, SourceError> {
        let refuse =
            |reason: &str| SourceError::Refused { source_shown: address::shown(text), reason: reason.to_owned() };
        if text.trim().is_empty() {
            return Err(refuse("it is empty"));
        }
        if text.chars().any(char::is_control) {
            return Err(refuse("it holds control characters"));
        }
        if text.starts_with('-') {
            return Err(refuse("it begins with a dash, as an option does: write ./ before a folder's name"));
        }
        if let Some(url) = GitUrl::parse(text).map_err(|reason| refuse(&reason))? {
            return Ok(Self::Git(url));
        }
        let path = PathBuf::from(text);
        let is_document = path
            .extension()
            .and_then(|extension| extension.to_str())
            .is_some_and(|extension| ["md", "markdown"].contains(&extension.to_lowercase().as_str()));
        Ok(if is_document { Self::ContextDocument(path) } else { Self::Folder(path) })
    }
}
