//! The command-line flags of the parameters of tools.

use clap::{Arg, ArgAction};
use peelback_tools::{AnyTool, OutputOptions, Parameter, ParameterType, tool_by_name_or_alias};

use crate::arguments::command_line_path_value_parser;

/// Names of command-line flags that are not parameters of a tool, so that no parameter gets them as other names.
const COMMAND_LINE_ONLY_FLAGS: &[&str] = &["json", "vimgrep", "all"];

/// The command-line flags of the parameters of the tool named `name`, for the command of the same name that does more than
/// the tool: all that only the tool has, and the budget of the document. `is_other_flag` tells those that the command has
/// from elsewhere.
pub(crate) fn flags_of_own_tool_parameters(name: &str, is_other_flag: impl Fn(&str) -> bool) -> Vec<Arg> {
    let Some(tool) = tool_by_name_or_alias(name) else { return Vec::new() };
    let is_own = |parameter: &&Parameter| {
        let name = parameter.name.as_str();
        let is_shared = OutputOptions::PARAMETER_NAMES.contains(&name) && name != OutputOptions::MAX_TOKENS;
        !is_shared && !is_other_flag(name)
    };
    tool.parameters().iter().filter(is_own).map(|parameter| tool_parameter_flag(tool, parameter)).collect()
}

/// The command-line flag of a parameter.
pub(crate) fn tool_parameter_flag(tool: &AnyTool, parameter: &Parameter) -> Arg {
    let mut arg =
        Arg::new(parameter.name.clone()).long(parameter.name.replace('_', "-")).help(parameter.description.clone());
    if parameter.name.contains('_') {
        arg = arg.alias(parameter.name.clone());
    }
    let mut names: Vec<&str> = tool
        .aliases_of_parameter(parameter)
        .filter(|alias| !COMMAND_LINE_ONLY_FLAGS.contains(alias) && *alias != "root")
        .collect();
    names.sort_unstable();
    names.dedup();
    for alias in names {
        arg = arg.alias(alias.to_owned());
        if alias.contains('_') {
            arg = arg.alias(alias.replace('_', "-"));
        }
    }
    if let Some((letter, _)) = tool.short_flags.iter().find(|(_, name)| *name == parameter.name) {
        arg = arg.short(*letter);
    }
    if takes_free_text(parameter) && !is_search_pattern_parameter(parameter) {
        arg = arg.value_parser(command_line_path_value_parser());
    }
    let name = parameter.name.to_uppercase();
    match parameter.value_type {
        ParameterType::Boolean => arg.action(ArgAction::SetTrue),
        ParameterType::Strings => arg.action(ArgAction::Append).value_name(name).allow_hyphen_values(true),
        ParameterType::Integer => arg.value_name("N"),
        ParameterType::String if parameter.choices.is_empty() => arg.value_name(name).allow_hyphen_values(true),
        ParameterType::String => arg.value_name(parameter.choices.join("|")),
    }
}

/// Whether a parameter is searched for in the text of files, and names none of them.
pub(crate) fn is_search_pattern_parameter(parameter: &Parameter) -> bool {
    parameter.name == "pattern"
}

/// Whether the values of a parameter are free text.
fn takes_free_text(parameter: &Parameter) -> bool {
    matches!(parameter.value_type, ParameterType::String | ParameterType::Strings) && parameter.choices.is_empty()
}
