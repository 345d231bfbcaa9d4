//! The sections of a document's body, and the cleaning of a section that a model wrote.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Parser, Tag, TagEnd};

use crate::document::{CODE_REFERENCES, clean_model_text};
use crate::markdown::PARSER_OPTIONS;

/// A section of a document's body: the text below a heading of the first or second level, or the text before the first
/// heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BodySection {
    /// The text of the heading; `None` for the text before the first heading.
    pub heading: Option<String>,
    /// The byte range of the text below the heading in the document's body.
    pub content: Range<usize>,
}

impl BodySection {
    /// The name of the section for messages to the user.
    pub fn name_for_messages(&self) -> &str {
        self.heading.as_deref().filter(|heading| !heading.is_empty()).unwrap_or("the text before the first heading")
    }

    /// Whether the section is the generated list of citations.
    pub fn is_citation_list(&self) -> bool {
        self.heading.as_deref().is_some_and(|heading| heading.eq_ignore_ascii_case(CODE_REFERENCES))
    }
}

/// A heading of the first or second level in a document's body that is not inside a quotation or list: its byte range
/// and text.
struct Heading {
    text: String,
    at: Range<usize>,
}

/// All sections of a document's body in order. Sections with equal headings stay separate.
pub(super) fn split_into_sections(body: &str) -> Vec<BodySection> {
    let headings = first_and_second_level_headings(body);
    let ends = headings.iter().map(|heading| heading.at.start).chain([body.len()]);
    let begins = headings.iter().map(|heading| (Some(heading.text.clone()), heading.at.end));
    [(None, 0)]
        .into_iter()
        .chain(begins)
        .zip(ends)
        .map(|((heading, begin), end)| BodySection { heading, content: begin.min(end)..end })
        .collect()
}

fn first_and_second_level_headings(body: &str) -> Vec<Heading> {
    let mut headings = Vec::new();
    let mut open: Option<Heading> = None;
    let mut inside = 0usize;
    for (event, range) in Parser::new_ext(body, PARSER_OPTIONS).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level: HeadingLevel::H1 | HeadingLevel::H2, .. }) if inside == 0 => {
                open = Some(Heading { text: String::new(), at: range });
            }
            Event::End(TagEnd::Heading(_)) => headings.extend(open.take().map(|heading| Heading {
                text: heading.text.split_whitespace().collect::<Vec<_>>().join(" "),
                at: heading.at,
            })),
            Event::Start(Tag::BlockQuote(_) | Tag::List(_) | Tag::FootnoteDefinition(_)) => inside += 1,
            Event::End(TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::FootnoteDefinition) => {
                inside = inside.saturating_sub(1);
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut open {
                    heading.text.push_str(&text);
                }
            }
            _ => {}
        }
    }
    headings
}

/// Converts a model's reply to the text of one section. Returns `None` if no text is left, or if an open block would
/// swallow the sections that follow.
pub(super) fn section_text_from_model_reply(reply: &str, heading: Option<&str>) -> Option<String> {
    let text = demote_headings_and_remove_own_heading(&close_open_code_block(clean_model_text(reply)), heading);
    let text = text.trim_matches('\n').trim_end();
    if text.trim().is_empty() {
        return None;
    }
    // A probe heading after the text must start a new section. An open HTML comment, for example, would hide the
    // sections below it.
    let followed = format!("{text}\n\n## Next\n");
    let last = first_and_second_level_headings(&followed).pop();
    last.is_some_and(|last| last.text == "Next" && last.at.start >= text.len()).then(|| text.to_owned())
}

/// The text, with a closing line at the end if it leaves a code block open.
fn close_open_code_block(text: String) -> String {
    let mut inside = 0usize;
    let mut last = None;
    for (event, range) in Parser::new_ext(&text, PARSER_OPTIONS).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) if inside == 0 => last = Some(range),
            Event::Start(Tag::BlockQuote(_) | Tag::List(_) | Tag::FootnoteDefinition(_)) => inside += 1,
            Event::End(TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::FootnoteDefinition) => {
                inside = inside.saturating_sub(1);
            }
            _ => {}
        }
    }
    let Some(block) = last.filter(|block| block.end >= text.trim_end().len()) else { return text };
    let shown = text.get(block).unwrap_or("").trim_end();
    let mark = shown.trim_start().chars().next().unwrap_or('`');
    let length = shown.trim_start().chars().take_while(|c| *c == mark).count();
    let is_end = |line: &str| line.trim().chars().all(|c| c == mark) && line.trim().chars().count() >= length;
    let has_end = shown.lines().count() > 1 && shown.lines().next_back().is_some_and(is_end);
    if has_end { text } else { format!("{}\n{}", text.trim_end(), mark.to_string().repeat(length)) }
}

/// The text of a section in which headings of the first and second level become headings of the third level, and a
/// repetition of the section's own heading is removed.
fn demote_headings_and_remove_own_heading(text: &str, own: Option<&str>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    let same = |heading: &str| own.is_some_and(|own| own.to_lowercase() == heading.to_lowercase());
    for heading in first_and_second_level_headings(text) {
        out.push_str(text.get(from..heading.at.start).unwrap_or(""));
        from = heading.at.end;
        let written = text.get(heading.at).unwrap_or("");
        if same(&heading.text) {
            continue;
        }
        let lines: Vec<&str> = written.trim().lines().map(str::trim).collect();
        let words = match lines.as_slice() {
            [only] => only.trim_start_matches('#').trim().to_owned(),
            // A Setext heading, whose text is underlined in the next line.
            [words @ .., _] => words.join(" "),
            [] => String::new(),
        };
        let end = if written.ends_with('\n') { "\n" } else { "" };
        out.push_str(&format!("### {words}{end}"));
    }
    out.push_str(text.get(from..).unwrap_or(""));
    // Models also repeat the section's heading at the third level, so that repetition is removed too.
    let first = out.trim_start().lines().next().unwrap_or("");
    let name = first.trim_start_matches('#');
    if first.len() > name.len() && same(name.trim()) {
        return out.trim_start().get(first.len()..).unwrap_or("").to_owned();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_told_by_where_they_stand() {
        let body = "Before.\n\n# Title\n\nIntro.\n\n## Flow\n\nOne.\n\n## Flow\n\nTwo.\n\n```\n## no\n```\n";
        let found = split_into_sections(body);
        let named: Vec<(Option<&str>, &str)> =
            found.iter().map(|part| (part.heading.as_deref(), body[part.content.clone()].trim())).collect();
        assert_eq!(
            named,
            [
                (None, "Before."),
                (Some("Title"), "Intro."),
                (Some("Flow"), "One."),
                (Some("Flow"), "Two.\n\n```\n## no\n```"),
            ]
        );
    }

    #[test]
    fn what_a_model_wrote_stays_one_section() {
        let reply = "---\ntitle: x\n---\n## Flow\n\nText (⚠ unverified: mine).\u{1b}\n\n## More\n\n```sh\n## kept\n```\n\nUnder\n-----\n\n# Top\n";
        let text = section_text_from_model_reply(reply, Some("Flow")).expect("a text");
        assert_eq!(text, "Text.\n\n### More\n\n```sh\n## kept\n```\n\n### Under\n\n### Top");
        assert_eq!(section_text_from_model_reply("### flow\n\nText.", Some("Flow")).as_deref(), Some("Text."));
    }

    #[test]
    fn nothing_swallows_the_next_section() {
        for (reply, wanted) in [
            ("Text.\n\n```py\nx = 1", Some("Text.\n\n```py\nx = 1\n```")),
            ("Text.\n\n~~~~\n```\n## a\n", Some("Text.\n\n~~~~\n```\n## a\n~~~~")),
            ("Text.\n\n```\na\n```\n", Some("Text.\n\n```\na\n```")),
            ("Text.\n\n<!-- open", Some("Text.\n\n<!-- open\n-->")),
            ("## Flow\n", None),
            ("", None),
        ] {
            assert_eq!(section_text_from_model_reply(reply, Some("Flow")).as_deref(), wanted, "{reply:?}");
        }
    }
}
