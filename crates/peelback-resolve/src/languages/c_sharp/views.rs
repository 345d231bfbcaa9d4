//! The types of the platform and of libraries that values of C# are instances of.

use super::super::type_parameters::{OutsideView, views_as_outside_types};
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::Value;

/// The types outside the project that a value is an instance of.
pub(super) fn outside_views(resolver: &Resolver<'_>, value: &Value, budget: &mut EvaluationBudget) -> Vec<OutsideView> {
    views_as_outside_types(resolver, value, budget)
}
