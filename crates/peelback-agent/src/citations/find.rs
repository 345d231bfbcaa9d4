//! Extraction of the citations from a Markdown document, each with the symbol and description that the surrounding text
//! contains.

use std::ops::Range;

use peelback_tokens::text::{collapse_and_trim_whitespace, first_chars};
use pulldown_cmark::{Event, LinkType, Parser, Tag, TagEnd};

use super::mark::UNVERIFIED_MARK;
use super::naming::{self, Naming};
use super::scan::{Citation, FoundCitation, TextKind, scan_citations};
use crate::markdown::PARSER_OPTIONS;
use peelback_secrets::pattern::constant_patterns;

/// The maximum number of characters of a front matter entry's description.
const MAX_DESCRIPTION_CHARS: usize = 200;

constant_patterns! {
    /// The mark that the citation check adds after a citation that it could not verify, with the reason.
    pub(crate) MARKED = &format!(r"^ ?\({} [^()\n]*\)", regex::escape(UNVERIFIED_MARK));
    WORDED = r"^[*_]*,?\s*[(\[]?(?:at\s+|on\s+)?(?:[Ll]ines?|L\.?)\s+(?P<lines>(?P<first>\d{1,9})(?:\s*(?:-|–|—|to|through)\s*(?P<last>\d{1,9}))?)";
    ITEM = r"^[\s>]*(?:[-*+]\s+(?:\[[ xX]\]\s+)?|\d{1,4}[.)]\s+|#{1,6}\s+)?[*_]*";
}

/// The most bytes of a line before and after a citation that can name its symbol or describe it. A reply of a model can
/// be one long line, and each citation would look at all of it.
const MAX_SURROUNDING_BYTES: usize = 2_000;

/// Finds all citations of a Markdown document, in the order of the text.
pub fn find_citations(markdown: &str) -> Vec<Citation> {
    let mut finder = CitationFinder {
        markdown,
        line_starts: std::iter::once(0).chain(markdown.match_indices('\n').map(|(at, _)| at + 1)).collect(),
        citations: Vec::new(),
        cited: 0..0,
    };
    finder.collect_citations();
    let mut citations = finder.citations;
    citations.sort_by_key(|citation| (citation.element.start, citation.path_at.as_ref().map_or(0, |at| at.start)));
    citations
}

struct CitationFinder<'a> {
    markdown: &'a str,
    /// The byte offsets of the beginnings of the lines.
    line_starts: Vec<usize>,
    citations: Vec<Citation>,
    /// The byte range of the last link whose target is a citation. The text of that link does not count as a second
    /// citation.
    cited: Range<usize>,
}

impl CitationFinder<'_> {
    fn collect_citations(&mut self) {
        let markdown = self.markdown;
        // `open` has the byte ranges of the Markdown emphasis and links that are open, the outermost first. The second
        // variable counts the open code and metadata blocks.
        let mut open: Vec<Range<usize>> = Vec::new();
        let (mut closed_blocks, mut images) = (0usize, 0usize);
        let mut run: Option<Range<usize>> = None;
        for (event, range) in Parser::new_ext(markdown, PARSER_OPTIONS).into_offset_iter() {
            if let Event::Text(_) = event
                && closed_blocks == 0
                && images == 0
            {
                // The parser splits text at characters that could be markup, so adjacent pieces of text are joined
                // again.
                match &mut run {
                    Some(run) if matches!(markdown.get(run.end..range.start), Some("" | "\\")) => run.end = range.end,
                    _ => {
                        if let Some(run) = run.replace(range) {
                            self.add_citations_in_text(run, &open);
                        }
                    }
                }
                continue;
            }
            if let Some(run) = run.take() {
                self.add_citations_in_text(run, &open);
            }
            match event {
                Event::Start(Tag::CodeBlock(_) | Tag::MetadataBlock(_) | Tag::HtmlBlock) => closed_blocks += 1,
                Event::End(TagEnd::CodeBlock | TagEnd::MetadataBlock(_) | TagEnd::HtmlBlock) => {
                    closed_blocks = closed_blocks.saturating_sub(1);
                }
                Event::Start(Tag::Image { .. }) => images += 1,
                Event::End(TagEnd::Image) => images = images.saturating_sub(1),
                Event::Start(Tag::Link { link_type, dest_url, .. }) => {
                    let autolink = matches!(link_type, LinkType::Autolink | LinkType::Email);
                    if !autolink && images == 0 {
                        self.add_citations_in_link_target(
                            &range,
                            &dest_url,
                            open.first().cloned().unwrap_or_else(|| range.clone()),
                        );
                    }
                    open.push(range);
                }
                Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough) => open.push(range),
                Event::End(TagEnd::Link | TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough) => {
                    open.pop();
                }
                Event::Code(_) if images == 0 => self.add_citations_in_inline_code(range, &open),
                _ => {}
            }
        }
        if let Some(run) = run.take() {
            self.add_citations_in_text(run, &open);
        }
    }

    fn add_citations_in_text(&mut self, run: Range<usize>, open: &[Range<usize>]) {
        let Some(text) = self.markdown.get(run.clone()) else { return };
        for found in scan_citations(text, TextKind::Text) {
            let own = run.start + found.whole.start..run.start + found.whole.end;
            let element = open.first().cloned().unwrap_or(own);
            self.add_citation(found, run.start, element, TextKind::Text);
        }
    }

    fn add_citations_in_inline_code(&mut self, range: Range<usize>, open: &[Range<usize>]) {
        let Some(written) = self.markdown.get(range.clone()) else { return };
        let marks = written.bytes().take_while(|byte| *byte == b'`').count();
        let inner = range.start + marks..range.end.saturating_sub(marks);
        let Some(text) = self.markdown.get(inner.clone()) else { return };
        let element = open.first().cloned().unwrap_or(range);
        for found in scan_citations(text, TextKind::Code) {
            self.add_citation(found, inner.start, element.clone(), TextKind::Code);
        }
    }

    fn add_citations_in_link_target(&mut self, link: &Range<usize>, target: &str, element: Range<usize>) {
        let at = self.markdown.get(link.clone()).and_then(|text| text.rfind(target)).map(|at| link.start + at);
        for mut found in scan_citations(target, TextKind::Target) {
            found.tentative &= !super::scan::has_known_file_name_or_extension(&found.path);
            if !found.tentative {
                self.cited = link.clone();
            }
            let before = self.citations.len();
            self.add_citation(found, at.unwrap_or(0), element.clone(), TextKind::Target);
            let Some(citation) = self.citations.get_mut(before) else { continue };
            if at.is_none() {
                (citation.path_at, citation.lines_at) = (None, None);
            }
            // The text of a link names the symbol that the link's target cites.
            let text = self.markdown.get(link.start..at.unwrap_or(link.end)).unwrap_or("");
            let text = text.trim_start_matches('[').split("](").next().unwrap_or("").trim_matches(['*', '_', ' ']);
            let code = text.strip_prefix('`').and_then(|text| text.strip_suffix('`'));
            if let Some(name) = code.and_then(naming::symbol_name_in_code) {
                citation.naming = Naming::Symbols { names: vec![name], in_sentence: false };
            }
        }
    }

    fn add_citation(&mut self, found: FoundCitation, offset: usize, element: Range<usize>, stretch: TextKind) {
        // Markdown can write such a character as an entity. No file is meant.
        if found.path.chars().any(char::is_control) {
            return;
        }
        let markdown = self.markdown;
        let moved = |at: Range<usize>| offset + at.start..offset + at.end;
        let mut element = element;
        let mut lines = found.lines;
        let mut lines_at = found.lines_at.map(moved);
        let rest = |end: usize| markdown.get(end..).unwrap_or("");
        // Line numbers may follow the cited path in parentheses: `src/a.rs` (lines 10-40).
        if lines.is_none()
            && found.symbol.is_none()
            && stretch != TextKind::Target
            && let Some(parts) = WORDED.captures(rest(element.end))
            && let (Some(first), Some(written)) = (parts.name("first"), parts.name("lines"))
            // A number that goes on as a word is none, and a mark would part the word.
            && !rest(element.end + written.end()).starts_with(char::is_alphanumeric)
        {
            let number = |text: &str| text.parse::<u32>().ok();
            let first = number(first.as_str());
            let last = parts.name("last").and_then(|last| number(last.as_str())).or(first);
            lines = first.zip(last);
            lines_at = Some(element.end + written.start()..element.end + written.end());
            element.end += written.end();
        }
        let mark = MARKED.find(rest(element.end)).map(|mark| element.end..element.end + mark.end());
        let end = mark.as_ref().map_or(element.end, |mark| mark.end);
        let around = SurroundingText::around_byte_range(markdown, &self.line_starts, element.start, end);
        let names_link = stretch != TextKind::Target && self.cited.contains(&(offset + found.whole.start));
        let leads = around.before.is_empty() && !names_link;
        let naming = match found.symbol {
            Some(symbol) => Naming::Symbols { names: vec![symbol], in_sentence: false },
            None => around.detect_named_symbol_or_quote(),
        };
        let tentative = found.tentative
            && lines.is_none()
            && !(leads && stretch != TextKind::Text && super::scan::has_known_file_name_or_extension(&found.path));
        self.citations.push(Citation {
            path: found.path,
            lines,
            naming,
            description: around.citation_description(),
            tentative,
            path_at: Some(moved(found.path_at)),
            lines_at,
            element,
            mark,
        });
    }
}

/// The text before and after a citation, in the same line or table row of the document.
struct SurroundingText<'a> {
    before: &'a str,
    after: &'a str,
    /// The other cells of the table row: the cells before the citation's cell, then the cells after it. `None` outside
    /// tables.
    cells: Option<(Vec<&'a str>, Vec<&'a str>)>,
}

impl<'a> SurroundingText<'a> {
    fn around_byte_range(markdown: &'a str, line_starts: &[usize], start: usize, end: usize) -> Self {
        let start_of_line =
            |at: usize| line_starts.get(line_starts.partition_point(|line| *line <= at).wrapping_sub(1));
        let line_start = start_of_line(start).copied().unwrap_or(0);
        let next_line = line_starts.get(line_starts.partition_point(|line| *line <= end));
        let line_end = next_line.map_or(markdown.len(), |next| next - 1);
        let is_row = markdown.get(line_start..start).is_some_and(|before| before.trim_start().starts_with('|'));
        let before_start = markdown.ceil_char_boundary(line_start.max(start.saturating_sub(MAX_SURROUNDING_BYTES)));
        let after_end = markdown.floor_char_boundary(line_end.min(end.saturating_add(MAX_SURROUNDING_BYTES)));
        let before = markdown.get(before_start..start).unwrap_or("");
        let after = markdown.get(end..after_end).unwrap_or("").trim_end();
        if is_row {
            let mut cells_before: Vec<&str> = before.split('|').map(str::trim).skip(1).collect();
            let mut cells_after: Vec<&str> = after.split('|').map(str::trim).collect();
            let before = cells_before.pop().unwrap_or("");
            let after = if cells_after.is_empty() { "" } else { cells_after.remove(0) };
            cells_after.retain(|cell| !cell.is_empty());
            return Self { before, after, cells: Some((cells_before, cells_after)) };
        }
        // What begins in the middle of the line has no mark of a list item.
        let item = if before_start == line_start { ITEM.find(before).map_or(0, |item| item.end()) } else { 0 };
        let before = before.get(item..).unwrap_or("");
        // If the line ends at the citation, the next line of the paragraph counts as the text after the citation.
        let after = if after.trim_matches(['*', '_', ' ', '—', '–', '-', ':']).is_empty() {
            let below = markdown.get(line_end..).unwrap_or("").strip_prefix('\n').unwrap_or("");
            let below = below.get(..below.floor_char_boundary(MAX_SURROUNDING_BYTES)).unwrap_or("");
            let below_end = below.find('\n').unwrap_or(below.len());
            let next = below.get(..below_end).unwrap_or("");
            let goes_on = next.starts_with([' ', '\t'])
                && !next.trim().is_empty()
                && ITEM.find(next).is_some_and(|m| m.as_str().trim().is_empty());
            if goes_on { markdown.get(end..line_end + 1 + below_end).unwrap_or(after) } else { after }
        } else {
            after
        };
        Self { before, after, cells: None }
    }

    fn detect_named_symbol_or_quote(&self) -> Naming {
        let own = naming::detect_named_symbol_or_quote(self.before, self.after);
        let Some((before, after)) = self.cells.as_ref().filter(|_| own == Naming::Nothing) else { return own };
        // In a table, the symbol that the text names is in the nearest cell that contains nothing but a name.
        let only_name = |cell: &&&str| {
            let cell = cell.trim_matches(['*', '_', ' ']);
            let code = cell.strip_prefix('`').and_then(|cell| cell.strip_suffix('`'));
            code.filter(|code| !code.contains('`')).and_then(naming::symbol_name_in_code)
        };
        let nearest = before.iter().rev().chain(after).find_map(|cell| only_name(&cell));
        nearest.map_or(Naming::Nothing, |name| Naming::Symbols { names: vec![name], in_sentence: false })
    }

    /// The description of the citation in the document: the text after a separator such as `—`, or the text in the
    /// other cells of the table row.
    fn citation_description(&self) -> String {
        if let Some((before, after)) = &self.cells {
            let cells = before.iter().chain(after).filter(|cell| !cell.is_empty());
            return shorten_description_to_one_line(&cells.copied().collect::<Vec<_>>().join(" — "));
        }
        let text = self.after.trim_start_matches([')', '*', '_', ' ']);
        let text = ["—", "–", "--", "-", ":", "→"].iter().find_map(|mark| text.strip_prefix(mark));
        text.map_or_else(String::new, |text| shorten_description_to_one_line(text.trim()))
    }
}

/// Converts the description of a citation to one line. A description that is too long is truncated after a whole word.
fn shorten_description_to_one_line(text: &str) -> String {
    let text = collapse_and_trim_whitespace(text);
    if first_chars(&text, MAX_DESCRIPTION_CHARS).len() == text.len() {
        return text;
    }
    let start = first_chars(&text, MAX_DESCRIPTION_CHARS - 1);
    format!("{}…", start.rsplit_once(' ').map_or(start, |(words, _)| words))
}
