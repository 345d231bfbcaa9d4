//! The record of withheld files that were requested by name.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The record of the withheld files that a model, or a document written by a model, requested by name. Each file is
/// listed once, with the reason why it is withheld.
#[derive(Debug, Default)]
pub struct WithheldFileRecord(Mutex<BTreeMap<String, String>>);

impl WithheldFileRecord {
    /// Records a withheld file by its path relative to the root. The first reason for a path is kept.
    pub fn record_withheld_file(&self, path: &str, reason: &str) {
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        noted.entry(path.to_owned()).or_insert_with(|| reason.to_owned());
    }

    /// The recorded files with their reasons, sorted by path.
    pub fn withheld_files_with_reasons(&self) -> Vec<(String, String)> {
        let noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        noted.iter().map(|(path, reason)| (path.clone(), reason.clone())).collect()
    }
}
