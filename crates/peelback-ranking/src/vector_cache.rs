//! The counted words of files, kept by the state of each file: in memory, with a snapshot, and in the cache on disk.

use std::sync::{Arc, OnceLock};

use peelback_project::{
    CacheKey, CodeError, Extension, FileId, MemoryCache, ProjectEntry, ProjectFacts, Signature, Snapshot, SourceFile,
    Worth,
};

use crate::vector::TermVector;
use crate::words::Wanted;

/// Bytes of counted words that a process holds.
const MAX_BYTES: usize = 192 << 20;

/// The kind and version in the key of a cached count. To be changed with every change of what is counted.
const KIND: &[u8] = b"words 4";

/// The counts that a process holds, by the state of the file.
struct VectorCache(MemoryCache<CacheKey, Arc<TermVector>>);

impl Extension for VectorCache {}

/// The counts of one snapshot's files, each where it was made in the state that the file's signature means.
pub(crate) struct SnapshotVectors(Vec<OnceLock<Arc<TermVector>>>);

impl Extension for SnapshotVectors {
    fn held_bytes(&self) -> usize {
        self.0.iter().filter_map(OnceLock::get).map(|vector| vector.bytes()).sum()
    }
}

impl SnapshotVectors {
    /// The counts that belong to a snapshot.
    pub fn for_snapshot(snapshot: &Snapshot) -> &Self {
        let make = || Self((0..snapshot.files().len()).map(|_| OnceLock::new()).collect());
        snapshot.extensions().get_or_init(make)
    }

    /// The words of a file where an earlier call counted them.
    pub fn known(&self, file: FileId) -> Option<Arc<TermVector>> {
        self.0.get(file as usize)?.get().cloned()
    }

    /// The words of a file of `snapshot`, to which these counts belong; those that are `wanted` may be all that it has.
    ///
    /// # Errors
    /// Those of [`SourceFile::read`], but for a binary file, which has no words.
    pub fn count(&self, snapshot: &Snapshot, file: FileId, wanted: &Arc<Wanted>) -> Result<Arc<TermVector>, CodeError> {
        let signature = snapshot.signature(file);
        let (vector, settled) = count_words(snapshot.facts(), snapshot.files().entry(file), signature, wanted)?;
        if settled.as_ref() == signature
            && settled.is_some()
            && let Some(slot) = self.0.get(file as usize)
        {
            return Ok(slot.get_or_init(|| vector).clone());
        }
        Ok(vector)
    }
}

/// The words of a file, counted, and the signature that means the counted text from now on, where there is one. A binary
/// file has no words. With the file's `signature` of now, the file is read only where no count of that state is known.
/// In a process that keeps nothing, only the `wanted` words are counted.
///
/// # Errors
/// Those of [`SourceFile::read`], but for a binary file.
pub(crate) fn count_words(
    facts: &ProjectFacts,
    entry: &ProjectEntry,
    signature: Option<&Signature>,
    wanted: &Arc<Wanted>,
) -> Result<(Arc<TermVector>, Option<Signature>), CodeError> {
    let VectorCache(memory) = facts.extensions().get_or_init(|| VectorCache(MemoryCache::new(MAX_BYTES)));
    if let Some((signature, key)) = signature.and_then(|own| Some((*own, facts.key_of_state(KIND, entry, own)?))) {
        if let Some(known) = memory.get(&key) {
            return Ok((known, Some(signature)));
        }
        if let Some(known) = facts.cached::<TermVector>(key) {
            let known = Arc::new(known);
            memory.put(key, known.clone(), known.bytes());
            return Ok((known, Some(signature)));
        }
    }
    let is_kept = facts.is_kept();
    let (text, settled) = SourceFile::read_stamped(entry);
    let made = match text {
        Ok(text) if is_kept => Arc::new(TermVector::of(entry.name(), &text.text)),
        Ok(text) => Arc::new(TermVector::of_wanted(entry.name(), &text.text, wanted)),
        Err(CodeError::Binary { .. }) => Arc::default(),
        Err(error) => return Err(error),
    };
    let settled = settled.filter(|_| is_kept && signature.is_some());
    if let Some(key) = settled.as_ref().and_then(|own| facts.key_of_state(KIND, entry, own)) {
        memory.put(key, made.clone(), made.bytes());
        facts.cache(key, Worth::Small, &*made);
    }
    Ok((made, settled))
}
