//! Static analysis of one file's text: its language, symbols, imports, exports, names and skeleton.
//!
//! This crate does not read files, and the analysis does not fail: facts of broken source come from the regions around
//! the syntax errors, and [`facts::ParseCoverage`] reports how much was not understood.
//!
//! Each language has a cargo feature, such as `lang-python`, that compiles its grammar in; by default all are on. A
//! file in a language without its feature is not parsed, and its coverage is [`NotParsed::NoGrammar`].
//!
//! ```
//! # #[cfg(feature = "lang-python")] {
//! use peelback_syntax::{Limits, analyse_source, language};
//!
//! let python = language::language_by_exact_name("python").expect("a language of the list");
//! let source = "class Greeter:\n    def hello(self): return 1\n";
//! let facts = analyse_source(python, source, &Limits::default());
//! assert_eq!(facts.symbols[0].children[0].qualified_name, "Greeter.hello");
//! # }
//! ```

#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::string_slice,
        reason = "unit tests fail by a panic"
    )
)]

mod analysis;
mod component;
pub mod facts;
mod frontend;
mod grammar;
mod key_value_documents;
pub mod language;
mod languages;
pub mod manifest;
pub mod names;
mod outline;
mod parse;
pub mod project_files;
pub mod signature;
pub mod skeleton;
mod spec;
pub mod stack;
mod symbol_tree;
mod syntax_errors;
mod tags;
mod text;
mod walk;

pub use analysis::{analyse_source, bind_names, does_parse_finish};
pub use component::{component_name_of_file, component_symbol_of_file};
pub use facts::{
    Export, ExportKind, Facts, Fold, FoldKind, Import, ImportKind, Lines, NotParsed, ParseCoverage, Symbol, SymbolKind,
    Visibility, walk_symbols_with_depth,
};
pub use language::{Language, Tier};
pub use names::Names;
pub use parse::{Limits, StopSignal};

/// The version of the analysis, for the keys of caches: under the same version, the same text always has the same facts
/// and names.
pub const ANALYSIS: &str = env!("PEELBACK_ANALYSIS");
