//! The generic tier: outlines from a tags query.
//!
//! A query says what there is, the driver how it hangs together. What captures mean:
//!
//! - `@definition.KIND` is a definition, KIND being a word of [`SymbolKind`]; `@name` inside it is its name.
//!   `@qualified` stands for `@name` where the name may hold its owners (`Foo::bar`), `@container` names the owner.
//! - `@body` ends the signature and, where the definition is callable, is folded. Without a definition it is the body
//!   of an anonymous function. `@end` ends the signature before the body does. `@value` is an initialiser, folded when
//!   it is long.
//! - `@import` is an import; `@source` inside it is what it names.
//! - `@comment` is folded to its first line, and documents the definition below that it touches.
//! - `@attribute` is an annotation; those in front of a definition are its decorators.
//! - `@outer` is a node that belongs to the definition `@inner` inside it: `template <…>`, `private` before a `def`.
//! - `@scope` is a part of a definition with its own `@access`.
//! - `@misread` is what the grammar reads without an error, but not for what it is: the file was read in part.
//! - `@access` says who sees the definitions after it, inside the same definition (`private:`).
//!
//! And what `#set!` can say of a pattern: `name` (for definitions without a name of their own), `prefix` (put before
//! the name), `access` (who sees what is inside, until told otherwise), `import` (a kind of import), `outside` (no
//! definition where it stands in a body that runs), `once` (a name bound again is the same one).
//!
//! Nesting follows from containment. Where several patterns name the same node, the first one in the query tells what
//! it is, and the widest one where it begins and ends.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

use tree_sitter::{Node, Tree};
use tree_sitter_language::LanguageFn;

use crate::facts::{Coverage, Facts, Fold, FoldKind, Import, ImportKind, Lines, Symbol, SymbolKind, Visibility};
use crate::text;
use crate::walk::{self, Entry, LONG_VALUE_LINES};

mod forest;
mod matching;
mod pattern;
mod words;

/// A grammar and its tags query.
pub(crate) struct Tags {
    pub grammar: LanguageFn,
    /// The query's text.
    pub query: &'static str,
    /// Rewrites a text that the grammar did not understand, every byte staying on its place and line.
    repair: Option<fn(&str) -> Option<String>>,
    /// The same before the first parse.
    preparation: Option<fn(&str) -> Option<String>>,
    /// The query as compiled on first use; `None` where it does not fit the grammar.
    compiled: OnceLock<Option<Compiled>>,
}

impl Tags {
    pub(crate) const fn new(grammar: LanguageFn, query: &'static str) -> Self {
        Self { grammar, query, repair: None, preparation: None, compiled: OnceLock::new() }
    }

    /// The same with a rewriting for what the grammar is known not to understand.
    pub(crate) const fn with_repair(mut self, repair: fn(&str) -> Option<String>) -> Self {
        self.repair = Some(repair);
        self
    }

    /// The same with a rewriting for what the grammar would misread without an error.
    pub(crate) const fn with_preparation(mut self, preparation: fn(&str) -> Option<String>) -> Self {
        self.preparation = Some(preparation);
        self
    }

    /// The text to parse in place of `source`; `None` where that is fine.
    pub(crate) fn prepare(&self, source: &str) -> Option<String> {
        self.preparation.and_then(|prepare| prepare(source))
    }

    /// The better tree of two: `tree`, and where that one has errors, the tree of the repaired text.
    pub(crate) fn repaired(&self, tree: Tree, source: &str, parse: impl FnOnce(&str) -> Option<Tree>) -> Tree {
        if !tree.root_node().has_error() {
            return tree;
        }
        let better = self.repair.and_then(|repair| repair(source)).and_then(|text| parse(&text));
        better.filter(|better| broken_bytes(better) < broken_bytes(&tree)).unwrap_or(tree)
    }

    fn compiled(&self) -> Option<&Compiled> {
        self.compiled.get_or_init(|| Compiled::new(self.grammar, self.query)).as_ref()
    }
}

struct Compiled {
    query: pattern::Query,
    /// What each capture means, by its index.
    roles: Vec<Role>,
    /// What is set of each pattern.
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
    /// For predicates only.
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
    fn new(grammar: LanguageFn, query: &str) -> Option<Self> {
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
                        "access" => settings.access = words::visibility(value),
                        "import" => settings.import = words::import_kind(value),
                        "outside" => settings.outside = true,
                        "once" => settings.once = true,
                        _ => {}
                    }
                }
                settings
            })
            .collect();
        Some(Self { query, roles, patterns })
    }
}

/// A definition as the query gave it.
struct Found<'t> {
    pattern: usize,
    kind: SymbolKind,
    node: Node<'t>,
    name: Option<Node<'t>>,
    /// Whether the name may hold the names of its owners.
    qualified: bool,
    container: Option<Node<'t>>,
    body: Option<Node<'t>>,
    end: Option<Node<'t>>,
    value: Option<Node<'t>>,
}

impl<'t> Found<'t> {
    /// Takes in what another pattern says of the same name.
    fn merge(&mut self, other: Found<'t>) {
        let first = if other.pattern < self.pattern { &other } else { &*self };
        let (pattern, kind, qualified) = (first.pattern, first.kind, first.qualified);
        // What two kinds of pattern say of where a signature ends does not mix.
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

/// What stands above or in front of a definition and belongs to it.
#[derive(Clone)]
struct Attachment {
    bytes: Range<usize>,
    is_attribute: bool,
}

/// Everything that the query found, before it is put together.
#[derive(Default)]
struct Harvest<'t> {
    found: Vec<Found<'t>>,
    /// Where in `found` the definition with a name (or, without one, with its own range) at these bytes is.
    known: HashMap<(usize, usize), usize>,
    imports: Vec<(Range<usize>, Import)>,
    /// Comments and attributes.
    attachments: Vec<Attachment>,
    /// Bodies of anonymous functions.
    bodies: Vec<Range<usize>>,
    access: Vec<(usize, Visibility)>,
    scopes: Vec<Range<usize>>,
    misread: Vec<Lines>,
    /// The node around a definition that belongs to it, by the inner node's id.
    outer: HashMap<usize, Node<'t>>,
}

/// Takes a tree to facts.
pub(crate) fn facts(tree: &Tree, source: &str, tags: &Tags) -> Facts {
    let coverage = if tree.root_node().has_error() { walk::damage(tree) } else { Coverage::Whole };
    let mut facts =
        Facts { symbols: Vec::new(), imports: Vec::new(), exports: Vec::new(), folds: Vec::new(), coverage };
    let Some(compiled) = tags.compiled() else { return facts };
    let mut harvest = Harvest::default();
    matching::run(&compiled.query, tree, source, &mut |pattern, captures| {
        harvest.take(pattern, captures, compiled, source);
    });
    facts.coverage.add(std::mem::take(&mut harvest.misread));
    harvest.attachments.sort_by_key(|item| (item.bytes.start, std::cmp::Reverse(item.bytes.end)));
    harvest.attachments.dedup_by(|later, earlier| later.bytes.start < earlier.bytes.end);
    harvest.imports.sort_by_key(|(bytes, _)| (bytes.start, std::cmp::Reverse(bytes.end)));
    harvest.imports.dedup_by(|later, earlier| later.0.start < earlier.0.end && later.1.source == earlier.1.source);
    facts.imports = harvest.imports.iter().map(|(_, import)| import.clone()).collect();
    let (entries, folds, missed) = forest::build(harvest, compiled, source);
    facts.coverage.add(missed);
    facts.symbols = walk::nest(entries);
    walk::mark_duplicates(&mut facts.symbols);
    facts.folds = outermost(folds);
    facts
}

impl<'t> Harvest<'t> {
    fn take(&mut self, pattern: usize, captures: &[(usize, Node<'t>)], compiled: &Compiled, source: &str) {
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
                Role::Comment => self.lead(node, source, false),
                Role::Attribute => self.lead(node, source, true),
                Role::Access => {
                    // The word that was parsed, where the grammar knows it: another may be written there.
                    let word = node.child(0).filter(|word| !word.is_named()).map(|word| word.kind());
                    let text = word.or_else(|| source.get(node.byte_range())).unwrap_or("");
                    self.access.push((node.end_byte(), words::visibility(text)));
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
            self.imports.push((node.byte_range(), words::import(node, named, kind, source)));
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

    fn lead(&mut self, node: Node<'_>, source: &str, is_attribute: bool) {
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

/// How many bytes stand in regions that the parser did not understand.
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

/// The folds in the order of the file, without those inside others.
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

#[cfg(test)]
mod tests {
    use crate::language::Analysis;

    #[test]
    fn many_names_of_one_declaration_cost_what_many_declarations_do() {
        const NAMES: usize = 20_000;
        let names = (0..NAMES).map(|index| format!("n{index}")).collect::<Vec<_>>().join(", ");
        for (language, source) in [
            ("cpp", format!("int {names};\n")),
            ("cpp", format!("typedef int {names};\n")),
            ("java", format!("class A {{ int {names}; }}\n")),
            ("swift", format!("var {names} = 1\n")),
        ] {
            let language = crate::language::by_name(language).expect("a language");
            let started = std::time::Instant::now();
            // A loaded machine may take longer for the parse than a call would wait.
            let limits = crate::Limits { base: std::time::Duration::from_secs(60), ..crate::Limits::default() };
            let facts = crate::analyse(language, &source, &limits);
            assert!(crate::walk_symbols(&facts.symbols).count() >= NAMES, "{}", language.name);
            // A second at most, half a minute where every name looks at every other.
            assert!(started.elapsed().as_secs() < 10, "{}", language.name);
        }
    }

    #[test]
    fn queries_are_read_whole() {
        for language in crate::language::all() {
            let Analysis::Tags(tags) = &language.analysis else { continue };
            if let Err(error) = super::pattern::Query::new(&tags.grammar.into(), tags.query) {
                panic!("{}: {error}", language.name);
            }
        }
    }
}
