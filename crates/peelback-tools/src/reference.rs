//! The reference page of the tools, generated from their definitions.

use std::fmt::Write as _;

use crate::tool::AnyTool;
use crate::tools::{all_tools, write_limits_section};
use crate::view::OutputOptions;

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
    let view = OutputOptions::PARAMETER_NAMES;
    out.push_str("\nEvery tool takes:\n\n");
    if let Some(tool) = all_tools().first() {
        for parameter in tool.parameters().iter().filter(|parameter| view.contains(&parameter.name.as_str())) {
            let _ =
                writeln!(out, "- `{}` ({}): {}", parameter.name, parameter.value_type.as_str(), parameter.description);
        }
    }
    write_formats(all_tools(), &mut out);
    write_limits_section(&mut out);
    for tool in all_tools() {
        write_tool_section(tool, &mut out);
    }
    out
}

/// Writes the formats of all tools, and those that only some have, with these tools.
fn write_formats(tools: &[AnyTool], out: &mut String) {
    let mut tools_of_formats: Vec<(&str, Vec<&str>)> = Vec::new();
    for tool in tools {
        let format = tool.parameter_by_exact_name(OutputOptions::FORMAT);
        for name in format.into_iter().flat_map(|format| &format.choices).map(String::as_str) {
            match tools_of_formats.iter_mut().find(|(known, _)| *known == name) {
                Some((_, having)) => having.push(tool.name),
                None => tools_of_formats.push((name, vec![tool.name])),
            }
        }
    }
    let parts: Vec<String> = tools_of_formats
        .into_iter()
        .map(|(format, having)| match having.len() == tools.len() {
            true => format!("`{format}`"),
            false => format!("`{format}` of {}", having.join(", ")),
        })
        .collect();
    let _ = writeln!(out, "\nFormats: {}.", parts.join("; "));
}

fn write_tool_section(tool: &AnyTool, out: &mut String) {
    let _ = writeln!(out, "\n## {}\n\n{}\n", tool.name, tool.description());
    for parameter in tool.parameters().iter().filter(|parameter| !parameter.is_shared_by_all_tools()) {
        let required = if parameter.is_required { ", required" } else { "" };
        let are_all_described = parameter.choice_descriptions.iter().all(|meaning| !meaning.is_empty());
        let (entries, choices) = (&parameter.entry_choices, &parameter.choices);
        let values = match (choices.as_slice(), entries.as_slice()) {
            ([_, ..], _) if !are_all_described => format!(" One of {}.", choices.join(", ")),
            ([], [_, ..]) => format!(" One or more of {}.", entries.join(", ")),
            _ => String::new(),
        };
        let (kind, description) = (parameter.value_type.as_str(), parameter.full_description());
        let _ = writeln!(out, "- `{}` ({kind}{required}): {description}{values}", parameter.name);
    }
    out.push_str("\n```sh\n");
    for example in tool.examples {
        let _ = writeln!(out, "peelback {example}");
    }
    out.push_str("```\n");
}
