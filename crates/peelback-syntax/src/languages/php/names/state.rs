//! What the binder knows of the place that it is at: namespaces, open types, and names that wait for their definitions.

use foldhash::{HashMap, HashMapExt as _};

use crate::names::{BindingId, BindingKind, ExprId, FILE_SCOPE, NameId, ScopeId};

/// What a path names. Each kind has names apart from those of the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum PathKind {
    /// A class, interface, trait or enum.
    Class,
    Function,
    Constant,
}

impl PathKind {
    /// The path as the source of an import.
    pub fn source_of_path(self, path: &str) -> String {
        match self {
            Self::Class => path.to_owned(),
            Self::Function => format!("function {path}"),
            Self::Constant => format!("const {path}"),
        }
    }

    /// Whether a binding of this kind can be what a path of the kind names in its own file.
    pub fn fits(self, kind: BindingKind) -> bool {
        kind == BindingKind::Import
            || match self {
                Self::Class => kind == BindingKind::Type,
                Self::Function => kind == BindingKind::Function,
                Self::Constant => kind == BindingKind::Variable,
            }
    }
}

/// A bare name that no `use` clause binds: the file itself or another one may define it.
pub(super) struct UnboundName {
    pub kind: PathKind,
    pub name: NameId,
    pub scope: ScopeId,
    pub path: String,
    pub line: u32,
}

/// A namespace, as a part of a file declares it.
pub(super) struct Namespace {
    /// The name of the namespace; empty for the global one.
    pub path: String,
    /// The scope of its names.
    pub scope: ScopeId,
    /// What the `use` clauses bind, by the kind and the local name in lower case: the local name and the full path.
    pub uses: HashMap<(PathKind, String), (NameId, String)>,
}

impl Namespace {
    pub fn global() -> Self {
        Self { path: String::new(), scope: FILE_SCOPE, uses: HashMap::new() }
    }
}

/// A type whose members are being bound.
pub(super) struct OpenType {
    pub binding: BindingId,
    /// The class that it extends.
    pub parent: Option<ExprId>,
    /// Whether its members are copied to the types that use it.
    pub is_trait: bool,
    /// Properties without a declared type, by their names: what is assigned to them.
    pub untyped_properties: HashMap<NameId, (BindingId, Vec<ExprId>)>,
}

/// What the doc comment above a statement says of a variable: its name, if it is written, and its type.
#[derive(Clone)]
pub(super) struct PendingVariable {
    pub name: Option<String>,
    pub of: ExprId,
}
