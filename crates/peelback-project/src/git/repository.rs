//! One git repository, read without the git program.

use std::fs;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use gix_hash::{Kind, ObjectId, Prefix};
use gix_object::{CommitRefIter, Find as _, TagRefIter, TreeRefIter};
use gix_odb::Header as _;
use gix_ref::Target;

use super::discover::{GitFolders, find_git_dir};
use super::read_error::GitReadError;
use super::references::GitReferences;
use super::revision::{Revision, RevisionStep};
use super::tree::{GitEntry, GitEntryKind, is_safe_file_name};
use crate::path_text::text_of_name_bytes;
use crate::regular_file::read_text_file_following_links;

/// The maximum size in bytes of one commit, tag or tree object.
const MAX_STRUCTURE_BYTES: u64 = 64 << 20;

/// The maximum size in bytes of one memory allocation that the data of a pack file can cause.
const MAX_ALLOCATION_BYTES: usize = 512 << 20;

/// The maximum number of tags that are followed in a row, where a tag points at another tag.
const MAX_TAG_DEPTH: usize = 16;

/// The maximum size in bytes of a file `info/alternates`, which names folders with objects of other repositories.
const MAX_ALTERNATES_BYTES: u64 = 64 << 10;

/// The maximum number of folders of objects that belong to one repository through `info/alternates`.
const MAX_FOLDERS_OF_OBJECTS: usize = 64;

/// The maximum depth of nested folders in a git tree.
const MAX_TREE_DEPTH: usize = 512;

/// The minimum number of digits of an abbreviated object id; git uses the same number.
const MIN_ABBREVIATION: usize = 4;

/// A git repository whose references and objects can be read. All methods read the files as they are at the call;
/// several threads may share one value. Objects that a partial clone lacks are not fetched, replacement references are
/// not applied, and the hash of an object is not computed again.
pub struct Repository {
    folders: GitFolders,
    hash: Kind,
    config: gix_config::File,
    object_store: OnceLock<Arc<gix_odb::Store>>,
}

impl std::fmt::Debug for Repository {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Repository").field("folders", &self.folders).finish_non_exhaustive()
    }
}

impl Repository {
    /// The repository of the work tree that contains `folder`, an absolute path; `None` where no folder above has a
    /// `.git`.
    ///
    /// As git does, this function follows a `.git` file into another folder, which linked work trees and submodules
    /// need. With a `boundary`, the git folder, the common folder and all files must be inside that folder.
    ///
    /// # Errors
    /// [`GitReadError::OutOfBounds`], [`GitReadError::UnexpectedFile`], [`GitReadError::Unsupported`].
    pub fn discover(folder: &Path, boundary: Option<&Path>) -> Result<Option<Self>, GitReadError> {
        match find_git_dir(folder)? {
            Some(git_dir) => Self::open_git_dir(&git_dir, boundary).map(Some),
            None => Ok(None),
        }
    }

    /// The repository whose git folder is `git_dir`: a folder `.git` or a bare repository.
    ///
    /// # Errors
    /// [`GitReadError::OutOfBounds`], [`GitReadError::UnexpectedFile`], [`GitReadError::Unsupported`].
    pub fn open_git_dir(git_dir: &Path, boundary: Option<&Path>) -> Result<Self, GitReadError> {
        let folders = GitFolders::from_git_dir(git_dir, boundary)?;
        let bytes = folders.read_config()?.unwrap_or_default();
        let metadata = gix_config::file::Metadata::from(gix_config::Source::Local);
        // The configuration is read without the files that it includes: a setting could name any file of the machine.
        let config =
            gix_config::File::from_bytes_no_includes(&bytes, metadata, gix_config::file::init::Options::default())
                .map_err(|_| GitReadError::damaged("the configuration cannot be read"))?;
        let hash = match config.string("extensions.objectFormat") {
            None => Kind::Sha1,
            Some(name) => name
                .to_string()
                .to_ascii_lowercase()
                .parse()
                .map_err(|_| GitReadError::Unsupported(format!("the object format {name}")))?,
        };
        Ok(Self { folders, hash, config, object_store: OnceLock::new() })
    }

    /// The id of the commit that is checked out; `None` before the first commit.
    ///
    /// # Errors
    /// [`GitReadError`] where `HEAD` or its branch cannot be read.
    pub fn head_commit(&self) -> Result<Option<String>, GitReadError> {
        Ok(self.references().resolve_full_name("HEAD")?.map(|id| id.to_string()))
    }

    /// The name of the branch that is checked out, such as `main` or `feature/x`; `None` where `HEAD` is detached.
    ///
    /// # Errors
    /// [`GitReadError`] where `HEAD` cannot be read.
    pub fn head_branch(&self) -> Result<Option<String>, GitReadError> {
        Ok(match self.references().read_head_target()? {
            Some(Target::Symbolic(name)) => name.as_bstr().to_string().strip_prefix("refs/heads/").map(str::to_owned),
            Some(Target::Object(_)) | None => None,
        })
    }

    /// The URL of a remote such as `origin` without the credentials of an HTTP URL; `None` where the configuration has
    /// none.
    pub fn remote_url_without_credentials(&self, remote: &str) -> Option<String> {
        let url = self.config.raw_value_by("remote", Some(remote.into()), "url").ok()?.to_string();
        let Some((scheme, rest)) = url.split_once("://") else { return Some(url) };
        let authority = rest.split('/').next().unwrap_or(rest);
        match authority.rsplit_once('@') {
            Some((user, _)) if scheme.to_ascii_lowercase().starts_with("http") => {
                Some(format!("{scheme}://{}", rest.get(user.len() + 1..).unwrap_or("")))
            }
            _ => Some(url),
        }
    }

    /// The id of the commit that a revision names: a branch, tag or other reference, a whole or abbreviated id, `HEAD`
    /// or `@`, each followed by any number of `~n`, `^n`, `^{commit}` and `^{}`.
    ///
    /// # Errors
    /// [`GitReadError::UnknownRevision`], [`GitReadError::AmbiguousRevision`], or what reading the objects gives.
    pub fn resolve_revision_to_commit_id(&self, revision: &str) -> Result<String, GitReadError> {
        let parsed = Revision::parse(revision)?;
        let unknown = || GitReadError::UnknownRevision(revision.to_owned());
        let base = self.resolve_reference_or_object_id(parsed.base)?.ok_or_else(unknown)?;
        let mut commit = self.peel_to_commit(base)?;
        for step in parsed.steps {
            commit = match step {
                RevisionStep::FirstParents(count) => {
                    (0..count).try_fold(commit, |commit, _| self.parent_commit(commit, 1)?.ok_or_else(unknown))?
                }
                RevisionStep::Parent(0) => commit,
                RevisionStep::Parent(number) => self.parent_commit(commit, number)?.ok_or_else(unknown)?,
            };
        }
        Ok(commit.to_string())
    }

    /// All files, links and submodules at a commit, in git's order: by the bytes of their paths, folder by folder.
    /// `commit` is the id of a commit or a tree.
    ///
    /// # Errors
    /// [`GitReadError::TooLarge`] where the tree has more than `max_entries` entries, folders included; or what reading
    /// the objects gives.
    pub fn list_non_folder_entries_at_commit(
        &self,
        commit: &str,
        max_entries: usize,
    ) -> Result<Vec<GitEntry>, GitReadError> {
        let too_large = || GitReadError::TooLarge { what: format!("the tree of {commit}"), limit: max_entries as u64 };
        let mut entries = Vec::new();
        let mut seen = 0_usize;
        let mut open_folders = vec![self.read_tree_entries(self.root_tree_of_commit_or_tree(commit)?, "")?.into_iter()];
        while let Some(folder) = open_folders.last_mut() {
            let Some(entry) = folder.next() else {
                open_folders.pop();
                continue;
            };
            seen += 1;
            if seen > max_entries || open_folders.len() > MAX_TREE_DEPTH {
                return Err(too_large());
            }
            if entry.kind == GitEntryKind::Folder {
                open_folders.push(self.read_tree_entries(self.parse_object_id(&entry.id)?, &entry.path)?.into_iter());
            } else {
                entries.push(entry);
            }
        }
        Ok(entries)
    }

    /// The entry at `path`, a path with `/` from the root of the tree; `None` where the tree has no such path. `commit`
    /// is the id of a commit or a tree.
    ///
    /// # Errors
    /// What reading the objects gives.
    pub fn find_entry_at_path(&self, commit: &str, path: &str) -> Result<Option<GitEntry>, GitReadError> {
        let mut tree = self.root_tree_of_commit_or_tree(commit)?;
        let mut parts = path.split('/').peekable();
        let mut parent = String::new();
        while let Some(part) = parts.next() {
            let wanted = if parent.is_empty() { part.to_owned() } else { format!("{parent}/{part}") };
            let found = self.read_tree_entries(tree, &parent)?.into_iter().find(|entry| entry.path == wanted);
            match found {
                Some(entry) if parts.peek().is_none() => return Ok(Some(entry)),
                Some(entry) if entry.kind == GitEntryKind::Folder => tree = self.parse_object_id(&entry.id)?,
                _ => return Ok(None),
            }
            parent = wanted;
        }
        Ok(None)
    }

    /// The content of a blob.
    ///
    /// # Errors
    /// [`GitReadError::TooLarge`] where the blob has more than `max_bytes` bytes, [`GitReadError::MissingObject`],
    /// [`GitReadError::WrongType`] where `id` is no blob.
    pub fn read_blob(&self, id: &str, max_bytes: u64) -> Result<Vec<u8>, GitReadError> {
        self.read_object(self.parse_object_id(id)?, gix_object::Kind::Blob, max_bytes)
    }

    fn references(&self) -> GitReferences<'_> {
        GitReferences::new(&self.folders, self.hash)
    }

    /// The object id that `text` writes in hexadecimal digits.
    fn parse_object_id(&self, text: &str) -> Result<ObjectId, GitReadError> {
        ObjectId::from_hex(text.as_bytes())
            .ok()
            .filter(|id| id.kind() == self.hash)
            .ok_or_else(|| GitReadError::UnknownRevision(text.to_owned()))
    }

    /// The object that the base of a revision (a reference name or an object id, without steps such as `~2`) names;
    /// `None` where there is no such object.
    fn resolve_reference_or_object_id(&self, base: &str) -> Result<Option<ObjectId>, GitReadError> {
        if let Ok(id) = self.parse_object_id(base) {
            return Ok(Some(id));
        }
        if let Some(id) = self.references().object_id_of_name(base)? {
            return Ok(Some(id));
        }
        let is_abbreviation = base.len() >= MIN_ABBREVIATION && base.chars().all(|c| c.is_ascii_hexdigit());
        // The abbreviation is padded to a whole id of the repository's hash type: alone, it would count as one of
        // SHA-1.
        let padded = format!("{base:0<width$}", width = self.hash.len_in_hex());
        let prefix = self.parse_object_id(&padded).ok().filter(|_| is_abbreviation);
        let Some(prefix) = prefix.and_then(|id| Prefix::new(&id, base.len()).ok()) else { return Ok(None) };
        let handle = self.object_store()?.to_handle_arc();
        match handle
            .lookup_prefix(prefix, None)
            .map_err(|_| GitReadError::damaged("the index of a pack file cannot be read"))?
        {
            None => Ok(None),
            Some(Ok(id)) => Ok(Some(id)),
            Some(Err(())) => Err(GitReadError::AmbiguousRevision(base.to_owned())),
        }
    }

    /// The id of the commit that `id` names: the object itself if it is a commit, or else the commit that the tag
    /// points to.
    fn peel_to_commit(&self, id: ObjectId) -> Result<ObjectId, GitReadError> {
        let mut id = id;
        for _ in 0..MAX_TAG_DEPTH {
            match self.object_kind(id)? {
                gix_object::Kind::Commit => return Ok(id),
                gix_object::Kind::Tag => {
                    let data = self.read_object(id, gix_object::Kind::Tag, MAX_STRUCTURE_BYTES)?;
                    id = TagRefIter::from_bytes(&data, self.hash)
                        .target_id()
                        .map_err(|_| GitReadError::damaged(format!("the tag {id}")))?;
                }
                gix_object::Kind::Tree | gix_object::Kind::Blob => break,
            }
        }
        Err(GitReadError::WrongType { id: id.to_string(), expected: "commit" })
    }

    /// The parent of a commit by the parent's number, from 1; `None` where the commit has fewer parents.
    fn parent_commit(&self, commit: ObjectId, number: u32) -> Result<Option<ObjectId>, GitReadError> {
        let data = self.read_object(commit, gix_object::Kind::Commit, MAX_STRUCTURE_BYTES)?;
        let index = usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
        Ok(CommitRefIter::from_bytes(&data, self.hash).parent_ids().nth(index))
    }

    /// The id of the root tree of the commit `id`; the id of a tree is returned as it is.
    fn root_tree_of_commit_or_tree(&self, id: &str) -> Result<ObjectId, GitReadError> {
        let id = self.parse_object_id(id)?;
        if self.object_kind(id)? == gix_object::Kind::Tree {
            return Ok(id);
        }
        let data = self.read_object(id, gix_object::Kind::Commit, MAX_STRUCTURE_BYTES)?;
        CommitRefIter::from_bytes(&data, self.hash)
            .tree_id()
            .map_err(|_| GitReadError::damaged(format!("the commit {id}")))
    }

    /// The entries directly in a git tree; `parent` is the tree's path, empty for the root.
    fn read_tree_entries(&self, tree: ObjectId, parent: &str) -> Result<Vec<GitEntry>, GitReadError> {
        let damaged = || GitReadError::damaged(format!("the tree {tree}"));
        let data = self.read_object(tree, gix_object::Kind::Tree, MAX_STRUCTURE_BYTES)?;
        TreeRefIter::from_bytes(&data, self.hash)
            .map(|entry| {
                let entry = entry.map_err(|_| damaged())?;
                if !is_safe_file_name(entry.filename) {
                    return Err(damaged());
                }
                let name = text_of_name_bytes(entry.filename);
                let path = if parent.is_empty() { name } else { format!("{parent}/{name}") };
                Ok(GitEntry { path, kind: GitEntryKind::from_mode(entry.mode), id: entry.oid.to_string() })
            })
            .collect()
    }

    fn object_kind(&self, id: ObjectId) -> Result<gix_object::Kind, GitReadError> {
        Ok(self.read_object_header(id)?.kind())
    }

    /// The type and size of an object.
    fn read_object_header(&self, id: ObjectId) -> Result<gix_odb::find::Header, GitReadError> {
        self.reject_irregular_loose_object_file(id)?;
        self.object_store()?
            .to_handle_arc()
            .try_header(&id)
            .map_err(|_| GitReadError::damaged(format!("the object {id}")))?
            .ok_or_else(|| GitReadError::MissingObject(id.to_string()))
    }

    /// The decoded bytes of an object. Fails where the object is not of the type `kind` or has more than `max_bytes`
    /// bytes.
    fn read_object(&self, id: ObjectId, kind: gix_object::Kind, max_bytes: u64) -> Result<Vec<u8>, GitReadError> {
        let header = self.read_object_header(id)?;
        if header.kind() != kind {
            let expected = match kind {
                gix_object::Kind::Commit => "commit",
                gix_object::Kind::Tree => "tree",
                gix_object::Kind::Blob => "blob",
                gix_object::Kind::Tag => "tag",
            };
            return Err(GitReadError::WrongType { id: id.to_string(), expected });
        }
        if header.size() > max_bytes {
            return Err(GitReadError::TooLarge { what: format!("object {id}"), limit: max_bytes });
        }
        let mut bytes = Vec::new();
        let found = gix_odb::Cache::from(self.object_store()?.to_handle_arc())
            .try_find(&id, &mut bytes)
            .is_ok_and(|found| found.is_some());
        if found { Ok(bytes) } else { Err(GitReadError::damaged(format!("the object {id}"))) }
    }

    /// The store of all objects of the repository, opened at the first use.
    fn object_store(&self) -> Result<&Arc<gix_odb::Store>, GitReadError> {
        if let Some(objects) = self.object_store.get() {
            return Ok(objects);
        }
        let folder = self.folders.common_dir.join("objects");
        let folder = dunce::canonicalize(&folder).map_err(|_| GitReadError::UnexpectedFile("objects".to_owned()))?;
        self.folders.check_path_inside_boundary(&folder, "folder of objects")?;
        // The file `info/alternates` names folders with objects of other repositories.
        if self.folders.boundary.is_some() && fs::symlink_metadata(folder.join("info/alternates")).is_ok() {
            return Err(GitReadError::OutOfBounds("alternate folder of objects"));
        }
        self.reject_irregular_object_folder_files(&folder)?;
        let options =
            gix_odb::store::init::Options { alloc_limit_bytes: Some(MAX_ALLOCATION_BYTES), ..Default::default() };
        let store = gix_odb::Store::at_opts(folder, self.hash, &mut std::iter::empty(), options)
            .map_err(|_| GitReadError::damaged("the folder of objects"))?;
        Ok(self.object_store.get_or_init(|| Arc::new(store)))
    }

    /// Fails where a folder of objects, or a folder of another repository that its `info/alternates` names, has a file
    /// that is not regular: the library that reads objects opens these files by itself.
    fn reject_irregular_object_folder_files(&self, folder: &Path) -> Result<(), GitReadError> {
        let mut folders = vec![folder.to_owned()];
        let mut checked = 0;
        while let Some(folder) = folders.get(checked).cloned() {
            checked += 1;
            for entry in fs::read_dir(folder.join("pack")).into_iter().flatten().filter_map(Result::ok) {
                self.reject_irregular_object_file(&entry.path(), "pack")?;
            }
            let alternates = folder.join("info/alternates");
            if fs::symlink_metadata(&alternates).is_err() {
                continue;
            }
            let unexpected = || GitReadError::UnexpectedFile("info/alternates".to_owned());
            let text = read_text_file_following_links(&alternates, MAX_ALTERNATES_BYTES).map_err(|_| unexpected())?;
            let named = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
            for other in named.map(|line| folder.join(line.trim_matches('"'))) {
                if !folders.contains(&other) {
                    folders.push(other);
                }
            }
            if folders.len() > MAX_FOLDERS_OF_OBJECTS {
                return Err(unexpected());
            }
        }
        Ok(())
    }

    /// Fails where the loose file of an object exists and is not a regular file inside the boundary.
    fn reject_irregular_loose_object_file(&self, id: ObjectId) -> Result<(), GitReadError> {
        let hex = id.to_string();
        let Some((folder, name)) = hex.split_at_checked(2) else { return Ok(()) };
        let path = self.folders.common_dir.join("objects").join(folder).join(name);
        if path.exists() { self.reject_irregular_object_file(&path, "object") } else { Ok(()) }
    }

    /// Fails where a file that contains objects is not a regular file inside the boundary: opening a pipe would block.
    fn reject_irregular_object_file(&self, path: &Path, what: &'static str) -> Result<(), GitReadError> {
        let unexpected = || GitReadError::UnexpectedFile(what.to_owned());
        let real = dunce::canonicalize(path).map_err(|_| unexpected())?;
        self.folders.check_path_inside_boundary(&real, what)?;
        if fs::metadata(&real).is_ok_and(|metadata| metadata.is_file()) { Ok(()) } else { Err(unexpected()) }
    }
}
