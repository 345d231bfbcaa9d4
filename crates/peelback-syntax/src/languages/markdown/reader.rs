//! The outline of Markdown documents: headings are symbols, nested by their level.
//!
//! A section runs from its heading to the line before the next heading of the same or a higher level, without trailing
//! blank lines. Headings inside quotes and lists belong to that quote or list and open no section.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::facts::{Facts, Fold, FoldKind, Lines, ParseCoverage, Symbol, SymbolKind, Visibility};
use crate::{symbol_tree, text};

/// The limit on the number of text lines between two headings that a skeleton shows. Longer text is folded.
const LONG_TEXT_LINES: u32 = 3;

struct Heading {
    level: HeadingLevel,
    name: String,
    /// Byte range of the heading, without the newline at its end.
    bytes: std::ops::Range<usize>,
    line: u32,
}

/// The facts of a Markdown document: its headings as symbols, and the folds of long texts.
pub(super) fn read_markdown_facts(source: &str) -> Facts {
    let headings = find_headings_outside_quotes_and_lists(source);
    let mut folds = Vec::new();
    for (index, heading) in headings.iter().enumerate() {
        let next = headings.get(index + 1).map_or(source.len(), |next| next.bytes.start);
        folds.extend(fold_of_long_text(source, heading.bytes.end..next));
    }
    let mut symbols = nest_headings_as_section_symbols(source, headings);
    symbol_tree::mark_duplicate_qualified_names(&mut symbols);
    Facts { symbols, imports: Vec::new(), exports: Vec::new(), folds, coverage: ParseCoverage::Whole }
}

fn find_headings_outside_quotes_and_lists(source: &str) -> Vec<Heading> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS;
    let mut found = Vec::new();
    let mut open: Option<Heading> = None;
    // Number of quotes, lists and footnotes that enclose the parser's current event.
    let mut inside = 0usize;
    let (mut line, mut counted) = (1, 0);
    for (event, bytes) in Parser::new_ext(source, options).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) if inside == 0 => {
                line += text::count_newlines(source, counted..bytes.start);
                counted = bytes.start;
                let end = text::trimmed_end_offset(source, bytes.clone());
                open = Some(Heading { level, name: String::new(), bytes: bytes.start..end, line });
            }
            Event::End(TagEnd::Heading(_)) if inside == 0 => {
                found.extend(open.take().and_then(|heading| name_parsed_heading_or_drop_if_empty(heading, source)));
            }
            Event::Start(Tag::BlockQuote(_) | Tag::List(_) | Tag::FootnoteDefinition(_)) => inside += 1,
            Event::End(TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::FootnoteDefinition) => {
                inside = inside.saturating_sub(1);
            }
            Event::Text(part) | Event::Code(part) | Event::InlineMath(part) => {
                if let Some(heading) = &mut open {
                    heading.name.push_str(&part);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(heading) = &mut open {
                    heading.name.push(' ');
                }
            }
            _ => {}
        }
    }
    found
}

/// Sets the name of a heading to its text. A heading without text (an image, for example) is named by its source; an
/// empty heading is dropped.
fn name_parsed_heading_or_drop_if_empty(mut heading: Heading, source: &str) -> Option<Heading> {
    heading.name = text::to_one_line(&heading.name);
    if heading.name.is_empty() {
        heading.name = heading_signature(&heading, source).trim_matches(['#', ' ']).to_owned();
    }
    (!heading.name.is_empty()).then_some(heading)
}

/// The signature of a heading: its source line. For an underlined heading, the lines above the underline.
fn heading_signature(heading: &Heading, source: &str) -> String {
    let written = source.get(heading.bytes.clone()).unwrap_or("");
    let shown = match written.rsplit_once('\n') {
        Some((above, _)) if !written.starts_with('#') => above,
        _ => written,
    };
    text::to_one_line(shown)
}

/// The fold of the text below a heading, if the text is long.
fn fold_of_long_text(source: &str, below: std::ops::Range<usize>) -> Option<Fold> {
    let all = source.get(below.clone())?;
    let start = below.start + (all.len() - all.trim_start().len());
    let end = below.start + all.trim_end().len();
    (start < end && text::count_newlines(source, start..end) + 1 > LONG_TEXT_LINES)
        .then_some(Fold { bytes: start..end, kind: FoldKind::Body })
}

/// Nests headings by level, as symbols. A skipped level (`#`, then `###`) leaves no gap.
fn nest_headings_as_section_symbols(source: &str, headings: Vec<Heading>) -> Vec<Symbol> {
    let mut roots = Vec::new();
    // The sections around the current heading, the outermost first, each with the level of its own heading.
    let mut open: Vec<(HeadingLevel, Symbol)> = Vec::new();
    for heading in headings {
        close_sections_before_heading(source, &mut open, &mut roots, Some(&heading));
        let qualified_name = match open.last() {
            Some((_, owner)) => format!("{}.{}", owner.qualified_name, heading.name),
            None => heading.name.clone(),
        };
        let symbol = Symbol {
            qualified_name,
            has_unique_name: true,
            ordinal_on_line: None,
            kind: SymbolKind::Section,
            lines: Lines { first: heading.line, last: heading.line },
            outer_line: heading.line,
            outer_start: heading.bytes.start,
            signature: heading_signature(&heading, source),
            bytes: heading.bytes,
            name: heading.name,
            decorators: Vec::new(),
            docstring: None,
            visibility: Visibility::Unknown,
            container: None,
            local: false,
            children: Vec::new(),
        };
        open.push((heading.level, symbol));
    }
    close_sections_before_heading(source, &mut open, &mut roots, None);
    roots
}

/// Closes the sections that end where the heading `next` begins, or all sections at the end of the file.
fn close_sections_before_heading(
    source: &str,
    open: &mut Vec<(HeadingLevel, Symbol)>,
    roots: &mut Vec<Symbol>,
    next: Option<&Heading>,
) {
    while open.last().is_some_and(|(level, _)| next.is_none_or(|next| *level >= next.level)) {
        let Some((_, mut symbol)) = open.pop() else { return };
        let end = next.map_or(source.len(), |next| next.bytes.start);
        symbol.bytes.end = text::trimmed_end_offset(source, symbol.bytes.start..end);
        symbol.lines.last = symbol.lines.first + text::count_newlines(source, symbol.bytes.clone());
        match open.last_mut() {
            Some((_, owner)) => owner.children.push(symbol),
            None => roots.push(symbol),
        }
    }
}
