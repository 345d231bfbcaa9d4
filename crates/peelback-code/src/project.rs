//! The root, and the paths below it.

use std::fs::{self, FileType};
use std::path::{Component, Path, PathBuf};

use crate::error::CodeError;
use crate::files::WalkOptions;
use crate::nearest::nearest;

/// A root folder and the working folder from which paths are taken.
#[derive(Debug, Clone)]
pub struct Project {
    root: PathBuf,
    working_folder: PathBuf,
}

/// An existing file or folder below the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The resolved absolute path, no symbolic links in it.
    pub absolute: PathBuf,
    /// The path from the root, with `/`; empty for the root itself.
    pub path: String,
    /// Whether it is a folder.
    pub is_folder: bool,
}

impl Place {
    /// The name without its folders.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
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
            return Ok(Self { root, working_folder: working_folder.to_owned() });
        }
        let start = path
            .and_then(|path| dunce::canonicalize(working_folder.join(path)).ok())
            .unwrap_or_else(|| working_folder.to_owned());
        let repository = start.ancestors().find(|folder| folder.join(".git").exists());
        let root = match repository {
            Some(folder) => folder.to_owned(),
            // A path outside the working folder that no repository holds: its own folder is all there is.
            None if !start.starts_with(working_folder) => {
                if start.is_dir() {
                    start
                } else {
                    start.parent().map_or(start.clone(), Path::to_owned)
                }
            }
            None => working_folder.to_owned(),
        };
        Ok(Self { root, working_folder: working_folder.to_owned() })
    }

    /// The root where a call from the working folder must name it to reach this project; `None` where it would find
    /// it by itself.
    pub fn root_to_name(&self) -> Option<String> {
        let found = Self::discover_from(&self.working_folder, None, None).ok()?;
        (found.root != self.root).then(|| self.root.display().to_string())
    }

    /// The root, absolute and without symbolic links.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Finds an existing path: from the working folder first, then from the root. Nothing outside the root is
    /// looked at, whichever way the path leads there.
    ///
    /// # Errors
    /// [`CodeError::NotFound`] with the nearest paths, [`CodeError::OutsideRoot`].
    pub fn place(&self, path: &str) -> Result<Place, CodeError> {
        let asked = Path::new(path);
        let mut outside = false;
        let mut failure = None;
        for base in [&self.working_folder, &self.root] {
            let joined = base.join(asked);
            match dunce::canonicalize(&joined) {
                Ok(absolute) => match self.relative(&absolute) {
                    Some(relative) => {
                        let is_folder = absolute.is_dir();
                        return Ok(Place { absolute, path: relative, is_folder });
                    }
                    None => outside = true,
                },
                Err(_) if !lexical(&joined).starts_with(&self.root) => outside = true,
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

    /// [`Project::place`] for a regular file.
    ///
    /// # Errors
    /// Those of [`Project::place`], [`CodeError::IsFolder`], [`CodeError::NotRegular`].
    pub fn file(&self, path: &str) -> Result<Place, CodeError> {
        let place = self.place(path)?;
        if place.is_folder {
            return Err(CodeError::IsFolder { path: place.shown().to_owned() });
        }
        let kind = fs::metadata(&place.absolute)
            .map_err(|error| CodeError::Io { path: place.path.clone(), reason: error.to_string() })?
            .file_type();
        match special(kind) {
            Some(what) => Err(CodeError::NotRegular { path: place.path, what }),
            None => Ok(place),
        }
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
        set.places.into_iter().filter(|place| place.name() == name).take(3).map(|place| place.path).collect()
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
        let (Some(missing), true) = (missing, folder.starts_with(&self.root)) else { return Vec::new() };
        let elsewhere = self.same_name(&missing.to_string_lossy());
        if !elsewhere.is_empty() {
            return elsewhere;
        }
        let mut names: Vec<String> = fs::read_dir(folder)
            .map(|entries| {
                entries
                    .filter_map(Result::ok)
                    .take(10_000)
                    .map(|entry| entry.file_name().to_string_lossy().into_owned())
                    .collect()
            })
            .unwrap_or_default();
        names.sort();
        nearest(&missing.to_string_lossy(), names.iter().map(String::as_str), 3)
            .into_iter()
            .filter_map(|name| self.relative(&folder.join(name)))
            .collect()
    }
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
