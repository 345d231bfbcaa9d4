//! Reads JSON as configuration files contain it: with comments and trailing commas, keys in source order.

use jsonc_parser::ast::Value;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use peelback_syntax::stack::run_with_stack_for_bounded_recursion;

/// A JSON value. Numbers and booleans are read as null, since no caller needs them.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum Json {
    #[default]
    Null,
    Text(String),
    List(Vec<Json>),
    Map(Vec<(String, Json)>),
}

static NULL: Json = Json::Null;

/// The limit on the nesting of lists and objects that are read; what is nested deeper is null. No configuration nests
/// that deep.
const MAX_LEVELS: usize = 64;

impl Json {
    /// Parses a JSON text; gives null if the text is not JSON.
    pub fn parse(text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        // The parser recurses to a limit of its own, and its tree is freed by recursion.
        run_with_stack_for_bounded_recursion(|| {
            let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
            let value = parsed.ok().and_then(|parsed| parsed.value);
            value.map_or(Self::Null, |value| Self::from_ast_value(value, MAX_LEVELS))
        })
    }

    /// The value of a syntax tree, down to `levels` levels of lists and objects.
    fn from_ast_value(value: Value<'_>, levels: usize) -> Self {
        let Some(below) = levels.checked_sub(1) else { return Self::Null };
        match value {
            Value::StringLit(text) => Self::Text(text.value.into_owned()),
            Value::Array(array) => {
                Self::List(array.elements.into_iter().map(|item| Self::from_ast_value(item, below)).collect())
            }
            Value::Object(object) => {
                let property = |property: jsonc_parser::ast::ObjectProp<'_>| {
                    (property.name.into_string(), Self::from_ast_value(property.value, below))
                };
                Self::Map(object.properties.into_iter().map(property).collect())
            }
            Value::NumberLit(_) | Value::BooleanLit(_) | Value::NullKeyword(_) => Self::Null,
        }
    }

    /// The value under a key of a JSON object; null if there is none.
    pub fn get(&self, key: &str) -> &Self {
        self.map_entries().iter().find(|(name, _)| name == key).map_or(&NULL, |(_, value)| value)
    }

    pub fn map_entries(&self) -> &[(String, Self)] {
        match self {
            Self::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The items of a JSON list; empty for any other value.
    pub fn list_items(&self) -> &[Self] {
        match self {
            Self::List(values) => values,
            _ => &[],
        }
    }

    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The strings in a JSON list, or a single string in place of a list; empty for any other value.
    pub fn texts_of_list_or_single_text(&self) -> Vec<&str> {
        match self {
            Self::Text(text) => vec![text],
            Self::List(values) => values.iter().filter_map(Self::as_text).collect(),
            _ => Vec::new(),
        }
    }

    pub fn is_null(&self) -> bool {
        *self == Self::Null
    }
}
