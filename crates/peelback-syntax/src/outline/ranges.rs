//! Line ranges and folds of syntax nodes, for an outline.

use std::ops::Range;

use tree_sitter::Node;

use super::{Definition, LONG_VALUE_LINES, OutlineBuilder};
use crate::facts::{Fold, FoldKind, Lines};
use crate::syntax_errors::last_row_of_node;
use crate::text;

impl<'t> OutlineBuilder<'t, '_> {
    /// The line on which a node begins, from 1.
    pub fn first_line_number_of_node(&self, node: Node<'_>) -> u32 {
        row_of_byte(node, node.start_byte(), self.source) + 1
    }

    /// The range of lines that a syntax node spans.
    pub fn lines_of_node(&self, node: Node<'_>) -> Lines {
        let first = row_of_byte(node, node.start_byte(), self.source) + 1;
        let end = text::trimmed_end_offset(self.source, node.byte_range());
        Lines { first, last: first + text::count_newlines(self.source, node.start_byte()..end) }
    }

    /// Folds the text of `node` as a body, unless `node` is already inside a fold.
    pub fn fold_node_as_body(&mut self, node: Node<'_>) {
        self.fold_byte_range_unless_overlapping(node.byte_range(), FoldKind::Body);
    }

    /// Folds a byte range of the text, unless it overlaps an existing fold: outer folds are added first and take
    /// precedence.
    pub fn fold_byte_range_unless_overlapping(&mut self, bytes: Range<usize>, kind: FoldKind) {
        let at = self.folds.partition_point(|fold| fold.bytes.start < bytes.start);
        let is_free =
            at.checked_sub(1).and_then(|before| self.folds.get(before)).is_none_or(|f| f.bytes.end <= bytes.start)
                && self.folds.get(at).is_none_or(|after| bytes.end <= after.bytes.start);
        if is_free && bytes.start < bytes.end {
            self.folds.insert(at, Fold { bytes, kind });
        }
    }

    /// Folds the text of an initialiser that has more than `LONG_VALUE_LINES` lines.
    pub fn fold_value_if_long(&mut self, node: Node<'_>) {
        if last_row_of_node(node) - node.start_position().row >= LONG_VALUE_LINES {
            self.fold_node_as_body(node);
        }
    }

    /// The lines of a definition itself, without the comments and decorators above it.
    pub(super) fn definition_lines_without_comments_above(&self, definition: &Definition<'t>) -> Lines {
        let first = row_of_byte(definition.node, definition.start, self.source) + 1;
        Lines { first, last: self.last_line_number_of_definition(definition).max(first) }
    }

    /// The line of a definition's last byte, counted back from the end of its node where possible. Definitions nest,
    /// and counting lines forward through each definition would read the text once for every level.
    fn last_line_number_of_definition(&self, definition: &Definition<'t>) -> u32 {
        let Definition { node, end, .. } = definition;
        if *end <= node.end_byte() {
            let row = u32::try_from(node.end_position().row).unwrap_or(u32::MAX - 1);
            (row + 1).saturating_sub(text::count_newlines(self.source, *end..node.end_byte()))
        } else {
            let first = row_of_byte(*node, definition.start, self.source) + 1;
            first + text::count_newlines(self.source, definition.start..*end)
        }
    }
}

/// The row (from 0) of byte offset `start`, counted from the row of `node`, because few lines are between the two.
fn row_of_byte(node: Node<'_>, start: usize, source: &str) -> u32 {
    let row = u32::try_from(node.start_position().row).unwrap_or(u32::MAX - 1);
    if start >= node.start_byte() {
        row + text::count_newlines(source, node.start_byte()..start)
    } else {
        row.saturating_sub(text::count_newlines(source, start..node.start_byte()))
    }
}
