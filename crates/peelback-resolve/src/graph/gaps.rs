//! What is not known of imports, and whose business that is: a file, or lines of it, that were not understood may hold an
//! import as well as anything else.

use memchr::memmem;
use peelback_syntax::{Names, language};

use super::cache::{Known, WarmGraph, is_indifferent};
use crate::languages;
use crate::modules::{FileId, Files, ProjectIndex};
use crate::semantics::{ModuleResolvers, Semantics};
use peelback_project::Evidence;
use peelback_project::NoNames;
use peelback_project::SourceFile;

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

/// Texts of which every file that depends on `file` contains at least one; see [`ModuleResolver::needles`].
///
/// [`ModuleResolver::needles`]: crate::modules::ModuleResolver::needles
pub(super) fn needles_of(
    module_resolvers: &ModuleResolvers,
    semantics: &dyn Semantics,
    project_index: &dyn ProjectIndex,
    file: FileId,
) -> Vec<String> {
    let modules = module_resolvers.get(semantics, project_index);
    modules.map(|modules| modules.needles(project_index, file)).unwrap_or_default()
}

/// Lines that were not understood, and what they hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Region {
    first: u32,
    last: u32,
    text: Box<str>,
}

/// The lines of a file that were not understood.
pub(super) fn regions(names: &Names, file: &SourceFile) -> Vec<Region> {
    let region =
        |(first, last): &(u32, u32)| Region { first: *first, last: *last, text: file.lines(*first, *last).into() };
    names.missed.iter().map(region).collect()
}

/// The gap that those regions leave whose text `counts`, in words.
pub(super) fn gap_of(regions: &[Region], counts: impl Fn(&str) -> bool) -> Option<String> {
    /// Regions that are named.
    const MOST: usize = 5;
    let concerned: Vec<&Region> = regions.iter().filter(|region| counts(&region.text)).collect();
    let lines: Vec<String> =
        concerned.iter().take(MOST).map(|region| format!("{}-{}", region.first, region.last)).collect();
    let more = if concerned.len() > MOST { ", …" } else { "" };
    (!lines.is_empty()).then(|| format!("lines not understood: {}{more}", lines.join(", ")))
}

/// Whether a file can depend on files of a semantics, as far as its name tells.
pub(super) fn is_concerned(files: &Files, semantics: &'static dyn Semantics, file: FileId) -> bool {
    let name = files.entry(file).name();
    match language::of_name(name) {
        Some(_) => semantics.may_serve_file(name),
        None => !is_indifferent(name),
    }
}

/// Says which of some files have imports that are not all known.
pub(super) fn note_all(warm: &WarmGraph, evidence: &mut Evidence, counts: impl Fn(FileId) -> bool) {
    for file in warm.gaps().filter(|file| counts(*file)) {
        let gap = match warm.known(file) {
            Known::Gap(reason) => reason.gap(),
            Known::Code(..) => warm.missed(file).and_then(|regions| gap_of(&regions, |_| true)),
            Known::Indifferent | Known::NoCode => None,
        };
        gap.into_iter().for_each(|gap| evidence.skip(warm.files().path(file), gap));
    }
}

/// Says which files may depend on `to` without that being known.
pub(super) fn note_users(warm: &WarmGraph, semantics: &'static dyn Semantics, to: FileId, evidence: &mut Evidence) {
    let mut gaps = warm.gaps().filter(|file| *file != to && is_concerned(warm.files(), semantics, *file)).peekable();
    if gaps.peek().is_none() {
        return;
    }
    let needles = Needles::new(&warm.needles(semantics, to));
    for file in gaps {
        let entry = warm.files().entry(file);
        let gap = match warm.known(file) {
            Known::Gap(reason @ NoNames::Unread(_)) => {
                reason.gap().filter(|_| language::of_name(entry.name()).is_some())
            }
            Known::Gap(reason) => {
                let may_use = SourceFile::read(entry).is_ok_and(|file| needles.are_in(&file.text));
                reason.gap().filter(|_| may_use || *reason == NoNames::Changed)
            }
            Known::Code(code, _) if languages::semantics(code.language.name) == Some(semantics) => {
                warm.missed(file).and_then(|regions| gap_of(&regions, |text| needles.are_in(text)))
            }
            Known::Code(..) | Known::Indifferent | Known::NoCode => None,
        };
        gap.into_iter().for_each(|gap| evidence.skip(&entry.path, gap));
    }
}

#[cfg(test)]
mod tests {
    use super::{Region, gap_of};

    #[test]
    fn only_the_lines_that_count_are_named() {
        let region = |line: u32, text: &str| Region { first: line, last: line + 1, text: text.into() };
        let regions = [region(1, "import lib"), region(5, "other"), region(9, "lib")];
        assert_eq!(gap_of(&regions, |text| text.contains("lib")).as_deref(), Some("lines not understood: 1-2, 9-10"));
        assert_eq!(gap_of(&regions, |text| text.contains("nothing")), None);
        let many: Vec<Region> = (0..9).map(|line| region(line, "")).collect();
        assert!(gap_of(&many, |_| true).is_some_and(|gap| gap.ends_with("4-5, …")));
    }
}
