//! Outlines with one row for each symbol.

use std::fmt::Write as _;

use peelback_code::syntax::signature::{declaration_without_value, signature_without_default_values};
use peelback_code::syntax::{Lines, Symbol};

use super::{DetailLevel, FileOutline, format_line_range, is_value};
use crate::markdown::{one_line, truncate_with_ellipsis};

/// The maximum number of characters of a signature.
const SIGNATURE: usize = 140;

/// The maximum number of characters of a symbol's decorators.
const DECORATORS: usize = 60;

/// The maximum number of characters of the first line of a symbol's documentation.
const DOCUMENTATION: usize = 80;

impl<'a> FileOutline<'a> {
    /// The rows of a level above [`DetailLevel::Parameters`], and the symbols that they name.
    pub(super) fn symbol_rows(&self, level: DetailLevel) -> (String, Vec<&'a Symbol>) {
        let relevant = self.relevant_symbols();
        let is_relevant = |symbol: &Symbol| relevant.iter().any(|other| other.bytes == symbol.bytes);
        // In a file of settings or data, the values are what it consists of.
        let has_only_values = self.non_local_symbols().all(|(symbol, _)| is_value(symbol));
        let mut out = String::new();
        let mut named = Vec::new();
        for (symbol, depth) in self.non_local_symbols() {
            let is_relevant = is_relevant(symbol);
            let is_counted = level >= DetailLevel::Decorators && is_value(symbol) && !has_only_values;
            if is_counted && !is_relevant {
                continue;
            }
            let level = if is_relevant { DetailLevel::Fields.min(level) } else { level };
            out.push_str(&self.symbol_row(symbol, depth, level));
            named.push(symbol);
        }
        (out, named)
    }

    /// The row of one symbol, indented by its depth.
    pub(super) fn symbol_row(&self, symbol: &Symbol, depth: usize, level: DetailLevel) -> String {
        let Lines { first, last } = symbol.lines;
        let mut row = "  ".repeat(depth);
        let _ = write!(row, "{} ", format_line_range(first, last));
        if level <= DetailLevel::Decorators && !symbol.decorators.is_empty() {
            let decorators = symbol.decorators.iter().map(|text| one_line(text)).collect::<Vec<_>>().join(" ");
            let _ = write!(row, "{} ", truncate_with_ellipsis(&decorators, DECORATORS));
        }
        if symbol.signature.is_empty() {
            let name = truncate_with_ellipsis(&one_line(&symbol.name), SIGNATURE);
            let _ = write!(row, "{} {name}", symbol.kind.as_str());
        } else {
            row.push_str(&truncate_with_ellipsis(&one_line(&signature_at_level(symbol, level)), SIGNATURE));
        }
        if level < DetailLevel::Types && !symbol.kind.is_field_property_or_enum_member() && last > first {
            let _ = write!(row, "  ~{}", self.costs.estimated_tokens_in_lines(symbol.outer_line, last));
        }
        if let Some(doc) = symbol.docstring.as_ref().filter(|_| level < DetailLevel::Types) {
            let _ = write!(row, "  # {}", truncate_with_ellipsis(&one_line(doc), DOCUMENTATION));
        }
        row.push('\n');
        row
    }
}

/// The signature of a symbol, with values only at the level [`DetailLevel::Values`].
fn signature_at_level(symbol: &Symbol, level: DetailLevel) -> std::borrow::Cow<'_, str> {
    match level {
        DetailLevel::Values => symbol.signature.as_str().into(),
        _ if symbol.kind.is_value() => declaration_without_value(&symbol.signature).into(),
        _ => signature_without_default_values(&symbol.signature, &symbol.name),
    }
}
