//! Rows that several tools share: symbols, imports and exports.

use std::borrow::Cow;
use std::fmt::Write as _;

use peelback_code::syntax::signature::{signature_with_parameter_names, signature_without_default_values};
use peelback_code::syntax::stack::run_on_enough_stack;
use peelback_code::syntax::{Export, Import, Symbol, SymbolKind};
use peelback_tokens::LineCosts;
use serde::Serialize;

use crate::counts::{format_count_with_noun, format_line_range};
use crate::page::{EscapedToOneLine, MarkedText, PartKind};
use crate::place::{PlaceRow, byte_column_if_different, columns_of_byte_offsets};
use crate::shorten::clip_signature_keeping_name;
use crate::view::is_default_value;

/// The maximum number of bytes from the beginning of a definition to its name.
const MAX_BYTES_BEFORE_NAME: usize = 1_000;

/// A row of an answer that describes a symbol, with the rows of its children.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct SymbolRow {
    pub name: String,
    pub qualified_name: String,
    pub id: String,
    #[serde(serialize_with = "serialize_kind")]
    pub kind: SymbolKind,
    pub line: u32,
    pub line_end: u32,
    /// The column of the name in characters, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The column of the name in bytes, where it is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub byte_column: Option<u32>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub signature: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visibility: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decorators: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub docstring: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub local: bool,
    /// The line where the first decorator, attribute or doc comment of the symbol begins.
    #[serde(skip)]
    pub outer_line: u32,
    /// The byte offset at which the definition proper begins.
    #[serde(skip)]
    start: usize,
    /// The cost of reading the symbol, in tokens; `None` where it was left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<usize>,
    /// The number of signatures that stand in this row in addition to its own: overloads of a function.
    #[serde(skip_serializing_if = "is_default_value")]
    pub overloads: usize,
    /// The places of other files where the symbol is declared, as `path:line`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub declared_at: Vec<String>,
    /// The number of files in which the name stands as a word, where it was counted.
    #[serde(skip)]
    pub use_count: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<SymbolRow>,
}

fn serialize_kind<S: serde::Serializer>(kind: &SymbolKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.as_str())
}

/// The id of a symbol: the file's path, and the symbol's unique name in that file.
pub(crate) fn symbol_id(path: &str, symbol: &Symbol) -> String {
    format!("{path}:{}", symbol.unique_address_in_file())
}

impl SymbolRow {
    /// The row of a symbol without its children.
    pub fn new_without_children(path: &str, symbol: &Symbol, costs: &LineCosts) -> Self {
        Self::new(path, symbol.without_children(), costs)
    }

    fn new(path: &str, symbol: Symbol, costs: &LineCosts) -> Self {
        let tokens = costs.estimated_tokens_in_lines(symbol.outer_line, symbol.lines.last);
        Self::new_with_token_cost(path, symbol, tokens)
    }

    /// The row of a symbol that costs `tokens` tokens to read, without its children.
    pub fn new_with_token_cost(path: &str, symbol: Symbol, tokens: usize) -> Self {
        Self {
            id: symbol_id(path, &symbol),
            name: symbol.name,
            qualified_name: symbol.qualified_name,
            kind: symbol.kind,
            line: symbol.lines.first,
            line_end: symbol.lines.last,
            column: None,
            byte_column: None,
            signature: symbol.signature,
            visibility: symbol.visibility.as_str(),
            parent: symbol.container,
            decorators: symbol.decorators,
            docstring: symbol.docstring,
            local: symbol.local,
            outer_line: symbol.outer_line,
            start: symbol.bytes.start,
            tokens: Some(tokens),
            overloads: 0,
            declared_at: Vec::new(),
            use_count: 0,
            children: Vec::new(),
        }
    }

    /// The rows of the symbols that `is_shown` selects, with their children down to `depth` levels. The nesting of symbols
    /// is bounded, but a level takes more than a kilobyte of the stack.
    pub fn build_row_trees_of_kept_symbols(
        path: &str,
        symbols: Vec<Symbol>,
        costs: &LineCosts,
        depth: usize,
        is_shown: &dyn Fn(&Symbol) -> bool,
    ) -> Vec<Self> {
        let Some(remaining_depth) = depth.checked_sub(1) else { return Vec::new() };
        let rows = symbols.into_iter().filter(is_shown).map(|mut symbol| {
            let children = std::mem::take(&mut symbol.children);
            let mut row = Self::new(path, symbol, costs);
            row.children = run_on_enough_stack(|| {
                Self::build_row_trees_of_kept_symbols(path, children, costs, remaining_depth, is_shown)
            });
            row
        });
        rows.collect()
    }

    /// Fills in the columns of the names of rows and of their children, which are symbols of the file with this text. Where a
    /// name does not stand in the first line of its definition, the column is that where the definition begins.
    pub fn fill_in_columns(rows: &mut [Self], text: &str) {
        let mut offsets = Vec::new();
        let mut stack: Vec<&Self> = rows.iter().collect();
        while let Some(row) = stack.pop() {
            offsets.push(row.offset_of_name(text));
            stack.extend(row.children.iter());
        }
        let columns = columns_of_byte_offsets(text, offsets);
        let mut stack: Vec<&mut Self> = rows.iter_mut().collect();
        while let Some(row) = stack.pop() {
            if let Some((column, byte_column)) = columns.get(&row.offset_of_name(text)) {
                row.column = Some(*column);
                row.byte_column = byte_column_if_different(*column, *byte_column);
            }
            stack.extend(row.children.iter_mut());
        }
    }

    /// The byte offset of the name in the first line of the definition, or else of the definition.
    fn offset_of_name(&self, text: &str) -> usize {
        let end = text.floor_char_boundary(self.start.saturating_add(MAX_BYTES_BEFORE_NAME).min(text.len()));
        let line = text.get(self.start..end).unwrap_or("").split('\n').next().unwrap_or("");
        let is_word_char = |c: char| c.is_alphanumeric() || c == '_';
        let is_whole_name = |at: usize| {
            let (before, rest) = line.split_at_checked(at).unwrap_or_default();
            let after = rest.get(self.name.len()..).unwrap_or("");
            let is_parted = |inner: Option<char>, outer: Option<char>| {
                !(inner.is_some_and(is_word_char) && outer.is_some_and(is_word_char))
            };
            is_parted(self.name.chars().next(), before.chars().next_back())
                && is_parted(self.name.chars().next_back(), after.chars().next())
        };
        let mut found = line.match_indices(self.name.as_str()).map(|(at, _)| at).filter(|_| !self.name.is_empty());
        self.start + found.find(|at| is_whole_name(*at)).unwrap_or(0)
    }

    /// The row as a place in the file at `path`.
    pub fn place_row<'a>(&'a self, path: &'a str) -> PlaceRow<'a> {
        let text = match self.signature.as_str() {
            "" => Cow::Owned(format!("{} {}", self.kind.as_str(), self.name)),
            signature => Cow::Borrowed(signature),
        };
        let byte_column = self.byte_column.or(self.column).unwrap_or(1);
        PlaceRow { path, line: self.line, byte_column, text }
    }

    /// The row and its children as places in the file at `path`, in order.
    pub fn place_rows_of_tree<'a>(&'a self, path: &'a str) -> Vec<PlaceRow<'a>> {
        let mut places = Vec::new();
        let mut stack = vec![self];
        while let Some(row) = stack.pop() {
            places.push(row.place_row(path));
            stack.extend(row.children.iter().rev());
        }
        places
    }

    /// The symbol's lines as text: `12-40`, or `12` for a single line.
    pub fn line_range_text(&self) -> String {
        format_line_range(self.line, self.line_end)
    }

    /// The number of nesting levels in this row and its children, 1 for a row without children.
    pub fn tree_depth(&self) -> usize {
        1 + self.children.iter().map(Self::tree_depth).max().unwrap_or(0)
    }

    /// Removes the documentation from the row and its children.
    pub fn remove_documentation(&mut self) {
        let mut stack = vec![self];
        while let Some(row) = stack.pop() {
            row.docstring = None;
            stack.extend(row.children.iter_mut());
        }
    }

    /// Removes the children that are nested deeper than `depth` levels, where this row is the first level.
    pub fn remove_rows_below_depth(&mut self, depth: usize) {
        if depth <= 1 {
            self.children.clear();
        }
        self.children.iter_mut().for_each(|child| child.remove_rows_below_depth(depth.saturating_sub(1)));
    }

    /// Writes the row and its children, indented by nesting depth.
    pub fn write_row_tree(&self, depth: usize, page: &mut MarkedText) {
        let mut stack = vec![(self, depth)];
        while let Some((row, depth)) = stack.pop() {
            for _ in 0..depth {
                page.push_str("  ");
            }
            row.write_row_line(page);
            stack.extend(row.children.iter().rev().map(|child| (child, depth + 1)));
        }
    }

    /// Writes the row and its children as [`SymbolRow::write_row_tree`] does, with the children that have none themselves on
    /// the line of their owner, each with its first line: `9-40 class Cart: add(item) 12, total() 30`.
    pub fn write_row_tree_with_members_on_one_line(&self, depth: usize, page: &mut MarkedText) {
        let mut stack = vec![(self, depth)];
        while let Some((row, depth)) = stack.pop() {
            for _ in 0..depth {
                page.push_str("  ");
            }
            let members = row.children.iter().filter(|child| child.children.is_empty());
            let members: Vec<String> = members
                .map(|child| {
                    let text = if child.signature.is_empty() { &child.name } else { &child.signature };
                    let text = short_signature(text, &child.name);
                    format!("{} {}", EscapedToOneLine(text), child.line)
                })
                .collect();
            page.write_part(PartKind::Number, row.line_range_text());
            page.push(' ');
            if row.signature.is_empty() {
                let _ = write!(page, "{} {}", row.kind.as_str(), EscapedToOneLine(&row.name));
            } else {
                page.push_with_line_breaks_escaped(&short_signature(&row.signature, &row.name));
            }
            if !members.is_empty() {
                let _ = write!(page, ": {}", members.join(", "));
            }
            page.push('\n');
            let owners = row.children.iter().rev().filter(|child| !child.children.is_empty());
            stack.extend(owners.map(|child| (child, depth + 1)));
        }
    }

    /// Writes the row as one line: line range, decorators, signature, token cost and documentation.
    pub fn write_row_line(&self, page: &mut MarkedText) {
        page.write_part(PartKind::Number, self.line_range_text());
        self.write_row_after_line_range(page);
    }

    /// Writes the row after other text, up to the end of the line.
    pub fn write_row_as_rest_of_line(&self, page: &mut MarkedText) {
        page.push_str(&self.line_range_text());
        self.write_row_after_line_range(page);
    }

    fn write_row_after_line_range(&self, page: &mut MarkedText) {
        page.push(' ');
        for decorator in &self.decorators {
            let _ = write!(page, "{} ", EscapedToOneLine(decorator));
        }
        if self.signature.is_empty() {
            let _ = write!(page, "{} {}", self.kind.as_str(), EscapedToOneLine(&self.name));
        } else {
            page.push_with_line_breaks_escaped(&short_signature(&self.signature, &self.name));
        }
        if let Some(tokens) = self.tokens.filter(|_| !self.kind.is_field_property_or_enum_member()) {
            page.write_token_cost(tokens);
        }
        let declared = self.declarations_text();
        if !declared.is_empty() {
            let _ = write!(page, "  ({})", EscapedToOneLine(declared));
        }
        if let Some(docstring) = &self.docstring {
            let _ = write!(page, "  # {}", EscapedToOneLine(docstring));
        }
        page.push('\n');
    }

    /// What stands in this row in addition to the definition: overloads, and declarations in other files. Empty for most.
    pub fn declarations_text(&self) -> String {
        let mut parts = Vec::new();
        if self.overloads > 0 {
            parts.push(format!("+{}", format_count_with_noun(self.overloads, "overload", "overloads")));
        }
        if let Some((first, more)) = self.declared_at.split_first() {
            let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
            parts.push(format!("declared at {first}{more}"));
        }
        parts.join("; ")
    }

    /// The number of rows in this row's tree, this row included.
    pub fn count_rows_in_tree(&self) -> usize {
        let mut stack = vec![self];
        let mut count = 0;
        while let Some(row) = stack.pop() {
            count += 1;
            stack.extend(row.children.iter());
        }
        count
    }
}

/// The maximum number of characters of a signature in a text row; JSON contains the whole signature.
const MAX_SIGNATURE_CHARS: usize = 200;

/// The richest form of a signature that has at most [`MAX_SIGNATURE_CHARS`] characters: whole, without default values, with
/// the names of its parameters alone, or cut.
fn short_signature<'a>(signature: &'a str, name: &str) -> Cow<'a, str> {
    let is_short = |text: &str| text.chars().count() <= MAX_SIGNATURE_CHARS;
    if is_short(signature) {
        return Cow::Borrowed(signature);
    }
    let without_values = signature_without_default_values(signature, name);
    if is_short(&without_values) {
        return without_values;
    }
    let names = signature_with_parameter_names(signature, name);
    match is_short(&names) {
        true => names,
        false => Cow::Owned(clip_signature_keeping_name(&names, name, MAX_SIGNATURE_CHARS).into_owned()),
    }
}

/// A row of an answer that describes an import.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ImportRow {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    pub source: String,
    pub names: Vec<String>,
    pub import_kind: &'static str,
    pub line: u32,
    pub line_end: u32,
}

impl From<&Import> for ImportRow {
    fn from(import: &Import) -> Self {
        Self {
            text: import.text.clone(),
            source: import.source.clone(),
            names: import.names.clone(),
            import_kind: import.kind.as_str(),
            line: import.lines.first,
            line_end: import.lines.last,
        }
    }
}

/// A row of an answer that describes an export.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ExportRow {
    pub name: String,
    pub export_kind: &'static str,
    pub line: u32,
}

impl From<&Export> for ExportRow {
    fn from(export: &Export) -> Self {
        Self { name: export.name.clone(), export_kind: export.kind.as_str(), line: export.line }
    }
}
