//! The kinds of files in the order in which lists of symbols show them.

use peelback_code::{FileKind, GeneratedFiles, Project};

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

/// Tells the kinds of a project's files: by their paths, by the project's `.gitattributes`, and by what their first
/// comments say. A file that a program wrote, such as a lock file, is foreign.
#[derive(Debug)]
pub(crate) struct FileKinds(Option<GeneratedFiles>);

impl FileKinds {
    /// The kinds of the files of `project`; without one, by paths alone.
    pub fn of_project(project: Option<&Project>) -> Self {
        Self(project.map(GeneratedFiles::of_project))
    }

    /// The kind of the file at a path from the root. Reads the beginning of the file where its path does not tell.
    pub fn kind(&self, path: &str) -> FileKind {
        self.kind_with_generated(path, |generated| generated.is_generated(path))
    }

    /// The kind of the file at a path from the root with the text `text`.
    pub fn kind_with_text(&self, path: &str, text: &str) -> FileKind {
        self.kind_with_generated(path, |generated| generated.is_generated_with_text(path, text))
    }

    fn kind_with_generated(&self, path: &str, is_generated: impl FnOnce(&GeneratedFiles) -> bool) -> FileKind {
        match kind_of_path(path) {
            FileKind::Foreign => FileKind::Foreign,
            _ if self.0.as_ref().is_some_and(is_generated) => FileKind::Foreign,
            kind => kind,
        }
    }
}

/// The kind of the file at `path`, judged by the path alone.
pub(crate) fn kind_of_path(path: &str) -> FileKind {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name).to_lowercase();
    let is_lock_file = name.ends_with(".lock") || LOCK_FILES.contains(&name.as_str());
    if is_lock_file { FileKind::Foreign } else { FileKind::from_path(path) }
}

/// Where a list shows the files of a kind, from 0.
pub(crate) fn place_in_listing(kind: FileKind) -> usize {
    IN_ORDER.iter().position(|listed| *listed == kind).unwrap_or(IN_ORDER.len())
}
