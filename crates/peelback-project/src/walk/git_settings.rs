//! What git's configuration says of ignored files: `core.excludesFile` and `core.ignoreCase`, from the files that git
//! reads for a repository, with what they include.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::git_pattern::GitPattern;
use super::ignore_files::IgnoreFiles;
use crate::regular_file::open_regular_file_following_links;
use crate::root_folder::RootFolder;

/// The number of files that one may include in another, one inside the other, as in git.
const MAX_INCLUDE_DEPTH: usize = 10;

/// The number of files of one configuration.
const MAX_CONFIGURATION_FILES: usize = 64;

/// The folders of a repository: two for a linked work tree, one otherwise.
pub struct GitFolders {
    /// The folder of the work tree, with `HEAD`.
    own: Arc<RootFolder>,
    /// The folder that all work trees share.
    pub common: Arc<RootFolder>,
}

impl GitFolders {
    /// The folders of the repository whose work tree is `folder`. In a linked work tree and a submodule, `.git` is a
    /// file that leads to the repository.
    pub fn of_work_tree(files: &IgnoreFiles<'_>, folder: &Path) -> Option<Self> {
        let dot_git = dunce::canonicalize(folder.join(".git")).ok()?;
        let first_line = |path: &Path| {
            let bytes = files.read_file_of_git(path, || open_regular_file_following_links(path))?;
            bytes.split(|byte| matches!(byte, b'\n' | b'\r')).next().map(<[u8]>::to_vec)
        };
        let own = if dot_git.is_dir() {
            dot_git
        } else {
            let line = first_line(&dot_git)?;
            dunce::canonicalize(folder.join(path_from_bytes(line.strip_prefix(b"gitdir: ")?))).ok()?
        };
        let common = match first_line(&own.join("commondir")) {
            Some(line) => dunce::canonicalize(own.join(path_from_bytes(&line))).ok()?,
            None => own.clone(),
        };
        Some(Self { own: RootFolder::at_path(&own), common: RootFolder::at_path(&common) })
    }
}

/// The settings of a repository.
#[derive(Debug, Default)]
pub struct GitSettings {
    /// The path of the ignore file that the configuration names, or of the default one.
    pub excludes_file: Option<PathBuf>,
    /// Whether names are compared without regard to case.
    pub ignores_case: bool,
}

impl GitSettings {
    /// The settings of the repository whose work tree is `folder`, from all files of git's configuration; without `git`,
    /// those of the user and the system.
    pub fn of_work_tree(files: &IgnoreFiles<'_>, folder: &Path, git: Option<&GitFolders>) -> Self {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = std::env::home_dir();
        let user_settings = variable("XDG_CONFIG_HOME").or_else(|| home.as_ref().map(|home| home.join(".config")));
        let mut reader = SettingsReader {
            files,
            work_tree: folder,
            git,
            home: home.clone(),
            settings: Self::default(),
            remote_urls: Vec::new(),
            collects_remotes: true,
            asks_for_remotes: false,
            has_work_tree_file: false,
            files_read: 0,
        };
        let mut sources = Vec::new();
        if !std::env::var("GIT_CONFIG_NOSYSTEM").is_ok_and(|value| is_git_value_true(value.as_bytes())) {
            sources.push(variable("GIT_CONFIG_SYSTEM").unwrap_or_else(|| PathBuf::from("/etc/gitconfig")));
        }
        match variable("GIT_CONFIG_GLOBAL") {
            Some(path) => sources.push(path),
            None => {
                sources.extend(user_settings.as_ref().map(|settings| settings.join("git/config")));
                sources.extend(home.as_ref().map(|home| home.join(".gitconfig")));
            }
        }
        reader.read_all_configuration_files(&sources);
        // A condition about remotes needs those of all files.
        if reader.asks_for_remotes {
            reader.settings = Self::default();
            reader.files_read = 0;
            reader.collects_remotes = false;
            reader.read_all_configuration_files(&sources);
        }
        let mut settings = reader.settings;
        settings.excludes_file =
            settings.excludes_file.or_else(|| user_settings.map(|settings| settings.join("git/ignore")));
        settings
    }
}

/// Reads the files of one configuration, the files that they include among them, in git's order: the last value counts.
struct SettingsReader<'a> {
    files: &'a IgnoreFiles<'a>,
    work_tree: &'a Path,
    git: Option<&'a GitFolders>,
    home: Option<PathBuf>,
    settings: GitSettings,
    /// The addresses of all remotes.
    remote_urls: Vec<Vec<u8>>,
    /// Whether the addresses of remotes are being collected. No condition about them is met until all are known.
    collects_remotes: bool,
    /// Whether a condition asks for the remotes.
    asks_for_remotes: bool,
    /// Whether the work tree has a configuration file of its own.
    has_work_tree_file: bool,
    files_read: usize,
}

impl SettingsReader<'_> {
    fn read_all_configuration_files(&mut self, sources: &[PathBuf]) {
        for path in sources {
            self.read_file(path, 0);
        }
        let Some(git) = self.git else { return };
        let files = self.files;
        for (folder, name) in [(&git.common, "config"), (&git.own, "config.worktree")] {
            if name == "config" || self.has_work_tree_file {
                let path = folder.path().join(name);
                let bytes = files.read_file_of_git(&path, || files.open_file_of_git(folder, &path));
                self.apply_settings_in_bytes(&path, bytes, 0);
            }
        }
    }

    fn read_file(&mut self, path: &Path, depth: usize) {
        let bytes = self.files.read_file_of_git(path, || open_regular_file_following_links(path));
        self.apply_settings_in_bytes(path, bytes, depth);
    }

    /// Takes the settings of a file with these bytes.
    fn apply_settings_in_bytes(&mut self, path: &Path, bytes: Option<Vec<u8>>, depth: usize) {
        let Some(bytes) = bytes else { return };
        self.files_read += 1;
        if depth > MAX_INCLUDE_DEPTH || self.files_read > MAX_CONFIGURATION_FILES {
            self.files.record_unapplied_file(
                path,
                "its settings were not applied: the configuration of git includes too many files",
            );
            return;
        }
        let metadata = gix_config::file::Metadata::from(gix_config::Source::Local);
        let options = gix_config::file::init::Options::default();
        let Ok(file) = gix_config::File::from_bytes_no_includes(&bytes, metadata, options) else {
            self.files
                .record_unapplied_file(path, "its settings were not applied: it is not a valid configuration of git");
            return;
        };
        for section in file.sections() {
            let header = section.header();
            let name = header.name().to_ascii_lowercase();
            match (name.as_slice(), header.subsection_name()) {
                (b"core", None) => {
                    if let Some(named) = section.value("excludesFile") {
                        self.settings.excludes_file =
                            self.path_from_setting_value(&named).map(|path| self.work_tree.join(path));
                    }
                    if let Some(value) = section.value_implicit("ignoreCase") {
                        self.settings.ignores_case = value.is_none_or(|value| is_git_value_true(&value));
                    }
                }
                (b"extensions", None) => {
                    if let Some(value) = section.value_implicit("worktreeConfig") {
                        self.has_work_tree_file = value.is_none_or(|value| is_git_value_true(&value));
                    }
                }
                (b"remote", Some(_)) if self.collects_remotes => {
                    self.remote_urls.extend(section.values("url").into_iter().map(|url| url.to_vec()));
                }
                (b"include", None) => self.read_included_files(path, section.values("path"), depth),
                (b"includeif", Some(condition)) if self.is_include_condition_met(path, condition) => {
                    self.read_included_files(path, section.values("path"), depth);
                }
                _ => {}
            }
        }
    }

    fn read_included_files(&mut self, from: &Path, paths: Vec<impl AsRef<[u8]>>, depth: usize) {
        for path in paths {
            if let Some(path) = self.path_from_setting_value(path.as_ref()) {
                self.read_file(&from.parent().unwrap_or(Path::new("/")).join(path), depth + 1);
            }
        }
    }

    /// The path that a setting names; `~/` is the user's home folder.
    fn path_from_setting_value(&self, value: &[u8]) -> Option<PathBuf> {
        let value = value.strip_prefix(b":(optional)").unwrap_or(value);
        match value.strip_prefix(b"~/") {
            Some(below_home) => Some(self.home.as_ref()?.join(path_from_bytes(below_home))),
            None => Some(path_from_bytes(value)),
        }
    }

    /// Whether the condition of an `includeIf` in the file `from` is met.
    fn is_include_condition_met(&mut self, from: &Path, condition: &[u8]) -> bool {
        let after = |prefix: &str| condition.strip_prefix(prefix.as_bytes());
        if let Some(pattern) = after("gitdir:") {
            self.is_git_folder_matched(from, pattern, false)
        } else if let Some(pattern) = after("gitdir/i:") {
            self.is_git_folder_matched(from, pattern, true)
        } else if let Some(pattern) = after("onbranch:") {
            self.checked_out_branch_name().is_some_and(|branch| {
                matches_git_pattern(&append_double_star_after_final_slash(pattern.to_vec()), &branch, false)
            })
        } else if let Some(pattern) = after("hasconfig:remote.*.url:") {
            self.asks_for_remotes = true;
            !self.collects_remotes && self.remote_urls.iter().any(|url| matches_git_pattern(pattern, url, false))
        } else {
            false
        }
    }

    fn is_git_folder_matched(&self, from: &Path, pattern: &[u8], ignores_case: bool) -> bool {
        let Some(git) = self.git else { return false };
        let mut pattern = append_double_star_after_final_slash(pattern.to_vec());
        let mut prefix = Vec::new();
        if let Some(below_home) = pattern.strip_prefix(b"~/") {
            let Some(home) = self.home.as_ref().and_then(|home| dunce::canonicalize(home).ok()) else { return false };
            pattern = [&*bytes_with_slashes(&home), b"/", below_home].concat();
        } else if let Some(below) = pattern.strip_prefix(b"./") {
            let Some(folder) = dunce::canonicalize(from).ok().and_then(|from| from.parent().map(Path::to_owned)) else {
                return false;
            };
            prefix = bytes_with_slashes(&folder);
            prefix.push(b'/');
            pattern = below.to_vec();
        } else if !path_from_bytes(&pattern).is_absolute() {
            pattern.splice(0..0, *b"**/");
        }
        [git.own.path(), &self.work_tree.join(".git")].into_iter().any(|folder| {
            let text = bytes_with_slashes(folder);
            let Some((start, rest)) = text.split_at_checked(prefix.len()) else { return false };
            let is_below = if ignores_case { start.eq_ignore_ascii_case(&prefix) } else { start == prefix };
            is_below && matches_git_pattern(&pattern, rest, ignores_case)
        })
    }

    /// The name of the branch that is checked out.
    fn checked_out_branch_name(&self) -> Option<Vec<u8>> {
        let git = self.git?;
        let path = git.own.path().join("HEAD");
        let bytes = self.files.read_file_of_git(&path, || self.files.open_file_of_git(&git.own, &path))?;
        Some(bytes.trim_ascii_end().strip_prefix(b"ref:")?.trim_ascii_start().strip_prefix(b"refs/heads/")?.to_vec())
    }
}

/// A pattern of a condition, where a slash at the end stands for all below.
fn append_double_star_after_final_slash(mut pattern: Vec<u8>) -> Vec<u8> {
    if pattern.ends_with(b"/") {
        pattern.extend_from_slice(b"**");
    }
    pattern
}

fn matches_git_pattern(pattern: &[u8], text: &[u8], ignores_case: bool) -> bool {
    let text = if ignores_case { text.to_ascii_lowercase() } else { text.to_vec() };
    GitPattern::new(pattern, ignores_case).is_some_and(|pattern| pattern.matches(&text))
}

/// Whether a value of git's configuration means yes.
fn is_git_value_true(value: &[u8]) -> bool {
    let value = value.to_ascii_lowercase();
    matches!(value.as_slice(), b"true" | b"yes" | b"on")
        || std::str::from_utf8(&value).is_ok_and(|number| number.parse::<i64>().is_ok_and(|number| number != 0))
}

fn bytes_with_slashes(path: &Path) -> Vec<u8> {
    let bytes = path.as_os_str().as_encoded_bytes().iter();
    bytes.map(|byte| if cfg!(windows) && *byte == b'\\' { b'/' } else { *byte }).collect()
}

/// The path that a file of git names.
fn path_from_bytes(bytes: &[u8]) -> PathBuf {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStringExt;
        OsString::from_vec(bytes.to_vec()).into()
    }
    #[cfg(not(unix))]
    {
        OsString::from(String::from_utf8_lossy(bytes).into_owned()).into()
    }
}
