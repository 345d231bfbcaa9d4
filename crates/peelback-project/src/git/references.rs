//! Git references (branches, tags and `HEAD`), read from one file for each reference and from `packed-refs`.

use gix_hash::{Kind, ObjectId};
use gix_ref::{FullName, Target, file::loose, packed};

use super::discover::GitFolders;
use super::read_error::GitReadError;

/// The maximum number of symbolic references that are followed in a row; git stops at the same number.
const MAX_SYMBOLIC_DEPTH: usize = 5;

/// The prefixes that git tries for a short reference name, in git's order, each with the suffix that follows the name.
const SHORT_NAME_RULES: &[(&str, &str)] =
    &[("refs/", ""), ("refs/tags/", ""), ("refs/heads/", ""), ("refs/remotes/", ""), ("refs/remotes/", "/HEAD")];

/// A reader of the references (branches, tags and `HEAD`) of one repository.
pub(super) struct GitReferences<'a> {
    folders: &'a GitFolders,
    hash: Kind,
}

impl<'a> GitReferences<'a> {
    pub(super) fn new(folders: &'a GitFolders, hash: Kind) -> Self {
        Self { folders, hash }
    }

    /// The reference that `HEAD` points to, or the commit where `HEAD` is detached; `None` without a `HEAD`.
    pub(super) fn read_head_target(&self) -> Result<Option<Target>, GitReadError> {
        self.read_target("HEAD")
    }

    /// The object that the reference with the full name `name` leads to; `None` where the reference, or a symbolic one
    /// on the way, does not exist.
    pub(super) fn resolve_full_name(&self, name: &str) -> Result<Option<ObjectId>, GitReadError> {
        let mut name = name.to_owned();
        for _ in 0..MAX_SYMBOLIC_DEPTH {
            match self.read_target(&name)? {
                None => return Ok(None),
                Some(Target::Object(id)) => return Ok(Some(id)),
                Some(Target::Symbolic(next)) => name = next.as_bstr().to_string(),
            }
        }
        Err(GitReadError::damaged("symbolic references point at each other"))
    }

    /// The object that a short name such as `main`, `v1.0` or `origin/main` means by git's rules, or a full name.
    pub(super) fn object_id_of_name(&self, name: &str) -> Result<Option<ObjectId>, GitReadError> {
        let is_pseudo_reference = !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c == '_');
        if (is_pseudo_reference || name.starts_with("refs/"))
            && let Some(id) = self.resolve_full_name(name)?
        {
            return Ok(Some(id));
        }
        for (prefix, suffix) in SHORT_NAME_RULES {
            let full = format!("{prefix}{name}{suffix}");
            // Text that cannot be the name of a reference, such as `a..b`, names no reference.
            if FullName::try_from(full.as_str()).is_ok()
                && let Some(id) = self.resolve_full_name(&full)?
            {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// The object id or the name of another reference that the reference with the full name `name` contains; `None`
    /// where the reference does not exist.
    fn read_target(&self, name: &str) -> Result<Option<Target>, GitReadError> {
        let full = FullName::try_from(name).map_err(|_| GitReadError::damaged("a reference has an invalid name"))?;
        if let Some(text) = self.folders.read_small_file(name)? {
            let reference = loose::Reference::try_from_path(full, text.as_bytes(), self.hash)
                .map_err(|_| GitReadError::damaged(format!("the reference {name} cannot be read")))?;
            return Ok(Some(reference.target));
        }
        if !name.starts_with("refs/") {
            return Ok(None);
        }
        let Some(bytes) = self.folders.read_packed_refs()? else { return Ok(None) };
        let damaged = |_| GitReadError::damaged("packed-refs cannot be read");
        let packed = packed::Buffer::from_bytes(&bytes, self.hash).map_err(damaged)?;
        let reference = packed.try_find(full.as_ref().as_partial_name()).map_err(damaged)?;
        Ok(reference.map(|reference| Target::Object(reference.target())))
    }
}
