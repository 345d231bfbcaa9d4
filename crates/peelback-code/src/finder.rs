//! A fast text search that decides whether a file can contain a wanted name and so is worth parsing.

use memchr::memmem;
use peelback_project::{Vocabulary, is_whole_word};

use crate::lookup::Needle;

/// A prepared search for a text that a file must contain to be parsed.
pub(crate) enum Finder {
    Word(Box<memmem::Finder<'static>>),
    Part(Box<memmem::Finder<'static>>),
    AnyCase(regex::Regex),
    Everything,
}

impl Finder {
    pub fn new(needle: Needle<'_>) -> Self {
        let plain = |text: &str| Box::new(memmem::Finder::new(text.as_bytes()).into_owned());
        match needle {
            needle if needle.text().is_empty() => Self::Everything,
            Needle::Word(text) => Self::Word(plain(text)),
            Needle::Part(text) => Self::Part(plain(text)),
            Needle::AnyCase(text) => {
                let regex = regex::RegexBuilder::new(&regex::escape(text)).case_insensitive(true).build();
                regex.map_or(Self::Everything, Self::AnyCase)
            }
        }
    }

    /// Whether a text with this vocabulary can contain the needle; `false` is certain.
    pub fn may_be_in(needle: Needle<'_>, vocabulary: &Vocabulary) -> bool {
        let is_possible_word = match needle {
            Needle::Word(text) => vocabulary.can_contain_whole_word(text),
            Needle::Part(_) | Needle::AnyCase(_) => true,
        };
        is_possible_word && vocabulary.can_contain_text(needle.text())
    }

    pub fn is_needle_in(&self, text: &str) -> bool {
        match self {
            Self::Word(finder) => {
                let len = finder.needle().len();
                finder.find_iter(text.as_bytes()).any(|at| is_whole_word(text, at..at + len))
            }
            Self::Part(finder) => finder.find(text.as_bytes()).is_some(),
            Self::AnyCase(regex) => regex.is_match(text),
            Self::Everything => true,
        }
    }
}
