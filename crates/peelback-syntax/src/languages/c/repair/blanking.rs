//! Replaces macros around C declarations by blanks: annotations, attributes, and macro calls on a line of their own.

use super::SourceRepairScanner;
use crate::languages::c::annotation;
use crate::languages::c::conditional_group::BraceKind;

/// Limit on the number of annotation macros and argument lists after one declarator. If there are more, all stay as
/// written.
const MAX_TRAILING_ANNOTATIONS: usize = 16;

/// Limit on the length of an annotation's argument list, in bytes. A longer list is not recognised.
const MAX_ARGUMENT_BYTES: usize = 4_000;

impl SourceRepairScanner<'_> {
    /// Removes annotation macros from the declaration at byte `start`. The replacement of a macro, such as `const`,
    /// takes its place if there is room, so that the declaration still begins at the same byte.
    pub(super) fn blank_or_replace_annotation_macros(&mut self, start: usize) {
        for found in annotation::find_annotation_macros_at_statement_start(self.source, start, self.is_at_top_level()) {
            let word = if found.replacement.len() <= found.bytes.len() { found.replacement } else { "" };
            self.blanked_ranges.push(found.bytes.start + word.len()..found.bytes.end);
            if !word.is_empty() {
                self.replacements.push((found.bytes.start, word));
            }
        }
    }

    /// Blanks the annotation macros after a declarator, with their arguments, if the declaration ends there or a value
    /// follows. Returns whether the macros were blanked.
    pub(super) fn blank_trailing_annotation_macros(&mut self, start: usize) -> bool {
        let mut end = self.position;
        for _ in 0..MAX_TRAILING_ANNOTATIONS {
            end = match self.next_code_byte(end) {
                Some(b'(') => match self.offset_after_closing_parenthesis(end) {
                    Some(closed) => closed,
                    None => return false,
                },
                Some(b'_' | b'a'..=b'z' | b'A'..=b'Z') => {
                    let begin = annotation::offset_after_space_and_comments(self.source, end);
                    let rest = self.source.get(begin..).unwrap_or("");
                    let word = rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or("");
                    if !annotation::is_macro_like_name(word) {
                        return false;
                    }
                    begin + word.len()
                }
                next => {
                    let is_declarator_end =
                        next == Some(b';') || (next == Some(b'=') && self.previous_code_byte == b']');
                    if is_declarator_end {
                        self.blanked_ranges.push(start..end);
                        self.position = end;
                    }
                    return is_declarator_end;
                }
            };
        }
        false
    }

    /// Blanks macros without arguments and semicolons, such as `COMMON_FIELDS`, that are all of a statement or member
    /// before a closing brace. Returns whether there are any.
    pub(super) fn blank_macros_before_closing_brace(&mut self, start: usize) -> bool {
        // In an enum such a word is an enumerator.
        if self.nesting.braces.is_empty() || self.braces_in_enum == Some(self.nesting.braces.len()) {
            return false;
        }
        let mut end = start;
        loop {
            let rest = self.source.get(end..).unwrap_or("");
            let word = rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or("");
            if !annotation::is_macro_like_name(word) {
                return false;
            }
            end += word.len();
            let next = annotation::offset_after_space_and_comments(self.source, end);
            match self.bytes.get(next) {
                Some(b'}') => {
                    self.blanked_ranges.push(start..end);
                    self.position = end;
                    return true;
                }
                Some(b'_' | b'a'..=b'z' | b'A'..=b'Z') => end = next,
                _ => return false,
            }
        }
    }

    /// Blanks a macro that makes a type of its argument in front of the braces of a value: `return LIT(Color){ 1 };` becomes a
    /// compound literal. Returns whether the macro, which starts at byte `start`, was blanked.
    pub(super) fn blank_macro_of_compound_literal(&mut self, start: usize) -> bool {
        let is_in_initialiser = self.nesting.braces.last() == Some(&BraceKind::Initialiser);
        let begins_value = match self.previous_code_byte {
            b'=' | b'(' | b'?' | b'&' => true,
            b'[' | b',' => self.nesting.parens > 0 || is_in_initialiser,
            b'{' => is_in_initialiser,
            _ => self.is_after_return,
        };
        if !begins_value || self.next_code_byte(self.position) != Some(b'(') {
            return false;
        }
        let Some(end) = self.offset_after_closing_parenthesis(self.position) else { return false };
        let brace = annotation::offset_after_space_and_comments(self.source, end);
        let argument = self.source.get(self.position..end).unwrap_or("").trim_matches([' ', '\t', '(', ')']);
        let is_type = argument.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && argument.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_* []".contains(&byte));
        if !is_type || self.bytes.get(brace) != Some(&b'{') || self.is_statement_in_braces(brace) {
            return false;
        }
        self.blanked_ranges.push(start..self.position);
        self.compound_literal_brace = Some(brace);
        true
    }

    /// Whether a `;` outside of strings stands nearby in the braces that open at byte `at`.
    fn is_statement_in_braces(&self, at: usize) -> bool {
        let mut depth = 0_usize;
        let mut quote = None;
        let mut is_escaped = false;
        for &byte in self.bytes.get(at..).unwrap_or(&[]).iter().take(MAX_ARGUMENT_BYTES) {
            match (quote, byte) {
                _ if std::mem::take(&mut is_escaped) => {}
                (Some(_), b'\\') => is_escaped = true,
                (Some(open), _) if open == byte || byte == b'\n' => quote = None,
                (Some(_), _) => {}
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, b'{') => depth += 1,
                (None, b'}') => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return false;
                    }
                }
                (None, b';') => return true,
                (None, _) => {}
            }
        }
        false
    }

    /// Whether `*name)(`, a part of a function pointer, follows at byte `at`. With the calling convention the grammar
    /// misreads `BOOL(WINAPI *open)(HANDLE, DWORD)`; without it, the text parses as a pointer to a function.
    pub(super) fn is_followed_by_function_pointer_name(&self, at: usize) -> bool {
        let mut at = annotation::offset_after_space_and_comments(self.source, at);
        let star = at;
        while self.bytes.get(at) == Some(&b'*') {
            at = annotation::offset_after_space_and_comments(self.source, at + 1);
        }
        let name = self.bytes.get(at..).unwrap_or(&[]);
        let length = name.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        let close = annotation::offset_after_space_and_comments(self.source, at + length);
        at > star && length > 0 && self.bytes.get(close) == Some(&b')') && self.next_code_byte(close + 1) == Some(b'(')
    }

    /// Byte offset after the parenthesis that closes the next opening parenthesis from byte `at` on.
    fn offset_after_closing_parenthesis(&self, at: usize) -> Option<usize> {
        let mut depth = 0usize;
        for (index, &byte) in self.bytes.get(at..)?.iter().take(MAX_ARGUMENT_BYTES).enumerate() {
            match byte {
                b'(' => depth += 1,
                b')' => depth = depth.checked_sub(1)?,
                _ if depth == 0 && !byte.is_ascii_whitespace() => return None,
                // The arguments of an attribute contain no statements, so these characters mean that the text is not an
                // attribute.
                b';' | b'{' | b'}' => return None,
                _ => {}
            }
            if depth == 0 && byte == b')' {
                return Some(at + index + 1);
            }
        }
        None
    }

    /// The first byte from offset `at` on that is neither white space nor in a comment.
    pub(super) fn next_code_byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(annotation::offset_after_space_and_comments(self.source, at)).copied()
    }

    /// Blanks an attribute between a variable's name and the end of its declarator, where the grammar does not accept
    /// one. Returns whether the attribute was blanked.
    pub(super) fn blank_attribute_before_declarator_end(&mut self, start: usize) -> bool {
        let Some(end) = self.offset_after_closing_parenthesis(self.position) else { return false };
        let after_value = matches!(self.previous_code_byte, b'a' | b']');
        let should_blank = match self.next_code_byte(end) {
            Some(b'=') => true,
            Some(b';' | b',') => after_value,
            _ => false,
        };
        if should_blank {
            self.blanked_ranges.push(start..end);
            self.position = end;
        }
        should_blank
    }

    /// Blanks a macro call that is alone on its line above a declaration. Called after each closing parenthesis or
    /// bracket; does nothing unless it closes a possible macro call.
    pub(super) fn blank_macro_call_on_own_line(&mut self) {
        let Some(call) = self.possible_macro_call.take_if(|call| call.parens == self.nesting.parens) else { return };
        let rest = self.bytes.get(self.position..).unwrap_or(&[]);
        let white_space_len = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if !rest.get(..white_space_len).unwrap_or(&[]).contains(&b'\n') {
            return;
        }
        let next = rest.get(white_space_len..).unwrap_or(&[]);
        if !next.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_') {
            return;
        }
        let name = next.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        // In `API(int)` above `name(void)` the macro call is the return type.
        if self.next_code_byte(self.position + white_space_len + name) != Some(b'(') {
            self.blanked_ranges.push(call.start..self.position);
            self.previous_code_byte = call.previous_code_byte;
        }
    }
}
