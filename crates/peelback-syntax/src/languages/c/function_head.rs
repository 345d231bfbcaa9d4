//! Function heads that are read from text, without the grammar.

/// A function head in front of a body.
pub(super) struct FunctionHead {
    pub name: String,
    /// Byte offset of the head's first line.
    pub start: usize,
}

/// The longest function head, in bytes, that is recognised.
const MAX_HEAD_LEN: usize = 2_000;

/// The head `name(…)` that ends directly before byte `body`, with the text in front of the name on its line.
pub(super) fn find_function_head_before(source: &str, body: usize) -> Option<FunctionHead> {
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
    let called_name = last_word(text.get(..open)?.trim_end());
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
    // The text in front of the name on its line, from the end of the previous statement.
    let nearby = bytes.get(called_name_start.saturating_sub(MAX_HEAD_LEN)..called_name_start)?;
    let indent = nearby.iter().rev().take_while(|byte| !matches!(byte, b'\n' | b';' | b'{' | b'}')).count();
    let line = called_name_start - indent;
    let blank = bytes.get(line..called_name_start)?.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    Some(FunctionHead { name: name.to_owned(), start: line + blank })
}

/// The word at the end of a text; empty if the text ends with another character.
fn last_word(text: &str) -> &str {
    let start = text
        .rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .map_or(0, |at| at + text.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8));
    text.get(start..).unwrap_or("")
}

/// A function head without the preprocessor directives in it. Of each `#if` only the first branch remains.
pub(super) fn function_head_without_directives(head: &str) -> Option<String> {
    head.lines().any(|line| line.trim_start().starts_with('#')).then(|| {
        let mut out = String::new();
        // Depth of `#if` groups inside a removed branch; 0 while lines are kept.
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
