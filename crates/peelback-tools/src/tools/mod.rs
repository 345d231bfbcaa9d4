//! The list of tools. Each tool is one file in this folder and one entry in the list.

mod context;
mod dependencies;
mod find_files;
mod find_references;
mod find_symbols;
mod grep;
mod limits;
mod outline;
mod profile;
mod read_file;
mod read_lines;
mod read_symbol;
mod scope;
mod search;
mod search_tools;
mod toolset;
mod tree;

pub(crate) use limits::write_limits_section;

use crate::next_calls::FollowUpCallBuilder;
use crate::tool::{AnyTool, Tool, ToolList};

/// All tools, in the order in which an exploration typically uses them.
static ALL_TOOLS: [AnyTool; 14] = [
    new_any_tool::<tree::Tree>(),
    new_any_tool::<find_files::FindFiles>(),
    new_any_tool::<search::Search>(),
    new_any_tool::<grep::Grep>(),
    new_any_tool::<outline::Outline>(),
    new_any_tool::<find_symbols::FindSymbols>(),
    new_any_tool::<read_symbol::ReadSymbol>(),
    new_any_tool::<read_lines::ReadLines>(),
    new_any_tool::<find_references::FindReferences>(),
    new_any_tool::<dependencies::Dependencies>(),
    new_any_tool::<read_file::ReadFile>(),
    new_any_tool::<scope::Scope>(),
    new_any_tool::<context::Context>(),
    new_any_tool::<search_tools::SearchTools<toolset::Toolset>>(),
];

const fn new_any_tool<T: Tool>() -> AnyTool {
    AnyTool::new::<T>(&toolset::Toolset)
}

impl ToolList for toolset::Toolset {
    fn tools() -> &'static [AnyTool] {
        all_tools()
    }
}

/// All tools, in the order in which an exploration typically uses them.
pub fn all_tools() -> &'static [AnyTool] {
    &ALL_TOOLS
}

/// The tool with this name or alias; dashes are equal to underscores.
pub fn tool_by_name_or_alias(name: &str) -> Option<&'static AnyTool> {
    toolset::Toolset::tool_by_name_or_alias(name)
}

/// The builder of the follow-up calls that documents and answers suggest.
pub fn follow_up_call_builder() -> &'static dyn FollowUpCallBuilder {
    &toolset::Toolset
}
