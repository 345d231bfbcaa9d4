//! Binds imports, exports and `require`.

use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::{Binder, ExprContext};
use crate::names::{
    BindingId, BindingKind, Exported, Expr, ExprId, FILE_SCOPE, ModuleImportId, ModuleImportKind, NameId, NamesBuilder,
    Role, ScopeId, Target,
};

impl<'t> Binder<'t> {
    pub(super) fn bind_import(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        if self.scope == FILE_SCOPE {
            builder.names.exports.get_or_insert_default();
        }
        let (mut clause, mut require, mut source, mut types) = (None, None, None, false);
        self.for_each_child(node, builder, |this, child, field, builder| match (field, this.kind_of(child)) {
            (Field::Source, _) => source = Some(child),
            (_, Kind::ImportClause) => clause = Some(child),
            (_, Kind::ImportRequire) => require = Some(child),
            (_, Kind::TypeToken | Kind::TypeofToken) => types = true,
            // Import attributes: `with { type: "json" }`.
            _ if child.kind() == "import_attribute" => {
                this.expression_value(child, ExprContext::READ, builder);
            }
            _ => {}
        });
        if let Some(require) = require {
            return self.bind_import_require(require, types, builder);
        }
        let Some(text) = source.and_then(|source| self.string_fragment(source)) else { return };
        let name = builder.name(text);
        let types = types || clause.is_some_and(|clause| self.imports_only_types(clause, builder));
        let kind = if types { ModuleImportKind::TypeImport } else { ModuleImportKind::Import };
        let import = builder.add_import(kind, name, self.scope, node);
        if let Some(clause) = clause {
            self.for_each_child(clause, builder, |this, child, _, builder| match this.kind_of(child) {
                Kind::Identifier => {
                    let default = builder.intern_made("default");
                    this.bind_imported(import, child, Some((default, child)), builder);
                }
                Kind::NamespaceImport => {
                    if let Some(local) = this.first_code_child(child, builder) {
                        this.bind_imported(import, local, None, builder);
                    }
                }
                Kind::NamedImports => this.for_each_child(child, builder, |this, specifier, _, builder| {
                    if this.kind_of(specifier) == Kind::ImportSpecifier {
                        this.bind_import_specifier(import, specifier, builder);
                    }
                }),
                _ => {}
            });
        }
    }

    /// Whether an import clause imports only types: `{ type A, type B }`.
    fn imports_only_types(&mut self, clause: Node<'t>, builder: &mut NamesBuilder<'_>) -> bool {
        let (mut all, mut any) = (true, false);
        self.for_each_child(clause, builder, |this, child, _, builder| match this.kind_of(child) {
            Kind::NamedImports => this.for_each_child(child, builder, |this, specifier, _, _| {
                if this.kind_of(specifier) == Kind::ImportSpecifier {
                    any = true;
                    all &= specifier.child(0).is_some_and(|first| {
                        specifier.child_count() > 1
                            && matches!(this.kind_of(first), Kind::TypeToken | Kind::TypeofToken)
                    });
                }
            }),
            Kind::Token => {}
            _ => all = false,
        });
        all && any
    }

    /// Binds the import specifier `name as alias`.
    fn bind_import_specifier(&mut self, import: ModuleImportId, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let (name, alias) =
            (self.child_in_field(node, Field::Name, builder), self.child_in_field(node, Field::Alias, builder));
        let Some(name) = name else { return };
        let token = self.string_fragment(name).unwrap_or(name);
        let id = builder.name(token);
        self.bind_imported(import, alias.unwrap_or(token), Some((id, token)), builder);
    }

    /// Binds `local` to the export `name` of an import's source, or to the source itself if there is no name.
    fn bind_imported(
        &mut self,
        import: ModuleImportId,
        local: Node<'t>,
        name: Option<(NameId, Node<'t>)>,
        builder: &mut NamesBuilder<'_>,
    ) {
        let id = builder.name(local);
        let scope = self.scope;
        self.bind_imported_in_scope(scope, import, local, id, name, builder);
    }

    fn bind_imported_in_scope(
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

    /// Binds `import a = require("b")`.
    fn bind_import_require(&mut self, node: Node<'t>, types: bool, builder: &mut NamesBuilder<'_>) {
        let (local, source) = (self.first_code_child(node, builder), self.child_in_field(node, Field::Source, builder));
        let (Some(local), Some(text)) = (local, source.and_then(|source| self.string_fragment(source))) else { return };
        let source = builder.name(text);
        let kind = if types { ModuleImportKind::TypeImport } else { ModuleImportKind::Require };
        let import = builder.add_import(kind, source, self.scope, node);
        self.bind_imported(import, local, None, builder);
    }

    /// Binds `const a = require("b")` or `const { c } = require("b")` as imports. Returns `false` if `value` is not
    /// such a call.
    pub(super) fn bind_require(
        &mut self,
        pattern: Node<'t>,
        value: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> bool {
        if self.kind_of(value) != Kind::Call {
            return false;
        }
        let Some(text) = self.require_source(value, builder) else { return false };
        let is_plain = match self.kind_of(pattern) {
            Kind::Identifier => true,
            Kind::ObjectPattern => self.only_renames(pattern, builder),
            _ => false,
        };
        if !is_plain {
            return false;
        }
        let source = builder.name(text);
        let import = builder.add_import(ModuleImportKind::Require, source, self.scope, value);
        if self.kind_of(pattern) == Kind::Identifier {
            let id = builder.name(pattern);
            self.bind_imported_in_scope(scope, import, pattern, id, None, builder);
            return true;
        }
        self.for_each_child(pattern, builder, |this, child, _, builder| match this.kind_of(child) {
            Kind::ShorthandPattern => {
                let id = builder.name(child);
                this.bind_imported_in_scope(scope, import, child, id, Some((id, child)), builder);
            }
            Kind::PairPattern => {
                let (key, local) = (
                    this.child_in_field(child, Field::Key, builder),
                    this.child_in_field(child, Field::Value, builder),
                );
                if let (Some(key), Some(local)) = (key, local) {
                    let key = this.string_fragment(key).unwrap_or(key);
                    let (name, id) = (builder.name(key), builder.name(local));
                    this.bind_imported_in_scope(scope, import, local, id, Some((name, key)), builder);
                }
            }
            _ => {}
        });
        true
    }

    /// The source that `require("source")` names.
    fn require_source(&mut self, call: Node<'t>, builder: &mut NamesBuilder<'_>) -> Option<Node<'t>> {
        let function = self.child_in_field(call, Field::Function, builder)?;
        if builder.text(function) != "require" || !self.is_unbound(function, builder) {
            return None;
        }
        let arguments = self.child_in_field(call, Field::Arguments, builder)?;
        let string = self.first_code_child(arguments, builder)?;
        self.string_fragment(string)
    }

    /// Whether an object pattern only renames members, without nested patterns and defaults.
    fn only_renames(&mut self, pattern: Node<'t>, builder: &mut NamesBuilder<'_>) -> bool {
        let mut plain = true;
        self.for_each_child(pattern, builder, |this, child, _, builder| match this.kind_of(child) {
            Kind::Token | Kind::Leaf | Kind::ShorthandPattern => {}
            Kind::PairPattern => {
                let (key, local) = (
                    this.child_in_field(child, Field::Key, builder),
                    this.child_in_field(child, Field::Value, builder),
                );
                plain &= local.is_some_and(|local| this.kind_of(local) == Kind::Identifier)
                    && key.is_some_and(|key| matches!(this.kind_of(key), Kind::PropertyIdentifier | Kind::String));
            }
            _ => plain = false,
        });
        plain
    }

    pub(super) fn bind_export(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let at_top = self.scope == FILE_SCOPE;
        if at_top {
            builder.names.exports.get_or_insert_default();
        }
        let (mut source, mut clause, mut namespace, mut declaration, mut value) = (None, None, None, None, None);
        let (mut default, mut all, mut whole, mut types, mut global_name) = (false, false, false, false, false);
        self.for_each_child(node, builder, |this, child, field, builder| match (field, this.kind_of(child)) {
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
                this.expression_value(child, ExprContext::READ, builder);
            }
            _ if child.is_named() && !this.is_comment(child) => value = Some(child),
            _ => {}
        });
        if let Some(text) = source.and_then(|source| self.string_fragment(source)) {
            return self.bind_re_export(node, text, clause, namespace, all, builder);
        }
        let _ = types;
        if let Some(clause) = clause {
            self.for_each_child(clause, builder, |this, specifier, _, builder| {
                if this.kind_of(specifier) == Kind::ExportSpecifier {
                    this.bind_export_specifier(specifier, builder);
                }
            });
        } else if let Some(declaration) = declaration {
            self.bind_export_declaration(declaration, default, at_top, builder);
        } else if let Some(value) = value {
            if global_name {
                // `export as namespace Name` declares a global name for scripts without modules.
                return builder.occur(value, Role::Export, Target::Unknown);
            }
            let role = if self.kind_of(value) == Kind::Identifier { Role::Export } else { Role::Read };
            let given = self.expression_value(value, ExprContext::role(role), builder);
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

    /// Binds the export specifier `a as b` of a local name.
    fn bind_export_specifier(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let (name, alias) =
            (self.child_in_field(node, Field::Name, builder), self.child_in_field(node, Field::Alias, builder));
        let Some(name) = name else { return };
        let given = builder.use_name(name, self.scope, Role::Export);
        let outside = match alias {
            Some(alias) => {
                let alias = self.string_fragment(alias).unwrap_or(alias);
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

    /// Binds `export const a = …` or `export default function …`.
    fn bind_export_declaration(
        &mut self,
        declaration: Node<'t>,
        default: bool,
        at_top: bool,
        builder: &mut NamesBuilder<'_>,
    ) {
        let before = builder.names.bindings.len();
        self.expression_value(declaration, ExprContext::READ, builder);
        if !at_top {
            return;
        }
        // The bindings that the declaration adds to the file's scope, without those inside the declaration.
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

    fn bind_re_export(
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
            if let Some(name) = self.first_code_child(namespace, builder) {
                let name = self.string_fragment(name).unwrap_or(name);
                let id = builder.name(name);
                builder.occur(name, Role::Export, Target::Imported(import, None));
                builder.export(id, name.start_byte(), Exported::From(import, None));
            }
        } else if all {
            let name = builder.intern_made("*");
            builder.export(name, node.start_byte(), Exported::AllOf(import));
        }
        let Some(clause) = clause else { return };
        self.for_each_child(clause, builder, |this, specifier, _, builder| {
            if this.kind_of(specifier) != Kind::ExportSpecifier {
                return;
            }
            let (name, alias) = (
                this.child_in_field(specifier, Field::Name, builder),
                this.child_in_field(specifier, Field::Alias, builder),
            );
            let Some(name) = name else { return };
            let name = this.string_fragment(name).unwrap_or(name);
            let alias = alias.map(|alias| this.string_fragment(alias).unwrap_or(alias));
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
            && self.child_in_field(node, Field::Object, builder).is_some_and(|object| self.is_unbound(object, builder))
    }

    /// The object of a CommonJS module's exports, if `node` is `module.exports`.
    pub(super) fn module_exports_object(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> Option<ExprId> {
        if !self.is_module_exports(node, builder) {
            return None;
        }
        let scope = self.exports_scope(builder);
        Some(builder.expr(Expr::Object { scope }))
    }

    /// Binds `module.exports = value`.
    pub(super) fn export_assigned_module(
        &mut self,
        left: Node<'t>,
        right: Node<'t>,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let value = self.expression_value(right, ExprContext::READ, builder);
        let name = builder.intern_made("export=");
        builder.export(name, left.start_byte(), Exported::Module(value));
        value
    }
}
