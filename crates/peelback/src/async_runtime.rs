//! The async runtime for requests to models.

use crate::exit::{Exit, fail};

/// Creates an async runtime on the calling thread; one thread is enough, because its futures wait for the network and
/// compute little.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, Exit> {
    build_runtime().map_err(|error| fail(&format!("no runtime: {error}"), Exit::Failure))
}

/// Creates an async runtime on the calling thread, or returns the operating system's error.
pub(crate) fn build_runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}
