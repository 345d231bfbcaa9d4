//! Where a text cites what, and what each of these places becomes: decided for all of them before any is changed, since
//! lines that moved may now be where others were.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use peelback_code::CodeAccess;
use peelback_code::syntax::Lines;

use super::sections::Part;
use crate::citations::{self, Citation, Edit, Entry, UNVERIFIED_MARK, Staleness, Verdict};

/// What marks a place whose lines changed.
const CHANGED: &str = "changed since this was written";

/// What marks a place whose file is gone.
const GONE: &str = "gone since this was written";

/// What marks a place that cannot be led to where its lines are now; that follows.
const MOVED: &str = "moved since this was written, to ";

/// What marks a place of a changed file whose content was not kept.
const NOT_KEPT: &str = "the file changed since, and what stood there was not kept";

/// What becomes of the places of a text.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// What leads places to where their lines are now.
    pub moves: Vec<Edit>,
    /// Marks that are set or go.
    pub marks: Vec<Edit>,
    /// Places of entries that do not hold: where they begin in the text, and the entry's number.
    pub outdated: Vec<(usize, usize)>,
    /// Entries with a place that could not be changed.
    pub unwritten: HashSet<usize>,
}

/// What becomes of one place.
enum Fate {
    /// Nothing.
    Stays,
    /// Its entry holds where it is.
    Holds,
    /// Its lines are elsewhere.
    Moved(usize, String, Option<Lines>),
    /// Its lines are no more what they were.
    Outdated(usize),
    /// Nothing is known of what it was, and it does not hold.
    Wrong(String),
}

/// Whether a text holds marks that [`Places`] set.
pub(super) fn has_marks(text: &str) -> bool {
    [CHANGED, GONE, MOVED].iter().any(|reason| text.contains(&format!("({UNVERIFIED_MARK} {reason}")))
}

/// How many marks a text holds.
pub(super) fn count_marks(text: &str) -> usize {
    let found = citations::find(text);
    let at: HashSet<usize> = found.iter().filter_map(|one| one.mark_in(text)).map(|(at, _)| at.start).collect();
    at.len()
}

/// What becomes of the places of `body`, those in its list of citations excepted: that is made anew.
///
/// With `follow` lines that moved are followed; without it they count as outdated.
pub(super) fn of(
    body: &str,
    parts: &[Part],
    entries: &[(Entry, Staleness)],
    follow: bool,
    access: &CodeAccess,
) -> Places {
    let lists: Vec<&Range<usize>> = parts.iter().filter(|part| part.is_list()).map(|part| &part.content).collect();
    let mut known = Known { body, entries, follow, access, verdicts: None, as_kept: HashMap::new() };
    let placed: Vec<(Citation, Fate)> = citations::find(body)
        .into_iter()
        .filter(|citation| !lists.iter().any(|list| list.contains(&citation.begins_at())))
        .map(|citation| {
            let fate = known.fate(&citation);
            (citation, fate)
        })
        .collect();
    let split = split_paths(&placed);
    let mut places = Places::default();
    let mut marks = Vec::new();
    for (citation, fate) in &placed {
        let at = citation.begins_at();
        let mark = citation.mark_in(body).map(|(_, mark)| mark);
        let is_ours = mark.is_some_and(has_marks);
        // One mark is enough, whatever its reason.
        let set = |reason: &str| (mark.is_none() || is_ours).then(|| citation.marked(reason));
        match fate {
            Fate::Stays => {}
            Fate::Holds => marks.extend(is_ours.then(|| citation.unmarked())),
            Fate::Moved(number, path, lines) => {
                let is_split = citation.path_begins_at().is_some_and(|at| split.contains(&at));
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
            Fate::Outdated(number) => {
                let is_gone = entries.get(*number).is_some_and(|(_, became)| *became == Staleness::Gone);
                marks.extend(set(if is_gone { GONE } else { CHANGED }));
                places.outdated.push((at, *number));
            }
            Fate::Wrong(reason) => marks.extend(set(reason)),
        }
    }
    places.marks = citations::one_mark_each(marks);
    places
}

/// Paths that several ranges share (`a.py:1-4,9`) and that would have to become several.
fn split_paths(placed: &[(Citation, Fate)]) -> HashSet<usize> {
    let mut led: HashMap<usize, HashSet<&str>> = HashMap::new();
    for (citation, fate) in placed {
        let Some(at) = citation.path_begins_at() else { continue };
        let path = match fate {
            Fate::Moved(_, path, _) => path.as_str(),
            _ => citation.plain_path(),
        };
        led.entry(at).or_default().insert(path);
    }
    led.into_iter().filter(|(_, paths)| paths.len() > 1).map(|(at, _)| at).collect()
}

fn address(path: &str, lines: Option<Lines>) -> String {
    lines.map_or_else(|| path.to_owned(), |lines| format!("{path}:{}", citations::line_range(lines)))
}

/// What is known of the places of a text.
struct Known<'a> {
    body: &'a str,
    entries: &'a [(Entry, Staleness)],
    follow: bool,
    access: &'a CodeAccess,
    /// What a check says of places that the front matter says nothing of; made where there are such.
    verdicts: Option<Vec<(Citation, Verdict, Option<Entry>)>>,
    /// Whether a file is as it was when the document was last written.
    as_kept: HashMap<String, bool>,
}

impl Known<'_> {
    fn fate(&mut self, citation: &Citation) -> Fate {
        let path = citation.plain_path();
        let same = |entry: &Entry| entry.path == path && entry.lines.map(|at| (at.first, at.last)) == citation.lines;
        let mut own = self.entries.iter().enumerate().filter(|(_, (entry, _))| same(entry)).map(|(number, _)| number);
        // Lines of one entry may have moved to where those of another were: entries that hold stand before those that
        // do not, and places of the latter are marked.
        let is_outdated = citation.mark_in(self.body).is_some_and(|(_, mark)| has_marks(mark));
        match if is_outdated { own.next_back() } else { own.next() } {
            Some(number) => self.fate_of(number, 0, citation),
            None => self.without_entry(citation),
        }
    }

    /// The fate of a place in the lines of an entry.
    fn fate_of(&self, number: usize, offset: u32, citation: &Citation) -> Fate {
        match self.entries.get(number).map(|(_, became)| became) {
            Some(Staleness::Unchanged) => Fate::Holds,
            Some(Staleness::Moved { path, lines }) if self.follow => {
                let lines = match (citation.lines, lines) {
                    (Some((first, last)), Some(lines)) => {
                        let begin = lines.first.saturating_add(offset);
                        Some(Lines { first: begin, last: begin.saturating_add(last.saturating_sub(first)) })
                    }
                    _ => None,
                };
                Fate::Moved(number, path.clone(), lines)
            }
            Some(_) => Fate::Outdated(number),
            None => Fate::Stays,
        }
    }

    /// A place that the front matter has no entry of: of several that begin in one line it keeps one, and a person may
    /// have written more.
    fn without_entry(&mut self, citation: &Citation) -> Fate {
        let path = citation.plain_path();
        let of_file: Vec<usize> =
            self.entries.iter().enumerate().filter(|(_, (e, _))| e.path == path).map(|(number, _)| number).collect();
        let Some((first, last)) = citation.lines else {
            // A file as a whole: it may be called otherwise now.
            let became = |number: &usize| self.entries.get(*number).map(|(_, became)| became);
            let renamed =
                |number: &&usize| matches!(became(number), Some(Staleness::Moved { path: to, .. }) if to != path);
            let gone = |number: &&usize| became(number) == Some(&Staleness::Gone);
            return match (of_file.iter().find(renamed), of_file.iter().find(gone)) {
                (Some(number), _) | (None, Some(number)) => self.fate_of(*number, 0, citation),
                (None, None) if of_file.is_empty() => self.checked(citation, false),
                (None, None) => Fate::Stays,
            };
        };
        let around = |number: &usize| {
            let lines = self.entries.get(*number)?.0.lines?;
            (lines.first <= first && last <= lines.last).then(|| (*number, first - lines.first))
        };
        let mut enclosing: Vec<(usize, u32)> = of_file.iter().filter_map(around).collect();
        let is_outdated = |number: usize| {
            let became = self.entries.get(number).map(|(_, became)| became);
            matches!(became, Some(Staleness::Changed { .. } | Staleness::Gone))
        };
        enclosing.sort_by_key(|(number, _)| is_outdated(*number));
        match enclosing.first() {
            Some((number, offset)) => self.fate_of(*number, *offset, citation),
            None if citation.mark_in(self.body).is_some() => Fate::Stays,
            None if self.is_as_kept(path, &of_file) => Fate::Stays,
            None => self.checked(citation, !of_file.is_empty()),
        }
    }

    fn is_as_kept(&mut self, path: &str, of_file: &[usize]) -> bool {
        if let Some(known) = self.as_kept.get(path) {
            return *known;
        }
        let kept = of_file.iter().filter_map(|number| self.entries.get(*number));
        let is_as_kept = kept.into_iter().any(|(entry, _)| entry.has_its_file(self.access));
        self.as_kept.insert(path.to_owned(), is_as_kept);
        is_as_kept
    }

    /// What a check as of a new text says. Where the file changed, that the lines exist says nothing.
    fn checked(&mut self, citation: &Citation, has_changed: bool) -> Fate {
        if citation.mark_in(self.body).is_some() {
            return Fate::Stays;
        }
        let (body, access) = (self.body, self.access);
        let verdicts = self.verdicts.get_or_insert_with(|| {
            let checked = citations::check(body, access).citations.into_iter();
            checked.map(|one| (one.citation, one.verdict, one.entry)).collect()
        });
        match verdicts.iter().find(|(judged, ..)| judged == citation) {
            None => Fate::Stays,
            Some((_, Verdict::True(citations::Proof::Existence), _)) if has_changed => Fate::Wrong(NOT_KEPT.to_owned()),
            Some((_, Verdict::True(_), _)) => Fate::Stays,
            Some((_, Verdict::Repaired(_), Some(entry))) => {
                Fate::Moved(usize::MAX, entry.path.clone(), entry.lines.filter(|_| citation.lines.is_some()))
            }
            Some((_, Verdict::Repaired(repair), None)) => Fate::Wrong(format!("it is {}", repair.to)),
            Some((_, Verdict::Marked { reason }, _)) => Fate::Wrong(reason.clone()),
        }
    }
}
