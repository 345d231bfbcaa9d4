//! The MCP server: offers the tools over standard input and output, or over HTTP.
//!
//! [`Server`] is the handler of this program. The modules around it work with any other handler as well: [`stdio`] and
//! [`http`] carry messages, and [`CallRunner`] runs calls with a deadline, progress reports and protection against
//! panics.

mod answers;
mod call_slots;
mod calls;
mod connections;
mod handler;
pub mod http;
mod instructions;
mod line_transport;
mod log;
mod message_memory;
mod messages;
mod options;
mod prompts;
mod reference;
mod roots;
mod sent_documentation;
pub mod stdio;
mod tasks;
mod thread_pools;
mod warmup;

use std::time::Duration;

use clap::ArgMatches;
use peelback_code::THREAD_STACK_BYTES;
use tokio_util::sync::CancellationToken as ShutdownToken;

pub use answers::{WrittenReply, tool_result_from_call_outcome};
pub use calls::{CallLimits, CallOutcome, CallRunner};
pub use handler::{Server, ServerSettings};
pub use instructions::mcp_server_instructions;
pub use options::serve_command_grammar;
pub use tasks::{TaskLimits, Tasks, is_client_with_tasks};

use options::{ServeOptions, Transport};

/// The reason why the MCP server did not start, or ended before its client disconnected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServeError {
    /// The command line has an invalid option or combination of options.
    Usage(String),
    /// The operating system reported an error.
    Failure(String),
}

/// The time that running calls have to end after the server was told to end.
const END_OF_CALLS: Duration = Duration::from_secs(1);

/// Runs the MCP server until the client disconnects, or the operating system asks the process to end.
///
/// # Errors
/// When the server cannot start; the message says what to change.
pub fn run_mcp_server(matches: &ArgMatches, settings: &crate::config::Settings) -> Result<(), ServeError> {
    let options = ServeOptions::from_arguments(matches, settings).map_err(ServeError::Usage)?;
    log::start_logging(options.verbosity);
    if let Some(warning) = &options.warning {
        tracing::warn!("{warning}");
    }
    // Messages are small and calls run on separate threads, so one thread is enough for messages; this runtime also
    // starts fastest.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .thread_stack_size(THREAD_STACK_BYTES)
        .enable_all()
        .build()
        .map_err(|error| ServeError::Failure(format!("the server cannot start: {error}")))?;
    let served = runtime.block_on(serve_until_shutdown(options));
    // A call that is still running must not keep the process alive.
    runtime.shutdown_background();
    served
}

async fn serve_until_shutdown(options: ServeOptions) -> Result<(), ServeError> {
    let closing = ShutdownToken::new();
    let calls = CallRunner::new(options.limits, closing.clone());
    let server = Server::new(options.settings, calls).map_err(ServeError::Usage)?;
    let ending = server.clone();
    let serving = async {
        match options.transport {
            Transport::Stdio => stdio::serve_stdio(server, closing).await,
            Transport::Http(http) => {
                let listener = http::bind_listener_and_print_address(&http).await?;
                server.start_file_cache_warm_up();
                http::serve_http(server, listener, &http).await
            }
        }
    };
    let served = tokio::select! {
        served = serving => served.map_err(ServeError::Failure),
        () = wait_for_shutdown_signal() => {
            tracing::info!("told to end");
            Ok(())
        }
    };
    // A document that is being written is finished, and the clone of a source is removed.
    ending.end_all_calls(END_OF_CALLS).await;
    peelback_agent::source::remove_all_clones();
    served
}

/// Waits for a termination signal. The signal needs an explicit handler, because the first process of a container
/// ignores signals that it does not handle.
async fn wait_for_shutdown_signal() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
