//! Name binding of Go expressions: the values of expressions, and the names that expressions use.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{Expr, ExprId, NamesBuilder, Role, ScopeId, ScopeKind};

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
            Kind::Identifier => {
                if builder.text_of_node(node) == "_" {
                    return builder.unknown_expr();
                }
                builder.record_name_use(node, scope, role)
            }
            Kind::InterpretedStringLiteral
            | Kind::RawStringLiteral
            | Kind::Comment
            | Kind::LabelName
            | Kind::BlankIdentifier => builder.unknown_expr(),
            Kind::FieldIdentifier => {
                let unknown = builder.unknown_expr();
                builder.record_member_use(unknown, node, role)
            }
            Kind::TypeIdentifier
            | Kind::QualifiedType
            | Kind::GenericType
            | Kind::PointerType
            | Kind::ParenthesizedType
            | Kind::NegatedType
            | Kind::SliceType
            | Kind::ArrayType
            | Kind::ImplicitLengthArrayType
            | Kind::MapType
            | Kind::ChannelType
            | Kind::FunctionType
            | Kind::StructType
            | Kind::InterfaceType
            | Kind::TypeElem
            | Kind::TypeConstraint => self.type_expr(node, scope, builder),
            Kind::PackageIdentifier => builder.record_name_use(node, scope, Role::Read),
            _ => builder.run_with_depth_limit(node, |builder| {
                self.bind_compound_expression_and_get_value(node, scope, role, builder)
            }),
        }
    }

    /// The value of an expression that contains other expressions.
    fn bind_compound_expression_and_get_value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        match self.grammar.kind_of_node(node) {
            Kind::SelectorExpression => {
                let operand = self.child_in_field(node, self.grammar.operand);
                let base = self.expression_value_if_any(operand, scope, builder);
                match self.child_in_field(node, self.grammar.field) {
                    Some(name) => {
                        builder.record_member_use(base, name, if role == Role::Read { Role::Member } else { role })
                    }
                    None => builder.unknown_expr(),
                }
            }
            Kind::CallExpression => self.call_value(node, scope, builder),
            Kind::ParenthesizedExpression => match self.first_named_non_comment_child(node) {
                Some(inner) => self.bind_names_and_get_value(inner, scope, role, builder),
                None => builder.unknown_expr(),
            },
            Kind::UnaryExpression => {
                let operand = self.child_in_field(node, self.grammar.operand);
                let value = self.expression_value_if_any(operand, scope, builder);
                match self.operator_text(node, builder) {
                    "<-" => builder.add_expr(Expr::Element { of: value }),
                    "!" => builder.unknown_expr(),
                    _ => value,
                }
            }
            Kind::BinaryExpression => {
                let left = self.child_in_field(node, self.grammar.left);
                let left = self.expression_value_if_any(left, scope, builder);
                let right = self.child_in_field(node, self.grammar.right);
                let right = self.expression_value_if_any(right, scope, builder);
                match self.operator_text(node, builder) {
                    "==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||" => builder.unknown_expr(),
                    _ if left == builder.unknown_expr() => right,
                    _ => left,
                }
            }
            Kind::IndexExpression => {
                let operand = self.child_in_field(node, self.grammar.operand);
                let of = match operand {
                    // A call of a generic function with an explicit type argument is a call of the function.
                    Some(operand) if role == Role::Call => self.bind_names_and_get_value(operand, scope, role, builder),
                    operand => self.expression_value_if_any(operand, scope, builder),
                };
                let index = self.child_in_field(node, self.grammar.index);
                self.expression_value_if_any(index, scope, builder);
                builder.add_expr(Expr::Element { of })
            }
            Kind::SliceExpression => {
                let operand = self.child_in_field(node, self.grammar.operand);
                let sliced = self.expression_value_if_any(operand, scope, builder);
                self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
                    if Some(child) != operand {
                        binder.bind_names_and_get_value(child, scope, Role::Read, builder);
                    }
                });
                sliced
            }
            Kind::TypeAssertionExpression => {
                let operand = self.child_in_field(node, self.grammar.operand);
                self.expression_value_if_any(operand, scope, builder);
                self.instance_of_type_child(node, scope, builder)
            }
            Kind::TypeConversionExpression => {
                let operand = self.child_in_field(node, self.grammar.operand);
                self.expression_value_if_any(operand, scope, builder);
                // The grammar reads the call `f[T](x)` as a type conversion.
                match self
                    .child_in_field(node, self.grammar.r#type)
                    .filter(|written| self.grammar.kind_of_node(*written) == Kind::GenericType)
                {
                    Some(written) => {
                        let callee = self.callee_expr_with_type_arguments(written, scope, builder);
                        builder.add_expr(Expr::Call { callee })
                    }
                    None => self.instance_of_type_child(node, scope, builder),
                }
            }
            Kind::TypeInstantiationExpression => {
                let base = self.child_in_field(node, self.grammar.r#type);
                let base_expr = match base {
                    // The grammar reads the name as a type, but the name may be a function.
                    Some(base) if self.grammar.kind_of_node(base) == Kind::TypeIdentifier => {
                        builder.record_name_use(base, scope, role)
                    }
                    Some(base) => self.type_expr(base, scope, builder),
                    None => builder.unknown_expr(),
                };
                let mut args = Vec::new();
                self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
                    if Some(child) != base {
                        args.push(binder.type_expr(child, scope, builder));
                    }
                });
                let args = builder.add_expr_list(&args);
                builder.add_expr(Expr::Generic { base: Some(base_expr), args })
            }
            Kind::CompositeLiteral => self.composite_literal_value(node, scope, builder),
            Kind::FuncLiteral => {
                let function_scope = builder.add_child_scope(scope, ScopeKind::Function, node);
                let function = self.create_unnamed_function_binding(node, function_scope, builder);
                self.bind_signature(node, function_scope, function, builder);
                self.bind_function_body(node, function_scope, builder);
                builder.add_expr(Expr::Function { binding: function })
            }
            Kind::LiteralValue => {
                let unknown = builder.unknown_expr();
                self.record_names_in_composite_literal_entries(node, unknown, None, scope, builder);
                unknown
            }
            // Broken source may have a statement in place of an expression.
            Kind::Block
            | Kind::ShortVarDeclaration
            | Kind::AssignmentStatement
            | Kind::VarDeclaration
            | Kind::ConstDeclaration
            | Kind::TypeDeclaration
            | Kind::IfStatement
            | Kind::ForStatement
            | Kind::ForClause
            | Kind::RangeClause
            | Kind::ReceiveStatement
            | Kind::ExpressionSwitchStatement
            | Kind::TypeSwitchStatement
            | Kind::SelectStatement
            | Kind::StatementList
            | Kind::FunctionDeclaration
            | Kind::MethodDeclaration
            | Kind::IncStatement
            | Kind::DecStatement => {
                self.bind_statement(node, scope, builder);
                builder.unknown_expr()
            }
            _ => {
                self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
                    binder.bind_names_and_get_value(child, scope, Role::Read, builder);
                });
                builder.unknown_expr()
            }
        }
    }

    fn expression_value_if_any(
        &mut self,
        node: Option<Node<'t>>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        match node {
            Some(node) => self.bind_names_and_get_value(node, scope, Role::Read, builder),
            None => builder.unknown_expr(),
        }
    }

    fn operator_text<'s>(&self, node: Node<'t>, builder: &NamesBuilder<'s>) -> &'s str {
        self.child_in_field(node, self.grammar.operator).map_or("", |operator| builder.text_of_node(operator))
    }

    /// The expression for the callee `f[T]` of the call `f[T](x)`. The grammar reads such a callee as a type.
    fn callee_expr_with_type_arguments(
        &mut self,
        written: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let base = match self.child_in_field(written, self.grammar.r#type) {
            Some(base) if self.grammar.kind_of_node(base) == Kind::TypeIdentifier => {
                builder.record_name_use(base, scope, Role::Call)
            }
            Some(base) if self.grammar.kind_of_node(base) == Kind::QualifiedType => {
                let (package, name) =
                    (self.child_in_field(base, self.grammar.package), self.child_in_field(base, self.grammar.name));
                let (Some(package), Some(name)) = (package, name) else { return builder.unknown_expr() };
                let package = builder.record_name_use(package, scope, Role::Read);
                builder.record_member_use(package, name, Role::Call)
            }
            Some(base) => self.type_expr(base, scope, builder),
            None => builder.unknown_expr(),
        };
        let mut args = Vec::new();
        if let Some(list) = self.child_in_field(written, self.grammar.type_arguments) {
            self.for_each_named_non_comment_child(list, builder, |binder, argument, builder| {
                args.push(binder.type_expr(argument, scope, builder))
            });
        }
        let args = builder.add_expr_list(&args);
        builder.add_expr(Expr::Generic { base: Some(base), args })
    }

    fn instance_of_type_child(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let Some(written) = self.child_in_field(node, self.grammar.r#type) else { return builder.unknown_expr() };
        let of = self.type_expr(written, scope, builder);
        builder.add_expr(Expr::Instance { of })
    }

    fn call_value(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let Some(function) = self.child_in_field(node, self.grammar.function) else { return builder.unknown_expr() };
        let name =
            if self.grammar.kind_of_node(function) == Kind::Identifier { builder.text_of_node(function) } else { "" };
        let mut callee = self.bind_names_and_get_value(function, scope, Role::Call, builder);
        if let Some(list) = self.child_in_field(node, self.grammar.type_arguments) {
            let mut args = Vec::new();
            self.for_each_named_non_comment_child(list, builder, |binder, argument, builder| {
                args.push(binder.type_expr(argument, scope, builder))
            });
            let args = builder.add_expr_list(&args);
            callee = builder.add_expr(Expr::Generic { base: Some(callee), args });
        }
        let mut first = None;
        if let Some(arguments) = self.child_in_field(node, self.grammar.arguments) {
            self.for_each_named_non_comment_child(arguments, builder, |binder, argument, builder| {
                let value = binder.bind_names_and_get_value(argument, scope, Role::Read, builder);
                first.get_or_insert(value);
            });
        }
        match (name, first) {
            ("new" | "make", Some(of)) => builder.add_expr(Expr::Instance { of }),
            ("append", Some(slice)) => slice,
            _ => builder.add_expr(Expr::Call { callee }),
        }
    }

    /// The value of the composite literal `T{…}`.
    fn composite_literal_value(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let Some(written) = self.child_in_field(node, self.grammar.r#type) else { return builder.unknown_expr() };
        let of = self.type_expr(written, scope, builder);
        let value = builder.add_expr(Expr::Instance { of });
        let fields = match self.grammar.kind_of_node(written) {
            Kind::StructType => Some(true),
            Kind::MapType | Kind::SliceType | Kind::ArrayType | Kind::ImplicitLengthArrayType => Some(false),
            Kind::TypeIdentifier => {
                let name = builder.name_id_of_node(written);
                self.container_types.contains(&name).then_some(false)
            }
            _ => None,
        };
        if let Some(body) = self.child_in_field(node, self.grammar.body) {
            self.record_names_in_composite_literal_entries(body, value, fields, scope, builder);
        }
        value
    }

    /// Records the names in the entries of a composite literal. `value` is the value of the literal. `fields` is
    /// whether the keys are field names, or `None` where that is not known.
    fn record_names_in_composite_literal_entries(
        &mut self,
        node: Node<'t>,
        value: ExprId,
        fields: Option<bool>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let fields = fields.unwrap_or_else(|| self.has_only_name_keys(node, builder));
        self.for_each_named_non_comment_child(node, builder, |binder, entry, builder| {
            match binder.grammar.kind_of_node(entry) {
                Kind::KeyedElement => {
                    if let Some(key) = binder.child_in_field(entry, binder.grammar.key) {
                        let inner = binder.first_named_non_comment_child(key).unwrap_or(key);
                        if fields && binder.grammar.kind_of_node(inner) == Kind::Identifier {
                            builder.record_member_use(value, inner, Role::Write);
                        } else {
                            let kind = Expr::Item { of: value, index: 0 };
                            binder.record_names_in_composite_literal_element(key, kind, scope, builder);
                        }
                    }
                    if let Some(entry_value) = binder.child_in_field(entry, binder.grammar.value) {
                        binder.record_names_in_composite_literal_element(
                            entry_value,
                            Expr::Element { of: value },
                            scope,
                            builder,
                        );
                    }
                }
                _ => {
                    binder.record_names_in_composite_literal_element(entry, Expr::Element { of: value }, scope, builder)
                }
            }
        });
    }

    /// Records the names in a key or element of a composite literal. A nested literal without a type has the value
    /// `value_without_type`.
    fn record_names_in_composite_literal_element(
        &mut self,
        node: Node<'t>,
        value_without_type: Expr,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let inner = match self.grammar.kind_of_node(node) {
            Kind::LiteralElement => self.first_named_non_comment_child(node).unwrap_or(node),
            _ => node,
        };
        if self.grammar.kind_of_node(inner) == Kind::LiteralValue {
            builder.run_with_depth_limit(inner, |builder| {
                let value = builder.add_expr(value_without_type);
                self.record_names_in_composite_literal_entries(inner, value, None, scope, builder);
            });
        } else {
            self.bind_names_and_get_value(inner, scope, Role::Read, builder);
        }
    }

    /// Whether every key of a composite literal is a bare name, as in a struct literal.
    fn has_only_name_keys(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> bool {
        let mut names = true;
        self.for_each_named_non_comment_child(node, builder, |binder, entry, _| {
            if binder.grammar.kind_of_node(entry) == Kind::KeyedElement
                && let Some(key) = binder.child_in_field(entry, binder.grammar.key)
            {
                let inner = binder.first_named_non_comment_child(key).unwrap_or(key);
                names &= binder.grammar.kind_of_node(inner) == Kind::Identifier;
            }
        });
        names
    }
}
