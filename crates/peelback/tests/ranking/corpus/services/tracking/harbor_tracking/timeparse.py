"""Reading the many ways in which carriers write a moment in time."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone

_ISO = re.compile(
    r"^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(Z|[+-]\d{2}:?\d{2})?$"
)
_DOTTED = re.compile(r"^(\d{1,2})\.(\d{1,2})\.(\d{4}) (\d{1,2}):(\d{2})$")
_COMPACT = re.compile(r"^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})$")
_EPOCH = re.compile(r"^\d{10}(\d{3})?$")


class UnreadableTimestamp(ValueError):
    def __init__(self, text: str, carrier: str):
        super().__init__(f"cannot read timestamp {text!r} from {carrier}")


def _parse_offset(text: str | None, fallback: timezone) -> timezone:
    if not text:
        return fallback
    if text == "Z":
        return timezone.utc
    hours = int(text[:3])
    minutes = int(text[-2:])
    return timezone(timedelta(hours=hours, minutes=minutes))


def parse_carrier_timestamp(text: str, carrier: str, fallback: timezone = timezone.utc) -> datetime:
    """Turn the text of a carrier's feed into an aware datetime in UTC.

    `fallback` is the zone of the carrier's head office; it is used when the
    text does not say which zone it means.
    """
    text = text.strip()
    if match := _ISO.match(text):
        year, month, day, hour, minute = (int(part) for part in match.group(1, 2, 3, 4, 5))
        second = int(match.group(6) or 0)
        zone = _parse_offset(match.group(7), fallback)
        return _build(text, carrier, zone, year, month, day, hour, minute, second)
    if match := _DOTTED.match(text):
        day, month, year, hour, minute = (int(part) for part in match.groups())
        return _build(text, carrier, fallback, year, month, day, hour, minute, 0)
    if match := _EPOCH.match(text):
        seconds = int(text) / 1000 if match.group(1) else int(text)
        return datetime.fromtimestamp(seconds, timezone.utc)
    if match := _COMPACT.match(text):
        return _build(text, carrier, fallback, *(int(part) for part in match.groups()))
    raise UnreadableTimestamp(text, carrier)


def _build(text: str, carrier: str, zone: timezone, *parts: int) -> datetime:
    try:
        return datetime(*parts, tzinfo=zone).astimezone(timezone.utc)
    except ValueError as exc:
        raise UnreadableTimestamp(text, carrier) from exc
