//! The outline while the walk builds it: nesting, qualified names, attachments and folds.
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

/// A definition that a frontend found. [`OutlineBuilder::define`] fills in everything that follows from the nodes.
pub(crate) struct Definition<'t> {
    pub name: String,
    pub kind: SymbolKind,
    /// The definition proper: keyword to last line.
    pub node: Node<'t>,
    /// First byte of the definition proper: the node's, unless the frontend moves it.
    pub start: usize,
    /// End (exclusive) of the definition proper: the node's, unless the frontend moves it.
    pub end: usize,
    pub outer_start: usize,
    pub signature: String,
    pub decorators: Vec<String>,
    pub docstring: Option<String>,
    pub visibility: Visibility,
    pub container: Option<String>,
    /// The name that qualifies the children, where it differs from `name` (`Foo` for `impl Foo`).
    pub scope_name: Option<String>,
}

struct PendingAttachment<'t> {
    node: Node<'t>,
    role: Attachment,
}

struct OpenScope {
    /// Depth of the node that opened the scope. The scope closes when the walk leaves that node.
    depth: usize,
    /// The symbol's index in `OutlineBuilder::entries`; `None` for an anonymous function.
    symbol: Option<usize>,
    /// The prefix of the children's qualified names, empty at the top level.
    prefix: String,
    /// Whether the scope is a body that runs: definitions inside are local.
    runs: bool,
    /// The number of definitions in `OutlineBuilder::after` that are added when the scope closes.
    after: usize,
}

/// The outline of one file while the walk builds it. Frontends add definitions, imports, exports and folds.
pub(crate) struct OutlineBuilder<'t, 's> {
    /// The file's text.
    pub source: &'s str,
    frontend: &'s dyn Frontend,
    grammar: LanguageFn,
    /// The number of enclosing fragments of the text that were parsed by themselves.
    fragment_depth: usize,
    entries: Vec<Entry>,
    open: Vec<OpenScope>,
    pending: Vec<Vec<PendingAttachment<'t>>>,
    /// The ancestors of the current node, the root first.
    ancestors: Vec<Node<'t>>,
    depth: usize,
    /// Names that each block has bound, by the block's node id: see [`OutlineBuilder::claim`].
    claimed: HashSet<(usize, String)>,
    pub imports: Vec<Import>,
    pub exports: Vec<Export>,
    folds: Vec<Fold>,
    /// The qualified names of the first `known_entries` entries, filled on demand: few languages need them.
    known: HashSet<String>,
    known_entries: usize,
    after: Vec<Definition<'t>>,
    /// Regions with incomplete facts, because they nest too deep.
    missed: Vec<Lines>,
    /// The end of the last missed region, in bytes.
    missed_until: usize,
    /// Names that the frontend collects for [`Frontend::finish`].
    pub noted: StdHashSet<String>,
}

impl<'t, 's> OutlineBuilder<'t, 's> {
    /// A builder without facts, before the root of a tree.
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

    /// The facts, once the walk has visited every node. `coverage` is the parser's; the builder adds the regions that
    /// it left out.
    pub fn finish(self, mut coverage: Coverage) -> Facts {
        coverage.add(self.missed);
        let mut symbols = nest(self.entries);
        mark_duplicates(&mut symbols);
        Facts { symbols, imports: self.imports, exports: self.exports, folds: self.folds, coverage }
    }

    /// The language's frontend.
    pub fn frontend(&self) -> &'s dyn Frontend {
        self.frontend
    }

    /// The grammar that parsed the tree.
    pub fn grammar(&self) -> LanguageFn {
        self.grammar
    }

    /// Keeps a comment or decorator for the next definition among the siblings of `node`, and folds a comment.
    pub fn attach(&mut self, node: Node<'t>, role: Attachment) {
        let trails = role == Attachment::Comment && trails_code(node, self.source);
        if !trails && let Some(siblings) = self.pending.get_mut(self.depth) {
            siblings.push(PendingAttachment { node, role });
        }
        if role == Attachment::Comment {
            self.fold_bytes(node.start_byte()..text::trimmed_end(self.source, node.byte_range()), FoldKind::Comment);
        }
    }

    /// Drops the comments and decorators above the current node: a node that is no definition used them up.
    pub fn discard_attachments(&mut self) {
        if let Some(siblings) = self.pending.get_mut(self.depth) {
            siblings.clear();
        }
    }

    /// Moves from `parent`, the current node, to its first child. With `keep_attachments`, the comments and decorators
    /// above the parent are above that child too.
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

    /// The text of a node.
    pub fn text(&self, node: Node<'_>) -> &'s str {
        self.source.get(node.byte_range()).unwrap_or("")
    }

    /// The text of the child under `field`, if it is there.
    pub fn field_text(&self, node: Node<'_>, field: &str) -> Option<&'s str> {
        node.child_by_field_name(field).map(|child| self.text(child))
    }

    /// The ancestors of the current node, the parent first. `Node::parent` would search each one from the root.
    pub fn ancestors(&self) -> impl Iterator<Item = Node<'t>> {
        self.ancestors.iter().rev().copied()
    }

    /// Adds a definition without children.
    pub fn leaf(&mut self, definition: Definition<'t>) {
        self.add(definition);
    }

    /// Adds a definition. Definitions below the current node become its children.
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
        // Source that nests beyond all reason would give names and trees as long as itself squared.
        if self.open.len() < MAX_NESTING && prefix.len() < MAX_PREFIX {
            self.open.push(OpenScope { depth: self.depth, symbol: Some(index), prefix, runs, after: 0 });
        } else {
            self.miss(node);
            self.open_inside(runs);
        }
    }

    /// Records that the facts inside `node` are incomplete, because a bound was reached.
    pub fn miss(&mut self, node: Node<'_>) {
        // A region inside a recorded region is not recorded again.
        if node.start_byte() >= self.missed_until {
            self.missed_until = node.end_byte();
            let lines = self.lines(node);
            self.missed.push(lines);
        }
    }

    /// Visits the tree of a fragment of the text, parsed by itself, as if its root were a child of the current node.
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

    /// The number of enclosing fragments of the text that were parsed by themselves.
    pub fn fragment_depth(&self) -> usize {
        self.fragment_depth
    }

    /// Opens an anonymous function: definitions below the current node are local.
    pub fn open_anonymous(&mut self) {
        self.open_inside(true);
    }

    /// Opens a scope without a symbol: definitions below the current node belong to the enclosing symbol.
    fn open_inside(&mut self, runs: bool) {
        let prefix = self.prefix().to_owned();
        let symbol = self.open.last().and_then(|open| open.symbol);
        self.open.push(OpenScope { depth: self.depth, symbol, prefix, runs, after: 0 });
    }

    /// Adds a sibling of the definition that the current node opened, after that one's children: the second
    /// name of a statement that defines several (`typedef struct node { … } node_t;`).
    pub fn leaf_after(&mut self, definition: Definition<'t>) {
        match self.open.last_mut() {
            Some(open) if open.depth == self.depth => {
                open.after += 1;
                self.after.push(definition);
            }
            _ => self.leaf(definition),
        }
    }

    /// Whether the current node's parent opened a definition.
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

    /// The kind of the symbol that encloses the current node.
    pub fn enclosing(&self) -> Option<SymbolKind> {
        self.enclosing_symbol().map(|symbol| symbol.kind)
    }

    /// The symbol that encloses the current node.
    pub fn enclosing_symbol(&self) -> Option<&Symbol> {
        let index = self.open.last().and_then(|open| open.symbol)?;
        self.entries.get(index).map(|entry| &entry.symbol)
    }

    /// Whether a symbol with this qualified name was added already.
    pub fn is_known(&mut self, qualified_name: &str) -> bool {
        let new = self.entries.get(self.known_entries..).unwrap_or(&[]);
        self.known.extend(new.iter().map(|entry| entry.symbol.qualified_name.clone()));
        self.known_entries = self.entries.len();
        self.known.contains(qualified_name)
    }

    /// Whether `name` is bound in `block` for the first time.
    pub fn claim(&mut self, block: Node<'_>, name: &str) -> bool {
        self.claimed.insert((block.id(), name.to_owned()))
    }

    /// Symbols at the file's top level found so far.
    pub fn top_level(&self) -> impl DoubleEndedIterator<Item = &Symbol> {
        self.entries.iter().filter(|entry| entry.parent.is_none()).map(|entry| &entry.symbol)
    }

    /// Symbols at the file's top level, for frontends that learn more about a symbol after it was added.
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

/// Initialisers of more lines than this are folded in a skeleton: three lines say what a value is.
pub(crate) const LONG_VALUE_LINES: usize = 3;

/// The deepest nesting of symbols; a deeper symbol becomes a sibling of its owner.
const MAX_NESTING: usize = 128;

/// The longest name, in bytes, that qualifies others.
const MAX_PREFIX: usize = 2_000;

/// A statement of more names than this gives each name its own text alone as its signature: the whole statement in each
/// would be as long as the statement squared.
pub(crate) const MANY_NAMES: usize = 32;

/// The most bytes before a comment that are searched for code: minified files have lines of megabytes.
const MAX_TRAIL: usize = 1_000;

/// Whether code is before a comment on the same line: a trailing comment documents no definition below.
fn trails_code(comment: Node<'_>, source: &str) -> bool {
    let end = comment.start_byte();
    let before = source.as_bytes().get(end.saturating_sub(MAX_TRAIL)..end).unwrap_or(&[]);
    let line = memchr::memrchr(b'\n', before).map_or(before, |newline| before.get(newline + 1..).unwrap_or(&[]));
    line.iter().any(|byte| !byte.is_ascii_whitespace())
}
