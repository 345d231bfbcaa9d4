//! Name binding of C++ namespaces: definitions, aliases, and what `using` brings in.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId, ScopeKind, USING_DIRECTIVE};

impl<'t> Binder<'t> {
    /// Binds a namespace: `namespace a::b { … }`, `inline namespace v1 { … }`, or one without a name.
    pub(super) fn bind_namespace(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let Some(body) = self.child_in_field(node, self.grammar.body) else { return };
        let is_inline = self.has_word(node, "inline");
        let mut names = Vec::new();
        if let Some(name) = self.child_in_field(node, self.grammar.name) {
            self.collect_namespace_names(name, &mut names);
        }
        let was_private = self.is_private;
        self.is_private |= names.is_empty();
        let mut at = scope;
        for name in &names {
            let bound = builder.add_binding_with_definition(at, BindingKind::Module, *name);
            let inside = builder.add_child_scope(at, ScopeKind::Module, body);
            builder.link_binding_and_body_scope(bound, inside);
            builder.binding_mut(bound).wrapped = is_inline;
            at = inside;
        }
        if names.is_empty() {
            at = builder.add_child_scope(at, ScopeKind::Module, body);
        }
        self.bind_children(body, at, builder);
        self.is_private = was_private;
    }

    /// The names of `a::b::c`, the outermost first. The grammar nests them.
    fn collect_namespace_names(&self, node: Node<'t>, names: &mut Vec<Node<'t>>) {
        let mut waiting = vec![node];
        while let Some(node) = waiting.pop() {
            if self.grammar.kind_of_node(node) == Kind::NestedNamespaceSpecifier {
                let mut cursor = node.walk();
                let inner: Vec<Node<'t>> = node.named_children(&mut cursor).collect();
                waiting.extend(inner.into_iter().rev());
            } else if self.grammar.kind_of_node(node) == Kind::NamespaceIdentifier && !node.is_missing() {
                names.push(node);
            }
        }
    }

    /// Binds a namespace alias: `namespace fs = std::filesystem;`.
    pub(super) fn bind_namespace_alias(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let name = self.child_in_field(node, self.grammar.name);
        let mut meant = None;
        self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
            if Some(child) != name {
                meant = Some(binder.namespace_path(child, scope, builder));
            }
        });
        let (Some(name), Some(meant)) = (name, meant) else { return };
        let bound = builder.add_binding_with_definition(scope, BindingKind::Module, name);
        builder.binding_mut(bound).annotation = Some(meant);
    }

    /// The expression for the path of a namespace, such as `a::b`.
    fn namespace_path(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let mut names = Vec::new();
        self.collect_namespace_names(node, &mut names);
        let mut path = None;
        for name in names {
            path = Some(match path {
                Some(base) => builder.record_member_use(base, name, Role::Read),
                None => builder.record_name_use(name, scope, Role::Read),
            });
        }
        path.unwrap_or(builder.unknown_expr())
    }

    /// Binds what `using a::b;`, `using namespace a;` or `using enum a;` brings into a scope.
    pub(super) fn bind_using(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let Some(path) = self.first_named_non_comment_child(node) else { return };
        let is_directive = self.has_word(node, "namespace") || self.has_word(node, "enum");
        let meant = self.path_expr(path, None, scope, if is_directive { Role::Read } else { Role::Import }, builder);
        let name = match (is_directive, builder.names.expr_by_id(meant)) {
            (true, _) => builder.intern_constructed_text(USING_DIRECTIVE),
            (false, Expr::Name { name, .. } | Expr::Member { name, .. }) => name,
            _ => return,
        };
        let bound = builder.add_binding(scope, BindingKind::Import, name, node.start_byte());
        builder.binding_mut(bound).annotation = Some(meant);
    }

    /// The scope of the code between macros that open and close a namespace, if `node` is in such code.
    pub(super) fn scope_of_macro_namespace(&self, node: Node<'t>) -> Option<ScopeId> {
        let at = node.start_byte();
        let found = self.macro_namespaces.iter().rev().find(|(bytes, _)| bytes.contains(&at))?;
        // Directives and linkage blocks can stand around the macros.
        (node.end_byte() <= found.0.end).then_some(found.1)
    }
}
