//! The tools as the agent has them: tighter, fenced, without what is secret.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use peelback_code::syntax::{Tier, language};
use peelback_code::{CancellationToken, CodeAccess, Fault, Withhold, nearest};
use peelback_llm::{ToolCall, ToolDefinition};
use peelback_tools::{AnyTool, DocumentationMode, ReplyStatus, by_name};
use serde_json::{Map, Value};

use super::generate::{self, GENERATE};
use super::observations::{Observation, observations_of};
use super::options::AgentOptions;
use super::outcome::Withheld;
use crate::conversation::Kind;
use crate::disclosure::Redact;
use crate::fence::fenced;

/// Results of a search.
const SEARCH_LIMIT: u64 = 15;

/// Lines around a match.
const CONTEXT_LINES: u64 = 1;

/// The most tokens of an answer whose call asks for more than the tool's own.
const MOST_TOKENS: usize = 2_000;

/// Tokens of the outline that takes the place of a file's text.
const SUMMARY_TOKENS: usize = 250;

/// Parameters that mean nothing to a model that knows one project and reads text.
const NOT_OFFERED: [&str; 2] = ["root", "format"];

/// Answers by a document, which is what the agent itself is to find the material for.
const NOT_ITS_OWN: &str = "scope";

/// The tools that the agent has.
fn tools() -> impl Iterator<Item = &'static AnyTool> {
    peelback_tools::all().iter().filter(|tool| tool.name != NOT_ITS_OWN)
}

/// The tool of the agent that is called `name`.
fn tool_called(name: &str) -> Option<&'static AnyTool> {
    by_name(name).filter(|tool| tool.name != NOT_ITS_OWN)
}

/// The tokens that an answer may have where its call says nothing: the whole session is to stay under 12 KB when the
/// model sums up, with one search, a few outlines, two or three bodies and one observation at references.
fn tokens_of(tool: &str) -> usize {
    match tool {
        "tree" | "find_symbols" | "search_tools" => 600,
        "find_files" => 450,
        "find_references" => 250,
        "outline" => 300,
        "search" | "grep" => 800,
        "dependencies" => 500,
        "read_symbol" => 600,
        "read_lines" => 1_500,
        // 8,000 characters of raw text are about as many tokens; the tool's own bound on characters holds.
        _ => MOST_TOKENS,
    }
}

/// What the agent calls tools with.
pub(super) struct Toolbox {
    access: CodeAccess,
    redact: Redact,
    work: CancellationToken,
    tool_time: Duration,
    withheld: Arc<Mutex<BTreeMap<String, String>>>,
}

/// A whole file of code that was read as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RawRead {
    pub path: String,
    /// What its outline costs, in tokens.
    pub price: usize,
}

/// The answer of a tool.
#[derive(Debug)]
pub(super) struct ToolOutcome {
    /// Fenced.
    pub content: String,
    /// The same with the docs of the tool left out, where the arguments did not fit it.
    pub brief: Option<String>,
    /// The tool's own name; `None` where there is no such tool.
    pub tool: Option<&'static str>,
    pub kind: Kind,
    pub status: ReplyStatus,
    /// What stands for the text of a file once it is old.
    pub outline: Option<String>,
    /// Code that was read whole.
    pub raw: Option<RawRead>,
    /// What was looked at.
    pub observations: Vec<Observation>,
    pub preview: String,
}

impl Toolbox {
    pub fn new(access: &CodeAccess, options: &AgentOptions) -> Self {
        let withheld: Arc<Mutex<BTreeMap<String, String>>> = Arc::default();
        let (noted, asked) = (withheld.clone(), options.withhold.clone());
        let withhold: Withhold = Arc::new(move |path: &str| {
            let reason = asked(path)?;
            noted.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), reason.clone());
            Some(reason)
        });
        Self {
            access: access
                .clone()
                .for_model(withhold)
                .with_document_generator(None)
                .with_cancellation(options.work.clone()),
            redact: options.redact.clone(),
            work: options.work.clone(),
            tool_time: options.tool_time,
            withheld,
        }
    }

    /// What the model is told of the tools.
    pub fn definitions(mode: DocumentationMode) -> Vec<ToolDefinition> {
        let tools = tools().map(|tool| {
            let declared = tool.declaration(mode);
            let mut parameters = declared.input_schema;
            if let Some(Value::Object(properties)) = parameters.get_mut("properties") {
                properties.retain(|name, _| !NOT_OFFERED.contains(&name.as_str()));
            }
            ToolDefinition { name: declared.name.to_owned(), description: declared.description, parameters }
        });
        tools.chain([generate::definition()]).collect()
    }

    /// Files that nobody read, and why.
    pub fn withheld(&self) -> Vec<Withheld> {
        let withheld = self.withheld.lock().unwrap_or_else(PoisonError::into_inner);
        withheld.iter().map(|(path, reason)| Withheld { path: path.clone(), reason: reason.clone() }).collect()
    }

    /// The path of an existing file that may be read, from the root.
    pub fn file(&self, path: &str) -> Option<String> {
        self.access.project().file(path).ok().map(|place| place.path)
    }

    /// Existing paths that are near one that does not exist.
    pub fn near(&self, path: &str) -> Option<String> {
        match self.access.project().file(path) {
            Err(peelback_code::CodeError::NotFound { nearest, .. }) => nearest.into_iter().next(),
            _ => None,
        }
    }

    /// Answers calls that do not depend on each other, in their order.
    pub fn run_all(&self, calls: &[ToolCall]) -> Vec<ToolOutcome> {
        // Threads of their own: a thread of the pool that waits for another call's work would take up a third one.
        std::thread::scope(|scope| {
            let threads: Vec<_> = calls.iter().map(|call| scope.spawn(|| self.run(call))).collect();
            let failed = |call: &ToolCall| ToolOutcome::refused(&call.name, "the tool failed; try another way");
            let joined = threads.into_iter().zip(calls);
            joined.map(|(thread, call)| thread.join().unwrap_or_else(|_| failed(call))).collect()
        })
    }

    fn run(&self, call: &ToolCall) -> ToolOutcome {
        let Some(tool) = tool_called(&call.name) else { return unknown(&call.name) };
        let (arguments, most) = shaped(tool, &call.arguments);
        let access = self.access.clone().with_cancellation(self.work.within(self.tool_time));
        let reply = tool.call_within(&access, arguments.clone(), most);
        let is_answer = reply.status == ReplyStatus::Found;
        let output = if is_answer { without_hints(&reply.output) } else { reply.output };
        let text = (self.redact)(&output);
        let observations = if is_answer { observations_of(tool.name, &arguments, &text) } else { Vec::new() };
        let mut observations: Vec<Observation> = observations
            .into_iter()
            .filter_map(|observation| Some(Observation { path: self.file(&observation.path)?, ..observation }))
            .collect();
        observations.dedup();
        let label = label(tool, &arguments);
        let brief = (reply.status == ReplyStatus::InvalidArguments)
            .then(|| text.split_once(&format!("\n\n{}: ", tool.name)))
            .flatten()
            .map(|(error, _)| fenced(&label, error));
        let (raw, outline) = if is_answer { self.whole(&access, tool, &arguments, &text) } else { (None, None) };
        ToolOutcome {
            content: fenced(&label, &text),
            brief,
            tool: Some(tool.name),
            kind: Kind::of_tool(tool.name),
            status: reply.status,
            outline,
            raw,
            observations,
            preview: (self.redact)(&reply.preview).into_owned(),
        }
    }

    /// For a file that was read whole: whether it is code, and what will stand for its text.
    fn whole(
        &self,
        access: &CodeAccess,
        tool: &AnyTool,
        arguments: &Value,
        text: &str,
    ) -> (Option<RawRead>, Option<String>) {
        let is_file = tool.name == "read_file";
        let is_raw = is_file && arguments.get("raw") == Some(&Value::Bool(true));
        let is_whole = tool.name == "read_lines" && spans_file(arguments, text);
        let path = arguments.get("path").and_then(Value::as_str);
        let (Some(path), Some(outline)) = (path.filter(|_| is_file || is_whole), by_name("outline")) else {
            return (None, None);
        };
        let Ok(file) = access.read(path) else { return (None, None) };
        let Some(language) = language::of_file(file.name(), &file.text) else { return (None, None) };
        let ask = |most| outline.call_within(access, serde_json::json!({ "path": path }), most);
        let is_code = language.tier != Tier::Document;
        let raw = (is_code && (is_raw || is_whole)).then(|| {
            let price = peelback_tokens::estimate(&ask(tokens_of("outline")).output);
            RawRead { path: file.path.clone(), price }
        });
        let summary = is_file.then(|| ask(SUMMARY_TOKENS)).filter(|reply| reply.status == ReplyStatus::Found);
        let summary = summary.map(|reply| fenced(&format!("outline {}", file.path), &(self.redact)(&reply.output)));
        (raw, summary)
    }
}

impl ToolOutcome {
    /// An answer of the agent itself.
    pub fn refused(name: &str, text: &str) -> Self {
        Self {
            content: text.to_owned(),
            brief: None,
            tool: None,
            kind: Kind::Other,
            status: ReplyStatus::Failed(Fault::BadUsage),
            outline: None,
            raw: None,
            observations: Vec::new(),
            preview: format!("error: {name}\n"),
        }
    }
}

/// The answer to a call of a tool that does not exist.
fn unknown(name: &str) -> ToolOutcome {
    let names: Vec<&str> = tools().map(|tool| tool.name).chain([GENERATE]).collect();
    let shown: String = name.chars().filter(|c| !c.is_control()).take(60).collect();
    let near = nearest(&shown, names.iter().copied(), 1).into_iter().next();
    let meant = near.as_deref().map_or(String::new(), |near| format!(" Did you mean {near}?"));
    let error = format!("error: no tool is called {shown:?}.{meant} There are: {}.", names.join(", "));
    let docs = near.as_deref().and_then(tool_called).map(|tool| tool.documentation(DocumentationMode::Full));
    match docs {
        Some(docs) => {
            let brief = Some(error.clone());
            ToolOutcome { brief, ..ToolOutcome::refused(name, &format!("{error}\n\n{docs}")) }
        }
        None => ToolOutcome::refused(name, &error),
    }
}

/// An answer without the calls that it offers to go on with, but for the next page: the prompt has the flow, and what they
/// take would be sent again with every turn.
fn without_hints(output: &str) -> String {
    let mut out = String::with_capacity(output.len());
    let (mut in_head, mut in_calls) = (true, false);
    for line in output.split_inclusive('\n') {
        in_head &= !line.trim().is_empty();
        in_calls = line.trim_end() == "or:" || (in_calls && line.starts_with("  "));
        let is_hint = in_head && line.starts_with("hint: ");
        if !in_calls && !is_hint {
            out.push_str(line);
        }
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

/// The arguments with the agent's own caps, and the most tokens of the answer.
fn shaped(tool: &AnyTool, given: &Value) -> (Value, usize) {
    let parsed = match given {
        Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| given.clone()),
        other => other.clone(),
    };
    let Value::Object(given) = parsed else { return (parsed, tokens_of(tool.name)) };
    let mut arguments = Map::new();
    let mut most = tokens_of(tool.name);
    for (name, value) in given {
        // By its own name, as far as it has one: what fits nothing is for the tool to say.
        let known = tool.parameter_called(&name).map(|parameter| parameter.name.as_str());
        match known {
            Some(known) if NOT_OFFERED.contains(&known) => {}
            Some("max_tokens") => {
                let asked = number(&value).and_then(|tokens| usize::try_from(tokens).ok()).filter(|tokens| *tokens > 0);
                most = asked.unwrap_or(most).min(MOST_TOKENS);
            }
            Some(known) if !arguments.contains_key(known) => {
                arguments.insert(known.to_owned(), value);
            }
            _ => {
                arguments.insert(name, value);
            }
        }
    }
    let searches = Kind::of_tool(tool.name) == Kind::Search;
    if searches && arguments.get("limit").is_none_or(|limit| number(limit).is_some_and(|limit| limit > SEARCH_LIMIT)) {
        arguments.insert("limit".to_owned(), SEARCH_LIMIT.into());
    }
    let has = |name: &str| arguments.contains_key(name);
    if tool.name == "grep" && !["context", "before", "after", "files"].into_iter().any(has) {
        arguments.insert("context".to_owned(), CONTEXT_LINES.into());
    }
    if tool.name == "read_file" {
        // The bound of characters is that of an answer without all detail.
        arguments.shift_remove("detail_level");
        if let Some(raw @ Value::String(_)) = arguments.get_mut("raw") {
            let is_true = raw.as_str().is_some_and(|text| text.eq_ignore_ascii_case("true"));
            *raw = Value::Bool(is_true);
        }
    }
    (Value::Object(arguments), most)
}

fn number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
}

/// Whether a call of `read_lines` asked for a whole file: without a range, or for the first to the last line.
fn spans_file(arguments: &Value, text: &str) -> bool {
    const FIRST: [&str; 4] = ["start", "start_line", "line_start", "from_line"];
    const LAST: [&str; 4] = ["end", "end_line", "line_end", "to_line"];
    let has = |name: &&str| arguments.get(*name).is_some();
    let path = arguments.get("path").and_then(Value::as_str).unwrap_or("");
    let in_path = path.rsplit_once(':').is_some_and(|(_, lines)| lines.starts_with(|c: char| c.is_ascii_digit()));
    if !has(&"ranges") && !in_path && !FIRST.iter().chain(&LAST).any(has) {
        return true;
    }
    // `src/a.rs: lines 1-224 of 224`.
    let verdict = text.lines().next().unwrap_or("");
    verdict.rsplit_once(": lines ").and_then(|(_, lines)| lines.split_once(" of ")).is_some_and(|(shown, of)| {
        let of = of.replace(',', "");
        shown.strip_prefix("1-").is_some_and(|last| last == of)
    })
}

/// A call in a few words: the tool and what it is about.
pub(super) fn label(tool: &AnyTool, arguments: &Value) -> String {
    const ABOUT: [&str; 5] = ["query", "pattern", "name", "path", "scope"];
    let text = |name: &&str| match arguments.get(*name)? {
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => items.first()?.as_str().map(str::to_owned),
        _ => None,
    };
    match ABOUT.iter().find_map(text) {
        Some(about) => format!("{} {about}", tool.name),
        None => tool.name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use peelback_tools::by_name;
    use serde_json::json;

    use super::{shaped, spans_file};

    #[test]
    fn calls_get_the_agents_caps() {
        let shaped = |tool: &str, given| shaped(by_name(tool).expect("a tool"), &given);
        let (arguments, _) = shaped("find_files", json!({ "query": "x", "max_results": 90, "root": "/etc" }));
        assert_eq!(arguments, json!({ "query": "x", "limit": 15 }));
        let (arguments, _) = shaped("grep_in_files", json!({ "pattern": "x", "path": "src" }));
        assert_eq!(arguments, json!({ "pattern": "x", "scope": "src", "limit": 15, "context": 1 }));
        let (arguments, _) = shaped("grep", json!({ "pattern": "x", "limit": "3", "-A": 4 }));
        assert_eq!(arguments, json!({ "pattern": "x", "limit": "3", "after": 4 }));
        let (arguments, most) =
            shaped("read_file", json!("{\"filePath\": \"a\", \"raw\": \"true\", \"max_tokens\": 90000}"));
        assert_eq!((arguments, most), (json!({ "path": "a", "raw": true }), 2_000));
        assert_eq!(shaped("outline", json!({ "path": "a", "max_tokens": 900 })).1, 900);
        // What is no object is for the tool to refuse.
        assert_eq!(shaped("outline", json!("src")).0, json!("src"));
    }

    #[test]
    fn a_whole_file_is_known_by_call_or_answer() {
        assert!(spans_file(&json!({ "path": "a.rs" }), ""));
        assert!(spans_file(&json!({ "path": "a.rs", "ranges": ["1-"] }), "a.rs: lines 1-1224 of 1,224\n"));
        assert!(!spans_file(&json!({ "path": "a.rs", "ranges": ["1-20"] }), "a.rs: lines 1-20 of 224\n"));
        assert!(!spans_file(&json!({ "path": "a.rs:3-9" }), "a.rs: lines 3-9 of 224\n"));
    }
}
