//! Handling of Ctrl-C: the first one ends the work and keeps its results so far, the second one ends the process.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use peelback_agent::source;
use peelback_code::CancellationToken;
use tokio::sync::Notify;

use crate::async_runtime::{build_runtime, runtime};
use crate::exit::{Exit, fail};

/// The exit code that shells report for a process that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

/// The exit code that shells report for a process that a termination signal ended.
#[cfg(unix)]
const TERMINATED: i32 = 143;

/// A listener for Ctrl-C on a separate thread, so that a busy main thread does not delay it.
#[derive(Clone, Default)]
pub(crate) struct Interrupt {
    /// The token that the first Ctrl-C cancels: walks, reads and searches with this token end then, too.
    pub cancellation: CancellationToken,
    /// The flag that the first Ctrl-C sets.
    pub flag: Arc<AtomicBool>,
    notify: Arc<Notify>,
}

impl Interrupt {
    /// Starts a thread that listens for signals until the process ends.
    pub fn listen() -> Result<Self, Exit> {
        let interrupt = Self::default();
        let own = interrupt.clone();
        let failed = |error: &dyn std::fmt::Display| fail(&format!("signals cannot be heard: {error}"), Exit::Failure);
        let runtime = build_runtime().map_err(|error| failed(&error))?;
        let (ready, is_ready) = std::sync::mpsc::sync_channel(1);
        std::thread::Builder::new()
            .name("interrupt".to_owned())
            .spawn(move || runtime.block_on(own.handle_signals(&ready)))
            .map_err(|error| failed(&error))?;
        // Waits until the signal handler is installed: before that, a signal would end the process at once.
        let _ = is_ready.recv();
        Ok(interrupt)
    }

    async fn handle_signals(&self, ready: &std::sync::mpsc::SyncSender<()>) {
        let mut ended = Box::pin(termination_signal());
        // The first poll of the future installs the signal handler.
        let mut pressed = Box::pin(tokio::signal::ctrl_c());
        let first = std::future::poll_fn(|context| {
            let _ = ended.as_mut().poll(context);
            std::task::Poll::Ready(pressed.as_mut().poll(context))
        })
        .await;
        let _ = ready.send(());
        if first.is_ready() {
            self.interrupt();
            pressed = Box::pin(tokio::signal::ctrl_c());
        }
        loop {
            tokio::select! {
                code = &mut ended => clean_up_and_exit(code),
                heard = &mut pressed => match heard {
                    Ok(()) => self.interrupt(),
                    // Without a handler, the signal has the system's default effect.
                    Err(_) => return,
                },
            }
            pressed = Box::pin(tokio::signal::ctrl_c());
        }
    }

    fn interrupt(&self) {
        if self.flag.swap(true, Ordering::Relaxed) {
            clean_up_and_exit(INTERRUPTED);
        }
        self.cancellation.cancel();
        self.notify.notify_one();
    }

    /// Runs a future to its end and returns its output, or `None` where the first Ctrl-C came before.
    pub fn run_until_interrupted<T>(&self, future: impl Future<Output = T>) -> Result<Option<T>, Exit> {
        Ok(runtime()?.block_on(async {
            tokio::select! {
                biased;
                () = self.interrupted() => None,
                output = future => Some(output),
            }
        }))
    }

    /// Waits for the first Ctrl-C.
    async fn interrupted(&self) {
        while !self.is_interrupted() {
            self.notify.notified().await;
        }
    }

    /// Whether Ctrl-C has been pressed at least once.
    pub fn is_interrupted(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }
}

/// Removes all temporary clones and ends the process.
fn clean_up_and_exit(code: i32) -> ! {
    source::remove_all_clones();
    std::process::exit(code)
}

/// Waits for a termination signal and returns the exit code of the process.
#[cfg(unix)]
async fn termination_signal() -> i32 {
    use tokio::signal::unix::{SignalKind, signal};
    let listen = |kind| signal(kind).ok();
    let (terminate, hang_up) = (listen(SignalKind::terminate()), listen(SignalKind::hangup()));
    let wait = |signal: Option<tokio::signal::unix::Signal>| async move {
        match signal {
            Some(mut signal) => drop(signal.recv().await),
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = wait(terminate) => {}
        () = wait(hang_up) => {}
    }
    TERMINATED
}

#[cfg(not(unix))]
async fn termination_signal() -> i32 {
    std::future::pending().await
}
