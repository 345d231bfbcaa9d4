//! The driver that takes a syntax tree to facts.
//!
//! It visits the tree once, without recursion (source nests as deep as its author likes), and asks the language's
//! [`Frontend`] about every named node. The rules say what a node defines; the driver keeps the nesting, the qualified
//! names, the comments and attributes that stand above a definition, and the folds.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use foldhash::{HashMap, HashMapExt as _, HashSet};
use tree_sitter::{Node, Tree};
use tree_sitter_language::LanguageFn;

use crate::facts::{
    Coverage, Export, Facts, Fold, FoldKind, Import, Lines, MAX_DAMAGE_LINES, Symbol, SymbolKind, Visibility,
};
use crate::names;
use crate::text;

/// What the driver does after a node.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// Visit the node's children.
    Descend,
    /// Visit the children; what stands above this node (comments, attributes) stands above its first child too.
    DescendKeeping,
    /// Leave the node's children out.
    Skip,
}

/// One language's knowledge of its grammar.
pub(crate) trait Frontend: Sync {
    /// The text to parse in place of `source`, where the grammar cannot read it as written: of the same length and with
    /// the same lines. The walk reads names and signatures from `source` all the same.
    fn prepare(&self, _source: &str) -> Option<String> {
        None
    }

    /// Says what `node` (always a named one) means, by calling `builder`.
    fn enter<'t>(&self, node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next;

    /// The role of nodes that stand above a definition and belong to it.
    fn attachment(&self, kind: &str) -> Option<Attachment>;

    /// What a comment says, without its marks, if it is documentation. `None`: an ordinary comment.
    fn doc<'a>(&self, comment: &'a str) -> Option<&'a str>;

    /// Whether a blank line between a doc comment and a definition parts the two.
    fn doc_must_touch(&self) -> bool {
        true
    }

    /// Whether [`Frontend::enter`] does nothing at nodes of this kind but visit their children. Naming the commonest such
    /// kinds saves asking at most nodes.
    fn is_transparent(&self, _kind: &str) -> bool {
        false
    }

    /// Reads the tree below `root` for what its names mean; `false` where the language has no binder and its
    /// identifiers alone must do.
    fn bind(&self, _root: Node<'_>, _cx: &mut names::NamesBuilder<'_>) -> bool {
        false
    }

    /// Runs after the last node: exports that need the whole file.
    fn finish(&self, _cx: &mut OutlineBuilder<'_, '_>) {}

    /// The kinds of nodes that the rules name, so that a test can hold them against the grammar.
    #[cfg(test)]
    fn node_kinds(&self) -> Vec<&'static str>;
}

/// The role of a node that stands above a definition.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attachment {
    /// A comment; [`Frontend::doc`] tells whether it documents.
    Comment,
    /// A decorator or attribute.
    Decorator,
}

/// A definition that rules found; [`OutlineBuilder::define`] fills in what follows from the nodes.
pub(crate) struct Definition<'t> {
    pub name: String,
    pub kind: SymbolKind,
    /// The definition proper: keyword to last line.
    pub node: Node<'t>,
    /// First byte of the definition proper, where it is not the node's.
    pub start: usize,
    /// Last byte (exclusive) of the definition proper, where it is not the node's.
    pub end: usize,
    pub outer_start: usize,
    pub signature: String,
    pub decorators: Vec<String>,
    pub docstring: Option<String>,
    pub visibility: Visibility,
    pub container: Option<String>,
    /// The name that qualifies its children where it is not its own (`Foo` for `impl Foo`).
    pub scope_name: Option<String>,
}

struct PendingAttachment<'t> {
    node: Node<'t>,
    role: Attachment,
}

struct OpenScope {
    /// Depth of the node that opened it; it closes when the walk leaves that node.
    depth: usize,
    /// The symbol's index in `OutlineBuilder::nodes`, `None` for an anonymous function.
    symbol: Option<usize>,
    /// The prefix that qualifies children, empty at the top.
    prefix: String,
    /// Whether code in it runs: its definitions are local.
    runs: bool,
    /// How many definitions of `OutlineBuilder::after` wait for it to close.
    after: usize,
}

pub(crate) struct Entry {
    pub symbol: Symbol,
    /// The index of the enclosing symbol's entry, always a smaller one.
    pub parent: Option<usize>,
}

/// What the rules talk to during the walk.
pub(crate) struct OutlineBuilder<'t, 's> {
    /// The file's text.
    pub source: &'s str,
    frontend: &'s dyn Frontend,
    grammar: LanguageFn,
    /// How many fragments, each parsed by itself, enclose the current node.
    fragment_depth: usize,
    entries: Vec<Entry>,
    open: Vec<OpenScope>,
    pending: Vec<Vec<PendingAttachment<'t>>>,
    /// The nodes above the current one, the root first.
    ancestors: Vec<Node<'t>>,
    depth: usize,
    /// Names that a block has bound: see [`OutlineBuilder::claim`].
    claimed: HashSet<(usize, String)>,
    pub imports: Vec<Import>,
    pub exports: Vec<Export>,
    folds: Vec<Fold>,
    /// The qualified names of the first so many entries: few languages ask for them.
    known: HashSet<String>,
    known_entries: usize,
    after: Vec<Definition<'t>>,
    /// Regions whose facts are not all there, because they nest too deep.
    missed: Vec<Lines>,
    /// The end of the last of them.
    missed_until: usize,
    /// Names that rules note on the way for [`Frontend::finish`].
    pub noted: std::collections::HashSet<String>,
}

impl<'t, 's> OutlineBuilder<'t, 's> {
    /// The text of a node.
    pub fn text(&self, node: Node<'_>) -> &'s str {
        self.source.get(node.byte_range()).unwrap_or("")
    }

    /// The text of the child under `field`, if it is there.
    pub fn field_text(&self, node: Node<'_>, field: &str) -> Option<&'s str> {
        node.child_by_field_name(field).map(|child| self.text(child))
    }

    /// The nodes above the current one, its parent first. `Node::parent` would search for each from the root.
    pub fn ancestors(&self) -> impl Iterator<Item = Node<'t>> {
        self.ancestors.iter().rev().copied()
    }

    /// The comments and decorators that stand above the current node: where they begin, the first line of the
    /// documentation, and the decorators as written.
    fn attachments_above(&self, node: Node<'t>) -> (usize, Option<String>, Vec<String>) {
        let pending = self.pending.get(self.depth).map_or(&[][..], Vec::as_slice);
        let mut first = pending.len();
        let mut next_row = node.start_position().row;
        let mut doc_first = None;
        for (index, item) in pending.iter().enumerate().rev() {
            let gap = next_row.saturating_sub(last_row(item.node));
            match item.role {
                Attachment::Decorator => {}
                Attachment::Comment => {
                    let is_doc = self.frontend.doc(self.text(item.node)).is_some();
                    let touches = gap <= 1 || !self.frontend.doc_must_touch();
                    // A block says all there is to say: one above it documents something else.
                    let second = is_doc && doc_first.is_some() && self.text(item.node).starts_with("/*");
                    if !touches || second {
                        break;
                    }
                    if is_doc {
                        doc_first = Some(index);
                    } else if doc_first.is_some() || self.frontend.doc_must_touch() {
                        break;
                    } else {
                        continue;
                    }
                }
            }
            first = index;
            next_row = item.node.start_position().row;
        }
        let belongs = pending.get(first..).unwrap_or(&[]);
        let start = belongs.first().map_or(node.start_byte(), |item| item.node.start_byte());
        let docstring = doc_first.and_then(|_| {
            belongs
                .iter()
                .filter(|item| item.role == Attachment::Comment)
                .filter_map(|item| self.frontend.doc(self.text(item.node)))
                .find_map(text::first_line)
        });
        let decorators = belongs
            .iter()
            .filter(|item| item.role == Attachment::Decorator)
            .map(|item| text::one_line(self.text(item.node)))
            .collect();
        (start, docstring, decorators)
    }

    /// A definition named by `name` that spans `node`, its signature ending where `body` begins.
    pub fn define(&self, kind: SymbolKind, name: &str, node: Node<'t>, body: Option<Node<'t>>) -> Definition<'t> {
        let (outer_start, docstring, decorators) = self.attachments_above(node);
        let start = node.start_byte();
        let end = text::trimmed_end(self.source, node.byte_range());
        let signature_end = body.map_or(end, |body| body.start_byte()).clamp(start, end);
        Definition {
            name: name.to_owned(),
            kind,
            node,
            start,
            end,
            outer_start,
            signature: self.signature(node, start..signature_end),
            decorators,
            docstring,
            visibility: Visibility::Unknown,
            container: None,
            scope_name: None,
        }
    }

    /// The declaration in `bytes` of `node` on one line, without the comments between its parts.
    pub fn signature(&self, node: Node<'_>, mut bytes: std::ops::Range<usize>) -> String {
        if self.open.len() > DEEP && bytes.len() > MAX_SIGNATURE {
            bytes.end = self.source.floor_char_boundary(bytes.start + MAX_SIGNATURE);
        }
        text::signature(&self.code(node, bytes))
    }

    /// The text in `bytes` of `node` without its comments; where the parser lost its way over several lines, it ends.
    pub fn code(&self, node: Node<'_>, bytes: std::ops::Range<usize>) -> Cow<'s, str> {
        let text = self.source.get(bytes.clone()).unwrap_or("");
        if !text.contains('\n') && !text.contains("/*") {
            return Cow::Borrowed(text);
        }
        let mut kept = String::with_capacity(text.len());
        let mut reached = bytes.start;
        let mut end = bytes.end;
        let mut cursor = node.walk();
        let mut depth = 0;
        'walk: loop {
            let part = cursor.node();
            if part.start_byte() >= end {
                break;
            }
            if part.is_error() && depth > 0 && self.text(part).contains('\n') {
                end = part.start_byte().max(reached);
                break;
            }
            let comment = part.is_named() && self.frontend.attachment(part.kind()) == Some(Attachment::Comment);
            if comment && part.start_byte() >= reached {
                kept.push_str(self.source.get(reached..part.start_byte()).unwrap_or(""));
                kept.push(' ');
                reached = part.end_byte().min(end);
            }
            if !comment && depth < SIGNATURE_DEPTH && cursor.goto_first_child() {
                depth += 1;
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    break 'walk;
                }
                depth -= 1;
            }
        }
        kept.push_str(self.source.get(reached..end).unwrap_or(""));
        Cow::Owned(kept)
    }

    /// Adds a definition whose inside holds no others.
    pub fn leaf(&mut self, definition: Definition<'t>) {
        self.add(definition);
    }

    /// Adds a definition and takes all that the walk finds below the current node as its children.
    pub fn open(&mut self, definition: Definition<'t>) {
        let runs = definition.kind.is_callable();
        let scope_name = definition.scope_name.clone();
        let node = definition.node;
        let index = self.add(definition);
        let prefix = match &scope_name {
            Some(scope) => qualify(self.prefix(), scope),
            None => self.entries[index].symbol.qualified_name.clone(),
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

    /// Notes that the facts of what stands in `node` are not all there, or not as they should be: a bound was reached.
    pub fn miss(&mut self, node: Node<'_>) {
        // What stands in a region that is noted already is noted with it.
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
        visit(tree, &mut inner);
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

    /// How many fragments, each parsed by itself, enclose the current node.
    pub fn fragment_depth(&self) -> usize {
        self.fragment_depth
    }

    /// Takes all definitions below the current node as local ones, of a function without a name.
    pub fn open_anonymous(&mut self) {
        self.open_inside(true);
    }

    /// Lets what the walk finds below the current node belong to the symbol that encloses it already.
    fn open_inside(&mut self, runs: bool) {
        let prefix = self.prefix().to_owned();
        let symbol = self.open.last().and_then(|open| open.symbol);
        self.open.push(OpenScope { depth: self.depth, symbol, prefix, runs, after: 0 });
    }

    /// Adds a definition beside the one that the current node opened, after all that stands in that one: the second
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

    /// How many definitions, anonymous functions among them, the current node stands in.
    pub fn level(&self) -> usize {
        self.open.len()
    }

    /// Closes what the current node or one below it opened.
    fn close(&mut self) {
        while self.open.last().is_some_and(|open| open.depth >= self.depth) {
            let waiting = self.open.pop().map_or(0, |open| open.after);
            let first = self.after.len().saturating_sub(waiting);
            for definition in self.after.split_off(first) {
                self.leaf(definition);
            }
        }
    }

    /// Whether the current node stands inside a body that runs.
    pub fn is_local(&self) -> bool {
        self.open.last().is_some_and(|open| open.runs)
    }

    /// The kind of the symbol that encloses the current node.
    pub fn enclosing(&self) -> Option<SymbolKind> {
        self.open.last().and_then(|open| open.symbol).map(|index| self.entries[index].symbol.kind)
    }

    /// The symbol that encloses the current node.
    pub fn enclosing_symbol(&self) -> Option<&Symbol> {
        self.open.last().and_then(|open| open.symbol).map(|index| &self.entries[index].symbol)
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

    /// The line on which a node begins.
    pub fn first_line(&self, node: Node<'_>) -> u32 {
        row_of(node, node.start_byte(), self.source) + 1
    }

    /// The lines of a node.
    pub fn lines(&self, node: Node<'_>) -> Lines {
        let first = row_of(node, node.start_byte(), self.source) + 1;
        let end = text::trimmed_end(self.source, node.byte_range());
        Lines { first, last: first + text::newlines(self.source, node.start_byte()..end) }
    }

    /// Symbols at the file's top level found so far.
    pub fn top_level(&self) -> impl DoubleEndedIterator<Item = &Symbol> {
        self.entries.iter().filter(|entry| entry.parent.is_none()).map(|entry| &entry.symbol)
    }

    /// The same, for rules that learn more about a symbol after it was added.
    pub fn top_level_mut(&mut self) -> impl Iterator<Item = &mut Symbol> {
        self.entries.iter_mut().filter(|entry| entry.parent.is_none()).map(|entry| &mut entry.symbol)
    }

    /// Folds `node` as a body, unless it stands inside a fold already.
    pub fn fold(&mut self, node: Node<'_>) {
        self.fold_bytes(node.byte_range(), FoldKind::Body);
    }

    /// Folds bytes, unless they overlap a fold already there: the outer one comes first and wins.
    pub fn fold_bytes(&mut self, bytes: std::ops::Range<usize>, kind: FoldKind) {
        let at = self.folds.partition_point(|fold| fold.bytes.start < bytes.start);
        let free =
            at.checked_sub(1).and_then(|before| self.folds.get(before)).is_none_or(|f| f.bytes.end <= bytes.start)
                && self.folds.get(at).is_none_or(|after| bytes.end <= after.bytes.start);
        if free && bytes.start < bytes.end {
            self.folds.insert(at, Fold { bytes, kind });
        }
    }

    /// Folds an initialiser that spans more than `LONG_VALUE_LINES` lines.
    pub fn fold_long_value(&mut self, node: Node<'_>) {
        if last_row(node) - node.start_position().row >= LONG_VALUE_LINES {
            self.fold(node);
        }
    }

    /// The line of a definition's last byte. It is counted back from the node's end where it can be: definitions nest,
    /// and counting each one's own lines would read the text once for every level.
    fn last_line(&self, definition: &Definition<'t>) -> u32 {
        let Definition { node, end, .. } = definition;
        if *end <= node.end_byte() {
            let row = u32::try_from(node.end_position().row).unwrap_or(u32::MAX - 1);
            (row + 1).saturating_sub(text::newlines(self.source, *end..node.end_byte()))
        } else {
            let first = row_of(*node, definition.start, self.source) + 1;
            first + text::newlines(self.source, definition.start..*end)
        }
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
        let first = row_of(definition.node, definition.start, self.source) + 1;
        let last = self.last_line(&definition).max(first);
        let outer_line = first - text::newlines(self.source, definition.outer_start..definition.start);
        let symbol = Symbol {
            qualified_name,
            name: definition.name,
            unique: true,
            place_on_line: None,
            kind: definition.kind,
            lines: Lines { first, last },
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

/// How many symbols lie inside each other at most; deeper ones stand beside their enclosing ones.
const MAX_NESTING: usize = 128;

/// The longest name, in bytes, that qualifies others.
const MAX_PREFIX: usize = 2_000;

/// A statement of more names than this gives each name its own text alone as its signature: the whole statement in each
/// would be as long as the statement squared.
pub(crate) const MANY_NAMES: usize = 32;

/// Symbols with more than this many around them are deep: what each may keep of the text is bounded.
const DEEP: usize = 16;

/// The longest signature of a deep symbol in bytes. (Others have no bound: some declarations span hundreds of lines.)
const MAX_SIGNATURE: usize = 4_000;

/// How deep below a definition comments are sought that do not belong in its signature.
const SIGNATURE_DEPTH: usize = 4;

pub(crate) fn qualify(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") }
}

fn row_of(node: Node<'_>, start: usize, source: &str) -> u32 {
    let row = u32::try_from(node.start_position().row).unwrap_or(u32::MAX - 1);
    if start >= node.start_byte() {
        row + text::newlines(source, node.start_byte()..start)
    } else {
        row.saturating_sub(text::newlines(source, start..node.start_byte()))
    }
}

/// The row (from 0) of a node's last character: a node that ends with a newline ends on the row before.
fn last_row(node: Node<'_>) -> usize {
    let end = node.end_position();
    if end.column == 0 && end.row > node.start_position().row { end.row - 1 } else { end.row }
}

/// What the driver does with nodes of a kind.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// A bracket, a keyword: nothing.
    Token,
    /// It stands above a definition.
    Attachment(Attachment),
    /// The rules have nothing to say of it; its children are visited.
    Transparent,
    /// The rules are asked.
    Entered,
}

/// The role of each kind of a grammar: names of kinds are compared once, not at every node.
#[derive(Clone)]
struct Roles(Rc<[Role]>);

thread_local! {
    static ROLES: RefCell<HashMap<usize, Roles>> = RefCell::new(HashMap::default());
}

impl Roles {
    fn of(tree: &Tree, frontend: &dyn Frontend, grammar: LanguageFn) -> Self {
        ROLES.with_borrow_mut(|known| {
            let key = grammar.into_raw() as usize;
            let make = || {
                let language = tree.language();
                let kinds = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
                let role = |id: u16| match language.node_kind_for_id(id) {
                    Some(_) if !language.node_kind_is_named(id) => Role::Token,
                    Some(kind) => match frontend.attachment(kind) {
                        Some(attachment) => Role::Attachment(attachment),
                        None if frontend.is_transparent(kind) => Role::Transparent,
                        None => Role::Entered,
                    },
                    None => Role::Entered,
                };
                Self((0..kinds).map(role).collect())
            };
            known.entry(key).or_insert_with(make).clone()
        })
    }

    fn role(&self, node: Node<'_>) -> Role {
        // Error nodes have an id beyond the grammar's own.
        self.0.get(usize::from(node.kind_id())).copied().unwrap_or(Role::Entered)
    }
}

/// How far before a comment its line is searched for code: minified files have lines of megabytes.
const MAX_TRAIL: usize = 1_000;

/// Whether code stands before a comment on its line: such a comment trails it and leads nothing.
fn trails(comment: Node<'_>, source: &str) -> bool {
    let end = comment.start_byte();
    let before = source.as_bytes().get(end.saturating_sub(MAX_TRAIL)..end).unwrap_or(&[]);
    let line = memchr::memrchr(b'\n', before).map_or(before, |newline| before.get(newline + 1..).unwrap_or(&[]));
    line.iter().any(|byte| !byte.is_ascii_whitespace())
}

/// Takes a tree to facts.
pub(crate) fn facts(tree: &Tree, source: &str, frontend: &dyn Frontend, grammar: LanguageFn) -> Facts {
    let mut builder = OutlineBuilder {
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
        noted: std::collections::HashSet::new(),
    };
    visit(tree, &mut builder);
    frontend.finish(&mut builder);
    let mut coverage = if tree.root_node().has_error() { damage(tree) } else { Coverage::Whole };
    let OutlineBuilder { entries, imports, exports, folds, missed, .. } = builder;
    coverage.add(missed);
    let mut symbols = nest(entries);
    mark_duplicates(&mut symbols);
    Facts { symbols, imports, exports, folds, coverage }
}

/// Visits every node of a tree.
fn visit<'t>(tree: &'t Tree, builder: &mut OutlineBuilder<'t, '_>) {
    let (source, frontend) = (builder.source, builder.frontend);
    let mut cursor = tree.walk();
    let roles = Roles::of(tree, frontend, builder.grammar);
    'walk: loop {
        let node = cursor.node();
        let depth = builder.depth;
        let mut next = Next::Descend;
        match roles.role(node) {
            Role::Token => {}
            Role::Attachment(role) => {
                if !(role == Attachment::Comment && trails(node, source)) {
                    builder.pending[depth].push(PendingAttachment { node, role });
                }
                if role == Attachment::Comment {
                    builder
                        .fold_bytes(node.start_byte()..text::trimmed_end(source, node.byte_range()), FoldKind::Comment);
                }
                next = Next::Skip;
            }
            Role::Transparent => builder.pending[depth].clear(),
            Role::Entered => {
                next = frontend.enter(node, builder);
                if next != Next::DescendKeeping {
                    builder.pending[depth].clear();
                }
            }
        }
        if next != Next::Skip && cursor.goto_first_child() {
            builder.depth += 1;
            builder.ancestors.push(node);
            let kept = match next {
                Next::DescendKeeping => std::mem::take(&mut builder.pending[depth]),
                _ => Vec::new(),
            };
            if builder.pending.len() <= builder.depth {
                builder.pending.push(kept);
            } else {
                builder.pending[builder.depth] = kept;
            }
            continue;
        }
        loop {
            builder.close();
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                break 'walk;
            }
            builder.depth -= 1;
            builder.ancestors.pop();
        }
    }
}

/// Puts a parents-first list into a forest, each level in the order of the file.
pub(crate) fn nest(entries: Vec<Entry>) -> Vec<Symbol> {
    let mut roots = Vec::new();
    let mut slots: Vec<(Symbol, Option<usize>)> = entries.into_iter().map(|e| (e.symbol, e.parent)).collect();
    while let Some((mut symbol, parent)) = slots.pop() {
        symbol.children.reverse();
        match parent.and_then(|index| slots.get_mut(index)) {
            Some((owner, _)) => owner.children.push(symbol),
            None => roots.push(symbol),
        }
    }
    roots.reverse();
    roots
}

/// Marks the symbols whose qualified name another symbol of the file has too.
pub(crate) fn mark_duplicates(symbols: &mut [Symbol]) {
    let all: Vec<&Symbol> = crate::facts::walk_symbols(symbols).map(|(symbol, _)| symbol).collect();
    let mut first: HashMap<&str, usize> = HashMap::with_capacity(all.len());
    let mut again: Vec<usize> = Vec::new();
    for (index, symbol) in all.iter().enumerate() {
        match first.entry(&symbol.qualified_name) {
            std::collections::hash_map::Entry::Vacant(slot) => {
                slot.insert(index);
            }
            std::collections::hash_map::Entry::Occupied(slot) => again.extend([*slot.get(), index]),
        }
    }
    if again.is_empty() {
        return;
    }
    again.sort_unstable();
    again.dedup();
    let of = |index: &usize| all.get(*index).map(|symbol| (symbol.qualified_name.as_str(), symbol.lines.first));
    let mut on_line: HashMap<Option<(&str, u32)>, (u32, u32)> = HashMap::default();
    for index in &again {
        on_line.entry(of(index)).or_default().1 += 1;
    }
    let mut marks: Vec<(usize, Option<u32>)> = Vec::with_capacity(again.len());
    for index in &again {
        let (place, count) = on_line.entry(of(index)).or_default();
        *place += 1;
        marks.push((*index, (*count > 1).then_some(*place)));
    }
    let mut marks = marks.into_iter().peekable();
    let mut stack: Vec<&mut Symbol> = symbols.iter_mut().rev().collect();
    let mut index = 0;
    while let Some(symbol) = stack.pop() {
        if let Some((_, place)) = marks.next_if(|mark| mark.0 == index) {
            symbol.unique = false;
            symbol.place_on_line = place;
        }
        index += 1;
        stack.extend(symbol.children.iter_mut().rev());
    }
}

/// How much of a tree was understood.
pub(crate) fn damage(tree: &Tree) -> Coverage {
    let mut lines = broken_regions(tree);
    let regions = lines.len();
    if regions == 0 {
        // A separator that the grammar hides is missing: everything there is was understood.
        return Coverage::Whole;
    }
    lines.truncate(MAX_DAMAGE_LINES);
    Coverage::Partial { regions, lines }
}

/// The topmost regions that the parser did not understand, in the order of the text.
pub(crate) fn broken_regions(tree: &Tree) -> Vec<Lines> {
    let mut cursor = tree.walk();
    let mut regions = Vec::new();
    'walk: loop {
        let node = cursor.node();
        let broken = node.is_error() || node.is_missing();
        if broken {
            let line = |row: usize| u32::try_from(row + 1).unwrap_or(u32::MAX);
            regions.push(Lines { first: line(node.start_position().row), last: line(last_row(node)) });
        }
        if !broken && node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'walk;
            }
        }
    }
    regions
}
