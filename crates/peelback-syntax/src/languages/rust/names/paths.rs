//! Paths: `a::b::c`.

use tree_sitter::Node;

use super::kinds::{FIELDS, Kind, kind};
use super::{Binder, offset};
use crate::names::{Expr, ExprId, ModuleImportKind, NameId, NamesBuilder, Role, ScopeId};

/// Types that need no declaration: a path that begins with one leads into no module.
const PRIMITIVES: &[&str] = &[
    "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "str", "u128", "u16", "u32", "u64", "u8",
    "usize",
];

impl Binder {
    /// The path or bare name that `node` is; its last name has the role `role`.
    pub fn path<'s>(&mut self, builder: &mut NamesBuilder<'s>, node: Node<'_>, scope: ScopeId, role: Role) -> ExprId {
        match kind(node) {
            Kind::Identifier | Kind::TypeIdentifier | Kind::PrimitiveType => self.name(builder, node, scope, role),
            Kind::SelfWord => builder.expr(Expr::This { scope }),
            Kind::Crate | Kind::Super => self.head(builder, node, scope, role),
            Kind::ScopedIdentifier | Kind::ScopedType => {
                let qualifier = FIELDS.path.of(node);
                let name = FIELDS.name.of(node);
                let base = match qualifier {
                    Some(qualifier) => self.qualifier(builder, qualifier, scope, None),
                    None => return self.crate_named(builder, name, scope, role),
                };
                let Some(name) = name else { return base };
                if let Some(qualifier) = qualifier {
                    self.path_link(builder, qualifier, name, scope);
                }
                builder.use_member(base, name, role)
            }
            Kind::GenericPattern | Kind::GenericFunction | Kind::TurbofishType | Kind::GenericType => {
                self.generic(builder, node, scope, role)
            }
            Kind::Metavariable => builder.unknown(),
            _ => self.expr(builder, node, scope, role),
        }
    }

    /// `::a`: the name of a crate.
    fn crate_named(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        name: Option<Node<'_>>,
        scope: ScopeId,
        role: Role,
    ) -> ExprId {
        let module = self.module;
        match name {
            Some(name) if !self.is_local_item(builder, name) => builder.use_name(name, module, role),
            Some(name) => builder.use_name(name, scope, role),
            None => builder.unknown(),
        }
    }

    /// A path or name with type arguments.
    fn generic(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId, role: Role) -> ExprId {
        let inner = FIELDS.of_type.of(node).or_else(|| FIELDS.function.of(node)).or_else(|| node.named_child(0));
        let base = inner.map_or(builder.unknown(), |inner| self.path(builder, inner, scope, role));
        match FIELDS.type_arguments.of(node) {
            Some(arguments) => self.with_arguments(builder, base, inner, arguments, scope),
            None => base,
        }
    }

    /// A bare name.
    fn name(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId, role: Role) -> ExprId {
        match builder.text(node) {
            "Self" => builder.expr(Expr::ThisType { scope }),
            "_" => builder.unknown(),
            text if role == Role::Type && PRIMITIVES.contains(&text) => builder.unknown(),
            _ => builder.use_name(node, scope, role),
        }
    }

    /// What stands before `::`. Its names have the role `role`, or the one that their case tells.
    pub fn qualifier(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'_>,
        scope: ScopeId,
        role: Option<Role>,
    ) -> ExprId {
        match kind(node) {
            Kind::Identifier | Kind::TypeIdentifier => {
                let text = builder.text(node);
                if text == "Self" {
                    return builder.expr(Expr::ThisType { scope });
                }
                if PRIMITIVES.contains(&text) {
                    return builder.unknown();
                }
                let is_type = is_type_name(text);
                let role = role.unwrap_or(if is_type { Role::Type } else { Role::Read });
                let scope = if is_type || self.is_local_item(builder, node) { scope } else { self.module };
                builder.use_name(node, scope, role)
            }
            Kind::Crate | Kind::Super | Kind::SelfWord => self.head(builder, node, scope, Role::Read),
            Kind::ScopedIdentifier | Kind::ScopedType => builder.deeper(node, |builder| {
                let Some(name) = FIELDS.name.of(node) else { return 0 };
                let name_role = role.unwrap_or(if is_type_name(builder.text(name)) { Role::Type } else { Role::Read });
                match FIELDS.path.of(node) {
                    Some(path) => {
                        let base = self.qualifier(builder, path, scope, role);
                        match kind(name) {
                            Kind::Super => {
                                let (name, at) = (builder.name(name), offset(name.start_byte()));
                                builder.expr(Expr::Member { base, name, at })
                            }
                            _ => builder.use_member(base, name, name_role),
                        }
                    }
                    None => self.crate_named(builder, Some(name), scope, name_role),
                }
            }),
            Kind::BracketedType => self.bracketed(builder, node, scope),
            Kind::Metavariable => builder.unknown(),
            _ => self.ty(builder, node, scope),
        }
    }

    /// `crate`, `super` or `self` at the beginning of a path.
    fn head(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId, _role: Role) -> ExprId {
        let (name, at) = (builder.name(node), offset(node.start_byte()));
        builder.expr(Expr::Name { name, scope, at })
    }

    fn is_local_item(&self, builder: &mut NamesBuilder<'_>, node: Node<'_>) -> bool {
        !self.local_items.is_empty() && {
            let name = builder.name(node);
            self.local_items.contains(&name)
        }
    }

    /// The scope from which an item (not a variable) of this name is sought.
    pub fn item_scope(&self, name: NameId, scope: ScopeId) -> ScopeId {
        if self.local_items.contains(&name) { scope } else { self.module }
    }

    /// Notes that the file takes `name` from the module that `qualifier` names.
    fn path_link(&mut self, builder: &mut NamesBuilder<'_>, qualifier: Node<'_>, name: Node<'_>, scope: ScopeId) {
        let source = builder.text(qualifier);
        let head = source.split("::").next().unwrap_or("");
        let leads = head.chars().next().is_some_and(|first| first.is_lowercase() || first == '_')
            && !PRIMITIVES.contains(&head)
            && source.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':'));
        if leads {
            let name = builder.name(name);
            self.note_path(builder, source, name, scope, qualifier);
        }
    }

    /// Notes that code takes `name` from `source` without an import.
    pub fn note_path<'s>(
        &mut self,
        builder: &mut NamesBuilder<'s>,
        source: &'s str,
        name: NameId,
        scope: ScopeId,
        at: Node<'_>,
    ) {
        let head = builder.intern(source.split("::").next().unwrap_or(""));
        let scope = self.item_scope(head, scope);
        let source = builder.intern(source);
        let import = match self.paths.get(&(scope, source)) {
            Some(import) => *import,
            None => {
                let import = builder.add_import(ModuleImportKind::Path, source, scope, at);
                self.paths.insert((scope, source), import);
                import
            }
        };
        let names = &mut builder.import_mut(import).names;
        if !names.contains(&name) {
            names.push(name);
        }
    }
}

/// Whether a name is written as those of types are.
pub(super) fn is_type_name(name: &str) -> bool {
    name.trim_start_matches('_').starts_with(char::is_uppercase)
}
