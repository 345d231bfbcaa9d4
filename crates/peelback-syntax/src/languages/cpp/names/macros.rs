//! Macros that open and close namespaces, such as `API_BEGIN_NAMESPACE`, alone on a line.
//!
//! What such a macro opens is in its definition, often in another file: the binder records the scope of the code behind it,
//! and with the definition of a macro the namespaces that its body opens.

use std::ops::Range;

use super::{Binder, repair};
use crate::names::{BindingId, BindingKind, Expr, ExprId, FILE_SCOPE, NamesBuilder, Role, ScopeId, ScopeKind, Target};

/// The limit on the number of macro calls that open a namespace in one file.
const MAX_MACRO_NAMESPACES: usize = 64;

impl Binder<'_> {
    /// Finds the macros of the file that open a namespace, and opens a scope for the code behind each of them.
    pub(super) fn open_macro_namespaces(&mut self, builder: &mut NamesBuilder<'_>) {
        let source = builder.source;
        if !source.contains("NAMESPACE") {
            return;
        }
        let mut open: Vec<(ScopeId, usize)> = Vec::new();
        let (mut line_number, mut counted) = (1, 0);
        for word_range in repair::words_alone_on_lines(source) {
            let Some(word) = source.get(word_range.clone()) else { continue };
            let name_at = word_range.start;
            line_number += crate::text::count_newlines(source, counted..name_at);
            counted = name_at;
            // The code inside begins and ends with a line.
            let start = source.get(..name_at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
            let at =
                source.get(name_at..).and_then(|rest| rest.find('\n')).map_or(source.len(), |end| name_at + end + 1);
            match marker_of_word(word) {
                Some(Marker::Begin) if self.macro_namespaces.len() < MAX_MACRO_NAMESPACES => {
                    self.macro_calls.push(name_at);
                    let parent = open.last().map_or(FILE_SCOPE, |(scope, _)| *scope);
                    let name = builder.name_id_of_source_range(word_range.clone());
                    let byte = u32::try_from(name_at).unwrap_or(u32::MAX);
                    let meant = builder.add_expr(Expr::Name { name, scope: FILE_SCOPE, at: byte });
                    builder.record_occurrence_at_offset(name, name_at, line_number, Role::Call, Target::Expr(meant));
                    let hidden = builder.intern_constructed_text(MACRO_NAMESPACE);
                    let bound = builder.add_binding(parent, BindingKind::Module, hidden, name_at);
                    let scope = builder.add_child_scope_for_bytes(parent, ScopeKind::Module, at..source.len());
                    builder.link_binding_and_body_scope(bound, scope);
                    builder.binding_mut(bound).annotation = Some(meant);
                    open.push((scope, self.macro_namespaces.len()));
                    self.macro_namespaces.push((at..source.len(), scope));
                }
                Some(Marker::End) => {
                    if let Some((scope, index)) = open.pop() {
                        if let Some((bytes, _)) = self.macro_namespaces.get_mut(index) {
                            bytes.end = start;
                        }
                        if let Some(scope) = builder.names.scopes.get_mut(scope as usize) {
                            scope.bytes.end = u32::try_from(start).unwrap_or(u32::MAX);
                        }
                    }
                    self.macro_calls.push(name_at);
                    let name = builder.name_id_of_source_range(word_range.clone());
                    let byte = u32::try_from(name_at).unwrap_or(u32::MAX);
                    let meant = builder.add_expr(Expr::Name { name, scope: FILE_SCOPE, at: byte });
                    builder.record_occurrence_at_offset(name, name_at, line_number, Role::Call, Target::Expr(meant));
                }
                _ => {}
            }
        }
    }

    /// Records the namespaces that the body of a macro opens, without inline ones, as the bases of the macro.
    pub(super) fn record_namespaces_opened_by_macro(
        &self,
        bound: BindingId,
        body: Range<usize>,
        builder: &mut NamesBuilder<'_>,
    ) {
        let source = builder.source;
        let Some(text) = source.get(body.clone()) else { return };
        if !text.contains("namespace") {
            return;
        }
        let mut opened: Vec<ExprId> = Vec::new();
        let mut before = "";
        let mut words = words_of_text(text).peekable();
        while let Some((_, word)) = words.next() {
            if word == "namespace"
                && before != "inline"
                && before != "using"
                && let Some((at, name)) = words.peek().copied()
                && name.starts_with(|c: char| c.is_alphabetic() || c == '_')
            {
                let start = body.start + at;
                let id = builder.name_id_of_source_range(start..start + name.len());
                let byte = u32::try_from(start).unwrap_or(u32::MAX);
                opened.push(builder.add_expr(Expr::Name { name: id, scope: FILE_SCOPE, at: byte }));
            }
            before = word;
        }
        if !opened.is_empty() {
            builder.binding_mut(bound).bases = builder.add_expr_list(&opened);
        }
    }
}

/// The name of the module that the code behind a macro is. No source can write it.
const MACRO_NAMESPACE: &str = "namespace macro";

enum Marker {
    Begin,
    End,
}

/// Whether a word, alone on its line, looks like a macro that opens or closes a namespace.
fn marker_of_word(word: &str) -> Option<Marker> {
    let is_macro = !word.is_empty()
        && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && word.contains("NAMESPACE");
    if !is_macro {
        return None;
    }
    let has = |part: &str| word.split('_').any(|word| word == part);
    match (has("BEGIN") || has("OPEN") || has("ENTER"), has("END") || has("CLOSE") || has("LEAVE") || has("EXIT")) {
        (true, false) => Some(Marker::Begin),
        (false, true) => Some(Marker::End),
        _ => None,
    }
}

/// The names and keywords of a text, each with its offset; other characters but spaces are words of their own.
fn words_of_text(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        let skipped = rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\\').len();
        let start = at + skipped;
        let rest = text.get(start..)?;
        let first = rest.chars().next()?;
        let len = if is_name(first) { rest.find(|c| !is_name(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        at = start + len;
        Some((start, rest.get(..len)?))
    })
}
