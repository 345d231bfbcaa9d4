//! One file's text in, facts out: languages, symbols, imports, exports and skeletons.
//!
//! Nothing here reads files, and nothing fails: broken source gives what stands outside its breaks, and
//! [`facts::Coverage`] says how much was not understood.
//!
//! Each language has a cargo feature, `lang-python` and so on, that brings its grammar; by default all are on. A file in
//! a language without its feature is not parsed, and its coverage says so ([`NotParsed::NoGrammar`]).
//!
//! ```
//! # #[cfg(feature = "lang-python")] {
//! use peelback_syntax::{language, analyse, Limits};
//!
//! let python = language::by_name("python").expect("a language of the list");
//! let facts = analyse(python, "class Greeter:\n    def hello(self): return 1\n", &Limits::default());
//! assert_eq!(facts.symbols[0].children[0].qualified_name, "Greeter.hello");
//! # }
//! ```

mod analysis;
mod damage;
pub mod facts;
mod frontend;
mod keys;
pub mod language;
mod languages;
pub mod names;
mod outline;
mod parse;
pub mod skeleton;
mod spec;
mod symbol_tree;
mod tags;
mod text;
mod walk;

pub use analysis::{analyse, names, parse_only};
pub use facts::{
    Coverage, Export, ExportKind, Facts, Fold, FoldKind, Import, ImportKind, Lines, NotParsed, Symbol, SymbolKind,
    Visibility, walk_symbols,
};
pub use language::{Language, Tier};
pub use names::Names;
pub use parse::Limits;

/// The version of the analysis: texts that are equal have equal facts and names where it is equal.
pub const ANALYSIS: &str = env!("PEELBACK_ANALYSIS");
