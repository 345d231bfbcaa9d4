//! Methods with their parameters, and the names that stand for them.

use tree_sitter::Node;

use super::literals::WrittenName;
use super::{Binder, Frame, Kind, SelfKind};
use crate::names::{BindingId, BindingKind, Expr, ExprId, FILE_SCOPE, NamesBuilder, Role, ScopeId, ScopeKind, Target};

impl<'t> Binder<'t> {
    /// Binds `def a … end` or `def self.a … end`.
    pub(super) fn bind_method(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let Some(name) = self.field(node, self.grammar.name) else { return self.bind_statements(node, builder) };
        let object = self.field(node, self.grammar.object);
        let on_self = object.is_some_and(|object| self.kind(object) == Kind::SelfWord);
        let mut members = self.frame.members;
        let mut owner = self.frame.owner;
        if let Some(object) = object.filter(|_| !on_self) {
            let target = match self.kind(object) {
                Kind::Constant | Kind::ScopeResolution => self.bind_constant_use(object, Role::Read, builder),
                _ => self.bind_expression(object, builder),
            };
            owner = None;
            members = Some(match self.kind(object) {
                Kind::Constant | Kind::ScopeResolution => self.add_extension_scope(target, node, builder),
                _ => builder.add_child_scope(self.scope, ScopeKind::Type, node),
            });
        }
        let has_constant =
            object.is_some_and(|object| matches!(self.kind(object), Kind::Constant | Kind::ScopeResolution));
        let on_type = on_self || has_constant || (object.is_none() && self.frame.defines_on_type);
        let holder = members.unwrap_or(FILE_SCOPE);
        let binding = builder.add_binding_with_definition(holder, BindingKind::Function, name);
        builder.binding_mut(binding).on_type = on_type && members.is_some();
        if self.frame.is_module_function && object.is_none() {
            self.bind_copy_on_type(binding, builder);
        }
        self.bind_method_body(node, binding, (members, owner, on_type), builder);
        self.object_of_core_class("Symbol", builder)
    }

    /// Binds the method of an object as one of the module itself, too.
    fn bind_copy_on_type(&mut self, binding: BindingId, builder: &mut NamesBuilder<'_>) {
        let own = builder.binding_mut(binding).clone();
        let copy = builder.add_binding(own.scope, BindingKind::Function, own.name, own.at as usize);
        builder.binding_mut(copy).on_type = true;
        let value = builder.add_expr(Expr::Bound { binding });
        let call = builder.add_expr(Expr::Call { callee: value });
        self.add_value(copy, call, builder);
    }

    /// Binds the parameters and the body of a method.
    fn bind_method_body(
        &mut self,
        node: Node<'t>,
        binding: BindingId,
        (members, owner, on_type): (Option<ScopeId>, Option<BindingId>, bool),
        builder: &mut NamesBuilder<'_>,
    ) {
        let around = if members == self.frame.members { self.scope } else { members.unwrap_or(self.scope) };
        let scope = builder.add_child_scope(around, ScopeKind::Function, node);
        builder.link_binding_and_body_scope(binding, scope);
        let frame = Frame {
            self_kind: match (members, on_type) {
                (None, false) => SelfKind::Main,
                (None, true) => SelfKind::Main,
                (Some(_), true) => SelfKind::Type,
                (Some(_), false) => SelfKind::Instance,
            },
            members,
            owner,
            method_name: Some(builder.binding_mut(binding).name),
            ..Frame::of_file()
        };
        let parameters = self.field(node, self.grammar.parameters);
        let body = self.field(node, self.grammar.body);
        let (value, frame) = self.run_in_body(scope, frame, |binder| {
            if let Some(parameters) = parameters {
                binder.bind_parameters(parameters, builder);
            }
            body.map_or(builder.unknown_expr(), |body| binder.bind_expression(body, builder))
        });
        for value in frame.returns.into_iter().chain([value]) {
            self.add_value(binding, value, builder);
        }
    }

    /// Binds the parameters in a list, in the current scope.
    pub(super) fn bind_parameters(&mut self, list: Node<'t>, builder: &mut NamesBuilder<'_>) {
        self.for_each_child(list, builder, |binder, parameter, builder| binder.bind_parameter(parameter, builder));
    }

    fn bind_parameter(&mut self, parameter: Node<'t>, builder: &mut NamesBuilder<'_>) {
        match self.kind(parameter) {
            Kind::Identifier => {
                self.declare_local(parameter, BindingKind::Parameter, builder);
            }
            Kind::OptionalParameter | Kind::KeywordParameter => {
                let value = self.field(parameter, self.grammar.value);
                let value = value.map(|value| self.bind_expression(value, builder));
                if let Some(name) = self.field(parameter, self.grammar.name) {
                    let binding = self.declare_local(name, BindingKind::Parameter, builder);
                    if let Some(value) = value {
                        self.add_value(binding, value, builder);
                    }
                }
            }
            Kind::SplatParameter | Kind::HashSplatParameter | Kind::BlockParameter => {
                if let Some(name) = self.field(parameter, self.grammar.name) {
                    let binding = self.declare_local(name, BindingKind::Parameter, builder);
                    let class = match self.kind(parameter) {
                        Kind::SplatParameter => "Array",
                        Kind::HashSplatParameter => "Hash",
                        _ => "Proc",
                    };
                    let value = self.object_of_core_class(class, builder);
                    self.add_value(binding, value, builder);
                }
            }
            Kind::DestructuredParameter => {
                builder.run_with_depth_limit(parameter, |builder| self.bind_parameters(parameter, builder));
            }
            _ => {}
        }
    }

    /// Binds a method that the block of `define_method(:a) { … }` is the body of.
    pub(super) fn bind_method_with_block(
        &mut self,
        written: &WrittenName,
        on_type: bool,
        block: Option<Node<'t>>,
        builder: &mut NamesBuilder<'_>,
    ) {
        let Some(members) = self.frame.members else {
            if let Some(block) = block {
                self.bind_block(block, self.frame.self_kind, builder);
            }
            return;
        };
        let binding = self.bind_written_name(written, BindingKind::Function, on_type, builder);
        let Some(block) = block else { return };
        let scope = builder.add_child_scope(self.scope, ScopeKind::Function, block);
        builder.link_binding_and_body_scope(binding, scope);
        let frame = Frame {
            self_kind: if on_type { SelfKind::Type } else { SelfKind::Instance },
            members: Some(members),
            owner: self.frame.owner,
            method_name: Some(builder.binding_mut(binding).name),
            ..Frame::of_file()
        };
        let outer = std::mem::replace(&mut self.frame, frame);
        let value = self.run_in_scope(scope, |binder| binder.bind_block_contents(block, builder));
        self.frame = outer;
        self.add_value(binding, value, builder);
    }

    /// Binds a member of the class around that a literal names.
    pub(super) fn bind_written_name(
        &mut self,
        written: &WrittenName,
        kind: BindingKind,
        on_type: bool,
        builder: &mut NamesBuilder<'_>,
    ) -> BindingId {
        let name = builder.name_id_of_source_range(written.range.clone());
        let holder = self.frame.members.unwrap_or(FILE_SCOPE);
        let binding = builder.add_binding(holder, kind, name, written.range.start);
        builder.binding_mut(binding).on_type = on_type && self.frame.members.is_some();
        builder.record_occurrence_at_offset(
            name,
            written.range.start,
            written.line,
            Role::Definition,
            Target::Binding(binding),
        );
        binding
    }

    /// Binds an attribute of objects or of the class itself. One without a reader has its name, too.
    pub(super) fn bind_attribute(
        &mut self,
        written: &WrittenName,
        (writer, on_type): (bool, bool),
        builder: &mut NamesBuilder<'_>,
    ) {
        let Some(members) = self.frame.members else { return };
        let text = builder.source.get(written.range.clone()).unwrap_or("").trim_end_matches('?').to_owned();
        if text.is_empty() {
            return;
        }
        let binding = self.bind_written_name(written, BindingKind::Property, on_type, builder);
        let variable = builder.intern_constructed_text(&format!("@{text}"));
        let scope = members;
        let base = builder.add_expr(if on_type { Expr::ThisType { scope } } else { Expr::This { scope } });
        let at = u32::try_from(written.range.start).unwrap_or(u32::MAX);
        let value = builder.add_expr(Expr::Member { base, name: variable, at });
        self.add_value(binding, value, builder);
        if writer {
            let name = builder.intern_constructed_text(&format!("{text}="));
            let writer = builder.add_binding(members, BindingKind::Function, name, written.range.start);
            builder.binding_mut(writer).on_type = on_type;
        }
    }

    /// Binds a method that only calls another one: an alias, a delegate.
    pub(super) fn bind_forwarding_method(
        &mut self,
        written: &WrittenName,
        called: Option<ExprId>,
        builder: &mut NamesBuilder<'_>,
    ) {
        let on_type = self.frame.defines_on_type;
        let binding = self.bind_written_name(written, BindingKind::Function, on_type, builder);
        if let Some(callee) = called {
            let value = builder.add_expr(Expr::Call { callee });
            self.add_value(binding, value, builder);
        }
    }

    /// Binds `alias new old`.
    pub(super) fn bind_alias(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let name = self.field(node, self.grammar.name);
        let old = node.child_by_field_name("alias");
        let written = |node: Node<'t>| {
            let range = super::super::literals::name_range_of_literal(node).unwrap_or_else(|| node.byte_range());
            WrittenName { range, line: crate::names::first_line_number_of_node(node) }
        };
        let (Some(name), Some(old)) = (name, old) else { return builder.unknown_expr() };
        if self.kind(name) == Kind::GlobalVariable {
            return builder.unknown_expr();
        }
        let base = self.object_expr_in_type_body(builder);
        let called = self.record_method_named_by_literal(base, &written(old), Role::Member, builder);
        self.bind_forwarding_method(&written(name), Some(called), builder);
        builder.unknown_expr()
    }

    /// The object whose methods are named in the body of a class: an object of the class, or the class itself.
    pub(super) fn object_expr_in_type_body(&self, builder: &mut NamesBuilder<'_>) -> ExprId {
        let scope = self.scope;
        match (self.frame.members, self.frame.defines_on_type) {
            (None, _) => builder.add_expr(Expr::This { scope: FILE_SCOPE }),
            (Some(_), true) => builder.add_expr(Expr::ThisType { scope }),
            (Some(_), false) => builder.add_expr(Expr::This { scope }),
        }
    }
}
