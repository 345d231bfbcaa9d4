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
#[allow(dead_code, reason = "a binder's tests are compiled only with its grammar")]
pub(crate) mod show;
#[cfg(test)]
mod tests;

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
    /// Every name and module specifier of the file, each once.
    pub strings: Vec<Box<str>>,
    /// Scopes, the file's scope first. A scope comes after its parent.
    pub scopes: Vec<Scope>,
    /// Bindings: names with what they are bound to.
    pub bindings: Vec<Binding>,
    /// Expressions. An expression comes after its operands.
    pub exprs: Vec<Expr>,
    /// Lists of expressions, one after another. A [`Span`] selects one list.
    pub lists: Vec<ExprId>,
    /// Every identifier that can be a reference, in the order of the text.
    pub occurrences: Vec<Occurrence>,
    /// Imports: the names that the file takes from other files.
    pub imports: Vec<ModuleImport>,
    /// What the file gives to others, where the language says so name by name (JavaScript); `None` where all bindings
    /// of the file's scope can be seen from outside.
    pub exports: Option<Vec<Export>>,
    /// Members that are added to a type outside of the type's definition.
    pub extensions: Vec<Extension>,
    /// The names that `import *` takes from this file, where the file lists them (Python's `__all__`).
    pub star: Option<Vec<NameId>>,
    /// The name in the file's `package` clause (Go).
    pub package: Option<NameId>,
    /// Parts of the text, in lines, whose names are not here: broken, or nested too deep. Both ends included.
    pub missed: Vec<(u32, u32)>,
    /// Parts of the text that only some builds compile, in the order of their first lines (C).
    pub conditions: Vec<Condition>,
    /// Whether the names come from identifiers alone, without scopes: every occurrence has [`Target::Unknown`].
    pub basic: bool,
}

/// A region that is compiled only where a macro is defined, and the file does not define that macro.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    /// The first and the last line of the region.
    pub lines: (u32, u32),
    /// The macro's name.
    pub name: NameId,
}

/// A list: a range of [`Names::lists`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Span {
    /// The index of the first entry.
    pub start: u32,
    /// The number of entries.
    pub len: u32,
}

/// A region in which names are bound.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    /// The enclosing scope; `None` for the file's scope.
    pub parent: Option<ScopeId>,
    /// The kind.
    pub kind: ScopeKind,
    /// The binding whose definition opens the scope.
    pub owner: Option<BindingId>,
    /// The byte range of the scope.
    pub bytes: Range<u32>,
}

/// The kind of a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScopeKind {
    /// The whole file.
    File,
    /// A module or namespace inside a file: its bindings are looked up through its name and from inside it.
    Module,
    /// The members of a type, of an extension of one, or of an object: looked up through a receiver.
    Type,
    /// A body that runs; its owner's parameters are bound in it.
    Function,
    /// A block, or another scope smaller than a function.
    Block,
}

/// The kind of a binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BindingKind {
    /// A module or namespace written inside the file (`body` is its scope).
    Module,
    /// A class, struct, enum, union, interface, trait.
    Type,
    /// An alias of a type: `annotation` is the aliased type.
    TypeAlias,
    /// A function or method (`annotation`: the declared return type; `values`: the returned expressions).
    Function,
    /// A property with a getter: read like a field, evaluated like a function. `annotation` and `values` as for a
    /// function.
    Property,
    /// A variable or constant.
    Variable,
    /// A parameter.
    Parameter,
    /// A data member.
    Field,
    /// A member of an enum: an instance of the enum.
    EnumMember,
    /// A parameter of a generic type or function: `annotation` is its bound.
    TypeParameter,
    /// A macro.
    Macro,
    /// A name from another file: [`Binding::import`] holds the import.
    Import,
    /// A label or lifetime, which has no value.
    Label,
}

/// A name bound in a scope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// The name.
    pub name: NameId,
    /// The scope that contains the binding.
    pub scope: ScopeId,
    /// Offset of the name in the definition.
    pub at: u32,
    /// Offset from which the binding is visible; 0 where it is visible in the whole scope.
    pub visible_from: u32,
    /// The kind of the binding.
    pub kind: BindingKind,
    /// The scope that the definition opens: the members of a type, the body of a function or module.
    pub body: Option<ScopeId>,
    /// The declared type: of a variable the variable's type, of a function the return type, of an alias the aliased
    /// type.
    pub annotation: Option<ExprId>,
    /// The expressions that are assigned to a variable, or that a function's body returns.
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

/// An expression that has a value or refers to a definition. Small, since every identifier of a file has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Expr {
    /// A bare name, looked up from `scope` at byte `at`.
    Name {
        /// The name.
        name: NameId,
        /// The scope where the look-up begins.
        scope: ScopeId,
        /// Offset of the identifier.
        at: u32,
    },
    /// `base.name`, `base::name`, `base->name`.
    Member {
        /// The expression before the dot.
        base: ExprId,
        /// The name behind the dot.
        name: NameId,
        /// The first byte of the name.
        at: u32,
    },
    /// The result of a call, of `new`, or of a struct literal.
    Call {
        /// The called expression.
        callee: ExprId,
    },
    /// An instance of a type.
    Instance {
        /// The type.
        of: ExprId,
    },
    /// The type of a value (`typeof x`, `type(x)`, `decltype`).
    TypeOf {
        /// The value.
        of: ExprId,
    },
    /// The element of a container or wrapper: by index, iteration, `await`, `?` or a dereference.
    Element {
        /// The container.
        of: ExprId,
    },
    /// Part `index` (from 0) of a tuple, of several return values, or of a pair.
    Item {
        /// The tuple.
        of: ExprId,
        /// The index of the part, from 0.
        index: u32,
    },
    /// The argument that a callback receives from the function that it is passed to.
    Given {
        /// The function that receives the callback.
        callee: ExprId,
        /// The callback's position among the arguments, from 0, without the receiver.
        argument: u32,
        /// The index of the callback's parameter, from 0.
        parameter: u32,
    },
    /// A type with arguments, or a container type written with syntax (`[]T`, `T[]`, `*T`: without a base).
    Generic {
        /// The generic type.
        base: Option<ExprId>,
        /// The type arguments; of a map, the key first.
        args: Span,
    },
    /// One of several: `A | B`, `a or b`, the branches of a conditional.
    Either(Span),
    /// A tuple.
    Tuple(Span),
    /// `self`, `this`: an instance of the type whose members' scope is the nearest around `scope`.
    This {
        /// The scope of the expression.
        scope: ScopeId,
    },
    /// `Self`, `cls`: the type whose members' scope is the nearest around `scope`.
    ThisType {
        /// The scope of the expression.
        scope: ScopeId,
    },
    /// `super`: an instance of the bases of the type around `scope`, without the type's own members.
    Super {
        /// The scope of the expression.
        scope: ScopeId,
    },
    /// An object with the members of `scope` (of kind [`ScopeKind::Type`]).
    Object {
        /// The scope of the members.
        scope: ScopeId,
    },
    /// An anonymous function. `binding` describes the function and is in no scope.
    Function {
        /// An entry of [`Names::bindings`] that no look-up finds ([`Binding::scope`] is its own body).
        binding: BindingId,
    },
    /// The definition of a binding of this file, known without a look-up.
    Bound {
        /// The binding.
        binding: BindingId,
    },
    /// What calling with these arguments gives: a call whose arguments may say what stands for the type parameters of
    /// what is called.
    Applied {
        /// The called expression.
        callee: ExprId,
        /// The arguments of the call.
        args: Span,
    },
    /// What is expected as argument `index` (from 0) of a call of `of`, as what it calls declares it.
    Argument {
        /// The called or constructed expression; [`Expr::Applied`] where arguments before this one are known.
        of: ExprId,
        /// The position of the argument, from 0.
        index: u32,
    },
    /// The module of an import as a value (`require("a")`, `import("a")`).
    Imported {
        /// The import.
        import: ModuleImportId,
    },
    /// An expression of which nothing is known.
    Unknown,
}

/// The role of an identifier at one place of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Role {
    /// The name of a definition.
    Definition,
    /// A call or construction.
    Call,
    /// A type: an annotation, a base class, a type argument.
    Type,
    /// A value that is read.
    Read,
    /// The target of an assignment.
    Write,
    /// A member of a receiver, neither called nor assigned to.
    Member,
    /// A name in an import.
    Import,
    /// A name in an export.
    Export,
    /// A decorator or attribute.
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

    /// The word in answers.
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
    /// Offset of the identifier.
    pub at: u32,
    /// The line, from 1.
    pub line: u32,
    /// The role.
    pub role: Role,
    /// What the identifier refers to.
    pub target: Target,
}

/// What an identifier refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    /// The binding whose definition contains the identifier. (The local name of an import refers to the import's
    /// target.)
    Binding(BindingId),
    /// The definition that this expression ([`Expr::Name`] or [`Expr::Member`]) resolves to.
    Expr(ExprId),
    /// A name of an import's source, in the import itself: `b` in `from a import b as c`; with `None` the source itself.
    Imported(ModuleImportId, Option<NameId>),
    /// The name of a parameter of what is called: `b` in `f(b=1)`.
    Parameter {
        /// The called expression.
        callee: ExprId,
    },
    /// Nothing is known about the identifier.
    Unknown,
}

/// The syntax of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ModuleImportKind {
    /// An import or `use`.
    Import,
    /// An import that is there for types only, or only while types are checked.
    TypeImport,
    /// A re-export: the file exports the imported names (`export … from`, `pub use`).
    ReExport,
    /// `require("a")`.
    Require,
    /// `import("a")` of a literal.
    Dynamic,
    /// `#include`.
    Include,
    /// A declaration of a module in another file: `mod a;`.
    Module,
    /// A path of modules written in code, without an import (`crate::a::f()`).
    Path,
    /// A module named in a string that some tool reads (`vi.mock("./a")`).
    Mention,
}

impl ModuleImportKind {
    /// The word in answers.
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

/// An import: another file or module that this file names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleImport {
    /// The syntax of the import.
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
    /// The first line of the import, from 1.
    pub line: u32,
}

/// An export: a name that other files can import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Export {
    /// The name outside: `default` for the default export; `*` for [`Exported::AllOf`].
    pub name: NameId,
    /// Offset of the exported name, or of the statement.
    pub at: u32,
    /// The exported value.
    pub what: Exported,
}

/// The value behind an export.
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

/// Members that are defined outside of their type: a Rust `impl`, a Go method, `A.prototype.f = …`.
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

    /// The id of a name; `None` where the file does not contain the name.
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

    /// The line of the identifier at an offset; `None` where no identifier begins there.
    pub fn line_of(&self, at: u32) -> Option<u32> {
        let known = self.occurrences.binary_search_by_key(&at, |found| found.at).ok();
        let found = match known.and_then(|index| self.occurrences.get(index)) {
            Some(found) => Some(found),
            // Some languages are not read in the order of the text.
            None => self.occurrences.iter().find(|found| found.at == at),
        };
        found.map(|found| found.line)
    }

    /// [`Names::scope_at`] for many offsets in rising order.
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

    /// The innermost scope that contains an offset.
    pub fn scope_at(&self, byte: u32) -> ScopeId {
        let inside = |scope: &Scope| scope.bytes.contains(&byte);
        // A scope comes after those around it: the last that holds the byte is the innermost.
        self.scopes.iter().rposition(inside).and_then(|at| ScopeId::try_from(at).ok()).unwrap_or(FILE_SCOPE)
    }
}
