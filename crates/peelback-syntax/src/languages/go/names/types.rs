//! Types: where they are declared, and where they are written.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{BindingId, BindingKind, Cx, Expr, ExprId, FILE_SCOPE, Role, ScopeId, ScopeKind};

impl<'t> Binder<'t> {
    /// `T …` or `T = …` after `type`.
    pub(super) fn type_spec(&mut self, node: Node<'t>, scope: ScopeId, cx: &mut Cx<'_>) {
        let Some(name) = self.field(node, self.g.name) else { return };
        let alias = self.g.kind(node) == Kind::TypeAlias;
        let kind = if alias { BindingKind::TypeAlias } else { BindingKind::Type };
        let binding = if scope == FILE_SCOPE {
            cx.bind(scope, kind, name)
        } else {
            self.note_map(node, cx);
            // A local type is seen inside its own definition.
            self.local(name, kind, scope, name.start_byte(), cx)
        };
        let around = match self.field(node, self.g.type_parameters) {
            Some(parameters) => {
                let around = cx.scope(scope, ScopeKind::Block, node);
                self.type_parameters(parameters, around, cx);
                around
            }
            None => scope,
        };
        let Some(written) = self.field(node, self.g.r#type) else { return };
        match self.g.kind(written) {
            Kind::StructType | Kind::InterfaceType if !alias => {
                let members = cx.scope(around, ScopeKind::Type, written);
                cx.own(binding, members);
                let bases = self.members(written, members, around, cx);
                cx.binding(binding).bases = cx.list(&bases);
            }
            _ => {
                let meant = self.type_of(written, around, cx);
                if alias {
                    cx.binding(binding).annotation = Some(meant);
                } else {
                    let members = cx.scope(around, ScopeKind::Type, written);
                    cx.own(binding, members);
                    // What it is made of: its elements, its result where it is a function, its fields.
                    cx.binding(binding).bases = cx.list(&[meant]);
                }
            }
        }
    }

    pub(super) fn type_parameters(&mut self, list: Node<'t>, scope: ScopeId, cx: &mut Cx<'_>) {
        self.each(list, cx, |binder, declaration, cx| {
            let mut made: Vec<BindingId> = Vec::new();
            let mut bound = None;
            binder.each(declaration, cx, |binder, part, cx| match binder.g.kind(part) {
                Kind::Identifier => made.push(cx.bind(scope, BindingKind::TypeParameter, part)),
                _ => bound = Some(binder.type_of(part, scope, cx)),
            });
            for parameter in made {
                cx.binding(parameter).annotation = bound;
            }
        });
    }

    /// Binds the members of a struct or an interface in `members`; the types that it embeds. Types are looked up from
    /// `around`.
    fn members(&mut self, node: Node<'t>, members: ScopeId, around: ScopeId, cx: &mut Cx<'_>) -> Vec<ExprId> {
        let mut bases = Vec::new();
        self.each(node, cx, |binder, child, cx| {
            cx.deeper(child, |cx| match binder.g.kind(child) {
                Kind::FieldDeclarationList | Kind::Error => {
                    let inner = binder.members(child, members, around, cx);
                    bases.extend(inner);
                }
                Kind::FieldDeclaration => binder.field_declaration(child, members, around, &mut bases, cx),
                Kind::MethodElem => binder.method_elem(child, members, around, cx),
                Kind::TypeElem | Kind::TypeConstraint => {
                    let embedded = binder.type_of(child, around, cx);
                    bases.push(embedded);
                }
                _ => {
                    binder.value(child, around, Role::Read, cx);
                }
            });
        });
        bases.retain(|base| *base != cx.unknown());
        bases
    }

    fn field_declaration(
        &mut self,
        node: Node<'t>,
        members: ScopeId,
        around: ScopeId,
        bases: &mut Vec<ExprId>,
        cx: &mut Cx<'_>,
    ) {
        let Some(written) = self.field(node, self.g.r#type) else { return };
        let declared = self.type_of(written, around, cx);
        let mut named = false;
        self.each(node, cx, |binder, name, cx| {
            if binder.g.kind(name) == Kind::FieldIdentifier {
                named = true;
                if cx.text(name) != "_" {
                    let field = cx.bind(members, BindingKind::Field, name);
                    cx.binding(field).annotation = Some(declared);
                }
            }
        });
        if !named {
            if let Some(name) = self.own_name(written) {
                let field = cx.bind(members, BindingKind::Field, name);
                cx.binding(field).annotation = Some(declared);
            }
            bases.push(declared);
        }
    }

    fn method_elem(&mut self, node: Node<'t>, members: ScopeId, around: ScopeId, cx: &mut Cx<'_>) {
        let Some(name) = self.field(node, self.g.name) else { return };
        let method = cx.bind(members, BindingKind::Function, name);
        let scope = cx.scope(around, ScopeKind::Function, node);
        cx.own(method, scope);
        self.signature(node, scope, method, cx);
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
    pub(super) fn type_of(&mut self, node: Node<'t>, scope: ScopeId, cx: &mut Cx<'_>) -> ExprId {
        match self.g.kind(node) {
            Kind::TypeIdentifier | Kind::Identifier => {
                if cx.text(node) == "_" {
                    return cx.unknown();
                }
                cx.use_name(node, scope, Role::Type)
            }
            Kind::QualifiedType => {
                let (package, name) = (self.field(node, self.g.package), self.field(node, self.g.name));
                let (Some(package), Some(name)) = (package, name) else { return cx.unknown() };
                let package = cx.use_name(package, scope, Role::Read);
                cx.use_member(package, name, Role::Type)
            }
            _ => cx.deeper(node, |cx| self.made_type(node, scope, cx)),
        }
    }

    /// A type that is made of others.
    fn made_type(&mut self, node: Node<'t>, scope: ScopeId, cx: &mut Cx<'_>) -> ExprId {
        match self.g.kind(node) {
            Kind::PointerType | Kind::ParenthesizedType | Kind::NegatedType => match self.first_child(node) {
                Some(inner) => self.type_of(inner, scope, cx),
                None => cx.unknown(),
            },
            Kind::GenericType => {
                let base = match self.field(node, self.g.r#type) {
                    Some(base) => self.type_of(base, scope, cx),
                    None => cx.unknown(),
                };
                let mut args = Vec::new();
                if let Some(list) = self.field(node, self.g.type_arguments) {
                    self.each(list, cx, |binder, argument, cx| args.push(binder.type_of(argument, scope, cx)));
                }
                let args = cx.list(&args);
                cx.expr(Expr::Generic { base: Some(base), args })
            }
            Kind::SliceType | Kind::ArrayType | Kind::ImplicitLengthArrayType => {
                if let Some(length) = self.field(node, self.g.length) {
                    self.value(length, scope, Role::Read, cx);
                }
                let element = self.field(node, self.g.element);
                self.container(&[element], scope, cx)
            }
            Kind::MapType => {
                let parts = [self.field(node, self.g.key), self.field(node, self.g.value)];
                self.container(&parts, scope, cx)
            }
            Kind::ChannelType => {
                let held = self.field(node, self.g.value);
                self.container(&[held], scope, cx)
            }
            Kind::FunctionType => self.function_type(node, scope, cx),
            Kind::StructType | Kind::InterfaceType => {
                let members = cx.scope(scope, ScopeKind::Type, node);
                let bases = self.members(node, members, scope, cx);
                let object = cx.expr(Expr::Object { scope: members });
                if bases.is_empty() {
                    return object;
                }
                let mut parts = vec![object];
                parts.extend(bases);
                cx.either(parts)
            }
            // A constraint: one type, or a union of several.
            Kind::TypeElem | Kind::TypeConstraint => {
                let mut parts = Vec::new();
                self.each(node, cx, |binder, part, cx| parts.push(binder.type_of(part, scope, cx)));
                cx.either(parts)
            }
            _ => self.value(node, scope, Role::Type, cx),
        }
    }

    /// A container type without a name.
    fn container(&mut self, parts: &[Option<Node<'t>>], scope: ScopeId, cx: &mut Cx<'_>) -> ExprId {
        let mut args = Vec::with_capacity(parts.len());
        for part in parts.iter().flatten() {
            args.push(self.type_of(*part, scope, cx));
        }
        let args = cx.list(&args);
        cx.expr(Expr::Generic { base: None, args })
    }

    /// `func(…) …` as a type: what calling a value of it gives.
    fn function_type(&mut self, node: Node<'t>, scope: ScopeId, cx: &mut Cx<'_>) -> ExprId {
        let inside = cx.scope(scope, ScopeKind::Function, node);
        let function = self.nameless(node, inside, cx);
        self.signature(node, inside, function, cx);
        cx.expr(Expr::Function { binding: function })
    }

    /// A function without a name, whose inside is `scope`.
    pub(super) fn nameless(&mut self, node: Node<'t>, scope: ScopeId, cx: &mut Cx<'_>) -> BindingId {
        let name = cx.intern_made("func");
        let function = cx.bind_name(scope, BindingKind::Function, name, node.start_byte());
        cx.own(function, scope);
        function
    }
}
