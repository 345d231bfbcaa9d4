//! Which files and values must not leave the machine: the rules of `peelback-secrets`, with the files that the user
//! allowed. Files that consist of secrets are withheld and listed by name; in all other files, values that look like
//! keys or passwords are masked.

pub use peelback_secrets::MASK;

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use crate::disclosure::{KnownSecrets, Redact, WithholdPathRule};
use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use peelback_code::glob_nesting_error;
use peelback_code::syntax::language;

/// The rules that decide which files are withheld and which values in texts are masked.
#[derive(Debug, Clone, Default)]
pub struct SecretFileRules {
    exact: HashSet<String>,
    globs: GlobSet,
}

impl SecretFileRules {
    /// Creates the rules, with exceptions for the files that the user allowed. Each item of `allowed` is a path from
    /// the root, or a glob over such paths. An item that is not a valid glob counts as a path only.
    pub fn new(allowed: &[String]) -> Self {
        let mut globs = GlobSetBuilder::new();
        for name in allowed {
            if glob_nesting_error(name).is_none()
                && let Ok(glob) = compile_path_glob(name)
            {
                globs.add(glob);
            }
        }
        Self {
            exact: allowed.iter().map(|name| name.trim_start_matches("./").to_owned()).collect(),
            // Building the set of globs cannot fail: each glob was compiled individually, and a command line has fewer
            // globs than the limit of a set.
            globs: globs.build().unwrap_or_default(),
        }
    }

    /// The reason why the file at `path` (relative to the root, with `/`) is withheld, in words that complete
    /// "withheld: "; `None` if the file is not withheld. Without `text` only the path decides, and a file that may
    /// contain either a key or a certificate is not withheld. With `text`, a file that consists mostly of a private key
    /// is withheld too. [`SecretFileRules::redact`] masks a key that is a small part of a file.
    pub fn reason_to_withhold_file(&self, path: &str, text: Option<&str>) -> Option<String> {
        if self.is_file_allowed_by_user(path) {
            return None;
        }
        peelback_secrets::secret_file_kind(path, text, is_source_file_name).map(str::to_owned)
    }

    /// The reason why the file at `path` is excluded from what a model reads: Peelback itself wrote the file. `None`
    /// for all other files.
    pub fn peelback_document_exclusion_reason(&self, path: &str) -> Option<String> {
        (is_peelback_document_path(path) && !self.is_file_allowed_by_user(path))
            .then(|| "written by peelback".to_owned())
    }

    /// Whether the user allowed the file explicitly, by its path or by a glob.
    pub fn is_file_allowed_by_user(&self, path: &str) -> bool {
        self.exact.contains(path) || self.globs.is_match(path)
    }

    /// A thread-safe function that decides by a file's path alone whether the file is withheld.
    pub fn withhold_path_rule(self: &Arc<Self>) -> WithholdPathRule {
        let secrets = Arc::clone(self);
        Arc::new(move |path| secrets.reason_to_withhold_file(path, None))
    }

    /// A thread-safe function that masks the secrets in a text.
    pub fn redactor(self: &Arc<Self>) -> Redact {
        let secrets = Arc::clone(self);
        Arc::new(move |text, known| secrets.redact_excerpt(text, known))
    }

    /// Replaces each value in a text that looks like a key or password by [`MASK`]. Line breaks are preserved.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        peelback_secrets::mask_secrets(text)
    }

    /// As [`SecretFileRules::redact`] for a text that shows parts of files whose secrets are `known`.
    pub fn redact_excerpt<'a>(&self, text: &'a str, known: &KnownSecrets) -> Cow<'a, str> {
        peelback_secrets::mask_secrets_with(text, known).text
    }
}

fn compile_path_glob(name: &str) -> Result<Glob, globset::Error> {
    GlobBuilder::new(name.trim_start_matches("./")).literal_separator(true).build()
}

fn is_source_file_name(name: &str) -> bool {
    language::language_of_file_name(name).is_some()
}

/// Whether a path is that of a document that this program wrote: `contexts/shop/scope-how-does-login-work-101500.md`.
fn is_peelback_document_path(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let (name, repository, folder) = (parts.next().unwrap_or(""), parts.next(), parts.next());
    let is_document = name.ends_with(".md") && (name.starts_with("scope-") || name.starts_with("context-"));
    is_document && repository.is_some() && folder == Some("contexts")
}

#[cfg(test)]
mod tests;
