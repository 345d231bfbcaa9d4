//! A cache of the vectors that embedding models computed for texts, in memory and on disk. The key is the model's name
//! and the text.

use std::sync::Arc;

use peelback_project::{AttachedValue, CacheKey, MemoryCache, ProjectFactsStore, ProjectReader, Worth};

/// The maximum memory for the cached vectors of one process, in bytes.
const MAX_MEMORY_BYTES: usize = 64 << 20;

/// The memory that a cached vector takes in addition to its numbers, in bytes.
const VECTOR_OVERHEAD_BYTES: usize = 64;

/// The part of a vector's cache key that tells the kind of the value (`meaning`) and the version of its format (`1`).
const CACHE_KIND: &[u8] = b"meaning 1";

struct EmbeddingMemoryCache(MemoryCache<CacheKey, Arc<[f32]>>);

impl AttachedValue for EmbeddingMemoryCache {}

/// The cache of embedding vectors for the texts of one project.
pub(crate) struct EmbeddingCache {
    facts: ProjectFactsStore,
}

impl EmbeddingCache {
    /// Creates the cache for the project that `reader` reads.
    pub fn new(reader: &ProjectReader) -> Self {
        Self { facts: reader.store().store_for_project(reader.project().root(), reader.project().cancellation()) }
    }

    fn memory_cache(&self) -> &MemoryCache<CacheKey, Arc<[f32]>> {
        &self
            .facts
            .values_attached_to_store()
            .get_or_init(|| EmbeddingMemoryCache(MemoryCache::new(MAX_MEMORY_BYTES)))
            .0
    }

    fn cache_key(model: &str, text: &str) -> CacheKey {
        CacheKey::of_parts(&[CACHE_KIND, model.as_bytes(), text.as_bytes()])
    }

    /// The vector that the model called `model` computed for `text`; `None` if neither memory nor disk has it.
    pub fn get(&self, model: &str, text: &str) -> Option<Arc<[f32]>> {
        let key = Self::cache_key(model, text);
        if let Some(known) = self.memory_cache().get(&key) {
            return Some(known);
        }
        let known: Arc<[f32]> = self.facts.load_cached_value::<Vec<f32>>(key)?.into();
        self.memory_cache().insert(key, known.clone(), known.len() * size_of::<f32>() + VECTOR_OVERHEAD_BYTES);
        Some(known)
    }

    /// Stores the vector that the model called `model` computed for `text`, in memory and on disk.
    pub fn insert(&self, model: &str, text: &str, vector: &Arc<[f32]>) {
        let key = Self::cache_key(model, text);
        self.memory_cache().insert(key, vector.clone(), vector.len() * size_of::<f32>() + VECTOR_OVERHEAD_BYTES);
        self.facts.queue_cached_value(key, Worth::Large, &vector.to_vec());
    }
}
