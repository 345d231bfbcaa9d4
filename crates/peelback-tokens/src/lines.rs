//! Estimates of the tokens in ranges of a text's lines.

use crate::estimate::cost_units_to_tokens_with_margin;
use crate::scan::Scanner;

/// The estimated price of each line of a text, as prefix sums: any range of lines is priced in constant time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineCosts {
    /// `sums[n]` is the price of the first `n` lines in [`UNIT`](crate::tables::UNIT)s, so that there is one entry more
    /// than there are lines.
    sums: Vec<i64>,
}

impl LineCosts {
    /// Prices the lines of `text`: each line includes its `\n`; the last line ends with the text.
    pub fn new(text: &str) -> Self {
        let mut scanner = Scanner::new(text);
        // Lines of code are some 35 bytes long: a vector that grows by doubling would copy the prices over and over.
        let mut sums = Vec::with_capacity(text.len() / 24 + 2);
        sums.push(0);
        let mut sum = 0;
        while let Some(line) = scanner.scan_line_and_get_token_cost() {
            sum += line;
            sums.push(sum);
        }
        Self { sums }
    }

    /// The number of lines of the text.
    pub fn line_count(&self) -> u32 {
        u32::try_from(self.sums.len().saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// The estimated tokens of the lines `first` to `last` of the text, which count from 1, both ends included. Lines
    /// that the text does not have cost nothing.
    pub fn estimated_tokens_in_lines(&self, first: u32, last: u32) -> usize {
        let before = self.sums.get(first.saturating_sub(1) as usize);
        let through = self.sums.get(last.min(self.line_count()) as usize);
        match (before, through) {
            (Some(before), Some(through)) => cost_units_to_tokens_with_margin(through - before),
            _ => 0,
        }
    }

    /// The estimated tokens of the whole text.
    pub fn estimated_total_tokens(&self) -> usize {
        self.estimated_tokens_in_lines(1, self.line_count())
    }
}
