//! Rewrites calls of macros: those whose arguments are types or operators, and those that stand for a condition, an
//! assertion, a type or a method.

use std::ops::Range;

use super::super::super::super::c::is_cpp_keyword;
use super::super::annotations::is_builtin_type;
use super::super::tokens::Kind;
use super::Rewriter;

/// The limit on the number of tokens of a list of values that are followed back.
const MAX_VALUE_TOKENS: usize = 500;

/// Words in front of a macro's call that do not make it the declaration of a function of that name.
const WORDS_BEFORE_CALLS: &[&str] = &[
    "return",
    "else",
    "do",
    "case",
    "co_return",
    "co_await",
    "co_yield",
    "throw",
    "and",
    "or",
    "not",
    "public",
    "goto",
];

impl Rewriter<'_> {
    /// A call of a macro whose arguments are no expressions.
    pub(super) fn rewrite_macro_call(&mut self, at: usize) {
        let code = self.code;
        let Some(close) = code.closing_bracket(at + 1) else { return };
        if let Some(end) = self.end_of_compound_literal(at, close) {
            self.blank_tokens(at, at + 1);
            self.compound_literal_end = end;
            return;
        }
        let next_is_name = code.kind(close + 1) == Some(Kind::Word) && !code.begins_line(close + 1);
        let before = at.checked_sub(1).map_or("", |before| code.word(before));
        if matches!(before, "typedef" | "typename" | "const")
            && (next_is_name || matches!(code.kind(close + 1), Some(Kind::Mark(b'*' | b'&'))))
        {
            self.blank_tokens(at + 1, close + 1);
            return;
        }
        let is_declared = at.checked_sub(1).is_some_and(|before| match code.kind(before) {
            Some(Kind::Word) => !WORDS_BEFORE_CALLS.contains(&code.word(before)),
            Some(Kind::Mark(b'*' | b'&')) => true,
            Some(Kind::Mark(b'~')) | Some(Kind::Scope) => true,
            _ => false,
        });
        if is_declared {
            return;
        }
        if self.rewrite_macro_of_known_kind(at, close) {
            return;
        }
        let arguments = self.arguments(at + 1, close);
        if code.word(at).starts_with("MOCK_") && self.rewrite_mock(at, close, &arguments) {
            return;
        }
        let begins_definition = code.is_mark(close + 1, b'{');
        for (index, argument) in arguments.iter().enumerate() {
            if argument.is_empty() {
                if arguments.len() > 1 {
                    // The comma behind the argument, or the one before the last argument.
                    let comma = if index + 1 < arguments.len() { argument.end } else { argument.start - 1 };
                    self.blank_tokens(comma, comma + 1);
                }
                continue;
            }
            let is_empty_list = arguments.len() == 1 && argument.len() == 1 && code.word(argument.start) == "void";
            // The first argument of a test may be its title.
            let is_name_of_definition = begins_definition && index == 0;
            if !is_empty_list && !is_name_of_definition {
                self.rewrite_macro_argument(argument.clone(), begins_definition);
            }
        }
    }

    /// The index of the last brace of a value in front of whose braces a macro makes a type of its argument:
    /// `return LIT(Color){ 1 };`, which is a compound literal without the macro.
    fn end_of_compound_literal(&self, at: usize, close: usize) -> Option<usize> {
        let code = self.code;
        let (mut start, mut end) = (at + 2, close);
        while matches!(code.word(start), "const" | "struct" | "class" | "enum" | "union") {
            start += 1;
        }
        while end > start && code.is_mark(end - 1, b'*') {
            end -= 1;
        }
        let is_of_type = code.is_mark(close + 1, b'{') && end > start && self.type_end(start) == Some(end);
        if !is_of_type || !self.begins_value(at) {
            return None;
        }
        // Braces with statements are the body of something.
        let braces_end = code.closing_bracket(close + 1)?;
        (!(close + 1..braces_end).any(|at| code.is_mark(at, b';'))).then_some(braces_end)
    }

    /// Whether a value begins at a token, as the tokens before it tell.
    fn begins_value(&self, at: usize) -> bool {
        let code = self.code;
        let is_address = at >= 2 && code.is_mark(at - 1, b'&');
        let Some(before) = at.checked_sub(if is_address { 2 } else { 1 }) else { return false };
        match code.kind(before) {
            Some(Kind::Word) => matches!(code.word(before), "return" | "co_return" | "co_yield"),
            Some(Kind::Mark(b'=' | b'(' | b'?')) => true,
            Some(Kind::Mark(mark @ (b',' | b':' | b'{'))) => {
                let is_behind_other_value =
                    mark == b',' && self.compound_literal_end > 0 && self.compound_literal_end + 1 == before;
                is_behind_other_value || self.is_in_value(before + usize::from(mark == b'{'), mark)
            }
            _ => false,
        }
    }

    /// Whether the bracket that is open at a token encloses values, or, behind a colon, a `?` comes before it.
    fn is_in_value(&self, mut at: usize, mark: u8) -> bool {
        let code = self.code;
        for _ in 0..MAX_VALUE_TOKENS {
            let Some(earlier) = at.checked_sub(1) else { return false };
            at = match (code.kind(earlier), code.opening_bracket(earlier)) {
                (_, Some(open)) => open,
                (Some(Kind::Mark(b'?')), None) if mark == b':' => return true,
                (Some(Kind::Mark(b'(' | b'[')), None) => return mark == b',',
                (Some(Kind::Mark(b'{')), None) => {
                    let opens_values = earlier.checked_sub(1).is_some_and(|before| {
                        matches!(code.kind(before), Some(Kind::Mark(b'=' | b'(' | b',' | b']')))
                            || mark == b',' && code.is_mark(before, b')')
                            || code.word(before) == "return"
                    });
                    return mark != b':' && opens_values;
                }
                (Some(Kind::Mark(b';')), None) => return false,
                _ => earlier,
            };
        }
        false
    }

    /// Calls of macros that stand for a condition, an assertion, or a type.
    fn rewrite_macro_of_known_kind(&mut self, at: usize, close: usize) -> bool {
        let code = self.code;
        let word = code.word(at);
        let next_is_name = code.kind(close + 1) == Some(Kind::Word) && !code.begins_line(close + 1);
        let begins_statement = at.checked_sub(1).is_none_or(|before| {
            matches!(code.kind(before), Some(Kind::Directive | Kind::Mark(b';' | b'{' | b'}' | b':')))
        });
        let is_behind_else = at > 0 && code.word(at - 1) == "else";
        let is_condition = word.split('_').any(|part| part == "IF") && code.is_mark(close + 1, b'{');
        if is_condition && (begins_statement || is_behind_else) {
            self.replace_word(at, "if");
            return true;
        }
        if word.ends_with("_STATIC_ASSERT") {
            self.replace_word(at, "static_assert");
            return true;
        }
        // `RETURNS(int) size() const {`
        let begins_declaration = begins_statement || at > 0 && code.is_mark(at - 1, b'>');
        let is_function = next_is_name
            && !code.is_macro(close + 1)
            && match code.word(close + 1) {
                "operator" => true,
                name if is_cpp_keyword(name) => false,
                _ => code.after_brackets(close + 2).is_some_and(|end| {
                    code.is_mark(close + 2, b'(')
                        && (code.is_mark(end, b'{') || matches!(code.word(end), "const" | "noexcept" | "override"))
                }),
            };
        if begins_declaration && is_function {
            self.blank_tokens(at + 1, close + 1);
            self.replace_word(at, "auto");
            return true;
        }
        false
    }

    /// Puts a word in place of a longer one.
    pub(super) fn replace_word(&mut self, at: usize, word: &str) {
        for (offset, at) in self.code.range(at).enumerate() {
            self.made.replaced.push((at, word.as_bytes().get(offset).copied().unwrap_or(b' ')));
        }
    }

    /// The arguments between brackets, as ranges of tokens.
    fn arguments(&self, open: usize, close: usize) -> Vec<Range<usize>> {
        let code = self.code;
        let mut found = Vec::new();
        let mut start = open + 1;
        let mut at = start;
        while at < close {
            if code.is_mark(at, b',') {
                found.push(start..at);
                start = at + 1;
            }
            at = code.closing_bracket(at).filter(|end| *end < close).unwrap_or(at) + 1;
        }
        if close > open + 1 {
            found.push(start..close);
        }
        found
    }

    fn rewrite_macro_argument(&mut self, argument: Range<usize>, begins_definition: bool) {
        let code = self.code;
        let (mut start, mut end) = (argument.start, argument.end);
        let whole = code.range(start).start..code.range(end - 1).end;
        let is_builtin = |at: usize| is_type_of_grammar(code.word(at));
        while start < end
            && matches!(code.word(start), "const" | "volatile" | "struct" | "class" | "enum" | "union" | "typename")
        {
            start += 1;
        }
        while end > start
            && (matches!(code.kind(end - 1), Some(Kind::Mark(b'*' | b'&'))) || code.word(end - 1) == "const")
        {
            end -= 1;
        }
        if (start..end).all(is_builtin)
            || (start..end).all(|at| matches!(code.kind(at), Some(Kind::Mark(mark)) if is_operator(mark)))
        {
            self.make_identifier(whole);
            return;
        }
        let is_path = self.type_end(start) == Some(end);
        if begins_definition && !is_path {
            // The head of a definition has parameters, not values.
            if matches!(code.kind(start), Some(Kind::Literal)) || (start..end).any(|at| code.is_mark(at, b'?')) {
                self.make_identifier(whole);
            }
            return;
        }
        if is_path {
            self.blank_tokens(argument.start, start);
            self.blank_tokens(end, argument.end);
        }
    }

    /// Makes the declaration of a method of `MOCK_METHOD(int, size, (), (const));` or `MOCK_METHOD0(size, int());`.
    fn rewrite_mock(&mut self, at: usize, close: usize, arguments: &[Range<usize>]) -> bool {
        let code = self.code;
        let word = code.word(at);
        if word == "MOCK_METHOD" {
            let [result, name, parameters, rest @ ..] = arguments else { return false };
            if result.is_empty() || name.len() != 1 || !code.is_mark(parameters.start, b'(') || rest.len() > 1 {
                return false;
            }
            self.blank_tokens(at, at + 2);
            if code.is_mark(result.start, b'(') && code.closing_bracket(result.start) == Some(result.end - 1) {
                self.blank_tokens(result.start, result.start + 1);
                self.blank_tokens(result.end - 1, result.end);
            }
            self.blank_tokens(result.end, result.end + 1);
            self.blank_tokens(name.end, name.end + 1);
            self.blank_tokens(parameters.end, close + 1);
            return true;
        }
        let is_numbered =
            word.contains("METHOD") && word.trim_end_matches("_T").ends_with(|c: char| c.is_ascii_digit());
        let [name, function, ..] = arguments else { return false };
        if !is_numbered || name.len() != 1 {
            return false;
        }
        // The type of the function ends with its parameters, which may hold commas that are no arguments.
        let last = close - 1;
        let Some(open) = code.opening_bracket(last).filter(|open| code.is_mark(*open, b'(') && *open > function.start)
        else {
            return false;
        };
        let macro_range = code.range(at);
        for (offset, at) in (macro_range.start..code.range(at + 1).end).enumerate() {
            let byte = b"auto".get(offset).copied().unwrap_or(b' ');
            if !matches!(code.bytes.get(at), Some(b'\n' | b'\r')) {
                self.made.replaced.push((at, byte));
            }
        }
        self.blank_tokens(name.end, open);
        self.blank_tokens(close, close + 1);
        true
    }
}

/// Whether the grammar knows a word as a type.
fn is_type_of_grammar(word: &str) -> bool {
    let is_fixed_int = |word: &str| {
        let digits =
            word.strip_prefix('u').unwrap_or(word).strip_prefix("int").and_then(|rest| rest.strip_suffix("_t"));
        matches!(digits, Some("8" | "16" | "32" | "64" | "ptr"))
    };
    is_builtin_type(word)
        || matches!(word, "void" | "size_t" | "ssize_t" | "ptrdiff_t" | "charptr_t" | "nullptr_t" | "max_align_t")
        || is_fixed_int(word)
}

/// Whether a mark can be an operator that is an argument of a macro.
fn is_operator(mark: u8) -> bool {
    matches!(mark, b'=' | b'<' | b'>' | b'+' | b'-' | b'*' | b'/' | b'%' | b'!' | b'&' | b'|' | b'^' | b'~')
}
