//! What the server says: on standard error, since standard output belongs to the protocol.

use std::io;

use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// The variable that says what is logged.
const VARIABLE: &str = "PEELBACK_LOG";

/// Starts logging. Where `PEELBACK_LOG` is set it decides, else how often `-v` was given.
pub(super) fn start(verbosity: u8) {
    let usual = match verbosity {
        // The library reports as errors what are none: a client that left, a message that nobody waits for.
        0 => "peelback=warn",
        1 => "peelback=info,rmcp=warn",
        2 => "debug",
        _ => "trace",
    };
    let asked = std::env::var(VARIABLE).ok().filter(|asked| !asked.is_empty());
    let parsed = asked.as_deref().map(str::parse::<Targets>);
    let bad = matches!(parsed, Some(Err(_)));
    let targets = match parsed {
        Some(Ok(targets)) => targets,
        _ => usual.parse().unwrap_or_default(),
    };
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(io::stderr)
        .with_ansi(false)
        // A standard error that nobody reads must not end the process.
        .log_internal_errors(false)
        .with_filter(targets);
    // Fails only where the process logs already.
    let _ = tracing_subscriber::registry().with(lines).try_init();
    if bad {
        tracing::warn!("{VARIABLE} is not understood and not heeded: write it as debug, or peelback=debug,rmcp=info");
    }
}
