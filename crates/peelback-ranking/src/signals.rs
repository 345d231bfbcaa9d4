//! What each signal gives a file or a passage.

/// What each signal gives a file, all from 0 to about 1, before the weights.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
pub struct Signals {
    /// See [`Weights::words`].
    pub words: f32,
    /// See [`Weights::path`].
    pub path: f32,
    /// See [`Weights::named`].
    pub named: f32,
    /// See [`Weights::mentions`].
    pub mentions: f32,
    /// See [`Weights::best`].
    pub best: f32,
    /// See [`Weights::quoted`].
    pub quoted: f32,
    /// What the sum is multiplied with for the kind of the file.
    pub kind: f32,
}

impl Signals {
    /// Each signal by its name, in the order of the fields.
    pub fn each(&self) -> Vec<(&'static str, f32)> {
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

    /// With two digits, which are enough to compare.
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
        parts.into_iter().for_each(round);
        self
    }
}

/// What each signal gives a passage, all from 0 to 1, before the weights.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
pub struct PassageSignals {
    /// BM25 of its words, as a share of the best.
    pub words: f32,
    /// Words of the question in its name, as a share of the best.
    pub name: f32,
    /// The question mentions it.
    pub mention: f32,
    /// How its file stands, as a share of the best.
    pub file: f32,
    /// What the sum is multiplied with for the kind of the file.
    pub kind: f32,
    /// How like the question a model finds it, from 0 for the least like of those that it was asked about to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meaning: Option<f32>,
}

impl PassageSignals {
    /// Each signal that there is by its name, in the order of the fields.
    pub fn each(&self) -> Vec<(&'static str, f32)> {
        let words = [
            ("words", self.words),
            ("name", self.name),
            ("mention", self.mention),
            ("file", self.file),
            ("kind", self.kind),
        ];
        words.into_iter().chain(self.meaning.map(|meaning| ("meaning", meaning))).collect()
    }

    /// With two digits, which are enough to compare.
    #[must_use]
    pub fn rounded(mut self) -> Self {
        let parts = [&mut self.words, &mut self.name, &mut self.mention, &mut self.file, &mut self.kind];
        parts.into_iter().chain(&mut self.meaning).for_each(round);
        self
    }
}

/// Leaves two digits.
fn round(value: &mut f32) {
    *value = (*value * 100.0).round() / 100.0;
}
