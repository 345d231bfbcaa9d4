//! Secrets that stand in a known place without a name: in addresses, in data source names, in lists of passwords, and in
//! the data of a Kubernetes secret.

use std::ops::Range;

use memchr::memmem;

use crate::judgement::{
    NameStrength, Writing, contains_placeholder_word, is_random_token, is_secret_value, shannon_entropy_per_byte,
};
use crate::pattern::constant_patterns;
use crate::references::is_reference;

/// The greatest length of what stands before the host in an address.
const MAX_USER_INFO_BYTES: usize = 512;

constant_patterns! {
    /// A user and a password before the protocol of a data source name of Go: `user:password@tcp(host:3306)/base`.
    DATA_SOURCE = r#"[A-Za-z0-9_.-]{1,64}:([^\s:@/'"`]{4,128})@(?:tcp|unix)\("#;
    /// A user and a password in an address of Oracle's driver: `jdbc:oracle:thin:user/password@host`.
    ORACLE_ADDRESS = r#"(?i)\bjdbc:oracle:[a-z0-9]{1,16}:[A-Za-z0-9_.$#-]{1,64}/([^\s@/'"`]{4,128})@"#;
    /// The password behind the short flag of programs that take it there.
    SHORT_FLAG = r#"\b(?:(?:docker|podman|buildah|registry|acr)[ \t]+login\b[^\n|;&]{0,120}?[ \t]-p(?:[ \t]+|=)?|(?:mysql|mariadb)[a-z-]{0,16}\b[^\n|;&]{0,120}?[ \t]-p)["']?([^\s"'|;&]{6,256})"#;
    /// The heading of a Kubernetes secret, escaped or not.
    SECRET_KIND = r#"\bkind["']?:[ \t]*["']?Secret\b"#;
    /// A key and its value in the data of a Kubernetes secret, behind whatever an excerpt puts before a line.
    SECRET_DATA = r#"^.{0,60}?["']?[A-Za-z0-9_.-]{1,100}["']?:[ \t]*(?:[|>][+-]?[ \t]*)?["']?([^\s"',]{4,})["',]*[ \t\r]*(?:\[in [^\]]{1,200}\])?(?:[ \t]*~[0-9,]{1,12}(?: tokens)?)?$"#;
    /// The key of the data in a Kubernetes secret.
    DATA_KEY = r#"(?:^|[\s"'])(?:data|stringData)["']?:[ \t]*(?:\{[ \t]*)?(?:\[in [^\]]{1,200}\])?\r?$"#;
    /// The same in an outline, with the lines before and the price behind.
    OUTLINED_DATA_KEY = r"^[ \t]*[0-9]{1,9}(?:-[0-9]{1,9})?[ \t]+(?:data|stringData)[ \t]+~[0-9,]{1,12}(?: tokens)?\r?$";
    /// An address that is itself a secret: whoever knows it may post.
    WEBHOOK = r"/(?:webhooks?|hooks|services)/(?:[A-Za-z0-9_-]{1,64}/){0,3}([A-Za-z0-9_-]{20,128})";
}

/// The byte ranges of values that are secrets because of where they stand: passwords in URLs, values of Kubernetes secrets,
/// addresses of webhooks.
pub(crate) fn secret_ranges_by_structure(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    find_passwords_in_urls(text, &mut found);
    if memmem::find(text.as_bytes(), b"@tcp(").is_some() || memmem::find(text.as_bytes(), b"@unix(").is_some() {
        found.extend(
            DATA_SOURCE
                .captures_iter(text)
                .filter_map(|one| one.get(1))
                .filter(|value| is_real_url_password(value.as_str()))
                .map(|value| value.range()),
        );
    }
    if memmem::find(text.as_bytes(), b":oracle:").is_some() {
        found.extend(
            ORACLE_ADDRESS
                .captures_iter(text)
                .filter_map(|one| one.get(1))
                .filter(|value| is_real_url_password(value.as_str()))
                .map(|value| value.range()),
        );
    }
    if memmem::find(text.as_bytes(), b" -p").is_some() {
        found.extend(
            SHORT_FLAG
                .captures_iter(text)
                .filter_map(|one| one.get(1))
                .filter(|value| is_secret_value(value.as_str(), NameStrength::Password, Writing::Bare))
                .map(|value| value.range()),
        );
    }
    if text.contains("hook") {
        found.extend(
            WEBHOOK
                .captures_iter(text)
                .filter_map(|one| one.get(1))
                .filter(|value| {
                    is_random_token(value.as_str(), 20) && shannon_entropy_per_byte(value.as_str().as_bytes()) > 3.6
                })
                .map(|value| value.range()),
        );
    }
    if memmem::find(text.as_bytes(), b"Secret").is_some() && SECRET_KIND.is_match(text) {
        find_kubernetes_secret_values(text, &mut found);
    }
    found
}

/// Passwords and tokens between the scheme and the host of addresses.
fn find_passwords_in_urls(text: &str, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    for at in memmem::find_iter(bytes, b"://") {
        let start = at + 3;
        let is_part = |byte: &&u8| !byte.is_ascii_whitespace() && !b"\"'`<>@/\\".contains(byte);
        let rest = bytes.get(start..).unwrap_or_default();
        let length = rest.iter().take(MAX_USER_INFO_BYTES).take_while(is_part).count();
        // The last sign before the host ends the password, which can hold others.
        let authority =
            rest.iter().take(MAX_USER_INFO_BYTES).take_while(|byte| is_part(byte) || **byte == b'@').count();
        let last = rest.get(..authority).and_then(|text| memchr::memrchr(b'@', text));
        let has_password = rest.get(..length).is_some_and(|text| text.contains(&b':'));
        let mut end = start + last.filter(|_| has_password && rest.get(length) == Some(&b'@')).unwrap_or(length);
        if bytes.get(end) == Some(&b'/') {
            // A password can hold a slash, which a browser would not take.
            let rest = bytes.get(end..).unwrap_or_default();
            let more = rest.iter().take(64).take_while(|byte| is_part(byte) || **byte == b'/').count();
            // A number behind the colon is a port.
            let host = bytes.get(start..end).unwrap_or_default();
            let port = host.iter().position(|byte| *byte == b':').and_then(|at| host.get(at + 1..));
            let colon = port.is_some_and(|port| port.is_empty() || !port.iter().all(u8::is_ascii_digit));
            if !colon
                || rest.get(more) != Some(&b'@')
                || rest.iter().take(more).filter(|byte| **byte == b'/').count() > 3
            {
                continue;
            }
            end += more;
        }
        if bytes.get(end) != Some(&b'@') {
            continue;
        }
        let Some(user_info) = text.get(start..end) else { continue };
        let host = text.get(end + 1..).unwrap_or("");
        match user_info.find(':') {
            Some(colon) if colon + 1 < user_info.len() => {
                let password = user_info.get(colon + 1..).unwrap_or("");
                if !is_example_host(host) && is_real_url_password(password) || is_random_token(password, 16) {
                    found.push(start + colon + 1..end);
                }
            }
            _ => {
                let user = user_info.trim_end_matches(':');
                if is_random_token(user, 16) {
                    found.push(start..start + user.len());
                }
            }
        }
    }
}

/// Whether a password in an address is a real one.
fn is_real_url_password(value: &str) -> bool {
    const USUAL: &[&str] = &[
        "pass", "secret", "user", "postgres", "root", "admin", "token", "guest", "mysql", "redis", "test", "mongo",
        "rabbit", "x-oauth", "demo", "foo", "bar", "pwd", "hunter2", "abc", "demo",
    ];
    let lowercase = value.to_lowercase();
    let has_letter = value.chars().any(|c| c.is_ascii_alphabetic());
    let has_other = value.chars().any(|c| !c.is_ascii_alphabetic());
    value.chars().count() >= 6
        && !value.starts_with('$')
        && !value.contains('<')
        && value.matches('*').count() <= 1
        && !is_reference(value, Writing::Quoted)
        && !USUAL.iter().any(|word| lowercase.contains(word) && value.len() < 20)
        && !contains_placeholder_word(value)
        && (has_letter && has_other || is_secret_value(value, NameStrength::Password, Writing::Quoted))
}

/// Whether a host in an address is only an example: a name that RFC 2606 reserves for documentation, or a placeholder
/// such as `hostname`.
fn is_example_host(rest: &str) -> bool {
    let end = rest.bytes().take(256).position(|byte| !(byte.is_ascii_alphanumeric() || b".-".contains(&byte)));
    let host = rest.get(..end.unwrap_or(rest.len().min(256))).unwrap_or("");
    let host = host.trim_end_matches('.').to_lowercase();
    let last = host.rsplit('.').next().unwrap_or(&host);
    let second = |name: &str| host.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    matches!(last, "test" | "example" | "invalid")
        || ["example.com", "example.net", "example.org"].into_iter().any(second)
        || matches!(host.as_str(), "host" | "hostname" | "your-host")
}

/// The values in the data of Kubernetes secrets, whatever their names are.
fn find_kubernetes_secret_values(text: &str, found: &mut Vec<Range<usize>>) {
    // In which document of the file `kind: Secret` stands, and where its data is.
    let mut start = 0;
    let mut document: Vec<(usize, &str)> = Vec::new();
    let mut finish = |document: &mut Vec<(usize, &str)>| {
        if document.iter().any(|(_, line)| SECRET_KIND.is_match(line)) {
            let mut indent = None;
            // In an outline, the numbers of lines stand behind the indentation.
            let mut column_of: fn(&str) -> usize = key_start_column;
            for (at, line) in document.iter() {
                let is_outlined = OUTLINED_DATA_KEY.is_match(line);
                if is_outlined || DATA_KEY.is_match(line) {
                    column_of = if is_outlined { indentation } else { key_start_column };
                    indent = Some(column_of(line));
                } else if let Some(base) = indent {
                    if !line.trim().is_empty() && column_of(line) <= base && line.contains(':') {
                        indent = None;
                    } else if let Some(value) = SECRET_DATA.captures(line).and_then(|one| one.get(1)) {
                        let is_encoded = value.as_str().len() >= 6 && is_kubernetes_secret_value(value.as_str());
                        if is_encoded {
                            found.push(at + value.start()..at + value.end());
                        }
                    }
                }
            }
        }
        document.clear();
    };
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end_matches(['\n', '\r']);
        if bare.ends_with("---") && bare.len() < 40 {
            finish(&mut document);
        } else {
            document.push((start, bare));
        }
        start += line.len();
    }
    finish(&mut document);
}

/// The column of the first character of a key, so that an excerpt's line numbers count for each line alike.
fn key_start_column(line: &str) -> usize {
    let colon = line.rfind(": ").or_else(|| line.rfind(':')).unwrap_or(line.len());
    let before = line.get(..colon).unwrap_or("");
    before.rfind(|c: char| !(c.is_ascii_alphanumeric() || "_.-\"'".contains(c))).map_or(0, |at| at + 1)
}

fn indentation(line: &str) -> usize {
    line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

fn is_kubernetes_secret_value(value: &str) -> bool {
    use crate::values::decode_base64;
    if value.starts_with("LS0tLS1CRUdJTiBDRV") || value.contains(['{', '$', '<']) || value.contains(crate::marker::MASK)
    {
        return false;
    }
    match decode_base64(value) {
        Some(decoded) if value.len().is_multiple_of(4) => {
            !contains_placeholder_word(&decoded) && is_decoded_value_secret(&decoded)
        }
        _ => is_secret_value(value, NameStrength::Password, Writing::Quoted),
    }
}

/// Whether a word has small letters, capital letters, and digits or signs, as names of users and hosts do not.
fn has_three_character_classes(word: &str) -> bool {
    let has = |class: fn(&u8) -> bool| word.as_bytes().iter().any(class);
    word.len() >= 10
        && !word.bytes().any(|byte| byte.is_ascii_whitespace() || b".:/,".contains(&byte))
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && has(|byte| byte.is_ascii_digit() || byte.is_ascii_punctuation())
}

/// Whether a decoded value of a Kubernetes secret is one: not a word such as a user's name.
fn is_decoded_value_secret(decoded: &str) -> bool {
    decoded.len() >= 6
        && (decoded.contains(char::REPLACEMENT_CHARACTER)
            || decoded.contains("PRIVATE")
            || decoded.len() > 200
            || has_three_character_classes(decoded)
            || is_secret_value(decoded, NameStrength::Password, Writing::Quoted))
}
