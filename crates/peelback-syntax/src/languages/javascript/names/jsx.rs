//! JSX elements: an element counts as a call of its component with the attributes.

use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::{Binder, ExprContext};
use crate::names::{Expr, ExprId, NamesBuilder, Role, Target};

impl<'t> Binder<'t> {
    pub(super) fn bind_jsx_opening(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let mut component = builder.unknown();
        self.for_each_child(node, builder, |this, child, field, builder| match (field, this.kind_of(child)) {
            (Field::Name, _) => component = this.component_value(child, Role::Call, builder),
            (_, Kind::TypeArguments) => {
                this.type_argument_exprs(child, builder);
            }
            (_, Kind::JsxAttribute) => this.bind_jsx_attribute(child, component, builder),
            _ => {
                this.expression_value(child, ExprContext::READ, builder);
            }
        });
    }

    pub(super) fn bind_jsx_closing(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        if let Some(name) = self.child_in_field(node, Field::Name, builder) {
            self.component_value(name, Role::Read, builder);
        }
    }

    /// The component that an element's name denotes. Lower-case names are built-in elements of the host and get no
    /// occurrence.
    fn component_value(&mut self, node: Node<'t>, role: Role, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.kind_of(node) {
            Kind::Identifier if builder.text(node).starts_with(|first: char| first.is_lowercase()) => builder.unknown(),
            Kind::Identifier | Kind::Member | Kind::NestedIdentifier => {
                self.expression_value(node, ExprContext::role(role), builder)
            }
            _ => builder.unknown(),
        }
    }

    fn bind_jsx_attribute(&mut self, node: Node<'t>, component: ExprId, builder: &mut NamesBuilder<'_>) {
        let mut expected = builder.unknown();
        self.for_each_child(node, builder, |this, child, _, builder| match this.kind_of(child) {
            Kind::PropertyIdentifier if component == builder.unknown() => {}
            Kind::PropertyIdentifier => {
                builder.occur(child, Role::Write, Target::Parameter { callee: component });
                let attributes = builder.expr(Expr::Argument { of: component, index: 0 });
                expected = builder.use_member(attributes, child, Role::Write);
            }
            _ => match this.first_code_child(child, builder).filter(|_| child.kind() == "jsx_expression") {
                Some(inner) => {
                    this.expression_value(inner, ExprContext::expected(expected), builder);
                }
                None => {
                    this.expression_value(child, ExprContext::READ, builder);
                }
            },
        });
    }
}
