//! Name binding of C++ expressions: the values of expressions, and the names that expressions use.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{Expr, ExprId, NamesBuilder, Role, ScopeId, SubscriptKey};

impl<'t> Binder<'t> {
    /// The value of the expression `node`. If `node` is a name, its occurrence gets the role `role`.
    pub(super) fn bind_names_and_get_value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        match self.grammar.kind_of_node(node) {
            Kind::NumberLiteral | Kind::StringLiteral | Kind::CharLiteral | Kind::RawStringLiteral | Kind::Comment => {
                builder.unknown_expr()
            }
            Kind::FieldIdentifier => {
                let unknown = builder.unknown_expr();
                builder.record_member_use(unknown, node, Role::Member)
            }
            Kind::This => builder.add_expr(Expr::This { scope }),
            Kind::TypeIdentifier
            | Kind::TypeDescriptor
            | Kind::SizedTypeSpecifier
            | Kind::PrimitiveType
            | Kind::TemplateType
            | Kind::PlaceholderTypeSpecifier
            | Kind::Decltype
            | Kind::DependentType => self.type_expr(node, scope, builder),
            _ if self.is_path_node(node) => self.path_expr(node, None, scope, role, builder),
            _ => builder
                .run_with_depth_limit(node, |builder| Some(self.compound_value(node, scope, role, builder)))
                .unwrap_or(builder.unknown_expr()),
        }
    }

    fn value_in_field(
        &mut self,
        node: Node<'t>,
        field: u16,
        scope: ScopeId,
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        match self.child_in_field(node, field) {
            Some(node) => self.bind_names_and_get_value(node, scope, role, builder),
            None => builder.unknown_expr(),
        }
    }

    fn type_in_field(&mut self, node: Node<'t>, field: u16, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.child_in_field(node, field) {
            Some(node) => self.type_expr(node, scope, builder),
            None => builder.unknown_expr(),
        }
    }

    fn instance_of(&self, of: ExprId, builder: &mut NamesBuilder<'_>) -> ExprId {
        if of == builder.unknown_expr() { of } else { builder.add_expr(Expr::Instance { of }) }
    }

    fn element_of(&self, of: ExprId, builder: &mut NamesBuilder<'_>) -> ExprId {
        if of == builder.unknown_expr() { of } else { builder.add_expr(Expr::Element { of }) }
    }

    /// The value of an expression that contains other expressions.
    fn compound_value(&mut self, node: Node<'t>, scope: ScopeId, role: Role, builder: &mut NamesBuilder<'_>) -> ExprId {
        let unknown = builder.unknown_expr();
        let grammar = self.grammar;
        match grammar.kind_of_node(node) {
            Kind::FieldExpression => self.field_value(node, scope, role, builder),
            Kind::CallExpression => self.call_value(node, scope, builder),
            Kind::PointerExpression => {
                let of = self.value_in_field(node, grammar.argument, scope, Role::Read, builder);
                let is_address = self.has_word(node, "&");
                match (is_address, builder.names.expr_by_id(of)) {
                    (_, Expr::Unknown) => of,
                    // `*this` is the object itself.
                    (false, Expr::This { .. }) => of,
                    (false, _) => self.element_of(of, builder),
                    (true, _) => self.pointer_to(of, builder),
                }
            }
            Kind::SubscriptExpression => {
                let of = self.value_in_field(node, grammar.argument, scope, Role::Read, builder);
                let argument = self.child_in_field(node, grammar.argument);
                self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
                    if Some(child) != argument {
                        binder.bind_node(child, scope, builder);
                    }
                });
                if of == unknown { of } else { builder.add_expr(Expr::Subscript { of, key: SubscriptKey::Item }) }
            }
            Kind::ParenthesizedExpression => match self.first_named_non_comment_child(node) {
                Some(inner) if grammar.kind_of_node(inner) != Kind::CompoundStatement => {
                    self.bind_names_and_get_value(inner, scope, role, builder)
                }
                _ => {
                    self.bind_children(node, scope, builder);
                    unknown
                }
            },
            Kind::CastExpression => {
                let of = self.type_in_field(node, grammar.r#type, scope, builder);
                let value = self.value_in_field(node, grammar.value, scope, Role::Read, builder);
                if of == unknown { value } else { self.instance_of(of, builder) }
            }
            Kind::CompoundLiteralExpression => {
                let of = match self.child_in_field(node, grammar.r#type) {
                    Some(written) if self.is_path_node(written) => {
                        self.path_expr(written, None, scope, Role::Call, builder)
                    }
                    Some(written) => self.type_expr(written, scope, builder),
                    None => unknown,
                };
                let made = self.instance_of(of, builder);
                if let Some(value) = self.child_in_field(node, grammar.value) {
                    self.record_count_of_arguments(of, value, builder);
                    self.record_names_in_initialiser_list(value, made, scope, builder);
                }
                made
            }
            Kind::InitializerList => {
                self.record_names_in_initialiser_list(node, unknown, scope, builder);
                unknown
            }
            Kind::NewExpression => {
                if let Some(placement) = self.child_in_field(node, grammar.placement) {
                    self.bind_node(placement, scope, builder);
                }
                let of = match self.child_in_field(node, grammar.r#type) {
                    Some(written) if self.is_path_node(written) => {
                        self.path_expr(written, None, scope, Role::Call, builder)
                    }
                    Some(written) => self.type_expr(written, scope, builder),
                    None => unknown,
                };
                if let Some(declarator) = self.child_in_field(node, grammar.declarator) {
                    self.bind_node(declarator, scope, builder);
                }
                match self.child_in_field(node, grammar.arguments) {
                    Some(list) if grammar.kind_of_node(list) == Kind::ArgumentList => {
                        self.bind_call_arguments(Some(list), of, scope, builder);
                    }
                    Some(list) => {
                        self.record_count_of_arguments(of, list, builder);
                        self.bind_node(list, scope, builder);
                    }
                    None => {}
                }
                let made = self.instance_of(of, builder);
                self.pointer_to(made, builder)
            }
            Kind::AssignmentExpression => {
                let target = self.value_in_field(node, grammar.left, scope, Role::Write, builder);
                match self.child_in_field(node, grammar.right) {
                    Some(right) if grammar.kind_of_node(right) == Kind::InitializerList => {
                        self.record_names_in_initialiser_list(right, target, scope, builder)
                    }
                    Some(right) => {
                        self.bind_names_and_get_value(right, scope, Role::Read, builder);
                    }
                    None => {}
                }
                target
            }
            Kind::UpdateExpression => self.value_in_field(node, grammar.argument, scope, Role::Write, builder),
            Kind::ConditionalExpression => {
                self.value_in_field(node, grammar.condition, scope, Role::Read, builder);
                let first = self.value_in_field(node, grammar.consequence, scope, Role::Read, builder);
                let second = self.value_in_field(node, grammar.alternative, scope, Role::Read, builder);
                match (first == unknown, second == unknown) {
                    (true, _) => second,
                    (_, true) => first,
                    _ => {
                        let both = builder.add_expr_list(&[first, second]);
                        builder.add_expr(Expr::Either(both))
                    }
                }
            }
            Kind::BinaryExpression => {
                let left = self.value_in_field(node, grammar.left, scope, Role::Read, builder);
                self.value_in_field(node, grammar.right, scope, Role::Read, builder);
                let operator = self.child_in_field(node, grammar.operator).map_or("", |at| builder.text_of_node(at));
                // Of pointers, it gives a pointer to another element; what operators of classes give is not known.
                match operator {
                    "+" | "-" if left != unknown => {
                        builder.add_expr(Expr::Subscript { of: left, key: SubscriptKey::Slice })
                    }
                    _ => unknown,
                }
            }
            Kind::CommaExpression => {
                self.value_in_field(node, grammar.left, scope, Role::Read, builder);
                self.value_in_field(node, grammar.right, scope, Role::Read, builder)
            }
            Kind::LambdaExpression => self.lambda_value(node, scope, builder),
            Kind::OffsetofExpression => {
                let of = self.type_in_field(node, grammar.r#type, scope, builder);
                if let Some(member) = self.child_in_field(node, grammar.member) {
                    let base = self.instance_of(of, builder);
                    builder.record_member_use(base, member, Role::Member);
                }
                unknown
            }
            _ => {
                self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
                    match binder.grammar.kind_of_node(child) {
                        Kind::PreprocDef | Kind::PreprocFunctionDef => binder.bind_macro(child, builder),
                        _ => binder.bind_node(child, scope, builder),
                    }
                });
                unknown
            }
        }
    }

    /// The value of `a.b` or `a->b`.
    fn field_value(&mut self, node: Node<'t>, scope: ScopeId, role: Role, builder: &mut NamesBuilder<'_>) -> ExprId {
        let mut base = self.value_in_field(node, self.grammar.argument, scope, Role::Read, builder);
        let is_arrow = self.child_in_field(node, self.grammar.operator).is_some_and(|at| at.kind() == "->");
        if is_arrow && !matches!(builder.names.expr_by_id(base), Expr::This { .. }) {
            base = self.element_of(base, builder);
        }
        let role = if role == Role::Read { Role::Member } else { role };
        match self.child_in_field(node, self.grammar.field) {
            Some(field) => self.path_expr(field, Some(base), scope, role, builder),
            None => base,
        }
    }

    fn call_value(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let function = self.child_in_field(node, self.grammar.function);
        let template = function.and_then(|function| self.template_of_call(function));
        let callee = match function {
            Some(function) => self.bind_names_and_get_value(function, scope, Role::Call, builder),
            None => builder.unknown_expr(),
        };
        let arguments = self.child_in_field(node, self.grammar.arguments);
        let args = self.bind_call_arguments(arguments, callee, scope, builder);
        let name = function.and_then(|function| self.last_name_of_path(function));
        let name = name.map_or("", |name| builder.text_of_node(name));
        let type_argument = match (template, builder.names.expr_by_id(callee)) {
            (Some(_), Expr::Generic { args, .. }) => builder.names.expr_ids_in_list_range(args).first().copied(),
            _ => None,
        };
        match (name, type_argument, args.as_slice()) {
            (
                "static_cast" | "dynamic_cast" | "reinterpret_cast" | "const_cast" | "any_cast" | "bit_cast",
                Some(of),
                _,
            ) => self.instance_of(of, builder),
            ("static_pointer_cast" | "dynamic_pointer_cast" | "const_pointer_cast", Some(of), _)
            | ("make_unique" | "make_shared" | "allocate_shared" | "make_optional", Some(of), _) => {
                let made = self.instance_of(of, builder);
                self.pointer_to(made, builder)
            }
            ("move" | "forward" | "as_const" | "exchange" | "launder" | "ref" | "cref", _, [value, ..]) => {
                let called = builder.add_expr(Expr::Call { callee });
                builder.add_expr(Expr::Fallback { value: called, other: *value })
            }
            _ => builder.add_expr(Expr::Call { callee }),
        }
    }

    /// The node with the type arguments of a called function, if the call has some.
    fn template_of_call(&self, mut function: Node<'t>) -> Option<Node<'t>> {
        loop {
            match self.grammar.kind_of_node(function) {
                Kind::TemplateFunction | Kind::TemplateMethod => return Some(function),
                Kind::QualifiedIdentifier => function = self.child_in_field(function, self.grammar.name)?,
                _ => return None,
            }
        }
    }

    /// Records the names in the braces that initialise the value `made`.
    pub(super) fn record_names_in_initialiser_list(
        &mut self,
        node: Node<'t>,
        made: ExprId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        self.for_each_named_non_comment_child(node, builder, |binder, entry, builder| {
            builder.run_with_depth_limit(entry, |builder| match binder.grammar.kind_of_node(entry) {
                Kind::InitializerPair => {
                    let value = binder.child_in_field(entry, binder.grammar.value);
                    let mut target = made;
                    binder.for_each_named_non_comment_child(entry, builder, |binder, part, builder| {
                        match binder.grammar.kind_of_node(part) {
                            _ if Some(part) == value => {}
                            Kind::FieldDesignator => {
                                if let Some(name) = binder.first_named_non_comment_child(part) {
                                    target = builder.record_member_use(target, name, Role::Write);
                                }
                            }
                            Kind::FieldIdentifier => target = builder.record_member_use(target, part, Role::Write),
                            _ => binder.bind_children(part, scope, builder),
                        }
                    });
                    match value {
                        Some(value) if binder.grammar.kind_of_node(value) == Kind::InitializerList => {
                            binder.record_names_in_initialiser_list(value, target, scope, builder)
                        }
                        Some(value) => binder.bind_node(value, scope, builder),
                        None => {}
                    }
                }
                _ => binder.bind_node(entry, scope, builder),
            });
        });
    }

    /// The last name of a path of names, without its type arguments: `move` of `std::move<T>`.
    pub(super) fn last_name_of_path(&self, mut node: Node<'t>) -> Option<Node<'t>> {
        loop {
            node = match self.grammar.kind_of_node(node) {
                Kind::FieldExpression => self.child_in_field(node, self.grammar.field)?,
                Kind::QualifiedIdentifier | Kind::TemplateType | Kind::TemplateFunction | Kind::TemplateMethod => {
                    self.child_in_field(node, self.grammar.name)?
                }
                Kind::DependentName | Kind::DependentType => self.first_named_non_comment_child(node)?,
                Kind::Identifier | Kind::TypeIdentifier | Kind::FieldIdentifier => return Some(node),
                _ => return None,
            };
        }
    }
}
