//! What may be missing from a list of values or referents.

use std::ops::BitOrAssign;

/// Whether entries may be missing from a list, and why. Of two reasons the later one here holds for both.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Missing {
    /// The list is whole.
    #[default]
    Nothing,
    /// An alternative is not known: the source does not tell it.
    Unknown,
    /// A limit left out alternatives, or steps that lead to them.
    LeftOut,
}

impl Missing {
    /// [`Missing::LeftOut`] if a limit was reached.
    pub fn left_out_if(is_limit_reached: bool) -> Self {
        if is_limit_reached { Self::LeftOut } else { Self::Nothing }
    }

    /// [`Missing::Unknown`] if an alternative is not known.
    pub fn unknown_if(is_unknown: bool) -> Self {
        if is_unknown { Self::Unknown } else { Self::Nothing }
    }

    /// Whether anything may be missing.
    pub fn is_any(self) -> bool {
        self != Self::Nothing
    }
}

impl BitOrAssign for Missing {
    fn bitor_assign(&mut self, other: Self) {
        *self = (*self).max(other);
    }
}
