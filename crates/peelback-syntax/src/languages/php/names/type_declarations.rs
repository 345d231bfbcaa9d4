//! Name binding of PHP's classes, interfaces, traits and enums.

use foldhash::{HashMap, HashMapExt as _};
use tree_sitter::Node;

use super::docs::Doc;
use super::state::OpenType;
use super::{Binder, Kind};
use crate::names::{BindingId, BindingKind, Expr, ExprId, NameId, NamesBuilder, Role, ScopeId, ScopeKind};

impl<'t> Binder<'t> {
    /// Binds a type and its members. A type is in the namespace, wherever its declaration stands.
    pub(super) fn bind_type_declaration(
        &mut self,
        node: Node<'t>,
        doc: Option<Node<'t>>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        self.bind_attributes(node, scope, builder);
        let Some(name) = self.field(node, self.grammar.name).filter(|name| self.kind(*name) == Kind::Name) else {
            return;
        };
        let binding = builder.add_binding_with_definition(self.namespace.scope, BindingKind::Type, name);
        self.bind_type_body(node, (binding, self.namespace.scope), doc, builder);
    }

    /// Binds a class without a name, and returns the expression for it.
    pub(super) fn bind_anonymous_class(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        self.bind_attributes(node, scope, builder);
        let name = builder.intern_constructed_text("class@anonymous");
        let binding = builder.add_binding(self.hidden, BindingKind::Type, name, node.start_byte());
        if let Some(arguments) = self.child_of_kind(node, Kind::Arguments) {
            self.bind_arguments(arguments, scope, builder);
        }
        self.bind_type_body(node, (binding, scope), None, builder);
        builder.add_expr(Expr::Bound { binding })
    }

    fn bind_type_body(
        &mut self,
        node: Node<'t>,
        (binding, around): (BindingId, ScopeId),
        doc: Option<Node<'t>>,
        builder: &mut NamesBuilder<'_>,
    ) {
        let body = self.field(node, self.grammar.body);
        let members = match body {
            Some(body) => builder.add_child_scope(around, ScopeKind::Type, body),
            None => builder.add_child_scope(around, ScopeKind::Type, node),
        };
        builder.link_binding_and_body_scope(binding, members);
        let template_count = self.templates.len();
        let is_trait = self.kind(node) == Kind::TraitDeclaration;
        builder.binding_mut(binding).wrapped = is_trait;
        self.open_types.push(OpenType { binding, parent: None, is_trait, untyped_properties: HashMap::new() });
        let doc = self.read_doc(doc, members, Some(members), builder);
        let bases = self.bind_bases(node, body, members, &doc, builder);
        builder.binding_mut(binding).bases = builder.add_expr_list(&bases);
        if self.kind(node) == Kind::EnumDeclaration {
            self.add_methods_of_enums(binding, members, builder);
        }
        if let Some(body) = body {
            let functions = std::mem::take(&mut self.functions);
            self.for_each_child_with_doc(body, builder, |binder, child, doc, builder| {
                builder.run_with_depth_limit(child, |builder| binder.bind_member(child, doc, members, builder));
            });
            self.functions = functions;
        }
        let declared = Doc { members: doc.members, ..Doc::default() };
        if !declared.members.is_empty() {
            let own: foldhash::HashSet<(NameId, bool)> = builder
                .names
                .bindings
                .iter()
                .filter(|bound| bound.scope == members)
                .map(|bound| (bound.name, bound.kind == BindingKind::Function))
                .collect();
            let is_bound = |_: &NamesBuilder<'_>, name: u32, kind: BindingKind| {
                own.contains(&(name, kind == BindingKind::Function))
            };
            self.bind_doc_members(declared.members, members, is_bound, builder);
        }
        if let Some(open) = self.open_types.pop() {
            let mut assigned: Vec<(BindingId, Vec<ExprId>)> = open.untyped_properties.into_values().collect();
            assigned.sort_unstable();
            for (property, values) in assigned {
                self.set_values(property, values, builder);
            }
        }
        self.templates.truncate(template_count);
    }

    /// The types from which a type has members, nearest first: its traits, the class that it extends, its interfaces.
    fn bind_bases(
        &mut self,
        node: Node<'t>,
        body: Option<Node<'t>>,
        members: ScopeId,
        doc: &Doc,
        builder: &mut NamesBuilder<'_>,
    ) -> Vec<ExprId> {
        let mut bases = Vec::new();
        if let Some(body) = body {
            self.for_each_named_non_comment_child(body, builder, |binder, child, builder| {
                if binder.kind(child) == Kind::UseDeclaration {
                    binder.bind_used_traits(child, members, &mut bases, builder);
                }
            });
        }
        let is_class = matches!(self.kind(node), Kind::ClassDeclaration | Kind::AnonymousClass);
        let mut parents = Vec::new();
        self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
            if matches!(binder.kind(child), Kind::BaseClause | Kind::ClassInterfaceClause) {
                let is_parent = is_class && binder.kind(child) == Kind::BaseClause;
                binder.for_each_named_non_comment_child(child, builder, |binder, name, builder| {
                    let base = binder.class_expr(name, members, Role::Type, builder);
                    if is_parent {
                        parents.push(base);
                    }
                    bases.push(base);
                });
            }
        });
        if let Some(open) = self.open_types.last_mut() {
            open.parent = parents.first().copied();
        }
        bases.extend(doc.mixins.iter().copied());
        // A doc comment tells the type arguments of a base.
        for generic in &doc.bases {
            let Expr::Generic { base: Some(named), .. } = builder.names.expr_by_id(*generic) else { continue };
            let name_of = |expr: ExprId| match builder.names.expr_by_id(expr) {
                Expr::Name { name, .. } => Some(name),
                Expr::Bound { binding } => builder.names.bindings.get(binding as usize).map(|bound| bound.name),
                _ => None,
            };
            let wanted = name_of(named);
            if let Some(base) = bases.iter_mut().find(|base| wanted.is_some() && name_of(**base) == wanted) {
                *base = *generic;
            }
        }
        bases.retain(|base| *base != builder.unknown_expr());
        bases
    }

    /// The methods that every enum has.
    fn add_methods_of_enums(&mut self, of: BindingId, members: ScopeId, builder: &mut NamesBuilder<'_>) {
        let at = builder.binding_mut(of).at as usize;
        let own = builder.add_expr(Expr::Bound { binding: of });
        let args = builder.add_expr_list(&[own]);
        let all = builder.add_expr(Expr::Generic { base: None, args });
        for (name, result) in [("from", own), ("tryFrom", own), ("cases", all)] {
            let name = builder.intern_constructed_text(name);
            let method = builder.add_binding(members, BindingKind::Function, name, at);
            let binding = builder.binding_mut(method);
            binding.annotation = Some(result);
            binding.on_type = true;
        }
    }
}
