//! Shortening of texts for rows: source lines and signatures, whose lengths are in characters (Unicode scalar values), and
//! lists, whose lengths are in tokens.

use std::borrow::Cow;
use std::fmt::Write as _;

use peelback_tokens::estimate_tokens;
use peelback_tokens::text::first_chars;

/// The whole text, or its first `max_chars` characters with an ellipsis and the number of omitted characters.
pub(crate) fn clip_text_with_omitted_count(text: &str, max_chars: usize) -> Cow<'_, str> {
    match split_after_max_chars(text, max_chars) {
        Some((head, rest)) => Cow::Owned(format!("{head}… [+{} characters]", rest.chars().count())),
        None => Cow::Borrowed(text),
    }
}

/// A signature in at most `max_chars` characters, or up to the end of `name` if that ends later: the symbol's name is
/// never cut.
pub(crate) fn clip_signature_keeping_name<'a>(signature: &'a str, name: &str, max_chars: usize) -> Cow<'a, str> {
    let to_name = signature.find(name).and_then(|at| signature.get(..at + name.len()));
    let max_chars = max_chars.max(to_name.map_or(0, |head| head.chars().count()));
    match split_after_max_chars(signature, max_chars) {
        Some((head, _)) => Cow::Owned(format!("{}…", head.trim_end())),
        None => Cow::Borrowed(signature),
    }
}

/// The head and as many of the items as fit `max_tokens` tokens together with it and the number of the other items, and at
/// least one item. `noun` follows that number.
pub(crate) fn list_within(head: &str, items: &[&str], separator: &str, noun: &str, max_tokens: usize) -> String {
    let first_items = |count: usize| {
        let mut out = format!("{head}{}", items.get(..count).unwrap_or(items).join(separator));
        if count < items.len() {
            let _ = write!(out, "{separator}… +{} more{noun}", items.len() - count);
        }
        out
    };
    let fits = |count: usize| estimate_tokens(&first_items(count)) <= max_tokens;
    if fits(items.len()) {
        return first_items(items.len());
    }
    // Each further item makes the text longer.
    let (mut low, mut high) = (1, items.len().saturating_sub(1).max(1));
    while low < high {
        let middle = (low + high).div_ceil(2);
        if fits(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    first_items(low)
}

/// The first `max_chars` characters of a text and the rest; `None` for a text of at most `max_chars` characters.
fn split_after_max_chars(text: &str, max_chars: usize) -> Option<(&str, &str)> {
    text.split_at_checked(first_chars(text, max_chars).len()).filter(|(_, rest)| !rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{clip_signature_keeping_name, clip_text_with_omitted_count};

    #[test]
    fn a_text_that_fits_is_not_changed() {
        assert_eq!(clip_text_with_omitted_count("größe", 5), "größe");
        assert_eq!(clip_signature_keeping_name("fn größe()", "größe", 10), "fn größe()");
    }

    #[test]
    fn a_longer_text_ends_in_an_ellipsis() {
        assert_eq!(clip_text_with_omitted_count("größer ab", 5), "größe… [+4 characters]");
        assert_eq!(clip_signature_keeping_name("fn a_long_name(text: &str)", "a_long_name", 5), "fn a_long_name…");
    }
}
