//! The pauses between the tries of a failed call.

use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderMap, RETRY_AFTER};

/// The pause before the second try of a call. It doubles with each further try.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// The limit on pauses that the provider did not ask for.
const MAX_PAUSE: Duration = Duration::from_secs(30);
/// The limit on the random time added to a pause that the provider asked for, so that many clients do not return at
/// once.
const MAX_JITTER: Duration = Duration::from_millis(250);

/// The limits on the tries of a failed call: their number and their duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The limit on the tries of a call, the first included.
    pub tries: u32,
    /// The time after the start of a call's first try by which the last pause must end.
    pub max_duration: Duration,
}

impl Default for RetryPolicy {
    /// The default policy, five tries within three minutes: most rate limits of providers are per minute.
    fn default() -> Self {
        Self { tries: 5, max_duration: Duration::from_secs(180) }
    }
}

impl RetryPolicy {
    /// The pause before the next try after `tries` tries that took `elapsed`; `None` where no try is left. `requested`
    /// is the pause that the provider asked for.
    pub(super) fn pause_after_tries(
        self,
        tries: u32,
        elapsed: Duration,
        requested: Option<Duration>,
    ) -> Option<Duration> {
        if tries >= self.tries {
            return None;
        }
        let pause = match requested {
            Some(requested) => requested.saturating_add(MAX_JITTER.mul_f64(fastrand::f64())),
            None => {
                let doubled =
                    FIRST_PAUSE.saturating_mul(1_u32.checked_shl(tries - 1).unwrap_or(u32::MAX)).min(MAX_PAUSE);
                // A random pause between half of the doubled pause and the whole.
                doubled.mul_f64(0.5 + 0.5 * fastrand::f64())
            }
        };
        (elapsed.saturating_add(pause) <= self.max_duration).then_some(pause)
    }
}

/// Whether a request that failed with this HTTP status may succeed later.
pub(super) fn is_transient_status(status: u16) -> bool {
    matches!(status, 408 | 409 | 425 | 429 | 500 | 502..=504 | 506..=599)
}

/// The pause that a provider asks for by `retry-after-ms`, or by `Retry-After` in seconds or as a date.
pub(super) fn parse_retry_after(headers: &HeaderMap, date: SystemTime) -> Option<Duration> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    if let Some(milliseconds) = header("retry-after-ms").and_then(number) {
        return Duration::try_from_secs_f64(milliseconds / 1_000.0).ok();
    }
    let after = header(RETRY_AFTER.as_str())?;
    if let Some(seconds) = number(after) {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let until = httpdate::parse_http_date(after).ok()?;
    // A date in the past asks for no pause before the next try.
    Some(until.duration_since(date).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;

    use super::*;

    fn headers(name: &'static str, value: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_str(value).expect("a value"));
        headers
    }

    #[test]
    fn pauses_double_until_the_tries_or_the_patience_end() {
        let retry = RetryPolicy::default();
        for (tries, longest) in [(1, 500), (2, 1_000), (3, 2_000), (4, 4_000)] {
            for _ in 0..50 {
                let pause = retry.pause_after_tries(tries, Duration::ZERO, None).expect("a pause");
                let longest = Duration::from_millis(longest);
                assert!(pause >= longest / 2 && pause <= longest, "{tries}: {pause:?}");
            }
        }
        assert_eq!(retry.pause_after_tries(5, Duration::ZERO, None), None);
        assert!(
            RetryPolicy { tries: 99, ..retry }
                .pause_after_tries(90, Duration::ZERO, None)
                .is_some_and(|pause| pause <= MAX_PAUSE)
        );
        assert_eq!(retry.pause_after_tries(1, Duration::from_secs(180), None), None);
        let requested = Duration::from_secs(7);
        let pause = retry.pause_after_tries(1, Duration::ZERO, Some(requested)).expect("a pause");
        assert!(pause >= requested && pause <= requested + MAX_JITTER);
        assert_eq!(retry.pause_after_tries(1, Duration::ZERO, Some(Duration::from_secs(181))), None);
        assert_eq!(retry.pause_after_tries(1, Duration::ZERO, Some(Duration::MAX)), None);
    }

    #[test]
    fn pauses_are_read_from_milliseconds_seconds_and_dates() {
        let date = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_770);
        let pause_of = |name, value: &str| parse_retry_after(&headers(name, value), date);
        assert_eq!(pause_of("retry-after", "7"), Some(Duration::from_secs(7)));
        assert_eq!(pause_of("retry-after", " 0.5 "), Some(Duration::from_millis(500)));
        assert_eq!(pause_of("retry-after-ms", "1500"), Some(Duration::from_millis(1_500)));
        assert_eq!(pause_of("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT"), Some(Duration::from_secs(7)));
        assert_eq!(pause_of("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT"), Some(Duration::ZERO));
        for nonsense in ["-1", "soon", "NaN", "inf", "1e400", ""] {
            assert_eq!(pause_of("retry-after", nonsense), None, "{nonsense}");
        }
    }
}
