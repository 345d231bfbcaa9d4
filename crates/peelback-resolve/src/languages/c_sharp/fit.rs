//! How well values fit parameters.

/// How well a value fits the type of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// It is of that type.
    Exact,
    /// It is of a type that derives from it, or a smaller number.
    Derived,
    /// It is converted by an operator, or fits any type.
    Converted,
    /// It is not known whether it fits.
    Unknown,
    /// It does not fit.
    Not,
}
