//! Text search with ripgrep's libraries.
//!
//! The search has two passes. The first pass counts the matching lines of every file, so that totals are exact and
//! memory use stays small for any pattern. The second pass reads the text of only the lines on the requested page.

mod file;
mod messages;
mod pattern;
mod rows;

use std::sync::atomic::{AtomicBool, Ordering};

use peelback_syntax::{Facts, walk_symbols_with_depth};
use rayon::prelude::*;

use self::file::{
    FileCount, MAX_LINE_BYTES_AT_ONCE, build_grep_searcher, count_rows_of_file, read_matching_lines_with_context,
};
pub use self::messages::{
    FileMatches, GrepAnswer, GrepLine, GrepQuery, LineKind, MatchCounts, MatchExistence, RowUnit,
};
use self::pattern::LinePattern;
pub use self::pattern::MAX_PATTERN_CLASSES;
use crate::entry::ProjectEntry;
use crate::error::CodeError;
use crate::evidence::Evidence;
use crate::reader::ProjectReader;
use crate::source::SourceFile;
use crate::thread_pool::start_thread_pool;

impl ProjectReader {
    /// Searches text and returns one page: the matching lines `offset..offset + limit` with their context. Matching
    /// lines are counted over all files in path order.
    ///
    /// # Errors
    /// [`CodeError::BadPattern`] and the errors of [`crate::Project::files_in_scope`].
    pub fn grep(&self, query: &GrepQuery, offset: usize, limit: usize) -> Result<GrepAnswer, CodeError> {
        let counted = self.count_matches(query, offset, limit, None)?;
        Ok(self.read_matching_lines_of_page(query, counted))
    }

    /// Whether any text matches. The search ends with the first file that does.
    ///
    /// # Errors
    /// Those of [`ProjectReader::grep`].
    pub fn has_match(&self, query: &GrepQuery) -> Result<MatchExistence, CodeError> {
        let has_found = AtomicBool::new(false);
        let counted = self.count_matches(query, 0, 0, Some(&has_found))?;
        Ok(match counted.counts.total > 0 {
            // Which other files were searched by then differs from run to run.
            true => MatchExistence { is_matched: true, searched: 0, evidence: Evidence::new_complete("text") },
            false => {
                MatchExistence { is_matched: false, searched: counted.counts.searched, evidence: counted.evidence }
            }
        })
    }

    /// The first pass of a search: counts the matching lines of every file. With `has_found`, no further file is begun once
    /// one has some.
    fn count_matches(
        &self,
        query: &GrepQuery,
        offset: usize,
        limit: usize,
        has_found: Option<&AtomicBool>,
    ) -> Result<CountedMatches, CodeError> {
        let pattern = LinePattern::new(query)?;
        let mut set = self.project().files_in_scopes(&query.scopes, &query.walk_options)?;
        if let Some(is_searched) = query.path_filter {
            set.entries.retain(|entry| is_searched(&entry.path));
        }
        let mut evidence = Evidence::new_complete("text");
        for skipped in set.skipped {
            evidence.add_skipped_and_lower_completeness(&skipped.path, skipped.reason);
        }
        let cancellation = self.project().cancellation();
        cancellation.add_expected_files(set.entries.len());
        start_thread_pool();
        let counted: Vec<FileCount> = set
            .entries
            .par_iter()
            .with_max_len(16)
            .map_init(
                || build_grep_searcher(query, false, MAX_LINE_BYTES_AT_ONCE.min(pattern.max_line_bytes)),
                |searcher, entry| {
                    let is_enough = has_found.is_some_and(|found| found.load(Ordering::Relaxed));
                    if is_enough || !cancellation.count_processed_file_unless_stopped() {
                        return FileCount { unread: true, ..FileCount::default() };
                    }
                    let count = count_rows_of_file(searcher, query, &pattern, entry, cancellation);
                    if let Some(has_found) = has_found.filter(|_| count.rows > 0 && !count.binary) {
                        has_found.store(true, Ordering::Relaxed);
                    }
                    count
                },
            )
            .collect();
        let mut counts = MatchCounts { searched: set.entries.len(), ..MatchCounts::default() };
        let mut binary = 0;
        let mut unread = 0;
        let mut files_on_page = Vec::new();
        for (entry, count) in set.entries.iter().zip(counted) {
            if count.unread {
                unread += 1;
                continue;
            }
            binary += usize::from(count.binary);
            if let Some(reason) = count.error {
                evidence.add_skipped_and_lower_completeness(&entry.path, reason);
            }
            // A binary file counts for nothing; of one that could not be read to its end, what was found counts.
            if count.rows == 0 || count.binary {
                continue;
            }
            let skip = offset.saturating_sub(counts.total);
            let room = offset.saturating_add(limit).saturating_sub(counts.total.max(offset));
            let take = count.rows.saturating_sub(skip).min(room);
            if take > 0 {
                files_on_page.push((entry.clone(), skip, take));
            }
            counts.total += count.rows;
            counts.by_file.push((entry.path.clone(), count.rows));
        }
        counts.searched -= unread;
        cancellation.note_unprocessed_files_in_evidence(unread, set.entries.len(), &mut evidence);
        if binary > 0 {
            let s = if binary == 1 { "" } else { "s" };
            evidence.add_note(format!("{binary} binary file{s} not searched past the first NUL byte"));
        }
        Ok(CountedMatches { pattern, counts, files_on_page, evidence })
    }

    /// The second pass of a search: reads the lines of the page.
    fn read_matching_lines_of_page(&self, query: &GrepQuery, counted: CountedMatches) -> GrepAnswer {
        let CountedMatches { pattern, counts, files_on_page, mut evidence } = counted;
        let cancellation = self.project().cancellation();
        let files: Vec<Option<(FileMatches, Option<String>)>> = files_on_page
            .par_iter()
            .with_max_len(1)
            .map(|(entry, skip, take)| {
                // After the deadline, lines that were only counted are not shown.
                cancellation
                    .stop_cause()
                    .is_none()
                    .then(|| read_matching_lines_with_context(query, &pattern, entry, *skip, *take, cancellation))
            })
            .collect();
        // The page ends at the first file that was not read, since a gap would shift the following pages.
        let files: Vec<(FileMatches, Option<String>)> = files.into_iter().map_while(|file| file).collect();
        cancellation.note_unprocessed_files_in_evidence(
            files_on_page.len() - files.len(),
            files_on_page.len(),
            &mut evidence,
        );
        let mut shown = Vec::with_capacity(files.len());
        for (file, error) in files {
            // A file that could not be read to its end was skipped by the first pass already.
            if let Some(reason) = error
                && evidence.skipped.iter().all(|skipped| skipped.path != file.entry.path)
            {
                evidence.add_skipped_and_lower_completeness(&file.entry.path, reason);
            }
            if !file.lines.is_empty() {
                shown.push(file);
            }
        }
        GrepAnswer { counts, files: shown, evidence }
    }

    /// Finds the symbol around each matching line in `files` and sets it in the line. Each file is parsed, so pass only
    /// files that are shown. Returns the number of files that were not processed; in those files, a missing symbol does
    /// not mean that the line is outside all symbols.
    pub fn fill_in_enclosing_symbols(&self, files: &mut [FileMatches]) -> usize {
        let set_enclosing_symbols = |matches: &mut FileMatches| {
            matches.lines.iter_mut().for_each(|line| line.enclosing_symbol = None);
            if self.project().cancellation().stop_cause().is_some() {
                return false;
            }
            let Ok(file) = SourceFile::read(&matches.entry) else { return false };
            let lines = file.line_count();
            let facts = self.analyse_file(file).facts;
            let symbols_by_line = innermost_symbol_names_by_line(&facts, lines);
            for line in matches.lines.iter_mut().filter(|line| line.kind == LineKind::Match) {
                line.enclosing_symbol = symbols_by_line.get(line.line as usize).copied().flatten().map(str::to_owned);
            }
            true
        };
        files
            .par_iter_mut()
            .with_max_len(1)
            .filter_map(|matches| (!set_enclosing_symbols(matches)).then_some(()))
            .count()
    }
}

/// What the first pass of a search found.
struct CountedMatches {
    pattern: LinePattern,
    counts: MatchCounts,
    /// The files with lines on the page, how many of their matching lines come before it, and how many are on it.
    files_on_page: Vec<(ProjectEntry, usize, usize)>,
    evidence: Evidence,
}

/// The qualified name of the innermost symbol around each line, indexed by line number.
fn innermost_symbol_names_by_line(facts: &Facts, lines: u32) -> Vec<Option<&str>> {
    let mut owners: Vec<Option<&str>> = vec![None; lines as usize + 1];
    // Parents come before their children, so inner symbols overwrite outer ones.
    for (symbol, _) in walk_symbols_with_depth(&facts.symbols) {
        let line_range = symbol.outer_line as usize..=symbol.lines.last as usize;
        if let Some(owners_in_range) = owners.get_mut(line_range) {
            owners_in_range.fill(Some(&symbol.qualified_name));
        }
    }
    owners
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::pattern::MAX_SEARCHED_LINE_BYTES;
    use super::*;
    use crate::evidence::Completeness;
    use crate::project::Project;

    fn reader_of(folder: &Path) -> ProjectReader {
        let project = Project::discover_with_working_folder(folder, Some(folder), None).expect("a project");
        ProjectReader::new(project)
    }

    fn query(pattern: &str) -> GrepQuery {
        GrepQuery { pattern: pattern.to_owned(), ..GrepQuery::default() }
    }

    #[test]
    fn lines_that_were_counted_and_cannot_be_read_are_said() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["a", "b", "c"] {
            fs::write(folder.path().join(name), "needle\nneedle\n").expect("a file");
        }
        let reader = reader_of(folder.path());
        let counted = reader.count_matches(&query("needle"), 0, 10, None).expect("counts");
        fs::remove_file(folder.path().join("a")).expect("it goes");
        fs::write(folder.path().join("b"), "needle\nother\n").expect("a file");
        let answer = reader.read_matching_lines_of_page(&query("needle"), counted);
        assert_eq!(answer.evidence.completeness, Completeness::LowerBound);
        let skipped: Vec<&str> = answer.evidence.skipped.iter().map(|skipped| skipped.path.as_str()).collect();
        assert_eq!(skipped, ["a", "b"], "{:?}", answer.evidence);
        let shown: Vec<&str> = answer.files.iter().map(|file| file.entry.path.as_str()).collect();
        assert_eq!(shown, ["b", "c"]);
    }

    /// The rows of an answer: line, columns in characters and in bytes, text.
    fn rows(answer: &GrepAnswer) -> Vec<(u32, u32, u32, &str)> {
        let lines = answer.files.iter().flat_map(|file| &file.lines);
        lines.map(|line| (line.line, line.column, line.byte_column, line.text.as_str())).collect()
    }

    #[test]
    fn rows_are_lines_or_matches() {
        let folder = tempfile::tempdir().expect("a folder");
        let bytes = b"ab\xff ab\r\nnone\n\xc3\xa9ab ab\n";
        fs::write(folder.path().join("a"), bytes).expect("a file");
        let reader = reader_of(folder.path());
        let find = |row_unit, pattern: &str, offset: usize, limit: usize| {
            let query = GrepQuery { row_unit, ..query(pattern) };
            reader.grep(&query, offset, limit).expect("an answer")
        };
        let first = "ab\u{fffd} ab";
        let lines = find(RowUnit::Line, "ab", 0, 10);
        assert_eq!(rows(&lines), [(1, 1, 1, first), (3, 2, 3, "éab ab")]);
        let matches = find(RowUnit::LineOfMatch, "ab", 0, 10);
        let expected = [(1, 1, 1, first), (1, 5, 5, first), (3, 2, 3, "éab ab"), (3, 5, 6, "éab ab")];
        assert_eq!(rows(&matches), expected);
        assert_eq!((matches.counts.total, lines.counts.total), (4, 2));
        for offset in 0..4 {
            assert_eq!(rows(&find(RowUnit::LineOfMatch, "ab", offset, 2)), expected[offset..(offset + 2).min(4)]);
        }
        let texts = find(RowUnit::MatchedText, "b.*", 0, 10);
        assert_eq!(rows(&texts), [(1, 2, 2, "b"), (1, 6, 6, "b"), (3, 3, 4, "b ab")]);
        // An empty match is no text, and it is a place.
        assert_eq!(find(RowUnit::MatchedText, "z*", 0, 10).counts.total, 0);
        assert_eq!(find(RowUnit::LineOfMatch, "z*", 0, 10).counts.total, 3);
    }

    #[test]
    fn a_long_line_of_many_matches_is_read_once() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("a"), "é x ".repeat(200_000)).expect("a file");
        let began = std::time::Instant::now();
        let query = GrepQuery { row_unit: RowUnit::LineOfMatch, ..query("x") };
        let answer = reader_of(folder.path()).grep(&query, 0, usize::MAX).expect("an answer");
        assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
        let last = answer.files[0].lines.last().expect("a row");
        assert_eq!((answer.counts.total, last.column, last.byte_column), (200_000, 799_999, 999_999));
        assert!(last.text.starts_with('…') && last.text.len() < 400, "{}", last.text);
    }

    #[test]
    fn a_search_that_asks_only_whether_ends_at_the_first_file() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("binary"), b"needle\n\0").expect("a file");
        let has_match = || reader_of(folder.path()).has_match(&query("needle")).expect("an answer");
        // Where a search counts nothing, nothing matches.
        let none = has_match();
        assert_eq!((none.is_matched, none.searched, none.evidence.notes.len()), (false, 1, 1));
        fs::write(folder.path().join("text"), "needle\n").expect("a file");
        let some = has_match();
        assert_eq!((some.is_matched, some.evidence), (true, Evidence::new_complete("text")));
    }

    #[test]
    fn of_several_scopes_those_that_exist_are_searched() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("source")).expect("a folder");
        fs::write(folder.path().join("source/a"), "needle\n").expect("a file");
        let search = |scopes: &[&str]| {
            let scopes = scopes.iter().map(|scope| (*scope).to_owned()).collect();
            reader_of(folder.path()).grep(&GrepQuery { scopes, ..query("needle") }, 0, 10)
        };
        let answer = search(&["sources", "source", "source/b", "source/b"]).expect("an answer");
        assert_eq!((answer.counts.total, answer.evidence.completeness), (1, Completeness::LowerBound));
        let skipped: Vec<&str> = answer.evidence.skipped.iter().map(|skipped| skipped.path.as_str()).collect();
        assert_eq!(skipped, ["source/b", "sources"]);
        assert!(answer.evidence.skipped[1].reason.contains("did you mean source?"), "{:?}", answer.evidence);
        let missing = |scopes: &[&str]| match search(scopes) {
            Err(CodeError::NotFound { path, nearest }) => (path, nearest.contains(&"source".to_owned())),
            other => panic!("{other:?}"),
        };
        assert_eq!(missing(&["sources", "nothing/*.rs"]), ("sources".to_owned(), true));
        assert_eq!(missing(&["sources", "sources"]), ("sources".to_owned(), true));
        assert!(matches!(search(&["source", "../.."]), Err(CodeError::OutsideRoot { .. })));
    }

    #[test]
    fn a_pattern_of_very_many_classes_is_refused() {
        for unit in [r"\w", r"\pL", r"[\w\d]", "[a-zà-ž]", "[[:alpha:]]", r"[^\s]", r"[\p{Greek}&&\w]"] {
            let pattern = |times: usize| GrepQuery { ignore_case: true, ..query(&unit.repeat(times)) };
            // Other limits refuse some of these.
            let refused = |times| LinePattern::new(&pattern(times)).err().map(|error| error.to_string());
            assert!(refused(1_001).is_some_and(|reason| reason.contains("the limit is 1000")), "{unit}");
            assert!(!refused(300).is_some_and(|reason| reason.contains("the limit is 1000")), "{unit}");
        }
        assert!(LinePattern::new(&query(&"word|".repeat(10_000))).is_ok());
        assert!(LinePattern::new(&GrepQuery { fixed_strings: true, ..query(&r"\w".repeat(30_000)) }).is_ok());
    }

    #[test]
    fn a_pattern_of_any_bytes_is_searched_for_in_long_lines() {
        let folder = tempfile::tempdir().expect("a folder");
        let line = [&[b'x'; 3_000][..], b"caf\xe9\xff", &[b'y'; 3_000]].concat();
        fs::write(folder.path().join("a"), line).expect("a file");
        for pattern in [r"(?-u:\xff)", r"(?-u)caf.", r"(?-u:\xe9)"] {
            let answer = reader_of(folder.path()).grep(&query(pattern), 0, 10).expect("an answer");
            assert_eq!(answer.counts.total, 1, "{pattern}: {:?}", answer.evidence);
        }
    }

    #[test]
    fn a_pattern_that_repeats_much_ends_in_time_on_a_long_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut state = 1_u32;
        let line: String = (0..2_000_000)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                if state >> 31 == 0 { 'a' } else { 'b' }
            })
            .collect();
        fs::write(folder.path().join("long"), format!("aad\n{line}\n")).expect("a file");
        let began = std::time::Instant::now();
        let answer = reader_of(folder.path()).grep(&query("a[ab]{1,2000}[cd]"), 0, 10).expect("an answer");
        assert!(began.elapsed().as_secs() < 10, "{:?}", began.elapsed());
        assert_eq!((answer.counts.total, answer.evidence.completeness), (1, Completeness::LowerBound));
        assert!(answer.evidence.skipped[0].reason.contains("more than 48 KiB"), "{:?}", answer.evidence);
        // One that compares few characters is searched for in the whole line.
        for pattern in ["b|aad", "b.*|aad", "aad|(?-u:bb)", r"\w+\s*$"] {
            let answer = reader_of(folder.path()).grep(&query(pattern), 0, 10).expect("an answer");
            assert_eq!((answer.counts.total, answer.evidence.completeness), (2, Completeness::Complete), "{pattern}");
        }
        assert!(matches!(
            reader_of(folder.path()).grep(&query(r"\w{2000}"), 0, 10),
            Err(CodeError::BadPattern { what: "regex", .. })
        ));
    }

    #[test]
    fn a_line_is_searched_up_to_a_limit_that_is_said() {
        let folder = tempfile::tempdir().expect("a folder");
        let line = |bytes: usize| format!("first needle\n{}needle\nlast needle\n", "x".repeat(bytes));
        fs::write(folder.path().join("long"), line(2 * MAX_LINE_BYTES_AT_ONCE)).expect("a file");
        let answer = reader_of(folder.path()).grep(&query("needle"), 0, 10).expect("an answer");
        assert_eq!((answer.counts.total, answer.evidence.completeness), (3, Completeness::Complete));
        fs::write(folder.path().join("longer"), line(MAX_SEARCHED_LINE_BYTES)).expect("a file");
        let answer = reader_of(folder.path()).grep(&query("needle"), 0, 10).expect("an answer");
        assert_eq!((answer.counts.total, answer.evidence.completeness), (4, Completeness::LowerBound));
        assert!(answer.evidence.skipped.iter().all(|skipped| skipped.path == "longer"), "{:?}", answer.evidence);
        assert_eq!(answer.evidence.skipped.len(), 1);
        assert_eq!(answer.files.iter().map(|file| file.lines.len()).collect::<Vec<_>>(), [3, 1]);
    }
}
