//! Imports in the outline of a Java file.

use tree_sitter::Node;

use crate::facts::{Import, ImportKind};
use crate::outline::OutlineBuilder;
use crate::text;

/// Adds the import of one import declaration: of a type, of static members, or of all names of a package or type.
pub(super) fn add_import(node: Node<'_>, builder: &mut OutlineBuilder<'_, '_>) {
    let mut cursor = node.walk();
    let mut path = None;
    let mut has_asterisk = false;
    for child in node.named_children(&mut cursor) {
        match child.kind() {
            "identifier" | "scoped_identifier" => path = Some(child),
            "asterisk" => has_asterisk = true,
            _ => {}
        }
    }
    let Some(path) = path else { return };
    // Blanks and comments can stand between the parts of a path.
    let source: String = text_without_blanks(builder.text_of_node(path));
    let (names, kind) = match has_asterisk {
        true => (Vec::new(), ImportKind::Glob),
        false => {
            let last = source.rsplit('.').next().unwrap_or(&source).to_owned();
            (vec![last], ImportKind::Named)
        }
    };
    let lines = builder.lines_of_node(node);
    let statement = text::to_one_line(builder.text_of_node(node));
    builder.imports.push(Import { text: statement, source, names, kind, lines });
}

fn text_without_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}
