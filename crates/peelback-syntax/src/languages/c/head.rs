//! The heads of functions, read from the text alone.

/// A head found before a body.
pub(super) struct Head {
    pub name: String,
    /// The first byte of its line.
    pub start: usize,
}

/// A head longer than this is not looked for.
const MAX_HEAD: usize = 2_000;

/// The head that ends right before `body`: `name(…)`, with what stands before the name on its line.
pub(super) fn before(source: &str, body: usize) -> Option<Head> {
    let text = source.get(..body)?.trim_end();
    let bytes = text.as_bytes();
    let close = text.strip_suffix(')')?.len();
    let mut depth = 0usize;
    let mut open = None;
    for index in (close.saturating_sub(MAX_HEAD)..=close).rev() {
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
    let called = last_word(text.get(..open)?.trim_end());
    let arguments: Vec<&str> = text.get(open + 1..close)?.split(',').map(str::trim).collect();
    let named =
        |argument: &&str| !argument.is_empty() && argument.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    // `TEST(suite, case)` makes a function of its last argument, `main(argc, argv)` is one.
    let is_test = called.to_ascii_lowercase().contains("test") || !called.bytes().any(|b| b.is_ascii_lowercase());
    let name = match arguments.last().filter(|_| is_test && arguments.iter().all(named)) {
        Some(last) => last,
        None => called,
    };
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let called_at = text.get(..open)?.trim_end().len() - called.len();
    // What stands before the name on its line, from the statement before on.
    let nearby = bytes.get(called_at.saturating_sub(MAX_HEAD)..called_at)?;
    let indent = nearby.iter().rev().take_while(|byte| !matches!(byte, b'\n' | b';' | b'{' | b'}')).count();
    let line = called_at - indent;
    let blank = bytes.get(line..called_at)?.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    Some(Head { name: name.to_owned(), start: line + blank })
}

/// The word at the end of a text, empty where it ends in something else.
fn last_word(text: &str) -> &str {
    let start = text
        .rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .map_or(0, |at| at + text.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8));
    text.get(start..).unwrap_or("")
}

/// A head without the directives that cut through it: of each `#if`, its first branch.
pub(super) fn without_directives(head: &str) -> Option<String> {
    head.lines().any(|line| line.trim_start().starts_with('#')).then(|| {
        let mut out = String::new();
        // How many groups deep a branch that is left out stands; 0 where lines are kept.
        let mut left_out = 0usize;
        for line in head.lines() {
            let Some(directive) = line.trim_start().strip_prefix('#').map(str::trim_start) else {
                if left_out == 0 {
                    out.push_str(line);
                    out.push('\n');
                }
                continue;
            };
            if directive.starts_with("if") {
                left_out += usize::from(left_out > 0);
            } else if directive.starts_with("el") {
                left_out = left_out.max(1);
            } else if directive.starts_with("endif") {
                left_out = left_out.saturating_sub(1);
            }
        }
        out
    })
}
