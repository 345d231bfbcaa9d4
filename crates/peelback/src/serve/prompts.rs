//! The prompts that the MCP server offers, which teach the use of the tools, and completions of the arguments of
//! prompts and resources.

use std::collections::BTreeSet;

use peelback_code::Project;
use peelback_tools::{MAX_TEXT_CHARS, all_tools};
use rmcp::ErrorData;
use rmcp::model::{
    CompleteRequestParams, GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage, Reference,
    Role,
};

use super::reference::TOOL_URI_TEMPLATE;

const EXPLORE_PROMPT: &str = "explore";
const ANSWER_PROMPT: &str = "answer";

/// The limit on the bytes of a text that is completed: those of the longest text that a tool takes.
const MAX_TYPED_BYTES: usize = 4 * MAX_TEXT_CHARS;

/// The limit on the values that one completion suggests.
const MAX_COMPLETION_VALUES: usize = 100;

/// All prompts that the MCP server offers.
pub(super) fn all_mcp_prompts() -> Vec<Prompt> {
    let area = PromptArgument::new("area")
        .with_description("A folder or a subject; the whole project by default")
        .with_required(false);
    let question = PromptArgument::new("question").with_description("What you want to know").with_required(true);
    vec![
        Prompt::new(EXPLORE_PROMPT, Some("Get to know a project, or a part of it, at little cost"), Some(vec![area]))
            .with_title("Explore the code"),
        Prompt::new(
            ANSWER_PROMPT,
            Some("Answer a question about the code, with the lines that show it"),
            Some(vec![question]),
        )
        .with_title("Answer from the code"),
    ]
}

/// The messages of the prompt that a client requests.
pub(super) fn mcp_prompt_messages(request: &GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
    let argument = |name: &str| {
        let value = request.arguments.as_ref()?.get(name)?.as_str()?.trim();
        (!value.is_empty()).then_some(value)
    };
    let (about, text) = match request.name.as_str() {
        EXPLORE_PROMPT => {
            let area = argument("area");
            let subject = area.map_or("this project".to_owned(), |area| format!("this part of the project: {area}"));
            let first_step = match area {
                None => "Call tree with depth 2 for the map.".to_owned(),
                Some(area) => format!(
                    "If {area:?} is a folder, call tree with it as path; else call find_files with it as query and continue \
                     with the folders at the top."
                ),
            };
            (
                "Explores the code from the map inward.",
                format!(
                    "Get to know {subject}. Read as little as answers.\n\n1. {first_step}\n2. Call outline on the folders or \
                     files that seem central: signatures, no bodies.\n3. Call read_symbol on the two or three \
                     symbols that everything else depends on; read_lines where you need exact lines. Leave whole files \
                     alone.\n4. grep the names of those symbols to see who uses them.\n\nWhere an answer shows less than \
                     it found, take a call from its hint. Then say in a few paragraphs what the parts are, how they \
                     work together, and where a reader should begin, each with path:line."
                ),
            )
        }
        ANSWER_PROMPT => {
            let question = argument("question").ok_or_else(|| {
                ErrorData::invalid_params("the prompt answer needs the argument question: what you want to know", None)
            })?;
            (
                "Answers a question from the code, with evidence.",
                format!(
                    "Answer this question from the code of this project:\n\n{question}\n\n1. Call search with the \
                     question as query, find_files for whole files; grep or find_symbols where it names something.\n2. Call \
                     outline on the files at the top.\n3. Call read_symbol on the symbols that decide the question; read_lines for exact \
                     lines. A whole file is the last resort.\n4. grep the names of those symbols where it matters who \
                     uses them.\n\nWhere an answer shows less than it found, take a call from its hint. Where its \
                     evidence is lower_bound, do not conclude that something is absent. Give the answer first, then the \
                     lines that show it as path:line, then what you did not check."
                ),
            )
        }
        other => {
            return Err(ErrorData::invalid_params(
                format!("there is no prompt {other}: the prompts are {EXPLORE_PROMPT} and {ANSWER_PROMPT}"),
                None,
            ));
        }
    };
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).with_description(about))
}

/// Values for an argument of a prompt or a resource, given the beginning that the client has typed. Completing a folder
/// reads one folder of the project.
pub(super) fn prompt_or_resource_argument_completions(
    request: &CompleteRequestParams,
    project: Option<&Project>,
) -> Vec<String> {
    let typed = request.argument.value.as_str();
    // Nothing begins with a longer text, and looking for it costs time.
    if typed.len() > MAX_TYPED_BYTES {
        return Vec::new();
    }
    let mut values = match &request.r#ref {
        Reference::Resource(template) if template.uri == TOOL_URI_TEMPLATE && request.argument.name == "name" => {
            let names = all_tools().iter().flat_map(|tool| std::iter::once(&tool.name).chain(tool.aliases));
            names.filter(|name| name.starts_with(typed)).map(|name| (*name).to_owned()).collect()
        }
        Reference::Prompt(prompt) if prompt.name == EXPLORE_PROMPT && request.argument.name == "area" => {
            project.map(|project| project_folder_completions(project, typed)).unwrap_or_default()
        }
        _ => Vec::new(),
    };
    values.truncate(MAX_COMPLETION_VALUES);
    values
}

/// Folders of the project whose path begins with `typed`, one level below the last complete folder in `typed`.
fn project_folder_completions(project: &Project, typed: &str) -> Vec<String> {
    let (parent, name_start) = typed.rsplit_once('/').unwrap_or(("", typed));
    let Ok(parent) = project.require_entry(if parent.is_empty() { "." } else { parent }) else { return Vec::new() };
    let prefix = if parent.path.is_empty() { String::new() } else { format!("{}/", parent.path) };
    let folder_paths: BTreeSet<String> = project
        .names_of_folders_in(&parent)
        .into_iter()
        .filter(|name| name.starts_with(name_start) && !name.starts_with('.'))
        .map(|name| format!("{prefix}{name}"))
        .collect();
    folder_paths.into_iter().collect()
}

/// The names of tools in a text: words with an underscore, and the tools whose name is one word.
#[cfg(test)]
pub(super) fn tool_names_in_text(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let is_tool = |word: &&str| word.contains('_') || peelback_tools::all_tools().iter().any(|tool| tool.name == *word);
    words.filter(is_tool).collect()
}

#[cfg(test)]
mod tests {
    use peelback_tools::tool_by_name_or_alias;
    use rmcp::model::{GetPromptRequestParams, Prompt};
    use serde_json::{Value, json};

    use super::{all_mcp_prompts, mcp_prompt_messages, tool_names_in_text};

    /// Words with an underscore in the prompts that are not names of tools.
    const OTHER_WORDS: &[&str] = &["lower_bound"];

    fn request(prompt: &Prompt) -> GetPromptRequestParams {
        let arguments = json!({ "area": "src", "question": "how?" });
        serde_json::from_value(json!({ "name": prompt.name, "arguments": arguments })).expect("a request")
    }

    #[test]
    fn each_prompt_names_tools_that_exist() {
        for prompt in all_mcp_prompts() {
            let text =
                serde_json::to_value(mcp_prompt_messages(&request(&prompt)).expect("a prompt").messages).expect("JSON");
            let text = text[0]["content"]["text"].as_str().expect("a text").to_owned();
            let named = tool_names_in_text(&text);
            assert!(named.len() >= 4, "{named:?}");
            for name in named {
                assert!(
                    tool_by_name_or_alias(name).is_some() || OTHER_WORDS.contains(&name),
                    "{name} in {}",
                    prompt.name
                );
            }
        }
    }

    #[test]
    fn a_question_is_needed() {
        let request = serde_json::from_value(json!({ "name": "answer", "arguments": Value::Null })).expect("a request");
        assert!(mcp_prompt_messages(&request).is_err_and(|error| error.message.contains("question")));
    }
}
