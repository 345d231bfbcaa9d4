//! The secrets of whole texts, found once for each text.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::known::{KnownSecrets, MAX_PARTS, known_parts};
use crate::mask::find_secrets_to_mask_within_limits;
use crate::stop::{ReadingEnd, ReadingLimits, Stop, Stopped};

/// The number of texts whose secrets are remembered.
const MAX_REMEMBERED_TEXTS: usize = 512;

/// The number of bytes that remembered secrets take.
const MAX_REMEMBERED_BYTES: usize = 32 << 20;

/// What a part takes in memory, with the index by which it is found: for each of its bytes, and beside them.
const MEMORY_PER_BYTE: usize = 10;
const MEMORY_PER_PART: usize = 256;

/// The secrets of texts, by the length and the hash of the text.
#[derive(Default)]
struct RememberedSecrets {
    of_text: HashMap<(usize, u64), KnownSecrets>,
    byte_count: usize,
}

impl RememberedSecrets {
    /// Keeps the secrets of a text. Those of other texts are forgotten where they would be too many together.
    fn insert(&mut self, key: (usize, u64), known: &KnownSecrets) {
        let added = byte_count(known);
        if self.of_text.len() >= MAX_REMEMBERED_TEXTS || self.byte_count + added > MAX_REMEMBERED_BYTES {
            *self = Self::default();
        }
        if added <= MAX_REMEMBERED_BYTES && self.of_text.insert(key, known.clone()).is_none() {
            self.byte_count += added;
        }
    }
}

fn byte_count(known: &KnownSecrets) -> usize {
    known.parts().iter().map(|part| part.len() * MEMORY_PER_BYTE + MEMORY_PER_PART).sum()
}

/// The secrets of texts that were asked for.
#[derive(Default)]
struct Remembered {
    hasher: RandomState,
    secrets: Mutex<RememberedSecrets>,
}

static REMEMBERED: LazyLock<Remembered> = LazyLock::new(Remembered::default);

impl KnownSecrets {
    /// The secrets of a whole text.
    pub fn of_text(text: &str) -> Self {
        let mut known = Self::default();
        known.add_secrets_of_text(text);
        known
    }

    /// Adds the secrets of a whole text. Those of a text that was asked for before are remembered.
    pub fn add_secrets_of_text(&mut self, text: &str) {
        // Nothing stops it, so that the result says nothing.
        let _ = self.add_secrets_of_text_unless_stopped(text, Stop::never());
    }

    /// As [`Self::add_secrets_of_text`], for a text that may take long.
    ///
    /// # Errors
    /// When `stop` ended the reading: none of the text's secrets are added then.
    pub fn add_secrets_of_text_unless_stopped(&mut self, text: &str, stop: Stop<'_>) -> Result<(), Stopped> {
        self.add(&remembered_secrets(text, stop)?);
        Ok(())
    }
}

/// The secrets of a text.
fn remembered_secrets(text: &str, stop: Stop<'_>) -> Result<KnownSecrets, Stopped> {
    let key = (text.len(), REMEMBERED.hasher.hash_one(text));
    let lock = || REMEMBERED.secrets.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = lock().of_text.get(&key) {
        return Ok(known.clone());
    }
    let limits = ReadingLimits { stop, max_secrets: MAX_PARTS };
    let known = match find_secrets_to_mask_within_limits(text, &KnownSecrets::default(), limits) {
        Ok(secrets) => {
            let secrets = secrets.iter().filter_map(|one| text.get(one.range.clone()));
            KnownSecrets::of_parts(secrets.flat_map(known_parts))
        }
        Err(ReadingEnd::TooManySecrets) => KnownSecrets::everything(),
        Err(ReadingEnd::Stopped) => return Err(Stopped),
    };
    lock().insert(key, &known);
    Ok(known)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{MAX_REMEMBERED_BYTES, RememberedSecrets, byte_count};
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
    fn what_is_remembered_has_a_bound() {
        let known = |number: usize, bytes: usize| {
            KnownSecrets::of_parts((0..number).map(|n| Arc::from(format!("{n}{}", "x".repeat(bytes)))))
        };
        let mut remembered = RememberedSecrets::default();
        for key in 0..2_000 {
            remembered.insert((0, key), &known(100, 200));
            remembered.insert((0, key), &known(100, 200));
            let kept: usize = remembered.of_text.values().map(byte_count).sum();
            assert!(kept == remembered.byte_count && kept <= MAX_REMEMBERED_BYTES, "{kept}");
        }
        // Not even the parts of a text that is all secrets are kept.
        remembered.insert((1, 1), &known(1, MAX_REMEMBERED_BYTES));
        assert!(remembered.of_text[&(1, 1)].is_everything());
    }
}
