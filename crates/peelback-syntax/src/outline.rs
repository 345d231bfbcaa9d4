//! The state of a file's outline during the walk over the syntax tree: nesting, qualified names, attachments and folds.
//!
//! The walk moves the builder through the tree; a language's frontend adds definitions, imports, exports and folds.

mod declaration;
mod ranges;

use std::any::Any;
use std::collections::HashSet as StdHashSet;

use foldhash::HashSet;
use tree_sitter::{Node, Tree};
use tree_sitter_language::LanguageFn;

use crate::facts::{Export, Facts, Fold, FoldKind, Import, Lines, ParseCoverage, Symbol, SymbolKind, Visibility};
use crate::frontend::{Attachment, LanguageFrontend};
use crate::symbol_tree::{SymbolEntry, build_symbol_tree, join_qualified_name, mark_duplicate_qualified_names};
use crate::text;
use crate::walk;

/// A definition that a frontend found. [`OutlineBuilder::build_definition`] fills in every field that follows from the
/// syntax nodes.
pub(crate) struct Definition<'t> {
    pub name: String,
    pub kind: SymbolKind,
    /// The syntax node of the definition itself: from the first keyword to the last line, without comments above.
    pub node: Node<'t>,
    /// Byte offset where the definition without its decorators and comments begins: the node's start, unless the
    /// frontend changes it.
    pub start: usize,
    /// Byte offset where the definition ends (exclusive): the node's end, unless the frontend changes it.
    pub end: usize,
    pub outer_start: usize,
    pub signature: String,
    pub decorators: Vec<String>,
    pub docstring: Option<String>,
    pub visibility: Visibility,
    pub container: Option<String>,
    /// The owner name in the qualified names of the children, where it differs from `name` (`Foo` for `impl Foo`).
    pub scope_name: Option<String>,
}

struct PendingAttachment<'t> {
    node: Node<'t>,
    role: Attachment,
}

struct OpenScope {
    /// The tree depth of the node that opened the scope. The scope closes when the walk leaves that node.
    depth: usize,
    /// The index in `OutlineBuilder::entries` of the symbol that opened the scope or encloses it; `None` for an
    /// anonymous function outside of any symbol.
    symbol: Option<usize>,
    /// The prefix of the qualified names of definitions inside the scope, such as `Outer.inner`; empty at the top
    /// level.
    prefix: String,
    /// Whether the scope is a body that runs, such as a function's: definitions inside the scope are local.
    is_local: bool,
    /// The number of definitions in `OutlineBuilder::following_definitions` that are added to the outline when the
    /// scope closes.
    following_count: usize,
}

/// The builder of one file's outline. Frontends add definitions, imports, exports and folds during the walk.
pub(crate) struct OutlineBuilder<'t, 's> {
    /// The source text of the file whose outline is built.
    pub source: &'s str,
    frontend: &'s dyn LanguageFrontend,
    grammar: LanguageFn,
    /// The number of enclosing text fragments that were parsed separately, such as macro arguments.
    fragment_depth: usize,
    entries: Vec<SymbolEntry>,
    open_scopes: Vec<OpenScope>,
    pending_attachments: Vec<Vec<PendingAttachment<'t>>>,
    /// The ancestors of the walk's current node, from the root down.
    ancestors: Vec<Node<'t>>,
    depth: usize,
    /// Names that have been bound in each block of statements, as pairs of the block's node id and the name: see
    /// [`OutlineBuilder::mark_name_bound_in_block`].
    block_bindings: HashSet<(usize, String)>,
    pub imports: Vec<Import>,
    pub exports: Vec<Export>,
    folds: Vec<Fold>,
    /// The qualified names of the first `known_entry_count` symbols: a cache that is filled on demand, because few
    /// languages need the names.
    known_qualified_names: HashSet<String>,
    known_entry_count: usize,
    following_definitions: Vec<Definition<'t>>,
    /// Line ranges whose facts are incomplete because the source nests too deep.
    missed_lines: Vec<Lines>,
    /// Byte offset where the last region ends whose facts are incomplete.
    missed_until: usize,
    /// Names that the frontend collects during the walk and reads in [`LanguageFrontend::add_exports_known_at_file_end`].
    pub collected_names: StdHashSet<String>,
    /// What the frontend keeps for itself: see [`OutlineBuilder::frontend_state`].
    frontend_state: Option<Box<dyn Any>>,
}

impl<'t, 's> OutlineBuilder<'t, 's> {
    /// Creates an empty outline builder, positioned before the root of a syntax tree.
    pub fn new(source: &'s str, frontend: &'s dyn LanguageFrontend, grammar: LanguageFn) -> Self {
        Self {
            source,
            frontend,
            grammar,
            fragment_depth: 0,
            entries: Vec::new(),
            open_scopes: Vec::new(),
            pending_attachments: vec![Vec::new()],
            ancestors: Vec::new(),
            depth: 0,
            block_bindings: HashSet::default(),
            imports: Vec::new(),
            exports: Vec::new(),
            folds: Vec::new(),
            known_qualified_names: HashSet::default(),
            known_entry_count: 0,
            following_definitions: Vec::new(),
            missed_lines: Vec::new(),
            missed_until: 0,
            collected_names: StdHashSet::new(),
            frontend_state: None,
        }
    }

    /// Returns the facts of the file, after the walk has visited every node. `coverage` comes from the parser; the
    /// builder adds the regions whose facts are incomplete.
    pub fn into_facts(self, mut coverage: ParseCoverage) -> Facts {
        coverage.add_uncovered_lines(self.missed_lines);
        let mut symbols = build_symbol_tree(self.entries);
        mark_duplicate_qualified_names(&mut symbols);
        Facts { symbols, imports: self.imports, exports: self.exports, folds: self.folds, coverage }
    }

    /// What the frontend keeps for itself during the walk over one tree. It is made when it is first asked for; a frontend
    /// has one type for it.
    pub fn frontend_state<S: Default + 'static>(&mut self) -> Option<&mut S> {
        self.frontend_state.get_or_insert_with(|| Box::new(S::default())).downcast_mut()
    }

    /// What the frontend keeps for itself, if it was asked for before.
    pub fn existing_frontend_state<S: 'static>(&self) -> Option<&S> {
        self.frontend_state.as_ref()?.downcast_ref()
    }

    /// The frontend of the language in which the file is written.
    pub fn frontend(&self) -> &'s dyn LanguageFrontend {
        self.frontend
    }

    /// The grammar with which the syntax tree was parsed.
    pub fn grammar(&self) -> LanguageFn {
        self.grammar
    }

    /// Stores a comment or decorator, which belongs to the next definition among the siblings of `node`. Also folds a
    /// comment.
    pub fn store_comment_or_decorator(&mut self, node: Node<'t>, role: Attachment) {
        let is_trailing = role == Attachment::Comment && is_trailing_comment(node, self.source);
        if !is_trailing && let Some(siblings) = self.pending_attachments.get_mut(self.depth) {
            siblings.push(PendingAttachment { node, role });
        }
        if role == Attachment::Comment {
            self.fold_byte_range_unless_overlapping(
                node.start_byte()..text::trimmed_end_offset(self.source, node.byte_range()),
                FoldKind::Comment,
            );
        }
    }

    /// Drops the stored comments and decorators above the current node, because a node that defines nothing comes
    /// between them and the next definition.
    pub fn discard_stored_comments_and_decorators(&mut self) {
        if let Some(siblings) = self.pending_attachments.get_mut(self.depth) {
            siblings.clear();
        }
    }

    /// Moves from `parent`, the current node, to its first child. With `keep_attachments`, the comments and decorators
    /// above the parent also count as above that child.
    pub fn move_to_first_child(&mut self, parent: Node<'t>, keep_attachments: bool) {
        let kept = self
            .pending_attachments
            .get_mut(self.depth)
            .filter(|_| keep_attachments)
            .map(std::mem::take)
            .unwrap_or_default();
        self.depth += 1;
        self.ancestors.push(parent);
        match self.pending_attachments.get_mut(self.depth) {
            Some(siblings) => *siblings = kept,
            None => self.pending_attachments.push(kept),
        }
    }

    /// Moves from the walk's current node to its parent.
    pub fn move_to_parent_node(&mut self) {
        self.depth -= 1;
        self.ancestors.pop();
    }

    /// The source text of a syntax node.
    pub fn text_of_node(&self, node: Node<'_>) -> &'s str {
        self.source.get(node.byte_range()).unwrap_or("")
    }

    /// The source text of the node's child in `field`, or `None` where the field is absent.
    pub fn field_text(&self, node: Node<'_>, field: &str) -> Option<&'s str> {
        node.child_by_field_name(field).map(|child| self.text_of_node(child))
    }

    /// The ancestors of the walk's current node, the parent first. They are stored, because `Node::parent` would search
    /// each ancestor from the root.
    pub fn ancestor_nodes(&self) -> impl Iterator<Item = Node<'t>> {
        self.ancestors.iter().rev().copied()
    }

    /// Adds a definition to the outline without opening a scope for it: it gets no children.
    pub fn add_leaf_definition(&mut self, definition: Definition<'t>) {
        self.add_symbol_entry(definition);
    }

    /// Adds a definition to the outline and opens its scope: definitions below the current node become its children.
    pub fn add_definition_and_open_scope(&mut self, definition: Definition<'t>) {
        let runs = definition.kind.is_callable();
        let scope_name = definition.scope_name.clone();
        let node = definition.node;
        let index = self.add_symbol_entry(definition);
        let prefix = match &scope_name {
            Some(scope) => join_qualified_name(self.qualified_name_prefix(), scope),
            None => self.entries.get(index).map_or_else(String::new, |entry| entry.symbol.qualified_name.clone()),
        };
        let runs = runs || self.is_in_local_scope();
        // A limit on the nesting and on the length of names: in extremely deep source, the total length of all names
        // would grow with the square of the source's length.
        if self.open_scopes.len() < MAX_NESTING && prefix.len() < MAX_PREFIX_BYTES {
            self.open_scopes.push(OpenScope {
                depth: self.depth,
                symbol: Some(index),
                prefix,
                is_local: runs,
                following_count: 0,
            });
        } else {
            self.record_region_with_incomplete_facts(node);
            self.open_scope_without_symbol(runs);
        }
    }

    /// Records that the facts inside `node` are incomplete because a limit on nesting was reached.
    pub fn record_region_with_incomplete_facts(&mut self, node: Node<'_>) {
        // Only the outermost region is recorded, not regions inside it.
        if node.start_byte() >= self.missed_until {
            self.missed_until = node.end_byte();
            let lines = self.lines_of_node(node);
            self.missed_lines.push(lines);
        }
    }

    /// Visits the tree of a separately parsed fragment of the text, as if its root were a child of the current node.
    pub fn visit_fragment_tree(&mut self, tree: &Tree) {
        let mut pending = Vec::new();
        pending.resize_with(self.depth + 2, Vec::new);
        let mut inner = OutlineBuilder {
            source: self.source,
            frontend: self.frontend,
            grammar: self.grammar,
            fragment_depth: self.fragment_depth + 1,
            entries: std::mem::take(&mut self.entries),
            open_scopes: std::mem::take(&mut self.open_scopes),
            pending_attachments: pending,
            ancestors: Vec::new(),
            depth: self.depth + 1,
            block_bindings: HashSet::default(),
            imports: std::mem::take(&mut self.imports),
            exports: std::mem::take(&mut self.exports),
            folds: std::mem::take(&mut self.folds),
            known_qualified_names: std::mem::take(&mut self.known_qualified_names),
            known_entry_count: self.known_entry_count,
            following_definitions: Vec::new(),
            missed_lines: std::mem::take(&mut self.missed_lines),
            missed_until: self.missed_until,
            collected_names: std::mem::take(&mut self.collected_names),
            // It is about the nodes of one tree.
            frontend_state: None,
        };
        walk::visit_tree(tree, &mut inner);
        self.entries = inner.entries;
        self.open_scopes = inner.open_scopes;
        self.imports = inner.imports;
        self.exports = inner.exports;
        self.folds = inner.folds;
        self.known_qualified_names = inner.known_qualified_names;
        self.known_entry_count = inner.known_entry_count;
        self.missed_lines = inner.missed_lines;
        self.missed_until = inner.missed_until;
        self.collected_names = inner.collected_names;
    }

    /// The number of separately parsed text fragments (such as macro arguments) that enclose the current node.
    pub fn fragment_depth(&self) -> usize {
        self.fragment_depth
    }

    /// Opens the scope of an anonymous function: definitions below the current node are local.
    pub fn open_local_scope_without_symbol(&mut self) {
        self.open_scope_without_symbol(true);
    }

    /// Opens a scope that has no symbol of its own: definitions below the current node belong to the enclosing symbol.
    /// `runs` says whether they are local.
    fn open_scope_without_symbol(&mut self, runs: bool) {
        let prefix = self.qualified_name_prefix().to_owned();
        let symbol = self.open_scopes.last().and_then(|open| open.symbol);
        self.open_scopes.push(OpenScope { depth: self.depth, symbol, prefix, is_local: runs, following_count: 0 });
    }

    /// Adds a sibling after the definition that the current node opened and after that definition's children: the
    /// second name of a statement that defines several (`typedef struct node { … } node_t;`).
    pub fn add_sibling_after_open_definition(&mut self, definition: Definition<'t>) {
        match self.open_scopes.last_mut() {
            Some(open) if open.depth == self.depth => {
                open.following_count += 1;
                self.following_definitions.push(definition);
            }
            _ => self.add_leaf_definition(definition),
        }
    }

    /// Whether the parent of the walk's current node opened a definition.
    pub fn has_defining_parent(&self) -> bool {
        self.open_scopes.last().is_some_and(|open| open.depth + 1 == self.depth)
    }

    /// The number of definitions and anonymous functions around the walk's current node.
    pub fn open_scope_count(&self) -> usize {
        self.open_scopes.len()
    }

    /// Closes the scopes that the current node or a node below it opened, once the walk leaves the node.
    pub fn close_finished_scopes(&mut self) {
        while self.open_scopes.last().is_some_and(|open| open.depth >= self.depth) {
            let following_count = self.open_scopes.pop().map_or(0, |open| open.following_count);
            let first = self.following_definitions.len().saturating_sub(following_count);
            for definition in self.following_definitions.split_off(first) {
                self.add_leaf_definition(definition);
            }
        }
    }

    /// Whether the walk's current node is inside a body that runs, such as a function's, so that definitions there are
    /// local.
    pub fn is_in_local_scope(&self) -> bool {
        self.open_scopes.last().is_some_and(|open| open.is_local)
    }

    /// The kind of the symbol that encloses the current node, or `None` at the top level.
    pub fn enclosing_symbol_kind(&self) -> Option<SymbolKind> {
        self.enclosing_symbol().map(|symbol| symbol.kind)
    }

    /// The symbol that encloses the current node, or `None` at the top level.
    pub fn enclosing_symbol(&self) -> Option<&Symbol> {
        let index = self.open_scopes.last().and_then(|open| open.symbol)?;
        self.entries.get(index).map(|entry| &entry.symbol)
    }

    /// Whether the outline already contains a symbol with this qualified name.
    pub fn has_symbol_with_qualified_name(&mut self, qualified_name: &str) -> bool {
        let new = self.entries.get(self.known_entry_count..).unwrap_or(&[]);
        self.known_qualified_names.extend(new.iter().map(|entry| entry.symbol.qualified_name.clone()));
        self.known_entry_count = self.entries.len();
        self.known_qualified_names.contains(qualified_name)
    }

    /// Records that `name` is bound in the block of statements `block`, and returns whether this is the name's first
    /// binding there.
    pub fn mark_name_bound_in_block(&mut self, block: Node<'_>, name: &str) -> bool {
        self.block_bindings.insert((block.id(), name.to_owned()))
    }

    /// The symbols found so far at the file's top level.
    pub fn top_level_symbols(&self) -> impl DoubleEndedIterator<Item = &Symbol> {
        self.entries.iter().filter(|entry| entry.parent.is_none()).map(|entry| &entry.symbol)
    }

    /// Mutable access to the symbols at the file's top level, because a frontend can learn more about a symbol after it
    /// was added.
    pub fn top_level_symbols_mut(&mut self) -> impl Iterator<Item = &mut Symbol> {
        self.entries.iter_mut().filter(|entry| entry.parent.is_none()).map(|entry| &mut entry.symbol)
    }

    fn qualified_name_prefix(&self) -> &str {
        self.open_scopes.last().map_or("", |open| &open.prefix)
    }

    fn add_symbol_entry(&mut self, definition: Definition<'t>) -> usize {
        let parent = self.open_scopes.last().and_then(|open| open.symbol);
        let qualified_name = match &definition.container {
            Some(container) => {
                join_qualified_name(&join_qualified_name(self.qualified_name_prefix(), container), &definition.name)
            }
            None => join_qualified_name(self.qualified_name_prefix(), &definition.name),
        };
        let lines = self.definition_lines_without_comments_above(&definition);
        let outer_line = lines.first - text::count_newlines(self.source, definition.outer_start..definition.start);
        let symbol = Symbol {
            qualified_name,
            name: definition.name,
            has_unique_name: true,
            ordinal_on_line: None,
            kind: definition.kind,
            lines,
            outer_line,
            bytes: definition.start..definition.end,
            outer_start: definition.outer_start,
            signature: definition.signature,
            decorators: definition.decorators,
            docstring: definition.docstring,
            visibility: definition.visibility,
            container: definition.container,
            local: self.is_in_local_scope(),
            children: Vec::new(),
        };
        self.entries.push(SymbolEntry { symbol, parent });
        self.entries.len() - 1
    }
}

/// The limit on the number of lines of an initialiser that a skeleton shows in full; longer initialisers are folded.
/// Three lines are enough to show what a value is.
pub(crate) const LONG_VALUE_LINES: usize = 3;

/// The limit on the nesting of symbols in an outline; a symbol below this depth becomes a sibling of its owner.
const MAX_NESTING: usize = 128;

/// The limit on the length, in bytes, of a qualified name that is the prefix of other qualified names.
const MAX_PREFIX_BYTES: usize = 2_000;

/// The limit on the number of names in one statement up to which the signature of each name is the whole statement.
/// With more names, each signature is only the text of that name; otherwise all signatures together would grow with the
/// square of the statement's length.
pub(crate) const MANY_NAMES: usize = 32;

/// The limit on the number of bytes before a comment that are searched for code on the same line: minified files have
/// lines of megabytes.
const MAX_BYTES_BEFORE_COMMENT: usize = 1_000;

/// Whether code precedes a comment on its line: a trailing comment does not document the definition below.
fn is_trailing_comment(comment: Node<'_>, source: &str) -> bool {
    let end = comment.start_byte();
    let before = source.as_bytes().get(end.saturating_sub(MAX_BYTES_BEFORE_COMMENT)..end).unwrap_or(&[]);
    let line = memchr::memrchr(b'\n', before).map_or(before, |newline| before.get(newline + 1..).unwrap_or(&[]));
    line.iter().any(|byte| !byte.is_ascii_whitespace())
}
