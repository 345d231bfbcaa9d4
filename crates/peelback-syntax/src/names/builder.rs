//! The builder with which binders fill [`Names`].

use foldhash::{HashMap, HashMapExt as _};
use tree_sitter::Node;

use super::{
    Binding, BindingId, BindingKind, Export, Exported, Expr, ExprId, Extension, ModuleImport, ModuleImportId,
    ModuleImportKind, NameId, Names, Occurrence, Role, Scope, ScopeId, ScopeKind, Span, Target,
};

/// The deepest nesting of source that a binder reads. Deeper regions are recorded as missed.
const MAX_DEPTH: u32 = 3_000;

/// The least free stack, in bytes, for one more level of recursion; with less, a new stack segment of `STACK_SEGMENT_BYTES`
/// bytes is allocated.
const MIN_FREE_STACK_BYTES: usize = 64 * 1024;
const STACK_SEGMENT_BYTES: usize = 1024 * 1024;

/// The builder of one file's names, which a binder fills.
pub(crate) struct NamesBuilder<'s> {
    /// The text of the analysed file.
    pub source: &'s str,
    pub names: Names,
    interned: HashMap<&'s str, NameId>,
    /// Ids of interned names that are not slices of the source text.
    constructed: HashMap<String, NameId>,
    depth: u32,
    unknown: ExprId,
}

impl<'s> NamesBuilder<'s> {
    pub fn new(source: &'s str) -> Self {
        let end = u32::try_from(source.len()).unwrap_or(u32::MAX);
        let mut names = Names::default();
        names.scopes.push(Scope { parent: None, kind: ScopeKind::File, owner: None, bytes: 0..end });
        names.exprs.push(Expr::Unknown);
        Self { source, names, interned: HashMap::new(), constructed: HashMap::new(), depth: 0, unknown: 0 }
    }

    /// The source text of a node.
    pub fn text_of_node(&self, node: Node<'_>) -> &'s str {
        self.source.get(node.byte_range()).unwrap_or("")
    }

    /// The id of a name that is a slice of the source text; equal names have the same id.
    pub fn intern_source_text(&mut self, text: &'s str) -> NameId {
        if let Some(id) = self.interned.get(text) {
            return *id;
        }
        let id = match self.constructed.get(text) {
            Some(id) => *id,
            None => self.push_string(text),
        };
        self.interned.insert(text, id);
        id
    }

    /// The id of a name that the binder constructs (`default`, a path joined from parts).
    pub fn intern_constructed_text(&mut self, text: &str) -> NameId {
        if let Some(id) = self.interned.get(text).or_else(|| self.constructed.get(text)) {
            return *id;
        }
        let id = self.push_string(text);
        self.constructed.insert(text.to_owned(), id);
        id
    }

    fn push_string(&mut self, text: &str) -> NameId {
        self.names.strings.push(text.into());
        to_u32(self.names.strings.len() - 1)
    }

    /// The id of the name in a node's source text.
    pub fn name_id_of_node(&mut self, node: Node<'_>) -> NameId {
        self.intern_source_text(self.text_of_node(node))
    }

    /// Calls `inside` one level deeper in the source. Below the deepest level, `node` is recorded as missed instead.
    pub fn with_depth_limit<R: Default>(&mut self, node: Node<'_>, inside: impl FnOnce(&mut Self) -> R) -> R {
        if self.depth >= MAX_DEPTH {
            self.record_missed_region(node);
            return R::default();
        }
        self.depth += 1;
        let result = stacker::maybe_grow(MIN_FREE_STACK_BYTES, STACK_SEGMENT_BYTES, || inside(self));
        self.depth -= 1;
        result
    }

    /// Records that the names inside `node` are incomplete.
    pub fn record_missed_region(&mut self, node: Node<'_>) {
        let lines = (first_line_of_node(node), to_u32(node.end_position().row) + 1);
        if self.names.missed.last().is_none_or(|last| last.1 < lines.0) {
            self.names.missed.push(lines);
        }
    }

    /// Opens a new scope below `parent` with the byte range of `node`.
    pub fn open_scope(&mut self, parent: ScopeId, kind: ScopeKind, node: Node<'_>) -> ScopeId {
        self.open_scope_for_bytes(parent, kind, node.start_byte()..node.end_byte())
    }

    pub fn open_scope_for_bytes(&mut self, parent: ScopeId, kind: ScopeKind, bytes: std::ops::Range<usize>) -> ScopeId {
        let bytes = to_u32(bytes.start)..to_u32(bytes.end);
        self.names.scopes.push(Scope { parent: Some(parent), kind, owner: None, bytes });
        to_u32(self.names.scopes.len() - 1)
    }

    /// Binds the name in the text of `node` in `scope`, and records an occurrence with the role of a definition.
    pub fn bind_node_name(&mut self, scope: ScopeId, kind: BindingKind, node: Node<'_>) -> BindingId {
        let name = self.name_id_of_node(node);
        let binding = self.add_binding(scope, kind, name, node.start_byte());
        self.record_occurrence(node, Role::Definition, Target::Binding(binding));
        binding
    }

    /// Binds `name` in `scope` at byte offset `at`, without recording an occurrence.
    pub fn add_binding(&mut self, scope: ScopeId, kind: BindingKind, name: NameId, at: usize) -> BindingId {
        self.names.bindings.push(Binding {
            name,
            scope,
            at: to_u32(at),
            visible_from: 0,
            kind,
            body: None,
            annotation: None,
            values: Span::default(),
            bases: Span::default(),
            import: None,
            private: false,
            type_only: false,
            on_type: false,
            wrapped: false,
        });
        to_u32(self.names.bindings.len() - 1)
    }

    /// Mutable access to a binding, so that the binder can complete it.
    #[expect(clippy::indexing_slicing, reason = "only this builder makes binding ids")]
    pub fn binding_mut(&mut self, id: BindingId) -> &mut Binding {
        &mut self.names.bindings[id as usize]
    }

    /// Sets `scope` as the body of `binding`, and `binding` as the owner of `scope`.
    pub fn set_body_scope(&mut self, binding: BindingId, scope: ScopeId) {
        if let Some(scope) = self.names.scopes.get_mut(scope as usize) {
            scope.owner = Some(binding);
        }
        self.binding_mut(binding).body = Some(scope);
    }

    pub fn scope_kind(&self, scope: ScopeId) -> ScopeKind {
        self.names.scopes.get(scope as usize).map_or(ScopeKind::File, |scope| scope.kind)
    }

    pub fn parent_scope(&self, scope: ScopeId) -> Option<ScopeId> {
        self.names.scopes.get(scope as usize).and_then(|scope| scope.parent)
    }

    /// The nearest scope of one of `kinds`, from `scope` outwards, `scope` included.
    pub fn nearest_scope_of_kinds(&self, scope: ScopeId, kinds: &[ScopeKind]) -> Option<ScopeId> {
        let mut at = Some(scope);
        while let Some(scope) = at {
            if kinds.contains(&self.scope_kind(scope)) {
                return Some(scope);
            }
            at = self.parent_scope(scope);
        }
        None
    }

    pub fn add_expr(&mut self, expr: Expr) -> ExprId {
        if expr == Expr::Unknown {
            return self.unknown;
        }
        self.names.exprs.push(expr);
        to_u32(self.names.exprs.len() - 1)
    }

    pub fn unknown_expr(&self) -> ExprId {
        self.unknown
    }

    /// Stores a list of expressions and returns its range.
    pub fn add_expr_list(&mut self, exprs: &[ExprId]) -> Span {
        let start = to_u32(self.names.lists.len());
        self.names.lists.extend_from_slice(exprs);
        Span { start, len: to_u32(exprs.len()) }
    }

    /// An expression with one of several possible values; unknown values are left out.
    pub fn either_expr(&mut self, mut exprs: Vec<ExprId>) -> ExprId {
        exprs.retain(|expr| *expr != self.unknown);
        match exprs.as_slice() {
            [] => self.unknown,
            [one] => *one,
            several => {
                let span = self.add_expr_list(several);
                self.add_expr(Expr::Either(span))
            }
        }
    }

    /// Creates a look-up from `scope` of the bare name in the text of `node`, and records the occurrence.
    pub fn record_name_use(&mut self, node: Node<'_>, scope: ScopeId, role: Role) -> ExprId {
        let name = self.name_id_of_node(node);
        let expr = self.add_expr(Expr::Name { name, scope, at: to_u32(node.start_byte()) });
        self.record_occurrence(node, role, Target::Expr(expr));
        expr
    }

    /// Creates an access to the member of `base` that `node` names, and records the occurrence.
    pub fn record_member_use(&mut self, base: ExprId, node: Node<'_>, role: Role) -> ExprId {
        let name = self.name_id_of_node(node);
        let expr = self.add_expr(Expr::Member { base, name, at: to_u32(node.start_byte()) });
        self.record_occurrence(node, role, Target::Expr(expr));
        expr
    }

    /// Records an occurrence of the name in the text of `node`.
    pub fn record_occurrence(&mut self, node: Node<'_>, role: Role, target: Target) {
        let name = self.name_id_of_node(node);
        let (at, line) = (to_u32(node.start_byte()), first_line_of_node(node));
        self.names.occurrences.push(Occurrence { name, at, line, role, target });
    }

    /// The id of the name at the byte range `bytes`, for names that are not in the syntax tree (in a macro's body, for
    /// example).
    pub fn name_id_in_range(&mut self, bytes: std::ops::Range<usize>) -> NameId {
        self.intern_source_text(self.source.get(bytes).unwrap_or(""))
    }

    /// Records an occurrence of a name that is not in the syntax tree.
    pub fn record_occurrence_at(&mut self, name: NameId, at: usize, line: u32, role: Role, target: Target) {
        self.names.occurrences.push(Occurrence { name, at: to_u32(at), line, role, target });
    }

    /// Records an import of the module `source`.
    pub fn add_import(
        &mut self,
        kind: ModuleImportKind,
        source: NameId,
        scope: ScopeId,
        node: Node<'_>,
    ) -> ModuleImportId {
        self.add_import_at_line(kind, source, scope, first_line_of_node(node))
    }

    pub fn add_import_at_line(
        &mut self,
        kind: ModuleImportKind,
        source: NameId,
        scope: ScopeId,
        line: u32,
    ) -> ModuleImportId {
        self.names.imports.push(ModuleImport {
            kind,
            source,
            special: false,
            names: Vec::new(),
            glob: false,
            scope,
            line,
        });
        to_u32(self.names.imports.len() - 1)
    }

    /// Mutable access to an import, so that the binder can complete it.
    #[expect(clippy::indexing_slicing, reason = "only this builder makes import ids")]
    pub fn import_mut(&mut self, id: ModuleImportId) -> &mut ModuleImport {
        &mut self.names.imports[id as usize]
    }

    pub fn add_export(&mut self, name: NameId, at: usize, what: Exported) {
        let export = Export { name, at: to_u32(at), what };
        self.names.exports.get_or_insert_default().push(export);
    }

    pub fn add_extension(&mut self, target: ExprId, implements: Option<ExprId>, scope: ScopeId) {
        self.names.extensions.push(Extension { target, implements, scope });
    }

    /// Returns the collected names, with occurrences in the order of the text. One token can have two occurrences: `{ a
    /// }` in JavaScript reads the variable `a` and names a member.
    pub fn into_names(mut self) -> Names {
        self.names.occurrences.sort_by_key(|occurrence| occurrence.at);
        self.names.occurrences.dedup();
        self.names.strings.shrink_to_fit();
        self.names.exprs.shrink_to_fit();
        self.names.occurrences.shrink_to_fit();
        self.names.bindings.shrink_to_fit();
        self.names
    }
}

/// The line on which a node begins, from 1.
pub(crate) fn first_line_of_node(node: Node<'_>) -> u32 {
    to_u32(node.start_position().row) + 1
}

/// Converts an offset or count to 32 bits. Offsets of a text that is small enough to be parsed always fit: see
/// `Limits::max_bytes`.
fn to_u32(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX - 1)
}
