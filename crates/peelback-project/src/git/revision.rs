//! Revisions in git's notation: `main`, `v1.0`, `HEAD~2`, `origin/main^2`, `1f3c9a2`, `v1.0^{commit}`.

use super::read_error::GitReadError;

/// The maximum length of a revision's text in bytes.
const MAX_CHARS: usize = 1024;

/// The maximum number of commits that one `~n` step may go back.
const MAX_GENERATIONS: u32 = 10_000;

/// A step from a commit to one of its ancestors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RevisionStep {
    /// `~n`: `n` times the first parent.
    FirstParents(u32),
    /// `^n`: the parent number `n`, from 1; 0 is the commit itself.
    Parent(u32),
}

/// A parsed revision: a base, and the steps from the base to an ancestor.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Revision<'a> {
    /// The name of a reference, or the digits of an object id; `HEAD` for `@`.
    pub(super) base: &'a str,
    /// The steps that follow the base, from left to right.
    pub(super) steps: Vec<RevisionStep>,
}

impl<'a> Revision<'a> {
    /// Parses a revision. The notations for reflogs (`@{1}`), searches (`:/text`) and paths (`HEAD:path`) are not
    /// supported.
    pub(super) fn parse(text: &'a str) -> Result<Self, GitReadError> {
        let unknown = || GitReadError::UnknownRevision(text.chars().take(80).filter(|c| !c.is_control()).collect());
        if text.is_empty() || text.len() > MAX_CHARS || text.chars().any(|c| c.is_control() || c == ':') {
            return Err(unknown());
        }
        let end = text.find(['~', '^']).unwrap_or(text.len());
        let (base, mut rest) = text.split_at_checked(end).ok_or_else(unknown)?;
        if base.is_empty() || base.contains("@{") {
            return Err(unknown());
        }
        let mut steps = Vec::new();
        while let Some(operator) = rest.chars().next() {
            rest = rest.get(1..).unwrap_or("");
            if operator == '^'
                && let Some(after) = rest.strip_prefix("{commit}").or_else(|| rest.strip_prefix("{}"))
            {
                // `^{commit}` and `^{}` add no step: a resolved revision is always a commit.
                rest = after;
                continue;
            }
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let (number, after) = rest.split_at_checked(digits).ok_or_else(unknown)?;
            let number = if number.is_empty() { 1 } else { number.parse().map_err(|_| unknown())? };
            steps.push(match operator {
                '~' if number <= MAX_GENERATIONS => RevisionStep::FirstParents(number),
                '^' => RevisionStep::Parent(number),
                _ => return Err(unknown()),
            });
            rest = after;
        }
        Ok(Self { base: if base == "@" { "HEAD" } else { base }, steps })
    }
}

#[cfg(test)]
mod tests {
    use super::{Revision, RevisionStep};

    #[test]
    fn a_revision_is_a_base_with_steps() {
        for (text, base, steps) in [
            ("main", "main", vec![]),
            ("@", "HEAD", vec![]),
            ("HEAD~2", "HEAD", vec![RevisionStep::FirstParents(2)]),
            ("HEAD^^2~", "HEAD", vec![RevisionStep::Parent(1), RevisionStep::Parent(2), RevisionStep::FirstParents(1)]),
            ("v1.0^{commit}~1", "v1.0", vec![RevisionStep::FirstParents(1)]),
            ("v1.0^{}", "v1.0", vec![]),
        ] {
            assert_eq!(Revision::parse(text), Ok(Revision { base, steps }), "{text}");
        }
    }

    #[test]
    fn unsupported_notations_are_unknown_revisions() {
        for text in
            ["", "^", "~1", "HEAD:path", ":/fix", "main@{1}", "HEAD~99999999999", "HEAD~10001", "HEAD^{tree}", "a\nb"]
        {
            assert!(Revision::parse(text).is_err(), "{text:?}");
        }
    }
}
