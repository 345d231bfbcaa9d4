//! Reads ignore files. They come with the project, so each is known to be regular, has a limit, and is opened inside
//! the project where it belongs to it. What is refused is said in the evidence of the answer.

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::gitignore::Gitignore;

use super::ignore_rules::{FolderRules, RuleKind, build_gitignore};
use crate::open_folder::{EntryKind, OpenFolder};
use crate::regular_file::{open_regular_file_following_links, read_at_most};
use crate::root_folder::RootFolder;

/// The maximum size in bytes of one ignore file. A matcher takes a hundred times the size of its file and more.
const MAX_IGNORE_FILE_BYTES: u64 = 256 << 10;

/// The maximum size in bytes of the rules that apply in one folder, each rule with [`BYTES_PER_RULE`] of its own.
const MAX_BYTES_OF_RULES: u64 = 512 << 10;

/// The number of bytes that a rule counts for in addition to its text: a short rule takes hardly less memory than a
/// longer one.
const BYTES_PER_RULE: u64 = 40;

/// The size in bytes from which only one ignore file is parsed at a time: parsing one takes up to 150 MB.
const LARGE_IGNORE_FILE_BYTES: usize = 16 << 10;

/// The maximum size in bytes of git's configuration files, and of the files that lead from a linked work tree to its
/// repository.
const MAX_GIT_FILE_BYTES: u64 = 1 << 20;

/// The device that reads as an empty file.
const NULL_DEVICE: &str = if cfg!(windows) { "NUL" } else { "/dev/null" };

/// Held while a large ignore file is parsed, in whatever walk.
static PARSING: Mutex<()> = Mutex::new(());

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
    pub fn into_refused(self) -> Vec<(PathBuf, String)> {
        let mut refused = self.refused.into_inner().unwrap_or_else(PoisonError::into_inner);
        refused.sort();
        refused.dedup();
        refused
    }

    /// The rules of git's global ignore file, which `core.excludesFile` names. Their paths are relative to the working
    /// folder of the process.
    pub fn read_global_rules(&self) -> Gitignore {
        let (Ok(working_folder), Some(path)) = (std::env::current_dir(), self.global_ignore_file()) else {
            return Gitignore::empty();
        };
        let text = self.read_text(&path, MAX_IGNORE_FILE_BYTES, || open_regular_file_following_links(&path));
        text.and_then(|text| self.build_rules(&working_folder, &path, &text)).unwrap_or_else(Gitignore::empty)
    }

    /// The rules of all folders above `start`, an absolute path.
    pub fn read_rules_above(&self, start: &Path) -> Arc<FolderRules> {
        let mut rules = FolderRules::none();
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
        above: &Arc<FolderRules>,
        path: &Path,
        folder: &OpenFolder,
        entries: &[(OsString, EntryKind)],
    ) -> Arc<FolderRules> {
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
        above: &Arc<FolderRules>,
        folder: &Path,
        has_git: bool,
        has_repository: bool,
        open: impl Fn(&Path) -> io::Result<(File, Metadata)>,
    ) -> Arc<FolderRules> {
        let mut rules = Vec::new();
        let mut bytes = above.bytes();
        let mut add = |kind, path: &Path, text: Option<String>| {
            if let Some((gitignore, size)) = text.and_then(|text| self.parse_rules(folder, path, &text, bytes)) {
                bytes += size;
                rules.push((kind, gitignore));
            }
        };
        for (kind, name) in IGNORE_FILE_NAMES {
            let path = folder.join(name);
            add(kind, &path, self.read_text(&path, MAX_IGNORE_FILE_BYTES, || open(&path)));
        }
        if has_git && let Some(path) = self.exclude_file_of_repository(folder) {
            let open = || open_regular_file_following_links(&path);
            add(RuleKind::GitExclude, &path, self.read_text(&path, MAX_IGNORE_FILE_BYTES, open));
        }
        FolderRules::of_folder(above, rules, has_repository, bytes)
    }

    /// The rules of an ignore file and their size, if they have not too many bytes with the `bytes_before` that apply
    /// in the same folder.
    fn parse_rules(&self, folder: &Path, path: &Path, text: &str, bytes_before: u64) -> Option<(Gitignore, u64)> {
        let size = text.len() as u64 + text.lines().count() as u64 * BYTES_PER_RULE;
        if bytes_before + size > MAX_BYTES_OF_RULES {
            self.refuse(path, "with the ignore files above it, it has too many rules".to_owned());
            return None;
        }
        let is_large = text.len() >= LARGE_IGNORE_FILE_BYTES;
        let _one_at_a_time = is_large.then(|| PARSING.lock().unwrap_or_else(PoisonError::into_inner));
        let gitignore = self.build_rules(folder, path, text)?;
        (!gitignore.is_empty()).then_some((gitignore, size))
    }

    /// The matcher for the text of an ignore file whose paths are relative to `folder`; what is not applied of it is
    /// recorded.
    fn build_rules(&self, folder: &Path, path: &Path, text: &str) -> Option<Gitignore> {
        match build_gitignore(folder, text) {
            Ok((gitignore, refusal)) => {
                refusal.into_iter().for_each(|reason| self.record_refusal(path, reason));
                Some(gitignore)
            }
            Err(reason) => {
                self.refuse(path, reason);
                None
            }
        }
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

    /// The text of a file that `open` opens; `None` where there is none. A file that cannot be read is refused.
    fn read_text(
        &self,
        path: &Path,
        limit: u64,
        open: impl FnOnce() -> io::Result<(File, Metadata)>,
    ) -> Option<String> {
        // Whoever wants no configuration of git names the null device in its place.
        if path == Path::new(NULL_DEVICE) {
            return None;
        }
        match open().and_then(|(file, metadata)| read_at_most(file, &metadata, limit)) {
            Ok(bytes) => Some(
                String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
            ),
            Err(error) => {
                let is_absent = matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
                // A folder with the name of an ignore file is none.
                if !is_absent && !path.is_dir() {
                    self.refuse(path, error.to_string());
                }
                None
            }
        }
    }

    /// Records that no rule of an ignore file is applied, and why.
    fn refuse(&self, path: &Path, reason: String) {
        self.record_refusal(path, format!("its rules were not applied: {reason}"));
    }

    fn record_refusal(&self, path: &Path, reason: String) {
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        refused.push((path.to_owned(), reason));
    }

    /// The file `info/exclude` of the repository whose work tree is `folder`. In a linked work tree, `.git` is a file
    /// that leads to the repository.
    fn exclude_file_of_repository(&self, folder: &Path) -> Option<PathBuf> {
        let dot_git = folder.join(".git");
        if !fs::metadata(&dot_git).ok()?.is_file() {
            return Some(dot_git.join("info/exclude"));
        }
        let first_line = |path: &Path| {
            let text = self.read_text(path, MAX_GIT_FILE_BYTES, || open_regular_file_following_links(path))?;
            text.lines().next().map(str::to_owned)
        };
        let git_folder = folder.join(first_line(&dot_git)?.strip_prefix("gitdir: ")?);
        let common_folder = first_line(&git_folder.join("commondir"))?;
        Some(git_folder.join(common_folder).join("info/exclude"))
    }

    /// The path of git's global ignore file: what the first of git's configuration files names, or the default.
    fn global_ignore_file(&self) -> Option<PathBuf> {
        let variable =
            |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| !path.as_os_str().is_empty());
        let home = std::env::home_dir();
        let settings = variable("XDG_CONFIG_HOME").or_else(|| home.as_ref().map(|home| home.join(".config")));
        let files = [
            variable("GIT_CONFIG_GLOBAL"),
            home.as_ref().map(|home| home.join(".gitconfig")),
            settings.as_ref().map(|settings| settings.join("git/config")),
            Some(variable("GIT_CONFIG_SYSTEM").unwrap_or_else(|| PathBuf::from("/etc/gitconfig"))),
        ];
        let named = files.into_iter().flatten().find_map(|path| {
            let text = self.read_text(&path, MAX_GIT_FILE_BYTES, || open_regular_file_following_links(&path))?;
            excludes_file_in_configuration(&text).map(str::to_owned)
        });
        let Some(named) = named else { return settings.map(|settings| settings.join("git/ignore")) };
        match (named.strip_prefix("~/"), home) {
            (Some(below_home), Some(home)) => Some(home.join(below_home)),
            _ => Some(PathBuf::from(named)),
        }
    }
}

/// The names of the ignore files of a folder, with their kinds.
const IGNORE_FILE_NAMES: [(RuleKind, &str); 3] =
    [(RuleKind::Rgignore, ".rgignore"), (RuleKind::Ignore, ".ignore"), (RuleKind::Gitignore, ".gitignore")];

/// The value of `excludesFile` in the section `core` of a configuration file of git: the last one, as git takes it.
fn excludes_file_in_configuration(text: &str) -> Option<&str> {
    let mut is_core = false;
    let mut found = None;
    for line in text.lines().map(str::trim_start) {
        // A key may follow its section's name on the same line.
        let setting = match line.strip_prefix('[').and_then(|line| line.split_once(']')) {
            Some((section, rest)) => {
                is_core = section.trim().eq_ignore_ascii_case("core");
                rest
            }
            None => line,
        };
        let Some((key, value)) = setting.split_once('=').filter(|_| is_core) else { continue };
        let value = value.trim_start();
        let value = match value.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next().unwrap_or(""),
            // A comment ends a value that is not quoted.
            None => value.split([';', '#']).next().unwrap_or("").trim_end(),
        };
        if key.trim().eq_ignore_ascii_case("excludesfile") && !value.is_empty() {
            found = Some(value);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::excludes_file_in_configuration;

    #[test]
    fn the_global_ignore_file_is_read_from_the_configuration() {
        let found = |text| excludes_file_in_configuration(text);
        assert_eq!(found("[core]\n\texcludesFile = ~/.ignored\n"), Some("~/.ignored"));
        assert_eq!(found("[core]\nexcludesfile=\"/etc/x\"\n"), Some("/etc/x"));
        assert_eq!(found("[core]\nother = 1\n"), None);
        assert_eq!(found("[core] excludesFile = a b ; a note\n"), Some("a b"));
        assert_eq!(found("[core]\nexcludesfile = a\nexcludesfile = b\n[delta]\nexcludesfile = c\n"), Some("b"));
        assert_eq!(found("excludesfile = a\n"), None);
    }
}
