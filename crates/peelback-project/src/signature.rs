//! `FileSignature`: detects from metadata, without reading a file, whether its content may have changed.

use std::fs::Metadata;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::regular_file::read_text_file_following_links;

/// The minimum time between a file's last change and the reading of its content for the signature to be reliable where
/// programs change files by writing only. A second change soon after the first may get the same times: the clocks of
/// file systems tick every few milliseconds, and some count in steps of one or two seconds.
const CLOCK_SETTLING_TIME: Duration = Duration::from_secs(5);

/// The settling time where the system does not say when it writes changed memory to the disk.
const DEFAULT_SETTLING_TIME: Duration = Duration::from_secs(40);

/// The rule by which signatures are believed. What was kept under another rule is not used.
pub(crate) const SIGNATURE_RULE: &[u8] = b"written-back";

/// The settling time in milliseconds that the process set itself; 0 if it set none: see [`set_settling_time`].
static SET_SETTLING_MILLISECONDS: AtomicU64 = AtomicU64::new(0);

/// The minimum time between a file's last change and the reading of its content for the signature to be reliable;
/// `None` if it never is.
///
/// A program may change a file through memory that is mapped to it. The system notes the time of the first change to a
/// page, and then of none until it has written the page to the disk, which it does some 30 seconds later. So a change is
/// noted for certain only if what was changed before has been written.
fn min_age_of_trusted_signature() -> Option<Duration> {
    static OF_SYSTEM: OnceLock<Option<Duration>> = OnceLock::new();
    match SET_SETTLING_MILLISECONDS.load(Ordering::Relaxed) {
        0 => {}
        milliseconds => return Some(Duration::from_millis(milliseconds)),
    }
    *OF_SYSTEM.get_or_init(|| {
        let number = |name: &str| {
            let text = read_text_file_following_links(&Path::new("/proc/sys/vm").join(name), 100).ok()?;
            text.trim().parse::<u64>().ok()
        };
        let (Some(age), Some(interval)) = (number("dirty_expire_centisecs"), number("dirty_writeback_centisecs"))
        else {
            return Some(DEFAULT_SETTLING_TIME);
        };
        // Without an interval nothing is written by itself.
        let centiseconds = age.checked_add(interval).filter(|_| interval > 0)?;
        Some(Duration::from_millis(centiseconds.checked_mul(10)?) + CLOCK_SETTLING_TIME)
    })
}

/// Sets the time after a file's last change from which the file's signature is believed, for a process in which files
/// are changed by writing only, such as a test.
pub fn set_settling_time(time: Duration) {
    SET_SETTLING_MILLISECONDS.store(u64::try_from(time.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
}

/// The metadata that identifies a file's state. Equal signatures imply equal content only if the first signature was
/// [settled](FileSignature::can_detect_changes_after) when the content was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FileSignature {
    /// The file's size in bytes.
    pub size: u64,
    /// The time of the last content change, in nanoseconds since 1970. Programs can set it freely.
    pub modified: i64,
    /// The time of the last change to the file or its metadata, in nanoseconds since 1970. Only the system sets it.
    pub changed: i64,
    /// The number of the device, which identifies the file system that contains the file.
    pub device: u64,
    /// The file's number in its file system. A file that replaces this one has another number.
    pub inode: u64,
}

impl FileSignature {
    /// The signature of a file; `None` if the system does not record the time of the last metadata change. Then a file
    /// can change without a trace and must be read to know its content.
    #[cfg(unix)]
    pub(crate) fn from_metadata(metadata: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        Some(Self {
            size: metadata.size(),
            modified: unix_nanoseconds_from_parts(metadata.mtime(), metadata.mtime_nsec())?,
            changed: unix_nanoseconds_from_parts(metadata.ctime(), metadata.ctime_nsec())?,
            device: metadata.dev(),
            inode: metadata.ino(),
        })
    }

    /// The bytes of all numbers of the signature, for keys of cached values.
    pub(crate) fn to_bytes(self) -> [u8; 40] {
        let Self { size, modified, changed, device, inode } = self;
        let numbers = [
            size.to_le_bytes(),
            modified.to_le_bytes(),
            changed.to_le_bytes(),
            device.to_le_bytes(),
            inode.to_le_bytes(),
        ];
        let mut bytes = [0; 40];
        bytes.iter_mut().zip(numbers.as_flattened()).for_each(|(byte, number)| *byte = *number);
        bytes
    }

    /// [`FileSignature::from_metadata`] for the result of a `stat` call.
    #[cfg(target_os = "linux")]
    pub(crate) fn from_stat(state: &rustix::fs::Stat) -> Option<Self> {
        let rest = |nanoseconds| i64::try_from(nanoseconds).ok();
        Some(Self {
            size: u64::try_from(state.st_size).ok()?,
            modified: unix_nanoseconds_from_parts(state.st_mtime, rest(state.st_mtime_nsec)?)?,
            changed: unix_nanoseconds_from_parts(state.st_ctime, rest(state.st_ctime_nsec)?)?,
            device: state.st_dev,
            inode: state.st_ino,
        })
    }

    /// Always `None`: on this system, all file times can be set back.
    #[cfg(not(unix))]
    pub(crate) fn from_metadata(_: &Metadata) -> Option<Self> {
        None
    }

    /// Whether any change after `moment` must produce another signature, because the last change before `moment` is
    /// long enough ago for the clock to have advanced, and for the system to have written what was changed in memory.
    /// `moment` is in nanoseconds since 1970 and precedes the reading of the content.
    pub fn can_detect_changes_after(&self, moment: i64) -> bool {
        min_age_of_trusted_signature().is_some_and(|time| self.exceeds_age_at(time, moment))
    }

    fn exceeds_age_at(&self, time: Duration, moment: i64) -> bool {
        let time = i64::try_from(time.as_nanos()).unwrap_or(i64::MAX);
        self.changed.checked_add(time).is_some_and(|end| end <= moment)
    }
}

/// A time in nanoseconds since 1970, from whole seconds and the remaining nanoseconds; `None` on overflow.
#[cfg(unix)]
fn unix_nanoseconds_from_parts(seconds: i64, rest: i64) -> Option<i64> {
    seconds.checked_mul(1_000_000_000)?.checked_add(rest)
}

/// The numbers by which Linux identifies types of file systems with unreliable file times: network file systems (cached
/// metadata may be seconds old), file systems implemented by programs, file systems that do not store the time of the
/// last metadata change and report another time instead, and those in memory: they never write what is changed in
/// memory that is mapped to a file, and do not note the change.
#[cfg(target_os = "linux")]
const UNRELIABLE_FILE_SYSTEMS: &[u64] = &[
    0x6969,      // NFS
    0x517B,      // SMB
    0xFF53_4D42, // CIFS
    0xFE53_4D42, // SMB 2
    0x564C,      // NCP
    0x5346_414F, // AFS
    0x6B41_4653, // kAFS
    0x7375_7245, // Coda
    0x00C3_6400, // Ceph
    0x0BD0_0BD0, // Lustre
    0x0102_1997, // 9P
    0x6573_5546, // FUSE
    0x786F_4256, // shared folders of VirtualBox
    0xBACB_ACBC, // shared folders of VMware
    0x00C0_FFEE, // hostfs
    0x4D44,      // FAT
    0x2011_BAB0, // exFAT
    0x0102_1994, // tmpfs
    0x8584_58F6, // ramfs
    0x9584_58F6, // hugetlbfs
];

/// Whether file signatures on the file system of `path` are reliable.
#[cfg(target_os = "linux")]
pub fn are_file_system_signatures_reliable(path: &Path) -> bool {
    // The width and sign of `f_type` differ between platforms; the numbers of file systems have 32 bits.
    let number = |found: rustix::fs::StatFs| u64::try_from(i128::from(found.f_type) & 0xFFFF_FFFF).ok();
    rustix::fs::statfs(path).ok().and_then(number).is_some_and(|number| !UNRELIABLE_FILE_SYSTEMS.contains(&number))
}

/// Whether file signatures on the file system of `path` are reliable.
#[cfg(not(target_os = "linux"))]
pub fn are_file_system_signatures_reliable(_: &Path) -> bool {
    true
}

/// The current time, in nanoseconds since 1970.
pub fn current_unix_nanoseconds() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::SystemTime::UNIX_EPOCH);
    since.ok().and_then(|since| i64::try_from(since.as_nanos()).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::FileSignature;

    const SECOND: i64 = 1_000_000_000;

    fn changed(changed: i64) -> FileSignature {
        FileSignature { size: 1, modified: 0, changed, device: 1, inode: 1 }
    }

    #[test]
    fn a_fresh_change_is_not_settled() {
        let signature = changed(100 * SECOND);
        assert!(!signature.exceeds_age_at(Duration::from_secs(40), 139 * SECOND));
        assert!(signature.exceeds_age_at(Duration::from_secs(40), 140 * SECOND));
        assert!(!signature.exceeds_age_at(Duration::MAX, i64::MAX));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn file_systems_that_lie_are_told() {
        use std::path::Path;
        assert!(super::are_file_system_signatures_reliable(Path::new(env!("CARGO_MANIFEST_DIR"))));
        assert!(!super::are_file_system_signatures_reliable(Path::new("/dev/shm")));
        assert!(!super::are_file_system_signatures_reliable(Path::new("/nowhere at all")));
        assert!(super::UNRELIABLE_FILE_SYSTEMS.iter().all(|number| *number <= 0xFFFF_FFFF));
    }

    #[test]
    fn a_change_in_the_future_is_not_settled() {
        assert!(!changed(200 * SECOND).can_detect_changes_after(100 * SECOND));
        assert!(!changed(i64::MAX).can_detect_changes_after(i64::MAX));
    }
}
