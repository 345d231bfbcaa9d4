//! Exchanges with a model recorded in a file, so that a run can be replayed without a network, byte for byte.
//!
//! The file has one JSON object per line. The first names the model; each further one is an exchange: the request, and
//! the reply or the error. The file contains the texts that were sent, without secrets, and no key, since requests
//! contain none. Only its owner can read it.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::ChatError;
use super::masked::{RequestMasker, mask_error, mask_reply, mask_request};
use super::model::{ChatFuture, ChatModel, ChatReply, ChatRequest, TextCallback};
use crate::regular_file::read_text_file;

/// The version of the file format of recordings.
const VERSION: u32 = 1;
/// The maximum size in bytes of a recording that is replayed.
const MAX_RECORDING_BYTES: u64 = 1 << 30;
/// The limit on the characters of a differing value that an error message shows.
const MAX_QUOTED_CHARS: usize = 80;

/// The first line of a recording, which names the model.
#[derive(Serialize, Deserialize)]
struct Header {
    peelback_recording: u32,
    model: String,
}

/// A recorded exchange with a model: a request with its reply or error.
#[derive(Serialize, Deserialize)]
struct Exchange {
    request: ChatRequest,
    #[serde(flatten)]
    outcome: Outcome,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Reply(ChatReply),
    Error(ChatError),
}

/// A model whose exchanges are written to a file, each as it ends.
pub struct RecordingModel {
    model: Box<dyn ChatModel>,
    path: PathBuf,
    file: Mutex<File>,
    has_exchange: AtomicBool,
    masker: RequestMasker,
}

impl RecordingModel {
    /// Creates a recorder of `model` that writes to the new file `path`. The file is removed again where no exchange
    /// was recorded.
    ///
    /// # Errors
    /// [`ChatError::ReplayedModel`] where the file exists, since an earlier recording may have cost money, or cannot be
    /// written.
    pub fn new(model: Box<dyn ChatModel>, path: &Path) -> Result<Self, ChatError> {
        let file = create_private_file(path).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => ChatError::ReplayedModel(format!(
                "{} already exists and is not overwritten: choose another file, or remove it first",
                path.display()
            )),
            _ => recording_write_error(path, &error),
        })?;
        let has_exchange = AtomicBool::new(false);
        let recorder = Self {
            model,
            path: path.to_owned(),
            file: Mutex::new(file),
            has_exchange,
            masker: RequestMasker::default(),
        };
        recorder.write_json_line(&Header { peelback_recording: VERSION, model: recorder.model.name().to_owned() })?;
        Ok(recorder)
    }

    fn write_json_line(&self, line: &impl Serialize) -> Result<(), ChatError> {
        let mut line = serde_json::to_vec(line).map_err(|error| recording_write_error(&self.path, &error))?;
        line.push(b'\n');
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(&line).and_then(|()| file.flush()).map_err(|error| recording_write_error(&self.path, &error))
    }

    async fn complete_and_record_exchange(
        &self,
        request: &ChatRequest,
        on_text: Option<TextCallback<'_>>,
    ) -> Result<ChatReply, ChatError> {
        let result = self.model.complete(request, on_text).await;
        let outcome = match &result {
            Ok(reply) => Outcome::Reply(mask_reply(reply)),
            Err(error) => Outcome::Error(mask_error(error)),
        };
        self.has_exchange.store(true, Ordering::Relaxed);
        // A recording without one of its exchanges cannot be replayed: the write error becomes the error of the call.
        self.write_json_line(&Exchange { request: self.masker.mask(request), outcome })?;
        result
    }
}

impl Drop for RecordingModel {
    fn drop(&mut self) {
        if !self.has_exchange.load(Ordering::Relaxed) {
            // An empty recording would block the next recording to the same path; the error of that one names the file.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Creates a file that only its owner can read, where the system has such files.
fn create_private_file(path: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn recording_write_error(path: &Path, error: &dyn std::fmt::Display) -> ChatError {
    ChatError::ReplayedModel(format!("{} cannot be written: {error}", path.display()))
}

impl ChatModel for RecordingModel {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn complete<'a>(&'a self, request: &'a ChatRequest, on_text: Option<TextCallback<'a>>) -> ChatFuture<'a> {
        Box::pin(self.complete_and_record_exchange(request, on_text))
    }
}

/// A model that returns the replies of a recording, in their order, for the same requests.
pub struct ReplayedModel {
    path: PathBuf,
    model: String,
    exchanges: Vec<Exchange>,
    next: Mutex<usize>,
}

impl ReplayedModel {
    /// Reads the recording of exchanges in the file `path`.
    ///
    /// # Errors
    /// [`ChatError::ReplayedModel`] where the file cannot be read or is not a recording.
    pub fn read_recording(path: &Path) -> Result<Self, ChatError> {
        let failed = |reason: String| ChatError::ReplayedModel(format!("{} {reason}", path.display()));
        let text =
            read_text_file(path, MAX_RECORDING_BYTES).map_err(|error| failed(format!("cannot be read: {error}")))?;
        let mut lines = text.lines().enumerate();
        let header = lines.next().map(|(_, line)| serde_json::from_str::<Header>(line));
        let Some(Ok(header)) = header else {
            return Err(failed("is not a recording: its first line does not say so".to_owned()));
        };
        if header.peelback_recording != VERSION {
            return Err(failed(format!(
                "is a recording of version {}; only version {VERSION} can be read",
                header.peelback_recording
            )));
        }
        let exchange = |(at, line): (usize, &str)| {
            serde_json::from_str(line).map_err(|error| failed(format!("cannot be read in line {}: {error}", at + 1)))
        };
        let exchanges = lines.filter(|(_, line)| !line.is_empty()).map(exchange).collect::<Result<_, _>>()?;
        Ok(Self { path: path.to_owned(), model: header.model, exchanges, next: Mutex::new(0) })
    }

    /// The number of recorded exchanges that are not replayed yet.
    pub fn remaining_exchange_count(&self) -> usize {
        self.exchanges.len() - *self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn replay_next_exchange(
        &self,
        request: &ChatRequest,
        on_text: Option<TextCallback<'_>>,
    ) -> Result<ChatReply, ChatError> {
        let failed = |reason: String| Err(ChatError::ReplayedModel(format!("{} {reason}", self.path.display())));
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(exchange) = self.exchanges.get(*next) else {
            return failed(format!(
                "ends after {} exchanges, and one more is asked for: record anew",
                self.exchanges.len()
            ));
        };
        // A recording has no secrets, so they do not count in the comparison.
        let request = &mask_request(request);
        if exchange.request != *request {
            let json = |request: &ChatRequest| serde_json::to_value(request).unwrap_or_default();
            let (pointer, recorded_value, current_value) =
                first_json_difference(&json(&exchange.request), &json(request)).unwrap_or_default();
            return failed(format!(
                "has another request in exchange {}, at {pointer}: {recorded_value} was sent, and now {current_value} would be; record anew, \
                 or undo the change",
                *next + 1
            ));
        }
        *next += 1;
        drop(next);
        match exchange.outcome.clone() {
            Outcome::Reply(reply) => {
                if let Some(on_text) = on_text.filter(|_| !reply.message.text.is_empty()) {
                    on_text(&reply.message.text);
                }
                Ok(reply)
            }
            Outcome::Error(error) => Err(error),
        }
    }
}

impl ChatModel for ReplayedModel {
    fn name(&self) -> &str {
        &self.model
    }

    fn complete<'a>(&'a self, request: &'a ChatRequest, on_text: Option<TextCallback<'a>>) -> ChatFuture<'a> {
        Box::pin(async move { self.replay_next_exchange(request, on_text) })
    }
}

/// The first difference between two JSON values: a JSON pointer to it, and both values there as shortened text.
fn first_json_difference(one: &Value, other: &Value) -> Option<(String, String, String)> {
    let difference_in_child = |key: &str, one: &Value, other: &Value| {
        first_json_difference(one, other).map(|(place, one, other)| (format!("/{key}{place}"), one, other))
    };
    match (one, other) {
        (Value::Object(a), Value::Object(b)) => {
            let keys = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key)));
            let null = Value::Null;
            keys.filter_map(|key| difference_in_child(key, a.get(key).unwrap_or(&null), b.get(key).unwrap_or(&null)))
                .next()
        }
        (Value::Array(a), Value::Array(b)) => {
            let within =
                a.iter().zip(b).enumerate().find_map(|(at, (a, b))| difference_in_child(&at.to_string(), a, b));
            let items = |list: &[Value]| format!("{} items", list.len());
            within.or_else(|| (a.len() != b.len()).then(|| (String::new(), items(a), items(b))))
        }
        (Value::String(a), Value::String(b)) if a != b => {
            let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
            let place = if same == 0 { String::new() } else { format!(" (from character {same})") };
            let part = |text: &str| quote_truncated_text(&text.chars().skip(same).collect::<String>());
            Some((place, part(a), part(b)))
        }
        (a, b) => (a != b)
            .then(|| (String::new(), quote_truncated_text(&a.to_string()), quote_truncated_text(&b.to_string()))),
    }
}

/// The first [`MAX_QUOTED_CHARS`] characters of `text` in quotes.
fn quote_truncated_text(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED_CHARS) {
        Some((at, _)) => format!("{:?}…", text.get(..at).unwrap_or_default()),
        None => format!("{text:?}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_difference_is_found_with_its_json_pointer() {
        let cases = [
            (json!({ "a": [1, 2] }), json!({ "a": [1, 3] }), "/a/1", "\"2\"", "\"3\""),
            (json!({ "a": [1] }), json!({ "a": [1, 3] }), "/a", "1 items", "2 items"),
            (json!({ "a": 1 }), json!({ "b": 1 }), "/a", "\"1\"", "\"null\""),
            (json!("größe eins"), json!("größe zwei"), " (from character 6)", "\"eins\"", "\"zwei\""),
        ];
        for (one, other, place, then, now) in cases {
            let expected = Some((place.to_owned(), then.to_owned(), now.to_owned()));
            assert_eq!(first_json_difference(&one, &other), expected);
        }
        assert_eq!(first_json_difference(&json!([1]), &json!([1])), None);
    }
}
