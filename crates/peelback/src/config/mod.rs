//! The configuration: the user's file, the project's `peelback.toml`, the environment and flags, in rising precedence.
//!
//! The project's file comes with the project, whose authors can be hostile: the file can restrict what the program may
//! do, never extend it. Every value records its origin.

mod files;
mod keys;
mod merge;
mod page;
mod value;

use std::fmt;
use std::path::PathBuf;

use clap::{Arg, ArgAction};
use peelback_code::CacheOptions;

pub(crate) use files::user_folder;
pub use files::{FileRole, FileStatus, LookedFor, Sources};
pub use keys::{KEYS, Key, ProjectRule, Settings};
pub use merge::{Loaded, Problem};
pub(crate) use page::{as_json, as_toml, files_json, files_text, markdown};
pub use value::{Dollars, Kind, SystemPromptMode};

/// The environment variable with the path of another user configuration file.
pub const USER_FILE_VARIABLE: &str = "PEELBACK_CONFIG";

/// Environment variables of this program that are not configuration keys: the path of the user's file, secrets, and the
/// log filter.
const OTHER_VARIABLES: &[&str] = &[USER_FILE_VARIABLE, "PEELBACK_HTTP_TOKEN", "PEELBACK_EMBEDDING_KEY", "PEELBACK_LOG"];

/// The name of the project's configuration file, in the project's root.
pub const PROJECT_FILE: &str = "peelback.toml";

/// The value of a configuration key and its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting<T> {
    /// The value of the key.
    pub value: T,
    /// The source that set the value.
    pub origin: Origin,
}

/// The source of a configuration value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The program's default.
    Default,
    /// The user's configuration file, with its path.
    UserFile(PathBuf),
    /// The project's configuration file, with its path.
    ProjectFile(PathBuf),
    /// The environment variable with this name.
    Environment(&'static str),
    /// The command-line flag with this name, without its dashes.
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::UserFile(path) => write!(f, "user file {}", path.display()),
            Self::ProjectFile(path) => write!(f, "project file {}", path.display()),
            Self::Environment(variable) => write!(f, "environment {variable}"),
            Self::Flag(flag) => write!(f, "flag --{flag}"),
        }
    }
}

/// The error of a configuration with mistakes: all mistakes that were found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError(pub Vec<Problem>);

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            let lead = if index == 0 { "" } else { "\nerror: " };
            write!(f, "{lead}{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigError {}

impl Settings {
    /// The folder and size limit of the cache; `None` where no cache is used.
    pub fn cache(&self) -> Option<CacheOptions> {
        let folder = self.cache_folder()?;
        self.enabled.value.then_some(CacheOptions { folder, max_bytes: self.max_megabytes.value << 20 })
    }

    /// The folder of the cache, also where the cache is switched off; `None` where the user has no home folder.
    pub fn cache_folder(&self) -> Option<PathBuf> {
        self.folder.value.clone().or_else(|| Some(files::cache_folder()?.join("peelback")))
    }

    /// Loads the merged settings of the configuration sources.
    ///
    /// # Errors
    /// All mistakes in the sources: unknown keys, values that are not allowed, keys that a project's file cannot set.
    pub fn load(sources: &Sources) -> Result<Self, ConfigError> {
        let loaded = Loaded::of(sources);
        if loaded.problems.is_empty() { Ok(loaded.settings) } else { Err(ConfigError(loaded.problems)) }
    }
}

/// The command-line flags of all configuration keys.
pub fn flags() -> impl Iterator<Item = Arg> {
    KEYS.iter().map(flag)
}

/// The command-line flags of the configuration keys in the given tables.
pub fn flags_of(tables: &'static [&'static str]) -> impl Iterator<Item = Arg> {
    KEYS.iter().filter(|key| tables.contains(&key.table)).map(flag)
}

fn flag(key: &'static Key) -> Arg {
    {
        let about = key.about.trim().split(". ").next().unwrap_or("").trim_end_matches('.').to_owned();
        let arg = Arg::new(key.name).long(key.flag).help(about);
        match key.kind {
            Kind::Choice(words) => arg.value_name(words.join("|")),
            Kind::Number { .. } => arg.value_name("N"),
            Kind::Switch => {
                arg.num_args(0..=1).require_equals(true).default_missing_value("true").value_name("true|false")
            }
            Kind::Folders => arg.action(ArgAction::Append).value_name("FOLDER"),
            Kind::File => arg.value_name("FILE"),
            Kind::Folder => arg.value_name("FOLDER"),
            Kind::Text => arg.value_name("TEXT"),
            Kind::Dollars => arg.value_name("DOLLARS"),
        }
    }
}
