//! The seam behind which every model stands that turns texts into vectors.

mod error;
mod http;
#[cfg(feature = "local")]
mod local;

use std::time::Instant;

pub use error::EmbeddingError;
pub use http::{Endpoint, EndpointForm, EndpointOptions};
#[cfg(feature = "local")]
pub use local::LocalModel;

/// A model that turns texts into vectors of unit length.
///
/// The calls block. They may come from any thread that may block, so from a thread pool or a runtime's blocking
/// threads, but not from a thread that drives an async runtime.
pub trait EmbeddingModel: Send + Sync {
    /// What its vectors are known by: two models of one name give the same vector for the same text.
    fn name(&self) -> &str;

    /// The host that texts are sent to; `None` where they stay on this machine.
    fn host(&self) -> Option<&str>;

    /// Texts that go into one call at most. [`embed`](Self::embed) takes more and makes several calls of them.
    fn batch(&self) -> usize;

    /// One vector for each text, in their order, each of length 1. Texts longer than the model takes are cut.
    ///
    /// # Errors
    ///
    /// Where one text has no vector, or `deadline` passes first, there are none.
    fn embed(&self, texts: &[&str], deadline: Option<Instant>) -> Result<Vec<Vec<f32>>, EmbeddingError>;
}

/// `vector` with length 1; `None` where it points nowhere: it is all zeros or holds what is no finite number.
fn unit(mut vector: Vec<f32>) -> Option<Vec<f32>> {
    let length = vector.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
    if !length.is_finite() || length == 0.0 {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "no part is longer than the whole, which is 1")]
    vector.iter_mut().for_each(|x| *x = (f64::from(*x) / length) as f32);
    Some(vector)
}

/// Whether `deadline` has passed.
fn is_past(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| Instant::now() >= deadline)
}
