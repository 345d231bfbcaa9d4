//! Secrets that a whole file shows to be secrets. An excerpt of the file may lack the name, the heading or the first line
//! that shows it, so excerpts are masked by what the file as a whole says.

mod index;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use self::index::PartIndex;

/// The secrets of whole texts, for the masking of excerpts of these texts.
#[derive(Clone, Default)]
pub struct KnownSecrets {
    /// The lines of the secrets, without the space around them.
    parts: BTreeSet<Arc<str>>,
    /// The parts as they are looked for: made when they are first needed.
    index: OnceLock<Arc<PartIndex>>,
}

impl std::fmt::Debug for KnownSecrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KnownSecrets").field("count", &self.parts.len()).finish_non_exhaustive()
    }
}

impl KnownSecrets {
    /// Whether no secret is known.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Adds lines of secrets.
    pub(crate) fn add_parts(&mut self, parts: &[Arc<str>]) {
        if !parts.is_empty() {
            self.parts.extend(parts.iter().cloned());
            self.index = OnceLock::new();
        }
    }

    /// The ranges of the known secrets in a text, in no order. The time is linear in the length of the text.
    pub(crate) fn ranges_in(&self, text: &str) -> Vec<Range<usize>> {
        if self.parts.is_empty() {
            return Vec::new();
        }
        let index = self.index.get_or_init(|| Arc::new(PartIndex::new(self.parts.iter().cloned())));
        index.ranges_in(text)
    }
}
