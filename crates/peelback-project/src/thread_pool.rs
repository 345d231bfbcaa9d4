//! The global pool of threads, on which the files of a project are worked on in parallel.
//!
//! It starts when the first call needs it: starting threads takes as long as a whole answer about one file.

use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

use peelback_syntax::stack::THREAD_STACK_BYTES;

/// How many threads the pool will have; 0 is one for each processor.
static THREAD_COUNT: AtomicUsize = AtomicUsize::new(0);

static STARTED: Once = Once::new();

/// Sets how many threads the global pool will have: 0 is one for each processor, as without this call. Has no effect
/// once the pool has started.
pub fn set_thread_count(count: usize) {
    THREAD_COUNT.store(count, Ordering::Relaxed);
}

/// Starts the global pool, with [`THREAD_STACK_BYTES`] of stack for each thread, unless it has started already or this
/// thread belongs to another pool of rayon's. Has to come before the first parallel work of a call, because rayon
/// otherwise starts its threads with whatever stack the environment says.
pub fn start_thread_pool() {
    if rayon::current_thread_index().is_some() {
        return;
    }
    STARTED.call_once(|| {
        let threads = THREAD_COUNT.load(Ordering::Relaxed);
        // Fails only where a program that uses this library has started rayon's pool itself, with its own settings.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(THREAD_STACK_BYTES).build_global();
    });
}
