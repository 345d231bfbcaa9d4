//! Threads for calls: each running call has a pool of its own.
//!
//! In a pool that calls shared, a call that hangs in a file system would hold its threads, and every later call waits
//! for all of them; and a long call would stand before every short one.

use std::sync::{Arc, Mutex, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// A call's own thread has the room that a process's first thread has.
const STACK_BYTES: usize = 8 << 20;

/// Pools that no call uses at the moment.
pub(super) struct Pools {
    threads: usize,
    keep: usize,
    idle: Mutex<Vec<Arc<ThreadPool>>>,
}

impl Pools {
    /// Pools of so many threads each, of which `keep` are kept idle.
    pub fn new(threads: usize, keep: usize) -> Self {
        Self { threads, keep, idle: Mutex::default() }
    }

    /// An idle pool, or a new one.
    pub fn take(&self) -> Result<Arc<ThreadPool>, ThreadPoolBuildError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match idle {
            Some(pool) => Ok(pool),
            None => {
                let named = |index| format!("call-{index}");
                let builder = ThreadPoolBuilder::new().num_threads(self.threads).stack_size(STACK_BYTES);
                builder.thread_name(named).build().map(Arc::new)
            }
        }
    }

    /// Takes a pool back whose call is done.
    pub fn give(&self, pool: Arc<ThreadPool>) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < self.keep {
            idle.push(pool);
        }
    }
}
