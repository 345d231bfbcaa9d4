//! Declarations: functions, variables, types and their members.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{BindingId, BindingKind, Cx, Expr, ExprId, FILE_SCOPE, Role, ScopeId, ScopeKind};

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
    fn head(&mut self, node: Node<'t>, scope: ScopeId, cx: &mut Cx<'_>) -> Head<'t> {
        let unknown = cx.unknown();
        let mut head =
            Head { declares: unknown, nameless: None, declarators: Vec::new(), is_static: false, is_extern: false };
        let mut typed = false;
        self.each(node, cx, |binder, child, cx| match binder.g.kind(child) {
            Kind::StorageClassSpecifier => match cx.text(child) {
                "static" => head.is_static = true,
                "extern" => head.is_extern = true,
                _ => {}
            },
            _ if !typed && binder.is_type(child) => {
                typed = true;
                head.declares = binder.type_of(child, scope, cx);
                if let Expr::Object { scope } = cx.names.expr(head.declares) {
                    head.nameless = Some(scope);
                }
            }
            Kind::InitDeclarator => head.declarators.push(child),
            _ if binder.is_declarator(child) => head.declarators.push(child),
            Kind::CompoundStatement | Kind::Declaration => {}
            _ => binder.item(child, scope, cx),
        });
        head
    }

    pub(super) fn function(&mut self, node: Node<'t>, scope: ScopeId, cx: &mut Cx<'_>) {
        let head = self.head(node, scope, cx);
        let inside = cx.scope(scope, ScopeKind::Function, node);
        if let Some(declarator) = head.declarators.first()
            && let Some(declared) = self.declarator(*declarator, head.declares, scope, cx)
            // A brace lost to the preprocessor makes `else if (x) {` look like a function.
            && !super::super::is_keyword(cx.text(declared.name))
        {
            let function = cx.bind(scope, BindingKind::Function, declared.name);
            cx.own(function, inside);
            let binding = cx.binding(function);
            binding.private = head.is_static;
            binding.annotation = Some(declared.declares);
            if let Some(parameters) = declared.parameters {
                self.parameters(parameters, inside, scope, cx);
            }
        }
        self.each(node, cx, |binder, child, cx| match binder.g.kind(child) {
            // Parameters in the style of old.
            Kind::Declaration => binder.declaration(child, inside, BindingKind::Parameter, cx),
            Kind::CompoundStatement => binder.items(child, inside, cx),
            _ => {}
        });
    }

    /// Variables and prototypes, or old parameters.
    pub(super) fn declaration(&mut self, node: Node<'t>, scope: ScopeId, kind: BindingKind, cx: &mut Cx<'_>) {
        let head = self.head(node, scope, cx);
        for declarator in head.declarators.iter().copied() {
            let init = self.g.kind(declarator) == Kind::InitDeclarator;
            let (named, value) = if init {
                (self.field(declarator, self.g.declarator), self.field(declarator, self.g.value))
            } else {
                (Some(declarator), None)
            };
            let declared = named.and_then(|named| self.declarator(named, head.declares, scope, cx));
            let Some(declared) = declared else {
                if let Some(value) = value {
                    self.item(value, scope, cx);
                }
                continue;
            };
            if let Some(parameters) = declared.parameters {
                self.parameter_types(parameters, scope, cx);
            }
            if super::super::is_keyword(cx.text(declared.name)) {
                continue;
            }
            let known = declared.declares != cx.unknown();
            if scope != FILE_SCOPE && (declared.is_function || head.is_extern) {
                // It speaks of what stands at the top of some file.
                cx.use_name(declared.name, FILE_SCOPE, Role::Read);
            } else {
                let kind = if declared.is_function { BindingKind::Function } else { kind };
                let bound = cx.bind(scope, kind, declared.name);
                let binding = cx.binding(bound);
                binding.private = head.is_static;
                binding.annotation = known.then_some(declared.declares);
                if scope != FILE_SCOPE {
                    binding.visible_from = u32::try_from(declared.name.end_byte()).unwrap_or(u32::MAX);
                }
                if let Some(value) = value
                    && !known
                    && self.g.kind(value) != Kind::InitializerList
                {
                    let value = self.value(value, scope, Role::Read, cx);
                    if value != cx.unknown() {
                        cx.binding(bound).values = cx.list(&[value]);
                    }
                    continue;
                }
            }
            if let Some(value) = value {
                let made = if known { cx.expr(Expr::Instance { of: declared.declares }) } else { cx.unknown() };
                self.initialiser(value, made, declared.is_array, scope, cx);
            }
        }
    }

    pub(super) fn type_definition(&mut self, node: Node<'t>, scope: ScopeId, cx: &mut Cx<'_>) {
        let mut head = self.head(node, scope, cx);
        for declarator in head.declarators.clone() {
            let Some(mut declared) = self.declarator(declarator, head.declares, scope, cx) else { continue };
            if let Some(parameters) = declared.parameters {
                self.parameter_types(parameters, scope, cx);
                declared.declares = self.function_type(declarator, declared.declares, scope, cx);
            }
            let itself = match cx.names.expr(declared.declares) {
                Expr::Name { name, .. } => name == cx.name(declared.name),
                _ => false,
            };
            let bound = match head.nameless.take() {
                // `typedef struct { … } point;`: this is the only name that the struct has.
                Some(members) if !declared.is_function => {
                    let bound = cx.bind(scope, BindingKind::Type, declared.name);
                    cx.own(bound, members);
                    head.declares = cx.expr(Expr::Bound { binding: bound });
                    bound
                }
                // `typedef struct node node;` announces a type.
                _ if itself => cx.bind(scope, BindingKind::Type, declared.name),
                _ => {
                    let bound = cx.bind(scope, BindingKind::TypeAlias, declared.name);
                    cx.binding(bound).annotation = Some(declared.declares).filter(|known| *known != cx.unknown());
                    bound
                }
            };
            if scope != FILE_SCOPE {
                cx.binding(bound).visible_from = u32::try_from(declared.name.end_byte()).unwrap_or(u32::MAX);
            }
        }
    }

    /// A type that no declarator follows: its definition, or its announcement (`struct node;`).
    pub(super) fn lone_type(&mut self, node: Node<'t>, scope: ScopeId, cx: &mut Cx<'_>) {
        match (self.field(node, self.g.name), self.field(node, self.g.body)) {
            (Some(name), None) => {
                cx.bind(scope, BindingKind::Type, name);
            }
            _ => {
                self.specifier(node, scope, cx);
            }
        }
    }

    /// `struct`, `union` or `enum`: defined here where it has a body, else used.
    pub(super) fn specifier(&mut self, node: Node<'t>, scope: ScopeId, cx: &mut Cx<'_>) -> ExprId {
        let name = self.field(node, self.g.name).filter(|name| !name.is_missing());
        let body = self.field(node, self.g.body);
        self.each(node, cx, |binder, child, cx| {
            if matches!(binder.g.kind(child), Kind::AttributeSpecifier | Kind::Error) {
                binder.item(child, scope, cx);
            }
        });
        let Some(body) = body else {
            return match name {
                Some(name) => cx.use_name(name, scope, Role::Type),
                None => cx.unknown(),
            };
        };
        let bound = name.map(|name| cx.bind(scope, BindingKind::Type, name));
        let members = cx.scope(scope, ScopeKind::Type, body);
        if let Some(bound) = bound {
            cx.own(bound, members);
        }
        if self.g.kind(node) == Kind::EnumSpecifier {
            self.enumerators(body, scope, bound, cx);
            return match bound {
                Some(binding) => cx.expr(Expr::Bound { binding }),
                None => cx.unknown(),
            };
        }
        self.members(body, members, scope, cx);
        match bound {
            Some(binding) => cx.expr(Expr::Bound { binding }),
            None => cx.expr(Expr::Object { scope: members }),
        }
    }

    /// The constants of an enum are names of the scope around it.
    fn enumerators(&mut self, list: Node<'t>, scope: ScopeId, owner: Option<BindingId>, cx: &mut Cx<'_>) {
        self.each(list, cx, |binder, child, cx| {
            cx.deeper(child, |cx| match binder.g.kind(child) {
                Kind::Enumerator => binder.enumerator(child, scope, owner, cx),
                Kind::Identifier => {
                    cx.use_name(child, FILE_SCOPE, Role::Read);
                }
                Kind::PreprocDef | Kind::PreprocFunctionDef | Kind::PreprocCall | Kind::PreprocInclude => {
                    binder.item(child, scope, cx);
                }
                Kind::PreprocIf | Kind::PreprocElif => {
                    let condition = binder.field(child, binder.g.condition);
                    if let Some(condition) = condition {
                        binder.item(condition, FILE_SCOPE, cx);
                    }
                    binder.each(child, cx, |binder, inner, cx| {
                        if Some(inner) != condition {
                            binder.enumerator_or_more(inner, scope, owner, cx);
                        }
                    });
                }
                _ => binder.enumerators(child, scope, owner, cx),
            });
        });
    }

    fn enumerator_or_more(&mut self, node: Node<'t>, scope: ScopeId, owner: Option<BindingId>, cx: &mut Cx<'_>) {
        cx.deeper(node, |cx| match self.g.kind(node) {
            Kind::Enumerator => self.enumerator(node, scope, owner, cx),
            Kind::PreprocDef | Kind::PreprocFunctionDef | Kind::PreprocCall | Kind::PreprocInclude => {
                self.item(node, scope, cx);
            }
            _ => self.enumerators(node, scope, owner, cx),
        });
    }

    pub(super) fn enumerator(&mut self, node: Node<'t>, scope: ScopeId, owner: Option<BindingId>, cx: &mut Cx<'_>) {
        if let Some(name) = self.field(node, self.g.name) {
            let member = cx.bind(scope, BindingKind::EnumMember, name);
            if let Some(binding) = owner {
                cx.binding(member).annotation = Some(cx.expr(Expr::Bound { binding }));
            }
        }
        if let Some(value) = self.field(node, self.g.value) {
            self.item(value, scope, cx);
        }
    }

    /// Binds the members of a struct or union; types and values are looked up from `scope`.
    fn members(&mut self, list: Node<'t>, members: ScopeId, scope: ScopeId, cx: &mut Cx<'_>) {
        self.each(list, cx, |binder, child, cx| binder.member(child, members, scope, cx));
    }

    fn member(&mut self, node: Node<'t>, members: ScopeId, scope: ScopeId, cx: &mut Cx<'_>) {
        cx.deeper(node, |cx| match self.g.kind(node) {
            Kind::FieldDeclaration => self.field_declaration(node, members, scope, cx),
            // A condition, a macro: what is around the fields.
            Kind::PreprocIf | Kind::PreprocElif => {
                let condition = self.field(node, self.g.condition);
                self.each(node, cx, |binder, child, cx| {
                    if Some(child) == condition {
                        binder.item(child, FILE_SCOPE, cx);
                    } else {
                        binder.member(child, members, scope, cx);
                    }
                });
            }
            Kind::Other | Kind::Error | Kind::FieldDeclarationList => self.members(node, members, scope, cx),
            _ => self.item(node, scope, cx),
        });
    }

    fn field_declaration(&mut self, node: Node<'t>, members: ScopeId, scope: ScopeId, cx: &mut Cx<'_>) {
        let written = self.field(node, self.g.r#type);
        let has_declarator = self.field(node, self.g.declarator).is_some();
        if !has_declarator
            && let Some(written) = written
            && self.field(written, self.g.name).is_none()
            && let Some(body) = self.field(written, self.g.body)
            && self.g.kind(written) != Kind::EnumSpecifier
        {
            // The members of a member without a name are members of the type around it.
            self.members(body, members, scope, cx);
            return;
        }
        let head = self.head(node, scope, cx);
        for declarator in head.declarators {
            let Some(mut declared) = self.declarator(declarator, head.declares, scope, cx) else { continue };
            if let Some(parameters) = declared.parameters {
                self.parameter_types(parameters, scope, cx);
                declared.declares = self.function_type(declarator, declared.declares, scope, cx);
            }
            let bound = cx.bind(members, BindingKind::Field, declared.name);
            cx.binding(bound).annotation = Some(declared.declares).filter(|known| *known != cx.unknown());
        }
    }
}
