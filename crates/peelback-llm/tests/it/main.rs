//! Chat and embedding models, mostly against servers on this machine.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a test fails by a panic")]

#[cfg(feature = "http")]
mod chat;
#[cfg(feature = "http")]
mod endpoint;
#[cfg(feature = "http")]
mod litellm;
#[cfg(feature = "local")]
mod local;
#[cfg(any(feature = "http", feature = "local"))]
mod requirement;
#[cfg(feature = "http")]
mod server;
