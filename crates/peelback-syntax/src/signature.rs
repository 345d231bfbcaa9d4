//! Shorter forms of a signature: without default values, and with the names of its parameters alone.
//!
//! A signature is the text of a declaration on one line (see [`Symbol::signature`](crate::Symbol)). Its parts are found
//! by brackets and separators, in the way that all supported languages share; what is not understood stays as it is.

use std::borrow::Cow;

/// The signature without the default values of its parameters: `f(a, b=1)` becomes `f(a, b)`. `name` is the symbol's
/// simple name, after which the parameters begin.
pub fn signature_without_default_values<'a>(signature: &'a str, name: &str) -> Cow<'a, str> {
    rewrite_parameters(signature, name, &mut |parameter| without_default_value(parameter).to_owned(), true)
}

/// The signature with nothing but its name and the names of its parameters: `def f(a: int, b: str = "x") -> str` becomes
/// `f(a, b)`. An owner in front of the name stays: a receiver of Go, `Owner::` of C++, and what a function is assigned to.
pub fn signature_with_parameter_names<'a>(signature: &'a str, name: &str) -> Cow<'a, str> {
    let is_go_like = has_types_after_names(signature);
    rewrite_parameters(signature, name, &mut |parameter| parameter_name(parameter, is_go_like), false)
}

/// The declaration of a value without what is assigned to it: `X: int = 3` becomes `X: int`.
pub fn declaration_without_value(signature: &str) -> &str {
    top_level_assignment(signature).map_or(signature, |at| part(signature, ..at).trim_end())
}

/// Whether a parameter is written as its name, a space and its type, as in Go: the declaration begins with `func`, and
/// no colon separates the two.
fn has_types_after_names(signature: &str) -> bool {
    signature.starts_with("func ")
}

/// Rewrites each parameter of a signature with `rewrite`. The text after the list of parameters stays where
/// `keeps_result` is set.
fn rewrite_parameters<'a>(
    signature: &'a str,
    name: &str,
    rewrite: &mut dyn FnMut(&str) -> String,
    keeps_result: bool,
) -> Cow<'a, str> {
    let Some((open, close)) = parameter_list(signature, name) else { return Cow::Borrowed(signature) };
    let (head, list, rest) = (part(signature, ..open), part(signature, open + 1..close), part(signature, close..));
    let parameters: Vec<String> = split_at_top_level(list, ',')
        .into_iter()
        .map(|parameter| rewrite(parameter.trim()))
        .filter(|parameter| !parameter.is_empty())
        .collect();
    let tail = if keeps_result { rest } else { ")" };
    let head = if keeps_result { head } else { owner_and_name(head, name) };
    let short = format!("{head}({}{tail}", parameters.join(", "));
    if short.len() < signature.len() { Cow::Owned(short) } else { Cow::Borrowed(signature) }
}

/// The bytes of the brackets around the parameters: the first pair of round brackets after the name. Type parameters
/// may stand between.
fn parameter_list(signature: &str, name: &str) -> Option<(usize, usize)> {
    let after_name = end_of_name(signature, name)?;
    let mut depth = 0_u32;
    let mut open = None;
    let mut scanner = Scanner::new(signature);
    while let Some((at, c)) = scanner.next_code_char() {
        if at < after_name {
            continue;
        }
        match (open, c) {
            (None, '(') if depth == 0 => {
                open = Some(at);
                depth = 1;
            }
            (None, '<' | '[') => depth += 1,
            (None, '>' | ']') => depth = depth.saturating_sub(1),
            // Names with an assigned function: `handler = async (request) => …`.
            (None, _) => {}
            (Some(_), '(' | '[' | '{') => depth += 1,
            (Some(open), ')' | ']' | '}') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some((open, at));
                }
            }
            (Some(_), _) => {}
        }
    }
    None
}

/// The byte after the first place where the name stands as a whole word in front of a bracket; otherwise after its first
/// place as a whole word.
fn end_of_name(signature: &str, name: &str) -> Option<usize> {
    if name.is_empty() {
        return Some(0);
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let ends = signature.match_indices(name).filter_map(|(at, _)| {
        let end = at + name.len();
        let before = part(signature, ..at).chars().next_back().is_some_and(is_word);
        let after = part(signature, end..).chars().next().is_some_and(is_word);
        (!before && !after).then_some(end)
    });
    let ends: Vec<usize> = ends.collect();
    let is_called = |end: &&usize| part(signature, **end..).trim_start().starts_with(['(', '<', '[']);
    ends.iter().find(is_called).or(ends.first()).copied()
}

/// The end of the text in front of a list of parameters that tells the name and its owner, without modifiers, types of
/// results and type parameters.
fn owner_and_name<'a>(head: &'a str, name: &str) -> &'a str {
    // Assigned to a name or a property: `res.json = function json`.
    if top_level_assignment(head).is_some() {
        return ["export ", "const ", "let ", "var "]
            .iter()
            .fold(head, |head, word| head.strip_prefix(word).unwrap_or(head));
    }
    if let Some(receiver) = head.strip_prefix("func ").filter(|rest| rest.starts_with('(')) {
        return receiver.trim_end();
    }
    let Some(end) = end_of_name(head, name).filter(|_| !name.is_empty()) else { return head };
    let start = end.saturating_sub(name.len());
    let is_owner = |c: char| c.is_alphanumeric() || "_$:.~#@".contains(c);
    let before = part(head, ..start);
    let owner = before.len() - before.chars().rev().take_while(|c| is_owner(*c)).map(char::len_utf8).sum::<usize>();
    part(head, owner..end)
}

/// The parameter without its default value.
fn without_default_value(parameter: &str) -> &str {
    top_level_assignment(parameter).map_or(parameter, |at| part(parameter, ..at).trim_end())
}

/// Where `=` stands outside of brackets and strings, and is no part of another operator.
fn top_level_assignment(text: &str) -> Option<usize> {
    let mut depth = 0_u32;
    let mut scanner = Scanner::new(text);
    let mut previous = ' ';
    while let Some((at, c)) = scanner.next_code_char() {
        match c {
            '(' | '[' | '{' => depth += 1,
            '<' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            '>' if previous != '-' && previous != '=' => depth = depth.saturating_sub(1),
            '=' if depth == 0 && !"=!<>:".contains(previous) && !part(text, at + 1..).starts_with(['=', '>']) => {
                return Some(at);
            }
            // Walrus-like `:=` of Go's and shell's assignments.
            '=' if depth == 0 && previous == ':' => return Some(at - 1),
            _ => {}
        }
        previous = c;
    }
    None
}

/// The name of a parameter, with the marks that say how it is passed (`*args`, `&self`, `...rest`).
fn parameter_name(parameter: &str, is_go_like: bool) -> String {
    let parameter = without_default_value(parameter);
    let parameter = skip_attributes(parameter);
    if parameter.is_empty() || parameter.starts_with(['{', '[']) && !parameter.contains(':') {
        return parameter.to_owned();
    }
    // Before what begins with a dollar: `params?: core.$Params` of TypeScript.
    if let Some(at) = top_level_colon(parameter) {
        return name_before_colon(part(parameter, ..at)).to_owned();
    }
    // PHP: `?string &$name`.
    if let Some(at) = parameter.rfind('$').filter(|at| part(parameter, ..*at).is_empty() || !parameter.starts_with('$'))
    {
        let name: String =
            part(parameter, at..).chars().take_while(|c| c.is_alphanumeric() || "$_".contains(*c)).collect();
        let spread = if part(parameter, ..at).ends_with("...") { "..." } else { "" };
        return format!("{spread}{name}");
    }
    if !parameter.contains(char::is_whitespace) {
        return parameter.to_owned();
    }
    // `&self`, `&mut self`, `&'a self`, `mut self`.
    if parameter.ends_with("self") && !is_go_like {
        return parameter.to_owned();
    }
    if is_go_like {
        return parameter.split_whitespace().next().unwrap_or(parameter).to_owned();
    }
    name_after_type(parameter)
}

/// A parameter without the attributes and annotations in front of it: `#[cfg(x)] a`, `@NonNull a`, `[FromBody] a`.
fn skip_attributes(parameter: &str) -> &str {
    let mut rest = parameter.trim_start();
    loop {
        let after = if let Some(inner) = rest.strip_prefix("#[") {
            end_of_bracket(inner, '[', ']').map(|end| part(inner, end..))
        } else if rest.starts_with('[')
            && end_of_bracket(part(rest, 1..), '[', ']').is_some_and(|end| {
                part(rest, 1 + end..).trim_start().starts_with(|c: char| c.is_alphabetic() || c == '_')
            })
        {
            end_of_bracket(part(rest, 1..), '[', ']').map(|end| part(rest, 1 + end..))
        } else if let Some(inner) = rest.strip_prefix('@') {
            let end = inner.find(|c: char| !(c.is_alphanumeric() || "_.:".contains(c))).unwrap_or(inner.len());
            match part(inner, end..).strip_prefix('(') {
                Some(arguments) => end_of_bracket(arguments, '(', ')').map(|end| part(arguments, end..)),
                None => Some(part(inner, end..)),
            }
        } else {
            None
        };
        match after {
            Some(after) if !after.trim_start().is_empty() => rest = after.trim_start(),
            _ => return rest,
        }
    }
}

/// The byte after the bracket that closes what was opened before `text`.
fn end_of_bracket(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 1_u32;
    let mut scanner = Scanner::new(text);
    while let Some((at, c)) = scanner.next_code_char() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth -= 1;
            if depth == 0 {
                return Some(at + c.len_utf8());
            }
        }
    }
    None
}

/// Where a colon stands that separates a name from its type: outside of brackets, and not doubled.
fn top_level_colon(text: &str) -> Option<usize> {
    let mut depth = 0_u32;
    let mut scanner = Scanner::new(text);
    let mut previous = ' ';
    while let Some((at, c)) = scanner.next_code_char() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            ':' if depth == 0 && previous != ':' && !part(text, at + 1..).starts_with(':') => return Some(at),
            _ => {}
        }
        previous = c;
    }
    None
}

/// The name in front of a colon, without modifiers such as `mut`, `ref`, `private readonly`, `vararg` or the label of
/// Swift; destructuring patterns stay whole.
fn name_before_colon(text: &str) -> &str {
    let text = text.trim().trim_end_matches('?');
    if text.ends_with(['}', ']', ')']) {
        return text;
    }
    text.split_whitespace().next_back().unwrap_or(text)
}

/// The name at the end of a declaration that begins with the type: `const char *name[3]`, `int (*callback)(void *)`.
/// A type without a name stays whole.
fn name_after_type(parameter: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    if let Some(at) = parameter.find("(*") {
        let inner = part(parameter, at + 2..);
        let name: String = inner.trim_start().chars().take_while(|c| is_word(*c)).collect();
        if !name.is_empty() {
            return name;
        }
    }
    let declarator = parameter
        .find('[')
        .filter(|at| *at > 0 && part(parameter, *at..).trim_end().ends_with(']'))
        .map_or(parameter, |at| part(parameter, ..at));
    let declarator = declarator.trim_end();
    let start = declarator
        .rfind(|c: char| !is_word(c))
        .map_or(0, |at| at + part(declarator, at..).chars().next().map_or(1, char::len_utf8));
    let name = part(declarator, start..);
    if name.is_empty() || name.chars().all(|c| c.is_ascii_digit()) {
        return parameter.to_owned();
    }
    name.to_owned()
}

/// A part of a text, empty where the range is none of it.
fn part(text: &str, range: impl std::slice::SliceIndex<str, Output = str>) -> &str {
    text.get(range).unwrap_or("")
}

/// The parts of a text between separators outside of brackets and strings.
fn split_at_top_level(text: &str, separator: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0_u32, 0);
    let mut previous = ' ';
    let mut scanner = Scanner::new(text);
    while let Some((at, c)) = scanner.next_code_char() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            '>' if previous == '-' || previous == '=' => {}
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            c if c == separator && depth == 0 => {
                parts.push(part(text, start..at));
                start = at + c.len_utf8();
            }
            _ => {}
        }
        previous = c;
    }
    parts.push(part(text, start..));
    parts
}

/// Reads the characters of a text that stand outside of string literals, in time that grows with its length.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
    /// The last character that was read and is no space.
    previous: char,
    /// Whether a lifetime was read: the single quotes after it open lifetimes too.
    has_lifetimes: bool,
    /// Marks that no later mark closes: none of the later ones opens a string either.
    unclosed: Vec<char>,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, at: 0, previous: ' ', has_lifetimes: false, unclosed: Vec::new() }
    }

    fn next_code_char(&mut self) -> Option<(usize, char)> {
        loop {
            let at = self.at;
            let c = part(self.text, at..).chars().next()?;
            self.at += c.len_utf8();
            let is_mark = matches!(c, '"' | '\'' | '`');
            // A lifetime (`&'a str`) or an apostrophe opens no string: only a mark that is closed does.
            if is_mark && !self.unclosed.contains(&c) && !(c == '\'' && self.reads_lifetime()) {
                match string_length(part(self.text, self.at..), c) {
                    Some(length) => {
                        self.at += length;
                        self.previous = c;
                        continue;
                    }
                    None => self.unclosed.push(c),
                }
            }
            if !c.is_whitespace() {
                self.previous = c;
            }
            return Some((at, c));
        }
    }

    /// Whether the single quote that was read last begins a lifetime of Rust: a name that no quote closes stands after it,
    /// and the first lifetime of a text stands after `<`, `&` or `+`.
    fn reads_lifetime(&mut self) -> bool {
        let rest = part(self.text, self.at..);
        let after_name = rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
        let is_name = after_name.len() < rest.len()
            && after_name.chars().next().is_none_or(|c| c.is_whitespace() || ",>:+)=".contains(c));
        self.has_lifetimes |= is_name && matches!(self.previous, '<' | '&' | '+');
        is_name && self.has_lifetimes
    }
}

/// The length of a string literal after its opening mark, the closing mark included; `None` where it is not closed.
fn string_length(text: &str, mark: char) -> Option<usize> {
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            c if c == mark => return Some(at + c.len_utf8()),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{declaration_without_value, signature_with_parameter_names, signature_without_default_values};

    #[test]
    fn parameters_keep_their_names() {
        for (name, signature, expected) in [
            (
                "add",
                "def add(self, name: str, price: dict[str, int] = {\"a\": 1}, *, replace=False) -> None",
                "add(self, name, price, *, replace)",
            ),
            (
                "apply",
                "pub fn apply<'a, T: Into<String>>(&'a mut self, edits: &'a [Edit<'a>], f: impl Fn(&T) -> u8) -> Result<(), E>",
                "apply(&'a mut self, edits, f)",
            ),
            ("Do", "func (c *Client) Do(req *Request, opts ...Option) (*Response, error)", "(c *Client) Do(req, opts)"),
            (
                "parse",
                "export function parse<T>(text: string, { strict = true }: Options = {}, ...rest: T[]): T",
                "parse(text, { strict = true }, ...rest)",
            ),
            (
                "qsort",
                "void qsort(void *base, size_t nmemb, int (*compar)(const void *, const void *))",
                "qsort(base, nmemb, compar)",
            ),
            ("get", "public static <T> List<T> get(@NonNull final Map<String, T> map, int[] keys)", "get(map, keys)"),
            (
                "find",
                "public function find(?string $name = null, array &$out, int ...$ids): ?User",
                "find($name, $out, ...$ids)",
            ),
            ("f", "f(a, b)", "f(a, b)"),
            ("string", "function string(params?: string | core.$StringParams): Text", "string(params)"),
            (
                "split",
                "def split(text: str, marks=', ;', *, keep='it\\'s, (or not') -> list",
                "split(text, marks, *, keep)",
            ),
            ("zip", "fn zip<'a, 'b: 'a>(left: Pair<'a, 'b>, right: &'b str) -> Zip<'a, 'b>", "zip(left, right)"),
            ("pick", "pick(from: Omit<'id' | 'a-b', User>, keys = 'x, y', more: Set<'z'>)", "pick(from, keys, more)"),
            ("pad", "fn pad<const C: char = 'x'>(a: &'static str, b: char)", "pad(a, b)"),
            ("run", "inline void Pool::run(int count)", "Pool::run(count)"),
            ("json", "res.json = function json(obj: any)", "res.json = function json(obj)"),
            ("handler", "const handler = async (request: Request, next) => void", "handler = async (request, next)"),
        ] {
            assert_eq!(signature_with_parameter_names(signature, name), expected);
        }
    }

    #[test]
    fn default_values_are_left_out() {
        for (name, signature, expected) in [
            (
                "f",
                "def f(a: int = 3, b: str = \"x, y\", *, c=(1, 2)) -> dict[str, int]",
                "def f(a: int, b: str, *, c) -> dict[str, int]",
            ),
            ("f", "f(a, b = () => 1, c)", "f(a, b, c)"),
            ("f", "fn f(a: &str) -> bool", "fn f(a: &str) -> bool"),
        ] {
            assert_eq!(signature_without_default_values(signature, name), expected);
        }
        assert_eq!(declaration_without_value("MAX: int = 3"), "MAX: int");
        assert_eq!(declaration_without_value("const f = (a) => a == 1"), "const f");
        assert_eq!(declaration_without_value("x := 1"), "x");
        assert_eq!(declaration_without_value("type A<T = u8>"), "type A<T = u8>");
    }
}
