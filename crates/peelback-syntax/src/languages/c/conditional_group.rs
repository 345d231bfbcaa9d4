//! Groups of preprocessor conditionals (`#if` … `#endif`) in C source, and whether C's grammar can parse a group as
//! written.

use std::ops::Range;

/// Limit on the lines of an `#if` group with several branches that is flattened (reduced to one branch) only because
/// its code looks incomplete. A longer group is taken to contain whole definitions.
const MAX_SPLIT_LINES: usize = 30;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum BraceKind {
    Code,
    Initialiser,
    /// The brace of `extern "C" {`: the declarations inside still count as top level.
    Linkage,
}

/// The braces and parentheses that are open at one position of the scanned C source.
#[derive(Clone, PartialEq, Eq, Default)]
pub(super) struct Nesting {
    pub braces: Vec<BraceKind>,
    pub parens: usize,
}

pub(super) struct ConditionalBranch {
    pub directive: Range<usize>,
    pub end: usize,
    /// Whether the branch begins with `#if 0`.
    pub is_never_compiled: bool,
    pub nesting_after: Nesting,
    pub first_code_byte: u8,
    pub starts_with_else: bool,
    pub last_code_byte: u8,
}

/// An `#if` whose `#endif` was not read yet, with the branches that were read so far.
pub(super) struct ConditionalGroup {
    pub nesting_before: Nesting,
    pub previous_code_byte: u8,
    pub branches: Vec<ConditionalBranch>,
}

impl ConditionalGroup {
    /// Whether an `#if` group splits a statement or an expression, so that the grammar cannot parse it as written.
    pub fn is_splitting_statement_or_expression(&self, bytes: &[u8], end: usize) -> bool {
        let unbalanced = self.branches.iter().any(|branch| branch.nesting_after != self.nesting_before);
        let inside_value =
            self.nesting_before.parens > 0 || self.nesting_before.braces.last() == Some(&BraceKind::Initialiser);
        if unbalanced || inside_value {
            return true;
        }
        let non_empty_branches = || self.branches.iter().filter(|branch| branch.first_code_byte != 0);
        let is_inside_statement = non_empty_branches().next().is_some()
            && !matches!(self.previous_code_byte, 0 | b';' | b'{' | b'}' | b':' | b',');
        let continues_after = non_empty_branches().any(|branch| {
            branch.starts_with_else || !matches!(branch.last_code_byte, b';' | b'{' | b'}' | b':' | b',')
        });
        if !is_inside_statement && !continues_after {
            return false;
        }
        let start = self.branches.first().map_or(end, |branch| branch.directive.start);
        let group_bytes = bytes.get(start..end).unwrap_or(&[]);
        self.branches.len() == 1 || memchr::memchr_iter(b'\n', group_bytes).count() <= MAX_SPLIT_LINES
    }
}
