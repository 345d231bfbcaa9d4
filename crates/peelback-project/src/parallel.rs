//! Processes many files in parallel on all cores, largest first.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::cancellation::CancellationToken;
use crate::entry::ProjectEntry;
use crate::thread_pool::start_thread_pool;

/// Calls `process_file` for each file of `entries` in parallel, largest file first, so that a small file finishes last.
/// Returns the results in the order of `entries`, and the number of files that were not processed because the call had
/// to stop.
pub fn process_files_in_parallel_largest_first<R: Send>(
    entries: &[ProjectEntry],
    cancellation: &CancellationToken,
    process_file: impl Fn(&ProjectEntry) -> Option<R> + Sync,
) -> (Vec<R>, usize) {
    let size = |entry: &ProjectEntry| std::fs::metadata(&entry.absolute).map_or(0, |metadata| metadata.len());
    start_thread_pool();
    let sizes: Vec<u64> = entries.par_iter().map(size).collect();
    process_items_in_parallel_largest_first(&sizes, cancellation, |index| entries.get(index).and_then(&process_file))
}

/// Like [`process_files_in_parallel_largest_first`], for items of any type: `sizes` are their sizes, and `process_item`
/// is called with the index of an item.
pub fn process_items_in_parallel_largest_first<R: Send>(
    sizes: &[u64],
    cancellation: &CancellationToken,
    process_item: impl Fn(usize) -> Option<R> + Sync,
) -> (Vec<R>, usize) {
    cancellation.add_expected_files(sizes.len());
    let mut order: Vec<(u64, usize)> = sizes.iter().copied().zip(0..).collect();
    order.sort_unstable_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let next_index = AtomicUsize::new(0);
    let unprocessed_count = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::new());
    start_thread_pool();
    rayon::broadcast(|_| {
        let mut thread_results = Vec::new();
        while let Some(&(_, index)) = order.get(next_index.fetch_add(1, Ordering::Relaxed)) {
            if !cancellation.count_processed_file_unless_stopped() {
                unprocessed_count.fetch_add(1, Ordering::Relaxed);
                continue;
            }
            if let Some(result) = process_item(index) {
                thread_results.push((index, result));
            }
        }
        results.lock().unwrap_or_else(PoisonError::into_inner).append(&mut thread_results);
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_unstable_by_key(|(index, _)| *index);
    (results.into_iter().map(|(_, result)| result).collect(), unprocessed_count.into_inner())
}
