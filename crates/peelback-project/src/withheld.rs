//! Rules for files that must not be read, by their path or their content.

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use peelback_syntax::{Tier, language};

use crate::decode::{BINARY_PROBE_BYTES, decode_text_unless_binary};
use crate::root_folder::RootFolder;
use crate::signature::{FileSignature, are_file_system_signatures_reliable, current_unix_nanoseconds};

/// A rule that returns why a file must not be read, given its path from the root (with `/`); `None` if the file may be
/// read.
pub type WithholdPathRule = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// A rule that returns why a file must not be read, given its path and the first 64 KB of its text. Code files are
/// never checked, because a secret in a code file is only a part of the file.
pub type WithholdTextRule = Arc<dyn Fn(&str, &str) -> Option<String> + Send + Sync>;

/// A function that is called with the path and the reason for each file that was requested by name and refused.
pub type RefusalCallback = Arc<dyn Fn(&str, &str) + Send + Sync>;

/// The number of bytes at the start of a file that are checked for secrets; key files are smaller.
const MAX_CHECKED_BYTES: u64 = 64 * 1024;

/// The size in bytes below which a file is not checked for secrets: the shortest private key, an Ed25519 key in PEM
/// format, has 119 bytes.
const MIN_CHECKED_FILE_BYTES: u64 = 100;

/// The number of files whose results are kept; with more, all are checked anew.
const MAX_CHECKED_FILES: usize = 200_000;

/// The rules by which a project withholds or excludes files, and the function that is told of refused files.
#[derive(Clone, Default)]
pub struct WithholdingRules {
    withheld_path_rule: Option<WithholdPathRule>,
    excluded_path_rule: Option<WithholdPathRule>,
    withheld_text_rule: Option<Arc<CachedTextRule>>,
    refusal_callback: Option<RefusalCallback>,
}

impl WithholdingRules {
    pub fn set_withheld_path_rule(&mut self, withhold: WithholdPathRule) {
        self.withheld_path_rule = Some(withhold);
    }

    pub fn set_excluded_path_rule(&mut self, withhold: WithholdPathRule) {
        self.excluded_path_rule = Some(withhold);
    }

    pub fn set_withheld_text_rule(&mut self, check: WithholdTextRule) {
        self.withheld_text_rule = Some(Arc::new(CachedTextRule { check, checked_files: Mutex::default() }));
    }

    pub fn set_refusal_callback(&mut self, tell: RefusalCallback) {
        self.refusal_callback = Some(tell);
    }

    /// Why the file at a path from the root must not be read, judged by the path alone.
    pub fn withheld_reason_by_path(&self, path: &str) -> Option<String> {
        self.withheld_path_rule.as_ref().and_then(|withhold| withhold(path)).or_else(|| self.exclusion_reason(path))
    }

    /// Why the file at a path from the root does not belong to the project; `None` if it belongs to it.
    pub fn exclusion_reason(&self, path: &str) -> Option<String> {
        self.excluded_path_rule.as_ref()?(path)
    }

    /// Why an existing file must not be read, judged by its path and its content.
    pub fn withheld_reason(&self, root: &RootFolder, path: &str, absolute: &Path) -> Option<String> {
        let by_text = || self.withheld_text_rule.as_ref()?.withheld_reason(root, path, absolute);
        self.withheld_reason_by_path(path).or_else(by_text)
    }

    /// Calls the refusal callback, if there is one, for a refused file that was requested by name.
    pub fn report_refused_file(&self, path: &str, reason: &str) {
        if let Some(tell) = &self.refusal_callback {
            tell(path, reason);
        }
    }
}

struct CachedTextRule {
    check: WithholdTextRule,
    /// The results for files checked before, by path, with the files' signatures. They are kept because each directory
    /// walk checks all files.
    checked_files: Mutex<HashMap<String, (FileSignature, Option<String>)>>,
}

impl CachedTextRule {
    fn withheld_reason(&self, root: &RootFolder, path: &str, absolute: &Path) -> Option<String> {
        let name = path.rsplit('/').next().unwrap_or(path);
        if language::language_of_file_name(name).is_some_and(|language| language.tier != Tier::Document) {
            return None;
        }
        let moment = current_unix_nanoseconds();
        let metadata = match absolute.symlink_metadata() {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => return Some(reason_of_unchecked_file(&error)),
        };
        if !metadata.is_file() || metadata.len() < MIN_CHECKED_FILE_BYTES {
            return None;
        }
        let settled =
            FileSignature::from_metadata(&metadata).filter(|signature| signature.can_detect_changes_after(moment));
        let settled = settled.filter(|_| are_file_system_signatures_reliable(absolute));
        if let Some(settled) = settled {
            let known = self.checked_files.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((signature, reason)) = known.get(path)
                && *signature == settled
            {
                return reason.clone();
            }
        }
        // What cannot be checked is withheld, and checked again by the next call.
        let text = match read_start_of_text_file(root, absolute) {
            Ok(text) => text,
            Err(error) => return Some(reason_of_unchecked_file(&error)),
        };
        let reason = text.and_then(|text| (self.check)(path, &text));
        if let Some(settled) = settled {
            let mut known = self.checked_files.lock().unwrap_or_else(PoisonError::into_inner);
            if known.len() >= MAX_CHECKED_FILES {
                known.clear();
            }
            known.insert(path.to_owned(), (settled, reason.clone()));
        }
        reason
    }
}

fn reason_of_unchecked_file(error: &io::Error) -> String {
    format!("it cannot be checked for secrets: {error}")
}

/// The first 64 KB of a file as text; `None` for a binary file.
fn read_start_of_text_file(root: &RootFolder, absolute: &Path) -> io::Result<Option<String>> {
    let (mut file, _) = root.open_regular_file(absolute)?;
    let mut bytes = Vec::new();
    let probe = BINARY_PROBE_BYTES as u64;
    file.by_ref().take(probe).read_to_end(&mut bytes)?;
    // Binary files such as pictures and archives are rejected here. UTF-16 text also contains zero bytes, but is
    // recognised by its byte order mark.
    if decode_text_unless_binary(bytes.clone()).is_none() {
        return Ok(None);
    }
    file.take(MAX_CHECKED_BYTES - probe).read_to_end(&mut bytes)?;
    Ok(decode_text_unless_binary(bytes).map(|(text, _)| text))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_opened_is_withheld_and_checked_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = dunce::canonicalize(folder.path()).expect("a path");
        std::fs::create_dir_all(path.join("root")).expect("a folder");
        std::fs::write(path.join("outside.txt"), "word ".repeat(100)).expect("a file");
        std::fs::write(path.join("root/notes.txt"), "word ".repeat(100)).expect("a file");
        let root = RootFolder::at_path(&path.join("root"));
        let mut rules = WithholdingRules::default();
        rules.set_withheld_text_rule(Arc::new(|_, _| None));
        // Opening fails: the path leads out of the root.
        assert!(rules.withheld_reason(&root, "notes.txt", &path.join("outside.txt")).is_some());
        assert_eq!(rules.withheld_reason(&root, "notes.txt", &path.join("root/notes.txt")), None);
        let Some(rule) = &rules.withheld_text_rule else { panic!("a rule") };
        assert!(rule.checked_files.lock().is_ok_and(|known| known.values().all(|(_, reason)| reason.is_none())));
    }
}
