//! Macros of Apple's headers that the grammar does not read: they are blanked before the parse.

/// Whether the text of a `.h` file is Objective-C. Doxygen has commands of the same names as most of its keywords.
pub(super) fn is_objective_c_header(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim_end();
        line == "@end"
            || line.starts_with("#import ")
            || line.starts_with("@import ")
            || (line.starts_with("@class ") && line.ends_with(';'))
    })
}

/// Prefixes of macros that say something about a declaration, and that a compiler without them would not miss.
const PREFIXES: &[&str] =
    &["NS_", "API_", "UI_APPEARANCE", "UIKIT_EXTERN", "FOUNDATION_", "CF_", "RCT_EXTERN", "DEPRECATED_"];

/// Macros that declare an enumeration: `NS_ENUM(NSInteger, Name)` is `enum Name`.
const ENUMERATIONS: &[&str] = &["NS_ENUM", "NS_OPTIONS", "NS_CLOSED_ENUM", "NS_ERROR_ENUM", "CF_ENUM", "CF_OPTIONS"];

/// Returns the text with the macros replaced by spaces, so that every byte keeps its offset; `None` if there are none.
pub(super) fn blank_macros(source: &str) -> Option<String> {
    if !PREFIXES.iter().any(|prefix| source.contains(prefix)) {
        return None;
    }
    let mut bytes = source.as_bytes().to_vec();
    let mut line_start = 0;
    for line in source.split_inclusive('\n') {
        let code = line.trim_start();
        // Inside of a comment or a directive, a macro's name is text.
        if !code.starts_with(['#', '/', '*']) {
            blank_macros_of_line(line, line_start, source, &mut bytes);
        }
        line_start += line.len();
    }
    String::from_utf8(bytes).ok()
}

fn blank_macros_of_line(line: &str, line_start: usize, source: &str, bytes: &mut [u8]) {
    let mut at = 0;
    while let Some(found) = PREFIXES.iter().filter_map(|prefix| line.get(at..)?.find(prefix)).min() {
        let start = at + found;
        let is_inside_word =
            line.get(..start).is_some_and(|before| before.ends_with(|c: char| c.is_alphanumeric() || c == '_'));
        let rest = line.get(start..).unwrap_or("");
        let len =
            rest.find(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')).unwrap_or(rest.len());
        at = start + len.max(1);
        let before = line.get(..start).unwrap_or("");
        // A quotation mark or a comment before it: text.
        if is_inside_word
            || rest.get(len..).is_some_and(|after| after.starts_with(char::is_alphanumeric))
            || before.contains(['"', '\''])
            || before.contains("//")
        {
            continue;
        }
        let start = line_start + start;
        let name = source.get(start..start + len).unwrap_or("");
        let arguments = source.get(start + len..).and_then(arguments_length).unwrap_or(0);
        if ENUMERATIONS.contains(&name) {
            if let Some(comma) = source.get(start + len..start + len + arguments).and_then(|text| text.rfind(',')) {
                // `enum Name { … };` declares the name without `typedef`.
                let typedef = before.trim_end().ends_with("typedef").then(|| before.trim_end().len() - "typedef".len());
                blank(bytes, typedef.map_or(start, |typedef| line_start + typedef), start + len + comma + 1);
                blank(bytes, (start + len + arguments).saturating_sub(1), start + len + arguments);
                for (place, byte) in bytes.iter_mut().skip(start).zip(b"enum") {
                    *place = *byte;
                }
            }
        } else {
            blank(bytes, start, start + len + arguments);
        }
    }
}

/// The length of the arguments in parentheses at the start of a text; `None` if there are none.
fn arguments_length(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate().take(MAX_ARGUMENTS) {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.checked_sub(1)?,
            _ if depth == 0 => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// The limit on the length of a macro's arguments, in bytes.
const MAX_ARGUMENTS: usize = 2_000;

fn blank(bytes: &mut [u8], start: usize, end: usize) {
    for byte in bytes.iter_mut().take(end).skip(start) {
        if *byte != b'\n' {
            *byte = b' ';
        }
    }
}
