//! Renders dependencies as a graph for other programs, in the formats DOT and Mermaid. The rest of the answer, such as
//! evidence and follow-up calls, is written as comments in the graph.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use peelback_code::{Completeness, Evidence};

use super::rows::MAX_ROWS;
use crate::budget::{AnswerTokenBudget, row_count_for_text_share};
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::format_count_with_noun;
use crate::message::Message;
use crate::output_guard::{AlternativeCall, OmittedRows, PageLimiter, PagePlan};
use crate::page::MarkedText;
use crate::reply::{Reply, ReplyContent, ReplyStatus};
use crate::view::{Format, OutputOptions};
use peelback_tokens::text::truncate_chars_and_add_ellipsis;

/// The reply that renders the dependencies between files as a graph, with as many edges as the budget allows.
pub(super) fn dependency_graph_reply(
    context: &CallContext,
    title: &str,
    edges: Vec<(String, String)>,
    evidence: &Evidence,
    view: &OutputOptions,
    call: Call,
) -> Reply {
    let total = edges.len();
    let (edges, plan) = PageLimiter::new(view, MAX_ROWS).page_rows_and_plan(edges, total, "dependencies");
    let status = if total == 0 { ReplyStatus::Empty } else { ReplyStatus::Found };
    let title = format!("{title}: {}", format_count_with_noun(total, "dependency", "dependencies"));
    let preview: String = edges.iter().take(8).map(|(from, to)| format!("  {from} -> {to}\n")).collect();
    let preview = format!("{title}\n{preview}");
    let mut graph = GraphContent {
        title,
        edges,
        evidence: evidence.clone(),
        plan: plan.with_original_call_for_paging(call),
        format: view.format,
    };
    let budget = AnswerTokenBudget::new(context, view);
    loop {
        let page = graph.render_marked_text(context);
        if budget.can_hold_text(page.text()) || graph.edges.is_empty() {
            return Reply::new(status, preview, view.format, context, graph);
        }
        let kept = row_count_for_text_share(graph.edges.len(), budget.share_of_text_that_fits(page.text()));
        graph.edges.truncate(kept.min(graph.edges.len() - 1));
    }
}

/// A graph of dependencies between files. Each edge leads from a file to one of its dependencies.
struct GraphContent {
    title: String,
    edges: Vec<(String, String)>,
    evidence: Evidence,
    plan: PagePlan,
    format: Format,
}

/// The maximum number of characters of a comment line in the graph.
const MAX_COMMENT_CHARS: usize = 400;

impl GraphContent {
    /// The comments above the graph: a summary, the evidence, and follow-up calls.
    fn header_comments(&self) -> Vec<Message> {
        let evidence = &self.evidence;
        let mut comments = vec![Message::from(self.title.as_str())];
        if evidence.completeness != Completeness::Complete {
            let first = evidence.skipped.first();
            let first = first.map_or(String::new(), |skipped| format!("; {}: {}", skipped.path, skipped.reason));
            let completeness = evidence.completeness.as_str();
            comments.push(format!("evidence: {completeness}, {}{first}", evidence.analysis).into());
        }
        comments.extend(evidence.notes.iter().map(|note| Message::from(format!("note: {note}"))));
        if let Some(overflow) = self.plan.omitted_rows_summary_after(self.edges.len(), None) {
            comments.push(format!("shown: {} of {} {}", overflow.shown, overflow.total, self.plan.row_noun).into());
            comments.extend(overflow.alternatives.into_iter().map(
                |AlternativeCall { call, result_description: gives }| {
                    Message::from("next: ").with_call(call).append_words(format!("  ({gives})"))
                },
            ));
        }
        comments
    }

    fn write_header_comments(&self, mark: &str, context: &CallContext, page: &mut MarkedText) {
        for comment in self.header_comments() {
            let text = comment.render_for_caller(context);
            let _ = write!(page, "{mark} ");
            if text.contains('\n') || text.chars().count() > MAX_COMMENT_CHARS {
                page.push_str(&truncate_chars_and_add_ellipsis(&text, MAX_COMMENT_CHARS).replace('\n', " "));
            } else {
                comment.write_to_page(context, page);
            }
            page.push('\n');
        }
    }
}

impl ReplyContent for GraphContent {
    fn render_marked_text(&self, context: &CallContext) -> MarkedText {
        let mut page = MarkedText::default();
        match self.format {
            Format::Mermaid => {
                self.write_header_comments("%%", context, &mut page);
                page.push_str(&render_mermaid_graph(&self.edges));
            }
            _ => {
                self.write_header_comments("//", context, &mut page);
                page.push_str(&render_dot_graph(&self.edges));
            }
        }
        page
    }

    /// The graph as text: a graph reply has no JSON form.
    fn render_json(&self, context: &CallContext) -> String {
        self.render_marked_text(context).into_text()
    }

    fn completeness_evidence(&self) -> Option<&Evidence> {
        Some(&self.evidence)
    }

    fn omitted_rows_summary(&self) -> Option<OmittedRows> {
        self.plan.omitted_rows_summary_after(self.edges.len(), None)
    }
}

fn render_dot_graph(edges: &[(String, String)]) -> String {
    let quoted = |path: &str| format!("\"{}\"", path.replace('\\', "\\\\").replace('"', "\\\""));
    let mut out = String::from("digraph dependencies {\n  rankdir=LR;\n  node [shape=box];\n");
    for (from, to) in edges {
        let _ = writeln!(out, "  {} -> {};", quoted(from), quoted(to));
    }
    out.push_str("}\n");
    out
}

fn render_mermaid_graph(edges: &[(String, String)]) -> String {
    let mut out = String::from("graph LR\n");
    let mut ids: BTreeMap<&str, usize> = BTreeMap::new();
    for path in edges.iter().flat_map(|(from, to)| [from, to]) {
        let next = ids.len();
        ids.entry(path).or_insert(next);
    }
    let mut nodes: Vec<(usize, &str)> = ids.iter().map(|(path, id)| (*id, *path)).collect();
    nodes.sort_unstable();
    for (id, path) in nodes {
        let _ = writeln!(out, "  f{id}[\"{}\"]", path.replace('"', "#quot;"));
    }
    for (from, to) in edges {
        if let (Some(from), Some(to)) = (ids.get(from.as_str()), ids.get(to.as_str())) {
            let _ = writeln!(out, "  f{from} --> f{to}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{render_dot_graph, render_mermaid_graph};

    #[test]
    fn names_are_quoted() {
        let edges = [("a \"b\".py".to_owned(), "c.py".to_owned())];
        assert!(render_dot_graph(&edges).contains(r#"  "a \"b\".py" -> "c.py";"#));
        let drawn = render_mermaid_graph(&edges);
        assert_eq!(drawn, "graph LR\n  f0[\"a #quot;b#quot;.py\"]\n  f1[\"c.py\"]\n  f0 --> f1\n");
    }
}
