//! A cache of the word counts of files, keyed by the state of each file: in memory, in the snapshot, and on disk.

use std::sync::{Arc, OnceLock};

use peelback_project::{
    AttachedValue, CacheKey, CodeError, FileId, FileSignature, MemoryCache, ProjectEntry, ProjectFactsStore, Snapshot,
    SourceFile, Worth,
};

use crate::vector::TermVector;
use crate::words::WantedTerms;

/// The maximum memory for the cached word counts of one process, in bytes.
const MAX_MEMORY_BYTES: usize = 192 << 20;

/// The part of the cache key of word counts that tells the kind of the value and the version of its format. Increase
/// the version whenever the counting changes.
const CACHE_KIND: &[u8] = b"words 4";

/// The in-memory cache of word counts, keyed by the state of each file.
struct TermVectorMemoryCache(MemoryCache<CacheKey, Arc<TermVector>>);

impl AttachedValue for TermVectorMemoryCache {}

/// The word counts of one snapshot's files, indexed by file id. A count is stored here only if it was made in the state
/// that the file's signature identifies.
pub(crate) struct SnapshotTermVectors(Vec<OnceLock<Arc<TermVector>>>);

impl AttachedValue for SnapshotTermVectors {
    fn memory_bytes_not_counted_elsewhere(&self) -> usize {
        self.0.iter().filter_map(OnceLock::get).map(|vector| vector.memory_size()).sum()
    }
}

impl SnapshotTermVectors {
    /// The word counts that are attached to a snapshot.
    pub fn for_snapshot(snapshot: &Snapshot) -> &Self {
        let make = || Self((0..snapshot.file_table().len()).map(|_| OnceLock::new()).collect());
        snapshot.attached_values().get_or_init(make)
    }

    /// The word counts of a file, if an earlier call computed them for this snapshot.
    pub fn cached_word_counts(&self, file: FileId) -> Option<Arc<TermVector>> {
        self.0.get(file as usize)?.get().cloned()
    }

    /// The word counts of a file of `snapshot`, the snapshot that these counts belong to. The counts may be limited to
    /// the `wanted` words.
    ///
    /// # Errors
    /// The errors of [`SourceFile::read`], except for a binary file, which has no words.
    pub fn word_counts_of_file(
        &self,
        snapshot: &Snapshot,
        file: FileId,
        wanted: &Arc<WantedTerms>,
    ) -> Result<Arc<TermVector>, CodeError> {
        let signature = snapshot.file_signature(file);
        let (vector, settled) = load_or_count_words_of_file(
            snapshot.project_facts(),
            snapshot.file_table().entry(file),
            signature,
            wanted,
        )?;
        if settled.as_ref() == signature
            && settled.is_some()
            && let Some(slot) = self.0.get(file as usize)
        {
            return Ok(slot.get_or_init(|| vector).clone());
        }
        Ok(vector)
    }
}

/// The word counts of a file, and the signature that identifies the counted text from now on, if there is one. A binary
/// file has no words. Given the file's current `signature`, the file is read only if no count of that state is cached,
/// and its words are counted only if no count of its text is. A process without a cache counts only the `wanted` words.
///
/// # Errors
/// The errors of [`SourceFile::read`], except for a binary file.
pub(crate) fn load_or_count_words_of_file(
    facts: &ProjectFactsStore,
    entry: &ProjectEntry,
    signature: Option<&FileSignature>,
    wanted: &Arc<WantedTerms>,
) -> Result<(Arc<TermVector>, Option<FileSignature>), CodeError> {
    let TermVectorMemoryCache(memory) =
        facts.values_attached_to_store().get_or_init(|| TermVectorMemoryCache(MemoryCache::new(MAX_MEMORY_BYTES)));
    if let Some((signature, key)) = signature.map(|own| (*own, facts.cache_key_of_file_state(CACHE_KIND, entry, own))) {
        if let Some(known) = memory.get(&key) {
            return Ok((known, Some(signature)));
        }
        if let Some(known) = facts.load_cached_value::<TermVector>(key) {
            let known = Arc::new(known);
            memory.insert(key, known.clone(), known.memory_size());
            return Ok((known, Some(signature)));
        }
    }
    let is_kept = facts.can_keep_values_after_call();
    let (text, settled) = SourceFile::read_with_change_detecting_signature(entry);
    let made = match text {
        Ok(text) if is_kept => {
            // The state of a file that changed a moment ago is known by its text alone. Reading it costs much less than
            // counting its words.
            let key = facts.cache_key_of_file_text(CACHE_KIND, entry, text.content_hash());
            let known = memory.get(&key).or_else(|| {
                let is_fresh = settled.is_none();
                is_fresh.then(|| facts.load_cached_value::<TermVector>(key).map(Arc::new)).flatten()
            });
            let is_known = known.is_some();
            let made = known.unwrap_or_else(|| Arc::new(TermVector::from_text(entry.name(), &text.text)));
            if settled.is_none() {
                memory.insert(key, made.clone(), made.memory_size());
                if !is_known {
                    facts.queue_cached_value(key, Worth::Small, &*made);
                }
            }
            made
        }
        Ok(text) => Arc::new(TermVector::from_text_with_wanted_terms(entry.name(), &text.text, wanted)),
        Err(CodeError::Binary { .. }) => Arc::default(),
        Err(error) => return Err(error),
    };
    let settled = settled.filter(|_| is_kept && signature.is_some());
    if let Some(key) = settled.as_ref().map(|own| facts.cache_key_of_file_state(CACHE_KIND, entry, own)) {
        memory.insert(key, made.clone(), made.memory_size());
        facts.queue_cached_value(key, Worth::Small, &*made);
    }
    Ok((made, settled))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use peelback_project::{FactsStore, Project};

    use super::*;

    #[test]
    fn words_of_a_file_that_changed_a_moment_ago_are_counted_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.py");
        fs::write(&path, "first = 1\n").expect("a file");
        let project = Project::discover(Some(folder.path()), None).expect("a folder");
        let facts = Arc::new(FactsStore::default().for_long_lived_process())
            .store_for_project(project.root(), &peelback_project::CancellationToken::default());
        let entry = project.require_entry("a.py").expect("the file");
        let count = || {
            let wanted = Arc::new(WantedTerms::from_words(std::iter::empty()));
            let (_, signature) = entry.size_and_reliable_signature().expect("a file");
            let (counted, settled) =
                load_or_count_words_of_file(&facts, &entry, signature.as_ref(), &wanted).expect("words");
            assert!(settled.is_none(), "the file is fresh");
            counted
        };
        let first = count();
        assert!(Arc::ptr_eq(&first, &count()));
        fs::write(&path, "other = 1\n").expect("a file");
        let other = count();
        assert!(!Arc::ptr_eq(&first, &other) && Arc::ptr_eq(&other, &count()));
        // What it was before is known still.
        fs::write(&path, "first = 1\n").expect("a file");
        assert!(Arc::ptr_eq(&first, &count()));
    }
}
