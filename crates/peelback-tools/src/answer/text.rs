//! Renders an answer as text. The parts in order: summary line, evidence, files with most rows, number of shown rows, next
//! call, guidance, rows, and the remaining calls for the omitted rows.

use std::fmt::Write as _;

use peelback_code::{Completeness, Evidence};

use super::{AnswerPayload, FittedAnswer, MAX_SUMMARY_CHARS, Verbosity};
use crate::context::CallContext;
use crate::counts::{format_count_with_noun, format_with_thousands_separators};
use crate::evidence_text::analysis_to_name;
use crate::left_out::write_left_out_line;
use crate::output_guard::{AlternativeCall, FileCount, OmittedRows};
use crate::page::{EscapedToOneLine, MarkedText, PartKind};
use peelback_tokens::text::truncate_chars_and_add_ellipsis;

/// The maximum length of summary line, counts, evidence and next call together, in bytes: the programs that host agents
/// show about this much before they truncate.
const MAX_HEADER_BYTES: usize = 2_000;

/// The maximum number of characters of the summary line in a brief answer.
const MAX_BRIEF_SUMMARY_CHARS: usize = 100;

/// The maximum number of characters of the path of a skipped file, and of the reason for skipping it.
const MAX_SKIPPED_FILE_CHARS: usize = 160;

/// The maximum number of characters of a note on the evidence.
const MAX_NOTE_CHARS: usize = 160;

/// The maximum number of skipped files that the evidence line names.
const MAX_NAMED_SKIPPED_FILES: usize = 3;

impl<P: AnswerPayload> FittedAnswer<P> {
    pub(super) fn build_page(&self, context: &CallContext) -> MarkedText {
        if self.verbosity == Verbosity::Bare {
            return self.text_with_only_total_count(context);
        }
        let overflow = self.omitted_rows_with_short_calls();
        let mut page = self.header_page(context, overflow.as_ref(), self.verbosity);
        if page.byte_len() > MAX_HEADER_BYTES {
            page = self.header_page(context, overflow.as_ref(), Verbosity::Brief);
        }
        if let Some(guidance) = &self.answer.guidance {
            guidance.write_labelled_line(context, &mut page);
        }
        let header_len = page.byte_len();
        page.push('\n');
        self.answer.payload.write_rows(context, &mut page);
        if page.byte_len() == header_len + 1 {
            page.truncate(header_len);
        }
        if let Some(overflow) = overflow {
            write_other_calls(&overflow, context, &mut page);
        }
        page.with_note_on_escaped_source()
    }

    /// The page of an answer of which no row fits the budget: only the total count of rows.
    pub(super) fn text_with_only_total_count(&self, context: &CallContext) -> MarkedText {
        let at_least = match self.answer.evidence.completeness {
            Completeness::Complete => "",
            _ => "at least ",
        };
        let (total, unit) =
            (format_with_thousands_separators(self.answer.plan.total as u64), self.answer.plan.row_noun);
        let mut page = MarkedText::default();
        let _ = write!(page, "{at_least}{total} {unit}; none fits:");
        match self.call_for_rows() {
            Some(call) => page.write_call_on_own_line(&context.format_call(&call)),
            None => page.push_str(" raise max_tokens"),
        }
        page.push('\n');
        page
    }

    /// The header of an answer: summary line, evidence, removed details, number of shown rows, and next call.
    fn header_page(&self, context: &CallContext, overflow: Option<&OmittedRows>, verbosity: Verbosity) -> MarkedText {
        let mut page = MarkedText::default();
        self.write_summary_line(verbosity, &mut page);
        self.write_rest_of_header(context, overflow, verbosity, &mut page);
        page
    }

    pub(super) fn write_summary_line(&self, verbosity: Verbosity, page: &mut MarkedText) {
        let max_chars = if verbosity == Verbosity::Whole { MAX_SUMMARY_CHARS } else { MAX_BRIEF_SUMMARY_CHARS };
        let summary = self.answer.payload.summary_line();
        let _ = writeln!(page, "{}", EscapedToOneLine(truncate_chars_and_add_ellipsis(&summary, max_chars)));
    }

    /// Writes the header without its summary line.
    pub(super) fn write_rest_of_header(
        &self,
        context: &CallContext,
        overflow: Option<&OmittedRows>,
        verbosity: Verbosity,
        page: &mut MarkedText,
    ) {
        write_evidence_caution_and_notes(&self.answer.evidence, verbosity, page);
        let more = self.call_with_removed_detail().filter(|_| verbosity == Verbosity::Whole);
        write_left_out_line(&self.left_out, more, context, page);
        if let Some(overflow) = overflow {
            write_file_counts(overflow, self.max_file_counts_bytes, page);
            let _ = writeln!(page, "shown: {} of {} {}", overflow.shown, overflow.total, self.answer.plan.row_noun);
            if let Some(first) = overflow.alternatives.first() {
                write_next_call(first, context, page);
            }
        }
    }
}

/// Writes what the call gives that the caller should make next, and the call on the next line. A call that would push the rows
/// out of view is written by what differs from the call that is answered.
fn write_next_call(next: &AlternativeCall, context: &CallContext, page: &mut MarkedText) {
    let mut written = MarkedText::default();
    write_alternative("next:", next, context, &mut written);
    if page.byte_len() + written.byte_len() > MAX_HEADER_BYTES {
        let call = next.call.clone().with_max_command_bytes(0);
        written = MarkedText::default();
        write_alternative("next:", &AlternativeCall { call, ..next.clone() }, context, &mut written);
    }
    page.append(written);
}

/// Writes a line that says what a call gives, and the call on the next line.
fn write_alternative(label: &str, alternative: &AlternativeCall, context: &CallContext, page: &mut MarkedText) {
    page.write_part(PartKind::Label, label);
    let _ = writeln!(page, " {}", EscapedToOneLine(&alternative.result_description));
    page.write_call_on_own_line(&context.format_call(&alternative.call));
    page.push('\n');
}

/// Writes the evidence line and its notes, where the evidence is incomplete or one analysis replaced another.
fn write_evidence_caution_and_notes(evidence: &Evidence, verbosity: Verbosity, page: &mut MarkedText) {
    let named_count = if verbosity == Verbosity::Whole { MAX_NAMED_SKIPPED_FILES } else { 0 };
    if let Some(analysis) = analysis_to_name(evidence) {
        page.write_part(PartKind::Caution, "evidence:");
        let _ = write!(page, " {}, {analysis}", evidence.completeness.as_str());
        let skipped = &evidence.skipped;
        for (index, item) in skipped.iter().take(named_count).enumerate() {
            let (path, reason) = (
                truncate_chars_and_add_ellipsis(&item.path, MAX_SKIPPED_FILE_CHARS),
                truncate_chars_and_add_ellipsis(&item.reason, MAX_SKIPPED_FILE_CHARS),
            );
            let _ = write!(
                page,
                "{} {}: {}",
                if index == 0 { ";" } else { "," },
                EscapedToOneLine(path),
                EscapedToOneLine(reason)
            );
        }
        match (skipped.len().saturating_sub(named_count), named_count) {
            (0, _) => {}
            (more, 0) => {
                let _ = write!(page, "; {} skipped", format_count_with_noun(more, "file", "files"));
            }
            (more, _) => {
                let _ = write!(page, ", … +{}", format_count_with_noun(more, "more file", "more files"));
            }
        }
        page.push('\n');
    }
    for note in evidence.notes.iter().take(named_count) {
        page.write_part(PartKind::Caution, "note:");
        let _ = writeln!(page, " {}", EscapedToOneLine(truncate_chars_and_add_ellipsis(note, MAX_NOTE_CHARS)));
    }
}

/// Writes the files with the most rows in one line of at most `max_bytes` bytes, and how many more there are.
fn write_file_counts(overflow: &OmittedRows, max_bytes: usize, page: &mut MarkedText) {
    let mut line = String::new();
    let mut named = 0;
    for FileCount { file, count } in &overflow.by_file {
        let separator = if named == 0 { "" } else { "," };
        let entry = format!("{separator} {} {count}", EscapedToOneLine(file));
        if line.len() + entry.len() > max_bytes {
            break;
        }
        line.push_str(&entry);
        named += 1;
    }
    if named == 0 {
        return;
    }
    let more = overflow.by_file.len() - named + overflow.by_file_overflow.unwrap_or(0);
    page.write_part(PartKind::Label, "by file:");
    page.push_str(&line);
    if more > 0 {
        let _ = write!(page, ", … +{}", format_count_with_noun(more, "more file", "more files"));
    }
    page.push('\n');
}

fn write_other_calls(overflow: &OmittedRows, context: &CallContext, page: &mut MarkedText) {
    let Some(others) = overflow.alternatives.get(1..).filter(|others| !others.is_empty()) else { return };
    page.push('\n');
    page.write_and_mark_part(PartKind::Alternatives, |page| {
        for alternative in others {
            write_alternative("or:", alternative, context, page);
        }
    });
}
