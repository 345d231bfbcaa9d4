//! Finds symbols by the names that people and agents write for them.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::sync::Arc;

use peelback_syntax::stack::run_with_stack_for_bounded_recursion;
use peelback_syntax::{Symbol, SymbolKind, walk_symbols_with_depth};

use peelback_project::{CodeError, compile_glob};

/// A symbol's name as a caller writes it: simple, qualified, or a suffix of the qualified name, with `.`, `::`, `#` or
/// `/` as separator. A trailing `@LINE` selects among symbols with the same qualified name; `@LINE:PLACE` selects among
/// those that begin on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolNameQuery {
    /// The name as the caller wrote it, `@LINE` included, with dots as separators. A symbol's own name may end in `@`
    /// and digits.
    whole: String,
    name: String,
    dotted: String,
    /// The dotted name without the `prototype` before its last part, as members of JavaScript's constructors are named:
    /// `Node.append` of `Node.prototype.append`.
    without_prototype: Option<String>,
    line: Option<u32>,
    /// The position, from 1, among the symbols with one qualified name that begin on the line.
    entry: Option<u32>,
    /// Whether only a symbol with this whole qualified name matches.
    exact: bool,
}

impl SymbolNameQuery {
    /// Parses a symbol's name as a caller wrote it.
    pub fn new(name: &str) -> Self {
        let name = name.trim();
        let whole = with_dot_separators(name).into_owned();
        let (name, line, entry) = match name.rsplit_once('@') {
            Some((before, at)) if !before.is_empty() => match parse_line_and_ordinal(at) {
                Some((line, entry)) => (before, Some(line), entry),
                None => (name, None, None),
            },
            _ => (name, None, None),
        };
        let dotted = with_dot_separators(name).into_owned();
        let without_prototype = dotted.rsplit_once('.').and_then(|(holder, member)| {
            let owner = holder.strip_suffix(".prototype").filter(|owner| !owner.is_empty() && !member.is_empty())?;
            Some(format!("{owner}.{member}"))
        });
        Self { whole, name: name.to_owned(), dotted, without_prototype, line, entry, exact: false }
    }

    /// Requires the whole qualified name to match, as for a name taken from a symbol id.
    #[must_use]
    pub fn requiring_exact_qualified_name(mut self) -> Self {
        self.exact = true;
        self
    }

    /// The last part of the name. The text of a file that defines the symbol contains it.
    pub fn last_part(&self) -> &str {
        let end = self.name.trim_end_matches(['.', ':', '#', '/']);
        // An operator may consist of separators: `::`, or `List.::`.
        let separators = self.name.get(end.len()..).unwrap_or("");
        let operator = if end.is_empty() { separators } else { separators.strip_prefix('.').unwrap_or("") };
        if !operator.is_empty() {
            return operator;
        }
        end.rsplit(['.', ':', '#', '/']).next().filter(|part| !part.is_empty()).unwrap_or(end)
    }

    /// The names of the owner and of its member, if the name is a path and has no `@LINE`: `Editor` and `apply` of
    /// `Editor.apply`. Where the whole name is required, that of the owner is, too.
    pub fn owner_and_member(&self) -> Option<(Self, &str)> {
        if self.line.is_some() {
            return None;
        }
        let (owner, _) =
            self.dotted.rsplit_once('.').filter(|(owner, member)| !owner.is_empty() && !member.is_empty())?;
        Some((Self { exact: self.exact, ..Self::new(owner) }, self.last_part()))
    }

    /// The name with dots as separators; `None` where it has a line, or where the whole qualified name is required.
    pub(crate) fn dotted_name_without_line(&self) -> Option<&str> {
        (self.line.is_none() && !self.exact).then_some(self.dotted.as_str())
    }

    /// The text that a source file contains if it defines the symbol: the last part of the name, or the longest run of
    /// letters, digits and `_` in that part.
    pub fn file_search_needle(&self) -> Needle<'_> {
        let last = self.last_part();
        match longest_word(last) {
            word if word == last => Needle::Word(word),
            // The name of an operator.
            "" => Needle::Part(last),
            run => Needle::Part(run),
        }
    }

    /// Whether the symbol may be one that [`find_matching_symbols`] finds; `false` is certain.
    pub fn can_match_symbol(&self, symbol: &Symbol) -> bool {
        self.closeness_to_symbol(symbol).is_some()
    }

    fn closeness_to_symbol(&self, symbol: &Symbol) -> Option<Closeness> {
        let own = with_dot_separators(&symbol.qualified_name);
        if self.line.is_some() && (own == self.whole || with_dot_separators(&symbol.name) == self.whole) {
            return Some(Closeness::Qualified);
        }
        if self.line.is_some_and(|line| !(symbol.outer_line..=symbol.lines.first).contains(&line)) {
            return None;
        }
        if self.entry.is_some() && (self.entry != symbol.ordinal_on_line || self.line != Some(symbol.lines.first)) {
            return None;
        }
        if own == self.dotted {
            Some(Closeness::Qualified)
        } else if self.without_prototype.as_ref().is_some_and(|name| *name == own) {
            // A symbol that has `prototype` in its own name is closer.
            Some(Closeness::Name)
        } else if self.exact {
            None
        } else if symbol.name == self.name {
            Some(Closeness::Name)
        } else if own.strip_suffix(&self.dotted).is_some_and(|owner| owner.ends_with('.'))
            && (symbol.kind != SymbolKind::Section || self.dotted.len() >= symbol.name.len())
        {
            // The title of a section is one name, whatever dots it has.
            Some(Closeness::Suffix)
        } else {
            None
        }
    }
}

/// The text that a file must contain if it defines a symbol, with the way to search for this text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needle<'a> {
    /// The text as a whole word.
    Word(&'a str),
    /// The text at any position, also inside a word.
    Part(&'a str),
    /// The text at any position, ignoring case.
    AnyCase(&'a str),
}

impl<'a> Needle<'a> {
    /// The text to search for in a file.
    pub fn text(self) -> &'a str {
        let (Self::Word(text) | Self::Part(text) | Self::AnyCase(text)) = self;
        text
    }
}

fn longest_word(text: &str) -> &str {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).max_by_key(|word| word.len()).unwrap_or("")
}

/// Parses what follows `@` in a symbol's name: the line in `12`, or the line and the position among the symbols that
/// begin on it in `12:2`.
fn parse_line_and_ordinal(at: &str) -> Option<(u32, Option<u32>)> {
    match at.split_once(':') {
        Some((line, entry)) => Some((line.parse().ok()?, Some(entry.parse().ok()?))),
        None => Some((at.parse().ok()?, None)),
    }
}

fn with_dot_separators(name: &str) -> Cow<'_, str> {
    // Fast path: this runs for every name of a file, and most names have no other separator than the dot.
    if !name.bytes().any(|byte| matches!(byte, b':' | b'#' | b'/')) {
        return Cow::Borrowed(name);
    }
    Cow::Owned(name.replace("::", ".").replace(['#', '/'], "."))
}

/// How closely a symbol matches a name; the best match sorts first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Closeness {
    /// The whole qualified name is equal.
    Qualified,
    /// The simple name is equal.
    Name,
    /// The qualified name ends in the name.
    Suffix,
}

/// A symbol that matches a name, with its enclosing symbols.
#[derive(Debug, Clone)]
pub struct NameMatch {
    /// The matching symbol, without its children.
    pub symbol: Symbol,
    /// The symbols that enclose the match, outermost first, without their children. Matches in one symbol share it: nested
    /// symbols of one name may be many.
    pub owners: Vec<Arc<Symbol>>,
    /// How closely the symbol matches the name.
    pub closeness: Closeness,
}

/// The symbols of a file that match `name`, in file order. If the whole qualified name of any symbol is equal, symbols
/// that match only by suffix are left out.
pub fn find_matching_symbols(symbols: &[Symbol], name: &SymbolNameQuery) -> Vec<NameMatch> {
    let mut found = Vec::new();
    let mut path: Vec<(&Symbol, OnceCell<Arc<Symbol>>)> = Vec::new();
    for (symbol, depth) in walk_symbols_with_depth(symbols) {
        path.truncate(depth);
        if let Some(closeness) = name.closeness_to_symbol(symbol) {
            let owner = |(owner, shared): &(&Symbol, OnceCell<Arc<Symbol>>)| {
                shared.get_or_init(|| Arc::new(owner.without_children())).clone()
            };
            let owners = path.iter().map(owner).collect();
            found.push(NameMatch { symbol: symbol.without_children(), owners, closeness });
        }
        path.push((symbol, OnceCell::new()));
    }
    if found.iter().any(|hit| hit.closeness == Closeness::Qualified) && name.dotted.contains('.') {
        found.retain(|hit| hit.closeness == Closeness::Qualified);
    }
    // `Type::name` is a path, and a path cannot name a field; fields are dropped where a method has the name.
    if name.line.is_none() && name.name.contains("::") {
        let is_method = |hit: &NameMatch| matches!(hit.symbol.kind, SymbolKind::Function | SymbolKind::Method);
        if found.iter().any(is_method) {
            found.retain(|hit| hit.symbol.kind != SymbolKind::Field);
        }
    }
    // A line above a definition, among its comments, selects the definition only if no other definition begins on that
    // line.
    if found.len() > 1 && found.iter().any(|hit| name.line == Some(hit.symbol.lines.first)) {
        found.retain(|hit| name.line == Some(hit.symbol.lines.first));
    }
    // A symbol id contains the separators of the qualified name as the file writes them.
    if name.exact && found.len() > 1 && found.iter().any(|hit| hit.symbol.qualified_name == name.name) {
        found.retain(|hit| hit.symbol.qualified_name == name.name);
    }
    found
}

/// A pattern that symbol names are matched against.
#[derive(Debug, Clone)]
pub enum NamePattern {
    /// A symbol's simple name, or the end of its qualified name.
    Exact(SymbolNameQuery),
    /// A part of the simple name, or of the qualified name if the pattern contains a separator. The match is
    /// case-sensitive only if the pattern has capital letters.
    Substring {
        /// The text to find, with dots as separators.
        text: String,
        /// Whether the match is case-sensitive.
        case: bool,
    },
    /// A glob that matches the whole name.
    Glob {
        /// The compiled glob.
        matcher: globset::GlobSet,
        /// The longest literal text that every matching name contains.
        literal: String,
    },
    /// A regular expression that is searched in the name.
    Regex(regex::Regex),
}

impl NamePattern {
    /// Creates a pattern for names that contain `text`. The match is case-sensitive only if `text` has capital letters.
    pub fn matching_substring(text: &str) -> Self {
        let case = text.chars().any(char::is_uppercase);
        Self::Substring {
            text: if case { with_dot_separators(text).into_owned() } else { with_dot_separators(text).to_lowercase() },
            case,
        }
    }

    /// Creates a pattern for names that a glob matches.
    ///
    /// # Errors
    /// [`CodeError::BadPattern`] if the pattern is invalid.
    pub fn matching_glob(glob: &str) -> Result<Self, CodeError> {
        compile_glob(&with_dot_separators(glob), false)
            .map(|matcher| Self::Glob { matcher, literal: longest_literal_in_glob(glob) })
            .map_err(|reason| CodeError::BadPattern { what: "glob", pattern: glob.to_owned(), reason })
    }

    /// Creates a pattern for names in which a regular expression finds a match.
    ///
    /// # Errors
    /// [`CodeError::BadPattern`] if the pattern is invalid.
    pub fn matching_regex(pattern: &str) -> Result<Self, CodeError> {
        // The compiler recurses to the limit on nested groups.
        run_with_stack_for_bounded_recursion(|| regex::Regex::new(pattern)).map(Self::Regex).map_err(|error| {
            CodeError::BadPattern { what: "regex", pattern: pattern.to_owned(), reason: error.to_string() }
        })
    }

    /// How well a symbol matches the pattern: 0 is best, `None` is no match.
    pub fn match_rank(&self, symbol: &Symbol) -> Option<u8> {
        match self {
            Self::Exact(name) => name.closeness_to_symbol(symbol).map(|closeness| closeness as u8),
            Self::Substring { text, case } => {
                let qualified = text.contains('.');
                let own = if qualified {
                    with_dot_separators(&symbol.qualified_name)
                } else {
                    Cow::Borrowed(symbol.name.as_str())
                };
                // Nearly all names are ASCII, and no copy of them is made: this runs for each symbol of a project.
                let at = if *case {
                    own.find(text.as_str())
                } else if own.is_ascii() {
                    position_ignoring_ascii_case(&own, text)
                } else {
                    let own = own.to_lowercase();
                    return rank_of_match(own.find(text.as_str())?, own.len(), text.len());
                };
                rank_of_match(at?, own.len(), text.len())
            }
            Self::Glob { matcher, .. } => (matcher.is_match(&symbol.name)
                || matcher.is_match(&*with_dot_separators(&symbol.qualified_name)))
            .then_some(0),
            Self::Regex(regex) => (regex.is_match(&symbol.name)).then_some(0),
        }
    }

    /// The text that a file must contain if it defines a symbol that matches the pattern; `None` if the pattern
    /// requires no text.
    pub fn file_search_needle(&self) -> Option<Needle<'_>> {
        match self {
            Self::Exact(name) => Some(name.file_search_needle()),
            Self::Substring { text, case } => {
                let last = text.rsplit('.').next().filter(|last| !last.is_empty()).unwrap_or(text);
                let run = longest_word(last);
                Some(if *case { Needle::Part(run) } else { Needle::AnyCase(run) })
            }
            Self::Glob { literal, .. } if literal.is_empty() => None,
            Self::Glob { literal, .. } => Some(Needle::Part(literal)),
            Self::Regex(_) => None,
        }
    }
}

/// How well a part of a name matches that begins at `at`: 0 for the whole name, 1 for its beginning.
fn rank_of_match(at: usize, name_len: usize, part_len: usize) -> Option<u8> {
    Some(match at {
        0 if name_len == part_len => 0,
        0 => 1,
        _ => 2,
    })
}

/// Where a text that is written in small letters stands in an ASCII name, in letters of either case.
fn position_ignoring_ascii_case(name: &str, text: &str) -> Option<usize> {
    if text.is_empty() {
        return Some(0);
    }
    name.as_bytes().windows(text.len()).position(|part| part.eq_ignore_ascii_case(text.as_bytes()))
}

/// The longest literal run of a glob: text that every matching name contains unchanged.
fn longest_literal_in_glob(glob: &str) -> String {
    let braces = glob.contains(['{', '[', '\\']);
    let runs = glob.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    // Text inside braces or brackets is only one of several alternatives, so no matching name has to contain it.
    if braces { String::new() } else { runs.max_by_key(|run| run.len()).unwrap_or("").to_owned() }
}

#[cfg(test)]
mod tests {
    use peelback_syntax::{Limits, analyse_source, language};

    use super::*;

    fn symbols(name: &str, source: &str) -> Vec<Symbol> {
        analyse_source(language::language_by_exact_name(name).expect("a language"), source, &Limits::default()).symbols
    }

    fn lines(symbols: &[Symbol], name: &SymbolNameQuery) -> Vec<(u32, usize)> {
        find_matching_symbols(symbols, name)
            .iter()
            .map(|hit| (hit.symbol.lines.first, hit.symbol.bytes.start))
            .collect()
    }

    #[test]
    fn a_path_leads_to_a_method() {
        let symbols = symbols("rust", "struct A { b: u8, c: u8 }\nimpl A {\n    fn b(&self) {}\n}\n");
        let lines = |name: &str| -> Vec<u32> {
            find_matching_symbols(&symbols, &SymbolNameQuery::new(name))
                .iter()
                .map(|hit| hit.symbol.lines.first)
                .collect()
        };
        assert_eq!((lines("A::b"), lines("A.b"), lines("A::c")), (vec![3], vec![1, 3], vec![1]));
    }

    #[test]
    fn every_address_means_one_symbol() {
        for (language, source) in [
            ("javascript", "var a = 1; var a = 2;\nvar a = 3;\nclass C { m() {} m() {} }\n"),
            ("c", "int f(int); int f(int);\nint g, g;\n"),
            ("python", "def f(): pass\n@d\n@e\ndef f(): pass\nclass C: x = 1\nclass C: x = 2\n"),
            ("markdown", "# a/b\n# a.b\n# a/b\n"),
        ] {
            let symbols = symbols(language, source);
            let mut seen = std::collections::HashSet::new();
            for (symbol, _) in walk_symbols_with_depth(&symbols) {
                let address = symbol.unique_address_in_file();
                assert!(seen.insert(address.clone()), "{language}: {address} twice");
                let found =
                    find_matching_symbols(&symbols, &SymbolNameQuery::new(&address).requiring_exact_qualified_name());
                let found: Vec<&Symbol> = found.iter().map(|hit| &hit.symbol).collect();
                assert_eq!(found, [&symbol.without_children()], "{language}: {address}");
            }
        }
    }

    #[test]
    fn names_are_compared_in_either_case() {
        let symbols =
            symbols("python", "def Größe(): pass\ndef loadCart(): pass\ndef cart(): pass\ndef cartLoad(): pass\n");
        let ranks = |text: &str| -> Vec<Option<u8>> {
            symbols.iter().map(|symbol| NamePattern::matching_substring(text).match_rank(symbol)).collect()
        };
        assert_eq!(ranks("cart"), [None, Some(2), Some(0), Some(1)]);
        assert_eq!(ranks("Cart"), [None, Some(2), None, None]);
        assert_eq!((ranks("größe")[0], ranks("rößE")[0], ranks("öß")[0]), (Some(0), None, Some(2)));
        assert_eq!(ranks(""), [Some(1); 4]);
    }

    #[test]
    fn a_title_is_one_name() {
        let symbols = symbols("markdown", "# Shop\n## The shop.Cart\n### Install\n");
        let found = |name: &str| lines(&symbols, &SymbolNameQuery::new(name)).len();
        assert_eq!((found("Cart"), found("The shop.Cart"), found("Shop/The shop.Cart")), (0, 1, 1));
        assert_eq!((found("Install"), found("The shop.Cart/Install")), (1, 1));
    }

    #[test]
    fn operators_have_names() {
        for (name, last) in [("::", "::"), ("Seq.::", "::"), ("Seq.++", "++"), ("/", "/"), ("Editor::", "Editor")] {
            assert_eq!(SymbolNameQuery::new(name).last_part(), last, "{name}");
        }
        assert_eq!(SymbolNameQuery::new("++").file_search_needle().text(), "++");
        let symbols =
            symbols("scala", "class Seq {\n  def ++(other: Seq): Seq = this\n  def ::(item: Int): Seq = this\n}\n");
        let found =
            |name: &str| lines(&symbols, &SymbolNameQuery::new(name)).iter().map(|(line, _)| *line).collect::<Vec<_>>();
        assert_eq!((found("++"), found("Seq.++"), found("::"), found("Seq.::")), (vec![2], vec![2], vec![3], vec![3]));
    }

    #[test]
    fn a_line_means_all_that_begin_on_it() {
        let symbols = symbols("javascript", "var a = 1; var a = 2;\nvar a = 3;\n");
        let addresses: Vec<String> = symbols.iter().map(Symbol::unique_address_in_file).collect();
        assert_eq!(addresses, ["a@1:1", "a@1:2", "a@2"]);
        assert_eq!(lines(&symbols, &SymbolNameQuery::new("a@1")), [(1, 0), (1, 11)]);
        assert_eq!(lines(&symbols, &SymbolNameQuery::new("a@1:2")), [(1, 11)]);
        assert_eq!(lines(&symbols, &SymbolNameQuery::new("a@2")), [(2, 22)]);
        assert!(find_matching_symbols(&symbols, &SymbolNameQuery::new("a@1:3")).is_empty());
        assert!(find_matching_symbols(&symbols, &SymbolNameQuery::new("a@2:1")).is_empty());
    }

    #[test]
    fn a_decorator_s_line_means_what_it_decorates() {
        let symbols = symbols("python", "def f(): pass\n@d\ndef f(): pass\n");
        assert_eq!(lines(&symbols, &SymbolNameQuery::new("f@2")), [(3, 17)]);
        assert_eq!(lines(&symbols, &SymbolNameQuery::new("f@1")), [(1, 0)]);
    }
}
