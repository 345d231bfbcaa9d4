//! The types of a function's parameters, as the resolver keeps them.

use crate::resolve::value::PossibleValues;

/// What a function declares of its parameters.
pub(crate) struct DeclaredParameters {
    /// Instances of the type of each parameter.
    pub types: Vec<PossibleValues>,
    /// Whether the last parameter takes all further arguments.
    pub takes_rest: bool,
}
