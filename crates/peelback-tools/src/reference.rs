//! The reference page of the tools, generated from their definitions.

use std::fmt::Write as _;

use crate::tool::AnyTool;
use crate::tools::{all_tools, write_limits_section};

/// The reference page of all tools, in Markdown.
pub fn tools_reference_markdown() -> String {
    let mut out = String::from(
        "# Tools\n\nMade from the tools' own definitions; a test fails where this page is stale. \
         `peelback TOOL --help` says the same.\n\n| tool | also | gives |\n| --- | --- | --- |\n",
    );
    for tool in all_tools() {
        let aliases: Vec<String> = tool.aliases.iter().map(|alias| format!("`{alias}`")).collect();
        let _ = writeln!(out, "| `{}` | {} | {} |", tool.name, aliases.join(", "), tool.summary());
    }
    let view = crate::view::OutputOptions::PARAMETER_NAMES;
    out.push_str("\nEvery tool takes:\n\n");
    if let Some(tool) = all_tools().first() {
        for parameter in tool.parameters().iter().filter(|parameter| view.contains(&parameter.name.as_str())) {
            let _ =
                writeln!(out, "- `{}` ({}): {}", parameter.name, parameter.value_type.as_str(), parameter.description);
        }
    }
    write_limits_section(&mut out);
    for tool in all_tools() {
        write_tool_section(tool, &view, &mut out);
    }
    out
}

fn write_tool_section(tool: &AnyTool, view: &[&str], out: &mut String) {
    let _ = writeln!(out, "\n## {}\n\n{}\n", tool.name, tool.description());
    for parameter in tool.parameters().iter().filter(|parameter| !view.contains(&parameter.name.as_str())) {
        let required = if parameter.is_required { ", required" } else { "" };
        let choices = if parameter.choices.is_empty() {
            String::new()
        } else {
            format!(" One of {}.", parameter.choices.join(", "))
        };
        let kind = parameter.value_type.as_str();
        let _ = writeln!(out, "- `{}` ({kind}{required}): {}{choices}", parameter.name, parameter.description);
    }
    out.push_str("\n```sh\n");
    for example in tool.examples {
        let _ = writeln!(out, "peelback {example}");
    }
    out.push_str("```\n");
}
