//! Guards against loops: the same call again, nothing found time after time.

use std::collections::HashMap;

use peelback_code::Fault;
use peelback_llm::ToolCall;
use peelback_tools::{ReplyStatus, by_name};
use serde_json::Value;

use crate::conversation::Conversation;

/// Empty answers in a row after which the model is advised.
const ADVISED_AFTER: usize = 3;

/// Empty answers in a row after which it must finish.
const STOPPED_AFTER: usize = 5;

/// The same call so many times ends the search.
const SAME_CALLS: usize = 3;

/// What is to be done with a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    Run,
    /// It was answered before, by this text now.
    Again(String),
    /// The same for the last time.
    Enough(String),
}

/// What the guards remember.
#[derive(Debug, Default)]
pub(super) struct Guards {
    /// Calls by what they mean: the turn and the id of the last that was run, and how often it was made since.
    made: HashMap<String, (usize, String, usize)>,
    empty: usize,
}

impl Guards {
    /// Judges a call of `turn`. A call whose result was left out since may be made again.
    pub fn judge(&mut self, call: &ToolCall, turn: usize, conversation: &Conversation) -> Verdict {
        let key = meaning(call);
        if let Some((made, id, times)) = self.made.get_mut(&key)
            && (*made == turn || conversation.holds(id))
        {
            *times += 1;
            let text =
                format!("This call was made before, in turn {made}; its result stands there. Do something else.");
            return if *times >= SAME_CALLS { Verdict::Enough(text) } else { Verdict::Again(text) };
        }
        self.made.insert(key, (turn, call.id.clone(), 1));
        Verdict::Run
    }

    /// Takes in how a call ended; advice where nothing was found some times in a row.
    pub fn ended(&mut self, status: ReplyStatus) -> Option<&'static str> {
        match status {
            ReplyStatus::Found => self.empty = 0,
            ReplyStatus::Empty | ReplyStatus::Failed(Fault::NothingFound) => self.empty += 1,
            ReplyStatus::Failed(_) | ReplyStatus::InvalidArguments => {}
        }
        (self.empty == ADVISED_AFTER && status != ReplyStatus::Found).then_some(
            "advice: nothing was found three times in a row. Look at the map first (tree, or outline of a folder), \
             search for one word that the code must use, or finish with what you have.",
        )
    }

    /// Whether nothing was found too often.
    pub fn found_nothing(&self) -> bool {
        self.empty >= STOPPED_AFTER
    }
}

/// A call with the tool's and the parameters' own names, in order: two ways to write one call are one.
fn meaning(call: &ToolCall) -> String {
    let parsed;
    let arguments = match &call.arguments {
        Value::String(text) => {
            parsed = serde_json::from_str(text).unwrap_or_else(|_| call.arguments.clone());
            &parsed
        }
        other => other,
    };
    let Some(tool) = by_name(&call.name) else { return format!("{} {arguments}", call.name) };
    let Some(fields) = arguments.as_object() else { return format!("{} {arguments}", tool.name) };
    let mut written: Vec<String> = fields
        .iter()
        .map(|(name, value)| {
            let name = tool.parameter_called(name).map_or(name.as_str(), |parameter| parameter.name.as_str());
            let value = match value {
                Value::String(text) => text.trim().trim_start_matches("./").to_owned(),
                Value::Array(items) if items.len() == 1 => items.iter().filter_map(Value::as_str).collect(),
                other => other.to_string(),
            };
            format!("{name}={value}")
        })
        .collect();
    written.sort();
    format!("{} {}", tool.name, written.join("\0"))
}

#[cfg(test)]
mod tests {
    use peelback_llm::ToolCall;
    use peelback_tools::ReplyStatus;
    use serde_json::{Value, json};

    use super::{Guards, meaning};

    fn call(name: &str, arguments: Value) -> ToolCall {
        ToolCall { id: "1".into(), name: name.into(), arguments }
    }

    #[test]
    fn one_call_written_in_two_ways_is_one() {
        let plain = meaning(&call("grep", json!({ "pattern": "x", "scope": ["src"] })));
        assert_eq!(meaning(&call("grep_in_files", json!({ "path": "./src", "regex": "x" }))), plain);
        assert_eq!(meaning(&call("grep", json!("{\"pattern\":\"x\",\"scope\":\"src\"}"))), plain);
        assert_ne!(meaning(&call("grep", json!({ "pattern": "x", "scope": ["src", "docs"] }))), plain);
    }

    #[test]
    fn what_is_found_ends_a_row_of_nothing() {
        let mut guards = Guards::default();
        let advised: Vec<bool> = (0..3).map(|_| guards.ended(ReplyStatus::Empty).is_some()).collect();
        assert_eq!(advised, [false, false, true]);
        guards.ended(ReplyStatus::Empty);
        assert!(!guards.found_nothing());
        guards.ended(ReplyStatus::Empty);
        assert!(guards.found_nothing());
        guards.ended(ReplyStatus::Found);
        assert!(!guards.found_nothing());
    }
}
