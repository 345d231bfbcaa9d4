//! A compiler for tags queries: the part of tree-sitter's query language that outlines need.
//!
//! Supported syntax: nodes, fields (`name:`, `!name`), tokens, `_`, alternations, `?`, `.`, captures, `#set!`, and the
//! predicates `#eq?`, `#any-of?`, their opposites, `#not-ends-with?`, `#starts-with?` and `#not-starts-with?`. A pattern
//! is tried only at nodes of the kinds with which it begins. A test compares every match on every fixture with
//! tree-sitter's own engine.
//!
//! # Why tree-sitter's own engine is not used
//!
//! `tree_sitter::Query` finds the same matches, but analyses the whole grammar each time it compiles a query, in every
//! process. A command that outlines one file would spend most of its time there. The table gives milliseconds, on a
//! core of a cloud machine, for the queries of this crate: "here" is this engine and "there" is tree-sitter's. The last
//! columns are the time of parsing and reading the facts of a whole repository:
//!
//! | language | compile here | compile there | repository | here | there |
//! | --- | --- | --- | --- | --- | --- |
//! | bash | 0.1 | 12 | | | |
//! | c_sharp | 0.1 | 39 | | | |
//! | cpp | 0.3 | 210 | leveldb, 0.9 MB | 133 | 137 |
//! | java | 0.1 | 2 | gson, 2.0 MB | 164 | 198 |
//! | kotlin | 0.1 | 37 | | | |
//! | lua | 0.1 | 1 | | | |
//! | php | 0.1 | 9 | guzzle, 0.5 MB | 54 | 71 |
//! | ruby | 0.1 | 74 | sinatra, 0.7 MB | 131 | 131 |
//! | scala | 0.1 | 49 | | | |
//! | swift | 0.1 | 641 | | | |
//!
//! The crate `tree-sitter-tags` is slower (it parses and matches leveldb in 137 ms, gson in 187 ms) and has fewer
//! captures: it accepts names, documentation and definitions, but no bodies, values, imports or modifiers.

use tree_sitter::Language;

/// A compiled tags query, ready to be matched with syntax trees.
pub(super) struct Query {
    pub patterns: Vec<Pattern>,
    /// The names of the query's captures. The position of a name is the index of the capture.
    pub captures: Vec<String>,
    /// For each node kind, indexed by the kind's id: the indices of the patterns that begin with that kind.
    pub by_kind: Vec<Vec<usize>>,
}

/// A top-level pattern of a tags query, with its predicates and settings.
pub(super) struct Pattern {
    pub node: NodePattern,
    pub predicates: Vec<Predicate>,
    /// The `#set!` settings of the pattern, as pairs of key and value.
    pub settings: Vec<(String, String)>,
}

pub(super) struct NodePattern {
    pub shape: Shape,
    pub captures: Vec<usize>,
    pub children: Vec<ChildPattern>,
    /// The ids of the fields in which the node must have no child (`!name` in the query).
    pub absent_fields: Vec<u16>,
    /// Whether no named child may follow the last matched one (`.` at the end of the query's node).
    pub ends_with_last_child: bool,
}

pub(super) enum Shape {
    Kind(u16),
    /// Any node, named or not: `_` in the query.
    Any,
    /// Any named node: `(_)` in the query.
    AnyNamed,
    OneOf(Vec<NodePattern>),
}

pub(super) struct ChildPattern {
    pub field: Option<u16>,
    pub node: NodePattern,
    pub optional: bool,
    /// Whether the child must directly follow the previously matched child (`.` in the query).
    pub anchored: bool,
    /// Whether unnamed tokens can be between this child and the previously matched one: false where the pattern itself
    /// is a token.
    pub named: bool,
}

/// A condition on the text of a captured node, such as `#any-of?`.
pub(super) enum Predicate {
    AnyOf(usize, Vec<String>),
    NotAnyOf(usize, Vec<String>),
    NotEndsWith(usize, Vec<String>),
    StartsWith(usize, Vec<String>),
    NotStartsWith(usize, Vec<String>),
}

impl Query {
    /// Compiles the text of a tags query for the grammar `language`.
    pub fn new(language: &Language, text: &str) -> Result<Self, String> {
        let mut reader = QueryParser { language, tokens: tokenize_query(text)?, at: 0, captures: Vec::new() };
        let mut patterns = Vec::new();
        while reader.at < reader.tokens.len() {
            patterns.push(reader.parse_top_level_pattern()?);
        }
        let mut by_kind = vec![Vec::new(); language.node_kind_count()];
        for (index, pattern) in patterns.iter().enumerate() {
            for_each_root_kind_of_pattern(&pattern.node, &mut |kind| {
                if let Some(slot) = by_kind.get_mut(usize::from(kind))
                    && slot.last() != Some(&index)
                {
                    slot.push(index);
                }
            });
        }
        Ok(Self { patterns, captures: reader.captures, by_kind })
    }
}

fn for_each_root_kind_of_pattern(node: &NodePattern, found: &mut dyn FnMut(u16)) {
    match &node.shape {
        Shape::Kind(kind) => found(*kind),
        Shape::OneOf(nodes) => nodes.iter().for_each(|node| for_each_root_kind_of_pattern(node, found)),
        Shape::Any | Shape::AnyNamed => {}
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Mark(char),
    Word(String),
    Text(String),
    Capture(String),
}

fn tokenize_query(text: &str) -> Result<Vec<Token>, String> {
    let mut out = Vec::new();
    let mut chars = text.chars().peekable();
    let word = |chars: &mut std::iter::Peekable<std::str::Chars<'_>>| {
        let mut word = String::new();
        while let Some(&c) = chars.peek() {
            if !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '#' | '?' | '!')) {
                break;
            }
            // A `?` ends the word before it, as in `(block)?`; in a predicate such as `#eq?`, the `?` is part of the
            // word.
            if c == '?' && !word.starts_with('#') {
                break;
            }
            word.push(c);
            chars.next();
        }
        word
    };
    while let Some(&c) = chars.peek() {
        match c {
            _ if c.is_whitespace() => {
                chars.next();
            }
            ';' => while chars.next().is_some_and(|c| c != '\n') {},
            '"' => {
                chars.next();
                let mut inner = String::new();
                loop {
                    match chars.next() {
                        Some('"') => break,
                        Some('\\') => inner.extend(chars.next()),
                        Some(c) => inner.push(c),
                        None => return Err("a string without end".to_owned()),
                    }
                }
                out.push(Token::Text(inner));
            }
            '@' => {
                chars.next();
                out.push(Token::Capture(word(&mut chars)));
            }
            '(' | ')' | '[' | ']' | '?' | '.' | ':' | '!' => {
                chars.next();
                out.push(Token::Mark(c));
            }
            _ => {
                let word = word(&mut chars);
                if word.is_empty() {
                    return Err(format!("`{c}` is not read here"));
                }
                out.push(Token::Word(word));
            }
        }
    }
    Ok(out)
}

struct QueryParser<'l> {
    language: &'l Language,
    tokens: Vec<Token>,
    at: usize,
    captures: Vec<String>,
}

impl QueryParser<'_> {
    fn peek_token(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn next_token(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.at).cloned();
        self.at += 1;
        token
    }

    fn consume_mark_if_next(&mut self, mark: char) -> bool {
        let found = self.peek_token() == Some(&Token::Mark(mark));
        self.at += usize::from(found);
        found
    }

    /// Parses a top-level pattern of a tags query, with its predicates inside the pattern or in a group around it.
    fn parse_top_level_pattern(&mut self) -> Result<Pattern, String> {
        let mut pattern = Pattern {
            node: NodePattern {
                shape: Shape::Any,
                captures: Vec::new(),
                children: Vec::new(),
                absent_fields: Vec::new(),
                ends_with_last_child: false,
            },
            predicates: Vec::new(),
            settings: Vec::new(),
        };
        let group = self.peek_token() == Some(&Token::Mark('('))
            && matches!(self.tokens.get(self.at + 1), Some(Token::Mark('(' | '[')));
        self.at += usize::from(group);
        pattern.node = self.parse_node_pattern(&mut pattern.predicates, &mut pattern.settings)?;
        if group {
            while !self.consume_mark_if_next(')') {
                if !self.parse_predicate_or_setting_if_next(&mut pattern.predicates, &mut pattern.settings)? {
                    return Err(format!("{:?} where a predicate should stand", self.peek_token()));
                }
            }
        }
        Ok(pattern)
    }

    fn parse_node_pattern(
        &mut self,
        predicates: &mut Vec<Predicate>,
        settings: &mut Vec<(String, String)>,
    ) -> Result<NodePattern, String> {
        let mut node = NodePattern {
            shape: Shape::Any,
            captures: Vec::new(),
            children: Vec::new(),
            absent_fields: Vec::new(),
            ends_with_last_child: false,
        };
        match self.next_token() {
            Some(Token::Mark('(')) => {
                let Some(Token::Word(kind)) = self.next_token() else { return Err("a node without a kind".to_owned()) };
                node.shape = if kind == "_" { Shape::AnyNamed } else { Shape::Kind(self.node_kind_id(&kind, true)?) };
                self.parse_node_pattern_contents(&mut node, predicates, settings)?;
            }
            Some(Token::Mark('[')) => {
                let mut nodes = Vec::new();
                while !self.consume_mark_if_next(']') {
                    nodes.push(self.parse_node_pattern(predicates, settings)?);
                }
                node.shape = Shape::OneOf(nodes);
            }
            Some(Token::Text(token)) => node.shape = Shape::Kind(self.node_kind_id(&token, false)?),
            Some(Token::Word(word)) if word == "_" => {}
            other => return Err(format!("{other:?} where a node should stand")),
        }
        while let Some(Token::Capture(name)) = self.peek_token().cloned() {
            self.at += 1;
            node.captures.push(self.find_or_add_capture_index(&name));
        }
        Ok(node)
    }

    fn parse_node_pattern_contents(
        &mut self,
        node: &mut NodePattern,
        predicates: &mut Vec<Predicate>,
        settings: &mut Vec<(String, String)>,
    ) -> Result<(), String> {
        let mut anchored = false;
        while !self.consume_mark_if_next(')') {
            if self.consume_mark_if_next('.') {
                anchored = true;
                continue;
            }
            if self.consume_mark_if_next('!') {
                let Some(Token::Word(name)) = self.next_token() else { return Err("`!` without a field".to_owned()) };
                node.absent_fields.push(self.field_id(&name)?);
                continue;
            }
            if self.parse_predicate_or_setting_if_next(predicates, settings)? {
                continue;
            }
            let field = match (self.peek_token().cloned(), self.tokens.get(self.at + 1)) {
                (Some(Token::Word(name)), Some(Token::Mark(':'))) => {
                    self.at += 2;
                    Some(self.field_id(&name)?)
                }
                _ => None,
            };
            let mut child = self.parse_node_pattern(predicates, settings)?;
            let optional = self.consume_mark_if_next('?');
            while let Some(Token::Capture(name)) = self.peek_token().cloned() {
                self.at += 1;
                child.captures.push(self.find_or_add_capture_index(&name));
            }
            let named = !matches!(&child.shape, Shape::Any) && !self.can_match_unnamed_node(&child);
            node.children.push(ChildPattern { field, node: child, optional, anchored, named });
            anchored = false;
        }
        node.ends_with_last_child = anchored;
        Ok(())
    }

    /// Parses a predicate (`#eq? …`) or a setting (`#set! …`) of a tags query, if the next tokens are one. Returns
    /// whether they were.
    fn parse_predicate_or_setting_if_next(
        &mut self,
        predicates: &mut Vec<Predicate>,
        settings: &mut Vec<(String, String)>,
    ) -> Result<bool, String> {
        let name = match (self.peek_token(), self.tokens.get(self.at + 1)) {
            (Some(Token::Mark('(')), Some(Token::Word(name))) if name.starts_with('#') => name.clone(),
            _ => return Ok(false),
        };
        self.at += 2;
        let mut capture = None;
        let mut texts = Vec::new();
        while !self.consume_mark_if_next(')') {
            match self.next_token() {
                Some(Token::Capture(name)) => capture = Some(self.find_or_add_capture_index(&name)),
                Some(Token::Text(text) | Token::Word(text)) => texts.push(text),
                other => return Err(format!("{other:?} in {name}")),
            }
        }
        match (name.as_str(), capture) {
            ("#set!", None) => {
                let mut texts = texts.into_iter();
                settings.push((texts.next().unwrap_or_default(), texts.next().unwrap_or_default()));
            }
            ("#eq?" | "#any-of?", Some(capture)) => predicates.push(Predicate::AnyOf(capture, texts)),
            ("#not-eq?" | "#not-any-of?", Some(capture)) => predicates.push(Predicate::NotAnyOf(capture, texts)),
            ("#not-ends-with?", Some(capture)) => predicates.push(Predicate::NotEndsWith(capture, texts)),
            ("#starts-with?", Some(capture)) => predicates.push(Predicate::StartsWith(capture, texts)),
            ("#not-starts-with?", Some(capture)) => predicates.push(Predicate::NotStartsWith(capture, texts)),
            _ => return Err(format!("{name} is not known")),
        }
        Ok(true)
    }

    fn can_match_unnamed_node(&self, node: &NodePattern) -> bool {
        match &node.shape {
            Shape::Kind(kind) => !self.language.node_kind_is_named(*kind),
            Shape::OneOf(nodes) => nodes.iter().any(|node| self.can_match_unnamed_node(node)),
            Shape::Any | Shape::AnyNamed => false,
        }
    }

    fn find_or_add_capture_index(&mut self, name: &str) -> usize {
        self.captures.iter().position(|known| known == name).unwrap_or_else(|| {
            self.captures.push(name.to_owned());
            self.captures.len() - 1
        })
    }

    fn node_kind_id(&self, name: &str, named: bool) -> Result<u16, String> {
        match self.language.id_for_node_kind(name, named) {
            0 => Err(format!("the grammar has no node {name}")),
            id => Ok(id),
        }
    }

    fn field_id(&self, name: &str) -> Result<u16, String> {
        let id = self.language.field_id_for_name(name).ok_or_else(|| format!("the grammar has no field {name}"))?;
        Ok(id.get())
    }
}
