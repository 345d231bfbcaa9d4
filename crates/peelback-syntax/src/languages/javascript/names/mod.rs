//! Name binding for JavaScript and TypeScript: scopes, bindings, occurrences and imports of one file. The binder visits
//! the tree once, recursively; its state holds the scope of the current node.
//!
//! - `statements`, `patterns`, `functions`, `classes`, `types`: nodes that declare names.
//! - `expressions`, `calls`, `objects`, `assignments`, `jsx`: nodes that have a value.
//! - `frameworks`: calls whose results have the types of what frameworks are given.
//! - `properties`: calls that define a property of an object.
//! - `modules`: imports, exports, `require`.
//! - `owners`: the scope with the members of a value, for members that are added from outside.

mod assignments;
mod calls;
mod classes;
mod declarations;
mod expressions;
mod frameworks;
mod functions;
mod jsx;
pub(super) mod kinds;
mod modules;
mod objects;
mod owners;
mod patterns;
mod properties;
mod prototypes;
mod statements;
#[cfg(all(test, feature = "lang-javascript", feature = "lang-typescript"))]
mod tests;
mod types;

use std::rc::Rc;

use foldhash::{HashMap, HashMapExt as _};
use tree_sitter::{Node, TreeCursor};

use super::property_definers::PropertyDefiners;
use super::prototypes::Prototypes;
use crate::names::{
    BindingId, BindingKind, Expr, ExprId, FILE_SCOPE, NameId, NamesBuilder, Role, ScopeId, ScopeKind, Span,
};
use kinds::{Field, GrammarIdTables, Kind};

/// The limit on the number of values that are kept for one variable, or for the results of one function.
const MAX_VALUES: usize = 8;

/// Binds every name in the syntax tree below `root`. `typescript` says whether the file is TypeScript.
pub(super) fn bind_names_in_file<'t>(root: Node<'t>, typescript: bool, builder: &mut NamesBuilder<'_>) {
    let mut binder = Binder {
        typescript,
        tables: GrammarIdTables::for_grammar_of_node(root),
        cursors: Vec::new(),
        scope: FILE_SCOPE,
        hoist_scope: FILE_SCOPE,
        this: This::Unknown,
        constructor_members: None,
        body: FunctionState::default(),
        bound: HashMap::new(),
        bound_on_other_side: HashMap::new(),
        extensions: HashMap::new(),
        prototype_extensions: HashMap::new(),
        assigned_fields: Vec::new(),
        assigned_values: Vec::new(),
        narrowings: Vec::new(),
        property_definers: PropertyDefiners::in_file(root, builder.source),
        prototypes: Prototypes::in_file(root, builder.source),
        known_exports_scope: None,
        whole_export: WholeExport::None,
    };
    binder.bind_names_and_get_value(root, ExprContext::READ, builder);
    binder.add_later_assigned_values(builder);
}

/// The context in which the binder reads an expression.
#[derive(Clone, Copy)]
struct ExprContext {
    /// The role of the expression's last name: read, called, written and so on.
    role: Role,
    /// The value that the context declares for the expression (contextual typing); unknown if nothing declares it.
    expected: ExprId,
}

impl ExprContext {
    const READ: Self = Self { role: Role::Read, expected: 0 };

    fn for_role(role: Role) -> Self {
        Self { role, ..Self::READ }
    }

    fn with_expected_value(expected: ExprId) -> Self {
        Self { expected, ..Self::READ }
    }
}

/// What `this` refers to at the current position of the binder.
#[derive(Clone, Copy)]
enum This {
    Unknown,
    /// `this` is an instance of the type whose members are in this scope.
    Instance(ScopeId),
    /// `this` is the type itself, whose members are in this scope.
    Type(ScopeId),
    /// `this` is the object whose members are in this scope.
    Object(ScopeId),
    /// `this` is an instance that `new` creates from this function. The function gets a member scope when the first
    /// member is added.
    Constructed(BindingId),
    /// `this` has the type that a parameter called `this` declares.
    Declared(ExprId),
}

/// State of the binder for the function that it is reading.
#[derive(Default)]
struct FunctionState {
    returns: Vec<ExprId>,
    /// The value that the function is expected to return, from its declared return type or from its context.
    expected: ExprId,
    is_generator: bool,
}

/// An assignment `this.name = value` in a method of a class. Such assignments are bound after all declared members of
/// the class are known.
struct AssignedField<'t> {
    scope: ScopeId,
    on_type: bool,
    name: Node<'t>,
    value: ExprId,
}

struct Binder<'t> {
    typescript: bool,
    tables: Rc<GrammarIdTables>,
    /// Tree cursors that are not in use. The binder reuses them, because creating a cursor costs an allocation.
    cursors: Vec<TreeCursor<'t>>,
    /// The scope from which the names at the current position are looked up.
    scope: ScopeId,
    /// The scope in which a `var` declaration at the current position binds its names.
    hoist_scope: ScopeId,
    this: This,
    /// The member scope of the class whose constructor is being read; constructor parameters may declare fields.
    constructor_members: Option<ScopeId>,
    body: FunctionState,
    /// The first binding of each name in each scope, by the scope and the name.
    bound: HashMap<(ScopeId, NameId), BindingId>,
    /// The first binding of each name in the scope of a type's members on the side where [`Binder::bound`] has none: of the type
    /// itself, or of its instances.
    bound_on_other_side: HashMap<(ScopeId, NameId), BindingId>,
    /// Scopes of the members that are added to functions and variables outside of their definitions, by the binding
    /// that gets the members.
    extensions: HashMap<BindingId, ScopeId>,
    /// Scopes of the members that are added to the prototype of a type from another file, by the type's local name and
    /// its scope.
    prototype_extensions: HashMap<(ScopeId, NameId), ScopeId>,
    assigned_fields: Vec<AssignedField<'t>>,
    /// Values that are assigned to variables and fields after their declaration, each with the binding that gets the
    /// value.
    assigned_values: Vec<(BindingId, ExprId)>,
    /// Names with the narrower type that a condition gives them, the innermost condition last.
    narrowings: Vec<(NameId, ExprId)>,
    /// The functions whose calls define properties.
    property_definers: PropertyDefiners,
    /// What the file's top level does with prototypes.
    prototypes: Prototypes,
    /// The scope of the members of the CommonJS `exports` object; `None` until it is first needed.
    known_exports_scope: Option<ScopeId>,
    whole_export: WholeExport,
}

/// What a file has assigned to `module.exports` so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WholeExport {
    /// Nothing.
    None,
    /// The value of this expression, the last that was assigned.
    Expr(ExprId),
    /// One of several values, depending on a condition.
    Unknown,
}

impl<'t> Binder<'t> {
    fn kind_of_node(&self, node: Node<'_>) -> Kind {
        self.tables.kind_of_node(node)
    }

    /// Calls `visit` for each child of a node, with the child's field.
    fn for_each_named_or_unnamed_child(
        &mut self,
        node: Node<'t>,
        builder: &mut NamesBuilder<'_>,
        mut visit: impl FnMut(&mut Self, Node<'t>, Field, &mut NamesBuilder<'_>),
    ) {
        let mut cursor = match self.cursors.pop() {
            Some(mut cursor) => {
                cursor.reset(node);
                cursor
            }
            None => node.walk(),
        };
        if cursor.goto_first_child() {
            loop {
                let field = self.tables.field_at_cursor(&cursor);
                visit(self, cursor.node(), field, builder);
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.cursors.push(cursor);
    }

    /// The first child of `node` in the grammar's field `wanted`.
    fn first_child_in_field(
        &mut self,
        node: Node<'t>,
        wanted: Field,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<Node<'t>> {
        let mut found = None;
        self.for_each_named_or_unnamed_child(node, builder, |_, child, field, _| {
            if field == wanted && found.is_none() {
                found = Some(child);
            }
        });
        found
    }

    /// The first named child of a node that is not a comment.
    fn first_named_non_comment_child(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> Option<Node<'t>> {
        let mut found = None;
        self.for_each_named_or_unnamed_child(node, builder, |this, child, _, _| {
            if found.is_none() && child.is_named() && !this.is_comment(child) {
                found = Some(child);
            }
        });
        found
    }

    fn is_comment(&self, node: Node<'_>) -> bool {
        self.kind_of_node(node) == Kind::Leaf && node.is_extra()
    }

    /// Binds the names in all children of a node.
    fn bind_names_in_children(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        self.for_each_named_or_unnamed_child(node, builder, |this, child, _, builder| {
            this.bind_names_and_get_value(child, ExprContext::READ, builder);
        });
    }

    /// Runs `visit` with `scope` as the scope from which names are looked up, and restores the previous scope.
    fn run_in_scope<R>(&mut self, scope: ScopeId, visit: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.scope, scope);
        let result = visit(self);
        self.scope = outer;
        result
    }

    fn run_with_this_value<R>(&mut self, this: This, visit: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.this, this);
        let result = visit(self);
        self.this = outer;
        result
    }

    /// Opens a scope inside the current scope, with the byte range of `node`.
    fn add_scope_inside_current(&mut self, kind: ScopeKind, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ScopeId {
        builder.add_child_scope(self.scope, kind, node)
    }

    /// Creates a binding in `scope` for the name in the text of `node`.
    fn bind_name(
        &mut self,
        scope: ScopeId,
        kind: BindingKind,
        node: Node<'t>,
        builder: &mut NamesBuilder<'_>,
    ) -> BindingId {
        let binding = builder.add_binding_with_definition(scope, kind, node);
        let name = builder.binding_mut(binding).name;
        self.bound.entry((scope, name)).or_insert(binding);
        binding
    }

    /// The binding of `name` that is visible from `scope`, among the bindings of this file so far.
    fn find_visible_binding_in_file(
        &self,
        scope: ScopeId,
        name: NameId,
        builder: &NamesBuilder<'_>,
    ) -> Option<BindingId> {
        let mut at = Some(scope);
        while let Some(scope) = at {
            if let Some(binding) = self.bound.get(&(scope, name))
                && builder.scope_kind(scope) != ScopeKind::Type
            {
                return Some(*binding);
            }
            at = builder.parent_scope(scope);
        }
        None
    }

    /// Sets the possible values of a binding. Unknown and duplicate values are dropped.
    fn set_binding_values_except_unknown(binding: BindingId, values: &[ExprId], builder: &mut NamesBuilder<'_>) {
        let mut known: Vec<ExprId> = Vec::new();
        for value in values {
            if *value != builder.unknown_expr() && !known.contains(value) && known.len() < MAX_VALUES {
                known.push(*value);
            }
        }
        if !known.is_empty() {
            builder.binding_mut(binding).values = builder.add_expr_list(&known);
        }
    }

    /// The value of `this` at the current position of the binder.
    fn this_value(&mut self, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.this {
            This::Unknown => builder.unknown_expr(),
            This::Instance(scope) => builder.add_expr(Expr::This { scope }),
            This::Type(scope) => builder.add_expr(Expr::ThisType { scope }),
            This::Object(scope) => builder.add_expr(Expr::Object { scope }),
            This::Constructed(binding) => {
                let scope = self.get_or_add_extension_scope(binding, builder);
                builder.add_expr(Expr::This { scope })
            }
            This::Declared(expr) => expr,
        }
    }

    /// The expression for an instance of the type `of`; unknown if the type is unknown.
    fn instance_expr_of_type(of: ExprId, builder: &mut NamesBuilder<'_>) -> ExprId {
        if of == builder.unknown_expr() { of } else { builder.add_expr(Expr::Instance { of }) }
    }

    /// The expression for an element of the container `of`, or for the result of awaiting it. Awaiting a dynamic import
    /// returns the module itself.
    fn element_or_awaited_expr(of: ExprId, builder: &mut NamesBuilder<'_>) -> ExprId {
        match builder.names.expr_by_id(of) {
            Expr::Unknown | Expr::Imported { .. } => of,
            _ => builder.add_expr(Expr::Element { of }),
        }
    }

    /// The expression for the type of the value `of`.
    fn type_of_value(of: ExprId, builder: &mut NamesBuilder<'_>) -> ExprId {
        match builder.names.expr_by_id(of) {
            Expr::Unknown => of,
            Expr::Instance { of } => of,
            _ => builder.add_expr(Expr::TypeOf { of }),
        }
    }

    /// The expression for the type of a container whose elements have the type of the value `element`.
    fn container_type_of_element_value(element: ExprId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let of = Self::type_of_value(element, builder);
        if of == builder.unknown_expr() {
            return of;
        }
        let args = builder.add_expr_list(&[of]);
        builder.add_expr(Expr::Generic { base: None, args })
    }

    /// Adds the values that were assigned after a declaration to the values of the binding. Runs after the whole file
    /// was read.
    fn add_later_assigned_values(&mut self, builder: &mut NamesBuilder<'_>) {
        let mut assigned = std::mem::take(&mut self.assigned_values);
        assigned.sort_by_key(|(binding, _)| *binding);
        for group in assigned.chunk_by(|a, b| a.0 == b.0) {
            let Some((binding, _)) = group.first() else { continue };
            let before = builder.binding_mut(*binding).values;
            if before.len as usize >= MAX_VALUES {
                continue;
            }
            let mut values = builder.names.expr_ids_in_list_range(before).to_vec();
            values.extend(group.iter().map(|(_, value)| *value));
            builder.binding_mut(*binding).values = Span::default();
            Self::set_binding_values_except_unknown(*binding, &values, builder);
        }
    }
}
