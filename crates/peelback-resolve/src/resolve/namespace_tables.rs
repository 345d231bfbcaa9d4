//! What the resolver keeps of namespaces that are spread over files.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, RwLock};

use peelback_syntax::names::ScopeId;

use crate::modules::FileId;
use crate::resolve::definition::Def;

/// The namespaces to which the scopes of one file belong.
#[derive(Debug, Default)]
pub(crate) struct FileNamespaces {
    /// Each path with a scope of it, in the order of paths. An inline namespace has two paths.
    pub(super) scopes_by_path: Vec<(Box<str>, ScopeId)>,
    /// The path of each scope of a namespace, in the order of scopes.
    pub(super) path_by_scope: Vec<(ScopeId, Box<str>)>,
    /// The scopes of namespaces whose paths are too long.
    pub(super) too_long: BTreeSet<ScopeId>,
}

/// A file and the files that it includes, at any depth.
#[derive(Debug)]
pub(crate) struct VisibleFiles {
    /// The files in the order in which they are met.
    pub in_order: Box<[FileId]>,
    /// The same files in the order of their numbers.
    sorted: Box<[FileId]>,
    /// Whether the index of names in namespaces has all of these files.
    pub(super) is_indexed: AtomicBool,
}

impl VisibleFiles {
    pub(super) fn new(in_order: Vec<FileId>) -> Self {
        let mut sorted = in_order.clone();
        sorted.sort_unstable();
        Self { in_order: in_order.into(), sorted: sorted.into(), is_indexed: AtomicBool::new(false) }
    }

    pub fn contains(&self, file: FileId) -> bool {
        self.sorted.binary_search(&file).is_ok()
    }
}

impl FileNamespaces {
    /// Each path with a scope of it, in the order of paths.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.scopes_by_path.iter().map(|(path, _)| &**path)
    }

    /// The scopes of the file that belong to a namespace.
    pub(super) fn scopes_of_path(&self, path: &str) -> impl Iterator<Item = ScopeId> {
        let start = self.scopes_by_path.partition_point(|(known, _)| **known < *path);
        let rest = self.scopes_by_path.get(start..).unwrap_or(&[]).iter();
        rest.take_while(move |(known, _)| **known == *path).map(|(_, scope)| *scope)
    }

    pub(super) fn path_of_scope(&self, scope: ScopeId) -> Option<&str> {
        let at = self.path_by_scope.binary_search_by_key(&scope, |(known, _)| *known).ok()?;
        self.path_by_scope.get(at).map(|(_, path)| &**path)
    }
}

/// Which files bind a name in a namespace, so that a look-up does not ask all visible files.
#[derive(Default)]
pub(crate) struct NamespaceNames(pub(super) RwLock<NamespaceNamesInFiles>);

#[derive(Default)]
pub(super) struct NamespaceNamesInFiles {
    /// The files that are in the index.
    pub(super) files: BTreeSet<FileId>,
    /// For each name, the files that bind it in a namespace.
    pub(super) by_name: HashMap<Box<str>, Vec<FileId>>,
    /// For each path of a namespace, the files that have a part of it.
    pub(super) by_path: HashMap<Box<str>, Vec<FileId>>,
}

/// What a directive with `using` brings in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum UsedNames {
    /// The members of the namespace with this path.
    Namespace(Arc<str>),
    /// The constants of an enum.
    Type(Def),
}

/// The definitions that a search linked with a name, each with its path, by the last two names of the path.
pub(crate) type LinkedByOwner = Arc<BTreeMap<Box<str>, Vec<(Def, Box<str>)>>>;
