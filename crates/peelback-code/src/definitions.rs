//! Finds the files that define a name. A text search selects the files before any of them is parsed.

use std::collections::BTreeSet;

use peelback_project::{
    AnalysedFile, CodeError, Evidence, FileId, Skipped, WalkOptions, process_items_in_parallel_largest_first,
};
use peelback_resolve::may_file_define_symbol;
use peelback_syntax::{Tier, component_name_of_file};

use crate::access::CodeAccess;
use crate::finder::Finder;
use crate::lookup::{NameMatch, Needle, SymbolNameQuery};

impl CodeAccess {
    /// Calls `visit` for each code file that defines `name`, with the matching symbols. The files are those of `scope`
    /// (such as one file or folder), or of the whole project without a scope; the results are in path order. The
    /// evidence names the files that contain the name but could not be parsed at all.
    ///
    /// # Errors
    /// The errors of [`crate::Project::files_in_scope`].
    pub fn visit_files_defining_name<T: Send>(
        &self,
        scope: Option<&str>,
        name: &SymbolNameQuery,
        visit: impl Fn(&AnalysedFile, &[NameMatch]) -> T + Sync,
    ) -> Result<(Vec<T>, Evidence), CodeError> {
        let snapshot = self.reader().shared_or_new_snapshot()?;
        let scope: Option<BTreeSet<String>> = match scope {
            Some(scope) => {
                let set = self.project().files_in_scope(Some(scope), &WalkOptions::default())?;
                Some(set.entries.into_iter().map(|entry| entry.path).collect())
            }
            None => None,
        };
        let files = snapshot.file_table();
        let needle = name.file_search_needle();
        let is_plain = matches!(needle, Needle::Word(_));
        let finder = Finder::new(needle);
        let needle = needle.text();
        let is_candidate = |file: &FileId| {
            let entry = files.entry(*file);
            let known = snapshot.language_by_file_name(*file);
            scope.as_ref().is_none_or(|scope| scope.contains(&entry.path))
                && known.map_or_else(
                    || snapshot.code_file_identity(*file).is_ok(),
                    |language| language.tier != Tier::Document,
                )
        };
        let candidates: Vec<FileId> = (0..).take(files.len()).filter(is_candidate).collect();
        let size = |file: &FileId| snapshot.file_signature(*file).map_or(0, |signature| signature.size);
        let sizes: Vec<u64> = candidates.iter().map(size).collect();
        let cancellation = self.project().cancellation();
        let (found, left) = process_items_in_parallel_largest_first(&sizes, cancellation, |index| {
            let file = *candidates.get(index)?;
            let is_component = snapshot
                .language_by_file_name(file)
                .is_some_and(|language| component_name_of_file(language, files.path_of_file(file)) == Some(needle));
            let is_plain = is_plain && !is_component;
            if is_plain
                && let Some(Ok(made)) = snapshot.names_in_memory(file)
                && !may_file_define_symbol(made, needle)
            {
                return None;
            }
            if is_plain && snapshot.surely_contains_none_of_words(file, std::iter::once(needle)) {
                return None;
            }
            let skip = |reason: String| Some(Err(Skipped { path: files.path_of_file(file).to_owned(), reason }));
            let text = match snapshot.read_current_file(file) {
                Ok(text) => text,
                Err(error) => return skip(error.describe_for_evidence()?),
            };
            snapshot.record_words_in_long_process(&text);
            if !is_component && !finder.is_needle_in(&text.text) {
                return None;
            }
            match snapshot.names_in_file_given_text(file, &text) {
                Ok(made) if is_plain && !may_file_define_symbol(made, needle) => return None,
                Ok(_) => {}
                Err(reason) => return skip(reason.describe_for_evidence()?),
            }
            let analysed = self.analyse_source_file(text);
            let hits = self.find_matching_symbols(&analysed, name);
            (!hits.is_empty()).then(|| Ok(visit(&analysed, &hits)))
        });
        let mut evidence = Evidence::new_complete("syntax");
        cancellation.note_unprocessed_files_in_evidence(left, sizes.len(), &mut evidence);
        let mut values = Vec::with_capacity(found.len());
        for result in found {
            match result {
                Ok(value) => values.push(value),
                Err(Skipped { path, reason }) => evidence.add_skipped_and_lower_completeness(&path, reason),
            }
        }
        Ok((values, evidence))
    }
}
