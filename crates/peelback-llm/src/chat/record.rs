//! Exchanges kept in a file, so that a run can be rerun without a network, byte for byte.
//!
//! The file has one JSON object a line. The first names the model; each further one is an exchange: the request, and the
//! reply or the error. No key is in it, since requests hold none; the texts that were sent are.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::ChatError;
use super::model::{ChatFuture, ChatModel, ChatReply, ChatRequest, Watch};

/// The form of the file.
const VERSION: u32 = 1;
/// Characters that are shown of a value that differs.
const SHOWN: usize = 80;

#[derive(Serialize, Deserialize)]
struct Head {
    peelback_recording: u32,
    model: String,
}

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

/// A model whose exchanges are written to a file as they happen.
pub struct Recorder {
    model: Box<dyn ChatModel>,
    path: PathBuf,
    file: Mutex<File>,
    has_exchange: AtomicBool,
}

impl Recorder {
    /// `model`, recorded in the file `path`, which is made. It is gone again where no exchange came to be recorded.
    ///
    /// # Errors
    /// [`ChatError::Replay`] where the file exists already, since a recording may have cost money, or cannot be written.
    pub fn new(model: Box<dyn ChatModel>, path: &Path) -> Result<Self, ChatError> {
        let file = File::create_new(path).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => ChatError::Replay(format!(
                "{} exists already, and is not overwritten: name another file for this one, or remove it first",
                path.display()
            )),
            _ => unwritten(path, &error),
        })?;
        let has_exchange = AtomicBool::new(false);
        let recorder = Self { model, path: path.to_owned(), file: Mutex::new(file), has_exchange };
        recorder.write(&Head { peelback_recording: VERSION, model: recorder.model.name().to_owned() })?;
        Ok(recorder)
    }

    fn write(&self, line: &impl Serialize) -> Result<(), ChatError> {
        let mut line = serde_json::to_vec(line).map_err(|error| unwritten(&self.path, &error))?;
        line.push(b'\n');
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(&line).and_then(|()| file.flush()).map_err(|error| unwritten(&self.path, &error))
    }

    async fn exchange(&self, request: &ChatRequest, watch: Option<Watch<'_>>) -> Result<ChatReply, ChatError> {
        let result = self.model.complete(request, watch).await;
        let outcome = match &result {
            Ok(reply) => Outcome::Reply(reply.clone()),
            Err(error) => Outcome::Error(error.clone()),
        };
        self.has_exchange.store(true, Ordering::Relaxed);
        // A recording that misses something is worse than none.
        self.write(&Exchange { request: request.clone(), outcome })?;
        result
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        if !self.has_exchange.load(Ordering::Relaxed) {
            // It holds nothing, and would be in the way of the next try. Where it stays, that one says so.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn unwritten(path: &Path, error: &dyn std::fmt::Display) -> ChatError {
    ChatError::Replay(format!("{} cannot be written: {error}", path.display()))
}

impl ChatModel for Recorder {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn complete<'a>(&'a self, request: &'a ChatRequest, watch: Option<Watch<'a>>) -> ChatFuture<'a> {
        Box::pin(self.exchange(request, watch))
    }
}

/// A model that gives the replies of a recording, in their order, to the same requests.
pub struct Replay {
    path: PathBuf,
    model: String,
    exchanges: Vec<Exchange>,
    next: Mutex<usize>,
}

impl Replay {
    /// The recording in the file `path`.
    ///
    /// # Errors
    /// [`ChatError::Replay`] where the file cannot be read or is no recording.
    pub fn open(path: &Path) -> Result<Self, ChatError> {
        let failed = |reason: String| ChatError::Replay(format!("{} {reason}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|error| failed(format!("cannot be read: {error}")))?;
        let mut lines = text.lines().enumerate();
        let head = lines.next().map(|(_, line)| serde_json::from_str::<Head>(line));
        let Some(Ok(head)) = head else {
            return Err(failed("is no recording: its first line does not say so".to_owned()));
        };
        if head.peelback_recording != VERSION {
            return Err(failed(format!(
                "is a recording of the form {}, and {VERSION} is read",
                head.peelback_recording
            )));
        }
        let exchange = |(at, line): (usize, &str)| {
            serde_json::from_str(line).map_err(|error| failed(format!("cannot be read in line {}: {error}", at + 1)))
        };
        let exchanges = lines.filter(|(_, line)| !line.is_empty()).map(exchange).collect::<Result<_, _>>()?;
        Ok(Self { path: path.to_owned(), model: head.model, exchanges, next: Mutex::new(0) })
    }

    /// Exchanges that nobody asked for yet.
    pub fn left(&self) -> usize {
        self.exchanges.len() - *self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn exchange(&self, request: &ChatRequest, watch: Option<Watch<'_>>) -> Result<ChatReply, ChatError> {
        let failed = |reason: String| Err(ChatError::Replay(format!("{} {reason}", self.path.display())));
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(exchange) = self.exchanges.get(*next) else {
            return failed(format!(
                "ends after {} exchanges, and one more is asked for: record anew",
                self.exchanges.len()
            ));
        };
        if exchange.request != *request {
            let json = |request: &ChatRequest| serde_json::to_value(request).unwrap_or_default();
            let (place, then, now) = difference(&json(&exchange.request), &json(request)).unwrap_or_default();
            return failed(format!(
                "has another request in exchange {}, at {place}: {then} was sent, and now {now} would be; record anew, \
                 or undo the change",
                *next + 1
            ));
        }
        *next += 1;
        drop(next);
        match exchange.outcome.clone() {
            Outcome::Reply(reply) => {
                if let Some(watch) = watch.filter(|_| !reply.message.text.is_empty()) {
                    watch(&reply.message.text);
                }
                Ok(reply)
            }
            Outcome::Error(error) => Err(error),
        }
    }
}

impl ChatModel for Replay {
    fn name(&self) -> &str {
        &self.model
    }

    fn complete<'a>(&'a self, request: &'a ChatRequest, watch: Option<Watch<'a>>) -> ChatFuture<'a> {
        Box::pin(async move { self.exchange(request, watch) })
    }
}

/// The first place where two values differ, as a JSON pointer, and what they are there.
fn difference(one: &Value, other: &Value) -> Option<(String, String, String)> {
    let deeper = |key: &str, one: &Value, other: &Value| {
        difference(one, other).map(|(place, one, other)| (format!("/{key}{place}"), one, other))
    };
    match (one, other) {
        (Value::Object(a), Value::Object(b)) => {
            let keys = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key)));
            let null = Value::Null;
            keys.filter_map(|key| deeper(key, a.get(key).unwrap_or(&null), b.get(key).unwrap_or(&null))).next()
        }
        (Value::Array(a), Value::Array(b)) => {
            let within = a.iter().zip(b).enumerate().find_map(|(at, (a, b))| deeper(&at.to_string(), a, b));
            let items = |list: &[Value]| format!("{} items", list.len());
            within.or_else(|| (a.len() != b.len()).then(|| (String::new(), items(a), items(b))))
        }
        (Value::String(a), Value::String(b)) if a != b => {
            let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
            let place = if same == 0 { String::new() } else { format!(" (from character {same})") };
            let part = |text: &str| shown(&text.chars().skip(same).collect::<String>());
            Some((place, part(a), part(b)))
        }
        (a, b) => (a != b).then(|| (String::new(), shown(&a.to_string()), shown(&b.to_string()))),
    }
}

fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{:?}…", &text[..at]),
        None => format!("{text:?}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_difference_is_told_with_its_place() {
        let cases = [
            (json!({ "a": [1, 2] }), json!({ "a": [1, 3] }), "/a/1", "\"2\"", "\"3\""),
            (json!({ "a": [1] }), json!({ "a": [1, 3] }), "/a", "1 items", "2 items"),
            (json!({ "a": 1 }), json!({ "b": 1 }), "/a", "\"1\"", "\"null\""),
            (json!("größe eins"), json!("größe zwei"), " (from character 6)", "\"eins\"", "\"zwei\""),
        ];
        for (one, other, place, then, now) in cases {
            let expected = Some((place.to_owned(), then.to_owned(), now.to_owned()));
            assert_eq!(difference(&one, &other), expected);
        }
        assert_eq!(difference(&json!([1]), &json!([1])), None);
    }
}
