//! The state of a file's outline during the walk over the syntax tree: nesting, qualified names, attachments and folds.
//!
//! The walk moves the builder through the tree; a language's frontend adds definitions, imports, exports and folds.

mod declaration;
mod ranges;

use std::collections::HashSet as StdHashSet;

use foldhash::HashSet;
use tree_sitter::{Node, Tree};
use tree_sitter_language::LanguageFn;

use crate::facts::{Coverage, Export, Facts, Fold, FoldKind, Import, Lines, Symbol, SymbolKind, Visibility};
use crate::frontend::{Attachment, Frontend};
use crate::symbol_tree::{Entry, mark_duplicates, nest, qualify};
use crate::text;
use crate::walk;

/// A definition that a frontend found. [`OutlineBuilder::define`] fills in every field that follows from the syntax
/// nodes.
pub(crate) struct Definition<'t> {
    pub name: String,
    pub kind: SymbolKind,
    /// The syntax node of the definition proper: from the first keyword to the last line.
    pub node: Node<'t>,
    /// Byte offset where the definition proper begins: the node's start, unless the frontend changes it.
    pub start: usize,
    /// Byte offset where the definition proper ends (exclusive): the node's end, unless the frontend changes it.
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
    /// The index of the scope's symbol in `OutlineBuilder::entries`; `None` for an anonymous function outside of any
    /// symbol.
    symbol: Option<usize>,
    /// The prefix of the qualified names of definitions inside the scope; empty at the top level.
    prefix: String,
    /// Whether the scope is a body that runs: definitions inside the scope are local.
    runs: bool,
    /// The number of definitions in `OutlineBuilder::after` that are added to the outline when the scope closes.
    after: usize,
}

/// The builder of one file's outline. Frontends add definitions, imports, exports and folds during the walk.
pub(crate) struct OutlineBuilder<'t, 's> {
    /// The text of the analysed file.
    pub source: &'s str,
    frontend: &'s dyn Frontend,
    grammar: LanguageFn,
    /// The number of enclosing text fragments that were parsed separately, such as macro arguments.
    fragment_depth: usize,
    entries: Vec<Entry>,
    open: Vec<OpenScope>,
    pending: Vec<Vec<PendingAttachment<'t>>>,
    /// The ancestors of the current node, from the root down.
    ancestors: Vec<Node<'t>>,
    depth: usize,
    /// Names that have been bound in each block, as pairs of the block's node id and the name: see
    /// [`OutlineBuilder::claim`].
    claimed: HashSet<(usize, String)>,
    pub imports: Vec<Import>,
    pub exports: Vec<Export>,
    folds: Vec<Fold>,
    /// The qualified names of the first `known_entries` symbols. A cache that is filled on demand, because few
    /// languages need the names.
    known: HashSet<String>,
    known_entries: usize,
    after: Vec<Definition<'t>>,
    /// Line ranges whose facts are incomplete because the source nests too deep.
    missed: Vec<Lines>,
    /// Byte offset where the last region with incomplete facts ends.
    missed_until: usize,
    /// Names that the frontend collects during the walk for [`Frontend::finish`].
    pub noted: StdHashSet<String>,
}

impl<'t, 's> OutlineBuilder<'t, 's> {
    /// Creates an empty builder, positioned before the root of a tree.
    pub fn new(source: &'s str, frontend: &'s dyn Frontend, grammar: LanguageFn) -> Self {
        Self {
            source,
            frontend,
            grammar,
            fragment_depth: 0,
            entries: Vec::new(),
            open: Vec::new(),
            pending: vec![Vec::new()],
            ancestors: Vec::new(),
            depth: 0,
            claimed: HashSet::default(),
            imports: Vec::new(),
            exports: Vec::new(),
            folds: Vec::new(),
            known: HashSet::default(),
            known_entries: 0,
            after: Vec::new(),
            missed: Vec::new(),
            missed_until: 0,
            noted: StdHashSet::new(),
        }
    }

    /// Returns the facts after the walk has visited every node. `coverage` comes from the parser; the builder adds the
    /// regions whose facts are incomplete.
    pub fn finish(self, mut coverage: Coverage) -> Facts {
        coverage.add(self.missed);
        let mut symbols = nest(self.entries);
        mark_duplicates(&mut symbols);
        Facts { symbols, imports: self.imports, exports: self.exports, folds: self.folds, coverage }
    }

    /// The frontend of the file's language.
    pub fn frontend(&self) -> &'s dyn Frontend {
        self.frontend
    }

    /// The grammar with which the syntax tree was parsed.
    pub fn grammar(&self) -> LanguageFn {
        self.grammar
    }

    /// Stores a comment or decorator for the next definition among the siblings of `node`, and folds a comment.
    pub fn attach(&mut self, node: Node<'t>, role: Attachment) {
        let trails = role == Attachment::Comment && trails_code(node, self.source);
        if !trails && let Some(siblings) = self.pending.get_mut(self.depth) {
            siblings.push(PendingAttachment { node, role });
        }
        if role == Attachment::Comment {
            self.fold_bytes(node.start_byte()..text::trimmed_end(self.source, node.byte_range()), FoldKind::Comment);
        }
    }

    /// Drops the stored comments and decorators above the current node, because a node that defines nothing comes
    /// between them and the next definition.
    pub fn discard_attachments(&mut self) {
        if let Some(siblings) = self.pending.get_mut(self.depth) {
            siblings.clear();
        }
    }

    /// Moves from `parent`, the current node, to its first child. With `keep_attachments`, the comments and decorators
    /// above the parent also count as above that child.
    pub fn descend(&mut self, parent: Node<'t>, keep_attachments: bool) {
        let kept =
            self.pending.get_mut(self.depth).filter(|_| keep_attachments).map(std::mem::take).unwrap_or_default();
        self.depth += 1;
        self.ancestors.push(parent);
        match self.pending.get_mut(self.depth) {
            Some(siblings) => *siblings = kept,
            None => self.pending.push(kept),
        }
    }

    /// Moves from the current node to its parent.
    pub fn ascend(&mut self) {
        self.depth -= 1;
        self.ancestors.pop();
    }

    /// The source text of a node.
    pub fn text(&self, node: Node<'_>) -> &'s str {
        self.source.get(node.byte_range()).unwrap_or("")
    }

    /// The source text of the node's child in `field`, or `None` where the field is absent.
    pub fn field_text(&self, node: Node<'_>, field: &str) -> Option<&'s str> {
        node.child_by_field_name(field).map(|child| self.text(child))
    }

    /// The ancestors of the current node, the parent first. A stored list, because `Node::parent` would search each
    /// ancestor from the root.
    pub fn ancestors(&self) -> impl Iterator<Item = Node<'t>> {
        self.ancestors.iter().rev().copied()
    }

    /// Adds a definition without children to the outline.
    pub fn leaf(&mut self, definition: Definition<'t>) {
        self.add(definition);
    }

    /// Adds a definition to the outline. Definitions below the current node become its children.
    pub fn open(&mut self, definition: Definition<'t>) {
        let runs = definition.kind.is_callable();
        let scope_name = definition.scope_name.clone();
        let node = definition.node;
        let index = self.add(definition);
        let prefix = match &scope_name {
            Some(scope) => qualify(self.prefix(), scope),
            None => self.entries.get(index).map_or_else(String::new, |entry| entry.symbol.qualified_name.clone()),
        };
        let runs = runs || self.is_local();
        // Limits the nesting and the length of names: in extremely deep source, the total length of all names would
        // grow with the square of the source's length.
        if self.open.len() < MAX_NESTING && prefix.len() < MAX_PREFIX {
            self.open.push(OpenScope { depth: self.depth, symbol: Some(index), prefix, runs, after: 0 });
        } else {
            self.miss(node);
            self.open_inside(runs);
        }
    }

    /// Records that the facts inside `node` are incomplete because a limit on nesting was reached.
    pub fn miss(&mut self, node: Node<'_>) {
        // Only the outermost region is recorded, not regions inside it.
        if node.start_byte() >= self.missed_until {
            self.missed_until = node.end_byte();
            let lines = self.lines(node);
            self.missed.push(lines);
        }
    }

    /// Visits the tree of a separately parsed fragment of the text, as if its root were a child of the current node.
    pub fn visit_fragment(&mut self, tree: &Tree) {
        let mut pending = Vec::new();
        pending.resize_with(self.depth + 2, Vec::new);
        let mut inner = OutlineBuilder {
            source: self.source,
            frontend: self.frontend,
            grammar: self.grammar,
            fragment_depth: self.fragment_depth + 1,
            entries: std::mem::take(&mut self.entries),
            open: std::mem::take(&mut self.open),
            pending,
            ancestors: Vec::new(),
            depth: self.depth + 1,
            claimed: HashSet::default(),
            imports: std::mem::take(&mut self.imports),
            exports: std::mem::take(&mut self.exports),
            folds: std::mem::take(&mut self.folds),
            known: std::mem::take(&mut self.known),
            known_entries: self.known_entries,
            after: Vec::new(),
            missed: std::mem::take(&mut self.missed),
            missed_until: self.missed_until,
            noted: std::mem::take(&mut self.noted),
        };
        walk::visit(tree, &mut inner);
        self.entries = inner.entries;
        self.open = inner.open;
        self.imports = inner.imports;
        self.exports = inner.exports;
        self.folds = inner.folds;
        self.known = inner.known;
        self.known_entries = inner.known_entries;
        self.missed = inner.missed;
        self.missed_until = inner.missed_until;
        self.noted = inner.noted;
    }

    /// The number of enclosing text fragments that were parsed separately.
    pub fn fragment_depth(&self) -> usize {
        self.fragment_depth
    }

    /// Opens the scope of an anonymous function: definitions below the current node are local.
    pub fn open_anonymous(&mut self) {
        self.open_inside(true);
    }

    /// Opens a scope without a symbol: definitions below the current node belong to the enclosing symbol.
    fn open_inside(&mut self, runs: bool) {
        let prefix = self.prefix().to_owned();
        let symbol = self.open.last().and_then(|open| open.symbol);
        self.open.push(OpenScope { depth: self.depth, symbol, prefix, runs, after: 0 });
    }

    /// Adds a sibling after the definition that the current node opened and after that definition's children: the
    /// second name of a statement that defines several (`typedef struct node { … } node_t;`).
    pub fn leaf_after(&mut self, definition: Definition<'t>) {
        match self.open.last_mut() {
            Some(open) if open.depth == self.depth => {
                open.after += 1;
                self.after.push(definition);
            }
            _ => self.leaf(definition),
        }
    }

    /// Whether the parent of the current node opened a definition.
    pub fn parent_opened(&self) -> bool {
        self.open.last().is_some_and(|open| open.depth + 1 == self.depth)
    }

    /// The number of definitions and anonymous functions around the current node.
    pub fn level(&self) -> usize {
        self.open.len()
    }

    /// Closes the scopes that the current node or a node below it opened.
    pub fn close_scopes(&mut self) {
        while self.open.last().is_some_and(|open| open.depth >= self.depth) {
            let waiting = self.open.pop().map_or(0, |open| open.after);
            let first = self.after.len().saturating_sub(waiting);
            for definition in self.after.split_off(first) {
                self.leaf(definition);
            }
        }
    }

    /// Whether the current node is inside a body that runs.
    pub fn is_local(&self) -> bool {
        self.open.last().is_some_and(|open| open.runs)
    }

    /// The kind of the symbol that encloses the current node, or `None` at the top level.
    pub fn enclosing(&self) -> Option<SymbolKind> {
        self.enclosing_symbol().map(|symbol| symbol.kind)
    }

    /// The symbol that encloses the current node, or `None` at the top level.
    pub fn enclosing_symbol(&self) -> Option<&Symbol> {
        let index = self.open.last().and_then(|open| open.symbol)?;
        self.entries.get(index).map(|entry| &entry.symbol)
    }

    /// Whether the outline already contains a symbol with this qualified name.
    pub fn is_known(&mut self, qualified_name: &str) -> bool {
        let new = self.entries.get(self.known_entries..).unwrap_or(&[]);
        self.known.extend(new.iter().map(|entry| entry.symbol.qualified_name.clone()));
        self.known_entries = self.entries.len();
        self.known.contains(qualified_name)
    }

    /// Records that `name` is bound in `block`, and returns whether this is the name's first binding there.
    pub fn claim(&mut self, block: Node<'_>, name: &str) -> bool {
        self.claimed.insert((block.id(), name.to_owned()))
    }

    /// The symbols found so far at the file's top level.
    pub fn top_level(&self) -> impl DoubleEndedIterator<Item = &Symbol> {
        self.entries.iter().filter(|entry| entry.parent.is_none()).map(|entry| &entry.symbol)
    }

    /// Mutable access to the symbols at the file's top level, for frontends that learn more about a symbol after it was
    /// added.
    pub fn top_level_mut(&mut self) -> impl Iterator<Item = &mut Symbol> {
        self.entries.iter_mut().filter(|entry| entry.parent.is_none()).map(|entry| &mut entry.symbol)
    }

    fn prefix(&self) -> &str {
        self.open.last().map_or("", |open| &open.prefix)
    }

    fn add(&mut self, definition: Definition<'t>) -> usize {
        let parent = self.open.last().and_then(|open| open.symbol);
        let qualified_name = match &definition.container {
            Some(container) => qualify(&qualify(self.prefix(), container), &definition.name),
            None => qualify(self.prefix(), &definition.name),
        };
        let lines = self.definition_lines(&definition);
        let outer_line = lines.first - text::newlines(self.source, definition.outer_start..definition.start);
        let symbol = Symbol {
            qualified_name,
            name: definition.name,
            unique: true,
            place_on_line: None,
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
            local: self.is_local(),
            children: Vec::new(),
        };
        self.entries.push(Entry { symbol, parent });
        self.entries.len() - 1
    }
}

/// The most lines of an initialiser that a skeleton shows in full; longer initialisers are folded. Three lines are
/// enough to show what a value is.
pub(crate) const LONG_VALUE_LINES: usize = 3;

/// The deepest nesting of symbols in an outline; a deeper symbol becomes a sibling of its owner.
const MAX_NESTING: usize = 128;

/// The greatest length, in bytes, of a name that is the prefix of other qualified names.
const MAX_PREFIX: usize = 2_000;

/// The most names that one statement can define with the whole statement as their signature. With more names, each
/// signature is only the text of that name; otherwise all signatures together would grow with the square of the
/// statement's length.
pub(crate) const MANY_NAMES: usize = 32;

/// The most bytes before a comment that are searched for code on the same line: minified files have lines of megabytes.
const MAX_TRAIL: usize = 1_000;

/// Whether code precedes a comment on its line: a trailing comment does not document the definition below.
fn trails_code(comment: Node<'_>, source: &str) -> bool {
    let end = comment.start_byte();
    let before = source.as_bytes().get(end.saturating_sub(MAX_TRAIL)..end).unwrap_or(&[]);
    let line = memchr::memrchr(b'\n', before).map_or(before, |newline| before.get(newline + 1..).unwrap_or(&[]));
    line.iter().any(|byte| !byte.is_ascii_whitespace())
}
