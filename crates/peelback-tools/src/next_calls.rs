//! The builder of follow-up calls that answers suggest.
//!
//! Tools suggest calls of other tools. The trait is in a module below all tools, and its implementation in one above
//! them (`tools/toolset.rs`), so that no tool depends on another tool's name.

use crate::call::Call;

/// Builds the follow-up calls of an answer. Paths are relative to the project's root; the id of a symbol has the form
/// `path:Qualified.name`.
pub trait FollowUpCallBuilder: Send + Sync {
    /// Whether a parameter of a tool is a list.
    fn is_list_parameter(&self, tool: &str, parameter: &str) -> bool;
    /// The call that lists the folders and files of the whole project.
    fn project_tree_call(&self) -> Call;
    /// The call that lists the folders and files of the whole project down to `depth` levels.
    fn project_tree_to_depth_call(&self, depth: usize) -> Call;
    /// The call that ranks files for a question or keywords.
    fn rank_files_call(&self, query: &str) -> Call;
    /// The call that ranks passages for a question or keywords.
    fn rank_passages_call(&self, query: &str) -> Call;
    /// The call that searches file contents for a regular expression.
    fn text_search_call(&self, pattern: &str, options: &[TextSearchOption<'_>]) -> Call;
    /// The call that outlines the whole project.
    fn project_outline_call(&self) -> Call;
    /// The call that outlines a file or folder.
    fn outline_call(&self, path: &str) -> Call;
    /// The call that finds the symbols whose names contain `name`.
    fn find_symbols_containing_name_call(&self, name: &str) -> Call;
    /// The call that finds the symbols named exactly `name`.
    fn find_symbols_named_exactly_call(&self, name: &str) -> Call;
    /// The call that reads the body of a symbol.
    fn read_symbol_body_call(&self, id: &str) -> Call;
    /// The call that reads all lines of a file.
    fn read_all_lines_call(&self, path: &str) -> Call;
    /// The call that reads ranges of lines of a file, such as `10-40`.
    fn read_lines_call(&self, path: &str, ranges: &str) -> Call;
    /// The call that finds the uses of a symbol.
    fn find_references_call(&self, id: &str) -> Call;
    /// The call that lists what a file depends on and what depends on it.
    fn dependencies_and_dependents_call(&self, path: &str) -> Call;
    /// The call that lists what depends on a file.
    fn dependents_call(&self, path: &str) -> Call;
    /// The call that returns the profile of a file.
    fn file_profile_call(&self, path: &str) -> Call;
    /// The call that returns the raw text of a file.
    fn raw_file_text_call(&self, path: &str) -> Call;
    /// The call that returns the full documentation of a tool.
    fn tool_documentation_call(&self, tool: &str) -> Call;
}

/// Options of a call that searches for text. The call contains them in the given order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextSearchOption<'a> {
    /// The pattern is plain text, not a regular expression.
    Literal,
    /// Only whole words match.
    WholeWord,
    /// Upper and lower case letters are equal.
    IgnoreCase,
    /// The search is limited to this file, folder or glob.
    InScope(&'a str),
}
