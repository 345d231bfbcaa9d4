//! The cited places of a text and the edit for each place. All edits are decided before any is applied, since moved
//! lines may now be at the former lines of another citation.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use peelback_code::CodeAccess;
use peelback_code::syntax::Lines;

use super::sections::Part;
use crate::citations::{self, Citation, Edit, Entry, Staleness, UNVERIFIED_MARK, Verdict};

/// The reason in the mark of a place whose lines changed.
const CHANGED: &str = "changed since this was written";

/// The reason in the mark of a place whose file was deleted.
const GONE: &str = "gone since this was written";

/// The beginning of the reason in the mark of a place whose notation cannot express the current lines; the current
/// place follows.
const MOVED: &str = "moved since this was written, to ";

/// The reason in the mark of a place in a changed file without a stored hash.
const NOT_KEPT: &str = "the file changed since, and what stood there was not kept";

/// The edits for all cited places of a text.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Edits that update paths and lines.
    pub moves: Vec<Edit>,
    /// Edits that add or remove marks.
    pub marks: Vec<Edit>,
    /// The byte offsets of places with a stale entry, and the entry's index.
    pub outdated: Vec<(usize, usize)>,
    /// Indexes of entries with a place that could not be updated.
    pub unwritten: HashSet<usize>,
}

/// The decision about one cited place.
enum PlaceDecision {
    /// The place stays as it is.
    Stays,
    /// The place is correct; an existing mark is removed.
    Holds,
    /// The cited lines have moved.
    Moved(usize, String, Option<Lines>),
    /// The content of the cited lines has changed.
    Outdated(usize),
    /// The place has no stored hash and fails the check.
    Wrong(String),
}

/// Whether a text contains marks that [`Places`] adds.
pub(super) fn has_marks(text: &str) -> bool {
    [CHANGED, GONE, MOVED].iter().any(|reason| text.contains(&format!("({UNVERIFIED_MARK} {reason}")))
}

/// The number of marks in a text.
pub(super) fn count_marks(text: &str) -> usize {
    let found = citations::find(text);
    let at: HashSet<usize> = found.iter().filter_map(|one| one.existing_mark(text)).map(|(at, _)| at.start).collect();
    at.len()
}

/// Decides about all cited places of `body`, except those in its list of citations, which is written again.
///
/// With `follow`, citations of moved lines are updated; otherwise they count as outdated.
pub(super) fn of(
    body: &str,
    parts: &[Part],
    entries: &[(Entry, Staleness)],
    follow: bool,
    access: &CodeAccess,
) -> Places {
    let lists: Vec<&Range<usize>> = parts.iter().filter(|part| part.is_list()).map(|part| &part.content).collect();
    let mut known = Known { body, entries, follow, access, verdicts: None, as_kept: HashMap::new() };
    let placed: Vec<(Citation, PlaceDecision)> = citations::find(body)
        .into_iter()
        .filter(|citation| !lists.iter().any(|list| list.contains(&citation.element_start())))
        .map(|citation| {
            let fate = known.fate(&citation);
            (citation, fate)
        })
        .collect();
    let split = split_paths(&placed);
    let mut places = Places::default();
    let mut marks = Vec::new();
    for (citation, fate) in &placed {
        let at = citation.element_start();
        let mark = citation.existing_mark(body).map(|(_, mark)| mark);
        let is_ours = mark.is_some_and(has_marks);
        // One mark for each element suffices.
        let set = |reason: &str| (mark.is_none() || is_ours).then(|| citation.marked(reason));
        match fate {
            PlaceDecision::Stays => {}
            PlaceDecision::Holds => marks.extend(is_ours.then(|| citation.unmarked())),
            PlaceDecision::Moved(number, path, lines) => {
                let is_split = citation.path_start().is_some_and(|at| split.contains(&at));
                match citation.led_to(body, path, *lines).filter(|_| !is_split) {
                    Some(edits) => {
                        places.moves.extend(edits);
                        marks.extend(is_ours.then(|| citation.unmarked()));
                    }
                    None => {
                        let to = address(path, *lines);
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
    places.marks = citations::first_mark_per_element(marks);
    places
}

/// Paths that several ranges share (`a.py:1-4,9`) and that would have to be split into several paths.
fn split_paths(placed: &[(Citation, PlaceDecision)]) -> HashSet<usize> {
    let mut led: HashMap<usize, HashSet<&str>> = HashMap::new();
    for (citation, fate) in placed {
        let Some(at) = citation.path_start() else { continue };
        let path = match fate {
            PlaceDecision::Moved(_, path, _) => path.as_str(),
            _ => citation.plain_path(),
        };
        led.entry(at).or_default().insert(path);
    }
    led.into_iter().filter(|(_, paths)| paths.len() > 1).map(|(at, _)| at).collect()
}

fn address(path: &str, lines: Option<Lines>) -> String {
    lines.map_or_else(|| path.to_owned(), |lines| format!("{path}:{}", citations::line_range(lines)))
}

/// The entries and file states with which places are compared.
struct Known<'a> {
    body: &'a str,
    entries: &'a [(Entry, Staleness)],
    follow: bool,
    access: &'a CodeAccess,
    /// The results of a check for places without an entry; computed at the first use.
    verdicts: Option<Vec<(Citation, Verdict, Option<Entry>)>>,
    /// Whether a file is unchanged since the document was last written.
    as_kept: HashMap<String, bool>,
}

impl Known<'_> {
    fn fate(&mut self, citation: &Citation) -> PlaceDecision {
        let path = citation.plain_path();
        let same = |entry: &Entry| entry.path == path && entry.lines.map(|at| (at.first, at.last)) == citation.lines;
        let mut own = self.entries.iter().enumerate().filter(|(_, (entry, _))| same(entry)).map(|(number, _)| number);
        // The lines of one entry may have moved to the former lines of another one: correct entries come first, and
        // only places of stale entries are marked.
        let is_outdated = citation.existing_mark(self.body).is_some_and(|(_, mark)| has_marks(mark));
        match if is_outdated { own.next_back() } else { own.next() } {
            Some(number) => self.decide_by_entry(number, 0, citation),
            None => self.decide_without_entry(citation),
        }
    }

    /// The decision about a place that has an entry.
    fn decide_by_entry(&self, number: usize, offset: u32, citation: &Citation) -> PlaceDecision {
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

    /// The decision about a place without an entry: the front matter stores one entry for each first line, and a person
    /// may have added places.
    fn decide_without_entry(&mut self, citation: &Citation) -> PlaceDecision {
        let path = citation.plain_path();
        let of_file: Vec<usize> =
            self.entries.iter().enumerate().filter(|(_, (e, _))| e.path == path).map(|(number, _)| number).collect();
        let Some((first, last)) = citation.lines else {
            // A whole file may have been renamed.
            let became = |number: &usize| self.entries.get(*number).map(|(_, became)| became);
            let renamed =
                |number: &&usize| matches!(became(number), Some(Staleness::Moved { path: to, .. }) if to != path);
            let gone = |number: &&usize| became(number) == Some(&Staleness::Deleted);
            return match (of_file.iter().find(renamed), of_file.iter().find(gone)) {
                (Some(number), _) | (None, Some(number)) => self.decide_by_entry(*number, 0, citation),
                (None, None) if of_file.is_empty() => self.checked(citation, false),
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
            Some((number, offset)) => self.decide_by_entry(*number, *offset, citation),
            None if citation.existing_mark(self.body).is_some() => PlaceDecision::Stays,
            None if self.is_as_kept(path, &of_file) => PlaceDecision::Stays,
            None => self.checked(citation, !of_file.is_empty()),
        }
    }

    fn is_as_kept(&mut self, path: &str, of_file: &[usize]) -> bool {
        if let Some(known) = self.as_kept.get(path) {
            return *known;
        }
        let kept = of_file.iter().filter_map(|number| self.entries.get(*number));
        let is_as_kept = kept.into_iter().any(|(entry, _)| entry.has_unchanged_file(self.access));
        self.as_kept.insert(path.to_owned(), is_as_kept);
        is_as_kept
    }

    /// The decision by a check as for a new text. In a changed file, the existence of the lines proves nothing.
    fn checked(&mut self, citation: &Citation, has_changed: bool) -> PlaceDecision {
        if citation.existing_mark(self.body).is_some() {
            return PlaceDecision::Stays;
        }
        let (body, access) = (self.body, self.access);
        let verdicts = self.verdicts.get_or_insert_with(|| {
            let checked = citations::check(body, access).citations.into_iter();
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
