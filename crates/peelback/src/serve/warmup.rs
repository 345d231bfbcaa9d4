//! Warming up: the files are read once before the first call wants them, so that the system has them in memory.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use peelback_code::{CancellationToken, Project, SourceFile, WalkOptions};
use rayon::ThreadPoolBuilder;

/// Warming up begins when the client has listed the tools, or after so long: what a client waits for comes first.
const PATIENCE: Duration = Duration::from_secs(1);

/// More is not read ahead: it would push other files out of memory.
const MOST_BYTES: usize = 256 << 20;

/// Nor are more files.
const MOST_FILES: usize = 20_000;

/// Nor does it take longer, the walk and the wait before it included.
const MOST_TIME: Duration = Duration::from_secs(5);

/// Reading ahead, which the first call ends.
pub(super) struct Warmup {
    work: CancellationToken,
    started: AtomicBool,
    listed: Mutex<Option<Sender<()>>>,
}

impl Default for Warmup {
    fn default() -> Self {
        Self {
            work: CancellationToken::until(Instant::now() + MOST_TIME),
            started: AtomicBool::default(),
            listed: Mutex::default(),
        }
    }
}

impl Warmup {
    /// Reads the project ahead in a thread of its own, once.
    pub fn start(&self, project: Project) {
        // A whole file system holds the kernel's files and other machines'.
        if project.root().parent().is_none() {
            return;
        }
        if self.started.swap(true, Ordering::Relaxed) || self.work.stopped().is_some() {
            return;
        }
        let (sender, receiver) = channel();
        *self.listed.lock().unwrap_or_else(PoisonError::into_inner) = Some(sender);
        let work = self.work.clone();
        let started = std::thread::Builder::new().name("warm-up".to_owned()).spawn(move || {
            if let Err(RecvTimeoutError::Disconnected) = receiver.recv_timeout(PATIENCE) {
                return;
            }
            // What was listed is on its way: let it arrive.
            std::thread::sleep(Duration::from_millis(50));
            // One thread for the walk too: the others are for those who wait for something.
            let Ok(pool) = ThreadPoolBuilder::new().num_threads(1).build() else { return };
            let files = pool.install(|| read_ahead(&project.with_cancellation(work)));
            tracing::debug!(files, "warmed up");
        });
        if let Err(error) = started {
            tracing::debug!(%error, "no thread to warm up in");
        }
    }

    /// The client has what it waits for at the start.
    pub fn go(&self) {
        let sender = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = sender.as_ref() {
            // It may be done already.
            let _ = sender.send(());
        }
    }

    /// A call has arrived, and is not to be delayed.
    pub fn stop(&self) {
        self.work.cancel();
    }
}

/// Walks the project and reads its files; how many.
fn read_ahead(project: &Project) -> usize {
    if project.cancellation().stopped().is_some() {
        return 0;
    }
    let Ok(set) = project.files(None, &WalkOptions::default()) else { return 0 };
    let mut left = MOST_BYTES;
    let mut files = 0;
    for place in set.entries.iter().take(MOST_FILES) {
        if project.cancellation().stopped().is_some() || left == 0 {
            break;
        }
        if let Ok(file) = SourceFile::read(place) {
            left = left.saturating_sub(file.text.len());
            files += 1;
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use peelback_code::{CancellationToken, Project};

    use super::read_ahead;

    #[test]
    fn a_call_ends_it() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["a.rs", "b.rs", "c.rs"] {
            std::fs::write(folder.path().join(name), "fn f() {}").expect("a file");
        }
        let project = Project::discover(Some(folder.path()), None).expect("a folder");
        let work = CancellationToken::default();
        assert_eq!(read_ahead(&project.clone().with_cancellation(work.clone())), 3);
        work.cancel();
        assert_eq!(read_ahead(&project.with_cancellation(work)), 0);
    }
}
