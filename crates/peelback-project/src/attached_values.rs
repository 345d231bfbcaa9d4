//! `AttachedValues`: lets other crates attach their own values to a value of this crate, one for each type.

use std::any::Any;
use std::sync::OnceLock;

/// A value that other crates can attach to the facts store, to a snapshot or to one file's names.
pub trait AttachedValue: Any + Send + Sync {
    /// The approximate memory size of the value in bytes; 0 if another memory limit already counts the value.
    fn memory_bytes_not_counted_elsewhere(&self) -> usize {
        0
    }
}

/// A list of attached values, at most one of each type. A value is created on first request and lives as long as the
/// list.
///
/// The list only grows. References to a value therefore stay valid while others are added, and reading takes no lock.
/// Linear search is fast enough, because a list has only a few values.
#[derive(Default)]
pub struct AttachedValues {
    first_node: OnceLock<Box<ExtensionNode>>,
}

struct ExtensionNode {
    value: Box<dyn AttachedValue>,
    next: OnceLock<Box<ExtensionNode>>,
}

impl ExtensionNode {
    fn downcast_value<T: AttachedValue>(&self) -> Option<&T> {
        let value: &dyn Any = &*self.value;
        value.downcast_ref()
    }
}

impl AttachedValues {
    /// The value of type `T`, created by `make` on first request. If several threads make the first request at once,
    /// each may run `make`; one of the values is stored.
    pub fn get_or_init<T: AttachedValue>(&self, make: impl FnOnce() -> T) -> &T {
        if let Some(found) = self.nodes().find_map(ExtensionNode::downcast_value) {
            return found;
        }
        let mut pending = Some(Box::new(ExtensionNode { value: Box::new(make()), next: OnceLock::new() }));
        let mut slot = &self.first_node;
        loop {
            if let Some(node) = pending.take() {
                pending = slot.set(node).err();
            }
            let Some(present) = slot.get() else { continue };
            if let Some(value) = present.downcast_value() {
                return value;
            }
            slot = &present.next;
        }
    }

    /// The approximate memory size in bytes of the attached values that no other memory limit counts.
    pub fn memory_bytes_not_counted_elsewhere(&self) -> usize {
        self.nodes().map(|node| node.value.memory_bytes_not_counted_elsewhere()).sum()
    }

    fn nodes(&self) -> impl Iterator<Item = &ExtensionNode> {
        let first = self.first_node.get().map(|node| &**node);
        std::iter::successors(first, |node| node.next.get().map(|next| &**next))
    }
}

impl std::fmt::Debug for AttachedValues {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Extensions").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::{AttachedValue, AttachedValues};

    #[derive(Debug, PartialEq)]
    struct Small(u32);
    #[derive(Debug, PartialEq)]
    struct Large(Vec<u8>);

    impl AttachedValue for Small {}
    impl AttachedValue for Large {
        fn memory_bytes_not_counted_elsewhere(&self) -> usize {
            self.0.len()
        }
    }

    #[test]
    fn each_type_has_one_value_that_is_made_once() {
        let extensions = AttachedValues::default();
        let small = extensions.get_or_init(|| Small(1));
        assert_eq!(extensions.get_or_init(|| Large(vec![0; 5])), &Large(vec![0; 5]));
        assert_eq!((small, extensions.get_or_init(|| Small(2))), (&Small(1), &Small(1)));
        assert_eq!(extensions.memory_bytes_not_counted_elsewhere(), 5);
    }

    #[test]
    fn threads_that_ask_first_at_once_get_the_same_value() {
        let extensions = AttachedValues::default();
        let all: Vec<(usize, usize)> = std::thread::scope(|scope| {
            let ask = || {
                let large: *const Large = extensions.get_or_init(|| Large(Vec::new()));
                let small: *const Small = extensions.get_or_init(|| Small(0));
                (large as usize, small as usize)
            };
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        assert!(all.windows(2).all(|pair| pair[0] == pair[1]));
    }
}
