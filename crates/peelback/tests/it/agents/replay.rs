//! Scripted sessions of an agent, replayed with each tier of docs: a fix, a refactoring, recovery from a wrong call, a
//! long session. The agent knows only what it was shown: where the docs it has do not name a parameter, it guesses as
//! models do, and after an error it calls again with what the error teaches.

use peelback_tools::{DocumentationMode, ReplyStatus, all_tools, tool_by_name_or_alias};
use serde_json::{Map, Value, json};

use crate::agents::{call_of_model, repository, tokens};

/// A call as the agent means it: the parameter by its own name, and the name that it would guess without docs.
struct Step {
    tool: &'static str,
    arguments: Vec<(&'static str, &'static str, Value)>,
}

fn step(tool: &'static str, arguments: &[(&'static str, &'static str, Value)]) -> Step {
    Step { tool, arguments: arguments.to_vec() }
}

/// What a session cost.
#[derive(Debug, Default)]
struct Cost {
    calls: usize,
    failures: usize,
    docs_tokens: usize,
    answer_tokens: usize,
}

/// An agent that has been shown the docs of one tier.
struct Agent {
    mode: DocumentationMode,
    /// Docs that errors showed, by tool.
    learned: Vec<(&'static str, String)>,
    cost: Cost,
}

impl Agent {
    fn knows(&self, tool: &'static str, parameter: &str) -> bool {
        let declared = tool_by_name_or_alias(tool).expect("a tool").tool_declaration(self.mode).input_schema;
        let in_docs = declared["properties"].get(parameter).is_some();
        in_docs || self.learned.iter().any(|(name, docs)| *name == tool && docs.contains(&format!("  {parameter} (")))
    }

    fn take(&mut self, step: &Step) {
        for attempt in 1.. {
            assert!(attempt <= 2, "{} fails twice in {:?} mode", step.tool, self.mode);
            let arguments: Map<String, Value> = step
                .arguments
                .iter()
                .map(|(name, guess, value)| {
                    let name = if self.knows(step.tool, name) { name } else { guess };
                    ((*name).to_owned(), value.clone())
                })
                .collect();
            let reply = call_of_model(&repository(), step.tool, Value::Object(arguments));
            self.cost.calls += 1;
            self.cost.answer_tokens += tokens(&reply.formatted_output());
            match reply.status {
                ReplyStatus::InvalidArguments { .. } => {
                    self.cost.failures += 1;
                    self.learned.push((step.tool, reply.formatted_output()));
                }
                status => {
                    assert!(
                        matches!(status, ReplyStatus::Found | ReplyStatus::Empty),
                        "{}: {}",
                        step.tool,
                        reply.formatted_output()
                    );
                    return;
                }
            }
        }
    }

    /// Replays a session: the list of tools is sent with every request.
    fn replay(mode: DocumentationMode, steps: &[Step]) -> Cost {
        let list: usize = all_tools()
            .iter()
            .map(|tool| tokens(&serde_json::to_string(&tool.tool_declaration(mode)).expect("JSON")))
            .sum();
        let mut agent = Self { mode, learned: Vec::new(), cost: Cost::default() };
        steps.iter().for_each(|step| agent.take(step));
        agent.cost.docs_tokens = list * agent.cost.calls;
        agent.cost
    }
}

const CODE: &str = "crates/peelback-tools/src";

fn fix() -> Vec<Step> {
    vec![
        step("find_files", &[("query", "query", json!("budget of an answer"))]),
        step("outline", &[("path", "path", json!("crates/peelback-tools/src/output_guard.rs"))]),
        step("read_symbol", &[("name", "name", json!("PagePlan.omitted_rows_summary_after"))]),
        step(
            "read_lines",
            &[
                ("path", "path", json!("crates/peelback-tools/src/output_guard.rs")),
                ("ranges", "ranges", json!(["1-20"])),
            ],
        ),
    ]
}

fn refactoring() -> Vec<Step> {
    vec![
        step("tree", &[("path", "path", json!("crates")), ("depth", "max_depth", json!(2))]),
        step("find_symbols", &[("name", "name", json!("AnswerPayload")), ("kind", "symbol_kind", json!("interface"))]),
        step(
            "grep",
            &[
                ("pattern", "pattern", json!("impl AnswerPayload")),
                ("scope", "scope", json!([CODE])),
                ("context", "lines_around", json!(1)),
            ],
        ),
        step(
            "grep",
            &[
                ("pattern", "pattern", json!("fn remove_least_valuable_detail")),
                ("glob", "file_glob", json!(["*.rs"])),
                ("context", "lines_around", json!(1)),
            ],
        ),
        step("read_symbol", &[("name", "name", json!("Answer.fit_to_budget"))]),
        step("outline", &[("path", "path", json!(CODE)), ("kind", "symbol_kind", json!("trait"))]),
    ]
}

/// Calls made wrong after reading the minimal docs.
fn recovery() -> Vec<Step> {
    vec![
        step("grep", &[("pattern", "pattern", json!("TODO")), ("ignore_case", "nocase", json!(true))]),
        step("read_file", &[("path", "path", json!("Cargo.toml")), ("raw", "as_text", json!(true))]),
        step("find_symbols", &[("name", "name", json!("Budget")), ("match", "how", json!("exact"))]),
    ]
}

fn long() -> Vec<Step> {
    let mut steps = Vec::new();
    for _ in 0..4 {
        steps.extend(fix());
        steps.extend(refactoring());
    }
    steps
}

#[test]
fn sessions_cost_less_with_smaller_docs_and_fail_no_more() {
    let sessions = [("fix", fix()), ("refactoring", refactoring()), ("recovery", recovery()), ("long", long())];
    for (name, steps) in sessions {
        let [minimal, progressive, full] = DocumentationMode::ALL.map(|mode| Agent::replay(mode, &steps));
        for (mode, cost) in DocumentationMode::ALL.iter().zip([&minimal, &progressive, &full]) {
            println!("{name} {}: {cost:?}", mode.as_str());
        }
        assert_eq!(full.failures + progressive.failures, 0, "{name}: their docs name every parameter");
        assert!(progressive.calls == full.calls);
        // A wrong guess costs one more call for each tool, once: the docs in the error are remembered.
        assert!(minimal.failures <= 5, "{name}: {minimal:?}");
        assert!(progressive.docs_tokens * 10 <= full.docs_tokens * 4, "{name}: {progressive:?} against {full:?}");
        let whole = |cost: &Cost| cost.docs_tokens + cost.answer_tokens;
        assert!(whole(&minimal) < whole(&full), "{name}: {minimal:?} against {full:?}");
        if name == "recovery" {
            assert_eq!(minimal.failures, steps.len(), "each was wrong once, and right on the second try");
        }
        if name == "long" {
            assert!(minimal.calls * 10 <= full.calls * 11 + 30, "{minimal:?}");
        }
    }
}
