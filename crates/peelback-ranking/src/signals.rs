//! The values of the ranking signals of a file or a passage.

use crate::passage_features::PassageFeatures;

/// The ranking signals of a file, each from 0 to about 1, before they are multiplied by the weights.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
pub struct FileRankingSignals {
    /// The BM25 score of the question's words in the file, as a share of the highest among the files.
    pub words: f32,
    /// The score of the question's words in the file's path.
    pub path: f32,
    /// How certainly the question refers to the file by its path, its module or a stack frame.
    pub named: f32,
    /// The score of the names that the question mentions and that the file defines.
    pub mentions: f32,
    /// The BM25 score of the file's best chunks, as a share of the highest among the files.
    pub best: f32,
    /// The score of the messages and flags that the question quotes and that the file contains.
    pub quoted: f32,
    /// The factor by which the weighted sum is multiplied for the kind of the file.
    pub kind: f32,
}

impl FileRankingSignals {
    /// All ranking signals as pairs of name and value, in field order.
    pub fn names_and_values(&self) -> Vec<(&'static str, f32)> {
        vec![
            ("words", self.words),
            ("path", self.path),
            ("named", self.named),
            ("mentions", self.mentions),
            ("best", self.best),
            ("quoted", self.quoted),
            ("kind", self.kind),
        ]
    }

    /// The signals rounded to two decimals, which is enough to compare them.
    #[must_use]
    pub fn rounded(mut self) -> Self {
        let parts = [
            &mut self.words,
            &mut self.path,
            &mut self.named,
            &mut self.mentions,
            &mut self.best,
            &mut self.quoted,
            &mut self.kind,
        ];
        parts.into_iter().for_each(round_to_two_decimals);
        self
    }
}

/// The ranking signals of a passage, each from 0 to 1, before they are multiplied by the weights.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
pub struct PassageSignals {
    /// The BM25 score of the question's words in the passage, as a share of the highest among the passages.
    pub words: f32,
    /// The score of the question's words in the passage's name, as a share of the highest among the passages.
    pub name: f32,
    /// How certainly the question mentions the passage's symbol.
    pub mention: f32,
    /// The score of the file that contains the passage, as a share of the highest among the files.
    pub file: f32,
    /// The factor by which the weighted sum is multiplied for the kind of the file.
    pub kind: f32,
    /// The similarity of the passage to the question by an embedding model, from 0 for the least similar of the
    /// compared passages to 1 for the most similar; `None` if the passage was not compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meaning: Option<f32>,
    /// The features by which the best passages are ranked a second time; all 0 of a passage that is not among them.
    #[serde(skip)]
    pub features: PassageFeatures,
}

impl PassageSignals {
    /// All ranking signals that have a value, as pairs of name and value, in field order.
    pub fn named_present_values(&self) -> Vec<(&'static str, f32)> {
        let words = [
            ("words", self.words),
            ("name", self.name),
            ("mention", self.mention),
            ("file", self.file),
            ("kind", self.kind),
        ];
        words.into_iter().chain(self.meaning.map(|meaning| ("meaning", meaning))).collect()
    }

    /// The signals rounded to two decimals, which is enough to compare them.
    #[must_use]
    pub fn rounded(mut self) -> Self {
        let parts = [&mut self.words, &mut self.name, &mut self.mention, &mut self.file, &mut self.kind];
        parts.into_iter().chain(&mut self.meaning).for_each(round_to_two_decimals);
        self
    }
}

/// Rounds a value to two decimals.
fn round_to_two_decimals(value: &mut f32) {
    *value = (*value * 100.0).round() / 100.0;
}
