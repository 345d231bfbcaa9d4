//! The short help, which costs a model little: how each tool is called, and what it gives. The long help is that of the
//! grammar of the command line.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;

use peelback_tools::{AnyTool, OutputOptions, Parameter, ParameterType, all_tools, tool_by_name_or_alias};

use crate::commands;

/// The flag that asks for the short help.
const SHORT_HELP_FLAG: &str = "-h";

/// The short help that a command line asks for, without the name of the program: `-h`, or a tool and `-h`.
pub(crate) fn requested_short_help(arguments: &[OsString]) -> Option<String> {
    match arguments {
        [flag] if flag == SHORT_HELP_FLAG => Some(short_help()),
        [command, flag] if flag == SHORT_HELP_FLAG => Some(short_help_of_tool(tool_of_command(command)?)),
        _ => None,
    }
}

/// The tool that a command runs; `None` for the program's own commands.
fn tool_of_command(command: &OsStr) -> Option<&'static AnyTool> {
    let command = command.to_str()?;
    if commands::non_tool_command_by_name(command).is_some() { None } else { tool_by_name_or_alias(command) }
}

/// The usage and the options of one tool, one line for each; those that every tool has are in one line.
fn short_help_of_tool(tool: &AnyTool) -> String {
    let (common, own): (Vec<&Parameter>, Vec<&Parameter>) = tool
        .parameters()
        .iter()
        .partition(|parameter| OutputOptions::PARAMETER_NAMES.contains(&parameter.name.as_str()));
    let mut out = format!("{}\n\npeelback {}\n", tool.summary(), call_usage(tool));
    let options: Vec<(String, &Parameter)> = own.into_iter().map(|own| (option_usage(tool, own), own)).collect();
    let width = options.iter().map(|(usage, _)| usage.len()).filter(|width| *width <= MAX_OPTION_WIDTH).max();
    for (usage, parameter) in options {
        let _ = writeln!(out, "  {usage:width$}  {}", parameter.brief, width = width.unwrap_or(0));
    }
    let common: Vec<String> = common.into_iter().map(|option| option_usage(tool, option)).collect();
    let _ = writeln!(
        out,
        "every command: {} --json --all\npeelback {} --help has examples.",
        common.join(" "),
        tool.name.replace('_', "-")
    );
    out
}

/// The longest option to which the others are aligned, in bytes.
const MAX_OPTION_WIDTH: usize = 32;

/// The flags of a parameter with the values that it takes.
fn option_usage(tool: &AnyTool, parameter: &Parameter) -> String {
    let letter = tool.short_flags.iter().find(|(_, name)| *name == parameter.name);
    let letter = letter.map_or_else(String::new, |(letter, _)| format!("-{letter}, "));
    let flag = format!("{letter}--{}", parameter.name.replace('_', "-"));
    match (parameter.value_type, parameter.choices.is_empty()) {
        (ParameterType::Boolean, _) => flag,
        (_, false) => format!("{flag} {}", parameter.choices.join("|")),
        (ParameterType::Integer, true) => format!("{flag} N"),
        (ParameterType::String | ParameterType::Strings, true) => {
            let entries = parameter.entry_choices.join("|");
            format!("{flag} {}", if entries.is_empty() { parameter.name.to_uppercase() } else { entries })
        }
    }
}

/// One line for each tool: how it is called, and what it gives.
pub(crate) fn short_help() -> String {
    let tools = all_tools().iter().filter(|tool| commands::non_tool_command_by_name(tool.name).is_none());
    let calls: Vec<(String, &str)> = tools.map(|tool| (call_usage(tool), tool.summary())).collect();
    let width = calls.iter().map(|(usage, _)| usage.len()).max().unwrap_or(0);
    let mut out = "Shows a code base step by step, cheap steps first.\n\n".to_owned();
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
