//! The stored form of a cached value: its serialised bytes, and a checksum over these bytes and the key. A damaged
//! value, or one that another program wrote, fails the check and is ignored.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The length of the checksum in bytes.
const SUM: usize = 8;

fn sum(key: &[u8], bytes: &[u8]) -> [u8; SUM] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(key.len() as u64).to_le_bytes());
    hasher.update(key);
    hasher.update(bytes);
    let mut sum = [0; SUM];
    sum.iter_mut().zip(hasher.finalize().as_bytes()).for_each(|(sum, byte)| *sum = *byte);
    sum
}

/// Serialises a value for storage under `key`.
pub(super) fn seal<T: Serialize>(key: &[u8], value: &T) -> Option<Vec<u8>> {
    let mut bytes = postcard::to_extend(value, vec![0; SUM]).ok()?;
    let sum = sum(key, bytes.get(SUM..)?);
    bytes.get_mut(..SUM)?.copy_from_slice(&sum);
    Some(bytes)
}

/// The value stored under `key`; `None` if the bytes are not a result of [`seal`] for this key.
pub(super) fn open<T: DeserializeOwned>(key: &[u8], bytes: &[u8]) -> Option<T> {
    let (told, rest) = bytes.split_at_checked(SUM)?;
    if told != sum(key, rest) {
        return None;
    }
    let (value, left) = postcard::take_from_bytes(rest).ok()?;
    left.is_empty().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::{open, seal};

    #[test]
    fn a_value_comes_back_under_its_key_alone() {
        let value = ("text".to_owned(), vec![1u32, 2, 3]);
        let bytes = seal(b"key", &value).expect("bytes");
        assert_eq!(open(b"key", &bytes), Some(value));
        assert_eq!(open::<(String, Vec<u32>)>(b"other", &bytes), None);
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert_eq!(open::<(String, Vec<u32>)>(b"key", &damaged), None, "byte {at}");
        }
        assert_eq!(open::<(String, Vec<u32>)>(b"key", &bytes[..5]), None);
        assert_eq!(open::<(String, Vec<u32>)>(b"key", b""), None);
    }
}
