//! Messages of the protocol as lines of JSON, one message a line.
//!
//! The transport of the protocol's library drops lines that are not JSON without an answer, and its client waits for
//! ever. This one answers each with the error of the protocol.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{GetExtensions, JsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken as EndOfInputToken;

use super::message_memory::MessageMemory;
use super::messages::{MessageError, must_message_stay_unanswered};

/// The byte order mark of UTF-8, with which some programs begin their output.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The time limit for the last answer to be written when the transport is closed.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// A transport of messages as lines.
pub(super) struct LineTransport<R, W> {
    input: BufReader<R>,
    line: InputLine,
    output: Arc<Mutex<OutputLines<W>>>,
    /// The error that answers the last line, while it is being written.
    unfinished_answer: Option<Pin<Box<dyn Future<Output = io::Result<()>> + Send>>>,
    /// The messages whose calls or answers are not at their end. While they are too many, no further one is read: the
    /// client waits, as for every program that reads a pipe.
    memory: MessageMemory,
    /// The messages that the client has not read, which are in `memory`, too.
    unread: MessageMemory,
    end_of_input: EndOfInputToken,
}

impl<R: AsyncRead + Unpin, W> LineTransport<R, W> {
    /// Creates a transport whose messages have at most `max_message_bytes` bytes. It fires `end_of_input` when the client
    /// has closed its end.
    pub fn new(input: R, output: W, max_message_bytes: usize, end_of_input: EndOfInputToken) -> Self {
        Self {
            input: BufReader::new(input),
            line: InputLine::new(max_message_bytes),
            output: Arc::new(Mutex::new(OutputLines { writer: Some(output), unwritten: Vec::new() })),
            unfinished_answer: None,
            memory: MessageMemory::default(),
            unread: MessageMemory::default(),
            end_of_input,
        }
    }

    /// Waits until the last error is written and there is room for another message. The end of the input is noticed
    /// meanwhile, unless bytes before it are unread. A call that is dropped loses nothing.
    async fn wait_until_line_may_be_read(&mut self) -> io::Result<()> {
        let Self { input, unfinished_answer, memory, end_of_input, .. } = self;
        let may_be_read = async {
            if let Some(answer) = unfinished_answer {
                let written = answer.await;
                *unfinished_answer = None;
                written?;
            }
            memory.wait_for_room().await;
            Ok(())
        };
        let notice_end = async {
            if input.fill_buf().await.is_ok_and(<[u8]>::is_empty) {
                end_of_input.cancel();
            }
            std::future::pending::<()>().await;
        };
        tokio::select! {
            biased;
            written = may_be_read => written,
            () = notice_end => Ok(()),
        }
    }

    /// Reads up to the end of the next line; `None` at the end of the input. A call that is dropped loses nothing.
    async fn read_line(&mut self) -> Option<Result<Vec<u8>, MessageError>> {
        loop {
            let available = match self.input.fill_buf().await {
                Ok(available) => available,
                Err(error) => {
                    tracing::warn!(%error, "the input cannot be read");
                    &[]
                }
            };
            if available.is_empty() {
                self.end_of_input.cancel();
                return self.line.take_last_line_without_newline();
            }
            let newline = available.iter().position(|byte| *byte == b'\n');
            let length = newline.map_or(available.len(), |at| at + 1);
            let line = self.line.append_bytes_and_take_line(available.get(..length).unwrap_or_default());
            self.input.consume(length);
            if let Some(line) = line {
                return Some(line);
            }
        }
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(&mut self, message: TxJsonRpcMessage<RoleServer>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        // A client that does not read its answers is sent no more of them than there is memory for, and no progress.
        // One that reads them is, however many of its calls wait: it would take silence for a hang.
        let is_dropped = matches!(message, JsonRpcMessage::Notification(_)) && !self.unread.has_room();
        let line = if is_dropped { Ok(Vec::new()) } else { serde_json::to_vec(&message) };
        let bytes = line.as_ref().map_or(0, Vec::len);
        let held = (self.memory.hold(bytes), self.unread.hold(bytes));
        let output = self.output.clone();
        async move {
            if is_dropped {
                return Ok(());
            }
            let written = output.lock().await.write_line(line?).await;
            drop(held);
            written
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Err(error) = self.wait_until_line_may_be_read().await {
                tracing::warn!(%error, "the output cannot be written");
                return None;
            }
            let error = match self.read_line().await? {
                Ok(line) => match parse_message_line(&line) {
                    Ok(Some((mut message, bytes))) => {
                        if let JsonRpcMessage::Request(request) = &mut message {
                            // The library keeps it as long as the request is handled, and drops it with a request that
                            // is withdrawn.
                            request.request.extensions_mut().insert(Arc::new(self.memory.hold(bytes)));
                        }
                        return Some(message);
                    }
                    Ok(None) => continue,
                    Err(error) => error,
                },
                Err(error) => error,
            };
            tracing::warn!("a line was answered with an error: {}", error.reason());
            let output = self.output.clone();
            let line = error.to_json().into_bytes();
            self.unfinished_answer = Some(Box::pin(async move { output.lock().await.write_line(line).await }));
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        // A client that reads no answers keeps the lock for good.
        if let Ok(mut output) = timeout(CLOSE_TIMEOUT, self.output.lock()).await {
            output.writer = None;
        }
        Ok(())
    }
}

/// The message in a line, with the memory that it takes at most; `None` for an empty line, and for one that is not
/// understood and must not be answered.
fn parse_message_line(line: &[u8]) -> Result<Option<(RxJsonRpcMessage<RoleServer>, usize)>, MessageError> {
    let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    let bytes = match MessageError::check_message(line) {
        Ok(bytes) => bytes,
        Err(error) if must_message_stay_unanswered(line) => {
            tracing::warn!("a notification or an answer was dropped: {}", error.reason());
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    match serde_json::from_slice(line) {
        Ok(message) => Ok(Some((message, bytes))),
        Err(error) if must_message_stay_unanswered(line) => {
            tracing::debug!(%error, "a notification or an answer is not understood");
            Ok(None)
        }
        Err(_) => Err(MessageError::not_a_message(line)),
    }
}

/// The line of the input that is currently read.
struct InputLine {
    bytes: Vec<u8>,
    /// Whether the line is longer than a message may be, so that the rest of it is passed over.
    is_too_long: bool,
    max_bytes: usize,
}

impl InputLine {
    fn new(max_bytes: usize) -> Self {
        Self { bytes: Vec::new(), is_too_long: false, max_bytes }
    }

    /// Adds bytes of the input, of which at most the last one is a line end. Returns the line once it has ended, or the
    /// error for a line that is too long as soon as it is.
    fn append_bytes_and_take_line(&mut self, bytes: &[u8]) -> Option<Result<Vec<u8>, MessageError>> {
        let is_end = bytes.ends_with(b"\n");
        if self.is_too_long {
            self.is_too_long = !is_end;
            return None;
        }
        if self.bytes.len() + bytes.len() > self.max_bytes {
            self.bytes = Vec::new();
            self.is_too_long = !is_end;
            return Some(Err(MessageError::too_long(self.max_bytes)));
        }
        self.bytes.extend_from_slice(bytes);
        is_end.then(|| Ok(std::mem::take(&mut self.bytes)))
    }

    /// The last line of the input, where no line end follows it.
    fn take_last_line_without_newline(&mut self) -> Option<Result<Vec<u8>, MessageError>> {
        let line = std::mem::take(&mut self.bytes);
        (!line.is_empty()).then_some(Ok(line))
    }
}

/// The lines that are written to the output.
struct OutputLines<W> {
    /// The output; `None` once the transport is closed.
    writer: Option<W>,
    /// What was not written yet. A writer that is dropped in the middle of a line leaves the rest of it to the next one.
    unwritten: Vec<u8>,
}

impl<W: AsyncWrite + Unpin> OutputLines<W> {
    async fn write_line(&mut self, line: Vec<u8>) -> io::Result<()> {
        let closed = || io::Error::new(io::ErrorKind::NotConnected, "the output is closed");
        let writer = self.writer.as_mut().ok_or_else(closed)?;
        if self.unwritten.is_empty() {
            self.unwritten = line;
        } else {
            self.unwritten.extend_from_slice(&line);
        }
        self.unwritten.push(b'\n');
        let mut rest = Remaining { bytes: &mut self.unwritten, written: 0 };
        while !rest.unwritten_bytes().is_empty() {
            match writer.write(rest.unwritten_bytes()).await? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                written => rest.written += written,
            }
        }
        drop(rest);
        writer.flush().await
    }
}

/// Bytes of which a part was written; the part is removed when this is dropped.
struct Remaining<'a> {
    bytes: &'a mut Vec<u8>,
    written: usize,
}

impl Remaining<'_> {
    fn unwritten_bytes(&self) -> &[u8] {
        self.bytes.get(self.written..).unwrap_or_default()
    }
}

impl Drop for Remaining<'_> {
    fn drop(&mut self) {
        self.bytes.drain(..self.written.min(self.bytes.len()));
    }
}

#[cfg(test)]
mod tests {
    use rmcp::RoleServer;
    use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
    use rmcp::transport::Transport;
    use serde_json::{Value, json};
    use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
    use tokio_util::sync::CancellationToken as EndOfInputToken;

    use super::{LineTransport, OutputLines};

    const PING: &str = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";

    /// The codes of the errors that answer `input`, and the number of messages that are handed on.
    async fn answers_to(input: &[u8], max_bytes: usize) -> (Vec<Value>, usize) {
        let ((output, mut reader), end) = (tokio::io::duplex(1 << 16), EndOfInputToken::new());
        let mut transport = LineTransport::new(input, output, max_bytes, end.clone());
        let mut messages = 0;
        while Transport::<RoleServer>::receive(&mut transport).await.is_some() {
            messages += 1;
        }
        assert!(end.is_cancelled());
        drop(transport);
        let mut written = String::new();
        reader.read_to_string(&mut written).await.expect("text");
        let codes = written.lines().map(|line| {
            let answer: Value = serde_json::from_str(line).expect("JSON");
            answer["error"]["code"].clone()
        });
        (codes.collect(), messages)
    }

    #[tokio::test]
    async fn each_line_is_a_message_or_answered() {
        let input = format!("{PING}\r\n\n  \n\u{feff}{PING}\nhello\n{{\n[]\n{{\"id\":1}}\n{PING}\n");
        assert_eq!(
            answers_to(input.as_bytes(), 1_000).await,
            (vec![json!(-32700), json!(-32700), json!(-32600), json!(-32600)], 3)
        );
        // The last line needs no end.
        assert_eq!(answers_to(PING.as_bytes(), 1_000).await, (vec![], 1));
        assert_eq!(answers_to(b"{", 1_000).await, (vec![json!(-32700)], 0));
        let ignored = "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/didOpen\",\"params\":7}\n";
        assert_eq!(answers_to(ignored.as_bytes(), 1_000).await, (vec![], 0));
    }

    #[tokio::test]
    async fn a_large_notification_or_answer_is_not_answered() {
        let values = vec!["0"; 20_001].join(",");
        let input = format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":[{values}]}}\n\
             {{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":[{values}]}}\n\
             {{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"a\",\"params\":[{values}]}}\n"
        );
        assert_eq!(answers_to(input.as_bytes(), 1_000_000).await, (vec![json!(-32600)], 0));
    }

    #[tokio::test]
    async fn a_client_that_reads_nothing_cannot_keep_the_transport_open() {
        let (output, _reader) = tokio::io::duplex(8);
        let mut transport = LineTransport::new(&b""[..], output, 1_000, EndOfInputToken::new());
        let answer: TxJsonRpcMessage<RoleServer> =
            serde_json::from_value(json!({ "jsonrpc": "2.0", "id": 1, "result": {} })).expect("an answer");
        let sending = tokio::spawn(Transport::<RoleServer>::send(&mut transport, answer));
        tokio::task::yield_now().await;
        let closed = Transport::<RoleServer>::close(&mut transport);
        tokio::time::timeout(std::time::Duration::from_secs(5), closed).await.expect("it ends").expect("it closes");
        assert!(!sending.is_finished());
    }

    #[tokio::test]
    async fn a_client_that_reads_nothing_is_sent_no_progress() {
        let (output, _reader) = tokio::io::duplex(8);
        let mut transport = LineTransport::new(&b""[..], output, 1_000, EndOfInputToken::new());
        let progress = || -> TxJsonRpcMessage<RoleServer> {
            let params = json!({ "progressToken": "a", "progress": 1.0 });
            serde_json::from_value(json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params }))
                .expect("a notification")
        };
        let sending: Vec<_> =
            (0..2_000).map(|_| tokio::spawn(Transport::<RoleServer>::send(&mut transport, progress()))).collect();
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        let waiting = sending.iter().filter(|sent| !sent.is_finished()).count();
        assert_eq!(waiting, 1_000);
    }

    #[tokio::test]
    async fn a_client_that_reads_is_sent_progress_however_many_requests_wait() {
        let input = format!("{PING}\n").repeat(1_000);
        let (output, mut reader) = tokio::io::duplex(1 << 16);
        let mut transport = LineTransport::new(input.as_bytes(), output, 1_000, EndOfInputToken::new());
        let mut requests = Vec::new();
        receive_until_it_waits(&mut transport, &mut requests).await;
        assert_eq!(requests.len(), 1_000);
        let params = json!({ "progressToken": "a", "progress": 1.0 });
        let progress: TxJsonRpcMessage<RoleServer> =
            serde_json::from_value(json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params }))
                .expect("a notification");
        Transport::<RoleServer>::send(&mut transport, progress).await.expect("it is written");
        drop(transport);
        let mut written = String::new();
        reader.read_to_string(&mut written).await.expect("text");
        assert!(written.contains("progressToken"), "{written}");
    }

    #[tokio::test]
    async fn the_end_of_the_input_is_noticed_while_the_client_reads_nothing() {
        for (input, received) in [(format!("{PING}\n").repeat(1_000), 1_000), ("hello\nhello\n".to_owned(), 0)] {
            let ((output, _reader), end) = (tokio::io::duplex(8), EndOfInputToken::new());
            let mut transport = LineTransport::new(input.as_bytes(), output, 1_000, end.clone());
            let mut requests = Vec::new();
            receive_until_it_waits(&mut transport, &mut requests).await;
            assert_eq!(requests.len(), received);
            // The second line stands before the end.
            assert_eq!(end.is_cancelled(), received > 0);
        }
        let ((output, _reader), end) = (tokio::io::duplex(8), EndOfInputToken::new());
        let mut transport = LineTransport::new(&b"hello\n"[..], output, 1_000, end.clone());
        receive_until_it_waits(&mut transport, &mut Vec::new()).await;
        assert!(end.is_cancelled());
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_answered_once() {
        let (long, exact) = ("x".repeat(100_000), format!("{PING}{}\n", " ".repeat(99 - PING.len())));
        let input = format!("{long}\n{exact}{long}{long}");
        assert_eq!(answers_to(input.as_bytes(), 100).await, (vec![json!(-32600), json!(-32600)], 1));
    }

    #[tokio::test]
    async fn a_client_waits_whose_requests_and_answers_are_too_many() {
        let input = format!("{PING}\n").repeat(3_000);
        // No answer fits the pipe.
        let ((output, mut reader), end) = (tokio::io::duplex(8), EndOfInputToken::new());
        let mut transport = LineTransport::new(input.as_bytes(), output, 1_000, end.clone());
        let mut requests = Vec::new();
        receive_until_it_waits(&mut transport, &mut requests).await;
        assert_eq!(requests.len(), 1_000);
        requests.truncate(600);
        // An answer that nobody reads counts, too.
        let answers: Vec<_> = (0..300)
            .map(|id| {
                let answer: TxJsonRpcMessage<RoleServer> =
                    serde_json::from_value(json!({ "jsonrpc": "2.0", "id": id, "result": {} })).expect("an answer");
                tokio::spawn(Transport::<RoleServer>::send(&mut transport, answer))
            })
            .collect();
        receive_until_it_waits(&mut transport, &mut requests).await;
        assert_eq!(requests.len(), 700);
        assert!(!end.is_cancelled());
        let mut read = vec![0; 1 << 20];
        while answers.iter().any(|answer| !answer.is_finished()) {
            assert!(reader.read(&mut read).await.expect("text") > 0);
            tokio::task::yield_now().await;
        }
        receive_until_it_waits(&mut transport, &mut requests).await;
        assert_eq!(requests.len(), 1_000);
    }

    /// Receives requests and keeps them, until none comes for a while.
    async fn receive_until_it_waits<R, W>(
        transport: &mut LineTransport<R, W>,
        requests: &mut Vec<RxJsonRpcMessage<RoleServer>>,
    ) where
        R: AsyncRead + Send + Unpin,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let patience = std::time::Duration::from_millis(50);
        while let Ok(request) = tokio::time::timeout(patience, transport.receive()).await {
            requests.push(request.expect("a request"));
        }
    }

    #[tokio::test]
    async fn a_message_of_which_a_part_was_written_is_written_to_its_end() {
        let (writer, mut reader) = tokio::io::duplex(4);
        let mut output = OutputLines { writer: Some(writer), unwritten: Vec::new() };
        for _ in 0..2 {
            // It is dropped after four bytes.
            let half = output.write_line(b"0123456789".to_vec());
            assert!(tokio::time::timeout(std::time::Duration::from_millis(20), half).await.is_err());
        }
        let mut read = String::new();
        let (written, count) = tokio::join!(
            async {
                let written = output.write_line(b"end".to_vec()).await;
                if let Some(writer) = &mut output.writer {
                    writer.shutdown().await.expect("it closes");
                }
                written
            },
            reader.read_to_string(&mut read)
        );
        written.expect("it is written");
        assert_eq!((count.expect("text"), read.as_str()), (26, "0123456789\n0123456789\nend\n"));
    }
}
