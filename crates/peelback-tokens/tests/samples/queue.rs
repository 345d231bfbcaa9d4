//! A bounded queue between threads.
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// What both ends share.
#[derive(Debug)]
struct Shared<T> {
    inner: Mutex<VecDeque<T>>,
    not_empty: Condvar,
    capacity: usize,
}

pub struct Sender<T>(Arc<Shared<T>>);

impl<T: Send + 'static> Sender<T> {
    pub fn try_send(&self, value: T) -> Result<(), T> {
        let mut queue = self.0.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if queue.len() >= self.0.capacity {
            return Err(value);
        }
        queue.push_back(value);
        self.0.not_empty.notify_one();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_queue_gives_the_value_back() {
        let (sender, _receiver) = bounded::<u64>(1);
        assert_eq!(sender.try_send(0xDEAD_BEEF), Ok(()));
        assert_eq!(sender.try_send(7), Err(7));
    }
}
