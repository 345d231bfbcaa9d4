//! What is not to be read: told by a file's path or by what it holds.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use peelback_syntax::{Tier, language};

use crate::project::open_regular;
use crate::source::{BINARY_PROBE_BYTES, decode};
use crate::store::{Signature, now};

/// Tells why a file is not to be read, by its path from the root (with `/`); `None` where it may be.
pub type Withhold = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Tells the same by the path and the first 64 KB of the text. Files of code are not asked about: what is secret in one
/// of those is a part of it.
pub type WithholdText = Arc<dyn Fn(&str, &str) -> Option<String> + Send + Sync>;

/// Told the path and the reason of each file that was asked for by name and refused.
pub type TellRefused = Arc<dyn Fn(&str, &str) + Send + Sync>;

/// So much of a file is looked at: key files are smaller.
const HEAD_BYTES: u64 = 64 * 1024;

/// The least bytes of a file that holds a private key: the shortest one, an Ed25519 key in PEM, has 119.
const LEAST_BYTES: u64 = 100;

/// The rules of a project.
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

    /// Why the file at a path from the root is not to be read, by the path alone.
    pub fn path(&self, path: &str) -> Option<String> {
        self.by_path.as_ref().and_then(|withhold| withhold(path)).or_else(|| self.passed_over(path))
    }

    /// Why the file is no part of the project.
    pub fn passed_over(&self, path: &str) -> Option<String> {
        self.passed_over.as_ref()?(path)
    }

    /// The same for a file that exists, by what it holds, too.
    pub fn file(&self, path: &str, absolute: &Path) -> Option<String> {
        self.path(path).or_else(|| self.by_text.as_ref()?.reason(path, absolute))
    }

    /// Notes that the file was asked for by name.
    pub fn refused(&self, path: &str, reason: &str) {
        if let Some(tell) = &self.tell {
            tell(path, reason);
        }
    }
}

struct ByText {
    check: WithholdText,
    /// What was found of files that are as they were: each walk asks for all of them.
    known: Mutex<HashMap<String, (Signature, Option<String>)>>,
}

impl ByText {
    fn reason(&self, path: &str, absolute: &Path) -> Option<String> {
        let name = path.rsplit('/').next().unwrap_or(path);
        if language::of_name(name).is_some_and(|language| language.tier != Tier::Document) {
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

/// The first bytes of a file as text; `None` for a binary file and for one that cannot be read.
fn head(absolute: &Path) -> Option<String> {
    let (mut file, _) = open_regular(absolute).ok()?;
    let mut bytes = Vec::new();
    let probe = BINARY_PROBE_BYTES as u64;
    file.by_ref().take(probe).read_to_end(&mut bytes).ok()?;
    // Pictures and archives end here. UTF-16, which has zeros too, begins with its mark.
    decode(bytes.clone())?;
    file.take(HEAD_BYTES - probe).read_to_end(&mut bytes).ok()?;
    decode(bytes).map(|(text, _)| text)
}
