//! The async runtime on which commands wait for requests to language models.

use peelback_code::THREAD_STACK_BYTES;

use crate::exit::{ExitStatus, print_error_and_return_status};

/// Creates an async runtime on the calling thread, or prints the error and returns the exit status. One thread is
/// enough, because the futures that it runs wait for the network and compute little.
pub(crate) fn build_async_runtime_or_print_error() -> Result<tokio::runtime::Runtime, ExitStatus> {
    build_async_runtime().map_err(|error| {
        print_error_and_return_status(&format!("the async runtime cannot start: {error}"), ExitStatus::Failure)
    })
}

/// Creates an async runtime on the calling thread, or returns the operating system's error.
pub(crate) fn build_async_runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().thread_stack_size(THREAD_STACK_BYTES).enable_all().build()
}
