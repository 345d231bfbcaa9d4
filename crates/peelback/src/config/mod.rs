//! The configuration: the user's file, the project's `peelback.toml`, the environment and flags, in rising precedence.
//!
//! The project's file comes with the project, whose authors can be hostile: the file can restrict what the program may
//! do, never extend it. Every value records its origin.

mod files;
mod keys;
mod merge;
mod page;
mod setting;
mod value;

use std::fmt;
use std::path::PathBuf;

use clap::{Arg, ArgAction};
use peelback_code::CacheOptions;

pub(crate) use files::user_folder;
pub use files::{FileRole, FileStatus, LookedFor, PROJECT_FILE, Sources, USER_FILE_VARIABLE};
pub use keys::{KEYS, Key, ProjectRule, Settings};
pub use merge::{Loaded, Problem};
pub(crate) use page::{as_json, as_toml, files_json, files_text, markdown};
pub use setting::{Origin, Setting};
pub use value::{Dollars, Kind, SystemPromptMode};

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
