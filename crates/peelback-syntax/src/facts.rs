//! The data model of an analysed file: facts that follow from the text of one file alone.
//!
//! # The line convention
//!
//! Lines count from 1 and ranges include both ends. A symbol's `lines` are those of its definition proper: from the
//! line of its first keyword or modifier (`pub fn`, `export class`, `async def`) to its last line. Decorators,
//! attributes and doc comments are above the definition proper and are not part of `lines`; `outer_line` is the line of
//! the first of them (or the first line of the definition where there are none).

use std::ops::Range;

/// A range of lines in a file, counted from 1, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lines {
    /// The first line of the range, from 1.
    pub first: u32,
    /// The last line of the range, included; never less than `first`.
    pub last: u32,
}

impl Lines {
    /// The number of lines in the range, at least 1.
    pub fn count(self) -> u32 {
        self.last.saturating_sub(self.first) + 1
    }
}

/// The kind of a symbol: LSP's `SymbolKind` in snake case, with additional kinds where LSP has none (`trait`, `impl`,
/// `type`, `union`, `macro`, `section`).
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
    /// All kinds of symbols, in the order of the variants of [`SymbolKind`].
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

    /// The symbol kind's name in Peelback's answers, such as `method`.
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

    /// The symbol kind whose [`SymbolKind::as_str`] is `name`, or `None` for an unknown name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == name)
    }

    /// Whether a symbol of this kind has a body that runs, so that definitions inside the symbol are local.
    pub fn is_callable(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Constructor | Self::Macro)
    }

    /// Whether a symbol of this kind is a value: a constant, a variable, or a value inside a type.
    pub fn is_value(self) -> bool {
        matches!(self, Self::Constant | Self::Variable) || self.is_field_property_or_enum_member()
    }

    /// Whether a symbol of this kind is a value inside a type: a field, a property or an enum member.
    pub fn is_field_property_or_enum_member(self) -> bool {
        matches!(self, Self::Field | Self::Property | Self::EnumMember)
    }
}

/// The visibility of a symbol, as far as its own file determines the visibility.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Visibility {
    /// The symbol is visible outside its file, module or class.
    Public,
    /// The symbol is visible to its own class and to classes that derive from that class.
    Protected,
    /// The symbol is visible inside its package, its crate or a named part of the crate.
    Internal,
    /// The symbol is visible only inside its file, module or class.
    Private,
    /// The symbol's visibility is not known: neither the language nor the file determines it.
    #[default]
    Unknown,
}

impl Visibility {
    /// The visibility's name in Peelback's answers, such as `public`, or `None` for [`Visibility::Unknown`].
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

/// A named definition in a source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// The simple name of the symbol (`apply_edits`); for a Rust impl block its header (`impl Write for Stream`).
    pub name: String,
    /// The symbol's name after the names of its owners, joined by dots (`Editor.apply_edits`).
    pub qualified_name: String,
    /// Whether no other symbol of the file has the symbol's qualified name.
    pub has_unique_name: bool,
    /// The symbol's position, from 1, among the symbols with the same qualified name that begin on the same line;
    /// `None` where no other symbol has that name on that line.
    pub ordinal_on_line: Option<u32>,
    /// The kind of the symbol: function, class, field and so on.
    pub kind: SymbolKind,
    /// The lines of the symbol's definition proper: without decorators, attributes and doc comments above.
    pub lines: Lines,
    /// The line of the symbol's first decorator, attribute or doc comment; `lines.first` where there is none.
    pub outer_line: u32,
    /// The byte range of the symbol's definition proper: without decorators, attributes and doc comments above.
    pub bytes: Range<usize>,
    /// Byte offset of the symbol's first decorator, attribute or doc comment; the start of `bytes` where there is none.
    pub outer_start: usize,
    /// The symbol's declaration without its body, on one line.
    pub signature: String,
    /// The symbol's decorators or attributes as written, each on one line.
    pub decorators: Vec<String>,
    /// The first line of the symbol's documentation, without comment marks.
    pub docstring: Option<String>,
    /// The visibility of the symbol, as far as its own file determines it.
    pub visibility: Visibility,
    /// The simple name of the symbol's owner where the owner is not the enclosing symbol: a Go receiver, `exports` in
    /// CommonJS.
    pub container: Option<String>,
    /// Whether the symbol is defined inside a body that runs: a local of a function, a helper in a callback.
    pub local: bool,
    /// The definitions inside the symbol, in the order of the file.
    pub children: Vec<Symbol>,
}

impl Symbol {
    /// The text that identifies the symbol among all symbols of its file: the qualified name; with the line where
    /// another symbol has the same name (`name@12`); with the position on that line where both begin there
    /// (`name@12:2`).
    pub fn unique_address_in_file(&self) -> String {
        let Self { qualified_name, lines: Lines { first, .. }, .. } = self;
        match self.ordinal_on_line {
            _ if self.has_unique_name => qualified_name.clone(),
            None => format!("{qualified_name}@{first}"),
            Some(place) => format!("{qualified_name}@{first}:{place}"),
        }
    }

    /// A copy of the symbol without its children.
    pub fn without_children(&self) -> Self {
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

/// Iterates over `symbols` and all symbols nested in them, each parent before its children. Each symbol comes with its
/// depth (0 for those in `symbols`).
pub fn walk_symbols_with_depth(symbols: &[Symbol]) -> impl Iterator<Item = (&Symbol, usize)> {
    let mut stack: Vec<(&Symbol, usize)> = symbols.iter().rev().map(|s| (s, 0)).collect();
    std::iter::from_fn(move || {
        let (symbol, depth) = stack.pop()?;
        stack.extend(symbol.children.iter().rev().map(|child| (child, depth + 1)));
        Some((symbol, depth))
    })
}

/// The way in which an import statement makes names of another module available in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportKind {
    /// Imports named parts of the imported module: `from a import b`, `import { b } from "a"`, `use a::b`.
    Named,
    /// Imports the default export of the imported module: `import a from "a"`.
    Default,
    /// Imports the whole module under one name: `import a`, `import * as a from "a"`.
    Namespace,
    /// Imports every name of the imported module unchanged: `from a import *`, `use a::*`.
    Glob,
    /// Imports no name, only runs the imported module: `import "a"`.
    SideEffect,
    /// Imports a module by a call of `require`: `require("a")`.
    Require,
    /// Imports a module by a dynamic import: `import("a")`.
    Dynamic,
    /// Includes a file, as C's `#include` does.
    Include,
    /// Declares a module whose text is in another file: `mod a;`.
    Module,
}

impl ImportKind {
    /// The import kind's name in Peelback's answers, such as `side_effect`.
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

/// One import statement of a file, as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The text of the import statement on one line.
    pub text: String,
    /// The imported module as written in the import statement, without quotes: `../types.js`, `os.path`, `std::fmt`.
    pub source: String,
    /// The imported names as written (`b`, `b as c`); empty for glob imports and side-effect imports.
    pub names: Vec<String>,
    /// The way in which the import statement binds names, such as single names, every name or no name.
    pub kind: ImportKind,
    /// The lines of the import statement.
    pub lines: Lines,
}

/// The form of an export: a name, the default, a re-export, or the whole module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportKind {
    /// Exports a name of the file, unchanged or renamed.
    Named,
    /// Exports a value as the default export of the file.
    Default,
    /// Re-exports a name of another file: `export { a } from "b"`, `pub use`.
    ReExport,
    /// Re-exports every name of another file: `export * from "b"`.
    All,
    /// Exports one value as the whole module: `module.exports =`, `export =`.
    Module,
}

impl ExportKind {
    /// The export kind's name in Peelback's answers, such as `re_export`.
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

/// One exported name of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Export {
    /// The name that importing files see; `*` for [`ExportKind::All`] without a name. For [`ExportKind::Module`], the name
    /// of the value in its own file, or `exports` where the value has none.
    pub name: String,
    /// The form of the export: a name, the default, a re-export, or the whole module.
    pub kind: ExportKind,
    /// The line of the export statement, from 1.
    pub line: u32,
}

/// The kind of text that is folded in a skeleton (a file's text with shortened bodies and comments).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoldKind {
    /// A body that runs, or a long initialiser: a skeleton shows `{ ... }` instead.
    Body,
    /// A comment or docstring: a skeleton shows only the first line of its text.
    Comment,
}

/// A byte range of the source that a skeleton folds. Folds never overlap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fold {
    /// The folded byte range of the source.
    pub bytes: Range<usize>,
    /// Whether the folded text is a body or a comment.
    pub kind: FoldKind,
}

/// The part of a file's text that its facts cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParseCoverage {
    /// The whole text of the file was understood.
    Whole,
    /// Some regions of the text were not understood. The facts outside these regions are complete.
    Partial {
        /// The number of separate regions that were not understood.
        regions: usize,
        /// The line ranges of the regions that were not understood; at most the first 20.
        lines: Vec<Lines>,
    },
    /// The text was not parsed at all, for the given reason.
    NotParsed(NotParsed),
}

/// Limit on the number of regions whose lines [`ParseCoverage::Partial`] lists.
pub(crate) const MAX_LISTED_REGIONS: usize = 20;

impl ParseCoverage {
    /// Adds line ranges of the text that were not understood. [`ParseCoverage::Whole`] becomes [`ParseCoverage::Partial`].
    pub(crate) fn add_uncovered_lines(&mut self, more: Vec<Lines>) {
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
        all.truncate(MAX_LISTED_REGIONS);
        *self = Self::Partial { regions, lines: all };
    }
}

/// The reason why a text was not parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotParsed {
    /// The file's language is not known.
    UnknownLanguage,
    /// The file's language is known, but its grammar is not compiled into this program, because the cargo feature is
    /// off.
    NoGrammar,
    /// The file is larger than the limit of [`crate::Limits`].
    TooLarge,
    /// The file is a notebook by its name, but its text is none.
    BrokenNotebook,
    /// The parser exceeded its time limit.
    Deadline,
    /// The parser exceeded its limit on memory, or the nesting of the text that limit of a scanner's state (in Python
    /// 510 levels of indentation). Only broken or hostile text does.
    Memory,
}

/// The facts that follow from the text of one file alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Definitions of the file, nested as in the text.
    pub symbols: Vec<Symbol>,
    /// Import statements of the file, in the order of the text.
    pub imports: Vec<Import>,
    /// Exported names of the file, in the order of the text.
    pub exports: Vec<Export>,
    /// Byte ranges that a skeleton folds, in the order of the text, without overlaps.
    pub folds: Vec<Fold>,
    /// The part of the text that the facts cover.
    pub coverage: ParseCoverage,
}

impl Facts {
    /// Whether a symbol of the file has a body that runs, and is not only declared. What stands inside of another body counts
    /// as having one.
    pub fn has_body(&self, symbol: &Symbol) -> bool {
        // Folds are in the order of the text, without overlaps.
        let first = self.folds.partition_point(|fold| fold.bytes.start < symbol.bytes.start);
        let before = first.checked_sub(1).and_then(|before| self.folds.get(before));
        if before.is_some_and(|fold| fold.kind == FoldKind::Body && fold.bytes.end > symbol.bytes.start) {
            return true;
        }
        let mut inside = self.folds.iter().skip(first).take_while(|fold| fold.bytes.start < symbol.bytes.end);
        inside.any(|fold| fold.kind == FoldKind::Body)
    }

    /// Whether a symbol of the file is only declared: a function without a body, or a signature that is marked as one of
    /// several (`@overload`), which another definition implements.
    pub fn is_only_declared(&self, symbol: &Symbol) -> bool {
        let is_overload = |decorator: &String| {
            let name = decorator.trim_start_matches('@');
            name.rsplit('.').next() == Some("overload")
        };
        symbol.kind.is_callable() && (symbol.decorators.iter().any(is_overload) || !self.has_body(symbol))
    }

    /// The facts of a text that was fully understood and defines nothing.
    pub(crate) fn empty() -> Self {
        Self {
            symbols: Vec::new(),
            imports: Vec::new(),
            exports: Vec::new(),
            folds: Vec::new(),
            coverage: ParseCoverage::Whole,
        }
    }

    /// The facts of a text that was not parsed: no symbols, and the reason as coverage.
    pub fn new_unparsed(why: NotParsed) -> Self {
        Self {
            symbols: Vec::new(),
            imports: Vec::new(),
            exports: Vec::new(),
            folds: Vec::new(),
            coverage: ParseCoverage::NotParsed(why),
        }
    }
}
