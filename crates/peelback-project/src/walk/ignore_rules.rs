//! The rules of ignore files (`.gitignore`, `.ignore`, `.rgignore`, `.git/info/exclude` and the file that
//! `core.excludesFile` names): each file is read as git reads it, and ripgrep's order says which decides.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::git_pattern::{GitPattern, length_before_first_wildcard};

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
    /// The file that git's configuration names.
    GitConfigured,
}

impl RuleKind {
    const COUNT: usize = 5;

    /// Whether rules of this kind count only inside a repository, and only those of the innermost one.
    pub fn counts_only_in_repository(self) -> bool {
        matches!(self, Self::Gitignore | Self::GitExclude | Self::GitConfigured)
    }
}

/// What rules say of a file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// It is left out.
    Ignored,
    /// It is included, though another rule or its name would leave it out.
    Included,
}

/// The rules of one folder, and of the folders above it.
pub struct FolderIgnoreRules {
    above: Option<Arc<FolderIgnoreRules>>,
    rules: Vec<(RuleKind, Arc<IgnorePatterns>)>,
    /// The length in bytes of the folder's absolute path with the separator after it.
    path_length: usize,
    /// Whether the folder is the root of a repository.
    has_repository: bool,
    /// Whether the folder is in a repository.
    is_in_repository: bool,
    /// Whether the repository ignores case.
    ignores_case: bool,
    /// The size of the rules in bytes, with those of the folders above.
    bytes: u64,
}

impl FolderIgnoreRules {
    /// No rules: the end of the chain.
    pub fn none() -> Arc<Self> {
        Arc::new(Self {
            above: None,
            rules: Vec::new(),
            path_length: 0,
            has_repository: false,
            is_in_repository: false,
            ignores_case: false,
            bytes: 0,
        })
    }

    /// The rules of the folder with an absolute path: its own, and those of the folders above it; all have `bytes`.
    /// For the root of a repository, `repository` says whether it ignores case.
    pub fn from_rules_and_parent(
        above: &Arc<Self>,
        folder: &Path,
        rules: Vec<(RuleKind, Arc<IgnorePatterns>)>,
        repository: Option<bool>,
        bytes: u64,
    ) -> Arc<Self> {
        if rules.is_empty() && repository.is_none() {
            return above.clone();
        }
        let path = folder.as_os_str().as_encoded_bytes();
        let ends_in_separator = path.last().is_some_and(|last| std::path::is_separator(char::from(*last)));
        Arc::new(Self {
            above: Some(above.clone()),
            rules,
            path_length: path.len() + usize::from(!ends_in_separator),
            has_repository: repository.is_some(),
            is_in_repository: repository.is_some() || above.is_in_repository,
            ignores_case: repository.unwrap_or(above.ignores_case),
            bytes,
        })
    }

    /// The size of the rules in bytes, with those of the folders above.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether the repository of the folder ignores case.
    pub fn ignores_case(&self) -> bool {
        self.ignores_case
    }

    /// What the rules say of a file or folder with an absolute path below the folder.
    pub fn ignore_decision_for_path(&self, path: &Path, is_folder: bool) -> Option<Decision> {
        let path = path.as_os_str().as_encoded_bytes();
        let path = if std::path::MAIN_SEPARATOR == '/' {
            Cow::Borrowed(path)
        } else {
            Cow::Owned(path.iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte }).collect())
        };
        let mut found: [Option<Decision>; RuleKind::COUNT] = [None; RuleKind::COUNT];
        let mut is_past_repository = false;
        let mut folder = Some(self);
        while let Some(rules) = folder {
            for (kind, patterns) in &rules.rules {
                if kind.counts_only_in_repository() && (!self.is_in_repository || is_past_repository) {
                    continue;
                }
                if let Some(found) = found.get_mut(*kind as usize).filter(|found| found.is_none()) {
                    *found =
                        patterns.ignore_decision_for_path(path.get(rules.path_length..).unwrap_or_default(), is_folder);
                }
            }
            is_past_repository |= rules.has_repository;
            folder = rules.above.as_deref();
        }
        found.into_iter().flatten().next()
    }
}

impl Drop for FolderIgnoreRules {
    fn drop(&mut self) {
        // Chains are as long as folders are deep: dropped one by one, and not by recursion.
        let mut above = self.above.take();
        while let Some(rules) = above {
            above = Arc::into_inner(rules).and_then(|mut rules| rules.above.take());
        }
    }
}

/// The patterns of one ignore file. The last one that matches decides. Most patterns are names, endings or paths without
/// wildcards, which are looked up; the others are tried one by one.
#[derive(Debug, Default)]
pub struct IgnorePatterns {
    ignores_case: bool,
    /// `name`.
    names: HashMap<Vec<u8>, LastRules, FixedState>,
    /// `*.ending`.
    endings: HashMap<Vec<u8>, LastRules, FixedState>,
    /// `/path` and `path/path`.
    paths: HashMap<Vec<u8>, LastRules, FixedState>,
    /// All others, in their order.
    wildcards: Vec<(Rule, Wildcard)>,
}

/// What a line says, beside its pattern.
#[derive(Debug, Clone, Copy)]
struct Rule {
    /// The number of the line in the file.
    line: usize,
    decision: Decision,
    /// Whether the line is about folders only.
    is_for_folders: bool,
}

/// The last rules with one pattern.
#[derive(Debug, Default)]
struct LastRules {
    for_all: Option<Rule>,
    for_folders: Option<Rule>,
}

#[derive(Debug)]
enum Wildcard {
    /// A pattern for the end of a name.
    NameEnd(Vec<u8>),
    /// A pattern for a name.
    Name(GitPattern),
    /// A pattern for a path.
    Path(GitPattern),
}

impl IgnorePatterns {
    /// The patterns of an ignore file with this text. A line that is no pattern is passed over, as git does.
    pub fn new(text: &[u8], ignores_case: bool) -> Self {
        let mut patterns = Self { ignores_case, ..Self::default() };
        let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
        for (number, line) in text.split(|byte| *byte == b'\n').enumerate() {
            patterns.add_line(number, line);
        }
        patterns
    }

    /// Whether there is no pattern.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.endings.is_empty() && self.paths.is_empty() && self.wildcards.is_empty()
    }

    fn add_line(&mut self, number: usize, line: &[u8]) {
        if line.first() == Some(&b'#') {
            return;
        }
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        // A NUL ends a line for git, too.
        let line = line.split(|byte| *byte == 0).next().unwrap_or_default();
        let line = without_trailing_spaces(line);
        let (decision, pattern) =
            line.strip_prefix(b"!").map_or((Decision::Ignored, line), |rest| (Decision::Included, rest));
        let (is_for_folders, pattern) = pattern.strip_suffix(b"/").map_or((false, pattern), |start| (true, start));
        if pattern.is_empty() {
            return;
        }
        let rule = Rule { line: number, decision, is_for_folders };
        let is_literal = |text: &[u8]| length_before_first_wildcard(text) == text.len();
        let key = |text: &[u8]| if self.ignores_case { text.to_ascii_lowercase() } else { text.to_vec() };
        if pattern.contains(&b'/') {
            let pattern = pattern.strip_prefix(b"/").unwrap_or(pattern);
            if is_literal(pattern) {
                self.paths.entry(key(pattern)).or_default().add(rule);
            } else if let Some(compiled) = GitPattern::for_path_in_ignore_file(pattern, self.ignores_case) {
                self.wildcards.push((rule, Wildcard::Path(compiled)));
            }
        } else if is_literal(pattern) {
            self.names.entry(key(pattern)).or_default().add(rule);
        } else if let Some(end) = pattern.strip_prefix(b"*").filter(|end| is_literal(end)) {
            match end.strip_prefix(b".").filter(|ending| !ending.contains(&b'.')) {
                Some(ending) => self.endings.entry(key(ending)).or_default().add(rule),
                None => self.wildcards.push((rule, Wildcard::NameEnd(key(end)))),
            }
        } else if let Some(compiled) = GitPattern::new(pattern, self.ignores_case) {
            self.wildcards.push((rule, Wildcard::Name(compiled)));
        }
    }

    /// What the patterns say of a file or folder, by its path from the folder of the ignore file.
    pub fn ignore_decision_for_path(&self, path: &[u8], is_folder: bool) -> Option<Decision> {
        let path = if self.ignores_case { Cow::Owned(path.to_ascii_lowercase()) } else { Cow::Borrowed(path) };
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        let last = |rules: Option<&LastRules>| rules.and_then(|rules| rules.last_matching_rule(is_folder));
        let mut found = last(self.names.get(name));
        let mut take_later = |rule: Option<Rule>| {
            if rule.is_some_and(|rule| found.is_none_or(|found| rule.line > found.line)) {
                found = rule;
            }
        };
        if !self.endings.is_empty()
            && let Some(dot) = memchr::memrchr(b'.', name)
        {
            take_later(last(self.endings.get(name.get(dot + 1..).unwrap_or_default())));
        }
        if !self.paths.is_empty() {
            take_later(last(self.paths.get(&*path)));
        }
        for (rule, wildcard) in self.wildcards.iter().rev() {
            if found.is_some_and(|found| found.line > rule.line) {
                break;
            }
            let matches = (is_folder || !rule.is_for_folders)
                && match wildcard {
                    Wildcard::NameEnd(end) => name.ends_with(end),
                    Wildcard::Name(pattern) => pattern.matches(name),
                    Wildcard::Path(pattern) => pattern.matches(&path),
                };
            if matches {
                found = Some(*rule);
                break;
            }
        }
        found.map(|rule| rule.decision)
    }
}

impl LastRules {
    fn add(&mut self, rule: Rule) {
        if rule.is_for_folders {
            self.for_folders = Some(rule);
        } else {
            self.for_all = Some(rule);
        }
    }

    fn last_matching_rule(&self, is_folder: bool) -> Option<Rule> {
        match (self.for_all, self.for_folders.filter(|_| is_folder)) {
            (Some(all), Some(folders)) => Some(if folders.line > all.line { folders } else { all }),
            (all, folders) => all.or(folders),
        }
    }
}

/// A line without the spaces at its end; one after a backslash stays.
fn without_trailing_spaces(line: &[u8]) -> &[u8] {
    let mut end = 0;
    let mut at = 0;
    while let Some(byte) = line.get(at) {
        at += if *byte == b'\\' { 2 } else { 1 };
        if *byte != b' ' {
            end = at;
        }
    }
    line.get(..end).unwrap_or(line)
}
