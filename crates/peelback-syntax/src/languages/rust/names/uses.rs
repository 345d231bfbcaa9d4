//! Name binding for the imports of a Rust file: `use`, `extern crate` and `mod`.

use tree_sitter::Node;

use super::Binder;
use super::kinds::{FIELDS, Kind, kind_of_node};
use crate::names::{
    BindingKind, ExprId, ModuleImportId, ModuleImportKind, NameId, NamesBuilder, Role, ScopeId, ScopeKind, Target,
};
use crate::text;

/// A `use` declaration whose names are being bound.
struct UseDeclaration<'t> {
    kind: ModuleImportKind,
    node: Node<'t>,
    scope: ScopeId,
    /// The imports that the declaration has created so far, one for each source path.
    imports: Vec<(NameId, ModuleImportId)>,
}

/// The path that precedes one part of a `use` tree: `a::b` for `c` in `a::b::{c}`.
#[derive(Clone)]
struct UsePathPrefix {
    /// The text of the path prefix; empty at the top level of a `use` tree.
    source: String,
    /// The expression for what the path prefix refers to.
    expr: Option<ExprId>,
}

impl UsePathPrefix {
    fn join_path(&self, path: &str) -> String {
        let path: String = path.split_whitespace().collect();
        match self.source.as_str() {
            "" => path.trim_start_matches("::").to_owned(),
            source => format!("{source}::{path}"),
        }
    }
}

impl Binder {
    pub fn bind_use_declaration(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) {
        let Some(argument) = FIELDS.argument.child_of(node) else { return };
        let public = node.named_child(0).is_some_and(|first| kind_of_node(first) == Kind::Visibility);
        let kind = if public { ModuleImportKind::ReExport } else { ModuleImportKind::Import };
        let mut at = UseDeclaration { kind, node, scope, imports: Vec::new() };
        self.bind_use_tree(builder, argument, &UsePathPrefix { source: String::new(), expr: None }, &mut at);
    }

    fn bind_use_tree(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'_>,
        prefix: &UsePathPrefix,
        at: &mut UseDeclaration<'_>,
    ) {
        match kind_of_node(node) {
            Kind::UseList | Kind::Error => builder.run_with_depth_limit(node, |builder| {
                let mut cursor = node.walk();
                for child in node.named_children(&mut cursor) {
                    self.bind_use_tree(builder, child, prefix, at);
                }
            }),
            Kind::ScopedUseList => {
                let inner = match FIELDS.path.child_of(node) {
                    Some(path) => self.extend_use_prefix_and_record_path(builder, path, prefix, at.scope),
                    None => prefix.clone(),
                };
                if let Some(list) = FIELDS.list.child_of(node) {
                    self.bind_use_tree(builder, list, &inner, at);
                }
            }
            Kind::UseWildcard => {
                let inner = match node.named_child(0) {
                    Some(path) => self.extend_use_prefix_and_record_path(builder, path, prefix, at.scope),
                    None => prefix.clone(),
                };
                let import = get_or_add_import_for_source(builder, &inner.source, node, at);
                builder.import_mut(import).glob = true;
            }
            Kind::UseAs => {
                if let Some(path) = FIELDS.path.child_of(node) {
                    self.bind_name_imported_by_use(builder, path, FIELDS.alias.child_of(node), prefix, at);
                }
            }
            Kind::Identifier | Kind::ScopedIdentifier | Kind::SelfWord | Kind::Crate | Kind::Super => {
                self.bind_name_imported_by_use(builder, node, None, prefix, at);
            }
            _ => {}
        }
    }

    /// Appends `path` to `prefix` and records uses of the names in `path`. Binds no names.
    fn extend_use_prefix_and_record_path(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        path: Node<'_>,
        prefix: &UsePathPrefix,
        scope: ScopeId,
    ) -> UsePathPrefix {
        let source = prefix.join_path(builder.text_of_node(path));
        let means = match prefix.expr {
            Some(base) => self.extend_path_expr(builder, base, path),
            None => self.path_qualifier_expr(builder, path, scope, Some(Role::Import)),
        };
        UsePathPrefix { source, expr: Some(means) }
    }

    /// The expression for `path`, a path that continues the path of `base`.
    fn extend_path_expr(&mut self, builder: &mut NamesBuilder<'_>, base: ExprId, path: Node<'_>) -> ExprId {
        match kind_of_node(path) {
            Kind::ScopedIdentifier => builder.run_with_depth_limit(path, |builder| {
                let base = FIELDS.path.child_of(path).map_or(base, |inner| self.extend_path_expr(builder, base, inner));
                FIELDS.name.child_of(path).map_or(base, |name| builder.record_member_use(base, name, Role::Import))
            }),
            Kind::Identifier => builder.record_member_use(base, path, Role::Import),
            _ => base,
        }
    }

    /// Binds one name that a `use` declaration imports: `a::b`, `a::b as c`, or `self` in a group.
    fn bind_name_imported_by_use(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'_>,
        alias: Option<Node<'_>>,
        prefix: &UsePathPrefix,
        at: &mut UseDeclaration<'_>,
    ) {
        let (source, name) = match kind_of_node(node) {
            Kind::ScopedIdentifier => {
                let Some(name) = FIELDS.name.child_of(node) else { return };
                match FIELDS.path.child_of(node) {
                    Some(path) => {
                        (self.extend_use_prefix_and_record_path(builder, path, prefix, at.scope).source, Some(name))
                    }
                    // The path `::a` names a crate.
                    None => (prefix.join_path(builder.text_of_node(name)), None),
                }
            }
            Kind::Identifier if !prefix.source.is_empty() => (prefix.source.clone(), Some(node)),
            Kind::Identifier => (builder.text_of_node(node).to_owned(), None),
            // The import is `a::{self}` or `crate as a`.
            _ if prefix.source.is_empty() => (builder.text_of_node(node).to_owned(), None),
            _ => (prefix.source.clone(), None),
        };
        // `a::self` is not valid Rust, but the parser accepts it.
        let name = name.filter(|name| kind_of_node(*name) == Kind::Identifier && builder.text_of_node(*name) != "self");
        let import = get_or_add_import_for_source(builder, &source, node, at);
        let imported_name = name.map(|name| builder.name_id_of_node(name));
        if let Some(taken) = imported_name {
            builder.import_mut(import).names.push(taken);
        }
        let token = name.or_else(|| match kind_of_node(node) {
            Kind::Identifier => Some(node),
            Kind::ScopedIdentifier => FIELDS.name.child_of(node),
            _ => None,
        });
        if let Some(token) = token {
            builder.record_occurrence(token, Role::Import, Target::Imported(import, imported_name));
        }
        let local = match alias {
            Some(alias) if builder.text_of_node(alias) == "_" => return,
            Some(alias) => builder.name_id_of_node(alias),
            None => match token {
                Some(token) => builder.name_id_of_node(token),
                None => builder.intern_constructed_text(source.rsplit("::").next().unwrap_or("")),
            },
        };
        if matches!(builder.scope_kind(at.scope), ScopeKind::Block | ScopeKind::Function | ScopeKind::MacroCall) {
            self.local_items.insert(local);
        }
        let place = alias.or(token).unwrap_or(node);
        let binding = builder.add_binding(at.scope, BindingKind::Import, local, place.start_byte());
        builder.binding_mut(binding).import = Some((import, imported_name));
        if let Some(alias) = alias {
            builder.record_occurrence(alias, Role::Import, Target::Binding(binding));
        }
    }

    /// Binds the local name of `extern crate a as b;`.
    pub fn bind_extern_crate(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) {
        let Some(name) = FIELDS.name.child_of(node) else { return };
        let public = node.named_child(0).is_some_and(|first| kind_of_node(first) == Kind::Visibility);
        let kind = if public { ModuleImportKind::ReExport } else { ModuleImportKind::Import };
        let source = builder.name_id_of_node(name);
        let import = builder.add_import(kind, source, scope, node);
        builder.import_mut(import).special = true;
        builder.record_occurrence(name, Role::Import, Target::Imported(import, None));
        let alias = FIELDS.alias.child_of(node);
        let place = alias.unwrap_or(name);
        if builder.text_of_node(place) == "_" {
            return;
        }
        self.record_item_if_inside_function(builder, place, scope);
        let local = builder.name_id_of_node(place);
        let binding = builder.add_binding(scope, BindingKind::Import, local, place.start_byte());
        builder.binding_mut(binding).import = Some((import, None));
        if let Some(alias) = alias {
            builder.record_occurrence(alias, Role::Import, Target::Binding(binding));
        }
    }

    /// Binds the module of `mod a;` or `mod a { … }`.
    pub fn bind_module_declaration(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'_>,
        scope: ScopeId,
        attributes: &[Node<'_>],
    ) {
        let Some(name) = FIELDS.name.child_of(node) else { return };
        self.record_item_if_inside_function(builder, name, scope);
        let Some(body) = FIELDS.body.child_of(node) else {
            let paths: Vec<&str> = attributes
                .iter()
                .filter_map(|attribute| file_path_of_path_attribute(builder.text_of_node(*attribute)))
                .collect();
            self.bind_module_of_other_file(builder, name, scope, &paths);
            return;
        };
        let binding = builder.add_binding_with_definition(scope, BindingKind::Module, name);
        let inside = builder.add_child_scope(scope, ScopeKind::Module, node);
        builder.link_binding_and_body_scope(binding, inside);
        let outer = std::mem::replace(&mut self.module, inside);
        self.bind_statements_and_get_value(builder, body, inside);
        self.module = outer;
    }

    /// Binds the module of `mod name;`. The module is a file that is named after the module, or one of the files in
    /// `paths`.
    pub fn bind_module_of_other_file<'s>(
        &mut self,
        builder: &mut NamesBuilder<'s>,
        name: Node<'_>,
        scope: ScopeId,
        paths: &[&'s str],
    ) {
        let local = builder.name_id_of_node(name);
        let sources: Vec<(NameId, bool)> = match paths {
            [] => vec![(local, false)],
            paths => paths.iter().map(|path| (builder.intern_source_text(path), true)).collect(),
        };
        for (source, special) in sources {
            let import = builder.add_import(ModuleImportKind::Module, source, scope, name);
            builder.import_mut(import).special = special;
            builder.record_occurrence(name, Role::Import, Target::Imported(import, None));
            let binding = builder.add_binding(scope, BindingKind::Import, local, name.start_byte());
            builder.binding_mut(binding).import = Some((import, None));
        }
    }
}

/// The import of a `use` declaration for the source path `source`. Creates the import on first use.
fn get_or_add_import_for_source(
    builder: &mut NamesBuilder<'_>,
    source: &str,
    node: Node<'_>,
    at: &mut UseDeclaration<'_>,
) -> ModuleImportId {
    let source = builder.intern_constructed_text(source);
    if let Some((_, import)) = at.imports.iter().find(|(known, _)| *known == source) {
        return *import;
    }
    let node = if at.imports.is_empty() { at.node } else { node };
    let import = builder.add_import(at.kind, source, at.scope, node);
    at.imports.push((source, import));
    import
}

/// The file path in a `#[path = "…"]` attribute, including `#[cfg_attr(…, path = "…")]`.
fn file_path_of_path_attribute(attribute: &str) -> Option<&str> {
    let inside = attribute.strip_prefix("#[")?.trim_start();
    let inside = match inside.strip_prefix("cfg_attr") {
        Some(condition) => condition.get(condition.rfind("path")?..)?,
        None => inside,
    };
    let value = inside.strip_prefix("path")?.trim_start().strip_prefix('=')?;
    let value = value.trim_end_matches(|c: char| matches!(c, ']' | ')' | ',') || c.is_whitespace());
    Some(text::without_quotes(value.trim()))
}
