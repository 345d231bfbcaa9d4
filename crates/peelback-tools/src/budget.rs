//! The bounds of one answer, in tokens and in bytes.

use crate::context::CallContext;
use crate::view::View;

/// No answer passes this many o200k tokens: hosts cut at 25,000 of their own, which count up to twice as many.
pub const MAX_ANSWER_TOKENS: usize = 12_000;

/// No answer passes this many bytes.
pub const MAX_ANSWER_CHARS: usize = 50_000;

/// Exploring answers stay under this many tokens unless the call says otherwise.
const EXPLORING_TOKENS: usize = 2_000;

/// Exploring answers stay under 8 KB.
const EXPLORING_CHARS: usize = 8_000;

/// No budget is smaller: an answer that says only how much there is takes this many tokens.
pub const MIN_ANSWER_TOKENS: usize = 50;

/// The bounds of one answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    tokens: Option<usize>,
    chars: Option<usize>,
}

impl Budget {
    /// The budget that a call asks for with its view, under the ceiling of its caller.
    pub fn new(context: &CallContext, view: &View) -> Self {
        let ceiling = context.ceiling();
        let most = ceiling.unwrap_or(MAX_ANSWER_TOKENS).clamp(MIN_ANSWER_TOKENS, MAX_ANSWER_TOKENS);
        match view.max_tokens {
            Some(0) if ceiling.is_none() => Self { tokens: None, chars: None },
            Some(tokens) if tokens > 0 => {
                Self { tokens: Some(tokens.clamp(MIN_ANSWER_TOKENS, most)), chars: Some(MAX_ANSWER_CHARS) }
            }
            None if !view.is_full() => Self { tokens: Some(EXPLORING_TOKENS.min(most)), chars: Some(EXPLORING_CHARS) },
            _ => Self { tokens: Some(most), chars: Some(MAX_ANSWER_CHARS) },
        }
    }

    /// The most tokens; `None` for as many as the answer takes.
    pub fn tokens(self) -> Option<usize> {
        self.tokens
    }

    /// Whether any text fits.
    pub fn is_unlimited(self) -> bool {
        self.tokens.is_none() && self.chars.is_none()
    }

    /// Whether `text` fits.
    pub fn admits(self, text: &str) -> bool {
        self.chars.is_none_or(|chars| text.len() <= chars)
            && self.tokens.is_none_or(|tokens| peelback_tokens::estimate_tokens(text) <= tokens)
    }

    /// How much of a text that does not fit can stay, as a share of 1.
    pub fn share(self, text: &str) -> f64 {
        let by = |limit: Option<usize>, used: usize| limit.map_or(1.0, |limit| limit as f64 / used.max(1) as f64);
        by(self.chars, text.len()).min(by(self.tokens, peelback_tokens::estimate_tokens(text)))
    }
}
