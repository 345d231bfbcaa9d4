//! The description of a language: names, files, facts that other parts of the program want, and the analysis.
//!
//! Each folder below `languages/` fills one [`Language`]. Every fact about a language belongs into that row, so that
//! no other file has to compare a language's name.

use std::ops::Range;

use tree_sitter_language::LanguageFn;

use crate::facts::Facts;
use crate::frontend::Frontend;
use crate::tags::Tags;

/// How much the analysis knows about a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    /// Every kind of symbol, with signatures, documentation, imports and exports.
    Complete,
    /// Outlines and bodies from a tags query.
    Basic,
    /// A document: headings or keys.
    Document,
}

/// How a definition without code looks: an overload, an abstract method, a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StubStyle {
    /// A callable without braces and without `=`: `int f(int);`.
    NoBraces,
    /// A body of `...`, `pass` or a docstring alone.
    Placeholder,
    /// The text of a definition does not show whether the definition has code.
    Unknown,
}

/// The unit that an import names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModuleUnit {
    /// A single file.
    File,
    /// All files of one folder: a package of Go.
    Folder,
}

/// Keywords by what they begin. A search without a parse recognises definitions by these words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keywords {
    /// Words directly before the name of a function, a type or a module: `class`, `def`, `fn`.
    pub definitions: &'static [&'static str],
    /// Words before the name of a variable, at the beginning of a line: `const`, `let`.
    pub bindings: &'static [&'static str],
    /// Words before a definition's keyword: `async`, `pub`, `static`.
    pub modifiers: &'static [&'static str],
    /// Words that begin a statement that defines nothing: `if`, `return`.
    pub statements: &'static [&'static str],
}

impl Keywords {
    /// No keywords: documents.
    pub const NONE: Self = Self { definitions: &[], bindings: &[], modifiers: &[], statements: &[] };
}

/// A language: its names, the files that it owns, and how its text becomes facts.
pub struct Language {
    /// The name in answers: lower case, `c_sharp` style.
    pub name: &'static str,
    /// Other names that people and code fences use, lower case: `js`, `golang`.
    pub aliases: &'static [&'static str],
    /// How much the analysis knows about the language.
    pub tier: Tier,
    /// File extensions without the dot, lower case.
    pub extensions: &'static [&'static str],
    /// Whole file names.
    pub file_names: &'static [&'static str],
    /// Interpreters that a `#!` line may name.
    pub interpreters: &'static [&'static str],
    /// The family of languages whose files can use each other's names, named after its first member: `javascript` for
    /// TypeScript and Vue too. `None` where names are not resolved across files.
    pub family: Option<&'static str>,
    /// Another family whose declarations files of this language can use: C's in C++.
    pub includes_family: Option<&'static str>,
    /// Whether a document is prose under headings, and not data under keys.
    pub is_prose: bool,
    /// Keywords for searches that do not parse.
    pub keywords: Keywords,
    /// How a definition without code looks.
    pub stub_style: StubStyle,
    /// The unit that an import names.
    pub module_unit: ModuleUnit,
    /// Whether a program begins in a method `main` of a class, and not in a function.
    pub main_is_method: bool,
    /// Whether an imported name (`os.path`, `net/http`, `std::fmt`) is of the standard library; `None` where the
    /// library's modules are not known.
    pub standard_library: Option<fn(&str) -> bool>,
    /// Files with an extension of another language that are in this language if their text says so.
    pub(crate) content_rule: Option<ContentRule>,
    pub(crate) analysis: Analysis,
}

/// A test of a file's text for extensions that two languages share: `.h` is C or C++.
#[derive(Clone, Copy)]
pub(crate) struct ContentRule {
    /// The shared extensions, which another language owns.
    pub extensions: &'static [&'static str],
    /// Whether the text is in the language of the rule.
    pub matches: fn(&str) -> bool,
}

/// How a text becomes facts. Grammars and readers are absent (`None`) where their cargo feature is off.
#[derive(Clone, Copy)]
pub(crate) enum Analysis {
    /// A grammar, and a frontend that reads its tree.
    Frontend { grammar: Option<LanguageFn>, frontend: &'static dyn Frontend },
    /// A grammar and a tags query.
    Tags(&'static Tags),
    /// A reader that needs no grammar.
    Reader(Option<fn(&str) -> Facts>),
    /// Markup with script blocks. `find` returns the blocks and their language, one of `scripts`.
    Embedded { find: fn(&str) -> Embedded, scripts: &'static [&'static Language] },
}

/// The script blocks of a text in markup.
pub(crate) struct Embedded {
    pub language: &'static Language,
    /// Byte ranges in rising order.
    pub ranges: Vec<Range<usize>>,
}

impl Language {
    /// A language without files and without further facts: the base of each folder's row.
    pub(crate) const fn new(name: &'static str, tier: Tier, analysis: Analysis) -> Self {
        Self {
            name,
            aliases: &[],
            tier,
            extensions: &[],
            file_names: &[],
            interpreters: &[],
            family: None,
            includes_family: None,
            is_prose: false,
            keywords: Keywords::NONE,
            stub_style: StubStyle::Unknown,
            module_unit: ModuleUnit::File,
            main_is_method: false,
            standard_library: None,
            content_rule: None,
            analysis,
        }
    }

    /// Whether the language is a document and no code.
    pub fn is_document(&self) -> bool {
        self.tier == Tier::Document
    }

    /// Whether files of this language can use names that files of `family` declare.
    pub fn can_use_family(&self, family: &str) -> bool {
        self.family == Some(family) || self.includes_family == Some(family)
    }

    /// Whether this build has what it needs to read the language: the cargo feature of its grammar is on.
    pub fn is_compiled(&self) -> bool {
        match &self.analysis {
            Analysis::Frontend { grammar, .. } => grammar.is_some(),
            Analysis::Tags(tags) => tags.grammar.is_some(),
            Analysis::Reader(read) => read.is_some(),
            Analysis::Embedded { scripts, .. } => scripts.iter().all(|language| language.is_compiled()),
        }
    }
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

/// `Some(value)` where a cargo feature is on, `None` where it is off: the one place that gates a grammar.
macro_rules! if_feature {
    ($feature:literal, $value:expr) => {{
        #[cfg(feature = $feature)]
        {
            Some($value)
        }
        #[cfg(not(feature = $feature))]
        {
            None
        }
    }};
}
pub(crate) use if_feature;
