//! The value that stands for the rules of Rust.

/// The rules of name resolution in Rust, as an implementation of [`LanguageSemantics`].
pub(in crate::languages) struct RustSemantics;
