//! The stack: how much of it a thread is started with, and how a recursion that source code deepens gets more.
//!
//! A recursion over source code is either a work list, or passes [`run_on_enough_stack`] once in each of its cycles and
//! has a limit on its depth. The limit bounds memory and time; the growth makes the depth independent of the stack of
//! the thread that the recursion happens to run on.

/// The stack, in bytes, with which every thread is started that works on source code. It is the usual size of a
/// process's main thread. Only the pages that a thread touches take memory.
pub const THREAD_STACK_BYTES: usize = 8 << 20;

/// The stack space, in bytes, that must be free before one more level of a recursion. It is far more than the calls
/// between two levels use.
const MIN_FREE_STACK_BYTES: usize = 128 * 1024;

/// The size, in bytes, of the stack segment that is allocated where less than [`MIN_FREE_STACK_BYTES`] is free.
const STACK_SEGMENT_BYTES: usize = 2 << 20;

/// Calls `run` with enough free stack for one more level of a recursion; on a new stack segment if the present one is
/// nearly full. Works on every thread, however small its stack is.
#[inline]
pub fn run_on_enough_stack<R>(run: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(MIN_FREE_STACK_BYTES, STACK_SEGMENT_BYTES, run)
}

/// Calls `run` with enough free stack for a whole recursion of bounded depth that is not ours, such as a parser with
/// its own limit on nesting.
#[inline]
pub fn run_with_stack_for_bounded_recursion<R>(run: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(STACK_SEGMENT_BYTES - MIN_FREE_STACK_BYTES, STACK_SEGMENT_BYTES, run)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(levels: u32) -> u32 {
        let room = std::hint::black_box([0_u8; 1024]);
        run_on_enough_stack(|| match levels {
            0 => 0,
            _ => depth(levels - 1) + 1 + u32::from(room[usize::try_from(levels % 7).unwrap_or(0)]),
        })
    }

    #[test]
    fn a_recursion_outgrows_the_stack_of_its_thread() {
        let thread = std::thread::Builder::new().stack_size(64 * 1024).spawn(|| depth(20_000)).expect("a thread");
        assert_eq!(thread.join().expect("no overflow"), 20_000);
    }
}
