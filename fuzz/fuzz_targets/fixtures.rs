//! The fixtures of the other crates, from which seeds and small projects are made.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A file of a fixture: its path in its project, and its text.
pub type File = (String, String);

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates")
}

/// The files in a folder, by name.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path());
    let mut files: Vec<PathBuf> = entries.collect();
    files.sort();
    files
}

/// The fixtures of the outlines of one language.
pub fn language_files(language: &str) -> Vec<File> {
    let folder = crates().join("peelback-syntax/src/languages").join(language).join("fixtures");
    let files = files_in(&folder).into_iter().filter(|path| path.extension().is_none_or(|ending| ending != "snap"));
    files.filter_map(|path| Some((path.file_name()?.to_str()?.to_owned(), fs::read_to_string(&path).ok()?))).collect()
}

/// The small projects whose references are known.
pub fn projects() -> Vec<Vec<File>> {
    let folders = files_in(&crates().join("peelback-code/tests/references"));
    let texts = folders.iter().flat_map(|folder| files_in(folder)).filter_map(|path| fs::read_to_string(path).ok());
    texts.map(|text| files_of_fixture(&text)).filter(|files| !files.is_empty()).collect()
}

fn files_of_fixture(fixture: &str) -> Vec<File> {
    let mut files: Vec<File> = Vec::new();
    let mut is_in_file = false;
    for line in fixture.lines() {
        if let Some(path) = line.strip_prefix("=== ") {
            files.push((path.trim().to_owned(), String::new()));
            is_in_file = true;
        } else if ["??? ", "--> ", "+++ "].iter().any(|mark| line.starts_with(mark)) {
            is_in_file = false;
        } else if is_in_file && let Some((_, text)) = files.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    files
}

/// The document pages of this project.
pub fn documents() -> Vec<String> {
    let root = crates().join("..");
    ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]
        .iter()
        .filter_map(|name| fs::read_to_string(root.join(name)).ok())
        .collect()
}

/// A new folder in the folder for temporary files. It is left behind: where something is found, the process ends at once.
pub fn new_folder(name: &str) -> PathBuf {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    // One folder only: each more is one more call of the system for each path that is resolved.
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("{name}-{}-{number}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Files whose contents each execution gives: those that have them already are not written again.
#[derive(Default)]
pub struct Contents(HashMap<PathBuf, Vec<u8>>);

impl Contents {
    pub fn write(&mut self, path: PathBuf, contents: &[u8]) {
        if self.0.get(&path).is_none_or(|written| written != contents) {
            fs::write(&path, contents).expect("a file");
            self.0.insert(path, contents.to_vec());
        }
    }

    pub fn remove(&mut self, path: &Path) {
        if self.0.remove(path).is_some() {
            fs::remove_file(path).expect("it was written");
        }
    }
}

pub fn write_file(root: &Path, path: &str, text: impl AsRef<[u8]>) {
    let path = root.join(path);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).expect("a folder");
    }
    fs::write(path, text).expect("a file");
}
