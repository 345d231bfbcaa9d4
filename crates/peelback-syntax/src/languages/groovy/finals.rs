//! Declarations that the grammar does not read: `final name = 1`, without a type.

/// Returns the text with `def` instead of `final` where no type follows, so that every byte keeps its offset; `None` if
/// there is no such place.
pub(super) fn define_finals(source: &str) -> Option<String> {
    let mut bytes = source.as_bytes().to_vec();
    let mut is_changed = false;
    for (at, word) in source.match_indices("final") {
        let before = source.get(..at).unwrap_or("").chars().next_back();
        let rest = source.get(at + word.len()..).unwrap_or("");
        let name = rest.trim_start_matches([' ', '\t']);
        let after = name.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
        let has_name = name.len() < rest.len() && after.len() < name.len();
        let value = after.trim_start_matches([' ', '\t']);
        if before.is_none_or(|c| c.is_whitespace() || c == ';' || c == '{')
            && has_name
            && value.starts_with('=')
            && !value.starts_with("==")
        {
            is_changed = true;
            for (place, byte) in bytes.iter_mut().skip(at).zip(b"def  ") {
                *place = *byte;
            }
        }
    }
    is_changed.then(|| String::from_utf8(bytes).ok()).flatten()
}
