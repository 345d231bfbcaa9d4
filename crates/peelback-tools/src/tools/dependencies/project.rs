//! The tool `dependencies` for a whole project.

use std::fmt::Write as _;

use peelback_code::{DependencyOverview, ExternalPackage, Neighbour, UnresolvedImport};
use serde::Serialize;

use super::drawing;
use super::parameters::Parameters;
use super::rows::{MAX_ROWS, UnresolvedRow};
use crate::answer::{Answer, Payload};
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::counted;
use crate::guard::OutputGuard;
use crate::guidance::Guidance;
use crate::page::{Page, Part};
use crate::parameter_name::parameter_name;
use crate::reply::Reply;
use crate::view::{Format, View};

/// The number of rows of each kind that come before the remaining rows of any kind.
const FIRST: usize = 12;

/// The most files of a cycle that an answer names at detail level `exploring`.
const MEMBERS: usize = 6;

pub(super) fn overview_reply(context: &CallContext, found: DependencyOverview, view: &View, call: Call) -> Reply {
    if matches!(view.format, Format::Dot | Format::Mermaid) {
        let title = "dependencies of the project";
        return drawing::graph_reply(context, title, found.edges, &found.evidence, view, call);
    }
    let head = Head {
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
    let most = found.most_depended_on.first().map(|most| most.path.clone());
    let members = if view.is_full() { usize::MAX } else { MEMBERS };
    let mut kinds: Vec<std::vec::IntoIter<Row>> = vec![
        found.most_depended_on.into_iter().map(Row::DependedOn).collect::<Vec<_>>().into_iter(),
        found.entry_points.into_iter().map(Row::EntryPoint).collect::<Vec<_>>().into_iter(),
        found.cycles.into_iter().map(|cycle| Row::Cycle(Cycle::new(cycle, members))).collect::<Vec<_>>().into_iter(),
        found.external.into_iter().map(Row::External).collect::<Vec<_>>().into_iter(),
        found.unresolved.into_iter().map(Row::Unresolved).collect::<Vec<_>>().into_iter(),
    ];
    // The first page contains some rows of each kind.
    let mut rows: Vec<Row> = Vec::new();
    kinds.iter_mut().for_each(|kind| rows.extend(kind.by_ref().take(FIRST)));
    kinds.into_iter().for_each(|kind| rows.extend(kind));
    let total = rows.len();
    let (rows, plan) = OutputGuard::new(view, MAX_ROWS).cap_items(rows, total, "rows");
    let guidance = match most {
        Some(most) => Guidance::hint(
            "who uses it: ",
            call.clone().with(parameter_name!(Parameters, path), most).without(parameter_name!(View, limit)),
        ),
        None => Guidance::hint("what is there: ", context.next().map()),
    };
    let plan = plan.paged(call);
    let body = Body::new(&rows);
    let payload = Answered { head, rows, body };
    Answer { payload, plan, evidence: found.evidence, guidance: Some(guidance), empty: total == 0 }
        .finish(context, view)
}

#[derive(Serialize)]
struct Head {
    files: usize,
    dependencies: usize,
    entry_point_total: usize,
    test_entry_points: usize,
    cycle_total: usize,
    /// Number of groups of files that form a cycle only because a parent module declares its child; absent where none
    /// exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    module_cycle_total: Option<usize>,
    depended_on_total: usize,
    external_total: usize,
    unresolved_total: usize,
}

enum Row {
    DependedOn(Neighbour),
    EntryPoint(Neighbour),
    Cycle(Cycle),
    External(ExternalPackage),
    Unresolved(UnresolvedImport),
}

#[derive(Serialize, Clone)]
struct Cycle {
    file_count: usize,
    /// The first files of the cycle.
    paths: Vec<String>,
}

impl Cycle {
    fn new(mut paths: Vec<String>, most: usize) -> Self {
        let file_count = paths.len();
        paths.truncate(most);
        Self { file_count, paths }
    }
}

#[derive(Serialize)]
struct Counted {
    path: String,
    incoming_count: usize,
}

#[derive(Serialize, Default)]
struct Body {
    most_depended_on: Vec<Counted>,
    entry_points: Vec<String>,
    cycles: Vec<Cycle>,
    external: Vec<String>,
    unresolved: Vec<UnresolvedRow>,
}

impl Body {
    fn new(rows: &[Row]) -> Self {
        let mut body = Self::default();
        for row in rows {
            match row {
                Row::DependedOn(end) => {
                    body.most_depended_on.push(Counted { path: end.path.clone(), incoming_count: end.names });
                }
                Row::EntryPoint(end) => body.entry_points.push(end.path.clone()),
                Row::Cycle(cycle) => body.cycles.push(cycle.clone()),
                Row::External(external) => body.external.push(external.name.clone()),
                Row::Unresolved(row) => body.unresolved.push(UnresolvedRow::from(row)),
            }
        }
        body
    }
}

struct Answered {
    head: Head,
    rows: Vec<Row>,
    body: Body,
}

impl Payload for Answered {
    type Head = Head;
    type Body<'a> = &'a Body;

    fn verdict(&self) -> String {
        let Head { files, dependencies, entry_point_total, test_entry_points, cycle_total, external_total, .. } =
            &self.head;
        let tests = match test_entry_points {
            0 => String::new(),
            tests => format!(" ({} beside them)", counted(*tests, "test", "tests")),
        };
        format!(
            "{} whose imports are known, {} between them, {}; {}{tests}, {}",
            counted(*files, "file", "files"),
            counted(*dependencies, "dependency", "dependencies"),
            counted(*external_total, "package", "packages"),
            counted(*entry_point_total, "entry point", "entry points"),
            counted(*cycle_total, "cycle", "cycles"),
        )
    }

    fn head(&self) -> &Head {
        &self.head
    }

    fn body(&self, _: &CallContext) -> &Body {
        &self.body
    }

    fn write_rows(&self, _: &CallContext, page: &mut Page) {
        let Body { most_depended_on, entry_points, cycles, external, unresolved } = &self.body;
        if !most_depended_on.is_empty() {
            page.push_str("most depended on:\n");
        }
        for row in most_depended_on {
            let _ = writeln!(page, "  {}  {}", row.path, counted(row.incoming_count, "file", "files"));
        }
        if !entry_points.is_empty() {
            page.push_str("entry points:\n");
        }
        for row in &self.rows {
            if let Row::EntryPoint(end) = row {
                let _ = writeln!(page, "  {}  depends on {}", end.path, counted(end.names, "file", "files"));
            }
        }
        if !cycles.is_empty() {
            page.push_str("cycles:\n");
        }
        for cycle in cycles {
            let more = cycle.file_count - cycle.paths.len();
            let more = if more > 0 { format!(", … +{more} more") } else { String::new() };
            page.push_str("  ");
            page.put(Part::Number, cycle.file_count);
            let _ = writeln!(page, " files: {}{more}", cycle.paths.join(", "));
        }
        if let Some(total) = self.head.module_cycle_total {
            let groups = counted(total, "group", "groups");
            let _ = writeln!(page, "circular only by a parent module naming its child: {groups} of files");
        }
        if !external.is_empty() {
            let _ = writeln!(page, "packages: {}", external.join(", "));
        }
        if !unresolved.is_empty() {
            page.push_str("unresolved:\n");
        }
        for row in unresolved {
            let reason = row.reason.as_ref().map_or(String::new(), |reason| format!(" ({reason})"));
            let _ = writeln!(page, "  {}:{} {}{reason}", row.path, row.line, row.source);
        }
    }

    fn shown(&self) -> usize {
        self.rows.len()
    }

    fn title(&self, index: usize) -> Option<String> {
        Some(match self.rows.get(index)? {
            Row::DependedOn(end) => format!("{} depend on {}", counted(end.names, "file", "files"), end.path),
            Row::EntryPoint(end) => format!("entry point {}", end.path),
            Row::Cycle(cycle) => format!("cycle of {} files", cycle.file_count),
            Row::External(external) => format!("package {}", external.name),
            Row::Unresolved(row) => format!("unresolved {}", row.source),
        })
    }

    fn degrade(&mut self) -> Option<&'static str> {
        None
    }

    fn truncate(&mut self, rows: usize) {
        self.rows.truncate(rows);
        self.body = Body::new(&self.rows);
    }
}
