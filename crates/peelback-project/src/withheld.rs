//! Rules for files that must not be read, by their path or their content.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use peelback_syntax::{Tier, language};

use crate::decode::{BINARY_PROBE_BYTES, decode};
use crate::entry::open_regular;
use crate::signature::{Signature, now};

/// Returns why a file must not be read, given its path from the root (with `/`); `None` if the file may be read.
pub type Withhold = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Returns why a file must not be read, given its path and the first 64 KB of its text. Code files are never checked,
/// because a secret in a code file is only a part of the file.
pub type WithholdText = Arc<dyn Fn(&str, &str) -> Option<String> + Send + Sync>;

/// Called with the path and the reason for each file that was requested by name and refused.
pub type TellRefused = Arc<dyn Fn(&str, &str) + Send + Sync>;

/// The number of bytes at the start of a file that are checked; key files are smaller.
const HEAD_BYTES: u64 = 64 * 1024;

/// The least size in bytes of a file with a private key: the shortest one, an Ed25519 key in PEM format, has 119 bytes.
const LEAST_BYTES: u64 = 100;

/// The withholding rules of a project.
#[derive(Clone, Default)]
pub struct Withheld {
    by_path: Option<Withhold>,
    passed_over: Option<Withhold>,
    by_text: Option<Arc<ByText>>,
    tell: Option<TellRefused>,
}

impl Withheld {
    pub fn set_path(&mut self, withhold: Withhold) {
        self.by_path = Some(withhold);
    }

    pub fn set_passed_over(&mut self, withhold: Withhold) {
        self.passed_over = Some(withhold);
    }

    pub fn set_text(&mut self, check: WithholdText) {
        self.by_text = Some(Arc::new(ByText { check, known: Mutex::default() }));
    }

    pub fn set_tell(&mut self, tell: TellRefused) {
        self.tell = Some(tell);
    }

    /// Why the file at a path from the root must not be read, judged by the path alone.
    pub fn path(&self, path: &str) -> Option<String> {
        self.by_path.as_ref().and_then(|withhold| withhold(path)).or_else(|| self.passed_over(path))
    }

    /// Why the file does not belong to the project.
    pub fn passed_over(&self, path: &str) -> Option<String> {
        self.passed_over.as_ref()?(path)
    }

    /// Why an existing file must not be read, judged by its path and its content.
    pub fn file(&self, path: &str, absolute: &Path) -> Option<String> {
        self.path(path).or_else(|| self.by_text.as_ref()?.reason(path, absolute))
    }

    /// Reports a refused file that was requested by name.
    pub fn refused(&self, path: &str, reason: &str) {
        if let Some(tell) = &self.tell {
            tell(path, reason);
        }
    }
}

struct ByText {
    check: WithholdText,
    /// The results for files checked before, with their signatures, because each walk checks all files.
    known: Mutex<HashMap<String, (Signature, Option<String>)>>,
}

impl ByText {
    fn reason(&self, path: &str, absolute: &Path) -> Option<String> {
        let name = path.rsplit('/').next().unwrap_or(path);
        if language::language_of_file_name(name).is_some_and(|language| language.tier != Tier::Document) {
            return None;
        }
        let moment = now();
        let metadata = absolute.symlink_metadata().ok()?;
        if !metadata.is_file() || metadata.len() < LEAST_BYTES {
            return None;
        }
        let settled = Signature::of(&metadata).filter(|signature| signature.is_settled(moment));
        if let Some(settled) = settled {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((signature, reason)) = known.get(path)
                && *signature == settled
            {
                return reason.clone();
            }
        }
        let reason = head(absolute).and_then(|text| (self.check)(path, &text));
        if let Some(settled) = settled {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            known.insert(path.to_owned(), (settled, reason.clone()));
        }
        reason
    }
}

/// The first bytes of a file as text; `None` for a binary or unreadable file.
fn head(absolute: &Path) -> Option<String> {
    let (mut file, _) = open_regular(absolute).ok()?;
    let mut bytes = Vec::new();
    let probe = BINARY_PROBE_BYTES as u64;
    file.by_ref().take(probe).read_to_end(&mut bytes).ok()?;
    // Pictures and archives are rejected here. UTF-16 text also contains zero bytes, but is recognised by its byte
    // order mark.
    decode(bytes.clone())?;
    file.take(HEAD_BYTES - probe).read_to_end(&mut bytes).ok()?;
    decode(bytes).map(|(text, _)| text)
}
