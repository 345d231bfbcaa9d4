//! Name binding for Rust: scopes, bindings, occurrences and imports of one file.

mod attributes;
mod calls;
mod exprs;
mod items;
mod kinds;
mod macro_rules;
mod paths;
mod patterns;
mod token_items;
mod token_paths;
mod token_patterns;
mod token_stream;
mod token_types;
mod token_uses;
mod tokens;
mod types;
mod uses;

use foldhash::{HashMap, HashSet};
use tree_sitter::Node;

use crate::names::{BindingId, ExprId, FILE_SCOPE, ModuleImportId, NameId, NamesBuilder, ScopeId};

/// Binds every name in the syntax tree below `root`.
pub(super) fn bind_names_in_file(root: Node<'_>, builder: &mut NamesBuilder<'_>) {
    Binder::default().bind_statements_and_get_value(builder, root, FILE_SCOPE);
}

/// The state of name binding while one Rust file is read.
#[derive(Default)]
struct Binder {
    /// The scope of the innermost module around the current node.
    module: ScopeId,
    /// Names of items and imports that are declared inside functions. Only these names can hide a module's items at the
    /// start of a path.
    local_items: HashSet<NameId>,
    /// The returned values of each enclosing function, the innermost function last.
    return_values: Vec<Vec<ExprId>>,
    /// Variables that `let` declares without a type and a value. A later assignment determines their type.
    uninitialized: Vec<BindingId>,
    /// Whether the binder is inside a macro definition. Items there are defined where the macro is called, so they are
    /// not bound.
    in_macro_definition: bool,
    /// The metavariables of the macro rule around the current node, by name: each with the rule's function and the
    /// position of its argument. Empty outside of macro rules.
    metavariables: HashMap<NameId, (BindingId, u32)>,
    /// Number of enclosing macro calls whose tokens were parsed separately as items.
    parsed_macro_calls: usize,
    /// Number of unclosed `<` in the type arguments of a macro call.
    open_angles: u32,
    /// Imports recorded for paths in code (`a::b::c`), by scope and source, so that each is recorded once.
    path_imports: HashMap<(ScopeId, NameId), ModuleImportId>,
}

/// Converts a byte offset or an index to the 32-bit integer that [`crate::names::Names`] stores.
fn saturating_u32(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

#[cfg(all(test, feature = "lang-rust"))]
mod tests;
