//! The look of texts in a question: patterns of stack frames, error lines, headings, paths and names, and the messages of
//! language runtimes, which do not come from the program in question.

use std::sync::LazyLock;

use regex::Regex;

/// Phrases in the error messages of language runtimes. Such a phrase does not come from the source of the program in
/// question.
pub(super) const RUNTIME_ERROR_PHRASES: &[&str] = &[
    "object has no attribute",
    "has no attribute",
    "object is not callable",
    "object is not iterable",
    "object is not subscriptable",
    "object does not support item assignment",
    "unsupported operand type(s) for",
    "not supported between instances of",
    "local variable referenced before assignment",
    "got an unexpected keyword argument",
    "got multiple values for",
    "required positional argument",
    "positional arguments but",
    "maximum recursion depth exceeded",
    "cannot unpack non-iterable",
    "too many values to unpack",
    "not enough values to unpack",
    "list index out of range",
    "string index out of range",
    "must be str, not",
    "can only concatenate str",
    "invalid literal for int() with base",
    "could not convert string to float",
    "an integer is required",
    "No module named",
    "cannot import name",
    "No such file or directory",
    "Cannot read properties of undefined",
    "Cannot read property",
    "is not a function",
    "is not a constructor",
    "Maximum call stack size exceeded",
    "Unexpected token in JSON at position",
    "on a `None` value",
    "on an `Err` value",
    "index out of bounds: the len is",
    "invalid memory address or nil pointer dereference",
    "index out of range",
];

/// Names of error types that languages define. The words in these names say nothing about a program.
pub(super) const RUNTIME_ERROR_TYPES: &[&str] = &[
    "ArithmeticError",
    "AssertionError",
    "AttributeError",
    "BaseException",
    "EOFError",
    "FileNotFoundError",
    "FloatingPointError",
    "ImportError",
    "IndentationError",
    "IndexError",
    "KeyError",
    "LookupError",
    "MemoryError",
    "ModuleNotFoundError",
    "NameError",
    "NotImplementedError",
    "OSError",
    "OverflowError",
    "PermissionError",
    "RangeError",
    "RecursionError",
    "ReferenceError",
    "RuntimeError",
    "StopIteration",
    "SyntaxError",
    "SystemExit",
    "TypeError",
    "URIError",
    "UnboundLocalError",
    "UnicodeDecodeError",
    "UnicodeEncodeError",
    "ValueError",
    "ZeroDivisionError",
];

/// Compiles a pattern with ASCII character classes; compiling Unicode classes takes milliseconds.
pub(super) fn compile_ascii_regex(pattern: &str) -> Regex {
    let mut ascii = String::with_capacity(pattern.len() * 2);
    let mut chars = pattern.chars();
    let mut in_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => match (chars.next(), in_class) {
                (Some('w'), true) => ascii.push_str("0-9A-Za-z_"),
                (Some('w'), false) => ascii.push_str("[0-9A-Za-z_]"),
                (Some('d'), true) => ascii.push_str("0-9"),
                (Some('d'), false) => ascii.push_str("[0-9]"),
                (Some('b'), false) => ascii.push_str(r"(?-u:\b)"),
                (escaped, _) => {
                    ascii.push(c);
                    ascii.extend(escaped);
                }
            },
            _ => {
                in_class = (in_class || c == '[') && c != ']';
                ascii.push(c);
            }
        }
    }
    // All patterns are constants of this file, and a test compiles each of them.
    Regex::new(&ascii).unwrap_or_else(|error| unreachable!("{error}"))
}

pub(super) static CODE_FENCE: LazyLock<Regex> = LazyLock::new(|| compile_ascii_regex(r"^\s*(```|~~~)"));
pub(super) static PYTHON_FRAME: LazyLock<Regex> =
    LazyLock::new(|| compile_ascii_regex(r#"^\s*File "([^"]+)", line \d+(?:, in ([\w.<>]+))?"#));
pub(super) static IPYTHON_FRAME: LazyLock<Regex> =
    LazyLock::new(|| compile_ascii_regex(r"^\s*(\S+\.py)(?:\(\d+\))? in (\w+)\("));
pub(super) static SCRIPT_FRAME: LazyLock<Regex> =
    LazyLock::new(|| compile_ascii_regex(r"^\s*at (?:([\w.$<>\[\] ]+) \()?(\S+?\.\w+):\d+(?::\d+)?\)?"));
pub(super) static LOCATION_FRAME: LazyLock<Regex> =
    LazyLock::new(|| compile_ascii_regex(r"^\s*(?:-->)?\s*(\S+\.(?:py|rs|go|c|h|ts|js)):\d+(?::\d+)?(?::|\s|$)"));
pub(super) static ERROR_LINE: LazyLock<Regex> = LazyLock::new(|| {
    compile_ascii_regex(
        r"^\s*(?:E\s+)?((?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception|Warning|Failure)|error(?:\[\w+\])?|panic|thread '[^']*' panicked at)\b:?\s*(.*)$",
    )
});
pub(super) static ENVIRONMENT_LINE: LazyLock<Regex> = LazyLock::new(|| {
    compile_ascii_regex(
        r"(?i)^\s*(?:[-*]\s*)?(?:\**(?:os|os-release|platform|python(?:-bits| version| executable)?|machine|processor|byteorder|lc_all|lang|locale|[\w.+-]+ version|version|libhdf5|libnetcdf|architecture|browser|node(?:\.js)?|compiler|rustc|cargo|go version)\**\s*[:=]|[\w.+-]+(?:==|: )v?\d+(?:\.\d+)+\S*\s*(?:\([^)]*\))?$)",
    )
});
pub(super) static TEMPLATE_HEADING: LazyLock<Regex> = LazyLock::new(|| {
    compile_ascii_regex(
        r"(?i)^\s*(?:#+|\*\*)\s*(?:describe the bug|to reproduce|steps to reproduce|reproduction|expected (?:behaviou?r|results?|output)|actual (?:behaviou?r|results?|output)|screenshots|environment(?: info)?|additional context|your project|extra tools|system details|versions?|configuration|command used|problem description|description|code sample.*|what (?:happened|you expected.*)|minimal complete.*|relevant log output|anything else.*)\W*$",
    )
});
pub(super) static ENVIRONMENT_HEADING: LazyLock<Regex> = LazyLock::new(|| {
    compile_ascii_regex(
        r"(?i)^\s*(?:#+|\*\*|<summary>)?\s*(?:environment(?: info)?|versions?|system (?:details|info)\w*|output of .*show_versions.*|installed versions.*|software versions)\W*",
    )
});
pub(super) static URL: LazyLock<Regex> = LazyLock::new(|| compile_ascii_regex(r"https?://\S+"));
/// Matches terminal escape sequences, such as those for colours.
pub(super) static TERMINAL_ESCAPE: LazyLock<Regex> =
    LazyLock::new(|| compile_ascii_regex(r"\x1b\[[0-9;:?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"));
pub(super) static HTML_COMMENT: LazyLock<Regex> = LazyLock::new(|| compile_ascii_regex(r"(?s)<!--.*?-->"));
pub(super) static PATH: LazyLock<Regex> =
    LazyLock::new(|| compile_ascii_regex(r"[\w.@~+-]*(?:[/\\][\w.@+-]+)*[\w@+-]+\.[A-Za-z]\w{0,4}\b"));
pub(super) static DOTTED_NAME: LazyLock<Regex> =
    LazyLock::new(|| compile_ascii_regex(r"\b[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)+"));
pub(super) static FROM_IMPORT: LazyLock<Regex> =
    LazyLock::new(|| compile_ascii_regex(r"^\s*(?:>>>\s*)?from\s+([\w.]+)\s+import\s+(.+)$"));
pub(super) static PLAIN_IMPORT: LazyLock<Regex> =
    LazyLock::new(|| compile_ascii_regex(r"^\s*(?:>>>\s*)?import\s+([\w.]+)"));
pub(super) static BACKTICKED_CODE: LazyLock<Regex> = LazyLock::new(|| compile_ascii_regex(r"`+([^`\n]{2,120})`+"));
/// Matches a command-line flag, such as `--dry-run`.
pub(super) static FLAG: LazyLock<Regex> =
    LazyLock::new(|| compile_ascii_regex(r"(?:^|[\s`'\x22(\[])(--[a-z][a-z0-9]*(?:-[a-z0-9]+)*)\b"));
pub(super) static CALLED_NAME: LazyLock<Regex> = LazyLock::new(|| compile_ascii_regex(r"\b([A-Za-z_]\w+)\("));
pub(super) static NAME_WITH_KIND: LazyLock<Regex> = LazyLock::new(|| {
    compile_ascii_regex(
        r"\b(?:class|function|method|struct|trait|interface|module)\s+([A-Za-z_]\w+)|\b([A-Z]\w+)\s+(?:class|function|method|struct|trait|interface|module)\b",
    )
});
pub(super) static QUOTED_TEXT: LazyLock<Regex> =
    LazyLock::new(|| compile_ascii_regex(r#"["“”]([^"“”\n]{12,160})["“”]|'([^'\n]{12,160})'|`([^`\n]{12,160})`"#));

/// Parses a line of a traceback as a stack frame: its file, and its function if the line names one. `None` for other
/// lines.
pub(super) fn parse_stack_frame(line: &str) -> Option<(String, Option<String>)> {
    for (pattern, path, function) in
        [(&*PYTHON_FRAME, 1, 2), (&*IPYTHON_FRAME, 1, 2), (&*SCRIPT_FRAME, 2, 1), (&*LOCATION_FRAME, 1, 9)]
    {
        if let Some(found) = pattern.captures(line) {
            let function = found.get(function).map(|function| function.as_str().to_owned());
            let function = function.filter(|function| !function.starts_with('<'));
            return Some((found[path].to_owned(), function));
        }
    }
    None
}

/// Whether a line outside a code block looks like code.
pub(super) fn looks_like_code_line(line: &str) -> bool {
    let trimmed = line.trim_start();
    trimmed.starts_with(">>>")
        || trimmed.starts_with("In [")
        || trimmed.starts_with("Out[")
        || trimmed.starts_with("$ ")
        || (line.starts_with("    ") && trimmed.contains(['(', '=', '{', ';']))
}

/// Whether a word looks like an identifier: `snake_case`, `camelCase`, `CamelCase`.
pub(super) fn is_identifier_like_word(word: &str) -> bool {
    let inner = word.trim_matches('_');
    let snake = inner.contains('_') || (inner.len() < word.len() && inner.len() > 1);
    let chars: Vec<char> = inner.chars().collect();
    let camel = chars.iter().zip(chars.iter().skip(1)).any(|(one, two)| one.is_lowercase() && two.is_uppercase());
    (snake || camel) && chars.iter().any(|c| c.is_alphabetic())
}

/// The path inside the repository for the URL of a hosted file, or an empty string for other URLs.
pub(super) fn repository_file_path_from_url(url: &str) -> String {
    let Some((_, rest)) = url.split_once("/blob/") else { return String::new() };
    let path = rest.split_once('/').map_or("", |(_, path)| path);
    path.split(['#', '?', ')']).next().unwrap_or("").to_owned()
}

/// Whether the text after a dot is a known file extension.
pub(super) fn is_known_file_extension(ending: &str) -> bool {
    const OTHERS: &[&str] =
        &["ini", "cfg", "conf", "txt", "rst", "html", "css", "scss", "sql", "pyx", "pxd", "tpl", "in", "lock"];
    let ending = ending.to_lowercase();
    OTHERS.contains(&ending.as_str())
        || peelback_syntax::language::language_of_file_name(&format!("a.{ending}")).is_some()
}
