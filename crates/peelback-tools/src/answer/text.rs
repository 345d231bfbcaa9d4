//! Renders an answer as text. The parts in order: summary line, evidence, number of shown rows, next call, guidance,
//! rows, and the remaining calls and counts that describe the omitted rows.

use std::fmt::Write as _;

use peelback_code::{Completeness, Evidence};

use super::{AnswerPayload, FittedAnswer, MAX_SUMMARY_CHARS, Verbosity};
use crate::context::CallContext;
use crate::counts::{format_count_with_noun, format_with_thousands_separators};
use crate::evidence_text::analysis_to_name;
use crate::left_out::write_left_out_line;
use crate::output_guard::{AlternativeCall, OmittedRows};
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
            write_other_calls_and_file_counts(&overflow, context, &mut page);
        }
        page.with_note_on_escaped_source()
    }

    /// The page of an answer of which no row fits the budget: only the total count of rows.
    fn text_with_only_total_count(&self, context: &CallContext) -> MarkedText {
        let at_least = match self.answer.evidence.completeness {
            Completeness::Complete => "",
            _ => "at least ",
        };
        let (total, unit) =
            (format_with_thousands_separators(self.answer.plan.total as u64), self.answer.plan.row_noun);
        let mut page = MarkedText::default();
        let _ = write!(page, "{at_least}{total} {unit}; none fits: ");
        match self.call_for_rows() {
            Some(call) => page.write_part(PartKind::Call, context.format_call_as_command(&call)),
            None => page.push_str("raise max_tokens"),
        }
        page.push('\n');
        page
    }

    /// The header of an answer: summary line, evidence, removed details, number of shown rows, and next call.
    fn header_page(&self, context: &CallContext, overflow: Option<&OmittedRows>, verbosity: Verbosity) -> MarkedText {
        let max_summary_chars = if verbosity == Verbosity::Whole { MAX_SUMMARY_CHARS } else { MAX_BRIEF_SUMMARY_CHARS };
        let mut page = MarkedText::default();
        let _ = writeln!(
            page,
            "{}",
            EscapedToOneLine(truncate_chars_and_add_ellipsis(&self.answer.payload.summary_line(), max_summary_chars))
        );
        write_evidence_caution_and_notes(&self.answer.evidence, verbosity, &mut page);
        let more = self.call_with_removed_detail().filter(|_| verbosity == Verbosity::Whole);
        write_left_out_line(&self.left_out, more, context, &mut page);
        if let Some(overflow) = overflow {
            let _ = writeln!(page, "shown: {} of {} {}", overflow.shown, overflow.total, self.answer.plan.row_noun);
            if let Some(first) = overflow.alternatives.first() {
                write_next_call(first, context, &mut page);
            }
        }
        page
    }
}

/// Writes the line with the call that the caller should make next. A call that would push the rows out of view is written by
/// what differs from the call that is answered.
fn write_next_call(next: &AlternativeCall, context: &CallContext, page: &mut MarkedText) {
    let mut written = MarkedText::default();
    write_call_that_narrows_result(next, context, &mut written);
    page.write_part(PartKind::Label, "next:");
    page.push(' ');
    if page.byte_len() + written.byte_len() > MAX_HEADER_BYTES {
        let call = next.call.clone().with_max_command_bytes(0);
        write_call_that_narrows_result(&AlternativeCall { call, ..next.clone() }, context, page);
    } else {
        write_call_that_narrows_result(next, context, page);
    }
    page.push('\n');
}

fn write_call_that_narrows_result(alternative: &AlternativeCall, context: &CallContext, page: &mut MarkedText) {
    page.write_and_mark_part(PartKind::Cell, |page| {
        page.write_part(PartKind::Call, context.format_call_as_command(&alternative.call))
    });
    page.push_str("  ");
    page.write_part(PartKind::Cell, format_args!("({})", alternative.result_description));
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
                let _ = write!(page, "; {} passed over", format_count_with_noun(more, "file", "files"));
            }
            (more, _) => {
                let _ = write!(page, ", … +{more} more files");
            }
        }
        page.push('\n');
    }
    for note in evidence.notes.iter().take(named_count) {
        page.write_part(PartKind::Caution, "note:");
        let _ = writeln!(page, " {}", EscapedToOneLine(truncate_chars_and_add_ellipsis(note, MAX_NOTE_CHARS)));
    }
}

fn write_other_calls_and_file_counts(overflow: &OmittedRows, context: &CallContext, page: &mut MarkedText) {
    page.push('\n');
    if let Some(others) = overflow.alternatives.get(1..).filter(|others| !others.is_empty()) {
        page.write_and_mark_part(PartKind::Alternatives, |page| {
            page.write_part(PartKind::Label, "or:");
            page.push('\n');
            for alternative in others {
                page.push_str("  ");
                write_call_that_narrows_result(alternative, context, page);
                page.push('\n');
            }
        });
    }
    if !overflow.by_file.is_empty() {
        page.write_part(PartKind::Label, "by file:");
        page.push('\n');
        for entry in &overflow.by_file {
            page.push_str("  ");
            page.write_part(PartKind::Number, entry.count);
            let _ = writeln!(page, " {}", EscapedToOneLine(&entry.file));
        }
        if let Some(more) = overflow.by_file_overflow {
            let _ = writeln!(page, "  … +{more} more files");
        }
    }
}
