//! One file's text in, facts out: languages, symbols, imports, exports and skeletons.
//!
//! Nothing here reads files, and nothing fails: broken source gives what stands outside its breaks, and
//! [`facts::Coverage`] says how much was not understood.
//!
//! ```
//! use peelback_syntax::{language, analyse, Limits};
//!
//! let python = language::by_name("python").expect("a language of the list");
//! let facts = analyse(python, "class Greeter:\n    def hello(self): return 1\n", &Limits::default());
//! assert_eq!(facts.symbols[0].children[0].qualified_name, "Greeter.hello");
//! ```

pub mod facts;
mod keys;
pub mod language;
mod languages;
pub mod names;
mod parse;
pub mod skeleton;
mod tags;
mod text;
mod walk;

pub use facts::{
    Coverage, Export, ExportKind, Facts, Fold, FoldKind, Import, ImportKind, Lines, NotParsed, Symbol, SymbolKind,
    Visibility, walk_symbols,
};
pub use language::{Language, Tier};
pub use names::Names;
pub use parse::{Limits, analyse, names, parse_only};

/// The version of the analysis: texts that are equal have equal facts and names where it is equal.
pub const ANALYSIS: &str = env!("PEELBACK_ANALYSIS");
