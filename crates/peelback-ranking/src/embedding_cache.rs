//! The vectors that embedding models computed, kept by model and text: in memory and in the cache on disk.

use std::sync::Arc;

use peelback_project::{CacheKey, Extension, MemoryCache, ProjectFacts, ProjectReader, Worth};

/// Bytes of vectors that a process holds.
const MAX_BYTES: usize = 64 << 20;

/// What a vector takes in memory in addition to its numbers, in bytes.
const OVERHEAD: usize = 64;

/// The kind and version in the key of a cached vector.
const KIND: &[u8] = b"meaning 1";

struct Vectors(MemoryCache<CacheKey, Arc<[f32]>>);

impl Extension for Vectors {}

/// The vectors of texts of one project.
pub(crate) struct EmbeddingCache {
    facts: ProjectFacts,
}

impl EmbeddingCache {
    /// The cache of the project that `reader` reads.
    pub fn new(reader: &ProjectReader) -> Self {
        Self { facts: reader.store().of(reader.project().root()) }
    }

    fn memory(&self) -> &MemoryCache<CacheKey, Arc<[f32]>> {
        &self.facts.extensions().get_or_init(|| Vectors(MemoryCache::new(MAX_BYTES))).0
    }

    fn key(model: &str, text: &str) -> CacheKey {
        CacheKey::of(&[KIND, model.as_bytes(), text.as_bytes()])
    }

    /// The vector of `text` from the model called `model`, where it is known.
    pub fn get(&self, model: &str, text: &str) -> Option<Arc<[f32]>> {
        let key = Self::key(model, text);
        if let Some(known) = self.memory().get(&key) {
            return Some(known);
        }
        let known: Arc<[f32]> = self.facts.cached::<Vec<f32>>(key)?.into();
        self.memory().put(key, known.clone(), known.len() * size_of::<f32>() + OVERHEAD);
        Some(known)
    }

    /// Keeps the vector of `text` from the model called `model`.
    pub fn put(&self, model: &str, text: &str, vector: &Arc<[f32]>) {
        let key = Self::key(model, text);
        self.memory().put(key, vector.clone(), vector.len() * size_of::<f32>() + OVERHEAD);
        self.facts.cache(key, Worth::Large, &vector.to_vec());
    }
}
