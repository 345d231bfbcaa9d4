//! The kinds of sources of a question (folder, document, Git URL), which are distinguished by the text of the source
//! alone.

use std::path::{Path, PathBuf};

use peelback_code::existing_path_of_text;

use super::address::{self, GitUrl};
use super::error::SourceError;

/// A parsed source: the folder, document or URL that the user or a document named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A folder on this machine.
    Folder(PathBuf),
    /// A document whose front matter names a repository.
    ContextDocument(PathBuf),
    /// The URL of a repository that has to be cloned.
    Git(GitUrl),
}

impl Source {
    /// Parses the text of a source. The text is one of three kinds: a Git URL (`https://…`, `ssh://…`, `git@host:path`,
    /// `file://…`, or the web page of a branch or folder, each with an optional `#branch-or-commit`), a document whose
    /// name ends in `.md`, or otherwise a folder. Parsing reads no file and runs no program.
    ///
    /// # Errors
    /// [`SourceError::Refused`] if the text is a URL that fails the safety checks.
    pub fn parse(text: &str) -> Result<Self, SourceError> {
        let refuse = |reason: &str| SourceError::Refused {
            source_shown: address::to_safe_message_text(text),
            reason: reason.to_owned(),
        };
        if text.trim().is_empty() {
            return Err(refuse("it is empty"));
        }
        if text.chars().any(char::is_control) {
            return Err(refuse("it contains control characters"));
        }
        if text.starts_with('-') {
            return Err(refuse("it begins with a dash, like an option: write ./ before the folder's name"));
        }
        if let Some(url) = GitUrl::parse(text).map_err(|reason| refuse(&reason))? {
            return Ok(Self::Git(url));
        }
        let path = existing_path_of_text(Path::new(""), text).into_owned();
        let is_document = path
            .extension()
            .and_then(|extension| extension.to_str())
            .is_some_and(|extension| ["md", "markdown"].contains(&extension.to_lowercase().as_str()));
        Ok(if is_document { Self::ContextDocument(path) } else { Self::Folder(path) })
    }
}
