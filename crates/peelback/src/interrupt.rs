//! Ctrl-C: the first ends the work with what there is by then, the second ends the process.

use std::future::Future as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use peelback_agent::source;
use peelback_code::CancellationToken;
use tokio::sync::Notify;

use crate::exit::{Exit, fail};

/// What shells report for a process that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

/// What they report for one that was told to end.
#[cfg(unix)]
const TERMINATED: i32 = 143;

/// Listens for Ctrl-C, also while this thread works and waits for nothing.
#[derive(Clone, Default)]
pub(crate) struct Interrupt {
    /// Ends with the first Ctrl-C: walks, reads and searches that observation at it end then, too.
    pub work: CancellationToken,
    /// Set by the first Ctrl-C.
    pub flag: Arc<AtomicBool>,
    told: Arc<Notify>,
}

impl Interrupt {
    /// Begins to listen, for the rest of the process.
    pub fn listen() -> Result<Self, Exit> {
        let interrupt = Self::default();
        let own = interrupt.clone();
        let failed = |error: &dyn std::fmt::Display| fail(&format!("signals cannot be heard: {error}"), Exit::Failure);
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| failed(&error))?;
        let (ready, is_ready) = std::sync::mpsc::sync_channel(1);
        std::thread::Builder::new()
            .name("interrupt".to_owned())
            .spawn(move || runtime.block_on(own.heard(&ready)))
            .map_err(|error| failed(&error))?;
        // A signal that comes before the handler stands would end the process at once.
        let _ = is_ready.recv();
        Ok(interrupt)
    }

    async fn heard(&self, ready: &std::sync::mpsc::SyncSender<()>) {
        let mut ended = Box::pin(ended());
        // Polled once, a handler stands.
        let mut pressed = Box::pin(tokio::signal::ctrl_c());
        let first = std::future::poll_fn(|context| {
            let _ = ended.as_mut().poll(context);
            std::task::Poll::Ready(pressed.as_mut().poll(context))
        })
        .await;
        let _ = ready.send(());
        if first.is_ready() {
            self.fire();
            pressed = Box::pin(tokio::signal::ctrl_c());
        }
        loop {
            tokio::select! {
                code = &mut ended => leave(code),
                heard = &mut pressed => match heard {
                    Ok(()) => self.fire(),
                    // Nothing can be heard: the system's own way with the signal holds.
                    Err(_) => return,
                },
            }
            pressed = Box::pin(tokio::signal::ctrl_c());
        }
    }

    fn fire(&self) {
        if self.flag.swap(true, Ordering::Relaxed) {
            leave(INTERRUPTED);
        }
        self.work.cancel();
        self.told.notify_one();
    }

    /// Waits for the first Ctrl-C.
    pub async fn fired(&self) {
        while !self.is_fired() {
            self.told.notified().await;
        }
    }

    /// Whether it came.
    pub fn is_fired(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }
}

/// Ends the process and leaves nothing behind.
fn leave(code: i32) -> ! {
    source::remove_all_clones();
    std::process::exit(code)
}

/// Waits until the process is told to end; gives its exit code.
#[cfg(unix)]
async fn ended() -> i32 {
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
async fn ended() -> i32 {
    std::future::pending().await
}
