//! Resolves occurrences and expressions to what they refer to as names, not to their values.

use peelback_syntax::names::{BindingKind, Expr, ExprId, NameId, Occurrence, Role, Target};

use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::declaration::DeclarationSpace;
use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::missing::Missing;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::Value;

impl Resolver<'_> {
    /// Resolves an occurrence of a name, without the referents that it cannot mean in its role.
    pub fn resolve_occurrence(&self, file: FileId, occurrence: &Occurrence) -> Resolution {
        let resolution = self.resolve_occurrence_target(file, occurrence.target, occurrence.name);
        self.semantics_of_file_language_or_default(file)
            .remove_referents_unfit_for_occurrence_role(self, file, occurrence, resolution)
    }

    /// Resolves the target of an occurrence. The local name of an import resolves to what it imports.
    pub fn resolve_occurrence_target(&self, file: FileId, target: Target, name: NameId) -> Resolution {
        let mut budget = self.new_budget();
        let mut resolution = match target {
            Target::Binding(binding) => self.resolve_definition_through_import(Def { file, binding }, &mut budget),
            Target::Expr(expr) => {
                let found = self.resolve_expr_as_name(file, expr, &mut budget);
                let is_outside = matches!(found.referents.as_slice(), [Referent::External]);
                // What a macro makes of a name among its tokens is not known.
                let is_unknown = is_outside
                    && (self.is_unbound_name_in_macro_call(file, expr)
                        || self.is_unbound_name_of_project_possibly(file, expr));
                if is_unknown { Resolution::default() } else { found }
            }
            Target::Imported(import, Some(name)) => self.resolve_import(file, import, Some(name), &mut budget),
            Target::Imported(import, None) => self.resolve_import(file, import, None, &mut budget),
            Target::Parameter { callee } => self.named_parameter_or_field_of_callee(file, callee, name, &mut budget),
            Target::Unknown => Resolution::default(),
        };
        resolution.missing |= Missing::left_out_if(budget.exhausted);
        resolution
    }

    /// Resolves an expression as a name: to the definition, not to its value.
    pub fn resolve_expr_as_name(&self, file: FileId, expr: ExprId, budget: &mut EvaluationBudget) -> Resolution {
        budget.run_nested_within_limits(|budget| match self.expr_by_id(file, expr) {
            Expr::Name { name, scope, at } => {
                let semantics = self.semantics_of_file_language_or_default(file);
                if let Some(found) = semantics.resolve_bare_name(self, file, (expr, scope), (name, at), budget) {
                    return found;
                }
                match self.semantics_of_file_language_or_default(file).members_are_visible_by_bare_names() {
                    true => self.look_up_name_among_scopes_and_members(file, (expr, scope), (name, at), budget),
                    false => self.look_up_name(file, scope, name, at, budget),
                }
            }
            // A name that may mean a member, else something in scope: a constant behind `case`.
            Expr::Fallback { value, other } => {
                let found = self.resolve_expr_as_name(file, value, budget);
                match found.referents.iter().all(|referent| *referent == Referent::External) {
                    true if !found.is_empty() => self.resolve_expr_as_name(file, other, budget),
                    _ => found,
                }
            }
            Expr::Member { base, name, .. } => self.resolve_member_expr(file, (expr, base), name, budget),
            Expr::Bound { binding } => self.resolve_definition_through_import(Def { file, binding }, budget),
            Expr::Imported { import } => self.resolve_import(file, import, None, budget),
            Expr::Generic { base: Some(base), .. } => self.resolve_expr_as_name(file, base, budget),
            Expr::ThisType { scope } => match self.this_type(file, scope, budget) {
                Some(def) => Resolution::new(vec![Referent::Def(def)], true),
                None => Resolution::default(),
            },
            Expr::Function { binding } => Resolution::new(vec![Referent::Def(Def { file, binding })], true),
            _ => Resolution::default(),
        })
    }

    /// Removes types where `role` needs a value, and values where it needs a type, unless nothing else would be left.
    pub fn remove_types_or_values_unfit_for_role(&self, mut resolution: Resolution, role: Role) -> Resolution {
        let wrong = match role {
            Role::Type => DeclarationSpace::Value,
            Role::Call | Role::Read | Role::Write | Role::Member | Role::Decorator => DeclarationSpace::Type,
            Role::Definition | Role::Import | Role::Export => return resolution,
        };
        let fits = |referent: &Referent| match referent {
            Referent::Def(def) => {
                self.binding_of_definition(*def).is_none_or(|binding| DeclarationSpace::from_binding(binding) != wrong)
            }
            _ => true,
        };
        if resolution.referents.len() > 1 && resolution.referents.iter().any(fits) {
            resolution.referents.retain(fits);
        }
        resolution
    }

    /// The parameter called `name` of the function that `callee` means, or the field called `name` of the type that it
    /// constructs.
    fn named_parameter_or_field_of_callee(
        &self,
        file: FileId,
        callee: ExprId,
        name: NameId,
        budget: &mut EvaluationBudget,
    ) -> Resolution {
        let text = self.name_text(file, name).to_owned();
        let values = self.evaluate_expr(file, callee, budget);
        let mut resolution = Resolution::default();
        for value in &values.list {
            match value {
                Value::Function(def) => resolution.add(self.function_parameter_by_name(*def, &text, values.sure)),
                Value::Type(def, _) => {
                    let maker = self
                        .semantics_of_file_language_or_default(def.file)
                        .constructor_method_names()
                        .iter()
                        .find_map(|maker| {
                            let found = self.type_member(*def, maker, budget);
                            found.referents.into_iter().find_map(|referent| match referent {
                                Referent::Def(maker) => Some(maker),
                                _ => None,
                            })
                        });
                    match maker {
                        Some(maker) => resolution.add(self.function_parameter_by_name(maker, &text, values.sure)),
                        None => {
                            let mut field = self.type_member(*def, &text, budget);
                            field.sure &= values.sure;
                            field.missing |= values.missing;
                            resolution.add(field);
                        }
                    }
                }
                Value::External | Value::Outside(..) => resolution.add(Resolution::new_outside_project()),
                _ => {}
            }
        }
        resolution
    }

    fn function_parameter_by_name(&self, function: Def, name: &str, sure: bool) -> Resolution {
        let Some(indexed) = self.names_index(function.file) else { return Resolution::default() };
        let body = indexed.binding_or_placeholder(function.binding).body;
        let found = body.map_or(&[][..], |body| indexed.bindings_of_name_text_in_scope(body, name));
        let found = found.iter().filter(|id| indexed.binding_or_placeholder(**id).kind == BindingKind::Parameter);
        let defs = found.map(|id| Referent::Def(Def { file: function.file, binding: *id })).collect();
        Resolution::new(defs, sure)
    }
}
