//! The outline of Rust macro calls in item position: the tokens between their brackets may be items as well.

use tree_sitter::{Node, Point, Range, Tree};

use super::grammar::GRAMMAR;
use crate::facts::NotParsed;
use crate::outline::OutlineBuilder;
use crate::parse;
use crate::text;

/// Keywords that can open an item inside a function body. A body without any of these words is not searched for items.
pub(super) const ITEM_KEYWORDS: &[&str] = &[
    "fn",
    "use",
    "struct",
    "enum",
    "const",
    "static",
    "impl",
    "mod",
    "trait",
    "type",
    "macro_rules",
    "union",
    "extern",
    "macro",
];

/// The limit on the nesting of macro calls whose tokens are parsed as items. Each level is parsed once more.
pub(super) const MAX_CALL_DEPTH: usize = 8;

/// Adds the definitions inside a macro call (`cfg_net! { pub struct Stream; }`) to the symbol that encloses the call.
pub(super) fn add_items_of_macro_call<'t>(call: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) {
    if builder.is_in_local_scope() || !is_current_node_in_item_position(builder) {
        return;
    }
    let Some(tree) = macro_call_token_tree(call).filter(|tree| may_token_tree_contain_items(*tree, builder.source))
    else {
        return;
    };
    if builder.fragment_depth() >= MAX_CALL_DEPTH {
        builder.record_region_with_incomplete_facts(tree);
        return;
    }
    match parse_macro_call_items(tree, builder.source) {
        Ok(Some(items)) => builder.visit_fragment_tree(&items),
        Ok(None) => {}
        Err(_) => builder.record_region_with_incomplete_facts(tree),
    }
}

/// Whether the current node is in item position: directly in a file, a module, a trait or an impl block.
fn is_current_node_in_item_position(builder: &OutlineBuilder<'_, '_>) -> bool {
    let mut above = builder.ancestor_nodes().map(|node| node.kind());
    let mut parent = above.next();
    if parent == Some("expression_statement") {
        parent = above.next();
    }
    matches!(parent, Some("source_file" | "declaration_list"))
}

/// The tokens of a macro call: the node of the bracketed group, including its brackets.
pub(super) fn macro_call_token_tree(call: Node<'_>) -> Option<Node<'_>> {
    let last = call.child(call.child_count().checked_sub(1)?)?;
    (last.kind() == "token_tree").then_some(last)
}

fn may_token_tree_contain_items(tree: Node<'_>, source: &str) -> bool {
    let text = source.get(tree.byte_range()).unwrap_or("");
    text.starts_with(['{', '(']) && text.ends_with(['}', ')']) && text::has_any_word(text, ITEM_KEYWORDS)
}

/// Parses the tokens between the brackets of a macro call as items. Returns `None` if any of them is not an item.
pub(super) fn parse_macro_call_items(tree: Node<'_>, source: &str) -> Result<Option<Tree>, NotParsed> {
    if !may_token_tree_contain_items(tree, source) {
        return Ok(None);
    }
    let (start, end) = (tree.start_position(), tree.end_position());
    let range = Range {
        start_byte: tree.start_byte() + 1,
        end_byte: tree.end_byte().saturating_sub(1),
        start_point: Point::new(start.row, start.column + 1),
        end_point: Point::new(end.row, end.column.saturating_sub(1)),
    };
    let Some(grammar) = GRAMMAR else { return Ok(None) };
    let Some(items) = parse::parse_fragment(grammar, source, range)? else { return Ok(None) };
    let root = items.root_node();
    let mut cursor = root.walk();
    let all_items = root.named_children(&mut cursor).all(is_item_node);
    drop(cursor);
    Ok(all_items.then_some(items))
}

fn is_item_node(node: Node<'_>) -> bool {
    match node.kind() {
        "function_item"
        | "function_signature_item"
        | "struct_item"
        | "union_item"
        | "enum_item"
        | "trait_item"
        | "type_item"
        | "associated_type"
        | "impl_item"
        | "mod_item"
        | "foreign_mod_item"
        | "const_item"
        | "static_item"
        | "macro_definition"
        | "macro_invocation"
        | "use_declaration"
        | "extern_crate_declaration"
        | "attribute_item"
        | "inner_attribute_item"
        | "empty_statement"
        | "line_comment"
        | "block_comment" => true,
        "expression_statement" => node.named_child(0).is_some_and(|inner| inner.kind() == "macro_invocation"),
        _ => false,
    }
}
