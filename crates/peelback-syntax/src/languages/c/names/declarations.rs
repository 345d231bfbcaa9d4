//! Declarations: functions, variables, types and their members.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{BindingId, BindingKind, Expr, ExprId, FILE_SCOPE, NamesBuilder, Role, ScopeId, ScopeKind};

/// What stands before the declarators of a declaration.
struct Head<'t> {
    declares: ExprId,
    /// A struct or union without a tag, and the scope of its members.
    nameless: Option<ScopeId>,
    declarators: Vec<Node<'t>>,
    is_static: bool,
    is_extern: bool,
}

impl<'t> Binder<'t> {
    /// Reads a declaration up to its declarators, which are collected.
    fn head(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> Head<'t> {
        let unknown = builder.unknown();
        let mut head =
            Head { declares: unknown, nameless: None, declarators: Vec::new(), is_static: false, is_extern: false };
        let mut typed = false;
        self.each(node, builder, |binder, child, builder| match binder.g.kind(child) {
            Kind::StorageClassSpecifier => match builder.text(child) {
                "static" => head.is_static = true,
                "extern" => head.is_extern = true,
                _ => {}
            },
            _ if !typed && binder.is_type(child) => {
                typed = true;
                head.declares = binder.type_of(child, scope, builder);
                if let Expr::Object { scope } = builder.names.expr(head.declares) {
                    head.nameless = Some(scope);
                }
            }
            Kind::InitDeclarator => head.declarators.push(child),
            _ if binder.is_declarator(child) => head.declarators.push(child),
            Kind::CompoundStatement | Kind::Declaration => {}
            _ => binder.item(child, scope, builder),
        });
        head
    }

    pub(super) fn function(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let head = self.head(node, scope, builder);
        let inside = builder.scope(scope, ScopeKind::Function, node);
        if let Some(declarator) = head.declarators.first()
            && let Some(declared) = self.declarator(*declarator, head.declares, scope, builder)
            // A brace lost to the preprocessor makes `else if (x) {` look like a function.
            && !super::super::is_keyword(builder.text(declared.name))
        {
            let function = builder.bind(scope, BindingKind::Function, declared.name);
            builder.own(function, inside);
            let binding = builder.binding(function);
            binding.private = head.is_static;
            binding.annotation = Some(declared.declares);
            if let Some(parameters) = declared.parameters {
                self.parameters(parameters, inside, scope, builder);
            }
        }
        self.each(node, builder, |binder, child, builder| match binder.g.kind(child) {
            // Parameters in the style of old.
            Kind::Declaration => binder.declaration(child, inside, BindingKind::Parameter, builder),
            Kind::CompoundStatement => binder.items(child, inside, builder),
            _ => {}
        });
    }

    /// Variables and prototypes, or old parameters.
    pub(super) fn declaration(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        kind: BindingKind,
        builder: &mut NamesBuilder<'_>,
    ) {
        let head = self.head(node, scope, builder);
        for declarator in head.declarators.iter().copied() {
            let init = self.g.kind(declarator) == Kind::InitDeclarator;
            let (named, value) = if init {
                (self.field(declarator, self.g.declarator), self.field(declarator, self.g.value))
            } else {
                (Some(declarator), None)
            };
            let declared = named.and_then(|named| self.declarator(named, head.declares, scope, builder));
            let Some(declared) = declared else {
                if let Some(value) = value {
                    self.item(value, scope, builder);
                }
                continue;
            };
            if let Some(parameters) = declared.parameters {
                self.parameter_types(parameters, scope, builder);
            }
            if super::super::is_keyword(builder.text(declared.name)) {
                continue;
            }
            let known = declared.declares != builder.unknown();
            if scope != FILE_SCOPE && (declared.is_function || head.is_extern) {
                // It speaks of what stands at the top of some file.
                builder.use_name(declared.name, FILE_SCOPE, Role::Read);
            } else {
                let kind = if declared.is_function { BindingKind::Function } else { kind };
                let bound = builder.bind(scope, kind, declared.name);
                let binding = builder.binding(bound);
                binding.private = head.is_static;
                binding.annotation = known.then_some(declared.declares);
                if scope != FILE_SCOPE {
                    binding.visible_from = u32::try_from(declared.name.end_byte()).unwrap_or(u32::MAX);
                }
                if let Some(value) = value
                    && !known
                    && self.g.kind(value) != Kind::InitializerList
                {
                    let value = self.value(value, scope, Role::Read, builder);
                    if value != builder.unknown() {
                        builder.binding(bound).values = builder.list(&[value]);
                    }
                    continue;
                }
            }
            if let Some(value) = value {
                let made =
                    if known { builder.expr(Expr::Instance { of: declared.declares }) } else { builder.unknown() };
                self.initialiser(value, made, declared.is_array, scope, builder);
            }
        }
    }

    pub(super) fn type_definition(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let mut head = self.head(node, scope, builder);
        for declarator in head.declarators.clone() {
            let Some(mut declared) = self.declarator(declarator, head.declares, scope, builder) else { continue };
            if let Some(parameters) = declared.parameters {
                self.parameter_types(parameters, scope, builder);
                declared.declares = self.function_type(declarator, declared.declares, scope, builder);
            }
            let itself = match builder.names.expr(declared.declares) {
                Expr::Name { name, .. } => name == builder.name(declared.name),
                _ => false,
            };
            let bound = match head.nameless.take() {
                // `typedef struct { … } point;`: this is the only name that the struct has.
                Some(members) if !declared.is_function => {
                    let bound = builder.bind(scope, BindingKind::Type, declared.name);
                    builder.own(bound, members);
                    head.declares = builder.expr(Expr::Bound { binding: bound });
                    bound
                }
                // `typedef struct node node;` announces a type.
                _ if itself => builder.bind(scope, BindingKind::Type, declared.name),
                _ => {
                    let bound = builder.bind(scope, BindingKind::TypeAlias, declared.name);
                    builder.binding(bound).annotation =
                        Some(declared.declares).filter(|known| *known != builder.unknown());
                    bound
                }
            };
            if scope != FILE_SCOPE {
                builder.binding(bound).visible_from = u32::try_from(declared.name.end_byte()).unwrap_or(u32::MAX);
            }
        }
    }

    /// A type that no declarator follows: its definition, or its announcement (`struct node;`).
    pub(super) fn lone_type(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        match (self.field(node, self.g.name), self.field(node, self.g.body)) {
            (Some(name), None) => {
                builder.bind(scope, BindingKind::Type, name);
            }
            _ => {
                self.specifier(node, scope, builder);
            }
        }
    }

    /// `struct`, `union` or `enum`: defined here where it has a body, else used.
    pub(super) fn specifier(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let name = self.field(node, self.g.name).filter(|name| !name.is_missing());
        let body = self.field(node, self.g.body);
        self.each(node, builder, |binder, child, builder| {
            if matches!(binder.g.kind(child), Kind::AttributeSpecifier | Kind::Error) {
                binder.item(child, scope, builder);
            }
        });
        let Some(body) = body else {
            return match name {
                Some(name) => builder.use_name(name, scope, Role::Type),
                None => builder.unknown(),
            };
        };
        let bound = name.map(|name| builder.bind(scope, BindingKind::Type, name));
        let members = builder.scope(scope, ScopeKind::Type, body);
        if let Some(bound) = bound {
            builder.own(bound, members);
        }
        if self.g.kind(node) == Kind::EnumSpecifier {
            self.enumerators(body, scope, bound, builder);
            return match bound {
                Some(binding) => builder.expr(Expr::Bound { binding }),
                None => builder.unknown(),
            };
        }
        self.members(body, members, scope, builder);
        match bound {
            Some(binding) => builder.expr(Expr::Bound { binding }),
            None => builder.expr(Expr::Object { scope: members }),
        }
    }

    /// The constants of an enum are names of the scope around it.
    fn enumerators(
        &mut self,
        list: Node<'t>,
        scope: ScopeId,
        owner: Option<BindingId>,
        builder: &mut NamesBuilder<'_>,
    ) {
        self.each(list, builder, |binder, child, builder| {
            builder.deeper(child, |builder| match binder.g.kind(child) {
                Kind::Enumerator => binder.enumerator(child, scope, owner, builder),
                Kind::Identifier => {
                    builder.use_name(child, FILE_SCOPE, Role::Read);
                }
                Kind::PreprocDef | Kind::PreprocFunctionDef | Kind::PreprocCall | Kind::PreprocInclude => {
                    binder.item(child, scope, builder);
                }
                Kind::PreprocIf | Kind::PreprocElif => {
                    let condition = binder.field(child, binder.g.condition);
                    if let Some(condition) = condition {
                        binder.item(condition, FILE_SCOPE, builder);
                    }
                    binder.each(child, builder, |binder, inner, builder| {
                        if Some(inner) != condition {
                            binder.enumerator_or_more(inner, scope, owner, builder);
                        }
                    });
                }
                _ => binder.enumerators(child, scope, owner, builder),
            });
        });
    }

    fn enumerator_or_more(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        owner: Option<BindingId>,
        builder: &mut NamesBuilder<'_>,
    ) {
        builder.deeper(node, |builder| match self.g.kind(node) {
            Kind::Enumerator => self.enumerator(node, scope, owner, builder),
            Kind::PreprocDef | Kind::PreprocFunctionDef | Kind::PreprocCall | Kind::PreprocInclude => {
                self.item(node, scope, builder);
            }
            _ => self.enumerators(node, scope, owner, builder),
        });
    }

    pub(super) fn enumerator(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        owner: Option<BindingId>,
        builder: &mut NamesBuilder<'_>,
    ) {
        if let Some(name) = self.field(node, self.g.name) {
            let member = builder.bind(scope, BindingKind::EnumMember, name);
            if let Some(binding) = owner {
                builder.binding(member).annotation = Some(builder.expr(Expr::Bound { binding }));
            }
        }
        if let Some(value) = self.field(node, self.g.value) {
            self.item(value, scope, builder);
        }
    }

    /// Binds the members of a struct or union; types and values are looked up from `scope`.
    fn members(&mut self, list: Node<'t>, members: ScopeId, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.each(list, builder, |binder, child, builder| binder.member(child, members, scope, builder));
    }

    fn member(&mut self, node: Node<'t>, members: ScopeId, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        builder.deeper(node, |builder| match self.g.kind(node) {
            Kind::FieldDeclaration => self.field_declaration(node, members, scope, builder),
            // A condition, a macro: what is around the fields.
            Kind::PreprocIf | Kind::PreprocElif => {
                let condition = self.field(node, self.g.condition);
                self.each(node, builder, |binder, child, builder| {
                    if Some(child) == condition {
                        binder.item(child, FILE_SCOPE, builder);
                    } else {
                        binder.member(child, members, scope, builder);
                    }
                });
            }
            Kind::Other | Kind::Error | Kind::FieldDeclarationList => self.members(node, members, scope, builder),
            _ => self.item(node, scope, builder),
        });
    }

    fn field_declaration(&mut self, node: Node<'t>, members: ScopeId, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let written = self.field(node, self.g.r#type);
        let has_declarator = self.field(node, self.g.declarator).is_some();
        if !has_declarator
            && let Some(written) = written
            && self.field(written, self.g.name).is_none()
            && let Some(body) = self.field(written, self.g.body)
            && self.g.kind(written) != Kind::EnumSpecifier
        {
            // The members of a member without a name are members of the type around it.
            self.members(body, members, scope, builder);
            return;
        }
        let head = self.head(node, scope, builder);
        for declarator in head.declarators {
            let Some(mut declared) = self.declarator(declarator, head.declares, scope, builder) else { continue };
            if let Some(parameters) = declared.parameters {
                self.parameter_types(parameters, scope, builder);
                declared.declares = self.function_type(declarator, declared.declares, scope, builder);
            }
            let bound = builder.bind(members, BindingKind::Field, declared.name);
            builder.binding(bound).annotation = Some(declared.declares).filter(|known| *known != builder.unknown());
        }
    }
}
