//! The slots of calls: so many calls run at the same time, and calls that go on for good cost the others no slot.
//!
//! A call that is given up while its thread hangs (in a file system, in a foreign library) cannot be stopped, since a
//! thread cannot. Its slot is replaced by a new one, up to a limit, and taken away again when the thread ends.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

/// The limit on slots that replace those of abandoned calls. Each costs a thread pool and the memory of the call that
/// hangs in it.
pub(super) const MAX_REPLACED_SLOTS: usize = 64;

/// The slots of all calls. Clones share them.
#[derive(Clone)]
pub(super) struct CallSlots {
    free: Arc<Semaphore>,
    max_concurrent_calls: usize,
    /// The number of abandoned calls whose threads have not ended.
    abandoned_calls: Arc<watch::Sender<usize>>,
}

/// The slot of one call.
pub(super) struct CallSlot {
    slots: CallSlots,
    state: Mutex<SlotState>,
}

/// How far a call is, with the semaphore permit of its slot.
enum SlotState {
    Waiting,
    Running(OwnedSemaphorePermit),
    /// The call was given up, and its thread has not ended.
    Abandoned(OwnedSemaphorePermit),
    Ended,
}

impl CallSlots {
    /// Creates slots for `max` calls at the same time.
    pub fn new(max: usize) -> Self {
        let abandoned_calls = Arc::new(watch::Sender::new(0));
        Self { free: Arc::new(Semaphore::new(max)), max_concurrent_calls: max, abandoned_calls }
    }

    /// Waits until abandoned calls occupy all slots, so that no call can start until one of them ends. Returns their
    /// number.
    async fn wait_until_all_are_abandoned(&self) -> usize {
        let limit = MAX_REPLACED_SLOTS + self.max_concurrent_calls;
        let mut count = self.abandoned_calls.subscribe();
        let reached = count.wait_for(|count| *count >= limit).await.map(|count| *count).ok();
        match reached {
            Some(count) => count,
            // The sender lives as long as `self`.
            None => std::future::pending().await,
        }
    }

    /// Waits until no call has a slot. No call may start from then on: the slots are not given back.
    pub async fn wait_until_all_are_free(&self) {
        let all = u32::try_from(self.max_concurrent_calls).unwrap_or(u32::MAX);
        if let Ok(permits) = self.free.acquire_many(all).await {
            permits.forget();
        }
    }

    /// Counts one more abandoned call. A new slot replaces the call's own, unless the limit is reached.
    fn record_abandoned_call(&self) {
        self.abandoned_calls.send_modify(|count| {
            *count += 1;
            if *count <= MAX_REPLACED_SLOTS {
                self.free.add_permits(1);
            } else {
                tracing::warn!(
                    "{count} calls run past their deadlines: this one keeps its slot until one of them ends"
                );
            }
        });
    }

    /// Counts one abandoned call less, because its thread has ended. Either its slot had been replaced and ends with
    /// it, or the slot becomes free.
    fn record_end_of_abandoned_call(&self, permit: OwnedSemaphorePermit) {
        self.abandoned_calls.send_modify(|count| {
            if *count <= MAX_REPLACED_SLOTS {
                permit.forget();
            } else {
                drop(permit);
            }
            *count = count.saturating_sub(1);
        });
    }
}

impl CallSlot {
    /// The slot of a call that has just arrived and waits.
    pub fn new(slots: CallSlots) -> Self {
        Self { slots, state: Mutex::new(SlotState::Waiting) }
    }

    /// Waits in the order of arrival until a slot is free.
    ///
    /// # Errors
    /// The number of abandoned calls, when they occupy all slots.
    pub async fn wait_for_free_slot(&self) -> Result<(), usize> {
        let free = self.slots.free.clone();
        let permit = tokio::select! {
            biased;
            permit = free.acquire_owned() => permit.map_err(|_| 0_usize)?,
            abandoned = self.slots.wait_until_all_are_abandoned() => return Err(abandoned),
        };
        self.replace_state(SlotState::Running(permit));
        Ok(())
    }

    /// Whether the call has not received a slot yet.
    pub fn is_waiting_for_slot(&self) -> bool {
        matches!(*self.lock_state(), SlotState::Waiting)
    }

    /// Whether the call runs and was not abandoned.
    pub fn is_occupied(&self) -> bool {
        matches!(*self.lock_state(), SlotState::Running(_))
    }

    /// Gives the call up where it still runs, so that another call can start in its place.
    pub fn abandon_if_occupied(&self) {
        let mut state = self.lock_state();
        match std::mem::replace(&mut *state, SlotState::Ended) {
            SlotState::Running(permit) => {
                *state = SlotState::Abandoned(permit);
                self.slots.record_abandoned_call();
            }
            other => *state = other,
        }
    }

    /// Ends the call, whose thread has ended.
    pub fn release_after_call_ended(&self) {
        if let SlotState::Abandoned(permit) = self.replace_state(SlotState::Ended) {
            self.slots.record_end_of_abandoned_call(permit);
        }
    }

    fn lock_state(&self) -> std::sync::MutexGuard<'_, SlotState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn replace_state(&self, new: SlotState) -> SlotState {
        std::mem::replace(&mut *self.lock_state(), new)
    }
}

#[cfg(test)]
mod tests {
    use super::{CallSlot, CallSlots, MAX_REPLACED_SLOTS};

    #[tokio::test]
    async fn every_slot_comes_back_in_whichever_order_calls_end() {
        for is_reversed in [false, true] {
            let slots = CallSlots::new(3);
            let mut abandoned = Vec::new();
            for index in 0..MAX_REPLACED_SLOTS + 3 {
                let slot = CallSlot::new(slots.clone());
                assert_eq!(slot.wait_for_free_slot().await, Ok(()), "{index}");
                slot.abandon_if_occupied();
                slot.abandon_if_occupied();
                abandoned.push(slot);
            }
            assert_eq!(slots.free.available_permits(), 0);
            assert_eq!(CallSlot::new(slots.clone()).wait_for_free_slot().await, Err(MAX_REPLACED_SLOTS + 3));
            if is_reversed {
                abandoned.reverse();
            }
            for (index, slot) in abandoned.iter().enumerate() {
                slot.release_after_call_ended();
                slot.release_after_call_ended();
                assert_eq!(slots.free.available_permits(), (index + 1).min(3));
            }
            let slot = CallSlot::new(slots.clone());
            assert_eq!(slot.wait_for_free_slot().await, Ok(()));
            slot.release_after_call_ended();
            assert_eq!(slots.free.available_permits(), 3);
        }
    }
}
