//! A cache of the vectors that embedding models computed, in memory and on disk. The key is the model's name and the
//! text.

use std::sync::Arc;

use peelback_project::{CacheKey, Extension, MemoryCache, ProjectFacts, ProjectReader, Worth};

/// The most bytes of vectors that a process keeps in memory.
const MAX_BYTES: usize = 64 << 20;

/// The memory that a cached vector takes in addition to its numbers, in bytes.
const OVERHEAD: usize = 64;

/// The kind and the version in the cache key of a vector.
const KIND: &[u8] = b"meaning 1";

struct Vectors(MemoryCache<CacheKey, Arc<[f32]>>);

impl Extension for Vectors {}

/// The cached vectors of one project's texts.
pub(crate) struct EmbeddingCache {
    facts: ProjectFacts,
}

impl EmbeddingCache {
    /// Creates the cache for the project that `reader` reads.
    pub fn new(reader: &ProjectReader) -> Self {
        Self { facts: reader.store().of(reader.project().root()) }
    }

    fn memory(&self) -> &MemoryCache<CacheKey, Arc<[f32]>> {
        &self.facts.extensions().get_or_init(|| Vectors(MemoryCache::new(MAX_BYTES))).0
    }

    fn key(model: &str, text: &str) -> CacheKey {
        CacheKey::of(&[KIND, model.as_bytes(), text.as_bytes()])
    }

    /// The cached vector of `text` by the model called `model`.
    pub fn get(&self, model: &str, text: &str) -> Option<Arc<[f32]>> {
        let key = Self::key(model, text);
        if let Some(known) = self.memory().get(&key) {
            return Some(known);
        }
        let known: Arc<[f32]> = self.facts.cached::<Vec<f32>>(key)?.into();
        self.memory().put(key, known.clone(), known.len() * size_of::<f32>() + OVERHEAD);
        Some(known)
    }

    /// Stores the vector of `text` by the model called `model`.
    pub fn put(&self, model: &str, text: &str, vector: &Arc<[f32]>) {
        let key = Self::key(model, text);
        self.memory().put(key, vector.clone(), vector.len() * size_of::<f32>() + OVERHEAD);
        self.facts.cache(key, Worth::Large, &vector.to_vec());
    }
}
