//! Classes and modules, and what makes them without a keyword.

use tree_sitter::Node;

use super::{BaseRank, Binder, Frame, Kind, SelfKind};
use crate::names::{BindingId, BindingKind, ExprId, NamesBuilder, Role, ScopeId, ScopeKind};

impl<'t> Binder<'t> {
    /// Binds `class A < B … end` or `module A … end`.
    pub(super) fn bind_class_or_module(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let Some(name) = self.field(node, self.grammar.name) else { return self.bind_statements(node, builder) };
        let superclass = self.field(node, self.grammar.superclass);
        let (binding, body_scope) = self.bind_type_name(name, self.kind(node) == Kind::Module, node, builder);
        if let Some(superclass) = superclass {
            self.for_each_child(superclass, builder, |binder, base, builder| {
                binder.bind_superclass(base, binding, body_scope, builder);
            });
        }
        if let Some(body) = self.field(node, self.grammar.body) {
            let frame = Self::frame_of_type_body(body_scope, Some(binding));
            self.run_in_body(body_scope, frame, |binder| binder.bind_expression(body, builder));
        }
        builder.unknown_expr()
    }

    /// Binds the name of a class or module, and adds the scope of its members.
    pub(super) fn bind_type_name(
        &mut self,
        name: Node<'t>,
        is_module: bool,
        node: Node<'t>,
        builder: &mut NamesBuilder<'_>,
    ) -> (BindingId, ScopeId) {
        let (holder, name) = self.scope_of_defined_constant(name, builder);
        let binding = builder.add_binding_with_definition(holder, BindingKind::Type, name);
        builder.binding_mut(binding).wrapped = is_module;
        let scope = builder.add_child_scope(self.scope, ScopeKind::Type, node);
        builder.link_binding_and_body_scope(binding, scope);
        let name = builder.binding_mut(binding).name;
        self.types.entry((holder, name)).or_insert(binding);
        (binding, scope)
    }

    pub(super) fn frame_of_type_body(members: ScopeId, owner: Option<BindingId>) -> Frame {
        Frame { self_kind: SelfKind::Type, members: Some(members), owner, is_type_body: true, ..Frame::of_file() }
    }

    fn bind_superclass(
        &mut self,
        base: Node<'t>,
        binding: BindingId,
        members: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        match self.kind(base) {
            Kind::Constant | Kind::ScopeResolution => {
                let expr = self.bind_constant_use(base, Role::Type, builder);
                self.add_base(binding, BaseRank::Superclass, expr);
            }
            // `class Line < Struct.new(:price)`.
            Kind::Call if super::super::literals::maker_of_type(base, builder.source).is_some() => {
                self.bind_call_that_makes_type(base, binding, members, builder);
            }
            // `class Migration < ActiveRecord::Migration[7.0]`.
            Kind::ElementReference => {
                let object = self.field(base, self.grammar.object);
                if let Some(object) = object {
                    let expr = self.bind_constant_use(object, Role::Type, builder);
                    self.add_base(binding, BaseRank::Superclass, expr);
                }
            }
            _ => {
                self.bind_expression(base, builder);
                let unknown = builder.unknown_expr();
                self.add_base(binding, BaseRank::Superclass, unknown);
            }
        }
    }

    /// Adds a base to a class. The first classes of a file come first.
    pub(super) fn add_base(&mut self, binding: BindingId, rank: BaseRank, base: ExprId) {
        let order = u32::try_from(self.bases.len()).unwrap_or(u32::MAX);
        self.bases.push((binding, rank, order, base));
    }

    /// Binds what `Struct.new(:a) do … end`, `Class.new(Base) do … end` and the like define, as the class `binding`.
    pub(super) fn bind_call_that_makes_type(
        &mut self,
        call: Node<'t>,
        binding: BindingId,
        members: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let maker = super::super::literals::maker_of_type(call, builder.source).unwrap_or("");
        if let Some(receiver) = self.field(call, self.grammar.receiver) {
            let expr = self.bind_constant_use(receiver, Role::Read, builder);
            if matches!(maker, "Struct" | "Data") {
                self.add_base(binding, BaseRank::Superclass, expr);
            }
        }
        let arguments = super::super::literals::arguments_of_call(call);
        for (index, argument) in arguments.into_iter().enumerate() {
            if maker == "Class" && index == 0 {
                self.bind_superclass(argument, binding, members, builder);
                continue;
            }
            if matches!(maker, "Struct" | "Data") {
                for written in self.names_in_literal(argument) {
                    let frame = Self::frame_of_type_body(members, Some(binding));
                    self.run_in_body(members, frame, |binder| {
                        binder.bind_attribute(&written, (maker == "Struct", false), builder);
                    });
                }
            }
            self.bind_expression(argument, builder);
        }
        if let Some(block) = self.field(call, self.grammar.block) {
            self.bind_block_as_type_body(block, members, Some(binding), builder);
        }
    }

    /// Binds a block whose code is the body of a class.
    pub(super) fn bind_block_as_type_body(
        &mut self,
        block: Node<'t>,
        members: ScopeId,
        owner: Option<BindingId>,
        builder: &mut NamesBuilder<'_>,
    ) {
        let frame = Self::frame_of_type_body(members, owner);
        let outer_frame = std::mem::replace(&mut self.frame, frame);
        // A block sees the local variables around it.
        self.run_in_scope(members, |binder| binder.bind_block_contents(block, builder));
        self.frame = outer_frame;
    }

    /// Binds `class << self … end`.
    pub(super) fn bind_singleton_class(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let value = self.field(node, self.grammar.value);
        let Some(body) = self.field(node, self.grammar.body) else {
            if let Some(value) = value {
                self.bind_expression(value, builder);
            }
            return builder.unknown_expr();
        };
        let is_self = value.is_some_and(|value| self.kind(value) == Kind::SelfWord);
        if is_self && self.frame.members.is_some() {
            let frame = Frame { defines_on_type: true, is_module_function: false, ..self.frame.clone() };
            let scope = builder.add_child_scope(self.scope, ScopeKind::Block, node);
            self.run_in_body(scope, frame, |binder| binder.bind_expression(body, builder));
            return builder.unknown_expr();
        }
        let target = value.map(|value| match self.kind(value) {
            Kind::Constant | Kind::ScopeResolution => (self.bind_constant_use(value, Role::Read, builder), true),
            _ => (self.bind_expression(value, builder), false),
        });
        let members = match target {
            Some((target, true)) => self.add_extension_scope(target, node, builder),
            _ => builder.add_child_scope(self.scope, ScopeKind::Type, node),
        };
        let on_type = matches!(target, Some((_, true)));
        let frame = Frame { defines_on_type: on_type, ..Self::frame_of_type_body(members, None) };
        self.run_in_body(members, frame, |binder| binder.bind_expression(body, builder));
        builder.unknown_expr()
    }
}
