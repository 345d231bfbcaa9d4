//! The stored form of a cached value: its serialised bytes, and a checksum over these bytes and the key. A damaged
//! value, or one that another program wrote, fails the check and is ignored.

use peelback_syntax::stack::run_with_stack_for_bounded_recursion;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The length in bytes of a stored value's checksum.
const CHECKSUM_BYTES: usize = 8;

fn compute_checksum(key: &[u8], bytes: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(key.len() as u64).to_le_bytes());
    hasher.update(key);
    hasher.update(bytes);
    let mut checksum = [0; CHECKSUM_BYTES];
    checksum.iter_mut().zip(hasher.finalize().as_bytes()).for_each(|(sum, byte)| *sum = *byte);
    checksum
}

/// Serialises a value for storage under `key`.
pub(super) fn serialize_with_checksum<T: Serialize>(key: &[u8], value: &T) -> Option<Vec<u8>> {
    let write = || postcard::to_extend(value, vec![0; CHECKSUM_BYTES]).ok();
    let mut bytes = run_with_stack_for_bounded_recursion(write)?;
    let checksum = compute_checksum(key, bytes.get(CHECKSUM_BYTES..)?);
    bytes.get_mut(..CHECKSUM_BYTES)?.copy_from_slice(&checksum);
    Some(bytes)
}

/// The value stored under `key`; `None` if the bytes are not a result of [`serialize_with_checksum`] for this key.
pub(super) fn deserialize_with_checksum<T: DeserializeOwned>(key: &[u8], bytes: &[u8]) -> Option<T> {
    let (stored_checksum, serialized) = bytes.split_at_checked(CHECKSUM_BYTES)?;
    if stored_checksum != compute_checksum(key, serialized) {
        return None;
    }
    // Symbols nest, to the limit of the outline.
    let read = || postcard::take_from_bytes(serialized).ok();
    let (value, trailing_bytes) = run_with_stack_for_bounded_recursion(read)?;
    trailing_bytes.is_empty().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::{deserialize_with_checksum, serialize_with_checksum};

    #[test]
    fn a_value_comes_back_under_its_key_alone() {
        let value = ("text".to_owned(), vec![1u32, 2, 3]);
        let bytes = serialize_with_checksum(b"key", &value).expect("bytes");
        assert_eq!(deserialize_with_checksum(b"key", &bytes), Some(value));
        assert_eq!(deserialize_with_checksum::<(String, Vec<u32>)>(b"other", &bytes), None);
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert_eq!(deserialize_with_checksum::<(String, Vec<u32>)>(b"key", &damaged), None, "byte {at}");
        }
        assert_eq!(deserialize_with_checksum::<(String, Vec<u32>)>(b"key", &bytes[..5]), None);
        assert_eq!(deserialize_with_checksum::<(String, Vec<u32>)>(b"key", b""), None);
    }
}
