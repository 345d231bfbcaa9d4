//! An answer as text. The parts in order: verdict, evidence, number of shown rows, next call, guidance, rows, and the
//! rest of the overflow.

use std::fmt::Write as _;

use peelback_code::{Completeness, Evidence};

use super::{Fitted, Payload, VERDICT_CHARS, Verbosity};
use crate::context::CallContext;
use crate::counts::{counted, grouped};
use crate::guard::{Alternative, Overflow};
use crate::message::Message;
use crate::page::{Page, Part};
use peelback_tokens::text::truncate_chars;

/// The most bytes of verdict, counts, evidence and next call together: hosts show about this much before they truncate.
const HEAD_BYTES: usize = 2_000;

/// The most characters of a verdict in a brief answer.
const BRIEF_VERDICT_CHARS: usize = 100;

/// The most characters of the path of a skipped file, and of the reason for skipping it.
const REASON_CHARS: usize = 160;

/// The most characters of a note on the evidence.
const NOTE_CHARS: usize = 160;

/// The most skipped files that the evidence line names.
const MAX_SKIPPED: usize = 3;

impl<P: Payload> Fitted<P> {
    pub(super) fn write_page(&self, context: &CallContext) -> Page {
        if self.verbosity == Verbosity::Bare {
            return self.bare_page();
        }
        let overflow = self.answer.plan.overflow(self.answer.payload.shown());
        let mut page = self.head_page(context, overflow.as_ref(), self.verbosity);
        if page.len() > HEAD_BYTES {
            page = self.head_page(context, overflow.as_ref(), Verbosity::Brief);
        }
        if let Some(guidance) = &self.answer.guidance {
            guidance.write(context, &mut page);
        }
        let head = page.len();
        page.push('\n');
        self.answer.payload.write_rows(context, &mut page);
        if page.len() == head + 1 {
            page.truncate(head);
        }
        if let Some(overflow) = overflow {
            write_overflow(&overflow, context, &mut page);
        }
        page
    }

    /// The page of an answer whose rows do not fit the budget: counts only.
    fn bare_page(&self) -> Page {
        let at_least = match self.answer.evidence.completeness {
            Completeness::Complete => "",
            _ => "at least ",
        };
        let (total, unit) = (grouped(self.answer.plan.total as u64), self.answer.plan.unit);
        let mut page = Page::default();
        let _ = writeln!(page, "{at_least}{total} {unit}; none fits: raise max_tokens");
        page
    }

    /// The head of an answer: verdict, evidence, omissions, number of shown rows, and next call.
    fn head_page(&self, context: &CallContext, overflow: Option<&Overflow>, verbosity: Verbosity) -> Page {
        let most = if verbosity == Verbosity::Whole { VERDICT_CHARS } else { BRIEF_VERDICT_CHARS };
        let mut page = Page::default();
        let _ = writeln!(page, "{}", truncate_chars(&self.answer.payload.verdict(), most));
        write_evidence(&self.answer.evidence, verbosity, &mut page);
        if !self.left_out.is_empty() {
            page.put(Part::Caution, "left out to fit the budget:");
            let _ = write!(page, " {}", self.left_out.join(", "));
            if let Some(call) = self.answer.payload.detail_call() {
                Message::from("; to list them: ").call(call).write(context, &mut page);
            }
            page.push('\n');
        }
        if let Some(overflow) = overflow {
            let _ = writeln!(page, "shown: {} of {} {}", overflow.shown, overflow.total, self.answer.plan.unit);
            if let Some(first) = overflow.alternatives.first() {
                write_next(first, overflow.next_offset, context, &mut page);
            }
        }
        page
    }
}

/// Writes the line with the next call. A call of several kilobytes (with a pattern of that size) is replaced by a short
/// description, since the call itself would push the rows out of view.
fn write_next(next: &Alternative, next_offset: Option<usize>, context: &CallContext, page: &mut Page) {
    let mut call = Page::default();
    write_alternative(next, context, &mut call);
    let is_long = page.len() + call.len() > HEAD_BYTES;
    page.put(Part::Label, "next:");
    page.push(' ');
    match next_offset.filter(|_| is_long) {
        Some(offset) => {
            let _ = write!(page, "the same call with offset={offset}");
        }
        None if is_long => page.push_str("the same call with a larger max_tokens"),
        None => write_alternative(next, context, page),
    }
    page.push('\n');
}

fn write_alternative(alternative: &Alternative, context: &CallContext, page: &mut Page) {
    page.part(Part::Cell, |page| page.put(Part::Call, context.command(&alternative.call)));
    page.push_str("  ");
    page.put(Part::Cell, format_args!("({})", alternative.gives));
}

/// Writes the evidence line and its notes, where the evidence is incomplete or one analysis replaced another.
fn write_evidence(evidence: &Evidence, verbosity: Verbosity, page: &mut Page) {
    let named = if verbosity == Verbosity::Whole { MAX_SKIPPED } else { 0 };
    if evidence.completeness != Completeness::Complete || evidence.analysis.contains('(') {
        page.put(Part::Caution, "evidence:");
        let _ = write!(page, " {}, {}", evidence.completeness.as_str(), evidence.analysis);
        let skipped = &evidence.skipped;
        for (index, item) in skipped.iter().take(named).enumerate() {
            let (path, reason) = (truncate_chars(&item.path, REASON_CHARS), truncate_chars(&item.reason, REASON_CHARS));
            let _ = write!(page, "{} {path}: {reason}", if index == 0 { ";" } else { "," });
        }
        match (skipped.len().saturating_sub(named), named) {
            (0, _) => {}
            (more, 0) => {
                let _ = write!(page, "; {} passed over", counted(more, "file", "files"));
            }
            (more, _) => {
                let _ = write!(page, ", … +{more} more files");
            }
        }
        page.push('\n');
    }
    for note in evidence.notes.iter().take(named) {
        page.put(Part::Caution, "note:");
        let _ = writeln!(page, " {}", truncate_chars(note, NOTE_CHARS));
    }
}

fn write_overflow(overflow: &Overflow, context: &CallContext, page: &mut Page) {
    page.push('\n');
    if let Some(others) = overflow.alternatives.get(1..).filter(|others| !others.is_empty()) {
        page.part(Part::Alternatives, |page| {
            page.put(Part::Label, "or:");
            page.push('\n');
            for alternative in others {
                page.push_str("  ");
                write_alternative(alternative, context, page);
                page.push('\n');
            }
        });
    }
    if !overflow.by_file.is_empty() {
        page.put(Part::Label, "by file:");
        page.push('\n');
        for entry in &overflow.by_file {
            page.push_str("  ");
            page.put(Part::Number, entry.count);
            let _ = writeln!(page, " {}", entry.file);
        }
        if let Some(more) = overflow.by_file_overflow {
            let _ = writeln!(page, "  … +{more} more files");
        }
    }
}
