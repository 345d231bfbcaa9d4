//! The project map: a listing of folders and files.

use std::collections::BTreeMap;

use peelback_syntax::language;
use rayon::prelude::*;

use crate::decode::line_count;
use crate::entry::ProjectEntry;
use crate::error::CodeError;
use crate::evidence::Evidence;
use crate::project::Project;
use crate::source::SourceFile;
use crate::walk::WalkOptions;

/// A folder or file in the project map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeEntry {
    /// The path from the root, with `/`.
    pub path: String,
    /// Whether the entry is a folder.
    pub is_folder: bool,
    /// The depth below the start folder, from 1.
    pub depth: usize,
    /// The number of files in a folder, at any depth; 1 for a file.
    pub files: usize,
    /// The number of lines; for a folder, the sum of its files. `None` for a binary or unreadable file.
    pub lines: Option<u64>,
    /// The language of a file.
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
    /// The errors of [`Project::files`].
    pub fn tree(
        &self,
        path: Option<&str>,
        walk: &WalkOptions,
        measure: impl Fn(&str) -> usize + Sync,
    ) -> Result<(Vec<TreeEntry>, Evidence), CodeError> {
        let start = match path.filter(|path| !path.is_empty()) {
            Some(path) => self.entry(path)?.path,
            None => String::new(),
        };
        let base_depth = if start.is_empty() { 0 } else { start.split('/').count() };
        let set = self.files(path, walk)?;
        let cancellation = self.cancellation();
        cancellation.expect(set.entries.len());
        let entry = |entry| cancellation.step().then(|| file_entry(entry, base_depth, &measure));
        let read: Vec<Option<(TreeEntry, Option<CodeError>)>> = set.entries.par_iter().map(entry).collect();
        let mut evidence = Evidence::complete("files");
        cancellation.cut_short(read.iter().filter(|entry| entry.is_none()).count(), read.len(), &mut evidence);
        let mut files = Vec::with_capacity(read.len());
        for (entry, error) in read.into_iter().flatten() {
            match error {
                None | Some(CodeError::Binary { .. }) => {}
                Some(error) => evidence.skip(&entry.path, error.to_string()),
            }
            files.push(entry);
        }
        for skipped in set.skipped {
            evidence.skip(&skipped.path, skipped.reason);
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
                    files: 0,
                    lines: Some(0),
                    language: None,
                    size_bytes: 0,
                    weight: Some(0),
                });
                folder.files += 1;
                folder.size_bytes += file.size_bytes;
                folder.weight = Some(folder.weight.unwrap_or(0) + file.weight.unwrap_or(0));
                folder.lines = Some(folder.lines.unwrap_or(0) + file.lines.unwrap_or(0));
            }
        }
        let mut entries: Vec<TreeEntry> = folders.into_values().chain(files).collect();
        // Compared part by part, so that a folder's contents follow the folder at once: `a-b` does not come between `a`
        // and `a/c`.
        entries.sort_by(|a, b| a.path.split('/').cmp(b.path.split('/')));
        Ok((entries, evidence))
    }
}

fn file_entry(
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
        files: 1,
        lines: None,
        language: language::language_of_file_name(name).map(|language| language.name),
        size_bytes: 0,
        weight: None,
    };
    match SourceFile::read(file) {
        Ok(source) => {
            entry.language = language::language_of_file(name, &source.text).map(|language| language.name);
            entry.lines = Some(u64::from(line_count(&source.text)));
            entry.size_bytes = source.size_bytes;
            entry.weight = Some(measure(&source.text));
        }
        Err(error) => {
            entry.size_bytes = std::fs::metadata(&file.absolute).map_or(0, |metadata| metadata.len());
            return (entry, Some(error));
        }
    }
    (entry, None)
}
