//! Expressions for Rust paths: `a::b::c`.

use tree_sitter::Node;

use super::kinds::{FIELDS, Kind, kind_of_node};
use super::{Binder, saturating_u32};
use crate::names::{Expr, ExprId, ModuleImportKind, NameId, NamesBuilder, Role, ScopeId};

/// The names of Rust's primitive types. They have no declaration, so a path that begins with one of them names no
/// module.
const PRIMITIVE_TYPES: &[&str] = &[
    "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "str", "u128", "u16", "u32", "u64", "u8",
    "usize",
];

impl Binder {
    /// The expression for the path or bare name in `node`. The last name of the path gets the role `role`.
    pub fn path_expr<'s>(
        &mut self,
        builder: &mut NamesBuilder<'s>,
        node: Node<'_>,
        scope: ScopeId,
        role: Role,
    ) -> ExprId {
        match kind_of_node(node) {
            Kind::Identifier | Kind::TypeIdentifier | Kind::PrimitiveType => {
                self.record_bare_name_and_get_expr(builder, node, scope, role)
            }
            Kind::SelfWord => builder.add_expr(Expr::This { scope }),
            Kind::Crate | Kind::Super => self.path_keyword_expr(builder, node, scope, role),
            Kind::ScopedIdentifier | Kind::ScopedType => {
                let qualifier = FIELDS.path.child_of(node);
                let name = FIELDS.name.child_of(node);
                let base = match qualifier {
                    Some(qualifier) => self.path_qualifier_expr(builder, qualifier, scope, None),
                    None => return self.leading_colon_path_expr(builder, name, scope, role),
                };
                let Some(name) = name else { return base };
                if let Some(qualifier) = qualifier {
                    self.record_use_of_qualified_name(builder, qualifier, name, scope);
                }
                builder.record_member_use(base, name, role)
            }
            Kind::GenericPattern | Kind::GenericFunction | Kind::TurbofishType | Kind::GenericType => {
                self.generic_path_expr(builder, node, scope, role)
            }
            Kind::Metavariable => builder.unknown_expr(),
            _ => self.bind_names_and_get_value(builder, node, scope, role),
        }
    }

    /// The expression for the path `::a`, which names a crate.
    fn leading_colon_path_expr(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        name: Option<Node<'_>>,
        scope: ScopeId,
        role: Role,
    ) -> ExprId {
        let module = self.module;
        match name {
            Some(name) if !self.is_item_name_inside_function(builder, name) => {
                builder.record_name_use(name, module, role)
            }
            Some(name) => builder.record_name_use(name, scope, role),
            None => builder.unknown_expr(),
        }
    }

    /// The expression for a path or name that has type arguments: `a::B<C>`, `f::<T>`.
    fn generic_path_expr(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'_>,
        scope: ScopeId,
        role: Role,
    ) -> ExprId {
        let inner =
            FIELDS.of_type.child_of(node).or_else(|| FIELDS.function.child_of(node)).or_else(|| node.named_child(0));
        let base = inner.map_or(builder.unknown_expr(), |inner| self.path_expr(builder, inner, scope, role));
        match FIELDS.type_arguments.child_of(node) {
            Some(arguments) => self.type_with_arguments(builder, base, inner, arguments, scope),
            None => base,
        }
    }

    /// Records the use of a bare name, and returns the expression for it.
    fn record_bare_name_and_get_expr(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'_>,
        scope: ScopeId,
        role: Role,
    ) -> ExprId {
        match builder.text_of_node(node) {
            "Self" => builder.add_expr(Expr::ThisType { scope }),
            "_" => builder.unknown_expr(),
            text if role == Role::Type && PRIMITIVE_TYPES.contains(&text) => builder.unknown_expr(),
            _ => builder.record_name_use(node, scope, role),
        }
    }

    /// The expression for the qualifier in front of `::`. Its names get the role `role`; without a role, upper-case
    /// names are types and lower-case names are reads.
    pub fn path_qualifier_expr(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'_>,
        scope: ScopeId,
        role: Option<Role>,
    ) -> ExprId {
        match kind_of_node(node) {
            Kind::Identifier | Kind::TypeIdentifier => {
                let text = builder.text_of_node(node);
                if text == "Self" {
                    return builder.add_expr(Expr::ThisType { scope });
                }
                if PRIMITIVE_TYPES.contains(&text) {
                    return builder.unknown_expr();
                }
                let is_type = looks_like_type_name(text);
                let role = role.unwrap_or(if is_type { Role::Type } else { Role::Read });
                let scope =
                    if is_type || self.is_item_name_inside_function(builder, node) { scope } else { self.module };
                builder.record_name_use(node, scope, role)
            }
            Kind::Crate | Kind::Super | Kind::SelfWord => self.path_keyword_expr(builder, node, scope, Role::Read),
            Kind::ScopedIdentifier | Kind::ScopedType => builder.run_with_depth_limit(node, |builder| {
                let Some(name) = FIELDS.name.child_of(node) else { return 0 };
                let name_role = role.unwrap_or(if looks_like_type_name(builder.text_of_node(name)) {
                    Role::Type
                } else {
                    Role::Read
                });
                match FIELDS.path.child_of(node) {
                    Some(path) => {
                        let base = self.path_qualifier_expr(builder, path, scope, role);
                        match kind_of_node(name) {
                            Kind::Super => {
                                let (name, at) = (builder.name_id_of_node(name), saturating_u32(name.start_byte()));
                                builder.add_expr(Expr::Member { base, name, at })
                            }
                            _ => builder.record_member_use(base, name, name_role),
                        }
                    }
                    None => self.leading_colon_path_expr(builder, Some(name), scope, name_role),
                }
            }),
            Kind::BracketedType => self.trait_or_type_of_qualified_path_prefix(builder, node, scope),
            Kind::Metavariable => builder.unknown_expr(),
            _ => self.type_expr(builder, node, scope),
        }
    }

    /// The expression for `crate`, `super` or `self` at the start of a path.
    fn path_keyword_expr(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'_>,
        scope: ScopeId,
        _role: Role,
    ) -> ExprId {
        let (name, at) = (builder.name_id_of_node(node), saturating_u32(node.start_byte()));
        builder.add_expr(Expr::Name { name, scope, at })
    }

    fn is_item_name_inside_function(&self, builder: &mut NamesBuilder<'_>, node: Node<'_>) -> bool {
        !self.local_items.is_empty() && {
            let name = builder.name_id_of_node(node);
            self.local_items.contains(&name)
        }
    }

    /// The scope from which an item called `name` is looked up. Variables are looked up from other scopes.
    pub fn item_lookup_scope(&self, name: NameId, scope: ScopeId) -> ScopeId {
        if self.local_items.contains(&name) { scope } else { self.module }
    }

    /// Records that the file uses `name` from a module, which the path `qualifier` names.
    fn record_use_of_qualified_name(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        qualifier: Node<'_>,
        name: Node<'_>,
        scope: ScopeId,
    ) {
        let source = builder.text_of_node(qualifier);
        let head = source.split("::").next().unwrap_or("");
        let leads = head.chars().next().is_some_and(|first| first.is_lowercase() || first == '_')
            && !PRIMITIVE_TYPES.contains(&head)
            && source.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':'));
        if leads {
            let name = builder.name_id_of_node(name);
            self.record_qualified_path_reference(builder, source, name, scope, qualifier);
        }
    }

    /// Records that code uses `name` from the module `source` by a path, without a `use` declaration.
    pub fn record_qualified_path_reference<'s>(
        &mut self,
        builder: &mut NamesBuilder<'s>,
        source: &'s str,
        name: NameId,
        scope: ScopeId,
        at: Node<'_>,
    ) {
        let head = builder.intern_source_text(source.split("::").next().unwrap_or(""));
        let scope = self.item_lookup_scope(head, scope);
        let source = builder.intern_source_text(source);
        let import = match self.path_imports.get(&(scope, source)) {
            Some(import) => *import,
            None => {
                let import = builder.add_import(ModuleImportKind::Path, source, scope, at);
                self.path_imports.insert((scope, source), import);
                import
            }
        };
        let names = &mut builder.import_mut(import).names;
        if !names.contains(&name) {
            names.push(name);
        }
    }
}

/// Whether a name follows the naming convention of types: its first letter is upper-case.
pub(super) fn looks_like_type_name(name: &str) -> bool {
    name.trim_start_matches('_').starts_with(char::is_uppercase)
}
