//! Closing of Markdown blocks that a text leaves open, such as a code fence or an HTML comment without an end. An open
//! block would swallow the text that is appended below.

use std::borrow::Cow;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};

use crate::markdown::PARSER_OPTIONS;

/// A paragraph that is appended to a text in order to detect an open block. Inside an open block, the parser does not
/// report the text as a paragraph.
const PROBE: &str = "\n\nprobe\n";

/// The maximum number of open blocks that are closed in one text. Closing one block can reveal another open block.
const MAX_ROUNDS: usize = 4;

/// The text, with closing lines for the Markdown blocks that it leaves open.
pub(super) fn close_open_markdown_blocks(text: &str) -> Cow<'_, str> {
    let mut out = Cow::Borrowed(text);
    for _ in 0..MAX_ROUNDS {
        let Some(end) = closing_line_of_open_block(&out) else { break };
        out = Cow::Owned(format!("{}\n{end}", out.trim_end_matches(['\n', ' ', '\t'])));
    }
    out
}

/// Finds the line that closes the Markdown block that is open at the end of a text. Returns `None` if no block is open.
fn closing_line_of_open_block(text: &str) -> Option<String> {
    if !text.contains("```") && !text.contains("~~~") && !text.contains('<') {
        return None;
    }
    let probed = format!("{text}{PROBE}");
    let at = probed.len() - 2;
    let mut blocks = Parser::new_ext(&probed, PARSER_OPTIONS).into_offset_iter();
    blocks.find_map(|(event, range)| {
        if !range.contains(&at) {
            return None;
        }
        let block = probed.get(range)?.trim_start();
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => {
                let mark = block.chars().next()?;
                Some(block.chars().take_while(|c| *c == mark).collect())
            }
            Event::Start(Tag::HtmlBlock) => Some(html_closing_text(block)),
            _ => None,
        }
    })
}

/// The text that closes an open HTML block, such as a comment, of a kind that does not end at an empty line.
fn html_closing_text(block: &str) -> String {
    let lowercase = block.to_ascii_lowercase();
    let named = ["script", "pre", "style", "textarea"]
        .iter()
        .find(|name| lowercase.strip_prefix('<').is_some_and(|after| after.starts_with(**name)));
    if let Some(name) = named {
        return format!("</{name}>");
    }
    let ends = [("<!--", "-->"), ("<![cdata[", "]]>"), ("<?", "?>")];
    ends.iter().find(|(start, _)| lowercase.starts_with(start)).map_or(">", |(_, end)| end).to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_open_is_closed() {
        for (text, after) in [
            ("a\n\n```rust\nlet a = 1;", "a\n\n```rust\nlet a = 1;\n```"),
            ("````\n```\nb\n\n", "````\n```\nb\n````"),
            ("~~~~ text\n```\n~~~\n", "~~~~ text\n```\n~~~\n~~~~"),
            ("```", "```\n```"),
            ("   ```\na", "   ```\na\n```"),
            ("<!-- a\n\nb", "<!-- a\n\nb\n-->"),
            ("<script>\n\nb", "<script>\n\nb\n</script>"),
        ] {
            assert_eq!(close_open_markdown_blocks(text), after, "{text:?}");
        }
        for text in [
            "",
            "plain",
            "```\na\n```",
            "```\na\n```\n\n~~~\nb\n~~~\n",
            "- one\n  ```\n  in a list that ends",
            "> ```\n> in a quotation that ends",
            "a ``` b",
            "<div>\n\ntext",
        ] {
            assert_eq!(close_open_markdown_blocks(text), text, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn nothing_stays_open(text in "(```|~~~|`|~|<!--|-->|<pre>|<\\?|> |- |    |[a-c]| |\n){0,30}") {
            let out = close_open_markdown_blocks(&text).into_owned();
            prop_assert!(closing_line_of_open_block(&out).is_none(), "{:?} {:?}", text, out);
            let with = format!("{out}\n\n## After\n");
            let found = Parser::new_ext(&with, PARSER_OPTIONS).any(|event| matches!(event, Event::Start(Tag::Heading { .. })));
            prop_assert!(found, "{:?}", with);
        }
    }
}
