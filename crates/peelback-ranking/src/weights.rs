//! The weights of the ranking signals.

/// The weights of the ranking signals. The defaults are the ones that the product uses. They were tuned on cases from
/// the history of projects that are in no test set: see the benchmark page.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Weights {
    /// Weight of the BM25 score of the file's words.
    pub words: f32,
    /// Weight of the question's words in the file's path.
    pub path: f32,
    /// Weight of a file that the question refers to by its path, its module or a stack frame.
    pub named: f32,
    /// Weight of a file that defines a name which the question mentions.
    pub mentions: f32,
    /// Weight of the BM25 score of the file's best chunk: a function, a class or a section.
    pub best: f32,
    /// Weight of the second best chunk relative to the best, and of the third relative to the second.
    pub second: f32,
    /// Weight of a file that contains a message which the question quotes.
    pub quoted: f32,
    /// Exponent of the factor for the kind of file: 1 applies the factor unchanged, 0 ignores the kind.
    pub kind: f32,
    /// BM25's `k1`: how soon further occurrences of a word in a file stop adding to the score.
    pub k1: f32,
    /// BM25's `b`: how far a long file lowers the score, from 0 to 1.
    pub b: f32,
    /// BM25's `k3`: how soon further occurrences of a word in the question stop adding to the score.
    pub k3: f32,
    /// Weight of words in the question's first line, relative to words in its body.
    pub title: f32,
    /// Weight of words in an error message, relative to words in the body.
    pub message: f32,
    /// Weight of words in code blocks, relative to words in the body.
    pub code: f32,
    /// Weight of words in a traceback, relative to words in the body.
    pub frame: f32,
    /// Weight of words in version lists and in the headings of an issue template, relative to words in the body.
    pub environment: f32,
    /// Weight of words that are parts of an identifier.
    pub parts: f32,
    /// Weight of two adjacent words that code joins in one name.
    pub pairs: f32,
    /// Weight of words that code uses for the words of a short question.
    pub related: f32,
    /// Weight of the question's words in a passage's name.
    pub passage_name: f32,
    /// Weight of a passage that the question mentions.
    pub passage_mention: f32,
    /// Weight of the score of the file that contains a passage.
    pub passage_file: f32,
    /// BM25's `b` for passages; see `b`.
    pub passage_b: f32,
    /// Weight of the learned features of the best passages beside their first score: 1 as learned, 0 keeps the first
    /// order.
    pub passage_features: f32,
    /// The share of semantic similarity in a passage's score, if an embedding model is available.
    pub meaning: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            words: 1.0,
            path: 1.0,
            named: 0.6,
            mentions: 0.6,
            best: 0.6,
            second: 0.15,
            quoted: 0.8,
            kind: 1.0,
            k1: 1.6,
            b: 0.75,
            k3: 8.0,
            title: 4.0,
            message: 0.8,
            code: 0.2,
            frame: 0.15,
            environment: 0.03,
            parts: 0.45,
            pairs: 0.15,
            related: 0.25,
            passage_name: 0.5,
            passage_mention: 0.6,
            passage_file: 0.8,
            passage_b: 0.4,
            passage_features: 1.0,
            meaning: 0.4,
        }
    }
}
