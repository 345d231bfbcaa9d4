//! The timestamp in a document's front matter and file name. The caller passes the time as a value, so that equal
//! inputs give equal documents.

use std::time::{SystemTime, UNIX_EPOCH};

/// A point in time in UTC, with a precision of one second, between the years 1970 and 9999.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timestamp(jiff::Timestamp);

impl Timestamp {
    /// The point in time `seconds` after the beginning of 1970. Times after the year 9999 become the last second of
    /// 9999.
    pub fn from_unix_seconds(seconds: u64) -> Self {
        let time = i64::try_from(seconds).ok().and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
        Self(time.unwrap_or(jiff::Timestamp::MAX))
    }

    /// Converts a system time, rounded down to a second. Times before 1970 become the beginning of 1970.
    pub fn from_system_time(time: SystemTime) -> Self {
        Self::from_unix_seconds(time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()))
    }

    /// The time of day as six digits, hours first: `143022`.
    pub fn hhmmss(self) -> String {
        self.0.strftime("%H%M%S").to_string()
    }

    /// The date and time in RFC 3339: `2026-01-22T10:30:00Z`.
    pub fn rfc3339(self) -> String {
        self.0.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::Timestamp;

    #[test]
    fn a_timestamp_is_printed_in_utc() {
        for (seconds, shown) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_737_541_800, "2025-01-22T10:30:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(Timestamp::from_unix_seconds(seconds).rfc3339(), shown);
        }
        assert_eq!(Timestamp::from_unix_seconds(1_737_556_222).hhmmss(), "143022");
    }
}
