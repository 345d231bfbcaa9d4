//! The tokens and the cost that a run has used.

use std::fmt;
use std::time::Duration;

use crate::chat::model::Usage;

/// The tokens and the cost that the calls of a run have used so far.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Spending {
    /// The tokens that the provider reported, and estimates for calls whose reply reported none.
    pub usage: Usage,
    /// The number of calls that received a reply.
    pub calls: u64,
    /// The number of calls with a reply whose tokens are estimated, since the provider reported no usage.
    pub estimated: u64,
    /// The number of calls that failed after they were sent.
    pub failed: u64,
    /// The highest number of tokens that failed calls and tries may have used, where it is unknown whether they are
    /// billed. The limits of the run count them.
    pub possibly_billed: u64,
    /// The cost of the tokens in `usage` in US dollars; `None` where the price of the model is unknown.
    pub cost: Option<f64>,
    /// The time that calls waited for the rate limiter.
    pub waited: Duration,
}

impl fmt::Display for Spending {
    /// Writes the spending in one line: `3 calls, 12,345 tokens in and 678 out, $0.04`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let calls = if self.calls == 1 { "call" } else { "calls" };
        let (input, output) =
            (format_with_thousands_commas(self.usage.input), format_with_thousands_commas(self.usage.output));
        write!(f, "{} {calls}, {input} tokens in and {output} out, {}", self.calls, format_dollars(self.cost))?;
        if self.estimated > 0 {
            write!(f, " (estimated for {}, whose usage was not reported)", self.estimated)?;
        }
        match (self.failed, self.possibly_billed) {
            (_, 0) => {}
            (0, tokens) => {
                write!(f, "; perhaps {} tokens more for tries that failed", format_with_thousands_commas(tokens))?
            }
            (failed, tokens) => {
                write!(f, "; {failed} failed, perhaps {} tokens more", format_with_thousands_commas(tokens))?
            }
        }
        Ok(())
    }
}

/// A cost in US dollars as text: `$0.04`, with four decimals below one cent.
pub(super) fn format_dollars(cost: Option<f64>) -> String {
    match cost {
        None => "cost unknown".to_owned(),
        Some(cost) if cost > 0.0 && cost < 0.01 => format!("${cost:.4}"),
        Some(cost) => format!("${cost:.2}"),
    }
}

/// A number as text, with commas between groups of three digits.
pub(super) fn format_with_thousands_commas(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spending_is_formatted_as_one_line() {
        let usage = Usage { input: 1_234_567, output: 89, ..Usage::default() };
        let spending = Spending { usage, calls: 1, cost: Some(0.0042), ..Spending::default() };
        assert_eq!(spending.to_string(), "1 call, 1,234,567 tokens in and 89 out, $0.0042");
        let spending = Spending { calls: 2, failed: 1, possibly_billed: 1_000, cost: None, ..spending };
        let words = "2 calls, 1,234,567 tokens in and 89 out, cost unknown; 1 failed, perhaps 1,000 tokens more";
        assert_eq!(spending.to_string(), words);
        let spending = Spending { failed: 0, ..spending };
        assert!(spending.to_string().ends_with("; perhaps 1,000 tokens more for tries that failed"), "{spending}");
        assert_eq!([0, 999, 1_000, 100_000].map(format_with_thousands_commas), ["0", "999", "1,000", "100,000"]);
    }
}
