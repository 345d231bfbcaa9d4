//! The transport of MCP messages over standard input and output.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

#[cfg(unix)]
use peelback_code::THREAD_STACK_BYTES;
use rmcp::service::ServerInitializeError;
use rmcp::transport::io::stdio_pipes;
use rmcp::{ServerHandler, ServiceExt};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken as ShutdownToken;

use super::handler::Server;
use super::line_transport::LineTransport;

/// The time that running calls have to answer after the end of the input.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(1);

/// The time from the end of the input until the server ends, whatever its client does with the output. Within it, requests
/// that were sent before the end are still read.
const MAX_TIME_AFTER_END: Duration = Duration::from_secs(4);

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
    let giving_up = async {
        wait_until_input_is_hung_up().await;
        tokio::time::sleep(MAX_TIME_AFTER_END).await;
        tracing::warn!("the client closed the input, and requests before its end could not be read");
    };
    tokio::select! {
        served = serve_handler_on_streams(handler, input, output, closing) => served,
        () = giving_up => Ok(()),
    }
}

/// Waits until the client has closed its end of standard input, also while bytes before the end are unread: the server
/// reads no further request while the client does not read its answers. Where the system does not tell that, this waits
/// for ever, and the end is known once all is read.
async fn wait_until_input_is_hung_up() {
    let (sender, hung_up) = oneshot::channel();
    #[cfg(unix)]
    {
        let watch = move || {
            if is_standard_input_hung_up() {
                let _ = sender.send(());
            }
        };
        // The thread ends with the process.
        let thread = std::thread::Builder::new().name("hang-up".to_owned()).stack_size(THREAD_STACK_BYTES);
        let _ = thread.spawn(watch);
    }
    #[cfg(not(unix))]
    drop::<oneshot::Sender<()>>(sender);
    if hung_up.await.is_err() {
        std::future::pending().await
    }
}

/// Blocks until the client has closed its end of standard input. Returns `false` where the system cannot tell.
#[cfg(unix)]
fn is_standard_input_hung_up() -> bool {
    use rustix::event::{PollFd, PollFlags, poll};
    // A socket of which the client has closed one direction is hung up, too.
    #[cfg(target_os = "linux")]
    let hang_up = PollFlags::RDHUP;
    #[cfg(not(target_os = "linux"))]
    let hang_up = PollFlags::empty();
    let input = io::stdin();
    let mut polled = [PollFd::new(&input, hang_up)];
    loop {
        match poll(&mut polled, None) {
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return false,
            Ok(_) => return polled.iter().any(|input| input.revents().intersects(hang_up | PollFlags::HUP)),
        }
    }
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
    let serving = async {
        match handler.serve(LineTransport::new(input, output, MAX_MESSAGE_BYTES, end_of_input)).await {
            Ok(running) => running.waiting().await.map(drop).map_err(|error| format!("the server ended: {error}")),
            // A client that disconnects before the first message is not an error.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(format!("no MCP client at the other end: {error}")),
        }
    };
    let giving_up = async {
        ended.cancelled().await;
        tokio::time::sleep(SHUTDOWN_GRACE).await;
        closing.cancel();
        tokio::time::sleep(MAX_TIME_AFTER_END - SHUTDOWN_GRACE).await;
        tracing::warn!("the client closed the input and does not read the output");
    };
    tokio::select! {
        served = serving => served,
        () = giving_up => Ok(()),
    }
}
