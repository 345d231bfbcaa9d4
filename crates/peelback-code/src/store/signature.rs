//! What tells without reading it that a file is the one that was read.

use std::fs::Metadata;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A change less than this long before a file was read may be followed by another that leaves the same times: clocks of
/// file systems tick every few milliseconds.
const MARGIN: Duration = Duration::from_secs(2);

/// The margin where the times have no part of a second: such a file system counts in seconds, or in pairs of them.
const COARSE_MARGIN: Duration = Duration::from_secs(5);

/// What the system knows of a file's state. Equal signatures mean equal content only where the first was
/// [settled](Signature::is_settled) when the content was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Signature {
    /// In bytes.
    pub size: u64,
    /// When the content was changed, in nanoseconds since 1970. Programs set it as they like.
    pub modified: i64,
    /// When anything about the file was changed. The system alone sets it.
    pub changed: i64,
    /// The file system.
    pub device: u64,
    /// The file in it: another file put in its place has another number.
    pub inode: u64,
}

impl Signature {
    /// The signature of a file; `None` where the system does not tell the time of the last change. There a file can be
    /// changed without a trace, and must be read to know what it holds.
    #[cfg(unix)]
    pub fn of(metadata: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let nanoseconds = |seconds: i64, rest: i64| seconds.checked_mul(1_000_000_000)?.checked_add(rest);
        Some(Self {
            size: metadata.size(),
            modified: nanoseconds(metadata.mtime(), metadata.mtime_nsec())?,
            changed: nanoseconds(metadata.ctime(), metadata.ctime_nsec())?,
            device: metadata.dev(),
            inode: metadata.ino(),
        })
    }

    /// The signature of a file; `None`: the times that this system tells can all be set back.
    #[cfg(not(unix))]
    pub fn of(_: &Metadata) -> Option<Self> {
        None
    }

    /// Whether a change after `moment` (nanoseconds since 1970, before the content was read) must give another
    /// signature: the last change before it lies far enough back for the clock to have moved on.
    pub fn is_settled(&self, moment: i64) -> bool {
        let coarse = self.changed % 1_000_000_000 == 0;
        let margin = if coarse { COARSE_MARGIN } else { MARGIN };
        let margin = i64::try_from(margin.as_nanos()).unwrap_or(i64::MAX);
        self.changed.checked_add(margin).is_some_and(|end| end <= moment)
    }
}

/// The moment, in nanoseconds since 1970.
pub(crate) fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::SystemTime::UNIX_EPOCH);
    since.ok().and_then(|since| i64::try_from(since.as_nanos()).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::Signature;

    const SECOND: i64 = 1_000_000_000;

    fn changed(changed: i64) -> Signature {
        Signature { size: 1, modified: 0, changed, device: 1, inode: 1 }
    }

    #[test]
    fn a_fresh_change_is_not_settled() {
        let fine = changed(100 * SECOND + 1);
        assert!(!fine.is_settled(101 * SECOND));
        assert!(fine.is_settled(103 * SECOND));
        let coarse = changed(100 * SECOND);
        assert!(!coarse.is_settled(103 * SECOND));
        assert!(coarse.is_settled(105 * SECOND));
    }

    #[test]
    fn a_change_in_the_future_is_not_settled() {
        assert!(!changed(200 * SECOND).is_settled(100 * SECOND));
        assert!(!changed(i64::MAX).is_settled(i64::MAX));
    }
}
