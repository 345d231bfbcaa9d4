//! Name binding for JavaScript imports, exports and `require`.

use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::{Binder, ExprContext, WholeExport};
use crate::names::{
    BindingId, BindingKind, Exported, Expr, ExprId, FILE_SCOPE, ModuleImportId, ModuleImportKind, NameId, NamesBuilder,
    Role, ScopeId, ScopeKind, Target,
};

impl<'t> Binder<'t> {
    pub(super) fn bind_import_statement(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        if self.scope == FILE_SCOPE {
            builder.names.exports.get_or_insert_default();
        }
        let (mut clause, mut require, mut source, mut types) = (None, None, None, false);
        self.for_each_named_or_unnamed_child(node, builder, |this, child, field, builder| {
            match (field, this.kind_of_node(child)) {
                (Field::Source, _) => source = Some(child),
                (_, Kind::ImportClause) => clause = Some(child),
                (_, Kind::ImportRequire) => require = Some(child),
                (_, Kind::TypeToken | Kind::TypeofToken) => types = true,
                // An import attribute (`with { type: "json" }`) names no variables.
                _ if child.kind() == "import_attribute" => {
                    this.bind_names_and_get_value(child, ExprContext::READ, builder);
                }
                _ => {}
            }
        });
        if let Some(require) = require {
            return self.bind_import_equals_require(require, types, builder);
        }
        let Some(text) = source.and_then(|source| self.escape_free_string_text_node(source)) else { return };
        let name = builder.name_id_of_node(text);
        let types = types || clause.is_some_and(|clause| self.imports_only_types(clause, builder));
        let kind = if types { ModuleImportKind::TypeImport } else { ModuleImportKind::Import };
        let import = builder.add_import(kind, name, self.scope, node);
        if let Some(clause) = clause {
            self.for_each_named_or_unnamed_child(clause, builder, |this, child, _, builder| {
                match this.kind_of_node(child) {
                    Kind::Identifier => {
                        let default = builder.intern_constructed_text("default");
                        this.bind_imported_name(import, child, Some((default, child)), builder);
                    }
                    Kind::NamespaceImport => {
                        if let Some(local) = this.first_named_non_comment_child(child, builder) {
                            this.bind_imported_name(import, local, None, builder);
                        }
                    }
                    Kind::NamedImports => {
                        this.for_each_named_or_unnamed_child(child, builder, |this, specifier, _, builder| {
                            if this.kind_of_node(specifier) == Kind::ImportSpecifier {
                                this.bind_import_specifier(import, specifier, builder);
                            }
                        })
                    }
                    _ => {}
                }
            });
        }
    }

    /// Whether every name in an import clause is imported as a type: `{ type A, type B }`.
    fn imports_only_types(&mut self, clause: Node<'t>, builder: &mut NamesBuilder<'_>) -> bool {
        let (mut all, mut any) = (true, false);
        self.for_each_named_or_unnamed_child(clause, builder, |this, child, _, builder| {
            match this.kind_of_node(child) {
                Kind::NamedImports => this.for_each_named_or_unnamed_child(child, builder, |this, specifier, _, _| {
                    if this.kind_of_node(specifier) == Kind::ImportSpecifier {
                        any = true;
                        all &= specifier.child(0).is_some_and(|first| {
                            specifier.child_count() > 1
                                && matches!(this.kind_of_node(first), Kind::TypeToken | Kind::TypeofToken)
                        });
                    }
                }),
                Kind::Token => {}
                _ => all = false,
            }
        });
        all && any
    }

    /// Binds the local name of the import specifier `name as alias` in `import { … }`.
    fn bind_import_specifier(&mut self, import: ModuleImportId, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let (name, alias) = (
            self.first_child_in_field(node, Field::Name, builder),
            self.first_child_in_field(node, Field::Alias, builder),
        );
        let Some(name) = name else { return };
        let token = self.escape_free_string_text_node(name).unwrap_or(name);
        let id = builder.name_id_of_node(token);
        self.bind_imported_name(import, alias.unwrap_or(token), Some((id, token)), builder);
    }

    /// Binds the local name `local` to the export `name` of the imported module, or to the module itself if there is no
    /// name.
    fn bind_imported_name(
        &mut self,
        import: ModuleImportId,
        local: Node<'t>,
        name: Option<(NameId, Node<'t>)>,
        builder: &mut NamesBuilder<'_>,
    ) {
        let id = builder.name_id_of_node(local);
        let scope = self.scope;
        self.bind_imported_name_in_scope(scope, import, local, id, name, builder);
    }

    fn bind_imported_name_in_scope(
        &mut self,
        scope: ScopeId,
        import: ModuleImportId,
        local: Node<'t>,
        id: NameId,
        name: Option<(NameId, Node<'t>)>,
        builder: &mut NamesBuilder<'_>,
    ) {
        let binding = builder.add_binding(scope, BindingKind::Import, id, local.start_byte());
        self.bound.entry((scope, id)).or_insert(binding);
        builder.binding_mut(binding).import = Some((import, name.map(|(name, _)| name)));
        let Some((name, token)) = name else {
            return builder.record_occurrence(local, Role::Import, Target::Imported(import, None));
        };
        builder.import_mut(import).names.push(name);
        builder.record_occurrence(token, Role::Import, Target::Imported(import, Some(name)));
        if token.id() != local.id() {
            builder.record_occurrence(local, Role::Import, Target::Binding(binding));
        }
    }

    /// Binds the TypeScript import `import a = require("b")`.
    fn bind_import_equals_require(&mut self, node: Node<'t>, types: bool, builder: &mut NamesBuilder<'_>) {
        let (local, source) = (
            self.first_named_non_comment_child(node, builder),
            self.first_child_in_field(node, Field::Source, builder),
        );
        let (Some(local), Some(text)) = (local, source.and_then(|source| self.escape_free_string_text_node(source)))
        else {
            return;
        };
        let source = builder.name_id_of_node(text);
        let kind = if types { ModuleImportKind::TypeImport } else { ModuleImportKind::Require };
        let import = builder.add_import(kind, source, self.scope, node);
        self.bind_imported_name(import, local, None, builder);
    }

    /// Binds `const a = require("b")` or `const { c } = require("b")` as imports. Returns `false` if `value` is not
    /// such a call.
    pub(super) fn try_bind_require_declaration(
        &mut self,
        pattern: Node<'t>,
        value: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> bool {
        if self.kind_of_node(value) != Kind::Call {
            return false;
        }
        let Some(text) = self.module_string_of_require_call(value, builder) else { return false };
        let is_plain = match self.kind_of_node(pattern) {
            Kind::Identifier => true,
            Kind::ObjectPattern => self.has_only_plain_or_renamed_members(pattern, builder),
            _ => false,
        };
        if !is_plain {
            return false;
        }
        let source = builder.name_id_of_node(text);
        let import = builder.add_import(ModuleImportKind::Require, source, self.scope, value);
        if self.kind_of_node(pattern) == Kind::Identifier {
            let id = builder.name_id_of_node(pattern);
            self.bind_imported_name_in_scope(scope, import, pattern, id, None, builder);
            return true;
        }
        self.for_each_named_or_unnamed_child(pattern, builder, |this, child, _, builder| {
            match this.kind_of_node(child) {
                Kind::ShorthandPattern => {
                    let id = builder.name_id_of_node(child);
                    this.bind_imported_name_in_scope(scope, import, child, id, Some((id, child)), builder);
                }
                Kind::PairPattern => {
                    let (key, local) = (
                        this.first_child_in_field(child, Field::Key, builder),
                        this.first_child_in_field(child, Field::Value, builder),
                    );
                    if let (Some(key), Some(local)) = (key, local) {
                        let key = this.escape_free_string_text_node(key).unwrap_or(key);
                        let (name, id) = (builder.name_id_of_node(key), builder.name_id_of_node(local));
                        this.bind_imported_name_in_scope(scope, import, local, id, Some((name, key)), builder);
                    }
                }
                _ => {}
            }
        });
        true
    }

    /// The string node of the module in the call `require("module")`; `None` for any other call.
    fn module_string_of_require_call(&mut self, call: Node<'t>, builder: &mut NamesBuilder<'_>) -> Option<Node<'t>> {
        let function = self.first_child_in_field(call, Field::Function, builder)?;
        if builder.text_of_node(function) != "require" || !self.is_unbound_name(function, builder) {
            return None;
        }
        let arguments = self.first_child_in_field(call, Field::Arguments, builder)?;
        let string = self.first_named_non_comment_child(arguments, builder)?;
        self.escape_free_string_text_node(string)
    }

    /// Whether an object pattern has only entries such as `a` and `a: b`, without nested patterns and defaults.
    fn has_only_plain_or_renamed_members(&mut self, pattern: Node<'t>, builder: &mut NamesBuilder<'_>) -> bool {
        let mut plain = true;
        self.for_each_named_or_unnamed_child(pattern, builder, |this, child, _, builder| {
            match this.kind_of_node(child) {
                Kind::Token | Kind::Leaf | Kind::ShorthandPattern => {}
                Kind::PairPattern => {
                    let (key, local) = (
                        this.first_child_in_field(child, Field::Key, builder),
                        this.first_child_in_field(child, Field::Value, builder),
                    );
                    plain &= local.is_some_and(|local| this.kind_of_node(local) == Kind::Identifier)
                        && key.is_some_and(|key| {
                            matches!(this.kind_of_node(key), Kind::PropertyIdentifier | Kind::String)
                        });
                }
                _ => plain = false,
            }
        });
        plain
    }

    pub(super) fn bind_export_statement(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let at_top = self.scope == FILE_SCOPE;
        if at_top {
            builder.names.exports.get_or_insert_default();
        }
        let (mut source, mut clause, mut namespace, mut declaration, mut value) = (None, None, None, None, None);
        let (mut default, mut all, mut whole, mut types, mut global_name) = (false, false, false, false, false);
        self.for_each_named_or_unnamed_child(node, builder, |this, child, field, builder| {
            match (field, this.kind_of_node(child)) {
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
                    this.bind_names_and_get_value(child, ExprContext::READ, builder);
                }
                _ if child.is_named() && !this.is_comment(child) => value = Some(child),
                _ => {}
            }
        });
        if let Some(text) = source.and_then(|source| self.escape_free_string_text_node(source)) {
            return self.record_re_export(node, text, clause, namespace, all, builder);
        }
        let _ = types;
        if let Some(clause) = clause {
            self.for_each_named_or_unnamed_child(clause, builder, |this, specifier, _, builder| {
                if this.kind_of_node(specifier) == Kind::ExportSpecifier {
                    this.bind_local_export_specifier(specifier, builder);
                }
            });
        } else if let Some(declaration) = declaration {
            self.bind_and_export_declaration(declaration, default, at_top, builder);
        } else if let Some(value) = value {
            if global_name {
                // `export as namespace Name` declares a global name for scripts without modules.
                return builder.record_occurrence(value, Role::Export, Target::Unknown);
            }
            let role = if self.kind_of_node(value) == Kind::Identifier { Role::Export } else { Role::Read };
            let given = self.bind_names_and_get_value(value, ExprContext::for_role(role), builder);
            if !at_top {
                return;
            }
            if whole {
                let name = builder.intern_constructed_text("export=");
                builder.add_export(name, node.start_byte(), Exported::Module(given));
            } else {
                let name = builder.intern_constructed_text("default");
                builder.add_export(name, node.start_byte(), Exported::Expr(given));
            }
        }
    }

    /// Binds the export specifier `a as b`, where `a` is a name of this file.
    fn bind_local_export_specifier(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let (name, alias) = (
            self.first_child_in_field(node, Field::Name, builder),
            self.first_child_in_field(node, Field::Alias, builder),
        );
        let Some(name) = name else { return };
        let given = builder.record_name_use(name, self.scope, Role::Export);
        let outside = match alias {
            Some(alias) => {
                let alias = self.escape_free_string_text_node(alias).unwrap_or(alias);
                if alias.kind() != "default" {
                    builder.record_occurrence(alias, Role::Export, Target::Expr(given));
                }
                alias
            }
            None => name,
        };
        if self.scope == FILE_SCOPE {
            let id = builder.name_id_of_node(outside);
            builder.add_export(id, outside.start_byte(), Exported::Expr(given));
        }
    }

    /// Binds the declaration in `export const a = …` or `export default function …`, and adds its exports.
    fn bind_and_export_declaration(
        &mut self,
        declaration: Node<'t>,
        default: bool,
        at_top: bool,
        builder: &mut NamesBuilder<'_>,
    ) {
        let before = builder.names.bindings.len();
        self.bind_names_and_get_value(declaration, ExprContext::READ, builder);
        if !at_top {
            return;
        }
        // The new bindings in the file's scope, which are exported. Bindings inside the declaration have other scopes.
        let made: Vec<(BindingId, NameId, u32)> = (0..)
            .zip(&builder.names.bindings)
            .skip(before)
            .filter(|(_, binding)| binding.scope == FILE_SCOPE)
            .map(|(id, binding)| (id, binding.name, binding.at))
            .collect();
        let default = default.then(|| builder.intern_constructed_text("default"));
        for (binding, name, at) in made {
            let given = if builder.names.name_text(name).is_empty() {
                builder.add_expr(Expr::Bound { binding })
            } else {
                builder.add_expr(Expr::Name { name, scope: FILE_SCOPE, at })
            };
            builder.add_export(default.unwrap_or(name), at as usize, Exported::Expr(given));
            if default.is_some() {
                break;
            }
        }
    }

    fn record_re_export(
        &mut self,
        node: Node<'t>,
        source: Node<'t>,
        clause: Option<Node<'t>>,
        namespace: Option<Node<'t>>,
        all: bool,
        builder: &mut NamesBuilder<'_>,
    ) {
        let id = builder.name_id_of_node(source);
        let import = builder.add_import(ModuleImportKind::ReExport, id, self.scope, node);
        if let Some(namespace) = namespace {
            if let Some(name) = self.first_named_non_comment_child(namespace, builder) {
                let name = self.escape_free_string_text_node(name).unwrap_or(name);
                let id = builder.name_id_of_node(name);
                builder.record_occurrence(name, Role::Export, Target::Imported(import, None));
                builder.add_export(id, name.start_byte(), Exported::From(import, None));
            }
        } else if all {
            let name = builder.intern_constructed_text("*");
            builder.add_export(name, node.start_byte(), Exported::AllOf(import));
        }
        let Some(clause) = clause else { return };
        self.for_each_named_or_unnamed_child(clause, builder, |this, specifier, _, builder| {
            if this.kind_of_node(specifier) != Kind::ExportSpecifier {
                return;
            }
            let (name, alias) = (
                this.first_child_in_field(specifier, Field::Name, builder),
                this.first_child_in_field(specifier, Field::Alias, builder),
            );
            let Some(name) = name else { return };
            let name = this.escape_free_string_text_node(name).unwrap_or(name);
            let alias = alias.map(|alias| this.escape_free_string_text_node(alias).unwrap_or(alias));
            let id = builder.name_id_of_node(name);
            builder.import_mut(import).names.push(id);
            let outside = alias.unwrap_or(name);
            for token in std::iter::once(name).chain(alias).filter(|token| token.kind() != "default") {
                builder.record_occurrence(token, Role::Export, Target::Imported(import, Some(id)));
            }
            let outside_id = builder.name_id_of_node(outside);
            builder.add_export(outside_id, outside.start_byte(), Exported::From(import, Some(id)));
        });
    }

    /// Whether a node is the CommonJS expression `module.exports`.
    pub(super) fn is_commonjs_module_exports(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> bool {
        builder.text_of_node(node) == "module.exports"
            && self
                .first_child_in_field(node, Field::Object, builder)
                .is_some_and(|object| self.is_unbound_name(object, builder))
    }

    /// The object `exports` of a CommonJS module, if `node` is `module.exports`.
    pub(super) fn exports_object_if_module_exports(
        &mut self,
        node: Node<'t>,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<ExprId> {
        if !self.is_commonjs_module_exports(node, builder) {
            return None;
        }
        let scope = self.commonjs_exports_scope(builder);
        Some(builder.add_expr(Expr::Object { scope }))
    }

    /// Binds the names in `module.exports = value`, and makes the value the module's export.
    pub(super) fn bind_module_exports_assignment(
        &mut self,
        left: Node<'t>,
        right: Node<'t>,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let value = self.bind_names_and_get_value(right, ExprContext::READ, builder);
        let exported = self.definition_of_exported_value(left, right, value, builder);
        let is_one_of_several = self.whole_export != WholeExport::None && is_in_conditional_code(left);
        self.whole_export = if is_one_of_several { WholeExport::Unknown } else { WholeExport::Expr(exported) };
        let name = builder.intern_constructed_text("export=");
        builder.add_export(name, left.start_byte(), Exported::Module(exported));
        value
    }

    /// The value `value` of the expression `right` as a module exports it by an assignment to `left`. A function or class that is
    /// written there is a definition: a class by its own name if it has one, and anything else by that of `left`.
    fn definition_of_exported_value(
        &mut self,
        left: Node<'t>,
        right: Node<'t>,
        value: ExprId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let Some(property) = self.first_child_in_field(left, Field::Property, builder) else { return value };
        match (self.kind_of_node(right), builder.names.expr_by_id(value)) {
            (Kind::ClassExpression, Expr::Bound { binding }) => {
                let name = builder.binding_mut(binding).name;
                if builder.names.name_text(name).is_empty() {
                    let name = builder.name_id_of_node(property);
                    let class = builder.binding_mut(binding);
                    class.name = name;
                    class.at = u32::try_from(property.start_byte()).unwrap_or(class.at);
                    builder.record_occurrence(property, Role::Definition, Target::Binding(binding));
                }
                value
            }
            (Kind::FunctionExpression | Kind::Arrow, Expr::Function { .. }) => {
                // No look-up from the text finds the name.
                let scope = builder.add_child_scope_for_bytes(FILE_SCOPE, ScopeKind::Block, 0..0);
                let binding = self.bind_name(scope, BindingKind::Variable, property, builder);
                Self::set_binding_values_except_unknown(binding, &[value], builder);
                builder.add_expr(Expr::Bound { binding })
            }
            _ => value,
        }
    }
}

/// Whether a node is in code that runs only under a condition.
fn is_in_conditional_code(node: Node<'_>) -> bool {
    std::iter::successors(node.parent(), Node::parent).any(|around| {
        matches!(
            around.kind(),
            "if_statement" | "ternary_expression" | "binary_expression" | "switch_statement" | "try_statement"
        )
    })
}
