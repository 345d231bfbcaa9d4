//! Secrets that a known place tells and no name: an argument of a call that signs in, an option of a program, a clause of
//! a query, a cookie, a line of a list of passwords. Each kind is a row of a list.

use std::ops::Range;

use regex::Regex;

use crate::judgement::{NameStrength, Writing, is_secret_value};
use crate::pattern::constant_patterns;
use crate::values::{opening_quote_at, read_quoted_value, skip_spaces, skip_string_prefix};

/// Calls whose string argument of this number, counted from 0, is a secret. A call that signs in takes a user first.
const CALLS: &[(&str, usize)] = &[
    ("connect(", 1),
    ("login(", 1),
    ("authenticate(", 1),
    ("auth=(", 1),
    ("auth = (", 1),
    ("auth: (", 1),
    ("BasicAuth(", 1),
    ("basic_auth(", 1),
    ("Credentials(", 1),
    ("client(\"s3\",", 1),
    ("client('s3',", 1),
    ("jwt.sign(", 0),
    ("jwt.encode(", 0),
    ("jwt.verify(", 0),
    ("jwt.decode(", 0),
    ("Fernet(", 0),
];

/// The most bytes of the arguments of a call that are read.
const MAX_ARGUMENTS_BYTES: usize = 300;

constant_patterns! {
    /// The option of a program that takes a password, or the place of it among the arguments.
    OPTION = r#"\b(?:sshpass[ \t]+-p[ \t]?|redis-cli\b[^\n|;&]{0,120}?[ \t]-a[ \t]+|twine[ \t]+upload\b[^\n|;&]{0,120}?[ \t]-p[ \t]+|openssl\b[^\n|;&]{0,120}?[ \t](?:-k[ \t]+|-pass(?:in|out)?[ \t]+pass:)|htpasswd[ \t]+-[a-zA-Z]*b[a-zA-Z]*[ \t]+[^\s|;&]{1,100}[ \t]+[^\s|;&]{1,64}[ \t]+|net[ \t]+user[ \t]+[^\s|;&/]{1,64}[ \t]+|kubectl\b[^\n|;&]{0,160}?[ \t]--from-literal[= ][^\s=]{1,64}=|vault[ \t]+(?:write|kv[ \t]+put)[ \t]+[^\s|;&]{1,100}[ \t]+[^\s=]{1,64}=)["']?([^\s"'|;&]{6,256})"#;
    /// A user and a password behind the option of a program that fetches.
    USER_OPTION = r#"\b(?:curl|wget|http|https)\b[^\n|;]{0,200}?[ \t](?:-u|--user|--proxy-user|-a|--auth)(?:[ \t]*|=)["']?[A-Za-z0-9_.@+-]{1,64}:([^\s"'|;]{6,256})"#;
    /// A user and a password that are given to a program that sets them, and a secret to one that reads it.
    PIPED = r#"\becho[ \t]+(?:-n[ \t]+)?["']?(?:[A-Za-z0-9_.-]{1,64}:)?([^\s"'|;&]{6,256})["']?[ \t]*\|[ \t]*(?:sudo[ \t]+)?(?:chpasswd|[^\n|;&]{1,120}--password-stdin)"#;
    /// The clause of a query that sets a password.
    CLAUSE = r#"(?i)\b(?:identified[ \t]+(?:with[ \t]+[a-z0-9_'"]{1,40}[ \t]+)?by|with[ \t]+(?:encrypted[ \t]+)?password(?:[ \t]*=)?|set[ \t]+password[^=\n]{0,60}=)[ \t]*(?:password[ \t]*\([ \t]*)?N?['"]([^'"\n]{6,256})['"]"#;
    /// The cookie of a session.
    COOKIE = r#"(?i)\b(?:session|sessionid|session_id|sid|connect\.sid|phpsessid|jsessionid|remember_token|remember_me|_session)=([A-Za-z0-9%._~+/-]{16,512})"#;
    /// A line of the list of passwords of a system.
    SHADOW = r#"(?m)(?:^|[\s:"'])[a-z_][a-z0-9_-]{0,31}:(\$[0-9a-z]{1,3}\$[^:\s]{8,300}):[0-9]*:"#;
    /// A line of `.pgpass` with another port than the usual one.
    PGPASS = r#"(?m)(?:^|[\s:"'])(?:[A-Za-z0-9.*-]{1,100}|\*):(?:[0-9]{2,5}|\*):[A-Za-z0-9_.*-]{1,64}:[A-Za-z0-9_.*-]{1,64}:([^\s:]{6,128})[ \t\r]*(?:\[in [^\]\n]{1,200}\])?$"#;
}

/// A kind of place: the words of which each text that holds one has one, its pattern, and how its value is judged.
struct Place {
    words: &'static [&'static str],
    pattern: &'static std::sync::LazyLock<Regex>,
    is_secret: fn(&str) -> bool,
}

fn is_argument_secret(value: &str) -> bool {
    is_secret_value(value, NameStrength::Password, Writing::Bare)
}

fn is_quoted_secret(value: &str) -> bool {
    is_secret_value(value, NameStrength::Password, Writing::Quoted)
}

fn is_session_secret(value: &str) -> bool {
    is_secret_value(value, NameStrength::Strong, Writing::Loose)
}

static PLACES: &[Place] = &[
    Place {
        words: &["sshpass", "redis-cli", "twine", "openssl", "htpasswd", "net user", "from-literal", "vault "],
        pattern: &OPTION,
        is_secret: is_argument_secret,
    },
    Place { words: &["curl", "wget", "http -", "https -"], pattern: &USER_OPTION, is_secret: is_argument_secret },
    Place { words: &["chpasswd", "--password-stdin"], pattern: &PIPED, is_secret: is_argument_secret },
    Place {
        words: &["identified", "with password", "with encrypted password", "set password"],
        pattern: &CLAUSE,
        is_secret: is_quoted_secret,
    },
    Place {
        words: &["session=", "sid=", "sessionid=", "session_id=", "remember_", "sessid="],
        pattern: &COOKIE,
        is_secret: is_session_secret,
    },
    Place { words: &[":$1$", ":$2", ":$5$", ":$6$", ":$y$"], pattern: &SHADOW, is_secret: |_| true },
    Place { words: &[":5432:", ":*:", ":5433:", ":6432:"], pattern: &PGPASS, is_secret: is_quoted_secret },
];

/// The words that show where a position may be: those of calls, then those of places.
pub(crate) fn position_words() -> impl Iterator<Item = &'static str> {
    CALLS.iter().map(|(call, _)| *call).chain(PLACES.iter().flat_map(|place| place.words.iter().copied()))
}

/// Reads the positions that words of [`position_words`] show.
pub(crate) struct PositionReader<'a> {
    text: &'a str,
    is_place_read: Vec<bool>,
    /// The ranges of secrets that were found.
    pub found: Vec<Range<usize>>,
}

impl<'a> PositionReader<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, is_place_read: vec![false; PLACES.len()], found: Vec::new() }
    }

    /// Reads the position that the word of this number shows, which ends at `end`.
    pub fn read_position_at_word(&mut self, number: usize, end: usize) {
        if let Some((_, argument)) = CALLS.get(number) {
            find_argument(self.text, end, *argument, &mut self.found);
            return;
        }
        let mut before = CALLS.len();
        for (place, is_read) in PLACES.iter().zip(&mut self.is_place_read) {
            before += place.words.len();
            if number < before {
                if !std::mem::replace(is_read, true) {
                    let values = place.pattern.captures_iter(self.text).filter_map(|one| one.get(1));
                    let secrets = values.filter(|value| (place.is_secret)(value.as_str()));
                    self.found.extend(secrets.map(|value| value.range()));
                }
                return;
            }
        }
    }
}

/// Adds the string of this number among the arguments that begin at `at`, if it is a secret.
fn find_argument(text: &str, at: usize, number: usize, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let limit = (at + MAX_ARGUMENTS_BYTES).min(bytes.len());
    let (mut next, mut strings, mut depth) = (at, 0, 0_usize);
    while next < limit {
        let string = skip_string_prefix(bytes, next);
        if opening_quote_at(bytes, string).is_some() {
            let Some(value) = read_quoted_value(bytes, string) else { return };
            if strings == number {
                let shown: String = value.parts.iter().filter_map(|part| text.get(part.clone())).collect();
                // An argument could be anything: it has digits among its letters, or signs.
                let is_mixed = shown.bytes().any(|byte| byte.is_ascii_digit())
                    || shown.bytes().any(|byte| b"!#$%^&*+=?@~".contains(&byte));
                if is_mixed
                    && !is_setting(&shown)
                    && !shown.contains(' ')
                    && value.is_closed
                    && is_quoted_secret(&shown)
                {
                    found.extend(value.parts);
                }
                return;
            }
            strings += 1;
            next = value.parts.last().map_or(next, |part| part.end) + 1;
            continue;
        }
        match bytes.get(next) {
            Some(b'(') => depth += 1,
            Some(b')') if depth == 0 => return,
            Some(b')') => depth -= 1,
            // A string is the value of its own name, and what follows a line's end may be another call.
            Some(b';' | b'{') => return,
            Some(b'=') if number == 1 => return,
            _ => {}
        }
        next = skip_spaces(bytes, next + 1).max(next + 1);
    }
}

/// Whether a text is a name and its short number, as an address or a message has them: `Sign-in=1`.
fn is_setting(text: &str) -> bool {
    const MAX_DIGITS: usize = 4;
    text.split_once('=').is_some_and(|(name, number)| {
        name.bytes().all(|byte| byte.is_ascii_alphabetic() || b"-_.".contains(&byte))
            && number.len() <= MAX_DIGITS
            && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}
