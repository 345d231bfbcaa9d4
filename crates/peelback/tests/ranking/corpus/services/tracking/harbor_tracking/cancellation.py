"""Taking a parcel out of the network before it is delivered."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone

from .currency import Money
from .models import Parcel, ParcelStatus, ScanEvent

# Share of the postage given back, by the stage the parcel has reached.
REFUND_PERCENT = {
    ParcelStatus.ANNOUNCED: 100,
    ParcelStatus.LABELLED: 80,
    ParcelStatus.IN_TRANSIT: 0,
}


class CannotCancel(Exception):
    """The parcel is too far along, or already closed."""


@dataclass(frozen=True)
class Cancellation:
    tracking_no: str
    refund: Money
    void_label: bool
    recall_from_hub: str | None


def cancel_parcel(parcel: Parcel, postage: Money, *, now: datetime | None = None) -> Cancellation:
    """Cancel and say what has to be undone.

    A label that was bought but not yet scanned is voided with the carrier. A
    parcel that is already moving is recalled to the hub of its last scan and
    nothing is refunded.
    """
    if not parcel.is_open():
        raise CannotCancel(f"{parcel.tracking_no} is already {parcel.status.value}")
    if parcel.status is ParcelStatus.OUT_FOR_DELIVERY:
        raise CannotCancel(f"{parcel.tracking_no} is on the van, ask the driver to refuse it")

    moment = now or datetime.now(timezone.utc)
    last = parcel.last_scan()
    recall = last.hub if parcel.status is ParcelStatus.IN_TRANSIT and last else None
    void_label = parcel.status is ParcelStatus.LABELLED
    refund = refund_for(parcel.status, postage)

    parcel.status = ParcelStatus.CANCELLED
    parcel.scans.append(
        ScanEvent(parcel.tracking_no, ParcelStatus.CANCELLED, hub="office", at=moment, source="office")
    )
    return Cancellation(parcel.tracking_no, refund, void_label, recall)


def refund_for(status: ParcelStatus, postage: Money) -> Money:
    percent = REFUND_PERCENT.get(status, 0)
    return Money(postage.minor * percent // 100, postage.currency)
