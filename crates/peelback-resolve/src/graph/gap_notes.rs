//! Notes in the evidence about imports that the cached graph does not know.

use peelback_project::{Evidence, NoNames, SourceFile};
use peelback_syntax::language;

use super::cache::{CachedGraph, Known};
use super::gaps::{Needles, can_depend_on, gap_note};
use crate::languages;
use crate::modules::FileId;
use crate::semantics::Semantics;

/// Adds a gap to the evidence for each file, among those that `counts` accepts, whose imports are not all known.
pub(super) fn note_all(cached: &CachedGraph, evidence: &mut Evidence, counts: impl Fn(FileId) -> bool) {
    for file in cached.gaps().filter(|file| counts(*file)) {
        let gap = match cached.known(file) {
            Known::Gap(reason) => reason.gap(),
            Known::Code(..) => cached.missed(file).and_then(|regions| gap_note(&regions, |_| true)),
            Known::Indifferent | Known::NoCode => None,
        };
        gap.into_iter().for_each(|gap| evidence.skip(cached.files().path(file), gap));
    }
}

/// Adds a gap to the evidence for each file that may depend on `to` although no known import does.
pub(super) fn note_users(cached: &CachedGraph, semantics: &'static dyn Semantics, to: FileId, evidence: &mut Evidence) {
    let mut gaps =
        cached.gaps().filter(|file| *file != to && can_depend_on(cached.files(), semantics, *file)).peekable();
    if gaps.peek().is_none() {
        return;
    }
    let needles = Needles::new(&cached.needles(semantics, to));
    for file in gaps {
        let entry = cached.files().entry(file);
        let gap = match cached.known(file) {
            Known::Gap(reason @ NoNames::Unread(_)) => {
                reason.gap().filter(|_| language::of_name(entry.name()).is_some())
            }
            Known::Gap(reason) => {
                let may_use = SourceFile::read(entry).is_ok_and(|file| needles.are_in(&file.text));
                reason.gap().filter(|_| may_use || *reason == NoNames::Changed)
            }
            Known::Code(code, _) if languages::semantics(code.language.name) == Some(semantics) => {
                cached.missed(file).and_then(|regions| gap_note(&regions, |text| needles.are_in(text)))
            }
            Known::Code(..) | Known::Indifferent | Known::NoCode => None,
        };
        gap.into_iter().for_each(|gap| evidence.skip(&entry.path, gap));
    }
}
