//! The document of a run that did not come to its end.

use peelback_code::CodeAccess;
use peelback_llm::{BudgetedModel, ChatModel as _, Spending};

use super::checkpoint::Kept;
use super::{Findings, ScopeError, ScopeOptions, writing};
use crate::citations;
use crate::document::{CODE_REFERENCES, Document};
use crate::evidence;

/// Bytes of a written text that make it worth keeping: a heading and a sentence.
const LEAST_TEXT: usize = 200;

/// The document of what a run has by now, which says why it is not complete.
///
/// Where the model had begun to write, it is what was written, its citations checked; otherwise it is the evidence that a
/// document without a model holds, below what the model had found out.
///
/// # Errors
/// [`ScopeError::Code`] where the project cannot be read.
pub fn partial(
    access: &CodeAccess,
    question: &str,
    model: &BudgetedModel,
    kept: &Kept,
    options: &ScopeOptions,
    reason: &str,
) -> Result<Document, ScopeError> {
    of_shown(&options.shown(access), question, (model.name(), &model.spending()), kept, options, reason)
}

pub(super) fn of_shown(
    access: &CodeAccess,
    question: &str,
    (model, spent): (&str, &Spending),
    kept: &Kept,
    options: &ScopeOptions,
    reason: &str,
) -> Result<Document, ScopeError> {
    let mut findings = Findings { unfinished: Some(reason.to_owned()), ..kept.findings.clone() };
    if findings.open_questions.is_empty() {
        findings.open_questions.push(question.to_owned());
    }
    let front = writing::front(question, options);
    let files = findings.files.len();
    let mut document = if kept.text.len() >= LEAST_TEXT {
        writing::finish(access, &whole_lines(&kept.text), &findings, options, front)
    } else {
        let found = evidence::write(access, question, &options.evidence())?;
        let mut document = Document { front, body: found.body };
        let told = findings.told();
        if told.is_empty() {
            // The document is what is written without a model, and says so itself.
            document.front.mode = Some("evidence".to_owned());
        } else {
            let told = options.secrets.redact(&told).into_owned();
            let checked = citations::check(&without_headings(&told), access);
            let found = document.body.replacen("## Summary", "## What Was Found Without a Model", 1);
            document.body = format!(
                "## Summary\n\nThe run ended before the document was written. What the model had found by then:\n\n{}\n\n{found}",
                checked.text.trim(),
            );
        }
        let mut entries = citations::proven(&findings.references, access);
        entries.extend(citations::proven(&found.references, access));
        let list = document.section(CODE_REFERENCES).is_some();
        document.mark_incomplete(reason, &findings.open_questions);
        if list || !entries.is_empty() {
            document.set_section(CODE_REFERENCES, "");
            writing::cite(&mut document, entries);
        }
        document
    };
    // A model that never answered wrote nothing.
    let model = if spent.calls > 0 { model } else { "none" };
    writing::sign(&mut document, model, spent, files);
    writing::name_kept_back(&mut document, options);
    Ok(document)
}

/// Notes of a model as plain paragraphs: headings among them would stand beside the document's own.
fn without_headings(text: &str) -> String {
    text.lines().map(|line| line.trim_start_matches('#').trim_start()).collect::<Vec<_>>().join("\n")
}

/// A text without its last line, which was cut in its middle.
pub(super) fn whole_lines(text: &str) -> String {
    let end = text.rfind('\n').unwrap_or(text.len());
    let mut whole = text.get(..end).unwrap_or(text).to_owned();
    // A code block that is open would swallow what follows.
    if whole.lines().filter(|line| line.trim_start().starts_with("```")).count() % 2 == 1 {
        whole.push_str("\n```");
    }
    whole
}
