"""What we promise the receiver, and whether we kept it."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo

from .models import Parcel, ServiceLevel

WORKING_DAYS = {
    ServiceLevel.ECONOMY: 5,
    ServiceLevel.STANDARD: 2,
    ServiceLevel.EXPRESS: 1,
}

GRACE = {
    ServiceLevel.ECONOMY: timedelta(days=1),
    ServiceLevel.STANDARD: timedelta(hours=4),
    ServiceLevel.EXPRESS: timedelta(0),
}

CUT_OFF = time(16, 30)
END_OF_DAY = time(20, 0)

ZONES = {
    "GB": "Europe/London",
    "IE": "Europe/Dublin",
    "DE": "Europe/Berlin",
    "PL": "Europe/Warsaw",
    "PT": "Europe/Lisbon",
}


def zone_of(country: str) -> ZoneInfo:
    return ZoneInfo(ZONES.get(country, "Europe/London"))


def add_working_days(start: date, count: int, holidays=frozenset()) -> date:
    """Step over weekends and the holidays of the receiving country."""
    day = start
    while count > 0:
        day += timedelta(days=1)
        if day.weekday() < 5 and day not in holidays:
            count -= 1
    return day


def promised_moment(parcel: Parcel, holidays=frozenset()) -> datetime | None:
    """The moment by which the parcel should be in the receiver's hands.

    Parcels handed over after the cut-off count as accepted on the next
    working day. Returns None for parcels we have not got yet.
    """
    if parcel.accepted_at is None:
        return None
    zone = zone_of(parcel.receiver.country)
    local = parcel.accepted_at.astimezone(zone)
    days = WORKING_DAYS[parcel.service]
    if local.time() > CUT_OFF:
        days += 1
    due = add_working_days(local.date(), days, holidays)
    return datetime.combine(due, END_OF_DAY, tzinfo=zone)


def has_missed_promise(parcel: Parcel, now: datetime | None = None, holidays=frozenset()) -> bool:
    """True once the due moment plus the grace of the service level went by.

    A delivered parcel is judged by its delivery, an open one by the clock.
    """
    due = promised_moment(parcel, holidays)
    if due is None:
        return False
    if not parcel.is_open() and parcel.delivered_at is None:
        return False
    reference = parcel.delivered_at or now or datetime.now(timezone.utc)
    return reference > due + GRACE[parcel.service]
