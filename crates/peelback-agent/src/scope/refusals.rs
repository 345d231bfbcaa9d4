//! Withheld files that were requested by name.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Withheld files that a model, or a document by one, asked for by name: each once, with the reason.
#[derive(Debug, Default)]
pub struct Refusals(Mutex<BTreeMap<String, String>>);

impl Refusals {
    /// Records a file by its path from the root; the first reason for a path stays.
    pub fn note(&self, path: &str, reason: &str) {
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        noted.entry(path.to_owned()).or_insert_with(|| reason.to_owned());
    }

    /// The recorded files with their reasons, in the order of their paths.
    pub fn list(&self) -> Vec<(String, String)> {
        let noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        noted.iter().map(|(path, reason)| (path.clone(), reason.clone())).collect()
    }
}
