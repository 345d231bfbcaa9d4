//! What an answer leaves out so that it fits its budget, as text and as JSON.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::budget::MAX_ANSWER_TOKENS;
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::format_with_thousands_separators;
use crate::message::Message;
use crate::page::{MarkedText, PartKind};
use crate::parameter_name::parameter_name;
use crate::view::OutputOptions;

/// What was removed from the rows of an answer so that it fits its budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LeftOut {
    /// The noun for what was removed, in the plural.
    pub what: &'static str,
    /// The number of rows, or of items in them, that lost it; 0 where no row had it.
    pub count: usize,
}

/// Adds a removal to the earlier ones: to that of the same noun, where there is one.
pub(crate) fn add_removal(left_out: &mut Vec<LeftOut>, removed: LeftOut) {
    match left_out.iter_mut().find(|earlier| earlier.what == removed.what) {
        Some(earlier) => earlier.count += removed.count,
        None if removed.count == 0 => {}
        None => left_out.push(removed),
    }
}

/// Whether no call gives an answer more room than this view: it asks for full detail, and for no budget below the largest.
pub(crate) fn has_most_room(view: &OutputOptions) -> bool {
    let has_largest_budget = view.max_tokens.is_none_or(|tokens| tokens == 0 || tokens >= MAX_ANSWER_TOKENS);
    view.is_full_detail() && has_largest_budget
}

/// The answered call with room for what it left out: in full detail, with no budget of its own, and with no more rows than
/// the largest answer has room for, which `max_rows` is where not all rows are. `call` is the answered call without its
/// offset. `None` where the answered call is that call.
pub(crate) fn call_with_more_room(call: &Call, view: &OutputOptions, max_rows: Option<usize>) -> Option<Call> {
    let fewer_rows = max_rows.filter(|rows| view.limit.is_none_or(|limit| limit > *rows));
    if fewer_rows.is_none() && has_most_room(view) {
        return None;
    }
    let mut call = call
        .clone()
        .with_argument(parameter_name!(OutputOptions, detail_level), "full")
        .without_argument(parameter_name!(OutputOptions, max_tokens));
    if let Some(rows) = fewer_rows {
        call = call.with_argument(parameter_name!(OutputOptions, limit), rows);
    }
    Some(if view.offset > 0 { call.with_row_offset(view.offset) } else { call })
}

/// Writes the line with what was removed to fit the budget, and the call that shows it; nothing where nothing was removed.
pub(crate) fn write_left_out_line(
    left_out: &[LeftOut],
    call: Option<Call>,
    context: &CallContext,
    page: &mut MarkedText,
) {
    if left_out.is_empty() {
        return;
    }
    page.write_part(PartKind::Caution, "left out to fit the budget:");
    for (index, LeftOut { what, count }) in left_out.iter().enumerate() {
        let separator = if index == 0 { "" } else { "," };
        let _ = write!(page, "{separator} {what} ({})", format_with_thousands_separators(*count as u64));
    }
    if let Some(call) = call {
        Message::from("; to see them: ").with_call(call).write_to_page(context, page);
    }
    page.push('\n');
}

/// What was removed to fit the budget as JSON: for each noun how many items.
pub(crate) fn left_out_json(left_out: &[LeftOut]) -> Map<String, Value> {
    left_out.iter().map(|LeftOut { what, count }| (what.replace(' ', "_"), Value::from(*count))).collect()
}
