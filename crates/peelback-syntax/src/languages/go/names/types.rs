//! Types: where they are declared, and where they are written.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{BindingId, BindingKind, Expr, ExprId, FILE_SCOPE, NamesBuilder, Role, ScopeId, ScopeKind};

impl<'t> Binder<'t> {
    /// `T …` or `T = …` after `type`.
    pub(super) fn type_spec(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let Some(name) = self.field(node, self.g.name) else { return };
        let alias = self.g.kind(node) == Kind::TypeAlias;
        let kind = if alias { BindingKind::TypeAlias } else { BindingKind::Type };
        let binding = if scope == FILE_SCOPE {
            builder.bind(scope, kind, name)
        } else {
            self.note_map(node, builder);
            // A local type is seen inside its own definition.
            self.local(name, kind, scope, name.start_byte(), builder)
        };
        let around = match self.field(node, self.g.type_parameters) {
            Some(parameters) => {
                let around = builder.scope(scope, ScopeKind::Block, node);
                self.type_parameters(parameters, around, builder);
                around
            }
            None => scope,
        };
        let Some(written) = self.field(node, self.g.r#type) else { return };
        match self.g.kind(written) {
            Kind::StructType | Kind::InterfaceType if !alias => {
                let members = builder.scope(around, ScopeKind::Type, written);
                builder.own(binding, members);
                let bases = self.members(written, members, around, builder);
                builder.binding(binding).bases = builder.list(&bases);
            }
            _ => {
                let meant = self.type_of(written, around, builder);
                if alias {
                    builder.binding(binding).annotation = Some(meant);
                } else {
                    let members = builder.scope(around, ScopeKind::Type, written);
                    builder.own(binding, members);
                    // What it is made of: its elements, its result where it is a function, its fields.
                    builder.binding(binding).bases = builder.list(&[meant]);
                }
            }
        }
    }

    pub(super) fn type_parameters(&mut self, list: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.each(list, builder, |binder, declaration, builder| {
            let mut made: Vec<BindingId> = Vec::new();
            let mut bound = None;
            binder.each(declaration, builder, |binder, part, builder| match binder.g.kind(part) {
                Kind::Identifier => made.push(builder.bind(scope, BindingKind::TypeParameter, part)),
                _ => bound = Some(binder.type_of(part, scope, builder)),
            });
            for parameter in made {
                builder.binding(parameter).annotation = bound;
            }
        });
    }

    /// Binds the members of a struct or an interface in `members`; the types that it embeds. Types are looked up from
    /// `around`.
    fn members(
        &mut self,
        node: Node<'t>,
        members: ScopeId,
        around: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> Vec<ExprId> {
        let mut bases = Vec::new();
        self.each(node, builder, |binder, child, builder| {
            builder.deeper(child, |builder| match binder.g.kind(child) {
                Kind::FieldDeclarationList | Kind::Error => {
                    let inner = binder.members(child, members, around, builder);
                    bases.extend(inner);
                }
                Kind::FieldDeclaration => binder.field_declaration(child, members, around, &mut bases, builder),
                Kind::MethodElem => binder.method_elem(child, members, around, builder),
                Kind::TypeElem | Kind::TypeConstraint => {
                    let embedded = binder.type_of(child, around, builder);
                    bases.push(embedded);
                }
                _ => {
                    binder.value(child, around, Role::Read, builder);
                }
            });
        });
        bases.retain(|base| *base != builder.unknown());
        bases
    }

    fn field_declaration(
        &mut self,
        node: Node<'t>,
        members: ScopeId,
        around: ScopeId,
        bases: &mut Vec<ExprId>,
        builder: &mut NamesBuilder<'_>,
    ) {
        let Some(written) = self.field(node, self.g.r#type) else { return };
        let declared = self.type_of(written, around, builder);
        let mut named = false;
        self.each(node, builder, |binder, name, builder| {
            if binder.g.kind(name) == Kind::FieldIdentifier {
                named = true;
                if builder.text(name) != "_" {
                    let field = builder.bind(members, BindingKind::Field, name);
                    builder.binding(field).annotation = Some(declared);
                }
            }
        });
        if !named {
            if let Some(name) = self.own_name(written) {
                let field = builder.bind(members, BindingKind::Field, name);
                builder.binding(field).annotation = Some(declared);
            }
            bases.push(declared);
        }
    }

    fn method_elem(&mut self, node: Node<'t>, members: ScopeId, around: ScopeId, builder: &mut NamesBuilder<'_>) {
        let Some(name) = self.field(node, self.g.name) else { return };
        let method = builder.bind(members, BindingKind::Function, name);
        let scope = builder.scope(around, ScopeKind::Function, node);
        builder.own(method, scope);
        self.signature(node, scope, method, builder);
    }

    /// The token that names an embedded field: the type's own name, without package and type arguments.
    fn own_name(&self, mut written: Node<'t>) -> Option<Node<'t>> {
        loop {
            written = match self.g.kind(written) {
                Kind::TypeIdentifier => return Some(written),
                Kind::QualifiedType => self.field(written, self.g.name)?,
                Kind::GenericType => self.field(written, self.g.r#type)?,
                Kind::PointerType | Kind::ParenthesizedType => self.first_child(written)?,
                _ => return None,
            };
        }
    }

    /// The type that is written at `node`.
    pub(super) fn type_of(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.g.kind(node) {
            Kind::TypeIdentifier | Kind::Identifier => {
                if builder.text(node) == "_" {
                    return builder.unknown();
                }
                builder.use_name(node, scope, Role::Type)
            }
            Kind::QualifiedType => {
                let (package, name) = (self.field(node, self.g.package), self.field(node, self.g.name));
                let (Some(package), Some(name)) = (package, name) else { return builder.unknown() };
                let package = builder.use_name(package, scope, Role::Read);
                builder.use_member(package, name, Role::Type)
            }
            _ => builder.deeper(node, |builder| self.made_type(node, scope, builder)),
        }
    }

    /// A type that is made of others.
    fn made_type(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.g.kind(node) {
            Kind::PointerType | Kind::ParenthesizedType | Kind::NegatedType => match self.first_child(node) {
                Some(inner) => self.type_of(inner, scope, builder),
                None => builder.unknown(),
            },
            Kind::GenericType => {
                let base = match self.field(node, self.g.r#type) {
                    Some(base) => self.type_of(base, scope, builder),
                    None => builder.unknown(),
                };
                let mut args = Vec::new();
                if let Some(list) = self.field(node, self.g.type_arguments) {
                    self.each(list, builder, |binder, argument, builder| {
                        args.push(binder.type_of(argument, scope, builder))
                    });
                }
                let args = builder.list(&args);
                builder.expr(Expr::Generic { base: Some(base), args })
            }
            Kind::SliceType | Kind::ArrayType | Kind::ImplicitLengthArrayType => {
                if let Some(length) = self.field(node, self.g.length) {
                    self.value(length, scope, Role::Read, builder);
                }
                let element = self.field(node, self.g.element);
                self.container(&[element], scope, builder)
            }
            Kind::MapType => {
                let parts = [self.field(node, self.g.key), self.field(node, self.g.value)];
                self.container(&parts, scope, builder)
            }
            Kind::ChannelType => {
                let held = self.field(node, self.g.value);
                self.container(&[held], scope, builder)
            }
            Kind::FunctionType => self.function_type(node, scope, builder),
            Kind::StructType | Kind::InterfaceType => {
                let members = builder.scope(scope, ScopeKind::Type, node);
                let bases = self.members(node, members, scope, builder);
                let object = builder.expr(Expr::Object { scope: members });
                if bases.is_empty() {
                    return object;
                }
                let mut parts = vec![object];
                parts.extend(bases);
                builder.either(parts)
            }
            // A constraint: one type, or a union of several.
            Kind::TypeElem | Kind::TypeConstraint => {
                let mut parts = Vec::new();
                self.each(node, builder, |binder, part, builder| parts.push(binder.type_of(part, scope, builder)));
                builder.either(parts)
            }
            _ => self.value(node, scope, Role::Type, builder),
        }
    }

    /// A container type without a name.
    fn container(&mut self, parts: &[Option<Node<'t>>], scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let mut args = Vec::with_capacity(parts.len());
        for part in parts.iter().flatten() {
            args.push(self.type_of(*part, scope, builder));
        }
        let args = builder.list(&args);
        builder.expr(Expr::Generic { base: None, args })
    }

    /// `func(…) …` as a type: what calling a value of it gives.
    fn function_type(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let inside = builder.scope(scope, ScopeKind::Function, node);
        let function = self.nameless(node, inside, builder);
        self.signature(node, inside, function, builder);
        builder.expr(Expr::Function { binding: function })
    }

    /// A function without a name, whose inside is `scope`.
    pub(super) fn nameless(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> BindingId {
        let name = builder.intern_made("func");
        let function = builder.bind_name(scope, BindingKind::Function, name, node.start_byte());
        builder.own(function, scope);
        function
    }
}
