//! Rendering of dependencies as a graph for other programs: DOT and Mermaid. Everything except the graph is written as
//! comments.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use peelback_code::{Completeness, Evidence};

use super::rows::MAX_ROWS;
use crate::budget::Budget;
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::counted;
use crate::guard::{Alternative, OutputGuard, Overflow, Plan};
use crate::message::Message;
use crate::page::Page;
use crate::reply::{Content, Reply, ReplyStatus};
use crate::view::{Format, View};
use peelback_tokens::text::truncate_chars;

/// The reply that renders the dependencies between files as a graph, with as many edges as the budget allows.
pub(super) fn graph_reply(
    context: &CallContext,
    title: &str,
    edges: Vec<(String, String)>,
    evidence: &Evidence,
    view: &View,
    call: Call,
) -> Reply {
    let total = edges.len();
    let (edges, plan) = OutputGuard::new(view, MAX_ROWS).cap_items(edges, total, "dependencies");
    let status = if total == 0 { ReplyStatus::Empty } else { ReplyStatus::Found };
    let title = format!("{title}: {}", counted(total, "dependency", "dependencies"));
    let preview: String = edges.iter().take(8).map(|(from, to)| format!("  {from} -> {to}\n")).collect();
    let preview = format!("{title}\n{preview}");
    let mut graph = Graph { title, edges, evidence: evidence.clone(), plan: plan.paged(call), format: view.format };
    let budget = Budget::new(context, view);
    loop {
        let page = graph.page(context);
        if budget.admits(page.text()) || graph.edges.is_empty() {
            return Reply::new(status, preview, view.format, context, graph);
        }
        let kept = (graph.edges.len() as f64 * budget.share(page.text()) * 0.95) as usize;
        graph.edges.truncate(kept.min(graph.edges.len() - 1));
    }
}

/// A graph of dependencies between files. Each edge leads from a file to one of its dependencies.
struct Graph {
    title: String,
    edges: Vec<(String, String)>,
    evidence: Evidence,
    plan: Plan,
    format: Format,
}

/// The most characters of a comment line in the graph.
const COMMENT_CHARS: usize = 400;

impl Graph {
    /// The comments above the graph: a summary, the evidence, and follow-up calls.
    fn comments(&self) -> Vec<Message> {
        let evidence = &self.evidence;
        let mut comments = vec![Message::from(self.title.as_str())];
        if evidence.completeness != Completeness::Complete {
            let first = evidence.skipped.first();
            let first = first.map_or(String::new(), |skipped| format!("; {}: {}", skipped.path, skipped.reason));
            let completeness = evidence.completeness.as_str();
            comments.push(format!("evidence: {completeness}, {}{first}", evidence.analysis).into());
        }
        comments.extend(evidence.notes.iter().map(|note| Message::from(format!("note: {note}"))));
        if let Some(overflow) = self.plan.overflow(self.edges.len()) {
            comments.push(format!("shown: {} of {} {}", overflow.shown, overflow.total, self.plan.unit).into());
            comments.extend(
                overflow.alternatives.into_iter().map(|Alternative { call, gives }| {
                    Message::from("next: ").call(call).words(format!("  ({gives})"))
                }),
            );
        }
        comments
    }

    fn write_comments(&self, mark: &str, context: &CallContext, page: &mut Page) {
        for comment in self.comments() {
            let text = comment.text_for(context);
            let _ = write!(page, "{mark} ");
            if text.contains('\n') || text.chars().count() > COMMENT_CHARS {
                page.push_str(&truncate_chars(&text, COMMENT_CHARS).replace('\n', " "));
            } else {
                comment.write(context, page);
            }
            page.push('\n');
        }
    }
}

impl Content for Graph {
    fn page(&self, context: &CallContext) -> Page {
        let mut page = Page::default();
        match self.format {
            Format::Mermaid => {
                self.write_comments("%%", context, &mut page);
                page.push_str(&mermaid(&self.edges));
            }
            _ => {
                self.write_comments("//", context, &mut page);
                page.push_str(&dot(&self.edges));
            }
        }
        page
    }

    /// The graph as text: a graph reply has no JSON form.
    fn json(&self, context: &CallContext) -> String {
        self.page(context).into_text()
    }

    fn evidence(&self) -> Option<&Evidence> {
        Some(&self.evidence)
    }

    fn overflow(&self) -> Option<Overflow> {
        self.plan.overflow(self.edges.len())
    }
}

fn dot(edges: &[(String, String)]) -> String {
    let quoted = |path: &str| format!("\"{}\"", path.replace('\\', "\\\\").replace('"', "\\\""));
    let mut out = String::from("digraph dependencies {\n  rankdir=LR;\n  node [shape=box];\n");
    for (from, to) in edges {
        let _ = writeln!(out, "  {} -> {};", quoted(from), quoted(to));
    }
    out.push_str("}\n");
    out
}

fn mermaid(edges: &[(String, String)]) -> String {
    let mut out = String::from("graph LR\n");
    let mut ids: BTreeMap<&str, usize> = BTreeMap::new();
    for path in edges.iter().flat_map(|(from, to)| [from, to]) {
        let next = ids.len();
        ids.entry(path).or_insert(next);
    }
    let mut named: Vec<(usize, &str)> = ids.iter().map(|(path, id)| (*id, *path)).collect();
    named.sort_unstable();
    for (id, path) in named {
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
    use super::{dot, mermaid};

    #[test]
    fn names_are_quoted() {
        let edges = [("a \"b\".py".to_owned(), "c.py".to_owned())];
        assert!(dot(&edges).contains(r#"  "a \"b\".py" -> "c.py";"#));
        let drawn = mermaid(&edges);
        assert_eq!(drawn, "graph LR\n  f0[\"a #quot;b#quot;.py\"]\n  f1[\"c.py\"]\n  f0 --> f1\n");
    }
}
