//! Regions of a syntax tree that the parser did not understand: error nodes and missing nodes.

use tree_sitter::{Node, Tree};

use crate::facts::{Lines, MAX_LISTED_REGIONS, ParseCoverage};

/// The row (from 0) of a syntax node's last character. A node whose last character is a newline ends on the row before
/// its end position.
pub(crate) fn last_row_of_node(node: Node<'_>) -> usize {
    let end = node.end_position();
    if end.column == 0 && end.row > node.start_position().row { end.row - 1 } else { end.row }
}

/// How much of a text its syntax tree covers: regions with syntax errors count as not understood.
pub(crate) fn parse_coverage_of_tree(tree: &Tree) -> ParseCoverage {
    let mut lines = line_ranges_with_syntax_errors(tree);
    let regions = lines.len();
    if regions == 0 {
        // The parser reports an error, but no region is broken: only a separator that the grammar hides is missing, so
        // the whole text was understood.
        return ParseCoverage::Whole;
    }
    lines.truncate(MAX_LISTED_REGIONS);
    ParseCoverage::Partial { regions, lines }
}

/// Line ranges of the regions with syntax errors, in the order of the text. Of nested regions, only the outermost
/// counts.
pub(crate) fn line_ranges_with_syntax_errors(tree: &Tree) -> Vec<Lines> {
    let mut cursor = tree.walk();
    let mut regions = Vec::new();
    'walk: loop {
        let node = cursor.node();
        let broken = node.is_error() || node.is_missing();
        if broken {
            let line = |row: usize| u32::try_from(row + 1).unwrap_or(u32::MAX);
            regions.push(Lines { first: line(node.start_position().row), last: line(last_row_of_node(node)) });
        }
        if !broken && node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'walk;
            }
        }
    }
    regions
}
