//! Chat and embedding models, mostly against servers on this machine.

#[cfg(feature = "http")]
mod chat;
#[cfg(feature = "http")]
mod endpoint;
#[cfg(feature = "http")]
mod litellm;
#[cfg(feature = "local")]
mod local;
#[cfg(feature = "http")]
mod server;
