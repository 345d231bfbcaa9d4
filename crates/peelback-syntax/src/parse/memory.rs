//! The memory that the parses of all threads share.
//!
//! An analysis (a parse, and what is read from its tree) holds a little memory freely. For more the parser asks, step by
//! step (`build/parser/bounds.h`), and takes it from a budget of the process. Where the budget is used up, one analysis at a
//! time goes on without it, and gives back what it had; the others wait. The one never waits, so there is always one that
//! ends. All that an analysis took is given back when it ends, and its trees are gone.
//!
//! So all parses together hold at most the budget, what one analysis may hold, and what each thread holds freely.

use std::cell::RefCell;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::StopSignal;

/// The budget of the process, in bytes. Files of up to a megabyte, sixteen at a time, do not use it up.
const SHARED_BYTES: usize = 64 << 20;

/// The bytes that one question of the parser is about: `PEELBACK_GRANTED_BYTES` of `bounds.h`.
const GRANTED_BYTES: usize = 2 << 20;

/// The time that one analysis may hold the place outside the budget while others wait. A parse ends by its time limit
/// long before; if this time passes, something hangs, and the others end without a result.
const MAX_HELD: Duration = Duration::from_secs(20);

/// The interval in which those who wait look whether their work must end.
const WAITING_INTERVAL: Duration = Duration::from_millis(20);

/// The memory of all parses of this process.
static SHARED: SharedMemoryBudget = SharedMemoryBudget {
    state: Mutex::new(State { free_bytes: SHARED_BYTES, unbounded_since: None }),
    changed: Condvar::new(),
};

thread_local! {
    /// What the analysis on this thread holds.
    static HELD: RefCell<Held> = const {
        RefCell::new(Held { analyses: 0, stop: StopSignal::NEVER, has_parsed: false, bytes: 0, is_unbounded: false })
    };
}

struct SharedMemoryBudget {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// What is left of the budget.
    free_bytes: usize,
    /// The time at which an analysis began to go on without the budget; `None` where there is no such analysis.
    unbounded_since: Option<Instant>,
}

/// What the analysis on one thread holds.
struct Held {
    /// The number of analyses on this thread that have not ended, each inside the one before.
    analyses: usize,
    /// Ends the parses of the outermost analysis.
    stop: StopSignal,
    /// Whether the outermost analysis has begun a parse.
    has_parsed: bool,
    /// The bytes taken from the budget.
    bytes: usize,
    /// Whether this is the analysis that goes on without the budget.
    is_unbounded: bool,
}

/// The reason why an analysis gets no more memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoMemory {
    /// Its work must end.
    Stopped,
    /// The analysis that went on without the budget does not end.
    Hangs,
}

/// Gives back the memory of the analysis on this thread when it is dropped, which must be after the trees.
#[derive(Debug)]
pub(crate) struct AnalysisMemory(());

impl AnalysisMemory {
    /// Begins an analysis whose parses end at `stop`. Inside another one of the same thread, it is a part of that.
    pub fn new(stop: &StopSignal) -> Self {
        HELD.with_borrow_mut(|held| {
            if held.analyses == 0 {
                held.stop = stop.clone();
            }
            held.analyses += 1;
        });
        Self(())
    }
}

impl Drop for AnalysisMemory {
    fn drop(&mut self) {
        let (bytes, is_unbounded) = HELD.with_borrow_mut(|held| {
            held.analyses = held.analyses.saturating_sub(1);
            if held.analyses > 0 {
                return (0, false);
            }
            held.has_parsed = false;
            held.stop = StopSignal::NEVER;
            (std::mem::take(&mut held.bytes), std::mem::take(&mut held.is_unbounded))
        });
        if bytes > 0 || is_unbounded {
            SHARED.give_back(bytes, is_unbounded);
        }
    }
}

/// Whether the parse that begins is the first one of the analysis on this thread.
pub(super) fn mark_parse_begun_and_was_first() -> bool {
    HELD.with_borrow_mut(|held| !std::mem::replace(&mut held.has_parsed, true))
}

/// Whether the analysis on this thread goes on without the budget.
pub(super) fn is_unbounded() -> bool {
    HELD.with_borrow(|held| held.is_unbounded)
}

/// Whether the work that the analysis on this thread belongs to must end.
pub(super) fn must_stop() -> bool {
    HELD.with_borrow(|held| held.stop.must_stop())
}

/// Takes memory for one question of the parser, and waits for it until the work must end.
pub(super) fn wait_for_parser_memory_grant() -> Result<(), NoMemory> {
    if HELD.with_borrow(|held| held.is_unbounded) {
        return Ok(());
    }
    match SHARED.reserve_or_wait(must_stop)? {
        Taken::FromBudget => HELD.with_borrow_mut(|held| held.bytes += GRANTED_BYTES),
        Taken::Unbounded => {
            let bytes = HELD.with_borrow_mut(|held| {
                held.is_unbounded = true;
                std::mem::take(&mut held.bytes)
            });
            SHARED.give_back(bytes, false);
        }
    }
    Ok(())
}

enum Taken {
    FromBudget,
    Unbounded,
}

impl SharedMemoryBudget {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reserve_or_wait(&self, must_stop: impl Fn() -> bool) -> Result<Taken, NoMemory> {
        let mut state = self.lock();
        loop {
            if state.free_bytes >= GRANTED_BYTES {
                state.free_bytes -= GRANTED_BYTES;
                return Ok(Taken::FromBudget);
            }
            match state.unbounded_since {
                None => {
                    state.unbounded_since = Some(Instant::now());
                    return Ok(Taken::Unbounded);
                }
                Some(since) if since.elapsed() > MAX_HELD => return Err(NoMemory::Hangs),
                Some(_) if must_stop() => return Err(NoMemory::Stopped),
                Some(_) => {
                    let waited = self.changed.wait_timeout(state, WAITING_INTERVAL);
                    state = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
    }

    fn give_back(&self, bytes: usize, is_unbounded: bool) {
        let mut state = self.lock();
        state.free_bytes += bytes;
        if is_unbounded {
            state.unbounded_since = None;
        }
        drop(state);
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn memory(free_bytes: usize) -> SharedMemoryBudget {
        SharedMemoryBudget { state: Mutex::new(State { free_bytes, unbounded_since: None }), changed: Condvar::new() }
    }

    #[test]
    fn beyond_the_budget_one_goes_on_and_the_others_wait() {
        let shared = memory(GRANTED_BYTES);
        assert!(matches!(shared.reserve_or_wait(|| false), Ok(Taken::FromBudget)));
        assert!(matches!(shared.reserve_or_wait(|| false), Ok(Taken::Unbounded)));
        let asked = AtomicUsize::new(0);
        let stops_at_third = || asked.fetch_add(1, Ordering::Relaxed) == 2;
        assert!(matches!(shared.reserve_or_wait(stops_at_third), Err(NoMemory::Stopped)));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| matches!(shared.reserve_or_wait(|| false), Ok(Taken::Unbounded)));
            shared.give_back(0, true);
            assert!(waiting.join().expect("no panic"));
        });
        shared.give_back(GRANTED_BYTES, false);
        assert!(matches!(shared.reserve_or_wait(|| false), Ok(Taken::FromBudget)));
    }

    #[test]
    fn what_hangs_does_not_hold_the_others_for_ever() {
        let shared = memory(0);
        let Some(long_ago) = Instant::now().checked_sub(MAX_HELD + Duration::from_secs(1)) else { return };
        shared.lock().unbounded_since = Some(long_ago);
        assert!(matches!(shared.reserve_or_wait(|| false), Err(NoMemory::Hangs)));
    }

    #[test]
    fn an_analysis_inside_another_gives_nothing_back() {
        let outer = AnalysisMemory::new(&StopSignal::NEVER);
        assert!(mark_parse_begun_and_was_first());
        wait_for_parser_memory_grant().expect("the budget has room");
        drop(AnalysisMemory::new(&StopSignal::NEVER));
        assert!(!mark_parse_begun_and_was_first());
        assert_eq!(HELD.with_borrow(|held| held.bytes), GRANTED_BYTES);
        drop(outer);
        assert_eq!(HELD.with_borrow(|held| (held.bytes, held.has_parsed)), (0, false));
    }
}
