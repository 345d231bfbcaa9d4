//! Who depends on one file, without the graph of all.
//!
//! Files whose links are known from before are asked at once. Of the others only those are parsed whose text holds a name
//! under which the file can be meant, those next to it first: what time allows is then what matters most.

use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;

use memchr::memmem;
use peelback_syntax::{Names, language};
use rayon::prelude::*;

use super::edges::FileEdges;
use super::warm::is_indifferent;
use crate::evidence::{Evidence, Skipped};
use crate::modules::{Families, Family, FileId, Files, World};
use crate::snapshot::Snapshot;
use crate::store::{FileNames, NoNames};
use crate::work::Work;

/// A snapshot in which files have surfaces only.
pub(super) struct Surfaces<'a>(pub &'a Snapshot);

impl World for Surfaces<'_> {
    fn files(&self) -> &Files {
        self.0.files()
    }

    fn names(&self, file: FileId) -> Option<Arc<Names>> {
        self.0.surface(file).ok().map(|surface| surface.names.clone())
    }
}

/// A file that depends on the one that is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct User {
    pub file: FileId,
    /// The first line that takes something from it.
    pub line: u32,
    /// How many names it takes.
    pub names: usize,
}

/// The files that depend on `to`, in the order of their paths.
pub(super) fn users(
    snapshot: &Snapshot,
    families: &Families,
    family: Family,
    to: FileId,
    work: &Work,
    evidence: &mut Evidence,
) -> Vec<User> {
    let world = Surfaces(snapshot);
    let files = snapshot.files();
    let target = files.path(to);
    let needles = Needles::new(&families.of(family, &world).needles(&world, to));
    let concerned = |file: &FileId| {
        let name = files.place(*file).name();
        *file != to && language::of_name(name).map_or(!is_indifferent(name), |named| is_of(family, named.name, name))
    };
    let candidates: Vec<FileId> = (0..).take(files.len()).filter(concerned).collect();
    let uses = |file: FileId, surface: &FileNames| {
        if Family::of(surface.language.name) != Some(family) {
            return None;
        }
        let edges = FileEdges::of(families, &world, file, surface.language, &surface.names);
        edges.files().contains(&to).then(|| {
            let (line, names) = edges.use_of(&surface.names, to);
            User { file, line, names }
        })
    };
    let gaps: Mutex<Vec<Skipped>> = Mutex::default();
    let gap = |file: FileId, reason: String| {
        let skipped = Skipped { path: files.path(file).to_owned(), reason };
        gaps.lock().unwrap_or_else(PoisonError::into_inner).push(skipped);
    };
    // Lines that were not understood may hold an import as well as anything else.
    let missed = |file: FileId, surface: &FileNames| {
        if surface.names.missed.is_empty() || Family::of(surface.language.name) != Some(family) {
            return;
        }
        let Ok(text) = snapshot.read(file) else { return };
        let regions = surface.names.missed.iter().filter(|(first, last)| needles.are_in(text.lines(*first, *last)));
        let lines: Vec<String> = regions.map(|(first, last)| format!("{first}-{last}")).collect();
        if !lines.is_empty() {
            gap(file, format!("lines not understood: {}", lines.join(", ")));
        }
    };
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    let asked: Vec<Option<Option<User>>> = candidates
        .par_iter()
        .map(|file| {
            let surface = snapshot.known_surface(*file)?.ok()?;
            missed(*file, surface);
            Some(uses(*file, surface))
        })
        .collect();
    for (file, asked) in candidates.iter().zip(asked) {
        match asked {
            Some(user) => known.extend(user),
            None => unknown.push(*file),
        }
    }
    unknown.sort_by_key(|file| Reverse(shared_folders(files.path(*file), target)));
    work.expect(unknown.len());
    let look = |file: FileId| {
        if language::of_name(files.place(file).name()).is_none() && snapshot.code(file).is_err() {
            return None;
        }
        let text = match snapshot.read(file) {
            Ok(text) => text,
            Err(error) => {
                NoNames::Unread(error).gap().into_iter().for_each(|reason| gap(file, reason));
                return None;
            }
        };
        if !needles.are_in(&text.text) {
            return None;
        }
        match snapshot.surface_of(file, &text) {
            Ok(surface) => {
                missed(file, surface);
                uses(file, surface)
            }
            Err(reason) => {
                reason.gap().into_iter().for_each(|reason| gap(file, reason));
                None
            }
        }
    };
    let found: Vec<Option<Option<User>>> =
        unknown.par_iter().with_max_len(1).map(|file| work.step().then(|| look(*file))).collect();
    let left = found.iter().filter(|found| found.is_none()).count();
    known.extend(found.into_iter().flatten().flatten());
    known.sort_unstable_by_key(|user| user.file);
    work.cut_short(left, candidates.len(), evidence);
    let mut gaps = gaps.into_inner().unwrap_or_else(PoisonError::into_inner);
    gaps.sort();
    gaps.into_iter().for_each(|gap| evidence.skip(&gap.path, gap.reason));
    known
}

/// Whether a language, or a header that may be in it, belongs to a family.
fn is_of(family: Family, language: &str, name: &str) -> bool {
    Family::of(language) == Some(family) || (family == Family::C && name.ends_with(".h"))
}

/// How many folders two paths share.
fn shared_folders(a: &str, b: &str) -> usize {
    let folders = |path: &'_ str| path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    let (a, b) = (folders(a), folders(b));
    a.split('/').zip(b.split('/')).take_while(|(a, b)| a == b).count()
}

/// Texts of which a file that depends on another holds at least one.
pub(super) struct Needles(Vec<memmem::Finder<'static>>);

impl Needles {
    pub fn new(texts: &[String]) -> Self {
        Self(texts.iter().map(|text| memmem::Finder::new(text.as_bytes()).into_owned()).collect())
    }

    /// Whether a text holds one of them, or anything may depend on the file.
    pub fn are_in(&self, text: &str) -> bool {
        self.0.is_empty() || self.0.iter().any(|finder| finder.find(text.as_bytes()).is_some())
    }
}
