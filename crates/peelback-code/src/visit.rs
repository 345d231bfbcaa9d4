//! Many files read and analysed on all cores.

use peelback_project::{Analysed, CodeError, Evidence, ProjectEntry, SYNTAX, Skipped, SourceFile, largest_first};
use peelback_syntax::{Tier, language};

use crate::access::CodeAccess;
use crate::finder::Finder;
use crate::lookup::Needle;

/// What one file of many gave.
struct FileResult<T> {
    /// What the file's visitor made of it.
    value: T,
    /// The gap in the file's evidence, if it has one.
    gap: Option<Skipped>,
    /// Whether a language's generic tier read it.
    basic: bool,
}

impl CodeAccess {
    /// Reads and analyses many files on all cores and gives each to `visit`; the results come in the order of
    /// `entries`. A file whose text lacks `needle` is not parsed and not visited.
    /// What cannot be read goes to the evidence; binary files are no part of a project's code and are passed over.
    pub fn visit<T: Send>(
        &self,
        entries: &[ProjectEntry],
        needle: Option<Needle<'_>>,
        visit: impl Fn(Analysed) -> Option<T> + Sync,
    ) -> (Vec<T>, Evidence) {
        let finder = needle.map(Finder::new);
        let cancellation = self.project().cancellation();
        let (results, left) = largest_first(entries, cancellation, |entry| {
            let named = language::of_name(entry.name());
            if needle.is_some() && named.is_none() && !entry.may_be_script() {
                return None;
            }
            let file = match SourceFile::read(entry) {
                Ok(file) => file,
                Err(CodeError::Binary { .. }) => return None,
                Err(error) => return Some(Err(Skipped { path: entry.path.clone(), reason: error.to_string() })),
            };
            // A document writes its names with marks and escapes: its text need not hold them as they are.
            let is_document = named.is_some_and(|language| language.tier == Tier::Document);
            if !is_document && finder.as_ref().is_some_and(|finder| !finder.is_in(&file.text)) {
                return None;
            }
            let analysed = self.analyse(file);
            let gap = analysed.evidence.skipped.first().filter(|_| !analysed.is_in_unknown_language()).cloned();
            let basic = analysed.language.is_some_and(|language| language.tier == Tier::Basic);
            Some(Ok(FileResult { value: visit(analysed), gap, basic }))
        });
        let mut evidence = Evidence::complete(SYNTAX);
        cancellation.cut_short(left, entries.len(), &mut evidence);
        let mut values = Vec::with_capacity(results.len());
        let mut basic = false;
        for result in results {
            match result {
                Ok(FileResult { value, gap, basic: is_basic }) => {
                    if let Some(gap) = gap {
                        evidence.skip(&gap.path, gap.reason);
                    }
                    basic |= is_basic && value.is_some();
                    values.extend(value);
                }
                Err(skipped) => evidence.skip(&skipped.path, skipped.reason),
            }
        }
        if basic {
            evidence.mark_basic();
        }
        (values, evidence)
    }
}
