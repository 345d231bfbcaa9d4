//! Building blocks of the evidence document, which is written without a model: the row of a key file, the excerpt of a
//! symbol, and functions that write short texts, such as titles and remarks on completeness.

use std::borrow::Cow;

use peelback_code::Evidence as Certainty;
use peelback_code::syntax::{Lines, SymbolKind, language};

use crate::excerpt::Excerpt;
use crate::markdown::{format_count_with_unit, one_line};
use crate::retrieval::{Candidate, Passage, Retrieved, Via};

/// A row of the section that lists the key files.
pub(crate) struct KeyFile {
    pub path: String,
    /// The lines of the file's best passage, and the kind and name of the symbol in these lines.
    pub best: Option<(Lines, String)>,
    pub why: String,
    pub via: Via,
}

impl KeyFile {
    pub(super) fn new(candidate: &Candidate, why: String, retrieved: &Retrieved) -> Self {
        let defined = retrieved.definitions.iter().find(|definition| definition.path == candidate.path);
        let best = match (defined, retrieved.passages_of_file(&candidate.path).next()) {
            (Some(definition), _) => {
                let symbol = &definition.symbol;
                Some((symbol.lines, format!("{} {}", symbol.kind.as_str(), symbol.qualified_name)))
            }
            (None, Some(passage)) => Some((passage.lines, kind_and_name_of_passage(passage))),
            (None, None) => None,
        };
        Self { path: candidate.path.clone(), best, why, via: candidate.via.clone() }
    }
}

/// The kind and name of a passage's symbol, with a remark if the passage is only a part of the symbol.
pub(super) fn kind_and_name_of_passage(passage: &Passage) -> String {
    let symbol = &passage.symbol;
    let part = if passage.is_whole_symbol() || symbol.kind == SymbolKind::Section { "" } else { "part of " };
    format!("{part}{} {}", symbol.kind.as_str(), symbol.qualified_name)
}

/// The source code of a symbol, or of a part of a symbol, for the document.
pub(crate) struct Body {
    pub title: String,
    pub language: &'static str,
    pub excerpt: Excerpt,
    /// The id of the whole symbol (`path:Qualified.name`), which every tool accepts.
    pub id: String,
}

/// The language name that follows a Markdown code fence for the code of a file; empty if the language is unknown.
pub(super) fn fence_language_for_file(path: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or(path);
    language::language_of_file_name(name).map_or("", |language| language.name)
}

/// Sentences about how complete the file ranking is: its notes, and the files and folders that it skipped.
pub(super) fn ranking_completeness_remarks(certainty: &Certainty) -> Vec<String> {
    let mut remarks: Vec<String> = certainty.notes.clone();
    if !certainty.skipped.is_empty() {
        const SHOWN: usize = 3;
        let shown = certainty.skipped.iter().take(SHOWN);
        let shown: Vec<String> = shown.map(|skipped| format!("{} ({})", skipped.path, skipped.reason)).collect();
        let more = certainty.skipped.len().saturating_sub(SHOWN);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let what = format_count_with_unit(certainty.skipped.len(), "file or folder was", "files or folders were");
        remarks.push(format!("{what} skipped: {}{more}", shown.join(", ")));
    }
    remarks
}

/// A text without line breaks, backticks and pipes, so that Markdown cannot read it as a heading or a table row.
pub(super) fn without_line_breaks_backticks_and_pipes(text: &str) -> Cow<'_, str> {
    if text.contains(['\n', '\r', '`', '|']) {
        Cow::Owned(one_line(text).replace('`', "'").replace('|', "/"))
    } else {
        Cow::Borrowed(text)
    }
}
