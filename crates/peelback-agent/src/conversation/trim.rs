//! Trimming of a conversation: which messages are shortened or removed, and when.

use peelback_tools::RetentionPriority;

use super::cut::MIN_TRUNCATED_TOKENS;
use super::turn::{ShownForm, StoredToolResult, Turn};
use super::{Conversation, OpeningMessage};

/// The share of the token limit (0 to 1) that is reserved for each turn until messages that were already sent may
/// change again.
const RESERVED_SHARE_PER_TURN: f64 = 0.02;

/// The maximum distance in turns between two tool results that count as equally old.
const SAME_AGE: usize = 2;

/// The maximum number of tokens of the model's own text that an old turn keeps when the conversation nears its token
/// limit.
const MAX_OLD_MODEL_TEXT_TOKENS: usize = 120;

impl Conversation {
    /// Trims the conversation so that the next request fits the token limit. Must run before the messages of the
    /// request are produced.
    pub(super) fn trim(&mut self) {
        let room = self.request_token_limit();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a cast from a float saturates at 0 and at the greatest number; the fraction is dropped"
        )]
        let share = |part: f64| (room as f64 * part) as usize;
        let (high, low) = (share(self.limits.high_water), share(self.limits.low_water));
        let rested = self.last_turn_number().saturating_sub(self.changed_at) >= self.limits.turns_between;
        let texts = self.first_turn_with_file_text();
        if rested {
            let before = self.count_all_tokens();
            let is_full = before > high;
            let summarised = self.replace_old_results_by_short_forms();
            // Where the prefix of the request changes anyway, tool results that would soon be evicted are evicted now.
            if is_full || (summarised && self.count_all_tokens() > low.midpoint(high)) {
                self.evict_results_and_old_turns(low, if is_full { low.midpoint(high) } else { high }, texts);
            }
            if self.count_all_tokens() != before {
                self.changed_at = self.last_turn_number();
            }
        }
        // Tool results that were not sent yet are not part of the cached prefix, so they can shrink. Each turn until
        // the next allowed change of the prefix needs a little room.
        let rest = self.limits.turns_between.saturating_sub(self.last_turn_number().saturating_sub(self.changed_at));
        let spared = (share(RESERVED_SHARE_PER_TURN) * rest).min(room / 2);
        self.shrink_largest_results(room - spared, |turn| !turn.is_sent);
        if self.count_all_tokens() > room {
            self.changed_at = self.last_turn_number();
            self.replace_old_results_by_short_forms();
            self.evict_results_and_old_turns(low, low.midpoint(high), texts);
            self.force_request_to_fit(room);
        }
    }

    /// The number of the first turn that contains the whole text of a file.
    fn first_turn_with_file_text(&self) -> Option<usize> {
        let has_text = |turn: &&Turn| {
            turn.tool_results().any(|held| {
                let is_answer = !held.is_error && !held.is_failure;
                held.priority == RetentionPriority::Low && held.is_shown_unmodified() && is_answer
            })
        };
        self.turns.iter().find(has_text).map(|turn| turn.number)
    }

    /// Whether trimming may change a turn: older than the most recent turns that stay unchanged.
    fn can_trim_turn(&self, number: usize) -> bool {
        number + self.limits.recent_turns <= self.last_turn_number()
    }

    /// Layer 1 of trimming: replaces the texts of files in old tool results by outlines, and errors with documentation by
    /// the errors alone. Returns whether anything changed.
    fn replace_old_results_by_short_forms(&mut self) -> bool {
        let mut changed = false;
        for index in 0..self.turns.len() {
            if !self.turns.get(index).is_some_and(|turn| self.can_trim_turn(turn.number)) {
                continue;
            }
            let Some(turn) = self.turns.get_mut(index) else { continue };
            let has_short_form =
                |held: &&mut StoredToolResult| held.is_failure || held.priority == RetentionPriority::Low;
            for held in turn.tool_results_mut().filter(has_short_form) {
                changed |= held.replace_by_short_form();
            }
        }
        changed
    }

    /// Layer 2 of trimming: evicts tool results until at most `low` tokens are left. The order is: failed calls, low
    /// priority, medium priority, the model's own long texts, high priority, and last what the model needs. Within one of
    /// these the oldest result is evicted first, and among equally old results the largest. A high-priority result is kept
    /// longer than low-priority results of its age: `texts` is the number of the first turn that contained the text of a
    /// file before this trimming, and high-priority results of that age or newer are evicted only while more than `most`
    /// tokens are left; so are results that the model needs.
    fn evict_results_and_old_turns(&mut self, low: usize, most: usize, texts: Option<usize>) {
        let has_priority = |held: &StoredToolResult, priority| held.priority == priority && !held.is_needed;
        self.replace_matching_results_by_stubs(low, |held, _| held.is_failure);
        self.replace_matching_results_by_stubs(low, |held, _| has_priority(held, RetentionPriority::Low));
        self.replace_matching_results_by_stubs(low, |held, _| has_priority(held, RetentionPriority::Medium));
        for index in 0..self.turns.len() {
            if self.count_all_tokens() <= low {
                break;
            }
            if self.turns.get(index).is_some_and(|turn| self.can_trim_turn(turn.number))
                && let Some(turn) = self.turns.get_mut(index)
            {
                turn.shorten_model_message(MAX_OLD_MODEL_TEXT_TOKENS);
            }
        }
        let outlived = |turn: usize| texts.is_none_or(|texts| turn + SAME_AGE < texts);
        self.replace_matching_results_by_stubs(low, |held, turn| {
            has_priority(held, RetentionPriority::High) && outlived(turn)
        });
        self.replace_matching_results_by_stubs(most, |held, _| has_priority(held, RetentionPriority::High));
        self.replace_matching_results_by_stubs(most, |held, _| held.is_needed);
        self.remove_oldest_turns_to_fit(most);
    }

    fn replace_matching_results_by_stubs(&mut self, low: usize, goes: impl Fn(&StoredToolResult, usize) -> bool) {
        let mut left = self.count_all_tokens();
        if left <= low {
            return;
        }
        let mut candidates: Vec<(usize, std::cmp::Reverse<usize>, usize)> = Vec::new();
        for (index, turn) in self.turns.iter().enumerate().filter(|(_, turn)| self.can_trim_turn(turn.number)) {
            for (at, held) in turn.results.iter().enumerate() {
                let Some(held) = held else { continue };
                if goes(held, turn.number) && !matches!(held.shown, ShownForm::Stub) {
                    candidates.push((index, std::cmp::Reverse(held.token_count()), at));
                }
            }
        }
        candidates.sort_unstable();
        for (index, _, at) in candidates {
            if left <= low {
                return;
            }
            let held = self.turns.get_mut(index).and_then(|turn| turn.results.get_mut(at)?.as_mut());
            let Some(held) = held else { continue };
            let before = held.token_count();
            if held.replace_by_stub() {
                left = left - before + held.token_count();
            }
        }
    }

    /// Removes whole turns from the conversation, the oldest first, until at most `most` tokens are left.
    fn remove_oldest_turns_to_fit(&mut self, most: usize) {
        let mut left = self.count_all_tokens();
        let mut gone = 0;
        while left > most && self.turns.get(gone).is_some_and(|turn| self.can_trim_turn(turn.number)) {
            left = left.saturating_sub(self.turns.get(gone).map_or(0, Turn::token_count));
            gone += 1;
        }
        self.remove_first_turns(gone);
    }

    /// Removes the first `count` turns and records them in the opening message.
    fn remove_first_turns(&mut self, count: usize) {
        let Some(last) = count.checked_sub(1).and_then(|last| self.turns.get(last)).map(|turn| turn.number) else {
            return;
        };
        for turn in self.turns.drain(..count) {
            for call in turn.calls() {
                *self.opening.called.entry(call.name.clone()).or_default() += 1;
            }
        }
        self.opening.left_out = last;
        self.opening.recount_tokens();
    }

    /// Shrinks the largest tool results of the turns that `meant` selects until the request fits into `room` tokens.
    fn shrink_largest_results(&mut self, room: usize, meant: impl Fn(&Turn) -> bool) {
        let mut left = self.count_all_tokens();
        while left > room {
            let over = left - room;
            let largest = self
                .turns
                .iter_mut()
                .filter(|turn| meant(turn))
                .flat_map(Turn::tool_results_mut)
                .filter(|held| held.token_count() > MIN_TRUNCATED_TOKENS * 2)
                .max_by_key(|held| held.token_count());
            let Some(held) = largest else { return };
            let before = held.token_count();
            if !held.shorten(before.saturating_sub(over).max(MIN_TRUNCATED_TOKENS)) {
                return;
            }
            left = left - before + held.token_count();
        }
    }

    /// The last resort where a request still exceeds `room` tokens: cuts the most recent turns, then texts of the user
    /// and the model, and finally removes turns.
    fn force_request_to_fit(&mut self, room: usize) {
        self.shrink_largest_results(room, |_| true);
        for most in [1_000, 200, MIN_TRUNCATED_TOKENS] {
            for index in 0..self.turns.len() {
                if self.count_all_tokens() <= room {
                    return;
                }
                if let Some(turn) = self.turns.get_mut(index) {
                    turn.shorten_model_message(most);
                    turn.shorten_user_text(most);
                }
            }
            if self.count_all_tokens() > room {
                let opening = self.opening.token_count();
                let over = self.count_all_tokens() - room;
                self.opening.shorten(opening.saturating_sub(over).max(most));
            }
        }
        while self.count_all_tokens() > room && self.turns.len() > 1 {
            self.remove_first_turns(1);
        }
        for held in self.turns.iter_mut().flat_map(Turn::tool_results_mut) {
            held.replace_by_stub();
        }
    }
}

impl OpeningMessage {
    /// Cuts the user's first message to about `most` tokens.
    fn shorten(&mut self, most: usize) {
        self.text = super::cut::truncate_to_tokens(&self.text, most).into_owned();
        self.recount_tokens();
    }
}
