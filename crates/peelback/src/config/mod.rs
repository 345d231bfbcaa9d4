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

pub(crate) use files::user_config_folder;
pub use files::{ConfigSources, FileRole, FileStatus, PROJECT_FILE, SearchedFile, USER_FILE_VARIABLE};
pub use keys::{ConfigKey, KEYS, ProjectFileKeyRule, Settings};
pub use merge::{ConfigProblem, LoadedConfig};
pub(crate) use page::{
    config_as_json, config_as_toml, config_keys_as_markdown, searched_config_files_as_json,
    searched_config_files_as_text,
};
pub use setting::{Origin, Setting};
pub use value::{Dollars, SystemPromptMode, ValueKind};

/// The error of a configuration with mistakes: all mistakes that were found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError(pub Vec<ConfigProblem>);

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
    pub fn cache_options(&self) -> Option<CacheOptions> {
        let folder = self.cache_folder_path()?;
        self.enabled.value.then_some(CacheOptions { folder, max_bytes: self.max_megabytes.value << 20 })
    }

    /// The folder of the cache, also where the cache is switched off; `None` where the user has no home folder.
    pub fn cache_folder_path(&self) -> Option<PathBuf> {
        self.folder.value.clone().or_else(|| Some(files::user_cache_folder()?.join("peelback")))
    }

    /// Loads the merged settings of the configuration sources.
    ///
    /// # Errors
    /// All mistakes in the sources: unknown keys, values that are not allowed, keys that a project's file cannot set.
    pub fn load(sources: &ConfigSources) -> Result<Self, ConfigError> {
        let loaded = LoadedConfig::from_sources(sources);
        if loaded.problems.is_empty() { Ok(loaded.settings) } else { Err(ConfigError(loaded.problems)) }
    }
}

/// The command-line flags of all configuration keys.
pub fn config_flags() -> impl Iterator<Item = Arg> {
    KEYS.iter().map(flag_of_config_key)
}

/// The command-line flags of the configuration keys in the given TOML tables.
pub fn command_line_flags_of_tables(tables: &'static [&'static str]) -> impl Iterator<Item = Arg> {
    KEYS.iter().filter(|key| tables.contains(&key.table)).map(flag_of_config_key)
}

fn flag_of_config_key(key: &'static ConfigKey) -> Arg {
    {
        let about = key.about.trim().split(". ").next().unwrap_or("").trim_end_matches('.').to_owned();
        let arg = Arg::new(key.name).long(key.flag).help(about);
        match key.kind {
            ValueKind::Choice(words) => arg.value_name(words.join("|")),
            ValueKind::Number { .. } => arg.value_name("N"),
            ValueKind::Switch => {
                arg.num_args(0..=1).require_equals(true).default_missing_value("true").value_name("true|false")
            }
            ValueKind::Folders => arg.action(ArgAction::Append).value_name("FOLDER"),
            ValueKind::File => arg.value_name("FILE"),
            ValueKind::Folder => arg.value_name("FOLDER"),
            ValueKind::Text => arg.value_name("TEXT"),
            ValueKind::Dollars => arg.value_name("DOLLARS"),
        }
    }
}
