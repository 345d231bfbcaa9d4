//! Promises to the exploring model about what the model that writes the document will be shown.

use std::collections::{HashMap, HashSet};

use peelback_tokens::count_tokens;

use super::findings::{Findings, RequestedSymbol};
use super::session::DocumentRun;
use super::writing;
use crate::excerpt::Excerpt;
use crate::fence::enclose_in_data_tags;
use crate::limits;

/// The number of tokens by which a text can have more inside a request than alone, where the texts beside it join it.
const TOKENS_OF_JOINING: usize = 4;

/// The symbols whose whole bodies surely fit the request that writes the document, whatever else is in it.
pub(crate) struct Promises {
    /// The tokens that are left. A limit of characters alone would promise too much of a text with many tokens.
    tokens: usize,
    chars: usize,
    chars_by_file: HashMap<String, usize>,
    /// The files that the request has room for.
    files: HashSet<String>,
    promised: Vec<RequestedSymbol>,
}

impl Promises {
    /// Begins with what was promised before, of the run of `session`.
    pub fn for_findings(session: &DocumentRun<'_>, findings: &Findings) -> Self {
        let (model, options) = (session.model, session.options);
        let output = writing::shortest_document_output_tokens(model);
        let around = writing::tokens_around_code_and_notes(session.question, options);
        // What is learned of the provider's count of tokens until then may take a part of the room.
        let room = model.guaranteed_input_tokens_of_last_answer(output) / 10 * 9;
        let room = usize::try_from(room.saturating_sub(around)).unwrap_or(usize::MAX);
        Self {
            tokens: room.saturating_sub(limits::WRITING_NOTES_TOKENS),
            chars: options.characters.writing,
            chars_by_file: HashMap::new(),
            files: findings.files.iter().take(limits::WRITING_FILES).cloned().collect(),
            promised: findings.promised.clone(),
        }
    }

    /// Promises the whole body of a symbol where there surely is room for it, and returns whether there is. `whole` is
    /// the excerpt of the symbol in [`limits::WRITING_FILE_CHARS`] characters, and `sent` its text as it is sent.
    pub fn promise_whole_body(&mut self, symbol: &RequestedSymbol, whole: &Excerpt, sent: &str) -> bool {
        let chars = whole.text.chars().count();
        let used = self.chars_by_file.get(&symbol.path).copied();
        if whole.left_out > 0
            || !self.files.contains(&symbol.path)
            || used.unwrap_or(0) + chars > limits::WRITING_FILE_CHARS
            || chars > self.chars
        {
            return false;
        }
        // The first text of a file brings the marks around all texts of the file.
        let marks = if used.is_none() { count_tokens(&enclose_in_data_tags(&symbol.path, "")) } else { 0 };
        let tokens = count_tokens(sent) + marks + TOKENS_OF_JOINING;
        if tokens > self.tokens {
            return false;
        }
        self.tokens -= tokens;
        self.chars -= chars;
        *self.chars_by_file.entry(symbol.path.clone()).or_default() += chars;
        self.promised.push(symbol.clone());
        true
    }

    pub fn into_promised_symbols(self) -> Vec<RequestedSymbol> {
        self.promised
    }
}
