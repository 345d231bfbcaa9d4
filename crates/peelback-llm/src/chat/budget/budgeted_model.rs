//! A chat model whose calls stay within a budget of tokens and cost.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::allowance::{
    Allowance, CommittedTotals, compute_token_and_cost_limits_of_call, max_call_input_tokens, max_cost_of_tokens,
    retry_token_allowance,
};
use super::limits::{Limits, Purpose};
use super::rate_limiter::{RateLimiter, RateWait};
use super::spending::{Spending, format_dollars, format_with_thousands_commas};
use crate::chat::check::check_chat_request;
use crate::chat::error::ChatError;
use crate::chat::message::Message;
use crate::chat::model::{ChatFuture, ChatModel, ChatReply, ChatRequest, TextCallback, Usage};
use crate::chat::prices::{Price, Prices};
use crate::chat::tokens::{TokenCountCalibration, count_message_tokens, count_request_tokens};

/// A chat model with a budget: no call is sent that could exceed one of the [`Limits`].
///
/// Before a call, its tokens are estimated: the count by o200k times the factor of the provider ([`TokenCountCalibration`]). A
/// call over a limit is refused and nothing is sent; a call over the tokens per minute waits. The reply is limited to
/// the tokens that are left. After the call, the usage that the provider reports replaces the estimate and calibrates
/// the next one.
///
/// [`complete`](ChatModel::complete) may not use the reserve; [`model_for_last_answer`](Self::model_for_last_answer) is the same
/// model that may.
pub struct BudgetedModel {
    model: Box<dyn ChatModel>,
    limits: Limits,
    price: Option<Price>,
    rate_limiter: Arc<RateLimiter>,
    state: Mutex<BudgetState>,
}

struct BudgetState {
    spending: Spending,
    calibration: TokenCountCalibration,
    /// The tokens and the cost that are committed to calls in flight.
    committed: CommittedTotals,
}

impl BudgetedModel {
    /// Limits `model` to the budget `limits`. `rate_limiter` is shared with the model where the model repeats failed
    /// calls.
    ///
    /// # Errors
    /// [`ChatError::Options`] where the cost is limited and the price of the model is unknown, or the limit is negative
    /// or not a number.
    pub fn new(
        model: Box<dyn ChatModel>,
        limits: Limits,
        prices: &Prices,
        rate_limiter: Arc<RateLimiter>,
    ) -> Result<Self, ChatError> {
        let price = prices.price_of_model(model.name());
        if limits.max_cost.is_some() && price.is_none() {
            return Err(ChatError::Options(format!(
                "the price of {} is not known, so its cost cannot be limited: limit the total tokens, or name a file of \
                 prices",
                model.name()
            )));
        }
        if limits.max_cost.is_some_and(|cost| cost.is_nan() || cost < 0.0) {
            // No cost compares as higher than a limit that is NaN, which would therefore be no limit.
            return Err(ChatError::Options("the limit on the cost of a run is not an amount of dollars".to_owned()));
        }
        let limits =
            Limits { tokens_per_minute: limits.tokens_per_minute.min(rate_limiter.tokens_per_minute()), ..limits };
        let calibration = TokenCountCalibration::new_for_model(model.name());
        let spending = Spending { cost: price.map(|_| 0.0), ..Spending::default() };
        let state = Mutex::new(BudgetState { spending, calibration, committed: CommittedTotals::default() });
        Ok(Self { model, limits, price, rate_limiter, state })
    }

    /// The tokens and the cost of all calls of the run so far, failed ones included.
    pub fn spending(&self) -> Spending {
        let spending = self.lock_state().spending;
        Spending {
            waited: self.rate_limiter.total_wait(),
            possibly_billed: spending.possibly_billed.saturating_add(self.rate_limiter.failed_try_tokens()),
            ..spending
        }
    }

    /// The limits of the model's budget.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The limits on the tokens and the cost of the whole run, in words, such as `$2.00`; `None` where there is none.
    pub fn ceiling_in_words(&self) -> Option<String> {
        let cost = self.limits.max_cost.map(|cost| format_dollars(Some(cost)));
        let tokens =
            self.limits.max_total_tokens.map(|tokens| format!("{} tokens", format_with_thousands_commas(tokens)));
        let ceilings: Vec<String> = cost.into_iter().chain(tokens).collect();
        (!ceilings.is_empty()).then(|| ceilings.join(" and "))
    }

    /// The wait for the tokens per minute that a call is in now; `None` where no call waits.
    pub fn current_rate_wait(&self) -> Option<RateWait> {
        self.rate_limiter.current_wait()
    }

    /// The price of the model's tokens; `None` where it is unknown.
    pub fn price(&self) -> Option<Price> {
        self.price
    }

    /// The estimated input tokens of a request, as the provider counts.
    pub fn estimate_request_tokens(&self, request: &ChatRequest) -> u64 {
        let counted = count_request_tokens(request);
        self.lock_state().calibration.estimate_provider_tokens(counted)
    }

    /// The estimated tokens of one message, as the provider counts, for trimming a conversation.
    pub fn estimate_message_tokens(&self, message: &Message) -> u64 {
        let counted = count_message_tokens(message);
        self.lock_state().calibration.estimate_provider_tokens(counted)
    }

    /// The limit on the input tokens, counted by o200k, of a call for `purpose` that is made now and whose reply may
    /// have `output` tokens.
    pub fn available_input_tokens(&self, purpose: Purpose, output: u32) -> u64 {
        let state = self.lock_state();
        let committed = self.used_and_committed_totals(&state, self.rate_limiter.failed_try_tokens());
        let tokens = max_call_input_tokens(&self.limits, self.price.as_ref(), committed, purpose, output);
        state.calibration.max_o200k_tokens_for_provider_limit(tokens)
    }

    /// The limit on the input tokens, counted by o200k, that the call for the last answer surely has, whatever ordinary
    /// calls before it use. Its reply may have `output` tokens, at most those of the reserve.
    pub fn guaranteed_input_tokens_of_last_answer(&self, output: u32) -> u64 {
        let available = self.available_input_tokens(Purpose::LastAnswer, output);
        if self.limits.max_total_tokens.is_none() && self.limits.max_cost.is_none() {
            return available;
        }
        let reserved = self.lock_state().calibration.max_o200k_tokens_for_provider_limit(self.limits.reserve.input);
        available.min(reserved)
    }

    /// Sends `request` for `purpose` and returns the reply.
    ///
    /// # Errors
    /// [`ChatError::Budget`] where a limit forbids the call, and the errors of the model.
    pub async fn complete_for_purpose(
        &self,
        purpose: Purpose,
        request: &ChatRequest,
        on_text: Option<TextCallback<'_>>,
    ) -> Result<ChatReply, ChatError> {
        check_chat_request(request)?;
        let counted = count_request_tokens(request);
        let mut call = self.reserve_call_budget(purpose, counted, request.max_output_tokens)?;
        let Allowance { input, output, .. } = call.allowance;
        let admission = self.rate_limiter.wait_for_admission(input.saturating_add(u64::from(output))).await?;
        let request = ChatRequest { max_output_tokens: output, ..request.clone() };
        call.is_sent = true;
        let result = self.model.complete(&request, on_text).await;
        let used = match &result {
            Ok(reply) => call.record_reply(counted, reply),
            Err(error) => call.record_failure(error),
        };
        self.rate_limiter.correct_tokens_of_admitted_call(admission, used);
        result
    }

    /// The same model in a form whose calls may use the reserve: for the answer that ends the run.
    pub fn model_for_last_answer(&self) -> LastAnswerModel<'_> {
        LastAnswerModel(self)
    }

    /// Checks the limits of the run for a call and commits the call's tokens until it ends.
    fn reserve_call_budget(&self, purpose: Purpose, counted: u64, output: u32) -> Result<CallInFlight<'_>, ChatError> {
        let mut state = self.lock_state();
        let input = state.calibration.estimate_provider_tokens(counted);
        let failed_try_tokens = self.rate_limiter.failed_try_tokens();
        let price = self.price.as_ref();
        let allowance = compute_token_and_cost_limits_of_call(
            &self.limits,
            price,
            self.used_and_committed_totals(&state, failed_try_tokens),
            purpose,
            input,
            output,
        )?;
        state.committed.tokens = state.committed.tokens.saturating_add(allowance.total_tokens());
        state.committed.cost += allowance.cost;
        let for_retries = retry_token_allowance(
            &self.limits,
            price,
            self.used_and_committed_totals(&state, failed_try_tokens),
            purpose,
        );
        self.rate_limiter.set_retry_token_allowance(for_retries, failed_try_tokens);
        drop(state);
        Ok(CallInFlight { budgeted: self, allowance, is_sent: false, is_over: false })
    }

    /// The tokens and the cost that are used so far or committed to calls in flight; `failed_try_tokens` are those of
    /// failed tries.
    fn used_and_committed_totals(&self, state: &BudgetState, failed_try_tokens: u64) -> CommittedTotals {
        let Spending { usage, possibly_billed, cost, .. } = &state.spending;
        let possibly_billed = possibly_billed.saturating_add(failed_try_tokens);
        CommittedTotals {
            tokens: usage.total_tokens().saturating_add(possibly_billed).saturating_add(state.committed.tokens),
            cost: cost.unwrap_or(0.0) + max_cost_of_tokens(self.price.as_ref(), possibly_billed) + state.committed.cost,
        }
    }

    /// Adds the token usage of a call to the spending of the run.
    fn add_usage_to_spending(&self, state: &mut BudgetState, usage: Usage) {
        state.spending.usage += usage;
        if let (Some(cost), Some(price)) = (&mut state.spending.cost, &self.price) {
            *cost += price.cost_of_usage(&usage);
        }
    }

    fn lock_state(&self) -> MutexGuard<'_, BudgetState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A model call in flight: its tokens are committed until it ends, also where its future is dropped.
struct CallInFlight<'a> {
    budgeted: &'a BudgetedModel,
    allowance: Allowance,
    is_sent: bool,
    is_over: bool,
}

impl CallInFlight<'_> {
    /// Adds the usage of a reply to the spending, and returns the tokens that the call used.
    fn record_reply(mut self, counted: u64, reply: &ChatReply) -> u64 {
        let budgeted = self.budgeted;
        let mut state = budgeted.lock_state();
        self.release_committed_tokens_and_cost(&mut state);
        let mut usage = reply.usage;
        if usage.input == 0 {
            // The provider reported no usage: the allowance of the call is the upper bound.
            usage = Usage { input: self.allowance.input, output: u64::from(self.allowance.output), ..Usage::default() };
            state.spending.estimated += 1;
        } else {
            state.calibration.record_usage(counted, &usage);
            if usage.output == 0 && !is_empty_reply(reply) {
                // The provider reported only the input tokens.
                usage.output = u64::from(self.allowance.output);
                state.spending.estimated += 1;
            }
        }
        state.spending.calls += 1;
        budgeted.add_usage_to_spending(&mut state, usage);
        usage.total_tokens()
    }

    /// Adds a failed call to the spending, and returns the tokens that the call used or may have used.
    fn record_failure(mut self, error: &ChatError) -> u64 {
        let budgeted = self.budgeted;
        let mut state = budgeted.lock_state();
        self.release_committed_tokens_and_cost(&mut state);
        if error.is_certainly_unsent() {
            return 0;
        }
        state.spending.failed += 1;
        if error.is_certainly_unbilled() {
            return 0;
        }
        // The usage reported before the failure may be partial, and the provider may have continued after the
        // connection broke.
        let usage = error.reported_usage();
        budgeted.add_usage_to_spending(&mut state, usage);
        let input = if usage.input == 0 { self.allowance.input } else { 0 };
        let possibly_billed = input.saturating_add(u64::from(self.allowance.output).saturating_sub(usage.output));
        state.spending.possibly_billed = state.spending.possibly_billed.saturating_add(possibly_billed);
        usage.total_tokens().saturating_add(possibly_billed)
    }

    /// Releases the tokens and the cost that were committed to the call.
    fn release_committed_tokens_and_cost(&mut self, state: &mut BudgetState) {
        self.is_over = true;
        state.committed.tokens = state.committed.tokens.saturating_sub(self.allowance.total_tokens());
        state.committed.cost = (state.committed.cost - self.allowance.cost).max(0.0);
    }
}

impl Drop for CallInFlight<'_> {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let budgeted = self.budgeted;
        let mut state = budgeted.lock_state();
        self.release_committed_tokens_and_cost(&mut state);
        if self.is_sent {
            // The call was cancelled in flight, such as by Ctrl-C, and may be billed nevertheless.
            state.spending.failed += 1;
            state.spending.possibly_billed =
                state.spending.possibly_billed.saturating_add(self.allowance.total_tokens());
        }
    }
}

/// Whether a reply of a model has neither text nor tool calls.
fn is_empty_reply(reply: &ChatReply) -> bool {
    reply.message.text.is_empty() && reply.message.tool_calls.is_empty()
}

impl ChatModel for BudgetedModel {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn complete<'a>(&'a self, request: &'a ChatRequest, on_text: Option<TextCallback<'a>>) -> ChatFuture<'a> {
        Box::pin(self.complete_for_purpose(Purpose::Ordinary, request, on_text))
    }
}

impl fmt::Debug for BudgetedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BudgetedModel")
            .field("model", &self.model.name())
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// A [`BudgetedModel`] whose calls may use the reserve.
#[derive(Debug, Clone, Copy)]
pub struct LastAnswerModel<'a>(&'a BudgetedModel);

impl ChatModel for LastAnswerModel<'_> {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn complete<'a>(&'a self, request: &'a ChatRequest, on_text: Option<TextCallback<'a>>) -> ChatFuture<'a> {
        Box::pin(self.0.complete_for_purpose(Purpose::LastAnswer, request, on_text))
    }
}
