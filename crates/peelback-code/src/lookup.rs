//! Finding symbols by the names that people and agents give them.

use std::borrow::Cow;

use peelback_syntax::{Symbol, SymbolKind, walk_symbols};

use peelback_project::CodeError;

/// A symbol's name as a call gives it: simple, qualified, a suffix of the qualified name, with `::`, `#` or `/` for
/// the dot, and `@LINE` behind it to tell apart symbols of one qualified name, `@LINE:PLACE` those of one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolName {
    /// As written, which may itself end in `@` and digits.
    whole: String,
    name: String,
    dotted: String,
    line: Option<u32>,
    /// Which of the symbols of one qualified name that begin on that line, from 1.
    entry: Option<u32>,
    /// Only the whole qualified name will do.
    exact: bool,
}

impl SymbolName {
    /// Reads a name.
    pub fn new(name: &str) -> Self {
        let name = name.trim();
        let whole = dotted(name).into_owned();
        let (name, line, entry) = match name.rsplit_once('@') {
            Some((before, at)) if !before.is_empty() => match position(at) {
                Some((line, entry)) => (before, Some(line), entry),
                None => (name, None, None),
            },
            _ => (name, None, None),
        };
        let dotted = dotted(name).into_owned();
        Self { whole, name: name.to_owned(), dotted, line, entry, exact: false }
    }

    /// The name part of an id: only the whole qualified name means the symbol.
    #[must_use]
    pub fn exact(mut self) -> Self {
        self.exact = true;
        self
    }

    /// The last part of the name: a file's text holds it where the file defines the symbol.
    pub fn last_part(&self) -> &str {
        let end = self.name.trim_end_matches(['.', ':', '#', '/']);
        end.rsplit(['.', ':', '#', '/']).next().filter(|part| !part.is_empty()).unwrap_or(end)
    }

    /// Text that a source file holds if it defines the symbol: the last part, or the longest run of it that no
    /// language writes in another way.
    pub fn needle(&self) -> Needle<'_> {
        let last = self.last_part();
        match longest_word(last) {
            word if word == last => Needle::Word(word),
            run => Needle::Part(run),
        }
    }

    fn closeness(&self, symbol: &Symbol) -> Option<Closeness> {
        let own = dotted(&symbol.qualified_name);
        if self.line.is_some() && (own == self.whole || dotted(&symbol.name) == self.whole) {
            return Some(Closeness::Qualified);
        }
        if self.line.is_some_and(|line| !(symbol.outer_line..=symbol.lines.first).contains(&line)) {
            return None;
        }
        if self.entry.is_some() && (self.entry != symbol.place_on_line || self.line != Some(symbol.lines.first)) {
            return None;
        }
        if own == self.dotted {
            Some(Closeness::Qualified)
        } else if self.exact {
            None
        } else if symbol.name == self.name {
            Some(Closeness::Name)
        } else if own.strip_suffix(&self.dotted).is_some_and(|owner| owner.ends_with('.')) {
            Some(Closeness::Suffix)
        } else {
            None
        }
    }
}

/// Text that a file must hold to define a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needle<'a> {
    /// As a whole word.
    Word(&'a str),
    /// Anywhere.
    Part(&'a str),
    /// Anywhere, in any case.
    AnyCase(&'a str),
}

impl<'a> Needle<'a> {
    /// The text.
    pub fn text(self) -> &'a str {
        let (Self::Word(text) | Self::Part(text) | Self::AnyCase(text)) = self;
        text
    }
}

fn longest_word(text: &str) -> &str {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).max_by_key(|word| word.len()).unwrap_or("")
}

/// The line of `12`, and the place of `12:2` beside it.
fn position(at: &str) -> Option<(u32, Option<u32>)> {
    match at.split_once(':') {
        Some((line, entry)) => Some((line.parse().ok()?, Some(entry.parse().ok()?))),
        None => Some((at.parse().ok()?, None)),
    }
}

fn dotted(name: &str) -> Cow<'_, str> {
    // Every name of a file is compared: most have no other separator than the dot.
    if !name.bytes().any(|byte| matches!(byte, b':' | b'#' | b'/')) {
        return Cow::Borrowed(name);
    }
    Cow::Owned(name.replace("::", ".").replace(['#', '/'], "."))
}

/// How well a symbol fits a name; the best comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Closeness {
    /// The whole qualified name.
    Qualified,
    /// The simple name.
    Name,
    /// The end of the qualified name.
    Suffix,
}

/// A symbol that a name means, with the symbols around it.
#[derive(Debug, Clone)]
pub struct NameMatch {
    /// The symbol, without its children.
    pub symbol: Symbol,
    /// The symbols that enclose it, outermost first, without their children.
    pub owners: Vec<Symbol>,
    /// How well it fits.
    pub closeness: Closeness,
}

/// The symbols of a file that `name` means, in the order of the file. Where the whole qualified name fits one of
/// them, those that only end in it are left out.
pub fn find_in(symbols: &[Symbol], name: &SymbolName) -> Vec<NameMatch> {
    let mut found = Vec::new();
    let mut path: Vec<&Symbol> = Vec::new();
    for (symbol, depth) in walk_symbols(symbols) {
        path.truncate(depth);
        if let Some(closeness) = name.closeness(symbol) {
            let owners = path.iter().map(|owner| owner.alone()).collect();
            found.push(NameMatch { symbol: symbol.alone(), owners, closeness });
        }
        path.push(symbol);
    }
    if found.iter().any(|hit| hit.closeness == Closeness::Qualified) && name.dotted.contains('.') {
        found.retain(|hit| hit.closeness == Closeness::Qualified);
    }
    // `Type::name` is a path, and no path leads to a field: not where a method has the name.
    if name.line.is_none() && name.name.contains("::") {
        let is_method = |hit: &NameMatch| matches!(hit.symbol.kind, SymbolKind::Function | SymbolKind::Method);
        if found.iter().any(is_method) {
            found.retain(|hit| hit.symbol.kind != SymbolKind::Field);
        }
    }
    // A line above a definition, where its comments stand, means it only if no other begins there.
    if found.len() > 1 && found.iter().any(|hit| name.line == Some(hit.symbol.lines.first)) {
        found.retain(|hit| name.line == Some(hit.symbol.lines.first));
    }
    // An id is written with the name's own separators.
    if name.exact && found.len() > 1 && found.iter().any(|hit| hit.symbol.qualified_name == name.name) {
        found.retain(|hit| hit.symbol.qualified_name == name.name);
    }
    found
}

/// A pattern over symbol names.
#[derive(Debug, Clone)]
pub enum NamePattern {
    /// The name, or the end of the qualified name.
    Exact(SymbolName),
    /// Part of the name; of the qualified name where the pattern holds a separator. Case counts only where the
    /// pattern has capitals.
    Substring {
        /// The text, dotted.
        text: String,
        /// Whether case counts.
        case: bool,
    },
    /// A glob over the whole name.
    Glob {
        /// The glob.
        matcher: globset::GlobMatcher,
        /// The longest text that every name it matches holds.
        literal: String,
    },
    /// A regular expression over the name.
    Regex(regex::Regex),
}

impl NamePattern {
    /// A substring pattern.
    pub fn substring(text: &str) -> Self {
        let case = text.chars().any(char::is_uppercase);
        Self::Substring { text: if case { dotted(text).into_owned() } else { dotted(text).to_lowercase() }, case }
    }

    /// A glob pattern.
    ///
    /// # Errors
    /// [`CodeError::BadPattern`].
    pub fn glob(glob: &str) -> Result<Self, CodeError> {
        globset::Glob::new(&dotted(glob))
            .map(|parsed| Self::Glob { matcher: parsed.compile_matcher(), literal: longest_literal(glob) })
            .map_err(|error| CodeError::BadPattern {
                what: "glob",
                pattern: glob.to_owned(),
                reason: error.kind().to_string(),
            })
    }

    /// A regular expression.
    ///
    /// # Errors
    /// [`CodeError::BadPattern`].
    pub fn regex(pattern: &str) -> Result<Self, CodeError> {
        regex::Regex::new(pattern).map(Self::Regex).map_err(|error| CodeError::BadPattern {
            what: "regex",
            pattern: pattern.to_owned(),
            reason: error.to_string(),
        })
    }

    /// How well a symbol fits, 0 best; `None` where it does not.
    pub fn rank(&self, symbol: &Symbol) -> Option<u8> {
        match self {
            Self::Exact(name) => name.closeness(symbol).map(|closeness| closeness as u8),
            Self::Substring { text, case } => {
                let qualified = text.contains('.');
                let own = if qualified { dotted(&symbol.qualified_name) } else { Cow::Borrowed(symbol.name.as_str()) };
                let own = if *case { own } else { Cow::Owned(own.to_lowercase()) };
                if own == text.as_str() {
                    Some(0)
                } else if own.starts_with(text.as_str()) {
                    Some(1)
                } else {
                    own.contains(text.as_str()).then_some(2)
                }
            }
            Self::Glob { matcher, .. } => {
                (matcher.is_match(&symbol.name) || matcher.is_match(&*dotted(&symbol.qualified_name))).then_some(0)
            }
            Self::Regex(regex) => (regex.is_match(&symbol.name)).then_some(0),
        }
    }

    /// Text that a file must hold to define a symbol that fits.
    pub fn needle(&self) -> Option<Needle<'_>> {
        match self {
            Self::Exact(name) => Some(name.needle()),
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

/// The longest run of a glob that stands as it is in every name that it matches.
fn longest_literal(glob: &str) -> String {
    let braces = glob.contains(['{', '[', '\\']);
    let runs = glob.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    // What stands in braces or brackets is one of several.
    if braces { String::new() } else { runs.max_by_key(|run| run.len()).unwrap_or("").to_owned() }
}

#[cfg(test)]
mod tests {
    use peelback_syntax::{Limits, analyse, language};

    use super::*;

    fn symbols(name: &str, source: &str) -> Vec<Symbol> {
        analyse(language::by_name(name).expect("a language"), source, &Limits::default()).symbols
    }

    fn lines(symbols: &[Symbol], name: &SymbolName) -> Vec<(u32, usize)> {
        find_in(symbols, name).iter().map(|hit| (hit.symbol.lines.first, hit.symbol.bytes.start)).collect()
    }

    #[test]
    fn a_path_leads_to_a_method() {
        let symbols = symbols("rust", "struct A { b: u8, c: u8 }\nimpl A {\n    fn b(&self) {}\n}\n");
        let lines = |name: &str| -> Vec<u32> {
            find_in(&symbols, &SymbolName::new(name)).iter().map(|hit| hit.symbol.lines.first).collect()
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
            for (symbol, _) in walk_symbols(&symbols) {
                let address = symbol.address();
                assert!(seen.insert(address.clone()), "{language}: {address} twice");
                let found = find_in(&symbols, &SymbolName::new(&address).exact());
                let found: Vec<&Symbol> = found.iter().map(|hit| &hit.symbol).collect();
                assert_eq!(found, [&symbol.alone()], "{language}: {address}");
            }
        }
    }

    #[test]
    fn a_line_means_all_that_begin_on_it() {
        let symbols = symbols("javascript", "var a = 1; var a = 2;\nvar a = 3;\n");
        let addresses: Vec<String> = symbols.iter().map(Symbol::address).collect();
        assert_eq!(addresses, ["a@1:1", "a@1:2", "a@2"]);
        assert_eq!(lines(&symbols, &SymbolName::new("a@1")), [(1, 0), (1, 11)]);
        assert_eq!(lines(&symbols, &SymbolName::new("a@1:2")), [(1, 11)]);
        assert_eq!(lines(&symbols, &SymbolName::new("a@2")), [(2, 22)]);
        assert!(find_in(&symbols, &SymbolName::new("a@1:3")).is_empty());
        assert!(find_in(&symbols, &SymbolName::new("a@2:1")).is_empty());
    }

    #[test]
    fn a_decorator_s_line_means_what_it_decorates() {
        let symbols = symbols("python", "def f(): pass\n@d\ndef f(): pass\n");
        assert_eq!(lines(&symbols, &SymbolName::new("f@2")), [(3, 17)]);
        assert_eq!(lines(&symbols, &SymbolName::new("f@1")), [(1, 0)]);
    }
}
