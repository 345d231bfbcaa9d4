//! The outline of imports in Rust files: `use` and `extern crate`.

use tree_sitter::Node;

use crate::facts::{Export, ExportKind, Import, ImportKind};
use crate::outline::OutlineBuilder;
use crate::text;

/// The limit on the nesting of `use` groups that are expanded into names. Deeper groups stay as written.
const MAX_GROUP_DEPTH: usize = 16;

/// One name that a `use` declaration imports: its path below the source path of the declaration, and its alias.
struct UseLeaf {
    path: String,
    alias: Option<String>,
}

impl UseLeaf {
    /// The text of the imported name, as in source: `Write`, `io::Read as _`, `fmt::*`.
    fn to_source_text(&self) -> String {
        match &self.alias {
            Some(alias) => format!("{} as {alias}", self.path),
            None => self.path.clone(),
        }
    }

    /// The name under which a `pub use` of the imported name re-exports it; `None` for `_`.
    fn exported_name(&self, source: &str) -> Option<String> {
        match &self.alias {
            Some(alias) => (alias != "_").then(|| alias.clone()),
            None if self.path == "self" => Some(last_path_segment(source).to_owned()),
            None => Some(last_path_segment(self.path.strip_suffix("::self").unwrap_or(&self.path)).to_owned()),
        }
    }
}

fn last_path_segment(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

/// Adds the import of `use a::{b, c as d}`. The import's source is the path that all its names share.
pub(super) fn add_use_import_and_exports(node: Node<'_>, builder: &mut OutlineBuilder<'_, '_>) {
    let Some(argument) = node.child_by_field_name("argument") else { return };
    let (source, leaves, kind) = match argument.kind() {
        "use_list" => (String::new(), names_imported_by_use_group(argument, builder), ImportKind::Named),
        "scoped_use_list" => {
            let leaves = argument
                .child_by_field_name("list")
                .map_or_else(Vec::new, |list| names_imported_by_use_group(list, builder));
            (one_line_field_text_or_empty(argument, "path", builder), leaves, ImportKind::Named)
        }
        "use_wildcard" => {
            let source =
                argument.named_child(0).map_or_else(String::new, |path| text::to_one_line(builder.text_of_node(path)));
            (source, Vec::new(), ImportKind::Glob)
        }
        "use_as_clause" => {
            let alias = Some(one_line_field_text_or_empty(argument, "alias", builder));
            let Some(path) = argument.child_by_field_name("path") else { return };
            split_use_path_at_last_name(path, alias, builder)
        }
        _ => split_use_path_at_last_name(argument, None, builder),
    };
    let import = Import {
        text: text::to_one_line(&builder.text_without_comments_until_error(node, node.byte_range())),
        source,
        names: leaves.iter().map(UseLeaf::to_source_text).collect(),
        kind,
        lines: builder.lines_of_node(node),
    };
    if has_bare_pub_modifier(node, builder) && builder.enclosing_symbol_kind().is_none() && !builder.is_in_local_scope()
    {
        let line = import.lines.first;
        if kind == ImportKind::Glob {
            builder.exports.push(Export { name: "*".to_owned(), kind: ExportKind::All, line });
        }
        for leaf in &leaves {
            let Some(name) = leaf.exported_name(&import.source) else { continue };
            let kind = if name == "*" { ExportKind::All } else { ExportKind::ReExport };
            builder.exports.push(Export { name, kind, line });
        }
    }
    builder.imports.push(import);
}

/// Adds the import of `extern crate a as b` to the outline.
pub(super) fn add_extern_crate_import_and_export(node: Node<'_>, builder: &mut OutlineBuilder<'_, '_>) {
    let source = one_line_field_text_or_empty(node, "name", builder);
    let alias = node.child_by_field_name("alias").map(|alias| builder.text_of_node(alias).to_owned());
    let leaf = UseLeaf { path: source.clone(), alias };
    let lines = builder.lines_of_node(node);
    if has_bare_pub_modifier(node, builder)
        && builder.enclosing_symbol_kind().is_none()
        && let Some(name) = leaf.exported_name(&source)
    {
        builder.exports.push(Export { name, kind: ExportKind::ReExport, line: lines.first });
    }
    let text = text::to_one_line(builder.text_of_node(node));
    builder.imports.push(Import {
        text,
        source,
        names: vec![leaf.to_source_text()],
        kind: ImportKind::Namespace,
        lines,
    });
}

fn has_bare_pub_modifier(node: Node<'_>, builder: &OutlineBuilder<'_, '_>) -> bool {
    node.named_child(0)
        .is_some_and(|first| first.kind() == "visibility_modifier" && builder.text_of_node(first) == "pub")
}

fn one_line_field_text_or_empty(node: Node<'_>, name: &str, builder: &OutlineBuilder<'_, '_>) -> String {
    builder.field_text(node, name).map(text::to_one_line).unwrap_or_default()
}

/// Splits `a::b::c` into the source `a::b` and the name `c`. A path of one segment is the source and the imported name
/// at once.
fn split_use_path_at_last_name(
    path: Node<'_>,
    alias: Option<String>,
    builder: &OutlineBuilder<'_, '_>,
) -> (String, Vec<UseLeaf>, ImportKind) {
    if let Some(source) = path.child_by_field_name("path") {
        let leaf = UseLeaf { path: one_line_field_text_or_empty(path, "name", builder), alias };
        return (text::to_one_line(builder.text_of_node(source)), vec![leaf], ImportKind::Named);
    }
    let source = text::to_one_line(builder.text_of_node(path));
    let leaf = UseLeaf { path: source.trim_start_matches("::").to_owned(), alias };
    (source, vec![leaf], ImportKind::Namespace)
}

/// The names that a `use` group `{ … }` imports, in source order.
fn names_imported_by_use_group(list: Node<'_>, builder: &mut OutlineBuilder<'_, '_>) -> Vec<UseLeaf> {
    let mut leaves = Vec::new();
    let mut stack: Vec<(Node<'_>, String, usize)> = Vec::new();
    push_use_group_members(list, "", 0, &mut stack);
    while let Some((node, prefix, depth)) = stack.pop() {
        let path = |text: &str| format!("{prefix}{}", text::to_one_line(text));
        match node.kind() {
            "use_list" if depth < MAX_GROUP_DEPTH => push_use_group_members(node, &prefix, depth, &mut stack),
            "scoped_use_list" if depth < MAX_GROUP_DEPTH => {
                let below = format!("{}::", path(builder.field_text(node, "path").unwrap_or("")));
                if let Some(list) = node.child_by_field_name("list") {
                    push_use_group_members(list, &below, depth, &mut stack);
                }
            }
            "use_as_clause" => {
                let alias = Some(one_line_field_text_or_empty(node, "alias", builder));
                leaves.push(UseLeaf { path: path(builder.field_text(node, "path").unwrap_or("")), alias });
            }
            "line_comment" | "block_comment" => {}
            "use_list" | "scoped_use_list" => {
                builder.record_region_with_incomplete_facts(node);
                leaves.push(UseLeaf { path: path(builder.text_of_node(node)), alias: None });
            }
            _ => leaves.push(UseLeaf { path: path(builder.text_of_node(node)), alias: None }),
        }
    }
    leaves
}

fn push_use_group_members<'t>(list: Node<'t>, prefix: &str, depth: usize, stack: &mut Vec<(Node<'t>, String, usize)>) {
    let from = stack.len();
    let mut cursor = list.walk();
    stack.extend(list.named_children(&mut cursor).map(|child| (child, prefix.to_owned(), depth + 1)));
    if let Some(members) = stack.get_mut(from..) {
        members.reverse();
    }
}
