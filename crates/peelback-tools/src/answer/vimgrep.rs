//! Renders an answer as a list of places for editors: one `path:line:column:text` for each row. What the answer says of
//! itself comes after the rows, and only where it has to: where rows are missing, or where there are none.

use peelback_code::Completeness;

use super::{AnswerPayload, FittedAnswer, Verbosity};
use crate::context::CallContext;
use crate::guidance::Guidance;
use crate::page::{MarkedText, PartKind};

impl<P: AnswerPayload> FittedAnswer<P> {
    /// The rows as places, without what the answer says of itself.
    pub(super) fn list_of_places(&self) -> MarkedText {
        let mut page = MarkedText::default();
        if self.verbosity != Verbosity::Bare {
            self.answer.payload.place_rows().iter().for_each(|row| row.write_line(&mut page));
        }
        page
    }

    pub(super) fn build_list_of_places_with_remarks(&self, context: &CallContext) -> MarkedText {
        let mut page = self.list_of_places();
        let mut remarks = self.remarks_on_list_of_places(context, page.byte_len() > 0);
        if let Some(note) = page.take_note_on_escaped_source() {
            remarks.append(note);
        }
        if remarks.byte_len() > 0 {
            page.write_and_mark_part(PartKind::Remark, |page| page.append(remarks));
        }
        page
    }

    fn remarks_on_list_of_places(&self, context: &CallContext, has_rows: bool) -> MarkedText {
        if self.verbosity == Verbosity::Bare {
            return self.text_with_only_total_count(context);
        }
        let overflow = self.omitted_rows_with_short_calls();
        let mut remarks = MarkedText::default();
        if !has_rows {
            self.write_summary_line(self.verbosity, &mut remarks);
        }
        // Remarks on how a whole answer was made are for readers of other formats.
        let is_whole = overflow.is_none() && self.left_out.is_empty();
        if !is_whole || !has_rows || self.answer.evidence.completeness != Completeness::Complete {
            self.write_rest_of_header(context, overflow.as_ref(), self.verbosity, &mut remarks);
        }
        match &self.answer.guidance {
            Some(Guidance::Hint(_)) if has_rows => {}
            Some(guidance) => guidance.write_labelled_line(context, &mut remarks),
            None => {}
        }
        remarks
    }
}
