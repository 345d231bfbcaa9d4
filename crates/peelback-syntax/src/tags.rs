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
//! - `@same` is another name of the definition: where it is equal to `@name`, what has that name is `@inner` alone, with
//!   `@outer` around it; otherwise both are definitions.
//! - `@scope` is a part of a definition with its own `@access`.
//! - `@misread` is code that the grammar accepts but misunderstands: the file's coverage is partial.
//! - `@access` sets the visibility of the definitions after it, inside the same definition (`private:`).
//! - `@documentation` is text that documents: inside a definition (a docstring) that definition, else the definition
//!   directly below. `@text` inside it is the text without the marks around it.
//! - `@visibility` is a modifier of the definition, where it is not in front of its name.
//! - `@parameters` are the parameters of a definition with the setting `joins`.
//!
//! Keys of `#set!` on a pattern: `name` (the name of definitions that have none in the text), `prefix` (text before the
//! name), `access` (the visibility of members, up to the first `@access`), `import` (the kind of an import), `outside`
//! (excludes definitions inside a body that runs), `once` (only the first binding of a name is a definition), `container`
//! (the name of the owner), `joins` (consecutive definitions of one name with the same number of parameters, such as the
//! clauses of a function, are one definition), `extends` (the definition ends where the next one with this key begins;
//! with the value `stop`, it ends as its node does),
//! `rest` (the body goes on to the end of the definition), `keyword` (the definition begins with the tokens before its
//! node: `let rec`, `and`), `span` (the definition ends with its body or value, which is outside its node), `line` (the signature is the
//! definition's first line), `header` (the name is the text before the body), `borrowed` (the name is that of something
//! else, which the place of the name uses).
//!
//! A second query, `references.scm`, finds the uses of names (`references.rs`). Without it, every identifier counts as one.
//!
//! Nesting follows from containment of byte ranges. Where several patterns match the same name, the first pattern in
//! the query decides the kind, and the widest match decides the range.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

use tree_sitter::{Node, Tree};
use tree_sitter_language::LanguageFn;

use crate::facts::{Facts, Fold, FoldKind, Import, ImportKind, Lines, ParseCoverage, Symbol, SymbolKind, Visibility};
use crate::grammar::Grammar;
use crate::names::NamesBuilder;
use crate::outline::LONG_VALUE_LINES;
use crate::symbol_tree::{self, SymbolEntry};
use crate::syntax_errors;
use crate::text;

mod defining_identifiers;
mod forest;
mod matching;
mod pattern;
mod references;
#[cfg(test)]
mod tests;
mod words;

pub(crate) use words::{CLASS_VISIBILITY, Vocabulary};

/// A grammar and its tags query, with the language's additional rules.
pub(crate) struct TagsQueryLanguage {
    /// The language's grammar; `None` where the cargo feature of the language is off.
    pub grammar: Option<Grammar>,
    /// The source text of the tags query.
    pub query: &'static str,
    vocabulary: Vocabulary,
    /// A function that rewrites a text in which the grammar found errors. Every byte keeps its offset and its line.
    repair: Option<fn(&str) -> Option<String>>,
    /// A function that rewrites every text before the first parse. Every byte keeps its offset and its line.
    preparation: Option<fn(&str) -> Option<String>>,
    /// A function that records the files that a syntax tree's imports name, where another language resolves such imports.
    import_binder: Option<fn(&Tree, &mut NamesBuilder<'_>)>,
    /// A function that binds all names of a syntax tree, in place of a query for uses.
    names_binder: Option<fn(&Tree, &mut NamesBuilder<'_>)>,
    /// The source text of the query for uses of names; `None` where every identifier counts as a use.
    references: Option<&'static str>,
    /// The compiled query for uses of names, created on first use.
    compiled_references: OnceLock<Option<references::CompiledReferences>>,
    /// The compiled tags query, created on first use; `None` where the query does not match the grammar, or there is no
    /// grammar.
    compiled: OnceLock<Option<CompiledTags>>,
}

impl TagsQueryLanguage {
    pub(crate) const fn new(grammar: Option<LanguageFn>, query: &'static str) -> Self {
        let grammar = match grammar {
            Some(function) => Some(Grammar::Function(function)),
            None => None,
        };
        Self::with_grammar(grammar, query)
    }

    /// A language whose grammar is in a crate of the older form.
    pub(crate) const fn with_older_grammar(
        grammar: Option<fn() -> tree_sitter::Language>,
        query: &'static str,
    ) -> Self {
        let grammar = match grammar {
            Some(make) => Some(Grammar::Maker(make)),
            None => None,
        };
        Self::with_grammar(grammar, query)
    }

    const fn with_grammar(grammar: Option<Grammar>, query: &'static str) -> Self {
        Self {
            grammar,
            query,
            vocabulary: Vocabulary { visibility: &[], imports: &[] },
            repair: None,
            preparation: None,
            import_binder: None,
            names_binder: None,
            references: None,
            compiled_references: OnceLock::new(),
            compiled: OnceLock::new(),
        }
    }

    /// Sets the query that finds the uses of names.
    pub(crate) const fn with_references(mut self, query: &'static str) -> Self {
        self.references = Some(query);
        self
    }

    /// Sets the language's words for the visibility of definitions and for imports.
    pub(crate) const fn with_visibility_and_import_words(mut self, vocabulary: Vocabulary) -> Self {
        self.vocabulary = vocabulary;
        self
    }

    /// Sets the function that rewrites a text in which the grammar finds errors.
    pub(crate) const fn with_source_repair(mut self, repair: fn(&str) -> Option<String>) -> Self {
        self.repair = Some(repair);
        self
    }

    /// Sets the function that rewrites a text before the first parse, because the grammar would misread it without an
    /// error.
    pub(crate) const fn with_source_preparation(mut self, preparation: fn(&str) -> Option<String>) -> Self {
        self.preparation = Some(preparation);
        self
    }

    /// Sets the function that binds the names of a syntax tree.
    pub(crate) const fn with_names_binder(mut self, bind_names: fn(&Tree, &mut NamesBuilder<'_>)) -> Self {
        self.names_binder = Some(bind_names);
        self
    }

    /// Sets the function that records the files that a syntax tree's imports name.
    pub(crate) const fn with_import_binder(mut self, bind_imports: fn(&Tree, &mut NamesBuilder<'_>)) -> Self {
        self.import_binder = Some(bind_imports);
        self
    }

    /// Records the files that the imports of a syntax tree name, where another language resolves them.
    pub(crate) fn bind_imports(&self, tree: &Tree, builder: &mut NamesBuilder<'_>) {
        if let Some(bind_imports) = self.import_binder {
            bind_imports(tree, builder);
        }
    }

    /// Binds the names of a syntax tree. Returns `false` where the language has no binder.
    pub(crate) fn bind_names(&self, tree: &Tree, builder: &mut NamesBuilder<'_>) -> bool {
        match self.names_binder {
            Some(bind_names) => {
                bind_names(tree, builder);
                true
            }
            None => false,
        }
    }

    /// The text to parse instead of `source`; `None` where the grammar can read `source` as written.
    pub(crate) fn prepare_source(&self, source: &str) -> Option<String> {
        self.preparation.and_then(|prepare| prepare(source))
    }

    /// Returns the better of two syntax trees: `tree`, or the tree of the repaired text where errors cover fewer bytes
    /// in that tree.
    pub(crate) fn better_of_original_and_repaired_tree(
        &self,
        tree: Tree,
        source: &str,
        parse: impl FnOnce(&str) -> Option<Tree>,
    ) -> Tree {
        if !tree.root_node().has_error() {
            return tree;
        }
        let better = self.repair.and_then(|repair| repair(source)).and_then(|text| parse(&text));
        better
            .filter(|better| count_bytes_with_syntax_errors(better) < count_bytes_with_syntax_errors(&tree))
            .unwrap_or(tree)
    }

    fn compiled_tags(&self) -> Option<&CompiledTags> {
        self.compiled.get_or_init(|| CompiledTags::new(self.grammar?, self.query, self.vocabulary)).as_ref()
    }
}

struct CompiledTags {
    query: pattern::Query,
    vocabulary: Vocabulary,
    /// The role of each capture of the query, indexed by the capture's index.
    roles: Vec<CaptureRole>,
    /// The `#set!` settings of each pattern of the query, indexed by the pattern's index.
    patterns: Vec<PatternSettings>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CaptureRole {
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
    Same,
    Misread,
    Documentation,
    Text,
    Parameters,
    Visibility,
    /// A capture without a role of its own, which is used only in the predicates of its pattern.
    Other,
}

#[derive(Default)]
struct PatternSettings {
    name: Option<String>,
    prefix: Option<String>,
    access: Visibility,
    import: Option<ImportKind>,
    container: Option<String>,
    outside: bool,
    once: bool,
    joins: bool,
    /// Whether the definition goes on to the next one for which this is not `None`.
    extends: Option<bool>,
    rest: bool,
    keyword: bool,
    span: bool,
    line: bool,
    header: bool,
    borrowed: bool,
}

impl CompiledTags {
    fn new(grammar: Grammar, query: &str, vocabulary: Vocabulary) -> Option<Self> {
        let query = pattern::Query::new(&grammar.into(), query).ok()?;
        let roles = query
            .captures
            .iter()
            .map(|name| match name.as_str() {
                "name" => CaptureRole::Name,
                "qualified" => CaptureRole::Qualified,
                "container" => CaptureRole::Container,
                "body" => CaptureRole::Body,
                "end" => CaptureRole::End,
                "value" => CaptureRole::Value,
                "import" => CaptureRole::Import,
                "source" => CaptureRole::Source,
                "comment" => CaptureRole::Comment,
                "attribute" => CaptureRole::Attribute,
                "access" => CaptureRole::Access,
                "scope" => CaptureRole::Scope,
                "outer" => CaptureRole::Outer,
                "inner" => CaptureRole::Inner,
                "same" => CaptureRole::Same,
                "misread" => CaptureRole::Misread,
                "documentation" => CaptureRole::Documentation,
                "text" => CaptureRole::Text,
                "parameters" => CaptureRole::Parameters,
                "visibility" => CaptureRole::Visibility,
                other => other
                    .strip_prefix("definition.")
                    .and_then(SymbolKind::from_name)
                    .map_or(CaptureRole::Other, CaptureRole::Definition),
            })
            .collect();
        let patterns = query
            .patterns
            .iter()
            .map(|pattern| {
                let mut settings = PatternSettings::default();
                for (key, value) in &pattern.settings {
                    match key.as_str() {
                        "name" => settings.name = Some(value.clone()),
                        "prefix" => settings.prefix = Some(value.clone()),
                        "access" => settings.access = words::visibility_from_modifiers(value, vocabulary.visibility),
                        "import" => settings.import = words::import_kind_by_name(value),
                        "outside" => settings.outside = true,
                        "once" => settings.once = true,
                        "container" => settings.container = Some(value.clone()),
                        "joins" => settings.joins = true,
                        "extends" => settings.extends = Some(value != "stop"),
                        "rest" => settings.rest = true,
                        "keyword" => settings.keyword = true,
                        "span" => settings.span = true,
                        "line" => settings.line = true,
                        "header" => settings.header = true,
                        "borrowed" => settings.borrowed = true,
                        _ => {}
                    }
                }
                settings
            })
            .collect();
        Some(Self { query, vocabulary, roles, patterns })
    }
}

/// A definition that a pattern of the tags query found in the syntax tree.
struct MatchedDefinition<'t> {
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
    documentation: Option<Node<'t>>,
    parameters: Option<Node<'t>>,
    visibility: Option<Node<'t>>,
    /// Whether another definition, of the same name, stands for this one.
    is_repetition: bool,
}

impl<'t> MatchedDefinition<'t> {
    /// Merges another match of the same definition's name into this definition.
    fn merge_match(&mut self, other: MatchedDefinition<'t>) {
        let first = if other.pattern < self.pattern { &other } else { &*self };
        let (pattern, kind, qualified) = (first.pattern, first.kind, first.qualified);
        // Where two patterns for different kinds disagree on the end of the signature, the first pattern decides.
        let (end, value) = if other.kind == self.kind {
            (self.end.or(other.end), self.value.or(other.value))
        } else {
            (first.end, first.value)
        };
        let wider = other.node.byte_range().len() > self.node.byte_range().len();
        *self = MatchedDefinition {
            pattern,
            kind,
            qualified,
            node: if wider { other.node } else { self.node },
            name: self.name,
            container: self.container.or(other.container),
            body: self.body.or(other.body),
            end,
            value,
            documentation: self.documentation.or(other.documentation),
            parameters: self.parameters.or(other.parameters),
            visibility: self.visibility.or(other.visibility),
            is_repetition: self.is_repetition || other.is_repetition,
        };
    }
}

/// A comment or attribute in the file, which belongs to the definition that follows it.
#[derive(Clone)]
struct Attachment {
    bytes: Range<usize>,
    kind: AttachmentKind,
}

#[derive(Clone, PartialEq, Eq)]
enum AttachmentKind {
    Comment,
    Attribute,
    /// Text that documents, with the byte range of the text without the marks around it.
    Documentation(Range<usize>),
}

/// All matches of a tags query in one file, before the definitions are nested.
#[derive(Default)]
struct Matches<'t> {
    definitions: Vec<MatchedDefinition<'t>>,
    /// The index in `definitions` of each definition, by the byte range of its name; by that of its node where the
    /// definition has no name.
    definition_indices: HashMap<(usize, usize), usize>,
    imports: Vec<(Range<usize>, Import)>,
    /// The comments and attributes of the file, sorted by their byte offset.
    attachments: Vec<Attachment>,
    /// Byte ranges of the bodies of anonymous functions.
    bodies: Vec<Range<usize>>,
    visibility_labels: Vec<(usize, Visibility)>,
    scopes: Vec<Range<usize>>,
    misread: Vec<Lines>,
    /// The `@outer` node that encloses a definition, by the node id of the definition (`@inner`).
    outer: HashMap<usize, Node<'t>>,
}

/// Returns the facts of a text, read from its syntax tree with a tags query. `parsed` is the text that was parsed, in which
/// words that the grammar does not know are blanks.
pub(crate) fn read_facts_with_tags_query(tree: &Tree, source: &str, parsed: &str, tags: &TagsQueryLanguage) -> Facts {
    let coverage =
        if tree.root_node().has_error() { syntax_errors::parse_coverage_of_tree(tree) } else { ParseCoverage::Whole };
    let mut facts =
        Facts { symbols: Vec::new(), imports: Vec::new(), exports: Vec::new(), folds: Vec::new(), coverage };
    let Some(compiled) = tags.compiled_tags() else { return facts };
    let mut matches = Matches::default();
    matching::for_each_match(&compiled.query, tree, source, &mut |pattern, captures| {
        matches.add_match(pattern, captures, compiled, source);
    });
    facts.coverage.add_uncovered_lines(std::mem::take(&mut matches.misread));
    matches.attachments.sort_by_key(|item| (item.bytes.start, std::cmp::Reverse(item.bytes.end)));
    matches.attachments.dedup_by(|later, earlier| later.bytes.start < earlier.bytes.end);
    matches.imports.sort_by_key(|(bytes, _)| (bytes.start, std::cmp::Reverse(bytes.end)));
    matches.definitions.retain(|definition| !definition.is_repetition);
    matches.imports.dedup_by(|later, earlier| later.0.start < earlier.0.end && later.1.source == earlier.1.source);
    facts.imports = matches.imports.iter().map(|(_, import)| import.clone()).collect();
    let (entries, folds, missed) =
        forest::nested_symbols_folds_and_missed_lines(matches, compiled, tree.root_node(), (source, parsed));
    facts.coverage.add_uncovered_lines(missed);
    facts.symbols = symbol_tree::build_symbol_tree(entries);
    symbol_tree::mark_duplicate_qualified_names(&mut facts.symbols);
    facts.folds = outermost_folds(folds);
    facts
}

impl<'t> Matches<'t> {
    fn add_match(&mut self, pattern: usize, captures: &[(usize, Node<'t>)], compiled: &CompiledTags, source: &str) {
        let (mut definition, mut name, mut container, mut body) = (None, None, None, None);
        let (mut end, mut value, mut import, mut named) = (None, None, None, None);
        let mut qualified = false;
        let (mut outer, mut inner, mut same) = (None, None, None);
        let (mut documentation, mut documentation_text, mut parameters) = (None, None, None);
        let mut visibility = None;
        for &(capture, node) in captures {
            match compiled.roles.get(capture).copied().unwrap_or(CaptureRole::Other) {
                CaptureRole::Definition(kind) => definition = Some((kind, node)),
                CaptureRole::Name => name = Some(node),
                CaptureRole::Qualified => {
                    name = Some(node);
                    qualified = true;
                }
                CaptureRole::Container => container = Some(node),
                CaptureRole::Body => body = body.or(Some(node)),
                CaptureRole::End => end = end.or(Some(node)),
                CaptureRole::Value => value = value.or(Some(node)),
                CaptureRole::Import => import = Some(node),
                CaptureRole::Source => named = Some(node),
                CaptureRole::Comment => self.add_attachment(node, source, AttachmentKind::Comment),
                CaptureRole::Attribute => self.add_attachment(node, source, AttachmentKind::Attribute),
                CaptureRole::Access => {
                    // The keyword comes from the syntax tree, because the prepared text can have another keyword than
                    // the source there.
                    let word = node.child(0).filter(|word| !word.is_named()).map(|word| word.kind());
                    let text = word.or_else(|| source.get(node.byte_range())).unwrap_or("");
                    self.visibility_labels.push((
                        node.end_byte(),
                        words::visibility_from_modifiers(text, compiled.vocabulary.visibility),
                    ));
                }
                CaptureRole::Scope => self.scopes.push(node.byte_range()),
                CaptureRole::Outer => outer = Some(node),
                CaptureRole::Inner => inner = Some(node),
                CaptureRole::Same => same = Some(node),
                CaptureRole::Documentation => documentation = Some(node),
                CaptureRole::Text => documentation_text = Some(node),
                CaptureRole::Parameters => parameters = Some(node),
                CaptureRole::Visibility => visibility = Some(node),
                CaptureRole::Misread => self.misread.push(lines_of_node(node)),
                CaptureRole::Other => {}
            }
        }
        let text_of = |node: Option<Node<'t>>| node.and_then(|node| source.get(node.byte_range()));
        let is_repetition = same.is_some() && text_of(same) == text_of(name);
        if let (Some(outer), Some(inner)) = (outer, inner)
            && (same.is_none() || is_repetition)
        {
            self.outer.insert(inner.id(), outer);
        }
        if let Some(node) = import {
            let kind = compiled.patterns.get(pattern).and_then(|settings| settings.import);
            self.imports
                .push((node.byte_range(), words::build_import(node, named, kind, compiled.vocabulary.imports, source)));
        }
        match definition {
            Some((kind, node)) => {
                self.add_or_merge_definition(MatchedDefinition {
                    pattern,
                    kind,
                    node,
                    name,
                    qualified,
                    container,
                    body,
                    end,
                    value,
                    documentation: documentation_text.or(documentation),
                    parameters,
                    visibility,
                    is_repetition,
                });
            }
            None => {
                if let Some(node) = documentation {
                    let text = documentation_text.unwrap_or(node).byte_range();
                    self.add_attachment(node, source, AttachmentKind::Documentation(text));
                }
                if let Some(body) = body {
                    self.bodies.push(body.start_byte()..text::trimmed_end_offset(source, body.byte_range()));
                }
            }
        }
    }

    fn add_attachment(&mut self, node: Node<'_>, source: &str, kind: AttachmentKind) {
        let bytes = node.start_byte()..text::trimmed_end_offset(source, node.byte_range());
        self.attachments.push(Attachment { bytes, kind });
    }

    fn add_or_merge_definition(&mut self, found: MatchedDefinition<'t>) {
        let bytes = found.name.unwrap_or(found.node).byte_range();
        match self.definition_indices.entry((bytes.start, bytes.end)) {
            std::collections::hash_map::Entry::Occupied(slot) => {
                if let Some(known) = self.definitions.get_mut(*slot.get()) {
                    known.merge_match(found);
                }
            }
            std::collections::hash_map::Entry::Vacant(slot) => {
                slot.insert(self.definitions.len());
                self.definitions.push(found);
            }
        }
    }
}

fn lines_of_node(node: Node<'_>) -> Lines {
    let line = |row: usize| u32::try_from(row).unwrap_or(u32::MAX - 1) + 1;
    Lines { first: line(node.start_position().row), last: line(node.end_position().row) }
}

/// The number of bytes in the regions of a syntax tree that have syntax errors.
fn count_bytes_with_syntax_errors(tree: &Tree) -> usize {
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

/// Sorts folds in the order of the file and removes folds that are inside other folds.
fn outermost_folds(mut folds: Vec<Fold>) -> Vec<Fold> {
    folds.retain(|fold| fold.bytes.start < fold.bytes.end);
    folds.sort_by_key(|fold| (fold.bytes.start, std::cmp::Reverse(fold.bytes.end)));
    let mut reached = 0;
    folds.retain(|fold| {
        let is_outermost = fold.bytes.start >= reached;
        if is_outermost {
            reached = fold.bytes.end;
        }
        is_outermost
    });
    folds
}
