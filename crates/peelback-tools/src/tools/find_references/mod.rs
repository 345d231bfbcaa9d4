//! The tool `find_references`: the references to a symbol.

mod parameters;
mod uses;

use std::collections::BTreeMap;

use peelback_code::syntax::names::Role;
use peelback_code::{
    Analysed, CodeAccess, Completeness, Confidence, Evidence, NameMatch, Reference, ReferenceQuery, SymbolQuery,
    is_test_path,
};
use peelback_tokens::LineCosts;

use self::parameters::{MinimumConfidence, Parameters, Relation};
use self::uses::{Body, DefinitionRow, Head, Row, Uses};
use crate::answer::Answer;
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::counted;
use crate::guard::{OutputGuard, Plan};
use crate::guidance::Guidance;
use crate::message::Message;
use crate::next::TextOption;
use crate::parameter_name::parameter_name;
use crate::parsed_question::Tests;
use crate::recover::RecoverableError;
use crate::reply::Reply;
use crate::retention::ResultKind;
use crate::rows::SymbolRow;
use crate::symbol_lookup::{FoundSymbols, SymbolLookup, file_named};
use crate::tool::Tool;
use crate::tool_call::call;
use crate::view::View;

/// The most references at detail level `exploring`.
const CAP: usize = 50;

/// The most definitions of an ambiguous name at detail level `exploring`.
const MAX_DEFINITIONS: usize = 20;

pub struct FindReferences;

impl Tool for FindReferences {
    type Parameters = Parameters;

    const NAME: &'static str = "find_references";
    const ALIASES: &'static [&'static str] = &["refs", "references", "find_symbol_references", "find_usages", "usages"];
    const POSITIONAL: &'static [&'static str] = &["name", "path"];
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
    const IGNORED: &'static [&'static str] = &["include_body"];
    const EXAMPLES: &'static [&'static str] = &[
        "find_references --name src/editor.py:Editor.apply",
        "find_references --name Editor --role call --tests without",
    ];
    const RESULT: ResultKind = ResultKind::References;
    const SUBJECT: &'static [&'static str] = &["name", "path", "scope"];
    const AGENT_TOKENS: usize = 250;

    fn view(parameters: &Parameters) -> &View {
        &parameters.view
    }

    fn call(access: &CodeAccess, context: &CallContext, parameters: Parameters) -> Result<Reply, RecoverableError> {
        let call = Call::with_parameters(Self::NAME, &parameters);
        let path = parameters.path.as_deref();
        let lookup = SymbolLookup {
            context,
            call: &call,
            again: |path, name| match path {
                Some(path) => call!(FindReferences { path: path, name: name }),
                None => call!(FindReferences { name: name }),
            },
            tool: Self::NAME,
            path,
            path_parameter: parameter_name!(Parameters, path),
            name: &parameters.name,
            is_code_first: true,
        };
        let file = file_named(access, path, &parameters.name);
        let snapshot = access.with_snapshot(file.as_deref());
        let access = &snapshot
            .map_err(|error| RecoverableError::from_code(context, &error, &call, parameter_name!(Parameters, path)))?;
        let FoundSymbols { found, mut evidence, searched_all_code, .. } = lookup.find(access, definition_queries)?;
        let (rows, symbols): (Vec<DefinitionRow>, Vec<SymbolQuery>) = found.into_iter().unzip();
        let query = ReferenceQuery {
            symbols,
            scope: parameters.scope.iter().cloned().collect(),
            text: parameters.confidence == MinimumConfidence::Text,
            relation: parameters.relation.in_code(),
            depth: parameters.depth.unwrap_or(1),
        };
        let references = access
            .references(&query)
            .map_err(|error| RecoverableError::from_code(context, &error, &call, parameter_name!(Parameters, scope)))?;
        evidence = join_evidence(evidence, references.evidence, searched_all_code);
        let reply = ReplyParts { definitions: rows, named_in: file, found: references.references, evidence };
        Ok(reply.finish(access, context, &parameters, &call))
    }
}

/// The rows of a file's definitions, each with the query for its references.
fn definition_queries(analysed: &Analysed, hits: &[NameMatch]) -> Vec<(DefinitionRow, SymbolQuery)> {
    let costs = LineCosts::new(&analysed.file.text);
    let path = &analysed.file.path;
    let row = |hit: &NameMatch| {
        let symbol = SymbolRow::without_children(path, &hit.symbol, &costs);
        (DefinitionRow { path: path.clone(), symbol }, SymbolQuery { path: path.clone(), symbol: hit.symbol.clone() })
    };
    hits.iter().map(row).collect()
}

/// Combines the evidence of two steps: the lookup of the definition and the search for references.
fn join_evidence(definition: Evidence, mut search: Evidence, searched_all_code: bool) -> Evidence {
    // Gaps in the outline of a single file matter only within the search for references, which reports them itself.
    if searched_all_code {
        search.weaken(definition.completeness);
        let known = std::mem::take(&mut search.skipped);
        search.skipped.extend(definition.skipped.into_iter().filter(|skipped| !known.contains(skipped)));
        search.skipped.extend(known);
        search.skipped.sort();
    }
    for note in definition.notes {
        if !search.notes.contains(&note) {
            search.notes.push(note);
        }
    }
    search
}

/// The unfiltered result of a search for references.
struct ReplyParts {
    definitions: Vec<DefinitionRow>,
    /// The file of the definition, if the call names the file.
    named_in: Option<String>,
    found: Vec<Reference>,
    evidence: Evidence,
}

impl ReplyParts {
    /// Filters the references and renders the reply.
    fn finish(self, access: &CodeAccess, context: &CallContext, parameters: &Parameters, call: &Call) -> Reply {
        let Self { definitions, named_in, mut found, evidence } = self;
        let roles: Vec<Role> = parameters.role.iter().map(|role| role.role()).collect();
        found.retain(|reference| roles.is_empty() || reference.role.is_some_and(|role| roles.contains(&role)));
        let before = found.len();
        found.retain(|reference| match parameters.tests {
            Tests::With => true,
            Tests::Without => !is_test_path(&reference.path),
            Tests::Only => is_test_path(&reference.path),
        });
        let in_tests = if parameters.tests == Tests::Without { before - found.len() } else { 0 };
        let of = |level: Confidence| move |found: &&Reference| found.confidence == level && !found.is_conditional;
        let count = |level: Confidence| found.iter().filter(of(level)).count();
        let (resolved, likely, name) =
            (count(Confidence::Resolved), count(Confidence::Likely), count(Confidence::Name));
        let some_builds = found.len() - resolved - likely - name;
        let least = match parameters.confidence {
            MinimumConfidence::Resolved => Confidence::Resolved,
            MinimumConfidence::Likely => Confidence::Likely,
            MinimumConfidence::Name | MinimumConfidence::Text => Confidence::Name,
        };
        found.retain(|found| found.confidence <= least && (least == Confidence::Name || !found.is_conditional));
        let total = found.len();
        let several = definitions.len() > 1;
        let hidden = if least == Confidence::Name { (0, 0) } else { (name, some_builds) };
        let mut uses = vec![0usize; definitions.len()];
        for reference in &found {
            if let Some(count) = uses.get_mut(reference.symbol) {
                *count += 1;
            }
        }
        let most = uses.iter().zip(&definitions).rev().max_by_key(|(count, _)| **count);
        let most = most.map(|(_, row)| row.symbol.id.as_str());
        let guidance = guidance(context, call, &definitions, most, (total, hidden, in_tests), &evidence);
        let unit = parameters.relation.units();
        let role = fullest_role(&found);
        let (mut found, plan) = OutputGuard::new(&parameters.view, CAP).cap_files(found, |found| &found.path, unit.1);
        access.fill_in_columns_and_texts(&mut found);
        let rows = found.into_iter().map(|reference| Row::new(reference, several.then_some(&definitions))).collect();
        let plan = narrower(plan, call, role, parameters).paged(call.clone());
        let most = if parameters.view.is_full() { usize::MAX } else { MAX_DEFINITIONS };
        let all = definitions.len();
        let head = Head {
            definition_count: all,
            resolved,
            likely,
            name,
            some_builds,
            in_tests,
            files: plan.by_file.len(),
            unit,
        };
        let definitions = definitions.into_iter().take(most).collect();
        let payload = Uses { head, total, named_in, body: Body { definitions, references: rows }, stage: 0 };
        Answer { payload, plan, evidence, guidance, empty: total == 0 }.finish(context, &parameters.view)
    }
}

/// The most frequent role of references with its count; `None` where all have one role.
fn fullest_role(found: &[Reference]) -> Option<(&'static str, usize)> {
    let mut by_role: BTreeMap<&str, usize> = BTreeMap::new();
    found
        .iter()
        .filter_map(|found| found.role.map(Role::as_str))
        .for_each(|role| *by_role.entry(role).or_default() += 1);
    let most = by_role.iter().max_by_key(|(_, count)| **count).map(|(role, count)| (*role, *count));
    most.filter(|(_, count)| *count < found.len())
}

fn narrower(mut plan: Plan, call: &Call, role: Option<(&'static str, usize)>, parameters: &Parameters) -> Plan {
    let (one, several) = parameters.relation.units();
    let filters = parameters.role.is_empty() && parameters.relation == Relation::Uses;
    if let Some((role, count)) = role.filter(|_| filters) {
        plan = plan
            .narrowed(call.clone().with(parameter_name!(Parameters, role), vec![role]), counted(count, one, several));
    }
    if let Some((file, count)) = plan.fullest_file().map(|(file, count)| (file.to_owned(), count)) {
        plan = plan.narrowed(call.clone().with(parameter_name!(Parameters, scope), file), counted(count, one, several));
    }
    plan
}

fn guidance(
    context: &CallContext,
    call: &Call,
    definitions: &[DefinitionRow],
    most_used: Option<&str>,
    (total, (names, builds), in_tests): (usize, (usize, usize), usize),
    evidence: &Evidence,
) -> Option<Guidance> {
    let by_name = call.clone().with(parameter_name!(Parameters, confidence), "name");
    let more = match (names, builds) {
        (0, 0) => None,
        (_, 0) => Some(format!("{} where only the name is the same", counted(names, "place", "places"))),
        (0, _) => Some(format!("{} that only some builds compile", counted(builds, "place", "places"))),
        _ => Some(format!("{names} where only the name is the same, {builds} that only some builds compile")),
    };
    if total == 0 && (evidence.completeness != Completeness::Complete || more.is_some()) {
        let name = definitions.first().map_or("", |row| row.symbol.name.as_str());
        let text = || context.next().text(name, &[TextOption::WholeWord, TextOption::Literal]);
        let (what, all) = more.map_or_else(|| ("its text".to_owned(), text()), |more| (more, by_name.clone()));
        let caution = Message::from(format!("do not conclude that it is unused; {what}: "));
        return Some(Guidance::MustFollow(caution.call(all)));
    }
    if let Some(more) = more {
        return Some(Guidance::hint(format!("besides, {more}: "), by_name));
    }
    if total == 0 && in_tests > 0 {
        let all = call.clone().without(parameter_name!(Parameters, tests));
        return Some(Guidance::hint(format!("{} in files of tests: ", counted(in_tests, "use", "uses")), all));
    }
    let one = call
        .clone()
        .without(parameter_name!(Parameters, path))
        .with(parameter_name!(Parameters, name), most_used.filter(|_| definitions.len() > 1)?);
    let symbols = definitions.len();
    Some(Guidance::hint(format!("{symbols} symbols have this name; one alone by its id, the most used: "), one))
}
