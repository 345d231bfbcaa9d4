//! The runtime for futures that talk to models.

use crate::exit::{Exit, fail};

/// A runtime on the calling thread: its futures wait for the network and compute little.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, Exit> {
    build_runtime().map_err(|error| fail(&format!("no runtime: {error}"), Exit::Failure))
}

/// A runtime on the calling thread, or the error of the system.
pub(crate) fn build_runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}
