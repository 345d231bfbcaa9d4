//! The list of tools. A tool is one file in this folder and one word here.

mod dependencies;
mod find_files;
mod find_references;
pub(crate) mod find_symbols;
mod grep;
mod outline;
mod profile;
mod read_file;
mod read_lines;
mod read_symbol;
mod scope;
mod search;
mod search_tools;
mod tree;

use crate::tool::AnyTool;

/// Every tool, in the order in which an exploration uses them.
static ALL: [AnyTool; 13] = [
    AnyTool::of::<tree::Tree>(),
    AnyTool::of::<find_files::FindFiles>(),
    AnyTool::of::<search::Search>(),
    AnyTool::of::<grep::Grep>(),
    AnyTool::of::<outline::Outline>(),
    AnyTool::of::<find_symbols::FindSymbols>(),
    AnyTool::of::<read_symbol::ReadSymbol>(),
    AnyTool::of::<read_lines::ReadLines>(),
    AnyTool::of::<find_references::FindReferences>(),
    AnyTool::of::<dependencies::Dependencies>(),
    AnyTool::of::<read_file::ReadFile>(),
    AnyTool::of::<scope::Scope>(),
    AnyTool::of::<search_tools::SearchTools>(),
];

/// Every tool.
pub fn all() -> &'static [AnyTool] {
    &ALL
}

/// The tool called `name`, by its own name or another that it answers to; dashes count as underscores.
pub fn by_name(name: &str) -> Option<&'static AnyTool> {
    let name = name.replace('-', "_");
    ALL.iter().find(|tool| tool.name == name || tool.aliases.contains(&name.as_str()))
}
