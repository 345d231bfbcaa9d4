//! Tells whether a library of C that an earlier run of the build script compiled is still what this run would compile.

use std::collections::hash_map::DefaultHasher;
use std::env;
use std::hash::{Hash, Hasher};
use std::path::Path;

use super::Library;

/// A hash over everything that a library of C depends on: the versions of tree-sitter and the grammars, the features,
/// those files of this build script that make the library, the target and the compiler's settings.
///
/// `libraries` are tree-sitter and the grammars of this build.
pub fn stamp(package: &Path, files: &[&str], libraries: Option<&[Library]>) -> String {
    let mut hasher = DefaultHasher::new();
    libraries.hash(&mut hasher);
    for file in files {
        std::fs::read(package.join(file)).unwrap_or_default().hash(&mut hasher);
    }
    let mut variables: Vec<_> = env::vars_os().filter(|(name, _)| is_of_the_build(&name.to_string_lossy())).collect();
    variables.sort();
    variables.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// Whether an environment variable changes what this build script compiles: a cargo feature, the target, the C compiler
/// or its flags.
fn is_of_the_build(variable: &str) -> bool {
    variable.starts_with("CARGO_FEATURE_")
        || variable.starts_with("CC")
        || variable.starts_with("CFLAGS")
        || variable == "TARGET"
}
