//! The parameters of a tool, derived from its JSON schema.

use serde_json::Value;

/// The type of a parameter, as the command line needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterType {
    /// A text value.
    String,
    /// A non-negative integer.
    Integer,
    /// A boolean flag.
    Boolean,
    /// A list of texts; the flag may be repeated.
    Strings,
}

impl ParameterType {
    /// The type's name in documentation.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Boolean => "boolean",
            Self::Strings => "strings",
        }
    }

    fn from_schema(property: &Value) -> Self {
        let has_type = |name: &str| match property.get("type") {
            Some(Value::String(only)) => only == name,
            Some(Value::Array(several)) => several.iter().any(|one| one == name),
            _ => false,
        };
        if has_type("array") {
            Self::Strings
        } else if has_type("boolean") {
            Self::Boolean
        } else if has_type("integer") {
            Self::Integer
        } else {
            Self::String
        }
    }
}

/// A parameter of a tool, for documentation and the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// The parameter's name, in snake case.
    pub name: String,
    /// What the value means, in a few words: the first sentence of the description, without its full stop.
    pub brief: String,
    /// The parameter's description.
    pub description: String,
    /// The parameter's type.
    pub value_type: ParameterType,
    /// The only accepted values; empty where any value is accepted.
    pub choices: Vec<String>,
    /// What each of the accepted values means, in the order of `choices`; an empty text where the value's name says it.
    pub choice_descriptions: Vec<String>,
    /// The only accepted entries of a list; empty where any entry is accepted.
    pub entry_choices: Vec<String>,
    /// The greatest accepted number; `None` where any number is accepted, or the value is no number.
    pub maximum: Option<u64>,
    /// Whether a call must contain the parameter.
    pub is_required: bool,
}

/// The parameters that an object's JSON schema declares, in the order of the schema.
pub(crate) fn parameters_from_schema(schema: &Value) -> Vec<Parameter> {
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = schema.get("properties").and_then(Value::as_object);
    properties
        .into_iter()
        .flatten()
        .map(|(name, property)| {
            let description = description_of_schema_node(property);
            let (choices, choice_descriptions) = accepted_values_of_schema_property(property).into_iter().unzip();
            let entry_choices = property.get("items").map(accepted_values_of_schema_property).unwrap_or_default();
            Parameter {
                name: name.clone(),
                brief: first_sentence(&description).to_owned(),
                description,
                value_type: ParameterType::from_schema(property),
                choices,
                choice_descriptions,
                entry_choices: entry_choices.into_iter().map(|(value, _)| value).collect(),
                maximum: (property.get("format").and_then(Value::as_str) == Some("uint32")).then_some(u32::MAX.into()),
                is_required: required.contains(&name.as_str()),
            }
        })
        .collect()
}

impl Parameter {
    /// The description, with what each accepted value means. The values of the parameters that all tools have are
    /// explained by their names.
    pub fn full_description(&self) -> String {
        if self.is_shared_by_all_tools() {
            return self.description.clone();
        }
        let explained = self.choices.iter().zip(&self.choice_descriptions).filter(|(_, meaning)| !meaning.is_empty());
        let explained: Vec<String> =
            explained.map(|(choice, meaning)| format!("`{choice}`: {}", meaning.trim_end_matches('.'))).collect();
        if explained.is_empty() {
            return self.description.clone();
        }
        format!("{} {}.", self.description, explained.join("; "))
    }
}

/// The description of a property, or of one of its values, in a JSON schema, in one line.
fn description_of_schema_node(node: &Value) -> String {
    node.get("description").and_then(Value::as_str).unwrap_or("").replace('\n', " ")
}

/// The first sentence of a text, without its full stop.
fn first_sentence(text: &str) -> &str {
    text.split_once(". ").map_or(text, |(first, _)| first).trim_end_matches('.')
}

/// The accepted values of a property in a JSON schema, each with its description, from its `enum` or from the constants
/// of its alternatives.
fn accepted_values_of_schema_property(property: &Value) -> Vec<(String, String)> {
    let word = |value: &Value| Some((value.as_str()?.to_owned(), String::new()));
    if let Some(values) = property.get("enum").and_then(Value::as_array) {
        return values.iter().filter_map(word).collect();
    }
    let alternatives = ["oneOf", "anyOf"].into_iter().filter_map(|key| property.get(key)?.as_array()).flatten();
    alternatives
        .flat_map(|alternative| match alternative.get("const") {
            Some(constant) => {
                let described =
                    constant.as_str().map(|value| (value.to_owned(), description_of_schema_node(alternative)));
                described.into_iter().collect()
            }
            None => accepted_values_of_schema_property(alternative),
        })
        .collect()
}
