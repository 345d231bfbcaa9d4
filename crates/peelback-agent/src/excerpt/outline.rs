//! Outlines of files within a character limit.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use peelback_code::syntax::{Lines, Symbol, walk_symbols_with_depth};
use peelback_code::{AnalysedFile, CodeAccess};
use peelback_tokens::LineCosts;

use super::{Excerpt, ExcerptError, truncate_at_line_break};
use crate::citations::Reference;
use crate::markdown::{format_count_with_unit, format_with_thousands_commas, one_line, truncate_with_ellipsis};

/// The maximum numbers of characters of a signature in an outline: if there is much room, and if there is less.
const SIGNATURE: [usize; 2] = [140, 72];

/// The maximum number of characters of the line that lists a file's imports.
const IMPORTS: usize = 200;

/// The maximum number of characters of the first line of a symbol's documentation.
const DOC: usize = 80;

/// The outline of the file at `path` (from the root) in at most `max_chars` characters: its symbols without bodies,
/// each with its line numbers and, if there is room, its signature and token count. An outline that is too long is
/// reduced step by step to short signatures, names, names on one line, and counts.
///
/// # Errors
/// [`ExcerptError::Code`].
pub fn file_outline_excerpt(access: &CodeAccess, path: &str, max_chars: usize) -> Result<Excerpt, ExcerptError> {
    file_outline_excerpt_with_focus(access, path, max_chars, &[])
}

/// An outline as of [`file_outline_excerpt`] that is reduced differently: the symbols around the lines `about`, which
/// are relevant for a question, keep their signatures longest.
///
/// # Errors
/// [`ExcerptError::Code`].
pub fn file_outline_excerpt_with_focus(
    access: &CodeAccess,
    path: &str,
    max_chars: usize,
    about: &[Lines],
) -> Result<Excerpt, ExcerptError> {
    let analysed = access.analyse_file_by_root_path(path)?;
    let costs = LineCosts::new(&analysed.file.text);
    let shape = FileOutline { analysed: &analysed, costs: &costs, about };
    let head = shape.header_line();
    for step in Step::ALL {
        let (body, named) = shape.rows_and_named_symbols_at_detail(step, usize::MAX);
        if head.chars().count() + body.chars().count() <= max_chars {
            return Ok(shape.excerpt_of_text_and_named_symbols(head + &body, named, max_chars));
        }
    }
    // The rows of the shortest form, as many as fit, followed by the number of omitted symbols.
    let room = max_chars.saturating_sub(head.chars().count());
    let (body, named) = shape.rows_and_named_symbols_at_detail(Step::Top, room);
    Ok(shape.excerpt_of_text_and_named_symbols(head + &body, named, max_chars))
}

/// The level of detail of an outline, from the most detailed to the shortest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    /// Each symbol with its signature, its token count and the first line of its documentation.
    Docs,
    /// Each symbol with its signature and its token count.
    Signatures,
    /// Each symbol with a shortened signature.
    Short,
    /// One line for each top-level symbol with the names of its members.
    Names,
    /// One line as for `Names`, without fields, constants and variables.
    Callables,
    /// One line for each top-level symbol with the number of its members.
    Top,
}

impl Step {
    const ALL: [Self; 6] = [Self::Docs, Self::Signatures, Self::Short, Self::Names, Self::Callables, Self::Top];
}

struct FileOutline<'a> {
    analysed: &'a AnalysedFile,
    costs: &'a LineCosts,
    about: &'a [Lines],
}

impl FileOutline<'_> {
    fn non_local_symbols(&self) -> impl Iterator<Item = (&Symbol, usize)> {
        walk_symbols_with_depth(&self.analysed.facts.symbols).filter(|(symbol, _)| !symbol.local)
    }

    fn header_line(&self) -> String {
        let file = &self.analysed.file;
        let language = self.analysed.language.map_or("no known language", |language| language.name);
        let mut head = format!(
            "{}: {language}, {}, ~{} tokens whole",
            file.path,
            format_count_with_unit(file.line_count() as usize, "line", "lines"),
            format_with_thousands_commas(self.costs.estimated_total_tokens())
        );
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        for (symbol, _) in self.non_local_symbols() {
            *kinds.entry(symbol.kind.as_str()).or_default() += 1;
        }
        if !kinds.is_empty() {
            let mut kinds: Vec<(&str, usize)> = kinds.into_iter().collect();
            kinds.sort_by_key(|(kind, count)| (std::cmp::Reverse(*count), *kind));
            let kinds: Vec<String> = kinds.into_iter().map(|(kind, count)| format!("{kind} {count}")).collect();
            let _ = write!(head, "; {}", kinds.join(", "));
        }
        if let Some(gap) = self.analysed.evidence.skipped.first() {
            let _ = write!(head, "; {}", gap.reason);
        }
        head.push('\n');
        head
    }

    fn imports_line(&self) -> String {
        let mut sources: Vec<&str> = Vec::new();
        for import in &self.analysed.facts.imports {
            if !sources.contains(&import.source.as_str()) {
                sources.push(&import.source);
            }
        }
        if sources.is_empty() {
            return String::new();
        }
        format!("imports: {}\n", truncate_with_ellipsis(&one_line(&sources.join("; ")), IMPORTS))
    }

    fn is_symbol_around_relevant_lines(&self, symbol: &Symbol) -> bool {
        self.about.iter().any(|lines| symbol.outer_line <= lines.first && lines.last <= symbol.lines.last)
    }

    /// The innermost symbols around the lines that are relevant for the question.
    fn innermost_symbols_around_relevant_lines(&self) -> Vec<&Symbol> {
        let all: Vec<&Symbol> = self
            .non_local_symbols()
            .map(|(symbol, _)| symbol)
            .filter(|symbol| self.is_symbol_around_relevant_lines(symbol))
            .collect();
        let is_inner = |symbol: &&&Symbol| {
            !all.iter().any(|other| {
                other.bytes != symbol.bytes
                    && symbol.bytes.start <= other.bytes.start
                    && other.bytes.end <= symbol.bytes.end
            })
        };
        all.iter().filter(is_inner).copied().collect()
    }

    fn symbol_row(&self, symbol: &Symbol, depth: usize, most: usize, with_doc: bool) -> String {
        let Lines { first, last } = symbol.lines;
        let mut row = "  ".repeat(depth);
        let _ = write!(row, "{} ", format_line_range(first, last));
        if symbol.signature.is_empty() {
            let _ = write!(row, "{} {}", symbol.kind.as_str(), truncate_with_ellipsis(&one_line(&symbol.name), most));
        } else {
            row.push_str(&truncate_with_ellipsis(&one_line(&symbol.signature), most));
        }
        if !symbol.kind.is_field_property_or_enum_member() && last > first {
            let _ = write!(row, "  ~{}", self.costs.estimated_tokens_in_lines(symbol.outer_line, last));
        }
        if let Some(doc) = symbol.docstring.as_ref().filter(|_| with_doc) {
            let _ = write!(row, "  # {}", truncate_with_ellipsis(&one_line(doc), DOC));
        }
        row.push('\n');
        row
    }

    /// The rows of the outline at one level of detail, in at most `room` characters, and the symbols that the rows
    /// name.
    fn rows_and_named_symbols_at_detail(&self, step: Step, room: usize) -> (String, Vec<&Symbol>) {
        let mut out = String::new();
        let mut named: Vec<&Symbol> = Vec::new();
        if step <= Step::Short {
            out.push_str(&self.imports_line());
            for (symbol, depth) in self.non_local_symbols() {
                let most = if step == Step::Short { SIGNATURE[1] } else { SIGNATURE[0] };
                out.push_str(&self.symbol_row(symbol, depth, most, step == Step::Docs));
                named.push(symbol);
            }
            return (out, named);
        }
        let mut left = room;
        let total = self.non_local_symbols().count();
        let mut push = |row: &str, out: &mut String| {
            let chars = row.chars().count();
            let fits = chars <= left;
            if fits {
                left -= chars;
                out.push_str(row);
            }
            fits
        };
        // Reserves room for the remark on omitted symbols.
        if room < usize::MAX {
            let _ = push(&" ".repeat(room.min(60)), &mut String::new());
        }
        let inner = self.innermost_symbols_around_relevant_lines();
        for symbol in &inner {
            if push(&self.symbol_row(symbol, 0, SIGNATURE[1], false), &mut out) {
                named.push(symbol);
            }
        }
        for symbol in self.analysed.facts.symbols.iter().filter(|symbol| !symbol.local) {
            if inner.iter().any(|other| other.bytes == symbol.bytes) {
                continue;
            }
            let is_value = |symbol: &Symbol| !is_container_or_callable(symbol);
            if step >= Step::Callables
                && is_value(symbol)
                && symbol.children.is_empty()
                && self.has_containers_or_callables()
            {
                continue;
            }
            let below: Vec<&Symbol> = walk_symbols_with_depth(&symbol.children)
                .map(|(child, _)| child)
                .filter(|child| !child.local)
                .filter(|child| step < Step::Callables || !is_value(child))
                .collect();
            let mut row = format!(
                "{} {}",
                format_line_range(symbol.lines.first, symbol.lines.last),
                truncate_with_ellipsis(&one_line(&symbol.name), 80)
            );
            if step < Step::Top && !below.is_empty() {
                let names: Vec<String> = below
                    .iter()
                    .map(|child| {
                        format!("{} {}", truncate_with_ellipsis(&one_line(&child.name), 60), child.lines.first)
                    })
                    .collect();
                let _ = write!(row, ": {}", names.join(", "));
            } else if !below.is_empty() {
                let _ = write!(row, " ({} inside)", below.len());
            }
            row.push('\n');
            if !push(&row, &mut out) {
                continue;
            }
            named.push(symbol);
            if step < Step::Top {
                named.extend(below);
            }
        }
        let mut seen: Vec<_> = named.iter().map(|symbol| (symbol.bytes.start, symbol.bytes.end)).collect();
        seen.sort_unstable();
        seen.dedup();
        let missing = total.saturating_sub(seen.len());
        if missing > 0 {
            let _ = writeln!(out, "({} not named here)", format_count_with_unit(missing, "symbol is", "symbols are"));
        }
        (out, named)
    }

    fn has_containers_or_callables(&self) -> bool {
        self.non_local_symbols().any(|(symbol, _)| is_container_or_callable(symbol))
    }

    fn excerpt_of_text_and_named_symbols(&self, text: String, mut named: Vec<&Symbol>, max_chars: usize) -> Excerpt {
        let path = &self.analysed.file.path;
        let total = self.non_local_symbols().count();
        named.sort_by_key(|symbol| (symbol.bytes.start, std::cmp::Reverse(symbol.bytes.end)));
        named.dedup_by_key(|symbol| symbol.bytes.clone());
        let references = named
            .iter()
            .map(|symbol| Reference {
                path: path.clone(),
                line_start: symbol.lines.first,
                line_end: symbol.lines.last,
                description: format!("{} {}", symbol.kind.as_str(), symbol.qualified_name),
            })
            .collect();
        let shown = named.len().min(total);
        Excerpt::new(path, truncate_at_line_break(text, max_chars), references, shown, total - shown)
    }
}

/// Whether a symbol contains other symbols or is callable; other symbols are values.
fn is_container_or_callable(symbol: &Symbol) -> bool {
    use peelback_code::syntax::SymbolKind as Kind;
    !symbol.kind.is_field_property_or_enum_member()
        && !matches!(symbol.kind, Kind::Constant | Kind::Variable | Kind::Key)
}

fn format_line_range(first: u32, last: u32) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}
