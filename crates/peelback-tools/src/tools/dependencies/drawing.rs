//! Dependencies as a graph for other programs to draw: DOT and Mermaid. All that is not the graph stands in comments.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use peelback_code::{Completeness, Evidence};

use super::CAP;
use crate::answer::{Reply, ReplyStatus, clip, counted};
use crate::call::Call;
use crate::guard::{Budget, OutputGuard};
use crate::view::{Format, View};

/// The drawing of the dependencies between files, as many of them as the budget admits.
pub(super) fn reply(title: &str, edges: Vec<(String, String)>, evidence: &Evidence, view: &View, call: Call) -> Reply {
    let total = edges.len();
    let (mut edges, plan) = OutputGuard::of(view, CAP).cap_items(edges, total, "dependencies");
    let plan = plan.paged(call);
    let status = if total == 0 { ReplyStatus::Empty } else { ReplyStatus::Found };
    let preview: String = edges.iter().take(8).map(|(from, to)| format!("  {from} -> {to}\n")).collect();
    let preview = format!("{title}: {}\n{preview}", counted(total, "dependency", "dependencies"));
    let budget = Budget::of(view);
    loop {
        let mut lines = vec![format!("{title}: {}", counted(total, "dependency", "dependencies"))];
        if evidence.completeness != Completeness::Complete {
            let first = evidence.skipped.first();
            let first = first.map_or(String::new(), |skipped| format!("; {}: {}", skipped.path, skipped.reason));
            lines.push(format!("evidence: {}, {}{first}", evidence.completeness.as_str(), evidence.analysis));
        }
        lines.extend(evidence.notes.iter().map(|note| format!("note: {note}")));
        if let Some(overflow) = plan.overflow(edges.len()) {
            lines.push(format!("shown: {} of {} {}", overflow.shown, overflow.total, plan.unit));
            lines.extend(overflow.hint.lines().map(|call| format!("next: {call}")));
        }
        let lines: Vec<String> = lines.iter().map(|line| clip(line, 400).replace('\n', " ")).collect();
        let output = match view.format {
            Format::Mermaid => mermaid(&lines, &edges),
            _ => dot(&lines, &edges),
        };
        if budget.admits(&output) || edges.is_empty() {
            return Reply { output, status, preview };
        }
        let truncate = (edges.len() as f64 * budget.share(&output) * 0.95) as usize;
        edges.truncate(truncate.min(edges.len() - 1));
    }
}

fn dot(lines: &[String], edges: &[(String, String)]) -> String {
    let quoted = |path: &str| format!("\"{}\"", path.replace('\\', "\\\\").replace('"', "\\\""));
    let mut out = String::new();
    for line in lines {
        let _ = writeln!(out, "// {line}");
    }
    out.push_str("digraph dependencies {\n  rankdir=LR;\n  node [shape=box];\n");
    for (from, to) in edges {
        let _ = writeln!(out, "  {} -> {};", quoted(from), quoted(to));
    }
    out.push_str("}\n");
    out
}

fn mermaid(lines: &[String], edges: &[(String, String)]) -> String {
    let mut out = String::new();
    for line in lines {
        let _ = writeln!(out, "%% {line}");
    }
    out.push_str("graph LR\n");
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
        assert!(dot(&["x".to_owned()], &edges).contains(r#"  "a \"b\".py" -> "c.py";"#));
        let drawn = mermaid(&["x".to_owned()], &edges);
        assert_eq!(drawn, "%% x\ngraph LR\n  f0[\"a #quot;b#quot;.py\"]\n  f1[\"c.py\"]\n  f0 --> f1\n");
    }
}
