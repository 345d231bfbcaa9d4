//! Which folder or file to name where an answer has more rows than it shows.

use std::collections::BTreeMap;

use peelback_code::FileKind;

use crate::file_place::kind_of_file;

/// Characters that make a scope a glob.
pub(crate) const GLOB_CHARS: [char; 4] = ['*', '?', '[', '{'];

/// The rows below a folder, or in a file.
#[derive(Default)]
struct PlaceRows {
    all: usize,
    /// Those in lock files and in generated or third-party files.
    foreign: usize,
}

/// The folder or file that is best to look at first, with its number of rows, where `rows` has the number of rows of each
/// file: of those with at most half of all rows the one with most, and if there is none, the one with least. `None` where
/// each place has all rows. Never a place whose rows are mostly in lock files, or in generated or third-party files, and no folder
/// where `scopes`, in whose place it would be searched, may leave out files of it: several, or a glob.
pub(crate) fn narrower_place_and_count<'r>(rows: &'r [(String, usize)], scopes: &[String]) -> Option<(&'r str, usize)> {
    let are_folders_whole = scopes.len() < 2 && !scopes.iter().any(|scope| scope.contains(GLOB_CHARS));
    let total: usize = rows.iter().map(|(_, count)| count).sum();
    let mut places: BTreeMap<&str, PlaceRows> = BTreeMap::new();
    for (path, count) in rows {
        let is_foreign = kind_of_file(path) == FileKind::Foreign;
        let folder_ends = path.match_indices('/').map(|(at, _)| at).filter(|_| are_folders_whole);
        let ends = folder_ends.chain([path.len()]);
        for place in ends.filter_map(|end| path.get(..end)).filter(|place| !place.is_empty()) {
            let place = places.entry(place).or_default();
            place.all += count;
            place.foreign += if is_foreign { *count } else { 0 };
        }
    }
    let narrower = places.into_iter().filter(|(_, rows)| rows.all < total && rows.foreign * 2 <= rows.all);
    let narrower: Vec<(&str, usize)> = narrower.map(|(place, rows)| (place, rows.all)).collect();
    // Of a folder and the one file in it, the file tells more. Of equals, the first by name.
    let best = |(place, count): &&(&str, usize)| (*count, place.len());
    let at_most_half = narrower.iter().filter(|(_, count)| *count <= total / 2);
    let most = at_most_half.rev().max_by_key(best);
    most.or_else(|| narrower.iter().min_by_key(|(_, count)| *count)).copied()
}

#[cfg(test)]
mod tests {
    use super::narrower_place_and_count;

    fn place(rows: &[(&str, usize)]) -> Option<(String, usize)> {
        let rows: Vec<(String, usize)> = rows.iter().map(|(path, count)| ((*path).to_owned(), *count)).collect();
        narrower_place_and_count(&rows, &[]).map(|(place, count)| (place.to_owned(), count))
    }

    #[test]
    fn no_folder_stands_in_for_a_glob_or_for_several_scopes() {
        let rows = [("src/a.rs".to_owned(), 30), ("src/b.rs".to_owned(), 25), ("docs/a.rs".to_owned(), 60)];
        let place = |scopes: &[&str]| {
            let scopes: Vec<String> = scopes.iter().map(|scope| (*scope).to_owned()).collect();
            narrower_place_and_count(&rows, &scopes).map(|(place, _)| place)
        };
        assert_eq!(place(&["."]), Some("src"));
        assert_eq!((place(&["**/*.rs"]), place(&["src", "docs"])), (Some("src/a.rs"), Some("src/a.rs")));
    }

    #[test]
    fn the_largest_place_with_at_most_half_is_named() {
        let rows = [("src/a.rs", 30), ("src/b.rs", 25), ("docs/a.md", 20), ("docs/b.md", 20), ("x.rs", 5)];
        assert_eq!(place(&rows), Some(("docs".to_owned(), 40)));
        assert_eq!(place(&[("src/a.rs", 90), ("src/b.rs", 10)]), Some(("src/b.rs".to_owned(), 10)));
        assert_eq!(place(&[("src/a.rs", 90)]), None);
        assert_eq!(place(&[("one/a.rs", 4), ("two/b.rs", 4)]), Some(("one/a.rs".to_owned(), 4)));
    }

    #[test]
    fn no_lock_file_is_named() {
        assert_eq!(place(&[("Cargo.lock", 40), ("src/a.rs", 2), ("src/b.rs", 60)]), Some(("src/a.rs".to_owned(), 2)));
        assert_eq!(place(&[("web/package-lock.json", 40), ("a.js", 70)]), Some(("a.js".to_owned(), 70)));
    }
}
