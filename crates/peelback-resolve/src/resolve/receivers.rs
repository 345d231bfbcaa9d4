//! Which types a receiver may have besides those that its expression is evaluated to.

use peelback_syntax::names::{BindingKind, Expr, ExprId};

use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent};
use crate::resolve::resolver::Resolver;
use crate::resolve::value::Value;

/// The limit on the number of wrappers and type parameters between a receiver and the types that it may have.
const MAX_STEPS_TO_TYPE: usize = 4;

impl Resolver<'_> {
    /// The types of a receiver of which it may also be an heir, so that a member means what the heir makes of it. They are the
    /// types of an object, unless the object was made as an instance of exactly that type, and a type itself where a parameter
    /// (`cls`) or an object (`type(self)`) tells it.
    pub fn types_whose_heirs_receiver_may_be(
        &self,
        file: FileId,
        receiver: ExprId,
        budget: &mut EvaluationBudget,
    ) -> Vec<Def> {
        let values = self.evaluate_expr(file, receiver, budget);
        let is_object = values.list.iter().any(|value| matches!(value, Value::Instance(..)));
        let has_exact_type = is_object && self.is_newly_made_object(file, receiver, budget);
        let is_type = values.list.iter().any(|value| matches!(value, Value::Type(..)));
        let is_told_type = is_type && self.is_type_told_by_parameter_or_object(file, receiver, budget);
        let mut types = Vec::new();
        let mut next: Vec<(Value, usize)> = values.list.into_iter().map(|value| (value, 0)).collect();
        while let Some((value, depth)) = next.pop() {
            match value {
                Value::Instance(def, _) if !has_exact_type => types.push(def),
                Value::Type(def, _) if is_told_type => types.push(def),
                // A member of a wrapper (`Box<dyn Draw>`) that leads to the project is one of the wrapped object.
                Value::Container(held) if depth < MAX_STEPS_TO_TYPE => {
                    next.extend(held.iter().map(|value| (value.clone(), depth + 1)));
                }
                // A type parameter stands for any type that has its bounds.
                Value::Parameter(def) if depth < MAX_STEPS_TO_TYPE => {
                    let bound = self.binding_of_definition(def).and_then(|binding| binding.annotation);
                    let Some(bound) = bound else { continue };
                    let bounds =
                        budget.run_nested_within_limits(|budget| self.instances_of_type_expr(def.file, bound, budget));
                    next.extend(bounds.list.into_iter().map(|value| (value, depth + 1)));
                }
                _ => {}
            }
        }
        types.into_iter().map(|def| self.representative_of_same_name_in_scope(def)).collect()
    }

    /// Whether an expression is for sure an object that a call of its type made: `Provider()`, or a variable that holds
    /// nothing else.
    fn is_newly_made_object(&self, file: FileId, expr: ExprId, budget: &mut EvaluationBudget) -> bool {
        budget.run_nested_within_limits(|budget| match self.expr_by_id(file, expr) {
            Expr::Call { callee } | Expr::Applied { callee, .. } => {
                self.refers_only_to(file, callee, budget, |def, kind, budget| {
                    kind == BindingKind::Type
                        && !self
                            .semantics_of_file_language_or_default(def.file)
                            .can_call_of_type_make_heir(self, def, budget)
                })
            }
            Expr::Either(parts) => {
                let parts = self.names_of_file(file).map_or(&[][..], |names| names.expr_ids_in_list_range(parts));
                !parts.is_empty() && parts.iter().all(|part| self.is_newly_made_object(file, *part, budget))
            }
            Expr::Name { .. } | Expr::Bound { .. } => self.refers_only_to(file, expr, budget, |def, kind, budget| {
                kind == BindingKind::Variable && self.holds_only_newly_made_objects(def, budget)
            }),
            _ => false,
        })
    }

    /// Whether all values of a variable are objects that calls of their types made.
    fn holds_only_newly_made_objects(&self, def: Def, budget: &mut EvaluationBudget) -> bool {
        // A variable that takes its own value holds nothing else through that.
        if budget.open_definitions.contains(&def) {
            return true;
        }
        let Some(index) = self.names_index(def.file) else { return false };
        let own = index.binding_or_placeholder(def.binding);
        let together: &[u32] = match own.visible_from {
            0 => index.bindings_of_name_in_scope(own.scope, own.name),
            _ => std::slice::from_ref(&def.binding),
        };
        budget.open_definitions.push(def);
        let are_all = together.iter().all(|id| {
            let binding = index.binding_or_placeholder(*id);
            let values = index.names().expr_ids_in_list_range(binding.values);
            binding.kind == BindingKind::Variable
                && !values.is_empty()
                && values.iter().all(|value| self.is_newly_made_object(def.file, *value, budget))
        });
        budget.open_definitions.pop();
        are_all
    }

    /// Whether an expression for a type names a parameter, or takes the type of an object: each may tell an heir of the type
    /// that it is evaluated to.
    fn is_type_told_by_parameter_or_object(&self, file: FileId, expr: ExprId, budget: &mut EvaluationBudget) -> bool {
        match self.expr_by_id(file, expr) {
            Expr::ThisType { .. } | Expr::TypeOf { .. } => true,
            Expr::Name { .. } => self.refers_only_to(file, expr, budget, |_, kind, _| kind == BindingKind::Parameter),
            _ => false,
        }
    }

    /// Whether an expression refers to definitions as a name, all of which `test` accepts, and to nothing else.
    fn refers_only_to(
        &self,
        file: FileId,
        expr: ExprId,
        budget: &mut EvaluationBudget,
        test: impl Fn(Def, BindingKind, &mut EvaluationBudget) -> bool,
    ) -> bool {
        let resolution = self.resolve_expr_as_name(file, expr, budget);
        !resolution.is_empty()
            && !resolution.missing.is_any()
            && resolution.referents.iter().all(|referent| match referent {
                Referent::Def(def) => {
                    self.binding_of_definition(*def).is_some_and(|binding| test(*def, binding.kind, budget))
                }
                _ => false,
            })
    }
}
