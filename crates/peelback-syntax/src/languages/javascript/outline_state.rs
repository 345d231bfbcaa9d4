//! What the outline of a JavaScript file keeps while it is made.

use super::property_definers::PropertyDefiners;
use super::prototypes::Prototypes;

/// What the outline of one file keeps between its statements.
#[derive(Default)]
pub(super) struct OutlineState {
    /// The functions whose calls define properties, once they were needed.
    pub definers: Option<PropertyDefiners>,
    /// The node id of the function that the last of these calls makes a part of its property.
    pub last_function: Option<usize>,
    /// What the file's top level does with prototypes, once it was needed.
    pub prototypes: Option<Prototypes>,
}
