//! The calls that answers offer to go on with.
//!
//! Tools offer calls of one another. The trait stands below all tools, and its implementation above them
//! (`tools/next.rs`), so that no tool depends on another for its name.

use crate::call::Call;

/// Builds the calls that go on from an answer. Paths are relative to the project's root; an id is `path:Qualified.name`.
pub trait NextCalls: Send + Sync {
    /// The call that maps the whole project.
    fn map(&self) -> Call;
    /// The call that maps the whole project to so many levels.
    fn map_to_depth(&self, depth: usize) -> Call;
    /// The call that ranks files for a question or for words.
    fn files(&self, query: &str) -> Call;
    /// The call that ranks passages for a question or for words.
    fn passages(&self, query: &str) -> Call;
    /// The call that searches texts for a regular expression.
    fn text(&self, pattern: &str, options: &[TextOption<'_>]) -> Call;
    /// The call that outlines the whole project.
    fn project_outline(&self) -> Call;
    /// The call that outlines a file or folder.
    fn outline(&self, path: &str) -> Call;
    /// The call that finds the symbols whose names contain `name`.
    fn symbols(&self, name: &str) -> Call;
    /// The call that finds the symbols of exactly this name.
    fn symbols_named(&self, name: &str) -> Call;
    /// The call that reads the body of a symbol.
    fn body(&self, id: &str) -> Call;
    /// The call that reads a whole file as lines.
    fn all_lines(&self, path: &str) -> Call;
    /// The call that reads ranges of lines, such as `10-40`.
    fn lines(&self, path: &str, ranges: &str) -> Call;
    /// The call that finds the uses of a symbol.
    fn references(&self, id: &str) -> Call;
    /// The call that lists what a file depends on and what depends on it.
    fn dependencies(&self, path: &str) -> Call;
    /// The call that lists what depends on a file.
    fn dependents(&self, path: &str) -> Call;
    /// The call that gives the profile of a file.
    fn profile(&self, path: &str) -> Call;
    /// The call that gives the raw text of a file.
    fn raw_text(&self, path: &str) -> Call;
}

/// How a text is searched; options are written in the order in which they are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextOption<'a> {
    /// The pattern is plain text, not a regular expression.
    Literal,
    /// Only whole words match.
    WholeWord,
    /// Letters match in either case.
    IgnoreCase,
    /// Only this file, folder or glob is searched.
    In(&'a str),
}
