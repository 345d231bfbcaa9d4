//! What a run used.

use std::fmt;
use std::time::Duration;

use super::super::model::Usage;

/// What a run used so far.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Spent {
    /// Tokens, as the provider reported them. For calls whose reply reported nothing they are estimates.
    pub usage: Usage,
    /// Calls that were answered.
    pub calls: u64,
    /// Those of `calls` whose tokens are estimates, since the provider reported none.
    pub estimated: u64,
    /// Calls that failed after they were sent.
    pub failed: u64,
    /// Tokens of calls, and of tries before an answer, that failed in a way that leaves open whether they are billed:
    /// the most that each may have used. The ceilings count them.
    pub unsure: u64,
    /// US dollars that `usage` costs; `None` where the model's price is not known.
    pub cost: Option<f64>,
    /// How long calls waited for the throttle.
    pub waited: Duration,
}

impl fmt::Display for Spent {
    /// In one line: `3 calls, 12,345 tokens in and 678 out, $0.04`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let calls = if self.calls == 1 { "call" } else { "calls" };
        let (input, output) = (grouped(self.usage.input), grouped(self.usage.output));
        write!(f, "{} {calls}, {input} tokens in and {output} out, {}", self.calls, dollars(self.cost))?;
        if self.estimated > 0 {
            write!(f, " (estimated for {}, whose usage was not reported)", self.estimated)?;
        }
        match (self.failed, self.unsure) {
            (_, 0) => {}
            (0, unsure) => write!(f, "; perhaps {} tokens more for tries that failed", grouped(unsure))?,
            (failed, unsure) => write!(f, "; {failed} failed, perhaps {} tokens more", grouped(unsure))?,
        }
        Ok(())
    }
}

/// A cost in words.
pub(super) fn dollars(cost: Option<f64>) -> String {
    match cost {
        None => "cost unknown".to_owned(),
        Some(cost) if cost > 0.0 && cost < 0.01 => format!("${cost:.4}"),
        Some(cost) => format!("${cost:.2}"),
    }
}

/// A number with its thousands apart.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_in_one_line() {
        let usage = Usage { input: 1_234_567, output: 89, ..Usage::default() };
        let spent = Spent { usage, calls: 1, cost: Some(0.0042), ..Spent::default() };
        assert_eq!(spent.to_string(), "1 call, 1,234,567 tokens in and 89 out, $0.0042");
        let spent = Spent { calls: 2, failed: 1, unsure: 1_000, cost: None, ..spent };
        let words = "2 calls, 1,234,567 tokens in and 89 out, cost unknown; 1 failed, perhaps 1,000 tokens more";
        assert_eq!(spent.to_string(), words);
        let spent = Spent { failed: 0, ..spent };
        assert!(spent.to_string().ends_with("; perhaps 1,000 tokens more for tries that failed"), "{spent}");
        assert_eq!([0, 999, 1_000, 100_000].map(grouped), ["0", "999", "1,000", "100,000"]);
    }
}
