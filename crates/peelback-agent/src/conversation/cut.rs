//! Truncation of texts at line ends to a token limit, with a notice about the omitted lines.

use std::borrow::Cow;

use peelback_tokens::count_tokens;

/// The maximum number of bytes of a last line that a truncated text keeps: such a line may be the mark that closes a
/// fence.
const LAST_LINE_BYTES: usize = 200;

/// The smallest token limit for a truncated text: the notice about the omitted lines needs this many tokens.
pub(super) const MIN_TRUNCATED_TOKENS: usize = 48;

/// Truncates `text` to at most `most` tokens (or [`MIN_TRUNCATED_TOKENS`] if that is more): its first lines, a notice
/// about the omitted lines, and its last line if that line is short.
pub(super) fn truncate_to_tokens(text: &str, most: usize) -> Cow<'_, str> {
    if count_tokens(text) <= most {
        return Cow::Borrowed(text);
    }
    let most = most.max(MIN_TRUNCATED_TOKENS);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let last = lines.last().copied().filter(|line| lines.len() > 2 && line.len() <= LAST_LINE_BYTES).unwrap_or("");
    let body = lines.len() - usize::from(!last.is_empty());
    let shown = |kept: usize| {
        let head: String = lines.iter().take(kept).copied().collect();
        format!("{head}[{} of {} lines left out here to save room]\n{last}", body - kept, lines.len())
    };
    // Fewer lines cost fewer tokens, so a binary search finds the largest number of lines that fits.
    let (mut fits, mut over) = (0, body);
    while over - fits > 1 {
        let middle = fits + (over - fits) / 2;
        if count_tokens(&shown(middle)) <= most { fits = middle } else { over = middle }
    }
    Cow::Owned(if fits > 0 { shown(fits) } else { truncate_inside_first_line(text, most) })
}

/// The beginning of a text whose first line alone exceeds the limit of `most` tokens, with a notice about the omitted
/// characters.
fn truncate_inside_first_line(text: &str, most: usize) -> String {
    let chars = text.chars().count();
    let shown = |kept: usize| {
        let end = text.char_indices().nth(kept).map_or(text.len(), |(at, _)| at);
        let head = text.get(..end).unwrap_or("");
        format!("{head}… [{} of {chars} characters left out here to save room]", chars - kept)
    };
    let (mut fits, mut over) = (0, chars);
    while over - fits > 1 {
        let middle = fits + (over - fits) / 2;
        if count_tokens(&shown(middle)) <= most { fits = middle } else { over = middle }
    }
    shown(fits)
}

#[cfg(test)]
mod tests {
    use peelback_tokens::count_tokens;
    use proptest::prelude::*;

    use super::{MIN_TRUNCATED_TOKENS, truncate_to_tokens};

    #[test]
    fn first_lines_and_the_last_stay() {
        let text: String = (1..=400).map(|n| format!("line {n} of the text\n")).collect::<String>() + "</end>\n";
        let short = truncate_to_tokens(&text, 200);
        assert!(count_tokens(&short) <= 200 && count_tokens(&short) > 120, "{}", count_tokens(&short));
        assert!(short.starts_with("line 1 of the text\nline 2"), "{short}");
        assert!(short.ends_with("lines left out here to save room]\n</end>\n"), "{short}");
        assert_eq!(truncate_to_tokens("short", 200), "short");
    }

    #[test]
    fn a_line_that_is_all_is_cut_inside() {
        let short = truncate_to_tokens(&"word ".repeat(5_000), 100).into_owned();
        assert!(short.starts_with("word word") && short.contains("characters left out"), "{short}");
    }

    proptest! {
        #[test]
        fn it_fits_whatever_it_is(lines in prop::collection::vec("\\PC{0,80}", 0..60), most in 0usize..400) {
            let text = lines.join("\n");
            prop_assert!(count_tokens(&truncate_to_tokens(&text, most)) <= most.max(MIN_TRUNCATED_TOKENS + 8));
        }
    }
}
