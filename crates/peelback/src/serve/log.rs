//! Logging of the MCP server, on standard error, because standard output carries the protocol.

use std::io;

use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// The environment variable with the log filter, which chooses the messages that are logged.
const LOG_FILTER_VARIABLE: &str = "PEELBACK_LOG";

/// Starts logging. The filter in `PEELBACK_LOG` takes precedence over `verbosity`, the number of `-v` flags.
pub(super) fn start_logging(verbosity: u8) {
    let default_filter = match verbosity {
        // The protocol library logs some normal events as errors, such as a client that disconnects, so its messages
        // are hidden.
        0 => "peelback=warn",
        1 => "peelback=info,rmcp=warn",
        2 => "debug",
        _ => "trace",
    };
    let requested_filter = std::env::var(LOG_FILTER_VARIABLE).ok().filter(|asked| !asked.is_empty());
    let parsed = requested_filter.as_deref().map(str::parse::<Targets>);
    let is_invalid = matches!(parsed, Some(Err(_)));
    let targets = match parsed {
        Some(Ok(targets)) => targets,
        _ => default_filter.parse().unwrap_or_default(),
    };
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(io::stderr)
        .with_ansi(false)
        // Write errors of the log are ignored, so that a closed standard error does not end the process.
        .log_internal_errors(false)
        .with_filter(targets);
    // Fails only if logging has been started already in this process.
    let _ = tracing_subscriber::registry().with(lines).try_init();
    if is_invalid {
        tracing::warn!(
            "{LOG_FILTER_VARIABLE} is not understood and is ignored: write it as debug, or peelback=debug,rmcp=info"
        );
    }
}
