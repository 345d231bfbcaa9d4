//! The graph of dependencies between files.
//!
//! - `edges.rs` resolves the imports of a file to files; `dependency_graph.rs` is the graph, `cycles.rs` its cycles.
//! - `cache.rs` keeps the graph of a project while its process lives, and updates it where files changed.
//! - `reverse_dependencies.rs` finds the files that depend on one file without the graph.
//! - `gaps.rs` and `gap_notes.rs` report the files whose imports are not known.
//! - `answer.rs` has the types of questions and answers, `query.rs` the entry points, `file_answer.rs` the answer for
//!   one file.

mod answer;
mod cache;
mod cycles;
mod dependency_graph;
mod edges;
mod file_answer;
mod gap_notes;
mod gaps;
mod query;
mod reverse_dependencies;
mod test_paths;

pub use answer::{
    Dependencies, DependencyOverview, DependencyQuery, Direction, ExternalPackage, Neighbour, UnresolvedImport,
};
pub use cycles::{WeightedEdge, edges_closing_cycles};
pub use test_paths::looks_like_test_path;
