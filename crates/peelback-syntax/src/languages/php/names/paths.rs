//! What the names of classes, functions and constants in PHP code mean: their full paths, by the namespace and the `use`
//! clauses around them.

use foldhash::{HashMap, HashMapExt as _};
use tree_sitter::Node;

use super::namespaces::without_blanks;
use super::state::{PathKind, UnboundName};
use super::{Binder, Kind};
use crate::names::{
    BindingId, BindingKind, Expr, ExprId, ModuleImportKind, NameId, Names, NamesBuilder, Role, ScopeId, Target,
    first_line_number_of_node,
};

/// The place of a name in the text.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// Byte offset of the last name of the path.
    pub at: usize,
    pub line: u32,
}

impl<'t> Binder<'t> {
    /// The last name of a path.
    pub(super) fn last_name_of_path(&mut self, node: Node<'t>) -> Node<'t> {
        match self.kind(node) {
            Kind::QualifiedName | Kind::RelativeName => {
                let count = u32::try_from(node.named_child_count()).unwrap_or(0);
                let last = (0..count).rev().take(4).filter_map(|at| node.named_child(at));
                last.into_iter().find(|child| self.kind(*child) == Kind::Name).unwrap_or(node)
            }
            _ => node,
        }
    }

    /// The expression for the class that `node` names, and records the use. `self`, `static` and `parent` are classes, too.
    pub(super) fn class_expr(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let text = builder.text_of_node(node);
        if let Some(relative) = self.relative_class_expr(text, scope, builder) {
            return relative;
        }
        self.path_expr(node, PathKind::Class, role, builder)
    }

    /// The class that `self`, `static` or `parent` means in a scope; `None` for other names.
    pub(super) fn relative_class_expr(
        &mut self,
        text: &str,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<ExprId> {
        if text.len() > "parent".len() {
            return None;
        }
        match text.to_ascii_lowercase().as_str() {
            "static" => Some(builder.add_expr(Expr::ThisType { scope })),
            "self" => Some(match self.open_types.last() {
                Some(open) => builder.add_expr(Expr::Bound { binding: open.binding }),
                None => builder.add_expr(Expr::ThisType { scope }),
            }),
            "parent" => Some(match self.open_types.last() {
                Some(open) => open.parent.unwrap_or(builder.unknown_expr()),
                None => builder.unknown_expr(),
            }),
            _ => None,
        }
    }

    /// The expression for what the path `node` names, and records the use of its last name.
    pub(super) fn path_expr(
        &mut self,
        node: Node<'t>,
        kind: PathKind,
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let last = self.last_name_of_path(node);
        let place = Place { at: last.start_byte(), line: first_line_number_of_node(last) };
        let expr = match self.kind(node) {
            Kind::Name => {
                let text = builder.text_of_node(node);
                let expr = self.bare_name_expr(text, kind, place, builder);
                // Names of classes and functions ignore case: the place counts as one of the imported name.
                if let Expr::Name { name, .. } = builder.names.expr_by_id(expr)
                    && builder.names.name_text(name) != text
                {
                    builder.record_occurrence_at_offset(name, place.at, place.line, role, Target::Expr(expr));
                    return expr;
                }
                expr
            }
            _ => {
                let text = without_blanks(builder.text_of_node(node));
                self.qualified_expr(&text, kind, place, builder)
            }
        };
        builder.record_occurrence(last, role, Target::Expr(expr));
        expr
    }

    /// The expression for what a bare name means.
    pub(super) fn bare_name_expr(
        &mut self,
        text: &str,
        kind: PathKind,
        place: Place,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let at = u32::try_from(place.at).unwrap_or(u32::MAX);
        let scope = self.namespace.scope;
        let local = if kind == PathKind::Constant { text.to_owned() } else { text.to_ascii_lowercase() };
        if let Some((name, _)) = self.namespace.uses.get(&(kind, local)) {
            return builder.add_expr(Expr::Name { name: *name, scope, at });
        }
        let name = builder.intern_constructed_text(text);
        if self.known_unbound.insert((kind, scope, name), ()).is_none() {
            let path = join_path(&self.namespace.path, text);
            self.unbound.push(UnboundName { kind, name, scope, path, line: place.line });
        }
        builder.add_expr(Expr::Name { name, scope, at })
    }

    /// The expression for what a path with several names means, as it is written.
    pub(super) fn qualified_expr(
        &mut self,
        written: &str,
        kind: PathKind,
        place: Place,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let path = self.full_path(written);
        let binding = self.qualified_binding(&path, kind, place.line, builder);
        builder.add_expr(Expr::Bound { binding })
    }

    /// The full path of one that is written with a backslash.
    fn full_path(&self, written: &str) -> String {
        if let Some(path) = written.strip_prefix('\\') {
            return path.to_owned();
        }
        let (first, rest) = written.split_once('\\').unwrap_or((written, ""));
        if first.eq_ignore_ascii_case("namespace") {
            return join_path(&self.namespace.path, rest);
        }
        match self.namespace.uses.get(&(PathKind::Class, first.to_ascii_lowercase())) {
            Some((_, path)) => join_path(path, rest),
            None => join_path(&self.namespace.path, written),
        }
    }

    /// The binding that stands for what a full path names.
    fn qualified_binding(
        &mut self,
        path: &str,
        kind: PathKind,
        line: u32,
        builder: &mut NamesBuilder<'_>,
    ) -> BindingId {
        let key = (kind, path.to_owned());
        if let Some(known) = self.qualified.get(&key) {
            return *known;
        }
        let name = builder.intern_constructed_text(path);
        let binding =
            self.add_path_import(UnboundName { kind, name, scope: self.hidden, path: path.to_owned(), line }, builder);
        self.qualified.insert(key, binding);
        binding
    }

    fn add_path_import(&mut self, of: UnboundName, builder: &mut NamesBuilder<'_>) -> BindingId {
        let source = builder.intern_constructed_text(&of.kind.source_of_path(&of.path));
        let import = builder.add_import_at_line(ModuleImportKind::Path, source, of.scope, of.line);
        let last = of.path.rsplit('\\').next().unwrap_or(&of.path);
        let imported = builder.intern_constructed_text(last);
        builder.import_mut(import).names.push(imported);
        let binding = builder.add_binding(of.scope, BindingKind::Import, of.name, 0);
        builder.binding_mut(binding).import = Some((import, Some(imported)));
        binding
    }

    /// Imports the names that the file uses and does not define. A function or constant that the namespace does not have is
    /// a global one.
    pub(super) fn bind_names_of_other_files(&mut self, builder: &mut NamesBuilder<'_>) {
        let mut defined = foldhash::HashSet::default();
        let mut written_otherwise: HashMap<(PathKind, ScopeId, String), NameId> = HashMap::new();
        for binding in &builder.names.bindings {
            for kind in [PathKind::Class, PathKind::Function, PathKind::Constant] {
                if kind.fits(binding.kind) {
                    defined.insert((kind, binding.scope, binding.name));
                    if kind != PathKind::Constant && binding.kind != BindingKind::Import {
                        let lower = builder.names.name_text(binding.name).to_ascii_lowercase();
                        written_otherwise.entry((kind, binding.scope, lower)).or_insert(binding.name);
                    }
                }
            }
        }
        let mut renamed: HashMap<(ScopeId, NameId), NameId> = HashMap::new();
        let unbound_names = std::mem::take(&mut self.unbound);
        let known = std::mem::take(&mut self.known_unbound);
        let kinds_of_name = |scope, name| {
            [PathKind::Class, PathKind::Function, PathKind::Constant]
                .into_iter()
                .filter(|kind| known.contains_key(&(*kind, scope, name)))
                .count()
        };
        for unbound in unbound_names {
            if defined.contains(&(unbound.kind, unbound.scope, unbound.name)) {
                continue;
            }
            let lower = builder.names.name_text(unbound.name).to_ascii_lowercase();
            if let Some(name) = written_otherwise.get(&(unbound.kind, unbound.scope, lower))
                && kinds_of_name(unbound.scope, unbound.name) == 1
            {
                renamed.insert((unbound.scope, unbound.name), *name);
                continue;
            }
            let may_be_global = unbound.kind != PathKind::Class && unbound.path.contains('\\');
            let binding = self.add_path_import(unbound, builder);
            if let Some((import, _)) = builder.binding_mut(binding).import {
                builder.import_mut(import).special = may_be_global;
            }
        }
        if !renamed.is_empty() {
            put_defined_names_in_place_of_written(&renamed, &mut builder.names);
        }
    }
}

/// Names of classes and functions ignore case: places that write one in another way than its definition in the file count as
/// places of the name that is defined. `renamed` has the defined names by the scope and the written name.
fn put_defined_names_in_place_of_written(renamed: &HashMap<(ScopeId, NameId), NameId>, names: &mut Names) {
    let mut is_changed = vec![None; names.exprs.len()];
    for (expr, change) in names.exprs.iter_mut().zip(&mut is_changed) {
        if let Expr::Name { name, scope, .. } = expr
            && let Some(defined) = renamed.get(&(*scope, *name))
        {
            *change = Some((*name, *defined));
            *name = *defined;
        }
    }
    for occurrence in &mut names.occurrences {
        if let Target::Expr(expr) = occurrence.target
            && let Some(Some((written, defined))) = is_changed.get(expr as usize)
            && occurrence.name == *written
        {
            occurrence.name = *defined;
        }
    }
}

/// A path inside a namespace.
pub(super) fn join_path(namespace: &str, name: &str) -> String {
    match (namespace.is_empty(), name.is_empty()) {
        (true, _) => name.to_owned(),
        (false, true) => namespace.to_owned(),
        (false, false) => format!("{namespace}\\{name}"),
    }
}
