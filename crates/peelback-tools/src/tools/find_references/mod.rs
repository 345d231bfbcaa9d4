//! The tool `find_references`: the references to a symbol.

mod parameters;
mod references_payload;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use peelback_code::looks_like_test_path;
use peelback_code::syntax::names::Role;
use peelback_code::{
    AnalysedFile, CodeAccess, Completeness, Confidence, Evidence, NameMatch, Reference, ReferenceQuery, SymbolQuery,
};
use peelback_tokens::LineCosts;

use self::parameters::{MinimumConfidence, Parameters, Relation};
use self::references_payload::{DefinitionRow, NestedFields, ReferenceRow, ReferencesPayload, ScalarFields};
use crate::answer::Answer;
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::format_count_with_noun;
use crate::guidance::Guidance;
use crate::message::Message;
use crate::next_calls::TextSearchOption;
use crate::output_guard::{PageLimiter, PagePlan};
use crate::parameter_name::parameter_name;
use crate::parsed_question::TestFilter;
use crate::recoverable_error::RecoverableError;
use crate::reply::Reply;
use crate::retention::ResultKind;
use crate::rows::SymbolRow;
use crate::symbol_detail::DetailLadder;
use crate::symbol_lookup::{FoundSymbols, SymbolLookup, path_from_argument_or_symbol_id};
use crate::tool::{ExplorationStep, Tool, ToolGuide};
use crate::tool_call::call;
use crate::view::{Format, OutputOptions};

/// The maximum number of references in an answer at detail level `exploring`.
const MAX_EXPLORING_ROWS: usize = 50;

/// The maximum number of definitions of an ambiguous name in an answer at detail level `exploring`.
const MAX_DEFINITIONS: usize = 20;

pub struct FindReferences;

impl Tool for FindReferences {
    type Parameters = Parameters;

    const NAME: &'static str = "find_references";
    const ALIASES: &'static [&'static str] = &["refs", "references", "find_symbol_references", "find_usages", "usages"];
    const POSITIONAL_PARAMETERS: &'static [&'static str] = &["name", "path"];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("symbol", "name"),
        ("symbol_name", "name"),
        ("name_path", "name"),
        ("id", "name"),
        ("qualified_name", "name"),
        ("file_path", "path"),
        ("relative_path", "path"),
        ("roles", "role"),
        ("direction", "relation"),
        ("kind", "role"),
        ("min_confidence", "confidence"),
    ];
    const IGNORED_ARGUMENTS: &'static [&'static str] = &["include_body"];
    const EXAMPLES: &'static [&'static str] = &[
        "find_references --name src/editor.py:Editor.apply",
        "find_references --name Editor --role call --tests without",
    ];
    const HAS_PLACES: bool = true;
    const GUIDE: ToolGuide = ToolGuide {
        step: ExplorationStep::Connect,
        phrase: "gives the uses of a symbol, names resolved, also its callers, callees and implementations",
        cost_ranks: &[(70, "")],
    };
    const RESULT_KIND: ResultKind = ResultKind::References;
    const LABEL_PARAMETERS: &'static [&'static str] = &["name", "path", "scope"];
    const AGENT_TOKENS: usize = 250;

    fn size_and_format_parameters(parameters: &Parameters) -> &OutputOptions {
        &parameters.view
    }

    fn run_call(access: &CodeAccess, context: &CallContext, parameters: Parameters) -> Result<Reply, RecoverableError> {
        let call = Call::from_parameters_without_root_and_offset(Self::NAME, &parameters);
        let path = parameters.path.as_deref();
        let lookup = SymbolLookup {
            context,
            call: &call,
            call_for_symbol: |path, name| match path {
                Some(path) => call!(FindReferences { path: path, name: name }),
                None => call!(FindReferences { name: name }),
            },
            tool_name: Self::NAME,
            path,
            path_parameter: parameter_name!(Parameters, path),
            is_code_first: true,
        };
        let file = path_from_argument_or_symbol_id(access, path, &parameters.name);
        let snapshot = access.with_new_shared_snapshot(file.as_deref());
        let access = &snapshot.map_err(|error| {
            RecoverableError::from_code_error(context, &error, &call, parameter_name!(Parameters, path))
        })?;
        let FoundSymbols { results: found, mut evidence, may_gap_hide_definition, are_inherited, .. } =
            lookup.find_and_visit_named_symbols(access, &parameters.name, definition_rows_with_reference_queries)?;
        let (rows, symbols): (Vec<DefinitionRow>, Vec<SymbolQuery>) = found.into_iter().unzip();
        let query = ReferenceQuery {
            symbols,
            scope: parameters.scope.iter().cloned().collect(),
            text: parameters.confidence == MinimumConfidence::Text,
            relation: parameters.relation.to_code_relation(),
            depth: parameters.depth.unwrap_or(1),
        };
        let references = access.find_references(&query).map_err(|error| {
            RecoverableError::from_code_error(context, &error, &call, parameter_name!(Parameters, scope))
        })?;
        evidence = combine_lookup_and_search_evidence(evidence, references.evidence, may_gap_hide_definition);
        // The file that a call names for an inherited member is that of the heir.
        let definition_file = match (file, rows.first()) {
            (Some(_), Some(row)) if are_inherited => Some(row.path.clone()),
            (file, _) => file,
        };
        let reply = ReferenceSearchResult {
            definitions: rows,
            definition_file,
            references: references.references,
            unresolved_symbols: references.unresolved_symbols,
            other_meanings: references.other_meanings,
            evidence,
        };
        Ok(reply.filter_into_reply(access, context, &parameters, &call))
    }
}

/// The rows of a file's definitions, each with the query for its references.
fn definition_rows_with_reference_queries(
    analysed: &AnalysedFile,
    hits: &[NameMatch],
) -> Vec<(DefinitionRow, SymbolQuery)> {
    let costs = LineCosts::new(&analysed.file.text);
    let path = &analysed.file.path;
    let row = |hit: &NameMatch| {
        let symbol = SymbolRow::new_without_children(path, &hit.symbol, &costs);
        let row = DefinitionRow { path: path.clone(), symbol, uses: 0 };
        (row, SymbolQuery { path: path.clone(), symbol: hit.symbol.clone() })
    };
    hits.iter().map(row).collect()
}

/// Combines the evidence of two steps: the lookup of the symbol's definition and the search for references to it.
fn combine_lookup_and_search_evidence(
    definition: Evidence,
    mut search: Evidence,
    may_gap_hide_definition: bool,
) -> Evidence {
    // Gaps in the outline of a single file matter only within the search for references, which reports them itself.
    search.add_gaps_and_notes(match may_gap_hide_definition {
        true => definition,
        false => Evidence { notes: definition.notes, ..Evidence::new_complete(&definition.analysis) },
    });
    search
}

/// The unfiltered result of a search for references.
struct ReferenceSearchResult {
    definitions: Vec<DefinitionRow>,
    /// The file of the definition, if the call names this file, or the heir of an inherited member.
    definition_file: Option<String>,
    references: Vec<Reference>,
    /// How many of the symbols are matched by their names alone.
    unresolved_symbols: usize,
    /// How many uses of the same name mean another function or type for sure.
    other_meanings: usize,
    evidence: Evidence,
}

impl ReferenceSearchResult {
    /// Filters the references by role, tests and confidence, and renders the reply.
    fn filter_into_reply(
        self,
        access: &CodeAccess,
        context: &CallContext,
        parameters: &Parameters,
        call: &Call,
    ) -> Reply {
        let Self {
            mut definitions,
            definition_file: named_in,
            references: mut found,
            unresolved_symbols,
            other_meanings,
            evidence,
        } = self;
        let roles: Vec<Role> = parameters.role.iter().map(|role| role.to_reference_role()).collect();
        let count_of_all_roles = found.len();
        found.retain(|reference| roles.is_empty() || reference.role.is_some_and(|role| roles.contains(&role)));
        let count_before_filter = found.len();
        let in_other_roles = count_of_all_roles - count_before_filter;
        if let Some(is_counted) = parameters.tests.path_filter() {
            found.retain(|reference| is_counted(&reference.path));
        }
        let in_tests = if parameters.tests == TestFilter::Without { count_before_filter - found.len() } else { 0 };
        let has_confidence =
            |level: Confidence| move |found: &&Reference| found.confidence == level && !found.is_conditional;
        let count = |level: Confidence| found.iter().filter(has_confidence(level)).count();
        let (resolved, likely, name) =
            (count(Confidence::Resolved), count(Confidence::Likely), count(Confidence::Name));
        let some_builds = found.len() - resolved - likely - name;
        // Where nothing can be resolved, the places with the name are all that there is.
        let is_by_name_alone = unresolved_symbols == definitions.len() && resolved + likely == 0;
        let min_confidence = match parameters.confidence {
            MinimumConfidence::Resolved => Confidence::Resolved,
            MinimumConfidence::Plausible if is_by_name_alone => Confidence::Name,
            MinimumConfidence::Likely | MinimumConfidence::Plausible => Confidence::Likely,
            MinimumConfidence::Name | MinimumConfidence::Text => Confidence::Name,
        };
        let limiter = PageLimiter::new(&parameters.view, MAX_EXPLORING_ROWS);
        let sure = resolved + likely;
        let has_room = parameters.confidence == MinimumConfidence::Plausible && sure < limiter.row_limit();
        let is_listed = |found: &Reference| {
            min_confidence == Confidence::Name
                || !found.is_conditional && (found.confidence <= min_confidence || has_room && found.is_plausible)
        };
        found.retain(is_listed);
        if has_room && !is_by_name_alone {
            found.sort_by_key(|found| {
                let is_by_name = found.confidence == Confidence::Name;
                (is_by_name, is_by_name && looks_like_test_path(&found.path))
            });
        }
        let total = found.len();
        let listed_by_name = found.iter().filter(has_confidence(Confidence::Name)).count();
        let is_ambiguous = definitions.len() > 1;
        let hidden_counts =
            if min_confidence == Confidence::Name { (0, 0) } else { (name - listed_by_name, some_builds) };
        for reference in found.iter().filter(|reference| reference.confidence != Confidence::Name) {
            if let Some(row) = definitions.get_mut(reference.symbol) {
                row.uses += 1;
            }
        }
        // The others are not told apart by role and file.
        let is_filtered = !parameters.role.is_empty() || parameters.tests != TestFilter::With;
        let other_meanings = if is_filtered { 0 } else { other_meanings };
        let unit = parameters.relation.singular_and_plural_row_noun();
        let callers = (parameters.relation == Relation::Callers).then(|| count_callers(&found));
        let role = most_frequent_reference_role_and_count(&found);
        let (mut found, plan) = limiter.page_rows_and_plan_by_file(found, |found| &found.path, unit.1);
        access.fill_in_reference_columns_and_texts(&mut found);
        let rows = found
            .into_iter()
            .map(|reference| ReferenceRow::new(reference, is_ambiguous.then_some(&definitions)))
            .collect();
        // Those that are used most come first, since not all may be listed.
        definitions.sort_by_key(|row| Reverse(row.uses));
        let counts = (total, hidden_counts, in_tests, in_other_roles);
        let guidance = references_guidance(context, call, &definitions, counts, &evidence, parameters.relation);
        let sure = if listed_by_name > 0 && min_confidence != Confidence::Name { sure } else { 0 };
        let plan = add_narrowing_calls(context, plan, call, (sure, role), parameters)
            .with_original_call_for_paging(call.clone());
        let most = if parameters.view.is_full_detail() { usize::MAX } else { MAX_DEFINITIONS };
        let total_definitions = definitions.len();
        let next = context.follow_up_call_builder();
        let all_definitions_call =
            definitions.first().map(|first| next.find_symbols_named_exactly_call(&first.symbol.name));
        let head = ScalarFields {
            definition_count: total_definitions,
            resolved,
            likely,
            name,
            listed_by_name,
            some_builds,
            other_meanings,
            in_tests,
            in_other_roles,
            files: plan.row_counts_by_file.len(),
            callers,
            row_nouns: unit,
            preposition: parameters.relation.preposition_before_symbol(),
        };
        let definitions = definitions.into_iter().take(most).collect();
        let payload = ReferencesPayload {
            head,
            total,
            definition_file: named_in,
            body: NestedFields { definitions, references: rows },
            ladder: DetailLadder::default(),
            shows_definitions: total_definitions > 1 || parameters.view.format == Format::Json,
            all_definitions_call,
        };
        Answer { payload, plan, evidence, guidance, is_empty: total == 0 }.into_reply(context, &parameters.view)
    }
}

/// The number of definitions that contain the calls, each counted once; code at the top level of a file counts as one.
fn count_callers(calls: &[Reference]) -> usize {
    let callers = calls.iter().map(|call| (call.path.as_str(), call.enclosing_at, call.enclosing.as_str()));
    callers.collect::<BTreeSet<_>>().len()
}

/// The most frequent role of the references, with their number; `None` where all references have one role.
fn most_frequent_reference_role_and_count(found: &[Reference]) -> Option<(&'static str, usize)> {
    let mut by_role: BTreeMap<&str, usize> = BTreeMap::new();
    found
        .iter()
        .filter_map(|found| found.role.map(Role::as_str))
        .for_each(|role| *by_role.entry(role).or_default() += 1);
    let most = by_role.iter().max_by_key(|(_, count)| **count).map(|(role, count)| (*role, *count));
    most.filter(|(_, count)| *count < found.len())
}

fn add_narrowing_calls(
    context: &CallContext,
    mut plan: PagePlan,
    call: &Call,
    (sure, role): (usize, Option<(&'static str, usize)>),
    parameters: &Parameters,
) -> PagePlan {
    let (one, several) = parameters.relation.singular_and_plural_row_noun();
    if sure > 0 {
        plan = plan.with_narrowing_call(
            call.clone().with_argument(parameter_name!(Parameters, confidence), "likely"),
            sure,
            (one, several),
        );
    }
    let filters = parameters.role.is_empty() && parameters.relation == Relation::Uses;
    if let Some((role, count)) = role.filter(|_| filters) {
        plan = plan.with_narrowing_call(
            call.clone().with_argument(parameter_name!(Parameters, role), vec![role]),
            count,
            (one, several),
        );
    }
    if let Some((file, count)) = plan
        .narrower_place_and_count(parameters.scope.as_slice(), &context.file_kinds())
        .map(|(file, count)| (file.to_owned(), count))
    {
        plan = plan.with_narrowing_call(
            call.clone().with_argument(parameter_name!(Parameters, scope), file),
            count,
            (one, several),
        );
    }
    plan
}

fn references_guidance(
    context: &CallContext,
    call: &Call,
    definitions: &[DefinitionRow],
    (total, (names, builds), in_tests, in_other_roles): (usize, (usize, usize), usize, usize),
    evidence: &Evidence,
    relation: Relation,
) -> Option<Guidance> {
    let call_with_name_matches = call.clone().with_argument(parameter_name!(Parameters, confidence), "name");
    let more = match (names, builds) {
        (0, 0) => None,
        (_, 0) => Some(format!("{} by name only", format_count_with_noun(names, "place", "places"))),
        (0, _) => Some(format!("{} that only some builds compile", format_count_with_noun(builds, "place", "places"))),
        _ => Some(format!("{names} by name only, {builds} that only some builds compile")),
    };
    if total == 0 && (evidence.completeness != Completeness::Complete || more.is_some()) {
        let next = context.follow_up_call_builder();
        let name = definitions.first().map_or("", |row| row.symbol.name.as_str());
        let text = || next.text_search_call(name, &[TextSearchOption::WholeWord, TextSearchOption::Literal]);
        let (conclusion, otherwise) = match (relation, definitions.first()) {
            (Relation::Callees, Some(row)) => {
                ("it calls nothing", ("its body".to_owned(), next.read_symbol_body_call(&row.symbol.id)))
            }
            (Relation::Implementations, _) => ("nothing implements it", ("its name in texts".to_owned(), text())),
            _ => ("it is unused", ("its text".to_owned(), text())),
        };
        let (what, all) = more.map_or(otherwise, |more| (more, call_with_name_matches.clone()));
        let caution = Message::from(format!("do not conclude that {conclusion}; {what}: "));
        return Some(Guidance::MustFollow(caution.with_call(all)));
    }
    if let Some(more) = more {
        return Some(Guidance::hint_with_call(format!("also {more}: "), call_with_name_matches));
    }
    if total == 0 && in_tests > 0 {
        let all = call.clone().without_argument(parameter_name!(Parameters, tests));
        return Some(Guidance::hint_with_call(
            format!("{} in test files: ", format_count_with_noun(in_tests, "use", "uses")),
            all,
        ));
    }
    if total == 0 && in_other_roles > 0 {
        let all = call.clone().without_argument(parameter_name!(Parameters, role));
        return Some(Guidance::hint_with_call(
            format!("{} of other roles: ", format_count_with_noun(in_other_roles, "use", "uses")),
            all,
        ));
    }
    // The definitions are in the order of their uses.
    // By the id of a definition that has no use, a call would find nothing.
    let most_used = definitions.first().filter(|first| definitions.len() > 1 && first.uses > 0)?;
    let one = call
        .clone()
        .without_argument(parameter_name!(Parameters, path))
        .with_argument(parameter_name!(Parameters, name), most_used.symbol.id.as_str());
    let symbols = definitions.len();
    Some(Guidance::hint_with_call(
        format!("{symbols} symbols have this name; to take one, give its id; the most used: "),
        one,
    ))
}
