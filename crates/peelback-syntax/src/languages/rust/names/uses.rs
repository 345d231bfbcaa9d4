//! `use`, `extern crate` and `mod`: what a file takes from other modules.

use tree_sitter::Node;

use super::Binder;
use super::kinds::{FIELDS, Kind, kind};
use crate::names::{
    BindingKind, ExprId, ModuleImportId, ModuleImportKind, NameId, NamesBuilder, Role, ScopeId, ScopeKind, Target,
};
use crate::text;

/// One `use` declaration while it is read.
struct Use<'t> {
    kind: ModuleImportKind,
    node: Node<'t>,
    scope: ScopeId,
    /// The imports made so far, one for each source.
    imports: Vec<(NameId, ModuleImportId)>,
}

/// The path that a part of a `use` stands below.
#[derive(Clone)]
struct Prefix {
    /// As written; empty at the top.
    source: String,
    /// What it means.
    means: Option<ExprId>,
}

impl Prefix {
    fn below(&self, path: &str) -> String {
        let path: String = path.split_whitespace().collect();
        match self.source.as_str() {
            "" => path.trim_start_matches("::").to_owned(),
            source => format!("{source}::{path}"),
        }
    }
}

impl Binder {
    pub fn use_declaration(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) {
        let Some(argument) = FIELDS.argument.of(node) else { return };
        let public = node.named_child(0).is_some_and(|first| kind(first) == Kind::Visibility);
        let kind = if public { ModuleImportKind::ReExport } else { ModuleImportKind::Import };
        let mut at = Use { kind, node, scope, imports: Vec::new() };
        self.use_tree(builder, argument, &Prefix { source: String::new(), means: None }, &mut at);
    }

    fn use_tree(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, prefix: &Prefix, at: &mut Use<'_>) {
        match kind(node) {
            Kind::UseList | Kind::Error => builder.deeper(node, |builder| {
                let mut cursor = node.walk();
                for child in node.named_children(&mut cursor) {
                    self.use_tree(builder, child, prefix, at);
                }
            }),
            Kind::ScopedUseList => {
                let inner = match FIELDS.path.of(node) {
                    Some(path) => self.use_path(builder, path, prefix, at.scope),
                    None => prefix.clone(),
                };
                if let Some(list) = FIELDS.list.of(node) {
                    self.use_tree(builder, list, &inner, at);
                }
            }
            Kind::UseWildcard => {
                let inner = match node.named_child(0) {
                    Some(path) => self.use_path(builder, path, prefix, at.scope),
                    None => prefix.clone(),
                };
                let import = use_link(builder, &inner.source, node, at);
                builder.import_mut(import).glob = true;
            }
            Kind::UseAs => {
                if let Some(path) = FIELDS.path.of(node) {
                    self.use_leaf(builder, path, FIELDS.alias.of(node), prefix, at);
                }
            }
            Kind::Identifier | Kind::ScopedIdentifier | Kind::SelfWord | Kind::Crate | Kind::Super => {
                self.use_leaf(builder, node, None, prefix, at);
            }
            _ => {}
        }
    }

    /// The names of a path below `prefix`, none of which is bound.
    fn use_path(&mut self, builder: &mut NamesBuilder<'_>, path: Node<'_>, prefix: &Prefix, scope: ScopeId) -> Prefix {
        let source = prefix.below(builder.text(path));
        let means = match prefix.means {
            Some(base) => self.below(builder, base, path),
            None => self.qualifier(builder, path, scope, Some(Role::Import)),
        };
        Prefix { source, means: Some(means) }
    }

    /// A path that continues `base`.
    fn below(&mut self, builder: &mut NamesBuilder<'_>, base: ExprId, path: Node<'_>) -> ExprId {
        match kind(path) {
            Kind::ScopedIdentifier => builder.deeper(path, |builder| {
                let base = FIELDS.path.of(path).map_or(base, |inner| self.below(builder, base, inner));
                FIELDS.name.of(path).map_or(base, |name| builder.use_member(base, name, Role::Import))
            }),
            Kind::Identifier => builder.use_member(base, path, Role::Import),
            _ => base,
        }
    }

    /// One name that is bound: `a::b`, `a::b as c`, `self`.
    fn use_leaf(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'_>,
        alias: Option<Node<'_>>,
        prefix: &Prefix,
        at: &mut Use<'_>,
    ) {
        let (source, name) = match kind(node) {
            Kind::ScopedIdentifier => {
                let Some(name) = FIELDS.name.of(node) else { return };
                match FIELDS.path.of(node) {
                    Some(path) => (self.use_path(builder, path, prefix, at.scope).source, Some(name)),
                    // `::a`: a crate.
                    None => (prefix.below(builder.text(name)), None),
                }
            }
            Kind::Identifier if !prefix.source.is_empty() => (prefix.source.clone(), Some(node)),
            Kind::Identifier => (builder.text(node).to_owned(), None),
            // `a::{self}`, `crate as a`.
            _ if prefix.source.is_empty() => (builder.text(node).to_owned(), None),
            _ => (prefix.source.clone(), None),
        };
        // `a::self` is not written in paths, but the parser lets it pass.
        let name = name.filter(|name| kind(*name) == Kind::Identifier && builder.text(*name) != "self");
        let import = use_link(builder, &source, node, at);
        let taken = name.map(|name| builder.name(name));
        if let Some(taken) = taken {
            builder.import_mut(import).names.push(taken);
        }
        let token = name.or_else(|| match kind(node) {
            Kind::Identifier => Some(node),
            Kind::ScopedIdentifier => FIELDS.name.of(node),
            _ => None,
        });
        if let Some(token) = token {
            builder.occur(token, Role::Import, Target::Imported(import, taken));
        }
        let local = match alias {
            Some(alias) if builder.text(alias) == "_" => return,
            Some(alias) => builder.name(alias),
            None => match token {
                Some(token) => builder.name(token),
                None => builder.intern_made(source.rsplit("::").next().unwrap_or("")),
            },
        };
        if matches!(builder.kind_of(at.scope), ScopeKind::Block | ScopeKind::Function) {
            self.local_items.insert(local);
        }
        let place = alias.or(token).unwrap_or(node);
        let binding = builder.bind_name(at.scope, BindingKind::Import, local, place.start_byte());
        builder.binding(binding).import = Some((import, taken));
        if let Some(alias) = alias {
            builder.occur(alias, Role::Import, Target::Binding(binding));
        }
    }

    /// `extern crate a as b;`
    pub fn extern_crate(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) {
        let Some(name) = FIELDS.name.of(node) else { return };
        let public = node.named_child(0).is_some_and(|first| kind(first) == Kind::Visibility);
        let kind = if public { ModuleImportKind::ReExport } else { ModuleImportKind::Import };
        let source = builder.name(name);
        let import = builder.add_import(kind, source, scope, node);
        builder.import_mut(import).special = true;
        builder.occur(name, Role::Import, Target::Imported(import, None));
        let alias = FIELDS.alias.of(node);
        let place = alias.unwrap_or(name);
        if builder.text(place) == "_" {
            return;
        }
        self.declare(builder, place, scope);
        let local = builder.name(place);
        let binding = builder.bind_name(scope, BindingKind::Import, local, place.start_byte());
        builder.binding(binding).import = Some((import, None));
        if let Some(alias) = alias {
            builder.occur(alias, Role::Import, Target::Binding(binding));
        }
    }

    /// `mod a;` and `mod a { … }`.
    pub fn module(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId, attributes: &[Node<'_>]) {
        let Some(name) = FIELDS.name.of(node) else { return };
        self.declare(builder, name, scope);
        let Some(body) = FIELDS.body.of(node) else {
            let paths: Vec<&str> =
                attributes.iter().filter_map(|attribute| path_of(builder.text(*attribute))).collect();
            self.module_file(builder, name, scope, &paths);
            return;
        };
        let binding = builder.bind(scope, BindingKind::Module, name);
        let inside = builder.scope(scope, ScopeKind::Module, node);
        builder.own(binding, inside);
        let outer = std::mem::replace(&mut self.module, inside);
        self.statements(builder, body, inside);
        self.module = outer;
    }

    /// `mod name;`: the module is a file, under the module's name or at one of `paths`.
    pub fn module_file<'s>(
        &mut self,
        builder: &mut NamesBuilder<'s>,
        name: Node<'_>,
        scope: ScopeId,
        paths: &[&'s str],
    ) {
        let local = builder.name(name);
        let sources: Vec<(NameId, bool)> = match paths {
            [] => vec![(local, false)],
            paths => paths.iter().map(|path| (builder.intern(path), true)).collect(),
        };
        for (source, special) in sources {
            let import = builder.add_import(ModuleImportKind::Module, source, scope, name);
            builder.import_mut(import).special = special;
            builder.occur(name, Role::Import, Target::Imported(import, None));
            let binding = builder.bind_name(scope, BindingKind::Import, local, name.start_byte());
            builder.binding(binding).import = Some((import, None));
        }
    }
}

/// The import of a declaration for `source`.
fn use_link(builder: &mut NamesBuilder<'_>, source: &str, node: Node<'_>, at: &mut Use<'_>) -> ModuleImportId {
    let source = builder.intern_made(source);
    if let Some((_, import)) = at.imports.iter().find(|(known, _)| *known == source) {
        return *import;
    }
    let node = if at.imports.is_empty() { at.node } else { node };
    let import = builder.add_import(at.kind, source, at.scope, node);
    at.imports.push((source, import));
    import
}

/// The file that `#[path = "…"]` names, also where it holds only under a condition.
fn path_of(attribute: &str) -> Option<&str> {
    let inside = attribute.strip_prefix("#[")?.trim_start();
    let inside = match inside.strip_prefix("cfg_attr") {
        Some(condition) => condition.get(condition.rfind("path")?..)?,
        None => inside,
    };
    let value = inside.strip_prefix("path")?.trim_start().strip_prefix('=')?;
    let value = value.trim_end_matches(|c: char| matches!(c, ']' | ')' | ',') || c.is_whitespace());
    Some(text::unquote(value.trim()))
}
