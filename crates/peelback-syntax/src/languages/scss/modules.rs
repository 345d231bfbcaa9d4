//! What the grammar does not read of modules: the words after their names, and names of their members with a dot.

/// Returns a text of the same length that the grammar reads; `None` where the source is such a text.
///
/// The words after the text in quotes of `@use` and `@forward` become spaces, and the dot in `math.div(…)`, in
/// `theme.$gap` and in `@include theme.card` is no longer there.
pub(super) fn blank_what_is_not_read(source: &str) -> Option<String> {
    let mut bytes = source.as_bytes().to_vec();
    let mut line_start = 0;
    for line in source.split_inclusive('\n') {
        let code = line.trim_start();
        if code.starts_with("@use ") || code.starts_with("@forward ") {
            blank_words_after_module(line, line_start, source, &mut bytes);
        } else if !code.starts_with("//") && !code.starts_with('*') {
            join_names_of_members(line, line_start, &mut bytes);
        }
        line_start += line.len();
    }
    (bytes != source.as_bytes()).then(|| String::from_utf8(bytes).ok()).flatten()
}

/// The limit on the length of the words after a module's name, in bytes.
const MOST_WORDS: usize = 4_000;

fn blank_words_after_module(line: &str, line_start: usize, source: &str, bytes: &mut [u8]) {
    let Some(open) = line.find(['"', '\'']) else { return };
    let quote = line.as_bytes().get(open).copied().unwrap_or(b'"');
    let rest = line.as_bytes().get(open + 1..).unwrap_or_default();
    let Some(close) = rest.iter().position(|byte| *byte == quote) else { return };
    let start = line_start + open + 1 + close + 1;
    let words = source.as_bytes().get(start..).unwrap_or_default();
    let Some(end) = words.iter().take(MOST_WORDS).position(|byte| *byte == b';') else { return };
    for byte in bytes.iter_mut().skip(start).take(end).filter(|byte| **byte != b'\n') {
        *byte = b' ';
    }
}

/// Replaces the dot between a module and its member: what is left is one name.
fn join_names_of_members(line: &str, line_start: usize, bytes: &mut [u8]) {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let code = line.as_bytes();
    let is_include = line.trim_start().starts_with("@include ");
    // After a colon or an operator: in front of a brace, a dot begins a class.
    let is_value = line.contains([':', '=', '(', '@']) && !line.trim_end().ends_with(['{', ',']) || is_include;
    if !is_value {
        return;
    }
    for (at, _) in line.match_indices('.') {
        let module = code.get(..at).unwrap_or_default().iter().rev().take_while(|byte| is_name(byte)).count();
        let begins_with_letter =
            code.get(at - module).is_some_and(|byte| module > 0 && (byte.is_ascii_alphabetic() || *byte == b'_'));
        if !begins_with_letter {
            continue;
        }
        let rest = code.get(at + 1..).unwrap_or_default();
        let member = rest.iter().take_while(|byte| is_name(byte)).count();
        let place = line_start + at;
        if rest.first() == Some(&b'$') {
            // `theme.$gap` becomes the variable `$heme__gap`.
            for place in [place, place + 1] {
                bytes.iter_mut().skip(place).take(1).for_each(|byte| *byte = b'_');
            }
            bytes.iter_mut().skip(place - module).take(1).for_each(|byte| *byte = b'$');
        } else if member > 0 && (rest.get(member) == Some(&b'(') || is_include) {
            bytes.iter_mut().skip(place).take(1).for_each(|byte| *byte = b'_');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::blank_what_is_not_read;

    #[test]
    fn members_of_modules_are_one_name() {
        for (source, expected) in [
            ("@use \"a/b\" as c with ($x: 1);\n", Some("@use \"a/b\"                   ;\n")),
            ("  gap: math.div(1, 2);\n", Some("  gap: math_div(1, 2);\n")),
            ("  gap: theme.$gap;\n", Some("  gap: $heme__gap;\n")),
            ("  @include theme.card;\n", Some("  @include theme_card;\n")),
            (".a:not(.b) {\n", None),
            ("a.b:hover {\n", None),
            ("  width: 1.5em;\n", None),
            ("// math.div(1, 2)\n", None),
        ] {
            assert_eq!(blank_what_is_not_read(source).as_deref(), expected, "{source}");
        }
    }
}
