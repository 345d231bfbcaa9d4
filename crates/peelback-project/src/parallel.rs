//! Processes many files in parallel on all cores, largest first.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::cancellation::CancellationToken;
use crate::entry::ProjectEntry;

/// Calls `look` for each entry in parallel, largest file first, so that a small file finishes last. The results are in
/// index order, with the number of files that were left when the call had to end.
pub fn largest_first<R: Send>(
    entries: &[ProjectEntry],
    cancellation: &CancellationToken,
    look: impl Fn(&ProjectEntry) -> Option<R> + Sync,
) -> (Vec<R>, usize) {
    let size = |entry: &ProjectEntry| std::fs::metadata(&entry.absolute).map_or(0, |metadata| metadata.len());
    let sizes: Vec<u64> = entries.par_iter().map(size).collect();
    in_order_of(&sizes, cancellation, |index| entries.get(index).and_then(&look))
}

/// [`largest_first`] for any items with these sizes.
pub fn in_order_of<R: Send>(
    sizes: &[u64],
    cancellation: &CancellationToken,
    look: impl Fn(usize) -> Option<R> + Sync,
) -> (Vec<R>, usize) {
    cancellation.expect(sizes.len());
    let mut order: Vec<(u64, usize)> = sizes.iter().copied().zip(0..).collect();
    order.sort_unstable_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let next = AtomicUsize::new(0);
    let left = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::new());
    rayon::broadcast(|_| {
        let mut mine = Vec::new();
        while let Some(&(_, index)) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            if !cancellation.step() {
                left.fetch_add(1, Ordering::Relaxed);
                continue;
            }
            if let Some(result) = look(index) {
                mine.push((index, result));
            }
        }
        done.lock().unwrap_or_else(PoisonError::into_inner).append(&mut mine);
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(index, _)| *index);
    (done.into_iter().map(|(_, result)| result).collect(), left.into_inner())
}
