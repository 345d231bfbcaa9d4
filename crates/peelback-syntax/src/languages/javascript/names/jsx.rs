//! Elements of JSX: a component is called with its attributes.

use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::{Binder, Want};
use crate::names::{Cx, Expr, ExprId, Role, Target};

impl<'t> Binder<'t> {
    pub(super) fn jsx_opening(&mut self, node: Node<'t>, cx: &mut Cx<'_>) {
        let mut component = cx.unknown();
        self.each(node, cx, |this, child, field, cx| match (field, this.kind(child)) {
            (Field::Name, _) => component = this.component(child, Role::Call, cx),
            (_, Kind::TypeArguments) => {
                this.type_arguments(child, cx);
            }
            (_, Kind::JsxAttribute) => this.attribute(child, component, cx),
            _ => {
                this.value(child, Want::READ, cx);
            }
        });
    }

    pub(super) fn jsx_closing(&mut self, node: Node<'t>, cx: &mut Cx<'_>) {
        if let Some(name) = self.child(node, Field::Name, cx) {
            self.component(name, Role::Read, cx);
        }
    }

    /// What an element's name means; names in lower case are the host's own.
    fn component(&mut self, node: Node<'t>, role: Role, cx: &mut Cx<'_>) -> ExprId {
        match self.kind(node) {
            Kind::Identifier if cx.text(node).starts_with(|first: char| first.is_lowercase()) => cx.unknown(),
            Kind::Identifier | Kind::Member | Kind::NestedIdentifier => self.value(node, Want::role(role), cx),
            _ => cx.unknown(),
        }
    }

    fn attribute(&mut self, node: Node<'t>, component: ExprId, cx: &mut Cx<'_>) {
        let mut expected = cx.unknown();
        self.each(node, cx, |this, child, _, cx| match this.kind(child) {
            Kind::PropertyIdentifier if component == cx.unknown() => {}
            Kind::PropertyIdentifier => {
                cx.occur(child, Role::Write, Target::Parameter { callee: component });
                let attributes = cx.expr(Expr::Argument { of: component, index: 0 });
                expected = cx.use_member(attributes, child, Role::Write);
            }
            _ => match this.inner(child, cx).filter(|_| child.kind() == "jsx_expression") {
                Some(inner) => {
                    this.value(inner, Want::expected(expected), cx);
                }
                None => {
                    this.value(child, Want::READ, cx);
                }
            },
        });
    }
}
