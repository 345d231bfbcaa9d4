//! Conversion of foreign text to one harmless line of a document. Foreign text comes from a model, a model provider or
//! a repository.

use std::borrow::Cow;

use peelback_code::is_writing_direction_control;
use peelback_secrets::pattern::constant_patterns;

use super::body::without_unverified_marks;
use crate::markdown::{one_line, truncate_with_ellipsis};

constant_patterns! {
    /// Escape sequences of a terminal, which set colours, move the cursor or change the window's title.
    ESCAPES = r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[\x1b\u{9b}]\[?[0-?]*[ -/]*[@-~]";
}

/// A text without terminal escape sequences, without control characters other than line breaks and tabs, and without
/// characters that turn the direction of writing.
pub(super) fn without_control_characters(text: &str) -> String {
    let has_escapes = text.contains(['\u{1b}', '\u{9b}']);
    let text = if has_escapes { ESCAPES.replace_all(text, "") } else { Cow::Borrowed(text) };
    text.chars()
        .filter(|c| {
            matches!(c, '\n' | '\t') || !(c.is_control() || is_writing_direction_control(*c) || *c == '\u{FEFF}')
        })
        .collect()
}

/// Converts a text to one line of at most `most` characters. Control characters, characters that change the writing
/// direction, and marks of unverified citations are removed.
pub(super) fn to_clean_truncated_line(text: &str, most: usize) -> String {
    // A carriage return, vertical tab, form feed or next-line character becomes a line break, since each of them
    // separates words.
    let text = without_control_characters(&text.replace(['\r', '\u{b}', '\u{c}', '\u{85}'], "\n"));
    let text: String =
        without_unverified_marks(&one_line(&text)).chars().filter(|c| !is_writing_direction_control(*c)).collect();
    truncate_with_ellipsis(&one_line(&text), most)
}

/// Escapes a line of text so that Markdown displays it literally. No part of the line opens a heading, list, quotation,
/// fence, image, link or HTML element. Inline code with a closing backtick stays inline code.
pub(super) fn escape_markdown_line(line: &str) -> String {
    let mut out = String::with_capacity(line.len() + 8);
    let mut rest = line;
    // Markup of Markdown blocks, such as `1.` or `#`, has an effect only at the beginning of a line.
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if digits > 0 && rest.get(digits..).is_some_and(|after| after.starts_with(['.', ')'])) {
        out.push_str(rest.get(..digits).unwrap_or(""));
        out.push('\\');
        rest = rest.get(digits..).unwrap_or("");
    } else if rest.starts_with(['#', '>', '-', '+', '*', '_', '=', '~', '|', ':', '[']) {
        out.push('\\');
    }
    let mut before = ' ';
    while let Some(c) = rest.chars().next() {
        let mut taken = c.len_utf8();
        match c {
            '`' => {
                let run = rest.len() - rest.trim_start_matches('`').len();
                taken = run;
                match code_span_end(rest, run) {
                    // Only runs of one or two backticks stay unescaped as inline code, since three backticks would open
                    // a fence.
                    Some(end) if run < 3 => {
                        out.push_str(rest.get(..end).unwrap_or(""));
                        taken = end;
                    }
                    _ => out.push_str(&"\\`".repeat(run)),
                }
            }
            '\\' => out.push_str("\\\\"),
            '<' => out.push_str("\\<"),
            '[' if before == '!' => out.push_str("\\["),
            '(' if before == ']' => out.push_str("\\("),
            // The sequence `~~~` would open a fence, and `~~` would strike text through.
            '~' if before == '~' => out.push_str("\\~"),
            _ => out.push(c),
        }
        before = c;
        rest = rest.get(taken..).unwrap_or("");
    }
    out
}

/// The byte offset just after a span of inline code that begins with `run` backticks.
fn code_span_end(text: &str, run: usize) -> Option<usize> {
    let mut at = run;
    while let Some(next) = text.get(at..)?.find('`') {
        let start = at + next;
        let length = text.len() - start - text.get(start..)?.trim_start_matches('`').len();
        at = start + length;
        if length == run {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Parser, Tag, TagEnd};

    use super::*;
    use crate::markdown::PARSER_OPTIONS;

    #[test]
    fn a_line_is_one_plain_line() {
        for (text, shown) in [
            ("the budget was reached", "the budget was reached"),
            ("a\r\n\r\n# b\u{2028}c\u{85}d\u{7}", "a # b c d"),
            ("\u{1b}[31mred\u{1b}[0m \u{1b}]0;title\u{7}x", "red x"),
            ("x ⚠ unverified: no such file", "x"),
            ("\u{202E}abc\u{FEFF}", "abc"),
        ] {
            assert_eq!(to_clean_truncated_line(text, 500), shown, "{text:?}");
        }
        assert_eq!(to_clean_truncated_line(&"word ".repeat(400), 500).chars().count(), 500);
        assert_eq!(to_clean_truncated_line(&"ä".repeat(501), 500), format!("{}…", "ä".repeat(499)));
    }

    #[test]
    fn code_stays_code() {
        assert_eq!(escape_markdown_line("where is `Vec<T>` made?"), "where is `Vec<T>` made?");
        assert_eq!(escape_markdown_line("an open ` tick and <b>"), "an open \\` tick and \\<b>");
        assert_eq!(escape_markdown_line("``` x ```"), "\\`\\`\\` x \\`\\`\\`");
        assert_eq!(escape_markdown_line("# a"), "\\# a");
        assert_eq!(escape_markdown_line("12. a"), "12\\. a");
        assert_eq!(escape_markdown_line("![x](http://e/p.png)"), "!\\[x]\\(http://e/p.png)");
    }

    proptest! {
        /// Property: any escaped line becomes one paragraph of text and inline code, and the text after the line forms
        /// a separate paragraph.
        #[test]
        fn a_line_opens_nothing(text in "([#>*+~=|:!<\\[\\]()`\\\\ a-c0-9./&;_-]|<!--|<script>|```|~~~|\\PC|\n){0,40}") {
            let shown = escape_markdown_line(&to_clean_truncated_line(&text, 200));
            prop_assume!(!shown.is_empty());
            let document = format!("- {shown}\n\n## After\n");
            let mut headings = 0;
            for event in Parser::new_ext(&document, PARSER_OPTIONS) {
                match event {
                    Event::Start(Tag::Heading { .. }) => headings += 1,
                    Event::Html(_) | Event::InlineHtml(_) | Event::Rule => prop_assert!(false, "{:?}", document),
                    Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::Image { .. } | Tag::BlockQuote(_) | Tag::Table(_)) => {
                        prop_assert!(false, "{:?}", document);
                    }
                    _ => {}
                }
            }
            prop_assert_eq!(headings, 1, "{:?}", document);
            let items = Parser::new_ext(&document, PARSER_OPTIONS).filter(|event| matches!(event, Event::End(TagEnd::Item))).count();
            prop_assert_eq!(items, 1, "{:?}", document);
        }
    }
}
