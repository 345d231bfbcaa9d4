//! Handling of Ctrl-C: the first press ends the work and keeps its results so far, the second one ends the process.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use peelback_agent::source;
use peelback_code::{CancellationToken, THREAD_STACK_BYTES};
use tokio::sync::Notify;

use crate::async_runtime::{build_async_runtime, build_async_runtime_or_print_error};
use crate::exit::{ExitStatus, print_error};

/// The exit code that shells report for a process that Ctrl-C ended.
const CTRL_C_EXIT_CODE: i32 = 130;

/// The exit code that shells report for a process that a termination signal ended.
#[cfg(unix)]
const TERMINATION_EXIT_CODE: i32 = 143;

/// A listener for Ctrl-C on a separate thread, so that a busy main thread does not delay the reaction.
#[derive(Clone, Default)]
pub(crate) struct InterruptListener {
    /// The cancellation token that the first Ctrl-C cancels: walks, reads and searches with this token end then, too.
    pub cancellation: CancellationToken,
    /// The flag that the first Ctrl-C sets, by which a running clone ends.
    pub interrupted_flag: Arc<AtomicBool>,
    notify: Arc<Notify>,
}

impl InterruptListener {
    /// Starts a thread that listens for signals until the process ends.
    pub fn start_listening() -> Result<Self, ExitStatus> {
        let interrupt = Self::default();
        let listener = interrupt.clone();
        let print_listen_error = |error: &dyn std::fmt::Display| {
            print_error(&format!("signals cannot be heard: {error}"), ExitStatus::Failure)
        };
        let runtime = build_async_runtime().map_err(|error| print_listen_error(&error))?;
        let (ready_sender, ready_receiver) = std::sync::mpsc::sync_channel(1);
        std::thread::Builder::new()
            .name("interrupt".to_owned())
            .stack_size(THREAD_STACK_BYTES)
            .spawn(move || runtime.block_on(listener.handle_signals(&ready_sender)))
            .map_err(|error| print_listen_error(&error))?;
        // Waits until the signal handler is installed: before that, a signal would end the process at once.
        let _ = ready_receiver.recv();
        Ok(interrupt)
    }

    async fn handle_signals(&self, ready_sender: &std::sync::mpsc::SyncSender<()>) {
        let mut termination = Box::pin(wait_for_termination_signal());
        // The first poll of the future installs the signal handler.
        let mut ctrl_c_pressed = Box::pin(tokio::signal::ctrl_c());
        let first_poll = std::future::poll_fn(|context| {
            let _ = termination.as_mut().poll(context);
            std::task::Poll::Ready(ctrl_c_pressed.as_mut().poll(context))
        })
        .await;
        let _ = ready_sender.send(());
        if first_poll.is_ready() {
            self.handle_ctrl_c();
            ctrl_c_pressed = Box::pin(tokio::signal::ctrl_c());
        }
        loop {
            tokio::select! {
                code = &mut termination => remove_temporary_clones_and_exit(code),
                result = &mut ctrl_c_pressed => match result {
                    Ok(()) => self.handle_ctrl_c(),
                    // Without a signal handler, Ctrl-C has the system's default effect.
                    Err(_) => return,
                },
            }
            ctrl_c_pressed = Box::pin(tokio::signal::ctrl_c());
        }
    }

    fn handle_ctrl_c(&self) {
        if self.interrupted_flag.swap(true, Ordering::Relaxed) {
            remove_temporary_clones_and_exit(CTRL_C_EXIT_CODE);
        }
        self.cancellation.cancel();
        self.notify.notify_one();
    }

    /// Runs a future to its end and returns its output, or `None` where the first Ctrl-C came before the end.
    pub fn run_until_interrupted<T>(&self, future: impl Future<Output = T>) -> Result<Option<T>, ExitStatus> {
        Ok(build_async_runtime_or_print_error()?.block_on(async {
            tokio::select! {
                biased;
                () = self.wait_for_interrupt() => None,
                output = future => Some(output),
            }
        }))
    }

    /// Waits until Ctrl-C has been pressed for the first time.
    async fn wait_for_interrupt(&self) {
        while !self.is_interrupted() {
            self.notify.notified().await;
        }
    }

    /// Whether Ctrl-C has been pressed at least once.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted_flag.load(Ordering::Relaxed)
    }
}

/// Removes all temporary clones and ends the process.
fn remove_temporary_clones_and_exit(code: i32) -> ! {
    source::remove_all_clones();
    std::process::exit(code)
}

/// Waits for a termination signal and returns the exit code of the process.
#[cfg(unix)]
async fn wait_for_termination_signal() -> i32 {
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
    TERMINATION_EXIT_CODE
}

#[cfg(not(unix))]
async fn wait_for_termination_signal() -> i32 {
    std::future::pending().await
}
