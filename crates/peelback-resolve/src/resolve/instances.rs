//! Instances of the types that type expressions name, and the replacement of type parameters.

use peelback_syntax::names::{BindingKind, Expr, ExprId};

use crate::modules::FileId;
use crate::resolve::budget::{EvaluationBudget, MAX_VALUES};
use crate::resolve::declaration::MAX_DECLARED;
use crate::resolve::definition::{Def, Referent};
use crate::resolve::inner_values::InnerValues;
use crate::resolve::missing::Missing;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{Arguments, PossibleValues, Value};

/// The limit on the levels of nested type arguments that are searched for type parameters.
const MAX_NESTED: usize = 4;

impl Resolver<'_> {
    /// An instance of each type that a type expression can name.
    pub(crate) fn instances_of_type_expr(
        &self,
        file: FileId,
        of: ExprId,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        budget.run_nested_within_limits(|budget| match self.expr_by_id(file, of) {
            Expr::Name { .. } | Expr::Member { .. } | Expr::Bound { .. } | Expr::ThisType { .. } => {
                if let Expr::ThisType { scope } = self.expr_by_id(file, of)
                    && let Some(own) = self
                        .semantics_of_file_language_or_default(file)
                        .self_value_in_extension(self, file, scope, budget)
                {
                    return own;
                }
                let resolution = self.resolve_expr_as_name(file, of, budget);
                let mut all = PossibleValues::default();
                for referent in &resolution.referents {
                    all.add(self.instances_of_referenced_types(referent, None, budget));
                }
                all.sure &= resolution.sure;
                all.missing |= resolution.missing;
                if all.list == [Value::External]
                    && let Some(named) = self
                        .semantics_of_file_language_or_default(file)
                        .instance_of_named_outside_type(self, file, of, None)
                {
                    return named;
                }
                if all.list.iter().all(|value| *value == Value::External)
                    && let Some(open) =
                        self.semantics_of_file_language_or_default(file).instance_of_open_type(self, file, of)
                {
                    return open;
                }
                all
            }
            Expr::Generic { base: Some(base), args } => {
                let arguments = self.evaluate_type_arguments(file, args, budget);
                let resolution = self.resolve_expr_as_name(file, base, budget);
                let mut all = PossibleValues::default();
                for referent in &resolution.referents {
                    match self.instances_of_referenced_types(referent, arguments.clone(), budget) {
                        values if values.list == [Value::External] => {
                            let semantics = self.semantics_of_file_language_or_default(file);
                            // A list without arguments, as in `new Box<>()`, leaves them to be inferred.
                            let given = Some(arguments.clone().unwrap_or_else(|| Vec::new().into()));
                            let named = semantics.instance_of_named_outside_type(self, file, base, given);
                            all.add(
                                named.unwrap_or_else(|| self.instance_of_generic_type_outside(file, base, &arguments)),
                            )
                        }
                        values => all.add(values),
                    }
                }
                // A generic type that may be of the project need not be a container.
                let semantics = self.semantics_of_file_language_or_default(file);
                let is_open = resolution.missing.is_any() && semantics.overloads_are_separate_definitions();
                all.missing |= Missing::unknown_if(is_open);
                if resolution.is_empty() && !is_open {
                    let mut held = self.instance_of_generic_type_outside(file, base, &arguments);
                    if semantics.unknown_generic_types_can_be_anything() {
                        held.sure = false;
                        held.missing |= Missing::Unknown;
                    }
                    all.add(held);
                }
                all
            }
            Expr::Generic { base: None, args } => {
                let Some(names) = self.names_of_file(file) else { return PossibleValues::default() };
                let Some(last) = names.expr_ids_in_list_range(args).last() else { return PossibleValues::default() };
                self.instances_of_type_expr(file, *last, budget).into_container()
            }
            Expr::Either(span) => {
                let Some(names) = self.names_of_file(file) else { return PossibleValues::default() };
                let mut all = PossibleValues::default();
                for part in names.expr_ids_in_list_range(span) {
                    let found = self.instances_of_type_expr(file, *part, budget);
                    all.add_with_limit(MAX_DECLARED, found);
                }
                let several = all.list.iter().filter(|value| **value != Value::External).count() > 1;
                if !several && all.list.len() > 1 {
                    // In `Foo | None` the type outside the project has no members of the project.
                    all.list.retain(|value| *value != Value::External);
                }
                all
            }
            Expr::Tuple(span) => {
                let Some(names) = self.names_of_file(file) else { return PossibleValues::default() };
                let items: Vec<PossibleValues> = names
                    .expr_ids_in_list_range(span)
                    .iter()
                    .map(|item| self.instances_of_type_expr(file, *item, budget))
                    .collect();
                PossibleValues::single(Value::Tuple(items.into()), true)
            }
            Expr::This { scope } => self.this_value(file, scope, budget),
            Expr::TypeOf { of } => self.evaluate_expr(file, of, budget),
            Expr::Argument { of, index } => self.instance_of_expected_argument_type(file, of, index, budget),
            Expr::Object { scope } => PossibleValues::single(Value::Object(file, scope), true),
            Expr::Function { binding } => PossibleValues::single(Value::Function(Def { file, binding }), true),
            Expr::Element { of } => {
                let values = self.instances_of_type_expr(file, of, budget);
                self.values_yielded_by_values(values, budget)
            }
            Expr::Item { of, index } => {
                let values = self.instances_of_type_expr(file, of, budget);
                self.item_of_values_at_index(values, index, budget)
            }
            Expr::Instance { of } | Expr::Matched { of, .. } => self.instances_of_type_expr(file, of, budget),
            Expr::Call { .. } | Expr::Applied { .. } | Expr::MacroCall { .. } | Expr::MacroArgument { .. } => {
                let values = self.evaluate_expr(file, of, budget);
                let mut all = PossibleValues { missing: values.missing, ..PossibleValues::default() };
                for value in values.list {
                    all.add(match value {
                        Value::Type(def, args) => PossibleValues::single(Value::Instance(def, args), false),
                        value @ (Value::External | Value::Outside(..)) => PossibleValues::single(value, true),
                        _ => PossibleValues::default(),
                    });
                }
                all
            }
            Expr::Super { .. }
            | Expr::Imported { .. }
            | Expr::Given { .. }
            | Expr::Subscript { .. }
            | Expr::Fallback { .. }
            | Expr::Unknown => PossibleValues::default(),
        })
    }

    /// An instance of the generic type `base` outside the project with these type arguments.
    fn instance_of_generic_type_outside(&self, file: FileId, base: ExprId, arguments: &Arguments) -> PossibleValues {
        let held = external_container_holding_arguments(arguments);
        if held == PossibleValues::container_of_unknown_elements()
            && let Some(open) = self.semantics_of_file_language_or_default(file).instance_of_open_type(self, file, base)
        {
            return open;
        }
        held
    }

    /// The value of `value` where a pattern matches it as an instance of the type or variant `of`: the pattern hardly names the
    /// type arguments, which the value has.
    pub(crate) fn matched_instances(
        &self,
        file: FileId,
        value: ExprId,
        of: ExprId,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        let mut matched = self.instances_of_type_expr(file, of, budget);
        if !matched.list.iter().any(|instance| matches!(instance, Value::Instance(_, None))) {
            return matched;
        }
        let given = self.evaluate_expr(file, value, budget);
        let mut is_filled = false;
        for instance in &mut matched.list {
            if let Value::Instance(def, arguments @ None) = instance {
                let mut fitting = given.list.iter().filter_map(|value| match value {
                    Value::Instance(other, arguments) if other == def => Some(arguments),
                    _ => None,
                });
                // Where the matched values differ in their arguments, those of the matched one are not known.
                if let Some(first @ Some(_)) = fitting.next()
                    && fitting.all(|other| other == first)
                {
                    arguments.clone_from(first);
                    is_filled = true;
                }
            }
        }
        if is_filled {
            matched.sure &= given.sure;
            matched.missing |= given.missing;
        }
        matched
    }

    fn instances_of_referenced_types(
        &self,
        referent: &Referent,
        arguments: Arguments,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        let Referent::Def(def) = referent else {
            return match referent {
                Referent::External => PossibleValues::external(),
                Referent::Value(file, expr) => {
                    let values = self.evaluate_expr(*file, *expr, budget);
                    self.instances_of_types(values)
                }
                // The value of the module is a class: `module.exports = class`.
                Referent::Module(module) => match self.whole_module_export_expr(module) {
                    Some((file, expr)) => self.instances_of_exported_type(file, expr, budget),
                    None => PossibleValues::default(),
                },
                Referent::Def(_) => PossibleValues::default(),
            };
        };
        let Some(binding) = self.binding_of_definition(*def) else { return PossibleValues::default() };
        match binding.kind {
            // A function with members on its prototype is a constructor of instances of itself.
            BindingKind::Type | BindingKind::Function => PossibleValues::single(Value::Instance(*def, arguments), true),
            BindingKind::TypeAlias => {
                let Some(meant) = binding.annotation else { return PossibleValues::default() };
                if budget.open_definitions.contains(def) {
                    budget.record_cycle();
                    return PossibleValues::default();
                }
                budget.open_definitions.push(*def);
                let mut values = self.instances_of_type_expr(def.file, meant, budget);
                budget.open_definitions.pop();
                // The alias is generic: `type Result<T> = std::Result<T, Error>`.
                if let Some(arguments) = &arguments {
                    values = self.substitute_alias_type_parameters(values, *def, arguments, budget);
                }
                values
            }
            BindingKind::TypeParameter => PossibleValues::single(Value::Parameter(*def), true),
            // An enum's variant in the place of a type stands for the enum.
            BindingKind::EnumMember => self.evaluate_definition(*def, budget),
            BindingKind::Variable | BindingKind::Field | BindingKind::Parameter => {
                // A type and a value can be declared under one name; here the type is meant.
                let indexed = self.names_index(def.file);
                let types = indexed.into_iter().flat_map(|indexed| {
                    let together = indexed.bindings_of_name_in_scope(binding.scope, binding.name).iter().copied();
                    together.filter(|id| indexed.binding_or_placeholder(*id).kind == BindingKind::Type)
                });
                if let Some(first) = types.into_iter().next() {
                    return PossibleValues::single(
                        Value::Instance(Def { file: def.file, binding: first }, arguments),
                        true,
                    );
                }
                let values = self.evaluate_definition(*def, budget);
                let mut made = PossibleValues::default();
                if self.semantics_of_file_language_or_default(def.file).has_call_or_index_signatures() {
                    for value in &values.list {
                        if matches!(value, Value::Instance(..) | Value::Object(..)) {
                            made.add(
                                budget
                                    .run_nested_within_limits(|budget| self.construct_signature_result(value, budget)),
                            );
                        }
                    }
                    made.sure &= values.sure;
                    made.missing |= values.missing;
                }
                made.add(self.instances_of_types(values));
                made
            }
            _ => PossibleValues::default(),
        }
    }

    /// Instances of the type that is the value of a module: the expression `expr` of a file names it, or has it as its value.
    fn instances_of_exported_type(&self, file: FileId, expr: ExprId, budget: &mut EvaluationBudget) -> PossibleValues {
        let named = self.resolve_expr_as_name(file, expr, budget);
        if named.referents.iter().all(|referent| *referent == Referent::External) {
            let values = self.evaluate_expr(file, expr, budget);
            return self.instances_of_types(values);
        }
        let mut all = PossibleValues::default();
        for referent in &named.referents {
            // A module can re-export another one as a whole, and even itself.
            all.add(
                budget.run_nested_within_limits(|budget| self.instances_of_referenced_types(referent, None, budget)),
            );
        }
        all.sure &= named.sure;
        all.missing |= named.missing;
        all
    }

    /// Instances of the types that are among some values.
    fn instances_of_types(&self, values: PossibleValues) -> PossibleValues {
        let sure = values.sure;
        let mut all = PossibleValues { missing: values.missing, ..PossibleValues::default() };
        for value in values.list {
            all.add(match value {
                Value::Type(def, args) => PossibleValues::single(Value::Instance(def, args), sure),
                Value::Function(def) => {
                    PossibleValues::single(Value::Instance(self.name_of_constructor(def), None), false)
                }
                value @ (Value::External | Value::Outside(..)) => PossibleValues::single(value, true),
                // A value with a construct signature is handled by the caller.
                Value::Instance(..) | Value::Object(..) => PossibleValues::default(),
                Value::Container(_) | Value::Module(_) | Value::Parameter(_) | Value::Tuple(_) => {
                    PossibleValues::default()
                }
            });
        }
        all
    }

    /// Replaces the type parameters of the generic alias `def` in `values` by `arguments`.
    fn substitute_alias_type_parameters(
        &self,
        mut values: PossibleValues,
        def: Def,
        arguments: &InnerValues<PossibleValues>,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        let Some(indexed) = self.names_index(def.file) else { return values };
        let Some(body) = indexed.binding_or_placeholder(def.binding).body else {
            // Without a scope for the alias's parameters, only a single parameter can be substituted: by the first
            // argument.
            if values.list.iter().all(|value| matches!(value, Value::Parameter(_))) {
                return arguments.first().cloned().unwrap_or(values);
            }
            for value in &mut values.list {
                if let Value::Container(held) = value
                    && held.iter().any(|value| matches!(value, Value::Parameter(_)))
                    && let Some(first) = arguments.first()
                {
                    *value = Value::Container(first.list.clone().into());
                }
            }
            return values;
        };
        let receiver = PossibleValues::single(Value::Instance(def, Some(arguments.clone())), true);
        let _ = body;
        self.substitute_receiver_type_arguments(values, &receiver, budget)
    }

    /// Replaces the type parameters of the receiver's type in `values` by the type arguments of the receiver.
    pub(crate) fn substitute_receiver_type_arguments(
        &self,
        values: PossibleValues,
        receiver: &PossibleValues,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        if !values.list.iter().any(|value| {
            value.is_or_contains_type_parameter() || self.has_type_parameter_in_type_arguments(value, MAX_NESTED)
        }) {
            return values;
        }
        let mut all = PossibleValues { list: Vec::new(), ..values };
        let sure = values.sure;
        for value in values.list {
            // An argument that takes the place of a parameter can have type parameters, which are replaced in turn.
            let replaced = budget.run_within_nesting_limit(|budget| {
                self.substitute_receiver_type_arguments_in_value(value, receiver, sure, budget)
            });
            match replaced {
                Some(replaced) => all.add(replaced),
                None => all.missing |= Missing::Unknown,
            }
        }
        all
    }

    /// Whether the type arguments of a value contain a type parameter, searched down to `deep` levels.
    pub(crate) fn has_type_parameter_in_type_arguments(&self, value: &Value, deep: usize) -> bool {
        match value {
            Value::Instance(def, Some(arguments))
                if deep > 0
                    && self
                        .semantics_of_file_language_or_default(def.file)
                        .substitutes_inside_nested_type_arguments() =>
            {
                let mut all = arguments.iter().flat_map(|argument| &argument.list);
                all.any(|value| {
                    value.is_or_contains_type_parameter() || self.has_type_parameter_in_type_arguments(value, deep - 1)
                })
            }
            Value::Outside(_, Some(arguments)) if deep > 0 => {
                let mut all = arguments.iter().flat_map(|argument| &argument.list);
                all.any(|value| {
                    value.is_or_contains_type_parameter() || self.has_type_parameter_in_type_arguments(value, deep - 1)
                })
            }
            Value::Container(held) if deep > 0 => {
                held.iter().any(|value| self.has_type_parameter_in_type_arguments(value, deep - 1))
            }
            _ => false,
        }
    }

    fn substitute_receiver_type_arguments_in_value(
        &self,
        value: Value,
        receiver: &PossibleValues,
        sure: bool,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        match value {
            Value::Parameter(parameter) => {
                for holder in &receiver.list {
                    if let Value::Instance(def, arguments) | Value::Type(def, arguments) = holder
                        && let Some(argument) =
                            self.own_or_inherited_type_argument(parameter, *def, arguments, 0, budget)
                    {
                        return argument;
                    }
                }
                PossibleValues::single(Value::Parameter(parameter), sure)
            }
            Value::Container(held)
                if held.iter().any(|value| {
                    value.is_or_contains_type_parameter()
                        || self.has_type_parameter_in_type_arguments(value, MAX_NESTED)
                }) =>
            {
                let mut inside = PossibleValues::default();
                for value in held.iter() {
                    inside.add(budget.run_nested_within_limits(|budget| {
                        self.substitute_receiver_type_arguments_in_value(value.clone(), receiver, sure, budget)
                    }));
                }
                inside.into_container()
            }
            Value::Instance(def, Some(arguments))
                if self.semantics_of_file_language_or_default(def.file).substitutes_inside_nested_type_arguments() =>
            {
                let of = |argument: &PossibleValues, budget: &mut EvaluationBudget| {
                    budget.run_nested_within_limits(|budget| {
                        self.substitute_receiver_type_arguments(argument.clone(), receiver, budget)
                    })
                };
                let arguments = arguments.iter().map(|argument| of(argument, budget)).collect();
                PossibleValues::single(Value::Instance(def, Some(arguments)), sure)
            }
            Value::Outside(name, Some(arguments)) => {
                let of = |argument: &PossibleValues, budget: &mut EvaluationBudget| {
                    budget.run_nested_within_limits(|budget| {
                        self.substitute_receiver_type_arguments(argument.clone(), receiver, budget)
                    })
                };
                let arguments = arguments.iter().map(|argument| of(argument, budget)).collect();
                PossibleValues::single(Value::Outside(name, Some(arguments)), sure)
            }
            other => PossibleValues::single(other, sure),
        }
    }

    /// The type argument for `parameter`, which is a type parameter of `def`, or of a base that `def` passes arguments
    /// to.
    fn own_or_inherited_type_argument(
        &self,
        parameter: Def,
        def: Def,
        arguments: &Arguments,
        depth: usize,
        budget: &mut EvaluationBudget,
    ) -> Option<PossibleValues> {
        if let Some(arguments) = arguments
            && let Some(argument) = self.own_type_argument(parameter, def, arguments)
        {
            return Some(argument.clone());
        }
        if depth >= MAX_VALUES {
            return None;
        }
        // What a base is given for the parameter can name the parameter itself: `class A<T = B<T>> extends B<T>`.
        if budget.open_type_arguments.contains(&(parameter, def)) {
            budget.record_cycle();
            return None;
        }
        budget.open_type_arguments.push((parameter, def));
        let found = self.type_argument_passed_to_base(parameter, def, arguments, depth, budget);
        budget.open_type_arguments.pop();
        found
    }

    /// The type argument for `parameter` that `def` passes to one of its bases.
    fn type_argument_passed_to_base(
        &self,
        parameter: Def,
        def: Def,
        arguments: &Arguments,
        depth: usize,
        budget: &mut EvaluationBudget,
    ) -> Option<PossibleValues> {
        for &(file, base) in self.bases_of_type(def, budget).iter() {
            for value in budget.run_nested_within_limits(|budget| self.instances_of_type_expr(file, base, budget)).list
            {
                let Value::Instance(base, given) = value else { continue };
                if base == def {
                    continue;
                }
                if let Some(found) = self.own_or_inherited_type_argument(parameter, base, &given, depth + 1, budget) {
                    let own = PossibleValues::single(Value::Instance(def, arguments.clone()), true);
                    return Some(if arguments.is_some() {
                        self.substitute_receiver_type_arguments(found, &own, budget)
                    } else {
                        found
                    });
                }
            }
        }
        None
    }

    /// The type argument for `parameter`, if it is a type parameter of `def` itself.
    fn own_type_argument<'a>(
        &self,
        parameter: Def,
        def: Def,
        arguments: &'a InnerValues<PossibleValues>,
    ) -> Option<&'a PossibleValues> {
        if parameter.file != def.file {
            return None;
        }
        let indexed = self.names_index(def.file)?;
        let scope = indexed.binding_or_placeholder(parameter.binding).scope;
        let body = indexed.binding_or_placeholder(def.binding).body?;
        if indexed.parent_scope(body) != Some(scope) && body != scope {
            // The parameters of an extension (`impl<T> List<T>`) match those of the type in their order.
            if !indexed.is_scope_around_extension(scope) {
                return None;
            }
        }
        let entry = indexed.type_parameters_of_scope(scope).iter().position(|id| *id == parameter.binding)?;
        let keeps_parameter =
            self.semantics_of_file_language_or_default(def.file).type_parameters_stand_for_unknown_arguments();
        arguments.get(entry).filter(|argument| !keeps_parameter || !argument.list.is_empty())
    }
}

/// A container of a type outside the project, holding instances of its type arguments.
fn external_container_holding_arguments(arguments: &Arguments) -> PossibleValues {
    let Some(arguments) = arguments else { return PossibleValues::external() };
    // The last type argument comes first: the values of a map, the items of a list, the output of a future.
    let mut held = PossibleValues::default();
    for argument in arguments.iter().rev() {
        held.add(argument.clone());
    }
    // An argument of which nothing is known is a type of all values, as `any` is.
    let is_open = held.missing == Missing::Unknown || arguments.iter().any(|argument| argument.list.is_empty());
    let known: Vec<Value> = held.list.into_iter().filter(|value| *value != Value::External).collect();
    if known.is_empty() && is_open {
        PossibleValues::container_of_unknown_elements()
    } else if known.is_empty() {
        PossibleValues::external()
    } else {
        PossibleValues::single(Value::Container(known.into()), true)
    }
}
