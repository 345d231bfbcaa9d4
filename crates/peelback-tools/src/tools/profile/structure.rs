//! The symbols of a profile as rows, with as much detail as a number of removals leaves.

use super::facts::FileProfile;
use crate::left_out::{LeftOut, add_removal};
use crate::rows::SymbolRow;
use crate::symbol_detail::DetailLadder;

/// The rows of a profile's symbols, after some removals of detail.
pub(super) struct ProfileRows {
    pub rows: Vec<SymbolRow>,
    /// What the removals took.
    pub left_out: Vec<LeftOut>,
}

impl FileProfile {
    /// The rows of the symbols after `removals` removals of the least valuable detail; those local to functions are listed
    /// where `is_full` is set.
    pub(super) fn rows_after_removals(&self, removals: usize, is_full: bool) -> ProfileRows {
        let mut rows = SymbolRow::build_row_trees_of_kept_symbols(
            &self.analysed.file.path,
            self.analysed.facts.symbols.clone(),
            &self.costs,
            usize::MAX,
            &|symbol| is_full || !symbol.local,
        );
        let mut ladder = DetailLadder::default();
        let mut left_out = Vec::new();
        for _ in 0..removals {
            let Some(removed) = ladder.remove_next_detail_or_level(&mut rows) else { break };
            add_removal(&mut left_out, removed);
        }
        ProfileRows { rows, left_out }
    }
}
