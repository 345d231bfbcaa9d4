//! The transport of MCP messages over standard input and output.

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
    let input = MonitoredInput { inner: input, end_of_input: ShutdownToken::new(), line: InputLine::default() };
    let ended = input.end_of_input.clone();
    let delayed_shutdown = tokio::spawn(async move {
        ended.cancelled().await;
        tokio::time::sleep(SHUTDOWN_GRACE).await;
        closing.cancel();
    });
    let served = match handler.serve(AsyncRwTransport::new(input, output).with_max_line_length(MAX_MESSAGE_BYTES)).await
    {
        Ok(running) => running.waiting().await.map(drop).map_err(|error| format!("the server ended: {error}")),
        // A client that disconnects before the first message is not an error.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(format!("no MCP client at the other end: {error}")),
    };
    delayed_shutdown.abort();
    served
}

/// A wrapper of standard input that signals the end of the input, and logs messages that the transport drops silently.
struct MonitoredInput<R> {
    inner: R,
    end_of_input: ShutdownToken,
    line: InputLine,
}

/// The line of standard input that is currently read.
#[derive(Default)]
struct InputLine {
    bytes: Vec<u8>,
    /// Whether the line is longer than `MAX_MESSAGE_BYTES`, so that the rest of the line is ignored.
    is_too_long: bool,
}

impl InputLine {
    /// Adds bytes that were read from the input. Returns an error message for each line that is not JSON or is too
    /// long.
    fn append_bytes_and_check_lines(&mut self, read: &[u8]) -> Vec<String> {
        let mut errors = Vec::new();
        for part in read.split_inclusive(|byte| *byte == b'\n') {
            if !self.is_too_long {
                if self.bytes.len() + part.len() > MAX_MESSAGE_BYTES {
                    errors.push(format!(
                        "a message of more than {MAX_MESSAGE_BYTES} bytes was dropped without an answer"
                    ));
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
                    errors.push(format!("a line that is not JSON was dropped without an answer: {error}"));
                }
                self.bytes.clear();
                self.is_too_long = false;
            }
        }
        errors
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for MonitoredInput<R> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let filled_before = buf.filled().len();
        let polled = Pin::new(&mut self.inner).poll_read(cx, buf);
        if let Poll::Ready(Ok(())) = &polled {
            let input = &mut *self;
            for error in input.line.append_bytes_and_check_lines(buf.filled().get(filled_before..).unwrap_or_default())
            {
                tracing::warn!("{error}");
            }
        }
        let is_end = match &polled {
            Poll::Ready(Ok(())) => buf.filled().len() == filled_before && buf.capacity() > filled_before,
            Poll::Ready(Err(_)) => true,
            Poll::Pending => false,
        };
        if is_end {
            self.end_of_input.cancel();
        }
        polled
    }
}

#[cfg(test)]
mod tests {
    use super::{InputLine, MAX_MESSAGE_BYTES};

    #[test]
    fn what_is_dropped_is_said() {
        let mut line = InputLine::default();
        assert!(line.append_bytes_and_check_lines(b"{\"a\":").is_empty());
        assert!(line.append_bytes_and_check_lines(b"1}\r\n\n  \n").is_empty());
        let wrong = line.append_bytes_and_check_lines(b"hello\n{}\n");
        assert!(wrong.len() == 1 && wrong[0].contains("not JSON"), "{wrong:?}");
        let long = vec![b' '; MAX_MESSAGE_BYTES];
        assert!(line.append_bytes_and_check_lines(&long).is_empty());
        let wrong = line.append_bytes_and_check_lines(&long);
        assert!(wrong.len() == 1 && wrong[0].contains("bytes"), "{wrong:?}");
        assert!(line.append_bytes_and_check_lines(b" once is enough\n[]\n").is_empty());
        assert_eq!(line.append_bytes_and_check_lines(b"}\n").len(), 1);
    }
}
