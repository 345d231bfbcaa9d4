//! The map: folders and files.

use std::collections::BTreeMap;

use peelback_syntax::language;
use rayon::prelude::*;

use crate::error::CodeError;
use crate::evidence::Evidence;
use crate::project::{Project, ProjectEntry};
use crate::source::{SourceFile, line_count};
use crate::walk::WalkOptions;

/// A folder or a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeEntry {
    /// The path from the root, with `/`.
    pub path: String,
    /// Whether it is a folder.
    pub is_folder: bool,
    /// Levels below the start, from 1.
    pub depth: usize,
    /// A folder's files, at any depth; 1 for a file.
    pub files: usize,
    /// Lines; a folder's are those of its files. `None` for a binary or unreadable file.
    pub lines: Option<u64>,
    /// A file's language.
    pub language: Option<&'static str>,
    /// A file's size in bytes; a folder's is the sum.
    pub size_bytes: u64,
    /// What the caller's measure made of a file's text; a folder's is the sum.
    pub weight: Option<usize>,
}

impl Project {
    /// Every folder and file below `path`, in the order of their paths, each folder followed by what it holds.
    /// `measure` weighs a file's text.
    ///
    /// # Errors
    /// Those of [`Project::files`].
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
        // By path parts, so that a folder's content follows it at once; `a-b` does not come between `a` and `a/c`.
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
        language: language::of_name(name).map(|language| language.name),
        size_bytes: 0,
        weight: None,
    };
    match SourceFile::read(file) {
        Ok(source) => {
            entry.language = language::of_file(name, &source.text).map(|language| language.name);
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
