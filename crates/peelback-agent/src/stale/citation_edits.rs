//! The decision about the edit of each citation in a document's text when the document is renewed. All edits are
//! decided before the first is applied, because the new lines of one citation may be the old lines of another.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use peelback_code::CodeAccess;
use peelback_code::syntax::Lines;

use super::sections::BodySection;
use crate::citations::{self, Citation, CitationEntry, Edit, Staleness, UNVERIFIED_MARK, Verdict};

/// The reason in the mark of a citation whose cited lines have changed.
const CHANGED: &str = "changed since this was written";

/// The reason in the mark of a citation whose file was deleted.
const GONE: &str = "gone since this was written";

/// The beginning of the reason in the mark of a citation whose lines have moved, but whose notation cannot express the
/// current lines. The current place follows in the mark.
const MOVED: &str = "moved since this was written, to ";

/// The reason in the mark of a citation in a changed file, if the front matter has no hash of the cited lines.
const NOT_KEPT: &str = "the file has changed, and the old text was not stored";

/// The edits of all citations in a document's text for its renewal.
#[derive(Debug, Default)]
pub(super) struct CitationEdits {
    /// The edits that replace the path or lines of a citation by the current path or lines.
    pub moves: Vec<Edit>,
    /// The edits that add or remove the marks of unverified citations.
    pub marks: Vec<Edit>,
    /// The byte offset of each outdated citation, with the index of the citation's front matter entry.
    pub outdated: Vec<(usize, usize)>,
    /// The indexes of the front matter entries with a citation whose notation cannot express the current path or lines.
    pub unwritten: HashSet<usize>,
}

/// The decision about one citation in the text of a document that is renewed.
enum PlaceDecision {
    /// The citation and its mark stay unchanged.
    Stays,
    /// The citation is correct. If a renewal marked the citation before, the mark is removed.
    Holds,
    /// The cited lines have moved. The values are the index of the entry, the current path, and the current lines.
    Moved(usize, String, Option<Lines>),
    /// The content of the cited lines has changed or is gone. The value is the index of the entry.
    Outdated(usize),
    /// The citation has no stored hash and failed the check. The value is the reason.
    Wrong(String),
}

/// Whether a text contains marks that a renewal added, because the cited lines have changed, are gone or have moved.
pub(super) fn has_staleness_marks(text: &str) -> bool {
    [CHANGED, GONE, MOVED].iter().any(|reason| text.contains(&format!("({UNVERIFIED_MARK} {reason}")))
}

/// Counts the marks of unverified citations in a text.
pub(super) fn count_unverified_marks(text: &str) -> usize {
    let found = citations::find_citations(text);
    let at: HashSet<usize> =
        found.iter().filter_map(|one| one.existing_unverified_mark(text)).map(|(at, _)| at.start).collect();
    at.len()
}

/// Decides about the edits of each citation in `body`, except the citations in the section that lists all citations,
/// which is generated again.
///
/// If `follow` is `true`, citations of moved lines are updated; otherwise they count as outdated.
pub(super) fn decide_citation_edits(
    body: &str,
    parts: &[BodySection],
    entries: &[(CitationEntry, Staleness)],
    follow: bool,
    access: &CodeAccess,
) -> CitationEdits {
    let lists: Vec<&Range<usize>> =
        parts.iter().filter(|part| part.is_citation_list()).map(|part| &part.content).collect();
    let mut known = CitationDecider { body, entries, follow, access, verdicts: None, as_kept: HashMap::new() };
    let placed: Vec<(Citation, PlaceDecision)> = citations::find_citations(body)
        .into_iter()
        .filter(|citation| !lists.iter().any(|list| list.contains(&citation.markdown_element_start())))
        .map(|citation| {
            let fate = known.decide_edit_of_citation(&citation);
            (citation, fate)
        })
        .collect();
    let split = offsets_of_paths_with_conflicting_moves(&placed);
    let mut places = CitationEdits::default();
    let mut marks = Vec::new();
    for (citation, fate) in &placed {
        let at = citation.markdown_element_start();
        let mark = citation.existing_unverified_mark(body).map(|(_, mark)| mark);
        let is_ours = mark.is_some_and(has_staleness_marks);
        // A mark is added only if the Markdown element has none, or has one from an earlier renewal: one mark per
        // element is enough.
        let set = |reason: &str| (mark.is_none() || is_ours).then(|| citation.edit_to_set_unverified_mark(reason));
        match fate {
            PlaceDecision::Stays => {}
            PlaceDecision::Holds => marks.extend(is_ours.then(|| citation.edit_to_remove_unverified_mark())),
            PlaceDecision::Moved(number, path, lines) => {
                let is_split = citation.path_start().is_some_and(|at| split.contains(&at));
                match citation.edits_to_change_location(body, path, *lines).filter(|_| !is_split) {
                    Some(edits) => {
                        places.moves.extend(edits);
                        marks.extend(is_ours.then(|| citation.edit_to_remove_unverified_mark()));
                    }
                    None => {
                        let to = format_path_and_lines(path, *lines);
                        marks.extend(set(&format!("{MOVED}{to}")));
                        places.unwritten.insert(*number);
                    }
                }
            }
            PlaceDecision::Outdated(number) => {
                let is_gone = entries.get(*number).is_some_and(|(_, became)| *became == Staleness::Deleted);
                marks.extend(set(if is_gone { GONE } else { CHANGED }));
                places.outdated.push((at, *number));
            }
            PlaceDecision::Wrong(reason) => marks.extend(set(reason)),
        }
    }
    places.marks = citations::keep_one_mark_edit_per_element(marks);
    places
}

/// The byte offsets of cited paths that several line ranges share (`a.py:1-4,9`) and that cannot be updated, because
/// the lines are now in different files.
fn offsets_of_paths_with_conflicting_moves(placed: &[(Citation, PlaceDecision)]) -> HashSet<usize> {
    let mut led: HashMap<usize, HashSet<&str>> = HashMap::new();
    for (citation, fate) in placed {
        let Some(at) = citation.path_start() else { continue };
        let path = match fate {
            PlaceDecision::Moved(_, path, _) => path.as_str(),
            _ => citation.path_without_dot_slash(),
        };
        led.entry(at).or_default().insert(path);
    }
    led.into_iter().filter(|(_, paths)| paths.len() > 1).map(|(at, _)| at).collect()
}

fn format_path_and_lines(path: &str, lines: Option<Lines>) -> String {
    lines.map_or_else(|| path.to_owned(), |lines| format!("{path}:{}", citations::format_line_range(lines)))
}

/// The front matter entries, their states and the files, from which the edits of citations are decided.
struct CitationDecider<'a> {
    body: &'a str,
    entries: &'a [(CitationEntry, Staleness)],
    follow: bool,
    access: &'a CodeAccess,
    /// The results of the citation check, for citations without a front matter entry. The check runs when its results
    /// are first needed.
    verdicts: Option<Vec<(Citation, Verdict, Option<CitationEntry>)>>,
    /// For each file path, whether the file is unchanged since the document was last written.
    as_kept: HashMap<String, bool>,
}

impl CitationDecider<'_> {
    fn decide_edit_of_citation(&mut self, citation: &Citation) -> PlaceDecision {
        let path = citation.path_without_dot_slash();
        let same =
            |entry: &CitationEntry| entry.path == path && entry.lines.map(|at| (at.first, at.last)) == citation.lines;
        let mut own = self.entries.iter().enumerate().filter(|(_, (entry, _))| same(entry)).map(|(number, _)| number);
        // Several entries can have equal lines, because the lines of one entry may have moved to the old lines of
        // another. Correct entries come first in the list, and only citations with stale entries are marked, so a
        // marked citation uses the last entry.
        let is_outdated =
            citation.existing_unverified_mark(self.body).is_some_and(|(_, mark)| has_staleness_marks(mark));
        match if is_outdated { own.next_back() } else { own.next() } {
            Some(number) => self.decide_edit_from_front_matter_entry(number, 0, citation),
            None => self.decide_edit_without_front_matter_entry(citation),
        }
    }

    /// The decision about a citation that has an entry in the front matter. `offset` is the distance in lines from the
    /// entry's first line.
    fn decide_edit_from_front_matter_entry(&self, number: usize, offset: u32, citation: &Citation) -> PlaceDecision {
        match self.entries.get(number).map(|(_, became)| became) {
            Some(Staleness::Unchanged) => PlaceDecision::Holds,
            Some(Staleness::Moved { path, lines }) if self.follow => {
                let lines = match (citation.lines, lines) {
                    (Some((first, last)), Some(lines)) => {
                        let begin = lines.first.saturating_add(offset);
                        Some(Lines { first: begin, last: begin.saturating_add(last.saturating_sub(first)) })
                    }
                    _ => None,
                };
                PlaceDecision::Moved(number, path.clone(), lines)
            }
            Some(_) => PlaceDecision::Outdated(number),
            None => PlaceDecision::Stays,
        }
    }

    /// The decision about a citation without an entry in the front matter. The front matter stores only one entry for
    /// each first line, and a person may have added citations.
    fn decide_edit_without_front_matter_entry(&mut self, citation: &Citation) -> PlaceDecision {
        let path = citation.path_without_dot_slash();
        let of_file: Vec<usize> =
            self.entries.iter().enumerate().filter(|(_, (e, _))| e.path == path).map(|(number, _)| number).collect();
        let Some((first, last)) = citation.lines else {
            // A citation of a whole file becomes outdated or moved if any front matter entry shows that the file was
            // deleted or renamed.
            let became = |number: &usize| self.entries.get(*number).map(|(_, became)| became);
            let renamed =
                |number: &&usize| matches!(became(number), Some(Staleness::Moved { path: to, .. }) if to != path);
            let gone = |number: &&usize| became(number) == Some(&Staleness::Deleted);
            return match (of_file.iter().find(renamed), of_file.iter().find(gone)) {
                (Some(number), _) | (None, Some(number)) => {
                    self.decide_edit_from_front_matter_entry(*number, 0, citation)
                }
                (None, None) if of_file.is_empty() => self.decide_edit_by_checking_citation(citation, false),
                (None, None) => PlaceDecision::Stays,
            };
        };
        let around = |number: &usize| {
            let lines = self.entries.get(*number)?.0.lines?;
            (lines.first <= first && last <= lines.last).then(|| (*number, first - lines.first))
        };
        let mut enclosing: Vec<(usize, u32)> = of_file.iter().filter_map(around).collect();
        let is_outdated = |number: usize| {
            let became = self.entries.get(number).map(|(_, became)| became);
            matches!(became, Some(Staleness::Changed { .. } | Staleness::Deleted))
        };
        enclosing.sort_by_key(|(number, _)| is_outdated(*number));
        match enclosing.first() {
            Some((number, offset)) => self.decide_edit_from_front_matter_entry(*number, *offset, citation),
            None if citation.existing_unverified_mark(self.body).is_some() => PlaceDecision::Stays,
            None if self.is_file_unchanged(path, &of_file) => PlaceDecision::Stays,
            None => self.decide_edit_by_checking_citation(citation, !of_file.is_empty()),
        }
    }

    fn is_file_unchanged(&mut self, path: &str, of_file: &[usize]) -> bool {
        if let Some(known) = self.as_kept.get(path) {
            return *known;
        }
        let kept = of_file.iter().filter_map(|number| self.entries.get(*number));
        let is_as_kept = kept.into_iter().any(|(entry, _)| entry.has_unchanged_file(self.access));
        self.as_kept.insert(path.to_owned(), is_as_kept);
        is_as_kept
    }

    /// The decision about a citation by the check for new documents. If the file has changed, the mere existence of the
    /// cited lines does not prove that the citation is correct.
    fn decide_edit_by_checking_citation(&mut self, citation: &Citation, has_changed: bool) -> PlaceDecision {
        if citation.existing_unverified_mark(self.body).is_some() {
            return PlaceDecision::Stays;
        }
        let (body, access) = (self.body, self.access);
        let verdicts = self.verdicts.get_or_insert_with(|| {
            let checked = citations::check_and_repair_citations(body, access).citations.into_iter();
            checked.map(|one| (one.citation, one.verdict, one.entry)).collect()
        });
        match verdicts.iter().find(|(judged, ..)| judged == citation) {
            None => PlaceDecision::Stays,
            Some((_, Verdict::True(citations::Proof::Existence), _)) if has_changed => {
                PlaceDecision::Wrong(NOT_KEPT.to_owned())
            }
            Some((_, Verdict::True(_), _)) => PlaceDecision::Stays,
            Some((_, Verdict::Repaired(_), Some(entry))) => {
                PlaceDecision::Moved(usize::MAX, entry.path.clone(), entry.lines.filter(|_| citation.lines.is_some()))
            }
            Some((_, Verdict::Repaired(repair), None)) => PlaceDecision::Wrong(format!("it is {}", repair.to)),
            Some((_, Verdict::Marked { reason }, _)) => PlaceDecision::Wrong(reason.clone()),
        }
    }
}
