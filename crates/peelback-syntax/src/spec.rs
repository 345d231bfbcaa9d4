//! The description of a language: its names and files, what other crates want to know of it, and the implementation of
//! its analysis.
//!
//! Each folder below `languages/` defines one [`Language`] value. All facts about a language are in that value, so that
//! no other file has to compare a language's name.

use std::ops::Range;

use tree_sitter_language::LanguageFn;

use crate::facts::Facts;
use crate::frontend::LanguageFrontend;
use crate::names::NamesBuilder;
use crate::project_files::ProjectFiles;
use crate::tags::TagsQueryLanguage;

/// How deep the analysis of a language goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    /// Full analysis: every kind of symbol, with signatures, documentation, imports and exports.
    Complete,
    /// Basic analysis: outlines and bodies from a tags query.
    Basic,
    /// The language is a document format: its symbols are headings or keys.
    Document,
}

/// How a language writes a definition without code: an overload, an abstract method, a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StubStyle {
    /// A definition without code is a function or method without braces and without `=`: `int f(int);`.
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

/// A language's keywords, grouped by the construct that they begin. Searches that do not parse a file recognise
/// definitions by these words.
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
    /// The value without any keywords, for document formats.
    pub const NONE: Self = Self { definitions: &[], bindings: &[], modifiers: &[], statements: &[] };
}

/// A language: its names, the files that belong to it, and the implementation of its analysis.
pub struct Language {
    /// The language's name in answers: lower case, with underscores (`c_sharp`).
    pub name: &'static str,
    /// Other names of the language in code fences and questions, in lower case: `js`, `golang`.
    pub aliases: &'static [&'static str],
    /// How deep the analysis of the language goes.
    pub tier: Tier,
    /// File extensions of the language, without the dot, in lower case. The first one is that of ordinary source files;
    /// the others are of variants, such as scripts.
    pub extensions: &'static [&'static str],
    /// Whole file names that belong to the language, such as `Makefile`.
    pub file_names: &'static [&'static str],
    /// File names that belong to the language also with further parts behind a dot, unless those are the extension of
    /// another language: `Dockerfile` for `Dockerfile.dev`.
    pub variant_file_names: &'static [&'static str],
    /// Interpreter names in a `#!` line that identify the language.
    pub interpreters: &'static [&'static str],
    /// The name of the family of languages whose files can use each other's definitions. A family is named after its
    /// first member: `javascript` also for TypeScript and Vue. `None` where names are not resolved across files.
    pub family: Option<&'static str>,
    /// The name of another language family whose definitions are usable in files of this language: the family of C for
    /// C++.
    pub includes_family: Option<&'static str>,
    /// Whether the document format is prose under headings (Markdown), and not data under keys (JSON).
    pub is_prose: bool,
    /// Whether files of the language say how a project is built or packaged (Make, Dockerfile), and are not its code.
    pub describes_builds: bool,
    /// Whether files of the language can import others.
    pub has_imports: bool,
    /// The language's keywords, for searches that do not parse a file.
    pub keywords: Keywords,
    /// How the language writes a definition without code.
    pub stub_style: StubStyle,
    /// The unit of source code that an import of the language names.
    pub module_unit: ModuleUnit,
    /// Whether the entry point of a program is a method `main` of a class; otherwise it is a function.
    pub main_is_method: bool,
    /// A function that tests whether an imported name (`os.path`, `net/http`, `std::fmt`) belongs to the standard
    /// library; `None` where the modules of the standard library are not known.
    pub standard_library: Option<fn(&str) -> bool>,
    /// The files and folders of the language's projects that have a meaning by their names.
    pub project_files: ProjectFiles,
    /// The rule that assigns files with another language's extension to this language because of their text.
    pub(crate) content_rule: Option<ContentRule>,
    /// What the reader of Jupyter notebooks needs to know of the language; `None` where notebooks in it are not read.
    pub(crate) notebook: Option<NotebookSyntax>,
    pub(crate) analysis: Analysis,
}

/// What code in the cells of a notebook looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotebookSyntax {
    /// The start of a comment that ends with its line.
    pub comment: &'static str,
    /// Whether cells hold magics and commands of the shell, as IPython reads them.
    pub has_magics: bool,
}

/// A rule for a file extension that two languages share: a test of the file's text decides (`.h` is C or C++).
#[derive(Clone, Copy)]
pub(crate) struct ContentRule {
    /// The shared file extensions. Files with these extensions belong to another language unless their text passes the
    /// test.
    pub extensions: &'static [&'static str],
    /// The function that tests whether a file's text is in the language that has the rule.
    pub matches: fn(&str) -> bool,
}

/// The implementation of a language's analysis. A grammar or reader is absent (`None`) where the language's cargo
/// feature is off.
#[derive(Clone, Copy)]
pub(crate) enum Analysis {
    /// Analysis with a grammar and a frontend that reads the syntax tree.
    Frontend { grammar: Option<LanguageFn>, frontend: &'static dyn LanguageFrontend },
    /// Analysis with a grammar and a tags query, which finds definitions in the syntax tree.
    TagsQueryLanguage(&'static TagsQueryLanguage),
    /// Analysis with a handwritten reader that needs no grammar.
    Reader(Option<fn(&str) -> Facts>),
    /// Analysis of markup with script blocks. `find` returns the blocks and their language, which is one of `scripts`;
    /// `record_names_in_markup` adds the names that the markup uses, after those of the blocks.
    Embedded {
        find: fn(&str) -> Embedded,
        scripts: &'static [&'static Language],
        record_names_in_markup: fn(&mut NamesBuilder<'_>),
    },
}

/// The script blocks in a markup text, and their language.
pub(crate) struct Embedded {
    pub language: &'static Language,
    /// Byte ranges of the script blocks, in rising order.
    pub ranges: Vec<Range<usize>>,
}

impl Language {
    /// Creates a language without file extensions and with default properties: the base value that each language's
    /// folder completes.
    pub(crate) const fn new(name: &'static str, tier: Tier, analysis: Analysis) -> Self {
        Self {
            name,
            aliases: &[],
            tier,
            extensions: &[],
            file_names: &[],
            variant_file_names: &[],
            interpreters: &[],
            family: None,
            includes_family: None,
            is_prose: false,
            describes_builds: false,
            has_imports: true,
            keywords: Keywords::NONE,
            stub_style: StubStyle::Unknown,
            module_unit: ModuleUnit::File,
            main_is_method: false,
            standard_library: None,
            project_files: ProjectFiles::NONE,
            content_rule: None,
            notebook: None,
            analysis,
        }
    }

    /// Whether the language is a document format (Markdown, JSON) and not a programming language.
    pub fn is_document_format(&self) -> bool {
        self.tier == Tier::Document
    }

    /// Whether the language says what is shown and how it looks (HTML, CSS): a document whose symbols are found by a query.
    pub fn is_presentation(&self) -> bool {
        self.is_document_format() && matches!(self.analysis, Analysis::TagsQueryLanguage(_))
    }

    /// Whether a text of this language can write a name with markup or escapes, so that a search of the text for the name
    /// would miss it.
    pub fn can_disguise_names(&self) -> bool {
        self.is_document_format() && !self.is_presentation()
    }

    /// Whether files of this language can use names that files of the language family `family` define.
    pub fn can_use_names_of_language_family(&self, family: &str) -> bool {
        self.family == Some(family) || self.includes_family == Some(family)
    }

    /// Whether each file of this language defines one thing as a whole, which other files import: a component.
    pub fn files_are_components(&self) -> bool {
        matches!(self.analysis, Analysis::Embedded { .. })
    }

    /// Whether this build of the crate can analyse the language: the cargo feature of its grammar is on.
    pub fn is_available_in_build(&self) -> bool {
        match &self.analysis {
            Analysis::Frontend { grammar, .. } => grammar.is_some(),
            Analysis::TagsQueryLanguage(tags) => tags.grammar.is_some(),
            Analysis::Reader(read) => read.is_some(),
            Analysis::Embedded { scripts, .. } => scripts.iter().all(|language| language.is_available_in_build()),
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

/// Expands to `Some(value)` where a cargo feature is on, and to `None` where it is off. All optional grammars and
/// readers use this macro.
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
