//! Checks of the list of tools as a host receives it, and of the tokens that the tools' answers cost.

use std::time::{Duration, Instant};

use peelback_code::{CancellationToken, CodeAccess, Project};
use peelback_tools::{
    AlternativeCall, AnyTool, DocumentationMode, Format, MAX_ANSWER_BYTES, OmittedRows, OutputOptions, ReplyStatus,
    RequiredService, all_tools,
};
use serde_json::{Value, json};

use super::report::{Finding, Level};
use crate::commands::docs::ToolList;
use crate::config::{Settings, SystemPromptMode};
use crate::serve;

/// The number of characters after which hosts cut the description of a tool and the instructions of a server.
const MAX_SHOWN_CHARS: usize = 2_000;

/// Checks whether a host shows the server's instructions whole, and reports how many tokens they cost.
pub(super) fn check_server_instructions_length(mode: SystemPromptMode) -> Finding {
    let text = serve::mcp_server_instructions(mode);
    let (chars, tokens) = (text.chars().count(), peelback_tokens::count_tokens(text));
    let level = if chars > MAX_SHOWN_CHARS { Level::Problem } else { Level::Ok };
    let finding = Finding::new(
        level,
        "instructions",
        format!("{chars} of the {MAX_SHOWN_CHARS} characters that hosts show, {tokens} tokens"),
    );
    if level == Level::Ok {
        finding
    } else {
        finding.with_advice("choose the shorter ones: system_prompt_mode = \"minimal\"")
    }
}

/// Reports how many tokens the list of tools costs in each documentation mode, and checks whether hosts show the
/// description of every tool whole.
pub(super) fn check_tool_declaration_sizes(chosen: DocumentationMode) -> Vec<Finding> {
    let lists = DocumentationMode::ALL.map(ToolList::for_documentation_mode);
    let mut findings = Vec::new();
    let totals: Vec<String> =
        lists.iter().map(|list| format!("{} {}", list.mode.as_str(), list.total_tokens())).collect();
    let rows = all_tools().iter().enumerate().map(|(index, tool)| {
        let token_counts: Vec<String> =
            lists.iter().filter_map(|list| Some(list.tools.get(index)?.1.to_string())).collect();
        format!("{}: {}", tool.name, token_counts.join(", "))
    });
    let data = lists.iter().map(|list| {
        let tools: Vec<Value> =
            list.tools.iter().map(|(tool, tokens)| json!({ "name": tool.name, "tokens": tokens })).collect();
        json!({ "mode": list.mode.as_str(), "total_tokens": list.total_tokens(), "average_tokens": list.average_tokens_per_tool(), "tools": tools })
    });
    findings.push(
        Finding::new(
            Level::Ok,
            "tools",
            format!(
                "{} tools; tokens of their documentation: {} (in use: {})",
                all_tools().len(),
                totals.join(", "),
                chosen.as_str()
            ),
        )
        .with_detail_rows(rows)
        .with_data(data.collect()),
    );
    let longest = lists
        .iter()
        .flat_map(|list| list.tools.iter().map(|(tool, _)| (tool.description.chars().count(), tool.name, list.mode)));
    let mut longest_description = (0, "", DocumentationMode::Minimal);
    for (chars, name, mode) in longest {
        findings.extend(check_text_fits_mcp_host_limit(
            "descriptions",
            &format!("the {} description of {name}", mode.as_str()),
            chars,
        ));
        if chars > longest_description.0 {
            longest_description = (chars, name, mode);
        }
    }
    if findings.len() == 1 {
        let (chars, name, mode) = longest_description;
        let message =
            format!("the longest, of {name} in {} docs, has {chars} of {MAX_SHOWN_CHARS} characters", mode.as_str());
        findings.push(Finding::new(Level::Ok, "descriptions", message));
    }
    findings
}

/// A finding on a text that a host would cut before it shows the text to a model; `None` where the text is short
/// enough.
fn check_text_fits_mcp_host_limit(check: &'static str, what: &str, chars: usize) -> Option<Finding> {
    (chars > MAX_SHOWN_CHARS).then(|| {
        let message = format!("{what} has {chars} characters: hosts cut it after {MAX_SHOWN_CHARS}");
        Finding::new(Level::Problem, check, message)
            .with_advice("choose a smaller tool_documentation_mode: peelback docs --mode minimal")
    })
}

/// Calls the tools that need no argument on this project, and reports how many tokens their answers cost.
pub(super) fn check_tool_answer_sizes_without_arguments(project: &Project, settings: &Settings) -> Vec<Finding> {
    // A tool that has documents written is sized by its call, and may ask a model.
    let tools_without_required_arguments = all_tools().iter().filter(|tool| {
        tool.parameters().iter().all(|parameter| !parameter.is_required)
            && !tool.requires_service(RequiredService::DocumentGenerator)
    });
    tools_without_required_arguments
        .map(|tool| check_tool_answer_size_without_arguments(tool, project, settings))
        .collect()
}

fn check_tool_answer_size_without_arguments(tool: &'static AnyTool, project: &Project, settings: &Settings) -> Finding {
    let max_tokens = settings.max_answer_tokens.value;
    let call = |arguments: Value| {
        let deadline = Instant::now() + Duration::from_secs(settings.deadline_seconds.value);
        let access = CodeAccess::new(project.clone().with_cancellation(CancellationToken::with_deadline(deadline)));
        tool.run_call_of_model(&access, arguments, usize::try_from(max_tokens).unwrap_or(usize::MAX))
    };
    let start = Instant::now();
    let reply = call(json!({}));
    let text = reply.formatted_output();
    let milliseconds = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    let tokens = peelback_tokens::count_tokens(&text);
    // The reported numbers of rows are those of the answer as JSON, which is longer than as text and shows fewer rows.
    let as_json = call(json!({ "format": Format::Json }));
    let overflow = as_json.omitted_rows_summary();
    let data = json!({
        "tool": tool.name,
        "tokens": tokens,
        "chars": text.chars().count(),
        "shown": overflow.as_ref().map(|overflow| overflow.shown),
        "total": overflow.as_ref().map(|overflow| overflow.total),
        "milliseconds": milliseconds,
    });
    let new_finding = |level, message: String| Finding::new(level, "answers", message).with_data(data.clone());
    if let ReplyStatus::Failed(_) | ReplyStatus::InvalidArguments { .. } = reply.status {
        let reason = text.lines().next().unwrap_or("").trim_start_matches("error: ").to_owned();
        return new_finding(Level::Note, format!("{} without arguments: {reason}", tool.name));
    }
    if tokens as u64 > max_tokens || text.len() > MAX_ANSWER_BYTES {
        return new_finding(
            Level::Problem,
            format!("{}: {tokens} tokens, over the ceiling of {max_tokens}", tool.name),
        )
        .with_advice("raise server.max_answer_tokens: no answer is that small");
    }
    let Some(OmittedRows { shown, total, alternatives, .. }) = overflow else {
        return new_finding(Level::Ok, format!("{}: {tokens} tokens, whole", tool.name));
    };
    let overflows = new_finding(Level::Note, format!("{}: {tokens} tokens, {shown} of {total} rows", tool.name));
    match alternatives.into_iter().next() {
        Some(AlternativeCall { call, result_description: gives }) => {
            let command = as_json.format_call(&call.without_argument(OutputOptions::FORMAT));
            overflows.with_advice(format!("the next call of an agent: {command}  ({gives})"))
        }
        None => overflows,
    }
}
