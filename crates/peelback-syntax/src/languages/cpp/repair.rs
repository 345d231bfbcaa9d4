//! Text that the grammar can read, where macros make of C++ what it cannot.
//!
//! `class API Shape {` looks like a function that gives a class, and the rest of the class is lost with it. Such words,
//! macros that stand alone in a class, and the access labels of Qt become blanks or what they stand for. Every byte
//! keeps its place, so that the tree fits the text as written. What looks like any of these in a comment or a string is
//! rewritten too: nothing is read from there.

use std::ops::Range;

use memchr::memmem;

/// Arguments of a macro, a list of base classes: at most this long.
const MAX_ARGUMENTS: usize = 2_000;

/// What a class names as its friend: at most this long.
const MAX_FRIEND: usize = 200;

/// Macros before the name of one class, at most.
const MAX_MACROS: usize = 4;

/// How the names of macros begin that stand alone on a line, and are no return type of what follows.
const LONE: &[&str] = &[
    "Q_",
    "QML_",
    "QT_",
    "DECLARE_",
    "DISALLOW_",
    "DISABLE_",
    "GENERATED_",
    "UCLASS",
    "USTRUCT",
    "UENUM",
    "UINTERFACE",
    "UPROPERTY",
    "UFUNCTION",
    "NS_DECL_",
];

/// Marks of Qt before a member.
const BEFORE_MEMBERS: &[&str] = &["Q_INVOKABLE", "Q_SLOT", "Q_SIGNAL", "Q_SCRIPTABLE"];

/// The text to parse in place of `source`, of the same length and with the same lines; `None` where it is fine.
pub(super) fn repaired(source: &str) -> Option<String> {
    let bytes = source.as_bytes();
    let mut reader = Reader { bytes, blanks: Vec::new(), labels: Vec::new() };
    for keyword in ["class", "struct", "union", "enum"] {
        for at in memmem::find_iter(bytes, keyword) {
            if reader.is_word(at..at + keyword.len()) {
                reader.type_head(keyword, at + keyword.len());
            }
        }
    }
    for prefix in LONE {
        for at in memmem::find_iter(bytes, prefix) {
            reader.lone_macro(at);
        }
    }
    for slots in ["slots", "Q_SLOTS"] {
        for at in memmem::find_iter(bytes, slots) {
            reader.slots(at..at + slots.len());
        }
    }
    // The same word is a label or a bit field of anyone else's.
    if memmem::find(bytes, b"Q_OBJECT").is_some() {
        for signals in ["signals", "Q_SIGNALS"] {
            for at in memmem::find_iter(bytes, signals) {
                reader.signals(at..at + signals.len());
            }
        }
    }
    for at in memmem::find_iter(bytes, "friend") {
        reader.friend(at..at + "friend".len());
    }
    let Reader { blanks, labels, .. } = reader;
    if blanks.is_empty() && labels.is_empty() {
        return None;
    }
    let mut bytes = bytes.to_vec();
    for blank in blanks {
        for byte in bytes.get_mut(blank)? {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
    for label in labels {
        bytes.get_mut(label..label + 6)?.copy_from_slice(b"public");
    }
    String::from_utf8(bytes).ok()
}

struct Reader<'s> {
    bytes: &'s [u8],
    blanks: Vec<Range<usize>>,
    /// Where `public` takes a word's place.
    labels: Vec<usize>,
}

impl Reader<'_> {
    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    fn text(&self, range: Range<usize>) -> &[u8] {
        self.bytes.get(range).unwrap_or(&[])
    }

    fn is_word(&self, range: Range<usize>) -> bool {
        let before = range.start.checked_sub(1).map_or(0, |at| self.byte(at));
        !is_name(before) && !is_name(self.byte(range.end))
    }

    /// The end of the word that begins at `at`.
    fn word_end(&self, at: usize) -> usize {
        let rest = self.text(at..self.bytes.len());
        at + rest.iter().take_while(|&&byte| is_name(byte)).count()
    }

    /// The first byte from `at` on that is neither space nor comment.
    fn skip_space(&self, mut at: usize) -> usize {
        loop {
            let rest = self.text(at..self.bytes.len().min(at + MAX_ARGUMENTS));
            if rest.first().is_some_and(u8::is_ascii_whitespace) {
                at += 1;
            } else if rest.starts_with(b"//") {
                at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            } else if rest.starts_with(b"/*") {
                at += memmem::find(rest, b"*/").map_or(rest.len(), |end| end + 2);
            } else {
                return at;
            }
        }
    }

    /// The end of what a bracket at `at` encloses; `None` where nothing closes it soon.
    fn bracket_end(&self, at: usize) -> Option<usize> {
        let mut depth = 0_u32;
        let mut quotes = 0_u32;
        for (offset, byte) in self.text(at..self.bytes.len()).iter().enumerate().take(MAX_ARGUMENTS) {
            match byte {
                b'(' | b'[' | b'<' => depth += 1,
                b')' | b']' | b'>' => depth = depth.checked_sub(1)?,
                b'"' => quotes += 1,
                b';' | b'{' | b'}' => return None,
                _ => {}
            }
            if depth == 0 {
                return quotes.is_multiple_of(2).then_some(at + offset + 1);
            }
        }
        None
    }

    /// `API` in `class API Shape final : public Base {`, from the end of the keyword on.
    fn type_head(&mut self, keyword: &str, after: usize) {
        let mut at = self.skip_space(after);
        let mut all_loud = true;
        let mut macros: Vec<Range<usize>> = Vec::new();
        // The last word read: the name, if nothing but the body follows.
        let mut last: Option<Range<usize>> = None;
        loop {
            let end = self.word_end(at);
            let word = self.text(at..end);
            if self.text(at..at + 2) == b"[[" || word == b"alignas" {
                let open = if word.is_empty() { at } else { self.skip_space(end) };
                let Some(close) = self.bracket_end(open) else { return };
                at = self.skip_space(close);
                continue;
            }
            // `enum class`, whose `class` is read on its own.
            if word.is_empty() || word == b"class" || word == b"struct" {
                break;
            }
            if word == b"final" && last.is_some() {
                at = self.skip_space(end);
                break;
            }
            if let Some(earlier) = last.replace(at..end) {
                let is_loud = is_macro(self.text(earlier.start..self.word_end(earlier.start)));
                // Two names behind `class` and before a body cannot be anything else, but in the end of a comment.
                let quiet = keyword == "class" && memchr::memchr(b'\n', self.text(after..end)).is_none();
                if !(is_loud || quiet) || macros.len() == MAX_MACROS {
                    return;
                }
                all_loud &= is_loud;
                macros.push(earlier);
            }
            at = self.skip_space(end);
            if self.byte(at) == b'(' && is_macro(word) {
                let Some(close) = self.bracket_end(at) else { return };
                last = last.map(|last| last.start..close);
                at = self.skip_space(close);
            } else if self.byte(at) == b'<' {
                let Some(close) = self.bracket_end(at) else { return };
                at = self.skip_space(close);
                break;
            }
            // A name with its owners: only what stands before it can be a macro.
            while self.text(at..at + 2) == b"::" {
                at = self.skip_space(at + 2);
                at = self.skip_space(self.word_end(at));
            }
        }
        if self.text(at..at + 5) == b"final" && !is_name(self.byte(at + 5)) {
            at = self.skip_space(at + 5);
        }
        let begins = match self.byte(at) {
            b'{' => true,
            b':' => {
                let bases = self.text(at..self.bytes.len().min(at + MAX_ARGUMENTS));
                bases.get(memchr::memchr2(b'{', b';', bases).unwrap_or(bases.len())) == Some(&b'{')
            }
            // A variable of a class is declared without the keyword, one of a struct often with it.
            b';' => keyword == "class" && all_loud,
            _ => false,
        };
        if begins {
            self.blanks.append(&mut macros);
        }
    }

    /// `Q_OBJECT` on a line of its own, with its arguments.
    fn lone_macro(&mut self, at: usize) {
        let before = self.text(0..at);
        let begins_line = before.iter().rev().take_while(|&&byte| byte != b'\n').all(u8::is_ascii_whitespace);
        let end = self.word_end(at);
        if !begins_line || !is_macro(self.text(at..end)) {
            return;
        }
        if BEFORE_MEMBERS.iter().any(|mark| mark.as_bytes() == self.text(at..end)) {
            self.blanks.push(at..end);
            return;
        }
        let mut close = end;
        if self.byte(self.skip_space(end)) == b'(' {
            let Some(end) = self.bracket_end(self.skip_space(end)) else { return };
            close = end;
        }
        let rest = self.text(close..self.bytes.len());
        let rest = rest.get(..memchr::memchr(b'\n', rest).unwrap_or(rest.len())).unwrap_or(rest).trim_ascii();
        let ends_line = rest.is_empty() || rest == b";" && close > end || rest.starts_with(b"//");
        // An enumerator or a part of an expression goes on or closes on the next line.
        let next = self.byte(self.skip_space(close));
        let follows = is_name(next) || matches!(next, b'~' | b'[' | b'#' | b';') || next == b'}' && close > end;
        let starts = match before.trim_ascii_end().last() {
            None | Some(b'{' | b';' | b'}' | b':' | b')' | b'/') => true,
            Some(&byte) => {
                self.blanks.last().is_some_and(|last| self.text(last.end..at).trim_ascii().is_empty() && is_name(byte))
            }
        };
        let lone_in_class = next == b'}' && self.text(at..end).starts_with(b"Q_");
        if ends_line && starts && (follows || lone_in_class) {
            self.blanks.push(at..close);
        }
    }

    /// `slots` in `public slots:`.
    fn slots(&mut self, word: Range<usize>) {
        let colon = self.skip_space(word.end);
        let before = self.text(0..word.start).trim_ascii_end();
        let access = ["public", "protected", "private"].iter().any(|access| before.ends_with(access.as_bytes()));
        if access && self.is_word(word.clone()) && self.byte(colon) == b':' && self.byte(colon + 1) != b':' {
            self.blanks.push(word);
        }
    }

    /// `friend class Canvas;`, which defines nothing. In a class that is broken it looks like a variable.
    fn friend(&mut self, word: Range<usize>) {
        let rest = self.text(word.end..self.bytes.len().min(word.end + MAX_FRIEND));
        let Some(end) = memchr::memchr(b';', rest) else { return };
        let named = rest.get(..end).unwrap_or(&[]);
        let is_type = named.iter().all(|&byte| is_name(byte) || byte.is_ascii_whitespace() || b":<>,*".contains(&byte));
        let templated = self.text(0..word.start).trim_ascii_end().ends_with(b">");
        if is_type && !templated && self.is_word(word.clone()) && !named.trim_ascii().is_empty() {
            self.blanks.push(word.start..word.end + end);
        }
    }

    /// `signals:`, which is `public:`.
    fn signals(&mut self, word: Range<usize>) {
        let colon = self.skip_space(word.end);
        let before = self.text(0..word.start);
        let begins_line = before.iter().rev().take_while(|&&byte| byte != b'\n').all(u8::is_ascii_whitespace);
        if begins_line && self.is_word(word.clone()) && self.byte(colon) == b':' && self.byte(colon + 1) != b':' {
            self.labels.push(word.start);
            self.blanks.push(word);
        }
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether a word is written as macros are: in capitals, of three letters at least.
fn is_macro(word: &[u8]) -> bool {
    word.len() >= 3
        && word.first().is_some_and(|byte| !byte.is_ascii_digit())
        && word.iter().any(u8::is_ascii_uppercase)
        && !word.iter().any(u8::is_ascii_lowercase)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::repaired;

    #[test]
    fn macros_before_a_type_become_blanks() {
        for (text, expected) in [
            ("class API Shape {", "class     Shape {"),
            ("class API Shape\n{", "class     Shape\n{"),
            ("class API Shape final {", "class     Shape final {"),
            ("struct API(1, \"x\") Shape : Base {", "struct             Shape : Base {"),
            ("class API OLD_ API2 SHAPE {", "class               SHAPE {"),
            ("enum class API Style : int {", "enum class     Style : int {"),
            ("class [[nodiscard]] API Shape {", "class [[nodiscard]]     Shape {"),
            ("struct API hash<Shape> {", "struct     hash<Shape> {"),
            ("class api_export Shape {", "class            Shape {"),
            ("class API Shape;", "class     Shape;"),
        ] {
            assert_eq!(repaired(text).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "class SHAPE {",
            "class SHAPE final {",
            "class SHAPE : Base {",
            "struct DIR dir;",
            "enum MODE mode : 3; void f() {",
            "struct POINT origin(int x) {",
            "struct POINT* origin() {",
            "template <class KEY, class VALUE> struct Map {",
            "class api shape;",
            "// a class\nnamespace geo {",
            "// a class of\nnamespace geo {",
            "struct Api shape{1};",
            "subclass API Shape {",
        ] {
            assert_eq!(repaired(text), None, "{text}");
        }
    }

    #[test]
    fn lone_macros_become_blanks() {
        for (text, expected) in [
            ("{\n Q_OBJECT\npublic:", "{\n         \npublic:"),
            ("{\n Q_DISABLE_COPY(X)\n}", "{\n                  \n}"),
            ("{ friend class X; friend Y; }", "{               ;         ; }"),
            ("{ public slots: }", "{ public      : }"),
            ("Q_OBJECT signals:\nsignals:", "Q_OBJECT signals:\npublic :"),
        ] {
            assert_eq!(repaired(text).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "{\n  ONE,\n  Q_TWO\n};",
            "BOOL\nrun();",
            "x = {\n Q_ONE,\n Q_TWO };",
            "slots:\n signals: x();",
            "template <class T> friend class X;",
            "friend void f();",
        ] {
            assert_eq!(repaired(text), None, "{text}");
        }
    }

    const PIECES: &[&str] = &[
        "class ",
        "struct ",
        "enum ",
        "API ",
        "API(",
        "Q_OBJECT",
        "Q_X(",
        ")",
        "<",
        ">",
        "{",
        "}",
        ":",
        "::",
        ";",
        "\n",
        " ",
        "name ",
        "final ",
        "é",
        "\"",
        "//",
        "/*",
        "*/",
        "signals",
        "public slots",
        "[[",
        "]]",
        "alignas(",
        "\r\n",
    ];

    proptest! {
        #[test]
        fn every_byte_keeps_its_place(picks in prop::collection::vec(0..PIECES.len(), 0..60)) {
            let source: String = picks.into_iter().filter_map(|pick| PIECES.get(pick)).copied().collect();
            if let Some(out) = repaired(&source) {
                prop_assert_eq!(out.len(), source.len());
                let newlines = |text: &str| text.match_indices('\n').map(|(at, _)| at).collect::<Vec<_>>();
                prop_assert_eq!(newlines(&out), newlines(&source));
            }
        }
    }
}
