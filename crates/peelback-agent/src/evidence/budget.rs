//! How many outlines and bodies a document with a given token budget contains.

/// The most bodies in a document, whatever its budget.
const MOST_BODIES: usize = 24;

/// The fewest bodies that a document plans for, whatever its budget: a reader wants code.
const LEAST_BODIES: usize = 2;

/// Percentage of the budget that is reserved for bodies before unused budget is given to further bodies.
const CODE_SHARE: usize = 50;

/// The planned size of each part of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Budget {
    /// The most bodies.
    pub bodies: usize,
    /// The most bodies from one file.
    pub bodies_of_file: usize,
    /// The most characters of a body.
    pub body_chars: usize,
    /// The most files with an outline.
    pub outlines: usize,
    /// The most characters of an outline.
    pub outline_chars: usize,
    /// The most passages that are retrieved.
    pub passages: usize,
    /// The most passages that are retrieved from one file.
    pub passages_of_file: usize,
    /// Tokens reserved for the planned bodies.
    code_tokens: usize,
}

impl Budget {
    pub fn from_max_tokens(max_tokens: usize) -> Self {
        let bodies = (max_tokens / 500).clamp(LEAST_BODIES, MOST_BODIES);
        Self {
            bodies,
            bodies_of_file: (max_tokens / 2_500).clamp(3, 6),
            body_chars: if max_tokens < 6_000 { max_tokens * 2 / 3 } else { max_tokens / 2 }.clamp(500, 12_000),
            outlines: (max_tokens / 1_500).clamp(1, 12),
            outline_chars: (max_tokens / 7).clamp(500, 2_400),
            passages: (bodies * 3).max(40),
            passages_of_file: (max_tokens / 2_500).clamp(4, 8),
            code_tokens: max_tokens * CODE_SHARE / 100,
        }
    }

    /// Number of bodies that fit the reserved tokens, given the bodies' token counts in order.
    pub fn fitting_body_count(&self, prices: impl Iterator<Item = usize>) -> usize {
        let mut sum = 0;
        prices
            .enumerate()
            .take_while(|(place, price)| {
                sum += price;
                *place < LEAST_BODIES || sum <= self.code_tokens
            })
            .count()
    }
}

#[cfg(test)]
mod tests {
    use super::Budget;

    #[test]
    fn more_tokens_hold_more_code() {
        let [small, usual, large] = [1_750, 8_000, 32_000].map(Budget::from_max_tokens);
        assert!(small.bodies < usual.bodies && usual.bodies < large.bodies);
        assert!(small.body_chars < usual.body_chars && usual.body_chars < large.body_chars);
        assert_eq!(small.fitting_body_count([700, 700, 700].into_iter()), 2);
        assert_eq!(usual.fitting_body_count([1_000; 9].into_iter()), 4);
        assert_eq!(Budget::from_max_tokens(0).fitting_body_count(std::iter::empty()), 0);
    }
}
