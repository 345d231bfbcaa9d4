//! What servers answer.

use serde::Deserialize;
use serde_json::Value;

use super::EndpointForm;

/// Characters of a server's own words that are shown.
const MAX_MESSAGE: usize = 300;

/// A vector as it stands in JSON, which has no NaN: servers write `null` for it.
type Numbers = Vec<Option<f32>>;

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
    Ok(vectors.into_iter().map(|numbers| numbers.into_iter().collect()).collect())
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

/// What a server says of a failure, in the places where servers say it. Only JSON is read: the key may be written in any
/// way in what is not, and could not be taken out.
pub(super) fn message(body: &[u8]) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let places = ["/error/message", "/error", "/message", "/detail"];
    places.iter().find_map(|place| body.pointer(place)?.as_str()).map(str::to_owned)
}

/// A server's words in one line, cut.
pub(super) fn shortened(message: &str) -> String {
    let mut line = String::new();
    for word in message.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    match line.char_indices().nth(MAX_MESSAGE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
