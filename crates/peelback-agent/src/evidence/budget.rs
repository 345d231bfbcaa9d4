//! The number of outlines and symbol bodies in an evidence document, planned from its token budget.

/// The maximum number of symbol bodies in an evidence document, whatever its token budget.
const MOST_BODIES: usize = 24;

/// The minimum number of symbol bodies that are planned for an evidence document, whatever its token budget: a reader
/// wants code.
const LEAST_BODIES: usize = 2;

/// The percentage of the token budget that is reserved for symbol bodies, before unused budget is given to further
/// bodies.
const CODE_SHARE: usize = 50;

/// The planned maximum size of each part of an evidence document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Budget {
    /// The maximum number of symbol bodies.
    pub bodies: usize,
    /// The maximum number of symbol bodies from one file.
    pub bodies_of_file: usize,
    /// The maximum number of characters of a symbol body.
    pub body_chars: usize,
    /// The maximum number of files with an outline.
    pub outlines: usize,
    /// The maximum number of characters of an outline.
    pub outline_chars: usize,
    /// The maximum number of passages that the retrieval returns.
    pub passages: usize,
    /// The maximum number of passages from one file that the retrieval returns.
    pub passages_of_file: usize,
    /// The number of tokens that are reserved for the planned symbol bodies.
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

    /// The number of symbol bodies that fit into the reserved tokens. `prices` are the token counts of the bodies, in
    /// order.
    pub fn fitting_symbol_body_count(&self, prices: impl Iterator<Item = usize>) -> usize {
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
        assert_eq!(small.fitting_symbol_body_count([700, 700, 700].into_iter()), 2);
        assert_eq!(usual.fitting_symbol_body_count([1_000; 9].into_iter()), 4);
        assert_eq!(Budget::from_max_tokens(0).fitting_symbol_body_count(std::iter::empty()), 0);
    }
}
