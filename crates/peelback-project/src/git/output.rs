//! The output of a running program, read by one thread for each pipe.

use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Instant;

use peelback_syntax::stack::THREAD_STACK_BYTES;

/// The maximum number of bytes of a pipe's output that are stored; the rest is read and discarded.
const MAX_OUTPUT_BYTES: usize = 256 * 1024;

/// A thread that reads one pipe of a program, and the bytes that it has read.
pub(super) struct PipeReader {
    stored: Arc<Mutex<Vec<u8>>>,
    /// Receives one message when the pipe is closed.
    closed: mpsc::Receiver<()>,
}

impl PipeReader {
    /// Starts a thread that reads `pipe` to its end.
    ///
    /// # Errors
    /// The operating system's error where there is no thread.
    pub(super) fn start_reading(mut pipe: impl Read + Send + 'static) -> std::io::Result<Self> {
        let stored = Arc::new(Mutex::new(Vec::new()));
        let (close_sender, closed) = mpsc::channel();
        let reader = Self { stored: stored.clone(), closed };
        // The thread may outlive the run: a process that git started can hold the pipe's other end for hours.
        let named = thread::Builder::new().name("git-output".to_owned()).stack_size(THREAD_STACK_BYTES);
        named.spawn(move || {
            let mut buffer = [0; 8192];
            loop {
                match pipe.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(count) => {
                        let mut stored = stored.lock().unwrap_or_else(PoisonError::into_inner);
                        // Reading goes on past the limit: git would block on a full pipe.
                        let room = MAX_OUTPUT_BYTES.saturating_sub(stored.len()).min(count);
                        stored.extend_from_slice(buffer.get(..room).unwrap_or(&[]));
                    }
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                    Err(_) => break,
                }
            }
            let _ = close_sender.send(());
        })?;
        Ok(reader)
    }

    /// The text read until the pipe closes, or until `deadline` where it stays open.
    pub(super) fn text_until_close_or_deadline(self, deadline: Instant) -> String {
        let _ = self.closed.recv_timeout(deadline.saturating_duration_since(Instant::now()));
        let stored = self.stored.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&stored).into_owned()
    }
}
