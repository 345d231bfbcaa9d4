//! The tool `dependencies` for a file or folder.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;

use peelback_code::syntax::Tier;
use peelback_code::syntax::language::ModuleUnit;
use peelback_code::{
    CodeAccess, CodeError, Dependencies as Found, ExternalPackage, Neighbour, UnresolvedImport, WalkOptions,
};
use serde::Serialize;

use super::parameters::{DependencyDirection, Parameters};
use super::rows::{MAX_ROWS, UnresolvedRow};
use crate::answer::{Answer, AnswerPayload};
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::format_count_with_noun;
use crate::guidance::Guidance;
use crate::left_out::LeftOut;
use crate::message::Message;
use crate::narrower_place::narrower_place_and_count;
use crate::next_calls::TextSearchOption;
use crate::output_guard::PageLimiter;
use crate::page::{EscapedToOneLine, MarkedText};
use crate::parameter_name::parameter_name;
use crate::parsed_question::TestFilter;
use crate::reply::{Location, Reply, ShownDetail};
use crate::rows::{ExportRow, ImportRow};
use crate::view::{Format, is_default_value};

/// Which dependencies and dependents are listed.
pub(super) struct NeighbourFilter {
    /// The scope, and the paths of the files in it; `None` for all files.
    scope: Option<(String, HashSet<String>)>,
    tests: TestFilter,
}

impl NeighbourFilter {
    /// The filter for the files in a folder, file or glob, with or without tests.
    ///
    /// # Errors
    /// Those of a walk through `scope`.
    pub(super) fn new(access: &CodeAccess, scope: Option<String>, tests: TestFilter) -> Result<Self, CodeError> {
        let with_files = |scope: String| {
            let files = access.project().files_in_scope(Some(&scope), &WalkOptions::default())?;
            Ok((scope, files.entries.into_iter().map(|entry| entry.path).collect()))
        };
        Ok(Self { scope: scope.map(with_files).transpose()?, tests })
    }

    fn includes(&self, end: &Neighbour) -> bool {
        let is_in_scope = self.scope.as_ref().is_none_or(|(_, files)| files.contains(&end.path));
        is_in_scope && self.tests.to_required_is_test_flag().is_none_or(|required| required == end.is_test)
    }

    /// Removes what is not listed: files that the filter leaves out, and with a scope what is in no folder. Returns how much
    /// was removed.
    fn narrow(&self, found: &mut Found) -> usize {
        let count =
            |found: &Found| found.outgoing.len() + found.incoming.len() + found.external.len() + found.unresolved.len();
        let before = count(found);
        found.outgoing.retain(|end| self.includes(end));
        found.incoming.retain(|end| self.includes(end));
        if self.scope.is_some() {
            found.external.clear();
            found.unresolved.clear();
        }
        before - count(found)
    }

    /// What is listed, in words; empty for all files.
    fn describe(&self) -> String {
        let scope = self.scope.as_ref().map(|(scope, _)| format!("in {scope}"));
        let tests = match self.tests {
            TestFilter::With => None,
            TestFilter::Without => Some("without tests".to_owned()),
            TestFilter::Only => Some("tests only".to_owned()),
        };
        scope.into_iter().chain(tests).collect::<Vec<_>>().join(", ")
    }
}

/// The reply with the dependencies and dependents of a file or folder.
pub(super) fn path_dependencies_reply(
    access: &CodeAccess,
    context: &CallContext,
    mut found: Found,
    parameters: &Parameters,
    filter: &NeighbourFilter,
    call: Call,
) -> Reply {
    let view = &parameters.view;
    let omitted_by_filter = filter.narrow(&mut found);
    let analysed = found.files.is_none().then(|| access.analyse_file_by_root_path(&found.path).ok()).flatten();
    let facts = analysed.as_ref().map(|analysed| &analysed.facts);
    let imports: Vec<ImportRow> = facts.map_or(Vec::new(), |facts| facts.imports.iter().map(Into::into).collect());
    let exports: Vec<ExportRow> = facts.map_or(Vec::new(), |facts| facts.exports.iter().map(Into::into).collect());
    // What is not known is no list without rows.
    let known = |count: usize| found.are_imports_resolved.then_some(count);
    let head = ScalarFields {
        path: found.path.clone(),
        language: found.language.map(|language| language.name),
        files: found.files,
        is_per_package: found.language.is_some_and(|language| language.module_unit == ModuleUnit::Folder),
        files_with_unresolved_imports: found.files_with_unresolved_imports.clone(),
        depth: parameters.depth.unwrap_or(1).max(1),
        filter: filter.describe(),
        omitted_by_filter,
        outgoing_total: known(found.outgoing.len()),
        incoming_total: known(found.incoming.len()),
        outgoing_without_import_total: count_without_statement(&found.outgoing),
        incoming_without_import_total: count_without_statement(&found.incoming),
        external_total: known(found.external.len()).filter(|_| filter.scope.is_none()),
        unresolved_total: known(found.unresolved.len()).filter(|_| filter.scope.is_none()),
    };
    let incoming_count = found.incoming.len();
    let guidance = dependencies_guidance(context, &found, parameters, &call);
    let neighbours = found.outgoing.iter().chain(&found.incoming);
    let mut rows_by_file: BTreeMap<&str, usize> = BTreeMap::new();
    neighbours.clone().for_each(|end| *rows_by_file.entry(&end.path).or_default() += 1);
    let rows_by_file: Vec<(String, usize)> =
        rows_by_file.into_iter().map(|(path, count)| (path.to_owned(), count)).collect();
    // What is in no file of the project is listed without tests, too.
    let of_tests = neighbours.filter(|end| end.is_test).count();
    let mut evidence = found.evidence;
    if head.is_per_package {
        evidence.add_note("an import names a whole package: files of one package use each other without imports");
    }
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
        for (way, count) in [("incoming", incoming_count), ("outgoing", total - incoming_count)] {
            if count > 0 && count < total {
                plan = plan.with_narrowing_call(
                    call.clone().with_argument(parameter_name!(Parameters, direction), way),
                    count,
                    ("row", "rows"),
                );
            }
        }
    }
    if head.depth > 1 && farthest > 0 {
        let nearer = call.clone().with_argument(parameter_name!(Parameters, depth), head.depth - 1);
        plan = plan.with_narrowing_call(nearer, total - farthest, ("row", "rows"));
    }
    if parameters.tests == TestFilter::With && of_tests > 0 && of_tests < total {
        let without = call.clone().with_argument(parameter_name!(Parameters, tests), "without");
        plan = plan.with_narrowing_call(without, total - of_tests, ("row", "rows"));
    }
    // A scope alone would be the path.
    let kinds = context.file_kinds();
    let place = narrower_place_and_count(&rows_by_file, parameters.scope.as_slice(), &|path| kinds.kind(path))
        .filter(|_| parameters.path.is_some());
    if let Some((place, count)) = place {
        let inside = call.clone().with_argument(parameter_name!(Parameters, scope), place);
        plan = plan.with_narrowing_call(inside, count, ("row", "rows"));
    }
    let plan = plan.with_original_call_for_paging(call);
    let empty = total == 0;
    let parts = BodyParts { imports, exports, has_links: view.is_full_detail(), is_known: found.are_imports_resolved };
    let body = NestedFields::new(&rows, parts);
    let is_json = view.format == Format::Json;
    let payload = PathDependenciesPayload { head, direction: parameters.direction, rows, body, is_json };
    Answer { payload, plan, evidence, guidance, is_empty: empty }.into_reply(context, view)
}

/// The number of files whose names are used without an import statement.
fn count_without_statement(ends: &[Neighbour]) -> usize {
    ends.iter().filter(|end| end.is_without_statement).count()
}

/// The next step after the dependencies of a file or folder: the users of a file that exports it, or the outline of the
/// first dependent or dependency. Where imports are not followed: a text search for the name by which imports call it.
fn dependencies_guidance(
    context: &CallContext,
    found: &Found,
    parameters: &Parameters,
    call: &Call,
) -> Option<Guidance> {
    let next = context.follow_up_call_builder();
    if !found.are_imports_resolved {
        let name = found.path.rsplit('/').next().unwrap_or(&found.path);
        // An import of code names no extension, a link does.
        let is_code = found.files.is_some() || found.language.is_some_and(|language| language.tier != Tier::Document);
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let search = match stem {
            stem if is_code && !stem.is_empty() => {
                next.text_search_call(stem, &[TextSearchOption::WholeWord, TextSearchOption::Literal])
            }
            _ => next.text_search_call(name, &[TextSearchOption::Literal]),
        };
        return Some(Guidance::hint_with_call("its name in texts: ", search));
    }
    if parameters.depth.is_some() {
        return None;
    }
    if let Some(exporting) = found.incoming.iter().find(|end| end.is_re_export) {
        let further = call
            .clone()
            .with_argument(parameter_name!(Parameters, direction), DependencyDirection::Incoming.as_str())
            .with_argument(parameter_name!(Parameters, depth), 2);
        let message = Message::from(format!("{} exports it; its users: ", exporting.path));
        return Some(Guidance::Hint(message.with_call(further)));
    }
    let first = found.incoming.first().or(found.outgoing.first())?;
    Some(Guidance::hint_with_call(format!("the outline of {}: ", first.path), next.outline_call(&first.path)))
}

#[derive(Serialize)]
struct ScalarFields {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'static str>,
    /// For a folder: the number of files with known dependencies or dependents.
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<usize>,
    /// Whether imports name the file's whole package, so that all of its files have the same dependents.
    #[serde(skip_serializing_if = "is_default_value")]
    is_per_package: bool,
    /// For a folder: the languages whose imports are not followed, with their numbers of files.
    #[serde(skip)]
    files_with_unresolved_imports: Vec<(&'static str, usize)>,
    depth: usize,
    /// Which neighbours are listed, where not all of them are.
    #[serde(skip)]
    filter: String,
    /// The number of rows that `scope` and `tests` leave out.
    #[serde(skip_serializing_if = "is_default_value")]
    omitted_by_filter: usize,
    /// The totals are absent where imports are not followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    outgoing_total: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    incoming_total: Option<usize>,
    /// How many of `outgoing_total` no import statement leads to: their names are visible without one.
    #[serde(skip_serializing_if = "is_default_value")]
    outgoing_without_import_total: usize,
    /// How many of `incoming_total` have no import statement that leads to the file.
    #[serde(skip_serializing_if = "is_default_value")]
    incoming_without_import_total: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    external_total: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unresolved_total: Option<usize>,
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
    /// What imports lead to; absent where they are not followed.
    #[serde(flatten)]
    known: Option<KnownDependencies>,
    /// Details of each outgoing and incoming file, at full detail only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    links: Vec<LinkRow>,
}

#[derive(Serialize, Default)]
struct KnownDependencies {
    outgoing: Vec<String>,
    incoming: Vec<String>,
    /// Files whose names are used without an import statement.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    outgoing_without_import: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    incoming_without_import: Vec<String>,
    external: Vec<String>,
    unresolved: Vec<UnresolvedRow>,
}

/// What the body of the answer has besides its rows.
struct BodyParts {
    imports: Vec<ImportRow>,
    exports: Vec<ExportRow>,
    /// Whether each file has its details.
    has_links: bool,
    /// Whether it is known what imports lead to.
    is_known: bool,
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
    #[serde(skip_serializing_if = "is_default_value")]
    is_re_export: bool,
    #[serde(skip_serializing_if = "is_default_value")]
    is_without_import: bool,
}

impl NestedFields {
    fn new(rows: &[DependencyRow], parts: BodyParts) -> Self {
        let BodyParts { imports, exports, has_links, is_known } = parts;
        let mut known = KnownDependencies::default();
        let mut links = Vec::new();
        for row in rows {
            match row {
                DependencyRow::Neighbour(way, end) => {
                    let list = match (way, end.is_without_statement) {
                        (DependencyDirection::Incoming, false) => &mut known.incoming,
                        (DependencyDirection::Incoming, true) => &mut known.incoming_without_import,
                        (_, false) => &mut known.outgoing,
                        (_, true) => &mut known.outgoing_without_import,
                    };
                    list.push(end.path.clone());
                    if has_links {
                        let end = end.clone();
                        links.push(LinkRow {
                            path: end.path,
                            direction: *way,
                            depth: end.depth,
                            line: end.line,
                            names: end.names,
                            is_test: end.is_test,
                            is_re_export: end.is_re_export,
                            is_without_import: end.is_without_statement,
                        });
                    }
                }
                DependencyRow::Unresolved(row) => known.unresolved.push(UnresolvedRow::from(row)),
                DependencyRow::External(row) => known.external.push(row.name.clone()),
            }
        }
        Self { imports, exports, known: is_known.then_some(known), links }
    }
}

struct PathDependenciesPayload {
    head: ScalarFields,
    direction: DependencyDirection,
    rows: Vec<DependencyRow>,
    body: NestedFields,
    is_json: bool,
}

impl AnswerPayload for PathDependenciesPayload {
    type ScalarFields = ScalarFields;
    type NestedFields<'a> = &'a NestedFields;

    fn summary_line(&self) -> String {
        let ScalarFields { path, language, files, is_per_package, depth, .. } = &self.head;
        let others = &self.head.files_with_unresolved_imports;
        let others: Vec<String> = others.iter().map(|(language, count)| format!("{count} {language}")).collect();
        let what = match files {
            Some(0) if !others.is_empty() => others.join(", "),
            Some(files) => format_count_with_noun(*files, "file", "files"),
            None => language.unwrap_or("no known language").to_owned(),
        };
        let (Some(outgoing), Some(incoming)) = (self.head.outgoing_total, self.head.incoming_total) else {
            return format!("{path}: {what}; its dependencies are not known: its imports are not followed");
        };
        let steps = if *depth > 1 { format!(" in at most {depth} steps") } else { String::new() };
        let mut parts = Vec::new();
        if self.direction != DependencyDirection::Incoming && self.head.external_total.is_none() {
            parts.push(format!("depends on {}", format_count_with_noun(outgoing, "file", "files")));
        } else if self.direction != DependencyDirection::Incoming {
            let packages = format_count_with_noun(self.head.external_total.unwrap_or(0), "package", "packages");
            let files = format_count_with_noun(outgoing, "file", "files");
            let whose = if *is_per_package { " beyond its package" } else { "" };
            parts.push(format!("depends on {files}{whose} and {packages}"));
        }
        if self.direction != DependencyDirection::Outgoing {
            let verb = if incoming == 1 { "depends" } else { "depend" };
            let on_what = if *is_per_package { "its package" } else { "it" };
            parts.push(format!("{} {verb} on {on_what}", format_count_with_noun(incoming, "file", "files")));
        }
        if let Some(unresolved) = self.head.unresolved_total.filter(|count| *count > 0) {
            parts.push(format!("{unresolved} unresolved"));
        }
        let filter = match (self.head.filter.as_str(), self.head.omitted_by_filter) {
            ("", _) => String::new(),
            (filter, omitted) => format!(", {filter} ({omitted} left out)"),
        };
        format!("{path}: {what}; {}{steps}{filter}", parts.join(", "))
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
        let Some(known) = &self.body.known else { return };
        let externals: Vec<&str> = known.external.iter().map(String::as_str).collect();
        if !externals.is_empty() {
            let _ = writeln!(page, "packages: {}", EscapedToOneLine(externals.join(", ")));
        }
        if !known.unresolved.is_empty() {
            page.push_str("unresolved:\n");
        }
        for row in &known.unresolved {
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
        // As text, they are not listed.
        if self.is_json && (!body.imports.is_empty() || !body.exports.is_empty()) {
            let count = body.imports.len() + body.exports.len();
            body.imports.clear();
            body.exports.clear();
            return Some(LeftOut { what: "imports and exports", count });
        }
        None
    }

    fn keep_first_rows(&mut self, rows: usize) {
        self.rows.truncate(rows);
        let parts = BodyParts {
            imports: std::mem::take(&mut self.body.imports),
            exports: std::mem::take(&mut self.body.exports),
            has_links: !self.body.links.is_empty(),
            is_known: self.body.known.is_some(),
        };
        self.body = NestedFields::new(&self.rows, parts);
    }
}

impl PathDependenciesPayload {
    /// The text after the path in the row of a dependency or dependent: line and number of names, number of files, or
    /// the steps to it.
    fn format_dependency_details(&self, end: &Neighbour) -> String {
        match (end.depth, self.head.files.is_some()) {
            (1, true) => format!("  {}", format_count_with_noun(end.names, "file", "files")),
            (1, false) => {
                let exported = if end.is_re_export { ", exported again" } else { "" };
                let without = if end.is_without_statement { ", without an import" } else { "" };
                format!(
                    "  line {}, {}{exported}{without}",
                    end.line,
                    format_count_with_noun(end.names, "name", "names")
                )
            }
            (depth, _) => format!("  step {depth}"),
        }
    }
}
