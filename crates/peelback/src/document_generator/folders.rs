//! The folders in which the document generator of the server reads sources and documents, and writes documents. No path
//! of a call leads out of them.

use std::fs;
use std::path::{Component, Path, PathBuf};

use peelback_agent::document::{
    self, Document, DocumentError, MAX_DOCUMENT_BYTES, create_document_beneath_root, repository_folder_name,
};
use peelback_code::{
    DocumentGenerationError, ErrorCategory, Project, existing_path_of_text, read_text_file_following_links,
    text_of_path,
};

use crate::config::{LoadedConfig, PROJECT_FILE};
use crate::documents::MAX_FILE_NAME_BYTES;

/// The folders that calls can read, and below which they can write documents.
#[derive(Debug, Clone, Default)]
pub(super) struct DocumentFolders {
    /// The root of the server, whose project file is part of the server's settings.
    own_root: Option<PathBuf>,
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
    /// The folders `allowed` that exist, and the root of each call. `own_root` is the canonical root of the server.
    pub fn new(own_root: Option<&Path>, allowed: &[PathBuf]) -> Self {
        let allowed = allowed.iter().filter_map(|folder| dunce::canonicalize(folder).ok()).collect();
        Self { own_root: own_root.map(Path::to_owned), allowed }
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

    /// The canonical path of the existing file `text`, from the root of the call or absolute.
    ///
    /// # Errors
    /// Where there is no such file inside the allowed folders.
    fn existing_document(&self, root: &Path, text: &str) -> Result<PathBuf, DocumentGenerationError> {
        let real = dunce::canonicalize(root.join(existing_path_of_text(root, text)));
        let allowed = real.ok().filter(|real| self.allowed_folder_around(root, real).is_some());
        allowed.ok_or_else(|| DocumentGenerationError {
            category: ErrorCategory::NothingFound,
            message: format!("no document at {text}"),
            advice: Some(format!("name a document below {}", text_of_path(root))),
        })
    }

    /// The canonical path, the text and the content of the existing document `text`, from the root of the call or
    /// absolute.
    ///
    /// # Errors
    /// Where there is no such file inside the allowed folders, or it is no document.
    pub fn read_document(
        &self,
        root: &Path,
        text: &str,
    ) -> Result<(PathBuf, String, Document), DocumentGenerationError> {
        let real = self.existing_document(root, text)?;
        let wrong = |reason: String| {
            DocumentGenerationError::new_bad_usage(
                format!("{text} is not a document of scope or context: {reason}"),
                "name a document that scope or context wrote",
            )
        };
        let content =
            read_text_file_following_links(&real, MAX_DOCUMENT_BYTES).map_err(|error| wrong(error.to_string()))?;
        let document = Document::parse(&content).map_err(|error| wrong(error.to_string()))?;
        Ok((real, content, document))
    }

    /// Requires that the existing document `text` may be replaced, which is so where a call could write a new one.
    ///
    /// # Errors
    /// Where it is no Markdown file, is hidden, or the configuration of its folder keeps documents out.
    pub fn require_replaceable_document(&self, root: &Path, text: &str) -> Result<(), DocumentGenerationError> {
        let real = self.existing_document(root, text)?;
        if !self.is_visible_below_allowed_folder(root, &real) || !is_markdown_file(&real) {
            return Err(DocumentGenerationError::new_bad_usage(
                format!("{text} is not a visible .md file, and only such files are replaced"),
                "name a new file for the renewed document with output: contexts/",
            ));
        }
        self.require_writing_is_allowed(root, real.parent().unwrap_or(&real))
    }

    fn is_visible_below_allowed_folder(&self, root: &Path, real: &Path) -> bool {
        let below = self.allowed_folder_around(root, real).and_then(|folder| real.strip_prefix(folder).ok());
        below.is_some_and(|below| below.components().all(is_visible_name))
    }

    /// Requires that the project files of the canonical folder `folder` and of those around it, as far as calls can read
    /// them, do not keep documents out. That of the server's own root is part of the server's settings.
    ///
    /// # Errors
    /// Where one of these files keeps documents out, or may do so and cannot be understood.
    fn require_writing_is_allowed(&self, root: &Path, folder: &Path) -> Result<(), DocumentGenerationError> {
        let readable = folder.ancestors().take_while(|folder| self.allowed_folder_around(root, folder).is_some());
        for folder in readable.filter(|folder| self.own_root.as_deref() != Some(*folder)) {
            let Ok(project) = Project::discover(Some(folder), None) else { continue };
            let loaded = LoadedConfig::from_project_file_only(project);
            let refused = |why: String| {
                Err(DocumentGenerationError::new_bad_usage(
                    why,
                    "leave out output, or name a folder of another project",
                ))
            };
            if let Some(mistake) = loaded.problems.iter().find(|problem| problem.can_concern_table("server")) {
                return refused(format!("no document is written below a file that is not understood: {mistake}"));
            }
            if !loaded.settings.write_documents.value {
                let file = text_of_path(&folder.join(PROJECT_FILE));
                return refused(format!("no document is written here: {file} has write_documents = false"));
            }
        }
        Ok(())
    }

    /// Writes `document`, which is about `repository`, in a folder under the file name `name`, and returns the path of the
    /// file. Missing folders are made. `root` is the root of the call. What the path is was found before a model wrote, so
    /// that it is followed again without a symbolic link.
    ///
    /// # Errors
    /// Those of writing a file.
    pub fn write_document(
        &self,
        root: &Path,
        destination: &Destination,
        repository: &str,
        name: &str,
        document: &Document,
    ) -> Result<PathBuf, DocumentError> {
        let (path, name) = match destination {
            Destination::Folder(folder) => (folder.clone(), Some(name)),
            Destination::ContextsBelow(folder) => {
                let own = folder.join("contexts").join(repository_folder_name(repository));
                // The folder of the repository may be a link to another folder below the root.
                (canonical_path_of_new_file(&own).unwrap_or(own), Some(name))
            }
            Destination::File(path) => (path.clone(), None),
        };
        let (below_root, below) = self.split_visible_path(root, &path)?;
        create_document_beneath_root(below_root, below, name, document)
    }

    /// Replaces the document at the canonical path `real` by a new version of it, if its text is `text_before` still.
    /// `root` is the root of the call. The path is followed again without a symbolic link.
    ///
    /// # Errors
    /// Those of replacing a file.
    pub fn replace_document(
        &self,
        root: &Path,
        real: &Path,
        text_before: &str,
        document: &Document,
    ) -> Result<(), DocumentError> {
        let (below_root, below) = self.split_visible_path(root, real)?;
        document::replace_document_beneath_root(below_root, below, text_before, document)
    }

    /// The allowed folder around a path, and the path from there.
    fn split_visible_path<'a>(&'a self, root: &'a Path, path: &'a Path) -> Result<(&'a Path, &'a Path), DocumentError> {
        let folder = self.allowed_folder_around(root, path);
        let below = folder.and_then(|folder| path.strip_prefix(folder).ok().map(|below| (folder, below)));
        below.filter(|(_, below)| below.components().all(is_visible_name)).ok_or_else(|| DocumentError::LeadsOut {
            path: path.display().to_string(),
            below: root.display().to_string(),
        })
    }

    /// Where the document of a call with the output `text` goes. Nothing is made before the document is written.
    ///
    /// # Errors
    /// Where the output leads out of the allowed folders or into a hidden one, exists as a file, or is neither a folder nor
    /// the name of a Markdown file, or where the configuration of its folder keeps documents out.
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
        if !self.is_visible_below_allowed_folder(root, &real) {
            return Err(leads_out());
        }
        // What no file system takes is told before anything is paid for.
        if let Some(name) = real.components().find(|part| part.as_os_str().len() > MAX_FILE_NAME_BYTES) {
            let shown: String = name.as_os_str().to_string_lossy().chars().take(40).collect();
            return Err(bad(format!("the name {shown}… is longer than {MAX_FILE_NAME_BYTES} bytes")));
        }
        if is_folder {
            let existing = real.ancestors().find(|folder| fs::symlink_metadata(folder).is_ok());
            if !existing.is_some_and(Path::is_dir) {
                return Err(bad(format!("cannot create the folder {text}: a part of its path is a file")));
            }
            self.require_writing_is_allowed(root, &real)?;
            return Ok(match real.parent() {
                Some(parent) if real.ends_with("contexts") => Destination::ContextsBelow(parent.to_owned()),
                _ => Destination::Folder(real),
            });
        }
        if fs::symlink_metadata(&real).is_ok() {
            return Err(bad(format!("{text} already exists")));
        }
        if !is_markdown_file(&real) {
            return Err(bad(format!("{text} does not end in .md")));
        }
        let Some(folder) = real.parent() else { return Err(leads_out()) };
        let existing = folder.ancestors().find(|folder| fs::symlink_metadata(folder).is_ok());
        if !existing.is_some_and(Path::is_dir) {
            return Err(bad(format!("cannot create the folder of {text}: a part of its path is a file")));
        }
        self.require_writing_is_allowed(root, folder)?;
        Ok(Destination::File(real))
    }
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

fn is_markdown_file(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
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
        let folders = DocumentFolders::new(None, &[outer.path().join("other")]);
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
        assert_eq!(at("contexts/"), Ok(Destination::ContextsBelow(own.clone())));
        assert!(!own.join("contexts").exists(), "a folder is made with the document");
        let document = Document::parse("---\nsource_repo: x\n---\n").expect("a document");
        let written = folders
            .write_document(&own, &at("contexts/deep/").expect("a folder"), "shop", "a.md", &document)
            .expect("written");
        assert!(written.is_file() && written == own.join("contexts/deep/a.md"), "{written:?}");
        let file = at("deep/er/new.md").expect("a file");
        assert!(!own.join("deep").exists(), "a folder is made with the document");
        let written = folders.write_document(&own, &file, "shop", "a.md", &document).expect("written");
        assert!(written.is_file() && written == own.join("deep/er/new.md"), "{written:?}");
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
            ("docs/old.md/x/", "a part of its path is a file"),
            ("docs/new.sh", ".md"),
            ("docs/old.md/x.md", "a part of its path is a file"),
            (&format!("{}.md", "n".repeat(253)), "longer than 255 bytes"),
            (&format!("docs/{}/", "é".repeat(128)), "longer than 255 bytes"),
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
    fn a_folder_that_became_a_link_is_not_written_to() {
        let (outer, own, folders) = folders();
        let document = Document::parse("---\nsource_repo: x\n---\n").expect("a document");
        let secret = outer.path().join("secret");
        let names = ["docs/new.md", "docs/", "docs/deep/er/", "contexts/"];
        let destinations = names.map(|name| folders.destination(&own, name).expect(name));
        let old = own.join("docs/old.md");
        fs::write(secret.join("old.md"), "x").expect("a file");
        fs::rename(own.join("docs"), own.join("moved")).expect("renamed");
        for link in ["docs", "contexts"] {
            std::os::unix::fs::symlink(&secret, own.join(link)).expect("a link");
        }
        for destination in &destinations {
            let written = folders.write_document(&own, destination, "shop", "a.md", &document);
            assert!(written.is_err(), "{destination:?}: {written:?}");
        }
        let replaced = folders.replace_document(&own, &old, "x", &document);
        assert!(replaced.is_err(), "{replaced:?}");
        assert_eq!(fs::read_to_string(secret.join("old.md")).expect("a file"), "x");
        assert_eq!(fs::read_dir(&secret).expect("a folder").count(), 1, "something was made outside");
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
