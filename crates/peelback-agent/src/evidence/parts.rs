//! The parts of a document without a model, and their texts.

use std::borrow::Cow;

use peelback_code::Evidence as Certainty;
use peelback_code::syntax::{Lines, SymbolKind, language};

use crate::excerpt::Excerpt;
use crate::markdown::{counted, one_line};
use crate::retrieval::{Candidate, Passage, Retrieved, Via};

/// A row of the key files.
pub(crate) struct KeyFile {
    pub path: String,
    /// The lines of its best passage, and what stands there.
    pub best: Option<(Lines, String)>,
    pub why: String,
    pub via: Via,
}

impl KeyFile {
    pub(super) fn new(candidate: &Candidate, why: String, retrieved: &Retrieved) -> Self {
        let defined = retrieved.definitions.iter().find(|definition| definition.path == candidate.path);
        let best = match (defined, retrieved.passages_of(&candidate.path).next()) {
            (Some(definition), _) => {
                let symbol = &definition.symbol;
                Some((symbol.lines, format!("{} {}", symbol.kind.as_str(), symbol.qualified_name)))
            }
            (None, Some(passage)) => Some((passage.lines, described(passage))),
            (None, None) => None,
        };
        Self { path: candidate.path.clone(), best, why, via: candidate.via.clone() }
    }
}

/// What a passage is, in words.
pub(super) fn described(passage: &Passage) -> String {
    let symbol = &passage.symbol;
    let part = if passage.is_whole() || symbol.kind == SymbolKind::Section { "" } else { "part of " };
    format!("{part}{} {}", symbol.kind.as_str(), symbol.qualified_name)
}

/// The body of a symbol, or the part of one.
pub(crate) struct Body {
    pub title: String,
    pub language: &'static str,
    pub excerpt: Excerpt,
    /// What opens the whole symbol.
    pub id: String,
}

/// The word behind a fence.
pub(super) fn language_of(path: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or(path);
    language::of_name(name).map_or("", |language| language.name)
}

/// What the evidence of the ranking says, in sentences.
pub(super) fn remarks(certainty: &Certainty) -> Vec<String> {
    let mut remarks: Vec<String> = certainty.notes.clone();
    if !certainty.skipped.is_empty() {
        const SHOWN: usize = 3;
        let shown = certainty.skipped.iter().take(SHOWN);
        let shown: Vec<String> = shown.map(|skipped| format!("{} ({})", skipped.path, skipped.reason)).collect();
        let more = certainty.skipped.len().saturating_sub(SHOWN);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let what = counted(certainty.skipped.len(), "file or folder was", "files or folders were");
        remarks.push(format!("{what} passed over: {}{more}", shown.join(", ")));
    }
    remarks
}

/// Text that no model and no reader takes for a heading or a row.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    if text.contains(['\n', '\r', '`', '|']) {
        Cow::Owned(one_line(text).replace('`', "'").replace('|', "/"))
    } else {
        Cow::Borrowed(text)
    }
}
