//! Parses a question or bug report: its words, weighted by the part of the text that contains them, and the files,
//! names, messages and flags that it mentions.

mod patterns;

use std::borrow::Cow;
use std::collections::BTreeMap;

use self::patterns::{
    BACKTICKED_CODE, CALLED_NAME, CODE_FENCE, DOTTED_NAME, ENVIRONMENT_HEADING, ENVIRONMENT_LINE, ERROR_LINE, FLAG,
    FROM_IMPORT, HTML_COMMENT, NAME_WITH_KIND, PATH, PLAIN_IMPORT, QUOTED_TEXT, RUNTIME_ERROR_PHRASES,
    RUNTIME_ERROR_TYPES, TEMPLATE_HEADING, TERMINAL_ESCAPE, URL, is_identifier_like_word, is_known_file_extension,
    looks_like_code_line, parse_stack_frame, repository_file_path_from_url,
};
use crate::related_words::related_words;
use crate::stop_words::is_stop_word;
use crate::weights::Weights;
use crate::words::{
    IdentifierSplitter, Term, WantedTerms, count_as_f32, hash_identifier_as_term, hash_word_as_term, identifier_parts,
    identifiers_in_text,
};
use peelback_project::Evidence;

/// A kind of text within a question, such as its title or a traceback. It decides how much the words in that text
/// count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Zone {
    /// The first line of the question, or the whole of a short question.
    Title,
    /// Natural-language sentences.
    Body,
    /// Lines with an error message.
    Message,
    /// Code blocks, and lines that look like code.
    Code,
    /// Stack frames of a traceback.
    Frame,
    /// Version numbers, lists of installed software, headings of an issue template.
    Environment,
}

impl Zone {
    /// The weight of a name that the question mentions in this zone, relative to a name in the body.
    fn weight_of_mentioned_name(self) -> f32 {
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

/// The number of variants of [`Zone`].
const ZONE_COUNT: usize = 6;

/// The form in which a question contains a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordForm {
    /// The word stands on its own.
    Whole,
    /// The word is a part of an identifier.
    Part,
    /// The word is an identifier of several parts, written as one or joined by a hyphen.
    Compound,
    /// The word is joined with the next word, as code may join the two in one name.
    Pair,
    /// Code may use the word for another word, which the question contains.
    Related,
}

/// The number of variants of [`WordForm`].
const FORM_COUNT: usize = 5;

/// A word of the question with the numbers of its occurrences.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Word {
    pub term: Term,
    /// The number of occurrences by word form (outer index) and zone (inner index).
    occurrence_counts: [[f32; ZONE_COUNT]; FORM_COUNT],
    /// The words of the question for which code may use this one.
    pub stands_for: Vec<Term>,
    /// The word as the question first writes it, in lower case.
    pub text: String,
}

impl Word {
    fn new(term: Term, text: String) -> Self {
        Self { term, occurrence_counts: [[0.0; ZONE_COUNT]; FORM_COUNT], stands_for: Vec::new(), text }
    }

    /// The number of occurrences in one form, in all zones.
    fn occurrences_in_form(&self, form: WordForm) -> f32 {
        self.occurrence_counts.get(form as usize).map_or(0.0, |zones| zones.iter().sum())
    }

    /// The word's text, if the word is so long that paths may abbreviate it, as `auth` for `authentication`.
    pub fn text_if_abbreviable(&self) -> Option<&str> {
        let is_word = self.text.bytes().all(|byte| byte.is_ascii_lowercase());
        let is_whole = self.occurrences_in_form(WordForm::Whole) + self.occurrences_in_form(WordForm::Compound) > 0.0;
        (is_word && is_whole && self.text.len() >= MIN_ABBREVIABLE_LETTERS).then_some(self.text.as_str())
    }

    /// Whether the question contains the word itself as one word. Of an identifier of several parts the parts are such
    /// words, and not the whole, however the language joins them.
    pub fn is_single_word_of_question(&self) -> bool {
        self.occurrences_in_form(WordForm::Whole) + self.occurrences_in_form(WordForm::Part) > 0.0
    }

    /// For each zone, whether it contains the word as one word.
    fn zones_of_single_word(&self) -> [bool; ZONE_COUNT] {
        let mut zones = [false; ZONE_COUNT];
        for form in [WordForm::Whole, WordForm::Part] {
            let counts = self.occurrence_counts.get(form as usize).into_iter().flatten();
            zones.iter_mut().zip(counts).for_each(|(is_in_zone, count)| *is_in_zone |= *count > 0.0);
        }
        zones
    }

    /// Whether the question contains the word itself, and not only a word for which code uses it.
    pub fn is_in_question(&self) -> bool {
        self.is_single_word_of_question() || self.occurrences_in_form(WordForm::Compound) > 0.0
    }

    /// The weight of the word in the question; one occurrence in the body of the question has weight 1.
    pub fn weight_in_question(&self, weights: &Weights) -> f32 {
        let zones = [weights.title, 1.0, weights.message, weights.code, weights.frame, weights.environment];
        let forms = [1.0, weights.parts, 1.0, weights.pairs, weights.related];
        // Repetitions count only logarithmically: a log that repeats a word a hundred times is no stronger a request
        // for the word.
        let damped = |amount: f32| if amount > 1.0 { 1.0 + amount.ln() } else { amount };
        let of =
            |amounts: &[f32; ZONE_COUNT]| amounts.iter().zip(zones).map(|(n, zone)| damped(*n) * zone).sum::<f32>();
        self.occurrence_counts.iter().zip(forms).map(|(amounts, form)| of(amounts) * form).sum()
    }
}

/// An identifier in code form that the question mentions.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Mention {
    /// The last part of the identifier: `fail` of `Context.fail`.
    pub name: String,
    /// The part before the name, if there is one: the class of a method, or the module of a function.
    pub owner: Option<String>,
    /// The term by which files that define the name are found; see [`crate::words::hash_identifier_as_term`].
    pub term: Term,
    pub weight: f32,
}

/// A file that the question refers to by a path, a module name or a stack frame.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FileReference {
    /// The parts of the path or the dotted module name. The last part has no file extension if the question gives none.
    pub parts: Vec<String>,
    /// Whether the last part is a complete file name, with its extension.
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
    /// The original text of the question.
    pub(super) text: String,
    pub(super) words: Vec<Word>,
    pub(super) mentions: Vec<Mention>,
    pub(super) file_references: Vec<FileReference>,
    /// The quoted program messages, as written.
    pub(super) quoted_messages: Vec<String>,
    /// The command-line flags in the question, with their dashes.
    pub(super) flags: Vec<String>,
    /// The words of the title, or of the whole question if it is short. These words show which kinds of files the
    /// question asks for.
    pub(super) title_words: Vec<String>,
    /// Notes on the parts of the question that were ignored because a limit was reached.
    limit_notes: Vec<String>,
}

/// The maximum number of bytes of a question that are read. Of a longer question, usually one with a pasted log, only
/// the beginning is read.
const MAX_QUESTION_BYTES: usize = 256 << 10;

/// The maximum number of words of a question that count; the weightiest are kept. A bug report of several pages has
/// fewer words.
const MAX_WORDS: usize = 1_000;

/// The maximum number of identifiers that a question mentions and that count. The same limit holds for its file
/// references, and for its flags.
const MAX_NAMES: usize = 300;

/// The maximum number of quoted messages of a question that are searched for.
const MAX_QUOTED_MESSAGES: usize = 8;
/// The maximum number of words of a quoted message that are searched for; the rest of the message is ignored.
const MAX_QUOTED_WORDS: usize = 24;

/// The maximum number of words of a question that counts as a title throughout.
const MAX_TITLE_QUESTION_WORDS: usize = 14;

/// The maximum number of words in a question that asks for a file itself: a longer question that names a file only
/// mentions it. All words count, and a path alone has several.
const MAX_FILE_REQUEST_WORDS: usize = 8;

/// The maximum number of words of a question of which also the words count that code uses for its own.
const MAX_RELATED_QUESTION_WORDS: usize = 4 * MAX_TITLE_QUESTION_WORDS;

/// The minimum number of words of a question that is a sentence and not keywords.
const MIN_SENTENCE_WORDS: usize = 4;

/// The minimum number of letters of a word that a path may abbreviate.
const MIN_ABBREVIABLE_LETTERS: usize = 6;

/// The minimum number of words of a quoted text that counts as a program message.
const MIN_MESSAGE_WORDS: usize = 3;

/// The maximum number of stack frames of a question that count, from the innermost.
const MAX_STACK_FRAMES: usize = 6;

impl Question {
    /// Parses a question, a bug report or a few keywords.
    pub fn new(text: &str) -> Self {
        QuestionParser::default().parse(text)
    }

    /// Whether the question contains nothing to search for.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.mentions.is_empty() && self.file_references.is_empty()
    }

    /// The words of the question that count, weightiest first; words of equal weight stay in the order of the question.
    pub fn keywords(&self) -> Vec<&str> {
        let weights = Weights { pairs: 0.0, related: 0.0, ..Weights::default() };
        let mut words: Vec<&Word> = self.words.iter().filter(|word| word.weight_in_question(&weights) > 0.0).collect();
        words.sort_by(|a, b| b.weight_in_question(&weights).total_cmp(&a.weight_in_question(&weights)));
        words.iter().map(|word| word.text.as_str()).collect()
    }

    /// The terms that have to be counted in files to answer this question.
    pub(super) fn terms_to_count_in_files(&self) -> WantedTerms {
        let words = self.words.iter().map(|word| (word.text.as_str(), word.term));
        let mentions = self.mentions.iter().map(|mention| (mention.name.as_str(), mention.term));
        let owners = self.mentions.iter().filter_map(|mention| mention.owner.as_deref());
        WantedTerms::from_words(
            words.chain(mentions).chain(owners.map(|owner| (owner, hash_identifier_as_term(owner)))),
        )
    }

    /// A word of the question as the reasons for a rank show it: one that code uses for another word names that word, too.
    pub(super) fn shown_word<'a>(&'a self, word: &'a Word) -> Cow<'a, str> {
        let stands_for = word.stands_for.first().filter(|_| !word.is_in_question());
        let source = stands_for.and_then(|term| self.words.iter().find(|other| other.term == *term));
        source.map_or(Cow::Borrowed(word.text.as_str()), |source| format!("{} (for {})", word.text, source.text).into())
    }

    /// Notes in the evidence of the answer which parts of the question were ignored because of a limit.
    pub(super) fn note_ignored_parts_in_evidence(&self, evidence: &mut Evidence) {
        self.limit_notes.iter().for_each(|cut| evidence.add_note(cut.clone()));
    }

    /// Whether the title of the question, or a short question as a whole, contains any of these words, which name a
    /// kind of file.
    pub(super) fn title_contains_any(&self, words: &[&str]) -> bool {
        self.title_words.iter().any(|word| words.contains(&word.as_str()))
    }
}

#[derive(Default)]
struct QuestionParser {
    words: BTreeMap<Term, (usize, Word)>,
    mentions: BTreeMap<(String, Option<String>), Mention>,
    file_references: Vec<FileReference>,
    frames: Vec<(String, Option<String>)>,
    quoted_messages: Vec<String>,
    flags: Vec<String>,
    /// The number of quoted messages that were dropped because of the limit.
    quoted_beyond_limit: usize,
    /// Whether the question contains hardly more than the name of a file.
    is_short: bool,
}

impl QuestionParser {
    fn parse(mut self, whole: &str) -> Question {
        let mut cuts = Vec::new();
        let text = whole.get(..whole.floor_char_boundary(MAX_QUESTION_BYTES)).unwrap_or(whole);
        if text.len() < whole.len() {
            cuts.push(format!("only the first {} KB of the question are used", MAX_QUESTION_BYTES >> 10));
        }
        let text = text.replace("\r\n", "\n");
        let text = TERMINAL_ESCAPE.replace_all(&text, "");
        let text = HTML_COMMENT.replace_all(&text, "");
        let mut splitter = IdentifierSplitter::new();
        let mut asks: Vec<String> = Vec::new();
        let mut in_code = false;
        let mut in_trace = false;
        let mut in_environment = false;
        let mut is_title = true;
        let is_short =
            identifiers_in_text(&text).take(MAX_TITLE_QUESTION_WORDS + 1).count() <= MAX_TITLE_QUESTION_WORDS;
        self.is_short = identifiers_in_text(&text).take(MAX_FILE_REQUEST_WORDS + 1).count() <= MAX_FILE_REQUEST_WORDS;
        for line in text.lines() {
            if CODE_FENCE.is_match(line) {
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
            } else if let Some(frame) = parse_stack_frame(line) {
                self.frames.push(frame);
                in_trace = true;
                Zone::Frame
            } else if let Some(message) = ERROR_LINE.captures(line) {
                in_trace = false;
                if let Some(message) = message.get(2) {
                    self.add_quoted_message(message.as_str());
                }
                Zone::Message
            } else if TEMPLATE_HEADING.is_match(line) || ENVIRONMENT_HEADING.is_match(line) {
                in_environment = ENVIRONMENT_HEADING.is_match(line);
                Zone::Environment
            } else if (in_environment && !line.trim_start().starts_with('#')) || ENVIRONMENT_LINE.is_match(line) {
                Zone::Environment
            } else if in_trace {
                Zone::Frame
            } else if in_code || looks_like_code_line(line) {
                Zone::Code
            } else {
                in_environment = false;
                Zone::Body
            };
            if zone == Zone::Title {
                asks.extend(identifiers_in_text(line).map(|(_, word)| word.to_lowercase()));
            }
            let line = URL.replace_all(line, |url: &regex::Captures<'_>| repository_file_path_from_url(&url[0]));
            self.add_line(&line, zone, &mut splitter);
        }
        self.add_stack_frames(&mut splitter);
        self.add_related_words(identifiers_in_text(&text).take(MAX_RELATED_QUESTION_WORDS + 1).count());
        // If a question consists of stop words alone, they are its keywords.
        if self.words.is_empty() {
            for (_, word) in identifiers_in_text(&text).filter(|(_, word)| word.len() > 1) {
                let term = hash_word_as_term(&splitter.stem(word));
                let order = self.words.len();
                let found = self.words.entry(term).or_insert_with(|| (order, Word::new(term, word.to_lowercase())));
                found.1.occurrence_counts[0][0] = 1.0;
            }
        }
        let mut words: Vec<(usize, Word)> = self.words.into_values().collect();
        if words.len() > MAX_WORDS {
            cuts.push(format!("only the {MAX_WORDS} most important of {} words of the question are used", words.len()));
            let weights = Weights::default();
            words.sort_by(|(a, one), (b, other)| {
                other.weight_in_question(&weights).total_cmp(&one.weight_in_question(&weights)).then_with(|| a.cmp(b))
            });
            words.truncate(MAX_WORDS);
        }
        words.sort_by_key(|(order, _)| *order);
        let mut mentions: Vec<Mention> = self.mentions.into_values().collect();
        if mentions.len() > MAX_NAMES {
            cuts.push(format!(
                "only the {MAX_NAMES} most important of {} names in the question are used",
                mentions.len()
            ));
            // The sort is stable: mentions of equal weight stay in name order.
            mentions.sort_by(|one, other| other.weight.total_cmp(&one.weight));
            mentions.truncate(MAX_NAMES);
        }
        if self.quoted_beyond_limit > 0 {
            cuts.push(format!(
                "only the first {MAX_QUOTED_MESSAGES} of {} messages are searched for",
                MAX_QUOTED_MESSAGES + self.quoted_beyond_limit
            ));
        }
        Question {
            text: text.into_owned(),
            words: words.into_iter().map(|(_, word)| word).collect(),
            mentions,
            file_references: self.file_references,
            quoted_messages: self.quoted_messages,
            flags: self.flags,
            title_words: asks,
            limit_notes: cuts,
        }
    }

    /// Adds the words of one line of the question, and the names, files, flags and messages that the line mentions.
    fn add_line(&mut self, line: &str, zone: Zone, splitter: &mut IdentifierSplitter) {
        let weight = zone.weight_of_mentioned_name();
        let mut before: Option<(&str, usize)> = None;
        for (at, identifier) in identifiers_in_text(line) {
            self.add_identifier_and_its_parts(identifier, zone, splitter);
            if let Some((last, end)) = before
                && let Some(between) = line.get(end..at)
            {
                self.add_joined_word_pair(last, between, identifier, zone);
            }
            before = Some((identifier, at + identifier.len()));
        }
        if matches!(zone, Zone::Environment | Zone::Frame) {
            return;
        }
        for path in PATH.find_iter(line) {
            let behind = line.get(path.end()..).and_then(|rest| rest.strip_prefix(':'));
            let digits = behind.map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next().unwrap_or(""));
            self.add_path_reference(path.as_str(), weight, digits.and_then(|digits| digits.parse().ok()));
        }
        if let Some(import) = FROM_IMPORT.captures(line) {
            let module = &import[1];
            self.add_module_reference(module, weight);
            for (_, name) in identifiers_in_text(&import[2]).take(8).filter(|(_, name)| *name != "as") {
                let owner = module.rsplit('.').next();
                self.add_mentioned_name(name, owner, weight);
            }
        } else if let Some(import) = PLAIN_IMPORT.captures(line) {
            self.add_module_reference(&import[1], weight * 0.5);
        }
        for dotted in DOTTED_NAME.find_iter(line) {
            let normal = dotted.as_str().replace("::", ".");
            let mut names = normal.rsplit('.');
            let (last, owner) = (names.next().unwrap_or(""), names.next());
            if is_known_file_extension(last) {
                continue;
            }
            self.add_mentioned_name(last, owner, weight);
            if let Some(owner) = owner {
                self.add_mentioned_name(owner, None, weight * 0.5);
            }
            if normal.matches('.').count() >= 2 {
                self.add_module_reference(&normal, weight);
            }
        }
        for code in BACKTICKED_CODE.captures_iter(line) {
            let mut names = identifiers_in_text(&code[1]);
            if let (Some((_, name)), None) = (names.next(), names.next()) {
                self.add_mentioned_name(name, None, weight);
            }
        }
        for called in CALLED_NAME.captures_iter(line) {
            self.add_mentioned_name(&called[1], None, weight);
        }
        for (_, name) in identifiers_in_text(line).filter(|(_, name)| is_identifier_like_word(name)) {
            self.add_mentioned_name(name, None, weight);
        }
        for named in NAME_WITH_KIND.captures_iter(line) {
            if let Some(name) = named.get(1).or_else(|| named.get(2)) {
                self.add_mentioned_name(name.as_str(), None, weight);
            }
        }
        if zone != Zone::Code {
            for flag in FLAG.captures_iter(line) {
                self.add_command_line_flag(&flag[1]);
            }
            for quoted in QUOTED_TEXT.captures_iter(line) {
                if let Some(message) = quoted.get(1).or_else(|| quoted.get(2)).or_else(|| quoted.get(3)) {
                    self.add_quoted_message(message.as_str());
                }
            }
        }
    }

    fn add_identifier_and_its_parts(&mut self, identifier: &str, zone: Zone, splitter: &mut IdentifierSplitter) {
        let whole = identifier.to_lowercase();
        if is_stop_word(&whole) {
            return;
        }
        let chunks = identifier_parts(identifier);
        let several = chunks.len() > 1;
        let is_plain = !RUNTIME_ERROR_TYPES.contains(&identifier);
        for chunk in chunks.iter().filter(|_| is_plain) {
            let lowercase = chunk.to_lowercase();
            let is_number = lowercase.bytes().all(|byte| byte.is_ascii_digit());
            if lowercase.chars().count() < 2 || is_number || is_stop_word(&lowercase) {
                continue;
            }
            let form = if several { WordForm::Part } else { WordForm::Whole };
            self.add_term_occurrence(hash_word_as_term(&splitter.stem(chunk)), zone, form, lowercase);
        }
        if several {
            self.add_term_occurrence(hash_identifier_as_term(identifier), zone, WordForm::Compound, whole);
        }
    }

    /// Adds two adjacent words joined as one term, since code may join them in one name.
    fn add_joined_word_pair(&mut self, first: &str, between: &str, second: &str, zone: Zone) {
        let (first, second) = (first.to_lowercase(), second.to_lowercase());
        let is_name = |word: &str| word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_alphabetic());
        let is_plain = |word: &str| is_name(word) && !is_stop_word(word);
        let form = match between {
            // A hyphenated `ignore-paths` matches the identifier `ignore_paths`.
            "-" if is_name(&first) && is_name(&second) => WordForm::Compound,
            " " if is_plain(&first) && is_plain(&second) => WordForm::Pair,
            _ => return,
        };
        for joint in ["_", ""] {
            let name = format!("{first}{joint}{second}");
            self.add_term_occurrence(hash_identifier_as_term(&name), zone, form, name);
        }
    }

    /// Adds the words that code uses for the words of a question of `count` words. The longer a question, the less they
    /// count: it says in several words what it means, and other words would only add coincidences. They also count less
    /// for one to three words, which are keywords: who types one word means that word.
    fn add_related_words(&mut self, count: usize) {
        if count > MAX_RELATED_QUESTION_WORDS {
            return;
        }
        let count = count_as_f32(count.max(1));
        let share = (count_as_f32(MAX_TITLE_QUESTION_WORDS) / count).min(1.0).powi(2)
            * (count / count_as_f32(MIN_SENTENCE_WORDS)).min(1.0);
        let own: Vec<(Term, [bool; ZONE_COUNT])> = self
            .words
            .values()
            .filter(|(_, word)| word.is_single_word_of_question())
            .map(|(_, word)| (word.term, word.zones_of_single_word()))
            .collect();
        for (term, zones) in own {
            for (other, text) in related_words(term) {
                let order = self.words.len();
                let (_, word) =
                    self.words.entry(*other).or_insert_with(|| (order, Word::new(*other, (*text).to_owned())));
                if word.is_in_question() {
                    continue;
                }
                word.stands_for.push(term);
                if let Some(counts) = word.occurrence_counts.get_mut(WordForm::Related as usize) {
                    for (count, _) in counts.iter_mut().zip(zones).filter(|(_, is_in_zone)| *is_in_zone) {
                        *count = share;
                    }
                }
            }
        }
    }

    fn add_term_occurrence(&mut self, term: Term, zone: Zone, form: WordForm, text: String) {
        let order = self.words.len();
        let (_, word) = self.words.entry(term).or_insert_with(|| (order, Word::new(term, text)));
        if let Some(amount) =
            word.occurrence_counts.get_mut(form as usize).and_then(|zones| zones.get_mut(zone as usize))
        {
            *amount += 1.0;
        }
    }

    fn add_mentioned_name(&mut self, name: &str, owner: Option<&str>, weight: f32) {
        let plain = name.trim_matches('_');
        if plain.len() < 3 || plain.bytes().all(|byte| byte.is_ascii_digit()) || is_stop_word(&plain.to_lowercase()) {
            return;
        }
        let owner = owner.filter(|owner| owner.len() > 1).map(str::to_owned);
        let made =
            Mention { name: name.to_owned(), owner: owner.clone(), term: hash_identifier_as_term(name), weight: 0.0 };
        self.mentions.entry((name.to_owned(), owner)).or_insert(made).weight += weight;
    }

    fn add_path_reference(&mut self, path: &str, weight: f32, line: Option<u32>) {
        let path = path.replace('\\', "/");
        let parts: Vec<String> =
            path.split('/').filter(|part| !matches!(*part, "" | "." | ".." | "~")).map(str::to_owned).collect();
        let Some(last) = parts.last() else { return };
        let is_file =
            last.rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && is_known_file_extension(ending));
        // In a short question, every name with a dot counts as a file name, whatever its extension.
        let is_file = is_file || (self.is_short && last.contains('.'));
        if is_file && self.file_references.len() < MAX_NAMES {
            self.file_references.push(FileReference { parts, is_file, weight, is_asked_for: self.is_short, line });
        }
    }

    fn add_module_reference(&mut self, dotted: &str, weight: f32) {
        let parts: Vec<String> = dotted.split('.').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        if parts.len() > 1 && self.file_references.len() < MAX_NAMES {
            self.file_references.push(FileReference {
                parts,
                is_file: false,
                weight,
                is_asked_for: self.is_short,
                line: None,
            });
        }
    }

    fn add_quoted_message(&mut self, message: &str) {
        let words: Vec<&str> = message.split_whitespace().take(MAX_QUOTED_WORDS).collect();
        let mut message = words.join(" ");
        for said in RUNTIME_ERROR_PHRASES {
            // A separator replaces the phrase, so that the words before and after the phrase do not become one run of
            // words.
            message = message.replace(said, " | ");
        }
        if message.split_whitespace().count() >= MIN_MESSAGE_WORDS && !self.quoted_messages.contains(&message) {
            if self.quoted_messages.len() < MAX_QUOTED_MESSAGES {
                self.quoted_messages.push(message);
            } else {
                self.quoted_beyond_limit += 1;
            }
        }
    }

    fn add_command_line_flag(&mut self, flag: &str) {
        if self.flags.len() < MAX_NAMES && !self.flags.iter().any(|known| known == flag) {
            self.flags.push(flag.to_owned());
        }
    }

    /// Adds the files and functions of the stack frames, innermost first with the highest weight: the innermost frames
    /// show where the program failed and who called that code.
    fn add_stack_frames(&mut self, splitter: &mut IdentifierSplitter) {
        let mut weight = 1.0;
        let mut seen: Vec<String> = Vec::new();
        for (path, function) in std::mem::take(&mut self.frames).into_iter().rev().take(MAX_STACK_FRAMES) {
            if !seen.contains(&path) {
                self.add_path_reference(&path, weight, None);
                seen.push(path);
            }
            if let Some(function) = function {
                let name = function.rsplit('.').next().unwrap_or(&function);
                self.add_mentioned_name(name, None, weight);
                self.add_identifier_and_its_parts(name, Zone::Code, splitter);
            }
            weight *= 0.7;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weight(question: &Question, word: &str) -> f32 {
        question
            .words
            .iter()
            .find(|known| known.text == word)
            .map_or(0.0, |word| word.weight_in_question(&Weights::default()))
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
        let named = |name: &str| {
            question.file_references.iter().find(|named| named.parts.last().is_some_and(|last| last == name))
        };
        assert!(named("engine.py").expect("a file").weight > named("main.py").expect("a file").weight);
        assert!(question.mentions.iter().any(|mention| mention.name == "start_engine"));
        assert_eq!(question.quoted_messages, ["no fuel in the tank"]);
    }

    #[test]
    fn names_in_code_form_are_mentions() {
        let question = Question::new(
            "Calling `parse` on `pkg.mod.Reader.read_all` loses rows; see src/io/reader.py and HttpClient",
        );
        let names: Vec<&str> = question.mentions.iter().map(|mention| mention.name.as_str()).collect();
        assert_eq!(names, ["HttpClient", "Reader", "parse", "read_all", "read_all"]);
        assert!(
            question.file_references.iter().any(|named| named.is_file && named.parts == ["src", "io", "reader.py"])
        );
        assert!(
            question
                .file_references
                .iter()
                .any(|named| !named.is_file && named.parts == ["pkg", "mod", "Reader", "read_all"])
        );
    }

    #[test]
    fn flags_are_named_outright_and_what_languages_say_is_not_quoted() {
        let question = Question::new(
            "Show scopes with `tool --fixtures`\n\nAlso --dry-run, not a--b.\n\n```\n$ tool --verbose\n```\n\n\
             AttributeError: 'Tank' object has no attribute 'fuel'\nTankError: the tank holds no fuel today",
        );
        assert_eq!(question.flags, ["--fixtures", "--dry-run"]);
        let (of_language, own): (Vec<_>, Vec<_>) =
            question.quoted_messages.iter().partition(|message| message.contains("Tank"));
        assert!(of_language.iter().all(|message| !message.contains("no attribute")), "{of_language:?}");
        assert_eq!(own, ["the tank holds no fuel today"]);
    }

    #[test]
    fn what_is_too_much_is_said() {
        let cuts = |text: &str| Question::new(text).limit_notes;
        assert!(cuts("a report\n\nof two sentences").is_empty());
        let words: String = (0..80_000).map(|n| format!("word{}x{n} ", n % 7)).collect();
        let question = Question::new(&format!("first things\n\n{words}"));
        assert_eq!(question.words.len(), MAX_WORDS);
        assert_eq!(question.words[0].text, "first");
        assert!(question.mentions.len() <= MAX_NAMES);
        assert!(
            question.limit_notes.iter().any(|cut| cut.starts_with("only the first 256 KB")),
            "{:?}",
            question.limit_notes
        );
        assert!(
            question.limit_notes.iter().any(|cut| cut.contains("words of the question")),
            "{:?}",
            question.limit_notes
        );
        let messages: String =
            (0..40).map(|n| format!("x\nValueError: the tank number {n} is quite empty\n")).collect();
        assert_eq!(Question::new(&messages).quoted_messages.len(), MAX_QUOTED_MESSAGES);
        assert_eq!(cuts(&messages), ["only the first 8 of 40 messages are searched for"]);
        let long = format!("ValueError: {}", "alpha beta gamma delta ".repeat(5_000));
        assert_eq!(Question::new(&format!("x\n{long}")).quoted_messages[0].split(' ').count(), MAX_QUOTED_WORDS);
    }

    #[test]
    fn words_that_code_uses_count_less_the_longer_the_question() {
        let short = Question::new("delete a folder here");
        assert!(weight(&short, "dir") > 0.0 && weight(&short, "dir") < weight(&short, "folder"));
        let related = short.words.iter().find(|word| word.text == "dir").expect("a related word");
        assert_eq!(short.shown_word(related), "dir (for folder)");
        assert!(!related.is_in_question() && !related.is_single_word_of_question());
        assert!(!short.keywords().contains(&"dir"));
        let filler = |count: usize| (0..count).map(|n| format!(" filler{}", char::from(b'a' + (n % 26) as u8)));
        let of_length = |count: usize| Question::new(&format!("delete a folder{}", filler(count).collect::<String>()));
        assert!(weight(&Question::new("folder"), "dir") < weight(&short, "dir"));
        let (longer, longest) = (weight(&of_length(30), "dir"), weight(&of_length(100), "dir"));
        assert!(0.0 < longer && longer < weight(&short, "dir"), "{longer}");
        assert_eq!(longest, 0.0);
        // One word more changes little.
        let (at, after) = (weight(&of_length(11), "dir"), weight(&of_length(12), "dir"));
        assert!(after < at && after > 0.8 * at, "{at} {after}");
    }

    #[test]
    fn the_parts_of_a_name_are_its_words_however_they_are_joined() {
        for text in ["httpClient", "http_client", "http-client"] {
            let question = Question::new(text);
            let single: Vec<&str> = question
                .words
                .iter()
                .filter(|word| word.is_single_word_of_question())
                .map(|word| word.text.as_str())
                .collect();
            assert_eq!(single, ["http", "client"], "{text}");
        }
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
