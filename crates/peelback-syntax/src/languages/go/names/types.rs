//! Type declarations and type expressions.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{BindingId, BindingKind, Expr, ExprId, FILE_SCOPE, NamesBuilder, Role, ScopeId, ScopeKind};

impl<'t> Binder<'t> {
    /// Binds `T …` or `T = …` after `type`.
    pub(super) fn bind_type_spec(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let Some(name) = self.child_in_field(node, self.grammar.name) else { return };
        let alias = self.grammar.kind(node) == Kind::TypeAlias;
        let kind = if alias { BindingKind::TypeAlias } else { BindingKind::Type };
        let binding = if scope == FILE_SCOPE {
            builder.bind(scope, kind, name)
        } else {
            self.record_indexed_type(node, builder);
            // A local type is visible inside its own definition.
            self.bind_local(name, kind, scope, name.start_byte(), builder)
        };
        let around = match self.child_in_field(node, self.grammar.type_parameters) {
            Some(parameters) => {
                let around = builder.scope(scope, ScopeKind::Block, node);
                self.bind_type_parameters(parameters, around, builder);
                around
            }
            None => scope,
        };
        let Some(written) = self.child_in_field(node, self.grammar.r#type) else { return };
        match self.grammar.kind(written) {
            Kind::StructType | Kind::InterfaceType if !alias => {
                let members = builder.scope(around, ScopeKind::Type, written);
                builder.own(binding, members);
                let bases = self.bind_type_members(written, members, around, builder);
                builder.binding(binding).bases = builder.list(&bases);
            }
            _ => {
                let meant = self.type_expr(written, around, builder);
                if alias {
                    builder.binding(binding).annotation = Some(meant);
                } else {
                    let members = builder.scope(around, ScopeKind::Type, written);
                    builder.own(binding, members);
                    // A type has the members of its underlying type: elements, call results and fields.
                    builder.binding(binding).bases = builder.list(&[meant]);
                }
            }
        }
    }

    pub(super) fn bind_type_parameters(&mut self, list: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.for_each_child(list, builder, |binder, declaration, builder| {
            let mut type_parameters: Vec<BindingId> = Vec::new();
            let mut bound = None;
            binder.for_each_child(declaration, builder, |binder, part, builder| match binder.grammar.kind(part) {
                Kind::Identifier => type_parameters.push(builder.bind(scope, BindingKind::TypeParameter, part)),
                _ => bound = Some(binder.type_expr(part, scope, builder)),
            });
            for parameter in type_parameters {
                builder.binding(parameter).annotation = bound;
            }
        });
    }

    /// Binds the members of a struct or an interface in `members`, and returns the embedded types. Types are looked up
    /// from `around`.
    fn bind_type_members(
        &mut self,
        node: Node<'t>,
        members: ScopeId,
        around: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> Vec<ExprId> {
        let mut bases = Vec::new();
        self.for_each_child(node, builder, |binder, child, builder| {
            builder.deeper(child, |builder| match binder.grammar.kind(child) {
                Kind::FieldDeclarationList | Kind::Error => {
                    let inner = binder.bind_type_members(child, members, around, builder);
                    bases.extend(inner);
                }
                Kind::FieldDeclaration => binder.bind_field_declaration(child, members, around, &mut bases, builder),
                Kind::MethodElem => binder.bind_interface_method(child, members, around, builder),
                Kind::TypeElem | Kind::TypeConstraint => {
                    let embedded = binder.type_expr(child, around, builder);
                    bases.push(embedded);
                }
                _ => {
                    binder.expression_value(child, around, Role::Read, builder);
                }
            });
        });
        bases.retain(|base| *base != builder.unknown());
        bases
    }

    fn bind_field_declaration(
        &mut self,
        node: Node<'t>,
        members: ScopeId,
        around: ScopeId,
        bases: &mut Vec<ExprId>,
        builder: &mut NamesBuilder<'_>,
    ) {
        let Some(written) = self.child_in_field(node, self.grammar.r#type) else { return };
        let declared = self.type_expr(written, around, builder);
        let mut named = false;
        self.for_each_child(node, builder, |binder, name, builder| {
            if binder.grammar.kind(name) == Kind::FieldIdentifier {
                named = true;
                if builder.text(name) != "_" {
                    let field = builder.bind(members, BindingKind::Field, name);
                    builder.binding(field).annotation = Some(declared);
                }
            }
        });
        if !named {
            if let Some(name) = self.embedded_field_name(written) {
                let field = builder.bind(members, BindingKind::Field, name);
                builder.binding(field).annotation = Some(declared);
            }
            bases.push(declared);
        }
    }

    fn bind_interface_method(
        &mut self,
        node: Node<'t>,
        members: ScopeId,
        around: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let Some(name) = self.child_in_field(node, self.grammar.name) else { return };
        let method = builder.bind(members, BindingKind::Function, name);
        let scope = builder.scope(around, ScopeKind::Function, node);
        builder.own(method, scope);
        self.bind_signature(node, scope, method, builder);
    }

    /// The node that names an embedded field: the type's name without package and type arguments.
    fn embedded_field_name(&self, mut written: Node<'t>) -> Option<Node<'t>> {
        loop {
            written = match self.grammar.kind(written) {
                Kind::TypeIdentifier => return Some(written),
                Kind::QualifiedType => self.child_in_field(written, self.grammar.name)?,
                Kind::GenericType => self.child_in_field(written, self.grammar.r#type)?,
                Kind::PointerType | Kind::ParenthesizedType => self.first_code_child(written)?,
                _ => return None,
            };
        }
    }

    /// The expression for the type in `node`.
    pub(super) fn type_expr(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.grammar.kind(node) {
            Kind::TypeIdentifier | Kind::Identifier => {
                if builder.text(node) == "_" {
                    return builder.unknown();
                }
                builder.use_name(node, scope, Role::Type)
            }
            Kind::QualifiedType => {
                let (package, name) =
                    (self.child_in_field(node, self.grammar.package), self.child_in_field(node, self.grammar.name));
                let (Some(package), Some(name)) = (package, name) else { return builder.unknown() };
                let package = builder.use_name(package, scope, Role::Read);
                builder.use_member(package, name, Role::Type)
            }
            _ => builder.deeper(node, |builder| self.compound_type_expr(node, scope, builder)),
        }
    }

    /// The expression for a type that contains other types.
    fn compound_type_expr(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.grammar.kind(node) {
            Kind::PointerType | Kind::ParenthesizedType | Kind::NegatedType => match self.first_code_child(node) {
                Some(inner) => self.type_expr(inner, scope, builder),
                None => builder.unknown(),
            },
            Kind::GenericType => {
                let base = match self.child_in_field(node, self.grammar.r#type) {
                    Some(base) => self.type_expr(base, scope, builder),
                    None => builder.unknown(),
                };
                let mut args = Vec::new();
                if let Some(list) = self.child_in_field(node, self.grammar.type_arguments) {
                    self.for_each_child(list, builder, |binder, argument, builder| {
                        args.push(binder.type_expr(argument, scope, builder))
                    });
                }
                let args = builder.list(&args);
                builder.expr(Expr::Generic { base: Some(base), args })
            }
            Kind::SliceType | Kind::ArrayType | Kind::ImplicitLengthArrayType => {
                if let Some(length) = self.child_in_field(node, self.grammar.length) {
                    self.expression_value(length, scope, Role::Read, builder);
                }
                let element = self.child_in_field(node, self.grammar.element);
                self.container_type(&[element], scope, builder)
            }
            Kind::MapType => {
                let parts =
                    [self.child_in_field(node, self.grammar.key), self.child_in_field(node, self.grammar.value)];
                self.container_type(&parts, scope, builder)
            }
            Kind::ChannelType => {
                let held = self.child_in_field(node, self.grammar.value);
                self.container_type(&[held], scope, builder)
            }
            Kind::FunctionType => self.function_type_expr(node, scope, builder),
            Kind::StructType | Kind::InterfaceType => {
                let members = builder.scope(scope, ScopeKind::Type, node);
                let bases = self.bind_type_members(node, members, scope, builder);
                let object = builder.expr(Expr::Object { scope: members });
                if bases.is_empty() {
                    return object;
                }
                let mut parts = vec![object];
                parts.extend(bases);
                builder.either(parts)
            }
            // A type constraint: one type, or a union of several.
            Kind::TypeElem | Kind::TypeConstraint => {
                let mut parts = Vec::new();
                self.for_each_child(node, builder, |binder, part, builder| {
                    parts.push(binder.type_expr(part, scope, builder))
                });
                builder.either(parts)
            }
            _ => self.expression_value(node, scope, Role::Type, builder),
        }
    }

    /// A container type without a name.
    fn container_type(&mut self, parts: &[Option<Node<'t>>], scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let mut args = Vec::with_capacity(parts.len());
        for part in parts.iter().flatten() {
            args.push(self.type_expr(*part, scope, builder));
        }
        let args = builder.list(&args);
        builder.expr(Expr::Generic { base: None, args })
    }

    /// The function type `func(…) …`.
    fn function_type_expr(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let inside = builder.scope(scope, ScopeKind::Function, node);
        let function = self.create_unnamed_function(node, inside, builder);
        self.bind_signature(node, inside, function, builder);
        builder.expr(Expr::Function { binding: function })
    }

    /// Creates an unnamed function with the inner scope `scope`.
    pub(super) fn create_unnamed_function(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> BindingId {
        let name = builder.intern_made("func");
        let function = builder.bind_name(scope, BindingKind::Function, name, node.start_byte());
        builder.own(function, scope);
        function
    }
}
