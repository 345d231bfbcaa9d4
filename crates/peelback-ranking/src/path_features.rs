//! Ranking features of a file that follow from its path alone, independent of any question.

use std::sync::OnceLock;

use peelback_project::{AttachedValue, Snapshot};
use rayon::prelude::*;

use crate::kind::FileKind;
use crate::vector::with_thread_identifier_splitter;
use crate::words::count_as_f32;
use crate::words::{Term, identifier_parts, identifiers_in_text};

/// The weight of a word in a folder name, relative to a word that is the whole file name.
const FOLDER_WORD_WEIGHT: f32 = 0.25;

/// The minimum number of letters of an abbreviation in a path; a shorter one may match by coincidence.
const MIN_ABBREVIATION_LETTERS: usize = 4;

/// The weight of an abbreviation (`auth` for `authentication`), relative to the whole word.
const ABBREVIATION_WEIGHT: f32 = 0.8;

/// The ranking features of a file's path.
#[derive(Debug)]
pub(crate) struct PathFeatures {
    /// The purpose of the file, judged by its path.
    pub kind: FileKind,
    /// The words of the path, each with its weight: 1 for a word that is the whole file name, less for a word among
    /// several in the file name, and a quarter for a word of a folder name.
    pub words: Box<[(Term, f32)]>,
    /// Words of the path that may abbreviate a longer word, in lower case, with their weights.
    pub abbreviations: Box<[(Box<str>, f32)]>,
}

/// The cached path features of a snapshot's files, indexed by file id.
#[derive(Default)]
struct SnapshotFeatures(OnceLock<Vec<PathFeatures>>);

impl AttachedValue for SnapshotFeatures {}

impl PathFeatures {
    /// The path features of a snapshot's files, indexed by file id; computed once for each snapshot.
    pub fn for_snapshot_files(snapshot: &Snapshot) -> &[Self] {
        let features =
            || snapshot.file_table().entries().par_iter().map(|entry| Self::from_path(&entry.path)).collect();
        snapshot.attached_values().get_or_init(SnapshotFeatures::default).0.get_or_init(features)
    }

    /// Computes the features of a file's path, given from the project's root.
    pub fn from_path(path: &str) -> Self {
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
        let stem = if stem.is_empty() { name } else { stem };
        let own =
            with_thread_identifier_splitter(|splitter| splitter.terms_of_identifier(stem).as_slice().len()).max(1);
        let mut words: Vec<(Term, f32)> = Vec::new();
        let mut short: Vec<(Box<str>, f32)> = Vec::new();
        // A word counts less in a file name that has many words.
        for (text, share) in [(stem, 1.0 / count_as_f32(own).sqrt()), (folders, FOLDER_WORD_WEIGHT)] {
            for (_, identifier) in identifiers_in_text(text) {
                for term in
                    with_thread_identifier_splitter(|splitter| splitter.terms_of_identifier(identifier)).as_slice()
                {
                    match words.iter_mut().find(|(known, _)| known == term) {
                        Some((_, known)) => *known = known.max(share),
                        None => words.push((*term, share)),
                    }
                }
                let long =
                    identifier_parts(identifier).into_iter().filter(|part| part.len() >= MIN_ABBREVIATION_LETTERS);
                short.extend(long.map(|part| (part.to_lowercase().into(), share * ABBREVIATION_WEIGHT)));
            }
        }
        Self { kind: FileKind::from_path(path), words: words.into(), abbreviations: short.into() }
    }
}
