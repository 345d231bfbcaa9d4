//! Which folder or file to name where an answer has more rows than it shows.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use peelback_code::FileKind;

use crate::file_place::kind_of_path;

/// Characters that make a scope a glob.
pub(crate) const GLOB_CHARS: [char; 4] = ['*', '?', '[', '{'];

/// The rows below a folder, or in a file.
#[derive(Default)]
struct PlaceRows {
    all: usize,
    /// Those in files that their paths show to be lock files, or generated or third-party files.
    foreign: usize,
}

/// The maximum number of places of which the beginnings of files are read, to see whether they are generated.
const MAX_PLACES_READ: usize = 32;

/// The folder or file that is best to look at first, with its number of rows, where `rows` has the number of rows of each
/// file: of those with at most half of all rows the one with most, and if there is none, the one with least. `None` where
/// each place has all rows. Never a place whose rows are mostly in lock files, or in generated or third-party files, and no
/// folder where `scopes`, in whose place it would be searched, may leave out files of it: several, or a glob.
pub(crate) fn narrower_place_and_count<'r>(
    rows: &'r [(String, usize)],
    scopes: &[String],
    kind_of_file: &dyn Fn(&str) -> FileKind,
) -> Option<(&'r str, usize)> {
    let are_folders_whole = scopes.len() < 2 && !scopes.iter().any(|scope| scope.contains(GLOB_CHARS));
    let total: usize = rows.iter().map(|(_, count)| count).sum();
    let mut places: BTreeMap<&str, PlaceRows> = BTreeMap::new();
    for (path, count) in rows {
        let is_foreign = kind_of_path(path) == FileKind::Foreign;
        let folder_ends = path.match_indices('/').map(|(at, _)| at).filter(|_| are_folders_whole);
        let ends = folder_ends.chain([path.len()]);
        for place in ends.filter_map(|end| path.get(..end)).filter(|place| !place.is_empty()) {
            let place = places.entry(place).or_default();
            place.all += count;
            place.foreign += if is_foreign { *count } else { 0 };
        }
    }
    let narrower = places.into_iter().filter(|(_, rows)| rows.all < total && rows.foreign * 2 <= rows.all);
    let mut narrower: Vec<(&str, usize)> = narrower.map(|(place, rows)| (place, rows.all)).collect();
    // Of a folder and the one file in it, the file tells more. Of equals, the first by name.
    narrower.sort_by_key(|(place, count)| {
        let is_large = *count > total / 2;
        (is_large, if is_large { *count } else { total - *count }, Reverse(place.len()))
    });
    let is_written = |place: &str, count: usize| {
        let is_below =
            |path: &str| path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let (mut written, mut foreign) = (0, 0);
        for (path, rows) in rows.iter().filter(|(path, _)| is_below(path)) {
            *(if kind_of_file(path) == FileKind::Foreign { &mut foreign } else { &mut written }) += rows;
            if written * 2 >= count || foreign * 2 > count {
                break;
            }
        }
        foreign * 2 <= count
    };
    narrower.into_iter().take(MAX_PLACES_READ).find(|(place, count)| is_written(place, *count))
}

#[cfg(test)]
mod tests {
    use super::narrower_place_and_count;
    use crate::file_place::kind_of_path;
    use peelback_code::FileKind;

    fn place(rows: &[(&str, usize)]) -> Option<(String, usize)> {
        let rows: Vec<(String, usize)> = rows.iter().map(|(path, count)| ((*path).to_owned(), *count)).collect();
        narrower_place_and_count(&rows, &[], &kind_of_path).map(|(place, count)| (place.to_owned(), count))
    }

    #[test]
    fn no_folder_stands_in_for_a_glob_or_for_several_scopes() {
        let rows = [("src/a.rs".to_owned(), 30), ("src/b.rs".to_owned(), 25), ("docs/a.rs".to_owned(), 60)];
        let place = |scopes: &[&str]| {
            let scopes: Vec<String> = scopes.iter().map(|scope| (*scope).to_owned()).collect();
            narrower_place_and_count(&rows, &scopes, &kind_of_path).map(|(place, _)| place)
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
    #[test]
    fn no_file_is_named_whose_text_says_that_it_is_generated() {
        let rows = [("src/tables.rs".to_owned(), 40), ("src/a.rs".to_owned(), 2), ("src/b.rs".to_owned(), 60)];
        let kind = |path: &str| if path == "src/tables.rs" { FileKind::Foreign } else { FileKind::Source };
        assert_eq!(narrower_place_and_count(&rows, &[], &kind), Some(("src/a.rs", 2)));
    }
}
