//! The kinds of files in the order in which lists of symbols show them.

use peelback_code::FileKind;

/// The kinds of files in the order in which lists show them.
const IN_ORDER: [FileKind; 7] = [
    FileKind::Source,
    FileKind::Auxiliary,
    FileKind::Example,
    FileKind::Document,
    FileKind::Data,
    FileKind::Test,
    FileKind::Foreign,
];

/// Names of lock files, in lower case, that no extension tells.
const LOCK_FILES: [&str; 6] =
    ["package-lock.json", "pnpm-lock.yaml", "npm-shrinkwrap.json", "packages.lock.json", "pubspec.lock", "go.sum"];

/// The kind of the file at `path`, judged by the path alone. A lock file is written by a program, so it is foreign.
pub(crate) fn kind_of_file(path: &str) -> FileKind {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name).to_lowercase();
    let is_lock_file = name.ends_with(".lock") || LOCK_FILES.contains(&name.as_str());
    if is_lock_file { FileKind::Foreign } else { FileKind::from_path(path) }
}

/// Where a list shows the files of a kind, from 0.
pub(crate) fn place_in_listing(kind: FileKind) -> usize {
    IN_ORDER.iter().position(|listed| *listed == kind).unwrap_or(IN_ORDER.len())
}
