//! The search of one file: what it counts, and the rows and context lines that it reads.

use std::io::{self, ErrorKind, Read};
use std::sync::{Mutex, PoisonError};

use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink};

use super::messages::{FileMatches, GrepQuery, LineKind};
use super::pattern::{LinePattern, MAX_SEARCHED_LINE_BYTES};
use super::rows::{RowCollector, RowCounter};
use crate::cancellation::CancellationToken;
use crate::entry::ProjectEntry;
use crate::regular_file::RegularFileReader;

/// The limit on a line, with the context that a search keeps of the lines before it, where files are searched at once on
/// all threads. A search keeps such a line in memory.
pub(super) const MAX_LINE_BYTES_AT_ONCE: usize = 4 << 20;
/// The matching lines `skip..skip + take` of a file, with their context, and why lines that were counted are missing.
pub(super) fn read_matching_lines_with_context(
    query: &GrepQuery,
    pattern: &LinePattern,
    entry: &ProjectEntry,
    skip: usize,
    take: usize,
    cancellation: &CancellationToken,
) -> (FileMatches, Option<String>) {
    let new_sink = || RowCollector::new(query, pattern, skip, take);
    let mut searcher = build_grep_searcher(query, true, MAX_LINE_BYTES_AT_ONCE.min(pattern.max_line_bytes));
    let (sink, error) = search_file(&mut searcher, query, true, pattern, entry, cancellation, new_sink);
    let lines = sink.into_lines();
    let found = lines.iter().filter(|line| line.kind == LineKind::Match).count();
    let changed = || (found < take).then(|| "it changed while it was searched: call again".to_owned());
    (FileMatches { entry: entry.clone(), lines }, error.or_else(changed))
}

pub(super) fn build_grep_searcher(query: &GrepQuery, reads_lines: bool, max_line_bytes: usize) -> Searcher {
    let mut builder = SearcherBuilder::new();
    builder.line_number(reads_lines).invert_match(query.invert).binary_detection(BinaryDetection::quit(0));
    builder.heap_limit(Some(max_line_bytes));
    if reads_lines {
        builder.before_context(query.before).after_context(query.after);
    }
    builder.build()
}

/// Held while a file with longer lines than [`MAX_LINE_BYTES_AT_ONCE`] is searched, in whatever call.
static SEARCHING_LONG_LINES: Mutex<()> = Mutex::new(());

/// Searches a file, from its beginning to its end or to the first line that is too long. Returns what was found, and why
/// that is not all.
fn search_file<S: Sink<Error = io::Error>>(
    searcher: &mut Searcher,
    query: &GrepQuery,
    reads_lines: bool,
    pattern: &LinePattern,
    entry: &ProjectEntry,
    cancellation: &CancellationToken,
    new_sink: impl Fn() -> S,
) -> (S, Option<String>) {
    let search = |searcher: &mut Searcher| {
        let mut sink = new_sink();
        let searched = entry.open().and_then(|(file, metadata)| {
            let reader = RegularFileReader::new(file, &metadata);
            searcher.search_reader(&pattern.matcher, CancellableReader { reader, cancellation }, &mut sink)
        });
        (sink, searched.err())
    };
    let (sink, error) = search(searcher);
    let Some(error) = error else { return (sink, None) };
    if !is_line_too_long_error(&error) {
        return (sink, Some(error.to_string()));
    }
    let too_long_for_pattern = || {
        format!(
            "the search stopped at a line that, with its context, has more than {} KiB: with so many repetitions in \
             the pattern, longer lines take too long",
            pattern.max_line_bytes >> 10
        )
    };
    if pattern.max_line_bytes <= MAX_LINE_BYTES_AT_ONCE {
        return (sink, Some(too_long_for_pattern()));
    }
    let _one_at_a_time = SEARCHING_LONG_LINES.lock().unwrap_or_else(PoisonError::into_inner);
    let (sink, error) = search(&mut build_grep_searcher(query, reads_lines, pattern.max_line_bytes));
    let reason = error.map(|error| {
        if is_line_too_long_error(&error) && pattern.max_line_bytes < MAX_SEARCHED_LINE_BYTES {
            too_long_for_pattern()
        } else if is_line_too_long_error(&error) {
            format!(
                "the search stopped at a line that, with its context, has more than {} MiB",
                MAX_SEARCHED_LINE_BYTES >> 20
            )
        } else {
            error.to_string()
        }
    });
    (sink, reason)
}

/// Whether a search ended because its buffer has a limit.
fn is_line_too_long_error(error: &io::Error) -> bool {
    error.kind() == ErrorKind::Other && error.to_string().contains("allocation limit")
}

/// A file of which no more is read once the call must end: reading one of many gigabytes takes longer than a call may.
struct CancellableReader<'a> {
    reader: RegularFileReader,
    cancellation: &'a CancellationToken,
}

impl Read for CancellableReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // A pattern may cost much for the bytes of one read.
        if let Some(stop) = self.cancellation.stop_cause() {
            return Err(io::Error::other(format!("{}: it was not searched to its end", stop.as_str())));
        }
        self.reader.read(buffer)
    }
}

/// What the first pass found in a file.
#[derive(Debug, Default)]
pub(super) struct FileCount {
    pub(super) rows: usize,
    pub(super) binary: bool,
    /// Whether the call had to stop before this file was read, or another file was enough.
    pub(super) unread: bool,
    /// Why the file was not searched, or not to its end.
    pub(super) error: Option<String>,
}

pub(super) fn count_rows_of_file(
    searcher: &mut Searcher,
    query: &GrepQuery,
    pattern: &LinePattern,
    entry: &ProjectEntry,
    cancellation: &CancellationToken,
) -> FileCount {
    let new_sink = || RowCounter::new(query, pattern);
    let (RowCounter { rows, binary, .. }, error) =
        search_file(searcher, query, false, pattern, entry, cancellation, new_sink);
    FileCount { rows, binary, unread: false, error }
}
