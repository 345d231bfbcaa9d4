//! The languages, and how a file's language is told.

use tree_sitter_language::LanguageFn;

use crate::facts::Facts;
use crate::languages;
use crate::walk::Frontend;

/// How much is known of a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    /// Every kind of symbol, with signatures, documentation, imports and exports.
    Complete,
    /// Outlines and bodies from a tags query.
    Basic,
    /// A document: headings or keys.
    Document,
}

/// A language: its names, the files it owns, and how its text becomes facts.
pub struct Language {
    /// Its name in answers: lower case, `c_sharp` style.
    pub name: &'static str,
    /// How much is known of it.
    pub tier: Tier,
    /// File extensions without the dot, lower case.
    pub extensions: &'static [&'static str],
    /// Whole file names.
    pub file_names: &'static [&'static str],
    /// Interpreters that a `#!` line may name.
    pub interpreters: &'static [&'static str],
    pub(crate) analysis: Analysis,
}

/// How a text becomes facts.
pub(crate) enum Analysis {
    /// A grammar, and rules that read its tree.
    Frontend { grammar: LanguageFn, frontend: &'static dyn Frontend },
    /// A grammar and a tags query.
    Tags(crate::tags::Tags),
    /// A reader of its own that needs no grammar.
    Reader(fn(&str) -> Facts),
    /// Script blocks inside markup: which parts of the text are in which language.
    Embedded(fn(&str) -> Embedded),
}

/// The parts of a text that another language reads.
pub(crate) struct Embedded {
    pub language: &'static Language,
    /// Byte ranges in rising order.
    pub parts: Vec<std::ops::Range<usize>>,
}

impl std::fmt::Debug for Language {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Language").field(&self.name).finish()
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Language {}

/// Every language, in the order of the list.
pub fn all() -> &'static [&'static Language] {
    languages::ALL
}

/// The language called `name`.
pub fn by_name(name: &str) -> Option<&'static Language> {
    all().iter().copied().find(|language| language.name == name)
}

/// The language that a file's name alone tells. `.h` is C here; [`of_file`] looks inside.
pub fn of_name(file_name: &str) -> Option<&'static Language> {
    if let Some(language) = all().iter().find(|l| l.file_names.contains(&file_name)) {
        return Some(language);
    }
    let (stem, extension) = file_name.rsplit_once('.')?;
    if stem.is_empty() {
        return None;
    }
    let extension = extension.to_ascii_lowercase();
    all().iter().copied().find(|language| language.extensions.contains(&extension.as_str()))
}

/// The languages that a file of this name can be in: the one that its name indicates, and for `.h` also C++.
pub fn candidates(file_name: &str) -> impl Iterator<Item = &'static Language> {
    let other = if is_header(file_name) { by_name("cpp") } else { None };
    of_name(file_name).into_iter().chain(other)
}

/// Whether the text of a file decides between C and C++.
fn is_header(file_name: &str) -> bool {
    file_name.to_ascii_lowercase().ends_with(".h")
}

/// The language of a file: by its name, for `.h` by what its text uses, and where the name tells nothing by a `#!` line.
pub fn of_file(file_name: &str, text: &str) -> Option<&'static Language> {
    match of_name(file_name) {
        Some(language) if language.name == "c" && is_header(file_name) => {
            if languages::looks_like_cpp(text) {
                by_name("cpp")
            } else {
                Some(language)
            }
        }
        Some(language) => Some(language),
        None => of_shebang(text),
    }
}

fn of_shebang(text: &str) -> Option<&'static Language> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let mut program = words.next()?;
    if program == "env" {
        program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    }
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    all().iter().copied().find(|language| language.interpreters.contains(&program))
}
