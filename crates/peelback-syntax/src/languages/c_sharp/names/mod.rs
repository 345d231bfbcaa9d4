//! Name binding for C#: scopes, bindings, occurrences and imports of one file.
//!
//! The arguments of each call are recorded, because they choose among the methods of one name
//! ([`Names::call_arguments`]), and the number of type arguments of each generic name, because it chooses among the types
//! of one name ([`Names::type_argument_counts`]). What C# adds to the model is recorded with these conventions:
//!
//! - A namespace is a scope of kind module. Its owner is a binding that no look-up finds, with the full path as its name.
//! - [`Binding::wrapped`] marks a type that can have parts in other files (`partial`).
//! - [`Binding::constant`] marks a constructor, a method without a body of an interface, and the parameter `this` of an
//!   extension method.
//! - [`Binding::type_only`] marks a member that implements one of an interface and is no member of its type by name.
//! - The values of a parameter are its default.
//! - Operators are calls of functions that no source can name.
//!
//! [`Names::call_arguments`]: crate::names::Names::call_arguments
//! [`Names::type_argument_counts`]: crate::names::Names::type_argument_counts
//! [`Binding::wrapped`]: crate::names::Binding::wrapped
//! [`Binding::constant`]: crate::names::Binding::constant
//! [`Binding::type_only`]: crate::names::Binding::type_only

mod calls;
mod creations;
mod expressions;
mod functions;
mod grammar;
mod lambdas;
mod members;
mod namespaces;
mod open_functions;
mod patterns;
mod queries;
mod statements;
#[cfg(all(test, feature = "lang-c-sharp"))]
mod tests;
mod type_declarations;
mod types;

use foldhash::{HashMap, HashMapExt as _};
use tree_sitter::{Node, Tree};

use crate::names::{
    BindingId, BindingKind, CursorPool, Expr, ExprId, FILE_SCOPE, NameId, NamesBuilder, RestrictedNameKind, Role,
    ScopeId, Target, first_line_number_of_node,
};
use grammar::{Grammar, Kind};
use open_functions::{ExpectedFunction, OpenFunction};

/// Binds every name of a C# file.
pub(super) fn bind_names_in_file(tree: &Tree, builder: &mut NamesBuilder<'_>) {
    let mut binder = Binder {
        grammar: Grammar::shared_instance(),
        cursors: CursorPool::new(),
        known_types: HashMap::new(),
        expected_function: None,
        expected_type: None,
        open_functions: Vec::new(),
    };
    let root = tree.root_node();
    // Broken source can have one error in place of the whole file.
    binder.bind_declarations_of_namespace(root, FILE_SCOPE, builder);
    binder.add_types_used_without_import(builder);
    builder.names.call_arguments.sort_unstable();
    builder.names.restricted_names.sort_unstable();
    builder.names.type_argument_counts.sort_unstable();
}

/// State of the binder while it binds the names of one C# file.
struct Binder<'t> {
    grammar: &'static Grammar,
    cursors: CursorPool<'t>,
    /// The expressions for types that the source does not write, such as the type of a literal, by the type's name.
    known_types: HashMap<&'static str, ExprId>,
    /// The function that is expected where the next expression stands: a lambda takes its parameters' types from it.
    expected_function: Option<ExpectedFunction>,
    /// The type that is expected where the next expression stands: `new()` and a list in brackets make an object of it.
    expected_type: Option<ExprId>,
    /// The functions around the current node, the innermost last.
    open_functions: Vec<OpenFunction>,
}

impl<'t> Binder<'t> {
    /// Calls `visit` for each named child of `node` that is neither a comment nor a directive without code.
    fn for_each_child<'s>(
        &mut self,
        node: Node<'t>,
        builder: &mut NamesBuilder<'s>,
        mut visit: impl FnMut(&mut Self, Node<'t>, &mut NamesBuilder<'s>),
    ) {
        let mut cursor = self.cursors.take_cursor(node);
        if cursor.goto_first_child() {
            loop {
                let child = cursor.node();
                if child.is_named() && !child.is_extra() {
                    visit(self, child, builder);
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.cursors.return_cursor(cursor);
    }

    /// The named children of `node` that are no comments.
    fn children(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> Vec<Node<'t>> {
        let mut found = Vec::new();
        self.for_each_child(node, builder, |_, child, _| found.push(child));
        found
    }

    /// The first named child of `node` that is no comment.
    fn first_child(&mut self, node: Node<'t>) -> Option<Node<'t>> {
        self.find_child(node, |_, child| child.is_named())
    }

    /// The last named child of `node` that is no comment.
    fn last_child(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> Option<Node<'t>> {
        let mut last = None;
        self.for_each_child(node, builder, |_, child, _| last = Some(child));
        last
    }

    /// The first child of `node` of this kind.
    fn child_of_kind(&mut self, node: Node<'t>, kind: Kind) -> Option<Node<'t>> {
        self.find_child(node, |binder, child| binder.kind(child) == kind)
    }

    /// The first child that fits. It is found with a cursor: a node finds each child by its index anew.
    fn find_child(&mut self, node: Node<'t>, fits: impl Fn(&Self, Node<'t>) -> bool) -> Option<Node<'t>> {
        let mut cursor = self.cursors.take_cursor(node);
        let mut found = None;
        let mut has_child = cursor.goto_first_child();
        while has_child && found.is_none() {
            let child = cursor.node();
            found = (!child.is_extra() && fits(self, child)).then_some(child);
            has_child = cursor.goto_next_sibling();
        }
        self.cursors.return_cursor(cursor);
        found
    }

    /// Whether a keyword or mark is among the children of a node.
    fn has_token(&mut self, node: Node<'t>, token: &str) -> bool {
        self.find_child(node, |_, child| !child.is_named() && child.kind() == token).is_some()
    }

    fn kind(&self, node: Node<'t>) -> Kind {
        self.grammar.kind_of_node(node)
    }

    fn field(&self, node: Node<'t>, field: u16) -> Option<Node<'t>> {
        node.child_by_field_id(field)
    }

    /// The id of the name that an identifier writes, and its place: `@class` is called `class`.
    fn name_of_identifier<'s>(&self, node: Node<'t>, builder: &mut NamesBuilder<'s>) -> (NameId, usize) {
        let text: &'s str = builder.text_of_node(node);
        let name = text.strip_prefix('@').unwrap_or(text);
        (builder.intern_source_text(name), node.start_byte() + text.len() - name.len())
    }

    /// Binds the name that an identifier writes.
    fn bind_name(
        &self,
        scope: ScopeId,
        kind: BindingKind,
        node: Node<'t>,
        builder: &mut NamesBuilder<'_>,
    ) -> BindingId {
        let (name, at) = self.name_of_identifier(node, builder);
        let binding = builder.add_binding(scope, kind, name, at);
        let line = first_line_number_of_node(node);
        builder.record_occurrence_at_offset(name, at, line, Role::Definition, Target::Binding(binding));
        binding
    }

    /// Binds a local name that is visible from byte `visible_from` on.
    fn bind_local_name(
        &self,
        name: Node<'t>,
        kind: BindingKind,
        scope: ScopeId,
        visible_from: usize,
        builder: &mut NamesBuilder<'_>,
    ) -> BindingId {
        let binding = self.bind_name(scope, kind, name, builder);
        builder.binding_mut(binding).visible_from = u32::try_from(visible_from).unwrap_or(u32::MAX);
        binding
    }

    /// Records the use of a bare name, and returns the expression for it.
    fn use_name(&self, node: Node<'t>, scope: ScopeId, role: Role, builder: &mut NamesBuilder<'_>) -> ExprId {
        let (name, at) = self.name_of_identifier(node, builder);
        let expr = builder.add_expr(Expr::Name { name, scope, at: offset(at) });
        builder.record_occurrence_at_offset(name, at, first_line_number_of_node(node), role, Target::Expr(expr));
        expr
    }

    /// Records the use of a bare name that can only be a type or a namespace.
    fn use_type_name(&self, node: Node<'t>, scope: ScopeId, role: Role, builder: &mut NamesBuilder<'_>) -> ExprId {
        let expr = self.use_name(node, scope, role, builder);
        builder.names.restricted_names.push((expr, RestrictedNameKind::Type));
        expr
    }

    /// Records the use of a member, and returns the expression for it.
    fn use_member(&self, base: ExprId, node: Node<'t>, role: Role, builder: &mut NamesBuilder<'_>) -> ExprId {
        let (name, at) = self.name_of_identifier(node, builder);
        let expr = builder.add_expr(Expr::Member { base, name, at: offset(at) });
        builder.record_occurrence_at_offset(name, at, first_line_number_of_node(node), role, Target::Expr(expr));
        expr
    }

    /// The expression for a type that the source does not write.
    fn known_type(&mut self, name: &'static str, builder: &mut NamesBuilder<'_>) -> ExprId {
        if let Some(known) = self.known_types.get(name) {
            return *known;
        }
        let text = builder.intern_constructed_text(name);
        let expr = builder.add_expr(Expr::Name { name: text, scope: FILE_SCOPE, at: 0 });
        builder.names.restricted_names.push((expr, RestrictedNameKind::Type));
        self.known_types.insert(name, expr);
        expr
    }

    /// The expression for a value of a type that the source does not write.
    fn value_of_known_type(&mut self, name: &'static str, builder: &mut NamesBuilder<'_>) -> ExprId {
        let of = self.known_type(name, builder);
        builder.add_expr(Expr::Instance { of })
    }

    /// The value of an operator, as a call of a function that no source can name: the rules of the language know the results.
    fn operator_value(&self, name: &'static str, operands: &[ExprId], builder: &mut NamesBuilder<'_>) -> ExprId {
        let name = builder.intern_constructed_text(name);
        let callee = builder.add_expr(Expr::Name { name, scope: FILE_SCOPE, at: 0 });
        builder.names.restricted_names.push((callee, RestrictedNameKind::Function));
        let operands = builder.add_expr_list(operands);
        builder.names.call_arguments.push((callee, operands));
        builder.add_expr(Expr::Call { callee })
    }

    /// Creates the binding of something without a name, which no look-up finds: it is in its own scope `scope`.
    fn add_unnamed_binding(
        &self,
        kind: BindingKind,
        name: &str,
        (node, scope): (Node<'t>, ScopeId),
        builder: &mut NamesBuilder<'_>,
    ) -> BindingId {
        let name = builder.intern_constructed_text(name);
        let binding = builder.add_binding(scope, kind, name, node.start_byte());
        builder.link_binding_and_body_scope(binding, scope);
        binding
    }

    fn set_value(&self, binding: BindingId, value: ExprId, builder: &mut NamesBuilder<'_>) {
        if value != builder.unknown_expr() {
            builder.binding_mut(binding).values = builder.add_expr_list(&[value]);
        }
    }
}

/// A byte offset in 32 bits.
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
