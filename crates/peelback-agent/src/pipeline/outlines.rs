//! The outlines of the first exploration request, and how much of each the request shows.

use peelback_code::{CodeAccess, FileKind};

use crate::excerpt::{
    Excerpt, OutlineChoices, file_outline_choices, file_outline_excerpt_with_focus, whole_file_excerpt,
};
use crate::fair_shares::fair_shares;
use crate::limits;
use crate::retrieval::{Candidate, Retrieved};

/// Details of outlines are given in rounds: in each round, so many of the files that rank highest may get the next level
/// of detail.
const FILES_WITH_DETAIL: [usize; 5] = [12, 8, 6, 4, 3];

/// The number of files that are outlined whatever the length of their outlines. Files after them are outlined as long as
/// all outlines together stay within the aim; otherwise they have a row in the list of candidates.
const FILES_WITH_OUTLINE: usize = 8;

/// The reciprocal of the share of the aim that goes to details in any case.
const LEAST_DETAIL_SHARE: usize = 6;

/// The outlines of the best candidate files, from which a request of any length chooses.
pub(super) struct CandidateOutlines<'a> {
    access: &'a CodeAccess,
    retrieved: &'a Retrieved,
    best: Vec<(&'a Candidate, OutlineChoices)>,
}

impl<'a> CandidateOutlines<'a> {
    /// The outlines for requests of at most `limit` characters.
    pub fn new(access: &'a CodeAccess, retrieved: &'a Retrieved, limit: usize) -> Self {
        let most_of_file = limits::EXPLORATION_FILE_CHARS.min(limit);
        let best = retrieved
            .candidates
            .iter()
            .take(limits::OUTLINED_FILES)
            .filter_map(|candidate| {
                Some((candidate, choices_for_candidate(access, retrieved, candidate, most_of_file)?))
            })
            .collect();
        Self { access, retrieved, best }
    }

    /// The outlines of the best candidate files, in their order: together at most `limit` characters, and about `aim`
    /// characters where the names of all functions and methods take no more than that.
    ///
    /// Each outline names the functions and methods of its file with their parameters, whatever the aim is. What the
    /// names leave of the aim goes to details, of the files that rank highest first.
    pub fn best(&self, aim: usize, limit: usize) -> Vec<Excerpt> {
        let best = without_fillers(&self.best, aim);
        let wanted: Vec<usize> = best.iter().map(|(_, choices)| choices.names.text.chars().count()).collect();
        let total: usize = wanted.iter().sum();
        if total > limit {
            let shares = fair_shares(&wanted, limit);
            return best
                .into_iter()
                .zip(wanted.iter().zip(shares))
                .filter_map(|((candidate, choices), (wanted, share))| match share < *wanted {
                    true => outline_with_focus(self.access, self.retrieved, &candidate.path, share),
                    false => Some(choices.names.clone()),
                })
                .collect();
        }
        let room = aim.saturating_sub(total).max(aim / LEAST_DETAIL_SHARE).min(limit.saturating_sub(total));
        with_details_within_room(best.into_iter().map(|(_, choices)| choices), room)
    }
}

/// The candidate files without those that only fill the list: after the first [`FILES_WITH_OUTLINE`], the files whose
/// names do not fit `aim` characters.
fn without_fillers<'a, 'b>(
    best: &'b [(&'a Candidate, OutlineChoices)],
    aim: usize,
) -> Vec<&'b (&'a Candidate, OutlineChoices)> {
    let mut total = 0;
    let is_kept = |(place, (_, choices)): &(usize, &'b (&'a Candidate, OutlineChoices))| {
        let chars = choices.names.text.chars().count();
        let fits = *place < FILES_WITH_OUTLINE || total + chars <= aim;
        total += if fits { chars } else { 0 };
        fits
    };
    best.iter().enumerate().filter(is_kept).map(|(_, kept)| kept).collect()
}

/// The outlines with as many details as `room` characters beside the names allow.
fn with_details_within_room<'b>(choices: impl Iterator<Item = &'b OutlineChoices>, room: usize) -> Vec<Excerpt> {
    let mut room = room;
    let mut shown: Vec<(&Excerpt, std::slice::Iter<'_, Excerpt>)> =
        choices.map(|choices| (&choices.names, choices.detailed.iter())).collect();
    for files in FILES_WITH_DETAIL {
        for (excerpt, more) in shown.iter_mut().take(files) {
            let now = excerpt.text.chars().count();
            let Some(next) = more.as_slice().first() else { continue };
            let further = next.text.chars().count().saturating_sub(now);
            if further <= room
                && let Some(next) = more.next()
            {
                room -= further;
                *excerpt = next;
            }
        }
    }
    shown.into_iter().map(|(excerpt, _)| excerpt.clone()).collect()
}

/// The outline of the file at `path` in at most `max_chars` characters, in which the passages that the question ranks
/// highest keep their details longest.
pub(super) fn outline_with_focus(
    access: &CodeAccess,
    retrieved: &Retrieved,
    path: &str,
    max_chars: usize,
) -> Option<Excerpt> {
    let about: Vec<_> = retrieved.passages_of_file(path).map(|passage| passage.lines).collect();
    let excerpt = file_outline_excerpt_with_focus(access, path, max_chars, &about);
    excerpt.or_else(|_| whole_file_excerpt(access, path, max_chars)).ok()
}

/// The outlines of one candidate file from which the request chooses. Of a test file, which only shows how others are
/// used, the shortest one names no methods.
fn choices_for_candidate(
    access: &CodeAccess,
    retrieved: &Retrieved,
    candidate: &Candidate,
    max_chars: usize,
) -> Option<OutlineChoices> {
    let path = candidate.path.as_str();
    if candidate.kind == FileKind::Test {
        let names = outline_with_focus(access, retrieved, path, max_chars.min(TEST_FILE_CHARS))?;
        return Some(OutlineChoices { names, detailed: Vec::new() });
    }
    let about: Vec<_> = retrieved.passages_of_file(path).map(|passage| passage.lines).collect();
    let choices = file_outline_choices(access, path, max_chars, &about);
    choices.ok().or_else(|| {
        let names = whole_file_excerpt(access, path, max_chars).ok()?;
        Some(OutlineChoices { names, detailed: Vec::new() })
    })
}

/// The maximum number of characters of the outline of a test file.
const TEST_FILE_CHARS: usize = 600;
