//! The citation check: compares each citation in a document with the files of the project.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use peelback_code::syntax::{Lines, ParseCoverage};
use peelback_code::{AnalysedFile, CodeAccess};

use super::entries::{MAX_CITATIONS, merge_redundant_citation_entries};
use super::entry::CitationEntry;
use super::find::find_citations;
use super::locate::{
    Located, all_project_paths, candidate_files_for_wrong_path, is_one_path_suffix_of_other, locate_cited_file,
};
use super::naming::Naming;
use super::reference::{Reference, format_line_range};
use super::repair;
use super::scan::Citation;
use super::symbols::{
    Definition, DefinitionIndex, are_lines_within_or_around_definition, definitions_of_name_in_file,
    has_impl_or_member_within_lines, innermost_symbol_around,
};
use crate::markdown::format_count_with_unit;

/// The kind of evidence for a correct citation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// The cited lines are the lines of the symbol that the text around the citation names, are inside that symbol, or
    /// contain it.
    Symbol,
    /// The cited lines contain the name or quote that the text around the citation mentions.
    Text,
    /// The cited file and lines exist. The text around the citation names no symbol or quote, so the cited lines may
    /// still be the wrong ones.
    Existence,
}

/// The part of a citation that a repair changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repaired {
    /// The repair changed only the path.
    Path,
    /// The repair changed only the lines.
    Lines,
    /// The repair changed both the path and the lines.
    Both,
}

/// A repaired citation with its text before and after the repair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// The part of the citation that the repair changed.
    pub what: Repaired,
    /// The citation before the repair, such as `path:a-b`.
    pub from: String,
    /// The citation after the repair, such as `path:a-b`.
    pub to: String,
}

/// The result of checking one citation. A citation that cannot be checked counts as marked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The citation is correct. The value is the kind of evidence.
    True(Proof),
    /// The citation was wrong and has been repaired.
    Repaired(Repair),
    /// The citation is wrong or cannot be checked, and no repair is certain. A mark in the document follows the
    /// citation.
    Marked {
        /// The reason for the mark, in a few words.
        reason: String,
    },
}

/// A citation and the result of its check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedCitation {
    /// The citation as the document contained it before the check.
    pub citation: Citation,
    /// The result of the citation's check.
    pub verdict: Verdict,
    /// The citation's entry for the front matter, with the repaired path and lines and with content hashes; `None` for
    /// a marked citation.
    pub entry: Option<CitationEntry>,
}

/// The text of a document after the citation check, and the result of the check for each citation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckedDocument {
    /// The document's text with repaired citations, and with marks after wrong citations. Checking this text again
    /// changes nothing.
    pub text: String,
    /// All citations of the document, in the order of the document.
    pub citations: Vec<CheckedCitation>,
    /// How many citations were not checked, and why, in words; `None` if all were. They are marked in the text.
    pub unchecked: Option<String>,
}

impl CheckedDocument {
    /// The front matter entries of the correct and repaired citations, in the order of the document. The list has only
    /// one entry for each pair of path and first line.
    pub fn citation_entries_for_front_matter(&self) -> Vec<CitationEntry> {
        merge_redundant_citation_entries(self.citations.iter().filter_map(|checked| checked.entry.clone()))
    }

    /// The numbers of correct, repaired and marked citations, in this order.
    pub fn verdict_counts(&self) -> (usize, usize, usize) {
        let count = |of: fn(&Verdict) -> bool| self.citations.iter().filter(|checked| of(&checked.verdict)).count();
        (
            count(|verdict| matches!(verdict, Verdict::True(_))),
            count(|verdict| matches!(verdict, Verdict::Repaired(_))),
            count(|verdict| matches!(verdict, Verdict::Marked { .. })),
        )
    }
}

/// Checks the citations of a Markdown document against the files of the project. Returns the document's text with
/// repairs and marks, and the verdict on each citation.
pub fn check_and_repair_citations(markdown: &str, access: &CodeAccess) -> CheckedDocument {
    let found = find_citations(markdown);
    let mut names = HashSet::new();
    for citation in &found {
        if let Naming::Symbols { names: named, .. } = &citation.naming {
            names.extend(named.iter().cloned());
        }
        if let Naming::Mentioned(name) = &citation.naming {
            names.insert(name.clone());
        }
        if is_bare_file_name_citation(citation) {
            names.insert(citation.path.clone());
        }
    }
    let mut checker =
        CitationChecker { access, index: DefinitionIndex::new(access, names), files: None, analysed: HashMap::new() };
    let mut citations = Vec::new();
    let mut unchecked: Option<(usize, String)> = None;
    let cancellation = access.project().cancellation();
    let reserved = cancellation.time_left().map(|left| (left / 4).min(RESERVED_TIME_AFTER_CHECK)).unwrap_or_default();
    let is_time_up = || cancellation.time_left().is_some_and(|left| left < reserved);
    // The same citation can stand in a text many times, and each check looks into the file.
    let mut known: HashMap<CheckKey, (Verdict, Option<CitationEntry>)> = HashMap::new();
    for citation in found {
        let stopped = if citations.len() >= MAX_CITATIONS {
            Some(format!("a document has at most {MAX_CITATIONS} citations"))
        } else if let Some(cause) = cancellation.stop_cause() {
            Some(cause.as_str().to_owned())
        } else {
            is_time_up().then(|| "the time was up".to_owned())
        };
        if let Some(reason) = stopped {
            // What cannot be a path for certain is no citation unless its file exists.
            if !citation.tentative {
                let verdict = Verdict::Marked { reason: format!("not checked; {reason}") };
                unchecked.get_or_insert((0, reason)).0 += 1;
                citations.push(CheckedCitation { citation, verdict, entry: None });
            }
            continue;
        }
        let key = CheckKey::of(&citation);
        if let Some((verdict, entry)) = known.get(&key) {
            let mut entry = entry.clone();
            if let Some(entry) = &mut entry {
                entry.description.clone_from(&citation.description);
            }
            citations.push(CheckedCitation { citation, verdict: verdict.clone(), entry });
            continue;
        }
        let doubtful = citation.tentative || is_bare_file_name_citation(&citation);
        if doubtful && !matches!(locate_cited_file(access, &citation.path), Located::File(_) | Located::NoText) {
            // A dotted name may be a symbol instead of a file: `Cursor.go` may be a Go source file or a method of the
            // project.
            if citation.tentative || !checker.index.definitions_of(&citation.path).is_empty() {
                continue;
            }
        }
        let judged = checker.check_citation(&citation);
        let entry = judged.place.and_then(|place| checker.new_citation_entry_for_front_matter(&citation, place));
        known.insert(key, (judged.verdict.clone(), entry.clone()));
        citations.push(CheckedCitation { citation, verdict: judged.verdict, entry });
    }
    let text = repair::apply_citation_repairs_and_marks(markdown, &citations);
    let unchecked = unchecked.map(|(count, reason)| {
        format!("{} not checked: {reason}", format_count_with_unit(count, "citation was", "citations were"))
    });
    CheckedDocument { text, citations, unchecked }
}

/// The most time before the deadline of a call that is kept for what follows a check: the document is put together.
const RESERVED_TIME_AFTER_CHECK: Duration = Duration::from_millis(1_500);

/// What the verdict on a citation follows from.
#[derive(PartialEq, Eq, Hash)]
struct CheckKey {
    path: String,
    lines: Option<(u32, u32)>,
    naming: Naming,
    is_tentative: bool,
    can_change_path: bool,
    can_change_lines: bool,
}

impl CheckKey {
    fn of(citation: &Citation) -> Self {
        Self {
            path: citation.path.clone(),
            lines: citation.lines,
            naming: citation.naming.clone(),
            is_tentative: citation.tentative,
            can_change_path: citation.path_at.is_some(),
            can_change_lines: citation.lines_at.is_some(),
        }
    }
}

/// Whether a citation is only a path without folders and lines, such as `Cursor.go`, which may name a symbol instead of
/// a file.
fn is_bare_file_name_citation(citation: &Citation) -> bool {
    citation.lines.is_none() && !citation.path.contains('/')
}

/// Checks the code references that a model returned, and repairs wrong references if possible. The results are in the
/// order of the references.
pub fn check_and_repair_model_references(references: &[Reference], access: &CodeAccess) -> Vec<(Reference, Verdict)> {
    references
        .iter()
        .map(|reference| {
            let description = reference.description.split_whitespace().collect::<Vec<_>>().join(" ");
            let lines = format!("{}-{}", reference.line_start, reference.line_end);
            // Each reference is formatted as a line of a document, so that the rules for citations in text apply to it.
            let line = format!("- `{}:{lines}` — {description}\n", reference.path);
            let first = check_and_repair_citations(&line, access).citations.into_iter().next();
            let unreadable = Verdict::Marked { reason: "not a file path".to_owned() };
            let Some(first) = first.filter(|first| first.citation.element.start <= 2) else {
                return (reference.clone(), unreadable);
            };
            let mut repaired = Reference { description, ..reference.clone() };
            if let Some(entry) = first.entry {
                repaired.path = entry.path;
                if let Some(lines) = entry.lines {
                    (repaired.line_start, repaired.line_end) = (lines.first, lines.last);
                }
            }
            (repaired, first.verdict)
        })
        .collect()
}

/// The verdict on a citation, and the place in the code to which the citation refers after a repair.
struct JudgedCitation {
    verdict: Verdict,
    place: Option<CitedPlace>,
}

struct CitedPlace {
    path: String,
    lines: Option<Lines>,
    symbol: Option<String>,
}

/// The result of comparing a citation with one file.
enum FileComparison {
    Matches(Proof, Option<String>),
    /// The symbol or quote that the text names is at other lines of the cited file. The values are these lines and the
    /// symbol's qualified name.
    ElsewhereInFile(Lines, Option<String>),
    /// Another file contains the definition of the symbol that the text names.
    InOtherFile(Definition),
    Mismatch(String),
}

struct CitationChecker<'a> {
    access: &'a CodeAccess,
    index: DefinitionIndex<'a>,
    files: Option<Vec<String>>,
    analysed: HashMap<String, Option<AnalysedFile>>,
}

impl CitationChecker<'_> {
    fn check_citation(&mut self, citation: &Citation) -> JudgedCitation {
        let path = citation.path.strip_prefix("./").unwrap_or(&citation.path).to_owned();
        match locate_cited_file(self.access, &path) {
            Located::File(_) => {
                let holds = self.compare_citation_with_file(&path, citation);
                verdict_from_comparison(citation, &path, holds)
            }
            Located::NoText if citation.lines.is_none() => JudgedCitation {
                verdict: Verdict::True(Proof::Existence),
                place: Some(CitedPlace { path, lines: None, symbol: None }),
            },
            Located::NoText => verdict_unverified_for_reason("a binary file, which has no lines"),
            Located::Refused(reason) => self.check_citation_of_missing_file(citation, &path, &reason),
            Located::Absent => self.check_citation_of_missing_file(citation, &path, "no such file"),
        }
    }

    /// The verdict on a citation whose path is not a file of the project. Files with a similar path are candidates for
    /// a repair.
    fn check_citation_of_missing_file(&mut self, citation: &Citation, path: &str, reason: &str) -> JudgedCitation {
        let access = self.access;
        let files = self.files.get_or_insert_with(|| all_project_paths(access));
        let near = candidate_files_for_wrong_path(path, files);
        let mut found = near.clone();
        let among = found.len();
        let named = !matches!(citation.naming, Naming::Nothing);
        // A candidate file that does not contain the symbol or quote that the text names cannot be the cited file.
        found.retain(|file| {
            let holds = self.compare_citation_with_file(file, citation);
            // Without a named symbol or quote, only the path identifies the file. A candidate's path may then differ
            // from the cited path only in its leading folders.
            matches!(holds, FileComparison::Matches(Proof::Existence, _) if !named && is_one_path_suffix_of_other(file, path))
                || matches!(
                    holds,
                    FileComparison::Matches(Proof::Symbol | Proof::Text, _) | FileComparison::ElsewhereInFile(..)
                )
        });
        if let [only] = found.as_slice() {
            let holds = self.compare_citation_with_file(only, citation);
            return verdict_from_comparison(citation, only, holds);
        }
        if found.is_empty()
            && let Naming::Symbols { names, .. } = &citation.naming
            && let [name] = names.as_slice()
            && let [only] = self.index.definitions_of(name)
        {
            return verdict_from_comparison(citation, path, FileComparison::InOtherFile(only.clone()));
        }
        match (found.len(), among) {
            (0, 0) => verdict_unverified_for_reason(reason),
            (0, 1) if !named => match near.as_slice() {
                [only] => verdict_unverified_for_reason(&format!("{reason}; there is {only}")),
                _ => verdict_unverified_for_reason(reason),
            },
            (0, _) => {
                verdict_unverified_for_reason(&format!("{reason}, and no file of that name contains the cited text"))
            }
            (several, _) => verdict_unverified_for_reason(&format!("{reason}, and {several} files have that name")),
        }
    }

    fn compare_citation_with_file(&mut self, path: &str, citation: &Citation) -> FileComparison {
        let access = self.access;
        let analysed = self.analysed.entry(path.to_owned()).or_insert_with(|| {
            super::locate::read_cited_file(access, path).map(|file| access.analyse_source_file(file))
        });
        let Some(analysed) = analysed.as_ref() else {
            return FileComparison::Mismatch("the file could not be read".to_owned());
        };
        let total = analysed.file.line_count();
        let range = match citation.lines {
            None => None,
            Some((first, last)) if first >= 1 && first <= last && last <= total => Some(Ok((first, last))),
            Some((first, last)) if first > last || first == 0 => {
                Some(Err(format!("lines {first} to {last} are not a range")))
            }
            Some(_) => Some(Err(format!("the file has {total} line{}", if total == 1 { "" } else { "s" }))),
        };
        let held = |text: &str, whole_word: bool| match &range {
            None => has_text_or_whole_word(&analysed.file.text, text, whole_word),
            Some(Ok((first, last))) => {
                has_text_or_whole_word(analysed.file.text_of_lines(*first, *last), text, whole_word)
            }
            Some(Err(_)) => false,
        };
        let out_of_range = || match &range {
            Some(Err(reason)) => Some(reason.clone()),
            _ => None,
        };
        match &citation.naming {
            Naming::Nothing => match out_of_range() {
                Some(reason) => FileComparison::Mismatch(reason),
                None => FileComparison::Matches(Proof::Existence, None),
            },
            Naming::Use(name) => {
                let simple = last_part_of_qualified_name(name);
                if held(simple, true) {
                    return FileComparison::Matches(Proof::Text, None);
                }
                // The cited lines do not use the name, so the sentence may be about the symbol's definition.
                match definitions_of_name_in_file(access, analysed, name).as_slice() {
                    [only] => FileComparison::ElsewhereInFile(only.lines, Some(only.qualified_name.clone())),
                    _ => FileComparison::Mismatch(
                        out_of_range().unwrap_or_else(|| format!("{simple} is not in these lines")),
                    ),
                }
            }
            Naming::Mentioned(name) => {
                let simple = last_part_of_qualified_name(name);
                if held(simple, true) {
                    return FileComparison::Matches(Proof::Text, None);
                }
                // A citation of a whole file may mention a symbol that the file only uses, so the file need not contain
                // its definition.
                let Some((first, last)) = citation.lines else {
                    return FileComparison::Matches(Proof::Existence, None);
                };
                if let Some(reason) = out_of_range() {
                    return FileComparison::Mismatch(reason);
                }
                let here = definitions_of_name_in_file(access, analysed, name);
                if let Some(found) = here
                    .iter()
                    .find(|found| are_lines_within_or_around_definition(found.outer_line, found.lines, first, last))
                {
                    return FileComparison::Matches(Proof::Symbol, Some(found.qualified_name.clone()));
                }
                // The sentence does not say whether it means the definition or a use of the symbol. A wrong citation is
                // therefore marked, not repaired.
                match (here.as_slice(), self.index.definitions_of(name)) {
                    ([only], _) => {
                        FileComparison::Mismatch(format!("{simple} is in lines {}", format_line_range(only.lines)))
                    }
                    ([], [only]) => FileComparison::Mismatch(format!(
                        "{simple} is in {}:{}",
                        only.path,
                        format_line_range(only.lines)
                    )),
                    _ => FileComparison::Mismatch(format!("{simple} is not in these lines")),
                }
            }
            Naming::Quote(quote) => {
                if held(quote, false) {
                    return FileComparison::Matches(Proof::Text, None);
                }
                match numbers_of_lines_containing(&analysed.file.text, quote, false).as_slice() {
                    [only] => FileComparison::ElsewhereInFile(Lines { first: *only, last: *only }, None),
                    [] if !is_likely_source_code(quote) && out_of_range().is_none() => {
                        FileComparison::Matches(Proof::Existence, None)
                    }
                    [] => FileComparison::Mismatch(
                        out_of_range().unwrap_or_else(|| "the file does not contain the quoted text".to_owned()),
                    ),
                    _ => FileComparison::Mismatch(
                        out_of_range().unwrap_or_else(|| "the quoted text is not in these lines".to_owned()),
                    ),
                }
            }
            Naming::Symbols { names, in_sentence } => match names.as_slice() {
                [name] => {
                    let here = definitions_of_name_in_file(access, analysed, name);
                    let fitting = here.iter().find(|found| match &range {
                        None => true,
                        Some(Ok((first, last))) => {
                            are_lines_within_or_around_definition(found.outer_line, found.lines, *first, *last)
                        }
                        Some(Err(_)) => false,
                    });
                    if let Some(found) = fitting {
                        return FileComparison::Matches(Proof::Symbol, Some(found.qualified_name.clone()));
                    }
                    // Cited lines that contain only a part of the symbol's definition show that the code has moved,
                    // whatever else these lines contain.
                    let cuts = |first: u32, last: u32| {
                        here.iter().any(|found| found.lines.first <= last && first <= found.lines.last)
                    };
                    if let Some(Ok((first, last))) = &range
                        && !cuts(*first, *last)
                        && has_impl_or_member_within_lines(&analysed.facts.symbols, name, *first, *last)
                    {
                        return FileComparison::Matches(Proof::Symbol, Some(name.clone()));
                    }
                    if !here.is_empty() {
                        return select_definition_to_repair_citation(
                            &here,
                            citation.lines,
                            last_part_of_qualified_name(name),
                        );
                    }
                    let partial = analysed.facts.coverage != ParseCoverage::Whole;
                    let mentioned = held(last_part_of_qualified_name(name), true);
                    let lines =
                        numbers_of_lines_containing(&analysed.file.text, last_part_of_qualified_name(name), true);
                    let defined: &[Definition] =
                        if partial && mentioned { &[] } else { self.index.definitions_of(name) };
                    match defined {
                        // The project defines no symbol with this name, so the name is searched as plain text.
                        [] if mentioned => FileComparison::Matches(Proof::Text, None),
                        [] => match lines.as_slice() {
                            [only] if citation.lines.is_some() => {
                                FileComparison::ElsewhereInFile(Lines { first: *only, last: *only }, None)
                            }
                            [] => FileComparison::Mismatch(format!(
                                "{} does not occur in the file",
                                last_part_of_qualified_name(name)
                            )),
                            _ => FileComparison::Mismatch(format!(
                                "{} is not in these lines",
                                last_part_of_qualified_name(name)
                            )),
                        },
                        // A sentence may be about a use of the symbol if the cited lines contain the symbol's name.
                        [only] if *in_sentence && mentioned => FileComparison::Mismatch(format!(
                            "{} is defined in {}:{}",
                            last_part_of_qualified_name(name),
                            only.path,
                            format_line_range(only.lines)
                        )),
                        [only] => FileComparison::InOtherFile(only.clone()),
                        several => FileComparison::Mismatch(format!(
                            "{} is not defined there; it is defined {} times elsewhere",
                            last_part_of_qualified_name(name),
                            several.len()
                        )),
                    }
                }
                several => {
                    if let Some(reason) = out_of_range() {
                        return FileComparison::Mismatch(reason);
                    }
                    match several.iter().find(|name| !held(last_part_of_qualified_name(name), true)) {
                        Some(missing) => FileComparison::Mismatch(format!(
                            "{} is not in these lines",
                            last_part_of_qualified_name(missing)
                        )),
                        None => FileComparison::Matches(Proof::Text, None),
                    }
                }
            },
        }
    }

    fn new_citation_entry_for_front_matter(&mut self, citation: &Citation, place: CitedPlace) -> Option<CitationEntry> {
        let access = self.access;
        let analysed = self.analysed.entry(place.path.clone()).or_insert_with(|| {
            super::locate::read_cited_file(access, &place.path).map(|file| access.analyse_source_file(file))
        });
        let Some(analysed) = analysed else {
            // A file without lines, such as a binary one, has no hashes.
            return None;
        };
        let mut entry = CitationEntry::from_file_lines(&analysed.file, &place.path, place.lines);
        // The text may name the symbol in words that are no name, or not at all: the lines tell it.
        let around = |lines: Lines| innermost_symbol_around(&analysed.facts.symbols, lines.first, lines.last);
        entry.symbol =
            place.symbol.or_else(|| place.lines.and_then(around).map(|symbol| symbol.qualified_name.clone()));
        entry.description.clone_from(&citation.description);
        Some(entry)
    }
}

/// Selects the definition of a symbol that the cited lines should be at: the only definition in the file, or the only
/// definition that overlaps the cited lines. If there is no such definition, the result is a mismatch.
fn select_definition_to_repair_citation(
    definitions: &[Definition],
    lines: Option<(u32, u32)>,
    name: &str,
) -> FileComparison {
    let elsewhere =
        |found: &Definition| FileComparison::ElsewhereInFile(found.lines, Some(found.qualified_name.clone()));
    if let [only] = definitions {
        return elsewhere(only);
    }
    let touches =
        |found: &&Definition| lines.is_some_and(|(first, last)| found.outer_line <= last && first <= found.lines.last);
    let mut touched = definitions.iter().filter(touches);
    match (touched.next(), touched.next()) {
        (Some(only), None) => elsewhere(only),
        _ => FileComparison::Mismatch(format!(
            "{name} is defined {} times in the file, but not there",
            definitions.len()
        )),
    }
}

fn verdict_from_comparison(citation: &Citation, path: &str, holds: FileComparison) -> JudgedCitation {
    let cited = citation.lines.map(|(first, last)| Lines { first, last });
    let (stands, proof) = match holds {
        FileComparison::Matches(proof, symbol) => {
            (CitedPlace { path: path.to_owned(), lines: cited, symbol }, Some(proof))
        }
        FileComparison::ElsewhereInFile(lines, symbol) => {
            (CitedPlace { path: path.to_owned(), lines: cited.map(|_| lines), symbol }, None)
        }
        FileComparison::InOtherFile(found) => {
            let lines = cited.map(|_| found.lines);
            (CitedPlace { path: found.path, lines, symbol: Some(found.qualified_name) }, None)
        }
        FileComparison::Mismatch(reason) => return verdict_unverified_for_reason(&reason),
    };
    let same_path = stands.path == citation.path.strip_prefix("./").unwrap_or(&citation.path);
    let same_lines = stands.lines == cited;
    let verdict = match (same_path, same_lines) {
        (true, true) => Verdict::True(proof.unwrap_or(Proof::Symbol)),
        (path, lines) => {
            let what = match (path, lines) {
                (false, true) => Repaired::Path,
                (true, _) => Repaired::Lines,
                (false, false) => Repaired::Both,
            };
            let (from, to) =
                (format_path_and_lines(&citation.path, cited), format_path_and_lines(&stands.path, stands.lines));
            // A citation is marked instead of repaired if its notation cannot express the correct path or lines.
            if (citation.path_at.is_none() && !path) || (citation.lines_at.is_none() && !lines) {
                return verdict_unverified_for_reason(&format!("it is {to}"));
            }
            Verdict::Repaired(Repair { what, from, to })
        }
    };
    JudgedCitation { verdict, place: Some(stands) }
}

fn format_path_and_lines(path: &str, lines: Option<Lines>) -> String {
    lines.map_or_else(|| path.to_owned(), |lines| format!("{path}:{}", format_line_range(lines)))
}

fn verdict_unverified_for_reason(reason: &str) -> JudgedCitation {
    JudgedCitation { verdict: Verdict::Marked { reason: reason.to_owned() }, place: None }
}

/// The part of a qualified name after its last separator.
pub(super) fn last_part_of_qualified_name(name: &str) -> &str {
    name.rsplit(['.', ':', '#']).next().filter(|part| !part.is_empty()).unwrap_or(name)
}

/// Whether a quote in a document looks like source code. Other quotes may be words of the document's author.
fn is_likely_source_code(quote: &str) -> bool {
    quote.chars().count() >= 12 && quote.contains(['=', ';', '{', '}', '('])
}

fn has_text_or_whole_word(text: &str, wanted: &str, whole_word: bool) -> bool {
    if whole_word {
        has_whole_word(text, wanted)
    } else {
        collapse_whitespace(text).contains(&collapse_whitespace(wanted))
    }
}

/// The numbers of the lines that contain a text; lines count from 1.
fn numbers_of_lines_containing(text: &str, wanted: &str, whole_word: bool) -> Vec<u32> {
    text.lines()
        .zip(1..)
        .filter(|(line, _)| has_text_or_whole_word(line, wanted, whole_word))
        .map(|(_, number)| number)
        .collect()
}

pub(super) fn has_whole_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, found)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at + found.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// The text with each run of white space replaced by one space.
fn collapse_whitespace(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
