//! Replies that draw dependencies as a graph for other programs: between files, or between groups of files where there are
//! too many. The rest of the answer, such as evidence and follow-up calls, is written as comments in the graph.

use std::collections::{BTreeMap, BTreeSet};

use peelback_code::{Completeness, Evidence, WeightedEdge, edges_closing_cycles};

use super::drawing::{Drawing, Edge, Node};
use super::file_groups::{FileGraph, FileGroup, FileGroups, join_files_into_groups};
use super::parameters::Parameters;
use super::rows::MAX_ROWS;
use crate::budget::{AnswerTokenBudget, row_count_for_text_share};
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::{format_count_with_noun, format_with_thousands_separators};
use crate::message::Message;
use crate::output_guard::{AlternativeCall, OmittedRows, PageLimiter, PagePlan};
use crate::page::{MarkedText, PartKind};
use crate::parameter_name::parameter_name;
use crate::reply::{Reply, ReplyContent, ReplyStatus};
use crate::view::{Format, OutputOptions};
use peelback_tokens::text::truncate_chars_and_add_ellipsis;

/// The maximum number of edges between groups of files in a drawing that a person can look at.
const MAX_GROUP_EDGES: usize = 60;

/// A drawing whose budget leaves fewer edges names one further call only.
const FEW_EDGES: usize = 15;

/// What is drawn.
pub(super) struct DependencyGraph<'a> {
    /// What the drawing shows, such as `dependencies of the project`.
    pub title: &'a str,
    /// Each dependency between two files: the dependent file first.
    pub edges: &'a [(String, String)],
    /// Those of `edges` that only declare a submodule.
    pub submodule_declarations: &'a [(String, String)],
    /// The files of the folder whose imports are known; `None` for a drawing of one file, whose files are never joined.
    pub folder: Option<DrawnFolder<'a>>,
    pub evidence: &'a Evidence,
}

/// A folder whose files may be joined into groups.
#[derive(Clone, Copy)]
pub(super) struct DrawnFolder<'a> {
    /// The path of the folder; empty for the root.
    pub path: &'a str,
    pub known_files: &'a [String],
}

/// The reply that draws the dependencies between files: each of them, if it is asked for or there are few, or else between
/// groups of files.
pub(super) fn dependency_graph_reply(
    context: &CallContext,
    graph: &DependencyGraph<'_>,
    view: &OutputOptions,
    call: Call,
) -> Reply {
    let budget = AnswerTokenBudget::new(context, view);
    let is_paged = view.is_full_detail() || view.limit.is_some() || view.offset > 0;
    let mut files = FileDrawing::new(graph, view, call.clone());
    if let Some(folder) = graph.folder.filter(|_| !is_paged)
        && (files.shown < graph.edges.len() || !budget.can_hold_text(files.render_marked_text(context).text()))
    {
        return group_graph_reply(context, graph, folder, view, &call);
    }
    let status = if graph.edges.is_empty() { ReplyStatus::Empty } else { ReplyStatus::Found };
    let preview = files.preview(graph);
    loop {
        let page = files.render_marked_text(context);
        if budget.can_hold_text(page.text()) || files.shown == 0 {
            return Reply::new(status, preview, view.format, context, files);
        }
        let kept = row_count_for_text_share(files.shown, budget.share_of_text_that_fits(page.text()));
        files.keep_first_edges(kept.min(files.shown - 1));
    }
}

/// A drawing in which each node is a file.
struct FileDrawing {
    header: Header,
    /// The dependencies of the page, and whether they close a cycle.
    edges: Vec<(String, String, bool)>,
    shown: usize,
    plan: PagePlan,
}

impl FileDrawing {
    fn new(graph: &DependencyGraph<'_>, view: &OutputOptions, call: Call) -> Self {
        let total = graph.edges.len();
        // Of one file not all edges are known, so that a cycle could be missed.
        let closing = graph.folder.map(|_| edges_closing_file_cycles(graph)).unwrap_or_default();
        let closing_count = closing.iter().filter(|closes| **closes).count();
        let edges = graph.edges.iter().enumerate();
        let edges =
            edges.map(|(at, (from, to))| (from.clone(), to.clone(), closing.get(at).copied().unwrap_or_default()));
        let (edges, plan) = PageLimiter::new(view, MAX_ROWS).page_rows_and_plan(edges, total, "dependencies");
        let title = format!("{}: {}", graph.title, format_count_with_noun(total, "dependency", "dependencies"));
        let mut comments = evidence_comments(graph.evidence);
        comments.extend(closing_edges_comment(closing_count, ("dependency", "dependencies")));
        let header = Header { title, comments, format: view.format, evidence: graph.evidence.clone() };
        Self { header, shown: edges.len(), edges, plan: plan.with_original_call_for_paging(call) }
    }

    fn keep_first_edges(&mut self, count: usize) {
        self.edges.truncate(count);
        self.shown = self.edges.len();
    }

    fn preview(&self, graph: &DependencyGraph<'_>) -> String {
        let edges: String = graph.edges.iter().take(8).map(|(from, to)| format!("  {from} -> {to}\n")).collect();
        format!("{}\n{edges}", self.header.title)
    }

    fn drawing(&self) -> Drawing {
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        let mut drawing = Drawing::default();
        for (from, to, closes_cycle) in &self.edges {
            let [from, to] = [from, to].map(|path| {
                *places.entry(path).or_insert_with(|| {
                    drawing.nodes.push(Node { name: path.clone(), note: None, is_aside: false });
                    drawing.nodes.len() - 1
                })
            });
            drawing.edges.push(Edge { from, to, weight: None, closes_cycle: *closes_cycle });
        }
        drawing
    }
}

/// For each edge of a graph whether it closes a cycle of files that use each other.
fn edges_closing_file_cycles(graph: &DependencyGraph<'_>) -> Vec<bool> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut place = |path| {
        let next = places.len();
        *places.entry(path).or_insert(next)
    };
    let ends: Vec<(usize, usize)> =
        graph.edges.iter().map(|(from, to)| (place(from.as_str()), place(to.as_str()))).collect();
    let declarations: BTreeSet<&(String, String)> = graph.submodule_declarations.iter().collect();
    let edges: Vec<WeightedEdge> = graph
        .edges
        .iter()
        .zip(ends)
        // An edge from a node to itself is in no cycle.
        .map(|(edge, (from, to))| WeightedEdge {
            from,
            to: if declarations.contains(edge) { from } else { to },
            weight: 1,
        })
        .collect();
    edges_closing_cycles(places.len(), &edges)
}

impl ReplyContent for FileDrawing {
    fn render_marked_text(&self, context: &CallContext) -> MarkedText {
        let omitted = self.plan.omitted_rows_summary_after(self.shown, None);
        let mut comments = Vec::new();
        if let Some(overflow) = omitted {
            comments.push(format!("shown: {} of {} {}", overflow.shown, overflow.total, self.plan.row_noun).into());
            comments.extend(overflow.alternatives.into_iter().map(
                |AlternativeCall { call, result_description: gives }| {
                    Message::from(format!("next: {gives}")).with_call(call)
                },
            ));
        }
        self.header.render_with_drawing(context, &comments, &self.drawing())
    }

    /// The graph as text: a graph reply has no JSON form.
    fn render_json(&self, context: &CallContext) -> String {
        self.render_marked_text(context).into_text()
    }

    fn completeness_evidence(&self) -> Option<&Evidence> {
        Some(&self.header.evidence)
    }

    fn omitted_rows_summary(&self) -> Option<OmittedRows> {
        self.plan.omitted_rows_summary_after(self.shown, None)
    }
}

/// The reply that draws the dependencies between groups of files, as deep as the edges can be looked at and fit the budget.
fn group_graph_reply(
    context: &CallContext,
    graph: &DependencyGraph<'_>,
    folder: DrawnFolder<'_>,
    view: &OutputOptions,
    call: &Call,
) -> Reply {
    let files = FileGraph::new(folder.known_files, graph.edges, graph.submodule_declarations, folder.path);
    let budget = AnswerTokenBudget::new(context, view);
    let mut max_edges = MAX_GROUP_EDGES;
    loop {
        let groups = join_files_into_groups(&files, max_edges);
        let drawing = GroupDrawing::new(graph, folder, &files, &groups, view, call);
        let page = drawing.render_marked_text(context);
        if budget.can_hold_text(page.text()) || max_edges == 0 {
            let preview = drawing.preview();
            return Reply::new(ReplyStatus::Found, preview, view.format, context, drawing);
        }
        let kept = row_count_for_text_share(max_edges, budget.share_of_text_that_fits(page.text()));
        max_edges = kept.min(max_edges - 1);
    }
}

/// A drawing in which nodes are groups of files.
struct GroupDrawing {
    header: Header,
    drawing: Drawing,
    plan: PagePlan,
}

impl GroupDrawing {
    fn new(
        graph: &DependencyGraph<'_>,
        folder: DrawnFolder<'_>,
        files: &FileGraph<'_>,
        groups: &FileGroups,
        view: &OutputOptions,
        call: &Call,
    ) -> Self {
        let weighted: Vec<WeightedEdge> = groups
            .edges
            .iter()
            .map(|edge| {
                // An edge from a node to itself is in no cycle.
                let to = if edge.use_weight == 0 { edge.from } else { edge.to };
                WeightedEdge { from: edge.from, to, weight: edge.use_weight }
            })
            .collect();
        let closing = edges_closing_cycles(groups.groups.len(), &weighted);
        let is_linked = |at: usize| groups.edges.iter().any(|edge| edge.from == at || edge.to == at);
        let mut places: Vec<Option<usize>> = Vec::new();
        let mut drawing = Drawing::default();
        let mut undrawn_files = 0;
        for (at, group) in groups.groups.iter().enumerate() {
            let is_drawn = is_linked(at) || (group.inner_imports > 0 && groups.omitted_edges == 0);
            places.push(is_drawn.then_some(drawing.nodes.len()));
            if is_drawn {
                drawing.nodes.push(Node {
                    name: group.name.clone(),
                    note: group_note(group),
                    is_aside: group.is_aside,
                });
            } else {
                undrawn_files += group.file_count;
            }
        }
        for (edge, closes_cycle) in groups.edges.iter().zip(&closing) {
            let place = |at: usize| places.get(at).copied().flatten();
            if let (Some(from), Some(to)) = (place(edge.from), place(edge.to)) {
                drawing.edges.push(Edge { from, to, weight: Some(edge.weight), closes_cycle: *closes_cycle });
            }
        }
        let title = format!(
            "{}: {}, of files joined into {}",
            graph.title,
            format_count_with_noun(graph.edges.len(), "dependency", "dependencies"),
            format_count_with_noun(drawing.nodes.len(), "group", "groups"),
        );
        let mut comments = evidence_comments(graph.evidence);
        let inner: usize = groups.groups.iter().map(|group| group.inner_imports).sum();
        let package = if files.has_package_imports { "; an import of a whole package counts once" } else { "" };
        let inside = match inner {
            0 => String::new(),
            1 => "; 1 import inside a group is not drawn".to_owned(),
            inner => format!("; {} inside groups are not drawn", format_count_with_noun(inner, "import", "imports")),
        };
        comments.push(format!("a label is the number of imports from file to file{package}{inside}").into());
        if drawing.nodes.iter().any(|node| node.is_aside) {
            comments.push("a broken frame: tests, examples, documentation".into());
        }
        if groups.omitted_edges > 0 {
            comments.push(
                format!(
                    "left out: the lightest {} between groups, {} of {}",
                    format_count_with_noun(groups.omitted_edges, "edge", "edges"),
                    format_count_with_noun(groups.omitted_imports, "import", "imports"),
                    format_with_thousands_separators(files.import_count()),
                )
                .into(),
            );
        }
        if undrawn_files > 0 {
            let files = format_count_with_noun(undrawn_files, "file", "files");
            comments.push(format!("not drawn, since no edge that is shown leads there: {files}").into());
        }
        comments.extend(closing_edges_comment(closing.iter().filter(|closes| **closes).count(), ("edge", "edges")));
        let mut next_calls = next_call_comments(groups, folder, call);
        // Where a budget leaves few edges, further calls would take the place of most.
        next_calls.truncate(if groups.edges.len() < FEW_EDGES && groups.omitted_edges > 0 {
            1
        } else {
            next_calls.len()
        });
        comments.extend(next_calls);
        let total = groups.edges.len() + groups.omitted_edges;
        let plan = PageLimiter::new(view, MAX_GROUP_EDGES).page_plan_from_row_counts(total, Vec::new(), "edges");
        let header = Header { title, comments, format: view.format, evidence: graph.evidence.clone() };
        Self { header, drawing, plan }
    }

    /// The heaviest edges.
    fn preview(&self) -> String {
        let mut edges: Vec<&Edge> = self.drawing.edges.iter().collect();
        edges.sort_by_key(|edge| std::cmp::Reverse(edge.weight));
        let name = |at: usize| self.drawing.nodes.get(at).map_or("", |node| node.name.as_str());
        let line = |edge: &&Edge| {
            format!("  {} -> {} ({})\n", name(edge.from), name(edge.to), edge.weight.unwrap_or_default())
        };
        let lines: String = edges.iter().take(8).map(line).collect();
        format!("{}\n{lines}", self.header.title)
    }
}

/// The second line of a group's box.
fn group_note(group: &FileGroup) -> Option<String> {
    let files = format_count_with_noun(group.file_count, "file", "files");
    match (group.is_file, group.inner_imports) {
        (true, _) => None,
        (false, 0) => Some(files),
        (false, inner) => Some(format!("{files}, {} inside", format_count_with_noun(inner, "import", "imports"))),
    }
}

/// Comments with the calls that show files: those of the folders with most imports inside, and of all folders.
fn next_call_comments(groups: &FileGroups, folder: DrawnFolder<'_>, call: &Call) -> Vec<Message> {
    let mut folders: Vec<(&str, usize)> = Vec::new();
    for group in groups.groups.iter().filter(|group| !group.is_file && group.inner_imports > 0) {
        let is_narrower = group.path != folder.path && !group.path.is_empty();
        match folders.iter_mut().find(|(path, _)| *path == group.path) {
            Some((_, inner)) => *inner += group.inner_imports,
            None if is_narrower => folders.push((&group.path, group.inner_imports)),
            None => {}
        }
    }
    folders.sort_by_key(|(path, inner)| (std::cmp::Reverse(*inner), *path));
    let narrower = folders.iter().take(2).map(|(path, _)| {
        let inside = call.clone().with_argument(parameter_name!(Parameters, path), *path);
        Message::from("next: what is in this folder").with_call(inside)
    });
    let full = call.clone().with_argument(parameter_name!(OutputOptions, detail_level), "full");
    let all = Message::from("next: each file").with_call(full);
    narrower.chain(std::iter::once(all)).collect()
}

impl ReplyContent for GroupDrawing {
    fn render_marked_text(&self, context: &CallContext) -> MarkedText {
        self.header.render_with_drawing(context, &[], &self.drawing)
    }

    /// The graph as text: a graph reply has no JSON form.
    fn render_json(&self, context: &CallContext) -> String {
        self.render_marked_text(context).into_text()
    }

    fn completeness_evidence(&self) -> Option<&Evidence> {
        Some(&self.header.evidence)
    }

    fn omitted_rows_summary(&self) -> Option<OmittedRows> {
        self.plan.omitted_rows_summary_after(self.drawing.edges.len(), None)
    }
}

/// The comments above a graph: a summary, the evidence, and what the drawing leaves out.
struct Header {
    title: String,
    comments: Vec<Message>,
    format: Format,
    evidence: Evidence,
}

/// The maximum number of characters of a comment line in the graph.
const MAX_COMMENT_CHARS: usize = 400;

impl Header {
    fn render_with_drawing(&self, context: &CallContext, more: &[Message], drawing: &Drawing) -> MarkedText {
        let mut page = MarkedText::default();
        let mark = if self.format == Format::Mermaid { "%%" } else { "//" };
        let title = Message::from(self.title.as_str());
        for comment in std::iter::once(&title).chain(&self.comments).chain(more) {
            let lines = comment.lines_for_caller(context);
            // A part of a call does not work.
            if lines.iter().any(|(line, is_call)| *is_call && line.chars().count() > MAX_COMMENT_CHARS) {
                continue;
            }
            for (line, is_call) in lines {
                page.push_str(mark);
                page.push(' ');
                if is_call {
                    page.write_part(PartKind::Call, line);
                } else {
                    page.push_str(&truncate_chars_and_add_ellipsis(&line, MAX_COMMENT_CHARS).replace('\n', " "));
                }
                page.push('\n');
            }
        }
        page.push_str(&if self.format == Format::Mermaid { drawing.to_mermaid() } else { drawing.to_dot() });
        page
    }
}

/// Comments that say how complete the dependencies are.
fn evidence_comments(evidence: &Evidence) -> Vec<Message> {
    let mut comments = Vec::new();
    if evidence.completeness != Completeness::Complete {
        let first = evidence.skipped.first();
        let first = first.map_or(String::new(), |skipped| format!("; {}: {}", skipped.path, skipped.reason));
        let completeness = evidence.completeness.as_str();
        comments.push(format!("evidence: {completeness}, {}{first}", evidence.analysis).into());
    }
    comments.extend(evidence.notes.iter().map(|note| Message::from(format!("note: {note}"))));
    comments
}

/// The comment on edges that close a cycle, if there are any.
fn closing_edges_comment(count: usize, (one, several): (&str, &str)) -> Option<Message> {
    let verb = if count == 1 { "closes a cycle" } else { "close cycles" };
    let counted = format_count_with_noun(count, one, several);
    (count > 0).then(|| format!("dashed red: {counted} of use that {verb}").into())
}
