//! Checks JSON values against the part of JSON Schema that describes forms of replies.
//!
//! The keywords are those that providers' strict modes and `schemars` use. A schema with another keyword is refused,
//! since a check that passes over a keyword would call values right that are not.
//!
//! A library costs more than this file: boon 0.6.1, the smallest that knows the draft of `schemars`, adds 9 crates to
//! this one (42 where the feature `http` is off), 6 seconds of processor time to a debug build and 13 to a release
//! build; jsonschema 0.61.2 adds 40 crates without its default features. Boon also passes over unknown keywords, and
//! orders and words violations in its own way, which would change the correction that a model is sent.

use serde_json::{Map, Value};

/// JSON Schema keywords that say nothing about which values are valid.
const ANNOTATIONS: &[&str] =
    &["$schema", "$id", "$defs", "definitions", "title", "description", "default", "examples", "format", "deprecated"];

/// The types of JSON values, as the JSON Schema keyword `type` names them.
const TYPES: &[&str] = &["null", "boolean", "object", "array", "number", "integer", "string"];

/// The limit on the nesting of references and alternatives in a schema, so that the check of a schema that refers to
/// itself ends.
const MAX_DEPTH: usize = 200;

/// A JSON schema whose keywords are all known.
pub(super) struct JsonSchema<'s> {
    root: &'s Value,
}

/// A violation of a JSON schema: a part of a value that the schema does not allow.
#[derive(Debug, PartialEq)]
pub(super) struct Violation {
    /// The place of the violation in the value, as a JSON pointer: empty for the whole value.
    pub pointer: String,
    pub message: String,
}

impl<'s> JsonSchema<'s> {
    /// Checks that every keyword of a JSON schema is known and has a value of its type.
    pub fn parse(root: &'s Value) -> Result<Self, String> {
        let schema = Self { root };
        schema.check_schema_keywords(root, 0)?;
        Ok(schema)
    }

    /// Every part of `value` that the JSON schema does not allow, in the order of the schema's keywords.
    pub fn find_violations(&self, value: &Value) -> Vec<Violation> {
        let mut found = Vec::new();
        self.collect_violations(self.root, value, &mut ValuePosition { pointer: String::new(), depth: 0 }, &mut found);
        found
    }

    fn check_schema_keywords(&self, schema: &Value, depth: usize) -> Result<(), String> {
        if depth > MAX_DEPTH {
            return Err("it is nested too deep".to_owned());
        }
        let keywords = match schema {
            Value::Bool(_) => return Ok(()),
            Value::Object(keywords) => keywords,
            other => return Err(format!("{other} is not a schema")),
        };
        for (keyword, argument) in keywords {
            let is_valid = match keyword.as_str() {
                "type" => parse_names_of_type_keyword(argument)
                    .is_some_and(|names| names.iter().all(|name| TYPES.contains(name))),
                "required" => argument.as_array().is_some_and(|names| names.iter().all(Value::is_string)),
                "enum" => argument.is_array(),
                "const" => true,
                "minItems" | "maxItems" | "minLength" | "maxLength" => argument.is_u64(),
                "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => argument.is_number(),
                "$ref" => argument.as_str().is_some_and(|reference| self.resolve_schema_reference(reference).is_some()),
                "properties" | "$defs" | "definitions" => {
                    self.check_nested_schemas(argument.as_object().map(Map::values), depth)?
                }
                "anyOf" | "oneOf" | "allOf" => {
                    self.check_nested_schemas(argument.as_array().map(|schemas| schemas.iter()), depth)?
                }
                "items" | "additionalProperties" => {
                    self.check_nested_schemas(Some(std::iter::once(argument)), depth)?
                }
                other if ANNOTATIONS.contains(&other) => true,
                other => return Err(format!("its keyword {other} is not supported")),
            };
            if !is_valid {
                return Err(format!("{argument} is not a value of the keyword {keyword}"));
            }
        }
        Ok(())
    }

    /// Checks each of the schemas in a keyword's argument. Returns whether the argument has schemas at all, or the
    /// error of the first that is invalid.
    fn check_nested_schemas<'v>(
        &self,
        schemas: Option<impl Iterator<Item = &'v Value>>,
        depth: usize,
    ) -> Result<bool, String> {
        let Some(mut schemas) = schemas else { return Ok(false) };
        schemas.try_for_each(|schema| self.check_schema_keywords(schema, depth + 1))?;
        Ok(true)
    }

    /// The schema to which a reference into this document, such as `#` or `#/$defs/Name`, points.
    fn resolve_schema_reference(&self, reference: &str) -> Option<&'s Value> {
        self.root.pointer(reference.strip_prefix('#')?)
    }

    fn collect_violations(&self, schema: &Value, value: &Value, place: &mut ValuePosition, found: &mut Vec<Violation>) {
        let keywords = match schema {
            Value::Bool(false) => {
                return found.push(place.build_violation(format!("False schema does not allow {value}")));
            }
            Value::Object(keywords) if place.depth <= MAX_DEPTH => keywords,
            Value::Object(_) => {
                return found.push(place.build_violation("the schema refers to itself without end".to_owned()));
            }
            _ => return,
        };
        place.depth += 1;
        for (keyword, argument) in keywords {
            if let Some(message) = value_violation_message(keyword, argument, value) {
                found.push(place.build_violation(message));
            }
            self.collect_subschema_violations(keyword, argument, keywords, value, place, found);
        }
        place.depth -= 1;
    }

    /// Collects the violations of a keyword whose argument contains schemas.
    fn collect_subschema_violations(
        &self,
        keyword: &str,
        argument: &Value,
        keywords: &Map<String, Value>,
        value: &Value,
        place: &mut ValuePosition,
        found: &mut Vec<Violation>,
    ) {
        match (keyword, argument, value) {
            ("properties", Value::Object(properties), Value::Object(object)) => {
                for (name, schema) in properties {
                    if let Some(member) = object.get(name) {
                        place.run_check_on_child(name, |place| self.collect_violations(schema, member, place, found));
                    }
                }
            }
            ("additionalProperties", schema, Value::Object(object)) => {
                self.collect_additional_property_violations(schema, keywords, object, place, found);
            }
            ("items", schema, Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    place.run_check_on_child(&index.to_string(), |place| {
                        self.collect_violations(schema, item, place, found)
                    });
                }
            }
            ("$ref", Value::String(reference), _) => {
                if let Some(schema) = self.resolve_schema_reference(reference) {
                    self.collect_violations(schema, value, place, found);
                }
            }
            ("allOf", Value::Array(schemas), _) => {
                schemas.iter().for_each(|schema| self.collect_violations(schema, value, place, found));
            }
            ("anyOf" | "oneOf", Value::Array(schemas), _) => {
                let count = schemas.iter().filter(|schema| self.is_value_valid(schema, value, place)).count();
                if count == 0 {
                    let message =
                        format!("{value} is not valid under any of the schemas listed in the '{keyword}' keyword");
                    found.push(place.build_violation(message));
                } else if count > 1 && keyword == "oneOf" {
                    let message =
                        format!("{value} is valid under more than one of the schemas listed in the 'oneOf' keyword");
                    found.push(place.build_violation(message));
                }
            }
            _ => {}
        }
    }

    /// Collects the violations of `additionalProperties` by the members that `properties` does not name.
    fn collect_additional_property_violations(
        &self,
        schema: &Value,
        keywords: &Map<String, Value>,
        object: &Map<String, Value>,
        place: &mut ValuePosition,
        found: &mut Vec<Violation>,
    ) {
        let named = keywords.get("properties").and_then(Value::as_object);
        let additional = object.iter().filter(|(name, _)| !named.is_some_and(|named| named.contains_key(*name)));
        if schema == &Value::Bool(false) {
            let names: Vec<String> = additional.map(|(name, _)| format!("'{name}'")).collect();
            let verb = if names.len() == 1 { "was" } else { "were" };
            if !names.is_empty() {
                let names = names.join(", ");
                let message = format!("Additional properties are not allowed ({names} {verb} unexpected)");
                found.push(place.build_violation(message));
            }
            return;
        }
        for (name, member) in additional {
            place.run_check_on_child(name, |place| self.collect_violations(schema, member, place, found));
        }
    }

    fn is_value_valid(&self, schema: &Value, value: &Value, place: &mut ValuePosition) -> bool {
        let mut found = Vec::new();
        self.collect_violations(schema, value, place, &mut found);
        found.is_empty()
    }
}

/// The position in a JSON value of the part that is being checked.
struct ValuePosition {
    pointer: String,
    /// The number of schemas around the present schema.
    depth: usize,
}

impl ValuePosition {
    fn build_violation(&self, message: String) -> Violation {
        Violation { pointer: self.pointer.clone(), message }
    }

    /// Runs `check` with the position of the member or item `name` of the present part.
    fn run_check_on_child(&mut self, name: &str, check: impl FnOnce(&mut Self)) {
        let length = self.pointer.len();
        self.pointer.push('/');
        self.pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
        check(self);
        self.pointer.truncate(length);
    }
}

/// The type names in the argument of the keyword `type`: one name or a list.
fn parse_names_of_type_keyword(argument: &Value) -> Option<Vec<&str>> {
    match argument {
        Value::String(name) => Some(vec![name]),
        Value::Array(names) => names.iter().map(Value::as_str).collect(),
        _ => None,
    }
}

/// The reason why a keyword that looks at the value alone does not allow the value; `None` where it does.
fn value_violation_message(keyword: &str, argument: &Value, value: &Value) -> Option<String> {
    let number = || Some((value.as_f64()?, argument.as_f64()?));
    let length = || Some((value.as_str()?.chars().count() as u64, argument.as_u64()?));
    let items = || Some((value.as_array()?.len() as u64, argument.as_u64()?));
    match keyword {
        "type" => {
            let names = parse_names_of_type_keyword(argument)?;
            let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
            let plural = if names.len() == 1 { "" } else { "s" };
            let is_allowed = names.iter().any(|name| has_json_type(value, name));
            (!is_allowed).then(|| format!("{value} is not of type{plural} {}", quoted.join(", ")))
        }
        "required" => {
            let object = value.as_object()?;
            let mut names = argument.as_array()?.iter().filter_map(Value::as_str);
            let missing = names.find(|name| !object.contains_key(*name))?;
            Some(format!("\"{missing}\" is a required property"))
        }
        "enum" => {
            let allowed = argument.as_array()?;
            let is_allowed = allowed.iter().any(|other| is_equal_json(other, value));
            (!is_allowed).then(|| format!("{value} is not one of {}", format_json_values_as_alternatives(allowed)))
        }
        "const" => (!is_equal_json(argument, value)).then(|| format!("{argument} was expected")),
        "minItems" => items()
            .filter(|(count, least)| count < least)
            .map(|(_, least)| format!("{value} has less than {least} item{}", if least == 1 { "" } else { "s" })),
        "maxItems" => items()
            .filter(|(count, most)| count > most)
            .map(|(_, most)| format!("{value} has more than {most} item{}", if most == 1 { "" } else { "s" })),
        "minLength" => length().filter(|(count, least)| count < least).map(|(_, least)| {
            format!("{value} is shorter than {least} character{}", if least == 1 { "" } else { "s" })
        }),
        "maxLength" => length()
            .filter(|(count, most)| count > most)
            .map(|(_, most)| format!("{value} is longer than {most} character{}", if most == 1 { "" } else { "s" })),
        "minimum" => number()
            .filter(|(value, least)| value < least)
            .map(|_| format!("{value} is less than the minimum of {argument}")),
        "maximum" => number()
            .filter(|(value, most)| value > most)
            .map(|_| format!("{value} is greater than the maximum of {argument}")),
        "exclusiveMinimum" => number()
            .filter(|(value, least)| value <= least)
            .map(|_| format!("{value} is less than or equal to the minimum of {argument}")),
        "exclusiveMaximum" => number()
            .filter(|(value, most)| value >= most)
            .map(|_| format!("{value} is greater than or equal to the maximum of {argument}")),
        _ => None,
    }
}

/// Whether a JSON value has the type with this name in JSON Schema. A number without a fraction is an integer.
fn has_json_type(value: &Value, name: &str) -> bool {
    match (name, value) {
        ("integer", Value::Number(number)) => {
            number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        ("number", Value::Number(_))
        | ("string", Value::String(_))
        | ("boolean", Value::Bool(_))
        | ("null", Value::Null)
        | ("array", Value::Array(_))
        | ("object", Value::Object(_)) => true,
        _ => false,
    }
}

/// Whether two JSON values are equal as JSON Schema defines it: `1` and `1.0` are.
fn is_equal_json(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left == right || left.as_f64() == right.as_f64(),
        _ => left == right,
    }
}

/// JSON values as a list of alternatives: `"a", "b" or "c"`.
fn format_json_values_as_alternatives(values: &[Value]) -> String {
    match values {
        [] => "none".to_owned(),
        [only] => only.to_string(),
        [init @ .., last] => {
            let init: Vec<String> = init.iter().map(Value::to_string).collect();
            format!("{} or {last}", init.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The violations of `value` as `pointer: message`.
    #[track_caller]
    fn violations(schema: &Value, value: &Value) -> Vec<String> {
        let schema = JsonSchema::parse(schema).expect("a schema");
        let found = schema.find_violations(value).into_iter();
        found.map(|violation| format!("{}: {}", violation.pointer, violation.message)).collect()
    }

    #[test]
    fn each_keyword_accepts_and_refuses() {
        let cases = [
            (json!({ "type": "string" }), json!("a"), json!(1), "1 is not of type \"string\""),
            (json!({ "type": ["string", "null"] }), json!(null), json!(1), "1 is not of types \"string\", \"null\""),
            (json!({ "type": "integer" }), json!(2.0), json!(2.5), "2.5 is not of type \"integer\""),
            (json!({ "type": "number" }), json!(2.5), json!(true), "true is not of type \"number\""),
            (json!({ "enum": ["a", "b", 1] }), json!(1.0), json!("c"), "\"c\" is not one of \"a\", \"b\" or 1"),
            (json!({ "const": "a" }), json!("a"), json!("b"), "\"a\" was expected"),
            (json!({ "required": ["a"] }), json!({ "a": 1 }), json!({}), "\"a\" is a required property"),
            (json!({ "minItems": 1 }), json!([1]), json!([]), "[] has less than 1 item"),
            (json!({ "maxItems": 1 }), json!([1]), json!([1, 2]), "[1,2] has more than 1 item"),
            (json!({ "minLength": 2 }), json!("éé"), json!("é"), "\"é\" is shorter than 2 characters"),
            (json!({ "maxLength": 1 }), json!("é"), json!("ab"), "\"ab\" is longer than 1 character"),
            (json!({ "minimum": 2 }), json!(2), json!(1), "1 is less than the minimum of 2"),
            (json!({ "maximum": 2 }), json!(2), json!(3), "3 is greater than the maximum of 2"),
            (json!({ "exclusiveMinimum": 2 }), json!(3), json!(2), "2 is less than or equal to the minimum of 2"),
            (json!({ "exclusiveMaximum": 2 }), json!(1), json!(2), "2 is greater than or equal to the maximum of 2"),
            (
                json!({ "properties": { "a": {} }, "additionalProperties": false }),
                json!({ "a": 1 }),
                json!({ "a": 1, "b": 2, "c": 3 }),
                "Additional properties are not allowed ('b', 'c' were unexpected)",
            ),
            (
                json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] }),
                json!(null),
                json!(1),
                "1 is not valid under any of the schemas listed in the 'anyOf' keyword",
            ),
            (
                json!({ "oneOf": [{ "type": "integer" }, { "type": "number" }] }),
                json!(1.5),
                json!(1),
                "1 is valid under more than one of the schemas listed in the 'oneOf' keyword",
            ),
            (
                json!({ "allOf": [{ "minimum": 1 }, { "maximum": 3 }] }),
                json!(2),
                json!(4),
                "4 is greater than the maximum of 3",
            ),
            (json!(false), json!(null), json!(null), "False schema does not allow null"),
        ];
        for (schema, right, wrong, message) in cases {
            if schema != json!(false) {
                assert_eq!(violations(&schema, &right), [""; 0], "{schema}");
            }
            assert_eq!(violations(&schema, &wrong), [format!(": {message}")], "{schema}");
        }
    }

    #[test]
    fn a_keyword_ignores_values_of_other_types() {
        for schema in
            [json!({ "required": ["a"], "maxItems": 0, "maxLength": 0 }), json!({ "properties": { "a": false } })]
        {
            assert_eq!(violations(&schema, &json!(1)), [""; 0], "{schema}");
        }
    }

    #[test]
    fn violations_name_their_place() {
        let schema = json!({
            "properties": { "a/b": { "items": { "$ref": "#/$defs/Name" } } },
            "additionalProperties": { "type": "null" },
            "$defs": { "Name": { "type": "string" } },
        });
        let value = json!({ "a/b": ["x", 1], "~": 2 });
        let expected = ["/a~1b/1: 1 is not of type \"string\"", "/~0: 2 is not of type \"null\""];
        assert_eq!(violations(&schema, &value), expected);
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        assert_eq!(violations(&json!({ "$ref": "#" }), &json!(1)).len(), 1);
        let list = json!({ "properties": { "next": { "$ref": "#" } }, "type": "object" });
        assert_eq!(violations(&list, &json!({ "next": { "next": 3 } })), ["/next/next: 3 is not of type \"object\""]);
    }

    #[test]
    fn a_schema_that_cannot_be_checked_is_refused() {
        for (schema, reason) in [
            (json!({ "type": "objekt" }), "\"objekt\" is not a value of the keyword type"),
            (json!({ "properties": { "a": { "pattern": "x" } } }), "its keyword pattern is not supported"),
            (json!({ "$ref": "other.json" }), "\"other.json\" is not a value of the keyword $ref"),
            (json!({ "items": 3 }), "3 is not a schema"),
            (json!({ "anyOf": {} }), "{} is not a value of the keyword anyOf"),
        ] {
            assert_eq!(JsonSchema::parse(&schema).err().as_deref(), Some(reason));
        }
    }
}
