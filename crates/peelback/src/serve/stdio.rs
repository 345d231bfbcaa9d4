//! Messages on standard input and output.

use std::io::{self, IsTerminal, Write};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use rmcp::service::ServerInitializeError;
use rmcp::transport::io::stdio_pipes;
use rmcp::{ServerHandler, ServiceExt};
use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::sync::CancellationToken;

use super::handler::Server;

/// Calls that are at work when the input ends have so long to answer.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// Serves `server` until its client closes the input.
pub(super) async fn serve(server: Server, closing: CancellationToken) -> Result<(), String> {
    if io::stdin().is_terminal() {
        let note =
            "waiting for an MCP client on standard input; hosts start this command by themselves (Ctrl-D ends it)\n";
        let _ = io::stderr().write_all(note.as_bytes());
    }
    server.warm_up();
    serve_handler(server, closing).await
}

/// Serves any handler until its client closes the input. A moment after that `closing` fires, so that the calls which
/// are still at work end.
///
/// # Errors
/// When the first message is none of the protocol's, or the service failed; in words.
pub async fn serve_handler<H: ServerHandler>(handler: H, closing: CancellationToken) -> Result<(), String> {
    let (input, output) = stdio_pipes();
    let input = Input { inner: input, ended: CancellationToken::new() };
    let ended = input.ended.clone();
    let in_time = tokio::spawn(async move {
        ended.cancelled().await;
        tokio::time::sleep(LAST_ANSWERS).await;
        closing.cancel();
    });
    let served = match handler.serve((input, output)).await {
        Ok(running) => running.waiting().await.map(drop).map_err(|error| format!("the server ended: {error}")),
        // A client that leaves at once is none of our troubles.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(format!("no MCP client at the other end: {error}")),
    };
    in_time.abort();
    served
}

/// Standard input that tells when it has ended.
struct Input<R> {
    inner: R,
    ended: CancellationToken,
}

impl<R: AsyncRead + Unpin> AsyncRead for Input<R> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let polled = Pin::new(&mut self.inner).poll_read(cx, buf);
        let is_end = match &polled {
            Poll::Ready(Ok(())) => buf.filled().len() == before && buf.capacity() > before,
            Poll::Ready(Err(_)) => true,
            Poll::Pending => false,
        };
        if is_end {
            self.ended.cancel();
        }
        polled
    }
}
