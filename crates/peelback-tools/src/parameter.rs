//! The parameters of a tool, read from its JSON schema.

use serde_json::Value;

/// The type of a parameter, as a command line needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterType {
    /// Text.
    String,
    /// A whole number, zero or more.
    Integer,
    /// A flag.
    Boolean,
    /// Texts; the flag may be given several times.
    Strings,
}

impl ParameterType {
    /// The word that docs print.
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

/// A parameter of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// The name, in snake case.
    pub name: String,
    /// What the parameter does.
    pub description: String,
    /// The type.
    pub kind: ParameterType,
    /// The only values that the parameter takes; empty where any will do.
    pub choices: Vec<String>,
    /// The only values that an entry of a list may have; empty where any will do.
    pub entries: Vec<String>,
    /// Whether a call must give the parameter.
    pub required: bool,
}

/// The parameters that the schema of an object declares, in its order.
pub(crate) fn from_schema(schema: &Value) -> Vec<Parameter> {
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = schema.get("properties").and_then(Value::as_object);
    properties
        .into_iter()
        .flatten()
        .map(|(name, property)| Parameter {
            name: name.clone(),
            description: property.get("description").and_then(Value::as_str).unwrap_or("").replace('\n', " "),
            kind: ParameterType::from_schema(property),
            choices: choices(property),
            entries: property.get("items").map(choices).unwrap_or_default(),
            required: required.contains(&name.as_str()),
        })
        .collect()
}

/// The values that a property takes, from its `enum` or from the constants of its alternatives.
fn choices(property: &Value) -> Vec<String> {
    let word = |value: &Value| value.as_str().map(str::to_owned);
    if let Some(values) = property.get("enum").and_then(Value::as_array) {
        return values.iter().filter_map(word).collect();
    }
    let alternatives = ["oneOf", "anyOf"].into_iter().filter_map(|key| property.get(key)?.as_array()).flatten();
    alternatives
        .flat_map(|alternative| match alternative.get("const") {
            Some(constant) => word(constant).into_iter().collect(),
            None => choices(alternative),
        })
        .collect()
}
