//! Writes a graph of files or of groups of files in the formats DOT and Mermaid.

use std::fmt::Write as _;

/// A graph as it is drawn.
#[derive(Debug, Default)]
pub(super) struct Drawing {
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
}

/// A box of the drawing.
#[derive(Debug)]
pub(super) struct Node {
    pub name: String,
    /// A second line of the box.
    pub note: Option<String>,
    /// Whether the box has a broken frame.
    pub is_aside: bool,
}

/// An arrow of the drawing, between two places in its nodes.
#[derive(Debug)]
pub(super) struct Edge {
    pub from: usize,
    pub to: usize,
    /// How many imports it stands for, where it may be several.
    pub weight: Option<usize>,
    pub closes_cycle: bool,
}

/// The colour of edges that close a cycle.
const CYCLE_COLOUR: &str = "#c00000";

impl Drawing {
    /// The graph for Graphviz.
    pub fn to_dot(&self) -> String {
        let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
        let mut out = String::from("digraph dependencies {\n  rankdir=LR;\n  node [shape=box];\n");
        for node in self.nodes.iter().filter(|node| node.note.is_some() || node.is_aside) {
            let note = node.note.as_ref().map_or(String::new(), |note| format!("\\n{note}"));
            let mut label = quoted(&node.name);
            label.insert_str(label.len() - 1, &note);
            let style = if node.is_aside { ", style=dashed" } else { "" };
            let _ = writeln!(out, "  {} [label={label}{style}];", quoted(&node.name));
        }
        for edge in &self.edges {
            let (Some(from), Some(to)) = (self.nodes.get(edge.from), self.nodes.get(edge.to)) else { continue };
            let mut attributes: Vec<String> = edge.weight.iter().map(|weight| format!("label={weight}")).collect();
            if edge.closes_cycle {
                attributes.push(format!("style=dashed, color=\"{CYCLE_COLOUR}\""));
            }
            let attributes =
                if attributes.is_empty() { String::new() } else { format!(" [{}]", attributes.join(", ")) };
            let _ = writeln!(out, "  {} -> {}{attributes};", quoted(&from.name), quoted(&to.name));
        }
        out.push_str("}\n");
        out
    }

    /// The graph for Mermaid.
    pub fn to_mermaid(&self) -> String {
        let mut out = String::from("graph LR\n");
        for (id, node) in self.nodes.iter().enumerate() {
            let note = node.note.as_ref().map_or(String::new(), |note| format!("<br/>{}", escape_for_mermaid(note)));
            let _ = writeln!(out, "  f{id}[\"{}{note}\"]", escape_for_mermaid(&node.name));
        }
        for edge in &self.edges {
            let arrow = if edge.closes_cycle { "-.->" } else { "-->" };
            let label = edge.weight.map_or(String::new(), |weight| format!("|{weight}|"));
            let _ = writeln!(out, "  f{} {arrow}{label} f{}", edge.from, edge.to);
        }
        let aside: Vec<String> =
            self.nodes.iter().enumerate().filter(|(_, node)| node.is_aside).map(|(id, _)| format!("f{id}")).collect();
        if !aside.is_empty() {
            let _ = writeln!(out, "  classDef aside stroke-dasharray: 4\n  class {} aside", aside.join(","));
        }
        let closing: Vec<String> = self
            .edges
            .iter()
            .enumerate()
            .filter(|(_, edge)| edge.closes_cycle)
            .map(|(index, _)| index.to_string())
            .collect();
        if !closing.is_empty() {
            let _ = writeln!(out, "  linkStyle {} stroke:{CYCLE_COLOUR}", closing.join(","));
        }
        out
    }
}

/// A text inside quotes, in which Mermaid reads entities, HTML and, behind a backtick, Markdown.
fn escape_for_mermaid(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => out.push_str("#quot;"),
            '#' => out.push_str("#35;"),
            '<' => out.push_str("#lt;"),
            '>' => out.push_str("#gt;"),
            '&' => out.push_str("#amp;"),
            '`' => out.push_str("#96;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Drawing, Edge, Node};

    fn drawing() -> Drawing {
        let node = |name: &str, note: Option<&str>, is_aside| Node {
            name: name.to_owned(),
            note: note.map(str::to_owned),
            is_aside,
        };
        Drawing {
            nodes: vec![node("a \"b\"/<#1>", Some("2 files"), false), node("c.py", None, true)],
            edges: vec![
                Edge { from: 0, to: 1, weight: Some(3), closes_cycle: false },
                Edge { from: 1, to: 0, weight: None, closes_cycle: true },
            ],
        }
    }

    #[test]
    fn names_are_quoted() {
        let dot = drawing().to_dot();
        assert!(dot.contains("  \"a \\\"b\\\"/<#1>\" [label=\"a \\\"b\\\"/<#1>\\n2 files\"];\n"), "{dot}");
        assert!(dot.contains("  \"c.py\" [label=\"c.py\", style=dashed];\n"), "{dot}");
        assert!(dot.contains("  \"a \\\"b\\\"/<#1>\" -> \"c.py\" [label=3];\n"), "{dot}");
        assert!(dot.contains("  \"c.py\" -> \"a \\\"b\\\"/<#1>\" [style=dashed, color=\"#c00000\"];\n"), "{dot}");
        let mermaid = drawing().to_mermaid();
        assert_eq!(
            mermaid,
            "graph LR\n  f0[\"a #quot;b#quot;/#lt;#35;1#gt;<br/>2 files\"]\n  f1[\"c.py\"]\n  f0 -->|3| f1\n  f1 -.-> f0\n  \
             classDef aside stroke-dasharray: 4\n  class f1 aside\n  linkStyle 1 stroke:#c00000\n"
        );
    }
}
