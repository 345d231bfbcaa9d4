//! Configuration: a user's file, the project's `peelback.toml`, the environment and flags, each over the one before.
//!
//! The project's file comes with the project and may be hostile: it narrows what the program may do and never widens
//! it. Every value knows where it came from.

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

/// The variable that names another user file.
pub const USER_FILE_VARIABLE: &str = "PEELBACK_CONFIG";

/// Variables of this program that are no keys: the other file, secrets, and what it logs.
const OTHER_VARIABLES: &[&str] = &[USER_FILE_VARIABLE, "PEELBACK_HTTP_TOKEN", "PEELBACK_EMBEDDING_KEY", "PEELBACK_LOG"];

/// The name of a project's file, in its root.
pub const PROJECT_FILE: &str = "peelback.toml";

/// A value and where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting<T> {
    /// The value.
    pub value: T,
    /// Who chose it.
    pub origin: Origin,
}

/// Who chose a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Nobody: the program's own choice.
    Default,
    /// The user's file.
    UserFile(PathBuf),
    /// The project's file.
    ProjectFile(PathBuf),
    /// An environment variable.
    Environment(&'static str),
    /// A flag, without its dashes.
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

/// A configuration with mistakes in it.
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
    /// Where the cache is, and how large it may become; `None` where there is none.
    pub fn cache(&self) -> Option<CacheOptions> {
        let folder = self.cache_folder()?;
        self.enabled.value.then_some(CacheOptions { folder, max_bytes: self.max_megabytes.value << 20 })
    }

    /// The folder of the cache, whether it is used or not; `None` where the user has no home.
    pub fn cache_folder(&self) -> Option<PathBuf> {
        self.folder.value.clone().or_else(|| Some(files::cache_folder()?.join("peelback")))
    }

    /// The settings that `sources` give together.
    ///
    /// # Errors
    /// Every mistake in them: unknown keys, values that are not allowed, keys that a project may not set.
    pub fn load(sources: &Sources) -> Result<Self, ConfigError> {
        let loaded = Loaded::of(sources);
        if loaded.problems.is_empty() { Ok(loaded.settings) } else { Err(ConfigError(loaded.problems)) }
    }
}

/// The flags of all keys, for a command that takes them.
pub fn flags() -> impl Iterator<Item = Arg> {
    KEYS.iter().map(flag)
}

/// The flags of the keys in these tables.
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
