//! The description of a language: its names, its files, facts for other crates, and the implementation of its analysis.
//!
//! Each folder below `languages/` defines one [`Language`] value. All facts about a language are in that value, so that
//! no other file has to compare a language's name.

use std::ops::Range;

use tree_sitter_language::LanguageFn;

use crate::facts::Facts;
use crate::frontend::Frontend;
use crate::project_files::ProjectFiles;
use crate::tags::Tags;

/// The depth of the analysis of a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    /// Full analysis: every kind of symbol, with signatures, documentation, imports and exports.
    Complete,
    /// Basic analysis: outlines and bodies from a tags query.
    Basic,
    /// The language is a document format: its symbols are headings or keys.
    Document,
}

/// The way in which a language writes a definition without code: an overload, an abstract method, a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StubStyle {
    /// A definition without code is a callable without braces and without `=`: `int f(int);`.
    NoBraces,
    /// The body of a definition without code is only `...`, `pass` or a docstring.
    Placeholder,
    /// The text of a definition does not determine whether the definition has code.
    Unknown,
}

/// The unit of source code that an import names: a file or a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModuleUnit {
    /// An import names a single file.
    File,
    /// An import names all files of one folder, such as a Go package.
    Folder,
}

/// A language's keywords, grouped by the construct that they begin. Searches without a parse recognise definitions by
/// these words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keywords {
    /// Keywords directly before the name of a function, a type or a module: `class`, `def`, `fn`.
    pub definitions: &'static [&'static str],
    /// Keywords before the name of a variable, at the beginning of a line: `const`, `let`.
    pub bindings: &'static [&'static str],
    /// Modifier words before a definition's keyword: `async`, `pub`, `static`.
    pub modifiers: &'static [&'static str],
    /// Keywords at the beginning of a statement that defines nothing: `if`, `return`.
    pub statements: &'static [&'static str],
}

impl Keywords {
    /// The empty set of keywords, for document formats.
    pub const NONE: Self = Self { definitions: &[], bindings: &[], modifiers: &[], statements: &[] };
}

/// A language: its names, the files that belong to it, and the implementation of its analysis.
pub struct Language {
    /// The language's name in answers: lower case, with underscores (`c_sharp`).
    pub name: &'static str,
    /// Other names of the language in code fences and questions, in lower case: `js`, `golang`.
    pub aliases: &'static [&'static str],
    /// The depth of the analysis of the language.
    pub tier: Tier,
    /// File extensions of the language, without the dot, in lower case. The first one is that of ordinary source files;
    /// the others are of variants, such as scripts.
    pub extensions: &'static [&'static str],
    /// Whole file names that belong to the language, such as `Makefile`.
    pub file_names: &'static [&'static str],
    /// Interpreter names in a `#!` line that identify the language.
    pub interpreters: &'static [&'static str],
    /// The family of languages whose files can use each other's names. The family has the name of its first member:
    /// `javascript` also for TypeScript and Vue. `None` where names are not resolved across files.
    pub family: Option<&'static str>,
    /// Another language family whose declarations are usable in files of this language: the family of C for C++.
    pub includes_family: Option<&'static str>,
    /// Whether a document format is prose under headings, in contrast to data under keys.
    pub is_prose: bool,
    /// The language's keywords, for searches that do not parse.
    pub keywords: Keywords,
    /// The way in which the language writes a definition without code.
    pub stub_style: StubStyle,
    /// The unit of source code that an import of the language names.
    pub module_unit: ModuleUnit,
    /// Whether a program's entry point is a method `main` of a class, in contrast to a function.
    pub main_is_method: bool,
    /// Tests whether an imported name (`os.path`, `net/http`, `std::fmt`) belongs to the standard library; `None` where
    /// the modules of the standard library are not known.
    pub standard_library: Option<fn(&str) -> bool>,
    /// The files and folders of the language's projects that have a meaning by their names.
    pub project_files: ProjectFiles,
    /// The rule by which files with another language's extension belong to this language because of their text.
    pub(crate) content_rule: Option<ContentRule>,
    pub(crate) analysis: Analysis,
}

/// A test of a file's text for an extension that two languages share: `.h` is C or C++.
#[derive(Clone, Copy)]
pub(crate) struct ContentRule {
    /// The shared file extensions, which belong to another language unless the text matches.
    pub extensions: &'static [&'static str],
    /// Tests whether a file's text is in the language that has the rule.
    pub matches: fn(&str) -> bool,
}

/// The implementation of a language's analysis. Grammars and readers are absent (`None`) where their cargo feature is
/// off.
#[derive(Clone, Copy)]
pub(crate) enum Analysis {
    /// Analysis with a grammar and a frontend that reads the syntax tree.
    Frontend { grammar: Option<LanguageFn>, frontend: &'static dyn Frontend },
    /// Analysis with a grammar and a tags query.
    Tags(&'static Tags),
    /// Analysis with a handwritten reader that needs no grammar.
    Reader(Option<fn(&str) -> Facts>),
    /// Analysis of markup with script blocks. `find` returns the blocks and their language, which is one of `scripts`.
    Embedded { find: fn(&str) -> Embedded, scripts: &'static [&'static Language] },
}

/// The script blocks of a markup text.
pub(crate) struct Embedded {
    pub language: &'static Language,
    /// Byte ranges of the script blocks, in rising order.
    pub ranges: Vec<Range<usize>>,
}

impl Language {
    /// A language without files and with default properties: the base value that each language's folder completes.
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
            project_files: ProjectFiles::NONE,
            content_rule: None,
            analysis,
        }
    }

    /// Whether the language is a document format and not a programming language.
    pub fn is_document(&self) -> bool {
        self.tier == Tier::Document
    }

    /// Whether files of this language can use names declared in files of `family`.
    pub fn can_use_family(&self, family: &str) -> bool {
        self.family == Some(family) || self.includes_family == Some(family)
    }

    /// Whether the language can be analysed in this build: the cargo feature of its grammar is on.
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

/// `Some(value)` where a cargo feature is on, `None` where it is off: the only macro that makes a grammar optional.
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
