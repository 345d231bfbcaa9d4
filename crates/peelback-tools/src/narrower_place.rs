//! Which folder or file to name where an answer has more rows than it shows.

use std::collections::BTreeMap;

use peelback_code::FileKind;

/// Names of lock files, in lower case, that no extension tells.
const LOCK_FILES: [&str; 6] =
    ["package-lock.json", "pnpm-lock.yaml", "npm-shrinkwrap.json", "packages.lock.json", "pubspec.lock", "go.sum"];

/// The kind of the file at `path`, judged by the path alone. A lock file is written by a program, so it is foreign.
pub(crate) fn kind_of_file(path: &str) -> FileKind {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name).to_lowercase();
    let is_lock_file = name.ends_with(".lock") || LOCK_FILES.contains(&name.as_str());
    if is_lock_file { FileKind::Foreign } else { FileKind::from_path(path) }
}

/// The rows below a folder, or in a file.
#[derive(Default)]
struct PlaceRows {
    all: usize,
    /// Those in lock files and in generated or third-party files.
    foreign: usize,
}

/// The folder or file that is best to look at first, with its number of rows, where `rows` has the number of rows of each
/// file: of those with at most half of all rows the one with most, and if there is none, the one with least. `None` where
/// each place has all rows. Never a place whose rows are mostly in lock files, or in generated or third-party files.
pub(crate) fn narrower_place_and_count(rows: &[(String, usize)]) -> Option<(&str, usize)> {
    let total: usize = rows.iter().map(|(_, count)| count).sum();
    let mut places: BTreeMap<&str, PlaceRows> = BTreeMap::new();
    for (path, count) in rows {
        let is_foreign = kind_of_file(path) == FileKind::Foreign;
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
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
    use super::{kind_of_file, narrower_place_and_count};
    use peelback_code::FileKind;

    fn place(rows: &[(&str, usize)]) -> Option<(String, usize)> {
        let rows: Vec<(String, usize)> = rows.iter().map(|(path, count)| ((*path).to_owned(), *count)).collect();
        narrower_place_and_count(&rows).map(|(place, count)| (place.to_owned(), count))
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
    fn lock_files_are_foreign() {
        for (path, kind) in [
            ("Cargo.lock", FileKind::Foreign),
            ("web/package-lock.json", FileKind::Foreign),
            ("go.sum", FileKind::Foreign),
            ("src/lock.rs", FileKind::Source),
        ] {
            assert_eq!(kind_of_file(path), kind, "{path}");
        }
    }
}
