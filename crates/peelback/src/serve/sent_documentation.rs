//! Which tools' documentation the clients have received with errors: each session gets that of a tool once.

use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};

use hyper::http::request::Parts;
use rmcp::RoleServer;
use rmcp::service::RequestContext;

/// The header with the id of a session over HTTP.
const SESSION_HEADER: &str = "mcp-session-id";

/// The maximum number of sessions that are remembered. The session that began first is forgotten first; its client may
/// receive documentation twice.
const MAX_SESSIONS: usize = 1_000;

/// The maximum length of a session's id in bytes, which is the client's text. A longer one counts as no session.
const MAX_SESSION_ID_BYTES: usize = 128;

/// The documentation that was sent in each session.
#[derive(Debug, Default)]
pub(super) struct SentDocumentation(Mutex<VecDeque<(SessionKey, HashSet<&'static str>)>>);

/// What a server knows a session by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SessionKey {
    /// The connection over standard input and output, which is one session.
    Connection,
    /// The id that a client over HTTP sends with each request.
    Id(String),
}

impl SessionKey {
    /// The session of a request; `None` for a request over HTTP that belongs to none.
    pub fn of_request(context: &RequestContext<RoleServer>) -> Option<Self> {
        let Some(head) = context.extensions.get::<Parts>() else { return Some(Self::Connection) };
        let id = head.headers.get(SESSION_HEADER)?.to_str().ok()?;
        (!id.is_empty() && id.len() <= MAX_SESSION_ID_BYTES).then(|| Self::Id(id.to_owned()))
    }
}

impl SentDocumentation {
    /// Records that the documentation of `tool` is sent with the answer to a request of `session`, and returns whether it is
    /// the first time in that session. A request without a session is never the first: nothing tells whether its client has
    /// the documentation, and a client that repeats an error would pay for it each time.
    pub fn record_and_check_is_first(&self, session: Option<SessionKey>, tool: &'static str) -> bool {
        session.is_some_and(|session| self.record_in_session(session, tool))
    }

    fn record_in_session(&self, session: SessionKey, tool: &'static str) -> bool {
        let mut sessions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, tools)) = sessions.iter_mut().find(|(known, _)| *known == session) {
            return tools.insert(tool);
        }
        if sessions.len() >= MAX_SESSIONS {
            sessions.pop_front();
        }
        sessions.push_back((session, HashSet::from([tool])));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_SESSIONS, SentDocumentation, SessionKey};

    #[test]
    fn each_session_gets_the_documentation_of_a_tool_once() {
        let sent = SentDocumentation::default();
        let session = |number: usize| SessionKey::Id(number.to_string());
        let is_first = |session, tool| sent.record_in_session(session, tool);
        assert_eq!([(); 3].map(|()| is_first(SessionKey::Connection, "one")), [true, false, false]);
        assert!(is_first(SessionKey::Connection, "two") && is_first(session(0), "one"));
        assert!(!is_first(session(0), "one"));
        // The memory is bounded: the oldest sessions are forgotten.
        for number in 1..=MAX_SESSIONS {
            assert!(is_first(session(number), "one"));
        }
        assert!(!is_first(session(MAX_SESSIONS), "one") && is_first(session(0), "one"));
        assert_eq!(sent.0.lock().expect("no panic").len(), MAX_SESSIONS);
    }
}
