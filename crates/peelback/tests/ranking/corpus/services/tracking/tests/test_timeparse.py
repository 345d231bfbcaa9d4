"""Timestamps of carriers: offsets, zones, epochs and what cannot be read."""

from datetime import datetime, timedelta, timezone

import pytest

from harbor_tracking.timeparse import UnreadableTimestamp, parse_carrier_timestamp


@pytest.mark.parametrize(
    "text, expected",
    [
        ("2023-06-01T12:00:00Z", (12, 0)),
        ("2023-06-01T12:00:00+02:00", (10, 0)),
        ("2023-06-01T12:00:00-0500", (17, 0)),
        ("2023-06-01T12:00:00+05:30", (6, 30)),
        ("2023-06-01 12:00", (12, 0)),
        ("20230601120000", (12, 0)),
        ("1.6.2023 12:00", (12, 0)),
    ],
)
def test_timestamp_with_offset_becomes_utc(text, expected):
    parsed = parse_carrier_timestamp(text, "testcarrier")
    assert (parsed.hour, parsed.minute) == expected
    assert parsed.tzinfo is timezone.utc


def test_epoch_in_seconds_and_milliseconds():
    seconds = parse_carrier_timestamp("1685620800", "testcarrier")
    millis = parse_carrier_timestamp("1685620800000", "testcarrier")
    assert seconds == millis == datetime(2023, 6, 1, 12, 0, tzinfo=timezone.utc)


def test_fallback_zone_is_used_without_offset():
    zone = timezone(timedelta(hours=3))
    parsed = parse_carrier_timestamp("2023-06-01 12:00", "testcarrier", zone)
    assert parsed.hour == 9


def test_thirteenth_month_is_unreadable():
    with pytest.raises(UnreadableTimestamp, match="testcarrier"):
        parse_carrier_timestamp("2023-13-01T12:00:00Z", "testcarrier")
