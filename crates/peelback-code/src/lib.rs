//! The entry point to a project's files, symbols, references, dependencies and rankings. Symbols and references come
//! from a preferred analysis backend, such as a language server, if one is set and answers, else from syntax trees.
//!
//! [`CodeAccess`] owns the [`Project`] and the analyses of its code. Every call reads the files as they are on disk
//! when the call arrives. Other implementations plug in through three traits: [`CodeAnalysis`] (a language server),
//! [`Embedder`] (a model that orders passages by meaning) and [`DocumentGenerator`]. This crate re-exports the items of
//! lower crates that higher crates need.
//!
//! This crate has no async, no HTTP and no JSON.
//!
//! ```no_run
//! use peelback_code::{CodeAccess, Project};
//!
//! let project = Project::discover(None, None)?;
//! let access = CodeAccess::new(project);
//! for symbol in &access.analyse_file("src/lib.rs")?.facts.symbols {
//!     println!("{} {}", symbol.lines.first, symbol.signature);
//! }
//! # Ok::<(), peelback_code::CodeError>(())
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

mod access;
mod analysis;
mod backend;
mod context;
mod definitions;
mod document_generator;
mod finder;
mod lookup;
mod module_path;
mod outlined;
mod visit;

pub use access::CodeAccess;
pub use analysis::{AnalysisError, CodeAnalysis, SyntaxAnalysis};
pub use context::{SymbolBody, SymbolContext, imports_that_text_may_use};
pub use document_generator::{
    DocumentGenerationError, DocumentGenerator, DocumentPurpose, DocumentRequest, ExplorationMode, GeneratedDocument,
    SpendingLimits,
};
pub use lookup::{NameMatch, NamePattern, Needle, SymbolNameQuery, find_matching_symbols};
pub use module_path::ModulePathName;

pub use outlined::{OutlinedFile, OutlinedFiles};

#[cfg(feature = "git")]
pub use peelback_project::git;
pub use peelback_project::{
    AnalysedFile, CancellationToken, CodeError, Completeness, ErrorCategory, Evidence, FactsStore, FileMatches,
    FileSet, GeneratedFiles, GrepAnswer, GrepLine, GrepQuery, LineKind, MAX_PATTERN_CLASSES, MatchCounts,
    MatchExistence, Project, ProjectEntry, RefusalCallback, RowUnit, Skipped, SourceFile, StopCause, TreeEntry,
    Vocabulary, WalkOptions, WalkedFiles, WithholdPathRule, WithholdTextRule, WritableFolder, cell_and_line_in_cell,
    escape_control_characters, escape_control_characters_of_json, escape_to_one_line, existing_path_of_text,
    find_similar_names, glob_nesting_error, is_writing_direction_control, open_regular_file_following_links,
    path_of_text, process_files_in_parallel_largest_first, read_regular_file_following_links,
    read_text_file_following_links, read_unless_larger_than, set_openat2_disabled, set_settling_time, set_thread_count,
    start_thread_pool, text_of_path,
};
#[cfg(feature = "cache")]
pub use peelback_project::{CacheOptions, CacheStatus, clear_cache};
pub use peelback_ranking::{
    Embedder, FileKind, FileRankingSignals, KeywordFile, PassageSignals, Question, RankQuery, RankedFile, RankedFiles,
    RankedPassage, RankedPassages, Weights, keywords_of_question,
};
pub use peelback_resolve::{
    Confidence, Dependencies, DependencyOverview, DependencyQuery, Direction, Endpoint, ExternalPackage,
    InheritedMembers, Neighbour, Reference, ReferenceQuery, References, Relation, SymbolQuery, UnresolvedImport,
    WeightedEdge, edges_closing_cycles, is_standard_library_package, looks_like_test_path,
};
pub use peelback_syntax as syntax;
pub use peelback_syntax::stack::THREAD_STACK_BYTES;
