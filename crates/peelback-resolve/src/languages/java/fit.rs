//! How well an argument fits a parameter.

/// How well a value fits the type of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum Fit {
    /// It is of that type.
    Exact,
    /// It is of a type that derives from it, or a smaller primitive type.
    Derived,
    /// It is a primitive value in place of an object, or the other way round.
    Boxed,
    /// It is not known whether it fits.
    Unknown,
    /// It does not fit.
    Not,
}
