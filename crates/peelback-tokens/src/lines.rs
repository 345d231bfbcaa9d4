//! The prices of a text's lines.

use crate::scan::Scanner;
use crate::with_margin;

/// The price of each line of a text, summed up so that any range of lines is priced at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineCosts {
    /// The sum of the lines before each line, and at the end the sum of all.
    sums: Vec<i64>,
}

impl LineCosts {
    /// Prices the lines of `text`: each ends behind its `\n`, the last one with the text.
    pub fn of(text: &str) -> Self {
        let mut scanner = Scanner::new(text);
        // Lines of code are some 35 bytes long: growing the sums by doubling would copy them over and over.
        let mut sums = Vec::with_capacity(text.len() / 24 + 2);
        sums.push(0);
        let mut sum = 0;
        while let Some(line) = scanner.line() {
            sum += line;
            sums.push(sum);
        }
        Self { sums }
    }

    /// How many lines the text has.
    pub fn lines(&self) -> u32 {
        u32::try_from(self.sums.len().saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// What the lines `first` to `last` cost: counted from 1, both ends included, as far as there are such lines.
    pub fn range(&self, first: u32, last: u32) -> usize {
        let before = self.sums.get(first.saturating_sub(1) as usize);
        let upto = self.sums.get(last.min(self.lines()) as usize);
        match (before, upto) {
            (Some(before), Some(upto)) => with_margin(upto - before),
            _ => 0,
        }
    }

    /// What the whole text costs.
    pub fn total(&self) -> usize {
        self.range(1, self.lines())
    }
}
