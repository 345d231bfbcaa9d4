//! What a run would cost, told before it begins.

use std::fmt;

use super::super::model::ChatRequest;
use super::super::prices::{Price, Prices};
use super::super::tokens::{Calibration, count_request};
use super::spent::{dollars, grouped};

/// What calls that were not sent would cost at most.
#[derive(Debug, Clone, PartialEq)]
pub struct Forecast {
    /// The model, `provider/model`.
    pub model: String,
    /// Calls.
    pub calls: u64,
    /// The provider's tokens that they send, by estimate.
    pub input_tokens: u64,
    /// Tokens that their replies may have, all together.
    pub max_output_tokens: u64,
    /// US dollars at most; `None` where the model's price is not known.
    pub max_cost: Option<f64>,
    calibration: Calibration,
    price: Option<Price>,
}

impl Forecast {
    /// A forecast of no calls of `model`, `provider/model`.
    pub fn new(model: &str, prices: &Prices) -> Self {
        let price = prices.of(model);
        Self {
            model: model.to_owned(),
            calls: 0,
            input_tokens: 0,
            max_output_tokens: 0,
            max_cost: price.map(|_| 0.0),
            calibration: Calibration::of(model),
            price,
        }
    }

    /// Adds a call that is known.
    pub fn add(&mut self, request: &ChatRequest) {
        self.add_counted(count_request(request), request.max_output_tokens);
    }

    /// Adds a call of which only the size is known: tokens by o200k's count, and the most of its reply.
    pub fn add_counted(&mut self, counted: u64, max_output_tokens: u32) {
        let (input, output) = (self.calibration.estimate(counted), u64::from(max_output_tokens));
        self.calls += 1;
        self.input_tokens = self.input_tokens.saturating_add(input);
        self.max_output_tokens = self.max_output_tokens.saturating_add(output);
        if let (Some(cost), Some(price)) = (&mut self.max_cost, &self.price) {
            *cost += price.most_of_input(input) + price.of_output(output);
        }
    }
}

impl fmt::Display for Forecast {
    /// In one line: `2 calls of a/b, about 31,000 tokens in and at most 8,000 out, at most $0.21`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let calls = if self.calls == 1 { "call" } else { "calls" };
        let (input, output) = (grouped(self.input_tokens), grouped(self.max_output_tokens));
        write!(f, "{} {calls} of {}, about {input} tokens in and at most {output} out, ", self.calls, self.model)?;
        match self.max_cost {
            None => f.write_str("cost unknown, since its price is not known"),
            cost => write!(f, "at most {}", dollars(cost)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::Message;

    #[test]
    fn calls_add_up() {
        let prices = Prices::built_in();
        let request =
            ChatRequest { messages: vec![Message::user("How?")], max_output_tokens: 500, ..ChatRequest::default() };
        let mut forecast = Forecast::new("openai/gpt-4.1", &prices);
        forecast.add(&request);
        forecast.add_counted(1_000_000, 1_000);
        assert_eq!((forecast.calls, forecast.max_output_tokens), (2, 1_500));
        assert_eq!(forecast.input_tokens, 1_000_000 + count_request(&request));
        // 2 dollars a million in, 8 out.
        let cost = forecast.max_cost.expect("a cost");
        assert!((cost - 2.012).abs() < 0.001, "{cost}");
        assert!(forecast.to_string().ends_with("tokens in and at most 1,500 out, at most $2.01"), "{forecast}");

        let mut unknown = Forecast::new("compatible/x", &prices);
        unknown.add(&request);
        assert_eq!(unknown.max_cost, None);
        assert!(unknown.to_string().ends_with("cost unknown, since its price is not known"), "{unknown}");
    }
}
