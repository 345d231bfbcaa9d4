//! The builder through which the binders of all languages fill [`Names`].

use foldhash::{HashMap, HashMapExt as _};
use tree_sitter::Node;

use super::{
    Binding, BindingId, BindingKind, Export, Exported, Expr, ExprId, Extension, ModuleImport, ModuleImportId,
    ModuleImportKind, NameId, Names, Occurrence, Role, Scope, ScopeId, ScopeKind, Span, Target,
};
use crate::stack::run_on_enough_stack;

/// The limit on the nesting of source that a binder reads. The names in deeper regions are recorded as missing.
const MAX_DEPTH: u32 = 3_000;

/// The builder of one file's names, which a binder fills.
pub(crate) struct NamesBuilder<'s> {
    /// The source text of the file whose names are collected.
    pub source: &'s str,
    pub names: Names,
    interned: HashMap<&'s str, NameId>,
    /// The ids of interned names that are not slices of the source text, by the name.
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

    /// The source text of a syntax node.
    pub fn text_of_node(&self, node: Node<'_>) -> &'s str {
        self.source.get(node.byte_range()).unwrap_or("")
    }

    /// The id of a name, given as a slice of the source text. Equal names have the same id.
    pub fn intern_source_text(&mut self, text: &'s str) -> NameId {
        if let Some(id) = self.interned.get(text) {
            return *id;
        }
        let id = match self.constructed.get(text) {
            Some(id) => *id,
            None => self.push_name_text(text),
        };
        self.interned.insert(text, id);
        id
    }

    /// The id of a name that is not a slice of the source text, because the binder constructs it (`default`, a path
    /// joined from parts).
    pub fn intern_constructed_text(&mut self, text: &str) -> NameId {
        if let Some(id) = self.interned.get(text).or_else(|| self.constructed.get(text)) {
            return *id;
        }
        let id = self.push_name_text(text);
        self.constructed.insert(text.to_owned(), id);
        id
    }

    fn push_name_text(&mut self, text: &str) -> NameId {
        self.names.strings.push(text.into());
        saturating_u32(self.names.strings.len() - 1)
    }

    /// The id of the name that is a syntax node's whole source text.
    pub fn name_id_of_node(&mut self, node: Node<'_>) -> NameId {
        self.intern_source_text(self.text_of_node(node))
    }

    /// Calls `inside` with the recursion one level deeper, and with enough stack. At the limit of the nesting, `inside`
    /// is not called, and the names in `node` are recorded as missing.
    pub fn run_with_depth_limit<R: Default>(&mut self, node: Node<'_>, inside: impl FnOnce(&mut Self) -> R) -> R {
        if self.depth >= MAX_DEPTH {
            self.record_missed_region(node);
            return R::default();
        }
        self.depth += 1;
        let result = run_on_enough_stack(|| inside(self));
        self.depth -= 1;
        result
    }

    /// Records that names inside `node` are missing.
    pub fn record_missed_region(&mut self, node: Node<'_>) {
        let lines = (first_line_number_of_node(node), saturating_u32(node.end_position().row) + 1);
        if self.names.missed.last().is_none_or(|last| last.1 < lines.0) {
            self.names.missed.push(lines);
        }
    }

    /// Creates a scope inside the scope `parent`, with the byte range of `node`.
    pub fn add_child_scope(&mut self, parent: ScopeId, kind: ScopeKind, node: Node<'_>) -> ScopeId {
        self.add_child_scope_for_bytes(parent, kind, node.start_byte()..node.end_byte())
    }

    pub fn add_child_scope_for_bytes(
        &mut self,
        parent: ScopeId,
        kind: ScopeKind,
        bytes: std::ops::Range<usize>,
    ) -> ScopeId {
        let bytes = saturating_u32(bytes.start)..saturating_u32(bytes.end);
        self.names.scopes.push(Scope { parent: Some(parent), kind, owner: None, bytes });
        saturating_u32(self.names.scopes.len() - 1)
    }

    /// Creates a binding in `scope` for the name in the text of `node`, and records an occurrence with the role of a
    /// definition.
    pub fn add_binding_with_definition(&mut self, scope: ScopeId, kind: BindingKind, node: Node<'_>) -> BindingId {
        let name = self.name_id_of_node(node);
        let binding = self.add_binding(scope, kind, name, node.start_byte());
        self.record_occurrence(node, Role::Definition, Target::Binding(binding));
        binding
    }

    /// Creates a binding for `name` in `scope`, with the name at byte offset `at`. Records no occurrence.
    pub fn add_binding(&mut self, scope: ScopeId, kind: BindingKind, name: NameId, at: usize) -> BindingId {
        self.names.bindings.push(Binding {
            name,
            scope,
            at: saturating_u32(at),
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
            constant: false,
        });
        saturating_u32(self.names.bindings.len() - 1)
    }

    /// Mutable access to a binding by its id, so that the binder can complete it.
    #[expect(clippy::indexing_slicing, reason = "only this builder makes binding ids")]
    pub fn binding_mut(&mut self, id: BindingId) -> &mut Binding {
        &mut self.names.bindings[id as usize]
    }

    /// Sets `scope` as the body scope of `binding`, and `binding` as the owner of `scope`.
    pub fn link_binding_and_body_scope(&mut self, binding: BindingId, scope: ScopeId) {
        self.set_scope_owner(scope, binding);
        self.binding_mut(binding).body = Some(scope);
    }

    /// Sets `binding` as the owner of `scope`, which is not its first body: the scope of a property's setter.
    pub fn set_scope_owner(&mut self, scope: ScopeId, binding: BindingId) {
        if let Some(scope) = self.names.scopes.get_mut(scope as usize) {
            scope.owner = Some(binding);
        }
    }

    pub fn scope_kind(&self, scope: ScopeId) -> ScopeKind {
        self.names.scopes.get(scope as usize).map_or(ScopeKind::File, |scope| scope.kind)
    }

    pub fn parent_scope(&self, scope: ScopeId) -> Option<ScopeId> {
        self.names.scopes.get(scope as usize).and_then(|scope| scope.parent)
    }

    /// The nearest scope of one of `kinds`: `scope` itself, or else the nearest enclosing one.
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
        saturating_u32(self.names.exprs.len() - 1)
    }

    pub fn unknown_expr(&self) -> ExprId {
        self.unknown
    }

    /// Stores a list of expressions and returns its range in [`Names::lists`].
    pub fn add_expr_list(&mut self, exprs: &[ExprId]) -> Span {
        let start = saturating_u32(self.names.lists.len());
        self.names.lists.extend_from_slice(exprs);
        Span { start, len: saturating_u32(exprs.len()) }
    }

    /// The expression for one of several possible values, which are `exprs`; unknown values are left out.
    pub fn expr_of_possible_values(&mut self, mut exprs: Vec<ExprId>) -> ExprId {
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

    /// Records the use of the bare name in the text of `node`, and returns the expression that looks the name up from
    /// `scope`.
    pub fn record_name_use(&mut self, node: Node<'_>, scope: ScopeId, role: Role) -> ExprId {
        let name = self.name_id_of_node(node);
        let expr = self.add_expr(Expr::Name { name, scope, at: saturating_u32(node.start_byte()) });
        self.record_occurrence(node, role, Target::Expr(expr));
        expr
    }

    /// Records the use of the member name in `node`, and returns the expression for that member of `base`.
    pub fn record_member_use(&mut self, base: ExprId, node: Node<'_>, role: Role) -> ExprId {
        let name = self.name_id_of_node(node);
        let expr = self.add_expr(Expr::Member { base, name, at: saturating_u32(node.start_byte()) });
        self.record_occurrence(node, role, Target::Expr(expr));
        expr
    }

    /// Records an occurrence of the name in the text of `node`, with its role and target.
    pub fn record_occurrence(&mut self, node: Node<'_>, role: Role, target: Target) {
        let name = self.name_id_of_node(node);
        let (at, line) = (saturating_u32(node.start_byte()), first_line_number_of_node(node));
        self.names.occurrences.push(Occurrence { name, at, line, role, target });
    }

    /// The id of the name in the byte range `bytes` of the source, for names that are not in the syntax tree (in a
    /// macro's body, for example).
    pub fn name_id_of_source_range(&mut self, bytes: std::ops::Range<usize>) -> NameId {
        self.intern_source_text(self.source.get(bytes).unwrap_or(""))
    }

    /// Records an occurrence of a name that is not in the syntax tree, at byte offset `at`.
    pub fn record_occurrence_at_offset(&mut self, name: NameId, at: usize, line: u32, role: Role, target: Target) {
        self.names.occurrences.push(Occurrence { name, at: saturating_u32(at), line, role, target });
    }

    /// Records an import of the module that `source` names, and returns its id.
    pub fn add_import(
        &mut self,
        kind: ModuleImportKind,
        source: NameId,
        scope: ScopeId,
        node: Node<'_>,
    ) -> ModuleImportId {
        self.add_import_at_line(kind, source, scope, first_line_number_of_node(node))
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
        saturating_u32(self.names.imports.len() - 1)
    }

    /// Mutable access to an import by its id, so that the binder can complete it.
    #[expect(clippy::indexing_slicing, reason = "only this builder makes import ids")]
    pub fn import_mut(&mut self, id: ModuleImportId) -> &mut ModuleImport {
        &mut self.names.imports[id as usize]
    }

    pub fn add_export(&mut self, name: NameId, at: usize, what: Exported) {
        let export = Export { name, at: saturating_u32(at), what };
        self.names.exports.get_or_insert_default().push(export);
    }

    pub fn add_member_extension(&mut self, target: ExprId, implements: Option<ExprId>, scope: ScopeId) {
        self.names.extensions.push(Extension { target, implements, scope });
    }

    /// Returns the collected names of the file, with occurrences in the order of the text. One token can have two
    /// occurrences: `{ a }` in JavaScript reads the variable `a` and names a member.
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

/// The line on which a syntax node begins, from 1.
pub(crate) fn first_line_number_of_node(node: Node<'_>) -> u32 {
    saturating_u32(node.start_position().row) + 1
}

/// Converts a byte offset, row or count to 32 bits; a number that is too large becomes `u32::MAX - 1`. The offsets of a
/// text that is small enough to be parsed always fit: see `Limits::max_bytes`.
fn saturating_u32(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX - 1)
}
