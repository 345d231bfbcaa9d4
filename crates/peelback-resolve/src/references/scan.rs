//! Searches the text of files for words: finds the files that contain one, and its places in them.

use peelback_project::{Evidence, NamesError, Skipped, describe_parse_coverage_gap};
use std::collections::{BTreeMap, BTreeSet};

use memchr::memmem;

use super::search::ReferenceSearch;
use super::target::SearchTarget;
use crate::modules::FileId;
use crate::resolve::definition::Def;
use crate::resolve::resolver::Resolver;
use peelback_syntax::names::{Binding, BindingId, NameId, ScopeKind};
use peelback_syntax::{Names, NotParsed, ParseCoverage, Tier, language};

/// The words that files are searched for: names, and import sources in quotes.
pub(super) type SearchWords = BTreeSet<String>;

/// The places of the searched words in one file.
#[derive(Debug, Clone, Default)]
pub(super) struct Hits {
    /// The byte offset of each place, with its line and the length of the word in bytes.
    pub entries: BTreeMap<u32, (u32, u32)>,
}

/// The files that contain at least one of the searched words, with the places of the words.
#[derive(Debug, Default)]
pub(super) struct ReferenceWordScan {
    hits: BTreeMap<FileId, Hits>,
}

impl ReferenceWordScan {
    pub fn files_with_hits(&self) -> impl Iterator<Item = FileId> + '_ {
        self.hits.keys().copied()
    }

    pub fn hits_in_file(&self, file: FileId) -> Option<&Hits> {
        self.hits.get(&file)
    }

    /// The members of types that are called `name` in the files with hits, in the order of files and bindings.
    pub fn members_of_name<'s>(
        &'s self,
        resolver: &'s Resolver<'_>,
        name: &'s str,
    ) -> impl Iterator<Item = (Def, &'s Binding)> {
        self.files_with_hits().filter_map(move |file| Some((file, resolver.names_index(file)?))).flat_map(
            move |(file, index)| {
                let bound = index.name_id_of_text(name).map_or(&[][..], |name| index.bindings_of_name(name));
                let binding = move |id: &BindingId| (Def { file, binding: *id }, index.binding_or_placeholder(*id));
                let is_member =
                    move |(_, binding): &(Def, &Binding)| index.scope_kind(binding.scope) == ScopeKind::Type;
                bound.iter().map(binding).filter(is_member)
            },
        )
    }

    /// Searches for further words in every file whose language can use the targets' names, and loads the names of each
    /// file with a hit.
    pub fn scan_files_for_words(
        &mut self,
        search: &ReferenceSearch<'_>,
        words: &SearchWords,
        targets: &[SearchTarget],
        evidence: &mut Evidence,
    ) {
        let files = search.snapshot.file_table();
        let finders: Vec<(usize, memmem::Finder<'_>)> =
            words.iter().map(|word| (word.len(), memmem::Finder::new(word.as_bytes()))).collect();
        let concerned = |file: FileId| {
            let entry = files.entry(file);
            let is_notebook = language::is_notebook_name(entry.name());
            let language = match search.snapshot.language_by_file_name(file) {
                Some(language) if language.tier == Tier::Document && !is_notebook => return false,
                Some(language) => language.name,
                None => match search.snapshot.code_file_identity(file) {
                    Ok(code) => code.language.name,
                    Err(_) if is_notebook => "",
                    Err(_) => return false,
                },
            };
            // The code of a notebook that cannot be read as one can be in any language of notebooks.
            let is_broken_notebook = is_notebook && !language::is_language_of_notebooks(language);
            // A header may be in either of two languages by its name; its text decides which.
            let may_be = |name: &str| {
                language::possible_languages_of_file_name(entry.name()).any(|language| language.name == name)
            };
            if is_broken_notebook {
                return targets.iter().any(|target| language::is_language_of_notebooks(target.language));
            }
            targets.iter().any(|target| match target.semantics {
                Some(semantics) => {
                    semantics.can_names_be_used_from_language(language) || semantics.can_serve_file_named(entry.name())
                }
                None => language == target.language || may_be(target.language),
            })
        };
        let candidates: Vec<FileId> =
            (0..u32::try_from(files.len()).unwrap_or(u32::MAX)).filter(|f| concerned(*f)).collect();
        let size = |file: &FileId| search.snapshot.file_signature(*file).map_or(0, |signature| signature.size);
        let sizes: Vec<u64> = candidates.iter().map(size).collect();
        let cancellation = search.analyzer.project().cancellation();
        let (found, left) = peelback_project::process_items_in_parallel_largest_first(&sizes, cancellation, |index| {
            let file = *candidates.get(index)?;
            if !search.text
                && let Some(Ok(names)) = search.snapshot.names_in_memory(file)
                && names.names.missed.is_empty()
            {
                return hits_from_known_names(&names.names, words, &finders).map(|hits| (file, Ok(hits)));
            }
            if search.snapshot.surely_contains_none_of_words(file, words.iter().map(String::as_str)) {
                return None;
            }
            let path = files.path_of_file(file);
            let gap = |reason: String| Some((file, Err(Skipped { path: path.to_owned(), reason })));
            let text = match search.snapshot.read_current_file(file) {
                Ok(text) => text,
                Err(error) => return gap(error.describe_for_evidence()?),
            };
            let hits = find_whole_word_hits(&text.text, &finders);
            search.snapshot.record_words_in_long_process(&text);
            if hits.entries.is_empty() {
                return None;
            }
            if text.is_broken_notebook() {
                let coverage = ParseCoverage::NotParsed(NotParsed::BrokenNotebook);
                return gap(describe_parse_coverage_gap(&coverage)?);
            }
            match search.snapshot.names_in_file_given_text(file, &text) {
                Ok(_) => Some((file, Ok(hits))),
                Err(NamesError::NotParsed(NotParsed::UnknownLanguage)) => None,
                Err(reason) => gap(reason.describe_for_evidence()?),
            }
        });
        cancellation.note_unprocessed_files_in_evidence(left, sizes.len(), evidence);
        for (file, result) in found {
            match result {
                Ok(hits) => {
                    let known = self.hits.entry(file).or_default();
                    known.entries.extend(hits.entries);
                }
                Err(skipped) => {
                    if !evidence.skipped.contains(&skipped) {
                        evidence.add_skipped_and_lower_completeness(&skipped.path, skipped.reason);
                    }
                }
            }
        }
    }
}

/// The places of the searched words among the names of a file that was understood completely, without strings and
/// comments; `None` if neither its names nor the sources of its imports contain one of the words.
fn hits_from_known_names(names: &Names, words: &SearchWords, finders: &[(usize, memmem::Finder<'_>)]) -> Option<Hits> {
    let mut hits = Hits::default();
    // The ids are in rising order.
    let searched = (0..).zip(&names.strings).filter(|(_, text)| words.contains(&***text));
    let name_ids: Vec<NameId> = searched.map(|(id, _)| id).collect();
    let quoted: Vec<&String> = words.iter().filter(|word| word.contains(is_quote_char)).collect();
    let is_linked = || {
        names.imports.iter().map(|import| names.name_text(import.source)).any(|source| {
            let in_quotes = |word: &&String| {
                let quote = word.chars().find(|c| is_quote_char(*c)).unwrap_or('"');
                format!("{quote}{source}{quote}").contains(word.as_str())
            };
            !find_whole_words(source, finders).is_empty() || quoted.iter().any(in_quotes)
        })
    };
    if name_ids.is_empty() && !is_linked() {
        return None;
    }
    for found in names.occurrences.iter().filter(|found| name_ids.binary_search(&found.name).is_ok()) {
        let len = u32::try_from(names.name_text(found.name).len()).unwrap_or(0);
        hits.entries.insert(found.at, (found.line, len));
    }
    Some(hits)
}

/// The byte offsets of the searched words where they stand as whole words in a text, each with the length of the word,
/// in order.
fn find_whole_words(text: &str, finders: &[(usize, memmem::Finder<'_>)]) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (len, finder) in finders {
        let needle = finder.needle();
        let ends_in_operator = |end: Option<&u8>| end.is_some_and(|byte| is_operator_byte(*byte));
        let (begins_free, ends_free) = (ends_in_operator(needle.first()), ends_in_operator(needle.last()));
        let whole = |at: &usize| {
            let before = text.get(..*at).and_then(|before| before.chars().next_back());
            let after = text.get(at + len..).and_then(|after| after.chars().next());
            (begins_free || !before.is_some_and(is_word_char)) && (ends_free || !after.is_some_and(is_word_char))
        };
        // A word that is an import source in quotes selects files to read, but its place is no place of a name.
        let own = if finder.needle().iter().any(|byte| is_quote_char(char::from(*byte))) { 0 } else { *len };
        found.extend(finder.find_iter(text.as_bytes()).filter(whole).map(|at| (at, own)));
    }
    found.sort_unstable();
    found
}

/// The places of the searched words where they stand as whole words in a text.
fn find_whole_word_hits(text: &str, finders: &[(usize, memmem::Finder<'_>)]) -> Hits {
    let bytes = text.as_bytes();
    let mut hits = Hits::default();
    let found = find_whole_words(text, finders);
    let (mut line, mut counted) = (1, 0);
    for (at, len) in found {
        let between = bytes.get(counted..at).unwrap_or(&[]);
        line += u32::try_from(memchr::memchr_iter(b'\n', between).count()).unwrap_or(0);
        counted = at;
        let entry = u32::try_from(at).unwrap_or(u32::MAX);
        hits.entries.insert(entry, (line, u32::try_from(len).unwrap_or(0)));
    }
    hits
}

pub(super) fn is_quote_char(c: char) -> bool {
    matches!(c, '"' | '\'' | '`')
}

/// Whether a byte ends a word wherever it stands: that of an operator's name, such as `++`, or of `save!`.
fn is_operator_byte(byte: u8) -> bool {
    byte.is_ascii_punctuation() && !matches!(byte, b'_' | b'$') && !is_quote_char(char::from(byte))
}

/// Whether a character can be part of a word.
fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_alone_count() {
        let finders = [(3, memmem::Finder::new("abc"))];
        let hits = find_whole_word_hits("abc abcd\nxabc abc\n\u{e9}abc (abc)", &finders);
        let entries: Vec<(u32, u32)> = hits.entries.iter().map(|(at, (line, _))| (*at, *line)).collect();
        assert_eq!(entries, [(0, 1), (14, 2), (25, 3)]);
    }

    #[test]
    fn names_of_operators_stand_between_words() {
        for (name, text, expected) in [
            ("++", "a++b + ++ c", vec![1, 7]),
            ("save!", "save! x.save!(1) unsave! save !", vec![0, 8]),
            ("empty?", "empty? empty x.empty?y", vec![0, 15]),
        ] {
            let finders = [(name.len(), memmem::Finder::new(name))];
            let hits = find_whole_word_hits(text, &finders);
            assert_eq!(hits.entries.keys().copied().collect::<Vec<u32>>(), expected, "{name}");
        }
    }
}
