//! The data model: facts that follow from the text of one file alone.
//!
//! # The line convention
//!
//! Lines count from 1 and ranges include both ends. A symbol's `lines` are those of its definition proper: from the
//! line where its first keyword or modifier stands (`pub fn`, `export class`, `async def`) to its last line. Its
//! decorators, attributes and doc comments stand above that and are not part of `lines`; `outer_line` is the line of
//! the first of them (or the first line of the definition where there are none).

use std::ops::Range;

/// Lines of a file, counted from 1, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lines {
    /// The first line.
    pub first: u32,
    /// The last line, never less than `first`.
    pub last: u32,
}

impl Lines {
    /// How many lines the range holds, at least 1.
    pub fn count(self) -> u32 {
        self.last.saturating_sub(self.first) + 1
    }
}

/// What a symbol is: LSP's `SymbolKind` in snake case, with words of our own only where LSP has none
/// (`trait`, `impl`, `type`, `union`, `macro`, `section`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum SymbolKind {
    Module,
    Namespace,
    Class,
    Struct,
    Union,
    Enum,
    EnumMember,
    Interface,
    Trait,
    Impl,
    Type,
    Function,
    Method,
    Constructor,
    Macro,
    Constant,
    Variable,
    Field,
    Property,
    Section,
    Key,
}

impl SymbolKind {
    /// Every kind, in the order of the declaration.
    pub const ALL: &[SymbolKind] = &[
        Self::Module,
        Self::Namespace,
        Self::Class,
        Self::Struct,
        Self::Union,
        Self::Enum,
        Self::EnumMember,
        Self::Interface,
        Self::Trait,
        Self::Impl,
        Self::Type,
        Self::Function,
        Self::Method,
        Self::Constructor,
        Self::Macro,
        Self::Constant,
        Self::Variable,
        Self::Field,
        Self::Property,
        Self::Section,
        Self::Key,
    ];

    /// The kind's name as answers print it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Module => "module",
            Self::Namespace => "namespace",
            Self::Class => "class",
            Self::Struct => "struct",
            Self::Union => "union",
            Self::Enum => "enum",
            Self::EnumMember => "enum_member",
            Self::Interface => "interface",
            Self::Trait => "trait",
            Self::Impl => "impl",
            Self::Type => "type",
            Self::Function => "function",
            Self::Method => "method",
            Self::Constructor => "constructor",
            Self::Macro => "macro",
            Self::Constant => "constant",
            Self::Variable => "variable",
            Self::Field => "field",
            Self::Property => "property",
            Self::Section => "section",
            Self::Key => "key",
        }
    }

    /// The kind named `name` by [`SymbolKind::as_str`].
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == name)
    }

    /// Whether definitions inside a symbol of this kind are local to a body that runs.
    pub fn is_callable(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Constructor | Self::Macro)
    }

    /// Whether the symbol is a part of a type that is shown inside it: a field, a property, an enum's member.
    pub fn is_member_value(self) -> bool {
        matches!(self, Self::Field | Self::Property | Self::EnumMember)
    }
}

/// Who can see a symbol, as far as its own file tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Visibility {
    /// Visible outside its file, module or class.
    Public,
    /// Visible to its class and what derives from it.
    Protected,
    /// Visible inside its package, crate or a named part of it.
    Internal,
    /// Visible inside its file, module or class only.
    Private,
    /// The language or the file does not say.
    #[default]
    Unknown,
}

impl Visibility {
    /// The word that answers print, `None` where nothing is known.
    pub fn as_str(self) -> Option<&'static str> {
        match self {
            Self::Public => Some("public"),
            Self::Protected => Some("protected"),
            Self::Internal => Some("internal"),
            Self::Private => Some("private"),
            Self::Unknown => None,
        }
    }
}

/// A named definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// The simple name (`apply_edits`; for a Rust impl block its header, `impl Write for Stream`).
    pub name: String,
    /// The name with its owners, joined by dots (`Editor.apply_edits`).
    pub qualified_name: String,
    /// Whether no other symbol of the file has the same qualified name.
    pub unique: bool,
    /// Its place, from 1, among the symbols of its qualified name that begin on its line; `None` where it is the only
    /// one of them.
    pub place_on_line: Option<u32>,
    /// The kind.
    pub kind: SymbolKind,
    /// The definition proper: without decorators, attributes and doc comments above it.
    pub lines: Lines,
    /// The line of the first decorator, attribute or doc comment; `lines.first` where there is none.
    pub outer_line: u32,
    /// The bytes of the definition proper.
    pub bytes: Range<usize>,
    /// The first byte of the first decorator, attribute or doc comment.
    pub outer_start: usize,
    /// The declaration without its body, on one line.
    pub signature: String,
    /// Decorators or attributes as written, each on one line.
    pub decorators: Vec<String>,
    /// The first line of its documentation, without comment marks.
    pub docstring: Option<String>,
    /// Who can see it.
    pub visibility: Visibility,
    /// The owner's simple name where the owner is not the enclosing symbol: a Go receiver, `exports` in CommonJS.
    pub container: Option<String>,
    /// Whether it is defined inside a body that runs (a function's local, a callback's helper).
    pub local: bool,
    /// The definitions inside it, in the order of the file.
    pub children: Vec<Symbol>,
}

impl Symbol {
    /// What means this symbol alone in its file: its qualified name, with its line where another symbol has the same
    /// (`name@12`), and its place on that line where the other stands there too (`name@12:2`).
    pub fn address(&self) -> String {
        let Self { qualified_name, lines: Lines { first, .. }, .. } = self;
        match self.place_on_line {
            _ if self.unique => qualified_name.clone(),
            None => format!("{qualified_name}@{first}"),
            Some(place) => format!("{qualified_name}@{first}:{place}"),
        }
    }

    /// A copy without its children.
    pub fn alone(&self) -> Self {
        Self {
            name: self.name.clone(),
            qualified_name: self.qualified_name.clone(),
            signature: self.signature.clone(),
            decorators: self.decorators.clone(),
            docstring: self.docstring.clone(),
            container: self.container.clone(),
            bytes: self.bytes.clone(),
            children: Vec::new(),
            ..*self
        }
    }
}

/// All symbols of a forest, parents first, each with its depth (0 for the top level).
pub fn walk_symbols(symbols: &[Symbol]) -> impl Iterator<Item = (&Symbol, usize)> {
    let mut stack: Vec<(&Symbol, usize)> = symbols.iter().rev().map(|s| (s, 0)).collect();
    std::iter::from_fn(move || {
        let (symbol, depth) = stack.pop()?;
        stack.extend(symbol.children.iter().rev().map(|child| (child, depth + 1)));
        Some((symbol, depth))
    })
}

/// How an import binds its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportKind {
    /// Named parts of the source: `from a import b`, `import { b } from "a"`, `use a::b`.
    Named,
    /// The default export: `import a from "a"`.
    Default,
    /// The whole source under one name: `import a`, `import * as a from "a"`.
    Namespace,
    /// Everything, under its own names: `from a import *`, `use a::*`.
    Glob,
    /// Nothing: `import "a"`.
    SideEffect,
    /// `require("a")`.
    Require,
    /// `import("a")`.
    Dynamic,
    /// `#include`.
    Include,
    /// A declaration of a module in another file: `mod a;`.
    Module,
}

impl ImportKind {
    /// The word in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Named => "named",
            Self::Default => "default",
            Self::Namespace => "namespace",
            Self::Glob => "glob",
            Self::SideEffect => "side_effect",
            Self::Require => "require",
            Self::Dynamic => "dynamic",
            Self::Include => "include",
            Self::Module => "module",
        }
    }
}

/// One import statement, as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The statement on one line.
    pub text: String,
    /// The imported module as written, without quotes: `../types.js`, `os.path`, `std::fmt`.
    pub source: String,
    /// The imported names as written (`b`, `b as c`); empty for globs and side effects.
    pub names: Vec<String>,
    /// How the import binds the names.
    pub kind: ImportKind,
    /// The lines of the statement.
    pub lines: Lines,
}

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportKind {
    /// Under its own or a new name.
    Named,
    /// As the default export.
    Default,
    /// Passed on from another file: `export { a } from "b"`, `pub use`.
    ReExport,
    /// Everything of another file: `export * from "b"`.
    All,
    /// As the whole module: `module.exports =`, `export =`.
    Module,
}

impl ExportKind {
    /// The word in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Named => "named",
            Self::Default => "default",
            Self::ReExport => "re_export",
            Self::All => "all",
            Self::Module => "module",
        }
    }
}

/// One exported name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Export {
    /// The name under which others see it; `*` for [`ExportKind::All`] without a name.
    pub name: String,
    /// The form of the export.
    pub kind: ExportKind,
    /// The line of the export.
    pub line: u32,
}

/// What a fold hides in a skeleton.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoldKind {
    /// A body that runs, or a long initialiser: shown as `{ ... }`.
    Body,
    /// A comment or docstring: cut to its first line.
    Comment,
}

/// A part of the text that a skeleton folds. Folds never overlap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fold {
    /// The bytes that are folded.
    pub bytes: Range<usize>,
    /// Whether a body or a comment is folded.
    pub kind: FoldKind,
}

/// How much of the file the facts cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Coverage {
    /// The whole text was understood.
    Whole,
    /// Some regions were not understood. The facts outside these regions are complete.
    Partial {
        /// How many separate regions were not understood.
        regions: usize,
        /// The lines of the first 20 of them.
        lines: Vec<Lines>,
    },
    /// The text was not parsed at all.
    NotParsed(NotParsed),
}

/// The most regions whose lines [`Coverage::Partial`] lists.
pub(crate) const MAX_DAMAGE_LINES: usize = 20;

impl Coverage {
    /// Adds regions that were not understood.
    pub(crate) fn add(&mut self, more: Vec<Lines>) {
        if more.is_empty() {
            return;
        }
        let (known, mut all) = match self {
            Self::Whole => (0, Vec::new()),
            Self::Partial { regions, lines } => (*regions, std::mem::take(lines)),
            Self::NotParsed(_) => return,
        };
        let regions = known + more.len();
        all.extend(more);
        all.sort_unstable();
        all.truncate(MAX_DAMAGE_LINES);
        *self = Self::Partial { regions, lines: all };
    }
}

/// Why a text was not parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotParsed {
    /// No language is known for the file.
    UnknownLanguage,
    /// The language is known, and its grammar is not compiled into this program: the cargo feature is off.
    NoGrammar,
    /// The file is over the size limit.
    TooLarge,
    /// The parser did not finish inside its deadline.
    Deadline,
}

/// The facts that follow from the text of one file alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Definitions, nested as in the file.
    pub symbols: Vec<Symbol>,
    /// Imports in the order of the file.
    pub imports: Vec<Import>,
    /// Exports in the order of the file.
    pub exports: Vec<Export>,
    /// What a skeleton folds, in the order of the file, without overlaps.
    pub folds: Vec<Fold>,
    /// How much of the text these facts cover.
    pub coverage: Coverage,
}

impl Facts {
    /// The facts of a text that was understood and defines nothing.
    pub(crate) fn empty() -> Self {
        Self {
            symbols: Vec::new(),
            imports: Vec::new(),
            exports: Vec::new(),
            folds: Vec::new(),
            coverage: Coverage::Whole,
        }
    }

    /// The facts of a text that was not parsed.
    pub fn not_parsed(why: NotParsed) -> Self {
        Self {
            symbols: Vec::new(),
            imports: Vec::new(),
            exports: Vec::new(),
            folds: Vec::new(),
            coverage: Coverage::NotParsed(why),
        }
    }
}
