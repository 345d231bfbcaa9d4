//! The limits of one answer, in tokens and in bytes.

use crate::call::MAX_COMMAND_BYTES;
use crate::context::CallContext;
use crate::view::OutputOptions;

/// The maximum number of tokens of any answer, counted with the tokenizer o200k. The programs that host agents truncate
/// at 25,000 tokens of their own tokenizers, which count up to twice as many.
pub const MAX_ANSWER_TOKENS: usize = 12_000;

/// The maximum number of bytes of any answer.
pub const MAX_ANSWER_BYTES: usize = 50_000;

/// The maximum length of the line with the files that have most rows, in bytes: it stands before the rows.
const MAX_FILE_COUNTS_BYTES: usize = 600;

/// The limits of an answer with detail level `exploring` whose call names no budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DefaultBudget {
    max_tokens: usize,
    max_bytes: usize,
}

impl DefaultBudget {
    /// The default limits of rows of any number of files: 2,000 tokens and 8 KB.
    pub const OF_ROWS: Self = Self { max_tokens: 2_000, max_bytes: 8_000 };

    /// The default limits of the source of symbols and of ranges of lines: 4,000 tokens and 20 KB.
    pub const OF_SOURCE: Self = Self { max_tokens: 4_000, max_bytes: 20_000 };

    /// The default limits of a file's profile: 5,000 tokens and 20 KB. Its own share of the file is less.
    pub const OF_PROFILE: Self = Self { max_tokens: 5_000, max_bytes: 20_000 };

    /// The default limits of the outline of a file whose text has `raw_tokens` tokens: 2,000 tokens and 8% of those, to at most
    /// 5,000, and 20 KB.
    pub fn of_file_outline(raw_tokens: usize) -> Self {
        Self { max_tokens: (2_000 + raw_tokens.saturating_mul(8) / 100).min(5_000), max_bytes: 20_000 }
    }
}

/// The smallest token budget of an answer: an answer with only the total count needs this many tokens.
pub const MIN_ANSWER_TOKENS: usize = 50;

/// The token and byte limits of one answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AnswerTokenBudget {
    max_tokens: Option<usize>,
    max_bytes: Option<usize>,
}

impl AnswerTokenBudget {
    /// The budget that a call requests with its view, limited by the token ceiling of the caller.
    pub fn new(context: &CallContext, view: &OutputOptions) -> Self {
        Self::with_default(context, view, DefaultBudget::OF_ROWS)
    }

    /// The budget that a call requests with its view, or `default` where it requests none, limited by the token ceiling of
    /// the caller.
    pub fn with_default(context: &CallContext, view: &OutputOptions, default: DefaultBudget) -> Self {
        let ceiling = context.token_ceiling();
        let most = ceiling.unwrap_or(MAX_ANSWER_TOKENS).clamp(MIN_ANSWER_TOKENS, MAX_ANSWER_TOKENS);
        match view.max_tokens {
            Some(0) if ceiling.is_none() => Self { max_tokens: None, max_bytes: None },
            Some(tokens) if tokens > 0 => {
                Self { max_tokens: Some(tokens.clamp(MIN_ANSWER_TOKENS, most)), max_bytes: Some(MAX_ANSWER_BYTES) }
            }
            None if !view.is_full_detail() => {
                Self { max_tokens: Some(default.max_tokens.min(most)), max_bytes: Some(default.max_bytes) }
            }
            _ => Self { max_tokens: Some(most), max_bytes: Some(MAX_ANSWER_BYTES) },
        }
    }

    /// The budget of the largest answer that a caller gets.
    pub fn largest(context: &CallContext) -> Self {
        let most = context.token_ceiling().unwrap_or(MAX_ANSWER_TOKENS).clamp(MIN_ANSWER_TOKENS, MAX_ANSWER_TOKENS);
        Self { max_tokens: Some(most), max_bytes: Some(MAX_ANSWER_BYTES) }
    }

    /// The maximum number of tokens of the answer; `None` for no limit.
    pub fn max_tokens(self) -> Option<usize> {
        self.max_tokens
    }

    /// The number of rows that fit, of which each has at least one byte.
    pub fn max_rows(self) -> usize {
        self.max_bytes.unwrap_or(usize::MAX)
    }

    /// The maximum length of a call in the answer, in bytes, where a shorter text says the same: an eighth of the budget.
    pub fn max_command_bytes(self) -> usize {
        (self.approximate_max_bytes() / 8).min(MAX_COMMAND_BYTES)
    }

    /// The maximum length of the line with the files that have most rows, in bytes: a tenth of the budget.
    pub fn max_file_counts_bytes(self) -> usize {
        (self.approximate_max_bytes() / 10).min(MAX_FILE_COUNTS_BYTES)
    }

    /// The length of an answer that fits the budget, in bytes, at four bytes a token.
    fn approximate_max_bytes(self) -> usize {
        let max_bytes = self.max_tokens.map_or(usize::MAX, |tokens| tokens.saturating_mul(4));
        max_bytes.min(self.max_bytes.unwrap_or(usize::MAX))
    }

    /// Whether the answer has neither a token limit nor a byte limit.
    pub fn is_unlimited(self) -> bool {
        self.max_tokens.is_none() && self.max_bytes.is_none()
    }

    /// Whether `text` fits the budget.
    pub fn can_hold_text(self, text: &str) -> bool {
        self.max_bytes.is_none_or(|chars| text.len() <= chars)
            && self.max_tokens.is_none_or(|tokens| peelback_tokens::estimate_tokens(text) <= tokens)
    }

    /// The share of `text` (0 to 1) that fits the budget, for a text that is too long.
    pub fn share_of_text_that_fits(self, text: &str) -> f64 {
        let share_under_limit =
            |limit: Option<usize>, used: usize| limit.map_or(1.0, |limit| limit as f64 / used.max(1) as f64);
        share_under_limit(self.max_bytes, text.len())
            .min(share_under_limit(self.max_tokens, peelback_tokens::estimate_tokens(text)))
    }
}

/// How many of `rows` rows to keep where a share of their text (from 0) fits the budget: a twentieth less than the
/// share, since rows differ in length. The next attempt measures again.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "neither factor is negative, and a cast from a float stops at the bounds of the integer"
)]
pub(crate) fn row_count_for_text_share(rows: usize, share: f64) -> usize {
    (rows as f64 * share * 0.95) as usize
}
