//! `use`, `extern crate` and `mod`: what a file takes from other modules.

use tree_sitter::Node;

use super::Binder;
use super::kinds::{FIELDS, Kind, kind};
use crate::names::{BindingKind, Cx, ExprId, LinkId, LinkKind, NameId, Role, ScopeId, ScopeKind, Target};
use crate::text;

/// One `use` declaration while it is read.
struct Use<'t> {
    kind: LinkKind,
    node: Node<'t>,
    scope: ScopeId,
    /// The links made so far, one for each source.
    links: Vec<(NameId, LinkId)>,
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
    pub fn use_declaration(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId) {
        let Some(argument) = FIELDS.argument.of(node) else { return };
        let public = node.named_child(0).is_some_and(|first| kind(first) == Kind::Visibility);
        let kind = if public { LinkKind::ReExport } else { LinkKind::Import };
        let mut at = Use { kind, node, scope, links: Vec::new() };
        self.use_tree(cx, argument, &Prefix { source: String::new(), means: None }, &mut at);
    }

    fn use_tree(&mut self, cx: &mut Cx<'_>, node: Node<'_>, prefix: &Prefix, at: &mut Use<'_>) {
        match kind(node) {
            Kind::UseList | Kind::Error => cx.deeper(node, |cx| {
                let mut cursor = node.walk();
                for child in node.named_children(&mut cursor) {
                    self.use_tree(cx, child, prefix, at);
                }
            }),
            Kind::ScopedUseList => {
                let inner = match FIELDS.path.of(node) {
                    Some(path) => self.use_path(cx, path, prefix, at.scope),
                    None => prefix.clone(),
                };
                if let Some(list) = FIELDS.list.of(node) {
                    self.use_tree(cx, list, &inner, at);
                }
            }
            Kind::UseWildcard => {
                let inner = match node.named_child(0) {
                    Some(path) => self.use_path(cx, path, prefix, at.scope),
                    None => prefix.clone(),
                };
                let link = use_link(cx, &inner.source, node, at);
                cx.link_mut(link).glob = true;
            }
            Kind::UseAs => {
                if let Some(path) = FIELDS.path.of(node) {
                    self.use_leaf(cx, path, FIELDS.alias.of(node), prefix, at);
                }
            }
            Kind::Identifier | Kind::ScopedIdentifier | Kind::SelfWord | Kind::Crate | Kind::Super => {
                self.use_leaf(cx, node, None, prefix, at);
            }
            _ => {}
        }
    }

    /// The names of a path below `prefix`, none of which is bound.
    fn use_path(&mut self, cx: &mut Cx<'_>, path: Node<'_>, prefix: &Prefix, scope: ScopeId) -> Prefix {
        let source = prefix.below(cx.text(path));
        let means = match prefix.means {
            Some(base) => self.below(cx, base, path),
            None => self.qualifier(cx, path, scope, Some(Role::Import)),
        };
        Prefix { source, means: Some(means) }
    }

    /// A path that continues `base`.
    fn below(&mut self, cx: &mut Cx<'_>, base: ExprId, path: Node<'_>) -> ExprId {
        match kind(path) {
            Kind::ScopedIdentifier => cx.deeper(path, |cx| {
                let base = FIELDS.path.of(path).map_or(base, |inner| self.below(cx, base, inner));
                FIELDS.name.of(path).map_or(base, |name| cx.use_member(base, name, Role::Import))
            }),
            Kind::Identifier => cx.use_member(base, path, Role::Import),
            _ => base,
        }
    }

    /// One name that is bound: `a::b`, `a::b as c`, `self`.
    fn use_leaf(
        &mut self,
        cx: &mut Cx<'_>,
        node: Node<'_>,
        alias: Option<Node<'_>>,
        prefix: &Prefix,
        at: &mut Use<'_>,
    ) {
        let (source, name) = match kind(node) {
            Kind::ScopedIdentifier => {
                let Some(name) = FIELDS.name.of(node) else { return };
                match FIELDS.path.of(node) {
                    Some(path) => (self.use_path(cx, path, prefix, at.scope).source, Some(name)),
                    // `::a`: a crate.
                    None => (prefix.below(cx.text(name)), None),
                }
            }
            Kind::Identifier if !prefix.source.is_empty() => (prefix.source.clone(), Some(node)),
            Kind::Identifier => (cx.text(node).to_owned(), None),
            // `a::{self}`, `crate as a`.
            _ if prefix.source.is_empty() => (cx.text(node).to_owned(), None),
            _ => (prefix.source.clone(), None),
        };
        // `a::self` is not written in paths, but the parser lets it pass.
        let name = name.filter(|name| kind(*name) == Kind::Identifier && cx.text(*name) != "self");
        let link = use_link(cx, &source, node, at);
        let taken = name.map(|name| cx.name(name));
        if let Some(taken) = taken {
            cx.link_mut(link).names.push(taken);
        }
        let token = name.or_else(|| match kind(node) {
            Kind::Identifier => Some(node),
            Kind::ScopedIdentifier => FIELDS.name.of(node),
            _ => None,
        });
        if let Some(token) = token {
            cx.occur(token, Role::Import, Target::Linked(link, taken));
        }
        let local = match alias {
            Some(alias) if cx.text(alias) == "_" => return,
            Some(alias) => cx.name(alias),
            None => match token {
                Some(token) => cx.name(token),
                None => cx.intern_made(source.rsplit("::").next().unwrap_or("")),
            },
        };
        if matches!(cx.kind_of(at.scope), ScopeKind::Block | ScopeKind::Function) {
            self.local_items.insert(local);
        }
        let place = alias.or(token).unwrap_or(node);
        let binding = cx.bind_name(at.scope, BindingKind::Import, local, place.start_byte());
        cx.binding(binding).import = Some((link, taken));
        if let Some(alias) = alias {
            cx.occur(alias, Role::Import, Target::Binding(binding));
        }
    }

    /// `extern crate a as b;`
    pub fn extern_crate(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId) {
        let Some(name) = FIELDS.name.of(node) else { return };
        let public = node.named_child(0).is_some_and(|first| kind(first) == Kind::Visibility);
        let kind = if public { LinkKind::ReExport } else { LinkKind::Import };
        let source = cx.name(name);
        let link = cx.link(kind, source, scope, node);
        cx.link_mut(link).special = true;
        cx.occur(name, Role::Import, Target::Linked(link, None));
        let alias = FIELDS.alias.of(node);
        let place = alias.unwrap_or(name);
        if cx.text(place) == "_" {
            return;
        }
        self.declare(cx, place, scope);
        let local = cx.name(place);
        let binding = cx.bind_name(scope, BindingKind::Import, local, place.start_byte());
        cx.binding(binding).import = Some((link, None));
        if let Some(alias) = alias {
            cx.occur(alias, Role::Import, Target::Binding(binding));
        }
    }

    /// `mod a;` and `mod a { … }`.
    pub fn module(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId, attributes: &[Node<'_>]) {
        let Some(name) = FIELDS.name.of(node) else { return };
        self.declare(cx, name, scope);
        let Some(body) = FIELDS.body.of(node) else {
            let paths: Vec<&str> = attributes.iter().filter_map(|attribute| path_of(cx.text(*attribute))).collect();
            self.module_file(cx, name, scope, &paths);
            return;
        };
        let binding = cx.bind(scope, BindingKind::Module, name);
        let inside = cx.scope(scope, ScopeKind::Module, node);
        cx.own(binding, inside);
        let outer = std::mem::replace(&mut self.module, inside);
        self.statements(cx, body, inside);
        self.module = outer;
    }

    /// `mod name;`: the module is a file, under the module's name or at one of `paths`.
    pub fn module_file<'s>(&mut self, cx: &mut Cx<'s>, name: Node<'_>, scope: ScopeId, paths: &[&'s str]) {
        let local = cx.name(name);
        let sources: Vec<(NameId, bool)> = match paths {
            [] => vec![(local, false)],
            paths => paths.iter().map(|path| (cx.intern(path), true)).collect(),
        };
        for (source, special) in sources {
            let link = cx.link(LinkKind::Module, source, scope, name);
            cx.link_mut(link).special = special;
            cx.occur(name, Role::Import, Target::Linked(link, None));
            let binding = cx.bind_name(scope, BindingKind::Import, local, name.start_byte());
            cx.binding(binding).import = Some((link, None));
        }
    }
}

/// The link of a declaration for `source`.
fn use_link(cx: &mut Cx<'_>, source: &str, node: Node<'_>, at: &mut Use<'_>) -> LinkId {
    let source = cx.intern_made(source);
    if let Some((_, link)) = at.links.iter().find(|(known, _)| *known == source) {
        return *link;
    }
    let node = if at.links.is_empty() { at.node } else { node };
    let link = cx.link(at.kind, source, at.scope, node);
    at.links.push((source, link));
    link
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
