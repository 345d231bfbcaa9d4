//! Names of methods that code writes as symbols and strings.

use std::ops::Range;

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{ExprId, NamesBuilder, Role};

/// A name in the text, with its place.
#[derive(Clone)]
pub(super) struct WrittenName {
    pub range: Range<usize>,
    pub line: u32,
}

impl<'t> Binder<'t> {
    /// The names that a literal argument writes: `:a`, `"a"`, `%i[a b]`, `[:a, :b]`.
    pub(super) fn names_in_literal(&self, node: Node<'t>) -> Vec<WrittenName> {
        let line = crate::names::first_line_number_of_node(node);
        match self.kind(node) {
            Kind::SimpleSymbol | Kind::String | Kind::DelimitedSymbol | Kind::HashKeySymbol => {
                let range = super::super::literals::name_range_of_literal(node);
                range.map(|range| WrittenName { range, line }).into_iter().collect()
            }
            Kind::Array | Kind::SymbolArray | Kind::StringArray => {
                let mut cursor = node.walk();
                let parts = node.named_children(&mut cursor);
                parts
                    .filter_map(|part| {
                        let range = super::super::literals::name_range_of_literal(part)?;
                        Some(WrittenName { range, line: crate::names::first_line_number_of_node(part) })
                    })
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// Records that a literal names the method of `base`. With [`Role::Read`] the name counts only if the method is known.
    pub(super) fn record_method_named_by_literal(
        &mut self,
        base: ExprId,
        written: &WrittenName,
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let name = builder.name_id_of_source_range(written.range.clone());
        self.record_member_at(base, name, (written.range.start, written.line), role, builder)
    }
}
