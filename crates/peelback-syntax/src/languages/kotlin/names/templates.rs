//! Name binding of Kotlin's string templates.
//!
//! The grammar reads `$name` as text, so that the binder finds it in the text itself.

use tree_sitter::Node;

use super::{Binder, Kind, THIS};
use crate::names::{Expr, NamesBuilder, Role, ScopeId, Target, first_line_number_of_node};

impl<'t> Binder<'t> {
    /// Binds the names in the templates of a string.
    pub(super) fn bind_templates(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let mut text_start = node.start_byte();
        let mut line = first_line_number_of_node(node);
        let dollars = dollars_before(builder.source, node.start_byte());
        let is_raw = self.kind(node) == Kind::MultilineStringLiteral;
        self.for_each_child(node, builder, |binder, child, builder| {
            if binder.kind(child) == Kind::Interpolation {
                bind_names_in_text((text_start, child.start_byte()), line, (dollars, is_raw), scope, builder);
                binder.bind_children(child, scope, builder);
                text_start = child.end_byte();
                line = u32::try_from(child.end_position().row + 1).unwrap_or(u32::MAX);
            }
        });
        bind_names_in_text((text_start, node.end_byte()), line, (dollars, is_raw), scope, builder);
    }
}

/// Records the names behind `$` in the part of a string between two offsets, which begins on `line`.
fn bind_names_in_text(
    (start, end): (usize, usize),
    mut line: u32,
    (dollars, is_raw): (usize, bool),
    scope: ScopeId,
    builder: &mut NamesBuilder<'_>,
) {
    let source = builder.source;
    let Some(text) = source.get(start..end) else { return };
    let mut found = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '\n' => line += 1,
            '\\' if !is_raw => {
                chars.next();
            }
            '$' => {
                found += 1;
                let rest = text.get(at + 1..).unwrap_or("");
                let name = name_at_start(rest);
                if found >= dollars && !name.is_empty() {
                    let plain = name.trim_matches('`');
                    if plain != THIS {
                        let at = start + at + 1 + usize::from(name.starts_with('`'));
                        let name = builder.intern_source_text(plain);
                        let expr = builder.add_expr(Expr::Name { name, scope, at: super::to_u32(at) });
                        builder.record_occurrence_at_offset(name, at, line, Role::Read, Target::Expr(expr));
                    }
                }
                continue;
            }
            _ => {}
        }
        found = 0;
    }
}

/// The name with which a text begins, with its backticks; empty if it begins with none.
fn name_at_start(text: &str) -> &str {
    if let Some(quoted) = text.strip_prefix('`') {
        let end = quoted.find(['`', '\n', '"']).filter(|end| quoted.get(*end..*end + 1) == Some("`"));
        return end.and_then(|end| text.get(..end + 2)).unwrap_or("");
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    if text.starts_with(|c: char| c.is_numeric()) {
        return "";
    }
    let end = text.find(|c: char| !is_part(c)).unwrap_or(text.len());
    text.get(..end).unwrap_or("")
}

/// The number of dollar signs that begin a template in a string: those before its quotes, at least one.
fn dollars_before(source: &str, quotes: usize) -> usize {
    let before = source.as_bytes().get(..quotes).unwrap_or(&[]);
    before.iter().rev().take_while(|byte| **byte == b'$').count().max(1)
}
