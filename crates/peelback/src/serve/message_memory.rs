//! The memory of messages that are in the server: requests from their arrival until their calls have ended, and over
//! standard output answers until their client has read them. It has a bound, whatever clients send. The answers over HTTP
//! are not counted: each connection has one, of bounded size.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hyper::http::request::Parts;
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use tokio::sync::Notify;

/// The limit on messages that one client over standard input and output has in the server.
const MAX_MESSAGES: usize = 1_000;

/// The limit on the memory of messages. A message that arrives below it is still taken.
const MAX_BYTES: usize = 24 << 20;

/// The memory of a message for which there is always room, so that large messages of one client keep no ordinary call of
/// another out. The number of connections bounds such messages.
const SMALL_MESSAGE_BYTES: usize = 64 << 10;

/// The memory of the messages of a server, or of one client. Clones share it.
#[derive(Clone, Default)]
pub(super) struct MessageMemory(Arc<Held>);

#[derive(Default)]
struct Held {
    messages: AtomicUsize,
    bytes: AtomicUsize,
    was_released: Notify,
}

/// The memory of one message, until this is dropped.
pub(super) struct HeldMessage {
    memory: MessageMemory,
    size: Mutex<MessageSize>,
}

/// The memory of one message in bytes.
#[derive(Clone, Copy, Default)]
struct MessageSize {
    all: usize,
    /// The part of it that is counted.
    counted: usize,
}

impl MessageMemory {
    /// Counts a message of `bytes` bytes of memory, whether there is room for it or not.
    pub fn hold(&self, bytes: usize) -> HeldMessage {
        self.0.messages.fetch_add(1, Ordering::Relaxed);
        self.0.bytes.fetch_add(bytes, Ordering::Relaxed);
        HeldMessage { memory: self.clone(), size: Mutex::new(MessageSize { all: bytes, counted: bytes }) }
    }

    /// Whether the messages are below both limits.
    pub fn has_room(&self) -> bool {
        self.0.messages.load(Ordering::Relaxed) < MAX_MESSAGES && self.0.bytes.load(Ordering::Relaxed) < MAX_BYTES
    }

    /// Waits until the messages are below both limits. Only one task may wait.
    pub async fn wait_for_room(&self) {
        while !self.has_room() {
            // A release between the look and this wait is kept for it.
            self.0.was_released.notified().await;
        }
    }
}

impl HeldMessage {
    /// The memory of the message of a request, which the transport has put beside it.
    pub fn of_request(context: &RequestContext<RoleServer>) -> Option<Arc<Self>> {
        let in_head = || context.extensions.get::<Parts>()?.extensions.get::<Arc<Self>>();
        context.extensions.get::<Arc<Self>>().or_else(in_head).cloned()
    }

    /// Counts `bytes` bytes of memory more, as [`Self::try_grow_to`] does.
    pub fn try_grow_by(&self, bytes: usize) -> bool {
        let mut size = self.lock_size();
        let all = size.all.saturating_add(bytes);
        self.try_set_size(&mut size, all)
    }

    /// Counts the message as one of `bytes` bytes of memory in all. Returns whether there is room for it; there is for
    /// each small message.
    pub fn try_grow_to(&self, bytes: usize) -> bool {
        self.try_set_size(&mut self.lock_size(), bytes)
    }

    /// Counts the message as one without memory.
    pub fn release(&self) {
        let size = std::mem::take(&mut *self.lock_size());
        self.memory.0.bytes.fetch_sub(size.counted, Ordering::Relaxed);
    }

    fn try_set_size(&self, size: &mut MessageSize, bytes: usize) -> bool {
        let large = bytes.saturating_sub(SMALL_MESSAGE_BYTES);
        let more = large.saturating_sub(size.counted);
        let counter = &self.memory.0.bytes;
        let has_room = more == 0
            || counter
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
                    used.checked_add(more).filter(|used| *used <= MAX_BYTES)
                })
                .is_ok();
        if has_room {
            *size = MessageSize { all: size.all.max(bytes), counted: size.counted + more };
        }
        has_room
    }

    fn lock_size(&self) -> MutexGuard<'_, MessageSize> {
        self.size.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for HeldMessage {
    fn drop(&mut self) {
        let size = *self.size.get_mut().unwrap_or_else(PoisonError::into_inner);
        self.memory.0.bytes.fetch_sub(size.counted, Ordering::Relaxed);
        self.memory.0.messages.fetch_sub(1, Ordering::Relaxed);
        self.memory.0.was_released.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::{MAX_BYTES, MAX_MESSAGES, MessageMemory, SMALL_MESSAGE_BYTES};

    async fn has_room(memory: &MessageMemory) -> bool {
        timeout(Duration::from_millis(20), memory.wait_for_room()).await.is_ok()
    }

    #[tokio::test]
    async fn there_is_room_below_both_limits() {
        let memory = MessageMemory::default();
        let mut small: Vec<_> = (0..MAX_MESSAGES).map(|_| memory.hold(1)).collect();
        assert!(!has_room(&memory).await);
        small.pop();
        assert!(has_room(&memory).await);
        let large = memory.hold(MAX_BYTES);
        small.clear();
        assert!(!has_room(&memory).await);
        let waiting = tokio::spawn({
            let memory = memory.clone();
            async move { memory.wait_for_room().await }
        });
        tokio::time::sleep(Duration::from_millis(20)).await;
        drop(large);
        timeout(Duration::from_secs(5), waiting).await.expect("it is told").expect("no panic");
    }

    #[test]
    fn large_messages_keep_no_small_one_out() {
        let memory = MessageMemory::default();
        let large = memory.hold(0);
        assert!(large.try_grow_to(1 << 20) && large.try_grow_to(MAX_BYTES + SMALL_MESSAGE_BYTES));
        let [second, small] = [memory.hold(0), memory.hold(0)];
        assert!(!second.try_grow_to(SMALL_MESSAGE_BYTES + 1));
        large.release();
        assert!(second.try_grow_to(SMALL_MESSAGE_BYTES + 1));
        second.release();
        assert!(large.try_grow_to(MAX_BYTES + SMALL_MESSAGE_BYTES));
        assert!(small.try_grow_to(SMALL_MESSAGE_BYTES));
        drop(large);
        assert!(second.try_grow_to(SMALL_MESSAGE_BYTES + 1));
        drop((second, small));
        assert!(memory.hold(0).try_grow_to(MAX_BYTES + SMALL_MESSAGE_BYTES));
    }

    #[test]
    fn a_message_that_grows_and_stays_small_has_room() {
        let memory = MessageMemory::default();
        let large = memory.hold(0);
        assert!(large.try_grow_to(MAX_BYTES + SMALL_MESSAGE_BYTES));
        let small = memory.hold(0);
        assert!(small.try_grow_to(1_000) && small.try_grow_by(5_000));
        assert!(!small.try_grow_by(SMALL_MESSAGE_BYTES));
        drop(large);
        assert!(small.try_grow_by(SMALL_MESSAGE_BYTES) && small.try_grow_by(MAX_BYTES - 10_000));
        assert!(!small.try_grow_by(SMALL_MESSAGE_BYTES));
        drop(small);
        assert!(memory.hold(0).try_grow_to(MAX_BYTES + SMALL_MESSAGE_BYTES));
    }
}
