//! The cost of a run of model calls, estimated before its start.

use std::fmt;

use super::spending::{format_dollars, format_with_thousands_commas};
use crate::chat::model::ChatRequest;
use crate::chat::prices::{Price, Prices};
use crate::chat::tokens::{TokenCountCalibration, count_request_tokens};

/// The highest number of tokens and the highest cost of model calls that are not sent yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Forecast {
    /// The name of the model in the form `provider/model`.
    pub model: String,
    /// The number of calls in the forecast.
    pub calls: u64,
    /// The estimated input tokens of all calls, as the provider counts.
    pub input_tokens: u64,
    /// The limit on the output tokens of all calls together.
    pub max_output_tokens: u64,
    /// The highest cost of all calls in US dollars; `None` where the price of the model is unknown.
    pub max_cost: Option<f64>,
    calibration: TokenCountCalibration,
    price: Option<Price>,
}

impl Forecast {
    /// Creates a forecast without calls for the model named `model`, in the form `provider/model`.
    pub fn new(model: &str, prices: &Prices) -> Self {
        let price = prices.price_of_model(model);
        Self {
            model: model.to_owned(),
            calls: 0,
            input_tokens: 0,
            max_output_tokens: 0,
            max_cost: price.map(|_| 0.0),
            calibration: TokenCountCalibration::new_for_model(model),
            price,
        }
    }

    /// Adds the call that `request` would make to the forecast.
    pub fn add_request(&mut self, request: &ChatRequest) {
        self.add_call_with_token_counts(count_request_tokens(request), request.max_output_tokens);
    }

    /// Adds a call of `counted` input tokens by o200k, whose reply has at most `max_output_tokens`, to the forecast.
    pub fn add_call_with_token_counts(&mut self, counted: u64, max_output_tokens: u32) {
        let (input, output) = (self.calibration.estimate_provider_tokens(counted), u64::from(max_output_tokens));
        self.calls += 1;
        self.input_tokens = self.input_tokens.saturating_add(input);
        self.max_output_tokens = self.max_output_tokens.saturating_add(output);
        if let (Some(cost), Some(price)) = (&mut self.max_cost, &self.price) {
            *cost += price.max_input_cost(input) + price.output_cost(output);
        }
    }
}

impl fmt::Display for Forecast {
    /// Writes the forecast in one line: `2 calls of a/b, about 31,000 tokens in and at most 8,000 out, at most $0.21`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let calls = if self.calls == 1 { "call" } else { "calls" };
        let (input, output) =
            (format_with_thousands_commas(self.input_tokens), format_with_thousands_commas(self.max_output_tokens));
        write!(f, "{} {calls} of {}, about {input} tokens in and at most {output} out, ", self.calls, self.model)?;
        match self.max_cost {
            None => f.write_str("cost unknown, since its price is not known"),
            cost => write!(f, "at most {}", format_dollars(cost)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::message::Message;

    #[test]
    fn tokens_and_cost_of_calls_add_up() {
        let prices = Prices::built_in();
        let request = ChatRequest {
            messages: vec![Message::new_user_message("How?")],
            max_output_tokens: 500,
            ..ChatRequest::default()
        };
        let mut forecast = Forecast::new("openai/gpt-4.1", &prices);
        forecast.add_request(&request);
        forecast.add_call_with_token_counts(1_000_000, 1_000);
        assert_eq!((forecast.calls, forecast.max_output_tokens), (2, 1_500));
        assert_eq!(forecast.input_tokens, 1_000_000 + count_request_tokens(&request));
        // 2 dollars a million in, 8 out.
        let cost = forecast.max_cost.expect("a cost");
        assert!((cost - 2.012).abs() < 0.001, "{cost}");
        assert!(forecast.to_string().ends_with("tokens in and at most 1,500 out, at most $2.01"), "{forecast}");

        let mut unknown = Forecast::new("compatible/x", &prices);
        unknown.add_request(&request);
        assert_eq!(unknown.max_cost, None);
        assert!(unknown.to_string().ends_with("cost unknown, since its price is not known"), "{unknown}");
    }
}
