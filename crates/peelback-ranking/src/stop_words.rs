//! Stop words: words of a question that say nothing about where the code in question is.

/// English function words, and the fragments that contractions leave.
#[rustfmt::skip]
const ENGLISH_FUNCTION_WORDS: &[&str] = &[
    "a", "about", "above", "after", "again", "all", "also", "always", "am", "an", "and", "another", "any", "anybody",
    "anyone", "anything", "are", "aren", "as", "at", "away", "be", "because", "been", "before", "being", "below",
    "between", "both", "but", "by", "can", "cannot", "cant", "could", "couldn", "did", "didn", "do", "does", "doesn",
    "doesnt", "doing", "don", "done", "dont", "down", "during", "each", "eg", "either", "else", "etc", "ever",
    "every", "everything", "few", "for", "from", "further", "had", "has", "hasn", "have", "haven", "having", "he",
    "hello", "help", "her", "here", "hers", "hi", "him", "his", "how", "however", "i", "ie", "if", "in", "into", "is",
    "isn", "isnt", "it", "its", "itself", "just", "let", "ll", "lot", "lots", "may", "maybe", "me", "might", "more",
    "most", "mostly", "much", "must", "my", "myself", "need", "needs", "neither", "never", "no", "nor", "not",
    "nothing", "now", "of", "off", "often", "ok", "okay", "on", "once", "one", "only", "onto", "or", "other",
    "others", "our", "out", "over", "own", "perhaps", "please", "quite", "rather", "re", "really", "regarding",
    "same", "see", "seem", "seems", "shall", "she", "should", "shouldn", "since", "so", "some", "somehow", "someone",
    "something", "sometimes", "somewhere", "still", "such", "sure", "than", "thank", "thanks", "that", "the", "their",
    "them", "then", "there", "thereby", "therefore", "these", "they", "thing", "things", "think", "this", "those",
    "though", "through", "thus", "to", "together", "too", "two", "until", "up", "upon", "us", "use", "used", "uses",
    "using", "ve", "very", "via", "want", "wants", "was", "wasn", "way", "we", "well", "were", "weren", "what",
    "whatever", "when", "whenever", "where", "whether", "which", "while", "who", "whole", "whom", "whose", "why",
    "will", "with", "within", "without", "won", "would", "wouldn", "yes", "yet", "you", "your", "yours",
];

/// Words that are common in all bug reports.
#[rustfmt::skip]
const BUG_REPORT_WORDS: &[&str] = &[
    "actual", "actually", "anymore", "bug", "bugs", "currently", "describe", "expect", "expected", "following",
    "happen", "happened", "happens", "instead", "issue", "issues", "like", "look", "looks", "notice", "noticed",
    "observe", "problem", "report", "reproduce", "reproduced", "reproducible", "steps", "tried", "try", "trying",
    "work", "worked", "working", "works",
];

/// Words that are common in questions about code but not in the code that they ask for.
#[rustfmt::skip]
const CODE_QUESTION_WORDS: &[&str] = &[
    "code", "codebase", "explain", "feature", "features", "file", "files", "find", "function", "functionality",
    "functions", "get", "gets", "give", "handle", "handled", "handles", "implement", "implementation", "implemented",
    "implements", "list", "logic", "made", "make", "makes", "method", "part", "project", "repo", "repository", "show",
    "system", "tell",
];

/// Whether a lower-case word is an English function word or is common in all bug reports.
pub(super) fn is_stop_word(word: &str) -> bool {
    [ENGLISH_FUNCTION_WORDS, BUG_REPORT_WORDS].iter().any(|list| list.binary_search(&word).is_ok())
}

/// Whether a lower-case word satisfies [`is_stop_word`] or is common in all questions about code.
pub(crate) fn is_filler_word(word: &str) -> bool {
    is_stop_word(word) || CODE_QUESTION_WORDS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_for_the_search() {
        assert!([ENGLISH_FUNCTION_WORDS, BUG_REPORT_WORDS, CODE_QUESTION_WORDS].iter().all(|list| list.is_sorted()));
    }
}
