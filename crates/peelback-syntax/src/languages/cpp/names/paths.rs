//! Paths of names in C++: `a::b<T>::c`, with the names of templates, operators and destructors in them.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{Expr, ExprId, FILE_SCOPE, NameId, NamesBuilder, Role, ScopeId, Span, Target};

impl<'t> Binder<'t> {
    /// The expression for a path of names that begins at `base`, or in `scope`. The last name gets the role `role`.
    pub(super) fn path_expr(
        &mut self,
        node: Node<'t>,
        base: Option<ExprId>,
        scope: ScopeId,
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        builder
            .run_with_depth_limit(node, |builder| Some(self.path_expr_unlimited(node, base, scope, role, builder)))
            .unwrap_or(builder.unknown_expr())
    }

    fn path_expr_unlimited(
        &mut self,
        node: Node<'t>,
        base: Option<ExprId>,
        scope: ScopeId,
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        match self.grammar.kind_of_node(node) {
            _ if node.is_missing() => builder.unknown_expr(),
            Kind::Identifier | Kind::TypeIdentifier | Kind::NamespaceIdentifier | Kind::FieldIdentifier => match base {
                Some(base) => builder.record_member_use(base, node, role),
                None => builder.record_name_use(node, scope, role),
            },
            Kind::QualifiedIdentifier => {
                let inner = match self.child_in_field(node, self.grammar.scope) {
                    Some(qualifier) => Some(self.path_expr(qualifier, base, scope, Role::Type, builder)),
                    None => base,
                };
                // `::name` is a name of the outermost namespace.
                let from = if inner.is_none() { FILE_SCOPE } else { scope };
                match self.child_in_field(node, self.grammar.name) {
                    Some(name) => self.path_expr_within(name, inner, from, scope, role, builder),
                    None => inner.unwrap_or(builder.unknown_expr()),
                }
            }
            Kind::TemplateType | Kind::TemplateFunction | Kind::TemplateMethod => {
                self.template_path(node, base, scope, scope, role, builder)
            }
            Kind::DependentName | Kind::DependentType => match self.first_named_non_comment_child(node) {
                Some(inner) if self.is_path_node(inner) => self.path_expr(inner, base, scope, role, builder),
                Some(inner) => self.type_expr(inner, scope, builder),
                None => builder.unknown_expr(),
            },
            Kind::DestructorName => {
                let name = self.normalized_name(node, builder);
                self.member_or_name(node, name, base, scope, role, builder)
            }
            Kind::OperatorName => {
                let name = self.normalized_name(node, builder);
                self.member_or_name(node, name, base, scope, role, builder)
            }
            Kind::Decltype => self.type_expr(node, scope, builder),
            _ => {
                self.bind_children(node, scope, builder);
                builder.unknown_expr()
            }
        }
    }

    /// A path whose first name is looked up from `from`, while its type arguments are looked up from `scope`.
    fn path_expr_within(
        &mut self,
        node: Node<'t>,
        base: Option<ExprId>,
        from: ScopeId,
        scope: ScopeId,
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        match self.grammar.kind_of_node(node) {
            Kind::TemplateType | Kind::TemplateFunction | Kind::TemplateMethod => {
                self.template_path(node, base, from, scope, role, builder)
            }
            _ if base.is_none() => self.path_expr(node, None, from, role, builder),
            _ => self.path_expr(node, base, scope, role, builder),
        }
    }

    fn template_path(
        &mut self,
        node: Node<'t>,
        base: Option<ExprId>,
        from: ScopeId,
        scope: ScopeId,
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let named = match self.child_in_field(node, self.grammar.name) {
            Some(name) => self.path_expr(name, base, from, role, builder),
            None => builder.unknown_expr(),
        };
        let args = match self.child_in_field(node, self.grammar.arguments) {
            Some(list) => self.type_arguments(list, scope, builder),
            None => Span::default(),
        };
        if args.len == 0 { named } else { builder.add_expr(Expr::Generic { base: Some(named), args }) }
    }

    /// The type arguments in a list; those that are values are unknown.
    pub(super) fn type_arguments(&mut self, list: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> Span {
        let mut args = Vec::new();
        self.for_each_named_non_comment_child(list, builder, |binder, child, builder| {
            let arg = match binder.grammar.kind_of_node(child) {
                Kind::TypeDescriptor => binder.type_expr(child, scope, builder),
                _ => binder.bind_names_and_get_value(child, scope, Role::Read, builder),
            };
            args.push(arg);
        });
        builder.add_expr_list(&args)
    }

    fn member_or_name(
        &mut self,
        node: Node<'t>,
        name: NameId,
        base: Option<ExprId>,
        scope: ScopeId,
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let at = u32::try_from(node.start_byte()).unwrap_or(u32::MAX);
        let expr = builder.add_expr(match base {
            Some(base) => Expr::Member { base, name, at },
            None => Expr::Name { name, scope, at },
        });
        let line = crate::names::first_line_number_of_node(node);
        builder.record_occurrence_at_offset(name, node.start_byte(), line, role, Target::Expr(expr));
        expr
    }

    /// The name of an operator or a destructor without spaces: `operator==`, `operator new`, `~Store`.
    pub(super) fn normalized_name(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> NameId {
        let text = builder.text_of_node(node);
        if !text.contains(|c: char| c.is_whitespace()) {
            return builder.name_id_of_node(node);
        }
        let mut made = String::with_capacity(text.len());
        for word in text.split_whitespace() {
            let is_name = |c: char| c.is_alphanumeric() || c == '_';
            if made.ends_with(is_name) && word.starts_with(is_name) {
                made.push(' ');
            }
            made.push_str(word);
        }
        builder.intern_constructed_text(&made)
    }

    /// Whether a node is a path of names.
    pub(super) fn is_path_node(&self, node: Node<'t>) -> bool {
        matches!(
            self.grammar.kind_of_node(node),
            Kind::Identifier
                | Kind::TypeIdentifier
                | Kind::NamespaceIdentifier
                | Kind::FieldIdentifier
                | Kind::QualifiedIdentifier
                | Kind::TemplateType
                | Kind::TemplateFunction
                | Kind::TemplateMethod
                | Kind::DependentName
                | Kind::DestructorName
                | Kind::OperatorName
        )
    }
}
