//! What a path tells of its file, whatever the question.

use std::sync::OnceLock;

use peelback_project::{Extension, Snapshot};
use rayon::prelude::*;

use crate::kind::FileKind;
use crate::score::precise;
use crate::vector::with_splitter;
use crate::words::{Term, identifiers, parts};

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

/// The features of the paths of a snapshot's files, in their order.
#[derive(Default)]
struct SnapshotFeatures(OnceLock<Vec<About>>);

impl Extension for SnapshotFeatures {}

impl About {
    /// The features of each file of a snapshot, by the file's id; computed once for the snapshot.
    pub fn of_files(snapshot: &Snapshot) -> &[Self] {
        let features = || snapshot.files().entries().par_iter().map(|entry| Self::of(&entry.path)).collect();
        snapshot.extensions().get_or_init(SnapshotFeatures::default).0.get_or_init(features)
    }

    /// The features of a path from the root.
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
