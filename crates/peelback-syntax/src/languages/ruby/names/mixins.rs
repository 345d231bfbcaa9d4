//! Modules that are mixed into classes: `include`, `extend`, and what the hooks of modules mix in.

use tree_sitter::Node;

use super::super::literals;
use super::{BaseRank, Binder, Kind, SelfKind};
use crate::names::{BindingKind, Expr, ExprId, FILE_SCOPE, NamesBuilder, Role, ScopeKind};

impl<'t> Binder<'t> {
    /// Binds `include A, B` and the like in the body of a class.
    pub(super) fn bind_mixins(&mut self, node: Node<'t>, name: &str, builder: &mut NamesBuilder<'_>) {
        let rank = match name {
            _ if self.frame.defines_on_type => BaseRank::Extended,
            "include" => BaseRank::Included,
            "prepend" => BaseRank::Prepended,
            _ => BaseRank::Extended,
        };
        let mut arguments = literals::arguments_of_call(node);
        // The first of several is asked first.
        arguments.reverse();
        for argument in arguments {
            let base = match self.kind(argument) {
                Kind::Constant | Kind::ScopeResolution => self.bind_constant_use(argument, Role::Type, builder),
                Kind::SelfWord => {
                    let scope = self.frame.members.unwrap_or(FILE_SCOPE);
                    builder.add_expr(Expr::ThisType { scope })
                }
                _ => {
                    self.bind_expression(argument, builder);
                    builder.unknown_expr()
                }
            };
            if let Some(owner) = self.frame.owner {
                self.add_base(owner, rank, base);
            }
        }
    }

    /// Reads what `def self.included(base)` of a module mixes into the classes that include it: `base.extend(A)`.
    pub(super) fn bind_mixins_of_hook(
        &mut self,
        node: Node<'t>,
        base: ExprId,
        name: &str,
        builder: &mut NamesBuilder<'_>,
    ) {
        let (Some(owner), Some(members)) = (self.frame.owner, self.frame.members) else { return };
        let hook = self.frame.method_name.map_or("", |name| builder.names.name_text(name));
        let is_parameter = matches!(builder.names.expr_by_id(base), Expr::Bound { .. });
        if !matches!(hook, "included" | "prepended" | "extended")
            || self.frame.self_kind != SelfKind::Type
            || !is_parameter
        {
            return;
        }
        let mut arguments = literals::arguments_of_call(node);
        let mut word = name.to_owned();
        if name == "send" {
            let Some(first) = arguments.first().copied().and_then(literals::name_range_of_literal) else { return };
            word = builder.source.get(first).unwrap_or("").to_owned();
            arguments.remove(0);
        }
        for argument in arguments {
            if !matches!(self.kind(argument), Kind::Constant | Kind::ScopeResolution) {
                continue;
            }
            let mixin = self.constant_expr(argument, builder);
            match word.as_str() {
                "include" | "prepend" => self.add_base(owner, BaseRank::Included, mixin),
                "extend" if builder.text_of_node(argument) != "ClassMethods" => {
                    let name = builder.intern_constructed_text("ClassMethods");
                    let binding = builder.add_binding(members, BindingKind::Variable, name, argument.start_byte());
                    self.add_value(binding, mixin, builder);
                }
                _ => {}
            }
        }
    }

    /// Binds `class_methods do … end`: the methods of classes that include the module, which are in a module of their own.
    pub(super) fn bind_class_methods(
        &mut self,
        node: Node<'t>,
        method: Node<'t>,
        block: Node<'t>,
        builder: &mut NamesBuilder<'_>,
    ) {
        let Some(members) = self.frame.members else { return };
        let name = builder.intern_constructed_text("ClassMethods");
        let binding = builder.add_binding(members, BindingKind::Type, name, method.start_byte());
        builder.binding_mut(binding).wrapped = true;
        let scope = builder.add_child_scope(self.scope, ScopeKind::Type, node);
        builder.link_binding_and_body_scope(binding, scope);
        self.bind_block_as_type_body(block, scope, Some(binding), builder);
    }
}
