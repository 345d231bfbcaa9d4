//! What names mean across the files of a project.
//!
//! This crate knows where the imports of each language lead (`modules/`), evaluates names over all files (`resolve/`),
//! finds the uses and implementations of a symbol (`references/`), and keeps the dependency graph (`graph/`).
//! [`ProjectAnalyzer`] is the type through which callers use it.
//!
//! This crate ranks nothing and renders nothing.
//!
//! ```no_run
//! use peelback_project::{Project, ProjectReader};
//! use peelback_resolve::{DependencyQuery, ProjectAnalyzer};
//!
//! let reader = ProjectReader::new(Project::discover(None, None)?);
//! let query = DependencyQuery { path: "src/lib.rs".to_owned(), ..DependencyQuery::default() };
//! for file in &ProjectAnalyzer::new(reader).dependencies_and_dependents(&query)?.outgoing {
//!     println!("{}", file.path);
//! }
//! # Ok::<(), peelback_project::CodeError>(())
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

mod analyzer;
mod defining;
mod graph;
mod json;
mod languages;
mod modules;
mod references;
mod resolve;
mod semantics;
mod snapshot_index;
mod standard_library;

pub use analyzer::ProjectAnalyzer;
pub use defining::may_file_define_symbol;
pub use graph::{
    Dependencies, DependencyOverview, DependencyQuery, Direction, ExternalPackage, Neighbour, UnresolvedImport,
    looks_like_test_path,
};
pub use references::{
    Confidence, Endpoint, InheritedMembers, Reference, ReferenceQuery, References, Relation, SymbolQuery,
};
pub use standard_library::is_standard_library_package;
