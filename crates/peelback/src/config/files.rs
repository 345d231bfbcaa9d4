//! Where configuration is looked for.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use clap::ArgMatches;
use etcetera::BaseStrategy;
use peelback_code::{CodeError, Project};

use super::{KEYS, Key, PROJECT_FILE, USER_FILE_VARIABLE};
use crate::text_file;

/// No configuration file is larger.
const MAX_FILE_BYTES: u64 = 64 * 1024;

/// Everything that configuration is made of.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// The user's file, and whether the user named it; `None` where the user has no home.
    pub user_file: Option<(PathBuf, bool)>,
    /// The project whose file is read; `None` where the command has none.
    pub project: Option<Project>,
    /// The variables of the environment that are meant for this program, or lower a key.
    pub environment: BTreeMap<String, OsString>,
    /// The flags that were given.
    pub flags: Vec<(&'static Key, Vec<String>)>,
    /// The folder from which variables and flags take their paths.
    pub working_folder: PathBuf,
}

/// Whose file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileRole {
    /// The user's.
    User,
    /// The project's.
    Project,
}

/// What became of a file that was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileStatus {
    /// It was read.
    Read,
    /// It is not there.
    Absent,
    /// It is there, or was asked for, and cannot be read.
    Refused(String),
}

/// A file that was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookedFor {
    /// Whose it is.
    pub role: FileRole,
    /// Where it is looked for; `None` where the user has no home.
    pub path: Option<PathBuf>,
    /// What became of it.
    pub status: FileStatus,
}

impl Sources {
    /// The sources of this process: its environment, the flags in `matches`, and the file of `project`.
    pub fn of_process(project: Option<Project>, matches: &ArgMatches) -> Self {
        let meant = |name: &str| {
            name.starts_with("PEELBACK_") || KEYS.iter().any(|key| key.lowered_by.is_some_and(|(own, _)| own == name))
        };
        let environment: BTreeMap<String, OsString> = std::env::vars_os()
            .filter_map(|(name, value)| name.into_string().ok().map(|name| (name, value)))
            .filter(|(name, value)| meant(name) && !value.is_empty())
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
            None => user_folder().map(|folder| (folder.join("peelback").join("config.toml"), false)),
        };
        Self { user_file, project, environment, flags, working_folder }
    }

    /// The user's file, looked for and read.
    pub(super) fn read_user_file(&self) -> (LookedFor, Option<String>) {
        let looked = |path, status| LookedFor { role: FileRole::User, path, status };
        let Some((path, named)) = &self.user_file else {
            let why = format!("there is no home folder: name a file with {USER_FILE_VARIABLE}");
            return (looked(None, FileStatus::Refused(why)), None);
        };
        match text_file::read(path, MAX_FILE_BYTES) {
            Ok(text) => (looked(Some(path.clone()), FileStatus::Read), Some(text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !named => {
                (looked(Some(path.clone()), FileStatus::Absent), None)
            }
            Err(error) => (looked(Some(path.clone()), FileStatus::Refused(error.to_string())), None),
        }
    }

    /// The project's file, looked for and read; `None` where there is no project. It must be a regular file below the
    /// root, whichever way its path leads there.
    pub(super) fn read_project_file(&self) -> Option<(LookedFor, Option<String>)> {
        let project = self.project.as_ref()?;
        let path = project.root().join(PROJECT_FILE);
        let looked = |status| LookedFor { role: FileRole::Project, path: Some(path.clone()), status };
        if fs::symlink_metadata(&path).is_err() {
            return Some((looked(FileStatus::Absent), None));
        }
        let place = project.file(&path.display().to_string());
        let text = place.map_err(|error| match error {
            CodeError::OutsideRoot { .. } => "it is a symbolic link that leads out of the project".to_owned(),
            CodeError::NotRegular { what, .. } => format!("it is {what}, not a regular file"),
            CodeError::IsFolder { .. } => "it is a folder".to_owned(),
            other => other.to_string(),
        });
        Some(
            match text
                .and_then(|place| text_file::read(&place.absolute, MAX_FILE_BYTES).map_err(|error| error.to_string()))
            {
                Ok(text) => (looked(FileStatus::Read), Some(text)),
                Err(reason) => (looked(FileStatus::Refused(reason)), None),
            },
        )
    }
}

/// The folder that holds the user's configuration on this platform.
pub(crate) fn user_folder() -> Option<PathBuf> {
    etcetera::choose_base_strategy().ok().map(|strategy| strategy.config_dir())
}

/// The folder that holds what programs keep for the user and can make again.
pub(super) fn cache_folder() -> Option<PathBuf> {
    etcetera::choose_base_strategy().ok().map(|strategy| strategy.cache_dir())
}
