//! The kinds of a folder's files: source comes first in its outline, and pages, tests and generated files are folded.

use std::collections::BTreeMap;

use peelback_code::FileKind;
use serde::Serialize;

use super::folder::FileOutlineRow;
use crate::file_place::place_in_listing;

/// The place in a listing (see [`place_in_listing`]) of the first kind that is folded.
const FOLDED: usize = 5;

/// Whether a file is a page or a stylesheet, and not one of the tests or the generated files.
fn is_folded_page(file: &FileOutlineRow) -> bool {
    file.is_presentation && place_in_listing(file.kind) < FOLDED
}

/// The place of a file in an outline: first what is listed by kind, then pages and stylesheets, then tests and others.
pub(super) fn place_in_outline(file: &FileOutlineRow) -> usize {
    if is_folded_page(file) { 2 * FOLDED - 1 } else { 2 * place_in_listing(file.kind) }
}

fn plural_name(file: &FileOutlineRow) -> &'static str {
    match file.kind {
        _ if is_folded_page(file) => "pages and stylesheets",
        FileKind::Source => "source",
        FileKind::Auxiliary => "auxiliary",
        FileKind::Example => "examples",
        FileKind::Document => "documents",
        FileKind::Data => "data",
        FileKind::Test => "tests",
        FileKind::Foreign => "third-party and generated",
    }
}

/// Files of one kind that an outline only counts.
#[derive(Debug, Serialize)]
pub(super) struct FoldedFiles {
    pub role: &'static str,
    pub files: usize,
    pub line_count: u64,
    pub symbol_count: usize,
}

/// The files that an outline lists, and counts of those that it folds: pages, tests and generated files, where there are others.
/// `files` are in the order of the listing.
pub(super) fn fold_pages_tests_and_generated_files(
    files: Vec<FileOutlineRow>,
) -> (Vec<FileOutlineRow>, Vec<FoldedFiles>) {
    // Without source, the pages are what the folder is about.
    let has_source = files.iter().any(|file| file.kind == FileKind::Source);
    let is_folded = |file: &FileOutlineRow| {
        if is_folded_page(file) { has_source } else { place_in_listing(file.kind) >= FOLDED }
    };
    if files.iter().all(is_folded) {
        return (files, Vec::new());
    }
    let (folded, listed): (Vec<FileOutlineRow>, Vec<FileOutlineRow>) = files.into_iter().partition(is_folded);
    let counts = folded.chunk_by(|one, next| plural_name(one) == plural_name(next)).filter_map(|files| {
        Some(FoldedFiles {
            role: plural_name(files.first()?),
            files: files.len(),
            line_count: files.iter().map(|file| u64::from(file.line_count)).sum(),
            symbol_count: files.iter().map(|file| file.symbol_count).sum(),
        })
    });
    (listed, counts.collect())
}

/// A folder narrows an outline where it has this many of its files, and the reciprocal of this share of them.
const LEAST_FILES: usize = 3;
const LEAST_SHARE_OF_FILES: usize = 10;

/// The folder that narrows an outline: of those with at most `cap` files, or at most half of all, the one with the most
/// source, with the number of all its files. Folders without source are passed over, unless no folder has any, and those
/// that hold next to nothing of the whole. `None` where no folder has fewer files.
pub(super) fn narrowing_folder_and_file_count(files: &[FileOutlineRow], cap: usize) -> Option<(String, usize)> {
    let mut counts: BTreeMap<&str, FolderCounts> = BTreeMap::new();
    for file in files {
        for (end, _) in file.path.match_indices('/') {
            let counts = counts.entry(file.path.get(..end).unwrap_or("")).or_default();
            counts.files += 1;
            counts.source_files += usize::from(file.kind == FileKind::Source);
        }
    }
    let most = cap.max(files.len() / 2);
    counts.retain(|_, counts| counts.files < files.len());
    if counts.values().any(|counts| counts.source_files > 0) {
        counts.retain(|_, counts| counts.source_files > 0);
    }
    let least = (files.len() / LEAST_SHARE_OF_FILES).max(LEAST_FILES);
    counts.retain(|_, counts| counts.files >= least);
    let (small, large): (Vec<_>, Vec<_>) = counts.into_iter().partition(|(_, counts)| counts.files <= most);
    // The first of equals: the folder and not one below it.
    let best = small.into_iter().rev().max_by_key(|(_, counts)| (counts.source_files, counts.files));
    let best = best.or_else(|| large.into_iter().min_by_key(|(_, counts)| counts.files));
    best.map(|(folder, counts)| (folder.to_owned(), counts.files))
}

/// The files of a folder and of all below it.
#[derive(Default)]
struct FolderCounts {
    files: usize,
    source_files: usize,
}
