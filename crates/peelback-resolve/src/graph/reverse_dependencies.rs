//! Who depends on one file, without the graph of all.
//!
//! Files whose imports are known from before are asked at once. Of the others only those are parsed whose text holds a name
//! under which the file can be meant, those next to it first: what time allows is then what matters most.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use peelback_syntax::{Language, Names, language};
use rayon::prelude::*;

use super::edges::FileEdges;
use super::gaps::{Needles, gap_of, is_concerned, needles_of, regions};
use crate::languages;
use crate::modules::{FileId, Files, ProjectIndex};
use crate::semantics::{ModuleResolvers, Semantics};
use peelback_project::CancellationToken;
use peelback_project::Snapshot;
use peelback_project::{Evidence, Skipped};
use peelback_project::{FileNames, NoNames};

/// A snapshot in which files have surfaces only.
pub(super) struct Surfaces<'a>(pub &'a Snapshot);

impl ProjectIndex for Surfaces<'_> {
    fn files(&self) -> &Files {
        self.0.files()
    }

    fn names(&self, file: FileId) -> Option<Arc<Names>> {
        self.0.surface(file).ok().map(|surface| surface.names.clone())
    }

    fn language(&self, file: FileId) -> Option<&'static Language> {
        self.0.language(file)
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
    module_resolvers: &ModuleResolvers,
    semantics: &'static dyn Semantics,
    to: FileId,
    cancellation: &CancellationToken,
    evidence: &mut Evidence,
) -> Vec<User> {
    let project_index = Surfaces(snapshot);
    let files = snapshot.files();
    let target = files.path(to);
    let needles = Needles::new(&needles_of(module_resolvers, semantics, &project_index, to));
    let concerned = |file: &FileId| *file != to && is_concerned(files, semantics, *file);
    let candidates: Vec<FileId> = (0..).take(files.len()).filter(concerned).collect();
    let uses = |file: FileId, surface: &FileNames| {
        if languages::semantics(surface.language.name) != Some(semantics) {
            return None;
        }
        let edges = FileEdges::of(module_resolvers, &project_index, file, surface.language, &surface.names);
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
    let missed = |file: FileId, surface: &FileNames| {
        if surface.names.missed.is_empty() || languages::semantics(surface.language.name) != Some(semantics) {
            return;
        }
        let Ok(text) = snapshot.read(file) else { return };
        if let Some(reason) = gap_of(&regions(&surface.names, &text), |text| needles.are_in(text)) {
            gap(file, reason);
        }
    };
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    let asked: Vec<Option<Option<User>>> = candidates
        .par_iter()
        .map(|file| {
            if cancellation.stopped().is_some() {
                return None;
            }
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
    cancellation.expect(unknown.len());
    let look = |file: FileId| {
        if language::of_name(files.entry(file).name()).is_none() && snapshot.code(file).is_err() {
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
    // One after the other in this order, whoever is free: what time allows are the nearest.
    let (next, left) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let found: Mutex<Vec<User>> = Mutex::new(known);
    rayon::broadcast(|_| {
        while let Some(file) = unknown.get(next.fetch_add(1, Ordering::Relaxed)) {
            if !cancellation.step() {
                left.fetch_add(1, Ordering::Relaxed);
            } else if let Some(user) = look(*file) {
                found.lock().unwrap_or_else(PoisonError::into_inner).push(user);
            }
        }
    });
    let (mut known, left) = (found.into_inner().unwrap_or_else(PoisonError::into_inner), left.into_inner());
    known.sort_unstable_by_key(|user| user.file);
    cancellation.cut_short(left, candidates.len(), evidence);
    let mut gaps = gaps.into_inner().unwrap_or_else(PoisonError::into_inner);
    gaps.sort();
    gaps.into_iter().for_each(|gap| evidence.skip(&gap.path, gap.reason));
    known
}

/// How many folders two paths share.
fn shared_folders(a: &str, b: &str) -> usize {
    let folders = |path: &'_ str| path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    let (a, b) = (folders(a), folders(b));
    a.split('/').zip(b.split('/')).take_while(|(a, b)| a == b).count()
}
