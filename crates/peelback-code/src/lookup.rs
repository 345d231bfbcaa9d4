//! Finding symbols by the names that people and agents give them.

use peelback_syntax::{Symbol, walk_symbols};

use crate::error::CodeError;

/// A symbol's name as a call gives it: simple, qualified, a suffix of the qualified name, with `::`, `#` or `/` for
/// the dot, and `@LINE` behind it to tell apart symbols of one qualified name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolName {
    /// As written, which may itself end in `@` and digits.
    whole: String,
    name: String,
    dotted: String,
    line: Option<u32>,
    /// Only the whole qualified name will do.
    exact: bool,
}

impl SymbolName {
    /// Reads a name.
    pub fn new(name: &str) -> Self {
        let name = name.trim();
        let whole = dotted(name);
        let (name, line) = match name.rsplit_once('@') {
            Some((before, line)) if !before.is_empty() => match line.parse() {
                Ok(line) => (before, Some(line)),
                Err(_) => (name, None),
            },
            _ => (name, None),
        };
        Self { whole, name: name.to_owned(), dotted: dotted(name), line, exact: false }
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

    /// Text that a source file holds if it defines the symbol: the longest run of the last part that no language
    /// writes in another way.
    pub fn needle(&self) -> &str {
        longest_word(self.last_part())
    }

    fn closeness(&self, symbol: &Symbol) -> Option<Closeness> {
        let own = dotted(&symbol.qualified_name);
        if self.line.is_some() && (own == self.whole || dotted(&symbol.name) == self.whole) {
            return Some(Closeness::Qualified);
        }
        if self.line.is_some_and(|line| !(symbol.outer_line..=symbol.lines.first).contains(&line)) {
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

fn longest_word(text: &str) -> &str {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).max_by_key(|word| word.len()).unwrap_or("")
}

fn dotted(name: &str) -> String {
    let mut out = name.replace("::", ".");
    out = out.replace(['#', '/'], ".");
    out
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
    Glob(globset::GlobMatcher),
    /// A regular expression over the name.
    Regex(regex::Regex),
}

impl NamePattern {
    /// A substring pattern.
    pub fn substring(text: &str) -> Self {
        let case = text.chars().any(char::is_uppercase);
        Self::Substring { text: if case { dotted(text) } else { dotted(text).to_lowercase() }, case }
    }

    /// A glob pattern.
    ///
    /// # Errors
    /// [`CodeError::BadPattern`].
    pub fn glob(glob: &str) -> Result<Self, CodeError> {
        globset::Glob::new(&dotted(glob)).map(|glob| Self::Glob(glob.compile_matcher())).map_err(|error| {
            CodeError::BadPattern { what: "glob", pattern: glob.to_owned(), reason: error.kind().to_string() }
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
                let own = if qualified { dotted(&symbol.qualified_name) } else { symbol.name.clone() };
                let own = if *case { own } else { own.to_lowercase() };
                if own == *text {
                    Some(0)
                } else if own.starts_with(text.as_str()) {
                    Some(1)
                } else {
                    own.contains(text.as_str()).then_some(2)
                }
            }
            Self::Glob(glob) => {
                (glob.is_match(&symbol.name) || glob.is_match(dotted(&symbol.qualified_name))).then_some(0)
            }
            Self::Regex(regex) => (regex.is_match(&symbol.name)).then_some(0),
        }
    }

    /// Text that a file must hold (in any case where the flag is false) to define a symbol that fits.
    pub fn needle(&self) -> Option<(&str, bool)> {
        match self {
            Self::Exact(name) => Some((name.needle(), true)),
            Self::Substring { text, case } => {
                Some((longest_word(text.rsplit('.').next().filter(|last| !last.is_empty()).unwrap_or(text)), *case))
            }
            Self::Glob(_) | Self::Regex(_) => None,
        }
    }
}
