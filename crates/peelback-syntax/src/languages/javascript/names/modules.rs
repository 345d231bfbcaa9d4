//! Imports, exports and `require`.

use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::{Binder, Want};
use crate::names::{
    BindingId, BindingKind, Cx, Exported, Expr, ExprId, FILE_SCOPE, LinkId, LinkKind, NameId, Role, ScopeId, Target,
};

impl<'t> Binder<'t> {
    pub(super) fn import(&mut self, node: Node<'t>, cx: &mut Cx<'_>) {
        if self.scope == FILE_SCOPE {
            cx.names.exports.get_or_insert_default();
        }
        let (mut clause, mut require, mut source, mut types) = (None, None, None, false);
        self.each(node, cx, |this, child, field, _| match (field, this.kind(child)) {
            (Field::Source, _) => source = Some(child),
            (_, Kind::ImportClause) => clause = Some(child),
            (_, Kind::ImportRequire) => require = Some(child),
            (_, Kind::TypeToken | Kind::TypeofToken) => types = true,
            _ => {}
        });
        if let Some(require) = require {
            return self.import_require(require, types, cx);
        }
        let Some(text) = source.and_then(|source| self.string_text(source)) else { return };
        let name = cx.name(text);
        let types = types || clause.is_some_and(|clause| self.takes_only_types(clause, cx));
        let kind = if types { LinkKind::TypeImport } else { LinkKind::Import };
        let link = cx.link(kind, name, self.scope, node);
        if let Some(clause) = clause {
            self.each(clause, cx, |this, child, _, cx| match this.kind(child) {
                Kind::Identifier => {
                    let default = cx.intern_made("default");
                    this.take(link, child, Some((default, child)), cx);
                }
                Kind::NamespaceImport => {
                    if let Some(local) = this.inner(child, cx) {
                        this.take(link, local, None, cx);
                    }
                }
                Kind::NamedImports => this.each(child, cx, |this, specifier, _, cx| {
                    if this.kind(specifier) == Kind::ImportSpecifier {
                        this.specifier(link, specifier, cx);
                    }
                }),
                _ => {}
            });
        }
    }

    /// Whether every name in `{ type A, type B }` is one of a type, and no other is taken.
    fn takes_only_types(&mut self, clause: Node<'t>, cx: &mut Cx<'_>) -> bool {
        let (mut all, mut any) = (true, false);
        self.each(clause, cx, |this, child, _, cx| match this.kind(child) {
            Kind::NamedImports => this.each(child, cx, |this, specifier, _, _| {
                if this.kind(specifier) == Kind::ImportSpecifier {
                    any = true;
                    all &= specifier.child(0).is_some_and(|first| {
                        specifier.child_count() > 1 && matches!(this.kind(first), Kind::TypeToken | Kind::TypeofToken)
                    });
                }
            }),
            Kind::Token => {}
            _ => all = false,
        });
        all && any
    }

    /// `name as alias` of an import.
    fn specifier(&mut self, link: LinkId, node: Node<'t>, cx: &mut Cx<'_>) {
        let (name, alias) = (self.child(node, Field::Name, cx), self.child(node, Field::Alias, cx));
        let Some(name) = name else { return };
        let token = self.string_text(name).unwrap_or(name);
        let id = cx.name(token);
        self.take(link, alias.unwrap_or(token), Some((id, token)), cx);
    }

    /// Binds `local` to what a link's source calls `name`; without one, to the source itself.
    fn take(&mut self, link: LinkId, local: Node<'t>, name: Option<(NameId, Node<'t>)>, cx: &mut Cx<'_>) {
        let id = cx.name(local);
        let scope = self.scope;
        self.take_in(scope, link, local, id, name, cx);
    }

    fn take_in(
        &mut self,
        scope: ScopeId,
        link: LinkId,
        local: Node<'t>,
        id: NameId,
        name: Option<(NameId, Node<'t>)>,
        cx: &mut Cx<'_>,
    ) {
        let binding = cx.bind_name(scope, BindingKind::Import, id, local.start_byte());
        self.bound.entry((scope, id)).or_insert(binding);
        cx.binding(binding).import = Some((link, name.map(|(name, _)| name)));
        let Some((name, token)) = name else {
            return cx.occur(local, Role::Import, Target::Linked(link, None));
        };
        cx.link_mut(link).names.push(name);
        cx.occur(token, Role::Import, Target::Linked(link, Some(name)));
        if token.id() != local.id() {
            cx.occur(local, Role::Import, Target::Binding(binding));
        }
    }

    /// `import a = require("b")`.
    fn import_require(&mut self, node: Node<'t>, types: bool, cx: &mut Cx<'_>) {
        let (local, source) = (self.inner(node, cx), self.child(node, Field::Source, cx));
        let (Some(local), Some(text)) = (local, source.and_then(|source| self.string_text(source))) else { return };
        let source = cx.name(text);
        let kind = if types { LinkKind::TypeImport } else { LinkKind::Require };
        let link = cx.link(kind, source, self.scope, node);
        self.take(link, local, None, cx);
    }

    /// `const a = require("b")`, `const { c } = require("b")`: imports, if `value` is so.
    pub(super) fn required(&mut self, pattern: Node<'t>, value: Node<'t>, scope: ScopeId, cx: &mut Cx<'_>) -> bool {
        if self.kind(value) != Kind::Call {
            return false;
        }
        let Some(text) = self.required_source(value, cx) else { return false };
        let is_plain = match self.kind(pattern) {
            Kind::Identifier => true,
            Kind::ObjectPattern => self.is_plain_pattern(pattern, cx),
            _ => false,
        };
        if !is_plain {
            return false;
        }
        let source = cx.name(text);
        let link = cx.link(LinkKind::Require, source, self.scope, value);
        if self.kind(pattern) == Kind::Identifier {
            let id = cx.name(pattern);
            self.take_in(scope, link, pattern, id, None, cx);
            return true;
        }
        self.each(pattern, cx, |this, child, _, cx| match this.kind(child) {
            Kind::ShorthandPattern => {
                let id = cx.name(child);
                this.take_in(scope, link, child, id, Some((id, child)), cx);
            }
            Kind::PairPattern => {
                let (key, local) = (this.child(child, Field::Key, cx), this.child(child, Field::Value, cx));
                if let (Some(key), Some(local)) = (key, local) {
                    let key = this.string_text(key).unwrap_or(key);
                    let (name, id) = (cx.name(key), cx.name(local));
                    this.take_in(scope, link, local, id, Some((name, key)), cx);
                }
            }
            _ => {}
        });
        true
    }

    /// The source that `require("source")` names.
    fn required_source(&mut self, call: Node<'t>, cx: &mut Cx<'_>) -> Option<Node<'t>> {
        let function = self.child(call, Field::Function, cx)?;
        if cx.text(function) != "require" || !self.is_free(function, cx) {
            return None;
        }
        let arguments = self.child(call, Field::Arguments, cx)?;
        let string = self.inner(arguments, cx)?;
        self.string_text(string)
    }

    /// Whether a pattern only renames.
    fn is_plain_pattern(&mut self, pattern: Node<'t>, cx: &mut Cx<'_>) -> bool {
        let mut plain = true;
        self.each(pattern, cx, |this, child, _, cx| match this.kind(child) {
            Kind::Token | Kind::Leaf | Kind::ShorthandPattern => {}
            Kind::PairPattern => {
                let (key, local) = (this.child(child, Field::Key, cx), this.child(child, Field::Value, cx));
                plain &= local.is_some_and(|local| this.kind(local) == Kind::Identifier)
                    && key.is_some_and(|key| matches!(this.kind(key), Kind::PropertyIdentifier | Kind::String));
            }
            _ => plain = false,
        });
        plain
    }

    pub(super) fn export(&mut self, node: Node<'t>, cx: &mut Cx<'_>) {
        let at_top = self.scope == FILE_SCOPE;
        if at_top {
            cx.names.exports.get_or_insert_default();
        }
        let (mut source, mut clause, mut namespace, mut declaration, mut value) = (None, None, None, None, None);
        let (mut default, mut all, mut whole, mut types, mut global_name) = (false, false, false, false, false);
        self.each(node, cx, |this, child, field, cx| match (field, this.kind(child)) {
            (Field::Source, _) => source = Some(child),
            (Field::Declaration, _) => declaration = Some(child),
            (Field::Value, _) => value = Some(child),
            (_, Kind::ExportClause) => clause = Some(child),
            (_, Kind::NamespaceExport) => namespace = Some(child),
            (_, Kind::DefaultToken) => default = true,
            (_, Kind::StarToken) => all = true,
            (_, Kind::EqualsToken) => whole = true,
            (_, Kind::TypeToken) => types = true,
            (_, Kind::AsToken) => global_name = true,
            (_, Kind::Decorator) => {
                this.value(child, Want::READ, cx);
            }
            _ if child.is_named() && !this.is_comment(child) => value = Some(child),
            _ => {}
        });
        if let Some(text) = source.and_then(|source| self.string_text(source)) {
            return self.re_export(node, text, clause, namespace, all, cx);
        }
        let _ = types;
        if let Some(clause) = clause {
            self.each(clause, cx, |this, specifier, _, cx| {
                if this.kind(specifier) == Kind::ExportSpecifier {
                    this.export_name(specifier, cx);
                }
            });
        } else if let Some(declaration) = declaration {
            self.export_declaration(declaration, default, at_top, cx);
        } else if let Some(value) = value {
            if global_name {
                // `export as namespace Name`: a name for scripts without modules.
                return cx.occur(value, Role::Export, Target::Unknown);
            }
            let role = if self.kind(value) == Kind::Identifier { Role::Export } else { Role::Read };
            let given = self.value(value, Want::role(role), cx);
            if !at_top {
                return;
            }
            if whole {
                let name = cx.intern_made("export=");
                cx.export(name, node.start_byte(), Exported::Module(given));
            } else {
                let name = cx.intern_made("default");
                cx.export(name, node.start_byte(), Exported::Expr(given));
            }
        }
    }

    /// `a as b` of an export from this file.
    fn export_name(&mut self, node: Node<'t>, cx: &mut Cx<'_>) {
        let (name, alias) = (self.child(node, Field::Name, cx), self.child(node, Field::Alias, cx));
        let Some(name) = name else { return };
        let given = cx.use_name(name, self.scope, Role::Export);
        let outside = match alias {
            Some(alias) => {
                let alias = self.string_text(alias).unwrap_or(alias);
                if alias.kind() != "default" {
                    cx.occur(alias, Role::Export, Target::Expr(given));
                }
                alias
            }
            None => name,
        };
        if self.scope == FILE_SCOPE {
            let id = cx.name(outside);
            cx.export(id, outside.start_byte(), Exported::Expr(given));
        }
    }

    /// `export const a = …`, `export default function …`.
    fn export_declaration(&mut self, declaration: Node<'t>, default: bool, at_top: bool, cx: &mut Cx<'_>) {
        let before = cx.names.bindings.len();
        self.value(declaration, Want::READ, cx);
        if !at_top {
            return;
        }
        // What the declaration binds at the top of the file, and not inside itself.
        let made: Vec<(BindingId, NameId, u32)> = (0..)
            .zip(&cx.names.bindings)
            .skip(before)
            .filter(|(_, binding)| binding.scope == FILE_SCOPE)
            .map(|(id, binding)| (id, binding.name, binding.at))
            .collect();
        let default = default.then(|| cx.intern_made("default"));
        for (binding, name, at) in made {
            let given = if cx.names.text(name).is_empty() {
                cx.expr(Expr::Bound { binding })
            } else {
                cx.expr(Expr::Name { name, scope: FILE_SCOPE, at })
            };
            cx.export(default.unwrap_or(name), at as usize, Exported::Expr(given));
            if default.is_some() {
                break;
            }
        }
    }

    fn re_export(
        &mut self,
        node: Node<'t>,
        source: Node<'t>,
        clause: Option<Node<'t>>,
        namespace: Option<Node<'t>>,
        all: bool,
        cx: &mut Cx<'_>,
    ) {
        let id = cx.name(source);
        let link = cx.link(LinkKind::ReExport, id, self.scope, node);
        if let Some(namespace) = namespace {
            if let Some(name) = self.inner(namespace, cx) {
                let name = self.string_text(name).unwrap_or(name);
                let id = cx.name(name);
                cx.occur(name, Role::Export, Target::Linked(link, None));
                cx.export(id, name.start_byte(), Exported::From(link, None));
            }
        } else if all {
            let name = cx.intern_made("*");
            cx.export(name, node.start_byte(), Exported::AllOf(link));
        }
        let Some(clause) = clause else { return };
        self.each(clause, cx, |this, specifier, _, cx| {
            if this.kind(specifier) != Kind::ExportSpecifier {
                return;
            }
            let (name, alias) = (this.child(specifier, Field::Name, cx), this.child(specifier, Field::Alias, cx));
            let Some(name) = name else { return };
            let name = this.string_text(name).unwrap_or(name);
            let alias = alias.map(|alias| this.string_text(alias).unwrap_or(alias));
            let id = cx.name(name);
            cx.link_mut(link).names.push(id);
            let outside = alias.unwrap_or(name);
            for token in std::iter::once(name).chain(alias).filter(|token| token.kind() != "default") {
                cx.occur(token, Role::Export, Target::Linked(link, Some(id)));
            }
            let outside_id = cx.name(outside);
            cx.export(outside_id, outside.start_byte(), Exported::From(link, Some(id)));
        });
    }

    /// Whether a node is `module.exports`.
    pub(super) fn is_module_exports(&mut self, node: Node<'t>, cx: &mut Cx<'_>) -> bool {
        cx.text(node) == "module.exports"
            && self.child(node, Field::Object, cx).is_some_and(|object| self.is_free(object, cx))
    }

    /// The object of a CommonJS module's exports, where `node` is `module.exports`.
    pub(super) fn module_exports(&mut self, node: Node<'t>, cx: &mut Cx<'_>) -> Option<ExprId> {
        if !self.is_module_exports(node, cx) {
            return None;
        }
        let scope = self.exports(cx);
        Some(cx.expr(Expr::Object { scope }))
    }

    /// `module.exports = value`.
    pub(super) fn export_module(&mut self, left: Node<'t>, right: Node<'t>, cx: &mut Cx<'_>) -> ExprId {
        let value = self.value(right, Want::READ, cx);
        let name = cx.intern_made("export=");
        cx.export(name, left.start_byte(), Exported::Module(value));
        value
    }
}
