//! What servers answer.

use serde::Deserialize;

use super::EndpointForm;
use crate::web::message;

/// A vector as it stands in JSON, which has no NaN: servers write `null` for it. What is too large for a smaller number
/// becomes infinite in it, and is told as that.
type Numbers = Vec<Option<f64>>;

#[derive(Deserialize)]
struct OpenAi {
    data: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    /// Some servers leave it out and keep the order.
    index: Option<usize>,
    embedding: Numbers,
}

#[derive(Deserialize)]
struct Ollama {
    embeddings: Vec<Numbers>,
}

/// The vectors of an answer in the order of the texts, `None` for one with a missing number; or what is wrong with it,
/// in words that may hold some of it.
pub(super) fn read(form: EndpointForm, body: &[u8]) -> Result<Vec<Option<Vec<f32>>>, String> {
    let vectors = match form {
        EndpointForm::OpenAi => serde_json::from_slice(body).map(|answer: OpenAi| in_order(answer.data)),
        EndpointForm::Ollama => serde_json::from_slice(body).map(|answer: Ollama| Ok(answer.embeddings)),
    };
    let vectors = vectors.map_err(|error| match message(body) {
        // Some servers tell of a failure with the status of a success.
        Some(message) => format!("it says \"{message}\""),
        None => error.to_string(),
    })??;
    #[expect(clippy::cast_possible_truncation, reason = "vectors are kept in the smaller numbers")]
    let vector = |numbers: Numbers| numbers.into_iter().map(|number| number.map(|number| number as f32)).collect();
    Ok(vectors.into_iter().map(vector).collect())
}

fn in_order(entries: Vec<Entry>) -> Result<Vec<Numbers>, String> {
    let mut ordered: Vec<(usize, Numbers)> =
        entries.into_iter().enumerate().map(|(place, entry)| (entry.index.unwrap_or(place), entry.embedding)).collect();
    ordered.sort_by_key(|&(index, _)| index);
    match ordered.iter().enumerate().find(|&(place, &(index, _))| place != index) {
        Some((place, _)) => Err(format!("it has no vector, or two, with the index {place}")),
        None => Ok(ordered.into_iter().map(|(_, numbers)| numbers).collect()),
    }
}
