//! The names of a file, as far as its own text determines them: scopes, bindings, expressions, occurrences and imports
//! of other files.
//!
//! One model serves every language. A language's *binder* reads the syntax tree once and fills a [`Names`]; the crate
//! that knows the other files of the project evaluates the model. This module does not look at any other file.
//!
//! # How a name is looked up
//!
//! An [`Expr::Name`] is searched in its scope, then in the enclosing scopes. A scope of kind [`ScopeKind::Type`]
//! (members) is searched only if the search begins there: a method does not see its class's members by their bare names
//! (where a language allows that, its binder begins the search elsewhere). In each scope, all bindings of the name
//! count; where some of them are sequential ([`Binding::visible_from`] over 0), only the last one before the place of
//! use counts. After a scope's bindings, its glob imports ([`ModuleImport::glob`]) are searched.

mod builder;
#[cfg(test)]
#[allow(dead_code, reason = "a binder's tests are compiled only with its grammar")]
pub(crate) mod debug_text;
mod generic;
mod grammar;
#[cfg(test)]
mod tests;

use std::ops::Range;

use serde::{Deserialize, Serialize};

pub(crate) use builder::{NamesBuilder, first_line_number_of_node};
pub(crate) use generic::{record_identifiers_outside_comments_and_strings, record_queried_occurrences};
pub(crate) use grammar::{CursorPool, grammar};

/// The id of a scope: an index into [`Names::scopes`].
pub type ScopeId = u32;
/// The id of a binding: an index into [`Names::bindings`].
pub type BindingId = u32;
/// The id of an expression: an index into [`Names::exprs`].
pub type ExprId = u32;
/// The id of an import: an index into [`Names::imports`].
pub type ModuleImportId = u32;
/// The id of a name: an index into [`Names::strings`].
pub type NameId = u32;

/// The name under which a class has what its `__getitem__` returns for slices, where the method tells them from other keys
/// (Python). No source can write this name.
pub const SLICE_METHOD: &str = "[:]";

/// The name under which a class has what its `__getitem__` returns for other keys than slices, where it has
/// [`SLICE_METHOD`].
pub const ITEM_METHOD: &str = "[_]";

/// The name under which a scope binds what all names of a module or type come from: `using namespace a;` in C++. The
/// binding is of kind [`BindingKind::Import`], and its annotation is the path of the module. No source can write this name.
pub const USING_DIRECTIVE: &str = "using namespace";

/// The name under which a file binds what it defines as a whole, such as a component, which other files import under names of
/// their own. Its symbol has the name of the file ([`crate::component_symbol_of_file`]). No source can write this name.
pub const WHOLE_FILE: &str = "whole file";

/// In place of the index of a callback's parameter ([`Expr::Given`]): what `this` is inside the callback.
pub const RECEIVER_PARAMETER: u32 = u32::MAX;

/// The id of the scope of the whole file.
pub const FILE_SCOPE: ScopeId = 0;

/// The names of one file: scopes, bindings, expressions and occurrences.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Names {
    /// The texts of all names and module specifiers of the file, each stored once. A [`NameId`] is an index into this
    /// list.
    pub strings: Vec<Box<str>>,
    /// The scopes of the file, the file's own scope first. A scope comes after the scope that encloses it.
    pub scopes: Vec<Scope>,
    /// Bindings of the file: names with the definitions to which they are bound.
    pub bindings: Vec<Binding>,
    /// Expressions of the file. An expression comes after its operands.
    pub exprs: Vec<Expr>,
    /// The entries of all lists of expressions, one list after another. A [`Span`] selects one list.
    pub lists: Vec<ExprId>,
    /// Every identifier of the file that can be a reference, in the order of the text.
    pub occurrences: Vec<Occurrence>,
    /// Imports of the file: references to other files or modules, with the imported names.
    pub imports: Vec<ModuleImport>,
    /// Exports of the file, where the language lists exported names explicitly (JavaScript); `None` where all bindings
    /// of the file's scope are visible to other files.
    pub exports: Option<Vec<Export>>,
    /// Members that are added to a type outside of the type's own definition.
    pub extensions: Vec<Extension>,
    /// The names that `import *` takes from this file, where the file lists them (`__all__` in Python).
    pub star: Option<Vec<NameId>>,
    /// The name in the file's `package` clause (Go).
    pub package: Option<NameId>,
    /// Line ranges of the text whose names are missing because the source is broken or nests too deep. Both ends are
    /// included, and lines count from 1.
    pub missed: Vec<(u32, u32)>,
    /// Regions of the text that are compiled only in some builds, in the order of their first lines (C).
    pub conditions: Vec<Condition>,
    /// Whether the names come from identifiers alone, without scopes; then every occurrence has [`Target::Unknown`].
    /// Imports may be known none the less.
    pub basic: bool,
    /// The arguments of calls, by the expression that is called, in the order of those. Recorded in a language in which
    /// the arguments choose among the functions of one name (Java, C++).
    pub call_arguments: Vec<(ExprId, Span)>,
    /// What calls can give to functions, by the functions' bindings, in the order of those. Recorded in a language in which
    /// the functions of one name and scope are one definition, and calls tell them apart (C++).
    pub parameter_lists: Vec<(BindingId, ParameterList)>,
    /// The names that arguments of calls have: the expression that is called, the position of the argument and its name,
    /// in this order; `{}` for a lambda behind the parentheses (Kotlin).
    pub argument_names: Vec<(ExprId, u32, NameId)>,
    /// The name of the class by which other languages know what the file has outside of its types, if the file gives it
    /// (Kotlin).
    pub facade: Option<NameId>,
    /// The functions that signs can call, in order: `plus` by `a + b`. Recorded in a language in which such functions have
    /// names, and the sign is an occurrence of the name (Kotlin).
    pub operators: Vec<BindingId>,
    /// Bare names ([`Expr::Name`]) that can mean definitions of one kind only, in the order of the expressions. Recorded
    /// in a language in which types, functions and variables have names apart (Java).
    pub restricted_names: Vec<(ExprId, RestrictedNameKind)>,
    /// The number of type arguments of names that have some, in the order of the expressions. Recorded in a language in which
    /// types of one name differ by it (C#).
    pub type_argument_counts: Vec<(ExprId, u32)>,
    /// Whether the file defines a function at which a program begins, in a language that tells it by its name (`main` in
    /// C and C++).
    pub begins_program: bool,
}

/// A region of a C file that is compiled only where a macro is defined, and the file itself does not define that macro.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    /// The first and the last line of the conditional region, from 1, both included.
    pub lines: (u32, u32),
    /// The name of the macro on which the region depends.
    pub name: NameId,
}

/// The parameters of a function, as far as they tell it from others of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ParameterList {
    /// The number of parameters that every call gives a value to.
    pub required: u32,
    /// The number of all parameters; `u32::MAX` if the function takes any number.
    pub most: u32,
    /// A hash of the types of the parameters as they are written, without paths.
    pub types: u64,
}

/// The position of one list of expressions: a range of [`Names::lists`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Span {
    /// The index of the first expression of the list in [`Names::lists`].
    pub start: u32,
    /// The number of expressions in the list.
    pub len: u32,
}

/// A region of the text in which names are bound.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    /// The id of the enclosing scope; `None` for the file's own scope.
    pub parent: Option<ScopeId>,
    /// The kind of the scope: file, module, type, function or block.
    pub kind: ScopeKind,
    /// The id of the binding whose definition opens the scope: for the body of a function, the function's binding.
    pub owner: Option<BindingId>,
    /// The byte range of the scope in the text.
    pub bytes: Range<u32>,
}

/// The kind of a scope: file, module, type, function or block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScopeKind {
    /// The scope of the whole file.
    File,
    /// The scope of a module or namespace inside a file: its bindings are found through the module's name and from
    /// inside the module.
    Module,
    /// The scope of the members of a type, of an extension of a type, or of an object: members are found through a
    /// receiver.
    Type,
    /// The scope of a body that runs; the function's parameters are bound in this scope.
    Function,
    /// The scope of a block, or another scope smaller than a function.
    Block,
    /// The scope of the tokens in a macro call, whose names can mean what the macro makes of them.
    MacroCall,
}

/// The kind of a binding: module, type, function, variable and so on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BindingKind {
    /// A module or namespace defined inside the file (`body` is its scope).
    Module,
    /// A type definition: a class, struct, enum, union, interface or trait.
    Type,
    /// An alias of a type: `annotation` is the aliased type.
    TypeAlias,
    /// A function or method (`annotation`: the declared return type; `values`: the returned expressions).
    Function,
    /// A property with a getter: read like a field, but evaluated like a function, whose `annotation` and `values` have
    /// the same meaning.
    Property,
    /// A variable or constant.
    Variable,
    /// A parameter of a function.
    Parameter,
    /// A data member of a type.
    Field,
    /// A member of an enum, which is an instance of the enum.
    EnumMember,
    /// A type parameter of a generic type or function: `annotation` is its bound.
    TypeParameter,
    /// A macro definition.
    Macro,
    /// A name imported from another file: [`Binding::import`] is the import.
    Import,
    /// A label or lifetime; such names have no value.
    Label,
}

/// A name that is bound in a scope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// The id of the bound name.
    pub name: NameId,
    /// The id of the scope in which the name is bound.
    pub scope: ScopeId,
    /// Byte offset of the name in the definition.
    pub at: u32,
    /// Byte offset from which the binding is visible; 0 where it is visible in the whole scope.
    pub visible_from: u32,
    /// What the name is bound to: a type, a function, a variable and so on.
    pub kind: BindingKind,
    /// The scope that the definition opens: the scope of a type's members, or of the body of a function or module.
    pub body: Option<ScopeId>,
    /// The declared type: the type of a variable, the return type of a function, the aliased type of an alias, or the
    /// metaclass of a class in Python, or what extends a class itself in Ruby. For a module without a body: the module that the name stands for. For an import
    /// without [`Binding::import`]: the path of the name that is bound (`using a::b` in C++).
    pub annotation: Option<ExprId>,
    /// The expressions that are assigned to a variable, or that a function's body returns.
    pub values: Span,
    /// The types that a type extends or implements, nearest first. For functions in Go and Rust: the types of their
    /// parameters without the receiver.
    pub bases: Span,
    /// For [`BindingKind::Import`]: the import, and the name taken from it (`None` where the binding is the imported
    /// module itself).
    pub import: Option<(ModuleImportId, Option<NameId>)>,
    /// Whether the binding is visible only inside its file, module or class (`static` in C, `#name` in JavaScript).
    pub private: bool,
    /// Whether the binding is a type without a value: an interface or alias in TypeScript. A value of the same name is
    /// another definition.
    pub type_only: bool,
    /// Whether the member is called or read on the type itself, not on an instance (`static`, `@classmethod`, a Rust
    /// function without `self`).
    pub on_type: bool,
    /// For a module: whether its names are also those of the module around it (an inline namespace in C++). For a function:
    /// whether its call returns a future or an iterator, so that its value is an element of the call's result (`async`, a
    /// generator). For a parameter: whether it takes all further arguments. For a macro: whether it has rules that are not
    /// among its values. For a variable: whether it is only declared, and defined elsewhere (`extern` in C++). For a type:
    /// whether its members are copied to the types that use it (a trait of PHP), or whether it is a module, which is mixed
    /// into types and has no objects of its own (Ruby), or whether its members are also those of the type around it (a companion
    /// in Kotlin), or whether it can have parts in other files (`partial` in C#).
    pub wrapped: bool,
    /// Whether nothing can be assigned to the variable after its declaration, because that says so (`const` in JavaScript).
    /// For a type: whether it is the only value of itself (`object` in Kotlin).
    pub constant: bool,
}

/// The only kind of definition that a bare name can mean where it stands, see [`Names::restricted_names`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum RestrictedNameKind {
    /// The name means a type or, at the beginning of a path, a package.
    Type,
    /// The name means a function.
    Function,
}

/// What is known of the index of an [`Expr::Subscript`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SubscriptKey {
    /// It is a range, so that the result is a part of what is indexed.
    Slice,
    /// It is no range, such as a literal.
    Item,
    /// It is the value of this expression, which may be either.
    Unknown(ExprId),
}

/// An expression that has a value or refers to a definition. The type is small, because every identifier of a file has
/// an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Expr {
    /// A bare name, looked up from `scope` at byte `at`.
    Name {
        /// The id of the name that is looked up.
        name: NameId,
        /// The id of the scope where the look-up begins.
        scope: ScopeId,
        /// Byte offset of the identifier that names it.
        at: u32,
    },
    /// A member access: `base.name`, `base::name`, `base->name`.
    Member {
        /// The id of the expression before the dot of the member access.
        base: ExprId,
        /// The id of the name after the dot of the member access.
        name: NameId,
        /// Byte offset of the name after the dot.
        at: u32,
    },
    /// The result of a call, of `new`, or of a struct literal.
    Call {
        /// The id of the expression that is called.
        callee: ExprId,
    },
    /// An instance of a type, where `of` is the type.
    Instance {
        /// The id of the expression for the type.
        of: ExprId,
    },
    /// A value that a pattern matches as an instance of a type or of a variant: `value`, as an instance of `of`, with the type
    /// arguments that the value has.
    Matched {
        /// The id of the expression for the matched value.
        value: ExprId,
        /// The id of the expression for the type or variant that the pattern names.
        of: ExprId,
    },
    /// The type of a value, as in `typeof x`, `type(x)` or `decltype(x)`.
    TypeOf {
        /// The id of the expression for the value whose type is meant.
        of: ExprId,
    },
    /// The element of a container or wrapper, reached by index, iteration, `await`, `?` or a dereference.
    Element {
        /// The id of the expression for the container or wrapper.
        of: ExprId,
    },
    /// What indexing gives, where indexing and iterating can give different values: `of[i]`, or the part `of[i:j]`.
    Subscript {
        /// The id of the expression that is indexed.
        of: ExprId,
        /// What is known of the index.
        key: SubscriptKey,
    },
    /// The value of `value`; where the project does not define what that is, also that of `other`, which is then inferred.
    Fallback {
        /// The id of the expression that counts.
        value: ExprId,
        /// The id of the expression that counts where `value` is from outside.
        other: ExprId,
    },
    /// The element at `index` of a tuple, of several return values, or of a pair.
    Item {
        /// The id of the expression for the tuple.
        of: ExprId,
        /// The index of the tuple's element, from 0.
        index: u32,
    },
    /// The value of a callback's parameter, which the function that receives the callback passes to it.
    Given {
        /// The id of the expression for the function that receives the callback.
        callee: ExprId,
        /// The callback's position among the arguments, from 0, without the receiver.
        argument: u32,
        /// The index of the callback's parameter, from 0.
        parameter: u32,
    },
    /// A generic type with type arguments, or a container type written with syntax (`[]T`, `T[]`, `*T`), which has no
    /// base.
    Generic {
        /// The expression of the generic type; `None` for a container type written with syntax.
        base: Option<ExprId>,
        /// The type arguments; for a map, the key type first.
        args: Span,
    },
    /// One of several possible values or types: `A | B`, `a or b`, the branches of a conditional.
    Either(Span),
    /// A tuple with the listed expressions as its elements.
    Tuple(Span),
    /// `self` or `this`: an instance of the type whose scope of members is the nearest around `scope`.
    This {
        /// The scope that contains the expression `self` or `this`.
        scope: ScopeId,
    },
    /// `Self` or `cls`: the type whose scope of members is the nearest around `scope`.
    ThisType {
        /// The scope that contains the expression `Self` or `cls`.
        scope: ScopeId,
    },
    /// `super`: an instance of the bases of the type around `scope`, without the type's own members.
    Super {
        /// The scope that contains the expression `super`.
        scope: ScopeId,
    },
    /// An object literal with the members of `scope` (of kind [`ScopeKind::Type`]).
    Object {
        /// The scope of the object's members.
        scope: ScopeId,
    },
    /// An anonymous function. `binding` describes the function and is not found in any scope.
    Function {
        /// The index in [`Names::bindings`] of the function's binding, which no look-up finds ([`Binding::scope`] is
        /// the function's own body).
        binding: BindingId,
    },
    /// The definition of a binding of this file, which needs no look-up.
    Bound {
        /// The id of the binding that the expression refers to.
        binding: BindingId,
    },
    /// The result of a call with the given arguments. The arguments can determine the type parameters of the called
    /// function.
    Applied {
        /// The expression that is called with the arguments.
        callee: ExprId,
        /// The list of the call's argument expressions.
        args: Span,
    },
    /// The declared type of argument `index` in a call of `of`: the type that the called definition expects there.
    Argument {
        /// The called or constructed expression; [`Expr::Applied`] where arguments before this one are known.
        of: ExprId,
        /// The position of the argument in the call, from 0.
        index: u32,
    },
    /// The value of a macro call: what the rule of the macro yields that takes as many arguments.
    MacroCall {
        /// The expression that names the macro.
        callee: ExprId,
        /// The list of the call's argument expressions.
        args: Span,
    },
    /// An argument of a macro call, where a rule of the macro names it (`$a`).
    MacroArgument {
        /// The binding of the function that the rule is, see [`Expr::Function`].
        rule: BindingId,
        /// The position of the argument in the call, from 0.
        index: u32,
    },
    /// The module of an import, used as a value (`require("a")`, `import("a")`).
    Imported {
        /// The id of the import whose module is meant.
        import: ModuleImportId,
    },
    /// An expression whose value is unknown.
    Unknown,
}

/// The role of an identifier at one position of the text: definition, call, read and so on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Role {
    /// The identifier is the name of a definition.
    Definition,
    /// The identifier is called or constructed.
    Call,
    /// The identifier names a type: in an annotation, as a base class or as a type argument.
    Type,
    /// The identifier is a value that is read.
    Read,
    /// The identifier is the target of an assignment.
    Write,
    /// The identifier is a member of a receiver and is neither called nor assigned to.
    Member,
    /// The identifier is a name in an import.
    Import,
    /// The identifier is a name in an export.
    Export,
    /// The identifier names a decorator or attribute.
    Decorator,
}

impl Role {
    /// All roles of identifiers, in the order in which the enum declares them.
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

    /// The name of the role, as answers show it.
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

/// An occurrence of an identifier at one position of the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occurrence {
    /// The id of the name that the identifier spells.
    pub name: NameId,
    /// Byte offset at which the identifier begins.
    pub at: u32,
    /// The line on which the identifier stands, from 1.
    pub line: u32,
    /// The role of the identifier at this position: definition, call, read and so on.
    pub role: Role,
    /// What the identifier refers to.
    pub target: Target,
}

/// What an identifier at one position of the text refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    /// The identifier belongs to the definition of this binding. (The local name of an import refers to the import's
    /// target instead.)
    Binding(BindingId),
    /// The identifier refers to the definition to which this expression ([`Expr::Name`] or [`Expr::Member`]) resolves.
    Expr(ExprId),
    /// The identifier is in an import and refers to a name of the imported module, such as `b` in `from a import b as
    /// c`; with `None`, to the module itself.
    Imported(ModuleImportId, Option<NameId>),
    /// The identifier names a parameter of the called function: `b` in `f(b=1)`.
    Parameter {
        /// The id of the expression for the called function.
        callee: ExprId,
    },
    /// The target of the identifier is unknown.
    Unknown,
}

/// The kind of syntax that an import is written with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ModuleImportKind {
    /// An `import` or `use` statement.
    Import,
    /// An import that exists for types only, or only during type checking.
    TypeImport,
    /// A re-export: the file exports the imported names (`export … from`, `pub use`).
    ReExport,
    /// A call of `require`: `require("a")`.
    Require,
    /// A dynamic import of a literal: `import("a")`.
    Dynamic,
    /// A C-style `#include` of a file.
    Include,
    /// A declaration of a module in another file: `mod a;`.
    Module,
    /// A module path in code, without an import statement (`crate::a::f()`).
    Path,
    /// A module named in a string that some tool interprets (`vi.mock("./a")`).
    Mention,
    /// A name that is used without an import statement, since it may be defined in another file of the same package.
    WithoutStatement,
}

impl ModuleImportKind {
    /// The name of the import syntax, as answers show it.
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
            Self::WithoutStatement => "without_statement",
        }
    }
}

/// An import: a reference from this file to another file or module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleImport {
    /// The kind of syntax that the import is written with.
    pub kind: ModuleImportKind,
    /// The imported module as written, without quotes: `../types.js`, `..pkg.mod`, `crate::a::b`, `net/http`,
    /// `store/store.h`. For [`ModuleImportKind::Module`], the path in `#[path]`, or else the module's name.
    pub source: NameId,
    /// Whether the import has syntax that changes the meaning of its source: `<…>` around an include, `#[path]` before
    /// a module.
    pub special: bool,
    /// The imported names, as the source calls them; empty where the source is imported as a whole.
    pub names: Vec<NameId>,
    /// Whether the import binds every name of the source unchanged (`import *`).
    pub glob: bool,
    /// The id of the scope in which the import binds its names.
    pub scope: ScopeId,
    /// The line on which the import begins, from 1.
    pub line: u32,
}

/// An exported name, which other files can import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Export {
    /// The exported name: `default` for the default export; `*` for [`Exported::AllOf`].
    pub name: NameId,
    /// Byte offset of the exported name, or of the export statement.
    pub at: u32,
    /// The value or definition that is exported under the name.
    pub what: Exported,
}

/// The value or definition behind an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Exported {
    /// The result of an expression: a name of the file, or a value without a name.
    Expr(ExprId),
    /// A name of another file, which is re-exported; `None` for that file itself as a module (`export * as ns from`).
    From(ModuleImportId, Option<NameId>),
    /// Every name of another file, re-exported (`export * from`).
    AllOf(ModuleImportId),
    /// One value as the whole module (`module.exports = …`, `export =`).
    Module(ExprId),
}

/// Members that are defined outside of their type's definition: a Rust `impl`, a Go method, `A.prototype.f = …`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extension {
    /// The id of the expression for the type (or object) that receives the members.
    pub target: ExprId,
    /// The id of the expression for the trait of an `impl`, or for another type that the members implement.
    pub implements: Option<ExprId>,
    /// The id of the scope that contains the members, which is of kind [`ScopeKind::Type`].
    pub scope: ScopeId,
}

impl Names {
    /// The text of the name with the id `name`.
    pub fn name_text(&self, name: NameId) -> &str {
        self.strings.get(name as usize).map_or("", |text| text)
    }

    /// The id of a name by its text, or `None` where the file does not contain the name.
    pub fn id_of_name(&self, name: &str) -> Option<NameId> {
        let at = self.strings.iter().position(|text| &**text == name)?;
        NameId::try_from(at).ok()
    }

    /// The expressions of a list, given by its range in [`Names::lists`].
    pub fn expr_ids_in_list_range(&self, span: Span) -> &[ExprId] {
        let start = span.start as usize;
        self.lists.get(start..start + span.len as usize).unwrap_or(&[])
    }

    /// The arguments of the call of `callee`, if they are recorded.
    pub fn arguments_of_call(&self, callee: ExprId) -> Option<&[ExprId]> {
        let at = self.call_arguments.binary_search_by_key(&callee, |(callee, _)| *callee).ok()?;
        self.call_arguments.get(at).map(|(_, args)| self.expr_ids_in_list_range(*args))
    }

    /// What calls can give to the function with the binding `id`, if it is recorded.
    pub fn parameter_list_of_function(&self, id: BindingId) -> Option<ParameterList> {
        let at = self.parameter_lists.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        self.parameter_lists.get(at).map(|(_, list)| *list)
    }

    /// The names of the arguments of the call of `callee`, each with the position of the argument.
    pub fn names_of_arguments(&self, callee: ExprId) -> impl Iterator<Item = (u32, NameId)> + '_ {
        let start = self.argument_names.partition_point(|(of, ..)| *of < callee);
        let rest = self.argument_names.get(start..).unwrap_or(&[]).iter();
        rest.take_while(move |(of, ..)| *of == callee).map(|(_, index, name)| (*index, *name))
    }

    /// The only kind of definition that the bare name `expr` can mean; `None` if it can mean any.
    pub fn restricted_kind_of_name(&self, expr: ExprId) -> Option<RestrictedNameKind> {
        let at = self.restricted_names.binary_search_by_key(&expr, |(expr, _)| *expr).ok()?;
        self.restricted_names.get(at).map(|(_, kind)| *kind)
    }

    /// The number of type arguments that the name `expr` is written with.
    pub fn type_argument_count_of_name(&self, expr: ExprId) -> u32 {
        let at = self.type_argument_counts.binary_search_by_key(&expr, |(expr, _)| *expr).ok();
        at.and_then(|at| self.type_argument_counts.get(at)).map_or(0, |(_, count)| *count)
    }

    /// The expression with the id `id`.
    pub fn expr_by_id(&self, id: ExprId) -> Expr {
        self.exprs.get(id as usize).copied().unwrap_or(Expr::Unknown)
    }

    /// The line, from 1, of the identifier that begins at a byte offset; `None` where no identifier begins there.
    pub fn line_of_identifier_at_offset(&self, at: u32) -> Option<u32> {
        let known = self.occurrences.binary_search_by_key(&at, |found| found.at).ok();
        let found = match known.and_then(|index| self.occurrences.get(index)) {
            Some(found) => Some(found),
            // The occurrences are not sorted in some languages, so a binary search can miss: search all of them.
            None => self.occurrences.iter().find(|found| found.at == at),
        };
        found.map(|found| found.line)
    }

    /// The innermost scopes at many byte offsets, which must be in rising order: the results of
    /// [`Names::innermost_scope_at_offset`].
    pub fn innermost_scopes_at_sorted_offsets(&self, bytes: &[u32]) -> Vec<ScopeId> {
        let mut order: Vec<(u32, std::cmp::Reverse<u32>, ScopeId)> = (0..)
            .zip(&self.scopes)
            .map(|(id, scope)| (scope.bytes.start, std::cmp::Reverse(scope.bytes.end), id))
            .collect();
        order.sort_unstable();
        let mut upcoming_scopes = order.into_iter().peekable();
        // Scopes that have begun before the current offset; an enclosing scope comes before the scopes inside it.
        let mut open: Vec<(u32, ScopeId)> = Vec::new();
        let mut found = Vec::with_capacity(bytes.len());
        for byte in bytes {
            while let Some((_, std::cmp::Reverse(end), id)) = upcoming_scopes.next_if(|(start, ..)| start <= byte) {
                open.push((end, id));
            }
            while open.pop_if(|(end, _)| *end <= *byte).is_some() {}
            // As in [`Names::innermost_scope_at_offset`], the last scope that contains the byte is the innermost. Some
            // scopes have the same byte range.
            let containing_scopes = open.iter().filter(|(end, _)| end > byte).map(|(_, id)| *id);
            found.push(containing_scopes.max().unwrap_or(FILE_SCOPE));
        }
        found
    }

    /// The id of the innermost scope that contains a byte offset.
    pub fn innermost_scope_at_offset(&self, byte: u32) -> ScopeId {
        let inside = |scope: &Scope| scope.bytes.contains(&byte);
        // A scope comes after its enclosing scopes, so the last scope that contains the byte is the innermost.
        self.scopes.iter().rposition(inside).and_then(|at| ScopeId::try_from(at).ok()).unwrap_or(FILE_SCOPE)
    }
}
