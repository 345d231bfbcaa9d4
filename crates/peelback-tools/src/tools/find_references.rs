//! The tool `find_references`: the references to a symbol.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use peelback_code::syntax::names::Role;
use peelback_code::{
    Analysed, CodeAccess, Completeness, Confidence, Evidence, NameMatch, Reference, ReferenceQuery, SymbolQuery,
    is_test_path,
};
use peelback_tokens::LineCosts;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::{Answer, Payload};
use crate::call;
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::counted;
use crate::guard::{OutputGuard, Plan};
use crate::guidance::Guidance;
use crate::message::Message;
use crate::next::TextOption;
use crate::page::{Page, Part};
use crate::parsed_question::Tests;
use crate::recover::RecoverableError;
use crate::reply::{Closeness, Place, Reply};
use crate::retention::ResultKind;
use crate::rows::SymbolRow;
use crate::shorten::clip;
use crate::symbol_lookup::{FoundSymbols, SymbolLookup, file_named};
use crate::tool::Tool;
use crate::view::{View, is_default};

/// The most references at detail level `exploring`.
const CAP: usize = 50;

/// The most definitions of an ambiguous name at detail level `exploring`.
const MAX_DEFINITIONS: usize = 20;

/// The longest line of code that a row of text shows, in characters.
const MAX_CONTEXT_CHARS: usize = 160;

/// Which uses count by how sure they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MinimumConfidence {
    /// Those to which a chain of bindings leads.
    Resolved,
    /// Those whose receiver's type was inferred too.
    #[default]
    Likely,
    /// Those where only the name is the same, or that only some builds compile, too.
    Name,
    /// Names in strings and comments too.
    Text,
}

/// What is sought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// Its uses.
    #[default]
    Uses,
    /// The calls of it, and of the functions that they stand in, to `depth`.
    Callers,
    /// The calls inside it, and inside the functions that it calls, to `depth`.
    Callees,
    /// What extends, implements or overrides it.
    Implementations,
}

impl Relation {
    fn in_code(self) -> peelback_code::Relation {
        match self {
            Self::Uses => peelback_code::Relation::Uses,
            Self::Callers => peelback_code::Relation::Callers,
            Self::Callees => peelback_code::Relation::Callees,
            Self::Implementations => peelback_code::Relation::Implementations,
        }
    }

    /// The noun for the rows, singular and plural.
    fn units(self) -> (&'static str, &'static str) {
        match self {
            Self::Uses => ("reference", "references"),
            Self::Callers => ("caller", "callers"),
            Self::Callees => ("call", "calls"),
            Self::Implementations => ("implementation", "implementations"),
        }
    }
}

/// The part that a use plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RoleName {
    Call,
    Type,
    Read,
    Write,
    Member,
    Import,
    Export,
    Decorator,
}

impl RoleName {
    fn role(self) -> Role {
        match self {
            Self::Call => Role::Call,
            Self::Type => Role::Type,
            Self::Read => Role::Read,
            Self::Write => Role::Write,
            Self::Member => Role::Member,
            Self::Import => Role::Import,
            Self::Export => Role::Export,
            Self::Decorator => Role::Decorator,
        }
    }
}

/// Uses of a symbol.
///
/// `name` is a name, a qualified one or an id. Each use has its role, the symbol it stands in and a confidence:
/// `resolved` (bindings lead to the definition), `likely` (the receiver's type was inferred) or `name` (only the name is
/// the same). Those of `name`, and C code that only some builds compile, are counted, and listed with `confidence` name;
/// with `text` names in strings and comments too.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Parameters {
    /// Its name or id.
    pub name: String,
    /// The file that defines it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Where uses count.
    #[serde(default, skip_serializing_if = "is_default")]
    pub scope: Option<String>,
    /// Only uses that play these parts.
    #[serde(default, skip_serializing_if = "is_default")]
    pub role: Vec<RoleName>,
    /// The least confidence.
    #[serde(default, skip_serializing_if = "is_default")]
    pub confidence: MinimumConfidence,
    /// Uses in tests.
    #[serde(default, skip_serializing_if = "is_default")]
    pub tests: Tests,
    /// What is sought instead of uses.
    #[serde(default, skip_serializing_if = "is_default")]
    pub relation: Relation,
    /// Steps from call to call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    #[serde(flatten)]
    pub view: View,
}

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
            name: &parameters.name,
            is_code_first: true,
        };
        let file = file_named(access, path, &parameters.name);
        let snapshot = access.with_snapshot(file.as_deref());
        let access = &snapshot.map_err(|error| RecoverableError::from_code(context, &error, &call, "path"))?;
        let FoundSymbols { found, mut evidence, searched_all_code, .. } = lookup.find(access, definition_queries)?;
        let (rows, symbols): (Vec<DefinitionRow>, Vec<SymbolQuery>) = found.into_iter().unzip();
        let query = ReferenceQuery {
            symbols,
            scope: parameters.scope.iter().cloned().collect(),
            text: parameters.confidence == MinimumConfidence::Text,
            relation: parameters.relation.in_code(),
            depth: parameters.depth.unwrap_or(1),
        };
        let references =
            access.references(&query).map_err(|error| RecoverableError::from_code(context, &error, &call, "scope"))?;
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
        plan = plan.narrowed(call.clone().with("role", vec![role]), counted(count, one, several));
    }
    if let Some((file, count)) = plan.fullest_file().map(|(file, count)| (file.to_owned(), count)) {
        plan = plan.narrowed(call.clone().with("scope", file), counted(count, one, several));
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
    let by_name = call.clone().with("confidence", "name");
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
        let all = call.clone().without("tests");
        return Some(Guidance::hint(format!("{} in files of tests: ", counted(in_tests, "use", "uses")), all));
    }
    let one = call.clone().without("path").with("name", most_used.filter(|_| definitions.len() > 1)?);
    let symbols = definitions.len();
    Some(Guidance::hint(format!("{symbols} symbols have this name; one alone by its id, the most used: "), one))
}

#[derive(Serialize)]
struct Head {
    #[serde(rename = "definitions_total")]
    definition_count: usize,
    /// Number of files with a listed reference.
    files: usize,
    resolved: usize,
    likely: usize,
    /// Number of places where only the name matches, listed or not.
    name: usize,
    /// Number of places in code that only some builds compile, listed or not. The counts by confidence exclude these
    /// places.
    #[serde(skip_serializing_if = "crate::view::is_default")]
    some_builds: usize,
    /// Number of references in test files that the call excluded, at any confidence.
    #[serde(skip_serializing_if = "crate::view::is_default")]
    in_tests: usize,
    #[serde(skip)]
    unit: (&'static str, &'static str),
}

#[derive(Serialize)]
struct Body {
    definitions: Vec<DefinitionRow>,
    references: Vec<Row>,
}

#[derive(Serialize)]
struct DefinitionRow {
    path: String,
    #[serde(flatten)]
    symbol: SymbolRow,
}

#[derive(Serialize)]
struct Row {
    path: String,
    line: u32,
    column: u32,
    context: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    #[serde(skip_serializing_if = "String::is_empty")]
    enclosing: String,
    confidence: &'static str,
    #[serde(skip_serializing_if = "crate::view::is_default")]
    some_builds: bool,
    /// Number of calls between the symbol and this caller or callee, from 1.
    #[serde(skip_serializing_if = "is_first")]
    depth: u32,
    /// The id of the called symbol or of the implementation, where that differs from the requested symbol.
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<String>,
    /// The id of the referenced definition, where the name has several definitions.
    #[serde(skip_serializing_if = "Option::is_none")]
    definition: Option<String>,
}

impl Row {
    fn new(reference: Reference, definitions: Option<&Vec<DefinitionRow>>) -> Self {
        let named = reference.confidence != Confidence::Name;
        let definition = definitions.filter(|_| named).and_then(|rows| rows.get(reference.symbol));
        Self {
            definition: definition.map(|row| row.symbol.id.clone()),
            path: reference.path,
            line: reference.line,
            column: reference.column,
            context: reference.context,
            role: reference.role.map(Role::as_str),
            enclosing: reference.enclosing,
            confidence: reference.confidence.as_str(),
            some_builds: reference.is_conditional,
            depth: reference.depth,
            other: reference.other.map(|other| format!("{}:{}", other.path, other.qualified_name)),
        }
    }
}

fn is_first(depth: &u32) -> bool {
    *depth == 1
}

struct Uses {
    head: Head,
    total: usize,
    /// The file of the definition, if the call names the file.
    named_in: Option<String>,
    body: Body,
    stage: usize,
}

impl Payload for Uses {
    type Head = Head;
    type Body<'a> = &'a Body;

    fn verdict(&self) -> String {
        let Head { resolved, likely, name, some_builds, in_tests, files, .. } = self.head;
        let subject = match self.body.definitions.as_slice() {
            [one] if self.head.definition_count == 1 => format!("{} ({})", one.symbol.id, one.symbol.kind.as_str()),
            [] => "the symbol".to_owned(),
            [first, ..] => format!("{} symbols named {}", self.head.definition_count, first.symbol.name),
        };
        let mut text = format!(
            "{} {} {subject} in {}: {resolved} resolved, {likely} likely",
            counted(self.total, self.head.unit.0, self.head.unit.1),
            if self.head.unit.0 == "reference" { "to" } else { "of" },
            counted(files, "file", "files")
        );
        if name > 0 {
            let _ = write!(text, ", {name} by name only");
        }
        if some_builds > 0 {
            let _ = write!(text, ", {some_builds} in some builds only");
        }
        if in_tests > 0 {
            let _ = write!(text, "; {in_tests} in tests left out");
        }
        text
    }

    fn head(&self) -> &Head {
        &self.head
    }

    fn body(&self, _: &CallContext) -> &Body {
        &self.body
    }

    fn write_rows(&self, _: &CallContext, page: &mut Page) {
        if self.head.definition_count > 1 {
            for row in &self.body.definitions {
                let _ = write!(page, "defined: {}  ", row.symbol.id);
                row.symbol.write_after(page);
            }
            let more = self.head.definition_count.saturating_sub(self.body.definitions.len());
            if more > 0 {
                let _ = writeln!(page, "… +{more} more definitions");
            }
            page.push('\n');
        }
        let mut path = "";
        let mut enclosing: Option<&str> = None;
        for row in &self.body.references {
            if row.path != path {
                if !path.is_empty() {
                    page.push('\n');
                }
                path = &row.path;
                enclosing = None;
                page.file_line(path);
            }
            let context = row.context.trim();
            page.put(Part::Number, row.line);
            page.push_str(": ");
            page.put(Part::Source, clip(context, MAX_CONTEXT_CHARS));
            let mut notes: Vec<String> = Vec::new();
            // The role of a call or an import is obvious from the source line.
            match row.role {
                Some("call" | "import") => {}
                Some(role) => notes.push(role.to_owned()),
                None => notes.push("text".to_owned()),
            }
            if row.confidence != "resolved" {
                notes.push(row.confidence.to_owned());
            }
            if row.some_builds {
                notes.push("some builds".to_owned());
            }
            if let Some(definition) = &row.definition {
                notes.push(format!("of {definition}"));
            }
            if row.depth > 1 {
                notes.push(format!("depth {}", row.depth));
            }
            if let Some(other) = &row.other {
                notes.push(other.clone());
            }
            if enclosing != Some(row.enclosing.as_str()) {
                let before = enclosing.replace(&row.enclosing);
                if row.enclosing.is_empty() {
                    notes.extend(before.map(|_| "at file level".to_owned()));
                } else if !context.contains(row.enclosing.as_str()) {
                    notes.push(format!("in {}", row.enclosing));
                }
            }
            if !notes.is_empty() {
                let _ = write!(page, "  [{}]", notes.join(", "));
            }
            page.push('\n');
        }
    }

    fn shown(&self) -> usize {
        self.body.references.len()
    }

    fn places(&self) -> Vec<Place> {
        self.named_in.iter().map(|path| Place::file(path, Closeness::Used)).collect()
    }

    fn title(&self, index: usize) -> Option<String> {
        let row = self.body.references.get(index)?;
        Some(format!("{}:{}: {}", row.path, row.line, row.context.trim()))
    }

    fn degrade(&mut self) -> Option<&'static str> {
        self.stage += 1;
        match self.stage {
            1 => {
                self.body.definitions.iter_mut().for_each(|row| row.symbol.keep_names());
                Some("signatures")
            }
            2 => {
                self.body.definitions.truncate(1);
                Some("later definitions")
            }
            _ => None,
        }
    }

    fn truncate(&mut self, rows: usize) {
        self.body.references.truncate(rows);
    }
}
