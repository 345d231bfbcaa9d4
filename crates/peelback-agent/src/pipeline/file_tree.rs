//! The file tree in the first exploration request: one row for each folder, with the names of its files.

use std::collections::{BTreeMap, HashSet};

use peelback_code::{CodeAccess, FileKind, WalkOptions};

use crate::markdown::{format_count_with_unit, one_line, truncate_with_ellipsis};

/// The maximum number of characters of a file name in the tree.
const NAME: usize = 60;

/// A folder with its own files.
struct Folder<'a> {
    path: &'a str,
    names: Vec<&'a str>,
    /// Files that are only counted: tests, documents, data and files of others.
    other_files: usize,
    has_candidate: bool,
    are_names_shown: bool,
}

impl Folder<'_> {
    fn row(&self) -> String {
        let path = if self.path.is_empty() { "./" } else { self.path };
        let mut parts: Vec<String> = Vec::new();
        if self.are_names_shown {
            parts.extend(self.names.iter().map(|name| truncate_with_ellipsis(&one_line(name), NAME)));
        }
        let counted = self.other_files + if self.are_names_shown { 0 } else { self.names.len() };
        if counted > 0 {
            let more = if parts.is_empty() { ("file", "files") } else { ("other file", "other files") };
            parts.push(format_count_with_unit(counted, more.0, more.1));
        }
        format!("{}: {}\n", one_line(path), parts.join(", "))
    }
}

/// Whether `path` is a folder below the folder `above`, which is not the root.
fn is_below(path: &str, above: &str) -> bool {
    !above.is_empty() && path.starts_with(above)
}

/// The folders of the project in at most `max_chars` characters, with the names of their source files. Where not all
/// names fit, those in folders without one of the files `candidates` are counted first, long lists before short ones.
pub(super) fn compact_file_tree(access: &CodeAccess, candidates: &[&str], max_chars: usize) -> String {
    let Ok(files) = access.project().files_in_scope(None, &WalkOptions::default()) else { return String::new() };
    let candidates: HashSet<&str> = candidates.iter().copied().collect();
    let mut by_path: BTreeMap<&str, Folder<'_>> = BTreeMap::new();
    for entry in &files.entries {
        let path = entry.path.as_str();
        let (folder, name) = path.rfind('/').map_or(("", path), |at| path.split_at(at + 1));
        let row = by_path.entry(folder).or_insert_with(|| Folder {
            path: folder,
            names: Vec::new(),
            other_files: 0,
            has_candidate: false,
            are_names_shown: true,
        });
        let is_candidate = candidates.contains(path);
        row.has_candidate |= is_candidate;
        let is_source = matches!(FileKind::from_path(path), FileKind::Source | FileKind::Auxiliary);
        if is_source || is_candidate {
            row.names.push(name);
        } else {
            row.other_files += 1;
        }
    }
    let mut folders: Vec<Folder<'_>> = Vec::new();
    for folder in by_path.into_values() {
        // Folders of tests, documents and data are counted with the topmost folder of their kind.
        match folders.iter_mut().find(|above| above.names.is_empty() && is_below(folder.path, above.path)) {
            Some(above) if folder.names.is_empty() => above.other_files += folder.other_files,
            _ => folders.push(folder),
        }
    }
    let mut lengths: Vec<usize> = folders.iter().map(|folder| folder.row().chars().count()).collect();
    let mut total: usize = lengths.iter().sum();
    let mut order: Vec<usize> = (0..folders.len()).collect();
    order.sort_by_key(|index| {
        let has_candidate = folders.get(*index).is_some_and(|folder| folder.has_candidate);
        (has_candidate, std::cmp::Reverse(lengths.get(*index).copied().unwrap_or(0)))
    });
    for index in order {
        if total <= max_chars {
            break;
        }
        let (Some(folder), Some(length)) = (folders.get_mut(index), lengths.get_mut(index)) else { continue };
        folder.are_names_shown = false;
        let short = folder.row().chars().count();
        total = total - *length + short;
        *length = short;
    }
    let mut out = String::new();
    let mut room = max_chars;
    for (index, folder) in folders.iter().enumerate() {
        let row = folder.row();
        let chars = row.chars().count();
        let rest = folders.len() - index;
        let note = format!("… and {}\n", format_count_with_unit(rest, "more folder", "more folders"));
        if chars + if rest > 1 { note.chars().count() } else { 0 } > room {
            out.push_str(&note);
            break;
        }
        room -= chars;
        out.push_str(&row);
    }
    out
}
