//! The forms of embedding endpoints: the path, the request and the response of each.

use serde::Deserialize;
use serde_json::{Value, json};

use super::truncate::truncate_by_token_upper_bound;
use crate::web::parse_server_error_message;

/// The form of an embedding endpoint: the path and the JSON of its requests and responses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmbeddingApiFormat {
    /// The form of OpenAI and of most other servers, at `URL/embeddings`. The base URL mostly ends in `/v1`.
    OpenAi,
    /// The form of Ollama, at `URL/api/embed`.
    Ollama,
}

impl EmbeddingApiFormat {
    /// All forms of embedding endpoints, in the order of [`Self::NAMES`].
    pub const ALL: [Self; 2] = [Self::OpenAi, Self::Ollama];

    /// The names of all forms of embedding endpoints.
    pub const NAMES: &'static [&'static str] = &[Self::OpenAi.name(), Self::Ollama.name()];

    /// The name of the form, as configurations and the names of models contain it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Ollama => "ollama",
        }
    }

    /// The URL path of the endpoint, which follows the base URL.
    pub(super) fn request_path(self) -> &'static str {
        match self {
            Self::OpenAi => "embeddings",
            Self::Ollama => "api/embed",
        }
    }

    /// Builds the body of a request for the vectors of `texts`. An empty text is sent as a space, since servers refuse
    /// it.
    pub(super) fn build_request_body(self, model: &str, texts: &[&str]) -> Value {
        let texts = texts.iter().map(|&text| if text.is_empty() { " " } else { text });
        match self {
            Self::OpenAi => {
                let input: Vec<&str> = texts.map(truncate_by_token_upper_bound).collect();
                json!({ "model": model, "input": input, "encoding_format": "float" })
            }
            Self::Ollama => json!({ "model": model, "input": texts.collect::<Vec<_>>() }),
        }
    }

    /// Parses the vectors of a response in the order of the texts; `None` stands for a vector with a missing number.
    ///
    /// # Errors
    /// The first deviation from the form, in words that may quote the response.
    pub(super) fn parse_vectors(self, body: &[u8]) -> Result<Vec<Option<Vec<f32>>>, String> {
        let vectors = match self {
            Self::OpenAi => {
                serde_json::from_slice(body).map(|response: OpenAiResponse| sort_vectors_by_index(response.data))
            }
            Self::Ollama => serde_json::from_slice(body).map(|response: OllamaResponse| Ok(response.embeddings)),
        };
        let vectors = vectors.map_err(|error| match parse_server_error_message(body) {
            // Some servers report an error in the body of a response whose status is a success.
            Some(message) => format!("it says \"{message}\""),
            None => error.to_string(),
        })??;
        #[expect(clippy::cast_possible_truncation, reason = "vectors are stored in single precision")]
        let vector = |numbers: Numbers| numbers.into_iter().map(|number| number.map(|number| number as f32)).collect();
        Ok(vectors.into_iter().map(vector).collect())
    }
}

/// A vector in JSON, which has no NaN: servers write `null` instead. A number too large for single precision becomes
/// infinite, which the caller refuses.
type Numbers = Vec<Option<f64>>;

#[derive(Deserialize)]
struct OpenAiResponse {
    data: Vec<IndexedVector>,
}

#[derive(Deserialize)]
struct IndexedVector {
    /// The index of the text that has this vector. Some servers omit the index and keep the order.
    index: Option<usize>,
    embedding: Numbers,
}

#[derive(Deserialize)]
struct OllamaResponse {
    embeddings: Vec<Numbers>,
}

/// The vectors of a response, sorted by their index; or an error where an index is missing or duplicated.
fn sort_vectors_by_index(entries: Vec<IndexedVector>) -> Result<Vec<Numbers>, String> {
    let mut ordered: Vec<(usize, Numbers)> =
        entries.into_iter().enumerate().map(|(place, entry)| (entry.index.unwrap_or(place), entry.embedding)).collect();
    ordered.sort_by_key(|&(index, _)| index);
    match ordered.iter().enumerate().find(|&(place, &(index, _))| place != index) {
        Some((place, _)) => Err(format!("it has no vector, or two, with the index {place}")),
        None => Ok(ordered.into_iter().map(|(_, numbers)| numbers).collect()),
    }
}
