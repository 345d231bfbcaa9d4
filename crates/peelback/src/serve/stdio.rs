//! The transport over standard input and output.

use std::io::{self, IsTerminal, Write};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use rmcp::service::ServerInitializeError;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio_pipes;
use rmcp::{ServerHandler, ServiceExt};
use serde::de::IgnoredAny;
use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::sync::CancellationToken as ShutdownToken;

use super::handler::Server;

/// The time that running calls have to answer after the end of the input.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// The most bytes of one message; messages of clients are always shorter.
const LINE_BYTES: usize = 4 << 20;

/// Runs `server` on standard input and output until its client closes the input.
pub(super) async fn serve(server: Server, closing: ShutdownToken) -> Result<(), String> {
    if io::stdin().is_terminal() {
        let note =
            "waiting for an MCP client on standard input; hosts start this command by themselves (Ctrl-D ends it)\n";
        let _ = io::stderr().write_all(note.as_bytes());
    }
    server.warm_up();
    serve_handler(server, closing).await
}

/// Runs any handler on standard input and output until its client closes the input. A moment later (`LAST_ANSWERS`),
/// `closing` fires, which ends the calls that are still running.
///
/// # Errors
/// A message, when the first input is not a message of the protocol, or the service failed.
pub async fn serve_handler<H: ServerHandler>(handler: H, closing: ShutdownToken) -> Result<(), String> {
    let (input, output) = stdio_pipes();
    let input = Input { inner: input, ended: ShutdownToken::new(), line: Line::default() };
    let ended = input.ended.clone();
    let in_time = tokio::spawn(async move {
        ended.cancelled().await;
        tokio::time::sleep(LAST_ANSWERS).await;
        closing.cancel();
    });
    let served = match handler.serve(AsyncRwTransport::new(input, output).with_max_line_length(LINE_BYTES)).await {
        Ok(running) => running.waiting().await.map(drop).map_err(|error| format!("the server ended: {error}")),
        // A client that disconnects before the first message is not an error.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(format!("no MCP client at the other end: {error}")),
    };
    in_time.abort();
    served
}

/// Standard input that signals its end, and logs messages that the transport drops silently.
struct Input<R> {
    inner: R,
    ended: ShutdownToken,
    line: Line,
}

/// The line of the input that is currently read.
#[derive(Default)]
struct Line {
    bytes: Vec<u8>,
    /// Whether the line is longer than `LINE_BYTES`, so that the rest of the line is ignored.
    is_too_long: bool,
}

impl Line {
    /// Adds the bytes that were read. Returns errors of the lines that ended in these bytes, and of a line that became
    /// too long.
    fn take(&mut self, read: &[u8]) -> Vec<String> {
        let mut wrong = Vec::new();
        for part in read.split_inclusive(|byte| *byte == b'\n') {
            if !self.is_too_long {
                if self.bytes.len() + part.len() > LINE_BYTES {
                    wrong.push(format!("a message of more than {LINE_BYTES} bytes was dropped without an answer"));
                    self.is_too_long = true;
                    self.bytes = Vec::new();
                } else {
                    self.bytes.extend_from_slice(part);
                }
            }
            if part.ends_with(b"\n") {
                let line = self.bytes.trim_ascii();
                let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
                if !self.is_too_long
                    && !line.is_empty()
                    && let Err(error) = serde_json::from_slice::<IgnoredAny>(line)
                {
                    wrong.push(format!("a line that is not JSON was dropped without an answer: {error}"));
                }
                self.bytes.clear();
                self.is_too_long = false;
            }
        }
        wrong
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Input<R> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let polled = Pin::new(&mut self.inner).poll_read(cx, buf);
        if let Poll::Ready(Ok(())) = &polled {
            let input = &mut *self;
            for wrong in input.line.take(buf.filled().get(before..).unwrap_or_default()) {
                tracing::warn!("{wrong}");
            }
        }
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

#[cfg(test)]
mod tests {
    use super::{LINE_BYTES, Line};

    #[test]
    fn what_is_dropped_is_said() {
        let mut line = Line::default();
        assert!(line.take(b"{\"a\":").is_empty());
        assert!(line.take(b"1}\r\n\n  \n").is_empty());
        let wrong = line.take(b"hello\n{}\n");
        assert!(wrong.len() == 1 && wrong[0].contains("not JSON"), "{wrong:?}");
        let long = vec![b' '; LINE_BYTES];
        assert!(line.take(&long).is_empty());
        let wrong = line.take(&long);
        assert!(wrong.len() == 1 && wrong[0].contains("bytes"), "{wrong:?}");
        assert!(line.take(b" once is enough\n[]\n").is_empty());
        assert_eq!(line.take(b"}\n").len(), 1);
    }
}
