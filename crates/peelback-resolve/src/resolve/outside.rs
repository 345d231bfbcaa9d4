//! What the first name of a path tells of a function outside the project.

use peelback_syntax::names::{BindingKind, Expr, ExprId, ModuleImportId, NameId, ScopeId, ScopeKind};

use crate::modules::FileId;
use crate::resolve::resolver::Resolver;

/// What the first name of a path (`a` of `a.b.c`) is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FirstName<'a> {
    /// A name that an import binds, by the import's source as written.
    Imported(&'a str),
    /// A name that no binding in sight has, by its text.
    Unbound(&'a str),
    /// A name of the file itself, or no name.
    Other,
}

impl Resolver<'_> {
    /// What the first name of the path `expr` is.
    pub(crate) fn first_name_of_path(&self, file: FileId, mut expr: ExprId) -> FirstName<'_> {
        loop {
            match self.expr_by_id(file, expr) {
                Expr::Member { base, .. } | Expr::Generic { base: Some(base), .. } => expr = base,
                Expr::Imported { import } => return self.source_of_import(file, import),
                Expr::Name { name, scope, at } => return self.first_name(file, name, scope, at),
                _ => return FirstName::Other,
            }
        }
    }

    fn first_name(&self, file: FileId, name: NameId, scope: ScopeId, at: u32) -> FirstName<'_> {
        let Some(indexed) = self.names_index(file) else { return FirstName::Other };
        let mut next = Some(scope);
        while let Some(here) = next {
            if here == scope || indexed.scope_kind(here) != ScopeKind::Type {
                let found = indexed.bindings_of_name_visible_at_byte(here, name, at);
                if let Some(first) = found.first().map(|first| indexed.binding_or_placeholder(*first)) {
                    return match first.import {
                        Some((import, _)) if first.kind == BindingKind::Import => self.source_of_import(file, import),
                        _ => FirstName::Other,
                    };
                }
            }
            next = self.enclosing_scope_visible_from(file, here);
        }
        FirstName::Unbound(self.name_text(file, name))
    }

    fn source_of_import(&self, file: FileId, import: ModuleImportId) -> FirstName<'_> {
        let import = self.names_of_file(file).and_then(|names| names.imports.get(import as usize));
        import.map_or(FirstName::Other, |import| FirstName::Imported(self.name_text(file, import.source)))
    }

    /// Whether an expression is a bare name that nothing binds, among the tokens of a macro call.
    pub(crate) fn is_unbound_name_in_macro_call(&self, file: FileId, expr: ExprId) -> bool {
        let Expr::Name { scope, .. } = self.expr_by_id(file, expr) else { return false };
        let Some(indexed) = self.names_index(file) else { return false };
        let is_in_macro_call = std::iter::successors(Some(scope), |scope| indexed.parent_scope(*scope))
            .any(|scope| indexed.scope_kind(scope) == ScopeKind::MacroCall);
        is_in_macro_call && matches!(self.first_name_of_path(file, expr), FirstName::Unbound(_))
    }

    /// Whether the names that nothing binds in a file can be definitions of the project, because a tool adds the imports.
    pub(crate) fn can_unbound_names_be_of_project(&self, file: FileId) -> bool {
        self.module_resolver_of_file_language(file)
            .is_some_and(|modules| modules.are_imports_added_by_tool(self.project_index(), file))
    }

    /// Whether an expression is a bare name that nothing binds, in a file to which a tool adds imports.
    pub(crate) fn is_unbound_name_of_project_possibly(&self, file: FileId, expr: ExprId) -> bool {
        matches!(self.expr_by_id(file, expr), Expr::Name { .. })
            && matches!(self.first_name_of_path(file, expr), FirstName::Unbound(_))
            && self.can_unbound_names_be_of_project(file)
    }

    /// The last name of a path: `c` of `a.b.c`; empty if the expression is no path.
    pub(crate) fn last_name_of_path(&self, file: FileId, expr: ExprId) -> &str {
        match self.expr_by_id(file, expr) {
            Expr::Name { name, .. } | Expr::Member { name, .. } => self.name_text(file, name),
            Expr::Generic { base: Some(base), .. } => self.last_name_of_path(file, base),
            _ => "",
        }
    }
}

/// Whether a name is written as types are: with a capital letter first.
pub(crate) fn is_written_as_type(name: &str) -> bool {
    name.trim_start_matches('_').starts_with(char::is_uppercase)
}
