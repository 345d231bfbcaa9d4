//! The folders in which the document generator of the server reads sources and documents, and writes documents. No path
//! of a call leads out of them.

use std::fs;
use std::path::{Component, Path, PathBuf};

use peelback_agent::document::{
    self, Document, DocumentError, MAX_DOCUMENT_BYTES, create_document_at_path, create_document_in_folder,
};
use peelback_code::{
    DocumentGenerationError, ErrorCategory, existing_path_of_text, read_text_file_following_links, text_of_path,
};

/// The folders that calls can read, and below which they can write documents.
#[derive(Debug, Clone, Default)]
pub(super) struct DocumentFolders {
    /// The canonical folders beside the root of a call.
    allowed: Vec<PathBuf>,
}

/// Where a document is written.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Destination {
    /// A new file in this folder, whose name follows from the document.
    Folder(PathBuf),
    /// A new file in `contexts/REPOSITORY/` below this folder, as the commands write it; what stands there is no part of the
    /// project that a later document is about.
    ContextsBelow(PathBuf),
    /// This new file.
    File(PathBuf),
}

impl DocumentFolders {
    /// The folders `allowed` that exist, and the root of each call.
    pub fn new(allowed: &[PathBuf]) -> Self {
        Self { allowed: allowed.iter().filter_map(|folder| dunce::canonicalize(folder).ok()).collect() }
    }

    /// The allowed folder that contains the canonical path `real`; `root` is the root of the call.
    fn allowed_folder_around<'a>(&'a self, root: &'a Path, real: &Path) -> Option<&'a Path> {
        let allowed = self.allowed.iter().map(PathBuf::as_path);
        std::iter::once(root).chain(allowed).find(|folder| real.starts_with(folder))
    }

    /// The canonical path of the existing folder `text`, from the root of the call or absolute.
    ///
    /// # Errors
    /// The same error for a folder that does not exist and one that is not allowed, so that nothing is told about other
    /// folders.
    pub fn existing_folder(&self, root: &Path, text: &str) -> Result<PathBuf, DocumentGenerationError> {
        let real = dunce::canonicalize(root.join(existing_path_of_text(root, text)));
        let allowed = real.ok().filter(|real| real.is_dir() && self.allowed_folder_around(root, real).is_some());
        allowed.ok_or_else(|| {
            DocumentGenerationError::new_bad_usage(
                format!("{text} is not a folder that may be read here"),
                format!("name {} or a folder below it", text_of_path(root)),
            )
        })
    }

    /// The canonical path and the content of the existing document `text`, from the root of the call or absolute.
    ///
    /// # Errors
    /// Where there is no such file inside the allowed folders, or it is no document.
    pub fn read_document(&self, root: &Path, text: &str) -> Result<(PathBuf, Document), DocumentGenerationError> {
        let real = dunce::canonicalize(root.join(existing_path_of_text(root, text)));
        let allowed = real.ok().filter(|real| self.allowed_folder_around(root, real).is_some());
        let Some(real) = allowed else {
            return Err(DocumentGenerationError {
                category: ErrorCategory::NothingFound,
                message: format!("no document at {text}"),
                advice: Some(format!("name a document below {}", text_of_path(root))),
            });
        };
        let wrong = |reason: String| {
            DocumentGenerationError::new_bad_usage(
                format!("{text} is not a document of scope or context: {reason}"),
                "name a document that scope or context wrote",
            )
        };
        let content =
            read_text_file_following_links(&real, MAX_DOCUMENT_BYTES).map_err(|error| wrong(error.to_string()))?;
        let document = Document::parse(&content).map_err(|error| wrong(error.to_string()))?;
        Ok((real, document))
    }

    /// Where the document of a call with the output `text` goes. Missing folders of an output that ends in a slash are
    /// made.
    ///
    /// # Errors
    /// Where the output leads out of the allowed folders or into a hidden one, exists as a file, or is neither a folder nor
    /// the name of a Markdown file.
    pub fn destination(&self, root: &Path, text: &str) -> Result<Destination, DocumentGenerationError> {
        let bad = |message: String| {
            DocumentGenerationError::new_bad_usage(
                message,
                "name a new file that ends in .md, or a folder, below the root: contexts/",
            )
        };
        if text.trim().is_empty() || text.chars().any(char::is_control) {
            return Err(bad("output is not a path".to_owned()));
        }
        let path = root.join(existing_path_of_text(root, text));
        let is_folder = text.ends_with(['/', std::path::MAIN_SEPARATOR]) || path.is_dir();
        let leads_out = || bad(format!("{text} leads out of the root, or into a hidden folder: nothing was written"));
        let real = canonical_path_of_new_file(&path).ok_or_else(leads_out)?;
        let below = self.allowed_folder_around(root, &real).and_then(|folder| real.strip_prefix(folder).ok());
        if !below.is_some_and(|below| below.components().all(is_visible_name)) {
            return Err(leads_out());
        }
        if is_folder {
            let made = fs::create_dir_all(&real);
            made.map_err(|error| bad(format!("cannot create the folder {text}: {error}")))?;
            // Between the check and the making, a folder may have become a link.
            let made = dunce::canonicalize(&real).ok().filter(|made| *made == real).ok_or_else(leads_out)?;
            return Ok(match made.parent() {
                Some(parent) if made.ends_with("contexts") => Destination::ContextsBelow(parent.to_owned()),
                _ => Destination::Folder(made),
            });
        }
        if fs::symlink_metadata(&real).is_ok() {
            return Err(bad(format!("{text} already exists")));
        }
        if !real.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md")) {
            return Err(bad(format!("{text} does not end in .md")));
        }
        match real.parent() {
            Some(folder) if folder.is_dir() => Ok(Destination::File(real)),
            _ => Err(bad(format!("the folder of {text} does not exist"))),
        }
    }
}

impl Destination {
    /// Writes `document`, which is about `repository`, in a folder under the file name `name`, and returns the path of the
    /// file.
    ///
    /// # Errors
    /// Those of writing a file.
    pub fn write(&self, repository: &str, name: &str, document: &Document) -> Result<PathBuf, DocumentError> {
        match self {
            Self::Folder(folder) => create_document_in_folder(folder, name, document),
            Self::ContextsBelow(folder) => {
                document::create_document_in_contexts_folder(folder, repository, name, document)
            }
            Self::File(path) => create_document_at_path(path, document).map(|()| path.clone()),
        }
    }
}

/// Replaces the document at the canonical path `path`.
///
/// # Errors
/// Those of writing a file.
pub(super) fn replace_document(path: &Path, document: &Document) -> Result<(), DocumentError> {
    document::replace_document_file(path, document)
}

/// A path for an answer: from the root where it is below it.
pub(super) fn path_for_answer(root: &Path, path: &Path) -> String {
    text_of_path(path.strip_prefix(root).unwrap_or(path))
}

/// The canonical path of a file or folder that may not exist: that of its nearest ancestor that exists, and the names
/// below it. `None` where a part below it is no name.
fn canonical_path_of_new_file(path: &Path) -> Option<PathBuf> {
    let mut missing = Vec::new();
    let mut existing = path;
    // A link that leads nowhere exists, and its file may not be made through it.
    while fs::symlink_metadata(existing).is_err() {
        missing.push(existing.components().next_back().filter(is_name)?);
        existing = existing.parent()?;
    }
    let mut real = dunce::canonicalize(if existing.as_os_str().is_empty() { Path::new(".") } else { existing }).ok()?;
    real.extend(missing.iter().rev());
    Some(real)
}

fn is_name(part: &Component<'_>) -> bool {
    matches!(part, Component::Normal(_))
}

/// Whether a part of a path is a name that does not begin with a dot.
fn is_visible_name(part: Component<'_>) -> bool {
    matches!(part, Component::Normal(name) if !name.as_encoded_bytes().starts_with(b"."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders() -> (tempfile::TempDir, PathBuf, DocumentFolders) {
        let outer = tempfile::tempdir().expect("a folder");
        for name in ["own/docs", "own/.git", "other", "secret"] {
            fs::create_dir_all(outer.path().join(name)).expect("folders");
        }
        fs::write(outer.path().join("own/docs/old.md"), "x").expect("a file");
        let own = dunce::canonicalize(outer.path().join("own")).expect("it exists");
        let folders = DocumentFolders::new(&[outer.path().join("other")]);
        (outer, own, folders)
    }

    #[test]
    fn documents_go_below_the_root_or_an_allowed_folder() {
        let (outer, own, folders) = folders();
        let other = dunce::canonicalize(outer.path().join("other")).expect("it exists");
        let at = |text: &str| folders.destination(&own, text);
        assert_eq!(at("docs/new.md"), Ok(Destination::File(own.join("docs/new.md"))));
        assert_eq!(at("docs"), Ok(Destination::Folder(own.join("docs"))));
        assert_eq!(at("contexts/deep/"), Ok(Destination::Folder(own.join("contexts/deep"))));
        assert!(own.join("contexts/deep").is_dir());
        assert_eq!(at("contexts/"), Ok(Destination::ContextsBelow(own.clone())));
        let absolute = other.join("x.md");
        assert_eq!(at(&text_of_path(&absolute)), Ok(Destination::File(absolute)));
        for (text, wrong) in [
            ("../x.md", "leads out"),
            ("../secret/", "leads out"),
            ("docs/../../secret/x.md", "leads out"),
            ("missing/../../x.md", "leads out"),
            (".git/x.md", "hidden"),
            (".hooks/", "hidden"),
            ("docs/old.md", "already exists"),
            ("docs/new.sh", ".md"),
            ("nowhere/new.md", "does not exist"),
            ("", "not a path"),
            ("a\nb.md", "not a path"),
        ] {
            let error = at(text).expect_err(text);
            assert!(error.message.contains(wrong), "{text}: {error:?}");
        }
        assert!(!outer.path().join("x.md").exists() && !own.join(".hooks").exists());
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_nowhere_else() {
        let (outer, own, folders) = folders();
        std::os::unix::fs::symlink(outer.path().join("secret"), own.join("link")).expect("a link");
        std::os::unix::fs::symlink(outer.path().join("secret/new.md"), own.join("dangling.md")).expect("a link");
        for text in ["link/x.md", "link/", "dangling.md"] {
            assert!(folders.destination(&own, text).is_err(), "{text}");
        }
        fs::write(outer.path().join("secret/d.md"), "---\nsource_repo: x\n---\n").expect("a file");
        assert!(folders.read_document(&own, "link/d.md").is_err());
        assert!(folders.existing_folder(&own, "link").is_err());
        assert_eq!(
            folders.existing_folder(&own, "link").expect_err("refused").category,
            folders.existing_folder(&own, "nothing").expect_err("missing").category
        );
    }
}
