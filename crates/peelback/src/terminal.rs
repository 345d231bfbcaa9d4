//! Answers on a terminal: columns aligned, and colour. What is not a terminal gets the answer as it stands.

use anstyle::{AnsiColor, Style};

const HEAD: Style = Style::new().bold();
const CALL: Style = AnsiColor::Cyan.on_default();
const PRICE: Style = Style::new().dimmed();
const NUMBER: Style = AnsiColor::Green.on_default();
const PATH: Style = AnsiColor::Magenta.on_default().bold();
const ALARM: Style = AnsiColor::Yellow.on_default();
const ERROR: Style = AnsiColor::Red.on_default().bold();

/// Tools whose rows are columns parted by two spaces; the others show source, which is left as it is.
const COLUMNS: &[&str] = &["tree", "find_files"];

/// The answer for a person's eyes.
pub(crate) fn colorize(tool: &str, output: &str, colour: bool) -> String {
    let aligned = if COLUMNS.contains(&tool) { align(output) } else { output.to_owned() };
    let mut out = String::with_capacity(aligned.len() * 2);
    let mut in_head = true;
    let mut in_calls = false;
    for (index, line) in aligned.lines().enumerate() {
        in_head &= !line.is_empty();
        in_calls = line == "or:" || (in_calls && line.starts_with("  "));
        let line = shell_calls(line, (in_head && index > 0) || in_calls);
        if colour {
            out.push_str(&coloured(&line, index == 0, in_head));
        } else {
            out.push_str(&line);
        }
        out.push('\n');
    }
    out
}

/// The text with what would steer a terminal, or turn the order of the letters, written out. Lines stay lines.
pub(crate) fn printable(text: &str) -> String {
    let steers = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if steers(c) { out.extend(c.escape_unicode()) } else { out.push(c) }
    }
    out
}

/// Calls become commands that can be pasted.
fn shell_calls(line: &str, may_hold_call: bool) -> String {
    let mut line = line.to_owned();
    if may_hold_call {
        for tool in peelback_tools::all() {
            line = line.replace(&format!(" {} --", tool.name), &format!(" peelback {} --", tool.name));
        }
    }
    line
}

fn coloured(line: &str, first: bool, in_head: bool) -> String {
    let styled = |style: Style, text: &str| format!("{style}{text}{style:#}");
    if let Some(rest) = line.strip_prefix("error:") {
        return format!("{}{rest}", styled(ERROR, "error:"));
    }
    if first {
        return styled(HEAD, line);
    }
    for label in ["next:", "hint:", "or:", "by file:"] {
        if let Some(rest) = line.strip_prefix(label).filter(|_| in_head || label == "or:" || label == "by file:") {
            return format!("{}{}", styled(PRICE, label), styled(CALL, rest));
        }
    }
    for label in ["evidence:", "warning:", "must_follow:", "note:", "left out to fit the budget:"] {
        if let Some(rest) = line.strip_prefix(label).filter(|_| in_head) {
            return format!("{}{rest}", styled(ALARM, label));
        }
    }
    if in_head || line.is_empty() {
        return line.to_owned();
    }
    let indent = line.len() - line.trim_start().len();
    let (blank, text) = line.split_at(indent);
    let number = text.find(|c: char| !(c.is_ascii_digit() || c == '-')).unwrap_or(0);
    let (number, text) = text.split_at(number);
    let price = text.find("  ~").unwrap_or(text.len());
    let (text, price) = text.split_at(price);
    let text = if number.is_empty() && blank.is_empty() && looks_like_path(text) {
        styled(PATH, text)
    } else {
        text.to_owned()
    };
    let number = if number.is_empty() { String::new() } else { styled(NUMBER, number) };
    let price = if price.is_empty() { String::new() } else { styled(PRICE, price) };
    format!("{blank}{number}{text}{price}")
}

fn looks_like_path(text: &str) -> bool {
    let first = text.split("  ").next().unwrap_or("");
    !first.contains(' ') && first.contains(['/', '.'])
}

/// Pads the columns of rows that follow one another to the same width.
fn align(output: &str) -> String {
    let lines: Vec<&str> = output.lines().collect();
    let mut out = String::with_capacity(output.len() * 2);
    for block in lines.chunk_by(|a, b| columns(a).len() > 1 && columns(b).len() > 1) {
        let rows: Vec<Vec<&str>> = block.iter().map(|line| columns(line)).collect();
        let most = rows.iter().map(Vec::len).max().unwrap_or(0);
        let width =
            |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|c| c.chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..most).map(width).collect();
        for row in &rows {
            let last = row.len().saturating_sub(1);
            for (index, cell) in row.iter().enumerate() {
                out.push_str(cell);
                if index < last {
                    let pad = widths.get(index).copied().unwrap_or(0).saturating_sub(cell.chars().count()) + 2;
                    out.extend(std::iter::repeat_n(' ', pad));
                }
            }
            out.push('\n');
        }
    }
    out
}

/// The cells of a row; the indentation belongs to the first.
fn columns(line: &str) -> Vec<&str> {
    let indent = line.len() - line.trim_start().len();
    let (_, text) = line.split_at(indent);
    let Some(end) = text.find("  ") else { return vec![line] };
    let (first, rest) = line.split_at(indent + end);
    std::iter::once(first).chain(rest.split("  ").map(str::trim).filter(|cell| !cell.is_empty())).collect()
}
