//! Cutting texts to what OpenAI's models take.

/// OpenAI's models take 8,192 tokens of a text and refuse a longer one.
const MAX_TOKENS: usize = 8_000;
/// No prefix that is kept is longer: eight bytes in a token are more than code and prose have.
const MAX_BYTES: usize = 8 * MAX_TOKENS;

/// The longest beginning of `text` that is sure to be at most [`MAX_TOKENS`].
pub(super) fn to_tokens(text: &str) -> &str {
    // A token is a byte or more.
    if text.len() <= MAX_TOKENS {
        return text;
    }
    let text = &text[..text.floor_char_boundary(MAX_BYTES)];
    if tokens(text) <= MAX_TOKENS {
        return text;
    }
    let (mut fits, mut too_long) = (MAX_TOKENS / 2, text.len());
    while too_long - fits > 1 {
        let middle = fits.midpoint(too_long);
        if tokens(&text[..text.floor_char_boundary(middle)]) <= MAX_TOKENS {
            fits = middle;
        } else {
            too_long = middle;
        }
    }
    &text[..text.floor_char_boundary(fits)]
}

/// Not fewer than the tokens of `text`. The estimate is of a newer tokenizer than that of these models, and the two differ
/// where there are other letters than English ones: those count as their bytes.
fn tokens(text: &str) -> usize {
    peelback_tokens::estimate(text) + text.bytes().filter(|byte| !byte.is_ascii()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_fits_is_left_whole() {
        let text = "let x = y; ".repeat(500);
        assert_eq!(to_tokens(&text), text);
        assert_eq!(to_tokens(""), "");
    }

    #[test]
    fn a_long_text_is_cut_between_characters_near_the_limit() {
        for unit in ["fn main() { println!(\"Hello\"); }\n", "你好，世界。", "é", "a", " ", "Привет, мир! "]
        {
            let text = unit.repeat(200_000 / unit.len());
            let cut = to_tokens(&text);
            assert!(text.starts_with(cut));
            assert!(tokens(cut) <= MAX_TOKENS, "{unit:?}");
            assert!(tokens(cut) > MAX_TOKENS / 2 || cut.len() > MAX_BYTES - 4, "{unit:?}: {}", tokens(cut));
        }
    }
}
