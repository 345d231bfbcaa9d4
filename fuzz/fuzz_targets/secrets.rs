//! The masking of secrets in texts.

use peelback_agent::disclosure::KnownSecrets;
use peelback_agent::secrets::SecretFileRules;

use crate::fixtures;
use crate::input::is_sampled;

/// The one place where the masking is called.
fn mask(text: &str) -> String {
    SecretFileRules::default().redact(text).into_owned()
}

fn mask_excerpt(text: &str, known: &KnownSecrets) -> String {
    SecretFileRules::default().redact_excerpt(text, known).into_owned()
}

pub fn seeds() -> Vec<Vec<u8>> {
    // Made from parts, so that no scanner takes this file for what it is not.
    let random = |length: usize| -> String {
        let letters = b"aZ3kQ9xB7mW2pL5vT8nR4cY6dF1gH0jS";
        (0..length).map(|at| char::from(letters[(at * 7 + at / 3) % letters.len()])).collect()
    };
    let (long, short) = (random(40), random(16));
    let begin = format!("-----BEGIN {} KEY-----", "PRIVATE");
    let end = format!("-----END {} KEY-----", "PRIVATE");
    let mut seeds: Vec<String> = vec![
        format!("password = \"{short}\"\n"),
        format!("API_KEY: str = \"{long}\"\nexport TOKEN={long}\n"),
        format!("{{\"client_secret\": \"{long}\", \"user\": \"ann\"}}\n"),
        format!("db:\n  password: {short}\n  url: postgres://ann:{short}@host/db\n"),
        format!("<password>{short}</password>\n"),
        format!("Authorization: Bearer {long}\nAuthorization: Basic {long}==\n"),
        format!("{begin}\n{}\n{}\n{end}\n", random(64), random(60)),
        format!("key = \"gh{}_{}\"\nid = \"AK{}{}\"\n", "p", random(36), "IA", random(16).to_uppercase()),
        format!("{begin}\n{}\nmasked\n{end}\n", random(64)),
        format!("hash = \"{}\"\n", "0123456789abcdef".repeat(4)),
        format!("var apiToken string = \"{long}\"\ndefine('DB_PASSWORD', '{short}');\n"),
        format!("[section]\nsecret={short}\nkey.password={short}\n"),
    ];
    for language in ["python", "rust", "typescript", "yaml", "json", "toml", "bash"] {
        seeds.extend(fixtures::language_files(language).into_iter().map(|(_, text)| text));
    }
    seeds.into_iter().map(String::into_bytes).collect()
}

pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let masked = mask(&text);
    let line_ends = |text: &str| text.bytes().filter(|byte| *byte == b'\n').count();
    assert_eq!(line_ends(&text), line_ends(&masked), "lines of {text:?}");
    assert_eq!(masked, mask(&masked), "masked again: {text:?}");
    // The second half, as an excerpt of which the whole text is known.
    let known = KnownSecrets::of_text(&text);
    let mut middle = text.len() / 2;
    while !text.is_char_boundary(middle) {
        middle += 1;
    }
    for excerpt in [&*text, text.get(middle..).unwrap_or("")] {
        let masked = mask_excerpt(excerpt, &known);
        assert_eq!(line_ends(excerpt), line_ends(&masked), "lines of {text:?}");
        assert_eq!(masked, mask_excerpt(&masked, &known), "masked again: {text:?}");
    }
    if is_sampled(data, 32) {
        assert_eq!(masked, mask(&text));
    }
}
