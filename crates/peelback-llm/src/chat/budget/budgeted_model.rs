//! A model within its budget.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::super::Message;
use super::super::check::check_request;
use super::super::error::ChatError;
use super::super::model::{ChatFuture, ChatModel, ChatReply, ChatRequest, Usage, Watch};
use super::super::prices::{Price, Prices};
use super::super::tokens::{Calibration, count_message, count_request};
use super::plan::{Committed, Plan, most, plan, room, spare};
use super::{Limits, Purpose, RateLimiter, Spent};

/// A model within its budget: no call is sent that could break one of the [`Limits`].
///
/// Before a call, its tokens are estimated: counted by o200k, times what the provider was seen to count more. A call over
/// a limit is refused and nothing is sent; one that the throttle holds back waits. The reply is allowed as many tokens as
/// there is room for. After the call, what the provider reports takes the estimate's place, and teaches the next one.
///
/// [`complete`](ChatModel::complete) is work, which leaves the reserve alone; [`last_answer`](Self::last_answer) is the
/// same model with the reserve.
pub struct BudgetedModel {
    model: Box<dyn ChatModel>,
    limits: Limits,
    price: Option<Price>,
    rate_limiter: Arc<RateLimiter>,
    state: Mutex<State>,
}

struct State {
    spent: Spent,
    calibration: Calibration,
    /// What calls on their way may use.
    committed: Committed,
}

impl BudgetedModel {
    /// `model` within `limits`. `rate_limiter` is their throttle, which the model's own further tries may count in too.
    ///
    /// # Errors
    /// [`ChatError::Options`] where a cost is the limit and the model's price is not known, or the limit is no amount.
    pub fn new(
        model: Box<dyn ChatModel>,
        limits: Limits,
        prices: &Prices,
        rate_limiter: Arc<RateLimiter>,
    ) -> Result<Self, ChatError> {
        let price = prices.of(model.name());
        if limits.max_cost.is_some() && price.is_none() {
            return Err(ChatError::Options(format!(
                "the price of {} is not known, so its cost cannot be limited: limit the total tokens, or name a file of \
                 prices",
                model.name()
            )));
        }
        if limits.max_cost.is_some_and(|cost| cost.is_nan() || cost < 0.0) {
            // Nothing is more than what is no number.
            return Err(ChatError::Options("the cost of a run is limited by what is no amount of dollars".to_owned()));
        }
        let limits = Limits { tokens_per_minute: limits.tokens_per_minute.min(rate_limiter.limit()), ..limits };
        let calibration = Calibration::of(model.name());
        let spent = Spent { cost: price.map(|_| 0.0), ..Spent::default() };
        let state = Mutex::new(State { spent, calibration, committed: Committed::default() });
        Ok(Self { model, limits, price, rate_limiter, state })
    }

    /// What was used so far, whatever became of the calls.
    pub fn spent(&self) -> Spent {
        let spent = self.state().spent;
        Spent {
            waited: self.rate_limiter.waited(),
            unsure: spent.unsure.saturating_add(self.rate_limiter.lost()),
            ..spent
        }
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The model's price, where it is known.
    pub fn price(&self) -> Option<Price> {
        self.price
    }

    /// The provider's tokens that `request` would send, by estimate.
    pub fn estimate(&self, request: &ChatRequest) -> u64 {
        let counted = count_request(request);
        self.state().calibration.estimate(counted)
    }

    /// The estimate of one message alone, for those who trim a conversation.
    pub fn estimate_message(&self, message: &Message) -> u64 {
        let counted = count_message(message);
        self.state().calibration.estimate(counted)
    }

    /// How many tokens by o200k's count a call for `purpose` may send now, so that a reply of `output` tokens fits too.
    pub fn room(&self, purpose: Purpose, output: u32) -> u64 {
        let state = self.state();
        let gone = self.gone(&state, self.rate_limiter.lost());
        let room = room(&self.limits, self.price.as_ref(), gone, purpose, output);
        state.calibration.fitting(room)
    }

    /// Sends `request` for `purpose`.
    ///
    /// # Errors
    /// [`ChatError::Budget`] where a limit forbids it, and what the model errs with.
    pub async fn complete_for(
        &self,
        purpose: Purpose,
        request: &ChatRequest,
        watch: Option<Watch<'_>>,
    ) -> Result<ChatReply, ChatError> {
        check_request(request)?;
        let counted = count_request(request);
        let mut call = self.begin(purpose, counted, request.max_output_tokens)?;
        let Plan { input, output, .. } = call.plan;
        let admitted = self.rate_limiter.admit(input.saturating_add(u64::from(output))).await?;
        let request = ChatRequest { max_output_tokens: output, ..request.clone() };
        call.is_sent = true;
        let result = self.model.complete(&request, watch).await;
        let used = match &result {
            Ok(reply) => call.answered(counted, reply),
            Err(error) => call.failed(error),
        };
        self.rate_limiter.settle(admitted, used);
        result
    }

    /// The same model with the reserve: for the answer that ends the run.
    pub fn last_answer(&self) -> LastAnswer<'_> {
        LastAnswer(self)
    }

    fn begin(&self, purpose: Purpose, counted: u64, output: u32) -> Result<OnTheWay<'_>, ChatError> {
        let mut state = self.state();
        let input = state.calibration.estimate(counted);
        let lost = self.rate_limiter.lost();
        let plan = plan(&self.limits, self.price.as_ref(), self.gone(&state, lost), purpose, input, output)?;
        state.committed.tokens = state.committed.tokens.saturating_add(plan.total());
        state.committed.cost += plan.cost;
        self.rate_limiter.set_spare(spare(&self.limits, self.price.as_ref(), self.gone(&state, lost), purpose), lost);
        drop(state);
        Ok(OnTheWay { budgeted: self, plan, is_sent: false, is_over: false })
    }

    /// What is gone, where `lost` tokens were lost by tries that broke.
    fn gone(&self, state: &State, lost: u64) -> Committed {
        let Spent { usage, unsure, cost, .. } = &state.spent;
        let unsure = unsure.saturating_add(lost);
        Committed {
            tokens: usage.total().saturating_add(unsure).saturating_add(state.committed.tokens),
            cost: cost.unwrap_or(0.0) + most(self.price.as_ref(), unsure) + state.committed.cost,
        }
    }

    fn add(&self, state: &mut State, usage: Usage) {
        state.spent.usage += usage;
        if let (Some(cost), Some(price)) = (&mut state.spent.cost, &self.price) {
            *cost += price.of(&usage);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that is planned: its tokens are held until it ends, in whatever way.
struct OnTheWay<'a> {
    budgeted: &'a BudgetedModel,
    plan: Plan,
    is_sent: bool,
    is_over: bool,
}

impl OnTheWay<'_> {
    /// Counts a reply; gives the tokens that it used.
    fn answered(mut self, counted: u64, reply: &ChatReply) -> u64 {
        let budgeted = self.budgeted;
        let mut state = budgeted.state();
        self.let_go(&mut state);
        let mut usage = reply.usage;
        if usage.input == 0 {
            // Nothing was reported: what was allowed for is the safe guess.
            usage = Usage { input: self.plan.input, output: u64::from(self.plan.output), ..Usage::default() };
            state.spent.estimated += 1;
        } else {
            state.calibration.learn(counted, &usage);
            if usage.output == 0 && !is_empty(reply) {
                // Half of it was reported.
                usage.output = u64::from(self.plan.output);
                state.spent.estimated += 1;
            }
        }
        state.spent.calls += 1;
        budgeted.add(&mut state, usage);
        usage.total()
    }

    /// Counts a failure; gives the tokens that it used, or may have.
    fn failed(mut self, error: &ChatError) -> u64 {
        let budgeted = self.budgeted;
        let mut state = budgeted.state();
        self.let_go(&mut state);
        if error.is_unsent() {
            return 0;
        }
        state.spent.failed += 1;
        if error.is_free() {
            return 0;
        }
        // What was reported may be of the beginning alone, and the provider may have gone on without us.
        let usage = error.usage();
        budgeted.add(&mut state, usage);
        let input = if usage.input == 0 { self.plan.input } else { 0 };
        let unsure = input.saturating_add(u64::from(self.plan.output).saturating_sub(usage.output));
        state.spent.unsure = state.spent.unsure.saturating_add(unsure);
        usage.total().saturating_add(unsure)
    }

    fn let_go(&mut self, state: &mut State) {
        self.is_over = true;
        state.committed.tokens = state.committed.tokens.saturating_sub(self.plan.total());
        state.committed.cost = (state.committed.cost - self.plan.cost).max(0.0);
    }
}

impl Drop for OnTheWay<'_> {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let budgeted = self.budgeted;
        let mut state = budgeted.state();
        self.let_go(&mut state);
        if self.is_sent {
            // It was given up on the way, as by Ctrl-C, and may be billed nevertheless.
            state.spent.failed += 1;
            state.spent.unsure = state.spent.unsure.saturating_add(self.plan.total());
        }
    }
}

/// Whether a reply has nothing that tokens were spent for.
fn is_empty(reply: &ChatReply) -> bool {
    reply.message.text.is_empty() && reply.message.tool_calls.is_empty()
}

impl ChatModel for BudgetedModel {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn complete<'a>(&'a self, request: &'a ChatRequest, watch: Option<Watch<'a>>) -> ChatFuture<'a> {
        Box::pin(self.complete_for(Purpose::Ordinary, request, watch))
    }
}

impl fmt::Debug for BudgetedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metered")
            .field("model", &self.model.name())
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// A budgeted model whose calls may use the reserve.
#[derive(Debug, Clone, Copy)]
pub struct LastAnswer<'a>(&'a BudgetedModel);

impl ChatModel for LastAnswer<'_> {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn complete<'a>(&'a self, request: &'a ChatRequest, watch: Option<Watch<'a>>) -> ChatFuture<'a> {
        Box::pin(self.0.complete_for(Purpose::LastAnswer, request, watch))
    }
}
