//! Name binding for Rust items and statements.

use tree_sitter::Node;

use super::kinds::{FIELDS, Kind, kind_of_node};
use super::{Binder, saturating_u32};
use crate::languages::rust::calls::{self, MAX_CALL_DEPTH};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId, ScopeKind, Target};

/// The position of an item: its scope, and the type or trait that it belongs to.
#[derive(Clone, Copy)]
struct ItemContext {
    scope: ScopeId,
    /// Whether the item is a member of a type or trait.
    member: bool,
    /// The trait that the enclosing `impl Trait for Type` implements.
    implements: Option<ExprId>,
}

impl Binder {
    /// Binds the statements and items of `node` (a file, a block, a module). Returns the value of the last expression,
    /// if there is one.
    pub fn bind_statements_and_get_value(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'_>,
        scope: ScopeId,
    ) -> ExprId {
        self.bind_statements_in_item_context(builder, node, ItemContext { scope, member: false, implements: None })
    }

    fn bind_statements_in_item_context(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'_>,
        context: ItemContext,
    ) -> ExprId {
        let mut cursor = node.walk();
        let mut attributes = Vec::new();
        let mut value = builder.unknown_expr();
        for child in node.named_children(&mut cursor) {
            match kind_of_node(child) {
                Kind::LineComment | Kind::BlockComment | Kind::Label => {}
                Kind::Attribute | Kind::InnerAttribute => {
                    self.record_attribute_names(builder, child, context.scope);
                    attributes.push(child);
                }
                _ => {
                    value = self.bind_statement_in_item_context(builder, child, context, &attributes);
                    attributes.clear();
                }
            }
        }
        value
    }

    /// Binds a statement in a position where an expression is expected, and returns its value.
    pub fn bind_statement_and_get_value(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'_>,
        scope: ScopeId,
    ) -> ExprId {
        self.bind_statement_in_item_context(builder, node, ItemContext { scope, member: false, implements: None }, &[])
    }

    fn bind_statement_in_item_context(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'_>,
        context: ItemContext,
        attributes: &[Node<'_>],
    ) -> ExprId {
        let scope = context.scope;
        match kind_of_node(node) {
            Kind::Statement => {
                let Some(inner) = node.named_child(0) else { return builder.unknown_expr() };
                if kind_of_node(inner) == Kind::MacroInvocation
                    && self.try_bind_macro_call_items(builder, inner, context)
                {
                    return builder.unknown_expr();
                }
                let value = self.bind_names_and_get_value(builder, inner, scope, Role::Read);
                // An expression without a semicolon is the value of its block.
                return if node.child_count() == 1 { value } else { builder.unknown_expr() };
            }
            Kind::Let => builder.run_with_depth_limit(node, |builder| self.bind_let_statement(builder, node, scope)),
            Kind::Use => self.bind_use_declaration(builder, node, scope),
            Kind::ExternCrate => self.bind_extern_crate(builder, node, scope),
            Kind::Mod => builder
                .run_with_depth_limit(node, |builder| self.bind_module_declaration(builder, node, scope, attributes)),
            Kind::EmptyStatement | Kind::Visibility => {}
            Kind::Function
            | Kind::Signature
            | Kind::Struct
            | Kind::Union
            | Kind::Enum
            | Kind::Trait
            | Kind::Impl
            | Kind::TypeAlias
            | Kind::AssociatedType
            | Kind::Const
            | Kind::Static
            | Kind::ForeignMod
            | Kind::MacroDefinition => {
                builder.run_with_depth_limit(node, |builder| self.bind_item(builder, node, context))
            }
            Kind::MacroInvocation if self.try_bind_macro_call_items(builder, node, context) => {}
            Kind::MacroInvocation => return self.macro_call_value(builder, node, scope, true),
            Kind::Error | Kind::Declarations => {
                return builder.run_with_depth_limit(node, |builder| {
                    self.bind_statements_in_item_context(builder, node, context)
                });
            }
            _ => return self.bind_names_and_get_value(builder, node, scope, Role::Read),
        }
        builder.unknown_expr()
    }

    fn bind_item(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, context: ItemContext) {
        match kind_of_node(node) {
            Kind::Function | Kind::Signature => self.bind_function(builder, node, context),
            Kind::Struct | Kind::Union => self.bind_struct_or_union(builder, node, context.scope),
            Kind::Enum => self.bind_enum(builder, node, context.scope),
            Kind::Trait => self.bind_trait(builder, node, context.scope),
            Kind::Impl => self.bind_impl_block(builder, node, context.scope),
            Kind::TypeAlias | Kind::AssociatedType => self.bind_type_alias_or_associated_type(builder, node, context),
            Kind::Const | Kind::Static => self.bind_constant_or_static(builder, node, context),
            Kind::MacroDefinition => self.bind_macro_definition(builder, node, context.scope),
            _ => {
                if let Some(body) = FIELDS.body.child_of(node) {
                    self.bind_statements_in_item_context(builder, body, context);
                }
            }
        }
    }

    /// Binds the names of the items in a macro call whose tokens parse as items. Returns `false` if they do not.
    fn try_bind_macro_call_items(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        call: Node<'_>,
        context: ItemContext,
    ) -> bool {
        let among_items =
            matches!(builder.scope_kind(context.scope), ScopeKind::File | ScopeKind::Module | ScopeKind::Type);
        if !among_items || self.in_macro_definition || self.parsed_macro_calls >= MAX_CALL_DEPTH {
            return false;
        }
        let Some(tree) = calls::macro_call_token_tree(call) else { return false };
        let items = match calls::parse_macro_call_items(tree, builder.source) {
            Ok(Some(items)) => items,
            Ok(None) => return false,
            Err(_) => {
                builder.record_missed_region(tree);
                return false;
            }
        };
        if let Some(name) = FIELDS.macro_name.child_of(call) {
            self.record_macro_use(builder, name, context.scope);
        }
        self.parsed_macro_calls += 1;
        builder.run_with_depth_limit(call, |builder| {
            self.bind_statements_in_item_context(builder, items.root_node(), context)
        });
        self.parsed_macro_calls -= 1;
        true
    }

    /// Records the name of an item that is declared inside a function in `Binder::local_items`.
    pub fn record_item_if_inside_function(&mut self, builder: &mut NamesBuilder<'_>, name: Node<'_>, scope: ScopeId) {
        if matches!(builder.scope_kind(scope), ScopeKind::Block | ScopeKind::Function | ScopeKind::MacroCall) {
            let name = builder.name_id_of_node(name);
            self.local_items.insert(name);
        }
    }

    /// Records that the item `name` of an `impl Trait for Type` implements the trait's member of the same name.
    fn record_implemented_trait_member(builder: &mut NamesBuilder<'_>, name: Node<'_>, context: ItemContext) {
        if let Some(base) = context.implements {
            let (text, at) = (builder.name_id_of_node(name), saturating_u32(name.start_byte()));
            let member = builder.add_expr(Expr::Member { base, name: text, at });
            builder.record_occurrence(name, Role::Definition, Target::Expr(member));
        }
    }

    fn bind_function(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, context: ItemContext) {
        let name = FIELDS.name.child_of(node).filter(|name| kind_of_node(*name) == Kind::Identifier);
        let body = builder.add_child_scope(context.scope, ScopeKind::Function, node);
        let binding = name.map(|name| {
            self.record_item_if_inside_function(builder, name, context.scope);
            let binding = builder.add_binding_with_definition(context.scope, BindingKind::Function, name);
            Self::record_implemented_trait_member(builder, name, context);
            builder.link_binding_and_body_scope(binding, body);
            binding
        });
        let first = builder.names.bindings.len();
        self.bind_generic_parameters(builder, node, body);
        let (mut has_self, mut types) = (false, Vec::new());
        if let Some(parameters) = FIELDS.parameters.child_of(node) {
            (has_self, types) = self.bind_parameters(builder, parameters, body);
        }
        let types = builder.add_expr_list(&types);
        let return_type =
            FIELDS.return_type.child_of(node).map(|return_type| self.type_expr(builder, return_type, body));
        self.add_where_clause_bounds(builder, node, body, first);
        if let Some(binding) = binding {
            let is_async = is_async_function(builder, node);
            let binding = builder.binding_mut(binding);
            binding.annotation = return_type;
            binding.bases = types;
            binding.on_type = context.member && !has_self;
            binding.wrapped = is_async;
        }
        if let Some(block) = FIELDS.body.child_of(node) {
            let uninitialized = self.uninitialized.len();
            self.return_values.push(Vec::new());
            self.bind_statements_and_get_value(builder, block, body);
            self.return_values.pop();
            self.uninitialized.truncate(uninitialized);
        }
    }

    /// Binds the parameters of a function. Returns whether `self` is among them, and the types of the other parameters.
    pub fn bind_parameters(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'_>,
        scope: ScopeId,
    ) -> (bool, Vec<ExprId>) {
        let mut has_self = false;
        let mut types = Vec::new();
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match kind_of_node(child) {
                Kind::SelfParameter => has_self = true,
                Kind::Parameter | Kind::VariadicParameter => match self.bind_parameter(builder, child, scope, None) {
                    Some(of) => types.push(of),
                    None => has_self = true,
                },
                Kind::Attribute => self.record_attribute_names(builder, child, scope),
                Kind::LineComment | Kind::BlockComment => {}
                _ => types.push(self.type_expr(builder, child, scope)),
            }
        }
        (has_self, types)
    }

    /// Binds one parameter and returns its type, or `None` for `self`. A parameter without a type takes the type of
    /// `value`.
    pub fn bind_parameter(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'_>,
        scope: ScopeId,
        value: Option<ExprId>,
    ) -> Option<ExprId> {
        let of = FIELDS.of_type.child_of(node).map(|of| self.type_expr(builder, of, scope));
        let written = of.unwrap_or(builder.unknown_expr());
        let Some(pattern) = FIELDS.pattern.child_of(node) else { return Some(written) };
        if kind_of_node(pattern) == Kind::SelfWord {
            return None;
        }
        let declared = of.filter(|of| value.is_none() || !self.has_inferred_type_part(builder, *of));
        let value = match declared {
            Some(_) => builder.unknown_expr(),
            None => value.unwrap_or(builder.unknown_expr()),
        };
        self.bind_pattern(builder, pattern, scope, BindingKind::Parameter, declared, value, 0);
        Some(written)
    }

    fn bind_let_statement(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) {
        let value_node = FIELDS.value.child_of(node);
        let value = value_node
            .map_or(builder.unknown_expr(), |value| self.bind_names_and_get_value(builder, value, scope, Role::Read));
        let declared = FIELDS.of_type.child_of(node).map(|of| self.type_expr(builder, of, scope));
        let declared =
            declared.filter(|of| value == builder.unknown_expr() || !self.has_inferred_type_part(builder, *of));
        if let Some(otherwise) = FIELDS.alternative.child_of(node) {
            self.bind_names_and_get_value(builder, otherwise, scope, Role::Read);
        }
        let Some(pattern) = FIELDS.pattern.child_of(node) else { return };
        let first = builder.names.bindings.len();
        let from = saturating_u32(node.end_byte());
        self.bind_pattern(builder, pattern, scope, BindingKind::Variable, declared, value, from);
        if declared.is_none() && value == builder.unknown_expr() && builder.names.bindings.len() == first + 1 {
            self.uninitialized.push(saturating_u32(first));
        }
    }

    /// Opens the scope that contains a type's generic parameters. Without generic parameters, returns `scope` itself.
    fn open_generic_parameter_scope(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'_>,
        scope: ScopeId,
    ) -> ScopeId {
        match FIELDS.type_parameters.child_of(node) {
            Some(_) => {
                let inner = builder.add_child_scope(scope, ScopeKind::Block, node);
                self.bind_generic_parameters(builder, node, inner);
                inner
            }
            None => scope,
        }
    }

    fn bind_struct_or_union(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) {
        let Some(name) = FIELDS.name.child_of(node) else { return };
        self.record_item_if_inside_function(builder, name, scope);
        let binding = builder.add_binding_with_definition(scope, BindingKind::Type, name);
        let first = builder.names.bindings.len();
        let outer = self.open_generic_parameter_scope(builder, node, scope);
        let members = builder.add_child_scope(outer, ScopeKind::Type, node);
        builder.link_binding_and_body_scope(binding, members);
        if let Some(body) = FIELDS.body.child_of(node) {
            self.bind_struct_or_variant_fields(builder, body, members, outer);
        }
        self.add_where_clause_bounds(builder, node, outer, first);
    }

    /// Binds the fields of a struct or an enum variant in the scope `members`. The types of the fields are looked up
    /// from `scope`.
    fn bind_struct_or_variant_fields(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        body: Node<'_>,
        members: ScopeId,
        scope: ScopeId,
    ) {
        let mut cursor = body.walk();
        let mut index = 0;
        for child in body.named_children(&mut cursor) {
            match kind_of_node(child) {
                Kind::Attribute => self.record_attribute_names(builder, child, scope),
                Kind::Visibility | Kind::LineComment | Kind::BlockComment => {}
                Kind::Field => {
                    let Some(name) = FIELDS.name.child_of(child) else { continue };
                    let binding = builder.add_binding_with_definition(members, BindingKind::Field, name);
                    builder.binding_mut(binding).annotation =
                        FIELDS.of_type.child_of(child).map(|of| self.type_expr(builder, of, members));
                }
                _ if kind_of_node(body) == Kind::OrderedFields => {
                    let name = positional_field_name(builder, index);
                    index += 1;
                    let binding = builder.add_binding(members, BindingKind::Field, name, child.start_byte());
                    builder.binding_mut(binding).annotation = Some(self.type_expr(builder, child, members));
                }
                _ => {
                    self.bind_names_and_get_value(builder, child, scope, Role::Read);
                }
            }
        }
    }

    fn bind_enum(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) {
        let Some(name) = FIELDS.name.child_of(node) else { return };
        self.record_item_if_inside_function(builder, name, scope);
        let binding = builder.add_binding_with_definition(scope, BindingKind::Type, name);
        let first = builder.names.bindings.len();
        let outer = self.open_generic_parameter_scope(builder, node, scope);
        let members = builder.add_child_scope(outer, ScopeKind::Type, node);
        builder.link_binding_and_body_scope(binding, members);
        self.add_where_clause_bounds(builder, node, outer, first);
        let Some(body) = FIELDS.body.child_of(node) else { return };
        let mut cursor = body.walk();
        for child in body.named_children(&mut cursor) {
            match kind_of_node(child) {
                Kind::EnumVariant => {
                    let Some(name) = FIELDS.name.child_of(child) else { continue };
                    let variant = builder.add_binding_with_definition(members, BindingKind::EnumMember, name);
                    if let Some(body) = FIELDS.body.child_of(child) {
                        let inside = builder.add_child_scope(members, ScopeKind::Type, child);
                        builder.link_binding_and_body_scope(variant, inside);
                        self.bind_struct_or_variant_fields(builder, body, inside, outer);
                    }
                    if let Some(value) = FIELDS.value.child_of(child) {
                        self.bind_names_and_get_value(builder, value, outer, Role::Read);
                    }
                }
                Kind::Attribute => self.record_attribute_names(builder, child, outer),
                Kind::LineComment | Kind::BlockComment => {}
                _ => {
                    self.bind_names_and_get_value(builder, child, outer, Role::Read);
                }
            }
        }
    }

    fn bind_trait(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) {
        let Some(name) = FIELDS.name.child_of(node) else { return };
        self.record_item_if_inside_function(builder, name, scope);
        let binding = builder.add_binding_with_definition(scope, BindingKind::Type, name);
        let first = builder.names.bindings.len();
        let outer = self.open_generic_parameter_scope(builder, node, scope);
        let members = builder.add_child_scope(outer, ScopeKind::Type, node);
        builder.link_binding_and_body_scope(binding, members);
        if let Some(bounds) = FIELDS.bounds.child_of(node) {
            let bases = self.child_type_exprs(builder, bounds, outer);
            let bases: Vec<ExprId> = bases.into_iter().filter(|base| *base != builder.unknown_expr()).collect();
            let bases = builder.add_expr_list(&bases);
            builder.binding_mut(binding).bases = bases;
        }
        self.add_where_clause_bounds(builder, node, outer, first);
        if let Some(body) = FIELDS.body.child_of(node) {
            self.bind_statements_in_item_context(
                builder,
                body,
                ItemContext { scope: members, member: true, implements: None },
            );
        }
    }

    fn bind_impl_block(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) {
        let first = builder.names.bindings.len();
        let outer = self.open_generic_parameter_scope(builder, node, scope);
        let implements = FIELDS.of_trait.child_of(node).map(|of| self.type_expr(builder, of, outer));
        let members = builder.add_child_scope(outer, ScopeKind::Type, node);
        let target =
            FIELDS.of_type.child_of(node).map_or(builder.unknown_expr(), |of| self.type_expr(builder, of, outer));
        self.add_where_clause_bounds(builder, node, outer, first);
        builder.add_member_extension(target, implements, members);
        if let Some(body) = FIELDS.body.child_of(node) {
            self.bind_statements_in_item_context(
                builder,
                body,
                ItemContext { scope: members, member: true, implements },
            );
        }
    }

    /// Binds the name of `type A = B;` or of an associated type, which may have no aliased type.
    fn bind_type_alias_or_associated_type(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'_>,
        context: ItemContext,
    ) {
        let Some(name) = FIELDS.name.child_of(node) else { return };
        self.record_item_if_inside_function(builder, name, context.scope);
        let binding = builder.add_binding_with_definition(context.scope, BindingKind::TypeAlias, name);
        Self::record_implemented_trait_member(builder, name, context);
        builder.binding_mut(binding).on_type = context.member;
        let first = builder.names.bindings.len();
        let mut outer = self.open_generic_parameter_scope(builder, node, context.scope);
        if context.member && outer == context.scope {
            outer = builder.add_child_scope(outer, ScopeKind::Block, node);
        }
        let bounds = FIELDS.bounds.child_of(node).map(|bounds| self.type_from_bounds(builder, bounds, outer));
        let of = FIELDS.of_type.child_of(node).map(|of| self.type_expr(builder, of, outer));
        builder.binding_mut(binding).annotation = of.or(bounds);
        self.add_where_clause_bounds(builder, node, outer, first);
    }

    fn bind_constant_or_static(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, context: ItemContext) {
        // The type and the value of an associated constant do not see the other members of the type by their bare
        // names.
        let inside = builder.add_child_scope(context.scope, ScopeKind::Block, node);
        let of = FIELDS.of_type.child_of(node).map(|of| self.type_expr(builder, of, inside));
        let value = FIELDS.value.child_of(node).map(|value| {
            self.return_values.push(Vec::new());
            let value = self.bind_names_and_get_value(builder, value, inside, Role::Read);
            self.return_values.pop();
            value
        });
        let Some(name) = FIELDS.name.child_of(node).filter(|name| builder.text_of_node(*name) != "_") else { return };
        self.record_item_if_inside_function(builder, name, context.scope);
        let binding = builder.add_binding_with_definition(context.scope, BindingKind::Variable, name);
        Self::record_implemented_trait_member(builder, name, context);
        let open = of.is_none_or(|of| self.has_inferred_type_part(builder, of));
        let values =
            value.filter(|value| open && *value != builder.unknown_expr()).map(|value| builder.add_expr_list(&[value]));
        let binding = builder.binding_mut(binding);
        binding.on_type = context.member;
        match values {
            Some(values) => binding.values = values,
            None => binding.annotation = of,
        }
    }

    /// Binds the macro name of `macro_rules! a { … }`. Its values are its rules, each as a function. The binding is marked
    /// as wrapped if a rule is missing among these, as its pattern is not understood.
    fn bind_macro_definition(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) {
        let Some(name) = FIELDS.name.child_of(node) else { return };
        self.record_item_if_inside_function(builder, name, scope);
        let binding = builder.add_binding_with_definition(scope, BindingKind::Macro, name);
        let outer = std::mem::replace(&mut self.in_macro_definition, true);
        let (mut rules, mut are_all) = (Vec::new(), true);
        let mut cursor = node.walk();
        for rule in node.named_children(&mut cursor).filter(|child| kind_of_node(*child) == Kind::MacroRule) {
            let function = self.bind_macro_rule(builder, rule, scope);
            are_all &= function.is_some();
            rules.extend(function);
        }
        self.in_macro_definition = outer;
        let values = builder.add_expr_list(&rules);
        let binding = builder.binding_mut(binding);
        binding.values = values;
        binding.wrapped = !are_all;
    }
}

/// The name of a tuple field: its position (`0`, `1`, …).
pub(super) fn positional_field_name(builder: &mut NamesBuilder<'_>, index: usize) -> crate::names::NameId {
    const NAMES: [&str; 12] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"];
    match NAMES.get(index) {
        Some(name) => builder.intern_source_text(name),
        None => builder.intern_constructed_text(&index.to_string()),
    }
}

fn is_async_function(builder: &NamesBuilder<'_>, node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    let modifiers =
        node.named_children(&mut cursor).take(2).find(|child| kind_of_node(*child) == Kind::FunctionModifiers);
    modifiers.is_some_and(|modifiers| builder.text_of_node(modifiers).split_whitespace().any(|word| word == "async"))
}
