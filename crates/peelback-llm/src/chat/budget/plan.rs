//! Whether a call may be sent, and with how long a reply.

use super::super::error::ChatError;
use super::super::prices::Price;
use super::super::tokens::float;
use super::spent::grouped;
use super::{Limits, Purpose};

/// A reply for which there is room for fewer tokens than these is not worth its call.
const LEAST_OUTPUT: u64 = 256;

/// What is gone already, calls on their way included.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Committed {
    pub(super) tokens: u64,
    pub(super) cost: f64,
}

/// What a call may use.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Plan {
    /// Tokens that it sends, by estimate.
    pub(super) input: u64,
    /// Tokens that its reply may have.
    pub(super) output: u32,
    /// US dollars at most; 0 where no price is known.
    pub(super) cost: f64,
}

impl Plan {
    /// Tokens in and out.
    pub(super) fn total(&self) -> u64 {
        self.input.saturating_add(u64::from(self.output))
    }
}

/// What a call of `input` tokens for `purpose` may use, which wants a reply of `output` tokens. The reply is cut to what
/// there is room for.
///
/// # Errors
/// [`ChatError::Budget`] where there is no room for a reply worth its call.
pub(super) fn plan(
    limits: &Limits,
    price: Option<&Price>,
    gone: Committed,
    purpose: Purpose,
    input: u64,
    output: u32,
) -> Result<Plan, ChatError> {
    let least = u64::from(output).min(LEAST_OUTPUT);
    let refused = |words: String| Err(ChatError::Budget(words));
    if input > limits.max_input_tokens {
        return refused(format!(
            "the call would send about {} tokens, over the limit of {}: send less, or raise the input tokens of a call",
            grouped(input),
            grouped(limits.max_input_tokens)
        ));
    }
    let mut room = u64::from(output);
    let in_a_minute = limits.tokens_per_minute.saturating_sub(input);
    if in_a_minute < least {
        return refused(format!(
            "the call would send about {} tokens, more than the {} that may go in a minute, its reply included: send \
             less, or raise the tokens per minute",
            grouped(input),
            grouped(limits.tokens_per_minute)
        ));
    }
    room = room.min(in_a_minute);
    if let Some(ceiling) = limits.max_total_tokens {
        let left = left(ceiling, gone, limits, purpose);
        let for_reply = left.saturating_sub(input);
        if for_reply < least {
            return refused(format!(
                "the run's ceiling of {} tokens is reached: {} are used, {} are left{}, and the call would send about \
                 {}; raise the total tokens, or ask for less",
                grouped(ceiling),
                grouped(gone.tokens),
                grouped(left),
                beside(purpose),
                grouped(input)
            ));
        }
        room = room.min(for_reply);
    }
    let input_cost = price.map_or(0.0, |price| price.most_of_input(input));
    if let (Some(ceiling), Some(price)) = (limits.max_cost, price) {
        let left = left_cost(ceiling, gone, limits, price, purpose) - input_cost;
        if left < price.of_output(least) {
            return refused(format!(
                "the run's ceiling of ${ceiling:.2} is reached: ${:.4} are spent, and the call would cost ${:.4} or \
                 more{}; raise the cost, or ask for less",
                gone.cost,
                input_cost + price.of_output(least),
                beside(purpose)
            ));
        }
        if price.output > 0.0 {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative; rounded down")]
            let for_reply = (left / price.output * 1e6).floor() as u64;
            // Rounding must not fall short of what was just granted.
            room = room.min(for_reply.max(least));
        }
    }
    // It is at most what was wanted.
    let output = u32::try_from(room).unwrap_or(output);
    let cost = input_cost + price.map_or(0.0, |price| price.of_output(u64::from(output)));
    Ok(Plan { input, output, cost })
}

/// The most tokens that a call may send whose reply has `output`.
pub(super) fn room(limits: &Limits, price: Option<&Price>, gone: Committed, purpose: Purpose, output: u32) -> u64 {
    let output = u64::from(output);
    let mut room = limits.max_input_tokens.min(limits.tokens_per_minute.saturating_sub(output));
    if let Some(ceiling) = limits.max_total_tokens {
        room = room.min(left(ceiling, gone, limits, purpose).saturating_sub(output));
    }
    if let (Some(ceiling), Some(price)) = (limits.max_cost, price) {
        let left = left_cost(ceiling, gone, limits, price, purpose) - price.of_output(output);
        let one = price.most_of_input(1);
        if one > 0.0 {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative; rounded down")]
            let tokens = (left.max(0.0) / one).floor() as u64;
            room = room.min(tokens);
        } else if left < 0.0 {
            room = 0;
        }
    }
    room
}

/// Tokens that tries which break may use beside what is `gone`; `None` where there is no ceiling.
pub(super) fn spare(limits: &Limits, price: Option<&Price>, gone: Committed, purpose: Purpose) -> Option<u64> {
    let tokens = limits.max_total_tokens.map(|ceiling| left(ceiling, gone, limits, purpose));
    let for_cost = limits.max_cost.zip(price).and_then(|(ceiling, price)| {
        let one = most(Some(price), 1);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative; rounded down")]
        let tokens = (left_cost(ceiling, gone, limits, price, purpose).max(0.0) / one).floor() as u64;
        (one > 0.0).then_some(tokens)
    });
    match (tokens, for_cost) {
        (Some(tokens), Some(for_cost)) => Some(tokens.min(for_cost)),
        (tokens, for_cost) => tokens.or(for_cost),
    }
}

/// Tokens that are left for `purpose`.
fn left(ceiling: u64, gone: Committed, limits: &Limits, purpose: Purpose) -> u64 {
    let left = ceiling.saturating_sub(gone.tokens);
    match purpose {
        Purpose::Ordinary => left.saturating_sub(limits.reserve.total()),
        Purpose::LastAnswer => left,
    }
}

/// US dollars that are left for `purpose`; may be negative.
fn left_cost(ceiling: f64, gone: Committed, limits: &Limits, price: &Price, purpose: Purpose) -> f64 {
    let left = ceiling - gone.cost;
    match purpose {
        Purpose::Ordinary => left - price.most_of_input(limits.reserve.input) - price.of_output(limits.reserve.output),
        Purpose::LastAnswer => left,
    }
}

fn beside(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Ordinary => " beside the reserve for the last answer",
        Purpose::LastAnswer => "",
    }
}

/// The cost of tokens of which it is not known what they were, at most.
pub(super) fn most(price: Option<&Price>, tokens: u64) -> f64 {
    price.map_or(0.0, |price| float(tokens) / 1e6 * price.output.max(price.most_of_input(1_000_000)))
}
