//! A baseline ranking of files: counts a question's keywords in file names, paths and contents. The real ranking is
//! measured against this baseline.

use rayon::prelude::*;

use crate::ranker::Ranker;
use crate::stop_words::is_filler_word;
use peelback_project::CodeError;
use peelback_project::SourceFile;
use peelback_project::WalkOptions;
use peelback_project::{Evidence, Skipped};

/// The maximum size in bytes of a file whose content is ranked; a larger file is ranked by its path alone.
const MAX_CONTENT_BYTES: u64 = 500_000;

/// The minimum number of letters of a keyword; shorter words say nothing about a file.
const MIN_KEYWORD_LETTERS: usize = 3;

/// The keywords of a question in their order: lower case, without repetitions and without words of fewer than 3
/// letters. Stop words are dropped unless no other word is left.
pub fn keywords_of_question(question: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in question.to_lowercase().split(|c: char| !c.is_alphanumeric()) {
        if word.chars().count() >= MIN_KEYWORD_LETTERS && !words.iter().any(|known| known == word) {
            words.push(word.to_owned());
        }
    }
    let telling = |word: &String| !is_filler_word(word);
    // If a question consists of stop words alone, they are its keywords.
    if words.iter().any(telling) {
        words.retain(telling);
    }
    words
}

/// A file in the keyword ranking, with the reasons for its rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeywordFile {
    /// The path from the root.
    pub path: String,
    /// The sum over all keywords: 2 for a match in the file name, else 1 for a match in a folder name, plus 1 for a
    /// match in the content.
    pub score: u32,
    /// The matches that counted, as `name: auth`, `path: auth` or `content: auth`, each with the keywords that matched.
    pub reasons: Vec<String>,
}

impl Ranker<'_> {
    /// The files that match at least one keyword, best first; files with equal scores are sorted by path.
    ///
    /// # Errors
    /// The errors of [`peelback_project::Project::files_in_scope`].
    pub fn rank_files_by_keywords(
        &self,
        keywords: &[String],
        scope: Option<&str>,
        walk: &WalkOptions,
    ) -> Result<(Vec<KeywordFile>, Evidence), CodeError> {
        let set = self.project().files_in_scope(scope, walk)?;
        let mut evidence = Evidence::new_complete("text");
        for skipped in set.skipped {
            evidence.add_skipped_and_lower_completeness(&skipped.path, skipped.reason);
        }
        let stems: Vec<&str> = keywords.iter().map(|keyword| strip_english_suffix(keyword)).collect();
        let cancellation = self.project().cancellation();
        cancellation.add_expected_files(set.entries.len());
        let read: Vec<Option<(Option<KeywordFile>, Option<Skipped>)>> = set
            .entries
            .par_iter()
            .with_max_len(16)
            .map(|entry| {
                if !cancellation.count_processed_file_unless_stopped() {
                    return None;
                }
                let small = entry.file_metadata().is_ok_and(|m| m.len() <= MAX_CONTENT_BYTES);
                let (text, skipped) = match small.then(|| SourceFile::read(entry)) {
                    Some(Ok(file)) => (file.text.to_lowercase(), None),
                    Some(Err(CodeError::Binary { .. })) => (String::new(), None),
                    Some(Err(error)) => (String::new(), Some(error.to_string())),
                    None => (String::new(), Some("over 500 KB: ranked by its path alone".to_owned())),
                };
                let skipped = skipped.map(|reason| Skipped { path: entry.path.clone(), reason });
                Some((score_file_by_keywords(&entry.path, &text, keywords, &stems), skipped))
            })
            .collect();
        cancellation.note_unprocessed_files_in_evidence(
            read.iter().filter(|file| file.is_none()).count(),
            read.len(),
            &mut evidence,
        );
        let mut ranked = Vec::new();
        for (file, skipped) in read.into_iter().flatten() {
            ranked.extend(file);
            if let Some(Skipped { path, reason }) = skipped {
                evidence.add_skipped_and_lower_completeness(&path, reason);
            }
        }
        ranked.sort_by(|a, b| b.score.cmp(&a.score).then_with(|| a.path.cmp(&b.path)));
        Ok((ranked, evidence))
    }
}

fn score_file_by_keywords(path: &str, lower_text: &str, keywords: &[String], stems: &[&str]) -> Option<KeywordFile> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let name_words = split_path_into_lowercase_words(name);
    let folder_words = split_path_into_lowercase_words(folders);
    let mut score = 0;
    let [mut in_name, mut in_path, mut in_content] = [Vec::new(), Vec::new(), Vec::new()];
    for (keyword, stem) in keywords.iter().zip(stems) {
        if name_words.iter().any(|word| has_keyword_stem_or_prefix(word, keyword, stem)) {
            score += 2;
            in_name.push(keyword.as_str());
        } else if folder_words.iter().any(|word| has_keyword_stem_or_prefix(word, keyword, stem)) {
            score += 1;
            in_path.push(keyword.as_str());
        }
        if lower_text.contains(stem) {
            score += 1;
            in_content.push(keyword.as_str());
        }
    }
    let reasons = [("name", in_name), ("path", in_path), ("content", in_content)]
        .into_iter()
        .filter(|(_, matched)| !matched.is_empty())
        .map(|(part, matched)| format!("{part}: {}", matched.join(", ")))
        .collect();
    (score > 0).then(|| KeywordFile { path: path.to_owned(), score, reasons })
}

/// Whether a word of a path matches a keyword: both have the same stem, or one of them, with 4 letters or more, is the
/// beginning of the other.
fn has_keyword_stem_or_prefix(word: &str, keyword: &str, keyword_stem: &str) -> bool {
    word == keyword
        || strip_english_suffix(word) == keyword_stem
        || (word.len() >= 4 && keyword.starts_with(word))
        || (keyword_stem.len() >= 4 && word.starts_with(keyword_stem))
}

/// The words of a path in lower case, split at all characters but letters and digits and at the capital letters of
/// camelCase.
fn split_path_into_lowercase_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut was_lower = false;
    for c in text.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && was_lower) {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// A word without the longest common English suffix that leaves at least 4 letters; the whole word if there is none.
fn strip_english_suffix(word: &str) -> &str {
    const ENDINGS: &[&str] = &[
        "ations", "ation", "ators", "ator", "ating", "ated", "ates", "ate", "izing", "ities", "ings", "ing", "ions",
        "ion", "ment", "ments", "ers", "er", "ies", "ed", "es", "s",
    ];
    ENDINGS
        .iter()
        .filter_map(|ending| word.strip_suffix(ending))
        .filter(|stem| stem.chars().count() >= 4)
        .min_by_key(|stem| stem.len())
        .unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_gives_its_keywords() {
        assert_eq!(
            keywords_of_question("How does authentication and authorization work?"),
            ["authentication", "authorization"]
        );
        assert_eq!(keywords_of_question("is it ok"), Vec::<String>::new());
    }

    #[test]
    fn authentication_finds_auth_handler() {
        let keywords = keywords_of_question("How does authentication work?");
        let stems: Vec<&str> = keywords.iter().map(|k| strip_english_suffix(k)).collect();
        let hit = score_file_by_keywords("src/auth_handler.py", "", &keywords, &stems).expect("a hit");
        assert_eq!((hit.score, hit.reasons), (2, vec!["name: authentication".to_owned()]));
        let hit = score_file_by_keywords("src/auth/x.py", "def authenticate(): ...", &keywords, &stems).expect("a hit");
        assert_eq!(hit.score, 2);
        assert_eq!(score_file_by_keywords("src/author.py", "", &keywords, &stems), None);
    }

    #[test]
    fn camel_case_parts() {
        assert_eq!(
            split_path_into_lowercase_words("fooBar/HTTPServer_v2.rs"),
            ["foo", "bar", "httpserver", "v2", "rs"]
        );
    }
}
