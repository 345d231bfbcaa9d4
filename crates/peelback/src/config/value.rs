//! Values of configuration keys: their kinds, their validation and their printed forms.

use std::path::{Path, PathBuf};

pub use peelback_agent::agent::SystemPromptMode;
use peelback_code::find_similar_names;
use peelback_llm::EmbeddingApiFormat;
use peelback_tools::DocumentationMode;

/// The kind of value that a configuration key accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// The value is one of these words.
    Choice(&'static [&'static str]),
    /// The value is a whole number in a range, both ends included.
    Number {
        /// The smallest number that is allowed.
        least: u64,
        /// The largest number that is allowed.
        most: u64,
    },
    /// The value is a boolean: `true` or `false`.
    Switch,
    /// The value is a list of paths of folders.
    Folders,
    /// The value is the path of a file.
    File,
    /// The value is the path of a folder.
    Folder,
    /// The value is any text, such as an address or a name; an empty text means that the key is not set.
    Text,
    /// The value is an amount in US dollars, with up to six decimals; 0 means no limit.
    Dollars,
}

/// An amount in millionths of a US dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dollars(u64);

impl Dollars {
    /// The highest amount, in US dollars, to which a limit can be set.
    const MAX_AMOUNT: f64 = 1_000_000.0;

    /// A whole number of US dollars.
    pub(super) const fn whole(dollars: u32) -> Self {
        Self(dollars as u64 * 1_000_000)
    }

    /// The amount in US dollars.
    pub fn amount(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// An amount in US dollars, to a millionth; `None` where it is out of the range of limits.
    pub fn from_amount(amount: f64) -> Option<Self> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the conversion saturates, and the range is checked below"
        )]
        let millionths = (amount * 1e6).round() as u64;
        // A positive amount that rounds to 0 is rejected, because 0 means no limit.
        let is_representable = amount == 0.0 || millionths > 0;
        ((0.0..=Self::MAX_AMOUNT).contains(&amount) && is_representable).then_some(Self(millionths))
    }
}

/// A checked value of a configuration key, before its conversion to the setting's type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ConfigValue {
    Text(String),
    Number(u64),
    Dollars(Dollars),
    Switch(bool),
    Texts(Vec<String>),
}

impl ValueKind {
    /// The allowed values of the kind, in words for error messages.
    pub(super) fn allowed_values_in_words(self) -> String {
        match self {
            Self::Choice(words) => {
                let quoted: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
                format!("one of {}", quoted.join(", "))
            }
            Self::Number { least, most } => format!("a whole number from {least} to {most}"),
            Self::Switch => "true or false".to_owned(),
            Self::Folders => "a list of folders".to_owned(),
            Self::File => "the path of a file".to_owned(),
            Self::Folder => "the path of a folder".to_owned(),
            Self::Text => "a text".to_owned(),
            Self::Dollars => format!("an amount of US dollars from 0 to {}", Dollars::MAX_AMOUNT),
        }
    }

    /// Converts a TOML value to a checked value of this kind; relative paths are resolved from `base`.
    pub(super) fn parse_toml_value(self, value: &toml_edit::Value, base: &Path) -> Result<ConfigValue, String> {
        let given = value.clone().decorated("", "").to_string();
        let refused = || Err(self.value_not_allowed_message(&given));
        match (self, value) {
            (Self::Choice(_) | Self::File | Self::Folder | Self::Text, toml_edit::Value::String(text)) => {
                self.check_value_and_resolve_paths(ConfigValue::Text(text.value().clone()), base)
            }
            (Self::Number { .. }, toml_edit::Value::Integer(number)) => match u64::try_from(*number.value()) {
                Ok(number) => self.check_value_and_resolve_paths(ConfigValue::Number(number), base),
                Err(_) => refused(),
            },
            (Self::Dollars, toml_edit::Value::Integer(number)) => {
                self.dollar_value_from_amount(*number.value() as f64, &given)
            }
            (Self::Dollars, toml_edit::Value::Float(number)) => self.dollar_value_from_amount(*number.value(), &given),
            (Self::Switch, toml_edit::Value::Boolean(switch)) => Ok(ConfigValue::Switch(*switch.value())),
            (Self::Folders, toml_edit::Value::Array(folders)) => {
                let texts: Option<Vec<String>> = folders.iter().map(|item| item.as_str().map(str::to_owned)).collect();
                texts.map_or_else(refused, |texts| self.check_value_and_resolve_paths(ConfigValue::Texts(texts), base))
            }
            _ => refused(),
        }
    }

    /// Converts the text of an environment variable or a flag to a checked value of this kind; relative paths are
    /// resolved from `base`.
    pub(super) fn parse_variable_or_flag_texts(self, texts: &[String], base: &Path) -> Result<ConfigValue, String> {
        if self == Self::Folders {
            return self.check_value_and_resolve_paths(ConfigValue::Texts(texts.to_vec()), base);
        }
        let text = texts.last().map_or("", String::as_str).trim();
        match self {
            Self::Number { .. } => match text.parse() {
                Ok(number) => self.check_value_and_resolve_paths(ConfigValue::Number(number), base),
                Err(_) => Err(self.value_not_allowed_message(&format!("{text:?}"))),
            },
            Self::Dollars => match text.trim_start_matches('$').parse() {
                Ok(amount) => self.dollar_value_from_amount(amount, &format!("{text:?}")),
                Err(_) => Err(self.value_not_allowed_message(&format!("{text:?}"))),
            },
            Self::Switch => match text.to_ascii_lowercase().as_str() {
                "true" | "1" | "yes" | "on" => Ok(ConfigValue::Switch(true)),
                "false" | "0" | "no" | "off" => Ok(ConfigValue::Switch(false)),
                _ => Err(self.value_not_allowed_message(&format!("{text:?}"))),
            },
            _ => self.check_value_and_resolve_paths(ConfigValue::Text(text.to_owned()), base),
        }
    }

    fn dollar_value_from_amount(self, amount: f64, given: &str) -> Result<ConfigValue, String> {
        Dollars::from_amount(amount).map(ConfigValue::Dollars).ok_or_else(|| self.value_not_allowed_message(given))
    }

    /// Checks that a value is allowed by this kind, and makes its paths absolute.
    fn check_value_and_resolve_paths(self, value: ConfigValue, base: &Path) -> Result<ConfigValue, String> {
        match (self, value) {
            (Self::Choice(words), ConfigValue::Text(text)) if !words.contains(&text.as_str()) => {
                let close = find_similar_names(&text, words.iter().copied(), 1);
                let advice = close.first().map(|word| format!(": did you mean {word:?}?")).unwrap_or_default();
                Err(format!("{}{advice}", self.value_not_allowed_message(&format!("{text:?}"))))
            }
            (Self::Number { least, most }, ConfigValue::Number(number)) if !(least..=most).contains(&number) => {
                let nearest = number.clamp(least, most);
                Err(format!("{}: the nearest is {nearest}", self.value_not_allowed_message(&number.to_string())))
            }
            (Self::File | Self::Folder, ConfigValue::Text(text)) if text.is_empty() => {
                Err(self.value_not_allowed_message("\"\""))
            }
            (Self::File | Self::Folder, ConfigValue::Text(text)) => {
                Ok(ConfigValue::Text(to_absolute_path(&text, base)))
            }
            (Self::Folders, ConfigValue::Texts(texts)) => {
                if texts.iter().any(String::is_empty) {
                    return Err(self.value_not_allowed_message("\"\" in it"));
                }
                Ok(ConfigValue::Texts(texts.iter().map(|text| to_absolute_path(text, base)).collect()))
            }
            (_, value) => Ok(value),
        }
    }

    fn value_not_allowed_message(self, given: &str) -> String {
        format!("{given} is not {}", self.allowed_values_in_words())
    }
}

/// The absolute form of a path: relative to `base`, or to the user's home folder where the path begins with `~/`.
fn to_absolute_path(text: &str, base: &Path) -> String {
    let home = || etcetera::home_dir().ok();
    let path = match text.strip_prefix('~') {
        Some("") => home(),
        Some(rest) if rest.starts_with('/') => home().map(|home| home.join(rest.trim_start_matches('/'))),
        _ => None,
    };
    base.join(path.unwrap_or_else(|| PathBuf::from(text))).display().to_string()
}

/// A type that a setting can have, with conversions from and to a checked [`ConfigValue`].
pub(super) trait SettingValue: Sized {
    /// Converts a checked value to the type of a setting; `None` where the value has another type.
    fn from_config_value(value: ConfigValue) -> Option<Self>;
    /// Converts the setting to a checked value; `None` where it is not set.
    fn to_config_value(&self) -> Option<ConfigValue>;
}

impl SettingValue for DocumentationMode {
    fn from_config_value(value: ConfigValue) -> Option<Self> {
        let ConfigValue::Text(text) = value else { return None };
        Self::ALL.into_iter().find(|mode| mode.as_str() == text)
    }

    fn to_config_value(&self) -> Option<ConfigValue> {
        Some(ConfigValue::Text(self.as_str().to_owned()))
    }
}

impl SettingValue for SystemPromptMode {
    fn from_config_value(value: ConfigValue) -> Option<Self> {
        let ConfigValue::Text(text) = value else { return None };
        [Self::Minimal, Self::Default].into_iter().find(|mode| mode.as_str() == text)
    }

    fn to_config_value(&self) -> Option<ConfigValue> {
        Some(ConfigValue::Text(self.as_str().to_owned()))
    }
}

impl SettingValue for u64 {
    fn from_config_value(value: ConfigValue) -> Option<Self> {
        if let ConfigValue::Number(number) = value { Some(number) } else { None }
    }

    fn to_config_value(&self) -> Option<ConfigValue> {
        Some(ConfigValue::Number(*self))
    }
}

/// A setting that is a number, where 0 means no limit.
impl SettingValue for Option<u64> {
    fn from_config_value(value: ConfigValue) -> Option<Self> {
        if let ConfigValue::Number(number) = value { Some(Some(number).filter(|number| *number > 0)) } else { None }
    }

    fn to_config_value(&self) -> Option<ConfigValue> {
        self.map(ConfigValue::Number)
    }
}

/// A setting that is an amount of US dollars, where 0 means no limit.
impl SettingValue for Option<Dollars> {
    fn from_config_value(value: ConfigValue) -> Option<Self> {
        if let ConfigValue::Dollars(dollars) = value {
            Some(Some(dollars).filter(|dollars| dollars.0 > 0))
        } else {
            None
        }
    }

    fn to_config_value(&self) -> Option<ConfigValue> {
        self.map(ConfigValue::Dollars)
    }
}

impl SettingValue for bool {
    fn from_config_value(value: ConfigValue) -> Option<Self> {
        if let ConfigValue::Switch(switch) = value { Some(switch) } else { None }
    }

    fn to_config_value(&self) -> Option<ConfigValue> {
        Some(ConfigValue::Switch(*self))
    }
}

impl SettingValue for Vec<PathBuf> {
    fn from_config_value(value: ConfigValue) -> Option<Self> {
        if let ConfigValue::Texts(texts) = value { Some(texts.into_iter().map(PathBuf::from).collect()) } else { None }
    }

    fn to_config_value(&self) -> Option<ConfigValue> {
        Some(ConfigValue::Texts(self.iter().map(|path| path.display().to_string()).collect()))
    }
}

impl SettingValue for Option<PathBuf> {
    fn from_config_value(value: ConfigValue) -> Option<Self> {
        if let ConfigValue::Text(text) = value { Some(Some(PathBuf::from(text))) } else { None }
    }

    fn to_config_value(&self) -> Option<ConfigValue> {
        self.as_ref().map(|path| ConfigValue::Text(path.display().to_string()))
    }
}

impl SettingValue for Option<String> {
    fn from_config_value(value: ConfigValue) -> Option<Self> {
        if let ConfigValue::Text(text) = value { Some(Some(text).filter(|text| !text.is_empty())) } else { None }
    }

    fn to_config_value(&self) -> Option<ConfigValue> {
        self.clone().map(ConfigValue::Text)
    }
}

impl SettingValue for EmbeddingApiFormat {
    fn from_config_value(value: ConfigValue) -> Option<Self> {
        let ConfigValue::Text(text) = value else { return None };
        Self::ALL.into_iter().find(|form| form.name() == text)
    }

    fn to_config_value(&self) -> Option<ConfigValue> {
        Some(ConfigValue::Text(self.name().to_owned()))
    }
}

impl ConfigValue {
    /// The configuration value in TOML syntax.
    pub(super) fn to_toml_text(&self) -> String {
        match self {
            Self::Text(text) => toml_edit::Value::from(text.as_str()).to_string(),
            Self::Number(number) => number.to_string(),
            Self::Dollars(dollars) => toml_edit::Value::from(dollars.amount()).to_string(),
            Self::Switch(switch) => switch.to_string(),
            Self::Texts(texts) => texts.iter().map(String::as_str).collect::<toml_edit::Value>().to_string(),
        }
    }

    /// The configuration value as JSON.
    pub(super) fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Text(text) => text.as_str().into(),
            Self::Number(number) => (*number).into(),
            Self::Dollars(dollars) => dollars.amount().into(),
            Self::Switch(switch) => (*switch).into(),
            Self::Texts(texts) => texts.clone().into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{ConfigValue, ValueKind};

    #[test]
    fn what_is_not_allowed_is_refused_with_the_nearest() {
        let here = Path::new("/here");
        let modes = ValueKind::Choice(&["minimal", "full"]);
        let text = |text: &str| vec![text.to_owned()];
        assert_eq!(
            modes.parse_variable_or_flag_texts(&text("minimum"), here),
            Err("\"minimum\" is not one of \"minimal\", \"full\": did you mean \"minimal\"?".to_owned())
        );
        let number = ValueKind::Number { least: 1, most: 60 };
        assert_eq!(
            number.parse_variable_or_flag_texts(&text("90"), here),
            Err("90 is not a whole number from 1 to 60: the nearest is 60".to_owned())
        );
        assert_eq!(number.parse_variable_or_flag_texts(&text(" 9 "), here), Ok(ConfigValue::Number(9)));
        assert!(number.parse_variable_or_flag_texts(&text("-1"), here).is_err());
        assert_eq!(ValueKind::Switch.parse_variable_or_flag_texts(&text("On"), here), Ok(ConfigValue::Switch(true)));
        assert!(ValueKind::Switch.parse_variable_or_flag_texts(&text("maybe"), here).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn paths_are_taken_from_the_place_that_names_them() {
        let folders = vec!["sub".to_owned(), "/abs".to_owned()];
        assert_eq!(
            ValueKind::Folders.parse_variable_or_flag_texts(&folders, Path::new("/base")),
            Ok(ConfigValue::Texts(vec!["/base/sub".to_owned(), "/abs".to_owned()]))
        );
    }
}
