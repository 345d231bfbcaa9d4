//! Rewrites code that is correct, or that a macro makes correct, and that the grammar does not know: types as arguments of
//! macros, pointers to members, calls of operators by name, labels of access that macros make.
//!
//! Names stay where they can, so that they are bound; what hides them from the grammar is blanked or becomes an identifier.

mod macro_calls;

use std::ops::Range;

use super::super::super::c::is_cpp_keyword;
use super::annotations::{is_access_word, is_builtin_type};
use super::tokens::{Code, Kind};

/// The limit on the number of tokens of a path that are followed back.
const MAX_PATH_TOKENS: usize = 100;

/// What to change in a source.
#[derive(Default)]
pub(super) struct Rewrites {
    /// Code to blank. The names in it are uses all the same.
    pub blanked: Vec<Range<usize>>,
    /// Bytes to put in place of others.
    pub replaced: Vec<(usize, u8)>,
}

/// The rewrites of a source.
pub(super) fn rewrites_of_source(code: &Code<'_>) -> Rewrites {
    let mut rewriter = Rewriter { code, made: Rewrites::default(), compound_literal_end: 0 };
    for at in 0..code.tokens.len() {
        match code.kind(at) {
            Some(Kind::Directive) => rewriter.rewrite_directive(code.range(at)),
            Some(Kind::Word) => rewriter.rewrite_word(at),
            Some(Kind::Scope) => rewriter.rewrite_pointer_to_member(at),
            Some(Kind::Mark(b'-' | b'.')) => rewriter.rewrite_member_access(at),
            Some(Kind::Mark(b'*' | b'&')) => rewriter.rewrite_unnamed_default(at),
            Some(Kind::Literal) => rewriter.rewrite_words_beside_literal(at),
            _ => {}
        }
    }
    rewriter.made
}

struct Rewriter<'s> {
    code: &'s Code<'s>,
    made: Rewrites,
    /// The index of the last brace of the last compound literal whose macro was blanked; 0 if there is none.
    compound_literal_end: usize,
}

impl Rewriter<'_> {
    fn blank_tokens(&mut self, at: usize, end: usize) {
        let (first, last) = (self.code.range(at), self.code.range(end.saturating_sub(1)));
        if end > at && first.start < last.end {
            self.made.blanked.push(first.start..last.end);
        }
    }

    /// Makes one identifier of the bytes in a range, of which those behind a line break are blanked.
    fn make_identifier(&mut self, range: Range<usize>) {
        let mut is_first_line = true;
        let mut is_first = true;
        for at in range {
            match self.code.bytes.get(at).copied() {
                Some(b'\n' | b'\r') => is_first_line = false,
                Some(_) if !is_first_line => self.made.replaced.push((at, b' ')),
                Some(byte) if (byte.is_ascii_alphabetic() || byte == b'_') && !is_first => {}
                Some(_) => self.made.replaced.push((at, b'_')),
                None => return,
            }
            is_first = false;
        }
    }

    fn rewrite_word(&mut self, at: usize) {
        let code = self.code;
        match code.word(at) {
            "new" => self.rewrite_new(at),
            "decltype" => self.rewrite_decltype(at),
            "typename" => self.rewrite_typename(at),
            "unsigned" | "signed" if matches!(code.word(at + 1), "__int128" | "__int64") => {
                self.blank_tokens(at, at + 1);
            }
            word if code.is_mark(at + 1, b'(') && (code.is_macro(at) || word == "va_arg") => {
                self.rewrite_macro_call(at)
            }
            "operator" => self.rewrite_call_of_own_operator(at),
            word if code.is_mark(at + 1, b':') && code.is_macro(at) && is_access_word(word) => {
                self.rewrite_access_label(at);
            }
            _ => {}
        }
    }

    /// `MEMBERS_PRIVATE:` in a class becomes `private:`.
    fn rewrite_access_label(&mut self, at: usize) {
        let code = self.code;
        if !code.begins_line(at) || !code.begins_line(at + 2) {
            return;
        }
        let word = code.word(at);
        let access = ["PRIVATE", "PROTECTED", "PUBLIC"].into_iter().find(|access| word.contains(access));
        let Some(access) = access else { return };
        self.replace_word(at, &access.to_ascii_lowercase());
    }

    /// In `new const T*[count]`, the grammar knows neither `const` nor `*`.
    fn rewrite_new(&mut self, at: usize) {
        let code = self.code;
        let mut at = at + 1;
        if code.is_mark(at, b'(') {
            let Some(end) = code.after_brackets(at) else { return };
            at = end;
        }
        if code.word(at) == "const" {
            self.blank_tokens(at, at + 1);
            at += 1;
        }
        let Some(mut end) = self.type_end(at) else { return };
        if code.word(end) == "const" {
            self.blank_tokens(end, end + 1);
            end += 1;
        }
        while code.is_mark(end, b'*') {
            self.blank_tokens(end, end + 1);
            end += 1;
        }
    }

    /// The index after a type at `at` that is a path or words of the language.
    fn type_end(&self, mut at: usize) -> Option<usize> {
        let code = self.code;
        let start = at;
        if is_builtin_type(code.word(at)) || code.word(at) == "void" {
            while is_builtin_type(code.word(at)) || code.word(at) == "void" {
                at += 1;
            }
            return Some(at);
        }
        if code.kind(at) == Some(Kind::Scope) {
            at += 1;
        }
        while code.kind(at) == Some(Kind::Word) && at < start + MAX_PATH_TOKENS {
            at += 1;
            if code.is_mark(at, b'<') {
                at = code.after_brackets(at)?;
            }
            if code.kind(at) != Some(Kind::Scope) {
                return Some(at);
            }
            at += 1;
        }
        None
    }

    /// In `decltype(a, b)`, the grammar knows no comma: an operator joins the operands as well.
    fn rewrite_decltype(&mut self, at: usize) {
        let code = self.code;
        let Some(close) = code.closing_bracket(at + 1).filter(|_| code.is_mark(at + 1, b'(')) else { return };
        let mut at = at + 2;
        while at < close {
            if code.is_mark(at, b',') {
                self.made.replaced.push((code.range(at).start, b'|'));
            }
            at = code.closing_bracket(at).unwrap_or(at) + 1;
        }
    }

    /// `typename` in an expression, as in `x = typename T::type(y);`.
    fn rewrite_typename(&mut self, at: usize) {
        let code = self.code;
        let Some(before) = at.checked_sub(1) else { return };
        let is_in_sizeof = code.is_mark(before, b'(') && before > 0 && code.word(before - 1) == "sizeof";
        let may_be_value = matches!(code.kind(before), Some(Kind::Mark(b'=' | b'(' | b',' | b'{' | b'?' | b':')))
            || code.word(before) == "return";
        let Some(end) = self.type_end(at + 1) else { return };
        if is_in_sizeof || may_be_value && matches!(code.kind(end), Some(Kind::Mark(b'(' | b'{'))) {
            self.blank_tokens(at, at + 1);
        }
    }

    /// The class in a pointer to a member, as in `int Store::*field`.
    fn rewrite_pointer_to_member(&mut self, at: usize) {
        let code = self.code;
        if !code.is_mark(at + 1, b'*') {
            return;
        }
        let mut start = at;
        while let Some(before) = start.checked_sub(1) {
            let is_part = match code.kind(before) {
                Some(Kind::Word) => start == at || matches!(code.kind(start), Some(Kind::Scope | Kind::Mark(b'<'))),
                Some(Kind::Scope) => code.kind(start) == Some(Kind::Word),
                Some(Kind::Mark(b'>')) if code.kind(start) == Some(Kind::Scope) => match code.opening_bracket(before) {
                    Some(open) => {
                        start = open;
                        continue;
                    }
                    None => false,
                },
                _ => false,
            };
            if !is_part || at - before > MAX_PATH_TOKENS {
                break;
            }
            start = before;
        }
        self.blank_tokens(start, at + 1);
    }

    /// The operators `->*` and `.*`, and the call of an operator by its name.
    fn rewrite_member_access(&mut self, at: usize) {
        let code = self.code;
        let is_arrow = code.is_mark(at, b'-') && code.is_mark(at + 1, b'>') && code.touches_next(at);
        if !is_arrow && code.is_mark(at, b'-') {
            return;
        }
        let last = if is_arrow { at + 1 } else { at };
        if code.is_mark(last + 1, b'*') && code.touches_next(last) {
            let is_dots = at > 0 && code.is_mark(at - 1, b'.');
            if !is_dots {
                self.made.replaced.extend((at..=last).map(|at| (code.range(at).start, b' ')));
            }
            return;
        }
        if code.word(last + 1) == "operator" {
            self.make_name_of_operator(last + 1);
        }
    }

    /// `return operator[](at);`: a call of an operator of the object itself.
    fn rewrite_call_of_own_operator(&mut self, at: usize) {
        let code = self.code;
        let begins_expression = at.checked_sub(1).is_none_or(|before| {
            matches!(code.kind(before), Some(Kind::Mark(b'(' | b'=' | b',' | b'!' | b';' | b'{' | b'}')))
                || code.word(before) == "return"
        });
        if begins_expression {
            self.make_name_of_operator(at);
        }
    }

    /// Makes one identifier of the name of an operator that is called, which the word at `at` begins.
    fn make_name_of_operator(&mut self, at: usize) {
        let code = self.code;
        let mut end = at + 1;
        match code.kind(end) {
            Some(Kind::Mark(b'(' | b'[')) if code.closing_bracket(end) == Some(end + 1) => end += 2,
            Some(Kind::Mark(b'(' | b'[')) => return,
            Some(Kind::Mark(_)) => {
                while matches!(code.kind(end), Some(Kind::Mark(mark)) if mark != b'(') && end < at + 4 {
                    end += 1;
                }
            }
            _ => return,
        }
        if code.is_mark(end, b'(') {
            self.make_identifier(code.range(at).start..code.range(end - 1).end);
        }
    }

    /// The pointer of an unnamed parameter with a default value: `typename T::type* = nullptr`.
    fn rewrite_unnamed_default(&mut self, at: usize) {
        let code = self.code;
        let is_behind_type = at.checked_sub(1).is_some_and(|before| {
            matches!(code.kind(before), Some(Kind::Word | Kind::Mark(b'>' | b'*' | b'&')))
                && code.word(before) != "operator"
        });
        let mut end = at + 1;
        while matches!(code.kind(end), Some(Kind::Mark(b'*' | b'&'))) && end < at + 3 {
            end += 1;
        }
        let is_default =
            code.is_mark(end, b'=') && !code.is_mark(end + 1, b'=') && code.range(end - 1).end < code.range(end).start;
        if is_behind_type && is_default {
            self.blank_tokens(at, at + 1);
        }
    }

    /// Macros beside a string, which stand for strings: `"a" SEPARATOR "b"`.
    fn rewrite_words_beside_literal(&mut self, at: usize) {
        let code = self.code;
        let is_linkage = at > 0 && code.word(at - 1) == "extern";
        if is_linkage || code.bytes.get(code.range(at).end.saturating_sub(1)) != Some(&b'"') {
            return;
        }
        let mut end = at + 1;
        while code.kind(end) == Some(Kind::Word)
            && !is_cpp_keyword(code.word(end))
            && !code.touches_next(end - 1)
            && end < at + MAX_PATH_TOKENS
        {
            end += 1;
        }
        let ends_text =
            matches!(code.kind(end), Some(Kind::Literal | Kind::Mark(b')' | b',' | b';' | b']' | b'}' | b'<')));
        if ends_text {
            self.blank_tokens(at + 1, end);
        }
        let is_macro_before = at >= 2
            && code.is_macro(at - 1)
            && matches!(code.kind(at - 2), Some(Kind::Mark(b'(' | b',' | b'=' | b'{' | b'<')));
        if is_macro_before {
            self.blank_tokens(at - 1, at);
        }
    }

    /// Conditions have operands that the grammar does not know, and it ends the body of a macro at a comment.
    fn rewrite_directive(&mut self, range: Range<usize>) {
        let Some(text) = self.code.bytes.get(range.clone()) else { return };
        let word_start = text.iter().position(u8::is_ascii_alphabetic).unwrap_or(text.len());
        let word_len =
            text.get(word_start..).unwrap_or(&[]).iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let word = text.get(word_start..word_start + word_len).unwrap_or(&[]);
        let (is_condition, is_long_macro) =
            (matches!(word, b"if" | b"elif"), word == b"define" && memchr::memchr(b'\n', text).is_some());
        if !is_condition && !is_long_macro {
            return;
        }
        let mut at = word_start + word_len;
        let byte = |at: usize| text.get(at).copied().unwrap_or(0);
        while at < text.len() {
            match byte(at) {
                b'/' if matches!(byte(at + 1), b'/' | b'*') => {
                    let rest = text.get(at + 2..).unwrap_or(&[]);
                    let end = match byte(at + 1) {
                        b'*' => at + 2 + memchr::memmem::find(rest, b"*/").map_or(rest.len(), |end| end + 2),
                        _ => text.len(),
                    };
                    if is_long_macro {
                        for at in (at..end).filter(|at| !is_part_of_line_end(text, *at)) {
                            self.made.replaced.push((range.start + at, b' '));
                        }
                    }
                    at = end;
                }
                quote @ (b'"' | b'\'') => {
                    let start = at;
                    at += 1;
                    while at < text.len() && byte(at) != quote && byte(at) != b'\n' {
                        at += if byte(at) == b'\\' { 2 } else { 1 };
                    }
                    at = (at + 1).min(text.len());
                    if is_condition && quote == b'"' {
                        self.make_identifier(range.start + start..range.start + at);
                    }
                }
                b'<' if is_condition => {
                    let path = text.get(at + 1..).unwrap_or(&[]);
                    let is_path = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-+./".contains(byte);
                    let len = path.iter().take_while(is_path).count();
                    let is_argument = text.get(..at).is_some_and(|before| before.trim_ascii_end().ends_with(b"("));
                    if is_argument && len > 0 && path.get(len) == Some(&b'>') {
                        self.make_identifier(range.start + at..range.start + at + len + 2);
                        at += len + 1;
                    }
                    at += 1;
                }
                b':' if is_condition && byte(at + 1) == b':' => {
                    self.made.replaced.extend([(range.start + at, b'_'), (range.start + at + 1, b'_')]);
                    at += 2;
                }
                _ => at += 1,
            }
        }
    }
}

/// Whether a byte is a line break, or the backslash in front of one.
fn is_part_of_line_end(text: &[u8], at: usize) -> bool {
    let rest = text.get(at..).unwrap_or(&[]);
    let is_break = |byte: Option<&u8>| matches!(byte, Some(b'\n' | b'\r'));
    let mut after = rest.iter().skip(1).skip_while(|byte| matches!(byte, b' ' | b'\t'));
    is_break(rest.first()) || rest.starts_with(b"\\") && is_break(after.next())
}

#[cfg(test)]
mod tests {
    use super::super::repair_source_for_parser;

    /// The text that the grammar reads, without the spaces that rewrites leave.
    fn rewritten(text: &str) -> String {
        let made = repair_source_for_parser(text).unwrap_or_else(|| text.to_owned());
        assert_eq!(made.len(), text.len());
        made.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn code_that_the_grammar_does_not_know_is_rewritten() {
        for (text, expected) in [
            ("DEFINE_FLAG(int, size, 1);", "DEFINE_FLAG(_nt, size, 1);"),
            ("EXPECT_THROW(run(), const Error&);", "EXPECT_THROW(run(), Error );"),
            ("LIST(unsigned long, int32_t*);", "LIST(_nsigned_long, _nt___t_);"),
            ("COMPARE(NE, !=);", "COMPARE(NE, __);"),
            ("PASTE(a, , b);", "PASTE(a, b);"),
            ("auto x = new const Node*[3];", "auto x = new Node [3];"),
            ("(this->*run)(1);", "(this *run)(1);"),
            ("int Store::*field;", "int *field;"),
            ("void (app::Box<int>::*run)(int);", "void ( *run)(int);"),
            ("void f(typename T::type* = nullptr);", "void f(typename T::type = nullptr);"),
            ("auto x = typename T::type(1);", "auto x = T::type(1);"),
            ("auto f() -> decltype(run(x), void());", "auto f() -> decltype(run(x)| void());"),
            ("x = a.operator->();", "x = a._perator__();"),
            ("return operator[](1);", "return _perator__(1);"),
            ("print(\"a\" SEP SEP \"b\", \"%\" PRId32, 1);", "print(\"a\" \"b\", \"%\" , 1);"),
            ("class A {\n API_PRIVATE_UNLESS_TESTED:\n int x;\n};", "class A { private : int x; };"),
            ("MOCK_METHOD(int, size, (), (const, override));", "int size () ;"),
            ("MOCK_METHOD1(open, bool(const Path&));", "auto open (const Path&) ;"),
            ("#if __has_include(<version>) && HAS(a::b)\n#endif", "#if __has_include(_version_) && HAS(a__b) #endif"),
            ("#define A(x) do { /* one */ \\\n } while (0)\nint y;", "#define A(x) do { \\ } while (0) int y;"),
            ("API_IF_CONSTEXPR(a > 1) { }", "if (a > 1) { }"),
            ("typedef REMOVED(T) Raw;", "typedef REMOVED Raw;"),
            ("RETURNS((int)) size() const { }", "auto size() const { }"),
            ("using wide = unsigned __int128;", "using wide = __int128;"),
            ("V f() { return LIT( V ){ a.x, FULL }; }", "V f() { return ( V ){ a.x, FULL }; }"),
            ("V a = LIT(struct geo::V){ 1 };", "V a = (struct geo::V){ 1 };"),
            ("void f() { use(1, &LIT(V){ 1 }); }", "void f() { use(1, & (V){ 1 }); }"),
            ("void f() { g = a ? LIT(V){ 1 } : LIT(V){ 2 }; }", "void f() { g = a ? (V){ 1 } : (V){ 2 }; }"),
            ("V all[] = { LIT(V){ 1 }, LIT(V){ 2 } };", "V all[] = { (V){ 1 }, (V){ 2 } };"),
        ] {
            assert_eq!(rewritten(text), expected, "{text}");
        }
    }

    #[test]
    fn code_that_the_grammar_knows_stays() {
        for text in [
            "HANDLE OPEN(int, char*);",
            "void RUN(int x, const Node* y);",
            "int main(void) { return MAX(a, b); }",
            "Store operator*(const Store& a, const Store& b);",
            "Store::operator bool() const { return x; }",
            "x *= 3; y &= 4;",
            "auto f = [&, x](int y) { return x * y; };",
            "extern \"C\" HANDLE open(int);",
            "template <typename T, typename = void> struct A;",
            "struct A { operator bool() const; A& operator=(const A&) = default; };",
            "CHECK(a * b, c & d);",
            "int y = sizeof(int) * 3;",
            "auto x = L\"a\"; auto y = \"a\"_s + b;",
            "FOREACH(x, all) call(x);",
            "auto f = LAMBDA(x) { return x; };",
            "void f() { switch (a) { case B: EACH(x) { run(x); } } }",
            "struct A : BASE { A(int x) : BASE(x) { } A(V v) : a(1), FIELD(v) { } };",
            "void f() { EACH(x) { run(x); } }",
        ] {
            assert_eq!(rewritten(text), text, "{text}");
        }
    }
}
