//! The patterns of git, as its ignore files and conditional includes have them.
//!
//! Patterns come with the project, so no pattern may cost more than its length times the length of the path: the
//! libraries that match them recurse into each `**/`, twice as long for each one more. Here a failed match is taken up
//! again at the last `*` and the last `**` only, which is enough: what stands before a later `**` may stay where it was
//! found first, and a `*` ends at a slash.

/// A compiled pattern.
#[derive(Debug)]
pub struct GitPattern(Vec<PatternToken>);

#[derive(Debug)]
enum PatternToken {
    /// This byte.
    Byte(u8),
    /// Any byte but a slash.
    Any,
    /// A byte of this set.
    Set(Box<ByteSet>),
    /// Any text without a slash.
    Star,
    /// Any text.
    DeepStar,
    /// Nothing, or any text that ends in a slash.
    Folders,
}

impl GitPattern {
    /// The pattern; `None` for one that matches nothing. With `ignores_case`, it matches texts in lower case only.
    pub fn new(pattern: &[u8], ignores_case: bool) -> Option<Self> {
        parse_pattern_tokens(pattern, 0, ignores_case).map(Self)
    }

    /// [`GitPattern::new`] for the path of an ignore file. There git compares what stands before the first special
    /// character by itself, so that `a**/b` matches as if a slash stood before the `**`.
    pub fn for_path_in_ignore_file(pattern: &[u8], ignores_case: bool) -> Option<Self> {
        parse_pattern_tokens(pattern, length_before_first_wildcard(pattern), ignores_case).map(Self)
    }

    /// Whether the pattern matches the whole text.
    pub fn matches(&self, text: &[u8]) -> bool {
        let tokens = &self.0;
        let (mut token, mut at) = (0, 0);
        // The token after the last `*`, and where its text begins.
        let mut star: Option<(usize, usize)> = None;
        // The token after the last `**`, where its text begins, and whether that must be the beginning of a name.
        let mut deep: Option<(usize, usize, bool)> = None;
        loop {
            match (tokens.get(token), text.get(at)) {
                (None, None) => return true,
                (Some(PatternToken::Star), _) => {
                    token += 1;
                    star = Some((token, at));
                    continue;
                }
                (Some(PatternToken::DeepStar), _) if token + 1 == tokens.len() => return true,
                (Some(kind @ (PatternToken::DeepStar | PatternToken::Folders)), _) => {
                    token += 1;
                    star = None;
                    deep = Some((token, at, matches!(kind, PatternToken::Folders)));
                    continue;
                }
                (Some(wanted), Some(byte)) if wanted.matches_byte(*byte) => {
                    token += 1;
                    at += 1;
                    if *byte == b'/' {
                        star = None;
                    }
                    continue;
                }
                _ => {}
            }
            if let Some((after, start)) = star
                && text.get(start).is_some_and(|byte| *byte != b'/')
            {
                (token, at) = (after, start + 1);
                star = Some((after, at));
                continue;
            }
            let Some((after, start, at_name)) = deep else { return false };
            let rest = text.get(start..).unwrap_or_default();
            let passed = if at_name { memchr::memchr(b'/', rest) } else { (!rest.is_empty()).then_some(0) };
            let Some(passed) = passed else { return false };
            (token, at, star) = (after, start + passed + 1, None);
            deep = Some((after, at, at_name));
        }
    }
}

impl PatternToken {
    fn matches_byte(&self, byte: u8) -> bool {
        match self {
            Self::Byte(wanted) => *wanted == byte,
            Self::Any => byte != b'/',
            Self::Set(set) => byte != b'/' && set.contains(byte),
            Self::Star | Self::DeepStar | Self::Folders => false,
        }
    }
}

/// The length of the text before the first special character.
pub fn length_before_first_wildcard(pattern: &[u8]) -> usize {
    pattern.iter().position(|byte| matches!(byte, b'*' | b'?' | b'[' | b'\\')).unwrap_or(pattern.len())
}

/// The tokens of a pattern; `None` for a pattern that matches nothing, such as one with a bracket that is not closed. At
/// `start`, stars stand as after a slash.
fn parse_pattern_tokens(pattern: &[u8], start: usize, ignores_case: bool) -> Option<Vec<PatternToken>> {
    let byte = |at: usize| pattern.get(at).copied();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = byte(at) {
        at += 1;
        tokens.push(match first {
            b'\\' => {
                at += 1;
                PatternToken::Byte(byte(at - 1)?)
            }
            b'?' => PatternToken::Any,
            b'*' => {
                let first_star = at - 1;
                while byte(at) == Some(b'*') {
                    at += 1;
                }
                let is_after_slash = first_star == start || first_star.checked_sub(1).and_then(byte) == Some(b'/');
                let is_deep = at > first_star + 1 && is_after_slash;
                match (byte(at), byte(at + 1)) {
                    (None, _) | (Some(b'\\'), Some(b'/')) if is_deep => PatternToken::DeepStar,
                    (Some(b'/'), _) if is_deep => {
                        at += 1;
                        PatternToken::Folders
                    }
                    _ => PatternToken::Star,
                }
            }
            b'[' => {
                let (set, end) = ByteSet::parse_bracket_expression(pattern, at, ignores_case)?;
                at = end;
                PatternToken::Set(Box::new(set))
            }
            other if ignores_case => PatternToken::Byte(other.to_ascii_lowercase()),
            other => PatternToken::Byte(other),
        });
    }
    Some(tokens)
}

/// A set of bytes.
#[derive(Debug, Default)]
struct ByteSet([u64; 4]);

impl ByteSet {
    fn contains(&self, byte: u8) -> bool {
        self.0.get(usize::from(byte >> 6)).is_some_and(|part| part & (1 << (byte & 63)) != 0)
    }

    fn add(&mut self, byte: u8) {
        self.0.get_mut(usize::from(byte >> 6)).into_iter().for_each(|part| *part |= 1 << (byte & 63));
    }

    fn add_bytes_that_belong(&mut self, belongs: impl Fn(u8) -> bool) {
        (0..=u8::MAX).filter(|byte| belongs(*byte)).for_each(|byte| self.add(byte));
    }

    /// The set that stands in brackets, of which the first is before `at`, and where the text after the brackets
    /// begins; `None` where they are not closed, or name a class that does not exist. With `ignores_case`, the set is
    /// asked for lower case only.
    fn parse_bracket_expression(pattern: &[u8], mut at: usize, ignores_case: bool) -> Option<(Self, usize)> {
        let byte = |at: usize| pattern.get(at).copied();
        let mut set = Self::default();
        let is_negated = matches!(byte(at), Some(b'!' | b'^'));
        at += usize::from(is_negated);
        let mut previous = None;
        loop {
            let mut current = Some(byte(at)?);
            match byte(at)? {
                b'\\' => {
                    at += 1;
                    current = Some(byte(at)?);
                    set.add(byte(at)?);
                }
                b'-' if previous.is_some() && byte(at + 1).is_some_and(|next| next != b']') => {
                    at += 1;
                    if byte(at) == Some(b'\\') {
                        at += 1;
                    }
                    let range = previous?..=byte(at)?;
                    set.add_bytes_that_belong(|byte| {
                        let upper = byte.to_ascii_uppercase();
                        range.contains(&byte) || (ignores_case && byte.is_ascii_lowercase() && range.contains(&upper))
                    });
                    current = None;
                }
                b'[' if byte(at + 1) == Some(b':') => {
                    let start = at + 2;
                    let end = start + pattern.get(start..)?.iter().position(|byte| *byte == b']')?;
                    match pattern.get(start..end).and_then(|name| name.strip_suffix(b":")) {
                        Some(name) => {
                            set.add_named_character_class(name, ignores_case)?;
                            at = end;
                            current = None;
                        }
                        None => set.add(b'['),
                    }
                }
                other => set.add(other),
            }
            previous = current;
            at += 1;
            if byte(at) == Some(b']') {
                break;
            }
        }
        if is_negated {
            set.0.iter_mut().for_each(|part| *part = !*part);
        }
        Some((set, at + 1))
    }

    /// Adds the bytes of a class, such as `alpha`; `None` for a name that is no class.
    fn add_named_character_class(&mut self, name: &[u8], ignores_case: bool) -> Option<()> {
        let belongs: fn(u8) -> bool = match name {
            b"alnum" => |byte| byte.is_ascii_alphanumeric(),
            b"alpha" => |byte| byte.is_ascii_alphabetic(),
            b"blank" => |byte| matches!(byte, b' ' | b'\t'),
            b"cntrl" => |byte| byte.is_ascii_control(),
            b"digit" => |byte| byte.is_ascii_digit(),
            b"graph" => |byte| byte.is_ascii_graphic(),
            b"lower" => |byte| byte.is_ascii_lowercase(),
            b"print" => |byte| matches!(byte, b' '..=b'~'),
            b"punct" => |byte| byte.is_ascii_punctuation(),
            b"space" => |byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'),
            b"upper" => |byte| byte.is_ascii_uppercase(),
            b"xdigit" => |byte| byte.is_ascii_hexdigit(),
            _ => return None,
        };
        self.add_bytes_that_belong(|byte| {
            belongs(byte) || (ignores_case && name == b"upper" && byte.is_ascii_lowercase())
        });
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::GitPattern;

    #[test]
    fn no_pattern_costs_more_than_its_length_times_that_of_the_path() {
        let begin = std::time::Instant::now();
        let path = "a/".repeat(2_000) + "a";
        for pattern in ["**/".repeat(1_000) + "b", "**/a*/".repeat(600) + "b", "**/*a*".repeat(600) + "b"] {
            let compiled = GitPattern::new(pattern.as_bytes(), false).expect("a pattern");
            assert!(!compiled.matches(path.as_bytes()), "{pattern}");
        }
        let stars = GitPattern::new(("*a".repeat(120) + "b").as_bytes(), false).expect("a pattern");
        assert!(!stars.matches("a".repeat(255).as_bytes()));
        assert!(begin.elapsed().as_secs() < 20, "{:?}", begin.elapsed());
    }
}
