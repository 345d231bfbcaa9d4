//! Gaps in what is known of imports: a file or lines that were not understood may contain any import, and matter only
//! to questions about files that such an import could name.

use memchr::memmem;
use peelback_syntax::{Names, language};

use crate::languages;
use crate::modules::{FileId, FileTable, ProjectIndex};
use crate::semantics::{LanguageSemantics, ModuleResolvers};
use peelback_project::{ProjectEntry, SourceFile};

/// Finders for texts that show which files may depend on a file: each dependent contains at least one of the texts.
/// Without any text, every file may be a dependent.
pub(super) struct ImportTextFinder(Vec<memmem::Finder<'static>>);

impl ImportTextFinder {
    pub fn new(texts: &[String]) -> Self {
        Self(texts.iter().map(|text| memmem::Finder::new(text.as_bytes()).into_owned()).collect())
    }

    /// Whether a text contains one of the texts sought, or no text is sought.
    pub fn has_match_or_seeks_nothing(&self, text: &str) -> bool {
        self.0.is_empty() || self.0.iter().any(|finder| finder.find(text.as_bytes()).is_some())
    }
}

/// What the evidence says of a file of no known language that seems to import the file in question.
pub(super) const IMPORT_IN_UNKNOWN_LANGUAGE: &str = "names it in an import, but its language is not known";

/// Whether a file of no known language seems to import a file whose dependents `needles` find.
pub(super) fn has_import_in_unknown_language(
    semantics: &dyn LanguageSemantics,
    entry: &ProjectEntry,
    needles: &ImportTextFinder,
) -> bool {
    let extension = entry.name().rsplit_once('.').map_or("", |(_, extension)| extension);
    let can_import = semantics.extensions_of_unknown_files_with_imports().contains(&extension);
    let is_import = |line: &str| semantics.may_text_hold_import(line) && needles.has_match_or_seeks_nothing(line);
    can_import && SourceFile::read(entry).is_ok_and(|file| file.text.lines().any(is_import))
}

/// Texts of which every file that depends on `file` contains at least one; see
/// [`crate::modules::ModuleResolver::texts_every_dependent_contains_one_of`].
pub(super) fn texts_every_dependent_contains_one_of(
    module_resolvers: &ModuleResolvers,
    semantics: &dyn LanguageSemantics,
    project_index: &dyn ProjectIndex,
    file: FileId,
) -> Vec<String> {
    let modules = module_resolvers.resolver_for_semantics(semantics, project_index);
    modules.map(|modules| modules.texts_every_dependent_contains_one_of(project_index, file)).unwrap_or_default()
}

/// A range of lines that the parser did not understand, with their text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MissedRegion {
    first: u32,
    last: u32,
    text: Box<str>,
}

/// The line ranges of a file that the parser did not understand. Ranges that share a line are one: of a file of one long
/// line there may be as many as the line has tokens, and each would hold a copy of the line.
pub(super) fn regions_missed_by_parser(names: &Names, file: &SourceFile) -> Vec<MissedRegion> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &(first, last) in &names.missed {
        match ranges.last_mut() {
            Some(before) if first <= before.1 && last >= before.0 => {
                *before = (before.0.min(first), before.1.max(last))
            }
            _ => ranges.push((first, last)),
        }
    }
    let region = |(first, last)| MissedRegion { first, last, text: file.text_of_lines(first, last).into() };
    ranges.into_iter().map(region).collect()
}

/// A note that lists the line ranges, among those that the parser did not understand, whose text `counts` accepts;
/// `None` if it accepts none.
pub(super) fn missed_regions_note(regions: &[MissedRegion], counts: impl Fn(&str) -> bool) -> Option<String> {
    /// The limit on the number of line ranges that one note lists.
    const MOST: usize = 5;
    let concerned: Vec<&MissedRegion> = regions.iter().filter(|region| counts(&region.text)).collect();
    let lines: Vec<String> =
        concerned.iter().take(MOST).map(|region| format!("{}-{}", region.first, region.last)).collect();
    let more = if concerned.len() > MOST { ", …" } else { "" };
    (!lines.is_empty()).then(|| format!("lines not understood: {}{more}", lines.join(", ")))
}

/// Whether the content of a file cannot matter to the dependency graph, judged by the file's name.
pub(super) fn is_file_name_irrelevant_to_graph(name: &str) -> bool {
    // The content matters for headers and for files without an extension, whose language depends on their text.
    language::language_of_file_name(name)
        .is_some_and(|named| languages::semantics_of_imports_in_language(named.name).is_none())
}

/// Whether a file can depend on files whose imports `semantics` resolves, judged by its name.
pub(super) fn can_depend_on_served_languages(
    files: &FileTable,
    semantics: &'static dyn LanguageSemantics,
    file: FileId,
) -> bool {
    let name = files.entry(file).name();
    match language::language_of_file_name(name) {
        Some(_) => semantics.can_files_be_imported_from_file_named(name),
        None => !is_file_name_irrelevant_to_graph(name),
    }
}

#[cfg(test)]
mod tests {
    use super::{MissedRegion, missed_regions_note};

    #[test]
    fn only_the_lines_that_count_are_named() {
        let region = |line: u32, text: &str| MissedRegion { first: line, last: line + 1, text: text.into() };
        let regions = [region(1, "import lib"), region(5, "other"), region(9, "lib")];
        assert_eq!(
            missed_regions_note(&regions, |text| text.contains("lib")).as_deref(),
            Some("lines not understood: 1-2, 9-10")
        );
        assert_eq!(missed_regions_note(&regions, |text| text.contains("nothing")), None);
        let many: Vec<MissedRegion> = (0..9).map(|line| region(line, "")).collect();
        assert!(missed_regions_note(&many, |_| true).is_some_and(|gap| gap.ends_with("4-5, …")));
    }
}
