//! The files and other sources from which the program's configuration is read.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use clap::ArgMatches;
use etcetera::BaseStrategy;
use peelback_code::{CodeError, Project};

use super::keys::{ConfigKey, KEYS};
use crate::text_file;

/// The environment variable that names a configuration file of the user in place of the default one.
pub const USER_FILE_VARIABLE: &str = "PEELBACK_CONFIG";

/// Environment variables of this program that are not configuration keys: the path of the user's file, secrets, and the
/// log filter.
pub(super) const OTHER_VARIABLES: &[&str] =
    &[USER_FILE_VARIABLE, "PEELBACK_HTTP_TOKEN", "PEELBACK_EMBEDDING_KEY", "PEELBACK_LOG"];

/// The name of the project's configuration file, in the project's root.
pub const PROJECT_FILE: &str = "peelback.toml";

/// The size limit of a configuration file in bytes; larger files are rejected.
const MAX_FILE_BYTES: u64 = 64 * 1024;

/// The sources of the configuration: files, environment and flags.
#[derive(Debug, Clone, Default)]
pub struct ConfigSources {
    /// The user's configuration file, and whether the user named it explicitly; `None` where the user has no home
    /// folder.
    pub user_file: Option<(PathBuf, bool)>,
    /// The project whose configuration file is read; `None` where the command works on no project.
    pub project: Option<Project>,
    /// The environment variables of this program, and the variables of other programs that limit the value of a key.
    pub environment: BTreeMap<String, OsString>,
    /// The command-line flags that set configuration keys, with their values.
    pub flags: Vec<(&'static ConfigKey, Vec<String>)>,
    /// The folder from which relative paths in environment variables and flags are resolved.
    pub working_folder: PathBuf,
}

/// The owner of a configuration file: the user or the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileRole {
    /// The configuration file of the user.
    User,
    /// The configuration file of the project.
    Project,
}

/// The result of looking for a configuration file and reading it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileStatus {
    /// The configuration file was read.
    Read,
    /// The configuration file does not exist.
    Absent,
    /// The configuration file exists, or was named explicitly, and cannot be read for the given reason.
    Refused(String),
}

/// A configuration file that was looked for: its owner, its path and whether it could be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchedFile {
    /// The owner of the configuration file.
    pub role: FileRole,
    /// The path of the configuration file; `None` where the user has no home folder.
    pub path: Option<PathBuf>,
    /// The result of reading the configuration file.
    pub status: FileStatus,
}

impl ConfigSources {
    /// The configuration sources of this process: its environment, the flags in `matches`, and the file of `project`.
    pub fn from_process(project: Option<Project>, matches: &ArgMatches) -> Self {
        let is_relevant = |name: &str| {
            name.starts_with("PEELBACK_") || KEYS.iter().any(|key| key.lowered_by.is_some_and(|(own, _)| own == name))
        };
        let environment: BTreeMap<String, OsString> = std::env::vars_os()
            .filter_map(|(name, value)| name.into_string().ok().map(|name| (name, value)))
            .filter(|(name, value)| is_relevant(name) && !value.is_empty())
            .collect();
        let flags = KEYS
            .iter()
            .filter_map(|key| {
                let given = matches.try_get_many::<String>(key.name).ok().flatten()?;
                Some((key, given.cloned().collect()))
            })
            .collect();
        let working_folder = std::env::current_dir().unwrap_or_default();
        let user_file = match environment.get(USER_FILE_VARIABLE) {
            Some(path) => Some((working_folder.join(path), true)),
            None => user_config_folder().map(|folder| (folder.join("peelback").join("config.toml"), false)),
        };
        Self { user_file, project, environment, flags, working_folder }
    }

    /// Reads the user's configuration file, and returns the result with the file's text.
    pub(super) fn read_user_file(&self) -> (SearchedFile, Option<String>) {
        let searched_file = |path, status| SearchedFile { role: FileRole::User, path, status };
        let Some((path, is_explicit)) = &self.user_file else {
            let reason = format!("there is no home folder: name a file with {USER_FILE_VARIABLE}");
            return (searched_file(None, FileStatus::Refused(reason)), None);
        };
        match text_file::read_text_file(path, MAX_FILE_BYTES) {
            Ok(text) => (searched_file(Some(path.clone()), FileStatus::Read), Some(text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !is_explicit => {
                (searched_file(Some(path.clone()), FileStatus::Absent), None)
            }
            Err(error) => (searched_file(Some(path.clone()), FileStatus::Refused(error.to_string())), None),
        }
    }

    /// Reads the project's configuration file, and returns the result with the file's text; `None` where there is no
    /// project. The file must be a regular file below the project's root, after symbolic links are resolved.
    pub(super) fn read_project_file(&self) -> Option<(SearchedFile, Option<String>)> {
        let project = self.project.as_ref()?;
        let path = project.root().join(PROJECT_FILE);
        let searched_file = |status| SearchedFile { role: FileRole::Project, path: Some(path.clone()), status };
        if fs::symlink_metadata(&path).is_err() {
            return Some((searched_file(FileStatus::Absent), None));
        }
        let file = project.require_readable_file(&path.display().to_string());
        let text = file.map_err(|error| match error {
            CodeError::OutsideRoot { .. } => "it is a symbolic link that leads out of the project".to_owned(),
            CodeError::NotRegular { what, .. } => format!("it is {what}, not a regular file"),
            CodeError::IsFolder { .. } => "it is a folder".to_owned(),
            other => other.to_string(),
        });
        Some(
            match text.and_then(|place| {
                text_file::read_text_file_of_project(&place, MAX_FILE_BYTES).map_err(|error| error.to_string())
            }) {
                Ok(text) => (searched_file(FileStatus::Read), Some(text)),
                Err(reason) => (searched_file(FileStatus::Refused(reason)), None),
            },
        )
    }
}

/// The folder in which this platform keeps configuration files of the user.
pub(crate) fn user_config_folder() -> Option<PathBuf> {
    etcetera::choose_base_strategy().ok().map(|strategy| strategy.config_dir())
}

/// The folder in which this platform keeps cache files of the user, which programs can recreate.
pub(super) fn user_cache_folder() -> Option<PathBuf> {
    etcetera::choose_base_strategy().ok().map(|strategy| strategy.cache_dir())
}
