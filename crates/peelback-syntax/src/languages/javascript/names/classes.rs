//! Classes and their members.

use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::{Binder, This, Want};
use crate::names::{BindingId, BindingKind, Cx, Expr, ExprId, Role, ScopeId, ScopeKind};

impl<'t> Binder<'t> {
    pub(super) fn class_declaration(&mut self, node: Node<'t>, cx: &mut Cx<'_>) {
        let binding = match self.child(node, Field::Name, cx) {
            Some(name) => self.bind(self.scope, BindingKind::Type, name, cx),
            None => {
                let unnamed = cx.intern_made("");
                cx.bind_name(self.scope, BindingKind::Type, unnamed, node.start_byte())
            }
        };
        self.class(node, binding, cx);
    }

    /// Reads the class that `binding` describes.
    pub(super) fn class(&mut self, node: Node<'t>, binding: BindingId, cx: &mut Cx<'_>) {
        let outer = self.scope;
        let (mut bases, mut body) = (Vec::new(), None);
        self.each(node, cx, |this, child, field, cx| match (field, this.kind(child)) {
            (Field::Name, _) => {}
            (_, Kind::TypeParameters) => this.open_type_parameters(child, node, cx),
            (_, Kind::ClassHeritage) => this.heritage(child, &mut bases, cx),
            (_, Kind::ClassBody) => body = Some(child),
            _ => {
                this.value(child, Want::READ, cx);
            }
        });
        Self::set_bases(binding, &bases, cx);
        if let Some(body) = body {
            let scope = self.open(ScopeKind::Type, body, cx);
            cx.own(binding, scope);
            self.class_body(body, scope, cx);
        }
        self.scope = outer;
    }

    /// A type's parameters hold in a block around its members, which becomes the current scope.
    pub(super) fn open_type_parameters(&mut self, node: Node<'t>, around: Node<'t>, cx: &mut Cx<'_>) {
        self.scope = self.open(ScopeKind::Block, around, cx);
        self.type_parameters(node, self.scope, cx);
    }

    pub(super) fn set_bases(binding: BindingId, bases: &[ExprId], cx: &mut Cx<'_>) {
        let known: Vec<ExprId> = bases.iter().copied().filter(|base| *base != cx.unknown()).collect();
        if !known.is_empty() {
            cx.binding(binding).bases = cx.list(&known);
        }
    }

    fn heritage(&mut self, node: Node<'t>, bases: &mut Vec<ExprId>, cx: &mut Cx<'_>) {
        self.each(node, cx, |this, child, _, cx| match this.kind(child) {
            Kind::ExtendsClause => this.extends(child, bases, cx),
            Kind::ImplementsClause => this.each(child, cx, |this, child, _, cx| {
                if child.is_named() {
                    bases.push(this.ty(child, cx));
                }
            }),
            // JavaScript has no clause around the base.
            _ if child.is_named() => bases.push(this.value(child, Want::role(Role::Type), cx)),
            _ => {}
        });
    }

    fn extends(&mut self, node: Node<'t>, bases: &mut Vec<ExprId>, cx: &mut Cx<'_>) {
        self.each(node, cx, |this, child, field, cx| match field {
            Field::Value => bases.push(this.value(child, Want::role(Role::Type), cx)),
            Field::TypeArguments => {
                let args = this.type_arguments(child, cx);
                if let Some(base) = bases.last_mut() {
                    *base = Self::generic(*base, &args, cx);
                }
            }
            _ => {
                this.value(child, Want::READ, cx);
            }
        });
    }

    fn class_body(&mut self, node: Node<'t>, members: ScopeId, cx: &mut Cx<'_>) {
        let made = self.fields.len();
        self.each(node, cx, |this, child, _, cx| match this.kind(child) {
            Kind::Method => this.method(child, members, false, cx.unknown(), cx),
            Kind::ClassField => this.field(child, members, cx),
            Kind::StaticBlock => this.static_block(child, members, cx),
            Kind::IndexSignature => this.index_signature(child, members, cx),
            _ => {
                this.value(child, Want::READ, cx);
            }
        });
        for field in self.fields.split_off(made) {
            self.make_field(field, cx);
        }
    }

    /// Binds a field that a method makes, unless the class declares it.
    fn make_field(&mut self, field: super::MadeField<'t>, cx: &mut Cx<'_>) {
        let name = cx.name(field.name);
        let known = self.bound.get(&(field.scope, name)).copied();
        // In TypeScript a field is declared, if not here then in a base.
        if known.is_some() || self.typescript {
            let receiver = match field.on_type {
                true => cx.expr(Expr::ThisType { scope: field.scope }),
                false => cx.expr(Expr::This { scope: field.scope }),
            };
            cx.use_member(receiver, field.name, Role::Write);
            if let Some(binding) = known {
                self.assign_binding(binding, field.value, cx);
            }
        } else {
            let binding = self.bind(field.scope, BindingKind::Field, field.name, cx);
            cx.binding(binding).on_type = field.on_type;
            cx.binding(binding).private = cx.text(field.name).starts_with('#');
            Self::set_values(binding, &[field.value], cx);
        }
    }

    fn field(&mut self, node: Node<'t>, members: ScopeId, cx: &mut Cx<'_>) {
        let (mut name, mut annotation, mut value) = (None, None, None);
        let (mut is_static, mut is_private) = (false, false);
        self.each(node, cx, |this, child, field, cx| match (field, this.kind(child)) {
            (Field::Name | Field::Property, _) => name = Some(child),
            (Field::Type, _) => annotation = Some(child),
            (Field::Value, _) => value = Some(child),
            (_, Kind::StaticToken) => is_static = true,
            (_, Kind::Accessibility) => is_private = cx.text(child) == "private",
            _ => {
                this.value(child, Want::READ, cx);
            }
        });
        let name = name.and_then(|name| self.member_name(name, cx));
        let declared = annotation.map_or(cx.unknown(), |node| self.annotation(node, cx));
        let binding = name.map(|name| {
            let binding = self.bind(members, BindingKind::Field, name, cx);
            cx.binding(binding).on_type = is_static;
            cx.binding(binding).private = is_private || cx.text(name).starts_with('#');
            cx.binding(binding).annotation = (declared != cx.unknown()).then_some(declared);
            binding
        });
        let Some(value) = value else { return };
        let this = if is_static { This::Type(members) } else { This::Instance(members) };
        let expected = Self::instance(declared, cx);
        let value = self.with_this(this, |binder| match binder.kind(value) {
            Kind::FunctionExpression => {
                cx.deeper(value, |cx| binder.function_expression(value, this, expected, &[], cx))
            }
            _ => binder.value(value, Want::expected(expected), cx),
        });
        if let Some(binding) = binding {
            Self::set_values(binding, &[value], cx);
        }
    }

    fn static_block(&mut self, node: Node<'t>, members: ScopeId, cx: &mut Cx<'_>) {
        let scope = self.open(ScopeKind::Function, node, cx);
        let hoist = std::mem::replace(&mut self.hoist, scope);
        self.within(scope, |this| this.with_this(This::Type(members), |this| this.children(node, cx)));
        self.hoist = hoist;
    }
}
