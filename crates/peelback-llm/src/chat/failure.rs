//! Why a try failed, and what is done about it.

use std::time::Duration;

use super::error::ChatError;

/// Further tries of a [`Failure::Soon`].
const SOON_TRIES: u32 = 2;
/// The pause before the first of them, doubled before the second: about a second in all.
const SOON_PAUSE: Duration = Duration::from_millis(300);

/// Why a try failed.
pub(super) enum Failure {
    /// Another would fail too.
    Last(ChatError),
    /// Another may do, after so long where the provider said so.
    Later(ChatError, Option<Duration>),
    /// The model was not reached: it may be on its way up, but most likely something is set wrongly.
    Soon(ChatError),
    /// The request has something that the provider does not know; these are its words.
    Unfit(ChatError, String),
}

/// The pause before the next try of a [`Failure::Soon`], after `soon` of them in a row; `None` where there is none.
pub(super) fn soon_pause(soon: u32) -> Option<Duration> {
    (soon <= SOON_TRIES).then(|| SOON_PAUSE.saturating_mul(soon))
}

/// Tries of a [`Failure::Soon`] in all, the first among them.
pub(super) const fn soon_tries() -> u32 {
    SOON_TRIES + 1
}

/// What is told before a further try: `HTTP 429, next try in 12 s (2 of 5)`.
pub(super) fn told(error: &ChatError, pause: Duration, next: u32, tries: u32) -> String {
    let what = match error {
        ChatError::Status { status, .. } => format!("HTTP {status}"),
        ChatError::Unreachable { host, .. } => format!("nothing answers at {host}"),
        _ => "the connection broke".to_owned(),
    };
    let seconds = pause.as_secs_f64();
    let seconds = if seconds < 1.0 { format!("{seconds:.1}") } else { format!("{:.0}", seconds.ceil()) };
    format!("{what}, next try in {seconds} s ({next} of {tries})")
}

/// The error of the last try, with how many there were.
pub(super) fn given_up(error: ChatError, tries: u32, wanted: Option<Duration>) -> ChatError {
    let mut more = if tries > 1 { format!(" (after {tries} tries)") } else { String::new() };
    if let Some(wanted) = wanted {
        more.push_str(&format!(" (it asks to wait {} seconds)", wanted.as_secs_f32().ceil()));
    }
    with(error, &more)
}

/// The error with `more` behind its words.
pub(super) fn with(error: ChatError, more: &str) -> ChatError {
    match error {
        ChatError::Status { host, status, message } => ChatError::Status { host, status, message: message + more },
        ChatError::Connection { host, reason } => ChatError::Connection { host, reason: reason + more },
        ChatError::Unreachable { host, reason } => ChatError::Unreachable { host, reason: reason + more },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_tries_are_told_in_one_line() {
        let host = || "h:1".to_owned();
        let status = ChatError::Status { host: host(), status: 429, message: String::new() };
        assert_eq!(told(&status, Duration::from_millis(11_400), 2, 5), "HTTP 429, next try in 12 s (2 of 5)");
        let gone = ChatError::Unreachable { host: host(), reason: String::new() };
        assert_eq!(told(&gone, Duration::from_millis(300), 3, 3), "nothing answers at h:1, next try in 0.3 s (3 of 3)");
        let broken = ChatError::Connection { host: host(), reason: String::new() };
        assert_eq!(told(&broken, Duration::from_secs(1), 2, 5), "the connection broke, next try in 1 s (2 of 5)");
    }

    #[test]
    fn what_is_not_reached_is_given_up_after_a_second() {
        let pauses: Vec<_> = (1..).map_while(soon_pause).collect();
        assert_eq!(pauses.len() as u32 + 1, soon_tries());
        assert!(pauses.iter().sum::<Duration>() <= Duration::from_millis(1_200), "{pauses:?}");
    }
}
