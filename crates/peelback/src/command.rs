//! The grammar of the program's command line, generated from the list of tools.

use std::ffi::OsString;
use std::path::Path;

use clap::{Arg, ArgAction, ArgMatches, Command, builder::PossibleValuesParser};
use peelback_code::syntax::language;
use peelback_code::{existing_path_of_text, text_of_path};
use peelback_tools::{AnyTool, Format, OutputOptions, Parameter, ParameterType, all_tools, tool_by_name_or_alias};
use serde_json::{Map, Value};

use crate::arguments::command_line_path_value_parser;
use crate::commands;
use crate::question_file;
use crate::tool_flags::{is_search_pattern_parameter, tool_parameter_flag};

/// The id of the command-line argument that collects a tool's positional values.
const POSITIONAL_VALUES: &str = "values";

/// The name of the tool parameter that takes a question in natural language, and the other name of that parameter.
const QUESTION_PARAMETER_NAMES: (&str, &str) = ("query", "question");

/// The command-line flag that names a file with the question, for a tool that takes one.
const QUESTION_FILE_FLAG: &str = "question_file";

/// The command-line flag that shows the contribution of each ranking signal to each search result, which needs full
/// detail.
const EXPLAIN_FLAG: &str = "explain";

/// The number of search results whose ranking is explained where the call gives no limit.
const DEFAULT_EXPLAINED_RESULTS: usize = 10;

const EXAMPLES: &str = "\
Examples:
  peelback tree                                  the map of this repository
  peelback outline src/main.rs                   the shape of a file
  peelback read-symbol src/main.rs Editor.apply  one body, with what it needs
  peelback read-lines src/main.rs 10-40          exact lines
  peelback grep 'fn \\w+_test' src -C 2           text, with the symbol around each hit
  peelback find-files how does authentication work

Exit codes: 0 answer, 1 nothing found, 2 bad usage, 3 failure.
Every call that an answer names runs as it stands.";

/// The command-line grammar for a command line that begins with `first_word`: only that command's grammar where the
/// word is a command, otherwise the grammar of all commands. Building all of it takes longer than many answers.
pub fn command_line_grammar_for_first_word(first_word: Option<&str>) -> Command {
    let tool = first_word.and_then(tool_by_name_or_alias);
    let non_tool_command = first_word.and_then(commands::non_tool_command_by_name);
    match (tool, non_tool_command) {
        (Some(tool), None) => command_line_grammar_without_subcommands().subcommand(tool_command_grammar(tool)),
        // The program's own command takes precedence over the tool with the same name, because the command does more.
        (_, Some(own)) => command_line_grammar_without_subcommands().subcommand((own.build_grammar)().name(own.name)),
        _ => full_command_line_grammar(),
    }
}

/// The whole command-line grammar of the program, with all its commands.
pub fn full_command_line_grammar() -> Command {
    let mut command = command_line_grammar_without_subcommands();
    for tool in all_tools().iter().filter(|tool| commands::non_tool_command_by_name(tool.name).is_none()) {
        command = command.subcommand(tool_command_grammar(tool));
    }
    for non_tool_command in commands::all_non_tool_commands() {
        command = command.subcommand((non_tool_command.build_grammar)().name(non_tool_command.name));
    }
    command
}

/// The command-line grammar of the program without its subcommands.
fn command_line_grammar_without_subcommands() -> Command {
    Command::new("peelback")
        .version(env!("CARGO_PKG_VERSION"))
        .about(
            "Shows a code base step by step: the map, a file's outline, one symbol, exact lines, the whole file last.",
        )
        .after_help(EXAMPLES)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .max_term_width(100)
        .arg(
            Arg::new("threads")
                .long("threads")
                .value_name("N")
                .global(true)
                .value_parser(clap::value_parser!(u16).range(1..=256))
                .hide_short_help(true)
                .help("Threads to use; by default one for each core"),
        )
        .arg(
            Arg::new("no_cache")
                .long("no-cache")
                .global(true)
                .hide_short_help(true)
                .action(ArgAction::SetTrue)
                .help("Neither reads nor writes the cache on disk"),
        )
        .arg(
            Arg::new("color")
                .long("color")
                .value_name("WHEN")
                .global(true)
                .hide_short_help(true)
                .default_value("auto")
                .value_parser(PossibleValuesParser::new(["auto", "always", "never"]))
                .help("Colour: auto (on a terminal, unless NO_COLOR is set), always, never"),
        )
}

fn tool_command_grammar(tool: &'static AnyTool) -> Command {
    let name = tool.name.replace('_', "-");
    let mut command = Command::new(name.clone())
        .about(tool.summary().to_owned())
        .long_about(tool.description().to_owned())
        .after_help(format!(
            "Examples:\n{}",
            tool.examples
                .iter()
                .map(|example| format!("  peelback {}\n", tool_example_as_command_line(tool, example)))
                .collect::<String>()
        ));
    let mut names: Vec<String> = Vec::new();
    for alias in std::iter::once(&tool.name).chain(tool.aliases) {
        names.push((*alias).to_owned());
        names.push(alias.replace('_', "-"));
    }
    names.sort();
    names.dedup();
    names.retain(|alias| *alias != name);
    for alias in names {
        let is_visible = tool.aliases.first().is_some_and(|first| *first == alias && !alias.contains('_'));
        command = if is_visible { command.visible_alias(alias) } else { command.alias(alias) };
    }
    if !tool.positional_parameters.is_empty() {
        let usage: Vec<String> = tool.positional_parameters.iter().map(|name| name.to_uppercase()).collect();
        let flags: Vec<String> =
            tool.positional_parameters.iter().map(|name| format!("--{}", name.replace('_', "-"))).collect();
        let help = format!("The same as {}", flags.join(" "));
        command = command.arg(
            Arg::new(POSITIONAL_VALUES)
                .num_args(0..)
                .value_parser(clap::value_parser!(OsString))
                .value_name(usage.join("] ["))
                .help(help),
        );
    }
    for parameter in tool.parameters() {
        command = command.arg(tool_parameter_flag(tool, parameter));
    }
    if has_question_parameter(tool) {
        command = command.arg(
            Arg::new(QUESTION_FILE_FLAG)
                .long("question-file")
                .alias(QUESTION_FILE_FLAG)
                .value_name("FILE")
                .value_parser(command_line_path_value_parser())
                .help("A file with the query, - for the standard input"),
        );
        command = command.arg(
            Arg::new(EXPLAIN_FLAG)
                .long(EXPLAIN_FLAG)
                .action(ArgAction::SetTrue)
                .help("Shows what each signal gave each of the best"),
        );
    }
    for (letter, long) in tool.ignored_flags {
        command = command.arg(Arg::new(*long).short(*letter).long(*long).action(ArgAction::SetTrue).hide(true));
    }
    command
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .help("The answer as JSON, whole unless a limit or a budget is given: --format json"),
        )
        .arg(
            Arg::new("vimgrep")
                .long("vimgrep")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["json", "format"])
                .hide(!has_list_of_places(tool))
                .help("The rows as path:line:column:text, as editors read them, whole unless a limit or a budget is given: --format vimgrep"),
        )
        .arg(
            Arg::new("all")
                .long("all")
                .action(ArgAction::SetTrue)
                .help("Lifts every cap: all rows in full detail, no budget"),
        )
}

/// Whether the rows of a tool are places, which the format `vimgrep` lists.
fn has_list_of_places(tool: &AnyTool) -> bool {
    let format = tool.parameters().iter().find(|parameter| parameter.name == OutputOptions::FORMAT);
    format.is_some_and(|format| format.choices.iter().any(|choice| choice == Format::Vimgrep.as_str()))
}

/// Whether a tool takes a question in natural language, which can be a whole bug report.
fn has_question_parameter(tool: &AnyTool) -> bool {
    let query = tool.parameters().iter().find(|parameter| parameter.name == QUESTION_PARAMETER_NAMES.0);
    query.is_some_and(|query| tool.aliases_of_parameter(query).any(|name| name == QUESTION_PARAMETER_NAMES.1))
}

/// An example call of a tool in command-line spelling, with dashes instead of underscores.
fn tool_example_as_command_line(tool: &AnyTool, example: &str) -> String {
    let mut example = example.replacen(tool.name, &tool.name.replace('_', "-"), 1);
    for parameter in tool.parameters() {
        let flag = format!("--{}", parameter.name);
        example = example.replace(&flag, &flag.replace('_', "-"));
    }
    example
}

/// Converts a parsed command line to the arguments of a tool call. Numbers stay text, which the tool converts.
///
/// When there are more positional values than the tool accepts, or the question file cannot be read.
pub fn tool_arguments_from_matches(tool: &AnyTool, matches: &ArgMatches) -> Result<Value, String> {
    let mut arguments = Map::new();
    for parameter in tool.parameters() {
        let name = parameter.name.as_str();
        let value = match parameter.value_type {
            ParameterType::Boolean => matches.get_flag(name).then_some(Value::Bool(true)),
            ParameterType::Strings => matches
                .get_many::<String>(name)
                .map(|values| Value::Array(values.map(|value| Value::String(value.clone())).collect())),
            ParameterType::Integer | ParameterType::String => {
                matches.get_one::<String>(name).map(|value| Value::String(value.clone()))
            }
        };
        if let Some(value) = value {
            arguments.insert(name.to_owned(), value);
        }
    }
    if has_question_parameter(tool)
        && let Some(file) = matches.get_one::<String>(QUESTION_FILE_FLAG)
    {
        arguments.insert(QUESTION_PARAMETER_NAMES.0.to_owned(), question_file::read_question_file(file)?.into());
    }
    if has_question_parameter(tool) && matches.get_flag(EXPLAIN_FLAG) {
        // Only full detail shows the ranking signals, so `--explain` selects full detail.
        arguments.insert("detail_level".to_owned(), "full".into());
        arguments.entry("limit").or_insert_with(|| DEFAULT_EXPLAINED_RESULTS.into());
    }
    if !tool.positional_parameters.is_empty() {
        let values: Vec<OsString> =
            matches.get_many::<OsString>(POSITIONAL_VALUES).map(|values| values.cloned().collect()).unwrap_or_default();
        assign_positional_values_to_parameters(tool, values, &mut arguments)?;
    }
    for format in [Format::Json, Format::Vimgrep] {
        if matches.get_flag(format.as_str()) {
            arguments.insert(OutputOptions::FORMAT.to_owned(), format.as_str().into());
        }
    }
    // A program that reads the answer asks for all of it, unless it names how much.
    let is_for_program = requested_format(&arguments).is_some_and(Format::is_for_programs);
    if is_for_program && !["limit", "offset", "max_tokens"].iter().any(|name| arguments.contains_key(*name)) {
        arguments.insert("max_tokens".to_owned(), 0.into());
    }
    if matches.get_flag("all") {
        arguments.entry("detail_level").or_insert_with(|| "full".into());
        arguments.entry("limit").or_insert_with(|| u32::MAX.into());
        arguments.entry("max_tokens").or_insert_with(|| 0.into());
    }
    Ok(Value::Object(arguments))
}

/// The format that the arguments of a tool call ask for, if they name one that exists.
pub fn requested_format(arguments: &Map<String, Value>) -> Option<Format> {
    arguments.get(OutputOptions::FORMAT).and_then(Value::as_str).and_then(Format::from_name)
}

/// The text of a positional value for a parameter. A value that is no UTF-8 is the name of a file, except where it is a
/// pattern, in which an escape would mean another byte.
fn positional_value_to_text(value: OsString, parameter: &Parameter) -> Result<String, String> {
    value.into_string().or_else(|value| {
        let text = text_of_path(Path::new(&value));
        if is_search_pattern_parameter(parameter) {
            Err(format!("{} is not UTF-8: {text}", parameter.name))
        } else {
            Ok(text)
        }
    })
}

/// The name of the parameter with the path in which a tool looks for names.
const PATH_PARAMETER: &str = "path";

/// Whether a value may be meant as a path, and not as a symbol's name or id: it exists, it is a glob, or it is written like
/// the path of a file.
fn may_be_path(value: &str, root: Option<&str>) -> bool {
    let exists = |folder: &str| {
        let folder = Path::new(folder);
        folder.join(existing_path_of_text(folder, value)).exists()
    };
    let is_file_name =
        || language::language_of_file_name(value.rsplit('/').next().unwrap_or(value)).is_some() && !value.contains(':');
    value.is_empty()
        || exists(".")
        || root.is_some_and(exists)
        || value.contains(['*', '?', '{'])
        || value.contains('/') && !value.contains(':')
        || is_file_name()
}

/// Assigns positional values of the command line to the tool parameters that accept them: to required parameters first,
/// in the order in which the tool declares them.
fn assign_positional_values_to_parameters(
    tool: &AnyTool,
    values: Vec<OsString>,
    arguments: &mut Map<String, Value>,
) -> Result<(), String> {
    let parameter = |name: &str| tool.parameters().iter().find(|parameter| parameter.name == name);
    let unset_parameters: Vec<&Parameter> = tool
        .positional_parameters
        .iter()
        .filter(|name| !arguments.contains_key(**name))
        .filter_map(|name| parameter(name))
        .collect();
    // Of a tool that takes several names, the first value is a path only where it looks like one.
    let takes_several = unset_parameters.last().is_some_and(|last| last.value_type == ParameterType::Strings);
    let root = arguments.get("root").and_then(Value::as_str).map(str::to_owned);
    // What has no other place is a path, even if there is nothing at it: the tool says so, with what was meant.
    let is_only_path = unset_parameters.len() == 1;
    let is_first_a_path = values.first().is_some_and(|first| may_be_path(&first.to_string_lossy(), root.as_deref()));
    let unset_parameters: Vec<&Parameter> = unset_parameters
        .into_iter()
        .filter(|parameter| {
            !takes_several
                || parameter.name != PATH_PARAMETER
                || parameter.is_required
                || is_first_a_path
                || is_only_path
        })
        .collect();
    let mut optional =
        values.len().saturating_sub(unset_parameters.iter().filter(|parameter| parameter.is_required).count());
    let mut required = values.len() - optional.min(values.len());
    let assigned_parameters: Vec<&Parameter> = unset_parameters
        .into_iter()
        .filter(|parameter| {
            let remaining = if parameter.is_required { &mut required } else { &mut optional };
            let is_assigned = *remaining > 0;
            *remaining = remaining.saturating_sub(1);
            is_assigned
        })
        .collect();
    let Some(last) = assigned_parameters.last() else {
        return match values.first() {
            Some(value) => Err(format!("{} does not take {value:?} by position: give the parameter's flag", tool.name)),
            None => Ok(()),
        };
    };
    let extra_count = values.len() - assigned_parameters.len();
    let mut values = values.into_iter();
    for parameter in &assigned_parameters {
        let Some(value) = values.next() else { break };
        arguments.insert(parameter.name.clone(), positional_value_to_text(value, parameter)?.into());
    }
    if extra_count == 0 {
        return Ok(());
    }
    let extra_values: Vec<String> =
        values.map(|value| positional_value_to_text(value, last)).collect::<Result<_, _>>()?;
    let first_value = arguments.get(&last.name).and_then(Value::as_str).unwrap_or("").to_owned();
    let joined_value = match (last.value_type, tool.positional_parameters.len()) {
        (ParameterType::Strings, _) => {
            Value::Array(std::iter::once(first_value).chain(extra_values).map(Value::String).collect())
        }
        // The words of a question are joined, so that a question on the command line needs no quotes.
        (ParameterType::String, 1) if last.name == "query" => {
            Value::String(std::iter::once(first_value).chain(extra_values).collect::<Vec<_>>().join(" "))
        }
        _ => {
            let name = tool.name.replace('_', "-");
            let extra = extra_values.first().map_or("", String::as_str);
            return Err(format!(
                "{name} takes one {}, not also {extra:?}: name a folder, or quote a glob ('src/*.rs')",
                last.name
            ));
        }
    };
    arguments.insert(last.name.clone(), joined_value);
    Ok(())
}
