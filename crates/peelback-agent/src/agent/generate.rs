//! The tool `generate_scoped_context`, whose call ends an agent's run.

use peelback_llm::ToolDefinition;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::citations::Reference;

/// The name of the tool that the agent's model calls to submit its result, which ends the run.
pub const GENERATE: &str = "generate_scoped_context";

/// The maximum number of file paths in the result that the model submits.
const MOST_PATHS: usize = 40;

/// The maximum number of bytes of a file path in the result that the model submits. A longer text is file content, not
/// a path.
const PATH_BYTES: usize = 500;

/// The result: call it once, when you can answer the question. It takes paths, never contents: the files are read for you.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScopedContext {
    /// The question.
    pub question: String,
    /// The files that the answer needs, from the root, the most important first.
    pub relevant_file_paths: Vec<String>,
    /// What you found out: how it works, in a few paragraphs.
    pub insights: String,
    /// The places that the insights rest on, with the line numbers that you saw.
    #[serde(default)]
    pub code_references: Vec<Reference>,
}

/// The definition of the tool [`GENERATE`] for the model: name, description and JSON schema.
pub fn definition_of_result_submission_tool() -> ToolDefinition {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut parameters = settings.into_generator().into_root_schema_for::<ScopedContext>().to_value();
    let mut description = String::new();
    if let Some(schema) = parameters.as_object_mut() {
        schema.remove("title");
        if let Some(Value::String(text)) = schema.remove("description") {
            description = text.replace('\n', " ");
        }
    }
    // The schema's bounds of machine integers (such as the maximum of `u32`) are useless to a model, so they are
    // removed.
    for line in ["line_start", "line_end"] {
        let path = format!("/properties/code_references/items/properties/{line}");
        if let Some(schema) = parameters.pointer_mut(&path).and_then(Value::as_object_mut) {
            schema.remove("format");
            schema.insert("minimum".to_owned(), 1.into());
        }
    }
    ToolDefinition { name: GENERATE.to_owned(), description, parameters }
}

/// Parses the arguments of a call of the tool [`GENERATE`]. Similar forms are accepted too: numbers as strings,
/// `path:10-20`, other parameter names, and JSON inside a string.
///
/// # Errors
/// A message for the model that describes the missing or wrong argument.
pub fn parse_result_submission_arguments(arguments: &Value) -> Result<ScopedContext, String> {
    let read;
    let object = match arguments {
        Value::String(text) => {
            read = serde_json::from_str::<Value>(text).map_err(|error| {
                format!("the arguments are not valid JSON ({error}); if they were cut off, write less")
            })?;
            read.as_object()
        }
        other => other.as_object(),
    };
    let object = object.ok_or("the arguments must be a JSON object")?;
    let field = |names: &[&str]| names.iter().find_map(|name| object.get(*name));
    let insights = match field(&["insights", "insight", "summary"]) {
        Some(Value::String(text)) => text.trim().to_owned(),
        Some(Value::Array(items)) => {
            items.iter().filter_map(Value::as_str).map(str::trim).collect::<Vec<_>>().join("\n\n")
        }
        _ => String::new(),
    };
    let mut paths: Vec<String> = Vec::new();
    let given = field(&["relevant_file_paths", "relevant_files", "file_paths", "paths", "files"]);
    let listed = match given {
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(text)) => text.lines().collect::<Vec<_>>(),
        _ => Vec::new(),
    };
    for path in listed {
        let path = path.trim().trim_start_matches("./");
        let is_path = !path.is_empty() && path.len() <= PATH_BYTES && !path.contains('\n');
        if is_path && paths.len() < MOST_PATHS && !paths.iter().any(|known| known == path) {
            paths.push(path.to_owned());
        }
    }
    let references: Vec<Reference> = match field(&["code_references", "references", "key_locations"]) {
        Some(Value::Array(items)) => items.iter().filter_map(parse_code_reference).collect(),
        _ => Vec::new(),
    };
    if insights.is_empty() {
        return Err("insights is missing: say what you found out".to_owned());
    }
    if paths.is_empty() {
        // The files that the code references cite also count as relevant files.
        for reference in &references {
            if !paths.contains(&reference.path) {
                paths.push(reference.path.clone());
            }
        }
    }
    if paths.is_empty() {
        return Err("relevant_file_paths is missing: name the files that the answer needs".to_owned());
    }
    let question = field(&["question"]).and_then(Value::as_str).unwrap_or("").trim().to_owned();
    Ok(ScopedContext { question, relevant_file_paths: paths, insights, code_references: references })
}

fn parse_code_reference(item: &Value) -> Option<Reference> {
    let text = match item {
        Value::String(text) => text.as_str(),
        other => other.get("path").or_else(|| other.get("file"))?.as_str()?,
    };
    let (path, written) = match text.trim().rsplit_once(':').map(|(path, lines)| (path, lines.split_once('-'), lines)) {
        Some((path, Some((first, last)), _)) => match (first.trim().parse::<u32>(), last.trim().parse::<u32>()) {
            (Ok(first), Ok(last)) => (path, Some((first, last))),
            _ => (text.trim(), None),
        },
        Some((path, None, line)) => match line.trim().parse::<u32>() {
            Ok(line) => (path, Some((line, line))),
            Err(_) => (text.trim(), None),
        },
        None => (text.trim(), None),
    };
    let number = |names: [&str; 3]| {
        let value = names.iter().find_map(|name| item.get(*name))?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the filter lets only whole numbers from 0 to 1e9 through"
        )]
        let whole = || {
            let is_count = |number: &f64| number.fract() == 0.0 && (0.0..1e9).contains(number);
            value.as_f64().filter(is_count).map(|number| number as u64)
        };
        let number = value.as_u64().or_else(whole);
        let number = number.or_else(|| value.as_str()?.trim().parse().ok())?;
        u32::try_from(number).ok()
    };
    let first = number(["line_start", "start_line", "line"]).or(written.map(|(first, _)| first))?;
    let last = number(["line_end", "end_line", "line"]).or(written.map(|(_, last)| last)).unwrap_or(first);
    let description = item.get("description").and_then(Value::as_str).unwrap_or("").trim().to_owned();
    let path = path.trim_start_matches("./");
    (!path.is_empty() && path.len() <= PATH_BYTES && !path.contains('\n')).then(|| Reference {
        path: path.to_owned(),
        line_start: first,
        line_end: last,
        description,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{definition_of_result_submission_tool, parse_result_submission_arguments};

    #[test]
    fn the_schema_is_small_and_whole() {
        let definition = definition_of_result_submission_tool();
        let schema = definition.parameters.to_string();
        assert!(schema.len() < 1_400, "{} bytes: {schema}", schema.len());
        for word in ["question", "relevant_file_paths", "insights", "code_references", "line_start", "line_end"] {
            assert!(schema.contains(word), "{schema}");
        }
        assert!(!schema.contains("$ref") && definition.description.contains("never contents"));
    }

    #[test]
    fn what_is_near_enough_is_taken() {
        let plain = json!({
            "question": "q",
            "relevant_file_paths": ["./a.py", "a.py", "b.py"],
            "insights": "It works.",
            "code_references": [
                { "path": "a.py", "line_start": "3", "line_end": 9.0, "description": "the loop" },
                { "path": "b.py:4-6", "description": "" },
                "c.py:7",
                { "path": "d.py" },
            ],
        });
        let context = parse_result_submission_arguments(&plain).expect("arguments");
        assert_eq!(context.relevant_file_paths, ["a.py", "b.py"]);
        let places: Vec<_> = context
            .code_references
            .iter()
            .map(|place| format!("{}:{}-{}", place.path, place.line_start, place.line_end))
            .collect();
        assert_eq!(places, ["a.py:3-9", "b.py:4-6", "c.py:7-7"]);
        assert_eq!(parse_result_submission_arguments(&json!(plain.to_string())), Ok(context));
    }

    #[test]
    fn what_is_missing_is_named() {
        let error = |value| parse_result_submission_arguments(&value).expect_err("nothing to take");
        assert!(error(json!({ "insights": "x" })).contains("relevant_file_paths"));
        assert!(error(json!({ "relevant_file_paths": ["a"] })).contains("insights"));
        assert!(error(json!("{\"insights\": \"cut he")).contains("not valid JSON"));
        assert!(error(json!({ "insights": "x", "relevant_file_paths": ["fn main() {\n}"] })).contains("is missing"));
    }
}
