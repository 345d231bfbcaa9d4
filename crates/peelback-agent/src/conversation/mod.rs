//! Conversations that stay small: what a model has seen, trimmed in batches.
