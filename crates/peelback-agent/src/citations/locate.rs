//! Resolution of a cited path to a file of the project, and the search for the file that a wrong path may mean.

use std::path::Path;

use peelback_code::{CodeAccess, SourceFile, WalkOptions};

/// The result of resolving a cited path to a file of the project.
pub(super) enum Located {
    File(Box<SourceFile>),
    /// The file exists but has no lines of text, such as a binary file.
    NoText,
    /// The path is invalid or does not resolve to a regular file of the project. The value is the reason.
    Refused(String),
    Absent,
}

/// Resolves a cited path to a file of the project. The path starts from the project's root and does not depend on the
/// process's working folder.
pub(super) fn locate_cited_file(access: &CodeAccess, path: &str) -> Located {
    let plain = path.strip_prefix("./").unwrap_or(path);
    if Path::new(plain).is_absolute() || plain.starts_with(['/', '~']) || plain.contains(':') {
        return Located::Refused("an absolute path".to_owned());
    }
    if plain.split('/').any(|part| part == "..") {
        return Located::Refused("the path leads upward".to_owned());
    }
    let Ok(absolute) = dunce::canonicalize(access.project().absolute_path_of_text(plain)) else {
        return Located::Absent;
    };
    let Some(relative) = access.project().path_from_root(&absolute) else {
        return Located::Refused("a symbolic link that leads out of the project".to_owned());
    };
    if absolute.is_dir() {
        return Located::Refused("a folder, not a file".to_owned());
    }
    if !absolute.is_file() {
        return Located::Refused("not a regular file".to_owned());
    }
    match access.read_file_by_root_path(&relative) {
        Ok(file) => Located::File(Box::new(file)),
        Err(peelback_code::CodeError::Binary { .. }) => Located::NoText,
        Err(_) => Located::Refused("the file could not be read".to_owned()),
    }
}

/// Reads the file at a cited path. Returns `None` if the file cannot be read.
pub(super) fn read_cited_file(access: &CodeAccess, path: &str) -> Option<SourceFile> {
    match locate_cited_file(access, path) {
        Located::File(file) => Some(*file),
        _ => None,
    }
}

/// The paths of all files of the project, relative to its root.
pub(super) fn all_project_paths(access: &CodeAccess) -> Vec<String> {
    let set = access.project().files_in_scope(None, &WalkOptions::default()).unwrap_or_default();
    set.entries.into_iter().map(|place| place.path).collect()
}

/// The files of the project that a wrong cited path may mean. The function applies several rules and uses the most
/// reliable rule that matches a file: the file's path ends in the cited path, the cited path ends in the file's path,
/// the file names are equal, or the paths differ by a typing error.
pub(super) fn candidate_files_for_wrong_path(path: &str, files: &[String]) -> Vec<String> {
    let wanted: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | "." | ".." | "~")).collect();
    let wanted = wanted.join("/");
    if wanted.is_empty() {
        return Vec::new();
    }
    let of = |fits: &dyn Fn(&str) -> bool| files.iter().filter(|file| fits(file)).cloned().collect::<Vec<String>>();
    let name = wanted.rsplit('/').next().unwrap_or(&wanted);
    let same_name = of(&|file| file.rsplit('/').next() == Some(name));
    // The cited path may have extra leading folders, as in `repository/src/a.rs` or `/home/me/repository/src/a.rs`. The
    // longest suffix of the cited path that is a file counts.
    let held =
        files.iter().filter(|file| file.contains('/') && has_path_suffix(&wanted, file)).max_by_key(|file| file.len());
    let steps = [of(&|file| has_path_suffix(file, &wanted)), held.cloned().into_iter().collect(), same_name];
    if let Some(found) = steps.into_iter().find(|found| !found.is_empty()) {
        return found;
    }
    of(&|file| is_likely_misspelling_of_path(file, &wanted))
}

fn has_path_suffix(long: &str, short: &str) -> bool {
    long.strip_suffix(short).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// Whether two paths differ only in their leading folders, such as `core.py`, `src/core.py` and
/// `/home/me/project/src/core.py`.
pub(super) fn is_one_path_suffix_of_other(file: &str, path: &str) -> bool {
    let path = path.trim_start_matches("../").trim_start_matches("./");
    // If the cited path ends in the name of a file in the root folder, this proves nothing: many folders contain a
    // `README.md`, for example.
    has_path_suffix(file, path) || (file.contains('/') && has_path_suffix(path, file))
}

/// Whether two file paths differ by at most two typing errors. A different digit is not a typing error: `v1` and `v2`
/// are different names.
fn is_likely_misspelling_of_path(file: &str, wanted: &str) -> bool {
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    file.len().abs_diff(wanted.len()) <= 4
        && wanted.chars().count() >= 6
        && digits(file) == digits(wanted)
        && strsim::osa_distance(file, wanted) <= 2
}
