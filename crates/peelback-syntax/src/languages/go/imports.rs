//! Imports in the outline of a Go file.

use tree_sitter::Node;

use crate::facts::{Import, ImportKind};
use crate::outline::OutlineBuilder;
use crate::text;

/// Adds the import of one import spec: a line of a Go import declaration.
pub(super) fn add_import_spec(node: Node<'_>, builder: &mut OutlineBuilder<'_, '_>) {
    let Some(path) = node.child_by_field_name("path") else { return };
    let source = text::without_quotes(builder.text_of_node(path)).to_owned();
    let spec = text::to_one_line(builder.text_of_node(node));
    let (names, kind) = match node.child_by_field_name("name") {
        Some(name) if name.kind() == "dot" => (Vec::new(), ImportKind::Glob),
        Some(name) if name.kind() == "blank_identifier" => (Vec::new(), ImportKind::SideEffect),
        Some(name) => (vec![builder.text_of_node(name).to_owned()], ImportKind::Namespace),
        None => (vec![likely_package_name_from_import_path(&source).to_owned()], ImportKind::Namespace),
    };
    let lines = builder.lines_of_node(node);
    builder.imports.push(Import { text: format!("import {spec}"), source, names, kind, lines });
}

/// The most likely name of a Go package: the last part of its import path that is not a version.
pub(super) fn likely_package_name_from_import_path(path: &str) -> &str {
    let is_version =
        |part: &str| part.strip_prefix('v').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    let mut parts = path.rsplit('/');
    let last = parts.next().unwrap_or(path);
    let last = if is_version(last) { parts.next().unwrap_or(last) } else { last };
    // `gopkg.in/yaml.v3` is package `yaml`.
    match last.rsplit_once('.') {
        Some((name, version)) if is_version(version) => name,
        _ => last,
    }
}
