//! What the dependency graph asks of an Objective-C file: which files it includes.

use tree_sitter::Tree;

use super::super::c::record_import_from_include_argument;
use crate::names::{NamesBuilder, first_line_number_of_node};

/// Records the files that the directives `#import` and `#include` of a syntax tree name.
pub(super) fn bind_includes(tree: &Tree, builder: &mut NamesBuilder<'_>) {
    let mut cursor = tree.walk();
    'walk: loop {
        let node = cursor.node();
        if node.kind() == "preproc_include"
            && let Some(path) = node.child_by_field_name("path")
        {
            record_import_from_include_argument(builder.text_of_node(path), first_line_number_of_node(node), builder);
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'walk;
            }
        }
    }
}
