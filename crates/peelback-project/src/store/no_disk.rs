//! The disk cache of a build without the feature `cache`: there is none, and nothing is kept beyond the process.

use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::cache_key::{CacheKey, Worth};

/// A cache on disk, of which this build has none: the type has no values, so that a store never has one.
#[derive(Debug)]
pub(super) enum Disk {}

impl Disk {
    pub fn may_keep(&self, _root: &Path) -> bool {
        match *self {}
    }

    pub fn max_bytes(&self) -> u64 {
        match *self {}
    }

    pub fn take_notice(&self) -> Option<String> {
        match *self {}
    }

    pub fn value<T: DeserializeOwned>(&self, _key: CacheKey) -> Option<T> {
        match *self {}
    }

    pub fn put_value<T: Serialize>(&self, _key: CacheKey, _worth: Worth, _value: &T) -> Option<usize> {
        match *self {}
    }

    pub fn fingerprints<T: DeserializeOwned>(&self, _root: i64, _key_of: impl Fn(&str) -> Vec<u8>) -> Vec<(String, T)> {
        match *self {}
    }

    pub fn put_fingerprint<T: Serialize>(&self, _root: i64, _path: String, _key: &[u8], _value: &T) {
        match *self {}
    }

    pub fn forget_fingerprints(&self, _root: i64, _paths: impl IntoIterator<Item = String>) {
        match *self {}
    }

    pub fn use_root(&self, _root: i64, _path: String) {
        match *self {}
    }

    pub fn has_pending(&self) -> bool {
        match *self {}
    }

    pub fn flush(&self) {
        match *self {}
    }
}
