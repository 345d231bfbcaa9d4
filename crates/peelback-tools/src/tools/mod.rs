//! The list of tools. Each tool is one file in this folder and one entry in the list.

mod dependencies;
mod find_files;
mod find_references;
mod find_symbols;
mod grep;
mod next;
mod outline;
mod profile;
mod read_file;
mod read_lines;
mod read_symbol;
mod scope;
mod search;
mod search_tools;
mod tree;

use crate::next::NextCalls;
use crate::tool::{AnyTool, Tool, ToolList};

/// All tools, in the order in which an exploration typically uses them.
static ALL: [AnyTool; 13] = [
    tool::<tree::Tree>(),
    tool::<find_files::FindFiles>(),
    tool::<search::Search>(),
    tool::<grep::Grep>(),
    tool::<outline::Outline>(),
    tool::<find_symbols::FindSymbols>(),
    tool::<read_symbol::ReadSymbol>(),
    tool::<read_lines::ReadLines>(),
    tool::<find_references::FindReferences>(),
    tool::<dependencies::Dependencies>(),
    tool::<read_file::ReadFile>(),
    tool::<scope::Scope>(),
    tool::<search_tools::SearchTools<next::Toolset>>(),
];

const fn tool<T: Tool>() -> AnyTool {
    AnyTool::new::<T>(&next::Toolset)
}

impl ToolList for next::Toolset {
    fn tools() -> &'static [AnyTool] {
        all()
    }
}

/// All tools, in the order in which an exploration typically uses them.
pub fn all() -> &'static [AnyTool] {
    &ALL
}

/// The tool with this name or alias; dashes are equal to underscores.
pub fn by_name(name: &str) -> Option<&'static AnyTool> {
    next::Toolset::tool_named(name)
}

/// The builder of the follow-up calls that documents and answers suggest.
pub fn next_calls() -> &'static dyn NextCalls {
    &next::Toolset
}
