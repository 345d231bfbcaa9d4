//! What tokens cost.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::error::ChatError;
use super::model::Usage;
use super::tokens::float;

const BUILT_IN: &str = include_str!("prices.toml");

/// Prices of models.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    /// The day of the prices.
    pub date: String,
    /// Where they are from.
    pub source: String,
    /// By `provider/model`, or `provider/*`.
    models: BTreeMap<String, Price>,
}

/// A model's prices in US dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// What goes in.
    pub input: f64,
    /// What is read from the provider's cache; `input` where it is missing.
    pub cache_read: Option<f64>,
    /// What is written to the provider's cache; `input` where it is missing.
    pub cache_write: Option<f64>,
    /// What comes out.
    pub output: f64,
}

impl Price {
    /// What `usage` costs, in US dollars.
    pub fn of(&self, usage: &Usage) -> f64 {
        let plain = usage.input.saturating_sub(usage.cache_read).saturating_sub(usage.cache_write);
        (float(plain) * self.input
            + float(usage.cache_read) * self.cache_read.unwrap_or(self.input)
            + float(usage.cache_write) * self.cache_write.unwrap_or(self.input)
            + float(usage.output) * self.output)
            / 1e6
    }

    /// What `input` tokens cost at most, in US dollars: all of them written to the cache, say.
    pub(super) fn most_of_input(&self, input: u64) -> f64 {
        let dearest = self.input.max(self.cache_read.unwrap_or(0.0)).max(self.cache_write.unwrap_or(0.0));
        float(input) * dearest / 1e6
    }

    /// What `output` tokens cost, in US dollars.
    pub(super) fn of_output(&self, output: u64) -> f64 {
        float(output) * self.output / 1e6
    }

    fn is_sound(&self) -> bool {
        let all = [Some(self.input), self.cache_read, self.cache_write, Some(self.output)];
        all.iter().flatten().all(|price| price.is_finite() && *price >= 0.0)
    }
}

impl Prices {
    /// The prices that come with this crate.
    pub fn built_in() -> Self {
        // A test reads the file, so it has prices.
        Self::read(BUILT_IN).unwrap_or_else(|_| Self {
            date: String::new(),
            source: String::new(),
            models: BTreeMap::new(),
        })
    }

    /// The built-in prices with those of a user's `file` before them. It has the form of `prices.toml`.
    ///
    /// # Errors
    /// [`ChatError::Options`] where the file cannot be read or has another form.
    pub fn with_file(file: &Path) -> Result<Self, ChatError> {
        let failed = |reason: String| ChatError::Options(format!("the prices in {}: {reason}", file.display()));
        let text = std::fs::read_to_string(file).map_err(|error| failed(error.to_string()))?;
        let own = Self::read(&text).map_err(failed)?;
        let mut prices = Self::built_in();
        prices.date = format!("{} and {}", own.date, prices.date);
        prices.source = format!("{} and {}", own.source, prices.source);
        prices.models.extend(own.models);
        Ok(prices)
    }

    fn read(text: &str) -> Result<Self, String> {
        let prices: Self = toml_edit::de::from_str(text).map_err(|error| error.to_string().trim().to_owned())?;
        match prices.models.iter().find(|(_, price)| !price.is_sound()) {
            Some((name, _)) => Err(format!("a price of {name} is negative or no number")),
            None => Ok(prices),
        }
    }

    /// The price of `provider/model`; `None` where it is not known. A model with a date at its end costs what the model
    /// without it does.
    pub fn of(&self, model: &str) -> Option<Price> {
        let exact = self.models.get(model).or_else(|| self.models.get(undated(model)));
        let all = || self.models.get(&format!("{}/*", model.split_once('/')?.0));
        // The same models behind OpenAI's other interface.
        let other = || Some(format!("openai/{}", model.strip_prefix("openai-responses/")?));
        exact.copied().or_else(|| all().copied()).or_else(|| self.of(&other()?))
    }
}

/// A model's name without the date at its end: `-20250929` or `-2025-09-29`.
fn undated(model: &str) -> &str {
    let is_number = |text: &str, digits: usize| text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some((name, date)) = model.rsplit_once('-') {
        if is_number(date, 8) {
            return name;
        }
        let parts: Vec<&str> = model.rsplitn(4, '-').collect();
        if let [day, month, year, name] = parts[..]
            && is_number(day, 2)
            && is_number(month, 2)
            && is_number(year, 4)
        {
            return name;
        }
    }
    model
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_prices_are_sound_and_say_where_they_are_from() {
        let prices = Prices::read(BUILT_IN).expect("prices");
        assert_eq!(prices, Prices::built_in());
        assert!(prices.models.len() > 50 && prices.date.len() == 10 && prices.source.contains("LiteLLM"));
        for (name, price) in &prices.models {
            let vendor = name.split_once('/').expect("a provider").0;
            assert!(crate::chat::VENDORS.iter().any(|row| row.name == vendor), "{name}");
            assert!(price.cache_read.is_none_or(|read| read <= price.input), "{name}");
        }
    }

    #[test]
    fn each_kind_of_token_has_its_price() {
        let prices = Prices::built_in();
        let price = prices.of("anthropic/claude-sonnet-4-5-20250929").expect("a price");
        let usage = Usage { input: 1_000_000, cache_read: 600_000, cache_write: 200_000, output: 100_000 };
        // 200,000 at 3, 600,000 at 0.3, 200,000 at 3.75, 100,000 at 15.
        assert!((price.of(&usage) - (0.6 + 0.18 + 0.75 + 1.5)).abs() < 1e-9, "{}", price.of(&usage));
        assert!((price.most_of_input(1_000_000) - 3.75).abs() < 1e-9);
    }

    #[test]
    fn models_are_found_by_their_names_alone() {
        let prices = Prices::built_in();
        assert_eq!(prices.of("openai/gpt-4.1-2025-04-14"), prices.of("openai/gpt-4.1"));
        assert_eq!(prices.of("openai-responses/gpt-4.1"), prices.of("openai/gpt-4.1"));
        assert!(prices.of("ollama/qwen3").is_some_and(|price| price.input == 0.0));
        for unknown in ["openai/gpt-4.1-huge", "openrouter/openai/gpt-4.1", "gpt-4.1", "", "litellm/x"] {
            assert_eq!(prices.of(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn a_users_file_goes_before() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("prices.toml");
        let write = |text: &str| std::fs::write(&file, text).expect("a file");
        write(
            "date = \"today\"\nsource = \"a contract\"\n[models]\n\"openai/gpt-4.1\" = { input = 1, output = 2.5 }\n",
        );
        let prices = Prices::with_file(&file).expect("prices");
        assert_eq!(prices.of("openai/gpt-4.1").map(|price| (price.input, price.output)), Some((1.0, 2.5)));
        assert!(prices.of("openai/gpt-4o").is_some() && prices.date.starts_with("today and 2"));
        for bad in ["", "x", "date = \"\"\nsource = \"\"\n[models]\n\"a/b\" = { input = -1, output = 1 }\n"] {
            write(bad);
            let words = Prices::with_file(&file).expect_err(bad).to_string();
            assert!(words.contains("prices.toml"), "{words}");
        }
    }
}
