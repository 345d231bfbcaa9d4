//! What a file's names mean, as far as its own text tells: scopes, bindings, expressions, occurrences and imports to
//! other files.
//!
//! One model serves every language. A language's *binder* reads its syntax tree once and fills a [`Names`]; whoever
//! knows the other files of the project evaluates it. Nothing here looks beyond the file.
//!
//! # How a name is looked up
//!
//! [`Expr::Name`] is sought in its scope, then in the scopes around it. A scope of kind [`ScopeKind::Type`] (members)
//! is searched only if it is where the search begins: a method does not see its class's members by their bare names
//! (where a language lets it, its binder begins the search elsewhere). In each scope the bindings of that name count;
//! where some of them are sequential ([`Binding::visible_from`] over 0), only the last one before the place of use.
//! After a scope's bindings come its imports of everything ([`ModuleImport::glob`]).

mod builder;
mod generic;
mod grammar;
#[cfg(test)]
pub(crate) mod show;

use std::ops::Range;

use serde::{Deserialize, Serialize};

pub(crate) use builder::{NamesBuilder, line_of};
pub(crate) use generic::identifiers;
pub(crate) use grammar::{Cursors, grammar};

/// An index into [`Names::scopes`].
pub type ScopeId = u32;
/// An index into [`Names::bindings`].
pub type BindingId = u32;
/// An index into [`Names::exprs`].
pub type ExprId = u32;
/// An index into [`Names::imports`].
pub type ModuleImportId = u32;
/// An index into [`Names::strings`].
pub type NameId = u32;

/// The scope of the file itself.
pub const FILE_SCOPE: ScopeId = 0;

/// What one file's names mean.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Names {
    /// Every name and specifier, once.
    pub strings: Vec<Box<str>>,
    /// The file's own scope first; a scope comes after the one that holds it.
    pub scopes: Vec<Scope>,
    /// Everything that is bound to a name.
    pub bindings: Vec<Binding>,
    /// Expressions: an expression comes after those that it is made of.
    pub exprs: Vec<Expr>,
    /// Lists of expressions: [`Span`] says which part of this.
    pub lists: Vec<ExprId>,
    /// Every identifier that can be a reference, in the order of the text.
    pub occurrences: Vec<Occurrence>,
    /// What the file takes from others.
    pub imports: Vec<ModuleImport>,
    /// What the file gives to others, where the language says so name by name (JavaScript); `None` where all bindings
    /// of the file's scope can be seen from outside.
    pub exports: Option<Vec<Export>>,
    /// Members that are added to a type from outside of its definition.
    pub extensions: Vec<Extension>,
    /// What `import *` takes of this file where it says so itself (Python's `__all__`).
    pub star: Option<Vec<NameId>>,
    /// The name of the package that the file says it belongs to (Go).
    pub package: Option<NameId>,
    /// Parts of the text, in lines, whose names are not here: broken, or nested too deep. Both ends included.
    pub missed: Vec<(u32, u32)>,
    /// Parts of the text that only some builds compile, in the order of their first lines (C).
    pub conditions: Vec<Condition>,
    /// Whether the names come from identifiers alone, without scopes: every occurrence has [`Target::Unknown`].
    pub basic: bool,
}

/// A part of the text that is compiled only where a macro is defined that the file does not define.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    /// Its first and last line.
    pub lines: (u32, u32),
    /// The macro.
    pub name: NameId,
}

/// A part of [`Names::lists`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Span {
    /// The first entry.
    pub start: u32,
    /// How many.
    pub len: u32,
}

/// A region in which names are bound.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    /// The scope around it; `None` for the file's own.
    pub parent: Option<ScopeId>,
    /// What it is.
    pub kind: ScopeKind,
    /// The binding whose definition opens it.
    pub owner: Option<BindingId>,
    /// Its bytes.
    pub bytes: Range<u32>,
}

/// What a scope is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScopeKind {
    /// The file.
    File,
    /// A module or namespace inside a file: its bindings are looked up through its name and from inside it.
    Module,
    /// The members of a type, of an extension of one, or of an object: looked up through a receiver.
    Type,
    /// A body that runs; its owner's parameters are bound in it.
    Function,
    /// Anything smaller.
    Block,
}

/// What is bound to a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BindingKind {
    /// A module or namespace written inside the file (`body` is its scope).
    Module,
    /// A class, struct, enum, union, interface, trait.
    Type,
    /// Another name for a type: `annotation` is the type that it means.
    TypeAlias,
    /// A function or method (`annotation`: what it declares to return; `values`: what its body returns).
    Function,
    /// A member that is read like a field and runs like a function: `annotation` and `values` as for a function.
    Property,
    /// A variable or constant.
    Variable,
    /// A parameter.
    Parameter,
    /// A data member.
    Field,
    /// A member of an enum: an instance of the type that holds it.
    EnumMember,
    /// A parameter of a generic type or function: `annotation` is its bound.
    TypeParameter,
    /// A macro.
    Macro,
    /// A name taken from another file: [`Binding::import`] says what.
    Import,
    /// A label or lifetime: nothing with a value.
    Label,
}

/// A name bound in a scope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// The name.
    pub name: NameId,
    /// The scope in which it is bound.
    pub scope: ScopeId,
    /// The first byte of the name where it is bound.
    pub at: u32,
    /// The first byte from which the binding holds; 0 where it holds in its whole scope.
    pub visible_from: u32,
    /// What it is bound to.
    pub kind: BindingKind,
    /// The scope that its definition opens: the members of a type, the inside of a function or module.
    pub body: Option<ScopeId>,
    /// The type that it declares: of a variable its own, of a function what it returns, of an alias what it means.
    pub annotation: Option<ExprId>,
    /// What is assigned to it, or what its body returns.
    pub values: Span,
    /// The types that a type extends or implements, nearest first; of functions of Go and Rust, those of their
    /// parameters without the receiver.
    pub bases: Span,
    /// For [`BindingKind::Import`]: the import, and the name taken from it (`None`: the source itself, as a module).
    pub import: Option<(ModuleImportId, Option<NameId>)>,
    /// Visible only inside its file, module or class (`static` in C, `#name` in JavaScript).
    pub private: bool,
    /// A type that is no value: an interface or alias of TypeScript. A value of the same name is another definition.
    pub type_only: bool,
    /// Called or read on the type itself, not on an instance (`static`, `@classmethod`, a Rust function without
    /// `self`).
    pub on_type: bool,
    /// Calling it gives something to wait for or to iterate over, so that its value is an element of the call's
    /// (`async`, a generator). Of a parameter: it takes all further arguments.
    pub wrapped: bool,
}

/// Something that has a value or means a definition. Small enough to be kept for every identifier of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Expr {
    /// A bare name, looked up from `scope` at byte `at`.
    Name {
        /// The name.
        name: NameId,
        /// Where the search begins.
        scope: ScopeId,
        /// Its first byte.
        at: u32,
    },
    /// `base.name`, `base::name`, `base->name`.
    Member {
        /// What stands before the dot.
        base: ExprId,
        /// What stands behind it.
        name: NameId,
        /// The first byte of the name.
        at: u32,
    },
    /// What calling (or `new`, or a struct literal) gives.
    Call {
        /// What is called.
        callee: ExprId,
    },
    /// A value of the type that `of` means.
    Instance {
        /// The type.
        of: ExprId,
    },
    /// The type of a value (`typeof x`, `type(x)`, `decltype`).
    TypeOf {
        /// The value.
        of: ExprId,
    },
    /// What a container or wrapper holds: an index, an iteration, `await`, `?`, a pointer that is followed.
    Element {
        /// The container.
        of: ExprId,
    },
    /// Part `index` (from 0) of several values: of a tuple, of what a function returns, of a pair.
    Item {
        /// The several values.
        of: ExprId,
        /// Which of them.
        index: u32,
    },
    /// What a function that is given to another one gets from it.
    Given {
        /// What is called with the function.
        callee: ExprId,
        /// Which of its arguments the function is, from 0, without the receiver.
        argument: u32,
        /// Which of the parameters of the function is meant.
        parameter: u32,
    },
    /// A type with arguments, or a container type written with syntax (`[]T`, `T[]`, `*T`: without a base).
    Generic {
        /// The generic type.
        base: Option<ExprId>,
        /// Its arguments; of a map, the key first.
        args: Span,
    },
    /// One of several: `A | B`, `a or b`, the branches of a conditional.
    Either(Span),
    /// Several values together.
    Tuple(Span),
    /// `self`, `this`: an instance of the type whose members' scope is the nearest around `scope`.
    This {
        /// Where it is written.
        scope: ScopeId,
    },
    /// `Self`, `cls`: that type itself.
    ThisType {
        /// Where it is written.
        scope: ScopeId,
    },
    /// `super`: an instance of that type's bases (its own members are passed over).
    Super {
        /// Where it is written.
        scope: ScopeId,
    },
    /// An object with the members of `scope` (of kind [`ScopeKind::Type`]).
    Object {
        /// The members.
        scope: ScopeId,
    },
    /// A function without a name of its own: `binding` describes it, without being bound in any scope.
    Function {
        /// An entry of [`Names::bindings`] that no look-up finds ([`Binding::scope`] is its own body).
        binding: BindingId,
    },
    /// The definition that a binding of this file makes, without a look-up.
    Bound {
        /// The binding.
        binding: BindingId,
    },
    /// What calling with these arguments gives: a call whose arguments may say what stands for the type parameters of
    /// what is called.
    Applied {
        /// What is called.
        callee: ExprId,
        /// The arguments.
        args: Span,
    },
    /// What is expected as argument `index` (from 0) of a call of `of`, as what it calls declares it.
    Argument {
        /// What is called or constructed; [`Expr::Applied`] where arguments before this one are known.
        of: ExprId,
        /// Which of its arguments.
        index: u32,
    },
    /// What an import leads to, as a value (`require("a")`, `import("a")`).
    Imported {
        /// The import.
        import: ModuleImportId,
    },
    /// Nothing is known of it.
    Unknown,
}

/// The role that an identifier plays where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Role {
    /// It names what is defined here.
    Definition,
    /// It is called or constructed.
    Call,
    /// It stands for a type: an annotation, a base class, a type argument.
    Type,
    /// Its value is read.
    Read,
    /// It is assigned to.
    Write,
    /// A member of a receiver, neither called nor assigned to.
    Member,
    /// It is taken from another file.
    Import,
    /// It is given to other files.
    Export,
    /// It decorates a definition.
    Decorator,
}

impl Role {
    /// Every role, in the order of the declaration.
    pub const ALL: &[Role] = &[
        Self::Definition,
        Self::Call,
        Self::Type,
        Self::Read,
        Self::Write,
        Self::Member,
        Self::Import,
        Self::Export,
        Self::Decorator,
    ];

    /// The word that answers print.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Definition => "definition",
            Self::Call => "call",
            Self::Type => "type",
            Self::Read => "read",
            Self::Write => "write",
            Self::Member => "member",
            Self::Import => "import",
            Self::Export => "export",
            Self::Decorator => "decorator",
        }
    }
}

/// One identifier token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occurrence {
    /// The name.
    pub name: NameId,
    /// Its first byte.
    pub at: u32,
    /// Its line, from 1.
    pub line: u32,
    /// Its role.
    pub role: Role,
    /// What it means.
    pub target: Target,
}

/// What an occurrence means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    /// It is the name of this binding, where it is bound. (The local name of an import means what the import does.)
    Binding(BindingId),
    /// It means what this expression ([`Expr::Name`] or [`Expr::Member`]) leads to.
    Expr(ExprId),
    /// A name of an import's source, in the import itself: `b` in `from a import b as c`; with `None` the source itself.
    Imported(ModuleImportId, Option<NameId>),
    /// The name of a parameter of what is called: `b` in `f(b=1)`.
    Parameter {
        /// What is called.
        callee: ExprId,
    },
    /// An identifier of which nothing is known.
    Unknown,
}

/// How a file takes something from another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ModuleImportKind {
    /// An import or `use`.
    Import,
    /// An import that is there for types only, or only while types are checked.
    TypeImport,
    /// What it takes it gives on under this file's own exports (`export … from`, `pub use`).
    ReExport,
    /// `require("a")`.
    Require,
    /// `import("a")` of a literal.
    Dynamic,
    /// `#include`.
    Include,
    /// A file taken in as a module: `mod a;`.
    Module,
    /// A path of modules written in code, without an import (`crate::a::f()`).
    Path,
    /// A module named in a string that some tool reads (`vi.mock("./a")`).
    Mention,
}

impl ModuleImportKind {
    /// The word that answers print.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Import => "import",
            Self::TypeImport => "type_import",
            Self::ReExport => "re_export",
            Self::Require => "require",
            Self::Dynamic => "dynamic",
            Self::Include => "include",
            Self::Module => "module",
            Self::Path => "path",
            Self::Mention => "mention",
        }
    }
}

/// A source that the file names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleImport {
    /// How it is taken in.
    pub kind: ModuleImportKind,
    /// The source as written, without quotes: `../types.js`, `..pkg.mod`, `crate::a::b`, `net/http`, `store/store.h`.
    /// For [`ModuleImportKind::Module`], the path that `#[path]` gives or the module's name.
    pub source: NameId,
    /// Whether the source's form says more than its text: `<…>` around an include, `#[path]` before a module.
    pub special: bool,
    /// The names taken from the source, as the source calls them; empty where it is taken as a whole.
    pub names: Vec<NameId>,
    /// Whether every name of the source is bound here under its own name.
    pub glob: bool,
    /// The scope in which it binds.
    pub scope: ScopeId,
    /// Its first line, from 1.
    pub line: u32,
}

/// A name that the file gives to others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Export {
    /// The name outside: `default` for the default export; `*` for [`Exported::AllOf`].
    pub name: NameId,
    /// The first byte of that name, or of the statement.
    pub at: u32,
    /// What is given.
    pub what: Exported,
}

/// What an export gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Exported {
    /// What an expression means: a name of the file, or a value without one.
    Expr(ExprId),
    /// A name of another file; `None` for that file itself as a module (`export * as ns from`).
    From(ModuleImportId, Option<NameId>),
    /// Every name of another file (`export * from`).
    AllOf(ModuleImportId),
    /// The module is this value (`module.exports = …`, `export =`).
    Module(ExprId),
}

/// Members of a type that stand outside of its definition: a Rust `impl`, a Go method, `A.prototype.f = …`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extension {
    /// The type (or object) that gets the members.
    pub target: ExprId,
    /// What the members implement: the trait of an `impl`.
    pub implements: Option<ExprId>,
    /// The members, in a scope of kind [`ScopeKind::Type`].
    pub scope: ScopeId,
}

impl Names {
    /// The text of a name.
    pub fn text(&self, name: NameId) -> &str {
        self.strings.get(name as usize).map_or("", |text| text)
    }

    /// The id of a name that the file holds.
    pub fn id_of(&self, name: &str) -> Option<NameId> {
        let at = self.strings.iter().position(|text| &**text == name)?;
        NameId::try_from(at).ok()
    }

    /// The expressions of a list.
    pub fn list(&self, span: Span) -> &[ExprId] {
        let start = span.start as usize;
        self.lists.get(start..start + span.len as usize).unwrap_or(&[])
    }

    /// The expression under an id.
    pub fn expr(&self, id: ExprId) -> Expr {
        self.exprs.get(id as usize).copied().unwrap_or(Expr::Unknown)
    }

    /// The line of the identifier that begins at a byte.
    pub fn line_of(&self, at: u32) -> Option<u32> {
        let known = self.occurrences.binary_search_by_key(&at, |found| found.at).ok();
        let found = match known.and_then(|index| self.occurrences.get(index)) {
            Some(found) => Some(found),
            // Some languages are not read in the order of the text.
            None => self.occurrences.iter().find(|found| found.at == at),
        };
        found.map(|found| found.line)
    }

    /// [`Names::scope_at`] for many bytes, which are in order.
    pub fn scopes_at(&self, bytes: &[u32]) -> Vec<ScopeId> {
        let mut order: Vec<(u32, std::cmp::Reverse<u32>, ScopeId)> = (0..)
            .zip(&self.scopes)
            .map(|(id, scope)| (scope.bytes.start, std::cmp::Reverse(scope.bytes.end), id))
            .collect();
        order.sort_unstable();
        let mut coming = order.into_iter().peekable();
        // Scopes that began, those that hold others first.
        let mut open: Vec<(u32, ScopeId)> = Vec::new();
        let mut found = Vec::with_capacity(bytes.len());
        for byte in bytes {
            while let Some((_, std::cmp::Reverse(end), id)) = coming.next_if(|(start, ..)| start <= byte) {
                open.push((end, id));
            }
            while open.pop_if(|(end, _)| *end <= *byte).is_some() {}
            // As above: the last that holds the byte. Some scopes hold the same bytes.
            let holding = open.iter().filter(|(end, _)| end > byte).map(|(_, id)| *id);
            found.push(holding.max().unwrap_or(FILE_SCOPE));
        }
        found
    }

    /// The innermost scope that holds a byte.
    pub fn scope_at(&self, byte: u32) -> ScopeId {
        let inside = |scope: &Scope| scope.bytes.contains(&byte);
        // A scope comes after those around it: the last that holds the byte is the innermost.
        self.scopes.iter().rposition(inside).and_then(|at| ScopeId::try_from(at).ok()).unwrap_or(FILE_SCOPE)
    }
}

#[cfg(test)]
mod tests {
    use crate::language;
    use crate::parse::{Limits, names};

    #[test]
    fn scopes_of_many_places_are_those_of_each() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/languages");
        let mut checked = 0;
        for language in ["python", "javascript", "rust", "go", "c"] {
            for file in std::fs::read_dir(folder.join(language).join("fixtures")).expect("fixtures") {
                let path = file.expect("an entry").path();
                let Some(known) = path.file_name().and_then(|name| language::of_name(name.to_str()?)) else { continue };
                let source = std::fs::read_to_string(&path).expect("UTF-8");
                let Ok(names) = names(known, &source, &Limits::default()) else { continue };
                let mut places: Vec<u32> = names.occurrences.iter().map(|found| found.at).collect();
                places.sort_unstable();
                let each: Vec<u32> = places.iter().map(|at| names.scope_at(*at)).collect();
                assert_eq!(names.scopes_at(&places), each, "{}", path.display());
                checked += places.len();
            }
        }
        assert!(checked > 500, "{checked}");
    }
}
