//! The results of calls: what functions declare, else what their bodies return, and instances of types that are called.

use peelback_syntax::names::{Expr, ExprId};

use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::Def;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{Value, Values};

impl Resolver<'_> {
    /// The result of calling an expression.
    pub fn call_result(&self, file: FileId, callee: ExprId, budget: &mut EvaluationBudget) -> Values {
        let functions = self.evaluate_callee(file, callee, budget);
        self.semantics(file).call_result(self, (file, callee), &functions, budget)
    }

    /// The results of calling these functions.
    pub fn results_of(&self, functions: &Values, budget: &mut EvaluationBudget) -> Values {
        let mut all = Values::default();
        for value in &functions.list {
            let cycles = budget.cycles;
            let given = self.call_value(value, budget);
            let is_dynamic = matches!(value, Value::Function(def) if self.semantics(def.file).is_dynamically_typed());
            all.partial |= is_dynamic && given.list.is_empty() && budget.cycles == cycles;
            all.add(given);
        }
        all
    }

    /// `results` of calling `functions`, with the type arguments of the receiver that the method is called on.
    pub fn with_receiver_arguments(
        &self,
        (file, callee): (FileId, ExprId),
        mut results: Values,
        functions: &Values,
        budget: &mut EvaluationBudget,
    ) -> Values {
        if let Expr::Member { base, .. } = self.expr(file, callee)
            && results.list.iter().any(|value| matches!(value, Value::Parameter(_) | Value::Bag(_)))
        {
            let receiver = self.evaluate(file, base, budget);
            results = self.substitute_all(results, &receiver, budget);
        }
        results.sure &= functions.sure;
        results.partial |= functions.partial;
        results
    }

    /// Evaluates the expression that a call calls. Where a field or module can share its name with a function, the
    /// function counts.
    pub(crate) fn evaluate_callee(&self, file: FileId, callee: ExprId, budget: &mut EvaluationBudget) -> Values {
        let named = matches!(self.expr(file, callee), Expr::Name { .. } | Expr::Member { .. });
        if named && self.semantics(file).separates_fields_from_methods() {
            let resolution = self.resolve_expr(file, callee, budget);
            if resolution.referents.len() > 1 {
                return self.evaluate_resolution(&self.keep_callables(resolution, true), budget);
            }
        }
        self.evaluate(file, callee, budget)
    }

    pub(crate) fn call_value(&self, value: &Value, budget: &mut EvaluationBudget) -> Values {
        match value {
            Value::Type(def, args) => Values::one(Value::Instance(*def, args.clone()), true),
            Value::Function(def) => budget.descend(|budget| self.return_value(*def, budget)),
            Value::Bag(values) => {
                // A call of a container calls the functions that it holds, or a method of the container, which likely
                // returns an element.
                let mut all = Values::default();
                for value in values.iter() {
                    all.add(match value {
                        Value::Function(_) => self.call_value(value, budget),
                        other => Values::one(Value::Bag(vec![other.clone()].into()), false),
                    });
                }
                all.unsure()
            }
            Value::Instance(def, _) => self.semantics(def.file).call_instance(self, value, *def, budget),
            Value::External => Values::external(),
            // A CommonJS module can be called if its exported value can: `require('x')()`.
            Value::Object(..) => budget.descend(|budget| self.call_signature_result(value, budget)),
            Value::Module(_) | Value::Parameter(_) | Value::Tuple(_) => Values::default(),
        }
    }

    /// The return value of a function: as declared, else as its body returns it. Empty if the function is already being
    /// evaluated.
    pub(crate) fn return_value(&self, def: Def, budget: &mut EvaluationBudget) -> Values {
        if budget.open_definitions.contains(&def) {
            budget.note_cycle();
            return Values::default();
        }
        budget.open_definitions.push(def);
        let all = self.function_result(def, budget);
        budget.open_definitions.pop();
        all
    }

    /// The return value of a function or property that is marked as being evaluated.
    pub(crate) fn function_result(&self, def: Def, budget: &mut EvaluationBudget) -> Values {
        let Some(indexed) = self.names_index(def.file) else { return Values::default() };
        let own = indexed.binding(def.binding);
        let together: Vec<u32> = if own.visible_from > 0 || own.body == Some(own.scope) {
            vec![def.binding]
        } else {
            indexed.bindings_of(own.scope, own.name).to_vec()
        };
        let mut all = Values::default();
        for part in &together {
            let binding = indexed.binding(*part);
            if let Some(annotation) = binding.annotation {
                let declared = self.instance_of(def.file, annotation, budget);
                all.add(if binding.wrapped { declared.in_container() } else { declared });
            }
        }
        let overloaded = all.list.len() > 1 && self.semantics(def.file).has_overloads();
        if all.list.is_empty() {
            let mut wrapped = false;
            for part in &together {
                let binding = indexed.binding(*part);
                wrapped |= binding.wrapped;
                for value in indexed.names().list(binding.values) {
                    let found = self.evaluate_alternative(def.file, *value, &mut all, budget);
                    all.add(found);
                }
            }
            all = all.unsure();
            if wrapped {
                all = all.in_container();
                all.sure = false;
            }
        }
        if overloaded { all.unsure() } else { all }
    }
}
