//! Name binding of Java's package clause, imports and module declarations.

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
                let text = path_without_blanks(builder.text_of_node(child));
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
        let is_static = (0..node.child_count())
            .filter_map(|at| node.child(at))
            .any(|child| !child.is_named() && child.kind() == "static");
        let whole = path_without_blanks(builder.text_of_node(path));
        let last = self.field(path, self.grammar.name).unwrap_or(path);
        let member = (is_static && !is_glob).then(|| self.field(path, self.grammar.scope)).flatten();
        let source = match member {
            Some(owner) => path_without_blanks(builder.text_of_node(owner)),
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

/// A dotted path without the blanks and comments that can stand between its parts.
pub(super) fn path_without_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Whether a name is written as types are: with a capital letter first.
fn is_written_as_type(name: &str) -> bool {
    name.trim_start_matches('_').starts_with(char::is_uppercase)
}
