//! The limits on the evaluation of one expression, so that no source code makes the resolver hang, and the end of the call
//! that it belongs to.

use std::sync::atomic::{AtomicBool, Ordering};

use indexmap::IndexSet;
use peelback_project::{CancellationToken, StopCause};
use peelback_syntax::names::Span;
use peelback_syntax::stack::run_on_enough_stack;

use super::definition::Def;
use crate::modules::{FileId, Module};

/// The limit on the nesting of steps in one evaluation. Real chains (imports, fields of fields, inferred results) stay
/// far below it.
const MAX_DEPTH: u32 = 48;

/// The limit on the number of steps in one evaluation. A name with many inferred values takes many steps.
const MAX_STEPS: u32 = 20_000;

/// The limit on the nesting of calls that are parts of a step, such as the replacement of a type parameter by an argument
/// that has type parameters of its own. Such calls do not count as nested steps.
const MAX_NESTED_PARTS: u32 = 128;

/// The limit on the nesting of evaluations with limits of their own inside one another.
const MAX_NESTED_EVALUATIONS: u32 = 3;

/// The limit on the number of possible values that one expression is evaluated to.
pub(crate) const MAX_VALUES: usize = 8;

/// The number of steps and parts of steps of an evaluation after which it is asked again whether the call must end. A
/// step takes microseconds.
const STEPS_BETWEEN_QUESTIONS: u32 = 64;

/// A call of a macro, one of whose rules is being evaluated.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OpenMacroCall {
    /// The function that the rule is.
    pub rule: Def,
    /// The file of the call.
    pub file: FileId,
    /// The arguments of the call.
    pub arguments: Span,
}

/// A type of which is being found what it derives from.
#[derive(Debug)]
pub(crate) struct OpenAncestors {
    pub def: Def,
    /// The type itself, and what is known so far of what it derives from.
    pub so_far: Vec<Def>,
}

/// Whether the call that all evaluations of a resolver belong to must end. What is evaluated after that has no result.
#[derive(Debug, Default)]
pub(crate) struct CallStopCondition {
    cancellation: CancellationToken,
    has_cut_work_short: AtomicBool,
}

impl CallStopCondition {
    pub fn new(cancellation: &CancellationToken) -> Self {
        Self { cancellation: cancellation.clone(), has_cut_work_short: AtomicBool::new(false) }
    }

    /// Whether the call must end now. Once it must, it is remembered that something was left out.
    pub fn must_stop_now(&self) -> bool {
        if !self.has_cut_work_short() && self.cancellation.stop_cause().is_some() {
            self.has_cut_work_short.store(true, Ordering::Relaxed);
        }
        self.has_cut_work_short()
    }

    /// Whether something was left out because the call had to end.
    pub fn has_cut_work_short(&self) -> bool {
        self.has_cut_work_short.load(Ordering::Relaxed)
    }

    /// Why the call had to end; `None` where nothing was left out.
    pub fn stop_cause_if_work_cut(&self) -> Option<StopCause> {
        if self.has_cut_work_short() { self.cancellation.stop_cause() } else { None }
    }
}

/// What is left of the limits on one evaluation, and what is being evaluated.
pub(crate) struct EvaluationBudget<'a> {
    call_end: &'a CallStopCondition,
    /// The number of steps and parts of steps until it is asked whether the call must end.
    until_question: u32,
    depth: u32,
    steps: u32,
    /// The number of calls in progress that are parts of a step.
    nested_parts: u32,
    /// The number of evaluations around this one that wait for it.
    outer_evaluations: u32,
    /// Whether a limit or a cycle cut a result short, or the result depends on the arguments of a macro call. Such a
    /// result is not memoized.
    pub truncated: bool,
    /// How many times a limit or a cycle cut a result short.
    cuts: u32,
    /// The macro calls whose rules are being evaluated, the innermost last.
    pub open_macro_calls: Vec<OpenMacroCall>,
    /// Whether a limit on the evaluation was reached, so that results may be incomplete.
    pub exhausted: bool,
    /// How many times the evaluation met a definition that was already being evaluated.
    pub cycles: u32,
    /// Definitions whose values are being evaluated.
    pub open_definitions: Vec<Def>,
    /// Type parameters for which an argument is sought among the bases of a type (second).
    pub open_type_arguments: Vec<(Def, Def)>,
    /// Members of modules that are being looked up, in the order in which the look-ups began.
    pub open_lookups: IndexSet<(Module, Box<str>)>,
    /// Members of namespaces that are being looked up, by the file that sees them and their paths.
    pub open_namespace_lookups: Vec<(FileId, Box<str>)>,
    /// Whether the namespace of a directive with `using` is being looked up, so that no directive counts.
    pub resolves_using_directive: bool,
    /// Whether the members that traits give to types outside the project are being collected.
    pub collecting_foreign_members: bool,
    /// Whether a long chain of calls is being evaluated from its start.
    pub evaluating_chain: bool,
    /// Whether a member of a type is being looked up in the bases of the type, the farthest first.
    pub looking_up_in_bases_first: bool,
    /// The types of which is being found what they derive from, in the order of look-ups.
    pub open_ancestors: Vec<OpenAncestors>,
    /// The lowest index of the types in `open_ancestors` whose unfinished list was used; `usize::MAX` for none.
    pub lowest_used_open_ancestors: usize,
    /// Whether an item of a list that other evaluations share is being evaluated.
    evaluating_shared_item: bool,
}

impl<'a> EvaluationBudget<'a> {
    /// The full budget of a new evaluation, which has no result once the call ends.
    pub fn new(call_end: &'a CallStopCondition) -> Self {
        Self {
            call_end,
            until_question: 0,
            depth: 0,
            steps: 0,
            nested_parts: 0,
            outer_evaluations: 0,
            truncated: false,
            cuts: 0,
            open_macro_calls: Vec::new(),
            exhausted: false,
            cycles: 0,
            open_definitions: Vec::new(),
            open_type_arguments: Vec::new(),
            open_lookups: IndexSet::new(),
            open_namespace_lookups: Vec::new(),
            resolves_using_directive: false,
            collecting_foreign_members: false,
            evaluating_chain: false,
            looking_up_in_bases_first: false,
            open_ancestors: Vec::new(),
            lowest_used_open_ancestors: usize::MAX,
            evaluating_shared_item: false,
        }
    }

    /// Records that the evaluation met a definition that depends on itself.
    pub fn record_cycle(&mut self) {
        self.record_cut();
        self.cycles += 1;
    }

    /// Records that a result is not whole.
    pub fn record_cut(&mut self) {
        self.truncated = true;
        self.cuts += 1;
    }

    /// Evaluates a rule of a macro with the arguments of a call of it. Results inside it that depend on the arguments
    /// are not memoized, but the result of the outermost call is.
    pub fn run_in_macro_call<R>(&mut self, call: OpenMacroCall, evaluate: impl FnOnce(&mut Self) -> R) -> R {
        let (truncated, cuts) = (self.truncated, self.cuts);
        self.open_macro_calls.push(call);
        let result = evaluate(self);
        self.open_macro_calls.pop();
        if self.open_macro_calls.is_empty() && self.cuts == cuts {
            self.truncated = truncated;
        }
        result
    }

    /// Runs a step of the evaluation one level deeper, or returns the default if a limit is reached.
    pub fn run_nested_within_limits<R: Default>(&mut self, step: impl FnOnce(&mut Self) -> R) -> R {
        self.steps += 1;
        if self.depth >= MAX_DEPTH || self.steps >= MAX_STEPS || self.must_tool_call_end() {
            self.record_reached_limit();
            return R::default();
        }
        self.depth += 1;
        let result = run_on_enough_stack(|| step(self));
        self.depth -= 1;
        result
    }

    /// Counts a step that nests nothing; returns `false` if a limit is reached.
    pub fn count_step_within_limits(&mut self) -> bool {
        self.run_nested_within_limits(|_| true)
    }

    /// Runs a part of a step that can lead back to the same function without a step in between, or returns `None` at
    /// the limit on the nesting of such parts.
    pub fn run_within_nesting_limit<R>(&mut self, part: impl FnOnce(&mut Self) -> R) -> Option<R> {
        if self.nested_parts >= MAX_NESTED_PARTS || self.must_tool_call_end() {
            self.record_reached_limit();
            return None;
        }
        self.nested_parts += 1;
        let result = run_on_enough_stack(|| part(self));
        self.nested_parts -= 1;
        Some(result)
    }

    /// Runs an evaluation inside this one with the full limits, so that its result does not depend on which evaluation
    /// asks first; returns the default at the limit on the nesting of evaluations.
    pub fn run_with_own_limits<R: Default>(&mut self, evaluate: impl FnOnce(&mut Self) -> R) -> R {
        if self.outer_evaluations >= MAX_NESTED_EVALUATIONS {
            self.record_reached_limit();
            return R::default();
        }
        let mut inner = Self { outer_evaluations: self.outer_evaluations + 1, ..Self::new(self.call_end) };
        let result = run_on_enough_stack(|| evaluate(&mut inner));
        // What the inner evaluation left out is missing here, too.
        if inner.exhausted {
            self.record_reached_limit();
        }
        result
    }

    /// Whether the call must end, asked once in many calls: reading the clock costs more than most steps.
    fn must_tool_call_end(&mut self) -> bool {
        if self.until_question > 0 && !self.call_end.has_cut_work_short() {
            self.until_question -= 1;
            return false;
        }
        self.until_question = STEPS_BETWEEN_QUESTIONS;
        self.call_end.must_stop_now()
    }

    /// Evaluates one item of a list that is computed once and shared by all evaluations, without counting its steps
    /// afterwards: a list of thousands of items would otherwise be cut short, and so be computed again in each evaluation.
    /// Items of such lists inside the item count.
    pub fn evaluate_without_counting_steps<R>(&mut self, evaluate: impl FnOnce(&mut Self) -> R) -> R {
        if self.evaluating_shared_item {
            return evaluate(self);
        }
        let steps = self.steps;
        self.evaluating_shared_item = true;
        let result = evaluate(self);
        self.evaluating_shared_item = false;
        self.steps = steps;
        result
    }

    /// Records that a limit cut a result short.
    fn record_reached_limit(&mut self) {
        self.record_cut();
        self.exhausted = true;
    }
}
