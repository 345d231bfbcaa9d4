//! The state of one search for references, which all parts of the search share.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use peelback_project::{Completeness, Evidence, Snapshot};
use peelback_syntax::Facts;

use super::derived::DerivedByBase;
use super::reference::Relation;
use super::target::SearchTarget;
use crate::analyzer::ProjectAnalyzer;
use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::Def;
use crate::resolve::resolver::Resolver;

/// One search for references over a snapshot of the project.
pub(crate) struct ReferenceSearch<'a> {
    pub analyzer: &'a ProjectAnalyzer,
    pub snapshot: &'a Snapshot,
    pub resolver: &'a Resolver<'a>,
    /// Whether names in strings and comments are included in the results.
    pub text: bool,
    /// The outlines loaded so far; `None` for files that cannot be read.
    pub outlines: Mutex<BTreeMap<FileId, Option<Arc<Facts>>>>,
    /// What derives from other types in the files that were looked through so far.
    pub derived: Mutex<HashMap<FileId, Arc<DerivedByBase>>>,
    /// Whether the search is for calls: then calls of variables and fields that hold a target function count too.
    pub calls: bool,
    /// The number of evaluations that a limit cut short, so that names or types they would have led to are missing.
    pub evaluations_cut_short: AtomicUsize,
}

/// The first few items of a list as a text, with the number of further ones.
pub(super) fn join_first_few_items(all: &[String]) -> String {
    const MOST: usize = 3;
    let shown = all.iter().take(MOST).map(String::as_str).collect::<Vec<_>>().join(", ");
    if all.len() > MOST { format!("{shown} and {} more", all.len() - MOST) } else { shown }
}

impl<'a> ReferenceSearch<'a> {
    /// A new search for what is related to symbols by `relation`. With `text`, uses in strings and comments count.
    pub fn new(
        analyzer: &'a ProjectAnalyzer,
        snapshot: &'a Snapshot,
        resolver: &'a Resolver<'a>,
        text: bool,
        relation: Relation,
    ) -> Self {
        Self {
            analyzer,
            snapshot,
            resolver,
            text: text && relation == Relation::Uses,
            outlines: Mutex::default(),
            derived: Mutex::default(),
            calls: relation == Relation::Callers,
            evaluations_cut_short: AtomicUsize::new(0),
        }
    }
}

impl ReferenceSearch<'_> {
    /// Runs an evaluation whose result decides what else is searched, and counts it if a limit cut it short.
    pub fn evaluate_and_count_if_cut<R>(&self, evaluate: impl FnOnce(&mut EvaluationBudget) -> R) -> R {
        let mut budget = self.resolver.new_budget();
        let result = evaluate(&mut budget);
        if budget.exhausted {
            self.count_evaluation_cut_short();
        }
        result
    }

    /// Counts an evaluation that a limit cut short. One that ended because the call ended is told apart from these.
    pub fn count_evaluation_cut_short(&self) {
        if !self.resolver.call_end.has_cut_work_short() {
            self.evaluations_cut_short.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Says in the evidence that evaluations were cut short, if any were, by their limits or by the end of the call.
    pub fn note_evaluations_cut_short(&self, evidence: &mut Evidence) {
        self.note_end_of_call_if_work_cut(evidence);
        let inner = self.resolver.evaluations_cut_short.load(Ordering::Relaxed);
        let count = self.evaluations_cut_short.load(Ordering::Relaxed).saturating_add(inner);
        if count > 0 {
            let noun = if count == 1 { "name or type is" } else { "names or types are" };
            evidence.add_note(format!("{count} {noun} too deep to follow: uses through them may be missing"));
            evidence.lower_completeness_to(Completeness::LowerBound);
        }
    }

    /// Says in the evidence that the call ended before its work did, if that left something out.
    pub fn note_end_of_call_if_work_cut(&self, evidence: &mut Evidence) {
        if let Some(cause) = self.resolver.call_end.stop_cause_if_work_cut() {
            evidence.add_note(format!("{}: names were resolved only until then", cause.as_str()));
            evidence.lower_completeness_to(Completeness::LowerBound);
        }
    }

    /// The index of the target that a call of each definition calls: the target itself is called, or the function that
    /// the target holds. Empty unless the search is for calls.
    pub fn called_target_index_by_definition(&self, targets: &[SearchTarget]) -> HashMap<Def, usize> {
        let mut called = HashMap::new();
        for (index, target) in targets.iter().enumerate().filter(|_| self.calls) {
            let held = target.def.and_then(|def| self.resolver.unnamed_function_held_by_definition(def));
            for def in target.definitions.iter().copied().chain(held) {
                called.entry(def).or_insert(index);
            }
        }
        called
    }

    /// The names of the other members that are one with a target, see [`LanguageSemantics::further_names_of_member`].
    ///
    /// [`LanguageSemantics::further_names_of_member`]: crate::semantics::LanguageSemantics::further_names_of_member
    pub fn further_names_of_target_member(&self, target: &SearchTarget) -> Vec<&str> {
        let Some(def) = target.def.filter(|_| target.is_member) else { return Vec::new() };
        let further = target.semantics_or_default().further_names_of_member(self.resolver, def);
        let name = |def: Def| {
            let binding = self.resolver.binding_of_definition(def)?;
            Some(self.resolver.name_text(def.file, binding.name))
        };
        further.into_iter().filter_map(name).collect()
    }

    /// The further names of the function that a target is: `set` of `a.set = a.header = () => {}`, whose target is
    /// `header`.
    pub fn further_names_of_target_function(&self, target: &SearchTarget) -> Vec<&str> {
        let Some(def) = target.def.filter(|_| target.semantics_or_default().are_function_exprs_definitions()) else {
            return Vec::new();
        };
        let Some(index) = self.resolver.names_index(def.file) else { return Vec::new() };
        let names = index
            .further_names_of_function_held_by(def.binding)
            .map(|further| self.resolver.name_text(def.file, index.binding_or_placeholder(further).name));
        names.filter(|name| *name != target.name).collect()
    }

    /// Further names by which files use the definition of a search target.
    pub fn further_names_of_target(&self, target: &SearchTarget) -> Vec<String> {
        target
            .def
            .map_or_else(Vec::new, |def| target.semantics_or_default().further_names_of_definition(self.resolver, def))
    }

    /// The path and the name of a search target, for notes in the evidence.
    pub fn describe_target(&self, target: &SearchTarget) -> String {
        format!("{}:{}", self.snapshot.file_table().path_of_file(target.file), target.name)
    }
}
