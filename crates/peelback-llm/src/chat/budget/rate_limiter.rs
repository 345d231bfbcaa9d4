//! The throttle: so many tokens in any minute.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::super::clock::Clock;
use super::super::error::ChatError;

/// What providers count their limits over.
const MINUTE: Duration = Duration::from_secs(60);

/// Lets no more than so many tokens go in any minute. It waits where there would be more.
pub struct RateLimiter {
    limit: u64,
    clock: Arc<dyn Clock>,
    sent: Mutex<Sent>,
}

#[derive(Default)]
struct Sent {
    /// Calls of the last minute, oldest first.
    calls: VecDeque<Call>,
    next: u64,
    waited: Duration,
    /// Tokens of tries that broke and were made again: they may be billed.
    lost: u64,
    /// Tokens that such tries may still use.
    spare: Option<u64>,
}

struct Call {
    number: u64,
    at: Duration,
    tokens: u64,
}

/// A call that was let through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Admitted(u64);

impl RateLimiter {
    /// A throttle of `tokens_per_minute`, [`u64::MAX`] for none.
    pub fn new(tokens_per_minute: u64, clock: Arc<dyn Clock>) -> Arc<Self> {
        Arc::new(Self { limit: tokens_per_minute, clock, sent: Mutex::default() })
    }

    /// Tokens a minute.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// How long calls waited, all together.
    pub fn waited(&self) -> Duration {
        self.sent().waited
    }

    /// Waits until `tokens` may go, and counts them from now on.
    ///
    /// # Errors
    /// [`ChatError::Budget`] for more tokens than a whole minute has.
    pub async fn admit(&self, tokens: u64) -> Result<Admitted, ChatError> {
        if tokens > self.limit {
            return Err(ChatError::Budget(format!(
                "a call of {tokens} tokens is more than the {} that may go in a minute: send less, or raise the tokens \
                 per minute",
                self.limit
            )));
        }
        loop {
            let pause = match self.take(tokens) {
                Ok(admitted) => return Ok(admitted),
                Err(pause) => pause,
            };
            self.clock.sleep(pause).await;
            self.sent().waited += pause;
        }
    }

    /// Sets what a call turned out to use.
    pub fn settle(&self, call: Admitted, tokens: u64) {
        if let Some(call) = self.sent().calls.iter_mut().find(|sent| sent.number == call.0) {
            call.tokens = tokens;
        }
    }

    /// Counts a try of `tokens` that broke and may be billed, where there is room for it and so for another one. Without
    /// a budget there always is.
    pub(in super::super) fn lose(&self, tokens: u64) -> bool {
        let mut sent = self.sent();
        if sent.spare.is_some_and(|spare| spare < tokens) {
            return false;
        }
        sent.spare = sent.spare.map(|spare| spare - tokens);
        sent.lost = sent.lost.saturating_add(tokens);
        true
    }

    /// Tokens of tries that broke and were made again.
    pub(super) fn lost(&self) -> u64 {
        self.sent().lost
    }

    /// Sets what tries that break may use, as it was planned when `lost` were lost.
    pub(super) fn set_spare(&self, spare: Option<u64>, lost: u64) {
        let mut sent = self.sent();
        let since = sent.lost.saturating_sub(lost);
        sent.spare = spare.map(|spare| spare.saturating_sub(since));
    }

    /// Counts `tokens` where there is room for them, and otherwise tells how long to wait for it.
    fn take(&self, tokens: u64) -> Result<Admitted, Duration> {
        let now = self.clock.now();
        let mut sent = self.sent();
        while sent.calls.front().is_some_and(|call| now.saturating_sub(call.at) >= MINUTE) {
            sent.calls.pop_front();
        }
        let mut used: u64 = sent.calls.iter().fold(0, |sum, call| sum.saturating_add(call.tokens));
        let fits = |used: u64| used.saturating_add(tokens) <= self.limit;
        if fits(used) {
            let number = sent.next;
            sent.next += 1;
            sent.calls.push_back(Call { number, at: now, tokens });
            return Ok(Admitted(number));
        }
        // The oldest calls leave the minute first.
        for call in &sent.calls {
            used = used.saturating_sub(call.tokens);
            if fits(used) {
                return Err((call.at + MINUTE).saturating_sub(now));
            }
        }
        Err(MINUTE)
    }

    fn sent(&self) -> MutexGuard<'_, Sent> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for RateLimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pace").field("limit", &self.limit).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::clock::SkippingClock;
    use super::*;

    #[tokio::test]
    async fn a_call_waits_until_enough_others_are_a_minute_old() {
        let clock = Arc::new(SkippingClock::new());
        let rate_limiter = RateLimiter::new(100, clock.clone());
        let first = rate_limiter.admit(60).await.expect("room");
        clock.advance(Duration::from_secs(10));
        rate_limiter.admit(30).await.expect("room");
        clock.advance(Duration::from_secs(10));
        assert!(clock.pauses().is_empty());
        // The 60 leave after 40 more seconds; then there is room for 70.
        rate_limiter.admit(70).await.expect("room");
        assert_eq!(clock.pauses(), [Duration::from_secs(40)]);
        assert_eq!(rate_limiter.waited(), Duration::from_secs(40));
        rate_limiter.settle(first, 0);
        assert!(
            matches!(rate_limiter.admit(101).await, Err(ChatError::Budget(words)) if words.contains("raise the tokens"))
        );
    }

    #[test]
    fn tries_that_break_are_made_again_as_long_as_there_is_room() {
        let rate_limiter = RateLimiter::new(u64::MAX, Arc::new(SkippingClock::new()));
        assert!(rate_limiter.lose(1_000), "there is no budget");
        // 300 were lost since the room was looked at.
        rate_limiter.set_spare(Some(1_000), 700);
        assert!(rate_limiter.lose(700) && !rate_limiter.lose(1));
        assert_eq!(rate_limiter.lost(), 1_700);
        rate_limiter.set_spare(None, 0);
        assert!(rate_limiter.lose(u64::MAX) && rate_limiter.lost() == u64::MAX);
    }

    #[tokio::test]
    async fn what_a_call_did_not_use_is_free_again() {
        let clock = Arc::new(SkippingClock::new());
        let rate_limiter = RateLimiter::new(100, clock.clone());
        let call = rate_limiter.admit(90).await.expect("room");
        rate_limiter.settle(call, 20);
        rate_limiter.admit(80).await.expect("room");
        assert!(clock.pauses().is_empty());
    }
}
