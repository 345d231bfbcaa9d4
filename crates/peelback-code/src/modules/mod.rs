//! Where imports lead: the files of a project, and what finds the modules that imports name.

#[cfg(test)]
pub(crate) mod testing;

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use peelback_syntax::Language;
use peelback_syntax::names::{ModuleImport, Names, ScopeId};

use crate::project::{Project, ProjectEntry};
use crate::resolve::index::NamesIndex;
use crate::source::SourceFile;
use crate::store::{ContentHash, Signature};

/// An index into [`Files`].
pub(crate) type FileId = u32;

/// Files that were read for what they say about modules, by path: what was found out with them holds while their texts
/// do.
pub(crate) type Consulted = BTreeMap<String, Text>;

/// A text that was read, or that there was none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Text {
    hash: Option<ContentHash>,
    /// The file's signature, where it means this text from then on.
    settled: Option<Signature>,
}

/// The files of a project at the time of a call, in the order of their paths.
pub(crate) struct Files {
    project: Project,
    entries: Vec<ProjectEntry>,
    /// Made when somebody asks: most calls look at files that have not changed.
    by_path: OnceLock<HashMap<String, FileId>>,
    consulted: Mutex<Consulted>,
}

impl Files {
    /// The files at `entries`, which are in the order of their paths.
    pub fn new(project: &Project, entries: Vec<ProjectEntry>) -> Self {
        Self { project: project.clone(), entries, by_path: OnceLock::new(), consulted: Mutex::default() }
    }

    /// The same files, of which nothing was read yet.
    pub fn fresh(&self) -> Self {
        Self::new(&self.project, self.entries.clone())
    }

    /// The project's root folder.
    pub fn root(&self) -> &Path {
        self.project.root()
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn entries(&self) -> &[ProjectEntry] {
        &self.entries
    }

    pub fn entry(&self, id: FileId) -> &ProjectEntry {
        &self.entries[id as usize]
    }

    /// The path of a file, from the root, with `/`.
    pub fn path(&self, id: FileId) -> &str {
        &self.entry(id).path
    }

    /// The file at a path from the root, with `/` and without `.` and `..`: see [`join`].
    pub fn id(&self, path: &str) -> Option<FileId> {
        let by_path = || (0..).zip(&self.entries).map(|(id, entry)| (entry.path.clone(), id)).collect();
        self.by_path.get_or_init(by_path).get(path).copied()
    }

    /// All files below a folder, at any depth; the empty path is the root.
    pub fn below(&self, folder: &str) -> Range<FileId> {
        if folder.is_empty() {
            return 0..file_id(self.entries.len());
        }
        // `/` sorts before every character of a name but a few: files of a folder need not stand together with those
        // of `folder.x`, but all that begins with `folder/` does.
        let prefix = format!("{folder}/");
        let start = self.entries.partition_point(|entry| entry.path.as_str() < prefix.as_str());
        let count = self.entries.get(start..).unwrap_or(&[]).partition_point(|entry| entry.path.starts_with(&prefix));
        file_id(start)..file_id(start + count)
    }

    /// The files that stand in a folder itself.
    pub fn children<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = FileId> + 'a {
        let skip = if folder.is_empty() { 0 } else { folder.len() + 1 };
        self.below(folder).filter(move |id| !self.path(*id).get(skip..).unwrap_or("").contains('/'))
    }

    /// Whether any file lies below a folder.
    pub fn has_folder(&self, folder: &str) -> bool {
        !self.below(folder).is_empty()
    }

    /// The text of a file of the project, as it is now.
    pub fn read(&self, id: FileId) -> Option<String> {
        self.read_any(self.path(id))
    }

    /// The text of a file below the root that the walk may have passed over (ignored, hidden).
    pub fn read_any(&self, path: &str) -> Option<String> {
        let (text, state) = self.text(path);
        self.consulted.lock().unwrap_or_else(PoisonError::into_inner).entry(path.to_owned()).or_insert(state);
        text
    }

    fn text(&self, path: &str) -> (Option<String>, Text) {
        let file = match self.id(path) {
            Some(id) => SourceFile::read(self.entry(id)).ok(),
            None => self.project.file_below(path).and_then(|entry| SourceFile::read(&entry).ok()),
        };
        let hash = file.as_ref().map(SourceFile::hash);
        let settled = file.as_ref().and_then(|file| file.settled);
        (file.map(|file| file.text), Text { hash, settled })
    }

    /// What was read here so far.
    pub fn consulted(&self) -> Consulted {
        self.consulted.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether all these files hold what they did, which `signature` tells of most of them.
    pub fn still_hold(&self, consulted: &mut Consulted, signature: impl Fn(FileId) -> Option<Signature>) -> bool {
        consulted.iter_mut().all(|(path, text)| {
            let now = self.id(path).and_then(&signature);
            if now.is_some() && now == text.settled {
                return true;
            }
            let before = std::mem::replace(text, self.text(path).1);
            before.hash == text.hash
        })
    }
}

/// The file at a place of the list.
pub(crate) fn file_id(at: usize) -> FileId {
    FileId::try_from(at).unwrap_or(FileId::MAX)
}

/// The folder of a path; empty for a file in the root.
pub(crate) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The name of a file without its folders.
pub(crate) fn name_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// `relative` taken from `folder`, with `.` and `..` worked out; `None` where it leaves the root.
pub(crate) fn join(folder: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// What can hold names that are looked up from outside.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Module {
    /// A file.
    File(FileId),
    /// A scope inside a file: an inline module, a namespace.
    Scope(FileId, ScopeId),
    /// A folder, by its path from the root: a Go package, a Python namespace package.
    Folder(Arc<str>),
}

/// Where an import leads.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Destination {
    /// A module of the project.
    Module(Module),
    /// A package from outside of the project, by the name that one installs or includes (`react`, `std`, `stdio.h`).
    External(String),
    /// It should be in the project and is not there, or nothing says where it is; why, in a few words.
    Unresolved(String),
}

/// What a language family's resolver can ask about the project.
pub(crate) trait ProjectIndex: Sync {
    /// The files.
    fn files(&self) -> &Files;

    /// What the names of a file mean; `None` where it cannot be read or parsed. [`ModuleResolver`] can rely on imports, exports,
    /// modules and what is bound in the file and its modules; the rest need not be there.
    fn names(&self, file: FileId) -> Option<Arc<Names>>;

    /// The language of a file, by its name or by what it begins with.
    fn language(&self, file: FileId) -> Option<&'static Language> {
        peelback_syntax::language::of_name(self.files().entry(file).name())
    }

    /// Whether `word` can be one of the names of a file: less than its names take to know. `false` is certain.
    fn may_hold(&self, _file: FileId, _word: &str) -> bool {
        true
    }

    /// The names of a file, ready for look-ups.
    fn indexed(&self, file: FileId) -> Option<Arc<NamesIndex>> {
        self.names(file).map(|names| Arc::new(NamesIndex::new(names)))
    }
}

/// How a language family finds the modules that its imports name. Made once for a state of the project; what it needs
/// to know of the whole project (source roots, configuration, the tree of modules) it finds out then, or when it is
/// asked first.
pub(crate) trait ModuleResolver: Send + Sync {
    /// Where `import` of the file `from` leads (the source as a whole; not the names taken from it).
    fn destination(
        &self,
        project_index: &dyn ProjectIndex,
        from: FileId,
        names: &Names,
        import: &ModuleImport,
    ) -> Destination;

    /// The files that `import` makes `from` depend on, each once: what [`ModuleResolver::destination`] names, with the
    /// submodules that its names mean, where the language has such.
    fn dependencies(
        &self,
        project_index: &dyn ProjectIndex,
        from: FileId,
        names: &Names,
        import: &ModuleImport,
    ) -> Vec<FileId> {
        match self.destination(project_index, from, names, import) {
            Destination::Module(Module::File(file) | Module::Scope(file, _)) => vec![file],
            Destination::Module(Module::Folder(folder)) => project_index.files().children(&folder).collect(),
            Destination::External(_) | Destination::Unresolved(_) => Vec::new(),
        }
    }

    /// The module called `name` inside `module`, where that is told by files and not by a name bound in it.
    fn submodule(&self, _project_index: &dyn ProjectIndex, _module: &Module, _name: &str) -> Option<Module> {
        None
    }

    /// What a bare name means as the beginning of a path where nothing in scope is called so: `crate`, `super`, a crate
    /// of the workspace.
    fn path_root(
        &self,
        _project_index: &dyn ProjectIndex,
        _from: FileId,
        _scope: ScopeId,
        _name: &str,
    ) -> Option<Module> {
        None
    }

    /// Modules whose names hold in the file `from` without an import: the other files of a Go package.
    fn implicit_modules(&self, _project_index: &dyn ProjectIndex, _from: FileId) -> Vec<Module> {
        Vec::new()
    }

    /// The files whose extensions may add members to the types of `file`, itself among them, in a fixed order: the
    /// files of a Go package, of a Rust crate. Empty: its own alone. Two files give the same list or lists without a
    /// common first file.
    fn extending_files(&self, _project_index: &dyn ProjectIndex, _file: FileId) -> Vec<FileId> {
        Vec::new()
    }

    /// The module that some file of the project declares by the name `source`, which comes before any file: an ambient
    /// module of TypeScript.
    fn declared_module(&self, _project_index: &dyn ProjectIndex, _source: &str) -> Option<Module> {
        None
    }

    /// Texts of which every file that depends on `file` holds at least one, so that few files need be parsed to find
    /// them: names of the module as an import may write them. Empty: any file may depend on it.
    fn needles(&self, project_index: &dyn ProjectIndex, file: FileId) -> Vec<String>;
}
