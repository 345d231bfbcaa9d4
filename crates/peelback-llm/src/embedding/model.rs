//! The trait of embedding models, and the checks that their implementations need.

use std::time::Instant;

use super::error::EmbeddingError;

/// A model that turns texts into vectors of unit length.
///
/// The calls block: they are for threads of a thread pool or the blocking threads of an async runtime, not for the
/// threads that drive one.
pub trait EmbeddingModel: Send + Sync {
    /// The name of the model, which identifies its vectors: two models of the same name give the same vector for the
    /// same text.
    fn name(&self) -> &str;

    /// The host that receives the texts; `None` for a model on this machine.
    fn host(&self) -> Option<&str>;

    /// The limit on the texts in one call to the model. [`embed`](Self::embed) splits more texts into several calls.
    fn max_batch_size(&self) -> usize;

    /// One vector of length 1 for each text, in the order of the texts. Texts over the limit of the model are
    /// truncated.
    ///
    /// # Errors
    ///
    /// [`EmbeddingError`] where any text has no vector or `deadline` passes: then there are no vectors at all.
    fn embed(&self, texts: &[&str], deadline: Option<Instant>) -> Result<Vec<Vec<f32>>, EmbeddingError>;
}

/// Scales `vector` to length 1; `None` where all numbers are zero or one is not finite.
#[cfg(any(feature = "http", feature = "local"))]
pub(super) fn normalize_vector(mut vector: Vec<f32>) -> Option<Vec<f32>> {
    let length = vector.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
    if !length.is_finite() || length == 0.0 {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "between -1 and 1")]
    vector.iter_mut().for_each(|x| *x = (f64::from(*x) / length) as f32);
    Some(vector)
}

/// Whether `deadline` has passed; `false` where there is none.
#[cfg(any(feature = "http", feature = "local"))]
pub(super) fn is_deadline_past(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| Instant::now() >= deadline)
}
