//! The body of a document, which is the Markdown text below the front matter: its sections, and the cleaning of text
//! that a model wrote.

use std::borrow::Cow;
use std::ops::Range;

use peelback_code::syntax::language;
use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd};

use super::{front_matter, sanitize, unclosed_blocks};
use crate::citations::mark::UNVERIFIED_MARK;
use crate::markdown::PARSER_OPTIONS;
use peelback_secrets::pattern::constant_patterns;

/// A section of a document: a heading and the text below the heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The heading's text without Markdown markup.
    pub heading: String,
    /// The byte range of the whole section in the document's body, including the heading.
    pub whole: Range<usize>,
    /// The byte range of the text below the heading in the document's body.
    pub content: Range<usize>,
}

constant_patterns! {
    /// The marks of unverified citations, as they may occur in text that a model wrote. Only the citation check may add
    /// these marks, so they are removed from such text.
    MARKS = &format!(r" ?\({mark}[^()\n]*\)| ?{mark}[^\n|`]*", mark = regex::escape(UNVERIFIED_MARK));
}

pub(super) fn parse_second_level_sections(body: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut ends: Vec<usize> = Vec::new();
    let mut open: Option<(Range<usize>, String)> = None;
    let mut inside = 0usize;
    for (event, range) in Parser::new_ext(body, PARSER_OPTIONS).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level: HeadingLevel::H1 | HeadingLevel::H2, .. }) if inside == 0 => {
                open = Some((range, String::new()));
            }
            Event::End(TagEnd::Heading(level)) if inside == 0 => {
                if let Some((range, heading)) = open.take() {
                    ends.push(range.start);
                    if level == HeadingLevel::H2 {
                        let heading = heading.split_whitespace().collect::<Vec<_>>().join(" ");
                        sections.push(Section {
                            heading,
                            whole: range.start..range.start,
                            content: range.end..range.end,
                        });
                    }
                }
            }
            Event::Start(Tag::BlockQuote(_) | Tag::List(_) | Tag::FootnoteDefinition(_)) => inside += 1,
            Event::End(TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::FootnoteDefinition) => {
                inside = inside.saturating_sub(1);
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some((_, heading)) = &mut open {
                    heading.push_str(&text);
                }
            }
            _ => {}
        }
    }
    for section in &mut sections {
        let end = ends.iter().copied().find(|end| *end > section.whole.start).unwrap_or(body.len());
        section.whole.end = end;
        section.content.end = end.max(section.content.start);
    }
    sections
}

/// The section of a document's body with the heading `heading`, which is compared case-insensitively.
pub(crate) fn find_section(body: &str, heading: &str) -> Option<Section> {
    let same = |section: &Section| section.heading.to_lowercase() == heading.to_lowercase();
    parse_second_level_sections(body).into_iter().find(same)
}

pub(super) fn with_section_replaced_or_appended(body: &str, heading: &str, text: &str) -> String {
    let text = sanitize::without_control_characters(text);
    let text = unclosed_blocks::close_open_markdown_blocks(text.trim_matches('\n'));
    let body = unclosed_blocks::close_open_markdown_blocks(body);
    let body = body.as_ref();
    let new = if text.trim().is_empty() { String::new() } else { format!("## {heading}\n\n{text}\n") };
    let (before, after) = match find_section(body, heading) {
        Some(section) => (body.get(..section.whole.start).unwrap_or(""), body.get(section.whole.end..).unwrap_or("")),
        None => (body, ""),
    };
    let parts = [before.trim_end(), new.trim_end(), after.trim()];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.trim().is_empty()).collect();
    let mut out = parts.join("\n\n");
    out.push('\n');
    out
}

/// Converts a model's text to the body of a document. The function removes front matter, a code fence around the whole
/// text, control characters, and marks of unverified citations, which only this crate may add. If the text leaves a
/// code block open, as a truncated reply does, the function closes the block.
pub fn clean_model_text(text: &str) -> String {
    /// A block that is closed can enclose the whole text, and what stands in it can be front matter again.
    const MAX_PASSES: usize = 8;
    let mut clean = clean_model_text_once(text);
    for _ in 1..MAX_PASSES {
        let again = clean_model_text_once(&clean);
        if again == clean {
            break;
        }
        clean = again;
    }
    clean
}

fn clean_model_text_once(text: &str) -> String {
    let text = sanitize::without_control_characters(text);
    let mut text = text.trim();
    loop {
        let before = text;
        text = without_enclosing_code_fence(text).trim();
        if let Ok((front, body)) = front_matter::split_off_front_matter(text)
            // Front matter contains keys. A `---` line at the beginning without a key below is a horizontal rule and
            // stays.
            && front.lines().next().is_some_and(|line| line.contains(':'))
        {
            text = body.trim();
        }
        if text == before {
            break;
        }
    }
    let text = without_unverified_marks(text);
    unclosed_blocks::close_open_markdown_blocks(&escape_comment_openings(&text)).into_owned()
}

/// A text of a model, with the openings of comments escaped that could be taken for the one that this crate writes, except
/// in code.
pub(crate) fn escape_comment_openings(text: &str) -> Cow<'_, str> {
    const OPENING: &str = "<!-- peelback";
    let mut out = Cow::Borrowed(text);
    // Without its comment, a text can be read in another way.
    for _ in 0..MAX_ESCAPE_PASSES {
        if !out.contains(OPENING) {
            break;
        }
        let html = Parser::new_ext(&out, PARSER_OPTIONS).into_offset_iter();
        let html = html.filter(|(event, _)| matches!(event, Event::Html(_) | Event::InlineHtml(_)));
        let mut places: Vec<usize> = html
            .filter_map(|(_, range)| out.get(range.clone()).map(|html| (range.start, html)))
            .flat_map(|(start, html)| html.match_indices(OPENING).map(move |(at, _)| start + at).collect::<Vec<_>>())
            .collect();
        places.sort_unstable();
        places.dedup();
        if places.is_empty() {
            break;
        }
        let mut escaped = out.into_owned();
        for at in places.into_iter().rev() {
            escaped.replace_range(at..=at, "&lt;");
        }
        out = Cow::Owned(escaped);
    }
    out
}

/// The most times that a text is looked at again after comments were escaped in it.
const MAX_ESCAPE_PASSES: usize = 4;

/// A text without the marks that the citation check adds after unverified citations.
pub(super) fn without_unverified_marks(text: &str) -> Cow<'_, str> {
    MARKS.replace_all(text, "")
}

/// Whether the info string of a code fence (the word after its backticks) names a format of prose.
fn is_name_of_prose_language(word: &str) -> bool {
    language::all_languages()
        .iter()
        .any(|format| format.is_prose && (format.name == word || format.aliases.contains(&word)))
}

/// A text without the code fence around the whole text. Models often wrap a document in a code fence.
fn without_enclosing_code_fence(text: &str) -> &str {
    let Some((first, rest)) = text.split_once('\n') else { return text };
    let marks: String = first.chars().take_while(|c| *c == '`').collect();
    let format = first.get(marks.len()..).unwrap_or("").trim();
    if marks.len() < 3 || !(format.is_empty() || is_name_of_prose_language(format)) {
        return text;
    }
    let Some(inner) = rest.trim_end().strip_suffix(marks.as_str()) else {
        // A truncated reply of a model has an opening fence but no closing fence.
        return if !format.is_empty() && !has_closing_fence(rest, &marks) { rest } else { text };
    };
    // An odd number of fence lines inside shows that the last fence line belongs to an inner code block: the outer
    // block ends earlier, and more text follows.
    let paired = inner.lines().filter(|line| line.trim_start().starts_with("```")).count().is_multiple_of(2);
    if inner.ends_with('\n') && paired { inner } else { text }
}

/// Whether the text `rest` after an opening code fence contains the closing fence. `marks` are the backticks of the
/// opening fence. A fence with a language name opens a nested code block.
fn has_closing_fence(rest: &str, marks: &str) -> bool {
    let mut depth = 1usize;
    for line in rest.lines().filter_map(|line| line.trim_start().strip_prefix(marks)) {
        depth = if line.trim_matches('`').trim().is_empty() { depth - 1 } else { depth + 1 };
        if depth == 0 {
            return true;
        }
    }
    false
}
