//! Whether a value is a secret, by the value alone: stand-ins, code and names are told from what is random.

use std::sync::LazyLock;

use crate::marker::MASK;
use crate::references::{is_identifier, is_reference};
use crate::vendor_rules::RULES;

/// How much a name says about its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NameStrength {
    /// A key of some kind, such as `cache_key`: only a value that is surely random is a secret.
    Weak,
    /// A key, token or secret, which machines make.
    Strong,
    /// A password, which people choose.
    Password,
}

/// How a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Writing {
    /// After a name and no more than a space, or in prose.
    Loose,
    /// Without quotes: code could stand there, too.
    Bare,
    /// In quotes, or between tags.
    Quoted,
}

/// The least lengths of values that are judged.
const MIN_PASSWORD_CHARS: usize = 6;
const MIN_KEY_CHARS: usize = 10;
const MIN_WEAK_CHARS: usize = 20;

/// The greatest length of a value that is judged by its characters one by one; longer ones are judged by their beginning.
const MAX_JUDGED_BYTES: usize = 512;

/// Words in values that stand for a secret.
const PLACEHOLDER_WORDS: &[&str] = &[
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
    "...",
    "todo",
    "redacted",
    "masked",
    "hidden",
    "foobar",
    "12345",
    "!@#$%",
    "asdf",
    "abcdef",
    "123abc",
    "abc123",
    "undefined",
    "aaaaa",
    "00000",
    "11111",
    "-here",
    "_here",
    "goes-here",
    "not-a-real",
    "notreal",
    "-----",
    "_____",
    "qwerty",
    "deadbeef",
    "lorem",
    "secret-value",
    "test-token",
    "test_token",
    "testtoken",
    "some-",
    "some_",
    "fillme",
    "fill-me",
    "bogus",
    "invalid",
    "enter-",
    "enter_",
    "my-secret",
    "my_secret",
    "mysecret",
    "…",
];

/// Words of which passwords that everybody knows are made.
const USUAL_PASSWORD_WORDS: &[&str] = &[
    "password",
    "passwd",
    "passw0rd",
    "p@ssw0rd",
    "pass",
    "pwd",
    "secret",
    "token",
    "test",
    "admin",
    "root",
    "user",
    "guest",
    "postgres",
    "mysql",
    "mongo",
    "redis",
    "rabbit",
    "demo",
    "default",
    "letmein",
    "welcome",
    "hunter2",
    "none",
    "null",
    "true",
    "false",
    "string",
    "optional",
    "required",
    "correct",
    "wrong",
    "credential",
    "username",
];

/// The Shannon entropy of bytes, in bits for each.
pub(crate) fn shannon_entropy_per_byte(bytes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in bytes {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    let total = f64::from(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|&count| f64::from(count) / total)
        .map(|share| -share * share.log2())
        .sum()
}

/// Whether a text holds a word that says that it stands for a secret.
pub(crate) fn contains_placeholder_word(text: &str) -> bool {
    let lowercase = judged_prefix(text).to_ascii_lowercase();
    PLACEHOLDER_WORDS.iter().any(|word| lowercase.contains(word))
}

fn judged_prefix(text: &str) -> &str {
    let mut end = text.len().min(MAX_JUDGED_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or("")
}

/// For each pair of letters, how much more often the second follows the first in words than in random text, as the
/// logarithm to base 2.
struct LetterPairs(Vec<f32>);

static LETTER_PAIRS: LazyLock<LetterPairs> = LazyLock::new(|| {
    let mut counts = vec![0.35_f32; 26 * 26];
    for word in &RULES.words {
        for (a, b) in word.bytes().zip(word.bytes().skip(1)) {
            if let Some(count) = letter_pair_index(a, b).and_then(|index| counts.get_mut(index)) {
                *count += 1.0;
            }
        }
    }
    for row in counts.chunks_mut(26) {
        let total: f32 = row.iter().sum();
        row.iter_mut().for_each(|count| *count = (*count / total * 26.0).log2());
    }
    LetterPairs(counts)
});

fn letter_pair_index(a: u8, b: u8) -> Option<usize> {
    let index = |letter: u8| letter.is_ascii_alphabetic().then(|| usize::from(letter.to_ascii_lowercase() - b'a'));
    Some(index(a)? * 26 + index(b)?)
}

/// How much likelier a text is as random characters than as words, names and numbers, as a logarithm to base 2. A text of
/// random characters has about 1 for each of its characters, and a name a number below 0.
pub(crate) fn randomness_score(text: &str) -> f32 {
    let bytes = judged_prefix(text).as_bytes();
    let mut sum = 0.0;
    for (a, b) in bytes.iter().zip(bytes.iter().skip(1)) {
        sum += match (a, b) {
            _ if a.is_ascii_alphabetic() && b.is_ascii_alphabetic() => {
                let pair =
                    letter_pair_index(*a, *b).and_then(|index| LETTER_PAIRS.0.get(index)).copied().unwrap_or(0.0);
                // A capital inside of a word is unusual, and one that begins a word is not.
                let case = match (a.is_ascii_uppercase(), b.is_ascii_uppercase()) {
                    (false, true) => 0.6,
                    (true, false) => 0.3,
                    _ => -0.3,
                };
                case - pair.clamp(-2.5, 2.0)
            }
            // Digits end names, and do not begin them again.
            _ if a.is_ascii_alphabetic() && b.is_ascii_digit() => 0.9,
            _ if a.is_ascii_digit() && b.is_ascii_alphabetic() => 1.7,
            _ if a.is_ascii_digit() && b.is_ascii_digit() => 0.1,
            // What is written in other scripts is prose.
            _ if !a.is_ascii() || !b.is_ascii() => -1.0,
            _ if b"-_. /:".contains(a) || b"-_. /:".contains(b) => -0.5,
            _ => 0.7,
        };
    }
    sum
}

/// Whether a value that stands beside a name of this strength is a secret. Its beginning tells it.
pub(crate) fn is_secret_value(value: &str, strength: NameStrength, writing: Writing) -> bool {
    let value = judged_prefix(value);
    let chars = value.chars().count();
    let least = match strength {
        NameStrength::Password => MIN_PASSWORD_CHARS,
        NameStrength::Strong => MIN_KEY_CHARS,
        NameStrength::Weak => MIN_WEAK_CHARS,
    };
    if value.contains(MASK) {
        // A mask hides no more than itself.
        return is_secret_value(&value.replace(MASK, ""), strength, writing.min(Writing::Bare));
    }
    if chars < least || is_public_or_image(value) {
        return false;
    }
    if is_private_key_material(value) {
        return true;
    }
    if contains_placeholder_word(value)
        || is_reference(value, writing)
        || is_uuid(value) && strength < NameStrength::Password
        || is_size(value)
        || is_usual_in_disguise(value)
    {
        return false;
    }
    let kinds = CharacterKinds::of(value);
    let distinct = distinct_byte_count(value);
    if kinds.is_hexadecimal && kinds.letters > 0 && chars >= 16 {
        // Digests are hexadecimal, too, so that the name has to say that this is none.
        return strength > NameStrength::Weak && distinct >= 6 && shannon_entropy_per_byte(value.as_bytes()) >= 2.4;
    }
    let random = randomness_score(value);
    let count = f32::from(u16::try_from(judged_prefix(value).len()).unwrap_or(u16::MAX));
    let per_char = random / count;
    if strength > NameStrength::Weak && writing > Writing::Loose && is_generated_with_signs(value, &kinds) {
        return true;
    }
    let is_random = distinct >= 6 && (kinds.digits > 0 || kinds.symbols > 0 || kinds.has_both_cases || chars >= 16);
    if strength == NameStrength::Password
        && writing > Writing::Loose
        && is_generated_of_one_kind(value, writing, &kinds)
    {
        return true;
    }
    match (strength, writing) {
        (NameStrength::Password, Writing::Quoted) => {
            is_random && per_char > 0.15 && random > 1.5 || is_chosen_password(value, &kinds)
        }
        (NameStrength::Password, Writing::Bare) => {
            is_random && per_char > 0.3 && random > 3.0 || is_chosen_password(value, &kinds) && !is_identifier(value)
        }
        (NameStrength::Strong, Writing::Quoted) => is_random && per_char > 0.15 && random > 3.0,
        (NameStrength::Strong, Writing::Bare) => {
            let has_three_kinds = kinds.digits > 0 && kinds.has_both_cases;
            is_random && per_char > 0.25 && random > if has_three_kinds { 3.0 } else { 4.0 }
        }
        (NameStrength::Weak, Writing::Quoted | Writing::Bare) => is_random && kinds.digits > 0 && per_char > 0.4,
        (_, Writing::Loose) => is_random && kinds.digits > 0 && per_char > 0.4 && random > 4.0,
    }
}

/// Whether a value is a private key, or an encoded one, whatever its name is.
pub(crate) fn is_private_key_material(value: &str) -> bool {
    // `-----BEGIN … PRIVATE` in base64, in the three places where the words can stand.
    let head = value.get(..value.len().min(120)).unwrap_or("");
    value.len() > 60
        && value.starts_with("LS0tLS1CRUdJTi")
        && ["UFJJVkFURS", "BSSVZBVE", "QUklWQVRF"].iter().any(|private| head.contains(private))
}

/// Whether a value is a certificate, a public key, an image, or a digest by what it says itself.
fn is_public_or_image(value: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "data:",
        "sha256-",
        "sha384-",
        "sha512-",
        "sha1-",
        "sha256:",
        "sha512:",
        "md5:",
        "h1:",
        "ssh-rsa ",
        "ssh-ed25519 ",
        "ecdsa-",
        "AAAAB3Nza",
        "AAAAC3Nza",
        "LS0tLS1CRUdJTiBDRV",
        "LS0tLS1CRUdJTiBQVUJ",
        "-----BEGIN CERT",
        "-----BEGIN PUBLIC",
        "MFkwEwYHKoZ",
        "MIIBIjANBgk",
        "iVBORw0KGgo",
        "R0lGOD",
        "/9j/4",
        "UklGR",
        "PHN2Zy",
        "$argon2",
        "pk_test_",
        "pk_live_",
        "arn:",
        "urn:",
    ];
    let value = value.trim_start_matches(['"', '\'', '`']);
    BEGINNINGS.iter().any(|beginning| value.starts_with(beginning))
}

/// Whether a text is a UUID.
pub(crate) fn is_uuid(text: &str) -> bool {
    let text = text.trim_matches(['{', '}']);
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Whether a value is a width and a height: `1920x1080`.
fn is_size(value: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    value.split_once('x').is_some_and(|(width, height)| is_number(width) && is_number(height))
}

/// Whether a value is the word for a password with signs and digits for letters, and no more than words beside it:
/// `str0ngPa$$word!`.
fn is_usual_in_disguise(value: &str) -> bool {
    const MAX_BYTES: usize = 20;
    const WORD: &str = "password";
    /// What stands beside the word is too short to be a secret.
    const MAX_OTHER_CHARS: usize = 2;
    if value.len() > MAX_BYTES {
        return false;
    }
    let Some(at) = undisguised(value).find(WORD) else { return false };
    let others = [value.get(..at), value.get(at + WORD.len()..)].map(Option::unwrap_or_default);
    let words = others.map(|other| other.trim_matches(|c: char| c.is_ascii_punctuation()));
    let signs = others.concat().len() - words.concat().len();
    others.concat().chars().count() <= MAX_OTHER_CHARS
        || signs <= MAX_OTHER_CHARS && words.iter().all(|word| word.is_empty() || is_word_in_disguise(word))
}

/// Whether a text is a word in which signs and digits stand for some letters: `str0ng`.
fn is_word_in_disguise(text: &str) -> bool {
    const MIN_LETTERS: usize = 2;
    let letters = text.bytes().filter(u8::is_ascii_alphabetic).count();
    let plain = undisguised(text);
    letters >= MIN_LETTERS.max(text.len() * 2 / 3)
        && plain.bytes().all(|byte| byte.is_ascii_alphabetic())
        && randomness_score(&plain) <= 0.5
}

/// A text with small letters for its capitals and for the signs and digits that look like letters; its places are those of
/// the text.
fn undisguised(text: &str) -> String {
    let plain = |c: char| match c {
        '0' => 'o',
        '1' | '!' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        c => c.to_ascii_lowercase(),
    };
    text.chars().map(plain).collect()
}

/// Whether a text has no sign with which code calls something, opens a block or a string, changes a value or ends a
/// statement: it is a key or a password by its characters, or an expression without an effect.
pub(crate) fn has_no_sign_of_code(text: &str) -> bool {
    let text = text.trim_end_matches('=');
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/_.-!@#%^*~?:,".contains(&byte))
        // What begins with another sign can be a decorator, a directive or a command.
        && text.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric() || b"+/_.-".contains(&byte))
}

/// Whether a value is one of a generator that takes letters, digits and signs of many kinds.
fn is_generated_with_signs(value: &str, kinds: &CharacterKinds) -> bool {
    const MIN_CHARS: usize = 12;
    const MIN_DISTINCT_SIGNS: usize = 3;
    let mut signs: Vec<u8> = value.bytes().filter(u8::is_ascii_punctuation).collect();
    signs.sort_unstable();
    signs.dedup();
    value.len() >= MIN_CHARS
        && signs.len() >= MIN_DISTINCT_SIGNS
        && (kinds.digits > 0 || kinds.has_both_cases)
        && kinds.letters >= 3
        && !value.bytes().any(|byte| byte.is_ascii_whitespace())
        && !["\\u", "\\x", "\\0"].iter().any(|escape| value.contains(escape))
        && randomness_score(value) > 4.0
}

/// Whether a value is one of a generator that takes small letters alone, or digits alone. Words have likelier letters, and
/// a number of fewer digits is a date or a size.
fn is_generated_of_one_kind(value: &str, writing: Writing, kinds: &CharacterKinds) -> bool {
    const MIN_LETTERS: usize = 10;
    // Of words of ten letters and more in 20 projects, 1 in 100 has more, and of random ones of twelve, 95.
    const MIN_RANDOMNESS_PER_LETTER: f32 = -0.1;
    const MIN_RANDOMNESS_OF_BARE: f32 = 0.1;
    const MIN_DIGITS: usize = 9;
    const MIN_DISTINCT_DIGITS: usize = 5;
    let count = f32::from(u16::try_from(value.len()).unwrap_or(u16::MAX));
    let least = if writing == Writing::Quoted { MIN_RANDOMNESS_PER_LETTER } else { MIN_RANDOMNESS_OF_BARE };
    let is_of_letters = kinds.letters == value.len() && !kinds.has_both_cases && value.len() >= MIN_LETTERS;
    let is_of_digits = kinds.digits == value.len() && value.len() >= MIN_DIGITS;
    is_of_letters && distinct_byte_count(value) >= 6 && randomness_score(value) > count * least
        || is_of_digits && distinct_byte_count(value) >= MIN_DISTINCT_DIGITS
}

/// Whether a value is a password as people choose them: at least 8 characters, letters with digits or signs, and none of
/// the words that stand in everybody's examples.
fn is_chosen_password(value: &str, kinds: &CharacterKinds) -> bool {
    let lowercase = judged_prefix(value).to_ascii_lowercase();
    let is_usual = USUAL_PASSWORD_WORDS.iter().any(|word| lowercase.contains(word));
    let signs =
        kinds.symbols > 0 && !value.contains([' ', '<', '>', '(', ')', '{', '}', '[', ']', ':', '/', '\\', ',', ';']);
    let is_mixed = kinds.letters >= 3
        && (signs && (kinds.digits > 0 || kinds.has_both_cases)
            || kinds.digits > 0 && kinds.has_both_cases
            || kinds.digits >= 3 && kinds.letters >= 4);
    // Words that signs join, with a number behind them, are a name: `access-token-of-session-v2`.
    let is_name = value.split(['-', '_', '.', '/']).filter(|part| !part.is_empty()).count() > 1
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte))
        && randomness_score(value) <= 2.0;
    value.len() >= 8 && value.len() <= 64 && is_mixed && !is_usual && !is_name && !value.contains(' ')
}

struct CharacterKinds {
    letters: usize,
    digits: usize,
    symbols: usize,
    has_both_cases: bool,
    is_hexadecimal: bool,
}

impl CharacterKinds {
    fn of(text: &str) -> Self {
        let count = |test: fn(&u8) -> bool| text.bytes().filter(test).count();
        let (lower, upper) = (count(u8::is_ascii_lowercase), count(u8::is_ascii_uppercase));
        let digits = count(u8::is_ascii_digit);
        let names = text.bytes().filter(|byte| b"-_. ".contains(byte) || !byte.is_ascii()).count();
        Self {
            letters: lower + upper,
            digits,
            symbols: text.len().saturating_sub(lower + upper + digits + names),
            has_both_cases: lower > 0 && upper > 0,
            is_hexadecimal: text.bytes().all(|byte| byte.is_ascii_hexdigit()) && (lower == 0 || upper == 0),
        }
    }
}

fn distinct_byte_count(text: &str) -> usize {
    let mut seen = [false; 256];
    for byte in judged_prefix(text).bytes() {
        if let Some(seen) = seen.get_mut(usize::from(byte)) {
            *seen = true;
        }
    }
    seen.iter().filter(|seen| **seen).count()
}

/// Whether a text is random enough to be a token without a name that says so.
pub(crate) fn is_random_token(text: &str, least: usize) -> bool {
    text.len() >= least && is_secret_value(text, NameStrength::Strong, Writing::Loose)
}
