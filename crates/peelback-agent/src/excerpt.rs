//! Excerpts of files for a model: an outline, the body of one symbol, a line range or a small file, with line numbers
//! and within a character limit.
//!
//! An excerpt begins with one line that names its subject and its cost in tokens. It is cut only between lines, unless
//! a single line exceeds the limit, and says what it leaves out.

mod fold;
mod outline;

use std::fmt::Write as _;

use peelback_code::syntax::{Symbol, walk_symbols_with_depth};
use peelback_code::{AnalysedFile, CodeAccess, CodeError, NameMatch, SymbolBody, SymbolNameQuery};
use peelback_tokens::estimate_tokens;

use crate::citations::Reference;
use crate::markdown::{format_path_and_lines, format_with_thousands_commas, truncate_with_ellipsis};
use fold::body_ranges_of_members;
pub(crate) use fold::docstring_and_leading_comment_ranges;
pub(crate) use outline::{OutlineChoices, file_outline_choices};
pub use outline::{file_outline_excerpt, file_outline_excerpt_with_focus};

/// The maximum number of characters of the imports and enclosing headers that an excerpt shows above a symbol's body.
/// They are less useful than the body's own lines.
const MOST_CONTEXT: usize = 600;

/// The number of characters that an excerpt reserves for the remark about the lines that it omits.
const CUT_NOTE: usize = 120;

/// The maximum number of other symbols with the same name that the excerpt of a symbol mentions.
const MOST_OTHERS: usize = 5;

/// A part of a file as a model sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The path of the file, relative to the project's root.
    pub path: String,
    /// The text of the excerpt, with its first line that names the file.
    pub text: String,
    /// The file lines that the excerpt shows. They exist, so a document may cite them.
    pub references: Vec<Reference>,
    /// The number of symbols that an outline names. For other excerpts: the number of file lines shown.
    pub shown: usize,
    /// The number of symbols that an outline omits. For other excerpts: the number of requested lines that are not
    /// shown.
    pub left_out: usize,
    /// The estimated number of tokens in the excerpt's text.
    pub tokens: usize,
    /// Whether the excerpt shows a class or another container without the bodies of its members.
    pub is_skeleton: bool,
}

impl Excerpt {
    fn new(path: &str, text: String, references: Vec<Reference>, shown: usize, left_out: usize) -> Self {
        Self {
            path: path.to_owned(),
            tokens: estimate_tokens(&text),
            text,
            references,
            shown,
            left_out,
            is_skeleton: false,
        }
    }
}

/// The reason why an excerpt of a file could not be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExcerptError {
    /// The file cannot be read.
    #[error(transparent)]
    Code(#[from] CodeError),
    /// The file defines no symbol with the requested name.
    #[error("{path} has no symbol {name}; its outline lists its symbols")]
    NoSymbol {
        /// The path of the file, relative to the project's root.
        path: String,
        /// The requested symbol name.
        name: String,
    },
    /// The file has fewer lines than the first requested line number.
    #[error("{path} has {lines} line{}: there is no line {first}", if *.lines == 1 { "" } else { "s" })]
    NoLines {
        /// The path of the file, relative to the project's root.
        path: String,
        /// The number of lines in the file.
        lines: u32,
        /// The number of the first requested line.
        first: u32,
    },
}

/// An excerpt with the body of the symbol `name` in the file at `path` (from the root): with line numbers, the imports
/// that the body uses and the headers around it, in at most `max_chars` characters. If several symbols have this name,
/// the first is shown and the others are named. A class or another container that is too long is shown as its skeleton:
/// without the bodies of its members, or, where this is too long, as the list of their names.
///
/// # Errors
/// [`ExcerptError`].
pub fn symbol_excerpt(access: &CodeAccess, path: &str, name: &str, max_chars: usize) -> Result<Excerpt, ExcerptError> {
    let analysed = access.analyse_file_by_root_path(path)?;
    // A symbol id starts with the file's path.
    let name = name.strip_prefix(&format!("{}:", analysed.file.path)).unwrap_or(name);
    let hits = access.find_matching_symbols(&analysed, &SymbolNameQuery::new(name));
    let Some(hit) = hits.iter().min_by_key(|hit| hit.closeness) else {
        return Err(ExcerptError::NoSymbol { path: analysed.file.path, name: name.to_owned() });
    };
    let symbol = &hit.symbol;
    let mut head = format!("{} {}", symbol.kind.as_str(), symbol.qualified_name);
    let others: Vec<String> = hits
        .iter()
        .filter(|other| other.symbol.bytes != symbol.bytes)
        .map(|other| format!("{} line {}", other.symbol.qualified_name, other.symbol.lines.first))
        .collect();
    if !others.is_empty() {
        let shown = others.get(..others.len().min(MOST_OTHERS)).unwrap_or(&[]).join(", ");
        let more = if others.len() > MOST_OTHERS { ", …" } else { "" };
        let _ = write!(head, " (one of {} with the name; the others: {shown}{more})", others.len() + 1);
    }
    let description = format!("{} {}", symbol.kind.as_str(), symbol.qualified_name);
    let with_members = symbol_with_members(&analysed, symbol);
    let span = Span {
        first: symbol.outer_line,
        last: symbol.lines.last,
        head,
        context: format_used_imports_and_enclosing_headers(&analysed, hit),
        description,
        member_bodies: with_members.map_or_else(Vec::new, |symbol| body_ranges_of_members(&analysed, symbol)),
    };
    let excerpt = excerpt_with_line_numbers(&analysed.file, &span, max_chars);
    let symbol =
        with_members.filter(|_| !span.member_bodies.is_empty() && excerpt.left_out > 0 && !excerpt.is_skeleton);
    let list = symbol.and_then(|symbol| list_of_members(&analysed, symbol, &span, max_chars));
    Ok(list.unwrap_or(excerpt))
}

/// The symbol of a file with its children, which the result of a look-up lacks.
pub(crate) fn symbol_with_members<'a>(analysed: &'a AnalysedFile, found: &Symbol) -> Option<&'a Symbol> {
    let mut all = walk_symbols_with_depth(&analysed.facts.symbols).map(|(symbol, _)| symbol);
    all.find(|symbol| symbol.bytes == found.bytes && symbol.qualified_name == found.qualified_name)
}

/// An excerpt with the names of the members of a container whose skeleton is too long; `None` where not even the names
/// fit.
fn list_of_members(analysed: &AnalysedFile, symbol: &Symbol, span: &Span, max_chars: usize) -> Option<Excerpt> {
    let file = &analysed.file;
    let mut text = format!("{} {}", format_path_and_lines(&file.path, span.first, span.last), span.head);
    let wanted = file.text_of_lines(span.first, span.last);
    let _ = writeln!(text, "  ~{} tokens", format_with_thousands_commas(estimate_tokens(wanted)));
    text.push_str(&outline::member_rows(analysed, symbol, max_chars.checked_sub(text.chars().count())?)?);
    let reference = Reference {
        path: file.path.clone(),
        line_start: span.first,
        line_end: span.last,
        description: span.description.clone(),
    };
    let lines = (span.last.saturating_sub(span.first) + 1) as usize;
    let excerpt = Excerpt::new(&file.path, text, vec![reference], 1, lines.saturating_sub(1));
    Some(Excerpt { is_skeleton: true, ..excerpt })
}

/// An excerpt with the lines `first` to `last` of the file at `path` (from the root), counted from 1, both included, in
/// at most `max_chars` characters. A range that ends after the file's last line is shortened.
///
/// # Errors
/// [`ExcerptError::NoLines`] where the range begins after the file's last line, [`ExcerptError::Code`].
pub fn lines_excerpt(
    access: &CodeAccess,
    path: &str,
    first: u32,
    last: u32,
    max_chars: usize,
) -> Result<Excerpt, ExcerptError> {
    let file = access.read_file_by_root_path(path)?;
    let lines = file.line_count();
    let (first, last) = (first.min(last).max(1), first.max(last).min(lines));
    if first > lines {
        return Err(ExcerptError::NoLines { path: file.path, lines, first });
    }
    let description = if first == last { format!("line {first}") } else { format!("lines {first} to {last}") };
    let span = Span { first, last, description, ..Span::default() };
    Ok(excerpt_with_line_numbers(&file, &span, max_chars))
}

/// An excerpt with a whole file and its line numbers, in at most `max_chars` characters. It serves small files, and
/// files that have no useful outline.
///
/// # Errors
/// [`ExcerptError::Code`].
pub fn whole_file_excerpt(access: &CodeAccess, path: &str, max_chars: usize) -> Result<Excerpt, ExcerptError> {
    let file = access.read_file_by_root_path(path)?;
    let last = file.line_count();
    if last == 0 {
        return Ok(Excerpt::new(
            &file.path,
            truncate_with_ellipsis(&format!("{}: empty\n", file.path), max_chars),
            Vec::new(),
            0,
            0,
        ));
    }
    let description = "the whole file".to_owned();
    let span = Span { first: 1, last, description, ..Span::default() };
    Ok(excerpt_with_line_numbers(&file, &span, max_chars))
}

/// Formats the imports that a symbol's body uses and the headers around the symbol, as rows with line numbers.
fn format_used_imports_and_enclosing_headers(analysed: &AnalysedFile, hit: &NameMatch) -> String {
    let around = SymbolBody::new(analysed, hit).context;
    let imports = around.imports.iter().map(|import| (import.lines.first, import.text.as_str()));
    let headers = around.headers.iter().map(|(line, text)| (*line, text.as_str()));
    let mut out = String::new();
    let (mut chars, mut left) = (0, 0);
    for (line, text) in imports.chain(headers) {
        let row = format!("  {line}: {}\n", truncate_with_ellipsis(text, 160));
        chars += row.chars().count();
        if chars > MOST_CONTEXT {
            left += 1;
        } else {
            out.push_str(&row);
        }
    }
    if left > 0 {
        let _ = writeln!(out, "  (and {left} more)");
    }
    out
}

/// A line range of a file for an excerpt, with the imports and headers that the excerpt shows above the range.
#[derive(Default)]
struct Span {
    first: u32,
    last: u32,
    /// The text that follows the path and line numbers in the first line of the excerpt.
    head: String,
    /// The rows of imports and headers, which are not part of the line range.
    context: String,
    description: String,
    /// The line ranges of the bodies of members, which are folded where the lines do not fit.
    member_bodies: Vec<(u32, u32)>,
}

/// An excerpt with the lines of a line range, each with its line number: as many lines as fit `max_chars` characters.
fn excerpt_with_line_numbers(file: &peelback_code::SourceFile, span: &Span, max_chars: usize) -> Excerpt {
    let Span { first, last, head, context, description, member_bodies } = span;
    let wanted = file.text_of_lines(*first, *last);
    let mut text = format_path_and_lines(&file.path, *first, *last);
    if !head.is_empty() {
        let _ = write!(text, " {head}");
    }
    let _ = writeln!(text, "  ~{} tokens", format_with_thousands_commas(estimate_tokens(wanted)));
    let full: usize = wanted.lines().zip(*first..).map(|(line, number)| count_numbered_row_chars(line, number)).sum();
    let mut room = max_chars.saturating_sub(text.chars().count());
    let context_chars = if context.is_empty() { 0 } else { context.chars().count() + CONTEXT_HEAD.len() };
    // The imports and headers are dropped before any line of the body is.
    if context_chars > 0 && (context_chars + full <= room || context_chars * 3 <= room) {
        text.push_str(CONTEXT_HEAD);
        text.push_str(context);
        room -= context_chars;
    }
    // Documentation is folded to its first line before code is cut.
    let documentation = docstring_and_leading_comment_ranges(wanted, *first, false);
    let mut folds = if full > room { documentation.clone() } else { Vec::new() };
    let fold_row = |fold: &(u32, u32)| format!("{}-{}: …\n", fold.0, fold.1);
    let chars_with_folds = |folds: &[(u32, u32)]| {
        let is_kept = |number: u32| !folds.iter().any(|(from, to)| (*from..=*to).contains(&number));
        let kept = wanted.lines().zip(*first..).filter(|(_, number)| is_kept(*number));
        let kept: usize = kept.map(|(line, number)| count_numbered_row_chars(line, number)).sum();
        kept + folds.iter().map(|fold| fold_row(fold).chars().count()).sum::<usize>()
    };
    let mut folded = chars_with_folds(&folds);
    let mut is_skeleton = false;
    if folded > room && !member_bodies.is_empty() {
        let is_in_body = |fold: &(u32, u32)| member_bodies.iter().any(|(from, to)| *from <= fold.1 && fold.0 <= *to);
        folds =
            documentation.into_iter().filter(|fold| !is_in_body(fold)).chain(member_bodies.iter().copied()).collect();
        folded = chars_with_folds(&folds);
        is_skeleton = folded <= room;
    }
    let fold_of = |number: u32| folds.iter().find(|(from, to)| (*from..=*to).contains(&number));
    let is_cut = folded > room;
    let mut room = if is_cut { room.saturating_sub(CUT_NOTE) } else { room };
    let (mut shown, mut last_shown) = (0_u32, *first);
    for (line, number) in wanted.lines().zip(*first..) {
        if let Some(fold) = fold_of(number) {
            let row = fold_row(fold);
            if number == fold.0 {
                if row.chars().count() > room {
                    break;
                }
                room -= row.chars().count();
                text.push_str(&row);
            }
            continue;
        }
        let chars = count_numbered_row_chars(line, number);
        if chars <= room {
            let _ = writeln!(text, "{number}: {line}");
            room -= chars;
        } else {
            // If not even the range's first line fits, the excerpt shows the beginning of that line.
            let digits = number.to_string().len() + 3;
            if shown == 0 && room > digits + 20 {
                let _ = writeln!(text, "{number}: {}", truncate_with_ellipsis(line, room - digits));
                (shown, last_shown) = (1, number);
            }
            break;
        }
        shown += 1;
        last_shown = number;
    }
    let total = last.saturating_sub(*first) + 1;
    let left = total.saturating_sub(shown);
    if is_cut {
        let note = match left {
            0 => "(the line is cut: it is too long)".to_owned(),
            _ if shown == 0 => format!("(none of the {total} lines fit)"),
            _ if last_shown < *last => format!("(cut: lines {}-{last} are not shown)", last_shown + 1),
            _ => String::new(),
        };
        if !note.is_empty() {
            let _ = writeln!(text, "{note}");
        }
    }
    let reference = Reference {
        path: file.path.clone(),
        line_start: *first,
        line_end: last_shown,
        description: description.clone(),
    };
    let references = if shown > 0 { vec![reference] } else { Vec::new() };
    let text = truncate_at_line_break(text, max_chars);
    Excerpt { is_skeleton, ..Excerpt::new(&file.path, text, references, shown as usize, left as usize) }
}

const CONTEXT_HEAD: &str = "context, not part of the body:\n";

/// The number of characters in the excerpt row of a file line, such as `12: text`, with the line break.
fn count_numbered_row_chars(line: &str, number: u32) -> usize {
    line.chars().count() + number.to_string().len() + 3
}

/// The text cut at a line break to at most `max_chars` characters; if the first line is longer, that line is cut.
fn truncate_at_line_break(text: String, max_chars: usize) -> String {
    if text.chars().count() <= max_chars {
        return text;
    }
    let mut out = String::new();
    let mut room = max_chars;
    for line in text.split_inclusive('\n') {
        let chars = line.chars().count();
        if chars > room {
            if out.is_empty() {
                out = line.chars().take(room).collect();
            }
            break;
        }
        out.push_str(line);
        room -= chars;
    }
    out
}
