//! The tool `dependencies`: the dependencies of a file or folder, and the files that depend on it.

mod drawing;
mod parameters;
mod project;
mod rows;

use std::fmt::Write as _;

use peelback_code::{CodeAccess, Dependencies as Found, DependencyQuery, ExternalPackage, Neighbour, UnresolvedImport};
use serde::Serialize;

use self::parameters::Parameters;
pub use self::parameters::Way;
use self::rows::{MAX_ROWS, UnresolvedRow};
use crate::answer::{Answer, Payload};
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::counted;
use crate::guard::OutputGuard;
use crate::guidance::Guidance;
use crate::page::Page;
use crate::parameter_name::parameter_name;
use crate::recover::RecoverableError;
use crate::reply::{Closeness, Place, Reply};
use crate::retention::ResultKind;
use crate::rows::{ExportRow, ImportRow};
use crate::tool::Tool;
use crate::view::{Format, View, is_default};

pub struct Dependencies;

impl Tool for Dependencies {
    type Parameters = Parameters;

    const NAME: &'static str = "dependencies";
    const ALIASES: &'static [&'static str] = &["deps", "get_dependencies", "find_dependents", "dependency_graph"];
    const POSITIONAL: &'static [&'static str] = &["path"];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[("scope", "path")];
    const EXAMPLES: &'static [&'static str] = &[
        "dependencies --path src/main.rs",
        "dependencies --path src/store --direction incoming --depth 2",
        "dependencies --format mermaid",
    ];
    const DRAWS: bool = true;
    const RESULT: ResultKind = ResultKind::Dependencies;
    const SUBJECT: &'static [&'static str] = &["path"];
    const AGENT_TOKENS: usize = 500;

    fn view(parameters: &Parameters) -> &View {
        &parameters.view
    }

    fn call(access: &CodeAccess, context: &CallContext, parameters: Parameters) -> Result<Reply, RecoverableError> {
        let call = Call::with_parameters(Self::NAME, &parameters);
        let path = parameters.path.clone().filter(|path| !matches!(path.as_str(), "" | "." | "./"));
        let recover = |error| RecoverableError::from_code(context, &error, &call, parameter_name!(Parameters, path));
        let Some(path) = path else {
            let found = access.dependency_graph().map_err(recover)?;
            return Ok(project::overview_reply(context, found, &parameters.view, call));
        };
        let query =
            DependencyQuery { path, direction: parameters.direction.into(), depth: parameters.depth.unwrap_or(1) };
        let found = access.dependencies(&query).map_err(recover)?;
        if matches!(parameters.view.format, Format::Dot | Format::Mermaid) {
            let evidence = found.evidence.clone();
            let title = format!("dependencies of {}", found.path);
            return Ok(drawing::graph_reply(context, &title, found.edges, &evidence, &parameters.view, call));
        }
        Ok(neighbours_reply(access, context, found, &parameters, call))
    }
}

/// The reply with the dependencies and dependents of a file or folder.
fn neighbours_reply(
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
    let head = Head {
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
    let guidance = guidance(context, &found, parameters);
    let outgoing = found.outgoing.into_iter().map(|end| Row::End(Way::Outgoing, end));
    let incoming = found.incoming.into_iter().map(|end| Row::End(Way::Incoming, end));
    let unresolved = found.unresolved.into_iter().map(Row::Unresolved);
    let external = found.external.into_iter().map(Row::External);
    let rows: Vec<Row> = outgoing.chain(incoming).chain(unresolved).chain(external).collect();
    let total = rows.len();
    let farthest = rows.iter().filter(|row| matches!(row, Row::End(_, end) if end.depth == head.depth)).count();
    let (rows, mut plan) = OutputGuard::new(view, MAX_ROWS).cap_items(rows, total, "rows");
    if parameters.direction == Way::Both {
        for (way, count) in [("incoming", counts.1), ("outgoing", total - counts.1)] {
            if count > 0 && count < total {
                plan = plan.narrowed(
                    call.clone().with(parameter_name!(Parameters, direction), way),
                    counted(count, "row", "rows"),
                );
            }
        }
    }
    if head.depth > 1 && farthest > 0 {
        let nearer = call.clone().with(parameter_name!(Parameters, depth), head.depth - 1);
        plan = plan.narrowed(nearer, counted(total - farthest, "row", "rows"));
    }
    let plan = plan.paged(call);
    let empty = total == 0;
    let body = Body::new(&rows, imports, exports, view.is_full());
    let payload = Answered { head, direction: parameters.direction, rows, body };
    Answer { payload, plan, evidence: found.evidence, guidance, empty }.finish(context, view)
}

/// The next step: the outline of the first dependent or dependency. For a file whose imports are not followed: a text
/// search for the file's name.
fn guidance(context: &CallContext, found: &Found, parameters: &Parameters) -> Option<Guidance> {
    if !found.are_imports_resolved {
        let name = found.path.rsplit('/').next().unwrap_or(&found.path);
        let words = "links of this kind of file are not followed; its name in texts: ";
        return Some(Guidance::hint(words, context.next().text(name, &[])));
    }
    if let Some(first) = found.incoming.first().or(found.outgoing.first()).filter(|_| parameters.depth.is_none()) {
        return Some(Guidance::hint("what is in one: ", context.next().outline(&first.path)));
    }
    None
}

#[derive(Serialize)]
struct Head {
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

/// A row of the answer.
enum Row {
    End(Way, Neighbour),
    Unresolved(UnresolvedImport),
    External(ExternalPackage),
}

/// The rows in JSON, with one array per kind of row. Arrays of files contain only paths.
#[derive(Serialize)]
struct Body {
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
    direction: Way,
    depth: usize,
    #[serde(skip_serializing_if = "is_default")]
    line: u32,
    #[serde(skip_serializing_if = "is_default")]
    names: usize,
    #[serde(skip_serializing_if = "is_default")]
    is_test: bool,
}

impl Body {
    fn new(rows: &[Row], imports: Vec<ImportRow>, exports: Vec<ExportRow>, full: bool) -> Self {
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
                Row::End(way, end) => {
                    match way {
                        Way::Incoming => body.incoming.push(end.path.clone()),
                        Way::Outgoing | Way::Both => body.outgoing.push(end.path.clone()),
                    }
                    if full {
                        let Neighbour { path, depth, line, names, is_test } = end.clone();
                        body.links.push(LinkRow { path, direction: *way, depth, line, names, is_test });
                    }
                }
                Row::Unresolved(row) => body.unresolved.push(UnresolvedRow::from(row)),
                Row::External(row) => body.external.push(row.name.clone()),
            }
        }
        body
    }
}

struct Answered {
    head: Head,
    direction: Way,
    rows: Vec<Row>,
    body: Body,
}

impl Payload for Answered {
    type Head = Head;
    type Body<'a> = &'a Body;

    fn verdict(&self) -> String {
        let Head { path, language, files, outgoing_total, incoming_total, external_total, unresolved_total, depth } =
            &self.head;
        let what = match files {
            Some(files) => counted(*files, "file", "files"),
            None => language.unwrap_or("no known language").to_owned(),
        };
        let steps = if *depth > 1 { format!(" in at most {depth} steps") } else { String::new() };
        let mut parts = Vec::new();
        if self.direction != Way::Incoming {
            let packages = counted(*external_total, "package", "packages");
            parts.push(format!("depends on {} and {packages}", counted(*outgoing_total, "file", "files")));
        }
        if self.direction != Way::Outgoing {
            let verb = if *incoming_total == 1 { "depends" } else { "depend" };
            parts.push(format!("{} {verb} on it", counted(*incoming_total, "file", "files")));
        }
        if *unresolved_total > 0 {
            parts.push(format!("{unresolved_total} unresolved"));
        }
        format!("{path}: {what}; {}{steps}", parts.join(", "))
    }

    fn head(&self) -> &Head {
        &self.head
    }

    fn body(&self, _: &CallContext) -> &Body {
        &self.body
    }

    fn write_rows(&self, _: &CallContext, page: &mut Page) {
        let ends = |way: Way| {
            self.rows.iter().filter_map(move |row| match row {
                Row::End(own, end) if *own == way => Some(end),
                _ => None,
            })
        };
        for (way, title) in [(Way::Outgoing, "depends on:"), (Way::Incoming, "used by:")] {
            if ends(way).next().is_some() {
                let _ = writeln!(page, "{title}");
            }
            for end in ends(way) {
                let _ = writeln!(page, "  {}{}", end.path, self.details(end));
            }
        }
        let externals: Vec<&str> = self.body.external.iter().map(String::as_str).collect();
        if !externals.is_empty() {
            let _ = writeln!(page, "packages: {}", externals.join(", "));
        }
        if !self.body.unresolved.is_empty() {
            page.push_str("unresolved:\n");
        }
        for row in &self.body.unresolved {
            let file = if self.head.files.is_some() { row.path.as_str() } else { "line" };
            let colon = if self.head.files.is_some() { ":" } else { " " };
            let reason = row.reason.as_ref().map_or(String::new(), |reason| format!(" ({reason})"));
            let _ = writeln!(page, "  {file}{colon}{} {}{reason}", row.line, row.source);
        }
    }

    fn shown(&self) -> usize {
        self.rows.len()
    }

    fn places(&self) -> Vec<Place> {
        vec![Place::file(&self.head.path, Closeness::Found)]
    }

    fn title(&self, index: usize) -> Option<String> {
        Some(match self.rows.get(index)? {
            Row::End(Way::Incoming, end) => format!("used by {}", end.path),
            Row::End(_, end) => format!("depends on {}", end.path),
            Row::Unresolved(row) => format!("unresolved {}", row.source),
            Row::External(row) => format!("package {}", row.name),
        })
    }

    fn degrade(&mut self) -> Option<&'static str> {
        let body = &mut self.body;
        if !body.imports.is_empty() || !body.exports.is_empty() {
            body.imports.clear();
            body.exports.clear();
            return Some("imports and exports");
        }
        None
    }

    fn truncate(&mut self, rows: usize) {
        self.rows.truncate(rows);
        let full = !self.body.links.is_empty();
        let (imports, exports) = (std::mem::take(&mut self.body.imports), std::mem::take(&mut self.body.exports));
        self.body = Body::new(&self.rows, imports, exports, full);
    }
}

impl Answered {
    /// The details that follow a path in a row.
    fn details(&self, end: &Neighbour) -> String {
        match (end.depth, self.head.files.is_some()) {
            (1, true) => format!("  {}", counted(end.names, "file", "files")),
            (1, false) => format!("  line {}, {}", end.line, counted(end.names, "name", "names")),
            (depth, _) => format!("  step {depth}"),
        }
    }
}
