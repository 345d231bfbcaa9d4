//! What languages with declared types and type parameters share: the bounds of type parameters, type arguments that a call
//! passes, and values as instances of types outside the project.

pub(super) use super::java::calls::substitute_type_arguments_of_call;
pub(super) use super::java::types::{OutsideView, bounds_of_type_parameter, views_as_outside_types};
