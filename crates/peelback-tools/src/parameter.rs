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
    /// The parameter's description.
    pub description: String,
    /// The parameter's type.
    pub value_type: ParameterType,
    /// The only accepted values; empty where any value is accepted.
    pub choices: Vec<String>,
    /// The only accepted entries of a list; empty where any entry is accepted.
    pub entry_choices: Vec<String>,
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
        .map(|(name, property)| Parameter {
            name: name.clone(),
            description: property.get("description").and_then(Value::as_str).unwrap_or("").replace('\n', " "),
            value_type: ParameterType::from_schema(property),
            choices: accepted_values_of_schema_property(property),
            entry_choices: property.get("items").map(accepted_values_of_schema_property).unwrap_or_default(),
            is_required: required.contains(&name.as_str()),
        })
        .collect()
}

/// The accepted values of a property in a JSON schema, from its `enum` or from the constants of its alternatives.
fn accepted_values_of_schema_property(property: &Value) -> Vec<String> {
    let word = |value: &Value| value.as_str().map(str::to_owned);
    if let Some(values) = property.get("enum").and_then(Value::as_array) {
        return values.iter().filter_map(word).collect();
    }
    let alternatives = ["oneOf", "anyOf"].into_iter().filter_map(|key| property.get(key)?.as_array()).flatten();
    alternatives
        .flat_map(|alternative| match alternative.get("const") {
            Some(constant) => word(constant).into_iter().collect(),
            None => accepted_values_of_schema_property(alternative),
        })
        .collect()
}
