//! What a question needs, found without a model.
