//! Which tools' documentation the client over standard input and output has received with errors: that of a tool once.
//!
//! Over HTTP the server has no sessions, so that nothing tells whether a client has the documentation already. A client
//! that repeats an error would pay for it each time, and gets the short error.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use hyper::http::request::Parts;
use rmcp::RoleServer;
use rmcp::service::RequestContext;

/// The tools whose documentation was sent.
#[derive(Debug, Default)]
pub(super) struct SentDocumentation(Mutex<HashSet<&'static str>>);

impl SentDocumentation {
    /// Whether a request comes from the one client of the process, which is so over standard input and output.
    pub fn is_request_of_known_client(context: &RequestContext<RoleServer>) -> bool {
        context.extensions.get::<Parts>().is_none()
    }

    /// Records that the documentation of `tool` is sent, and returns whether it is the first time.
    pub fn record_and_check_is_first(&self, tool: &'static str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(tool)
    }
}

#[cfg(test)]
mod tests {
    use super::SentDocumentation;

    #[test]
    fn the_documentation_of_each_tool_is_sent_once() {
        let sent = SentDocumentation::default();
        let first = ["one", "one", "two", "one", "two"].map(|tool| sent.record_and_check_is_first(tool));
        assert_eq!(first, [true, false, true, false, false]);
    }
}
