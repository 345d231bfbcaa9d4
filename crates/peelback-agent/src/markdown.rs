//! Functions that format texts as Markdown elements. Text from a repository cannot end such an element early.

pub use peelback_tokens::text::collapse_and_trim_whitespace as one_line;
use peelback_tokens::text::truncate_chars_including_ellipsis;
use pulldown_cmark::Options;

/// The Markdown extensions, such as tables, with which the Markdown parser reads documents.
pub(crate) const PARSER_OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_YAML_STYLE_METADATA_BLOCKS);

/// Writes the text as a fenced code block. The fence is longer than any run of backticks in the text. `language` is the
/// word after the opening fence, or empty.
pub fn format_code_block(language: &str, text: &str) -> String {
    let fence = "`".repeat(longest_backtick_run_length(text).max(2) + 1);
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}\n")
}

/// Writes the text as inline code on one line.
pub fn format_inline_code(text: &str) -> String {
    let text = one_line(text);
    let fence = "`".repeat(longest_backtick_run_length(&text) + 1);
    let space = if text.starts_with('`') || text.ends_with('`') || text.is_empty() { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

/// Writes the text as a Markdown block quotation.
pub fn format_block_quotation(text: &str) -> String {
    text.lines().map(|line| format!("> {line}").trim_end().to_owned() + "\n").collect()
}

/// Truncates the text to at most `max_chars` characters, including the ellipsis at the end of a truncated text.
pub fn truncate_with_ellipsis(text: &str, max_chars: usize) -> String {
    truncate_chars_including_ellipsis(text, max_chars).into_owned()
}

/// The length of the longest run of consecutive backticks in a text.
fn longest_backtick_run_length(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Formats a range of lines as a citation: `path:a-b`, or `path:a` for one line.
pub fn format_path_and_lines(path: &str, first: u32, last: u32) -> String {
    if first == last { format!("{path}:{first}") } else { format!("{path}:{first}-{last}") }
}

/// Formats a number with its unit in the singular or plural: `1 file`, `2,000 files`.
pub fn format_count_with_unit(count: usize, one: &str, many: &str) -> String {
    format!("{} {}", format_with_thousands_commas(count), if count == 1 { one } else { many })
}

/// Formats a number with commas between thousands: `2,000`.
pub fn format_with_thousands_commas(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_closes_its_fence() {
        for text in ["a\n```\nb\n", "````", "plain", "", "` `` ```"] {
            let block = format_code_block("rust", text);
            let fence = block.split('\n').next().expect("a line").trim_end_matches("rust").to_owned();
            assert!(!text.contains(&fence), "{block}");
            assert!(block.ends_with(&format!("\n{fence}\n")), "{block}");
        }
        assert_eq!(format_inline_code("a`b"), "``a`b``");
        assert_eq!(format_inline_code("`"), "`` ` ``");
        assert_eq!(format_inline_code("a\nb"), "`a b`");
    }

    #[test]
    fn texts_are_cut_at_characters() {
        assert_eq!(truncate_with_ellipsis("größer", 4), "grö…");
        assert_eq!(truncate_with_ellipsis("größer", 6), "größer");
        assert_eq!(format_with_thousands_commas(1_234_567), "1,234,567");
    }
}
