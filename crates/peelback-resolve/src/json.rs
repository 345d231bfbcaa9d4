//! JSON as configuration files write it: with comments and trailing commas, the order of keys kept.

use jsonc_parser::ast::Value;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

/// A value; numbers and `false` are of no interest here.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum Json {
    #[default]
    Null,
    Text(String),
    List(Vec<Json>),
    Map(Vec<(String, Json)>),
}

static NULL: Json = Json::Null;

impl Json {
    /// The value of a text; null where it is none.
    pub fn parse(text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
        parsed.ok().and_then(|parsed| parsed.value).map_or(Self::Null, Self::of)
    }

    fn of(value: Value<'_>) -> Self {
        match value {
            Value::StringLit(text) => Self::Text(text.value.into_owned()),
            Value::Array(array) => Self::List(array.elements.into_iter().map(Self::of).collect()),
            Value::Object(object) => {
                let property = |property: jsonc_parser::ast::ObjectProp<'_>| {
                    (property.name.into_string(), Self::of(property.value))
                };
                Self::Map(object.properties.into_iter().map(property).collect())
            }
            Value::NumberLit(_) | Value::BooleanLit(_) | Value::NullKeyword(_) => Self::Null,
        }
    }

    /// The value under a key; null where there is none.
    pub fn get(&self, key: &str) -> &Self {
        self.entries().iter().find(|(name, _)| name == key).map_or(&NULL, |(_, value)| value)
    }

    pub fn entries(&self) -> &[(String, Self)] {
        match self {
            Self::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The values of a list; none where it is something else.
    pub fn items(&self) -> &[Self] {
        match self {
            Self::List(values) => values,
            _ => &[],
        }
    }

    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The texts of a list, or the one text that stands in place of one.
    pub fn texts(&self) -> Vec<&str> {
        match self {
            Self::Text(text) => vec![text],
            Self::List(values) => values.iter().filter_map(Self::text).collect(),
            _ => Vec::new(),
        }
    }

    pub fn is_null(&self) -> bool {
        *self == Self::Null
    }
}
