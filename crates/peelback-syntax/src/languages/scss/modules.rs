//! What the grammar does not read: the words after the names of modules, names of their members with a dot, maps, parts of
//! names in `#{…}`, and empty parentheses.

/// Returns a text of the same length that the grammar reads; `None` where the source is such a text.
///
/// The words after the text in quotes of `@use` and `@forward` become spaces, and the dot in `math.div(…)`, in
/// `theme.$gap` and in `@include theme.card` is no longer there. A map that is the value of a variable becomes a number.
pub(super) fn blank_what_is_not_read(source: &str) -> Option<String> {
    let mut bytes = source.as_bytes().to_vec();
    let mut line_start = 0;
    // The end of the latest map, and whether each map so far has an end.
    let (mut end_of_map, mut have_maps_ends) = (0, true);
    for line in source.split_inclusive('\n') {
        let is_code = line_start >= end_of_map;
        let map = start_of_map(line).filter(|_| is_code && have_maps_ends).map(|open| line_start + open);
        match map.map(|open| (open, end_of_parentheses(source, open))) {
            Some((open, Some(end))) => {
                blank(&mut bytes, open, end);
                bytes.iter_mut().skip(open).take(1).for_each(|byte| *byte = b'1');
                blank_flags(source, end, &mut bytes);
                end_of_map = end;
            }
            Some((_, None)) => have_maps_ends = false,
            None if is_code => prepare_line(line, line_start, source, &mut bytes),
            None => {}
        }
        line_start += line.len();
    }
    (bytes != source.as_bytes()).then(|| String::from_utf8(bytes).ok()).flatten()
}

/// The place of the parenthesis of `$name: (…` in a line.
fn start_of_map(line: &str) -> Option<usize> {
    let open = line.find('(').filter(|_| line.trim_start().starts_with('$'))?;
    line.get(..open).is_some_and(|name| name.trim_end().ends_with(':')).then_some(open)
}

/// Prepares a line outside of maps.
fn prepare_line(line: &str, line_start: usize, source: &str, bytes: &mut [u8]) {
    let code = line.trim_start();
    if code.starts_with("@use ") || code.starts_with("@forward ") {
        blank_words_after_module(line, line_start, source, bytes);
    } else if !code.starts_with("//") && !code.starts_with('*') {
        join_names_of_members(line, line_start, bytes);
        blank_flags(line, 0, bytes.get_mut(line_start..).unwrap_or_default());
        replace_interpolations(line, line_start, bytes);
        if (code.starts_with("@include ") || code.starts_with("@mixin "))
            && let Some(empty) = line.find("()")
        {
            blank(bytes, line_start + empty, line_start + empty + 2);
        }
        if code.starts_with("@extend %") {
            let percent = line_start + line.len() - code.len() + "@extend ".len();
            bytes.iter_mut().skip(percent).take(1).for_each(|byte| *byte = b'.');
        }
    }
}

/// The limit on the length of the words after a module's name, in bytes.
const MOST_WORDS: usize = 1_000;

fn blank_words_after_module(line: &str, line_start: usize, source: &str, bytes: &mut [u8]) {
    let Some(open) = line.find(['"', '\'']) else { return };
    let quote = line.as_bytes().get(open).copied().unwrap_or(b'"');
    let rest = line.as_bytes().get(open + 1..).unwrap_or_default();
    let Some(close) = rest.iter().position(|byte| *byte == quote) else { return };
    let start = line_start + open + 1 + close + 1;
    let words = source.as_bytes().get(start..).unwrap_or_default();
    let Some(end) = words.iter().take(MOST_WORDS).position(|byte| *byte == b';') else { return };
    blank(bytes, start, start + end);
}

fn blank(bytes: &mut [u8], start: usize, end: usize) {
    for byte in bytes.iter_mut().take(end).skip(start).filter(|byte| **byte != b'\n') {
        *byte = b' ';
    }
}

/// The limit on the length of a map, in bytes.
const LONGEST_MAP: usize = 100_000;

/// The end of the parentheses that begin at `open`; `None` where they have none.
fn end_of_parentheses(source: &str, open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in source.as_bytes().get(open..)?.iter().enumerate().take(LONGEST_MAP) {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.checked_sub(1)?,
            _ => continue,
        }
        if depth == 0 {
            return Some(open + at + 1);
        }
    }
    None
}

/// Blanks the words `!default` and `!global` in what is left of a line.
fn blank_flags(source: &str, start: usize, bytes: &mut [u8]) {
    let line = source.get(start..).and_then(|rest| rest.lines().next()).unwrap_or("");
    for flag in ["!default", "!global"] {
        for (at, _) in line.match_indices(flag) {
            blank(bytes, start + at, start + at + flag.len());
        }
    }
}

/// Makes each `#{…}` of a line a part of the name around it.
fn replace_interpolations(line: &str, line_start: usize, bytes: &mut [u8]) {
    let mut at = 0;
    while let Some(found) = line.get(at..).and_then(|rest| rest.find("#{")) {
        let open = at + found;
        let Some(length) = line.get(open..).and_then(|rest| rest.find('}')) else { return };
        at = open + length + 1;
        for byte in bytes.iter_mut().take(line_start + at).skip(line_start + open) {
            *byte = b'x';
        }
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
        let begins_with_letter = code
            .get(at.saturating_sub(module))
            .is_some_and(|byte| module > 0 && (byte.is_ascii_alphabetic() || *byte == b'_'));
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
            bytes.iter_mut().skip(place.saturating_sub(module)).take(1).for_each(|byte| *byte = b'$');
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
            ("@use \"a/b\" as c with ($x: 1);\n", Some("@use \"a/b\"                  ;\n")),
            ("$a: 1 !default;\n", Some("$a: 1         ;\n")),
            ("$a: (\n  b: (1),\n) !default;\n$c: 1;\n", Some("$a: 1\n         \n          ;\n$c: 1;\n")),
            ("$a: (b: 1;\n$c: (2);\n", None),
            ("  --#{$p}a: #{$b};\n", Some("  --xxxxxa: xxxxx;\n")),
            ("  @include a();\n", Some("  @include a  ;\n")),
            ("  @extend %a;\n", Some("  @extend .a;\n")),
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
