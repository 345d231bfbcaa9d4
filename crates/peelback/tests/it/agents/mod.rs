//! What an agent relies on: answers that fit and lead on, errors that teach the call that works, docs that stay small.

mod dependencies;
mod docs;
mod errors;
mod overflow;
mod properties;
mod replay;

use std::path::PathBuf;
use std::sync::Arc;

use peelback_code::{
    CodeAccess, DocumentGenerationError, DocumentGenerator, DocumentPurpose, DocumentRequest, GeneratedDocument,
    Project,
};
use peelback_tools::{MAX_ANSWER_TOKENS, Reply, tool_by_name_or_alias};
use serde_json::Value;

/// Tokens of a text, counted.
pub fn tokens(text: &str) -> usize {
    peelback_tokens::count_tokens(text)
}

/// This repository: a real code base that every checkout has.
pub fn repository() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    folder.canonicalize().expect("the repository")
}

/// Calls a tool as a shell does, on the project at `root`.
pub fn call(root: &std::path::Path, tool: &str, arguments: Value) -> Reply {
    tool_by_name_or_alias(tool).expect("a tool").run_call(&access(root), arguments)
}

/// Calls a tool as a server does, on the project at `root`.
pub fn call_of_model(root: &std::path::Path, tool: &str, arguments: Value) -> Reply {
    tool_by_name_or_alias(tool).expect("a tool").run_call_of_model(&access(root), arguments, MAX_ANSWER_TOKENS)
}

fn access(root: &std::path::Path) -> CodeAccess {
    let project = Project::discover_with_working_folder(root, Some(root), None).expect("a project");
    CodeAccess::new(project).with_document_generator(Some(Arc::new(LongWinded)))
}

/// Writes long documents, whatever it is told.
struct LongWinded;

impl DocumentGenerator for LongWinded {
    fn generate_document(
        &self,
        _: &CodeAccess,
        asked: &DocumentRequest<'_>,
    ) -> Result<GeneratedDocument, DocumentGenerationError> {
        let question = match asked.purpose {
            DocumentPurpose::Question(question) => question,
            _ => "the whole repository",
        };
        let section = |number: usize| {
            let code = "```rust\nfn main() {}\n```\n".repeat(number);
            format!("## Section {number}\n\n{} ({number})\n\n{code}\n", question.repeat(20 * number))
        };
        let markdown = (1..8).map(section).collect();
        let files = (0..9).map(|number| format!("src/file_{number}.rs")).collect();
        Ok(GeneratedDocument { markdown, files, citations: 12, ..GeneratedDocument::default() })
    }

    fn can_reach_other_machines(&self) -> bool {
        false
    }

    fn can_write_files(&self) -> bool {
        false
    }
}

/// How a shell command begins in an answer.
const COMMAND: &str = "peelback ";

/// The shell commands that an answer names, in the order in which they stand, each with the rows that the line before it
/// promises.
pub fn calls_in(text: &str) -> Vec<(String, Option<usize>)> {
    let lines: Vec<&str> = text.lines().map(|line| line.trim_start_matches(['%', '/']).trim()).collect();
    let call = |(index, line): (usize, &&str)| {
        let before = index.checked_sub(1).and_then(|index| lines.get(index)).copied().unwrap_or("");
        let gives = ["next: ", "or: "].iter().find_map(|label| before.strip_prefix(label)).unwrap_or(before);
        let promised = gives.split([' ', ':']).next().and_then(|number| number.replace(',', "").parse().ok());
        line.starts_with(COMMAND).then(|| ((*line).to_owned(), promised))
    };
    lines.iter().enumerate().filter_map(call).collect()
}

/// The first shell command of an answer after a text.
pub fn call_after(answer: &str, text: &str) -> String {
    let (_, rest) = answer.split_once(text).unwrap_or_else(|| panic!("no {text:?}: {answer}"));
    calls_in(rest).into_iter().next().unwrap_or_else(|| panic!("no call after {text:?}: {answer}")).0
}

/// Runs a command that an answer named in a shell, with the program of this build.
pub fn execute(root: &std::path::Path, call: &str, more: &str) -> crate::support::Run {
    let arguments = call.strip_prefix(COMMAND).unwrap_or_else(|| panic!("no command: {call}"));
    let command = format!("{} {arguments} {more}", crate::support::program().display());
    let output = std::process::Command::new("sh").args(["-c", &command]).current_dir(root).output().expect("a shell");
    crate::support::Run::of(&output)
}
