//! `Project`: a project's root folder, and the lookup of files and folders below it.

use std::fs::{self, FileType};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::cancellation::CancellationToken;
use crate::entry::ProjectEntry;
use crate::error::CodeError;
use crate::open_folder::{EntryKind, OpenFolder};
use crate::path_text::{existing_path_of_text, text_of_path};
use crate::root_folder::RootFolder;
use crate::shortest_path::shortest_text_of_folder;
use crate::similar_names::find_similar_names;
use crate::walk::WalkOptions;
use crate::withheld::{RefusalCallback, WithholdPathRule, WithholdTextRule, WithholdingRules};

/// A project: its root folder, the working folder that relative paths start from, and the rules for files that must not
/// be read.
#[derive(Clone)]
pub struct Project {
    root: PathBuf,
    /// The open root folder, from which all files are opened.
    root_folder: Arc<RootFolder>,
    working_folder: PathBuf,
    cancellation: CancellationToken,
    /// Whether the caller knows only the root and no working folder: see [`Project::without_working_folder`].
    has_no_working_folder: bool,
    withholding_rules: WithholdingRules,
}

impl std::fmt::Debug for Project {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { root, working_folder, cancellation, .. } = self;
        f.debug_struct("Project")
            .field("root", root)
            .field("working_folder", working_folder)
            .field("work", cancellation)
            .finish()
    }
}

impl Project {
    /// Finds the project that a call is about. The root is `root` if given, else the nearest ancestor of `path` (or of
    /// the working folder) that is a repository, else the working folder.
    ///
    /// # Errors
    /// If `root` is no folder, or the working folder cannot be determined.
    pub fn discover(root: Option<&Path>, path: Option<&Path>) -> Result<Self, CodeError> {
        let working_folder = std::env::current_dir()
            .and_then(dunce::canonicalize)
            .map_err(|error| CodeError::Io { path: ".".to_owned(), reason: error.to_string() })?;
        Self::discover_with_working_folder(&working_folder, root, path)
    }

    /// [`Project::discover`] with an explicit working folder.
    ///
    /// # Errors
    /// If `root` is no folder.
    pub fn discover_with_working_folder(
        working_folder: &Path,
        root: Option<&Path>,
        path: Option<&Path>,
    ) -> Result<Self, CodeError> {
        if let Some(root) = root {
            let root_text = text_of_path(root);
            let root = dunce::canonicalize(join_given_path_to_folder(working_folder, root))
                .map_err(|_| CodeError::NotFound { path: root_text.clone(), nearest: Vec::new() })?;
            if !root.is_dir() {
                return Err(CodeError::Io { path: root_text, reason: "the root must be a folder".to_owned() });
            }
            return Ok(Self::new(root, working_folder));
        }
        let start = path
            .map(|path| normalize_path_lexically(&join_given_path_to_folder(working_folder, path)))
            .filter(|path| fs::symlink_metadata(path).is_ok())
            .map_or_else(|| working_folder.to_owned(), |path| path_before_symlink_in_repository(&path));
        let root = match nearest_repository_folder(&start) {
            Some(folder) => folder,
            // A path outside the working folder and outside any repository: the path's own folder becomes the root.
            None if !start.starts_with(working_folder) => {
                if start.is_dir() {
                    &start
                } else {
                    start.parent().unwrap_or(&start)
                }
            }
            None => working_folder,
        };
        let root = dunce::canonicalize(root)
            .map_err(|error| CodeError::Io { path: text_of_path(root), reason: error.to_string() })?;
        Ok(Self::new(root, working_folder))
    }

    fn new(root: PathBuf, working_folder: &Path) -> Self {
        let working_folder = working_folder.to_owned();
        Self {
            root_folder: RootFolder::at_path(&root),
            root,
            working_folder,
            cancellation: CancellationToken::default(),
            has_no_working_folder: false,
            withholding_rules: WithholdingRules::default(),
        }
    }

    /// This project for a caller that knows only its root and no working folder, such as a language model. Relative
    /// paths start from the root, and the calls that answers suggest need not name the root.
    #[must_use]
    pub fn without_working_folder(mut self) -> Self {
        self.working_folder.clone_from(&self.root);
        self.has_no_working_folder = true;
        self
    }

    /// This project without the files for which `withhold` returns a reason not to read them. Walks and searches skip
    /// them, and reading one fails with [`CodeError::Withheld`]. The evidence of answers lists them.
    #[must_use]
    pub fn with_withheld_path_rule(mut self, withhold: WithholdPathRule) -> Self {
        self.withholding_rules.set_withheld_path_rule(withhold);
        self
    }

    /// This project without the files for which `withhold` returns a reason, because they do not belong to the project.
    /// Answers count as complete without them, and the evidence does not list them.
    #[must_use]
    pub fn with_excluded_path_rule(mut self, withhold: WithholdPathRule) -> Self {
        self.withholding_rules.set_excluded_path_rule(withhold);
        self
    }

    /// This project without the files for whose text `check` returns a reason not to read them; code files are exempt:
    /// see [`WithholdTextRule`].
    #[must_use]
    pub fn with_withheld_text_rule(mut self, check: WithholdTextRule) -> Self {
        self.withholding_rules.set_withheld_text_rule(check);
        self
    }

    /// Sets `tell`, a function that is called for each withheld file that a caller requests by name.
    #[must_use]
    pub fn with_refusal_callback(mut self, tell: RefusalCallback) -> Self {
        self.withholding_rules.set_refusal_callback(tell);
        self
    }

    /// Why the file at `path` (from the root), with the absolute path `absolute`, must not be read; `None` if it may be
    /// read.
    pub fn withheld_reason(&self, path: &str, absolute: &Path) -> Option<String> {
        self.withholding_rules.withheld_reason(&self.root_folder, path, absolute)
    }

    /// Whether the file at a path from the root does not belong to the project: see
    /// [`Project::with_excluded_path_rule`].
    pub fn is_excluded_path(&self, path: &str) -> bool {
        self.withholding_rules.exclusion_reason(path).is_some()
    }

    /// Whether the caller is a language model, which knows only the root and no working folder: see
    /// [`Project::without_working_folder`].
    pub fn has_no_working_folder(&self) -> bool {
        self.has_no_working_folder
    }

    /// This project for a single call: walks and reads stop when `cancellation` is triggered.
    #[must_use]
    pub fn with_cancellation(mut self, cancellation: CancellationToken) -> Self {
        self.cancellation = cancellation;
        self
    }

    /// The cancellation token of the call that uses this project.
    pub fn cancellation(&self) -> &CancellationToken {
        &self.cancellation
    }

    /// The path of the root, if a call from the working folder has to name it to find this project: absolute or from the
    /// working folder, whichever is shorter. `None` if the call finds the project without it.
    pub fn root_path_if_call_must_name_it(&self) -> Option<String> {
        if self.has_no_working_folder {
            return None;
        }
        let found = Self::discover_with_working_folder(&self.working_folder, None, None).ok()?;
        (found.root != self.root).then(|| shortest_text_of_folder(&self.root, &self.working_folder))
    }

    /// The path by which a call must name the file or folder `path` (from the root). The result is relative to the
    /// working folder if another file or folder has the path `path` there; `None` if `path` itself works.
    pub fn path_argument_if_ambiguous(&self, path: &str) -> Option<String> {
        let from_working_folder = join_given_path_to_folder(&self.working_folder, Path::new(path));
        // An absolute path is the same from everywhere.
        let is_one_place = || from_working_folder == join_given_path_to_folder(&self.root, Path::new(path));
        if self.working_folder == self.root || !from_working_folder.exists() || is_one_place() {
            return None;
        }
        let Ok(folder_from_root) = self.working_folder.strip_prefix(&self.root) else {
            return Some(format!("{}/{path}", shortest_text_of_folder(&self.root, &self.working_folder)));
        };
        let parent_steps = "../".repeat(folder_from_root.components().count());
        Some(format!("{parent_steps}{path}"))
    }

    /// The path of the root folder, absolute and without symbolic links.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The open root folder, from which all files of the project are opened.
    pub(crate) fn root_folder(&self) -> &Arc<RootFolder> {
        &self.root_folder
    }

    /// The file that a walk of this project found at a path from the root. Nothing is looked up: a file that is gone
    /// fails when it is opened.
    pub fn project_entry_for_walked_path(&self, path: &str) -> ProjectEntry {
        self.new_entry(self.absolute_path_of_text(path), path.to_owned(), false)
    }

    fn new_entry(&self, absolute: PathBuf, path: String, is_folder: bool) -> ProjectEntry {
        ProjectEntry::new(self.root_folder.clone(), absolute, path, is_folder)
    }

    /// The names of the folders directly in a folder of the project, in no order.
    pub fn names_of_folders_in(&self, folder: &ProjectEntry) -> Vec<String> {
        let entries = OpenFolder::open(&self.root_folder, &folder.absolute).and_then(|folder| folder.entries());
        let folders = entries.unwrap_or_default().into_iter().filter(|(_, kind)| *kind == EntryKind::Folder);
        folders.filter_map(|(name, _)| name.into_string().ok()).collect()
    }

    /// [`Project::require_entry`] without the search for similar paths; `None` if the path does not exist or is outside
    /// the root.
    pub fn find_entry(&self, path: &str) -> Option<ProjectEntry> {
        let requested_path = Path::new(path);
        let bases = if requested_path.is_absolute() { 1 } else { 2 };
        [&self.working_folder, &self.root].into_iter().take(bases).find_map(|base| {
            let absolute = dunce::canonicalize(join_given_path_to_folder(base, requested_path)).ok()?;
            let path = self.path_from_root(&absolute)?;
            let is_folder = absolute.is_dir();
            Some(self.new_entry(absolute, path, is_folder))
        })
    }

    /// Whether a regular file exists at a path: see [`Project::find_entry`].
    pub fn has_regular_file(&self, path: &str) -> bool {
        self.find_entry(path).is_some_and(|entry| entry.absolute.is_file())
    }

    /// Finds an existing path, relative to the working folder first, then to the root. Nothing outside the root is
    /// read, even if a symbolic link points there.
    ///
    /// # Errors
    /// [`CodeError::NotFound`] with the most similar paths, [`CodeError::OutsideRoot`].
    pub fn require_entry(&self, path: &str) -> Result<ProjectEntry, CodeError> {
        self.require_entry_without_similar_paths(path).map_err(|error| self.with_similar_paths(error))
    }

    /// An error, with the most similar paths where it says that a path is missing.
    pub(crate) fn with_similar_paths(&self, error: CodeError) -> CodeError {
        match error {
            CodeError::NotFound { path, .. } => {
                let nearest = self.find_similar_paths(&path);
                CodeError::NotFound { path, nearest }
            }
            other => other,
        }
    }

    /// [`Project::require_entry`], whose error names no similar paths: finding them costs a walk through the project.
    pub(crate) fn require_entry_without_similar_paths(&self, path: &str) -> Result<ProjectEntry, CodeError> {
        if let Some(found) = self.find_entry(path) {
            return Ok(found);
        }
        let requested_path = Path::new(path);
        let mut is_outside = false;
        let mut is_link_out_of_root = false;
        let mut failure = None;
        for base in [&self.working_folder, &self.root] {
            let joined = join_given_path_to_folder(base, requested_path);
            match dunce::canonicalize(&joined) {
                Ok(_) => is_outside = true,
                Err(_) if !normalize_path_lexically(&joined).starts_with(&self.root) => is_outside = true,
                // The error must not reveal whether the target of a link out of the project exists.
                Err(_) if self.is_nearest_existing_ancestor_outside_root(&joined) => is_link_out_of_root = true,
                Err(error) if fs::symlink_metadata(&joined).is_ok_and(|found| found.is_symlink()) => {
                    // A link to an open pipe has no path behind it, and yet leads to something.
                    let what =
                        fs::metadata(&joined).ok().and_then(|found| describe_special_file_type(found.file_type()));
                    failure = Some(match what {
                        Some(what) => return Err(CodeError::NotRegular { path: path.to_owned(), what }),
                        None => format!("a broken symbolic link ({error})"),
                    });
                }
                Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                    failure = Some(error.to_string());
                }
                Err(_) => {}
            }
            if requested_path.is_absolute() {
                break;
            }
        }
        if is_link_out_of_root {
            return Err(CodeError::OutsideRoot { path: path.to_owned(), root: text_of_path(&self.root) });
        }
        if let Some(reason) = failure {
            return Err(CodeError::Io { path: path.to_owned(), reason });
        }
        // The path is outside the project from one base and inside from the other; the base inside the project decides
        // what is missing.
        if is_outside && !normalize_path_lexically(&self.absolute_path_of_text(path)).starts_with(&self.root) {
            return Err(CodeError::OutsideRoot { path: path.to_owned(), root: text_of_path(&self.root) });
        }
        if is_outside && fs::symlink_metadata(self.absolute_path_of_text(path)).is_ok() {
            return Err(CodeError::OutsideRoot { path: path.to_owned(), root: text_of_path(&self.root) });
        }
        Err(CodeError::NotFound { path: path.to_owned(), nearest: Vec::new() })
    }

    /// Whether the deepest existing ancestor of a missing path is outside the root and does not contain the root.
    fn is_nearest_existing_ancestor_outside_root(&self, missing: &Path) -> bool {
        let existing = missing.ancestors().find_map(|part| dunce::canonicalize(part).ok());
        existing.is_some_and(|part| !part.starts_with(&self.root) && !self.root.starts_with(&part))
    }

    /// [`Project::require_entry`] for a regular file that may be read.
    ///
    /// # Errors
    /// The errors of [`Project::require_entry`], [`CodeError::IsFolder`], [`CodeError::NotRegular`],
    /// [`CodeError::Withheld`].
    pub fn require_readable_file(&self, path: &str) -> Result<ProjectEntry, CodeError> {
        self.require_readable_file_of_entry(path, self.require_entry(path)?)
    }

    /// [`Project::require_readable_file`] for a path whose entry is known.
    pub(crate) fn require_readable_file_of_entry(
        &self,
        path: &str,
        entry: ProjectEntry,
    ) -> Result<ProjectEntry, CodeError> {
        if entry.is_folder {
            return Err(CodeError::IsFolder { path: entry.display_path().to_owned() });
        }
        // The name of a link is checked in addition to the name of its target: either may be the name of a secret file.
        let link_path = || {
            self.path_from_root(&normalize_path_lexically(&join_given_path_to_folder(
                &self.working_folder,
                Path::new(path),
            )))
        };
        let by_path = || self.withholding_rules.withheld_reason_by_path(&link_path()?);
        if let Some(reason) = self.withheld_reason(&entry.path, &entry.absolute).or_else(by_path) {
            self.withholding_rules.report_refused_file(&entry.path, &reason);
            return Err(CodeError::Withheld { path: entry.path, reason });
        }
        let kind = fs::metadata(&entry.absolute)
            .map_err(|error| CodeError::Io { path: entry.path.clone(), reason: error.to_string() })?
            .file_type();
        match describe_special_file_type(kind) {
            Some(what) => Err(CodeError::NotRegular { path: entry.path, what }),
            None => Ok(entry),
        }
    }

    /// The regular file at a path from the root, whatever the working folder is; `None` if there is no such file or it
    /// must not be read. Similar paths are not searched.
    pub fn find_readable_file_by_root_path(&self, path: &str) -> Option<ProjectEntry> {
        let absolute = dunce::canonicalize(self.absolute_path_of_text(path)).ok()?;
        let path = self.path_from_root(&absolute).filter(|path| self.withheld_reason(path, &absolute).is_none())?;
        fs::metadata(&absolute).ok()?.is_file().then(|| self.new_entry(absolute, path, false))
    }

    /// The regular file at a path that an answer printed. The path starts from the root, whatever the working folder
    /// is.
    ///
    /// # Errors
    /// The errors of [`Project::require_readable_file`].
    pub fn require_readable_file_by_root_path(&self, path: &str) -> Result<ProjectEntry, CodeError> {
        self.find_readable_file_by_root_path(path).map_or_else(|| self.require_readable_file(path), Ok)
    }

    /// The absolute path that a path from the root stands for: see [`existing_path_of_text`].
    pub fn absolute_path_of_text(&self, path: &str) -> PathBuf {
        self.root.join(existing_path_of_text(&self.root, path))
    }

    /// Converts an absolute path to a path from the root, with `/` as separator; `None` for a path outside the root.
    /// Names that are not UTF-8 or hold control characters are escaped: see [`text_of_path`].
    pub fn path_from_root(&self, absolute: &Path) -> Option<String> {
        let relative = absolute.strip_prefix(&self.root).ok()?;
        if cfg!(not(unix)) {
            let names = relative.components().map(|component| text_of_path(component.as_os_str().as_ref()));
            return Some(names.collect::<Vec<_>>().join("/"));
        }
        // Collected again, without a `.` in the middle or a `/` at the end.
        Some(text_of_path(&relative.components().collect::<PathBuf>()))
    }

    /// The paths of up to three files with exactly this name, anywhere in the project.
    fn find_at_most_three_paths_named(&self, name: &str) -> Vec<String> {
        let Ok(set) = self.files_in_scope(None, &WalkOptions::default()) else { return Vec::new() };
        set.entries.into_iter().filter(|entry| entry.name() == name).take(3).map(|entry| entry.path).collect()
    }

    /// Existing paths similar to a path that does not exist: similar names in the deepest existing folder of the path.
    fn find_similar_paths(&self, path: &str) -> Vec<String> {
        let wanted = normalize_path_lexically(&self.absolute_path_of_text(path));
        let mut folder = wanted.as_path();
        let mut missing = None;
        while let Some(parent) = folder.parent() {
            missing = folder.file_name();
            folder = parent;
            if folder.is_dir() {
                break;
            }
        }
        let (Some(missing), Ok(folder)) = (missing, dunce::canonicalize(folder)) else { return Vec::new() };
        if !folder.starts_with(&self.root) {
            return Vec::new();
        }
        let missing = text_of_path(missing.as_ref());
        let same_name_paths = self.find_at_most_three_paths_named(&missing);
        if !same_name_paths.is_empty() {
            return same_name_paths;
        }
        let entries = OpenFolder::open(&self.root_folder, &folder).and_then(|folder| folder.entries());
        let mut names: Vec<String> =
            entries.unwrap_or_default().iter().map(|(name, _)| text_of_path(name.as_ref())).collect();
        names.sort();
        let names = names.iter().map(String::as_str).take_while(|_| self.cancellation().stop_cause().is_none());
        find_similar_names(&missing, names, 3)
            .into_iter()
            .filter_map(|name| self.path_from_root(&join_given_path_to_folder(&folder, Path::new(&name))))
            .collect()
    }
}

/// A path as a caller gives it, joined to the folder that it starts from. It may be text that stands for another path:
/// see [`existing_path_of_text`].
fn join_given_path_to_folder(folder: &Path, given: &Path) -> PathBuf {
    match given.to_str() {
        Some(text) => folder.join(existing_path_of_text(folder, text)),
        None => folder.join(given),
    }
}

/// The type of a file that is not regular, with its article, such as "a socket"; `None` for a regular file.
fn describe_special_file_type(kind: FileType) -> Option<&'static str> {
    if kind.is_file() {
        return None;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return Some("a FIFO");
        }
        if kind.is_socket() {
            return Some("a socket");
        }
        if kind.is_char_device() || kind.is_block_device() {
            return Some("a device");
        }
    }
    Some("a special file")
}

/// The nearest ancestor of `path` that is a repository (it contains `.git`); `path` itself counts.
fn nearest_repository_folder(path: &Path) -> Option<&Path> {
    path.ancestors().find(|folder| folder.join(".git").exists())
}

/// The part of a path before its first symbolic link inside a repository, so that a link does not move the project's
/// root to the link's target.
fn path_before_symlink_in_repository(path: &Path) -> PathBuf {
    let mut before = PathBuf::new();
    for component in path.components() {
        let next = before.join(component);
        if fs::symlink_metadata(&next).is_ok_and(|found| found.is_symlink())
            && nearest_repository_folder(&before).is_some()
        {
            return before;
        }
        before = next;
    }
    before
}

/// The path with `.` and `..` removed by text alone, without reading the file system.
fn normalize_path_lexically(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}
