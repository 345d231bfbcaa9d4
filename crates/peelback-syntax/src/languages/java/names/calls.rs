//! Name binding of Java's calls and object creations.

use tree_sitter::Node;

use super::lambdas::ExpectedFunction;
use super::{Binder, Kind};
use crate::names::{Expr, ExprId, NamesBuilder, RestrictedNameKind, Role, ScopeId};

impl<'t> Binder<'t> {
    pub(super) fn call_value(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let Some(name) = self.field(node, self.grammar.name) else { return builder.unknown_expr() };
        let callee = match self.field(node, self.grammar.object) {
            Some(object) => {
                let base = match self.kind(object) {
                    Kind::Super => builder.add_expr(Expr::Super { scope }),
                    _ => self.value(object, scope, builder),
                };
                // `Outer.super.method()` has the keyword as a child of its own.
                let base = match self.child_of_kind(node, Kind::Super).filter(|keyword| *keyword != object) {
                    Some(_) => builder.add_expr(Expr::Instance { of: base }),
                    None => base,
                };
                builder.record_member_use(base, name, Role::Call)
            }
            None => self.record_restricted_name_use(name, scope, (RestrictedNameKind::Function, Role::Call), builder),
        };
        let called = match self.field(node, self.grammar.type_arguments) {
            Some(list) => {
                let args = self.type_arguments(list, scope, builder);
                let args = builder.add_expr_list(&args);
                builder.add_expr(Expr::Generic { base: Some(callee), args })
            }
            None => callee,
        };
        let arguments = self.field(node, self.grammar.arguments);
        self.bind_call_arguments(arguments, callee, scope, builder);
        builder.add_expr(Expr::Call { callee: called })
    }

    /// Binds the names in the arguments of a call of `callee`, and records the arguments.
    pub(super) fn bind_call_arguments(
        &mut self,
        list: Option<Node<'t>>,
        callee: ExprId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let mut values = Vec::new();
        if let Some(list) = list {
            let mut index = 0;
            self.for_each_named_non_comment_child(list, builder, |binder, argument, builder| {
                binder.expected_function = Some(ExpectedFunction::Argument { callee, index });
                values.push(binder.value(argument, scope, builder));
                index += 1;
            });
        }
        if callee != builder.unknown_expr() {
            let args = builder.add_expr_list(&values);
            builder.names.call_arguments.push((callee, args));
        }
    }

    /// The value of `new T(…)`, `new T(…) { … }` or `outer.new T(…)`.
    pub(super) fn created_object_value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let Some(written) = self.field(node, self.grammar.r#type) else { return builder.unknown_expr() };
        let mut outer = None;
        let mut body = None;
        self.for_each_named_non_comment_child(node, builder, |binder, child, builder| match binder.kind(child) {
            Kind::ClassBody => body = Some(child),
            Kind::Annotation | Kind::MarkerAnnotation => binder.bind_annotation_if_any(child, scope, builder),
            Kind::ArgumentList | Kind::TypeArguments => {}
            _ if child == written => {}
            _ => outer = Some(binder.value(child, scope, builder)),
        });
        if let Some(list) = self.field(node, self.grammar.type_arguments) {
            self.type_arguments(list, scope, builder);
        }
        let (of, constructor) = match outer.filter(|_| self.kind(written) == Kind::TypeIdentifier) {
            Some(outer) => {
                let of = builder.record_member_use(outer, written, Role::Call);
                (of, self.record_constructor_use(written, of, Role::Call, builder))
            }
            None => self.constructed_type_expr(written, scope, Role::Call, builder),
        };
        let arguments = self.field(node, self.grammar.arguments);
        self.bind_call_arguments(arguments, constructor, scope, builder);
        match body {
            Some(body) => {
                let of = self.bind_unnamed_class(body, of, scope, builder);
                builder.add_expr(Expr::Instance { of })
            }
            None => builder.add_expr(Expr::Instance { of }),
        }
    }
}
