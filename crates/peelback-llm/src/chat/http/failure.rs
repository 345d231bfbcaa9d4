//! The failures of single tries of a request, and whether the request is tried again.

use std::time::Duration;

use crate::chat::error::ChatError;

/// The limit on further tries after a [`TryFailure::Page`]. A wrong address sends the same page each time, and each try
/// sends the whole request to it.
pub(super) const PAGE_RETRIES: u32 = 1;
/// What may be wrong where a reply has no JSON.
pub(super) const NO_API_HINT: &str = "check that the address is the base of an API";
/// The limit on further tries after a [`TryFailure::Unreached`].
const UNREACHED_RETRIES: u32 = 2;
/// The pause before the first further try after a [`TryFailure::Unreached`]; the second pause is twice as long.
const UNREACHED_PAUSE: Duration = Duration::from_millis(300);

/// The failure of one try of a request.
pub(super) enum TryFailure {
    /// The try failed in a way in which another one would fail too.
    Permanent(ChatError),
    /// Another try may succeed, after the duration where the provider asked for one.
    Transient(ChatError, Option<Duration>),
    /// A web page came instead of a reply: a proxy may have sent it for a moment, but most likely the address is that of a
    /// site for people.
    Page(ChatError),
    /// The model was not reached: the server may be starting, but most likely a setting is wrong.
    Unreached(ChatError),
    /// The provider does not know a parameter of the request; the text is the provider's message.
    Unsupported(ChatError, String),
}

/// The pause before the next try after `failures` consecutive [`TryFailure::Unreached`]; `None` where no try is left.
pub(super) fn pause_after_unreached_server(failures: u32) -> Option<Duration> {
    (failures <= UNREACHED_RETRIES).then(|| UNREACHED_PAUSE.saturating_mul(failures))
}

/// The limit on tries while the model is not reached, the first one included.
pub(super) const fn max_tries_of_unreached_server() -> u32 {
    UNREACHED_RETRIES + 1
}

/// The message for the user before a further try: `HTTP 429, next try in 12 s (2 of 5)`. `is_page` says that a web page
/// came instead of a reply.
pub(super) fn format_retry_message(error: &ChatError, is_page: bool, pause: Duration, next: u32, tries: u32) -> String {
    let cause = match error {
        _ if is_page => format!("the reply is not JSON but a web page: {NO_API_HINT}"),
        ChatError::Status { status, .. } => format!("HTTP {status}"),
        ChatError::Unreachable { host, .. } => format!("nothing answers at {host}"),
        ChatError::Malformed { .. } => "the reply is not JSON".to_owned(),
        _ => "the connection broke".to_owned(),
    };
    let seconds = pause.as_secs_f64();
    let seconds = if seconds < 1.0 { format!("{seconds:.1}") } else { format!("{:.0}", seconds.ceil()) };
    format!("{cause}, next try in {seconds} s ({next} of {tries})")
}

/// The error of the last try, with the number of tries and the pause that the provider asked for in its message.
pub(super) fn final_error_with_tries_and_pause(
    error: ChatError,
    tries: u32,
    requested_pause: Option<Duration>,
) -> ChatError {
    let mut note = if tries > 1 { format!(" (after {tries} tries)") } else { String::new() };
    if let Some(requested_pause) = requested_pause {
        note.push_str(&format!(" (it asks to wait {} seconds)", requested_pause.as_secs_f32().ceil()));
    }
    append_to_error_message(error, &note)
}

/// Adds `note` to the end of an error's message.
pub(super) fn append_to_error_message(error: ChatError, note: &str) -> ChatError {
    match error {
        ChatError::Status { host, status, message } => ChatError::Status { host, status, message: message + note },
        ChatError::Connection { host, reason } => ChatError::Connection { host, reason: reason + note },
        ChatError::Unreachable { host, reason } => ChatError::Unreachable { host, reason: reason + note },
        ChatError::Malformed { host, reason, usage } => ChatError::Malformed { host, reason: reason + note, usage },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_before_a_further_try_is_one_line() {
        let host = || "h:1".to_owned();
        let status = ChatError::Status { host: host(), status: 429, message: String::new() };
        assert_eq!(
            format_retry_message(&status, false, Duration::from_millis(11_400), 2, 5),
            "HTTP 429, next try in 12 s (2 of 5)"
        );
        let unreached = ChatError::Unreachable { host: host(), reason: String::new() };
        assert_eq!(
            format_retry_message(&unreached, false, Duration::from_millis(300), 3, 3),
            "nothing answers at h:1, next try in 0.3 s (3 of 3)"
        );
        let broken = ChatError::Connection { host: host(), reason: String::new() };
        assert_eq!(
            format_retry_message(&broken, false, Duration::from_secs(1), 2, 5),
            "the connection broke, next try in 1 s (2 of 5)"
        );
        let page = ChatError::Malformed { host: host(), reason: String::new(), usage: Default::default() };
        assert_eq!(
            format_retry_message(&page, true, Duration::from_secs(1), 2, 2),
            "the reply is not JSON but a web page: check that the address is the base of an API, next try in 1 s (2 of 2)"
        );
    }

    #[test]
    fn a_model_that_is_not_reached_is_given_up_after_a_second() {
        let pauses: Vec<_> = (1..).map_while(pause_after_unreached_server).collect();
        assert_eq!(pauses.len() as u32 + 1, max_tries_of_unreached_server());
        assert!(pauses.iter().sum::<Duration>() <= Duration::from_millis(1_200), "{pauses:?}");
    }
}
