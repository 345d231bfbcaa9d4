//! JSON schemas as providers take them. The reply is checked against the schema as it was given.

use serde_json::{Map, Value, json};

/// Words that say nothing about the shape, or that some provider refuses in a strict schema.
const DROPPED: &[&str] = &[
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

/// `schema` with closed objects and without what strict decoding does not know; and whether every property of every
/// object is required, which OpenAI's strict mode wants.
pub(super) fn closed(schema: &Value) -> (Value, bool) {
    let mut is_strict = true;
    let closed = close(schema, &mut is_strict);
    (closed, is_strict)
}

fn close(schema: &Value, is_strict: &mut bool) -> Value {
    let Value::Object(fields) = schema else { return schema.clone() };
    let mut closed = Map::new();
    for (key, value) in fields {
        let value = match (key.as_str(), value) {
            (word, _) if DROPPED.contains(&word) => continue,
            // The names in these are the schema's own, not words of the language.
            ("properties" | "$defs" | "definitions", Value::Object(named)) => {
                Value::Object(named.iter().map(|(name, value)| (name.clone(), close(value, is_strict))).collect())
            }
            ("items" | "additionalProperties" | "not", value) => close(value, is_strict),
            ("anyOf" | "allOf" | "oneOf" | "prefixItems", Value::Array(several)) => {
                Value::Array(several.iter().map(|value| close(value, is_strict)).collect())
            }
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
        // A map of free names cannot be closed.
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
        let (closed, is_strict) = closed(&schema);
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
    fn what_is_optional_or_open_is_not_strict() {
        for schema in [
            json!({ "type": "object", "properties": { "a": {} } }),
            json!({ "type": "object", "additionalProperties": { "type": "string" } }),
            json!({ "type": "array", "items": { "type": "object", "properties": { "a": {} }, "required": [] } }),
        ] {
            assert!(!closed(&schema).1, "{schema}");
        }
    }
}
