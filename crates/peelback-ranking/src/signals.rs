//! The values of the ranking signals of a file or a passage.

/// The signals of a file, each from 0 to about 1, before they are multiplied by the weights.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
pub struct Signals {
    /// See [`crate::Weights::words`].
    pub words: f32,
    /// See [`crate::Weights::path`].
    pub path: f32,
    /// See [`crate::Weights::named`].
    pub named: f32,
    /// See [`crate::Weights::mentions`].
    pub mentions: f32,
    /// See [`crate::Weights::best`].
    pub best: f32,
    /// See [`crate::Weights::quoted`].
    pub quoted: f32,
    /// The factor on the weighted sum for the kind of the file.
    pub kind: f32,
}

impl Signals {
    /// All signals as pairs of name and value, in field order.
    pub fn named_values(&self) -> Vec<(&'static str, f32)> {
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

/// The signals of a passage, each from 0 to 1, before they are multiplied by the weights.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
pub struct PassageSignals {
    /// The BM25 score of the passage's words, as a share of the highest.
    pub words: f32,
    /// The score of the words of the question in the passage's name, as a share of the highest.
    pub name: f32,
    /// How certainly the question mentions the passage's symbol.
    pub mention: f32,
    /// The score of the file that contains the passage, as a share of the highest.
    pub file: f32,
    /// The factor on the weighted sum for the kind of the file.
    pub kind: f32,
    /// The similarity of the passage to the question by an embedding model, from 0 for the least similar of the
    /// compared passages to 1; `None` if it was not compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meaning: Option<f32>,
}

impl PassageSignals {
    /// All signals that have a value, as pairs of name and value, in field order.
    pub fn named_values(&self) -> Vec<(&'static str, f32)> {
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
