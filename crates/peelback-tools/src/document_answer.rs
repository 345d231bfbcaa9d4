//! The answer with a document that a generator wrote, for the tools that have documents written.

use std::fmt::Write as _;

use peelback_code::{
    CodeAccess, Completeness, DocumentGenerationError, DocumentPurpose, DocumentRequest, ErrorCategory, Evidence,
    GeneratedDocument,
};
use serde::Serialize;

use crate::answer::{Answer, AnswerPayload};
use crate::budget::{AnswerTokenBudget, MAX_ANSWER_TOKENS};
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::format_count_with_noun;
use crate::guidance::Guidance;
use crate::left_out::LeftOut;
use crate::output_guard::PageLimiter;
use crate::page::{EscapedToOneLine, MarkedText, PartKind};
use crate::parameter_name::parameter_name;
use crate::recoverable_error::RecoverableError;
use crate::reply::Reply;
use crate::view::OutputOptions;

/// The maximum number of sections in an answer; no document has as many.
const MAX_SECTIONS: usize = 50;

/// The number of bytes below which a section of a document is not shortened further.
const MIN_SHORTENED_SECTION_BYTES: usize = 400;

/// The notice at the end of a shortened section of a document.
const OMISSION_NOTICE: &str = "\n\n(The rest of this section is left out to fit the budget.)";

/// The number of tokens that the budget reserves for the parts of an answer other than the document.
const TOKENS_AROUND_DOCUMENT: usize = 250;

/// The maximum number of tokens of a document in an answer with the given view.
pub(crate) fn max_document_tokens(context: &CallContext, view: &OutputOptions) -> usize {
    AnswerTokenBudget::new(context, view)
        .max_tokens()
        .unwrap_or(MAX_ANSWER_TOKENS)
        .saturating_sub(TOKENS_AROUND_DOCUMENT)
}

/// The limit on the cost of a call that its argument `text` gives, in US dollars.
///
/// # Errors
/// Where the text is no positive amount.
pub(crate) fn parse_max_cost(text: Option<&str>) -> Result<Option<f64>, RecoverableError> {
    let Some(text) = text else { return Ok(None) };
    match text.trim().trim_start_matches('$').parse::<f64>() {
        Ok(dollars) if dollars.is_finite() && dollars > 0.0 => Ok(Some(dollars)),
        _ => {
            let error = RecoverableError::of_invalid_arguments(format!("max_cost is not an amount of money: {text}"));
            Err(error.with_hint("write US dollars, such as 0.50"))
        }
    }
}

/// Has the generator of `access` carry out a request, and answers with the document. `fallback` is a call that needs no
/// generator.
///
/// # Errors
/// Where nothing generates documents, or the generator fails.
pub(crate) fn generate_document_reply(
    access: &CodeAccess,
    context: &CallContext,
    request: &DocumentRequest<'_>,
    (call, view): (&Call, &OutputOptions),
    fallback: Call,
) -> Result<Reply, RecoverableError> {
    let Some(document_generator) = access.document_generator() else {
        let error = RecoverableError::new(ErrorCategory::Failure, "documents cannot be written here");
        return Err(error.with_hint_and_call("the places to read: ", fallback));
    };
    match document_generator.generate_document(access, request) {
        Ok(document) => Ok(document_reply(context, request, document, call, view)),
        Err(DocumentGenerationError { category, message, advice }) => {
            let error = RecoverableError::new(category, message);
            Err(match advice {
                Some(advice) => error.with_hint(advice),
                None => error.with_hint_and_call("the places to read: ", fallback),
            })
        }
    }
}

fn document_reply(
    context: &CallContext,
    request: &DocumentRequest<'_>,
    document: GeneratedDocument,
    call: &Call,
    view: &OutputOptions,
) -> Reply {
    let sections = split_markdown_at_level_two_headings(&document.markdown);
    let is_report = document.headline.is_some();
    let is_empty = !is_report && document.files.is_empty();
    let total = sections.len();
    let analysis = match (request.purpose, &document.model) {
        (DocumentPurpose::Check(_), _) => "hashes of the cited lines",
        (_, Some(_)) => "a document by a model",
        (DocumentPurpose::Question(_), None) => "a document by ranking",
        (DocumentPurpose::Repository | DocumentPurpose::Refresh(_), None) => {
            "a document made from the files of the project"
        }
    };
    let mut evidence = Evidence::new_complete(analysis);
    if let Some(reason) = &document.incomplete {
        evidence.lower_completeness_to(Completeness::LowerBound);
        evidence.add_note(reason.clone());
    }
    let guidance = match &document.model {
        None if !is_report && matches!(request.purpose, DocumentPurpose::Question(_)) => Some(Guidance::Hint(
            format!(
                "no model wrote this: answer from the evidence, and open what is missing with {}",
                context.follow_up_call_builder().read_symbol_body_call("").tool_name()
            )
            .into(),
        )),
        _ => None,
    };
    // The document is generated for the budget and has no pages: for a second page, the model would have to be paid
    // again and would write a different document.
    let whole_view = OutputOptions { offset: 0, limit: None, ..view.clone() };
    let (sections, plan) = PageLimiter::new(&whole_view, MAX_SECTIONS).page_rows_and_plan(sections, total, "sections");
    let head = ScalarFields {
        model: document.model,
        spent: document.spent,
        citations: document.citations,
        files: document.files.len(),
        path: document.written_path,
    };
    let wider = call.clone().with_argument(parameter_name!(OutputOptions, max_tokens), MAX_ANSWER_TOKENS);
    let plan =
        if head.model.is_none() && !is_report { plan.with_other_call(wider, "more of it".to_owned()) } else { plan };
    let payload = DocumentPayload { head, headline: document.headline, body: NestedFields { sections } };
    Answer { payload, plan, evidence, guidance, is_empty }.into_reply(context, view)
}

/// The sections of a Markdown document. The text before the first heading becomes a section without a heading.
fn split_markdown_at_level_two_headings(markdown: &str) -> Vec<DocumentSection> {
    let mut sections: Vec<DocumentSection> = Vec::new();
    let mut fence: Option<String> = None;
    for line in markdown.lines() {
        let ticks: String = line.trim_start().chars().take_while(|c| *c == '`').collect();
        match &fence {
            None if ticks.len() >= 3 => fence = Some(ticks),
            Some(open) if ticks.len() >= open.len() && line.trim() == ticks => fence = None,
            _ => {}
        }
        match line.strip_prefix("## ").filter(|_| fence.is_none()) {
            Some(heading) => sections.push(DocumentSection { heading: heading.trim().to_owned(), text: String::new() }),
            None => {
                if sections.is_empty() {
                    if line.trim().is_empty() {
                        continue;
                    }
                    sections.push(DocumentSection::default());
                }
                if let Some(section) = sections.last_mut() {
                    section.text.push_str(line);
                    section.text.push('\n');
                }
            }
        }
    }
    for section in &mut sections {
        section.text = section.text.trim_matches('\n').to_owned();
    }
    sections
}

#[derive(Serialize)]
struct ScalarFields {
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    spent: Option<String>,
    citations: usize,
    files: usize,
    /// The file to which the document was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
}

#[derive(Serialize)]
struct NestedFields {
    sections: Vec<DocumentSection>,
}

#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
struct DocumentSection {
    heading: String,
    text: String,
}

struct DocumentPayload {
    head: ScalarFields,
    /// The line that says what the text is, where it is no new document.
    headline: Option<String>,
    body: NestedFields,
}

impl AnswerPayload for DocumentPayload {
    type ScalarFields = ScalarFields;
    type NestedFields<'a> = &'a NestedFields;

    fn summary_line(&self) -> String {
        let written = self.head.path.as_ref().map(|path| format!(", written to {path}")).unwrap_or_default();
        if let Some(headline) = &self.headline {
            return format!("{headline}{written}");
        }
        let by = match (&self.head.model, &self.head.spent) {
            (Some(model), Some(spent)) => format!(", by {model} ({spent})"),
            (Some(model), None) => format!(", by {model}"),
            _ => ", without a model".to_owned(),
        };
        let files = format_count_with_noun(self.head.files, "file", "files");
        let citations = format_count_with_noun(self.head.citations, "citation", "citations");
        format!("{citations} checked from {files}{by}{written}")
    }

    fn scalar_json_fields(&self) -> &ScalarFields {
        &self.head
    }

    fn nested_json_fields(&self, _: &CallContext) -> &NestedFields {
        &self.body
    }

    fn write_rows(&self, _: &CallContext, page: &mut MarkedText) {
        for (index, section) in self.body.sections.iter().enumerate() {
            if index > 0 {
                page.push('\n');
            }
            if !section.heading.is_empty() {
                let _ = writeln!(page, "## {}\n", EscapedToOneLine(&section.heading));
            }
            page.write_part(PartKind::Source, &section.text);
            page.push('\n');
        }
    }

    fn row_count(&self) -> usize {
        self.body.sections.len()
    }

    fn describe_row_at(&self, index: usize) -> Option<String> {
        let section = self.body.sections.get(index)?;
        let first = section.text.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
        Some(format!("{}  {first}", section.heading))
    }

    /// Shortens the longest section at its end. This happens only to a document that exceeds the budget, which the
    /// generator already knew.
    fn remove_least_valuable_detail(&mut self) -> Option<LeftOut> {
        let longest = self.body.sections.iter_mut().max_by_key(|section| section.text.len())?;
        if longest.text.len() <= MIN_SHORTENED_SECTION_BYTES {
            return None;
        }
        longest.text = shorten_section(&longest.text, longest.text.len() * 3 / 4);
        Some(LeftOut { what: "ends of long sections", count: 1 })
    }

    fn keep_first_rows(&mut self, rows: usize) {
        self.body.sections.truncate(rows);
    }
}

/// The first whole lines of a section, up to `most` bytes, with a notice of the omission. An open code block is closed.
fn shorten_section(text: &str, most: usize) -> String {
    let text = text.strip_suffix(OMISSION_NOTICE).unwrap_or(text).trim_end();
    let mut kept = String::new();
    let mut fence = None;
    for line in text.lines() {
        // A line that exceeds the limit on its own is cut within the line.
        if kept.len() + line.len() > most {
            if kept.is_empty() {
                kept.extend(line.chars().take(most / 4));
            }
            break;
        }
        let ticks = line.trim_start().chars().take_while(|c| *c == '`').count();
        if ticks >= 3 {
            fence = if fence.is_none() { Some(ticks) } else { None };
        }
        kept.push_str(line);
        kept.push('\n');
    }
    if let Some(ticks) = fence {
        kept.push_str(&"`".repeat(ticks));
        kept.push('\n');
    }
    kept.trim_end().to_owned() + OMISSION_NOTICE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_in_code_are_no_sections() {
        let text = "lead\n\n## A\n\ntext\n\n```md\n## not one\n```\n\n## B\n- row\n";
        let found = split_markdown_at_level_two_headings(text);
        let headings: Vec<&str> = found.iter().map(|section| section.heading.as_str()).collect();
        assert_eq!(headings, ["", "A", "B"]);
        assert!(found[1].text.contains("## not one") && found[2].text == "- row");
    }
}
