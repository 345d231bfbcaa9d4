//! Paths: `a::b::c`.

use tree_sitter::Node;

use super::kinds::{FIELDS, Kind, kind};
use super::{Binder, offset};
use crate::names::{Cx, Expr, ExprId, LinkKind, NameId, Role, ScopeId};

/// Types that need no declaration: a path that begins with one leads into no module.
const PRIMITIVES: &[&str] = &[
    "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "str", "u128", "u16", "u32", "u64", "u8",
    "usize",
];

impl Binder {
    /// The path or bare name that `node` is; its last name has the role `role`.
    pub fn path<'s>(&mut self, cx: &mut Cx<'s>, node: Node<'_>, scope: ScopeId, role: Role) -> ExprId {
        match kind(node) {
            Kind::Identifier | Kind::TypeIdentifier | Kind::PrimitiveType => self.name(cx, node, scope, role),
            Kind::SelfWord => cx.expr(Expr::This { scope }),
            Kind::Crate | Kind::Super => self.head(cx, node, scope, role),
            Kind::ScopedIdentifier | Kind::ScopedType => {
                let qualifier = FIELDS.path.of(node);
                let name = FIELDS.name.of(node);
                let base = match qualifier {
                    Some(qualifier) => self.qualifier(cx, qualifier, scope, None),
                    None => return self.crate_named(cx, name, scope, role),
                };
                let Some(name) = name else { return base };
                if let Some(qualifier) = qualifier {
                    self.path_link(cx, qualifier, name, scope);
                }
                cx.use_member(base, name, role)
            }
            Kind::GenericPattern | Kind::GenericFunction | Kind::TurbofishType | Kind::GenericType => {
                self.generic(cx, node, scope, role)
            }
            Kind::Metavariable => cx.unknown(),
            _ => self.expr(cx, node, scope, role),
        }
    }

    /// `::a`: the name of a crate.
    fn crate_named(&mut self, cx: &mut Cx<'_>, name: Option<Node<'_>>, scope: ScopeId, role: Role) -> ExprId {
        let module = self.module;
        match name {
            Some(name) if !self.is_local_item(cx, name) => cx.use_name(name, module, role),
            Some(name) => cx.use_name(name, scope, role),
            None => cx.unknown(),
        }
    }

    /// A path or name with type arguments.
    fn generic(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId, role: Role) -> ExprId {
        let inner = FIELDS.of_type.of(node).or_else(|| FIELDS.function.of(node)).or_else(|| node.named_child(0));
        let base = inner.map_or(cx.unknown(), |inner| self.path(cx, inner, scope, role));
        match FIELDS.type_arguments.of(node) {
            Some(arguments) => self.with_arguments(cx, base, inner, arguments, scope),
            None => base,
        }
    }

    /// A bare name.
    fn name(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId, role: Role) -> ExprId {
        match cx.text(node) {
            "Self" => cx.expr(Expr::ThisType { scope }),
            "_" => cx.unknown(),
            text if role == Role::Type && PRIMITIVES.contains(&text) => cx.unknown(),
            _ => cx.use_name(node, scope, role),
        }
    }

    /// What stands before `::`. Its names have the role `role`, or the one that their case tells.
    pub fn qualifier(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId, role: Option<Role>) -> ExprId {
        match kind(node) {
            Kind::Identifier | Kind::TypeIdentifier => {
                let text = cx.text(node);
                if text == "Self" {
                    return cx.expr(Expr::ThisType { scope });
                }
                if PRIMITIVES.contains(&text) {
                    return cx.unknown();
                }
                let is_type = is_type_name(text);
                let role = role.unwrap_or(if is_type { Role::Type } else { Role::Read });
                let scope = if is_type || self.is_local_item(cx, node) { scope } else { self.module };
                cx.use_name(node, scope, role)
            }
            Kind::Crate | Kind::Super | Kind::SelfWord => self.head(cx, node, scope, Role::Read),
            Kind::ScopedIdentifier | Kind::ScopedType => cx.deeper(node, |cx| {
                let Some(name) = FIELDS.name.of(node) else { return 0 };
                let name_role = role.unwrap_or(if is_type_name(cx.text(name)) { Role::Type } else { Role::Read });
                match FIELDS.path.of(node) {
                    Some(path) => {
                        let base = self.qualifier(cx, path, scope, role);
                        match kind(name) {
                            Kind::Super => {
                                let (name, at) = (cx.name(name), offset(name.start_byte()));
                                cx.expr(Expr::Member { base, name, at })
                            }
                            _ => cx.use_member(base, name, name_role),
                        }
                    }
                    None => self.crate_named(cx, Some(name), scope, name_role),
                }
            }),
            Kind::BracketedType => self.bracketed(cx, node, scope),
            Kind::Metavariable => cx.unknown(),
            _ => self.ty(cx, node, scope),
        }
    }

    /// `crate`, `super` or `self` at the beginning of a path.
    fn head(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId, _role: Role) -> ExprId {
        let (name, at) = (cx.name(node), offset(node.start_byte()));
        cx.expr(Expr::Name { name, scope, at })
    }

    fn is_local_item(&self, cx: &mut Cx<'_>, node: Node<'_>) -> bool {
        !self.local_items.is_empty() && {
            let name = cx.name(node);
            self.local_items.contains(&name)
        }
    }

    /// The scope from which an item (not a variable) of this name is sought.
    pub fn item_scope(&self, name: NameId, scope: ScopeId) -> ScopeId {
        if self.local_items.contains(&name) { scope } else { self.module }
    }

    /// Notes that the file takes `name` from the module that `qualifier` names.
    fn path_link(&mut self, cx: &mut Cx<'_>, qualifier: Node<'_>, name: Node<'_>, scope: ScopeId) {
        let source = cx.text(qualifier);
        let head = source.split("::").next().unwrap_or("");
        let leads = head.chars().next().is_some_and(|first| first.is_lowercase() || first == '_')
            && !PRIMITIVES.contains(&head)
            && source.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':'));
        if leads {
            let name = cx.name(name);
            self.note_path(cx, source, name, scope, qualifier);
        }
    }

    /// Notes that code takes `name` from `source` without an import.
    pub fn note_path<'s>(&mut self, cx: &mut Cx<'s>, source: &'s str, name: NameId, scope: ScopeId, at: Node<'_>) {
        let head = cx.intern(source.split("::").next().unwrap_or(""));
        let scope = self.item_scope(head, scope);
        let source = cx.intern(source);
        let link = match self.paths.get(&(scope, source)) {
            Some(link) => *link,
            None => {
                let link = cx.link(LinkKind::Path, source, scope, at);
                self.paths.insert((scope, source), link);
                link
            }
        };
        let names = &mut cx.link_mut(link).names;
        if !names.contains(&name) {
            names.push(name);
        }
    }
}

/// Whether a name is written as those of types are.
pub(super) fn is_type_name(name: &str) -> bool {
    name.trim_start_matches('_').starts_with(char::is_uppercase)
}
