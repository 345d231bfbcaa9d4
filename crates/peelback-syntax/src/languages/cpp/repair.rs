//! Rewrites C++ source that the grammar cannot parse because of macros.
//!
//! The grammar reads `class API Shape {` as a function that returns a class, and loses the rest of the class. The
//! repair replaces such words, macros on a line of their own in a class, and the access labels of Qt by blanks or by
//! their meaning. Every byte keeps its offset, so that the tree matches the original text. Comments and strings may be
//! rewritten too, because no facts are read from them.

mod annotations;
mod rewrites;
mod tokens;

use std::ops::Range;

use memchr::memmem;

use tokens::{is_macro_like_name, is_name_byte};
pub(super) use tokens::{names_of_source, words_alone_on_lines};

/// Limit on the length of a macro's arguments or of a list of base classes, in bytes. Source with longer ones stays as
/// written.
const MAX_ARGUMENT_BYTES: usize = 2_000;

/// Limit on the length of a friend declaration, in bytes. A longer one stays as written.
const MAX_FRIEND_DECLARATION_BYTES: usize = 200;

/// Limit on the number of macros in front of a class name. If there are more, all stay as written.
const MAX_MACROS_BEFORE_CLASS_NAME: usize = 4;

/// Prefixes of the names of macros that may be alone on a line. Such a macro is not the return type of the declaration
/// below it.
const LONE_MACRO_PREFIXES: &[&str] = &[
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

/// Macros of Qt that stand in front of a class member.
const MEMBER_MACROS: &[&str] = &["Q_INVOKABLE", "Q_SLOT", "Q_SIGNAL", "Q_SCRIPTABLE"];

/// The C++ text to parse in place of `source`, with the same length and the same lines; `None` if `source` needs no
/// repair.
pub(super) fn repair_source_for_parser(source: &str) -> Option<String> {
    let CppRewriter { blanked_ranges: blanks, public_label_offsets: labels, replaced_bytes, bytes } =
        scan_source_for_repairs(source);
    if blanks.is_empty() && labels.is_empty() && replaced_bytes.is_empty() {
        return None;
    }
    let mut bytes = bytes.to_vec();
    for (at, byte) in replaced_bytes {
        *bytes.get_mut(at)? = byte;
    }
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

/// The ranges of a source that the repair blanks, in order and without overlaps.
pub(super) fn blanked_ranges(source: &str) -> Vec<Range<usize>> {
    let mut ranges = scan_source_for_repairs(source).blanked_ranges;
    ranges.sort_by_key(|range| range.start);
    let mut end = 0;
    ranges.retain(|range| {
        let is_free = range.start >= end;
        end = end.max(range.end);
        is_free
    });
    ranges
}

fn scan_source_for_repairs(source: &str) -> CppRewriter<'_> {
    let bytes = source.as_bytes();
    let mut rewriter =
        CppRewriter { bytes, blanked_ranges: Vec::new(), public_label_offsets: Vec::new(), replaced_bytes: Vec::new() };
    for keyword in ["class", "struct", "union", "enum"] {
        for at in memmem::find_iter(bytes, keyword) {
            if rewriter.is_whole_word(at..at + keyword.len()) {
                rewriter.blank_macros_before_class_name(keyword, at + keyword.len());
            }
        }
    }
    for prefix in LONE_MACRO_PREFIXES {
        for at in memmem::find_iter(bytes, prefix) {
            rewriter.blank_macro_on_own_line(at);
        }
    }
    for slots in ["slots", "Q_SLOTS"] {
        for at in memmem::find_iter(bytes, slots) {
            rewriter.blank_qt_slots_keyword(at..at + slots.len());
        }
    }
    // Outside Qt, `signals` may be an ordinary label or bit field.
    if memmem::find(bytes, b"Q_OBJECT").is_some() {
        for signals in ["signals", "Q_SIGNALS"] {
            for at in memmem::find_iter(bytes, signals) {
                rewriter.replace_qt_signals_label(at..at + signals.len());
            }
        }
    }
    for at in memmem::find_iter(bytes, "friend") {
        rewriter.blank_friend_type_declaration(at..at + "friend".len());
    }
    let code = tokens::Code::new(bytes);
    rewriter.blanked_ranges.extend(annotations::annotation_ranges(&code));
    let rewrites = rewrites::rewrites_of_source(&code);
    rewriter.blanked_ranges.extend(rewrites.blanked);
    rewriter.replaced_bytes = rewrites.replaced;
    rewriter.blanked_ranges.extend(super::super::c::conditional_code_to_blank(source));
    rewriter
}

struct CppRewriter<'s> {
    bytes: &'s [u8],
    blanked_ranges: Vec<Range<usize>>,
    /// Byte offsets at which `public` replaces the word `signals` or `Q_SIGNALS` of Qt.
    public_label_offsets: Vec<usize>,
    /// Bytes that replace others, with their offsets.
    replaced_bytes: Vec<(usize, u8)>,
}

impl CppRewriter<'_> {
    fn byte_at(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    fn bytes_in_range(&self, range: Range<usize>) -> &[u8] {
        self.bytes.get(range).unwrap_or(&[])
    }

    fn is_whole_word(&self, range: Range<usize>) -> bool {
        let before = range.start.checked_sub(1).map_or(0, |at| self.byte_at(at));
        !is_name_byte(before) && !is_name_byte(self.byte_at(range.end))
    }

    /// Byte offset after the word that begins at byte `at`.
    fn word_end(&self, at: usize) -> usize {
        let rest = self.bytes_in_range(at..self.bytes.len());
        at + rest.iter().take_while(|&&byte| is_name_byte(byte)).count()
    }

    /// The first byte offset, from `at` on, that is outside white space and comments.
    fn offset_after_space_and_comments(&self, mut at: usize) -> usize {
        loop {
            let rest = self.bytes_in_range(at..self.bytes.len().min(at + MAX_ARGUMENT_BYTES));
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

    /// Byte offset after the bracket that closes the bracket at byte `at`; `None` if no bracket closes it nearby.
    fn offset_after_closing_bracket(&self, at: usize) -> Option<usize> {
        let mut depth = 0_u32;
        let mut quotes = 0_u32;
        for (offset, byte) in self.bytes_in_range(at..self.bytes.len()).iter().enumerate().take(MAX_ARGUMENT_BYTES) {
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

    /// Blanks macros such as `API` in `class API Shape final : public Base {`. `after` is the byte offset after the
    /// keyword.
    fn blank_macros_before_class_name(&mut self, keyword: &str, after: usize) {
        let mut at = self.offset_after_space_and_comments(after);
        let mut all_macro_names = true;
        let mut macros: Vec<Range<usize>> = Vec::new();
        // The last word that was read, which is the class name if only the body follows.
        let mut last: Option<Range<usize>> = None;
        loop {
            let end = self.word_end(at);
            let word = self.bytes_in_range(at..end);
            if self.bytes_in_range(at..at + 2) == b"[[" || word == b"alignas" {
                let open = if word.is_empty() { at } else { self.offset_after_space_and_comments(end) };
                let Some(close) = self.offset_after_closing_bracket(open) else { return };
                at = self.offset_after_space_and_comments(close);
                continue;
            }
            // `enum class`: the keyword `class` is processed separately.
            if word.is_empty() || word == b"class" || word == b"struct" {
                break;
            }
            if word == b"final" && last.is_some() {
                at = self.offset_after_space_and_comments(end);
                break;
            }
            if let Some(earlier) = last.replace(at..end) {
                let is_macro = is_macro_like_name(self.bytes_in_range(earlier.start..self.word_end(earlier.start)));
                // Two names between `class` and a body are a macro and the class name, unless a line break shows that
                // the word `class` was the end of a comment.
                let can_be_lowercase_macro =
                    keyword == "class" && memchr::memchr(b'\n', self.bytes_in_range(after..end)).is_none();
                if !(is_macro || can_be_lowercase_macro) || macros.len() == MAX_MACROS_BEFORE_CLASS_NAME {
                    return;
                }
                all_macro_names &= is_macro;
                macros.push(earlier);
            }
            at = self.offset_after_space_and_comments(end);
            if self.byte_at(at) == b'(' && is_macro_like_name(word) {
                let Some(close) = self.offset_after_closing_bracket(at) else { return };
                last = last.map(|last| last.start..close);
                at = self.offset_after_space_and_comments(close);
            } else if self.byte_at(at) == b'<' {
                let Some(close) = self.offset_after_closing_bracket(at) else { return };
                at = self.offset_after_space_and_comments(close);
                break;
            }
            // In a qualified name only the first part can be a macro.
            while self.bytes_in_range(at..at + 2) == b"::" {
                at = self.offset_after_space_and_comments(at + 2);
                at = self.offset_after_space_and_comments(self.word_end(at));
            }
        }
        if self.bytes_in_range(at..at + 5) == b"final" && !is_name_byte(self.byte_at(at + 5)) {
            at = self.offset_after_space_and_comments(at + 5);
        }
        let is_class_definition = match self.byte_at(at) {
            b'{' => true,
            b':' => {
                let bases = self.bytes_in_range(at..self.bytes.len().min(at + MAX_ARGUMENT_BYTES));
                bases.get(memchr::memchr2(b'{', b';', bases).unwrap_or(bases.len())) == Some(&b'{')
            }
            // A variable of a class type is declared without the keyword `class`, but often with the keyword `struct`.
            b';' => keyword == "class" && all_macro_names,
            _ => false,
        };
        if is_class_definition {
            self.blanked_ranges.append(&mut macros);
        }
    }

    /// Blanks a macro on a line of its own, such as `Q_OBJECT`, with its arguments.
    fn blank_macro_on_own_line(&mut self, at: usize) {
        let before = self.bytes_in_range(0..at);
        let begins_line = before.iter().rev().take_while(|&&byte| byte != b'\n').all(u8::is_ascii_whitespace);
        let end = self.word_end(at);
        if !begins_line || !is_macro_like_name(self.bytes_in_range(at..end)) {
            return;
        }
        if MEMBER_MACROS.iter().any(|mark| mark.as_bytes() == self.bytes_in_range(at..end)) {
            self.blanked_ranges.push(at..end);
            return;
        }
        let mut close = end;
        if self.byte_at(self.offset_after_space_and_comments(end)) == b'(' {
            let Some(end) = self.offset_after_closing_bracket(self.offset_after_space_and_comments(end)) else {
                return;
            };
            close = end;
        }
        let rest = self.bytes_in_range(close..self.bytes.len());
        let rest = rest.get(..memchr::memchr(b'\n', rest).unwrap_or(rest.len())).unwrap_or(rest).trim_ascii();
        let ends_line = rest.is_empty() || rest == b";" && close > end || rest.starts_with(b"//");
        // An enumerator, or a part of an expression, would continue or close on the next line.
        let next = self.byte_at(self.offset_after_space_and_comments(close));
        let is_before_member =
            is_name_byte(next) || matches!(next, b'~' | b'[' | b'#' | b';') || next == b'}' && close > end;
        let is_after_statement = match before.trim_ascii_end().last() {
            None | Some(b'{' | b';' | b'}' | b':' | b')' | b'/') => true,
            Some(&byte) => self
                .blanked_ranges
                .last()
                .is_some_and(|last| self.bytes_in_range(last.end..at).trim_ascii().is_empty() && is_name_byte(byte)),
        };
        let lone_in_class = next == b'}' && self.bytes_in_range(at..end).starts_with(b"Q_");
        if ends_line && is_after_statement && (is_before_member || lone_in_class) {
            self.blanked_ranges.push(at..close);
        }
    }

    /// Blanks the Qt keyword `slots` in `public slots:`.
    fn blank_qt_slots_keyword(&mut self, word: Range<usize>) {
        let colon = self.offset_after_space_and_comments(word.end);
        let before = self.bytes_in_range(0..word.start).trim_ascii_end();
        let access = ["public", "protected", "private"].iter().any(|access| before.ends_with(access.as_bytes()));
        if access && self.is_whole_word(word.clone()) && self.byte_at(colon) == b':' && self.byte_at(colon + 1) != b':'
        {
            self.blanked_ranges.push(word);
        }
    }

    /// Blanks `friend class Canvas;`, which defines nothing. In a broken class the grammar reads it as a variable.
    fn blank_friend_type_declaration(&mut self, word: Range<usize>) {
        let rest = self.bytes_in_range(word.end..self.bytes.len().min(word.end + MAX_FRIEND_DECLARATION_BYTES));
        let Some(end) = memchr::memchr(b';', rest) else { return };
        let named = rest.get(..end).unwrap_or(&[]);
        let is_type =
            named.iter().all(|&byte| is_name_byte(byte) || byte.is_ascii_whitespace() || b":<>,*".contains(&byte));
        let is_template = self.bytes_in_range(0..word.start).trim_ascii_end().ends_with(b">");
        if is_type && !is_template && self.is_whole_word(word.clone()) && !named.trim_ascii().is_empty() {
            self.blanked_ranges.push(word.start..word.end + end);
        }
    }

    /// Replaces the Qt label `signals:` by `public:`.
    fn replace_qt_signals_label(&mut self, word: Range<usize>) {
        let colon = self.offset_after_space_and_comments(word.end);
        let before = self.bytes_in_range(0..word.start);
        let begins_line = before.iter().rev().take_while(|&&byte| byte != b'\n').all(u8::is_ascii_whitespace);
        if begins_line
            && self.is_whole_word(word.clone())
            && self.byte_at(colon) == b':'
            && self.byte_at(colon + 1) != b':'
        {
            self.public_label_offsets.push(word.start);
            self.blanked_ranges.push(word);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::repair_source_for_parser;

    #[test]
    fn macros_before_a_class_name_are_blanked() {
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
            assert_eq!(repair_source_for_parser(text).as_deref(), Some(expected), "{text}");
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
            assert_eq!(repair_source_for_parser(text), None, "{text}");
        }
    }

    #[test]
    fn macros_on_a_line_of_their_own_are_blanked() {
        for (text, expected) in [
            ("{\n Q_OBJECT\npublic:", "{\n         \npublic:"),
            ("{\n Q_DISABLE_COPY(X)\n}", "{\n                  \n}"),
            ("{ friend class X; friend Y; }", "{               ;         ; }"),
            ("{ public slots: }", "{ public      : }"),
            ("Q_OBJECT signals:\nsignals:", "Q_OBJECT signals:\npublic :"),
        ] {
            assert_eq!(repair_source_for_parser(text).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "{\n  ONE,\n  Q_TWO\n};",
            "BOOL\nrun();",
            "x = {\n Q_ONE,\n Q_TWO };",
            "slots:\n signals: x();",
            "template <class T> friend class X;",
            "friend void f();",
        ] {
            assert_eq!(repair_source_for_parser(text), None, "{text}");
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
        fn a_repair_keeps_the_length_and_the_line_breaks(picks in prop::collection::vec(0..PIECES.len(), 0..60)) {
            let source: String = picks.into_iter().filter_map(|pick| PIECES.get(pick)).copied().collect();
            if let Some(out) = repair_source_for_parser(&source) {
                prop_assert_eq!(out.len(), source.len());
                let newlines = |text: &str| text.match_indices('\n').map(|(at, _)| at).collect::<Vec<_>>();
                prop_assert_eq!(newlines(&out), newlines(&source));
            }
        }
    }
}
