//! Groups of `#if` … `#endif`, and whether the grammar can take one as it stands.

use std::ops::Range;

/// Groups of several branches that only look split are flattened up to this many lines: a long one holds definitions.
const MAX_SPLIT_LINES: usize = 30;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Brace {
    Code,
    Initialiser,
    /// `extern "C" {`: what is inside still stands at the top.
    Linkage,
}

/// Where the scan stands in the nesting.
#[derive(Clone, PartialEq, Eq, Default)]
pub(super) struct Nesting {
    pub braces: Vec<Brace>,
    pub parens: usize,
}

pub(super) struct Branch {
    pub directive: Range<usize>,
    pub end: usize,
    /// `#if 0`.
    pub never: bool,
    pub after: Nesting,
    pub first: u8,
    pub starts_with_else: bool,
    pub last: u8,
}

/// A `#if` with its branches so far.
pub(super) struct Group {
    pub at: Nesting,
    pub previous: u8,
    pub branches: Vec<Branch>,
}

impl Group {
    /// Whether the grammar cannot take a group as it stands.
    pub fn is_split(&self, bytes: &[u8], end: usize) -> bool {
        let unbalanced = self.branches.iter().any(|branch| branch.after != self.at);
        let inside_value = self.at.parens > 0 || self.at.braces.last() == Some(&Brace::Initialiser);
        if unbalanced || inside_value {
            return true;
        }
        let said = || self.branches.iter().filter(|branch| branch.first != 0);
        let stands_inside = said().next().is_some() && !matches!(self.previous, 0 | b';' | b'{' | b'}' | b':' | b',');
        let goes_on =
            said().any(|branch| branch.starts_with_else || !matches!(branch.last, b';' | b'{' | b'}' | b':' | b','));
        if !stands_inside && !goes_on {
            return false;
        }
        let start = self.branches.first().map_or(end, |branch| branch.directive.start);
        let group_bytes = bytes.get(start..end).unwrap_or(&[]);
        self.branches.len() == 1 || memchr::memchr_iter(b'\n', group_bytes).count() <= MAX_SPLIT_LINES
    }
}
