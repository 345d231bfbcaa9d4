//! Which files hold a name, and on which lines.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use memchr::memmem;

use super::{Goal, Search};
use crate::evidence::{Evidence, Skipped};
use crate::modules::{Family, FileId, World};
use peelback_syntax::{NotParsed, Tier, language};

use crate::error::CodeError;
use crate::store::NoNames;

/// Names that are looked for.
pub(super) type Words = BTreeSet<String>;

/// A line that holds a name.
#[derive(Debug, Clone)]
pub(super) struct TextLine {
    /// The byte at which the line begins.
    start: u32,
    text: Arc<str>,
}

/// The longest part of a line that is kept, in bytes: minified files have lines of megabytes.
const MAX_LINE: usize = 1_000;

impl std::ops::Deref for TextLine {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl TextLine {
    /// The column of a byte of the file, from 1, in characters.
    pub fn column(&self, at: u32) -> u32 {
        let offset = at.saturating_sub(self.start) as usize;
        let before = self.text.get(..offset).map_or(offset, |before| before.chars().count());
        u32::try_from(before + 1).unwrap_or(u32::MAX)
    }
}

/// What one file's text holds of the names.
#[derive(Debug, Clone, Default)]
pub(super) struct Hits {
    /// Each place of a name: its first byte, its line, and how many bytes it has.
    pub places: BTreeMap<u32, (u32, u32)>,
    /// The lines of those places.
    pub lines: BTreeMap<u32, TextLine>,
}

/// The files that hold one of the names.
#[derive(Debug, Default)]
pub(super) struct Scan {
    hits: BTreeMap<FileId, Hits>,
}

impl Scan {
    pub fn files(&self) -> impl Iterator<Item = FileId> + '_ {
        self.hits.keys().copied()
    }

    pub fn hits(&self, file: FileId) -> Option<&Hits> {
        self.hits.get(&file)
    }

    /// Looks for further names in every file whose code can use them, and loads the names of the files that hold one.
    pub fn add(&mut self, search: &Search<'_>, words: &Words, goals: &[Goal], evidence: &mut Evidence) {
        let files = search.snapshot.files();
        let finders: Vec<(usize, memmem::Finder<'_>)> =
            words.iter().map(|word| (word.len(), memmem::Finder::new(word.as_bytes()))).collect();
        let concerned = |file: FileId| {
            let place = files.place(file);
            match language::of_name(place.name()) {
                Some(language) => goals.iter().any(|goal| match goal.family {
                    Some(family) => {
                        Family::of(language.name) == Some(family)
                            // A header's language is told by its text.
                            || (family == Family::C && place.name().ends_with(".h"))
                    }
                    None => language.name == goal.language && language.tier != Tier::Document,
                }),
                None => false,
            }
        };
        let candidates: Vec<FileId> =
            (0..u32::try_from(files.len()).unwrap_or(u32::MAX)).filter(|f| concerned(*f)).collect();
        let places: Vec<_> = candidates.iter().map(|file| files.place(*file).clone()).collect();
        let by_path: BTreeMap<&str, FileId> = candidates.iter().map(|file| (files.path(*file), *file)).collect();
        let work = search.access.project().work();
        let (found, left) = crate::access::largest_first(&places, work, |place| {
            let file = *by_path.get(place.path.as_str())?;
            let gap = |reason: String| Some((file, Err(Skipped { path: place.path.clone(), reason })));
            let text = match search.snapshot.read(file) {
                Ok(text) => text,
                Err(CodeError::Binary { .. }) => return None,
                Err(error) => return gap(error.to_string()),
            };
            let hits = hits(&text.text, &finders);
            if hits.places.is_empty() {
                return None;
            }
            match search.snapshot.names_of(file, &text) {
                Ok(_) => Some((file, Ok(hits))),
                Err(NoNames::NotParsed(NotParsed::UnknownLanguage)) => None,
                Err(reason) => gap(reason.gap()?),
            }
        });
        work.cut_short(left, places.len(), evidence);
        for (file, result) in found {
            match result {
                Ok(hits) => {
                    let known = self.hits.entry(file).or_default();
                    known.places.extend(hits.places);
                    known.lines.extend(hits.lines);
                }
                Err(skipped) => {
                    if !evidence.skipped.contains(&skipped) {
                        evidence.skip(&skipped.path, skipped.reason);
                    }
                }
            }
        }
    }
}

/// The places of whole words.
fn hits(text: &str, finders: &[(usize, memmem::Finder<'_>)]) -> Hits {
    let bytes = text.as_bytes();
    let mut hits = Hits::default();
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (len, finder) in finders {
        let whole = |at: &usize| {
            let before = text.get(..*at).and_then(|before| before.chars().next_back());
            let after = text.get(at + len..).and_then(|after| after.chars().next());
            !before.is_some_and(is_word) && !after.is_some_and(is_word)
        };
        found.extend(finder.find_iter(bytes).filter(whole).map(|at| (at, *len)));
    }
    found.sort_unstable();
    let (mut line, mut counted) = (1, 0);
    for (at, len) in found {
        let between = bytes.get(counted..at).unwrap_or(&[]);
        line += u32::try_from(memchr::memchr_iter(b'\n', between).count()).unwrap_or(0);
        counted = at;
        let place = u32::try_from(at).unwrap_or(u32::MAX);
        hits.places.insert(place, (line, u32::try_from(len).unwrap_or(0)));
        hits.lines.entry(line).or_insert_with(|| {
            let start = memchr::memrchr(b'\n', bytes.get(..at).unwrap_or(&[])).map_or(0, |newline| newline + 1);
            let rest = text.get(start..).unwrap_or("");
            let whole = rest.lines().next().unwrap_or("");
            // Of a line beyond all reason, what stands around its first hit.
            let from = if whole.len() > MAX_LINE {
                whole.floor_char_boundary((at - start).saturating_sub(MAX_LINE / 4))
            } else {
                0
            };
            let to = whole.floor_char_boundary((from + MAX_LINE).min(whole.len()));
            let kept = whole.get(from..to).unwrap_or("");
            TextLine { start: u32::try_from(start + from).unwrap_or(u32::MAX), text: kept.into() }
        });
    }
    hits
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_alone_count() {
        let finders = [(3, memmem::Finder::new("abc"))];
        let hits = hits("abc abcd\nxabc abc\n\u{e9}abc (abc)", &finders);
        let places: Vec<(u32, u32)> = hits.places.iter().map(|(at, (line, _))| (*at, *line)).collect();
        assert_eq!(places, [(0, 1), (14, 2), (25, 3)]);
        assert_eq!(hits.lines.get(&3).map(|line| line.column(25)), Some(7));
    }
}
