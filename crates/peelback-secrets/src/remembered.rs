//! The secrets of whole texts, found once for each text.

use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use crate::judgement::{NameStrength, Writing, is_secret_value};
use crate::known::KnownSecrets;
use crate::marker::MASK;
use crate::mask::mask_and_collect_secrets;

/// The number of texts whose secrets are remembered, and the bytes that these may take.
const MAX_REMEMBERED_TEXTS: usize = 512;
const MAX_REMEMBERED_BYTES: usize = 8 << 20;

/// The shortest part of a secret that is looked for.
const MIN_PART_BYTES: usize = 4;

/// The length under which a part must be of several kinds of characters.
const MIN_PLAIN_PART_BYTES: usize = 10;

/// The lines of the secrets of a text.
type Parts = Arc<[Arc<str>]>;

/// The secrets of texts, by the length and the hash of the text.
type PartsByText = HashMap<(usize, u64), Parts>;

/// The secrets of texts that were asked for, by the length and the hash of the text.
#[derive(Default)]
struct RememberedTexts {
    hasher: RandomState,
    parts: Mutex<PartsByText>,
}

static REMEMBERED: LazyLock<RememberedTexts> = LazyLock::new(RememberedTexts::default);

impl KnownSecrets {
    /// The secrets of a whole text.
    pub fn of_text(text: &str) -> Self {
        let mut known = Self::default();
        known.add_secrets_of_text(text);
        known
    }

    /// Adds the secrets of a whole text. Those of a text that was asked for before are remembered.
    pub fn add_secrets_of_text(&mut self, text: &str) {
        self.add_parts(&remembered_secret_parts(text));
    }
}

/// The lines of the secrets of a text.
fn remembered_secret_parts(text: &str) -> Parts {
    let remembered = &REMEMBERED.parts;
    let key = (text.len(), REMEMBERED.hasher.hash_one(text));
    if let Some(parts) = remembered.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return Arc::clone(parts);
    }
    let mut parts = BTreeSet::new();
    for secret in mask_and_collect_secrets(text) {
        for line in secret.lines().map(str::trim).filter(|line| tells_itself(line)) {
            // As a string of JSON shows it.
            if line.contains(['"', '\\']) {
                parts.insert(Arc::from(line.replace('\\', "\\\\").replace('"', "\\\"")));
            }
            parts.insert(Arc::from(line));
        }
    }
    let parts: Parts = parts.into_iter().collect();
    let mut remembered = remembered.lock().unwrap_or_else(PoisonError::into_inner);
    let bytes_of = |parts: &Parts| parts.iter().map(|part| part.len()).sum::<usize>();
    let bytes = bytes_of(&parts);
    if remembered.len() >= MAX_REMEMBERED_TEXTS
        || bytes + remembered.values().map(bytes_of).sum::<usize>() > MAX_REMEMBERED_BYTES
    {
        remembered.clear();
    }
    if bytes <= MAX_REMEMBERED_BYTES {
        remembered.insert(key, Arc::clone(&parts));
    }
    parts
}

/// Whether a part of a secret is one wherever it stands. A word that also stands in code is not: a file could name words
/// of its own code as parts of a secret, and so hide the code from a reader.
fn tells_itself(part: &str) -> bool {
    let kinds = [
        part.bytes().any(|byte| byte.is_ascii_lowercase()),
        part.bytes().any(|byte| byte.is_ascii_uppercase()),
        part.bytes().any(|byte| byte.is_ascii_digit()),
        part.bytes().any(|byte| !byte.is_ascii_alphanumeric() && !b"_-. ".contains(&byte)),
    ];
    part.len() >= MIN_PART_BYTES
        && !MASK.contains(part)
        && (part.len() >= MIN_PLAIN_PART_BYTES || kinds.iter().filter(|kind| **kind).count() >= 3)
        && (part.len() < 6 || is_secret_value(part, NameStrength::Password, Writing::Quoted))
}

#[cfg(test)]
mod tests {
    use crate::known::KnownSecrets;
    use crate::mask::mask_secrets_with;

    fn value(parts: &[&str]) -> String {
        parts.concat()
    }

    #[test]
    fn an_excerpt_is_masked_by_what_the_whole_text_says() {
        let secret = value(&["hR7", "kQz2", "mW9", "xLp4"]);
        let text = format!("storage:\n  password: |\n    {secret}\n  user: ann\n");
        let known = KnownSecrets::of_text(&text);
        assert_eq!(mask_secrets_with(&format!("3:     {secret}\n"), &known).text, "3:     [masked]\n");
        // Without the file nothing shows it.
        assert_eq!(mask_secrets_with(&secret, &KnownSecrets::default()).count, 0);
        // A longer word is another one, and so is a text that only begins alike.
        for other in [format!("x{secret}"), format!("{secret}x"), secret[..8].to_owned()] {
            assert_eq!(mask_secrets_with(&other, &known).text, other);
        }
    }

    #[test]
    fn what_an_excerpt_shows_of_a_cut_secret_is_masked() {
        let secret = value(&["hR7kQz2mW9xLp4T", "vB8nYc3sDf6gHj1", "qZx5wEr7tYu9iOp"]);
        let known = KnownSecrets::of_text(&format!("api_key: {secret}\n"));
        for (shown, masked) in [
            (format!("a \u{2026}{}", &secret[30..]), "a \u{2026}[masked]".to_owned()),
            (format!("a {}\u{2026}", &secret[..9]), "a [masked]\u{2026}".to_owned()),
            (format!("a {} b", &secret[5..40]), "a [masked] b".to_owned()),
        ] {
            assert_eq!(mask_secrets_with(&shown, &known).text, masked);
        }
        assert_eq!(format!("{known:?}"), "KnownSecrets { count: 1, .. }");
    }

    #[test]
    fn words_of_code_are_no_secrets_of_their_own() {
        let text = format!(
            "DB_PASSWORD = \"{}\" + \"user\" + \"{}\"\n\n-----BEGIN {} KEY-----\n{}\nsubprocess\nshell\nmasked\n-----END {} KEY-----\n",
            value(&["h7Kq2", "!mZ"]),
            value(&["x9Wt", "44Lp"]),
            "PRIVATE",
            value(&["qZx5wEr7tYu9iOp2"; 4]),
            "PRIVATE",
        );
        let known = KnownSecrets::of_text(&text);
        let code = "def user(name): return subprocess.Popen(name, shell=True)  # [masked]\n";
        assert_eq!(mask_secrets_with(code, &known).text, code);
    }

    #[test]
    fn masking_a_masked_excerpt_changes_nothing() {
        let secret = value(&["hR7kQz2mW9xLp4T", "vB8nYc3sDf6gHj1", "qZx5wEr7tYu9iOp"]);
        let known = KnownSecrets::of_text(&format!("api_key: {secret}\npassword: 'a[masked]Kq7!b'\n"));
        let excerpt = format!("{secret} [masked] a[masked]Kq7!b {}\u{2026}", &secret[..9]);
        let masked = mask_secrets_with(&excerpt, &known);
        assert_eq!(mask_secrets_with(&masked.text, &known).text, masked.text);
    }

    #[test]
    fn many_secrets_cost_no_more_than_one() {
        let lines: String = (0..20_000u64)
            .map(|n| {
                let digest = n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
                let secret = format!("{digest:016x}Qz{:016X}", digest.rotate_left(17) ^ 0x5bd1_e995);
                format!("api_token_{n}={secret}\n")
            })
            .collect();
        let known = KnownSecrets::of_text(&lines);
        // Each string of an answer is masked by itself.
        let cuts = "\u{2026}".repeat(300);
        for _ in 0..2_000 {
            assert_eq!(mask_secrets_with(&cuts, &known).count, 0);
        }
        let last = lines.lines().last().expect("a line").rsplit('=').next().expect("a value");
        assert_eq!(mask_secrets_with(&format!("3: {last}"), &known).text, "3: [masked]");
    }

    #[test]
    fn a_secret_is_known_as_json_writes_it_too() {
        let secret = value(&["hR7k\"Qz2", "mW9xLp4T"]);
        let known = KnownSecrets::of_text(&format!("[db]\npassword = '{secret}'\n"));
        let json = format!("{{\"a\":{secret:?}}}");
        assert!(!mask_secrets_with(&json, &known).text.contains("mW9x"), "{known:?}");
    }
}
