//! Elements of JSX: a component is called with its attributes.

use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::{Binder, ExprContext};
use crate::names::{Expr, ExprId, NamesBuilder, Role, Target};

impl<'t> Binder<'t> {
    pub(super) fn jsx_opening(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let mut component = builder.unknown();
        self.each(node, builder, |this, child, field, builder| match (field, this.kind(child)) {
            (Field::Name, _) => component = this.component(child, Role::Call, builder),
            (_, Kind::TypeArguments) => {
                this.type_arguments(child, builder);
            }
            (_, Kind::JsxAttribute) => this.attribute(child, component, builder),
            _ => {
                this.value(child, ExprContext::READ, builder);
            }
        });
    }

    pub(super) fn jsx_closing(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        if let Some(name) = self.child(node, Field::Name, builder) {
            self.component(name, Role::Read, builder);
        }
    }

    /// What an element's name means; names in lower case are the host's own.
    fn component(&mut self, node: Node<'t>, role: Role, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.kind(node) {
            Kind::Identifier if builder.text(node).starts_with(|first: char| first.is_lowercase()) => builder.unknown(),
            Kind::Identifier | Kind::Member | Kind::NestedIdentifier => {
                self.value(node, ExprContext::role(role), builder)
            }
            _ => builder.unknown(),
        }
    }

    fn attribute(&mut self, node: Node<'t>, component: ExprId, builder: &mut NamesBuilder<'_>) {
        let mut expected = builder.unknown();
        self.each(node, builder, |this, child, _, builder| match this.kind(child) {
            Kind::PropertyIdentifier if component == builder.unknown() => {}
            Kind::PropertyIdentifier => {
                builder.occur(child, Role::Write, Target::Parameter { callee: component });
                let attributes = builder.expr(Expr::Argument { of: component, index: 0 });
                expected = builder.use_member(attributes, child, Role::Write);
            }
            _ => match this.inner(child, builder).filter(|_| child.kind() == "jsx_expression") {
                Some(inner) => {
                    this.value(inner, ExprContext::expected(expected), builder);
                }
                None => {
                    this.value(child, ExprContext::READ, builder);
                }
            },
        });
    }
}
