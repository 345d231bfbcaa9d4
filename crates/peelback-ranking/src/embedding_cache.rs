//! A cache of the vectors that embedding models computed, in memory and on disk. The key is the model's name and the
//! text.

use std::sync::Arc;

use peelback_project::{CacheKey, Extension, MemoryCache, ProjectFacts, ProjectReader, Worth};

/// The most bytes of vectors that a process keeps in memory.
const MAX_MEMORY_BYTES: usize = 64 << 20;

/// The memory that a cached vector takes in addition to its numbers, in bytes.
const VECTOR_OVERHEAD_BYTES: usize = 64;

/// The kind and the version in the cache key of a vector.
const CACHE_KIND: &[u8] = b"meaning 1";

struct EmbeddingMemoryCache(MemoryCache<CacheKey, Arc<[f32]>>);

impl Extension for EmbeddingMemoryCache {}

/// The cached vectors of one project's texts.
pub(crate) struct EmbeddingCache {
    facts: ProjectFacts,
}

impl EmbeddingCache {
    /// Creates the cache for the project that `reader` reads.
    pub fn new(reader: &ProjectReader) -> Self {
        Self { facts: reader.store().for_project(reader.project().root()) }
    }

    fn memory_cache(&self) -> &MemoryCache<CacheKey, Arc<[f32]>> {
        &self.facts.extensions().get_or_init(|| EmbeddingMemoryCache(MemoryCache::new(MAX_MEMORY_BYTES))).0
    }

    fn cache_key(model: &str, text: &str) -> CacheKey {
        CacheKey::of(&[CACHE_KIND, model.as_bytes(), text.as_bytes()])
    }

    /// The cached vector of `text` by the model called `model`.
    pub fn get(&self, model: &str, text: &str) -> Option<Arc<[f32]>> {
        let key = Self::cache_key(model, text);
        if let Some(known) = self.memory_cache().get(&key) {
            return Some(known);
        }
        let known: Arc<[f32]> = self.facts.load_cached_value::<Vec<f32>>(key)?.into();
        self.memory_cache().insert(key, known.clone(), known.len() * size_of::<f32>() + VECTOR_OVERHEAD_BYTES);
        Some(known)
    }

    /// Stores the vector of `text` by the model called `model`.
    pub fn insert(&self, model: &str, text: &str, vector: &Arc<[f32]>) {
        let key = Self::cache_key(model, text);
        self.memory_cache().insert(key, vector.clone(), vector.len() * size_of::<f32>() + VECTOR_OVERHEAD_BYTES);
        self.facts.store_cached_value(key, Worth::Large, &vector.to_vec());
    }
}
