//! What the names of a Rust file mean.

mod calls;
mod exprs;
mod items;
mod kinds;
mod paths;
mod patterns;
mod token_items;
mod tokens;
mod types;
mod uses;

use foldhash::{HashMap, HashSet};
use tree_sitter::Node;

use crate::names::{BindingId, ExprId, FILE_SCOPE, ModuleImportId, NameId, NamesBuilder, ScopeId};

/// Reads the tree below `root`.
pub(super) fn bind(root: Node<'_>, builder: &mut NamesBuilder<'_>) {
    Binder::default().statements(builder, root, FILE_SCOPE);
}

/// What the binder remembers while it reads a file.
#[derive(Default)]
struct Binder {
    /// The scope of the module around the place that is read.
    module: ScopeId,
    /// Names of items and imports inside functions: only these can hide a module's items at the head of a path.
    local_items: HashSet<NameId>,
    /// What each function around the place returns, the innermost last.
    returns: Vec<Vec<ExprId>>,
    /// Variables declared without a type and a value, which a later assignment gives them.
    undecided: Vec<BindingId>,
    /// Whether the rules of a macro are read: what stands there is defined where the macro is called.
    template: bool,
    /// How many macro calls, parsed by themselves, the place stands in.
    calls: usize,
    /// How many `<` are open in the types of a macro call.
    angles: u32,
    /// The imports for paths written in code, so that each is noted once.
    paths: HashMap<(ScopeId, NameId), ModuleImportId>,
}

/// A byte or an index as the model keeps it.
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

#[cfg(all(test, feature = "lang-rust"))]
mod tests;
