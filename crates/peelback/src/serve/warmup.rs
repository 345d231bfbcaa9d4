//! Warm-up of the operating system's file cache: the project's files are read once before the first call needs them.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use peelback_code::{CancellationToken, Project, SourceFile, THREAD_STACK_BYTES, WalkOptions};
use rayon::ThreadPoolBuilder;

/// The time limit of the wait before the warm-up starts. The warm-up starts when the client has listed the tools, or
/// after this time, because requests that the client waits for have priority.
const MAX_START_DELAY: Duration = Duration::from_secs(1);

/// The limit on the bytes that the warm-up reads; more would displace other files from memory.
const MAX_READ_BYTES: usize = 256 << 20;

/// The limit on the files that the warm-up reads.
const MAX_READ_FILES: usize = 20_000;

/// The time limit of the warm-up, including the wait before it and the walk through the project.
const MAX_WARMUP_TIME: Duration = Duration::from_secs(5);

/// The warm-up of the file cache, which the first tool call stops.
pub(super) struct Warmup {
    cancellation: CancellationToken,
    started: AtomicBool,
    tools_listed: Mutex<Option<Sender<()>>>,
}

impl Default for Warmup {
    fn default() -> Self {
        Self {
            cancellation: CancellationToken::with_deadline(Instant::now() + MAX_WARMUP_TIME),
            started: AtomicBool::default(),
            tools_listed: Mutex::default(),
        }
    }
}

impl Warmup {
    /// Starts to read the project's files on a separate thread. Has an effect only once.
    pub fn start(&self, project: Project) {
        // The root of the file system is not read, because it contains virtual files of the kernel and files of other
        // machines.
        if project.root().parent().is_none() {
            return;
        }
        if self.started.swap(true, Ordering::Relaxed) || self.cancellation.stop_cause().is_some() {
            return;
        }
        let (sender, receiver) = channel();
        *self.tools_listed.lock().unwrap_or_else(PoisonError::into_inner) = Some(sender);
        let cancellation = self.cancellation.clone();
        let thread = std::thread::Builder::new().name("warm-up".to_owned()).stack_size(THREAD_STACK_BYTES);
        let spawned = thread.spawn(move || {
            if let Err(RecvTimeoutError::Disconnected) = receiver.recv_timeout(MAX_START_DELAY) {
                return;
            }
            // Waits until the list of tools, which is being sent, has reached the client.
            std::thread::sleep(Duration::from_millis(50));
            // The walk through the project also uses only one thread, so that the other threads are free for requests.
            let Ok(pool) = ThreadPoolBuilder::new().num_threads(1).stack_size(THREAD_STACK_BYTES).build() else {
                return;
            };
            let files = pool.install(|| warm_file_cache_and_count_files(&project.with_cancellation(cancellation)));
            tracing::debug!(files, "warmed up");
        });
        if let Err(error) = spawned {
            tracing::debug!(%error, "no thread to warm up in");
        }
    }

    /// Signals that the client has received the list of tools, so that the warm-up can start.
    pub fn signal_tools_listed(&self) {
        let sender = self.tools_listed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = sender.as_ref() {
            // Sending the signal fails where the warm-up thread has already ended.
            let _ = sender.send(());
        }
    }

    /// Stops the warm-up, because a tool call has arrived and must not be delayed.
    pub fn stop(&self) {
        self.cancellation.cancel();
    }
}

/// Walks through the project, reads its files into the operating system's file cache, and returns the number of files.
fn warm_file_cache_and_count_files(project: &Project) -> usize {
    if project.cancellation().stop_cause().is_some() {
        return 0;
    }
    let Ok(set) = project.files_in_scope(None, &WalkOptions::default()) else { return 0 };
    let mut remaining_bytes = MAX_READ_BYTES;
    let mut files = 0;
    for entry in set.entries.iter().take(MAX_READ_FILES) {
        if project.cancellation().stop_cause().is_some() || remaining_bytes == 0 {
            break;
        }
        if let Ok(file) = SourceFile::read(entry) {
            remaining_bytes = remaining_bytes.saturating_sub(file.text.len());
            files += 1;
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use peelback_code::{CancellationToken, Project};

    use super::warm_file_cache_and_count_files;

    #[test]
    fn a_call_ends_it() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["a.rs", "b.rs", "c.rs"] {
            std::fs::write(folder.path().join(name), "fn f() {}").expect("a file");
        }
        let project = Project::discover(Some(folder.path()), None).expect("a folder");
        let work = CancellationToken::default();
        assert_eq!(warm_file_cache_and_count_files(&project.clone().with_cancellation(work.clone())), 3);
        work.cancel();
        assert_eq!(warm_file_cache_and_count_files(&project.with_cancellation(work)), 0);
    }
}
