//! Splits whole markup with expressions into tokens, where there is markup again in the expressions (Astro).

use super::lexer::{Lexer, is_void_element, is_word_char};
use super::tokens::{Bracket, TokenKind, Tokens};
use crate::languages::javascript::embedded::closing_tag_start;

impl Lexer<'_> {
    /// The tokens of the markup from the current offset on.
    pub fn tokens_of_markup(mut self) -> Tokens {
        self.open_bracket(Bracket::Markup, 0);
        while self.at < self.end {
            match self.innermost_bracket() {
                Some(Bracket::Markup) => self.read_markup_text(),
                Some(Bracket::Tag) => self.read_part_of_tag(),
                // The root has ended, because something was closed that the root does not have.
                None => self.open_bracket(Bracket::Markup, 0),
                _ => {
                    self.read_code_or_template();
                }
            }
        }
        self.into_tokens()
    }

    /// Reads text up to and with the next tag, comment or expression.
    fn read_markup_text(&mut self) {
        let rest = self.rest();
        let is_nested = self.open_elements.len() > 1;
        let is_end = |byte: &u8| matches!(byte, b'<' | b'{') || (*byte == b'}' && is_nested);
        let Some(length) = rest.as_bytes().iter().position(is_end) else {
            self.at = self.end;
            return;
        };
        self.at += length;
        let next = self.byte_at(1);
        match self.byte_at(0) {
            b'{' => self.open_bracket(Bracket::Container, 1),
            // An element of the expression has no closing tag.
            b'}' => {
                self.read_closing_brace();
            }
            _ if next == b'!' => self.skip_comment_or_declaration(),
            _ if next == b'/' => self.read_closing_tag(),
            _ if next.is_ascii_alphabetic() || next == b'>' => self.read_start_of_tag(),
            _ => self.at += 1,
        }
    }

    fn skip_comment_or_declaration(&mut self) {
        let rest = self.rest();
        let length = match rest.strip_prefix("<!--") {
            Some(comment) => comment.find("-->").map(|end| end + 7),
            None => rest.find('>').map(|end| end + 1),
        };
        self.at += length.unwrap_or(rest.len());
        self.close_markup_without_elements();
    }

    /// The length of the name at the start of `text` that an element can have.
    fn tag_name_length(text: &str) -> usize {
        text.find(|c: char| !(is_word_char(c) || matches!(c, '.' | ':' | '-'))).unwrap_or(text.len())
    }

    fn read_start_of_tag(&mut self) {
        if let Some(count) = self.open_elements.last_mut() {
            *count += 1;
        }
        self.open_bracket(Bracket::Tag, 1);
        let length = Self::tag_name_length(self.rest());
        self.push(TokenKind::OpeningTag, length);
    }

    fn read_closing_tag(&mut self) {
        self.at += 2;
        let length = Self::tag_name_length(self.rest());
        self.push(TokenKind::ClosingTag, length);
        let rest = self.rest();
        self.at += rest.find('>').map_or(rest.len(), |end| end + 1);
        self.close_element();
    }

    fn close_element(&mut self) {
        if let Some(count) = self.open_elements.last_mut() {
            *count = count.saturating_sub(1);
        }
        self.close_markup_without_elements();
    }

    /// Ends a run of markup in an expression behind its last element. The root ends with the text.
    fn close_markup_without_elements(&mut self) {
        if self.open_elements.len() > 1
            && self.open_elements.last() == Some(&0)
            && self.innermost_bracket() == Some(Bracket::Markup)
        {
            self.close_innermost_bracket(0);
        }
    }

    fn read_part_of_tag(&mut self) {
        let rest = self.rest();
        let Some(c) = rest.chars().next() else {
            self.at = self.end;
            return;
        };
        match c {
            '{' => self.open_bracket(Bracket::Container, 1),
            '`' => self.open_bracket(Bracket::Template, 1),
            '"' | '\'' => {
                let inside = rest.get(1..).unwrap_or("");
                self.at += inside.find(c).map_or(rest.len(), |end| end + 2);
            }
            '/' if self.byte_at(1) == b'>' => self.end_tag(true),
            '>' => self.end_tag(false),
            _ => {
                let is_end = |c: char| c.is_whitespace() || matches!(c, '=' | '>' | '/' | '{' | '"' | '\'' | '`');
                self.at += c.len_utf8();
                let rest = self.rest();
                if !is_end(c) {
                    self.at += rest.find(is_end).unwrap_or(rest.len());
                }
            }
        }
    }

    fn end_tag(&mut self, is_self_closing: bool) {
        let name = self.open.last().map_or("", |(_, open)| self.tokens.text(self.source, open + 1));
        let start = self.open.last().and_then(|(_, open)| self.tokens.get(*open)).map_or(0, |open| open.start);
        self.close_innermost_bracket(if is_self_closing { 2 } else { 1 });
        if is_self_closing || is_void_element(name) {
            self.close_element();
            return;
        }
        let attributes = self.source.get(start as usize..self.at).unwrap_or("");
        if matches!(name, "script" | "style") || attributes.contains("is:raw") {
            let rest = self.rest();
            self.at += closing_tag_start(rest, &format!("</{name}")).unwrap_or(rest.len());
        }
    }
}
