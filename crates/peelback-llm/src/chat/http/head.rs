//! The parts of an HTTP response that an error message about its body names.

use reqwest::Response;
use reqwest::header::CONTENT_TYPE;

use crate::web::{ApiKey, sanitize_server_message};
use peelback_tokens::text::first_chars;

/// The limit on the bytes of a body that are kept for an error message.
pub(super) const MAX_BEGINNING_BYTES: usize = 2_048;
/// The limit on the characters of a body in an error message.
const MAX_SHOWN_CHARS: usize = 120;
/// The limit on the characters of a content type in an error message.
const MAX_TYPE_CHARS: usize = 60;

/// The status and the content type of a response.
#[derive(Debug, Clone, Default)]
pub(super) struct ResponseHead {
    status: u16,
    content_type: String,
}

impl ResponseHead {
    /// The head of a response whose body was not read yet.
    pub(super) fn of_response(response: &Response) -> Self {
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        Self { status: response.status().as_u16(), content_type: kind.to_owned() }
    }

    /// Whether the response is a page for people, as far as its content type or the beginning of its body tells.
    pub(super) fn is_page(&self, body: &[u8]) -> bool {
        let kind = self.content_type.split(';').next().unwrap_or_default().trim();
        let is_html = ["text/html", "application/xhtml+xml"].iter().any(|html| kind.eq_ignore_ascii_case(html));
        let first = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body).iter().find(|byte| !byte.is_ascii_whitespace());
        is_html || first == Some(&b'<')
    }

    /// The head and the first characters of `body` for an error message, without secrets: `HTTP 200 with the content
    /// type text/html, beginning with "<html>"`.
    pub(super) fn describe(&self, body: &[u8], key: Option<&ApiKey>) -> String {
        let kind = sanitize_server_message(first_chars(&self.content_type, MAX_TYPE_CHARS), key);
        let kind = if kind.is_empty() { "no content type".to_owned() } else { format!("the content type {kind}") };
        format!("HTTP {} with {kind}{}", self.status, describe_beginning(body, key))
    }
}

/// The first characters of a body, in quotes, or words for an empty one.
fn describe_beginning(body: &[u8], key: Option<&ApiKey>) -> String {
    let kept = body.get(..body.len().min(MAX_BEGINNING_BYTES)).unwrap_or(body);
    let text = String::from_utf8_lossy(kept);
    if text.trim().is_empty() {
        return " and an empty body".to_owned();
    }
    if key.is_some_and(|key| key.is_partly_in(&text)) {
        return ", whose text repeats the key and is not shown".to_owned();
    }
    // Secrets are masked in all that was kept, before the text is cut: a part of a secret would not be recognised.
    let masked = sanitize_server_message(&text, key);
    let shown = first_chars(masked.trim(), MAX_SHOWN_CHARS);
    let more = if shown.len() < masked.trim().len() || kept.len() < body.len() { "…" } else { "" };
    format!(", beginning with \"{shown}{more}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(content_type: &str, body: &str, key: Option<&ApiKey>) -> String {
        ResponseHead { status: 200, content_type: content_type.to_owned() }.describe(body.as_bytes(), key)
    }

    #[test]
    fn a_body_is_named_by_its_first_characters_without_secrets() {
        assert_eq!(
            described("text/html", "<html>\n<b>Sign in</b>", None),
            "HTTP 200 with the content type text/html, beginning with \"<html> <b>Sign in</b>\""
        );
        assert_eq!(described("", " \n", None), "HTTP 200 with no content type and an empty body");
        let long = described("text/plain", &"word ".repeat(1_000), None);
        assert!(long.ends_with("…\"") && long.chars().count() < 200, "{long}");
        let password = ["hR7", "kQz2", "mW9x", "Lp4T"].concat();
        let secret = described("text/html", &format!("DB_PASSWORD={password}"), None);
        assert!(!secret.contains(&password) && secret.contains("[masked]"), "{secret}");
        let plain = "sk-AbCdEfGh12345";
        let key = ApiKey::new("", plain).expect("a key");
        for body in [format!("your key: {plain}"), "your key: sk%2DAbCdEfGh12345".to_owned()] {
            let said = described("text/html", &body, Some(&key));
            assert!(said.ends_with("whose text repeats the key and is not shown"), "{said}");
        }
    }
}
