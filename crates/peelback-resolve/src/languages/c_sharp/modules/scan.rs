//! What the text of a C# file tells of its namespaces, types and extension methods without being parsed.
//!
//! Every file of a project is read this way before the first name is resolved. What is found limits the files that are
//! parsed: a name too many costs a parse, and the parsed names decide.

use crate::modules::SharedImports;

/// What a text declares.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FileScan {
    /// The namespaces of the file, each once; the one without a name is empty.
    pub namespaces: Vec<String>,
    /// The names of the types that the file declares, at any depth.
    pub types: Vec<String>,
    /// The names of the extension methods that the file declares.
    pub extension_methods: Vec<String>,
    /// What `global using` directives import.
    pub global_usings: SharedImports,
}

/// One token of a text, as far as the scan tells tokens apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token<'a> {
    Word(&'a str),
    Mark(u8),
}

/// A namespace that is open, with the number of braces around its body.
struct Open {
    path: String,
    depth: usize,
}

/// The limit on the length of a namespace's path.
const MAX_PATH_BYTES: usize = 1000;

/// Scans the text of a file.
pub(super) fn scan_text(text: &str) -> FileScan {
    let mut tokens = Tokens { text, at: 0, is_line_start: true };
    let mut found = FileScan::default();
    let mut open: Vec<Open> = Vec::new();
    let mut depth = 0_usize;
    // The last words and marks, the latest first.
    let mut before: [Token<'_>; 2] = [Token::Mark(b';'); 2];
    // The name in front of the parenthesis that opened last: that of a method, if `this` comes next.
    let mut called: Option<&str> = None;
    let mut last_name: Option<&str> = None;
    let mut angles = 0_usize;
    let mut waits_for_delegate = false;
    while let Some(token) = tokens.next() {
        match token {
            Token::Word("namespace") => {
                let (path, end) = tokens.path();
                let around = open.last().map_or("", |open| &open.path);
                let path = if around.is_empty() { path } else { format!("{around}.{path}") };
                if path.len() <= MAX_PATH_BYTES && matches!(end, Some(b'{' | b';')) {
                    add_once(&mut found.namespaces, &path);
                    if end == Some(b'{') {
                        depth += 1;
                    }
                    let depth = if end == Some(b'{') { depth } else { 0 };
                    open.push(Open { path, depth });
                }
                before = [Token::Mark(b';'); 2];
                continue;
            }
            Token::Word("using") if before[0] == Token::Word("global") => {
                found.global_usings.extend(tokens.global_using());
            }
            Token::Word("delegate") => waits_for_delegate = true,
            Token::Word("this")
                if matches!(before[0], Token::Mark(b'(' | b']') | Token::Word("in" | "ref" | "scoped")) =>
            {
                found.extension_methods.extend(called.map(str::to_owned));
            }
            Token::Word(word) => {
                let is_type = match before[0] {
                    Token::Word("class" | "struct" | "interface" | "enum") => true,
                    Token::Word("record") => !matches!(word, "class" | "struct"),
                    _ => false,
                };
                if is_type {
                    if open.is_empty() {
                        add_once(&mut found.namespaces, "");
                    }
                    found.types.push(word.to_owned());
                }
                if angles == 0 {
                    last_name = Some(word);
                }
            }
            Token::Mark(b'<') => angles += 1,
            Token::Mark(b'>') => angles = angles.saturating_sub(1),
            Token::Mark(b'(') => {
                called = last_name;
                if std::mem::take(&mut waits_for_delegate) && before[0] != Token::Word("delegate") {
                    if open.is_empty() {
                        add_once(&mut found.namespaces, "");
                    }
                    found.types.extend(last_name.map(str::to_owned));
                }
                angles = 0;
            }
            Token::Mark(b'{') => {
                depth += 1;
                angles = 0;
                waits_for_delegate = false;
            }
            Token::Mark(b'}') => {
                depth = depth.saturating_sub(1);
                while open.last().is_some_and(|open| open.depth > depth) {
                    open.pop();
                }
                angles = 0;
            }
            Token::Mark(b';') => angles = 0,
            Token::Mark(_) => {}
        }
        before = [token, before[0]];
    }
    found.types.sort_unstable();
    found.types.dedup();
    found.extension_methods.sort_unstable();
    found.extension_methods.dedup();
    found
}

fn add_once(list: &mut Vec<String>, path: &str) {
    if !list.iter().any(|known| known == path) {
        list.push(path.to_owned());
    }
}

/// Reads the tokens of a text, without comments, literals and directives.
struct Tokens<'a> {
    text: &'a str,
    at: usize,
    is_line_start: bool,
}

impl<'a> Tokens<'a> {
    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let byte = self.byte(0)?;
            match byte {
                b'\n' => {
                    self.is_line_start = true;
                    self.at += 1;
                    continue;
                }
                b' ' | b'\t' | b'\r' => {
                    self.at += 1;
                    continue;
                }
                b'/' if self.byte(1) == Some(b'/') => {
                    self.skip_to("\n");
                    continue;
                }
                b'/' if self.byte(1) == Some(b'*') => {
                    self.at += 2;
                    self.skip_behind("*/");
                    continue;
                }
                b'#' if self.is_line_start => {
                    self.skip_to("\n");
                    continue;
                }
                _ => {}
            }
            self.is_line_start = false;
            match byte {
                b'"' => {
                    self.skip_string(false);
                    return Some(Token::Mark(b'"'));
                }
                b'\'' => {
                    self.at += 1;
                    if self.byte(0) == Some(b'\\') {
                        self.at += 2;
                    }
                    let end =
                        self.text.as_bytes().get(self.at..).unwrap_or(&[]).iter().take(12).position(|b| *b == b'\'');
                    self.at += end.map_or(0, |end| end + 1);
                    return Some(Token::Mark(b'\''));
                }
                b'@' | b'$' if self.is_verbatim_string() => {
                    self.skip_string(true);
                    return Some(Token::Mark(b'"'));
                }
                b'@' | b'$' => self.at += 1,
                _ if byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80 => {
                    let start = self.at;
                    while self.byte(0).is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80)
                    {
                        self.at += 1;
                    }
                    return Some(Token::Word(self.text.get(start..self.at).unwrap_or("")));
                }
                _ => {
                    self.at += 1;
                    return Some(Token::Mark(byte));
                }
            }
        }
    }

    /// Whether a string without escapes begins here: `@"`, `$@"`, `@$"`.
    fn is_verbatim_string(&self) -> bool {
        matches!(
            (self.byte(0), self.byte(1), self.byte(2)),
            (Some(b'@'), Some(b'"'), _) | (Some(b'$'), Some(b'@'), Some(b'"')) | (Some(b'@'), Some(b'$'), Some(b'"'))
        )
    }

    fn skip_string(&mut self, is_verbatim: bool) {
        while self.byte(0).is_some_and(|byte| byte != b'"') {
            self.at += 1;
        }
        if !is_verbatim && self.byte(1) == Some(b'"') && self.byte(2) == Some(b'"') {
            let mut quotes = String::new();
            while self.byte(0) == Some(b'"') {
                quotes.push('"');
                self.at += 1;
            }
            self.skip_behind(&quotes);
            return;
        }
        self.at += 1;
        while let Some(byte) = self.byte(0) {
            match byte {
                b'\\' if !is_verbatim => self.at += 2,
                b'"' if is_verbatim && self.byte(1) == Some(b'"') => self.at += 2,
                b'"' => {
                    self.at += 1;
                    return;
                }
                // A string that does not end on its line is broken.
                b'\n' if !is_verbatim => return,
                _ => self.at += 1,
            }
        }
    }

    fn skip_to(&mut self, end: &str) {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or(&[]);
        self.at += memchr::memmem::find(rest, end.as_bytes()).unwrap_or(rest.len());
    }

    fn skip_behind(&mut self, end: &str) {
        self.skip_to(end);
        self.at = (self.at + end.len()).min(self.text.len());
    }

    /// What a directive imports, from behind `global using` on.
    fn global_using(&mut self) -> SharedImports {
        let mut found = SharedImports::default();
        let before = self.at;
        let is_static = self.next() == Some(Token::Word("static"));
        if !is_static {
            self.at = before;
        }
        match self.path() {
            (path, Some(b';')) if is_static && !path.is_empty() => found.types.push(path),
            (path, Some(b';')) if !path.is_empty() => found.namespaces.push(path),
            (alias, Some(b'=')) if !is_static && !alias.is_empty() => {
                // The alias of a type with arguments names the type, too.
                let (path, end) = self.path();
                if matches!(end, Some(b';' | b'<')) && !path.is_empty() {
                    found.aliases.push((alias, path));
                }
            }
            _ => {}
        }
        found
    }

    /// A dotted path, and the mark behind it.
    fn path(&mut self) -> (String, Option<u8>) {
        let mut path = String::new();
        loop {
            match self.next() {
                Some(Token::Word(word)) if path.len() <= MAX_PATH_BYTES => path.push_str(word),
                Some(Token::Mark(b'.')) => path.push('.'),
                // `global::A.B` is `A.B`.
                Some(Token::Mark(b':')) if path == "global" && self.byte(0) == Some(b':') => {
                    self.at += 1;
                    path.clear();
                }
                Some(Token::Mark(mark)) => return (path, Some(mark)),
                _ => return (path, None),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_found_outside_of_texts() {
        let found = scan_text(
            "global using A.B;\nglobal using static A.C;\nglobal using D = A.E<int>;\nglobal using global::A.F;\n// class No1 {}\nnamespace X.Y\n{\n  namespace Z { class C<T> { string s = \"class No2\"; } }\n  record struct R(int x);\n  delegate void D<T>(T t);\n  static class E { static void F<T>(this T t) {} }\n}\nclass G { char c = '\"'; string v = @\"a\\\"; enum H { } }\n",
        );
        assert_eq!(found.namespaces, ["X.Y", "X.Y.Z", ""]);
        assert_eq!(found.types, ["C", "D", "E", "G", "H", "R"]);
        assert_eq!(found.extension_methods, ["F"]);
        assert_eq!(found.global_usings.namespaces, ["A.B", "A.F"]);
        assert_eq!(found.global_usings.types, ["A.C"]);
        assert_eq!(found.global_usings.aliases, [("D".to_owned(), "A.E".to_owned())]);
    }

    #[test]
    fn a_namespace_of_a_file_has_no_braces() {
        let found = scan_text("using System;\nnamespace X;\n#if A\ninterface I { }\n#endif\n");
        assert_eq!(found.namespaces, ["X"]);
        assert_eq!(found.types, ["I"]);
    }

    #[test]
    fn broken_texts_are_scanned() {
        for text in
            ["namespace", "namespace A", "\"", "@\"", "'", "/*", "\"\"\"", "class", "(this", "#", "global using"]
        {
            scan_text(text);
        }
    }
}
