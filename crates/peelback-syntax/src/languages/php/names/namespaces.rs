//! Name binding of PHP's namespaces and `use` clauses.

use foldhash::{HashMap, HashMapExt as _};
use tree_sitter::Node;

use super::state::{Namespace, PathKind};
use super::{Binder, Kind};
use crate::names::{BindingKind, FILE_SCOPE, ModuleImportKind, NamesBuilder, Role, ScopeKind, Target};

impl<'t> Binder<'t> {
    /// Binds a whole file. If it has one namespace, the names of the namespace are in the scope of the file.
    pub(super) fn bind_program(&mut self, root: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let mut definitions = Vec::new();
        self.for_each_named_non_comment_child(root, builder, |binder, child, _| {
            if binder.kind(child) == Kind::NamespaceDefinition {
                definitions.push(child);
            }
        });
        let is_alone = definitions.len() == 1;
        let mut starts = definitions.iter().skip(1).map(|next| next.start_byte());
        let mut doc = None;
        self.for_each_named_child(root, builder, |binder, child, builder| match binder.kind(child) {
            Kind::Comment => binder.read_comment_between_statements(child, &mut doc, builder),
            Kind::NamespaceDefinition => {
                doc = None;
                let end = starts.next().unwrap_or(root.end_byte());
                binder.bind_namespace(child, is_alone, end, builder);
            }
            _ => binder.bind_statement_with_doc(child, doc.take(), FILE_SCOPE, builder),
        });
    }

    fn bind_namespace(&mut self, node: Node<'t>, is_alone: bool, end: usize, builder: &mut NamesBuilder<'_>) {
        let name = self.field(node, self.grammar.name);
        let path = name.map_or_else(String::new, |name| without_blanks(builder.text_of_node(name)));
        let body = self.field(node, self.grammar.body);
        let mut scope = FILE_SCOPE;
        if is_alone {
            if !path.is_empty() {
                builder.names.package = Some(builder.intern_constructed_text(&path));
            }
        } else if !path.is_empty() {
            let end = body.map_or(end, |body| body.end_byte());
            scope = builder.add_child_scope_for_bytes(FILE_SCOPE, ScopeKind::Module, node.start_byte()..end);
            let text = builder.intern_constructed_text(&path);
            let at = name.map_or(node.start_byte(), |name| name.start_byte());
            let binding = builder.add_binding(FILE_SCOPE, BindingKind::Module, text, at);
            builder.link_binding_and_body_scope(binding, scope);
        }
        self.namespace = Namespace { path, scope, uses: HashMap::new() };
        if let Some(body) = body {
            self.bind_statements(body, FILE_SCOPE, builder);
            self.namespace = Namespace::global();
        }
    }

    /// Binds the names of one `use` statement of a namespace.
    pub(super) fn bind_use_declaration(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let kind = self.kind_of_use(node, builder);
        let prefix = self.child_of_kind(node, Kind::NamespaceName);
        let prefix = prefix.map(|prefix| without_blanks(builder.text_of_node(prefix)));
        let clauses = self.field(node, self.grammar.body).unwrap_or(node);
        self.for_each_named_non_comment_child(clauses, builder, |binder, clause, builder| {
            if binder.kind(clause) == Kind::NamespaceUseClause {
                binder.bind_use_clause(clause, prefix.as_deref(), kind, builder);
            }
        });
    }

    fn kind_of_use(&self, node: Node<'t>, builder: &NamesBuilder<'_>) -> Option<PathKind> {
        let written = self.field(node, self.grammar.r#type)?;
        match builder.text_of_node(written).to_ascii_lowercase().as_str() {
            "function" => Some(PathKind::Function),
            "const" => Some(PathKind::Constant),
            _ => None,
        }
    }

    fn bind_use_clause(
        &mut self,
        clause: Node<'t>,
        prefix: Option<&str>,
        kind: Option<PathKind>,
        builder: &mut NamesBuilder<'_>,
    ) {
        let kind = self.kind_of_use(clause, builder).or(kind).unwrap_or(PathKind::Class);
        let alias = self.field(clause, self.grammar.alias);
        let named = self.find_named_child(clause, |binder, child| {
            matches!(binder.kind(child), Kind::Name | Kind::QualifiedName) && Some(child) != alias
        });
        let Some(named) = named else { return };
        let last = self.last_name_of_path(named);
        let written = without_blanks(builder.text_of_node(named));
        let written = written.trim_start_matches('\\');
        let path = match prefix {
            Some(prefix) => format!("{}\\{written}", prefix.trim_start_matches('\\')),
            None => written.to_owned(),
        };
        let source = builder.intern_constructed_text(&kind.source_of_path(&path));
        let import = builder.add_import(ModuleImportKind::Import, source, self.namespace.scope, clause);
        let imported = builder.name_id_of_node(last);
        builder.import_mut(import).names.push(imported);
        builder.record_occurrence(last, Role::Import, Target::Imported(import, Some(imported)));
        let local = alias.unwrap_or(last);
        let name = builder.name_id_of_node(local);
        let binding = builder.add_binding(self.namespace.scope, BindingKind::Import, name, local.start_byte());
        builder.binding_mut(binding).import = Some((import, Some(imported)));
        if alias.is_some() {
            builder.record_occurrence(local, Role::Import, Target::Binding(binding));
        }
        let text = builder.text_of_node(local);
        let key = (kind, if kind == PathKind::Constant { text.to_owned() } else { text.to_ascii_lowercase() });
        self.namespace.uses.insert(key, (name, path));
    }
}

/// A path without the blanks that can be written between its parts.
pub(super) fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}
