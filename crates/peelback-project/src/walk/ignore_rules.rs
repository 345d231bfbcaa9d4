//! The rules of ignore files (`.gitignore`, `.ignore`, `.rgignore`, `.git/info/exclude` and git's global file), with
//! ripgrep's order of precedence.

use std::path::Path;
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::glob::glob_nesting_error;

/// The kinds of ignore files that a folder may have, the ones that decide first before the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleKind {
    /// `.rgignore`.
    Rgignore,
    /// `.ignore`.
    Ignore,
    /// `.gitignore`, which counts in a repository only.
    Gitignore,
    /// `.git/info/exclude`.
    GitExclude,
}

impl RuleKind {
    /// Whether rules of this kind count only inside a repository, and only those of the innermost one.
    fn belongs_to_git(self) -> bool {
        matches!(self, Self::Gitignore | Self::GitExclude)
    }
}

/// The rules of one folder, and of the folders above it.
pub struct FolderRules {
    above: Option<Arc<FolderRules>>,
    rules: Vec<(RuleKind, Gitignore)>,
    /// Whether the folder is the root of a repository.
    has_repository: bool,
    /// Whether the folder is in a repository.
    is_in_repository: bool,
    /// The size of the rules in bytes, with those of the folders above.
    bytes: u64,
}

impl FolderRules {
    /// No rules: the end of the chain.
    pub fn none() -> Arc<Self> {
        Arc::new(Self { above: None, rules: Vec::new(), has_repository: false, is_in_repository: false, bytes: 0 })
    }

    /// The rules of a folder: its own, and those of the folders above it; all have `bytes`.
    pub fn of_folder(
        above: &Arc<Self>,
        rules: Vec<(RuleKind, Gitignore)>,
        has_repository: bool,
        bytes: u64,
    ) -> Arc<Self> {
        if rules.is_empty() && !has_repository {
            return above.clone();
        }
        Arc::new(Self {
            above: Some(above.clone()),
            rules,
            has_repository,
            is_in_repository: has_repository || above.is_in_repository,
            bytes,
        })
    }

    /// The size of the rules in bytes, with those of the folders above.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What the rules say of a file or folder with an absolute path. `global` are the rules of git's global file.
    pub fn match_path(&self, path: &Path, is_folder: bool, global: &Gitignore) -> Match<()> {
        let mut found = [Match::None, Match::None, Match::None, Match::None];
        let mut is_past_repository = false;
        let mut folder = Some(self);
        while let Some(rules) = folder {
            for (kind, gitignore) in &rules.rules {
                if kind.belongs_to_git() && (!self.is_in_repository || is_past_repository) {
                    continue;
                }
                if let Some(found) = found.get_mut(*kind as usize).filter(|found| found.is_none()) {
                    *found = gitignore.matched(path, is_folder).map(|_| ());
                }
            }
            is_past_repository |= rules.has_repository;
            folder = rules.above.as_deref();
        }
        let first = found.into_iter().find(|found| !found.is_none());
        match first {
            Some(found) => found,
            None if self.is_in_repository => global.matched(path, is_folder).map(|_| ()),
            None => Match::None,
        }
    }
}

impl Drop for FolderRules {
    fn drop(&mut self) {
        // Chains are as long as folders are deep: dropped one by one, and not by recursion.
        let mut above = self.above.take();
        while let Some(rules) = above {
            above = Arc::into_inner(rules).and_then(|mut rules| rules.above.take());
        }
    }
}

/// The matcher for the text of an ignore file whose paths are relative to `folder`, and the reason why some of its rules
/// are not applied, if there are such. A line that is no pattern is passed over, as git does.
///
/// # Errors
/// The reason why the patterns cannot be used together.
pub fn build_gitignore(folder: &Path, text: &str) -> Result<(Gitignore, Option<String>), String> {
    let mut builder = GitignoreBuilder::new(folder);
    let mut refusal = None;
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        if let Some(reason) = glob_nesting_error(line).filter(|_| !line.starts_with('#')) {
            refusal.get_or_insert_with(|| format!("rule {} was not applied: {reason}", index + 1));
            continue;
        }
        // The library takes an exclamation mark alone for a pattern that readmits everything. Git takes it for none.
        if line.trim_end() != "!" {
            let _ = builder.add_line(None, line);
        }
    }
    builder.build().map(|gitignore| (gitignore, refusal)).map_err(|error| error.to_string())
}
