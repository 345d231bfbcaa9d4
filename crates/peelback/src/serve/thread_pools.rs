//! Thread pools for calls: each running call has a separate pool.
//!
//! In a shared pool, a call that hangs in a file system would occupy the pool's threads, and every later call would
//! wait for all of them; a long call would also delay every short call.

use std::sync::{Arc, Mutex, PoisonError};

use peelback_code::THREAD_STACK_BYTES;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// A set of idle thread pools, which no call uses at the moment.
pub(super) struct ThreadPools {
    threads_per_pool: usize,
    max_idle_pools: usize,
    idle: Mutex<Vec<Arc<ThreadPool>>>,
}

impl ThreadPools {
    /// Creates an empty set of pools. Each pool has `threads` threads, and at most `keep` idle pools are retained.
    pub fn new(threads: usize, max_idle: usize) -> Self {
        Self { threads_per_pool: threads, max_idle_pools: max_idle, idle: Mutex::default() }
    }

    /// Takes a thread pool out of the set of idle pools, or creates a new pool.
    pub fn take_idle_or_new_pool(&self) -> Result<Arc<ThreadPool>, ThreadPoolBuildError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match idle {
            Some(pool) => Ok(pool),
            None => {
                let thread_name = |index| format!("call-{index}");
                let builder =
                    ThreadPoolBuilder::new().num_threads(self.threads_per_pool).stack_size(THREAD_STACK_BYTES);
                builder.thread_name(thread_name).build().map(Arc::new)
            }
        }
    }

    /// Puts the thread pool of a finished call back into the set of idle pools.
    pub fn return_pool(&self, pool: Arc<ThreadPool>) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < self.max_idle_pools {
            idle.push(pool);
        }
    }
}
