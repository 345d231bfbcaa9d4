//! The file tree in the first exploration request: one row for each folder, with the names of its files.

use std::collections::{BTreeMap, HashSet};

use peelback_code::{CodeAccess, FileKind, WalkOptions};

use crate::markdown::{format_count_with_unit, one_line, truncate_with_ellipsis};
use crate::secrets::SecretFileRules;

/// The maximum number of characters of a file name in the tree.
const NAME: usize = 60;

/// The reciprocal of the share of the tree that rows of folders without source files have in any case.
const OTHER_ROWS_SHARE: usize = 4;

/// A folder with its own files.
struct Folder<'a> {
    path: &'a str,
    names: Vec<&'a str>,
    /// Files that are only counted: tests, documents, data and files of others.
    other_files: usize,
    has_candidate: bool,
    are_names_shown: bool,
}

impl<'a> Folder<'a> {
    fn new(path: &'a str) -> Self {
        Self { path, names: Vec::new(), other_files: 0, has_candidate: false, are_names_shown: true }
    }

    fn row(&self, secrets: &SecretFileRules) -> String {
        let path = if self.path.is_empty() { "./" } else { self.path };
        let mut parts: Vec<String> = Vec::new();
        if self.are_names_shown {
            parts.extend(self.names.iter().map(|name| shown_name(name, secrets)));
        }
        let counted = self.other_files + if self.are_names_shown { 0 } else { self.names.len() };
        if counted > 0 {
            let more = if parts.is_empty() { ("file", "files") } else { ("other file", "other files") };
            parts.push(format_count_with_unit(counted, more.0, more.1));
        }
        format!("{}: {}\n", one_line(path), parts.join(", "))
    }
}

/// A file's name on one line of at most [`NAME`] characters. It is masked before it is cut, since a part of a secret would
/// not be recognised.
fn shown_name(name: &str, secrets: &SecretFileRules) -> String {
    if name.chars().count() <= NAME {
        return one_line(name).to_string();
    }
    truncate_with_ellipsis(&one_line(&secrets.redact(name)), NAME)
}

/// The folders above the folder `path` below the root, the topmost first, and the folder itself.
fn folders_from_top(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').filter_map(|(at, _)| path.get(..=at))
}

/// The folders of the project in at most `max_chars` characters, with the names of their source files. Where not all
/// names fit, those in folders without one of the files `candidates` are counted first, long lists before short ones.
/// Where not all rows fit, those with candidates come first, then those with source files.
pub(super) fn compact_file_tree(
    access: &CodeAccess,
    candidates: &[&str],
    secrets: &SecretFileRules,
    max_chars: usize,
) -> String {
    let Ok(files) = access.project().files_in_scope(None, &WalkOptions::default()) else { return String::new() };
    let candidates: HashSet<&str> = candidates.iter().copied().collect();
    let folders = folders_of_files(files.entries.iter().map(|entry| entry.path.as_str()), &candidates);
    let mut folders = with_folders_without_source_counted_above(folders);
    let chars_of = |folder: &Folder<'_>| folder.row(secrets).chars().count();
    let mut lengths: Vec<usize> = folders.iter().map(chars_of).collect();
    let chars_where = |has_source: bool| -> usize {
        let rows = folders.iter().zip(&lengths).filter(|(folder, _)| folder.names.is_empty() != has_source);
        rows.map(|(_, chars)| chars).sum()
    };
    let mut total = chars_where(true) + chars_where(false).min(max_chars / OTHER_ROWS_SHARE);
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
        if folder.names.is_empty() {
            continue;
        }
        folder.are_names_shown = false;
        let short = chars_of(folder);
        total = total - *length + short;
        *length = short;
    }
    rows_within(&folders, &lengths, secrets, max_chars)
}

/// The folders of files by their paths.
fn folders_of_files<'a>(
    paths: impl Iterator<Item = &'a str>,
    candidates: &HashSet<&str>,
) -> BTreeMap<&'a str, Folder<'a>> {
    let mut by_path: BTreeMap<&str, Folder<'_>> = BTreeMap::new();
    for path in paths {
        let (folder, name) = path.rfind('/').map_or(("", path), |at| path.split_at(at + 1));
        let row = by_path.entry(folder).or_insert_with(|| Folder::new(folder));
        let is_candidate = candidates.contains(path);
        row.has_candidate |= is_candidate;
        let is_source = matches!(FileKind::from_path(path), FileKind::Source | FileKind::Auxiliary);
        if is_source || is_candidate {
            row.names.push(name);
        } else {
            row.other_files += 1;
        }
    }
    by_path
}

/// The folders in the order of their paths. The files of folders of tests, documents and data are counted with the topmost
/// folder that has no source files of its own, or none below it: a folder that holds nothing but hundreds of such folders
/// is one row.
fn with_folders_without_source_counted_above<'a>(by_path: BTreeMap<&'a str, Folder<'a>>) -> Vec<Folder<'a>> {
    let with_source = by_path.values().filter(|folder| !folder.names.is_empty());
    let above_source: HashSet<&str> = with_source.flat_map(|folder| folders_from_top(folder.path)).collect();
    let without_own: HashSet<&str> =
        by_path.values().filter(|folder| folder.names.is_empty()).map(|folder| folder.path).collect();
    let mut folders: BTreeMap<&str, Folder<'_>> = BTreeMap::new();
    for folder in by_path.into_values() {
        let is_row = |above: &&str| !above_source.contains(above) || without_own.contains(above);
        let row = folders_from_top(folder.path).find(is_row).filter(|_| folder.names.is_empty());
        match row {
            Some(row) => folders.entry(row).or_insert_with(|| Folder::new(row)).other_files += folder.other_files,
            None => drop(folders.insert(folder.path, folder)),
        }
    }
    folders.into_values().collect()
}

/// The rows of the folders in their order, as many as fit `max_chars` characters: those with candidates come first, then
/// those with source files. The last row counts the others.
fn rows_within(folders: &[Folder<'_>], lengths: &[usize], secrets: &SecretFileRules, max_chars: usize) -> String {
    let note = |rest: usize| format!("… and {}\n", format_count_with_unit(rest, "more folder", "more folders"));
    let mut shown = vec![true; folders.len()];
    if lengths.iter().sum::<usize>() > max_chars {
        let mut room = max_chars.saturating_sub(note(folders.len()).chars().count());
        let mut order: Vec<usize> = (0..folders.len()).collect();
        let rank = |folder: &Folder<'_>| (!folder.has_candidate, folder.names.is_empty());
        order.sort_by_key(|index| folders.get(*index).map(rank));
        for index in order {
            let chars = lengths.get(index).copied().unwrap_or(0);
            let fits = chars <= room;
            room -= if fits { chars } else { 0 };
            if let Some(place) = shown.get_mut(index) {
                *place = fits;
            }
        }
    }
    let rows = folders.iter().zip(&shown).filter(|(_, shown)| **shown);
    let mut out: String = rows.map(|(folder, _)| folder.row(secrets)).collect();
    let rest = shown.iter().filter(|shown| !**shown).count();
    if rest > 0 {
        out.push_str(&note(rest));
    }
    out
}

#[cfg(test)]
mod tests {
    use peelback_code::Project;

    use super::*;

    /// The tree of a project with these files, one of them a candidate.
    fn tree_of(paths: &[String], candidate: &str, max_chars: usize) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join(".git")).expect("a folder");
        for path in paths {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, "x = 1\n").expect("a file");
        }
        let access = CodeAccess::new(Project::discover(Some(folder.path()), None).expect("a project"));
        compact_file_tree(&access, &[candidate], &SecretFileRules::new(&[]), max_chars)
    }

    fn numbered(count: usize, path: impl Fn(usize) -> String) -> Vec<String> {
        (0..count).map(path).collect()
    }

    #[test]
    fn folders_of_data_that_stand_side_by_side_are_one_row() {
        let mut paths = numbered(300, |number| format!("catalog/item-{number:03}/price.json"));
        paths.extend(
            ["src/app.py", "src/shop/cart.py", "src/shop/locale/de/x.json", "src/shop/locale/fr/x.json"]
                .map(str::to_owned),
        );
        assert_eq!(
            tree_of(&paths, "src/shop/cart.py", 1_600),
            "catalog/: 300 files\nsrc/: app.py\nsrc/shop/: cart.py\nsrc/shop/locale/: 2 files\n"
        );
    }

    #[test]
    fn rows_of_source_come_before_rows_of_data() {
        let mut paths = numbered(300, |number| format!("item-{number:03}/price.json"));
        paths.extend(numbered(20, |number| format!("src/part_{number:02}/code.py")));
        let tree = tree_of(&paths, "src/part_07/code.py", 800);
        assert!(tree.chars().count() <= 800, "{tree}");
        assert!(tree.contains("src/part_07/: code.py\n") && tree.contains("src/part_19/: "), "{tree}");
        assert!(tree.contains("item-000/: 1 file\n"), "{tree}");
        let rows = tree.lines().count() - 1;
        assert!(tree.ends_with(&format!("… and {} more folders\n", 320 - rows)), "{tree}");
        // In the order of their paths.
        let shown: Vec<&str> = tree.lines().take(rows).collect();
        assert!(shown.is_sorted(), "{tree}");
    }

    #[test]
    fn a_name_is_masked_before_it_is_cut() {
        let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
        let name = format!("build-with-the-token-of-the-one-who-releases-{token}.py");
        let tree = tree_of(&[format!("src/{name}")], "", 1_600);
        assert!(tree.contains("build-with-the-token") && !tree.contains("ghp_a1B2"), "{tree}");
    }
}
