//! Checks of protocol messages before the protocol's library reads them, and the errors that answer those that it would
//! drop: text that is not JSON, JSON that is no message, and objects with a name twice, of which the library would
//! silently take one.

use std::collections::HashSet;
use std::fmt;

use rmcp::model::ErrorCode;
use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Value, json};

/// The limit on the values in a message: texts, numbers, lists, objects. Every call has far fewer.
const MAX_VALUES: usize = 20_000;

/// The memory that a value takes at most beside its text: one of an object with one name, and its table.
const BYTES_PER_VALUE: usize = 600;

/// The memory of a byte of text: of the message, of its values, and of the copy that a tool takes.
pub(super) const BYTES_PER_TEXT_BYTE: usize = 3;

/// The maximum number of characters of the reason in an error.
const MAX_REASON_CHARS: usize = 300;

/// A protocol error that answers a message which cannot be read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MessageError {
    code: ErrorCode,
    message: String,
    /// The id of the request; null where it cannot be read.
    id: Value,
}

impl MessageError {
    /// The error for a message that is longer than the limit.
    pub fn too_long(max_bytes: usize) -> Self {
        let message = format!("a message of more than {max_bytes} bytes was dropped: send a shorter one");
        Self { code: ErrorCode::INVALID_REQUEST, message, id: Value::Null }
    }

    /// The error for JSON that is no message of the protocol.
    pub fn not_a_message(text: &[u8]) -> Self {
        let message =
            "not a message of the protocol: it must be a request or notification with jsonrpc \"2.0\" and method, \
                       a request with an id that is a string or an integer, and params, if any, an object"
                .to_owned();
        Self { code: ErrorCode::INVALID_REQUEST, message, id: message_id_or_null(text) }
    }

    /// The error for a request whose call has to make room for others before it has begun.
    pub fn server_busy(text: &[u8]) -> Self {
        let message = "all connections of this server are busy: try again in a moment".to_owned();
        Self { code: ErrorCode::INTERNAL_ERROR, message, id: message_id_or_null(text) }
    }

    /// Checks a message. Returns the memory that it takes at most while its call waits.
    ///
    /// # Errors
    /// The error for a message that cannot be read reliably (it is no JSON, no object, or has a name twice), or would
    /// take too much memory.
    pub fn check_message(text: &[u8]) -> Result<usize, Self> {
        let invalid_request = |message: String| Self { code: ErrorCode::INVALID_REQUEST, message, id: Value::Null };
        match serde_json::from_slice::<JsonShape>(text) {
            Ok(JsonShape { values, .. }) if values > MAX_VALUES => {
                let message = format!("a message of {values} values was dropped; the limit is {MAX_VALUES}");
                Err(Self { id: message_id_or_null(text), ..invalid_request(message) })
            }
            Ok(JsonShape { kind: JsonKind::Object, values }) => {
                Ok(text.len() * BYTES_PER_TEXT_BYTE + values * BYTES_PER_VALUE)
            }
            Ok(JsonShape { kind: JsonKind::Array, .. }) => Err(invalid_request(
                "a batch of messages: the protocol has no batches; send each message separately".to_owned(),
            )),
            Ok(JsonShape { kind: JsonKind::Text | JsonKind::Scalar, .. }) => {
                Err(invalid_request("a message must be an object".to_owned()))
            }
            Err(error) if error.is_data() => {
                Err(Self { id: message_id_or_null(text), ..invalid_request(shorten_reason(&error)) })
            }
            Err(error) => Err(Self {
                code: ErrorCode::PARSE_ERROR,
                message: format!("not JSON: {}", shorten_reason(&error)),
                id: Value::Null,
            }),
        }
    }

    /// Whether the message is no JSON at all.
    pub fn is_syntax_error(&self) -> bool {
        self.code == ErrorCode::PARSE_ERROR
    }

    /// What was wrong with the message, in words.
    pub fn reason(&self) -> &str {
        &self.message
    }

    /// The error as a message of the protocol.
    pub fn to_json(&self) -> String {
        let Self { code, message, id } = self;
        json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code.0, "message": message } }).to_string()
    }
}

/// Whether a message that is not understood must not be answered: a notification, or the answer to a request.
pub(super) fn must_message_stay_unanswered(text: &[u8]) -> bool {
    // The fields of an array would be read by their places.
    if !text.trim_ascii_start().starts_with(b"{") {
        return false;
    }
    let Ok(Envelope { id, method, result, error }) = serde_json::from_slice(text) else { return false };
    match method {
        Some(method) => method.kind == JsonKind::Text && !id.0,
        None => result.0 || error.0,
    }
}

/// What is in a message, without its values: these may take much memory.
#[derive(serde::Deserialize)]
struct Envelope {
    #[serde(default)]
    id: IsPresent,
    method: Option<JsonShape>,
    #[serde(default)]
    result: IsPresent,
    #[serde(default)]
    error: IsPresent,
}

/// Whether a field is present.
#[derive(Default)]
struct IsPresent(bool);

impl<'de> Deserialize<'de> for IsPresent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self(true))
    }
}

fn shorten_reason(error: &serde_json::Error) -> String {
    error.to_string().chars().take(MAX_REASON_CHARS).collect()
}

/// The id of a message; null where it has none, or two, or one that is neither a string nor an integer.
fn message_id_or_null(text: &[u8]) -> Value {
    #[derive(serde::Deserialize)]
    struct Identified {
        id: Value,
    }
    let id = serde_json::from_slice::<Identified>(text).map_or(Value::Null, |message| message.id);
    if id.is_string() || id.is_i64() || id.is_u64() { id } else { Value::Null }
}

/// What kind of JSON a text is, and how many values are in it. Reading it checks the whole text: its syntax, its encoding,
/// its depth, and that no object has a name twice.
struct JsonShape {
    kind: JsonKind,
    values: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum JsonKind {
    Object,
    Array,
    Text,
    Scalar,
}

impl JsonShape {
    const SCALAR: Self = Self { kind: JsonKind::Scalar, values: 1 };
}

impl<'de> Deserialize<'de> for JsonShape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ShapeVisitor)
    }
}

struct ShapeVisitor;

impl<'de> Visitor<'de> for ShapeVisitor {
    type Value = JsonShape;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<JsonShape, E> {
        Ok(JsonShape::SCALAR)
    }

    fn visit_i64<E>(self, _: i64) -> Result<JsonShape, E> {
        Ok(JsonShape::SCALAR)
    }

    fn visit_u64<E>(self, _: u64) -> Result<JsonShape, E> {
        Ok(JsonShape::SCALAR)
    }

    fn visit_f64<E>(self, _: f64) -> Result<JsonShape, E> {
        Ok(JsonShape::SCALAR)
    }

    fn visit_str<E>(self, _: &str) -> Result<JsonShape, E> {
        Ok(JsonShape { kind: JsonKind::Text, values: 1 })
    }

    fn visit_unit<E>(self) -> Result<JsonShape, E> {
        Ok(JsonShape::SCALAR)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<JsonShape, A::Error> {
        let mut values = 1;
        while let Some(item) = items.next_element::<JsonShape>()? {
            values += item.values;
        }
        Ok(JsonShape { kind: JsonKind::Array, values })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<JsonShape, A::Error> {
        let mut names = HashSet::new();
        let mut values = 1;
        while let Some(name) = fields.next_key::<String>()? {
            values += fields.next_value::<JsonShape>()?.values;
            if let Some(twice) = names.replace(name) {
                let name: String = twice.chars().take(80).collect();
                return Err(A::Error::custom(format!("an object has the key {name:?} twice: send it once")));
            }
        }
        Ok(JsonShape { kind: JsonKind::Object, values })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{MessageError, must_message_stay_unanswered};

    fn error_of(text: &[u8]) -> Option<(i32, Value, String)> {
        let error = MessageError::check_message(text).err()?;
        let json: Value = serde_json::from_str(&error.to_json()).expect("JSON");
        assert_eq!(json["error"]["message"], error.reason());
        Some((error.code.0, json["id"].clone(), error.message))
    }

    #[track_caller]
    fn assert_error(text: &[u8], code: i32, id: Value, reason: &str) {
        let (given, given_id, given_reason) = error_of(text).expect("an error");
        assert_eq!((given, given_id), (code, id), "{given_reason}");
        assert!(given_reason.contains(reason), "{given_reason}");
    }

    #[test]
    fn text_that_is_no_json_is_a_parse_error() {
        for text in ["", "hello", "{\"id\": 1", "{} {}", "{\"a\": 1e999}", "{\"a\": \"\\ud800\"}", "{\"a\": 'b'}"] {
            assert_error(text.as_bytes(), -32700, Value::Null, "not JSON");
        }
        assert_error(b"{\"jsonrpc\": \"2.0\", \"id\": \"\xFF\"}", -32700, Value::Null, "unicode");
        let deep = format!("{{\"id\": 1, \"a\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_error(deep.as_bytes(), -32700, Value::Null, "recursion limit");
        let deep = format!("{}1{}", "{\"a\":".repeat(100_000), "}".repeat(100_000));
        assert_error(deep.as_bytes(), -32700, Value::Null, "recursion limit");
    }

    #[test]
    fn json_that_is_no_object_is_no_request() {
        assert_error(b"[{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}]", -32600, Value::Null, "batch");
        for text in ["1", "\"a\"", "null", "true", "-1.5"] {
            assert_error(text.as_bytes(), -32600, Value::Null, "object");
        }
    }

    #[test]
    fn a_name_that_stands_twice_is_said() {
        assert_error(b"{\"id\": 1, \"method\": \"a\", \"m\\u0065thod\": \"b\"}", -32600, json!(1), "\"method\" twice");
        assert_error(
            b"{\"id\": \"x\", \"params\": {\"a\": [{\"b\": 1, \"b\": 1}]}}",
            -32600,
            json!("x"),
            "\"b\" twice",
        );
        assert_error(b"{\"id\": 1, \"id\": 2}", -32600, Value::Null, "\"id\" twice");
        assert_eq!(error_of(b"{\"a\": {\"b\": 1}, \"b\": {\"b\": [1, {\"b\": 2}, {\"b\": 3}]}}"), None);
    }

    #[test]
    fn a_message_of_many_values_is_refused() {
        let message = |count: usize| format!("{{\"id\": 5, \"a\": [{}{{}}]}}", "{\"\":0},".repeat(count));
        assert_error(message(300_000).as_bytes(), -32600, json!(5), "the limit is 20000");
        let memory = MessageError::check_message(message(9_000).as_bytes()).expect("a message");
        assert!(memory > 9_000 * 2 * 500, "{memory}");
    }

    #[test]
    fn the_id_is_given_back_where_it_is_one() {
        for (text, id) in [
            ("{\"id\": 7}", json!(7)),
            ("{\"id\": \"a\"}", json!("a")),
            ("{\"id\": 1.5}", Value::Null),
            ("{\"id\": {}}", Value::Null),
            ("{}", Value::Null),
        ] {
            assert_eq!(MessageError::not_a_message(text.as_bytes()).id, id, "{text}");
        }
    }

    #[test]
    fn notifications_and_answers_are_not_answered() {
        assert!(must_message_stay_unanswered(b"{\"method\": \"notifications/x\", \"params\": 1}"));
        assert!(must_message_stay_unanswered(b"{\"id\": 1, \"result\": 5}"));
        assert!(must_message_stay_unanswered(b"{\"error\": 5}"));
        for text in
            ["{\"id\": 1, \"method\": 5}", "{\"method\": 5}", "{}", "[]", "{", "[\"a\", null, 1, 2]", " [5, \"a\"]"]
        {
            assert!(!must_message_stay_unanswered(text.as_bytes()), "{text}");
        }
    }
}
