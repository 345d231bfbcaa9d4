//! Name binding of C expressions: the values of expressions, and the names that expressions use.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{Expr, ExprId, FILE_SCOPE, NamesBuilder, Role, ScopeId};

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
                if node.is_missing() {
                    return builder.unknown_expr();
                }
                builder.record_name_use(node, scope, role)
            }
            Kind::NumberLiteral | Kind::StringLiteral | Kind::CharLiteral | Kind::PrimitiveType | Kind::Comment => {
                builder.unknown_expr()
            }
            Kind::FieldIdentifier => {
                let unknown = builder.unknown_expr();
                builder.record_member_use(unknown, node, Role::Member)
            }
            Kind::TypeIdentifier | Kind::TypeDescriptor | Kind::SizedTypeSpecifier | Kind::MacroTypeSpecifier => {
                self.type_expr(node, scope, builder)
            }
            _ => builder.run_with_depth_limit(node, |builder| {
                self.bind_compound_expression_and_get_value(node, scope, role, builder)
            }),
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

    /// The value of an expression that contains other expressions.
    fn bind_compound_expression_and_get_value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        match self.grammar.kind_of_node(node) {
            Kind::FieldExpression => {
                let argument = self.child_in_field(node, self.grammar.argument);
                let base = self.expression_value_if_any(argument, scope, builder);
                match self.child_in_field(node, self.grammar.field) {
                    Some(name) => {
                        builder.record_member_use(base, name, if role == Role::Read { Role::Member } else { role })
                    }
                    None => base,
                }
            }
            Kind::CallExpression => {
                let callee = match self.child_in_field(node, self.grammar.function) {
                    Some(function) => self.bind_names_and_get_value(function, scope, Role::Call, builder),
                    None => builder.unknown_expr(),
                };
                if let Some(arguments) = self.child_in_field(node, self.grammar.arguments) {
                    self.bind_children(arguments, scope, builder);
                }
                builder.add_expr(Expr::Call { callee })
            }
            Kind::PointerExpression => {
                let argument = self.child_in_field(node, self.grammar.argument);
                self.expression_value_if_any(argument, scope, builder)
            }
            Kind::ParenthesizedExpression | Kind::ExtensionExpression => match self.first_named_non_comment_child(node)
            {
                Some(inner) if self.grammar.kind_of_node(inner) != Kind::CompoundStatement => {
                    self.bind_names_and_get_value(inner, scope, role, builder)
                }
                _ => {
                    self.bind_children(node, scope, builder);
                    builder.unknown_expr()
                }
            },
            Kind::SubscriptExpression => {
                let argument = self.child_in_field(node, self.grammar.argument);
                let array = self.expression_value_if_any(argument, scope, builder);
                self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
                    if Some(child) != argument {
                        binder.bind_node(child, scope, builder);
                    }
                });
                array
            }
            Kind::CastExpression => {
                let of = match self.child_in_field(node, self.grammar.r#type) {
                    Some(written) => self.type_expr(written, scope, builder),
                    None => builder.unknown_expr(),
                };
                let value = self.child_in_field(node, self.grammar.value);
                let value = self.expression_value_if_any(value, scope, builder);
                if of == builder.unknown_expr() { value } else { builder.add_expr(Expr::Instance { of }) }
            }
            Kind::CompoundLiteralExpression => {
                let of = match self.child_in_field(node, self.grammar.r#type) {
                    Some(written) => self.type_expr(written, scope, builder),
                    None => builder.unknown_expr(),
                };
                let declared_value =
                    if of == builder.unknown_expr() { of } else { builder.add_expr(Expr::Instance { of }) };
                if let Some(value) = self.child_in_field(node, self.grammar.value) {
                    self.record_names_in_initialiser(value, declared_value, true, scope, builder);
                }
                declared_value
            }
            Kind::InitializerList => {
                let unknown = builder.unknown_expr();
                self.record_names_in_initialiser(node, unknown, true, scope, builder);
                unknown
            }
            Kind::AssignmentExpression => {
                let target = match self.child_in_field(node, self.grammar.left) {
                    Some(left) => self.bind_names_and_get_value(left, scope, Role::Write, builder),
                    None => builder.unknown_expr(),
                };
                let right = self.child_in_field(node, self.grammar.right);
                self.expression_value_if_any(right, scope, builder);
                target
            }
            Kind::UpdateExpression => match self.child_in_field(node, self.grammar.argument) {
                Some(argument) => self.bind_names_and_get_value(argument, scope, Role::Write, builder),
                None => builder.unknown_expr(),
            },
            Kind::ConditionalExpression => {
                let condition = self.child_in_field(node, self.grammar.condition);
                self.expression_value_if_any(condition, scope, builder);
                let first = self.child_in_field(node, self.grammar.consequence);
                let first = self.expression_value_if_any(first, scope, builder);
                let second = self.child_in_field(node, self.grammar.alternative);
                let second = self.expression_value_if_any(second, scope, builder);
                if first == builder.unknown_expr() { second } else { first }
            }
            Kind::BinaryExpression => {
                let left = self.child_in_field(node, self.grammar.left);
                let left = self.expression_value_if_any(left, scope, builder);
                let right = self.child_in_field(node, self.grammar.right);
                let right = self.expression_value_if_any(right, scope, builder);
                match self
                    .child_in_field(node, self.grammar.operator)
                    .map_or("", |operator| builder.text_of_node(operator))
                {
                    // Pointer arithmetic: the result has the type of the pointer.
                    "+" | "-" if left != builder.unknown_expr() => left,
                    "+" => right,
                    _ => builder.unknown_expr(),
                }
            }
            Kind::CommaExpression => {
                let left = self.child_in_field(node, self.grammar.left);
                self.expression_value_if_any(left, scope, builder);
                let right = self.child_in_field(node, self.grammar.right);
                self.expression_value_if_any(right, scope, builder)
            }
            Kind::OffsetofExpression => {
                let of = match self.child_in_field(node, self.grammar.r#type) {
                    Some(written) => self.type_expr(written, scope, builder),
                    None => builder.unknown_expr(),
                };
                if let Some(member) = self.child_in_field(node, self.grammar.member) {
                    let base = builder.add_expr(Expr::Instance { of });
                    builder.record_member_use(base, member, Role::Member);
                }
                builder.unknown_expr()
            }
            Kind::GnuAsmInputOperand | Kind::GnuAsmOutputOperand => {
                let output = self.grammar.kind_of_node(node) == Kind::GnuAsmOutputOperand;
                if let Some(value) = self.child_in_field(node, self.grammar.value) {
                    self.bind_names_and_get_value(value, scope, if output { Role::Write } else { Role::Read }, builder);
                }
                builder.unknown_expr()
            }
            Kind::GnuAsmGotoList => builder.unknown_expr(),
            Kind::PreprocIf | Kind::PreprocElif => {
                let condition = self.child_in_field(node, self.grammar.condition);
                self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
                    binder.bind_node(child, if Some(child) == condition { FILE_SCOPE } else { scope }, builder);
                });
                builder.unknown_expr()
            }
            _ => {
                self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
                    match binder.grammar.kind_of_node(child) {
                        Kind::PreprocDef | Kind::PreprocFunctionDef => binder.bind_macro(child, builder),
                        _ => binder.bind_node(child, scope, builder),
                    }
                });
                builder.unknown_expr()
            }
        }
    }

    /// Records the names in the initialiser of the value `declared_value`, such as the value of a variable or of a
    /// compound literal.
    pub(super) fn record_names_in_initialiser(
        &mut self,
        node: Node<'t>,
        declared_value: ExprId,
        is_array: bool,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        if self.grammar.kind_of_node(node) != Kind::InitializerList {
            self.bind_names_and_get_value(node, scope, Role::Read, builder);
            return;
        }
        self.for_each_named_non_comment_child(node, builder, |binder, entry, builder| {
            builder.run_with_depth_limit(entry, |builder| match binder.grammar.kind_of_node(entry) {
                Kind::InitializerPair => {
                    binder.record_names_in_designated_initialiser(entry, declared_value, scope, builder)
                }
                // A nested list initialises an element of an array. The member of a struct that it initialises depends
                // on its position and is unknown.
                Kind::InitializerList => {
                    let inner = if is_array { declared_value } else { builder.unknown_expr() };
                    binder.record_names_in_initialiser(entry, inner, false, scope, builder);
                }
                _ => binder.bind_node(entry, scope, builder),
            });
        });
    }

    /// Records the names in a designated initialiser: `.a.b[1] = value`.
    fn record_names_in_designated_initialiser(
        &mut self,
        node: Node<'t>,
        declared_value: ExprId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let value = self.child_in_field(node, self.grammar.value);
        let mut target = declared_value;
        self.for_each_named_non_comment_child(node, builder, |binder, part, builder| {
            if Some(part) == value {
                return;
            }
            match binder.grammar.kind_of_node(part) {
                Kind::FieldDesignator => {
                    if let Some(name) = binder.first_named_non_comment_child(part) {
                        target = builder.record_member_use(target, name, Role::Write);
                    }
                }
                Kind::FieldIdentifier => target = builder.record_member_use(target, part, Role::Write),
                _ => binder.bind_children(part, scope, builder),
            }
        });
        if let Some(value) = value {
            self.record_names_in_initialiser(value, target, true, scope, builder);
        }
    }
}
