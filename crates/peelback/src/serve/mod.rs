//! The MCP server: the tools over standard input and output, or over HTTP.
//!
//! [`Server`] is the handler of this program. What stands around it — [`stdio`] and [`http`], which carry messages, and
//! [`Calls`], which runs them with a deadline, progress, and a net below a panic — serves any other handler as well.

mod answers;
mod calls;
mod handler;
pub mod http;
mod log;
mod options;
mod pools;
mod prompts;
mod reference;
mod roots;
pub mod stdio;
mod warmup;

use clap::ArgMatches;
use tokio_util::sync::CancellationToken as ShutdownToken;

pub use answers::content;
pub use calls::{Calls, Limits, Outcome};
pub use handler::{Server, Settings, instructions};
pub use options::command;

use options::{Options, Transport};

/// Why the server did not start, or ended before its client did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServeError {
    /// The command line asks for what must not be.
    Usage(String),
    /// The system refused.
    Failure(String),
}

/// Serves until the client leaves, or the system wants the process to end.
///
/// # Errors
/// When the server cannot start: the message names what to do.
pub fn run(matches: &ArgMatches, settings: &crate::config::Settings) -> Result<(), ServeError> {
    let options = Options::of(matches, settings).map_err(ServeError::Usage)?;
    log::start(options.verbosity);
    if let Some(warning) = &options.warning {
        tracing::warn!("{warning}");
    }
    // Messages are small and calls run in threads of their own: one thread shuffles the messages, and it is the
    // runtime that starts fastest.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| ServeError::Failure(format!("the server cannot start: {error}")))?;
    let served = runtime.block_on(serve(options));
    // A call that is still at work must not keep the process.
    runtime.shutdown_background();
    served
}

async fn serve(options: Options) -> Result<(), ServeError> {
    let closing = ShutdownToken::new();
    let calls = Calls::new(options.limits, closing.clone());
    let server = Server::new(options.settings, calls).map_err(ServeError::Usage)?;
    let work = async {
        match options.transport {
            Transport::Stdio => stdio::serve(server, closing).await,
            Transport::Http(http) => {
                let listener = http::bind(&http).await?;
                server.warm_up();
                http::serve(server, listener, &http).await
            }
        }
    };
    tokio::select! {
        served = work => served.map_err(ServeError::Failure),
        () = told_to_end() => {
            tracing::info!("told to end");
            Ok(())
        }
    }
}

/// Waits for the system's wish that the process end. Said explicitly because the first process of a container dies of
/// no signal that it does not handle.
async fn told_to_end() {
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
