//! Guards that stop an agent in a loop: repeated identical tool calls, or many tool calls in a row that find nothing.

use std::collections::{HashMap, HashSet};

use peelback_code::ErrorCategory;
use peelback_llm::ToolCall;
use peelback_tools::{ReplyStatus, tool_by_name_or_alias};
use serde_json::Value;

use crate::conversation::Conversation;

/// The number of consecutive empty tool answers after which the model receives advice.
const ADVISED_AFTER: usize = 3;

/// The number of consecutive empty tool answers after which the model must submit its result.
const STOPPED_AFTER: usize = 5;

/// The number of identical tool calls at which the agent's search ends.
const SAME_CALLS: usize = 3;

/// The decision of the loop guards about a tool call: the agent runs the call, or answers it with a text instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CallDecision {
    Run,
    /// The call repeats an earlier call whose result is still in the conversation. The agent answers with this text.
    Refuse(String),
    /// The call was repeated too often. The agent answers with this text, and the search ends.
    RefuseAndFinish(String),
}

/// The state of an agent's loop guards: the earlier tool calls, and the number of consecutive empty tool answers.
#[derive(Debug, Default)]
pub(super) struct LoopGuards {
    /// The tool calls of the run, by their normalized form. Each value has the turn and the id of the last call that
    /// ran, and the number of identical calls since then.
    made: HashMap<String, (usize, String, usize)>,
    /// The ids of the calls whose results the model asked for again.
    repeated: HashSet<String>,
    empty: usize,
}

impl LoopGuards {
    /// Decides whether a tool call of the turn `turn` runs. A repeated call may run again where the earlier result was
    /// trimmed from the conversation.
    pub fn decide_whether_call_may_run(
        &mut self,
        call: &ToolCall,
        turn: usize,
        conversation: &Conversation,
    ) -> CallDecision {
        let key = normalized_call_key(call);
        if let Some((made, id, times)) = self.made.get_mut(&key)
            && (*made == turn || conversation.has_unmodified_result_of_call(id))
        {
            *times += 1;
            self.repeated.insert(id.clone());
            let text = format!("You made this call in turn {made}; its result is there. Make a different call.");
            return if *times >= SAME_CALLS { CallDecision::RefuseAndFinish(text) } else { CallDecision::Refuse(text) };
        }
        if self.made.insert(key, (turn, call.id.clone(), 1)).is_some() {
            self.repeated.insert(call.id.clone());
        }
        CallDecision::Run
    }

    /// Takes the ids of the calls whose results the model asked for again since the last time.
    pub fn take_ids_of_repeated_calls(&mut self) -> HashSet<String> {
        std::mem::take(&mut self.repeated)
    }

    /// Records the status of a finished tool call. Returns advice for the model after several empty answers in a row.
    pub fn record_call_status_and_get_advice(&mut self, status: ReplyStatus) -> Option<&'static str> {
        match status {
            ReplyStatus::Found => self.empty = 0,
            ReplyStatus::Empty | ReplyStatus::Failed(ErrorCategory::NothingFound) => self.empty += 1,
            ReplyStatus::Failed(_) | ReplyStatus::InvalidArguments => {}
        }
        (self.empty == ADVISED_AFTER && status != ReplyStatus::Found).then_some(
            "advice: nothing was found three times in a row. Look at the map first (tree, or outline of a folder), \
             search for one word that the code must use, or finish with what you have.",
        )
    }

    /// Whether so many consecutive tool answers were empty that the agent must finish.
    pub fn has_too_many_empty_answers(&self) -> bool {
        self.empty >= STOPPED_AFTER
    }
}

/// The normalized form of a tool call: the canonical names of the tool and its parameters, in sorted order. Two
/// spellings of one call have equal forms.
fn normalized_call_key(call: &ToolCall) -> String {
    let parsed;
    let arguments = match &call.arguments {
        Value::String(text) => {
            parsed = serde_json::from_str(text).unwrap_or_else(|_| call.arguments.clone());
            &parsed
        }
        other => other,
    };
    let Some(tool) = tool_by_name_or_alias(&call.name) else { return format!("{} {arguments}", call.name) };
    let Some(fields) = arguments.as_object() else { return format!("{} {arguments}", tool.name) };
    let mut written: Vec<String> = fields
        .iter()
        .map(|(name, value)| {
            let name =
                tool.parameter_by_name_alias_or_flag(name).map_or(name.as_str(), |parameter| parameter.name.as_str());
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

    use super::{LoopGuards, normalized_call_key};

    fn call(name: &str, arguments: Value) -> ToolCall {
        ToolCall { id: "1".into(), name: name.into(), arguments }
    }

    #[test]
    fn one_call_written_in_two_ways_is_one() {
        let plain = normalized_call_key(&call("grep", json!({ "pattern": "x", "scope": ["src"] })));
        assert_eq!(normalized_call_key(&call("grep_in_files", json!({ "path": "./src", "regex": "x" }))), plain);
        assert_eq!(normalized_call_key(&call("grep", json!("{\"pattern\":\"x\",\"scope\":\"src\"}"))), plain);
        assert_ne!(normalized_call_key(&call("grep", json!({ "pattern": "x", "scope": ["src", "docs"] }))), plain);
    }

    #[test]
    fn what_is_found_ends_a_row_of_nothing() {
        let mut guards = LoopGuards::default();
        let advised: Vec<bool> =
            (0..3).map(|_| guards.record_call_status_and_get_advice(ReplyStatus::Empty).is_some()).collect();
        assert_eq!(advised, [false, false, true]);
        guards.record_call_status_and_get_advice(ReplyStatus::Empty);
        assert!(!guards.has_too_many_empty_answers());
        guards.record_call_status_and_get_advice(ReplyStatus::Empty);
        assert!(guards.has_too_many_empty_answers());
        guards.record_call_status_and_get_advice(ReplyStatus::Found);
        assert!(!guards.has_too_many_empty_answers());
    }
}
