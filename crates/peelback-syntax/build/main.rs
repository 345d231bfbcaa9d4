//! The build script. It computes the version of the analysis: a hash over everything that the analysis of a file
//! depends on, so that no cache returns what another version computed. It also links large grammars with packed parse
//! tables (`grammars.rs`), and the parser with bounds on its memory (`parser.rs`).

#![allow(clippy::pedantic, clippy::restriction, reason = "a build script fails by a panic")]

mod grammars;
mod parser;
mod stamp;

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=src");
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let mut files = Vec::new();
    collect(&package.join("src"), &mut files);
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in &files {
        file.strip_prefix(&package).expect("below the package").hash(&mut hasher);
        fs::read(file).expect("a source file").hash(&mut hasher);
    }
    let libraries = libraries(&package);
    parser::link_bounded(&package, libraries.as_deref());
    grammars::link_packed(&package, libraries.as_deref());
    match libraries {
        Some(libraries) => libraries.hash(&mut hasher),
        // Without a lock file the versions of the grammars are unknown. The current time makes the version unique, so
        // that no other build shares the cache.
        None => SystemTime::now().hash(&mut hasher),
    }
    // The enabled features are part of the hash, because a build without a language's grammar analyses fewer files.
    let features =
        env::vars_os().map(|(name, _)| name).filter(|name| name.to_string_lossy().starts_with("CARGO_FEATURE_"));
    let mut features: Vec<_> = features.collect();
    features.sort();
    features.hash(&mut hasher);
    println!("cargo::rustc-env=PEELBACK_ANALYSIS={:016x}", hasher.finish());
}

/// Collects the paths of the source files below a folder. Folders called `fixtures` are left out, because only tests
/// read them.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            if path.file_name().is_some_and(|name| name != "fixtures") {
                collect(&path, files);
            }
        } else {
            files.push(path);
        }
    }
}

/// A parser library or grammar of this build, as the lock file names it.
#[derive(Hash)]
struct Library {
    name: String,
    version: String,
    /// `None` for a crate that comes from no registry.
    checksum: Option<String>,
}

/// Whether a crate with this name contains a grammar, or what all grammars need.
fn is_grammar(name: &str) -> bool {
    name.contains("tree-sitter-") || name.starts_with("ts-parser-")
}

/// The parser libraries and grammars of this build, read from the lock file of the workspace; `None` where the file
/// cannot be read or lists none of them.
fn libraries(package: &Path) -> Option<Vec<Library>> {
    let lock = package.ancestors().nth(2)?.join("Cargo.lock");
    let text = fs::read_to_string(&lock).ok()?;
    println!("cargo::rerun-if-changed={}", lock.display());
    let field = |package: &str, name: &str| {
        let line = package.lines().find_map(|line| line.strip_prefix(&format!("{name} = ")))?;
        Some(line.trim_matches('"').to_owned())
    };
    let read = text.split("[[package]]").filter_map(|package| {
        let name = field(package, "name")?;
        let counts = name == "tree-sitter" || is_grammar(&name) || name == "pulldown-cmark";
        counts.then_some(Library { name, version: field(package, "version")?, checksum: field(package, "checksum") })
    });
    let libraries: Vec<Library> = read.collect();
    (!libraries.is_empty()).then_some(libraries)
}
