//! Parses a question or bug report: its words, weighted by the part of the text that contains them, and the files,
//! names, messages and flags that it mentions.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use crate::stop::is_stop_word;
use crate::weights::Weights;
use crate::words::{Splitter, Term, Wanted, identifiers, name_term, parts, term};
use peelback_project::Evidence;

/// A part of a question. The zone decides how much the words in it count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Zone {
    /// The first line.
    Title,
    /// Natural-language sentences.
    Body,
    /// The message of an error.
    Message,
    /// Code blocks.
    Code,
    /// Stack frames of a traceback.
    Frame,
    /// Version numbers, lists of installed software, headings of an issue template.
    Environment,
}

impl Zone {
    /// The weight of a name that is mentioned in this zone, relative to a name in the body.
    fn weight(self) -> f32 {
        match self {
            Self::Title => 2.0,
            Self::Body => 1.0,
            Self::Message => 0.8,
            Self::Code => 0.4,
            Self::Frame => 0.15,
            Self::Environment => 0.03,
        }
    }
}

/// The number of zones.
const ZONES: usize = 6;

/// The form in which a question contains a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A word on its own.
    Whole,
    /// A part of an identifier.
    Part,
    /// Joined with the next word, as code may join the two in one name.
    Pair,
}

/// A word of the question with its occurrences.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Word {
    pub term: Term,
    /// The number of occurrences by form (outer index) and zone (inner index).
    amounts: [[f32; ZONES]; 3],
    /// The word as the question first writes it, in lower case.
    pub text: String,
}

impl Word {
    fn new(term: Term, text: String) -> Self {
        Self { term, amounts: [[0.0; ZONES]; 3], text }
    }

    /// The word's text, if paths may abbreviate the word.
    pub fn long(&self) -> Option<&str> {
        let is_word = self.text.bytes().all(|byte| byte.is_ascii_lowercase());
        let is_pair = self.amounts[Form::Whole as usize].iter().sum::<f32>() <= 0.0;
        (is_word && !is_pair && self.text.len() > 5).then_some(self.text.as_str())
    }

    /// The weight of the word in the question; one occurrence in the body has weight 1.
    pub fn stress(&self, weights: &Weights) -> f32 {
        let zones = [weights.title, 1.0, weights.message, weights.code, weights.frame, weights.environment];
        let forms = [1.0, weights.parts, weights.pairs];
        // Repetitions count only logarithmically: a log that repeats a word a hundred times is no stronger a request
        // for the word.
        let damped = |amount: f32| if amount > 1.0 { 1.0 + amount.ln() } else { amount };
        let of = |amounts: &[f32; ZONES]| amounts.iter().zip(zones).map(|(n, zone)| damped(*n) * zone).sum::<f32>();
        self.amounts.iter().zip(forms).map(|(amounts, form)| of(amounts) * form).sum()
    }
}

/// An identifier in code form that the question mentions.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Mention {
    /// The last part of the identifier.
    pub name: String,
    /// The part before the name, if there is one: the class of a method, or the module of a function.
    pub owner: Option<String>,
    /// The term of the name as a definition; see [`crate::words::name_term`].
    pub term: Term,
    pub weight: f32,
}

/// A file that the question refers to by a path, a module name or a stack frame.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Named {
    /// The parts of the path. The last part has no file extension if the question gives none.
    pub parts: Vec<String>,
    /// Whether the last part is a complete file name.
    pub is_file: bool,
    pub weight: f32,
    /// Whether the question contains hardly more than this path, so that it asks for the file itself.
    pub is_asked_for: bool,
    /// The line number after the path, from 1: 180 in `a.py:180`.
    pub line: Option<u32>,
}

/// A parsed question or bug report.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// The original text.
    pub(super) text: String,
    pub(super) words: Vec<Word>,
    pub(super) mentions: Vec<Mention>,
    pub(super) named: Vec<Named>,
    /// The quoted program messages, as written.
    pub(super) quoted: Vec<String>,
    /// The command-line flags in the question, with their dashes.
    pub(super) flags: Vec<String>,
    /// The words of the title, or of the whole question if it is short. These words show which kinds of files the
    /// question asks for.
    pub(super) asks: Vec<String>,
    /// Notes on the parts of the question that were ignored because a limit was reached.
    cuts: Vec<String>,
}

/// The most bytes of a question that are read. Of a longer question, usually one with a pasted log, only the beginning
/// is read.
const MOST_BYTES: usize = 256 << 10;

/// The most words of a question that count; the weightiest are kept. A bug report of several pages has fewer words.
const MOST_WORDS: usize = 1_000;

/// The most identifiers, the most file references and the most flags of a question that count.
const MOST_NAMES: usize = 300;

/// The most quoted messages of a question that are searched for; below, the most words of each message.
const MOST_QUOTED: usize = 8;
const MOST_QUOTED_WORDS: usize = 24;

/// A question of at most this many words counts as title throughout.
const SHORT: usize = 14;

/// A question of at most this many words that refers to a file asks for the file itself. The limit is above 1 because a
/// path has several words.
const NAMES_ALONE: usize = 8;

/// The least number of words of a text in quotes that counts as a program message.
const MESSAGE_WORDS: usize = 3;

/// Phrases in the error messages of language runtimes. Such a phrase does not come from the program's own source.
const SAID_BY_LANGUAGES: &[&str] = &[
    "object has no attribute",
    "has no attribute",
    "object is not callable",
    "object is not iterable",
    "object is not subscriptable",
    "object does not support item assignment",
    "unsupported operand type(s) for",
    "not supported between instances of",
    "local variable referenced before assignment",
    "got an unexpected keyword argument",
    "got multiple values for",
    "required positional argument",
    "positional arguments but",
    "maximum recursion depth exceeded",
    "cannot unpack non-iterable",
    "too many values to unpack",
    "not enough values to unpack",
    "list index out of range",
    "string index out of range",
    "must be str, not",
    "can only concatenate str",
    "invalid literal for int() with base",
    "could not convert string to float",
    "an integer is required",
    "No module named",
    "cannot import name",
    "No such file or directory",
    "Cannot read properties of undefined",
    "Cannot read property",
    "is not a function",
    "is not a constructor",
    "Maximum call stack size exceeded",
    "Unexpected token in JSON at position",
    "on a `None` value",
    "on an `Err` value",
    "index out of bounds: the len is",
    "invalid memory address or nil pointer dereference",
    "index out of range",
];

/// Error types of the languages. The words in their names say nothing about a program.
const ERRORS_OF_LANGUAGES: &[&str] = &[
    "ArithmeticError",
    "AssertionError",
    "AttributeError",
    "BaseException",
    "EOFError",
    "FileNotFoundError",
    "FloatingPointError",
    "ImportError",
    "IndentationError",
    "IndexError",
    "KeyError",
    "LookupError",
    "MemoryError",
    "ModuleNotFoundError",
    "NameError",
    "NotImplementedError",
    "OSError",
    "OverflowError",
    "PermissionError",
    "RangeError",
    "RecursionError",
    "ReferenceError",
    "RuntimeError",
    "StopIteration",
    "SyntaxError",
    "SystemExit",
    "TypeError",
    "URIError",
    "UnboundLocalError",
    "UnicodeDecodeError",
    "UnicodeEncodeError",
    "ValueError",
    "ZeroDivisionError",
];

/// The most stack frames that count, from the innermost.
const MOST_FRAMES: usize = 6;

/// Compiles a pattern with ASCII character classes; compiling Unicode classes takes milliseconds.
fn regex(pattern: &str) -> Regex {
    let mut ascii = String::with_capacity(pattern.len() * 2);
    let mut chars = pattern.chars();
    let mut in_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => match (chars.next(), in_class) {
                (Some('w'), true) => ascii.push_str("0-9A-Za-z_"),
                (Some('w'), false) => ascii.push_str("[0-9A-Za-z_]"),
                (Some('d'), true) => ascii.push_str("0-9"),
                (Some('d'), false) => ascii.push_str("[0-9]"),
                (Some('b'), false) => ascii.push_str(r"(?-u:\b)"),
                (escaped, _) => {
                    ascii.push(c);
                    ascii.extend(escaped);
                }
            },
            _ => {
                in_class = (in_class || c == '[') && c != ']';
                ascii.push(c);
            }
        }
    }
    // All patterns are constants of this file, and a test compiles each of them.
    Regex::new(&ascii).unwrap_or_else(|error| unreachable!("{error}"))
}

static FENCE: LazyLock<Regex> = LazyLock::new(|| regex(r"^\s*(```|~~~)"));
static PYTHON_FRAME: LazyLock<Regex> = LazyLock::new(|| regex(r#"^\s*File "([^"]+)", line \d+(?:, in ([\w.<>]+))?"#));
static IPYTHON_FRAME: LazyLock<Regex> = LazyLock::new(|| regex(r"^\s*(\S+\.py)(?:\(\d+\))? in (\w+)\("));
static SCRIPT_FRAME: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^\s*at (?:([\w.$<>\[\] ]+) \()?(\S+?\.\w+):\d+(?::\d+)?\)?"));
static PLACE_FRAME: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^\s*(?:-->)?\s*(\S+\.(?:py|rs|go|c|h|ts|js)):\d+(?::\d+)?(?::|\s|$)"));
static ERROR: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^\s*(?:E\s+)?((?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception|Warning|Failure)|error(?:\[\w+\])?|panic|thread '[^']*' panicked at)\b:?\s*(.*)$",
    )
});
static ENVIRONMENT_LINE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)^\s*(?:[-*]\s*)?(?:\**(?:os|os-release|platform|python(?:-bits| version| executable)?|machine|processor|byteorder|lc_all|lang|locale|[\w.+-]+ version|version|libhdf5|libnetcdf|architecture|browser|node(?:\.js)?|compiler|rustc|cargo|go version)\**\s*[:=]|[\w.+-]+(?:==|: )v?\d+(?:\.\d+)+\S*\s*(?:\([^)]*\))?$)",
    )
});
static TEMPLATE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)^\s*(?:#+|\*\*)\s*(?:describe the bug|to reproduce|steps to reproduce|reproduction|expected (?:behaviou?r|results?|output)|actual (?:behaviou?r|results?|output)|screenshots|environment(?: info)?|additional context|your project|extra tools|system details|versions?|configuration|command used|problem description|description|code sample.*|what (?:happened|you expected.*)|minimal complete.*|relevant log output|anything else.*)\W*$",
    )
});
static ENVIRONMENT_HEADING: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)^\s*(?:#+|\*\*|<summary>)?\s*(?:environment(?: info)?|versions?|system (?:details|info)\w*|output of .*show_versions.*|installed versions.*|software versions)\W*",
    )
});
static URL: LazyLock<Regex> = LazyLock::new(|| regex(r"https?://\S+"));
/// Terminal escape sequences, such as colours.
static COLOUR: LazyLock<Regex> = LazyLock::new(|| regex(r"\x1b\[[0-9;:?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"));
static COMMENT: LazyLock<Regex> = LazyLock::new(|| regex(r"(?s)<!--.*?-->"));
static PATH: LazyLock<Regex> = LazyLock::new(|| regex(r"[\w.@~+-]*(?:[/\\][\w.@+-]+)*[\w@+-]+\.[A-Za-z]\w{0,4}\b"));
static DOTTED: LazyLock<Regex> = LazyLock::new(|| regex(r"\b[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)+"));
static FROM_IMPORT: LazyLock<Regex> = LazyLock::new(|| regex(r"^\s*(?:>>>\s*)?from\s+([\w.]+)\s+import\s+(.+)$"));
static PLAIN_IMPORT: LazyLock<Regex> = LazyLock::new(|| regex(r"^\s*(?:>>>\s*)?import\s+([\w.]+)"));
static BACKTICKED: LazyLock<Regex> = LazyLock::new(|| regex(r"`+([^`\n]{2,120})`+"));
/// A command-line flag.
static FLAG: LazyLock<Regex> = LazyLock::new(|| regex(r"(?:^|[\s`'\x22(\[])(--[a-z][a-z0-9]*(?:-[a-z0-9]+)*)\b"));
static CALLED: LazyLock<Regex> = LazyLock::new(|| regex(r"\b([A-Za-z_]\w+)\("));
static SAID: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\b(?:class|function|method|struct|trait|interface|module)\s+([A-Za-z_]\w+)|\b([A-Z]\w+)\s+(?:class|function|method|struct|trait|interface|module)\b",
    )
});
static QUOTED: LazyLock<Regex> =
    LazyLock::new(|| regex(r#"["“”]([^"“”\n]{12,160})["“”]|'([^'\n]{12,160})'|`([^`\n]{12,160})`"#));

impl Question {
    /// Parses a question, a bug report or a few keywords.
    pub fn new(text: &str) -> Self {
        Reader::default().read(text)
    }

    /// Whether the question contains nothing to search for.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.mentions.is_empty() && self.named.is_empty()
    }

    /// The words that count, weightiest first, ties in the order of the question.
    pub fn keywords(&self) -> Vec<&str> {
        let weights = Weights { pairs: 0.0, ..Weights::default() };
        let mut words: Vec<&Word> = self.words.iter().filter(|word| word.stress(&weights) > 0.0).collect();
        words.sort_by(|a, b| b.stress(&weights).total_cmp(&a.stress(&weights)));
        words.iter().map(|word| word.text.as_str()).collect()
    }

    /// The terms that have to be counted in files to answer this question.
    pub(super) fn wanted(&self) -> Wanted {
        let words = self.words.iter().map(|word| (word.text.as_str(), word.term));
        let mentions = self.mentions.iter().map(|mention| (mention.name.as_str(), mention.term));
        let owners = self.mentions.iter().filter_map(|mention| mention.owner.as_deref());
        Wanted::of(words.chain(mentions).chain(owners.map(|owner| (owner, name_term(owner)))))
    }

    /// Notes in the evidence which parts of the question were ignored.
    pub(super) fn note_cuts(&self, evidence: &mut Evidence) {
        self.cuts.iter().for_each(|cut| evidence.note(cut.clone()));
    }

    /// Whether the question contains any of these words, which name a kind of file.
    pub(super) fn asks_for(&self, words: &[&str]) -> bool {
        self.asks.iter().any(|word| words.contains(&word.as_str()))
    }
}

#[derive(Default)]
struct Reader {
    words: BTreeMap<Term, (usize, Word)>,
    mentions: BTreeMap<(String, Option<String>), Mention>,
    named: Vec<Named>,
    frames: Vec<(String, Option<String>)>,
    quoted: Vec<String>,
    flags: Vec<String>,
    /// The number of quoted messages beyond the limit.
    more_quoted: usize,
    /// Whether the question contains hardly more than a name.
    is_short: bool,
}

impl Reader {
    fn read(mut self, whole: &str) -> Question {
        let mut cuts = Vec::new();
        let text = whole.get(..whole.floor_char_boundary(MOST_BYTES)).unwrap_or(whole);
        if text.len() < whole.len() {
            cuts.push(format!("the first {} KB of the question count", MOST_BYTES >> 10));
        }
        let text = text.replace("\r\n", "\n");
        let text = COLOUR.replace_all(&text, "");
        let text = COMMENT.replace_all(&text, "");
        let mut splitter = Splitter::new();
        let mut asks: Vec<String> = Vec::new();
        let mut in_code = false;
        let mut in_trace = false;
        let mut in_environment = false;
        let mut is_title = true;
        let is_short = identifiers(&text).take(SHORT + 1).count() <= SHORT;
        self.is_short = identifiers(&text).take(NAMES_ALONE + 1).count() <= NAMES_ALONE;
        for line in text.lines() {
            if FENCE.is_match(line) {
                in_code = !in_code;
                in_trace = false;
                continue;
            }
            if line.trim().is_empty() {
                in_trace &= in_code;
                continue;
            }
            let zone = if is_title || is_short {
                is_title = false;
                Zone::Title
            } else if line.trim_start().starts_with("Traceback (most recent call last)") {
                in_trace = true;
                Zone::Environment
            } else if let Some(frame) = frame(line) {
                self.frames.push(frame);
                in_trace = true;
                Zone::Frame
            } else if let Some(message) = ERROR.captures(line) {
                in_trace = false;
                if let Some(message) = message.get(2) {
                    self.quote(message.as_str());
                }
                Zone::Message
            } else if TEMPLATE.is_match(line) || ENVIRONMENT_HEADING.is_match(line) {
                in_environment = ENVIRONMENT_HEADING.is_match(line);
                Zone::Environment
            } else if (in_environment && !line.trim_start().starts_with('#')) || ENVIRONMENT_LINE.is_match(line) {
                Zone::Environment
            } else if in_trace {
                Zone::Frame
            } else if in_code || is_code(line) {
                Zone::Code
            } else {
                in_environment = false;
                Zone::Body
            };
            if zone == Zone::Title {
                asks.extend(identifiers(line).map(|(_, word)| word.to_lowercase()));
            }
            let line = URL.replace_all(line, |url: &regex::Captures<'_>| path_of_url(&url[0]));
            self.line(&line, zone, &mut splitter);
        }
        self.frames(&mut splitter);
        // If a question consists of stop words alone, they are its keywords.
        if self.words.is_empty() {
            for (_, word) in identifiers(&text).filter(|(_, word)| word.len() > 1) {
                let term = term(&splitter.stem(word));
                let order = self.words.len();
                let found = self.words.entry(term).or_insert_with(|| (order, Word::new(term, word.to_lowercase())));
                found.1.amounts[0][0] = 1.0;
            }
        }
        let mut words: Vec<(usize, Word)> = self.words.into_values().collect();
        if words.len() > MOST_WORDS {
            cuts.push(format!("the weightiest {MOST_WORDS} of {} words of the question count", words.len()));
            let weights = Weights::default();
            words.sort_by(|(a, one), (b, other)| {
                other.stress(&weights).total_cmp(&one.stress(&weights)).then_with(|| a.cmp(b))
            });
            words.truncate(MOST_WORDS);
        }
        words.sort_by_key(|(order, _)| *order);
        let mut mentions: Vec<Mention> = self.mentions.into_values().collect();
        if mentions.len() > MOST_NAMES {
            cuts.push(format!("the weightiest {MOST_NAMES} of {} names in the question count", mentions.len()));
            // The sort is stable: mentions of equal weight stay in name order.
            mentions.sort_by(|one, other| other.weight.total_cmp(&one.weight));
            mentions.truncate(MOST_NAMES);
        }
        if self.more_quoted > 0 {
            cuts.push(format!("the first {MOST_QUOTED} of {} messages are looked for", MOST_QUOTED + self.more_quoted));
        }
        Question {
            text: text.into_owned(),
            words: words.into_iter().map(|(_, word)| word).collect(),
            mentions,
            named: self.named,
            quoted: self.quoted,
            flags: self.flags,
            asks,
            cuts,
        }
    }

    /// Adds the words and names of one line.
    fn line(&mut self, line: &str, zone: Zone, splitter: &mut Splitter) {
        let weight = zone.weight();
        let mut before: Option<(&str, usize)> = None;
        for (at, identifier) in identifiers(line) {
            self.word(identifier, zone, splitter);
            if let Some((last, end)) = before
                && let Some(between) = line.get(end..at)
            {
                self.pair(last, between, identifier, zone);
            }
            before = Some((identifier, at + identifier.len()));
        }
        if matches!(zone, Zone::Environment | Zone::Frame) {
            return;
        }
        for path in PATH.find_iter(line) {
            let behind = line.get(path.end()..).and_then(|rest| rest.strip_prefix(':'));
            let digits = behind.map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next().unwrap_or(""));
            self.path(path.as_str(), weight, digits.and_then(|digits| digits.parse().ok()));
        }
        if let Some(import) = FROM_IMPORT.captures(line) {
            let module = &import[1];
            self.module(module, weight);
            for (_, name) in identifiers(&import[2]).take(8).filter(|(_, name)| *name != "as") {
                let owner = module.rsplit('.').next();
                self.mention(name, owner, weight);
            }
        } else if let Some(import) = PLAIN_IMPORT.captures(line) {
            self.module(&import[1], weight * 0.5);
        }
        for dotted in DOTTED.find_iter(line) {
            let normal = dotted.as_str().replace("::", ".");
            let mut names = normal.rsplit('.');
            let (last, owner) = (names.next().unwrap_or(""), names.next());
            if is_ending(last) {
                continue;
            }
            self.mention(last, owner, weight);
            if let Some(owner) = owner {
                self.mention(owner, None, weight * 0.5);
            }
            if normal.matches('.').count() >= 2 {
                self.module(&normal, weight);
            }
        }
        for code in BACKTICKED.captures_iter(line) {
            let mut names = identifiers(&code[1]);
            if let (Some((_, name)), None) = (names.next(), names.next()) {
                self.mention(name, None, weight);
            }
        }
        for called in CALLED.captures_iter(line) {
            self.mention(&called[1], None, weight);
        }
        for (_, name) in identifiers(line).filter(|(_, name)| is_code_name(name)) {
            self.mention(name, None, weight);
        }
        for named in SAID.captures_iter(line) {
            if let Some(name) = named.get(1).or_else(|| named.get(2)) {
                self.mention(name.as_str(), None, weight);
            }
        }
        if zone != Zone::Code {
            for flag in FLAG.captures_iter(line) {
                self.flag(&flag[1]);
            }
            for quoted in QUOTED.captures_iter(line) {
                if let Some(message) = quoted.get(1).or_else(|| quoted.get(2)).or_else(|| quoted.get(3)) {
                    self.quote(message.as_str());
                }
            }
        }
    }

    fn word(&mut self, identifier: &str, zone: Zone, splitter: &mut Splitter) {
        let whole = identifier.to_lowercase();
        if is_stop_word(&whole) {
            return;
        }
        let chunks = parts(identifier);
        let several = chunks.len() > 1;
        let is_plain = !ERRORS_OF_LANGUAGES.contains(&identifier);
        for chunk in chunks.iter().filter(|_| is_plain) {
            let lower = chunk.to_lowercase();
            let is_number = lower.bytes().all(|byte| byte.is_ascii_digit());
            if lower.chars().count() < 2 || is_number || is_stop_word(&lower) {
                continue;
            }
            let form = if several { Form::Part } else { Form::Whole };
            self.add(term(&splitter.stem(chunk)), zone, form, lower);
        }
        if several {
            self.add(name_term(identifier), zone, Form::Whole, whole);
        }
    }

    /// Adds two adjacent words as one term, since code may join them in one name.
    fn pair(&mut self, first: &str, between: &str, second: &str, zone: Zone) {
        let (first, second) = (first.to_lowercase(), second.to_lowercase());
        let is_name = |word: &str| word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_alphabetic());
        let is_plain = |word: &str| is_name(word) && !is_stop_word(word);
        let form = match between {
            // A hyphenated `ignore-paths` matches the identifier `ignore_paths`.
            "-" if is_name(&first) && is_name(&second) => Form::Whole,
            " " if is_plain(&first) && is_plain(&second) => Form::Pair,
            _ => return,
        };
        for joint in ["_", ""] {
            let name = format!("{first}{joint}{second}");
            self.add(name_term(&name), zone, form, name);
        }
    }

    fn add(&mut self, term: Term, zone: Zone, form: Form, text: String) {
        let order = self.words.len();
        let (_, word) = self.words.entry(term).or_insert_with(|| (order, Word::new(term, text)));
        if let Some(amount) = word.amounts.get_mut(form as usize).and_then(|zones| zones.get_mut(zone as usize)) {
            *amount += 1.0;
        }
    }

    fn mention(&mut self, name: &str, owner: Option<&str>, weight: f32) {
        let plain = name.trim_matches('_');
        if plain.len() < 3 || plain.bytes().all(|byte| byte.is_ascii_digit()) || is_stop_word(&plain.to_lowercase()) {
            return;
        }
        let owner = owner.filter(|owner| owner.len() > 1).map(str::to_owned);
        let made = Mention { name: name.to_owned(), owner: owner.clone(), term: name_term(name), weight: 0.0 };
        self.mentions.entry((name.to_owned(), owner)).or_insert(made).weight += weight;
    }

    fn path(&mut self, path: &str, weight: f32, line: Option<u32>) {
        let path = path.replace('\\', "/");
        let parts: Vec<String> =
            path.split('/').filter(|part| !matches!(*part, "" | "." | ".." | "~")).map(str::to_owned).collect();
        let Some(last) = parts.last() else { return };
        let is_file = last.rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && is_ending(ending));
        // In a short question, every name with a dot counts as a file, whatever its extension.
        let is_file = is_file || (self.is_short && last.contains('.'));
        if is_file && self.named.len() < MOST_NAMES {
            self.named.push(Named { parts, is_file, weight, is_asked_for: self.is_short, line });
        }
    }

    fn module(&mut self, dotted: &str, weight: f32) {
        let parts: Vec<String> = dotted.split('.').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        if parts.len() > 1 && self.named.len() < MOST_NAMES {
            self.named.push(Named { parts, is_file: false, weight, is_asked_for: self.is_short, line: None });
        }
    }

    fn quote(&mut self, message: &str) {
        let words: Vec<&str> = message.split_whitespace().take(MOST_QUOTED_WORDS).collect();
        let mut message = words.join(" ");
        for said in SAID_BY_LANGUAGES {
            // A separator replaces the phrase, so that words before and after the phrase do not become one run.
            message = message.replace(said, " | ");
        }
        if message.split_whitespace().count() >= MESSAGE_WORDS && !self.quoted.contains(&message) {
            if self.quoted.len() < MOST_QUOTED {
                self.quoted.push(message);
            } else {
                self.more_quoted += 1;
            }
        }
    }

    fn flag(&mut self, flag: &str) {
        if self.flags.len() < MOST_NAMES && !self.flags.iter().any(|known| known == flag) {
            self.flags.push(flag.to_owned());
        }
    }

    /// Adds the stack frames, innermost first with the highest weight: the innermost frames show where the program
    /// failed and who called that code.
    fn frames(&mut self, splitter: &mut Splitter) {
        let mut weight = 1.0;
        let mut seen: Vec<String> = Vec::new();
        for (path, function) in std::mem::take(&mut self.frames).into_iter().rev().take(MOST_FRAMES) {
            if !seen.contains(&path) {
                self.path(&path, weight, None);
                seen.push(path);
            }
            if let Some(function) = function {
                let name = function.rsplit('.').next().unwrap_or(&function);
                self.mention(name, None, weight);
                self.word(name, Zone::Code, splitter);
            }
            weight *= 0.7;
        }
    }
}

/// The file of a stack frame, and its function.
fn frame(line: &str) -> Option<(String, Option<String>)> {
    for (pattern, path, function) in
        [(&*PYTHON_FRAME, 1, 2), (&*IPYTHON_FRAME, 1, 2), (&*SCRIPT_FRAME, 2, 1), (&*PLACE_FRAME, 1, 9)]
    {
        if let Some(found) = pattern.captures(line) {
            let function = found.get(function).map(|function| function.as_str().to_owned());
            let function = function.filter(|function| !function.starts_with('<'));
            return Some((found[path].to_owned(), function));
        }
    }
    None
}

/// Whether a line outside a code block looks like code.
fn is_code(line: &str) -> bool {
    let trimmed = line.trim_start();
    trimmed.starts_with(">>>")
        || trimmed.starts_with("In [")
        || trimmed.starts_with("Out[")
        || trimmed.starts_with("$ ")
        || (line.starts_with("    ") && trimmed.contains(['(', '=', '{', ';']))
}

/// Whether a word looks like an identifier: `snake_case`, `camelCase`, `CamelCase`.
fn is_code_name(word: &str) -> bool {
    let inner = word.trim_matches('_');
    let snake = inner.contains('_') || (inner.len() < word.len() && inner.len() > 1);
    let chars: Vec<char> = inner.chars().collect();
    let camel = chars.windows(2).any(|pair| pair[0].is_lowercase() && pair[1].is_uppercase());
    (snake || camel) && chars.iter().any(|c| c.is_alphabetic())
}

/// The path inside the repository for the URL of a hosted file, or an empty string for other URLs.
fn path_of_url(url: &str) -> String {
    let Some((_, rest)) = url.split_once("/blob/") else { return String::new() };
    let path = rest.split_once('/').map_or("", |(_, path)| path);
    path.split(['#', '?', ')']).next().unwrap_or("").to_owned()
}

/// Whether the text after a dot is a file extension.
fn is_ending(ending: &str) -> bool {
    const OTHERS: &[&str] = &[
        "ini", "cfg", "conf", "txt", "rst", "html", "css", "scss", "sql", "ipynb", "pyx", "pxd", "pyi", "tpl", "in",
        "lock",
    ];
    let ending = ending.to_lowercase();
    OTHERS.contains(&ending.as_str()) || peelback_syntax::language::of_name(&format!("a.{ending}")).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weight(question: &Question, word: &str) -> f32 {
        question.words.iter().find(|known| known.text == word).map_or(0.0, |word| word.stress(&Weights::default()))
    }

    #[test]
    fn the_title_counts_more_than_code_and_versions_hardly() {
        let question = Question::new(
            "Nested models fail\n\nThe matrix is wrong here, as everybody can see when they look at it.\n\n```\nx = widget(3)\n```\n\n**Versions**\nnumpy: 1.2.3\n",
        );
        assert!(weight(&question, "nested") > weight(&question, "matrix"));
        assert!(weight(&question, "matrix") > weight(&question, "widget"));
        assert!(weight(&question, "widget") > weight(&question, "numpy"));
        assert_eq!(weight(&question, "the"), 0.0);
    }

    #[test]
    fn frames_name_files_and_functions_the_innermost_first() {
        let question = Question::new(
            "It breaks\n\nTraceback (most recent call last):\n  File \"/usr/lib/app/main.py\", line 3, in run\n    go()\n  File \"/usr/lib/app/core/engine.py\", line 9, in start_engine\n    boom()\nValueError: no fuel in the tank\n",
        );
        let named =
            |name: &str| question.named.iter().find(|named| named.parts.last().is_some_and(|last| last == name));
        assert!(named("engine.py").expect("a file").weight > named("main.py").expect("a file").weight);
        assert!(question.mentions.iter().any(|mention| mention.name == "start_engine"));
        assert_eq!(question.quoted, ["no fuel in the tank"]);
    }

    #[test]
    fn names_in_code_form_are_mentions() {
        let question = Question::new(
            "Calling `parse` on `pkg.mod.Reader.read_all` loses rows; see src/io/reader.py and HttpClient",
        );
        let names: Vec<&str> = question.mentions.iter().map(|mention| mention.name.as_str()).collect();
        assert_eq!(names, ["HttpClient", "Reader", "parse", "read_all", "read_all"]);
        assert!(question.named.iter().any(|named| named.is_file && named.parts == ["src", "io", "reader.py"]));
        assert!(
            question.named.iter().any(|named| !named.is_file && named.parts == ["pkg", "mod", "Reader", "read_all"])
        );
    }

    #[test]
    fn flags_are_named_outright_and_what_languages_say_is_not_quoted() {
        let question = Question::new(
            "Show scopes with `tool --fixtures`\n\nAlso --dry-run, not a--b.\n\n```\n$ tool --verbose\n```\n\n\
             AttributeError: 'Tank' object has no attribute 'fuel'\nTankError: the tank holds no fuel today",
        );
        assert_eq!(question.flags, ["--fixtures", "--dry-run"]);
        let (of_language, own): (Vec<_>, Vec<_>) = question.quoted.iter().partition(|message| message.contains("Tank"));
        assert!(of_language.iter().all(|message| !message.contains("no attribute")), "{of_language:?}");
        assert_eq!(own, ["the tank holds no fuel today"]);
    }

    #[test]
    fn what_is_too_much_is_said() {
        let cuts = |text: &str| Question::new(text).cuts;
        assert!(cuts("a report\n\nof two sentences").is_empty());
        let words: String = (0..80_000).map(|n| format!("word{}x{n} ", n % 7)).collect();
        let question = Question::new(&format!("first things\n\n{words}"));
        assert_eq!(question.words.len(), MOST_WORDS);
        assert_eq!(question.words[0].text, "first");
        assert!(question.mentions.len() <= MOST_NAMES);
        assert!(question.cuts.iter().any(|cut| cut.starts_with("the first 256 KB")), "{:?}", question.cuts);
        assert!(question.cuts.iter().any(|cut| cut.contains("words of the question")), "{:?}", question.cuts);
        let messages: String =
            (0..40).map(|n| format!("x\nValueError: the tank number {n} is quite empty\n")).collect();
        assert_eq!(Question::new(&messages).quoted.len(), MOST_QUOTED);
        assert_eq!(cuts(&messages), ["the first 8 of 40 messages are looked for"]);
        let long = format!("ValueError: {}", "alpha beta gamma delta ".repeat(5_000));
        assert_eq!(Question::new(&format!("x\n{long}")).quoted[0].split(' ').count(), MOST_QUOTED_WORDS);
    }

    #[test]
    fn any_text_is_a_question() {
        for text in ["", "the of", "```", "\u{0}\u{ffff}", "<!-- x", "a.b.c.d.e.f()", "``", "File \"\", line 1"] {
            let _ = Question::new(text);
        }
        assert!(Question::new("").is_empty());
        assert!(!Question::new("what is it").is_empty());
    }
}
