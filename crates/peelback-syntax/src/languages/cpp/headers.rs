//! Distinguishes C++ headers from C headers: both use the extension `.h`.

/// The number of bytes at the start of a header that are examined. C++ syntax appears early.
const MAX_EXAMINED_BYTES: usize = 64 * 1024;

/// Whether the text of a `.h` file uses syntax that only C++ has. Comments, strings and code under `#ifdef __cplusplus`
/// are ignored: C headers contain `extern "C"` there.
pub(super) fn is_cpp_header(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut tokenizer =
        Tokenizer { bytes: bytes.get(..MAX_EXAMINED_BYTES).unwrap_or(bytes), at: 0, line_is_empty: true };
    let mut conditions: Vec<LanguageCondition> = Vec::new();
    let (mut before, mut previous) = (Token::Start, Token::Start);
    let mut depth = 0_u32;
    // Whether the statement so far can only be a declaration, in which `&` declares a reference.
    let mut can_declare_reference = true;
    while let Some(token) = tokenizer.next_token() {
        if let Token::Directive(line) = token {
            update_preprocessor_conditions(line, &mut conditions);
            (before, previous, can_declare_reference) = (Token::Start, Token::Start, true);
            continue;
        }
        if conditions.contains(&LanguageCondition::Cpp) {
            continue;
        }
        match token {
            Token::Punctuation(b'{') => depth += 1,
            Token::Punctuation(b'}') => depth = depth.saturating_sub(1),
            Token::Punctuation(b'=' | b'[') | Token::Literal => can_declare_reference = false,
            Token::Word(word) if word.to_ascii_lowercase().ends_with(b"assert") => can_declare_reference = false,
            _ => {}
        }
        if matches!(token, Token::Punctuation(b';' | b'{' | b'}')) {
            can_declare_reference = true;
        }
        let is_reference = depth == 0
            && can_declare_reference
            && matches!(before, Token::Word(_) | Token::Punctuation(b'>' | b'&'))
            && previous == Token::Punctuation(b'&')
            && matches!(token, Token::Word(_));
        if is_reference || is_cpp_only_token_sequence(before, previous, token) {
            return true;
        }
        (before, previous) = (previous, token);
    }
    false
}

/// The language, C or C++, for which the text under an open `#if` is meant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LanguageCondition {
    /// The text under the condition is for C++ only.
    Cpp,
    /// The text under the condition is for C only.
    C,
    /// The condition does not depend on whether the file is compiled as C or C++.
    Other,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Token<'t> {
    /// The beginning of the text, or of the text after a preprocessor directive.
    Start,
    Word(&'t [u8]),
    /// The scope operator `::`.
    Scope,
    Punctuation(u8),
    /// A string or character literal.
    Literal,
    /// A preprocessor line, without its `#`.
    Directive(&'t [u8]),
}

/// Whether three consecutive tokens of a header are possible only in C++.
fn is_cpp_only_token_sequence(before: Token<'_>, previous: Token<'_>, token: Token<'_>) -> bool {
    // `class` and similar keywords are ordinary names in C, so they count only at the start of a declaration.
    let is_declaration_start = matches!(before, Token::Start | Token::Punctuation(b';' | b'{' | b'}' | b'>' | b':'));
    if before == Token::Word(b"operator") && previous == Token::Punctuation(b'=') && token == Token::Punctuation(b'=') {
        return true;
    }
    if before == Token::Word(b"namespace") && matches!(previous, Token::Word(_)) && token == Token::Punctuation(b'{') {
        return true;
    }
    if before == Token::Punctuation(b')')
        && previous == Token::Word(b"const")
        && matches!(token, Token::Punctuation(b'{' | b';'))
    {
        return true;
    }
    match (previous, token) {
        (
            Token::Word(b"static_cast" | b"reinterpret_cast" | b"const_cast" | b"dynamic_cast"),
            Token::Punctuation(b'<'),
        ) => true,
        (Token::Word(b"class" | b"namespace"), Token::Word(_)) => is_declaration_start,
        (Token::Word(b"namespace"), Token::Punctuation(b'{')) => is_declaration_start,
        (Token::Word(b"template"), Token::Punctuation(b'<')) => true,
        (Token::Word(b"using"), Token::Word(_)) => is_declaration_start,
        (Token::Word(b"public" | b"private" | b"protected"), Token::Punctuation(b':')) => is_declaration_start,
        (Token::Word(b"operator"), Token::Punctuation(mark)) => {
            !matches!(mark, b';' | b',' | b')' | b'=' | b':' | b'.')
        }
        (
            Token::Word(b"constexpr" | b"virtual" | b"typename" | b"explicit" | b"friend" | b"mutable"),
            Token::Word(_),
        ) => is_declaration_start,
        (Token::Word(b"static" | b"inline"), Token::Word(b"constexpr")) => true,
        (Token::Word(b"enum"), Token::Word(b"class" | b"struct")) => true,
        (Token::Word(_), Token::Scope) | (Token::Scope, Token::Word(_)) => true,
        (Token::Punctuation(b')'), Token::Word(b"noexcept" | b"override" | b"final")) => true,
        (Token::Word(b"const"), Token::Word(b"noexcept" | b"override" | b"final")) => true,
        _ => false,
    }
}

/// Updates the list of conditions, one for each open `#if` group, for a preprocessor line such as `#if`, `#else` or
/// `#endif`.
fn update_preprocessor_conditions(line: &[u8], conditions: &mut Vec<LanguageCondition>) {
    let line = String::from_utf8_lossy(line.get(..200).unwrap_or(line)).into_owned();
    let mut words = line.split_whitespace();
    let word = words.next().unwrap_or("");
    let rest: String = words.collect();
    let mentions_cplusplus = rest.contains("__cplusplus");
    let condition =
        match (mentions_cplusplus, rest.contains("!defined(__cplusplus") || rest.contains("!defined__cplusplus")) {
            (true, false) => LanguageCondition::Cpp,
            (true, true) => LanguageCondition::C,
            (false, _) => LanguageCondition::Other,
        };
    match word {
        "if" => conditions.push(condition),
        "ifdef" => conditions.push(if mentions_cplusplus { LanguageCondition::Cpp } else { LanguageCondition::Other }),
        "ifndef" => conditions.push(if mentions_cplusplus { LanguageCondition::C } else { LanguageCondition::Other }),
        "elif" | "else" => {
            if let Some(last) = conditions.last_mut() {
                *last = match (word, *last) {
                    ("elif", _) => condition,
                    (_, LanguageCondition::C) => LanguageCondition::Cpp,
                    (_, LanguageCondition::Cpp) => LanguageCondition::C,
                    (_, LanguageCondition::Other) => LanguageCondition::Other,
                };
            }
        }
        "endif" => {
            conditions.pop();
        }
        _ => {}
    }
}

struct Tokenizer<'t> {
    bytes: &'t [u8],
    at: usize,
    line_is_empty: bool,
}

impl<'t> Tokenizer<'t> {
    fn peek_byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn next_token(&mut self) -> Option<Token<'t>> {
        loop {
            let byte = *self.bytes.get(self.at)?;
            match byte {
                b'\n' => {
                    self.line_is_empty = true;
                    self.at += 1;
                }
                _ if byte.is_ascii_whitespace() => self.at += 1,
                b'/' if self.peek_byte(1) == b'/' => self.skip_logical_line(),
                b'/' if self.peek_byte(1) == b'*' => {
                    let rest = self.bytes.get(self.at + 2..).unwrap_or(&[]);
                    self.at += 2 + memchr::memmem::find(rest, b"*/").map_or(rest.len(), |end| end + 2);
                }
                b'#' if self.line_is_empty => {
                    let start = self.at + 1;
                    self.skip_logical_line();
                    return Some(Token::Directive(self.bytes.get(start..self.at).unwrap_or(&[])));
                }
                _ => break,
            }
        }
        self.line_is_empty = false;
        let start = self.at;
        let byte = self.peek_byte(0);
        if byte == b'"' || byte == b'\'' {
            self.skip_string_or_char_literal(byte);
            return Some(Token::Literal);
        }
        if byte.is_ascii_alphanumeric() || byte == b'_' {
            while self.peek_byte(0).is_ascii_alphanumeric() || self.peek_byte(0) == b'_' {
                self.at += 1;
            }
            return Some(Token::Word(self.bytes.get(start..self.at).unwrap_or(&[])));
        }
        self.at += 1;
        if byte == b':' && self.peek_byte(0) == b':' {
            self.at += 1;
            return Some(Token::Scope);
        }
        Some(Token::Punctuation(byte))
    }

    /// Skips to the end of the logical line, which includes further lines that a backslash joins to it.
    fn skip_logical_line(&mut self) {
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or(&[]);
            let Some(end) = memchr::memchr(b'\n', rest) else {
                self.at = self.bytes.len();
                return;
            };
            let is_continued = rest.get(..end).is_some_and(|line| line.trim_ascii_end().ends_with(b"\\"));
            self.at += if is_continued { end + 1 } else { end };
            if !is_continued {
                return;
            }
        }
    }

    fn skip_string_or_char_literal(&mut self, quote: u8) {
        self.at += 1;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\\' => self.at += 2,
                b'\n' => return,
                _ if byte == quote => {
                    self.at += 1;
                    return;
                }
                _ => self.at += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_cpp_header;

    #[test]
    fn a_header_with_cpp_only_syntax_is_cpp() {
        for text in [
            "#pragma once\nclass Shape {\n};\n",
            "class Shape;\nvoid draw(void);\n",
            "namespace geo {\nint x;\n}\n",
            "namespace {\nint x;\n}\n",
            "template <typename T> struct Box { T value; };\n",
            "struct Point {\npublic:\n  int x;\n};\n",
            "using Name = int;\n",
            "using namespace std;\n",
            "std::string name(int code);\n",
            "constexpr int limit = 3;\n",
            "static constexpr int limit = 3;\n",
            "enum class Style { Solid };\n",
            "struct Point {\n  virtual void draw();\n};\n",
            "struct Point {\n  bool operator==(int other);\n};\n",
            "void swap(Point& a, Point& b);\n",
            "const Point& origin();\n",
            "void take(Point &&point);\n",
            "struct Point { int get() const noexcept; };\n",
            "#ifdef __cplusplus\nextern \"C\" {\n#endif\nvoid f();\n#ifdef __cplusplus\n}\n#endif\nclass Late {};\n",
            "#define WIDTH 3\n// a comment\nclass Late {};\n",
            "API_BEGIN\nnamespace inner {\nint x;\n}\n",
            "struct Point { int get() const { return x; } int x; };\n",
            "int f(void *p) { return reinterpret_cast<long>(p); }\n",
        ] {
            assert!(is_cpp_header(text), "{text}");
        }
    }

    #[test]
    fn a_header_with_c_syntax_is_c() {
        for text in [
            "",
            "#ifndef A_H\n#define A_H\nint f(int *a, const char *b);\n#endif\n",
            "#ifdef __cplusplus\nextern \"C\" {\n#endif\nvoid f(void);\n#ifdef __cplusplus\n}\n#endif\n",
            "#if defined(__cplusplus)\nnamespace a { class B; }\n#else\ntypedef struct b B;\n#endif\nint c;\n",
            "#if !defined(__cplusplus)\ntypedef int bool;\n#else\nclass Shape {};\n#endif\n",
            "#ifndef __cplusplus\ntypedef int bool;\n#else\nclass Shape {};\n#endif\n",
            "#ifdef __cplusplus\n#if 1\nclass Inner {};\n#endif\nclass Outer {};\n#endif\n",
            "/* class Shape { public: }; std::string */\nint f(void);\n",
            "// template <typename T> class Shape\nint f(void);\n",
            "const char *text = \"class Shape { public: std::string\";\n",
            "struct widget { int class; int namespace; int template; int private; };\n",
            "int set(struct widget *new, int class, char *this);\n",
            "#define EACH(a, b) ((a) & (b))\nenum { BOTH = 1 & 2, MASK = A & B };\n",
            "static inline int both(int a, int b) {\n  return a & b && a;\n}\n",
            "static inline int address(int a) {\n  return take(&a, &a) & mask(x, &y);\n}\n",
            "struct bits { unsigned a : 1; unsigned b : 2; };\n",
            "int f(int x) { switch (x) { case A: return 1; default: goto public; } }\n",
            "@interface Shape : NSObject\n@property int x;\n@end\n",
        ] {
            assert!(!is_cpp_header(text), "{text}");
        }
    }

    #[test]
    fn only_the_beginning_of_a_long_header_is_examined() {
        let mut text = "int f(void);\n".repeat(10_000);
        text.push_str("class Late {};\n");
        assert!(!is_cpp_header(&text));
    }
}
