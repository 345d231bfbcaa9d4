//! Type arguments of generic functions: written ones, else those inferred from the arguments of the call.

use peelback_syntax::names::{Expr, ExprId, Span};

use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent};
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{Arguments, PossibleValues, Value};

/// The limit on the levels of a declared type that are compared with an argument.
const MAX_DEPTH: usize = 6;

/// The type parameters of a called function, with the values inferred for them.
pub(crate) type InferredTypes = Vec<(Def, PossibleValues)>;

impl Resolver<'_> {
    /// The possible values of a call of `callee` with the arguments `args`, with type parameters replaced by what is
    /// inferred for them.
    pub(crate) fn generic_call_result(
        &self,
        file: FileId,
        callee: ExprId,
        args: Span,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        let (named, _) = self.split_callee_from_type_arguments(file, callee, budget);
        let given = self.call_result(file, named, budget);
        let extended = self.type_parameters_extended_by_classes(&given, budget);
        if extended.is_empty() && !given.list.iter().any(|value| self.has_type_parameter_at_any_level(value)) {
            return given;
        }
        let types = self.written_or_inferred_type_arguments(file, callee, args, budget);
        let mut all = self.substitute_type_parameters(given, &types, MAX_DEPTH);
        for (_, base) in types.into_iter().filter(|(parameter, _)| extended.contains(parameter)) {
            all.add(base);
        }
        all
    }

    /// The type parameters that the classes among some values extend: `class extends Base` with a parameter `Base: T`.
    fn type_parameters_extended_by_classes(&self, given: &PossibleValues, budget: &mut EvaluationBudget) -> Vec<Def> {
        let mut found = Vec::new();
        for value in &given.list {
            let Value::Type(made, _) = value else { continue };
            for &(file, base) in self.bases_of_type(*made, budget).iter() {
                let bases =
                    budget.run_nested_within_limits(|budget| self.evaluate_expr(file, base, budget)).list.into_iter();
                found.extend(bases.filter_map(|base| match base {
                    Value::Parameter(parameter) => Some(parameter),
                    _ => None,
                }));
            }
        }
        found
    }

    /// Replaces in `values` the type parameters that can be inferred from the arguments of the call that contains `of`.
    pub(crate) fn substitute_types_inferred_from_call(
        &self,
        file: FileId,
        mut of: ExprId,
        values: PossibleValues,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        for _ in 0..MAX_DEPTH {
            match self.expr_by_id(file, of) {
                Expr::Argument { of: outer, .. } => of = outer,
                Expr::Applied { callee, args } => {
                    let types = self.written_or_inferred_type_arguments(file, callee, args, budget);
                    return self.substitute_type_parameters(values, &types, MAX_DEPTH);
                }
                _ => break,
            }
        }
        values
    }

    /// A callee without its type arguments, and the type arguments that are written.
    fn split_callee_from_type_arguments(
        &self,
        file: FileId,
        callee: ExprId,
        budget: &mut EvaluationBudget,
    ) -> (ExprId, Arguments) {
        match self.expr_by_id(file, callee) {
            Expr::Generic { base: Some(base), args } => (base, self.evaluate_type_arguments(file, args, budget)),
            _ => (callee, None),
        }
    }

    fn has_type_parameter_at_any_level(&self, value: &Value) -> bool {
        value.is_or_contains_type_parameter() || self.has_type_parameter_in_type_arguments(value, MAX_DEPTH)
    }

    /// The values of a callee's type parameters: as written, else inferred from the arguments of the call.
    pub(crate) fn written_or_inferred_type_arguments(
        &self,
        file: FileId,
        callee: ExprId,
        args: Span,
        budget: &mut EvaluationBudget,
    ) -> InferredTypes {
        let (callee, explicit) = self.split_callee_from_type_arguments(file, callee, budget);
        let mut types = InferredTypes::new();
        let Some(names) = self.names_of_file(file) else { return types };
        let is_separate = self.semantics_of_file_language_or_default(file).overloads_are_separate_definitions();
        let functions = match is_separate {
            true => self.evaluate_callee(file, callee, budget),
            false => self.evaluate_expr(file, callee, budget),
        };
        for value in functions.list {
            for function in self.functions_called_through_value(&value, budget) {
                let Some(indexed) = self.names_index(function.file) else { continue };
                let Some(body) = indexed.binding_or_placeholder(function.binding).body else { continue };
                let of_file = |binding| Def { file: function.file, binding };
                let own: Vec<Def> = indexed.type_parameters_of_scope(body).into_iter().map(of_file).collect();
                if own.is_empty() {
                    continue;
                }
                if let Some(explicit) = &explicit {
                    types.extend(own.into_iter().zip(explicit.iter().cloned()));
                    continue;
                }
                for (parameter, arg) in
                    indexed.parameters_of_scope(body).into_iter().zip(names.expr_ids_in_list_range(args))
                {
                    let Some(annotation) = indexed.binding_or_placeholder(parameter).annotation else { continue };
                    let given = budget.run_nested_within_limits(|budget| self.evaluate_expr(file, *arg, budget));
                    if !given.list.is_empty() {
                        self.infer_type_parameters_from_passed_values(
                            function.file,
                            annotation,
                            given,
                            &own,
                            (&mut types, MAX_DEPTH),
                            budget,
                        );
                    }
                }
            }
        }
        types
    }

    /// Infers type parameters by comparing a declared type with the values passed for it, and adds what was inferred to
    /// `types`.
    pub(crate) fn infer_type_parameters_from_passed_values(
        &self,
        file: FileId,
        declared: ExprId,
        values: PossibleValues,
        own: &[Def],
        (types, deep): (&mut InferredTypes, usize),
        budget: &mut EvaluationBudget,
    ) {
        let (Some(deep), Some(names)) = (deep.checked_sub(1), self.names_of_file(file)) else { return };
        match self.expr_by_id(file, declared) {
            Expr::Name { .. } => {
                for referent in budget
                    .run_nested_within_limits(|budget| self.resolve_expr_as_name(file, declared, budget))
                    .referents
                {
                    if let Referent::Def(def) = referent
                        && own.contains(&def)
                        && !types.iter().any(|(known, _)| *known == def)
                    {
                        types.push((def, values.clone()));
                    }
                }
            }
            Expr::Generic { base: None, args } => {
                if let Some(last) = names.expr_ids_in_list_range(args).last() {
                    let inside =
                        budget.run_nested_within_limits(|budget| self.values_yielded_by_values(values, budget));
                    self.infer_type_parameters_from_passed_values(file, *last, inside, own, (types, deep), budget);
                }
            }
            Expr::Generic { base: Some(_), args } => {
                let args = names.expr_ids_in_list_range(args);
                let classes = self.instances_of_classes_among_values(&values);
                if let (false, Some(first)) = (classes.list.is_empty(), args.first()) {
                    // A class is passed where a type of classes is declared, such as `Constructor<T>`.
                    return self.infer_type_parameters_from_passed_values(
                        file,
                        *first,
                        classes,
                        own,
                        (types, deep),
                        budget,
                    );
                }
                let known = values.list.iter().find_map(|value| match value {
                    Value::Instance(_, Some(known)) | Value::Outside(_, Some(known)) if known.len() == args.len() => {
                        Some(known.clone())
                    }
                    _ => None,
                });
                match known {
                    Some(known) => {
                        for (arg, known) in args.iter().zip(known.iter()) {
                            self.infer_type_parameters_from_passed_values(
                                file,
                                *arg,
                                known.clone(),
                                own,
                                (types, deep),
                                budget,
                            );
                        }
                    }
                    None => {
                        let held =
                            values.list.iter().any(|value| matches!(value, Value::Container(_) | Value::Tuple(_)));
                        if let (true, Some(last)) = (held, args.last()) {
                            let inside =
                                budget.run_nested_within_limits(|budget| self.values_yielded_by_values(values, budget));
                            self.infer_type_parameters_from_passed_values(
                                file,
                                *last,
                                inside,
                                own,
                                (types, deep),
                                budget,
                            );
                        }
                    }
                }
            }
            Expr::Function { binding } => {
                let result = names.bindings.get(binding as usize).and_then(|binding| binding.annotation);
                let Some(result) = result else { return };
                let mut returned = self.instances_of_classes_among_values(&values);
                for value in &values.list {
                    if let Value::Function(def) = value {
                        returned.add(
                            budget.run_nested_within_limits(|budget| self.return_values_of_function(*def, budget)),
                        );
                    }
                }
                if !returned.list.is_empty() {
                    self.infer_type_parameters_from_passed_values(file, result, returned, own, (types, deep), budget);
                }
            }
            Expr::Either(parts) => {
                for part in names.expr_ids_in_list_range(parts) {
                    self.infer_type_parameters_from_passed_values(
                        file,
                        *part,
                        values.clone(),
                        own,
                        (types, deep),
                        budget,
                    );
                }
            }
            _ => {}
        }
    }

    /// Instances of the classes among some values.
    fn instances_of_classes_among_values(&self, values: &PossibleValues) -> PossibleValues {
        let classes = values.list.iter().filter_map(|value| match value {
            Value::Type(def, args) => Some(Value::Instance(*def, args.clone())),
            _ => None,
        });
        PossibleValues { list: classes.collect(), ..*values }
    }

    pub(crate) fn substitute_type_parameters(
        &self,
        values: PossibleValues,
        types: &[(Def, PossibleValues)],
        deep: usize,
    ) -> PossibleValues {
        if types.is_empty() || deep == 0 || !values.list.iter().any(|value| self.has_type_parameter_at_any_level(value))
        {
            return values;
        }
        let mut all = PossibleValues { list: Vec::new(), ..values };
        let sure = values.sure;
        for value in values.list {
            all.add(match value {
                Value::Parameter(parameter) => match types.iter().find(|(known, _)| *known == parameter) {
                    Some((_, known)) => known.clone(),
                    None => PossibleValues::single(value, sure),
                },
                Value::Container(held) => {
                    let held = held.to_values(sure);
                    self.substitute_type_parameters(held, types, deep - 1).into_container()
                }
                Value::Instance(def, Some(arguments)) => {
                    let arguments = arguments
                        .iter()
                        .map(|argument| self.substitute_type_parameters(argument.clone(), types, deep - 1))
                        .collect();
                    PossibleValues::single(Value::Instance(def, Some(arguments)), sure)
                }
                Value::Outside(name, Some(arguments)) => {
                    let arguments = arguments
                        .iter()
                        .map(|argument| self.substitute_type_parameters(argument.clone(), types, deep - 1))
                        .collect();
                    PossibleValues::single(Value::Outside(name, Some(arguments)), sure)
                }
                other => PossibleValues::single(other, sure),
            });
        }
        all
    }
}
