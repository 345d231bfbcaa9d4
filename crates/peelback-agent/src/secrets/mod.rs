//! Secrets, which never leave the machine: files with secrets are withheld and named, and values that look like keys
//! are masked in other files.

mod blocks;
mod entropy;
mod mask;
mod names;
mod values;

pub use mask::MASK;

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use crate::disclosure::{Redact, Withhold};
use crate::pattern::constant_patterns;
use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

constant_patterns! {
    /// A key file of a Google Cloud service account, whatever its name.
    SERVICE_ACCOUNT = r#""type"\s*:\s*"service_account"[\s\S]{0,2000}"private_key"\s*:\s*"-----BEGIN"#;
}

/// The rules for withheld files and masked values.
#[derive(Debug, Clone, Default)]
pub struct Secrets {
    exact: HashSet<String>,
    globs: GlobSet,
}

impl Secrets {
    /// The rules, with the files that are `allowed` by name: each a path from the root, or a glob over such paths. What
    /// is no glob is taken as a path alone.
    pub fn new(allowed: &[String]) -> Self {
        let mut globs = GlobSetBuilder::new();
        for name in allowed {
            if let Ok(glob) = glob(name) {
                globs.add(glob);
            }
        }
        Self {
            exact: allowed.iter().map(|name| name.trim_start_matches("./").to_owned()).collect(),
            // Each glob has compiled alone; the number of globs on a command line exceeds no limit of the set.
            globs: globs.build().unwrap_or_default(),
        }
    }

    /// Why the file at `path` (from the root, with `/`) is withheld, in words that complete "withheld: "; `None` where
    /// it is not. Without its `text` only the path decides, and a file that may hold a key or a certificate is not withheld;
    /// with it, a file that is mostly a private key is withheld, too. A key among other things is for [`Secrets::redact`].
    pub fn withheld(&self, path: &str, text: Option<&str>) -> Option<String> {
        if self.is_allowed(path) {
            return None;
        }
        names::by_path(path, text).or_else(|| text.and_then(by_content)).map(|what| what.to_owned())
    }

    /// Why the file at `path` is no part of the project for a model: Peelback wrote it.
    pub fn written(&self, path: &str) -> Option<String> {
        (names::is_written(path) && !self.is_allowed(path)).then(|| "written by peelback".to_owned())
    }

    /// Whether the user allowed the file by its name or by a glob.
    pub fn is_allowed(&self, path: &str) -> bool {
        self.exact.contains(path) || self.globs.is_match(path)
    }

    /// The decision about files by their paths alone, for other threads.
    pub fn withholder(self: &Arc<Self>) -> Withhold {
        let secrets = Arc::clone(self);
        Arc::new(move |path| secrets.withheld(path, None))
    }

    /// The masking of texts, for other threads.
    pub fn redactor(self: &Arc<Self>) -> Redact {
        let secrets = Arc::clone(self);
        Arc::new(move |text| secrets.redact(text))
    }

    /// The text with each value that has the shape of a key replaced by [`MASK`]; line breaks stay where they are.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        values::redact(text)
    }
}

fn glob(name: &str) -> Result<Glob, globset::Error> {
    GlobBuilder::new(name.trim_start_matches("./")).literal_separator(true).build()
}

fn by_content(text: &str) -> Option<&'static str> {
    // Most files do not contain the words: the patterns are not tried.
    if !text.contains("PRIVATE KEY") {
        return None;
    }
    if SERVICE_ACCOUNT.is_match(text) {
        return Some("a cloud service account's key");
    }
    // A key inside other text is masked, and the rest of the file is shown.
    let marks = text.lines().filter(|line| line.contains("-----BEGIN ") || line.contains("-----END ")).map(str::len);
    let all = text.chars().filter(|c| !c.is_whitespace()).count().saturating_sub(marks.sum());
    let key = values::key_bytes(text);
    (key > 0 && key * 2 >= all).then_some("it holds a private key")
}

#[cfg(test)]
mod tests;
