"""The life of a parcel as a small state machine.

Scans reach us out of order: a handheld in a cellar uploads its beeps hours
after the van has delivered. The machine therefore never trusts the order of
arrival, only the rank of a status and the moment of the scan.
"""

from __future__ import annotations

import logging

from .models import Parcel, ParcelStatus, ScanEvent

log = logging.getLogger(__name__)

_RANK = {
    ParcelStatus.ANNOUNCED: 0,
    ParcelStatus.LABELLED: 1,
    ParcelStatus.IN_TRANSIT: 2,
    ParcelStatus.OUT_FOR_DELIVERY: 3,
    ParcelStatus.DELIVERED: 4,
    ParcelStatus.RETURNED: 5,
    ParcelStatus.CANCELLED: 5,
}

# A failed attempt sends the parcel back to the hub, so this step down is legal.
_STEPS_BACK = {(ParcelStatus.OUT_FOR_DELIVERY, ParcelStatus.IN_TRANSIT)}


class UnknownParcel(LookupError):
    """A scan names a tracking number that was never announced."""


class StatusMachine:
    def __init__(self, listeners=()):
        self._listeners = list(listeners)

    def subscribe(self, listener) -> None:
        self._listeners.append(listener)

    def advance(self, parcel: Parcel, scan: ScanEvent) -> bool:
        """Apply one scan; returns whether the visible status changed.

        The scan is always kept in the history. A scan that would take the
        parcel to an earlier stage only counts if it is one of the legal steps
        back and is younger than the newest scan known so far.
        """
        newest = parcel.last_scan()
        parcel.scans.append(scan)
        if scan.status is parcel.status:
            return False
        if not parcel.is_open():
            log.info("ignoring %s for closed parcel %s", scan.status.value, parcel.tracking_no)
            return False
        if _RANK[scan.status] < _RANK[parcel.status]:
            step = (parcel.status, scan.status)
            if step not in _STEPS_BACK or (newest is not None and scan.at <= newest.at):
                return False
        before, parcel.status = parcel.status, scan.status
        if scan.status is ParcelStatus.DELIVERED:
            parcel.delivered_at = scan.at
        self._announce(parcel, before)
        return True

    def _announce(self, parcel: Parcel, before: ParcelStatus) -> None:
        for listener in self._listeners:
            try:
                listener(parcel, before)
            except Exception:
                log.exception("status listener failed for %s", parcel.tracking_no)


def progress_fraction(status: ParcelStatus) -> float:
    """How far along the bar on the tracking page should be filled."""
    return min(_RANK[status], 4) / 4
