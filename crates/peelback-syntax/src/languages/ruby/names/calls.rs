//! Calls of methods, with and without a receiver.

use tree_sitter::Node;

use super::{Binder, Kind, SelfKind};
use crate::names::{Expr, ExprId, NamesBuilder, Role};

impl<'t> Binder<'t> {
    /// Binds a call, and returns its value.
    pub(super) fn bind_call(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let receiver = self.field(node, self.grammar.receiver);
        let method = self.field(node, self.grammar.method);
        let block = self.field(node, self.grammar.block);
        let Some(method) = method else {
            // `f.()` calls the method `call`.
            if let Some(receiver) = receiver {
                let base = self.bind_expression(receiver, builder);
                let name = builder.intern_constructed_text("call");
                let at = (receiver.end_byte(), crate::names::first_line_number_of_node(node));
                let callee = self.record_member_at(base, name, at, Role::Call, builder);
                self.bind_arguments(node, builder);
                self.bind_block_of_call(block, "call", builder);
                return builder.add_expr(Expr::Call { callee });
            }
            return self.bind_statements(node, builder);
        };
        let name = builder.text_of_node(method);
        let Some(receiver) = receiver else {
            if self.kind(method) == Kind::Super {
                let value = self.bind_super(method, builder);
                self.bind_arguments(node, builder);
                self.bind_block_of_call(block, "super", builder);
                return value;
            }
            if let Some(value) = self.bind_known_call(node, (method, name), block, builder) {
                return value;
            }
            let base = self.self_expr(builder);
            return self.bind_call_of_member(node, base, (method, name), block, builder);
        };
        if super::super::literals::maker_of_type(node, builder.source).is_some() {
            return self.bind_unnamed_type(node, builder);
        }
        let is_constant = matches!(self.kind(receiver), Kind::Constant | Kind::ScopeResolution);
        let base = match is_constant {
            true => self.bind_constant_use(receiver, Role::Read, builder),
            false => self.bind_expression(receiver, builder),
        };
        if let Some(value) = self.bind_known_call_of_member(node, (base, is_constant), name, block, builder) {
            return value;
        }
        let value = self.bind_call_of_member(node, base, (method, name), block, builder);
        // These methods return what they are called on, or a copy of it.
        let returns_receiver = matches!(name, "freeze" | "dup" | "clone" | "tap" | "itself" | "presence" | "extend");
        if returns_receiver && base != builder.unknown_expr() { base } else { value }
    }

    /// Binds the call of a member of `base`, with its arguments and block.
    fn bind_call_of_member(
        &mut self,
        node: Node<'t>,
        base: ExprId,
        (method, name): (Node<'t>, &str),
        block: Option<Node<'t>>,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let id = builder.name_id_of_node(method);
        let callee = self.record_member(base, id, method, Role::Call, builder);
        self.bind_arguments(node, builder);
        self.bind_methods_named_by_arguments(node, base, name, builder);
        let outer = self.frame.described;
        if matches!(name, "describe" | "context")
            && let Some(first) = super::super::literals::arguments_of_call(node).first().copied()
            && matches!(self.kind(first), Kind::Constant | Kind::ScopeResolution)
        {
            self.frame.described = Some(self.constant_expr(first, builder));
        }
        self.bind_block_of_call(block, name, builder);
        self.frame.described = outer;
        builder.add_expr(Expr::Call { callee })
    }

    /// Binds the arguments of a call.
    pub(super) fn bind_arguments(&mut self, call: Node<'t>, builder: &mut NamesBuilder<'_>) {
        if let Some(arguments) = self.field(call, self.grammar.arguments) {
            self.for_each_child(arguments, builder, |binder, argument, builder| {
                binder.bind_expression(argument, builder);
            });
        }
    }

    pub(super) fn bind_block_of_call(&mut self, block: Option<Node<'t>>, method: &str, builder: &mut NamesBuilder<'_>) {
        if let Some(block) = block {
            let self_kind = self.self_kind_in_block_of(method);
            self.bind_block(block, self_kind, builder);
        }
    }

    /// Records the methods that literals name in calls such as `send(:a)`, `method(:a)`, `respond_to?(:a)`.
    fn bind_methods_named_by_arguments(
        &mut self,
        call: Node<'t>,
        base: ExprId,
        name: &str,
        builder: &mut NamesBuilder<'_>,
    ) {
        let takes_method_name = matches!(
            name,
            "send"
                | "public_send"
                | "__send__"
                | "method"
                | "public_method"
                | "instance_method"
                | "respond_to?"
                | "try"
                | "try!"
        );
        if !takes_method_name {
            return;
        }
        let Some(first) = super::super::literals::arguments_of_call(call).first().copied() else { return };
        if matches!(self.kind(first), Kind::SimpleSymbol | Kind::String) {
            for written in self.names_in_literal(first) {
                self.record_method_named_by_literal(base, &written, Role::Member, builder);
            }
        }
    }

    /// Binds `super` and `super(…)`: a call of the method of the same name in a base.
    pub(super) fn bind_super(&mut self, word: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let Some(name) = self.frame.method_name else { return builder.unknown_expr() };
        if !matches!(self.frame.self_kind, SelfKind::Instance | SelfKind::Type) {
            return builder.unknown_expr();
        }
        let base = builder.add_expr(Expr::Super { scope: self.scope });
        let callee = self.record_member(base, name, word, Role::Call, builder);
        builder.add_expr(Expr::Call { callee })
    }

    /// Binds `Class.new(Base) { … }` and the like, where no constant holds what it makes.
    fn bind_unnamed_type(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let scope = builder.add_child_scope(self.scope, crate::names::ScopeKind::Type, node);
        let name = builder.intern_constructed_text("Class.new");
        // No look-up finds the class: it is bound in its own scope.
        let binding = builder.add_binding(scope, crate::names::BindingKind::Type, name, node.start_byte());
        builder.link_binding_and_body_scope(binding, scope);
        let maker = super::super::literals::maker_of_type(node, builder.source);
        builder.binding_mut(binding).wrapped = maker == Some("Module");
        self.bind_call_that_makes_type(node, binding, scope, builder);
        builder.add_expr(Expr::Bound { binding })
    }

    /// Binds `a[i]`, and returns its value.
    pub(super) fn bind_element_reference(
        &mut self,
        node: Node<'t>,
        is_written: bool,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let Some(object) = self.field(node, self.grammar.object) else { return self.bind_statements(node, builder) };
        let base = self.bind_expression(object, builder);
        let name = builder.intern_constructed_text(if is_written { "[]=" } else { "[]" });
        let at = (object.end_byte(), u32::try_from(object.end_position().row).unwrap_or(u32::MAX - 1) + 1);
        let role = if is_written { Role::Write } else { Role::Call };
        let callee = self.record_member_at(base, name, at, role, builder);
        let object_id = object.id();
        self.for_each_child(node, builder, |binder, child, builder| {
            if child.id() != object_id {
                binder.bind_expression(child, builder);
            }
        });
        builder.add_expr(Expr::Call { callee })
    }

    /// Binds a name that is a local variable, or else a call without arguments.
    pub(super) fn bind_identifier(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let name = builder.name_id_of_node(node);
        if let Some(binding) = self.local(name) {
            let expr = builder.add_expr(Expr::Bound { binding });
            builder.record_occurrence(node, Role::Read, crate::names::Target::Expr(expr));
            return expr;
        }
        let text = builder.text_of_node(node);
        if self.frame.is_type_body {
            match text {
                "module_function" => self.frame.is_module_function = true,
                "private" | "public" | "protected" => self.frame.is_module_function = false,
                _ => {}
            }
        }
        if text == "described_class"
            && let Some(described) = self.frame.described
        {
            return described;
        }
        if matches!(text, "block_given?" | "__method__" | "__dir__" | "binding") {
            return builder.unknown_expr();
        }
        let base = self.self_expr(builder);
        let callee = self.record_member(base, name, node, Role::Call, builder);
        builder.add_expr(Expr::Call { callee })
    }
}
