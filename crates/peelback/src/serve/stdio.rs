//! The transport of MCP messages over standard input and output.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use rmcp::service::ServerInitializeError;
use rmcp::transport::io::stdio_pipes;
use rmcp::{ServerHandler, ServiceExt};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken as ShutdownToken;

use super::handler::Server;
use super::line_transport::LineTransport;

/// The time that running calls have to answer after the end of the input.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(1);

/// The size limit of one message in bytes; messages of clients are always shorter.
const MAX_MESSAGE_BYTES: usize = 4 << 20;

/// Runs the MCP server on standard input and output until its client closes the input.
pub(super) async fn serve_stdio(server: Server, closing: ShutdownToken) -> Result<(), String> {
    if io::stdin().is_terminal() {
        let note =
            "waiting for an MCP client on standard input; hosts start this command by themselves (Ctrl-D ends it)\n";
        let _ = io::stderr().write_all(note.as_bytes());
    }
    server.start_file_cache_warm_up();
    serve_handler_on_stdio(server, closing).await
}

/// Runs any handler on standard input and output until its client closes the input. A moment later (`SHUTDOWN_GRACE`),
/// `closing` fires, which ends the calls that are still running.
///
/// # Errors
/// A message, when the first input is not a message of the protocol, or the service failed.
pub async fn serve_handler_on_stdio<H: ServerHandler>(handler: H, closing: ShutdownToken) -> Result<(), String> {
    let (input, output) = stdio_pipes();
    serve_handler_on_streams(handler, input, output, closing).await
}

/// Runs any handler as [`serve_handler_on_stdio`] does, with another input and output.
///
/// # Errors
/// Those of [`serve_handler_on_stdio`].
pub async fn serve_handler_on_streams<H, R, W>(
    handler: H,
    input: R,
    output: W,
    closing: ShutdownToken,
) -> Result<(), String>
where
    H: ServerHandler,
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let end_of_input = ShutdownToken::new();
    let ended = end_of_input.clone();
    let delayed_shutdown = tokio::spawn(async move {
        ended.cancelled().await;
        tokio::time::sleep(SHUTDOWN_GRACE).await;
        closing.cancel();
    });
    let served = match handler.serve(LineTransport::new(input, output, MAX_MESSAGE_BYTES, end_of_input)).await {
        Ok(running) => running.waiting().await.map(drop).map_err(|error| format!("the server ended: {error}")),
        // A client that disconnects before the first message is not an error.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(format!("no MCP client at the other end: {error}")),
    };
    delayed_shutdown.abort();
    served
}
