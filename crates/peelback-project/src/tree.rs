//! The project map: a listing of folders and files.

use std::collections::BTreeMap;

use peelback_syntax::language;
use rayon::prelude::*;

use crate::decode::count_lines;
use crate::entry::ProjectEntry;
use crate::error::CodeError;
use crate::evidence::Evidence;
use crate::project::Project;
use crate::source::SourceFile;
use crate::thread_pool::start_thread_pool;
use crate::walk::WalkOptions;

/// A folder or file in the project map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeEntry {
    /// The path from the project's root, with `/` as separator.
    pub path: String,
    /// Whether the entry is a folder.
    pub is_folder: bool,
    /// The depth below the folder where the map starts, from 1.
    pub depth: usize,
    /// The number of files in a folder, at any depth; 1 for a file.
    pub file_count: usize,
    /// The number of lines; for a folder, the sum of its files. `None` for a binary or unreadable file.
    pub line_count: Option<u64>,
    /// The name of a file's language, if it is known; `None` for a folder.
    pub language: Option<&'static str>,
    /// The size of a file in bytes; for a folder, the sum of its files.
    pub size_bytes: u64,
    /// The result of the caller's `measure` for a file's text; for a folder, the sum of its files.
    pub weight: Option<usize>,
}

impl Project {
    /// All folders and files below `path`, in path order, each folder followed by its contents. `measure` computes the
    /// weight of a file's text.
    ///
    /// # Errors
    /// The errors of [`Project::files_in_scope`].
    pub fn tree_entries(
        &self,
        path: Option<&str>,
        walk_options: &WalkOptions,
        measure: impl Fn(&str) -> usize + Sync,
    ) -> Result<(Vec<TreeEntry>, Evidence), CodeError> {
        let start = match path.filter(|path| !path.is_empty()) {
            Some(path) => self.require_entry(path)?.path,
            None => String::new(),
        };
        let base_depth = if start.is_empty() { 0 } else { start.split('/').count() };
        let set = self.files_in_scope(path, walk_options)?;
        let cancellation = self.cancellation();
        cancellation.add_expected_files(set.entries.len());
        let entry = |entry| {
            cancellation
                .count_processed_file_unless_stopped()
                .then(|| build_file_tree_entry(entry, base_depth, &measure))
        };
        start_thread_pool();
        let read_entries: Vec<Option<(TreeEntry, Option<CodeError>)>> = set.entries.par_iter().map(entry).collect();
        let mut evidence = Evidence::new_complete("files");
        cancellation.note_unprocessed_files_in_evidence(
            read_entries.iter().filter(|entry| entry.is_none()).count(),
            read_entries.len(),
            &mut evidence,
        );
        let mut files = Vec::with_capacity(read_entries.len());
        for (entry, error) in read_entries.into_iter().flatten() {
            match error {
                None | Some(CodeError::Binary { .. }) => {}
                Some(error) => evidence.add_skipped_and_lower_completeness(&entry.path, error.to_string()),
            }
            files.push(entry);
        }
        for skipped in set.skipped {
            evidence.add_skipped_and_lower_completeness(&skipped.path, skipped.reason);
        }
        let mut folders: BTreeMap<String, TreeEntry> = BTreeMap::new();
        for file in &files {
            let parts: Vec<&str> = file.path.split('/').collect();
            for level in base_depth + 1..parts.len() {
                let path = parts.get(..level).unwrap_or(&[]).join("/");
                let folder = folders.entry(path.clone()).or_insert_with(|| TreeEntry {
                    path,
                    is_folder: true,
                    depth: level - base_depth,
                    file_count: 0,
                    line_count: Some(0),
                    language: None,
                    size_bytes: 0,
                    weight: Some(0),
                });
                folder.file_count += 1;
                folder.size_bytes += file.size_bytes;
                folder.weight = Some(folder.weight.unwrap_or(0) + file.weight.unwrap_or(0));
                folder.line_count = Some(folder.line_count.unwrap_or(0) + file.line_count.unwrap_or(0));
            }
        }
        let mut entries: Vec<TreeEntry> = folders.into_values().chain(files).collect();
        // Compared part by part, so that a folder's contents follow the folder at once: `a-b` does not come between `a`
        // and `a/c`.
        entries.sort_by(|a, b| a.path.split('/').cmp(b.path.split('/')));
        Ok((entries, evidence))
    }
}

fn build_file_tree_entry(
    file: &ProjectEntry,
    base_depth: usize,
    measure: &(impl Fn(&str) -> usize + Sync),
) -> (TreeEntry, Option<CodeError>) {
    let name = file.path.rsplit('/').next().unwrap_or(&file.path);
    let depth = file.path.split('/').count().saturating_sub(base_depth).max(1);
    let mut entry = TreeEntry {
        path: file.path.clone(),
        is_folder: false,
        depth,
        file_count: 1,
        line_count: None,
        language: language::language_of_file_name(name).map(|language| language.name),
        size_bytes: 0,
        weight: None,
    };
    match SourceFile::read(file) {
        Ok(source) => {
            entry.language = language::language_of_file_name_and_text(name, &source.text).map(|language| language.name);
            entry.line_count = Some(u64::from(count_lines(&source.text)));
            entry.size_bytes = source.size_bytes;
            entry.weight = Some(measure(&source.text));
        }
        Err(error) => {
            entry.size_bytes = file.file_metadata().map_or(0, |metadata| metadata.len());
            return (entry, Some(error));
        }
    }
    (entry, None)
}
