//! Which of several definitions of one name is used around first: by the files with the name that are near to it in the
//! tree of folders.

use std::collections::BTreeMap;

/// The maximum number of symbols of one name that are ordered by the files around them.
pub(crate) const MAX_SYMBOLS_ORDERED_BY_USE: usize = 50;

/// How many of `files_with_name` are nearer to each of `paths`, where definitions of the name are, than to the others.
/// Empty where that orders nothing, or the definitions are too many.
pub(crate) fn count_files_nearest_to_each<'p>(
    definitions: usize,
    paths: impl Iterator<Item = &'p str>,
    files_with_name: &[&str],
) -> BTreeMap<String, usize> {
    let mut near_files: BTreeMap<String, usize> = BTreeMap::new();
    if !(2..=MAX_SYMBOLS_ORDERED_BY_USE).contains(&definitions) {
        return near_files;
    }
    let mut paths: Vec<&str> = paths.collect();
    paths.sort_unstable();
    paths.dedup();
    for file in files_with_name {
        let nearest = paths.iter().map(|path| folder_distance(file, path)).min();
        for path in paths.iter().filter(|path| Some(folder_distance(file, path)) == nearest) {
            *near_files.entry((*path).to_owned()).or_default() += 1;
        }
    }
    near_files
}

/// How many folders lie between two files.
fn folder_distance(one: &str, other: &str) -> usize {
    let folder = |path: &'_ str| path.rfind('/').unwrap_or(0);
    let (first, second) = (one.get(..folder(one)).unwrap_or(""), other.get(..folder(other)).unwrap_or(""));
    let depth = |folder: &str| folder.split('/').filter(|part| !part.is_empty()).count();
    let shared = first.split('/').zip(second.split('/')).take_while(|(a, b)| a == b && !a.is_empty()).count();
    depth(first) + depth(second) - 2 * shared
}
