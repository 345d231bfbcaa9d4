//! The comparison of a document's stored citations with the current files.
//!
//! A document may come from anybody, and its stored hashes may be made up. The work for one document is therefore limited
//! by the bytes that are hashed, and each question about a file is answered once.

use std::cell::{Cell, OnceCell};
use std::collections::HashMap;

use peelback_code::syntax::Lines;
use peelback_code::{AnalysedFile, CodeAccess, SourceFile, SymbolNameQuery, WalkOptions};

use super::entry::{CitationEntry, has_content_hash, hash_text_ignoring_line_endings, is_content_hash};
use super::locate;
use crate::document::Document;

/// The maximum number of lines in a file that is searched for cited lines that have moved.
const MAX_SOUGHT_LINES: usize = 20_000;

/// The maximum number of bytes that are hashed to find the cited lines of one document, some seconds of work. It is enough
/// for 50 citations of 50 lines each that changed in files of [`MAX_SOUGHT_LINES`] lines. Citations that are not reached
/// count as changed, as those in longer files do.
const MAX_HASHED_BYTES: usize = 2 << 30;

/// The state of a stored citation after a comparison with the current files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Staleness {
    /// The cited lines still have the stored content.
    Unchanged,
    /// The cited content is now at exactly one other place.
    Moved {
        /// The path of the file that contains the cited content now.
        path: String,
        /// The current lines of the cited content; `None` for a whole file.
        lines: Option<Lines>,
    },
    /// The file exists, but the cited content has changed.
    Changed {
        /// The current lines of the symbol that the citation names, if the file still defines the symbol.
        symbol_at: Option<Lines>,
    },
    /// The file does not exist any more, and no other file has the same content.
    Deleted,
}

/// Compares each citation in a document's front matter with the current content of the cited lines. The returned states
/// are in the order of the front matter entries. Where the access is cancelled, the states of the citations that were not
/// compared by then mean nothing.
pub fn staleness_of_stored_citations(document: &Document, access: &CodeAccess) -> Vec<Staleness> {
    let mut files: HashMap<&str, Option<CitedFile<'_>>> = HashMap::new();
    let mut renamed: Option<HashMap<String, Vec<String>>> = None;
    let work = HashWork { access, left: Cell::new(MAX_HASHED_BYTES) };
    let entries = &document.front.citations;
    entries
        .iter()
        .map(|entry| {
            if work.is_cancelled() {
                return Staleness::Changed { symbol_at: None };
            }
            let read = || Some(CitedFile::new(locate::read_cited_file(access, &entry.path)?));
            match files.entry(entry.path.as_str()).or_insert_with(read) {
                Some(file) => staleness_of_citation_entry(entry, file, &work),
                None => {
                    let renamed = renamed.get_or_insert_with(|| paths_by_content_hash(access));
                    match renamed.get(&entry.file_hash).map(Vec::as_slice) {
                        Some([path]) => Staleness::Moved { path: path.clone(), lines: entry.lines },
                        _ => Staleness::Deleted,
                    }
                }
            }
        })
        .collect()
}

/// The work of hashing that is left for a document.
struct HashWork<'a> {
    access: &'a CodeAccess,
    /// The number of bytes that may still be hashed.
    left: Cell<usize>,
}

impl HashWork<'_> {
    fn is_cancelled(&self) -> bool {
        self.access.project().cancellation().stop_cause().is_some()
    }

    /// Takes `bytes` off the work that is left; `false` where less is left, or the work is cancelled.
    fn take(&self, bytes: usize) -> bool {
        if self.is_cancelled() {
            return false;
        }
        let left = self.left.get().checked_sub(bytes);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }
}

/// A cited file with what was found out of it.
struct CitedFile<'e> {
    file: SourceFile,
    /// The hash of its content.
    hash: String,
    analysed: OnceCell<AnalysedFile>,
    lines: OnceCell<PlainLines>,
    /// The line ranges with a number of lines and a content hash.
    found: HashMap<(u32, &'e str), Vec<Lines>>,
}

impl<'e> CitedFile<'e> {
    fn new(file: SourceFile) -> Self {
        let hash = hash_text_ignoring_line_endings(&file.text);
        Self { file, hash, analysed: OnceCell::new(), lines: OnceCell::new(), found: HashMap::new() }
    }

    /// The lines of the only symbol with exactly the qualified name `name`.
    fn lines_of_symbol(&self, name: &str, access: &CodeAccess) -> Option<Lines> {
        let analysed = self.analysed.get_or_init(|| access.analyse_source_file(self.file.clone()));
        let name = SymbolNameQuery::new(name).requiring_exact_qualified_name();
        let found = access.find_matching_symbols(analysed, &name);
        if let [only] = found.as_slice() { Some(only.symbol.lines) } else { None }
    }

    /// Whether the lines have the content hash `wanted`.
    fn has_content(&self, lines: Lines, wanted: &str, work: &HashWork<'_>) -> bool {
        if lines.last > self.file.line_count() || !is_content_hash(wanted) {
            return false;
        }
        let text = self.file.text_of_lines(lines.first, lines.last);
        work.take(text.len()) && hash_text_ignoring_line_endings(text) == wanted
    }

    /// The line ranges that have `count` lines each and the content hash `wanted`.
    fn ranges_with_content(&mut self, wanted: &'e str, count: u32, work: &HashWork<'_>) -> &[Lines] {
        let plain = self.lines.get_or_init(|| PlainLines::of_text(&self.file.text));
        self.found.entry((count, wanted)).or_insert_with(|| plain.ranges_with_content(wanted, count, work))
    }
}

/// The text of a file with its lines parted by a newline each, as hashes are made of it.
struct PlainLines {
    text: String,
    /// The offset of each line, and that of the end.
    offsets: Vec<usize>,
}

impl PlainLines {
    fn of_text(text: &str) -> Self {
        let (mut plain, mut offsets) = (String::with_capacity(text.len() + 1), vec![0]);
        for line in text.lines() {
            plain.push_str(line);
            plain.push('\n');
            offsets.push(plain.len());
        }
        Self { text: plain, offsets }
    }

    /// The text of `count` lines from the line with the index `first`.
    fn range(&self, first: usize, count: usize) -> Option<&str> {
        self.text.get(*self.offsets.get(first)?..*self.offsets.get(first.checked_add(count)?)?)
    }

    fn ranges_with_content(&self, wanted: &str, count: u32, work: &HashWork<'_>) -> Vec<Lines> {
        let lines = self.offsets.len() - 1;
        // No text has a hash of another form.
        if lines > MAX_SOUGHT_LINES || !is_content_hash(wanted) {
            return Vec::new();
        }
        let mut found = Vec::new();
        for at in 0..lines {
            let Some(text) = self.range(at, count.max(1) as usize) else { break };
            if !work.take(text.len()) {
                // A part of the places could make one of several look like the only one.
                return Vec::new();
            }
            if has_content_hash(text, wanted)
                && let Ok(first) = u32::try_from(at + 1)
            {
                found.push(Lines { first, last: first.saturating_add(count).saturating_sub(1) });
            }
        }
        found
    }
}

fn staleness_of_citation_entry<'e>(
    entry: &'e CitationEntry,
    file: &mut CitedFile<'e>,
    work: &HashWork<'_>,
) -> Staleness {
    if file.hash == entry.file_hash {
        return Staleness::Unchanged;
    }
    let (Some(lines), Some(wanted)) = (entry.lines, &entry.hash) else {
        return Staleness::Changed { symbol_at: None };
    };
    if file.has_content(lines, wanted, work) {
        return Staleness::Unchanged;
    }
    let symbol = entry.symbol.as_deref();
    match file.ranges_with_content(wanted, lines.count(), work) {
        [only] => Staleness::Moved { path: entry.path.clone(), lines: Some(*only) },
        [] => Staleness::Changed { symbol_at: symbol.and_then(|name| file.lines_of_symbol(name, work.access)) },
        several => {
            // If several places in the file contain the cited lines now, only the place inside the citation's symbol
            // counts.
            let several = several.to_vec();
            let symbol = symbol.and_then(|name| file.lines_of_symbol(name, work.access));
            let inside = |found: &&Lines| symbol.is_some_and(|s| s.first <= found.first && found.last <= s.last);
            let mut fitting = several.iter().filter(inside);
            match (fitting.next(), fitting.next()) {
                (Some(only), None) => Staleness::Moved { path: entry.path.clone(), lines: Some(*only) },
                _ => Staleness::Changed { symbol_at: symbol },
            }
        }
    }
}

/// The paths of the project's files, grouped by the hash of their content.
fn paths_by_content_hash(access: &CodeAccess) -> HashMap<String, Vec<String>> {
    let mut found: HashMap<String, Vec<String>> = HashMap::new();
    let Ok(set) = access.project().files_in_scope(None, &WalkOptions::default()) else { return found };
    for place in set.entries {
        if let Ok(file) = SourceFile::read(&place) {
            found.entry(hash_text_ignoring_line_endings(&file.text)).or_default().push(place.path);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use peelback_code::Project;

    use super::*;
    use crate::document::FrontMatter;

    /// A document with these citations of `big.py`, each with its lines and their hash, and a project with that file.
    fn with_citations(lines: usize, citations: &[(Lines, String)]) -> (tempfile::TempDir, CodeAccess, Document) {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join(".git")).expect("a folder");
        let text: String = (0..lines).map(|line| format!("value_{line} = {line}\n")).collect();
        std::fs::write(folder.path().join("big.py"), text).expect("a file");
        let access = CodeAccess::new(Project::discover(Some(folder.path()), None).expect("a project"));
        let entry = |(lines, hash): &(Lines, String)| CitationEntry {
            path: "big.py".to_owned(),
            lines: Some(*lines),
            symbol: None,
            description: String::new(),
            hash: Some(hash.clone()),
            file_hash: "0".to_owned(),
        };
        let citations = citations.iter().map(entry).collect();
        let document = Document { front: FrontMatter { citations, ..FrontMatter::default() }, body: String::new() };
        (folder, access, document)
    }

    #[test]
    fn made_up_hashes_do_not_take_hours() {
        for (hash, more) in [("z", 0), ("", 0), ("0123456789abcdef", 0), ("0123456789abcdef", 1)] {
            // The same question a thousand times, and a thousand questions.
            let citations: Vec<(Lines, String)> =
                (0..1_000).map(|at| (Lines { first: 1, last: 10_000 + at * more }, hash.to_owned())).collect();
            let (_folder, access, document) = with_citations(20_000, &citations);
            let begun = Instant::now();
            let found = staleness_of_stored_citations(&document, &access);
            assert!(begun.elapsed() < Duration::from_secs(60), "{hash:?}, {more}: {:?}", begun.elapsed());
            assert!(found.iter().all(|one| *one == Staleness::Changed { symbol_at: None }), "{hash:?}, {more}");
        }
    }

    #[test]
    fn a_cancelled_check_ends() {
        let citations: Vec<(Lines, String)> =
            (0..50).map(|at| (Lines { first: 1, last: 9_000 + at }, "0123456789abcdef".to_owned())).collect();
        let (_folder, access, document) = with_citations(20_000, &citations);
        access.project().cancellation().cancel();
        let begun = Instant::now();
        assert_eq!(staleness_of_stored_citations(&document, &access).len(), 50);
        assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    }
}
