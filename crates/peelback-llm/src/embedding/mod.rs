//! Models that turn texts into vectors: the trait [`EmbeddingModel`] and its implementations.

mod error;
#[cfg(feature = "http")]
mod http;
#[cfg(feature = "local")]
mod local;
mod model;

pub use error::EmbeddingError;
#[cfg(feature = "http")]
pub use http::{EmbeddingApiFormat, EndpointOptions, RemoteEmbeddingModel};
#[cfg(feature = "local")]
pub use local::LocalModel;
pub use model::EmbeddingModel;
