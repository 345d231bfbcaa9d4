//! When a call that failed is tried again.

use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderMap, RETRY_AFTER};

/// The pause before the second try. It doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// No pause that the provider did not ask for is longer.
const MAX_PAUSE: Duration = Duration::from_secs(30);
/// What is added at most to a pause that the provider asked for, so that many who wait do not come back at once.
const SPREAD: Duration = Duration::from_millis(250);

/// How often a call is tried, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// Tries in all; 1 is none again.
    pub tries: u32,
    /// No pause is begun that would end later than so long after the first try began.
    pub patience: Duration,
}

impl Default for Retry {
    /// Five tries within three minutes: a provider's limit is mostly one of a minute.
    fn default() -> Self {
        Self { tries: 5, patience: Duration::from_secs(180) }
    }
}

impl Retry {
    /// The pause before the next try, after `tries` tries that took `elapsed`; `None` where there is no further one.
    /// `wanted` is what the provider asked for.
    pub(super) fn pause(self, tries: u32, elapsed: Duration, wanted: Option<Duration>) -> Option<Duration> {
        if tries >= self.tries {
            return None;
        }
        let pause = match wanted {
            Some(wanted) => wanted.saturating_add(SPREAD.mul_f64(fastrand::f64())),
            None => {
                let doubled =
                    FIRST_PAUSE.saturating_mul(1_u32.checked_shl(tries - 1).unwrap_or(u32::MAX)).min(MAX_PAUSE);
                // Between half of it and all of it.
                doubled.mul_f64(0.5 + 0.5 * fastrand::f64())
            }
        };
        (elapsed.saturating_add(pause) <= self.patience).then_some(pause)
    }
}

/// Whether a status may pass by itself.
pub(super) fn may_pass(status: u16) -> bool {
    matches!(status, 408 | 409 | 425 | 429 | 500 | 502..=504 | 506..=599)
}

/// The pause that a provider asks for: `retry-after-ms`, or `Retry-After` in seconds or as a date.
pub(super) fn wanted(headers: &HeaderMap, date: SystemTime) -> Option<Duration> {
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
    // A date of the past is now.
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
    fn pauses_grow_and_end() {
        let retry = Retry::default();
        for (tries, longest) in [(1, 500), (2, 1_000), (3, 2_000), (4, 4_000)] {
            for _ in 0..50 {
                let pause = retry.pause(tries, Duration::ZERO, None).expect("a pause");
                let longest = Duration::from_millis(longest);
                assert!(pause >= longest / 2 && pause <= longest, "{tries}: {pause:?}");
            }
        }
        assert_eq!(retry.pause(5, Duration::ZERO, None), None);
        assert!(Retry { tries: 99, ..retry }.pause(90, Duration::ZERO, None).is_some_and(|pause| pause <= MAX_PAUSE));
        assert_eq!(retry.pause(1, Duration::from_secs(180), None), None);
        let wanted = Duration::from_secs(7);
        let pause = retry.pause(1, Duration::ZERO, Some(wanted)).expect("a pause");
        assert!(pause >= wanted && pause <= wanted + SPREAD);
        assert_eq!(retry.pause(1, Duration::ZERO, Some(Duration::from_secs(181))), None);
        assert_eq!(retry.pause(1, Duration::ZERO, Some(Duration::MAX)), None);
    }

    #[test]
    fn providers_say_when_in_three_ways() {
        let date = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_770);
        let at = |name, value: &str| wanted(&headers(name, value), date);
        assert_eq!(at("retry-after", "7"), Some(Duration::from_secs(7)));
        assert_eq!(at("retry-after", " 0.5 "), Some(Duration::from_millis(500)));
        assert_eq!(at("retry-after-ms", "1500"), Some(Duration::from_millis(1_500)));
        assert_eq!(at("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT"), Some(Duration::from_secs(7)));
        assert_eq!(at("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT"), Some(Duration::ZERO));
        for nonsense in ["-1", "soon", "NaN", "inf", "1e400", ""] {
            assert_eq!(at("retry-after", nonsense), None, "{nonsense}");
        }
    }
}
