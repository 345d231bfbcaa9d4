//! The server of `peelback serve` with the fixtures of the MCP conformance suite around it, over the same transports.
//!
//! `conformance_server ADDRESS [--no-sessions]`: without sessions it serves as the product does; the scenarios in which
//! the server asks a client from before 2026-07-28 for something need them.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a bench or example ends by a panic")]
#![allow(deprecated, reason = "the suite checks what the protocol has deprecated too: logging, sampling, roots")]
#![allow(clippy::wildcard_imports, reason = "the fixtures use most of the protocol's model")]

mod fixtures;
mod inputs;
mod jobs;
mod lists;
mod state;
mod tools;

use std::process::ExitCode;

use fixtures::Fixtures;
use jobs::Jobs;
use peelback::serve::{CallLimits, CallRunner, Server, ServerSettings, http};
use state::State;
use tokio_util::sync::CancellationToken;

async fn serve(address: &str, sessions: bool) -> Result<(), String> {
    let calls = CallRunner::new(CallLimits::default(), CancellationToken::new());
    let server = Server::new(ServerSettings::default(), calls.clone())?;
    let jobs = Jobs { calls, tasks: server.tasks().clone() };
    let mut options = http::HttpOptions::new(address, None, Vec::new())?;
    options.sessions = sessions;
    let listener = http::bind_listener_and_print_address(&options).await?;
    http::serve_http(Fixtures::around(server, State::default(), jobs), listener, &options).await
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(address) = arguments.first() else {
        eprintln!("usage: conformance_server ADDRESS [--no-sessions]");
        return ExitCode::from(2);
    };
    let sessions = !arguments.iter().any(|argument| argument == "--no-sessions");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    match runtime.block_on(serve(address, sessions)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
