//! A project's answers, without a server and without an index: walking and ignore rules, confinement to the root,
//! text search, keyword ranking, symbols and profiles.
//!
//! Every call reads the files as they are on disk when it arrives. [`CodeAccess`] is the way in: it holds the
//! [`Project`] and the [`CodeAnalysis`] that reads code.
//!
//! ```no_run
//! use peelback_code::{CodeAccess, Project};
//!
//! let project = Project::discover(None, None)?;
//! let access = CodeAccess::new(project);
//! for symbol in &access.outline("src/lib.rs")?.facts.symbols {
//!     println!("{} {}", symbol.lines.first, symbol.signature);
//! }
//! # Ok::<(), peelback_code::CodeError>(())
//! ```

mod access;
mod analysis;
mod backend;
mod cancellation;
mod context;
mod definitions;
mod document_generator;
mod error;
mod evidence;
mod files;
#[cfg(feature = "git")]
pub mod git;
mod graph;
mod grep;
mod keywords;
mod lookup;
mod modules;
mod nearest;
mod project;
mod ranking;
mod references;
mod resolve;
mod snapshot;
mod source;
mod store;
mod tree;
mod withheld;

pub use access::{Analysed, CodeAccess, FileResult};
pub use analysis::{AnalysisError, CodeAnalysis, SyntaxAnalysis};
pub use cancellation::{CancellationToken, Stop};
pub use context::{SymbolBody, SymbolContext, used_imports};
pub use document_generator::{DocumentGenerator, ScopeQuestion, ScopedDocument};
pub use error::{CodeError, Fault};
pub use evidence::{Completeness, Evidence, Skipped};
pub use files::{FileSet, WalkOptions};
pub use graph::{Dependencies, DependencyQuery, Direction, External, Neighbour, Overview, Unresolved, is_test};
pub use grep::{FileMatches, GrepAnswer, GrepLine, GrepQuery, LineKind, MatchCounts};
pub use keywords::{KeywordFile, keywords_of};
pub use lookup::{NameMatch, NamePattern, Needle, SymbolName, find_in};
pub use nearest::nearest;
pub use project::{Project, ProjectEntry};
pub use ranking::{
    Embedder, FileKind, PassageSignals, Question, RankQuery, RankedFile, RankedFiles, RankedPassage, RankedPassages,
    Signals, Weights,
};
pub use references::{Confidence, Endpoint, Reference, ReferenceQuery, References, Relation, SymbolQuery};
pub use source::SourceFile;
pub use store::{CacheOptions, CacheStatus, FactsStore, clear_cache};
pub use tree::TreeEntry;
pub use withheld::{TellRefused, Withhold, WithholdText};

pub use peelback_syntax as syntax;
