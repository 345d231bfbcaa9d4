//! Divides a file into the ranges that are ranked as passages, by the file's symbols. The ranges are exact to the byte,
//! because one line may contain many symbols.

use std::cmp::Reverse;
use std::ops::Range;

use peelback_syntax::{Lines, Symbol, SymbolKind, walk_symbols_with_depth};

use crate::words::identifiers_in_text;

/// The maximum number of functions, class headers, sections and similar ranges of one file that are ranked. A file with
/// more of them is generated.
const MAX_OWN_EXTENTS: usize = 16_000;

/// The maximum number of fields, keys and similar values of one file that are ranked.
const MAX_VALUE_EXTENTS: usize = 4_000;

/// The texts with which a comment line can begin, in any language.
const COMMENT_STARTS: [&str; 6] = ["#", "//", "--", "/*", "* ", "*/"];

/// A range of a file that is ranked as one passage.
pub(super) struct Extent<'a> {
    pub symbol: &'a Symbol,
    /// The symbol that encloses this extent's symbol; `None` at the top level.
    pub owner: Option<&'a Symbol>,
    pub bytes: Range<usize>,
    pub lines: Lines,
    pub part: SymbolPart,
    /// Whether the range is ranked as a passage of its own only if the question mentions its symbol or asks for symbols
    /// of its kind. In all other cases, it counts only as part of the enclosing range.
    pub on_request: bool,
    /// The index, in the file's list of extents, of the extent that encloses this one and also contains its words.
    pub enclosing: Option<usize>,
}

/// Which part of its symbol an extent covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SymbolPart {
    /// The extent covers the whole symbol.
    Whole,
    /// The extent covers the text before the symbol's first member.
    Header,
    /// The extent covers the text between the symbol's members, or after the last member.
    Remainder,
}

/// The extents into which a file is divided, and whether limits left some out.
pub(super) struct Extents<'a> {
    /// The extents of the file. A nested extent comes after its enclosing one; extents that are not nested do not
    /// overlap.
    pub list: Vec<Extent<'a>>,
    /// Whether extents that are not nested were left out, because the file has more of them than the limit.
    pub is_truncated: bool,
    /// Whether values, the nested extents, were left out, because the file has more of them than the limit.
    pub are_values_truncated: bool,
}

/// How a symbol takes part in the ranking of passages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RankingMode {
    /// The symbol is ranked as a whole: a function or method.
    Function,
    /// The symbol is ranked by the text around its members.
    Container,
    /// The symbol is ranked as a part of the enclosing symbol: a field, a constant, a key.
    Value,
    /// The symbol is not ranked: as a local symbol, it is part of its function.
    Local,
}

fn ranking_mode_of_symbol(symbol: &Symbol, owner: Option<&Symbol>) -> RankingMode {
    if symbol.local || owner.is_some_and(|owner| owner.kind.is_callable()) {
        return RankingMode::Local;
    }
    if symbol.kind.is_callable() {
        return RankingMode::Function;
    }
    // A property of several lines contains code. A symbol that contains functions is divided by its members.
    let has_code = symbol.kind == SymbolKind::Property && symbol.lines.count() > 1;
    let is_part =
        is_value_symbol_kind(symbol.kind) && owner.is_some_and(|owner| !is_module_namespace_or_impl(owner.kind));
    let holds_functions =
        || walk_symbols_with_depth(&symbol.children).any(|(child, _)| child.kind.is_callable() && !child.local);
    if is_part && !has_code && !holds_functions() { RankingMode::Value } else { RankingMode::Container }
}

/// Whether symbols of this kind hold values: fields, constants, keys and the like.
pub(super) fn is_value_symbol_kind(kind: SymbolKind) -> bool {
    use SymbolKind as Kind;
    matches!(kind, Kind::Variable | Kind::Constant | Kind::Field | Kind::Property | Kind::EnumMember | Kind::Key)
}

/// Whether the members of symbols of this kind stand on their own: the members of a module, a namespace or an impl
/// block do not describe the shape of a type.
fn is_module_namespace_or_impl(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Module | SymbolKind::Namespace | SymbolKind::Impl)
}

/// A text with the byte offsets at which its lines begin.
struct LineIndexedText<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> LineIndexedText<'t> {
    fn new(text: &'t str) -> Self {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|newline| newline + 1));
        Self { text, starts }
    }

    /// The byte offset of the start of `line`, counted from 1.
    fn offset_of_line(&self, line: u32) -> usize {
        self.starts.get(line.saturating_sub(1) as usize).copied().unwrap_or(self.text.len())
    }

    /// The number of the line, counted from 1, that contains the byte at offset `byte`.
    fn line_number_at(&self, byte: usize) -> u32 {
        u32::try_from(self.starts.partition_point(|start| *start <= byte)).unwrap_or(u32::MAX).max(1)
    }

    /// The byte offset of the start of the line that contains the byte at offset `byte`.
    fn line_start_at(&self, byte: usize) -> usize {
        self.offset_of_line(self.line_number_at(byte))
    }

    /// The byte offset after the line break of the line in which a byte range that ends at `end` ends.
    fn end_of_line_containing_range_end(&self, end: usize) -> usize {
        self.offset_of_line(self.line_number_at(end.saturating_sub(1)).saturating_add(1))
    }

    /// The byte range of a symbol with its doc comments and attributes. If the recorded byte range does not fit the
    /// symbol's lines, the byte range of these lines.
    fn symbol_byte_range_with_docs_and_attributes(&self, symbol: &Symbol) -> Range<usize> {
        let Range { start, end } = symbol.bytes.clone();
        let outer = symbol.outer_start.min(start);
        let fits = start < end
            && end <= self.text.len()
            && self.line_number_at(start) == symbol.lines.first
            && self.line_number_at(end - 1) == symbol.lines.last
            && self.text.is_char_boundary(outer)
            && self.text.is_char_boundary(end);
        if fits {
            return outer..end;
        }
        self.offset_of_line(symbol.outer_line.min(symbol.lines.first))
            ..self.offset_of_line(symbol.lines.last.saturating_add(1))
    }

    /// The byte offset of the first of the comment lines right above the line that starts at offset `line`, searched no
    /// further up than offset `least`. A comment above a member of a class belongs to the member, not to the remaining
    /// text of the class.
    fn start_of_comments_above_line(&self, line: usize, least: usize) -> usize {
        let mut start = line;
        while let Some(before) =
            start.checked_sub(1).map(|end| self.line_start_at(end)).filter(|before| *before >= least)
        {
            let text = self.text.get(before..start).unwrap_or("").trim_start();
            if !COMMENT_STARTS.iter().any(|mark| text.starts_with(mark)) {
                break;
            }
            start = before;
        }
        start
    }

    /// The byte range without the white space at its ends; `None` if the text in the range contains no meaningful word.
    fn trimmed_range_if_meaningful(&self, range: Range<usize>) -> Option<Range<usize>> {
        let text = self.text.get(range.clone())?;
        let trimmed = text.trim_start();
        let start = range.end - trimmed.len();
        let trimmed = trimmed.trim_end();
        // A lone `end`, which closes a body in some languages, is no meaningful word.
        let says = identifiers_in_text(trimmed).any(|(_, word)| word.len() > 1 && word != "end");
        says.then_some(start..start + trimmed.len())
    }
}

/// A symbol with members, and the byte range that is divided between the symbol and its members.
struct Container<'a> {
    symbol: Option<&'a Symbol>,
    owner: Option<&'a Symbol>,
    members: &'a [Symbol],
    /// The byte range of the symbol itself.
    own: Range<usize>,
    /// The byte range assigned to the symbol, which includes the rest of its lines.
    bytes: Range<usize>,
}

/// Divides the text of a file into extents, given the symbols of the file.
pub(super) fn divide_text_into_extents<'a>(text: &str, symbols: &'a [Symbol]) -> Extents<'a> {
    let text = LineIndexedText::new(text);
    let all = 0..text.text.len();
    let mut own: Vec<Extent<'a>> = Vec::new();
    let mut values: Vec<Extent<'a>> = Vec::new();
    let top = Container { symbol: None, owner: None, members: symbols, own: all.clone(), bytes: all };
    let mut holders = vec![top];
    while let Some(holder) = holders.pop() {
        assign_byte_ranges_to_members(&text, &holder, &mut own, &mut values, &mut holders);
        if own.len() > MAX_OWN_EXTENTS {
            break;
        }
    }
    own.sort_by_key(|extent| (extent.bytes.start, extent.bytes.end));
    let (is_cut, lacks_values) = (own.len() > MAX_OWN_EXTENTS, values.len() > MAX_VALUE_EXTENTS);
    own.truncate(MAX_OWN_EXTENTS);
    values.sort_by_key(|extent| (extent.bytes.start, Reverse(extent.bytes.end)));
    values.truncate(MAX_VALUE_EXTENTS);
    Extents {
        list: join_unnested_and_nested_extents(&text, own, values),
        is_truncated: is_cut,
        are_values_truncated: lacks_values,
    }
}

/// Assigns byte ranges to the members of a container; the container keeps the remaining bytes as its own extents.
fn assign_byte_ranges_to_members<'a>(
    text: &LineIndexedText<'_>,
    holder: &Container<'a>,
    own: &mut Vec<Extent<'a>>,
    values: &mut Vec<Extent<'a>>,
    holders: &mut Vec<Container<'a>>,
) {
    let value = |symbol: &'a Symbol, owner: Option<&'a Symbol>, bytes: Range<usize>, on_request: bool| {
        let lines = Lines { first: symbol.outer_line.min(symbol.lines.first), last: symbol.lines.last };
        Extent { symbol, owner, bytes, lines, part: SymbolPart::Whole, on_request, enclosing: None }
    };
    let mut members: Vec<(&'a Symbol, RankingMode, Range<usize>)> = Vec::new();
    for member in holder.members {
        match ranking_mode_of_symbol(member, holder.symbol) {
            RankingMode::Local => {}
            RankingMode::Value => {
                values.push(value(
                    member,
                    holder.symbol,
                    text.symbol_byte_range_with_docs_and_attributes(member),
                    true,
                ));
                // In a document, a key can contain nested keys.
                let mut owners = vec![member];
                for (inner, depth) in walk_symbols_with_depth(&member.children) {
                    owners.truncate(depth + 1);
                    if !inner.local && values.len() <= MAX_VALUE_EXTENTS {
                        values.push(value(
                            inner,
                            owners.last().copied(),
                            text.symbol_byte_range_with_docs_and_attributes(inner),
                            true,
                        ));
                    }
                    owners.push(inner);
                }
            }
            sort => members.push((member, sort, text.symbol_byte_range_with_docs_and_attributes(member))),
        }
    }
    members.sort_by_key(|(_, _, bytes)| bytes.start);
    let mut at = holder.bytes.start;
    let mut before = None;
    let mut members = members.into_iter().peekable();
    while let Some((member, sort, bytes)) = members.next() {
        // Members on one line share the line: each member gets the text up to the next one.
        let line = text.line_start_at(bytes.start);
        let shares = before.map_or_else(
            || holder.symbol.is_some() && text.line_start_at(holder.own.start) == line,
            |before| before > line,
        );
        let start = match (shares, holder.symbol) {
            (true, _) => bytes.start,
            // A Markdown heading begins with `#`, like a comment in some languages, so sections take no comments from
            // above.
            (false, Some(symbol)) if symbol.kind != SymbolKind::Section => {
                text.start_of_comments_above_line(line.max(at), at)
            }
            (false, _) => line,
        };
        let start = start.max(at);
        // Members with overlapping bytes get the same range: two names bound by one statement, or symbols without known
        // bytes.
        while let Some((other, ..)) = members.next_if(|(_, _, next)| next.start < bytes.end) {
            values.push(value(other, holder.symbol, bytes.clone(), false));
            for (inner, _) in walk_symbols_with_depth(&other.children).filter(|(inner, _)| inner.kind.is_callable()) {
                if !inner.local {
                    values.push(value(
                        inner,
                        Some(other),
                        text.symbol_byte_range_with_docs_and_attributes(inner),
                        false,
                    ));
                }
            }
        }
        let rest = text.end_of_line_containing_range_end(bytes.end);
        let closes = holder.symbol.is_some()
            && holder.own.end > bytes.end
            && text.end_of_line_containing_range_end(holder.own.end) == rest;
        let end = match members.peek() {
            Some((_, _, next)) if next.start < rest => next.start,
            _ if closes => bytes.end,
            _ => rest.max(bytes.end),
        };
        let end = end.min(holder.bytes.end).max(start);
        add_container_text_extent(
            text,
            holder,
            at..start,
            if before.is_none() { SymbolPart::Header } else { SymbolPart::Remainder },
            own,
        );
        before = Some(bytes.end);
        at = end;
        match sort {
            RankingMode::Function => {
                let first = text.line_number_at(start).min(member.outer_line).min(member.lines.first);
                let lines = Lines { first, last: member.lines.last };
                let owner = holder.symbol;
                let bytes = start..end;
                let extent = Extent {
                    symbol: member,
                    owner,
                    bytes,
                    lines,
                    part: SymbolPart::Whole,
                    on_request: false,
                    enclosing: None,
                };
                own.push(extent);
            }
            _ => holders.push(Container {
                symbol: Some(member),
                owner: holder.symbol,
                members: &member.children,
                own: bytes,
                bytes: start..end,
            }),
        }
    }
    let part = if before.is_none() { SymbolPart::Whole } else { SymbolPart::Remainder };
    add_container_text_extent(text, holder, at..holder.bytes.end.max(at), part, own);
}

/// Adds an extent for text of a container that belongs to none of its members. A whole file has no text of its own.
fn add_container_text_extent<'a>(
    text: &LineIndexedText<'_>,
    holder: &Container<'a>,
    bytes: Range<usize>,
    part: SymbolPart,
    own: &mut Vec<Extent<'a>>,
) {
    let Some(symbol) = holder.symbol else { return };
    let first = text.line_number_at(holder.bytes.start).min(symbol.outer_line).min(symbol.lines.first);
    let (bytes, lines) = match part {
        SymbolPart::Whole => (bytes, Lines { first, last: symbol.lines.last }),
        SymbolPart::Header => {
            let last = text.line_number_at(bytes.end.saturating_sub(1)).max(symbol.lines.first);
            (bytes, Lines { first, last })
        }
        SymbolPart::Remainder => {
            let Some(bytes) = text.trimmed_range_if_meaningful(bytes) else { return };
            let lines = Lines { first: text.line_number_at(bytes.start), last: text.line_number_at(bytes.end - 1) };
            (bytes, lines)
        }
    };
    // The header of an impl block adds nothing to the definition of its type.
    let on_request = symbol.kind == SymbolKind::Impl && part != SymbolPart::Remainder;
    own.push(Extent { symbol, owner: holder.owner, bytes, lines, part, on_request, enclosing: None });
}

/// Joins the extents of a file to one list: first `own`, the extents that are not nested, then `values`, the nested
/// ones, each with the index of its enclosing extent. An enclosing extent comes before the extents in it.
fn join_unnested_and_nested_extents<'a>(
    text: &LineIndexedText<'_>,
    own: Vec<Extent<'a>>,
    values: Vec<Extent<'a>>,
) -> Vec<Extent<'a>> {
    let mut list = own;
    let own = list.len();
    let starts: Vec<usize> = values.iter().map(|value| value.bytes.start).collect();
    let mut around: Vec<(usize, usize)> = Vec::new();
    for (index, mut value) in values.into_iter().enumerate() {
        let Range { start, end } = value.bytes.clone();
        around.retain(|(_, their_end)| *their_end >= end && *their_end > start);
        let holder = list.get(..own).unwrap_or(&[]).partition_point(|extent| extent.bytes.start <= start);
        let holder = holder.checked_sub(1).filter(|at| list.get(*at).is_some_and(|extent| extent.bytes.end > start));
        value.enclosing = around.last().map(|(index, _)| *index).or(holder);
        // The range includes the text after the value on its line.
        let rest = text.end_of_line_containing_range_end(end);
        let is_last = starts.get(index + 1).is_none_or(|next| *next >= rest);
        let most = value.enclosing.and_then(|at| list.get(at)).map_or(rest, |outer| outer.bytes.end);
        let wider = if is_last { rest.min(most).max(end) } else { end };
        value.bytes = start..wider;
        around.push((list.len(), wider));
        list.push(value);
    }
    list
}

#[cfg(test)]
mod tests {
    use peelback_syntax::{Limits, language};

    use super::*;

    /// Each extent as `name part first-last`, extents on request in brackets. Asserts that only nested extents overlap.
    fn shown(name: &str, text: &str) -> Vec<String> {
        let language = language::language_of_file_name(name).expect("a language");
        let facts = peelback_syntax::analyse_source(language, text, &Limits::default());
        let list = divide_text_into_extents(text, &facts.symbols).list;
        for (index, one) in list.iter().enumerate() {
            for other in list.get(index + 1..).unwrap_or(&[]).iter().filter(|other| other.enclosing.is_none()) {
                let is_apart =
                    one.enclosing.is_some() || one.bytes.end <= other.bytes.start || other.bytes.end <= one.bytes.start;
                assert!(is_apart, "{} and {} in {text}", one.symbol.name, other.symbol.name);
            }
        }
        let mut list: Vec<&Extent<'_>> = list.iter().collect();
        list.sort_by_key(|extent| (extent.bytes.start, Reverse(extent.bytes.end)));
        let one = |extent: &&Extent<'_>| {
            let Extent { symbol, lines, part, on_request, .. } = extent;
            let text = format!("{} {part:?} {}-{}", symbol.name, lines.first, lines.last);
            if *on_request { format!("({text})") } else { text }
        };
        list.iter().map(one).collect()
    }

    #[test]
    fn a_class_is_its_head_and_what_stands_around_its_methods() {
        let text = "\
LIMIT = 3


class Store:
    \"\"\"Keeps.\"\"\"
    size: int = 0

    def put(self):
        pass

    registry = make(
        1,
    )
    # What follows is for tests.

    # The thing itself.
    def get(self):
        pass

    colour = 'red'
";
        let expected = [
            "LIMIT Whole 1-1",
            "Store Header 4-7",
            "(size Whole 6-6)",
            "put Whole 8-9",
            "Store Remainder 11-14",
            "(registry Whole 11-13)",
            "get Whole 16-18",
            "Store Remainder 20-20",
            "(colour Whole 20-20)",
        ];
        assert_eq!(shown("a.py", text), expected);
    }

    #[test]
    fn functions_on_one_line_are_told_apart() {
        let text = "function alpha(){return 1}function beta(){return 2}class C{m(){return 3}n(){return 4}}\n";
        let expected = ["alpha Whole 1-1", "beta Whole 1-1", "C Header 1-1", "m Whole 1-1", "n Whole 1-1"];
        assert_eq!(shown("a.js", text), expected);
        let language = language::language_of_file_name("a.js").expect("a language");
        let facts = peelback_syntax::analyse_source(language, text, &Limits::default());
        let list = divide_text_into_extents(text, &facts.symbols).list;
        let of = |name: &str| {
            let extent = list.iter().find(|extent| extent.symbol.name == name).expect("an extent");
            text.get(extent.bytes.clone()).expect("text").trim_end()
        };
        assert_eq!(of("alpha"), "function alpha(){return 1}");
        assert_eq!(of("beta"), "function beta(){return 2}");
        assert_eq!(of("m"), "m(){return 3}");
    }

    #[test]
    fn impl_blocks_are_their_functions_and_constants() {
        let text = "\
struct Pool {
    size: usize,
}

impl Pool {
    const MOST: usize = 3;

    fn grow(&mut self) {}
}

mod inner {
    pub static DEPTH: u32 = 1;
    pub type Deep = u8;
}
";
        let expected = [
            "Pool Whole 1-3",
            "(size Whole 2-2)",
            "(impl Pool Header 5-5)",
            "MOST Whole 6-6",
            "grow Whole 8-8",
            "inner Header 11-11",
            "DEPTH Whole 12-12",
            "Deep Whole 13-13",
        ];
        assert_eq!(shown("a.rs", text), expected);
    }

    #[test]
    fn sections_end_where_the_next_begins() {
        let text = "# Mast\n## Deep\nText of it.\n\n## Wide\n* More\n";
        assert_eq!(shown("a.md", text), ["Mast Header 1-1", "Deep Whole 2-3", "Wide Whole 5-6"]);
    }

    #[test]
    fn keys_below_keys_are_on_request() {
        let text = "{\n  \"name\": \"x\",\n  \"deep\": {\n    \"one\": { \"two\": 2 }\n  }\n}\n";
        let expected = ["name Whole 2-2", "deep Whole 3-5", "(one Whole 4-4)", "(two Whole 4-4)"];
        assert_eq!(shown("a.json", text), expected);
    }

    #[test]
    fn bytes_that_do_not_fit_their_lines_are_not_believed() {
        let text = "def a(): pass\ndef b(): pass\n";
        let language = language::language_of_file_name("a.py").expect("a language");
        let mut symbols = peelback_syntax::analyse_source(language, text, &Limits::default()).symbols;
        for symbol in &mut symbols {
            symbol.bytes = 0..0;
            symbol.outer_start = 0;
        }
        let bytes: Vec<Range<usize>> =
            divide_text_into_extents(text, &symbols).list.into_iter().map(|one| one.bytes).collect();
        assert_eq!(bytes, [0..14, 14..28]);
    }
}
