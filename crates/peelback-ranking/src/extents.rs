//! Where the passages of a file begin and end: by its symbols, to the byte, since a file may have many on one line.

use std::cmp::Reverse;
use std::ops::Range;

use peelback_syntax::{Lines, Symbol, SymbolKind, walk_symbols};

use crate::words::identifiers;

/// Functions, headers, sections and the like of one file; more than that is made by a machine.
const MOST_OWN: usize = 16_000;

/// Fields, keys and the like of one file.
const MOST_VALUES: usize = 4_000;

/// What lines of comments begin with.
const COMMENTS: [&str; 6] = ["#", "//", "--", "/*", "* ", "*/"];

/// A part of a file that is ranked.
pub(super) struct Extent<'a> {
    pub symbol: &'a Symbol,
    /// The symbol that it is in.
    pub owner: Option<&'a Symbol>,
    pub bytes: Range<usize>,
    pub lines: Lines,
    pub part: Part,
    /// It is ranked only where the question mentions it or wants its kind: else it is part of what it is in.
    pub on_request: bool,
    /// The extent that it is in, which has its words, too.
    pub inside: Option<usize>,
}

/// What an extent is of its symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// All of it.
    Whole,
    /// What stands before its first member.
    Head,
    /// What stands between its members or behind them.
    Rest,
}

/// The extents of a file.
pub(super) struct Extents<'a> {
    /// Extents that are in another stand behind it; the others do not overlap.
    pub list: Vec<Extent<'a>>,
    /// Whether there are more than are ranked.
    pub is_cut: bool,
    /// The same of those that are in others.
    pub lacks_values: bool,
}

/// How a symbol is ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    /// As a whole.
    Function,
    /// By what stands around its members.
    Holder,
    /// As a part of what it is in.
    Value,
    /// Not at all: it is part of a function.
    Local,
}

fn sort_of(symbol: &Symbol, owner: Option<&Symbol>) -> Sort {
    if symbol.local || owner.is_some_and(|owner| owner.kind.is_callable()) {
        return Sort::Local;
    }
    if symbol.kind.is_callable() {
        return Sort::Function;
    }
    // A property of several lines has code; what holds functions is looked into.
    let has_code = symbol.kind == SymbolKind::Property && symbol.lines.count() > 1;
    let is_part = is_value(symbol.kind) && owner.is_some_and(|owner| !is_room(owner.kind));
    let holds_functions = || walk_symbols(&symbol.children).any(|(child, _)| child.kind.is_callable() && !child.local);
    if is_part && !has_code && !holds_functions() { Sort::Value } else { Sort::Holder }
}

/// Kinds of what has a value.
pub(super) fn is_value(kind: SymbolKind) -> bool {
    use SymbolKind as Kind;
    matches!(kind, Kind::Variable | Kind::Constant | Kind::Field | Kind::Property | Kind::EnumMember | Kind::Key)
}

/// Kinds whose members stand for themselves: what is in a module or an impl block is no part of a type's shape.
fn is_room(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Module | SymbolKind::Namespace | SymbolKind::Impl)
}

/// Where the lines of a text begin.
struct Text<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Text<'t> {
    fn new(text: &'t str) -> Self {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|newline| newline + 1));
        Self { text, starts }
    }

    /// Where a line (from 1) begins.
    fn line(&self, line: u32) -> usize {
        self.starts.get(line.saturating_sub(1) as usize).copied().unwrap_or(self.text.len())
    }

    /// The line (from 1) of a byte.
    fn line_of(&self, byte: usize) -> u32 {
        u32::try_from(self.starts.partition_point(|start| *start <= byte)).unwrap_or(u32::MAX).max(1)
    }

    /// Where the line of a byte begins.
    fn line_start(&self, byte: usize) -> usize {
        self.line(self.line_of(byte))
    }

    /// Where the line ends in which a range ends, behind its line break.
    fn line_end(&self, end: usize) -> usize {
        self.line(self.line_of(end.saturating_sub(1)).saturating_add(1))
    }

    /// The bytes of a symbol with what stands above it; its lines where the bytes do not fit those.
    fn bytes_of(&self, symbol: &Symbol) -> Range<usize> {
        let Range { start, end } = symbol.bytes.clone();
        let outer = symbol.outer_start.min(start);
        let fits = start < end
            && end <= self.text.len()
            && self.line_of(start) == symbol.lines.first
            && self.line_of(end - 1) == symbol.lines.last
            && self.text.is_char_boundary(outer)
            && self.text.is_char_boundary(end);
        if fits {
            return outer..end;
        }
        self.line(symbol.outer_line.min(symbol.lines.first))..self.line(symbol.lines.last.saturating_add(1))
    }

    /// Where the comments begin that stand right above a line; nothing before `least` is looked at. What is said of one
    /// member is no rest of their class.
    fn with_comments(&self, line: usize, least: usize) -> usize {
        let mut start = line;
        while let Some(before) = start.checked_sub(1).map(|end| self.line_start(end)).filter(|before| *before >= least)
        {
            let text = self.text.get(before..start).unwrap_or("").trim_start();
            if !COMMENTS.iter().any(|mark| text.starts_with(mark)) {
                break;
            }
            start = before;
        }
        start
    }

    /// A range without white space at its ends, where it says something.
    fn said(&self, range: Range<usize>) -> Option<Range<usize>> {
        let text = self.text.get(range.clone())?;
        let trimmed = text.trim_start();
        let start = range.end - trimmed.len();
        let trimmed = trimmed.trim_end();
        // The word that closes a body in some languages says nothing.
        let says = identifiers(trimmed).any(|(_, word)| word.len() > 1 && word != "end");
        says.then_some(start..start + trimmed.len())
    }
}

/// A symbol that holds others, and the bytes that are to be shared between it and them.
struct Holder<'a> {
    symbol: Option<&'a Symbol>,
    owner: Option<&'a Symbol>,
    members: &'a [Symbol],
    /// Those of the symbol itself.
    own: Range<usize>,
    /// Those that it was given, with the rest of its lines.
    bytes: Range<usize>,
}

/// The extents of a text with these symbols.
pub(super) fn extents<'a>(text: &str, symbols: &'a [Symbol]) -> Extents<'a> {
    let text = Text::new(text);
    let all = 0..text.text.len();
    let mut own: Vec<Extent<'a>> = Vec::new();
    let mut values: Vec<Extent<'a>> = Vec::new();
    let top = Holder { symbol: None, owner: None, members: symbols, own: all.clone(), bytes: all };
    let mut holders = vec![top];
    while let Some(holder) = holders.pop() {
        share(&text, &holder, &mut own, &mut values, &mut holders);
        if own.len() > MOST_OWN {
            break;
        }
    }
    own.sort_by_key(|extent| (extent.bytes.start, extent.bytes.end));
    let (is_cut, lacks_values) = (own.len() > MOST_OWN, values.len() > MOST_VALUES);
    own.truncate(MOST_OWN);
    values.sort_by_key(|extent| (extent.bytes.start, Reverse(extent.bytes.end)));
    values.truncate(MOST_VALUES);
    Extents { list: nested(&text, own, values), is_cut, lacks_values }
}

/// Gives each member of a holder its bytes, and the holder what is left.
fn share<'a>(
    text: &Text<'_>,
    holder: &Holder<'a>,
    own: &mut Vec<Extent<'a>>,
    values: &mut Vec<Extent<'a>>,
    holders: &mut Vec<Holder<'a>>,
) {
    let value = |symbol: &'a Symbol, owner: Option<&'a Symbol>, bytes: Range<usize>, on_request: bool| {
        let lines = Lines { first: symbol.outer_line.min(symbol.lines.first), last: symbol.lines.last };
        Extent { symbol, owner, bytes, lines, part: Part::Whole, on_request, inside: None }
    };
    let mut members: Vec<(&'a Symbol, Sort, Range<usize>)> = Vec::new();
    for member in holder.members {
        match sort_of(member, holder.symbol) {
            Sort::Local => {}
            Sort::Value => {
                values.push(value(member, holder.symbol, text.bytes_of(member), true));
                // A key of a document has keys of its own.
                let mut owners = vec![member];
                for (inner, depth) in walk_symbols(&member.children) {
                    owners.truncate(depth + 1);
                    if !inner.local && values.len() <= MOST_VALUES {
                        values.push(value(inner, owners.last().copied(), text.bytes_of(inner), true));
                    }
                    owners.push(inner);
                }
            }
            sort => members.push((member, sort, text.bytes_of(member))),
        }
    }
    members.sort_by_key(|(_, _, bytes)| bytes.start);
    let mut at = holder.bytes.start;
    let mut before = None;
    let mut members = members.into_iter().peekable();
    while let Some((member, sort, bytes)) = members.next() {
        // Several on one line share it: each has what stands behind it.
        let line = text.line_start(bytes.start);
        let shares = before.map_or_else(
            || holder.symbol.is_some() && text.line_start(holder.own.start) == line,
            |before| before > line,
        );
        let start = match (shares, holder.symbol) {
            (true, _) => bytes.start,
            // A heading begins as a comment does.
            (false, Some(symbol)) if symbol.kind != SymbolKind::Section => text.with_comments(line.max(at), at),
            (false, _) => line,
        };
        let start = start.max(at);
        // Two names of one statement, or what no bytes are known of: both have it all.
        while let Some((other, ..)) = members.next_if(|(_, _, next)| next.start < bytes.end) {
            values.push(value(other, holder.symbol, bytes.clone(), false));
            for (inner, _) in walk_symbols(&other.children).filter(|(inner, _)| inner.kind.is_callable()) {
                if !inner.local {
                    values.push(value(inner, Some(other), text.bytes_of(inner), false));
                }
            }
        }
        let rest = text.line_end(bytes.end);
        let closes = holder.symbol.is_some() && holder.own.end > bytes.end && text.line_end(holder.own.end) == rest;
        let end = match members.peek() {
            Some((_, _, next)) if next.start < rest => next.start,
            _ if closes => bytes.end,
            _ => rest.max(bytes.end),
        };
        let end = end.min(holder.bytes.end).max(start);
        remains(text, holder, at..start, if before.is_none() { Part::Head } else { Part::Rest }, own);
        before = Some(bytes.end);
        at = end;
        match sort {
            Sort::Function => {
                let first = text.line_of(start).min(member.outer_line).min(member.lines.first);
                let lines = Lines { first, last: member.lines.last };
                let owner = holder.symbol;
                let bytes = start..end;
                let extent =
                    Extent { symbol: member, owner, bytes, lines, part: Part::Whole, on_request: false, inside: None };
                own.push(extent);
            }
            _ => holders.push(Holder {
                symbol: Some(member),
                owner: holder.symbol,
                members: &member.children,
                own: bytes,
                bytes: start..end,
            }),
        }
    }
    let part = if before.is_none() { Part::Whole } else { Part::Rest };
    remains(text, holder, at..holder.bytes.end.max(at), part, own);
}

/// Adds what a holder has for itself. A file has nothing for itself.
fn remains<'a>(text: &Text<'_>, holder: &Holder<'a>, bytes: Range<usize>, part: Part, own: &mut Vec<Extent<'a>>) {
    let Some(symbol) = holder.symbol else { return };
    let first = text.line_of(holder.bytes.start).min(symbol.outer_line).min(symbol.lines.first);
    let (bytes, lines) = match part {
        Part::Whole => (bytes, Lines { first, last: symbol.lines.last }),
        Part::Head => {
            let last = text.line_of(bytes.end.saturating_sub(1)).max(symbol.lines.first);
            (bytes, Lines { first, last })
        }
        Part::Rest => {
            let Some(bytes) = text.said(bytes) else { return };
            let lines = Lines { first: text.line_of(bytes.start), last: text.line_of(bytes.end - 1) };
            (bytes, lines)
        }
    };
    // The head of an impl block says no more than the type that it is of.
    let on_request = symbol.kind == SymbolKind::Impl && part != Part::Rest;
    own.push(Extent { symbol, owner: holder.owner, bytes, lines, part, on_request, inside: None });
}

/// All extents, those that are in others behind them.
fn nested<'a>(text: &Text<'_>, own: Vec<Extent<'a>>, values: Vec<Extent<'a>>) -> Vec<Extent<'a>> {
    let mut list = own;
    let own = list.len();
    let starts: Vec<usize> = values.iter().map(|value| value.bytes.start).collect();
    let mut around: Vec<(usize, usize)> = Vec::new();
    for (index, mut value) in values.into_iter().enumerate() {
        let Range { start, end } = value.bytes.clone();
        around.retain(|(_, their_end)| *their_end >= end && *their_end > start);
        let holder = list.get(..own).unwrap_or(&[]).partition_point(|extent| extent.bytes.start <= start);
        let holder = holder.checked_sub(1).filter(|at| list.get(*at).is_some_and(|extent| extent.bytes.end > start));
        value.inside = around.last().map(|(index, _)| *index).or(holder);
        // With what is said behind it on its line.
        let rest = text.line_end(end);
        let is_last = starts.get(index + 1).is_none_or(|next| *next >= rest);
        let most = value.inside.and_then(|at| list.get(at)).map_or(rest, |outer| outer.bytes.end);
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

    /// Each extent as `name part first-last`, those on request in brackets; checks that none overlap but those inside.
    fn shown(name: &str, text: &str) -> Vec<String> {
        let language = language::of_name(name).expect("a language");
        let facts = peelback_syntax::analyse(language, text, &Limits::default());
        let list = extents(text, &facts.symbols).list;
        for (index, one) in list.iter().enumerate() {
            for other in list.get(index + 1..).unwrap_or(&[]).iter().filter(|other| other.inside.is_none()) {
                let is_apart =
                    one.inside.is_some() || one.bytes.end <= other.bytes.start || other.bytes.end <= one.bytes.start;
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
            "Store Head 4-7",
            "(size Whole 6-6)",
            "put Whole 8-9",
            "Store Rest 11-14",
            "(registry Whole 11-13)",
            "get Whole 16-18",
            "Store Rest 20-20",
            "(colour Whole 20-20)",
        ];
        assert_eq!(shown("a.py", text), expected);
    }

    #[test]
    fn functions_on_one_line_are_told_apart() {
        let text = "function alpha(){return 1}function beta(){return 2}class C{m(){return 3}n(){return 4}}\n";
        let expected = ["alpha Whole 1-1", "beta Whole 1-1", "C Head 1-1", "m Whole 1-1", "n Whole 1-1"];
        assert_eq!(shown("a.js", text), expected);
        let language = language::of_name("a.js").expect("a language");
        let facts = peelback_syntax::analyse(language, text, &Limits::default());
        let list = extents(text, &facts.symbols).list;
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
            "(impl Pool Head 5-5)",
            "MOST Whole 6-6",
            "grow Whole 8-8",
            "inner Head 11-11",
            "DEPTH Whole 12-12",
            "Deep Whole 13-13",
        ];
        assert_eq!(shown("a.rs", text), expected);
    }

    #[test]
    fn sections_end_where_the_next_begins() {
        let text = "# Mast\n## Deep\nText of it.\n\n## Wide\n* More\n";
        assert_eq!(shown("a.md", text), ["Mast Head 1-1", "Deep Whole 2-3", "Wide Whole 5-6"]);
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
        let language = language::of_name("a.py").expect("a language");
        let mut symbols = peelback_syntax::analyse(language, text, &Limits::default()).symbols;
        for symbol in &mut symbols {
            symbol.bytes = 0..0;
            symbol.outer_start = 0;
        }
        let bytes: Vec<Range<usize>> = extents(text, &symbols).list.into_iter().map(|one| one.bytes).collect();
        assert_eq!(bytes, [0..14, 14..28]);
    }
}
