//! Promises to the exploring model about what the model that writes the document will be shown.

use std::collections::HashMap;

use peelback_llm::BudgetedModel;

use super::findings::{Findings, RequestedSymbol};
use super::session::DocumentRun;
use crate::excerpt::Excerpt;
use crate::limits;

/// The number of tokens of instructions and notes in the request that writes the document, at most.
const TOKENS_AROUND_CODE: u64 = 3_500;

/// The symbols whose whole bodies surely fit the request that writes the document, whatever else is in it.
pub(crate) struct Promises {
    room: usize,
    chars_by_file: HashMap<String, usize>,
    promised: Vec<RequestedSymbol>,
}

impl Promises {
    /// Begins with what was promised before, of the run of `session`.
    pub fn for_findings(session: &DocumentRun<'_>, findings: &Findings) -> Self {
        let room = guaranteed_writing_chars(session.model).min(session.options.characters.writing);
        Self { room, chars_by_file: HashMap::new(), promised: findings.promised.clone() }
    }

    /// Promises the whole body of a symbol where there surely is room for it, and returns whether there is. `whole` is
    /// the excerpt of the symbol in [`limits::WRITING_FILE_CHARS`] characters.
    pub fn promise_whole_body(&mut self, symbol: &RequestedSymbol, whole: &Excerpt) -> bool {
        let chars = whole.text.chars().count();
        let used = self.chars_by_file.entry(symbol.path.clone()).or_default();
        if whole.left_out > 0 || *used + chars > limits::WRITING_FILE_CHARS || chars > self.room {
            return false;
        }
        *used += chars;
        self.room -= chars;
        self.promised.push(symbol.clone());
        true
    }

    pub fn into_promised_symbols(self) -> Vec<RequestedSymbol> {
        self.promised
    }
}

/// The number of characters of code that the request that writes the document can have at least, whatever the calls
/// before it use.
fn guaranteed_writing_chars(model: &BudgetedModel) -> usize {
    let limits = model.limits();
    let output = u64::from(limits::WRITING_OUTPUT_TOKENS).min(limits.reserve.output);
    let mut tokens = limits.max_input_tokens.min(limits.tokens_per_minute.saturating_sub(output));
    if limits.max_total_tokens.is_some() || limits.max_cost.is_some() {
        tokens = tokens.min(limits.reserve.input);
    }
    let chars = tokens.saturating_sub(TOKENS_AROUND_CODE).saturating_mul(limits::CHARS_PER_TOKEN as u64);
    // The code of some languages has fewer characters per token than the usual number.
    usize::try_from(chars).unwrap_or(usize::MAX) / 5 * 4
}
