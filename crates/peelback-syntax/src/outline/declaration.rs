//! The parts of a definition in an outline that follow from its syntax nodes: its signature, and the comments and
//! decorators above it.

use std::borrow::Cow;
use std::ops::Range;

use tree_sitter::Node;

use super::{Definition, OutlineBuilder};
use crate::facts::{SymbolKind, Visibility};
use crate::frontend::Attachment;
use crate::syntax_errors::last_row_of_node;
use crate::text;

/// The limit on the number of enclosing scopes up to which a symbol's signature can have any length.
const UNLIMITED_SIGNATURE_DEPTH: usize = 16;

/// The limit on the length, in bytes, of the signature of a deeply nested symbol. Other signatures have no limit,
/// because some declarations span hundreds of lines.
const MAX_SIGNATURE: usize = 4_000;

/// The limit on the number of tree levels below a definition that are searched for comments, which are removed from its
/// signature.
const SIGNATURE_DEPTH: usize = 4;

impl<'t, 's> OutlineBuilder<'t, 's> {
    /// What stands directly above the current node: the byte offset of the first comment or decorator there, the first
    /// line of the documentation, and the decorators as written.
    fn outer_start_doc_line_and_decorators(&self, node: Node<'t>) -> (usize, Option<String>, Vec<String>) {
        let pending = self.pending_attachments.get(self.depth).map_or(&[][..], Vec::as_slice);
        let mut first = pending.len();
        let mut next_row = node.start_position().row;
        let mut doc_first = None;
        for (index, item) in pending.iter().enumerate().rev() {
            let gap = next_row.saturating_sub(last_row_of_node(item.node));
            match item.role {
                Attachment::Decorator => {}
                Attachment::Comment => {
                    let is_doc = self.frontend.doc_comment_text(self.text_of_node(item.node)).is_some();
                    let is_adjacent = gap <= 1 || !self.frontend.should_doc_comment_touch_definition();
                    // A block doc comment is complete by itself: a second block above it documents something else.
                    let is_second_block =
                        is_doc && doc_first.is_some() && self.text_of_node(item.node).starts_with("/*");
                    if !is_adjacent || is_second_block {
                        break;
                    }
                    if is_doc {
                        doc_first = Some(index);
                    } else if doc_first.is_some() || self.frontend.should_doc_comment_touch_definition() {
                        break;
                    } else {
                        continue;
                    }
                }
            }
            first = index;
            next_row = item.node.start_position().row;
        }
        let own_attachments = pending.get(first..).unwrap_or(&[]);
        let start = own_attachments.first().map_or(node.start_byte(), |item| item.node.start_byte());
        let docstring = doc_first.and_then(|_| {
            own_attachments
                .iter()
                .filter(|item| item.role == Attachment::Comment)
                .filter_map(|item| self.frontend.doc_comment_text(self.text_of_node(item.node)))
                .find_map(text::first_non_blank_line)
        });
        let decorators = own_attachments
            .iter()
            .filter(|item| item.role == Attachment::Decorator)
            .map(|item| text::to_one_line(self.text_of_node(item.node)))
            .collect();
        (start, docstring, decorators)
    }

    /// Creates a definition called `name` that spans `node`; its signature ends where `body` begins.
    pub fn build_definition(
        &self,
        kind: SymbolKind,
        name: &str,
        node: Node<'t>,
        body: Option<Node<'t>>,
    ) -> Definition<'t> {
        let (outer_start, docstring, decorators) = self.outer_start_doc_line_and_decorators(node);
        let start = node.start_byte();
        let end = text::trimmed_end_offset(self.source, node.byte_range());
        let signature_end = body.map_or(end, |body| body.start_byte()).clamp(start, end);
        Definition {
            name: name.to_owned(),
            kind,
            node,
            start,
            end,
            outer_start,
            signature: self.signature_of_range(node, start..signature_end),
            decorators,
            docstring,
            visibility: Visibility::Unknown,
            container: None,
            scope_name: None,
        }
    }

    /// The signature in the byte range `bytes` of `node`: its text on one line, without comments.
    pub fn signature_of_range(&self, node: Node<'_>, mut bytes: Range<usize>) -> String {
        if self.open_scopes.len() > UNLIMITED_SIGNATURE_DEPTH && bytes.len() > MAX_SIGNATURE {
            bytes.end = self.source.floor_char_boundary(bytes.start + MAX_SIGNATURE);
        }
        text::format_signature(&self.text_without_comments_until_error(node, bytes))
    }

    /// The text in the byte range `bytes` of `node` without comments. The text ends at a syntax error that spans
    /// several lines.
    pub fn text_without_comments_until_error(&self, node: Node<'_>, bytes: Range<usize>) -> Cow<'s, str> {
        let text = self.source.get(bytes.clone()).unwrap_or("");
        if !text.contains('\n') && !text.contains("/*") {
            return Cow::Borrowed(text);
        }
        let mut kept = String::with_capacity(text.len());
        let mut copied_until = bytes.start;
        let mut end = bytes.end;
        let mut cursor = node.walk();
        let mut depth = 0;
        'walk: loop {
            let part = cursor.node();
            if part.start_byte() >= end {
                break;
            }
            if part.is_error() && depth > 0 && self.text_of_node(part).contains('\n') {
                end = part.start_byte().max(copied_until);
                break;
            }
            let comment = part.is_named()
                && self.frontend.comment_or_decorator_role_of_kind(part.kind()) == Some(Attachment::Comment);
            if comment && part.start_byte() >= copied_until {
                kept.push_str(self.source.get(copied_until..part.start_byte()).unwrap_or(""));
                kept.push(' ');
                copied_until = part.end_byte().min(end);
            }
            if !comment && depth < SIGNATURE_DEPTH && cursor.goto_first_child() {
                depth += 1;
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    break 'walk;
                }
                depth -= 1;
            }
        }
        kept.push_str(self.source.get(copied_until..end).unwrap_or(""));
        Cow::Owned(kept)
    }
}
