//! The tools as the agent calls them: with lower limits, with answers enclosed in fences, and without secrets.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use peelback_code::syntax::{Tier, language};
use peelback_code::{
    CancellationToken, CodeAccess, ErrorCategory, THREAD_STACK_BYTES, WithholdPathRule, find_similar_names,
};
use peelback_llm::{ToolCall, ToolDefinition};
use peelback_tools::{
    AnyTool, DocumentationMode, Location, ReplyStatus, ShownDetail, describe_shared_parameters, follow_up_call_builder,
    tool_by_name_or_alias,
};
use serde_json::{Map, Value};

use super::generate::{self, GENERATE};
use super::observations::keep_places_that_count_as_observed;
use super::options::AgentOptions;
use super::outcome::Withheld;
use crate::conversation::Kind;
use crate::disclosure::{KnownSecrets, Redact};
use crate::fence::enclose_in_data_tags;

/// The maximum number of results that a search tool returns to the agent.
const SEARCH_LIMIT: u64 = 15;

/// The maximum number of tokens in a tool answer, whatever limit the call requests.
const MOST_TOKENS: usize = 2_000;

/// The number of tokens of details in the outline that replaces a file's text in the conversation.
const SUMMARY_TOKENS: usize = 250;

/// The maximum number of tokens of that outline where names alone take more than [`SUMMARY_TOKENS`].
const SUMMARY_TOKENS_FOR_NAMES: usize = 600;

/// The tool parameters that are hidden from the model, because the model works on one project and reads only text.
const NOT_OFFERED: [&str; 2] = ["root", "format"];

/// The tools that the agent may call.
fn agent_tools() -> impl Iterator<Item = &'static AnyTool> {
    peelback_tools::all_tools().iter().filter(|tool| tool.is_for_agents)
}

/// The agent's tool that has the name or alias `name`; `None` where there is no such tool.
fn find_agent_tool(name: &str) -> Option<&'static AnyTool> {
    tool_by_name_or_alias(name).filter(|tool| tool.is_for_agents)
}

/// The access to the project, and the options, with which the agent calls tools.
pub(super) struct Toolbox {
    access: CodeAccess,
    redact: Redact,
    cancellation: CancellationToken,
    tool_time: Duration,
    withheld: Arc<Mutex<BTreeMap<String, String>>>,
}

/// A code file whose whole raw text the model has read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RawRead {
    pub path: String,
    /// The estimated number of tokens in the file's outline.
    pub outline_tokens: usize,
}

/// The result of a tool call, in the form in which it is added to the conversation.
#[derive(Debug)]
pub(super) struct ToolOutcome {
    /// The tool's answer, enclosed in a fence.
    pub content: String,
    /// The answer with the call that gives the tool's documentation in the place of the documentation, for a call whose
    /// arguments were invalid.
    pub brief: Option<String>,
    /// The tool that was called; `None` where no tool has that name.
    pub tool: Option<&'static AnyTool>,
    pub kind: Kind,
    pub status: ReplyStatus,
    /// The outline that replaces the file's text in the conversation once the result is some turns old.
    pub outline: Option<String>,
    /// The code file whose whole raw text the call read; `None` for other calls.
    pub raw: Option<RawRead>,
    /// The places that the model saw in this answer.
    pub observations: Vec<Location>,
    /// The paths of the files whose outline or profile the answer shows.
    pub outlined: Vec<String>,
    pub preview: String,
}

impl Toolbox {
    pub fn new(access: &CodeAccess, options: &AgentOptions) -> Self {
        let withheld: Arc<Mutex<BTreeMap<String, String>>> = Arc::default();
        let (noted, asked) = (withheld.clone(), options.withhold.clone());
        let withhold: WithholdPathRule = Arc::new(move |path: &str| {
            let reason = asked(path)?;
            noted.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), reason.clone());
            Some(reason)
        });
        Self {
            access: access
                .clone()
                .restricted_for_model(withhold)
                .with_document_generator(None)
                .with_cancellation(options.cancellation.clone()),
            redact: options.redact.clone(),
            cancellation: options.cancellation.clone(),
            tool_time: options.tool_time,
            withheld,
        }
    }

    /// The tool definitions that the model receives.
    pub fn tool_definitions(mode: DocumentationMode) -> Vec<ToolDefinition> {
        let tools = agent_tools().map(|tool| {
            let declared = tool.tool_declaration(mode);
            let mut parameters = declared.input_schema;
            if let Some(Value::Object(properties)) = parameters.get_mut("properties") {
                properties.retain(|name, _| !NOT_OFFERED.contains(&name.as_str()));
            }
            ToolDefinition { name: declared.name.to_owned(), description: declared.description, parameters }
        });
        tools.chain([generate::definition_of_result_submission_tool()]).collect()
    }

    /// The parameters that all tools have, for the system prompt; `None` where the tools' own definitions describe them.
    pub fn parameters_described_in_prompt(mode: DocumentationMode) -> Option<String> {
        (mode != DocumentationMode::Full).then(|| describe_shared_parameters(peelback_tools::all_tools(), &NOT_OFFERED))
    }

    /// The files that the tools withheld from the model, with the reasons.
    pub fn withheld_files(&self) -> Vec<Withheld> {
        let withheld = self.withheld.lock().unwrap_or_else(PoisonError::into_inner);
        withheld.iter().map(|(path, reason)| Withheld { path: path.clone(), reason: reason.clone() }).collect()
    }

    /// The path of an existing, readable file relative to the root; `None` where the file does not exist or is
    /// withheld.
    pub fn readable_file_path(&self, path: &str) -> Option<String> {
        self.access.project().require_readable_file(path).ok().map(|place| place.path)
    }

    /// The existing path that is most similar to a path that does not exist.
    pub fn similar_existing_path(&self, path: &str) -> Option<String> {
        match self.access.project().require_readable_file(path) {
            Err(peelback_code::CodeError::NotFound { nearest, .. }) => nearest.into_iter().next(),
            _ => None,
        }
    }

    /// Runs independent tool calls concurrently. The outcomes are in the order of the calls.
    pub fn run_tool_calls(&self, calls: &[ToolCall]) -> Vec<ToolOutcome> {
        // Each call gets a thread of its own. In the thread pool, a thread that waits for the work of one call could
        // start another call meanwhile.
        std::thread::scope(|scope| {
            let mut threads = Vec::with_capacity(calls.len());
            for call in calls {
                let thread = std::thread::Builder::new().name("tool".to_owned()).stack_size(THREAD_STACK_BYTES);
                threads.push(thread.spawn_scoped(scope, || self.run_tool_call(call)));
            }
            let failed =
                |call: &ToolCall| ToolOutcome::for_refused_call(&call.name, "the tool failed; try another way");
            let joined = threads.into_iter().zip(calls);
            let outcome = |thread: std::io::Result<std::thread::ScopedJoinHandle<'_, ToolOutcome>>| {
                thread.ok().and_then(|thread| thread.join().ok())
            };
            joined.map(|(thread, call)| outcome(thread).unwrap_or_else(|| failed(call))).collect()
        })
    }

    fn run_tool_call(&self, call: &ToolCall) -> ToolOutcome {
        let Some(tool) = find_agent_tool(&call.name) else { return unknown_tool_outcome(&call.name) };
        let (arguments, limits) = arguments_with_agent_limits(tool, &call.arguments);
        let access = self.access.clone().with_cancellation(self.cancellation.child_with_time_limit(self.tool_time));
        let reply = tool.run_call_of_model_with_aim(&access, arguments.clone(), limits.aim, limits.most);
        let known = reply.known_secrets();
        if known.is_everything() {
            // A model that sees masks alone must not count what stands behind them as seen.
            return ToolOutcome::for_refused_call(&call.name, &reply.withheld().formatted_output());
        }
        let is_answer = reply.status == ReplyStatus::Found;
        // The prompt already describes the workflow, so hints and follow-up calls are removed: the conversation would
        // send them again with every turn.
        let output = if is_answer { reply.text_without_hints_and_alternatives() } else { reply.formatted_output() };
        let label = tool.describe_call_briefly(&arguments);
        let redact = |text: &str| (self.redact)(text, &known).into_owned();
        let brief = reply.with_call_in_place_of_documentation();
        let brief = brief.map(|brief| enclose_in_data_tags(&label, &redact(&brief.formatted_output())));
        let places = if is_answer { reply.shown_locations() } else { Vec::new() };
        let (raw, outline) = self.raw_read_and_outline_to_replace_it(&access, tool, &places);
        ToolOutcome {
            content: enclose_in_data_tags(&label, &redact(&output)),
            brief,
            tool: Some(tool),
            kind: tool.result_kind,
            status: reply.status,
            outline,
            raw,
            outlined: places
                .iter()
                .filter(|place| is_shown_without_bodies(place))
                .map(|place| place.path.clone())
                .collect(),
            observations: self.readable_observed_places(places, &known),
            preview: redact(&reply.preview),
        }
    }

    /// The places of a tool answer that count as observed and that the agent may read.
    fn readable_observed_places(&self, places: Vec<Location>, known_secrets: &KnownSecrets) -> Vec<Location> {
        let known = keep_places_that_count_as_observed(places).into_iter().filter_map(|place| {
            let title = (self.redact)(&place.title, known_secrets).into_owned();
            Some(Location { path: self.readable_file_path(&place.path)?, title, ..place })
        });
        let mut known: Vec<Location> = known.collect();
        known.dedup();
        known
    }

    /// Two values for a tool call that read a whole file: the code file, if the answer shows its raw text, and the
    /// outline that will replace that text in the conversation.
    fn raw_read_and_outline_to_replace_it(
        &self,
        access: &CodeAccess,
        tool: &AnyTool,
        places: &[Location],
    ) -> (Option<RawRead>, Option<String>) {
        let is_replaced = tool.result_kind.can_be_replaced_by_outline();
        let Some(place) = places.iter().find(|place| is_replaced || place.is_whole_text) else { return (None, None) };
        let Ok(file) = access.read_file(&place.path) else { return (None, None) };
        let Some(language) = language::language_of_file_name_and_text(file.file_name(), &file.text) else {
            return (None, None);
        };
        let call = follow_up_call_builder().outline_call(&place.path);
        let Some(outline) = tool_by_name_or_alias(call.tool_name()) else { return (None, None) };
        let arguments = Value::Object(call.arguments().clone());
        let ask = |aim, most| outline.run_call_of_model_with_aim(access, arguments.clone(), aim, most);
        let raw = (language.tier != Tier::Document && place.is_whole_text).then(|| RawRead {
            path: file.path.clone(),
            outline_tokens: peelback_tokens::estimate_tokens(
                &ask(outline.agent_tokens, outline.agent_tokens_for_names).formatted_output(),
            ),
        });
        let summary = is_replaced
            .then(|| ask(SUMMARY_TOKENS, SUMMARY_TOKENS_FOR_NAMES))
            .filter(|reply| reply.status == ReplyStatus::Found);
        let summary = summary.map(|reply| {
            let text = reply.formatted_output();
            enclose_in_data_tags(
                &outline.describe_call_briefly(&arguments),
                &(self.redact)(&text, &reply.known_secrets()),
            )
        });
        (raw, summary)
    }
}

/// Whether a place of a tool answer shows a file's symbols without their bodies: as an outline, in a listing, or as a
/// profile.
fn is_shown_without_bodies(place: &Location) -> bool {
    match place.shown_detail {
        ShownDetail::Listed | ShownDetail::Outlined => true,
        ShownDetail::Read => place.lines.is_none() && !place.is_whole_text,
        ShownDetail::Found | ShownDetail::Used => false,
    }
}

impl ToolOutcome {
    /// The outcome of a tool call that was not run. The agent itself wrote the answer.
    pub fn for_refused_call(name: &str, text: &str) -> Self {
        Self {
            content: text.to_owned(),
            brief: None,
            tool: None,
            kind: Kind::Other,
            status: ReplyStatus::Failed(ErrorCategory::BadUsage),
            outline: None,
            raw: None,
            outlined: Vec::new(),
            observations: Vec::new(),
            preview: format!("error: {name}\n"),
        }
    }
}

/// The outcome of a call to a tool that does not exist.
fn unknown_tool_outcome(name: &str) -> ToolOutcome {
    let names: Vec<&str> = agent_tools().map(|tool| tool.name).chain([GENERATE]).collect();
    let shown: String = name.chars().filter(|c| !c.is_control()).take(60).collect();
    let near = find_similar_names(&shown, names.iter().copied(), 1).into_iter().next();
    let meant = near.as_deref().map_or(String::new(), |near| format!(" Did you mean {near}?"));
    let error = format!("error: there is no tool {shown:?}.{meant} The tools are: {}.", names.join(", "));
    let docs = near.as_deref().and_then(find_agent_tool).map(|tool| tool.documentation_text(DocumentationMode::Full));
    match docs {
        Some(docs) => {
            let brief = Some(error.clone());
            ToolOutcome { brief, ..ToolOutcome::for_refused_call(name, &format!("{error}\n\n{docs}")) }
        }
        None => ToolOutcome::for_refused_call(name, &error),
    }
}

/// The limits of the answer to an agent's call, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct AnswerLimits {
    /// The limit up to which the answer shows details.
    aim: usize,
    /// The limit of the whole answer, which names alone may reach.
    most: usize,
}

impl AnswerLimits {
    fn usual(tool: &AnyTool) -> Self {
        Self { aim: tool.agent_tokens, most: tool.agent_tokens_for_names.max(tool.agent_tokens) }
    }
}

/// The arguments of a tool call with the agent's own limits applied, and the limits of the answer.
fn arguments_with_agent_limits(tool: &AnyTool, given: &Value) -> (Value, AnswerLimits) {
    let parsed = match given {
        Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| given.clone()),
        other => other.clone(),
    };
    let Value::Object(given) = parsed else { return (parsed, AnswerLimits::usual(tool)) };
    let mut arguments = Map::new();
    let mut limits = AnswerLimits::usual(tool);
    for (name, value) in given {
        // Known parameters get their canonical name. The tool itself rejects unknown parameters.
        let known = tool.parameter_by_name_alias_or_flag(&name).map(|parameter| parameter.name.as_str());
        match known {
            Some(known) if NOT_OFFERED.contains(&known) => {}
            Some("max_tokens") => {
                let asked = integer_from_json_number_or_text(&value)
                    .and_then(|tokens| usize::try_from(tokens).ok())
                    .filter(|tokens| *tokens > 0);
                if let Some(tokens) = asked.map(|tokens| tokens.min(MOST_TOKENS)) {
                    limits = AnswerLimits { aim: tokens, most: tokens };
                }
            }
            Some(known) if !arguments.contains_key(known) => {
                arguments.insert(known.to_owned(), value);
            }
            _ => {
                arguments.insert(name, value);
            }
        }
    }
    let searches = tool.result_kind == Kind::Search;
    if searches
        && arguments
            .get("limit")
            .is_none_or(|limit| integer_from_json_number_or_text(limit).is_some_and(|limit| limit > SEARCH_LIMIT))
    {
        arguments.insert("limit".to_owned(), SEARCH_LIMIT.into());
    }
    tool.adapt_arguments_for_agent(&mut arguments);
    (Value::Object(arguments), limits)
}

fn integer_from_json_number_or_text(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use peelback_tools::tool_by_name_or_alias;
    use serde_json::json;

    use super::arguments_with_agent_limits;

    #[test]
    fn calls_get_the_agents_caps() {
        let shaped =
            |tool: &str, given| arguments_with_agent_limits(tool_by_name_or_alias(tool).expect("a tool"), &given);
        let (arguments, _) = shaped("find_files", json!({ "query": "x", "max_results": 90, "root": "/etc" }));
        assert_eq!(arguments, json!({ "query": "x", "limit": 15 }));
        let (arguments, _) = shaped("grep_in_files", json!({ "pattern": "x", "path": "src" }));
        assert_eq!(arguments, json!({ "pattern": "x", "scope": "src", "limit": 15, "context": 1 }));
        let (arguments, _) = shaped("grep", json!({ "pattern": "x", "limit": "3", "-A": 4 }));
        assert_eq!(arguments, json!({ "pattern": "x", "limit": "3", "after": 4 }));
        let (arguments, limits) =
            shaped("read_file", json!("{\"filePath\": \"a\", \"raw\": \"true\", \"max_tokens\": 90000}"));
        assert_eq!((arguments, limits.most), (json!({ "path": "a", "raw": true }), 2_000));
        let limits = shaped("outline", json!({ "path": "a", "max_tokens": 900 })).1;
        assert_eq!((limits.aim, limits.most), (900, 900));
        // Names of files and symbols may take more than details may.
        let limits = shaped("outline", json!({ "path": "a" })).1;
        assert!(limits.aim < limits.most, "{limits:?}");
        // Arguments that are no JSON object pass unchanged: the tool rejects them.
        assert_eq!(shaped("outline", json!("src")).0, json!("src"));
    }
}
