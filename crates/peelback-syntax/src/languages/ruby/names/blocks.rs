//! Blocks and lambdas: their parameters, and what `self` is inside.

use tree_sitter::Node;

use super::{Binder, Kind, SelfKind};
use crate::names::{BindingKind, ExprId, NamesBuilder, ScopeKind};

impl<'t> Binder<'t> {
    /// Binds a block with this `self`, and returns the value of its last expression.
    pub(super) fn bind_block(
        &mut self,
        block: Node<'t>,
        self_kind: SelfKind,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let scope = builder.add_child_scope(self.scope, ScopeKind::Block, block);
        let outer_kind = std::mem::replace(&mut self.frame.self_kind, self_kind);
        let outer_body = std::mem::replace(&mut self.frame.is_type_body, false);
        let value = self.run_in_scope(scope, |binder| binder.bind_block_contents(block, builder));
        self.frame.self_kind = outer_kind;
        self.frame.is_type_body = outer_body;
        value
    }

    /// Binds the parameters and the body of a block in the current scope.
    pub(super) fn bind_block_contents(&mut self, block: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        if let Some(parameters) = self.field(block, self.grammar.parameters) {
            let mut cursor = parameters.walk();
            let locals: Vec<Node<'t>> = parameters.children_by_field_name("locals", &mut cursor).collect();
            drop(cursor);
            self.bind_parameters(parameters, builder);
            for local in locals {
                let name = builder.name_id_of_node(local);
                if self.kind(local) == Kind::Identifier && self.local(name).is_none() {
                    self.declare_local(local, BindingKind::Variable, builder);
                }
            }
        }
        match self.field(block, self.grammar.body) {
            Some(body) => self.bind_expression(body, builder),
            None => builder.unknown_expr(),
        }
    }

    /// Binds `-> (a) { … }`.
    pub(super) fn bind_lambda(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let scope = builder.add_child_scope(self.scope, ScopeKind::Block, node);
        let self_kind = self.self_kind_in_plain_block();
        let outer_kind = std::mem::replace(&mut self.frame.self_kind, self_kind);
        let outer_body = std::mem::replace(&mut self.frame.is_type_body, false);
        self.run_in_scope(scope, |binder| {
            if let Some(parameters) = binder.field(node, binder.grammar.parameters) {
                binder.bind_parameters(parameters, builder);
            }
            if let Some(body) = binder.field(node, binder.grammar.body) {
                binder.bind_block_contents(body, builder);
            }
        });
        self.frame.self_kind = outer_kind;
        self.frame.is_type_body = outer_body;
        self.object_of_core_class("Proc", builder)
    }

    /// What `self` is in a block of which nothing else is known: in the body of a class, the method that takes it may run it
    /// for an object.
    pub(super) fn self_kind_in_plain_block(&self) -> SelfKind {
        match self.frame.self_kind {
            SelfKind::Type if self.frame.is_type_body => SelfKind::InstanceOrType,
            other => other,
        }
    }

    /// What `self` is in the block of a call of `method`.
    pub(super) fn self_kind_in_block_of(&self, method: &str) -> SelfKind {
        match method {
            "instance_eval" | "instance_exec" | "class_exec" | "module_exec" | "class_eval" | "module_eval" => {
                SelfKind::Unknown
            }
            _ => self.self_kind_in_plain_block(),
        }
    }
}
