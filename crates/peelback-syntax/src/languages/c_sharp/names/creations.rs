//! Name binding of C#'s object creations and initialisers.

use tree_sitter::Node;

use super::{Binder, Kind, offset};
use crate::names::{
    BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId, ScopeKind, Target, first_line_number_of_node,
};

impl<'t> Binder<'t> {
    /// The value of `new T(…) { … }`.
    pub(super) fn created_object_value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let Some(written) = self.field(node, self.grammar.r#type) else { return builder.unknown_expr() };
        let of = self.type_expr_in_role(written, scope, Role::Call, builder);
        let constructor = self.constructor_use(of, written, Role::Call, builder).unwrap_or(builder.unknown_expr());
        let arguments = self.field(node, self.grammar.arguments);
        self.bind_call_arguments(arguments, constructor, scope, builder);
        let made = builder.add_expr(Expr::Instance { of });
        if let Some(initializer) = self.field(node, self.grammar.initializer) {
            self.bind_initializer(initializer, made, scope, builder);
        }
        made
    }

    /// The value of `new(…) { … }`, which is of the type that is expected there.
    pub(super) fn created_object_of_expected_type(
        &mut self,
        node: Node<'t>,
        expected: Option<ExprId>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let of = expected.unwrap_or(builder.unknown_expr());
        let named = match builder.names.expr_by_id(of) {
            Expr::Generic { base: Some(base), .. } => base,
            _ => of,
        };
        let mut callee = builder.unknown_expr();
        if let Expr::Name { name, .. } | Expr::Member { name, .. } = builder.names.expr_by_id(named) {
            let at = node.start_byte();
            callee = builder.add_expr(Expr::Member { base: named, name, at: offset(at) });
            let line = first_line_number_of_node(node);
            builder.record_occurrence_at_offset(name, at, line, Role::Call, Target::Expr(callee));
        }
        let arguments = self.child_of_kind(node, Kind::ArgumentList);
        self.bind_call_arguments(arguments, callee, scope, builder);
        let made = match of == builder.unknown_expr() {
            true => of,
            false => builder.add_expr(Expr::Instance { of }),
        };
        if let Some(initializer) = self.child_of_kind(node, Kind::InitializerExpression) {
            self.bind_initializer(initializer, made, scope, builder);
        }
        made
    }

    /// Binds the members that an initialiser assigns to a new object, and the elements that it adds.
    fn bind_initializer(&mut self, node: Node<'t>, made: ExprId, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.for_each_child(node, builder, |binder, child, builder| {
            if binder.kind(child) != Kind::AssignmentExpression {
                let expected = builder.add_expr(Expr::Element { of: made });
                let of = builder.add_expr(Expr::TypeOf { of: expected });
                binder.value_for_type(child, scope, Some(of), builder);
                return;
            }
            let left = binder.field(child, binder.grammar.left);
            let target = match left.filter(|left| binder.kind(*left) == Kind::Identifier) {
                Some(name) => binder.use_member(made, name, Role::Write, builder),
                None => {
                    if let Some(left) = left {
                        binder.bind_values_in(left, scope, builder);
                    }
                    binder.operator_value("[]", &[made], builder)
                }
            };
            let Some(right) = binder.field(child, binder.grammar.right) else { return };
            if binder.kind(right) == Kind::InitializerExpression {
                builder.run_with_depth_limit(right, |builder| binder.bind_initializer(right, target, scope, builder));
                return;
            }
            let of = builder.add_expr(Expr::TypeOf { of: target });
            binder.value_for_type(right, scope, Some(of), builder);
        });
    }

    /// The value of `x with { … }`.
    pub(super) fn with_value(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let mut of = builder.unknown_expr();
        self.for_each_child(node, builder, |binder, child, builder| match binder.kind(child) {
            Kind::WithInitializer => {
                if let Some(name) = binder.first_child(child) {
                    binder.use_member(of, name, Role::Write, builder);
                    if let Some(value) = binder.last_child(child, builder).filter(|value| *value != name) {
                        binder.value(value, scope, builder);
                    }
                }
            }
            _ => of = binder.value(child, scope, builder),
        });
        of
    }

    /// The value of `new { A = x, y.B }`: an object with these members.
    pub(super) fn anonymous_object_value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let members = builder.add_child_scope(scope, ScopeKind::Type, node);
        let mut name: Option<Node<'t>> = None;
        let mut cursor = self.cursors.take_cursor(node);
        let mut has_child = cursor.goto_first_child();
        while has_child {
            let child = cursor.node();
            has_child = cursor.goto_next_sibling();
            if child.is_extra() || !child.is_named() {
                continue;
            }
            let is_name = self.kind(child) == Kind::Identifier && name.is_none() && cursor.node().kind() == "=";
            if is_name {
                name = Some(child);
                continue;
            }
            let value = self.value(child, scope, builder);
            let field = match name.take() {
                Some(name) => Some(self.bind_name(members, BindingKind::Field, name, builder)),
                None => self.last_name_of_value(child).map(|name| {
                    let (name, at) = self.name_of_identifier(name, builder);
                    builder.add_binding(members, BindingKind::Field, name, at)
                }),
            };
            if let Some(field) = field {
                self.set_value(field, value, builder);
            }
        }
        self.cursors.return_cursor(cursor);
        builder.add_expr(Expr::Object { scope: members })
    }

    fn last_name_of_value(&self, node: Node<'t>) -> Option<Node<'t>> {
        match self.kind(node) {
            Kind::Identifier => Some(node),
            Kind::MemberAccessExpression => {
                self.field(node, self.grammar.name).filter(|name| self.kind(*name) == Kind::Identifier)
            }
            _ => None,
        }
    }

    /// Records the use of the constructor of the type `of`, which the node `written` names.
    pub(super) fn constructor_use(
        &mut self,
        of: ExprId,
        written: Node<'t>,
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<ExprId> {
        let base = match builder.names.expr_by_id(of) {
            Expr::Generic { base: Some(base), .. } => base,
            _ => of,
        };
        let name = self.last_name_of_type(written)?;
        Some(self.use_member(base, name, role, builder))
    }

    /// The node of a type's last name: `C` of `a.b.C<T>`.
    fn last_name_of_type(&mut self, mut node: Node<'t>) -> Option<Node<'t>> {
        loop {
            node = match self.kind(node) {
                Kind::Identifier => return Some(node),
                Kind::GenericName => self.child_of_kind(node, Kind::Identifier)?,
                Kind::QualifiedName | Kind::AliasQualifiedName => self.field(node, self.grammar.name)?,
                Kind::NullableType => self.field(node, self.grammar.r#type)?,
                _ => return None,
            };
        }
    }

    /// The value of `new T[n] { … }`, `stackalloc T[n]` or `new[] { … }`.
    pub(super) fn created_array_value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let written = self.field(node, self.grammar.r#type);
        let declared = written.map(|written| self.type_expr(written, scope, builder));
        let element = declared.map(|of| builder.add_expr(Expr::Element { of }));
        let mut elements = Vec::new();
        self.for_each_child(node, builder, |binder, child, builder| {
            if binder.kind(child) == Kind::InitializerExpression {
                elements = binder.array_elements(child, element, scope, builder);
            }
        });
        match declared {
            Some(of) => builder.add_expr(Expr::Instance { of }),
            None => {
                elements.truncate(MAX_ELEMENTS);
                let of = builder.expr_of_possible_values(elements);
                self.array_of(of, builder)
            }
        }
    }

    /// Binds the elements of an array, which are of a type, and returns their values.
    pub(super) fn array_elements(
        &mut self,
        node: Node<'t>,
        element: Option<ExprId>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> Vec<ExprId> {
        let mut values = Vec::new();
        self.for_each_child(node, builder, |binder, child, builder| {
            let value = match binder.kind(child) {
                Kind::InitializerExpression => {
                    builder.run_with_depth_limit(child, |builder| {
                        binder.array_elements(child, element, scope, builder);
                    });
                    return;
                }
                _ => binder.value_for_type(child, scope, element, builder),
            };
            values.push(value);
        });
        values
    }
}

/// The limit on the number of elements of which the type of an array is made.
const MAX_ELEMENTS: usize = 4;
