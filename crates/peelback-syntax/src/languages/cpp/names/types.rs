//! Types of C++: the expressions for written types, and the definitions of classes and enums.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{BindingId, BindingKind, Expr, ExprId, FILE_SCOPE, NamesBuilder, Role, ScopeId, ScopeKind};

impl<'t> Binder<'t> {
    pub(super) fn is_type_node(&self, node: Node<'t>) -> bool {
        matches!(
            self.grammar.kind_of_node(node),
            Kind::ClassSpecifier
                | Kind::StructSpecifier
                | Kind::UnionSpecifier
                | Kind::EnumSpecifier
                | Kind::SizedTypeSpecifier
                | Kind::PrimitiveType
                | Kind::TypeIdentifier
                | Kind::TemplateType
                | Kind::DependentType
                | Kind::PlaceholderTypeSpecifier
                | Kind::Decltype
                | Kind::QualifiedIdentifier
        )
    }

    /// The expression for the type that a syntax node denotes. Its names are looked up from `scope`.
    pub(super) fn type_expr(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        builder
            .run_with_depth_limit(node, |builder| Some(self.type_expr_unlimited(node, scope, builder)))
            .unwrap_or(builder.unknown_expr())
    }

    fn type_expr_unlimited(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.grammar.kind_of_node(node) {
            Kind::PrimitiveType => self.builtin_type(node, scope, builder),
            Kind::SizedTypeSpecifier => match self.child_in_field(node, self.grammar.r#type) {
                Some(inner) => self.type_expr(inner, scope, builder),
                None => self.builtin_type(node, scope, builder),
            },
            Kind::PlaceholderTypeSpecifier => {
                if let Some(constraint) = self.child_in_field(node, self.grammar.member).or_else(|| {
                    self.named_child_where(node, |kind| {
                        matches!(kind, Kind::TypeIdentifier | Kind::TemplateType | Kind::QualifiedIdentifier)
                    })
                }) {
                    self.type_expr(constraint, scope, builder);
                }
                if let Some(inner) = self.named_child_where(node, |kind| kind == Kind::Decltype) {
                    return self.type_expr(inner, scope, builder);
                }
                builder.unknown_expr()
            }
            Kind::Decltype => match self.first_named_non_comment_child(node) {
                Some(inner) => {
                    let of = self.bind_names_and_get_value(inner, scope, Role::Read, builder);
                    if of == builder.unknown_expr() { of } else { builder.add_expr(Expr::TypeOf { of }) }
                }
                None => builder.unknown_expr(),
            },
            Kind::ClassSpecifier | Kind::StructSpecifier | Kind::UnionSpecifier | Kind::EnumSpecifier => {
                self.type_specifier_expr(node, scope, scope, builder)
            }
            Kind::TypeDescriptor => {
                let mut described = match self.child_in_field(node, self.grammar.r#type) {
                    Some(written) => self.type_expr(written, scope, builder),
                    None => builder.unknown_expr(),
                };
                if let Some(declarator) = self.child_in_field(node, self.grammar.declarator) {
                    described = self.abstract_type(declarator, described, scope, builder);
                }
                described
            }
            _ if self.is_path_node(node) => self.path_expr(node, None, scope, Role::Type, builder),
            Kind::DependentType => self.path_expr(node, None, scope, Role::Type, builder),
            _ => {
                self.bind_node(node, scope, builder);
                builder.unknown_expr()
            }
        }
    }

    /// A type of the language itself, which is known to be no type of the project.
    fn builtin_type(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        if builder.text_of_node(node) == "auto" {
            return builder.unknown_expr();
        }
        let name = builder.intern_constructed_text("int");
        let at = u32::try_from(node.start_byte()).unwrap_or(u32::MAX);
        builder.add_expr(Expr::Name { name, scope, at })
    }

    /// The type of a pointer to `of`, or of an array of it: a container.
    pub(super) fn pointer_to(&self, of: ExprId, builder: &mut NamesBuilder<'_>) -> ExprId {
        if of == builder.unknown_expr() {
            return of;
        }
        let args = builder.add_expr_list(&[of]);
        builder.add_expr(Expr::Generic { base: None, args })
    }

    /// The type that an abstract declarator, such as `*` or `(*)(int)`, makes of `described`.
    pub(super) fn abstract_type(
        &mut self,
        node: Node<'t>,
        mut described: ExprId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let mut next = Some(node);
        while let Some(declarator) = next {
            match self.grammar.kind_of_node(declarator) {
                Kind::AbstractPointerDeclarator | Kind::AbstractArrayDeclarator => {
                    described = self.pointer_to(described, builder)
                }
                Kind::AbstractFunctionDeclarator => {
                    if let Some(parameters) = self.child_in_field(declarator, self.grammar.parameters) {
                        self.record_names_in_parameters(parameters, scope, builder);
                    }
                    described = self.function_type(declarator, described, scope, builder);
                }
                _ => {}
            }
            next = self.child_in_field(declarator, self.grammar.declarator).or_else(|| {
                let inner = self.first_named_non_comment_child(declarator);
                inner.filter(|inner| inner.kind().starts_with("abstract_"))
            });
        }
        described
    }

    /// An expression for an unnamed function type with the return type `returned`.
    pub(super) fn function_type(
        &self,
        node: Node<'t>,
        returned: ExprId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        if returned == builder.unknown_expr() {
            return returned;
        }
        let function_scope = builder.add_child_scope(scope, ScopeKind::Function, node);
        let name = builder.intern_constructed_text("function");
        let binding = builder.add_binding(function_scope, BindingKind::Function, name, node.start_byte());
        builder.link_binding_and_body_scope(binding, function_scope);
        builder.binding_mut(binding).annotation = Some(returned);
        builder.add_expr(Expr::Function { binding })
    }

    /// Binds a class or enum without a declarator: a definition, or a forward declaration (`class Store;`). The name is
    /// bound in `scope`; `inner` is the scope with the template parameters, if there are any.
    pub(super) fn bind_type_without_declarator(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        inner: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let name = self.child_in_field(node, self.grammar.name).filter(|name| !name.is_missing());
        match (name, self.child_in_field(node, self.grammar.body)) {
            (Some(name), None) if self.grammar.kind_of_node(name) == Kind::TypeIdentifier => {
                builder.add_binding_with_definition(scope, BindingKind::Type, name);
            }
            _ => {
                self.type_specifier_expr(node, scope, inner, builder);
            }
        }
    }

    /// The expression for the type that a `class`, `struct`, `union` or `enum` specifier denotes. A specifier with a body
    /// defines the type.
    pub(super) fn type_specifier_expr(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        inner: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let name = self.child_in_field(node, self.grammar.name).filter(|name| !name.is_missing());
        let body = self.child_in_field(node, self.grammar.body);
        let Some(body) = body else {
            return match name {
                Some(name) => self.path_expr(name, None, inner, Role::Type, builder),
                None => builder.unknown_expr(),
            };
        };
        let is_enum = self.grammar.kind_of_node(node) == Kind::EnumSpecifier;
        let bound = name.and_then(|name| self.bind_defined_type_name(name, scope, inner, builder));
        let around = bound.map_or(inner, |(_, around)| if around == scope { inner } else { around });
        let bound = bound.map(|(bound, _)| bound);
        let members = builder.add_child_scope(around, ScopeKind::Type, body);
        if let Some(bound) = bound {
            builder.link_binding_and_body_scope(bound, members);
        }
        if is_enum {
            if let Some(base) = self.child_in_field(node, self.grammar.base) {
                self.type_expr(base, scope, builder);
            }
            let is_scoped = self.has_word(node, "class") || self.has_word(node, "struct");
            // The names of an unscoped enum are those of the scope around it.
            let home = if is_scoped { members } else { scope };
            self.bind_enumerators(body, home, bound, builder);
            return match bound {
                Some(binding) => builder.add_expr(Expr::Bound { binding }),
                None => builder.unknown_expr(),
            };
        }
        let mut bases = Vec::new();
        self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
            let kind = binder.grammar.kind_of_node(child);
            if matches!(kind, Kind::AlignasQualifier | Kind::AttributeDeclaration | Kind::AttributeSpecifier) {
                binder.bind_node(child, around, builder);
            }
            if kind == Kind::BaseClassClause {
                binder.for_each_named_non_comment_child(child, builder, |binder, base, builder| {
                    if binder.is_type_node(base) {
                        bases.push(binder.type_expr(base, around, builder));
                    }
                });
            }
        });
        if let Some(bound) = bound {
            builder.binding_mut(bound).bases = builder.add_expr_list(&bases);
        }
        self.bind_children(body, members, builder);
        match bound {
            Some(binding) => builder.add_expr(Expr::Bound { binding }),
            None => builder.add_expr(Expr::Object { scope: members }),
        }
    }

    /// Binds the name of a type at its definition, and gives the scope around its members. The name may be qualified
    /// (`struct Store::Impl {`), or be that of a specialisation.
    fn bind_defined_type_name(
        &mut self,
        name: Node<'t>,
        scope: ScopeId,
        inner: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<(BindingId, ScopeId)> {
        let (home, last) = self.open_qualified_name(name, scope, inner, name, builder)?;
        let last = match self.grammar.kind_of_node(last) {
            Kind::TemplateType => {
                if let Some(arguments) = self.child_in_field(last, self.grammar.arguments) {
                    self.type_arguments(arguments, inner, builder);
                }
                self.child_in_field(last, self.grammar.name)?
            }
            Kind::TypeIdentifier | Kind::Identifier | Kind::FieldIdentifier => last,
            _ => return None,
        };
        let bound = builder.add_binding_with_definition(home, BindingKind::Type, last);
        builder.binding_mut(bound).private = self.is_private;
        Some((bound, home))
    }

    /// Splits the name of a definition outside of its class or namespace (`Store::Impl`) into its last part and the scope
    /// in which that is bound: a scope of members that extends what the first parts name.
    pub(super) fn open_qualified_name(
        &mut self,
        name: Node<'t>,
        scope: ScopeId,
        inner: ScopeId,
        whole: Node<'t>,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<(ScopeId, Node<'t>)> {
        if self.grammar.kind_of_node(name) != Kind::QualifiedIdentifier {
            return Some((scope, name));
        }
        let mut base: Option<ExprId> = None;
        let mut at = name;
        while self.grammar.kind_of_node(at) == Kind::QualifiedIdentifier {
            if let Some(qualifier) = self.child_in_field(at, self.grammar.scope) {
                base = Some(self.path_expr(qualifier, base, inner, Role::Type, builder));
            }
            at = self.child_in_field(at, self.grammar.name)?;
        }
        let Some(target) = base else { return Some((FILE_SCOPE, at)) };
        let members = builder.add_child_scope(inner, ScopeKind::Type, whole);
        builder.add_member_extension(target, None, members);
        Some((members, at))
    }

    /// Binds the constants of an enum in `scope`.
    fn bind_enumerators(
        &mut self,
        list: Node<'t>,
        scope: ScopeId,
        owner: Option<BindingId>,
        builder: &mut NamesBuilder<'_>,
    ) {
        self.for_each_named_non_comment_child(list, builder, |binder, child, builder| {
            builder.run_with_depth_limit(child, |builder| match binder.grammar.kind_of_node(child) {
                Kind::Enumerator => binder.bind_enumerator(child, scope, owner, builder),
                Kind::Identifier => {
                    builder.record_name_use(child, FILE_SCOPE, Role::Read);
                }
                Kind::PreprocIf | Kind::PreprocElif | Kind::PreprocIfdef | Kind::PreprocElifdef => {
                    binder.bind_enumerators(child, scope, owner, builder)
                }
                kind if kind != Kind::Other => binder.bind_node(child, scope, builder),
                _ => binder.bind_enumerators(child, scope, owner, builder),
            });
        });
    }

    pub(super) fn bind_enumerator(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        owner: Option<BindingId>,
        builder: &mut NamesBuilder<'_>,
    ) {
        if let Some(name) = self.child_in_field(node, self.grammar.name) {
            let member = builder.add_binding_with_definition(scope, BindingKind::EnumMember, name);
            builder.binding_mut(member).private = self.is_private;
            builder.binding_mut(member).on_type = true;
            if let Some(binding) = owner {
                builder.binding_mut(member).annotation = Some(builder.add_expr(Expr::Bound { binding }));
            }
        }
        if let Some(value) = self.child_in_field(node, self.grammar.value) {
            self.bind_node(value, scope, builder);
        }
    }
}
