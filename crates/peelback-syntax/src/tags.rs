//! The basic level of language analysis: outlines from a tags query.
//!
//! A query finds definitions; `forest.rs` nests them. The meaning of each capture in a query:
//!
//! - `@definition.KIND` is a definition; KIND is the name of a [`SymbolKind`]. `@name` inside it is its name.
//!   `@qualified` replaces `@name` where the name can include its owners (`Foo::bar`), `@container` names the owner.
//! - `@body` ends the signature and, where the definition is callable, is folded. Outside of a definition, it is the
//!   body of an anonymous function. `@end` ends the signature before the body does. `@value` is an initialiser, folded
//!   when it is long.
//! - `@import` is an import; `@source` inside it is the imported module.
//! - `@comment` is folded to its first line, and documents the definition directly below it.
//! - `@attribute` is an annotation; annotations in front of a definition are its decorators.
//! - `@outer` is a node around the definition `@inner` that belongs to it: `template <…>`, `private` before a `def`.
//! - `@scope` is a part of a definition with its own `@access`.
//! - `@misread` is code that the grammar accepts but misunderstands: the file's coverage is partial.
//! - `@access` sets the visibility of the definitions after it, inside the same definition (`private:`).
//!
//! Keys of `#set!` on a pattern: `name` (the name of definitions that have none in the text), `prefix` (text before the
//! name), `access` (the visibility of members, up to the first `@access`), `import` (the kind of an import), `outside`
//! (excludes definitions inside a body that runs), `once` (only the first binding of a name is a definition).
//!
//! Nesting follows from containment of byte ranges. Where several patterns match the same name, the first pattern in
//! the query decides the kind, and the widest match decides the range.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

use tree_sitter::{Node, Tree};
use tree_sitter_language::LanguageFn;

use crate::damage;
use crate::facts::{Coverage, Facts, Fold, FoldKind, Import, ImportKind, Lines, Symbol, SymbolKind, Visibility};
use crate::outline::LONG_VALUE_LINES;
use crate::symbol_tree::{self, Entry};
use crate::text;

mod forest;
mod matching;
mod pattern;
#[cfg(test)]
mod tests;
mod words;

pub(crate) use words::{CLASS_VISIBILITY, Vocabulary};

/// A grammar and its tags query, with the language's additional rules.
pub(crate) struct Tags {
    /// The grammar; `None` where the cargo feature of the language is off.
    pub grammar: Option<LanguageFn>,
    /// The source text of the tags query.
    pub query: &'static str,
    vocabulary: Vocabulary,
    /// Rewrites a text that the grammar did not understand. Every byte keeps its offset and its line.
    repair: Option<fn(&str) -> Option<String>>,
    /// Rewrites every text before the first parse, keeping the offsets and lines of all bytes.
    preparation: Option<fn(&str) -> Option<String>>,
    /// The compiled query, created on first use; `None` where the query does not match the grammar, or there is no
    /// grammar.
    compiled: OnceLock<Option<Compiled>>,
}

impl Tags {
    pub(crate) const fn new(grammar: Option<LanguageFn>, query: &'static str) -> Self {
        Self {
            grammar,
            query,
            vocabulary: Vocabulary { visibility: &[], imports: &[] },
            repair: None,
            preparation: None,
            compiled: OnceLock::new(),
        }
    }

    /// Sets the language's words for visibility and imports.
    pub(crate) const fn with_vocabulary(mut self, vocabulary: Vocabulary) -> Self {
        self.vocabulary = vocabulary;
        self
    }

    /// Sets the function that rewrites code that the grammar does not understand.
    pub(crate) const fn with_repair(mut self, repair: fn(&str) -> Option<String>) -> Self {
        self.repair = Some(repair);
        self
    }

    /// Sets the function that rewrites code that the grammar would misread without an error.
    pub(crate) const fn with_preparation(mut self, preparation: fn(&str) -> Option<String>) -> Self {
        self.preparation = Some(preparation);
        self
    }

    /// The text to parse instead of `source`; `None` where the grammar can read `source` as written.
    pub(crate) fn prepare(&self, source: &str) -> Option<String> {
        self.preparation.and_then(|prepare| prepare(source))
    }

    /// Returns `tree`, or the tree of the repaired text where errors cover fewer bytes in that tree.
    pub(crate) fn repaired(&self, tree: Tree, source: &str, parse: impl FnOnce(&str) -> Option<Tree>) -> Tree {
        if !tree.root_node().has_error() {
            return tree;
        }
        let better = self.repair.and_then(|repair| repair(source)).and_then(|text| parse(&text));
        better.filter(|better| broken_bytes(better) < broken_bytes(&tree)).unwrap_or(tree)
    }

    fn compiled(&self) -> Option<&Compiled> {
        self.compiled.get_or_init(|| Compiled::new(self.grammar?, self.query, self.vocabulary)).as_ref()
    }
}

struct Compiled {
    query: pattern::Query,
    vocabulary: Vocabulary,
    /// The role of each capture, by the index of the capture.
    roles: Vec<Role>,
    /// The `#set!` settings of each pattern, by the index of the pattern.
    patterns: Vec<Settings>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Definition(SymbolKind),
    Name,
    Qualified,
    Container,
    Body,
    End,
    Value,
    Import,
    Source,
    Comment,
    Attribute,
    Access,
    Scope,
    Outer,
    Inner,
    Misread,
    /// A capture that is used only in the predicates of its pattern.
    Other,
}

#[derive(Default)]
struct Settings {
    name: Option<String>,
    prefix: Option<String>,
    access: Visibility,
    import: Option<ImportKind>,
    outside: bool,
    once: bool,
}

impl Compiled {
    fn new(grammar: LanguageFn, query: &str, vocabulary: Vocabulary) -> Option<Self> {
        let query = pattern::Query::new(&grammar.into(), query).ok()?;
        let roles = query
            .captures
            .iter()
            .map(|name| match name.as_str() {
                "name" => Role::Name,
                "qualified" => Role::Qualified,
                "container" => Role::Container,
                "body" => Role::Body,
                "end" => Role::End,
                "value" => Role::Value,
                "import" => Role::Import,
                "source" => Role::Source,
                "comment" => Role::Comment,
                "attribute" => Role::Attribute,
                "access" => Role::Access,
                "scope" => Role::Scope,
                "outer" => Role::Outer,
                "inner" => Role::Inner,
                "misread" => Role::Misread,
                other => other
                    .strip_prefix("definition.")
                    .and_then(SymbolKind::from_name)
                    .map_or(Role::Other, Role::Definition),
            })
            .collect();
        let patterns = query
            .patterns
            .iter()
            .map(|pattern| {
                let mut settings = Settings::default();
                for (key, value) in &pattern.settings {
                    match key.as_str() {
                        "name" => settings.name = Some(value.clone()),
                        "prefix" => settings.prefix = Some(value.clone()),
                        "access" => settings.access = words::visibility(value, vocabulary.visibility),
                        "import" => settings.import = words::import_kind(value),
                        "outside" => settings.outside = true,
                        "once" => settings.once = true,
                        _ => {}
                    }
                }
                settings
            })
            .collect();
        Some(Self { query, vocabulary, roles, patterns })
    }
}

/// A definition that a pattern of the tags query matched.
struct Found<'t> {
    pattern: usize,
    kind: SymbolKind,
    node: Node<'t>,
    name: Option<Node<'t>>,
    /// Whether the name can include the names of its owners: `Foo::bar`.
    qualified: bool,
    container: Option<Node<'t>>,
    body: Option<Node<'t>>,
    end: Option<Node<'t>>,
    value: Option<Node<'t>>,
}

impl<'t> Found<'t> {
    /// Merges a second match of the same name into this definition.
    fn merge(&mut self, other: Found<'t>) {
        let first = if other.pattern < self.pattern { &other } else { &*self };
        let (pattern, kind, qualified) = (first.pattern, first.kind, first.qualified);
        // Where two patterns for different kinds disagree on the end of the signature, the first pattern decides.
        let (end, value) = if other.kind == self.kind {
            (self.end.or(other.end), self.value.or(other.value))
        } else {
            (first.end, first.value)
        };
        let wider = other.node.byte_range().len() > self.node.byte_range().len();
        *self = Found {
            pattern,
            kind,
            qualified,
            node: if wider { other.node } else { self.node },
            name: self.name,
            container: self.container.or(other.container),
            body: self.body.or(other.body),
            end,
            value,
        };
    }
}

/// A comment or attribute above or in front of a definition.
#[derive(Clone)]
struct Attachment {
    bytes: Range<usize>,
    is_attribute: bool,
}

/// All matches of a tags query in one file, before the definitions are nested.
#[derive(Default)]
struct Matches<'t> {
    found: Vec<Found<'t>>,
    /// The index in `found` of each definition, by the byte range of its name (of its node where the definition has no
    /// name).
    known: HashMap<(usize, usize), usize>,
    imports: Vec<(Range<usize>, Import)>,
    /// Comments and attributes of the file, by their byte offset.
    attachments: Vec<Attachment>,
    /// Byte ranges of the bodies of anonymous functions.
    bodies: Vec<Range<usize>>,
    access: Vec<(usize, Visibility)>,
    scopes: Vec<Range<usize>>,
    misread: Vec<Lines>,
    /// The `@outer` node that encloses a definition, by the id of the `@inner` node.
    outer: HashMap<usize, Node<'t>>,
}

/// Returns the facts of a text, read from its syntax tree with a tags query.
pub(crate) fn facts(tree: &Tree, source: &str, tags: &Tags) -> Facts {
    let coverage = if tree.root_node().has_error() { damage::coverage(tree) } else { Coverage::Whole };
    let mut facts =
        Facts { symbols: Vec::new(), imports: Vec::new(), exports: Vec::new(), folds: Vec::new(), coverage };
    let Some(compiled) = tags.compiled() else { return facts };
    let mut matches = Matches::default();
    matching::run(&compiled.query, tree, source, &mut |pattern, captures| {
        matches.add_match(pattern, captures, compiled, source);
    });
    facts.coverage.add(std::mem::take(&mut matches.misread));
    matches.attachments.sort_by_key(|item| (item.bytes.start, std::cmp::Reverse(item.bytes.end)));
    matches.attachments.dedup_by(|later, earlier| later.bytes.start < earlier.bytes.end);
    matches.imports.sort_by_key(|(bytes, _)| (bytes.start, std::cmp::Reverse(bytes.end)));
    matches.imports.dedup_by(|later, earlier| later.0.start < earlier.0.end && later.1.source == earlier.1.source);
    facts.imports = matches.imports.iter().map(|(_, import)| import.clone()).collect();
    let (entries, folds, missed) = forest::build(matches, compiled, source);
    facts.coverage.add(missed);
    facts.symbols = symbol_tree::nest(entries);
    symbol_tree::mark_duplicates(&mut facts.symbols);
    facts.folds = outermost(folds);
    facts
}

impl<'t> Matches<'t> {
    fn add_match(&mut self, pattern: usize, captures: &[(usize, Node<'t>)], compiled: &Compiled, source: &str) {
        let (mut definition, mut name, mut container, mut body) = (None, None, None, None);
        let (mut end, mut value, mut import, mut named) = (None, None, None, None);
        let mut qualified = false;
        let (mut outer, mut inner) = (None, None);
        for &(capture, node) in captures {
            match compiled.roles.get(capture).copied().unwrap_or(Role::Other) {
                Role::Definition(kind) => definition = Some((kind, node)),
                Role::Name => name = Some(node),
                Role::Qualified => {
                    name = Some(node);
                    qualified = true;
                }
                Role::Container => container = Some(node),
                Role::Body => body = body.or(Some(node)),
                Role::End => end = end.or(Some(node)),
                Role::Value => value = value.or(Some(node)),
                Role::Import => import = Some(node),
                Role::Source => named = Some(node),
                Role::Comment => self.attach(node, source, false),
                Role::Attribute => self.attach(node, source, true),
                Role::Access => {
                    // The keyword comes from the syntax tree, because the prepared text can have another keyword than
                    // the source there.
                    let word = node.child(0).filter(|word| !word.is_named()).map(|word| word.kind());
                    let text = word.or_else(|| source.get(node.byte_range())).unwrap_or("");
                    self.access.push((node.end_byte(), words::visibility(text, compiled.vocabulary.visibility)));
                }
                Role::Scope => self.scopes.push(node.byte_range()),
                Role::Outer => outer = Some(node),
                Role::Inner => inner = Some(node),
                Role::Misread => self.misread.push(lines(node)),
                Role::Other => {}
            }
        }
        if let (Some(outer), Some(inner)) = (outer, inner) {
            self.outer.insert(inner.id(), outer);
        }
        if let Some(node) = import {
            let kind = compiled.patterns.get(pattern).and_then(|settings| settings.import);
            self.imports
                .push((node.byte_range(), words::import(node, named, kind, compiled.vocabulary.imports, source)));
        }
        match definition {
            Some((kind, node)) => {
                self.define(Found { pattern, kind, node, name, qualified, container, body, end, value });
            }
            None => {
                if let Some(body) = body {
                    self.bodies.push(body.start_byte()..text::trimmed_end(source, body.byte_range()));
                }
            }
        }
    }

    fn attach(&mut self, node: Node<'_>, source: &str, is_attribute: bool) {
        let bytes = node.start_byte()..text::trimmed_end(source, node.byte_range());
        self.attachments.push(Attachment { bytes, is_attribute });
    }

    fn define(&mut self, found: Found<'t>) {
        let bytes = found.name.unwrap_or(found.node).byte_range();
        match self.known.entry((bytes.start, bytes.end)) {
            std::collections::hash_map::Entry::Occupied(slot) => {
                if let Some(known) = self.found.get_mut(*slot.get()) {
                    known.merge(found);
                }
            }
            std::collections::hash_map::Entry::Vacant(slot) => {
                slot.insert(self.found.len());
                self.found.push(found);
            }
        }
    }
}

fn lines(node: Node<'_>) -> Lines {
    let line = |row: usize| u32::try_from(row).unwrap_or(u32::MAX - 1) + 1;
    Lines { first: line(node.start_position().row), last: line(node.end_position().row) }
}

/// The number of bytes in regions of a syntax tree that the parser did not understand.
fn broken_bytes(tree: &Tree) -> usize {
    let mut cursor = tree.walk();
    let mut bytes = 0;
    loop {
        let node = cursor.node();
        if node.is_error() {
            bytes += node.byte_range().len();
        } else if node.is_missing() {
            bytes += 1;
        } else if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return bytes;
            }
        }
    }
}

/// Sorts folds in the order of the file and removes folds inside other folds.
fn outermost(mut folds: Vec<Fold>) -> Vec<Fold> {
    folds.retain(|fold| fold.bytes.start < fold.bytes.end);
    folds.sort_by_key(|fold| (fold.bytes.start, std::cmp::Reverse(fold.bytes.end)));
    let mut reached = 0;
    folds.retain(|fold| {
        let free = fold.bytes.start >= reached;
        if free {
            reached = fold.bytes.end;
        }
        free
    });
    folds
}
