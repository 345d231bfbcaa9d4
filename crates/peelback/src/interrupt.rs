//! Handling of the signals that ask the process to end: Ctrl-C, SIGTERM and SIGHUP. The first one ends the work and
//! keeps its results so far, the second one ends the process.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use peelback_agent::source;
use peelback_code::{CancellationToken, THREAD_STACK_BYTES};
use tokio::sync::Notify;

use crate::async_runtime::{build_async_runtime, build_async_runtime_or_print_error};
use crate::exit::{ExitStatus, print_error_and_return_status};

/// The time after the first signal in which SIGTERM and SIGHUP count as that signal. Programs send them twice:
/// `timeout` to its child and then to the child's process group, a closing terminal to both as well.
const REPETITION_WINDOW: Duration = Duration::from_secs(1);

/// A listener for the signals that ask the process to end, on a separate thread, so that a busy main thread does not
/// delay the reaction.
#[derive(Clone, Default)]
pub(crate) struct InterruptListener {
    /// The cancellation token that the first signal cancels: walks, reads and searches with this token end then, too.
    pub cancellation: CancellationToken,
    /// The flag that the first signal sets, by which a running clone ends.
    pub interrupted_flag: Arc<AtomicBool>,
    notify: Arc<Notify>,
}

/// A signal that asks the process to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EndSignal {
    /// Ctrl-C, or SIGINT.
    CtrlC,
    /// SIGTERM, which services and continuous integration send.
    #[cfg(unix)]
    Terminate,
    /// SIGHUP, which a closing terminal sends.
    #[cfg(unix)]
    HangUp,
}

impl EndSignal {
    /// The exit code that shells report for a process that the signal ended.
    fn exit_code(self) -> i32 {
        match self {
            Self::CtrlC => 130,
            #[cfg(unix)]
            Self::Terminate => 143,
            #[cfg(unix)]
            Self::HangUp => 129,
        }
    }
}

impl InterruptListener {
    /// Starts a thread that listens for signals until the process ends.
    pub fn start_listening() -> Result<Self, ExitStatus> {
        let interrupt = Self::default();
        let listener = interrupt.clone();
        let print_listen_error = |error: &dyn std::fmt::Display| {
            print_error_and_return_status(&format!("cannot listen for signals: {error}"), ExitStatus::Failure)
        };
        let runtime = build_async_runtime().map_err(|error| print_listen_error(&error))?;
        let (ready_sender, ready_receiver) = std::sync::mpsc::sync_channel(1);
        std::thread::Builder::new()
            .name("interrupt".to_owned())
            .stack_size(THREAD_STACK_BYTES)
            .spawn(move || runtime.block_on(listener.handle_signals(&ready_sender)))
            .map_err(|error| print_listen_error(&error))?;
        // Waits until the signal handlers are installed: before that, a signal would end the process at once.
        let _ = ready_receiver.recv();
        Ok(interrupt)
    }

    async fn handle_signals(&self, ready_sender: &std::sync::mpsc::SyncSender<()>) {
        let mut signals = EndSignals::install_handlers();
        let _ = ready_sender.send(());
        let mut first_signal_time = None;
        loop {
            let signal = signals.wait_for_next_signal().await;
            let since_first = first_signal_time.get_or_insert_with(Instant::now).elapsed();
            if !self.interrupted_flag.swap(true, Ordering::Relaxed) {
                self.cancellation.cancel();
                self.notify.notify_one();
            } else if signal == EndSignal::CtrlC || since_first > REPETITION_WINDOW {
                remove_temporary_clones_and_exit(signal.exit_code());
            }
        }
    }

    /// Runs a future to its end and returns its output, or `None` where the first signal came before the end.
    pub fn run_until_interrupted<T>(&self, future: impl Future<Output = T>) -> Result<Option<T>, ExitStatus> {
        Ok(build_async_runtime_or_print_error()?.block_on(async {
            tokio::select! {
                biased;
                () = self.wait_for_interrupt() => None,
                output = future => Some(output),
            }
        }))
    }

    /// Waits until the first signal has come.
    async fn wait_for_interrupt(&self) {
        while !self.is_interrupted() {
            self.notify.notified().await;
        }
    }

    /// Whether a signal has asked the process to end.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted_flag.load(Ordering::Relaxed)
    }
}

/// Removes all temporary clones and ends the process.
fn remove_temporary_clones_and_exit(code: i32) -> ! {
    source::remove_all_clones();
    std::process::exit(code)
}

/// The installed handlers of the signals that ask the process to end. Where a handler cannot be installed, the signal has
/// the system's default effect.
#[cfg(unix)]
struct EndSignals {
    ctrl_c: Option<tokio::signal::unix::Signal>,
    terminate: Option<tokio::signal::unix::Signal>,
    hang_up: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl EndSignals {
    fn install_handlers() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        // A handler would undo `nohup`, which starts a process that ignores the signal.
        let hang_up = if is_hang_up_ignored() { None } else { signal(SignalKind::hangup()).ok() };
        Self { ctrl_c: signal(SignalKind::interrupt()).ok(), terminate: signal(SignalKind::terminate()).ok(), hang_up }
    }

    async fn wait_for_next_signal(&mut self) -> EndSignal {
        tokio::select! {
            () = wait_for_signal(&mut self.ctrl_c) => EndSignal::CtrlC,
            () = wait_for_signal(&mut self.terminate) => EndSignal::Terminate,
            () = wait_for_signal(&mut self.hang_up) => EndSignal::HangUp,
        }
    }
}

/// Waits for a signal whose handler is installed; without one, waits for ever.
#[cfg(unix)]
async fn wait_for_signal(handler: &mut Option<tokio::signal::unix::Signal>) {
    let received = match handler {
        Some(handler) => handler.recv().await,
        None => None,
    };
    if received.is_none() {
        std::future::pending::<()>().await;
    }
}

/// Whether this process was started with SIGHUP ignored, as `nohup` does. Known only on Linux.
#[cfg(unix)]
fn is_hang_up_ignored() -> bool {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return false };
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // The bits of the mask count from signal 1, which is SIGHUP.
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

/// The installed handler of Ctrl-C. Where it cannot be installed, Ctrl-C has the system's default effect.
#[cfg(windows)]
struct EndSignals(Option<tokio::signal::windows::CtrlC>);

#[cfg(windows)]
impl EndSignals {
    fn install_handlers() -> Self {
        Self(tokio::signal::windows::ctrl_c().ok())
    }

    async fn wait_for_next_signal(&mut self) -> EndSignal {
        let received = match &mut self.0 {
            Some(handler) => handler.recv().await,
            None => None,
        };
        if received.is_none() {
            std::future::pending::<()>().await;
        }
        EndSignal::CtrlC
    }
}
