//! Outlines of files within a character limit.
//!
//! An outline that is too long loses details in a fixed order, the least valuable first (see [`DetailLevel`]). Names are
//! worth most: an outline counts the symbols that it does not name, by kind.

mod compact;
mod rows;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use peelback_code::syntax::{Lines, Symbol, SymbolKind, Visibility, walk_symbols_with_depth};
use peelback_code::{AnalysedFile, CodeAccess};
use peelback_tokens::LineCosts;

use super::{Excerpt, ExcerptError, truncate_at_line_break};
use crate::citations::Reference;
use crate::markdown::{format_count_with_unit, format_with_thousands_commas, one_line, truncate_with_ellipsis};

/// The maximum number of characters of the line that lists a file's imports.
const IMPORTS: usize = 200;

/// The outline of the file at `path` (from the root) in at most `max_chars` characters: its symbols without bodies,
/// each with its line numbers and as many details as fit. An outline that is too long loses first the values, then
/// fields, decorators, documentation and types, at last the names of parameters.
///
/// # Errors
/// [`ExcerptError::Code`].
pub fn file_outline_excerpt(access: &CodeAccess, path: &str, max_chars: usize) -> Result<Excerpt, ExcerptError> {
    file_outline_excerpt_with_focus(access, path, max_chars, &[])
}

/// An outline as of [`file_outline_excerpt`] in which the symbols around the lines `about`, which are relevant for a
/// question, keep their details longest.
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
    let outline = FileOutline { analysed: &analysed, costs: &costs, about, max_members: usize::MAX };
    for level in DetailLevel::FROM_MOST_DETAILED.into_iter().filter(|level| *level < DetailLevel::TopLevel) {
        let rendered = outline.render(level, usize::MAX);
        if rendered.chars() <= max_chars {
            return Ok(outline.to_excerpt(rendered, max_chars));
        }
    }
    Ok(outline.shortest_excerpt(max_chars))
}

/// The outlines of one file at several levels of detail, the shortest first.
#[derive(Debug, Clone)]
pub(crate) struct OutlineChoices {
    /// The shortest outline that names every function and every method with its parameters. Where this is longer than
    /// the limit: the most detailed outline within the limit.
    pub names: Excerpt,
    /// Outlines with more details, from few to many, each longer than the one before.
    pub detailed: Vec<Excerpt>,
}

/// The outlines of the file at `path` (from the root), each of at most `max_chars` characters, from which a request to a
/// model chooses. `about` as of [`file_outline_excerpt_with_focus`].
///
/// # Errors
/// [`ExcerptError::Code`].
pub(crate) fn file_outline_choices(
    access: &CodeAccess,
    path: &str,
    max_chars: usize,
    about: &[Lines],
) -> Result<OutlineChoices, ExcerptError> {
    let analysed = access.analyse_file_by_root_path(path)?;
    let costs = LineCosts::new(&analysed.file.text);
    let outline = FileOutline { analysed: &analysed, costs: &costs, about, max_members: usize::MAX };
    let at = |level| outline.render(level, usize::MAX);
    let fits = |rendered: &Rendered<'_>| rendered.chars() <= max_chars;
    let names = at(DetailLevel::Parameters);
    if !fits(&names) {
        let short = [DetailLevel::Names, DetailLevel::Public].into_iter().map(at).find(fits);
        let names = match short {
            Some(short) => outline.to_excerpt(short, max_chars),
            None => outline.shortest_excerpt(max_chars),
        };
        return Ok(OutlineChoices { names, detailed: Vec::new() });
    }
    let levels = DetailLevel::FROM_MOST_DETAILED.into_iter().rev().filter(|level| *level < DetailLevel::Parameters);
    let mut longest = names.chars();
    let mut detailed = Vec::new();
    for rendered in levels.map(at).filter(fits) {
        if rendered.chars() > longest {
            longest = rendered.chars();
            detailed.push(outline.to_excerpt(rendered, max_chars));
        }
    }
    Ok(OutlineChoices { names: outline.to_excerpt(names, max_chars), detailed })
}

/// The rows that name the members of a symbol, with the line above them, in at most `max_chars` characters; `None` where
/// they do not fit. Members lose the names of their parameters first, then private ones are left out. What is left out is
/// counted.
pub(super) fn member_rows(analysed: &AnalysedFile, symbol: &Symbol, max_chars: usize) -> Option<String> {
    let costs = LineCosts::new(&analysed.file.text);
    let outline = FileOutline { analysed, costs: &costs, about: &[], max_members: usize::MAX };
    let levels = [DetailLevel::Parameters, DetailLevel::Names, DetailLevel::Public, DetailLevel::TopLevel];
    levels
        .into_iter()
        .map(|level| {
            let (rows, unnamed) = outline.rows_of_container(symbol, level);
            let which = match level {
                _ if unnamed.is_empty() => "its members without their bodies",
                DetailLevel::Public => "its public functions and types, without their bodies",
                DetailLevel::TopLevel => "its declaration, without its members",
                _ => "its functions and types, without their bodies",
            };
            format!("{which}:\n{rows}{unnamed}")
        })
        .find(|rows| rows.chars().count() <= max_chars)
}

/// The level of detail of an outline, from the most detailed to the shortest. Each level lacks one detail of the level
/// before, the least valuable first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum DetailLevel {
    /// Each symbol with its whole signature: with the default values of parameters and the values of constants.
    Values,
    /// Each symbol with its signature without values.
    Fields,
    /// Fields, constants and variables are counted.
    Decorators,
    /// Each symbol with its token count and the first line of its documentation.
    Documentation,
    /// Each symbol with its signature.
    Types,
    /// Rows as of `Parameters`; what is relevant for the question has rows of its own with signatures and documentation.
    RelevantRows,
    /// One row for each container with its members; functions and methods have the names of their parameters. What is
    /// relevant for the question is marked.
    Parameters,
    /// Rows as of `Parameters` without parameters.
    Names,
    /// Rows as of `Names`; private members are counted.
    Public,
    /// One row for each top-level symbol, with the number of its members.
    TopLevel,
}

impl DetailLevel {
    const FROM_MOST_DETAILED: [Self; 10] = [
        Self::Values,
        Self::Fields,
        Self::Decorators,
        Self::Documentation,
        Self::Types,
        Self::RelevantRows,
        Self::Parameters,
        Self::Names,
        Self::Public,
        Self::TopLevel,
    ];
}

/// The text of an outline at one level of detail.
struct Rendered<'a> {
    text: String,
    /// The symbols that the text names, each at least once.
    named: Vec<&'a Symbol>,
}

impl Rendered<'_> {
    fn chars(&self) -> usize {
        self.text.chars().count()
    }
}

struct FileOutline<'a> {
    analysed: &'a AnalysedFile,
    costs: &'a LineCosts,
    about: &'a [Lines],
    /// The maximum number of members that the row of a container names.
    max_members: usize,
}

/// The numbers of members that the row of a container names where not all public members of the file fit, from many to
/// few: a part of the members of each container is worth more than all members of some.
const FEWER_MEMBERS: [usize; 8] = [300, 200, 120, 80, 40, 20, 10, 5];

impl<'a> FileOutline<'a> {
    /// The outline of at most `max_chars` characters where not all public symbols of the file fit.
    fn shortest_excerpt(&self, max_chars: usize) -> Excerpt {
        for max_members in FEWER_MEMBERS {
            let rendered = Self { max_members, ..*self }.render(DetailLevel::Public, usize::MAX);
            if rendered.chars() <= max_chars {
                return self.to_excerpt(rendered, max_chars);
            }
        }
        self.to_excerpt(self.render(DetailLevel::TopLevel, max_chars), max_chars)
    }

    /// The outline at one level of detail. Only at the level [`DetailLevel::TopLevel`] rows are left out so that the text
    /// has at most `max_chars` characters.
    fn render(&self, level: DetailLevel, max_chars: usize) -> Rendered<'a> {
        let head = self.header_line(level);
        let (body, mut named) = if level <= DetailLevel::Types {
            self.symbol_rows(level)
        } else {
            self.compact_rows(level, max_chars.saturating_sub(head.chars().count()))
        };
        named.sort_by_key(|symbol| (symbol.bytes.start, std::cmp::Reverse(symbol.bytes.end)));
        named.dedup_by_key(|symbol| symbol.bytes.clone());
        let text = format!("{head}{}{body}{}", self.imports_line(level), self.unnamed_symbols_line(&named));
        Rendered { text, named }
    }

    fn non_local_symbols(&self) -> impl Iterator<Item = (&'a Symbol, usize)> + use<'a> {
        walk_symbols_with_depth(&self.analysed.facts.symbols).filter(|(symbol, _)| !symbol.local)
    }

    fn header_line(&self, level: DetailLevel) -> String {
        let file = &self.analysed.file;
        let language = self.analysed.language.map_or("no known language", |language| language.name);
        let mut head = format!(
            "{}: {language}, {}, ~{} tokens whole",
            file.path,
            format_count_with_unit(file.line_count() as usize, "line", "lines"),
            format_with_thousands_commas(self.costs.estimated_total_tokens())
        );
        // Where the rows leave symbols out, they end with such counts of those.
        let has_all_symbols = matches!(level, DetailLevel::Values | DetailLevel::Fields | DetailLevel::TopLevel);
        let kinds = counts_by_kind(self.non_local_symbols().map(|(symbol, _)| symbol));
        if has_all_symbols && !kinds.is_empty() {
            let _ = write!(head, "; {kinds}");
        }
        if let Some(gap) = self.analysed.evidence.skipped.first() {
            let _ = write!(head, "; {}", gap.reason);
        }
        head.push('\n');
        head
    }

    fn imports_line(&self, level: DetailLevel) -> String {
        let mut sources: Vec<&str> = Vec::new();
        for import in &self.analysed.facts.imports {
            if !sources.contains(&import.source.as_str()) {
                sources.push(&import.source);
            }
        }
        if sources.is_empty() || level > DetailLevel::Types {
            return String::new();
        }
        format!("imports: {}\n", truncate_with_ellipsis(&one_line(&sources.join("; ")), IMPORTS))
    }

    /// The line that counts by kind the symbols that an outline does not name; empty where it names all.
    fn unnamed_symbols_line(&self, named: &[&Symbol]) -> String {
        let is_named = |symbol: &Symbol| named.binary_search_by_key(&sort_key(symbol), |known| sort_key(known)).is_ok();
        let unnamed = self.non_local_symbols().map(|(symbol, _)| symbol).filter(|symbol| !is_named(symbol));
        line_of_unnamed_symbols(unnamed)
    }

    fn is_symbol_around_relevant_lines(&self, symbol: &Symbol) -> bool {
        self.about.iter().any(|lines| symbol.outer_line <= lines.first && lines.last <= symbol.lines.last)
    }

    /// The innermost symbols around the lines that are relevant for the question.
    fn relevant_symbols(&self) -> Vec<&'a Symbol> {
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

    fn to_excerpt(&self, rendered: Rendered<'_>, max_chars: usize) -> Excerpt {
        let path = &self.analysed.file.path;
        let total = self.non_local_symbols().count();
        let reference = |symbol: &&Symbol| Reference {
            path: path.clone(),
            line_start: symbol.lines.first,
            line_end: symbol.lines.last,
            description: format!("{} {}", symbol.kind.as_str(), symbol.qualified_name),
        };
        let references = rendered.named.iter().map(reference).collect();
        let shown = rendered.named.len().min(total);
        Excerpt::new(path, truncate_at_line_break(rendered.text, max_chars), references, shown, total - shown)
    }
}

fn sort_key(symbol: &Symbol) -> (usize, std::cmp::Reverse<usize>) {
    (symbol.bytes.start, std::cmp::Reverse(symbol.bytes.end))
}

/// The line that counts symbols by kind which are not named; empty where there are none.
fn line_of_unnamed_symbols<'a>(unnamed: impl Iterator<Item = &'a Symbol>) -> String {
    let counts = counts_by_kind(unnamed);
    if counts.is_empty() { String::new() } else { format!("(not named here: {counts})\n") }
}

/// The numbers of symbols by kind, the most frequent kind first: `method 12, class 3`.
fn counts_by_kind<'a>(symbols: impl Iterator<Item = &'a Symbol>) -> String {
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for symbol in symbols {
        *kinds.entry(symbol.kind.as_str()).or_default() += 1;
    }
    let mut kinds: Vec<(&str, usize)> = kinds.into_iter().collect();
    kinds.sort_by_key(|(kind, count)| (std::cmp::Reverse(*count), *kind));
    let kinds: Vec<String> = kinds.into_iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    kinds.join(", ")
}

/// Whether a symbol is a value: it contains no statements and no other symbols. A property with a body is a function.
fn is_value(symbol: &Symbol) -> bool {
    match symbol.kind {
        SymbolKind::Field | SymbolKind::EnumMember | SymbolKind::Constant | SymbolKind::Variable | SymbolKind::Key => {
            symbol.children.iter().all(|child| child.local || is_value(child))
        }
        SymbolKind::Property => symbol.lines.first == symbol.lines.last,
        _ => false,
    }
}

/// Whether a symbol is meant for its own file alone, as far as its visibility and its name tell.
fn is_private(symbol: &Symbol) -> bool {
    symbol.visibility == Visibility::Private || (symbol.name.starts_with('_') && !symbol.name.ends_with("__"))
}

fn format_line_range(first: u32, last: u32) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}
