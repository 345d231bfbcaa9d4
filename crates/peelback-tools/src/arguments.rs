//! Conversion of a caller's arguments to typed parameters. Aliases of parameters are accepted, and strings that clearly
//! mean a number or a boolean are converted. Anything else is an error that suggests the nearest name or value.

use peelback_code::{CodeAccess, find_similar_names};
use peelback_tokens::text::truncate_chars_and_add_ellipsis;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Map, Value};

use crate::call::Call;
use crate::counts::format_with_thousands_separators;
use crate::parameter::{Parameter, ParameterType};
use crate::recoverable_error::RecoverableError;
use crate::sample_arguments;
use crate::tool::AnyTool;
use crate::view::{Format, OutputOptions};

/// Aliases that agents use for parameters common to many tools, each with the parameter's name.
pub(crate) const SHARED_PARAMETER_ALIASES: &[(&str, &str)] = &[
    ("file_path", "path"),
    ("filepath", "path"),
    ("file", "path"),
    ("filename", "path"),
    ("relative_path", "path"),
    ("directory", "path"),
    ("dir", "path"),
    ("folder", "path"),
    ("root_path", "root"),
    ("project_root", "root"),
    ("max_results", "limit"),
    ("count", "limit"),
    ("detail", "detail_level"),
    ("token_budget", "max_tokens"),
    ("paths", "path"),
    ("names", "name"),
    ("head_limit", "limit"),
    ("max_depth", "depth"),
];

/// The limit on the characters of a text among the arguments (a name, a path, a glob) of a parameter that has no limit of
/// its own ([`Tool::LONG_TEXT_PARAMETERS`](crate::tool::Tool::LONG_TEXT_PARAMETERS)): the longest path that systems take.
pub const MAX_TEXT_CHARS: usize = 4_096;

/// The limit on the characters of a question. Of a longer one that is within this limit, the first part counts.
pub(crate) const MAX_QUESTION_CHARS: usize = 1 << 20;

/// The limit on the characters of a pattern that is searched for in text.
pub(crate) const MAX_PATTERN_CHARS: usize = 1 << 16;

/// The limit on the items of a list among the arguments.
pub(crate) const MAX_LIST_ITEMS: usize = 1_000;

/// The limit on the characters of all items of a list together.
pub(crate) const MAX_LIST_CHARS: usize = 1 << 16;

/// The limit on the items of a list of paths: a shell writes one for each file that its wildcards match.
pub(crate) const MAX_LISTED_PATHS: usize = 10_000;

/// The limit on the characters of all items of a list of paths together.
pub(crate) const MAX_LISTED_PATHS_CHARS: usize = 1 << 20;

/// The name of the parameter whose list may hold the paths of many files.
const PATHS_PARAMETER: &str = "scope";

/// The limit on the arguments of a call.
const MAX_ARGUMENTS: usize = 100;

/// The maximum number of characters of the name of an unknown parameter in an error.
const MAX_SHOWN_NAME_CHARS: usize = 80;

/// An error about the arguments of a call that a tool rejects, with corrected arguments for an example call.
#[derive(Debug)]
pub(crate) struct InvalidArguments {
    /// The error message.
    error: String,
    /// The parameter name or value that the caller probably meant, where one is similar.
    suggestion: Option<String>,
    /// The valid arguments, and the corrected invalid ones, for an example call.
    arguments: Map<String, Value>,
}

impl InvalidArguments {
    fn new(error: impl Into<String>) -> Self {
        Self { error: error.into(), suggestion: None, arguments: Map::new() }
    }

    /// The error as one that the caller can correct, with an example call that works. `are_accepted` says whether the
    /// tool takes arguments that are complete: one that was given may be of the right type and too large.
    pub fn into_recoverable_error(
        mut self,
        tool: &AnyTool,
        access: &CodeAccess,
        are_accepted: impl Fn(&Map<String, Value>) -> bool,
    ) -> RecoverableError {
        // An example with a path that does not exist would fail too, so that path is removed.
        let is_entry = |value: &Value| value.as_str().is_some_and(|path| access.project().find_entry(path).is_some());
        let exists =
            |value: &Value| value.as_array().map_or_else(|| is_entry(value), |paths| paths.iter().all(is_entry));
        if self.arguments.get("path").is_some_and(|path| !exists(path)) {
            self.arguments.shift_remove("path");
        }
        sample_arguments::fill_missing_required_arguments_with_samples(tool, access, &mut self.arguments);
        if !are_accepted(&self.arguments) {
            self.arguments.clear();
            sample_arguments::fill_missing_required_arguments_with_samples(tool, access, &mut self.arguments);
        }
        let call = self
            .arguments
            .into_iter()
            .fold(Call::new(tool.name), |call, (name, value)| call.with_argument(&name, value));
        let meant =
            self.suggestion.map_or_else(|| "for example: ".to_owned(), |meant| format!("did you mean {meant}? "));
        RecoverableError::of_invalid_arguments(self.error).with_hint_and_call(meant, call)
    }
}

/// Converts the arguments of a call to the canonical names and the types of the tool's parameters.
pub(crate) fn normalise_arguments(tool: &AnyTool, given: Value) -> Result<Value, InvalidArguments> {
    let given = match given {
        Value::Object(given) => given,
        Value::Null => Map::new(),
        // Models write an object as text, and what a host cuts has no end.
        Value::String(text) if text.trim_start().starts_with('{') => {
            let reason = match serde_json::from_str::<IgnoredAny>(&text) {
                Ok(_) => "a text".to_owned(),
                Err(error) => format!("a string that is not JSON: {error}"),
            };
            return Err(InvalidArguments::new(format!("arguments must be an object, not {reason}")));
        }
        other => {
            return Err(InvalidArguments::new(format!(
                "arguments must be an object, not {}",
                abbreviate_json_value(&other)
            )));
        }
    };
    if given.len() > MAX_ARGUMENTS {
        return Err(InvalidArguments::new(format!(
            "{} arguments were given; the limit is {MAX_ARGUMENTS}",
            format_with_thousands_separators(given.len() as u64)
        )));
    }
    let given = adapt_line_arguments_to_tool(tool, given);
    let mut arguments = Map::new();
    let mut invalid: Option<InvalidArguments> = None;
    for (name, value) in given {
        if tool.ignored_arguments.contains(&to_snake_case(name.trim_start_matches('-')).as_str()) {
            continue;
        }
        let found =
            tool.parameter_by_name_alias_or_flag(&name).ok_or_else(|| unknown_parameter_error(tool, &name, &value));
        let (parameter, value) = match found {
            Ok(_) if value.is_null() => continue,
            Ok(parameter) => match convert_argument_to_parameter_type(parameter, value)
                .and_then(|value| require_value_within_limits(tool, parameter, value))
            {
                Ok(value) => (parameter, value),
                Err(wrong) => {
                    arguments.extend(wrong.arguments.clone());
                    invalid.get_or_insert(wrong);
                    continue;
                }
            },
            Err(wrong) => {
                for (name, value) in wrong.arguments.clone() {
                    arguments.entry(name).or_insert(value);
                }
                invalid.get_or_insert(wrong);
                continue;
            }
        };
        if arguments.insert(parameter.name.clone(), value).is_some() && invalid.is_none() {
            invalid =
                Some(InvalidArguments::new(format!("{} is given under two names, one of them {name}", parameter.name)));
        }
    }
    for parameter in tool.parameters().iter().filter(|parameter| parameter.is_required) {
        if !arguments.contains_key(&parameter.name) && invalid.is_none() {
            invalid = Some(InvalidArguments::new(format!(
                "{} needs {}: {}",
                tool.name, parameter.name, parameter.description
            )));
        }
    }
    match invalid {
        Some(invalid) => Err(InvalidArguments { arguments, ..invalid }),
        None => Ok(Value::Object(arguments)),
    }
}

/// Converts the arguments for the first and last line, as the tools of other programs accept them, to this tool's form:
/// ranges, or an offset and a limit.
fn adapt_line_arguments_to_tool(tool: &AnyTool, mut given: Map<String, Value>) -> Map<String, Value> {
    const FIRST: &[&str] = &["start", "start_line", "line_start", "from_line", "first_line", "begin_line"];
    const LAST: &[&str] = &["end", "end_line", "line_end", "to_line", "last_line"];
    let has_parameter = |name: &str| tool.parameters().iter().any(|parameter| parameter.name == name);
    let (takes_ranges, takes_raw) = (has_parameter("ranges"), has_parameter("raw"));
    if !takes_ranges && !takes_raw || given.contains_key("ranges") {
        return given;
    }
    let key = |names: &[&str]| given.keys().find(|key| names.contains(&to_snake_case(key).as_str())).cloned();
    let (first, last) = (key(FIRST), key(LAST));
    let number = |key: &Option<String>| {
        let value = given.get(key.as_ref()?)?;
        value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
    };
    let lines = (number(&first), number(&last));
    let (from, to) = match lines {
        (None, None) => return given,
        (from, to) => (from.unwrap_or(1).max(1), to),
    };
    for key in [first, last].into_iter().flatten() {
        given.shift_remove(&key);
    }
    if takes_ranges {
        let to = to.map_or(String::new(), |to| to.to_string());
        given.insert("ranges".to_owned(), vec![format!("{from}-{to}")].into());
    } else {
        given.insert("offset".to_owned(), (from - 1).into());
        if let Some(to) = to.filter(|to| *to >= from) {
            given.insert("limit".to_owned(), (to - from + 1).into());
        }
    }
    given
}

/// Deserializes arguments with canonical names and types as the tool's parameter type.
pub(crate) fn deserialize_arguments<P: DeserializeOwned>(arguments: Value) -> Result<P, InvalidArguments> {
    serde_json::from_value(arguments).map_err(|error| InvalidArguments::new(error.to_string()))
}

/// A JSON value as text of at most 80 characters, for an error message.
fn abbreviate_json_value(value: &Value) -> String {
    truncate_chars_and_add_ellipsis(&value.to_string(), 80).into_owned()
}

/// The format and the budget that the arguments of a call seem to request before they are checked. An error about the
/// arguments is rendered with them.
pub(crate) fn guess_requested_format_and_budget(tool: &AnyTool, given: &Value) -> OutputOptions {
    let value = |name: &str| {
        let is_named =
            |given: &str| tool.parameter_by_name_alias_or_flag(given).is_some_and(|parameter| parameter.name == name);
        given.as_object()?.iter().find_map(|(given, value)| is_named(given).then_some(value))
    };
    let is_json = value("format").and_then(Value::as_str).and_then(Format::from_name) == Some(Format::Json);
    let max_tokens =
        value("max_tokens").and_then(|value| value.as_u64().or_else(|| value.as_str()?.trim().parse().ok()));
    OutputOptions {
        format: if is_json { Format::Json } else { Format::Text },
        max_tokens: max_tokens.and_then(|tokens: u64| usize::try_from(tokens).ok()),
        ..OutputOptions::default()
    }
}

impl AnyTool {
    /// The parameter to which the argument named `given` refers, by name, alias or short flag.
    pub fn parameter_by_name_alias_or_flag(&self, given: &str) -> Option<&Parameter> {
        // A single-letter flag such as `-i`, as in a shell.
        if let Some(letter) = given.strip_prefix('-').filter(|rest| rest.chars().count() == 1) {
            let flag = self.short_flags.iter().find(|(own, _)| letter.starts_with(*own));
            return flag.and_then(|(_, name)| self.parameter_by_exact_name(name));
        }
        let snake = to_snake_case(given.trim_start_matches('-'));
        let by_alias = |given: &str| {
            let meant = self.parameter_aliases.iter().filter(|(alias, _)| *alias == given);
            meant.into_iter().find_map(|(_, name)| self.parameter_by_exact_name(name))
        };
        self.parameter_by_exact_name(&snake)
            .or_else(|| by_alias(&snake))
            // Shared aliases come last: another tool's `path` may be the `scope` of this tool.
            .or_else(|| {
                let shared = SHARED_PARAMETER_ALIASES.iter().filter(|(alias, _)| *alias == snake);
                shared.into_iter().find_map(|(_, name)| self.parameter_by_exact_name(name).or_else(|| by_alias(name)))
            })
    }

    /// A short description of a call: the tool's name and its main argument.
    pub fn describe_call_briefly(&self, arguments: &Value) -> String {
        let value = |name: &&str| {
            arguments.get(*name).or_else(|| {
                let mut given = arguments.as_object()?.iter();
                given.find_map(|(given, value)| {
                    (self.parameter_by_name_alias_or_flag(given)?.name == **name).then_some(value)
                })
            })
        };
        let text = |name: &&str| match value(name)? {
            Value::String(text) => Some(text.clone()),
            Value::Array(items) => items.first()?.as_str().map(str::to_owned),
            _ => None,
        };
        match self.label_parameters.iter().find_map(text) {
            Some(subject) => format!("{} {subject}", self.name),
            None => self.name.to_owned(),
        }
    }

    /// The other names under which a call may give a parameter.
    pub fn aliases_of_parameter(&self, parameter: &Parameter) -> impl Iterator<Item = &'static str> {
        let aliases = self.parameter_aliases.iter().chain(SHARED_PARAMETER_ALIASES);
        aliases
            .filter(|(alias, name)| *name == parameter.name && self.parameter_by_exact_name(alias).is_none())
            .map(|(alias, _)| *alias)
            // An alias that resolves to another parameter of this tool first is excluded.
            .filter(|alias| {
                let mut aliases = self.parameter_aliases.iter().chain(SHARED_PARAMETER_ALIASES);
                let first =
                    aliases.find(|(other, name)| other == alias && self.parameter_by_exact_name(name).is_some());
                first.is_some_and(|(_, name)| *name == parameter.name)
            })
    }
}

/// A name in snake case: `filePath` and `file-path` become `file_path`.
fn to_snake_case(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            if !out.is_empty() && !out.ends_with('_') {
                out.push('_');
            }
            out.push(c.to_ascii_lowercase());
        } else {
            out.push(if c == '-' { '_' } else { c });
        }
    }
    out
}

/// The value of an argument, unless a text or a list in it is longer than its limit. Without limits, what a tool does
/// with its arguments would take time and memory in proportion to them.
fn require_value_within_limits(tool: &AnyTool, parameter: &Parameter, value: Value) -> Result<Value, InvalidArguments> {
    let own_limit = tool.long_text_parameters.iter().find(|(name, _)| *name == parameter.name);
    let max_chars = own_limit.map_or(MAX_TEXT_CHARS, |(_, limit)| *limit);
    let too_much = |what: &str, count: usize, unit: &str, limit: usize| {
        let [count, limit] = [count, limit].map(|number| format_with_thousands_separators(number as u64));
        Err(InvalidArguments::new(format!("{what} has {count} {unit}; the limit is {limit}")))
    };
    // No text has more characters than bytes, and counting those costs nothing.
    let chars_over_limit =
        |text: &str| Some(text).filter(|text| text.len() > max_chars).map(|text| text.chars().count());
    let chars_over_limit = |value: &Value| chars_over_limit(value.as_str()?).filter(|chars| *chars > max_chars);
    if let Some(chars) = chars_over_limit(&value) {
        return too_much(&parameter.name, chars, "characters", max_chars);
    }
    if let Value::Array(items) = &value {
        // Of a path, unlike of a glob, nothing is compared with each file.
        let is_path = |item: &Value| item.as_str().is_some_and(|text| !text.contains(['*', '?', '[', '{']));
        let is_list_of_paths = parameter.name == PATHS_PARAMETER && items.iter().all(is_path);
        let (max_items, max_list_chars) = match is_list_of_paths {
            true => (MAX_LISTED_PATHS, MAX_LISTED_PATHS_CHARS),
            false => (MAX_LIST_ITEMS, MAX_LIST_CHARS),
        };
        if items.len() > max_items {
            return too_much(&parameter.name, items.len(), "items", max_items);
        }
        let mut numbered = items.iter().enumerate();
        if let Some((index, chars)) = numbered.find_map(|(index, item)| Some((index, chars_over_limit(item)?))) {
            let item = match items.len() {
                1 => parameter.name.clone(),
                _ => format!("item {} of {}", index + 1, parameter.name),
            };
            return too_much(&item, chars, "characters", max_chars);
        }
        let chars: usize = items.iter().filter_map(Value::as_str).map(|item| item.chars().count()).sum();
        if chars > max_list_chars {
            return too_much(&parameter.name, chars, "characters in all", max_list_chars);
        }
    }
    Ok(value)
}

fn unknown_parameter_error(tool: &AnyTool, given: &str, value: &Value) -> InvalidArguments {
    let given = &truncate_chars_and_add_ellipsis(given, MAX_SHOWN_NAME_CHARS);
    let names: Vec<&str> = tool.parameters().iter().map(|parameter| parameter.name.as_str()).collect();
    let error = format!("{} has no parameter {given}; it has {}", tool.name, names.join(", "));
    // A parameter that would reject the value is no plausible suggestion.
    let accepts_value = |name: &&str| {
        let known = tool.parameters().iter().find(|known| known.name == *name);
        known.is_some_and(|known| convert_argument_to_parameter_type(known, value.clone()).is_ok())
    };
    let nearest_names = find_similar_names(&to_snake_case(given), names.into_iter().filter(accepts_value), 1);
    let parameter = nearest_names.first().and_then(|near| tool.parameters().iter().find(|known| known.name == *near));
    let arguments = parameter
        .and_then(|parameter| {
            Some((parameter.name.clone(), convert_argument_to_parameter_type(parameter, value.clone()).ok()?))
        })
        .into_iter()
        .collect();
    InvalidArguments { error, suggestion: nearest_names.into_iter().next(), arguments }
}

fn convert_argument_to_parameter_type(parameter: &Parameter, value: Value) -> Result<Value, InvalidArguments> {
    let wrong_value_error = |value: &Value, wanted: &str| {
        Err(InvalidArguments::new(format!("{} takes {wanted}, not {}", parameter.name, abbreviate_json_value(value))))
    };
    match parameter.value_type {
        ParameterType::Integer => {
            let number = match &value {
                // Some clients write integers with a fraction, such as `3.0`.
                Value::Number(number) => number.as_u64().or_else(|| whole_number_from_float(number.as_f64()?)),
                Value::String(text) => text.trim().replace(['_', ','], "").parse().ok(),
                _ => None,
            };
            let range = match parameter.maximum {
                Some(maximum) => format!("a whole number from 0 to {}", format_with_thousands_separators(maximum)),
                None => "a whole number, zero or more".to_owned(),
            };
            match number {
                Some(0) if parameter.name == "limit" => wrong_value_error(&value, "a number of rows, 1 or more"),
                Some(number) if parameter.maximum.is_none_or(|maximum| number <= maximum) => Ok(number.into()),
                Some(_) | None => wrong_value_error(&value, &range),
            }
        }
        ParameterType::Boolean => {
            let flag = match &value {
                Value::Bool(flag) => Some(*flag),
                Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
                    "true" | "yes" | "1" | "on" => Some(true),
                    "false" | "no" | "0" | "off" => Some(false),
                    _ => None,
                },
                Value::Number(number) => match number.as_u64() {
                    Some(1) => Some(true),
                    Some(0) => Some(false),
                    _ => None,
                },
                _ => None,
            };
            match flag {
                Some(flag) => Ok(flag.into()),
                None => wrong_value_error(&value, "true or false"),
            }
        }
        ParameterType::Strings => {
            let items: Vec<Value> = match value {
                Value::Array(items) => items.into_iter().map(list_item_to_text_or_range).collect(),
                other => vec![list_item_to_text_or_range(other)],
            };
            if items.iter().any(Value::is_null) {
                return wrong_value_error(&Value::Array(items), "texts");
            }
            if parameter.entry_choices.is_empty() {
                return Ok(Value::Array(items));
            }
            let mut all: Vec<Value> = Vec::new();
            for item in items {
                let text = item.as_str().map_or_else(|| item.to_string(), str::to_owned);
                // A comma separates entries, as in `call,read`: no valid entry contains a comma.
                let parts: Vec<&str> = text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
                // An empty list entry is an error: it must not be treated as the absence of a filter.
                let parts = if parts.is_empty() { vec![text.trim()] } else { parts };
                for part in parts {
                    let choice = find_choice_ignoring_case(parameter, &parameter.entry_choices, part);
                    // The example call of the error has a list, too.
                    let choice = choice.map_err(|mut wrong| {
                        wrong.arguments.values_mut().for_each(|meant| *meant = Value::Array(vec![meant.take()]));
                        wrong
                    })?;
                    all.push(choice.into());
                }
            }
            Ok(Value::Array(all))
        }
        ParameterType::String => {
            let text = match value {
                Value::String(text) => text,
                Value::Number(number) => number.to_string(),
                Value::Bool(flag) => flag.to_string(),
                // A list with one entry is accepted as a single value.
                Value::Array(items) => match items.as_slice() {
                    [one] => return convert_argument_to_parameter_type(parameter, one.clone()),
                    [first, ..] => {
                        let error =
                            format!("{} takes one value, not {}: call once for each", parameter.name, items.len());
                        let arguments = convert_argument_to_parameter_type(parameter, first.clone()).ok();
                        let arguments = arguments.map(|value| (parameter.name.clone(), value)).into_iter().collect();
                        return Err(InvalidArguments { error, suggestion: None, arguments });
                    }
                    [] => return wrong_value_error(&Value::Array(items), "text"),
                },
                other => return wrong_value_error(&other, "text"),
            };
            if parameter.choices.is_empty() {
                return Ok(text.into());
            }
            Ok(find_choice_ignoring_case(parameter, &parameter.choices, &text)?.into())
        }
    }
}

/// The choice of a parameter that equals `text`, regardless of case; otherwise an error that names the nearest choice.
fn find_choice_ignoring_case(
    parameter: &Parameter,
    choices: &[String],
    text: &str,
) -> Result<String, InvalidArguments> {
    let lowercase = text.to_lowercase();
    if choices.contains(&lowercase) {
        return Ok(lowercase);
    }
    let meant = find_similar_names(&lowercase, choices.iter().map(String::as_str), 1).into_iter().next();
    let mut error = format!(
        "{} takes {}, not {}",
        parameter.name,
        choices.join(", "),
        abbreviate_json_value(&Value::String(text.into()))
    );
    // A format that other tools have.
    if parameter.name == OutputOptions::FORMAT
        && let Some(required) = Format::from_name(text).and_then(Format::required_rows)
    {
        error.push_str(": ");
        error.push_str(required);
    }
    let arguments = meant.iter().map(|meant| (parameter.name.clone(), meant.as_str().into())).collect();
    Err(InvalidArguments { error, suggestion: meant, arguments })
}

/// A floating-point number as an integer, if it is not negative and has no fraction; otherwise `None`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the number has no fraction and lies between 0 and 2 to the power of 53"
)]
fn whole_number_from_float(number: f64) -> Option<u64> {
    const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;
    (number.fract() == 0.0 && (0.0..MAX_EXACT_INTEGER).contains(&number)).then_some(number as u64)
}

/// Converts an item of a list argument to text. An object `{start, end}` becomes a range such as `10-40`.
fn list_item_to_text_or_range(item: Value) -> Value {
    let range = |keys: [&str; 2]| {
        let [start, end] = keys.map(|key| item.get(key).and_then(Value::as_u64));
        start.zip(end).map(|(start, end)| format!("{start}-{end}"))
    };
    let pair = |items: &[Value]| match items {
        [start, end] => Some(format!("{}-{}", start.as_u64()?, end.as_u64()?)),
        _ => None,
    };
    match &item {
        Value::Array(items) => pair(items).unwrap_or_else(|| item.to_string()).into(),
        Value::Object(_) => match range(["start", "end"]).or_else(|| range(["start_line", "end_line"])) {
            Some(range) => range.into(),
            None => item.to_string().into(),
        },
        Value::Number(number) => number.to_string().into(),
        Value::Bool(flag) => flag.to_string().into(),
        Value::String(_) | Value::Null => item,
    }
}
