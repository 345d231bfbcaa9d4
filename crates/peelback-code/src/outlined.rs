//! Searches the outlines of many files, and reads only the files that a search needs the text of.

use std::cell::OnceCell;
use std::sync::Arc;

use peelback_project::{
    AnalysedFile, CodeError, Evidence, FileSignature, ProjectEntry, ProjectFactsStore, SYNTAX_ANALYSIS, Skipped,
    SourceFile, TextIdentity, Vocabulary, WalkedFiles, process_items_in_parallel_largest_first,
};
use peelback_syntax::{Facts, Language, ParseCoverage, Tier, language};

use crate::access::CodeAccess;
use crate::finder::Finder;
use crate::lookup::Needle;
use crate::visit::what_gaps_may_hide;

/// A file with its symbols, whose text is read only where a caller asks for it.
pub struct OutlinedFile<'a> {
    access: &'a CodeAccess,
    entry: &'a ProjectEntry,
    /// The file's language, where one is known.
    pub language: Option<&'static Language>,
    /// The symbols, imports and exports.
    pub facts: Arc<Facts>,
    /// What the text is known by that the facts were made from.
    text: TextIdentity,
    source: OnceCell<Option<SourceFile>>,
}

impl OutlinedFile<'_> {
    /// The path from the project's root.
    pub fn path(&self) -> &str {
        &self.entry.path
    }

    /// Whether the file is code, and no document.
    pub fn is_code(&self) -> bool {
        self.language.is_some_and(|language| language.tier != Tier::Document)
    }

    /// The text; `None` where the file holds another one by now.
    pub fn source(&self) -> Option<&SourceFile> {
        let read = || SourceFile::read(self.entry).ok().filter(|file| file.content_hash() == self.text.hash);
        self.source.get_or_init(read).as_ref()
    }

    /// The text, if it was read.
    pub fn source_if_read(&self) -> Option<&SourceFile> {
        self.source.get()?.as_ref()
    }

    /// The file with its text. Where it holds another text by now, the facts are those of this one.
    ///
    /// # Errors
    /// The errors of [`SourceFile::read`].
    pub fn into_analysed_file(self) -> Result<AnalysedFile, CodeError> {
        let file = match self.source.into_inner().flatten() {
            Some(file) => file,
            None => SourceFile::read(self.entry)?,
        };
        Ok(self.access.analyse_source_file(file))
    }
}

/// What a search through the outlines of files found.
pub struct OutlinedFiles<T> {
    /// What the search found, in the order of the files.
    pub values: Vec<T>,
    /// What the search could not read or understand.
    pub evidence: Evidence,
    /// The paths and vocabularies of the files of code that can contain the needle of the search, where they were asked for.
    pub vocabularies: Vec<(String, Arc<Vocabulary>)>,
}

/// The result of one file.
struct FileResult<T> {
    value: Option<T>,
    /// The entry for the file in the evidence, if the file could not be read or understood fully.
    gap: Option<Skipped>,
    /// Whether the file's language has only basic analysis: see [`Tier::Basic`].
    is_basic: bool,
    vocabulary: Option<(String, Arc<Vocabulary>)>,
}

/// A search through the outlines of many files.
struct OutlineSearch<'a, 'n> {
    access: &'a CodeAccess,
    facts: ProjectFactsStore,
    needles: &'n [Needle<'n>],
    finders: Vec<Finder>,
    collects_vocabularies: bool,
}

impl CodeAccess {
    /// Calls `visit` for each of `files` whose facts `has_match` finds something in; the results are in the order of `files`.
    /// A file whose text contains none of `needles`, if there are any, is neither parsed nor visited. A process of many calls
    /// knows the outlines of files that have not changed since an earlier call, and does not read them. With
    /// `collects_vocabularies`, the result has the vocabularies of the files of code that can contain a needle.
    pub fn search_outlines<'a, T: Send>(
        &'a self,
        files: &'a WalkedFiles,
        needles: &[Needle<'_>],
        collects_vocabularies: bool,
        has_match: impl Fn(&Facts) -> bool + Sync,
        visit: impl Fn(OutlinedFile<'a>) -> Option<T> + Sync,
    ) -> OutlinedFiles<T> {
        let cancellation = self.project().cancellation();
        let search = OutlineSearch {
            access: self,
            facts: self.reader().project_facts(),
            needles,
            finders: needles.iter().map(|needle| Finder::new(*needle)).collect(),
            collects_vocabularies,
        };
        let signature = |index: usize| files.signatures.get(index).copied().flatten();
        let sizes: Vec<u64> =
            (0..files.entries.len()).map(|index| signature(index).map_or(0, |signature| signature.size)).collect();
        let (results, left) = process_items_in_parallel_largest_first(&sizes, cancellation, |index| {
            let entry = files.entries.get(index)?;
            search.result_of_file(entry, signature(index).as_ref(), &has_match, &visit)
        });
        let mut found = OutlinedFiles {
            values: Vec::new(),
            evidence: Evidence::new_complete(SYNTAX_ANALYSIS),
            vocabularies: Vec::new(),
        };
        cancellation.note_unprocessed_files_in_evidence(left, sizes.len(), &mut found.evidence);
        let mut is_basic = false;
        for FileResult { value, gap, is_basic: is_file_basic, vocabulary } in results {
            if let Some(gap) = gap {
                found.evidence.add_skipped_and_lower_completeness(&gap.path, gap.reason);
            }
            is_basic |= is_file_basic && value.is_some();
            found.values.extend(value);
            found.vocabularies.extend(vocabulary);
        }
        if is_basic {
            found.evidence.mark_analysis_as_partly_basic();
        }
        for skipped in &files.skipped {
            found.evidence.add_skipped_and_lower_completeness(&skipped.path, skipped.reason.clone());
        }
        found
    }
}

impl<'a> OutlineSearch<'a, '_> {
    fn result_of_file<T>(
        &self,
        entry: &'a ProjectEntry,
        signature: Option<&FileSignature>,
        has_match: &impl Fn(&Facts) -> bool,
        visit: &impl Fn(OutlinedFile<'a>) -> Option<T>,
    ) -> Option<FileResult<T>> {
        let known = signature.filter(|_| !self.access.reader().has_preferred_outliner());
        if let Some(signature) = known {
            if self.facts.is_file_in_no_language(&entry.path, signature) {
                return None;
            }
            if let Some(text) = self.facts.text_identity_by_signature(&entry.path, signature)
                && let Some(result) = self.result_of_known_text(entry, text, has_match, visit)
            {
                return result;
            }
        }
        self.result_of_read_file(entry, has_match, visit)
    }

    /// The result of a file by what is in memory of its text; `None` where that does not tell it.
    fn result_of_known_text<T>(
        &self,
        entry: &'a ProjectEntry,
        text: TextIdentity,
        has_match: &impl Fn(&Facts) -> bool,
        visit: &impl Fn(OutlinedFile<'a>) -> Option<T>,
    ) -> Option<Option<FileResult<T>>> {
        let language = text.language?;
        let is_code = language.tier != Tier::Document;
        let vocabulary = if is_code { Some(self.facts.vocabulary_in_memory(&text)?) } else { None };
        let lacks_needles = |vocabulary: &Arc<Vocabulary>| {
            !self.needles.is_empty() && !self.needles.iter().any(|needle| Finder::may_be_in(*needle, vocabulary))
        };
        if vocabulary.as_ref().is_some_and(lacks_needles) {
            return Some(None);
        }
        let facts = self.facts.facts_in_memory(&text)?;
        if facts.coverage != ParseCoverage::Whole {
            return None;
        }
        let vocabulary = vocabulary.filter(|_| self.collects_vocabularies).map(|words| (entry.path.clone(), words));
        let value = has_match(&facts).then(|| {
            visit(OutlinedFile {
                access: self.access,
                entry,
                language: Some(language),
                facts,
                text,
                source: OnceCell::new(),
            })
        });
        let is_basic = language.tier == Tier::Basic;
        Some(Some(FileResult { value: value.flatten(), gap: None, is_basic, vocabulary }))
    }

    fn result_of_read_file<T>(
        &self,
        entry: &'a ProjectEntry,
        has_match: &impl Fn(&Facts) -> bool,
        visit: &impl Fn(OutlinedFile<'a>) -> Option<T>,
    ) -> Option<FileResult<T>> {
        let gap_alone = |skipped| FileResult { value: None, gap: Some(skipped), is_basic: false, vocabulary: None };
        let named = language::language_of_file_name(entry.name());
        if !self.needles.is_empty() && named.is_none() {
            let (is_script, settled) = entry.probe_shebang_and_settled_signature();
            if !is_script {
                if let Some(signature) = settled {
                    self.facts.record_file_in_no_language(entry, signature);
                }
                return None;
            }
        }
        let file = match SourceFile::read(entry) {
            Ok(file) => file,
            Err(error) => {
                let reason = error.describe_for_evidence()?;
                return Some(gap_alone(Skipped { path: entry.path.clone(), reason }));
            }
        };
        self.facts.record_text_in_long_process(&file);
        // The text of a document may write a name with markup and escapes, so a text search for the name could miss it.
        let can_disguise_names = named.is_some_and(Language::can_disguise_names);
        let may_hold = self.finders.is_empty() || self.finders.iter().any(|finder| finder.is_needle_in(&file.text));
        if !can_disguise_names && !may_hold {
            return None;
        }
        let analysed = self.access.analyse_source_file(file);
        let may_hide = what_gaps_may_hide(&analysed, &self.finders).can_hide_more(has_match(&analysed.facts));
        let gap = analysed.evidence.skipped.first().filter(|_| may_hide && !analysed.is_in_unknown_language()).cloned();
        let AnalysedFile { file, language, facts, .. } = analysed;
        let is_code = language.is_some_and(|language| language.tier != Tier::Document);
        let vocabulary = (self.collects_vocabularies && is_code).then(|| self.vocabulary_of_text(&file, language));
        let is_basic = language.is_some_and(|language| language.tier == Tier::Basic);
        let text = TextIdentity { language, hash: file.content_hash() };
        let value = has_match(&facts).then(|| {
            visit(OutlinedFile {
                access: self.access,
                entry,
                language,
                facts,
                text,
                source: OnceCell::from(Some(file)),
            })
        });
        Some(FileResult { value: value.flatten(), gap, is_basic, vocabulary })
    }

    fn vocabulary_of_text(&self, file: &SourceFile, language: Option<&'static Language>) -> (String, Arc<Vocabulary>) {
        let known = self.facts.is_long_lived().then(|| TextIdentity { language, hash: file.content_hash() });
        let known = known.and_then(|text| self.facts.vocabulary_in_memory(&text));
        (file.path.clone(), known.unwrap_or_else(|| Arc::new(Vocabulary::from_text(&file.text))))
    }
}
