//! `use` and `extern crate`.

use tree_sitter::Node;

use crate::facts::{Export, ExportKind, Import, ImportKind};
use crate::outline::OutlineBuilder;
use crate::text;

/// Groups inside groups are taken apart down to this depth; deeper ones stay as written.
const MAX_GROUPS: usize = 16;

/// One name that a `use` brings in: its path below the declaration's source, and its alias.
struct Leaf {
    path: String,
    alias: Option<String>,
}

impl Leaf {
    /// As written: `Write`, `io::Read as _`, `fmt::*`.
    fn written(&self) -> String {
        match &self.alias {
            Some(alias) => format!("{} as {alias}", self.path),
            None => self.path.clone(),
        }
    }

    /// The name under which a `pub use` passes it on.
    fn exported(&self, source: &str) -> Option<String> {
        match &self.alias {
            Some(alias) => (alias != "_").then(|| alias.clone()),
            None if self.path == "self" => Some(last_segment(source).to_owned()),
            None => Some(last_segment(self.path.strip_suffix("::self").unwrap_or(&self.path)).to_owned()),
        }
    }
}

fn last_segment(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

/// `use a::{b, c as d}`: one import, its source the path that all its names share.
pub(super) fn use_declaration(node: Node<'_>, builder: &mut OutlineBuilder<'_, '_>) {
    let Some(argument) = node.child_by_field_name("argument") else { return };
    let (source, leaves, kind) = match argument.kind() {
        "use_list" => (String::new(), group(argument, builder), ImportKind::Named),
        "scoped_use_list" => {
            let leaves = argument.child_by_field_name("list").map_or_else(Vec::new, |list| group(list, builder));
            (field(argument, "path", builder), leaves, ImportKind::Named)
        }
        "use_wildcard" => {
            let source = argument.named_child(0).map_or_else(String::new, |path| text::one_line(builder.text(path)));
            (source, Vec::new(), ImportKind::Glob)
        }
        "use_as_clause" => {
            let alias = Some(field(argument, "alias", builder));
            let Some(path) = argument.child_by_field_name("path") else { return };
            single(path, alias, builder)
        }
        _ => single(argument, None, builder),
    };
    let import = Import {
        text: text::one_line(&builder.code(node, node.byte_range())),
        source,
        names: leaves.iter().map(Leaf::written).collect(),
        kind,
        lines: builder.lines(node),
    };
    if is_public(node, builder) && builder.enclosing().is_none() && !builder.is_local() {
        let line = import.lines.first;
        if kind == ImportKind::Glob {
            builder.exports.push(Export { name: "*".to_owned(), kind: ExportKind::All, line });
        }
        for leaf in &leaves {
            let Some(name) = leaf.exported(&import.source) else { continue };
            let kind = if name == "*" { ExportKind::All } else { ExportKind::ReExport };
            builder.exports.push(Export { name, kind, line });
        }
    }
    builder.imports.push(import);
}

/// `extern crate a as b`.
pub(super) fn extern_crate(node: Node<'_>, builder: &mut OutlineBuilder<'_, '_>) {
    let source = field(node, "name", builder);
    let alias = node.child_by_field_name("alias").map(|alias| builder.text(alias).to_owned());
    let leaf = Leaf { path: source.clone(), alias };
    let lines = builder.lines(node);
    if is_public(node, builder)
        && builder.enclosing().is_none()
        && let Some(name) = leaf.exported(&source)
    {
        builder.exports.push(Export { name, kind: ExportKind::ReExport, line: lines.first });
    }
    let text = text::one_line(builder.text(node));
    builder.imports.push(Import { text, source, names: vec![leaf.written()], kind: ImportKind::Namespace, lines });
}

fn is_public(node: Node<'_>, builder: &OutlineBuilder<'_, '_>) -> bool {
    node.named_child(0).is_some_and(|first| first.kind() == "visibility_modifier" && builder.text(first) == "pub")
}

fn field(node: Node<'_>, name: &str, builder: &OutlineBuilder<'_, '_>) -> String {
    builder.field_text(node, name).map(text::one_line).unwrap_or_default()
}

/// `a::b::c`: the name `c` of `a::b`. A path of one segment is the whole source under its own name.
fn single(path: Node<'_>, alias: Option<String>, builder: &OutlineBuilder<'_, '_>) -> (String, Vec<Leaf>, ImportKind) {
    if let Some(source) = path.child_by_field_name("path") {
        let leaf = Leaf { path: field(path, "name", builder), alias };
        return (text::one_line(builder.text(source)), vec![leaf], ImportKind::Named);
    }
    let source = text::one_line(builder.text(path));
    let leaf = Leaf { path: source.trim_start_matches("::").to_owned(), alias };
    (source, vec![leaf], ImportKind::Namespace)
}

/// The names of `{ … }`, in the order of the text.
fn group(list: Node<'_>, builder: &mut OutlineBuilder<'_, '_>) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    let mut stack: Vec<(Node<'_>, String, usize)> = Vec::new();
    push_members(list, "", 0, &mut stack);
    while let Some((node, prefix, depth)) = stack.pop() {
        let path = |text: &str| format!("{prefix}{}", text::one_line(text));
        match node.kind() {
            "use_list" if depth < MAX_GROUPS => push_members(node, &prefix, depth, &mut stack),
            "scoped_use_list" if depth < MAX_GROUPS => {
                let below = format!("{}::", path(builder.field_text(node, "path").unwrap_or("")));
                if let Some(list) = node.child_by_field_name("list") {
                    push_members(list, &below, depth, &mut stack);
                }
            }
            "use_as_clause" => {
                let alias = Some(field(node, "alias", builder));
                leaves.push(Leaf { path: path(builder.field_text(node, "path").unwrap_or("")), alias });
            }
            "line_comment" | "block_comment" => {}
            "use_list" | "scoped_use_list" => {
                builder.miss(node);
                leaves.push(Leaf { path: path(builder.text(node)), alias: None });
            }
            _ => leaves.push(Leaf { path: path(builder.text(node)), alias: None }),
        }
    }
    leaves
}

fn push_members<'t>(list: Node<'t>, prefix: &str, depth: usize, stack: &mut Vec<(Node<'t>, String, usize)>) {
    let from = stack.len();
    let mut cursor = list.walk();
    stack.extend(list.named_children(&mut cursor).map(|child| (child, prefix.to_owned(), depth + 1)));
    if let Some(members) = stack.get_mut(from..) {
        members.reverse();
    }
}
