//! From a question to a document: what both modes share.
