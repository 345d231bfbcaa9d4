//! Groups of `#if` … `#endif`, and whether the grammar can parse a group as written.

use std::ops::Range;

/// The most lines of a group with several branches that is flattened only because its code looks incomplete. A longer
/// group contains definitions.
const MAX_SPLIT_LINES: usize = 30;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Brace {
    Code,
    Initialiser,
    /// The brace of `extern "C" {`: its content still counts as top level.
    Linkage,
}

/// The open braces and parentheses at a position of the scan.
#[derive(Clone, PartialEq, Eq, Default)]
pub(super) struct Nesting {
    pub braces: Vec<Brace>,
    pub parens: usize,
}

pub(super) struct Branch {
    pub directive: Range<usize>,
    pub end: usize,
    /// Whether the condition is `#if 0`.
    pub never: bool,
    pub after: Nesting,
    pub first: u8,
    pub starts_with_else: bool,
    pub last: u8,
}

/// An `#if` with the branches that were read so far.
pub(super) struct Group {
    pub at: Nesting,
    pub previous: u8,
    pub branches: Vec<Branch>,
}

impl Group {
    /// Whether a group splits a statement or an expression, so that the grammar cannot parse it as written.
    pub fn splits_syntax(&self, bytes: &[u8], end: usize) -> bool {
        let unbalanced = self.branches.iter().any(|branch| branch.after != self.at);
        let inside_value = self.at.parens > 0 || self.at.braces.last() == Some(&Brace::Initialiser);
        if unbalanced || inside_value {
            return true;
        }
        let non_empty_branches = || self.branches.iter().filter(|branch| branch.first != 0);
        let is_inside_statement =
            non_empty_branches().next().is_some() && !matches!(self.previous, 0 | b';' | b'{' | b'}' | b':' | b',');
        let continues_after = non_empty_branches()
            .any(|branch| branch.starts_with_else || !matches!(branch.last, b';' | b'{' | b'}' | b':' | b','));
        if !is_inside_statement && !continues_after {
            return false;
        }
        let start = self.branches.first().map_or(end, |branch| branch.directive.start);
        let group_bytes = bytes.get(start..end).unwrap_or(&[]);
        self.branches.len() == 1 || memchr::memchr_iter(b'\n', group_bytes).count() <= MAX_SPLIT_LINES
    }
}
