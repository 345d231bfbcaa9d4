//! Reads the namespaces, types, functions and constants that a PHP text declares, without parsing it: any file of a project
//! may declare what another one uses.

/// What a declaration declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DeclaredKind {
    /// A class, interface, trait or enum.
    Class,
    Function,
    Constant,
}

/// A declaration outside of types.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Declared<'t> {
    pub kind: DeclaredKind,
    pub namespace: String,
    pub name: &'t str,
}

/// A part of a text that matters to declarations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token<'t> {
    /// A name, a keyword or a path.
    Word(&'t str),
    /// The content of a string without escapes.
    Text(&'t str),
    Variable,
    /// `->` or `::`.
    Access,
    Mark(u8),
}

/// The declarations in a text.
pub(super) fn declarations_in_text(text: &str) -> Vec<Declared<'_>> {
    let mut lexer = Lexer { text, at: 0, is_code: false };
    let mut found = Vec::new();
    let mut namespace = String::new();
    // The depth of the braces around the place, and those at which types begin.
    let mut depth = 0_usize;
    let mut types: Vec<usize> = Vec::new();
    let mut awaits_type_body = false;
    let mut before = Token::Mark(b';');
    while let Some(token) = lexer.next_token() {
        let follows_access = before == Token::Access;
        match token {
            Token::Mark(b'{') => {
                depth += 1;
                if std::mem::take(&mut awaits_type_body) {
                    types.push(depth);
                }
            }
            Token::Mark(b'}') => {
                if types.last() == Some(&depth) {
                    types.pop();
                }
                depth = depth.saturating_sub(1);
            }
            Token::Word(word) if !follows_access => {
                let is_word = |other: &str| word.eq_ignore_ascii_case(other);
                if is_word("class") || is_word("interface") || is_word("trait") || is_word("enum") {
                    let is_anonymous = matches!(before, Token::Word(new) if new.eq_ignore_ascii_case("new"));
                    let state = (lexer.at, lexer.is_code);
                    match lexer.next_token() {
                        Some(Token::Word(name))
                            if !is_anonymous
                                && !is_clause(name)
                                && !name.contains('\\')
                                && begins_declaration(before) =>
                        {
                            found.push(Declared { kind: DeclaredKind::Class, namespace: namespace.clone(), name });
                            awaits_type_body = true;
                        }
                        _ => {
                            awaits_type_body |= is_word("class") && is_anonymous;
                            (lexer.at, lexer.is_code) = state;
                        }
                    }
                } else if is_word("function") && types.is_empty() && !is_use(before) {
                    let mut state = (lexer.at, lexer.is_code);
                    let mut next = lexer.next_token();
                    if next == Some(Token::Mark(b'&')) {
                        state = (lexer.at, lexer.is_code);
                        next = lexer.next_token();
                    }
                    match next {
                        Some(Token::Word(name)) if !name.contains('\\') => {
                            found.push(Declared { kind: DeclaredKind::Function, namespace: namespace.clone(), name });
                        }
                        _ => (lexer.at, lexer.is_code) = state,
                    }
                } else if is_word("const") && types.is_empty() && !is_use(before) {
                    // `const A = 1, B = 2;`
                    let mut expects_name = true;
                    let mut inner = 0_usize;
                    while let Some(token) = lexer.next_token() {
                        match token {
                            Token::Word(name) if expects_name => {
                                let namespace = namespace.clone();
                                found.push(Declared { kind: DeclaredKind::Constant, namespace, name });
                                expects_name = false;
                            }
                            Token::Mark(b'(' | b'[') => inner += 1,
                            Token::Mark(b')' | b']') => inner = inner.saturating_sub(1),
                            Token::Mark(b',') if inner == 0 => expects_name = true,
                            Token::Mark(b';' | b'{' | b'}') => break,
                            _ => {}
                        }
                    }
                } else if is_word("namespace") && types.is_empty() {
                    let state = (lexer.at, lexer.is_code);
                    match lexer.next_token() {
                        Some(Token::Word(name)) => namespace = name.to_owned(),
                        Some(Token::Mark(b'{')) => {
                            namespace = String::new();
                            (lexer.at, lexer.is_code) = state;
                        }
                        _ => (lexer.at, lexer.is_code) = state,
                    }
                } else if word.trim_start_matches('\\').eq_ignore_ascii_case("define") {
                    let state = (lexer.at, lexer.is_code);
                    let opens = lexer.next_token() == Some(Token::Mark(b'('));
                    match lexer.next_token() {
                        Some(Token::Text(name)) if opens => {
                            let (namespace, name) = name.rsplit_once('\\').unwrap_or(("", name));
                            let namespace = namespace.trim_matches('\\').replace("\\\\", "\\");
                            found.push(Declared { kind: DeclaredKind::Constant, namespace, name });
                        }
                        _ => (lexer.at, lexer.is_code) = state,
                    }
                }
            }
            _ => {}
        }
        before = token;
    }
    found
}

/// Whether a word belongs to the head of a class without a name.
fn is_clause(word: &str) -> bool {
    word.eq_ignore_ascii_case("extends") || word.eq_ignore_ascii_case("implements")
}

fn is_use(token: Token<'_>) -> bool {
    matches!(token, Token::Word(word) if word.eq_ignore_ascii_case("use"))
}

/// Whether a declaration of a type can begin behind a token: at the beginning of a statement, or behind a modifier.
fn begins_declaration(token: Token<'_>) -> bool {
    match token {
        Token::Mark(mark) => matches!(mark, b';' | b'{' | b'}' | b':' | b']' | b')'),
        Token::Word(word) => {
            ["abstract", "final", "readonly", "else"].iter().any(|known| word.eq_ignore_ascii_case(known))
        }
        _ => false,
    }
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    /// Whether the place is inside of `<?php … ?>`.
    is_code: bool,
}

impl<'t> Lexer<'t> {
    fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    fn starts_with(&self, mark: &str) -> bool {
        self.text.as_bytes().get(self.at..).is_some_and(|rest| rest.starts_with(mark.as_bytes()))
    }

    /// Moves behind the next occurrence of a text, or to the end.
    fn skip_behind(&mut self, mark: &str) {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or(&[]);
        self.at = match memchr::memmem::find(rest, mark.as_bytes()) {
            Some(found) => self.at + found + mark.len(),
            None => self.text.len(),
        };
    }

    /// Moves to the end of the line, or behind `?>`, which ends a comment, too.
    fn skip_line(&mut self) {
        while self.at < self.text.len() && self.byte(self.at) != b'\n' && !self.starts_with("?>") {
            self.at += 1;
        }
    }

    fn next_token(&mut self) -> Option<Token<'t>> {
        loop {
            if self.at >= self.text.len() {
                return None;
            }
            if !self.is_code {
                self.skip_behind("<?");
                self.is_code = true;
                if self.text.get(self.at..).is_some_and(|rest| {
                    rest.len() >= 3
                        && rest.is_char_boundary(3)
                        && rest.get(..3).is_some_and(|tag| tag.eq_ignore_ascii_case("php"))
                }) {
                    self.at += 3;
                } else if self.byte(self.at) == b'=' {
                    self.at += 1;
                } else if self.starts_with("xml") {
                    self.skip_behind("?>");
                    self.is_code = false;
                }
                continue;
            }
            let byte = self.byte(self.at);
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                b'?' if self.starts_with("?>") => {
                    self.at += 2;
                    self.is_code = false;
                    return Some(Token::Mark(b';'));
                }
                b'#' if self.byte(self.at + 1) == b'[' => {
                    self.at += 2;
                    return Some(Token::Mark(b'['));
                }
                b'#' => self.skip_line(),
                b'/' if self.starts_with("//") => self.skip_line(),
                b'/' if self.starts_with("/*") => {
                    self.at += 2;
                    self.skip_behind("*/");
                }
                b'\'' | b'"' | b'`' => return Some(self.string(byte)),
                b'<' if self.starts_with("<<<") => self.skip_heredoc(),
                b'$' => {
                    self.at += 1;
                    self.skip_word();
                    return Some(Token::Variable);
                }
                b'-' if self.starts_with("->") => {
                    self.at += 2;
                    return Some(Token::Access);
                }
                b':' if self.starts_with("::") => {
                    self.at += 2;
                    return Some(Token::Access);
                }
                _ if is_word_byte(byte) => {
                    let start = self.at;
                    self.skip_word();
                    return Some(Token::Word(self.text.get(start..self.at).unwrap_or("")));
                }
                _ => {
                    self.at += 1;
                    return Some(Token::Mark(byte));
                }
            }
        }
    }

    fn skip_word(&mut self) {
        while is_word_byte(self.byte(self.at)) && self.at < self.text.len() {
            self.at += 1;
        }
    }

    /// Reads a string, which begins with `quote`.
    fn string(&mut self, quote: u8) -> Token<'t> {
        let start = self.at + 1;
        self.at = start;
        // The depth of the braces of an expression inside the string.
        let mut depth = 0_usize;
        while self.at < self.text.len() {
            let byte = self.byte(self.at);
            if byte == b'\\' {
                self.at += 2;
                continue;
            }
            if byte == quote && depth == 0 {
                break;
            }
            if quote != b'\'' {
                match byte {
                    b'{' if depth > 0 || self.byte(self.at + 1) == b'$' => depth += 1,
                    b'}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
            }
            self.at += 1;
        }
        let content = self.text.get(start..self.at.min(self.text.len())).unwrap_or("");
        self.at += 1;
        Token::Text(content)
    }

    /// Moves behind a heredoc: to the line that begins with its label.
    fn skip_heredoc(&mut self) {
        self.at += 3;
        while matches!(self.byte(self.at), b' ' | b'\t' | b'\'' | b'"') {
            self.at += 1;
        }
        let start = self.at;
        self.skip_word();
        let label = self.text.get(start..self.at).unwrap_or("");
        if label.is_empty() {
            return;
        }
        loop {
            let rest = self.text.as_bytes().get(self.at..).unwrap_or(&[]);
            let Some(line) = memchr::memchr(b'\n', rest) else {
                self.at = self.text.len();
                return;
            };
            self.at += line + 1;
            let mut end = self.at;
            while matches!(self.byte(end), b' ' | b'\t') {
                end += 1;
            }
            let is_end = self.text.as_bytes().get(end..).is_some_and(|rest| rest.starts_with(label.as_bytes()))
                && !is_word_byte(self.byte(end + label.len()));
            if is_end {
                self.at = end + label.len();
                return;
            }
        }
    }
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'\\') || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::{DeclaredKind, declarations_in_text};

    fn declared(text: &str) -> Vec<String> {
        let show = |found: super::Declared<'_>| {
            let kind = match found.kind {
                DeclaredKind::Class => "class",
                DeclaredKind::Function => "function",
                DeclaredKind::Constant => "const",
            };
            format!("{kind} {}:{}", found.namespace, found.name)
        };
        declarations_in_text(text).into_iter().map(show).collect()
    }

    #[test]
    fn declarations_are_found_outside_of_strings_and_types() {
        let text = "class Html {}\n<?php // class No {}\nnamespace A\\B;\nuse function A\\f; use const A\\C;\n/* class No {} */\n#[Attr(1)]\nfinal class One extends Two { const X = 1; function m() { return new class extends Z { function n() {} }; } }\nabstract class Three {}\nfunction &f($a = \"class No {$a['x']} {\") { function inner() {} }\nconst K = [1, 2], L = 2;\n$x = <<<'END'\nclass No {}\n  END;\n$y = One::class; $z->class; echo 'class No {}';\nif (!function_exists('g')) { function g() {} }\ndefine('GLOBAL_ONE', 1);\nenum E: string {}\ninterface I {}\n trait T { public function t() {} }\n$f = function () {}; ?>\n<b>class No</b>\n<?= $x ?><?php class Last {}";
        assert_eq!(
            declared(text),
            [
                "class A\\B:One",
                "class A\\B:Three",
                "function A\\B:f",
                "function A\\B:inner",
                "const A\\B:K",
                "const A\\B:L",
                "function A\\B:g",
                "const :GLOBAL_ONE",
                "class A\\B:E",
                "class A\\B:I",
                "class A\\B:T",
                "class A\\B:Last",
            ]
        );
        assert_eq!(
            declared("<?php namespace A { class X {} } namespace { class Y {} } namespace B { function z() {} }"),
            ["class A:X", "class :Y", "function B:z"]
        );
    }

    #[test]
    fn broken_texts_end() {
        for text in [
            "<?php class",
            "<?php \"{$",
            "<?php <<<",
            "<?php <<<A\n",
            "<?php const",
            "<?php define(",
            "<?",
            "<?php '\\",
            "<?é",
            "<?php function &",
        ] {
            declared(text);
        }
    }
}
