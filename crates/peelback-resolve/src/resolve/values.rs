//! Evaluates expressions and definitions to their possible values.

use peelback_syntax::names::{BindingKind, Expr, ExprId, ScopeId, ScopeKind};

use crate::modules::{FileId, Module};
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::missing::Missing;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{Arguments, PossibleValues, Value};

impl Resolver<'_> {
    /// The possible values of an expression. Those of calls, macro calls and members are memoized.
    pub fn evaluate_expr(&self, file: FileId, expr: ExprId, budget: &mut EvaluationBudget) -> PossibleValues {
        // Evaluating a chain of calls evaluates each earlier call more than once.
        if !matches!(self.expr_by_id(file, expr), Expr::Call { .. } | Expr::Member { .. } | Expr::MacroCall { .. }) {
            return self.evaluate_expr_uncached(file, expr, budget);
        }
        if let Some(known) = self.chain_values.get(&(file, expr)) {
            return known;
        }
        self.evaluate_start_of_long_chain(file, expr, budget);
        let before = std::mem::replace(&mut budget.truncated, false);
        let found = self.evaluate_expr_uncached(file, expr, budget);
        if !budget.truncated {
            self.chain_values.insert((file, expr), found.clone());
        }
        budget.truncated |= before;
        found
    }

    /// Evaluates the first calls and members of a long chain before the later ones, so that no evaluation nests deeper
    /// than one of them.
    fn evaluate_start_of_long_chain(&self, file: FileId, expr: ExprId, budget: &mut EvaluationBudget) {
        if budget.evaluating_chain {
            return;
        }
        let mut links = Vec::new();
        let mut at = expr;
        while links.len() < MAX_LINKS {
            at = match self.expr_by_id(file, at) {
                Expr::Call { callee: before } | Expr::Member { base: before, .. } => {
                    if at != expr && self.chain_values.get(&(file, at)).is_some() {
                        break;
                    }
                    links.push(at);
                    before
                }
                Expr::Element { of } | Expr::Subscript { of, .. } | Expr::Item { of, .. } => of,
                Expr::Either(parts) => {
                    match self.names_of_file(file).and_then(|names| names.expr_ids_in_list_range(parts).first()) {
                        Some(first) => *first,
                        None => break,
                    }
                }
                _ => break,
            };
        }
        if links.len() > LONG_CHAIN {
            budget.evaluating_chain = true;
            for link in links.iter().skip(1).rev() {
                self.evaluate_expr(file, *link, budget);
            }
            budget.evaluating_chain = false;
        }
    }

    fn evaluate_expr_uncached(&self, file: FileId, expr: ExprId, budget: &mut EvaluationBudget) -> PossibleValues {
        budget.run_nested_within_limits(|budget| match self.expr_by_id(file, expr) {
            Expr::Name { .. } | Expr::Bound { .. } => {
                let resolution = self.resolve_expr_as_name(file, expr, budget);
                self.evaluate_resolution(&resolution, budget)
            }
            Expr::Member { base, name, .. } => {
                let mut resolution = self.resolve_member_expr(file, (expr, base), name, budget);
                if self.semantics_of_file_language_or_default(file).separates_fields_from_methods() {
                    resolution = self.keep_functions_or_non_functions(resolution, false);
                }
                let semantics = self.semantics_of_file_language_or_default(file);
                let is_outside = resolution.referents.iter().all(|referent| *referent == Referent::External);
                if is_outside && semantics.prototype_member_name() == Some(self.name_text(file, name)) {
                    let instances = self.instances_of_type_expr(file, base, budget);
                    if instances.list.iter().any(|value| matches!(value, Value::Instance(..))) {
                        return instances;
                    }
                }
                let mut values = self.evaluate_resolution(&resolution, budget);
                values = semantics.values_of_read_member(self, (file, expr), (base, name), values, budget);
                if resolution.is_empty()
                    && let Ok(index) = self.name_text(file, name).parse::<u32>()
                {
                    let holder = self.evaluate_expr(file, base, budget);
                    values = self.item_of_values_at_index(holder, index, budget);
                } else if resolution.is_empty() {
                    if let Some(indexed) = self
                        .semantics_of_file_language_or_default(file)
                        .undeclared_member_value_by_index_signature(self, file, base, budget)
                    {
                        return indexed;
                    }
                    // A container of unknown type: a member likely is, or returns, one of its elements.
                    let holder = self.evaluate_expr(file, base, budget);
                    let bags = holder.list.into_iter().filter(|value| matches!(value, Value::Container(_)));
                    values.list.extend(bags);
                    values.sure = false;
                } else {
                    let receiver = self.evaluate_expr(file, base, budget);
                    values = self.substitute_receiver_type_arguments(values, &receiver, budget);
                }
                values
            }
            Expr::Call { callee } => self.call_result(file, callee, budget),
            Expr::Instance { of } => self.instances_of_type_expr(file, of, budget),
            Expr::Matched { value, of } => self.matched_instances(file, value, of, budget),
            Expr::Applied { callee, args } => self.generic_call_result(file, callee, args, budget),
            Expr::MacroCall { callee, args } => self.macro_call_value(file, callee, args, budget),
            Expr::MacroArgument { rule, index } => {
                self.macro_argument_value(Def { file, binding: rule }, index, budget)
            }
            Expr::Argument { of, index } => self.instance_of_expected_argument_type(file, of, index, budget),
            Expr::TypeOf { of } => {
                let mut values = self.evaluate_expr(file, of, budget);
                for value in &mut values.list {
                    if let Value::Instance(def, args) = value {
                        *value = Value::Type(*def, args.clone());
                    }
                }
                values
            }
            Expr::Element { of } => {
                let values = self.evaluate_expr(file, of, budget);
                self.values_yielded_by_values(values, budget)
            }
            Expr::Subscript { of, key } => {
                let values = self.evaluate_expr(file, of, budget);
                let key = self.known_key(file, key, budget);
                self.values_of_subscript(values, key, budget)
            }
            Expr::Fallback { value, other } => {
                let mut values = self.evaluate_expr(file, value, budget);
                let semantics = self.semantics_of_file_language_or_default(file);
                let leaves_room = |value: &Value, budget: &mut EvaluationBudget| {
                    *value == Value::External || semantics.is_read_as_other_value(self, value, budget)
                };
                if values.list.iter().all(|value| leaves_room(value, budget)) {
                    values.add(self.evaluate_expr(file, other, budget));
                    values.sure = false;
                }
                values
            }
            Expr::Given { callee, argument, parameter } => {
                self.closure_parameter_value(file, callee, argument, parameter, budget)
            }
            Expr::Item { of, index } => {
                if let Expr::Tuple(span) = self.expr_by_id(file, of)
                    && let Some(names) = self.names_of_file(file)
                    && let Some(item) = names.expr_ids_in_list_range(span).get(index as usize)
                {
                    return self.evaluate_expr(file, *item, budget);
                }
                if index == 0
                    && let Some(keys) = self
                        .semantics_of_file_language_or_default(file)
                        .key_values_of_declared_map(self, file, of, budget)
                {
                    return keys;
                }
                let values = self.evaluate_expr(file, of, budget);
                // In dynamically typed languages arrays and tuples are indexed alike.
                let is_array = values.list.iter().all(|value| matches!(value, Value::Container(_)));
                if is_array && self.semantics_of_file_language_or_default(file).is_dynamically_typed() {
                    return self.values_yielded_by_values(values, budget);
                }
                self.item_of_values_at_index(values, index, budget)
            }
            Expr::Generic { base: Some(base), args } => {
                let mut values = self.evaluate_expr(file, base, budget);
                let arguments = self.evaluate_type_arguments(file, args, budget);
                for value in &mut values.list {
                    if let Value::Type(_, slot) = value {
                        slot.clone_from(&arguments);
                    }
                }
                values
            }
            Expr::Generic { base: None, args } => {
                let Some(names) = self.names_of_file(file) else { return PossibleValues::default() };
                let Some(last) = names.expr_ids_in_list_range(args).last() else { return PossibleValues::default() };
                self.evaluate_expr(file, *last, budget).into_container()
            }
            Expr::Either(span) => {
                let Some(names) = self.names_of_file(file) else { return PossibleValues::default() };
                let semantics = self.semantics_of_file_language_or_default(file);
                let keeps_sure = semantics.redundant_alternatives_keep_result_certain();
                if semantics.expr_alternatives_have_one_type() && !keeps_sure {
                    return self.first_known_value_or_all(file, names.expr_ids_in_list_range(span), budget);
                }
                let mut all = PossibleValues::default();
                let mut is_part_unknown = false;
                for part in names.expr_ids_in_list_range(span) {
                    let found = self.evaluate_alternative(file, *part, &mut all, budget);
                    is_part_unknown |= found.list.is_empty();
                    let known = keeps_sure && all.sure && found.list.iter().all(|value| all.list.contains(value));
                    if !known {
                        all.add(found);
                    }
                }
                // The type of the other alternative can be another one, to which this one converts.
                let may_be_other = is_part_unknown && semantics.expr_alternatives_have_one_type();
                if all.list.len() > 1 || may_be_other { all.marked_as_inferred() } else { all }
            }
            Expr::Tuple(span) => {
                let Some(names) = self.names_of_file(file) else { return PossibleValues::default() };
                let items: Vec<PossibleValues> = names
                    .expr_ids_in_list_range(span)
                    .iter()
                    .map(|item| self.evaluate_expr(file, *item, budget))
                    .collect();
                let sure = items.iter().all(|item| item.sure);
                PossibleValues::single(Value::Tuple(items.into()), sure)
            }
            Expr::This { scope } => self.this_value(file, scope, budget),
            Expr::ThisType { scope } => match self.this_type(file, scope, budget) {
                Some(def) => {
                    PossibleValues::single(Value::Type(def, self.self_type_arguments(file, scope, def, budget)), true)
                }
                None => PossibleValues::default(),
            },
            Expr::Super { scope } => self.evaluate_super(file, scope, budget),
            Expr::Object { scope } => PossibleValues::single(Value::Object(file, scope), true),
            Expr::Function { binding } => PossibleValues::single(Value::Function(Def { file, binding }), true),
            Expr::Imported { import } => {
                let resolution = self.resolve_import(file, import, None, budget);
                self.evaluate_resolution(&resolution, budget)
            }
            Expr::Unknown => PossibleValues::default(),
        })
    }

    /// Evaluates `part`, one of several expressions that a value can come from; marks `all` as partial if the value of
    /// `part` is not known.
    pub(crate) fn evaluate_alternative(
        &self,
        file: FileId,
        part: ExprId,
        all: &mut PossibleValues,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        let cycles = budget.cycles;
        let found = self.evaluate_expr(file, part, budget);
        // A value that depends on itself adds nothing. Neither do `None` and the like, nor a parameter's expected type,
        // which only repeats what is known.
        let silent = matches!(self.expr_by_id(file, part), Expr::Unknown | Expr::Argument { .. } | Expr::Given { .. });
        let says = self.semantics_of_file_language_or_default(file).is_dynamically_typed() && !silent;
        all.missing |= Missing::unknown_if(says && found.list.is_empty() && budget.cycles == cycles);
        found
    }

    fn evaluate_super(&self, file: FileId, scope: ScopeId, budget: &mut EvaluationBudget) -> PossibleValues {
        let Some(def) = self.this_type(file, scope, budget) else { return PossibleValues::default() };
        let mut all = PossibleValues::default();
        for &(file, base) in self.bases_of_type(def, budget).iter() {
            all.add(self.instances_of_type_expr(file, base, budget));
        }
        // The member is inherited from the nearest base that has it; which base that is cannot be decided here, so all
        // are returned.
        all
    }

    pub(crate) fn evaluate_type_arguments(
        &self,
        file: FileId,
        args: peelback_syntax::names::Span,
        budget: &mut EvaluationBudget,
    ) -> Arguments {
        let names = self.names_of_file(file)?;
        let list = names.expr_ids_in_list_range(args);
        (!list.is_empty()).then(|| list.iter().map(|arg| self.instances_of_type_expr(file, *arg, budget)).collect())
    }

    /// The possible values of all referents that a name was resolved to.
    pub(crate) fn evaluate_resolution(&self, resolution: &Resolution, budget: &mut EvaluationBudget) -> PossibleValues {
        let mut all = PossibleValues::default();
        for referent in &resolution.referents {
            all.add(match referent {
                Referent::Def(def) => self.evaluate_definition(*def, budget),
                Referent::Module(module) => match self.whole_module_export_expr(module) {
                    Some((file, expr)) => {
                        let mut values =
                            budget.run_nested_within_limits(|budget| self.evaluate_expr(file, expr, budget));
                        // The exports of a module are its members, whatever its value is.
                        values.list.insert(0, Value::Module(module.clone()));
                        values.sure = true;
                        values
                    }
                    None => PossibleValues::single(Value::Module(module.clone()), true),
                },
                Referent::Value(file, expr) => {
                    budget.run_nested_within_limits(|budget| self.evaluate_expr(*file, *expr, budget))
                }
                Referent::External => PossibleValues::external(),
            });
        }
        all.sure &= resolution.sure;
        all.missing |= resolution.missing;
        all
    }

    /// The possible values of a definition. Results are memoized.
    pub fn evaluate_definition(&self, def: Def, budget: &mut EvaluationBudget) -> PossibleValues {
        let is_separate = self.semantics_of_file_language_or_default(def.file).overloads_are_separate_definitions();
        let def = if is_separate || self.binding_of_definition(def).is_some_and(|binding| binding.visible_from > 0) {
            def
        } else {
            self.representative_of_same_name_in_scope(def)
        };
        if let Some(known) = self.values.get(&def) {
            return known;
        }
        if budget.open_definitions.contains(&def) {
            budget.record_cycle();
            return PossibleValues::default();
        }
        let before = std::mem::replace(&mut budget.truncated, false);
        budget.open_definitions.push(def);
        let found = budget.run_nested_within_limits(|budget| self.evaluate_definition_uncached(def, budget));
        budget.open_definitions.pop();
        if !budget.truncated {
            self.values.insert(def, found.clone());
        }
        budget.truncated |= before;
        found
    }

    fn evaluate_definition_uncached(&self, def: Def, budget: &mut EvaluationBudget) -> PossibleValues {
        let Some(indexed) = self.names_index(def.file) else { return PossibleValues::default() };
        let binding = indexed.binding_or_placeholder(def.binding);
        match binding.kind {
            BindingKind::Module => match binding.body {
                Some(body) => PossibleValues::single(Value::Module(Module::Scope(def.file, body)), true),
                None => PossibleValues::default(),
            },
            BindingKind::Type => PossibleValues::single(Value::Type(self.first_part_of_type(def), None), true),
            BindingKind::TypeAlias => {
                let Some(meant) = binding.annotation else { return PossibleValues::default() };
                let mut values = self.instances_of_type_expr(def.file, meant, budget);
                for value in &mut values.list {
                    if let Value::Instance(def, args) = value {
                        *value = Value::Type(*def, args.clone());
                    }
                }
                values
            }
            BindingKind::Function => PossibleValues::single(Value::Function(def), true),
            BindingKind::Property => self.evaluate_return_values_without_cycle_check(def, budget),
            BindingKind::Variable | BindingKind::Parameter | BindingKind::Field => {
                self.evaluate_variable_parameter_or_field(def, budget)
            }
            BindingKind::EnumMember => {
                let holder = indexed.scope_owner(binding.scope);
                let holder = holder.filter(|_| indexed.scope_kind(binding.scope) == ScopeKind::Type);
                match (holder, binding.annotation) {
                    (Some(holder), _) => {
                        let holder = self.first_part_of_type(Def { file: def.file, binding: holder });
                        PossibleValues::single(Value::Instance(holder, None), true)
                    }
                    (None, Some(annotation)) => self.instances_of_type_expr(def.file, annotation, budget),
                    (None, None) => PossibleValues::default(),
                }
            }
            BindingKind::TypeParameter => PossibleValues::single(Value::Parameter(def), true),
            BindingKind::Import => {
                let resolution = self.resolve_definition_through_import(def, budget);
                self.evaluate_resolution(&resolution, budget)
            }
            BindingKind::Macro | BindingKind::Label => PossibleValues::default(),
        }
    }

    /// The value of a variable, parameter or field: its declared type, else everything that is assigned to it.
    fn evaluate_variable_parameter_or_field(&self, def: Def, budget: &mut EvaluationBudget) -> PossibleValues {
        let Some(indexed) = self.names_index(def.file) else { return PossibleValues::default() };
        let own = indexed.binding_or_placeholder(def.binding);
        // A method can have the name of a field.
        let is_separate = self.semantics_of_file_language_or_default(def.file).overloads_are_separate_definitions();
        let together: Vec<u32> = if is_separate || own.visible_from > 0 {
            vec![def.binding]
        } else {
            indexed.bindings_of_name_in_scope(own.scope, own.name).to_vec()
        };
        for part in &together {
            if let Some(annotation) = indexed.binding_or_placeholder(*part).annotation {
                let declared = self.instances_of_type_expr(def.file, annotation, budget);
                if !declared.list.is_empty() {
                    return declared;
                }
            }
        }
        let mut all = PossibleValues::default();
        let mut count = 0;
        if self.semantics_of_file_language_or_default(def.file).expr_alternatives_have_one_type() {
            // All values assigned to a variable have one type.
            let of = |part: &u32| indexed.names().expr_ids_in_list_range(indexed.binding_or_placeholder(*part).values);
            let parts: Vec<ExprId> = together.iter().flat_map(of).copied().collect();
            return self.first_known_value_or_all(def.file, &parts, budget);
        }
        for part in &together {
            let binding = indexed.binding_or_placeholder(*part);
            if matches!(binding.kind, BindingKind::Type | BindingKind::Function) {
                all.add(self.evaluate_definition_uncached(Def { file: def.file, binding: *part }, budget));
            }
            for value in indexed.names().expr_ids_in_list_range(binding.values) {
                count += 1;
                let found = self.evaluate_alternative(def.file, *value, &mut all, budget);
                all.add(found);
            }
        }
        if count > 1 && all.list.len() > 1 {
            let known = all.list.iter().any(|value| *value != Value::External);
            if known {
                all.list.retain(|value| *value != Value::External);
            }
            all = all.marked_as_inferred();
        }
        if own.kind == BindingKind::Parameter && own.annotation.is_none() {
            // A parameter's value is sure only if a convention gives it: a receiver, the expected type of an argument,
            // or a part of a parameter.
            let values = indexed.names().expr_ids_in_list_range(own.values);
            let conventional = match values.first().map(|first| indexed.names().expr_by_id(*first)) {
                Some(Expr::This { .. } | Expr::ThisType { .. }) => true,
                Some(Expr::Argument { .. }) => values.len() == 1,
                _ => indexed.is_destructured_from_parameter(def.binding),
            };
            all.sure &= conventional;
        }
        all
    }

    /// The first known value of several expressions that have one type. A method of the project comes before one of the
    /// standard library.
    pub(crate) fn first_known_value_or_all(
        &self,
        file: FileId,
        parts: &[ExprId],
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        let mut all = PossibleValues::default();
        for part in parts {
            let values = self.evaluate_expr(file, *part, budget);
            let known = !values.list.is_empty() && !values.list.contains(&Value::External);
            if known && (values.sure || self.is_project_method_call(file, *part, budget)) {
                return values;
            }
            all.add(values);
        }
        if all.list.len() > 1 {
            all.list.retain(|value| *value != Value::External);
            all.sure = false;
        }
        all
    }

    /// Whether an expression calls a method that the project declares for its receiver.
    fn is_project_method_call(&self, file: FileId, expr: ExprId, budget: &mut EvaluationBudget) -> bool {
        let Expr::Call { callee } = self.expr_by_id(file, expr) else { return false };
        let Expr::Member { base, .. } = self.expr_by_id(file, callee) else { return false };
        let receiver = self.evaluate_expr(file, base, budget);
        let functions = self.evaluate_expr(file, callee, budget);
        receiver.list.iter().any(|value| matches!(value, Value::Instance(..) | Value::Parameter(_)))
            && functions.list.iter().any(|value| matches!(value, Value::Function(_)))
    }
}

/// The number of calls and members above which a chain of them is evaluated from its start.
const LONG_CHAIN: usize = 8;

/// The limit on the number of calls and members that one chain is followed back.
const MAX_LINKS: usize = 2000;
