//! The tool `dependencies`: the dependencies of a file or folder, and the files that depend on it.

mod graph;
mod parameters;
mod project;
mod rows;

use std::fmt::Write as _;

use peelback_code::{CodeAccess, Dependencies as Found, DependencyQuery, ExternalPackage, Neighbour, UnresolvedImport};
use serde::Serialize;

pub use self::parameters::DependencyDirection;
use self::parameters::Parameters;
use self::rows::{MAX_ROWS, UnresolvedRow};
use crate::answer::{Answer, AnswerPayload};
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::format_count_with_noun;
use crate::guidance::Guidance;
use crate::left_out::LeftOut;
use crate::output_guard::PageLimiter;
use crate::page::{EscapedToOneLine, MarkedText};
use crate::parameter_name::parameter_name;
use crate::recoverable_error::RecoverableError;
use crate::reply::{Location, Reply, ShownDetail};
use crate::retention::ResultKind;
use crate::rows::{ExportRow, ImportRow};
use crate::tool::{ExplorationStep, Tool, ToolGuide};
use crate::view::{Format, OutputOptions, is_default_value};

pub struct Dependencies;

impl Tool for Dependencies {
    type Parameters = Parameters;

    const NAME: &'static str = "dependencies";
    const ALIASES: &'static [&'static str] = &["deps", "get_dependencies", "find_dependents", "dependency_graph"];
    const POSITIONAL_PARAMETERS: &'static [&'static str] = &["path"];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[("scope", "path")];
    const EXAMPLES: &'static [&'static str] = &[
        "dependencies --path src/main.rs",
        "dependencies --path src/store --direction incoming --depth 2",
        "dependencies --format mermaid",
    ];
    const HAS_GRAPH_FORMATS: bool = true;
    const GUIDE: ToolGuide = ToolGuide {
        step: ExplorationStep::Connect,
        phrase: "gives what a file leans on and what leans on it",
        cost_ranks: &[(60, "")],
    };
    const RESULT_KIND: ResultKind = ResultKind::Dependencies;
    const LABEL_PARAMETERS: &'static [&'static str] = &["path"];
    const AGENT_TOKENS: usize = 500;

    fn size_and_format_parameters(parameters: &Parameters) -> &OutputOptions {
        &parameters.view
    }

    fn run_call(access: &CodeAccess, context: &CallContext, parameters: Parameters) -> Result<Reply, RecoverableError> {
        let call = Call::from_parameters_without_root_and_offset(Self::NAME, &parameters);
        let path = parameters.path.clone().filter(|path| !matches!(path.as_str(), "" | "." | "./"));
        let recover =
            |error| RecoverableError::from_code_error(context, &error, &call, parameter_name!(Parameters, path));
        let Some(path) = path else {
            let found = access.dependency_overview().map_err(recover)?;
            return Ok(project::project_dependencies_reply(context, found, &parameters.view, call));
        };
        let query =
            DependencyQuery { path, direction: parameters.direction.into(), depth: parameters.depth.unwrap_or(1) };
        let found = access.dependencies_and_dependents(&query).map_err(recover)?;
        if matches!(parameters.view.format, Format::Dot | Format::Mermaid) {
            let evidence = found.evidence.clone();
            let title = format!("dependencies of {}", found.path);
            return Ok(graph::dependency_graph_reply(context, &title, found.edges, &evidence, &parameters.view, call));
        }
        Ok(dependencies_and_dependents_reply(access, context, found, &parameters, call))
    }
}

/// The reply with the dependencies and dependents of a file or folder.
fn dependencies_and_dependents_reply(
    access: &CodeAccess,
    context: &CallContext,
    found: Found,
    parameters: &Parameters,
    call: Call,
) -> Reply {
    let view = &parameters.view;
    let analysed = found.files.is_none().then(|| access.analyse_file_by_root_path(&found.path).ok()).flatten();
    let facts = analysed.as_ref().map(|analysed| &analysed.facts);
    let imports: Vec<ImportRow> = facts.map_or(Vec::new(), |facts| facts.imports.iter().map(Into::into).collect());
    let exports: Vec<ExportRow> = facts.map_or(Vec::new(), |facts| facts.exports.iter().map(Into::into).collect());
    let head = ScalarFields {
        path: found.path.clone(),
        language: found.language.map(|language| language.name),
        files: found.files,
        depth: parameters.depth.unwrap_or(1).max(1),
        outgoing_total: found.outgoing.len(),
        incoming_total: found.incoming.len(),
        external_total: found.external.len(),
        unresolved_total: found.unresolved.len(),
    };
    let counts = (head.outgoing_total, head.incoming_total);
    let guidance = dependencies_guidance(context, &found, parameters);
    let outgoing = found.outgoing.into_iter().map(|end| DependencyRow::Neighbour(DependencyDirection::Outgoing, end));
    let incoming = found.incoming.into_iter().map(|end| DependencyRow::Neighbour(DependencyDirection::Incoming, end));
    let unresolved = found.unresolved.into_iter().map(DependencyRow::Unresolved);
    let external = found.external.into_iter().map(DependencyRow::External);
    let rows: Vec<DependencyRow> = outgoing.chain(incoming).chain(unresolved).chain(external).collect();
    let total = rows.len();
    let farthest =
        rows.iter().filter(|row| matches!(row, DependencyRow::Neighbour(_, end) if end.depth == head.depth)).count();
    let (rows, mut plan) = PageLimiter::new(view, MAX_ROWS).page_rows_and_plan(rows, total, "rows");
    if parameters.direction == DependencyDirection::Both {
        for (way, count) in [("incoming", counts.1), ("outgoing", total - counts.1)] {
            if count > 0 && count < total {
                plan = plan.with_narrowing_call(
                    call.clone().with_argument(parameter_name!(Parameters, direction), way),
                    format_count_with_noun(count, "row", "rows"),
                );
            }
        }
    }
    if head.depth > 1 && farthest > 0 {
        let nearer = call.clone().with_argument(parameter_name!(Parameters, depth), head.depth - 1);
        plan = plan.with_narrowing_call(nearer, format_count_with_noun(total - farthest, "row", "rows"));
    }
    let plan = plan.with_original_call_for_paging(call);
    let empty = total == 0;
    let body = NestedFields::new(&rows, imports, exports, view.is_full_detail());
    let payload = PathDependenciesPayload { head, direction: parameters.direction, rows, body };
    Answer { payload, plan, evidence: found.evidence, guidance, is_empty: empty }.into_reply(context, view)
}

/// The next step after the dependencies of a file or folder: the outline of the first dependent or dependency. For a
/// file whose imports are not followed: a text search for the file's name.
fn dependencies_guidance(context: &CallContext, found: &Found, parameters: &Parameters) -> Option<Guidance> {
    if !found.are_imports_resolved {
        let name = found.path.rsplit('/').next().unwrap_or(&found.path);
        let words = "links of this kind of file are not followed; its name in texts: ";
        return Some(Guidance::hint_with_call(words, context.follow_up_call_builder().text_search_call(name, &[])));
    }
    if let Some(first) = found.incoming.first().or(found.outgoing.first()).filter(|_| parameters.depth.is_none()) {
        return Some(Guidance::hint_with_call(
            "what is in one: ",
            context.follow_up_call_builder().outline_call(&first.path),
        ));
    }
    None
}

#[derive(Serialize)]
struct ScalarFields {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'static str>,
    /// For a folder: the number of files with known dependencies or dependents.
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<usize>,
    depth: usize,
    outgoing_total: usize,
    incoming_total: usize,
    external_total: usize,
    unresolved_total: usize,
}

/// A row of the answer: a dependency or a dependent, an unresolved import, or an external package.
enum DependencyRow {
    Neighbour(DependencyDirection, Neighbour),
    Unresolved(UnresolvedImport),
    External(ExternalPackage),
}

/// The rows of the answer in JSON, with one array per kind of row. Arrays of files contain only paths.
#[derive(Serialize)]
struct NestedFields {
    imports: Vec<ImportRow>,
    exports: Vec<ExportRow>,
    outgoing: Vec<String>,
    incoming: Vec<String>,
    external: Vec<String>,
    unresolved: Vec<UnresolvedRow>,
    /// Details of each outgoing and incoming file, at full detail only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    links: Vec<LinkRow>,
}

#[derive(Serialize)]
struct LinkRow {
    path: String,
    direction: DependencyDirection,
    depth: usize,
    #[serde(skip_serializing_if = "is_default_value")]
    line: u32,
    #[serde(skip_serializing_if = "is_default_value")]
    names: usize,
    #[serde(skip_serializing_if = "is_default_value")]
    is_test: bool,
}

impl NestedFields {
    fn new(rows: &[DependencyRow], imports: Vec<ImportRow>, exports: Vec<ExportRow>, full: bool) -> Self {
        let mut body = Self {
            imports,
            exports,
            outgoing: Vec::new(),
            incoming: Vec::new(),
            external: Vec::new(),
            unresolved: Vec::new(),
            links: Vec::new(),
        };
        for row in rows {
            match row {
                DependencyRow::Neighbour(way, end) => {
                    match way {
                        DependencyDirection::Incoming => body.incoming.push(end.path.clone()),
                        DependencyDirection::Outgoing | DependencyDirection::Both => {
                            body.outgoing.push(end.path.clone())
                        }
                    }
                    if full {
                        let Neighbour { path, depth, line, names, is_test } = end.clone();
                        body.links.push(LinkRow { path, direction: *way, depth, line, names, is_test });
                    }
                }
                DependencyRow::Unresolved(row) => body.unresolved.push(UnresolvedRow::from(row)),
                DependencyRow::External(row) => body.external.push(row.name.clone()),
            }
        }
        body
    }
}

struct PathDependenciesPayload {
    head: ScalarFields,
    direction: DependencyDirection,
    rows: Vec<DependencyRow>,
    body: NestedFields,
}

impl AnswerPayload for PathDependenciesPayload {
    type ScalarFields = ScalarFields;
    type NestedFields<'a> = &'a NestedFields;

    fn summary_line(&self) -> String {
        let ScalarFields {
            path,
            language,
            files,
            outgoing_total,
            incoming_total,
            external_total,
            unresolved_total,
            depth,
        } = &self.head;
        let what = match files {
            Some(files) => format_count_with_noun(*files, "file", "files"),
            None => language.unwrap_or("no known language").to_owned(),
        };
        let steps = if *depth > 1 { format!(" in at most {depth} steps") } else { String::new() };
        let mut parts = Vec::new();
        if self.direction != DependencyDirection::Incoming {
            let packages = format_count_with_noun(*external_total, "package", "packages");
            parts.push(format!(
                "depends on {} and {packages}",
                format_count_with_noun(*outgoing_total, "file", "files")
            ));
        }
        if self.direction != DependencyDirection::Outgoing {
            let verb = if *incoming_total == 1 { "depends" } else { "depend" };
            parts.push(format!("{} {verb} on it", format_count_with_noun(*incoming_total, "file", "files")));
        }
        if *unresolved_total > 0 {
            parts.push(format!("{unresolved_total} unresolved"));
        }
        format!("{path}: {what}; {}{steps}", parts.join(", "))
    }

    fn scalar_json_fields(&self) -> &ScalarFields {
        &self.head
    }

    fn nested_json_fields(&self, _: &CallContext) -> &NestedFields {
        &self.body
    }

    fn write_rows(&self, _: &CallContext, page: &mut MarkedText) {
        let neighbours_in_direction = |way: DependencyDirection| {
            self.rows.iter().filter_map(move |row| match row {
                DependencyRow::Neighbour(own, end) if *own == way => Some(end),
                _ => None,
            })
        };
        for (way, title) in
            [(DependencyDirection::Outgoing, "depends on:"), (DependencyDirection::Incoming, "used by:")]
        {
            if neighbours_in_direction(way).next().is_some() {
                let _ = writeln!(page, "{title}");
            }
            for end in neighbours_in_direction(way) {
                let _ = writeln!(page, "  {}{}", EscapedToOneLine(&end.path), self.format_dependency_details(end));
            }
        }
        let externals: Vec<&str> = self.body.external.iter().map(String::as_str).collect();
        if !externals.is_empty() {
            let _ = writeln!(page, "packages: {}", EscapedToOneLine(externals.join(", ")));
        }
        if !self.body.unresolved.is_empty() {
            page.push_str("unresolved:\n");
        }
        for row in &self.body.unresolved {
            let file = if self.head.files.is_some() { row.path.as_str() } else { "line" };
            let colon = if self.head.files.is_some() { ":" } else { " " };
            let reason = row.reason.as_ref().map_or(String::new(), |reason| format!(" ({reason})"));
            let _ = writeln!(
                page,
                "  {}{colon}{} {}",
                EscapedToOneLine(file),
                row.line,
                EscapedToOneLine(format!("{}{reason}", row.source))
            );
        }
    }

    fn row_count(&self) -> usize {
        self.rows.len()
    }

    fn shown_locations(&self) -> Vec<Location> {
        vec![Location::for_whole_file(&self.head.path, ShownDetail::Found)]
    }

    fn describe_row_at(&self, index: usize) -> Option<String> {
        Some(match self.rows.get(index)? {
            DependencyRow::Neighbour(DependencyDirection::Incoming, end) => format!("used by {}", end.path),
            DependencyRow::Neighbour(_, end) => format!("depends on {}", end.path),
            DependencyRow::Unresolved(row) => format!("unresolved {}", row.source),
            DependencyRow::External(row) => format!("package {}", row.name),
        })
    }

    fn remove_least_valuable_detail(&mut self) -> Option<LeftOut> {
        let body = &mut self.body;
        if !body.imports.is_empty() || !body.exports.is_empty() {
            let count = body.imports.len() + body.exports.len();
            body.imports.clear();
            body.exports.clear();
            return Some(LeftOut { what: "imports and exports", count });
        }
        None
    }

    fn keep_first_rows(&mut self, rows: usize) {
        self.rows.truncate(rows);
        let full = !self.body.links.is_empty();
        let (imports, exports) = (std::mem::take(&mut self.body.imports), std::mem::take(&mut self.body.exports));
        self.body = NestedFields::new(&self.rows, imports, exports, full);
    }
}

impl PathDependenciesPayload {
    /// The text after the path in the row of a dependency or dependent: line and number of names, number of files, or
    /// the steps to it.
    fn format_dependency_details(&self, end: &Neighbour) -> String {
        match (end.depth, self.head.files.is_some()) {
            (1, true) => format!("  {}", format_count_with_noun(end.names, "file", "files")),
            (1, false) => format!("  line {}, {}", end.line, format_count_with_noun(end.names, "name", "names")),
            (depth, _) => format!("  step {depth}"),
        }
    }
}
