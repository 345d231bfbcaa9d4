//! Classes and their members.

use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::{Binder, ExprContext, This};
use crate::names::{BindingId, BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId, ScopeKind};

impl<'t> Binder<'t> {
    pub(super) fn class_declaration(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let binding = match self.child(node, Field::Name, builder) {
            Some(name) => self.bind(self.scope, BindingKind::Type, name, builder),
            None => {
                let unnamed = builder.intern_made("");
                builder.bind_name(self.scope, BindingKind::Type, unnamed, node.start_byte())
            }
        };
        self.class(node, binding, builder);
    }

    /// Reads the class that `binding` describes.
    pub(super) fn class(&mut self, node: Node<'t>, binding: BindingId, builder: &mut NamesBuilder<'_>) {
        let outer = self.scope;
        let (mut bases, mut body) = (Vec::new(), None);
        self.each(node, builder, |this, child, field, builder| match (field, this.kind(child)) {
            (Field::Name, _) => {}
            (_, Kind::TypeParameters) => this.open_type_parameters(child, node, builder),
            (_, Kind::ClassHeritage) => this.heritage(child, &mut bases, builder),
            (_, Kind::ClassBody) => body = Some(child),
            _ => {
                this.value(child, ExprContext::READ, builder);
            }
        });
        Self::set_bases(binding, &bases, builder);
        if let Some(body) = body {
            let scope = self.open(ScopeKind::Type, body, builder);
            builder.own(binding, scope);
            self.class_body(body, scope, builder);
        }
        self.scope = outer;
    }

    /// A type's parameters hold in a block around its members, which becomes the current scope.
    pub(super) fn open_type_parameters(&mut self, node: Node<'t>, around: Node<'t>, builder: &mut NamesBuilder<'_>) {
        self.scope = self.open(ScopeKind::Block, around, builder);
        self.type_parameters(node, self.scope, builder);
    }

    pub(super) fn set_bases(binding: BindingId, bases: &[ExprId], builder: &mut NamesBuilder<'_>) {
        let known: Vec<ExprId> = bases.iter().copied().filter(|base| *base != builder.unknown()).collect();
        if !known.is_empty() {
            builder.binding(binding).bases = builder.list(&known);
        }
    }

    fn heritage(&mut self, node: Node<'t>, bases: &mut Vec<ExprId>, builder: &mut NamesBuilder<'_>) {
        self.each(node, builder, |this, child, _, builder| match this.kind(child) {
            Kind::ExtendsClause => this.extends(child, bases, builder),
            Kind::ImplementsClause => this.each(child, builder, |this, child, _, builder| {
                if child.is_named() {
                    bases.push(this.ty(child, builder));
                }
            }),
            // JavaScript has no clause around the base.
            _ if child.is_named() => bases.push(this.value(child, ExprContext::role(Role::Type), builder)),
            _ => {}
        });
    }

    fn extends(&mut self, node: Node<'t>, bases: &mut Vec<ExprId>, builder: &mut NamesBuilder<'_>) {
        self.each(node, builder, |this, child, field, builder| match field {
            Field::Value => bases.push(this.value(child, ExprContext::role(Role::Type), builder)),
            Field::TypeArguments => {
                let args = this.type_arguments(child, builder);
                if let Some(base) = bases.last_mut() {
                    *base = Self::generic(*base, &args, builder);
                }
            }
            _ => {
                this.value(child, ExprContext::READ, builder);
            }
        });
    }

    fn class_body(&mut self, node: Node<'t>, members: ScopeId, builder: &mut NamesBuilder<'_>) {
        let made = self.fields.len();
        self.each(node, builder, |this, child, _, builder| match this.kind(child) {
            Kind::Method => this.method(child, members, false, builder.unknown(), builder),
            Kind::ClassField => this.field(child, members, builder),
            Kind::StaticBlock => this.static_block(child, members, builder),
            Kind::IndexSignature => this.index_signature(child, members, builder),
            _ => {
                this.value(child, ExprContext::READ, builder);
            }
        });
        for field in self.fields.split_off(made) {
            self.make_field(field, builder);
        }
    }

    /// Binds a field that a method makes, unless the class declares it.
    fn make_field(&mut self, field: super::MadeField<'t>, builder: &mut NamesBuilder<'_>) {
        let name = builder.name(field.name);
        let known = self.bound.get(&(field.scope, name)).copied();
        // In TypeScript a field is declared, if not here then in a base.
        if known.is_some() || self.typescript {
            let receiver = match field.on_type {
                true => builder.expr(Expr::ThisType { scope: field.scope }),
                false => builder.expr(Expr::This { scope: field.scope }),
            };
            builder.use_member(receiver, field.name, Role::Write);
            if let Some(binding) = known {
                self.assign_binding(binding, field.value, builder);
            }
        } else {
            let binding = self.bind(field.scope, BindingKind::Field, field.name, builder);
            builder.binding(binding).on_type = field.on_type;
            builder.binding(binding).private = builder.text(field.name).starts_with('#');
            Self::set_values(binding, &[field.value], builder);
        }
    }

    fn field(&mut self, node: Node<'t>, members: ScopeId, builder: &mut NamesBuilder<'_>) {
        let (mut name, mut annotation, mut value) = (None, None, None);
        let (mut is_static, mut is_private) = (false, false);
        self.each(node, builder, |this, child, field, builder| match (field, this.kind(child)) {
            (Field::Name | Field::Property, _) => name = Some(child),
            (Field::Type, _) => annotation = Some(child),
            (Field::Value, _) => value = Some(child),
            (_, Kind::StaticToken) => is_static = true,
            (_, Kind::Accessibility) => is_private = builder.text(child) == "private",
            _ => {
                this.value(child, ExprContext::READ, builder);
            }
        });
        let name = name.and_then(|name| self.member_name(name, builder));
        let declared = annotation.map_or(builder.unknown(), |node| self.annotation(node, builder));
        let binding = name.map(|name| {
            let binding = self.bind(members, BindingKind::Field, name, builder);
            builder.binding(binding).on_type = is_static;
            builder.binding(binding).private = is_private || builder.text(name).starts_with('#');
            builder.binding(binding).annotation = (declared != builder.unknown()).then_some(declared);
            binding
        });
        let Some(value) = value else { return };
        let this = if is_static { This::Type(members) } else { This::Instance(members) };
        let expected = Self::instance(declared, builder);
        let value = self.with_this(this, |binder| match binder.kind(value) {
            Kind::FunctionExpression => {
                builder.deeper(value, |builder| binder.function_expression(value, this, expected, &[], builder))
            }
            _ => binder.value(value, ExprContext::expected(expected), builder),
        });
        if let Some(binding) = binding {
            Self::set_values(binding, &[value], builder);
        }
    }

    fn static_block(&mut self, node: Node<'t>, members: ScopeId, builder: &mut NamesBuilder<'_>) {
        let scope = self.open(ScopeKind::Function, node, builder);
        let hoist = std::mem::replace(&mut self.hoist, scope);
        self.within(scope, |this| this.with_this(This::Type(members), |this| this.children(node, builder)));
        self.hoist = hoist;
    }
}
