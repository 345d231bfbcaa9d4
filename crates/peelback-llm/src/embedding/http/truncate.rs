//! Truncates texts to the token limit of OpenAI's embedding models.

use peelback_tokens::text::truncate_bytes;

/// The limit on the tokens of a text. OpenAI's models refuse texts of more than 8,192.
const MAX_TOKENS: usize = 8_000;
/// The limit on the bytes of a text: code and prose have fewer than eight bytes per token.
const MAX_BYTES: usize = 8 * MAX_TOKENS;

/// The longest prefix of `text` that certainly has at most [`MAX_TOKENS`].
pub(super) fn truncate_by_token_upper_bound(text: &str) -> &str {
    // A token has at least one byte, so that a text of few bytes is short enough.
    if text.len() <= MAX_TOKENS {
        return text;
    }
    let text = truncate_bytes(text, MAX_BYTES);
    if token_count_upper_bound(text) <= MAX_TOKENS {
        return text;
    }
    let (mut fits, mut too_long) = (MAX_TOKENS / 2, text.len());
    while too_long - fits > 1 {
        let middle = fits.midpoint(too_long);
        if token_count_upper_bound(truncate_bytes(text, middle)) <= MAX_TOKENS {
            fits = middle;
        } else {
            too_long = middle;
        }
    }
    truncate_bytes(text, fits)
}

/// An upper bound of the tokens of `text` in OpenAI's embedding models. The estimate is of a newer tokenizer than that
/// of these models; the two differ beyond ASCII, where each byte counts as a token.
fn token_count_upper_bound(text: &str) -> usize {
    peelback_tokens::estimate_tokens(text) + text.bytes().filter(|byte| !byte.is_ascii()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_within_the_limit_is_unchanged() {
        let text = "let x = y; ".repeat(500);
        assert_eq!(truncate_by_token_upper_bound(&text), text);
        assert_eq!(truncate_by_token_upper_bound(""), "");
    }

    #[test]
    fn a_long_text_is_truncated_between_characters_near_the_limit() {
        for unit in ["fn main() { println!(\"Hello\"); }\n", "你好，世界。", "é", "a", " ", "Привет, мир! "]
        {
            let text = unit.repeat(200_000 / unit.len());
            let cut = truncate_by_token_upper_bound(&text);
            assert!(text.starts_with(cut));
            assert!(token_count_upper_bound(cut) <= MAX_TOKENS, "{unit:?}");
            assert!(
                token_count_upper_bound(cut) > MAX_TOKENS / 2 || cut.len() > MAX_BYTES - 4,
                "{unit:?}: {}",
                token_count_upper_bound(cut)
            );
        }
    }
}
