//! Tells by rule whether one word is a short or another form of a second one: `auth` of `authentication`, `cfg` of
//! `configuration`, `initialise` of `initialize`.

/// The minimum number of letters of a short form; two letters fit too many words.
pub(crate) const MIN_SHORT_FORM_LETTERS: usize = 3;

/// The minimum number of letters of a short form that may end at any letter of the word that it shortens.
const MIN_PLAIN_PREFIX_LETTERS: usize = 4;

/// The minimum number of letters that two forms of one word have in common at their beginning.
const MIN_COMMON_LETTERS: usize = 5;

/// Whether two lower-case words are forms of one word, of which one may be shortened. Words that are equal are not.
pub(crate) fn are_forms_of_one_word(one: &str, other: &str) -> bool {
    let (short, long) =
        if one.len() <= other.len() { (one.as_bytes(), other.as_bytes()) } else { (other.as_bytes(), one.as_bytes()) };
    if short.first() != long.first() || short.len() < MIN_SHORT_FORM_LETTERS || short == long {
        return false;
    }
    if !long.iter().all(u8::is_ascii_lowercase) || !short.iter().all(u8::is_ascii_lowercase) {
        return false;
    }
    let common = short.iter().zip(long).take_while(|(a, b)| a == b).count();
    if common == short.len() {
        return is_plausible_prefix(short, long);
    }
    is_consonant_skeleton(short, long) || are_inflections(common, long.len())
}

/// Whether a word is likely to be shortened to this beginning of it.
fn is_plausible_prefix(short: &[u8], long: &[u8]) -> bool {
    let left = long.len() - short.len();
    if short.len() >= MIN_PLAIN_PREFIX_LETTERS {
        return left >= 2;
    }
    // Three letters are a short form where they end before a vowel: `req` of `request`, `env` of `environment`.
    let ends_in_consonant = short.last().is_some_and(|last| !is_vowel(*last));
    ends_in_consonant && left >= 2 && long.get(short.len()).is_some_and(|next| is_vowel(*next))
}

/// Whether `short` is made of consonants of `long`, in their order, from its first letter on: `msg` of `message`.
fn is_consonant_skeleton(short: &[u8], long: &[u8]) -> bool {
    if short.iter().skip(1).any(|letter| is_vowel(*letter)) || long.len() < short.len() + 2 {
        return false;
    }
    // Few letters fit a long word by coincidence.
    if long.len() > short.len() * 5 {
        return false;
    }
    let mut rest = long.iter();
    short.iter().all(|letter| rest.any(|other| other == letter))
}

/// Whether two words that have their first `common` letters in common differ by their endings alone, such as
/// `serialise` and `serialize`. `long` is the length of the longer one.
fn are_inflections(common: usize, long: usize) -> bool {
    common >= MIN_COMMON_LETTERS && common * 4 >= long * 3
}

fn is_vowel(letter: u8) -> bool {
    matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_other_forms_are_known_by_rule() {
        for (one, other) in [
            ("auth", "authentication"),
            ("cfg", "configuration"),
            ("config", "configuration"),
            ("init", "initialise"),
            ("initialize", "initialise"),
            ("msg", "message"),
            ("req", "request"),
            ("env", "environment"),
            ("pkg", "package"),
            ("ctx", "context"),
            ("cmd", "command"),
            ("stmt", "statement"),
            ("idx", "index"),
            ("fmt", "format"),
            ("serialize", "serialise"),
        ] {
            assert!(are_forms_of_one_word(one, other) && are_forms_of_one_word(other, one), "{one} {other}");
        }
    }

    #[test]
    fn other_words_are_none() {
        for (one, other) in [
            ("for", "format"),
            ("con", "connection"),
            ("content", "context"),
            ("mode", "model"),
            ("set", "setting"),
            ("key", "keyboard"),
            ("use", "user"),
            ("same", "same"),
            ("process", "procedure"),
            ("rest", "request"),
            ("db", "database"),
            ("größe", "größenordnung"),
        ] {
            assert!(!are_forms_of_one_word(one, other) && !are_forms_of_one_word(other, one), "{one} {other}");
        }
    }
}
