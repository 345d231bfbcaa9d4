//! What the handlers of one fixture server share: listeners, and the key of the states that it hands out.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::ErrorData;
use rmcp::service::SubscriptionSink;

/// Shared by the handlers of one server, which are made anew for every request of a stateless client.
#[derive(Clone, Default)]
pub struct State {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    listeners: Mutex<HashMap<u64, SubscriptionSink>>,
    next_listener: AtomicU64,
    key: RandomState,
}

impl State {
    fn listeners(&self) -> MutexGuard<'_, HashMap<u64, SubscriptionSink>> {
        self.shared.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Everybody who listens.
    pub fn sinks(&self) -> Vec<SubscriptionSink> {
        self.listeners().values().cloned().collect()
    }

    /// `stage` with a keyed check sum. Good enough for a fixture, not for a
    /// product: the hash is not a cryptographic one.
    pub fn seal(&self, stage: &str) -> String {
        format!("{stage}.{:016x}", self.shared.key.hash_one(stage))
    }

    /// The stage that [`State::seal`] sealed.
    pub fn open(&self, sealed: &str) -> Result<String, ErrorData> {
        sealed
            .rsplit_once('.')
            .map(|(stage, _)| stage)
            .filter(|stage| self.seal(stage) == sealed)
            .map(str::to_owned)
            .ok_or_else(|| ErrorData::invalid_params("requestState was altered", None))
    }
}

/// Takes a listener out of the map when its `listen` ends in whatever way.
pub struct Listening {
    state: State,
    id: u64,
}

impl Listening {
    pub fn start(state: &State, sink: SubscriptionSink) -> Self {
        let id = state.shared.next_listener.fetch_add(1, Ordering::Relaxed);
        state.listeners().insert(id, sink);
        Self { state: state.clone(), id }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.state.listeners().remove(&self.id);
    }
}
