//! A project: a tree of source files below one root, and what is known of their contents.
//!
//! This crate owns the root and its confinement, walking by ripgrep's ignore rules, reading and decoding, text search, the
//! [`Signature`]s that tell whether a file changed, the [`Snapshot`] that one call works on, and the [`FactsStore`]: the
//! cache of what was computed from contents, in memory and on disk. Every value in the store is found by the content it
//! was computed from, so that it cannot be stale.
//!
//! This crate does not know what a name means in another file, and it ranks nothing. Crates above attach their own values
//! to the store, to a snapshot or to a file's names: see [`Extensions`].
//!
//! ```no_run
//! use peelback_project::{Project, ProjectReader, WalkOptions};
//!
//! let project = Project::discover(None, None)?;
//! println!("{} files", project.files(None, &WalkOptions::default())?.entries.len());
//! let reader = ProjectReader::new(project);
//! let file = reader.read("src/lib.rs")?;
//! println!("{} symbols", reader.analyse(file).facts.symbols.len());
//! # Ok::<(), peelback_project::CodeError>(())
//! ```

mod cancellation;
mod coverage;
mod error;
mod evidence;
mod extensions;
mod file_table;
mod grep;
mod nearest;
mod parallel;
mod project;
mod reader;
mod snapshot;
mod source;
mod store;
mod tree;
mod walk;
mod withheld;

pub use cancellation::{CancellationToken, Stop};
pub use coverage::coverage_gap;
pub use error::{CodeError, Fault};
pub use evidence::{Completeness, Evidence, Skipped};
pub use extensions::{Extension, Extensions};
pub use file_table::{Consulted, FileId, Files, Text, file_id, folder_of, join, name_of};
pub use grep::{FileMatches, GrepAnswer, GrepLine, GrepQuery, LineKind, MatchCounts};
pub use nearest::nearest;
pub use parallel::{in_order_of, largest_first};
pub use project::{Project, ProjectEntry, open_regular};
pub use reader::{Analysed, Outliner, ProjectReader, SYNTAX};
pub use snapshot::Snapshot;
pub use source::SourceFile;
pub use store::{
    CacheKey, CacheOptions, CacheStatus, Code, ContentHash, FactsStore, FileNames, MemoryCache, NoNames, ProjectFacts,
    Signature, WordSet, Worth, clear_cache, same_shape, stands_alone,
};
pub use tree::TreeEntry;
pub use walk::{FileSet, WalkOptions};
pub use withheld::{TellRefused, Withhold, WithholdText};
