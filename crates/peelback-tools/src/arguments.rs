//! From what a caller wrote to typed parameters: other names are taken, strings that plainly mean a number or a
//! boolean are converted, and what fits nothing is an error that names the nearest.

use peelback_code::{CodeAccess, Fault, nearest};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::call::Call;
use crate::recover::RecoverableError;
use crate::sample;
use crate::tool::{AnyTool, Parameter, ParameterType};

/// Names that agents give to the parameters that many tools share.
pub(crate) const SHARED_ALIASES: &[(&str, &str)] = &[
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
];

/// The parameters that a schema declares.
pub(crate) fn parameters(schema: &Value) -> Vec<Parameter> {
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = schema.get("properties").and_then(Value::as_object);
    properties
        .into_iter()
        .flatten()
        .map(|(name, property)| Parameter {
            name: name.clone(),
            description: property.get("description").and_then(Value::as_str).unwrap_or("").replace('\n', " "),
            kind: kind(property),
            choices: choices(property),
            required: required.contains(&name.as_str()),
        })
        .collect()
}

fn kind(property: &Value) -> ParameterType {
    let names = |name: &str| match property.get("type") {
        Some(Value::String(own)) => own == name,
        Some(Value::Array(several)) => several.iter().any(|own| own == name),
        _ => false,
    };
    if names("array") {
        ParameterType::Strings
    } else if names("boolean") {
        ParameterType::Boolean
    } else if names("integer") {
        ParameterType::Integer
    } else {
        ParameterType::String
    }
}

fn choices(property: &Value) -> Vec<String> {
    let words = |value: &Value| value.as_str().map(str::to_owned);
    if let Some(values) = property.get("enum").and_then(Value::as_array) {
        return values.iter().filter_map(words).collect();
    }
    let alternatives = ["oneOf", "anyOf"].into_iter().filter_map(|key| property.get(key)?.as_array()).flatten();
    alternatives
        .flat_map(|alternative| match alternative.get("const") {
            Some(constant) => words(constant).into_iter().collect(),
            None => choices(alternative),
        })
        .collect()
}

/// Arguments that do not fit a tool.
#[derive(Debug)]
pub(crate) struct Misfit {
    /// What is wrong with them.
    error: String,
    /// The name or value that was meant, where one is near.
    meant: Option<String>,
    /// Those that fit, and what was meant by the others.
    arguments: Map<String, Value>,
}

impl Misfit {
    fn new(error: impl Into<String>) -> Self {
        Self { error: error.into(), meant: None, arguments: Map::new() }
    }

    /// The failure with a call that works and the tool's docs.
    pub fn into_error(mut self, tool: &'static AnyTool, access: &CodeAccess) -> RecoverableError {
        sample::complete(tool, access, &mut self.arguments);
        let call = self.arguments.into_iter().fold(Call::new(tool.name), |call, (name, value)| call.with(&name, value));
        let meant = self.meant.map_or_else(|| "for example: ".to_owned(), |meant| format!("did you mean {meant}? "));
        RecoverableError::new(Fault::BadUsage, self.error).hint(format!("{meant}{call}")).misfit(tool)
    }
}

/// The arguments under their own names and with their own types.
pub(crate) fn normalise(tool: &AnyTool, given: Value) -> Result<Value, Misfit> {
    let given = match given {
        Value::Object(given) => given,
        Value::Null => Map::new(),
        other => return Err(Misfit::new(format!("arguments must be an object, not {}", brief(&other)))),
    };
    let mut arguments = Map::new();
    let mut misfit: Option<Misfit> = None;
    for (name, value) in given {
        let found = parameter(tool, &name).ok_or_else(|| unknown(tool, &name, &value));
        let (parameter, value) = match found {
            Ok(_) if value.is_null() => continue,
            Ok(parameter) => match converted(parameter, value) {
                Ok(value) => (parameter, value),
                Err(wrong) => {
                    arguments.extend(wrong.arguments.clone());
                    misfit.get_or_insert(wrong);
                    continue;
                }
            },
            Err(wrong) => {
                for (name, value) in wrong.arguments.clone() {
                    arguments.entry(name).or_insert(value);
                }
                misfit.get_or_insert(wrong);
                continue;
            }
        };
        if arguments.insert(parameter.name.clone(), value).is_some() && misfit.is_none() {
            misfit = Some(Misfit::new(format!("{} is given twice, once as {name}", parameter.name)));
        }
    }
    for parameter in tool.parameters().iter().filter(|parameter| parameter.required) {
        if !arguments.contains_key(&parameter.name) && misfit.is_none() {
            misfit = Some(Misfit::new(format!("{} needs {}: {}", tool.name, parameter.name, parameter.description)));
        }
    }
    match misfit {
        Some(misfit) => Err(Misfit { arguments, ..misfit }),
        None => Ok(Value::Object(arguments)),
    }
}

/// The typed parameters.
pub(crate) fn typed<P: DeserializeOwned>(arguments: Value) -> Result<P, Misfit> {
    serde_json::from_value(arguments).map_err(|error| Misfit::new(error.to_string()))
}

/// A value as an error quotes it.
fn brief(value: &Value) -> String {
    const MAX: usize = 80;
    let text = value.to_string();
    match text.char_indices().nth(MAX) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or("")),
        None => text,
    }
}

/// The parameter that `given` means: its own name or another that it answers to.
pub(crate) fn parameter<'a>(tool: &'a AnyTool, given: &str) -> Option<&'a Parameter> {
    let snake = snake_case(given);
    let named = |name: &str| tool.parameters().iter().find(|parameter| parameter.name == name);
    named(&snake).or_else(|| {
        let own = tool.parameter_aliases.iter().chain(SHARED_ALIASES);
        own.filter(|(alias, _)| *alias == snake).find_map(|(_, name)| named(name))
    })
}

/// `filePath` and `file-path` as `file_path`.
fn snake_case(name: &str) -> String {
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

fn unknown(tool: &AnyTool, given: &str, value: &Value) -> Misfit {
    let names: Vec<&str> = tool.parameters().iter().map(|parameter| parameter.name.as_str()).collect();
    let error = format!("{} has no parameter {given}; it has {}", tool.name, names.join(", "));
    let near = nearest(&snake_case(given), names, 1);
    let parameter = near.first().and_then(|near| tool.parameters().iter().find(|known| known.name == *near));
    let arguments = parameter
        .and_then(|parameter| Some((parameter.name.clone(), converted(parameter, value.clone()).ok()?)))
        .into_iter()
        .collect();
    Misfit { error, meant: near.into_iter().next(), arguments }
}

fn converted(parameter: &Parameter, value: Value) -> Result<Value, Misfit> {
    let wrong = |value: &Value, wanted: &str| {
        Err(Misfit::new(format!("{} takes {wanted}, not {}", parameter.name, brief(value))))
    };
    match parameter.kind {
        ParameterType::Integer => {
            let number = match &value {
                Value::Number(number) => number.as_u64(),
                Value::String(text) => text.trim().replace(['_', ','], "").parse().ok(),
                _ => None,
            };
            match number {
                Some(0) if parameter.name == "limit" => wrong(&value, "a number of rows, 1 or more"),
                Some(number) => Ok(number.into()),
                None => wrong(&value, "a whole number, zero or more"),
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
                None => wrong(&value, "true or false"),
            }
        }
        ParameterType::Strings => match value {
            Value::Array(items) => Ok(Value::Array(items.into_iter().map(texts).collect())),
            other => Ok(Value::Array(vec![texts(other)])),
        },
        ParameterType::String => {
            let text = match value {
                Value::String(text) => text,
                Value::Number(number) => number.to_string(),
                Value::Bool(flag) => flag.to_string(),
                other => return wrong(&other, "text"),
            };
            if parameter.choices.is_empty() {
                return Ok(text.into());
            }
            let lower = text.to_lowercase();
            if parameter.choices.contains(&lower) {
                return Ok(lower.into());
            }
            let meant = nearest(&lower, parameter.choices.iter().map(String::as_str), 1).into_iter().next();
            let error = format!(
                "{} takes {}, not {}",
                parameter.name,
                parameter.choices.join(", "),
                brief(&Value::String(text))
            );
            let arguments = meant.iter().map(|meant| (parameter.name.clone(), meant.as_str().into())).collect();
            Err(Misfit { error, meant, arguments })
        }
    }
}

/// An item of a list as text: `{start, end}` objects are ranges.
fn texts(item: Value) -> Value {
    let range = |keys: [&str; 2]| {
        let [start, end] = keys.map(|key| item.get(key).and_then(Value::as_u64));
        start.zip(end).map(|(start, end)| format!("{start}-{end}"))
    };
    match &item {
        Value::Object(_) => match range(["start", "end"]).or_else(|| range(["start_line", "end_line"])) {
            Some(range) => range.into(),
            None => item.to_string().into(),
        },
        Value::Number(number) => number.to_string().into(),
        _ => item,
    }
}
