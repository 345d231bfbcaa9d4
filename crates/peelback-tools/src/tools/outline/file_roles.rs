//! What files of a folder are for: source comes first in its outline, and tests and generated files are folded.

use std::collections::BTreeMap;

use peelback_code::FileKind;
use serde::Serialize;

use super::folder::FileOutlineRow;

/// What a file is for, in the order in which an outline lists files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FileRole {
    Source,
    Auxiliary,
    Example,
    Test,
    Document,
    Data,
    /// Third-party code, generated code, and lock files.
    Generated,
}

/// Names of lock files, in lower case, that no extension tells.
const LOCK_FILES: [&str; 6] =
    ["package-lock.json", "pnpm-lock.yaml", "npm-shrinkwrap.json", "packages.lock.json", "pubspec.lock", "go.sum"];

impl FileRole {
    /// The role of the file at `path`, judged by the path alone.
    pub fn from_path(path: &str) -> Self {
        let name = path.rsplit_once('/').map_or(path, |(_, name)| name).to_lowercase();
        if name.ends_with(".lock") || LOCK_FILES.contains(&name.as_str()) {
            return Self::Generated;
        }
        match FileKind::from_path(path) {
            FileKind::Source => Self::Source,
            FileKind::Auxiliary => Self::Auxiliary,
            FileKind::Example => Self::Example,
            FileKind::Test => Self::Test,
            FileKind::Document => Self::Document,
            FileKind::Data => Self::Data,
            FileKind::Foreign => Self::Generated,
        }
    }

    fn is_folded(self) -> bool {
        matches!(self, Self::Test | Self::Generated)
    }

    fn plural_name(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Auxiliary => "auxiliary",
            Self::Example => "examples",
            Self::Test => "tests",
            Self::Document => "documents",
            Self::Data => "data",
            Self::Generated => "third-party and generated",
        }
    }
}

/// Files of one role that an outline only counts.
#[derive(Debug, Serialize)]
pub(super) struct FoldedFiles {
    pub role: &'static str,
    pub files: usize,
    pub line_count: u64,
    pub symbol_count: usize,
}

/// The files that an outline lists, and counts of those that it folds: tests and generated files, where there are others.
pub(super) fn fold_files_of_lower_roles(files: Vec<FileOutlineRow>) -> (Vec<FileOutlineRow>, Vec<FoldedFiles>) {
    if files.iter().all(|file| file.role.is_folded()) {
        return (files, Vec::new());
    }
    let (folded, listed): (Vec<FileOutlineRow>, Vec<FileOutlineRow>) =
        files.into_iter().partition(|file| file.role.is_folded());
    let mut by_role: BTreeMap<FileRole, FoldedFiles> = BTreeMap::new();
    for file in folded {
        let entry = by_role.entry(file.role).or_insert_with(|| FoldedFiles {
            role: file.role.plural_name(),
            files: 0,
            line_count: 0,
            symbol_count: 0,
        });
        entry.files += 1;
        entry.line_count += u64::from(file.line_count);
        entry.symbol_count += file.symbol_count;
    }
    (listed, by_role.into_values().collect())
}

/// The folder that narrows an outline: of those with at most `cap` files, or at most half of all, the one with the most
/// source, with the number of all its files. Folders without source are passed over, unless no folder has any. `None` where
/// no folder has fewer files.
pub(super) fn narrowing_folder_and_file_count(files: &[FileOutlineRow], cap: usize) -> Option<(String, usize)> {
    let mut counts: BTreeMap<&str, FolderCounts> = BTreeMap::new();
    for file in files {
        for (end, _) in file.path.match_indices('/') {
            let counts = counts.entry(file.path.get(..end).unwrap_or("")).or_default();
            counts.files += 1;
            counts.source_files += usize::from(file.role == FileRole::Source);
        }
    }
    let most = cap.max(files.len() / 2);
    counts.retain(|_, counts| counts.files < files.len());
    if counts.values().any(|counts| counts.source_files > 0) {
        counts.retain(|_, counts| counts.source_files > 0);
    }
    let (small, large): (Vec<_>, Vec<_>) = counts.into_iter().partition(|(_, counts)| counts.files <= most);
    // The first of equals: the folder and not one below it.
    let best = small.into_iter().rev().max_by_key(|(_, counts)| (counts.source_files, counts.files));
    let best = best.or_else(|| large.into_iter().min_by_key(|(_, counts)| counts.files));
    best.map(|(folder, counts)| (folder.to_owned(), counts.files))
}

/// The files of a folder and of all below it.
#[derive(Default)]
struct FolderCounts {
    files: usize,
    source_files: usize,
}

#[cfg(test)]
mod tests {
    use super::FileRole;

    #[test]
    fn lock_files_are_generated() {
        for (path, role) in [
            ("Cargo.lock", FileRole::Generated),
            ("web/package-lock.json", FileRole::Generated),
            ("package.json", FileRole::Data),
            ("src/lock.rs", FileRole::Source),
            ("CHANGELOG.md", FileRole::Document),
        ] {
            assert_eq!(FileRole::from_path(path), role, "{path}");
        }
    }
}
