//! Name binding for Python: scopes, bindings, occurrences and imports of one file.
//!
//! [`Binder`] walks the tree once. Its state describes the current position: the scope in which names are looked up,
//! the scope in which they are bound, and the enclosing function or class ([`BodyFrame`]). At the end of a function,
//! `flow.rs` determines which of several assignments reach each use.

mod assignments;
mod calls;
mod definitions;
mod expressions;
mod flow;
mod imports;
mod kinds;
mod patterns;
mod statements;
mod strings;
mod subscripts;
#[cfg(all(test, feature = "lang-python"))]
mod tests;
mod types;

use foldhash::{HashMap, HashMapExt as _};
use tree_sitter::{Node, TreeCursor};

use crate::names::{BindingId, BindingKind, Expr, ExprId, FILE_SCOPE, NameId, NamesBuilder, Role, ScopeId, Target};
use flow::AssignmentFlow;
use kinds::{Field, GrammarIdTables, Kind};
use subscripts::SubscriptBody;

/// Binds every name in the syntax tree below `root`.
pub(super) fn bind_names_in_file(root: Node<'_>, builder: &mut NamesBuilder<'_>) {
    let mut binder = Binder::new(root);
    binder.bind_child_statements_without_flow_block(builder, root);
    binder.store_values_and_dunder_all(builder);
}

/// A child node and the grammar's field that labels it in its parent.
#[derive(Clone, Copy)]
struct Child<'t> {
    node: Node<'t>,
    field: Field,
}

/// The children of one node, as a range of [`Binder::child_stack`].
#[derive(Clone, Copy)]
struct ChildRange {
    start: usize,
    end: usize,
}

/// The kind of the body that the binder is reading: file, class or function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BodyKind {
    File,
    Class { is_enum: bool },
    Function,
}

/// The first parameter of a method (`self`, `cls`).
#[derive(Clone, Copy)]
struct Receiver {
    name: NameId,
    /// The scope of the members of the class that contains the method.
    members: ScopeId,
}

/// State of the binder for the body of the file, class or function that it is reading.
struct BodyFrame {
    body_kind: BodyKind,
    /// The scope in which names that the body defines are bound.
    binding_scope: ScopeId,
    /// Names that `global` and `nonlocal` statements of the body bind in another scope, with that scope.
    redirected_names: Vec<(NameId, ScopeId)>,
    receiver: Option<Receiver>,
    /// The variable that holds the object or class that `__new__` makes.
    made_object: Option<NameId>,
    returns: Vec<ExprId>,
    yields: Vec<ExprId>,
    is_generator: bool,
    /// The branches of a `__getitem__`; `None` in any other body.
    subscript: Option<SubscriptBody>,
    /// The assignments and uses of a function's local names; `None` in a class or file.
    flow: Option<AssignmentFlow>,
    /// Names that the body of a class or file looks up in its own scope, and names that it binds, each with the byte
    /// offset from which the binding is visible.
    uses: Vec<ExprId>,
    bound: Vec<(NameId, u32)>,
}

/// A parameter of a test function whose value may come from a pytest fixture in the same file.
struct FixtureParameter {
    name: NameId,
    parameter: BindingId,
}

/// The narrower type that a name has where the check `isinstance(name, types)` is true.
struct Narrowing {
    name: NameId,
    types: ExprId,
    /// Byte offset after the `isinstance` call, from which the narrowed type holds.
    from: usize,
    /// Whether the `isinstance` call is under a `not`.
    is_negated: bool,
}

struct Binder<'t> {
    tables: &'static GrammarIdTables,
    cursor: TreeCursor<'t>,
    /// The children of the nodes that the binder is reading, from the outermost node to the innermost. One shared list
    /// avoids an allocation for each node.
    child_stack: Vec<Child<'t>>,
    /// The scope from which names are looked up at the current position.
    scope: ScopeId,
    frame: BodyFrame,
    /// The most recent binding of each name in each scope, by the scope and the name.
    bound: HashMap<(ScopeId, NameId), BindingId>,
    /// Values that are assigned to bindings, in source order.
    values: Vec<(BindingId, ExprId)>,
    /// Whether the binder is inside the block `if TYPE_CHECKING:`, whose imports exist for type checkers only.
    type_checking: bool,
    /// The names in `__all__` so far; `None` without `__all__`. `is_dunder_all_incomplete` says whether `__all__` also
    /// has parts that are not string literals.
    dunder_all: Option<Vec<NameId>>,
    is_dunder_all_incomplete: bool,
    /// Names of the functions that are decorated with `@fixture`, and whether each function is a generator.
    fixtures: Vec<(NameId, bool)>,
    fixture_parameters: Vec<FixtureParameter>,
    /// Expressions for instances of builtin types, each created once: see [`Binder::builtin_type_instance`].
    builtins: Vec<(&'static str, ExprId)>,
    /// Narrower types that `isinstance` calls in the current condition give to names.
    narrowings: Vec<Narrowing>,
}

impl<'t> Binder<'t> {
    fn new(root: Node<'t>) -> Self {
        Self {
            tables: GrammarIdTables::shared_tables(),
            cursor: root.walk(),
            child_stack: Vec::new(),
            scope: FILE_SCOPE,
            frame: BodyFrame::new(BodyKind::File, FILE_SCOPE),
            bound: HashMap::new(),
            values: Vec::new(),
            type_checking: false,
            dunder_all: None,
            is_dunder_all_incomplete: false,
            fixtures: Vec::new(),
            fixture_parameters: Vec::new(),
            builtins: Vec::new(),
            narrowings: Vec::new(),
        }
    }

    fn kind_of_node(&self, node: Node<'_>) -> Kind {
        self.tables.kind_of_node(node)
    }

    /// Pushes the named children of a node, without comments, to the shared list of children. They stay there until
    /// [`Binder::pop_children`].
    fn push_named_non_comment_children(&mut self, node: Node<'t>) -> ChildRange {
        let start = self.child_stack.len();
        self.cursor.reset(node);
        let mut more = self.cursor.goto_first_child();
        while more {
            let child = self.cursor.node();
            if child.is_named() && !matches!(self.kind_of_node(child), Kind::Comment | Kind::LineContinuation) {
                let field = self.tables.field_by_id(self.cursor.field_id().map(Into::into));
                self.child_stack.push(Child { node: child, field });
            }
            more = self.cursor.goto_next_sibling();
        }
        ChildRange { start, end: self.child_stack.len() }
    }

    fn child_at_index(&self, children: ChildRange, at: usize) -> Option<Child<'t>> {
        self.child_stack.get(children.start..children.end)?.get(at).copied()
    }

    fn pop_children(&mut self, children: ChildRange) {
        self.child_stack.truncate(children.start);
    }

    /// The first child of a node in each of the fields `wanted`.
    fn first_children_in_fields<const N: usize>(
        &mut self,
        node: Node<'t>,
        wanted: [Field; N],
    ) -> [Option<Node<'t>>; N] {
        let mut found = [None; N];
        let children = self.push_named_non_comment_children(node);
        for child in self.child_stack.get(children.start..).unwrap_or(&[]) {
            for (slot, wanted) in found.iter_mut().zip(&wanted) {
                if slot.is_none() && child.field == *wanted {
                    *slot = Some(child.node);
                }
            }
        }
        self.pop_children(children);
        found
    }

    /// Calls `read` for each named child of a node that is not a comment.
    fn for_each_named_non_comment_child<'s>(
        &mut self,
        builder: &mut NamesBuilder<'s>,
        node: Node<'t>,
        mut read: impl FnMut(&mut Self, &mut NamesBuilder<'s>, Child<'t>),
    ) {
        let children = self.push_named_non_comment_children(node);
        let mut at = 0;
        while let Some(child) = self.child_at_index(children, at) {
            read(self, builder, child);
            at += 1;
        }
        self.pop_children(children);
    }

    /// The only named child of a node such as `(x)`, `await x` or `*x`; the first one if there are several.
    fn only_or_first_child(&mut self, node: Node<'t>) -> Option<Node<'t>> {
        let children = self.push_named_non_comment_children(node);
        let child = self.child_at_index(children, 0);
        self.pop_children(children);
        child.map(|child| child.node)
    }

    /// Runs `inside` with `scope` as the scope from which names are looked up, and restores the previous scope.
    fn run_in_scope<R>(&mut self, scope: ScopeId, inside: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.scope, scope);
        let result = inside(self);
        self.scope = outer;
        result
    }

    /// Binds the name in `node` in the scope to which the current body binds it, and records an occurrence with the
    /// role of a definition.
    fn bind_definition_in_current_scope(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        kind: BindingKind,
        node: Node<'t>,
    ) -> BindingId {
        let name = builder.name_id_of_node(node);
        let scope = self.binding_scope_of_name(name);
        self.bind_definition_in_scope(builder, scope, kind, node)
    }

    fn bind_definition_in_scope(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        scope: ScopeId,
        kind: BindingKind,
        node: Node<'t>,
    ) -> BindingId {
        let binding = builder.add_binding_with_definition(scope, kind, node);
        let name = builder.binding_mut(binding).name;
        self.bound.insert((scope, name), binding);
        binding
    }

    /// The scope in which the current body binds `name`: its own, unless `global` or `nonlocal` names another.
    fn binding_scope_of_name(&self, name: NameId) -> ScopeId {
        let redirected = self.frame.redirected_names.iter().find(|(other, _)| *other == name);
        redirected.map_or(self.frame.binding_scope, |(_, scope)| *scope)
    }

    /// Records an assignment for the flow analysis. The binding is visible from byte offset `from` on.
    fn record_assignment_for_flow(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        binding: BindingId,
        from: usize,
        is_none: bool,
    ) {
        let (name, scope) = (builder.binding_mut(binding).name, builder.binding_mut(binding).scope);
        if scope == self.frame.binding_scope {
            match &mut self.frame.flow {
                Some(flow) => flow.add_assignment(name, from, binding, is_none),
                None => self.frame.bound.push((name, u32::try_from(from).unwrap_or(u32::MAX))),
            }
        }
    }

    /// Records the use of a bare name, and returns the expression that looks it up from the current scope.
    fn record_name_use(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>, role: Role) -> ExprId {
        let expr = builder.record_name_use(node, self.scope, role);
        self.record_name_lookup_for_flow(expr);
        expr
    }

    /// Records an [`Expr::Name`] that is looked up from the current scope, for the flow analysis of the body.
    fn record_name_lookup_for_flow(&mut self, expr: ExprId) {
        match &mut self.frame.flow {
            Some(flow) => flow.add_name_use(expr),
            None if self.scope == self.frame.binding_scope => self.frame.uses.push(expr),
            None => {}
        }
    }

    /// Whether the current scope or one of its enclosing scopes has bound `name` so far.
    fn is_name_bound_so_far(&self, builder: &NamesBuilder<'_>, name: NameId) -> bool {
        let mut at = Some(self.scope);
        while let Some(scope) = at {
            if self.bound.contains_key(&(scope, name)) {
                return true;
            }
            at = builder.parent_scope(scope);
        }
        false
    }

    fn add_known_binding_value(&mut self, builder: &NamesBuilder<'_>, binding: BindingId, value: ExprId) {
        if value != builder.unknown_expr() {
            self.values.push((binding, value));
        }
    }

    /// The expression for an instance of the builtin type called `text`. Creates one expression for each type.
    fn builtin_type_instance(&mut self, builder: &mut NamesBuilder<'_>, text: &'static str) -> ExprId {
        if let Some((_, expr)) = self.builtins.iter().find(|(known, _)| *known == text) {
            return *expr;
        }
        let name = builder.intern_source_text(text);
        let of = builder.add_expr(Expr::Name { name, scope: FILE_SCOPE, at: 0 });
        let expr = builder.add_expr(Expr::Instance { of });
        self.builtins.push((text, expr));
        expr
    }

    /// The expression for an instance of an unnamed container that contains values like those in `elements`.
    fn unnamed_container_instance(&mut self, builder: &mut NamesBuilder<'_>, elements: &[ExprId]) -> ExprId {
        let types: Vec<ExprId> =
            elements.iter().map(|element| builder.add_expr(Expr::TypeOf { of: *element })).collect();
        let args = builder.add_expr_list(&types);
        let of = builder.add_expr(Expr::Generic { base: None, args });
        builder.add_expr(Expr::Instance { of })
    }

    fn store_values_and_dunder_all(mut self, builder: &mut NamesBuilder<'_>) {
        for fixture_parameter in std::mem::take(&mut self.fixture_parameters) {
            let Some((name, yields)) = self.fixtures.iter().find(|(name, _)| *name == fixture_parameter.name).copied()
            else {
                continue;
            };
            let callee = builder.add_expr(Expr::Name { name, scope: FILE_SCOPE, at: 0 });
            let call = builder.add_expr(Expr::Call { callee });
            let value = if yields { builder.add_expr(Expr::Element { of: call }) } else { call };
            self.add_known_binding_value(builder, fixture_parameter.parameter, value);
        }
        // Values were recorded in source order. Grouping by binding makes the values of each binding contiguous.
        self.values.sort_by_key(|(binding, _)| *binding);
        for group in self.values.chunk_by(|a, b| a.0 == b.0) {
            let Some((binding, _)) = group.first() else { continue };
            let values: Vec<ExprId> = group.iter().map(|(_, value)| *value).collect();
            builder.binding_mut(*binding).values = builder.add_expr_list(&values);
        }
        if !self.is_dunder_all_incomplete {
            builder.names.star = self.dunder_all;
        }
    }
}

impl BodyFrame {
    fn new(around: BodyKind, home: ScopeId) -> Self {
        Self {
            body_kind: around,
            binding_scope: home,
            redirected_names: Vec::new(),
            receiver: None,
            made_object: None,
            returns: Vec::new(),
            yields: Vec::new(),
            is_generator: false,
            subscript: None,
            flow: None,
            uses: Vec::new(),
            bound: Vec::new(),
        }
    }
}

/// Records an occurrence of a name at a byte offset, where the name is not a syntax node.
fn record_occurrence_at_offset(
    builder: &mut NamesBuilder<'_>,
    name: NameId,
    at: usize,
    line: u32,
    role: Role,
    target: Target,
) {
    let at = u32::try_from(at).unwrap_or(u32::MAX);
    builder.names.occurrences.push(crate::names::Occurrence { name, at, line, role, target });
}
