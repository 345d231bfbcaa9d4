//! Reads ignore files. They come with the project, so each is known to be regular, has a limit, and is opened inside
//! the project where it belongs to it. What is refused is said in the evidence of the answer.

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::git_settings::{GitFolders, GitSettings};
use super::ignore_rules::{FolderIgnoreRules, IgnorePatterns, RuleKind};
use crate::open_folder::{EntryKind, OpenFolder};
use crate::regular_file::{open_regular_file_following_links, read_unless_larger_than};
use crate::root_folder::RootFolder;

/// The maximum size in bytes of one ignore file. Each path is matched with all rules that have wildcards.
const MAX_IGNORE_FILE_BYTES: u64 = 256 << 10;

/// The maximum size in bytes of the rules that apply in one folder, each rule with [`BYTES_PER_RULE`] of its own.
const MAX_BYTES_OF_RULES: u64 = 512 << 10;

/// The number of bytes that a rule counts for in addition to its text: a short rule takes hardly less memory than a
/// longer one.
const BYTES_PER_RULE: u64 = 40;

/// The maximum size in bytes of git's configuration files, and of the files that lead from a linked work tree to its
/// repository.
const MAX_GIT_FILE_BYTES: u64 = 1 << 20;

/// The device that reads as an empty file.
const NULL_DEVICE: &str = if cfg!(windows) { "NUL" } else { "/dev/null" };

/// The reader of the ignore files of one walk.
pub struct IgnoreFiles<'a> {
    root: &'a RootFolder,
    /// The files of which rules are not applied, and why.
    refused: Mutex<Vec<(PathBuf, String)>>,
}

impl<'a> IgnoreFiles<'a> {
    /// The reader for a walk in the project with this root.
    pub fn new(root: &'a RootFolder) -> Self {
        Self { root, refused: Mutex::default() }
    }

    /// The ignore files of which rules are not applied, by their absolute paths, and why.
    pub fn into_unapplied_files(self) -> Vec<(PathBuf, String)> {
        let mut refused = self.refused.into_inner().unwrap_or_else(PoisonError::into_inner);
        refused.sort();
        refused.dedup();
        refused
    }

    /// The rules of all folders above `start`, an absolute path.
    pub fn read_rules_above(&self, start: &Path) -> Arc<FolderIgnoreRules> {
        let mut rules = FolderIgnoreRules::none();
        let mut folders: Vec<&Path> = start.ancestors().skip(1).collect();
        folders.reverse();
        for folder in folders {
            let has_git = fs::metadata(folder.join(".git")).is_ok();
            let has_repository = has_git || folder.join(".jj").exists();
            rules = self.read_rules_of_folder(&rules, folder, has_git, has_repository, |path| {
                if self.root.path_below_root(path).is_some() {
                    self.open_resolved_path(path)
                } else {
                    open_regular_file_following_links(path)
                }
            });
        }
        rules
    }

    /// The rules of an open folder with the absolute path `path`, and of the folders above it. `entries` is the
    /// folder's list of names, so that no missing file is looked for.
    pub fn read_rules_of_open_folder(
        &self,
        above: &Arc<FolderIgnoreRules>,
        path: &Path,
        folder: &OpenFolder,
        entries: &[(OsString, EntryKind)],
    ) -> Arc<FolderIgnoreRules> {
        let mut kinds = [None; IGNORE_FILE_NAMES.len()];
        let mut has_git = false;
        let mut has_jujutsu = false;
        for (name, kind) in entries {
            let Some(name) = name.to_str().filter(|name| name.starts_with('.')) else { continue };
            has_git |= name == ".git";
            has_jujutsu |= name == ".jj";
            if let Some(found) = IGNORE_FILE_NAMES.iter().position(|(_, known)| *known == name) {
                kinds.get_mut(found).into_iter().for_each(|found| *found = Some(*kind));
            }
        }
        if !has_git && !has_jujutsu && kinds.iter().all(Option::is_none) {
            return above.clone();
        }
        let has_git = has_git && fs::metadata(path.join(".git")).is_ok();
        let has_repository = has_git || (has_jujutsu && path.join(".jj").exists());
        self.read_rules_of_folder(above, path, has_git, has_repository, |file| {
            let known = IGNORE_FILE_NAMES.iter().zip(kinds).find(|((_, name), _)| file.ends_with(name));
            match known {
                Some(((_, name), Some(EntryKind::File))) => folder.open_regular_file(name),
                Some((_, Some(EntryKind::Other))) => self.open_resolved_path(file),
                _ => Err(io::Error::from(ErrorKind::NotFound)),
            }
        })
    }

    /// The rules of a folder and of the folders above it; `open` opens its ignore files.
    fn read_rules_of_folder(
        &self,
        above: &Arc<FolderIgnoreRules>,
        folder: &Path,
        has_git: bool,
        has_repository: bool,
        open: impl Fn(&Path) -> io::Result<(File, Metadata)>,
    ) -> Arc<FolderIgnoreRules> {
        let mut rules = Vec::new();
        let mut bytes = above.bytes();
        let mut add = |kind, path: &Path, ignores_case, text: Option<Vec<u8>>| {
            let parsed = text.and_then(|text| self.parse_rules(path, &text, bytes, ignores_case));
            if let Some((patterns, size)) = parsed {
                bytes += size;
                rules.push((kind, Arc::new(patterns)));
            }
        };
        let git = has_git.then(|| GitFolders::of_work_tree(self, folder)).flatten();
        let settings = has_repository.then(|| GitSettings::of_work_tree(self, folder, git.as_ref()));
        let ignores_case = settings.as_ref().map_or(above.ignores_case(), |settings| settings.ignores_case);
        for (kind, name) in IGNORE_FILE_NAMES {
            let path = folder.join(name);
            let text = self.read_file_bytes_or_record_reason(&path, MAX_IGNORE_FILE_BYTES, || open(&path));
            add(kind, &path, ignores_case && kind.counts_only_in_repository(), text);
        }
        if let Some(git) = git {
            let path = git.common.path().join("info/exclude");
            let text = self.read_file_bytes_or_record_reason(&path, MAX_IGNORE_FILE_BYTES, || {
                self.open_file_of_git(&git.common, &path)
            });
            add(RuleKind::GitExclude, &path, ignores_case, text);
        }
        if let Some(path) = settings.and_then(|settings| settings.excludes_file) {
            let text = self.read_file_bytes_or_record_reason(&path, MAX_IGNORE_FILE_BYTES, || {
                open_regular_file_following_links(&path)
            });
            add(RuleKind::GitConfigured, &path, ignores_case, text);
        }
        FolderIgnoreRules::from_rules_and_parent(above, folder, rules, has_repository.then_some(ignores_case), bytes)
    }

    /// The patterns of an ignore file and their size, if they have not too many bytes with the `bytes_before` that apply
    /// in the same folder.
    fn parse_rules(
        &self,
        path: &Path,
        text: &[u8],
        bytes_before: u64,
        ignores_case: bool,
    ) -> Option<(IgnorePatterns, u64)> {
        let lines = text.split(|byte| *byte == b'\n').count();
        let size = text.len() as u64 + lines as u64 * BYTES_PER_RULE;
        if bytes_before + size > MAX_BYTES_OF_RULES {
            self.record_unapplied_file(
                path,
                "its rules were not applied: with the ignore files above it, it has too many rules",
            );
            return None;
        }
        let patterns = IgnorePatterns::new(text, ignores_case);
        (!patterns.is_empty()).then_some((patterns, size))
    }

    /// Opens a file of the project at a path that may be a symbolic link: what the link leads to is opened where it is
    /// inside the project.
    fn open_resolved_path(&self, path: &Path) -> io::Result<(File, Metadata)> {
        let resolved = dunce::canonicalize(path)?;
        if self.root.path_below_root(&resolved).is_none() {
            return Err(io::Error::other("it is a symbolic link that leads out of the project"));
        }
        self.root.open_regular_file(&resolved)
    }

    /// Opens a file below git's folder. A symbolic link is followed where it stays there or in the project.
    pub fn open_file_of_git(&self, git: &RootFolder, path: &Path) -> io::Result<(File, Metadata)> {
        let resolved = dunce::canonicalize(path)?;
        match [git, self.root].into_iter().find(|root| root.path_below_root(&resolved).is_some()) {
            Some(root) => root.open_regular_file(&resolved),
            None => Err(io::Error::other("it is a symbolic link that leads out of the repository")),
        }
    }

    /// The bytes of a file of git's that `open` opens, its settings among them; `None` where there is none. A file that
    /// cannot be read is recorded.
    pub fn read_file_of_git(
        &self,
        path: &Path,
        open: impl FnOnce() -> io::Result<(File, Metadata)>,
    ) -> Option<Vec<u8>> {
        self.read_file_bytes_or_record_reason(path, MAX_GIT_FILE_BYTES, open)
    }

    /// The bytes of a file that `open` opens; `None` where there is none. A file that cannot be read is refused.
    fn read_file_bytes_or_record_reason(
        &self,
        path: &Path,
        limit: u64,
        open: impl FnOnce() -> io::Result<(File, Metadata)>,
    ) -> Option<Vec<u8>> {
        // Whoever wants no configuration of git names the null device in its place.
        if path == Path::new(NULL_DEVICE) {
            return None;
        }
        match open().and_then(|(file, metadata)| read_unless_larger_than(file, &metadata, limit)) {
            Ok(bytes) => Some(bytes),
            Err(error) => {
                let is_absent = matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
                // A folder with the name of an ignore file is none.
                if !is_absent && !path.is_dir() {
                    self.record_unapplied_file(path, &format!("its rules were not applied: {error}"));
                }
                None
            }
        }
    }

    /// Records that something of a file is not applied, and why.
    pub fn record_unapplied_file(&self, path: &Path, reason: &str) {
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        refused.push((path.to_owned(), reason.to_owned()));
    }
}

/// The names of the ignore files of a folder, with their kinds.
const IGNORE_FILE_NAMES: [(RuleKind, &str); 3] =
    [(RuleKind::Rgignore, ".rgignore"), (RuleKind::Ignore, ".ignore"), (RuleKind::Gitignore, ".gitignore")];
