//! What each signal counts.

/// What each signal of the ranking counts; the defaults are those of the product. Found on cases made from the history of
/// projects that no test set has: see the benchmark page.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Weights {
    /// BM25 of the file's words.
    pub words: f32,
    /// Words in the file's path.
    pub path: f32,
    /// The question names the file, its module or a frame in it.
    pub named: f32,
    /// It defines a name that the question mentions.
    pub mentions: f32,
    /// BM25 of the best single piece of it: a function, a class, a section.
    pub best: f32,
    /// How far the second best piece counts beside the best, and the third beside that.
    pub second: f32,
    /// It holds a message that the question quotes.
    pub quoted: f32,
    /// How far the kind of a file counts: 1 as it stands, 0 not at all.
    pub kind: f32,
    /// BM25: how soon another time says little.
    pub k1: f32,
    /// BM25: how far the length of a file counts against it, 0 to 1.
    pub b: f32,
    /// The same for words that a question repeats.
    pub k3: f32,
    /// Words of the question's first line; those of its body count 1.
    pub title: f32,
    /// Words of an error's message.
    pub message: f32,
    /// Words of code blocks.
    pub code: f32,
    /// Words of a traceback.
    pub frame: f32,
    /// Words of version lists and of a template's headings.
    pub surroundings: f32,
    /// Words that are parts of a name.
    pub parts: f32,
    /// Two words that stand together, where code has them as one name.
    pub pairs: f32,
    /// Of a passage: words in its name.
    pub passage_name: f32,
    /// Of a passage: it is what the question mentions.
    pub passage_mention: f32,
    /// Of a passage: how its file stands.
    pub passage_file: f32,
    /// BM25 of passages: see `b`.
    pub passage_b: f32,
    /// Of a passage: the share of its meaning in its score, where a model tells that.
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
            surroundings: 0.03,
            parts: 0.45,
            pairs: 0.15,
            passage_name: 0.5,
            passage_mention: 0.6,
            passage_file: 0.8,
            passage_b: 0.4,
            meaning: 0.4,
        }
    }
}
