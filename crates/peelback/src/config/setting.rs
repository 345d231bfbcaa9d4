//! The type of a setting: the value of a configuration key, and the source that set it.

use std::fmt;
use std::path::PathBuf;

/// The value of a configuration key, and the source that set it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting<T> {
    /// The value of the key.
    pub value: T,
    /// The source that set the value.
    pub origin: Origin,
}

/// The source that set the value of a configuration key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The value is the default of the program.
    Default,
    /// The value came from the user's configuration file, at this path.
    UserFile(PathBuf),
    /// The value came from the project's configuration file, at this path.
    ProjectFile(PathBuf),
    /// The value came from the environment variable with this name.
    Environment(&'static str),
    /// The value came from the command-line flag with this name, without its dashes.
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
