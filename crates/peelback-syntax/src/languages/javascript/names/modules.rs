//! Imports, exports and `require`.

use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::{Binder, ExprContext};
use crate::names::{
    BindingId, BindingKind, Exported, Expr, ExprId, FILE_SCOPE, ModuleImportId, ModuleImportKind, NameId, NamesBuilder,
    Role, ScopeId, Target,
};

impl<'t> Binder<'t> {
    pub(super) fn import(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        if self.scope == FILE_SCOPE {
            builder.names.exports.get_or_insert_default();
        }
        let (mut clause, mut require, mut source, mut types) = (None, None, None, false);
        self.each(node, builder, |this, child, field, builder| match (field, this.kind(child)) {
            (Field::Source, _) => source = Some(child),
            (_, Kind::ImportClause) => clause = Some(child),
            (_, Kind::ImportRequire) => require = Some(child),
            (_, Kind::TypeToken | Kind::TypeofToken) => types = true,
            // `with { type: "json" }`.
            _ if child.kind() == "import_attribute" => {
                this.value(child, ExprContext::READ, builder);
            }
            _ => {}
        });
        if let Some(require) = require {
            return self.import_require(require, types, builder);
        }
        let Some(text) = source.and_then(|source| self.string_text(source)) else { return };
        let name = builder.name(text);
        let types = types || clause.is_some_and(|clause| self.takes_only_types(clause, builder));
        let kind = if types { ModuleImportKind::TypeImport } else { ModuleImportKind::Import };
        let import = builder.add_import(kind, name, self.scope, node);
        if let Some(clause) = clause {
            self.each(clause, builder, |this, child, _, builder| match this.kind(child) {
                Kind::Identifier => {
                    let default = builder.intern_made("default");
                    this.take(import, child, Some((default, child)), builder);
                }
                Kind::NamespaceImport => {
                    if let Some(local) = this.inner(child, builder) {
                        this.take(import, local, None, builder);
                    }
                }
                Kind::NamedImports => this.each(child, builder, |this, specifier, _, builder| {
                    if this.kind(specifier) == Kind::ImportSpecifier {
                        this.specifier(import, specifier, builder);
                    }
                }),
                _ => {}
            });
        }
    }

    /// Whether every name in `{ type A, type B }` is one of a type, and no other is taken.
    fn takes_only_types(&mut self, clause: Node<'t>, builder: &mut NamesBuilder<'_>) -> bool {
        let (mut all, mut any) = (true, false);
        self.each(clause, builder, |this, child, _, builder| match this.kind(child) {
            Kind::NamedImports => this.each(child, builder, |this, specifier, _, _| {
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
    fn specifier(&mut self, import: ModuleImportId, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let (name, alias) = (self.child(node, Field::Name, builder), self.child(node, Field::Alias, builder));
        let Some(name) = name else { return };
        let token = self.string_text(name).unwrap_or(name);
        let id = builder.name(token);
        self.take(import, alias.unwrap_or(token), Some((id, token)), builder);
    }

    /// Binds `local` to what an import's source calls `name`; without one, to the source itself.
    fn take(
        &mut self,
        import: ModuleImportId,
        local: Node<'t>,
        name: Option<(NameId, Node<'t>)>,
        builder: &mut NamesBuilder<'_>,
    ) {
        let id = builder.name(local);
        let scope = self.scope;
        self.take_in(scope, import, local, id, name, builder);
    }

    fn take_in(
        &mut self,
        scope: ScopeId,
        import: ModuleImportId,
        local: Node<'t>,
        id: NameId,
        name: Option<(NameId, Node<'t>)>,
        builder: &mut NamesBuilder<'_>,
    ) {
        let binding = builder.bind_name(scope, BindingKind::Import, id, local.start_byte());
        self.bound.entry((scope, id)).or_insert(binding);
        builder.binding(binding).import = Some((import, name.map(|(name, _)| name)));
        let Some((name, token)) = name else {
            return builder.occur(local, Role::Import, Target::Imported(import, None));
        };
        builder.import_mut(import).names.push(name);
        builder.occur(token, Role::Import, Target::Imported(import, Some(name)));
        if token.id() != local.id() {
            builder.occur(local, Role::Import, Target::Binding(binding));
        }
    }

    /// `import a = require("b")`.
    fn import_require(&mut self, node: Node<'t>, types: bool, builder: &mut NamesBuilder<'_>) {
        let (local, source) = (self.inner(node, builder), self.child(node, Field::Source, builder));
        let (Some(local), Some(text)) = (local, source.and_then(|source| self.string_text(source))) else { return };
        let source = builder.name(text);
        let kind = if types { ModuleImportKind::TypeImport } else { ModuleImportKind::Require };
        let import = builder.add_import(kind, source, self.scope, node);
        self.take(import, local, None, builder);
    }

    /// `const a = require("b")`, `const { c } = require("b")`: imports, if `value` is so.
    pub(super) fn required(
        &mut self,
        pattern: Node<'t>,
        value: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> bool {
        if self.kind(value) != Kind::Call {
            return false;
        }
        let Some(text) = self.required_source(value, builder) else { return false };
        let is_plain = match self.kind(pattern) {
            Kind::Identifier => true,
            Kind::ObjectPattern => self.is_plain_pattern(pattern, builder),
            _ => false,
        };
        if !is_plain {
            return false;
        }
        let source = builder.name(text);
        let import = builder.add_import(ModuleImportKind::Require, source, self.scope, value);
        if self.kind(pattern) == Kind::Identifier {
            let id = builder.name(pattern);
            self.take_in(scope, import, pattern, id, None, builder);
            return true;
        }
        self.each(pattern, builder, |this, child, _, builder| match this.kind(child) {
            Kind::ShorthandPattern => {
                let id = builder.name(child);
                this.take_in(scope, import, child, id, Some((id, child)), builder);
            }
            Kind::PairPattern => {
                let (key, local) = (this.child(child, Field::Key, builder), this.child(child, Field::Value, builder));
                if let (Some(key), Some(local)) = (key, local) {
                    let key = this.string_text(key).unwrap_or(key);
                    let (name, id) = (builder.name(key), builder.name(local));
                    this.take_in(scope, import, local, id, Some((name, key)), builder);
                }
            }
            _ => {}
        });
        true
    }

    /// The source that `require("source")` names.
    fn required_source(&mut self, call: Node<'t>, builder: &mut NamesBuilder<'_>) -> Option<Node<'t>> {
        let function = self.child(call, Field::Function, builder)?;
        if builder.text(function) != "require" || !self.is_free(function, builder) {
            return None;
        }
        let arguments = self.child(call, Field::Arguments, builder)?;
        let string = self.inner(arguments, builder)?;
        self.string_text(string)
    }

    /// Whether a pattern only renames.
    fn is_plain_pattern(&mut self, pattern: Node<'t>, builder: &mut NamesBuilder<'_>) -> bool {
        let mut plain = true;
        self.each(pattern, builder, |this, child, _, builder| match this.kind(child) {
            Kind::Token | Kind::Leaf | Kind::ShorthandPattern => {}
            Kind::PairPattern => {
                let (key, local) = (this.child(child, Field::Key, builder), this.child(child, Field::Value, builder));
                plain &= local.is_some_and(|local| this.kind(local) == Kind::Identifier)
                    && key.is_some_and(|key| matches!(this.kind(key), Kind::PropertyIdentifier | Kind::String));
            }
            _ => plain = false,
        });
        plain
    }

    pub(super) fn export(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let at_top = self.scope == FILE_SCOPE;
        if at_top {
            builder.names.exports.get_or_insert_default();
        }
        let (mut source, mut clause, mut namespace, mut declaration, mut value) = (None, None, None, None, None);
        let (mut default, mut all, mut whole, mut types, mut global_name) = (false, false, false, false, false);
        self.each(node, builder, |this, child, field, builder| match (field, this.kind(child)) {
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
                this.value(child, ExprContext::READ, builder);
            }
            _ if child.is_named() && !this.is_comment(child) => value = Some(child),
            _ => {}
        });
        if let Some(text) = source.and_then(|source| self.string_text(source)) {
            return self.re_export(node, text, clause, namespace, all, builder);
        }
        let _ = types;
        if let Some(clause) = clause {
            self.each(clause, builder, |this, specifier, _, builder| {
                if this.kind(specifier) == Kind::ExportSpecifier {
                    this.export_name(specifier, builder);
                }
            });
        } else if let Some(declaration) = declaration {
            self.export_declaration(declaration, default, at_top, builder);
        } else if let Some(value) = value {
            if global_name {
                // `export as namespace Name`: a name for scripts without modules.
                return builder.occur(value, Role::Export, Target::Unknown);
            }
            let role = if self.kind(value) == Kind::Identifier { Role::Export } else { Role::Read };
            let given = self.value(value, ExprContext::role(role), builder);
            if !at_top {
                return;
            }
            if whole {
                let name = builder.intern_made("export=");
                builder.export(name, node.start_byte(), Exported::Module(given));
            } else {
                let name = builder.intern_made("default");
                builder.export(name, node.start_byte(), Exported::Expr(given));
            }
        }
    }

    /// `a as b` of an export from this file.
    fn export_name(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let (name, alias) = (self.child(node, Field::Name, builder), self.child(node, Field::Alias, builder));
        let Some(name) = name else { return };
        let given = builder.use_name(name, self.scope, Role::Export);
        let outside = match alias {
            Some(alias) => {
                let alias = self.string_text(alias).unwrap_or(alias);
                if alias.kind() != "default" {
                    builder.occur(alias, Role::Export, Target::Expr(given));
                }
                alias
            }
            None => name,
        };
        if self.scope == FILE_SCOPE {
            let id = builder.name(outside);
            builder.export(id, outside.start_byte(), Exported::Expr(given));
        }
    }

    /// `export const a = …`, `export default function …`.
    fn export_declaration(
        &mut self,
        declaration: Node<'t>,
        default: bool,
        at_top: bool,
        builder: &mut NamesBuilder<'_>,
    ) {
        let before = builder.names.bindings.len();
        self.value(declaration, ExprContext::READ, builder);
        if !at_top {
            return;
        }
        // What the declaration binds at the top of the file, and not inside itself.
        let made: Vec<(BindingId, NameId, u32)> = (0..)
            .zip(&builder.names.bindings)
            .skip(before)
            .filter(|(_, binding)| binding.scope == FILE_SCOPE)
            .map(|(id, binding)| (id, binding.name, binding.at))
            .collect();
        let default = default.then(|| builder.intern_made("default"));
        for (binding, name, at) in made {
            let given = if builder.names.text(name).is_empty() {
                builder.expr(Expr::Bound { binding })
            } else {
                builder.expr(Expr::Name { name, scope: FILE_SCOPE, at })
            };
            builder.export(default.unwrap_or(name), at as usize, Exported::Expr(given));
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
        builder: &mut NamesBuilder<'_>,
    ) {
        let id = builder.name(source);
        let import = builder.add_import(ModuleImportKind::ReExport, id, self.scope, node);
        if let Some(namespace) = namespace {
            if let Some(name) = self.inner(namespace, builder) {
                let name = self.string_text(name).unwrap_or(name);
                let id = builder.name(name);
                builder.occur(name, Role::Export, Target::Imported(import, None));
                builder.export(id, name.start_byte(), Exported::From(import, None));
            }
        } else if all {
            let name = builder.intern_made("*");
            builder.export(name, node.start_byte(), Exported::AllOf(import));
        }
        let Some(clause) = clause else { return };
        self.each(clause, builder, |this, specifier, _, builder| {
            if this.kind(specifier) != Kind::ExportSpecifier {
                return;
            }
            let (name, alias) =
                (this.child(specifier, Field::Name, builder), this.child(specifier, Field::Alias, builder));
            let Some(name) = name else { return };
            let name = this.string_text(name).unwrap_or(name);
            let alias = alias.map(|alias| this.string_text(alias).unwrap_or(alias));
            let id = builder.name(name);
            builder.import_mut(import).names.push(id);
            let outside = alias.unwrap_or(name);
            for token in std::iter::once(name).chain(alias).filter(|token| token.kind() != "default") {
                builder.occur(token, Role::Export, Target::Imported(import, Some(id)));
            }
            let outside_id = builder.name(outside);
            builder.export(outside_id, outside.start_byte(), Exported::From(import, Some(id)));
        });
    }

    /// Whether a node is `module.exports`.
    pub(super) fn is_module_exports(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> bool {
        builder.text(node) == "module.exports"
            && self.child(node, Field::Object, builder).is_some_and(|object| self.is_free(object, builder))
    }

    /// The object of a CommonJS module's exports, where `node` is `module.exports`.
    pub(super) fn module_exports(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> Option<ExprId> {
        if !self.is_module_exports(node, builder) {
            return None;
        }
        let scope = self.exports(builder);
        Some(builder.expr(Expr::Object { scope }))
    }

    /// `module.exports = value`.
    pub(super) fn export_module(&mut self, left: Node<'t>, right: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let value = self.value(right, ExprContext::READ, builder);
        let name = builder.intern_made("export=");
        builder.export(name, left.start_byte(), Exported::Module(value));
        value
    }
}
