//! The markup of Svelte components, of versions 4 and 5.

use std::collections::HashMap;
use std::ops::Range;

use super::component::bind_component_of_file;
use super::expressions::{declare_patterns, record_names_in_tokens};
use super::lexer::{Dialect, is_void_element, is_word_char, tokens_of_range, tokens_until_closing_brace};
use super::sink::{FileNames, MarkupNames};
use super::stores::record_store_uses_in_scripts;
use super::tags::index_of;
use super::tokens::{Bracket, TokenKind, Tokens};
use crate::languages::javascript::embedded::closing_tag_start;
use crate::names::{Expr, ExprId, FILE_SCOPE, NamesBuilder, Role};

/// Records the names that the markup of a Svelte component uses, after those of its scripts, and the uses of stores.
pub(crate) fn record_names_in_svelte_markup(builder: &mut NamesBuilder<'_>) {
    record_store_uses_in_scripts(builder);
    let mut names = MarkupNames::new(builder, FileNames::InScope);
    names.has_stores = true;
    let end = names.source.len();
    let mut reader = MarkupReader { names, at: 0, end, open: Vec::new(), open_by_name: HashMap::new() };
    reader.declare_snippets();
    reader.read_markup();
    let properties = declared_properties(builder);
    bind_component_of_file(properties, builder);
}

/// The value of the type that the file declares for its properties: `let { a }: Props = $props()`.
fn declared_properties(builder: &mut NamesBuilder<'_>) -> Option<ExprId> {
    let before = builder.source.split_once("$props()")?.0.trim_end().strip_suffix('=')?.trim_end();
    let start = before.rfind(|c| !is_word_char(c))? + 1;
    let (rest, name) = before.split_at_checked(start)?;
    if name.is_empty() || !rest.trim_end().ends_with(':') {
        return None;
    }
    let name = builder.intern_source_text(name);
    let of = builder.add_expr(Expr::Name { name, scope: FILE_SCOPE, at: u32::try_from(start).unwrap_or(u32::MAX) });
    Some(builder.add_expr(Expr::Instance { of }))
}

/// An element or a block that is open.
struct Open<'s> {
    /// The name of the element, or `#` with the name of the block.
    name: &'s str,
    /// The number of local names outside.
    locals: usize,
}

struct MarkupReader<'s, 'b> {
    names: MarkupNames<'s, 'b>,
    at: usize,
    end: usize,
    open: Vec<Open<'s>>,
    /// The number of open elements and blocks of each name.
    open_by_name: HashMap<&'s str, usize>,
}

impl<'s> MarkupReader<'s, '_> {
    fn rest(&self) -> &'s str {
        self.names.source.get(self.at..self.end).unwrap_or("")
    }

    fn byte(&self) -> u8 {
        self.rest().as_bytes().first().copied().unwrap_or(0)
    }

    fn skip_whitespace(&mut self) {
        self.at = index_of(self.names.source.as_bytes(), self.at, |byte| !byte.is_ascii_whitespace());
    }

    /// Moves behind the next `wanted`, or to the end of the text.
    fn skip_past(&mut self, wanted: &str) {
        let rest = self.rest();
        self.at += rest.find(wanted).map_or(rest.len(), |found| found + wanted.len());
    }

    /// Makes the names of all snippets local: a snippet can be used before it is defined.
    fn declare_snippets(&mut self) {
        let source = self.names.source;
        for (at, opening) in source.match_indices("{#snippet") {
            let rest = source.get(at + opening.len()..).unwrap_or("");
            let name = rest.trim_start();
            let start = source.len() - name.len();
            let length = name.find(|c| !is_word_char(c)).unwrap_or(name.len());
            if name.len() < rest.len() {
                self.declare_pattern_in_bytes(start..start + length);
            }
        }
    }

    fn declare_pattern_in_bytes(&mut self, bytes: Range<usize>) {
        let mut tokens = tokens_of_range(self.names.source, bytes, Dialect::Plain);
        let end = tokens.len();
        declare_patterns(&mut tokens, (0, end), None, &mut self.names);
    }

    fn read_markup(&mut self) {
        while self.at < self.end {
            let rest = self.rest();
            let Some(found) = memchr::memchr2(b'<', b'{', rest.as_bytes()) else { return };
            self.at += found;
            let rest = self.rest();
            let next = rest.as_bytes().get(1).copied().unwrap_or(0);
            if rest.starts_with('{') {
                self.read_braces();
            } else if rest.starts_with("<!--") {
                self.skip_past("-->");
            } else if next == b'/' {
                self.at += 2;
                let name = self.name_of_element();
                self.skip_past(">");
                let text = self.names.source.get(name.clone()).unwrap_or("");
                if self.close(text) {
                    self.names.record_component_tag(name, Role::Read);
                }
            } else if next.is_ascii_alphabetic() {
                self.read_element();
            } else {
                self.at += 1;
            }
        }
    }

    /// Moves behind the name of an element and returns its bytes.
    fn name_of_element(&mut self) -> Range<usize> {
        let start = self.at;
        self.at = index_of(self.names.source.as_bytes(), start, |byte| {
            byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/' | b'{' | b'<')
        });
        start..self.at
    }

    fn push(&mut self, name: &'s str, locals: usize) {
        *self.open_by_name.entry(name).or_default() += 1;
        self.open.push(Open { name, locals });
    }

    /// Closes the innermost element or block of this name; whether there is one.
    fn close(&mut self, name: &str) -> bool {
        if self.open_by_name.get(name).is_none_or(|count| *count == 0) {
            return false;
        }
        while let Some(open) = self.open.pop() {
            if let Some(count) = self.open_by_name.get_mut(open.name) {
                *count = count.saturating_sub(1);
            }
            self.names.locals.truncate(open.locals);
            if open.name == name {
                break;
            }
        }
        true
    }

    /// Reads the tag of an element; the current offset is that of its `<`.
    fn read_element(&mut self) {
        self.at += 1;
        let bytes = self.name_of_element();
        let name = self.names.source.get(bytes.clone()).unwrap_or("");
        let locals = self.names.locals.len();
        if matches!(name, "script" | "style") {
            let rest = self.rest();
            self.at += closing_tag_start(rest, &format!("</{name}")).unwrap_or(rest.len());
            return;
        }
        self.names.record_component_tag(bytes, Role::Call);
        let mut is_self_closing = false;
        while self.at < self.end {
            self.skip_whitespace();
            let rest = self.rest();
            if rest.starts_with("/>") {
                self.at += 2;
                is_self_closing = true;
                break;
            }
            match self.byte() {
                b'>' => {
                    self.at += 1;
                    break;
                }
                b'{' => {
                    self.read_braces();
                }
                _ if rest.starts_with("//") => self.skip_past("\n"),
                _ if rest.starts_with("/*") => self.skip_past("*/"),
                _ => self.read_attribute(),
            }
        }
        if is_self_closing || is_void_element(name) {
            self.names.locals.truncate(locals);
        } else {
            self.push(name, locals);
        }
    }

    fn read_attribute(&mut self) {
        let source = self.names.source;
        let start = self.at;
        let is_end = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'=' | b'>' | b'{');
        self.at = index_of(source.as_bytes(), start, is_end);
        if self.byte() == b'>' && self.at > start + 1 && source.as_bytes().get(self.at - 1) == Some(&b'/') {
            self.at -= 1;
        }
        let text = source.get(start..self.at).unwrap_or("");
        let (directive, rest) = text.split_once(':').unwrap_or(("", text));
        let argument_start = self.at - rest.len();
        let argument_length = rest.find('|').unwrap_or(rest.len());
        let argument = argument_start..argument_start + argument_length;
        let name_end = self.at;
        self.skip_whitespace();
        let has_value = self.byte() == b'=';
        if !has_value {
            self.at = name_end.max(start + usize::from(self.at == start));
        }
        if matches!(directive, "use" | "transition" | "in" | "out" | "animate") {
            self.names.record_path(argument.clone(), Role::Read);
        }
        if !has_value {
            match directive {
                "bind" => self.record_shorthand(argument, Role::Write),
                "class" | "style" => self.record_shorthand(argument, Role::Read),
                "let" => self.declare_pattern_in_bytes(argument),
                _ => {}
            }
            return;
        }
        self.at += 1;
        self.skip_whitespace();
        if directive == "let" {
            return self.read_let_value();
        }
        let role = if directive == "bind" { Role::Write } else { Role::Read };
        self.read_attribute_value(role);
    }

    /// Records the variable that a directive without a value uses.
    fn record_shorthand(&mut self, bytes: Range<usize>, role: Role) {
        let text = self.names.source.get(bytes.clone()).unwrap_or("");
        if text.chars().all(is_word_char) {
            self.names.record_path(bytes, role);
        }
    }

    /// Reads the pattern of `let:item={pattern}`.
    fn read_let_value(&mut self) {
        let quote = matches!(self.byte(), b'"' | b'\'');
        self.at += usize::from(quote);
        if self.byte() == b'{'
            && let Some(mut tokens) = self.tokens_in_braces()
        {
            let end = tokens.len();
            declare_patterns(&mut tokens, (0, end), None, &mut self.names);
        }
        self.at += usize::from(quote && matches!(self.byte(), b'"' | b'\''));
    }

    fn read_attribute_value(&mut self, role: Role) {
        let quote = self.byte();
        let is_quoted = matches!(quote, b'"' | b'\'');
        self.at += usize::from(is_quoted);
        let is_end = |byte: u8| match is_quoted {
            true => byte == quote,
            false => byte.is_ascii_whitespace() || byte == b'>',
        };
        loop {
            let bytes = self.names.source.as_bytes();
            self.at = index_of(bytes, self.at, |byte| byte == b'{' || is_end(byte));
            if self.byte() != b'{' {
                break;
            }
            let Some(mut tokens) = self.tokens_in_braces() else { return };
            let (end, locals) = (tokens.len(), self.names.locals.len());
            record_names_in_tokens(&mut tokens, (0, end), role, &mut self.names);
            self.names.locals.truncate(locals);
            if !is_quoted && self.rest().starts_with("/>") {
                return;
            }
        }
        self.at += usize::from(is_quoted);
    }

    /// The tokens of the expression in the braces at the current offset, which moves behind them. Without a closing brace
    /// the rest of the text is not understood.
    fn tokens_in_braces(&mut self) -> Option<Tokens> {
        let start = self.at;
        let (tokens, end) = tokens_until_closing_brace(self.names.source, start + 1..self.end);
        match end {
            Some(end) => self.at = end + 1,
            None => {
                self.names.record_missed_bytes(start..self.end);
                self.at = self.end;
                return None;
            }
        }
        Some(tokens)
    }

    /// Reads `{/if}`, if the current offset is that of one.
    fn read_end_of_block(&mut self) -> bool {
        let rest = self.rest();
        let inside = rest.get(1..).unwrap_or("").trim_start();
        let Some(name) = inside.strip_prefix('/').filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
        else {
            return false;
        };
        let length = name.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(name.len());
        let block = format!("#{}", name.get(..length).unwrap_or(""));
        self.skip_past("}");
        self.close(&block);
        true
    }

    /// Reads `{…}` in text or as an attribute: an expression, or a part of a block.
    fn read_braces(&mut self) {
        let start = self.at;
        if self.read_end_of_block() {
            return;
        }
        let Some(mut tokens) = self.tokens_in_braces() else { return };
        let inside = self.names.source.get(start + 1..self.at).unwrap_or("");
        let trimmed = inside.trim_start();
        let sigil = trimmed.chars().next().unwrap_or(' ');
        let word_start = start + 1 + (inside.len() - trimmed.len()) + sigil.len_utf8();
        let word_end = index_of(self.names.source.as_bytes(), word_start, |byte| !byte.is_ascii_alphabetic());
        let word = self.names.source.get(word_start..word_end).unwrap_or("");
        let end = tokens.len();
        match sigil {
            // The tokens of the sigil and of the word come before the expression.
            '#' => self.open_block(word, word_start - sigil.len_utf8()..word_end, &mut tokens),
            ':' => self.read_branch(word, &mut tokens),
            '@' if word == "const" => self.read_constant(&mut tokens),
            '@' => self.record_expression(&mut tokens, (2, end)),
            _ => self.record_expression(&mut tokens, (0, end)),
        }
    }

    fn record_expression(&mut self, tokens: &mut Tokens, range: (usize, usize)) {
        let locals = self.names.locals.len();
        record_names_in_tokens(tokens, range, Role::Read, &mut self.names);
        self.names.locals.truncate(locals);
    }

    fn value_of_expression(&mut self, tokens: &mut Tokens, range: (usize, usize)) -> Option<ExprId> {
        let value = record_names_in_tokens(tokens, range, Role::Read, &mut self.names);
        (value != self.names.builder.unknown_expr()).then_some(value)
    }

    fn element_of(&mut self, of: Option<ExprId>) -> Option<ExprId> {
        of.map(|of| self.names.builder.add_expr(Expr::Element { of }))
    }

    /// The index of the last word `word` from `from` on that is not in brackets; the number of tokens if there is none.
    fn last_index_of_word(&self, tokens: &Tokens, from: usize, word: &str) -> usize {
        let (mut at, mut found) = (from, tokens.len());
        while at < tokens.len() {
            if tokens.is_word(self.names.source, at, word) && at > from {
                found = at;
            }
            at = tokens.index_after(at);
        }
        found
    }

    fn open_block(&mut self, word: &str, bytes: Range<usize>, tokens: &mut Tokens) {
        let name = self.names.source.get(bytes).unwrap_or("");
        let (locals, end) = (self.names.locals.len(), tokens.len());
        match word {
            "each" => self.read_each(tokens),
            "await" => {
                let then = self.last_index_of_word(tokens, 2, "then");
                let catch = self.last_index_of_word(tokens, 2, "catch");
                let at = then.min(catch);
                let value = self.value_of_expression(tokens, (2, at));
                let value = if then < end { self.element_of(value) } else { None };
                declare_patterns(tokens, (at + 1, end), value, &mut self.names);
            }
            "snippet" => {
                let mut paren = 2;
                while !matches!(tokens.kind(paren), None | Some(TokenKind::Open(Bracket::Paren))) {
                    paren += 1;
                }
                let close = tokens.closing_bracket_index(paren);
                declare_patterns(tokens, (paren + 1, close), None, &mut self.names);
            }
            _ => {
                self.record_expression(tokens, (2, end));
            }
        }
        self.push(name, locals);
    }

    /// Reads `{#each items as item, index (key)}`.
    fn read_each(&mut self, tokens: &mut Tokens) {
        let end = tokens.len();
        let source = self.names.source;
        let as_index = self.last_index_of_word(tokens, 2, "as");
        let comma_from = |tokens: &Tokens, from: usize| {
            let mut at = from;
            while at < end && tokens.kind(at) != Some(TokenKind::Comma) {
                at = tokens.index_after(at);
            }
            at
        };
        let (items_end, pattern_end) = match as_index < end {
            true => (as_index, tokens.index_after(as_index + 1)),
            false => (comma_from(tokens, 2), comma_from(tokens, 2)),
        };
        let items = self.value_of_expression(tokens, (2, items_end));
        let element = self.element_of(items);
        if as_index < end {
            declare_patterns(tokens, (as_index + 1, pattern_end), element, &mut self.names);
        }
        let mut at = pattern_end;
        if tokens.kind(at) == Some(TokenKind::Comma) {
            if !tokens.text(source, at + 1).is_empty() && tokens.kind(at + 1) == Some(TokenKind::Word) {
                declare_patterns(tokens, (at + 1, at + 2), None, &mut self.names);
            }
            at += 2;
        }
        self.record_expression(tokens, (at, end));
    }

    /// Reads `{:else if …}`, `{:then value}` and `{:catch error}`. The names of the branch before are no longer visible.
    fn read_branch(&mut self, word: &str, tokens: &mut Tokens) {
        let end = tokens.len();
        while let Some(open) = self.open.last()
            && !open.name.starts_with('#')
            && self.open.iter().rev().take(2).any(|open| open.name.starts_with('#'))
        {
            // An element without a closing tag, such as `<p>`, ends with the branch.
            let Some(open) = self.open.pop() else { break };
            if let Some(count) = self.open_by_name.get_mut(open.name) {
                *count = count.saturating_sub(1);
            }
        }
        if let Some(block) = self.open.last() {
            self.names.locals.truncate(block.locals);
        }
        match word {
            "then" | "catch" => declare_patterns(tokens, (2, end), None, &mut self.names),
            _ => {
                let from = if tokens.is_word(self.names.source, 2, "if") { 3 } else { 2 };
                self.record_expression(tokens, (from, end));
            }
        }
    }

    /// Reads `{@const name = value}`, which is visible in the rest of the block.
    fn read_constant(&mut self, tokens: &mut Tokens) {
        let end = tokens.len();
        let mut at = 2;
        while at < end && tokens.kind(at) != Some(TokenKind::Assign) {
            at = tokens.index_after(at);
        }
        let locals = self.names.locals.len();
        let value = self.value_of_expression(tokens, (at + 1, end));
        self.names.locals.truncate(locals);
        declare_patterns(tokens, (2, at), value, &mut self.names);
    }
}
