//! The disk cache of a build without the feature `cache`: there is none, and nothing is kept beyond the process.

use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::cache_key::{CacheKey, Worth};

/// A cache on disk, of which this build has none: the type has no values, so that a store never has one.
#[derive(Debug)]
pub(super) enum DiskCache {}

impl DiskCache {
    pub fn can_cache_facts_below_root(&self, _root: &Path) -> bool {
        match *self {}
    }

    pub fn max_bytes(&self) -> u64 {
        match *self {}
    }

    pub fn take_user_notice(&self) -> Option<String> {
        match *self {}
    }

    pub fn load_value<T: DeserializeOwned>(&self, _key: CacheKey) -> Option<T> {
        match *self {}
    }

    pub fn queue_value<T: Serialize>(&self, _key: CacheKey, _worth: Worth, _value: &T) -> Option<usize> {
        match *self {}
    }

    pub fn load_fingerprints<T: DeserializeOwned>(
        &self,
        _root: i64,
        _key_of: impl Fn(&str) -> Vec<u8>,
    ) -> Vec<(String, T)> {
        match *self {}
    }

    pub fn queue_fingerprint<T: Serialize>(&self, _root: i64, _path: String, _key: &[u8], _value: &T) {
        match *self {}
    }

    pub fn queue_fingerprint_deletions(&self, _root: i64, _paths: impl IntoIterator<Item = String>) {
        match *self {}
    }

    pub fn queue_root_usage_record(&self, _root: i64, _path: String) {
        match *self {}
    }

    pub fn has_pending_writes(&self) -> bool {
        match *self {}
    }

    pub fn flush(&self) {
        match *self {}
    }
}
