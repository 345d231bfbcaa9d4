//! Imports in the outline of a Ruby file: `require`, `require_relative`, `load`, `autoload`.

use tree_sitter::Node;

use super::literals;
use crate::facts::{Import, ImportKind};
use crate::outline::OutlineBuilder;
use crate::text;

/// The words of calls that load files.
pub(super) const LOADING_WORDS: &[&str] = &["require", "require_relative", "load", "autoload"];

/// Adds the import of a call that loads a file, if its path is a literal.
pub(super) fn add_import(call: Node<'_>, method: &str, builder: &mut OutlineBuilder<'_, '_>) {
    let arguments = literals::arguments_of_call(call);
    let index = usize::from(method == "autoload");
    let Some(path) = arguments.get(index).filter(|path| path.kind() == "string") else { return };
    let Some(range) = literals::name_range_of_literal(*path) else { return };
    let source = builder.source.get(range).unwrap_or("").to_owned();
    let name = arguments.first().filter(|_| index == 1).and_then(|name| literals::name_range_of_literal(*name));
    let names = name.and_then(|range| builder.source.get(range)).map(str::to_owned).into_iter().collect();
    let lines = builder.lines_of_node(call);
    let statement = text::to_one_line(builder.text_of_node(call));
    builder.imports.push(Import { text: statement, source, names, kind: ImportKind::Require, lines });
}
