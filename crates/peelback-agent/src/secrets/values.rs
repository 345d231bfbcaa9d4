//! Detection and masking of values in a text that look like passwords or keys.

use std::borrow::Cow;
use std::ops::Range;

use super::blocks;
use super::entropy::shannon_entropy_per_character;
use super::mask::MASK;
use crate::pattern::constant_patterns;

/// The minimum entropy, in bits per character, of a value that counts as random. Keys have 4 to 6 bits, words of a
/// natural language about 3.
const RANDOM_BITS: f64 = 3.6;

/// The minimum number of characters of a value whose randomness can be judged.
const MIN_SECRET_CHARS: usize = 12;

constant_patterns! {
    /// Keys of known vendors, recognized by their prefixes, which are taken from each vendor's documentation.
    KEYS = r"(?x)
        \b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b                      # AWS
        | \bgh[pousr]_[A-Za-z0-9]{36,255}\b                          # GitHub
        | \bgithub_pat_[A-Za-z0-9_]{50,255}\b
        | \bglpat-[A-Za-z0-9_-]{20,64}\b                             # GitLab
        | \bxox[abeoprs]-[A-Za-z0-9-]{20,255}\b                      # Slack
        | \bxapp-[0-9]-[A-Za-z0-9-]{20,255}\b
        | hooks\.slack\.com/services/T[A-Z0-9]{6,}/B[A-Z0-9]{6,}/[A-Za-z0-9]{16,}
        | \b[spr]k_(?:live|test)_[A-Za-z0-9]{20,255}\b               # Stripe
        | \bwhsec_[A-Za-z0-9+/=]{24,255}
        | \bsk-ant-[A-Za-z0-9_-]{20,255}                             # Anthropic
        | \bsk-(?:proj-|svcacct-|or-v1-)?[A-Za-z0-9_-]{32,255}       # OpenAI and those who write like it
        | \bAIza[A-Za-z0-9_-]{35}\b                                  # Google
        | \bya29\.[A-Za-z0-9_-]{30,}
        | \bnpm_[A-Za-z0-9]{36}\b
        | \bpypi-AgE[A-Za-z0-9_-]{50,}
        | \bhf_[A-Za-z0-9]{34,}\b
        | \bSG\.[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{40,}
        | \beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{20,}   # a JSON web token";
    /// A private key on a single line, where line breaks are written as `\n`.
    KEY_ON_A_LINE = r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----([A-Za-z0-9+/=\\]{32,})";
    /// A variable whose name suggests a secret, with its value. The value is quoted, or is the rest of a line in a
    /// settings file.
    ASSIGNED = r#"(?xi)
        (?:^|[^a-z0-9])
        (?:[a-z0-9]+[_.-])*
        (?:pass(?:word|wd|phrase)?|pwd|secret(?:[_-]?(?:access)?[_-]?key)?|(?:api|access|auth|private|encryption|signing|account)[_-]?key
           |apikey|(?:api|access|auth|bearer|refresh|session|bot|personal)?[_-]?token|client[_-]?secret|credentials?)
        ["']?\s*(?::=|=>|=|:)\s*
        (?:"([^"\\\s]{12,512})"|'([^'\\\s]{12,512})'|`([^`\\\s]{12,512})`)"#;
    /// A variable with a name in capitals and an unquoted secret as its value, as in the settings file line
    /// `DB_PASSWORD=…`. Line numbers, symbol names and token costs of tool answers may surround the line.
    BARE = r#"(?m)(?:^|[\s:>+"'`(\[-])(?:[A-Z0-9]+_)*(?:PASS|PASSWORD|PASSWD|PWD|SECRET|TOKEN|KEY|APIKEY|CREDENTIALS)[ \t]*=[ \t]*([A-Za-z0-9+/=_.~!@%^*-]{12,512})(?:[\s"'`,)\]]|$)"#;
    /// A password inside a URL, between the user name and the host.
    IN_ADDRESS = r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@'\x22`<>{}$]{1,64}:([^\s/@'\x22`<>{}$]{6,256})@(?P<host>[A-Za-z0-9.-]+|\[)";
}

/// Placeholder values that a reader is meant to replace, which are not secrets.
const PLACEHOLDERS: &[&str] = &[
    "your",
    "example",
    "sample",
    "placeholder",
    "change",
    "replace",
    "insert",
    "dummy",
    "fake",
    "mock",
    "xxxx",
    "****",
    "....",
    "todo",
    "redacted",
    "masked",
    "secret",
    "password",
    "passwd",
    "token",
    "test",
    "foobar",
    "12345678",
    "abcdef",
    "none",
    "null",
    "undefined",
    "default",
    "here",
    "process.env",
    "getenv",
    "environ",
    "config",
    "settings",
];

type Test = fn(&str) -> bool;

/// The number of bytes in a text that belong to the base64 of private keys.
pub(super) fn count_private_key_bytes(text: &str) -> usize {
    let lines = blocks::private_key_base64_ranges_after_begin(text).into_iter().map(|range| range.len());
    let on_a_line = KEY_ON_A_LINE.captures_iter(text).filter_map(|found| found.get(1));
    lines.sum::<usize>()
        + on_a_line.filter(|key| blocks::looks_like_random_base64(key.as_str())).map(|key| key.len()).sum::<usize>()
}

pub(super) fn mask_secret_values(text: &str) -> Cow<'_, str> {
    let mut masked: Vec<Range<usize>> = blocks::private_key_base64_ranges(text);
    masked.extend(
        KEYS.find_iter(text).filter(|found| looks_like_real_vendor_key(found.as_str())).map(|found| found.range()),
    );
    for (pattern, is_secret) in [
        (&*KEY_ON_A_LINE, blocks::looks_like_random_base64 as Test),
        (&*ASSIGNED, is_random_looking_value as Test),
        (&*BARE, is_random_looking_value as Test),
        (&*IN_ADDRESS, looks_like_real_password as Test),
    ] {
        for found in pattern.captures_iter(text) {
            if found.name("host").is_some_and(|host| is_example_host(host.as_str())) {
                continue;
            }
            let value = (1..found.len()).find_map(|group| found.get(group));
            masked.extend(value.filter(|value| is_secret(value.as_str())).map(|value| value.range()));
        }
    }
    if masked.is_empty() {
        return Cow::Borrowed(text);
    }
    masked.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for range in masked {
        if range.start < at {
            continue;
        }
        out.push_str(text.get(at..range.start).unwrap_or(""));
        out.push_str(MASK);
        // Line breaks inside a masked value are preserved, so that line numbers do not change.
        out.extend(text.get(range.clone()).unwrap_or("").chars().filter(|c| *c == '\n'));
        at = range.end;
    }
    out.push_str(text.get(at..).unwrap_or(""));
    Cow::Owned(out)
}

/// Whether a text that begins with a vendor's key prefix is a real key. Real keys are random; examples in documentation
/// are not.
fn looks_like_real_vendor_key(text: &str) -> bool {
    let lowercase = text.to_lowercase();
    let is_example =
        ["example", "xxxx", "your", "placeholder", "0000000", "1234567", "abcdefg", "....", "-here", "_here"]
            .iter()
            .any(|word| lowercase.contains(word));
    // A name such as `sk-learn-like-names-with-many-words` is a package or a branch, not a key.
    let is_words = text.starts_with("sk-") && !text.chars().any(|c| c.is_ascii_digit());
    !is_example && !is_words && shannon_entropy_per_character(text) >= 3.0
}

/// Whether a value looks randomly generated and is not a name, path, URL or placeholder.
fn is_random_looking_value(value: &str) -> bool {
    let lowercase = value.to_lowercase();
    if value.chars().count() < MIN_SECRET_CHARS || PLACEHOLDERS.iter().any(|word| lowercase.contains(word)) {
        return false;
    }
    // A value that contains `$`, brackets, a space, a separator or `::` is a template, variable, call or path in code.
    if value.contains(['$', '{', '}', '<', '>', '(', ')', '[', ']', ' ', ',', ';', '|']) || value.contains("::") {
        return false;
    }
    if value.contains("://") || value.starts_with(['/', '.', '-', '@', '%']) {
        return false;
    }
    let has = |test: fn(&char) -> bool| usize::from(value.chars().any(|c| test(&c)));
    let classes = has(char::is_ascii_lowercase)
        + has(char::is_ascii_uppercase)
        + has(char::is_ascii_digit)
        + usize::from(value.chars().any(|c| !c.is_ascii_alphanumeric()));
    let hexadecimal = value.len() >= 32 && value.chars().all(|c| c.is_ascii_hexdigit());
    // A value that consists of words joined by punctuation is a name: `my-other-setting_name`.
    let is_name = value.split(['-', '_', '.', '/', ':']).all(|part| part.chars().all(|c| c.is_ascii_alphabetic()));
    let has_digit = value.chars().any(|c| c.is_ascii_digit());
    !is_name
        && has_digit
        && (hexadecimal || classes >= 3)
        && shannon_entropy_per_character(value) >= if hexadecimal { 3.0 } else { RANDOM_BITS - 0.4 }
}

/// Whether the password part of a URL is a real password instead of a placeholder.
fn looks_like_real_password(value: &str) -> bool {
    let lowercase = value.to_lowercase();
    const USUAL: &[&str] =
        &["pass", "secret", "user", "postgres", "root", "admin", "token", "xxxx", "****", "example", "your"];
    !value.contains(['$', '{', '%', '<', '*', '(', ','])
        && !USUAL.iter().any(|word| lowercase.contains(word))
        && value.chars().any(|c| c.is_ascii_digit() || !c.is_alphanumeric())
}

/// Whether a host name in a URL is only an example: a name that RFC 2606 reserves for documentation, or a placeholder
/// such as `hostname`.
fn is_example_host(host: &str) -> bool {
    let host = host.trim_end_matches('.').to_lowercase();
    let last = host.rsplit('.').next().unwrap_or(&host);
    let second = |name: &str| host.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    matches!(last, "test" | "example" | "invalid")
        || ["example.com", "example.net", "example.org"].into_iter().any(second)
        || matches!(host.as_str(), "host" | "hostname" | "your-host")
}
