//! Estimates of the tokens of whole texts, and the safety margin of every estimate.

use crate::scan::Scanner;
use crate::tables::UNIT;

/// The estimated number of tokens of `text`; the crate's documentation gives the method and the accuracy.
pub fn estimate_tokens(text: &str) -> usize {
    let mut scanner = Scanner::new(text);
    let mut sum = 0;
    while let Some(line) = scanner.scan_line_and_get_token_cost() {
        sum += line;
    }
    cost_units_to_tokens_with_margin(sum)
}

/// The estimate for a text whose pieces have prices that add up to `sum` [`UNIT`]s: whole tokens, with the safety
/// margin.
pub(crate) fn cost_units_to_tokens_with_margin(sum: i64) -> usize {
    if sum <= 0 {
        return 0;
    }
    #[expect(clippy::cast_precision_loss, reason = "a text of 2^53 units does not fit into memory")]
    let tokens = sum as f64 / UNIT as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive, and below 2^53")]
    let estimate = (tokens * 1.03 + tokens.sqrt() + 1.5) as usize;
    estimate
}
