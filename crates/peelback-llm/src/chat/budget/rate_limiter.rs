//! The rate limit of model calls: a number of tokens within any 60 seconds.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::chat::clock::Clock;
use crate::chat::error::ChatError;

/// The time window within which providers count the tokens that they limit.
const RATE_WINDOW: Duration = Duration::from_secs(60);

/// Limits the tokens of model calls within any 60 seconds: a call that would exceed the limit waits.
pub struct RateLimiter {
    limit: u64,
    clock: Arc<dyn Clock>,
    state: Mutex<RateLimiterState>,
}

#[derive(Default)]
struct RateLimiterState {
    /// The calls that were admitted in the last 60 seconds, oldest first.
    calls: VecDeque<AdmittedCall>,
    next_number: u64,
    total_wait: Duration,
    /// The call that waits now; of several, the one that began to wait last.
    waiting: Option<WaitingCall>,
    /// The tokens of failed tries that were repeated: the provider may bill them.
    failed_try_tokens: u64,
    /// The tokens that failed tries may still use; `None` for no limit.
    retry_allowance: Option<u64>,
}

/// A model call that was admitted at the time `at`.
struct AdmittedCall {
    number: u64,
    admitted_at: Duration,
    tokens: u64,
}

/// A model call that waits for admission.
struct WaitingCall {
    until: Duration,
    tokens: u64,
    used: u64,
}

/// A wait of a model call for the limit on tokens per minute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateWait {
    /// The time until the call is admitted, as far as is known now.
    pub left: Duration,
    /// The tokens that the call needs, input and output.
    pub tokens: u64,
    /// The tokens that were used or committed in the last 60 seconds when the wait began.
    pub used: u64,
    /// The limit on tokens per minute.
    pub limit: u64,
}

/// The admission of a model call, by which its tokens are corrected later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Admission(u64);

impl RateLimiter {
    /// Creates a rate limiter with the limit `tokens_per_minute`; [`u64::MAX`] for no limit.
    pub fn new(tokens_per_minute: u64, clock: Arc<dyn Clock>) -> Arc<Self> {
        Arc::new(Self { limit: tokens_per_minute, clock, state: Mutex::default() })
    }

    /// The limit on tokens per minute.
    pub fn tokens_per_minute(&self) -> u64 {
        self.limit
    }

    /// The time that all calls together waited for admission.
    pub fn total_wait(&self) -> Duration {
        self.lock_state().total_wait
    }

    /// Waits until a call of `tokens` tokens fits under the limit, and counts the tokens from then on.
    ///
    /// # Errors
    /// [`ChatError::Budget`] for a call of more tokens than the limit of a minute.
    pub async fn wait_for_admission(&self, tokens: u64) -> Result<Admission, ChatError> {
        if tokens > self.limit {
            return Err(ChatError::Budget(format!(
                "a call of {tokens} tokens is more than the {} allowed in a minute: send less, or raise the tokens \
                 per minute",
                self.limit
            )));
        }
        loop {
            let pause = match self.try_admit_call(tokens) {
                Ok(admitted) => return Ok(admitted),
                Err(pause) => pause,
            };
            // Dropped also where the call is cancelled while it waits.
            let wait = self.start_wait(pause, tokens);
            self.clock.sleep(pause).await;
            drop(wait);
            self.lock_state().total_wait += pause;
        }
    }

    /// The wait for the limit that a call is in now; `None` where no call waits.
    pub fn current_wait(&self) -> Option<RateWait> {
        let now = self.clock.time_since_clock_start();
        let state = self.lock_state();
        state.waiting.as_ref().map(|call| RateWait {
            left: call.until.saturating_sub(now),
            tokens: call.tokens,
            used: call.used,
            limit: self.limit,
        })
    }

    fn start_wait(&self, pause: Duration, tokens: u64) -> CurrentWait<'_> {
        let until = self.clock.time_since_clock_start().saturating_add(pause);
        let mut state = self.lock_state();
        let used = state.calls.iter().fold(0_u64, |sum, call| sum.saturating_add(call.tokens));
        state.waiting = Some(WaitingCall { until, tokens, used });
        CurrentWait(self)
    }

    /// Replaces the tokens that are counted for an admitted call by those that it used.
    pub fn correct_tokens_of_admitted_call(&self, call: Admission, tokens: u64) {
        if let Some(call) = self.lock_state().calls.iter_mut().find(|admitted| admitted.number == call.0) {
            call.tokens = tokens;
        }
    }

    /// Counts the `tokens` of a failed try that may be billed, and returns whether the budget allows another try. Where
    /// it does not, nothing is counted.
    pub fn record_failed_try_if_allowed(&self, tokens: u64) -> bool {
        let mut state = self.lock_state();
        if state.retry_allowance.is_some_and(|allowance| allowance < tokens) {
            return false;
        }
        state.retry_allowance = state.retry_allowance.map(|allowance| allowance - tokens);
        state.failed_try_tokens = state.failed_try_tokens.saturating_add(tokens);
        true
    }

    /// The number of tokens of failed tries that were repeated, which the provider may bill.
    pub(super) fn failed_try_tokens(&self) -> u64 {
        self.lock_state().failed_try_tokens
    }

    /// Sets the tokens that failed tries may still use. `allowance` was computed when [`Self::failed_try_tokens`] had
    /// the value `failed_try_tokens`.
    pub(super) fn set_retry_token_allowance(&self, allowance: Option<u64>, failed_try_tokens: u64) {
        let mut state = self.lock_state();
        let lost_since = state.failed_try_tokens.saturating_sub(failed_try_tokens);
        state.retry_allowance = allowance.map(|allowance| allowance.saturating_sub(lost_since));
    }

    /// Admits a call of `tokens` tokens where it fits under the limit now.
    ///
    /// # Errors
    /// The time after which enough earlier calls have left the window of 60 seconds.
    fn try_admit_call(&self, tokens: u64) -> Result<Admission, Duration> {
        let now = self.clock.time_since_clock_start();
        let mut state = self.lock_state();
        while state.calls.front().is_some_and(|call| now.saturating_sub(call.admitted_at) >= RATE_WINDOW) {
            state.calls.pop_front();
        }
        let mut used: u64 = state.calls.iter().fold(0, |sum, call| sum.saturating_add(call.tokens));
        let fits = |used: u64| used.saturating_add(tokens) <= self.limit;
        if fits(used) {
            let number = state.next_number;
            state.next_number += 1;
            state.calls.push_back(AdmittedCall { number, admitted_at: now, tokens });
            return Ok(Admission(number));
        }
        // The oldest calls are the first that leave the window of 60 seconds.
        for call in &state.calls {
            used = used.saturating_sub(call.tokens);
            if fits(used) {
                return Err((call.admitted_at + RATE_WINDOW).saturating_sub(now));
            }
        }
        Err(RATE_WINDOW)
    }

    fn lock_state(&self) -> MutexGuard<'_, RateLimiterState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The wait of a call, which ends when this value is dropped.
struct CurrentWait<'a>(&'a RateLimiter);

impl Drop for CurrentWait<'_> {
    fn drop(&mut self) {
        self.0.lock_state().waiting = None;
    }
}

impl fmt::Debug for RateLimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RateLimiter").field("limit", &self.limit).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future as _;

    use super::*;
    use crate::chat::clock::SkippingClock;

    #[tokio::test]
    async fn a_call_waits_until_enough_others_are_a_minute_old() {
        let clock = Arc::new(SkippingClock::new());
        let rate_limiter = RateLimiter::new(100, clock.clone());
        let first = rate_limiter.wait_for_admission(60).await.expect("room");
        clock.advance(Duration::from_secs(10));
        rate_limiter.wait_for_admission(30).await.expect("room");
        clock.advance(Duration::from_secs(10));
        assert!(clock.skipped_pauses().is_empty());
        // The 60 leave after 40 more seconds; then there is room for 70.
        rate_limiter.wait_for_admission(70).await.expect("room");
        assert_eq!(clock.skipped_pauses(), [Duration::from_secs(40)]);
        assert_eq!(rate_limiter.total_wait(), Duration::from_secs(40));
        rate_limiter.correct_tokens_of_admitted_call(first, 0);
        assert!(
            matches!(rate_limiter.wait_for_admission(101).await, Err(ChatError::Budget(words)) if words.contains("raise the tokens"))
        );
    }

    #[tokio::test]
    async fn a_wait_is_told_while_it_lasts() {
        /// A clock whose pauses do not end.
        struct StandingClock;
        impl Clock for StandingClock {
            fn time_since_clock_start(&self) -> Duration {
                Duration::from_secs(7)
            }
            fn current_system_time(&self) -> std::time::SystemTime {
                std::time::SystemTime::UNIX_EPOCH
            }
            fn sleep(&self, _: Duration) -> crate::chat::clock::SleepFuture<'_> {
                Box::pin(std::future::pending())
            }
        }
        let rate_limiter = RateLimiter::new(100, Arc::new(StandingClock));
        rate_limiter.wait_for_admission(60).await.expect("room");
        assert_eq!(rate_limiter.current_wait(), None);
        {
            let mut waiting = Box::pin(rate_limiter.wait_for_admission(50));
            let mut context = std::task::Context::from_waker(std::task::Waker::noop());
            assert!(waiting.as_mut().poll(&mut context).is_pending());
            let wait = RateWait { left: Duration::from_secs(60), tokens: 50, used: 60, limit: 100 };
            assert_eq!(rate_limiter.current_wait(), Some(wait));
        }
        assert_eq!(rate_limiter.current_wait(), None, "the call was given up");
    }

    #[test]
    fn failed_tries_are_repeated_within_the_retry_allowance() {
        let rate_limiter = RateLimiter::new(u64::MAX, Arc::new(SkippingClock::new()));
        assert!(rate_limiter.record_failed_try_if_allowed(1_000), "there is no limit");
        // 300 tokens were lost after the allowance was computed.
        rate_limiter.set_retry_token_allowance(Some(1_000), 700);
        assert!(rate_limiter.record_failed_try_if_allowed(700) && !rate_limiter.record_failed_try_if_allowed(1));
        assert_eq!(rate_limiter.failed_try_tokens(), 1_700);
        rate_limiter.set_retry_token_allowance(None, 0);
        assert!(rate_limiter.record_failed_try_if_allowed(u64::MAX) && rate_limiter.failed_try_tokens() == u64::MAX);
    }

    #[tokio::test]
    async fn tokens_that_a_call_did_not_use_are_released() {
        let clock = Arc::new(SkippingClock::new());
        let rate_limiter = RateLimiter::new(100, clock.clone());
        let call = rate_limiter.wait_for_admission(90).await.expect("room");
        rate_limiter.correct_tokens_of_admitted_call(call, 20);
        rate_limiter.wait_for_admission(80).await.expect("room");
        assert!(clock.skipped_pauses().is_empty());
    }
}
