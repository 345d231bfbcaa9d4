//! `FileTable`: a project's files by number and by path, and the texts that were read to locate modules.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::content_hash::ContentHash;
use crate::entry::ProjectEntry;
use crate::error::CodeError;
use crate::evidence::Evidence;
use crate::project::Project;
use crate::signature::FileSignature;
use crate::source::SourceFile;

/// The number of a file: its index in a project's [`FileTable`].
pub type FileId = u32;

/// The state of each file that was read to locate modules, by path. Results derived from the texts of these files are
/// valid as long as the texts are unchanged.
pub type ConsultedTexts = BTreeMap<String, ConsultedText>;

/// The hash of a file's text when the file was read; no hash if the file could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConsultedText {
    hash: Option<ContentHash>,
    /// The file's signature, if every later change of the file must change it: see
    /// [`FileSignature::can_detect_changes_after`].
    settled_signature: Option<FileSignature>,
    /// Whether the file was not read because it is larger than the limit.
    is_too_large: bool,
    limit: u64,
}

/// The maximum size in bytes of a file that is read to locate modules, such as a manifest; larger source files are not
/// parsed either. A parsed manifest takes up to fifty times its size.
const MAX_CONSULTED_BYTES: u64 = 4 << 20;

/// The files of a project at the time of a call, in path order.
pub struct FileTable {
    project: Project,
    entries: Vec<ProjectEntry>,
    /// The number of each file by its path. Built on first use: most calls need only files that have not changed.
    ids_by_path: OnceLock<HashMap<String, FileId>>,
    consulted: Mutex<ConsultedTexts>,
}

impl FileTable {
    /// Creates the table of `entries`, which must be in path order.
    pub fn new(project: &Project, entries: Vec<ProjectEntry>) -> Self {
        Self { project: project.clone(), entries, ids_by_path: OnceLock::new(), consulted: Mutex::default() }
    }

    /// A table of the same files, without the record of the texts that were read.
    pub fn copy_without_record_of_reads(&self) -> Self {
        Self::new(&self.project, self.entries.clone())
    }

    /// The project's root, absolute and without symbolic links.
    pub fn root(&self) -> &Path {
        self.project.root()
    }

    /// The number of files in the table.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the table has no files.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All files of the table, in path order.
    pub fn entries(&self) -> &[ProjectEntry] {
        &self.entries
    }

    /// The file with the number `id`.
    ///
    /// # Panics
    /// If `id` is no index into this table.
    #[expect(
        clippy::indexing_slicing,
        reason = "a FileId is an index that `id`, `below` and `children` of the same table returned, the entries never \
                  change after `new`, and the panic is documented"
    )]
    pub fn entry(&self, id: FileId) -> &ProjectEntry {
        &self.entries[id as usize]
    }

    /// The path of a file from the project's root, with `/` as separator.
    pub fn path_of_file(&self, id: FileId) -> &str {
        &self.entry(id).path
    }

    /// The number of the file at `path`; `None` if the table has no such file. `path` starts from the project's root
    /// and contains `/` but no `.` and `..`: see [`join_and_normalize_path`].
    pub fn id_of_path(&self, path: &str) -> Option<FileId> {
        let by_path = || (0..).zip(&self.entries).map(|(id, entry)| (entry.path.clone(), id)).collect();
        self.ids_by_path.get_or_init(by_path).get(path).copied()
    }

    /// The numbers of all files below a folder, at any depth; the empty path is the root.
    pub fn files_below_folder(&self, folder: &str) -> Range<FileId> {
        if folder.is_empty() {
            return 0..file_id_from_index(self.entries.len());
        }
        // A few characters of file names sort before `/`, so the files of `folder` need not be adjacent to those of
        // `folder.x`. All paths that begin with `folder/` are adjacent.
        let prefix = format!("{folder}/");
        let start = self.entries.partition_point(|entry| entry.path.as_str() < prefix.as_str());
        let count = self.entries.get(start..).unwrap_or(&[]).partition_point(|entry| entry.path.starts_with(&prefix));
        file_id_from_index(start)..file_id_from_index(start + count)
    }

    /// The numbers of the files directly in a folder.
    pub fn child_files<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = FileId> + 'a {
        let skip = if folder.is_empty() { 0 } else { folder.len() + 1 };
        self.files_below_folder(folder)
            .filter(move |id| !self.path_of_file(*id).get(skip..).unwrap_or("").contains('/'))
    }

    /// Whether the table has any file below a folder, at any depth.
    pub fn has_files_below_folder(&self, folder: &str) -> bool {
        !self.files_below_folder(folder).is_empty()
    }

    /// The current text of a file; `None` if it cannot be read.
    pub fn read_and_record_text(&self, id: FileId) -> Option<String> {
        self.read_and_record_text_at_path(self.path_of_file(id))
    }

    /// The current text of the file at a path from the root, which may be one that the directory walk skips (ignored or
    /// hidden). The table records that the text was read: see [`FileTable::consulted_texts`].
    pub fn read_and_record_text_at_path(&self, path: &str) -> Option<String> {
        self.read_and_record_text_unless_larger(path, MAX_CONSULTED_BYTES)
    }

    /// [`FileTable::read_and_record_text_at_path`] for a file of at most `limit` bytes, in place of the usual limit.
    pub fn read_and_record_text_unless_larger(&self, path: &str, limit: u64) -> Option<String> {
        let (text, state) = self.read_text_with_hash_and_signature(path, limit);
        self.consulted.lock().unwrap_or_else(PoisonError::into_inner).entry(path.to_owned()).or_insert(state);
        text
    }

    fn read_text_with_hash_and_signature(&self, path: &str, limit: u64) -> (Option<String>, ConsultedText) {
        let read = match self.id_of_path(path) {
            Some(id) => Some(SourceFile::read_unless_larger_than(self.entry(id), limit)),
            None => self
                .project
                .find_readable_file_by_root_path(path)
                .map(|entry| SourceFile::read_unless_larger_than(&entry, limit)),
        };
        let is_too_large = matches!(read, Some(Err(CodeError::TooLarge { .. })));
        let file = read.and_then(Result::ok);
        let hash = file.as_ref().map(SourceFile::content_hash);
        let settled_signature = file.as_ref().and_then(|file| file.settled_signature);
        (file.map(|file| file.text), ConsultedText { hash, settled_signature, is_too_large, limit })
    }

    /// The state of all files whose texts were read through this table so far.
    pub fn consulted_texts(&self) -> ConsultedTexts {
        self.consulted.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether all files in `consulted` still have the same text. For most files, the current signature, which
    /// `signature` returns, shows this without reading the file.
    pub fn are_recorded_texts_unchanged(
        &self,
        consulted: &mut ConsultedTexts,
        signature: impl Fn(FileId) -> Option<FileSignature>,
    ) -> bool {
        consulted.iter_mut().all(|(path, text)| {
            let current_signature = self.id_of_path(path).and_then(&signature);
            if current_signature.is_some() && current_signature == text.settled_signature {
                return true;
            }
            let previous = std::mem::replace(text, self.read_text_with_hash_and_signature(path, text.limit).1);
            previous.hash == text.hash && previous.is_too_large == text.is_too_large
        })
    }
}

/// Adds to the evidence those of the consulted files that were not read because they are too large.
pub fn note_consulted_files_that_are_too_large(consulted: &ConsultedTexts, evidence: &mut Evidence) {
    for (path, text) in consulted.iter().filter(|(_, text)| text.is_too_large) {
        let limit = text.limit >> 20;
        let reason = format!("over the {limit} MB up to which a file is read to find what imports name");
        evidence.add_skipped_and_lower_completeness(path, reason);
    }
}

/// The number of the file at an index of a table's list of files. An index that is too large becomes `FileId::MAX`.
pub fn file_id_from_index(index: usize) -> FileId {
    FileId::try_from(index).unwrap_or(FileId::MAX)
}

/// The folder part of a file's path; empty for a file in the root.
pub fn folder_of_path(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The file name at the end of a path, without the folders.
pub fn file_name_of_path(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// `relative` resolved against `folder`, with `.` and `..` removed; `None` if the path leaves the root.
pub fn join_and_normalize_path(folder: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
