//! The root, and the paths below it.

use std::fs::{self, FileType};
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use crate::cancellation::CancellationToken;
use crate::error::CodeError;
use crate::nearest::nearest;
use crate::store::{Signature, now};
use crate::walk::WalkOptions;
use crate::withheld::{TellRefused, Withheld, Withhold, WithholdText};

/// A root folder and the working folder from which paths are taken.
#[derive(Clone)]
pub struct Project {
    root: PathBuf,
    working_folder: PathBuf,
    cancellation: CancellationToken,
    /// Whoever reads the answers knows the root only.
    is_alone: bool,
    withheld: Withheld,
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

/// An existing file or folder below the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectEntry {
    /// The resolved absolute path, no symbolic links in it.
    pub absolute: PathBuf,
    /// The path from the root, with `/`; empty for the root itself.
    pub path: String,
    /// Whether it is a folder.
    pub is_folder: bool,
}

impl ProjectEntry {
    /// The name without its folders.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Whether the file begins with `#!`.
    pub fn may_be_script(&self) -> bool {
        self.script_probe().0
    }

    /// Whether the file begins with `#!`, and its signature, where that means it from now on.
    pub fn script_probe(&self) -> (bool, Option<Signature>) {
        let moment = now();
        let Ok((mut file, metadata)) = open_regular(&self.absolute) else { return (false, None) };
        let settled = Signature::of(&metadata).filter(|signature| signature.is_settled(moment));
        let mut first = [0; 2];
        match file.read_exact(&mut first) {
            Ok(()) => (&first == b"#!", settled),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => (false, settled),
            Err(_) => (false, None),
        }
    }

    /// The path as answers print it: `.` for the root.
    pub fn shown(&self) -> &str {
        if self.path.is_empty() { "." } else { &self.path }
    }
}

impl Project {
    /// The project of a call: `root` where it is given; else the nearest ancestor of `path` (or of the working
    /// folder) that is a repository; else the working folder.
    ///
    /// # Errors
    /// When `root` is no folder, or the working folder cannot be told.
    pub fn discover(root: Option<&Path>, path: Option<&Path>) -> Result<Self, CodeError> {
        let working_folder = std::env::current_dir()
            .and_then(dunce::canonicalize)
            .map_err(|error| CodeError::Io { path: ".".to_owned(), reason: error.to_string() })?;
        Self::discover_from(&working_folder, root, path)
    }

    /// [`Project::discover`] with the working folder given.
    ///
    /// # Errors
    /// When `root` is no folder.
    pub fn discover_from(working_folder: &Path, root: Option<&Path>, path: Option<&Path>) -> Result<Self, CodeError> {
        if let Some(root) = root {
            let shown = root.display().to_string();
            let root = dunce::canonicalize(working_folder.join(root))
                .map_err(|_| CodeError::NotFound { path: shown.clone(), nearest: Vec::new() })?;
            if !root.is_dir() {
                return Err(CodeError::Io { path: shown, reason: "the root must be a folder".to_owned() });
            }
            return Ok(Self::new(root, working_folder));
        }
        let start = path
            .map(|path| lexical(&working_folder.join(path)))
            .filter(|path| fs::symlink_metadata(path).is_ok())
            .map_or_else(|| working_folder.to_owned(), |path| before_links(&path));
        let root = match repository(&start) {
            Some(folder) => folder,
            // A path outside the working folder that no repository holds: its own folder is all there is.
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
            .map_err(|error| CodeError::Io { path: root.display().to_string(), reason: error.to_string() })?;
        Ok(Self::new(root, working_folder))
    }

    fn new(root: PathBuf, working_folder: &Path) -> Self {
        let working_folder = working_folder.to_owned();
        Self {
            root,
            working_folder,
            cancellation: CancellationToken::default(),
            is_alone: false,
            withheld: Withheld::default(),
        }
    }

    /// The same project for readers who know nothing but its root, such as a model: paths are taken from there, and
    /// calls in answers need not lead back to it.
    #[must_use]
    pub fn at_root(mut self) -> Self {
        self.working_folder.clone_from(&self.root);
        self.is_alone = true;
        self
    }

    /// The same project without the files that `withhold` gives a reason for: no walk takes them in, no search looks
    /// inside, and reading one is [`CodeError::Withheld`]. The evidence of answers names them.
    #[must_use]
    pub fn withholding(mut self, withhold: Withhold) -> Self {
        self.withheld.set_path(withhold);
        self
    }

    /// The same for files that are no part of the project: answers do not miss them, and evidence does not name them.
    #[must_use]
    pub fn passing_over(mut self, withhold: Withhold) -> Self {
        self.withheld.set_passed_over(withhold);
        self
    }

    /// The same for files that `check` gives a reason for by their text, files of code apart: see [`WithholdText`].
    #[must_use]
    pub fn withholding_text(mut self, check: WithholdText) -> Self {
        self.withheld.set_text(check);
        self
    }

    /// Has `tell` told of each withheld file that somebody asks for by name.
    #[must_use]
    pub fn telling_refused(mut self, tell: TellRefused) -> Self {
        self.withheld.set_tell(tell);
        self
    }

    /// Why the file at a path from the root, which is `absolute`, is not to be read.
    pub fn withheld(&self, path: &str, absolute: &Path) -> Option<String> {
        self.withheld.file(path, absolute)
    }

    /// Whether the file at a path from the root is no part of the project.
    pub fn passes_over(&self, path: &str) -> bool {
        self.withheld.passed_over(path).is_some()
    }

    /// Whether nobody but a model reads the answers, which knows the root only: see [`Project::at_root`].
    pub fn is_at_root(&self) -> bool {
        self.is_alone
    }

    /// The same project for one call, whose walks and reads end when `cancellation` does.
    #[must_use]
    pub fn with_cancellation(mut self, cancellation: CancellationToken) -> Self {
        self.cancellation = cancellation;
        self
    }

    /// The work of the call that this project is opened for.
    pub fn cancellation(&self) -> &CancellationToken {
        &self.cancellation
    }

    /// The root where a call from the working folder must name it to reach this project; `None` where it would find
    /// it by itself.
    pub fn root_to_name(&self) -> Option<String> {
        if self.is_alone {
            return None;
        }
        let found = Self::discover_from(&self.working_folder, None, None).ok()?;
        (found.root != self.root).then(|| self.root.display().to_string())
    }

    /// How a call must name the file or folder `path` (from the root): from the working folder where another file or
    /// folder stands there under the same path; `None` where `path` itself will do.
    pub fn path_to_name(&self, path: &str) -> Option<String> {
        if self.working_folder == self.root || !self.working_folder.join(path).exists() {
            return None;
        }
        let below = self.working_folder.strip_prefix(&self.root).ok()?;
        let up = "../".repeat(below.components().count());
        Some(format!("{up}{path}"))
    }

    /// The root, absolute and without symbolic links.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// [`Project::entry`] where it leads somewhere: no search for what else may have been meant.
    pub fn find(&self, path: &str) -> Option<ProjectEntry> {
        let asked = Path::new(path);
        let bases = if asked.is_absolute() { 1 } else { 2 };
        [&self.working_folder, &self.root].into_iter().take(bases).find_map(|base| {
            let absolute = dunce::canonicalize(base.join(asked)).ok()?;
            let path = self.relative(&absolute)?;
            let is_folder = absolute.is_dir();
            Some(ProjectEntry { absolute, path, is_folder })
        })
    }

    /// Whether a regular file stands at a path: see [`Project::find`].
    pub fn is_file(&self, path: &str) -> bool {
        self.find(path).is_some_and(|entry| entry.absolute.is_file())
    }

    /// Finds an existing path: from the working folder first, then from the root. Nothing outside the root is
    /// looked at, whichever way the path leads there.
    ///
    /// # Errors
    /// [`CodeError::NotFound`] with the nearest paths, [`CodeError::OutsideRoot`].
    pub fn entry(&self, path: &str) -> Result<ProjectEntry, CodeError> {
        if let Some(found) = self.find(path) {
            return Ok(found);
        }
        let asked = Path::new(path);
        let mut outside = false;
        let mut led_out = false;
        let mut failure = None;
        for base in [&self.working_folder, &self.root] {
            let joined = base.join(asked);
            match dunce::canonicalize(&joined) {
                Ok(_) => outside = true,
                Err(_) if !lexical(&joined).starts_with(&self.root) => outside = true,
                // Whether something is there behind a link that leads out is nobody's business.
                Err(_) if self.leads_out(&joined) => led_out = true,
                Err(error) if fs::symlink_metadata(&joined).is_ok_and(|found| found.is_symlink()) => {
                    failure = Some(format!("a symbolic link that leads nowhere ({error})"));
                }
                Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                    failure = Some(error.to_string());
                }
                Err(_) => {}
            }
            if asked.is_absolute() {
                break;
            }
        }
        if led_out {
            return Err(CodeError::OutsideRoot { path: path.to_owned(), root: self.root.display().to_string() });
        }
        if let Some(reason) = failure {
            return Err(CodeError::Io { path: path.to_owned(), reason });
        }
        // Inside one base and outside the other: the base that stays inside decides what is missing.
        if outside && !lexical(&self.root.join(asked)).starts_with(&self.root) {
            return Err(CodeError::OutsideRoot { path: path.to_owned(), root: self.root.display().to_string() });
        }
        if outside && fs::symlink_metadata(self.root.join(asked)).is_ok() {
            return Err(CodeError::OutsideRoot { path: path.to_owned(), root: self.root.display().to_string() });
        }
        Err(CodeError::NotFound { path: path.to_owned(), nearest: self.nearest_paths(path) })
    }

    /// Whether the part of a missing path that does exist lies outside the root.
    fn leads_out(&self, missing: &Path) -> bool {
        let existing = missing.ancestors().find_map(|part| dunce::canonicalize(part).ok());
        existing.is_some_and(|part| !part.starts_with(&self.root) && !self.root.starts_with(&part))
    }

    /// [`Project::entry`] for a regular file.
    ///
    /// # Errors
    /// Those of [`Project::entry`], [`CodeError::IsFolder`], [`CodeError::NotRegular`], [`CodeError::Withheld`].
    pub fn file(&self, path: &str) -> Result<ProjectEntry, CodeError> {
        let entry = self.entry(path)?;
        if entry.is_folder {
            return Err(CodeError::IsFolder { path: entry.shown().to_owned() });
        }
        // A link may be named like a secret, and so may what it leads to.
        let named = || self.relative(&lexical(&self.working_folder.join(path)));
        let by_path = || self.withheld.path(&named()?);
        if let Some(reason) = self.withheld(&entry.path, &entry.absolute).or_else(by_path) {
            self.withheld.refused(&entry.path, &reason);
            return Err(CodeError::Withheld { path: entry.path, reason });
        }
        let kind = fs::metadata(&entry.absolute)
            .map_err(|error| CodeError::Io { path: entry.path.clone(), reason: error.to_string() })?
            .file_type();
        match special(kind) {
            Some(what) => Err(CodeError::NotRegular { path: entry.path, what }),
            None => Ok(entry),
        }
    }

    /// The regular file at a path from the root, wherever the call comes from; `None` without a search for what may have
    /// been meant.
    pub fn file_below(&self, path: &str) -> Option<ProjectEntry> {
        let absolute = dunce::canonicalize(self.root.join(path)).ok()?;
        let path = self.relative(&absolute).filter(|path| self.withheld(path, &absolute).is_none())?;
        fs::metadata(&absolute).ok()?.is_file().then_some(ProjectEntry { absolute, path, is_folder: false })
    }

    /// The regular file at a path that an answer printed: from the root, whichever folder the call comes from.
    ///
    /// # Errors
    /// Those of [`Project::file`].
    pub fn file_of_answer(&self, path: &str) -> Result<ProjectEntry, CodeError> {
        self.file_below(path).map_or_else(|| self.file(path), Ok)
    }

    /// The path from the root with `/`, `None` where it lies outside. Bytes that are no UTF-8 become U+FFFD.
    pub fn relative(&self, absolute: &Path) -> Option<String> {
        let relative = absolute.strip_prefix(&self.root).ok()?;
        let mut out = String::new();
        for component in relative.components() {
            if !out.is_empty() {
                out.push('/');
            }
            out.push_str(&component.as_os_str().to_string_lossy());
        }
        Some(out)
    }

    /// Files of exactly this name anywhere in the project, at most three.
    fn same_name(&self, name: &str) -> Vec<String> {
        let Ok(set) = self.files(None, &WalkOptions::default()) else { return Vec::new() };
        set.entries.into_iter().filter(|entry| entry.name() == name).take(3).map(|entry| entry.path).collect()
    }

    /// Existing paths that resemble one that does not exist: names in the deepest folder of it that does exist.
    fn nearest_paths(&self, path: &str) -> Vec<String> {
        let wanted = lexical(&self.root.join(path));
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
        let elsewhere = self.same_name(&missing.to_string_lossy());
        if !elsewhere.is_empty() {
            return elsewhere;
        }
        let mut names: Vec<String> = fs::read_dir(&folder)
            .map(|entries| {
                entries.filter_map(Result::ok).map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
            })
            .unwrap_or_default();
        names.sort();
        nearest(&missing.to_string_lossy(), names.iter().map(String::as_str), 3)
            .into_iter()
            .filter_map(|name| self.relative(&folder.join(name)))
            .collect()
    }
}

/// Opens a file that is regular at the moment it is opened; one that became a FIFO or a link meanwhile is refused.
pub fn open_regular(path: &Path) -> std::io::Result<(fs::File, fs::Metadata)> {
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

/// What a file that is neither regular nor a folder is.
fn special(kind: FileType) -> Option<&'static str> {
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

/// The nearest ancestor that is a repository, the path itself included.
fn repository(path: &Path) -> Option<&Path> {
    path.ancestors().find(|folder| folder.join(".git").exists())
}

/// The path up to its first symbolic link inside a repository: a link does not take the root along to where it leads.
fn before_links(path: &Path) -> PathBuf {
    let mut before = PathBuf::new();
    for component in path.components() {
        let next = before.join(component);
        if fs::symlink_metadata(&next).is_ok_and(|found| found.is_symlink()) && repository(&before).is_some() {
            return before;
        }
        before = next;
    }
    before
}

/// The path with `.` and `..` worked out on its text alone.
fn lexical(path: &Path) -> PathBuf {
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
