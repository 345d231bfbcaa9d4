//! The files of a project by number and by path, and the texts that were read to learn where modules are.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::project::{Project, ProjectEntry};
use crate::source::SourceFile;
use crate::store::{ContentHash, Signature};

/// An index into [`Files`].
pub type FileId = u32;

/// Files that were read for what they say about modules, by path: what was found out with them holds while their texts
/// do.
pub type Consulted = BTreeMap<String, Text>;

/// A text that was read, or that there was none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    hash: Option<ContentHash>,
    /// The file's signature, where it means this text from then on.
    settled: Option<Signature>,
}

/// The files of a project at the time of a call, in the order of their paths.
pub struct Files {
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

    /// The project's root, absolute and without symbolic links.
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
pub fn file_id(at: usize) -> FileId {
    FileId::try_from(at).unwrap_or(FileId::MAX)
}

/// The folder of a path; empty for a file in the root.
pub fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The name of a file without its folders.
pub fn name_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// `relative` taken from `folder`, with `.` and `..` worked out; `None` where it leaves the root.
pub fn join(folder: &str, relative: &str) -> Option<String> {
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
