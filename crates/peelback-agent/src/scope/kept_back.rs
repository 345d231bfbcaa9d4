//! Which files a run kept back because they hold secrets.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::secrets::Secrets;

/// Bytes of a file up to which its content is looked at; keys stand in small files.
const LOOKED_AT: u64 = 1 << 20;

/// Which files a run asked for, and why some of them are kept back.
#[derive(Debug, Default)]
pub struct KeptBack(Mutex<HashMap<String, Option<String>>>);

impl KeptBack {
    /// Why the file at `path` below `root` is kept back: by its path or by its content, which is read once.
    pub(super) fn reason(&self, secrets: &Secrets, root: &Path, path: &str) -> Option<String> {
        if let Some(known) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(path) {
            return known.clone();
        }
        let reason = secrets.withheld(path, None).or_else(|| by_content(secrets, root, path));
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), reason.clone());
        reason
    }

    /// Each file that was kept back, with the reason, by its path.
    pub fn named(&self) -> Vec<String> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = known.iter().filter_map(|(path, reason)| Some(format!("{path} ({})", reason.as_ref()?)));
        let mut named: Vec<String> = kept.collect();
        named.sort();
        named
    }
}

fn by_content(secrets: &Secrets, root: &Path, path: &str) -> Option<String> {
    let file = root.join(path);
    if secrets.is_allowed(path)
        || !std::fs::metadata(&file).is_ok_and(|about| about.is_file() && about.len() <= LOOKED_AT)
    {
        return None;
    }
    let bytes = std::fs::read(&file).ok()?;
    secrets.withheld(path, Some(&String::from_utf8_lossy(&bytes)))
}
