//! What a path tells of its file, whatever the question.

use super::kind::FileKind;
use super::score::precise;
use super::vector::with_splitter;
use super::words::{Term, identifiers, parts};

/// What a word in a folder's name counts beside one that is a file's whole name.
const FOLDER_SHARE: f32 = 0.25;

/// Letters of an abbreviation that is no accident.
const LEAST_ABBREVIATION: usize = 4;

/// What an abbreviation counts (`auth` for `authentication`).
const ABBREVIATED: f32 = 0.8;

/// A file by its path.
#[derive(Debug)]
pub(crate) struct About {
    /// What it is for.
    pub kind: FileKind,
    /// The words of the path, each with how much of the path it is: 1 for the whole name of the file, a quarter for a
    /// folder.
    pub words: Box<[(Term, f32)]>,
    /// What may be short for a longer word, in lower case, with how much that counts.
    pub short: Box<[(Box<str>, f32)]>,
}

impl About {
    pub fn of(path: &str) -> Self {
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
        let stem = if stem.is_empty() { name } else { stem };
        let own = with_splitter(|splitter| splitter.terms(stem).as_slice().len()).max(1);
        let mut words: Vec<(Term, f32)> = Vec::new();
        let mut short: Vec<(Box<str>, f32)> = Vec::new();
        // A name that says more than was asked fits less.
        for (text, share) in [(stem, 1.0 / precise(own).sqrt()), (folders, FOLDER_SHARE)] {
            for (_, identifier) in identifiers(text) {
                for term in with_splitter(|splitter| splitter.terms(identifier)).as_slice() {
                    match words.iter_mut().find(|(known, _)| known == term) {
                        Some((_, known)) => *known = known.max(share),
                        None => words.push((*term, share)),
                    }
                }
                let long = parts(identifier).into_iter().filter(|part| part.len() >= LEAST_ABBREVIATION);
                short.extend(long.map(|part| (part.to_lowercase().into(), share * ABBREVIATED)));
            }
        }
        Self { kind: FileKind::of(path), words: words.into(), short: short.into() }
    }
}
