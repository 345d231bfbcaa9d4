//! Whether a value refers to a secret that stands elsewhere: a variable, a template, a path, an address, an expression of
//! code. A password may hold any sign, so signs alone tell nothing: it is their structure, and that what stands between
//! them are words.

use crate::judgement::{Writing, randomness_score};

/// Texts that stand in references alone.
const PARTS: &[&str] = &[
    "process.env",
    "environ",
    "getenv",
    "secrets.",
    "vars.",
    "://",
    "urn:",
    "&lt;",
    "&gt;",
    "&#x",
    "|Digest",
    "[A-",
    "[a-z",
    "[0-9",
    "[^",
    "(?:",
    "{0,",
    "{1,",
    "\\d",
    "\\w",
    "\\s",
    "valueFrom",
    "self.",
    "this.",
    "String(",
];

/// How templates begin and end.
const TEMPLATES: &[(&str, &str)] = &[("${", "}"), ("{{", "}}"), ("$(", ")"), ("<%", "%>"), ("%(", ")s"), ("#{", "}")];

/// What stands between the words of an expression, longest first.
const OPERATORS: &[&str] = &[
    "...", "===", "!==", "?.", "!.", "!!", "::", "->", "=>", "&&", "||", "??", "==", "!=", ":=", "+=", "//", ".", ",",
    "=", "+", "-", "*", "/", "&", "|", ":", "?", "!", "<", ">", ";", "$", "@",
];

/// Whether a value refers to a secret that stands elsewhere.
pub(crate) fn is_reference(value: &str, writing: Writing) -> bool {
    let first = value.chars().next().unwrap_or(' ');
    let last = value.chars().next_back().unwrap_or(' ');
    if PARTS.iter().any(|part| value.contains(part)) || has_template(value) {
        return true;
    }
    if matches!((first, last), ('<', '>') | ('[', ']') | ('{', '}') | ('(', ')') | ('%', '%') | ('@', '@')) {
        return true;
    }
    // Text of a program that a quote before it made a value.
    let signs = value.bytes().filter(|byte| b"(),;{}".contains(byte)).count();
    if signs > 3 && signs * 8 > value.len() && (value.contains(' ') || has_only_words(value)) {
        return true;
    }
    let is_bcrypt = value.starts_with("$2") && value.len() >= 59;
    if first == '$' && !is_bcrypt && value.get(1..).is_some_and(|name| is_identifier(name) && is_word(name)) {
        return true;
    }
    if is_expression(value, writing) {
        return true;
    }
    if writing == Writing::Bare
        && value.split('.').count() > 1
        && value.split('.').all(|part| is_identifier(part) && randomness_score(part) < 3.0)
    {
        return true;
    }
    // A path: most of its parts are words.
    let parts = value.split(['/', '\\']).filter(|part| !part.is_empty());
    let slashes = value.bytes().filter(|byte| matches!(byte, b'/' | b'\\')).count();
    (slashes >= 2 || matches!(first, '/' | '.' | '~'))
        && slashes >= 1
        && parts.clone().all(|part| randomness_score(part) <= 1.5)
}

/// Whether a text is a name, as programs have them.
pub(crate) fn is_identifier(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && text.bytes().next().is_some_and(|byte| !byte.is_ascii_digit())
}

/// Whether a value holds a template whose inside are words: `${TOKEN}`, `{{ token }}`, `$(cat file`.
fn has_template(value: &str) -> bool {
    TEMPLATES.iter().any(|(begin, end)| {
        value.match_indices(begin).any(|(at, _)| {
            let inside = value.get(at + begin.len()..).unwrap_or("");
            match inside.find(end) {
                Some(length) => inside.get(..length).is_some_and(has_only_words),
                // Cut where a space or a quote stands in it.
                None => at == 0 && has_only_words(inside),
            }
        })
    }) || value.starts_with("}}")
}

/// Whether a value is an expression of code: names and calls, which operators join and whose brackets close.
fn is_expression(value: &str, writing: Writing) -> bool {
    let bytes = value.as_bytes();
    let mut open = Vec::new();
    let (mut at, mut words, mut calls) = (0, 0, 0);
    let mut ends_operand = false;
    while let Some(&byte) = bytes.get(at) {
        let rest = value.get(at..).unwrap_or("");
        if byte.is_ascii_alphanumeric() || byte == b'_' {
            let length = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
            // Two operands follow each other in no expression.
            let word = rest.get(..length).unwrap_or("");
            if ends_operand || !is_operand(word) {
                return false;
            }
            words += usize::from(length >= 4 && is_word(word));
            ends_operand = true;
            at += length;
            continue;
        }
        match byte {
            b'(' | b'[' | b'{' => {
                calls += usize::from(ends_operand);
                open.push(byte);
                ends_operand = false;
            }
            b')' | b']' | b'}' => {
                let closes =
                    open.pop().is_some_and(|open| matches!((open, byte), (b'(', b')') | (b'[', b']') | (b'{', b'}')));
                if !closes {
                    // The end of a call around the value.
                    return open.is_empty()
                        && words > 0
                        && bytes.get(at..).is_some_and(|rest| rest.iter().all(u8::is_ascii_punctuation));
                }
                ends_operand = true;
            }
            b' ' | b'"' | b'\'' | b'`' => {}
            _ => {
                let Some(operator) = OPERATORS.iter().find(|operator| rest.starts_with(*operator)) else {
                    return false;
                };
                ends_operand = false;
                at += operator.len();
                continue;
            }
        }
        at += 1;
    }
    let is_joined = value.contains("->") || value.contains("::") || value.contains("=>") || value.contains("&&");
    match writing {
        Writing::Quoted => words > 0 && open.is_empty() && (calls > 0 && value.ends_with([')', ']']) || is_joined),
        // What a space or a quote ends is open.
        _ => words > 0 && (calls > 0 || is_joined || !open.is_empty() || value.ends_with(',')),
    }
}

/// Whether a word is one of an expression: a name or a number.
fn is_operand(word: &str) -> bool {
    const MAX_NAME_LETTERS: usize = 8;
    let is_number = |text: &str, is_digit: fn(&u8) -> bool| !text.is_empty() && text.as_bytes().iter().all(is_digit);
    let is_short_name = word.len() <= MAX_NAME_LETTERS && word.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_number(word, u8::is_ascii_digit)
        || word.strip_prefix("0x").is_some_and(|digits| is_number(digits, u8::is_ascii_hexdigit))
        || is_identifier(word) && (is_word(word) || is_short_name)
}

/// Whether all words in a text are words and not random characters.
fn has_only_words(text: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).all(is_operand)
}

/// Whether a word is made of syllables and no random characters. Three letters tell little.
fn is_word(word: &str) -> bool {
    let score = randomness_score(word);
    let length = f32::from(u16::try_from(word.len()).unwrap_or(u16::MAX));
    score < 2.0 || score / length < 0.3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_told_by_their_structure() {
        for value in [
            "${TOKEN}",
            "${DB_PASSWORD:-}",
            "prefix-${token}",
            "{{.Values.password}}",
            "$(cat",
            "$PASSWORD",
            "config.get(key)",
            "os.environ.get(",
            "settings[\"password\"]",
            "user.password",
            "secret::load()",
            "self.token",
            "x=>x.password",
            "user->password",
            "/run/secrets/token",
            "https://shop.io/token",
            "<your-token>",
            "read_password(path,",
            "token)",
        ] {
            assert!(is_reference(value, Writing::Bare), "{value}");
        }
        for parts in [
            ["x9Kq(mZ2", "Lp7vT"],
            ["x9Kq[mZ2", "Lp7vT"],
            ["x9Kq`mZ2", "Lp7vT"],
            ["x9Kq{mZ2", "Lp7vT"],
            ["aB3->x9K", "q!mZ2Lp"],
            ["Kq2!mZx9", "=>Wt7v"],
            ["Kq2!mZx9", "&&Wt7v"],
            ["$x9KqmZ2", "Lp7vT"],
            ["8f(k2)Zq", "();w[]4x"],
        ] {
            let value = parts.concat();
            assert!(!is_reference(&value, Writing::Bare), "{value}");
            assert!(!is_reference(&value, Writing::Quoted), "{value}");
        }
    }
}
