//! Finds macros that annotate a declaration: `API void run();`, `int size() const NOEXCEPT;`, `T value GUARDED_BY(lock);`,
//! and macros alone on a line. The grammar takes such words for types and names, and loses the declaration.
//!
//! The rules look at a few tokens around a word that looks like a macro's name. They prefer to leave a word that can be a
//! type: `HANDLE open();`.

use std::ops::Range;

use super::super::super::c::is_cpp_keyword;
use super::tokens::{Code, Kind};

/// The limit on the number of tokens of a type that are followed.
const MAX_TYPE_TOKENS: usize = 200;

/// Parts of the names of macros that open or close something, and so may stand alone on a line.
const BLOCK_WORDS: &[&str] =
    &["BEGIN", "CLOSE", "DISABLE", "ENABLE", "END", "NAMESPACE", "OPEN", "POP", "PUSH", "RESTORE", "SUPPRESS"];

/// Words that begin a declaration, and mostly stand behind no type and no expression. Sorted for binary search.
const DECLARATION_WORDS: &[&str] = &[
    "auto",
    "bool",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "consteval",
    "constexpr",
    "constinit",
    "double",
    "enum",
    "explicit",
    "export",
    "extern",
    "float",
    "friend",
    "inline",
    "int",
    "long",
    "namespace",
    "private",
    "protected",
    "public",
    "register",
    "short",
    "signed",
    "static",
    "struct",
    "template",
    "thread_local",
    "typedef",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "wchar_t",
];

/// The ranges of macros that annotate declarations, in order.
pub(super) fn annotation_ranges(code: &Code<'_>) -> Vec<Range<usize>> {
    let kept_after = (0..code.tokens.len()).collect();
    let mut finder = Finder { statement_starts: statement_starts(code), code, kept_after };
    let mut ranges = Vec::new();
    // From the end, so that what stands behind a macro is known without further macros.
    for at in (0..code.tokens.len()).rev() {
        let end = match is_calling_convention(code.word(at)) {
            true => Some(at + 1),
            false if code.is_macro(at) => finder.annotation_end(at),
            false => None,
        };
        if let Some(end) = end
            && let (Some(first), Some(last)) = (code.tokens.get(at), code.tokens.get(end - 1))
        {
            ranges.push(first.range.start..last.range.end);
            finder.blank(at, end);
        }
    }
    ranges.reverse();
    ranges
}

/// For each token whether a statement or declaration can begin with it. Macros in front of it may belong to it.
fn statement_starts(code: &Code<'_>) -> Vec<bool> {
    let mut starts: Vec<bool> = Vec::with_capacity(code.tokens.len());
    for at in 0..code.tokens.len() {
        let is_start_at = |at: usize| starts.get(at).copied().unwrap_or(false);
        let can_begin = match at.checked_sub(1).map(|before| (before, code.kind(before))) {
            None | Some((_, None | Some(Kind::Directive | Kind::Mark(b';' | b'{' | b'}' | b'>')))) => true,
            Some((before, Some(Kind::Mark(b':')))) => {
                before.checked_sub(1).is_some_and(|at| is_access_word(code.word(at)))
            }
            // Behind another macro, with or without arguments.
            Some((before, Some(Kind::Mark(b')')))) => code
                .opening_bracket(before)
                .and_then(|open| open.checked_sub(1))
                .is_some_and(|name| code.is_macro(name) && is_start_at(name)),
            Some((before, Some(Kind::Word))) => code.is_macro(before) && is_start_at(before),
            _ => false,
        };
        starts.push(can_begin);
    }
    starts
}

/// Whether a word in front of `:` sets the access of the members behind it.
pub(super) fn is_access_word(word: &str) -> bool {
    matches!(word, "public" | "private" | "protected" | "slots" | "Q_SLOTS" | "signals" | "Q_SIGNALS")
        || super::tokens::is_macro_like_name(word.as_bytes())
            && word.split('_').any(|part| matches!(part, "PUBLIC" | "PRIVATE" | "PROTECTED"))
}

struct Finder<'s> {
    code: &'s Code<'s>,
    /// For each token the first one from it on that is not blanked.
    kept_after: Vec<usize>,
    /// For each token whether a statement or declaration can begin with it.
    statement_starts: Vec<bool>,
}

impl<'s> std::ops::Deref for Finder<'s> {
    type Target = Code<'s>;

    fn deref(&self) -> &Code<'s> {
        self.code
    }
}

impl Finder<'_> {
    fn is_name(&self, at: usize) -> bool {
        let word = self.word(at);
        !word.is_empty() && DECLARATION_WORDS.binary_search(&word).is_err() && !is_cpp_keyword(word)
    }

    fn is_declaration_word(&self, at: usize) -> bool {
        DECLARATION_WORDS.binary_search(&self.word(at)).is_ok()
    }

    /// The first token from `at` on that is not blanked.
    fn next_kept(&self, at: usize) -> usize {
        self.kept_after.get(at).copied().unwrap_or(at)
    }

    /// Blanks the tokens from `at` to before `end`.
    fn blank(&mut self, at: usize, end: usize) {
        let next = self.next_kept(end);
        if let Some(blanked) = self.kept_after.get_mut(at..end) {
            blanked.fill(next);
        }
    }

    /// Whether a statement or declaration can begin at a token.
    fn begins_statement(&self, at: usize) -> bool {
        self.statement_starts.get(at).copied().unwrap_or(false)
    }

    fn begins_statement_shallow(&self, at: usize) -> bool {
        at.checked_sub(1).is_none_or(|before| {
            matches!(self.kind(before), Some(Kind::Directive | Kind::Mark(b';' | b'{' | b'}' | b'>')))
        })
    }

    fn is_call_of_macro_at_statement(&self, close: usize) -> bool {
        let open = self.closing.get(close).copied().unwrap_or(0);
        open.checked_sub(1).is_some_and(|name| self.is_macro(name) && self.begins_statement_shallow(name))
    }

    /// The index after the macro at `at` and its arguments, if it annotates a declaration.
    fn annotation_end(&self, at: usize) -> Option<usize> {
        let has_arguments = self.is_mark(at + 1, b'(');
        if has_arguments && self.stands_between_type_and_name(at, at + 1) {
            return Some(at + 1);
        }
        let end = if has_arguments { self.after_brackets(at + 1)? } else { at + 1 };
        let next = self.next_kept(end);
        let annotates = self.stands_before_declaration_word(at, next, has_arguments)
            || !has_arguments && self.stands_between_type_and_name(at, next)
            || self.stands_behind_specifier(at) && self.stands_before_typed_name(next)
            || self.begins_statement(at)
                && (self.stands_before_typed_name(next)
                    || !has_arguments && self.stands_before_constructor(next)
                    || !has_arguments && self.is_mark(next, b'{') && self.begins_statement_shallow(at)
                    || self.stands_alone(at, end, next, has_arguments))
            || self.stands_behind_declarator(at, next, has_arguments);
        annotates.then_some(end)
    }

    /// `API void run();`
    fn stands_before_declaration_word(&self, at: usize, next: usize, has_arguments: bool) -> bool {
        if !self.is_declaration_word(next) {
            return false;
        }
        let Some(before) = at.checked_sub(1) else { return true };
        match self.kind(before) {
            Some(Kind::Word) => {
                !has_arguments
                    && (self.is_macro(before)
                        || matches!(
                            self.word(before),
                            "static" | "inline" | "extern" | "virtual" | "constexpr" | "friend" | "template"
                        ))
            }
            Some(Kind::Mark(b']')) => true,
            _ => self.begins_statement(at),
        }
    }

    /// `API Status open();`: a type and a name behind the macro.
    fn stands_before_typed_name(&self, next: usize) -> bool {
        if self.word(next) == "const" {
            return is_builtin_type(self.word(next + 1)) || self.stands_before_typed_name_of_plain_type(next + 1);
        }
        self.stands_before_typed_name_of_plain_type(next)
    }

    fn stands_before_typed_name_of_plain_type(&self, next: usize) -> bool {
        if !self.is_name(next) && self.word(next) != "typename" {
            return false;
        }
        let mut at = if self.word(next) == "typename" { next + 1 } else { next };
        let last = at + MAX_TYPE_TOKENS;
        loop {
            if !self.is_name(at) || at > last {
                return false;
            }
            at += 1;
            if self.is_mark(at, b'<') {
                match self.after_brackets(at) {
                    Some(end) => at = end,
                    None => return false,
                }
            }
            if self.kind(at) != Some(Kind::Scope) {
                break;
            }
            at += 1;
        }
        while matches!(self.kind(at), Some(Kind::Mark(b'*' | b'&'))) || self.word(at) == "const" {
            at += 1;
        }
        self.is_name(self.next_kept(at)) || self.word(at) == "operator"
    }

    /// Whether the token before `at` is a word such as `static`, behind which a type stands.
    fn stands_behind_specifier(&self, at: usize) -> bool {
        at.checked_sub(1).is_some_and(|before| {
            matches!(
                self.word(before),
                "static" | "inline" | "extern" | "virtual" | "constexpr" | "friend" | "explicit"
            )
        })
    }

    /// `Status API open(int x);`, `void API (*hook)(int);`: a type is in front of the macro, and a name behind it.
    fn stands_between_type_and_name(&self, at: usize, next: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return false };
        let is_behind_type = match self.kind(before) {
            Some(Kind::Word) => {
                is_builtin_type(self.word(before))
                    || self.word(before) == "void"
                    || self.is_name(before)
                        && !before.checked_sub(1).is_some_and(|earlier| {
                            matches!(self.word(earlier), "class" | "struct" | "union" | "enum" | "namespace" | "goto")
                        })
            }
            Some(Kind::Mark(b'>')) => self.opening_bracket(before).is_some(),
            Some(Kind::Mark(b'*' | b'&')) => before.checked_sub(1).is_some_and(|earlier| {
                self.is_name(earlier)
                    || is_builtin_type(self.word(earlier))
                    || matches!(self.word(earlier), "void" | "const")
                    || matches!(self.kind(earlier), Some(Kind::Mark(b'>' | b'*')))
            }),
            _ => false,
        };
        if !is_behind_type {
            return false;
        }
        if self.is_mark(next, b'(') {
            let Some(close) = self.closing_bracket(next) else { return false };
            return self.is_mark(next + 1, b'*') && self.is_mark(close + 1, b'(');
        }
        if self.word(next) == "operator" {
            return true;
        }
        let mut at = next;
        let last = at + MAX_TYPE_TOKENS;
        while self.is_name(at) && at < last {
            if self.kind(at + 1) != Some(Kind::Scope) {
                return matches!(self.kind(at + 1), Some(Kind::Mark(b'(' | b';' | b'=' | b'[')));
            }
            at += 2;
        }
        self.word(at) == "operator"
    }

    /// `API Store::Store(…)`, `API ~Store()`, `API operator bool()`, or `API Store(…) : field_(…) {`.
    fn stands_before_constructor(&self, next: usize) -> bool {
        if self.is_mark(next, b'~') {
            return true;
        }
        if self.word(next) == "operator" {
            return !self.word(next + 1).is_empty() && !matches!(self.word(next + 1), "new" | "delete");
        }
        if !self.is_name(next) {
            return false;
        }
        let (mut at, mut owner) = (next, "");
        let last = at + MAX_TYPE_TOKENS;
        loop {
            let own = self.word(at);
            at += 1;
            if self.is_mark(at, b'<') {
                match self.after_brackets(at) {
                    Some(end) => at = end,
                    None => return false,
                }
            }
            if self.kind(at) == Some(Kind::Scope) && at < last {
                at += 1;
                if self.is_mark(at, b'~') {
                    return self.word(at + 1) == own;
                }
                if self.word(at) == "operator" {
                    return !self.word(at + 1).is_empty() && !matches!(self.word(at + 1), "new" | "delete");
                }
                if !self.is_name(at) {
                    return false;
                }
                owner = own;
                continue;
            }
            if !self.is_mark(at, b'(') {
                return false;
            }
            if owner == own {
                return true;
            }
            let Some(end) = self.after_brackets(at) else { return false };
            let mut end = self.next_kept(end);
            if self.word(end) == "noexcept" {
                end = match self.is_mark(end + 1, b'(') {
                    true => self.after_brackets(end + 1).unwrap_or(end + 1),
                    false => end + 1,
                };
            }
            return self.is_mark(end, b':');
        }
    }

    /// A macro on a line of its own, before something that can begin a declaration.
    fn stands_alone(&self, at: usize, end: usize, next: usize, has_arguments: bool) -> bool {
        let (Some(first), Some(last)) = (self.tokens.get(at), self.tokens.get(end - 1)) else { return false };
        let before = self.bytes.get(..first.range.start).unwrap_or(&[]);
        if !before.iter().rev().take_while(|byte| **byte != b'\n').all(u8::is_ascii_whitespace) {
            return false;
        }
        let after = self.bytes.get(last.range.end..).unwrap_or(&[]);
        let rest = after.get(..memchr::memchr(b'\n', after).unwrap_or(after.len())).unwrap_or(after).trim_ascii();
        if !(rest.is_empty() || rest.starts_with(b"//") || rest.starts_with(b"/*")) {
            return false;
        }
        let word = self.word(at);
        let is_block_mark = word.split('_').any(|part| BLOCK_WORDS.contains(&part));
        match self.kind(next) {
            None | Some(Kind::Directive | Kind::Mark(b'}')) => {
                is_block_mark || has_arguments || self.is_mark(next, b'}') && at > 0 && self.is_mark(at - 1, b'}')
            }
            // It may be the type of the function below: `HANDLE` in front of a line `open() {`.
            Some(Kind::Word) => {
                is_block_mark
                    || has_arguments && !matches!(self.word(next), "and" | "or" | "xor" | "else" | "while")
                    || word.contains('_') && !self.is_mark(next + 1, b'(') && self.is_name(next)
            }
            _ => is_block_mark,
        }
    }

    /// `int size() const NOEXCEPT;` or `T value GUARDED_BY(lock);`
    fn stands_behind_declarator(&self, at: usize, next: usize, has_arguments: bool) -> bool {
        let ends_declarator = match self.kind(next) {
            Some(Kind::Mark(b';' | b'{' | b'=' | b':')) => true,
            Some(Kind::Mark(b'-')) => self.is_mark(next + 1, b'>'),
            Some(Kind::Word) => matches!(self.word(next), "override" | "final" | "noexcept" | "const"),
            _ => false,
        };
        let Some(mut before) = at.checked_sub(1).filter(|_| ends_declarator) else { return false };
        // Further macros may stand between.
        for _ in 0..4 {
            let previous = match self.kind(before) {
                Some(Kind::Word) if matches!(self.word(before), "const" | "override" | "final" | "noexcept") => before,
                Some(Kind::Word) if self.is_macro(before) => before,
                Some(Kind::Mark(b')')) => {
                    let open = self.closing.get(before).copied().unwrap_or(0);
                    match open.checked_sub(1) {
                        Some(name) if self.is_macro(name) && name > 0 && !self.begins_statement(name) => name,
                        _ => break,
                    }
                }
                _ => break,
            };
            match previous.checked_sub(1) {
                Some(previous) => before = previous,
                None => return false,
            }
        }
        match self.kind(before) {
            Some(Kind::Mark(b')')) => {
                let open = self.closing.get(before).copied().unwrap_or(0);
                open.checked_sub(1).is_some_and(|name| {
                    self.is_name(name) && !self.is_call_of_macro_at_statement(before)
                        || matches!(self.kind(name), Some(Kind::Mark(mark)) if is_operator(mark))
                            && self.is_operator_name(name)
                })
            }
            Some(Kind::Mark(b']')) if has_arguments => {
                self.opening_bracket(before).and_then(|open| open.checked_sub(1)).is_some_and(|name| self.is_name(name))
            }
            Some(Kind::Word) if has_arguments && self.is_name(before) => {
                let Some(earlier) = before.checked_sub(1) else { return false };
                self.is_name(earlier) && !self.is_macro(earlier)
                    || self.word(earlier) == "const" && earlier > 0 && self.is_mark(earlier - 1, b'*')
                    || self.is_declaration_word(earlier) && is_builtin_type(self.word(earlier))
                    || matches!(self.kind(earlier), Some(Kind::Mark(b'>' | b'*' | b'&')))
            }
            _ => false,
        }
    }

    /// Whether the mark at `at` ends the name of an operator: `operator==`.
    fn is_operator_name(&self, at: usize) -> bool {
        let before = (1..=8).map_while(|back| at.checked_sub(back));
        before
            .take_while(|at| !matches!(self.kind(*at), Some(Kind::Mark(b';' | b'{' | b'}'))))
            .any(|at| self.word(at) == "operator")
    }
}

/// Whether a word is a calling convention of Windows, which some places of a declaration do not accept.
fn is_calling_convention(word: &str) -> bool {
    matches!(word, "__stdcall" | "__cdecl" | "__fastcall" | "__thiscall" | "__vectorcall")
}

fn is_operator(mark: u8) -> bool {
    matches!(
        mark,
        b'=' | b'<' | b'>' | b'+' | b'-' | b'*' | b'/' | b'%' | b'!' | b'&' | b'|' | b'^' | b'~' | b']' | b')'
    )
}

pub(super) fn is_builtin_type(word: &str) -> bool {
    matches!(
        word,
        "bool"
            | "char"
            | "char16_t"
            | "char32_t"
            | "char8_t"
            | "double"
            | "float"
            | "int"
            | "long"
            | "short"
            | "signed"
            | "unsigned"
            | "wchar_t"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blanked(text: &str) -> Vec<&str> {
        annotation_ranges(&Code::new(text.as_bytes())).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn macros_that_annotate_are_found() {
        for (text, expected) in [
            ("API void run();", vec!["API"]),
            ("static API int run();", vec!["API"]),
            ("API_EXPORT template <class T> class Box {};", vec!["API_EXPORT"]),
            ("DEPRECATED(\"no\") int old();", vec!["DEPRECATED(\"no\")"]),
            ("API Status open(int x);", vec!["API"]),
            ("template <class T> API std::vector<T> all(T x) {}", vec!["API"]),
            ("API Store::Store(int x) {}", vec!["API"]),
            ("API Store::~Store() {}", vec!["API"]),
            ("struct S { API S(int x) : x_(x) {} };", vec!["API"]),
            ("struct S { API operator bool() const; };", vec!["API"]),
            ("int size() const NOEXCEPT;", vec!["NOEXCEPT"]),
            ("void f() REQUIRES(lock) OVERRIDE {}", vec!["REQUIRES(lock)", "OVERRIDE"]),
            ("std::vector<int> all GUARDED_BY(lock);", vec!["GUARDED_BY(lock)"]),
            ("int count GUARDED_BY(lock) = 0;", vec!["GUARDED_BY(lock)"]),
            ("Stats all[LEVELS] GUARDED_BY(lock);", vec!["GUARDED_BY(lock)"]),
            ("String API name(int x);", vec!["API"]),
            ("bool API run(const Store&);", vec!["API"]),
            ("void API (*hook)(int) = &exit;", vec!["API"]),
            ("static API std::atomic<int> count;", vec!["API"]),
            ("friend API Node operator!(const Node& n);", vec!["API"]),
            ("API const char* version();", vec!["API"]),
            (
                "WARNINGS_PUSH\nWARNINGS_OFF(4100)\nWARNINGS_OFF(4101)\nnamespace a {",
                vec!["WARNINGS_PUSH", "WARNINGS_OFF(4100)", "WARNINGS_OFF(4101)"],
            ),
            ("struct E {\n  NON_NULL(3)\n  E(int x) : x_(x) {}\n};", vec!["NON_NULL(3)"]),
            (
                "API_BEGIN_NAMESPACE\nnamespace a {}\nAPI_END_NAMESPACE\n",
                vec!["API_BEGIN_NAMESPACE", "API_END_NAMESPACE"],
            ),
            ("BEGIN_API\nAPI void f();", vec!["BEGIN_API", "API"]),
            ("API thread_local int x;", vec!["API"]),
        ] {
            assert_eq!(blanked(text), expected, "{text}");
        }
    }

    #[test]
    fn types_calls_and_constants_stay() {
        for text in [
            "HANDLE open();",
            "HANDLE handle;",
            "const T LIMIT(5);",
            "static Foo BAR(1);",
            "enum { ONE_TWO };",
            "enum {\n  ONE_TWO\n};",
            "int x = (int)LIMIT;",
            "void f() { if (x) CALL_IT(y); }",
            "void f() { CALL_IT(y); }",
            "TEST(Suite, Case) { int x; }",
            "#define API void f()\n",
            "BOOL\nrun();",
            "HANDLE Store::open() {}",
            "x = f(a) + LIMIT;",
            "thread_local Foo BAR(1);",
            "register Foo BAZ(1);",
            "typeof(x) QUX;",
            "export Foo RUN(int x);",
            "bool g() { return a or CHECK(b); }",
        ] {
            assert_eq!(blanked(text), Vec::<&str>::new(), "{text}");
        }
    }

    #[test]
    fn word_lists_are_sorted() {
        assert!(DECLARATION_WORDS.is_sorted());
    }
}
