//! Calls of the tools on a small project: arguments of every kind, and budgets.
//!
//! The first byte of an input is the tool. What follows is a JSON text, or, where it is none, a list of parameters with
//! their values.

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use peelback_code::{CodeAccess, FactsStore, Project};
use peelback_tools::{AnyTool, MAX_ANSWER_BYTES, MAX_ANSWER_TOKENS, Reply, ReplyStatus, all_tools};
use serde_json::{Map, Value};

use crate::fixtures;
use crate::input::{Input, is_sampled, joined};

/// The project that all calls are about. It does not change.
static ROOT: LazyLock<PathBuf> = LazyLock::new(|| {
    let root = fixtures::new_folder("tools");
    for (language, folder) in [
        ("python", "app"),
        ("rust", "src"),
        ("typescript", "web"),
        ("c", "native"),
        ("markdown", "docs"),
        ("json", "."),
    ] {
        // Two files are more than the largest budgets have room for.
        let files = fixtures::language_files(language).into_iter();
        for (path, text) in files
            .filter(|(path, _)| WORDS.contains(&&*format!("{folder}/{path}")))
            .chain(fixtures::language_files(language).into_iter().min_by_key(|(_, text)| text.len()))
        {
            fixtures::write_file(&root, &format!("{folder}/{path}"), text);
        }
    }
    fixtures::write_file(&root, "empty.py", "");
    fixtures::write_file(&root, "binary.bin", [0, 159, 146, 150, 0, 1, 2]);
    fixtures::write_file(&root, "windows.py", "\u{feff}def one():\r\n    pass\r\n\r\ndef two():\r\n    one()\r\n");
    fixtures::write_file(&root, "long.js", format!("const x = [{}];\nfunction f() {{}}\n", "1,".repeat(3_000)));
    fixtures::write_file(&root, "name with\nbreak é.py", "def odd(): pass\n");
    fixtures::write_file(&root, ".gitignore", "ignored/\n");
    fixtures::write_file(&root, "ignored/secret.py", "KEY = 1\n");
    root
});

static STORE: LazyLock<Arc<FactsStore>> = LazyLock::new(|| Arc::new(FactsStore::default().for_long_lived_process()));

/// Values that mean something in the project, and some that only look so.
const WORDS: &[&str] = &[
    "app/modern.py",
    "app",
    "src/shapes.rs",
    "web/types.ts",
    "native/shapes.c",
    "docs/guide.md",
    ".",
    "",
    "..",
    "/",
    "/etc/passwd",
    "empty.py",
    "binary.bin",
    "windows.py",
    "long.js",
    "ignored/secret.py",
    "*.py",
    "**/*.rs",
    "{app,src}/**",
    "[!a]*",
    "name",
    "Shape",
    "Shape.area",
    "main",
    "area",
    "*a*",
    "a|b",
    "(?i)shape",
    "(",
    "[a-z]+",
    "\\b\\w+\\b",
    "function",
    "class",
    "json",
    "text",
    "full",
    "exploring",
    "incoming",
    "outgoing",
    "both",
    "callers",
    "uses",
    "implementations",
    "resolved",
    "exact",
    "regex",
    "glob",
    "1-5",
    "app/modern.py:3-9",
    "src/shapes.rs:10",
    "5",
    "-1",
    "0",
    "18446744073709551615",
    "true",
    "how does the shape get its area",
    "x@3",
    "x@3:2",
    "read_file",
    "tests",
    "exclude",
    "only",
    "dot",
    "mermaid",
    "Install/Linux",
    "é",
    "\u{202e}",
    "\u{1b}[31m",
    "a\nb",
];

pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (index, tool) in (0..).zip(all_tools()) {
        let object = |value: &str| {
            let parameters = tool.parameters().iter().filter(|parameter| parameter.is_required);
            let fields = parameters.map(|parameter| (parameter.name.clone(), Value::from(value)));
            Value::Object(fields.collect()).to_string()
        };
        for word in ["", "app/modern.py", "Shape", "shape area"] {
            seeds.push(joined(&[&[index], object(word).as_bytes()]));
        }
        // Each parameter with several values of the list.
        for parameter in 0..u8::try_from(tool.parameters().len()).expect("few parameters") {
            for value in 0..5 {
                seeds.push(vec![index, 0xff, 2, 0, 0, 1, parameter, value % 4, value.wrapping_mul(11)]);
            }
        }
    }
    seeds
}

pub fn budget_seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for tool in 0..u8::try_from(all_tools().len()).expect("few tools") {
        for number in 0..12_u8 {
            let value = number.wrapping_mul(29);
            seeds.push(vec![tool, number, value, 0, value, 0, number, number, number, 2, 0, 7, value, 1, 7, number]);
        }
    }
    seeds
}

/// The tool and the arguments of an input.
fn call_of_input(data: &[u8]) -> Option<(&'static AnyTool, Value)> {
    let mut input = Input(data);
    let tool = input.choose(all_tools())?;
    if let Ok(value) = serde_json::from_slice(input.0) {
        return Some((tool, value));
    }
    // No JSON begins with this byte.
    input.byte();
    Some((tool, Value::Object(listed_arguments(tool, &mut input))))
}

fn listed_arguments(tool: &AnyTool, input: &mut Input<'_>) -> Map<String, Value> {
    let mut arguments = Map::new();
    for _ in 0..input.byte() % 8 {
        if input.is_empty() {
            break;
        }
        let Some(parameter) = input.choose(tool.parameters()) else { break };
        let value = value(input, &parameter.choices, 2);
        arguments.insert(parameter.name.clone(), value);
    }
    arguments
}

fn value(input: &mut Input<'_>, choices: &[String], depth: usize) -> Value {
    match input.byte() % 8 {
        0 => input.choose(choices).cloned().map_or_else(|| word(input), Value::from),
        1 => Value::from(input.byte().is_multiple_of(2)),
        2 => Value::from(input.byte()),
        3 => word(input),
        4 => Value::from(input.short_text()),
        5 if depth > 0 => (0..input.byte() % 5).map(|_| value(input, choices, depth - 1)).collect(),
        6 => Value::from(i64::from(input.byte()) << (input.byte() % 63)),
        _ => word(input),
    }
}

fn word(input: &mut Input<'_>) -> Value {
    input.choose(WORDS).copied().into()
}

static PROJECT: LazyLock<Project> =
    LazyLock::new(|| Project::discover_with_working_folder(&ROOT, Some(&ROOT), None).expect("a project"));

fn access() -> CodeAccess {
    CodeAccess::new(PROJECT.clone()).with_facts_store(STORE.clone())
}

/// What holds for the answer to any call.
fn check(tool: &AnyTool, arguments: &Value, reply: &Reply) -> String {
    let output = reply.formatted_output();
    assert!(output.ends_with('\n'), "{} {arguments}: {output:?}", tool.name);
    // Of source code, line ends stay as they are.
    let is_escaped = output.replace("\r\n", "\n").chars().all(|c| !c.is_control() || matches!(c, '\n' | '\t'));
    assert!(is_escaped, "{} {arguments}: {output:?}", tool.name);
    if arguments.get("format").is_some_and(|format| format == "json") {
        let parsed: Result<Value, _> = serde_json::from_str(&output);
        assert!(parsed.is_ok(), "{} {arguments}: {output}", tool.name);
    }
    let _ = (reply.preview.len(), reply.shown_locations(), reply.text_without_hints_and_alternatives());
    output
}

pub fn run(data: &[u8]) {
    let Some((tool, arguments)) = call_of_input(data) else { return };
    let access = access();
    let reply = tool.run_call_of_model(&access, arguments.clone(), MAX_ANSWER_TOKENS);
    let output = check(tool, &arguments, &reply);
    let tokens = peelback_tokens::estimate_tokens(&output);
    assert!(
        output.len() <= MAX_ANSWER_BYTES && tokens <= MAX_ANSWER_TOKENS,
        "{} {arguments}: {} bytes, {tokens} tokens",
        tool.name,
        output.len()
    );
    // The calls that an answer names work.
    let guided = is_sampled(data, 4).then(|| reply.guidance()).flatten();
    for call in guided.into_iter().flat_map(|guidance| guidance.message().calls()) {
        let next = peelback_tools::tool_by_name_or_alias(call.tool_name()).expect("a tool");
        let arguments = Value::Object(call.arguments().clone());
        let next_reply = next.run_call(&access, arguments.clone());
        // Of several values that no tool takes, an error names the first, and the call in it may repeat another.
        let is_invalid = |status: ReplyStatus| matches!(status, ReplyStatus::InvalidArguments { .. });
        let is_next_error =
            is_invalid(reply.status) && output.lines().next() != next_reply.formatted_output().lines().next();
        assert!(!is_invalid(next_reply.status) || is_next_error, "{} {arguments}: {next_reply:?}", next.name);
    }
    if is_sampled(data, 64) {
        let project = Project::discover_with_working_folder(&ROOT, Some(&ROOT), None).expect("a project");
        let again = tool.run_call_of_model(&CodeAccess::new(project), arguments.clone(), MAX_ANSWER_TOKENS);
        assert_eq!(output, again.formatted_output(), "{} {arguments}", tool.name);
    }
}

/// An answer stays inside the budget that its call asks for; totals are of the whole result, whatever the page is; and a
/// larger budget never shows fewer rows or levels.
pub fn run_budget(data: &[u8]) {
    let mut input = Input(data);
    let Some(tool) = input.choose(all_tools()) else { return };
    let budget = 50 + input.index(3_000);
    let page: Vec<(&str, Value)> = vec![
        ("limit", Value::from(1 + input.index(300))),
        ("offset", Value::from(input.index(300))),
        ("detail_level", Value::from(if input.byte().is_multiple_of(2) { "exploring" } else { "full" })),
    ];
    let pages = input.byte();
    let mut arguments = listed_arguments(tool, &mut input);
    arguments.retain(|name, _| !matches!(name.as_str(), "limit" | "offset" | "max_tokens" | "detail_level" | "format"));
    let access = access();
    let ask = |budget: usize, format: &str| {
        let mut arguments = arguments.clone();
        let is_known = |name: &str| tool.parameters().iter().any(|parameter| parameter.name == name);
        for (index, (name, value)) in page.iter().enumerate() {
            if pages >> index & 1 == 1 && is_known(name) {
                arguments.insert((*name).to_owned(), value.clone());
            }
        }
        arguments.insert("max_tokens".to_owned(), budget.into());
        if is_known("format") {
            arguments.insert("format".to_owned(), format.into());
        }
        let arguments = Value::Object(arguments);
        let reply = tool.run_call(&access, arguments.clone());
        let output = check(tool, &arguments, &reply);
        let tokens = peelback_tokens::estimate_tokens(&output);
        assert!(tokens <= budget, "{} {arguments}: {tokens} tokens of {budget}:\n{output}", tool.name);
        output
    };
    if is_sampled(data, 4) {
        ask(budget, "text");
    }
    let small: Value = serde_json::from_str(&ask(budget, "json")).expect("JSON");
    let large: Value = serde_json::from_str(&ask(budget + 1_500, "json")).expect("JSON");
    let of_both = |name: &str| Some((small.get(name)?.as_u64()?, large.get(name)?.as_u64()?));
    // A tree shows the levels that there is room for; its rows are those down to the level that it names.
    if let Some((before, after)) = of_both("depth") {
        assert!(before <= after, "{} {arguments:?}: {before} levels in {budget}, {after} in more", tool.name);
    }
    let total = (small.get("depth") == large.get("depth")).then_some("total");
    for name in ["files", "folders", "lines"].into_iter().chain(total) {
        if let Some((before, after)) = of_both(name) {
            assert_eq!(before, after, "{} {arguments:?}: {name}", tool.name);
        }
    }
    if let Some((before, after)) = of_both("shown") {
        assert!(
            before <= after,
            "{} {arguments:?} {page:?} {pages}: {before} rows in {budget}, {after} in more",
            tool.name
        );
    }
}
