//! Name binding of C#'s namespaces and `using` directives.

use foldhash::HashSet;
use tree_sitter::Node;

use super::{Binder, Kind, offset};
use crate::names::{
    BindingKind, Expr, ExprId, FILE_SCOPE, ModuleImportId, ModuleImportKind, NameId, NamesBuilder, RestrictedNameKind,
    Role, ScopeId, ScopeKind, Target, first_line_number_of_node,
};

/// The limit on the length of a namespace's path.
const MAX_PATH_BYTES: usize = 1000;

impl<'t> Binder<'t> {
    /// Binds what a file or a namespace declares. The declarations behind `namespace A;` are in that namespace.
    pub(super) fn bind_declarations_of_namespace(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let mut inside = scope;
        self.for_each_child(node, builder, |binder, child, builder| match binder.kind(child) {
            Kind::FileScopedNamespaceDeclaration => {
                let end = builder.source.len();
                if let Some(opened) = binder.open_namespace(child, scope, child.start_byte()..end, builder) {
                    inside = opened;
                }
            }
            _ => builder
                .run_with_depth_limit(child, |builder| binder.bind_declaration_in_namespace(child, inside, builder)),
        });
    }

    fn bind_declaration_in_namespace(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        match self.kind(node) {
            Kind::NamespaceDeclaration => {
                let Some(inside) = self.open_namespace(node, scope, node.byte_range(), builder) else { return };
                if let Some(body) = self.field(node, self.grammar.body) {
                    self.bind_declarations_of_namespace(body, inside, builder);
                }
            }
            Kind::UsingDirective => self.bind_using(node, scope, builder),
            Kind::PreprocIf | Kind::PreprocElse | Kind::PreprocElif | Kind::DeclarationList => {
                let condition = self.field(node, self.grammar.condition);
                self.for_each_child(node, builder, |binder, child, builder| {
                    if Some(child) != condition {
                        builder.run_with_depth_limit(child, |builder| {
                            binder.bind_declaration_in_namespace(child, scope, builder)
                        });
                    }
                });
            }
            Kind::Error => self.bind_declarations_of_namespace(node, scope, builder),
            Kind::ExternAliasDirective => {}
            Kind::GlobalAttribute => self.bind_attributes_in(node, scope, builder),
            _ if self.is_type_declaration(node) => self.bind_type_declaration(node, scope, builder),
            Kind::GlobalStatement => {
                builder.names.begins_program = true;
                self.bind_statements(node, scope, builder);
            }
            // Broken source may have a member in place of a declaration.
            _ if self.is_member(node) => self.bind_member_outside_of_type(node, scope, builder),
            _ => self.bind_statement(node, scope, builder),
        }
    }

    /// The scope of a namespace.
    fn open_namespace(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        bytes: std::ops::Range<usize>,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<ScopeId> {
        let name = self.field(node, self.grammar.name)?;
        let mut path = self.path_text(name, builder);
        let around = builder.names.scopes.get(scope as usize).and_then(|scope| scope.owner);
        if let Some(around) = around {
            let around = builder.binding_mut(around).name;
            path = format!("{}.{path}", builder.names.name_text(around));
        }
        if path.len() > MAX_PATH_BYTES {
            builder.record_missed_region(node);
            return None;
        }
        let inside = builder.add_child_scope_for_bytes(scope, ScopeKind::Module, bytes);
        self.add_unnamed_binding(BindingKind::Module, &path, (name, inside), builder);
        builder.names.package = builder.names.package.or(Some(builder.intern_constructed_text(&path)));
        Some(inside)
    }

    /// Binds a `using` directive. The source of the import is the path of the namespace, or of the type for `using static`,
    /// which [`ModuleImport::special`] tells apart.
    ///
    /// [`ModuleImport::special`]: crate::names::ModuleImport::special
    fn bind_using(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let alias = self.field(node, self.grammar.name);
        let Some(meant) = self.last_child(node, builder).filter(|meant| Some(*meant) != alias) else { return };
        let Some(alias) = alias else {
            let is_static = self.has_token(node, "static");
            let path = self.path_text(meant, builder);
            let source = builder.intern_constructed_text(&path);
            let import = builder.add_import(ModuleImportKind::Import, source, FILE_SCOPE, node);
            let import_of_all = builder.import_mut(import);
            import_of_all.special = is_static;
            import_of_all.glob = true;
            self.record_names_in_path(meant, is_static.then_some((import, None)), scope, builder);
            return;
        };
        if matches!(self.kind(meant), Kind::QualifiedName | Kind::Identifier | Kind::AliasQualifiedName)
            && !self.path_segments(meant).iter().any(|segment| self.kind(*segment) == Kind::GenericName)
        {
            let path = self.path_text(meant, builder);
            let (owner, last) = path.rsplit_once('.').unwrap_or(("", &path));
            let source = builder.intern_constructed_text(owner);
            let imported = builder.intern_constructed_text(last);
            let import = builder.add_import(ModuleImportKind::Import, source, FILE_SCOPE, node);
            builder.import_mut(import).names.push(imported);
            let (name, at) = self.name_of_identifier(alias, builder);
            let local = builder.add_binding(FILE_SCOPE, BindingKind::Import, name, at);
            let local_binding = builder.binding_mut(local);
            local_binding.import = Some((import, Some(imported)));
            local_binding.private = true;
            let line = first_line_number_of_node(alias);
            builder.record_occurrence_at_offset(name, at, line, Role::Import, Target::Binding(local));
            self.record_names_in_path(meant, Some((import, Some(imported))), scope, builder);
            return;
        }
        let binding = self.bind_name(FILE_SCOPE, BindingKind::TypeAlias, alias, builder);
        let of = self.type_expr(meant, scope, builder);
        let alias = builder.binding_mut(binding);
        alias.annotation = Some(of);
        alias.private = true;
    }

    /// Records the types that a path of names goes through. The last name is what `import` imports, if that is a type.
    fn record_names_in_path(
        &mut self,
        path: Node<'t>,
        import: Option<(ModuleImportId, Option<NameId>)>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        if import.is_none() {
            return;
        }
        let segments = self.path_segments(path);
        let mut base: Option<ExprId> = None;
        let last = segments.len().saturating_sub(1);
        for (index, segment) in segments.into_iter().enumerate() {
            let list = match self.kind(segment) {
                Kind::GenericName => self.child_of_kind(segment, Kind::TypeArgumentList),
                _ => None,
            };
            if let Some(list) = list {
                self.type_arguments(list, scope, builder);
            }
            let Some(name_node) = self.identifier_of_simple_name(segment) else { continue };
            let (name, at) = self.name_of_identifier(name_node, builder);
            let line = first_line_number_of_node(name_node);
            let target = match import.filter(|_| index == last) {
                Some((import, name)) => Target::Imported(import, name),
                None => {
                    let expr = match base {
                        Some(base) => builder.add_expr(Expr::Member { base, name, at: offset(at) }),
                        None => {
                            let expr = builder.add_expr(Expr::Name { name, scope: FILE_SCOPE, at: offset(at) });
                            builder.names.restricted_names.push((expr, RestrictedNameKind::Type));
                            expr
                        }
                    };
                    base = Some(expr);
                    Target::Expr(expr)
                }
            };
            builder.record_occurrence_at_offset(name, at, line, Role::Import, target);
        }
    }

    /// A dotted path, without blanks, comments and type arguments.
    pub(super) fn path_text(&mut self, path: Node<'t>, builder: &mut NamesBuilder<'_>) -> String {
        let mut names = Vec::new();
        for segment in self.path_segments(path) {
            if let Some(name) = self.identifier_of_simple_name(segment) {
                names.push(builder.text_of_node(name).trim_start_matches('@'));
            }
        }
        names.join(".")
    }

    /// The names in a dotted path, in the order of the text, without the alias before `::`.
    pub(super) fn path_segments(&self, path: Node<'t>) -> Vec<Node<'t>> {
        let mut segments = Vec::new();
        let mut at = Some(path);
        while let Some(node) = at {
            match self.kind(node) {
                Kind::QualifiedName => {
                    segments.extend(self.field(node, self.grammar.name));
                    at = self.field(node, self.grammar.qualifier);
                }
                Kind::AliasQualifiedName => {
                    segments.extend(self.field(node, self.grammar.name));
                    at = None;
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

    /// The identifier in a name that may have type arguments.
    pub(super) fn identifier_of_simple_name(&mut self, node: Node<'t>) -> Option<Node<'t>> {
        match self.kind(node) {
            Kind::Identifier => Some(node),
            Kind::GenericName => self.child_of_kind(node, Kind::Identifier),
            _ => None,
        }
    }

    /// Adds an import without a statement for each type that the file uses and does not declare: `using` names namespaces, not
    /// the files that have their types. The source is the bare name of the type.
    pub(super) fn add_types_used_without_import(&self, builder: &mut NamesBuilder<'_>) {
        let is_bound_type = |kind: BindingKind| {
            matches!(
                kind,
                BindingKind::Type | BindingKind::TypeParameter | BindingKind::TypeAlias | BindingKind::Import
            )
        };
        let mut seen: HashSet<NameId> =
            builder.names.bindings.iter().filter(|of| is_bound_type(of.kind)).map(|of| of.name).collect();
        let mut found = Vec::new();
        for occurrence in &builder.names.occurrences {
            let Target::Expr(expr) = occurrence.target else { continue };
            let name = match builder.names.expr_by_id(expr) {
                Expr::Name { name, .. } => name,
                // An attribute has two names.
                Expr::Fallback { value, .. } => match builder.names.expr_by_id(value) {
                    Expr::Name { name, .. } => name,
                    _ => continue,
                },
                _ => continue,
            };
            if builder.names.name_text(name).starts_with(char::is_uppercase) && seen.insert(name) {
                found.push((name, occurrence.line));
            }
        }
        for (name, line) in found {
            builder.add_import_at_line(ModuleImportKind::Path, name, FILE_SCOPE, line);
        }
    }
}
