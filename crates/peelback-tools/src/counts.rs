//! Formatting of numbers in answers.

/// A number with thousands separators: `12,345`. A number that exceeds 64 bits is printed as the largest 64-bit number.
pub(crate) fn format_with_thousands_separators(number: impl TryInto<u64>) -> String {
    let digits = number.try_into().unwrap_or(u64::MAX).to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number with its noun: `1 file`, `2 files`. A number that exceeds 64 bits is printed as the largest 64-bit number.
pub(crate) fn format_count_with_noun(number: impl TryInto<u64>, singular: &str, plural: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!("{} {}", format_with_thousands_separators(number), if number == 1 { singular } else { plural })
}

/// A range of lines: `12-40`, or `12` where both ends are the same.
pub(crate) fn format_line_range(first: u32, last: u32) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}
