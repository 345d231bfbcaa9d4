//! Call, construct and index signatures that types declare, and the types that calls expect of their arguments.

use peelback_syntax::names::{BindingKind, Expr, ExprId, ScopeKind};

use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent};
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{PossibleValues, Value};

/// The names under which call, construct and index signatures are bound as members. No source code can write these
/// names.
const CALL_SIGNATURE: &str = "()";
const CONSTRUCT_SIGNATURE: &str = "new";
const INDEX_SIGNATURE: &str = "[]";

/// The limit on the number of enclosing calls that are searched for a receiver.
const MAX_ARGUMENTS: usize = 8;

impl Resolver<'_> {
    /// An instance of the type that the function called by `of` declares for argument `index`, counted from 0.
    pub(crate) fn instance_of_expected_argument_type(
        &self,
        file: FileId,
        of: ExprId,
        index: u32,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        let callee = match self.expr_by_id(file, of) {
            Expr::Applied { callee, .. } => callee,
            _ => of,
        };
        let callees = self.evaluate_expr(file, callee, budget);
        let mut all = PossibleValues::default();
        for callee in &callees.list {
            for function in self.functions_called_through_value(callee, budget) {
                all.add(self.instance_of_declared_parameter_type(function, index, budget));
            }
        }
        all.sure &= callees.sure;
        all.missing |= callees.missing;
        if all.list.iter().any(Value::is_or_contains_type_parameter) {
            if let Some(receiver) = self.receiver_of_enclosing_call(file, of, budget) {
                all = self.substitute_receiver_type_arguments(all, &receiver, budget);
            }
            all = self.substitute_types_inferred_from_call(file, of, all, budget);
        }
        all
    }

    /// The receiver of the method call that contains `of` in its arguments.
    fn receiver_of_enclosing_call(
        &self,
        file: FileId,
        mut of: ExprId,
        budget: &mut EvaluationBudget,
    ) -> Option<PossibleValues> {
        for _ in 0..MAX_ARGUMENTS {
            match self.expr_by_id(file, of) {
                Expr::Argument { of: outer, .. } | Expr::Applied { callee: outer, .. } => of = outer,
                Expr::Member { base, .. } => return Some(self.evaluate_expr(file, base, budget)),
                Expr::Generic { base: Some(base), .. } if self.is_member_expr(file, base) => of = base,
                Expr::Generic { .. } | Expr::Name { .. } => return Some(self.evaluate_expr(file, of, budget)),
                _ => return None,
            }
        }
        None
    }

    fn is_member_expr(&self, file: FileId, of: ExprId) -> bool {
        matches!(self.expr_by_id(file, of), Expr::Member { .. })
    }

    /// The functions that run when a value is called or constructed.
    pub(crate) fn functions_called_through_value(&self, value: &Value, budget: &mut EvaluationBudget) -> Vec<Def> {
        match value {
            Value::Function(def) => self.overloads_of_function(*def),
            Value::Type(def, _) => {
                self.member_functions_of_first_name_found(&Value::Type(*def, None), &["constructor"], budget)
            }
            Value::Instance(..) | Value::Object(..) => {
                self.member_functions_of_first_name_found(value, &[CALL_SIGNATURE, CONSTRUCT_SIGNATURE], budget)
            }
            _ => Vec::new(),
        }
    }

    /// The functions that are members of a value under a name: the first of `names` for which there are any.
    fn member_functions_of_first_name_found(
        &self,
        value: &Value,
        names: &[&str],
        budget: &mut EvaluationBudget,
    ) -> Vec<Def> {
        for name in names {
            let found = self.value_member(value, name, budget).referents.into_iter();
            let functions: Vec<Def> = found
                .filter_map(|referent| match referent {
                    Referent::Def(def) => Some(def),
                    _ => None,
                })
                .collect();
            if !functions.is_empty() {
                return functions;
            }
        }
        Vec::new()
    }

    /// All overloads of a function.
    fn overloads_of_function(&self, def: Def) -> Vec<Def> {
        let Some(indexed) = self.names_index(def.file) else { return Vec::new() };
        let own = indexed.binding_or_placeholder(def.binding);
        let semantics = self.semantics_of_file_language_or_default(def.file);
        if own.body == Some(own.scope) || semantics.overloads_are_separate_definitions() {
            return vec![def];
        }
        let together = indexed.bindings_of_name_in_scope(own.scope, own.name).iter().copied();
        together
            .filter(|id| *id == def.binding || indexed.binding_or_placeholder(*id).kind == BindingKind::Function)
            .map(|binding| Def { file: def.file, binding })
            .collect()
    }

    /// An instance of the type that a function declares for its parameter `index`, counted from 0.
    fn instance_of_declared_parameter_type(
        &self,
        function: Def,
        index: u32,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        let Some(indexed) = self.names_index(function.file) else { return PossibleValues::default() };
        let body = indexed.binding_or_placeholder(function.binding).body;
        let Some(body) = body.filter(|body| indexed.scope_kind(*body) == ScopeKind::Function) else {
            return PossibleValues::default();
        };
        let parameters = indexed.parameters_of_scope(body);
        let last = parameters.last().copied().filter(|last| indexed.binding_or_placeholder(*last).wrapped);
        let rest = last.filter(|_| index as usize + 1 >= parameters.len());
        let Some(parameter) = rest.or_else(|| parameters.get(index as usize).copied()) else {
            return PossibleValues::default();
        };
        let Some(annotation) = indexed.binding_or_placeholder(parameter).annotation else {
            return PossibleValues::default();
        };
        let declared =
            budget.run_nested_within_limits(|budget| self.instances_of_type_expr(function.file, annotation, budget));
        if rest.is_some() { self.values_yielded_by_values(declared, budget) } else { declared }
    }

    /// The result of calling a value by its call signature: `interface F { (x: string): Foo }`.
    pub(crate) fn call_signature_result(&self, value: &Value, budget: &mut EvaluationBudget) -> PossibleValues {
        self.result_of_signature_member(value, CALL_SIGNATURE, budget)
    }

    /// The result of constructing by the construct signature of a value: `interface F { new (x: string): Foo }`.
    pub(crate) fn construct_signature_result(&self, value: &Value, budget: &mut EvaluationBudget) -> PossibleValues {
        self.result_of_signature_member(value, CONSTRUCT_SIGNATURE, budget)
    }

    fn result_of_signature_member(&self, value: &Value, name: &str, budget: &mut EvaluationBudget) -> PossibleValues {
        let mut all = PossibleValues::default();
        for function in self.member_functions_of_first_name_found(value, &[name], budget) {
            all.add(budget.run_nested_within_limits(|budget| self.return_values_of_function(function, budget)));
        }
        self.substitute_receiver_type_arguments(all, &PossibleValues::single(value.clone(), true), budget)
    }

    /// The result of indexing `base` by its index signature, else the containers that `base` can be.
    pub fn index_signature_result_or_containers(
        &self,
        file: FileId,
        base: ExprId,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        let holder = self.evaluate_expr(file, base, budget);
        let mut all = PossibleValues::default();
        for value in &holder.list {
            if self.has_index_signature(value, budget) {
                all.add(self.index_signature_result(value, budget));
            }
        }
        all.sure &= holder.sure;
        all.missing |= holder.missing;
        if all.list.is_empty() {
            all.list.extend(holder.list.into_iter().filter(|value| matches!(value, Value::Container(_))));
            all.sure = false;
        }
        all
    }

    /// Whether the type of a value has an index signature: `interface F { [key: string]: Foo }`.
    pub(crate) fn has_index_signature(&self, value: &Value, budget: &mut EvaluationBudget) -> bool {
        match value {
            Value::Instance(def, _)
                if !self.semantics_of_file_language_or_default(def.file).has_call_or_index_signatures() =>
            {
                false
            }
            Value::Instance(..) | Value::Object(..) => {
                let found = self.value_member(value, INDEX_SIGNATURE, budget).referents;
                found.iter().any(|referent| matches!(referent, Referent::Def(_)))
            }
            _ => false,
        }
    }

    /// The result of indexing a value by its index signature.
    pub(crate) fn index_signature_result(&self, value: &Value, budget: &mut EvaluationBudget) -> PossibleValues {
        let found = self.value_member(value, INDEX_SIGNATURE, budget);
        let values = budget.run_nested_within_limits(|budget| self.evaluate_resolution(&found, budget));
        self.substitute_receiver_type_arguments(values, &PossibleValues::single(value.clone(), true), budget)
    }
}
