//! The secrets of whole texts, found once for each text.

use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use crate::known::{KnownSecrets, MIN_PART_BYTES};
use crate::mask::mask_and_collect_secrets;

/// The number of texts whose secrets are remembered.
const MAX_REMEMBERED_TEXTS: usize = 512;

type Parts = Arc<[Box<str>]>;

/// The secrets of texts that were asked for, by the length and the hash of the text.
#[derive(Default)]
struct RememberedTexts {
    hasher: RandomState,
    parts: Mutex<HashMap<(usize, u64), Parts>>,
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
        self.parts.extend(remembered_secret_parts(text).iter().cloned());
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
        for line in secret.lines().map(str::trim).filter(|line| line.len() >= MIN_PART_BYTES) {
            // As a string of JSON shows it.
            if line.contains(['"', '\\']) {
                parts.insert(line.replace('\\', "\\\\").replace('"', "\\\"").into_boxed_str());
            }
            parts.insert(Box::from(line));
        }
    }
    let parts: Parts = parts.into_iter().collect();
    let mut remembered = remembered.lock().unwrap_or_else(PoisonError::into_inner);
    if remembered.len() >= MAX_REMEMBERED_TEXTS {
        remembered.clear();
    }
    remembered.insert(key, Arc::clone(&parts));
    parts
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
    fn a_secret_is_known_as_json_writes_it_too() {
        let secret = value(&["hR7k\"Qz2", "mW9xLp4T"]);
        let known = KnownSecrets::of_text(&format!("[db]\npassword = '{secret}'\n"));
        let json = format!("{{\"a\":{secret:?}}}");
        assert!(!mask_secrets_with(&json, &known).text.contains("mW9x"), "{known:?}");
    }
}
