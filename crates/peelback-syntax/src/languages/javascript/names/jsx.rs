//! Name binding for JSX elements: an element counts as a call of its component with the attributes as the argument.

use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::{Binder, ExprContext};
use crate::names::{Expr, ExprId, NamesBuilder, Role, Target};

impl<'t> Binder<'t> {
    pub(super) fn bind_jsx_opening_element(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let mut component = builder.unknown_expr();
        self.for_each_named_or_unnamed_child(node, builder, |this, child, field, builder| {
            match (field, this.kind_of_node(child)) {
                (Field::Name, _) => component = this.jsx_component_value(child, Role::Call, builder),
                (_, Kind::TypeArguments) => {
                    this.type_argument_exprs(child, builder);
                }
                (_, Kind::JsxAttribute) => this.bind_jsx_attribute(child, component, builder),
                _ => {
                    this.bind_names_and_get_value(child, ExprContext::READ, builder);
                }
            }
        });
    }

    pub(super) fn bind_jsx_closing_element(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        if let Some(name) = self.first_child_in_field(node, Field::Name, builder) {
            self.jsx_component_value(name, Role::Read, builder);
        }
    }

    /// The component that the name of a JSX element refers to. Lower-case names are built-in elements of the host (such
    /// as HTML) and get no occurrence.
    fn jsx_component_value(&mut self, node: Node<'t>, role: Role, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.kind_of_node(node) {
            Kind::Identifier if builder.text_of_node(node).starts_with(|first: char| first.is_lowercase()) => {
                builder.unknown_expr()
            }
            Kind::Identifier | Kind::Member | Kind::NestedIdentifier => {
                self.bind_names_and_get_value(node, ExprContext::for_role(role), builder)
            }
            _ => builder.unknown_expr(),
        }
    }

    fn bind_jsx_attribute(&mut self, node: Node<'t>, component: ExprId, builder: &mut NamesBuilder<'_>) {
        let mut expected = builder.unknown_expr();
        self.for_each_named_or_unnamed_child(node, builder, |this, child, _, builder| match this.kind_of_node(child) {
            Kind::PropertyIdentifier if component == builder.unknown_expr() => {}
            Kind::PropertyIdentifier => {
                builder.record_occurrence(child, Role::Write, Target::Parameter { callee: component });
                let attributes = builder.add_expr(Expr::Argument { of: component, index: 0 });
                expected = builder.record_member_use(attributes, child, Role::Write);
            }
            _ => {
                match this.first_named_non_comment_child(child, builder).filter(|_| child.kind() == "jsx_expression") {
                    Some(inner) => {
                        this.bind_names_and_get_value(inner, ExprContext::with_expected_value(expected), builder);
                    }
                    None => {
                        this.bind_names_and_get_value(child, ExprContext::READ, builder);
                    }
                }
            }
        });
    }
}
