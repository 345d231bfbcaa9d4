//! A moment, as documents name it. It is handed in: the same moment gives the same document.

use std::time::{SystemTime, UNIX_EPOCH};

/// A moment in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timestamp {
    seconds: u64,
}

impl Timestamp {
    /// So many seconds after the beginning of 1970.
    pub fn from_unix(seconds: u64) -> Self {
        Self { seconds }
    }

    /// The moment of `time`; the beginning of 1970 for what is earlier.
    pub fn of(time: SystemTime) -> Self {
        Self { seconds: time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()) }
    }

    /// `143022`.
    pub fn hhmmss(self) -> String {
        let (hour, minute, second) = self.clock();
        format!("{hour:02}{minute:02}{second:02}")
    }

    /// `2026-01-22T10:30:00Z`, RFC 3339.
    pub fn rfc3339(self) -> String {
        let (year, month, day) = self.date();
        let (hour, minute, second) = self.clock();
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }

    fn clock(self) -> (u64, u64, u64) {
        let of_day = self.seconds % 86_400;
        (of_day / 3600, of_day / 60 % 60, of_day % 60)
    }

    /// Howard Hinnant's `civil_from_days`, for days after 1970: years begin in March, so that the leap day is the last.
    fn date(self) -> (u64, u64, u64) {
        let days = self.seconds / 86_400 + 719_468;
        let (era, of_era) = (days / 146_097, days % 146_097);
        let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let shifted = (5 * of_year + 2) / 153;
        let day = of_year - (153 * shifted + 2) / 5 + 1;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        (year + era * 400 + u64::from(month <= 2), month, day)
    }
}

#[cfg(test)]
mod tests {
    use super::Timestamp;

    #[test]
    fn moments_have_dates() {
        for (seconds, shown) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_737_541_800, "2025-01-22T10:30:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(Timestamp::from_unix(seconds).rfc3339(), shown);
        }
        assert_eq!(Timestamp::from_unix(1_737_556_222).hhmmss(), "143022");
    }
}
