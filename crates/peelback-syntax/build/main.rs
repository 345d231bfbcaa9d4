//! Names the version of the analysis: a hash over everything that facts depend on, so that no cache returns what another
//! version computed. And links large grammars with packed tables (`grammars.rs`).

#![allow(clippy::pedantic, clippy::restriction, reason = "a build script fails by a panic")]

mod grammars;

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
    grammars::link_packed(&package, libraries.as_deref());
    match libraries {
        Some(libraries) => libraries.hash(&mut hasher),
        // Without a lock file the versions of the grammars are unknown: no other build may share the cache.
        None => SystemTime::now().hash(&mut hasher),
    }
    // A build without a grammar reads fewer files.
    let features =
        env::vars_os().map(|(name, _)| name).filter(|name| name.to_string_lossy().starts_with("CARGO_FEATURE_"));
    let mut features: Vec<_> = features.collect();
    features.sort();
    features.hash(&mut hasher);
    println!("cargo::rustc-env=PEELBACK_ANALYSIS={:016x}", hasher.finish());
}

/// The sources below a folder, without what only tests read.
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

/// The parser and the grammars of this build, each with its version, from the lock file of the workspace.
fn libraries(package: &Path) -> Option<Vec<String>> {
    let lock = package.ancestors().nth(2)?.join("Cargo.lock");
    let text = fs::read_to_string(&lock).ok()?;
    println!("cargo::rerun-if-changed={}", lock.display());
    let field = |package: &str, name: &str| {
        let line = package.lines().find_map(|line| line.strip_prefix(&format!("{name} = ")))?;
        Some(line.to_owned())
    };
    let read = text.split("[[package]]").filter_map(|package| {
        let name = field(package, "name")?;
        let counts = name.starts_with("\"tree-sitter") || name == "\"pulldown-cmark\"";
        counts.then(|| [Some(name), field(package, "version"), field(package, "checksum")])
    });
    let libraries: Vec<String> = read.flatten().flatten().collect();
    (!libraries.is_empty()).then_some(libraries)
}
