//! Detection of secrets, which must not leave the machine. Files that consist of secrets are withheld and listed by
//! name; in all other files, values that look like keys or passwords are masked.

mod blocks;
mod entropy;
mod mask;
mod names;
mod values;

pub use mask::MASK;

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use crate::disclosure::{Redact, WithholdPathRule};
use crate::pattern::constant_patterns;
use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use peelback_code::glob_nesting_error;

constant_patterns! {
    /// The content of a key file of a Google Cloud service account. Such a file is recognized whatever its name is.
    SERVICE_ACCOUNT = r#""type"\s*:\s*"service_account"[\s\S]{0,2000}"private_key"\s*:\s*"-----BEGIN"#;
}

/// The rules that decide which files are withheld and which values in texts are masked.
#[derive(Debug, Clone, Default)]
pub struct Secrets {
    exact: HashSet<String>,
    globs: GlobSet,
}

impl Secrets {
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
    /// is withheld too. [`Secrets::redact`] masks a key that is a small part of a file.
    pub fn withhold_reason(&self, path: &str, text: Option<&str>) -> Option<String> {
        if self.is_file_allowed_by_user(path) {
            return None;
        }
        names::secret_kind_by_path_and_text(path, text)
            .or_else(|| text.and_then(private_key_file_kind_by_content))
            .map(|what| what.to_owned())
    }

    /// The reason why the file at `path` is excluded from what a model reads: Peelback itself wrote the file. `None`
    /// for all other files.
    pub fn peelback_document_exclusion_reason(&self, path: &str) -> Option<String> {
        (names::is_peelback_document_path(path) && !self.is_file_allowed_by_user(path))
            .then(|| "written by peelback".to_owned())
    }

    /// Whether the user allowed the file explicitly, by its path or by a glob.
    pub fn is_file_allowed_by_user(&self, path: &str) -> bool {
        self.exact.contains(path) || self.globs.is_match(path)
    }

    /// A thread-safe function that decides by a file's path alone whether the file is withheld.
    pub fn rule_for_withholding_paths(self: &Arc<Self>) -> WithholdPathRule {
        let secrets = Arc::clone(self);
        Arc::new(move |path| secrets.withhold_reason(path, None))
    }

    /// A thread-safe function that masks the secrets in a text.
    pub fn redactor(self: &Arc<Self>) -> Redact {
        let secrets = Arc::clone(self);
        Arc::new(move |text| secrets.redact(text))
    }

    /// Replaces each value in a text that looks like a key or password by [`MASK`]. Line breaks are preserved.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        values::mask_secret_values(text)
    }
}

fn compile_path_glob(name: &str) -> Result<Glob, globset::Error> {
    GlobBuilder::new(name.trim_start_matches("./")).literal_separator(true).build()
}

fn private_key_file_kind_by_content(text: &str) -> Option<&'static str> {
    // Most files do not contain these words, so a cheap search avoids the regular expressions.
    if !text.contains("PRIVATE KEY") {
        return None;
    }
    if SERVICE_ACCOUNT.is_match(text) {
        return Some("a cloud service account's key");
    }
    // Only a file that is mostly a private key is withheld. A key inside other text is masked instead, and the rest of
    // the file is shown.
    let marks = text.lines().filter(|line| line.contains("-----BEGIN ") || line.contains("-----END ")).map(str::len);
    let all = text.chars().filter(|c| !c.is_whitespace()).count().saturating_sub(marks.sum());
    let key = values::count_private_key_bytes(text);
    (key > 0 && key * 2 >= all).then_some("it holds a private key")
}

#[cfg(test)]
mod tests;
