//! Name binding of Kotlin's package header and imports.

use foldhash::HashSet;
use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{
    BindingKind, Expr, FILE_SCOPE, ModuleImportKind, NameId, NamesBuilder, Role, Target, first_line_number_of_node,
};

impl<'t> Binder<'t> {
    pub(super) fn bind_package(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let Some(path) = self.child_of_kind(node, Kind::QualifiedIdentifier) else { return };
        let text = self.path_text(path, builder);
        builder.names.package = Some(builder.intern_constructed_text(&text));
    }

    /// A dotted path without blanks, comments and backticks.
    fn path_text(&mut self, path: Node<'t>, builder: &NamesBuilder<'_>) -> String {
        let parts = self.named_children(path);
        parts.iter().map(|part| builder.text_of_node(*part).trim_matches('`')).collect::<Vec<_>>().join(".")
    }

    /// Binds the names of an import. The source is the whole path, or that of the package or type of which everything is
    /// imported.
    pub(super) fn bind_import(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let Some(path) = self.child_of_kind(node, Kind::QualifiedIdentifier) else { return };
        let is_glob = self.has_token(node, "*");
        let alias = self.child_of_kind(node, Kind::Identifier);
        let text = self.path_text(path, builder);
        let source = builder.intern_constructed_text(&text);
        let import = builder.add_import(ModuleImportKind::Import, source, FILE_SCOPE, node);
        builder.import_mut(import).glob = is_glob;
        let segments = self.named_children(path);
        let Some((last, owners)) = segments.split_last() else { return };
        if !is_glob {
            let (name, at) = self.name_and_place(*last, builder);
            let local = match alias {
                Some(alias) => {
                    let (name, at) = self.name_and_place(alias, builder);
                    let local = builder.add_binding(FILE_SCOPE, BindingKind::Import, name, at);
                    self.record_occurrence(alias, Role::Import, Target::Binding(local), builder);
                    local
                }
                None => builder.add_binding(FILE_SCOPE, BindingKind::Import, name, at),
            };
            builder.import_mut(import).names.extend(alias.map(|_| name));
            let local = builder.binding_mut(local);
            local.import = Some((import, None));
            local.private = true;
        }
        self.record_occurrence(*last, Role::Import, Target::Imported(import, None), builder);
        // Types that the path goes through: `Outer` of `a.b.Outer.Inner`.
        let mut base = None;
        for owner in owners {
            let name = builder.text_of_node(*owner);
            if base.is_none() && !super::is_written_as_type(name) {
                continue;
            }
            let target = match base {
                Some(base) => {
                    let (name, at) = self.name_and_place(*owner, builder);
                    builder.add_expr(Expr::Member { base, name, at: super::to_u32(at) })
                }
                None => {
                    // The type itself is imported by its own path, which no statement writes.
                    let prefix = builder.source.get(path.start_byte()..owner.end_byte()).unwrap_or("");
                    let prefix: String = prefix.chars().filter(|c| !c.is_whitespace() && *c != '`').collect();
                    let source = builder.intern_constructed_text(&prefix);
                    let line = first_line_number_of_node(node);
                    let outer = builder.add_import_at_line(ModuleImportKind::Path, source, FILE_SCOPE, line);
                    builder.add_expr(Expr::Imported { import: outer })
                }
            };
            self.record_occurrence(*owner, Role::Import, Target::Expr(target), builder);
            base = Some(target);
        }
    }

    /// Adds an import without a statement for each type and each called function that the file uses and neither imports nor
    /// declares: it may be of the file's own package. The source is the path that it has there.
    pub(super) fn add_names_of_same_package(&self, builder: &mut NamesBuilder<'_>) {
        let package = builder.names.package.map(|package| builder.names.name_text(package).to_owned());
        if package.as_ref().is_some_and(|package| package.len() > MAX_PACKAGE_BYTES) {
            return;
        }
        let mut seen: HashSet<NameId> = builder.names.bindings.iter().map(|of| of.name).collect();
        let mut found = Vec::new();
        for occurrence in &builder.names.occurrences {
            let Target::Expr(expr) = occurrence.target else { continue };
            let is_used =
                super::is_written_as_type(builder.names.name_text(occurrence.name)) || occurrence.role == Role::Call;
            if is_used
                && !matches!(builder.names.expr_by_id(expr), Expr::Imported { .. })
                && seen.insert(occurrence.name)
            {
                found.push((occurrence.name, occurrence.line));
            }
        }
        for (name, line) in found {
            let name = builder.names.name_text(name);
            let path = package.as_ref().map_or_else(|| name.to_owned(), |package| format!("{package}.{name}"));
            let source = builder.intern_constructed_text(&path);
            builder.add_import_at_line(ModuleImportKind::Path, source, FILE_SCOPE, line);
        }
    }
}

/// The limit on the length of a package's name: each name that may be of the package is stored with it.
const MAX_PACKAGE_BYTES: usize = 500;
