//! The short help: how each tool is called, and what it gives.

use std::fmt::Write as _;

use peelback_tools::{AnyTool, ParameterType, all_tools};

use crate::commands;

/// The help of `peelback -h`, which costs a model little: one line for each tool.
pub(crate) fn short_help() -> String {
    let tools = all_tools().iter().filter(|tool| commands::non_tool_command_by_name(tool.name).is_none());
    let calls: Vec<(String, &str)> = tools.map(|tool| (call_usage(tool), tool.summary())).collect();
    let width = calls.iter().map(|(usage, _)| usage.len()).max().unwrap_or(0);
    let mut out = "Looks at a code base in steps that cost more each.\n\n".to_owned();
    for (usage, summary) in calls {
        let _ = writeln!(out, "peelback {usage:width$}  {summary}");
    }
    out.push_str("\npeelback COMMAND -h has the options of a command, peelback --help all commands.\n");
    out
}

/// The command of a tool with what stands behind it without a flag.
fn call_usage(tool: &AnyTool) -> String {
    let mut usage = tool.name.replace('_', "-");
    let parameters = tool.parameters();
    for name in tool.positional_parameters {
        let parameter = parameters.iter().find(|parameter| parameter.name == *name);
        let is_list = parameter.is_some_and(|parameter| parameter.value_type == ParameterType::Strings);
        let word = format!("{}{}", name.to_uppercase(), if is_list { "..." } else { "" });
        let _ = match parameter.is_some_and(|parameter| parameter.is_required) {
            true => write!(usage, " {word}"),
            false => write!(usage, " [{word}]"),
        };
    }
    usage
}
