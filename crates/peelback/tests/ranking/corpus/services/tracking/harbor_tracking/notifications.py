"""Texts and mails to receivers and drivers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta

from .models import Parcel, ParcelStatus
from .promises import zone_of

QUIET_FROM = time(21, 0)
QUIET_UNTIL = time(7, 30)

_TEMPLATES = {
    ParcelStatus.IN_TRANSIT: "Your parcel {number} is on its way to {city}.",
    ParcelStatus.OUT_FOR_DELIVERY: "Your parcel {number} is out for delivery today.",
    ParcelStatus.DELIVERED: "Your parcel {number} has been delivered.",
    ParcelStatus.RETURNED: "Your parcel {number} goes back to its sender.",
}


@dataclass(frozen=True)
class Message:
    to: str
    text: str
    send_at: datetime
    channel: str = "sms"


def next_allowed_moment(moment: datetime, country: str) -> datetime:
    """Nobody's phone should buzz while they sleep: put it off to the morning.

    The hours are those of the country the person lives in.
    """
    local = moment.astimezone(zone_of(country))
    if QUIET_UNTIL <= local.time() < QUIET_FROM:
        return moment
    morning = local.replace(
        hour=QUIET_UNTIL.hour, minute=QUIET_UNTIL.minute, second=0, microsecond=0
    )
    if local.time() >= QUIET_FROM:
        morning += timedelta(days=1)
    return morning


class Notifier:
    """Listens to the status machine and writes to the outbox."""

    def __init__(self, outbox, contacts, clock):
        self._outbox = outbox
        self._contacts = contacts
        self._clock = clock
        self._last: dict[str, ParcelStatus] = {}

    def __call__(self, parcel: Parcel, before: ParcelStatus) -> None:
        template = _TEMPLATES.get(parcel.status)
        contact = self._contacts.get(parcel.tracking_no)
        if template is None or contact is None:
            return
        if self._last.get(parcel.tracking_no) is parcel.status:
            return
        self._last[parcel.tracking_no] = parcel.status
        text = template.format(number=parcel.tracking_no, city=parcel.receiver.city)
        when = self._clock()
        if parcel.status is not ParcelStatus.OUT_FOR_DELIVERY:
            when = next_allowed_moment(when, parcel.receiver.country)
        self._outbox.append(Message(contact, text, when))
