//! Ctrl-C, listened for as long as a command runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use peelback_code::Work;
use tokio::sync::watch;

use crate::exit::Exit;

/// Ctrl-C. The first press is told to whoever waits for it, and ends what looks at [`Interrupt::work`]; the second ends the
/// process.
#[derive(Debug, Clone)]
pub(crate) struct Interrupt {
    pressed: watch::Receiver<bool>,
    flag: Arc<AtomicBool>,
    work: Work,
}

impl Interrupt {
    /// Listens from now on, on a thread of its own: who works without waiting cannot listen.
    pub fn listen() -> Self {
        let (sender, pressed) = watch::channel(false);
        let interrupt = Self { pressed, flag: Arc::default(), work: Work::default() };
        let told = interrupt.clone();
        std::thread::spawn(move || {
            let Ok(runtime) = crate::documents::runtime() else { return };
            runtime.block_on(async move {
                // Where there is no such signal, it ends the process as the system has it.
                if tokio::signal::ctrl_c().await.is_err() {
                    std::future::pending::<()>().await;
                }
                told.flag.store(true, Ordering::SeqCst);
                told.work.cancel();
                let _ = sender.send(true);
                if tokio::signal::ctrl_c().await.is_ok() {
                    std::process::exit(Exit::Failure as i32);
                }
            });
        });
        interrupt
    }

    /// Whether it was pressed.
    pub fn is_pressed(&self) -> bool {
        self.flag.load(Ordering::SeqCst)
    }

    /// Set when it is pressed.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }

    /// Work that it ends.
    pub fn work(&self) -> Work {
        self.work.clone()
    }

    /// Waits until it is pressed.
    pub async fn pressed(&self) {
        let mut pressed = self.pressed.clone();
        if pressed.wait_for(|pressed| *pressed).await.is_err() {
            // Nobody listens.
            std::future::pending::<()>().await;
        }
    }
}
