//! JSON schemas in the form that providers accept. Replies are validated by the original schema.

use serde_json::{Map, Value, json};

/// The JSON Schema keywords that do not restrict the structure, or that some provider refuses in a strict schema.
const DROPPED_KEYWORDS: &[&str] = &[
    "$schema",
    "$id",
    "title",
    "default",
    "examples",
    "format",
    "pattern",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
];

/// The JSON schema `schema` with closed objects (without further properties) and without the keywords that strict
/// decoding does not support; and whether it is valid for OpenAI's strict mode, in which each object requires all of
/// its properties.
pub(super) fn forbid_extra_properties_and_check_strictness(schema: &Value) -> (Value, bool) {
    let mut is_strict = true;
    let closed = forbid_extra_properties_recursively(schema, &mut is_strict);
    (closed, is_strict)
}

/// The JSON schema `schema` with closed objects at every depth; clears `is_strict` where strict mode is impossible.
fn forbid_extra_properties_recursively(schema: &Value, is_strict: &mut bool) -> Value {
    let Value::Object(fields) = schema else { return schema.clone() };
    let mut closed = Map::new();
    for (key, value) in fields {
        let value = match (key.as_str(), value) {
            (keyword, _) if DROPPED_KEYWORDS.contains(&keyword) => continue,
            // The keys in these objects are names of properties and definitions, not JSON Schema keywords.
            ("properties" | "$defs" | "definitions", Value::Object(named)) => Value::Object(
                named
                    .iter()
                    .map(|(name, value)| (name.clone(), forbid_extra_properties_recursively(value, is_strict)))
                    .collect(),
            ),
            ("items" | "additionalProperties" | "not", value) => forbid_extra_properties_recursively(value, is_strict),
            ("anyOf" | "allOf" | "oneOf" | "prefixItems", Value::Array(several)) => Value::Array(
                several.iter().map(|value| forbid_extra_properties_recursively(value, is_strict)).collect(),
            ),
            (_, value) => value.clone(),
        };
        closed.insert(key.clone(), value);
    }
    if let Some(Value::Object(properties)) = fields.get("properties") {
        let required = fields.get("required").and_then(Value::as_array).map_or(0, Vec::len);
        *is_strict &= required == properties.len();
    }
    let is_object = match fields.get("type") {
        Some(Value::String(kind)) => kind == "object",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        _ => false,
    };
    if is_object {
        // An object that allows arbitrary keys cannot be closed.
        if fields.get("additionalProperties").is_some_and(|more| more != &json!(false))
            || !fields.contains_key("properties")
        {
            *is_strict = false;
        }
        closed.insert("additionalProperties".to_owned(), json!(false));
    }
    *is_strict &= !fields.contains_key("oneOf") && !fields.contains_key("allOf");
    Value::Object(closed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_closed_at_every_depth() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Answer",
            "type": "object",
            "properties": {
                "title": { "type": "string", "minLength": 1 },
                "places": { "type": "array", "items": { "$ref": "#/$defs/Place" } },
            },
            "required": ["title", "places"],
            "$defs": {
                "Place": {
                    "type": "object",
                    "properties": { "line": { "type": "integer", "format": "uint32", "minimum": 0 } },
                    "required": ["line"],
                },
            },
        });
        let (closed, is_strict) = forbid_extra_properties_and_check_strictness(&schema);
        assert!(is_strict);
        assert_eq!(
            closed,
            json!({
                "type": "object",
                "properties": {
                    "title": { "type": "string" },
                    "places": { "type": "array", "items": { "$ref": "#/$defs/Place" } },
                },
                "required": ["title", "places"],
                "$defs": {
                    "Place": {
                        "type": "object",
                        "properties": { "line": { "type": "integer" } },
                        "required": ["line"],
                        "additionalProperties": false,
                    },
                },
                "additionalProperties": false,
            })
        );
    }

    #[test]
    fn schemas_with_optional_properties_or_open_objects_are_not_strict() {
        for schema in [
            json!({ "type": "object", "properties": { "a": {} } }),
            json!({ "type": "object", "additionalProperties": { "type": "string" } }),
            json!({ "type": "array", "items": { "type": "object", "properties": { "a": {} }, "required": [] } }),
        ] {
            assert!(!forbid_extra_properties_and_check_strictness(&schema).1, "{schema}");
        }
    }
}
