//! Function heads (the text from the return type to the parameters) that are read from C source without a syntax tree.

/// The head of a C function: its name, and where the head begins.
pub(super) struct FunctionHead {
    pub name: String,
    /// Byte offset where the head begins, on the line of the function's name.
    pub start: usize,
}

/// Limit on the length of a function head, in bytes; a longer head is not recognised.
const MAX_HEAD_LEN: usize = 2_000;

/// The function head `name(…)` that ends directly before the function body at byte `body`. The head includes the text
/// in front of the name on the same line.
pub(super) fn find_function_head_before_body(source: &str, body: usize) -> Option<FunctionHead> {
    let text = source.get(..body)?.trim_end();
    let bytes = text.as_bytes();
    let close = text.strip_suffix(')')?.len();
    let mut depth = 0usize;
    let mut open = None;
    for index in (close.saturating_sub(MAX_HEAD_LEN)..=close).rev() {
        match bytes.get(index)? {
            b')' => depth += 1,
            b'(' => depth -= 1,
            b';' | b'{' | b'}' => return None,
            _ => {}
        }
        if depth == 0 {
            open = Some(index);
            break;
        }
    }
    let open = open?;
    let called_name = trailing_word(text.get(..open)?.trim_end());
    let arguments: Vec<&str> = text.get(open + 1..close)?.split(',').map(str::trim).collect();
    let is_name =
        |argument: &&str| !argument.is_empty() && argument.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    // `TEST(suite, case)` defines a function called after its last argument, but `main(argc, argv)` defines `main`.
    let is_test =
        called_name.to_ascii_lowercase().contains("test") || !called_name.bytes().any(|b| b.is_ascii_lowercase());
    let name = match arguments.last().filter(|_| is_test && arguments.iter().all(is_name)) {
        Some(last) => last,
        None => called_name,
    };
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let called_name_start = text.get(..open)?.trim_end().len() - called_name.len();
    // The text in front of the function's name on the same line, from the end of the previous statement.
    let nearby = bytes.get(called_name_start.saturating_sub(MAX_HEAD_LEN)..called_name_start)?;
    let indent = nearby.iter().rev().take_while(|byte| !matches!(byte, b'\n' | b';' | b'{' | b'}')).count();
    let line = called_name_start - indent;
    let blank = bytes.get(line..called_name_start)?.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    Some(FunctionHead { name: name.to_owned(), start: line + blank })
}

/// The word at the end of a text; empty if the text ends with a character that is not part of a word.
fn trailing_word(text: &str) -> &str {
    let start = text
        .rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .map_or(0, |at| at + text.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8));
    text.get(start..).unwrap_or("")
}

/// The text of a function head without the preprocessor directives in it. Of each `#if` only the first branch remains.
/// `None` if there are no directives.
pub(super) fn function_head_without_directives(head: &str) -> Option<String> {
    head.lines().any(|line| line.trim_start().starts_with('#')).then(|| {
        let mut out = String::new();
        // The nesting depth of `#if` groups inside the branch that is being removed; 0 while lines are kept.
        let mut skipped_group_depth = 0usize;
        for line in head.lines() {
            let Some(directive) = line.trim_start().strip_prefix('#').map(str::trim_start) else {
                if skipped_group_depth == 0 {
                    out.push_str(line);
                    out.push('\n');
                }
                continue;
            };
            if directive.starts_with("if") {
                skipped_group_depth += usize::from(skipped_group_depth > 0);
            } else if directive.starts_with("el") {
                skipped_group_depth = skipped_group_depth.max(1);
            } else if directive.starts_with("endif") {
                skipped_group_depth = skipped_group_depth.saturating_sub(1);
            }
        }
        out
    })
}
