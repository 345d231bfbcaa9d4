//! Name binding of Java's package clause, imports and module declarations.

use foldhash::HashSet;
use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{
    BindingKind, Expr, ExprId, FILE_SCOPE, ModuleImportId, ModuleImportKind, NameId, NamesBuilder, RestrictedNameKind,
    Role, Target,
};

impl<'t> Binder<'t> {
    pub(super) fn bind_package(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        self.for_each_named_non_comment_child(node, builder, |binder, child, builder| match binder.kind(child) {
            Kind::Identifier | Kind::ScopedIdentifier => {
                let text = binder.path_text(child, builder);
                builder.names.package = Some(builder.intern_constructed_text(&text));
            }
            _ => binder.bind_annotation_if_any(child, FILE_SCOPE, builder),
        });
    }

    /// Binds the names of an import. The source of an import is the path of the type, or of the package whose types
    /// are imported. [`ModuleImport::special`] tells an import of static members.
    ///
    /// [`ModuleImport::special`]: crate::names::ModuleImport::special
    pub(super) fn bind_import(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let path = self.child_of_kind(node, Kind::ScopedIdentifier).or(self.child_of_kind(node, Kind::Identifier));
        let Some(path) = path else { return };
        let is_glob = self.child_of_kind(node, Kind::Asterisk).is_some();
        let is_static = self.has_keyword(node, "static");
        let whole = self.path_text(path, builder);
        let last = self.field(path, self.grammar.name).unwrap_or(path);
        let member = (is_static && !is_glob).then(|| self.field(path, self.grammar.scope)).flatten();
        let source = match member {
            Some(owner) => self.path_text(owner, builder),
            None => whole,
        };
        let source = builder.intern_constructed_text(&source);
        let import = builder.add_import(ModuleImportKind::Import, source, FILE_SCOPE, node);
        builder.import_mut(import).special = is_static;
        builder.import_mut(import).glob = is_glob;
        if is_glob {
            self.record_types_in_import_path(path, Some((import, None)), builder);
            return;
        }
        let name = builder.name_id_of_node(last);
        let imported = member.map(|_| name);
        builder.import_mut(import).names.extend(imported);
        let local = builder.add_binding(FILE_SCOPE, BindingKind::Import, name, last.start_byte());
        let local = builder.binding_mut(local);
        local.import = Some((import, imported));
        local.private = true;
        builder.record_occurrence(last, Role::Import, Target::Imported(import, imported));
        if let Some(owner) = self.field(path, self.grammar.scope) {
            self.record_types_in_import_path(owner, member.map(|_| (import, None)), builder);
        }
    }

    /// Adds an import without a statement for each type that the file uses and neither imports nor declares: it may be of the
    /// file's own package. The source is the path that the type has there.
    pub(super) fn add_types_of_same_package(&self, builder: &mut NamesBuilder<'_>) {
        let package = builder.names.package.map(|package| builder.names.name_text(package).to_owned());
        if package.as_ref().is_some_and(|package| package.len() > MAX_PACKAGE_BYTES) {
            return;
        }
        let is_bound_type = |kind: BindingKind| {
            matches!(
                kind,
                BindingKind::Type | BindingKind::TypeParameter | BindingKind::Import | BindingKind::EnumMember
            )
        };
        let mut seen: HashSet<NameId> =
            builder.names.bindings.iter().filter(|of| is_bound_type(of.kind)).map(|of| of.name).collect();
        let mut found = Vec::new();
        for occurrence in &builder.names.occurrences {
            let Target::Expr(expr) = occurrence.target else { continue };
            if matches!(builder.names.expr_by_id(expr), Expr::Name { .. })
                && is_written_as_type(builder.names.name_text(occurrence.name))
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

    /// Whether a keyword is among the children of a node.
    fn has_keyword(&mut self, node: Node<'t>, keyword: &str) -> bool {
        let mut cursor = self.cursors.take_cursor(node);
        let mut has_child = cursor.goto_first_child();
        let mut found = false;
        while has_child && !found {
            found = !cursor.node().is_named() && cursor.node().kind() == keyword;
            has_child = cursor.goto_next_sibling();
        }
        self.cursors.return_cursor(cursor);
        found
    }

    /// Records the types that a path of names goes through: `Outer` of `a.b.Outer.Inner`. The last name of the path is
    /// what `import` imports as a whole, if that is present.
    fn record_types_in_import_path(
        &mut self,
        path: Node<'t>,
        import: Option<(ModuleImportId, Option<NameId>)>,
        builder: &mut NamesBuilder<'_>,
    ) {
        let segments = self.path_segments(path);
        let mut base: Option<ExprId> = None;
        let last = segments.len().saturating_sub(1);
        for (index, segment) in segments.iter().enumerate() {
            let is_type = is_written_as_type(builder.text_of_node(*segment));
            let target = match import.filter(|_| index == last) {
                Some((import, name)) => Target::Imported(import, name),
                None => {
                    let expr = self.path_segment_expr(base, *segment, builder);
                    base = Some(expr);
                    Target::Expr(expr)
                }
            };
            if is_type {
                builder.record_occurrence(*segment, Role::Import, target);
            }
        }
    }

    /// The expression for a name in a path of packages and types, without an occurrence.
    fn path_segment_expr(&mut self, base: Option<ExprId>, segment: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let name = builder.name_id_of_node(segment);
        let at = u32::try_from(segment.start_byte()).unwrap_or(u32::MAX);
        match base {
            Some(base) => builder.add_expr(Expr::Member { base, name, at }),
            None => {
                let expr = builder.add_expr(Expr::Name { name, scope: FILE_SCOPE, at });
                builder.names.restricted_names.push((expr, RestrictedNameKind::Type));
                expr
            }
        }
    }

    /// A dotted path, without the blanks and comments that can stand between its parts.
    fn path_text(&self, path: Node<'t>, builder: &NamesBuilder<'_>) -> String {
        let names: Vec<&str> =
            self.path_segments(path).into_iter().map(|segment| builder.text_of_node(segment)).collect();
        names.join(".")
    }

    /// The names in a dotted path, in the order of the text.
    fn path_segments(&self, path: Node<'t>) -> Vec<Node<'t>> {
        let mut segments = Vec::new();
        let mut at = Some(path);
        while let Some(node) = at {
            match self.kind(node) {
                Kind::ScopedIdentifier => {
                    segments.extend(self.field(node, self.grammar.name));
                    at = self.field(node, self.grammar.scope);
                }
                _ => {
                    segments.push(node);
                    at = None;
                }
            }
        }
        segments.reverse();
        segments
    }

    /// The expression for a dotted path that names a type, with an occurrence of each type in it.
    pub(super) fn type_path_expr(&mut self, path: Node<'t>, role: Role, builder: &mut NamesBuilder<'_>) -> ExprId {
        let mut base = None;
        for segment in self.path_segments(path) {
            let expr = self.path_segment_expr(base, segment, builder);
            if is_written_as_type(builder.text_of_node(segment)) {
                builder.record_occurrence(segment, role, Target::Expr(expr));
            }
            base = Some(expr);
        }
        base.unwrap_or(builder.unknown_expr())
    }

    /// Records the types that a `module-info.java` names as services and their providers.
    pub(super) fn bind_module_declaration(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
            builder.run_with_depth_limit(child, |builder| match binder.kind(child) {
                Kind::ScopedIdentifier => {
                    binder.type_path_expr(child, Role::Type, builder);
                }
                Kind::Identifier => {}
                _ => binder.bind_module_declaration(child, builder),
            });
        });
    }
}

/// The limit on the length of a package's name to which the names of types are added.
const MAX_PACKAGE_BYTES: usize = 1000;

/// Whether a name is written as types are: with a capital letter first.
fn is_written_as_type(name: &str) -> bool {
    name.trim_start_matches('_').starts_with(char::is_uppercase)
}
