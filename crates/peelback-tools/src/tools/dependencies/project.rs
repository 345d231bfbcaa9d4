//! The tool `dependencies` for a whole project.

use std::fmt::Write as _;

use peelback_code::{DependencyOverview, ExternalPackage, Neighbour, UnresolvedImport};
use serde::Serialize;

use super::graph::{self, DependencyGraph, DrawnFolder};
use super::parameters::Parameters;
use super::rows::{MAX_ROWS, UnresolvedRow};
use crate::answer::{Answer, AnswerPayload};
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::format_count_with_noun;
use crate::guidance::Guidance;
use crate::left_out::LeftOut;
use crate::narrower_place::narrower_place_and_count;
use crate::output_guard::PageLimiter;
use crate::page::{EscapedToOneLine, MarkedText, PartKind};
use crate::parameter_name::parameter_name;
use crate::reply::Reply;
use crate::view::{Format, OutputOptions};

/// The number of rows of each kind (files depended on, entry points, cycles, external packages, unresolved imports)
/// that come before the remaining rows of any kind.
const FIRST_ROWS_PER_KIND: usize = 12;

/// The maximum number of files of a cycle that an answer names at detail level `exploring`.
const MAX_CYCLE_MEMBERS: usize = 6;

pub(super) fn project_dependencies_reply(
    context: &CallContext,
    found: DependencyOverview,
    view: &OutputOptions,
    call: Call,
) -> Reply {
    if matches!(view.format, Format::Dot | Format::Mermaid) {
        let drawn = DependencyGraph {
            title: "dependencies of the project",
            edges: &found.edges,
            submodule_declarations: &found.submodule_declarations,
            folder: Some(DrawnFolder { path: "", known_files: &found.known_files }),
            evidence: &found.evidence,
        };
        return graph::dependency_graph_reply(context, &drawn, view, call);
    }
    let head = ScalarFields {
        files: found.files,
        dependencies: found.dependencies,
        entry_point_total: found.entry_points.len(),
        test_entry_points: found.tests,
        cycle_total: found.cycles.len(),
        module_cycle_total: (found.module_cycles > 0).then_some(found.module_cycles),
        depended_on_total: found.most_depended_on.len(),
        external_total: found.external.len(),
        unresolved_total: found.unresolved.len(),
    };
    let known_files: Vec<(String, usize)> = found.known_files.into_iter().map(|path| (path, 1)).collect();
    let kinds = context.file_kinds();
    let folder = narrower_place_and_count(&known_files, &[], &|path| kinds.kind(path));
    let folder = folder.map(|(folder, _)| folder.to_owned());
    let most = found.most_depended_on.first().map(|most| most.path.clone());
    let members = if view.is_full_detail() { usize::MAX } else { MAX_CYCLE_MEMBERS };
    let mut kinds: Vec<std::vec::IntoIter<OverviewRow>> = vec![
        found.most_depended_on.into_iter().map(OverviewRow::DependedOn).collect::<Vec<_>>().into_iter(),
        found.entry_points.into_iter().map(OverviewRow::EntryPoint).collect::<Vec<_>>().into_iter(),
        found
            .cycles
            .into_iter()
            .map(|cycle| OverviewRow::Cycle(CycleRow::new(cycle, members)))
            .collect::<Vec<_>>()
            .into_iter(),
        found.external.into_iter().map(OverviewRow::External).collect::<Vec<_>>().into_iter(),
        found.unresolved.into_iter().map(OverviewRow::Unresolved).collect::<Vec<_>>().into_iter(),
    ];
    // The first page contains some rows of each kind.
    let mut rows: Vec<OverviewRow> = Vec::new();
    kinds.iter_mut().for_each(|kind| rows.extend(kind.by_ref().take(FIRST_ROWS_PER_KIND)));
    kinds.into_iter().for_each(|kind| rows.extend(kind));
    let total = rows.len();
    let (rows, plan) = PageLimiter::new(view, MAX_ROWS).page_rows_and_plan(rows, total, "rows");
    let guidance = match most {
        Some(most) => Guidance::hint_with_call(
            "who uses it: ",
            call.clone()
                .with_argument(parameter_name!(Parameters, path), most)
                .without_argument(parameter_name!(OutputOptions, limit)),
        ),
        None => Guidance::hint_with_call("what is there: ", context.follow_up_call_builder().project_tree_call()),
    };
    let plan = match folder {
        Some(folder) => {
            let about_folder = call.clone().with_argument(parameter_name!(Parameters, path), folder.as_str());
            plan.with_other_call(about_folder, format!("what {folder} depends on, and what depends on it"))
        }
        None => plan,
    };
    let plan = if view.format == Format::Text && found.dependencies > 0 {
        let drawing = call.clone().with_argument(OutputOptions::FORMAT, Format::Mermaid.as_str());
        plan.with_other_call(
            drawing.without_argument(parameter_name!(OutputOptions, limit)),
            "a drawing of the folders",
        )
    } else {
        plan
    };
    let plan = plan.with_original_call_for_paging(call);
    let body = NestedFields::new(&rows);
    let payload = ProjectDependenciesPayload { head, rows, body };
    Answer { payload, plan, evidence: found.evidence, guidance: Some(guidance), is_empty: total == 0 }
        .into_reply(context, view)
}

#[derive(Serialize)]
struct ScalarFields {
    files: usize,
    dependencies: usize,
    entry_point_total: usize,
    test_entry_points: usize,
    cycle_total: usize,
    /// Number of groups of files that form a cycle only because a parent module declares its child; absent where no
    /// such group exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    module_cycle_total: Option<usize>,
    depended_on_total: usize,
    external_total: usize,
    unresolved_total: usize,
}

enum OverviewRow {
    DependedOn(Neighbour),
    EntryPoint(Neighbour),
    Cycle(CycleRow),
    External(ExternalPackage),
    Unresolved(UnresolvedImport),
}

#[derive(Serialize, Clone)]
struct CycleRow {
    file_count: usize,
    /// The first files of the cycle, by path.
    paths: Vec<String>,
}

impl CycleRow {
    fn new(mut paths: Vec<String>, max_paths: usize) -> Self {
        let file_count = paths.len();
        paths.truncate(max_paths);
        Self { file_count, paths }
    }
}

#[derive(Serialize)]
struct DependedOnRow {
    path: String,
    incoming_count: usize,
}

#[derive(Serialize, Default)]
struct NestedFields {
    most_depended_on: Vec<DependedOnRow>,
    entry_points: Vec<String>,
    cycles: Vec<CycleRow>,
    external: Vec<String>,
    unresolved: Vec<UnresolvedRow>,
}

impl NestedFields {
    fn new(rows: &[OverviewRow]) -> Self {
        let mut body = Self::default();
        for row in rows {
            match row {
                OverviewRow::DependedOn(end) => {
                    body.most_depended_on.push(DependedOnRow { path: end.path.clone(), incoming_count: end.names });
                }
                OverviewRow::EntryPoint(end) => body.entry_points.push(end.path.clone()),
                OverviewRow::Cycle(cycle) => body.cycles.push(cycle.clone()),
                OverviewRow::External(external) => body.external.push(external.name.clone()),
                OverviewRow::Unresolved(row) => body.unresolved.push(UnresolvedRow::from(row)),
            }
        }
        body
    }
}

struct ProjectDependenciesPayload {
    head: ScalarFields,
    rows: Vec<OverviewRow>,
    body: NestedFields,
}

impl AnswerPayload for ProjectDependenciesPayload {
    type ScalarFields = ScalarFields;
    type NestedFields<'a> = &'a NestedFields;

    fn summary_line(&self) -> String {
        let ScalarFields {
            files, dependencies, entry_point_total, test_entry_points, cycle_total, external_total, ..
        } = &self.head;
        let tests = match test_entry_points {
            0 => String::new(),
            tests => format!(" ({} beside them)", format_count_with_noun(*tests, "test", "tests")),
        };
        format!(
            "{} whose imports are known, {} between them, {}; {}{tests}, {}",
            format_count_with_noun(*files, "file", "files"),
            format_count_with_noun(*dependencies, "dependency", "dependencies"),
            format_count_with_noun(*external_total, "package", "packages"),
            format_count_with_noun(*entry_point_total, "entry point", "entry points"),
            format_count_with_noun(*cycle_total, "cycle", "cycles"),
        )
    }

    fn scalar_json_fields(&self) -> &ScalarFields {
        &self.head
    }

    fn nested_json_fields(&self, _: &CallContext) -> &NestedFields {
        &self.body
    }

    fn write_rows(&self, _: &CallContext, page: &mut MarkedText) {
        let NestedFields { most_depended_on, entry_points, cycles, external, unresolved } = &self.body;
        if !most_depended_on.is_empty() {
            page.push_str("most depended on:\n");
        }
        for row in most_depended_on {
            let _ = writeln!(
                page,
                "  {}  {}",
                EscapedToOneLine(&row.path),
                format_count_with_noun(row.incoming_count, "file", "files")
            );
        }
        if !entry_points.is_empty() {
            page.push_str("entry points:\n");
        }
        for row in &self.rows {
            if let OverviewRow::EntryPoint(end) = row {
                let _ = writeln!(
                    page,
                    "  {}  depends on {}",
                    EscapedToOneLine(&end.path),
                    format_count_with_noun(end.names, "file", "files")
                );
            }
        }
        if !cycles.is_empty() {
            page.push_str("cycles:\n");
        }
        for cycle in cycles {
            let more = cycle.file_count - cycle.paths.len();
            let more = if more > 0 { format!(", … +{more} more") } else { String::new() };
            page.push_str("  ");
            page.write_part(PartKind::Number, cycle.file_count);
            let _ = writeln!(page, " files: {}{more}", EscapedToOneLine(cycle.paths.join(", ")));
        }
        if let Some(total) = self.head.module_cycle_total {
            let groups = format_count_with_noun(total, "group", "groups");
            let _ = writeln!(page, "circular only because a parent module names its child: {groups} of files");
        }
        if !external.is_empty() {
            let _ = writeln!(page, "packages: {}", EscapedToOneLine(external.join(", ")));
        }
        if !unresolved.is_empty() {
            page.push_str("unresolved:\n");
        }
        for row in unresolved {
            let reason = row.reason.as_ref().map_or(String::new(), |reason| format!(" ({reason})"));
            let _ = writeln!(
                page,
                "  {}:{} {}",
                EscapedToOneLine(&row.path),
                row.line,
                EscapedToOneLine(format!("{}{reason}", row.source))
            );
        }
    }

    fn row_count(&self) -> usize {
        self.rows.len()
    }

    fn describe_row_at(&self, index: usize) -> Option<String> {
        Some(match self.rows.get(index)? {
            OverviewRow::DependedOn(end) => {
                format!("{} depend on {}", format_count_with_noun(end.names, "file", "files"), end.path)
            }
            OverviewRow::EntryPoint(end) => format!("entry point {}", end.path),
            OverviewRow::Cycle(cycle) => format!("cycle of {} files", cycle.file_count),
            OverviewRow::External(external) => format!("package {}", external.name),
            OverviewRow::Unresolved(row) => format!("unresolved {}", row.source),
        })
    }

    fn remove_least_valuable_detail(&mut self) -> Option<LeftOut> {
        None
    }

    fn keep_first_rows(&mut self, rows: usize) {
        self.rows.truncate(rows);
        self.body = NestedFields::new(&self.rows);
    }
}
