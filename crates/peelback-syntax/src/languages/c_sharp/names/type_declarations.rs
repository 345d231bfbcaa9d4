//! Name binding of C#'s type declarations: classes, structs, records, interfaces, enums and delegates.

use tree_sitter::Node;

use super::functions::Modifiers;
use super::{Binder, Kind, offset};
use crate::names::{
    BindingId, BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId, ScopeKind, Target, first_line_number_of_node,
};

/// The limit on the number of bindings between a type parameter and the clause that bounds it.
const MAX_BINDINGS_AHEAD: usize = 500;

/// The type whose members are bound.
#[derive(Debug, Clone, Copy)]
pub(super) struct TypeOwner {
    pub binding: BindingId,
    pub is_interface: bool,
}

impl<'t> Binder<'t> {
    pub(super) fn is_type_declaration(&self, node: Node<'t>) -> bool {
        matches!(
            self.kind(node),
            Kind::ClassDeclaration
                | Kind::StructDeclaration
                | Kind::RecordDeclaration
                | Kind::InterfaceDeclaration
                | Kind::EnumDeclaration
                | Kind::DelegateDeclaration
        )
    }

    /// Binds a type and its members.
    pub(super) fn bind_type_declaration(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let modifiers = self.bind_modifiers(node, scope, builder);
        let Some(name) = self.field(node, self.grammar.name).filter(|name| self.kind(*name) == Kind::Identifier) else {
            return;
        };
        let binding = self.bind_name(scope, BindingKind::Type, name, builder);
        let is_member = builder.scope_kind(scope) == ScopeKind::Type;
        let declared = builder.binding_mut(binding);
        declared.private = modifiers.is_private;
        declared.on_type = is_member;
        declared.wrapped = modifiers.is_partial;
        let around = match self.child_of_kind(node, Kind::TypeParameterList) {
            Some(list) => {
                let around = builder.add_child_scope(scope, ScopeKind::Block, node);
                self.bind_type_parameters(list, around, builder);
                around
            }
            None => scope,
        };
        self.bind_constraints(node, around, builder);
        let body = self.field(node, self.grammar.body);
        let members = match body {
            Some(body) => builder.add_child_scope(around, ScopeKind::Type, body),
            None => builder.add_child_scope_for_bytes(around, ScopeKind::Type, node.end_byte()..node.end_byte()),
        };
        builder.link_binding_and_body_scope(binding, members);
        let owner = TypeOwner { binding, is_interface: self.kind(node) == Kind::InterfaceDeclaration };
        if self.kind(node) == Kind::DelegateDeclaration {
            self.bind_delegate(node, members, builder);
            return;
        }
        let primary = self.child_of_kind(node, Kind::ParameterList).map(|list| {
            let is_record = self.kind(node) == Kind::RecordDeclaration;
            self.bind_primary_constructor(list, (members, is_record), (binding, name), builder)
        });
        if let Some(list) = self.child_of_kind(node, Kind::BaseList) {
            self.bind_bases(list, binding, (around, primary.unwrap_or(around)), builder);
        }
        if self.kind(node) == Kind::EnumDeclaration {
            let base = self.known_type("Enum", builder);
            builder.binding_mut(binding).bases = builder.add_expr_list(&[base]);
        }
        if let Some(body) = body {
            self.bind_members(body, members, owner, builder);
        }
    }

    /// Binds the list of bases. The arguments for the constructor of the base see the parameters in `inside`.
    fn bind_bases(
        &mut self,
        list: Node<'t>,
        binding: BindingId,
        (around, inside): (ScopeId, ScopeId),
        builder: &mut NamesBuilder<'_>,
    ) {
        let mut bases = Vec::new();
        self.for_each_child(list, builder, |binder, child, builder| match binder.kind(child) {
            Kind::ArgumentList => {
                let callee = bases.last().map(|(of, node)| binder.constructor_use(*of, *node, Role::Call, builder));
                let callee = callee.flatten().unwrap_or(builder.unknown_expr());
                binder.bind_call_arguments(Some(child), callee, inside, builder);
            }
            Kind::PrimaryConstructorBaseType => {
                let Some(written) = binder.field(child, binder.grammar.r#type) else { return };
                let of = binder.type_expr(written, around, builder);
                bases.push((of, written));
                let callee = binder.constructor_use(of, written, Role::Call, builder).unwrap_or(builder.unknown_expr());
                let arguments = binder.child_of_kind(child, Kind::ArgumentList);
                binder.bind_call_arguments(arguments, callee, inside, builder);
            }
            _ => bases.push((binder.type_expr(child, around, builder), child)),
        });
        let bases: Vec<ExprId> =
            bases.into_iter().map(|(of, _)| of).filter(|of| *of != builder.unknown_expr()).collect();
        builder.binding_mut(binding).bases = builder.add_expr_list(&bases);
    }

    /// Binds the parameters behind the name of a type: those of its constructor, which all members see. A record has a
    /// property for each. Returns the scope of the constructor.
    fn bind_primary_constructor(
        &mut self,
        list: Node<'t>,
        (members, is_record): (ScopeId, bool),
        (owner, name): (BindingId, Node<'t>),
        builder: &mut NamesBuilder<'_>,
    ) -> ScopeId {
        let (text, at) = self.name_of_identifier(name, builder);
        let constructor = builder.add_binding(members, BindingKind::Function, text, at);
        let scope = builder.add_child_scope(members, ScopeKind::Function, list);
        builder.link_binding_and_body_scope(constructor, scope);
        let made = builder.add_expr(Expr::Bound { binding: owner });
        let binding = builder.binding_mut(constructor);
        binding.annotation = Some(made);
        binding.on_type = true;
        binding.constant = true;
        let types = self.bind_parameters(list, scope, builder);
        builder.binding_mut(constructor).bases = builder.add_expr_list(&types);
        let kind = if is_record { BindingKind::Property } else { BindingKind::Field };
        for (parameter, of) in self.parameter_names(list, builder).into_iter().zip(types) {
            let (text, at) = self.name_of_identifier(parameter, builder);
            let property = builder.add_binding(members, kind, text, at);
            builder.binding_mut(property).annotation = Some(of);
            builder.binding_mut(property).private = !is_record;
            let line = first_line_number_of_node(parameter);
            builder.record_occurrence_at_offset(text, at, line, Role::Definition, Target::Binding(property));
        }
        scope
    }

    fn parameter_names(&mut self, list: Node<'t>, builder: &mut NamesBuilder<'_>) -> Vec<Node<'t>> {
        let mut names = Vec::new();
        self.for_each_child(list, builder, |binder, parameter, _| {
            if binder.kind(parameter) == Kind::Parameter {
                names.extend(binder.field(parameter, binder.grammar.name));
            }
        });
        names.extend(self.field(list, self.grammar.name));
        names
    }

    /// Binds a delegate: a type with the method `Invoke`.
    fn bind_delegate(&mut self, node: Node<'t>, members: ScopeId, builder: &mut NamesBuilder<'_>) {
        let name = builder.intern_constructed_text("Invoke");
        let invoke = builder.add_binding(members, BindingKind::Function, name, node.end_byte());
        let scope = builder.add_child_scope(members, ScopeKind::Function, node);
        builder.link_binding_and_body_scope(invoke, scope);
        if let Some(written) = self.field(node, self.grammar.r#type) {
            let of = self.type_expr(written, members, builder);
            builder.binding_mut(invoke).annotation = Some(of);
        }
        builder.binding_mut(invoke).constant = true;
        if let Some(list) = self.field(node, self.grammar.parameters) {
            let types = self.bind_parameters(list, scope, builder);
            builder.binding_mut(invoke).bases = builder.add_expr_list(&types);
        }
    }

    pub(super) fn bind_type_parameters(&mut self, list: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.for_each_child(list, builder, |binder, parameter, builder| {
            binder.bind_attributes_in(parameter, scope, builder);
            if let Some(name) = binder.field(parameter, binder.grammar.name) {
                binder.bind_name(scope, BindingKind::TypeParameter, name, builder);
            }
        });
    }

    /// Binds the clauses with `where` of a declaration: the bounds of its type parameters, which are in `scope`.
    pub(super) fn bind_constraints(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.for_each_child(node, builder, |binder, clause, builder| {
            if binder.kind(clause) != Kind::TypeParameterConstraintsClause {
                return;
            }
            let mut bounds = Vec::new();
            let mut of = None;
            binder.for_each_child(clause, builder, |binder, part, builder| match binder.kind(part) {
                Kind::Identifier => of = Some(part),
                _ => {
                    if let Some(written) = binder.field(part, binder.grammar.r#type) {
                        bounds.push(binder.type_expr(written, scope, builder));
                    }
                }
            });
            let Some(of) = of else { return };
            let (name, at) = binder.name_of_identifier(of, builder);
            let bound = builder.expr_of_possible_values(bounds);
            let named = builder.add_expr(Expr::Name { name, scope, at: offset(at) });
            let line = first_line_number_of_node(of);
            builder.record_occurrence_at_offset(name, at, line, Role::Type, Target::Expr(named));
            if bound == builder.unknown_expr() {
                return;
            }
            // The parameters of a declaration are among its first bindings: the last one of the name is meant.
            let first = builder.names.bindings.len().saturating_sub(MAX_BINDINGS_AHEAD);
            let near = builder.names.bindings.get(first..).unwrap_or(&[]);
            let parameter = near.iter().rposition(|binding| {
                binding.scope == scope && binding.name == name && binding.kind == BindingKind::TypeParameter
            });
            if let Some(id) = parameter.and_then(|at| u32::try_from(first + at).ok()) {
                builder.binding_mut(id).annotation = Some(bound);
            }
        });
    }

    /// Binds the attributes among the children of a node, and returns what its modifiers say.
    pub(super) fn bind_modifiers(
        &mut self,
        declaration: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> Modifiers {
        let mut found = Modifiers::default();
        self.for_each_child(declaration, builder, |binder, child, builder| match binder.kind(child) {
            Kind::Modifier => match builder.text_of_node(child) {
                "static" => found.is_static = true,
                "const" => found.is_constant = true,
                "private" => found.is_private = true,
                "partial" => found.is_partial = true,
                "this" => found.is_this = true,
                _ => {}
            },
            Kind::AttributeList => binder.bind_attributes_in(child, scope, builder),
            _ => {}
        });
        found
    }

    /// Binds the attributes in a list of them, or in the lists among the children of a node.
    pub(super) fn bind_attributes_in(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.for_each_child(node, builder, |binder, child, builder| match binder.kind(child) {
            Kind::Attribute => binder.bind_attribute(child, scope, builder),
            Kind::AttributeList | Kind::PreprocIf => {
                builder.run_with_depth_limit(child, |builder| binder.bind_attributes_in(child, scope, builder));
            }
            _ => {}
        });
    }

    /// Binds an attribute: `[Foo]` means the type `FooAttribute`, else `Foo`.
    fn bind_attribute(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let Some(written) = self.field(node, self.grammar.name) else { return };
        let (of, constructor) = self.attribute_type_expr(written, scope, builder);
        let list = self.child_of_kind(node, Kind::AttributeArgumentList);
        let mut values = Vec::new();
        let arguments = list.map_or_else(Vec::new, |list| self.children(list, builder));
        for argument in arguments {
            let binder = &mut *self;
            let name = binder.field(argument, binder.grammar.name);
            let value = binder.last_child(argument, builder).filter(|value| Some(*value) != name);
            if let Some(name) = name.filter(|_| binder.has_token(argument, "=")) {
                let made = builder.add_expr(Expr::Instance { of });
                binder.use_member(made, name, Role::Write, builder);
                if let Some(value) = value {
                    binder.value(value, scope, builder);
                }
            } else if let Some(value) = value {
                values.push(binder.value(value, scope, builder));
            }
        }
        // An attribute calls a constructor of its type.
        if let Some((constructor, alternatives)) = constructor {
            let values = builder.add_expr_list(&values);
            for callee in alternatives.into_iter().chain([constructor]) {
                builder.names.call_arguments.push((callee, values));
            }
        }
    }

    /// The type that an attribute names, and the constructor that it calls: an expression that is one of two alternatives.
    fn attribute_type_expr(
        &mut self,
        written: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> (ExprId, Option<(ExprId, [ExprId; 2])>) {
        let (base, last) = match self.kind(written) {
            Kind::QualifiedName => {
                let base = self.field(written, self.grammar.qualifier).map(|of| self.type_expr(of, scope, builder));
                (base, self.field(written, self.grammar.name))
            }
            Kind::AliasQualifiedName => (None, self.field(written, self.grammar.name)),
            _ => (None, Some(written)),
        };
        let Some(last) = last else { return (builder.unknown_expr(), None) };
        let Some(name_node) = self.identifier_of_simple_name(last) else { return (builder.unknown_expr(), None) };
        let (name, at) = self.name_of_identifier(name_node, builder);
        let long = format!("{}Attribute", builder.names.name_text(name));
        let long = builder.intern_constructed_text(&long);
        let mut expr_of = |name| match base {
            Some(base) => builder.add_expr(Expr::Member { base, name, at: offset(at) }),
            None => {
                let expr = builder.add_expr(Expr::Name { name, scope, at: offset(at) });
                builder.names.restricted_names.push((expr, crate::names::RestrictedNameKind::Type));
                expr
            }
        };
        let (value, other) = (expr_of(long), expr_of(name));
        let either = builder.add_expr(Expr::Fallback { value, other });
        let line = first_line_number_of_node(name_node);
        builder.record_occurrence_at_offset(name, at, line, Role::Decorator, Target::Expr(either));
        if self.kind(last) == Kind::GenericName {
            self.with_type_arguments(last, value, scope, builder);
            let count = builder.names.type_argument_counts.last().copied();
            builder.names.type_argument_counts.extend(count.map(|(_, count)| (other, count)));
        }
        let mut constructor_of = |base, name| builder.add_expr(Expr::Member { base, name, at: offset(at) });
        let alternatives = [constructor_of(value, long), constructor_of(other, name)];
        let constructor = builder.add_expr(Expr::Fallback { value: alternatives[0], other: alternatives[1] });
        builder.record_occurrence_at_offset(name, at, line, Role::Decorator, Target::Expr(constructor));
        (either, Some((constructor, alternatives)))
    }
}
