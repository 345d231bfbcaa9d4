//! The prices of the tokens of models.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::error::ChatError;
use super::model::Usage;
use super::tokens::tokens_as_float;
use super::vendors::VENDORS;
use crate::regular_file::read_text_file;

const BUILT_IN_PRICES_TOML: &str = include_str!("prices.toml");

/// The maximum size in bytes of a file of prices.
const MAX_PRICES_BYTES: u64 = 4 << 20;

/// A table of the prices of models, by `provider/model`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    /// The day on which the prices were collected, `YYYY-MM-DD`.
    pub date: String,
    /// The source from which the prices were collected.
    pub source: String,
    /// Prices by `provider/model`, or by `provider/*` for all models of a provider.
    models: BTreeMap<String, Price>,
}

/// The prices of a model in US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// The price of input tokens.
    pub input: f64,
    /// The price of input tokens read from the prompt cache; where it is missing, `input` is the price.
    pub cache_read: Option<f64>,
    /// The price of input tokens written to the prompt cache; where it is missing, `input` is the price.
    pub cache_write: Option<f64>,
    /// The price of output tokens.
    pub output: f64,
}

impl Price {
    /// The cost of the tokens in `usage` in US dollars.
    pub fn cost_of_usage(&self, usage: &Usage) -> f64 {
        let uncached = usage.input.saturating_sub(usage.cache_read).saturating_sub(usage.cache_write);
        (tokens_as_float(uncached) * self.input
            + tokens_as_float(usage.cache_read) * self.cache_read.unwrap_or(self.input)
            + tokens_as_float(usage.cache_write) * self.cache_write.unwrap_or(self.input)
            + tokens_as_float(usage.output) * self.output)
            / 1e6
    }

    /// The highest possible cost of `input` tokens in US dollars: all of them are of the dearest kind, such as written
    /// to the prompt cache.
    pub(super) fn max_input_cost(&self, input: u64) -> f64 {
        let highest_price = self.input.max(self.cache_read.unwrap_or(0.0)).max(self.cache_write.unwrap_or(0.0));
        tokens_as_float(input) * highest_price / 1e6
    }

    /// The cost of `output` output tokens in US dollars.
    pub(super) fn output_cost(&self, output: u64) -> f64 {
        tokens_as_float(output) * self.output / 1e6
    }

    /// Whether none of the prices is negative, infinite or not a number.
    fn is_valid(&self) -> bool {
        let all = [Some(self.input), self.cache_read, self.cache_write, Some(self.output)];
        all.iter().flatten().all(|price| price.is_finite() && *price >= 0.0)
    }
}

impl Prices {
    /// The prices of models that are part of this crate.
    pub fn built_in() -> Self {
        // A test parses the built-in prices, so that they are never empty here.
        Self::parse(BUILT_IN_PRICES_TOML).unwrap_or_else(|_| Self {
            date: String::new(),
            source: String::new(),
            models: BTreeMap::new(),
        })
    }

    /// The built-in prices, overridden by those of `file`, which has the form of `prices.toml` of this crate.
    ///
    /// # Errors
    /// [`ChatError::Options`] where the file cannot be read or parsed, or a price is negative or not a number.
    pub fn with_overrides_from_file(file: &Path) -> Result<Self, ChatError> {
        let failed = |reason: String| ChatError::Options(format!("the prices in {}: {reason}", file.display()));
        let text = read_text_file(file, MAX_PRICES_BYTES).map_err(|error| failed(error.to_string()))?;
        let overrides = Self::parse(&text).map_err(failed)?;
        let mut prices = Self::built_in();
        prices.date = format!("{} and {}", overrides.date, prices.date);
        prices.source = format!("{} and {}", overrides.source, prices.source);
        prices.models.extend(overrides.models);
        Ok(prices)
    }

    /// Parses the text of a file of prices and checks each price.
    fn parse(text: &str) -> Result<Self, String> {
        let prices: Self = toml_edit::de::from_str(text).map_err(|error| error.to_string().trim().to_owned())?;
        match prices.models.iter().find(|(_, price)| !price.is_valid()) {
            Some((name, _)) => Err(format!("a price of {name} is negative or not a number")),
            None => Ok(prices),
        }
    }

    /// The price of the model `provider/model`; `None` where it is unknown. A model whose name ends in a date has the
    /// price of the model without the date.
    pub fn price_of_model(&self, model: &str) -> Option<Price> {
        let exact = self.models.get(model).or_else(|| self.models.get(strip_model_date(model)));
        let provider_price = || self.models.get(&format!("{}/*", model.split_once('/')?.0));
        // The same models may be offered over another protocol, under the name of another provider.
        let equivalent_model = || {
            let (provider, name) = model.split_once('/')?;
            let vendor = VENDORS.iter().find(|vendor| vendor.name == provider)?;
            Some(format!("{}/{name}", vendor.priced_as?))
        };
        exact.copied().or_else(|| provider_price().copied()).or_else(|| self.price_of_model(&equivalent_model()?))
    }
}

/// The name of a model without a date at its end: `-20250929` or `-2025-09-29`.
fn strip_model_date(model: &str) -> &str {
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
    fn built_in_prices_are_valid_and_name_their_source() {
        let prices = Prices::parse(BUILT_IN_PRICES_TOML).expect("prices");
        assert_eq!(prices, Prices::built_in());
        assert!(prices.models.len() > 50 && prices.date.len() == 10 && prices.source.contains("LiteLLM"));
        for (name, price) in &prices.models {
            let vendor = name.split_once('/').expect("a provider").0;
            assert!(VENDORS.iter().any(|row| row.name == vendor), "{name}");
            assert!(price.cache_read.is_none_or(|read| read <= price.input), "{name}");
        }
    }

    #[test]
    fn input_cache_and_output_tokens_have_their_own_prices() {
        let prices = Prices::built_in();
        let price = prices.price_of_model("anthropic/claude-sonnet-4-5-20250929").expect("a price");
        let usage = Usage { input: 1_000_000, cache_read: 600_000, cache_write: 200_000, output: 100_000 };
        // 200,000 at 3, 600,000 at 0.3, 200,000 at 3.75, 100,000 at 15.
        assert!(
            (price.cost_of_usage(&usage) - (0.6 + 0.18 + 0.75 + 1.5)).abs() < 1e-9,
            "{}",
            price.cost_of_usage(&usage)
        );
        assert!((price.max_input_cost(1_000_000) - 3.75).abs() < 1e-9);
    }

    #[test]
    fn dates_and_protocols_in_a_model_name_do_not_change_its_price() {
        let prices = Prices::built_in();
        assert_eq!(prices.price_of_model("openai/gpt-4.1-2025-04-14"), prices.price_of_model("openai/gpt-4.1"));
        assert_eq!(prices.price_of_model("openai-responses/gpt-4.1"), prices.price_of_model("openai/gpt-4.1"));
        assert!(prices.price_of_model("ollama/qwen3").is_some_and(|price| price.input == 0.0));
        for unknown in ["openai/gpt-4.1-huge", "openrouter/openai/gpt-4.1", "gpt-4.1", "", "litellm/x"] {
            assert_eq!(prices.price_of_model(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn a_file_of_prices_overrides_the_built_in_ones() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("prices.toml");
        let write = |text: &str| std::fs::write(&file, text).expect("a file");
        write(
            "date = \"today\"\nsource = \"a contract\"\n[models]\n\"openai/gpt-4.1\" = { input = 1, output = 2.5 }\n",
        );
        let prices = Prices::with_overrides_from_file(&file).expect("prices");
        assert_eq!(prices.price_of_model("openai/gpt-4.1").map(|price| (price.input, price.output)), Some((1.0, 2.5)));
        assert!(prices.price_of_model("openai/gpt-4o").is_some() && prices.date.starts_with("today and 2"));
        for bad in ["", "x", "date = \"\"\nsource = \"\"\n[models]\n\"a/b\" = { input = -1, output = 1 }\n"] {
            write(bad);
            let words = Prices::with_overrides_from_file(&file).expect_err(bad).to_string();
            assert!(words.contains("prices.toml"), "{words}");
        }
    }
}
