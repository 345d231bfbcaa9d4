//! Name binding for JavaScript classes and their members.

use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::owners::MemberOwner;
use super::{Binder, ExprContext, This};
use crate::names::{BindingId, BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId, ScopeKind};

impl<'t> Binder<'t> {
    pub(super) fn bind_class_declaration(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let binding = match self.first_child_in_field(node, Field::Name, builder) {
            Some(name) => self.bind_name(self.scope, BindingKind::Type, name, builder),
            None => {
                let unnamed = builder.intern_constructed_text("");
                builder.add_binding(self.scope, BindingKind::Type, unnamed, node.start_byte())
            }
        };
        self.bind_class_parts(node, binding, builder);
    }

    /// Binds the names in the parts of a class: decorators, type parameters, base types and members. `binding` is the
    /// binding of the class.
    pub(super) fn bind_class_parts(&mut self, node: Node<'t>, binding: BindingId, builder: &mut NamesBuilder<'_>) {
        let outer = self.scope;
        let (mut bases, mut body) = (Vec::new(), None);
        self.for_each_named_or_unnamed_child(node, builder, |this, child, field, builder| {
            match (field, this.kind_of_node(child)) {
                (Field::Name, _) => {}
                (_, Kind::TypeParameters) => this.enter_type_parameter_scope(child, node, builder),
                (_, Kind::ClassHeritage) => this.bind_heritage_and_collect_bases(child, &mut bases, builder),
                (_, Kind::ClassBody) => body = Some(child),
                _ => {
                    this.bind_names_and_get_value(child, ExprContext::READ, builder);
                }
            }
        });
        Self::set_known_base_types(binding, &bases, builder);
        if let Some(body) = body {
            let scope = self.add_scope_inside_current(ScopeKind::Type, body, builder);
            builder.link_binding_and_body_scope(binding, scope);
            self.bind_class_body(body, scope, builder);
        }
        self.scope = outer;
    }

    /// Opens a block scope that contains the type parameters of a type and encloses its members, and makes this scope
    /// the current one.
    pub(super) fn enter_type_parameter_scope(
        &mut self,
        node: Node<'t>,
        around: Node<'t>,
        builder: &mut NamesBuilder<'_>,
    ) {
        self.scope = self.add_scope_inside_current(ScopeKind::Block, around, builder);
        self.bind_type_parameters(node, self.scope, builder);
    }

    pub(super) fn set_known_base_types(binding: BindingId, bases: &[ExprId], builder: &mut NamesBuilder<'_>) {
        let known: Vec<ExprId> = bases.iter().copied().filter(|base| *base != builder.unknown_expr()).collect();
        if !known.is_empty() {
            builder.binding_mut(binding).bases = builder.add_expr_list(&known);
        }
    }

    fn bind_heritage_and_collect_bases(
        &mut self,
        node: Node<'t>,
        bases: &mut Vec<ExprId>,
        builder: &mut NamesBuilder<'_>,
    ) {
        self.for_each_named_or_unnamed_child(node, builder, |this, child, _, builder| match this.kind_of_node(child) {
            Kind::ExtendsClause => this.bind_extends_clause_and_collect_base(child, bases, builder),
            Kind::ImplementsClause => {
                this.for_each_named_or_unnamed_child(child, builder, |this, child, _, builder| {
                    if child.is_named() {
                        bases.push(this.type_expr(child, builder));
                    }
                })
            }
            // In JavaScript's grammar the base class has no `extends` clause around it.
            _ if child.is_named() => {
                bases.push(this.bind_names_and_get_value(child, ExprContext::for_role(Role::Type), builder))
            }
            _ => {}
        });
    }

    fn bind_extends_clause_and_collect_base(
        &mut self,
        node: Node<'t>,
        bases: &mut Vec<ExprId>,
        builder: &mut NamesBuilder<'_>,
    ) {
        self.for_each_named_or_unnamed_child(node, builder, |this, child, field, builder| match field {
            Field::Value => {
                bases.push(this.bind_names_and_get_value(child, ExprContext::for_role(Role::Type), builder))
            }
            Field::TypeArguments => {
                let args = this.type_argument_exprs(child, builder);
                if let Some(base) = bases.last_mut() {
                    *base = Self::apply_type_arguments(*base, &args, builder);
                }
            }
            _ => {
                this.bind_names_and_get_value(child, ExprContext::READ, builder);
            }
        });
    }

    fn bind_class_body(&mut self, node: Node<'t>, members: ScopeId, builder: &mut NamesBuilder<'_>) {
        let made = self.assigned_fields.len();
        let first = builder.names.bindings.len();
        self.for_each_named_or_unnamed_child(node, builder, |this, child, _, builder| match this.kind_of_node(child) {
            Kind::Method => this.bind_method_or_accessor(child, members, None, builder.unknown_expr(), builder),
            Kind::ClassField => this.bind_field_definition(child, members, builder),
            Kind::StaticBlock => this.bind_static_block(child, members, builder),
            Kind::IndexSignature => this.bind_index_or_mapped_signature(child, members, builder),
            _ => {
                this.bind_names_and_get_value(child, ExprContext::READ, builder);
            }
        });
        for (binding, member) in (0..).zip(&builder.names.bindings).skip(first) {
            let known =
                self.bound.get(&(members, member.name)).and_then(|known| builder.names.bindings.get(*known as usize));
            if member.scope == members && known.is_some_and(|known| known.on_type != member.on_type) {
                self.bound_on_other_side.entry((members, member.name)).or_insert(binding);
            }
        }
        for field in self.assigned_fields.split_off(made) {
            self.bind_or_record_assigned_field(field, builder);
        }
    }

    /// Binds a field that a method assigns, unless the class declares the field.
    fn bind_or_record_assigned_field(&mut self, field: super::AssignedField<'t>, builder: &mut NamesBuilder<'_>) {
        let name = builder.name_id_of_node(field.name);
        let this = if field.on_type { This::Type(field.scope) } else { This::Instance(field.scope) };
        let owner = MemberOwner { scope: field.scope, on_type: field.on_type, this };
        let known = self.bound_member_of_owner(owner, name, builder);
        // In TypeScript every field is declared, if not in this class then in a base class.
        if known.is_some() || self.typescript {
            let receiver = match field.on_type {
                true => builder.add_expr(Expr::ThisType { scope: field.scope }),
                false => builder.add_expr(Expr::This { scope: field.scope }),
            };
            builder.record_member_use(receiver, field.name, Role::Write);
            if let Some(binding) = known {
                self.record_assigned_value(binding, field.value, builder);
            }
        } else {
            let binding = self.bind_new_member_of_owner(owner, BindingKind::Field, field.name, builder);
            builder.binding_mut(binding).private = builder.text_of_node(field.name).starts_with('#');
            Self::set_binding_values_except_unknown(binding, &[field.value], builder);
        }
    }

    fn bind_field_definition(&mut self, node: Node<'t>, members: ScopeId, builder: &mut NamesBuilder<'_>) {
        let (mut name, mut annotation, mut value) = (None, None, None);
        let (mut is_static, mut is_private) = (false, false);
        self.for_each_named_or_unnamed_child(node, builder, |this, child, field, builder| {
            match (field, this.kind_of_node(child)) {
                (Field::Name | Field::Property, _) => name = Some(child),
                (Field::Type, _) => annotation = Some(child),
                (Field::Value, _) => value = Some(child),
                (_, Kind::StaticToken) => is_static = true,
                (_, Kind::Accessibility) => is_private = builder.text_of_node(child) == "private",
                _ => {
                    this.bind_names_and_get_value(child, ExprContext::READ, builder);
                }
            }
        });
        let name = name.and_then(|name| self.member_name_node(name, builder));
        let declared = annotation.map_or(builder.unknown_expr(), |node| self.type_of_annotation(node, builder));
        let binding = name.map(|name| {
            let binding = self.bind_name(members, BindingKind::Field, name, builder);
            builder.binding_mut(binding).on_type = is_static;
            builder.binding_mut(binding).private = is_private || builder.text_of_node(name).starts_with('#');
            builder.binding_mut(binding).annotation = (declared != builder.unknown_expr()).then_some(declared);
            binding
        });
        let Some(value) = value else { return };
        let this = if is_static { This::Type(members) } else { This::Instance(members) };
        let expected = Self::instance_expr_of_type(declared, builder);
        let value = self.run_with_this_value(this, |binder| match binder.kind_of_node(value) {
            Kind::FunctionExpression => builder.run_with_depth_limit(value, |builder| {
                binder.function_expression_value(value, this, expected, &[], builder)
            }),
            _ => binder.bind_names_and_get_value(value, ExprContext::with_expected_value(expected), builder),
        });
        if let Some(binding) = binding {
            Self::set_binding_values_except_unknown(binding, &[value], builder);
        }
    }

    fn bind_static_block(&mut self, node: Node<'t>, members: ScopeId, builder: &mut NamesBuilder<'_>) {
        let scope = self.add_scope_inside_current(ScopeKind::Function, node, builder);
        let hoist_scope = std::mem::replace(&mut self.hoist_scope, scope);
        self.run_in_scope(scope, |this| {
            this.run_with_this_value(This::Type(members), |this| this.bind_names_in_children(node, builder))
        });
        self.hoist_scope = hoist_scope;
    }
}
