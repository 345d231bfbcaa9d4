//! The document that is written without a model.
